/* Sources of source lines and inlined functions. */
#include "model/symbolize_private.h"

#include "base/memory/mem.h"

#include <errno.h>
#include <string.h>

static int open_elf(struct symbolizer *s, struct dso *dso, struct dwarf_lines_opts *opts)
{
	int ret = symbolizer__find_file(s, dso, NULL);

	opts->symfs = dso->root;
	opts->places = &dso->places;
	return ret ? ret : dwarf_lines__open(&dso->lines, dso->file, &dso->build_id, opts, NULL);
}

/* Open a debug file by build-id; paths only add places to search. Servers are asked once, at the end. */
static int open_by_id(struct symbolizer *s, struct dso *dso, char *const *paths, size_t nr,
		      struct dwarf_lines_opts *opts)
{
	struct debug_places here = s->finder.opts.places;
	int ret = -ENOENT;

	here.debuginfod = NULL;
	opts->places = &here;
	for (size_t i = 0; ret && i < nr && dso->build_id.size; i++)
		ret = dwarf_lines__open(&dso->lines, paths[i], &dso->build_id, opts, NULL);
	opts->places = &s->finder.opts.places;
	if (ret && nr && dso->build_id.size && s->finder.opts.places.debuginfod)
		ret = dwarf_lines__open(&dso->lines, paths[0], &dso->build_id, opts, NULL);
	return ret;
}

static int open_kernel(struct symbolizer *s, struct dso *dso, struct dwarf_lines_opts *opts)
{
	const struct kernel_maps *k = &s->machine->kernel;
	struct file_search search;
	char image[] = "/boot/vmlinux", *const paths[] = { image };
	int ret = -ENOENT;

	if (dso->is_guest)
		return ret;
	opts->is_kernel = true;
	opts->reference = k->ref_name;
	opts->reference_addr = k->ref_addr;
	if (s->opts.vmlinux)
		return dwarf_lines__open(&dso->lines, s->opts.vmlinux, &dso->build_id, opts, NULL);
	symbolizer__search_vmlinux(s, dso, &search);
	while (ret && !file_search__find(&search))
		ret = dwarf_lines__open(&dso->lines, search.full.buf, &dso->build_id, opts, NULL);
	file_search__end(&search);
	opts->symfs = s->opts.symfs;
	return ret && !s->opts.ignore_vmlinux ? open_by_id(s, dso, paths, 1, opts) : ret;
}

/* Debug files of compressed modules have the plain name. */
static int open_module(struct symbolizer *s, struct dso *dso, struct dwarf_lines_opts *opts)
{
	static const char *const packed[] = { ".gz", ".xz", ".zst" };
	const char *name = dso__long_name(&s->machine->dsos, dso);
	char *paths[2] = { xstrdup(name) };
	size_t len = strlen(name), nr = 1;
	int ret;

	opts->is_kernel = true;
	opts->symfs = s->opts.symfs;
	for (size_t i = 0; i < ARRAY_SIZE(packed); i++) {
		size_t tail = strlen(packed[i]);

		if (len > tail && !strcmp(name + len - tail, packed[i]))
			paths[nr++] = xasprintf("%.*s", (int)(len - tail), name);
	}
	ret = open_by_id(s, dso, paths, nr, opts);
	free(paths[0]);
	free(paths[1]);
	return ret;
}

/* The mapped vdso has no lines; the file comes with the kernel's modules. */
static int open_vdso(struct symbolizer *s, struct dso *dso, struct dwarf_lines_opts *opts)
{
	static const char *const names[] = { "vdso64.so", "vdso.so", "vdso32.so", "vdsox32.so" };
	bool is_known = s->osrelease && !strchr(s->osrelease, '/');
	char *paths[ARRAY_SIZE(names)];
	int ret;

	opts->symfs = s->opts.symfs;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		paths[i] = xasprintf("/lib/modules/%s/vdso/%s", is_known ? s->osrelease : "", names[i]);
	ret = open_by_id(s, dso, paths, ARRAY_SIZE(names), opts);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		free(paths[i]);
	return ret;
}

static const struct {
	enum dso_kind kind;
	int (*open)(struct symbolizer *s, struct dso *dso, struct dwarf_lines_opts *opts);
} kinds[] = {
	{ DSO_ELF, open_elf },
	{ DSO_KERNEL, open_kernel },
	{ DSO_MODULE, open_module },
	{ DSO_VDSO, open_vdso },
};

static void open_lines(struct symbolizer *s, struct dso *dso)
{
	struct dwarf_lines_opts opts = { .places = &s->finder.opts.places };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == dso->kind && kinds[i].open(s, dso, &opts))
			dso->lines = NULL;
}

struct dwarf_lines *symbolizer__lines(struct symbolizer *s, struct dso *dso)
{
	if (__atomic_load_n(&dso->lines_loaded, __ATOMIC_ACQUIRE))
		return dso->lines;
	pthread_mutex_lock(&dso->lock);
	if (!dso->lines_loaded) {
		open_lines(s, dso);
		__atomic_store_n(&dso->lines_loaded, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&dso->lock);
	return dso->lines;
}

const struct names_lines_chunk *symbolizer__stored_lines(struct symbolizer *s, const struct dso *dso)
{
	const struct names_entry *e;

	return !symbolizer__find_embedded(s, dso, &e, NULL) && e->lines.nr_addresses ? &e->lines : NULL;
}

bool symbolizer__has_lines(struct symbolizer *s, struct dso *dso)
{
	return symbolizer__stored_lines(s, dso) || symbolizer__lines(s, dso);
}
