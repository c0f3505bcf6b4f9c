/*
 * Code with frame pointers and without call frame information, as JIT compilers and assembly have it. Calls
 * back into code with call frame information, and is called from it. Compiled with -fno-omit-frame-pointer
 * and without tables.
 */
#define KEEP __attribute__((noipa))

volatile unsigned long sink_of_nocfi;

KEEP static void leaf(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink_of_nocfi = sink_of_nocfi * 7 + i;
}

/*
 * A frame with much in it: the record of frame pointer and return address is far from the caller's stack
 * pointer.
 */
KEEP static unsigned long inner(unsigned n, unsigned long (*back)(unsigned))
{
	volatile unsigned char room[304];

	for (unsigned i = 0; i < sizeof(room); i++)
		room[i] = 0;
	leaf(n);
	sink_of_nocfi += back(n) + room[n % sizeof(room)];
	return sink_of_nocfi;
}

KEEP unsigned long without_cfi(unsigned n, unsigned long (*back)(unsigned))
{
	unsigned long sum = inner(n, back);

	leaf(n);
	return sum + n;
}
