/* What records of a pipe's beginning say about the whole: names of events, groups, features. */
#include "unit.h"

#include "format/read/features.h"
#include "format/read/reader_private.h"
#include "image.h"
#include "trace_image.h"

#include <errno.h>

static struct image im;

/* Begin a pipe with events of these configs, without names. */
static void begin(bool swap, const u64 *configs, u64 nr)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);

	image__init(&im, swap);
	image__pipe_header(&im);
	for (u64 i = 0; i < nr; i++) {
		a.type = PERF_TYPE_RAW;
		a.config = configs[i];
		image__begin(&im, RECORD_HEADER_ATTR, 0);
		image__attr(&im, &a, 112);
		image__u64(&im, 10 + i);
		image__end(&im);
	}
}

static void add_event_type(u64 config, const char *name)
{
	image__begin(&im, RECORD_HEADER_EVENT_TYPE, 0);
	image__u64(&im, config);
	image__str(&im, name, 64);
	image__end(&im);
}

static struct reader *open_pipe(void)
{
	struct reader *r;
	struct err err = ERR_INIT;
	struct record_counts counts;

	image__comm(&im, 1, "thread");
	if (image__open(im.b.buf, im.b.len, &r, &err))
		fail_msg("%s", err.text.buf);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, &err), 0);
	err__exit(&err);
	return r;
}

static void end(struct reader *r)
{
	reader__close(r);
	image__exit(&im);
}

/* Names of events in records of their own, as of old recorders. */
static void names_of_events(void **state)
{
	static const u64 configs[] = { 0x1111, 0x2222, 0x1111 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct reader *r;

		begin(swap, configs, 3);
		add_event_type(0x1111, "first");
		add_event_type(0x1111, "another");
		add_event_type(0x2222, "");
		add_event_type(0x3333, "nobody's");
		r = open_pipe();
		assert_int_equal(r->evlist.evsels.nr, 3);
		assert_string_equal(r->evlist.evsels.v[0]->name, "first");
		assert_string_equal(r->evlist.evsels.v[2]->name, "first");
		assert_string_equal(r->evlist.evsels.v[1]->name, "raw 0x2222"); /* made up */
		end(r);
	}
}

static void begin_feature(enum feature bit)
{
	image__begin(&im, RECORD_HEADER_FEATURE, 0);
	image__u64(&im, bit);
}

/* A feature that comes several times: the last one counts. */
static void features_of_a_pipe(void **state)
{
	static const u64 configs[] = { 0x1111 };
	struct reader *r;
	char *host;

	(void)state;
	begin(false, configs, 1);
	begin_feature(FEATURE_HOSTNAME);
	image__feature_str(&im, "the first one, with a long name");
	image__end(&im);
	for (int i = 0; i < 2 * FEATURE_LAST; i++) {
		begin_feature(FEATURE_HOSTNAME);
		image__feature_str(&im, "second");
		image__end(&im);
	}
	r = open_pipe();
	assert_int_equal(features__string(r, FEATURE_HOSTNAME, &host), 0);
	assert_string_equal(host, "second");
	assert_int_equal(r->nr_feature_order, 1);
	free(host);
	end(r);
}

static void add_group(const char *name, u32 size, u32 leader, u32 members)
{
	image__u32(&im, size);
	image__str(&im, name, size);
	image__u32(&im, leader);
	image__u32(&im, members);
}

static void open_groups(u32 nr)
{
	static const u64 configs[] = { 1, 2, 3, 4 };

	begin(false, configs, 4);
	begin_feature(FEATURE_GROUP_DESC);
	image__u32(&im, nr);
}

static void groups(void **state)
{
	struct reader *r;

	(void)state;
	open_groups(3);
	add_group("named", 8, 0, 2);
	add_group("{anon_group}", 16, 2, 1);
	add_group("no end to it", 8, 3, 1);
	image__end(&im);
	r = open_pipe();
	assert_string_equal(r->evlist.evsels.v[0]->group_name, "named");
	assert_int_equal(r->evlist.evsels.v[0]->nr_members, 2);
	assert_int_equal(r->evlist.evsels.v[1]->leader, 0);
	assert_int_equal(r->evlist.evsels.v[2]->leader, 2);
	assert_null(r->evlist.evsels.v[2]->group_name);
	assert_null(r->evlist.evsels.v[3]->group_name);
	end(r);
	/* groups of nobody, of events that there are not, and more than there are */
	open_groups(5);
	add_group("empty", 8, 0, 0);
	add_group("outside", 8, 4, 1);
	add_group("large", 8, 2, 3);
	add_group("right", 8, 1, 3);
	add_group("late", 8, 0, 1); /* the others have all but one event */
	image__end(&im);
	r = open_pipe();
	assert_string_equal(r->evlist.evsels.v[1]->group_name, "right");
	assert_int_equal(r->evlist.evsels.v[3]->leader, 1);
	assert_string_equal(r->evlist.evsels.v[0]->group_name, "late");
	assert_null(r->evlist.evsels.v[2]->group_name);
	end(r);
}

