#include "record/stacks/wait_sums.h"

#include "base/memory/hash.h"

#include <string.h>

enum {
	CHAIN_PATIENCE_MS = 500, /* how long a sum may wait for a call chain of its place */
	SAMPLES_MAX = 16 << 20,  /* bytes of kept samples */
};

struct wait_sum {
	struct wait_place key;
	u32 pid;
	bool has_several; /* call chains */
	/* the newest of waits below and from the threshold on; NULL: none */
	struct perf_event_header *sample[2];
	/* the sum of short waits: */
	u64 ns, nr;
	u64 first, last; /* ends */
};

struct wait_sums {
	const struct evsel *e;
	const struct sample_decoder *d;
	u64 threshold;
	struct hash_table by_place;
	ARRAY(struct wait_sum) sums;
	ARRAY(u32) open; /* sums of short waits that are not written yet */
	u64 sample_bytes;
};

struct wait_sums *wait_sums__new(const struct evsel *e, const struct sample_decoder *d, u64 threshold)
{
	struct wait_sums *s = xcalloc(1, sizeof(*s));

	s->e = e;
	s->d = d;
	s->threshold = threshold;
	return s;
}

static void wait_sums__forget(struct wait_sums *s)
{
	for (size_t i = 0; i < s->sums.nr; i++) {
		free(s->sums.v[i].sample[0]);
		free(s->sums.v[i].sample[1]);
	}
	s->sums.nr = s->open.nr = 0;
	s->sample_bytes = 0;
	hash_table__exit(&s->by_place);
	s->by_place = (struct hash_table)HASH_TABLE_INIT;
}

void wait_sums__delete(struct wait_sums *s)
{
	if (!s)
		return;
	wait_sums__forget(s);
	array__exit(&s->sums);
	array__exit(&s->open);
	free(s);
}

static u64 wait_place__hash(const struct wait_place *p)
{
	return hash__add(hash__add(p->ip, p->sp), p->tid);
}

static struct wait_sum *wait_sums__find(const struct wait_sums *s, const struct wait_place *key)
{
	u32 i;

	hash_table__for_each (&s->by_place, wait_place__hash(key), i) {
		const struct wait_place *p = &s->sums.v[i].key;

		if (p->tid == key->tid && p->ip == key->ip && p->sp == key->sp)
			return &s->sums.v[i];
	}
	return NULL;
}

static struct wait_sum *wait_sums__find_add(struct wait_sums *s, const struct wait *w)
{
	struct wait_sum *p = wait_sums__find(s, &w->place);

	if (p)
		return p;
	hash_table__insert(&s->by_place, wait_place__hash(&w->place), (u32)s->sums.nr);
	array__add(&s->sums, ((struct wait_sum){ .key = w->place, .pid = w->pid }));
	return &s->sums.v[s->sums.nr - 1];
}

bool wait_sums__knows(const struct wait_sums *s, const struct wait_place *place)
{
	const struct wait_sum *p = wait_sums__find(s, place);

	return p && (p->sample[0] || p->sample[1]);
}

/* ---- samples ---- */

/* Return the offset of the weight in a sample of that size. Only words and registers follow it. */
static size_t weight_offset(const struct sample *s, size_t size)
{
	const u64 behind = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |
			   PERF_SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE |
			   SAMPLE_CODE_PAGE_SIZE;
	const struct perf_event_attr *attr = &s->evsel->attr;
	int words = 1 + __builtin_popcountll(attr->sample_type & behind);

	if (s->intr_regs_abi)
		words += __builtin_popcountll(attr->sample_regs_intr);
	return size - 8 * (size_t)words;
}

/* Append a sample with a wait of ns, or nr of them, that ended at time. */
static void wait_sums__emit(const struct wait_sums *s, const struct perf_event_header *sample, u64 ns, u64 nr,
			    u64 time, struct strbuf *out)
{
	const struct sample_layout *layout = &s->d->layouts[s->e->idx];
	const struct record r = { .header = sample };
	size_t start = out->len;
	struct sample fields;

	if (!ns || sample__decode(s->d, &r, &fields))
		return;
	strbuf__add(out, sample, sample->size);
	memcpy(out->buf + start + layout->time, &time, sizeof(time));
	memcpy(out->buf + start + layout->period, &ns, sizeof(ns));
	memcpy(out->buf + start + weight_offset(&fields, sample->size), &nr, sizeof(nr));
}

static void put_word(struct strbuf *sb, size_t start, u16 offset, u64 word)
{
	if (offset != SAMPLE_NO_FIELD)
		memcpy(sb->buf + start + offset, &word, sizeof(word));
}

/*
 * Make a sample whose call chain is the instruction at the place only. All fields after the chain are one
 * word, which is 0 for "none".
 */
static void wait_sums__make_sample(const struct wait_sums *s, const struct wait_sum *p, struct strbuf *out)
{
	const u64 behind = PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
			   PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
			   PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |
			   SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE;
	const struct sample_layout *l = &s->d->layouts[s->e->idx];
	const struct perf_event_attr *attr = &s->e->attr;
	bool is_kernel = (s64)p->key.ip < 0;
	const u64 chain[] = { 2, is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER, p->key.ip }, none = 0;
	int nr_behind = __builtin_popcountll(attr->sample_type & behind);
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER };

	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		nr_behind += attr->branch_sample_type & BRANCH_HW_INDEX ? 2 : 1;
	strbuf__reset(out);
	strbuf__add(out, &h, sizeof(h));
	while (out->len < l->fixed_end)
		strbuf__add(out, &none, sizeof(none));
	put_word(out, 0, l->identifier, s->e->ids.v[0]);
	put_word(out, 0, l->id, s->e->ids.v[0]);
	put_word(out, 0, l->ip, p->key.ip);
	put_word(out, 0, l->tid, (u64)p->key.tid << 32 | p->pid);
	if (attr->sample_type & PERF_SAMPLE_CALLCHAIN)
		strbuf__add(out, chain, sizeof(chain));
	for (int i = 0; i < nr_behind; i++)
		strbuf__add(out, &none, sizeof(none));
	((struct perf_event_header *)(void *)out->buf)->size = (u16)out->len;
}

