# perf report: stack copies of a 32-bit ARM program, unwound on any machine by .ARM.exidx
#
# tests/data/arm-stacks was made in a virtual machine (qemu-system-arm -M virt -cpu max, Debian's armmp kernel 6.1) with our
# perf: perf record -e cpu-clock:u -F 49 --call-graph dwarf /tmp/stacks; arm64-stacks/stacks.c is the source.
. "$PERF_SRC/tests/lib.sh"
from=$PERF_SRC/tests/data/arm-stacks
gzip -dc "$from/perf.data.gz" >perf.data
mkdir -p root/tmp
cp "$from/stacks" root/tmp/
cat >expected <<'END'
    96.81%  stacks   stacks         [.] leaf
            |
            ---leaf
               |          
               |--55.32%--saves_registers
               |          allocates
               |          aligns
               |          recurses
               |          recurses
               |          recurses
               |          recurses
               |          recurses
               |          recurses
               |          works
               |          _start
               |          
                --41.49%--handler
                          restorer
                          interrupted
                          works
                          _start

     3.19%  stacks   stacks         [.] interrupted
            |
            ---interrupted
               works
               _start

END
expect_status 0 "$PERF" report --stdio --no-children -i perf.data --symfs root
expect_text out "# Call chains: 94 unwound from 8192 bytes of stack now, 100.0% complete"
grep -v '^#' out | head -n "$(wc -l <expected)" >got
diff expected got || fail "other call chains"