/* ---- single records ---- */

static struct image one; /* a record */

static void begin_one(u32 type)
{
	strbuf__reset(&one.b);
	image__begin(&one, type, 0);
}

/* Gather it as if it came at an offset, with so many bytes after it. */
static void gather(struct reader *r, u64 offset, u64 payload, bool compressed)
{
	struct record rec = { .header = (const void *)one.b.buf, .offset = offset, .payload = payload };

	image__end(&one);
	rec.header = (const void *)one.b.buf;
	reader__gather(r, &rec, compressed);
}

/* A pipe of so many events, and an empty record to fill. */
static struct reader *begin_records(u64 nr)
{
	static const u64 configs[] = { 1, 2, 3, 4 };
	struct reader *r;

	begin(false, configs, nr);
	r = open_pipe();
	image__init(&one, false);
	return r;
}

static void end_records(struct reader *r)
{
	image__exit(&one);
	end(r);
}

static void attrs_of_any_size(void **state)
{
	/* what the attr says of its size, how many bytes follow the header, and how many ids that leaves */
	static const struct {
		u32 says;
		size_t has;
		int nr_ids; /* -1: no event */
	} cases[] = { { 64, 64, 0 }, { 64, 71, 0 },  { 64, 72, 1 },  { 72, 96, 3 },    { 63, 80, 2 },
		      { 0, 64, 0 },  { 64, 63, -1 }, { 63, 56, -1 }, { 120, 112, -1 }, { 4000, 72, -1 } };
	struct reader *r = begin_records(1);
	size_t nr = 1;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
		const struct evsel *e;
		char text[128];

		a.size = cases[i].says;
		a.config = 100 + i;
		begin_one(RECORD_HEADER_ATTR);
		image__attr(&one, &a, cases[i].has);
		for (u64 id = 0; id < 3; id++)
			if (cases[i].says + 8 * (id + 1) <= cases[i].has)
				image__put_u64(&one, 8 + MAX(cases[i].says, 64u) + 8 * id, 1000 * i + id);
		err__exit(&r->warnings);
		gather(r, 5000 + i, 0, false);
		snprintf(text, sizeof(text),
			 "offset %zu: an attr of %u bytes does not fit its record: skipped", 5000 + i,
			 MAX(cases[i].says, 64u));
		if (cases[i].nr_ids < 0) {
			assert_non_null(strstr(r->warnings.text.buf, text));
			assert_int_equal(r->evlist.evsels.nr, nr);
			continue;
		}
		assert_int_equal(r->warnings.code, 0);
		assert_int_equal(r->evlist.evsels.nr, ++nr);
		e = r->evlist.evsels.v[nr - 1];
		assert_int_equal(e->attr.config, 100 + i);
		assert_int_equal(e->ids.nr, cases[i].nr_ids);
		for (size_t id = 0; cases[i].says && id < e->ids.nr; id++)
			assert_int_equal(e->ids.v[id], 1000 * i + id);
	}
	end_records(r);
}

static void events_are_limited(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
	struct reader *r = begin_records(1);

	(void)state;
	begin_one(RECORD_HEADER_ATTR);
	image__attr(&one, &a, 112);
	for (unsigned i = 1; i < READER_EVENTS_MAX + 3; i++) {
		assert_int_equal(r->evlist.evsels.nr, MIN(i, (unsigned)READER_EVENTS_MAX));
		gather(r, 0, 0, false);
	}
	assert_int_equal(r->warnings.code, 0);
	strbuf__setlen(&one.b, 70); /* what is not read cannot be damaged */
	gather(r, 0, 0, false);
	assert_int_equal(r->warnings.code, 0);
	end_records(r);
}

