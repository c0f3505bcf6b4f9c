/*
 * EMBEDDED_NAMES, a chunk of the extension section: the functions that samples were in, so that a report
 * needs neither the binaries nor the kernel that they were recorded with. perf.data-format.md has the layout.
 */
#ifndef FORMAT_NAMES_SECTION_H
#define FORMAT_NAMES_SECTION_H

#include "base/text/strbuf.h"
#include "binary/elf/build_id.h"
#include "binary/symbols/symtab.h"
#include "format/file/names_lines.h"

/* What the head of a section says, which is not packed. */
struct names_summary {
	u32 nr_dsos, nr_symbols;
	u32 nr_left_out; /* symbols that were hit, but for which the section has no room */
	u64 unpacked;    /* bytes */
	u64 size;        /* of the section */
};

/* Which binary it is: all that tells the dsos of a recording apart. */
struct names_dso_id {
	const char *name; /* long name, as recorded */
	struct build_id build_id;
	u64 maj_min, ino, ino_generation; /* 0 unknown */
	u32 pid;                          /* of code that a JIT compiler made; otherwise 0 */
};

enum names_dso_flags {
	NAMES_EXPORTED_ONLY = 1 << 0, /* other functions may have been taken for exported ones */
	NAMES_CUT = 1 << 1,           /* symbols of this binary were left out */
};

/* ---- writing ---- */

struct names_symbol {
	u64 start; /* dso address */
	u32 size;
	const char *name; /* raw */
	u64 hits;         /* in samples and their chains: those with fewest are left out first */
};

/* Code that a compiler made at run time, with a jitdump as its binary: from the time on it lies at addr. */
struct names_load {
	u64 time;       /* as in the recording */
	u64 addr, size; /* in the process's memory */
	u64 offset;     /* dso address */
};

struct names_dso {
	struct names_dso_id id;
	u32 flags;
	ARRAY(struct names_symbol) symbols;
	ARRAY(struct names_load) loads;
	struct names_lines lines; /* is stored as far as there is room behind all symbols */
};

/*
 * Appends a section of at most budget bytes (if that is enough for an empty one) to out. Returns what is in
 * it.
 */
struct names_summary names_section__write(struct strbuf *out, const struct names_dso *dsos, size_t nr,
					  u64 budget);

/* ---- reading ---- */

struct names_entry {
	struct names_dso_id id; /* the name is in the section's memory */
	u32 flags;
	u32 nr_symbols;
	const u8 *symbols;
	const char *text; /* ends with NUL */
	size_t text_size;
	const u8 *loads;
	u32 nr_loads;
	struct names_lines_chunk lines; /* nr_addresses 0: none */
};

struct names_section {
	struct strbuf content; /* unpacked */
	bool swap;
	ARRAY(struct names_entry) entries;
};

/* 0; -ENODATA: the room for a section was left empty; -EBADMSG. swap: of the other byte order. */
int names_section__summary(const void *data, size_t size, bool swap, struct names_summary *s);
/* The same returns, -ENOTSUP without the library to unpack it, and err. To be given to __exit in any case. */
int names_section__read(struct names_section *n, const void *data, size_t size, bool swap, struct err *err);
void names_section__exit(struct names_section *n); /* accepts an all-zero n */
/* i < nr_loads */
struct names_load names_entry__load(const struct names_section *n, const struct names_entry *e, u32 i);
/* Adds what an entry has; the caller does symtab__finish. */
void names_entry__add_symbols(const struct names_section *n, const struct names_entry *e, struct symtab *t);

#endif
