#include "live/cgroups.h"

#include "base/memory/array.h"
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS_MAX = 1 << 20 };

/* ---- the hierarchy ---- */

bool cgroups__find_mount(const char *mounts, struct strbuf *path)
{
	FILE *f = fmemopen((void *)(uintptr_t)mounts, strlen(mounts), "r");
	char line[LINE_MAX];
	bool is_v1 = false;
	struct mntent m;

	while (f && !is_v1 && getmntent_r(f, &m, line, sizeof(line))) {
		is_v1 = !strcmp(m.mnt_type, "cgroup") && hasmntopt(&m, "perf_event");
		if (!is_v1 && (path->len || strcmp(m.mnt_type, "cgroup2")))
			continue;
		strbuf__reset(path);
		strbuf__addstr(path, m.mnt_dir);
	}
	if (f)
		fclose(f);
	return path->len;
}

int cgroups__mount(struct strbuf *path, struct err *err)
{
	struct strbuf mounts = STRBUF_INIT;
	int ret = file__read("/proc/self/mounts", &mounts, 0);

	if (!ret && !cgroups__find_mount(mounts.buf, path))
		ret = -ENOENT;
	strbuf__exit(&mounts);
	if (ret) {
		err__set(err, ret, "no cgroup hierarchy is mounted that perf events can use");
		err__advise(err, "mount -t cgroup2 none /sys/fs/cgroup");
	}
	return ret;
}

/* ---- groups ---- */

/* The group's number in CGROUP records and samples. 0 or a negative errno. */
static int cgroup__id(const char *path, u64 *id)
{
	union {
		struct file_handle h;
		u8 bytes[sizeof(struct file_handle) + sizeof(u64)];
	} handle = { .h.handle_bytes = sizeof(u64) };
	int mount_id;

	if (name_to_handle_at(AT_FDCWD, path, &handle.h, &mount_id, 0))
		return -errno;
	memcpy(id, handle.h.f_handle, sizeof(*id));
	return 0;
}

static void add_children(const char *mount, const char *name, name_array *names)
{
	name_array children = { 0 };

	folder__names(&children, true, "%s%s", mount, name); /* fails if the group is gone */
	for (size_t i = 0; i < children.nr && names->nr < GROUPS_MAX; i++)
		array__add(names, xasprintf("%s/%s", name, children.v[i]));
	name_array__exit(&children);
}

int cgroups__each(const char *mount, void (*fn)(void *ctx, const char *name, u64 id), void *ctx)
{
	name_array names = { 0 };
	int ret = 0;

	array__add(&names, xstrdup(""));
	for (size_t i = 0; i < names.nr; i++) {
		char *path = xasprintf("%s%s", mount, names.v[i]);
		u64 id = 0;
		int failed = cgroup__id(path, &id);

		if (!failed) {
			fn(ctx, *names.v[i] ? names.v[i] : "/", id);
			add_children(mount, names.v[i], &names);
		} else if (!i) {
			ret = failed;
		}
		free(path);
	}
	name_array__exit(&names);
	return ret;
}

int cgroup__open(const char *mount, const char *name, struct err *err)
{
	char *path = xasprintf("%s/%s", mount, name);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = fd < 0 ? -errno : fd;

	if (fd < 0) {
		err__set(err, ret, "cannot open cgroup '%s' in '%s': %s", name, mount, err__str(ret));
		err__advise(err,
			    "ls %s shows those there are; /proc/PID/cgroup says which one a process is in",
			    mount);
	}
	free(path);
	return ret;
}
