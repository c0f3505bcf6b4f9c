#include "model/symbolize_private.h"

#include "base/system/file.h"
#include "base/system/thread.h"
#include "binary/symbols/elf_symbols.h"
#include "binary/symbols/kallsyms.h"
#include "binary/symbols/vdso.h"
#include "format/read/features.h"
#include "binary/symbols/jit_code.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static bool has_text(const char *s)
{
	return s && *s;
}

/*
 * Stock perf's "perf record --kcore" copies kallsyms into the data directory. Return NULL if it is not
 * there.
 */
static char *find_own_kallsyms(const struct reader *r)
{
	char *path = r->is_dir ? xasprintf("%s/kcore_dir/kallsyms", r->path) : NULL;

	if (path && !access(path, R_OK))
		return path;
	free(path);
	return NULL;
}

int symbolize_opts__check(const struct symbolize_opts *o, struct err *err)
{
	const struct {
		const char *option, *path;
	} rows[] = { { "--vmlinux", o->vmlinux }, { "--kallsyms", o->kallsyms } };
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *path = rows[i].path;

		if (o->symfs || !path || !*path)
			continue;
		if (!stat(path, &st) && S_ISDIR(st.st_mode))
			errno = EISDIR;
		else if (!access(path, R_OK))
			continue;
		return err__set(err, -errno, "%s: cannot open '%s': %s", rows[i].option, path,
				strerror(errno));
	}
	return 0;
}

void symbolizer__init(struct symbolizer *s, struct machine *m, const struct reader *r,
		      const struct symbolize_opts *opts)
{
	/* --symfs means the files below that root, so do not use the cache. */
	bool has_symfs = has_text(opts->symfs);
	struct dso_file_opts files = {
		.symfs = opts->symfs,
		.symfs_is_flat = opts->symfs_is_flat,
		.any_owner = opts->any_owner,
		.places = { .debuginfod = opts->debuginfod,
			    .buildid_dir =
				    has_symfs || !has_text(opts->buildid_dir) ? NULL : opts->buildid_dir,
			    .also_here = !has_symfs },
		.kept = opts->kept,
	};
	struct utsname host;

	*s = (struct symbolizer){ .machine = m, .opts = *opts, .kallsyms = STRBUF_INIT };
	pthread_mutex_init(&s->lock, NULL);
	embedded__init(&s->embedded, opts->stored ? opts->stored : r);
	s->own_kallsyms = find_own_kallsyms(r);
	if (features__string(r, FEATURE_OSRELEASE, &s->osrelease))
		s->osrelease = NULL;
	if (features__string(r, FEATURE_HOSTNAME, &s->hostname))
		s->hostname = NULL;
	if (!uname(&host))
		files.foreign_host = (s->hostname && strcmp(s->hostname, host.nodename)) ||
				     (s->osrelease && !s->hostname && strcmp(s->osrelease, host.release));
	dso_finder__init(&s->finder, m, &files);
}

void symbolizer__wait(struct symbolizer *s)
{
	if (s->preloading)
		pthread_join(s->preloader, NULL);
	s->preloading = false;
}

void symbolizer__exit(struct symbolizer *s)
{
	if (!s->machine)
		return;
	symbolizer__wait(s);
	free(s->osrelease);
	free(s->hostname);
	free(s->own_kallsyms);
	embedded__exit(&s->embedded);
	strbuf__exit(&s->kallsyms);
	dso_finder__exit(&s->finder);
	pthread_mutex_destroy(&s->lock);
}

static const char *symbolizer__long_name(const struct symbolizer *s, const struct dso *dso)
{
	return dso__long_name(&s->machine->dsos, dso);
}

int symbolizer__find_file(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const char *path = symbolizer__long_name(s, dso);

	if (path[0] != '/')
		return err__set(err, -ENOENT, "'%s' is not a file", path);
	if (!dso->build_id.size && s->finder.opts.foreign_host && !has_text(s->opts.symfs))
		return err__set(
			err, -ESTALE,
			"'%s' has no build-id in the recording, which is of another machine: use --symfs",
			path);
	if (dso_finder__find(&s->finder, dso, err) && !dso->build_id.size)
		return dso->file_error;
	return 0;
}

