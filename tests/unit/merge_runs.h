/*
 * Recordings of a program, its kernel and code that was made at run time, for tests of merge: written to a
 * folder of their own, merged, and the merged one as text.
 */
#ifndef MERGE_RUNS_H
#define MERGE_RUNS_H

#include "base/system/file.h"
#include "format/file/names_section.h"
#include "format/read/features.h"
#include "format/records/build.h"
#include "format/records/sample.h"
#include "format/records/sampling_mark.h"
#include "format/write/writer.h"
#include "image.h"
#include "merge/merge.h"

#include <stdlib.h>
#include <sys/stat.h>

struct stack {
	u64 nr, period; /* nr: the weight, if the run is marked as merged */
	/* words, innermost first: the letter of a binary and an offset in it; of callers, the call's */
	const char *words;
	u32 event;
};

struct run_event {
	const char *name;
	u64 config;
	bool has_no_chains, is_varied, begins_on_exec, is_dummy;
};

struct run {
	u64 slide; /* bytes by which all code is moved */
	u32 pid;
	u8 kernel_id;                   /* all bytes of the kernel's build-id */
	bool is_merged;                 /* the attr says so: weights are numbers of samples */
	const char *comm;               /* NULL: "prog"; "": it has no name */
	const struct run_event *events; /* name NULL: no more; NULL: cycles */
	/* of the header; NULL: "host" and none */
	const char *host, *cpuid;
	u32 nr_cpus; /* 0: none */
};

enum { RUN_ID_SIZE = 20 };

/* Where the code of a run is, by its letter. */
static const struct run_binary {
	char letter;
	u64 start, len; /* in memory, without the slide */
	u64 first;      /* what the offset of a word counts from, in memory */
	const char *name;
} run_binaries[] = {
	{ 'k', 0xffffffff80000000, 0x2000000, 0xffffffff80000000, "[kernel.kallsyms]_text" },
	{ 'm', 0xffffffffa0000000, 0x4000, 0xffffffffa0000000, "[mod]" },
	{ 'b', 0xffffffffb0000000, 0x100, 0xffffffffb0000000, "bpf_prog_1" },
	{ 'p', 0x401000, 0x10000, 0x400000, "/nowhere/prog" },
	{ 'l', 0x7f0000001000, 0x20000, 0x7f0000000000, "/nowhere/lib.so" },
	{ 'v', 0x7fff00000000, 0x2000, 0x7fff00000000, "[vdso]" },
	{ 'j', 0x7e0000000000, 0x1000, 0x7e0000000000, "//anon" },
	{ 'u', 0, 0, 0, NULL }, /* in no map; does not move */
};

/* Functions of JIT code; their numbers are not those of their names in order. */
static const struct names_symbol run_jit_usual[] = {
	{ .start = 0x0, .size = 0x80, .name = "alpha", .hits = 3 },
	{ .start = 0x100, .size = 0x80, .name = "beta", .hits = 2 }
};

static const struct names_symbol *run_jit = run_jit_usual;
static size_t run_nr_jit = ARRAY_SIZE(run_jit_usual);

/* Binaries that a test adds to all runs. */
static const struct run_binary *run_more;
static size_t run_nr_more = 1;

static bool run_binary__is_kernel(const struct run_binary *b)
{
	return b->first >> 63;
}

static u64 run__address(const struct run *r, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(run_binaries); i++)
		if (run_binaries[i].letter == word[0])
			return run_binaries[i].first + (run_binaries[i].name ? r->slide : 0) +
			       strtoull(word + 1, NULL, 16);
	for (size_t i = 0; run_more && i < run_nr_more; i++)
		if (run_more[i].letter == word[0])
			return run_more[i].first + r->slide + strtoull(word + 1, NULL, 16);
	fail_msg("no binary of '%s'", word);
	return 0;
}

static void run__add_map(const struct run *r, const struct run_binary *b, struct strbuf *out)
{
	u8 id[RUN_ID_SIZE];
	const struct mmap_record m = { .pid = r->pid,
				       .tid = r->pid,
				       .start = b->start + r->slide,
				       .len = b->len,
				       .pgoff = b->start - b->first,
				       .filename = b->name,
				       .prot = 5,
				       .flags = 2,
				       .has_build_id = b->letter != 'j',
				       .build_id = id,
				       .build_id_size = sizeof(id) };

	memset(id, b->letter, sizeof(id));
	if (b->letter == 'b')
		build__ksymbol(out, m.start, (u32)m.len, b->name, 0);
	else if (run_binary__is_kernel(b))
		build__mmap(out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, m.start, m.len,
			    b->letter == 'k' ? m.start : 0, b->name, 0);
	else
		build__mmap2(out, PERF_RECORD_MISC_USER, &m, 0);
}

