# perf push: what reaches a server, labels, tokens; servers that are away, busy, broken, slow; what is not sent
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3 cc
"$PERF" version --build-options | grep -q 'curl: \[ on' || skip "perf was built without libcurl"
program prog progs/stacks -O1 -g -pthread
"$PERF" record -q -g -e cpu-clock:u -o a.data ./prog 50
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null || :' EXIT

serve() { # ANSWER...: sets url
	[ -z "$server" ] || kill $server 2>/dev/null || :
	rm -rf got && mkdir got
	python3 "$PERF_SRC/tests/progs/receiver.py" got "$@" &
	server=$!
	for _ in $(seq 3000); do
		[ ! -f got/port ] || break
		sleep 0.1
	done
	url=http://127.0.0.1:$(cat got/port)
}
requests() { find got -name '*.body' | wc -l; }
unset PERF_PUSH_TOKEN http_proxy HTTP_PROXY

# The profiles are those of perf export; labels, headers and the token arrive, and the token is not shown.
serve 200
echo "the-token" >token
expect_status 0 "$PERF" push -v --pyroscope "$url/" --service shop --label version=4.2 --label zone=a/b --header 'X-Scope-OrgID: team' \
	--token-file token a.data
! grep -q the-token out err || fail "the token is shown"
grep -q "^POST /ingest?name=shop%7Bhostname%3D.*%2Cversion%3D4.2%2Czone%3Da%2Fb%7D&from=[0-9]*&until=[0-9]*&format=pprof" got/1.head ||
	fail "$(cat got/1.head)"
grep -q '^X-Scope-OrgID: team' got/1.head || fail "no header: $(cat got/1.head)"
grep -q '^Authorization: Bearer the-token' got/1.head || fail "no token: $(cat got/1.head)"
"$PERF" export --labels comm -o want.pb.gz a.data 2>/dev/null
gzip -dc <got/1.body >got.pb
gzip -dc <want.pb.gz >want.pb
cmp got.pb want.pb || fail "another profile than that of perf export"

expect_status 0 "$PERF" push --otlp "$url" a.data
"$PERF" export --format otlp --labels comm,tid,version -o want.otlp a.data 2>/dev/null
grep -q '^POST /v1development/profiles' got/2.head || fail "$(cat got/2.head)"
cmp got/2.body want.otlp || fail "another profile than that of perf export"
expect_status 0 env PERF_PUSH_TOKEN=other "$PERF" push --otlp "$url" --service shop --label version=4.2 a.data
grep -q '^Authorization: Bearer other' got/3.head || fail "no token: $(cat got/3.head)"
grep -aqF shop got/3.body && grep -aqF 4.2 got/3.body || fail "no labels"

# Each of several; those that cannot be read do not keep others back.
expect_status 1 "$PERF" push --otlp "$url" missing.data a.data
expect_text err "1 of 2 recordings were not sent"
[ "$(requests)" = 4 ] || fail "$(requests) requests"

# Failures that may pass are tried again, others are not.
serve 500 429 200
expect_status 0 "$PERF" push --otlp "$url" a.data
[ "$(requests)" = 3 ] || fail "$(requests) requests"
serve reset 200
expect_status 0 "$PERF" push --otlp "$url" a.data
[ "$(requests)" = 2 ] || fail "$(requests) requests"
serve 503
expect_status 1 "$PERF" push --otlp "$url" --retries 1 a.data
expect_line err "perf: error: $url answers 503: status 503"
[ "$(requests)" = 2 ] || fail "$(requests) requests"
serve 403
expect_status 1 "$PERF" push --otlp "$url" a.data
expect_text err "check the token"
[ "$(requests)" = 1 ] || fail "$(requests) requests"
serve echo # a server that repeats what it got, such as a debugging proxy
expect_status 1 env PERF_PUSH_TOKEN="$(printf 'my-token\nX-Other: header')" "$PERF" push --otlp "$url" a.data
! grep -q my-token err || fail "the token is shown: $(cat err)"
grep -q '^Authorization: Bearer my-token$' got/1.head || fail "no token: $(cat got/1.head)"
! grep -q '^X-Other' got/1.head || fail "a token adds a header"
serve half
expect_status 0 "$PERF" push --otlp "$url" a.data
[ "$(requests)" = 1 ] || fail "$(requests) requests"
serve long
expect_status 1 "$PERF" push --otlp "$url" --retries 0 a.data
[ "$(wc -c <err)" -lt 2000 ] || fail "too many words of the server: $(wc -c <err)"
! grep -q "$(printf '\033')" err || fail "a control character of the server"
serve slow
expect_status 1 "$PERF" push --otlp "$url" --retries 0 --timeout 1 a.data
kill $server
wait $server 2>/dev/null || :
server=
expect_status 1 "$PERF" push --otlp "$url" --retries 1 a.data
expect_text err "connect"
expect_lines err 1

# What would be sent; mistakes.
expect_status 0 "$PERF" push --dry-run --pyroscope http://host:4040 --token-file token a.data
expect_text out "POST http://host:4040/ingest"
expect_text out "Authorization: Bearer ..."
expect_status 129 "$PERF" push a.data
expect_text err "no server is named"
expect_status 129 "$PERF" push --otlp ftp://host a.data
expect_status 129 "$PERF" push --otlp http://user:password@host a.data
! grep -q password@ err || fail "the password is shown"
for wrong in http:// http:///path 'http://host/?token=secret' 'http://host/#part' 'http://ho st' "$(printf 'http://ho\nst')"; do
	expect_status 129 "$PERF" push --dry-run --otlp "$wrong" a.data
	! grep -q secret err || fail "the query of a URL is shown"
done
expect_status 129 "$PERF" push --otlp "$url" --label version a.data
expect_status 129 "$PERF" push --otlp "$url" --header "$(printf 'a: b\nc: d')" a.data
expect_status 129 "$PERF" push --otlp "$url" --token-file missing a.data
: >empty-token
expect_status 129 "$PERF" push --otlp "$url" --token-file empty-token a.data
expect_line err "perf: error: the first line of the token file 'empty-token' is empty"

# Nothing is left when it is killed.
for ms in 00 02 04 06 08 10 15 20; do
	"$PERF" push --retries 0 --otlp http://127.0.0.1:1 a.data a.data a.data a.data 2>/dev/null &
	pid=$!
	sleep 0.$ms
	kill -TERM $pid 2>/dev/null || :
	wait $pid || :
done
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'perf-push.*' -newer a.data -user "$(id -un)" 2>/dev/null)" ] || fail "a folder is left"