static void add_update(struct reader *r, u64 what, u64 id, const char *text, size_t size)
{
	begin_one(RECORD_EVENT_UPDATE);
	image__u64(&one, what);
	image__u64(&one, id);
	strbuf__add(&one.b, text, size);
	gather(r, 0, 0, true); /* compressed or not */
}

static void updates_name_events(void **state)
{
	struct reader *r = begin_records(3);
	struct evsel **e = r->evlist.evsels.v;

	(void)state;
	add_update(r, EVENT_UPDATE_NAME, 11, "second", 7);
	assert_string_equal(e[1]->name, "second");
	add_update(r, EVENT_UPDATE_NAME, 11, "renamed\0x", 9);
	assert_string_equal(e[1]->name, "renamed");
	add_update(r, EVENT_UPDATE_UNIT, 11, "unit", 5);
	add_update(r, EVENT_UPDATE_CPUS, 11, "cpus", 5);
	add_update(r, EVENT_UPDATE_NAME, 99, "nobody's", 9);
	add_update(r, EVENT_UPDATE_NAME, 11, "", 1);
	add_update(r, EVENT_UPDATE_NAME, 11, "", 0);
	add_update(r, EVENT_UPDATE_NAME, 11, "no end", 6);
	assert_string_equal(e[1]->name, "renamed");
	assert_string_equal(e[0]->name, "raw 0x1");
	assert_string_equal(e[2]->name, "raw 0x3");
	/* a patched perf 3.x has a feature of this number */
	r->has_old_features = true;
	add_update(r, EVENT_UPDATE_NAME, 11, "old", 4);
	assert_string_equal(e[1]->name, "renamed");
	end_records(r);
}

static void add_feature_one(struct reader *r, u64 bit, const char *text)
{
	begin_one(RECORD_HEADER_FEATURE);
	image__u64(&one, bit);
	strbuf__addstr(&one.b, text);
	gather(r, 0, 0, false);
}

static void features_have_an_order(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct reader *r = begin_records(1);

	(void)state;
	add_feature_one(r, FEATURE_CMDLINE, "command");
	add_feature_one(r, FEATURE_LAST - 1, "last");
	add_feature_one(r, FEATURE_TRACING_DATA, "first");
	add_feature_one(r, FEATURE_CMDLINE, "again");
	add_feature_one(r, FEATURE_LAST, "unknown");
	add_feature_one(r, 64, "unknown");
	add_feature_one(r, FEATURE_BITS - 1, "unknown");
	add_feature_one(r, FEATURE_RESERVED, "none");
	add_feature_one(r, FEATURE_BITS, "none");
	add_feature_one(r, 1ull << 32 | FEATURE_HOSTNAME, "none");
	begin_one(RECORD_HEADER_FEATURE);
	image__u32(&one, FEATURE_VERSION); /* half of its number */
	gather(r, 0, 0, false);
	assert_int_equal(r->nr_feature_order, 3);
	assert_int_equal(r->feature_order[0], FEATURE_CMDLINE);
	assert_int_equal(r->feature_order[1], FEATURE_LAST - 1);
	assert_int_equal(r->feature_order[2], FEATURE_TRACING_DATA);
	assert_int_equal(r->features_set[0], 1ull << FEATURE_CMDLINE | 1ull << (FEATURE_LAST - 1) |
						     1ull << FEATURE_TRACING_DATA | 1ull << FEATURE_LAST);
	assert_int_equal(r->features_set[1], 1);
	assert_int_equal(r->features_set[2], 0);
	assert_int_equal(r->features_set[3], 1ull << 63);
	assert_int_equal(reader__feature(r, FEATURE_CMDLINE, &sb), 0);
	assert_string_equal(sb.buf, "again");
	assert_int_equal(reader__feature(r, FEATURE_LAST - 1, &sb), 0);
	assert_string_equal(sb.buf, "last");
	assert_int_equal(reader__feature(r, FEATURE_LAST, &sb), -ENOENT);
	strbuf__exit(&sb);
	end_records(r);
}

