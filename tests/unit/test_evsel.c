/* The evlist: attrs of all sizes, ids, names. */
#include "unit.h"

#include "event/evsel/evsel.h"

#include <string.h>

static void keeps_attrs_of_any_size(void **state)
{
	struct evlist l;
	struct evsel *e;
	u8 bytes[200];

	(void)state;
	evlist__init(&l);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)i;
	e = evlist__add(&l, bytes, 64, "short");
	assert_int_equal(e->attr_size, 64);
	assert_memory_equal(&e->attr, bytes, 64);
	assert_int_equal(e->attr.branch_sample_type, 0);
	assert_int_equal(e->config3, 0);
	e = evlist__add(&l, bytes, 200, NULL);
	assert_int_equal(e->attr_size, 200);
	assert_memory_equal(&e->config3, bytes + 128, 8);
	assert_int_equal(e->idx, 1);
	assert_int_equal(e->leader, 1);
	assert_int_equal(e->nr_members, 1);
	evlist__exit(&l);
}

static void finds_ids(void **state)
{
	struct perf_event_attr attr = { .size = 64 };
	struct evlist l;
	struct evsel *a, *b;

	(void)state;
	evlist__init(&l);
	assert_null(evlist__by_id(&l, 1));
	a = evlist__add(&l, &attr, 64, "a");
	assert_ptr_equal(evlist__by_id(&l, 77), a); /* the only one, whatever the id */
	b = evlist__add(&l, &attr, 64, "b");
	for (u64 id = 1; id < 2000; id++)
		evlist__add_id(&l, id & 1 ? a : b, id << 20);
	for (u64 id = 1; id < 2000; id++)
		assert_ptr_equal(evlist__by_id(&l, id << 20), id & 1 ? a : b);
	assert_null(evlist__by_id(&l, 5));
	evlist__add_id(&l, b, 1 << 20); /* the first one keeps it */
	assert_ptr_equal(evlist__by_id(&l, 1 << 20), a);
	assert_int_equal(b->ids.nr, 1000);
	evlist__exit(&l);
}

static void sums_up_sample_types(void **state)
{
	struct perf_event_attr attr = { .size = 64, .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	struct evlist l;

	(void)state;
	evlist__init(&l);
	assert_int_equal(evlist__sample_type_any(&l), 0);
	assert_int_equal(evlist__sample_type_all(&l), 0);
	assert_true(evlist__sample_id_all(&l));
	evlist__add(&l, &attr, 64, NULL);
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	evlist__add(&l, &attr, 64, "named");
	assert_int_equal(evlist__sample_type_any(&l), PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	assert_int_equal(evlist__sample_type_all(&l), PERF_SAMPLE_IP);
	assert_false(evlist__sample_id_all(&l)); /* the first one says */
	evlist__finish_names(&l);
	assert_string_equal(l.evsels.v[0]->name, "cycles:HG");
	assert_string_equal(l.evsels.v[1]->name, "named");
	evlist__exit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_attrs_of_any_size),
		cmocka_unit_test(finds_ids),
		cmocka_unit_test(sums_up_sample_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
