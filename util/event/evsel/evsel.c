#include "event/evsel/evsel.h"

#include "base/message/bug.h"
#include "base/text/strbuf.h"
#include "event/evsel/event_name.h"
#include "event/evsel/event_request.h"

#include <string.h>

enum { CONFIG3_OFFSET = 128 };

void evlist__init(struct evlist *l)
{
	*l = (struct evlist){ .by_id = HASH_TABLE_INIT };
}

static void evsel__delete(struct evsel *e)
{
	if (!e)
		return;
	array__exit(&e->ids);
	free(e->name);
	free(e->group_name);
	event_request__delete(e->request);
	free(e);
}

void evlist__exit(struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		evsel__delete(l->evsels.v[i]);
	array__exit(&l->evsels);
	array__exit(&l->id_map);
	hash_table__exit(&l->by_id);
}

struct evsel *evlist__add(struct evlist *l, const void *attr, size_t attr_size, const char *name)
{
	struct evsel *e = xcalloc(1, sizeof(*e));

	memcpy(&e->attr, attr, MIN(attr_size, sizeof(e->attr)));
	e->attr_size = (u32)attr_size;
	if (attr_size >= CONFIG3_OFFSET + sizeof(e->config3))
		memcpy(&e->config3, (const u8 *)attr + CONFIG3_OFFSET, sizeof(e->config3));
	e->name = name ? xstrdup(name) : NULL;
	e->idx = (u32)l->evsels.nr;
	e->leader = e->idx;
	e->nr_members = 1;
	array__add(&l->evsels, e);
	return e;
}

struct evsel *evlist__add_request(struct evlist *l, const struct perf_event_attr *attr, const char *name)
{
	struct evsel *e = evlist__add(l, attr, attr->size, name);

	e->request = xcalloc(1, sizeof(*e->request));
	return e;
}

void evlist__move(struct evlist *l, struct evlist *from)
{
	u32 first = (u32)l->evsels.nr;

	for (size_t i = 0; i < from->evsels.nr; i++) {
		struct evsel *e = from->evsels.v[i];

		BUG_UNLESS(!e->ids.nr, "event %u has %zu ids", e->idx, e->ids.nr);
		e->idx += first;
		e->leader += first;
		array__add(&l->evsels, e);
	}
	from->evsels.nr = 0;
}

void evlist__group(struct evlist *l, size_t first, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		l->evsels.v[first + i]->leader = (u32)first;
		l->evsels.v[first + i]->nr_members = i ? 1 : (u32)nr;
	}
}

static struct evsel *evlist__find_id(const struct evlist *l, u64 id)
{
	u32 i;

	hash_table__for_each (&l->by_id, hash__u64(id), i)
		if (l->id_map.v[i].id == id)
			return l->evsels.v[l->id_map.v[i].idx];
	return NULL;
}

void evlist__add_id(struct evlist *l, struct evsel *e, u64 id)
{
	array__add(&e->ids, id);
	if (evlist__find_id(l, id))
		return;
	hash_table__insert(&l->by_id, hash__u64(id), (u32)l->id_map.nr);
	array__reserve(&l->id_map, l->id_map.nr + 1);
	l->id_map.v[l->id_map.nr].id = id;
	l->id_map.v[l->id_map.nr++].idx = e->idx;
}

struct evsel *evlist__by_id(const struct evlist *l, u64 id)
{
	if (l->evsels.nr == 1)
		return l->evsels.v[0];
	return evlist__find_id(l, id);
}

void evlist__finish_names(struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];
		struct strbuf name = STRBUF_INIT;

		if (e->name)
			continue;
		event_name__of_attr(&e->attr, &name);
		e->name = strbuf__detach(&name);
	}
}

u64 evlist__sample_type_any(const struct evlist *l)
{
	u64 any = 0;

	for (size_t i = 0; i < l->evsels.nr; i++)
		any |= l->evsels.v[i]->attr.sample_type;
	return any;
}

u64 evlist__sample_type_all(const struct evlist *l)
{
	u64 all = l->evsels.nr ? ~0ull : 0;

	for (size_t i = 0; i < l->evsels.nr; i++)
		all &= l->evsels.v[i]->attr.sample_type;
	return all;
}

bool evlist__has_tracepoints(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->attr.type == PERF_TYPE_TRACEPOINT)
			return true;
	return false;
}

bool evsel__has_lbr_chains(const struct evsel *e)
{
	return e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK &&
	       e->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

bool evlist__has_lbr_chains(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (evsel__has_lbr_chains(l->evsels.v[i]))
			return true;
	return false;
}

bool evlist__sample_id_all(const struct evlist *l)
{
	return !l->evsels.nr || l->evsels.v[0]->attr.sample_id_all;
}

struct perf_event_attr attr__of_event(const struct perf_event_attr *a)
{
	return (struct perf_event_attr){ .type = a->type,
					 .size = sizeof(*a),
					 .config = a->config,
					 .config1 = a->config1,
					 .config2 = a->config2,
					 .exclude_user = a->exclude_user,
					 .exclude_kernel = a->exclude_kernel,
					 .exclude_hv = a->exclude_hv,
					 .exclude_host = a->exclude_host,
					 .exclude_guest = a->exclude_guest,
					 .precise_ip = a->precise_ip };
}

const struct evsel *evlist__find_same(const struct evlist *l, const char *name,
				      const struct perf_event_attr *attr)
{
	const struct perf_event_attr event = attr__of_event(attr);

	for (size_t i = 0; i < l->evsels.nr; i++)
		if (!strcmp(l->evsels.v[i]->name, name))
			return l->evsels.v[i];
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct perf_event_attr other = attr__of_event(&l->evsels.v[i]->attr);

		if (!memcmp(&other, &event, sizeof(event)))
			return l->evsels.v[i];
	}
	return NULL;
}
