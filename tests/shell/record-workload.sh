# perf record COMMAND: its exit status is ours, the file is read by our report, the old one is kept
. "$PERF_SRC/tests/lib.sh"
need_record

busy='i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'

# ---- exit status ----
expect_status 0 "$PERF" record true
expect_text err "perf record: Woken up"
grep -Eq '^\[ perf record: Captured and wrote [0-9.]+ MB perf\.data( \([0-9]+ samples\))? \]$' err || fail "$(cat err)"
expect_empty out
expect_status 3 "$PERF" record sh -c 'exit 3'
[ -s perf.data ] && [ -s perf.data.old ] || fail "perf.data or perf.data.old is missing"
expect_status 143 "$PERF" record -o t.data sh -c 'kill -TERM $$'
expect_status 137 "$PERF" record -o t.data sh -c 'kill -KILL $$'
expect_text err "Captured and wrote"
[ "$(stat -c %a t.data)" = 600 ] || fail "mode $(stat -c %a t.data)"

# ---- nothing to run: one line, and nothing is written or moved ----
rm -f perf.data perf.data.old
echo precious >perf.data
expect_status 127 "$PERF" record no-such-command-at-all
expect_line err "perf: error: 'no-such-command-at-all': command not found"
expect_lines err 1
expect_status 127 "$PERF" record ./no-such-file
expect_lines err 1
: >plain
expect_status 126 "$PERF" record ./plain
expect_lines err 2
expect_status 126 "$PERF" record .
expect_lines err 2
expect_line perf.data precious
[ ! -e perf.data.old ] || fail "perf.data was rotated for nothing"

# An interpreter that is not there is found by the kernel only.
printf '#!/no/such/interpreter\n' >script
chmod +x script
got=0
"$PERF" record -o i.data ./script >out 2>err || got=$?
[ $got = 127 ] || [ $got = 126 ] || fail "status $got of a script without its interpreter"

# ---- rotation: the newest old file remains ----
rm -f perf.data
expect_status 0 "$PERF" record -e cpu-clock sh -c 'exec true first'
cp perf.data first
expect_status 0 "$PERF" record -e cpu-clock true
cmp perf.data.old first || fail "perf.data.old is not the file before"

# ---- the command's own streams and arguments ----
echo input | "$PERF" record -o t.data sh -c 'cat; echo "$1" >&2' x "two  words" >out 2>err
expect_line out input
expect_line err "two  words"

# ---- default event ----
expect_status 0 "$PERF" record -o d.data sh -c "$busy"
if grep -q "cpu-clock" err; then
	expect_line err "cycles cannot be counted on this machine: recording cpu-clock instead"
	[ "$(id -u)" != 0 ] || hides_kernel || expect_lines err 3
	event=cpu-clock
else
	event=cycles
fi
expect_status 0 "$PERF" report --stdio -i d.data
expect_empty err
grep -q "event '$event" out || fail "no event $event: $(head -n 12 out)"
grep -Eq '[0-9]%  (sh|dash|bash) ' out || fail "no comm sh: $(cat out)"
expect_status 0 "$PERF" report --stdio --header-only -i d.data
expect_text out "# cmdline :"
expect_text out "record -o d.data sh -c"

# As many samples in the file as the closing line says.
expect_status 0 "$PERF" record -e cpu-clock -F 2000 -o d.data sh -c "$busy"
said=$(sed -n 's/.*(\([0-9]*\) samples).*/\1/p' err)
expect_status 0 "$PERF" report --stats -i d.data
[ "$(awk '/SAMPLE events:/ { print $3; exit }' out)" = "$said" ] || fail "not $said samples: $(cat out)"
[ "$said" -gt 5 ] || fail "only $said samples"

# The name that exec gives, and children under their own.
cp "$(command -v sh)" renamed-shell
expect_status 0 "$PERF" record -e cpu-clock:u -o c.data sh -c "./renamed-shell -c '$busy'; exec ./renamed-shell -c '$busy'"
expect_status 0 "$PERF" report --stdio -s comm -i c.data
expect_text out "renamed-shell"

# ---- where the file cannot be ----
expect_status 1 "$PERF" record -o /dev/full true
expect_text err "cannot write '/dev/full'"
expect_status 1 "$PERF" record -o . true
expect_text err "cannot write '.'"
expect_status 1 "$PERF" record -o no/such/folder/x true
expect_text err "cannot write 'no/such/folder/x'"
expect_status 0 "$PERF" record -o /dev/null true
[ -c /dev/null ] || fail "/dev/null was replaced"
