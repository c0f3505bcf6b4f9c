/*
 * An independent look at call chains: do they end in the outermost frame of their thread, and does each
 * frame's address follow a call? Knows nothing of the unwinder: it has the addresses as they were dumped, the
 * maps of the processes, and the ELF files.
 *
 *	judge [-v] [-s FOLDER]... DUMP [CHAINS]
 *
 * DUMP: what perf report -D prints. CHAINS: what chains -a prints of the same recording: chains of stack
 * copies, and how the unwinder says that each of them ends. FOLDER: a root for the paths of binaries; the
 * first one counts that has one. -v: the chains that are not as they should be.
 *
 * Lines of words separated by tabs:
 *	samples N	with a chain of user space
 *	outermost N	end in a known outermost frame
 *	complete N	the unwinder says that they do
 *	false N		of these, do not
 *	cut N		the unwinder says that the copy of the stack ends before they do
 *	calls N         have a frame, which no signal interrupted, whose address does not follow a call
 *	instruction blind N             end in code of which there is no file, and were not counted above but
 *	in samples last DSO+ADDRESS NAME N                where the chains end that do not end in an outermost
 *	frame
 *
 * An outermost frame is: code within the ELF entry point's function; a function that the C library, the
 * dynamic linker or Go starts programs, threads or coroutines with (by its name in the symbol tables or in
 * Go's table); code whose call frame information says that its return address is undefined.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES_MAX = 4096, ENTRY_MAX = 160 /* bytes: ld.so's entry, without symbols */ };

static const char *folders[8] = { "" };
static unsigned nr_folders;
static bool verbose;

static void *grow(void *v, size_t nr, size_t size)
{
	if (nr & (nr - 1))
		return v;
	v = realloc(v, (nr ? 2 * nr : 1) * size);
	if (!v)
		abort();
	return v;
}

/* ---- binaries ---- */

struct symbol {
	uint64_t start, size;
	const char *name;
};

struct range { /* of virtual addresses */
	uint64_t start, end;
};

struct binary {
	char *path;
	const uint8_t *data; /* NULL: there is no such file */
	size_t size;
	const Elf64_Ehdr *ehdr;
	struct symbol *symbols;
	size_t nr_symbols;
	struct range *undefined; /* the return address is undefined there */
	size_t nr_undefined;
};

static struct binary *binaries;
static size_t nr_binaries;

static const Elf64_Shdr *section(const struct binary *b, unsigned i)
{
	uint64_t at = b->ehdr->e_shoff + (uint64_t)i * sizeof(Elf64_Shdr);

	return i < b->ehdr->e_shnum && at + sizeof(Elf64_Shdr) <= b->size ? (const Elf64_Shdr *)(b->data + at)
									  : NULL;
}

static const char *section_name(const struct binary *b, const Elf64_Shdr *s)
{
	const Elf64_Shdr *names = section(b, b->ehdr->e_shstrndx);

	return names && names->sh_offset + s->sh_name < b->size
		       ? (const char *)b->data + names->sh_offset + s->sh_name
		       : "";
}

static void read_symbols(struct binary *b)
{
	const Elf64_Shdr *s, *strings;

	for (unsigned i = 0; (s = section(b, i)); i++) {
		if ((s->sh_type != SHT_SYMTAB && s->sh_type != SHT_DYNSYM) ||
		    s->sh_offset + s->sh_size > b->size || !(strings = section(b, s->sh_link)) ||
		    strings->sh_offset + strings->sh_size > b->size)
			continue;
		for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s->sh_size; at += sizeof(Elf64_Sym)) {
			const Elf64_Sym *sym = (const Elf64_Sym *)(b->data + s->sh_offset + at);

			if (ELF64_ST_TYPE(sym->st_info) > STT_FUNC || !sym->st_shndx ||
			    sym->st_name >= strings->sh_size)
				continue;
			b->symbols = grow(b->symbols, b->nr_symbols, sizeof(*b->symbols));
			b->symbols[b->nr_symbols++] =
				(struct symbol){ sym->st_value, sym->st_size,
						 (const char *)b->data + strings->sh_offset + sym->st_name };
		}
	}
}

