/*
 * What is stored of each kind of code: functions of this very program and their instructions, functions of a
 * jitdump with their loads; not BPF programs.
 */
#include "embed_recording.h"

/* The instructions of functions with samples of their own are in the recording, unless there is no room. */
static void hot_function(void **state)
{
	struct embed_opts opts = { 0 };
	struct code_section c;
	struct strbuf section = STRBUF_INIT;
	struct embed_result stored;
	struct reader *r;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	assert_int_equal(stored.names.nr_dsos, 1);
	assert_int_equal(stored.names.nr_left_out, 0);
	assert_int_equal(stored.names.size, chunk_size(path, EXTENSION_NAMES));
	assert_int_equal(stored.code.nr_functions, 2);
	assert_int_equal(stored.code.nr_unread, 0);
	assert_int_equal(stored.code.size, chunk_size(path, EXTENSION_CODE));
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_CODE, &section), 0);
	assert_int_equal(code_section__read(&c, section.buf, section.len, false, NULL), 0);
	assert_int_equal(c.entries.nr, 1);
	assert_int_equal(c.entries.v[0].functions.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct stored_function *f = &c.entries.v[0].functions.v[i];
		const void *own[] = { (const void *)(uintptr_t)hot_function,
				      (const void *)(uintptr_t)seldom_function };

		assert_true(!memcmp(f->code, own[0], f->size) || !memcmp(f->code, own[1], f->size));
	}
	code_section__exit(&c);
	strbuf__exit(&section);
	reader__close(r);
	opts.code_budget = 1;
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	assert_int_equal(stored.code.nr_functions, 0);
	assert_int_equal(chunk_size(path, EXTENSION_CODE), 0);
	opts.budget = 1;
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 0);
	assert_int_equal(chunk_size(path, EXTENSION_NAMES), 0);
}

/*
 * Of a function's samples, those below it count for whether its name is stored, and only its own for its
 * code.
 */
static void seldom_function(void **state)
{
	struct embed_opts opts = { .code_budget = 0 };
	struct embed_result stored;

	(void)state;
	add_own_map(PID, 1);
	for (u64 i = 1; i < 4; i++)
		add_sample(PID, in(hot_function), in(seldom_function), 1 + i);
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	assert_int_equal(stored.code.nr_functions, 1);
}

/* ---- code that was made at run time ---- */

/* Loads of functions with samples are stored, with their time; others are not. */
static void functions_of_jitdumps_have_loads(void **state)
{
	static const char *const names[] = { "z_first", "unused", "a_third", NULL };
	struct strbuf text = STRBUF_INIT;
	struct stat st;

	(void)state;
	write_dump(names, 0);
	assert_int_equal(stat(dump_path, &st), 0);
	add_map(PID, 0x7d000000, 0x1000, 0, dump_path, 100);
	add_sample(PID, JIT_START + 4, JIT_START + 4, 250);
	add_sample(PID, JIT_START + 4, JIT_START + 4, 450);
	write_recording(path);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &text);
	assert_string_equal(text.buf, "load 200 7e000000+20 @104\n"
				      "load 400 7e000000+20 @295\n"
				      "z_first of 4242\n"
				      "a_third of 4242\n");
	strbuf__exit(&text);
}

/* Whatever was sampled first, and wherever its map is among those of the process. */
static void loads_are_found_in_any_order(void **state)
{
	static const char *const names[] = { "low", "middle", "high", NULL };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	write_dump(names, 0x100);
	add_map(PID, JIT_START + 0x100000, 0x1000, 0, dump_path, 100); /* the functions are the lowest maps */
	add_sample(PID, JIT_START + 0x204, JIT_START + 0x204, 900);
	add_sample(PID, JIT_START + 0x104, JIT_START + 0x104, 901);
	add_sample(PID, JIT_START + 4, JIT_START + 4, 902);
	write_recording(path);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &text);
	for (u64 i = 0; i < 3; i++) {
		char load[64];

		snprintf(load, sizeof(load), "load %u %x+20 @", (u32)(200 + 100 * i),
			 (u32)(JIT_START + 0x100 * i));
		assert_non_null(strstr(text.buf, load));
		assert_non_null(strstr(text.buf, names[i]));
	}
	strbuf__exit(&text);
}

