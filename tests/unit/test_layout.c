/* -s, -F and -w; lists of names and numbers; spans of time; the order of a red-black tree. */
#include "unit.h"

#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "profile/keys/layout.h"
#include "profile/keys/name_list.h"
#include "profile/rows/time_spans.h"
#include "profile/trees/tree_order.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "overhead,comm|comm,overhead": headers of the fields and names of the sort order; or the error. */
static void layout_text(struct layout_opts opts, struct strbuf *sb)
{
	struct err err = ERR_INIT;
	struct layout l;

	strbuf__reset(sb);
	if (layout__parse(&l, &opts, &err)) {
		strbuf__addstr(sb, err.text.buf);
	} else {
		for (size_t i = 0; i < l.fields.nr; i++)
			strbuf__addf(sb, "%s%s", i ? "," : "", l.fields.v[i].header);
		for (size_t i = 0; i < l.sorts.nr; i++)
			strbuf__addf(sb, "%c%s", i ? ',' : '|', l.sorts.v[i]->name);
	}
	layout__exit(&l);
	err__exit(&err);
}

static void sort_and_fields(void **state)
{
	const struct {
		struct layout_opts opts;
		const char *want;
	} cases[] = {
		{ { 0 }, "Overhead,Command,Shared Object,Symbol|overhead,comm,dso,symbol" },
		{ { .children = true },
		  "Children,Self,Command,Shared Object,Symbol|overhead_children,overhead,comm,dso,symbol" },
		{ { .sort = "sym" }, "Overhead,Symbol|overhead,symbol" },
		{ { .sort = "code_p,code_page_size" }, "Overhead,Code Page Size|overhead,code_page_size" },
		{ { .sort = "+cpu" },
		  "Overhead,Command,Shared Object,Symbol,CPU|overhead,comm,dso,symbol,cpu" },
		{ { .sort = "comm,overhead", .samples = true },
		  "Overhead,Samples,Command|comm,overhead,sample" },
		{ { .fields = "comm,overhead" }, "Command,Overhead|comm,overhead" },
		{ { .fields = "period", .sort = "dso" }, "Period,Shared Object|dso,period" },
		{ { .fields = "+period" },
		  "Overhead,Period,Command,Shared Object,Symbol|overhead,comm,dso,symbol,period" },
		{ { .fields = "+" }, "invalid --fields key: '+'" },
		{ { .sort = "foo" },
		  "unknown --sort key 'foo'\nperf report -h lists the keys, under --sort" },
		{ { .fields = "foo" },
		  "unknown --fields key 'foo'\nperf report -h lists the keys, under --sort" },
		{ { .sort = "symbl" },
		  "unknown --sort key 'symbl'\ndid you mean 'symbol'?\nperf report -h lists the keys, under "
		  "--sort" },
		{ { .branches = true },
		  "Overhead,Command,Source Shared Object,Source Symbol,Target Symbol,Basic Block "
		  "Cycles|overhead,comm,dso_from,symbol_from,symbol_to,cycles" },
		{ { .branches = true, .sort = "mispredict,dso_to" },
		  "Overhead,Branch Mispredicted,Target Shared Object|overhead,mispredict,dso_to" },
		{ { .sort = "dso_to" },
		  "--sort key 'dso_to' is of branches: perf record -b, perf report -b" },
		{ { .sort = "typeoff" }, "--sort key 'typeoff' is not supported yet" },
		{ { .latency = true, .children = true },
		  "Latency,Children,Latency,Self,Command,Shared Object,Symbol|latency_children,"
		  "overhead_children,latency,overhead,comm,dso,symbol" },
		{ { .sort = "parallelism" }, "Overhead,Latency,Parallelism|overhead,latency,parallelism" },
		{ { .sort = "latency,dso" }, "Latency,Shared Object|latency,dso" },
		{ { .parent = true, .sort = "dso" },
		  "Overhead,Shared Object,Parent symbol|overhead,dso,parent" },
		{ { .sort = "weight" }, "Overhead,Weight|overhead,weight" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		layout_text(cases[i].opts, &sb);
		assert_string_equal(sb.buf, cases[i].want);
	}
	strbuf__exit(&sb);
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += len)
		if (!isalnum((unsigned char)p[-1]) && !isalnum((unsigned char)p[len]) && p[len] != '_')
			return true;
	return false;
}

static void each_key_is_in_the_help(void **state)
{
	static const char *const files[] = { "Documentation/perf-report.1", "builtin-report.c" };
	const char *src = getenv("PERF_SRC");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = xasprintf("%s/%s", src ? src : ".", files[i]);
		struct strbuf text = STRBUF_INIT;

		if (file__read(path, &text, 0))
			fail_msg("cannot read '%s'", path);
		for (size_t k = 0; k < column_names.nr; k++)
			if (!has_word(text.buf, columns[k].name))
				fail_msg("'%s' does not have the key '%s'", files[i], columns[k].name);
		strbuf__exit(&text);
		free(path);
	}
}