/* ---- .gopclntab (golang.org/s/go12symtab, package debug/gosym): names in stripped programs, too ---- */

static uint64_t word_at(const struct binary *b, uint64_t at, unsigned size)
{
	uint64_t v = 0;

	if (at <= b->size && size <= b->size - at)
		memcpy(&v, b->data + at, size);
	return v;
}

/* A word that the dynamic linker writes into a position-independent program, or 0. */
static uint64_t relocated(const struct binary *b, uint64_t vaddr)
{
	const Elf64_Shdr *s;

	for (unsigned i = 0; (s = section(b, i)); i++) {
		if (s->sh_type != SHT_RELA || s->sh_offset > b->size || s->sh_size > b->size - s->sh_offset)
			continue;
		for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= s->sh_size; at += sizeof(Elf64_Rela))
			if (word_at(b, s->sh_offset + at, 8) == vaddr)
				return word_at(b, s->sh_offset + at + 16, 8);
	}
	return 0;
}

/* Of Go 1.18 and later. */
static void read_go_table(struct binary *b)
{
	enum { NR_FUNCTIONS = 8, TEXT = 24, NAMES = 32, FUNCTIONS = 64, ENTRY = 8, NAME_OFFSET = 4 };
	uint64_t at, nr, text, names, functions;
	const Elf64_Shdr *s;

	for (unsigned i = 0; (s = section(b, i)); i++)
		if (strstr(section_name(b, s), ".gopclntab"))
			break;
	if (!s || word_at(b, at = s->sh_offset, 4) >> 1 != 0xfffffff0 >> 1)
		return;
	nr = word_at(b, at + NR_FUNCTIONS, 8);
	text = relocated(b, s->sh_addr + TEXT);
	text = text ? text : word_at(b, at + TEXT, 8);
	names = at + word_at(b, at + NAMES, 8);
	functions = at + word_at(b, at + FUNCTIONS, 8);
	for (uint64_t i = 0; i < nr && functions + (i + 2) * ENTRY <= b->size; i++) {
		uint64_t entry = functions + i * ENTRY, start = word_at(b, entry, 4);
		uint64_t info = functions + word_at(b, entry + 4, 4);
		uint64_t name = names + word_at(b, info + NAME_OFFSET, 4);

		if (name >= b->size)
			continue;
		b->symbols = grow(b->symbols, b->nr_symbols, sizeof(*b->symbols));
		b->symbols[b->nr_symbols++] =
			(struct symbol){ text + start, word_at(b, entry + ENTRY, 4) - start,
					 (const char *)b->data + name };
	}
}

/*
 * ---- .eh_frame (Linux Standard Base, "Exception Frames"): descriptions that undefine the return address
 * ----
 */

struct cursor {
	const uint8_t *p, *end;
};

static uint64_t leb(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		uint8_t byte = *c->p++;

		v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		if (!(byte & 0x80))
			break;
	}
	return v;
}