/*
 * The sources of names. Each adds to dso->symtab and returns 0, NOT_ASKED if it does not apply, or a
 * negative errno with err; then the symbols it added are dropped. The table below has their order.
 */

/* Does an option name the kernel's symbols? Then use no other source. */
static bool kernel_is_asked(const struct symbolizer *s)
{
	return s->opts.vmlinux || s->opts.kallsyms;
}

int symbolizer__find_embedded(struct symbolizer *s, const struct dso *dso, const struct names_entry **e,
			      struct err *err)
{
	int ret = -ENOENT;

	if (dso->kind != DSO_KERNEL || !kernel_is_asked(s))
		ret = embedded__find(&s->embedded, &s->machine->dsos, dso, e, err);
	return ret == -ENOENT ? NOT_ASKED : ret;
}

static int load_entry(struct symbolizer *s, struct dso *dso, const struct names_entry *e)
{
	struct names_entry stored = *e;

	if (s->opts.no_made_up_names) {
		stored.nr_symbols -= stored.nr_made_up;
		stored.nr_made_up = 0;
	}
	names_entry__add_symbols(&s->embedded.names_section, &stored, &dso->symtab);
	symtab__finish(&dso->symtab);
	dso->symtab.source = "the recording";
	return 0;
}

static int load_embedded(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct names_entry *e;
	int ret = symbolizer__find_embedded(s, dso, &e, err);

	return ret ? ret : load_entry(s, dso, e);
}

/* Load the stored names if none were left out. */
static int load_embedded_whole(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct names_entry *e;
	int ret = symbolizer__find_embedded(s, dso, &e, err);

	if (!ret && e->flags & NAMES_CUT)
		return NOT_ASKED;
	return ret ? ret : load_entry(s, dso, e);
}

static int load_elf(struct symbolizer *s, struct dso *dso, struct err *err)
{
	struct elf_symbols_opts opts = { .places = &dso->places, .raw_names = s->opts.no_demangle };
	int ret = symbolizer__find_file(s, dso, err);

	if (ret)
		return ret;
	opts.symfs = dso->root;
	ret = elf_symbols__load(&dso->symtab, dso->file, &dso->build_id, &opts, err);
	/* dso_finder__find has a better message */
	return ret && dso->file_error ? dso_finder__find(&s->finder, dso, err) : ret;
}

/*
 * Load a file that must be the recorded one: by its build-id, or because of --symfs. Prefer the stored names,
 * if any will be used, if it was stripped after recording, or if the addresses in a debug file are guessed.
 */
static int load_recorded_elf(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct names_entry *e;
	int ret;

	if (!dso->build_id.size && !has_text(s->opts.symfs))
		return NOT_ASKED;
	ret = load_elf(s, dso, err);
	if (ret || !(dso->symtab.exported_only || dso->symtab.is_guessed) ||
	    symbolizer__find_embedded(s, dso, &e, NULL) ||
	    (s->opts.no_made_up_names && e->nr_symbols == e->nr_made_up))
		return ret;
	return dso->symtab.is_guessed || !(e->flags & NAMES_EXPORTED_ONLY) ? NOT_ASKED : 0;
}

/* Load the stored names if none is made up. */
static int load_embedded_real(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct names_entry *e;
	int ret = symbolizer__find_embedded(s, dso, &e, err);

	if (!ret && (e->nr_made_up || e->flags & NAMES_EXPORTED_ONLY))
		return NOT_ASKED;
	return ret ? ret : load_entry(s, dso, e);
}

