#include "record/options/flight_span.h"

#include "live/limits.h"
#include "record/options/attr_opts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <unistd.h>

enum {
	STACK_COPY_LEAST = 1024, /* bytes; smaller copies hold too few frames */
	FRAMES = 32,             /* of the kernel, or along frame pointers; most chains have fewer */
	RING_BYTES_MAX = 1 << 30,
	MEMORY_SHARE = 32, /* all rings take at most one in so many bytes of the memory */
};

int flight_span__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct attr_opts *attrs = opt->value;
	const unsigned ms[] = { ['s'] = 1000, ['m'] = 60 * 1000, ['h'] = 3600 * 1000 };
	unsigned n = 0;
	char unit = 0, rest;

	attrs->overwrite = !unset;
	attrs->span_ms = 0;
	if (unset || !*arg)
		return 0;
	if (*arg < '0' || *arg > '9' || sscanf(arg, "%5u%c%c", &n, &unit, &rest) != 2 || !n ||
	    (unsigned char)unit >= ARRAY_SIZE(ms) || !ms[(unsigned char)unit])
		return err__set(err, -EINVAL, "'%s' is not a time such as 30s or 5m", arg);
	attrs->span_ms = (u64)n * ms[(unsigned char)unit];
	return 0;
}

/* Return the bytes of a sample in the ring, at most in nearly all cases. */
static u64 sample_bytes(const struct perf_event_attr *attr)
{
	/* fields of one word each are not listed */
	static const struct {
		u64 bit;
		unsigned words;
	} fields[] = {
		{ PERF_SAMPLE_TID, 1 },
		{ PERF_SAMPLE_READ, 5 },
		{ PERF_SAMPLE_CALLCHAIN, 1 + FRAMES },
		{ PERF_SAMPLE_RAW, 8 },
		{ PERF_SAMPLE_BRANCH_STACK, 1 + 3 * 32 },
	};
	u64 type = attr->sample_type, bytes = sizeof(struct perf_event_header) + attr->sample_stack_user;

	bytes += 8ull * (u64)__builtin_popcountll(type);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		bytes += type & fields[i].bit ? 8 * (fields[i].words - 1) : 0;
	return bytes + 8ull * (u64)(__builtin_popcountll(attr->sample_regs_user) +
				    __builtin_popcountll(attr->sample_regs_intr));
}

/* Return samples in a second; 0: unknown. */
static u64 sample_rate(const struct perf_event_attr *attr)
{
	bool is_clock = attr->type == PERF_TYPE_SOFTWARE &&
			(attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);

	if (attr->freq)
		return attr->sample_freq;
	return is_clock && attr->sample_period ? 1000000000 / attr->sample_period : 0;
}

struct flow {               /* into one ring */
	u64 bytes, samples; /* in a second; samples 0: unknown */
	u64 sample_bytes;   /* of the largest sample */
};

static struct flow flow__of(const struct evlist *l)
{
	struct flow f = { 0 };
	bool is_known = true;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct perf_event_attr *attr = &l->evsels.v[i]->attr;

		if (!attr->write_backward)
			continue;
		is_known &= sample_rate(attr) > 0;
		f.samples += sample_rate(attr);
		f.bytes += sample_rate(attr) * sample_bytes(attr);
		f.sample_bytes = MAX(f.sample_bytes, sample_bytes(attr));
	}
	f.samples = is_known ? f.samples : 0;
	return f;
}

/* Halve the stack copies. Return false if they are as small as they may be. */
static bool halve_copies(const struct evlist *l)
{
	bool any = false;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct perf_event_attr *attr = &l->evsels.v[i]->attr;

		if (!attr->write_backward || attr->sample_stack_user < 2 * STACK_COPY_LEAST)
			continue;
		attr->sample_stack_user /= 2;
		any = true;
	}
	return any;
}

/* Let halved stack copies use the rest of a ring, whose size is a power of two. */
static void grow_copies(const struct evlist *l, u64 ring_bytes, u64 span_ms)
{
	struct flow f = flow__of(l);
	u64 spare = ring_bytes * 1000 / span_ms;

	spare = spare > f.bytes ? (spare - f.bytes) / f.samples : 0;
	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct perf_event_attr *attr = &l->evsels.v[i]->attr;

		if (attr->write_backward)
			attr->sample_stack_user += (u32)MIN(spare, (u64)attr->sample_stack_user) & ~7u;
	}
}

/* Return how large a ring may be with this much memory. */
static u64 largest_ring(void)
{
	u64 memory = (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);

	return MIN(memory / MEMORY_SHARE / (u64)limits__nr_cpus(), (u64)RING_BYTES_MAX);
}

/* The ring of the side-band takes half as much, and each of both a page more (counters__open). */
static u64 locked_bytes(u64 ring)
{
	return ring + ring / 2 + 2 * (u64)sysconf(_SC_PAGESIZE);
}

static int too_large(u64 span_ms, double needed, u64 bytes, const struct evlist *l, struct err *err)
{
	u64 locked = limits__ring_bytes() / 3 * 2, most = MIN(largest_ring(), locked);
	bool has_copies = false;
	int ret;

	for (size_t i = 0; i < l->evsels.nr; i++)
		has_copies |= l->evsels.v[i]->attr.sample_stack_user > 0;
	ret = err__set(err, -ENOMEM,
		       "--overwrite: %llu s take %.1f MiB for each CPU, and %.1f MiB may be used: "
		       "give a shorter time, or a lower -F%s",
		       (unsigned long long)span_ms / 1000, needed / (1 << 20), (double)most / (1 << 20),
		       has_copies ? ", or --call-graph fp" : "");
	if (bytes <= largest_ring())
		err__advise(err, "or as root: sysctl -w kernel.perf_event_mlock_kb=%llu",
			    (unsigned long long)locked_bytes(bytes) / 1024);
	return ret;
}

int flight_span__choose_pages(u32 *pages, const struct evlist *l, u64 span_ms, bool keep_copies,
			      struct err *err)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), limit = limits__ring_bytes(), most = largest_ring(), bytes;
	bool fits, is_halved = false;
	double needed;

	do {
		struct flow f = flow__of(l);

		if (!f.samples)
			return err__set(
				err, -EINVAL,
				"--overwrite=SPAN is for events with a frequency (-F): use -m for others");
		needed = (double)f.bytes * (double)span_ms / 1000;
		for (bytes = page; (double)bytes < needed && bytes <= most;)
			bytes *= 2;
		fits = bytes <= most && locked_bytes(bytes) <= limit;
	} while (!fits && !keep_copies && halve_copies(l) && (is_halved = true));
	if (!fits)
		return too_large(span_ms, needed, bytes, l, err);
	if (is_halved)
		grow_copies(l, bytes, span_ms);
	*pages = (u32)(bytes / page);
	return 0;
}

void flight_span__describe(const struct evlist *l, u32 pages, struct strbuf *out)
{
	u64 bytes = (u64)pages * (u64)sysconf(_SC_PAGESIZE);
	struct flow f = flow__of(l);

	if (!f.sample_bytes)
		return;
	if (f.samples)
		strbuf__addf(out, "%.1f s or more, at %llu samples a second", (double)bytes / (double)f.bytes,
			     (unsigned long long)f.samples);
	else
		strbuf__addf(out, "%llu samples or more", (unsigned long long)(bytes / f.sample_bytes));
}
