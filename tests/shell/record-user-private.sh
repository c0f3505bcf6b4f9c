# perf record -u as this user: processes that only root may look at are left out, and told
. "$PERF_SRC/tests/lib.sh"
nobody_id=$((61000 + $$ % 4000)) # whose processes are those of this test
need_nobody
need_command cc
cat >private.c <<'C'
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	if (argc > 1)
		prctl(PR_SET_DUMPABLE, 0);
	puts("ready");
	fflush(stdout);
	for (;;)
		if (argc > 1)
			pause();
}
C
cc -O1 -o "$dir/private" private.c
nobody ./perf record -q -e cpu-clock:u -o n.data true >out 2>&1 || skip "this user cannot record: $(head -n 1 out)"
pids=
trap 'kill $pids 2>/dev/null || :; rm -rf "$dir"' EXIT
for how in "" hidden; do
	setpriv --reuid "$nobody_id" --regid "$nobody_id" --clear-groups --inh-caps=-all --bounding-set=-all "$dir/private" $how >said &
	pids="$pids $!"
	await grep -q ready said || fail "no program"
done
expect_status 0 nobody ./perf record -e cpu-clock:u -u "$nobody_id" -o u.data sleep 0.5
expect_text err "1 of"
expect_text err "processes of user $nobody_id cannot be recorded"
"$PERF" report --stdio -g none -i "$dir/u.data" >report 2>err || fail "$(cat err)"
expect_text report private
