#include "profile/gather/embed.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/memory/hash.h"
#include "format/file/extension.h"
#include "profile/gather/chains.h"
#include "profile/gather/profile.h"
#include "profile/gather/survey.h"

#include <signal.h>
#include <sys/resource.h>

enum {
	/* time limit for unwinding stack copies; callers in later samples get no names */
	UNWIND_SECONDS = 2,
	MAX_STACK = 127, /* frames to unwind from a stack copy, the default of reports */
};

/* number of hits, by id */
typedef ARRAY(u64) hit_counts;

static void hit_counts__add(hit_counts *h, u32 id, u64 nr)
{
	size_t before = h->nr;

	if (id >= h->nr) {
		array__reserve(h, (size_t)id + 1);
		h->nr = (size_t)id + 1;
		memset(h->v + before, 0, (h->nr - before) * sizeof(*h->v));
	}
	h->v[id] += nr;
}

/* Look up all addresses of samples and their chains. */
static void count_places(const struct profile *profile, struct places *places, hit_counts *hits)
{
	const struct chain_opts chain_opts = { .max_stack = UINT32_MAX };
	struct chains chains;

	chains__init(&chains);
	for (size_t i = 0; i < profile->rows.rows.nr; i++) {
		const struct row *row = profile->rows.rows.v[i];
		struct row_space space = places__space(places, row, (u8)row->key.cpumode);

		hit_counts__add(hits, places__locate(places, &space, row->key.ip)->leaf, row->nr);
		if (!chains__look_up(&chains, places, row, &chain_opts))
			continue;
		for (size_t k = 0; k < chains.scratch.nr; k++)
			hit_counts__add(hits, chains.scratch.v[k], row->nr);
	}
	chains__exit(&chains);
}

static void names_dso__describe(struct names_dso *d, const struct session *s, const struct dso *dso)
{
	d->id = (struct names_dso_id){
		.name = dso__long_name(&s->machine.dsos, dso),
		.build_id = dso->build_id,
		.maj_min = dso->maj_min,
		.ino = dso->ino,
		.ino_generation = dso->ino_generation,
		.pid = dso->pid,
	};
	d->flags = dso->symtab.exported_only ? NAMES_EXPORTED_ONLY : 0;
}

/* Names of BPF programs are in the records already. */
static bool is_stored(const struct dso *dso)
{
	return dso->kind != DSO_BPF;
}

/* Collect the symbols that were hit, by binary. */
static struct names_dso *collect_names(const struct session *s, const struct places *places,
				       const hit_counts *hits)
{
	const struct dsos *dsos = &s->machine.dsos;
	struct names_dso *names = xcalloc(dsos->v.nr, sizeof(*names));

	for (size_t i = 0; i < dsos->v.nr; i++)
		names_dso__describe(&names[i], s, dsos->v.v[i]);
	for (size_t i = 0; i < hits->nr; i++) {
		const struct place *p = places__get(places, (u32)i);
		const struct dso *dso = dsos->v.v[p->dso];

		if (p->sym && is_stored(dso))
			array__add(&names[p->dso].symbols,
				   ((struct names_symbol){ p->sym->start, p->sym->size,
							   symtab__name(&dso->symtab, p->sym), hits->v[i],
							   p->sym->is_made_up ||
								   p->sym->name == SYMBOL_NAME_FOLLOWS }));
	}
	return names;
}

/* ---- code in jitdumps ---- */

static int names_symbol__cmp(const void *x, const void *y)
{
	u64 a = ((const struct names_symbol *)x)->start, b = ((const struct names_symbol *)y)->start;

	return a < b ? -1 : a > b;
}

/* Collect addresses and times of the functions that were hit; only the dump has them. */
static void collect_loads(const struct machine *m, const struct maps *space, struct names_dso *names)
{
	for (size_t i = 0; i < space->v.nr; i++) {
		const struct map *map = space->v.v[i].map;
		struct names_dso *d = &names[map->dso];
		struct names_symbol key = { .start = map->pgoff };

		if (m->dsos.v.v[map->dso]->kind == DSO_JITDUMP && d->symbols.nr &&
		    bsearch(&key, d->symbols.v, d->symbols.nr, sizeof(key), names_symbol__cmp))
			array__add(&d->loads,
				   ((struct names_load){ machine__time_of(m, space->v.v[i].rank), map->start,
							 map->end - map->start, map->pgoff }));
	}
}

