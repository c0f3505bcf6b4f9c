# perf report: names of the vdso's functions, from this process's own if that is the recorded one
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc dd
cat >clock.c <<'EOF'
#include <time.h>
int main(void)
{
	struct timespec t, end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	do {
		for (int i = 0; i < 10000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (t.tv_sec - end.tv_sec + (t.tv_nsec - end.tv_nsec) / 1e9 < 0.5);
	return 0;
}
EOF
gcc -O1 -o clock clock.c
"$PERF" record --no-embed -o p.data -e cpu-clock:u ./clock >record.out 2>&1
names() {
	"$PERF" report -v --stdio -g none -F sym --dsos '[vdso]' -i p.data >out 2>err || fail "report: $(cat err)"
}
names
grep -q '^  ' out || skip "the clock is not read in the vdso here"
grep -q 'gettime\|vdso_' out || { cat out && fail "no names"; }

# Another kernel's: one byte of its build-id in the file is another.
id=$("$PERF" buildid-list -i p.data | sed -n 's/ \[vdso\]$//p')
[ -n "$id" ] || fail "no build-id of the vdso"
pattern=$(echo "$id" | sed 's/../\\x&/g')
places=$(LC_ALL=C grep -obUaP "$pattern" p.data | cut -d : -f 1)
[ -n "$places" ] || skip "grep finds no bytes here"
for at in $places; do
	printf '\001\002\003' | dd of=p.data bs=1 seek="$at" conv=notrunc 2>/dev/null
done
names
! grep -q 'gettime\|vdso_' out || { cat out && fail "names of another build"; }
expect_text err "the recorded [vdso] is another kernel's"
