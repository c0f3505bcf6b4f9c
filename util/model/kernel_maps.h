/*
 * The kernel's address space: its text, its modules, and code made at run time (BPF programs).
 *
 * The kernel's map has several forms, all with a kernel cpumode:
 *	  "[kernel.kallsyms._text]"  pid 0, pgoff 0                    (2.6.3x)
 *	  "[kernel.kallsyms]_text", "..._stext"  pid -1, pgoff = address of that symbol
 *	  "[kernel.kallsyms]"  bare; "[guest.kernel.kallsyms]..." with a guest cpumode
 * Everything else with a kernel cpumode is a module: "/lib/modules/.../x.ko" or "[x]". Dso addresses of the
 * kernel are memory addresses; a module's are offsets from its start.
 */
#ifndef MODEL_KERNEL_MAPS_H
#define MODEL_KERNEL_MAPS_H

#include "base/memory/arena.h"
#include "format/records/record.h"
#include "model/dso.h"
#include "model/maps.h"

struct kernel_maps {
	bool is_guest;
	bool has_text;      /* text is filled */
	struct map text;    /* below all others: modules inside it take precedence */
	struct maps maps;   /* modules, ksymbols */
	struct arena arena; /* of maps */
	/* Reference symbol for relocation, as recorded; ref_name NULL: none, or hidden by kptr_restrict. */
	char *ref_name; /* "_text", "_stext" */
	u64 ref_addr;
};

void kernel_maps__exit(struct kernel_maps *k);
/* First pass only, in rank order. */
void kernel_maps__mmap(struct kernel_maps *k, struct dsos *dsos, const struct mmap_record *m, u32 rank);
void kernel_maps__ksymbol(struct kernel_maps *k, struct dsos *dsos, const struct ksymbol_record *s, u32 rank);

/*
 * Return the map at a kernel address as of a version of its maps, or NULL. span: as in maps__find_version.
 * Thread-safe.
 */
const struct map *kernel_maps__find(const struct kernel_maps *k, u64 addr, u32 version,
				    struct maps_span *span);

#endif
