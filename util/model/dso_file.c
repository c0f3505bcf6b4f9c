#include "model/dso_file.h"

#include "base/system/file.h"
#include "binary/elf/kept_files.h"
#include "live/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { USERS_TRIED = 8 }; /* limit of processes to try for one file */

void dso_finder__init(struct dso_finder *f, const struct machine *m, const struct dso_file_opts *opts)
{
	*f = (struct dso_finder){ .machine = m, .opts = *opts };
	pthread_mutex_init(&f->lock, NULL);
}

void dso_finder__exit(struct dso_finder *f)
{
	array__exit(&f->users);
	array__exit(&f->spaces);
	pthread_mutex_destroy(&f->lock);
}

/* ---- processes ---- */

static int compare_users(const void *a, const void *b)
{
	const struct dso_user *x = a, *y = b;

	return (x->dso > y->dso) - (x->dso < y->dso);
}

static void dso_finder__add_users(struct dso_finder *f, const struct maps *maps)
{
	u32 last = DSO_IDX_NONE;

	for (size_t i = 0; i < maps->v.nr; i++) {
		const struct map *m = maps->v.v[i].map;

		if (m->dso == last || f->machine->dsos.v.v[m->dso]->kind != DSO_ELF)
			continue;
		last = m->dso;
		array__add(&f->users, ((struct dso_user){ m->dso, maps->pid, m->start, m->end }));
	}
}

static void dso_finder__list_users(struct dso_finder *f)
{
	int_array pids = { 0 };

	f->users_known = true;
	if (!proc__pids(&pids))
		for (size_t i = f->machine->spaces.nr; pids.nr && i-- > 0;) {
			int pid = (int)f->machine->spaces.v[i]->pid;

			if (bsearch(&pid, pids.v, pids.nr, sizeof(pid), int__compare))
				dso_finder__add_users(f, f->machine->spaces.v[i]);
		}
	array__exit(&pids);
	if (f->users.nr)
		qsort(f->users.v, f->users.nr, sizeof(*f->users.v), compare_users);
}

/*
 * Return the first running user of a dso, or NULL; the others follow it. The list is complete after the
 * first call.
 */
static const struct dso_user *dso_finder__users(struct dso_finder *f, u32 dso, size_t *nr)
{
	size_t lo = 0, hi;

	pthread_mutex_lock(&f->lock);
	if (!f->users_known)
		dso_finder__list_users(f);
	pthread_mutex_unlock(&f->lock);
	for (hi = f->users.nr; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->users.v[mid].dso < dso)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*nr = 0; lo + *nr < f->users.nr && f->users.v[lo + *nr].dso == dso;)
		++*nr;
	*nr = MIN(*nr, (size_t)USERS_TRIED);
	return *nr ? &f->users.v[lo] : NULL;
}

/* ---- maps ---- */

static void dso_finder__list_spaces(struct dso_finder *f)
{
	const struct machine *m = f->machine;

	array__reserve(&f->spaces, m->dsos.v.nr);
	f->spaces.nr = m->dsos.v.nr;
	memset(f->spaces.v, 0xff, f->spaces.nr * sizeof(*f->spaces.v));
	for (u32 i = 0; i < m->spaces.nr; i++)
		for (size_t k = 0; k < m->spaces.v[i]->v.nr; k++) {
			u32 *space = &f->spaces.v[m->spaces.v[i]->v.v[k].map->dso];

			*space = MIN(*space, i);
		}
}

