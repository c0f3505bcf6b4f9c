#include "record/stacks/wait_sums.h"

#include "base/memory/hash.h"
#include "event/evsel/event_request.h"

#include <string.h>

enum {
	CHAIN_PATIENCE_MS = 500, /* how long a sum may wait for a call chain of its place */
	SAMPLES_MAX = 16 << 20,  /* bytes of kept samples */
	SPANS_MAX = 1024,        /* in a sample, which has 64 KiB */
	NR_LENGTHS = 48, /* lengths of waits that are told apart: two for each power of 2, from 1 us on */
	ANY_LENGTH = UINT8_MAX,
};

enum { NO_SUM = UINT32_MAX };

struct wait_chains { /* of a place */
	struct wait_place key;
	u32 pid;
	bool has_several; /* call chains */
	/* the newest of waits below and from the threshold on; NULL: none */
	struct perf_event_header *sample[2];
	/*
	 * if has_several: the newest of waits of each length, below and from the threshold on. Who waits
	 * there may tell how long it takes
	 */
	struct perf_event_header *(*by_length)[2];
	u64 borrowing; /* ns of waits without a sample, while all that there are have the same chain */
	u32 sums;      /* the first of its sums; NO_SUM: none */
};

struct wait_sum {         /* of short waits at a place with one cause */
	u32 chains, next; /* next sum of the place; NO_SUM: none */
	struct wait_cause cause;
	u8 length; /* index of by_length; ANY_LENGTH: the place had one chain */
	u64 ns, nr;
	u64 first, last; /* ends */
	ARRAY(struct wait_span) spans;
};

struct wait_sums {
	const struct evsel *e;
	const struct sample_decoder *d;
	u64 threshold;
	bool has_details;
	struct hash_table by_place, by_cause; /* of chains, of sums */
	ARRAY(struct wait_chains) chains;
	ARRAY(struct wait_sum) sums;
	ARRAY(u32) open; /* sums that are not written yet */
	u64 sample_bytes;
	struct borrowed_waits borrowed;
};

/* Return a number that is alike for waits of about this length. */
static u8 length_of(u64 ns)
{
	u64 us2 = ns >> 9; /* of half a microsecond, about */
	u32 log = us2 > 1 ? 63 - (u32)__builtin_clzll(us2) : 0;

	return (u8)MIN(log ? 2 * log - 1 + (us2 >> (log - 1) & 1) : 0, (u64)NR_LENGTHS - 1);
}

struct wait_sums *wait_sums__new(const struct evsel *e, const struct sample_decoder *d, u64 threshold)
{
	struct wait_sums *s = xcalloc(1, sizeof(*s));

	s->e = e;
	s->d = d;
	s->threshold = threshold;
	s->has_details = e->request->has_wait_details;
	return s;
}

static void wait_sums__forget_sums(struct wait_sums *s)
{
	for (size_t i = 0; i < s->sums.nr; i++)
		array__exit(&s->sums.v[i].spans);
	for (size_t i = 0; i < s->chains.nr; i++)
		s->chains.v[i].sums = NO_SUM;
	s->sums.nr = s->open.nr = 0;
	hash_table__exit(&s->by_cause);
	s->by_cause = (struct hash_table)HASH_TABLE_INIT;
}

static void wait_sums__forget(struct wait_sums *s)
{
	wait_sums__forget_sums(s);
	for (size_t i = 0; i < s->chains.nr; i++) {
		free(s->chains.v[i].sample[0]);
		free(s->chains.v[i].sample[1]);
		for (u32 k = 0; k < NR_LENGTHS && s->chains.v[i].by_length; k++) {
			free(s->chains.v[i].by_length[k][0]);
			free(s->chains.v[i].by_length[k][1]);
		}
		free(s->chains.v[i].by_length);
	}
	s->chains.nr = 0;
	s->sample_bytes = 0;
	hash_table__exit(&s->by_place);
	s->by_place = (struct hash_table)HASH_TABLE_INIT;
}

void wait_sums__delete(struct wait_sums *s)
{
	if (!s)
		return;
	wait_sums__forget(s);
	array__exit(&s->chains);
	array__exit(&s->sums);
	array__exit(&s->open);
	free(s);
}

