# perf record: another program truncates or removes the file: the error is told, the status is not 0, the command goes on
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
need_record

"$CC" -O1 -o ramp "$PERF_SRC/tests/progs/ramp.c" -pthread
for options in "" "-z" "--switch-output=100M" "--threads -C 0"; do
	# shellcheck disable=SC2086
	may_record $options -e page-faults || { echo "not tried: $options: $(head -n 1 probe.out)"; continue; }
	for how in ": >" "truncate -s 3000" "rm"; do
		rm -rf r.data* ended
		case $options in
		*threads*) file='$(ls -d r.data/data.* | head -n 1)' ;;
		*switch*) file='$(ls -d r.data* | head -n 1)' ;;
		*) file=r.data ;;
		esac
		# Records are in the file before and come after it: rings are drained twice a second.
		# shellcheck disable=SC2086
		expect_status 1 "$PERF" record $options -e page-faults -c 1 -o r.data \
			sh -c "./ramp 3000 0; sleep 0.7; $how $file; ./ramp 3000 0; sleep 0.7; ./ramp 3000 0; echo ended >ended"
		case "$options:$how" in
		*threads*) expect_text err "cannot write 'r.data': another program removed or truncated it" ;;
		*:rm) expect_text err "it was removed while it was recorded" ;;
		*) expect_text err "another program truncated it while it was recorded" ;;
		esac
		[ "$(grep -c 'perf: error:' err)" = 1 ] || fail "$options, $how: not one error: $(cat err)"
		[ -e ended ] || fail "$options, $how: the command was ended"
	done
done
