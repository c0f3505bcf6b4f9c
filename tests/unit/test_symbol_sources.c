/*
 * Which source names come from: files of the recorded build, of the recorded name, names stored in the
 * recording; the kernel's from kallsyms or a vmlinux. Each source has another name for the same
 * function, so the name shows the source.
 */
#include "unit.h"

#include "base/system/file.h"
#include "binary/symbols/elf_symbols.h"
#include "binary/symbols/vdso.h"
#include "format/file/names_section.h"
#include "format/records/build.h"
#include "format/write/writer.h"
#include "model/session.h"
#include "model/symbolize_private.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PID = 77, CODE_AT = 0x10000000, CODE_LEN = 0x1000 };
static const u64 KERNEL_AT = 0xffffffff9b000000;

static char dir[] = "/tmp/perf-unit-sources.XXXXXX";
static char binary[64], module[64], recording[64], kallsyms[64];
static struct utsname host;
static u64 outermost, by_fp; /* addresses of functions of the binary */
static u32 by_fp_size;

/* What is recorded, and what is there when it is read. */
struct made {
	const char *hostname, *osrelease; /* NULL: not recorded */
	const char *kernel;               /* name of the kernel's map, or NULL */
	const char *module;               /* name of a module's map, or NULL */
	u64 module_at;
	u64 ref;                    /* address of the kernel's reference symbol; else the map's file offset */
	u64 len;                    /* of the binary's map; 0: CODE_LEN */
	bool is_data;               /* the map is not of code */
	const struct build_id *id;  /* of the binary, or of the kernel */
	const char *path;           /* of the binary, if not binary */
	const char *stored;         /* name that is stored for by_fp, or NULL */
	const char *stored_made_up; /* name that is stored for outermost and is made up, or NULL */
	u64 stored_at;              /* if not by_fp */
	u32 stored_size;            /* if not that of by_fp */
	bool is_made_up;
	u32 flags;
	struct symbolize_opts opts;
};

static struct session *s;

static void add_string(struct writer *w, enum feature f, const char *text)
{
	char buf[4 + 128] = { 0 };

	if (!text)
		return;
	buf[0] = 64;
	snprintf(buf + 4, 64, "%s", text);
	writer__feature(w, f, buf, 4 + 64);
}

static void add_stored(struct writer *w, const struct made *m)
{
	struct names_symbol symbols[] = {
		{ .start = m->stored_at ?: by_fp,
		  .size = m->stored_size ?: by_fp_size,
		  .name = m->stored,
		  .hits = 1,
		  .is_made_up = m->is_made_up },
		{ .start = outermost, .size = 4, .name = m->stored_made_up, .hits = 1, .is_made_up = true },
	};
	struct names_dso d = { .id.name = m->kernel ? "[kernel.kallsyms]"
					  : m->path ? m->path
						    : binary,
			       .flags = m->flags,
			       .symbols = { .v = symbols, .nr = 1 + !!m->stored_made_up } };
	struct strbuf out = STRBUF_INIT;

	if (m->id)
		d.id.build_id = *m->id;
	names_section__write(&out, &d, 1, 1 << 20);
	assert_int_equal(writer__extension(w, EXTENSION_NAMES, out.buf, out.len), 0);
	strbuf__exit(&out);
}

static void write_recording(const struct made *m)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	bool is_kernel = m->kernel || m->module;
	struct mmap_record map = { .pid = is_kernel ? UINT32_MAX : PID,
				   .tid = is_kernel ? 0 : PID,
				   .start = m->kernel ? KERNEL_AT : m->module ? m->module_at : CODE_AT,
				   .len = m->kernel ? 0x100000 : m->len ?: CODE_LEN,
				   .pgoff = m->ref,
				   .filename = m->kernel ?: m->module ?: m->path ?: binary,
				   .prot = m->is_data ? 1 : 5 };
	u16 misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	struct strbuf records = STRBUF_INIT;
	struct evlist l;
	struct writer *w;

	evlist__init(&l);
	evlist__add_id(&l, evlist__add(&l, &attr, sizeof(attr), "cpu-clock"), 7);
	assert_int_equal(writer__open(&w, recording, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__begin(w, &l, NULL), 0);
	if (m->id) {
		map.has_build_id = true;
		map.build_id = m->id->data;
		map.build_id_size = m->id->size;
		build__mmap2(&records, misc, &map, 0);
	} else {
		build__mmap(&records, misc, map.pid, map.tid, map.start, map.len, map.pgoff, map.filename, 0);
	}
	writer__write(w, records.buf, records.len);
	add_string(w, FEATURE_HOSTNAME, m->hostname);
	add_string(w, FEATURE_OSRELEASE, m->osrelease);
	writer__feature(w, FEATURE_SAMPLE_TIME, "", 0); /* it tells where stored names are */
	if (m->stored)
		add_stored(w, m);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	strbuf__exit(&records);
	evlist__exit(&l);
}