static u64 wait_place__hash(const struct wait_place *p)
{
	return hash__add(hash__add(p->ip, p->sp), p->tid);
}

u64 wait_place__id(const struct wait_place *p)
{
	u64 id = wait_place__hash(p);

	return id ? id : 1;
}

static struct wait_chains *wait_sums__find(const struct wait_sums *s, const struct wait_place *key)
{
	u32 i;

	hash_table__for_each (&s->by_place, wait_place__hash(key), i) {
		const struct wait_place *p = &s->chains.v[i].key;

		if (p->tid == key->tid && p->ip == key->ip && p->sp == key->sp)
			return &s->chains.v[i];
	}
	return NULL;
}

static struct wait_chains *wait_sums__find_add(struct wait_sums *s, const struct wait *w)
{
	struct wait_chains *p = wait_sums__find(s, &w->place);

	if (p)
		return p;
	hash_table__insert(&s->by_place, wait_place__hash(&w->place), (u32)s->chains.nr);
	array__add(&s->chains, ((struct wait_chains){ .key = w->place, .pid = w->pid, .sums = NO_SUM }));
	return &s->chains.v[s->chains.nr - 1];
}

static u64 wait_cause__hash(u32 chains, const struct wait_cause *c, u8 length)
{
	u64 hash =
		hash__add(hash__add((u64)length << 32 | chains, c->futex), (u64)c->futex_op << 32 | c->flags);

	return hash__add(hash__add(hash, (u64)c->pid << 32 | c->tid), c->waking_place);
}

static bool are_equal(const struct wait_cause *a, const struct wait_cause *b)
{
	return a->futex == b->futex && a->futex_op == b->futex_op && a->flags == b->flags &&
	       a->pid == b->pid && a->tid == b->tid && a->waking_place == b->waking_place;
}

/* Return the sum of waits at a place with this cause and length. */
static struct wait_sum *wait_sums__sum(struct wait_sums *s, struct wait_chains *p,
				       const struct wait_cause *cause, u8 length)
{
	u32 chains = (u32)(p - s->chains.v), i;
	u64 hash = wait_cause__hash(chains, cause, length);

	hash_table__for_each (&s->by_cause, hash, i)
		if (s->sums.v[i].chains == chains && s->sums.v[i].length == length &&
		    are_equal(&s->sums.v[i].cause, cause))
			return &s->sums.v[i];
	hash_table__insert(&s->by_cause, hash, (u32)s->sums.nr);
	array__add(&s->sums, ((struct wait_sum){
				     .chains = chains, .next = p->sums, .cause = *cause, .length = length }));
	p->sums = (u32)(s->sums.nr - 1);
	return &s->sums.v[p->sums];
}

