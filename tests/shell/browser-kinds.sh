# the browser's first screen of twelve kinds of recordings: all columns are there, what is cut has a mark, one row a function
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_terminal
need_record
need_command cc python3 tmux
"$PERF" version --build-options | grep -q 'ncursesw: \[ on' || skip "perf was built without ncursesw"
own_tmux

cat >deep.c <<'C'
static volatile unsigned long sink;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 20000; i++) sink += i; }
__attribute__((noinline)) void odd(int n);
__attribute__((noinline)) void even(int n) { if (n) odd(n - 1); else leaf(); sink++; }
void odd(int n) { even(n - 1); sink++; }
int main(void) { for (int i = 0; i < 2000; i++) even(500); }
C
cat >threads.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned long sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static inline __attribute__((always_inline)) void hash(int n) { for (int i = 0; i < n; i++) sink += i * 33; }
__attribute__((noinline)) static void work(int n) { hash(n); }
static void *run(void *arg)
{
	work((int)(long)arg);
	pthread_mutex_lock(&lock);
	usleep(1000);
	pthread_mutex_unlock(&lock);
	return NULL;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	pthread_t t[200];
	(void)argc;
	for (int i = 0; i < n; i++) {
		char name[16];
		snprintf(name, sizeof(name), "worker-%d", i + 1);
		pthread_create(&t[i], NULL, run, (void *)atol(argv[2]));
		pthread_setname_np(t[i], name);
	}
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}
C
cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -o deep deep.c
cc -O2 -g -o threads threads.c -lpthread
cc -O2 -o stripped threads.c -lpthread
strip stripped
record() { # NAME OPTION...
	name=$1
	shift
	"$PERF" record -q -g -o "$name.data" "$@" >record.log 2>&1 || { echo "not made: $name: $(tail -n 1 record.log)" && return; }
	kinds="$kinds $name"
}
kinds=
record deep -e cpu-clock:u ./deep
record thirty -e cpu-clock:u ./threads 30 2000000
record hundreds -e cpu-clock:u ./threads 200 300000
record three -e cpu-clock:u,page-faults:u,context-switches:u ./threads 4 10000000
record stripped -e cpu-clock:u ./stripped 4 10000000
record compiler -e cpu-clock:u cc -O2 -c -o threads.o threads.c
record python -e cpu-clock:u python3 -c 'sum(len(str(i)) for i in range(400000))'
record all -a -e cpu-clock -- sleep 0.5
record waits --off-cpu -e cpu-clock ./threads 4 5000000
command -v git >/dev/null && record git -e cpu-clock:u git --no-pager -C "$PERF_SRC" log --stat -n 30
# In the middle of the samples: names follow them.
"$PERF" report --header-only -i thirty.data >header 2>/dev/null
head -c "$(awk '/^# data offset/ { at = $NF } /^# data size/ { print int(at + $NF * 2 / 3) }' header)" thirty.data >cut.data
kinds="$kinds cut"
if command -v "${CXX:-c++}" >/dev/null; then
	cat >names.cc <<'C'
#include <map>
#include <string>
#include <vector>
namespace company::product::subsystem::storage_engine::internal {
template <class Key, class Value> class ConcurrentHashTableWithOpenAddressing {
	std::map<Key, std::vector<Value>> data;

public:
	__attribute__((noinline)) void insertOrUpdateWithCallback(const Key &k, const Value &v)
	{
		auto &l = data[k];
		l.push_back(v);
		if (l.size() > 64)
			l.clear();
	}
};
}
int main()
{
	company::product::subsystem::storage_engine::internal::ConcurrentHashTableWithOpenAddressing<
		std::string, std::map<int, std::string>> t;
	for (int i = 0; i < 100000; i++)
		t.insertOrUpdateWithCallback(std::to_string(i % 100), { { 1, "a" }, { i, "b" } });
}
C
	"${CXX:-c++}" -std=c++17 -O2 -g -o names names.cc
	record names -e cpu-clock:u ./names
fi

for size in '80 24' '120 40'; do
	for kind in $kinds; do
		next_tmux
		tm new-session -d -s s -x "${size% *}" -y "${size#* }" "LC_ALL=C.UTF-8 '$PERF' report -i $kind.data 2>errors; sleep 60"
		await_text ' functions'
		# The hot path is drawn last, below the table; it takes the place of a hint.
		for _ in $(seq 100); do
			tm capture-pane -p -t s >screen
			tail -n 1 screen | grep -q '?:all keys' && ! grep -q 'v: the line of the program' screen && break
			sleep 0.1
		done
		cp screen "$kind-${size% *}.screen"
	done
done
for kind in $kinds; do
	"$PERF" report --json -g none --percent-limit 0 -i $kind.data >$kind.json 2>/dev/null || [ $kind = cut ]
done

# shellcheck disable=SC2086
python3 - $kinds <<'P' || fail "a first screen"
import json, re, sys

def rows(kind, columns):
    lines = open(f"{kind}-{columns}.screen").read().split("\n")
    title, header, bottom = lines[0], lines[1], [l for l in lines if l.strip()][-1]
    assert "samples" in title and title.rstrip().endswith("functions"), (kind, title)
    assert "Self" in header and "Symbol" in header, (kind, header)
    table = [l for l in lines[2:] if re.match(r"[+-] ", l)]
    assert len(table) >= 3, (kind, lines)
    assert all(len(l) <= columns for l in lines), kind
    at = header.index("Symbol")
    assert columns - at >= 20, (kind, header)
    return title, header, [(l[at + 4:].rstrip(), l) for l in table], lines

for kind in sys.argv[1:]:
    symbols = [r["symbol"] for t in json.load(open(kind + ".json"))["tables"] for r in t["rows"]]
    names = {s["name"] for s in symbols if "name" in s}
    for columns in (80, 120):
        title, header, table, lines = rows(kind, columns)
        seen = set()
        for symbol, line in table:
            assert symbol, (kind, line)
            # A name is whole (but for what is folded), or has a mark where it was cut.
            bare = re.sub(r" \((inlined|[a-zA-Z/ ]+(, idle)?)\)$", "", symbol)
            known = bare in names or re.match(r"0x[0-9a-f]+$|.*@0x[0-9a-f]+$", bare)
            cut = "..." in symbol or any(n.startswith(bare.split("<")[0].split("@")[0]) for n in names)
            assert known or cut, (kind, columns, line)
        if kind in ("thirty", "hundreds"):
            assert sum(s == "work" for s, _ in table) == 1 and sum(s == "hash (inlined)" for s, _ in table) == 1, lines
        if kind in ("deep", "thirty", "hundreds", "three", "names"):
            path = [l for l in lines if re.match(r" [^ ].*\.(c|cc):\d+ ", l)]
            above = lines[lines.index(path[0]) - 1] if path else ""
            assert path and re.search(r"\d\.\d%", above), (kind, lines)
        else:
            above = [l for l in lines if l.strip()][-2]
        if kind == "deep":
            assert above.count("odd") <= 1 and " > ... > leaf" in above, above
        if kind == "names":
            assert re.search(r"(UpdateWithCallback|main) \d", above), above
        if kind == "three":
            assert "(event 1 of 3)" in title, title
        if kind == "cut":
            assert "| truncated" in title, title
        if kind == "waits":
            assert "and waits" in title and "On CPU" in header and "Waiting" in header, (title, header)
            assert any("(join" in s for s, _ in table), lines
            assert any(re.match(r" [^ ].* > ", l) and re.search(r"\d\.\d%", l) for l in lines), lines # the hot path
P