/* The one dso of the recording, but for [unknown]. */
static struct dso *open_made(const struct made *m)
{
	struct session_opts opts = { .symbols = m->opts };

	write_recording(m);
	assert_int_equal(session__open(&s, recording, &opts, NULL), 0);
	if (m->kernel)
		return s->machine.dsos.v.v[s->machine.kernel.text.dso];
	if (m->module)
		return s->machine.dsos.v.v[s->machine.kernel.maps.v.v[0].map->dso];
	for (size_t i = 0; i < s->machine.dsos.v.nr; i++)
		if (!strcmp(dso__long_name(&s->machine.dsos, s->machine.dsos.v.v[i]), m->path ?: binary))
			return s->machine.dsos.v.v[i];
	fail();
	return NULL;
}

static const char *name_at(struct dso *dso, u64 addr)
{
	const struct symbol *sym = symbolizer__find(&s->symbolizer, dso, addr);

	return sym ? symtab__name(&dso->symtab, sym) : "-";
}

/* why: part of the reason if there are no names, or NULL */
static void expect(const struct made *m, u64 addr, const char *name, const char *why)
{
	struct dso *dso = open_made(m);

	assert_string_equal(name_at(dso, addr), name);
	if (why && (!dso->load_reason || !strstr(dso->load_reason, why)))
		fail_msg("'%s', expected '%s'", dso->load_reason ?: "no reason", why);
	session__delete(s);
}

/* Make the file older or newer than any recording of the test. */
static void set_age(const char *path, bool is_old)
{
	struct timespec t[2];

	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[0].tv_sec += is_old ? -1000 : 1000;
	t[1] = t[0];
	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

/* Take the table of symbols from a copy of an ELF file, or of another type: the dynamic ones. */
static void strip(const char *path, u32 type)
{
	struct strbuf b = STRBUF_INIT;
	Elf64_Ehdr *e;
	int fd;

	assert_int_equal(file__read(path, &b, 0), 0);
	e = (Elf64_Ehdr *)(void *)b.buf;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		Elf64_Shdr *sh = (Elf64_Shdr *)(void *)(b.buf + e->e_shoff + (u64)i * e->e_shentsize);

		if (sh->sh_type == type)
			sh->sh_type = SHT_NULL;
	}
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(file__write_all(fd, b.buf, b.len), 0);
	close(fd);
	strbuf__exit(&b);
}

