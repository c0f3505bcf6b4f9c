/*
 * Places: the location of an address, as reports distinguish locations. A resolved place is a symbol of a
 * dso; an unresolved one is an address. Each distinct address of a process is looked up in its maps once, and
 * each distinct address of code in its binary once, however many processes have it.
 *
 * An unresolved address is identified by its address in the dso. With --no-made-up-names an unresolved
 * caller is, as in stock perf, identified by the memory address in the chain: so one address has two places.
 *
 * An address is looked up again in the maps of its space only if a map was put over it in the meantime: rows
 * with many versions of a space share what did not change.
 *
 * In a chain, an address may stand for several functions: those inlined there, and the one that contains the
 * code. Each is a place of its own. A function inlined into two others is two places, as in stock perf, but
 * only one in call graphs, which show where it was inlined above or below it.
 */
#ifndef PROFILE_PLACES_H
#define PROFILE_PLACES_H

#include "model/frames.h"
#include "model/session.h"
#include "profile/rows/rows.h"

/* how call graphs distinguish functions */
enum graph_key { GRAPH_BY_FUNCTION, GRAPH_BY_ADDRESS, GRAPH_BY_LINE };

struct place {
	const struct symbol *sym; /* NULL: unresolved */
	u32 inlined;              /* text id: name of the function inlined into sym; 0: sym's own code */
	const char *raw;          /* of inlined: its name in the debug information; else NULL */
	u32 line, file;           /* text ids; 0 unless opts.lines */
	u32 graph;                /* the place that represents this one in call graphs */
	u32 row;                  /* the place that represents this one in rows: places__join_inlined */
	/* for one that represents others: the one of them with the last address, in any order of finding */
	u32 last;
	bool has_line;   /* false: the line is made of symbol and offset */
	u32 line_number; /* 0: unknown */
	u32 start_line;  /* line where the function begins; 0: unknown, or not opts.starts */
	/*
	 * unresolved, or GRAPH_BY_ADDRESS: address shown instead of a name; from places__exact, or with
	 * opts.exact: address in the dso; otherwise 0
	 */
	u64 ip;
	u32 dso;      /* idx */
	u32 dso_name; /* strpool id of the short name */
	u64 map_size; /* bytes of the mapping; 0 unless opts.map_sizes */
	char level;   /* '.', 'k': from the map; meaningless when unmapped */
	u8 wait;      /* enum wait_kind: a wait that begins here; WAIT_NONE: the code itself */
	bool is_idle; /* the wait is for work */
	bool mapped;
	char *name; /* name as shown, set on first use; see places__name */
};

struct row_space {               /* maps for looking up a row's addresses of one cpumode */
	const struct maps *maps; /* of the process; NULL: unknown */
	u32 version;             /* version of the maps for this cpumode */
	u32 key;                 /* equal keys give equal answers at equal versions */
	u8 cpumode;
};

struct location { /* of an address in a space, for the versions in span */
	u64 ip;
	u32 key;               /* row_space.key */
	struct maps_span span; /* end 0: a free slot */
	u32 code;              /* index in places.codes */
};

/* The places of an address. Processes that have the same code at different addresses share them. */
struct code_places {
	u32 dso;
	bool is_shared; /* in by_code */
	u64 addr;       /* in the dso */
	u32 leaf, caller;
	/*
	 * list ids of places__frames, for the address itself and for a return address; 0: not made yet,
	 * UINT32_MAX: caller alone
	 */
	u32 frames[2];
};

#define INLINED_MARK " (inlined)" /* appended to the names of inlined functions */

struct places_opts {
	enum graph_key graph_key;
	bool inlines; /* find inlined functions in chains */
	/*
	 * Samples in an inlined function are its own, not those of the function that has its code, and it is
	 * one row wherever it was inlined. Needs inlines.
	 */
	bool inline_rows;
	bool lines;      /* distinguish source lines */
	bool starts;     /* find where functions begin in the source; needs lines */
	bool map_sizes;  /* distinguish mappings of different sizes */
	bool full_paths; /* of source files */
	/* A Java method is one place, although it is interpreted, and compiled more than once. */
	bool joins_versions;
	bool exact; /* distinguish addresses in a dso; a return address counts as that of the call */
	/*
	 * Called instead of looking up the functions and lines of a mapped address, maybe more than once; may
	 * be NULL.
	 */
	void (*looked_up)(void *ctx, u32 dso, u64 addr);
	void *ctx;
};

/* The symbol that stands for all versions of a Java method: that of the lowest address. */
struct first_version {
	u32 dso;
	const struct symbol *sym;
};

struct inlined_name {
	const char *raw; /* as in the debug information */
	u32 text;        /* as shown */
};

