/*
 * Spans (perf record --span) that lie. The last byte says what the others are:
 *
 *	a recording, any file (seeds: small recordings of this perf)
 *	what the threads of a recording do, of which one is built: spans that overlap, that begin after they
 *	end, each of which stands for none or for 4 billion
 *	begins and ends as the kernel samples them for the recorder, in any order
 *
 * Spans that are read do not overlap, are no more than their bytes allow, and their sums are right, or they
 * are left out. The time of each goes to parts that add up to it, and a report of chosen ones has their time.
 */
#include "../unit/waits_image.h"
#include "event/evsel/event_request.h"
#include "fuzz.h"
#include "profile/causes/durations.h"
#include "profile/causes/span_table.h"
#include "profile/gather/profile.h"
#include "profile/hists/hists.h"
#include "profile/keys/read_weights.h"
#include "record/stacks/span_hits.h"
#include "record/watch/span_pairs.h"
#include "ui/span_json.h"
#include "ui/stdio/span_text.h"
#include "ui/stdio/why_table.h"
#include "ui/why_json.h"

typedef unsigned __int128 u128;

#define check(is_true)                                                                \
	do {                                                                          \
		if (!(is_true)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #is_true); \
			abort();                                                      \
		}                                                                     \
	} while (0)

/* ---- reading ---- */

static void check_set(const struct span_set *s, size_t size)
{
	u128 ns = 0, nr = 0;
	u64 before = 0;

	check(s->v.nr == s->by_duration.nr);
	check(s->v.nr <= size / 2 || size == SIZE_MAX);
	for (size_t i = 0; i < s->v.nr; i++) {
		const struct span *span = &s->v.v[i], *last = i ? span - 1 : NULL;
		u64 duration = span__ns(&s->v.v[s->by_duration.v[i]]);

		check(span->begin <= span->end && span->step);
		check(!last || last->tid < span->tid || (last->tid == span->tid && last->end <= span->begin));
		check(before <= duration);
		before = duration;
		ns += (u128)span__ns(span) * span->step;
		nr += span->step;
	}
	check(ns == s->ns && nr == s->nr);
	check(span_set__quantile(s, 0.5) <= span_set__quantile(s, 0.99));
	check(!s->v.nr || span_set__quantile(s, 1) == before);
}

/* The times in each span add up to it. */
static void check_times(const struct span_times *t, const struct span_set *s)
{
	struct span_cursor c;

	span_cursor__init(&c, t);
	for (size_t i = 0; i < s->v.nr; i++) {
		u64 ns = 0;

		span_cursor__seek(&c, &s->v.v[i]);
		for (size_t k = 0; k < c.parts.nr; k++)
			ns += c.parts.v[k].ns;
		check(ns == span__ns(&s->v.v[i]));
	}
	span_cursor__exit(&c);
}

static void touch(struct strbuf *sb)
{
	fuzz__touch(sb->buf, sb->len);
	strbuf__exit(sb);
}

/* Each group of spans has its time in the rows, and each span is in one bucket. */
static void check_table(struct session *session, const struct span_set *s, const struct span_times *times)
{
	const struct span_limit fast = { .is_quantile = true, .share = 0.5 },
				slow = { .is_quantile = true, .share = 0.99 };
	const struct span_text_opts opts = { .path = "x" };
	struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
	u64 ns[NR_TABLE_GROUPS] = { 0 }, nr = 0;
	struct span_table t;

	span_table__init(&t, s, times, &session->machine, &fast, &slow);
	for (size_t i = 0; i < t.rows.nr; i++)
		for (u32 g = 0; g < NR_TABLE_GROUPS; g++)
			ns[g] += t.rows.v[i].is_part ? 0 : t.rows.v[i].ns[g];
	for (size_t i = 0; i < t.buckets.nr; i++)
		nr += t.buckets.v[i].nr;
	for (u32 g = 0; times && g < NR_TABLE_GROUPS; g++)
		check(ns[g] == t.ns[g]);
	check(nr == s->nr && t.ns[GROUP_ALL] == s->ns && t.buckets.nr <= 4096);
	span_text__add(&t, &session->machine, &opts, &text);
	span_json__add(&t, &session->machine, &json);
	touch(&text);
	touch(&json);
	span_table__exit(&t);
}

