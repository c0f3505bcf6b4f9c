/*
 * perf export --format sample-profile, autofdo, bolt, symbol-order: what compilers and linkers read to make a
 * program faster. Unlike other formats these are of one binary, and need that binary here.
 */
#ifndef PGO_PGO_H
#define PGO_PGO_H

#include "export/export_format.h"
#include "pgo/code_use.h"

struct pgo_format {
	const char *name, *suffix, *help;
	bool is_text;     /* may be written to a terminal */
	bool needs_lines; /* the binary's debug information */
	/* Append the profile to out. Return 0, or a negative errno with err. */
	int (*write)(const struct code_use *u, struct export_out *out, struct err *err);
	/* Append a line for each thing that would make the profile better; may be NULL. */
	void (*lacks)(const struct code_use *u, struct strbuf *lines);
};

extern const struct pgo_format *const pgo_formats[]; /* ends with NULL */
/* Append the names of the formats, with their suffixes. */
void pgo_formats__list(struct strbuf *out);
/* Return the format that a->format, or the suffix of a->output, names; NULL: none of these. */
const struct pgo_format *pgo_format__of(const struct export_args *a);
/* Read a->input and write its profile in that format. Return the exit status. */
int pgo__run(const struct export_args *a, const struct pgo_format *f);
/*
 * Print what profiles of a recording would lack, for perf doctor: a paragraph, or nothing if it has no
 * samples of a program. Return 0, or -1 after an error message.
 */
int pgo__explain(const struct export_args *a);

extern const struct pgo_format pgo_sample_profile; /* LLVM's text sample profile */
extern const struct pgo_format pgo_autofdo;        /* gcc's */
extern const struct pgo_format pgo_bolt;           /* BOLT's fdata */
extern const struct pgo_format pgo_symbol_order;   /* linkers' order of symbols */

#endif
