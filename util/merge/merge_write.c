#include "merge/merge_private.h"

#include "format/read/merged_inputs.h"
#include "format/records/build.h"
#include "format/records/sampling_mark.h"
#include "format/write/writer.h"
#include "merge/merged.h"
#include "profile/embed/embed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, CHAIN_MAX = 8000, WHY_ROOM = 64 };

struct merge_writer {
	struct merge *m;
	struct writer *w;
	struct evlist evlist;
	ARRAY(u32) dsos;        /* in the order of the output: index in m->dsos */
	ARRAY(u32) comms;       /* ids of texts, by name */
	ARRAY(u32) comm_of;     /* by id of a text: its place in comms + 1; 0: no comm */
	ARRAY(u32) event_of;    /* by index in m->events: that in the output */
	ARRAY(u32) functions;   /* JIT functions: ids of texts, by name */
	ARRAY(u32) function_of; /* by id of a text: its place in functions */
	u32 kernel;             /* the dso that is the kernel; NO_DSO: none */
	u8 *maps;               /* by comm and dso: a sample of the comm is in it */
	struct strbuf records;  /* of samples */
	ARRAY(size_t) starts;   /* of records */
	u64_array words;        /* scratch: a chain */
};

static const char *merge_writer__text(const struct merge_writer *w, u32 id)
{
	return strpool__get(&w->m->texts, id);
}

/* ---- order ---- */

static int text__compare(const void *a, const void *b, void *ctx)
{
	const struct merge_writer *w = ctx;

	return strcmp(merge_writer__text(w, *(const u32 *)a), merge_writer__text(w, *(const u32 *)b));
}

static int dso__compare(const void *a, const void *b, void *ctx)
{
	const struct merge_writer *w = ctx;
	const struct merge_dso *x = &w->m->dsos.v[*(const u32 *)a], *y = &w->m->dsos.v[*(const u32 *)b];
	int diff;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	diff = strcmp(merge_writer__text(w, x->name), merge_writer__text(w, y->name));
	if (!diff)
		diff = memcmp(x->id.data, y->id.data, MIN(x->id.size, y->id.size));
	return diff ? diff : x->id.size - y->id.size;
}

static int record__compare(const void *a, const void *b, void *ctx)
{
	const struct merge_writer *w = ctx;
	const struct perf_event_header *x = (const void *)(w->records.buf + *(const size_t *)a);
	const struct perf_event_header *y = (const void *)(w->records.buf + *(const size_t *)b);

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return memcmp(x, y, x->size);
}

#define sort_by(w, array, compare) \
	((array).nr ? qsort_r((array).v, (array).nr, sizeof(*(array).v), compare, w) : (void)0)

/* Set where each text of a sorted list is in it, + 1. */
#define number_texts(numbers, list)                              \
	do {                                                     \
		for (size_t i_ = 0; i_ < (list).nr; i_++) {      \
			while ((numbers).nr <= (list).v[i_])     \
				array__add(&(numbers), 0);       \
			(numbers).v[(list).v[i_]] = (u32)i_ + 1; \
		}                                                \
	} while (0)

static void merge_writer__list_comms(struct merge_writer *w)
{
	const struct merge *m = w->m;
	u8 *seen = xcalloc(m->texts.strings.nr + 1, 1);

	for (size_t i = 0; i < m->samples.nr; i++) {
		u32 comm = m->samples.v[i].comm;

		if (!seen[comm])
			array__add(&w->comms, comm);
		seen[comm] = 1;
	}
	free(seen);
	sort_by(w, w->comms, text__compare);
	number_texts(w->comm_of, w->comms);
}

static void merge_writer__list_functions(struct merge_writer *w)
{
	const struct merge *m = w->m;

	for (size_t i = 0; i < m->frames.nr; i++)
		if (m->frames.v[i].dso != NO_DSO && m->dsos.v[m->frames.v[i].dso].kind == DSO_JIT)
			array__add(&w->functions, (u32)m->frames.v[i].addr);
	sort_by(w, w->functions, text__compare);
	number_texts(w->function_of, w->functions);
}

/* ---- addresses ---- */

static bool is_user(const struct merge_dso *d)
{
	return d->kind == DSO_ELF || d->kind == DSO_VDSO || d->kind == DSO_JIT;
}

/*
 * Set what part of a dso has a place, at most bytes. Dso addresses of files are offsets, of which the map
 * has the first; others begin with the map, unless they are far from it: then they are not of code that has
 * names.
 */
