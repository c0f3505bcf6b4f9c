#include "profile/gather/profile.h"

#include "base/system/clock.h"
#include "base/system/thread.h"
#include "profile/rows/sample_row.h"
#include "profile/branches/branches.h"
#include "profile/branches/branch_history.h"
#include "profile/gather/last_chains.h"
#include "profile/branches/lbr_chains.h"
#include "format/records/read_deltas.h"
#include "profile/gather/unwound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AHEAD = 8 }; /* samples between prefetching a row and counting it */

typedef ARRAY(u64) word_array;

struct pending {
	u64 hash;
	struct row_key key;
	const u64 *chain;             /* in the block */
	struct row_extra extra, part; /* of the row; of its part, if there are parts */
	struct row_sample sample;
};

struct worker {
	const struct profile_opts *opts;
	struct session *session;
	struct sample_pass *pass;
	struct row_table rows;
	struct row_parts parts;
	struct machine_cursor cursor;
	u64 nr_samples, nr_filtered, nr_unknown_event, nr_misread;
	u64 end;                /* as in struct profile_opts */
	bool kernel_is_loading; /* its symbols have been requested */
	bool has_extras, notes_rows;
	struct pending pending[LOOK_AHEAD];
	unsigned nr_pending;
	struct read_deltas deltas;
	struct unwound unwound;
	struct {
		u64 special_types;    /* samples with any of these in sample_type cannot take the fast path */
		const bool *left_out; /* is not counted; by idx */
	} events;
	u64 branch_flags; /* flags that distinguish branches */
	struct sample_stream stream;
	u64 branch_words[LOOK_AHEAD][ROW_BRANCH_WORDS]; /* chains of pending branches */
	struct last_chains last_chains;
	struct lbr_chains lbr_chains;
	history_words history[LOOK_AHEAD]; /* chains of pending samples */
	word_array extras[LOOK_AHEAD];     /* of pending samples */
	struct {
		size_t step; /* found last by sample_context__fill */
		u32 number;  /* of the next sample, with opts->weights */
		u64 period;  /* with weights: what was recorded of the sample */
	} at;
	int ret;
	struct err err;
	pthread_t thread;
};

/* A merged recording has no times: the samples of a stack are spread at random over some seconds. */
static void worker__stream_many(struct worker *w, u32 row, const struct row_sample *s)
{
	enum { SPREAD_BITS = 32, MOST = 1 << 20 };
	u64 nr = MIN(s->nr, (u32)MOST);

	for (u64 i = 0; i < nr; i++) {
		const struct stream_sample one = { .time = 1 +
							   (hash__u64(s->offset + i) >> (64 - SPREAD_BITS)),
						   .weight = s->period / nr + (i < s->period % nr),
						   .row = row,
						   .cpu = s->cpu };

		sample_stream__add(&w->stream, sample_stream__base(w->opts->stream, 1), &one);
	}
}

static void worker__stream(struct worker *w, u32 row, const struct row_sample *s)
{
	const struct stream_sample sample = { s->time, s->period, row, s->cpu };

	sample_stream__add(&w->stream, sample_stream__base(w->opts->stream, s->time), &sample);
}

/* Note that a sample was counted in a row. */
static void worker__note_row(struct worker *w, u32 row, const struct pending *p)
{
	if (w->opts->parts)
		row_parts__count(&w->parts, row, &p->part, &p->sample);
	if (!w->opts->stream)
		return;
	if (w->session->is_merged)
		worker__stream_many(w, row, &p->sample);
	else
		worker__stream(w, row, &p->sample);
}

/* Count the pending samples, before the block that they point into is reused. */
static void worker__flush(struct worker *w)
{
	u32 rows[LOOK_AHEAD];

	for (unsigned i = 0; i < w->nr_pending; i++)
		row_table__prefetch_row(&w->rows, w->pending[i].hash);
	for (unsigned i = 0; i < w->nr_pending; i++) {
		const struct pending *p = &w->pending[i];

		rows[i] = row_table__count(&w->rows, p->hash, &p->key, p->chain, &p->extra, &p->sample);
	}
	for (unsigned i = 0; i < w->nr_pending && unlikely(w->notes_rows); i++)
		worker__note_row(w, rows[i], &w->pending[i]);
	w->nr_pending = 0;
}

