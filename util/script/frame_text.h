/*
 * The texts of addresses, as lines of call chains and as single words. Each thread keeps the texts that it
 * has used (struct frame_texts), so that most lines are one copy. A text that a thread does not have is made
 * by code that all threads share (struct frame_namer), one thread at a time.
 */
#ifndef SCRIPT_FRAME_TEXT_H
#define SCRIPT_FRAME_TEXT_H

#include "base/memory/hash.h"
#include "profile/places/places.h"
#include "profile/keys/name_list.h"

#include <pthread.h>

/* Parts of the text of an address; a set of these is a form. */
enum frame_part {
	FRAME_ADDR = 1 << 0,       /* in lines: in the binary; else as sampled. 16 digits wide */
	FRAME_SYM = 1 << 1,        /* " NAME", or " [unknown]" */
	FRAME_SYM_OFFSET = 1 << 2, /* "+0x12", after a name */
	FRAME_DSO = 1 << 3,        /* " (NAME)" */
	FRAME_DSO_OFFSET = 1 << 4, /* "+0x12" after the dso's name */
	FRAME_SRCLINE = 1 << 5,    /* newline, "  FILE:LINE" */
	/* A line of a call chain: a tab, the rest, a newline. Inlined functions have lines before it. */
	FRAME_LINE = 1 << 6,
	FRAME_CALLER = 1 << 7, /* a return address: look up source lines and inlined functions at the call */
	FRAME_BRANCH = 1 << 8, /* of a branch: nothing before the name or around the dso but brackets */
	FRAME_OFFSET = 1 << 9, /* of a branch: "0x12", in the binary */
	FRAME_ADDR_HEX = 1 << 10, /* of a branch: "0x12", as sampled */
};

struct frame_namer {
	/* Set these before frame_namer__init. */
	bool show_kernel_path;         /* show where the kernel's binary is */
	const struct name_list *stops; /* chains end after these functions */

	pthread_mutex_t lock;
	struct session *session;
	struct places places;
	struct strbuf scratch;
};

void frame_namer__init(struct frame_namer *n, struct session *s, const struct places_opts *opts);
void frame_namer__exit(struct frame_namer *n);

struct frame_text {
	u64 ip;
	u32 key;
	struct maps_span span; /* versions of the space for which this is right; end 0: a free slot */
	u16 form;
	bool is_last; /* the chain ends here (--stop-bt) */
	u32 len;
	const char *text; /* readable up to a multiple of FRAME_TEXT_BLOCK */
};

enum { FRAME_TEXT_BLOCK = 64 }; /* most texts have less */

/*
 * Copy a text to p, which has room for FRAME_TEXT_BLOCK bytes more. Return the position after it. Blocks of a
 * constant size are copied without a call.
 */
static inline char *frame_text__put(char *p, const struct frame_text *t)
{
	const char *text = t->text;
	u32 len = t->len, i = 0;

	do {
		memcpy(p + i, text + i, FRAME_TEXT_BLOCK);
		i += FRAME_TEXT_BLOCK;
	} while (i < len);
	return p + len;
}

struct frame_texts {
	struct frame_namer *namer;
	struct arena arena;
	struct frame_text *slots; /* a hash table */
	size_t mask, nr;
	struct strbuf scratch;
};

void frame_texts__init(struct frame_texts *t, struct frame_namer *n);
void frame_texts__exit(struct frame_texts *t);
const struct frame_text *frame_texts__add(struct frame_texts *t, const struct row_space *space, u64 ip,
					  u16 form);

/* Return the slot of an address in a form: with its text, or free. */
static inline struct frame_text *frame_texts__slot(const struct frame_texts *t, u64 ip, u32 key, u16 form)
{
	/* Bits of a product depend on lower ones only. */
	size_t pos = (ip ^ (u64)key << 40 ^ (u64)form << 20) * 0x9e3779b97f4a7c15ull >> 32 & t->mask;
	struct frame_text *slot = &t->slots[pos];

	while (slot->span.end && (slot->ip != ip || slot->key != key || slot->form != form)) {
		pos = (pos + 1) & t->mask;
		slot = &t->slots[pos];
	}
	return slot;
}

/* Return the text of an address in a form (a set of enum frame_part). Valid until the next call. */
static inline const struct frame_text *frame_texts__get(struct frame_texts *t, const struct row_space *space,
							u64 ip, u16 form)
{
	const struct frame_text *slot = frame_texts__slot(t, ip, space->key, form);

	if (likely(space->version - slot->span.first < slot->span.end - slot->span.first))
		return slot;
	return frame_texts__add(t, space, ip, form);
}

/* The function and binary at an address, for filters. */
struct frame_at {
	const struct dso *dso; /* NULL: in no binary */
	const char *symbol;    /* as shown; NULL: unknown */
	u64 start;             /* of the symbol in memory; 0: unknown */
};
/* Look up without a cache. symbol is valid as long as the namer. */
struct frame_at frame_namer__at(struct frame_namer *n, const struct row_space *space, u64 ip);

#endif
