#include "profile/causes/span_table.h"

#include <math.h>
#include <stdlib.h>

const double span_quantiles[NR_SPAN_QUANTILES] = { 0.5, 0.9, 0.99, 0.999 };

/* ---- how many took how long ---- */

enum { MOST_BUCKETS = 20 };

/* Begins of buckets, in tenths of a power of ten: the finest that need few enough are taken. */
static const struct {
	u8 nr;
	u8 tenths[10];
} scales[] = {
	{ 10, { 10, 12, 16, 20, 25, 32, 40, 50, 64, 80 } },
	{ 3, { 10, 20, 50 } },
	{ 1, { 10 } },
};

static u64 scale__begin(size_t scale, size_t i)
{
	u64 tenths = scales[scale].tenths[i % scales[scale].nr];

	for (size_t power = i / scales[scale].nr; power > 1; power--)
		tenths *= 10;
	return i < scales[scale].nr ? tenths / 10 : tenths;
}

/* Return the bucket of a duration; those below 1 ns are in the first one. */
static size_t scale__find(size_t scale, u64 ns)
{
	size_t i = 0;

	while (i < (size_t)19 * scales[scale].nr && scale__begin(scale, i + 1) <= ns)
		i++;
	return i;
}

static void span_table__count(struct span_table *t)
{
	const struct span_set *set = t->set;
	size_t scale, first, last;
	struct span_bucket *b;
	u64 least;

	if (!set->by_duration.nr)
		return;
	least = span__ns(&set->v.v[set->by_duration.v[0]]);
	for (scale = least < 10;; scale++) { /* the finest has fractions of ns there */
		first = scale__find(scale, least);
		last = scale__find(scale, t->max);
		if (last - first < MOST_BUCKETS || scale + 1 == ARRAY_SIZE(scales))
			break;
	}
	for (size_t i = first; i <= last; i++)
		array__add(&t->buckets, ((struct span_bucket){ scale__begin(scale, i), 0 }));
	b = t->buckets.v;
	for (size_t i = 0; i < set->by_duration.nr; i++) {
		const struct span *s = &set->v.v[set->by_duration.v[i]];

		while (b + 1 < t->buckets.v + t->buckets.nr && b[1].begin <= span__ns(s))
			b++;
		b->nr += s->step;
	}
}

/* ---- where the time goes ---- */

static bool span_table__has(const struct span_table *t, enum table_group g, const struct span *s)
{
	return g == GROUP_ALL ||
	       (g == GROUP_FAST ? span__ns(s) <= t->limits[g] : span__ns(s) >= t->limits[g]);
}

/* Add up the time of each reason, in rows: one for each reason. */
static void span_table__add_up(struct span_table *t)
{
	struct span_cursor c;

	for (size_t i = 0; i < t->times->reasons.nr; i++)
		array__add(&t->rows, ((struct span_row){ .reason = t->times->reasons.v[i] }));
	span_cursor__init(&c, t->times);
	for (size_t i = 0; i < t->set->v.nr; i++) {
		const struct span *s = &t->set->v.v[i];

		span_cursor__seek(&c, s);
		for (size_t k = 0; k < c.parts.nr; k++)
			for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
				if (span_table__has(t, g, s))
					t->rows.v[c.parts.v[k].reason].ns[g] += c.parts.v[k].ns * s->step;
	}
	span_cursor__exit(&c);
}

static int compare_u32(u32 a, u32 b)
{
	return a < b ? -1 : a > b;
}

/* Order rows by what they wait for. */
static int compare_waits(const struct span_row *a, const struct span_row *b)
{
	int order = compare_u32(a->reason.kind, b->reason.kind);

	return order ? order : compare_u32(a->reason.lock, b->reason.lock);
}

static int compare_holders(const struct span_row *a, const struct span_row *b)
{
	int order = compare_u32(a->reason.role, b->reason.role);

	return order ? order : compare_u32(a->reason.holder, b->reason.holder);
}

static int compare_rows(const void *x, const void *y)
{
	int order = compare_waits(x, y);

	return order ? order : compare_holders(x, y);
}

static void span_row__add(struct span_row *r, const struct span_row *more)
{
	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
		r->ns[g] += more->ns[g];
}

/* Return the largest mean of a row. */
static double span_table__weight(const struct span_table *t, const struct span_row *r)
{
	double weight = 0;

	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
		weight = MAX(weight, span_table__mean(t, g, r->ns[g]));
	return weight;
}

/* What threads of one name did is one part: holders become names. Return the parts, in the order of waits. */
static struct span_row *span_table__take_parts(struct span_table *t, size_t *nr)
{
	struct span_row *parts = xcalloc(t->rows.nr, sizeof(*parts));
	struct strbuf name = STRBUF_INIT;
	size_t end = 0;

	*nr = 0;
	for (size_t i = SPAN_FIRST_WAIT; i < t->rows.nr; i++) {
		struct span_row *r = &parts[*nr];

		*r = t->rows.v[i];
		if (!r->ns[GROUP_ALL])
			continue;
		strbuf__reset(&name);
		span_reason__add_holder_name(&r->reason, &t->times->locks, &name);
		r->reason.holder = strpool__intern(&t->names, name.buf);
		r->is_part = true;
		r->nr_threads = r->reason.tid ? 1 : 0;
		++*nr;
	}
	strbuf__exit(&name);
	if (*nr)
		qsort(parts, *nr, sizeof(*parts), compare_rows);
	for (size_t i = 0; i < *nr; i++) {
		if (end && !compare_rows(&parts[end - 1], &parts[i])) {
			span_row__add(&parts[end - 1], &parts[i]);
			parts[end - 1].nr_threads += parts[i].nr_threads;
			continue;
		}
		parts[end++] = parts[i];
	}
	*nr = end;
	return parts;
}

