/* Names of threads that woke others and are not recorded. */
#include "unit.h"

#include "base/system/clock.h"
#include "event/evsel/event_request.h"
#include "format/records/build.h"
#include "record/stacks/wakings.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { ID = 7 };
static const u64 second = NS_PER_SECOND;

static struct evlist list;
static struct waker_names names;
static struct strbuf out;
static u32 own;

static void begin(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_type =
						PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					.sample_id_all = 1 };
	struct evsel *e;

	evlist__init(&list);
	e = evlist__add_request(&list, &attr, "ended-waits");
	evlist__add_id(&list, e, ID);
	names = (struct waker_names){ .id_size = build__id_size(&list), .event = e };
	strbuf__init(&out);
	own = (u32)getpid();
}

static void end(void)
{
	waker_names__exit(&names);
	strbuf__exit(&out);
	evlist__exit(&list);
}

static void call_me(const char *name)
{
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
}

static void expect_no_name(u32 pid, u32 tid, u64 time)
{
	waker_names__add(&names, pid, tid, time, &out);
	assert_int_equal(out.len, 0);
}

static void expect_name(const char *name, u64 time)
{
	struct record r;
	struct comm_record comm;
	struct sample_id id;

	waker_names__add(&names, own, own, time, &out);
	assert_true(out.len > sizeof(*r.header));
	r = (struct record){ .header = (const void *)out.buf };
	assert_int_equal(r.header->type, PERF_RECORD_COMM);
	assert_int_equal(r.header->misc, 0);
	assert_int_equal(r.header->size, out.len);
	assert_true(record__comm(&r, &comm));
	assert_int_equal(comm.pid, own);
	assert_int_equal(comm.tid, own);
	assert_string_equal(comm.comm, name);
	assert_true(sample_id__decode(&list, &r, &id));
	assert_int_equal(id.time, time);
	assert_int_equal(id.pid, own);
	assert_int_equal(id.tid, own);
	assert_int_equal(id.id, ID);
	strbuf__reset(&out);
}

static void a_name_is_written_when_it_changes(void **state)
{
	(void)state;
	begin();
	call_me("first");
	expect_name("first", 1000);
	expect_no_name(own, own, 1001);
	call_me("second"); /* unseen at first: it is looked up once a second */
	expect_no_name(own, own, 1000 + second - 1);
	expect_name("second", 1000 + second);
	call_me("third");
	expect_no_name(own, own, 1000 + 2 * second - 1);
	expect_name("third", 1000 + 2 * second);
	expect_no_name(own, own, 1000 + 3 * second); /* the same name */
	call_me("fourth");
	expect_no_name(own, own, 1000 + 4 * second - 1);
	expect_name("fourth", 1000 + 4 * second);
	end();
}

static void each_file_has_the_names(void **state)
{
	(void)state;
	begin();
	call_me("first");
	expect_name("first", 1000);
	expect_no_name(own, own, 1001);
	waker_names__begin_file(&names);
	expect_name("first", 1002);
	expect_no_name(own, own, 1003);
	waker_names__begin_file(&names);
	waker_names__begin_file(&names);
	expect_name("first", 1004);
	end();
}

static void a_tid_is_reused(void **state)
{
	(void)state;
	begin();
	call_me("first");
	expect_no_name(4000001, own, 1000); /* no such process */
	expect_name("first", 1000);
	expect_no_name(4000001, own, 1001);
	expect_name("first", 1002);
	expect_no_name(own, 4000001, 1003);
	end();
}

/* So many threads that the list begins anew. */
static void the_list_is_short(void **state)
{
	size_t most = 0;

	(void)state;
	begin();
	call_me("first");
	expect_name("first", 1000);
	for (u32 tid = 4000001; tid < 4020001; tid++) {
		waker_names__add(&names, tid, tid, 1000, &out);
		most = MAX(most, names.v.nr);
	}
	assert_int_equal(out.len, 0);
	assert_in_range(most, 1000, 10000);
	expect_name("first", 1001);
	expect_no_name(own, own, 1002);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_written_when_it_changes),
		cmocka_unit_test(each_file_has_the_names),
		cmocka_unit_test(a_tid_is_reused),
		cmocka_unit_test(the_list_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