static void merge_dso__cut(struct merge_dso *d, u64 most)
{
	if (d->kind == DSO_ELF || d->last >= most)
		d->from = d->first & ~(u64)(PAGE - 1);
	d->size = MIN(ROUND_UP(d->last - d->from + 1, (u64)PAGE), most);
}

/* Give each dso its place in memory. The first of the kernels is the kernel. */
static void merge_writer__place_dsos(struct merge_writer *w)
{
	u64 user = USER_FIRST, modules = MODULES_FIRST;

	w->kernel = NO_DSO;
	for (u32 i = 0; i < w->m->dsos.nr; i++)
		array__add(&w->dsos, i);
	sort_by(w, w->dsos, dso__compare);
	for (size_t i = 0; i < w->dsos.nr; i++) {
		struct merge_dso *d = &w->m->dsos.v[w->dsos.v[i]];

		if (d->kind == DSO_KERNEL && w->kernel == NO_DSO) {
			w->kernel = w->dsos.v[i];
			d->base = KERNEL_FIRST;
			merge_dso__cut(d, MODULES_FIRST - KERNEL_FIRST);
		} else if (is_user(d)) {
			d->base = user;
			merge_dso__cut(d, SPAN_MAX);
			if (d->kind == DSO_JIT)
				d->size = ROUND_UP(w->functions.nr * JIT_STEP + 1, (u64)PAGE);
			user += d->size + PAGE;
		} else {
			d->base = modules;
			merge_dso__cut(d, MODULES_END - modules);
			modules += MIN(d->size + PAGE, MODULES_END - modules);
		}
	}
}

/* Return the address in memory; 0: it has none. */
static u64 merge_writer__address(const struct merge_writer *w, u32 frame)
{
	const struct merge_frame *f = &w->m->frames.v[frame];
	const struct merge_dso *d;

	if (f->dso == NO_DSO)
		return f->addr >= USER_FIRST && f->addr < USER_FIRST << 1 ? 0 : f->addr;
	d = &w->m->dsos.v[f->dso];
	if (d->kind == DSO_JIT)
		return d->base + (w->function_of.v[f->addr] - 1) * (u64)JIT_STEP;
	return f->addr - d->from < d->size ? d->base + (f->addr - d->from) : 0;
}

/* ---- samples ---- */

static void merge_writer__use_dso(struct merge_writer *w, u32 comm, u32 frame)
{
	u32 dso = w->m->frames.v[frame].dso;

	if (dso != NO_DSO)
		w->maps[comm * w->m->dsos.nr + dso] = 1;
}

/*
 * Put the chain of a stack into words: after a mark the address itself, then those of calls to return to.
 */
static void merge_writer__chain(struct merge_writer *w, u32 comm, u32 stack)
{
	u64 mark = 0;

	w->words.nr = 0;
	for (; stack && w->words.nr < CHAIN_MAX; stack = w->m->nodes.v[stack].parent) {
		u32 frame = w->m->nodes.v[stack].frame;
		u64 of_frame = w->m->frames.v[frame].is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER;
		bool is_first = of_frame != mark;

		if (is_first)
			array__add(&w->words, of_frame);
		mark = of_frame;
		array__add(&w->words, merge_writer__address(w, frame) + !is_first);
		merge_writer__use_dso(w, comm, frame);
	}
}

/* nr: at most UINT32_MAX, what readers take a weight for. */
static void merge_writer__add_record(struct merge_writer *w, const struct merge_sample *s, u64 nr, u64 period)
{
	u32 comm = w->comm_of.v[s->comm] - 1, event = w->event_of.v[s->event];
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .misc = s->cpumode };
	bool has_chain = w->m->events.v[s->event].has_chains;
	struct strbuf *out = &w->records;

	header.size = (u16)(sizeof(header) + (5 + (has_chain ? 1 + w->words.nr : 0)) * sizeof(u64));
	array__add(&w->starts, out->len);
	strbuf__add(out, (const char *)&header, sizeof(header));
	strbuf__add_u64(out, event + 1);
	strbuf__add_u64(out, merge_writer__address(w, s->leaf));
	strbuf__add_u32(out, PID_FIRST + comm);
	strbuf__add_u32(out, PID_FIRST + comm);
	strbuf__add_u64(out, period);
	if (has_chain) {
		strbuf__add_u64(out, w->words.nr);
		strbuf__add(out, (const char *)w->words.v, w->words.nr * sizeof(*w->words.v));
	}
	strbuf__add_u64(out, nr);
}

