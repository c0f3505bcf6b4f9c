# perf export --format sqlite: weights of the report, a recording counts once, a killed export leaves the state before it
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc sqlite3
"$PERF" version --build-options | grep -q 'on .*HAVE_SQLITE3' || skip "perf was built without sqlite3"
cc -O2 -g -pthread -o prog "$PERF_SRC/tests/progs/stacks.c"
"$PERF" record -q -g -F 2000 -e cpu-clock:u,page-faults:u -o a.data ./prog 100
name="x'); DROP TABLE sample;--"
cp prog "$name"
"$PERF" record -q -g -F 2000 -e cpu-clock:u -o b.data "./$name" 50
query() { sqlite3 prof.db "$1"; }

by_report() { # FILE EVENT: "period function" of each function, in order
	"$PERF" report --stdio -g none --no-children -F period,sym -i "$1" 2>/dev/null |
		awk -v event="$2" '/^# Samples/ { on = index($0, "\x27" event "\x27") } on && /^ +[0-9]+ / { print $1, $3 }' | sort
}
agrees() { # RECORDING FILE EVENT
	by_report "$2" "$3" >want
	sqlite3 -separator ' ' prof.db "SELECT sum(weight), function FROM top_self WHERE recording = $1 AND event = '$3' GROUP BY 2" | sort >got
	[ -s want ] || fail "the report of $2 is empty"
	cut -d ' ' -f 1,2 got | cmp - want || fail "recording $1, $3: $(diff got want)"
}
expect_status 0 "$PERF" export -i a.data -o prof.db
expect_status 0 "$PERF" export -i b.data --format sqlite -o prof.db
agrees 1 a.data cpu-clock:u
agrees 1 a.data page-faults:u
agrees 2 b.data cpu-clock:u
[ "$(query "SELECT count(*) > 0 FROM binary WHERE name = 'x''); DROP TABLE sample;--'")" = 1 ] || fail "the hostile name is not there"
main=$(query "SELECT weight FROM top_total WHERE recording = 1 AND event = 'cpu-clock:u' AND function = 'main' AND binary = 'prog'")
all=$(query "SELECT sum(weight) FROM sample WHERE recording = 1 AND event = 'cpu-clock:u'")
[ "$main" -gt 0 ] && [ "$main" -le "$all" ] || fail "main has $main of $all"
[ "$(query 'SELECT count(*) FROM sample WHERE stack IS NOT NULL AND stack NOT IN (SELECT id FROM stack)')" = 0 ] ||
	fail "stacks are missing"

# Once more, by another name: nothing changes.
query .dump >before
cp a.data again.data
expect_status 0 "$PERF" export -i again.data -o prof.db
expect_text err "has this recording already: nothing was added"
query .dump | cmp - before || fail "the database changed"

# An export that is killed adds all or nothing.
for delay in 0.001 0.01 0.02 0.04; do
	cp prof.db killed.db
	rm -f killed.db-journal
	"$PERF" export -i b.data -e cpu-clock:u --time 10%-90% -o killed.db 2>/dev/null &
	sleep $delay
	kill -9 $! 2>/dev/null || :
	wait $! 2>/dev/null || :
	nr=$(sqlite3 killed.db 'SELECT count(*) FROM recording')
	[ "$nr" = 3 ] || sqlite3 killed.db .dump | cmp - before || fail "killed after $delay: another state"
	[ "$(sqlite3 killed.db 'PRAGMA integrity_check')" = ok ] || fail "killed after $delay: damaged"
done

# Other files stay as they are.
echo "no database" >text.db
expect_status 1 "$PERF" export -i a.data -o text.db
expect_text err "text.db"
expect_line text.db "no database"
sqlite3 other.db 'CREATE TABLE mine(x)'
expect_status 1 "$PERF" export -i a.data -o other.db
expect_text err "other tables"
expect_status 1 "$PERF" export -i a.data -o prof.db.gz
expect_text err "not packed"
expect_status 1 "$PERF" export -i a.data --format sqlite

# The queries of the documentation
awk '/^```sql/ { n++; on = 1; next } /^```/ { on = 0 } on { print >("query" n) }' "$PERF_SRC/Documentation/schema.md"
[ -e query10 ] || fail "there are fewer than ten queries"
for q in query*; do
	sqlite3 prof.db <"$q" >rows || fail "$(cat "$q")"
	[ -s rows ] || fail "no rows: $(cat "$q")"
done
