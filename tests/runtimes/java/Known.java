/* Methods that call each other in one way only. Argument: milliseconds. */
public class Known {
	interface Work { long a(long n); }
	static class First implements Work { public long a(long n) { return b(n) + 1; } }

	static volatile long sink;

	static long leaf(long n) {
		long s = n;

		for (int i = 0; i < 2000; i++)
			s = s * 31 + (s >>> 7) + i;
		return s;
	}

	static long c(long n) { return leaf(n) + 1; }
	static long b(long n) { return c(n) + 1; }

	public static void main(String[] argv) {
		long end = System.nanoTime() + Long.parseLong(argv[0]) * 1000000L;
		Work w = new First();

		for (int i = 0; System.nanoTime() < end; i++)
			sink = w.a(i);
	}
}