/* An address of a chain that stands for one function: what places__frames returned, in a cache by address. */
struct recent_frame {
	u64 ip;
	u32 key, version; /* of its struct row_space */
	u32 place;
	u32 kind; /* 1: looked up as it is, 2: as a return address; 0: free */
};

enum { RECENT_FRAMES = 1 << 10, PLACE_NONE = UINT32_MAX };

static inline struct recent_frame *recent_frame__slot(struct recent_frame *recent, u64 ip)
{
	return &recent[(ip ^ ip >> 10) % RECENT_FRAMES];
}

struct places {
	struct session *session;
	struct places_opts opts;
	ARRAY(struct place) v;
	struct hash_table by_place, by_graph; /* by_graph: the representatives in call graphs */
	struct location *locations;           /* a hash table by ip and key */
	size_t locations_mask;                /* number of slots - 1 */
	size_t nr_locations;
	ARRAY(struct code_places) codes;
	struct hash_table by_code;     /* those with a symbol, by dso and address */
	struct recent_frame *recent;   /* RECENT_FRAMES */
	struct strpool texts;          /* source lines and files, names of inlined functions */
	struct hash_table by_raw_name; /* inlined functions, by the address of the raw name */
	ARRAY(struct inlined_name) inlined_names;
	ARRAY(u32) frames;            /* lists: a count, then so many places */
	struct hash_table by_version; /* firsts */
	ARRAY(struct first_version) firsts;
	ARRAY(u32) versioned;     /* dsos whose symbols are in firsts */
	struct code_frames found; /* scratch: functions at the last address */
	struct strbuf scratch;
};

void places__init(struct places *p, struct session *s, const struct places_opts *opts);
void places__exit(struct places *p);
/* Forget the addresses of places, because the address spaces are others now (session__next). Places stay. */
void places__forget_addresses(struct places *p);
/* Call it between rows: forget addresses if there are many, and the session spares memory. */
void places__spare_memory(struct places *p);
/* Return where addresses of a cpumode are looked up, of a sample with this key at this rank. */
struct row_space row_space__make(const struct machine *m, const struct row_key *key, u32 rank, u8 cpumode);
struct row_space places__space(const struct places *p, const struct row *row, u8 cpumode);
/* Look up an address. The result is valid until the next call. */
const struct code_places *places__locate(struct places *p, const struct row_space *space, u64 ip);
/* Return the place of the function that an address is in: the innermost inlined one with opts.inline_rows. */
u32 places__leaf(struct places *p, const struct row_space *space, u64 ip);
/* Return the place of a function, without its address. */
u32 places__symbol(struct places *p, const struct dso *dso, const struct symbol *sym);
/* Return the place of this address alone: two addresses of one symbol are two places, with their ip. */
u32 places__exact(struct places *p, const struct row_space *space, u64 ip);
/*
 * Return the places that an address of a chain stands for, innermost inlined function first. is_call: the
 * address is a return address; look up its call instead. The list is valid until the next call.
 */
const u32 *places__frames(struct places *p, const struct row_space *space, u64 ip, bool is_call, u32 *nr);

/* Return the place of an address that is one function and was looked up lately, or PLACE_NONE. */
static inline u32 places__recent_frame(const struct places *p, const struct row_space *space, u64 ip,
				       bool is_call)
{
	const struct recent_frame *f = recent_frame__slot(p->recent, ip);

	return likely(f->ip == ip && f->key == space->key && f->version == space->version &&
		      f->kind == 1u + is_call)
		       ? f->place
		       : PLACE_NONE;
}

/*
 * Return the text id of an inlined function's name as shown. raw: from the debug information of dso. Several
 * linker names of one constructor give one text.
 */
u32 places__inlined_name(struct places *p, const struct dso *dso, const char *raw);
/* Return the place of waits of this kind (enum wait_kind) that begin in a place. */
u32 places__waiting(struct places *p, u32 place, u8 kind, bool is_idle);
/*
 * Let inlined code of a function be in the rows of the function itself, where its binary has a symbol of this
 * name, and only one, among the places. Only with opts.inline_rows.
 */
void places__join_inlined(struct places *p);
/* Is a place, of a host, in the kernel? That of an unmapped address by its upper bit. */
static inline bool place__is_kernel(const struct place *place)
{
	return place->mapped ? place->level == 'k' : addr__is_kernel(place->ip);
}

/*
 * Return the place of time without a place in the code: that of a wait of this kind (enum wait_kind) in no
 * process.
 */
u32 places__stand_in(struct places *p, u8 kind);
/*
 * Return the name of such a place, as "[ready, not running]"; NULL: the place is in the code.
 */
const char *place__stand_in(const struct place *place);
/* Append what follows the name of a place: that it was inlined, or the kind of the wait. */
void place__add_mark(const struct place *place, struct strbuf *sb);
/*
 * Return the name of a resolved place, demangled unless the session says no, control characters unmasked; ""
 * for an unresolved place.
 */
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
