# perf data convert: the layout of stock perf, field by field; tracepoints; hostile names; what is refused
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3

program prog progs/stacks -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread
"$PERF" record -q -e cpu-clock,page-faults -F 2000 --call-graph fp -o fp.data ./prog 50
expect_status 0 "$PERF" data convert --to-json fp.json -i fp.data
expect_empty out

cat >check.py <<'PY'
# check.py OURS THEIRS: what theirs has is the same in ours. We write a symbol where stock perf finds none. A file
# with call chains has some that stock perf finds.
import json, sys
def unique(pairs):
    d = dict(pairs)
    assert len(d) == len(pairs), pairs
    return d
ours = json.load(open(sys.argv[1]), object_pairs_hook=unique)
theirs = json.load(open(sys.argv[2]))
assert ours["linux-perf-json-version"] == theirs["linux-perf-json-version"] == 1
assert list(ours) == list(theirs) and ours["headers"] == theirs["headers"], (ours["headers"], theirs["headers"])
assert list(ours["headers"]) == list(theirs["headers"])
assert len(ours["samples"]) == len(theirs["samples"]) > 0
nr = 0
for a, b in zip(ours["samples"], theirs["samples"]):
    assert [key for key in a if key in b] == list(b), (a, b)
    for key in b.keys() - {"callchain", "pid"}:
        assert a[key] == b[key], (key, a, b)
    assert a["pid"] == int(b["pid"]), (a, b)
    assert [f["ip"] for f in a["callchain"]] == [f["ip"] for f in b["callchain"]], (a, b)
    for f, g in zip(a["callchain"], b["callchain"]):
        nr += "symbol" in g
        if "symbol" in g and "@" not in f["symbol"]:
            assert f["symbol"].split("(")[0] == g["symbol"].split("(")[0] and f["dso"] == g["dso"], (f, g)
assert nr or max(len(s["callchain"]) for s in ours["samples"]) < 3
PY

# The text itself, but for symbols, is that of stock perf: tabs, and the order of the members.
if stock=$(command -v perf) && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ]; then
	own=$PWD
	theirs() { # FILE
		HOME=$own "$stock" data convert --force -i "$1" --to-json=theirs.json >log 2>&1 || fail "stock perf: $(cat log)"
		rm -f ours.json
		"$PERF" data convert -i "$1" --to-json=ours.json || fail "$1"
		python3 check.py ours.json theirs.json || fail "$1 differs from stock's"
		for f in ours theirs; do sed '/"symbol"/d; /"dso"/d; s/\("ip": "[^"]*"\),$/\1/' $f.json >$f.text; done
	}
	theirs fp.data
	cmp ours.text theirs.text || fail "the text differs: $(diff ours.text theirs.text | head -n 10)"
	"$PERF" record -q -e cpu-clock -F 2000 -k mono -o mono.data ./prog 50
	theirs mono.data
	if "$stock" record -q -e cpu-clock -F 2000 --sample-cpu -g -o stock.data ./prog 50 >log 2>&1; then theirs stock.data; fi
	if "$stock" record -q -e sched:sched_process_exec,sched:sched_switch -o trace.data ./prog 50 >log 2>&1; then theirs trace.data; fi
else
	echo "no stock perf is installed: not held against it"
fi

# ---- tracepoints: fields as texts; none has the name of another member ----
if "$PERF" record -q -e sched:sched_process_exec -o exec.data ./prog 50 2>log; then
	"$PERF" data convert --to-json exec.json -i exec.data
	python3 - <<-'PY' || fail "fields: $(cat exec.json)"
		import json
		for s in json.load(open("exec.json"))["samples"]:
		    assert s["filename"] == "./prog" and isinstance(s["old_pid"], str), s
		    assert s["sched:sched_process_exec.pid"] == str(s["pid"]), s
	PY
	"$PERF" export -i exec.data -o exec.jsonl
	grep -q '"fields":{"filename":"./prog","pid":[0-9]*,"old_pid":[0-9]*}}' exec.jsonl || fail "jsonl: $(cat exec.jsonl)"
fi

# ---- names; addresses without a symbol have none ----
name=$(printf 'a;"c\\<\303(\033[31m')
program other progs/stacks -O1 -s -pthread # which no cache has with symbols
cp other "./$name" 2>/dev/null || name=other
"$PERF" record -q -g -e cpu-clock -c 100000 -o names.data "./$name" 20
"$PERF" data convert --to-json names.json -i names.data
if LC_ALL=C grep -q "$(printf '\033')" names.json; then fail "a control character"; fi
python3 - "$name" <<'PY' || fail "names"
import json, sys
samples = json.load(open("names.json"))["samples"]
assert any(s["comm"] == sys.argv[1].encode(errors="surrogateescape").decode(errors="replace")[:15] for s in samples)
assert all("@0x" not in f.get("symbol", "") for s in samples for f in s["callchain"])
assert any("symbol" not in f for s in samples for f in s["callchain"])
PY

# ---- the same bytes; what is refused ----
"$PERF" data convert --to-json /dev/stdout -i fp.data | cmp - fp.json
"$PERF" export -i fp.data -o fp.perf.json --no-made-up-names
cmp fp.json fp.perf.json
expect_status 1 "$PERF" data convert --to-json fp.json -i fp.data
expect_text err "'fp.json' exists; --force overwrites it"
expect_status 0 "$PERF" data convert --force --to-json fp.json -i fp.data
expect_status 1 "$PERF" data convert -i fp.data
expect_text err "name the output"
expect_status 1 "$PERF" data convert --all --to-json new.json -i fp.data
expect_text err "--all is not for JSON"
expect_status 1 "$PERF" data convert --to-ctf new -i fp.data
expect_text err "does not write CTF"
expect_status 1 "$PERF" data convert --to-json new.json --to-ctf new -i fp.data
expect_status 1 "$PERF" data convert --to-json new.json -i missing.data
expect_status 129 "$PERF" data
expect_text out "perf data convert"
expect_status 129 "$PERF" data foo
expect_text err "foo"
expect_status 129 "$PERF" data convert more
mkdir empty
(ulimit -f 8 && trap '' XFSZ && "$PERF" data convert -i fp.data --to-json empty/a.json 2>err) && fail "a limit is not noticed"
[ -z "$(ls -A empty)" ] && [ ! -e new.json ] || fail "half a file: $(ls -A empty)"
