#include "profile/embed/embed.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/memory/hash.h"
#include "binary/symbols/jitdump.h"
#include "format/file/extension.h"
#include "profile/embed/code_store.h"
#include "profile/trees/chains.h"
#include "profile/embed/names_store.h"
#include "profile/gather/profile.h"
#include "profile/embed/partitions.h"
#include "profile/places/survey.h"
#include "profile/gather/unwound.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

enum {
	/* time limit for unwinding stack copies; callers in later samples get no names */
	UNWIND_SECONDS = 2,
	EMBED_CODE_MAX =
		16 << 20, /* bytes of code; with its lines it must not unpack to more than readers take */
	MAX_STACK = 127,  /* frames to unwind from a stack copy, the default of reports */
};

struct hit_count {
	u64 nr;  /* samples, also those with the place in their chains */
	u64 own; /* samples that were there */
};
typedef ARRAY(struct hit_count) hit_counts; /* by id of the place */

static void hit_counts__add(hit_counts *h, u32 id, u64 nr, u64 own)
{
	size_t before = h->nr;

	if (id >= h->nr) {
		array__reserve(h, (size_t)id + 1);
		h->nr = (size_t)id + 1;
		memset(h->v + before, 0, (h->nr - before) * sizeof(*h->v));
	}
	h->v[id].nr += nr;
	h->v[id].own += own;
}

/* Look up all addresses of samples and their chains. */
static void count_places(const struct profile *profile, struct places *places, hit_counts *hits,
			 struct unwind_stats *chain_stats)
{
	const struct chain_opts chain_opts = { .max_stack = UINT32_MAX };
	struct chains chains;

	chains__init(&chains);
	for (size_t i = 0; i < profile->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&profile->rows, i);
		struct row_space space = places__space(places, row, (u8)row->key.cpumode);
		u32 leaf;

		places__spare_memory(places);
		leaf = places__locate(places, &space, row->key.ip)->leaf;
		hit_counts__add(hits, leaf, row->nr, row->nr);
		unwound__note_names(chain_stats, profile->session, row->key.space, row->nr,
				    places__get(places, leaf));
		if (!chains__look_up(&chains, places, row, &chain_opts))
			continue;
		for (size_t k = 0; k < chains.scratch.nr; k++)
			hit_counts__add(hits, chains.scratch.v[k], row->nr, 0);
	}
	chains__exit(&chains);
}

/* A session, and what it adds to the names that will be stored. */
struct gathering {
	struct session *session;
	struct names_store *store;
	u32 *entries; /* by dso: its index in the store + 1; 0: not there yet */
};

static u32 gathering__entry(struct gathering *g, const struct dso *dso)
{
	u32 *entry = &g->entries[dso->idx];
	const struct names_dso_id id = {
		.name = dso__long_name(&g->session->machine.dsos, dso),
		.build_id = dso->build_id,
		.maj_min = dso->maj_min,
		.ino = dso->ino,
		.ino_generation = dso->ino_generation,
		.pid = dso->pid,
	};

	if (!*entry) {
		*entry = names_store__dso(g->store, &id, dso->kind) + 1;
		g->store->dsos.v[*entry - 1].flags |= dso->symtab.exported_only ? NAMES_EXPORTED_ONLY : 0;
	}
	return *entry - 1;
}

/* Are the names of a dso stored? Records have those of BPF programs already, and maybe of Java's methods. */
static bool is_stored(const struct dsos *dsos, const struct dso *dso)
{
	return dso->kind != DSO_BPF && !jitdump__code_name(dso__long_name(dsos, dso));
}

/* Collect the symbols that were hit, by binary. */
static void collect_names(struct gathering *g, const struct places *places, const hit_counts *hits)
{
	const struct dsos *dsos = &g->session->machine.dsos;

	for (size_t i = 0; i < hits->nr; i++) {
		const struct place *p = places__get(places, (u32)i);
		const struct dso *dso = dsos->v.v[p->dso];
		struct names_symbol sym;

		if (!p->sym || !is_stored(dsos, dso))
			continue;
		sym = (struct names_symbol){ .start = p->sym->start,
					     .size = p->sym->size,
					     .name = symtab__name(&dso->symtab, p->sym),
					     .hits = hits->v[i].nr,
					     .own_hits = hits->v[i].own,
					     .is_made_up = p->sym->is_made_up ||
							   p->sym->name == SYMBOL_NAME_FOLLOWS };
		names_store__add_symbol(g->store, gathering__entry(g, dso), &sym);
	}
}

