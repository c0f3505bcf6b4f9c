/* -F of perf script: words, signs, kinds of events, and what the events of a recording have. */
#include "unit.h"

#include "event/evsel/evsel.h"
#include "script/output_fields.h"

static void parse(struct output_fields *f, const char *text)
{
	struct err err = ERR_INIT;

	assert_int_equal(output_fields__parse(f, text, &err), 0);
	err__exit(&err);
}

static void refuse(const char *text, const char *message)
{
	struct output_fields f;
	struct err err = ERR_INIT;

	output_fields__init(&f);
	assert_true(output_fields__parse(&f, text, &err) < 0);
	assert_non_null(strstr(err.text.buf, message));
	err__exit(&err);
}

static void a_list_replaces_the_default_of_all_events(void **state)
{
	struct output_fields f;

	(void)state;
	output_fields__init(&f);
	parse(&f, "comm,ip,trace");
	assert_int_equal(f.fields[KIND_HW], OUT(COMM) | OUT(IP));
	assert_int_equal(f.fields[KIND_TRACE], OUT(COMM) | OUT(IP) | OUT(TRACE));
	parse(&f, "sw:time");
	assert_int_equal(f.fields[KIND_SW], OUT(TIME));
	assert_int_equal(f.fields[KIND_HW], OUT(COMM) | OUT(IP));
	parse(&f, "trace:");
	assert_int_equal(f.fields[KIND_TRACE], 0);
}

static void signs_change_the_default(void **state)
{
	struct output_fields f, before;

	(void)state;
	output_fields__init(&f);
	before = f;
	parse(&f, "+addr,-comm");
	assert_int_equal(f.fields[KIND_HW], (before.fields[KIND_HW] | OUT(ADDR)) & ~OUT(COMM));
	parse(&f, "sw:-period");
	assert_false(f.fields[KIND_SW] & OUT(PERIOD));
	assert_true(f.fields[KIND_HW] & OUT(PERIOD));
}

static void wrong_words_are_named(void **state)
{
	(void)state;
	refuse("comm,tyme", "unknown field 'tyme'");
	refuse("+", "unknown field ''");
	refuse("hard:comm", "unknown kind of event 'hard'");
	refuse("comm,+pid", "with and without");
	refuse("+pid,comm", "with and without");
	refuse("sw:trace", "not in samples of 'sw' events");
	refuse("flags", "not supported");
	refuse("", "print nothing");
	refuse(":comm", "unknown kind of event ''");
}

static void fields_that_no_event_has_are_refused(void **state)
{
	const struct perf_event_attr one = { .type = PERF_TYPE_HARDWARE,
					     .size = sizeof(one),
					     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };
	const struct perf_event_attr two = { .type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(two),
					     .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR };
	struct output_fields f;
	struct err err = ERR_INIT;
	struct evlist l;
	u64 by_event[2];

	(void)state;
	evlist__init(&l);
	evlist__add(&l, &one, sizeof(one), "one");
	evlist__add(&l, &two, sizeof(two), "two");
	output_fields__init(&f);
	assert_int_equal(output_fields__resolve(&f, &l, by_event, &err), 0);
	assert_true(by_event[0] & OUT(TID));
	assert_false(by_event[1] & OUT(TID)); /* a default that is not there is left out */
	parse(&f, "+addr");
	assert_int_equal(output_fields__resolve(&f, &l, by_event, &err), 0);
	assert_false(by_event[0] & OUT(ADDR));
	assert_true(by_event[1] & OUT(ADDR));
	parse(&f, "+weight");
	assert_true(output_fields__resolve(&f, &l, by_event, &err) < 0);
	assert_non_null(
		strstr(err.text.buf, "Samples for 'one', 'two' event do not have WEIGHT attribute set."));
	err__exit(&err);
	evlist__exit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_replaces_the_default_of_all_events),
		cmocka_unit_test(signs_change_the_default),
		cmocka_unit_test(wrong_words_are_named),
		cmocka_unit_test(fields_that_no_event_has_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
