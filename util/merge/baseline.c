#include "merge/baseline.h"

#include "base/message/msg.h"
#include "base/system/output_file.h"
#include "format/records/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".baseline-lock"
#define PREFIX "baseline-"
#define SUFFIX ".data"

enum {
	DIGITS = 8,
	NUMBER_MAX = 99999999,
	LOCK_TRIES = 600, /* a minute */
	COPY_SIZE = 1 << 16,
};

/* ---- the lock ---- */

void baseline__unlock(struct baseline *b)
{
	file__close(b->lock_fd);
	b->lock_fd = -1;
}

/* Who only reads may do so without a lock in a folder that is not writable. */
static int baseline__lock(struct baseline *b, bool writes, struct err *err)
{
	char *path = xasprintf("%s/%s", b->folder, LOCK_NAME);
	int ret = 0;

	b->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	if (b->lock_fd < 0 && (writes || (errno != EACCES && errno != EROFS)))
		ret = err__set(err, -errno, "cannot lock the baseline with '%s': %s", path, err__str(-errno));
	for (int i = 0; !ret && b->lock_fd >= 0 && file__lock(b->lock_fd); i++)
		if (i == LOCK_TRIES)
			ret = err__set(err, -EBUSY, "another program has used '%s' for a minute", b->folder);
	free(path);
	return ret;
}

/* ---- the files ---- */

/* Is the path a regular file, not a link? */
static bool is_file(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode);
}

static bool is_recording(const char *path)
{
	int fd = is_file(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	u64 magic = 0;
	bool is = fd >= 0 && file__pread_all(fd, &magic, sizeof(magic), 0) == sizeof(magic) &&
		  (magic == PERF_DATA_MAGIC2 || __builtin_bswap64(magic) == PERF_DATA_MAGIC2 ||
		   magic == PERF_DATA_MAGIC1 || __builtin_bswap64(magic) == PERF_DATA_MAGIC1);

	file__close(fd);
	return is;
}

/* Return the number of a file that baseline__add() made, or 0. */
static u32 number_of(const char *name)
{
	size_t lead = strlen(PREFIX);

	if (strncmp(name, PREFIX, lead) || strspn(name + lead, "0123456789") != DIGITS ||
	    strcmp(name + lead + DIGITS, SUFFIX))
		return 0;
	return (u32)strtoul(name + lead, NULL, 10);
}

/* List the names in the folder, sorted. */
static int baseline__names(const struct baseline *b, name_array *names, struct err *err)
{
	int ret = folder__names(names, false, "%s", b->folder);

	if (ret)
		return err__set(err, ret, "cannot read the baseline '%s': %s", b->folder, err__str(ret));
	if (names->nr)
		qsort(names->v, names->nr, sizeof(*names->v), str__compare);
	return 0;
}

int baseline__open(struct baseline *b, const char *folder, bool creates, struct err *err)
{
	name_array names = { 0 };
	int ret = 0;

	*b = (struct baseline){ .folder = folder, .lock_fd = -1 };
	if (creates && mkdir(folder, 0777) && errno != EEXIST)
		ret = err__set(err, -errno, "cannot create the baseline '%s': %s", folder, err__str(-errno));
	if (!ret)
		ret = baseline__names(b, &names, err); /* a missing folder is not one that cannot be locked */
	name_array__exit(&names);
	names = (name_array){ 0 };
	if (!ret)
		ret = baseline__lock(b, creates, err);
	if (!ret)
		ret = baseline__names(b, &names, err);
	for (size_t i = 0; i < names.nr && !ret; i++) {
		char *path = xasprintf("%s/%s", folder, names.v[i]);

		if (is_recording(path))
			array__add(&b->files, path);
		else
			free(path);
	}
	name_array__exit(&names);
	return ret;
}

void baseline__exit(struct baseline *b)
{
	baseline__unlock(b);
	name_array__exit(&b->files);
}

/* ---- adding ---- */

/* Copy a recording. Only who may read it may read the copy. */
static int copy_file(const char *from, const char *to, struct err *err)
{
	struct output_file out = OUTPUT_FILE_INIT;
	int fd = file__open_regular(from), ret = 0, closed;
	char *block = xmalloc(COPY_SIZE);
	struct stat st;
	ssize_t n = 1;

	if (fd < 0 || fstat(fd, &st))
		ret = err__set(err, fd < 0 ? fd : -errno, "cannot read '%s': %s", from,
			       err__str(fd < 0 ? fd : -errno));
	if (!ret)
		ret = output_file__open(&out, to, output_file__mode_of(&st), err);
	if (!ret) {
		while (!ret && (n = file__read_all(fd, block, COPY_SIZE)) > 0)
			ret = file__write_all(out.fd, block, (size_t)n);
		ret = n < 0 ? (int)n : ret;
		if (ret)
			err__set(err, ret, "cannot copy '%s' to '%s': %s", from, to, err__str(ret));
		closed = output_file__close(&out, !ret, err);
		ret = ret ? ret : closed;
	}
	file__close(fd);
	free(block);
	return ret;
}

/* Write what is to be added to a file. What cannot be read, or is damaged, is refused. */
static int write_new(const char *const *inputs, u32 nr, const char *path, const struct merge_opts *opts,
		     struct err *err)
{
	struct merge *m = merge__new(opts);
	struct merge_totals totals;
	int ret = 0;

	for (u32 i = 0; i < nr && !ret; i++) {
		ret = merge__add(m, inputs[i], err);
		if (ret > 0)
			ret = err__set(err, -EBADMSG, "'%s' is damaged: it was not added to the baseline",
				       inputs[i]);
	}
	if (!ret)
		ret = nr == 1 ? copy_file(inputs[0], path, err) : merge__write(m, path, &totals, err);
	merge__delete(m);
	return ret;
}

static bool has_same_content(const char *a, const char *b)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	struct stat p, q;
	bool is = !lstat(a, &p) && !lstat(b, &q) && S_ISREG(q.st_mode) && p.st_size == q.st_size &&
		  !file__read(a, &x, 0) && !file__read(b, &y, 0) && x.len == y.len &&
		  !memcmp(x.buf, y.buf, x.len);

	strbuf__exit(&x);
	strbuf__exit(&y);
	return is;
}