/* A jitdump in which nothing was sampled is not stored, and other binaries have no loads. */
static void only_jitdumps_with_samples_have_loads(void **state)
{
	static const char *const names[] = { "first", "second", NULL };
	struct strbuf text = STRBUF_INIT;
	struct embed_result stored;

	(void)state;
	write_dump(names, 0x100);
	add_map(PID, JIT_START + 0x100000, 0x1000, 0, dump_path, 100);
	add_own_samples(PID, 300);
	add_sample(PID, own_code_start, own_code_start,
		   310); /* mostly _init, where the map of the file begins */
	write_recording(path);
	stored = store(&(struct embed_opts){ 0 });
	assert_int_equal(stored.names.nr_dsos, 1);
	show_stored(path, &text);
	assert_null(strstr(text.buf, "load"));
	assert_non_null(strstr(text.buf, "hot_function"));
	strbuf__exit(&text);
}

/* The records have the names of BPF programs. */
static void names_of_bpf_programs_are_not_stored(void **state)
{
	size_t at = records.len;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	build__ksymbol(&records, BPF_START, 0x100, "bpf_prog_x", 0);
	stamp(at, 0, 1);
	add_own_samples(PID, 100);
	add_sample(PID, BPF_START + 4, in(hot_function), 200);
	write_recording(path);
	assert_int_equal(store(&(struct embed_opts){ 0 }).names.nr_symbols, 2);
	show_stored(path, &text);
	assert_null(strstr(text.buf, "bpf"));
	strbuf__exit(&text);
}

/* ---- names from an earlier recording ---- */

enum { LIB_START = 0x50000000 };

/* What that says of a binary and its names goes on into the new one: which are made up, which are missing. */
static void marks_of_names_are_kept(void **state)
{
	struct names_symbol symbols[] = {
		{ .start = 0x100, .size = 0x100, .name = "real", .hits = 9 },
		{ .start = 0x200, .size = 0x100, .name = "lib.so@0x200", .hits = 5, .is_made_up = true }
	};
	struct names_dso d = { .id.name = "/nowhere/lib.so",
			       .flags = NAMES_EXPORTED_ONLY,
			       .symbols = { .v = symbols, .nr = 2 } };
	struct strbuf section = STRBUF_INIT;
	struct names_section n;
	struct reader *stored, *r;
	bool seen[2] = { false };

	(void)state;
	add_own_samples(PID, 100);
	add_map(PID, LIB_START, 0x1000, 0, "/nowhere/lib.so", 100);
	add_sample(PID, LIB_START + 0x110, in(hot_function), 110);
	add_sample(PID, LIB_START + 0x210, in(hot_function), 111);
	write_recording(other_path);
	names_section__write(&section, &d, 1, 1 << 20);
	assert_int_equal(extension__append(other_path, -1, EXTENSION_NAMES, section.buf, section.len, NULL),
			 0);
	assert_int_equal(reader__open(&stored, other_path, NULL), 0);
	write_recording(path);
	store(&(struct embed_opts){ .stored = stored });
	reader__close(stored);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_NAMES, &section), 0);
	assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
	assert_int_equal(n.entries.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct names_entry *e = &n.entries.v[i];
		bool is_lib = !strcmp(e->id.name, "/nowhere/lib.so");

		seen[is_lib] = true;
		assert_int_equal(e->nr_symbols, 2);
		assert_int_equal(e->nr_made_up, is_lib ? 1 : 0);
		assert_int_equal(e->flags, 0);
	}
	assert_true(seen[0] && seen[1]);
	names_section__exit(&n);
	strbuf__exit(&section);
	reader__close(r);
}

