#include "model/embedded.h"

#include "base/message/msg.h"

#include <errno.h>
#include <string.h>

void embedded__init(struct embedded *e, const struct reader *r)
{
	*e = (struct embedded){ .reader = r, .names.err = ERR_INIT, .code.err = ERR_INIT };
	pthread_mutex_init(&e->lock, NULL);
}

void embedded__exit(struct embedded *e)
{
	err__exit(&e->names.err);
	err__exit(&e->code.err);
	names_section__exit(&e->names_section);
	code_section__exit(&e->code_section);
	hash_table__exit(&e->names.by_name);
	hash_table__exit(&e->code.by_name);
	pthread_mutex_destroy(&e->lock);
}

static u64 name__hash(const char *name)
{
	return hash__bytes(name, strlen(name), 0);
}

static int embedded__get(struct embedded *e, enum extension_kind kind, const char *what, struct strbuf *data,
			 struct err *err)
{
	int ret = reader__extension(e->reader, kind, data);

	if (ret && ret != -ENOENT)
		err__set(err, ret, "the %s that are stored in the recording cannot be read: %s", what,
			 err__str(ret));
	return ret;
}

static void embedded__read_names(struct embedded *e)
{
	struct embedded_part *p = &e->names;
	struct names_section *n = &e->names_section;
	struct strbuf data = STRBUF_INIT;

	p->error = embedded__get(e, EXTENSION_NAMES, "names", &data, &p->err);
	if (!p->error)
		p->error = names_section__read(n, data.buf, data.len, e->reader->needs_swap, &p->err);
	for (size_t i = 0; !p->error && i < n->entries.nr; i++)
		hash_table__insert(&p->by_name, name__hash(n->entries.v[i].id.name), (u32)i);
	strbuf__exit(&data);
}

static void embedded__read_code(struct embedded *e)
{
	struct embedded_part *p = &e->code;
	struct code_section *c = &e->code_section;
	struct strbuf data = STRBUF_INIT;

	p->error = embedded__get(e, EXTENSION_CODE, "functions' bytes", &data, &p->err);
	if (!p->error)
		p->error = code_section__read(c, data.buf, data.len, e->reader->needs_swap, &p->err);
	if (p->err.code && p->error != -ENODATA)
		warning("'%s', offset %llu: %s", e->reader->path,
			(unsigned long long)reader__extension_offset(e->reader, EXTENSION_CODE),
			p->err.text.buf);
	for (size_t i = 0; i < c->entries.nr; i++)
		hash_table__insert(&p->by_name, name__hash(c->entries.v[i].id.name), (u32)i);
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

static void embedded__read_once(struct embedded *e, struct embedded_part *p, void (*read)(struct embedded *e))
{
	if (!__atomic_load_n(&p->is_read, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&e->lock);
		if (!p->is_read)
			read(e);
		__atomic_store_n(&p->is_read, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&e->lock);
	}
}

const struct names_entry *embedded__find_loads(struct embedded *e, const char *name, u32 pid, u64 ino)
{
	u32 i;

	embedded__read_once(e, &e->names, embedded__read_names);
	hash_table__for_each (&e->names.by_name, name__hash(name), i) {
		const struct names_entry *entry = &e->names_section.entries.v[i];

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
	struct embedded_part *p = &e->names;
	u32 i;

	embedded__read_once(e, p, embedded__read_names);
	if (p->error == -ENOENT || p->error == -ENODATA)
		return -ENOENT;
	if (p->error)
		return err__set(err, p->error, "%s", p->err.text.buf);
	hash_table__for_each (&p->by_name, name__hash(name), i) {
		*entry = &e->names_section.entries.v[i];
		if (is_same(&(*entry)->id, name, dso))
			return 0;
	}
	return -ENOENT;
}

const struct code_entry *embedded__find_code(struct embedded *e, const struct dsos *dsos,
					     const struct dso *dso)
{
	const char *name = dso__long_name(dsos, dso);
	u32 i;

	embedded__read_once(e, &e->code, embedded__read_code);
	hash_table__for_each (&e->code.by_name, name__hash(name), i)
		if (is_same(&e->code_section.entries.v[i].id, name, dso))
			return &e->code_section.entries.v[i];
	return NULL;
}
