# perf record -o, and perf.data: FIFOs without a reader, links to nothing, and an old recording that cannot be kept
. "$PERF_SRC/tests/lib.sh"
need_record
program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -e cpu-clock:u -o good.data ./prog 20

# A FIFO that nobody reads: a message, not a wait without end; the command is not run.
mkfifo perf.data
for args in "record -e cpu-clock:u -o perf.data touch ran" "inject -i good.data -o perf.data" "merge -o perf.data good.data" \
	"report --html -o perf.data -i good.data" "export --format folded -o perf.data -i good.data"; do
	# shellcheck disable=SC2086
	expect_status 1 timeout 300 "$PERF" $args
	expect_text err "cannot write 'perf.data': it is a FIFO, and no program reads it"
	expect_text err "start its reader first, or name another file with -o"
	[ ! -e ran ] || fail "the command ran"
done
# by default, too: standard output is not a pipe here
expect_status 1 timeout 300 "$PERF" record -e cpu-clock:u true
expect_text err "cannot write 'perf.data': it is a FIFO, and no program reads it"
# A reader that comes a little later is waited for.
(sleep 0.5 && cat perf.data >stream.data) &
expect_status 0 "$PERF" record -e cpu-clock:u -o perf.data true
wait
expect_status 0 "$PERF" report -i stream.data --header-only
rm perf.data

# Links.
ln -s no/such/folder perf.data
expect_status 1 "$PERF" record -e cpu-clock:u true
expect_text err "cannot write 'perf.data': it is a link to 'no/such/folder', whose folder does not exist"
expect_lines err 2
for args in "inject -i good.data -o perf.data" "export --format folded -o perf.data -i good.data"; do
	# shellcheck disable=SC2086
	expect_status 1 "$PERF" $args
	expect_text err "cannot write 'perf.data': it is a link to 'no/such/folder', whose folder does not exist"
done
for args in report script "inject -o x.data" "export -o x.folded" annotate "buildid-list" evlist "doctor perf.data" "diff perf.data good.data"; do
	# shellcheck disable=SC2086
	"$PERF" $args </dev/null >out 2>err && fail "status 0 of perf $args"
	case $args in
	inject*) ;; # reads standard input
	*) grep -q "cannot open 'perf.data': it is a link to 'no/such/folder', which does not exist" err || fail "perf $args: $(cat err)" ;;
	esac
done
expect_status 1 "$PERF" record --threads -e cpu-clock:u true
expect_text err "cannot make the data directory 'perf.data': a link to 'no/such/folder' has that name"
rm perf.data
ln -s target perf.data # one's own, into a folder that is there
expect_status 0 "$PERF" record -e cpu-clock:u true
expect_status 0 "$PERF" report --header-only -i target
rm -f perf.data target
ln -s perf.data perf.data
expect_status 1 "$PERF" record -e cpu-clock:u true
expect_text err "cannot write 'perf.data': Too many levels of symbolic links"
rm perf.data

# perf.data.old is a folder: nothing is lost, and the command is not run.
for old in empty full; do
	cp good.data perf.data
	mkdir perf.data.old
	[ $old = empty ] || : >perf.data.old/file
	for how in '' --threads; do
		# shellcheck disable=SC2086
		expect_status 1 "$PERF" record $how -e cpu-clock:u touch ran
		expect_text err "cannot keep the existing 'perf.data' as 'perf.data.old', which is a folder"
		[ ! -e ran ] || fail "the command ran"
		cmp good.data perf.data || fail "the existing recording was overwritten"
	done
	rm -r perf.data perf.data.old
done
"$PERF" record -q --threads -e cpu-clock:u true
mkdir perf.data.old
: >perf.data.old/file
expect_status 1 "$PERF" record --threads -e cpu-clock:u true
expect_text err "cannot keep the existing 'perf.data' as 'perf.data.old', which is a folder"
expect_status 0 "$PERF" report --header-only
rm -r perf.data.old
# A data directory of before is replaced, as it was.
expect_status 0 "$PERF" record --threads -e cpu-clock:u true
expect_status 0 "$PERF" record -e cpu-clock:u true
expect_status 0 "$PERF" report --header-only -i perf.data.old
