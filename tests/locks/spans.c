/*
 * Prints what a recording with --off-cpu=locks says of waits (util/format/records/wait_detail.h), a line for
 * each sample of its three events, in the order of time:
 *
 *	EVENT TID TIME PERIOD WEIGHT ADDR OP FLAGS WAKER PLACE SPAN...
 *
 * EVENT: offcpu, ended, ready, or details if a sample has none. WAKER: its tid. PLACE: of the waker, in
 * hexadecimal digits, as ADDR. SPAN: BEGIN:WOKEN:END. Times in ns.
 */
#include "event/evsel/evsel.h"
#include "format/records/wait_detail.h"
#include "tests/print_samples.h"

static void print_sample(const struct sample *s)
{
	static const char *const names[] = {
		[WAIT_EVENT_OFF_CPU] = "offcpu", [WAIT_EVENT_ENDED] = "ended", [WAIT_EVENT_READY] = "ready"
	};
	enum wait_event event = evsel__wait_event(s->evsel);
	struct wait_detail d;
	struct wait_span span;

	if (event == WAIT_EVENT_NONE)
		return;
	if (!s->raw || !wait_detail__decode(&d, s->raw, s->raw_size, s->time, false)) {
		printf("details %d %llu\n", s->tid, (unsigned long long)s->time);
		return;
	}
	printf("%s %d %llu %llu %llu %llx %x %x %d %llx", names[event], s->tid, (unsigned long long)s->time,
	       (unsigned long long)s->period, (unsigned long long)s->weight, (unsigned long long)s->addr,
	       d.futex_op, d.flags, (int)d.tid, (unsigned long long)d.place);
	while (wait_detail__next(&d, &span))
		printf(" %llu:%llu:%llu", (unsigned long long)span.begin, (unsigned long long)span.woken,
		       (unsigned long long)span.end);
	printf("\n");
}

int main(int argc, char **argv)
{
	return print_samples(argc, argv, print_sample);
}
