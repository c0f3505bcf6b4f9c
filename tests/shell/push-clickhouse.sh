# perf push --clickhouse: a recording counts once, hostile names arrive as they are, what is said about other servers
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3 cc readelf gzip
"$PERF" version --build-options | grep -q 'curl: \[ on' || skip "perf was built without libcurl"
name=$(printf "x\t'\\\\); DROP TABLE samples;--\n")
program "$name" progs/stacks -O1 -g -Wl,--build-id=sha1 -pthread
"$PERF" record -q -g -e cpu-clock:u -o a.data "./$name" 50
unset PERF_PUSH_TOKEN http_proxy HTTP_PROXY

# Not a ClickHouse, none at all, and what would be sent
mkdir got
python3 "$PERF_SRC/tests/progs/receiver.py" got 200 &
server=$!
trap 'kill $server 2>/dev/null || :' EXIT
for _ in $(seq 3000); do
	[ ! -f got/port ] || break
	sleep 0.1
done
url=http://127.0.0.1:$(cat got/port)
echo secret >token
expect_status 1 "$PERF" push --clickhouse "$url" --retries 0 --token-file token a.data
expect_text err "is not a ClickHouse server"
grep -q '^X-ClickHouse-Key: secret' got/1.head && grep -q '^X-ClickHouse-User: default' got/1.head || fail "$(cat got/1.head)"
! grep -q '^Authorization' got/1.head || fail "two kinds of tokens"
! grep -q secret out err || fail "the token is shown"
expect_status 1 "$PERF" push --clickhouse http://127.0.0.1:9 --retries 0 a.data
expect_lines err 1
expect_status 0 "$PERF" push --dry-run --clickhouse http://host:8123/ a.data
expect_text out "POST http://host:8123/?insert_distributed_sync=1&query=INSERT%20INTO%20perf.samples"

# A real one
command -v clickhouse-server >/dev/null && command -v clickhouse-client >/dev/null || skip "clickhouse-server is not installed"
cat >node.py <<'END'
import os, sys, time
sys.path.insert(0, os.environ["PERF_SRC"] + "/tests/fleet")
sys.dont_write_bytecode = True
from nodes import Node
n = Node(os.getcwd() + "/node")
n.configure([n])
n.start()
try:
    n.wait()
    open("node.http", "w").write(str(n.http))
    open("node.tcp", "w").write(str(n.tcp))
    os.rename("node.tcp", "node.up")
    sys.stdin.read()
finally:
    n.kill()
END
export PERF_SRC
mkfifo stop
python3 node.py <stop >node.log 2>&1 &
node=$!
exec 7>stop # the server ends with this test
trap 'exec 7>&-; kill $server 2>/dev/null || :; wait $node || :' EXIT
for _ in $(seq 3000); do
	[ ! -f node.up ] && kill -0 $node 2>/dev/null || break
	sleep 0.2
done
[ -f node.up ] || skip "clickhouse-server does not start: $(tail -n 1 node.log)"
url=http://127.0.0.1:$(cat node.http)
sql() { clickhouse-client --host 127.0.0.1 --port "$(cat node.up)" --multiquery "$@" 7>&-; }

expect_status 1 "$PERF" push --clickhouse "$url" a.data
expect_text err "to make the tables"
sql <"$PERF_SRC/share/clickhouse/schema.sql"
expect_status 0 "$PERF" push --clickhouse "$url" --label service=shop --label version=4.2 --label zone=a a.data
expect_text err "was sent"
cp a.data again.data
expect_status 0 "$PERF" push --clickhouse "$url" again.data
expect_text err "was there already"
[ "$(sql -q 'SELECT count(), any(service), any(version), any(labels) FROM perf.slices')" = "1	shop	4.2	['service=shop','version=4.2','zone=a']" ] ||
	fail "$(sql -q 'SELECT * FROM perf.slices')"
sql -q "SELECT DISTINCT binary FROM perf.frames WHERE binary LIKE 'x%' FORMAT TSVRaw" >got_name
printf '%s\n' "$name" | cmp - got_name || fail "another name: $(cat got_name)"
sql <"$PERF_SRC/share/clickhouse/fill-minutes.sql"
sql <"$PERF_SRC/share/clickhouse/fill-minutes.sql"
want=$("$PERF" report --stdio -g none --no-children -F period -s sym -i a.data 2>/dev/null | awk '/^ +[0-9]/ { n += $1 } END { print n }')
for q in top top-minutes; do
	got=$(sed '/^LIMIT/d' "$PERF_SRC/share/clickhouse/queries/$q.sql" | sql | awk -F '\t' '{ n += $4 } END { print n }')
	[ "$got" = "$want" ] || fail "$q: $got, not $want"
done
# All rows are those of one attempt: others do not count.
sql -q "INSERT INTO perf.samples SELECT day, service, container, version, event, minute, stack, process, thread, attempt + 1, weight, samples FROM perf.samples"
got=$(sed '/^LIMIT/d' "$PERF_SRC/share/clickhouse/queries/top.sql" | sql | awk -F '\t' '{ n += $4 } END { print n }')
[ "$got" = "$want" ] || fail "rows of an attempt that is not in slices count: $got, not $want"

# What is given counts for all samples; else each has the version of its program, and its service where control groups are recorded.
[ "$(sql -q 'SELECT DISTINCT service, container, version FROM perf.samples')" = "shop		4.2" ] || fail "$(sql -q 'SELECT DISTINCT service, container, version FROM perf.samples')"
id=$(readelf -n "$name" | sed -n 's/.*Build ID: //p')
groups=
"$PERF" record -q --all-cgroups -e cpu-clock:u -o b.data "./$name" 50 2>/dev/null && groups=yes || "$PERF" record -q -e cpu-clock:u -o b.data "./$name" 50
expect_status 0 "$PERF" push --clickhouse "$url" --label container=c1 b.data
sql -q "SELECT DISTINCT service FROM perf.samples WHERE container = 'c1' AND version = '$id' FORMAT TSVRaw" >services
[ -s services ] || fail "no version: $(sql -q 'SELECT DISTINCT service, container, version FROM perf.samples')"
if [ "$groups" ]; then
	"$PERF" export -i b.data --labels service -o b.pb.gz && gzip -dc b.pb.gz >b.pb
	while IFS= read -r service; do grep -aqF "$service" b.pb || fail "service '$service' is not that of perf export"; done <services
else
	[ "$(cat services)" = perf ] || fail "services: $(cat services)"
fi
[ "$(sql <"$PERF_SRC/share/clickhouse/queries/services.sql" | cut -f 5,6 | sort -u | head -n 1)" = "0	1" ] || fail "services.sql"
