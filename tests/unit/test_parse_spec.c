/* What -e says that is no attr: variables to watch, functions to probe, terms of single events, modifiers of
 * groups. */
#include "event/evsel/event_request.h"
#include "unit.h"

#include "other_machine.h"

#include <errno.h>

static struct evlist parse(const char *text)
{
	struct err err = ERR_INIT;
	struct evlist l;

	evlist__init(&l);
	if (parse_events_with(&l, text, &fake, &err))
		fail_msg("%s: %s", text, err.text.buf);
	err__exit(&err);
	return l;
}

/* "SYMBOL@DSO.MEMBERS+OFFSET/LENGTH[START:COUNT]:ACCESS POS,LEN" of what was given. */
static void describe_watch(const struct watch_spec *w, struct strbuf *sb)
{
	strbuf__addstr(sb, w->symbol);
	if (w->dso)
		strbuf__addf(sb, "@%s", w->dso);
	if (w->members)
		strbuf__addf(sb, ".%s", w->members);
	if (w->offset)
		strbuf__addf(sb, "+%llu", (unsigned long long)w->offset);
	if (w->length)
		strbuf__addf(sb, "/%llu", (unsigned long long)w->length);
	if (w->is_slice)
		strbuf__addf(sb, "[%llu:%llu]", (unsigned long long)w->start, (unsigned long long)w->count);
	strbuf__addf(sb, " %u %zu,%zu", w->access, w->pos, w->len);
}

