# An optional library that is missing: one line says which package to install, and all else goes on
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy
mkdir missing # in front of the real ones: files that are no libraries

# perf without it
missing_perf() {
	LD_LIBRARY_PATH=$PWD/missing "$PERF" "$@"
}

# missing LIBRARY OPTION: whether perf was built with it and starts without it; from then on it is missing
missing() {
	rm -f missing/*
	"$PERF" version --build-options | grep -q "on .*HAVE_$2:" || return 1
	: >"missing/$1"
	missing_perf version >/dev/null 2>&1 || { echo "libdw needs $1" && return 1; }
}

# perf_fails LIBRARY PACKAGE COMMAND...
perf_fails() {
	library_=$1 package_=$2 status_=0
	shift 2
	missing_perf "$@" >out 2>err || status_=$?
	[ $status_ != 0 ] || fail "without $library_, exit status 0: perf $*"
	expect_text err "$library_ cannot be loaded: install Debian's package $package_"
	expect_lines err 1
}

printf 'volatile unsigned long x;\nint main(void)\n{\n\tfor (long i = 0; i < 100000000; i++)\n\t\tx += i;\n}\n' >spin.c
gcc -g -O1 -o spin spin.c
"$PERF" record --no-embed -o spin.data -e cpu-clock:u ./spin 2>/dev/null
# `true` may end before its first sample.
"$PERF" record -z -o z.data -e cpu-clock:u ./spin 2>/dev/null || :
"$PERF" record -o plain.data -e cpu-clock:u ./spin 2>/dev/null
if missing libzstd.so.1 LIBZSTD; then
	perf_fails libzstd.so.1 libzstd1 record -z -o no.data -e cpu-clock:u true
	missing_perf report --stdio -i z.data >out 2>err || :
	expect_text err "install Debian's package libzstd1"
	# A recording is not compressed then, and is reported as ever.
	expect_status 0 missing_perf record -o small.data -e cpu-clock:u sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done'
	expect_status 0 missing_perf report --stdio -i small.data
	expect_empty err
	# What is only left out: lines of a program whose debug sections are compressed.
	if objcopy --compress-debug-sections=zstd spin 2>/dev/null; then
		expect_status 0 missing_perf report --stdio -s sym,srcline -i spin.data
		expect_text out main
		expect_text err "what is compressed with zstd is left out: libzstd.so.1 cannot be loaded: install Debian's package libzstd1"
		expect_lines err 1
	fi
fi
if missing libpfm.so.4 LIBPFM4; then
	perf_fails libpfm.so.4 libpfm4 record --pfm-events instructions -o no.data true
fi
if missing libarchive.so.13 LIBARCHIVE; then
	perf_fails libarchive.so.13 libarchive13 archive plain.data
	[ ! -e plain.data.tar.bz2 ] || fail "an archive of nothing"
	perf_fails libarchive.so.13 libarchive13 archive --unpack plain.data
fi
# Without ncursesw the report is text, and a line says what is missing.
if missing libncursesw.so.6 NCURSESW && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "LD_LIBRARY_PATH='$PWD/missing' PERF_PAGER=cat '$PERF' report -i spin.data" /dev/null </dev/null >out 2>&1 || :
	expect_text out "no browser: libncursesw.so.6 cannot be loaded: install Debian's package libncursesw6"
	expect_text out "Samples: "
fi
# Without libcapstone the costs of addresses are shown, and a line says what is missing.
for major in 4 5; do
	missing libcapstone.so.$major CAPSTONE || continue
	missing_perf annotate -n -i spin.data main >out 2>err || fail "without libcapstone: $(cat err)"
	grep -q "libcapstone.so.$major cannot be loaded" out || continue # another version is the one that is used
	expect_text out "no instructions: libcapstone.so.$major cannot be loaded: install Debian's package libcapstone$major"
	[ "$(sed -n 's/^ *\([0-9]*\) :  .*/\1/p' out | awk '{ n += $1 } END { print n }')" = \
		"$("$PERF" report -i spin.data --stdio -F sample,sym 2>/dev/null | awk '/ main$/ { print $1 }')" ] ||
		fail "costs without libcapstone: $(cat out)"
	expect_text out "x += i"
	said=1
done
if "$PERF" version --build-options | grep -q 'on .*HAVE_CAPSTONE' && [ -z "$said" ]; then fail "nothing about libcapstone"; fi
if missing libsqlite3.so.0 SQLITE3; then
	perf_fails libsqlite3.so.0 libsqlite3-0 export --format sqlite -o prof.db -i plain.data
fi
if missing libcurl.so.4 CURL; then
	missing_perf push --otlp http://127.0.0.1:1 plain.data >out 2>err && fail "pushed without libcurl"
	expect_text err "libcurl.so.4 cannot be loaded: install Debian's package libcurl4"
fi