static bool undefines(struct cursor c, unsigned reg)
{
	/* operands: l: LEB128, digits: bytes, b: a block */
	static const char *const operands[0x40] = {
		[0x01] = "8",  [0x02] = "1",  [0x03] = "2",  [0x04] = "4", [0x05] = "ll", [0x06] = "l",
		[0x08] = "l",  [0x09] = "ll", [0x0c] = "ll", [0x0d] = "l", [0x0e] = "l",  [0x0f] = "b",
		[0x10] = "lb", [0x11] = "ll", [0x12] = "ll", [0x13] = "l", [0x14] = "ll", [0x15] = "ll",
		[0x16] = "lb", [0x2e] = "l",  [0x2f] = "ll",
	};

	while (c.p < c.end) {
		uint8_t op = *c.p++;

		if (op == 0x07) {
			if (leb(&c) == reg)
				return true;
			continue;
		}
		if (op >> 6 == 2)
			leb(&c);
		if (op >> 6)
			continue;
		for (const char *o = operands[op] ? operands[op] : ""; *o && c.p < c.end; o++) {
			uint64_t n = *o == 'l' ? (leb(&c), 0) : *o == 'b' ? leb(&c) : (uint64_t)(*o - '0');

			c.p += n < (uint64_t)(c.end - c.p) ? n : (uint64_t)(c.end - c.p);
		}
	}
	return false;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/*
 * Of a CIE: how its FDEs write addresses (0xff: not known), whether they have augmentation data; c: its
 * instructions.
 */
static uint8_t read_cie(struct cursor *c, bool *has_data)
{
	const char *augmentation = (const char *)c->p + 1;
	uint8_t encoding = 0xff;
	uint64_t len;
	const uint8_t *data;

	c->p += 1 + strlen(augmentation) + 1;
	leb(c);
	leb(c);
	leb(c);
	*has_data = *augmentation == 'z';
	if (!*has_data)
		return 0; /* DW_EH_PE_absptr */
	len = leb(c);
	data = c->p;
	c->p += len;
	for (augmentation++; *augmentation; augmentation++) {
		if (*augmentation == 'R')
			encoding = *data++;
		else if (*augmentation == 'L')
			data++;
		else if (*augmentation == 'P')
			data += 1 + ((*data & 7) == 3 ? 4 : 8);
	}
	return encoding;
}

static void read_frames(struct binary *b, const Elf64_Shdr *s)
{
	const uint8_t *start = b->data + s->sh_offset, *end = start + s->sh_size;
	unsigned ra = b->ehdr->e_machine == EM_X86_64 ? 16 : 30;

	for (const uint8_t *p = start; p + 8 <= end && u32_at(p) && u32_at(p) != UINT32_MAX;
	     p += 4 + u32_at(p)) {
		const uint8_t *cie = p + 4 - u32_at(p + 4);
		struct cursor c = { p + 8, p + 4 + u32_at(p) }, cc;
		struct range r;
		bool has_data;
		uint8_t encoding;

		if (c.end > end)
			return;
		if (!u32_at(p + 4) || cie < start || cie >= p)
			continue; /* a CIE */
		cc = (struct cursor){ cie + 8, cie + 4 + u32_at(cie) };
		encoding = read_cie(&cc, &has_data);
		if ((encoding & 0x6f) != 0x0b || !(encoding & 0x10))
			continue; /* not as GNU's linkers write them: relative to here, 4 bytes */
		r.start = s->sh_addr + (uint64_t)(c.p - start) + (uint64_t)(int64_t)(int32_t)u32_at(c.p);
		r.end = r.start + u32_at(c.p + 4);
		c.p += 8;
		if (has_data) {
			uint64_t len = leb(&c);

			c.p += len;
		}
		if (!undefines(c, ra) && !undefines(cc, ra))
			continue;
		b->undefined = grow(b->undefined, b->nr_undefined, sizeof(*b->undefined));
		b->undefined[b->nr_undefined++] = r;
	}
}

static struct binary *find_binary(const char *path)
{
	struct binary b = { .path = strdup(path) };
	char full[8192];
	struct stat st;
	int fd = -1;

	for (size_t i = 0; i < nr_binaries; i++)
		if (!strcmp(binaries[i].path, path))
			return &binaries[i];
	for (unsigned i = 0; fd < 0 && *path == '/' && (!i || i < nr_folders); i++) {
		snprintf(full, sizeof(full), "%s%s", folders[i], path);
		fd = open(full, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > (off_t)sizeof(Elf64_Ehdr)) {
		b.size = (size_t)st.st_size;
		b.data = mmap(NULL, b.size, PROT_READ, MAP_PRIVATE, fd, 0);
		b.ehdr = (const Elf64_Ehdr *)b.data;
		if (b.data == MAP_FAILED || memcmp(b.ehdr->e_ident, ELFMAG, SELFMAG) ||
		    b.ehdr->e_ident[EI_CLASS] != ELFCLASS64)
			b.data = NULL;
	}
	if (fd >= 0)
		close(fd);
	if (b.data) {
		const Elf64_Shdr *s;

		read_symbols(&b);
		read_go_table(&b);
		for (unsigned i = 0; (s = section(&b, i)); i++)
			if (!strcmp(section_name(&b, s), ".eh_frame") && s->sh_type != SHT_NOBITS)
				read_frames(&b, s);
	}
	binaries = realloc(binaries, (nr_binaries + 1) * sizeof(*binaries));
	binaries[nr_binaries] = b;
	return &binaries[nr_binaries++];
}

/* The virtual address of a byte of the file. */
static bool vaddr_of(const struct binary *b, uint64_t offset, uint64_t *vaddr)
{
	for (unsigned i = 0; i < b->ehdr->e_phnum; i++) {
		const Elf64_Phdr *p = (const Elf64_Phdr *)(b->data + b->ehdr->e_phoff + i * sizeof(*p));

		if (p->p_type != PT_LOAD || offset < p->p_offset || offset - p->p_offset >= p->p_filesz)
			continue;
		*vaddr = offset - p->p_offset + p->p_vaddr;
		return true;
	}
	return false;
}

static const struct symbol *symbol_at(const struct binary *b, uint64_t vaddr)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < b->nr_symbols; i++) {
		const struct symbol *s = &b->symbols[i];

		if (vaddr >= s->start &&
		    (vaddr - s->start < s->size || (!s->size && vaddr - s->start < 256)) && *s->name &&
		    *s->name != '$' && (!best || s->start > best->start))
			best = s;
	}
	return best;
}