static void run__add_side_band(const struct run *r, struct strbuf *out)
{
	if (!r->comm || r->comm[0])
		build__comm(out, 0, r->pid, r->pid, r->comm ? r->comm : "prog", 0);
	for (size_t i = 0; run_binaries[i].name; i++)
		run__add_map(r, &run_binaries[i], out);
	for (size_t i = 0; run_more && i < run_nr_more; i++)
		run__add_map(r, &run_more[i], out);
}

static void run__add_sample(const struct run *r, const struct stack *s, u64 time, struct strbuf *out)
{
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE };
	char *words = xstrdup(s->words), *save, *w = strtok_r(words, " ", &save);
	bool is_kernel = false, is_first = true;
	u64_array chain = { 0 };
	u64 ip = run__address(r, w);

	for (; w; w = strtok_r(NULL, " ", &save)) {
		u64 addr = run__address(r, w);

		if (is_first || addr >> 63 != is_kernel) {
			is_kernel = addr >> 63;
			array__add(&chain, is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
			array__add(&chain, addr);
		} else {
			array__add(&chain, addr + 1);
		}
		is_first = false;
	}
	h.misc = ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	bool has_chain = !r->events || !r->events[s->event].has_no_chains;

	h.size = (u16)(sizeof(h) + 8 * (6 + (has_chain ? 1 + chain.nr : 0)));
	strbuf__add(out, &h, sizeof(h));
	strbuf__add_u64(out, s->event + 1);
	strbuf__add_u64(out, ip);
	strbuf__add_u32(out, r->pid);
	strbuf__add_u32(out, r->pid);
	strbuf__add_u64(out, time);
	strbuf__add_u64(out, s->period);
	if (has_chain) {
		strbuf__add_u64(out, chain.nr);
		strbuf__add(out, chain.v, chain.nr * sizeof(u64));
	}
	strbuf__add_u64(out, s->nr);
	array__exit(&chain);
	free(words);
}

/* The names of functions, as a recorder stores them. */
static void run__add_names(const struct run *r, struct writer *w)
{
	char jit[32];
	struct names_symbol *symbols = xcalloc(run_nr_jit, sizeof(*symbols));
	struct strbuf section = STRBUF_INIT;
	struct names_symbol kernel = { .start = 0xffffffff80001200 + r->slide,
				       .size = 0x100,
				       .name = "k_one" };
	struct names_symbol prog[] = { { .start = 0x4000, .size = 0x100, .name = "main" },
				       { .start = 0x2000, .size = 0x100, .name = "leaf" } };
	struct names_address kernel_line = { 0xffffffff80001234 + r->slide, 0, 1 };
	struct names_frame kernel_frame = { NULL, "kernel.c", 7 };
	struct names_address lines[] = { { 0x4020, 0, 1 }, { 0x2010, 1, 2 } };
	struct names_frame frames[] = { { NULL, "prog.c", 20 },
					{ "inlined", "prog.h", 5 },
					{ NULL, "prog.c", 10 } };
	struct names_dso d[] = {
		{ .id = { .name = jit, .pid = r->pid }, .symbols = { .v = symbols, .nr = run_nr_jit } },
		{ .id = { .name = "[kernel.kallsyms]" },
		  .symbols = { .v = &kernel, .nr = 1 },
		  .lines = { { .v = &kernel_line, .nr = 1 }, { .v = &kernel_frame, .nr = 1 } } },
		{ .id = { .name = "/nowhere/prog", .build_id.size = RUN_ID_SIZE },
		  .symbols = { .v = prog, .nr = 2 },
		  .lines = { { .v = lines, .nr = 2 }, { .v = frames, .nr = 3 } } },
	};

	snprintf(jit, sizeof(jit), "/tmp/perf-%u.map", r->pid);
	memset(d[1].id.build_id.data, r->kernel_id, RUN_ID_SIZE);
	d[1].id.build_id.size = r->kernel_id ? RUN_ID_SIZE : 0;
	memset(d[2].id.build_id.data, 'p', RUN_ID_SIZE);
	for (size_t i = 0; i < run_nr_jit; i++) {
		symbols[i] = run_jit[i];
		symbols[i].start += 0x7e0000000000 + r->slide;
	}
	names_section__write(&section, d, ARRAY_SIZE(d), 1 << 20);
	assert_int_equal(writer__extension(w, EXTENSION_NAMES, section.buf, section.len), 0);
	strbuf__exit(&section);
	free(symbols);
}

