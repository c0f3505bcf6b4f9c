# Writes the programs of tests/stacks/truth into the current folder. leaf0 to leaf4 cost 1:2:3:4:5, under mid, under nine
# recursions of top, under main.

spin_c='for (long i = 0; i < LOOPS * 2000; i++) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; }'

c_head() {
	cat <<'END'
#ifdef __clang__
#define ALONE __attribute__((noinline))
#else
#define ALONE __attribute__((noipa))
#endif
volatile unsigned long sink;
END
}

c_leaf() { # NAME LOOPS
	echo "ALONE unsigned long $1(unsigned long n) { unsigned long a = n | 1; $(echo "$spin_c" | sed "s/LOOPS/$2/") return a; }"
}

c_leaves() {
	for i in 0 1 2 3 4; do c_leaf leaf$i $((i + 1)); done
}

# sink changes after each call, so that no compiler makes a loop or a jump of it.
c_tree() {
	c_leaves
	cat <<'END'
ALONE unsigned long mid(unsigned long n)
{
	unsigned long s = 1;
	s += leaf0(n); s += leaf1(s); s += leaf2(s); s += leaf3(s); s += leaf4(s);
	sink += s;
	return s;
}
ALONE unsigned long top(int d, unsigned long n)
{
	unsigned long s = d ? top(d - 1, n) : mid(n);
	sink += s;
	return s + d;
}
int main(void)
{
	for (long i = 0; i < 8000; i++)
		sink += top(9, i);
	return 0;
}
END
}

{ c_head; c_tree; } >tree.c
cp tree.c tree.cc

{
	echo '#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <alloca.h>'
	c_head
	for leaf in pointer tail signal alloca stale long after case; do c_leaf leaf_$leaf 3; done
	cat <<'END'
/* callbacks through pointers */
typedef unsigned long (*work)(unsigned long);
static volatile work chosen = leaf_pointer;
ALONE unsigned long each_pointer(work w, unsigned long n) { unsigned long s = w(n); sink += s; return s; }
ALONE unsigned long pointers(unsigned long n) { unsigned long s = each_pointer(chosen, n); sink += s; return s; }
ALONE int leaf_sort(const void *a, const void *b)
{
	unsigned long v = *(const int *)a;
	for (long i = 0; i < 500; i++) { v ^= v << 13; v ^= v >> 7; v ^= v << 17; }
	sink += v;
	return *(const int *)a - *(const int *)b;
}
ALONE void sorts(void)
{
	int v[] = { 5, 3, 9, 1, 7, 2 };
	qsort(v, 6, sizeof(v[0]), leaf_sort);
	sink += v[0];
}
/* a tail call */
ALONE unsigned long tail_jump(unsigned long n) { return leaf_tail(n + 1); }
ALONE void tails(unsigned long n) { sink += tail_jump(n); }
/* a signal handler */
ALONE void on_signal(int nr) { sink += leaf_signal(nr); }
ALONE void signals(void) { raise(SIGUSR1); sink++; }
/* frames of any size, and space that the function asks for */
ALONE unsigned long variable(int d, unsigned long n)
{
	char *p = alloca(64 + (n & 15) * 40);
	memset(p, d, 64);
	unsigned long s = d ? variable(d - 1, n) : leaf_alloca(n);
	sink += s + p[3];
	return s;
}
ALONE void variables(unsigned long n) { sink += variable(3, n); }
/* old return addresses in locals that nobody writes */
ALONE unsigned long litter(int d) { unsigned long s = d ? litter(d - 1) : 1; sink += s; return s + d; }
ALONE unsigned long leaf_big(unsigned long n)
{
	volatile char space[3000];
	unsigned long a = n | 1;
	space[7] = n;
	for (long i = 0; i < 6000; i++) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; }
	return a + space[7];
}
ALONE void big(unsigned long n) { sink += litter(60); sink += leaf_big(n); }
ALONE void stale(unsigned long n)
{
	volatile char space[1000];
	space[9] = litter(30);
	sink += leaf_stale(n) + space[9];
}
/* functions that do not return */
static jmp_buf out;
ALONE unsigned long jumps_away(unsigned long n) { sink += leaf_long(n); longjmp(out, 1); }
ALONE __attribute__((noreturn)) void never_returns(unsigned long n) { sink++; jumps_away(n); abort(); }
ALONE void noreturns(unsigned long n)
{
	if (!setjmp(out))
		never_returns(n);
	sink += leaf_after(n);
}
/* a jump through a table */
ALONE void switches(unsigned long n)
{
	switch (n % 8) {
	case 0: sink += 9 * leaf_case(n); break;
	case 1: sink += leaf_case(n + 3) >> 2; break;
	case 2: sink ^= leaf_case(n); break;
	case 3: sink -= leaf_case(~n); break;
	case 4: sink = leaf_case(n) + 5; break;
	case 5: sink = 7 * sink + leaf_case(n); break;
	case 6: sink |= leaf_case(n); break;
	default: sink &= leaf_case(n);
	}
	sink++;
}
int main(void)
{
	signal(SIGUSR1, on_signal);
	for (long i = 0; i < 6000; i++) {
		pointers(i); sorts(); tails(i); signals(); variables(i); big(i); stale(i); noreturns(i); switches(i);
	}
	return 0;
}
END
} >mixed.c