static void check_durations(const struct span_set *s)
{
	struct durations d;

	durations__init(&d);
	durations__add(&d, s, NULL);
	durations__finish(&d);
	for (u32 i = 0; i < 4; i++) {
		const struct duration_limit l = { .value = (enum duration_value)(i % 3),
						  .share = i ? 0.99 : 0.5,
						  .ns = 20000000 };
		const struct limit_check c = durations__check(&d, &l);

		check(c.low >= 0 && c.low <= c.high);
	}
	durations__exit(&d);
}

/* What slow spans have more of can be said of any spans. */
static void check_why(struct session *session, const struct span_set *s, const struct span_times *times)
{
	static const struct span_limits limits[] = {
		{ .slower = { .is_quantile = true, .share = 0.99 },
		  .faster = { .is_quantile = true, .share = 0.5 } },
		{ .slower = { .ns = 1000 }, .faster = { .ns = 100 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct strbuf text = STRBUF_INIT, json = STRBUF_INIT;
		struct span_why w;

		if (!span_why__find(&w, session, times, s, &limits[i], 1, NULL)) {
			why_table__add(&w, NULL, false, &text);
			why_json__add(&w, &json);
			for (size_t k = 1; k < w.rows.nr; k++)
				check(w.rows.v[k].x.contrast.nr_have <= w.groups.facts[SPANS_SLOW].nr);
		}
		touch(&text);
		touch(&json);
		span_why__exit(&w);
	}
}

static void check_spans(struct session *session, const struct span_set *s, size_t size)
{
	struct span_times t = { .by_reason = HASH_TABLE_INIT };
	int ret = span_times__read(&t, session, NULL);

	check_set(s, size);
	check_durations(s);
	if (!ret)
		check_times(&t, s);
	check_table(session, s, ret ? NULL : &t);
	check_why(session, s, ret ? NULL : &t);
	span_times__exit(&t);
}

/* Count the samples in chosen spans: no ns is lost, and none is there twice. */
static void check_chosen(struct session *s, const struct weights_args *args, unsigned nr_threads)
{
	struct sample_filter filter = { 0 };
	struct locks locks = { .v = { 0 } };
	struct sample_weights weights = { 0 };

	if (!weights_args__choose_spans(args, s, &filter, NULL) &&
	    !weights__read(&weights, &locks, s, args, &filter, NULL) && session__has_wait_times(s)) {
		const struct profile_opts opts = { .nr_threads = nr_threads,
						   .max_stack = 127,
						   .weights = &weights };
		const struct weight_facts *f = &weights.facts;
		struct profile p;
		u64 sum = 0;

		check(f->ns <= filter.spans.ns);
		if (!profile__collect(&p, s, &opts, NULL)) {
			for (size_t i = 0; i < p.rows.rows.nr; i++)
				sum += row_table__get(&p.rows, i)->period;
			check(sum <= f->ns && (sum == f->ns || p.nr_misread || p.nr_unknown_event));
		}
		profile__exit(&p);
	}
	sample_weights__exit(&weights);
	sample_filter__exit(&filter);
	locks__exit(&locks);
}

/* size: bytes of the spans, if they are as in the file; else SIZE_MAX */
static void check_recording(struct session *s, size_t size, unsigned nr_threads)
{
	const struct evlist *l = &s->reader->evlist;

	for (size_t i = 0; i < l->evsels.nr && i < 8; i++) {
		struct span_set set;
		const char *name;

		if (!evsel__has_spans(l->evsels.v[i]))
			continue;
		if (!span_set__read(&set, s, l->evsels.v[i], NULL))
			check_spans(s, &set, size);
		span_set__exit(&set);
		name = evsel__span_name(l->evsels.v[i]);
		check_chosen(s, &(struct weights_args){ .span = name, .has_span = true, .slower = "p99" },
			     nr_threads);
		check_chosen(s, &(struct weights_args){ .span = name, .has_span = true, .faster = "20ms" },
			     nr_threads);
	}
}

static void look_at_file(const void *data, size_t size, size_t size_of_spans, unsigned nr_threads)
{
	const struct session_opts opts = { .reader = { .nr_threads = nr_threads },
					   .symbols = { .symfs = "/nowhere",
							.kallsyms = "/nowhere/kallsyms" } };
	char path[64];
	int fd = fuzz__file(data, size, path);
	struct session *s;

	if (!session__open(&s, path, &opts, NULL)) {
		check_recording(s, size_of_spans, nr_threads);
		session__delete(s);
	}
	close(fd);
}

/* ---- recordings that are built ---- */

enum { ACTION_SIZE = 8, SPANS_OF_MANY = 512 };

struct action {
	u8 what; /* 3 bits; then 2 bits of the thread, 1: time goes back */
	u8 step, scale;
	u8 length[2];
	u8 later[3];
};

static u32 step_of(u8 byte)
{
	return byte == 255 ? UINT32_MAX : byte == 254 ? 1u << 31 : byte;
}

/* Spans within each other, of which each overlaps the one before. */
static void add_many(struct waits_image *w, u32 tid, u64 time, u64 length, u32 step)
{
	struct span_time spans[SPANS_OF_MANY];

	for (u32 i = 0; i < SPANS_OF_MANY; i++)
		spans[i] = (struct span_time){ time - MIN(time, length + i), time - MIN(time, (u64)i) };
	waits__spans(w, NR_EVENTS, tid, time, &(struct span_detail){ .step = step, .losses.left = step },
		     spans, SPANS_OF_MANY);
}

static void add_action(struct waits_image *w, const struct action *a, u64 *time, u32 *nr_many)
{
	u32 tid = 10 + (a->what >> 3 & 3), step = step_of(a->step);
	u64 length = (u64)(a->length[0] | a->length[1] << 8) << (a->scale & 63);
	u64 later = (u64)(a->later[0] | a->later[1] << 8 | a->later[2] << 16) << (a->scale >> 6) * 14;
	struct span_detail d = { .step = step, .losses.lost = a->scale };
	u64 begin;

	*time = a->what >> 5 & 1 ? *time - MIN(*time, later) : *time + later;
	begin = *time - MIN(*time, length);
	switch (a->what & 7) {
	case 0:
		waits__span(w, NR_EVENTS, tid, begin, *time);
		break;
	case 1:
		waits__spans(w, NR_EVENTS, tid, *time, &d, (const struct span_time[]){ { begin, *time } }, 1);
		break;
	case 2: /* the end is before the begin, or after the sample */
		waits__spans(w, NR_EVENTS, tid, *time, &d,
			     (const struct span_time[]){ { *time, begin }, { begin, *time + length } }, 2);
		break;
	case 3:
		if ((*nr_many)++ < 32)
			add_many(w, tid, *time, length, step);
		break;
	case 4:
		waits__run(w, tid, *time);
		break;
	case 5:
		waits__lock(w, tid, begin, begin + length / 2, *time, 0x6000 + step, 10 + step % 4, 0);
		break;
	case 6:
		waits__ready(w, tid, *time, begin, *time);
		break;
	case 7:
		waits__exit(w, tid, *time);
		break;
	}
}

static void look_at_built(const uint8_t *data, size_t size, unsigned nr_threads)
{
	static const char *const names[] = { "cpu-clock", "offcpu-time", "ended-waits", "ready-time",
					     "span:f" };
	struct waits_image w;
	u64 time = 1000;
	u32 nr_many = 0;

	waits__begin_events(&w, names, ARRAY_SIZE(names));
	waits__comm(&w, 10, "first", false, 0);
	for (size_t i = 0; i + ACTION_SIZE <= size && i < 4096 * ACTION_SIZE; i += ACTION_SIZE) {
		struct action a;

		memcpy(&a, data + i, sizeof(a));
		add_action(&w, &a, &time, &nr_many);
	}
	waits__end(&w);
	look_at_file(w.im.b.buf, w.im.b.len, w.im.b.len, nr_threads);
	image__exit(&w.im);
}

/* ---- the recorder ---- */

enum { FUNCTION, RESTARTS, PAIR, NR_SPANS, BEGIN = 1, END, MAY_END, NR_PLACES = 3 };

struct recorder {
	struct evlist list;
	struct counters counters;
	struct sample_decoder decoder;
	struct lazy_record lazy;
	struct span_pairs *pairs;
	struct strbuf out;
	u64 begins[NR_SPANS], ends[NR_SPANS]; /* that were sampled */
	u64 newest, horizon;                  /* a round writes what was before the one before it ended */
	bool has_late;                        /* a record came after that: spans may overlap */
};

static void recorder__begin(struct recorder *r)
{
	static const char *const names[] = { "span:f", "span:g", "span:a..b" };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = span_sample__fields(),
					.sample_id_all = 1 };
	struct span_pairs_opts opts = { .l = &r->list, .counters = &r->counters };

	*r = (struct recorder){ .out = STRBUF_INIT };
	evlist__init(&r->list);
	for (u32 i = 0; i < NR_SPANS; i++) {
		struct evsel *e = evlist__add_request(&r->list, &attr, names[i]);
		struct span_spec *spec = e->request->span = xcalloc(1, sizeof(*spec));

		spec->end = i == PAIR ? xstrdup("b") : NULL;
		spec->restarts = i == RESTARTS;
		array__add(&spec->points, ((struct span_point){ 0 }));
		array__add(&spec->points, ((struct span_point){ .is_end = true }));
		array__add(&spec->points, ((struct span_point){ .is_end = true, .is_shared = true }));
		for (u32 k = 0; k < NR_PLACES; k++) {
			u64 id = 10 * i + k + BEGIN;

			array__add(&r->counters.v, ((struct counter){ .evsel = i, .piece = k, .id = id }));
			evlist__add_id(&r->list, e, id);
		}
	}
	sample_decoder__init(&r->decoder, &r->list);
	lazy_record__init(&r->lazy, &r->decoder);
	r->pairs = span_pairs__new(&opts);
}

static void recorder__end(struct recorder *r)
{
	span_pairs__delete(r->pairs);
	sample_decoder__exit(&r->decoder);
	array__exit(&r->counters.v);
	evlist__exit(&r->list);
	strbuf__exit(&r->out);
}

static void recorder__hit(struct recorder *r, u32 event, u32 place, u32 tid, u64 time, u64 sp)
{
	struct {
		struct perf_event_header h;
		u64 id, ip;
		u32 pid, tid;
		u64 time;
		u32 cpu, reserved;
		u64 period, abi, sp;
	} sample = { .h = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		     .id = 10 * event + place + BEGIN,
		     .ip = 0x401000,
		     .pid = 100,
		     .tid = tid,
		     .time = time,
		     .cpu = tid,
		     .abi = 2,
		     .sp = sp };

	lazy_record__set(&r->lazy, &sample.h);
	check(span_pairs__take(r->pairs, &r->lazy));
	if (place)
		r->ends[event]++;
	else
		r->begins[event]++;
}

static void recorder__other(struct recorder *r, u32 type, u32 tid, u64 time)
{
	struct {
		struct perf_event_header h;
		u64 body[3];
		u32 pid, tid;
		u64 time;
		u32 cpu, reserved;
		u64 id;
	} other = { .h = { .type = type, .size = sizeof(other) },
		    .pid = 100,
		    .tid = tid,
		    .time = time,
		    .id = BEGIN };

	lazy_record__set(&r->lazy, &other.h);
	check(!span_pairs__take(r->pairs, &r->lazy));
}

static void recorder__flush(struct recorder *r, u64 newest)
{
	span_pairs__flush(r->pairs, newest, false, &r->out);
	r->newest = r->horizon = MAX(r->newest, newest);
}

struct written {
	u64 nr, lost, strays;
	bool is_whole;
	ARRAY(struct span) v;
};

static void written__add(struct written *w, const struct sample *s)
{
	struct span_detail d;
	struct span_time t;
	u64 ns = 0;

	check(s->raw && span_detail__decode(&d, s->raw, s->raw_size, s->time, false));
	for (u32 n = d.nr_spans; n; n--, w->nr++) {
		check(span_detail__next(&d, &t));
		check(t.begin <= t.end && t.end <= s->time);
		ns += t.end - t.begin;
		array__add(&w->v, ((struct span){ .begin = t.begin, .end = t.end, .tid = s->tid }));
	}
	check(s->period == ns * d.step && s->weight % d.step == 0);
	w->is_whole &= d.step == 1;
	w->lost += (u64)d.losses.unfinished + d.losses.left + d.losses.lost;
	w->strays += d.losses.strays;
}

static int compare_spans(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

static void written__check_overlaps(struct written *w)
{
	if (w->v.nr)
		qsort(w->v.v, w->v.nr, sizeof(*w->v.v), compare_spans);
	for (size_t i = 1; i < w->v.nr; i++)
		check(w->v.v[i - 1].tid != w->v.v[i].tid || w->v.v[i - 1].end <= w->v.v[i].begin);
}

/* Each begin and each end is in a span, or is told, or is within a span. */
static void recorder__check(struct recorder *r)
{
	struct written written[NR_SPANS] = { { .is_whole = true },
					     { .is_whole = true },
					     { .is_whole = true } };

	for (size_t pos = 0; pos < r->out.len;) {
		const struct record record = { .header = (const void *)(r->out.buf + pos) };
		struct sample s;

		pos += record.header->size;
		check(record.header->size && !sample__decode(&r->decoder, &record, &s));
		check(s.evsel->idx < NR_SPANS);
		written__add(&written[s.evsel->idx], &s);
	}
	for (u32 i = 0; i < NR_SPANS; i++) {
		struct written *w = &written[i];

		check(w->nr + w->lost <= r->begins[i] && w->nr + w->strays <= r->ends[i]);
		check(i != PAIR || !w->is_whole || w->nr + w->lost == r->begins[i]);
		if (!r->has_late)
			written__check_overlaps(w);
		array__exit(&w->v);
	}
}

/* Four bytes each: what, time, stack pointer. */
static void look_at_recorder(const uint8_t *data, size_t size)
{
	struct recorder r;
	u64 time = 1000;

	recorder__begin(&r);
	for (size_t i = 0; i + 4 <= size && i < 4 * 65536; i += 4) {
		u32 what = data[i], tid = what >> 6, event = what % NR_SPANS, place = what / NR_SPANS % 5;
		u64 later = (u64)data[i + 1] << (data[i + 2] & 31), sp = 0x7ffc1000 + 8u * data[i + 3];

		time = data[i + 2] & 128 ? time - MIN(time, later) : time + later;
		r.has_late |= place <= 3 && time <= r.horizon;
		r.newest = place <= 3 ? MAX(r.newest, time) : r.newest;
		if (place < NR_PLACES)
			recorder__hit(&r, event, place, tid, time, sp);
		else if (place == 3)
			recorder__other(&r, data[i + 3] & 1 ? PERF_RECORD_LOST : PERF_RECORD_EXIT, tid, time);
		else
			recorder__flush(&r, data[i + 3] & 1 ? time : 0);
	}
	span_pairs__flush(r.pairs, 0, true, &r.out);
	recorder__check(&r);
	recorder__end(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned what = size ? data[size - 1] : 0, nr_threads = what & 1 ? 2 : 1;

	if (!size)
		return 0;
	if (what % 8 < 4)
		look_at_file(data, size, SIZE_MAX, nr_threads);
	else if (what % 8 < 6)
		look_at_built(data, size - 1, nr_threads);
	else
		look_at_recorder(data, size - 1);
	return 0;
}