static void run__add_events(const struct run *r, struct evlist *l)
{
	static const struct run_event cycles[] = { { .name = "cycles" }, { 0 } };
	const struct run_event *v = r->events ? r->events : cycles;

	for (u64 i = 0; v[i].name; i++) {
		struct perf_event_attr attr = { .type = v[i].is_dummy ? PERF_TYPE_SOFTWARE
								      : PERF_TYPE_HARDWARE,
						.size = sizeof(attr),
						.config = v[i].is_dummy ? PERF_COUNT_SW_DUMMY : v[i].config,
						.exclude_guest = 1,
						.enable_on_exec = v[i].begins_on_exec,
						.sample_period = 100,
						.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
							       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
							       PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT };

		if (!v[i].has_no_chains)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		if (r->is_merged)
			attr__mark_merged(&attr, v[i].is_varied);
		else if (v[i].is_varied)
			attr__mark_varied(&attr);
		evlist__add_id(l, evlist__add(l, &attr, sizeof(attr), v[i].name), i + 1);
	}
}

static void run__add_features(const struct run *r, const struct evlist *l, struct writer *w)
{
	const u32 cpus[] = { r->nr_cpus, r->nr_cpus };
	struct strbuf data = STRBUF_INIT;
	u8 id[RUN_ID_SIZE];

	memset(id, r->kernel_id, sizeof(id));
	build__build_id(&data, PERF_RECORD_MISC_KERNEL, UINT32_MAX, id, sizeof(id), "[kernel.kallsyms]");
	if (r->kernel_id)
		writer__feature(w, FEATURE_BUILD_ID, data.buf, data.len);
	strbuf__reset(&data);
	build__string(&data, r->host ? r->host : "host");
	writer__feature(w, FEATURE_HOSTNAME, data.buf, data.len);
	strbuf__reset(&data);
	build__string(&data, r->cpuid ? r->cpuid : "");
	if (r->cpuid)
		for (enum feature f = FEATURE_OSRELEASE; f <= FEATURE_CPUID; f++)
			if (f != FEATURE_NRCPUS && f != FEATURE_ARCH)
				writer__feature(w, f, data.buf, data.len);
	strbuf__reset(&data);
	build__event_desc(&data, l);
	writer__feature(w, FEATURE_EVENT_DESC, data.buf, data.len);
	if (r->nr_cpus)
		writer__feature(w, FEATURE_NRCPUS, cpus, sizeof(cpus));
	run__add_names(r, w);
	strbuf__exit(&data);
}

static void run__write(const struct run *r, const struct stack *const *stacks, const char *path)
{
	struct strbuf records = STRBUF_INIT;
	struct writer_opts opts = { 0 };
	struct writer *w;
	struct evlist l;

	evlist__init(&l);
	run__add_events(r, &l);
	assert_int_equal(writer__open(&w, path, &opts, NULL), 0);
	assert_int_equal(writer__begin(w, &l, NULL), 0);
	run__add_side_band(r, &records);
	for (u64 i = 0; stacks[i]; i++)
		run__add_sample(r, stacks[i], 1000 + i, &records);
	assert_int_equal(writer__write(w, records.buf, records.len), 0);
	run__add_features(r, &l, w);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	strbuf__exit(&records);
	evlist__exit(&l);
}

/* ---- merging ---- */

static const struct merge_opts run_opts = { .nr_threads = 1 };

/* Add the bytes of a recording. */
IMAGE_FN int add_bytes(struct merge *m, const struct strbuf *file)
{
	char path[64];
	int fd, ret;

	image__path(file->buf, file->len, &fd, path);
	ret = merge__add(m, path, NULL);
	close(fd);
	return ret;
}