static bool worker__wants(const struct worker *w, const struct sample *s)
{
	if (w->opts->cpus && !int_list__has(w->opts->cpus, (int)s->cpu))
		return false;
	if (w->opts->spans && !span_choice__find(w->opts->spans, s->tid, s->time))
		return false;
	return !w->opts->times || time_spans__has(w->opts->times, s->time);
}

static inline __attribute__((always_inline)) void worker__make_key(struct worker *w, const struct sample *s,
								   const struct thread_state *t, u64 time,
								   struct row_key *key)
{
	*key = sample__row_key(s, t, &w->cursor, &w->session->machine);
	if (w->opts->step)
		key->ip = time < w->opts->from ? 0 : (time - w->opts->from) / w->opts->step;
	if (w->opts->split & PROFILE_SPLIT_THREAD) {
		key->thread = t->thread;
		key->pid = s->pid;
		key->tid = s->tid;
	}
	if (w->opts->split & PROFILE_SPLIT_CPU)
		key->cpu = s->cpu;
	if (!w->opts->no_chains || w->opts->branches || w->opts->blocks)
		key->nr_chain = (u32)s->nr_callchain;
}

/* Load the kernel's symbols in the background: they will be needed. */
static void worker__saw_kernel(struct worker *w)
{
	w->kernel_is_loading = true;
	symbolizer__preload_kernel(&w->session->symbolizer);
}

/* Return the parts of the payload that are wanted, or NULL. */
static const trace_spans *worker__payload_spans(const struct worker *w, const struct sample *s)
{
	const struct payload_cuts *cuts = w->opts->payloads;
	const trace_spans *spans = cuts ? &cuts->by_event[s->evsel->idx] : NULL;

	return spans && spans->nr && s->evsel->attr.sample_type & PERF_SAMPLE_RAW && s->raw ? spans : NULL;
}

static u64 sample__word(const struct sample *s, const struct sample_word *word)
{
	return *(const u64 *)(const void *)((const u8 *)s + word->offset) & word->bits;
}

/* Set what is known of a sample from others, which is found by what was recorded of it. */
static void worker__fill_context(struct worker *w, struct sample *s)
{
	u64 period = s->period;

	if (w->opts->weights)
		s->period = w->at.period;
	sample_context__fill(w->opts->context, &w->at.step, s);
	s->period = period;
}

/* Set the extra of a pending sample: the words of sort keys, then the payload's size and bytes. */
static void worker__add_extra(struct worker *w, struct sample *s, unsigned slot)
{
	const trace_spans *spans = worker__payload_spans(w, s);
	size_t nr = 0, nr_words = w->opts->words ? w->opts->words->nr : 0, size;
	u64 *words, time = s->time;

	w->pending[slot].extra.nr = 0;
	if (!nr_words && !spans)
		return;
	array__reserve(&w->extras[slot], nr_words + (spans ? 1 + ROUND_UP((size_t)s->raw_size, 8) / 8 : 0));
	words = w->extras[slot].v;
	if (w->opts->context)
		worker__fill_context(w, s);
	if (w->opts->time_quantum)
		s->time -= time % w->opts->time_quantum;
	for (size_t i = 0; i < nr_words; i++)
		words[nr++] = sample__word(s, &w->opts->words->v[i]);
	s->time = time;
	if (spans) {
		size = trace_spans__cut(spans, s->raw, s->raw_size, w->opts->payloads->big_endian,
					words + nr + 1);
		words[nr++] = size;
		memset((u8 *)(words + nr) + size, 0, ROUND_UP(size, 8) - size);
		nr += ROUND_UP(size, 8) / 8;
	}
	*(w->opts->parts ? &w->pending[slot].part : &w->pending[slot].extra) =
		(struct row_extra){ words, (u32)nr };
}

/* Return the number of samples that this one stands for (format/read/merged_inputs.h). */
static u32 worker__nr(const struct worker *w, const struct sample *s)
{
	return likely(!w->session->is_merged) ? 1 : (u32)MAX(MIN(s->weight, (u64)UINT32_MAX), (u64)1);
}

