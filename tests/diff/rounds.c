/*
 * A program of known shares: works in rounds of seven functions, f0 to f6, which differ in how much
 * they do. Usage: rounds SECONDS MS
 *
 * A round takes MS milliseconds of the thread's CPU time, and so does the whole SECONDS. How much work
 * a round is, the program finds out at the start. STEADY=cpu in the environment has it go on to correct
 * this, so that rounds stay in step with the CPU time, which the kernel samples threads by;
 * STEADY=time: with the time of day, by which it samples CPUs. F0=1.05 makes f0 do 5% more than its
 * share, and so on: rounds take longer then, except with STEADY. The share of each function in the work
 * is printed at the end. All functions have the same code at the same alignment, so that is also its
 * share of the time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FUNCTIONS = 7 };

static const double shares[FUNCTIONS] = { .40, .20, .15, .10, .08, .05, .02 };
static volatile uint64_t result;

/* Each step needs the result of the one before. */
#define FUNCTION(name)                                                                    \
	__attribute__((noinline, noclone, aligned(64))) static void name(uint64_t n)      \
	{                                                                                 \
		uint64_t x = n | 1;                                                       \
                                                                                          \
		while (n--)                                                               \
			x = (x ^ x >> 13) * 0x9e3779b97f4a7c15u;                          \
		result = x + sizeof(#name);                                               \
		__asm__ volatile("" ::"r"(&name)); /* equal functions are not made one */ \
	}

FUNCTION(f0)
FUNCTION(f1)
FUNCTION(f2)
FUNCTION(f3)
FUNCTION(f4)
FUNCTION(f5)
FUNCTION(f6)
FUNCTION(measure_speed)

static void (*const functions[FUNCTIONS])(uint64_t) = { f0, f1, f2, f3, f4, f5, f6 };

static clockid_t clock_id = CLOCK_THREAD_CPUTIME_ID;

static double now(void)
{
	struct timespec t;

	clock_gettime(clock_id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Return how many steps of work take a second: the most of some tries, as other programs run, too. */
static double steps_per_second(void)
{
	const uint64_t steps = 2000000;
	double best = 0;

	for (int i = 0; i < 9; i++) {
		double from = now();

		measure_speed(steps);
		from = (double)steps / (now() - from);
		best = from > best ? from : best;
	}
	return best;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, round = argc > 2 ? atof(argv[2]) / 1000 : .002;
	const char *steady = getenv("STEADY");
	double steps, start, due, factors[FUNCTIONS], sums[FUNCTIONS] = { 0 }, all = 0;

	if (steady && !strcmp(steady, "time"))
		clock_id = CLOCK_MONOTONIC;
	steps = steps_per_second() * round;
	for (int i = 0; i < FUNCTIONS; i++) {
		char name[] = "F0";
		const char *text;

		name[1] = (char)('0' + i);
		text = getenv(name);
		factors[i] = shares[i] * (text ? atof(text) : 1);
	}
	start = due = now();
	while (due - start < seconds) {
		double late;

		for (int i = 0; i < FUNCTIONS; i++) {
			uint64_t n = (uint64_t)(steps * factors[i]);

			functions[i](n);
			sums[i] += (double)n;
		}
		due += round;
		late = now() - due;
		if (!steady || late > round || late < -round) /* another program ran in between */
			due += late;
		else
			steps *= 1 - .1 * late / round;
	}
	for (int i = 0; i < FUNCTIONS; i++)
		all += sums[i];
	for (int i = 0; i < FUNCTIONS; i++)
		printf("f%d %.6f\n", i, sums[i] / all);
	return 0;
}
