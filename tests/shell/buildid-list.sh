# perf buildid-list: the binaries of a recording, with hits or all, of an ELF file, of the kernel
. "$PERF_SRC/tests/lib.sh"
need_record
need_command readelf

id_of() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

cat >main.c <<'C'
int idle(void);
int main(void)
{
	volatile unsigned x = 0;

	for (int i = 0; i < 100000000; i++)
		x += i;
	return idle() + (x == 1);
}
C
echo 'int idle(void) { return 0; }' >lib.c
"$CC" -O0 -shared -fPIC -Wl,--build-id=sha1 -o libidle.so lib.c
"$CC" -O0 -Wl,--build-id=sha1 -o main main.c ./libidle.so
"$CC" -O0 -Wl,--build-id=none -o no_id main.c ./libidle.so
dir=$(pwd -P)

"$PERF" record -e cpu-clock:u -F 500 -o a.data ./main 2>/dev/null
expect_status 0 "$PERF" buildid-list -i a.data
expect_line out "$(id_of main) $dir/main"
expect_line out "$(id_of libidle.so) $dir/libidle.so"
expect_status 0 "$PERF" buildid-list --with-hits -i a.data
expect_line out "$(id_of main) $dir/main"
! grep libidle out || fail "a library without samples has hits"

# Callers have hits, too.
cat >caller.c <<'C'
int idle(void);
int main(void)
{
	return idle();
}
C
cat >busy.c <<'C'
int idle(void)
{
	volatile unsigned x = 0;

	for (int i = 0; i < 100000000; i++)
		x += i;
	return 0;
}
C
mkdir busy
"$CC" -O0 -fno-omit-frame-pointer -shared -fPIC -o busy/libidle.so busy.c
"$CC" -O0 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o caller caller.c ./libidle.so
"$PERF" record -g -e cpu-clock:u -F 500 -o g.data env LD_PRELOAD="$dir/busy/libidle.so" ./caller 2>/dev/null
expect_status 0 "$PERF" buildid-list -H -i g.data
expect_line out "$(id_of caller) $dir/caller"

# Standard input, when it is a pipe.
"$PERF" record -e cpu-clock:u -F 500 -o - ./main 2>/dev/null | "$PERF" buildid-list -H >out
expect_line out "$(id_of main) $dir/main"

# Without an id there are 40 blanks.
"$PERF" record -e cpu-clock:u -F 500 -o b.data ./no_id 2>/dev/null
expect_status 0 "$PERF" buildid-list -H -i b.data
expect_line out "$(printf '%40s' '') $dir/no_id"

# An ELF file; one without an id; no file, damage.
expect_status 0 "$PERF" buildid-list -i main
expect_line out "$(id_of main)"
expect_lines out 1
expect_status 1 "$PERF" buildid-list -i no_id
expect_empty out
expect_line err "perf: error: 'no_id' has no build-id"
expect_status 1 "$PERF" buildid-list -i missing
expect_lines err 1
head -c 1500 a.data >cut.data
expect_status 1 "$PERF" buildid-list -i cut.data

# The kernel: its id, and its map.
if [ -r /sys/kernel/notes ] && "$PERF" buildid-list -k >kernel 2>/dev/null; then
	expect_lines kernel 1
	if "$PERF" buildid-list -m >out 2>/dev/null; then
		grep -q "^$(cat kernel)  *[0-9a-f]*  *[0-9a-f]* \[kernel.kallsyms\]$" out || fail "no kernel in: $(cat out)"
	fi
fi

# Names are hostile: control characters do not reach the terminal.
bad=$(printf 'a\033[31mb')
cp main "$bad"
"$PERF" record -e cpu-clock:u -F 500 -o c.data "./$bad" 2>/dev/null
expect_status 0 "$PERF" buildid-list -i c.data
expect_line out "$(id_of main) $dir/a?[31mb"

# Stock perf says the same of the same file, line by line, whatever the order.
need_stock
"$STOCK" record -e cpu-clock:u -F 500 -o s.data ./main >/dev/null 2>&1 || skip "stock perf cannot record"
for file in a.data s.data; do
	for options in "" -H; do
		"$STOCK" buildid-list $options -i $file 2>/dev/null | sort >want
		"$PERF" buildid-list $options -i $file | sort >got
		diff want got || fail "stock perf lists $file $options otherwise"
	done
done
