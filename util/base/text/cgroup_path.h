/*
 * The service and the container of processes, as the path of their control group tells them. Paths come from
 * recordings and are not trusted: names have only characters that all servers take.
 */
#ifndef BASE_CGROUP_PATH_H
#define BASE_CGROUP_PATH_H

#include <stddef.h>

enum { CGROUP_NAME_SIZE = 256 }; /* with the NUL; longer names are cut off */

struct cgroup_path {
	/* unit without its suffix and instance, or the name of a scope, slice or folder; "": unknown */
	char service[CGROUP_NAME_SIZE];
	char container[CGROUP_NAME_SIZE]; /* id, or name for LXC and systemd-nspawn; "": in none */
};

/*
 * Parse a path from the root of its hierarchy, of version 1 or 2. The innermost container and unit count.
 * size: bytes; the path ends at a NUL before that.
 */
void cgroup_path__parse(struct cgroup_path *p, const char *path, size_t size);
/* Set the service to another name, such as that of a process, in the same characters. */
void cgroup_path__set_service(struct cgroup_path *p, const char *name);

#endif
