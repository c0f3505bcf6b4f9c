/*
 * Recordings of samples in a program and a kernel whose functions are known, and views of them. The program
 * is tests/data/arm64-frames/shapes.so, whose offsets are its addresses; nothing of it is run.
 */
#ifndef TESTS_FOLD_IMAGE_H
#define TESTS_FOLD_IMAGE_H

#include "view_image.h"

#include "binary/symbols/elf_symbols.h"
#include "format/read/features.h"
#include "profile/hists/hists_private.h"

#include <stdlib.h>

enum { PID = 40, BINARY_AT = 0x10000000, OTHER_AT = 0x20000000, MAP_LEN = 0x1000 };

/* Functions of the kernel, 4096 bytes each. */
#define KERNEL_AT 0xffffffff81000000ull
static const char *const kernel_functions[] = { "_text",      "schedule", "do_nanosleep",
						"do_poll",    "do_wait",  "do_task_dead",
						"futex_wait", "vfs_work", "_etext" };

static char *binary;
static char kallsyms[] = "/tmp/perf-unit-fold.XXXXXX";
static u64 by_fp, apart, leaf; /* functions of the binary, in memory */
static bool makes_up_names;    /* for functions without a symbol */

IMAGE_FN u64 kernel(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kernel_functions); i++)
		if (!strcmp(kernel_functions[i], name))
			return KERNEL_AT + 0x1000 * i + 0x10;
	fail_msg("no function %s", name);
	return 0;
}

enum { CHAIN_MAX = 8, BRANCHES_MAX = 4 };

struct put { /* a sample; of an image only what its sample_type has */
	u32 event;
	u16 misc; /* 0: of user code */
	u64 ip, time, addr, period, weight, data_src;
	u32 pid, tid, cpu;
	u64 chain[CHAIN_MAX]; /* up to the first 0 */
	u64 branches[3 * BRANCHES_MAX];
	u32 nr_branches;
};

struct recording {
	struct image im;
	u64 type; /* attr.sample_type of its events */
	u32 nr_events;
	bool has_sockets; /* CPUs 0 and 1 are in socket 0, 2 and 3 in socket 1 */
};

/* What follows records of other types with sample_id_all. */
IMAGE_FN void recording__trailer(struct recording *r, u32 pid)
{
	image__u32(&r->im, pid);
	image__u32(&r->im, pid);
	if (r->type & PERF_SAMPLE_TIME)
		image__u64(&r->im, 1);
	if (r->type & PERF_SAMPLE_CPU)
		image__u64(&r->im, 0);
	image__u64(&r->im, 100);
	image__end(&r->im);
}

IMAGE_FN void recording__comm(struct recording *r, u32 pid, u32 tid, const char *comm)
{
	image__begin(&r->im, PERF_RECORD_COMM, 0);
	image__u32(&r->im, pid);
	image__u32(&r->im, tid);
	image__str(&r->im, comm, 8);
	recording__trailer(r, pid);
}

IMAGE_FN void recording__map(struct recording *r, u16 misc, u32 pid, u64 start, u64 len, u64 pgoff,
			     const char *name)
{
	image__begin(&r->im, PERF_RECORD_MMAP, misc);
	image__u32(&r->im, pid);
	image__u32(&r->im, pid);
	image__u64(&r->im, start);
	image__u64(&r->im, len);
	image__u64(&r->im, pgoff);
	image__str(&r->im, name, ROUND_UP(strlen(name) + 1, 8));
	recording__trailer(r, pid);
}