static void merge_writer__add_sample(struct merge_writer *w, const struct merge_sample *s)
{
	u32 comm = w->comm_of.v[s->comm] - 1;
	u64 nr = s->nr;

	merge_writer__use_dso(w, comm, s->leaf);
	merge_writer__chain(w, comm, s->stack);
	for (; nr > UINT32_MAX; nr -= UINT32_MAX)
		merge_writer__add_record(w, s, UINT32_MAX, 0);
	merge_writer__add_record(w, s, nr, s->period);
}

/* ---- side-band ---- */

/* Write the name that the dso has in the merged recording. */
static void merge_writer__name(const struct merge_writer *w, u32 dso, struct strbuf *name)
{
	const struct merge_dso *d = &w->m->dsos.v[dso];

	strbuf__reset(name);
	if (d->kind != DSO_KERNEL || dso == w->kernel) {
		strbuf__addstr(name, merge_writer__text(w, d->name));
		return;
	}
	strbuf__addstr(name, OTHER_KERNEL);
	for (u8 i = 0; i < d->id.size; i++)
		strbuf__addf(name, "%02x", d->id.data[i]);
	strbuf__addch(name, ']');
}

static void merge_writer__add_kernel_dsos(struct merge_writer *w, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < w->dsos.nr; i++) {
		const struct merge_dso *d = &w->m->dsos.v[w->dsos.v[i]];

		merge_writer__name(w, w->dsos.v[i], &name);
		if (w->dsos.v[i] == w->kernel)
			build__mmap(out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, d->base, d->size, d->base,
				    KERNEL_NAME "_text", 0);
		else if (d->kind == DSO_KERNEL || d->kind == DSO_MODULE)
			build__mmap(out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, d->base, d->size, 0,
				    name.buf, 0);
		else if (d->kind == DSO_BPF)
			build__ksymbol(out, d->base, (u32)(d->last + 1), name.buf, 0);
	}
	strbuf__exit(&name);
}

static void merge_writer__add_map(const struct merge_writer *w, u32 pid, const struct merge_dso *d,
				  struct strbuf *out)
{
	struct mmap_record r = { .pid = pid,
				 .tid = pid,
				 .start = d->base,
				 .len = d->size,
				 .pgoff = d->from,
				 .prot = PROT_READ | PROT_EXEC,
				 .flags = MAP_PRIVATE,
				 .is_mmap2 = true,
				 .has_build_id = d->id.size > 0,
				 .build_id = d->id.data,
				 .build_id_size = d->id.size,
				 .filename = d->kind == DSO_JIT ? "//anon" : merge_writer__text(w, d->name) };

	build__mmap2(out, PERF_RECORD_MISC_USER, &r, 0);
}

static void merge_writer__add_processes(struct merge_writer *w, struct strbuf *out)
{
	for (u32 c = 0; c < w->comms.nr; c++) {
		u32 pid = PID_FIRST + c;

		build__comm(out, 0, pid, pid, merge_writer__text(w, w->comms.v[c]), 0);
		for (size_t i = 0; i < w->dsos.nr; i++) {
			const struct merge_dso *d = &w->m->dsos.v[w->dsos.v[i]];

			if (is_user(d) && w->maps[c * w->m->dsos.nr + w->dsos.v[i]])
				merge_writer__add_map(w, pid, d, out);
		}
	}
}

/* ---- header ---- */

static void merge_writer__make_events(struct merge_writer *w)
{
	struct merge *m = w->m;
	ARRAY(u32) names = { 0 };
	ARRAY(u32) numbers = { 0 };

	for (size_t i = 0; i < m->events.nr; i++)
		array__add(&names, m->events.v[i].name);
	sort_by(w, names, text__compare);
	number_texts(numbers, names);
	for (size_t i = 0; i < m->events.nr; i++)
		array__add(&w->event_of, numbers.v[m->events.v[i].name] - 1);
	for (size_t k = 0; k < names.nr; k++) {
		size_t i = 0;
		struct perf_event_attr attr;
		struct evsel *e;

		while (m->events.v[i].name != names.v[k])
			i++;
		attr = m->events.v[i].attr;
		attr.sample_period = 1; /* each sample has its own */
		attr.enable_on_exec = !m->events.v[i].begins_late;
		attr__mark_merged(&attr, m->events.v[i].is_varied);
		attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				   PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT;
		if (m->events.v[i].has_chains)
			attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		e = evlist__add(&w->evlist, &attr, sizeof(attr), merge_writer__text(w, names.v[k]));
		evlist__add_id(&w->evlist, e, k + 1);
	}
	array__exit(&names);
	array__exit(&numbers);
}

