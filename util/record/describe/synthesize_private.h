/* What the synthesis is made of, for its unit tests: each part works on text that the caller gives. */
#ifndef RECORD_SYNTHESIZE_PRIVATE_H
#define RECORD_SYNTHESIZE_PRIVATE_H

#include "live/proc.h"
#include "record/describe/synthesize.h"

/* Where the kernel's code lies, from kallsyms text that comes in pieces. */
struct kernel_range {
	u64 text, stext, etext; /* 0: not seen */
	u64 end;                /* a better known end; 0: etext is needed */
	u64 lowest;             /* of the symbols with an address; UINT64_MAX: none has */
};
#define KERNEL_RANGE_INIT            \
	{                            \
		.lowest = UINT64_MAX \
	}
/* Looks at whole lines. True when nothing more is needed. */
bool kernel_range__see(struct kernel_range *k, const char *text, size_t size);
/* The bytes of "Kernel code" in /proc/iomem's text, as x86 counts them; 0 if hidden or not there. */
u64 iomem__kernel_code(const char *text);

struct module {
	const char *name, *path; /* path: NULL if not found */
	u64 start, len;
};
typedef ARRAY(struct module) module_array;
/* /proc/modules' text, changed in place; the names point into it. Modules without an address are left out. */
void modules__parse(char *text, module_array *modules);
/* Fills in the paths, relative to the folder of modules.dep's text, which is changed in place. */
void modules__find_paths(module_array *modules, char *dep);
/* Of their names and addresses, in order. */
u64 modules__hash(const module_array *modules);
/* Append their records, except those that opts->modules has. folder: which the paths are relative to. */
void modules__add_records(const module_array *modules, const char *folder, const struct synthesize_opts *opts,
			  struct strbuf *out);

/* The executable (all: every readable) maps of one process from its maps text, changed in place. */
struct build_id_cache;
void synthesize__maps(struct strbuf *out, pid_t pid, char *text, size_t size,
		      const struct synthesize_opts *opts, struct build_id_cache *ids);

#endif
