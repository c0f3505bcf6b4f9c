/* The maps of the kernel and its modules. */
#include "record/describe/synthesize_private.h"

#include "base/memory/hash.h"
#include "binary/elf/build_id.h"
#include "binary/symbols/kallsyms.h"
#include "format/records/build.h"
#include "live/bpf_programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { CHUNK_FIRST = 4096, CHUNK = 1 << 16 };

static bool line__is(const struct kallsyms_line *line, const char *name)
{
	return line->name_len == strlen(name) && !memcmp(line->name, name, line->name_len);
}

/* Symbols are sorted by address, except a few at and near 0. */
static int kernel_range__line(const struct kallsyms_line *line, void *ctx)
{
	struct kernel_range *k = ctx;

	if (line->module || !line->addr)
		return 0;
	k->lowest = MIN(k->lowest, line->addr);
	if (line__is(line, "_text"))
		k->text = line->addr;
	else if (line__is(line, "_stext"))
		k->stext = line->addr;
	else if (line__is(line, "_etext"))
		k->etext = line->addr;
	if (!k->end && !k->etext)
		return 0;
	return k->text || (k->stext && line->addr > k->stext);
}

bool kernel_range__see(struct kernel_range *k, const char *text, size_t size)
{
	return kallsyms__parse(text, size, kernel_range__line, k) > 0;
}

u64 iomem__kernel_code(const char *text)
{
	const char *p = strstr(text, " : Kernel code");
	unsigned long long start, end;

	if (!p)
		return 0;
	while (p > text && p[-1] != '\n')
		p--;
	if (sscanf(p, " %llx-%llx", &start, &end) != 2 || !start || end <= start)
		return 0;
	return end - start + 1;
}

/*
 * The kernel takes tens of milliseconds to print its 100,000 symbols. The start of the code is among the
 * first, but the end comes late. On x86, /proc/iomem has the size of the code, too.
 */
static u64 kernel__code_size(void)
{
#if defined(__x86_64__) || defined(__i386__)
	struct strbuf sb = STRBUF_INIT;
	u64 size = file__read("/proc/iomem", &sb, 0) ? 0 : iomem__kernel_code(sb.buf);

	strbuf__exit(&sb);
	return size;
#else
	return 0;
#endif
}

