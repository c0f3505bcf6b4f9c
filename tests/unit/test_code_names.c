/*
 * Names of code in map records "[java]/NAME": memory that the kernel reports later does not hide them, code
 * at an address may change, versions of a method are one binary, and they are not stored a second time.
 */
#include "binary/symbols/jitdump_write.h"
#include "embed_recording.h"

#include "binary/elf/kept_files.h"
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

/* ---- what is kept, and where ---- */

static const u8 bytes[64] = { 0xc3 };
static const struct named_code load = { PID, 700, JIT_START, sizeof(bytes), "a.Main.run(int)" };

/* Return the path of the file that is kept under a name, or NULL. */
static char *kept_path(struct kept_files *kept, const char *name, u64 ino)
{
	return kept_files__path(kept, &(struct kept_id){ .name = name, .ino = ino });
}

/* Code goes to a jitdump of its process, which a record announces by name and inode. */
static void code_is_in_a_jitdump(void **state)
{
	struct kept_files *kept = kept_files__new(4);
	struct jitdump_out dump = { .fd = -1 };
	struct strbuf out = STRBUF_INIT;
	struct code_names names;
	struct record r;
	struct sample_id id;
	struct stat st;
	char *file;
	u64 taken;
	int fd;

	(void)state;
	code_names__init(&names, "[java]/", kept, false);
	assert_true(code_names__are_wanted(&names));
	assert_true(code_names__has_room(&names, &dump, sizeof(bytes)));
	assert_true(code_names__store(&names, &dump, 600, &load, bytes));
	assert_in_range(dump.fd, 0, INT32_MAX);
	assert_int_equal(fstat(dump.fd, &st), 0);
	taken = names.bytes;
	assert_in_range(taken, sizeof(bytes), 4096);
	fd = dump.fd;
	assert_true(code_names__store(&names, &dump, 600, &load, NULL)); /* the same file */
	assert_int_equal(dump.fd, fd);
	assert_true(names.bytes > taken);

	file = kept_path(kept, "[java]/jit-4242.dump", st.st_ino);
	assert_non_null(file);
	free(file);
	assert_null(kept_path(kept, "[java]/jit-4242.dump", st.st_ino + 1));

	code_names__announce(&names, &list, &out);
	r = (struct record){ .header = (const struct perf_event_header *)out.buf };
	assert_int_equal(r.header->type, PERF_RECORD_MMAP2);
	assert_int_equal(r.header->size, out.len);
	assert_non_null(memmem(out.buf, out.len, "[java]/jit-4242.dump", sizeof("[java]/jit-4242.dump")));
	assert_non_null(memmem(out.buf, out.len, &st.st_ino, sizeof(st.st_ino)));
	memcpy(&id.pid, out.buf + out.len - 16, 4); /* the trailer: pid, tid, time */
	memcpy(&id.time, out.buf + out.len - 8, 8);
	assert_int_equal(id.pid, PID);
	assert_int_equal(id.time, 600);
	strbuf__exit(&out);
	code_names__exit(&names);
	kept_files__delete(kept);
}

static void jitdumps_are_bounded(void **state)
{
	struct kept_files *kept = kept_files__new(4);
	struct jitdump_out dump = { .fd = -1 };
	struct code_names names;
	char made[24] = { 0 };

	(void)state;
	code_names__init(&names, "[java]/", NULL, true);
	assert_false(code_names__has_room(&names, &dump, 1)); /* names are in records only */
	assert_false(code_names__store(&names, &dump, 600, &load, NULL));
	assert_int_equal(dump.fd, -1);
	code_names__init(&names, "[java]/", kept, false);
	assert_true(code_names__has_room(&names, &dump, 256 << 10));
	assert_false(code_names__has_room(&names, &dump, (256 << 10) + 1));
	names.bytes = (64 << 20) - 1;
	assert_true(code_names__has_room(&names, &dump, 1));
	names.bytes = 64 << 20;
	assert_false(code_names__has_room(&names, &dump, 1));
	names.bytes = (256 << 20) + 1;
	assert_false(code_names__store(&names, &dump, 600, &load, NULL));
	assert_int_equal(dump.fd, -1);
	names.bytes = 256 << 20;
	for (int i = 0; i < 1023; i++)
		strbuf__add(&names.made, made, sizeof(made));
	assert_true(code_names__store(&names, &dump, 600, &load, NULL)); /* the last one */
	assert_int_equal(names.made.len, 1024 * sizeof(made));
	names.bytes = 0;
	assert_true(code_names__has_room(&names, &dump, 1));
	dump.fd = -1; /* of another process */
	assert_false(code_names__has_room(&names, &dump, 1));
	assert_false(code_names__store(&names, &dump, 600, &load, NULL));
	code_names__exit(&names);
	kept_files__delete(kept);
}

/* A name is in each file that needs it, once; its record has the id of the event. */
static void a_name_is_once_in_each_file(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct code_names names;
	struct evlist with_ids;
	struct perf_event_attr attr = list.evsels.v[0]->attr;
	struct mmap_record m;
	u32 nr_files = 0;
	size_t once;
	u64 id;

	(void)state;
	evlist__init(&with_ids);
	attr.sample_type |= PERF_SAMPLE_IDENTIFIER;
	evlist__add_id(&with_ids, evlist__add(&with_ids, &attr, sizeof(attr), "cpu-clock"), 77);
	code_names__init(&names, "[java]/", NULL, true);
	code_names__use(&names, &load, &nr_files);
	once = names.v.len;
	assert_in_range(once, sizeof(load), 200);
	code_names__use(&names, &load, &nr_files);
	assert_int_equal(names.v.len, once);
	for (int i = 0; i < 2; i++) {
		code_names__announce(&names, &with_ids, &out);
		memcpy(&id, out.buf + out.len - sizeof(id), sizeof(id));
		assert_int_equal(id, 77);
		assert_true(record__mmap(&(struct record){ .header = (const void *)out.buf }, &m));
		assert_int_equal(m.ino, 0); /* there is no file */
		assert_string_equal(m.filename, "[java]/a.Main.run(int)");
		assert_int_equal(names.v.len, 0);
		code_names__use(&names, &load, &nr_files);
		code_names__use(&names, &load, &nr_files);
		assert_int_equal(names.v.len, once);
	}
	code_names__announce(&names, &list, &out);
	evlist__exit(&with_ids);
	strbuf__exit(&out);
	code_names__exit(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_in_map_records, setup, teardown),
		cmocka_unit_test_setup_teardown(code_is_in_a_jitdump, setup, teardown),
		cmocka_unit_test_setup_teardown(jitdumps_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(a_name_is_once_in_each_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
