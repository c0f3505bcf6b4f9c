# perf diff: samples whose period is 0 cost nothing; where all are 0 there is nothing to compare
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
program work diff/work -O1 -g -fno-omit-frame-pointer -DSORT=100 -DPARSE=300
"$PERF" record -q -g -F 4000 -e cpu-clock:u -o good.data ./work 600
cat >set_period.py <<'PY'
import struct, sys
name, to, every = sys.argv[1:]
data = bytearray(open("good.data", "rb").read())
attrs, _, at, size = struct.unpack_from("<QQQQ", data, 24)
(sample_type,) = struct.unpack_from("<Q", data, attrs + 24)
assert sample_type & 1 << 8, "the samples have no periods"
# before the period: identifier, ip, tid, time, addr, id, stream, cpu
period = 8 + 8 * sum(1 for bit in (16, 0, 1, 2, 3, 6, 9, 7) if sample_type & 1 << bit)
end, nr = at + size, 0
while at < end:
    kind, _, length = struct.unpack_from("<IHH", data, at)
    if kind == 9:
        if nr % int(every) == 0:
            struct.pack_into("<Q", data, at + period, int(to))
        nr += 1
    at += length
assert nr > 100, nr
open(name, "wb").write(data)
PY
python3 set_period.py none.data 0 1
python3 set_period.py half.data 0 2
python3 set_period.py huge.data 18446744073709551615 1

for pair in "none.data good.data" "good.data none.data" "none.data none.data"; do
	for view in "" --json --folded --html=page.html; do
		# shellcheck disable=SC2086
		expect_status 1 "$PERF" diff $view $pair
		expect_lines err 1
		expect_text err "'none.data': all samples of 'cpu-clock:u' have the period 0"
	done
done
total() { # OLD NEW: what both cost
	"$PERF" diff --json "$1" "$2" | sed -n 's/^"total":{"old":\([^,]*\),"new":\([^,]*\),.*/\1 \2/p'
}
total half.data good.data >out
awk '$1 * 1.9 > $2 || $1 * 2.1 < $2 { exit 1 } END { exit NR != 1 }' out || fail "half of the periods are 0: $(cat out)"
total huge.data good.data >out
awk '$1 < 1e20 || $2 > 1e12 { exit 1 } END { exit NR != 1 }' out || fail "huge periods: $(cat out)"
