# perf annotate: code of another processor, of JIT compilers, of damaged files
. "$PERF_SRC/tests/lib.sh"
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"

# ---- arm64, annotated on any machine (report-arm64.sh says how the recording was made) ----

from=$PERF_SRC/tests/data/arm64-stacks
gzip -dc "$from/perf.data.gz" >arm.data
mkdir -p root/tmp
cp "$from/stacks" root/tmp/
expect_status 0 "$PERF" annotate -n -i arm.data --symfs root leaf
sed -n 's/^ *\([0-9]*\) : *\([0-9a-f]*\):   \(.*\)/\1 \2 \3/p' out >code
# from objdump -d; 64 samples are at the load
cat >expected <<'END'
0 4001e0 hint   #0x22
0 4001e4 movz   x4, #0x86a0
0 4001e8 movz   x1, #0
0 4001ec adrp   x3, #0x41f000
0 4001f0 movk   x4, #0x1, lsl #16
0 4001f4 nop
64 4001f8 ldr    x2, [x3, #0xfe8]        # 41ffe8 <sink>
0 4001fc lsl    x0, x2, #3
0 400200 sub    x0, x0, x2
0 400204 add    x0, x0, x1
0 400208 add    x1, x1, #1
0 40020c str    x0, [x3, #0xfe8]        # 41ffe8 <sink>
0 400210 cmp    x1, x4
0 400214 b.ne   4001f8 <leaf+0x18>        # loop from 4001f8
0 400218 ret
END
# Capstone 5 has the names bti and mov, and small numbers are decimal.
sed -e 's/#1, lsl/#0x1, lsl/' -e 's/bti    c$/hint   #0x22/' -e 's/ mov    \(x[0-9], #\)/ movz   \1/' code | diff expected - || fail "other instructions of arm64"

# Bytes that are no instruction: they are shown, and those after them are right.
printf '\377\377\377\377' | dd of=root/tmp/stacks bs=1 seek=$((0x1f8)) conv=notrunc 2>/dev/null
expect_status 0 "$PERF" annotate -n -i arm.data --symfs root leaf
grep -q '^ *64 :   4001f8:   ff ff ff ff  *(unknown)$' out || { cat out && fail "no bytes"; }
sed -n 's/^ *\([0-9]*\) : *\([0-9a-f]*\):   \(.*\)/\1 \2 \3/p' out | sed -n '8,$p' >code
sed -n '8,$p' expected | diff code - || fail "other instructions after an unknown one"

# A file that is cut off has no symbols.
truncate -s 496 root/tmp/stacks
expect_status 1 "$PERF" annotate -n -i arm.data --symfs root
expect_text err "no samples in functions"

# ---- a recording of stock perf, whose programs are below another folder ----

stock=$(command -v perf || :)
if [ -n "$stock" ] && [ "$(readlink -f "$stock")" != "$(readlink -f "$PERF")" ] && command -v gcc >/dev/null; then
	mkdir -p "else$PWD"
	cat >spin.c <<-'C'
		volatile unsigned long sum;
		int main(void) { for (unsigned long i = 0; i < 400000000; i++) sum += i * 31; return 0; }
	C
	gcc -O1 -g -Wl,--build-id -o spin spin.c
	if "$stock" record -o s.data -e cpu-clock:u -F 500 -B ./spin >stock.out 2>&1; then
		"$PERF" annotate -i s.data main >want
		mv spin spin.c "else$PWD"
		expect_status 0 "$PERF" annotate -i s.data --symfs else main
		diff want out || fail "other text of a recording of stock's with --symfs"
		expect_text out 'sum += i * 31'
		grep -q ': *[0-9a-f]*: *ret' out || { cat out && fail "no code of a recording of stock's"; }
	fi
fi

# ---- a jitdump ----

need_record
need_command gcc
case $(uname -m) in x86_64 | aarch64) ;; *) exit 0 ;; esac
program jit progs/jit -O1
"$PERF" record --no-embed -k mono -o p.data -e cpu-clock:u -F 1000 ./jit dump "$PWD" >record.out 2>&1
expect_status 0 "$PERF" annotate -n -i p.data first_code
[ "$(uname -m)" != x86_64 ] || expect_text out "ret"
if grep -q -e 'no instructions' -e 'where no instruction begins' out; then fail "no code: $(cat out)"; fi
rm jit-*.dump
expect_status 1 "$PERF" annotate -n -i p.data first_code
