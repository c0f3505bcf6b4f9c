# perf record --span: places of a running process, of a library, of a stripped program; static probes with a counter
. "$PERF_SRC/tests/lib.sh"
need_record
need_command "${CC:-cc}" "${CXX:-c++}" strip
# timeout: 120

cat >shop.cc <<'C'
#define FUNCTION extern "C" __attribute__((noipa, visibility("default")))
static volatile unsigned long sink;
FUNCTION void serve(int n) { for (int i = 0; i < n; i++) sink = sink + i; }
namespace shop {
struct order { int n; };
__attribute__((noipa)) int handle(const order &o) { sink = sink + o.n; return o.n; }
__attribute__((noipa)) int handle(int n) { sink = sink + n; return n; }
static inline __attribute__((always_inline)) int priced(int n) { sink = sink + n; return n * 3; }
__attribute__((noipa)) int only(long n) { sink = sink + priced(n); return n; }
}
extern "C" void all(void)
{
	shop::order o{1};
	for (int i = 0; i < 30; i++) {
		shop::handle(o); shop::handle(i); shop::only(i);
		serve(1000);
	}
}
C
# As sys/sdt.h writes the notes; the probes run only while somebody raised the counter.
cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
unsigned short volatile begin_counter __attribute__((section(".probes"))), end_counter __attribute__((section(".probes")));
#define PROBE(name, counter) __asm__ volatile("990: nop\n" \
	".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte 990b, _.stapsdt.base, " counter "\n" \
	".asciz \"shop\"\n.asciz \"" name "\"\n.asciz \"\"\n994: .balign 4\n.popsection\n" \
	".ifndef _.stapsdt.base\n.pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
	".weak _.stapsdt.base\n.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n.endif\n")
extern void all(void);
static volatile unsigned long sink;
__attribute__((noipa)) void hidden_name(void) { sink = sink + 1; }
int main(int argc, char **argv)
{
	int raised = 0;

	for (int i = 0; argc == 1 ? i < 1 : i < atoi(argv[1]); i++) {
		all();
		for (int k = 0; k < 25; k++) {
			raised += begin_counter && end_counter;
			if (begin_counter)
				PROBE("order__begin", "begin_counter");
			hidden_name();
			if (end_counter)
				PROBE("order__end", "end_counter");
		}
		if (argc > 1)
			usleep(10000);
	}
	printf("raised %d times, now %d\n", raised, begin_counter);
	return 0;
}
C
"${CXX:-c++}" -g -O2 -shared -fPIC -o libshop.so.2 shop.cc || fail "cannot compile the library"
"${CC:-cc}" -g -O2 -fno-lto -o server main.c ./libshop.so.2 || fail "cannot compile"
"$PERF" record -e uprobe:./server:hidden_name -o probe.data true >probe.out 2>&1 || skip "no probes here: $(head -n 1 probe.out)"

# number FILE: of the spans of a recording
number() { "$PERF" report --span --json -i "$1" | python3 -c 'import json, sys; print(json.load(sys.stdin)["spans"][0]["number"])'; }
# expect_spans NUMBER FUNCTION
expect_spans() {
	"$PERF" record -q -e cpu-clock:u -o s.data --span "$2" ./server >out 2>err || fail "$2: $(cat err)"
	[ "$(number s.data)" = "$1" ] || fail "$2: $(number s.data) spans instead of $1"
}
need_command python3

# A library of the command; a C++ name; which of two.
expect_spans 30 serve
expect_spans 30 libshop.so.2:serve
expect_spans 30 shop::only
expect_status 1 "$PERF" record -o x.data --span shop::handle ./server
expect_text err "has 2 places"
for name in $(sed -n 's/^say which: //p' err | tr -d ,); do
	expect_spans 30 "$name"
done

# A function that is a part of its caller only
expect_status 1 "$PERF" record -o x.data --span shop::priced ./server
expect_text err "it was inlined, and has no address: choose its caller 'shop::only'"

# Static probes: the program sees that somebody raised their counters, and nobody does afterwards.
expect_spans 25 'sdt_shop:order__begin..sdt_shop:order__end'
expect_text out "raised 25 times"
expect_spans 25 'server:sdt_shop:order-begin..server:sdt_shop:order-end'
./server >out
expect_text out "raised 0 times, now 0"
expect_status 1 "$PERF" record -o x.data --span 'sdt_shop:order__begin..sdt_shop:absent' ./server
expect_text err "sdt_shop:absent"

# A stripped program has static probes, and what it exports.
strip -o stripped server
"$PERF" record -q -e cpu-clock:u -o s.data --span 'sdt_shop:order__begin..sdt_shop:order__end' ./stripped >out 2>err || fail "stripped: $(cat err)"
[ "$(number s.data)" = 25 ] || fail "stripped: $(number s.data)"
expect_status 1 "$PERF" record -o x.data --span hidden_name ./stripped
expect_text err "stripped"

# A running process, by its number and its user; the whole machine.
./server 100000 >server.out &
server=$!
trap 'kill $server 2>/dev/null || :' EXIT
for how in "-p $server --span serve" "-p $server --span sdt_shop:order__begin..sdt_shop:order__end" \
	"-u $(id -u) --span ./server:hidden_name" "-a --span $PWD/libshop.so.2:serve"; do
	# shellcheck disable=SC2086
	"$PERF" record -q -e cpu-clock:u -o p.data $how -- sleep 0.5 >out 2>err || fail "$how: $(cat err)"
	[ "$(number p.data)" -ge 1 ] || fail "$how: $(number p.data) spans"
done
expect_status 1 "$PERF" record -o x.data -a --span serve -- sleep 0.1
# Processes that are not there yet: nothing was called.
"$PERF" record -e cpu-clock:u -o p.data -p $$ --span ./server:hidden_name -- sleep 0.1 >out 2>err || fail "none: $(cat err)"
expect_text err "no span was recorded"
