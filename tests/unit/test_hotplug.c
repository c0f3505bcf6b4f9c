/* CPUs that go offline and come back: when their counters are opened anew, and what is missing. */
#include "unit.h"

#include "format/records/losses.h"
#include "live/ring.h"
#include "record/events/hotplug.h"

#include <linux/perf_event.h>
#include <string.h>

static void a_cpu_that_comes_back_is_opened_anew(void **state)
{
	struct hotplug h = { .looked = 0 };
	struct hotplug_gaps gaps;

	(void)state;
	hotplug__add(&h, 1, 100, false);
	assert_false(hotplug__see(&h.v.v[0], 100, 1000));
	assert_int_equal(h.v.v[0].off_since, 0);
	assert_false(hotplug__see(&h.v.v[0], 0, 1500)); /* offline */
	assert_false(hotplug__see(&h.v.v[0], 0, 2000));
	assert_true(hotplug__see(&h.v.v[0], 200, 3000)); /* back */
	hotplug__reopened(&h, &h.v.v[0], 200, 3500);
	assert_false(hotplug__see(&h.v.v[0], 200, 4000));
	gaps = hotplug__take(&h, 5000);
	assert_int_equal(gaps.nr, 1);
	assert_int_equal(gaps.ms, 2000);
	assert_int_equal(gaps.cpu, 2);
	assert_int_equal(hotplug__take(&h, 6000).nr, 0);
	hotplug__exit(&h);
}

static void off_and_on_between_two_looks_is_seen(void **state)
{
	struct hotplug h = { .looked = 0 };

	(void)state;
	hotplug__add(&h, 0, 100, false);
	assert_true(hotplug__see(&h.v.v[0], 101, 1000));
	hotplug__reopened(&h, &h.v.v[0], 101, 1500);
	assert_int_equal(hotplug__take(&h, 9000).ms, 500);
	hotplug__exit(&h);
}

static void what_is_still_off_counts_in_each_file(void **state)
{
	struct hotplug h = { .looked = 0 };
	struct hotplug_gaps gaps;

	(void)state;
	hotplug__add(&h, 1, 100, false);
	hotplug__add(&h, 3, 0, true); /* was offline at the beginning */
	hotplug__see(&h.v.v[0], 0, 1000);
	assert_false(hotplug__see(&h.v.v[1], 0, 1000));
	assert_false(hotplug__see(&h.v.v[1], 300, 2000)); /* it has no rings */
	gaps = hotplug__take(&h, 4000);
	assert_int_equal(gaps.nr, 2);
	assert_int_equal(gaps.ms, 3000 + 2000);
	assert_int_equal(gaps.cpu, 0);
	gaps = hotplug__take(&h, 5000);
	assert_int_equal(gaps.ms, 2000);
	hotplug__exit(&h);
}

static void losses_tell_it_and_keep_it_in_the_file(void **state)
{
	struct losses l = { .cpu_off_nr = 2, .cpu_off_ms = 2345, .cpu_off = 8 }, read = { 0 };
	struct strbuf text = STRBUF_INIT, file = STRBUF_INIT;

	(void)state;
	losses__write(&l, &file);
	assert_int_equal(losses__read(&read, file.buf, file.len), 0);
	losses__tell(&read, &text);
	assert_string_equal(
		text.buf,
		"CPU 7 was offline or not recorded 2 times, for 2.3 s: samples of it are missing\n");
	strbuf__exit(&text);
	strbuf__exit(&file);
	losses__exit(&read);
}

/* ids: which words of records are ids, and so are replaced */
static void ids_are_replaced_in_each_kind_of_record(void **state)
{
	struct {
		struct perf_event_header h;
		u64 words[3];
	} records[] = {
		{ { PERF_RECORD_SAMPLE, 0, 32 }, { 70, 70, 70 } },
		{ { PERF_RECORD_LOST, 0, 32 }, { 70, 70, 70 } },
		{ { PERF_RECORD_COMM, 0, 32 }, { 70, 70, 70 } },
		{ { PERF_RECORD_SAMPLE, 0, 32 }, { 71, 70, 70 } },
	};
	const u64 want[][3] = { { 7, 70, 70 }, { 7, 70, 7 }, { 70, 70, 7 }, { 71, 70, 70 } };
	struct ring r = { .fd = -1 };

	(void)state;
	ring__rename_ids_in(&r, records, sizeof(records));
	assert_int_equal(records[0].words[0], 70);
	ring__rename_id(&r, 69, 8);
	ring__rename_id(&r, 70, 7);
	ring__rename_ids_in(&r, records, sizeof(records) - 8); /* the last one is cut off, and stays */
	for (size_t i = 0; i < 4; i++)
		assert_memory_equal(records[i].words, want[i], sizeof(want[i]));
	records[0].h.size = 0;
	ring__rename_ids_in(&r, records, sizeof(records));
	ring__unmap(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_that_comes_back_is_opened_anew),
		cmocka_unit_test(off_and_on_between_two_looks_is_seen),
		cmocka_unit_test(what_is_still_off_counts_in_each_file),
		cmocka_unit_test(losses_tell_it_and_keep_it_in_the_file),
		cmocka_unit_test(ids_are_replaced_in_each_kind_of_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