static int merge_writer__build_ids(struct merge_writer *w)
{
	struct strbuf table = STRBUF_INIT, name = STRBUF_INIT;
	int ret;

	for (size_t i = 0; i < w->dsos.nr; i++) {
		const struct merge_dso *d = &w->m->dsos.v[w->dsos.v[i]];

		if (!d->id.size || d->kind == DSO_BPF)
			continue;
		merge_writer__name(w, w->dsos.v[i], &name);
		build__build_id(&table, is_user(d) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
				UINT32_MAX, d->id.data, d->id.size, name.buf);
	}
	ret = table.len ? writer__feature(w->w, FEATURE_BUILD_ID, table.buf, table.len) : 0;
	strbuf__exit(&table);
	strbuf__exit(&name);
	return ret;
}

/* Is the feature a text? Stock perf's data convert crashes where one is missing. */
static bool is_text(enum feature f)
{
	return f == FEATURE_HOSTNAME || f == FEATURE_OSRELEASE || f == FEATURE_VERSION ||
	       f == FEATURE_CPUDESC || f == FEATURE_CPUID;
}

/*
 * Write the features in which the inputs agree. A text in which they differ becomes a note that there are
 * several.
 */
static int merge_writer__kept_features(struct merge_writer *w)
{
	struct strbuf several = STRBUF_INIT;
	int ret = 0;

	build__string(&several, "several");
	for (enum feature f = FEATURE_RESERVED; f < FEATURE_LAST && !ret; f++) {
		const struct strbuf *data = &w->m->features[f].data;

		if (w->m->features[f].differs)
			data = is_text(f) ? &several : NULL;
		if (data && data->len)
			ret = writer__feature(w->w, f, data->buf, data->len);
	}
	strbuf__exit(&several);
	return ret;
}

static int merge_writer__features(struct merge_writer *w)
{
	struct strbuf lines = STRBUF_INIT;
	struct merge *m = w->m;
	int ret = merge_writer__build_ids(w);

	if (!ret)
		ret = merge_writer__kept_features(w);
	build__event_desc(&lines, &w->evlist);
	if (!ret)
		ret = writer__feature(w->w, FEATURE_EVENT_DESC, lines.buf, lines.len);
	strbuf__reset(&lines);
	strbuf__addf(&lines, "%llu\n", (unsigned long long)m->duration);
	sort_by(w, m->inputs, text__compare);
	for (size_t i = 0; i < m->inputs.nr; i++)
		strbuf__addf(&lines, "%s\n", merge_writer__text(w, m->inputs.v[i]));
	if (!ret)
		ret = writer__extension(w->w, EXTENSION_MERGED, lines.buf, lines.len);
	if (!ret && m->labels.data.len && !m->labels.differs)
		ret = writer__extension(w->w, EXTENSION_LABELS, m->labels.data.buf, m->labels.data.len);
	strbuf__exit(&lines);
	return ret;
}

/* ---- names ---- */

