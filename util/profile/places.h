/*
 * Places: where an address is, as reports tell places apart. A resolved place is a symbol of a dso;
 * an unresolved one is an address. Each distinct address of a recording is looked up once.
 *
 * As in stock perf an unresolved leaf is known by its address in the dso, an unresolved caller by the
 * memory address in the chain: so one address has two places.
 *
 * An address is looked up in the maps of its space again only where a map was put over it in the meantime:
 * rows of many versions of a space share what is the same in them.
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

struct row_space {               /* where a row's addresses of one cpumode are looked up */
	const struct maps *maps; /* of the process; NULL: nothing known */
	u32 version;             /* of what the cpumode's addresses are looked up in */
	u32 key;                 /* equal ones have equal answers at equal versions */
	u8 cpumode;
};

struct location { /* of an address in a space, as of the versions in span */
	u64 ip;
	u32 key;               /* of struct row_space */
	struct maps_span span; /* end 0: a free slot */
	u32 leaf, caller;      /* places */
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
	struct location *locations; /* a hash table by ip and key */
	size_t locations_mask;      /* number of slots - 1 */
	size_t nr_locations;
};

void places__init(struct places *p, struct session *s, const struct places_opts *opts);
void places__exit(struct places *p);
struct row_space places__space(const struct places *p, const struct row *row, u8 cpumode);
/* The pointer is good until the next call. */
const struct location *places__locate(struct places *p, const struct row_space *space, u64 ip);
/* Name of a resolved place, demangled unless the options say no; not masked. "" for an unresolved one. */
const char *places__name(struct places *p, u32 place);

static inline const struct place *places__get(const struct places *p, u32 place)
{
	return &p->v.v[place];
}

#endif
