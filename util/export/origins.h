/*
 * The origins of samples: control group, service, container, and version of the program; the
 * lock that was waited for, and its holder. A recording of a
 * whole machine has samples of many services, so these are of samples, not of the recording.
 *
 * A service is the unit or the like that the control group's path tells (base/text/cgroup_path.h). If the
 * path has none, the service is the name of the process, or "kernel" for the kernel's own threads. The
 * version is the build-id of the program that the process executed.
 */
#ifndef EXPORT_ORIGINS_H
#define EXPORT_ORIGINS_H

#include "export/export_format.h"

struct origins;

/*
 * Set x->words to what rows must be split by for x->labels, and read what these need. Return 0, or a
 * negative errno with err: the recording does not have it.
 */
int origins__split(struct export *x, struct err *err);

/* Find origins with these labels (bits 1 << LABEL_) of x's recording. Lives no longer than x's session. */
struct origins *origins__new(struct export *x, u32 labels);
void origins__delete(struct origins *o);
/* Return the index in x->origins for samples of a row. process: the name of the row's process. */
u32 origins__add(struct origins *o, const struct row *row, const char *process);

#endif
