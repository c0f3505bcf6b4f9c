# 32-bit programs on x86-64: call chains, the names, code and build-id of their vdso, beside 64-bit programs
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}"
[ "$(uname -m)" = x86_64 ] || skip "only x86-64 has such programs"
echo 'void _start(void) { }' >probe.c
"${CC:-cc}" -m32 -nostdlib -static -o probe probe.c 2>cc.err || skip "no 32-bit programs can be built: $(head -n 1 cc.err)"
program prog32 progs/i386 -m32 -nostdlib -static -O2 -fomit-frame-pointer -fno-pie -no-pie -fno-stack-protector
program prog64 progs/stacks -O2 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread
./prog32 >vdso32 || skip "the kernel runs no 32-bit programs"
cp prog32 stripped
strip stripped

# The calls are known by construction. chains FILE PROGRAM: prints each chain of functions, the leaf first
chains() {
	"$PERF" script -i "$1" --comms "$2" -F comm,ip,sym --no-inline 2>script.err |
		awk '/^[^ \t]/ { if (c) print c; c = "" } /^[ \t]+[0-9a-f]/ { c = c $2 " " } END { if (c) print c }'
}

judge() { # FILE PROGRAM
	chains "$1" "$2" >chains
	sort chains | uniq -c | sort -rn >counted
	[ "$(wc -l <chains)" -ge 50 ] || fail "$1: few chains: $(cat counted)"
	grep -q '^leaf mid top run _start $' chains || fail "$1: no chain from leaf: $(cat counted)"
	! grep -Evx '((leaf )?(mid )?top |(__kernel_vsyscall )?enters )?(run )?_start ' chains || fail "$1: $(cat counted)"
}

mostly_complete() { # in out
	awk '/^Call chains:/ { for (i = 1; i <= NF; i++) if ($i ~ /%$/) exit $i + 0 < 98 } ' out || fail "$(head -n 3 out)"
}

expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -o a.data ./prog32
judge a.data prog32
expect_status 0 "$PERF" report --stack-stats -i a.data
mostly_complete
expect_status 0 "$PERF" record --call-graph dwarf,4096 -e cpu-clock:u -F 2000 -o d.data ./prog32
judge d.data prog32
expect_status 0 "$PERF" report --stack-stats -i d.data
mostly_complete
# without symbols: the same frames, whatever they are called
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -o s.data ./stripped
expect_status 0 "$PERF" report --stack-stats -i s.data
mostly_complete

# ---- both kinds in one recording ----
expect_status 0 "$PERF" record -g -e cpu-clock:u -F 2000 -o both.data sh -c './prog32 >vdso32 & ./prog64 200; wait'
judge both.data prog32
chains both.data prog64 >chains
grep -q ' main .*_start $' chains || fail "no chain of the 64-bit program: $(sort chains | uniq -c | sort -rn | head)"
"$PERF" report --stdio -g none -s comm,dso -i both.data >out 2>err || fail "$(cat err)"
if grep 'prog64 .*\[vdso32\]' out; then fail "a 64-bit program in the vdso of 32-bit ones"; fi
if grep 'prog32 .*\[vdso\]' out; then fail "a 32-bit program in the vdso of 64-bit ones"; fi

# ---- its vdso ----
[ -s vdso32 ] || skip "32-bit programs have no vdso here"
id=$(readelf -n vdso32 2>/dev/null | sed -n 's/.*Build ID: //p')
"$PERF" report --stdio -g none --no-children -s dso,sym -i a.data >out 2>err || fail "$(cat err)"
grep -q '\[vdso32\] *\[\.\] __kernel_vsyscall' out || fail "the vdso has no names: $(cat out)"
"$PERF" buildid-list -i both.data >out
[ -z "$id" ] || grep -q "^$id \[vdso32\]$" out || fail "another build-id than $id: $(cat out)"
# stock perf reads the same table
need_stock
"$STOCK" buildid-list -i both.data 2>/dev/null | grep vdso | sort >stock
grep vdso out | sort | diff - stock || fail "stock perf reads other build-ids"
if "$STOCK" record -q --call-graph dwarf,4096 -e cpu-clock:u -F 2000 -o stock.data ./prog32 >stock.out 2>&1; then
	judge stock.data prog32
fi
"$PERF" annotate --stdio -i a.data __kernel_vsyscall >out 2>err || skip "no disassembler: $(cat err)"
grep -q 'push *%ecx' out || grep -q 'push  *ecx' out || fail "not the code of 32-bit programs: $(cat out)"
