# perf report: stack copies of an arm64 program, unwound on any machine: signed return addresses, a handler of a signal
#
# tests/data/arm64-stacks was made in a virtual machine (qemu-system-aarch64 -M virt -cpu max, Debian's arm64 kernel 6.1)
# with our perf: perf record -e cycles:u -F 49 --call-graph dwarf /tmp/stacks; stacks.c says how it was compiled.
. "$PERF_SRC/tests/lib.sh"
from=$PERF_SRC/tests/data/arm64-stacks
gzip -dc "$from/perf.data.gz" >perf.data
mkdir -p root/tmp
cp "$from/stacks" root/tmp/
cat >expected <<'END'
    95.56%  stacks   stacks            [.] leaf
            |
            ---leaf
               |          
               |--48.38%--handler
               |          0x7bc
               |          interrupted
               |          works
               |          _start
               |          
                --47.18%--saves_registers
                          allocates
                          aligns
                          recurses
                          recurses
                          recurses
                          recurses
                          recurses
                          recurses
                          works
                          _start

     4.44%  stacks   stacks            [.] interrupted
            |
            ---interrupted
               works
               _start

END
expect_status 0 "$PERF" report --stdio --no-children --percent-limit 1 -i perf.data --symfs root
expect_text out "# Call chains: 68 unwound from 8192 bytes of stack now, 100.0% complete"
grep -v '^#' out | head -n "$(wc -l <expected)" >got
diff expected got || fail "other call chains"

# Without the program there is no call frame information, and the report says that the chains end for lack of it.
expect_status 0 "$PERF" report --stdio --no-children -i perf.data --symfs /nowhere
expect_text out "in stacks, without CFI"

# Chains along frame pointers: few functions of the program have a frame record, and the caller of leaf is only in the
# link register. leaves-*.data: record -e cycles:u -F 49 --call-graph fp /tmp/stacks, by our perf (--no-embed) and by 6.1.
for by in ours stock; do
	gzip -dc "$from/leaves-$by.data.gz" >leaves.data
	expect_status 0 "$PERF" report --stdio --no-children -i leaves.data --symfs root -g folded,0,caller
	grep -q "^[0-9.]*% works;handler;leaf$" out && grep -q "^[0-9.]*% aligns;saves_registers;leaf$" out ||
		{ cat out; fail "$by: the callers of leaf are missing"; }
	! grep -Eq "^[0-9.]*% (works;|aligns;)?leaf$" out || { cat out; fail "$by: leaf without caller"; }
done