static void copy(const char *from, const char *to)
{
	struct strbuf b = STRBUF_INIT;
	int fd = open(to, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	assert_int_equal(file__read(from, &b, 0), 0);
	assert_int_equal(file__write_all(fd, b.buf, b.len), 0);
	close(fd);
	strbuf__exit(&b);
}

static char *source(void)
{
	const char *src = getenv("PERF_SRC");

	return xasprintf("%s/tests/data/arm64-frames/shapes.so", src ? src : ".");
}

static void copy_binary(bool is_stripped, bool is_old)
{
	char *from = source();

	copy(from, binary);
	if (is_stripped)
		strip(binary, SHT_SYMTAB);
	set_age(binary, is_old);
	free(from);
}

static void a_file_of_the_recorded_name(void **state)
{
	(void)state;
	copy_binary(false, true);
	expect(&(struct made){ 0 }, by_fp, "by_fp", NULL);
	expect(&(struct made){ .hostname = host.nodename }, by_fp, "by_fp", NULL);
	expect(&(struct made){ .osrelease = host.release }, by_fp, "by_fp", NULL);
	expect(&(struct made){ .hostname = host.nodename, .osrelease = "1.2.3" }, by_fp, "by_fp", NULL);
	/* of another machine: the file may be any */
	expect(&(struct made){ .hostname = "elsewhere" }, by_fp, "-", "use --symfs");
	expect(&(struct made){ .hostname = "elsewhere", .osrelease = host.release }, by_fp, "-",
	       "use --symfs");
	expect(&(struct made){ .osrelease = "1.2.3" }, by_fp, "-", "use --symfs");
	expect(&(struct made){ .hostname = "elsewhere", .opts.symfs = "/." }, by_fp, "by_fp", NULL);
	expect(&(struct made){ .path = "no file" }, by_fp, "-", "not a file");
	expect(&(struct made){ .opts.symfs = "/nowhere" }, by_fp, "-", NULL);
	unlink(binary);
	expect(&(struct made){ 0 }, by_fp, "-", binary);
}

static void names_in_the_recording(void **state)
{
	static const struct made real = { .stored = "stored" };
	struct made made_up = { .stored = "made@1", .is_made_up = true }, m;

	(void)state;
	copy_binary(false, true);
	expect(&real, by_fp, "stored", NULL);
	expect(&(struct made){ .stored = "stored", .hostname = "elsewhere" }, by_fp, "stored", NULL);
	expect(&(struct made){ .stored = "stored", .opts.symfs = "/." }, by_fp, "by_fp", NULL);
	expect(&(struct made){ .stored = "stored", .opts.symfs = "/nowhere" }, by_fp, "stored", NULL);
	/* the file has real names, and was not changed since */
	expect(&made_up, by_fp, "by_fp", NULL);
	m = made_up;
	m.stored_at = by_fp + 2;
	expect(&m, by_fp, "by_fp", NULL);
	/* it may have been changed: its functions must be where they were */
	set_age(binary, false);
	expect(&made_up, by_fp, "by_fp", NULL);
	expect(&m, by_fp + 2, "made@1", NULL);
	m = made_up;
	m.stored_size = by_fp_size + 4;
	expect(&m, by_fp, "made@1", NULL);
	m = real;
	m.flags = NAMES_EXPORTED_ONLY;
	expect(&m, by_fp, "by_fp", NULL);
	/* it has exported names only */
	copy_binary(true, true);
	expect(&made_up, by_fp, "made@1", NULL);
	expect(&m, by_fp, "stored", NULL);
	m.opts.symfs = "/.";
	expect(&m, by_fp, "by_fp", NULL);
	m.flags = 0;
	expect(&m, by_fp, "stored", NULL); /* better than what is left of the file's */
	unlink(binary);
	expect(&made_up, by_fp, "made@1", NULL);
	made_up.opts.no_made_up_names = true;
	expect(&made_up, by_fp, "-", NULL);
	/* what is left of the file's names is better than none */
	copy_binary(true, true);
	expect(&made_up, by_fp, "by_fp", NULL);
	made_up.opts.symfs = "/.";
	expect(&made_up, by_fp, "by_fp", NULL);
	made_up.opts.no_made_up_names = false; /* but the recorder had seen more of the binary */
	expect(&made_up, by_fp, "made@1", NULL);
	made_up.stored = "stored";
	made_up.stored_made_up = "made@2";
	made_up.is_made_up = false;
	made_up.opts.no_made_up_names = true;
	expect(&made_up, by_fp, "stored", NULL); /* one of two stored names is real */
	/* options for the kernel's names do not matter */
	expect(&(struct made){ .stored = "stored", .opts.kallsyms = kallsyms, .opts.vmlinux = kallsyms },
	       by_fp, "stored", NULL);
	/* an empty option is none */
	expect(&(struct made){ .stored = "stored", .opts.symfs = "" }, by_fp, "stored", NULL);
}

/* Of names in the recording, those that are made up can be left out. */
static void made_up_names_are_left_out(void **state)
{
	struct made m = { .stored = "stored", .stored_made_up = "made@1" };

	(void)state;
	unlink(binary);
	for (int without = 0; without < 2; without++) {
		struct dso *dso;
		const struct symbol *sym;

		m.opts.no_made_up_names = without;
		dso = open_made(&m);
		assert_string_equal(name_at(dso, by_fp), "stored");
		sym = symbolizer__find(&s->symbolizer, dso, by_fp);
		assert_false(sym->is_made_up);
		assert_string_equal(name_at(dso, outermost), without ? "-" : "made@1");
		sym = symbolizer__find(&s->symbolizer, dso, outermost);
		assert_true(without ? !sym : sym->is_made_up);
		session__delete(s);
	}
}

/* A binary without any symbols: the borders of its functions are in its call frame information. */
static void functions_without_symbols_have_made_up_names(void **state)
{
	struct made m = { 0 };
	char name[64];

	(void)state;
	copy_binary(true, true);
	strip(binary, SHT_DYNSYM);
	snprintf(name, sizeof(name), "binary.so@0x%llx", (unsigned long long)by_fp);
	expect(&m, by_fp, name, NULL);
	expect(&m, 0, "-", NULL); /* no code */
	m.opts.no_made_up_names = true;
	expect(&m, by_fp, "-", NULL);
	unlink(binary);
	m.opts.no_made_up_names = false;
	expect(&m, by_fp, "-", binary);
}

/* Only user code was recorded. */
static void a_recording_may_have_no_kernel(void **state)
{
	struct dso *dso = NULL;

	(void)state;
	open_made(&(struct made){ 0 });
	assert_false(s->machine.kernel.has_text);
	assert_null(symbolizer__searched_kernel(&s->symbolizer));
	symbolizer__preload_kernel(&s->symbolizer);
	assert_false(s->symbolizer.preloading);
	assert_null(symbolizer__find_kernel(&s->symbolizer, KERNEL_AT, &dso));
	assert_null(dso);
	session__delete(s);
}

/* The build-id cache has files of this machine, not of those below --symfs; an empty name is none. */
static void a_cache_is_of_this_machine(void **state)
{
	static const struct {
		const char *cache, *symfs;
		bool is_used;
	} cases[] = { { "/cache", NULL, true },
		      { "/cache", "", true },
		      { "/cache", "/symfs", false },
		      { "", NULL, false },
		      { NULL, NULL, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		open_made(
			&(struct made){ .opts = { .buildid_dir = cases[i].cache, .symfs = cases[i].symfs } });
		if (cases[i].is_used)
			assert_string_equal(s->symbolizer.finder.opts.places.buildid_dir, "/cache");
		else
			assert_null(s->symbolizer.finder.opts.places.buildid_dir);
		session__delete(s);
	}
}

static void a_file_of_the_recorded_build(void **state)
{
	struct build_id id, other = { .size = 20, .data = { 1, 2, 3 } };
	u64 start = 0, size = 0;
	struct symtab t;
	char exe[256];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	(void)state;
	assert_true(n > 0);
	exe[n] = '\0';
	if (build_id__of_file(exe, &id))
		skip();
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, exe, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), "main")) {
			start = t.syms.v[i].start;
			size = t.syms.v[i].size;
		}
	symtab__exit(&t);
	assert_true(start && size);
	expect(&(struct made){ .path = exe, .id = &id }, start, "main", NULL);
	expect(&(struct made){ .path = exe, .id = &id, .hostname = "elsewhere" }, start, "main", NULL);
	expect(&(struct made){ .path = exe, .id = &id, .stored = "stored", .stored_at = start }, start,
	       "main", NULL);
	expect(&(struct made){ .path = exe, .id = &other }, start, "-", exe);
	expect(&(struct made){ .path = exe, .id = &other, .stored = "stored", .stored_at = start }, start,
	       "stored", NULL);
}

