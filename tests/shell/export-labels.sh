# perf export --labels service,container,version: of each sample, from control groups and build-ids
. "$PERF_SRC/tests/lib.sh"
need_record
need_command cc readelf gzip
program prog progs/stacks -O1 -g -Wl,--build-id=sha1 -pthread
id=$(readelf -n prog | sed -n 's/.*Build ID: //p')

# The version is that of the program, also of processes without a sample in it; no control groups are needed.
"$PERF" record -q -e cpu-clock:u -o plain.data sh -c './prog 50; exec ./prog 50'
expect_status 0 "$PERF" export -i plain.data --labels version -o plain.pb.gz
gzip -dc plain.pb.gz | grep -aqF "$id" || fail "no version $id"
for label in service container; do
	expect_status 1 "$PERF" export -i plain.data --labels $label -o plain.pb.gz
	expect_text err "perf record --all-cgroups"
done

# A unit, a container, and the name of the process where the path tells none
mount=$(awk '$3 == "cgroup" && $4 ~ /perf_event/ { print $2; exit } $3 == "cgroup2" { print $2 }' /proc/mounts | head -n 1)
[ -n "$mount" ] || skip "no control groups are mounted"
group=$mount/perf-test-$$.slice
container=$(printf '%064x' $$)
mkdir "$group" "$group/shop.service" "$group/docker-$container.scope" 2>/dev/null || skip "control groups cannot be made"
trap 'sleep 0.1; rmdir "$group"/*/ "$group" || :' EXIT
"$PERF" record -q --all-cgroups -e cpu-clock:u -o groups.data sh -c "
	(sh -c 'echo \$PPID' >'$group/shop.service/cgroup.procs' && exec ./prog 50)
	(sh -c 'echo \$PPID' >'$group/docker-$container.scope/cgroup.procs' && exec ./prog 50)
	exec ./prog 50" 2>err || skip "samples have no control groups: $(cat err)"
expect_status 0 "$PERF" export -i groups.data --labels service,container,version -o groups.pb.gz
gzip -dc groups.pb.gz >text
for word in shop "$container" "perf-test-$$" "$id"; do
	grep -aqF "$word" text || fail "pprof: no $word"
done
expect_status 0 "$PERF" export -i groups.data --labels service,container,version -o groups.otlp
for word in service.name shop container.id "$container" service.version "$id"; do
	grep -aqF "$word" groups.otlp || fail "otlp: no $word"
done
if command -v sqlite3 >/dev/null && "$PERF" version --build-options | grep -q 'sqlite3: \[ on'; then
	expect_status 0 "$PERF" export -i groups.data --labels service,container,version -o groups.db
	sqlite3 groups.db "SELECT DISTINCT s.service, s.container, t.process, s.version FROM sample s JOIN thread t ON t.id = s.thread
		WHERE s.version = '$id' AND s.cgroup IS NULL ORDER BY 1" >got
	for line in "shop||prog|$id" "perf-test-$$|$container|prog|$id"; do
		grep -qxF "$line" got || fail "sqlite: no $line: $(cat got)"
	done
	whole=$(sqlite3 groups.db "SELECT sum(weight) FROM sample")
	[ "$whole" = "$("$PERF" export -i groups.data --format folded 2>/dev/null | awk '{ n += $NF } END { printf "%d", n }')" ] ||
		fail "sqlite: weights"
fi
# Names that are to be left out
expect_status 0 "$PERF" export -i groups.data --labels service,container,version --redact 'shop|^0000' -o redacted.pb.gz
gzip -dc redacted.pb.gz >text
if grep -aqF -e shop -e "$container" text; then fail "not left out"; fi
