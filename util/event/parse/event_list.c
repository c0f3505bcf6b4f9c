#include "event/parse/event_list.h"

#include "event/evsel/event_name.h"
#include "event/pmu/pfm.h"
#include "event/pmu/pmu.h"
#include "event/tracepoint/tracefs.h"

#include <errno.h>
#include <string.h>

struct list_ctx {
	const struct parse_opts *opts;
	struct pmus pmus;
	listed_event_fn fn;
	void *ctx;
};

typedef int (*family_fn)(struct list_ctx *c, enum event_family family);

/* ---- names that perf knows ---- */

struct named_ctx {
	struct list_ctx *list;
	enum event_family family;
	u32 type;
	const char *text;
	int ret;
};

static void list_named(const struct event_names *names, void *ctx)
{
	struct named_ctx *n = ctx;
	struct strbuf encoding = STRBUF_INIT;
	struct listed_event e = { .family = n->family,
				  .name = names->name,
				  .alias = names->alias,
				  .type = n->text,
				  .desc = names->desc };

	if (n->ret || names->type != n->type)
		return;
	strbuf__addf(&encoding, "type %u, config %#llx", names->type, (unsigned long long)names->config);
	e.encoding = encoding.buf;
	n->ret = n->list->fn(&e, n->list->ctx);
	strbuf__exit(&encoding);
}

static int list_names(struct list_ctx *c, enum event_family family)
{
	static const struct {
		u32 type;
		const char *text;
	} rows[] = {
		[FAMILY_HW] = { PERF_TYPE_HARDWARE, "Hardware event" },
		[FAMILY_SW] = { PERF_TYPE_SOFTWARE, "Software event" },
		[FAMILY_CACHE] = { PERF_TYPE_HW_CACHE, "Hardware cache event" },
	};
	struct named_ctx n = {
		.list = c, .family = family, .type = rows[family].type, .text = rows[family].text
	};

	event_name__for_each_event(list_named, &n);
	return n.ret;
}

/* ---- PMUs ---- */

static int list_pmu_event(struct list_ctx *c, const struct pmu *pmu, const struct pmu_event *event)
{
	char *name = xasprintf("%s/%s/", pmu->name, event->name);
	char *encoding = xasprintf("%s/%s/", pmu->name, event->terms);
	struct listed_event e = { .family = FAMILY_PMU,
				  .name = name,
				  .type = "Kernel PMU event",
				  .encoding = encoding,
				  .pmu = pmu };
	int ret;

	if (pmu->is_core && pmus__nr_core(&c->pmus) == 1) {
		e.name = event->name;
		e.alias = name;
	}
	ret = c->fn(&e, c->ctx);
	free(name);
	free(encoding);
	return ret;
}

static int list_pmus(struct list_ctx *c, enum event_family family)
{
	int ret = 0;

	(void)family;
	for (size_t i = 0; !ret && i < c->pmus.v.nr; i++) {
		struct pmu *pmu = &c->pmus.v.v[i];

		pmu__load(&c->pmus, pmu);
		for (size_t j = 0; !ret && j < pmu->events.nr; j++)
			ret = list_pmu_event(c, pmu, &pmu->events.v[j]);
	}
	return ret;
}

/* Append "event=0..0xff" for each format. */
static void add_terms(const struct pmu *pmu, struct strbuf *sb)
{
	for (size_t i = 0; i < pmu->formats.nr; i++)
		strbuf__addf(sb, "%s%s=0..%#llx", i ? "," : "", pmu->formats.v[i].name,
			     (unsigned long long)pmu_format__max(&pmu->formats.v[i]));
}

/* List what may be between the slashes of each PMU that has formats. */
static int list_formats(struct list_ctx *c)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < c->pmus.v.nr; i++) {
		struct pmu *pmu = &c->pmus.v.v[i];
		struct strbuf terms = STRBUF_INIT;
		struct listed_event e = { .family = FAMILY_RAW,
					  .type = "Raw event descriptor",
					  .desc = "The terms of this PMU and their greatest values",
					  .pmu = pmu };
		char *name, *example;

		pmu__load(&c->pmus, pmu);
		if (!pmu->formats.nr)
			continue;
		add_terms(pmu, &terms);
		e.name = name = xasprintf("%s/%s/modifier", pmu->name, terms.buf);
		e.example = example = xasprintf("%s/%s=1/", pmu->name, pmu->formats.v[0].name);
		ret = c->fn(&e, c->ctx);
		free(name);
		free(example);
		strbuf__exit(&terms);
	}
	return ret;
}

/* ---- forms ---- */

