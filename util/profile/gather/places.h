/*
 * Places: where an address is, as reports tell places apart. A resolved place is a symbol of a dso;
 * an unresolved one is an address. Each distinct address of a recording is looked up once.
 *
 * As in stock perf an unresolved leaf is known by its address in the dso, an unresolved caller by the
 * memory address in the chain: so one address has two places.
 *
 * An address is looked up in the maps of its space again only where a map was put over it in the meantime:
 * rows of many versions of a space share what is the same in them.
 *
 * In a chain an address may stand for several functions: those that were inlined there, and the one that has
 * the code. Each is a place of its own. A function that is inlined into two others is two places, as in stock
 * perf, but one to call graphs: where it was inlined is what they show below or above it.
 */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "model/frames.h"
#include "model/session.h"
#include "profile/gather/rows.h"

/* What call graphs tell functions apart by. */
enum graph_key { GRAPH_BY_FUNCTION, GRAPH_BY_ADDRESS, GRAPH_BY_LINE };

struct place {
	const struct symbol *sym; /* NULL: unresolved */
	u32 inlined;    /* text: the name of the function that was inlined into sym; 0: sym's own code */
	u32 line, file; /* texts; 0 unless opts.lines */
	u32 graph;      /* the place that stands for this one in call graphs */
	bool has_line;  /* otherwise the line is made of symbol and offset */
	u64 ip;         /* unresolved, or GRAPH_BY_ADDRESS: what is shown in place of a name; otherwise 0 */
	u32 dso;        /* idx */
	u32 dso_name;   /* strpool id of the short name */
	char level;     /* '.', 'k': of the map; meaningless when unmapped */
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
	/* of the address, of a call that returns to it: see places__frames; 0: not yet */
	u32 frames[2];
};

#define INLINED_MARK " (inlined)" /* behind the names of inlined functions */

struct places_opts {
	enum graph_key graph_key;
	bool inlines;    /* find the inlined functions in chains */
	bool lines;      /* tell source lines apart */
	bool full_paths; /* of source files */
	bool no_demangle;
	bool demangle_kernel;
	/*
	 * Told of each mapped address whose functions or lines are looked up, maybe more than once; NULL:
	 * nobody.
	 */
	void (*looked_up)(void *ctx, u32 dso, u64 addr);
	void *ctx;
};

struct inlined_name {
	const char *raw; /* as in the debug information */
	u32 text;        /* as shown */
};

struct places {
	struct session *session;
	struct places_opts opts;
	ARRAY(struct place) v;
	struct hash_table by_place, by_graph; /* by_graph: those that stand for others in call graphs */
	struct location *locations;           /* a hash table by ip and key */
	size_t locations_mask;                /* number of slots - 1 */
	size_t nr_locations;
	struct strpool texts;          /* source lines and files, names of inlined functions */
	struct hash_table by_raw_name; /* of inlined functions, by the address of the text */
	ARRAY(struct inlined_name) inlined_names;
	ARRAY(u32) frames;        /* lists: how many, and so many places */
	struct code_frames found; /* at the last address */
	struct strbuf scratch;
};

void places__init(struct places *p, struct session *s, const struct places_opts *opts);
void places__exit(struct places *p);
struct row_space places__space(const struct places *p, const struct row *row, u8 cpumode);
/* The pointer is good until the next call. */
const struct location *places__locate(struct places *p, const struct row_space *space, u64 ip);
/*
 * The places that an address of a chain stands for, the innermost inlined function first. is_call: the
 * address is where a call returns to; what is looked for is the call. The list is good until the next call.
 */
const u32 *places__frames(struct places *p, const struct row_space *space, u64 ip, bool is_call, u32 *nr);
/* Name of a resolved place, demangled unless the options say no; not masked. "" for an unresolved one. */
const char *places__name(struct places *p, u32 place);

static inline const char *places__text(const struct places *p, u32 text)
{
	return strpool__get(&p->texts, text);
}

static inline const struct place *places__get(const struct places *p, u32 place)
{
	return &p->v.v[place];
}

#endif
