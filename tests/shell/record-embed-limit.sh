# stored code: 256 KiB or a twentieth of the file if that is more, of the functions that were hit most
. "$PERF_SRC/tests/lib.sh"
own_folder
need_command "${CC:-cc}" awk nm
"$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' || skip "perf was built without libcapstone"

# 1,000 functions of 1,000 bytes, which need not run. Function N is hit N % 8 + 1 times.
awk 'BEGIN { for (i = 0; i < 1000; i++)
	printf ".globl f%d\n.type f%d, %%function\nf%d:\n.fill 1000, 1, %d\n.size f%d, 1000\n", i, i, i, i % 256, i }' >f.s
"${CC:-cc}" -shared -nostdlib -Wl,--build-id -o f.so f.s || skip "no assembler"
program samples stacks/samples -O1
nm f.so | awk '$3 ~ /^f[0-9]+$/ { print $1, substr($3, 2) }' | while read -r address n; do
	echo "$((0x$address)) $n"
done | awk '{ for (i = 0; i <= $2 % 8; i++) print $1 }' >once
[ "$(wc -l <once)" = 4500 ] || fail "other functions: $(nm f.so | head)"

check() { # WHAT FILE FUNCTIONS: so many are stored, and they are those with most hits
	"$PERF" inject -b -i "$2" -o ids.data
	expect_status 0 "$PERF" inject --embed -i ids.data -o in.data
	"$PERF" report --header-only -i in.data | grep '^# embedded code' >head
	grep -q ": $3"'000 bytes of '"$3 functions of 1 binaries, .*; $((1000 - $3)) seldom hit functions left out\$" head ||
		fail "$1: $(cat head)"
	"$PERF" annotate -n --no-source --symfs "$dir/nowhere" -i in.data >text 2>err || :
	# hits of each function, and 1 if its code is stored; a note above the name says if not
	awk '/no instructions/ { without = 1; next } /<f[0-9]*>:$/ { sub(/.*<f/, ""); print ($1 + 0) % 8 + 1, !without; without = 0 }' text |
		sort -rn >stored
	[ "$(wc -l <stored)" = 1000 ] || fail "$1: functions are missing"
	[ "$(awk '$2' stored | wc -l)" = "$3" ] || fail "$1: $(awk '$2' stored | wc -l) functions with code"
	least=$(awk '$2 { print $1 }' stored | sort -n | head -n 1)
	[ "$(awk -v least="$least" '$1 > least && !$2' stored | wc -l)" = 0 ] || fail "$1: functions that were hit more often are left out"
}

./samples f.so <once >small.data
check "a small file" small.data 262
awk '{ line[NR] = $0 } END { for (k = 0; k < 100; k++) for (i = 1; i <= NR; i++) print line[i] }' once | ./samples f.so >large.data
"$PERF" inject -b -i large.data -o ids.data
nr=$(($(wc -c <ids.data) / 20 / 1000))
[ $nr -gt 300 ] || fail "a twentieth of the large file is $nr functions"
check "a large file" large.data $nr
