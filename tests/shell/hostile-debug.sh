# binaries whose debug information was made by a fuzzer: report names what it can, and ends as it should
#
# tests/data/odd-debug has inputs of tests/fuzz/fuzz_dwarf_lines.c that once broke something:
# addresses: a program of DWARF 5 with compressed sections, .debug_addr among them, which libelf freed though it is in the map
. "$PERF_SRC/tests/lib.sh"

need_command gzip
mkdir r
for f in "$PERF_SRC"/tests/data/odd-debug/*.gz; do
	gzip -dc "$f" >odd
	"$PERF_BUILD/tests/hostile/recordings" r "$PWD/odd"
	expect_status 0 "$PERF" report -i r/file --no-branch-stack -g -s dso,sym,srcline
	expect_text out "odd"
done
