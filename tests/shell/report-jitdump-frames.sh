# perf report: call chains of code that Node.js compiled, by the call frame information in its jitdump
# timeout: 180
. "$PERF_SRC/tests/lib.sh"
need_record
need_command node
[ "$(uname -m)" = x86_64 ] || skip "stack copies of JIT code are known for x86-64"
own_folder
node --perf-prof --perf-prof-unwinding-info -e 0 >/dev/null 2>&1 || skip "node does not write jitdumps"
rm -f jit-*.dump
cat >calls.js <<'END'
function leaf_code(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s }
function mid_code(n) { return leaf_code(n) + leaf_code(n / 2 | 0) + 1 }
function top_code(n) { return mid_code(n) + mid_code(n) + 2 }
let x = 0;
for (let i = 0; i < 15000; i++) x ^= top_code(5000);
END

whole() { # FILE: per cent of chains that are complete
	"$PERF" report --stack-stats -i "$1" >stats 2>err || fail "report: $(cat err)"
	sed -n 's/.* \([0-9]*\)\.[0-9]% complete.*/\1/p' stats
}

"$PERF" record --no-embed -k mono --call-graph dwarf -e cpu-clock:u -F 500 -o p.data \
	node --perf-prof --perf-prof-unwinding-info --no-turbo-inlining calls.js >record.out 2>&1
"$PERF" script -F ip,sym -i p.data >chains 2>err
awk '!NF { if (c ~ /^leaf_code /) n++
	   if (c ~ /^leaf_code (mid_code|InterpreterEntry) (top_code|InterpreterEntry) /) right++; c = ""; next }
	{ sub(/^[ \t]*[0-9a-f]+ +/, ""); match($0, /[a-z]+_code|InterpreterEntry/) # callers are compiled a little later
	  c = c (RSTART ? substr($0, RSTART, RLENGTH) : "-") " " }
	END { print n + 0, right + 0; exit !(n > 200 && right * 100 >= n * 99) }' chains >count ||
	fail "chains of leaf_code, and of those with its callers: $(cat count)"
[ "$(whole p.data)" -ge 90 ] || fail "complete: $(cat stats)"

# perf inject --jit writes it into its files, which need no dump
"$PERF" inject --jit -i p.data -o j.data 2>err || fail "inject: $(cat err)"
mkdir away && mv jit-*.dump away
[ "$(whole j.data)" -ge 90 ] || fail "complete by the files of inject: $(cat stats)"
mv away/jit-*.dump .

# Without the dump, the code cannot be read: chains are found at most
rm jit-*.dump
[ "$(whole p.data)" -lt 50 ] || fail "complete without the dump: $(cat stats)"