static int try_run(struct merge *m, const struct run *r, const struct stack *const *stacks)
{
	char path[] = "/tmp/perf-merge-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	close(fd);
	run__write(r, stacks, path);
	ret = merge__add(m, path, NULL);
	unlink(path);
	return ret;
}

IMAGE_FN void add_run(struct merge *m, const struct run *r, const struct stack *const *stacks)
{
	assert_int_equal(try_run(m, r, stacks), 0);
}

/* Write what m has to file, and delete m. */
static struct merge_totals finish_merge(struct merge *m, struct strbuf *file)
{
	char path[] = "/tmp/perf-merge-XXXXXX";
	struct merge_totals t;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(merge__write(m, path, &t, NULL), 0);
	merge__delete(m);
	strbuf__reset(file);
	assert_int_equal(file__read(path, file, 0), 0);
	unlink(path);
	return t;
}

IMAGE_FN struct merge_totals merge_runs(const struct run *const *runs, size_t nr,
					const struct stack *const *stacks, struct strbuf *file)
{
	struct merge *m = merge__new(&run_opts);

	for (size_t i = 0; i < nr; i++)
		add_run(m, runs[i], stacks);
	return finish_merge(m, file);
}

/* ---- the merged recording as text ---- */

static void show_record(const struct record *r, struct strbuf *out)
{
	struct ksymbol_record k;
	struct comm_record c;
	struct mmap_record m;
	struct build_id id;

	assert_int_equal(r->header->size % 8, 0);
	assert_int_equal(r->header->misc & ~(MISC_CPUMODE_MASK | MISC_MMAP_BUILD_ID), 0);
	if (r->header->type != PERF_RECORD_COMM && record__mmap(r, &m)) {
		strbuf__addf(out, "%s %d/%d %llx+%llx @%llx %s", m.is_mmap2 ? "mmap2" : "mmap", (int)m.pid,
			     (int)m.tid, (unsigned long long)m.start, (unsigned long long)m.len,
			     (unsigned long long)m.pgoff, m.filename);
		id = mmap_record__build_id(&m);
		assert_int_equal(m.has_build_id, id.size > 0);
		if (id.size)
			strbuf__addf(out, " %02x", id.data[id.size - 1]);
		assert_int_equal(m.prot & 4, 4);
	} else if (r->header->type == PERF_RECORD_COMM && record__comm(r, &c)) {
		assert_int_equal(r->header->misc, 0);
		strbuf__addf(out, "comm %u/%u %s", c.pid, c.tid, c.comm);
	} else if (r->header->type == PERF_RECORD_KSYMBOL && record__ksymbol(r, &k)) {
		strbuf__addf(out, "ksymbol %llx+%x %s", (unsigned long long)k.addr, k.len, k.name);
	} else {
		strbuf__addf(out, "type %u", r->header->type);
	}
	strbuf__addch(out, '\n');
}

static void show_sample(const struct sample *s, struct strbuf *out)
{
	strbuf__addf(out, "%s %c %u/%u x%llu %llu %llx:", s->evsel->name,
		     s->cpumode == PERF_RECORD_MISC_KERNEL ? 'k' : 'u', s->pid, s->tid,
		     (unsigned long long)s->weight, (unsigned long long)s->period, (unsigned long long)s->ip);
	for (u64 i = 0; i < s->nr_callchain; i++)
		if (s->callchain[i] == PERF_CONTEXT_KERNEL || s->callchain[i] == PERF_CONTEXT_USER)
			strbuf__addstr(out, s->callchain[i] == PERF_CONTEXT_USER ? " USER" : " KERNEL");
		else
			strbuf__addf(out, " %llx", (unsigned long long)s->callchain[i]);
	strbuf__addch(out, '\n');
}

