#include "record/options/buffer_opts.h"

#include "base/text/number.h"
#include "format/file/zstd.h"
#include "live/checks.h"
#include "live/limits.h"
#include "record/host/affinity.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	WRITE_BUFFER_MIN = 1 << 20, /* bytes */
	UNWIND_BUFFER_MIN = 64 << 10,
	UNWIND_BUFFER_LEAST = 32 << 20, /* bytes, unless the user gives a size */
	UNWIND_BUFFER_CPU = 2 << 20,    /* bytes for each CPU: 200 samples of the usual size */
	UNWIND_CPUS_MAX = 256,          /* more CPUs have no more room */
	/* bytes of a ring if each event is a sample; there may be a million in a second */
	EVERY_EVENT_RING = 4 << 20,
	RING_PAGES_MAX = 1 << 20,   /* of a ring, for -m */
	RINGS_TOTAL_MAX = 64 << 20, /* bytes of all rings together: up to this, perf chooses larger ones */
	RINGS_MOST = 512 << 20,     /* bytes of all rings together, for a size that perf chooses */
};

int compression__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	int *compression = opt->value;
	u64 level;

	*compression = 0;
	if (unset)
		return 0;
	if (!number__parse(arg, 0, ZSTD_LEVEL_MAX, &level))
		return err__set(err, -EINVAL,
				"'%s' is not a compression level: 1 (fast) to %d (small), or 0 for none", arg,
				ZSTD_LEVEL_MAX);
	*compression = (int)level;
	return 0;
}

int aio__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt;
	if (!unset && (arg[strspn(arg, "0123456789")] || !*arg))
		return err__set(err, -EINVAL, "'%s' is not a number of blocks", arg);
	return 0;
}

/* Parse a size of at least least bytes; without an argument, use usual. least 1 only excludes 0. */
static int parse_size(const struct option *opt, const char *arg, u64 usual, u64 least, struct err *err)
{
	u64 *bytes = opt->value;
	bool has_unit;

	*bytes = usual;
	if (!arg || (number__parse_size(arg, bytes, &has_unit) && *bytes >= least))
		return 0;
	if (least <= 1)
		return err__set(err, -EINVAL, "'%s' is not a size %ssuch as 64K", arg,
				least ? "above 0 " : "");
	return err__set(err, -EINVAL, "'%s' is not a size such as 64M; the least is %uK", arg,
			(unsigned)(least >> 10));
}

int write_buffer__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return parse_size(opt, unset ? NULL : arg, WRITE_BUFFER_DEFAULT, WRITE_BUFFER_MIN, err);
}

int unwind_buffer__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return parse_size(opt, unset ? NULL : arg, unwind_buffer__usual(), UNWIND_BUFFER_MIN, err);
}

u64 unwind_buffer__usual(void)
{
	return MAX((u64)UNWIND_BUFFER_LEAST,
		   (u64)MIN(limits__nr_cpus(), UNWIND_CPUS_MAX) * UNWIND_BUFFER_CPU);
}

int max_size__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return parse_size(opt, unset ? NULL : arg, 0, 1, err);
}

int mmap_flush__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return parse_size(opt, unset ? NULL : arg, 0, 0, err);
}

int ring_pages__parse(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), n, pages = 1;
	bool has_unit = false;

	if (unset)
		return 0;
	if (!number__parse_size(arg, &n, &has_unit))
		n = 0;
	if (has_unit)
		n = ROUND_UP(n, page) / page;
	if (!n || n > RING_PAGES_MAX)
		return err__set(err, -EINVAL,
				"'%s' is neither a number of pages from 1 to %u, nor a size such as 1M", arg,
				(unsigned)RING_PAGES_MAX);
	while (pages < n)
		pages *= 2;
	*(u32 *)opt->value = (u32)pages;
	return 0;
}

int affinity__parse_option(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	return affinity__parse(opt->value, unset ? "sys" : arg, err);
}

/* ---- ring size ---- */

/* Return whether each occurrence of an event is a sample, as for tracepoints without -F or -c. */
static bool samples_everything(const struct rate_opts *rate, const struct evlist *l)
{
	if (rate->period || rate->freq_given)
		return rate->period == 1;
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct perf_event_attr *attr = &l->evsels.v[i]->attr;

		if (attr->sample_period == 1 && !attr->freq)
			return true;
	}
	return false;
}

/*
 * Return the wanted bytes of a ring. With --overwrite, tracepoints get the usual size, which the manual
 * documents.
 */
static u64 wanted_ring_bytes(const struct attr_opts *attrs, const struct evlist *l)
{
	if (attrs->chains.is_on && attrs->chains.stack_copy)
		return 2048ull * attrs->chains.stack_copy;
	return samples_everything(&attrs->rate, l) && !attrs->overwrite ? EVERY_EVENT_RING : USUAL_RING_BYTES;
}

void ring_pages__choose(u32 *pages, const struct attr_opts *attrs, const struct evlist *l)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), bytes = USUAL_RING_BYTES, limit = limits__ring_bytes(),
	    wanted = wanted_ring_bytes(attrs, l);

	if (!*pages) {
		while (bytes < wanted && 2 * bytes + page <= limit &&
		       2 * bytes * (u64)limits__nr_cpus() <= RINGS_TOTAL_MAX)
			bytes *= 2;
		*pages = (u32)(bytes / page);
	}
}

u32 ring_pages__limit(u32 pages, u64 nr_rings)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	while (pages > 1 && nr_rings * (pages + 1) * page > RINGS_MOST)
		pages /= 2;
	return pages;
}

u32 ring_pages__larger(u32 pages)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), limit = limits__ring_bytes();
	u32 most = 1;

	while (most < RING_PAGES_MAX && (u64)most * 2 * page + page <= limit)
		most *= 2;
	return pages < most ? MIN(pages * 4, most) : 0;
}