/* Find the size and the file offset of the map of this program's code. */
static void find_own_code(u64 *len, u64 *offset)
{
	u64 addr = (u64)(uintptr_t)find_own_code;
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, pgoff;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &pgoff) == 3 && start <= addr &&
		    addr < end) {
			*len = end - start;
			*offset = pgoff;
		}
	fclose(f);
}

/*
 * The binary is gone, and its debug file is in the build-id cache. It does not have the offsets of the
 * binary, which its maps tell; else names in the recording are better.
 */
static void a_debug_file_needs_no_binary(void **state)
{
	char cache[64], folder[128], file[160];
	struct build_id id;
	struct symtab t;
	u64 start = 0;
	struct made m = { .path = "/nowhere/program", .id = &id, .opts.buildid_dir = cache };

	(void)state;
	if (build_id__of_file("/proc/self/exe", &id))
		skip();
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, "/proc/self/exe", NULL, NULL, NULL), 0);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), "main"))
			start = t.syms.v[i].start;
	symtab__exit(&t);
	snprintf(cache, sizeof(cache), "%s/cache", dir);
	snprintf(folder, sizeof(folder), "%s/.build-id/%02x/", cache, id.data[0]);
	for (u8 i = 1; i < id.size; i++)
		snprintf(folder + strlen(folder), 3, "%02x", id.data[i]);
	snprintf(file, sizeof(file), "%s/debug", folder);
	for (char *p = folder + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		assert_int_equal(mkdir(folder, 0700), 0);
	}
	assert_int_equal(mkdir(folder, 0700), 0);
	expect(&m, start, "-", "/nowhere/program");
	copy("/proc/self/exe", file);
	find_own_code(&m.len, &m.ref);
	expect(&m, start, "main", NULL);
	m.stored = "stored";
	m.stored_at = start;
	expect(&m, start, "main", NULL);
	m.is_data = true; /* it tells nothing of the code */
	expect(&m, start, "stored", NULL);
	unlink(file);
	while (strlen(folder) > strlen(dir)) {
		assert_int_equal(rmdir(folder), 0);
		*strrchr(folder, '/') = '\0';
	}
}

static void call_frame_information_is_of_the_recorded_build(void **state)
{
	static const struct build_id other = { .size = 20, .data = { 1, 2, 3 } };
	struct dso *dso;
	struct cfi *cfi;

	(void)state;
	copy_binary(false, true);
	dso = open_made(&(struct made){ 0 });
	cfi = symbolizer__cfi(&s->symbolizer, dso);
	assert_non_null(cfi);
	assert_non_null(cfi__find(cfi, by_fp));
	assert_ptr_equal(symbolizer__cfi(&s->symbolizer, dso), cfi);
	session__delete(s);
	dso = open_made(&(struct made){ .hostname = "elsewhere" });
	assert_null(symbolizer__cfi(&s->symbolizer, dso));
	session__delete(s);
	dso = open_made(&(struct made){ .id = &other });
	assert_null(symbolizer__cfi(&s->symbolizer, dso));
	session__delete(s);
	dso = open_made(&(struct made){ .kernel = "[kernel.kallsyms]_text", .ref = KERNEL_AT });
	assert_null(symbolizer__cfi(&s->symbolizer, dso));
	session__delete(s);
}

