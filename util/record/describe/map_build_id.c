#include "record/describe/map_build_id.h"

#include "base/memory/array.h"
#include "base/system/file.h"
#include "base/memory/hash.h"

#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

struct cached_id {
	u32 maj, min;
	u64 ino;
	struct build_id id; /* size 0: it has none, or nobody may read it */
};

struct build_id_cache {
	pthread_mutex_t lock;
	struct hash_table table;
	ARRAY(struct cached_id) ids;
};

struct build_id_cache *build_id_cache__new(void)
{
	struct build_id_cache *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void build_id_cache__delete(struct build_id_cache *c)
{
	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	hash_table__exit(&c->table);
	array__exit(&c->ids);
	free(c);
}

static u64 inode__hash(u32 maj, u32 min, u64 ino)
{
	return hash__add(hash__u64(ino), (u64)maj << 32 | min);
}

static bool cache__find(struct build_id_cache *c, u32 maj, u32 min, u64 ino, struct build_id *id)
{
	bool found = false;
	u32 i;

	pthread_mutex_lock(&c->lock);
	hash_table__for_each (&c->table, inode__hash(maj, min, ino), i) {
		const struct cached_id *e = &c->ids.v[i];

		if (e->ino == ino && e->maj == maj && e->min == min) {
			*id = e->id;
			found = true;
			break;
		}
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

void build_id_cache__put(struct build_id_cache *c, u32 maj, u32 min, u64 ino, const struct build_id *id)
{
	struct build_id known;

	if (cache__find(c, maj, min, ino, &known))
		return;
	pthread_mutex_lock(&c->lock);
	hash_table__insert(&c->table, inode__hash(maj, min, ino), (u32)c->ids.nr);
	array__add(&c->ids, ((struct cached_id){ maj, min, ino, *id }));
	pthread_mutex_unlock(&c->lock);
}

/* Opens path if it is the mapped inode. */
static int open_inode(const char *path, const struct mapped_file *f)
{
	struct stat st;
	int fd;

	if (stat(path, &st) || !S_ISREG(st.st_mode)) /* opening other kinds might do something */
		return -1;
	fd = file__open_regular(path);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && st.st_ino == f->ino && major(st.st_dev) == f->maj &&
	    minor(st.st_dev) == f->min)
		return fd;
	close(fd);
	return -1;
}

/*
 * By its name; by its name in the process's own root folder; and, for files that were deleted or whose name
 * means something else here, through the process's map, which is always the right file but needs privileges.
 */
static int open_mapped(const struct mapped_file *f)
{
	char path[4200];
	struct stat st;
	int fd = f->name[0] == '/' ? open_inode(f->name, f) : -1;

	if (fd >= 0 || !f->pid)
		return fd;
	if (snprintf(path, sizeof(path), "/proc/%d/root%s", f->pid, f->name) < (int)sizeof(path) &&
	    f->name[0] == '/' && (fd = open_inode(path, f)) >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", f->pid, (unsigned long long)f->start,
		 (unsigned long long)f->end);
	if (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_ino != f->ino)
		return -1;
	return file__open_regular(path);
}

bool build_id_cache__get(struct build_id_cache *c, const struct mapped_file *f, struct build_id *id)
{
	int fd;

	if (!f->ino)
		return false;
	if (cache__find(c, f->maj, f->min, f->ino, id))
		return id->size > 0;
	fd = open_mapped(f);
	if (fd < 0 || build_id__of_fd(fd, id))
		id->size = 0;
	if (fd >= 0)
		close(fd);
	if (id->size || f->pid) /* a name alone may have failed where another works */
		build_id_cache__put(c, f->maj, f->min, f->ino, id);
	return id->size > 0;
}

bool build_id__of_vdso(struct build_id *id)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *ehdr = (const ElfW(Ehdr) *)vdso;
	const ElfW(Phdr) *phdr = (const ElfW(Phdr) *)(vdso + (vdso ? ehdr->e_phoff : 0));

	for (unsigned i = 0; vdso && i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_NOTE &&
		    !build_id__from_notes((const void *)(vdso + phdr[i].p_offset), phdr[i].p_filesz, false,
					  id))
			return true;
	return false;
}
