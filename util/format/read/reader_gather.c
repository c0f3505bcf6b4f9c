/* Gather what the stream says about the recording itself, and what header features say about its events. */
#include "base/memory/cursor.h"
#include "event/tracepoint/tracepoint_names.h"
#include "format/read/reader_private.h"

#include <string.h>

typedef unsigned long long ull;

static char *name__dup(const char *name)
{
	return name && *name ? xstrdup(name) : NULL;
}

/* attr of its own size, then ids */
static void gather_attr(struct reader *r, const struct record *rec)
{
	struct cursor c = record__body(rec);
	const u8 *attr = c.p;
	struct evsel *e;
	u32 size;

	cursor__skip(&c, 4);
	size = cursor__u32(&c);
	if (size < EVENT_ATTR_SIZE_MIN)
		size = EVENT_ATTR_SIZE_MIN;
	c = record__body(rec);
	cursor__skip(&c, size);
	if (r->evlist.evsels.nr >= READER_EVENTS_MAX)
		return;
	if (c.bad) {
		reader__warn(r, "'%s': offset %llu: an attr of %u bytes does not fit its record: skipped",
			     r->path, (ull)rec->offset, size);
		return;
	}
	e = evlist__add(&r->evlist, attr, size, NULL);
	while (cursor__left(&c) >= 8)
		evlist__add_id(&r->evlist, e, cursor__u64(&c));
}

static void gather_event_update(struct reader *r, const struct record *rec)
{
	struct cursor c = record__body(rec);
	u64 what = cursor__u64(&c), id = cursor__u64(&c);
	struct evsel *e = evlist__by_id(&r->evlist, id);
	const char *text;

	if (what != EVENT_UPDATE_NAME || !e)
		return;
	text = cursor__str(&c, cursor__left(&c));
	if (!text || !*text)
		return;
	free(e->name);
	e->name = name__dup(text);
}

/* Pipe mode: what a file keeps in its feature sections. Only bits of tables we know are kept. */
static void gather_feature(struct reader *r, const struct record *rec)
{
	struct cursor c = record__body(rec);
	u64 bit = cursor__u64(&c);
	size_t size = cursor__left(&c);

	if (!r->is_pipe || c.bad || bit == FEATURE_RESERVED || bit >= FEATURE_BITS)
		return;
	if (bit < FEATURE_LAST && !(r->features_set[0] >> bit & 1))
		r->feature_order[r->nr_feature_order++] = (u8)bit;
	r->features_set[bit / 64] |= 1ull << bit % 64;
	if (bit >= FEATURE_LAST)
		return;
	strbuf__reset(&r->feature_data[bit]);
	strbuf__add(&r->feature_data[bit], cursor__bytes(&c, size), size);
}

enum { BUILD_IDS_MAX = 64 << 20 }; /* bytes: some 500,000 binaries */

/*
 * One record is one entry of a build-id table, here in native order. In a pipe these records are the feature;
 * in a file they add to it (features__build_ids).
 */
static void gather_build_id(struct reader *r, const struct record *rec)
{
	struct strbuf *table = &r->feature_data[FEATURE_BUILD_ID];

	if (r->is_pipe)
		r->features_set[0] |= 1ull << FEATURE_BUILD_ID;
	if (table->len < BUILD_IDS_MAX)
		strbuf__add(table, rec->header, rec->header->size);
}

/* The formats of tracepoints follow the record (or are in it, as simpleperf writes them) and stay there. */
static void gather_tracing_data(struct reader *r, const struct record *rec)
{
	struct cursor c = record__body(rec);
	u32 size = cursor__u32(&c);
	struct perf_data_section *s = &r->features[FEATURE_TRACING_DATA];

	if (c.bad || s->offset)
		return;
	s->offset = rec->payload ? rec->offset + rec->header->size : rec->offset + cursor__offset(&c);
	s->size = size;
	r->features_set[0] |= 1ull << FEATURE_TRACING_DATA;
}

/* Names of events, before there was EVENT_DESC and before recordings had many events. */
enum { EVENT_TYPE_EVENTS = 256 };
static void gather_event_type(struct reader *r, const struct record *rec)
{
	struct cursor c = record__body(rec);
	u64 config = cursor__u64(&c);
	const char *name = cursor__str(&c, cursor__left(&c));

	if (!name || !*name)
		return;
	for (size_t i = 0; i < MIN(r->evlist.evsels.nr, (size_t)EVENT_TYPE_EVENTS); i++) {
		struct evsel *e = r->evlist.evsels.v[i];

		if (!e->name && e->attr.config == config)
			e->name = name__dup(name);
	}
}