/* Has the file not been changed since the recording? An exact answer needs the recording's own file. */
static bool symbolizer__is_older(const struct symbolizer *s, const struct dso *dso)
{
	char *path = xasprintf("%s%s", dso->root, dso->file);
	struct stat binary, recording;
	bool older = !stat(path, &binary) && !stat(s->embedded.reader->path, &recording) &&
		     binary.st_mtime < recording.st_mtime;

	free(path);
	return older;
}

/*
 * Does a file have functions where the recorded one had them? The range of a stored made-up symbol is that of
 * a function, or code between two functions: no function of the file may begin before it and reach into it,
 * or begin at its start and end elsewhere.
 */
static bool symtab__agrees(const struct symtab *t, const struct symbolizer *s, const struct names_entry *e)
{
	struct symtab stored;
	bool agrees = true;

	symtab__init(&stored);
	names_entry__add_symbols(&s->embedded.names_section, e, &stored);
	for (size_t i = 0; i < stored.syms.nr && agrees; i++) {
		const struct symbol *was = &stored.syms.v[i], *sym;

		sym = was->is_made_up ? symtab__find(t, was->start) : NULL;
		agrees = !sym || sym->is_extended || (sym->start == was->start && sym->size == was->size);
	}
	symtab__exit(&stored);
	return agrees;
}

/*
 * Load the file of the recorded name in place of stored names that are made up, such as of a stripped binary
 * whose debug file came later.
 */
static int load_elf_over_made_up(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct names_entry *e;
	int ret = NOT_ASKED;

	if (!dso->build_id.size && !has_text(s->opts.symfs) && !symbolizer__find_embedded(s, dso, &e, err))
		ret = load_elf(s, dso, err);
	if (!ret && (dso->symtab.exported_only ||
		     (!symbolizer__is_older(s, dso) && !symtab__agrees(&dso->symtab, s, e))))
		ret = NOT_ASKED;
	return ret;
}

/* Load a file by its recorded name. */
static int load_elf_by_name(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return dso->build_id.size || has_text(s->opts.symfs) ? NOT_ASKED : load_elf(s, dso, err);
}

int symbolizer__find_vdso(const struct symbolizer *s, const struct dso *dso, const void **image, size_t *size,
			  struct err *err)
{
	struct build_id id = { 0 };

	const char *name = dso__long_name(&s->machine->dsos, dso);

	if (has_text(s->opts.symfs) || !vdso__image(name, image, size))
		return err__set(err, -ENOENT, "no %s to look at", name);
	if (build_id__from_image(*image, *size, &id))
		id.size = 0;
	if (dso->build_id.size ? !build_id__equal(&dso->build_id, &id) : s->finder.opts.foreign_host)
		return err__set(err, -ESTALE, "the recorded %s is another kernel's", name);
	return 0;
}

static int load_own_vdso(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const void *image;
	size_t size;
	int ret = symbolizer__find_vdso(s, dso, &image, &size, err);

	return ret ? ret : elf_symbols__load_image(&dso->symtab, image, size, err);
}

static int load_recorded_vdso(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return dso->build_id.size ? load_own_vdso(s, dso, err) : NOT_ASKED;
}

static int load_any_vdso(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return dso->build_id.size ? NOT_ASKED : load_own_vdso(s, dso, err);
}

static int load_jit(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return jit_files__load_memory(&s->finder.opts, s->machine, dso, err);
}

static int load_jitdump(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return jit_files__load_dump(&s->finder.opts, s->machine, dso, err);
}

static int load_asked_jit(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return has_text(s->opts.symfs) ? load_jit(s, dso, err) : NOT_ASKED;
}

static int load_any_jit(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return has_text(s->opts.symfs) ? NOT_ASKED : load_jit(s, dso, err);
}

