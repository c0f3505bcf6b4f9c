#include "stat/stat_file.h"

#include "event/evsel/event_request.h"
#include "format/records/build.h"
#include "live/proc.h"
#include "record/describe/tracing_data.h"
#include "record/flow/old_output.h"
#include "stat/stat_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stat_file {
	struct writer *writer;
	const char *path;
	int_array cpus, tids; /* of the maps */
};

/* ---- numbers of aggregations: stock perf's, since 6.5 and before ---- */

enum { NUMBERS_MAX = 10 };
static const enum aggregation numbers[NUMBERS_MAX] = {
	AGGREGATE_CPU,   AGGREGATE_ALL,  AGGREGATE_SOCKET, AGGREGATE_DIE, AGGREGATE_CLUSTER,
	AGGREGATE_CACHE, AGGREGATE_CORE, AGGREGATE_THREAD, AGGREGATE_ALL, AGGREGATE_NODE,
};
static const enum aggregation old_numbers[NUMBERS_MAX] = {
	AGGREGATE_CPU,    AGGREGATE_ALL, AGGREGATE_SOCKET, AGGREGATE_DIE, AGGREGATE_CORE,
	AGGREGATE_THREAD, AGGREGATE_ALL, AGGREGATE_NODE,   AGGREGATE_ALL, AGGREGATE_ALL,
};

u64 aggregation__number(enum aggregation by)
{
	enum { NUMBER_OF_ALL = 1 };

	for (u64 i = 0; i < NUMBERS_MAX && by != AGGREGATE_ALL; i++)
		if (numbers[i] == by)
			return i;
	return NUMBER_OF_ALL;
}

enum aggregation aggregation__find(u64 number, bool is_old)
{
	if (number >= NUMBERS_MAX)
		return AGGREGATE_ALL;
	return is_old ? old_numbers[number] : numbers[number];
}

/* ---- the maps ---- */

static size_t find_or_add(int_array *list, int value)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->v[i] == value)
			return i;
	array__add(list, value);
	return list->nr - 1;
}

static void add_maps(struct stat_file *f, const struct counting *c, struct strbuf *out)
{
	const char **comms;

	for (size_t p = 0; p < c->places.nr; p++) {
		find_or_add(&f->cpus, c->places.v[p].cpu);
		find_or_add(&f->tids, c->places.v[p].tid);
	}
	comms = xcalloc(f->tids.nr + 1, sizeof(*comms));
	for (size_t i = 0; i < f->tids.nr; i++) {
		struct proc_status s;

		if (f->tids.v[i] > 0 && !proc__status(f->tids.v[i], f->tids.v[i], &s))
			comms[i] = xstrdup(s.comm);
	}
	build__thread_map(out, f->tids.v, comms, f->tids.nr);
	build__cpu_map(out, f->cpus.v, f->cpus.nr);
	for (size_t i = 0; i < f->tids.nr; i++)
		free((char *)comms[i]);
	free(comms);
}

/* ---- records ---- */

static void add_record(struct strbuf *out, u32 type, const void *body, size_t size)
{
	const struct perf_event_header h = { .type = type, .size = (u16)(sizeof(h) + size) };

	strbuf__add(out, &h, sizeof(h));
	strbuf__add(out, body, size);
}

static void add_config(const struct stat_file_opts *o, struct strbuf *out)
{
	enum { ANY_LEVEL = 5 };       /* stock perf's number for "the last cache" */
	enum { FIRST_AMBIGUOUS = 4 }; /* smaller numbers of aggregations mean the same in all versions */
	u64 body[] = {
		4, /* the number of pairs */
		STAT_CONFIG_AGGREGATION,
		aggregation__number(o->by),
		STAT_CONFIG_INTERVAL,
		o->interval_ms,
		STAT_CONFIG_SCALE,
		1,
		STAT_CONFIG_CACHE_LEVEL,
		o->cache_level ? (u64)o->cache_level : ANY_LEVEL,
	};

	size_t size = sizeof(body);

	if (body[2] < FIRST_AMBIGUOUS) { /* older ones complain about the last tag, which is not needed */
		body[0]--;
		size -= 2 * sizeof(u64);
	}
	add_record(out, RECORD_STAT_CONFIG, body, size);
}

