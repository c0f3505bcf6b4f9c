#!/usr/bin/env python3
"""The statistics of perf diff a second time, from Documentation/comparison.md, slowly, with other code for the
distributions (mpmath). It prints what tests/unit/test_evidence.c expects:

    python3 reference.py > expected

Both programs make the same counts of samples: see Case.
"""
from math import exp, hypot, inf, isinf, lgamma, log, log1p, nan, sqrt
import mpmath as mp

BLOCKS = 32


# ---- distributions ----

def bisect(f, low, high):
    """Return where the increasing f is 0."""
    for _ in range(200):
        mid = (low + high) / 2
        if mid in (low, high):
            break
        low, high = (mid, high) if f(mid) < 0 else (low, mid)
    return (low + high) / 2


def beta_cdf(x, a, b):
    """Return the series of positive terms (DLMF 8.17.8), which converges well up to the mean."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    term = total = 1.0
    i = 0
    while term > total * 1e-17:
        term *= (a + b + i) / (a + 1 + i) * x
        total += term
        i += 1
    return total * exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a + 1) - lgamma(b))


def beta_quantile(p, a, b):
    return bisect(lambda x: beta_cdf(x, a, b) - p, 0.0, 1.0)


def normal_cdf(z):
    return float(mp.ncdf(z))


def normal_quantile(p):
    return float(-mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(p))) if p > 1e-14 else bisect(lambda z: normal_cdf(z) - p, -40, 0)


def student_two_sided(t, df):
    return 2 * normal_cdf(-abs(t)) if isinf(df) else beta_cdf(df / (df + t * t), df / 2, 0.5)


def student_quantile(p, df):
    return bisect(lambda t: 1 - student_two_sided(t, df) / 2 - p, 0.0, 1e4)


def mid_p(k, rest, p):
    below = 1 - beta_cdf(p, k, rest + 1) if k > 0 else 0
    to = 1 - beta_cdf(p, k + 1, rest) if rest > 0 else 1
    above = (beta_cdf(p, k, rest + 1) if k > 0 else 1) + (beta_cdf(p, k + 1, rest) if rest > 0 else 0)
    return min(below + to, above)


def digamma(x):
    return float(mp.digamma(x))


def trigamma(x):
    return float(mp.polygamma(1, x))


# ---- the input ----

class Case:
    """Counts that a generator of chance makes. Each row has a mean per block and a kind."""

    def __init__(self, seed, rows, old, new, factor=1.0, few=False, doubts=False, work_noise=0.05):
        self.state, self.rows, self.nr, self.few = seed, rows, (old, new), few
        self.work_noise, self.least_row, self.least_total = work_noise, 0.05, 0.01
        self.R = old + new
        self.exposure = [1.0 + (r % 3) * 0.5 * (seed % 2) for r in range(self.R)]
        self.doubts = [0.01 * (i % 4) if doubts else 0.0 for i in range(rows)]
        self.w, self.sq = [], []
        means = (120, 60, 40, 16, 8, 4, 1, 0)
        for i in range(rows):
            self.w.append([])
            self.sq.append([])
            for r in range(self.R):
                side, mean = int(r >= old), 1 if few else means[i % 8]
                if i % 11 == 3 and side:
                    mean += mean // 4
                if i % 11 == 5:
                    mean = 0 if side else 6
                if i % 11 == 7:
                    mean = 6 if side else 0
                mean *= 1 + side  # twice the frequency: half of the weight
                one = 1.0 if side else 2.0
                counts = [self.count(i, mean, b, r) for b in range(BLOCKS)]
                if factor != 1.0 and side:
                    counts = [c * 9 // 8 for c in counts]
                self.w[i].append([c * one for c in counts])
                self.sq[i].append(sum(counts) * one * one)

    def draw(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self.state >> 33) % n

    def count(self, row, mean, block, recording):
        kind = (row // 2) % 5
        if row % 11 == 9 and recording >= self.nr[0]:
            return int(block == 7)
        if kind == 1:  # regular
            return mean + self.draw(2)
        if kind == 2 and row >= 10:  # a burst
            return mean * 8 if block in (0, 5) else 0
        if kind == 3:  # varies much
            return self.draw(2 * mean + 1)
        n = sum(self.draw(4) == 0 for _ in range(4 * mean))
        return n + (mean * recording // 8 if kind == 4 else 0)


# ---- the method ----

class Row:
    pass


def weigh(c, others=None):
    side = [int(r >= c.nr[0]) for r in range(c.R)]
    of = lambda s: [r for r in range(c.R) if side[r] == s]
    E = [sum(c.exposure[r] for r in of(s)) for s in (0, 1)]
    totals = [[sum(c.w[i][r][b] for i in range(c.rows)) for b in range(BLOCKS)] for r in range(c.R)]
    W = [sum(sum(totals[r]) for r in of(s)) for s in (0, 1)]
    Q = [sum(c.sq[i][r] for i in range(c.rows) for r in of(s)) for s in (0, 1)]
    one_of_all = [Q[s] / W[s] if W[s] > 0 else 1.0 for s in (0, 1)]
    total = [W[s] / E[s] for s in (0, 1)]
    rows = []
    for i in range(c.rows):
        x = Row()
        x.i = i
        x.weight = [sum(sum(c.w[i][r]) for r in of(s)) for s in (0, 1)]
        sq = [sum(c.sq[i][r] for r in of(s)) for s in (0, 1)]
        x.one = [sq[s] / x.weight[s] if x.weight[s] > 0 else one_of_all[s] for s in (0, 1)]
        x.n = [x.weight[s] / x.one[s] for s in (0, 1)]
        x.offer = [E[s] / x.one[s] for s in (0, 1)]
        x.tested = sum(x.n) >= 20
        x.log = log((x.n[1] + 0.5) / x.offer[1]) - log((x.n[0] + 0.5) / x.offer[0])
        x.raw = x.raw_df = x.mean = 0.0
        x.alone = x.burst = x.inlier = False
        rows.append(x)
    tested = [x for x in rows if x.tested]

    factors = [1.0] * c.R
    for r in range(c.R):
        s = side[r]
        if c.nr[s] < 2:
            continue
        part = []
        for x in rows:
            expected = x.n[s] * c.exposure[r] / E[s]
            if x.tested and expected >= 5:
                y = Row()
                y.log = log((sum(c.w[x.i][r]) / x.one[s] + 0.5) / (expected + 0.5))
                y.var = 1 / (expected + 0.5) + 0.0001
                part.append(y)
        factors[r] = exp(find_common(c, part)[0])

    for x in tested:
        if c.R > 2:
            disperse_recordings(c, x, side, E, factors)
        else:
            disperse_blocks(c, x, totals)
        disperse_alone(c, x, side, totals)
    known = lambda: [x for x in tested if x.raw_df > 0 and not x.alone]
    slope = 0.0
    for _ in range(30):
        up = down = 0.0
        for x in known():
            trend = 1 + slope * x.mean
            weight = x.raw_df * x.mean ** 2 / trend ** 2 / max(1.0, x.raw / trend / 3)
            if x.mean:
                up += weight * (x.raw - 1) / x.mean
            down += weight
        slope = max(0.0, up / down) if down > 0 else 0.0
    log_dispersion = lambda x: log(max(x.raw / (1 + slope * x.mean), 1e-3)) - digamma(x.raw_df / 2) + log(x.raw_df / 2)
    logs = sorted(map(log_dispersion, known()))
    median = logs[len(logs) // 2] if logs else 0.0
    for x in tested:
        if x.raw_df > 0 and log_dispersion(x) - median > 3 * sqrt(0.2 + trigamma(x.raw_df / 2)):
            x.alone = True
    # Smyth 2004: the prior
    prior_df, scale, group = 0.0, 1.0, known()
    if len(group) >= 2:
        n = len(group)
        values = list(map(log_dispersion, group))
        mean = sum(values) / n
        var = sum((v - mean) ** 2 for v in values) / (n - 1) - sum(trigamma(x.raw_df / 2) for x in group) / n
        if var > 1e-6:
            prior_df = 2 * bisect(lambda d: var - trigamma(d), 1e-9, 1e9)
            scale = exp(mean + digamma(prior_df / 2) - log(prior_df / 2))
        else:
            prior_df, scale = inf, exp(mean)
        prior_df = min(prior_df, sum(x.raw_df for x in group) * (n - 1) / n)
    for x in rows:
        trend = (1 + slope * x.mean) * scale
        df = 0.0 if x.alone else prior_df
        if x.raw_df > 0 and (x.raw > trend or (trend < 1 and c.R == 2)):
            df = min(df, max(x.raw_df, 12.0) / (4 if trend < 1 else 1))
        if c.R == 2:
            trend = max(trend, 1.0)
        x.df = df + x.raw_df
        x.dispersion = max((df * trend + x.raw_df * x.raw) / x.df if x.df > 0 else 1.0, 0.05)
        x.doubt = c.doubts[x.i]
        x.chance = 1 / (x.n[0] + 0.5) + 1 / (x.n[1] + 0.5)
        x.var = max(x.dispersion * x.chance, x.doubt)

    if others:
        common, common_var, disagreement = log(others["common"]), others["common_error"] ** 2, 1.0
    else:
        common, common_var, disagreement = find_common(c, tested)
    e = {"total": total, "common": exp(common), "common_error": sqrt(common_var)}

    def spread(values):
        logs, sum_sq = [log(max(v, 1e-12)) for v in values], 0.0
        for s in (0, 1):
            mean = sum(logs[r] for r in of(s)) / c.nr[s]
            sum_sq += sum((logs[r] - mean) ** 2 for r in of(s))
        return sqrt(sum_sq / (c.R - 2)) if c.R > 2 else nan

    several = sqrt(1 / c.nr[0] + 1 / c.nr[1])
    half = student_quantile(0.975, c.R - 2) * several if c.R > 2 else nan
    width = half * spread([sum(totals[r]) / c.exposure[r] for r in range(c.R)])
    e["total_low"], e["total_high"] = (total[1] / total[0] * exp(sign * width) for sign in (-1, 1))
    half = hypot(half * spread(factors) if c.R > 2 else 0.0, 1.96 * sqrt(common_var * disagreement))
    e["common_low"], e["common_high"] = exp(common - half), exp(common + half)

    for x in tested:
        weight = 1 / common_var - (1 / x.var if x.inlier else 0)
        shared = (common / common_var - (x.log / x.var if x.inlier else 0)) / weight
        var = disagreement / weight
        offers = sum(x.offer)
        equal = sum(x.n) * x.offer[0] * x.offer[1] / offers ** 2
        d = max(x.dispersion, x.doubt * max(equal, 1 / x.chance)) + var / x.chance
        k = [x.n[0] / d, x.n[1] / d]
        unit = x.offer[0] / (x.offer[1] * exp(shared))
        x.df = x.df if x.df > 0 else inf
        x.log_error = sqrt(x.var + var)
        x.change = unit * x.n[1] / x.n[0] if x.n[0] > 0 else inf
        t = student_quantile(0.975, x.df)
        if min(k) > 500:
            width = t * sqrt(1 / k[0] + 1 / k[1])
            x.low, x.high = (unit * k[1] / k[0] * exp(sign * width) for sign in (-1, 1))
        else:
            tail = 1 - normal_cdf(t)
            a = beta_quantile(tail, k[1] + 0.5, k[0] + 0.5) if k[1] > 0 else 0.0
            b = beta_quantile(1 - tail, k[1] + 0.5, k[0] + 0.5) if k[0] > 0 else 1.0
            x.low = unit * a / (1 - a)
            x.high = unit * b / (1 - b) if b < 1 else inf
        x.p = student_two_sided(normal_quantile(max(mid_p(k[1], k[0], 1 / (1 + unit)) / 2, 1e-300)), x.df)
        largest = max(x.weight[s] / E[s] for s in (0, 1))
        x.interest = log1p(min(c.least_row, c.least_total * total[0] / largest if largest > 0 else 1))
    # Hochberg 1988
    ps = sorted(x.p for x in tested)
    found = max([i + 1 for i, p in enumerate(ps) if p <= 0.03 / (len(ps) - i)], default=0)
    e["alpha"] = 0.03 / max(len(ps) - (found - 1 if found else 0), 1)
    for x in rows:
        if not x.tested:
            x.verdict = 0
            continue
        if x.low > exp(-x.interest) and x.high < exp(x.interest):
            x.verdict = 2
        elif not found or x.p > e["alpha"]:
            x.verdict = 1
        elif x.change > 1:
            x.verdict = 4 if x.n[0] > 0 else 6
        else:
            x.verdict = 3 if x.n[1] > 0 else 5
        x.finds = (student_quantile(1 - e["alpha"] / 2, x.df) + 0.8416) * x.log_error
        near = max(x.interest, log(x.low) if x.low > 0 else -inf, -log(x.high))
        x.needs = x.finds ** 2 / near ** 2
        x.power = normal_cdf(abs(log(1.2)) / x.log_error - student_quantile(1 - e["alpha"] / 2, x.df))
        x.cost = [x.weight[s] / E[s] for s in (0, 1)]
    e["rows"] = rows
    return e


def disperse_blocks(c, x, totals):
    old, new = ([v / x.one[s] for v in c.w[x.i][s]] for s in (0, 1))
    both = [a + b for a, b in zip(old, new)]
    squares = sum(v * v for v in both)
    if sum(x.n) ** 2 < 3 * squares:
        x.raw, x.raw_df, x.alone, x.burst = squares / sum(x.n), 1.0, True, True
        return
    if not (x.n[0] > 0 and x.n[1] > 0):
        return
    offer = [(totals[1][b] / x.one[1]) / (totals[0][b] / x.one[0]) if min(totals[0][b], totals[1][b]) > 0 else 1.0
             for b in range(BLOCKS)]
    parts = lambda odds: [odds * o / (1 + odds * o) for o in offer]
    # the odds with which the expected sum is the observed one
    odds = exp(bisect(lambda z: sum(n * q for n, q in zip(both, parts(exp(z)))) - x.n[1], -30.0, 30.0))
    terms = [(b - n * q) ** 2 / (n * q * (1 - q)) for b, n, q in zip(new, both, parts(odds)) if n > 0]
    if len(terms) >= 3:
        x.raw_df = len(terms) - 1.0
        x.raw = sum(terms) / x.raw_df
        x.mean = squares / 2 / sum(x.n)


def disperse_alone(c, x, side, totals):
    costs = [x.n[s] / x.offer[s] for s in (0, 1)]
    s = int(costs[1] > costs[0])
    if costs[s] < 4 * costs[1 - s] or c.nr[s] > 1:
        return
    r = side.index(s)
    n, all_rows = sum(c.w[x.i][r]) / x.one[s], sum(totals[r])
    for width in (1, 2, 4):
        terms = []
        for b in range(0, BLOCKS, width):
            expected = n * sum(totals[r][b:b + width]) / all_rows
            if expected > 0:
                terms.append((sum(c.w[x.i][r][b:b + width]) / x.one[s] - expected) ** 2 / expected)
        if len(terms) > 1 and sum(terms) / (len(terms) - 1) > max(x.raw, 1.0):
            x.raw, x.raw_df, x.alone = sum(terms) / (len(terms) - 1), len(terms) - 1.0, True


def disperse_recordings(c, x, side, E, factors):
    chi2 = df = squares = 0.0
    for s in (0, 1):
        if c.nr[s] < 2:
            continue
        members = [r for r in range(c.R) if side[r] == s]
        offered = sum(c.exposure[r] * factors[r] for r in members)
        for r in members:
            expected = x.n[s] * c.exposure[r] * factors[r] / offered
            if expected > 0:
                chi2 += (sum(c.w[x.i][r]) / x.one[s] - expected) ** 2 / expected
                squares += expected ** 2
                df += 1 - 1 / c.nr[s]
    if df > 0:
        x.raw_df, x.raw, x.mean = df, chi2 / df, squares / sum(x.n)


def find_common(c, rows):
    """Return the common change, its variance, and the disagreement; set inlier."""
    prior = c.work_noise ** 2 * (1 / c.nr[0] + 1 / c.nr[1])
    if len(rows) < 3:
        return 0.0, prior, 1.0
    misfit = lambda z: z * z / (2 * prior) + sum(min((x.log - z) ** 2 / x.var, 9.0) / 2 for x in rows)
    candidates = rows
    if len(rows) > 200:
        limit = len(rows) / sum(1 / x.var for x in rows)
        candidates = [x for x in rows if x.var <= limit][:200]
    centre = min([0.0] + [x.log for x in candidates], key=misfit)
    for _ in range(10):
        for x in rows:
            x.inlier = (x.log - centre) ** 2 < 9 * x.var
        near = [x for x in rows if x.inlier]
        weight = 1 / prior + sum(1 / x.var for x in near)
        centre = sum(x.log / x.var for x in near) / weight
    chi2 = sum((x.log - centre) ** 2 / x.var for x in near)
    return centre, 1 / weight, max(1.0, chi2 / (len(near) - 1)) if len(near) > 1 else 1.0


# ---- what the test reads ----

CASES = [  # seed, rows, old, new, factor, few, doubts
    (2, 24, 1, 1, 1.0, False, False), (3, 24, 1, 1, 1.125, False, True), (4, 24, 2, 3, 1.0, False, False),
    (5, 24, 3, 3, 1.125, False, True), (6, 24, 1, 3, 1.0, False, False), (7, 24, 3, 1, 1.125, False, False),
    (8, 2, 1, 1, 1.0, False, False), (9, 2, 2, 2, 1.0, False, False), (10, 230, 1, 1, 1.125, True, False),
    (11, 5, 1, 1, 1.0, True, False), (12, 8, 1, 1, 1.125, False, False),
    (13, 3, 1, 1, 1.0, True, False), (14, 24, 1, 2, 1.0, False, False), (15, 1, 1, 1, 1.0, False, False),
    (16, 2, 1, 1, 1.0, True, False), (17, 24, 2, 1, 1.125, True, False), (18, 1, 2, 2, 1.125, False, True),
]


def show(values):
    print(" ".join("%.13g" % v for v in values))


def main():
    before = None
    for case in CASES:
        c = Case(*case)
        e = weigh(c, before if case[0] == 12 else None)
        before = e
        show([c.rows] + e["total"] + [e[k] for k in ("total_low", "total_high", "common", "common_low", "common_high",
                                                   "common_error", "alpha")])
        for x in e["rows"][:24]:
            show([x.verdict] + ([x.n[0], x.n[1], x.cost[0], x.cost[1], x.change, x.low, x.high, x.log_error, x.df,
                                 x.dispersion, x.doubt, x.interest, x.p, x.finds, x.needs, x.power, x.burst] if x.tested else []))


if __name__ == "__main__":
    main()
