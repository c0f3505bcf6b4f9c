# report --json: the rows of the text, valid by the schema; names are whole; deep trees; what excludes it
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
python3 -c 'import jsonschema' 2>/dev/null || echo "python3-jsonschema is not installed: not held against the schema"

cat >check.py <<'PY'
# check.py FILE [TEXT]: FILE is valid by the schema, its sums are right, and its rows are those of TEXT, which
# report printed with -t '|' -F overhead,sample,period,comm,dso,sym
import json, os, re, sys
sys.setrecursionlimit(10000)
d = json.load(open(sys.argv[1]))
try:
    import jsonschema
    schema = json.load(open(os.environ["PERF_SRC"] + "/Documentation/report-schema.json"))
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.Draft7Validator(schema).validate(d)
except ImportError:
    pass

def lists(x):
    return x if isinstance(x, list) else [x]

def leaves(rows):
    for row in rows:
        yield from leaves(row["rows"]) if "rows" in row else [row]

def check_tree(branches, whole):
    for b in branches:
        assert b["period"] <= whole, b
        below = b.get("callers", []) + b.get("callees", [])
        assert sum(c["period"] for c in below) + b.get("self", 0) <= b["period"], b
        check_tree(below, b["period"])

for t in d["tables"]:
    for key in ("sample", "period"):
        sums = [sum(s) for s in zip(*(lists(r[key]) for r in leaves(t["rows"])))]
        if t["rows"] and not t["left_out"]["rows"]:
            assert sums == lists(t[key]), (t["events"], key, sums, t[key])
    keys = {c["key"] for c in t["columns"]} - {"sample", "period"}
    for row in leaves(t["rows"]):
        assert keys <= row.keys() or "rows" in t["rows"][0], keys - row.keys()
        check_tree(row.get("callers", []) + row.get("callees", []), sum(lists(t["period"])))

def symbol(s):
    name = s["name"]
    if "unresolved" in s:
        name = "%#018x" % int(name, 16) if int(name, 16) else "0" * 16
    if "wait" in s:
        name += " (%s)" % (s["wait"] + ", idle" if "idle" in s else s["wait"])
    return "[%s] %s%s" % (s["level"], name, " (inlined)" if "inlined" in s else "")

if len(sys.argv) > 2:
    rows = [r for t in d["tables"] for r in t["rows"]]
    lines = [l.rstrip("\n").split("|") for l in open(sys.argv[2], errors="replace") if l[0] not in "#\n"]
    assert len(lines) == len(rows) > 0, (len(lines), len(rows))
    for text, r in zip(lines, rows):
        n = len(lists(r["sample"]))
        shares = [float(x.strip(" %")) for x in re.findall("[0-9.]+%", text[0])]
        assert len(shares) == n and all(abs(a - b) < 0.0051 for a, b in zip(shares, lists(r["overhead"]))), (text, r)
        assert [int(x) for x in text[1].split()] == lists(r["sample"]), (text, r)
        assert [int(x) for x in text[2].split()] == lists(r["period"]), (text, r)
        assert [x.strip() for x in text[3:]] == [r["comm"], r["dso"], symbol(r["symbol"])], (text, r)
PY

nr=0
check() { # FILE OPTIONS...: with these fields, text and JSON have the same rows
	file=$1
	shift
	nr=$((nr + 1))
	"$PERF" report --stdio --inline-rows -g none -t '|' -F overhead,sample,period,comm,dso,sym -i "$file" "$@" >text 2>err || fail "$file $*: $(cat err)"
	"$PERF" report --json --stdio -F overhead,sample,period,comm,dso,sym -i "$file" "$@" >json 2>err || fail "$file $*: $(cat err)"
	python3 check.py json text || fail "$file $*"
}
valid() { # FILE OPTIONS...
	file=$1
	shift
	"$PERF" report --json -i "$file" "$@" >json 2>err || fail "$file $*: $(cat err)"
	python3 check.py json || fail "$file $*"
}

program prog progs/stacks -O2 -g -pthread
clock="-e cpu-clock -F 2000"
# shellcheck disable=SC2086
{
	"$PERF" record -q $clock -o plain.data ./prog 50
	"$PERF" record -q -e cpu-clock,page-faults -g -o two.data ./prog 50
	"$PERF" record -q -e '{cpu-clock,page-faults}' -F 2000 -g -o group.data ./prog 50
	"$PERF" record -q $clock --call-graph dwarf -o - ./prog 50 >pipe.data
	"$PERF" record -q $clock -z --call-graph fp -o packed.data ./prog 50
}
check plain.data
check plain.data --no-made-up-names
check two.data --no-children
check two.data
check group.data
check pipe.data
check packed.data --percentage relative -c prog,nothing
valid packed.data -c prog -F overhead,sample,period,comm,dso,sym
[ "$(python3 -c 'import json; print([c["key"] for c in json.load(open("json"))["tables"][0]["columns"]])')" = \
	"['overhead', 'sample', 'period', 'comm', 'dso', 'symbol']" ] || fail "a column of a filter is missing: $(head -c 3000 json)"
