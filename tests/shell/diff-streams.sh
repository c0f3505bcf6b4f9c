# perf diff --stream: whole streams of branch stacks with their cycles and shares, as stock perf has them
. "$PERF_SRC/tests/lib.sh"
own_folder # stock perf has no symbols for programs in /tmp/perf-*
need_command "${CC:-cc}" python3 nm
[ "$(uname -m)" = x86_64 ] || skip "the program has a fixed address on x86-64"
program prog progs/blocks -O1 -g -fno-omit-frame-pointer -no-pie
recording() { # OUTPUT PROGRAM: with the samples of standard input
	python3 "$PERF_SRC/tests/progs/branch_stacks.py" "$@"
}
streams() {
	expect_status 0 "$PERF" diff --stream "$@"
	sed 's/ *$//' out
}

# ---- streams that begin alike: each is whole, with its own share and cycles ----
cp prog bare && strip -g bare
recording a.data bare <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:5 inner+30>leaf+0:11 main+9>inner+0:4
5 2000 leaf+4 leaf+20>leaf+4:9 inner+30>leaf+0:13 main+14>inner+0:6
5 2000 leaf+4 leaf+20>leaf+4:8 inner+30>leaf+0:14 main+14>inner+0:6
3 1000 inner+8 leaf+21>inner+8:20
7 1000 main+1
SAMPLES
recording b.data bare <<'SAMPLES'
10 1000 leaf+4 leaf+20>leaf+4:7 inner+30>leaf+0:11 main+9>inner+0:4
10 3000 main+2 leaf+21>inner+8:2 inner+30>leaf+0:1
SAMPLES
streams a.data b.data >found
tr -d ' ' <found | sed 's/\t/ /' >text
cat >want <<'TEXT'
[Matchedhotstreams]

hotchainpair1:
cycles:20,hits:30.30% cycles:22,hits:25.00%
--------------------------- --------------------------
leaf+4 leaf+4
leaf+20 leaf+20
leaf+0 leaf+0
inner+30 inner+30
inner+0 inner+0
main+9 main+9

[Hotstreamsinoldperfdataonly]

hotchain1:
cycles:27,hits:60.61%
--------------------------
leaf+4
leaf+20
leaf+0
inner+30
inner+0
main+14

hotchain2:
cycles:20,hits:9.09%
--------------------------
inner+8
leaf+21

[Hotstreamsinnewperfdataonly]

hotchain1:
 cycles:3,hits:75.00%
 --------------------------
 inner+8
 leaf+21
 leaf+0
 inner+30
TEXT
diff want text >out || fail "not these streams: $(cat out)"
streams a.data b.data --threads 3 | cmp found - || fail "other streams with three threads"
streams -S inner a.data b.data >only
grep -q 'leaf+4' only && fail "-S keeps samples in other functions: $(cat only)"

# ---- what cannot be compared ----
recording none.data bare <<'SAMPLES'
3 1000 main+1
SAMPLES
expect_status 0 "$PERF" diff --stream a.data none.data
expect_text out "cycles: 27, hits: 60.61%"
expect_status 1 "$PERF" diff --stream a.data b.data a.data
expect_lines err 1
if "$PERF" record -q -o plain.data -e cpu-clock:u true 2>/dev/null; then
	expect_status 1 "$PERF" diff --stream a.data plain.data
	expect_line err "perf: error: --stream: 'plain.data' has no branch stacks; record with -b to have them"
fi

# ---- stock perf: streams that begin in different lines, with source lines ----
need_stock
for k in 0 1 2 3 4 5 6; do
	echo "$((10 - k)) $((1000 + k)) inner+$((k * 9)) leaf+21>inner+$((k * 9)):$((k + 1)) inner+30>leaf+0:$((2 * k))"
done | recording x.data prog
for k in 0 1 2 3 4 5 6 7; do
	echo "$((k + 3)) $((1000 + 101 * k * k)) inner+$((k * 9)) leaf+21>inner+$((k * 9)):$((k + 2)) inner+30>leaf+0:$((3 * k))"
done | recording y.data prog
# the table has samples, not their branches
"$STOCK" diff x.data y.data 2>/dev/null | sed 's/ *$//' | LC_ALL=C sort >want
"$PERF" diff --stock x.data y.data | sed 's/ *$//' | LC_ALL=C sort | diff want - >out || fail "not stock's table: $(cat out)"
# 7.x adds up no cycles of branches at other addresses of the same lines.
without=
"$STOCK" --version | grep -q '^perf version 6\.1\.' || without='s/ *cycles: [0-9]*,//g'
for pair in "x.data y.data" "y.data x.data" "x.data x.data"; do
	# shellcheck disable=SC2086
	"$STOCK" diff --stream $pair 2>/dev/null | sed 's/ *$//' >stock
	grep -q 'hot chain pair 1' stock || skip "stock perf shows no streams: $(head -n 3 stock)"
	# shellcheck disable=SC2086
	streams $pair >found
	sed "$without" stock >want
	sed "$without" found | diff want - >out || fail "not stock's streams of $pair: $(cat out)"
done