static int symbol__compare(const void *a, const void *b)
{
	const struct names_symbol *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int address__compare(const void *a, const void *b)
{
	const struct names_address *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* JIT code has the same functions in all processes. */
static void merge_writer__jit_names(struct merge_writer *w, const struct merge_dso *d, u32 comm,
				    struct strpool *names, struct names_dso *to)
{
	char name[WHY_ROOM];

	snprintf(name, sizeof(name), "/tmp/perf-%u.map", PID_FIRST + comm);
	to->id.pid = PID_FIRST + comm;
	to->id.name = strpool__get(names, strpool__intern(names, name));
	for (size_t i = 0; i < w->functions.nr; i++)
		array__add(&to->symbols,
			   ((struct names_symbol){ .start = d->base + i * JIT_STEP,
						   .size = JIT_STEP,
						   .name = merge_writer__text(w, w->functions.v[i]),
						   .hits = 1 }));
}

static void merge_writer__names_of(struct merge_writer *w, u32 dso, struct strpool *names,
				   struct strbuf *scratch, struct names_dso *to)
{
	const struct merge_dso *d = &w->m->dsos.v[dso];
	u64 moved = dso == w->kernel ? d->base - d->from : 0; /* dso addresses of the kernel are in memory */

	*to = w->m->names.dsos.v[dso];
	merge_writer__name(w, dso, scratch);
	to->id = (struct names_dso_id){ .build_id = d->id };
	to->id.name = strpool__get(names, strpool__intern(names, scratch->buf));
	for (size_t i = 0; i < to->symbols.nr; i++)
		to->symbols.v[i].start += moved;
	for (size_t i = 0; i < to->lines.addresses.nr; i++)
		to->lines.addresses.v[i].addr += moved;
	if (to->symbols.nr)
		qsort(to->symbols.v, to->symbols.nr, sizeof(*to->symbols.v), symbol__compare);
	if (to->lines.addresses.nr)
		qsort(to->lines.addresses.v, to->lines.addresses.nr, sizeof(*to->lines.addresses.v),
		      address__compare);
}

static int merge_writer__names(struct merge_writer *w)
{
	ARRAY(struct names_dso) dsos = { 0 };
	struct strbuf section = STRBUF_INIT, scratch = STRBUF_INIT;
	struct strpool names;
	int ret;

	strpool__init(&names);
	for (size_t i = 0; i < w->dsos.nr; i++) {
		u32 dso = w->dsos.v[i];
		const struct merge_dso *d = &w->m->dsos.v[dso];

		if (d->kind != DSO_JIT)
			merge_writer__names_of(w, dso, &names, &scratch, array__push(&dsos));
		for (u32 c = 0; d->kind == DSO_JIT && c < w->comms.nr; c++)
			if (w->maps[c * w->m->dsos.nr + dso]) {
				*array__push(&dsos) = (struct names_dso){ .flags = 0 };
				merge_writer__jit_names(w, d, c, &names, &dsos.v[dsos.nr - 1]);
			}
	}
	names_section__write(&section, dsos.v, dsos.nr, MAX((u64)EMBED_BYTES, w->records.len / EMBED_SHARE));
	ret = writer__extension(w->w, EXTENSION_NAMES, section.buf, section.len);
	for (size_t i = 0; i < dsos.nr; i++)
		if (dsos.v[i].id.pid) /* the others belong to the store */
			array__exit(&dsos.v[i].symbols);
	array__exit(&dsos);
	strpool__exit(&names);
	strbuf__exit(&section);
	strbuf__exit(&scratch);
	return ret;
}

/* ---- the file ---- */

static int merge_writer__records(struct merge_writer *w)
{
	struct strbuf side_band = STRBUF_INIT;
	int ret;

	merge_writer__add_kernel_dsos(w, &side_band);
	merge_writer__add_processes(w, &side_band);
	ret = writer__write(w->w, side_band.buf, side_band.len);
	strbuf__exit(&side_band);
	sort_by(w, w->starts, record__compare);
	for (size_t i = 0; i < w->starts.nr && !ret; i++) {
		const struct perf_event_header *h = (const void *)(w->records.buf + w->starts.v[i]);

		ret = writer__write(w->w, h, h->size);
	}
	return ret;
}

static int merge_writer__run(struct merge_writer *w, struct err *err)
{
	int ret = writer__begin(w->w, &w->evlist, err);

	if (!ret)
		ret = merge_writer__features(w);
	if (!ret)
		ret = merge_writer__records(w);
	if (!ret)
		ret = merge_writer__names(w);
	if (ret && err && err->code)
		return ret;
	return writer__finish(w->w, err); /* returns an earlier error, too */
}

int merge__write_file(struct merge *m, const char *output, struct err *err)
{
	const struct writer_opts opts = { .pipe = !strcmp(output, "-"), .is_aside = true };
	struct merge_writer w = { .m = m, .records = STRBUF_INIT };
	int ret = writer__open(&w.w, output, &opts, err);

	evlist__init(&w.evlist);
	if (!ret) {
		merge_writer__make_events(&w);
		merge_writer__list_comms(&w);
		merge_writer__list_functions(&w);
		merge_writer__place_dsos(&w);
		w.maps = xcalloc(w.comms.nr * m->dsos.nr + 1, 1);
		for (size_t i = 0; i < m->samples.nr; i++)
			merge_writer__add_sample(&w, &m->samples.v[i]);
		ret = merge_writer__run(&w, err);
	}
	writer__delete(w.w);
	evlist__exit(&w.evlist);
	array__exit(&w.dsos);
	array__exit(&w.comms);
	array__exit(&w.comm_of);
	array__exit(&w.event_of);
	array__exit(&w.functions);
	array__exit(&w.function_of);
	free(w.maps);
	strbuf__exit(&w.records);
	array__exit(&w.starts);
	array__exit(&w.words);
	return ret;
}
