/* The parts of the synthesis, for its unit tests. Each part works on text from the caller. */
#ifndef RECORD_SYNTHESIZE_PRIVATE_H
#define RECORD_SYNTHESIZE_PRIVATE_H

#include "live/proc.h"
#include "record/describe/synthesize.h"

/* The address range of the kernel's code, from kallsyms text that arrives in pieces. */
struct kernel_range {
	u64 text, stext, etext; /* 0: not seen */
	u64 end;                /* a more accurate end; 0: use etext */
	u64 lowest;             /* lowest nonzero symbol address; UINT64_MAX: none */
};
#define KERNEL_RANGE_INIT            \
	{                            \
		.lowest = UINT64_MAX \
	}
/* Read whole lines. Return true when no more are needed. */
bool kernel_range__see(struct kernel_range *k, const char *text, size_t size);
/* Return the size of "Kernel code" in the text of /proc/iomem (x86), in bytes; 0 if hidden or missing. */
u64 iomem__kernel_code(const char *text);

struct module {
	const char *name, *path; /* path: NULL: not found */
	u64 start, len;
};
typedef ARRAY(struct module) module_array;
/*
 * Parse the text of /proc/modules, which is changed in place; the names point into it. Modules without an
 * address are left out.
 */
void modules__parse(char *text, module_array *modules);
/*
 * Fill in the paths, relative to the directory of modules.dep. The text of modules.dep is changed in place.
 */
void modules__find_paths(module_array *modules, char *dep);
/* Hash the names and addresses, in order. */
u64 modules__hash(const module_array *modules);
/* Append records of the modules, except those that opts->modules has. The paths are relative to folder. */
void modules__add_records(const module_array *modules, const char *folder, const struct synthesize_opts *opts,
			  struct strbuf *out);

/*
 * Append the executable (all: all readable) maps of one process from its maps text, which is changed in
 * place.
 */
struct build_id_cache;
void synthesize__maps(struct strbuf *out, pid_t pid, char *text, size_t size,
		      const struct synthesize_opts *opts, struct build_id_cache *ids);

#endif