/* ---- code in jitdumps ---- */

static int names_symbol__cmp(const void *x, const void *y)
{
	u64 a = ((const struct names_symbol *)x)->start, b = ((const struct names_symbol *)y)->start;

	return a < b ? -1 : a > b;
}

/* Collect addresses and times of the functions that were hit; only the dump has them. */
static void collect_loads(struct gathering *g, const struct maps *space)
{
	const struct machine *m = &g->session->machine;

	for (size_t i = 0; i < space->v.nr; i++) {
		const struct map *map = space->v.v[i].map;
		const struct dso *dso = m->dsos.v.v[map->dso];
		struct names_symbol key = { .start = map->pgoff };
		struct names_dso *d;

		if (dso->kind != DSO_JITDUMP || !g->entries[map->dso])
			continue;
		d = &g->store->dsos.v[g->entries[map->dso] - 1];
		if (bsearch(&key, d->symbols.v, d->symbols.nr, sizeof(key), names_symbol__cmp))
			array__add(&d->loads,
				   ((struct names_load){ machine__time_of(m, space->v.v[i].rank), map->start,
							 map->end - map->start, map->pgoff }));
	}
}

/* Call it last: it sorts symbols. */
static void collect_all_loads(struct gathering *g)
{
	const struct machine *m = &g->session->machine;

	if (!m->jitdumps.nr)
		return;
	for (size_t i = 0; i < m->dsos.v.nr; i++) {
		struct names_dso *d = g->entries[i] ? &g->store->dsos.v[g->entries[i] - 1] : NULL;

		if (d && m->dsos.v.v[i]->kind == DSO_JITDUMP)
			qsort(d->symbols.v, d->symbols.nr, sizeof(*d->symbols.v), names_symbol__cmp);
	}
	for (size_t i = 0; i < m->spaces.nr; i++)
		collect_loads(g, m->spaces.v[i]);
}

/* ---- source lines and inlined functions ---- */

static const unsigned all_of_lines = DWARF_WANTS_LINE | DWARF_WANTS_INLINED | DWARF_WANTS_START;

/* Keep an address whose lines and inlined functions reports will ask for. */
static void keep_address(void *ctx, u32 idx, u64 addr)
{
	struct gathering *g = ctx;
	struct dso *dso = g->session->machine.dsos.v.v[idx];

	if (is_stored(&g->session->machine.dsos, dso) && symbolizer__has_lines(&g->session->symbolizer, dso))
		names_store__add_address(g->store, gathering__entry(g, dso), addr);
}

/* Look up the lines of all addresses that were kept, with any session of the recording. */
static void collect_lines(struct names_store *store, struct session *s)
{
	struct code_frames frames = { 0 };

	for (size_t i = 0; i < store->addresses.nr; i++) {
		const struct stored_at *at = &store->addresses.v[i];
		struct dso *dso = names_store__find_dso(store, at->dso, &s->machine.dsos);

		/* without debug information store nothing: it may be installed later */
		if (!symbolizer__has_lines(&s->symbolizer, dso))
			continue;
		symbolizer__frames(&s->symbolizer, dso, at->addr, all_of_lines, &frames);
		names_store__add_lines(store, at->dso, at->addr, &frames);
	}
	code_frames__exit(&frames);
}

/* Add the names in a profile, and the addresses that may have lines. */
static void gather_names(struct names_store *store, struct profile *profile, struct unwind_stats *chain_stats)
{
	struct session *s = profile->session;
	struct gathering g = { .session = s, .store = store };
	const struct places_opts places_opts = {
		.inlines = true, .lines = true, .looked_up = keep_address, .ctx = &g
	};
	hit_counts hits = { 0 };
	struct places places;

	g.entries = xcalloc(s->machine.dsos.v.nr, sizeof(*g.entries));
	places__init(&places, s, &places_opts);
	count_places(profile, &places, &hits, chain_stats);
	collect_names(&g, &places, &hits);
	places__exit(&places);
	array__exit(&hits);
	collect_all_loads(&g);
	free(g.entries);
}

