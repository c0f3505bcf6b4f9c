# perf diff -c cycles and --cycles-hist as stock perf 7.x, where it is right: functions with samples and the same blocks in both
. "$PERF_SRC/tests/lib.sh"
own_folder # stock perf has no symbols for programs in /tmp/perf-*
need_stock
need_command "${CC:-cc}" python3 nm
[ "$(uname -m)" = x86_64 ] || skip "the program has a fixed address on x86-64"
program prog progs/blocks -O1 -g -fno-omit-frame-pointer -no-pie
recording() { # OUTPUT: with the samples of standard input
	python3 "$PERF_SRC/tests/progs/branch_stacks.py" "$1" prog
}
values() { # CYCLES...
	for n; do
		echo "1 1000 leaf+4 leaf+20>leaf+4:$n inner+30>leaf+0:11"
	done
}
values 10 10 10 10 | recording c.data
values 11 12 13 14 | recording d.data
program trace progs/trace_branches -O1
program traced progs/blocks -O1 -g -fno-omit-frame-pointer -no-pie -DTRACED
recording x.data <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:5 leaf+20>leaf+4:7 inner+30>leaf+0:11
5 1000 inner+4 leaf+21>inner+31:3 inner+30>leaf+0:11
5 1000 idle+2 idle+9>inner+0:40 main+9>idle+0:10
4 1000 main+2 main+9>idle+0:10
SAMPLES
recording y.data <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:9 leaf+20>leaf+4:12 inner+30>leaf+0:11
3 1000 inner+4 leaf+21>inner+31:30 inner+30>leaf+0:13
9 1000 idle+2 idle+9>inner+0:41 main+9>idle+0:900
1 1000 main+2 main+9>idle+0:10000
SAMPLES
./trace v.data 0 60 497 ./traced >out 2>&1 && ./trace w.data 0 60 301 ./traced >out 2>&1 || : # no single steps here
nr=0
for pair in "x.data y.data" "y.data x.data" "c.data d.data" "-S leaf,inner v.data w.data" "-S leaf,inner w.data v.data"; do # both sample these
	[ -e "${pair##* }" ] || continue
	for options in "" -p -q "-s symbol" "-d prog" "--percentage relative -C program"; do
		# shellcheck disable=SC2086
		"$STOCK" diff -c cycles $options $pair 2>/dev/null >stock || skip "stock perf's -c cycles ends with status $?"
		# shellcheck disable=SC2086
		expect_status 0 "$PERF" diff -c cycles $options $pair
		sed 's/ *$//' stock | LC_ALL=C sort >want
		sed 's/ *$//' out | LC_ALL=C sort | diff want - >differs || fail "not stock's rows: $options $pair: $(cat differs)"
		nr=$((nr + 1))
	done
done
[ "$nr" -ge 18 ] || fail "only $nr were compared"
# The noise is stock's where one recording does not vary, and the other has at most eight values.
"$STOCK" diff -c cycles --cycles-hist c.data d.data 2>/dev/null | sed -n 's/.*± *\([0-9.]*%\).*/\1/p' >want
"$PERF" diff -c cycles --cycles-hist c.data d.data | sed -n 's/.*± *\([0-9.]*%\).*/\1/p' | diff want - >out || fail "not stock's noise: $(cat out)"