/* Set p to count a sample for its event, with its period: all but the words of its chain, and after it. */
static inline __attribute__((always_inline)) void worker__prepare(struct worker *w, const struct sample *s,
								  const struct record *r, struct pending *p)
{
	u64 time = session__time(w->session, s, r);
	const struct thread_state *t;

	machine_cursor__seek(&w->cursor, time);
	t = machine_cursor__thread(&w->cursor, s->pid, s->tid);
	worker__make_key(w, s, t, time, &p->key);
	p->sample = (struct row_sample){ .nr = worker__nr(w, s),
					 .period = w->opts->by_weight ? MAX(sample__weight(s), 1) : s->period,
					 .time = time,
					 .offset = r->offset,
					 .thread = t->thread,
					 .pid = s->pid,
					 .tid = s->tid,
					 .rank = w->cursor.rank,
					 .cpu = s->cpu };
	if (unlikely(s->cpumode == PERF_RECORD_MISC_KERNEL && !w->kernel_is_loading))
		worker__saw_kernel(w);
}

/* Count the next pending sample, which is prepared and has its chain. hash: row_key__hash_words. */
static inline void worker__push(struct worker *w, struct sample *s, u64 hash)
{
	struct pending *p = &w->pending[w->nr_pending++];

	if (unlikely(w->has_extras))
		worker__add_extra(w, s, w->nr_pending - 1);
	p->hash = row_key__hash_chain(hash, &p->key, p->chain, &p->extra);
	row_table__prefetch(&w->rows, p->hash);
	if (w->nr_pending == LOOK_AHEAD)
		worker__flush(w);
}

static void worker__count(struct worker *w, struct sample *s, const struct record *r)
{
	struct pending *p = &w->pending[w->nr_pending];
	static const u64 no_chain;

	worker__prepare(w, s, r, p);
	p->chain = s->callchain ? s->callchain : &no_chain;
	w->nr_samples += p->sample.nr;
	worker__push(w, s, row_key__hash_words(&p->key));
}

static void worker__unwind(struct worker *w, struct sample *s, const struct record *r)
{
	u64 until = w->opts->unwind_until, type = s->evsel->attr.sample_type;
	const struct maps *maps;

	if (w->opts->no_chains || (!unwound__is_wanted(type) && !unwound__may_lack_caller(type)) ||
	    (until && clock__ns() >= until))
		return;
	machine_cursor__seek(&w->cursor, session__time(w->session, s, r));
	maps = machine_cursor__thread(&w->cursor, s->pid, s->tid)->maps;
	if (unwound__is_wanted(type))
		unwound__add_chain(&w->unwound, s, maps, w->cursor.rank);
	else
		unwound__add_caller(&w->unwound, s, maps, w->cursor.rank);
}

/* Put the branches before the call chain. The slot of the next sample to be counted owns the words. */
static void worker__make_history(struct worker *w, struct sample *s)
{
	history_words *words = &w->history[w->nr_pending];

	branch_history__make(words, s, w->opts->max_stack);
	s->callchain = words->v;
	s->nr_callchain = words->nr;
}

/* Count a sample for each counter whose value it has; skip counters that did not advance. */
static void worker__count_read(struct worker *w, struct sample *s, const struct record *r)
{
	if (sample__decode_tail(r, s)) {
		w->nr_misread++;
		return;
	}
	worker__unwind(w, s, r);
	if (w->opts->history)
		worker__make_history(w, s);
	for (u64 i = 0, id, value; i < s->read.nr; i++) {
		struct sample member = *s;

		sample__counter(s, i, &id, &value);
		member.evsel = id ? evlist__by_id(&w->session->reader->evlist, id) : s->evsel;
		member.period = read_deltas__advance(&w->deltas, id, sample__counter_tid(s), value);
		if (member.evsel != s->evsel)
			member.raw = NULL; /* the payload is the leader's */
		if (!member.evsel)
			w->nr_unknown_event++;
		else if (member.period && worker__wants(w, &member))
			worker__count(w, &member, r);
	}
	worker__flush(w); /* the next sample overwrites the chain */
}

/* Return the branch flags that the split distinguishes. */
static u64 split__branch_flags(unsigned split)
{
	static const struct {
		unsigned split;
		u64 flags;
	} parts[] = {
		{ PROFILE_SPLIT_PREDICTION, BRANCH_PREDICTED | BRANCH_MISPREDICTED },
		{ PROFILE_SPLIT_IN_TX, BRANCH_IN_TX },
		{ PROFILE_SPLIT_ABORT, BRANCH_ABORT },
		{ PROFILE_SPLIT_CYCLES, 0xffffull << BRANCH_CYCLES_SHIFT },
	};
	u64 flags = 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		flags |= split & parts[i].split ? parts[i].flags : 0;
	return flags;
}

