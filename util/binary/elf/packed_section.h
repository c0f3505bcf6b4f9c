/*
 * A compressed section of an ELF file (SHF_COMPRESSED with zlib or zstd, and the older .zdebug). It is
 * unpacked only as far as needed: most of the bytes that are used are near the beginning. (System V gABI,
 * "Section Compression") Private to util/binary.
 */
#ifndef BINARY_PACKED_SECTION_H
#define BINARY_PACKED_SECTION_H

#include "base/system/unpack.h"

struct packed_section {
	struct unpacker in;
	u8 *out; /* memory for size bytes, zeroed; not owned */
	u64 size;
	u64 done;           /* bytes unpacked so far */
	size_t packed_size; /* bytes; the last in.size of them are still packed */
	bool is_tried;      /* all at once, and failed */
};

/*
 * Read the compression header and fill s except for out. is_old: .zdebug. Return false if the format is
 * unknown, or the claimed size is larger than that many bytes can become.
 */
bool packed_section__init(struct packed_section *s, const u8 *bytes, size_t size, bool is_old, bool is_64bit,
			  bool swap);
/* Unpack at least the first end bytes; damaged ones stay 0. */
void packed_section__unpack(struct packed_section *s, u64 end);
/* Return to the state after packed_section__init: the bytes of out were given back, and are 0 again. */
void packed_section__restart(struct packed_section *s);
void packed_section__exit(struct packed_section *s); /* accepts an all-zero s */

#endif