/* Processes "first", "second" and "third", from PID on, each with the binary and one without symbols. */
IMAGE_FN void recording__begin(struct recording *r, u64 type, u32 nr_events)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						    PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD | type);
	static const char *const comms[] = { "first", "second", "third" };
	size_t ids = 104 + nr_events * 128;

	*r = (struct recording){ .type = a.sample_type, .nr_events = nr_events };
	a.sample_id_all = 1;
	a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	image__init(&r->im, false);
	image__file_header(&r->im, nr_events, 112, 0);
	for (u32 i = 0; i < nr_events; i++) {
		a.config = i;
		image__attr_entry(&r->im, &a, 112, ids + 8 * i, 8);
	}
	for (u32 i = 0; i < nr_events; i++)
		image__u64(&r->im, 100 + i);
	image__put_u64(&r->im, 40, r->im.b.len);
	recording__map(r, PERF_RECORD_MISC_KERNEL, UINT32_MAX, KERNEL_AT, 0x8000, KERNEL_AT,
		       "[kernel.kallsyms]_text");
	for (u32 i = 0; i < 3; i++) {
		recording__comm(r, PID + i, PID + i, comms[i]);
		recording__map(r, PERF_RECORD_MISC_USER, PID + i, BINARY_AT, MAP_LEN, 0, binary);
		recording__map(r, PERF_RECORD_MISC_USER, PID + i, OTHER_AT, MAP_LEN, 0, "/nowhere/other");
	}
}

IMAGE_FN void recording__put_some(struct image *im, const u64 *words, u64 nr)
{
	image__u64(im, nr);
	for (u64 i = 0; i < nr; i++)
		image__u64(im, words[i]);
}

IMAGE_FN void recording__put(struct recording *r, const struct put *p)
{
	struct image *im = &r->im;
	u64 nr = 0;

	while (nr < CHAIN_MAX && p->chain[nr])
		nr++;
	image__begin(im, PERF_RECORD_SAMPLE, p->misc ? p->misc : PERF_RECORD_MISC_USER);
	image__u64(im, 100 + p->event);
	image__u64(im, p->ip);
	image__u32(im, p->pid ? p->pid : PID);
	image__u32(im, p->tid ? p->tid : p->pid ? p->pid : PID);
	if (r->type & PERF_SAMPLE_TIME)
		image__u64(im, p->time);
	if (r->type & PERF_SAMPLE_ADDR)
		image__u64(im, p->addr);
	if (r->type & PERF_SAMPLE_CPU)
		image__u64(im, p->cpu);
	image__u64(im, p->period);
	if (r->type & PERF_SAMPLE_CALLCHAIN)
		recording__put_some(im, p->chain, nr);
	if (r->type & PERF_SAMPLE_BRANCH_STACK) {
		image__u64(im, p->nr_branches);
		for (u32 i = 0; i < 3 * p->nr_branches; i++)
			image__u64(im, p->branches[i]);
	}
	if (r->type & PERF_SAMPLE_WEIGHT)
		image__u64(im, p->weight);
	if (r->type & PERF_SAMPLE_DATA_SRC)
		image__u64(im, p->data_src);
	image__end(im);
}

IMAGE_FN void recording__end(struct recording *r)
{
	struct image *im = &r->im;
	size_t table = im->b.len, at[3];

	image__end_data(im);
	if (!r->has_sockets)
		return;
	for (int i = 0; i < 4; i++)
		image__u64(im, 0);
	at[0] = im->b.len;
	image__u32(im, 4);
	image__u32(im, 4);
	at[1] = im->b.len;
	for (int i = 0; i < 2; i++) { /* siblings */
		image__u32(im, 1);
		image__feature_str(im, "0-3");
	}
	for (u32 cpu = 0; cpu < 4; cpu++) {
		image__u32(im, cpu % 2);
		image__u32(im, cpu / 2);
	}
	at[2] = im->b.len;
	for (size_t i = 0; i < 2; i++) {
		image__put_u64(im, table + 16 * i, at[i]);
		image__put_u64(im, table + 16 * i + 8, at[i + 1] - at[i]);
	}
	image__put_u64(im, 72, 1ull << FEATURE_NRCPUS | 1ull << FEATURE_CPU_TOPOLOGY);
}

/* What a report sets before it reads: from the layout, unless it is in p. */
IMAGE_FN void fixture__open(struct fixture *f, struct recording *r, struct layout_opts *l,
			    struct profile_opts *p, struct view_opts *o)
{
	struct session_opts sopts = { .symbols = { .no_made_up_names = !makes_up_names,
						   .kallsyms = kallsyms } };