static void build_ids_are_a_table(void **state)
{
	enum { MOST = 64 << 20 }; /* bytes */
	struct reader *r = begin_records(1);
	struct strbuf *table = &r->feature_data[FEATURE_BUILD_ID];

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin_one(RECORD_HEADER_BUILD_ID);
		image__u64(&one, 77);
		gather(r, 0, 0, i);
	}
	assert_int_equal(table->len, 32);
	assert_memory_equal(table->buf, one.b.buf, 16);
	assert_memory_equal(table->buf + 16, one.b.buf, 16);
	assert_int_equal(r->features_set[0], 1ull << FEATURE_BUILD_ID);
	strbuf__addchars(table, '\0', MOST - 1 - table->len);
	gather(r, 0, 0, false); /* the last one */
	assert_int_equal(table->len, MOST + 15);
	gather(r, 0, 0, false);
	assert_int_equal(table->len, MOST + 15);
	strbuf__setlen(table, MOST);
	gather(r, 0, 0, false);
	assert_int_equal(table->len, MOST);
	end_records(r);
}

static void formats_stay_where_they_are(void **state)
{
	struct reader *r = begin_records(1);
	struct perf_data_section *s = &r->features[FEATURE_TRACING_DATA];

	(void)state;
	begin_one(RECORD_HEADER_TRACING_DATA);
	gather(r, 7000, 0, false); /* without a size */
	begin_one(RECORD_HEADER_TRACING_DATA);
	image__u32(&one, 60);
	gather(r, 7000, 0, true); /* nobody knows where */
	assert_int_equal(s->offset, 0);
	assert_int_equal(r->features_set[0], 0);
	gather(r, 7000, 0, false); /* in the record */
	assert_int_equal(s->offset, 7012);
	assert_int_equal(s->size, 60);
	assert_int_equal(r->features_set[0], 1ull << FEATURE_TRACING_DATA);
	*s = (struct perf_data_section){ 0 };
	image__u32(&one, 0);
	for (int i = 0; i < 2; i++) { /* after it; the first ones count */
		gather(r, 7000 + 1000 * (u64)i, 64, false);
		assert_int_equal(s->offset, 7016);
		assert_int_equal(s->size, 60);
	}
	end_records(r);
}

/* There were few events when their names came so. */
static void few_events_are_named_by_number(void **state)
{
	enum { NAMED = 256 };
	u64 configs[NAMED + 2];
	struct reader *r;

	(void)state;
	for (u64 i = 0; i < ARRAY_SIZE(configs); i++)
		configs[i] = i < NAMED - 1 ? 1 : 2;
	begin(false, configs, ARRAY_SIZE(configs));
	add_event_type(2, "two");
	r = open_pipe();
	assert_string_equal(r->evlist.evsels.v[NAMED - 2]->name, "raw 0x1");
	assert_string_equal(r->evlist.evsels.v[NAMED - 1]->name, "two");
	assert_string_equal(r->evlist.evsels.v[NAMED]->name, "raw 0x2");
	end(r);
}

/* ---- descriptions of events ---- */

/* Begin a file, or a pipe, of two events, the first one with ids 10 and 11, and a feature. */
static void begin_desc(bool is_pipe, bool swap, enum feature bit)
{
	static const u64 configs[] = { 1, 2 };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);

	a.type = PERF_TYPE_RAW;
	if (is_pipe) {
		begin(swap, configs, 2);
		image__begin(&im, RECORD_HEADER_FEATURE, 0);
		image__u64(&im, bit);
		return;
	}
	image__init(&im, swap);
	image__file_header(&im, 2, 112, 1ull << bit);
	a.config = 1;
	image__attr_entry(&im, &a, 112, 104 + 2 * 128, 16);
	a.config = 2;
	image__attr_entry(&im, &a, 112, 0, 0);
	image__u64(&im, 10);
	image__u64(&im, 11);
	image__put_u64(&im, 40, im.b.len);
	image__comm(&im, 1, "thread");
	image__end_data(&im);
	image__u64(&im, im.b.len + 16);
	image__u64(&im, 0);
}

static struct reader *end_desc(bool is_pipe)
{
	struct record_counts counts;
	struct reader *r;

	if (is_pipe) {
		image__end(&im);
		return open_pipe();
	}
	image__put_u64(&im, 104 + 2 * 128 + 16 + 24 + 8, im.b.len - (104 + 2 * 128 + 16 + 24 + 16));
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
	return r;
}

static void add_desc(u32 nr_ids, const char *name, u64 id)
{
	strbuf__addchars(&im.b, '\xff', 64);
	image__u32(&im, nr_ids);
	image__u32(&im, 8);
	image__str(&im, name, 8);
	for (u64 i = 0; i < nr_ids; i++)
		image__u64(&im, id + i);
}

