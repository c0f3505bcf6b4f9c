# Orders of functions: linkers place functions as the file says, without a warning, and the code in use takes fewer pages
. "$PERF_SRC/tests/pgo/lib.sh"
need ld.lld-19 lld-19
need ld.gold binutils
need_stepper

# 40 files of 20 functions of 1 KiB. In each file f3 calls the local function "own", and main calls the f3 of all files.
for file in $(seq 40); do
	{
		echo "static __attribute__((noinline)) long own(long n) { long s = n; while (n--) s += s >> 3 ^ n; return s; }"
		for i in $(seq 20); do
			echo "long f${file}_$i(long n) { __asm__ volatile(\".zero 1000, 0x90\"); return $([ "$i" = 3 ] && echo "own(n % 40) + 1" || echo "n + $i"); }"
		done
	} >part$file.c
done
{
	seq 40 | sed 's/.*/long f&_3(long n);/'
	echo "int main(int argc, char **argv) { long s = 0; (void)argv; for (long i = 0; i < (argc > 1 ? 3000 : 20); i++) {"
	seq 40 | sed 's/.*/s += f&_3(i);/'
	echo "} return s == 1; }"
} >main.c
# shellcheck disable=SC2046
$CC -O1 -c -ffunction-sections $(seq 40 | sed 's/.*/part&.c/') main.c

link() { # LINKER OPTION...
	# shellcheck disable=SC2086
	$CC -B"$PWD/$1" -fuse-ld="${1%-*}" -Wl,--build-id $2 -o "$1.out" ./*.o >log 2>&1 || fail "$1: $(cat log)"
	[ ! -s log ] || fail "$1 says: $(cat log)"
}
pages() { # PROGRAM: how many pages of code 90% of its samples are in
	expect_status 0 "$stepper" -p -n 50 -o pages.data "./$1"
	"$PERF" script -i pages.data -F ip --dsos "$1" 2>err | awk '{ nr[substr($1, 1, length($1) - 3)]++; sum++ }
		END { for (i in nr) print nr[i], sum }' | sort -nr | awk '{ part += $1; if (part >= 0.9 * $2) { print NR; exit } }'
}
placed() { # PROGRAM: our functions of the order file, by address; those of the C library's files share sections
	nm -n "$1" | awk 'NR == FNR { wanted[$1] = 1; next } $3 in wanted { if ($3 != last) print $3; last = $3 }' prof.order -
}
ours() {
	grep -xE 'main|own|f[0-9_]*'
}

for linker in lld-19 lld-14 gold-; do
	name=${linker%-} program_=$(command -v "ld.${linker%-}") || continue
	mkdir "$linker"
	ln -s "$program_" "$linker/ld.${linker%-*}"
	link "$linker"
	expect_status 0 "$stepper" -n 32 -o prof.data "./$linker.out"
	expect_status 0 "$PERF" export -i prof.data -o prof.order -d "$linker.out"
	grep -qx main prof.order && [ "$(grep -c '^f[0-9]*_3$' prof.order)" = 40 ] && [ "$(grep -cx own prof.order)" = 1 ] ||
		fail "functions are missing: $(cat prof.order)"
	before=$(pages "$linker.out")
	case $linker in
	lld*) link "$linker" "-Wl,--symbol-ordering-file=prof.order" ;;
	gold*)
		sed 's/^/.text*./' prof.order >prof.sections # names of sections, as patterns
		link "$linker" "-Wl,--section-ordering-file=prof.sections"
		;;
	esac
	placed "$linker.out" | ours >is
	ours <prof.order | diff - is >out || fail "$name: other order: $(cat out)"
	after=$(pages "$linker.out")
	figure "$name: 90% of the samples are in $before pages before, $after after"
	[ "$after" -lt "$before" ] || fail "$name: as many pages as before"
done