int symbolizer__check_running_kernel(const struct symbolizer *s, struct err *err)
{
	const struct dso *kernel =
		s->machine->kernel.has_text ? s->machine->dsos.v.v[s->machine->kernel.text.dso] : NULL;
	struct build_id running = { 0 };
	struct utsname host;

	if (has_text(s->opts.symfs))
		return err__set(err, -ENOENT, "/proc/kallsyms is not looked at with --symfs");
	if (kernel && kernel->build_id.size) {
		if (!build_id__of_kernel(&running) && build_id__equal(&running, &kernel->build_id))
			return 0;
		return err__set(err, -ESTALE,
				"/proc/kallsyms is another kernel's: use --kallsyms or --vmlinux");
	}
	if (s->finder.opts.foreign_host || uname(&host) ||
	    (s->osrelease && strcmp(s->osrelease, host.release)))
		return err__set(err, -ESTALE,
				"/proc/kallsyms is another kernel's: use --kallsyms or --vmlinux");
	return 0;
}

/* Return the path of kallsyms for the recorded kernel, or NULL with err. */
static const char *symbolizer__kallsyms_path(const struct symbolizer *s, struct err *err)
{
	if (s->opts.kallsyms)
		return s->opts.kallsyms;
	if (s->own_kallsyms)
		return s->own_kallsyms;
	return symbolizer__check_running_kernel(s, err) ? NULL : "/proc/kallsyms";
}

static int symbolizer__read_kallsyms(struct symbolizer *s, struct err *err)
{
	const char *path = symbolizer__kallsyms_path(s, err);
	int ret;

	if (!path)
		return -ESTALE;
	ret = file__read(path, &s->kallsyms, 0);
	return ret ? err__set(err, ret, "cannot read '%s': %s", path, err__str(ret)) : 0;
}

/* Return the result of reading symbols from kallsyms; if it is not 0, with err. */
static int kallsyms__result(int ret, const char *path, struct err *err)
{
	if (ret == -EPERM)
		return err__set(err, ret, "kernel addresses are hidden: sysctl -w kernel.kptr_restrict=0");
	return ret ? err__set(err, ret, "cannot read '%s': %s", path, err__str(ret)) : 0;
}

/* Read kallsyms of the recorded kernel, once for all modules. */
static int symbolizer__kallsyms(struct symbolizer *s, struct err *err)
{
	pthread_mutex_lock(&s->lock);
	if (!s->kallsyms_tried)
		s->kallsyms_error = symbolizer__read_kallsyms(s, err);
	else if (s->kallsyms_error)
		err__set(err, s->kallsyms_error, "no kallsyms of the recorded kernel");
	s->kallsyms_tried = true;
	pthread_mutex_unlock(&s->lock);
	return s->kallsyms_error;
}

static void symtab__move(struct symtab *t, u64 delta)
{
	for (size_t i = 0; delta && i < t->syms.nr; i++)
		t->syms.v[i].start += delta;
}

static int load_vmlinux(struct symbolizer *s, struct dso *dso, const char *path, const struct build_id *want,
			struct err *err)
{
	const struct kernel_maps *k = &s->machine->kernel;
	u64 ref = 0;
	int ret;

	ret = elf_symbols__load_kernel(&dso->symtab, path, want, k->ref_name, &ref, err);
	if (!ret && ref)
		symtab__move(&dso->symtab, k->ref_addr - ref);
	return ret;
}

void symbolizer__search_vmlinux(const struct symbolizer *s, const struct dso *dso, struct file_search *search)
{
	file_search__start(search, FILE_KERNEL,
			   &(struct file_query){ .root = s->opts.symfs,
						 .release = s->opts.ignore_vmlinux ? NULL : s->osrelease,
						 .id = dso->build_id });
}

static int load_vmlinux_from_places(struct symbolizer *s, struct dso *dso)
{
	struct file_search search;
	bool found = false;

	symbolizer__search_vmlinux(s, dso, &search);
	while (!found && !file_search__find(&search))
		found = !load_vmlinux(s, dso, search.full.buf, &dso->build_id, NULL) && dso->symtab.syms.nr;
	file_search__end(&search);
	return found ? 0 : -ENOENT;
}

