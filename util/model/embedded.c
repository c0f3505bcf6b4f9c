#include "model/embedded.h"

#include <errno.h>
#include <string.h>

void embedded__init(struct embedded *e, const struct reader *r)
{
	*e = (struct embedded){ .reader = r, .err = ERR_INIT };
	pthread_mutex_init(&e->lock, NULL);
}

void embedded__exit(struct embedded *e)
{
	err__exit(&e->err);
	names_section__exit(&e->section);
	hash_table__exit(&e->by_name);
	pthread_mutex_destroy(&e->lock);
}

static u64 name__hash(const char *name)
{
	return hash__bytes(name, strlen(name), 0);
}

static void embedded__read(struct embedded *e)
{
	struct strbuf data = STRBUF_INIT;
	int ret = reader__extension(e->reader, EXTENSION_NAMES, &data);

	if (ret && ret != -ENOENT)
		err__set(&e->err, ret, "the names that are stored in the recording cannot be read: %s",
			 err__str(ret));
	if (!ret)
		ret = names_section__read(&e->section, data.buf, data.len, e->reader->needs_swap, &e->err);
	for (size_t i = 0; !ret && i < e->section.entries.nr; i++)
		hash_table__insert(&e->by_name, name__hash(e->section.entries.v[i].id.name), (u32)i);
	e->error = ret;
	strbuf__exit(&data);
}

/* perf inject -b may have added the build-id later. */
static bool is_same(const struct names_dso_id *id, const char *name, const struct dso *dso)
{
	if (id->build_id.size && !build_id__equal(&id->build_id, &dso->build_id))
		return false;
	return id->maj_min == dso->maj_min && id->ino == dso->ino &&
	       id->ino_generation == dso->ino_generation && id->pid == dso->pid && !strcmp(id->name, name);
}

static void embedded__read_once(struct embedded *e)
{
	if (!__atomic_load_n(&e->is_read, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&e->lock);
		if (!e->is_read)
			embedded__read(e);
		__atomic_store_n(&e->is_read, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&e->lock);
	}
}

const struct names_entry *embedded__find_loads(struct embedded *e, const char *name, u32 pid, u64 ino)
{
	u32 i;

	embedded__read_once(e);
	hash_table__for_each (&e->by_name, name__hash(name), i) {
		const struct names_entry *entry = &e->section.entries.v[i];

		if (entry->nr_loads && entry->id.pid == pid && entry->id.ino == ino &&
		    !strcmp(entry->id.name, name))
			return entry;
	}
	return NULL;
}

int embedded__find(struct embedded *e, const struct dsos *dsos, const struct dso *dso,
		   const struct names_entry **entry, struct err *err)
{
	const char *name = dso__long_name(dsos, dso);
	u32 i;

	embedded__read_once(e);
	if (e->error == -ENOENT || e->error == -ENODATA)
		return -ENOENT;
	if (e->error)
		return err__set(err, e->error, "%s", e->err.text.buf);
	hash_table__for_each (&e->by_name, name__hash(name), i) {
		*entry = &e->section.entries.v[i];
		if (is_same(&(*entry)->id, name, dso))
			return 0;
	}
	return -ENOENT;
}
