#include "binary/elf/kept_files.h"

#include "base/memory/array.h"
#include "binary/elf/file_search.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	COPIED_MAX = 32 << 20, /* bytes of all copies of a list */
	/* MiB of all files that are held open: deleted ones take their space on the disk until then */
	HELD_MAX_MB = 2048,
};

struct kept_file {
	struct kept_id id; /* name is owned */
	int fd;
	u64 size;
	bool is_copy;
};

struct kept_list {
	ARRAY(struct kept_file) v; /* oldest first */
	u64 held, copied;          /* bytes of all files */
};

/* The file systems of these folders are not unmounted while programs run. */
static const char *const lasting[] = { "/", "/tmp", "/home" };

struct kept_files {
	pthread_mutex_t lock;
	u64 mounts[ARRAY_SIZE(lasting)]; /* ids of mounts on which files may be held open; 0: none */
	size_t max;                      /* files of a list */
	struct kept_list binaries, of_processes;
	ARRAY(struct kept_file) made; /* by perf */
};

/* Return the identity of the mount that fd is on, or path with fd AT_FDCWD; 0: unknown. */
static u64 mount_of(int fd, const char *path)
{
#ifdef STATX_MNT_ID
	struct statx st;

	if (!statx(fd, path, AT_EMPTY_PATH, STATX_MNT_ID, &st) && st.stx_mask & STATX_MNT_ID)
		return st.stx_mnt_id;
#endif
	(void)fd;
	(void)path;
	return 0;
}

/* NFS and file systems like it rename an open file that is deleted, so that its folder cannot be removed. */
static bool renames_deleted_files(const char *path)
{
	static const u32 types[] = { 0x6969 /* nfs */, 0x65735546 /* fuse */, 0xff534d42 /* cifs */,
				     0xfe534d42 /* smb2 */ };
	struct statfs fs;
	size_t i = 0;

	if (statfs(path, &fs))
		return true;
	while (i < ARRAY_SIZE(types) && types[i] != (u32)fs.f_type)
		i++;
	return i < ARRAY_SIZE(types);
}

struct kept_files *kept_files__new(size_t max)
{
	struct kept_files *k = xcalloc(1, sizeof(*k));

	k->max = max;
	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++)
		k->mounts[i] = renames_deleted_files(lasting[i]) ? 0 : mount_of(AT_FDCWD, lasting[i]);
	pthread_mutex_init(&k->lock, NULL);
	return k;
}

/* Drop the oldest nr files. */
static void kept_list__drop(struct kept_list *l, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct kept_file *f = &l->v.v[i];

		*(f->is_copy ? &l->copied : &l->held) -= f->size;
		close(f->fd);
		free((char *)f->id.name);
	}
	l->v.nr -= nr;
	if (nr && l->v.nr)
		memmove(l->v.v, l->v.v + nr, l->v.nr * sizeof(*l->v.v));
}

/* Append f, under a copy of its name. */
static void kept_list__add(struct kept_list *l, const struct kept_file *f, size_t max)
{
	struct kept_file *new = array__push(&l->v);

	*new = *f;
	new->id.name = xstrdup(f->id.name);
	*(f->is_copy ? &l->copied : &l->held) += f->size;
	while (l->v.nr > max || l->copied > COPIED_MAX || l->held > (u64)HELD_MAX_MB << 20)
		kept_list__drop(l, 1);
}

static void kept_list__exit(struct kept_list *l)
{
	kept_list__drop(l, l->v.nr);
	array__exit(&l->v);
}