/* Decode the rest of a sample. Return false if it is damaged or filtered. */
static bool worker__decode(struct worker *w, const struct record *r, struct sample *s)
{
	if (sample__decode_tail(r, s)) {
		w->nr_misread++;
		return false;
	}
	if (s->layout->tid == SAMPLE_NO_FIELD)
		s->pid = s->tid = UINT32_MAX;
	if (worker__wants(w, s))
		return true;
	w->nr_filtered++;
	return false;
}

/*
 * Prepare what the branches of a sample have in common, without ip and chain, and return row_key__hash_words
 * of it. Not inlined: then gcc copies it as a whole for each branch.
 */
static __attribute__((noinline)) u64 worker__prepare_branches(struct worker *w, struct sample *s,
							      const struct record *r, struct pending *p)
{
	worker__prepare(w, s, r, p);
	p->extra.nr = 0;
	p->key.ip = 0;
	return row_key__hash_words(&p->key);
}

/* Return the cycles before branch i, which are those of the code up to it. */
static u64 sample__cycles(const struct sample *s, u64 i)
{
	return s->branches[3 * i + 2] >> BRANCH_CYCLES_SHIFT & 0xffff;
}

/* Return where the code up to branch i begins: where the branch before it led; 0: not known. */
static u64 sample__block_start(const struct sample *s, u64 i)
{
	return i + 1 < s->nr_branches ? s->branches[3 * (i + 1) + 1] : 0; /* the newest one is the first */
}

/* Count each branch of a sample once, as if it were a sample at the branch's target. */
static void worker__count_branches(struct worker *w, struct sample *s, const struct record *r)
{
	u64 sample_ip = w->opts->split & PROFILE_SPLIT_SAMPLE_IP ? s->ip : 0;
	struct pending one;
	u64 hash;

	s->period = 1;
	s->nr_callchain = w->opts->starts ? ROW_BRANCH_WORDS : ROW_BRANCH_START;
	hash = worker__prepare_branches(w, s, r, &one);
	for (u64 i = 0; i < s->nr_branches; i++) {
		const u64 *b = s->branches + 3 * i;
		u64 *words = w->branch_words[w->nr_pending];
		struct pending *p = &w->pending[w->nr_pending];

		words[ROW_BRANCH_FROM] = b[0];
		words[ROW_BRANCH_FLAGS] = b[2] & w->branch_flags;
		words[ROW_BRANCH_SAMPLE] = sample_ip;
		*p = one;
		p->key.ip = s->ip = b[1];
		p->chain = words;
		p->sample.offset = r->offset + i; /* keeps the branches in order within the sample */
		if (w->opts->starts) {
			p->sample.period = sample__cycles(s, i);
			words[ROW_BRANCH_START] =
				p->sample.period || w->opts->all_blocks ? sample__block_start(s, i) : 0;
		}
		w->nr_samples += p->sample.nr;
		worker__push(w, s, hash + row_key__hash_ip(s->ip));
	}
}

/* Count the code between the branches of a sample, which took the cycles of the branch at its end. */
static void worker__count_blocks(struct worker *w, struct sample *s, const struct record *r)
{
	struct pending one;
	u64 hash;

	s->nr_callchain = ROW_BLOCK_WORDS;
	hash = worker__prepare_branches(w, s, r, &one);
	for (u64 i = 0; i < s->nr_branches; i++) {
		const u64 *b = s->branches + 3 * i;
		u64 *words = w->branch_words[w->nr_pending], cycles = sample__cycles(s, i);
		struct pending *p = &w->pending[w->nr_pending];

		if (!cycles && !w->opts->all_blocks)
			continue;
		words[ROW_BLOCK_START] = sample__block_start(s, i);
		words[ROW_BLOCK_FLAGS] = (b[2] & w->branch_flags) | (cycles ? BLOCK_HAS_CYCLES : 0);
		*p = one;
		p->key.ip = s->ip = b[0];
		p->chain = words;
		p->sample.period = cycles;
		p->sample.offset = r->offset + i;
		w->nr_samples += p->sample.nr;
		worker__push(w, s, hash + row_key__hash_ip(s->ip));
	}
}

