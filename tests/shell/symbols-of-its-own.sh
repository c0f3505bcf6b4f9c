# perf exports no symbol: a library that calls the C library's error() must not get a function of ours
. "$PERF_SRC/tests/lib.sh"
need_command nm ldd
libc=$(ldd "$PERF" | awk '$1 ~ /^libc\./ { print $3 }')
[ -f "$libc" ] || skip "perf is not linked with a shared C library"
nm -D --defined-only "$libc" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >libc.names
expect_line libc.names error

# A program linked with a shared library has copies of the C library's variables (stdout), and nothing else.
if nm -D "$PERF" | grep -Eq '__(asan|tsan|ubsan|msan)_'; then
	echo "a sanitizer's functions are exported: not looked at"
else
	nm -D --defined-only "$PERF" >defined
	awk '$2 !~ /^[BDRVW]$/' defined >functions
	expect_empty functions
	awk '{ sub(/@.*/, "", $NF); print $NF }' defined | sort -u | comm -23 - libc.names >variables
	expect_empty variables
fi

# Where everything is linked into one file, nothing is hidden: no function of ours has a name of the C library's.
[ -f "$PERF_BUILD/libutil.a" ] || exit 0
nm -g --defined-only "$PERF_BUILD/libutil.a" "$PERF_BUILD"/perf.o "$PERF_BUILD"/builtin*.o |
	awk 'NF == 3 && $3 != "main" { print $3 }' | sort -u >ours
[ "$(wc -l <ours)" -gt 100 ] || fail "no functions found in libutil.a"
comm -12 ours libc.names >common
expect_empty common