{
	c_head
	for leaf in cleanup catch rethrow; do c_leaf leaf_$leaf 3; done
	cat <<'END'
struct Guard { unsigned long n; ALONE ~Guard(); };
Guard::~Guard() { sink += leaf_cleanup(n); sink++; }
ALONE void throws(int d, unsigned long n)
{
	Guard guard = { n };
	if (!d)
		throw n;
	try {
		throws(d - 1, n);
	} catch (unsigned long &caught) {
		sink += leaf_rethrow(caught);
		throw;
	}
}
ALONE void catches(unsigned long n)
{
	try {
		throws(3, n);
	} catch (unsigned long caught) {
		sink += leaf_catch(caught);
	}
	sink++;
}
int main()
{
	for (unsigned long i = 0; i < 15000; i++)
		catches(i);
}
END
} >throws.cc

# Machine code of random functions: jC_0 calls jC_1, and so on to jC_D, which spins. The frame pointer is any number.
cat >random.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { CHAINS = 24, DEEP = 12, SLOT = 512 };
static unsigned char *code, *at;
static unsigned depth[CHAINS];
static unsigned char *start[CHAINS][DEEP + 1], *returns[CHAINS * DEEP], *noise;
static unsigned nr_returns;
static unsigned any(unsigned n) { return (unsigned)rand() / 7 % n; }
static void bytes(const char *b, size_t n) { memcpy(at, b, n); at += n; }
#define BYTES(b) bytes(b, sizeof(b) - 1)
static void number(unsigned long v, size_t n) { memcpy(at, &v, n); at += n; }
static void call(const unsigned char *target)
{
	switch (any(4)) {
	case 0: /* mov rax, target; call rax */
		BYTES("\x48\xb8"); number((unsigned long)target, 8); BYTES("\xff\xd0");
		break;
	case 1: /* mov r11, target; call r11 */
		BYTES("\x49\xbb"); number((unsigned long)target, 8); BYTES("\x41\xff\xd3");
		break;
	default:
		BYTES("\xe8"); number((unsigned long)(target - at - 4), 4);
	}
}
/* rbx, rbp, r12 to r15 */
static void push(unsigned reg) { if (reg > 1) { BYTES("\x41"); number(0x54 + reg - 2, 1); } else number(reg ? 0x55 : 0x53, 1); }
static void pop(unsigned reg) { if (reg > 1) { BYTES("\x41"); number(0x5c + reg - 2, 1); } else number(reg ? 0x5d : 0x5b, 1); }
static void function(unsigned c, unsigned d)
{
	unsigned order[6] = { 0, 1, 2, 3, 4, 5 }, pushed = any(7), has_rbp = 0, size;
	for (unsigned i = 0; i < 6; i++) { unsigned k = any(6), t = order[i]; order[i] = order[k]; order[k] = t; }
	at = start[c][d];
	for (unsigned i = 0; i < pushed; i++) { push(order[i]); has_rbp |= order[i] == 1; }
	size = any(20) * 16 + (pushed % 2 ? 0 : 8);
	if (any(2) && size < 120) { BYTES("\x48\x83\xec"); number(size, 1); }
	else { BYTES("\x48\x81\xec"); number(size, 4); }
	for (unsigned i = 0; i < 3 && size >= 32 && nr_returns; i++) { /* an old return address in a local */
		BYTES("\x48\xb8"); number((unsigned long)returns[any(nr_returns)], 8);
		BYTES("\x48\x89\x84\x24"); number(any(size / 8) * 8, 4);
	}
	if (has_rbp && any(2)) { BYTES("\x48\x8d\xac\x24"); number(any(100) * 8, 4); } /* lea rbp, [rsp+n] */
	if (has_rbp && any(3) == 0) BYTES("\x31\xed"); /* xor ebp, ebp */
	if (any(3) == 0) call(noise);
	if (d == depth[c]) {
		BYTES("\xb9"); number(2000 + any(20000), 4); /* mov ecx, n; dec ecx; jnz */
		BYTES("\xff\xc9\x75\xfc");
	} else {
		call(start[c][d + 1]);
		returns[nr_returns++] = at;
		if (any(3) == 0) { unsigned char *jump; BYTES("\x85\xc0\x74"); jump = at++; call(noise); *jump = at - jump - 1; }
	}
	if (size < 128 && any(2)) { BYTES("\x48\x83\xc4"); number(size, 1); }
	else { BYTES("\x48\x81\xc4"); number(size, 4); }
	while (pushed) pop(order[--pushed]);
	BYTES("\xc3");
	if (at > start[c][d] + SLOT) abort();
}
__attribute__((noipa)) void run(void (*f)(void)) { f(); *(volatile char *)code; }
int main(int argc, char **argv)
{
	unsigned slots[CHAINS * (DEEP + 1)], nr = CHAINS * (DEEP + 1);
	char name[64];
	FILE *map;
	srand(argc > 1 ? atoi(argv[1]) : 1);
	code = mmap(NULL, (nr + 1) * SLOT, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(code, 0xcc, (nr + 1) * SLOT);
	noise = code + nr * SLOT;
	memcpy(noise, "\x50\x53\x5b\x58\xc3", 5);
	for (unsigned i = 0; i < nr; i++) slots[i] = i;
	for (unsigned i = 0; i < nr; i++) { unsigned k = any(nr), t = slots[i]; slots[i] = slots[k]; slots[k] = t; }
	for (unsigned i = 0; i < nr; i++) start[i / (DEEP + 1)][i % (DEEP + 1)] = code + slots[i] * SLOT;
	sprintf(name, "/tmp/perf-%d.map", getpid());
	map = fopen(name, "w");
	for (unsigned c = 0; c < CHAINS; c++) {
		depth[c] = 1 + any(DEEP);
		for (unsigned d = 0; d <= depth[c]; d++) {
			function(c, d);
			fprintf(map, "%lx %x j%u_%u\n", (unsigned long)start[c][d], (unsigned)(at - start[c][d]), c, d);
		}
	}
	fprintf(map, "%lx 5 noise\n", (unsigned long)noise);
	fclose(map);
	for (unsigned i = 0; i < 100000; i++) run((void (*)(void))start[i % CHAINS][0]);
	return 0;
}
END

# ---- the tree in other languages ----

rust_leaves=$(for i in 0 1 2 3 4; do echo "#[inline(never)] fn leaf$i(n: u64) -> u64 { let mut a = n | 1;
	for _ in 0..$((i + 1))*2000 { a ^= a << 13; a ^= a >> 7; a ^= a << 17; } a }"; done)
cat >tree.rs <<END
use std::hint::black_box;
$rust_leaves
#[inline(never)] fn mid(n: u64) -> u64 { let mut s = 1u64;
	s = s.wrapping_add(leaf0(n)); s = s.wrapping_add(leaf1(s)); s = s.wrapping_add(leaf2(s));
	s = s.wrapping_add(leaf3(s)); s = s.wrapping_add(leaf4(s)); black_box(s) }
