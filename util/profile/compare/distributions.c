#include "profile/compare/distributions.h"

#include "base/memory/types.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

double normal__cdf(double z)
{
	return 0.5 * erfc(-z * M_SQRT1_2);
}

/*
 * Return x between from and to with f(x) = y, for a function that grows. 100 halvings are more than a
 * double has digits; the loop ends when the interval no longer shrinks.
 */
static double invert(double (*f)(double x, double a, double b), double y, double a, double b, double from,
		     double to)
{
	for (int i = 0; i < 200; i++) {
		double middle = from + (to - from) / 2;

		if (middle <= from || middle >= to || to - from <= 1e-10 * fabs(middle))
			break;
		if (f(middle, a, b) < y)
			from = middle;
		else
			to = middle;
	}
	return from + (to - from) / 2;
}

static double normal(double z, double a, double b)
{
	(void)a;
	(void)b;
	return normal__cdf(z);
}

double normal__quantile(double p)
{
	return p > 0.5 ? -normal__quantile(1 - p) : invert(normal, p, 0, 0, -40, 0);
}

/* Return the continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = DBL_MIN / DBL_EPSILON;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	h = d;
	for (int m = 1; m < 100000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step = 1;

		for (int i = 0; i < 2; i++) {
			double term = i ? odd : even;

			d = 1 + term * d;
			c = 1 + term / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			h *= step;
		}
		if (!(fabs(step - 1) >= 1e-14)) /* also not a number */
			break;
	}
	return h;
}

double beta__cdf(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	/* the fraction converges fast below the mean only */
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return MIN(front * beta_fraction(x, a, b) / a, 1.0);
	return MAX(1 - front * beta_fraction(1 - x, b, a) / b, 0.0);
}

double beta__quantile(double p, double a, double b)
{
	return invert(beta__cdf, p, a, b, 0, 1);
}

double student__two_sided(double t, double df)
{
	if (isinf(df) || df > 1e7)
		return erfc(fabs(t) * M_SQRT1_2);
	return beta__cdf(df / (df + t * t), df / 2, 0.5);
}

static double student(double t, double df, double unused)
{
	double tail = student__two_sided(t, df) / 2;

	(void)unused;
	return t > 0 ? 1 - tail : tail;
}

double student__quantile(double p, double df)
{
	if (p > 0.5)
		return -student__quantile(1 - p, df);
	return isinf(df) ? normal__quantile(p) : invert(student, p, df, 0, -1e9, 0);
}

double binomial__mid_p(double k, double rest, double p)
{
	/* P(X < k) and P(X <= k) as beta integrals, which also exist between whole numbers */
	double below = k > 0 ? 1 - beta__cdf(p, k, rest + 1) : 0;
	double to = rest > 0 ? 1 - beta__cdf(p, k + 1, rest) : 1;
	double lower = (below + to) / 2;

	/* near 1 the difference from 1 loses digits: compute the upper tail itself */
	if (lower > 0.5)
		return (k > 0 ? beta__cdf(p, k, rest + 1) : 1) + (rest > 0 ? beta__cdf(p, k + 1, rest) : 0);
	return 2 * lower;
}

static int compare_doubles(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return *a < *b ? -1 : *a > *b;
}

double p_values__limit(double *p, unsigned nr, double rate)
{
	double limit = rate / MAX(nr, 1u);

	if (nr)
		qsort(p, nr, sizeof(*p), compare_doubles);
	for (unsigned i = 0; i < nr; i++)
		if (p[i] <= rate / (nr - i))
			limit = rate / (nr - i);
	return limit;
}

double digamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum -= 1 / x;
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y / 240)));
}

double trigamma(double x)
{
	double sum = 0, y;

	for (; x < 10; x++)
		sum += 1 / (x * x);
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

static double minus_trigamma(double x, double a, double b)
{
	(void)a;
	(void)b;
	return -trigamma(x);
}

double trigamma__inverse(double y)
{
	return invert(minus_trigamma, -y, 0, 0, 1e-8, 1e12);
}
