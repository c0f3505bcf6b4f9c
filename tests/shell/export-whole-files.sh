# perf export: on a full disk, after Ctrl-C, and when its reader goes away, no half file has the final name
# timeout: 120
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc

program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 5000 -e cpu-clock:u -o a.data ./prog 200
for suffix in folded jsonl speedscope.json firefox.json otlp pb.gz perf.json jsonl.gz; do
	"$PERF" export -i a.data -o "a.$suffix"
	"$PERF" export -i a.data -o "b.$suffix"
	cmp "a.$suffix" "b.$suffix" || fail "$suffix: other bytes of the same recording"
done

# ---- a reader that goes away ----
for format in folded jsonl speedscope firefox otlp pprof; do
	"$PERF" export -i a.data --format $format 2>err | head -c 10 >head || :
	[ "$(wc -c <head)" = 10 ] || fail "$format: nothing for the reader"
	sed -i '/lost samples are not marked/d' err # of a user whose other recordings use up the locked memory
	[ ! -s err ] || fail "$format: $(cat err)"
	# Python's subprocess and others leave SIGPIPE ignored.
	{ (trap '' PIPE; "$PERF" export -i a.data --format $format 2>err; echo $? >status) | :; } || :
	case $(cat status) in
	0) ;; # it was all in the pipe
	1) expect_text err "cannot write to standard output" ;;
	*) fail "$format: status $(cat status) without a reader" ;;
	esac
done

# ---- Ctrl-C, while the export waits for its input; the old file stays ----
mkdir stopped
echo old >stopped/a.jsonl
mkfifo input
# A shell starts background jobs with SIGINT ignored; env does not.
env --default-signal=INT "$PERF" export -i - -o stopped/a.jsonl <input 2>err &
pid=$!
{ head -c 20000 a.data; sleep 0.5; kill -INT $pid; sleep 0.2; } >input || :
status=0
wait $pid || status=$?
[ $status = 130 ] || fail "status $status after Ctrl-C: $(cat err)"
[ "$(cat stopped/a.jsonl)" = old ] && [ "$(ls -A stopped)" = a.jsonl ] || fail "after Ctrl-C: $(ls -lA stopped)"

# ---- a full disk ----
cat >full.sh <<'END'
mount -t tmpfs -o size=64k none full || exit 77
echo old >full/a.jsonl
"$PERF" export -i a.data -o full/a.jsonl 2>err && echo "status 0"
"$PERF" export -i a.data -o full/b.perf.json 2>>err
head -c 30000 /dev/zero >full/c # what the export left must be free again
[ "$(cat full/a.jsonl)" = old ] && [ "$(ls -A full | tr '\n' ' ')" = "a.jsonl c " ] || ls -lA full
END
mkdir full
status=0
unshare -m sh full.sh >said 2>&1 || status=$?
[ $status = 0 ] || skip "a full disk needs a tmpfs: $(cat said)"
[ ! -s said ] || fail "on a full disk: $(cat said)"
expect_text err "cannot write 'full/a.jsonl': No space left on device"
