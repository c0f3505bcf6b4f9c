/*
 * Collect the code to store in a recording: the functions in a names_store that have samples, those with most
 * samples first.
 */
#ifndef PROFILE_CODE_STORE_H
#define PROFILE_CODE_STORE_H

#include "format/file/code_section.h"
#include "model/session.h"
#include "profile/embed/names_store.h"
#include "profile/embed/source_store.h"

struct frame_list {         /* functions and lines at an address */
	u32 dso, first, nr; /* in the dso's lines.frames */
};

struct code_store {
	struct session *session;
	const struct names_store *names;
	struct strpool texts;
	ARRAY(struct code_dso) dsos;
	ARRAY(struct dso *) of_session; /* parallel to dsos */
	u32 *entries;                   /* by dso of names: its index in dsos + 1; 0: not there yet */
	struct hash_table by_ref;       /* refs of all dsos */
	ARRAY(struct frame_list) frame_lists;
	struct hash_table by_frames; /* frame_lists */
	struct source_store source;
	struct code_summary summary; /* counts of what is left out; code_section__write sets the rest */
};

/*
 * Read the code of functions, at most budget bytes, with the lines and names that belong to it, and at most
 * source_budget bytes of source lines. s: any session of the recording. The caller calls __exit.
 */
void code_store__fill(struct code_store *c, struct session *s, const struct names_store *names, u64 budget,
		      u64 source_budget);
void code_store__exit(struct code_store *c);

#endif
