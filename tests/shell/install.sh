# make install and uninstall: a staged tree has the program, its pages and completions, under another name, too; nothing is left
# timeout: 400
. "$PERF_SRC/tests/lib.sh"
# A copy of the build, so that little is to be compiled again.
mkdir -p out/build
tar -C "$PERF_BUILD" --exclude=./tests --exclude=./stock --exclude='./page*' -cf - . | tar -C out/build -xf -
cp -p "$PERF" out/perf
run() { eval "make -C '$PERF_SRC' $PERF_VARIABLES" 'O="$PWD/out" DESTDIR="$PWD/stage" PREFIX=/usr "$@"' >log 2>&1 || { tail -n 5 log; fail "make $*"; }; }
run install INSTALL_NAME=perf-new
for f in bin/perf-new share/man/man1/perf-new.1 share/man/man1/perf-new-buildid-cache.1 share/doc/perf-new/README.md \
	share/bash-completion/completions/perf-new share/zsh/site-functions/_perf-new share/fish/vendor_completions.d/perf-new.fish; do
	[ -f "stage/usr/$f" ] || fail "no $f: $(find stage -type f)"
done
! find stage | grep -v perf-new | grep perf || fail "it takes the place of another perf"
expect_line stage/usr/share/bash-completion/completions/perf-new 'complete -F _perf_complete perf-new'
expect_line stage/usr/share/zsh/site-functions/_perf-new '#compdef perf-new'
grep -q '^\.BR perf-new.-record (1)' stage/usr/share/man/man1/perf-new-report.1 || fail "perf-new-report refers to another perf's page"
if command -v man >/dev/null; then
	stage/usr/bin/perf-new help record | grep -q 'perf.record' || fail "perf-new help record shows no page"
fi
run uninstall INSTALL_NAME=perf-new
[ -z "$(find stage -type f)" ] || fail "left over: $(find stage -type f)"

run install
[ -x stage/usr/bin/perf ] || fail "no program: $(find stage -type f)"
stage/usr/bin/perf --version | grep -q '^perf version ' || fail "the installed program does not run"
for page in perf perf-record perf-report; do
	[ -f stage/usr/share/man/man1/$page.1 ] || fail "no page $page.1"
done
expect_line stage/usr/share/bash-completion/completions/perf 'complete -F _perf_complete perf'
cmp stage/usr/share/man/man1/perf-report.1 "$PERF_SRC/Documentation/perf-report.1" || fail "the page was changed"
[ -f stage/usr/share/perf/clickhouse/schema.sql ] && [ -f stage/usr/share/perf/clickhouse/queries/top.sql ] || fail "no tables of ClickHouse"
run uninstall
[ ! -e stage/usr/share/perf ] || fail "left over: $(find stage/usr/share/perf)"
[ -z "$(find stage -type f)" ] || fail "left over: $(find stage -type f)"