static const struct {
	u32 type;
	void (*gather)(struct reader *r, const struct record *rec);
	bool by_offset; /* needs the record's own place in the file */
} gatherers[] = {
	{ RECORD_HEADER_ATTR, gather_attr, false },
	{ RECORD_HEADER_EVENT_TYPE, gather_event_type, false },
	{ RECORD_HEADER_TRACING_DATA, gather_tracing_data, true },
	{ RECORD_HEADER_BUILD_ID, gather_build_id, false },
	{ RECORD_EVENT_UPDATE, gather_event_update, false },
	{ RECORD_HEADER_FEATURE, gather_feature, false },
};

void reader__gather(struct reader *r, const struct record *rec, bool compressed)
{
	if (reader__is_old_feature(r, rec->header->type))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(gatherers); i++)
		if (gatherers[i].type == rec->header->type && !(compressed && gatherers[i].by_offset))
			gatherers[i].gather(r, rec);
}

void reader__gather_end(struct reader *r)
{
	if (r->is_pipe)
		reader__apply_features(r);
	evlist__finish_names(&r->evlist);
}

/* ---- features ---- */

/* nr, size of an attr; then per event: attr, nr of ids, name, ids */
static void apply_event_desc(struct reader *r, const struct strbuf *sb)
{
	struct cursor c = cursor__make(sb->buf, sb->len, r->needs_swap);
	u32 nr = cursor__u32(&c), attr_size = cursor__u32(&c);

	for (u32 i = 0; i < nr && i < r->evlist.evsels.nr && !c.bad; i++) {
		struct evsel *e = r->evlist.evsels.v[i];
		bool had_ids = e->ids.nr;
		const char *name;
		u32 nr_ids;

		cursor__skip(&c, attr_size);
		nr_ids = cursor__u32(&c);
		name = cursor__str(&c, cursor__u32(&c));
		if (!e->name && !c.bad)
			e->name = name__dup(name);
		for (u32 j = 0; j < nr_ids && !c.bad; j++) {
			u64 id = cursor__u64(&c);

			if (!had_ids && !c.bad)
				evlist__add_id(&r->evlist, e, id);
		}
	}
	if (c.bad)
		reader__warn(
			r,
			"'%s': the header feature EVENT_DESC ends too early: some event names may be missing",
			r->path);
}

/* nr; then per group: name, index of its leader, number of its members, which follow the leader */
static void apply_group_desc(struct reader *r, const struct strbuf *sb)
{
	struct cursor c = cursor__make(sb->buf, sb->len, r->needs_swap);
	u32 nr = cursor__u32(&c);
	size_t grouped = 0;

	for (u32 i = 0; i < nr && !c.bad && grouped < r->evlist.evsels.nr; i++) {
		u32 leader, members, size = cursor__u32(&c);
		const char *name = cursor__bytes(&c, size);
		bool is_named = name && memchr(name, '\0', size);

		leader = cursor__u32(&c);
		members = cursor__u32(&c);
		if (c.bad || leader >= r->evlist.evsels.nr || members > r->evlist.evsels.nr - leader ||
		    !members)
			continue;
		grouped += members;
		r->evlist.evsels.v[leader]->nr_members = members;
		if (is_named && strcmp(name, ANONYMOUS_GROUP)) {
			free(r->evlist.evsels.v[leader]->group_name);
			r->evlist.evsels.v[leader]->group_name = name__dup(name);
		}
		for (u32 j = 0; j < members; j++)
			r->evlist.evsels.v[leader + j]->leader = leader;
	}
}

/* Only when it is needed: it may be megabytes. */
static void apply_tracing_data(struct reader *r, struct strbuf *sb)
{
	bool needed = false;

	for (size_t i = 0; i < r->evlist.evsels.nr; i++)
		needed |= r->evlist.evsels.v[i]->attr.type == PERF_TYPE_TRACEPOINT &&
			  !r->evlist.evsels.v[i]->name;
	if (needed && !reader__feature(r, FEATURE_TRACING_DATA, sb) &&
	    tracepoint_names__apply(&r->evlist, sb->buf, sb->len))
		reader__warn(r, "'%s': the tracepoint formats end too early: some event names may be missing",
			     r->path);
}

void reader__apply_features(struct reader *r)
{
	struct strbuf sb = STRBUF_INIT;

	if (!reader__feature(r, FEATURE_EVENT_DESC, &sb))
		apply_event_desc(r, &sb);
	if (!reader__feature(r, FEATURE_GROUP_DESC, &sb))
		apply_group_desc(r, &sb);
	apply_tracing_data(r, &sb);
	strbuf__exit(&sb);
}
