# perf record --runtimes: the environment of the command, and names of the functions of runtimes that are here
. "$PERF_SRC/tests/lib.sh"
need_record
unset NODE_OPTIONS ERL_FLAGS MONO_ENV_OPTIONS PYTHONPERFSUPPORT PHP_INI_SCAN_DIR DOTNET_PerfMapEnabled

expect_status 0 "$PERF" record -e cpu-clock:u -o x.data --runtimes sh -c 'env >env; cat "${PHP_INI_SCAN_DIR#:}"/*.ini >ini'
expect_line env 'PYTHONPERFSUPPORT=1'
expect_line env 'NODE_OPTIONS=--perf-basic-prof --interpreted-frames-native-stack'
expect_line env 'ERL_FLAGS=+JPperf true'
expect_line ini 'opcache.jit_debug=16'
dir=$(sed -n 's/^PHP_INI_SCAN_DIR=://p' env)
[ -n "$dir" ] && [ ! -e "$dir" ] || fail "the folder for PHP is left: '$dir'"

# What the user has there stays; only those that are named are set.
PYTHONPERFSUPPORT=0 NODE_OPTIONS=--no-warnings PHP_INI_SCAN_DIR=/etc/php "$PERF" record -q -e cpu-clock:u -o x.data \
	--runtimes=python,node,php env >env 2>err || fail "record: $(cat err)"
expect_line env 'PYTHONPERFSUPPORT=0'
expect_line env 'NODE_OPTIONS=--no-warnings --perf-basic-prof --interpreted-frames-native-stack'
grep -q '^PHP_INI_SCAN_DIR=/etc/php:/tmp/perf-ini-' env || fail "the folders of PHP: $(grep PHP env)"
grep -q '^ERL_FLAGS' env && fail "another runtime is told, too"
"$PERF" record -q -e cpu-clock:u -o x.data env >env 2>err
grep -q '^NODE_OPTIONS' env && fail "runtimes are told without --runtimes"

expect_status 129 "$PERF" record --runtimes=pyton -o x.data true
expect_text err "did you mean 'python'?"
expect_status 129 "$PERF" record --runtimes -o x.data -p $$
expect_text err 'the environment of a command'

# A program that is in leaf_work most of the time
command -v node >/dev/null || skip "the environment is right; there is no node to try it with"
cat >b.js <<'JS'
function leaf_work(n) { let s = 0; for (let i = 0; i < n; i++) s += i % 7; return s }
let s = 0
for (let i = 0; i < 15000; i++) s += leaf_work(1e5)
JS
# without -g: with it, perf reads names itself (record-node.sh)
"$PERF" record -e cpu-clock:u -o js.data --runtimes node b.js >out 2>err || fail "record: $(cat err)"
"$PERF" report -s symbol -g none --no-children -i js.data >found 2>err || fail "report: $(cat err)"
awk '/JS:.*b.js/ { sum += $1 } END { exit sum < 50 }' found || fail "functions of b.js have no names: $(head -n 20 found)"
