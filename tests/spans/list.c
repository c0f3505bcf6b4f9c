/*
 * Prints what a recording says of spans (util/format/records/span_detail.h), a line for each sample of their
 * events, in the order of the file:
 *
 *	NAME TID TIME PERIOD WEIGHT STEP COST UNFINISHED LEFT LOST STRAYS SPAN...
 *
 * SPAN: BEGIN:END. Times in ns. Spaces in names become underscores. "bad NAME TID TIME": a sample without a
 * detail. Last: "time FIRST LAST", of all samples.
 */
#include "event/evsel/evsel.h"
#include "format/records/span_detail.h"
#include "model/session.h"

#include <stdio.h>

typedef unsigned long long ull;

static u64 first = UINT64_MAX, last;

static void print_name(const struct evsel *e)
{
	for (const char *c = evsel__span_name(e); *c; c++)
		putchar(*c == ' ' ? '_' : *c);
}

static void print_sample(const struct sample *s)
{
	struct span_detail d;
	struct span_time t;
	u32 nr = 0;

	first = MIN(first, s->time);
	last = MAX(last, s->time);
	if (!evsel__has_spans(s->evsel))
		return;
	if (!s->raw || !span_detail__decode(&d, s->raw, s->raw_size, s->time, false)) {
		printf("bad ");
		print_name(s->evsel);
		printf(" %d %llu\n", s->tid, (ull)s->time);
		return;
	}
	print_name(s->evsel);
	printf(" %d %llu %llu %llu %u %u %u %u %u %u", s->tid, (ull)s->time, (ull)s->period, (ull)s->weight,
	       d.step, d.cost, d.losses.unfinished, d.losses.left, d.losses.lost, d.losses.strays);
	for (nr = d.nr_spans; span_detail__next(&d, &t); nr--)
		printf(" %llu:%llu", (ull)t.begin, (ull)t.end);
	printf(nr ? " bad\n" : "\n");
}

static int print_samples(struct session *session, struct err *err)
{
	struct sample_pass *pass = sample_pass__new(session);
	struct block b = BLOCK_INIT;
	struct sample s;
	struct record r;
	int ret;

	while ((ret = sample_pass__next(pass, &b, err)) > 0)
		for (size_t pos = 0; block__next(&b, &pos, &r);)
			if (r.header->type == PERF_RECORD_SAMPLE &&
			    !sample__decode(&session->decoder, &r, &s))
				print_sample(&s);
	sample_pass__release(pass, &b);
	sample_pass__delete(pass);
	printf("time %llu %llu\n", (ull)first, (ull)last);
	return ret;
}

int main(int argc, char **argv)
{
	struct session_opts opts = { .samples_follow = true };
	struct session *session;
	struct err err = ERR_INIT;
	int failed;

	if (argc != 2) {
		fprintf(stderr, "usage: list FILE\n");
		return 129;
	}
	if (session__open(&session, argv[1], &opts, &err)) {
		fprintf(stderr, "list: %s\n", err.text.buf);
		return 1;
	}
	failed = print_samples(session, &err) < 0;
	if (failed)
		fprintf(stderr, "list: %s\n", err.text.buf);
	session__delete(session);
	return failed;
}