static void collect_all_loads(const struct machine *m, struct names_dso *names)
{
	if (!m->jitdumps.nr)
		return;
	for (size_t i = 0; i < m->dsos.v.nr; i++)
		if (m->dsos.v.v[i]->kind == DSO_JITDUMP && names[i].symbols.nr)
			qsort(names[i].symbols.v, names[i].symbols.nr, sizeof(*names[i].symbols.v),
			      names_symbol__cmp);
	for (size_t i = 0; i < m->spaces.nr; i++)
		collect_loads(m, m->spaces.v[i], names);
}

/* ---- source lines and inlined functions ---- */

static const unsigned all_of_lines = DWARF_WANTS_LINE | DWARF_WANTS_INLINED;

struct line_collector {
	struct session *session;
	struct names_dso *names; /* by dso */
	struct hash_table known; /* indices into seen, by dso and address */
	ARRAY(struct {
		u64 addr;
		u32 dso;
	})
	seen;
	struct code_frames frames;
};

/* Return false if the address was seen before. */
static bool line_collector__is_new(struct line_collector *c, u32 dso, u64 addr)
{
	u64 hash = hash__u64(addr ^ (u64)dso << 48);
	u32 i;

	hash_table__for_each (&c->known, hash, i)
		if (c->seen.v[i].addr == addr && c->seen.v[i].dso == dso)
			return false;
	hash_table__insert(&c->known, hash, (u32)c->seen.nr);
	array__push(&c->seen);
	c->seen.v[c->seen.nr - 1].addr = addr;
	c->seen.v[c->seen.nr - 1].dso = dso;
	return true;
}

static void line_collector__add(void *ctx, u32 idx, u64 addr)
{
	struct line_collector *c = ctx;
	struct dso *dso = c->session->machine.dsos.v.v[idx];
	struct names_lines *lines = &c->names[idx].lines;
	size_t nr;

	if (!is_stored(dso) || !line_collector__is_new(c, idx, addr))
		return;
	symbolizer__frames(&c->session->symbolizer, dso, addr, all_of_lines, &c->frames);
	nr = c->frames.v.nr;
	if (nr == 1 && !c->frames.v.v[0].file && !symbolizer__lines(&c->session->symbolizer, dso))
		return; /* store nothing: debug information may be installed later */
	array__add(&lines->addresses, ((struct names_address){ addr, (u32)lines->frames.nr, (u32)nr }));
	for (size_t i = 0; i < nr; i++) {
		const struct code_frame *f = &c->frames.v.v[i];

		array__add(&lines->frames,
			   ((struct names_frame){ i + 1 < nr ? f->name : NULL, f->file, f->line }));
	}
}

/* Collect the lines and inlined functions that reports will ask for. */
static void collect_lines(struct profile *profile, struct names_dso *names)
{
	struct line_collector c = { .session = profile->session, .names = names };
	const struct places_opts opts = { .no_demangle = true,
					  .inlines = true,
					  .lines = true,
					  .looked_up = line_collector__add,
					  .ctx = &c };
	struct places places;
	hit_counts hits = { 0 };

	places__init(&places, profile->session, &opts);
	count_places(profile, &places, &hits);
	array__exit(&hits);
	places__exit(&places);
	hash_table__exit(&c.known);
	array__exit(&c.seen);
	code_frames__exit(&c.frames);
}

static bool has_lines(struct session *s, const struct names_dso *names)
{
	const struct dsos *dsos = &s->machine.dsos;

	for (size_t i = 0; i < dsos->v.nr; i++)
		if (names[i].symbols.nr && symbolizer__lines(&s->symbolizer, dsos->v.v[i]))
			return true;
	return false;
}

