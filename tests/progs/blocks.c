/* Functions with known blocks of code between branches: for branch_stacks.py, and single steps (-DTRACED). */
static volatile long sum;

__attribute__((noinline)) static void leaf(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}

__attribute__((noinline)) static void inner(long n)
{
	for (long i = 0; i < n; i++) {
		if (i & 1)
			sum += i;
		else
			sum ^= i;
		leaf(3 + i % 7 * 4);
	}
}

__attribute__((noinline)) static void idle(long n)
{
	sum -= n;
	inner(n);
	sum++;
	inner(n / 2);
}

int main(void)
{
#ifdef TRACED
	__asm__ volatile("int3"); /* trace_branches begins here, and ends the program */
	for (long i = 20;; i++)
#else
	for (long i = 20; i < 30; i++)
#endif
		idle(i);
	return 0;
}
