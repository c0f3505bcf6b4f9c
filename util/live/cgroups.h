/* Control groups, as folders of a mounted hierarchy. */
#ifndef LIVE_CGROUPS_H
#define LIVE_CGROUPS_H

#include "base/message/err.h"

/*
 * Where the hierarchy is mounted that perf events know groups by: that of the controller perf_event (version
 * 1), otherwise that of version 2. mounts: the text of /proc/self/mounts. False: there is none.
 */
bool cgroups__find_mount(const char *mounts, struct strbuf *path);
/* The same on this machine: 0 or a negative errno with err. */
int cgroups__mount(struct strbuf *path, struct err *err);

/* The group's number in CGROUP records and samples. 0 or a negative errno. */
int cgroup__id(const char *path, u64 *id);
/*
 * Calls fn for the folder below mount and all groups in it, parents first; name is "/" or "/a/b". 0 or a
 * negative errno: mount cannot be read.
 */
int cgroups__each(const char *mount, void (*fn)(void *ctx, const char *name, u64 id), void *ctx);
/* Opens the group name, with or without a slash in front. A descriptor, or a negative errno with err. */
int cgroup__open(const char *mount, const char *name, struct err *err);

#endif
