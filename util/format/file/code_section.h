/*
 * EMBEDDED_CODE, a chunk of the extension section: the bytes of sampled functions, their line numbers, and,
 * on request, the text of these lines. So code can be shown on machines without the binaries and their debug
 * information. perf.data-format.md has the layout.
 */
#ifndef FORMAT_CODE_SECTION_H
#define FORMAT_CODE_SECTION_H

#include "format/file/source_excerpt.h"
#include "format/file/names_section.h"

/* The head of a section, which is not compressed. */
struct code_summary {
	u32 nr_dsos, nr_functions;
	u32 code_bytes;
	u32 nr_left_out;        /* functions with samples that did not fit */
	u32 nr_unread;          /* functions with samples whose code could not be read */
	u32 nr_files, nr_lines; /* of source; 0: none is stored */
	u32 nr_newer;           /* source files that are newer than the binary, and so not stored */
	u64 unpacked;           /* bytes */
	u64 size;               /* of the section */
};

/* A reference from code to a function, a variable or a string. */
struct code_ref {
	u64 vaddr;        /* linked address; for the kernel, modules and JIT code, the dso address */
	bool is_data;     /* data is at vaddr, not the target of a jump or a call */
	bool is_text;     /* name is a string of the program, or the beginning of one */
	u32 offset;       /* of vaddr in the function or variable */
	const char *name; /* raw */
};

/* ---- writing ---- */

struct code_function {
	u64 start; /* dso address */
	u64 vaddr; /* linked address, as in struct code_ref */
	u32 size;  /* bytes */
	u32 code;  /* offset in code */
};

struct code_dso {
	struct names_dso_id id;
	u16 machine;                 /* EM_ of elf.h, or MACHINE_THUMB */
	bool big_endian;             /* the instructions */
	ARRAY(struct code_ref) refs; /* distinct; texts not owned */
	ARRAY(struct code_function) functions;
	struct strbuf code;
	/* the frames of an address hold up to the next address, or the end of the function */
	struct names_lines lines;
	source_excerpt_array sources;
};

/*
 * Append a section. If it would have more than budget bytes, write the lines of fewer functions, of the same
 * share in each binary; code and source are always stored. The caller sets nr_left_out, nr_unread and
 * nr_newer in s; this sets the rest.
 */
void code_section__write(struct strbuf *out, const struct code_dso *dsos, size_t nr, u64 budget,
			 struct code_summary *s);

/* ---- reading ---- */

struct stored_function {
	u64 start; /* dso address; start + size does not wrap */
	u64 vaddr; /* linked address */
	u32 size;
	const u8 *code; /* size bytes in the section's memory */
};

struct code_entry {
	struct names_dso_id id; /* the name is in the section's memory */
	u16 machine;
	bool big_endian;
	bool swap;
	ARRAY(struct stored_function) functions; /* sorted by start; they may overlap */
	struct names_lines_chunk lines;          /* nr_addresses 0: none */
	ARRAY(struct source_excerpt_chunk) sources;
	const u8 *refs; /* in the section's memory */
	u32 nr_refs;
	const char *ref_text; /* ends with NUL */
	size_t ref_text_size;
};

struct code_section {
	struct strbuf content; /* unpacked */
	bool swap;
	ARRAY(struct code_entry) entries;
};

/* Parse the head. Return 0; -ENODATA: the section is empty; or -EBADMSG. swap: other byte order. */
int code_section__summary(const void *data, size_t size, bool swap, struct code_summary *s);
/*
 * As code_section__summary. err says what was expected at which offset of the section. Functions and chunks
 * that are not damaged are available even then. -ENOTSUP: the library for decompressing is missing. Call
 * __exit in any case.
 */
int code_section__read(struct code_section *c, const void *data, size_t size, bool swap, struct err *err);
void code_section__exit(struct code_section *c); /* accepts an all-zero c */
/*
 * Find the function that contains a dso address, or the last one to start if there are several. NULL: none.
 */
const struct stored_function *code_entry__find(const struct code_entry *e, u64 addr);
/* Translate a linked address in a stored function to the dso address. Return false if it is in none. O(n). */
bool code_entry__find_addr(const struct code_entry *e, u64 vaddr, u64 *addr);
/* Find the frames at a dso address. Return false if it is in no stored function, or if nothing is known. */
bool code_entry__find_lines(const struct code_entry *e, u64 addr, struct names_address *found);
/* Find what code refers to at a linked address; is_data as in the struct. Return false if it is unknown. */
bool code_entry__find_ref(const struct code_entry *e, u64 vaddr, bool is_data, struct code_ref *found);
/* Return the stored lines of a source file; file: as in the frames. NULL: none. */
const struct source_excerpt_chunk *code_entry__find_source(const struct code_entry *e, const char *file);

#endif
