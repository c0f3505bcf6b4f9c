/*
 * The names that are to be stored in a recording, from one session or several: owns all texts, and has each
 * symbol and each address of a binary once.
 */
#ifndef PROFILE_NAMES_STORE_H
#define PROFILE_NAMES_STORE_H

#include "base/memory/hash.h"
#include "base/memory/strpool.h"
#include "format/file/names_section.h"
#include "model/dso.h"
#include "model/frames.h"

struct stored_at { /* a symbol, which starts at addr, or an address of a binary */
	u64 addr;
	u32 dso, i; /* index of the symbol in dsos */
};
typedef ARRAY(struct stored_at) stored_at_array;

struct names_store {
	struct strpool texts;
	ARRAY(struct names_dso) dsos;
	ARRAY(enum dso_kind) kinds;              /* of dsos */
	struct hash_table by_name;               /* dsos */
	struct hash_table by_symbol, by_address; /* symbols and addresses, by dso and address */
	stored_at_array symbols, addresses;      /* the most sampled first, about */
};

void names_store__init(struct names_store *n);
void names_store__exit(struct names_store *n);
/* Return the index of a binary, which is added if it is new. */
u32 names_store__dso(struct names_store *n, const struct names_dso_id *id, enum dso_kind kind);
/* Return the binary of that index in a session of the recording. */
struct dso *names_store__find_dso(const struct names_store *n, u32 i, struct dsos *dsos);
/* Add a symbol, or its hits to those of the same symbol. */
void names_store__add_symbol(struct names_store *n, u32 dso, const struct names_symbol *s);
/* Add an address to addresses, once. */
void names_store__add_address(struct names_store *n, u32 dso, u64 addr);
/* Add the functions and lines at an address, once for each. */
void names_store__add_lines(struct names_store *n, u32 dso, u64 addr, const struct code_frames *frames);

#endif
