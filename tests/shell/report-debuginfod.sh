# perf report --debuginfod: debug files from a server, only when asked; a slow server and Ctrl-C end nothing but that
. "$PERF_SRC/tests/lib.sh"
need_record
need_command gcc objcopy strip readelf debuginfod

cat >spin.c <<'EOF'
volatile unsigned long x;
static __attribute__((noinline)) void hidden_name(void) { for (long i = 0; i < 200000000; i++) x += STEP; }
int main(void) { hidden_name(); return 0; }
EOF
HOME=$PWD/home
export HOME
unset XDG_CACHE_HOME DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH DEBUGINFOD_PROGRESS
mkdir home served
for n in 1 2 3; do
	gcc -g -O1 -DSTEP=$n -o full$n spin.c
	strip -o prog$n full$n
	"$PERF" record --no-embed -o p$n.data -e cpu-clock:u ./prog$n >record.out 2>&1
	grep -q '([1-9][0-9]* samples)' record.out || skip "no samples on this busy machine"
done
objcopy --only-keep-debug full1 served/one.debug
objcopy --only-keep-debug full3 wrong.debug
id2=$(readelf -n full2 | sed -n 's/.*Build ID: //p')

port=$((20000 + $$ % 20000))
debuginfod -F -p $port -d :memory: -t 0 served >server.out 2>&1 &
server=$!
trap 'kill -9 $server 2>/dev/null || true' EXIT
for i_ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	! grep -q 'fdcache\|served.*found\|scanned .* files=\|groom' server.out || break
	sleep 0.3
done
kill -0 $server 2>/dev/null || skip "debuginfod does not run here: $(tail -n 1 server.out)"
url=http://127.0.0.1:$port

names() { # N OPTION...
	n_=$1
	shift
	expect_status "${want:-0}" timeout --preserve-status -s INT "${limit:-30}" "$PERF" report --stdio -g none -F sym -i p$n_.data "$@"
}
no_name() {
	! grep -q hidden_name out || fail "a name from $1"
}

export DEBUGINFOD_URLS=$url
names 1
no_name "a server that nobody asked for"
for i_ in 1 2 3 4 5 6 7 8 9 10; do # it takes the server a while to look at its files
	rm -rf home/.cache
	names 1 --debuginfod
	! grep -q hidden_name out || break
	sleep 0.5
done
expect_text out hidden_name
names 2 --debuginfod
no_name "a server that does not have it"
expect_empty err
DEBUGINFOD_URLS='' names 1 --debuginfod
expect_text err "DEBUGINFOD_URLS names no server"
expect_status 129 "$PERF" report -i p1.data --debuginfod=soon

# A server that takes the call but never answers. What it answered before is known, yes and no.
kill -STOP $server
begin=$(date +%s)
limit=10
names 1 --debuginfod
expect_text out hidden_name
names 2 --debuginfod
[ $(($(date +%s) - begin)) -lt 8 ] || fail "asks again for what there was not"
names 3 --debuginfod=1
expect_text err "not all debug files were fetched from servers: its time is over"
expect_text out "prog3@0x"
rm -rf home/.cache
limit=1
names 3 --debuginfod
expect_text err "not all debug files were fetched from servers: it was interrupted"
expect_text out "prog3@0x"

# Another build's file in the cache is refused.
mkdir -p "home/.cache/debuginfod_client/$id2"
cp wrong.debug "home/.cache/debuginfod_client/$id2/debuginfo"
limit=10
names 2 --debuginfod=1
no_name "another build's file"