/* Note the maps of a dso in one process: they tell file offsets that a debug file does not have. */
static void dso_finder__find_maps(struct dso_finder *f, struct dso *dso)
{
	enum { MAPS_MAX = 64 };
	const struct maps *maps;
	u32 space;

	pthread_mutex_lock(&f->lock);
	if (!f->spaces.nr)
		dso_finder__list_spaces(f);
	space = dso->idx < f->spaces.nr ? f->spaces.v[dso->idx] : UINT32_MAX;
	pthread_mutex_unlock(&f->lock);
	if (space == UINT32_MAX)
		return;
	maps = f->machine->spaces.v[space];
	dso->maps = xcalloc(MAPS_MAX, sizeof(*dso->maps));
	for (size_t i = 0; i < maps->v.nr && dso->places.nr_maps < MAPS_MAX; i++) {
		const struct map *m = maps->v.v[i].map;

		if (m->dso == dso->idx)
			dso->maps[dso->places.nr_maps++] =
				(struct elf_mapping){ m->start, m->end, m->pgoff, m->prot & PROT_EXEC };
	}
	dso->places.maps = dso->maps;
}

/* ---- the search ---- */

struct finder_query {
	struct dso_finder *finder;
	u32 dso;
};

/* The process may be a new one with the same pid, so these places have CHECK_KNOWN or CHECK_MAP. */
static bool next_user(struct file_query *q, size_t i)
{
	const struct finder_query *f = q->ctx;
	size_t nr;
	const struct dso_user *u = dso_finder__users(f->finder, f->dso, &nr);

	if (i >= nr)
		return false;
	q->pid = u[i].pid;
	q->start = u[i].start;
	q->end = u[i].end;
	return true;
}

static bool is_forbidden(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	bool forbidden = access(full, R_OK) && errno == EACCES;

	free(full);
	return forbidden;
}

static void dso_finder__search(struct dso_finder *f, struct dso *dso, const char *name)
{
	const struct kept_id id = { .name = name,
				    .maj = (u32)(dso->maj_min >> 32),
				    .min = (u32)dso->maj_min,
				    .ino = dso->ino,
				    .ino_generation = dso->ino_generation,
				    .build_id = dso->build_id };
	char *kept = kept_files__path(f->opts.kept, &id);
	bool is_local = !f->opts.foreign_host && !(f->opts.symfs && *f->opts.symfs);
	struct finder_query ctx = { f, dso->idx };
	struct file_query q = { .root = f->opts.symfs,
				.path = name,
				.is_flat = f->opts.symfs_is_flat,
				.kept = kept,
				.places = &f->opts.places,
				.id = dso->build_id,
				.ino = is_local ? dso->ino : 0,
				.user = is_local ? next_user : NULL,
				.ctx = &ctx };
	struct file_search s;

	file_search__start(&s, FILE_BINARY, &q);
	dso->file_error = file_search__find(&s);
	if (!dso->file_error) {
		dso->root = xasprintf("%.*s", (int)s.root_len, s.full.buf);
		dso->file = xstrdup(file_search__path(&s));
	} else {
		dso->root = xstrdup(f->opts.symfs ? f->opts.symfs : "");
		dso->file = xstrdup(q.is_flat && strrchr(name, '/') ? strrchr(name, '/') : name);
	}
	file_search__end(&s);
	free(kept);
	dso->places = f->opts.places;
	if (!q.is_flat)
		dso->places.name = name;
	if (dso->file_error && dso->kind == DSO_ELF)
		dso_finder__find_maps(f, dso);
	if (dso->file_error == -ENOENT && is_forbidden(dso->root, dso->file))
		dso->file_error = -EACCES;
}

int dso_finder__find(struct dso_finder *f, struct dso *dso, struct err *err)
{
	const char *name = dso__long_name(&f->machine->dsos, dso);

	if (!dso->file)
		dso_finder__search(f, dso, name);
	if (dso->file_error == -ESTALE)
		return err__set(err, -ESTALE, "'%s%s' is not the recorded file: it has another %s", dso->root,
				name, dso->build_id.size ? "build-id" : "inode");
	if (dso->file_error)
		return err__set(err, dso->file_error, "%s: '%s%s'",
				dso->file_error == -EACCES ? "permission denied" : "no such file", dso->root,
				name);
	return 0;
}
