/*
 * Small formats of other programs, users and the kernel: kallsyms, /tmp/perf-PID.map, jitdumps, files of
 * /proc, of /sys and of tracefs, the loader's cache, configuration files; and the list of losses in a
 * recording. The first byte chooses.
 */
#include "base/command/config.h"
#include "binary/symbols/jitdump.h"
#include "binary/symbols/kallsyms.h"
#include "binary/symbols/kallsyms_file.h"
#include "binary/elf/library_path.h"
#include "binary/symbols/perf_map.h"
#include "format/records/clock_pairs.h"
#include "format/records/losses.h"
#include "fuzz.h"
#include "live/bpf_programs.h"
#include "live/facts.h"
#include "live/proc.h"
#include "record/target/kernel_names.h"
#include "record/describe/synthesize_private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void kallsyms(const char *text, size_t size)
{
	struct symtab t;

	symtab__init(&t);
	kallsyms__load(&t, text, size, NULL);
	symtab__exit(&t);
}

/* Searched or read, the answers are the same where the lines are in order. */
static void saved_kallsyms(const char *text, size_t size)
{
	struct symtab found, all;
	struct kallsyms_file *k;
	u64 reference;
	char path[64];
	int fd = fuzz__file(text, size, path);

	symtab__init(&found);
	symtab__init(&all);
	if (!kallsyms__load_file(&all, path, "_text", &reference) && reference &&
	    !kallsyms_file__open(&k, path, "_text", reference)) {
		for (size_t i = 0; i < all.syms.nr; i++) {
			const struct symbol *sym = kallsyms_file__find(k, &found, all.syms.v[i].start);

			if (sym)
				fuzz__touch(symtab__name(&found, sym), strlen(symtab__name(&found, sym)));
		}
		kallsyms_file__close(k);
	}
	symtab__exit(&all);
	symtab__exit(&found);
	close(fd);
}

static void perf_map(const char *text, size_t size)
{
	struct symtab t;

	symtab__init(&t);
	perf_map__parse(&t, text, size);
	symtab__exit(&t);
}

static void proc_maps(const char *text, size_t size)
{
	char *copy = xmalloc(size + 1), *p = copy;
	struct proc_map map;

	memcpy(copy, text, size);
	while (proc_map__parse(&p, copy + size, &map))
		fuzz__touch(map.name, strlen(map.name));
	free(copy);
}

static void proc_status(const char *text, size_t size)
{
	struct proc_status status;

	if (proc_status__parse(text, size, &status))
		fuzz__touch(status.comm, strlen(status.comm));
}

static void see_code(const struct jitdump_code *c, void *ctx)
{
	const u64 *size = ctx;

	if (!c->size || c->addr + c->size < c->addr || c->offset > *size)
		__builtin_trap();
	if (!c->is_move)
		fuzz__touch(c->name, strlen(c->name));
}

static void jitdump(const char *data, size_t size)
{
	struct jitdump_header h;
	u64 whole = size;
	char path[64];
	int fd = fuzz__file(data, size, path);

	jitdump__read(fd, &h, see_code, &whole);
	close(fd);
}

static bool fits(const char *path)
{
	return path[0] == '/' && path[1] == 'x';
}

static void library_cache(const char *data, size_t size)
{
	free(library__find_in_cache(data, size, "libc", fits));
}

/* Those that take text which they may change. */
static void modules(const char *text, size_t size)
{
	char *copy = xmalloc(size + 1), *dep = copy;
	module_array found = { 0 };

	memcpy(copy, text, size);
	copy[size] = '\0';
	iomem__kernel_code(copy);
	for (size_t i = 0; i < size / 2; i++) /* the second half is modules.dep */
		dep++;
	dep = xstrdup(dep);
	copy[size / 2] = '\0';
	modules__parse(copy, &found);
	modules__find_paths(&found, dep);
	for (size_t i = 0; i < found.nr; i++) {
		fuzz__touch(found.v[i].name, strlen(found.v[i].name));
		if (found.v[i].path)
			fuzz__touch(found.v[i].path, strlen(found.v[i].path));
	}
	array__exit(&found);
	free(dep);
	free(copy);
}