#[inline(never)] fn top(d: u32, n: u64) -> u64 { let s = if d > 0 { top(d - 1, n) } else { mid(n) }; black_box(s).wrapping_add(1) }
fn main() { let mut s = 0u64; for i in 0..8000 { s = s.wrapping_add(top(9, i)); } println!("{s}"); }
END
{
	echo 'package main
var sink uint64'
	for i in 0 1 2 3 4; do
		echo "//go:noinline
func leaf$i(n uint64) uint64 { a := n | 1; for i := 0; i < $((i + 1))*2000; i++ { a ^= a << 13; a ^= a >> 7; a ^= a << 17 }; return a }"
	done
	echo '//go:noinline
func mid(n uint64) uint64 { s := leaf0(n); s += leaf1(s); s += leaf2(s); s += leaf3(s); s += leaf4(s); return s }
//go:noinline
func top(d int, n uint64) uint64 { var s uint64; if d > 0 { s = top(d-1, n) } else { s = mid(n) }; sink += s; return s }
func main() { for i := uint64(0); i < 8000; i++ { sink += top(9, i) } }'
} >tree.go
{
	echo 'module tree
integer(8), volatile :: sink = 0
contains'
	for i in 0 1 2 3 4; do
		echo "function leaf$i(n) result(a)
integer(8), intent(in) :: n
integer(8) :: a, i
a = ior(n, 1_8)
do i = 1, $((i + 1)) * 2000
a = ieor(a, ishft(a, 13)); a = ieor(a, ishft(a, -7)); a = ieor(a, ishft(a, 17))
end do
end function"
	done
	echo 'function mid(n) result(s)
integer(8), intent(in) :: n
integer(8) :: s
s = leaf0(n); s = ieor(s, leaf1(s)); s = ieor(s, leaf2(s)); s = ieor(s, leaf3(s)); s = ieor(s, leaf4(s))
sink = ieor(sink, s)
end function
recursive function top(d, n) result(s)
integer, intent(in) :: d
integer(8), intent(in) :: n
integer(8) :: s
if (d > 0) then
s = top(d - 1, n)
else
s = mid(n)
end if
sink = ieor(sink, s)
end function
end module
program main
use tree
integer(8) :: i
do i = 1, 8000
sink = ieor(sink, top(9, i))
end do
end program'
} >tree.f90
{
	echo 'with Interfaces; use Interfaces;
procedure Tree is
Sink : Unsigned_64 := 0; pragma Volatile (Sink);'
	for i in 0 1 2 3 4; do
		echo "function Leaf$i (N : Unsigned_64) return Unsigned_64; pragma No_Inline (Leaf$i);
function Leaf$i (N : Unsigned_64) return Unsigned_64 is A : Unsigned_64 := N or 1;
begin for I in 1 .. $((i + 1)) * 2000 loop
A := A xor Shift_Left (A, 13); A := A xor Shift_Right (A, 7); A := A xor Shift_Left (A, 17);
end loop; return A; end Leaf$i;"
	done
	echo 'function Mid (N : Unsigned_64) return Unsigned_64; pragma No_Inline (Mid);
function Mid (N : Unsigned_64) return Unsigned_64 is S : Unsigned_64;
begin S := Leaf0 (N); S := S + Leaf1 (S); S := S + Leaf2 (S); S := S + Leaf3 (S); S := S + Leaf4 (S); Sink := Sink + S; return S; end Mid;
function Top (D : Integer; N : Unsigned_64) return Unsigned_64; pragma No_Inline (Top);
function Top (D : Integer; N : Unsigned_64) return Unsigned_64 is S : Unsigned_64;
begin if D > 0 then S := Top (D - 1, N); else S := Mid (N); end if; Sink := Sink + S; return S; end Top;
procedure Main; pragma No_Inline (Main);
procedure Main is begin for I in Unsigned_64 range 1 .. 8000 loop Sink := Sink + Top (9, I); end loop; end Main;
begin Main; Sink := Sink + 1; end Tree;'
} >tree.adb
{
	echo '__gshared ulong sink; pragma(inline, false):'
	for i in 0 1 2 3 4; do
		echo "extern(C) ulong leaf$i(ulong n) { ulong a = n | 1; foreach (i; 0 .. $((i + 1)) * 2000) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; } return a; }"
	done
	echo 'extern(C) ulong mid(ulong n) { ulong s = leaf0(n); s += leaf1(s); s += leaf2(s); s += leaf3(s); s += leaf4(s); sink += s; return s; }
extern(C) ulong top(int d, ulong n) { ulong s = d ? top(d - 1, n) : mid(n); sink += s; return s; }
void main() { foreach (ulong i; 0 .. 8000) sink += top(9, i); }'
} >tree.d
{
	for i in 0 1 2 3 4; do
		echo "let[@inline never] leaf$i n = let a = ref (n lor 1) in for _ = 1 to $((i + 1)) * 2000 do a := !a lxor (!a lsl 13); a := !a lxor (!a lsr 7); a := !a lxor (!a lsl 17) done; !a"
	done
	echo 'let sink = ref 0
let[@inline never] mid n = let s = leaf0 n in let s = s + leaf1 s in let s = s + leaf2 s in let s = s + leaf3 s in let s = s + leaf4 s in sink := !sink + s; s
let[@inline never] rec top d n = let s = if d > 0 then top (d - 1) n else mid n in sink := !sink + s; s
let[@inline never] main () = for i = 1 to 8000 do sink := !sink + top 9 i done
let () = main (); print_int !sink'
} >tree.ml
{
	echo 'public class T { static volatile long sink;'
	for i in 0 1 2 3 4; do
		echo "static long leaf$i(long n) { long a = n | 1; for (int i = 0; i < $((i + 1)) * 2000; i++) { a ^= a << 13; a ^= a >>> 7; a ^= a << 17; } return a; }"
	done
	echo 'static long mid(long n) { long s = leaf0(n); s += leaf1(s); s += leaf2(s); s += leaf3(s); return s + leaf4(s); }
static long top(int d, long n) { return d == 0 ? mid(n) + 1 : top(d - 1, n) + d; }
public static void main(String[] a) throws Exception {
for (long i = 0; i < 20000; i++) sink += top(9, i);
new ProcessBuilder("jcmd", "" + ProcessHandle.current().pid(), "Compiler.perfmap").start().waitFor(); } }'
} >T.java
{
	for i in 0 1 2 3 4; do
		echo "function leaf$i(n) { let a = n | 1; for (let i = 0; i < $((i + 1)) * 2000; i++) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; } return a; }"
	done
	echo 'function mid(n) { let s = leaf0(n); s ^= leaf1(s); s ^= leaf2(s); s ^= leaf3(s); s ^= leaf4(s); return s; }
function top(d, n) { return d == 0 ? mid(n) ^ 1 : top(d - 1, n) ^ d; }
function main() { let s = 0; for (let i = 0; i < 15000; i++) s ^= top(9, i); console.log(s); }
main();'
} >tree.js
{
	echo 'using System.Runtime.CompilerServices;
public class T { static long sink;'
	for i in 0 1 2 3 4; do
		echo "[MethodImpl(MethodImplOptions.NoInlining)] static long leaf$i(long n) { long a = n | 1; for (int i = 0; i < $((i + 1)) * 2000; i++) { a ^= a << 13; a ^= a >> 7; a ^= a << 17; } return a; }"
	done
	echo '[MethodImpl(MethodImplOptions.NoInlining)] static long mid(long n) { long s = leaf0(n); s += leaf1(s); s += leaf2(s); s += leaf3(s); s += leaf4(s); sink += s; return s; }
[MethodImpl(MethodImplOptions.NoInlining)] static long top(int d, long n) { long s = d == 0 ? mid(n) : top(d - 1, n); sink += s; return s; }
public static void Main() { for (long i = 0; i < 8000; i++) sink += top(9, i); } }'
} >tree.cs
cat >tree.lua <<'END'
local bit = require("bit")
local function leaf0(n) local a = bit.bor(n, 1) for i = 1, 2000 do a = bit.bxor(a, bit.lshift(a, 13)) a = bit.bxor(a, bit.rshift(a, 7)) end return a end
local function mid(n) return leaf0(n) + leaf0(n + 1) end
local function top(d, n) if d == 0 then return mid(n) + 1 end return top(d - 1, n) + d end
local s = 0 for i = 1, 100000 do s = s + top(9, i) % 1000 end print(s)
END
cat >tree.php <<'END'
<?php
function leaf0($n) { $a = $n | 1; for ($i = 0; $i < 2000; $i++) { $a ^= $a << 13; $a ^= $a >> 7; $a ^= $a << 17; } return $a; }
function mid($n) { return leaf0($n) ^ leaf0($n + 1); }
function top($d, $n) { return $d == 0 ? mid($n) ^ 1 : top($d - 1, $n) ^ $d; }
$s = 0; for ($i = 0; $i < 20000; $i++) $s ^= top(9, $i); echo $s;
END
cat >gmp.c <<'END'
#include <gmp.h>
volatile int sink;
__attribute__((noipa)) void work(mpz_t r, mpz_t a, mpz_t b) { mpz_mul(r, a, b); mpz_tdiv_q(r, r, a); sink++; }
int main(void)
{
	mpz_t a, b, r;
	mpz_inits(a, b, r, (void *)0);
	mpz_ui_pow_ui(a, 7, 5000); mpz_ui_pow_ui(b, 11, 4000);
	for (int i = 0; i < 20000; i++) work(r, a, b);
	return 0;
}
END

