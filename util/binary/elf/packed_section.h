/*
 * A compressed section of an ELF file (SHF_COMPRESSED with zlib or zstd, and the older .zdebug), unpacked as
 * far as it is needed: most of what is asked for stands near the beginning. (System V gABI, "Section
 * Compression") Private to util/binary.
 */
#ifndef BINARY_PACKED_SECTION_H
#define BINARY_PACKED_SECTION_H

#include "base/system/unpack.h"

struct packed_section {
	struct unpacker in;
	u8 *out; /* memory for size bytes, zeroed; not owned */
	u64 size;
	u64 done; /* so many bytes are there */
};

/*
 * What stands in front of the bytes of a compressed section: fills s but for out. is_old: .zdebug. False: it
 * is not known how to unpack it, or it claims to be larger than so few bytes can become.
 */
bool packed_section__init(struct packed_section *s, const u8 *bytes, size_t size, bool is_old, bool is_64bit,
			  bool swap);
/* Makes at least the first end bytes be there; damaged ones stay 0. */
void packed_section__unpack(struct packed_section *s, u64 end);
void packed_section__exit(struct packed_section *s); /* accepts an all-zero s */

#endif