/* Count a sample that needs full decoding, and perhaps another chain than the recorded one. */
static void worker__count_whole(struct worker *w, struct sample *s, const struct record *r)
{
	const u64 *recorded = s->callchain;

	worker__unwind(w, s, r);
	if (w->opts->stitches)
		lbr_chains__complete(&w->lbr_chains, s);
	if (w->opts->lbr_chains)
		unwound__add_lbr_chain(&w->unwound, s, w->opts->exact_leaves);
	if (w->opts->last_chains)
		last_chains__see(&w->last_chains, s);
	if (w->opts->history)
		worker__make_history(w, s);
	worker__count(w, s, r);
	if (s->callchain != recorded)
		worker__flush(w); /* the next sample overwrites the chain */
}

/* s: its head is decoded. */
static void worker__special_sample(struct worker *w, struct sample *s, const struct record *r)
{
	bool single = !w->opts->branches && !w->opts->blocks;

	if (single && s->evsel->attr.sample_type & PERF_SAMPLE_READ && !w->opts->weights) {
		worker__count_read(w, s, r);
		return;
	}
	if (!worker__decode(w, r, s))
		return;
	if (single)
		worker__count_whole(w, s, r);
	if (w->opts->branches)
		worker__count_branches(w, s, r);
	if (w->opts->blocks)
		worker__count_blocks(w, s, r);
}

/* Are words of fields that sample__decode_head does not decode? */
static bool needs_tail(const sample_words *words)
{
	for (size_t i = 0; words && i < words->nr; i++) {
		u16 offset = words->v[i].offset;

		if (offset >= offsetof(struct sample, read) &&
		    offset != offsetof(struct sample, parallelism) &&
		    offset != offsetof(struct sample, cgroup_ns))
			return true;
	}
	return false;
}

/* Return the sample_type bits that exclude samples from the fast path. */
static u64 special_types(const struct session *s, const struct profile_opts *opts)
{
	u64 types = PERF_SAMPLE_READ | (opts->payloads ? PERF_SAMPLE_RAW : 0) |
		    (s->is_merged ? PERF_SAMPLE_WEIGHT : 0);

	if (opts->branches || opts->blocks || opts->history || needs_tail(opts->words) || opts->by_weight ||
	    opts->last_chains)
		return UINT64_MAX;
	if (opts->no_chains)
		return types;
	types |= PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;
	return opts->lbr_chains ? types | PERF_SAMPLE_BRANCH_STACK : types;
}

static void worker__sample(struct worker *w, const struct record *r)
{
	const struct sample_weights *weights = w->opts->weights;
	u64 weight = weights ? weights->ns[w->at.number++] : 0;
	struct sample s;
	int ret = sample__decode_head(&w->session->decoder, r, &s);

	if (unlikely(ret)) {
		w->nr_unknown_event += ret == -ENOENT;
		w->nr_misread += ret != -ENOENT;
		return;
	}
	if (unlikely(w->events.left_out[s.evsel->idx]))
		return;
	if (unlikely(weights)) {
		if (!weight)
			return;
		w->at.period = s.period;
		s.period = weight;
	}
	if (unlikely(s.evsel->attr.sample_type & w->events.special_types)) {
		worker__special_sample(w, &s, r);
		return;
	}
	if (s.layout->tid == SAMPLE_NO_FIELD)
		s.pid = s.tid = UINT32_MAX; /* no thread, as in stock perf */
	if (worker__wants(w, &s))
		worker__count(w, &s, r);
	else
		w->nr_filtered++;
}

/* Count what no sample stands for, as samples at the end of the recording. */
static void worker__count_lone(struct worker *w)
{
	const struct sample_weights *weights = w->opts->weights;

	for (size_t i = 0; i < weights->lone.nr; i++) {
		const struct lone_time *l = &weights->lone.v[i];
		struct sample s = { .evsel = weights->lone_events[l->kind],
				    .cpumode = PERF_RECORD_MISC_USER,
				    .pid = l->pid,
				    .tid = l->tid,
				    .time = weights->lines.end,
				    .cpu = UINT32_MAX,
				    .period = l->ns };
		/* behind all samples, but before no sample: a row's first one is earlier */
		const struct record r = { .offset = UINT64_MAX - 1 };

		s.layout = &w->session->decoder.layouts[s.evsel->idx];
		if (worker__wants(w, &s))
			worker__count(w, &s, &r);
	}
	worker__flush(w);
}