static void memory_is_given_back_and_names_stay(void **state)
{
	struct dso_place places[2] = { 0 };
	struct symbol_wants wants = { .places = { .v = places, .nr = 2 } };
	struct dso *dso;

	(void)state;
	copy_binary(false, true);
	for (int spares = 0; spares < 2; spares++) {
		dso = open_made(&(struct made){ .opts.spares_memory = spares });
		places[0] = (struct dso_place){ dso, outermost };
		places[1] = (struct dso_place){ dso, by_fp };
		wants.dsos.v = &dso;
		wants.dsos.nr = 1;
		symbolizer__load_all(&s->symbolizer, &wants, 2);
		assert_int_equal(dso->loaded, !spares);
		if (spares) /* what was asked for needs no table */
			unlink(binary);
		assert_string_equal(name_at(dso, outermost), "outermost");
		assert_string_equal(name_at(dso, by_fp), "by_fp");
		assert_int_equal(dso->loaded, !spares);
		/* else a symbol is that of the table */
		assert_int_equal(symbolizer__find(&s->symbolizer, dso, by_fp) ==
					 symtab__find(&dso->symtab, by_fp),
				 !spares);
		session__delete(s);
	}
}

static void a_vmlinux_moves_by_the_reference(void **state)
{
	struct made m = { .kernel = "[kernel.kallsyms]outermost", .ref = KERNEL_AT, .opts.vmlinux = binary };

	(void)state;
	copy_binary(false, true);
	expect(&m, KERNEL_AT + by_fp - outermost, "by_fp", NULL);
	expect(&m, by_fp, "-", NULL);
	m.stored = "stored";
	expect(&m, KERNEL_AT + by_fp - outermost, "by_fp", NULL);
	m.stored = NULL;
	/* without a reference it is where it was linked */
	m.kernel = "[kernel.kallsyms]no_such_symbol";
	expect(&m, by_fp, "by_fp", NULL);
	m.kernel = "[kernel.kallsyms]";
	m.ref = 0;
	expect(&m, by_fp, "by_fp", NULL);
	m.opts.kallsyms = kallsyms; /* --vmlinux comes first */
	expect(&m, by_fp, "by_fp", NULL);
	m.opts.kallsyms = NULL;
	unlink(binary);
	expect(&m, by_fp, "-", binary);
}

/* The first vmlinux with symbols where distributions put it, below the root: this program, as a kernel. */
static void a_vmlinux_of_the_recorded_build_is_searched(void **state)
{
	static const char *const folders[] = { "",         "/boot",          "/usr",
					       "/usr/lib", "/usr/lib/debug", "/usr/lib/debug/boot" };
	char *root = xasprintf("%s/root", dir), *first = xasprintf("%s/boot/vmlinux-1.2.3", root),
	     *second = xasprintf("%s/usr/lib/debug/boot/vmlinux-1.2.3", root), path[128];
	struct build_id id;
	struct made m = { .kernel = "[kernel.kallsyms]main",
			  .ref = KERNEL_AT,
			  .osrelease = "1.2.3",
			  .id = &id,
			  .opts.symfs = root };

	(void)state;
	if (build_id__of_file("/proc/self/exe", &id))
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	expect(&m, KERNEL_AT, "-", "--symfs");
	copy("/proc/self/exe", second);
	expect(&m, KERNEL_AT, "main", NULL);
	copy(kallsyms, first); /* not a binary */
	expect(&m, KERNEL_AT, "main", NULL);
	copy(second, first);
	strip(first, SHT_SYMTAB);
	expect(&m, KERNEL_AT, "main", NULL);
	copy(second, first);
	copy(kallsyms, second); /* it is not looked at */
	expect(&m, KERNEL_AT, "main", NULL);
	m.opts.ignore_vmlinux = true;
	expect(&m, KERNEL_AT, "-", "--symfs");
	unlink(first);
	unlink(second);
	for (size_t i = ARRAY_SIZE(folders); i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		assert_int_equal(rmdir(path), 0);
	}
	free(root);
	free(first);
	free(second);
}

static void names_of_the_recorded_kernel(void **state)
{
	static const struct build_id other = { .size = 20, .data = { 1, 2, 3 } };
	struct made m = { .kernel = "[kernel.kallsyms]_text", .ref = KERNEL_AT, .opts.kallsyms = kallsyms };
	const u64 first = 0xffffffff81001000;

	(void)state;
	expect(&m, KERNEL_AT + 0x1000, "first", NULL);
	m.kernel = "[kernel.kallsyms]no_such_symbol";
	expect(&m, first, "first", NULL);
	m.kernel = "[kernel.kallsyms]_text";
	m.stored = "stored"; /* the option comes first */
	m.stored_at = KERNEL_AT + 0x1000;
	expect(&m, KERNEL_AT + 0x1000, "first", NULL);
	/* another kernel than the one that runs: only stored names are of it */
	m.opts.kallsyms = NULL;
	m.id = &other;
	expect(&m, KERNEL_AT + 0x1000, "stored", NULL);
	m.flags = NAMES_CUT;
	expect(&m, KERNEL_AT + 0x1000, "stored", NULL);
	m.stored = NULL;
	expect(&m, KERNEL_AT + 0x1000, "-", "another kernel's");
	m.opts.symfs = "/nowhere";
	expect(&m, KERNEL_AT + 0x1000, "-", "--symfs");
	m.opts.symfs = NULL;
	m.id = NULL;
	m.osrelease = "1.2.3";
	expect(&m, KERNEL_AT + 0x1000, "-", "another kernel's");
	m.osrelease = host.release;
	m.hostname = "elsewhere";
	expect(&m, KERNEL_AT + 0x1000, "-", "another kernel's");
}

