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
#include "tests/print_samples.h"

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

int main(int argc, char **argv)
{
	int ret = print_samples(argc, argv, print_sample);

	if (!ret)
		printf("time %llu %llu\n", (ull)first, (ull)last);
	return ret;
}
