#include "record/describe/kallsyms_copy.h"

#include "base/system/file.h"
#include "binary/symbols/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 64 << 10 };

static int line__has_address(const struct kallsyms_line *line, void *ctx)
{
	(void)ctx;
	return line->addr != 0;
}

/* Without the right to see them all addresses are 0; a thousand are not by chance. */
static bool has_addresses(const char *text, size_t size)
{
	return kallsyms__parse(text, size, line__has_address, NULL) > 0;
}

static int copy(int from, int to)
{
	char *buf = xmalloc(CHUNK);
	bool is_first = true;
	ssize_t n;
	int ret = 0;

	while (!ret && (n = file__read_all(from, buf, CHUNK)) != 0) {
		if (n < 0)
			ret = (int)n;
		else if (is_first && !has_addresses(buf, (size_t)n))
			ret = -EPERM;
		else
			ret = file__write_all(to, buf, (size_t)n);
		is_first = false;
	}
	free(buf);
	return !ret && is_first ? -EPERM : ret; /* an empty file tells nothing, either */
}

/* To a temporary name first: another recorder may be at it, and this one may be killed. */
static int copy_file(const char *source, const char *path)
{
	char *temp = xasprintf("%s.XXXXXX", path);
	int from = file__open_regular(source), to, ret = from;

	if (from >= 0) {
		to = mkostemp(temp, O_CLOEXEC);
		ret = to < 0 ? -errno : copy(from, to);
		if (to >= 0 && close(to) && !ret)
			ret = -errno;
		if (!ret && rename(temp, path))
			ret = -errno;
		if (ret && to >= 0)
			unlink(temp);
		close(from);
	}
	free(temp);
	return ret;
}

/* Makes the folders on the way to path that are not there. */
static int make_folders(const char *path)
{
	char *copy_of = xstrdup(path);
	int ret = 0;

	for (char *p = strchr(copy_of + 1, '/'); p && !ret; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(copy_of, 0755) && errno != EEXIST)
			ret = -errno;
		*p = '/';
	}
	free(copy_of);
	return ret;
}

static int leave(const char *path, const char *source)
{
	int ret;

	if (!access(path, F_OK))
		return 0;
	ret = make_folders(path);
	return ret ? ret : copy_file(source, path);
}

static int leave_link(const char *path, const char *to)
{
	int ret = make_folders(path);

	if (!ret && symlink(to, path) && errno != EEXIST)
		ret = -errno;
	return ret;
}

/* Root with the environment of a user leaves nothing that the user cannot delete. */
static bool is_ours(const char *cache)
{
	const char *slash = strrchr(cache, '/');
	char *parent =
		slash > cache ? xasprintf("%.*s", (int)(slash - cache), cache) : xstrdup(slash ? "/" : ".");
	struct stat st;
	bool ours = (!stat(cache, &st) || !stat(parent, &st)) && st.st_uid == geteuid();

	free(parent);
	return ours;
}

int kallsyms_copy__leave(const char *cache, const char *source, const struct build_id *id, struct err *err)
{
	char hex[2 * BUILD_ID_MAX + 1], *path, *link, *to;
	int ret;

	if (id->size < 2)
		return err__set(err, -EINVAL, "the kernel has no build-id");
	if (!is_ours(cache))
		return err__set(err, -EACCES, "'%s' belongs to another user", cache);
	build_id__str(id, hex);
	path = xasprintf("%s/[kernel.kallsyms]/%s/kallsyms", cache, hex);
	link = xasprintf("%s/.build-id/%.2s/%s", cache, hex, hex + 2);
	to = xasprintf("../../[kernel.kallsyms]/%s", hex);
	ret = leave(path, source);
	if (!ret)
		ret = leave_link(link, to);
	if (ret == -EPERM)
		err__set(err, ret, "kernel addresses are hidden");
	else if (ret)
		err__set(err, ret, "cannot copy '%s' to '%s': %s", source, path, err__str(ret));
	free(path);
	free(link);
	free(to);
	return ret;
}