/* Options that name what is not there: nothing else is taken, such as the kernel that runs. */
static void an_option_is_not_replaced(void **state)
{
	struct made m = { .kernel = "[kernel.kallsyms]_text",
			  .ref = KERNEL_AT,
			  .hostname = host.nodename,
			  .osrelease = host.release,
			  .opts.vmlinux = "/nowhere/vmlinux" };

	(void)state;
	for (u64 at = 0; at < 0x10000; at += 0x1000)
		expect(&m, KERNEL_AT + at, "-", "/nowhere/vmlinux");
	m.opts.vmlinux = NULL;
	m.opts.kallsyms = "/nowhere/kallsyms";
	for (u64 at = 0; at < 0x10000; at += 0x1000)
		expect(&m, KERNEL_AT + at, "-", "/nowhere/kallsyms");
}

/* The running kernel is the recorded one by its build-id; without, if host and release are. */
static void the_running_kernel_may_be_the_recorded_one(void **state)
{
	static const struct build_id other = { .size = 20, .data = { 1, 2, 3 } };
	struct build_id running;
	const struct {
		const char *hostname, *osrelease;
		const struct build_id *id;
		const char *symfs;
		int ret;
	} cases[] = {
		{ NULL, NULL, NULL, NULL, 0 },
		{ host.nodename, host.release, NULL, NULL, 0 },
		{ host.nodename, NULL, NULL, NULL, 0 },
		{ host.nodename, "1.2.3", NULL, NULL, -ESTALE },
		{ NULL, "1.2.3", NULL, NULL, -ESTALE },
		{ "elsewhere", host.release, NULL, NULL, -ESTALE },
		{ host.nodename, host.release, NULL, "/nowhere", -ENOENT },
		{ host.nodename, host.release, NULL, "", 0 },
		{ host.nodename, host.release, &other, NULL, -ESTALE },
		{ "elsewhere", "1.2.3", &running, NULL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct made m = { .kernel = "[kernel.kallsyms]_text",
					.ref = KERNEL_AT,
					.hostname = cases[i].hostname,
					.osrelease = cases[i].osrelease,
					.id = cases[i].id,
					.opts.symfs = cases[i].symfs };

		if (cases[i].id == &running && build_id__of_kernel(&running))
			continue; /* nobody knows it here */
		open_made(&m);
		assert_int_equal(symbolizer__check_running_kernel(&s->symbolizer, NULL), cases[i].ret);
		session__delete(s);
	}
}

/*
 * "perf record --kcore" leaves a copy of kallsyms in the folder: of that kernel, wherever it is read. Names
 * in the recording come before it if none was left out, and an option comes before both.
 */
static void a_folder_has_its_own_kallsyms(void **state)
{
	static const struct build_id other = { .size = 20, .data = { 1, 2, 3 } };
	static const struct {
		bool has_copy, has_id;
		const char *stored;
		u32 flags;
		const char *vmlinux, *name, *why;
	} cases[] = {
		{ true, false, NULL, 0, NULL, "first", NULL },
		{ true, true, NULL, 0, NULL, "first", NULL },
		{ false, false, NULL, 0, NULL, "-", "another kernel's" },
		{ false, true, NULL, 0, NULL, "-", "another kernel's" },
		{ true, true, "stored", 0, NULL, "stored", NULL },
		{ true, true, "stored", NAMES_CUT, NULL, "first", NULL },
		{ false, true, "stored", NAMES_CUT, NULL, "stored", NULL },
		{ true, false, "stored", NAMES_CUT, NULL, "stored", NULL },
		{ true, false, NULL, 0, "/nowhere/vmlinux", "-", "/nowhere/vmlinux" },
		{ true, true, NULL, 0, "/nowhere/vmlinux", "-", "/nowhere/vmlinux" },
		{ true, true, "stored", 0, "/nowhere/vmlinux", "-", "/nowhere/vmlinux" },
	};
	char *folder = xasprintf("%s/folder", dir), *data = xasprintf("%s/data", folder),
	     *kcore = xasprintf("%s/kcore_dir", folder), *own = xasprintf("%s/kallsyms", kcore);

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(mkdir(kcore, 0700), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct made m = { .kernel = "[kernel.kallsyms]_text",
					.ref = KERNEL_AT,
					.hostname = "elsewhere",
					.osrelease = "1.2.3",
					.id = cases[i].has_id ? &other : NULL,
					.stored = cases[i].stored,
					.stored_at = KERNEL_AT + 0x1000,
					.flags = cases[i].flags };
		const struct session_opts opts = { .symbols.vmlinux = cases[i].vmlinux };
		struct dso *dso;

		write_recording(&m);
		assert_int_equal(rename(recording, data), 0);
		if (cases[i].has_copy)
			copy(kallsyms, own);
		assert_int_equal(session__open(&s, folder, &opts, NULL), 0);
		dso = s->machine.dsos.v.v[s->machine.kernel.text.dso];
		assert_string_equal(name_at(dso, KERNEL_AT + 0x1000), cases[i].name);
		assert_int_equal(!!dso->load_error, !!cases[i].why);
		assert_true(!cases[i].why || strstr(dso->load_reason, cases[i].why));
		session__delete(s);
		unlink(own);
	}
	rmdir(kcore);
	unlink(data);
	rmdir(folder);
	free(own);
	free(kcore);
	free(data);
	free(folder);
}

/* The reason is told if there is nothing to read in kallsyms, too. */
static void kallsyms_without_a_module_say_why(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "0000000000000000 T _text\n0000000000000000 t mod_work\t[some_mod]\n",
		  "addresses are hidden" },
		{ "no line\n", "cannot read" },
	};
	struct made m = { .module = "[some_mod]", .module_at = 0xffffffffc0000000 };
	char *path = xasprintf("%s/others", dir);

	(void)state;
	m.opts.kallsyms = path;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

		assert_int_equal(file__write_all(fd, cases[i].text, strlen(cases[i].text)), 0);
		close(fd);
		expect(&m, 0x40, "-", cases[i].why);
	}
	unlink(path);
	free(path);
}