/* Of a binary whose debug file may come later, the stored names say that functions may be missing. */
static void exported_names_are_marked(void **state)
{
	struct strbuf section = STRBUF_INIT;
	struct names_section n;
	struct reader *r;
	char text[512];
	struct symtab t;
	u64 start = 0;

	(void)state;
	assert_non_null(mkdtemp(dump_dir));
	snprintf(dump_path, sizeof(dump_path), "%s/lib.so", dump_dir);
	snprintf(text, sizeof(text),
		 "echo 'int shown(int x) { return x * 3; }' | cc -x c -shared -fPIC -O1 -s -o %s -",
		 dump_path);
	if (system(text))
		skip();
	symtab__init(&t);
	assert_int_equal(elf_symbols__load(&t, dump_path, NULL, NULL, NULL), 0);
	for (size_t i = 0; i < t.syms.nr; i++)
		if (!strcmp(symtab__name(&t, &t.syms.v[i]), "shown"))
			start = t.syms.v[i].start;
	symtab__exit(&t);
	assert_true(start > 0);
	add_own_samples(PID, 100);
	add_map(PID, LIB_START, 0x10000, 0, dump_path, 100);
	add_sample(PID, LIB_START + start, in(hot_function), 110);
	write_recording(path);
	store(&(struct embed_opts){ 0 });
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_NAMES, &section), 0);
	assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
	assert_int_equal(n.entries.nr, 2);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(n.entries.v[i].flags,
				 strcmp(n.entries.v[i].id.name, dump_path) ? 0 : NAMES_EXPORTED_ONLY);
	names_section__exit(&n);
	strbuf__exit(&section);
	reader__close(r);
}

/* What becomes of chains from stack copies is counted beside the names. */
static void chains_are_counted(void **state)
{
	struct perf_event_attr attr = list.evsels.v[0]->attr;
	struct unwind_stats chains = { 0 };
	struct embed_result stored;

	(void)state;
	attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr.sample_regs_user = 1 << 7 | 1 << 8; /* of x86: SP and IP */
	attr.sample_stack_user = 16;
	evlist__exit(&list);
	evlist__init(&list);
	evlist__add_id(&list, evlist__add(&list, &attr, sizeof(attr), "cpu-clock"), 7);
	add_own_map(PID, 100);
	for (u64 i = 0; i < 3; i++) {
		const u64 copy[] = {
			PERF_SAMPLE_REGS_ABI_64, 0x7ffd00000000, in(hot_function), 16, 0, 0, 16
		};
		size_t at = records.len;

		add_sample(PID, in(hot_function), in(hot_function), 101 + i);
		strbuf__add(&records, copy, sizeof(copy));
		((struct perf_event_header *)(void *)(records.buf + at))->size += sizeof(copy);
	}
	write_recording(path);
	assert_int_equal(embed__store(path, &(struct embed_opts){ .chains = &chains }, &stored, NULL), 0);
	assert_int_equal(chains.nr, 3);
	assert_int_equal(chains.samples, 3);
	unwind_stats__exit(&chains);
}

/* Of a chain with an unknown mark only the sampled function is stored, as reports show no more of it. */
static void wrong_chains_have_no_names(void **state)
{
	size_t at;

	(void)state;
	add_own_map(PID, 100);
	for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
		at = records.len;
		add_sample(PID, in(hot_function), in(seldom_function), 101);
		strbuf__add_u64(&records, is_wrong ? (u64)-3000 : in(seldom_function));
		((struct perf_event_header *)(void *)(records.buf + at))->size += sizeof(u64);
		((u64 *)(void *)(records.buf + at))[4] = 4; /* words of the chain */
		write_recording(path);
		assert_int_equal(store(&(struct embed_opts){ 0 }).names.nr_symbols, is_wrong ? 1 : 2);
		strbuf__setlen(&records, at);
	}
}