/* ---- sums ---- */

/* Return the user part of a chain: from PERF_CONTEXT_USER on. *nr: its length. */
static const u64 *user_chain(const struct sample *s, u64 *nr)
{
	u64 i = 0;

	while (i < s->nr_callchain && s->callchain[i] != PERF_CONTEXT_USER)
		i++;
	*nr = s->nr_callchain - i;
	return s->callchain + i;
}

/*
 * Compare the user part, as the kernel may have left out its own. A kernel thread's chain is compared
 * whole. *longer: whether a has more frames.
 */
static bool have_equal_chains(const struct wait_sums *s, const struct perf_event_header *a,
			      const struct perf_event_header *b, bool *longer)
{
	struct sample x, y;
	const u64 *left, *right;
	u64 nr_left, nr_right;

	*longer = false;
	if (sample__decode_head(s->d, &(struct record){ .header = a }, &x) ||
	    sample__decode_head(s->d, &(struct record){ .header = b }, &y))
		return false;
	*longer = x.nr_callchain > y.nr_callchain;
	left = user_chain(&x, &nr_left);
	right = user_chain(&y, &nr_right);
	if (!nr_left && !nr_right) {
		left = x.callchain;
		right = y.callchain;
		nr_left = x.nr_callchain;
		nr_right = y.nr_callchain;
	}
	return nr_left == nr_right && (!nr_left || !memcmp(left, right, nr_left * sizeof(*left)));
}

/* Append the sum of the place, with this sample or without a call chain. */
static void wait_sums__close(const struct wait_sums *s, struct wait_sum *p,
			     const struct perf_event_header *sample, struct strbuf *out)
{
	struct strbuf made = STRBUF_INIT;

	if (!sample) {
		wait_sums__make_sample(s, p, &made);
		sample = (const void *)made.buf;
	}
	wait_sums__emit(s, sample, p->ns, p->nr, p->last, out);
	strbuf__exit(&made);
	p->ns = p->nr = 0;
}

/* Keep the sample of a wait for others at its place. */
static void wait_sums__keep(struct wait_sums *s, struct wait_sum *p, bool is_long,
			    struct perf_event_header *sample, struct strbuf *out)
{
	/* the raw stack of --call-graph dwarf is not compared: it may be any */
	bool differs = s->e->attr.sample_type & PERF_SAMPLE_STACK_USER, keeps = false, longer;
	struct perf_event_header **old = &p->sample[is_long];

	for (size_t i = 0; !differs && i < ARRAY_SIZE(p->sample); i++) {
		differs = p->sample[i] && !have_equal_chains(s, p->sample[i], sample, &longer);
		keeps |= p->sample[i] && i == is_long && longer;
	}
	p->has_several |= differs;
	if (!differs && keeps) {
		free(sample);
		return;
	}
	if (!is_long && differs && p->nr && *old)
		wait_sums__close(s, p, *old, out);
	s->sample_bytes += sample->size - (*old ? (*old)->size : 0);
	free(*old);
	*old = sample;
}

/* Return the sample that shows how a wait at the place came about, or NULL. */
static const struct perf_event_header *wait_sum__sample(const struct wait_sum *p, bool is_long)
{
	return p->sample[is_long] || p->has_several ? p->sample[is_long] : p->sample[!is_long];
}

void wait_sums__add(struct wait_sums *s, const struct wait *w, struct strbuf *out)
{
	struct wait_sum *p = wait_sums__find_add(s, w);
	bool is_long = w->ns >= s->threshold;

	if (w->sample)
		wait_sums__keep(s, p, is_long, w->sample, out);
	if (is_long) {
		struct wait_sum alone = *p;

		alone.ns = w->ns;
		alone.nr = 1;
		alone.last = w->end;
		wait_sums__close(s, &alone, wait_sum__sample(p, true), out);
		return;
	}
	if (!p->nr) {
		array__add(&s->open, (u32)(p - s->sums.v));
		p->first = w->end;
	}
	p->ns += w->ns;
	p->nr++;
	p->last = w->end;
}

static int compare_last(const void *a, const void *b, void *ctx)
{
	const struct wait_sum *sums = ctx, *x = &sums[*(const u32 *)a], *y = &sums[*(const u32 *)b];

	return x->last < y->last ? -1 : x->last > y->last;
}

void wait_sums__flush(struct wait_sums *s, u64 time, bool at_end, struct strbuf *out)
{
	size_t kept = 0;

	if (s->open.nr)
		qsort_r(s->open.v, s->open.nr, sizeof(*s->open.v), compare_last, s->sums.v);
	at_end |= s->sample_bytes + s->sums.nr * sizeof(*s->sums.v) > SAMPLES_MAX;
	for (size_t i = 0; i < s->open.nr; i++) {
		struct wait_sum *p = &s->sums.v[s->open.v[i]];
		const struct perf_event_header *sample = wait_sum__sample(p, false);

		if (!p->nr)
			continue;
		if (sample || at_end || time - p->first >= CHAIN_PATIENCE_MS * 1000000ull) {
			wait_sums__close(s, p, sample, out);
			continue;
		}
		p->last = time; /* records must not be older than two rounds */
		s->open.v[kept++] = s->open.v[i];
	}
	s->open.nr = kept;
	if (at_end)
		wait_sums__forget(s);
}
