#include "model/code.h"

#include "base/system/file.h"
#include "binary/symbols/jitdump.h"
#include "binary/symbols/kallsyms.h"
#include "format/read/features.h"
#include "model/symbolize_private.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* ---- the machine of the recording ---- */

static u16 machine_of_arch(const char *arch)
{
	static const struct {
		const char *prefix; /* of uname's machine */
		u16 machine;
	} rows[] = {
		{ "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "arm", EM_ARM },
		{ "riscv", EM_RISCV },   { "ppc64", EM_PPC64 },     { "ppc", EM_PPC },
		{ "s390", EM_S390 },     { "mips", EM_MIPS },       { "sparc", EM_SPARCV9 },
		{ "i386", EM_386 },      { "i486", EM_386 },        { "i586", EM_386 },
		{ "i686", EM_386 },
	};

	for (size_t i = 0; arch && i < ARRAY_SIZE(rows); i++)
		if (!strncmp(arch, rows[i].prefix, strlen(rows[i].prefix)))
			return rows[i].machine;
	return EM_NONE;
}

/* Set machine and byte order of code that is in no file, such as JIT code, to those of the recording. */
static void code__set_machine(struct code *code, const struct symbolizer *s)
{
	const struct reader *r = s->embedded.reader;
	char *arch = NULL;

	if (!features__string(r, FEATURE_ARCH, &arch))
		code->machine = machine_of_arch(arch);
	code->big_endian = r->needs_swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	free(arch);
}

/* ---- files ---- */

static int open_file(struct symbolizer *s, struct dso *dso, struct err *err)
{
	int ret = symbolizer__find_file(s, dso, err);

	if (!ret && dso->file_error)
		ret = dso_finder__find(&s->finder, dso, err);
	return ret ? ret : elf_code__open(&dso->code.elf, dso->root, dso->file, &dso->places, err);
}

static int open_vdso(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const void *image;
	size_t size;
	int ret = symbolizer__find_vdso(s, dso, &image, &size, err);

	return ret ? ret : elf_code__open_image(&dso->code.elf, image, size, err);
}

/* Return by how much the running kernel is above the recorded one; it moves at each boot. */
static int running_bias(const struct symbolizer *s, u64 *bias, struct err *err)
{
	const struct kernel_maps *k = &s->machine->kernel;
	u64 ref = 0;
	int ret;

	*bias = 0;
	if (!k->ref_name)
		return 0;
	ret = kallsyms__find_address("/proc/kallsyms", k->ref_name, &ref);
	*bias = ref - k->ref_addr;
	return ret ? err__set(err, ret, "cannot find the running kernel in '/proc/kallsyms': %s",
			      err__str(ret))
		   : 0;
}

/* The image as it runs, with what the kernel changed in its code. */
static int open_kcore(struct symbolizer *s, struct dso *dso, struct err *err)
{
	const struct map *module = dso->kind == DSO_MODULE ? symbolizer__module_map(s, dso) : NULL;
	int ret;

	if (dso->is_guest || (dso->kind == DSO_MODULE && !module))
		return err__set(err, -ENOENT, "the memory of '%s' is not known",
				dso__long_name(&s->machine->dsos, dso));
	if (s->opts.vmlinux)
		return NOT_ASKED;
	ret = symbolizer__check_running_kernel(s, NULL);
	if (ret)
		return err__set(err, ret, "the running kernel is not the recorded one: use --vmlinux");
	ret = elf_code__open_kcore(&dso->code.elf, err);
	if (ret)
		return err__set(
			err, ret,
			"the kernel's code is not readable: '/proc/kcore': %s; --vmlinux names a file that "
			"has it",
			err__str(ret));
	ret = running_bias(s, &dso->code.bias, err);
	if (!ret && module && dso->code.bias)
		ret = err__set(err, -ESTALE, "the machine was started again since, and modules have moved");
	if (ret) {
		elf_code__delete(dso->code.elf);
		dso->code.elf = NULL;
	}
	if (module)
		dso->code.bias = module->start;
	return ret;
}

static int open_vmlinux_at(struct symbolizer *s, struct dso *dso, const char *path, struct err *err)
{
	const struct kernel_maps *k = &s->machine->kernel;
	int ret = elf_code__open(&dso->code.elf, NULL, path, NULL, err);
	u64 ref = !ret && k->ref_name ? elf_code__symbol(dso->code.elf, k->ref_name) : 0;

	dso->code.bias = ref ? ref - k->ref_addr : 0;
	return ret;
}

static int open_vmlinux(struct symbolizer *s, struct dso *dso, struct err *err)
{
	struct file_search search;
	int ret;

	if (s->opts.vmlinux)
		return open_vmlinux_at(s, dso, s->opts.vmlinux, err);
	symbolizer__search_vmlinux(s, dso, &search);
	ret = file_search__find(&search);
	ret = ret ? err__set(err, ret, "no vmlinux of the recorded kernel: use --vmlinux")
		  : open_vmlinux_at(s, dso, search.full.buf, err);
	file_search__end(&search);
	return ret;
}

/*
 * The files that have a binary's code by kind; the first one that can be opened is used. Code that the
 * recording stores comes before all of them (read_stored).
 */
static const struct code_source {
	enum dso_kind kind;
	const char *name;
	int (*open)(struct symbolizer *s, struct dso *dso, struct err *err);
} sources[] = {
	{ DSO_ELF, "file", open_file },
	{ DSO_VDSO, "vdso", open_vdso },
	{ DSO_KERNEL, "/proc/kcore", open_kcore }, /* as it runs */
	{ DSO_KERNEL, "vmlinux", open_vmlinux },
	{ DSO_MODULE, "/proc/kcore", open_kcore },
	{ DSO_BPF, "/proc/kcore", open_kcore },
};

/* Open the dso's file, once. The caller holds its lock. */
static int symbolizer__open_code(struct symbolizer *s, struct dso *dso, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = -ENOENT;

	if (dso->code.tried)
		return dso->code.elf ? 0 : err__set(err, dso->code.error, "%s", dso->code.reason);
	dso->code.tried = true;
	for (size_t i = 0; ret && i < ARRAY_SIZE(sources); i++) {
		struct err next = ERR_INIT;

		if (sources[i].kind != dso->kind)
			continue;
		ret = sources[i].open(s, dso, &next);
		dso->code.source = sources[i].name;
		if (ret < 0 && !why.text.len)
			err__set(&why, ret, "%s", next.text.buf);
		err__exit(&next);
	}
	if (ret) {
		dso->code.error = ret < 0 ? ret : -ENOENT;
		dso->code.reason = why.text.len ? xstrdup(why.text.buf)
						: xasprintf("the code of '%s' is not in a file",
							    dso__long_name(&s->machine->dsos, dso));
		err__set(err, dso->code.error, "%s", dso->code.reason);
		ret = dso->code.error;
	}
	err__exit(&why);
	return ret;
}

/* ---- bytes ---- */

/* Is the linked address of a dso address that of the file's tables? Else it is in memory. */
static bool dso__has_offsets(const struct dso *dso)
{
	return dso->kind == DSO_ELF || dso->kind == DSO_VDSO;
}

static int read_elf(struct symbolizer *s, struct dso *dso, u64 addr, u64 size, struct code *code,
		    struct err *err)
{
	const char *name = dso__long_name(&s->machine->dsos, dso);
	u64 at = addr + dso->code.bias;

	if (dso__has_offsets(dso) && !elf_code__vaddr(dso->code.elf, addr, &at))
		return err__set(err, -ERANGE, "'%s' has no code at offset %#llx", name,
				(unsigned long long)addr);
	if (!elf_code__read(dso->code.elf, at, size, &code->bytes))
		return err__set(err, -ERANGE, "'%s' has no code at address %#llx", name,
				(unsigned long long)at);
	code->vaddr = dso__has_offsets(dso) ? at : addr;
	code->machine = elf_code__machine_at(dso->code.elf, at);
	code->big_endian = elf_code__is_big_endian(dso->code.elf);
	code->source = dso->code.source;
	if (dso->kind == DSO_ELF)
		code->path = xasprintf("%s%s", dso->root, dso->file);
	return 0;
}

static bool is_zero(const char *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

/*
 * A jitdump has the bytes at the dso address. In a dump that the recorder made, zeroes stand for
 * bytecodes, and for code that did not fit.
 */
static int read_jitdump(struct symbolizer *s, struct dso *dso, u64 addr, u64 size, struct code *code,
			struct err *err)
{
	struct jitdump d = { .pid = dso->pid,
			     .name = dso__long_name(&s->machine->dsos, dso),
			     .ino = dso->ino };
	int fd = jit_files__open_dump(&s->finder.opts, &d, err);
	ssize_t n;

	if (fd < 0)
		return fd;
	strbuf__grow(&code->bytes, size);
	n = file__pread_all(fd, code->bytes.buf, size, addr);
	close(fd);
	if (n <= 0)
		return err__set(err, -ERANGE, "'%s' has no code at offset %#llx", d.name,
				(unsigned long long)addr);
	if (jitdump__is_made(d.name) && is_zero(code->bytes.buf, (size_t)n))
		return err__set(err, -ERANGE, "'%s' has no machine code at offset %#llx", d.name,
				(unsigned long long)addr);
	strbuf__setlen(&code->bytes, (size_t)n);
	code->vaddr = addr;
	code->source = "jitdump";
	code__set_machine(code, s);
	return 0;
}

/* Get what the recording stores from the address on. Return false if that is less than min bytes. */
static bool read_stored(struct symbolizer *s, const struct dso *dso, u64 addr, u64 size, u64 min,
			struct code *code)
{
	const struct code_entry *e = embedded__find_code(&s->embedded, &s->machine->dsos, dso);
	const struct stored_function *f = e ? code_entry__find(e, addr) : NULL;
	u64 at = f ? addr - f->start : 0;

	if (!f || f->size - at < min)
		return false;
	strbuf__add(&code->bytes, f->code + at, (size_t)MIN(size, f->size - at));
	code->vaddr = f->vaddr + at;
	code->machine = e->machine;
	code->big_endian = e->big_endian;
	code->source = "the recording";
	return true;
}

static int read_file(struct symbolizer *s, struct dso *dso, u64 addr, u64 size, struct code *code,
		     struct err *err)
{
	int ret;

	if (dso->kind == DSO_JITDUMP)
		return read_jitdump(s, dso, addr, size, code, err);
	pthread_mutex_lock(&dso->lock);
	ret = symbolizer__open_code(s, dso, err);
	if (!ret)
		ret = read_elf(s, dso, addr, size, code, err);
	pthread_mutex_unlock(&dso->lock);
	return ret;
}

int symbolizer__code(struct symbolizer *s, struct dso *dso, u64 addr, u64 size, struct code *code,
		     struct err *err)
{
	int ret;

	strbuf__reset(&code->bytes);
	free(code->path);
	*code = (struct code){ .bytes = code->bytes };
	size = MIN(size, (u64)CODE_MAX);
	if (read_stored(s, dso, addr, size, size, code))
		return 0;
	ret = read_file(s, dso, addr, size, code, err);
	return ret && read_stored(s, dso, addr, size, 1, code) ? 0 : ret;
}

void code__exit(struct code *code)
{
	strbuf__exit(&code->bytes);
	free(code->path);
	code->path = NULL;
}

/* ---- names ---- */

/* Translate a linked address, by the file, or by the functions that the recording stores. */
static bool find_addr(struct symbolizer *s, struct dso *dso, u64 vaddr, u64 *addr)
{
	const struct code_entry *e = embedded__find_code(&s->embedded, &s->machine->dsos, dso);
	bool found;

	*addr = vaddr;
	if (!dso__has_offsets(dso))
		return true;
	pthread_mutex_lock(&dso->lock);
	found = dso->code.elf && elf_code__offset(dso->code.elf, vaddr, addr);
	pthread_mutex_unlock(&dso->lock);
	return found || (e && code_entry__find_addr(e, vaddr, addr));
}

static bool find_function(struct symbolizer *s, struct dso *dso, u64 vaddr, struct code_ref *ref)
{
	u64 addr;
	const struct symbol *sym = find_addr(s, dso, vaddr, &addr) ? symbolizer__find(s, dso, addr) : NULL;

	if (!sym)
		return false;
	ref->name = symtab__name(&dso->symtab, sym);
	ref->offset = (u32)(addr - sym->start);
	return true;
}

static bool find_datum(struct dso *dso, u64 vaddr, struct strbuf *text, struct code_ref *ref)
{
	struct elf_datum d = { .text = *text };
	bool found;

	pthread_mutex_lock(&dso->lock);
	found = dso->code.elf && elf_code__find_datum(dso->code.elf, vaddr, &d);
	pthread_mutex_unlock(&dso->lock);
	*text = d.text;
	ref->is_text = !d.name;
	ref->name = d.name ? d.name : text->buf;
	ref->offset = d.name ? (u32)d.offset : 0;
	return found;
}

bool symbolizer__code_ref(struct symbolizer *s, struct dso *dso, u64 vaddr, bool is_data, struct strbuf *text,
			  struct code_ref *ref)
{
	const struct code_entry *e;

	*ref = (struct code_ref){ .vaddr = vaddr, .is_data = is_data };
	strbuf__reset(text);
	if (is_data && dso__has_offsets(dso) && find_datum(dso, vaddr, text, ref))
		return true;
	if (find_function(s, dso, vaddr, ref))
		return true;
	e = embedded__find_code(&s->embedded, &s->machine->dsos, dso);
	return e && code_entry__find_ref(e, vaddr, is_data, ref);
}

const struct symbol *symbolizer__code_symbol(struct symbolizer *s, struct dso *dso, u64 vaddr, u64 *addr)
{
	/* The addresses of functions that the recording does not store are in the file. */
	if (dso__has_offsets(dso)) {
		pthread_mutex_lock(&dso->lock);
		symbolizer__open_code(s, dso, NULL);
		pthread_mutex_unlock(&dso->lock);
	}
	return find_addr(s, dso, vaddr, addr) ? symbolizer__find(s, dso, *addr) : NULL;
}

static void add_name(const struct symbolizer *s, const struct dso *dso, const struct code_ref *ref,
		     struct strbuf *name)
{
	bool is_plain = s->opts.no_demangle || !dso__has_offsets(dso);
	char *demangled = is_plain ? NULL : symbol__demangle(ref->name);

	strbuf__addstr(name, demangled ? demangled : ref->name);
	if (ref->offset)
		strbuf__addf(name, "+%#x", ref->offset);
	free(demangled);
}

static void add_string(const char *text, struct strbuf *name)
{
	static const char controls[] = "\n\t\r\033\"\\";

	strbuf__addch(name, '"');
	for (const char *p = text; *p; p++) {
		const char *escape = strchr(controls, *p);

		if (escape)
			strbuf__addf(name, "\\%c", "ntre\"\\"[escape - controls]);
		else
			strbuf__addch(name, *p);
	}
	strbuf__addstr(name, strlen(text) < ELF_STRING_MAX ? "\"" : "\"...");
}

bool symbolizer__code_name(struct symbolizer *s, struct dso *dso, u64 vaddr, bool is_code,
			   struct strbuf *name)
{
	struct strbuf text = STRBUF_INIT;
	struct code_ref ref;
	bool found = symbolizer__code_ref(s, dso, vaddr, !is_code, &text, &ref);

	if (found && ref.is_text)
		add_string(ref.name, name);
	else if (found)
		add_name(s, dso, &ref, name);
	strbuf__exit(&text);
	return found;
}