static void process_maps(const char *text, size_t size)
{
	const struct synthesize_opts opts = { .data_maps = true };
	struct strbuf out = STRBUF_INIT;
	char *copy = xmalloc(size + 1);

	memcpy(copy, text, size);
	copy[size] = '\0';
	synthesize__maps(&out, 1, copy, size, &opts, NULL);
	fuzz__touch(out.buf, out.len);
	strbuf__exit(&out);
	free(copy);
}

static void kernel_names(const char *text, size_t size)
{
	struct kernel_range range = KERNEL_RANGE_INIT;
	kernel_name_array found = { 0 };
	struct err near = ERR_INIT;

	kernel_names__find(text, size, "jiffies", &found, NULL);
	kernel_names__suggest(text, size, "jiffie", &near);
	kernel_range__see(&range, text, size);
	array__exit(&found);
	err__exit(&near);
}

static void btf(const char *data, size_t size)
{
	for (u32 id = 0; id < 16; id++) {
		const char *name = btf__type_name(data, size, id);

		if (name)
			fuzz__touch(name, strlen(name));
	}
}

/* One text in place of all files that tell about the machine. */
static void facts(const char *text, size_t size)
{
	static const char *const folders[] = { "self", "sys", "sys/kernel", "bus", "bus/event_source" };
	static const char *const files[] = { "self/status", "self/limits", "sys/kernel/perf_event_paranoid",
					     "kallsyms",    "cpuinfo",     "mounts",
					     "self/mounts" };
	char dir[] = "/dev/shm/fuzz-facts.XXXXXX", path[128];
	struct facts f;
	int fd;

	if (!mkdtemp(dir))
		abort();
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		mkdir(path, 0700);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || file__write_all(fd, text, size))
			abort();
		close(fd);
	}
	facts__read(&f, dir, dir);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	for (size_t i = ARRAY_SIZE(folders); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", dir, folders[i]);
		rmdir(path);
	}
	rmdir(dir);
}

/* What was read once is written and read again as it is. */
static void losses(const char *text, size_t size)
{
	struct losses l = { 0 }, again = { 0 };
	struct strbuf out = STRBUF_INIT;

	if (!losses__read(&l, text, size)) {
		losses__tell(&l, &out);
		strbuf__reset(&out);
		losses__write(&l, &out);
		if (losses__read(&again, out.buf, out.len) || again.events.nr != l.events.nr)
			abort();
	}
	losses__exit(&l);
	losses__exit(&again);
	strbuf__exit(&out);
}

static void clocks(const char *text, size_t size)
{
	struct clock_pairs p, again;
	struct strbuf out = STRBUF_INIT;

	if (!clock_pairs__read(&p, text, size)) {
		clock_pairs__to_recording(&p, p.begin.monotonic / 2 + p.end.monotonic / 2);
		clock_pairs__write(&p, &out);
		if (clock_pairs__read(&again, out.buf, out.len) || memcmp(&p, &again, sizeof(p)) != 0)
			abort();
	}
	strbuf__exit(&out);
}

/* A value that is set is read again, whatever else the file says. */
static void configuration(const char *text, size_t size)
{
	struct config c = { 0 };
	struct strbuf file = STRBUF_INIT;
	const char *value = " a#b\"\\\n";

	strbuf__add(&file, text, size);
	config__edit(&file, "sec.name", value);
	config__parse(&c, "file", file.buf, file.len, NULL);
	if (!config__find(&c, "sec.name") || strcmp(config__find(&c, "sec.name")->value, value) != 0)
		abort();
	config__exit(&c);
	strbuf__exit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *text, size_t size) = {
		kallsyms, saved_kallsyms, perf_map, proc_maps,    proc_status,
		jitdump,  library_cache,  modules,  process_maps, kernel_names,
		btf,      facts,          losses,   clocks,       configuration,
	};

	if (size)
		parsers[data[0] % ARRAY_SIZE(parsers)]((const char *)data + 1, size - 1);
	return 0;
}
