/* Distributions that statistics of counts need: normal, Student's t, beta; polygamma functions. */
#ifndef PROFILE_DISTRIBUTIONS_H
#define PROFILE_DISTRIBUTIONS_H

/* Return P(Z <= z) of the standard normal distribution. */
double normal__cdf(double z);
/* Return z with P(Z <= z) = p, 0 < p < 1. */
double normal__quantile(double p);
/*
 * Return P(X <= x) of the beta distribution with parameters a, b > 0: the regularized incomplete beta
 * function.
 */
double beta__cdf(double x, double a, double b);
/* Return x with P(X <= x) = p. */
double beta__quantile(double p, double a, double b);
/* Return P(|T| >= t) of Student's distribution with df degrees of freedom; INFINITY: of the normal one. */
double student__two_sided(double t, double df);
/* Return t with P(T <= t) = p. */
double student__quantile(double p, double df);
/*
 * Return the two-sided mid-p value of k successes of n = k + rest trials with probability p: twice the
 * smaller tail, in which k itself counts half. k and rest need not be whole numbers.
 */
double binomial__mid_p(double k, double rest, double p);
/*
 * Sort nr p-values, and return up to which one they are changes: of all comparisons, so large a part as rate
 * reports anything that has not changed (Hochberg 1988).
 */
double p_values__limit(double *p, unsigned nr, double rate);
double digamma(double x);
double trigamma(double x);
/* Return x > 0 with trigamma(x) = y, y > 0. */
double trigamma__inverse(double y);

#endif
