# perf diff --json and go tool pprof -diff_base say the same of what functions cost, themselves and with what they call
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3 go
mkdir old new
program old/work diff/work -O1 -g -fno-omit-frame-pointer -DSORT=100 -DPARSE=300
program new/work diff/work -O1 -g -fno-omit-frame-pointer -DSORT=300 -DPARSE=200 -DNAME=find
for build in old new; do
	"$PERF" record -q -g -F 5000 -e cpu-clock:u -o $build.data ./$build/work 500
	"$PERF" export -i $build.data -o $build.pb.gz
done
expect_status 0 "$PERF" diff --json old.data new.data
cp out diff.json
go tool pprof -top -nodecount=0 -nodefraction=0 -edgefraction=0 -unit=ns -diff_base old.pb.gz new.pb.gz >top 2>err ||
	fail "pprof: $(cat err)"
cat >check.py <<'PY'
import json, re
diff = json.load(open("diff.json"))
ours, total = {}, 0
for f in diff["functions"]:
    sums = ours.setdefault(f["function"], [0, 0])
    for i, kind in enumerate(("self", "total")):
        sums[i] += f[kind]["new"] - f[kind]["old"]
    total += f["self"]["new"] - f["self"]["old"]
theirs = {}
for line in open("top"):
    m = re.match(r" *(-?\d+)(?:ns)? +-?[\d.]+% +-?[\d.]+% +(-?\d+)(?:ns)? +-?[\d.]+% +(.*?)(?: \(inline\))?$", line)
    if m: # perf diff leaves out what compilers add to names
        name = re.sub(r"(\.(isra|part|constprop|cold)(\.\d+)?)+$", "", m[3])
        sums = theirs.setdefault(name, [0, 0])
        sums[0], sums[1] = sums[0] + int(m[1]), sums[1] + int(m[2])
for name in ("sort", "parse", "hash", "emit", "lookup", "find", "main"):
    assert name in theirs or ours[name] == [0, 0], (name, theirs)  # pprof lists what differs
for name, sums in theirs.items():
    for x, y in zip(sums, ours.get(name, [None, None])):
        assert y is not None and abs(x - y) < 1000, (name, sums, ours.get(name))
assert abs(total - sum(v[0] for v in theirs.values())) < 10000, total
assert abs(total - (diff["total"]["new"] - diff["total"]["old"])) < 1e-3 * diff["total"]["new"], total
PY
python3 check.py 2>err || fail "$(tail -n 1 err): $(cat top)"
