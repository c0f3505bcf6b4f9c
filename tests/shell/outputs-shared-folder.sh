# Outputs in a folder that others may write: what another user put there (links, files, FIFOs, folders) is not written
# timeout: 300
. "$PERF_SRC/tests/lib.sh"
need_record
need_nobody
program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -e cpu-clock:u -o a.data ./prog 20
cp a.data b.data
sqlite=
"$PERF" export -i a.data -o probe.db 2>/dev/null && sqlite=yes

# Everything that writes a file whose name the user gives: the name's part after "commands", then its arguments
commands() { # OUTPUT
	cat <<C
record -e cpu-clock:u -o $1 true
record --switch-output=1s -e cpu-clock:u -o $1 true
inject -i a.data -o $1
merge -o $1 a.data b.data
report --html -o $1 -i a.data
diff --html=$1 a.data b.data
data convert --force --to-json $1 -i a.data
export --format folded -o $1 -i a.data
export --format pprof -o $1 -i a.data
C
	[ -z "$sqlite" ] || echo "export --format sqlite -o $1 -i a.data"
}

mkdir private
for mode in 777 1777; do # without the sticky bit, no setting of the kernel protects
	shared=$PWD/shared-$mode
	mkdir "$shared"
	chmod $mode "$shared"
	commands "$shared/out" >list
	while read -r args; do
		for kind in dangling existing; do
			rm -rf "$shared/out"* private/target
			[ $kind = dangling ] || : >private/target
			ln -s "$PWD/private/target" "$shared/out"
			chown -h "$nobody_id" "$shared/out"
			# shellcheck disable=SC2086
			expect_status 1 "$PERF" $args
			expect_text err "cannot write '$shared/out': the link '$shared/out' belongs to another user (id $nobody_id)"
			[ $kind = existing ] || [ ! -e private/target ] || fail "the target of a $kind link was created: perf $args"
			[ ! -s private/target ] || fail "the target of a $kind link was written: perf $args"
		done
		# One's own link is followed.
		rm -rf "$shared/out"* private/target
		ln -s "$PWD/private/target" "$shared/out"
		# shellcheck disable=SC2086
		expect_status 0 "$PERF" $args
		case $args in
		*switch-output*) ls "$shared"/out.2* >/dev/null ;;
		*) [ -s private/target ] || fail "nothing was written through one's own link: perf $args" ;;
		esac

		# A file of another user, whom its owner lets write it: that user could read what is written.
		rm -rf "$shared/out"*
		: >"$shared/out"
		chmod 666 "$shared/out"
		chown "$nobody_id" "$shared/out"
		exec 7<"$shared/out" # what the other user has open
		status=0
		# shellcheck disable=SC2086
		"$PERF" $args >out 2>err || status=$?
		[ "$(wc -c <&7)" = 0 ] || fail "another user can read what was written: perf $args"
		exec 7<&-
		case $status in
		0) # replaced by a new file, or moved
			[ "$(stat -c %u "$shared"/out | head -n 1)" = 0 ] || case $args in
			*switch-output*) ;;
			*) fail "status 0, and the file is another user's: perf $args" ;;
			esac
			;;
		1) grep -q "cannot write '$shared/out': " err || fail "perf $args: $(cat err)" ;;
		*) fail "status $status of perf $args: $(cat err)" ;;
		esac

		# A FIFO that another user reads.
		rm -rf "$shared/out"*
		mkfifo "$shared/out"
		chmod 666 "$shared/out"
		chown "$nobody_id" "$shared/out"
		exec 7<>"$shared/out"
		# shellcheck disable=SC2086
		expect_status 1 timeout 300 "$PERF" $args
		exec 7>&-
		grep -q "cannot write '$shared/out': \|is not a regular file" err || fail "perf $args: $(cat err)"

		# A hard link to a file that is nowhere else writable.
		rm -rf "$shared/out"* private/target
		: >private/target
		ln private/target "$shared/out"
		# shellcheck disable=SC2086
		"$PERF" $args >out 2>err || [ $? = 1 ] || fail "perf $args: $(cat err)"
		[ ! -s private/target ] || fail "a hard link was written: perf $args"
	done <list
	[ "$(wc -l <list)" -ge 9 ] || fail "too few commands"

	# A build-id cache.
	rm -rf "$shared/out"* private/folder
	mkdir private/folder
	ln -s "$PWD/private/folder" "$shared/out"
	expect_status 0 "$PERF" --buildid-dir "$shared/out" buildid-cache -a ./prog
	[ -n "$(ls private/folder)" ] || fail "nothing was written through one's own link to a cache"
	rm -rf private/folder
	mkdir private/folder
	chown -h "$nobody_id" "$shared/out"
	expect_status 1 "$PERF" --buildid-dir "$shared/out" buildid-cache -a ./prog
	expect_text err "the link '$shared/out' belongs to another user (id $nobody_id)"
	[ -z "$(ls private/folder)" ] || fail "written through a link to a cache"

	# A folder for --threads, and a link to one.
	rm -rf "$shared/out"*
	mkdir "$shared/out"
	chown "$nobody_id" "$shared/out"
	expect_status 1 "$PERF" record --threads -e cpu-clock:u -o "$shared/out" true
	expect_text err "cannot write '$shared/out': the folder belongs to another user (id $nobody_id)"
	rm -rf "$shared/out"* private/folder
	mkdir private/folder
	ln -s "$PWD/private/folder" "$shared/out"
	chown -h "$nobody_id" "$shared/out"
	expect_status 1 "$PERF" record --threads -e cpu-clock:u -o "$shared/out" true
	[ -z "$(ls private/folder)" ] || fail "written through a link to a folder"
done

# What belongs to another user in that user's own folder is written, as sudo perf record does.
: >"$dir/mine"
chown "$nobody_id" "$dir/mine"
expect_status 0 "$PERF" record -e cpu-clock:u -o "$dir/mine" true
[ -s "$dir/mine" ] || fail "root cannot write a user's file in that user's folder"