static int load_kallsyms_file(struct symbolizer *s, struct dso *dso, const char *path)
{
	const struct kernel_maps *k = &s->machine->kernel;
	u64 ref;
	int ret = kallsyms__load_file(&dso->symtab, path, k->ref_name, &ref);

	if (!ret && ref)
		symtab__move(&dso->symtab, k->ref_addr - ref);
	return ret;
}

/*
 * Find the copy of kallsyms that recorders leave in the build-id cache; /proc/kallsyms takes tens of
 * milliseconds to read. The copy is of the recorded kernel, maybe of an earlier boot: the reference symbol
 * shows by how much it moved. Return false if there is no place for a copy.
 */
static bool symbolizer__find_saved_kallsyms(const struct symbolizer *s, const struct dso *dso,
					    struct file_search *search)
{
	file_search__start(search, FILE_KALLSYMS,
			   &(struct file_query){ .places = &s->finder.opts.places, .id = dso->build_id });
	return !dso->is_guest && s->machine->kernel.ref_name && file_search__next(search);
}

static int load_saved_kallsyms(struct symbolizer *s, struct dso *dso)
{
	const struct kernel_maps *k = &s->machine->kernel;
	struct file_search search;
	int ret = -ENOENT;

	if (symbolizer__find_saved_kallsyms(s, dso, &search))
		ret = kallsyms_file__open(&dso->kallsyms, search.full.buf, k->ref_name, k->ref_addr);
	if (ret == -EINVAL)
		ret = load_kallsyms_file(s, dso, search.full.buf);
	else if (!ret)
		dso->symtab.source = "kallsyms";
	if (!ret && dso->kallsyms && s->opts.spares_memory)
		kallsyms_file__search_only(dso->kallsyms);
	file_search__end(&search);
	return ret;
}

static int load_live_kallsyms(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const char *path;

	if (dso->is_guest)
		return err__set(err, -ENOENT, "no symbols of the guest's kernel");
	path = symbolizer__kallsyms_path(s, err);
	if (!path)
		return -ESTALE;
	return kallsyms__result(load_kallsyms_file(s, dso, path), path, err);
}

static int load_asked_kernel(struct symbolizer *s, struct dso *dso, struct err *err)
{
	if (s->opts.vmlinux)
		return load_vmlinux(s, dso, s->opts.vmlinux, &dso->build_id, err);
	return s->opts.kallsyms ? load_live_kallsyms(s, dso, err) : NOT_ASKED;
}

/* Set no error: usually there is no such file. */
static int load_kernel_file(struct symbolizer *s, struct dso *dso, struct err *err)
{
	(void)err;
	if (kernel_is_asked(s))
		return NOT_ASKED;
	return !load_vmlinux_from_places(s, dso) || !load_saved_kallsyms(s, dso) ? 0 : NOT_ASKED;
}

static int load_running_kernel(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return kernel_is_asked(s) || !dso->build_id.size ? NOT_ASKED : load_live_kallsyms(s, dso, err);
}

/* Use the running kernel if host and release are the recorded ones. */
static int load_kernel_by_release(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return kernel_is_asked(s) || dso->build_id.size ? NOT_ASKED : load_live_kallsyms(s, dso, err);
}

const struct map *symbolizer__module_map(const struct symbolizer *s, const struct dso *dso)
{
	const struct kernel_maps *k = dso->is_guest ? &s->machine->guest_kernel : &s->machine->kernel;

	for (size_t i = 0; i < k->maps.v.nr; i++)
		if (k->maps.v.v[i].map->dso == dso->idx)
			return k->maps.v.v[i].map;
	return NULL;
}

/*
 * Get a module's symbols from kallsyms if it is at the recorded address: kernel and modules move
 * independently at each boot.
 */
