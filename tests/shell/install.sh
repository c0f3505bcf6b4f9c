# make install and uninstall: a staged tree has the program and its pages, and nothing is left of it afterwards
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
run() { make -C "$PERF_SRC" O="$PWD/out" CFLAGS=-O0 DESTDIR="$PWD/stage" PREFIX=/usr "$@" >log 2>&1 || { tail -n 5 log; fail "make $*"; }; }
run install
[ -x stage/usr/bin/perf ] || fail "no program: $(find stage -type f)"
stage/usr/bin/perf --version | grep -q '^perf version ' || fail "the installed program does not run"
for page in perf perf-record perf-report; do
	[ -f stage/usr/share/man/man1/$page.1 ] || fail "no page $page.1"
done
run uninstall
[ -z "$(find stage -type f)" ] || fail "left over: $(find stage -type f)"