static void widths_and_elision(void **state)
{
	struct sample_filter filter = { 0 };
	struct layout l;

	(void)state;
	assert_int_equal(name_list__parse(&filter.comms, "sh", NULL), 0);
	assert_int_equal(layout__parse(&l, &(struct layout_opts){ .sort = "comm,dso" }, NULL), 0);
	assert_int_equal(layout__set_widths(&l, "5,0,30,7,8", NULL), 0);
	assert_int_equal(l.fields.v[0].user_width, 5);
	assert_int_equal(l.fields.v[2].user_width, 30);
	assert_int_equal(layout__set_widths(&l, "5,x", NULL), -EINVAL);
	assert_int_equal(layout__set_widths(&l, "", NULL), -EINVAL);
	layout__elide(&l, &filter);
	assert_true(l.fields.v[1].elided);
	layout__exit(&l);

	assert_int_equal(layout__parse(&l, &(struct layout_opts){ .sort = "comm" }, NULL), 0);
	layout__elide(&l, &filter);
	assert_false(l.fields.v[1].elided); /* not all */
	layout__exit(&l);
	sample_filter__exit(&filter);
}

static void lists(void **state)
{
	struct name_list l = { 0 };
	number_list n = { 0 };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(name_list__parse(&l, "b,a,,b", NULL), 0);
	assert_int_equal(l.v.nr, 2);
	assert_true(name_list__has(&l, "a") && name_list__has(&l, "b") && !name_list__has(&l, ""));
	assert_int_equal(name_list__parse(&l, "file:///nowhere/at/all", &err), -ENOENT);
	assert_string_equal(err.text.buf, "cannot read '/nowhere/at/all': No such file or directory");
	err__exit(&err);
	name_list__exit(&l);
	assert_int_equal(number_list__parse(&n, "12,3", NULL), 0);
	assert_true(number_list__has(&n, 3) && number_list__has(&n, 12) && !number_list__has(&n, 1));
	assert_int_equal(number_list__parse(&n, "12,", NULL), -EINVAL);
	assert_int_equal(number_list__parse(&n, "-1", NULL), -EINVAL);
	assert_int_equal(number_list__parse(&n, "99999999999", NULL), -EINVAL);
	array__exit(&n);
}

static void spans(void **state)
{
	const struct {
		const char *text;
		u64 start, end; /* of the last; both 0: an error */
	} cases[] = {
		{ "1,2", 1000000000, 2000000000 },
		{ "1.5,", 1500000000, UINT64_MAX },
		{ ",2.000000001", 0, 2000000001 },
		{ "1,2 3,4", 3000000000, 4000000000 },
		{ "10%/2", 1100, 1199 },
		{ "10%/10", 1900, 2000 },
		{ "0%-30%", 1000, 1299 },
		{ "0%-10%,90%-100%", 1900, 2000 },
		{ "2,1", 0, 0 },
		{ "x", 0, 0 },
		{ "", 0, 0 },
		{ "10%", 1000, 1099 },
		{ "3,4 1,2", 3000000000, 4000000000 },
		{ "1,3 2,4", 1000000000, 4000000000 },
		{ "10%/0", 0, 0 },
		{ "10%/11", 0, 0 },
		{ "30%-10%", 0, 0 },
		{ "110%/1", 0, 0 },
		{ "10%/1,", 0, 0 },
		{ "99999999999999999999,", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool good = cases[i].start || cases[i].end;
		struct time_spans t = { 0 };
		int ret = time_spans__parse(&t, cases[i].text, 1000, 2000, NULL);

		assert_int_equal(ret, good ? 0 : -EINVAL);
		if (good) {
			assert_int_equal(t.v.v[t.v.nr - 1].start, cases[i].start);
			assert_int_equal(t.v.v[t.v.nr - 1].end, cases[i].end);
			assert_true(time_spans__has(&t, cases[i].start));
		}
		time_spans__exit(&t);
	}
}

/* All that fits between two times of 64 bits. */
static void spans_of_the_longest_time(void **state)
{
	struct time_spans t = { 0 };

	(void)state;
	assert_int_equal(time_spans__parse(&t, "100%-100%", 0, UINT64_MAX, NULL), 0);
	assert_true(t.v.v[0].start == UINT64_MAX && t.v.v[0].end == UINT64_MAX);
	time_spans__exit(&t);
}

static bool before(void *ctx, const void *a, const void *b)
{
	(void)ctx;
	return *(const u32 *)a / 10 < *(const u32 *)b / 10;
}

/* With a consistent comparison it is a stable sort. */
static void tree_order_sorts(void **state)
{
	u32 numbers[500], seed = 5;
	void *v[500];

	(void)state;
	for (u32 i = 0; i < 500; i++) {
		seed = seed * 1664525 + 1013904223;
		numbers[i] = (seed >> 8) % 600;
		v[i] = &numbers[i];
	}
	tree_order(v, 500, before, NULL);
	for (u32 i = 1; i < 500; i++) {
		u32 a = *(u32 *)v[i - 1] / 10, b = *(u32 *)v[i] / 10;

		assert_true(a < b || (a == b && v[i - 1] < v[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sort_and_fields),
		cmocka_unit_test(each_key_is_in_the_help),
		cmocka_unit_test(widths_and_elision),
		cmocka_unit_test(lists),
		cmocka_unit_test(spans),
		cmocka_unit_test(spans_of_the_longest_time),
		cmocka_unit_test(tree_order_sorts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