/* A binary without names and lines is not stored. */
static void what_has_no_names_is_left_out(void **state)
{
	(void)state;
	add_own_samples(PID, 100);
	add_map(PID, LIB_START, 0x1000, 0, "/nowhere/lib.so", 100);
	add_sample(PID, LIB_START + 0x110, LIB_START + 0x210, 110);
	write_recording(path);
	assert_int_equal(store(&(struct embed_opts){ 0 }).names.nr_dsos, 1);
}

/* ---- lines ---- */

/* The address in the file of this program. */
static u64 file_address(u64 addr)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, pgoff;
	u64 found = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &pgoff) == 3 && start <= addr &&
		    addr < end)
			found = addr - start + pgoff;
	fclose(f);
	return found;
}

/* Another recording of this program that stores lines of two addresses. */
static struct reader *open_with_lines(void)
{
	struct names_address addresses[] = { { file_address(in(hot_function)), 0, 2 },
					     { file_address(in(seldom_function)) - 1, 2, 1 } };
	struct names_frame frames[] = { { "inlined", "small.h", 3, 2 },
					{ NULL, "hot.c", 7, 5 },
					{ NULL, "seldom.c", 9, 0 } };
	struct names_symbol symbol = { .start = 1, .size = 1, .name = "unused", .hits = 1 };
	struct names_dso d = { .id.name = exe,
			       .symbols = { .v = &symbol, .nr = 1 },
			       .lines = { { .v = addresses, .nr = 2 }, { .v = frames, .nr = 3 } } };
	struct strbuf section = STRBUF_INIT;
	struct reader *r;

	write_recording(other_path);
	names_section__write(&section, &d, 1, 1 << 20);
	assert_int_equal(extension__append(other_path, -1, EXTENSION_NAMES, section.buf, section.len, NULL),
			 0);
	assert_int_equal(reader__open(&r, other_path, NULL), 0);
	strbuf__exit(&section);
	return r;
}

/* Lines of what was sampled, and of calls, are stored; here they come from an earlier recording. */
static void lines_of_sampled_addresses_are_stored(void **state)
{
	struct strbuf section = STRBUF_INIT, text = STRBUF_INIT;
	struct reader *stored, *r;
	struct names_section n;

	(void)state;
	add_own_samples(PID, 100);
	stored = open_with_lines();
	for (u64 cut_from = 0; cut_from < 2; cut_from++) {
		write_recording(path);
		store(&(struct embed_opts){ .stored = stored, .cut_from = cut_from });
		strbuf__reset(&text);
		assert_int_equal(reader__open(&r, path, NULL), 0);
		assert_int_equal(reader__extension(r, EXTENSION_NAMES, &section), 0);
		assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
		assert_int_equal(n.entries.nr, 1);
		for (int i = 0; i < 2; i++) {
			u64 addr = i ? file_address(in(seldom_function)) - 1 : file_address(in(hot_function));
			struct names_address a;

			assert_true(names_lines__find(&n.entries.v[0].lines, addr, &a));
			for (u32 k = a.first; k < a.first + a.nr; k++) {
				struct names_frame f = names_lines__frame(&n.entries.v[0].lines, k);

				strbuf__addf(&text, "%s:%u-%u ", f.file, f.start_line, f.line);
			}
		}
		assert_string_equal(text.buf, "small.h:2-3 hot.c:5-7 seldom.c:0-9 ");
		names_section__exit(&n);
		reader__close(r);
	}
	reader__close(stored);
	strbuf__exit(&section);
	strbuf__exit(&text);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(hot_function),
		test(seldom_function),
		test(functions_of_jitdumps_have_loads),
		test(loads_are_found_in_any_order),
		test(only_jitdumps_with_samples_have_loads),
		test(names_of_bpf_programs_are_not_stored),
		test(marks_of_names_are_kept),
		test(exported_names_are_marked),
		test(chains_are_counted),
		test(wrong_chains_have_no_names),
		test(what_has_no_names_is_left_out),
		test(lines_of_sampled_addresses_are_stored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
