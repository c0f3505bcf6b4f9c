// Functions of a known structure: judge.awk has it. Argument: rounds.
using System;
using System.Runtime.CompilerServices;

static class Truth {
	const MethodImplOptions Own = MethodImplOptions.NoInlining;
	[MethodImpl(Own)] static int tw_leaf_a(int n) { for (int i = 0; i < 20000; i++) n = (n * 31 + i) & 0xffffff; return n; }
	[MethodImpl(Own)] static int tw_d3_a(int n) { n = tw_leaf_a(n); for (int i = 0; i < 1000; i++) n = (n + i) & 0xffffff; return n; }
	[MethodImpl(Own)] static int tw_d2_a(int n) { n = tw_d3_a(n); for (int i = 0; i < 1000; i++) n = (n + i) & 0xffffff; return n; }
	[MethodImpl(Own)] static int tw_d1_a(int n) { return tw_d2_a(n) + 1; }
	[MethodImpl(Own)] static int tw_leaf_b(int n) { for (int i = 0; i < 5000; i++) n = (n * 31 + i) & 0xffffff; return n; }
	[MethodImpl(Own)] static int tw_cb_b(int n) { return tw_leaf_b(n) + 1; }
	[MethodImpl(Own)] static int tw_d1_b(int n) { return Array.ConvertAll(new[] { n, n + 1, n + 2, n + 3 }, tw_cb_b).Length; }
	[MethodImpl(Own)] static int tw_leaf_c(int n) { for (int i = 0; i < 20000; i++) n = (n * 31 + i) & 0xffffff; return n; }
	[MethodImpl(Own)] static int tw_rec_c(int n, int depth) { return depth > 1 ? tw_rec_c(n, depth - 1) + 1 : tw_leaf_c(n) + 1; }
	[MethodImpl(Own)] static int tw_d1_c(int n) { return tw_rec_c(n, 4) + 1; }
	[MethodImpl(Own)] static int tw_main(int rounds) {
		int sum = 0;
		for (int i = 0; i < rounds; i++) sum = (sum + tw_d1_a(i) + tw_d1_b(i) + tw_d1_c(i)) & 0xffffff;
		return sum;
	}
	static void Main(string[] argv) { Console.WriteLine("sum " + tw_main(int.Parse(argv[0]))); }
}