/* ---- address spaces, as the dump tells them ---- */

struct map {
	uint64_t start, end, offset;
	size_t binary;
	bool is_code;
};

struct space {
	int pid;
	struct map *maps;
	size_t nr;
};

static struct space *spaces;
static size_t nr_spaces;

static struct space *space_of(int pid)
{
	for (size_t i = nr_spaces; i-- > 0;)
		if (spaces[i].pid == pid)
			return &spaces[i];
	spaces = grow(spaces, nr_spaces, sizeof(*spaces));
	spaces[nr_spaces] = (struct space){ .pid = pid };
	return &spaces[nr_spaces++];
}

static void add_map(struct space *s, struct map m)
{
	s->maps = grow(s->maps, s->nr, sizeof(*s->maps));
	s->maps[s->nr++] = m;
}

static void copy_space(int from, int to)
{
	size_t nr = space_of(from)->nr;

	space_of(to)->nr = 0;
	for (size_t i = 0; i < nr; i++)
		add_map(space_of(to), space_of(from)->maps[i]);
}

/* The newest map that has an address. */
static const struct map *map_at(const struct space *s, uint64_t addr)
{
	for (size_t i = s->nr; i-- > 0;)
		if (addr >= s->maps[i].start && addr < s->maps[i].end)
			return &s->maps[i];
	return NULL;
}

/* ---- one address ---- */

struct place {
	struct binary *b; /* NULL: no file */
	uint64_t offset;  /* in the file */
	const char *path;
};

static struct place place_of(const struct space *s, uint64_t addr)
{
	const struct map *m = map_at(s, addr);
	struct place p = { .offset = addr, .path = "-" };

	if (!m)
		return p;
	p.path = binaries[m->binary].path;
	p.offset = addr - m->start + m->offset;
	if (binaries[m->binary].data && p.offset < binaries[m->binary].size)
		p.b = &binaries[m->binary];
	return p;
}

static bool is_outermost_name(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_dl_start_user",
		"_dl_start",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
		"thread_start",
		"gogo",
		"__start_context",        /* glibc's coroutines: x86-64 */
		"__startcontext",         /* arm64 */
		"libc_start_main_stage2", /* musl jumps there from the entry point */
	};
	/* Go: of goroutines, of threads, and where the stack changes for good */
	static const char *const go[] = {
		"runtime.goexit",   "runtime.mstart",  "runtime.rt0_go",    "_rt0_",
		"runtime.mcall",    "runtime.clone",   "runtime.morestack", "runtime.gogo",
		"runtime.sigtramp", "crosscall_amd64",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(go) / sizeof(*go); i++)
		if (!strncmp(name, go[i], strlen(go[i])))
			return true;
	return false;
}

