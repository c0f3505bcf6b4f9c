# perf report: inlined functions in call chains, source lines as keys
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc
case $(uname -m) in x86_64 | aarch64) ;; *) skip "stacks of $(uname -m) are not unwound" ;; esac

program prog progs/inlines -O2 -g -fno-optimize-sibling-calls
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 --call-graph dwarf -o a.data ./prog
report() {
	"$PERF" report --stdio -i a.data "$@" 2>err
}

# ---- call chains ----

# share PATTERN FILE: per cent of the samples whose folded chain matches
share() {
	awk -v pattern="$1" '/^[0-9.]+%/ { all += $1; if ($0 ~ pattern) n += $1 } END { print all ? int(100 * n / all) : 0 }' "$2"
}
expect_share() { # PATTERN LEAST FILE
	[ "$(share "$1" "$3")" -ge "$2" ] && return
	head -n 40 "$3"
	fail "$(share "$1" "$3")% of the chains are like '$1', expected $2%"
}
report --percent-limit 0 -g folded,0.0,caller --no-children -s comm >folded
# outer was called at the end of passes_on: behind the call is what follows in caller
expect_share 'main;caller;passes_on \(inlined\);outer' 60 folded
expect_share 'outer;middle \(inlined\);inner \(inlined\)$' 30 folded
expect_share 'main;another;inner \(inlined\)$' 1 folded
report --percent-limit 0 -g folded,0.0,caller --no-children -s comm --no-inline >plain
expect_share 'main;caller;outer$' 60 plain
if grep -q inlined plain; then fail "inlined functions with --no-inline"; fi

# Chains of return addresses: what is at the call counts, not what follows.
program framed progs/inlines -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls
expect_status 0 "$PERF" record -e cpu-clock:u -F 2000 --call-graph fp -o f.data ./framed
"$PERF" report --stdio -i f.data --percent-limit 0 -g folded,0.0,caller --no-children -s comm >framed.folded 2>err
expect_share 'main;caller;passes_on \(inlined\);outer' 60 framed.folded

# From the inside out a function is one wherever it was inlined; as rows it is not, as in stock perf.
report -g caller,0 --children -s sym >children
[ "$(grep -c '^ .*\[\.\] inner (inlined)' children)" = 2 ] || { cat children && fail "not two rows of inner"; }
report -g callee,0 --no-children -s comm >callee
[ "$(grep -c -e '--[0-9.]*%--inner (inlined)' callee)" = 1 ] || { cat callee && fail "not one branch of inner"; }

# Where time was spent is the function that has the code.
report --no-children -g none -s sym -F overhead,sym >self
grep -q '\[\.\] outer *$' self || { cat self && fail "no row of outer"; }
if grep -q inlined self; then fail "time of its own for an inlined function"; fi
report --no-children -g caller,0,address -s comm >address
line=$(grep -n 'outer(n);' "$PERF_SRC/tests/progs/inlines.c" | cut -d: -f1)
expect_text address "passes_on inlines.c:$line (inlined)"
report --no-children -g caller,0,srcline -s comm >srcline
expect_text srcline "passes_on inlines.c:$line (inlined)"

# ---- source lines ----

report --no-children -g none -s sym,srcline >lines
grep -q '\[\.\] outer  *inlines\.c:[0-9]* *$' lines || { cat lines && fail "no lines of outer"; }
report --no-children -g none -s srcfile --full-source-path >files
expect_text files "$(readlink -f "$PERF_SRC")/tests/progs/inlines.c"

# The same from the addresses of the samples and elfutils' program.
need_command eu-addr2line readelf
set -- $("$PERF" report -D -i a.data 2>/dev/null |
	sed -n 's/.*MMAP2 .*: \[0x\([0-9a-f]*\)(0x\([0-9a-f]*\)) @ \(0x[0-9a-f]*\|0\) .*: r-xp .*\/prog$/0x\1 0x\2 \3/p' | head -n 1)
[ $# = 3 ] || fail "no map of the program"
start=$(($1)) end=$(($1 + $2)) pgoff=$(($3))
set -- $(readelf -lW prog | awk '$1 == "LOAD" && / R E / { print $2, $3 }')
bias=$(($2 - $1))
"$PERF" report -D -i a.data 2>/dev/null |
	sed -n 's/.*PERF_RECORD_SAMPLE(IP, 0x[0-9a-f]*): [0-9/]*: \(0x[0-9a-f]*\) .*/\1/p' >ips
while read -r ip; do
	[ $((ip)) -lt $start ] || [ $((ip)) -ge $end ] || printf '0x%x\n' $((ip - start + pgoff + bias))
done <ips >vaddrs
[ -s vaddrs ] || fail "no samples of the program"
eu-addr2line -e prog <vaddrs | sed 's/.*\///; s/:[0-9]*$//' | grep '^inlines' | sort | uniq -c |
	awk '{ print $1 "," $2 }' | sort >expected
report --no-children -g none -F sample,srcline -t, --dsos prog | tr -d ' ' | grep ',inlines' | sort >ours
diff expected ours || fail "other lines than eu-addr2line's"
