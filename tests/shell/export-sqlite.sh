# perf export --format sqlite: weights of the report, a recording counts once, a killed export leaves the state before it
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc sqlite3
"$PERF" version --build-options | grep -q 'on .*HAVE_SQLITE3' || skip "perf was built without sqlite3"
program prog progs/stacks -O2 -g -pthread
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

# Sums in place of samples: the same weights and numbers in fewer rows; samples take their place, sums never that of samples.
rows_of() { sqlite3 "$1" 'SELECT event, function, binary, weight, samples FROM top_self ORDER BY 1, 2, 3'; }
expect_status 0 "$PERF" export -i a.data -o all.db
expect_status 0 "$PERF" export -i a.data --aggregate -o sums.db
rows_of all.db >want
rows_of sums.db | cmp - want || fail "sums: $(rows_of sums.db | diff - want)"
[ "$(sqlite3 sums.db 'SELECT count(*) FROM sample')" -lt "$(sqlite3 all.db 'SELECT count(*) FROM sample')" ] || fail "as many sums as samples"
[ "$(sqlite3 sums.db 'SELECT sum(samples) FROM sample')" = "$(sqlite3 all.db 'SELECT sum(samples) FROM sample')" ] || fail "another number of samples"
expect_status 0 "$PERF" export -i a.data --aggregate -o all.db
expect_text err "nothing was added"
expect_status 0 "$PERF" export -i a.data -o sums.db
expect_text err "it was replaced"
sqlite3 all.db 'SELECT count(*) FROM sample' >want
sqlite3 sums.db 'SELECT count(*) FROM sample' | cmp - want || fail "samples did not take the place of sums"

# An export without names does not keep a better one out, and the other way round it adds nothing.
"$PERF" record -q --no-embed -g -F 2000 -e cpu-clock:u -o bare.data ./prog 50
mkdir none
expect_status 0 "$PERF" export -i bare.data --symfs none -o names.db
[ "$(sqlite3 names.db "SELECT count(*) FROM frame WHERE function = 'main'")" = 0 ] || skip "there are names without binaries"
expect_status 0 "$PERF" export -i bare.data -o names.db
expect_text err "it was replaced"
[ "$(sqlite3 names.db "SELECT sum(weight) > 0 FROM top_total WHERE function = 'main'")" = 1 ] || fail "the names were not added"
[ "$(sqlite3 names.db 'SELECT count(*), sum(samples) FROM recording JOIN (SELECT sum(samples) AS samples FROM sample)')" = \
	"1|$(sqlite3 names.db 'SELECT count(*) FROM sample')" ] || fail "rows of the first export are left"
expect_status 0 "$PERF" export -i bare.data --symfs none -o names.db
expect_text err "nothing was added"

# Databases of versions 1 to 3 become ones of today's, with their recordings.
sqlite3 old1.db <"$PERF_SRC/tests/data/sqlite-1.sql"
sqlite3 old2.db <"$PERF_SRC/tests/data/sqlite-1.sql"
sqlite3 old2.db 'ALTER TABLE recording ADD COLUMN unnamed INTEGER; ALTER TABLE recording ADD COLUMN aggregated INTEGER NOT NULL DEFAULT 0;
	ALTER TABLE sample ADD COLUMN samples INTEGER NOT NULL DEFAULT 1; ALTER TABLE sample ADD COLUMN cgroup TEXT; PRAGMA user_version = 2'
cp old2.db old3.db
sqlite3 old3.db 'ALTER TABLE sample ADD COLUMN service TEXT; ALTER TABLE sample ADD COLUMN container TEXT;
	ALTER TABLE sample ADD COLUMN version TEXT; PRAGMA user_version = 3'
for version in 1 2 3; do
	expect_status 0 "$PERF" export -i b.data --labels version -o old$version.db
	[ "$(sqlite3 old$version.db 'SELECT recording, function, weight, samples FROM top_self WHERE recording = 1')" = "1|main|7|2" ] ||
		fail "the old recording: $(sqlite3 old$version.db 'SELECT * FROM top_self WHERE recording = 1')"
	[ "$(sqlite3 old$version.db 'PRAGMA user_version; SELECT count(*) FROM recording' | tr '\n' ' ')" = "4 2 " ] ||
		fail "version $version did not become version 4"
done

# An export that is killed adds all or nothing: at 20 moments of the time that one takes.
"$PERF" record -q -g -F 20000 -e cpu-clock:u,page-faults:u -o many.data ./prog 200
sqlite3 prof.db .dump >before
cp prof.db whole.db
begin=$(date +%s%N)
"$PERF" export -i many.data -o whole.db 2>/dev/null
took=$((($(date +%s%N) - begin) / 1000000))
sqlite3 whole.db .dump >after
for i in $(seq 20); do
	cp prof.db killed.db
	rm -f killed.db-journal
	"$PERF" export -i many.data -o killed.db 2>/dev/null &
	sleep "$(awk "BEGIN { print $took * $i / 20000 }")"
	kill -9 $! 2>/dev/null || :
	wait $! 2>/dev/null || :
	sqlite3 killed.db .dump >state
	cmp -s state before || cmp -s state after || fail "killed after $i/20 of $took ms: another state"
	[ "$(sqlite3 killed.db 'PRAGMA integrity_check')" = ok ] || fail "killed after $i/20 of $took ms: damaged"
done
"$PERF" export -i many.data -o killed.db 2>/dev/null
sqlite3 killed.db .dump | cmp - after || fail "an export after a killed one"

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

# Control groups
if "$PERF" record -q --all-cgroups -e cpu-clock:u -o groups.data ./prog 50 2>/dev/null; then
	expect_status 0 "$PERF" export -i groups.data --labels cgroup -o groups.db
	[ "$(sqlite3 groups.db "SELECT count(*) FROM sample WHERE cgroup LIKE '/%'")" -gt 0 ] || fail "no control groups"
fi
expect_status 1 "$PERF" export -i b.data --labels cgroup -o groups.db