if "$PERF" record -q $clock --off-cpu -g -o wait.data sh -c 'sleep 0.1; ./prog 50' 2>err; then
	check wait.data
	valid wait.data
	python3 - <<-'PY' || fail "the time table"
		import json
		t = json.load(open("json"))["tables"][0]
		assert t["kind"] == "times" and t["events"] == ["cpu-clock", "offcpu-time"], t["events"]
		assert sum(r["self_time"] for r in t["rows"]) == t["period"] > t["waiting"] >= 100000000
		assert max(r["waiting"] for r in t["rows"]) <= t["waiting"]
		assert any(r["symbol"].get("wait") == "sleep" for r in t["rows"])
	PY
fi
if "$PERF" record -q -e sched:sched_process_exec,sched:sched_switch -o trace.data ./prog 50 2>err; then
	check trace.data
	valid trace.data -s comm,trace_fields
	python3 - <<-'PY' || fail "fields of tracepoints"
		import json
		rows = [r for t in json.load(open("json"))["tables"] for r in t["rows"]]
		assert any(r.get("sched:sched_process_exec.filename", "").endswith("prog") for r in rows)
		assert all(isinstance(r["sched:sched_switch.next_pid"], int) for r in rows if "sched:sched_switch.next_pid" in r)
	PY
fi
valid two.data --hierarchy
valid group.data --hierarchy -s '{comm,dso},sym'
valid two.data -g callee,srcline --inline
valid two.data -g fractal,0.5,3 --percent-limit 2
valid two.data -s pid,tgid,comm_nodigit,cpu,socket,time,srcline,srcfile,symbol_size,dso_size,parent,addr,symbol_iaddr,weight
valid two.data --time 10%/2
valid two.data -c nothing

# The same bytes each time, of a pipe also, but for the name.
"$PERF" report --json -i two.data --threads 1 >1
"$PERF" report --json -i two.data --threads 3 >3
"$PERF" report --json -i - <two.data | sed 's/"path":"-"/"path":"two.data"/; s/"captured-on":"[^"]*"//' >pipe
cmp 1 3 || fail "it depends on the number of threads"
sed 's/"captured-on":"[^"]*"//' 1 | cmp - pipe || fail "it differs on a pipe"

# ---- names: nothing is lost or read as JSON; bytes that are no UTF-8 are replaced ----
name=$(printf 'a;"c\\<\303(\033[31m')
if cp prog "./$name" 2>/dev/null; then
	"$PERF" record -q -e cpu-clock -c 100000 -o names.data "./$name" 20
	valid names.data
	python3 - <<-'PY' || fail "names"
		import json
		rows = json.load(open("json"))["tables"][0]["rows"]
		assert any(r["comm"] == 'a;"c\\<\ufffd(\x1b[31m' == r["dso"] for r in rows), rows
	PY
	if LC_ALL=C grep -q "$(printf '\033')" json; then fail "a control character"; fi
fi
cp prog stripped && strip stripped
"$PERF" record -q $clock -o stripped.data ./stripped 50
valid stripped.data
grep -q '"name":"stripped@0x[0-9a-f]*","made_up":true' json || fail "made-up names are not marked: $(tail -n 20 json)"

# ---- a recursion with samples on each level: cut where readers would stop, and said ----
cat >down.c <<'END'
static volatile unsigned long sink;
__attribute__((noipa)) static int down(int n)
{
	for (int i = 0; i < 100000; i++)
		sink += sink * 7 + i;
	return n ? down(n - 1) + 1 : 0;
}
int main(void)
{
	return down(600) == 1;
}
END
cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o down down.c
# shellcheck disable=SC2086
"$PERF" record -q $clock -g -o down.data ./down
valid down.data -g caller,0
valid down.data --max-stack 1000 --no-children -g caller,0
grep -q '"is_cut":true' json || fail "600 levels are not cut"
! command -v jq >/dev/null || jq -e '.tables[0].rows | length > 0' json >/dev/null || fail "jq cannot read it"

# ---- what it cannot be combined with; nothing to show; nowhere to write ----
for option in -D --stats --tasks --mmaps --header-only --stack-stats -T; do
	expect_status 1 "$PERF" report --json $option -i plain.data
	expect_text err "--json and $option exclude each other"
	expect_empty out
done
"$PERF" record -q -e dummy -o empty.data true
expect_status 0 "$PERF" report --json -i empty.data
expect_text err "has no samples"
mv out json
python3 check.py json || fail "of an empty recording"
expect_status 1 "$PERF" report --json -i missing.data
expect_empty out
expect_status 1 sh -c '"$PERF" report --json -i two.data >/dev/full'
size=$(wc -c <two.data)
head -c $((size * 2 / 3)) two.data >cut.data
"$PERF" report --json -i cut.data >json 2>err || :
python3 check.py json || fail "of a file that is cut off"
grep -q '"end":"truncated by damage"' json || fail "damage is not told: $(tail -n 5 json)"
echo "$nr comparisons with the text"
