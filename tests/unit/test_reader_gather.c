/* What records of a pipe's beginning say about the whole: names of events, groups, features. */
#include "unit.h"

#include "format/read/features.h"
#include "format/read/reader.h"
#include "image.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_events),
		cmocka_unit_test(features_of_a_pipe),
		cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
