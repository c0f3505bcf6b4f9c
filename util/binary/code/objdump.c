#include "binary/code/objdump.h"

#include "base/system/file.h"
#include "base/system/run.h"
#include "base/text/mask.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CODE_BYTES_MAX = 1 << 20, /* of a function; objdump does not get the rest */
	OUTPUT_MAX = 128 << 20,   /* bytes of what it may print */
	TIME_MAX = 10000,         /* ms */
	X86_INSN_MAX = 15,        /* bytes */
	MNEMONIC_MAX = 31,
	TEXT_MAX = 200, /* bytes; a longer instruction is unknown */
};

static const struct objdump_machine {
	u16 machine;
	bool is_native;
	const char *own;     /* binutils for this machine on others */
	const char *package; /* that has it */
} machines[] = {
#ifdef __x86_64__
	{ EM_X86_64, true, "x86_64-linux-gnu-objdump", "binutils" },
	{ EM_AARCH64, false, "aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu" },
#elif defined(__aarch64__)
	{ EM_X86_64, false, "x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu" },
	{ EM_AARCH64, true, "aarch64-linux-gnu-objdump", "binutils" },
#else
	{ EM_X86_64, false, "x86_64-linux-gnu-objdump", "binutils-x86-64-linux-gnu" },
	{ EM_AARCH64, false, "aarch64-linux-gnu-objdump", "binutils-aarch64-linux-gnu" },
#endif
};

static const struct objdump_machine *find_machine(u16 machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

/* ---- the file ---- */

/* Make an ELF file in memory with one section, the code. Return its descriptor or a negative errno. */
static int make_file(u16 machine, const u8 *code, size_t size, u64 addr)
{
	static const char names[] = "\0.text\0.shstrtab";
	size_t end = sizeof(Elf64_Ehdr) + size;
	const Elf64_Shdr sections[] = {
		{ .sh_type = SHT_NULL },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		  .sh_addr = addr,
		  .sh_offset = sizeof(Elf64_Ehdr),
		  .sh_size = size,
		  .sh_addralign = 1 },
		{ .sh_name = 7, .sh_type = SHT_STRTAB, .sh_offset = end, .sh_size = sizeof(names) },
	};
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = machine,
		.e_version = EV_CURRENT,
		.e_entry = addr,
		.e_shoff = end + sizeof(names),
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(sections[0]),
		.e_shnum = ARRAY_SIZE(sections),
		.e_shstrndx = ARRAY_SIZE(sections) - 1,
	};
	struct strbuf file = STRBUF_INIT;
	int fd = memfd_create("perf-code", MFD_CLOEXEC), ret = fd;

	strbuf__add(&file, (const char *)&header, sizeof(header));
	strbuf__add(&file, (const char *)code, size);
	strbuf__add(&file, names, sizeof(names));
	strbuf__add(&file, (const char *)sections, sizeof(sections));
	if (fd < 0 || file__write_all(fd, file.buf, file.len)) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
	}
	strbuf__exit(&file);
	return ret;
}

/* ---- the program ---- */

/* Find a program on PATH; the folder that the user happens to be in does not count. */
static char *find_program(const char *name)
{
	char *path = NULL;

	if (!command__find(name, &path) && (*path == '/' || strchr(name, '/')))
		return path;
	free(path);
	return NULL;
}

/* Run a program. Return 0 if it has read instructions, or a negative errno. */
static int run(struct objdump *o, const char *path, const struct objdump_machine *m, bool is_intel, int fd,
	       size_t size, u64 addr)
{
	const struct run_limits limits = { .ms = TIME_MAX, .bytes = OUTPUT_MAX };
	bool is_llvm = strstr(path, "llvm"), is_x86 = m->machine == EM_X86_64;
	const char *argv[] = { path,
			       "-d",
			       "-z",
			       "-w",
			       "--no-show-raw-insn",
			       "/proc/self/fd/0",
			       is_x86    ? "-M"
			       : is_llvm ? "--mattr=+v8.6a,+sve2"
					 : NULL,
			       !is_x86    ? NULL
			       : is_intel ? "intel"
					  : "att",
			       NULL };
	struct strbuf text = STRBUF_INIT;
	int ret = run__output(path, (char *const *)argv, fd, &limits, &text);

	if (ret >= 0 || ret == -ETIMEDOUT || ret == -E2BIG)
		objdump__parse(o, text.buf, text.len, m->machine, size, addr);
	strbuf__exit(&text);
	if (o->insns.nr)
		return 0;
	return ret >= 0 ? -EIO : ret;
}

int objdump__read(struct objdump *o, const char *program, u16 machine, bool is_intel, const u8 *code,
		  size_t size, u64 addr, struct err *err)
{
	const struct objdump_machine *m = find_machine(machine);
	const char *names[] = { m && m->is_native ? "objdump" : NULL, m ? m->own : NULL, "llvm-objdump",
				m && !m->is_native ? "objdump" : NULL };
	int ret = -ENOENT, fd;

	*o = (struct objdump){ .texts = STRBUF_INIT };
	if (!m)
		return -ENOTSUP;
	size = MIN(size, (size_t)CODE_BYTES_MAX);
	fd = make_file(machine, code, size, addr);
	if (fd < 0)
		return err__set(err, fd, "no file for objdump: %s", strerror(-fd));
	for (size_t i = 0; ret && ret != -ETIMEDOUT && i < (program ? 1 : ARRAY_SIZE(names)); i++) {
		const char *name = program ? program : names[i];
		char *path = name ? find_program(name) : NULL;

		if (path)
			ret = run(o, path, m, is_intel, fd, size, addr);
		free(path);
	}
	close(fd);
	if (ret == -ETIMEDOUT)
		return err__set(err, ret, "objdump did not end within %d s", TIME_MAX / 1000);
	if (ret && program)
		return err__set(err, ret, "'%s' does not read it", program);
	/* Those that are there may be of other machines. */
	return ret ? err__set(err, -ENOENT, "install %s", m->package) : 0;
}

