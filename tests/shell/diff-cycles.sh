# perf diff -c cycles: how many cycles more code between branches takes, of known cycles; --cycles-hist
. "$PERF_SRC/tests/lib.sh"
need_command "${CC:-cc}" python3 nm
[ "$(uname -m)" = x86_64 ] || skip "the program has a fixed address on x86-64"
program bare progs/blocks -O1 -fno-omit-frame-pointer -no-pie
recording() { # OUTPUT PROGRAM: with the samples of standard input
	python3 "$PERF_SRC/tests/progs/branch_stacks.py" "$@"
}
cycles() { # option... recording...: the rows
	expect_status 0 "$PERF" diff -c cycles "$@"
	sed -e '/^#/d' -e 's/ *$//' -e 's/   */  /g' out
}
expect_rows() { # FILE: standard input has the rows
	cat >want
	diff want "$1" >differs || fail "not these rows: $(cat differs)"
}

# ---- known cycles ----
recording a.data bare <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:5 leaf+20>leaf+4:7 inner+30>leaf+0:11
5 1000 leaf+4 leaf+21>inner+31:3 inner+30>leaf+0:11
5 1000 inner+2 inner+9>inner+4:100 idle+9>inner+0:10 main+9>idle+0:10
5 1000 main+2 main+4>main+0:1
SAMPLES
recording b.data bare <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:9 leaf+20>leaf+4:12 inner+30>leaf+0:11
3 1000 inner+2 leaf+21>inner+31:30 inner+30>leaf+0:13
9 1000 idle+2 inner+10>inner+4:7 idle+9>inner+0:41 main+8>idle+0:90
SAMPLES
cycles a.data b.data >rows
expect_rows rows <<'ROWS'
  60.00%  [leaf+0 -> leaf+21]  27  bare  [.] leaf
  60.00%  [leaf+0 -> leaf+20]  4  bare  [.] leaf
  20.00%  [inner+0 -> inner+30]  0  bare  [.] inner
  20.00%  bare  [.] main
  [idle+0 -> idle+9]  31  bare  [.] idle
ROWS
cp out whole
cycles b.data a.data >rows
expect_rows rows <<'ROWS'
  45.45%  [leaf+0 -> leaf+21]  -27  bare  [.] leaf
  45.45%  [leaf+0 -> leaf+20]  -4  bare  [.] leaf
  40.91%  [idle+0 -> idle+9]  -31  bare  [.] idle
  13.64%  [inner+0 -> inner+30]  0  bare  [.] inner
ROWS
cycles --threads 3 a.data b.data >rows
cmp out whole || fail "other rows with three threads"
cycles -b b.data a.data >rows
grep -q idle rows || fail "-b leaves out functions of the baseline: $(cat rows)"
cycles -b a.data b.data | grep idle && fail "-b keeps functions that the baseline lacks"
cycles -S leaf a.data b.data | grep -v 'leaf' && fail "-S keeps other functions"
cycles -s symbol a.data b.data >rows
grep -q '^  60.00%  \[leaf+0 -> leaf+21\]  27  \[.\] leaf$' rows || fail "-s symbol: $(cat rows)"
cycles -F -p a.data b.data >rows
grep -q '^  60.00%  15000  \[leaf+0 -> leaf+20\]  4  (210 / 20) - (120 / 20)  10000  bare  \[.\] leaf$' rows || fail "-F -p: $(cat rows)"
expect_status 0 "$PERF" diff -c cycles -q -t , a.data b.data
expect_text out ",[leaf+0 -> leaf+21]   27"
cycles a.data b.data a.data >rows
grep -q '^  60.00%  \[leaf+0 -> leaf+21\]  27  \[leaf+0 -> leaf+21\]  0  bare  \[.\] leaf$' rows || fail "three recordings: $(cat rows)"

# the averages are those of report --total-cycles
average() { # FILE
	"$PERF" report --stdio --total-cycles -i "$1" 2>/dev/null | awk '/\[leaf[+]0 -> leaf[+]20\]/ { print $4 }'
}
[ $(($(average b.data) - $(average a.data))) = 4 ] || fail "report --total-cycles has $(average a.data) and $(average b.data)"

# ---- --cycles-hist: the standard error of the difference, and how often the block took how many cycles ----
values() { # CYCLES...
	for n; do
		echo "1 1000 leaf+4 leaf+20>leaf+4:$n inner+30>leaf+0:11"
	done
}
values 10 10 10 10 | recording c.data bare
values 11 12 13 14 | recording d.data bare
values 14 13 12 11 | recording e.data bare
values 10 20 | recording f.data bare
values 15 30 | recording g.data bare
values 7 | recording h.data bare
cycles --cycles-hist c.data d.data >rows
grep -q 'leaf+20\]  2  ± 25.8% █▃▁▃▁▃▁▃  bare' rows || fail "not the noise of 11 to 14: $(cat rows)"
cycles --cycles-hist c.data e.data | diff rows - || fail "the noise depends on the order of samples"
cycles --cycles-hist f.data g.data >rows # sqrt(25 + 56.25) / 7.5
grep -q 'leaf+20\]  7  ±120.2% ' rows || fail "not the noise of 10 20 and 15 30: $(cat rows)"
cycles --cycles-hist e.data d.data >rows
grep -q 'leaf+20\]  0  bare' rows || fail "noise without a difference: $(cat rows)"
cycles --cycles-hist c.data h.data >rows
grep -q 'leaf+20\]  -3  bare' rows || fail "noise of one value: $(cat rows)"

# ---- what cannot be compared, in one line ----
expect_status 1 "$PERF" diff --cycles-hist a.data b.data
expect_line err "perf: error: --cycles-hist is for -c cycles"
expect_status 1 "$PERF" diff -c cycles -s comm a.data b.data
expect_lines err 1
if "$PERF" record -q -o plain.data -e cpu-clock:u true 2>/dev/null; then
	for pair in "a.data plain.data" "plain.data a.data"; do
		# shellcheck disable=SC2086
		expect_status 1 "$PERF" diff -c cycles $pair
		expect_line err "perf: error: -c cycles: 'plain.data' has no branch stacks; record with -b to have them"
	done
fi

recording still.data bare <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:0 inner+30>leaf+0:0
SAMPLES
recording none.data bare </dev/null
head -c 1500 a.data >cut.data
for options in "-c cycles" --stream --stock; do # no rows at all
	# shellcheck disable=SC2086
	expect_status 0 "$PERF" diff $options none.data none.data
done
for pair in "a.data BAD" "BAD a.data"; do
	# shellcheck disable=SC2046
	{
		expect_status 0 "$PERF" diff -c cycles $(echo "$pair" | sed s/BAD/still.data/)
		expect_lines err 1
		expect_line err "perf: warning: 'still.data' has no cycles of branches in known functions: not all processors count them"
		expect_status 0 "$PERF" diff -c cycles $(echo "$pair" | sed s/BAD/none.data/)
		expect_lines err 1
		expect_line err "perf: warning: 'none.data' has no samples of 'cycles:uh'"
		expect_status 1 "$PERF" diff -c cycles $(echo "$pair" | sed s/BAD/cut.data/)
		expect_lines err 1
		expect_text err "'cut.data': the file ends at offset 1500"
	}
done
