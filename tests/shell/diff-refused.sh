# perf diff and merge: pairs with a damaged or empty recording, other events or another architecture get one line each
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o good.data ./prog 80
"$PERF" record -q -e page-faults:u -c 1 -o faults.data ./prog 20
"$PERF" record -q -e cpu-clock:u -F 1 -o idle.data true
[ "$("$PERF" report --stats -i idle.data 2>/dev/null | awk '/SAMPLE events/ { print $3; exit }')" = "" ] || skip "true was sampled"
python3 - <<'PY'
import struct
good = open("good.data", "rb").read()
offset, size = struct.unpack_from("<QQ", good, 40)
open("front.data", "wb").write(good[:offset - 8])  # no records, no names of events
open("half.data", "wb").write(good[:offset + size // 2])
open("header.data", "wb").write(good[:60])
open("bad.data", "wb").write(good[:offset + size // 2] + b"\xff" * (size - size // 2) + good[offset + size:])
open("other.data", "wb").write(good.replace(b"x86_64\0", b"other\0\0").replace(b"aarch64\0", b"other\0\0\0"))
PY

# one line that begins with "perf: ", and perhaps one of advice; STATUS of the command
one_line() { # STATUS TEXT COMMAND...
	want=$1 text=$2
	shift 2
	expect_status "$want" "$PERF" "$@"
	grep -v 'samples of [12] recording\|in a browser$\|^  \|^name a \|record writes recordings' err >lines || :
	expect_lines lines 1
	expect_text lines "$text"
	grep -q '^perf: \(error\|warning\): ' lines || fail "$*: $(cat lines)"
}

for view in "" --stock --json --folded --html=page.html; do
	for pair in "good.data BAD" "BAD good.data"; do
		with() { # a bad recording in the pair
			echo "$pair" | sed "s/BAD/$1/"
		}
		# shellcheck disable=SC2046,SC2086
		{
			one_line 1 "cannot open 'missing.data'" diff $view $(with missing.data)
			one_line 1 "'header.data': the file ends at offset 60" diff $view $(with header.data)
			one_line 1 "bytes are missing" diff $view $(with half.data)
			one_line 1 "'bad.data': offset " diff $view $(with bad.data)
			one_line 1 "'front.data': the records are at offset" diff $view $(with front.data)
			if [ "$view" = --stock ]; then # as stock perf, it prints what one of them has
				one_line 0 "'idle.data' has no samples of 'cpu-clock:u'" diff $view $(with idle.data)
				one_line 0 "has no samples of '" diff $view $(with faults.data)
			else
				one_line 1 "'idle.data' has no samples of 'cpu-clock:u'" diff $view $(with idle.data)
				one_line 1 "there is nothing to compare" diff $view $(with faults.data)
			fi
			one_line 0 "differences are of the processors, too" diff $view $(with other.data)
			one_line 1 "-c cycles: '" diff -c cycles $(with idle.data)
			one_line 1 "--stream: '" diff --stream $(with idle.data)
		}
	done
done

# it is the filter that leaves nothing
for filter in "-C nobody" "-S nothing" "-d none.so" "--pid 1" "--tid 1"; do
	# shellcheck disable=SC2086
	one_line 1 "'good.data' has no samples of 'cpu-clock:u' that the filters keep" diff $filter good.data good.data
done
one_line 1 "in these times" diff --time 1,2 good.data good.data
one_line 1 "--cpu: the samples of 'good.data' do not say their CPU" diff --cpu 0 good.data good.data

# perf merge leaves it out, says so in a second line, and merges the rest
left_out() { # TEXT FILE
	expect_status 1 "$PERF" merge -o rest.data $(with "$2")
	grep '^perf: ' err >lines
	expect_lines lines 2
	expect_text lines "$1"
	expect_text lines "perf: warning: 1 of 2 recordings were left out"
	cmp rest.data alone.data
}

"$PERF" merge -o alone.data good.data 2>/dev/null
for pair in "good.data BAD" "BAD good.data"; do
	# shellcheck disable=SC2046
	{
		left_out "cannot open 'missing.data'" missing.data
		left_out "'header.data': the file ends at offset 60" header.data
		left_out "'front.data': the records are at offset" front.data
		left_out "'idle.data' has no samples" idle.data
		one_line 1 "has the event " merge -o no.data $(with faults.data)
		one_line 1 "is of another architecture" merge -o no.data $(with other.data)
		[ ! -e no.data ] || fail "a merged recording was written: $pair"
		one_line 1 "bytes are missing" merge -o some.data $(with half.data)
		one_line 1 "'bad.data': offset " merge -o some.data $(with bad.data)
	}
done

# A recording that was cut off has lost the name of its event, which is found by what it counts.
expect_status 1 "$PERF" diff good.data half.data
expect_text out "# Total cpu-clock:u for a run:"
expect_status 1 "$PERF" diff --stock half.data good.data
grep -q '^ *[0-9.]*% *[+-][0-9.]*% ' out || fail "nothing is compared: $(cat out)"
one_line 1 "'good.data' is an input: choose another output" diff --html=good.data good.data good.data