static void variables(void **state)
{
	static const struct {
		const char *text, *found;
		u64 bp_len;
		u32 bp_type;
		bool user_only;
	} rows[] = {
		{ "mem:counter", "counter 0 4,7", 4, 3, false },
		{ "mem:counter:w", "counter 2 4,7", 4, 2, false },
		{ "mem:counter:rw:u", "counter 3 4,7", 4, 3, true },
		{ "mem:counter:u", "counter 0 4,7", 4, 3, true },
		{ "mem:main:x", "main 4 4,4", 8, 4, false },
		{ "mem:counter/8:w", "counter/8 2 4,7", 8, 2, false },
		{ "mem:counter+0x10/2", "counter+16/2 0 4,7", 2, 3, false },
		{ "mem:config.limits.max:w", "config.limits.max 2 4,6", 4, 2, false },
		{ "mem:table[3]", "table[3:1] 0 4,5", 4, 3, false },
		{ "mem:table[16:4]:r", "table[16:4] 1 4,5", 4, 1, false },
		{ "mem:table.entry+4/2[1:2]:w", "table.entry+4/2[1:2] 2 4,5", 2, 2, false },
		{ "mem:v@libfoo.so.1", "v@libfoo.so.1 0 4,1", 4, 3, false },
		{ "mem:v@libfoo.so.1.2.a.b:w", "v@libfoo.so.1.2.a.b 2 4,1", 4, 2, false },
		{ "mem:v@/usr/lib/x+y/libstdc++.so.6+8/4:w", "v@/usr/lib/x+y/libstdc++.so.6+8/4 2 4,1", 4, 2,
		  false },
		{ "mem:v.a@libfoo.so/2", "v@libfoo.so.a/2 0 4,1", 2, 3, false },
		{ "mem:v@./prog.old:w", "v@./prog.old 2 4,1", 4, 2, false },
		{ "mem:v@/tmp/dir/9:w", "v@/tmp/dir/9 2 4,1", 9, 2, false },
		{ "mem:v@'/tmp/a,b/9'.m:w", "v@/tmp/a,b/9.m 2 4,1", 4, 2, false },
		{ "mem:jiffies@kernel:w", "jiffies@kernel 2 4,7", 4, 2, false },
		{ "mem:init_task@kernel.pid", "init_task@kernel.pid 0 4,9", 4, 3, false },
		{ "mem:ns::Type<int, char>::count:w", "ns::Type<int, char>::count 2 4,26", 4, 2, false },
		{ "mem:\"odd, name\":r", "odd, name 1 5,9", 4, 1, false },
		{ "mem:f(int, char)::local", "f(int, char)::local 0 4,19", 4, 3, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct evlist l = parse(rows[i].text);
		const struct evsel *e = l.evsels.v[0];
		struct strbuf found = STRBUF_INIT;

		assert_int_equal(l.evsels.nr, 1);
		assert_non_null(e->request->watch);
		describe_watch(e->request->watch, &found);
		if (strcmp(found.buf, rows[i].found))
			fail_msg("%s: \"%s\", expected \"%s\"", rows[i].text, found.buf, rows[i].found);
		assert_int_equal(e->attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(e->attr.bp_len, rows[i].bp_len);
		assert_int_equal(e->attr.bp_type, rows[i].bp_type);
		assert_int_equal(e->attr.bp_addr, 0);
		assert_int_equal(e->attr.sample_period, 1);
		assert_int_equal(e->attr.exclude_kernel, rows[i].user_only);
		assert_string_equal(e->name, rows[i].text);
		strbuf__exit(&found);
		evlist__exit(&l);
	}
}

static void functions(void **state)
{
	static const struct {
		const char *text, *binary, *function;
		u64 offset;
		bool is_return;
		size_t pos;
	} rows[] = {
		{ "uprobe:/bin/sh:main", "/bin/sh", "main", 0, false, 15 },
		{ "uprobe:/bin/sh:main+0x10:u", "/bin/sh", "main", 16, false, 15 },
		{ "uprobe:libc.so.6:malloc%return", "libc.so.6", "malloc", 0, true, 17 },
		{ "uprobe:'my prog':ns::f(int, char*)%return:u", "my prog", "ns::f(int, char*)", 0, true,
		  17 },
		{ "uprobe:./a-b_c+d:\"operator new\"+4", "./a-b_c+d", "operator new", 4, false, 18 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct evlist l = parse(rows[i].text);
		const struct evsel *e = l.evsels.v[0];

		assert_int_equal(l.evsels.nr, 1);
		assert_non_null(e->request->probe);
		assert_string_equal(e->request->probe->binary, rows[i].binary);
		assert_string_equal(e->request->probe->function, rows[i].function);
		assert_int_equal(e->request->probe->offset, rows[i].offset);
		assert_int_equal(e->request->probe->is_return, rows[i].is_return);
		assert_int_equal(e->request->probe->pos, rows[i].pos);
		assert_int_equal(e->request->probe->len, strlen(rows[i].function));
		assert_int_equal(e->attr.type, 8);
		assert_int_equal(e->attr.config, rows[i].is_return);
		assert_int_equal(e->attr.sample_period, 1);
		evlist__exit(&l);
	}
	add_pmu_file("kprobe", "type", "6");
	{
		struct evlist l = parse("kprobe:do_exit+4,cs");

		assert_int_equal(l.evsels.nr, 2);
		assert_null(l.evsels.v[0]->request->probe->binary);
		assert_string_equal(l.evsels.v[0]->request->probe->function, "do_exit");
		assert_int_equal(l.evsels.v[0]->request->probe->offset, 4);
		assert_int_equal(l.evsels.v[0]->attr.type, 6);
		evlist__exit(&l);
	}
}

static void terms(void **state)
{
	struct evlist l =
		parse("cs/"
		      "period=7,call-graph=dwarf,stack-size=1001,max-stack=9,time=0,no-inherit,percore,"
		      "overwrite,branch_type=any_call|u,name='a, b'/u,cs/freq=5,inherit,call-graph=fp/");
	const struct evsel *e = l.evsels.v[0];

	(void)state;
	assert_int_equal(l.evsels.nr, 2);
	assert_string_equal(e->name, "a, b");
	assert_true(e->request->own_period && !e->request->own_freq && !e->attr.freq);
	assert_int_equal(e->attr.sample_period, 7);
	assert_int_equal(e->request->terms.call_graph, CALL_GRAPH_DWARF);
	assert_int_equal(e->request->terms.stack_size, 1008);
	assert_int_equal(e->request->terms.max_stack, 9);
	assert_int_equal(e->request->terms.time, TERM_OFF);
	assert_int_equal(e->request->terms.inherit, TERM_OFF);
	assert_int_equal(e->request->terms.overwrite, TERM_ON);
	assert_true(e->request->terms.percore);
	assert_int_equal(e->request->terms.branch_filter,
			 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(e->attr.exclude_kernel, 1);
	e = l.evsels.v[1];
	assert_true(e->request->own_freq && !e->request->own_period && e->attr.freq);
	assert_int_equal(e->attr.sample_freq, 5);
	assert_int_equal(e->request->terms.inherit, TERM_ON);
	assert_int_equal(e->request->terms.time, TERM_NOT_GIVEN);
	assert_int_equal(e->request->terms.call_graph, CALL_GRAPH_FP);
	evlist__exit(&l);
}

static void groups(void **state)
{
	struct evlist l = parse("task-clock,first{cs:D,faults:p}:SWeu , {cpu-clock:k,migrations}:u");
	struct evsel **v = l.evsels.v;

	(void)state;
	assert_int_equal(l.evsels.nr, 5);
	assert_int_equal(v[0]->nr_members, 1);
	assert_int_equal(v[1]->leader, 1);
	assert_int_equal(v[1]->nr_members, 2);
	assert_int_equal(v[2]->leader, 1);
	assert_int_equal(v[3]->nr_members, 2);
	assert_int_equal(v[4]->leader, 3);
	assert_string_equal(v[1]->group_name, "first");
	assert_null(v[3]->group_name);
	assert_true(v[1]->request->sample_read && v[2]->request->sample_read && !v[3]->request->sample_read);
	assert_true(v[1]->request->is_weak && !v[2]->request->is_weak);
	assert_true(v[1]->attr.pinned && v[1]->attr.exclusive && !v[2]->attr.exclusive);
	assert_true(v[1]->attr.exclude_kernel && v[2]->attr.exclude_kernel);
	assert_int_equal(v[2]->attr.precise_ip, 1);
	assert_true(!v[3]->attr.exclude_kernel && !v[3]->attr.exclude_user && v[3]->attr.exclude_hv);
	assert_true(v[4]->attr.exclude_kernel && !v[4]->attr.exclude_user);
	assert_string_equal(v[1]->name, "cs:D");
	assert_string_equal(v[4]->name, "migrations");
	evlist__exit(&l);
}

/* A list behind others keeps its groups together. */
static void lists_in_a_row(void **state)
{
	struct err err = ERR_INIT;
	struct evlist l;

	(void)state;
	evlist__init(&l);
	assert_int_equal(parse_events_with(&l, "cs,faults", &fake, &err), 0);
	assert_int_equal(parse_events_with(&l, "{cpu-clock,cs}", &fake, &err), 0);
	assert_int_not_equal(parse_events_with(&l, "{cpu-clock,cs},nonsense", &fake, &err), 0);
	assert_int_equal(l.evsels.nr, 4);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(l.evsels.v[i]->idx, i);
	assert_int_equal(l.evsels.v[2]->nr_members, 2);
	assert_int_equal(l.evsels.v[3]->leader, 2);
	evlist__exit(&l);
	err__exit(&err);
}

static void long_texts_are_cut_around_the_word(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	const char *mark, *line;
	struct evlist l;

	(void)state;
	for (int i = 0; i < 100; i++)
		strbuf__addstr(&text, "cpu-clock,");
	strbuf__addstr(&text, "nonsense,");
	for (int i = 0; i < 100; i++)
		strbuf__addstr(&text, "cpu-clock\t,");
	strbuf__addstr(&text, "cs");
	evlist__init(&l);
	assert_int_equal(parse_events_with(&l, text.buf, &fake, &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "unknown event 'nonsense' at column 1001\n"));
	line = strchr(err.text.buf, '\n') + 1;
	mark = strchr(line, '\n') + 1;
	assert_true(mark - line < 120);
	assert_int_equal(strncmp(line + (strchr(mark, '^') - mark), "nonsense", 8), 0);
	evlist__exit(&l);
	err__exit(&err);
	strbuf__exit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(variables),      cmocka_unit_test(functions),
		cmocka_unit_test(terms),          cmocka_unit_test(groups),
		cmocka_unit_test(lists_in_a_row), cmocka_unit_test(long_texts_are_cut_around_the_word),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
