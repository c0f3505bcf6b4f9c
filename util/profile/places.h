/*
 * Places: where an address is, as reports tell places apart. A resolved place is a symbol of a dso;
 * an unresolved one is an address. Each distinct address of a recording is looked up once.
 *
 * As in stock perf an unresolved leaf is known by its address in the dso, an unresolved caller by the
 * memory address in the chain: so one address has two places.
 */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "model/session.h"
#include "profile/rows.h"

struct place {
	const struct symbol *sym; /* NULL: unresolved */
	u64 ip;	      /* unresolved, or by_address: what is shown in place of a name; otherwise 0 */
	u32 dso;      /* idx */
	u32 dso_name; /* strpool id of the short name */
	char level;   /* '.', 'k': of the map; meaningless when unmapped */
	bool mapped;
	char *name; /* place's name as shown, made on first use; see places__name */
};

struct location { /* of an address in a state of an address space */
	u64 ip;
	u32 space; /* id of struct space_state, cpumode in the lowest 3 bits */
	u32 leaf, caller; /* places */
};

struct space_state {
	const struct maps *maps; /* NULL: nothing known */
	u32 version, kernel_version;
	u32 rank;
};

struct places_opts {
	bool by_address;  /* tell the addresses of a symbol apart in chains: -g address */
	bool no_demangle;
	bool demangle_kernel;
};

struct places {
	struct session *session;
	struct places_opts opts;
	ARRAY(struct place) v;
	struct hash_table by_place;
	ARRAY(struct location) locations;
	struct hash_table by_address;
	ARRAY(struct space_state) spaces;
	struct hash_table by_space;
	u32 last_space; /* of the last row asked for */
};

void places__init(struct places *p, struct session *s, const struct places_opts *opts);
void places__exit(struct places *p);
/* The state of the address space that a row speaks of; id for places__locate. */
u32 places__space(struct places *p, const struct row *row);
/* The pointer is good until the next call. */
const struct location *places__locate(struct places *p, u32 space, u8 cpumode, u64 ip);
/* Name of a resolved place, demangled unless the options say no; not masked. "" for an unresolved one. */
const char *places__name(struct places *p, u32 place);

static inline const struct place *places__get(const struct places *p, u32 place)
{
	return &p->v.v[place];
}

#endif