	recording__end(r);
	l->sample_type = r->type;
	l->branches = o->branches;
	l->blocks = o->blocks;
	l->children = o->children;
	l->history = o->chain.history;
	assert_int_equal(layout__parse(&f->layout, l, NULL), 0);
	p->split |= f->layout.split;
	p->words = f->layout.words.nr ? &f->layout.words : NULL;
	p->branches = o->branches;
	p->blocks = o->blocks;
	p->history = o->chain.history;
	p->starts = f->layout.ipc;
	p->max_stack = 127;
	fixture__read(f, &r->im, &sopts, p, o);
	image__exit(&r->im);
}

/* With sort keys only. */
IMAGE_FN void fixture__sort(struct fixture *f, struct recording *r, const char *sort, struct view_opts *o)
{
	struct layout_opts l = { .sort = sort };
	struct profile_opts p = { .nr_threads = 1 };

	fixture__open(f, r, &l, &p, o);
}

/* Sums of the entries that are shown, of one hists. */
IMAGE_FN struct hist_stat shown_of(const struct fixture *f, size_t hists)
{
	const struct hists *h = &f->v.hists.v[hists];
	struct hist_stat sum = { 0 };

	for (size_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = h->entries.v[i];

		if (e->filtered)
			continue;
		sum.period += e->stats[0].period;
		sum.period_children += e->stats[0].period_children;
		sum.nr += e->stats[0].nr;
	}
	return sum;
}

IMAGE_FN const char *place_name(const struct fixture *f, u32 place)
{
	return places__get(&f->v.places, place)->sym ? places__name((struct places *)&f->v.places, place)
						     : "?";
}

/* The entry of the first hists that has this function, and is filtered or not; NULL: there is none. */
IMAGE_FN struct hist_entry *find_entry(const struct fixture *f, const char *name, bool filtered)
{
	const struct hists *h = &f->v.hists.v[0];

	for (size_t i = 0; i < h->entries.nr; i++)
		if (!h->entries.v[i]->filtered == !filtered &&
		    !strcmp(place_name(f, h->entries.v[i]->place), name))
			return h->entries.v[i];
	return NULL;
}

IMAGE_FN struct hist_entry *entry_named(const struct fixture *f, const char *name)
{
	struct hist_entry *e = find_entry(f, name, false);

	if (!e)
		fail_msg("no row '%s'", name);
	return e;
}

IMAGE_FN int find_symbols(void **state)
{
	const char *src = getenv("PERF_SRC");
	struct strbuf text = STRBUF_INIT;
	struct symtab t;
	char *relative = xasprintf("%s/tests/data/arm64-frames/shapes.so", src ? src : ".");
	int fd = mkstemp(kallsyms), ret;

	(void)state;
	binary = realpath(relative, NULL);
	free(relative);
	for (size_t i = 0; i < ARRAY_SIZE(kernel_functions); i++)
		strbuf__addf(&text, "%llx T %s\n", KERNEL_AT + 0x1000ull * i, kernel_functions[i]);
	ret = fd < 0 || file__write_all(fd, text.buf, text.len) || close(fd);
	strbuf__exit(&text);
	symtab__init(&t);
	if (ret || !binary || elf_symbols__load(&t, binary, NULL, NULL, NULL))
		return -1;
	for (size_t i = 0; i < t.syms.nr; i++) {
		const char *name = symtab__name(&t, &t.syms.v[i]);

		if (!strcmp(name, "by_fp"))
			by_fp = BINARY_AT + t.syms.v[i].start;
		if (!strcmp(name, "apart"))
			apart = BINARY_AT + t.syms.v[i].start;
		if (!strcmp(name, "leaf"))
			leaf = BINARY_AT + t.syms.v[i].start;
	}
	symtab__exit(&t);
	return !by_fp || !apart || !leaf;
}

IMAGE_FN int forget_symbols(void **state)
{
	(void)state;
	free(binary);
	return unlink(kallsyms);
}

#endif
