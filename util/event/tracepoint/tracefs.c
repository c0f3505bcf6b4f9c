#include "event/tracepoint/tracefs.h"

#include "base/system/file.h"
#include "base/text/glob.h"

#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the mount ---- */

/* Return 0 if path has a folder of events that can be listed. */
static int tracefs__check(const char *path)
{
	return folder__names(NULL, false, "%s/events", path);
}

static int tracefs__find_mount(struct strbuf *path)
{
	FILE *mounts = setmntent("/proc/mounts", "re");
	char line[LINE_MAX];
	struct mntent m;
	int ret = -ENOENT;

	while (mounts && ret && getmntent_r(mounts, &m, line, sizeof(line))) {
		if (strcmp(m.mnt_type, "tracefs"))
			continue;
		ret = tracefs__check(m.mnt_dir);
		if (!ret)
			strbuf__addstr(path, m.mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	return ret;
}

int tracefs__find(struct strbuf *path, struct err *err)
{
	/* Looking into the second folder mounts it. */
	static const char *const usual[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	bool denied = false;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		ret = tracefs__check(usual[i]);
		if (!ret) {
			strbuf__addstr(path, usual[i]);
			return 0;
		}
		denied |= ret == -EACCES || ret == -EPERM;
	}
	ret = tracefs__find_mount(path);
	if (!ret)
		return 0;
	if (denied) {
		err__set(err, -EACCES, "the tracepoints in %s may not be read by this user", usual[0]);
		err__advise(err, "as root: mount -o remount,mode=755 %s, or run perf as root", usual[0]);
		return -EACCES;
	}
	err__set(err, -ENOENT, "tracefs, where the kernel lists its tracepoints, is not mounted");
	err__advise(err, "as root: mount -t tracefs tracefs %s", usual[0]);
	return -ENOENT;
}

/* ---- files ---- */

/* Is a user's text a plain name, that does not lead to another folder? */
static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

int tracefs__read(const char *tracefs, const char *file, struct strbuf *text)
{
	char *path = xasprintf("%s/%s", tracefs, file);
	int ret = file__read(path, text, 0);

	free(path);
	return ret;
}

int tracefs__event_format(const char *tracefs, const char *system, const char *event, struct strbuf *format)
{
	char *file;
	int ret;

	if (!is_plain_name(system) || !is_plain_name(event))
		return -ENOENT;
	file = xasprintf("events/%s/%s/format", system, event);
	ret = tracefs__read(tracefs, file, format);
	free(file);
	return ret;
}

static bool tracefs__has_system(const char *tracefs, const char *system)
{
	char *path = xasprintf("%s/events/%s", tracefs, system);
	struct stat st;
	bool has = !stat(path, &st) && S_ISDIR(st.st_mode);

	free(path);
	return has;
}

int tracefs__event_id(const char *tracefs, const char *system, const char *event, u64 *id, struct err *err)
{
	char *path;
	int ret;

	if (!is_plain_name(system) || !tracefs__has_system(tracefs, system))
		return err__set(err, -ENOENT, "the kernel has no tracepoints of a system '%s'", system);
	if (!is_plain_name(event))
		return err__set(err, -ENOENT, "the kernel has no tracepoint '%s:%s'", system, event);
	path = xasprintf("%s/events/%s/%s/id", tracefs, system, event);
	ret = file__read_u64(path, id);
	if (ret == -ENOENT || ret == -ENOTDIR)
		ret = err__set(err, -ENOENT, "the kernel has no tracepoint '%s:%s'", system, event);
	else if (ret)
		ret = err__set(err, ret, "cannot read '%s': %s", path, err__str(ret));
	free(path);
	return ret;
}

/* ---- lists ---- */

/* List the systems (system ""), or the events of one, sorted. */
static int list_folders(const char *tracefs, const char *system, name_array *names)
{
	int ret = folder__names(names, true, "%s/events/%s", tracefs, system);

	if (names->nr)
		qsort(names->v, names->nr, sizeof(*names->v), str__compare);
	return ret;
}

static int for_each_event_of(const char *tracefs, const char *system, const char *event_glob,
			     tracefs_event_fn fn, void *ctx)
{
	name_array events = { 0 };
	int ret = 0;

	/* a folder that was removed meanwhile has no events */
	(void)list_folders(tracefs, system, &events);
	for (size_t i = 0; !ret && i < events.nr; i++)
		if (!event_glob || glob__match(event_glob, events.v[i]))
			ret = fn(system, events.v[i], ctx);
	name_array__exit(&events);
	return ret;
}

int tracefs__for_each_event(const char *tracefs, const char *system_glob, const char *event_glob,
			    tracefs_event_fn fn, void *ctx)
{
	name_array systems = { 0 };
	int ret = list_folders(tracefs, "", &systems);

	for (size_t i = 0; !ret && i < systems.nr; i++)
		if (!system_glob || glob__match(system_glob, systems.v[i]))
			ret = for_each_event_of(tracefs, systems.v[i], event_glob, fn, ctx);
	name_array__exit(&systems);
	return ret;
}

int tracefs__for_each_system(const char *tracefs, tracefs_event_fn fn, void *ctx)
{
	name_array systems = { 0 };
	int ret = list_folders(tracefs, "", &systems);

	for (size_t i = 0; !ret && i < systems.nr; i++)
		ret = fn(systems.v[i], NULL, ctx);
	name_array__exit(&systems);
	return ret;
}
