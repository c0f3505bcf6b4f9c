# perf diff: waits count for the function that waits, and a line says that they were not compared
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc python3
cat >naps.c <<'END'
#include <unistd.h>

__attribute__((noinline)) static void nap(void)
{
	usleep(2000);
}

int main(void)
{
	for (volatile int i = 0; i < 40; i++)
		nap();
	for (volatile long i = 0; i < 30000000; i++)
		;
	return 0;
}
END
cc -O1 -g -o naps naps.c
for i in 1 2; do
	"$PERF" record -q -g -e cpu-clock:u --off-cpu -o waits.$i ./naps || skip "--off-cpu cannot be used"
done
expect_status 0 "$PERF" diff waits.1 waits.2
expect_text err "waits were not compared: type -e offcpu-time"
expect_status 0 "$PERF" diff -e cpu-clock:u waits.1 waits.2
! grep "waits were not compared" err || fail "the user chose the event"
expect_status 0 "$PERF" diff --json -e offcpu-time waits.1 waits.2
! grep "waits were not compared" err || fail "waits were compared"
python3 - <<'PY'
import json
rows = json.load(open("out"))["functions"]
most = max(rows, key=lambda r: r["self"]["old"])
# the C library's function, or the caller where it is inlined; a user may not know the kernel's names
assert "sleep" in most["function"] or most["function"] in ("nap", "[unknown]"), most
assert not most["function"].startswith(("schedule", "do_nanosleep", "hrtimer")), most
assert most["self"]["old"] > 40 * 1.5e6, most
PY