static void descriptions_name_events(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		bool is_pipe = i & 1;
		struct reader *r;

		begin_desc(is_pipe, i & 2, FEATURE_EVENT_DESC);
		image__u32(&im, 3); /* the third event is not there, nor are its bytes */
		image__u32(&im, 64);
		add_desc(3, "first", 500);
		add_desc(2, "second", 600);
		r = end_desc(is_pipe);
		assert_int_equal(r->warnings.code, 0);
		assert_string_equal(r->evlist.evsels.v[0]->name, "first");
		assert_string_equal(r->evlist.evsels.v[1]->name, "second");
		/* ids are of the header, or else of here */
		assert_int_equal(r->evlist.evsels.v[0]->ids.nr, is_pipe ? 1 : 2);
		assert_int_equal(r->evlist.evsels.v[0]->ids.v[0], 10);
		assert_int_equal(r->evlist.evsels.v[1]->ids.nr, is_pipe ? 1 : 2);
		assert_int_equal(r->evlist.evsels.v[1]->ids.v[0], is_pipe ? 11 : 600);
		assert_ptr_equal(evlist__by_id(&r->evlist, 601), is_pipe ? NULL : r->evlist.evsels.v[1]);
		end(r);
		/* of the first event only */
		begin_desc(is_pipe, i & 2, FEATURE_EVENT_DESC);
		image__u32(&im, 1);
		image__u32(&im, 64);
		add_desc(1, "first", 500);
		add_desc(1, "second", 600);
		r = end_desc(is_pipe);
		assert_int_equal(r->warnings.code, 0);
		assert_string_equal(r->evlist.evsels.v[0]->name, "first");
		assert_string_equal(r->evlist.evsels.v[1]->name, "raw 0x2");
		end(r);
	}
}

static void cut_descriptions_are_told(void **state)
{
	/* bytes that are missing, and which names and ids of the second event are left */
	static const struct {
		size_t cut;
		const char *name;
		size_t nr_ids;
	} cases[] = { { 0, "second", 2 },   { 1, "second", 1 },   { 8, "second", 1 },   { 9, "second", 0 },
		      { 16, "second", 0 },  { 17, "raw 0x2", 0 }, { 24, "raw 0x2", 0 }, { 25, "raw 0x2", 0 },
		      { 32, "raw 0x2", 0 }, { 33, "raw 0x2", 0 } };
	static const char text[] =
		"the header feature EVENT_DESC ends too early: some event names may be missing";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *told;
		struct reader *r;

		begin_desc(false, false, FEATURE_EVENT_DESC);
		image__u32(&im, 2);
		image__u32(&im, 64);
		add_desc(1, "first", 500);
		add_desc(2, "second", 600);
		strbuf__setlen(&im.b, im.b.len - cases[i].cut);
		r = end_desc(false);
		told = strstr(r->warnings.text.buf, text);
		assert_int_equal(!told, !cases[i].cut);
		assert_null(told ? strstr(told + 1, text) : NULL); /* once */
		assert_string_equal(r->evlist.evsels.v[0]->name, "first");
		assert_string_equal(r->evlist.evsels.v[1]->name, cases[i].name);
		assert_int_equal(r->evlist.evsels.v[1]->ids.nr, cases[i].nr_ids);
		end(r);
	}
}

/* As many as the feature says, and until each event has one. */
static void groups_are_counted(void **state)
{
	struct reader *r;
	struct evsel **e;

	(void)state;
	open_groups(1);
	add_group("one", 8, 0, 2);
	add_group("two", 8, 2, 2);
	image__end(&im);
	r = open_pipe();
	e = r->evlist.evsels.v;
	assert_string_equal(e[0]->group_name, "one");
	assert_int_equal(e[1]->leader, 0);
	assert_int_equal(e[3]->leader, 3);
	assert_null(e[2]->group_name);
	end(r);
	open_groups(2);
	add_group("all", 8, 0, 4);
	add_group("late", 8, 1, 2);
	image__end(&im);
	r = open_pipe();
	e = r->evlist.evsels.v;
	assert_int_equal(e[0]->nr_members, 4);
	assert_int_equal(e[2]->leader, 0);
	assert_null(e[1]->group_name);
	end(r);
	/* a name without an end, or of no bytes; and an entry that is cut */
	open_groups(3);
	add_group("", 0, 0, 2);
	image__u32(&im, 4);
	strbuf__add(&im.b, "abcd", 4);
	image__u32(&im, 2);
	image__u32(&im, 1);
	image__u32(&im, 8);
	image__str(&im, "cut", 8);
	image__u32(&im, 3);
	image__end(&im);
	r = open_pipe();
	e = r->evlist.evsels.v;
	assert_int_equal(e[1]->leader, 0);
	assert_int_equal(e[0]->nr_members, 2);
	for (int i = 0; i < 4; i++)
		assert_null(e[i]->group_name);
	end(r);
}

