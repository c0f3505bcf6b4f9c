/* For tests of --off-cpu: the records that the kernel writes for switches of threads. */
#ifndef TESTS_SWITCHES_H
#define TESTS_SWITCHES_H

#include "record/stacks/off_cpu.h"

#include <string.h>

enum { SWITCH_ID = 7 };

struct switches {
	struct evlist l;
	struct sample_decoder d;
	struct lazy_record r;
	struct off_cpu *o;
	struct strbuf out;
	u64 now; /* ns; each record moves it on by one */
};

/* meter: see off_cpu__new(). */
static void switches__init(struct switches *f, struct switch_cost *meter)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attr),
					      .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							     PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							     PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT,
					      .sample_id_all = 1 };
	struct evsel *e;

	*f = (struct switches){ .out = STRBUF_INIT, .now = 1000000000 };
	evlist__init(&f->l);
	e = evlist__add_request(&f->l, &attr, "offcpu-time");
	evlist__add_id(&f->l, e, SWITCH_ID);
	sample_decoder__init(&f->d, &f->l);
	lazy_record__init(&f->r, &f->d);
	f->o = off_cpu__new(&(struct off_cpu_opts){ .waits = e, .d = &f->d, .meter = meter });
}

static void switches__exit(struct switches *f)
{
	off_cpu__delete(f->o);
	sample_decoder__exit(&f->d);
	evlist__exit(&f->l);
	strbuf__exit(&f->out);
}

static bool take(struct switches *f, struct perf_event_header *h)
{
	lazy_record__set(&f->r, h);
	return off_cpu__take(f->o, &f->r);
}

struct wait_sample {
	struct perf_event_header h;
	u64 id, ip;
	u32 pid, tid;
	u64 time, period, weight;
};

static void switch_out(struct switches *f, u32 tid)
{
	struct wait_sample s = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(s) },
				 SWITCH_ID,
				 0x1000,
				 tid,
				 tid,
				 ++f->now,
				 1,
				 0 };

	assert_true(take(f, &s.h));
}

static void runs(struct switches *f, u32 tid)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		u64 time, id;
	} s = { { PERF_RECORD_SWITCH, 0, sizeof(s) }, tid, tid, ++f->now, SWITCH_ID };

	assert_true(take(f, &s.h));
}

/* Expect one more wait in the output at *at; return its length in ns. */
static u64 next_wait(const struct switches *f, size_t *at, u32 tid)
{
	struct wait_sample s;

	assert_true(*at + sizeof(s) <= f->out.len);
	memcpy(&s, f->out.buf + *at, sizeof(s));
	assert_int_equal(s.tid, tid);
	assert_int_equal(s.weight, 1);
	*at += sizeof(s);
	return s.period;
}

#endif
