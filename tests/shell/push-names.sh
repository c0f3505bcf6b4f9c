# perf push: names that would change a series are escaped; profiles have ids; a server that rejects a part is told
. "$PERF_SRC/tests/lib.sh"
need_record
need_command python3
"$PERF" version --build-options | grep -q 'curl: \[ on' || skip "perf was built without libcurl"
"$PERF" record -q -e cpu-clock:u -o a.data sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null || :' EXIT
mkdir got
python3 "$PERF_SRC/tests/progs/receiver.py" got 200 partial &
server=$!
for _ in $(seq 300); do
	[ ! -f got/port ] || break
	sleep 0.1
done
url=http://127.0.0.1:$(cat got/port)
unset PERF_PUSH_TOKEN http_proxy HTTP_PROXY

evil=$(printf 'a,service_name=EVIL}\302\233\377')
expect_status 0 "$PERF" push --pyroscope "$url" --service 'shop{x=y}' --label hostname="$evil" a.data
cat >name.py <<'P'
import urllib.parse
path = open("got/1.head").readline().split()[1]
print(ascii(urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)["name"][0]))
P
python3 name.py >out
expect_line out "'shop_x_y_{hostname=a_service_name_EVIL___\\ufffd}'"

expect_status 0 "$PERF" push --otlp "$url" a.data
expect_text err "for 2 of its profiles: too?late"

# ids: 16 bytes that are not zero, of each profile another one, the same each time (field 7 of Profile)
"$PERF" export --format otlp -i a.data -o 1.otlp
"$PERF" export --format otlp -i a.data -o 2.otlp
cat >ids.py <<'P'
import sys
def fields(b):
    at, out = 0, []
    def varint():
        nonlocal at
        x = shift = 0
        while True:
            x |= (b[at] & 127) << shift
            shift += 7
            at += 1
            if not b[at - 1] & 128:
                return x
    while at < len(b):
        tag = varint()
        if tag & 7 == 2:
            n = varint()
            out.append((tag >> 3, b[at:at + n]))
            at += n
        elif tag & 7 == 1:
            at += 8
        else:
            varint()
    return out
ids = [v for f, r in fields(open(sys.argv[1], "rb").read()) if f == 1 for g, s in fields(r) if g == 2
       for h, p in fields(s) if h == 2 for k, v in fields(p) if k == 7]
assert ids and all(len(i) == 16 and any(i) for i in ids) and len(set(ids)) == len(ids), ids
print(ids)
P
python3 ids.py 1.otlp >1
python3 ids.py 2.otlp >2
cmp 1 2