static const struct listed_event forms[] = {
	{ .family = FAMILY_RAW,
	  .name = "rNNN",
	  .type = "Raw hardware event descriptor",
	  .desc = "The processor's own event by its number, hexadecimal",
	  .example = "r1a8:u" },
	{ .family = FAMILY_RAW,
	  .name = "cpu/t1=v1[,t2=v2,t3 ...]/modifier",
	  .type = "Raw hardware event descriptor",
	  .desc = "The terms of a PMU, below; and those of every event: period, freq, name, call-graph, ...",
	  .example = "cpu/event=0x3c,umask=0x1,name=mine/u" },
	{ .family = FAMILY_MEM,
	  .name = "mem:<addr>[/len][:access]",
	  .type = "Hardware breakpoint",
	  .desc = "Reads (r), writes (w) and execution (x) of an address",
	  .example = "mem:0x1000/4:rw:u" },
	{ .family = FAMILY_MEM,
	  .name = "mem:<variable>[@binary][.member][+offset][/len][[first:count]][:access]",
	  .type = "Hardware breakpoint",
	  .desc = "A variable, a member or elements of it, or a function (x)",
	  .example = "mem:table.used[4:2]:w" },
	{ .family = FAMILY_PROBE,
	  .name = "uprobe:<binary>:<function>[+offset][%return]",
	  .type = "Probe of a function",
	  .desc = "Calls of, or returns from, a function of a program or library",
	  .example = "uprobe:libc.so.6:malloc" },
	{ .family = FAMILY_PROBE,
	  .name = "kprobe:<function>[+offset][%return]",
	  .type = "Probe of a function",
	  .desc = "Calls of, or returns from, a function of the kernel",
	  .example = "kprobe:do_exit" },
};

static int list_forms(struct list_ctx *c, enum event_family family)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(forms); i++)
		if (forms[i].family == family)
			ret = c->fn(&forms[i], c->ctx);
	if (!ret && family == FAMILY_RAW)
		ret = list_formats(c);
	return ret;
}

/* ---- tracepoints ---- */

/* Events without an id are records of the tracer itself and cannot be opened. */
static bool has_id(const char *tracefs, const char *system, const char *event)
{
	u64 id;

	return !tracefs__event_id(tracefs, system, event, &id, NULL);
}

static int list_tracepoint(const char *system, const char *event, void *ctx)
{
	struct list_ctx *c = ctx;
	char *name = xasprintf("%s:%s", system, event);
	const struct listed_event e = { .family = FAMILY_TRACEPOINT,
					.name = name,
					.type = "Tracepoint event" };
	int ret = 0;

	if (strcmp(system, "ftrace") || has_id(c->opts->tracefs, system, event))
		ret = c->fn(&e, c->ctx);
	free(name);
	return ret;
}

static int list_tracepoints(struct list_ctx *c, enum event_family family)
{
	struct parse_opts opts = *c->opts;
	struct strbuf mount = STRBUF_INIT;
	struct list_ctx own = *c;
	int ret = 0;

	(void)family;
	if (!opts.tracefs && !tracefs__find(&mount, NULL))
		opts.tracefs = mount.buf;
	own.opts = &opts;
	if (opts.tracefs)
		ret = tracefs__for_each_event(opts.tracefs, NULL, NULL, list_tracepoint, &own);
	strbuf__exit(&mount);
	return ret < 0 ? 0 : ret;
}

/* ---- vendors' names ---- */

static int list_pfm_event(const char *name, const char *desc, void *ctx)
{
	struct list_ctx *c = ctx;
	const struct listed_event e = {
		.family = FAMILY_PFM, .name = name, .type = "libpfm4 event", .desc = desc
	};

	return c->fn(&e, c->ctx);
}

static int list_pfm(struct list_ctx *c, enum event_family family)
{
	(void)family;
	return pfm__for_each(list_pfm_event, c);
}

/* ---- all ---- */

static const struct family_row {
	const char *names[3];
	family_fn list;
} family_rows[FAMILY_NR] = {
	[FAMILY_HW] = { { "hw", "hardware" }, list_names },
	[FAMILY_SW] = { { "sw", "software" }, list_names },
	[FAMILY_CACHE] = { { "cache", "hwcache" }, list_names },
	[FAMILY_PMU] = { { "pmu" }, list_pmus },
	[FAMILY_RAW] = { { "raw" }, list_forms },
	[FAMILY_MEM] = { { "mem" }, list_forms },
	[FAMILY_PROBE] = { { "probe" }, list_forms },
	[FAMILY_TRACEPOINT] = { { "tracepoint" }, list_tracepoints },
	[FAMILY_PFM] = { { "pfm" }, list_pfm },
};

void event_family__offer(struct suggest *s)
{
	for (int i = 0; i < FAMILY_NR; i++)
		for (size_t j = 0; j < ARRAY_SIZE(family_rows[i].names) && family_rows[i].names[j]; j++)
			suggest__offer(s, family_rows[i].names[j]);
}

int event_family__find(const char *word)
{
	for (int i = 0; i < FAMILY_NR; i++)
		for (size_t j = 0; j < ARRAY_SIZE(family_rows[i].names) && family_rows[i].names[j]; j++)
			if (!strcmp(word, family_rows[i].names[j]))
				return i;
	return -ENOENT;
}

int event_list__for_each(unsigned families, const struct parse_opts *opts, listed_event_fn fn, void *ctx)
{
	static const struct parse_opts usual = { .sysfs = "/sys" };
	struct list_ctx c = { .opts = opts ? opts : &usual, .fn = fn, .ctx = ctx };
	int ret = 0;

	pmus__init(&c.pmus, c.opts->sysfs);
	for (int i = 0; !ret && i < FAMILY_NR; i++)
		if (families & 1u << i)
			ret = family_rows[i].list(&c, (enum event_family)i);
	pmus__exit(&c.pmus);
	return ret;
}