bool wait_sums__knows(const struct wait_sums *s, const struct wait_place *place)
{
	const struct wait_chains *p = wait_sums__find(s, place);

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

static void put_word(struct strbuf *sb, size_t start, u16 offset, u64 word)
{
	if (offset != SAMPLE_NO_FIELD)
		memcpy(sb->buf + start + offset, &word, sizeof(word));
}

/* Replace the RAW data of the sample at start, decoded as fields, by the details of a sum. */
static void wait_sums__add_detail(const struct wait_sum *p, const struct perf_event_header *sample,
				  const struct sample *fields, u64 weight, struct strbuf *out)
{
	const struct wait_cause *c = &p->cause;
	const struct wait_detail detail = { .futex_op = c->futex_op,
					    .flags = c->flags,
					    .pid = c->pid,
					    .tid = c->tid,
					    .place = c->waking_place };
	const u8 *data = (const u8 *)sample;
	size_t start = out->len, raw = (size_t)((const u8 *)fields->raw - data) - sizeof(u32);
	size_t behind = (raw + sizeof(u32) + fields->raw_size + 7) & ~(size_t)7;
	size_t at = weight_offset(fields, sample->size);

	strbuf__add(out, data, raw);
	wait_detail__encode(&detail, p->spans.v, (u32)p->spans.nr, p->last, out);
	at = out->len + at - behind;
	strbuf__add(out, data + behind, sample->size - behind);
	memcpy(out->buf + at, &weight, sizeof(weight));
	put_word(out, start, fields->layout->addr, c->futex);
	((struct perf_event_header *)(void *)(out->buf + start))->size = (u16)(out->len - start);
}

/* Append a sample with the waits of a sum. */
static void wait_sums__emit(const struct wait_sums *s, const struct perf_event_header *sample,
			    const struct wait_sum *p, struct strbuf *out)
{
	const struct sample_layout *layout = &s->d->layouts[s->e->idx];
	const struct record r = { .header = sample };
	size_t start = out->len;
	struct sample fields;

	if (!p->ns || sample__decode(s->d, &r, &fields))
		return;
	if (s->has_details) {
		wait_sums__add_detail(p, sample, &fields, p->nr, out);
	} else {
		strbuf__add(out, sample, sample->size);
		memcpy(out->buf + start + weight_offset(&fields, sample->size), &p->nr, sizeof(p->nr));
	}
	memcpy(out->buf + start + layout->time, &p->last, sizeof(p->last));
	memcpy(out->buf + start + layout->period, &p->ns, sizeof(p->ns));
}

/*
 * Make a sample whose call chain is the instruction at the place only. All fields after the chain are one
 * word, which is 0 for "none".
 */
static void wait_sums__make_sample(const struct wait_sums *s, const struct wait_chains *p, struct strbuf *out)
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

/* Append a sum, with this sample or without a call chain. */
static void wait_sums__close(const struct wait_sums *s, struct wait_sum *p,
			     const struct perf_event_header *sample, struct strbuf *out)
{
	struct strbuf made = STRBUF_INIT;

	if (!sample) {
		wait_sums__make_sample(s, &s->chains.v[p->chains], &made);
		sample = (const void *)made.buf;
	}
	wait_sums__emit(s, sample, p, out);
	strbuf__exit(&made);
	p->ns = p->nr = p->spans.nr = 0;
}

/* Append the sums of a place with this length that are not written yet. */
static void wait_sums__close_place(struct wait_sums *s, const struct wait_chains *p, u8 length,
				   const struct perf_event_header *sample, struct strbuf *out)
{
	for (u32 i = p->sums; i != NO_SUM; i = s->sums.v[i].next)
		if (s->sums.v[i].nr && s->sums.v[i].length == length)
			wait_sums__close(s, &s->sums.v[i], sample, out);
}

/* Keep a copy of the sample for waits of about this length at a place with several chains. */
static void wait_sums__keep_by_length(struct wait_sums *s, struct wait_chains *p, bool is_long, u8 length,
				      const struct perf_event_header *sample, struct strbuf *out)
{
	bool is_raw = s->e->attr.sample_type & PERF_SAMPLE_STACK_USER, longer;
	struct perf_event_header **old;

	if (!p->by_length)
		s->sample_bytes += NR_LENGTHS * sizeof(*p->by_length);
	if (!p->by_length)
		p->by_length = xcalloc(NR_LENGTHS, sizeof(*p->by_length));
	old = &p->by_length[length][is_long];
	if (*old && !is_raw && have_equal_chains(s, *old, sample, &longer)) {
		if (longer)
			return;
	} else if (*old && !is_long) {
		wait_sums__close_place(s, p, length, *old, out);
	}
	s->sample_bytes += sample->size - (*old ? (*old)->size : 0);
	free(*old);
	*old = xmemdup(sample, sample->size);
}

/* Keep the sample of a wait for others at its place. */
static void wait_sums__keep(struct wait_sums *s, struct wait_chains *p, bool is_long, u8 length,
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
	if (p->has_several)
		wait_sums__keep_by_length(s, p, is_long, length, sample, out);
	if (!differs && keeps) {
		free(sample);
		return;
	}
	if (!is_long && differs && *old)
		wait_sums__close_place(s, p, ANY_LENGTH, *old, out);
	s->sample_bytes += sample->size - (*old ? (*old)->size : 0);
	free(*old);
	*old = sample;
}

/* Return the sample of a wait that took about as long, or NULL. */
static const struct perf_event_header *wait_chains__nearest(const struct wait_chains *p, bool is_long,
							    u8 length)
{
	for (u8 far = 0; far < NR_LENGTHS && p->by_length; far++) {
		if (length >= far && p->by_length[length - far][is_long])
			return p->by_length[length - far][is_long];
		if (length + far < NR_LENGTHS && p->by_length[length + far][is_long])
			return p->by_length[length + far][is_long];
	}
	return NULL;
}

/* Return the sample that shows how a wait at the place came about, or NULL. */
static const struct perf_event_header *wait_chains__sample(const struct wait_chains *p, bool is_long,
							   u8 length)
{
	const struct perf_event_header *nearest =
		length == ANY_LENGTH ? NULL : wait_chains__nearest(p, is_long, length);

	if (nearest)
		return nearest;
	return p->sample[is_long] || p->has_several ? p->sample[is_long] : p->sample[!is_long];
}

/* Append a wait that is a sample of its own. */
static void wait_sums__add_alone(const struct wait_sums *s, const struct wait_chains *p, const struct wait *w,
				 struct strbuf *out)
{
	struct wait_sum alone = {
		.chains = (u32)(p - s->chains.v), .cause = w->cause, .ns = w->ns, .nr = 1, .last = w->end
	};

	if (w->span.end)
		array__add(&alone.spans, w->span);
	wait_sums__close(s, &alone, wait_chains__sample(p, true, length_of(w->ns)), out);
	array__exit(&alone.spans);
}

static void wait_sums__count(struct wait_sums *s, struct wait_chains *p, const struct wait *w)
{
	s->borrowed.all_ns += w->ns;
	if (!w->sample)
		p->borrowing += w->ns;
}

struct borrowed_waits wait_sums__take_borrowed(struct wait_sums *s)
{
	struct borrowed_waits b = s->borrowed;

	s->borrowed = (struct borrowed_waits){ 0 };
	return b;
}

void wait_sums__add(struct wait_sums *s, const struct wait *w, struct strbuf *out)
{
	struct wait_chains *p = wait_sums__find_add(s, w);
	bool is_long = w->ns >= s->threshold;
	u8 length = length_of(w->ns);
	struct wait_sum *sum;

	wait_sums__count(s, p, w);
	if (w->sample)
		wait_sums__keep(s, p, is_long, length, w->sample, out);
	if (p->has_several) {
		s->borrowed.ns += p->borrowing;
		p->borrowing = 0;
	}
	if (is_long) {
		wait_sums__add_alone(s, p, w, out);
		return;
	}
	sum = wait_sums__sum(s, p, &w->cause, p->has_several ? length : ANY_LENGTH);
	if (!sum->nr) {
		array__add(&s->open, (u32)(sum - s->sums.v));
		sum->first = w->end;
	}
	sum->ns += w->ns;
	sum->nr++;
	sum->last = w->end;
	if (w->span.end)
		array__add(&sum->spans, w->span);
	if (sum->spans.nr >= SPANS_MAX)
		wait_sums__close(s, sum, wait_chains__sample(p, false, sum->length), out);
}

static int compare_last(const void *a, const void *b, void *ctx)
{
	const struct wait_sum *sums = ctx, *x = &sums[*(const u32 *)a], *y = &sums[*(const u32 *)b];

	return x->last < y->last ? -1 : x->last > y->last;
}

void wait_sums__flush(struct wait_sums *s, u64 time, bool at_end, struct strbuf *out)
{
	u64 kept_bytes =
		s->sample_bytes + s->sums.nr * sizeof(*s->sums.v) + s->chains.nr * sizeof(*s->chains.v);
	bool has_chains = s->e->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
	size_t kept = 0;

	if (s->open.nr)
		qsort_r(s->open.v, s->open.nr, sizeof(*s->open.v), compare_last, s->sums.v);
	at_end |= kept_bytes > SAMPLES_MAX;
	for (size_t i = 0; i < s->open.nr; i++) {
		struct wait_sum *p = &s->sums.v[s->open.v[i]];
		const struct perf_event_header *sample =
			wait_chains__sample(&s->chains.v[p->chains], false, p->length);

		if (!p->nr)
			continue;
		if (sample || at_end || !has_chains || time - p->first >= CHAIN_PATIENCE_MS * 1000000ull) {
			wait_sums__close(s, p, sample, out);
			continue;
		}
		p->last = time; /* records must not be older than two rounds */
		s->open.v[kept++] = s->open.v[i];
	}
	s->open.nr = kept;
	if (at_end)
		wait_sums__forget(s);
	else if (!kept && s->has_details) /* causes are many, and most do not return */
		wait_sums__forget_sums(s);
}
