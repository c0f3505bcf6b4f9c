/* Prints a number that depends on all work: a mixed one of 700 ms, about. Exits with 3. Argument: rounds. */
import java.util.Arrays;
import java.util.TreeMap;

public class Answer {
	static long mix(long n) {
		for (int i = 0; i < 200; i++)
			n = n * 31 + (n >>> 7) + i;
		return n;
	}

	static long sorted(long n) {
		Long[] v = new Long[50];

		for (int i = 0; i < v.length; i++)
			v[i] = mix(n + i) % 1000;
		Arrays.sort(v, (a, b) -> Long.compare(b, a));
		return v[7];
	}

	static long tree(long n) {
		TreeMap<Long, Long> t = new TreeMap<>();

		for (int i = 0; i < 50; i++)
			t.put(mix(n * i) % 100, n + i);
		return t.firstKey() + t.lastEntry().getValue();
	}

	public static void main(String[] argv) {
		long sum = 0;

		for (int i = Integer.parseInt(argv[0]); i > 0; i--)
			sum = sum * 7 + (i % 2 == 0 ? sorted(sum + i) : tree(sum + i));
		System.out.println(sum);
		System.exit(3);
	}
}
