#include "model/dso_file.h"

#include "base/system/file.h"
#include "live/proc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USERS_TRIED = 8 }; /* processes whose folders are looked into for one file */

static const char deleted[] = " (deleted)"; /* how the kernel marks names of files that are gone */

void dso_finder__init(struct dso_finder *f, const struct machine *m, const struct dso_file_opts *opts)
{
	*f = (struct dso_finder){ .machine = m, .opts = *opts };
	pthread_mutex_init(&f->lock, NULL);
}

void dso_finder__exit(struct dso_finder *f)
{
	array__exit(&f->users);
	pthread_mutex_destroy(&f->lock);
}

/* ---- processes ---- */

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

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

			if (bsearch(&pid, pids.v, pids.nr, sizeof(pid), compare_ints))
				dso_finder__add_users(f, f->machine->spaces.v[i]);
		}
	array__exit(&pids);
	if (f->users.nr)
		qsort(f->users.v, f->users.nr, sizeof(*f->users.v), compare_users);
}

/* The first user of a dso; the others follow it. NULL: none. Complete after the first call. */
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

/* ---- places ---- */

struct search {
	struct dso_finder *finder;
	struct dso *dso;
	const char *name; /* as recorded */
	bool stale;       /* there was a file, but another one */
};

static bool is_recorded(const struct search *s, int fd)
{
	const struct dso *dso = s->dso;
	bool is_local = !s->finder->opts.foreign_host && !(s->finder->opts.symfs && *s->finder->opts.symfs);
	struct build_id id;
	struct stat st;

	if (dso->build_id.size)
		return !build_id__of_fd(fd, &id) && build_id__equal(&id, &dso->build_id);
	return !dso->ino || !is_local || (!fstat(fd, &st) && st.st_ino == dso->ino);
}

/* Takes root and file. */
static bool search__try(struct search *s, char *root, char *file)
{
	char *path = xasprintf("%s%s", root, file);
	int fd = file__open_plain(path);
	bool found = fd >= 0 && is_recorded(s, fd);

	s->stale |= fd >= 0 && !found;
	if (fd >= 0)
		close(fd);
	free(path);
	if (found) {
		s->dso->root = root;
		s->dso->file = file;
	} else {
		free(root);
		free(file);
	}
	return found;
}

static bool by_recorded_name(struct search *s)
{
	const char *symfs = s->finder->opts.symfs;

	return search__try(s, xstrdup(symfs ? symfs : ""), xstrdup(s->name));
}

/* A file that was deleted may have come back. */
static bool by_name_before_deletion(struct search *s)
{
	const char *symfs = s->finder->opts.symfs;
	size_t len = strlen(s->name), cut = strlen(deleted);

	return s->dso->build_id.size && len > cut && !strcmp(s->name + len - cut, deleted) &&
	       search__try(s, xstrdup(symfs ? symfs : ""), xasprintf("%.*s", (int)(len - cut), s->name));
}

/* As "perf buildid-cache" keeps binaries. */
static bool in_buildid_cache(struct search *s)
{
	char hex[2 * BUILD_ID_MAX + 1];

	if (s->dso->build_id.size < 2 || !s->finder->opts.buildid_dir)
		return false;
	build_id__str(&s->dso->build_id, hex);
	return search__try(s, xstrdup(""),
			   xasprintf("%s/.build-id/%.2s/%s/elf", s->finder->opts.buildid_dir, hex, hex + 2));
}

/*
 * Through a process that has it mapped: its own root folder, in a container say; the map, which leads to the
 * file even when it has no name any more, but needs privileges; the program it runs, which needs fewer. The
 * process may be another one by now: only what is known to be the file counts.
 */
static bool through_process(struct search *s)
{
	const struct dso_user *u;
	size_t nr;

	if (s->finder->opts.foreign_host || (s->finder->opts.symfs && *s->finder->opts.symfs) ||
	    (!s->dso->build_id.size && !s->dso->ino))
		return false;
	u = dso_finder__users(s->finder, s->dso->idx, &nr);
	for (size_t i = 0; i < nr; i++)
		if (search__try(s, xasprintf("/proc/%u/root", u[i].pid), xstrdup(s->name)) ||
		    search__try(s, xstrdup(""),
				xasprintf("/proc/%u/map_files/%llx-%llx", u[i].pid,
					  (unsigned long long)u[i].start, (unsigned long long)u[i].end)) ||
		    search__try(s, xstrdup(""), xasprintf("/proc/%u/exe", u[i].pid)))
			return true;
	return false;
}

/* In the order in which they are tried. */
static bool (*const places[])(struct search *s) = {
	by_recorded_name,
	through_process,
	by_name_before_deletion,
	in_buildid_cache,
};

int dso_finder__find(struct dso_finder *f, struct dso *dso, struct err *err)
{
	struct search s = { .finder = f, .dso = dso, .name = dso__long_name(&f->machine->dsos, dso) };

	if (!dso->file) {
		for (size_t i = 0; i < ARRAY_SIZE(places) && !dso->file; i++)
			if (places[i](&s))
				return 0;
		dso->root = xstrdup(f->opts.symfs ? f->opts.symfs : "");
		dso->file = xstrdup(s.name);
		dso->file_error = s.stale ? -ESTALE : -ENOENT;
	}
	if (dso->file_error == -ESTALE)
		return err__set(err, -ESTALE, "'%s%s' is not the recorded file: it has another %s", dso->root,
				s.name, dso->build_id.size ? "build-id" : "inode");
	if (dso->file_error)
		return err__set(err, dso->file_error, "there is no file '%s%s'", dso->root, s.name);
	return 0;
}
