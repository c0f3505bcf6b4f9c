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
	void *sources[CFI_SOURCES]; /* NULL: the binary has nothing of this kind */
	bool late_tried;            /* the late sources have been opened */
	u64 entry;                  /* virtual address; 0: none */
	u64 section_bytes;          /* of the file's sections that libelf keeps in memory */
	/* The file's bytes, read on demand. */
	const u8 *image;
	u64 image_size;
	bool image_tried;

	pthread_mutex_t lock;               /* protects what follows, the image, and libdw's structures */
	ARRAY(const struct cfi_row *) rows; /* [0] is NULL: no CFI */
	struct hash_table by_content;       /* rows: most are used at many addresses */
	struct cfi_spans spans;             /* address -> row */
};

#endif
