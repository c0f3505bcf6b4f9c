# perf stat: why a number is missing is said for people, on a terminal and with -v, and never to scripts
. "$PERF_SRC/tests/lib.sh"
"$PERF" stat -x, -e page-faults:u true 2>probe || skip "cannot count here: $(head -n 1 probe)"

# A process that sleeps all the time
sleep 1000 &
process=$!
trap 'kill $process 2>/dev/null || :' EXIT
sleeps() { grep -q '^sleep' /proc/$process/comm && grep -q '^State:.S' /proc/$process/status; }
await sleeps || fail "sleep does not sleep"
reason='did not run'
expect_status 0 "$PERF" stat -v -e page-faults:u -p $process --timeout 20
expect_text err '<not counted>'
expect_text err "$reason"

silent() { # OPTION...: neither in the output nor in a file
	expect_status 0 "$PERF" stat "$@" -e page-faults:u -p $process --timeout 20
	cat out err >all
	[ ! -e file ] || cat file >>all
	expect_text all '<not counted>'
	! grep -q "$reason" all || fail "a script gets the reason: perf stat $*: $(cat all)"
	rm -f file
}
silent
silent -x,
silent -j
silent -o file
silent --log-fd 1
silent -v -x,
silent -v -j
silent -v -o file
silent -v --log-fd 1

# An event that this machine lacks, if there is one
for e in cycles:u node-prefetch-misses:u stalled-cycles-backend:u; do
	"$PERF" stat -x, -e $e true 2>probe || continue
	grep -q '^<not supported>' probe || continue
	expect_status 0 "$PERF" stat -v -e $e,page-faults:u true
	expect_text err '<not supported>'
	grep -q "^'$e'" err || fail "no reason for $e: $(cat err)"
	missing=$e
	break
done

need_terminal
on_terminal "'$PERF' stat -e page-faults:u -p $process --timeout 20"
expect_text screen "$reason"
if [ "$missing" ]; then
	on_terminal "'$PERF' stat -e $missing true"
	expect_text screen "'$missing'"
fi
on_terminal "'$PERF' stat -x, -e page-faults:u -p $process --timeout 20"
! grep -q "$reason" screen || fail "with -x: $(cat screen)"
