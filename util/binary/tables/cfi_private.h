#ifndef BINARY_CFI_PRIVATE_H
#define BINARY_CFI_PRIVATE_H

#include "base/memory/hash.h"
#include "binary/tables/cfi.h"
#include "binary/tables/cfi_source.h"
#include "binary/tables/cfi_spans.h"

#include <pthread.h>

enum { CFI_SOURCES = 5 };

struct cfi {
	struct cfi_binary binary;
	void *sources[CFI_SOURCES]; /* NULL: the binary has none of the kind */
	bool late_tried;            /* those that take long to open */
	u64 entry;                  /* virtual address; 0: none */
	/* The file's bytes, read when they are asked for. */
	const u8 *image;
	u64 image_size;
	bool image_tried;

	pthread_mutex_t lock;               /* of what follows, of the image, and of libdw's structures */
	ARRAY(const struct cfi_row *) rows; /* [0] is NULL: no CFI */
	struct hash_table by_content;       /* of rows: most are used at many places */
	struct cfi_spans spans;             /* address -> row */
};

#endif
