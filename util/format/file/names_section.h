/*
 * EMBEDDED_NAMES, a chunk of the extension section: the functions of all samples, so that a report needs
 * neither the recorded binaries nor the kernel. perf.data-format.md has the layout.
 */
#ifndef FORMAT_NAMES_SECTION_H
#define FORMAT_NAMES_SECTION_H

#include "base/memory/cursor.h"
#include "base/text/strbuf.h"
#include "binary/elf/build_id.h"
#include "binary/symbols/symtab.h"
#include "format/file/names_lines.h"

/* The head of a section, which is not compressed. */
struct names_summary {
	u32 nr_dsos, nr_symbols;
	u32 nr_left_out; /* sampled symbols that did not fit */
	u64 unpacked;    /* bytes */
	u64 size;        /* of the section */
};

/* Identity of a binary: everything that distinguishes the dsos of a recording. */
struct names_dso_id {
	const char *name; /* long name, as recorded */
	struct build_id build_id;
	u64 maj_min, ino, ino_generation; /* 0: unknown */
	u32 pid;                          /* JIT code: the process; otherwise 0 */
};

/*
 * Append, or read, the start of a chunk about a binary, but for the name. Reading returns the flags; c->bad:
 * it is damaged.
 */
void names_dso_id__write(struct strbuf *out, u32 flags, const struct names_dso_id *id);
u32 names_dso_id__read(struct cursor *c, struct names_dso_id *id);

enum names_dso_flags {
	NAMES_EXPORTED_ONLY = 1 << 0, /* some functions may have the name of an exported one before them */
	NAMES_CUT = 1 << 1,           /* some symbols of this binary did not fit */
};

/* ---- writing ---- */

struct names_symbol {
	u64 start; /* dso address */
	u32 size;
	const char *name; /* raw */
	/* samples with the symbol, also in their chains; symbols with fewest are left out first */
	u64 hits;
	bool is_made_up; /* there is no such symbol: a made-up name, or main or _start */
	u64 own_hits;    /* samples in the symbol itself; not stored */
};

/* A load of JIT code from a jitdump: it is at addr from this time on. */
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
	struct names_lines lines; /* stored if there is room after all symbols */
};

struct ranked_symbol {
	u64 hits;
	u32 dso, symbol; /* their numbers */
};

/* Sort by falling hits, then by the numbers. */
void ranked_symbols__sort(struct ranked_symbol *v, size_t nr);

/*
 * Append a section of at most budget bytes to out, unless not even an empty one fits. Return its contents.
 */
struct names_summary names_section__write(struct strbuf *out, const struct names_dso *dsos, size_t nr,
					  u64 budget);

/* ---- reading ---- */

struct names_entry {
	struct names_dso_id id; /* the name is in the section's memory */
	u32 flags;
	u32 nr_symbols, nr_made_up; /* the last nr_made_up symbols have made-up names */
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

/* Parse the head. Return 0; -ENODATA: the section is empty; or -EBADMSG. swap: other byte order. */
int names_section__summary(const void *data, size_t size, bool swap, struct names_summary *s);
/*
 * As names_section__summary, with err; -ENOTSUP: the library for decompressing is missing. Call __exit in
 * any case.
 */
int names_section__read(struct names_section *n, const void *data, size_t size, bool swap, struct err *err);
void names_section__exit(struct names_section *n); /* accepts an all-zero n */
/* Return load i, i < nr_loads. */
struct names_load names_entry__load(const struct names_section *n, const struct names_entry *e, u32 i);
/* Add the entry's symbols; the caller calls symtab__finish. */
void names_entry__add_symbols(const struct names_section *n, const struct names_entry *e, struct symtab *t);

#endif