static void add_counts(struct stat_file *f, const struct counting *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->l->evsels.nr; i++) {
		for (size_t p = 0; p < c->places.nr; p++) {
			const struct stat_counter *n = counting__counter(c, i, p);
			const struct {
				u64 id;
				u32 cpu, thread;
				struct count count;
			} body = { n->id, (u32)c->places.v[p].cpu,
				   (u32)find_or_add(&f->tids, c->places.v[p].tid), n->now };

			if (n->is_there)
				add_record(out, RECORD_STAT, &body, sizeof(body));
		}
	}
}

/* ---- the file ---- */

/* Describe the events as they are read, and give them the ids of their counters. */
static void complete_events(const struct counting *c, bool is_pipe)
{
	for (size_t i = 0; i < c->l->evsels.nr; i++) {
		struct evsel *e = c->l->evsels.v[i];

		/* Stock perf script takes an event with fields of samples for one that has samples. */
		e->attr.sample_type = is_pipe ? 0 : PERF_SAMPLE_IDENTIFIER;
		e->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		e->attr.sample_period = 0;
		e->attr.freq = 0;
		if (evsel__is_clock(e) && !e->request->unit)
			e->request->unit = xstrdup(evsel__unit(e, &e->request->scale));
		for (size_t p = 0; p < c->places.nr; p++)
			if (counting__counter(c, i, p)->is_there)
				evlist__add_id(c->l, e, counting__counter(c, i, p)->id);
	}
}

static int begin(struct stat_file *f, const struct stat_file_opts *o, struct counting *c, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = host_features__write(f->writer, c->l, &o->host);

	if (!ret)
		ret = writer__feature(f->writer, FEATURE_STAT, "", 0);
	if (!ret)
		ret = tracing_data__write(f->writer, c->l);
	if (!ret)
		ret = writer__begin(f->writer, c->l, err);
	for (size_t i = 0; i < c->l->evsels.nr && !writer__is_pipe(f->writer); i++)
		build__event_updates(&out, c->l->evsels.v[i]);
	add_maps(f, c, &out);
	add_config(o, &out);
	if (!ret)
		ret = writer__write(f->writer, out.buf, out.len);
	strbuf__exit(&out);
	return ret;
}

int stat_file__open(struct stat_file **file, const struct stat_file_opts *o, struct counting *c,
		    struct err *err)
{
	const struct writer_opts opts = { .pipe = !strcmp(o->path, "-") };
	struct stat_file *f = xcalloc(1, sizeof(*f));
	int ret = opts.pipe ? 0 : old_output__keep(o->path, err);

	f->path = o->path;
	if (!ret)
		ret = writer__open(&f->writer, o->path, &opts, err);
	if (!ret) {
		complete_events(c, opts.pipe);
		ret = begin(f, o, c, err);
	}
	if (ret) {
		if (!err->code)
			err__set_output(err, ret, o->path);
		stat_file__delete(f);
		f = NULL;
	}
	*file = f;
	return ret;
}

int stat_file__add_round(struct stat_file *f, const struct counting *c, u64 time, bool is_final,
			 struct err *err)
{
	const u64 round[] = { is_final ? STAT_ROUND_FINAL : STAT_ROUND_INTERVAL, time };
	struct strbuf out = STRBUF_INIT;
	int ret;

	add_counts(f, c, &out);
	add_record(&out, RECORD_STAT_ROUND, round, sizeof(round));
	ret = writer__write(f->writer, out.buf, out.len);
	if (!ret)
		ret = writer__sync(f->writer);
	strbuf__exit(&out);
	return ret ? err__set_output(err, ret, f->path) : 0;
}

int stat_file__finish(struct stat_file *f, struct err *err)
{
	return writer__finish(f->writer, err);
}

void stat_file__delete(struct stat_file *f)
{
	if (!f)
		return;
	writer__delete(f->writer);
	array__exit(&f->cpus);
	array__exit(&f->tids);
	free(f);
}
