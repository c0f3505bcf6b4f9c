# --symfs FOLDER,flat: a folder has binaries and debug files without the folders they were recorded in
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}" objcopy
cat >spin.c <<'END'
static volatile unsigned long x;
__attribute__((noinline)) static void recorded_name(void)
{
	for (long i = 0; i < 100000000; i++)
		x += i;
}
int main(void)
{
	recorded_name();
	return 0;
}
END
mkdir -p deep/er flat 'flat,flat' nested
"${CC:-cc}" -O1 -g -o deep/er/spin spin.c || skip "no compiler"
objcopy --only-keep-debug deep/er/spin flat/spin.debug
objcopy --strip-all --add-gnu-debuglink=flat/spin.debug deep/er/spin
"$PERF" record -q --no-embed -e cpu-clock:u -F 2000 -o s.data ./deep/er/spin || fail "no recording"
mv deep/er/spin flat/
mkdir -p "nested$PWD/deep/er" && cp flat/spin flat/spin.debug "nested$PWD/deep/er/"
cp flat/* 'flat,flat/'

names() {
	HOME=$PWD/nowhere "$PERF" report --stdio --no-made-up-names -F sym -i s.data "$@" 2>err
}
names >out
grep -q recorded_name out && fail "the name is known without files"
for folder in nested nested,hierarchy flat,flat,flat; do
	names --symfs "$folder" | grep -q recorded_name || fail "--symfs $folder: no name: $(cat err)"
done
for folder in flat flat,hierarchy nested,flat; do
	names --symfs "$folder" | grep -q recorded_name && fail "--symfs $folder: a name"
done
HOME=$PWD/nowhere "$PERF" script -F ip,sym -i s.data --symfs flat,flat,flat 2>err | grep -q recorded_name || fail "script: $(cat err)"
HOME=$PWD/nowhere "$PERF" export --format folded -i s.data --symfs flat,flat,flat 2>err | grep -q recorded_name || fail "export: $(cat err)"
expect_status 129 "$PERF" report --symfs flat,round -i s.data
grep -q "unknown layout 'round'" err || fail "$(cat err)"
