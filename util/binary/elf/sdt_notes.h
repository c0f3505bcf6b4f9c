/*
 * Static probes of a program or library (SDT, USDT: sys/sdt.h, dtrace -G): places in its code that have a
 * name, for tracers. Notes in .note.stapsdt describe them; stripped binaries have them, too. Every offset
 * and size in the file is checked.
 */
#ifndef BINARY_SDT_NOTES_H
#define BINARY_SDT_NOTES_H

#include "base/memory/arena.h"
#include "base/memory/array.h"
#include "base/message/err.h"

struct sdt_probe {
	const char *provider, *name; /* valid until the notes are freed; not masked */
	u64 addr;                    /* of the instruction, as linked */
	/*
	 * linked address of a counter of 16 bits, 0: none. The program runs the code that makes the probe's
	 * arguments, often the probe as well, only while the counter is not 0: a tracer raises it (in
	 * perf_event_attr.config of a uprobe: ref_ctr_offset, a file offset).
	 */
	u64 semaphore;
};

struct sdt_notes {
	ARRAY(struct sdt_probe) v; /* sorted by provider, name and address */
	struct arena names;
};

/*
 * Read the probes of the file root + path; root may be "". Return 0, also without any probes; or a negative
 * errno with err. Free the notes with sdt_notes__exit(), also after an error.
 */
int sdt_notes__read(struct sdt_notes *s, const char *root, const char *path, struct err *err);
int sdt_notes__read_image(struct sdt_notes *s, const void *image, size_t size, struct err *err);
void sdt_notes__exit(struct sdt_notes *s);
/*
 * Find the places of a probe: several if it was inlined, or is in several functions. In name, "-" stands for
 * "__" as well. Return how many there are; *first is the first one, and the others follow it.
 */
size_t sdt_notes__find(const struct sdt_notes *s, const char *provider, const char *name,
		       const struct sdt_probe **first);

#endif
