#include "profile/embed.h"

#include "format/feature_room.h"
#include "profile/chains.h"
#include "profile/profile.h"
#include "profile/survey.h"

/* How often each of some things was hit, by id. */
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

/* Looks up all that is in samples and their chains. */
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

/* BPF programs are named by records; what a jitdump names is only where the dump says. */
static bool is_stored(const struct dso *dso)
{
	return dso->kind != DSO_BPF && dso->kind != DSO_JITDUMP;
}

/* The symbols that were hit, by binary. */
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
							   symtab__name(&dso->symtab, p->sym), hits->v[i] }));
	}
	return names;
}

static int embed_profile(const char *path, struct profile *profile, const struct embed_opts *opts,
			 struct names_summary *stored, struct err *err)
{
	const struct places_opts places_opts = { .no_demangle = true };
	struct session *s = profile->session;
	u64 budget = opts->budget;
	struct strbuf section = STRBUF_INIT;
	size_t nr = s->machine.dsos.v.nr;
	hit_counts hits = { 0 };
	struct names_dso *names;
	struct places places;
	int ret = 0;

	if (!budget)
		budget = MAX((u64)EMBED_BYTES, reader__size(s->reader) / EMBED_SHARE);
	survey__rows(s, &profile->rows, 0, opts->nr_threads);
	places__init(&places, s, &places_opts);
	count_places(profile, &places, &hits);
	names = collect_names(s, &places, &hits);
	*stored = names_section__write(&section, names, nr, budget);
	if (stored->nr_symbols)
		ret = feature_room__fill(path, FEATURE_EMBEDDED_NAMES, section.buf, section.len, err);
	for (size_t i = 0; i < nr; i++)
		array__exit(&names[i].symbols);
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
		.symbols = { .buildid_dir = opts->buildid_dir },
		.samples_follow = true,
	};
	const struct profile_opts profile_opts = { .no_unwinding = true, .nr_threads = opts->nr_threads };
	struct profile profile;
	struct session *s;
	int ret;

	*stored = (struct names_summary){ 0 };
	ret = session__open(&s, path, &session_opts, err);
	if (ret)
		return ret;
	ret = profile__collect(&profile, s, &profile_opts, err);
	if (!ret)
		ret = embed_profile(path, &profile, opts, stored, err);
	profile__exit(&profile);
	session__delete(s);
	return ret;
}