static bool is_outermost(const struct place *p)
{
	const struct symbol *s;
	uint64_t vaddr;

	if (!p->b || !vaddr_of(p->b, p->offset, &vaddr))
		return false;
	for (size_t i = 0; i < p->b->nr_undefined; i++)
		if (vaddr >= p->b->undefined[i].start && vaddr < p->b->undefined[i].end)
			return true;
	s = symbol_at(p->b, vaddr);
	if (s)
		return is_outermost_name(s->name) ||
		       (p->b->ehdr->e_entry >= s->start && p->b->ehdr->e_entry < s->start + s->size);
	return vaddr >= p->b->ehdr->e_entry && vaddr - p->b->ehdr->e_entry < ENTRY_MAX;
}

/* Whether the instruction before a place is a call. */
static bool follows_call(const struct place *p)
{
	const uint8_t *code = p->b->data + p->offset;

	if (p->b->ehdr->e_machine == EM_AARCH64) {
		uint32_t insn = p->offset >= 4 && !(p->offset & 3) ? u32_at(code - 4) : 0;

		return insn >> 26 == 0x25 /* bl */ || (insn & 0xfffffc1f) == 0xd63f0000 /* blr */ ||
		       (insn & 0xfefff800) == 0xd63f0800 /* blraa and relatives */;
	}
	if (p->offset >= 5 && code[-5] == 0xe8) /* call rel32 */
		return true;
	/* call *r/m: ff /2, of 2 to 7 bytes; a SIB byte and displacements come after ModRM */
	for (unsigned n = 2; n <= 7 && n <= p->offset; n++) {
		uint8_t modrm = code[-(int)n + 1], mod = modrm >> 6, rm = modrm & 7;
		unsigned len = 2 + (mod != 3 && rm == 4) + (mod == 1 ? 1 : mod == 2 ? 4 : 0);

		if (mod == 0 && (rm == 5 || (rm == 4 && n > 2 && (code[-(int)n + 2] & 7) == 5)))
			len += 4;
		if (code[-(int)n] == 0xff && (modrm >> 3 & 7) == 2 && len == n)
			return true;
	}
	return false;
}

