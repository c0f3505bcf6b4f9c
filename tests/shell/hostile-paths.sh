# paths in a recording: what is no regular file is not opened, nothing waits, and nothing is written outside the cache
. "$PERF_SRC/tests/lib.sh"

recordings=$PERF_BUILD/tests/hostile/recordings

show() { # command...
	status=0
	timeout 600 "$@" >out 2>err || status=$?
	[ $status -le 1 ] || { cat err && fail "exit status $status: $*"; }
}

show_all() { # RECORDING
	show "$PERF" report -i "$1" --no-branch-stack -g -s dso,sym,srcline
	show "$PERF" report -i "$1" --no-branch-stack --symfs "$PWD" -s dso,sym
	show "$PERF" report -i "$1" -D
	show "$PERF" buildid-list -i "$1"
	show "$PERF" buildid-list -H -i "$1"
	show "$PERF" buildid-cache -M "$1"
	show "$PERF" inject -f -b -i "$1" -o again
	show "$PERF" inject -f --jit -i "$1" -o again
	show "$PERF" archive "$1"
}

# Whoever opens a fifo for reading lets its writer go on.
mkdir r tmp
for name in fifo link jit-4194000.dump; do
	rm -f opened fifo
	mkfifo fifo
	[ $name = fifo ] || ln -s fifo $name
	sh -c 'exec 3>fifo && touch opened' >/dev/null 2>&1 &
	writer=$!
	"$recordings" r "$PWD/$name"
	ln -sf ../fifo tmp/perf-4194000.map
	show_all r/file
	[ ! -e opened ] || fail "the fifo '$name' was opened"
	kill $writer
	wait $writer 2>/dev/null || true
done

# What never ends, what waits, what acts when it is read.
for path in /dev/zero /dev/tty /dev/full /dev/fd/0 /dev/stdin /proc/kcore /proc/kmsg /proc/self/mem /proc/self/fd/0 \
	/sys/kernel/tracing/trace_pipe /dev/log "$PWD" "$PWD/r"; do
	"$recordings" r "$path"
	show_all r/file
done

# A data directory with such files.
mkdir -p dir
mkfifo dir/data
show "$PERF" report -i dir
expect_text err "dir/data"
rm dir/data
ln -s /dev/zero dir/data
show "$PERF" report -i dir
rm dir/data
"$recordings" r
cp r/file dir/data
mkfifo dir/data.0
show "$PERF" report -i dir

# Names that lead out of the build-id cache, or out of an archive: that of a binary that is here, to see that it would
# be packed.
mkdir home real
echo 'int main(void) { return 0; }' >a.c
"$CC" -Wl,--build-id=sha1 -o real/bin a.c
"$recordings" r "$PWD/real/bin"
bzip2=$(command -v bzip2 || :) # without, nobody can look into archives
show "$PERF" archive r/file
if [ "$bzip2" ]; then
	tar tf r/file.tar* >list
	expect_text list "$(echo "$PWD" | cut -c2-)/real/bin/"
fi
rm -f r/file.tar*
for path in "$PWD/real/../real/bin" "$PWD/./real/bin/../bin"; do
	"$recordings" r "$path"
	show "$PERF" archive r/file
	: >list
	[ ! "$bzip2" ] || [ ! -e r/file.tar.bz2 ] || tar tf r/file.tar.bz2 >list
	! grep -q '\.\.' list || { cat list && fail "'$path' is in the archive as it is"; }
	rm -f r/file.tar*
done
for path in /../../../x "/a/../../../b" "/.build-id/01/23" "[../../x]" "relative" "/"; do
	"$recordings" r "$path"
	HOME=$PWD/home show "$PERF" archive r/file
	HOME=$PWD/home show "$PERF" buildid-cache -M r/file
	HOME=$PWD/home show "$PERF" report -i r/file --no-branch-stack
done
[ -z "$(find home -type f)" ] || fail "something was put into the cache: $(find home)"