/* Give the new file the next number. *is_known: it is in the folder already, and was not added again. */
static int baseline__name_new(const struct baseline *b, const name_array *names, const char *path,
			      bool *is_known, struct err *err)
{
	u32 last = 0;
	char *named;
	int ret = 0;

	for (size_t i = 0; i < names->nr && !*is_known; i++) {
		char *other = xasprintf("%s/%s", b->folder, names->v[i]);

		*is_known = has_same_content(path, other);
		if (*is_known)
			info("--baseline-add: '%s' is the same already", other);
		last = MAX(last, number_of(names->v[i]));
		free(other);
	}
	if (*is_known)
		return 0;
	if (last == NUMBER_MAX)
		return err__set(err, -EOVERFLOW, "'%s' has no number left for a name: rename its files",
				b->folder);
	named = xasprintf("%s/%s%0*u%s", b->folder, PREFIX, DIGITS, last + 1, SUFFIX);
	if (rename(path, named)) /* the lock keeps others from this number */
		ret = err__set(err, -errno, "cannot add '%s' to the baseline: %s", named, err__str(-errno));
	else
		info("--baseline-add: added as '%s'", named);
	free(named);
	return ret;
}

/* Remove the oldest files that baseline__add() made, but for so many. Failures are only warnings. */
static void baseline__remove_oldest(const struct baseline *b, const name_array *names, u32 keep)
{
	u32 nr = 0;

	for (size_t i = names->nr; i-- > 0;) {
		char *path = xasprintf("%s/%s", b->folder, names->v[i]);

		if (number_of(names->v[i]) && is_file(path) && ++nr > keep) {
			if (unlink(path))
				warning("cannot remove '%s': %s", path, err__str(-errno));
			else
				info("--baseline-add: removed '%s', the oldest", path);
		}
		free(path);
	}
}

int baseline__add(struct baseline *b, const char *const *inputs, u32 nr, u32 keep,
		  const struct merge_opts *opts, struct err *err)
{
	char *aside = xasprintf("%s/.baseline-new-XXXXXX", b->folder), *path = NULL;
	name_array names = { 0 };
	bool is_known = false;
	int ret = 0;

	if (!mkdtemp(aside)) {
		ret = err__set(err, -errno, "cannot write to the baseline '%s': %s", b->folder,
			       err__str(-errno));
		free(aside);
		return ret;
	}
	path = xasprintf("%s/data", aside);
	ret = write_new(inputs, nr, path, opts, err);
	if (!ret)
		ret = baseline__lock(b, true, err);
	if (!ret)
		ret = baseline__names(b, &names, err);
	if (!ret)
		ret = baseline__name_new(b, &names, path, &is_known, err);
	if (!ret && !is_known)
		baseline__remove_oldest(b, &names, keep - 1); /* the new one is not in the list */
	baseline__unlock(b);
	unlink(path);
	rmdir(aside);
	name_array__exit(&names);
	free(path);
	free(aside);
	return ret;
}