static u64 budget_of(const struct session *s, u64 wanted, u64 min)
{
	u64 size = MAX(reader__size(s->reader), s->reader->file_size);

	return wanted ? wanted : MAX(min, size / EMBED_SHARE);
}

static int append(const struct session *s, enum extension_kind kind, const struct strbuf *section,
		  struct err *err)
{
	const struct reader_segment *file = &s->reader->segments.v[0];

	return extension__append(file->path, file->fd, kind, section->buf, section->len, err);
}

static int write_names(const struct names_store *store, const struct session *s,
		       const struct embed_opts *opts, struct names_summary *stored, struct err *err)
{
	struct strbuf section = STRBUF_INIT;
	int ret = 0;

	*stored = names_section__write(&section, store->dsos.v, store->dsos.nr,
				       budget_of(s, opts->budget, EMBED_BYTES));
	if (stored->nr_symbols)
		ret = append(s, EXTENSION_NAMES, &section, err);
	strbuf__exit(&section);
	return ret;
}

static int write_code(const struct names_store *store, struct session *s, const struct embed_opts *opts,
		      struct code_summary *stored, struct err *err)
{
	u64 budget = budget_of(s, opts->code_budget, EMBED_CODE_BYTES);
	struct strbuf section = STRBUF_INIT;
	struct code_store code;
	int ret = 0;

	code_store__fill(&code, s, store, MIN(budget, (u64)EMBED_CODE_MAX), opts->with_source ? budget : 0);
	code_section__write(&section, code.dsos.v, code.dsos.nr, budget, &code.summary);
	*stored = code.summary;
	if (stored->nr_functions)
		ret = append(s, EXTENSION_CODE, &section, err);
	code_store__exit(&code);
	strbuf__exit(&section);
	return ret;
}

/* All partitions of a recording, one after the other. */
struct embedding {
	const char *path;
	const struct embed_opts *opts;
	struct names_store store;
	struct unwind_stats chains;
	partition_array partitions;
	size_t nr;                   /* of the current partition */
	const struct strbuf *before; /* as in struct session_opts */
	struct running *running;     /* NULL: there is one partition only */
	u64 unwind_until;            /* as in struct profile_opts */
	struct embed_result *stored;
};

static void embedding__look(void *ctx, const struct sample_decoder *d, const struct record *r)
{
	struct embedding *e = ctx;

	if (r->offset < e->partitions.v[e->nr].end)
		running__see(e->running, d, r);
}

/*
 * Records of processes that still run are read again for each partition, so let a partition have at least as
 * many records of its own.
 */
static void embedding__widen_partition(struct embedding *e)
{
	u64 nr = e->opts->cut_from;
	size_t nr_running;

	e->before = running__records(e->running, &nr_running);
	for (; nr < nr_running && e->nr + 1 < e->partitions.nr; nr += e->opts->cut_from) {
		e->partitions.v[e->nr + 1].begin = e->partitions.v[e->nr].begin;
		e->nr++;
	}
}