/* Read /proc/kallsyms only as far as needed. */
static int kernel_range__read(struct kernel_range *k)
{
	int fd = file__open_regular("/proc/kallsyms");
	char *buffer, *line_end;
	size_t have = 0, want = CHUNK_FIRST;
	bool hidden = false;

	if (fd < 0)
		return fd;
	buffer = xmalloc(CHUNK);
	for (;;) {
		ssize_t n = read(fd, buffer + have, want - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
		line_end = memrchr(buffer, '\n', have);
		if (!line_end)
			break;
		line_end++;
		if (kernel_range__see(k, buffer, (size_t)(line_end - buffer)))
			break;
		hidden = k->lowest == UINT64_MAX && have >= want / 2;
		have -= (size_t)(line_end - buffer);
		memmove(buffer, line_end, have);
		if (hidden && want == CHUNK) /* a thousand zero addresses in a row: all are hidden */
			break;
		want = CHUNK;
	}
	free(buffer);
	close(fd);
	return 0;
}

/*
 * Write an MMAP record, because samply ignores a kernel in an MMAP2 record. The build-id follows in a record
 * of its own: the file of a killed recorder has no BUILD_ID feature.
 */
static void add_kernel_record(struct strbuf *out, const struct synthesize_opts *opts, u64 start, u64 len,
			      const char *name)
{
	struct build_id id;

	build__mmap(out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, start, len, start, name, opts->id_size);
	if (opts->build_ids && !build_id__of_kernel(&id))
		build__build_id_record(out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, id.data, id.size,
				       "[kernel.kallsyms]");
}

/* Return 0, -EPERM if the addresses are hidden, or the error of reading. */
static int synthesize__kernel_map(struct strbuf *out, const struct synthesize_opts *opts)
{
	struct kernel_range k = KERNEL_RANGE_INIT;
	u64 size = kernel__code_size(), start, end;
	int ret;

	k.end = size;
	ret = kernel_range__read(&k);
	start = k.text ? k.text : k.stext;
	if (ret || !start)
		return ret ? ret : -EPERM;
	end = k.etext ? k.etext : start + size;
	add_kernel_record(out, opts, start, end > start ? end - start : UINT64_MAX - start,
			  k.text ? "[kernel.kallsyms]_text" : "[kernel.kallsyms]_stext");
	return 0;
}

/* name size refcount users state address [taints] */
static bool module__parse(char *line, struct module *m)
{
	unsigned long long size, addr;
	char *save, *name = strtok_r(line, " ", &save), *word;

	if (!name || !*name)
		return false;
	word = strtok_r(NULL, " ", &save);
	if (!word || sscanf(word, "%llu", &size) != 1)
		return false;
	for (int i = 0; i < 4 && word; i++)
		word = strtok_r(NULL, " ", &save);
	if (!word || sscanf(word, "%llx", &addr) != 1 || !addr || !size)
		return false;
	*m = (struct module){ .name = name, .start = addr, .len = size };
	return true;
}

void modules__parse(char *text, module_array *modules)
{
	char *save, *line;
	struct module m;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (module__parse(line, &m))
			array__add(modules, m);
}

/* Module names have underscores; their file names may have dashes. */
static void module_name__normalize(char *name)
{
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

static int module__cmp_name(const void *a, const void *b)
{
	return strcmp((*(struct module *const *)a)->name, (*(struct module *const *)b)->name);
}

/* "kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz ..." */
static void modules__see_dep(struct module **by_name, size_t nr, char *line)
{
	char name[64], *colon = strchr(line, ':'), *base, *dot;
	struct module key = { .name = name }, *want = &key, **found;

	if (!colon)
		return;
	*colon = '\0';
	base = strrchr(line, '/');
	base = base ? base + 1 : line;
	dot = strstr(base, ".ko");
	if (!dot || (size_t)(dot - base) >= sizeof(name))
		return;
	memcpy(name, base, (size_t)(dot - base));
	name[dot - base] = '\0';
	module_name__normalize(name);
	found = bsearch(&want, by_name, nr, sizeof(*by_name), module__cmp_name);
	if (found)
		(*found)->path = line;
}

void modules__find_paths(module_array *modules, char *dep)
{
	struct module **by_name = xreallocarray(NULL, modules->nr + 1, sizeof(*by_name));
	char *save, *line;

	for (size_t i = 0; i < modules->nr; i++)
		by_name[i] = &modules->v[i];
	qsort(by_name, modules->nr, sizeof(*by_name), module__cmp_name);
	for (line = strtok_r(dep, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		modules__see_dep(by_name, modules->nr, line);
	free(by_name);
}

u64 modules__hash(const module_array *modules)
{
	u64 hash = 0;

	for (size_t i = 0; i < modules->nr; i++) {
		const struct module *m = &modules->v[i];

		hash = hash__add(hash__add(hash__bytes(m->name, strlen(m->name), hash), m->start), m->len);
	}
	return hash;
}

/* Are these the same modules as in the last call? */
static bool module_records__are_same(struct module_records *r, const module_array *modules)
{
	u64 before = r->list;

	r->list = modules__hash(modules);
	return r->list == before;
}

static bool module_records__have(const struct module_records *r, const char *map, size_t size)
{
	const struct perf_event_header *h;

	for (size_t pos = 0; pos < r->maps.len; pos += h->size) {
		h = (const void *)(r->maps.buf + pos);
		if (h->size == size && !memcmp(h, map, size))
			return true;
	}
	return false;
}

void modules__add_records(const module_array *modules, const char *folder, const struct synthesize_opts *opts,
			  struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT, map = STRBUF_INIT;

	for (size_t i = 0; i < modules->nr; i++) {
		const struct module *m = &modules->v[i];

		strbuf__reset(&name);
		strbuf__reset(&map);
		if (m->path && m->path[0] == '/')
			strbuf__addstr(&name, m->path);
		else if (m->path)
			strbuf__addf(&name, "%s/%s", folder, m->path);
		else
			strbuf__addf(&name, "[%s]", m->name);
		build__mmap(&map, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, m->start, m->len, 0, name.buf,
			    opts->id_size);
		if (opts->modules && module_records__have(opts->modules, map.buf, map.len))
			continue;
		if (opts->modules)
			strbuf__add(&opts->modules->maps, map.buf, map.len);
		strbuf__add(out, map.buf, map.len);
	}
	strbuf__exit(&name);
	strbuf__exit(&map);
}

static void synthesize__modules(struct strbuf *out, const struct synthesize_opts *opts)
{
	struct strbuf text = STRBUF_INIT, dep = STRBUF_INIT;
	module_array modules = { 0 };
	char *folder = NULL, *dep_path;
	struct utsname uts;

	if (!file__read("/proc/modules", &text, 0))
		modules__parse(text.buf, &modules);
	if (opts->modules && module_records__are_same(opts->modules, &modules))
		modules.nr = 0; /* so that modules.dep, which is large, need not be read */
	if (modules.nr && !uname(&uts)) {
		folder = xasprintf("/lib/modules/%s", uts.release);
		dep_path = xasprintf("%s/modules.dep", folder);
		if (!file__read(dep_path, &dep, 0))
			modules__find_paths(&modules, dep.buf);
		free(dep_path);
	}
	modules__add_records(&modules, folder, opts, out);
	free(folder);
	array__exit(&modules);
	strbuf__exit(&text);
	strbuf__exit(&dep);
}

/*
 * A module gets a directory before its first code runs. The link count of /sys/module counts the
 * directories.
 */
static u64 count_module_folders(void)
{
	struct stat st;

	return stat("/sys/module", &st) ? 0 : (u64)st.st_nlink;
}

void synthesize__new_modules(struct strbuf *out, const struct synthesize_opts *opts, bool always)
{
	u64 folders = opts->no_kernel ? 0 : count_module_folders();

	if (opts->no_kernel || (!always && folders == opts->modules->folders))
		return;
	opts->modules->folders = folders;
	synthesize__modules(out, opts);
}

struct bpf_synthesis {
	struct strbuf *out;
	size_t id_size;
};

static void add_bpf_code(const struct bpf_code *c, void *ctx)
{
	const struct bpf_synthesis *s = ctx;

	build__ksymbol(s->out, c->addr, c->len, c->name, s->id_size);
}

int synthesize__kernel(struct strbuf *out, const struct synthesize_opts *opts, bool *hidden, struct err *err)
{
	int ret;

	if (hidden)
		*hidden = false;
	if (opts->no_kernel)
		return 0;
	ret = synthesize__kernel_map(out, opts);
	if (ret == -EPERM || ret == -EACCES) {
		if (hidden)
			*hidden = true;
		return 0;
	}
	if (ret && ret != -ENOENT) /* without kallsyms the kernel has no symbols to show */
		return err__set(err, ret, "cannot read '/proc/kallsyms': %s", err__str(ret));
	if (opts->modules) {
		strbuf__reset(&opts->modules->maps);
		opts->modules->list = 0;
		opts->modules->folders = count_module_folders();
	}
	synthesize__modules(out, opts);
	bpf_programs__for_each(add_bpf_code, &(struct bpf_synthesis){ out, opts->id_size });
	return 0;
}
