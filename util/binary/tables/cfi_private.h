#ifndef BINARY_CFI_PRIVATE_H
#define BINARY_CFI_PRIVATE_H

#include "base/memory/hash.h"
#include "binary/tables/cfi.h"
#include "binary/tables/cfi_source.h"
#include "binary/tables/cfi_spans.h"

#include <pthread.h>

enum { CFI_SOURCES = 5 };

enum { CODE_CHUNK = 4096, CODE_CHUNKS = 32 };

/* A part of the file, with code. */
struct code_chunk {
	u64 offset;
	u32 size; /* 0: nothing is there */
	u8 data[CODE_CHUNK];
};

struct cfi {
	struct cfi_binary binary;
	void *sources[CFI_SOURCES]; /* NULL: the binary has nothing of this kind */
	bool late_tried;            /* the late sources have been opened */
	u64 entry;                  /* virtual address; 0: none */
	u64 eh_header;              /* virtual address of .eh_frame_hdr; 0: none */
	u64 section_bytes;          /* of the file's sections that libelf keeps in memory */
	const u8 *image;            /* the binary in memory; NULL: it is a file */
	struct frames_image *own;   /* image, if owned */
	u64 image_size;
	int code_fd; /* of the file, opened when its code is first read; -1: closed */
	bool code_tried;

	pthread_mutex_t lock;                   /* protects what follows, the code, and libdw's structures */
	ARRAY(const struct cfi_row *) rows;     /* [0] is NULL: no CFI */
	struct hash_table by_content;           /* rows: most are used at many addresses */
	struct cfi_spans spans;                 /* address -> row */
	struct code_chunk *chunks[CODE_CHUNKS]; /* of the file, by offset; newer ones replace older ones */
};

#endif