/* Whether the code there returns from a handler of a signal. */
static bool is_trampoline(const struct place *p)
{
	static const uint8_t x86_64[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t aarch64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	bool is_arm = p->b && p->b->ehdr->e_machine == EM_AARCH64;

	if (!p->b)
		return !strcmp(p->path, "[vdso]");
	return p->offset + sizeof(x86_64) < p->b->size &&
	       !memcmp(p->b->data + p->offset, is_arm ? aarch64 : x86_64,
		       is_arm ? sizeof(aarch64) : sizeof(x86_64));
}

/* The return address of a frame is written as it is, or as the address of the call's last byte. */
static bool is_plausible(const struct space *s, const uint64_t *ips, size_t i)
{
	const struct map *m = map_at(s, ips[i]);
	struct place here = place_of(s, ips[i]), behind = place_of(s, ips[i] + 1);
	struct place inner[] = { place_of(s, ips[i - 1]), place_of(s, ips[i - 1] + 1) };

	if (!m || !m->is_code)
		return false;
	if (!here.b || !behind.b || is_trampoline(&inner[0]) || is_trampoline(&inner[1]))
		return true;
	return follows_call(&here) || follows_call(&behind) || is_trampoline(&here) || is_trampoline(&behind);
}

/* ---- chains ---- */

struct chain { /* by the unwinder */
	uint64_t time;
	int tid;
	bool is_complete, is_cut, used;
	uint64_t *ips;
	size_t nr;
};

static struct chain *chains;
static size_t nr_chains;

static int compare_chains(const void *a, const void *b)
{
	const struct chain *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->tid - y->tid;
}

static struct {
	char *text;
	unsigned long nr;
} * lasts;
static size_t nr_lasts;
static unsigned long samples, outermost, complete, false_complete, cut, calls, blind;

static void count_last(const struct place *p)
{
	uint64_t vaddr = p->offset;
	const struct symbol *s = p->b && vaddr_of(p->b, p->offset, &vaddr) ? symbol_at(p->b, vaddr) : NULL;
	char text[8192];

	snprintf(text, sizeof(text), "last\t%s+0x%" PRIx64 "\t%s", p->path, s ? s->start : vaddr,
		 s ? s->name : "-");
	for (size_t i = 0; i < nr_lasts; i++)
		if (!strcmp(lasts[i].text, text)) {
			lasts[i].nr++;
			return;
		}
	lasts = grow(lasts, nr_lasts, sizeof(*lasts));
	lasts[nr_lasts].text = strdup(text);
	lasts[nr_lasts++].nr = 1;
}

static void show(const char *title, const struct space *s, const uint64_t *ips, size_t nr)
{
	if (!verbose)
		return;
	printf("%s\n", title);
	for (size_t i = 0; i < nr; i++) {
		struct place p = place_of(s, ips[i]);
		uint64_t vaddr = p.offset;
		const struct symbol *sym =
			p.b && vaddr_of(p.b, p.offset, &vaddr) ? symbol_at(p.b, vaddr) : NULL;

		printf("\t%16" PRIx64 " %s+0x%" PRIx64 " %s\n", ips[i], p.path, vaddr, sym ? sym->name : "-");
	}
}

static void judge(int pid, const struct chain *c)
{
	const struct space *s = space_of(pid);
	struct place last;
	bool reached;

	if (!c->nr)
		return;
	samples++;
	last = place_of(s, c->ips[c->nr - 1]);
	reached = is_outermost(&last);
	if (!reached && !last.b && map_at(s, c->ips[c->nr - 1]) && !c->is_complete) {
		blind++;
		count_last(&last);
		return;
	}
	outermost += reached;
	complete += c->is_complete;
	cut += c->is_cut && !reached;
	if (c->is_complete && !reached) {
		false_complete++;
		show("is called complete", s, c->ips, c->nr);
	} else if (!reached) {
		show("ends elsewhere", s, c->ips, c->nr);
	}
	if (!reached)
		count_last(&last);
	/*
	 * (A thread's outermost frame was called by nobody: its address may have been put where a return
	 * address would be.)
	 */
	for (size_t i = 1; i + reached < c->nr; i++) {
		if (is_plausible(s, c->ips, i))
			continue;
		calls++;
		show("not after a call", s, c->ips, i + 1);
		break;
	}
}

/* ---- input ---- */

static void read_chains(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!f) {
		perror(path);
		exit(1);
	}
	while (getline(&line, &room, f) > 0) {
		struct chain c = { 0 };
		char end[32], *p = line;
		int used = 0;

		if (sscanf(p, "chain\t%" SCNu64 "\t%d\t%31s%n", &c.time, &c.tid, end, &used) < 3)
			continue;
		c.is_complete = !strcmp(end, "complete");
		c.is_cut = !strcmp(end, "cut");
		p += used;
		for (char *next;; p = next) {
			uint64_t ip = strtoull(p, &next, 16);

			if (next == p)
				break;
			c.ips = grow(c.ips, c.nr, sizeof(*c.ips));
			c.ips[c.nr++] = ip;
		}
		chains = grow(chains, nr_chains, sizeof(*chains));
		chains[nr_chains++] = c;
	}
	free(line);
	fclose(f);
	qsort(chains, nr_chains, sizeof(*chains), compare_chains);
}

/*
 * 1183836290000 0x1270 [0x70]: PERF_RECORD_MMAP2 10/11: [0x5625(0x2000) @ 0x2000 <id or device>]: r-xp /path
 */
static void read_map(const char *text)
{
	struct map m = { 0 };
	uint64_t size = 0;
	const char *rest;
	char prot[8] = "", path[4096] = "";
	int pid;

	if (sscanf(text, "%d/%*d: [0x%" SCNx64 "(0x%" SCNx64 ") @ %" SCNi64, &pid, &m.start, &size,
		   (int64_t *)&m.offset) < 4 ||
	    pid < 0 || !(rest = strstr(text, "]: ")))
		return;
	sscanf(rest + 3, "%7s %4095[^\n]", prot, path);
	m.end = m.start + size;
	m.is_code = prot[2] != '-'; /* MMAP does not say */
	m.binary = (size_t)(find_binary(path) - binaries);
	add_map(space_of(pid), m);
}