static int embed_profile(struct profile *profile, const struct embed_opts *opts, struct names_summary *stored,
			 struct err *err)
{
	const struct places_opts places_opts = { .no_demangle = true };
	struct session *s = profile->session;
	const struct reader_segment *file = &s->reader->segments.v[0];
	u64 budget = opts->budget;
	struct strbuf section = STRBUF_INIT;
	size_t nr = s->machine.dsos.v.nr;
	hit_counts hits = { 0 };
	struct names_dso *names;
	struct places places;
	int ret = 0;

	if (!budget)
		budget = MAX((u64)EMBED_BYTES, reader__size(s->reader) / EMBED_SHARE);
	survey__rows(s, &profile->rows, all_of_lines, opts->nr_threads);
	places__init(&places, s, &places_opts);
	count_places(profile, &places, &hits);
	names = collect_names(s, &places, &hits);
	collect_all_loads(&s->machine, names);
	if (has_lines(s, names))
		collect_lines(profile, names);
	*stored = names_section__write(&section, names, nr, budget);
	if (stored->nr_symbols)
		ret = extension__append(file->path, file->fd, EXTENSION_NAMES, section.buf, section.len, err);
	for (size_t i = 0; i < nr; i++) {
		array__exit(&names[i].symbols);
		array__exit(&names[i].loads);
		names_lines__exit(&names[i].lines);
	}
	free(names);
	places__exit(&places);
	array__exit(&hits);
	strbuf__exit(&section);
	return ret;
}

int embed__names(const char *path, const struct embed_opts *opts, struct names_summary *stored,
		 struct err *err)
{
	const struct session_opts session_opts = {
		.reader = { .nr_threads = opts->nr_threads },
		.symbols = { .buildid_dir = opts->buildid_dir, .kept = opts->kept },
		.samples_follow = true,
	};
	const struct profile_opts profile_opts = {
		.unwind_until = clock__ns() + (u64)UNWIND_SECONDS * NS_PER_SECOND,
		.max_stack = MAX_STACK,
		.nr_threads = opts->nr_threads,
	};
	struct profile profile;
	struct session *s;
	int ret;

	*stored = (struct names_summary){ 0 };
	ret = session__open(&s, path, &session_opts, err);
	if (ret)
		return ret;
	ret = profile__collect(&profile, s, &profile_opts, err);
	if (!ret)
		ret = embed_profile(&profile, opts, stored, err);
	profile__exit(&profile);
	session__delete(s);
	return ret;
}

/* ---- all files of a recording ---- */

enum {
	EMBED_SECONDS = 5,     /* of a --switch-output recording, no further file is begun after this time */
	MANY_BYTES = 32 << 20, /* larger recordings use several threads */
};

/* Store names in a finished file. An interrupt leaves the file valid, and a failure is a warning only. */
static void embed(const char *path, const struct embed_job *job)
{
	bool takes_long = job->bytes > MANY_BYTES;
	const struct embed_opts opts = { .buildid_dir = job->buildid_dir,
					 .kept = job->kept,
					 .nr_threads = takes_long ? job->nr_threads : 1 };
	struct names_summary stored;
	struct err err = ERR_INIT;

	if (takes_long) /* run with the low priority asked for */
		setpriority(PRIO_PROCESS, 0, job->priority);
	signal(SIGXFSZ, SIG_IGN); /* make write fail at the file size limit instead */
	if (embed__names(path, &opts, &stored, &err)) {
		err__prefix(&err, "the names of functions are not stored in the recording");
		warning("%s", err.text.buf);
	} else {
		debug(1, "embed",
		      "stored the names of %u functions of %u binaries, %llu bytes; %u are left out",
		      stored.nr_symbols, stored.nr_dsos, (unsigned long long)stored.size, stored.nr_left_out);
	}
	err__exit(&err);
}

/* With --switch-output this runs after the last file only, so that switching stays fast. */
void embed__all(const struct embed_job *job)
{
	u64 end = clock__ns() + (u64)EMBED_SECONDS * NS_PER_SECOND;
	size_t nr = job->nr;

	while (nr && clock__ns() < end)
		embed(job->paths[--nr], job);
	if (nr)
		warning("the names of functions are not stored in the %zu oldest files: it would take long",
			nr);
}
