/*
 * The extension section: what perf stores in a perf.data file beyond the header features of the format. It
 * is a sequence of chunks at the end of the file. A locator of fixed size before the records says where it
 * is. Other programs read neither. No feature bit is used, since stock perf inject crashes on unknown bits.
 * perf.data-format.md has the layout.
 */
#ifndef FORMAT_EXTENSION_H
#define FORMAT_EXTENSION_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/text/strbuf.h"
#include "format/records/abi.h"

enum extension_kind {
	EXTENSION_LOSSES = 1,      /* text: lost samples and causes (losses.h) */
	EXTENSION_NAMES = 2,       /* functions and lines of sampled addresses (names_section.h) */
	EXTENSION_CALL_CHAINS = 3, /* text: results of unwinding in the recorder (unwind/unwind_stats.h) */
	EXTENSION_CLOCK = 4,       /* text: the recording's clock and CLOCK_MONOTONIC (clock_pairs.h) */
	EXTENSION_CODE = 5,        /* code and source of sampled functions (code_section.h) */
	EXTENSION_MERGED = 6,      /* text: what was merged (format/read/merged_inputs.h) */
	EXTENSION_LABELS = 7,      /* text: what the user says of the recording (labels.h) */
	EXTENSION_LAST,            /* one past the last known */
};

/* Bytes before the records: 8-byte words in the byte order of the file. */
struct extension_locator {
	u64 magic;
	u64 version;
	u64 self;     /* file offset of the locator */
	u64 data_end; /* file offset at which the records end; 0 while the section is empty */
	struct perf_data_section section; /* the chunks; size 0: there are none */
	u64 reserved;
	u64 check; /* sum of the words before it */
};

struct extension_chunk {
	u32 kind; /* enum extension_kind, or one of a later version */
	struct perf_data_section content;
};

struct extension {
	ARRAY(struct extension_chunk) chunks;
};

/* Fill in a locator at offset self. data_end and section as in the struct; section->size 0: no chunks. */
void extension_locator__init(struct extension_locator *l, u64 self, u64 data_end,
			     const struct perf_data_section *section);
/* Append a chunk to the bytes of a section. The section begins at a multiple of 8. */
void extension__add_chunk(struct strbuf *out, u32 kind, const void *data, size_t size);

/*
 * Find the chunks of a file. h: its header in native byte order; swap: the file has the other byte order.
 * Return 0 or a negative errno with err; chunks before damage are available in both cases. -ENOENT without
 * err: the file has no locator, or is not complete. Call extension__exit.
 */
int extension__read(struct extension *x, int fd, const struct perf_data_header *h, u64 file_size, bool swap,
		    struct err *err);
void extension__exit(struct extension *x);
/*
 * Does the file have a locator? Then this program wrote it, and if it has no feature bits the recorder was
 * interrupted. Arguments as above.
 */
bool extension__has_locator(int fd, const struct perf_data_header *h, bool swap);
/*
 * Append a chunk to a file that writer__finish has finished: content first, then the locator, so that the
 * file is good at any moment. same_as: a descriptor of the same file, or -1. Return 0 or a negative errno
 * with err. -ENOENT: the file does not exist, has no locator, is not complete, or was changed since;
 * -EEXIST: it has such a chunk; -EBUSY: another perf is writing it; -ESTALE: path is another file than
 * same_as.
 */
int extension__append(const char *path, int same_as, enum extension_kind kind, const void *data, size_t size,
		      struct err *err);

#endif