/* A chain as perf dumps it: the user's part. */
static void read_own_chain(FILE *f, struct chain *c, char **line, size_t *room, unsigned long nr)
{
	bool is_user = false;
	uint64_t ip;

	for (; nr && getline(line, room, f) > 0; nr--) {
		if (sscanf(*line, ".....%*d: %" SCNx64, &ip) < 1)
			return;
		if (ip >= (uint64_t)-4095)
			is_user = ip == (uint64_t)-512;
		else if (is_user && c->nr < FRAMES_MAX)
			c->ips[c->nr++] = ip;
	}
}

/* "[CPU ]TIME 0xOFFSET [0xSIZE]: PERF_RECORD_" */
static uint64_t read_time(const char *line)
{
	const char *at = strstr(line, " 0x");

	while (at && at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at ? strtoull(at, NULL, 10) : 0;
}

static void read_dump(FILE *f)
{
	static uint64_t ips[FRAMES_MAX];
	char *line = NULL;
	size_t room = 0;
	int pid = -1;
	struct chain key = { .ips = ips };

	while (getline(&line, &room, f) > 0) {
		const char *what = strstr(line, "PERF_RECORD_");
		unsigned long nr;
		int to, from, tid;

		if (what)
			key.time = read_time(line);
		if (what && !strncmp(what, "PERF_RECORD_MMAP", 16) && strchr(what, ' ')) {
			read_map(strchr(what, ' ') + 1);
		} else if (what && sscanf(what, "PERF_RECORD_FORK(%d:%*d):(%d", &to, &from) == 2) {
			if (to != from)
				copy_space(from, to);
		} else if (what && sscanf(what, "PERF_RECORD_COMM exec: %*[^:]:%d/", &to) == 1) {
			space_of(to)->nr = 0;
		} else if (what && !strncmp(what, "PERF_RECORD_SAMPLE", 18)) {
			what = strstr(what, "): ");
			pid = -1;
			if (!what || sscanf(what, "): %d/%d:", &pid, &tid) != 2)
				continue;
			key.tid = tid;
			if (nr_chains) {
				struct chain *c =
					bsearch(&key, chains, nr_chains, sizeof(*chains), compare_chains);

				if (c && !c->used) {
					c->used = true;
					judge(pid, c);
				}
				pid = -1;
			}
		} else if (pid >= 0 && (sscanf(line, "... FP chain: nr:%lu", &nr) == 1 ||
					sscanf(line, "... LBR call chain: nr:%lu", &nr) == 1)) {
			key.nr = 0;
			read_own_chain(f, &key, &line, &room, nr);
			judge(pid, &key);
			pid = -1;
		}
	}
	free(line);
}

int main(int argc, char **argv)
{
	FILE *f;
	int opt;

	while ((opt = getopt(argc, argv, "vs:")) != -1) {
		if (opt == 'v')
			verbose = true;
		else if (opt == 's' && nr_folders < sizeof(folders) / sizeof(*folders))
			folders[nr_folders++] = optarg;
		else
			return 129;
	}
	if (argc - optind < 1 || argc - optind > 2) {
		fprintf(stderr, "usage: judge [-v] [-s FOLDER]... DUMP [CHAINS]\n");
		return 129;
	}
	f = fopen(argv[optind], "r");
	if (!f) {
		perror(argv[optind]);
		return 1;
	}
	if (argc - optind == 2)
		read_chains(argv[optind + 1]);
	read_dump(f);
	fclose(f);
	printf("samples\t%lu\noutermost\t%lu\ncomplete\t%lu\nfalse\t%lu\ncut\t%lu\ncalls\t%lu\nblind\t%lu\n",
	       samples, outermost, complete, false_complete, cut, calls, blind);
	for (size_t i = 0; i < nr_lasts; i++)
		printf("%s\t%lu\n", lasts[i].text, lasts[i].nr);
	return 0;
}