static void show(const struct strbuf *file, bool samples, struct strbuf *out)
{
	struct block b = BLOCK_INIT;
	struct sample_decoder d;
	struct reader_pass *p;
	struct reader *r;

	strbuf__reset(out);
	assert_int_equal(image__open(file->buf, file->len, &r, NULL), 0);
	p = reader_pass__new(r);
	sample_decoder__init(&d, &r->evlist);
	while (reader_pass__next(p, &b, NULL) > 0) {
		struct record rec;

		for (size_t pos = 0; block__next(&b, &pos, &rec);) {
			struct sample s;

			if (rec.header->type != PERF_RECORD_SAMPLE) {
				if (!samples)
					show_record(&rec, out);
			} else if (samples) {
				assert_int_equal(sample__decode(&d, &rec, &s), 0);
				show_sample(&s, out);
			}
		}
	}
	assert_int_equal(r->damage.code, 0);
	sample_decoder__exit(&d);
	reader_pass__delete(p);
	block__exit(&b);
	reader__close(r);
}

IMAGE_FN void show_side_band(const struct strbuf *file, struct strbuf *out)
{
	show(file, false, out);
}

/* In the order of the file. */
IMAGE_FN void show_samples(const struct strbuf *file, struct strbuf *out)
{
	show(file, true, out);
}

/* A line for each build-id of the header: its cpumode, name and last byte. */
IMAGE_FN void show_build_ids(const struct strbuf *file, struct strbuf *out)
{
	struct build_id_table t;
	struct reader *r;

	strbuf__reset(out);
	assert_int_equal(image__open(file->buf, file->len, &r, NULL), 0);
	if (features__build_ids(r, &t))
		t.entries.nr = 0; /* there are none */
	for (size_t i = 0; i < t.entries.nr; i++)
		strbuf__addf(out, "%s %s %02x\n",
			     t.entries.v[i].cpumode == PERF_RECORD_MISC_USER ? "user" : "kernel",
			     t.entries.v[i].filename, t.entries.v[i].id.data[t.entries.v[i].id.size - 1]);
	build_id_table__exit(&t);
	reader__close(r);
}

/* Read the stored names of a recording. n is valid as long as section. */
IMAGE_FN void read_names(const struct strbuf *file, struct strbuf *section, struct names_section *n)
{
	struct reader *r;

	assert_int_equal(image__open(file->buf, file->len, &r, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_NAMES, section), 0);
	assert_int_equal(names_section__read(n, section->buf, section->len, false, NULL), 0);
	reader__close(r);
}

/*
 * A line for each function of the stored names: its binary, process, address and size. In the order of the
 * file.
 */
IMAGE_FN void show_names(const struct strbuf *file, struct strbuf *out)
{
	struct strbuf section = STRBUF_INIT;
	struct names_section n;

	strbuf__reset(out);
	read_names(file, &section, &n);
	for (size_t i = 0; i < n.entries.nr; i++) {
		const struct names_entry *e = &n.entries.v[i];
		struct symtab t;

		symtab__init(&t);
		names_entry__add_symbols(&n, e, &t);
		for (size_t k = 0; k < t.syms.nr; k++)
			strbuf__addf(out, "%s %u: %llx+%x %s\n", e->id.name, e->id.pid,
				     (unsigned long long)t.syms.v[k].start, (unsigned)t.syms.v[k].size,
				     symtab__name(&t, &t.syms.v[k]));
		symtab__exit(&t);
	}
	names_section__exit(&n);
	strbuf__exit(&section);
}

/* A line for each address of the stored lines: binary, address, and the frames, innermost first. */
IMAGE_FN void show_lines(const struct strbuf *file, struct strbuf *out)
{
	struct strbuf section = STRBUF_INIT;
	struct names_section n;

	strbuf__reset(out);
	read_names(file, &section, &n);
	for (size_t i = 0; i < n.entries.nr; i++) {
		const struct names_entry *e = &n.entries.v[i];
		u64_array addresses = { 0 };

		names_lines__list_addresses(&e->lines, 0, UINT64_MAX, &addresses);
		for (size_t k = 0; k < addresses.nr; k++) {
			struct names_address a;

			assert_true(names_lines__find(&e->lines, addresses.v[k], &a));
			strbuf__addf(out, "%s %llx:", e->id.name, (unsigned long long)a.addr);
			for (u32 f = a.first; f < a.first + a.nr; f++) {
				struct names_frame frame = names_lines__frame(&e->lines, f);

				strbuf__addf(out, " %s%s%s:%u", frame.name ? frame.name : "",
					     frame.name ? "@" : "", frame.file, frame.line);
			}
			strbuf__addch(out, '\n');
		}
		array__exit(&addresses);
	}
	names_section__exit(&n);
	strbuf__exit(&section);
}

#endif