/* ---- what it prints ---- */

/* Return the length without what follows an instruction: comments, and names in angle brackets. */
static size_t insn_length(const char *text, size_t len, u16 machine)
{
	for (size_t i = 0; i + 1 < len; i++) {
		bool is_space = text[i] == ' ' || text[i] == '\t';

		if (is_space && (text[i + 1] == '<' || text[i + 1] == (machine == EM_X86_64 ? '#' : ';') ||
				 (text[i + 1] == '/' && i + 2 < len && text[i + 2] == '/')))
			len = i;
	}
	while (len && isspace((u8)text[len - 1]))
		len--;
	return len;
}

/* Return the length of the mnemonic, with prefixes, as libcapstone has it. */
static size_t mnemonic_length(const char *text, size_t len)
{
	static const char *const prefixes[] = { "lock", "rep",    "repz",   "repnz", "bnd", "notrack",
						"cs",   "ds",     "es",     "fs",    "gs",  "ss",
						"rex",  "data16", "addr32", "{evex}" };
	size_t n = 0;
	bool more = true;

	while (more) {
		size_t start = n, word;

		while (n < len && !isspace((u8)text[n]))
			n++;
		word = n - start;
		more = false;
		for (size_t i = 0; i < ARRAY_SIZE(prefixes) && n < len; i++)
			more |= strlen(prefixes[i]) == word && !memcmp(text + start, prefixes[i], word);
		n += more;
	}
	return n;
}

/* Append len bytes, without blanks after commas. Return their offset in o->texts. */
static u32 add_text(struct objdump *o, const char *text, size_t len)
{
	size_t start = o->texts.len;

	for (size_t i = 0; i < len; i++)
		if (text[i] != ' ' || !i || text[i - 1] != ',')
			strbuf__addch(&o->texts, (u8)text[i] < 0x7f ? text[i] : '?');
	mask_controls(o->texts.buf + start, o->texts.len - start, "");
	strbuf__add(&o->texts, "", 1);
	return (u32)start;
}

static void add_insn(struct objdump *o, u32 offset, const char *text, size_t len, u16 machine)
{
	struct objdump_insn *in = array__push(&o->insns);
	size_t n;

	*in = (struct objdump_insn){ .offset = offset };
	len = insn_length(text, len, machine);
	n = mnemonic_length(text, len);
	if (!n || n > MNEMONIC_MAX || len > TEXT_MAX || strchr("(<.", *text))
		return;
	in->mnemonic = add_text(o, text, n);
	while (n < len && isspace((u8)text[n]))
		n++;
	in->operands = add_text(o, text + n, len - n);
}

/* Each instruction ends where the next one begins. Forget the text of those that would be too long. */
static void set_sizes(struct objdump *o, u16 machine, size_t size)
{
	for (size_t i = 0; i < o->insns.nr; i++) {
		struct objdump_insn *in = &o->insns.v[i];
		size_t n = (i + 1 < o->insns.nr ? in[1].offset : size) - in->offset;

		if (machine == EM_X86_64 ? n > X86_INSN_MAX : n != 4)
			in->mnemonic = 0;
		in->size = (u8)MIN(n, (size_t)X86_INSN_MAX);
	}
}

void objdump__parse(struct objdump *o, const char *text, size_t len, u16 machine, size_t size, u64 addr)
{
	const char *end = text + len, *eol;
	u64 least = 0; /* offset of the next instruction, at least */

	strbuf__add(&o->texts, "", 1);
	for (; text < end && (eol = memchr(text, '\n', (size_t)(end - text))); text = eol + 1) {
		const char *p = text;
		char *colon;
		u64 offset;

		while (p < eol && *p == ' ')
			p++;
		if (p == eol || !isxdigit((u8)*p))
			continue;
		offset = strtoull(p, &colon, 16) - addr;
		if (*colon != ':' || offset < least || offset >= size)
			continue;
		for (p = colon + 1; p < eol && isspace((u8)*p);)
			p++;
		least = offset + 1;
		add_insn(o, (u32)offset, p, (size_t)(eol - p), machine);
	}
	/* Where the last one ends is not known if the text was cut off. */
	if (o->insns.nr && text < end)
		o->insns.nr--;
	set_sizes(o, machine, size);
}

const struct objdump_insn *objdump__find(const struct objdump *o, u64 offset)
{
	size_t i = bisect(k, (size_t)0, o->insns.nr, o->insns.v[k].offset < offset);

	return i < o->insns.nr && o->insns.v[i].offset == offset ? &o->insns.v[i] : NULL;
}

void objdump__exit(struct objdump *o)
{
	array__exit(&o->insns);
	if (o->texts.buf)
		strbuf__exit(&o->texts);
}