void kept_files__delete(struct kept_files *k)
{
	if (!k)
		return;
	kept_list__exit(&k->binaries);
	kept_list__exit(&k->of_processes);
	for (size_t i = 0; i < k->made.nr; i++) {
		close(k->made.v[i].fd);
		free((char *)k->made.v[i].id.name);
	}
	array__exit(&k->made);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

static bool kept_file__is(const struct kept_file *f, const struct kept_id *id)
{
	const struct kept_id *own = &f->id;

	if (own->pid != id->pid || strcmp(own->name, id->name))
		return false;
	if (id->pid)
		return !own->ino || !id->ino || own->ino == id->ino;
	if (own->build_id.size && id->build_id.size)
		return build_id__equal(&own->build_id, &id->build_id);
	/* /proc has no generation; an inode that is open cannot be another file's */
	return id->ino && own->ino == id->ino && own->maj == id->maj && own->min == id->min &&
	       (!f->is_copy || !own->ino_generation || !id->ino_generation ||
		own->ino_generation == id->ino_generation);
}

static struct kept_file *kept_files__find(struct kept_files *k, const struct kept_id *id)
{
	struct kept_list *l = id->pid ? &k->of_processes : &k->binaries;

	for (size_t i = l->v.nr; i-- > 0;)
		if (kept_file__is(&l->v.v[i], id))
			return &l->v.v[i];
	for (size_t i = 0; i < k->made.nr; i++)
		if (kept_file__is(&k->made.v[i], id))
			return &k->made.v[i];
	return NULL;
}

int kept_files__copy(int fd, u64 size)
{
	int copy = size <= COPIED_MAX ? memfd_create("perf", MFD_CLOEXEC) : -1;
	off_t from = 0;
	ssize_t n = 1;

	while (copy >= 0 && size && n > 0) {
		n = sendfile(copy, fd, &from, size);
		size -= n > 0 ? (u64)n : 0;
	}
	if (copy < 0 || !size)
		return copy;
	close(copy);
	return -1;
}

static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && !memcmp(magic, ELFMAG, SELFMAG);
}

bool kept_files__may_hold(const struct kept_files *k, int fd)
{
	u64 mount = mount_of(fd, "");
	bool may = false;

	for (size_t i = 0; i < ARRAY_SIZE(lasting); i++)
		may |= mount && mount == k->mounts[i];
	return may;
}

/*
 * Complete f for its file, open on f->fd, or close that and return false. Memory without a name is not on a
 * mount.
 */
static bool kept_files__take(const struct kept_files *k, struct kept_file *f)
{
	bool is_memory = !strncmp(f->id.name, "/memfd:", 7);
	struct stat st;
	int fd = f->fd;

	f->fd = -1;
	if (!fstat(fd, &st) && st.st_size <= (s64)HELD_MAX_MB << 20) {
		f->size = (u64)st.st_size;
		f->is_copy = !is_memory && !kept_files__may_hold(k, fd);
		f->fd = f->is_copy ? kept_files__copy(fd, f->size) : fd;
	}
	if (f->fd != fd)
		close(fd);
	return f->fd >= 0;
}

static void kept_files__add_locked(struct kept_files *k, const struct kept_id *id, const struct file_query *q)
{
	struct kept_file f = { .id = *id };

	if (kept_files__find(k, id))
		return;
	f.fd = file_search__open_first(FILE_BINARY, q);
	if (f.fd >= 0 && !is_elf(f.fd)) {
		close(f.fd);
		return;
	}
	if (f.fd >= 0 && kept_files__take(k, &f))
		kept_list__add(&k->binaries, &f, k->max);
}

void kept_files__add(struct kept_files *k, const struct kept_id *id, u32 pid, u64 start, u64 end)
{
	const struct file_query q = {
		.path = id->name, .id = id->build_id, .ino = id->ino, .pid = pid, .start = start, .end = end
	};

	if (!id->ino && !id->build_id.size)
		return;
	pthread_mutex_lock(&k->lock);
	kept_files__add_locked(k, id, &q);
	pthread_mutex_unlock(&k->lock);
}

void kept_files__add_open(struct kept_files *k, const struct kept_id *id, int fd)
{
	struct kept_file f = { .id = *id, .fd = fd };

	if (!kept_files__take(k, &f))
		return;
	pthread_mutex_lock(&k->lock);
	kept_list__add(&k->of_processes, &f, k->max);
	pthread_mutex_unlock(&k->lock);
}

void kept_files__add_made(struct kept_files *k, const struct kept_id *id, int fd)
{
	struct kept_file f = { .id = *id, .fd = fd };

	f.id.name = xstrdup(id->name);
	pthread_mutex_lock(&k->lock);
	array__add(&k->made, f);
	pthread_mutex_unlock(&k->lock);
}

char *kept_files__path(struct kept_files *k, const struct kept_id *id)
{
	const struct kept_file *f;
	char *path = NULL;

	if (!k)
		return NULL;
	pthread_mutex_lock(&k->lock);
	f = kept_files__find(k, id);
	if (f)
		path = xasprintf("/proc/self/fd/%d", f->fd);
	pthread_mutex_unlock(&k->lock);
	return path;
}
