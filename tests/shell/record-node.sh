# timeout: 300
# A JavaScript program whose functions call each other in a known way, recorded without any flag: names and whole
# chains, interpreted and compiled by each compiler. What it prints does not change, also when the recorder is
# killed. Where node says itself which function is where (--perf-basic-prof), it says the same.
. "$PERF_SRC/tests/lib.sh"
need_record
need_command node
[ "$(uname -m)" = x86_64 ] || skip "V8's frames are read on x86-64 only"
[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -le 1 ] ||
	skip "this user may not read the memory of other processes (kernel.yama.ptrace_scope)"
version=$(node -p 'process.versions.node.split(".")[0]' 2>out) || skip "node does not work here: $(tail -n 1 out)"
[ "$version" -ge 18 ] && [ "$version" -le 24 ] || skip "node $version is none of the versions whose V8 is known"

cat >chain.js <<'J'
'use strict';
let sink = 0;
function leaf(n) { let s = n; for (let i = 0; i < 3000; i++) s = (s * 31 + (s >>> 7) + i) | 0; return s; }
const object = { middle(n) { return leaf(n) + 1; } };
class Outer {
	constructor(n) { this.sum = object.middle(n); }
	run(n) { return new Outer(n).sum + 1; }
}
const outer = new Outer(1);
(function start(rounds) { for (let i = 0; i < rounds; i++) sink = (sink + outer.run(i)) | 0; })(+process.argv[2]);
console.log('sum ' + sink);
J
expected='leaf chain.js:3:14|middle chain.js:4:24|Outer chain.js:6:13|run chain.js:7:5|start chain.js:10:16|'

# chains OPTIONS: "WHOLE ALL" of the samples in leaf that have all of its callers
chains() {
	"$PERF" record -o data -e cpu-clock:u -F 999 -g node $1 chain.js "$2" >out 2>err ||
		fail "record of node $1: $(cat err)"
	expect_text out 'sum '
	"$PERF" script -i data -F ip,sym >script 2>err
	awk -v expected="$expected" 'BEGIN { RS = ""; FS = "\n" }
		/leaf .*chain.js:3/ {
			nr++
			text = ""
			for (i = 1; i <= NF; i++) {
				sub(/^[ \t]*[0-9a-f]+ /, "", $i)
				sub(/ \/.*\//, " ", $i)
				if ($i !~ /^Builtins_|construct_stub/) # what V8 has between functions: not in all builds
					text = text "|" $i
			}
			if (index(text, "|" expected) && text ~ /main/)
				whole++
		}
		END { print whole + 0, nr + 0 }' script
}

# V8 inlines all of them if it may
inline="--max-inlined-bytecode-size=0 --max-inlined-bytecode-size-cumulative=0 --max-inlined-bytecode-size-small=0"
for how in --no-opt:--no-sparkplug:6000 --no-opt:--always-sparkplug:20000 "$inline::60000"; do
	rounds=${how##*:}
	options=$(echo "${how%:*}" | tr ':' ' ')
	set -- $(chains "$options" "$rounds")
	echo "node $options: $1 of $2 chains whole"
	[ "$2" -ge 30 ] || skip "only $2 samples of node $options in the leaf"
	# a recorder that gets no time reads what is there no more
	[ $(($1 * 100)) -ge $(($2 * 90)) ] || fail "$1 of $2 chains of node $options are whole"
done
# The names are in the file. A report counts a function that was compiled several times as one.
"$PERF" report -i data --stdio --no-children -g none >report 2>err
[ "$(grep -c 'leaf .*chain.js:3:14' report)" = 1 ] || fail "not one row of a function: $(grep leaf report)"

# In a pipe, as in slices of perf top and perf agent, names are records.
"$PERF" record -o - -e cpu-clock:u -F 999 -g node chain.js 20000 2>err | "$PERF" report -i - --stdio --no-children -g none >report 2>err2 ||
	fail "pipe: $(cat err err2)"
grep -q 'leaf .*chain.js:3:14' report || fail "no name in a pipe: $(head -n 30 report)"

# What node itself says of the functions that perf has names of.
"$PERF" record -o judged -e cpu-clock:u -F 999 -g node --perf-basic-prof chain.js 20000 >out 2>err ||
	fail "record of node --perf-basic-prof: $(cat err)"
map=$(grep -l "$PWD/chain.js" /tmp/perf-*.map 2>/dev/null)
[ "$map" ] || skip "node wrote no map into /tmp"
sed -n 's/^[0-9a-f]* [0-9a-f]* [A-Za-z]*:[~^*+'"'"']*\(.*chain.js:[0-9:]*\)$/\1/p' $map | sed 's/^ /(anonymous) /' |
	sort -u >theirs
rm -f $map
"$PERF" script -i judged -F ip,sym 2>err | sed -n 's/^[[:space:]]*[0-9a-f]* //; /chain.js:/p' |
	grep -v '^[A-Za-z]*:[~^*+]' | sort -u >ours # those are node's, where perf has none
[ "$version" != 18 ] || sed -i 's/:[0-9]*$//' ours # which has lines only
[ "$(wc -l <ours)" -ge 3 ] || fail "names of perf: $(cat ours)"
comm -23 ours theirs >wrong
[ ! -s wrong ] || fail "node does not say so: $(cat wrong)"

# The recorder is killed: the program goes on.
node --no-opt chain.js 20000 >sum &
target=$!
attach -e cpu-clock:u -F 999 -g -o killed.data -p $target
sleep 0.3
kill -9 $recorder
wait $target || fail "node ended with $? after its recorder was killed"
expect_text sum 'sum '
