# perf script --per-event-dump: a file for each event, also of equal names; existing files are moved away, not written through
. "$PERF_SRC/tests/lib.sh"
need_record

program prog progs/stacks -O2 -g -pthread
# Two events of one name, and one whose name is that of the second one's file.
"$PERF" record -q -F 2000 -e cpu-clock:u -e cpu-clock:u -e 'cpu-clock/name=cpu-clock:u.2/u' -o a.data ./prog 100
"$PERF" script -i a.data | sort >want

expect_status 0 "$PERF" script --per-event-dump -i a.data
ls a.data.*.dump | sort >files
[ "$(wc -l <files)" = 3 ] || fail "not a file for each event: $(cat files)"
cat a.data.*.dump | sort | cmp - want || fail "other lines than in one file"
for file in a.data.*.dump; do
	[ -s "$file" ] || fail "$file is empty"
done
sed -n "s/^wrote '\(.*\)'$/\1/p" out | sort | cmp - files || fail "names other files: $(cat out)"

# Again: what is there is moved to NAME.old; a link is moved, not followed.
file=a.data.cpu-clock:u.dump
cp $file first
echo mine >$file
echo precious >target
ln -sf target a.data.cpu-clock:u.2.dump
expect_status 0 "$PERF" script --per-event-dump -i a.data
cmp $file first
[ "$(cat $file.old)" = mine ] || fail "the existing file is lost"
[ -h a.data.cpu-clock:u.2.dump.old ] && [ "$(cat target)" = precious ] || fail "written through a link"

# What cannot be moved stays.
rm -f $file.old
mkdir $file.old
echo mine >$file
expect_status 1 "$PERF" script --per-event-dump -i a.data
expect_text err "cannot keep the existing '$file' as '$file.old'"
[ "$(cat $file)" = mine ] || fail "the existing file is lost"