static int load_module_from_kallsyms(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct map *map = symbolizer__module_map(s, dso);
	char name[128];
	int ret;

	snprintf(name, sizeof(name), "%s", dso__short_name(&s->machine->dsos, dso));
	if (!map || name[0] != '[' || dso->is_guest)
		return err__set(err, -ENOENT, "no map of module '%s'", name);
	name[strcspn(name, "]")] = '\0';
	ret = symbolizer__kallsyms(s, err);
	if (ret)
		return ret;
	ret = kallsyms__load(&dso->symtab, s->kallsyms.buf, s->kallsyms.len, name + 1);
	if (ret)
		return kallsyms__result(ret, s->opts.kallsyms ?: s->own_kallsyms ?: "/proc/kallsyms", err);
	if (!dso->symtab.syms.nr || dso->symtab.syms.v[0].start < map->start ||
	    dso->symtab.syms.v[0].start >= map->end) {
		symtab__exit(&dso->symtab);
		symtab__init(&dso->symtab);
		return err__set(err, -ESTALE, "module '%s' is at another address in kallsyms", name + 1);
	}
	symtab__move(&dso->symtab, -map->start);
	return 0;
}

/* Load the first file that exists; if the recording has a build-id, of that build. */
static int load_module_of(struct symbolizer *s, struct dso *dso)
{
	struct file_query q = { .root = s->opts.symfs,
				.path = symbolizer__long_name(s, dso),
				.is_flat = s->opts.symfs_is_flat,
				.places = &s->finder.opts.places,
				.id = dso->build_id };
	struct file_search search;
	int ret = -ENOENT;
	u64 ref;

	file_search__start(&search, FILE_MODULE, &q);
	while (ret && file_search__next(&search))
		ret = elf_symbols__load_kernel(&dso->symtab, search.full.buf, &q.id, NULL, &ref, NULL);
	file_search__end(&search);
	return ret ? NOT_ASKED : 0;
}

static int load_module_file(struct symbolizer *s, struct dso *dso, struct err *err)
{
	(void)err;
	return dso->build_id.size < 2 ? NOT_ASKED : load_module_of(s, dso);
}

/*
 * Load a module that has no build-id from the file of the recorded name, which contains the release. Do that
 * for a recording of another machine only with --symfs.
 */
static int load_module_by_name(struct symbolizer *s, struct dso *dso, struct err *err)
{
	(void)err;
	if (dso->build_id.size || (s->finder.opts.foreign_host && !has_text(s->opts.symfs)))
		return NOT_ASKED;
	return load_module_of(s, dso);
}

static int load_module_from_asked(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return s->opts.kallsyms ? load_module_from_kallsyms(s, dso, err) : NOT_ASKED;
}

static int load_module_from_running(struct symbolizer *s, struct dso *dso, struct err *err)
{
	return s->opts.kallsyms ? NOT_ASKED : load_module_from_kallsyms(s, dso, err);
}

/*
 * The sources of names by kind; the first one with names for the binary is used. The user's options come
 * first, then files that must be the recorded binary by their build-id, then names stored in the recording,
 * and last files that may be different. Names of BPF programs come with their dso (dso.h).
 */
static const struct source {
	enum dso_kind kind;
	int (*load)(struct symbolizer *s, struct dso *dso, struct err *err);
} sources[] = {
	{ DSO_ELF, load_recorded_elf }, /* --symfs; the file of the recorded build, or its debug file */
	{ DSO_ELF, load_embedded_real },
	{ DSO_ELF, load_elf_over_made_up },
	{ DSO_ELF, load_embedded },
	{ DSO_ELF, load_elf_by_name },

	{ DSO_VDSO, load_recorded_vdso },
	{ DSO_VDSO, load_embedded },
	{ DSO_VDSO, load_any_vdso },

	{ DSO_JIT, load_asked_jit }, /* --symfs */
	{ DSO_JIT, load_embedded },
	{ DSO_JIT, load_any_jit }, /* /tmp/perf-PID.map, maybe of a later process with that pid */

	{ DSO_JITDUMP, load_jitdump }, /* its maps come from there, too */
	{ DSO_JITDUMP, load_embedded },

	{ DSO_KERNEL, load_asked_kernel },   /* --vmlinux, --kallsyms */
	{ DSO_KERNEL, load_kernel_file },    /* vmlinux, saved kallsyms: of the recorded build */
	{ DSO_KERNEL, load_embedded_whole }, /* /proc/kallsyms takes long to read */
	{ DSO_KERNEL, load_running_kernel }, /* of the recorded build */
	{ DSO_KERNEL, load_embedded },
	{ DSO_KERNEL, load_kernel_by_release },

	{ DSO_MODULE, load_module_file }, /* of the recorded build */
	{ DSO_MODULE, load_module_from_asked },
	{ DSO_MODULE, load_embedded },
	{ DSO_MODULE, load_module_from_running }, /* if a module of that name is at that address */
	{ DSO_MODULE, load_module_by_name },
};