/* Find the number of the first sample of a block. */
static int worker__enter(struct worker *w, const struct block *b)
{
	if (!w->opts->weights || time_lines__first(&w->opts->weights->lines, b, &w->at.number))
		return 1;
	return err__set(&w->err, -EIO, "'%s' has changed while it was read", w->session->reader->path);
}

static void *worker__run(void *arg)
{
	struct worker *w = arg;
	struct block block = BLOCK_INIT;
	struct record r;

	machine_cursor__init(&w->cursor, &w->session->machine);
	while ((w->ret = sample_pass__next(w->pass, &block, &w->err)) > 0 &&
	       (w->ret = worker__enter(w, &block)) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &r))
			if (r.header->type == PERF_RECORD_SAMPLE && r.offset < w->end)
				worker__sample(w, &r);
			else if (r.header->type == PERF_RECORD_SAMPLE)
				w->at.number++;
		worker__flush(w);
	}
	sample_pass__release(w->pass, &block);
	return NULL;
}

static void profile__add_worker(struct profile *p, struct worker *w, bool is_first)
{
	u32 *numbers = NULL;

	p->nr_samples += w->nr_samples;
	p->nr_filtered += w->nr_filtered;
	p->nr_unknown_event += w->nr_unknown_event;
	p->nr_misread += w->nr_misread;
	unwind_stats__merge(&p->unwinding, &w->unwound.stats);
	if (is_first) {
		p->rows = w->rows;
		p->parts = w->parts;
	} else {
		numbers = row_table__merge(&p->rows, &w->rows);
		array__add(&p->merged, w->rows.arena);
		row_parts__merge(&p->parts, &w->parts, numbers);
		array__add(&p->merged_parts, w->parts.arena);
	}
	if (w->opts->stream)
		sample_stream__merge(w->opts->stream, &w->stream, numbers);
	free(numbers);
}

