# Files made of a recording can be read by those only who can read the recording; the umask counts, too
. "$PERF_SRC/tests/lib.sh"
need_record

umask 022
program prog progs/stacks -O2 -g -pthread
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o a.data ./prog 50
[ "$(stat -c %a a.data)" = 600 ] || fail "perf record made a file of mode $(stat -c %a a.data)"
cp a.data b.data
formats='folded jsonl speedscope.json firefox.json otlp pb.gz perf.json html db'

write_all() { # FOLDER: everything that a command makes of a.data
	rm -rf "$1"
	mkdir "$1"
	for suffix in $formats; do
		case $suffix in
		html) "$PERF" report --html -o "$1/a.html" -i a.data 2>/dev/null ;;
		db) "$PERF" export --format sqlite -o "$1/a.db" -i a.data 2>/dev/null || rm -f "$1/a.db" ;; # without the library
		*) "$PERF" export -o "$1/a.$suffix" -i a.data 2>/dev/null ;;
		esac
	done
	"$PERF" data convert --to-json "$1/convert.json" -i a.data 2>/dev/null
	"$PERF" diff --html="$1/diff.html" b.data a.data 2>/dev/null
	"$PERF" inject -i a.data -o "$1/inject.data"
	"$PERF" merge -o "$1/merge.data" a.data b.data 2>/dev/null
	cp -p a.data "$1/s.data"
	"$PERF" script --per-event-dump -i "$1/s.data" >/dev/null
}
modes() { # FOLDER
	find "$1" -type f ! -name s.data -exec stat -c '%a %n' {} + | sort
}

write_all private
modes private >got
grep -q 'cpu-clock:u.dump' got && grep -q 'diff.html' got && grep -q 'a.perf.json' got || fail "files are missing: $(cat got)"
! grep -v '^600 ' got || fail "others may read what is made of a recording of mode 600"

# Of an open recording: what the umask leaves. A recording itself is always private.
chmod 644 a.data b.data
write_all open
modes open | grep -v 'inject.data\|merge.data' >got
! grep -v '^644 ' got || fail "not open as the recording is"
(
	umask 077
	write_all masked
	! modes masked | grep -v '^600 ' || fail "the umask does not count"
)

# The stricter one of two recordings, in both orders.
chmod 600 b.data
"$PERF" diff --html=1.html a.data b.data 2>/dev/null
"$PERF" diff --html=2.html b.data a.data 2>/dev/null
for page in 1.html 2.html; do
	[ "$(stat -c %a $page)" = 600 ] || fail "$page: $(stat -c %a $page)"
done

# A recording of another group, which that group may read: this process's group may not.
if [ "$(id -u)" = 0 ]; then
	chown 0:12345 a.data
	chmod 640 a.data
	"$PERF" export -i a.data -o group.folded
	[ "$(stat -c '%a %g' group.folded)" = "600 $(id -g)" ] || fail "shown to another group: $(stat -c '%a %g' group.folded)"
fi
# A pipe is no limit.
"$PERF" inject -i a.data -o - | "$PERF" export -i - -o pipe.folded
[ "$(stat -c %a pipe.folded)" = 644 ] || fail "of a pipe: $(stat -c %a pipe.folded)"