static void tracepoints_are_named_by_their_formats(void **state)
{
	static const struct trace_image_event format = { "point", "", "\"\"" };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
	static const char text[] = "the tracepoint formats end too early: some event names may be missing";

	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		struct trace_image formats;
		struct reader *r;

		trace_image__init(&formats);
		trace_image__build(&formats, &format, 1, "");
		strbuf__setlen(&formats.b, formats.b.len - (cut ? formats.b.len / 2 : 0));
		begin(false, NULL, 0);
		for (u32 type = PERF_TYPE_SOFTWARE; type <= PERF_TYPE_TRACEPOINT; type++) {
			a.type = type;
			a.config = 1;
			image__begin(&im, RECORD_HEADER_ATTR, 0);
			image__attr(&im, &a, 112);
			image__u64(&im, type);
			image__end(&im);
		}
		image__begin(&im, RECORD_HEADER_TRACING_DATA, 0);
		image__u32(&im, (u32)formats.b.len);
		image__u32(&im, 0);
		image__end(&im);
		strbuf__add(&im.b, formats.b.buf, formats.b.len);
		strbuf__addchars(&im.b, '\0', -formats.b.len & 7);
		r = open_pipe();
		assert_int_equal(r->evlist.evsels.nr, 2);
		assert_string_equal(r->evlist.evsels.v[0]->name, "task-clock");
		if (!cut)
			assert_string_equal(r->evlist.evsels.v[1]->name, "test:point");
		assert_int_equal(r->warnings.code ? !!strstr(r->warnings.text.buf, text) : 0, cut);
		end(r);
		strbuf__exit(&formats.b);
	}
}

/* Formats may be megabytes: they are not read for names that are known. */
static void formats_are_read_only_for_names(void **state)
{
	static const struct trace_image_event format = { "point", "", "\"\"" };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
	struct trace_image formats;
	size_t size;

	(void)state;
	trace_image__init(&formats);
	trace_image__build(&formats, &format, 1, "");
	size = formats.b.len / 16 * 8;
	for (int named = 0; named < 3; named++) {
		struct reader *r;

		begin(false, NULL, 0);
		a.type = named == 2 ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT;
		a.config = 1;
		image__begin(&im, RECORD_HEADER_ATTR, 0);
		image__attr(&im, &a, 112);
		image__u64(&im, 10);
		image__end(&im);
		if (named == 1) {
			image__begin(&im, RECORD_EVENT_UPDATE, 0);
			image__u64(&im, EVENT_UPDATE_NAME);
			image__u64(&im, 10);
			image__str(&im, "known", 8);
			image__end(&im);
		}
		image__begin(&im, RECORD_HEADER_TRACING_DATA, 0);
		image__u32(&im, (u32)size);
		image__u32(&im, 0);
		image__end(&im);
		strbuf__add(&im.b, formats.b.buf, size); /* they end too early */
		r = open_pipe();
		assert_int_equal(!r->warnings.code, named > 0);
		if (named == 1)
			assert_string_equal(r->evlist.evsels.v[0]->name, "known");
		end(r);
	}
	strbuf__exit(&formats.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_events),
		cmocka_unit_test(features_of_a_pipe),
		cmocka_unit_test(groups),
		cmocka_unit_test(attrs_of_any_size),
		cmocka_unit_test(events_are_limited),
		cmocka_unit_test(updates_name_events),
		cmocka_unit_test(features_have_an_order),
		cmocka_unit_test(build_ids_are_a_table),
		cmocka_unit_test(formats_stay_where_they_are),
		cmocka_unit_test(few_events_are_named_by_number),
		cmocka_unit_test(descriptions_name_events),
		cmocka_unit_test(cut_descriptions_are_told),
		cmocka_unit_test(groups_are_counted),
		cmocka_unit_test(tracepoints_are_named_by_their_formats),
		cmocka_unit_test(formats_are_read_only_for_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
