#include "profile/rows/sample_stream.h"

#include "base/message/bug.h"

_Static_assert(sizeof(struct packed_sample) == 12, "12 bytes a sample");

void sample_stream__forget_order(struct sample_stream *s)
{
	free(s->in_time);
	s->in_time = NULL;
}

void sample_stream__exit(struct sample_stream *s)
{
	array__exit(&s->v);
	array__exit(&s->weights);
	array__exit(&s->large);
	array__exit(&s->runs);
	sample_stream__forget_order(s);
}

u64 sample_stream__base(struct sample_stream *s, u64 time)
{
	u64 base = __atomic_load_n(&s->base, __ATOMIC_RELAXED), first = MAX(time, (u64)1);

	if (base ||
	    __atomic_compare_exchange_n(&s->base, &base, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return base ? base : first;
	return base;
}

/* Add the weights of the next nr samples. weights: NULL if they all have this weight. */
static void sample_stream__add_weights(struct sample_stream *s, u32 weight, const u32 *weights, size_t nr)
{
	if (!s->v.nr)
		s->weight = weight;
	if (!nr || (!weights && !s->weights.nr && s->weight == weight))
		return;
	array__reserve(&s->weights, s->v.nr + nr);
	while (s->weights.nr < s->v.nr)
		s->weights.v[s->weights.nr++] = s->weight;
	for (size_t i = 0; i < nr; i++)
		s->weights.v[s->weights.nr++] = weights ? weights[i] : weight;
}

void sample_stream__add(struct sample_stream *s, u64 base, const struct stream_sample *sample)
{
	const s64 last = (1ll << (STREAM_TIME_BITS - 1)) - 1;
	s64 since = (s64)(sample->time - base);
	bool is_large = sample->weight >= UINT32_MAX;

	if (is_large) {
		BUG_UNLESS(!s->large.nr || s->large.v[s->large.nr - 1].at < s->v.nr, "sample %zu", s->v.nr);
		array__add(&s->large, ((struct large_weight){ s->v.nr, sample->weight }));
	}
	sample_stream__add_weights(s, is_large ? UINT32_MAX : (u32)sample->weight, NULL, 1);
	array__add(&s->v, ((struct packed_sample){ .time = MAX(MIN(since, last), -last),
						   .cpu = MIN(sample->cpu, (u32)STREAM_NO_CPU),
						   .row = sample->row }));
}

void sample_stream__merge(struct sample_stream *s, struct sample_stream *from, const u32 *numbers)
{
	size_t before = s->v.nr;

	for (size_t i = 0; numbers && i < from->v.nr; i++)
		from->v.v[i].row = numbers[from->v.v[i].row];
	sample_stream__add_weights(s, from->weight, from->weights.v, from->v.nr);
	if (!before) {
		array__exit(&s->v);
		s->v.v = from->v.v;
		s->v.nr = from->v.nr;
		s->v.alloc = from->v.alloc;
		from->v.v = NULL;
	} else if (from->v.nr) {
		array__reserve(&s->v, before + from->v.nr);
		memcpy(s->v.v + before, from->v.v, from->v.nr * sizeof(*from->v.v));
		s->v.nr += from->v.nr;
	}
	for (size_t i = 0; i < from->large.nr; i++)
		array__add(&s->large,
			   ((struct large_weight){ before + from->large.v[i].at, from->large.v[i].weight }));
	sample_stream__exit(from);
}

/* ---- finishing ---- */

static bool sample_stream__is_before(const struct sample_stream *s, size_t a, size_t b)
{
	const struct packed_sample *x = &s->v.v[a], *y = &s->v.v[b];

	if (x->time != y->time)
		return x->time < y->time;
	if (x->row != y->row)
		return x->row < y->row;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu;
	return s->weights.nr && s->weights.v[a] < s->weights.v[b];
}

static int run__compare(const void *a, const void *b, void *ctx)
{
	const struct sample_stream *s = ctx;
	const size_t *x = a, *y = b;

	if (sample_stream__is_before(s, *x, *y))
		return -1;
	return sample_stream__is_before(s, *y, *x) ? 1 : 0;
}

void sample_stream__finish(struct sample_stream *s, const u32 *numbers)
{
	for (size_t i = 0; i < s->v.nr; i++) {
		s->v.v[i].row = numbers[s->v.v[i].row];
		if (!i || sample_stream__is_before(s, i, i - 1))
			array__add(&s->runs, i);
	}
	if (s->runs.nr) /* v is NULL else */
		qsort_r(s->runs.v, s->runs.nr, sizeof(*s->runs.v), run__compare, s);
}

/* ---- reading ---- */

void stream_reader__init(struct stream_reader *r, const struct sample_stream *s)
{
	*r = (struct stream_reader){ .stream = s };
}

void stream_reader__exit(struct stream_reader *r)
{
	array__exit(&r->heap);
}

u64 sample_stream__weight(const struct sample_stream *s, size_t at)
{
	u32 weight = s->weights.nr ? s->weights.v[at] : s->weight;
	size_t i;

	if (weight != UINT32_MAX)
		return weight;
	i = bisect(k, (size_t)0, s->large.nr, s->large.v[k].at < at);
	return s->large.v[i].weight;
}

/* Does the sample after this one belong to its run? */
static bool sample_stream__run_goes_on(const struct sample_stream *s, size_t at)
{
	return at + 1 < s->v.nr && !sample_stream__is_before(s, at + 1, at);
}

struct stream_sample sample_stream__get(const struct sample_stream *s, size_t at)
{
	const struct packed_sample *p = &s->v.v[at];

	return (struct stream_sample){ .time = s->base + (u64)p->time,
				       .weight = sample_stream__weight(s, at),
				       .row = p->row,
				       .cpu = p->cpu };
}

bool stream_reader__next(struct stream_reader *r, size_t *index)
{
	const struct sample_stream *s = r->stream;
	size_t *heap, at;

	if (s->in_time) {
		*index = r->next_run < s->v.nr ? s->in_time[r->next_run] : 0;
		return r->next_run++ < s->v.nr;
	}
#define before(x, y) sample_stream__is_before(s, *(x), *(y))
	/* Runs begin in order: a run need not be in the heap until its first sample is next. */
	while (r->next_run < s->runs.nr && (!r->heap.nr || before(&s->runs.v[r->next_run], &r->heap.v[0]))) {
		array__add(&r->heap, s->runs.v[r->next_run++]);
		heap = r->heap.v;
		for (size_t i = r->heap.nr - 1; i && before(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) {
			at = heap[i];
			heap[i] = heap[(i - 1) / 2];
			heap[(i - 1) / 2] = at;
		}
	}
	if (!r->heap.nr)
		return false;
	heap = r->heap.v;
	at = heap[0];
	*index = at;
	if (sample_stream__run_goes_on(s, at))
		heap[0]++;
	else
		heap[0] = heap[--r->heap.nr];
	if (r->heap.nr)
		heap__sift(heap, r->heap.nr, 0, before);
#undef before
	return true;
}

void sample_stream__sort(struct sample_stream *s, u32 *indices)
{
	struct stream_reader reader;
	size_t index;

	stream_reader__init(&reader, s);
	for (size_t i = 0; stream_reader__next(&reader, &index); i++)
		indices[i] = (u32)index;
	stream_reader__exit(&reader);
	s->in_time = indices;
}

u32 *sample_stream__order(const struct sample_stream *s, const u32 *bucket, u32 nr_buckets, size_t *ends)
{
	struct stream_reader reader;
	size_t index, nr = 0;
	u32 *order;

	memset(ends, 0, nr_buckets * sizeof(*ends));
	for (size_t i = 0; i < s->v.nr; i++)
		if (bucket[s->v.v[i].row] != STREAM_NO_BUCKET)
			ends[bucket[s->v.v[i].row]]++;
	for (u32 i = 0; i < nr_buckets; i++) {
		nr += ends[i];
		ends[i] = nr - ends[i]; /* start of the bucket: it grows with each sample */
	}
	order = xcalloc(nr + 1, sizeof(*order));
	stream_reader__init(&reader, s);
	while (stream_reader__next(&reader, &index))
		if (bucket[s->v.v[index].row] != STREAM_NO_BUCKET)
			order[ends[bucket[s->v.v[index].row]]++] = (u32)index;
	stream_reader__exit(&reader);
	return order;
}