/* A symbolizer that was never begun has nothing. */
static void an_empty_symbolizer_ends(void **state)
{
	struct symbolizer empty = { 0 };

	(void)state;
	symbolizer__exit(&empty);
	assert_null(empty.machine);
}

static void modules_are_where_kallsyms_has_them(void **state)
{
	struct made m = { .module = "[some_mod]",
			  .module_at = 0xffffffffc0000000,
			  .opts.kallsyms = kallsyms };

	(void)state;
	expect(&m, 0x40, "mod_work", NULL);
	m.module_at = 0xffffffffbffff800; /* at the end of the map */
	expect(&m, 0x840, "mod_work", NULL);
	m.module_at = 0xffffffffbffff000;
	expect(&m, 0x1040, "-", "another address");
	m.module_at = 0xffffffffc0000010;
	expect(&m, 0x30, "-", "another address");
	m.module_at = 0xffffffffc0000000;
	m.module = "[no_mod]";
	expect(&m, 0x40, "-", "module 'no_mod' is at another address");
	m.module = "[some_mod]";
	m.opts.kallsyms = "/nowhere";
	expect(&m, 0x40, "-", "/nowhere");
	m.opts.kallsyms = NULL;
	m.hostname = "elsewhere";
	expect(&m, 0x40, "-", "another kernel's");
}

static void modules_have_files(void **state)
{
	static const struct build_id other = { .size = 20, .data = { 1, 2, 3 } };
	struct made m = { .module = module, .module_at = 0xffffffffd0000000, .osrelease = "1.2.3" };
	char *from = source();

	(void)state;
	copy(from, module);
	free(from);
	expect(&m, by_fp, "-", NULL); /* of another machine */
	m.opts.symfs = "/.";
	expect(&m, by_fp, "by_fp", NULL);
	m.opts.symfs = "/nowhere";
	expect(&m, by_fp, "-", NULL);
	m.opts.symfs = NULL;
	m.osrelease = host.release;
	expect(&m, by_fp, "by_fp", NULL);
	m.id = &other; /* the file has none */
	expect(&m, by_fp, "-", NULL);
	unlink(module);
}

static void the_kernel_is_loaded_in_the_background(void **state)
{
	const struct made m = { .kernel = "[kernel.kallsyms]_text",
				.ref = KERNEL_AT,
				.opts.kallsyms = kallsyms };
	struct dso *dso = open_made(&m);

	(void)state;
	assert_false(dso->loaded);
	symbolizer__preload_kernel(&s->symbolizer);
	symbolizer__preload_kernel(&s->symbolizer);
	symbolizer__wait(&s->symbolizer);
	assert_true(dso->loaded);
	symbolizer__wait(&s->symbolizer);
	dso = NULL;
	assert_null(symbolizer__find_kernel(&s->symbolizer, KERNEL_AT - 1, &dso));
	assert_null(dso); /* it is no address of the kernel */
	assert_non_null(symbolizer__find_kernel(&s->symbolizer, KERNEL_AT + 0x1000, &dso));
	session__delete(s);
}