struct span_head { /* what is waited for */
	double weight;
	size_t first, nr; /* its parts */
};

static int compare_weights(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int compare_heads(const void *x, const void *y)
{
	const struct span_head *a = x, *b = y;
	int order = compare_weights(a->weight, b->weight);

	return order ? order : a->first < b->first ? -1 : a->first > b->first;
}

static int compare_parts(const void *x, const void *y, void *ctx)
{
	const struct span_table *t = ctx;
	int order = compare_weights(span_table__weight(t, x), span_table__weight(t, y));

	return order ? order : compare_rows(x, y);
}

static struct span_row sum_of(const struct span_row *parts, size_t nr)
{
	struct span_row sum = { .reason = parts->reason };

	sum.reason.holder = sum.reason.tid = sum.reason.role = 0;
	for (size_t i = 0; i < nr; i++)
		span_row__add(&sum, &parts[i]);
	return sum;
}

/* Turn rows of reasons into those of what is waited for, with their parts. */
static void span_table__arrange(struct span_table *t)
{
	ARRAY(struct span_head) heads = { .v = NULL };
	struct span_row *parts, sum;
	size_t nr, end;

	parts = span_table__take_parts(t, &nr);
	for (size_t i = 0; i < nr; i = end) {
		for (end = i + 1; end < nr && !compare_waits(&parts[i], &parts[end]);)
			end++;
		sum = sum_of(&parts[i], end - i);
		array__add(&heads, ((struct span_head){ span_table__weight(t, &sum), i, end - i }));
		qsort_r(&parts[i], end - i, sizeof(*parts), compare_parts, t);
	}
	if (heads.nr)
		qsort(heads.v, heads.nr, sizeof(*heads.v), compare_heads);
	t->rows.nr = SPAN_FIRST_WAIT;
	for (size_t i = 0; i < heads.nr; i++) {
		const struct span_row *first = &parts[heads.v[i].first];

		array__add(&t->rows, sum_of(first, heads.v[i].nr));
		for (size_t k = 0; k < heads.v[i].nr; k++)
			array__add(&t->rows, first[k]);
	}
	array__exit(&heads);
	free(parts);
}

/* ---- the slowest ---- */

static void slow_span__find_most(struct slow_span *s, struct span_cursor *c)
{
	span_cursor__seek(c, &s->span);
	for (size_t i = 0; i < c->parts.nr; i++)
		if (c->parts.v[i].ns > s->most_ns) {
			s->most_ns = c->parts.v[i].ns;
			s->most = c->times->reasons.v[c->parts.v[i].reason];
		}
}

static void span_table__find_slowest(struct span_table *t, const struct machine *m)
{
	size_t nr = t->set->by_duration.nr;
	struct machine_cursor cursor;
	struct span_cursor c;

	machine_cursor__init(&cursor, m);
	if (t->times)
		span_cursor__init(&c, t->times);
	for (size_t i = nr; i > 0 && nr - i < NR_SLOWEST; i--) {
		struct slow_span s = { .span = t->set->v.v[t->set->by_duration.v[i - 1]] };

		machine_cursor__seek(&cursor, s.span.end);
		s.comm = machine_cursor__thread(&cursor, s.span.pid, s.span.tid)->comm;
		if (t->times)
			slow_span__find_most(&s, &c);
		array__add(&t->slowest, s);
	}
	if (t->times)
		span_cursor__exit(&c);
}

/* ---- all ---- */

static void span_table__choose(struct span_table *t, const struct span_limit *fast,
			       const struct span_limit *slow)
{
	t->limits[GROUP_FAST] = span_limit__ns(fast, t->set);
	t->limits[GROUP_SLOW] = span_limit__ns(slow, t->set);
	for (size_t i = 0; i < t->set->v.nr; i++) {
		const struct span *s = &t->set->v.v[i];

		for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++)
			if (span_table__has(t, g, s)) {
				t->nr[g] += s->step;
				t->ns[g] += span__ns(s) * s->step;
			}
	}
}

void span_table__init(struct span_table *t, const struct span_set *set, const struct span_times *times,
		      const struct machine *m, const struct span_limit *fast, const struct span_limit *slow)
{
	*t = (struct span_table){ .set = set, .times = times, .max = span_set__quantile(set, 1) };
	strpool__init(&t->names);
	for (size_t i = 0; i < NR_SPAN_QUANTILES; i++)
		t->quantiles[i] = span_set__quantile(set, span_quantiles[i]);
	span_table__choose(t, fast, slow);
	span_table__count(t);
	if (times) {
		span_table__add_up(t);
		span_table__arrange(t);
	}
	span_table__find_slowest(t, m);
}

void span_table__exit(struct span_table *t)
{
	array__exit(&t->rows);
	array__exit(&t->buckets);
	array__exit(&t->slowest);
	strpool__exit(&t->names);
}

void span_table__add_row_words(const struct span_table *t, const struct span_row *r, struct strbuf *sb)
{
	struct span_reason reason = r->reason;
	const char *name;

	if (!r->is_part) {
		span_reason__add_words(&reason, &t->times->locks, sb);
		return;
	}
	name = strpool__get(&t->names, reason.holder);
	if (!*name) {
		strbuf__addstr(sb, "by whom is not known");
		return;
	}
	strbuf__addf(sb, "%s%s", reason.role == ROLE_HOLDER ? "held by " : "", name);
	if (r->nr_threads > 1)
		strbuf__addf(sb, " (%u threads)", r->nr_threads);
	else if (reason.tid)
		strbuf__addf(sb, " %u", reason.tid);
}

void spans__add_rate(struct strbuf *sb, double rate)
{
	strbuf__addf(sb, rate < 100 ? "%.3g a second" : "%.0f a second", rate);
}