static int embedding__partition(struct embedding *e, bool trusts_summaries, struct err *err)
{
	const struct partition *partition = &e->partitions.v[e->nr];
	bool is_cut = e->partitions.nr > 1, is_last = e->nr + 1 == e->partitions.nr;
	const struct session_opts session_opts = {
		.reader = { .nr_threads = e->opts->nr_threads,
			    .begin = partition->begin,
			    .end = partition->side_band_end,
			    .trusts_summaries = trusts_summaries },
		.symbols = { .buildid_dir = e->opts->buildid_dir,
			     .spares_memory = e->opts->spares_memory,
			     .stored = e->opts->stored,
			     .kept = e->opts->kept },
		.samples_follow = !is_cut,
		.before = e->before,
		.look = is_cut && !is_last ? embedding__look : NULL,
		.ctx = e,
	};
	const struct profile_opts profile_opts = {
		.unwind_until = e->unwind_until,
		.max_stack = MAX_STACK,
		.nr_threads = e->opts->nr_threads,
		.end = is_cut ? partition->end : 0,
	};
	struct profile profile;
	struct session *s;
	int ret = session__open(&s, e->path, &session_opts, err);

	if (ret)
		return ret;
	ret = profile__collect(&profile, s, &profile_opts, err);
	if (!ret) {
		survey__rows(s, &profile.rows, is_cut ? 0 : all_of_lines, e->opts->nr_threads);
		gather_names(&e->store, &profile, &e->chains);
		if (!profile.unwinding.in_recorder)
			unwind_stats__merge(&e->chains, &profile.unwinding);
	}
	profile__exit(&profile);
	if (!ret && is_last) {
		collect_lines(&e->store, s);
		ret = write_names(&e->store, s, e->opts, &e->stored->names, err);
		if (!ret)
			ret = write_code(&e->store, s, e->opts, &e->stored->code, err);
	}
	session__delete(s);
	return ret;
}

int embed__store(const char *path, const struct embed_opts *opts, struct embed_result *stored,
		 struct err *err)
{
	struct embedding e = { .path = path, .opts = opts, .stored = stored };
	int ret = 0;

	*stored = (struct embed_result){ .names = { 0 } };
	if (opts->cut_from)
		ret = partitions__find(&e.partitions, path, opts->cut_from, err);
	else
		array__add(&e.partitions, ((struct partition){ 0, UINT64_MAX, UINT64_MAX }));
	e.running = running__new();
	e.unwind_until = clock__ns() + (u64)UNWIND_SECONDS * NS_PER_SECOND;
	names_store__init(&e.store);
	for (; !ret && e.nr < e.partitions.nr; e.nr++) {
		embedding__widen_partition(&e);
		ret = embedding__partition(&e, true, err);
		if (ret == -ESTALE)
			ret = embedding__partition(&e, false, err);
	}
	debug(2, "embed", "read '%s' in %zu parts", path, e.partitions.nr);
	if (opts->chains)
		unwind_stats__merge(opts->chains, &e.chains);
	unwind_stats__exit(&e.chains);
	names_store__exit(&e.store);
	running__delete(e.running);
	array__exit(&e.partitions);
	return ret;
}

/* ---- all files of a recording ---- */

enum {
	EMBED_SECONDS = 5,     /* of a --switch-output recording, no further file is begun after this time */
	MANY_BYTES = 32 << 20, /* larger recordings use several threads */
	/* side-band records that are looked at at once; they take some 200 bytes each */
	SLICE_RECORDS = 1 << 13,
};

void embed_result__tell(const struct embed_result *r)
{
	debug(1, "embed", "stored the names of %u functions of %u binaries, %llu bytes; %u are left out",
	      r->names.nr_symbols, r->names.nr_dsos, (unsigned long long)r->names.size, r->names.nr_left_out);
	debug(1, "embed",
	      "stored %u bytes of code of %u functions and %u lines of source, %llu bytes; %u functions are "
	      "left out, %u could not be read",
	      r->code.code_bytes, r->code.nr_functions, r->code.nr_lines, (unsigned long long)r->code.size,
	      r->code.nr_left_out, r->code.nr_unread);
}

/* Store what job says in a finished file. An interrupt leaves the file valid; a failure is a warning. */
static void embed(const char *path, const struct embed_job *job)
{
	bool takes_long = job->bytes > MANY_BYTES, is_cut = job->side_band > 2 * SLICE_RECORDS;
	struct embed_opts opts = job->opts;
	struct embed_result stored;
	struct err err = ERR_INIT;

	opts.cut_from = is_cut ? SLICE_RECORDS : 0;
	if (!takes_long)
		opts.nr_threads = 1;
	else /* run with the low priority asked for */
		setpriority(PRIO_PROCESS, 0, job->priority);
	signal(SIGXFSZ, SIG_IGN); /* make write fail at the file size limit instead */
	if (embed__store(path, &opts, &stored, &err)) {
		err__prefix(&err, "the names of functions are not stored in the recording");
		warning("%s", err.text.buf);
	} else {
		embed_result__tell(&stored);
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
