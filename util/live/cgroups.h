/* Control groups, as folders of a mounted hierarchy. */
#ifndef LIVE_CGROUPS_H
#define LIVE_CGROUPS_H

#include "base/message/err.h"

/*
 * Find where the hierarchy is mounted that perf events use: that of the controller perf_event (version 1),
 * else that of version 2. mounts: the text of /proc/self/mounts; path: empty. Return false if there is none.
 */
bool cgroups__find_mount(const char *mounts, struct strbuf *path);
/* As cgroups__find_mount, for this machine. Return 0 or a negative errno with err. */
int cgroups__mount(struct strbuf *path, struct err *err);

/*
 * Call fn for the folder below mount and for all groups in it, parents first; name is "/" or "/a/b". Return
 * 0, or a negative errno if mount cannot be read.
 */
int cgroups__each(const char *mount, void (*fn)(void *ctx, const char *name, u64 id), void *ctx);
/*
 * Open the group name, with or without a leading slash. Return a descriptor, or a negative errno with err.
 */
int cgroup__open(const char *mount, const char *name, struct err *err);

#endif
