/* Fields of tracepoints as sort keys: which columns a word means, and which bytes they need. */
#include "unit.h"

#include "profile/keys/trace_keys.h"
#include "trace_image.h"

#include <errno.h>

static const struct trace_image_event events[] = {
	{ "sched_switch", TRACE_FIELD("int pid", 8, 4, 1) TRACE_FIELD("char comm[16]", 12, 16, 0),
	  "\"pid=%d\", REC->pid" },
	{ "sched_wakeup", TRACE_FIELD("int pid", 8, 4, 1) TRACE_FIELD("int cpu", 12, 4, 1),
	  "\"pid=%d\", REC->pid + REC->cpu" },
	{ "nothing", "", "\"nothing\"" },
};

struct found {
	size_t nr;
	const struct column *columns[16];
};

static void add(void *ctx, const struct column *c)
{
	struct found *f = ctx;

	f->columns[f->nr++] = c;
}

static struct evlist list;
static struct trace_formats *formats;

static int setup(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = PERF_SAMPLE_RAW };
	struct trace_image im;

	(void)state;
	trace_image__init(&im);
	trace_image__build(&im, events, ARRAY_SIZE(events), "");
	if (trace_formats__new(&formats, im.b.buf, im.b.len, NULL))
		return -1;
	strbuf__exit(&im.b);
	evlist__init(&list);
	evlist__add(&list, &attr, sizeof(attr), "sched_dummy");
	attr.type = PERF_TYPE_TRACEPOINT;
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		char *name = xasprintf("test:%s", events[i].name);

		attr.config = i + 1;
		evlist__add(&list, &attr, sizeof(attr), name);
		free(name);
	}
	attr.config = 4711;
	evlist__add(&list, &attr, sizeof(attr), "test:unknown");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	evlist__exit(&list);
	trace_formats__delete(formats);
	return 0;
}

static void words_mean_fields(void **state)
{
	static const struct {
		const char *word;
		int ret;
		size_t nr;
	} rows[] = {
		{ "pid", 0, 2 },
		{ "cpu", 0, 1 },
		{ "sched_switch.pid", 0, 1 },
		{ "switch.pid", 0, 1 },
		{ "test:sched_switch.pid", 0, 1 },
		{ "test:sched_*.pid", 0, 2 },
		{ "*.pid", 0, 2 },
		{ "%2.pid", 0, 1 },
		{ "pid/raw", 0, 2 },
		{ "switch.*", 0, 2 },
		{ "trace_fields", 0, 4 },
		{ "trace_fields", 0, 4 },
		{ "sched.pid", -EINVAL, 0 },
		{ "test.pid", -EINVAL, 0 },
		{ "none", -ENOENT, 0 },
		{ "%1.pid", -ENOENT, 0 },
		{ "%9.pid", -ENOENT, 0 },
		{ "%.pid", -ENOENT, 0 },
		{ "%2x.pid", -ENOENT, 0 },
		{ "dummy.pid", -ENOENT, 0 },
		{ "nothing.pid", -ENOENT, 0 },
		{ "unknown.*", -ENOENT, 0 },
		{ "*", -ENOENT, 0 },
		{ "", -ENOENT, 0 },
		{ "pid/hex", -ENOENT, 0 },
		{ "PID", -ENOENT, 0 },
		{ "switch.", -ENOENT, 0 },
		{ ".pid", -ENOENT, 0 },
		{ "sched_switch", -ENOENT, 0 },
	};
	struct trace_keys k;

	(void)state;
	trace_keys__init(&k, &list, formats, NULL, false);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err err = ERR_INIT;
		struct found f = { 0 };
		int ret = trace_keys__find(&k, rows[i].word, strlen(rows[i].word), add, &f, &err);

		if (ret != rows[i].ret || f.nr != rows[i].nr || (ret == -EINVAL) != (err.text.len > 0))
			fail_msg("'%s': %d, %zu columns", rows[i].word, ret, f.nr);
		err__exit(&err);
	}
	assert_int_equal(k.v.nr, 6); /* four fields, one of them of two events raw, too */
	trace_keys__exit(&k);
}

static void only_needed_bytes_are_kept(void **state)
{
	struct payload_cuts cuts;
	struct trace_keys k;
	struct found f = { 0 };

	(void)state;
	trace_keys__init(&k, &list, formats, NULL, false);
	assert_false(trace_keys__cuts(&k, &cuts));
	assert_int_equal(trace_keys__find(&k, "pid", 3, add, &f, NULL), 0);
	assert_true(trace_keys__cuts(&k, &cuts));
	assert_int_equal(cuts.by_event[0].nr, 0);
	assert_int_equal(cuts.by_event[1].nr, 1);
	assert_int_equal(cuts.by_event[2].nr, 2); /* its text depends on the cpu */
	trace_keys__exit(&k);

	trace_keys__init(&k, &list, formats, NULL, true);
	assert_int_equal(trace_keys__find(&k, "pid", 3, add, &f, NULL), 0);
	assert_true(trace_keys__cuts(&k, &cuts));
	assert_int_equal(cuts.by_event[2].nr, 1);
	trace_keys__want_text(&k);
	assert_int_equal(k.spans[1].nr, 2);
	assert_int_equal(k.spans[3].nr, 1); /* of no bytes: it has a text all the same */
	assert_int_equal(k.spans[4].nr, 0);
	trace_keys__exit(&k);
}

static void all_of_them_are_tracepoints(void **state)
{
	struct evlist some = list;
	struct trace_keys k;

	(void)state;
	trace_keys__init(&k, &list, formats, NULL, false);
	assert_false(trace_keys__is_all(&k));
	trace_keys__exit(&k);
	some.evsels.v++;
	some.evsels.nr--;
	trace_keys__init(&k, &some, formats, NULL, false);
	assert_true(trace_keys__is_all(&k));
	trace_keys__exit(&k);
	trace_keys__init(&k, &some, NULL, "no formats", false);
	assert_false(trace_keys__is_all(&k));
	trace_keys__exit(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_mean_fields),
		cmocka_unit_test(only_needed_bytes_are_kept),
		cmocka_unit_test(all_of_them_are_tracepoints),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
