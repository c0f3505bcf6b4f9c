/*
 * Ids of binaries, frames, stacks and recordings, which are hashes of their content: tables of many
 * recordings share rows by them, and a recording that is added again is known. They are the same in every
 * table, and on every machine. They do not protect against an attacker who looks for two stacks with the same
 * id.
 */
#ifndef EXPORT_CONTENT_IDS_H
#define EXPORT_CONTENT_IDS_H

#include "export/export_format.h"

struct content_frame {
	u64 id;
	bool is_inlined, is_unknown;
};

struct content_stack {
	u64 id, self;    /* self: id of its innermost frame that is not inlined */
	bool is_unknown; /* that frame has no name of its own */
};

enum { CONTENT_TEXT_SIZE = 33 };

struct content_ids {
	ARRAY(u64) binaries; /* by the export's ids, as what follows */
	ARRAY(struct content_frame) frames;
	ARRAY(struct content_stack) stacks;
	u64 recording[2]; /* of the samples so far */
};

/* Begin the recording's id with its host. host NULL: unknown. */
void content_ids__init(struct content_ids *c, const char *host);
void content_ids__exit(struct content_ids *c);
/* Add the export's next binary, and return its id. build_id: in hex, empty if it is unknown. */
u64 content_ids__add_binary(struct content_ids *c, const struct export_binary *b, const char *build_id);
/* Add the export's next frame, after its binary, and return its id. */
u64 content_ids__add_frame(struct content_ids *c, const struct export_frame *f);
/* Add the next node of x->tree, after its frame and its parent, and return its ids. */
struct content_stack content_ids__add_stack(struct content_ids *c, const struct export *x);
/* Add a sample to the recording's id. */
void content_ids__add_sample(struct content_ids *c, const struct export *x, const struct export_sample *s);
/* Write the recording's id in hex, with its NUL. */
void content_ids__recording(const struct content_ids *c, char text[CONTENT_TEXT_SIZE]);
/* Append a build-id in hex; nothing if it is unknown. */
void content_ids__add_build_id(struct strbuf *sb, const struct build_id *id);

#endif