{
	echo '-module(tree).'
	echo '-export([main/0]).'
	for i in 0 1 2 3 4; do
		echo "leaf$i(0, A) -> A; leaf$i(N, A) -> leaf$i(N - 1, (A * 31 + N) band 16#ffffff)."
	done
	echo "mid(N) -> $(for i in 0 1 2 3 4; do printf 'leaf%d(%d, N) + ' $i $((2000 * (i + 1))); done)1."
	echo 'top(0, N) -> mid(N) + 1; top(D, N) -> top(D - 1, N) + 1.'
	echo 'main(0) -> ok; main(N) -> top(9, N), main(N - 1).'
	echo 'main() -> main(5000), halt().'
} >tree.erl

cat >blas.c <<'END'
#include <stdio.h>
#include <stdlib.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
	    const int *, const double *, const int *, const double *, double *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);
enum { N = 160 };
static double a[N * N], b[N * N], c[N * N];
__attribute__((noipa)) void multiplies(void)
{
	int n = N; double one = 1, zero = 0;
	dgemm_("N", "T", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
}
__attribute__((noipa)) double dots(void) { int n = N * N, one = 1; return ddot_(&n, a, &one, b, &one); }
int main(void)
{
	double s = 0;
	for (int i = 0; i < N * N; i++) a[i] = b[i] = i % 7;
	for (int i = 0; i < 400; i++) { multiplies(); for (int k = 0; k < 50; k++) s += dots(); }
	printf("%f\n", s + c[5]);
	return 0;
}
END
