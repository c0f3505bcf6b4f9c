/* The maps of a running process, grouped by file. */
#ifndef RECORD_PROCESS_MAPS_H
#define RECORD_PROCESS_MAPS_H

#include "base/text/strbuf.h"
#include "binary/symbols/elf_object.h"
#include "live/proc.h"

struct process_maps {
	struct strbuf text; /* of /proc/PID/maps; the names point into it */
	ARRAY(struct proc_map) v;
};

/* Fill m. Return 0 or a negative errno (-ESRCH, -ENOENT: the process has ended). */
int process_maps__read(struct process_maps *m, pid_t pid);
void process_maps__exit(struct process_maps *m);
/* As elf_object__bias, from the process's maps of the file at o's path. */
bool process_maps__bias(const struct process_maps *m, const struct elf_object *o, u64 addr, u64 *bias);
/* Return the name of the file that is mapped at addr, or NULL. */
const char *process_maps__file_at(const struct process_maps *m, u64 addr);

#endif
