#include "export/origins.h"

#include "base/message/called_name.h"
#include "base/text/cgroup_path.h"
#include "export/content_ids.h"
#include "export/labels.h"
#include "profile/gather/read_locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct origin_words { /* what a row's words tell; 0: not known, or not wanted */
	u64 cgroup;
	const char *lock, *holder;
};

struct origin_key { /* key of an origin, at hand without a look into texts */
	struct origin_words words;
	const char *process;
	u32 space;
	u32 origin;
};

struct origins {
	struct export *x;
	u32 labels;
	ARRAY(struct origin_key) keys;
	struct hash_table by_key, by_content; /* by_content: of x->origins */
};

/* Split rows by cgroup. */
static int origins__split_by_cgroup(struct export *x, struct err *err)
{
	bool has_cgroups = evlist__sample_type_any(&x->session->reader->evlist) & SAMPLE_CGROUP;
	bool needs_cgroups = x->labels & LABELS_OF_CGROUP;

	x->labels |= x->args->more_labels & (has_cgroups ? UINT32_MAX : ~(u32)LABELS_OF_CGROUP);
	if (!(x->labels & LABELS_OF_CGROUP))
		return 0;
	if (!has_cgroups && needs_cgroups) {
		err__set(err, -EINVAL, "--labels: '%s' has no cgroups of samples", x->session->reader->path);
		err__advise(err, "to record them: %s record --all-cgroups", called_name());
		return -EINVAL;
	}
	array__add(&x->words.v, ((struct sample_word){ offsetof(struct sample, cgroup), UINT64_MAX }));
	return 0;
}

int origins__split(struct export *x, struct err *err)
{
	int ret = origins__split_by_cgroup(x, err);

	if (x->format->names_waits && evlist__has_locks(&x->session->reader->evlist))
		x->labels |= LABELS_OF_LOCKS;
	if (ret || !(x->labels & LABELS_OF_LOCKS))
		return ret;
	x->words.lock = (u32)x->words.v.nr;
	array__add(&x->words.v, ((struct sample_word){ offsetof(struct sample, lock), UINT64_MAX }));
	array__add(&x->words.v, ((struct sample_word){ offsetof(struct sample, holder), UINT64_MAX }));
	/* weights may have read them */
	return x->words.context.locks.v.nr ? 0 : locks__read(&x->words.context.locks, x->session, err);
}

struct origins *origins__new(struct export *x, u32 labels)
{
	struct origins *o = xcalloc(1, sizeof(*o));

	*o = (struct origins){
		.x = x, .labels = labels, .by_key = HASH_TABLE_INIT, .by_content = HASH_TABLE_INIT
	};
	return o;
}

void origins__delete(struct origins *o)
{
	if (!o)
		return;
	array__exit(&o->keys);
	hash_table__exit(&o->by_key);
	hash_table__exit(&o->by_content);
	free(o);
}

/* Return a text that lives as long as the export, or NULL for an empty one. Equal texts are one. */
static const char *origins__text(struct origins *o, const char *text)
{
	struct strpool *texts = &o->x->stacks.places.texts;

	return text && *text
		       ? strpool__get(texts, strpool__intern(texts, redaction__shown(&o->x->redaction, text)))
		       : NULL;
}

/* The same for a lock or a holder: no part of the text may be one that is to be left out. */
static const char *origins__lock_text(struct origins *o, const char *text)
{
	const struct redaction *r = &o->x->redaction;
	bool is_hidden = false;
	char *name;

	if (!text || !*text || !r->is_on)
		return origins__text(o, text);
	for (const char *p = text; p && !is_hidden; p = strchr(p, ' ')) {
		p += *p == ' ';
		is_hidden = redaction__shown(r, p) != p;
		name = xstrdup(p); /* without the number of the thread, or the line */
		if (strrchr(name, ' '))
			*strrchr(name, ' ') = '\0';
		is_hidden |= redaction__shown(r, name) != name;
		free(name);
	}
	return is_hidden ? "[redacted]" : origins__text(o, text);
}

