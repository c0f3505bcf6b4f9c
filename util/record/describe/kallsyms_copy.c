#include "record/describe/kallsyms_copy.h"

#include "base/system/file.h"
#include "binary/symbols/kallsyms.h"
#include "cache/cache.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Create the missing directories on the way to path. */
static void make_folders(const char *path)
{
	char *copy_of = xstrdup(path);

	for (char *p = strchr(copy_of + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(copy_of, 0755); /* cache__open reports the error */
		*p = '/';
	}
	free(copy_of);
}

static int copy(struct cache *c, const char *source, const struct build_id *id, struct err *err)
{
	int fd = file__open_regular(source), ret;
	char first[64 << 10];
	ssize_t n;

	if (fd < 0)
		return err__set(err, fd, "cannot copy '%s': %s", source, err__str(fd));
	n = file__pread_all(fd, first, sizeof(first), 0);
	ret = n > 0 && kallsyms__has_addresses(first, (size_t)n)
		      ? cache__put(c, "[kernel.kallsyms]", id, CACHE_KALLSYMS, fd, err)
		      : err__set(err, -EPERM, "kernel addresses are hidden");
	close(fd);
	return ret;
}

/* When root has a user's environment, do not leave files that the user cannot delete. */
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
	struct cache c;
	int fd, ret;

	if (id->size < 2)
		return err__set(err, -EINVAL, "the kernel has no build-id");
	if (!is_ours(cache))
		return err__set(err, -EACCES, "'%s' belongs to another user", cache);
	make_folders(cache);
	ret = cache__open(&c, cache, true, err);
	if (!ret) {
		fd = cache__open_file(&c, id, cache_file__name(CACHE_KALLSYMS));
		if (fd < 0)
			ret = copy(&c, source, id, err);
		else
			close(fd);
	}
	cache__close(&c);
	return ret;
}