/* Try all sources. err is the reason of the first source that failed. */
static int symbolizer__try_sources(struct symbolizer *s, struct dso *dso, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const struct source *source = &sources[i];
		struct err why = ERR_INIT;
		int r;

		if (source->kind != dso->kind)
			continue;
		r = source->load(s, dso, &why);
		if (r < 0 && !ret)
			ret = err__set(err, r, "%s", why.text.buf);
		err__exit(&why);
		if (!r && (dso->symtab.syms.nr || dso->kallsyms))
			return 0;
		symtab__exit(&dso->symtab);
		symtab__init(&dso->symtab);
	}
	return ret;
}

void symbolizer__load(struct symbolizer *s, struct dso *dso)
{
	if (__atomic_load_n(&dso->loaded, __ATOMIC_ACQUIRE))
		return;
	progress__enter(s->opts.progress, "loading symbols of %s", symbolizer__long_name(s, dso));
	pthread_mutex_lock(&dso->lock);
	if (!dso->loaded) {
		struct err err = ERR_INIT;

		dso->load_error = symbolizer__try_sources(s, dso, &err);
		if (dso->load_error && err.text.len && !dso->load_reason)
			dso->load_reason = xstrdup(err.text.buf);
		err__exit(&err);
		__atomic_store_n(&dso->loaded, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&dso->lock);
	progress__leave(s->opts.progress);
}

bool symbolizer__keeps(const struct symbolizer *s, const struct dso *dso)
{
	return s->opts.spares_memory && dso->kind == DSO_ELF;
}

static void *preload_kernel(void *arg)
{
	struct symbolizer *s = arg;

	symbolizer__load(s, s->machine->dsos.v.v[s->machine->kernel.text.dso]);
	return NULL;
}

struct dso *symbolizer__searched_kernel(const struct symbolizer *s)
{
	const struct kernel_maps *k = &s->machine->kernel;
	struct dso *dso = k->has_text ? s->machine->dsos.v.v[k->text.dso] : NULL;
	struct file_search search;
	bool is_searched;

	if (!dso || s->opts.vmlinux || s->opts.kallsyms)
		return NULL;
	is_searched = symbolizer__find_saved_kallsyms(s, dso, &search) && !access(search.full.buf, R_OK);
	file_search__end(&search);
	if (is_searched) {
		symbolizer__search_vmlinux(s, dso, &search);
		is_searched = file_search__find(&search) != 0;
		file_search__end(&search);
	}
	return is_searched ? dso : NULL;
}

void symbolizer__preload_kernel(struct symbolizer *s)
{
	if (!s->machine->kernel.has_text || symbolizer__searched_kernel(s))
		return;
	pthread_mutex_lock(&s->lock);
	if (!s->preloading)
		s->preloading = !thread__start(&s->preloader, preload_kernel, s);
	pthread_mutex_unlock(&s->lock);
}

static int open_cfi(struct symbolizer *s, struct dso *dso)
{
	struct cfi_opts opts = { .places = &dso->places };
	struct jitdump d;
	const void *image;
	size_t size;
	int ret;

	switch (dso->kind) {
	case DSO_VDSO:
		ret = symbolizer__find_vdso(s, dso, &image, &size, NULL);
		return ret ? ret : cfi__open_image(&dso->cfi, image, size, NULL);
	case DSO_ELF:
		ret = symbolizer__find_file(s, dso, NULL);
		opts.symfs = dso->root;
		return ret ? ret : cfi__open(&dso->cfi, dso->file, &dso->build_id, &opts, NULL);
	case DSO_JITDUMP:
		d = (struct jitdump){ .pid = dso->pid,
				      .name = dso__long_name(&s->machine->dsos, dso),
				      .ino = dso->ino };
		ret = jit_files__open_dump(&s->finder.opts, &d, NULL);
		dso->jit = ret < 0 ? NULL : jit_code__new(ret);
		return MIN(ret, 0);
	default:
		return -ENOENT;
	}
}

struct cfi *symbolizer__cfi(struct symbolizer *s, struct dso *dso)
{
	if (__atomic_load_n(&dso->cfi_loaded, __ATOMIC_ACQUIRE))
		return dso->cfi;
	pthread_mutex_lock(&dso->lock);
	if (!dso->cfi_loaded) {
		if (open_cfi(s, dso))
			dso->cfi = NULL;
		__atomic_store_n(&dso->cfi_loaded, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&dso->lock);
	return dso->cfi;
}

struct jit_code *symbolizer__jit_code(struct symbolizer *s, struct dso *dso)
{
	if (dso->kind != DSO_JITDUMP)
		return NULL;
	symbolizer__cfi(s, dso);
	return dso->jit;
}

/*
 * The last source of names. sym: a symbol that may be another function's, because its size is unknown and
 * local functions after it have no symbols; NULL: none.
 */
static const struct symbol *symbolizer__make_up(struct symbolizer *s, struct dso *dso,
						const struct symbol *sym, u64 addr)
{
	struct borders *borders = NULL;

	pthread_mutex_lock(&dso->lock);
	if (!dso->made_up) {
		if (!symbolizer__find_file(s, dso, NULL))
			borders__open(&borders, dso->file, &dso->build_id, dso->root, NULL);
		dso->made_up = made_up__new(borders);
	}
	sym = made_up__find(dso->made_up, &dso->symtab, sym, dso__short_name(&s->machine->dsos, dso), addr);
	pthread_mutex_unlock(&dso->lock);
	return sym;
}

static const struct symbol *symbolizer__look_up(struct symbolizer *s, struct dso *dso, u64 addr)
{
	const struct symbol *sym;

	symbolizer__load(s, dso);
	if (!dso->kallsyms) {
		sym = symtab__find(&dso->symtab, addr);
		if (dso->kind == DSO_ELF && !s->opts.no_made_up_names &&
		    (!sym || (sym->is_extended && dso->symtab.exported_only)))
			sym = symbolizer__make_up(s, dso, sym, addr);
		return sym;
	}
	pthread_mutex_lock(&dso->lock);
	sym = kallsyms_file__find(dso->kallsyms, &dso->symtab, addr);
	pthread_mutex_unlock(&dso->lock);
	return sym;
}

const struct symbol *symbolizer__find(struct symbolizer *s, struct dso *dso, u64 addr)
{
	const struct symbol *sym;

	if (!symbolizer__keeps(s, dso))
		return symbolizer__look_up(s, dso, addr);
	if (!kept_symbols__find(&dso->kept, addr, &sym))
		sym = kept_symbols__add(&dso->kept, addr, &dso->symtab, symbolizer__look_up(s, dso, addr));
	return sym;
}

const struct symbol *symbolizer__find_kernel(struct symbolizer *s, u64 addr, struct dso **dso)
{
	const struct kernel_maps *k = &s->machine->kernel;

	if (!k->has_text || addr < k->text.start)
		return NULL;
	*dso = s->machine->dsos.v.v[k->text.dso];
	return symbolizer__find(s, *dso, addr);
}