static const struct dso *origins__program(const struct origins *o, u32 space)
{
	const struct machine *m = &o->x->session->machine;
	u32 dso = space == ROW_NO_SPACE ? DSO_IDX_NONE : machine__program(m, m->spaces.v[space]);

	return dso == DSO_IDX_NONE ? NULL : m->dsos.v.v[dso];
}

static struct export_origin origins__make(struct origins *o, const struct origin_key *k)
{
	const struct dso *program = origins__program(o, k->space);
	const char *path = machine__cgroup(&o->x->session->machine, k->words.cgroup);
	struct export_origin origin = { 0 };
	struct cgroup_path parsed;
	struct strbuf id = STRBUF_INIT;

	cgroup_path__parse(&parsed, path ? path : "", path ? strlen(path) : 0);
	if (!*parsed.service)
		cgroup_path__set_service(&parsed, program ? k->process : "kernel");
	if (o->labels & 1u << LABEL_CGROUP)
		origin.cgroup = origins__text(o, path);
	if (o->labels & 1u << LABEL_SERVICE)
		origin.service = origins__text(o, parsed.service);
	if (o->labels & 1u << LABEL_CONTAINER)
		origin.container = origins__text(o, parsed.container);
	if (o->labels & 1u << LABEL_VERSION && program) {
		content_ids__add_build_id(&id, &program->build_id);
		origin.version = origins__text(o, id.buf);
	}
	origin.lock = origins__lock_text(o, k->words.lock);
	origin.holder = origins__lock_text(o, k->words.holder);
	strbuf__exit(&id);
	return origin;
}

static u32 origins__intern(struct origins *o, const struct export_origin *origin)
{
	u64 hash = hash__add(hash__add((uintptr_t)origin->cgroup, (uintptr_t)origin->service),
			     hash__add((uintptr_t)origin->container, (uintptr_t)origin->version));
	hash = hash__add(hash, hash__add((uintptr_t)origin->lock, (uintptr_t)origin->holder));
	u32 i;

	hash_table__for_each (&o->by_content, hash, i)
		if (!memcmp(&o->x->origins.v[i], origin, sizeof(*origin)))
			return i;
	i = (u32)o->x->origins.nr;
	hash_table__insert(&o->by_content, hash, i);
	array__add(&o->x->origins, *origin);
	return i;
}

static struct origin_words origins__words(const struct origins *o, const struct row *row)
{
	const struct export_words *words = &o->x->words;
	const struct locks *l = &words->context.locks;
	struct origin_words w = { 0 };

	if (o->labels & LABELS_OF_CGROUP)
		w.cgroup = row->extra.v[0];
	if (o->labels & 1u << LABEL_LOCK)
		w.lock = locks__text(l, (u32)row->extra.v[words->lock]);
	if (o->labels & 1u << LABEL_HOLDER)
		w.holder = locks__text(l, (u32)row->extra.v[words->lock + 1]);
	return w;
}

u32 origins__add(struct origins *o, const struct row *row, const char *process)
{
	struct origin_key key = { .process = process, .space = row->key.space };
	const struct origin_words words = origins__words(o, row);
	u64 hash = hash__add(hash__add(words.cgroup, key.space), (uintptr_t)process);
	struct export_origin origin;
	u32 i;

	key.words = words;
	hash = hash__add(hash, hash__add((uintptr_t)words.lock, (uintptr_t)words.holder));
	hash_table__for_each (&o->by_key, hash, i)
		if (!memcmp(&o->keys.v[i].words, &words, sizeof(words)) && o->keys.v[i].process == process &&
		    o->keys.v[i].space == key.space)
			return o->keys.v[i].origin;
	origin = origins__make(o, &key);
	key.origin = origins__intern(o, &origin);
	hash_table__insert(&o->by_key, hash, (u32)o->keys.nr);
	array__add(&o->keys, key);
	return key.origin;
}