static void the_vdso_is_that_of_the_recorded_kernel(void **state)
{
	static const struct build_id other = { .size = 20, .data = { 1, 2, 3 } };
	struct build_id id = { 0 };
	struct made m = { .path = "[vdso]" };
	const void *image;
	struct symtab t;
	char name[64];
	size_t size;
	u64 addr;

	(void)state;
	if (!vdso__image(VDSO_NAME, &image, &size) || build_id__from_image(image, size, &id))
		skip();
	symtab__init(&t);
	assert_int_equal(elf_symbols__load_image(&t, image, size, NULL), 0);
	assert_true(t.syms.nr > 0);
	addr = t.syms.v[0].start;
	snprintf(name, sizeof(name), "%s", symtab__name(&t, &t.syms.v[0]));
	symtab__exit(&t);
	expect(&m, addr, name, NULL);
	m.hostname = "elsewhere";
	expect(&m, addr, "-", "another kernel's");
	m.id = &id;
	expect(&m, addr, name, NULL);
	m.id = &other;
	m.hostname = NULL;
	expect(&m, addr, "-", "another kernel's");
	m.id = NULL;
	m.opts.symfs = "/nowhere";
	expect(&m, addr, "-", "no [vdso]");
}

static void options_name_files_that_are_there(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(symbolize_opts__check(&(struct symbolize_opts){ 0 }, NULL), 0);
	assert_int_equal(symbolize_opts__check(
				 &(struct symbolize_opts){ .kallsyms = kallsyms, .vmlinux = kallsyms }, NULL),
			 0);
	assert_int_equal(symbolize_opts__check(&(struct symbolize_opts){ .kallsyms = "/nowhere" }, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text.buf, "--kallsyms: cannot open '/nowhere'"));
	assert_int_equal(symbolize_opts__check(&(struct symbolize_opts){ .vmlinux = "/nowhere" }, &err),
			 -ENOENT);
	assert_int_equal(symbolize_opts__check(&(struct symbolize_opts){ .vmlinux = dir }, &err), -EISDIR);
	assert_int_equal(
		symbolize_opts__check(&(struct symbolize_opts){ .vmlinux = "/nowhere", .symfs = "/" }, &err),
		0);
	assert_int_equal(symbolize_opts__check(&(struct symbolize_opts){ .vmlinux = "" }, &err), 0);
	err__exit(&err);
}

static int setup(void **state)
{
	static const char text[] =
		"ffffffff81000000 T _text\nffffffff81001000 T first\nffffffff81002000 t second\n"
		"ffffffffc0000000 t mod_init\t[some_mod]\nffffffffc0000040 t mod_work\t[some_mod]\n";
	char *from = source();
	struct symtab t;
	int fd;

	(void)state;
	if (uname(&host) || !mkdtemp(dir))
		return -1;
	snprintf(binary, sizeof(binary), "%s/binary.so", dir);
	snprintf(module, sizeof(module), "%s/some.ko", dir);
	snprintf(recording, sizeof(recording), "%s/perf.data", dir);
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", dir);
	fd = open(kallsyms, O_CREAT | O_WRONLY, 0600);
	if (file__write_all(fd, text, sizeof(text) - 1) || close(fd))
		return -1;
	symtab__init(&t);
	if (elf_symbols__load(&t, from, NULL, NULL, NULL))
		return -1;
	for (size_t i = 0; i < t.syms.nr; i++) {
		const char *name = symtab__name(&t, &t.syms.v[i]);

		if (!strcmp(name, "outermost"))
			outermost = t.syms.v[i].start;
		if (strcmp(name, "by_fp"))
			continue;
		by_fp = t.syms.v[i].start;
		by_fp_size = (u32)t.syms.v[i].size;
	}
	symtab__exit(&t);
	free(from);
	return !by_fp || !outermost;
}

static int teardown(void **state)
{
	(void)state;
	unlink(binary);
	unlink(recording);
	unlink(kallsyms);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_of_the_recorded_name),
		cmocka_unit_test(names_in_the_recording),
		cmocka_unit_test(made_up_names_are_left_out),
		cmocka_unit_test(functions_without_symbols_have_made_up_names),
		cmocka_unit_test(a_recording_may_have_no_kernel),
		cmocka_unit_test(a_cache_is_of_this_machine),
		cmocka_unit_test(a_file_of_the_recorded_build),
		cmocka_unit_test(a_debug_file_needs_no_binary),
		cmocka_unit_test(call_frame_information_is_of_the_recorded_build),
		cmocka_unit_test(memory_is_given_back_and_names_stay),
		cmocka_unit_test(a_vmlinux_moves_by_the_reference),
		cmocka_unit_test(a_vmlinux_of_the_recorded_build_is_searched),
		cmocka_unit_test(names_of_the_recorded_kernel),
		cmocka_unit_test(an_option_is_not_replaced),
		cmocka_unit_test(the_running_kernel_may_be_the_recorded_one),
		cmocka_unit_test(a_folder_has_its_own_kallsyms),
		cmocka_unit_test(an_empty_symbolizer_ends),
		cmocka_unit_test(modules_are_where_kallsyms_has_them),
		cmocka_unit_test(kallsyms_without_a_module_say_why),
		cmocka_unit_test(modules_have_files),
		cmocka_unit_test(the_kernel_is_loaded_in_the_background),
		cmocka_unit_test(the_vdso_is_that_of_the_recorded_kernel),
		cmocka_unit_test(options_name_files_that_are_there),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
