#include "record/describe/map_build_id.h"

#include "base/memory/array.h"
#include "base/memory/hash.h"
#include "binary/elf/file_search.h"

#include <pthread.h>
#include <unistd.h>

struct cached_id {
	u32 maj, min;
	u64 ino;
	struct build_id id; /* size 0: none, or not readable */
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

static void build_id_cache__put(struct build_id_cache *c, u32 maj, u32 min, u64 ino,
				const struct build_id *id)
{
	struct build_id known;

	if (cache__find(c, maj, min, ino, &known))
		return;
	pthread_mutex_lock(&c->lock);
	hash_table__insert(&c->table, inode__hash(maj, min, ino), (u32)c->ids.nr);
	array__add(&c->ids, ((struct cached_id){ maj, min, ino, *id }));
	pthread_mutex_unlock(&c->lock);
}

bool build_id_cache__get(struct build_id_cache *c, const struct mapped_file *f, struct build_id *id)
{
	int fd;

	if (!f->ino)
		return false;
	if (cache__find(c, f->maj, f->min, f->ino, id))
		return id->size > 0;
	fd = file_search__open_first(FILE_BINARY, &(struct file_query){ .path = f->name,
									.kept = f->kept,
									.maj = f->maj,
									.min = f->min,
									.ino = f->ino,
									.pid = (u32)f->pid,
									.start = f->start,
									.end = f->end });
	if (fd < 0 || build_id__of_fd(fd, id))
		id->size = 0;
	if (fd >= 0)
		close(fd);
	if (id->size || f->pid) /* looking up by name may have failed where another process's map works */
		build_id_cache__put(c, f->maj, f->min, f->ino, id);
	return id->size > 0;
}
