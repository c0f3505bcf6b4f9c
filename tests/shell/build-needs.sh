# make without what it needs: one line that says what to type, and after it only make's own
. "$PERF_SRC/tests/lib.sh"
need_command make
need_command awk

# all programs but the compilers
mkdir bin
ln -s /usr/bin/* bin
ln -s /bin/* bin 2>/dev/null || true # mostly the same
rm -f bin/*gcc* bin/*g++* bin/cc bin/c++ bin/clang*
build() { # VARIABLE=VALUE...
	expect_status 2 env -u MAKEFLAGS PATH="$PWD/bin" "$@" make -C "$PERF_SRC" --no-print-directory O="$PWD/built"
	expect_empty out
	expect_lines err 2
	tail -n 1 err | grep -q '^make: \*\*\* ' || fail "not make's own line: $(cat err)"
}
build CC=gcc
head -n 1 err | grep -q '^perf: ' || fail "no line of ours: $(cat err)"

# A package database without any package (dpkg reads DPKG_ADMINDIR): the line names all of them.
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
	mkdir -p dpkg/info dpkg/updates
	: >dpkg/status
	build CC=gcc DPKG_ADMINDIR="$PWD/dpkg"
	expect_text err "perf: some packages are missing; to install them: "
	[ "$(id -u)" = 0 ] && grep -q sudo err && fail "sudo for root"
	line=$(sed -n 's/.*apt-get install//p' err)
	for p in $(sh "$PERF_SRC/tools/deps" --list); do
		case " $line " in
		*" $p "*) ;;
		*) fail "$p is not in the line: $(cat err)" ;;
		esac
	done
	build CC=no-such-compiler DPKG_ADMINDIR="$PWD/dpkg"
	expect_text err "the C compiler 'no-such-compiler' is not there"
fi
exit 0
