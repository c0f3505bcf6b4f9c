import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;

/*
 * A bit of everything: collections, strings, lambdas, streams, reflection, exceptions, locks, recursion, virtual
 * calls, native methods, garbage, and virtual threads if there are any. Argument: milliseconds.
 */
public class Mixed {
	interface Work { long work(long n); }
	static class A implements Work { public long work(long n) { return leaf(n) + 1; } }
	static class B implements Work { public long work(long n) { return leaf(n) + 2; } }
	static class C implements Work { public long work(long n) { return leaf(n) + 3; } }
	static class D implements Work { public long work(long n) { return leaf(n) + 4; } }

	static volatile long sink;
	static final Object lock = new Object();
	static Method reflected;

	static long leaf(long n) {
		long s = n;

		for (int i = 0; i < 300; i++)
			s = s * 31 + (s >>> 7) + i;
		return s;
	}

	static long recursion(int depth, long n) { return depth == 0 ? leaf(n) : recursion(depth - 1, n + 1) + 1; }

	static long trees(long n) {
		TreeMap<Long, Long> t = new TreeMap<>();

		for (int i = 0; i < 150; i++)
			t.put(n * i * 7919 % 1000, n);
		return t.size();
	}

	static long maps(long n) {
		HashMap<String, Long> t = new HashMap<>();

		for (int i = 0; i < 60; i++)
			t.merge("k" + i % 13, n, Long::sum);
		return t.size();
	}

	static long strings(long n) {
		StringBuilder b = new StringBuilder();

		for (int i = 0; i < 60; i++)
			b.append(i * n).append(',');
		return b.toString().hashCode();
	}

	static int compare(Long a, Long b) { return Long.compare(a, b); }

	static long sorts(long n) {
		Long[] v = new Long[150];

		for (int i = 0; i < v.length; i++)
			v[i] = n * i * 7919 % 1000;
		Arrays.sort(v, Mixed::compare);
		return v[3];
	}

	static long virtual(long n) {
		Work[] w = { new A(), new B(), new C(), new D() };
		long s = 0;

		for (int i = 0; i < 12; i++)
			s += w[i & 3].work(n);
		return s;
	}

	static void thrower(int depth) {
		if (depth == 0)
			throw new IllegalStateException("x");
		thrower(depth - 1);
	}

	static long exceptions(long n) {
		long s = 0;

		for (int i = 0; i < 4; i++)
			try {
				thrower(5);
			} catch (IllegalStateException e) {
				s++;
			}
		return s;
	}

	static long locks(long n) {
		long s = 0;

		for (int i = 0; i < 20; i++)
			synchronized (lock) {
				s += leaf(i);
			}
		return s;
	}

	static synchronized long synchronous(long n) { return leaf(n) + leaf(n + 1); }

	static long arrays(long n) {
		byte[] a = new byte[4000], b = new byte[4000];

		for (int i = 0; i < 40; i++)
			System.arraycopy(a, i & 7, b, 3, 3900);
		return b[5];
	}

	static long natives(long n) {
		CRC32 c = new CRC32();
		byte[] a = new byte[600];
		long s = 0;

		for (int i = 0; i < 20; i++) {
			c.update(a, 0, a.length);
			s += System.identityHashCode(a) + (long)Math.sin(i) + Thread.currentThread().getId();
		}
		return s + c.getValue();
	}

	public static long target(long n) { return leaf(n) + 5; }

	static long reflection(long n) throws Exception {
		long s = 0;

		for (int i = 0; i < 8; i++)
			s += (Long)reflected.invoke(null, n);
		return s;
	}

	static long streams(long n) {
		return IntStream.range(0, 60).mapToLong(i -> leaf(i)).filter(x -> x % 2 == 0).sum();
	}

	static long garbage(long n) {
		Object[] o = new Object[200];

		for (int i = 0; i < o.length; i++)
			o[i] = new int[20 + i];
		return o.length;
	}

	static long task(long n) { return leaf(n) + 6; }

	static void virtualTask(long end) {
		while (System.nanoTime() < end) {
			sink = task(3);
			Thread.yield();
		}
	}

	static long step(int i) throws Exception {
		switch (i % 14) {
		case 0: return trees(i);
		case 1: return maps(i);
		case 2: return strings(i);
		case 3: return sorts(i);
		case 4: return virtual(i);
		case 5: return exceptions(i);
		case 6: return locks(i);
		case 7: return synchronous(i);
		case 8: return arrays(i);
		case 9: return natives(i);
		case 10: return reflection(i);
		case 11: return streams(i);
		case 12: return garbage(i);
		default: return recursion(40, i);
		}
	}

	static void startVirtualThreads(long end) throws Exception {
		Method of = null;

		for (Method m : Executors.class.getMethods())
			if (m.getName().equals("newVirtualThreadPerTaskExecutor"))
				of = m;
		for (int i = 0; of != null && i < 2; i++)
			((ExecutorService)of.invoke(null)).execute(() -> virtualTask(end));
	}

	public static void main(String[] argv) throws Exception {
		long end = System.nanoTime() + Long.parseLong(argv[0]) * 1000000L;

		reflected = Mixed.class.getDeclaredMethod("target", long.class);
		if (argv.length > 1) /* virtual threads, too */
			startVirtualThreads(end);
		for (int i = 0; System.nanoTime() < end; i++)
			sink = step(i);
	}
}
