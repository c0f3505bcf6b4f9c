#include "record/stacks/span_hits.h"

#include "base/memory/cursor.h"
#include "unwind/unwind.h"

#include <linux/perf_event.h>

u64 span_hit__fields(void)
{
	return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | (span_hit__regs() ? PERF_SAMPLE_REGS_USER : 0);
}

u64 span_hit__regs(void)
{
	const struct unwind_arch *arch = unwind_arch__own();

	return arch ? 1ull << unwind_arch__perf_sp(arch) : 0;
}

u64 span_sample__fields(void)
{
	return PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
	       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT;
}

bool span_hit__read(struct span_hit *hit, const struct perf_event_header *h)
{
	struct cursor c = cursor__make(h + 1, h->size - sizeof(*h), false);
	u64 abi;

	hit->id = cursor__u64(&c);
	hit->ip = cursor__u64(&c);
	hit->pid = cursor__u32(&c);
	hit->tid = cursor__u32(&c);
	hit->time = cursor__u64(&c);
	hit->cpu = cursor__u32(&c);
	cursor__skip(&c, sizeof(u32) + sizeof(u64)); /* reserved; the period */
	if (c.bad)
		return false;
	abi = cursor__u64(&c);
	hit->sp = abi ? cursor__u64(&c) : 0;
	hit->word = cursor__u64(&c) == sizeof(u64) ? cursor__u64(&c) : 0; /* a copy of the stack */
	return true;
}
