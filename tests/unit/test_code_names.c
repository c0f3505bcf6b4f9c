/*
 * Names of code in map records "[java]/NAME": memory that the kernel reports later does not hide them, code
 * at an address may change, versions of a method are one binary, and they are not stored a second time.
 */
#include "embed_recording.h"

#include "merge/merge.h"
#include "model/session.h"
#include "record/stacks/code_names.h"

static __attribute__((noinline)) void hot_function(void **state)
{
	*state = NULL;
}

static __attribute__((noinline)) void seldom_function(void **state)
{
	*state = &records;
}

enum { EARLY_PID = PID + 1 }; /* ran before the recording, so its code is there from 0 on */

/* Return the binary at an address at a time, and its symbol's name. */
static const struct dso *find(struct session *s, u32 pid, u64 time, u64 ip, const char **name)
{
	const struct symbol *sym;
	struct machine_cursor c;
	struct dso_addr at;
	struct dso *dso;

	machine_cursor__init(&c, &s->machine);
	machine_cursor__seek(&c, time);
	machine__resolve(&s->machine, machine_cursor__thread(&c, pid, pid)->maps, c.rank,
			 PERF_RECORD_MISC_USER, ip, &at);
	dso = s->machine.dsos.v.v[at.dso];
	sym = symbolizer__find(&s->symbolizer, dso, at.addr);
	*name = sym ? symtab__name(&dso->symtab, sym) : "-";
	return dso;
}

static void add_name(struct code_names *c, u32 pid, u64 since, u64 addr, u64 size, const char *name)
{
	u32 nr_files = 0;

	for (int i = 0; i < 2; i++) /* once in a file */
		code_names__use(c, &(struct named_code){ pid, since, addr, size, name }, &nr_files);
}

static void add_names(void)
{
	struct code_names names;

	code_names__init(&names, "[java]/", NULL, true);
	add_name(&names, PID, 100, JIT_START, 0x100, "a.Main.run(int)");
	add_name(&names, PID, 500, JIT_START, 0x80, "a.Main.other()");
	add_name(&names, PID, 100, JIT_START + 0x1000, 0x40, "a.Main.run(int)");
	add_name(&names, EARLY_PID, 0, JIT_START, 0x40, "a.Main.early()");
	code_names__announce(&names, &list, &records);
	assert_int_equal(names.v.len, 0);
	code_names__exit(&names);
}

static void names_are_in_map_records(void **state)
{
	const struct merge_opts opts = { .nr_threads = 1 };
	struct merge_totals totals;
	const struct dso *run, *other;
	struct merge *m;
	struct session *s;
	const char *name;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	add_own_samples(PID, 50);
	add_sample(PID, JIT_START + 4, JIT_START + 0x1008, 400);
	add_sample(PID, JIT_START + 4, JIT_START + 0x1008, 600);
	add_map(PID, JIT_START, 0x10000, 0, "//anon", 300);
	add_map(EARLY_PID, JIT_START, 0x1000, 0, "//anon", 300);
	add_names();
	write_recording(path);
	assert_int_equal(session__open(&s, path, &(struct session_opts){ 0 }, NULL), 0);
	run = find(s, PID, 400, JIT_START + 4, &name);
	assert_string_equal(name, "a.Main.run(int)");
	assert_string_equal(dso__short_name(&s->machine.dsos, run), "[java]");
	other = find(s, PID, 600, JIT_START + 4, &name);
	assert_string_equal(name, "a.Main.other()");
	assert_ptr_not_equal(run, other);
	assert_ptr_equal(find(s, PID, 600, JIT_START + 0x90, &name), run);
	assert_ptr_equal(find(s, PID, 600, JIT_START + 0x1008, &name), run);
	assert_string_equal(name, "a.Main.run(int)");
	find(s, PID, 600, JIT_START + 0x2000, &name);
	assert_string_equal(name, "-");
	find(s, EARLY_PID, 600, JIT_START + 4, &name);
	assert_string_equal(name, "a.Main.early()");
	session__delete(s);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &text);
	assert_string_equal(text.buf, "hot_function of 0\nseldom_function of 0\n");
	/* a merged recording has the names of its frames */
	m = merge__new(&opts);
	assert_int_equal(merge__add(m, path, NULL), 0);
	assert_int_equal(merge__write(m, other_path, &totals, NULL), 0);
	merge__delete(m);
	show_stored(other_path, &text);
	assert_non_null(strstr(text.buf, "a.Main.run(int) of "));
	assert_non_null(strstr(text.buf, "a.Main.other() of "));
	strbuf__exit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_in_map_records, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