static void run_workers(struct worker *workers, unsigned nr)
{
	unsigned started = 1;

	/* If a thread cannot be started, the others do its share. */
	while (started < nr && !thread__start(&workers[started].thread, worker__run, &workers[started]))
		started++;
	worker__run(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

/* Read the statistics of unwinding that the recorder wrote. */
static void profile__read_unwinding(struct profile *p)
{
	struct strbuf text = STRBUF_INIT;

	if (!reader__extension(p->session->reader, EXTENSION_CALL_CHAINS, &text) &&
	    unwind_stats__read(&p->unwinding, text.buf, text.len)) {
		unwind_stats__exit(&p->unwinding);
		p->unwinding = (struct unwind_stats){ 0 };
	}
	strbuf__exit(&text);
}

/* Return for each event whether its samples are not counted. The caller frees it. */
static bool *left_out_events(const struct session *s, const struct profile_opts *opts)
{
	const struct evlist *l = &s->reader->evlist;
	bool *left_out = xcalloc(l->evsels.nr + 1, sizeof(*left_out));

	for (size_t i = 0; i < l->evsels.nr; i++)
		left_out[i] = evsel__has_spans(l->evsels.v[i]) && !opts->with_spans;
	return left_out;
}

int profile__collect(struct profile *p, struct session *s, const struct profile_opts *opts, struct err *err)
{
	bool *left_out = left_out_events(s, opts);
	bool in_order = evlist__sample_type_any(&s->reader->evlist) & PERF_SAMPLE_READ || opts->last_chains ||
			opts->stitches;
	unsigned nr_threads = MAX(opts->nr_threads, 1u), nr = in_order ? 1 : nr_threads;
	struct worker *workers = xcalloc(nr, sizeof(*workers));
	struct sample_pass *pass = sample_pass__new(s);
	int ret = 0;

	*p = (struct profile){ .session = s };
	for (unsigned i = 0; i < nr; i++) {
		workers[i].opts = opts;
		workers[i].events.left_out = left_out;
		workers[i].session = s;
		workers[i].pass = pass;
		workers[i].end = opts->end ? opts->end : UINT64_MAX;
		workers[i].events.special_types = special_types(s, opts);
		workers[i].has_extras = opts->payloads || opts->words;
		workers[i].notes_rows = opts->stream || opts->parts;
		unwound__init(&workers[i].unwound, s, opts->max_stack);
		workers[i].branch_flags = split__branch_flags(opts->split);
		workers[i].kernel_is_loading = nr_threads == 1;
		workers[i].err = (struct err)ERR_INIT;
		row_table__init(&workers[i].rows, opts->stream || opts->parts);
	}
	run_workers(workers, nr);
	if (opts->weights && !workers[0].ret)
		worker__count_lone(&workers[0]);
	for (unsigned i = 0; i < nr; i++) {
		profile__add_worker(p, &workers[i], i == 0);
		if (workers[i].ret < 0 && !ret)
			ret = err__set(err, workers[i].ret, "%s", workers[i].err.text.buf);
		err__exit(&workers[i].err);
		read_deltas__exit(&workers[i].deltas);
		lbr_chains__exit(&workers[i].lbr_chains);
		last_chains__exit(&workers[i].last_chains);
		for (unsigned k = 0; k < LOOK_AHEAD; k++) {
			array__exit(&workers[i].extras[k]);
			array__exit(&workers[i].history[k]);
		}
		unwound__exit(&workers[i].unwound);
	}
	row_table__end(&p->rows);
	if (opts->stream && !opts->unsorted) {
		u32 *numbers = row_table__sort(&p->rows);

		sample_stream__finish(opts->stream, numbers);
		free(numbers);
	}
	sample_pass__delete(pass);
	kept_samples__give_up(&s->kept); /* another pass is unlikely */
	free(workers);
	free(left_out);
	if (!p->unwinding.nr)
		profile__read_unwinding(p);
	return ret;
}

void profile__trim(struct profile *p)
{
	arena__trim(&p->rows.arena);
	for (size_t i = 0; i < p->merged.nr; i++)
		arena__trim(&p->merged.v[i]);
	mem__trim();
}

void profile__free_rows(struct profile *p)
{
	row_table__exit(&p->rows);
	for (size_t i = 0; i < p->merged.nr; i++)
		arena__exit(&p->merged.v[i]);
	array__exit(&p->merged);
}

void profile__free_parts(struct profile *p)
{
	row_parts__exit(&p->parts);
	for (size_t i = 0; i < p->merged_parts.nr; i++)
		arena__exit(&p->merged_parts.v[i]);
	array__exit(&p->merged_parts);
	p->parts = (struct row_parts){ .nr = 0 };
}

void profile__exit(struct profile *p)
{
	profile__free_rows(p);
	profile__free_parts(p);
	unwind_stats__exit(&p->unwinding);
}

void profile__take_rows(struct profile *p, void (*take)(void *ctx, const struct row *row), void *ctx)
{
	struct row_table *t = &p->rows;
	size_t left = p->merged.nr;

	for (size_t i = t->rows.nr; i-- > 0;) {
		while (!arena__free_after(left ? &p->merged.v[left - 1] : &t->arena, t->rows.v[i]) && left)
			left--;
		take(ctx, row_table__get(t, i));
	}
	row_table__exit(t);
}

/* Read all samples: recordings of perf before 4.16 and pipes have no times in the header. */
static bool scan_sample_times(struct session *s, u64 *first, u64 *last)
{
	struct reader_pass *pass = reader_pass__new(s->reader);
	struct block block = BLOCK_INIT;
	struct sample sample;
	struct record r;

	*first = UINT64_MAX;
	*last = 0;
	while (reader_pass__next(pass, &block, NULL) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &r)) {
			if (r.header->type != PERF_RECORD_SAMPLE ||
			    sample__decode_head(&s->decoder, &r, &sample))
				continue;
			*first = MIN(*first, sample.time);
			*last = MAX(*last, sample.time);
		}
	}
	block__exit(&block);
	reader_pass__delete(pass);
	return *first <= *last;
}

bool profile__sample_times(struct session *s, u64 *first, u64 *last)
{
	if (!features__sample_time(s->reader, first, last) && *last)
		return true;
	return s->has_time && scan_sample_times(s, first, last);
}
