# perf record of programs and libraries that are damaged: the recorder ends as it should, and its file is good
# timeout: 300
#
# The recorder reads the binaries that its samples hit: call frame information while it runs (-g), symbols and debug
# information at the end. tests/progs/damaged.c changes bytes of everything but the code, so that the code still runs.
. "$PERF_SRC/tests/lib.sh"
need_record
need_command nm readelf objcopy
copies=60
# With sanitizers: libelf (0.188) copies sections that are not aligned, and does not free the copies of a mapped file.
printf "leak:elf_rawdata\nleak:elf_strptr\nleak:elf_getdata\nleak:dwelf_elf_gnu_build_id\n" >libelf.leaks
export ASAN_OPTIONS="fast_unwind_on_malloc=0" LSAN_OPTIONS="suppressions=$PWD/libelf.leaks:print_suppressions=0"

cat >spin.c <<'C'
/* No calls out of this file and nothing to relocate: it is mapped by hand. */
static unsigned long long now(void)
{
	long ts[2];
	long ret;
#if defined(__x86_64__)
	__asm__ volatile("syscall" : "=a"(ret) : "0"(228L), "D"(1L), "S"(ts) : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = 113, x0 __asm__("x0") = 1, x1 __asm__("x1") = (long)ts;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	ret = x0;
#endif
	return ret ? ~0ull : (unsigned long long)ts[0] * 1000000000 + (unsigned long long)ts[1];
}
__attribute__((noipa)) static int inner(unsigned long long end)
{
	volatile int n = 0;
	while (now() < end)
		for (int i = 0; i < 2000; i++) n++;
	return n;
}
__attribute__((noipa)) static int outer(unsigned long long end) { return inner(end) + 1; }
__attribute__((visibility("default"))) int spin(unsigned long long end) { return outer(end) + 1; }
C
cat >brief.c <<'C'
#include <time.h>
static volatile long sink;
__attribute__((noipa)) static void work(void) { for (int i = 0; i < 3000; i++) sink += i; }
int main(void) { while (clock() < CLOCKS_PER_SEC / 200) work(); return 0; }
C
case $(uname -m) in x86_64 | aarch64) ;; *) skip "the code that is mapped by hand is for other processors" ;; esac
program damaged progs/damaged -O1
flags="-O1 -g -gdwarf-4 -fomit-frame-pointer -Wl,--build-id=sha1"
# shellcheck disable=SC2086
"$CC" $flags -fPIC -shared -nostdlib -Wl,-z,noseparate-code -o spin.so spin.c
# shellcheck disable=SC2086
"$CC" $flags -o brief brief.c

# section FILE NAME: begin and end of it in the file
section() {
	readelf -SW "$1" | sed 's/^ *\[ *[0-9]*\] *//' | awk -v name="$2" '$1 == name { print "0x" $4, "0x" $5 }' | {
		read -r offset_ size_
		echo $((offset_)) $((offset_ + size_))
	}
}
spin=0x$(nm spin.so | awk '$3 == "spin" { print $1 }')
objcopy --only-keep-debug spin.so spin.debug
objcopy --add-gnu-debuglink=spin.debug spin.so
build_id=$(readelf -n spin.so | sed -n 's/.*Build ID: //p')
debug_place=$HOME/.debug/.build-id/$(echo "$build_id" | cut -c 1-2)/$(echo "$build_id" | cut -c 3-)
text=$(section spin.so .text)
[ "${text#* }" -gt "$((spin))" ] || fail "the code of spin.so is not where it should be: $text, $spin"
mkdir -p "$debug_place"

# of what is executed, all that is loaded stays: damage to it ends the program before there is anything to record
loaded_end=$(readelf -lW brief | awk '$1 == "LOAD" { print $2, $5 }' | while read -r o s; do echo $((o + s)); done | sort -n | tail -n 1)

# expect_good FILE PLACES: a recording of at least so many of ./damaged.N, which every kind of report shows
expect_good() {
	expect_status 0 "$PERF" report -D -i "$1"
	grep -q PERF_RECORD_FINISHED_INIT out || fail "$1 is not whole"
	places_=$(grep -o 'PERF_RECORD_MMAP.*/damaged\.[0-9]*' out | sed 's/.*damaged/damaged/' | sort -u | wc -l)
	[ "$places_" -ge "$2" ] || fail "maps of $places_ damaged binaries, expected $2"
	expect_status 0 "$PERF" report --stdio -i "$1"
	grep -q '%.*inner\|%.*work' out || fail "no function of the binary without damage: $(cat out)"
	expect_status 0 "$PERF" report --stdio -s dso,sym,srcline -i "$1"
}

for seed in 1 2; do
	./damaged copy spin.debug "$debug_place/debug" 0 64 $seed
	for how in -g '--call-graph dwarf' '--call-graph fp -z'; do
		rm -f damaged.[0-9]*
		# shellcheck disable=SC2086
		expect_status 0 timeout 600 "$PERF" record $how -F 2000 -e cpu-clock:u -o m.data ./damaged map spin.so $spin $text $seed $copies
		expect_good m.data $copies
		"$PERF" report --stack-stats -i m.data >stats
		# where the damaged tables say nothing, the code tells where the caller is
		[ "$how" != -g ] || grep -q ' [1-9][0-9]* \(stopped for lack of call frame\|at addresses\|at frames\)' stats ||
			fail "the damage does no harm: $(cat stats)"
		rm -f damaged.[0-9]*
		# shellcheck disable=SC2086
		expect_status 0 timeout 600 "$PERF" record $how -F 2000 -e cpu-clock:u -o x.data ./damaged exec brief 0 "$loaded_end" $seed 20
		expect_good x.data 20
	done
done
