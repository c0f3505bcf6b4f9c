/*
 * merge: where each kind of binary is in the merged recording, which its content decides: files, the vdso,
 * JIT code, kernels, modules, BPF programs. The expected addresses follow from merge/merged.h.
 */
#include "unit.h"

#include "merge_runs.h"

#include "format/read/merged_inputs.h"

#include <errno.h>

/* The code of several boots and processes, at other addresses each. */
static const struct run first = { .slide = 0x1000000, .pid = 100, .kernel_id = 0x11 },
			second = { .slide = 0x7000000, .pid = 200, .kernel_id = 0x11 },
			other_kernel = { .slide = 0x5000000, .pid = 300, .kernel_id = 0x22 };

static const struct stack in_kernel = { .nr = 1,
					.period = 100,
					.words = "k1234 k200 m1040 b18 p2010 p4020 l5000 v520" },
			  in_jit = { .nr = 1, .period = 7, .words = "j4 j104 p2345" };
static const struct stack *const both[] = { &in_kernel, &in_jit, NULL };

static struct strbuf file, text;

static int setup(void **state)
{
	(void)state;
	strbuf__init(&file);
	strbuf__init(&text);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	strbuf__exit(&file);
	strbuf__exit(&text);
	return 0;
}

/* User code begins at 2^44; there is a page between binaries, which are in the order of kind and name. */
static void binaries_have_one_place(void **state)
{
	const struct run *const runs[] = { &first, &second };

	(void)state;
	merge_runs(runs, 2, both, &file);
	show_side_band(&file, &text);
	assert_string_equal(text.buf,
			    "mmap -1/0 ffffffff81000000+2000 @ffffffff81000000 [kernel.kallsyms]_text\n"
			    "mmap -1/0 ffffffffc0000000+2000 @0 [mod]\n"
			    "ksymbol ffffffffc0003000+19 bpf_prog_1\n"
			    "comm 5000000/5000000 prog\n"
			    "mmap2 5000000/5000000 100000000000+1000 @5000 /nowhere/lib.so 6c\n"
			    "mmap2 5000000/5000000 100000002000+3000 @2000 /nowhere/prog 70\n"
			    "mmap2 5000000/5000000 100000006000+1000 @0 [vdso] 76\n"
			    "mmap2 5000000/5000000 100000008000+1000 @0 //anon\n");
	show_samples(&file, &text);
	assert_string_equal(text.buf,
			    "cycles u 5000000/5000000 x2 14 100000008000: "
			    "USER 100000008000 100000008011 100000002346\n"
			    "cycles k 5000000/5000000 x2 200 ffffffff81001234: "
			    "KERNEL ffffffff81001234 ffffffff81000201 ffffffffc0001041 ffffffffc0003019 "
			    "USER 100000002010 100000004021 100000000001 100000006521\n");
}

/* A report of the merged recording finds the names at the new addresses, without the binaries. */
static void functions_keep_their_names(void **state)
{
	const struct run *const runs[] = { &first, &second };
	struct strbuf section = STRBUF_INIT;
	struct names_section n;

	(void)state;
	merge_runs(runs, 2, both, &file);
	show_names(&file, &text);
	assert_string_equal(text.buf, "/nowhere/prog 0: 2000+100 leaf\n"
				      "/nowhere/prog 0: 4000+100 main\n"
				      "/tmp/perf-5000000.map 5000000: 100000008000+10 alpha\n"
				      "/tmp/perf-5000000.map 5000000: 100000008010+10 beta\n"
				      "[kernel.kallsyms] 0: ffffffff81001200+100 k_one\n");
	read_names(&file, &section, &n);
	assert_int_equal(n.entries.nr, 3);
	for (size_t i = 0; i < n.entries.nr; i++)
		assert_int_equal(n.entries.v[i].nr_made_up, 0);
	names_section__exit(&n);
	strbuf__exit(&section);
	show_build_ids(&file, &text);
	assert_string_equal(text.buf, "user /nowhere/lib.so 6c\n"
				      "user /nowhere/prog 70\n"
				      "user [vdso] 76\n"
				      "kernel [kernel.kallsyms] 11\n");
}

/*
 * The kernel with the least build-id is the kernel; another one is among the modules, until it is merged
 * again.
 */
static void one_of_several_kernels_is_the_kernel(void **state)
{
	const struct run *const runs[] = { &other_kernel, &first };
	static const struct stack two = { .nr = 1, .period = 5, .words = "k1234 k3000" };
	static const struct stack *const stacks[] = { &two, NULL };
	static const char side_band[] =
		"mmap -1/0 ffffffff81000000+4000 @ffffffff81000000 [kernel.kallsyms]_text\n"
		"mmap -1/0 ffffffffc0000000+4000 @0 "
		"[kernel 2222222222222222222222222222222222222222]\n"
		"comm 5000000/5000000 prog\n";
	static const char samples[] = "cycles k 5000000/5000000 x1 5 ffffffff81001234: "
				      "KERNEL ffffffff81001234 ffffffff81003001\n"
				      "cycles k 5000000/5000000 x1 5 ffffffffc0001234: "
				      "KERNEL ffffffffc0001234 ffffffffc0003001\n";

	(void)state;
	merge_runs(runs, 2, stacks, &file);
	for (int i = 0; i < 2; i++) {
		struct merge *m = merge__new(&run_opts);

		show_side_band(&file, &text);
		assert_string_equal(text.buf, side_band);
		show_samples(&file, &text);
		assert_string_equal(text.buf, samples);
		show_names(&file, &text);
		assert_string_equal(text.buf,
				    "[kernel.kallsyms] 0: ffffffff81001200+100 k_one\n"
				    "[kernel 2222222222222222222222222222222222222222] 0: 1200+100 k_one\n");
		show_build_ids(&file, &text);
		assert_string_equal(text.buf,
				    "kernel [kernel.kallsyms] 11\n"
				    "kernel [kernel 2222222222222222222222222222222222222222] 22\n");
		assert_int_equal(add_bytes(m, &file), 0);
		finish_merge(m, &file);
	}
	/* the other kernel alone is the kernel */
	merge_runs(runs, 1, stacks, &file);
	show_build_ids(&file, &text);
	assert_string_equal(text.buf, "kernel [kernel.kallsyms] 22\n");
}

/* Threads of one name are one process, with what its samples are in. */
static void processes_are_those_of_a_name(void **state)
{
	static const struct run a = { .slide = 0x1000, .pid = 10, .comm = "b" },
				b = { .slide = 0x2000, .pid = 11, .comm = "a" };
	static const struct stack in_prog = { .nr = 1, .period = 5, .words = "p2010" },
				  in_lib = { .nr = 1, .period = 6, .words = "l1010 j104" };
	static const struct stack *const one[] = { &in_prog, NULL }, *const two[] = { &in_lib, NULL };
	struct merge *m = merge__new(&run_opts);

	(void)state;
	add_run(m, &a, one);
	add_run(m, &b, two);
	finish_merge(m, &file);
	show_side_band(&file, &text);
	assert_string_equal(text.buf, "comm 5000000/5000000 a\n"
				      "mmap2 5000000/5000000 100000000000+1000 @1000 /nowhere/lib.so 6c\n"
				      "mmap2 5000000/5000000 100000004000+1000 @0 //anon\n"
				      "comm 5000001/5000001 b\n"
				      "mmap2 5000001/5000001 100000002000+1000 @2000 /nowhere/prog 70\n");
	show_samples(&file, &text);
	assert_string_equal(text.buf,
			    "cycles u 5000001/5000001 x1 5 100000002010: USER 100000002010\n"
			    "cycles u 5000000/5000000 x1 6 100000000010: USER 100000000010 100000004001\n");
	show_names(&file, &text);
	assert_string_equal(text.buf, "/nowhere/prog 0: 2000+100 leaf\n"
				      "/tmp/perf-5000000.map 5000000: 100000004000+10 beta\n");
}

/* An address in no map stays, unless it would be in one of the merged recording. */
static void addresses_without_a_binary_stay(void **state)
{
	static const struct stack s = {
		.nr = 1,
		.period = 5,
		.words = "p2010 ufffffffffff u1000000000ff u100000000000 u1fffffffffff u200000000000"
	};
	static const struct stack kernel = { .nr = 1, .period = 6, .words = "uffffffffff600000 p2010" };
	static const struct stack *const stacks[] = { &s, &kernel, NULL };
	const struct run *const runs[] = { &first };

	(void)state;
	merge_runs(runs, 1, stacks, &file);
	show_samples(&file, &text);
	assert_string_equal(text.buf, "cycles k 5000000/5000000 x1 6 ffffffffff600000: "
				      "KERNEL ffffffffff600000 USER 100000000010\n"
				      "cycles u 5000000/5000000 x1 5 100000000010: "
				      "USER 100000000010 100000000000 1 1 1 200000000001\n");
}

/* Of a file, 4 GiB from the page of the first sampled address on have a place. */
static void a_binary_takes_a_limited_part(void **state)
{
	static const struct run_binary huge = { 'h', 0x600000000000, 1ull << 40, 0x600000000000,
						"/nowhere/huge" };
	static const struct stack s = { .nr = 1, .period = 5, .words = "h1234 h100000fff h100001000 p2010" };
	static const struct stack *const stacks[] = { &s, NULL };
	const struct run *const runs[] = { &first };

	(void)state;
	run_more = &huge;
	merge_runs(runs, 1, stacks, &file);
	run_more = NULL;
	show_side_band(&file, &text);
	assert_string_equal(text.buf, "comm 5000000/5000000 prog\n"
				      "mmap2 5000000/5000000 100000000000+100000000 @1000 /nowhere/huge 68\n"
				      "mmap2 5000000/5000000 100100001000+1000 @2000 /nowhere/prog 70\n");
	show_samples(&file, &text);
	assert_string_equal(text.buf, "cycles u 5000000/5000000 x1 5 100000000234: "
				      "USER 100000000234 100100000000 1 100100001011\n");
}

/* Modules have 1 GiB below the end of the address space; what is beyond has no address. */
static void modules_take_what_there_is(void **state)
{
	static const struct stack s = { .nr = 1, .period = 5, .words = "m10 n2000 n3ffffff0 o10" };
	static const struct stack *const stacks[] = { &s, NULL };
	const struct run run = { .pid = 100 }, *const runs[] = { &run };
	static const struct run_binary large[] = {
		{ 'n', 0xffffffff00000000, 0x40000000, 0xffffffff00000000, "[n]" },
		{ 'o', 0xfffffffe00000000, 0x1000, 0xfffffffe00000000, "[o]" },
	};

	(void)state;
	run_more = large;
	run_nr_more = 2;
	merge_runs(runs, 1, stacks, &file);
	run_more = NULL;
	run_nr_more = 1;
	show_side_band(&file, &text);
	/* of n, less than it has: from the page of its first address on */
	assert_string_equal(text.buf, "mmap -1/0 ffffffffc0000000+1000 @0 [mod]\n"
				      "mmap -1/0 ffffffffc0002000+3effe000 @0 [n]\n"
				      "mmap -1/0 ffffffffff000000+0 @0 [o]\n"
				      "comm 5000000/5000000 prog\n");
	show_samples(&file, &text);
	assert_string_equal(text.buf, "cycles k 5000000/5000000 x1 5 ffffffffc0000010: "
				      "KERNEL ffffffffc0000010 ffffffffc0002001 1 1\n");
}

/* Readers take a weight for at most 32 bits: larger numbers are several samples, one with the period. */
static void large_numbers_are_several_samples(void **state)
{
	static const struct run merged = { .slide = 0x1000, .pid = 10, .is_merged = true };
	static const struct stack most = { .nr = UINT32_MAX, .period = 50, .words = "p2010" },
				  some = { .nr = 2, .period = 7, .words = "p2010" };
	static const struct stack *const one[] = { &most, NULL }, *const two[] = { &most, &some, NULL };
	const struct run *const runs[] = { &merged };
	struct merge_totals t;

	(void)state;
	t = merge_runs(runs, 1, one, &file);
	assert_int_equal(t.nr_samples, UINT32_MAX);
	show_samples(&file, &text);
	assert_string_equal(text.buf,
			    "cycles u 5000000/5000000 x4294967295 50 100000000010: USER 100000000010\n");
	t = merge_runs(runs, 1, two, &file);
	assert_int_equal(t.nr_samples, UINT32_MAX + 2ull);
	assert_int_equal(t.nr_stacks, 1);
	show_samples(&file, &text);
	assert_string_equal(text.buf,
			    "cycles u 5000000/5000000 x4294967295 0 100000000010: USER 100000000010\n"
			    "cycles u 5000000/5000000 x2 57 100000000010: USER 100000000010\n");
}

/* Each function of JIT code takes 16 bytes, on as many pages as that takes. */
static void jit_code_takes_a_page_for_255_functions(void **state)
{
	const struct run *const runs[] = { &first };

	(void)state;
	for (size_t nr = 255; nr <= 256; nr++) {
		struct strbuf names = STRBUF_INIT, words = STRBUF_INIT;
		struct names_symbol *symbols = xcalloc(nr, sizeof(*symbols));
		struct stack s = { .nr = 1, .period = 5 };
		const struct stack *const stacks[] = { &s, NULL };

		strbuf__grow(&names, 8 * nr);
		for (size_t i = 0; i < nr; i++) {
			symbols[i] = (struct names_symbol){ .start = 16 * i, .size = 16, .hits = 1 };
			symbols[i].name = names.buf + names.len;
			strbuf__addf(&names, "f%03zx", i);
			strbuf__addch(&names, '\0');
			strbuf__addf(&words, "j%zx ", 16 * i);
		}
		s.words = words.buf;
		run_jit = symbols;
		run_nr_jit = nr;
		merge_runs(runs, 1, stacks, &file);
		run_jit = run_jit_usual;
		run_nr_jit = ARRAY_SIZE(run_jit_usual);
		show_side_band(&file, &text);
		assert_string_equal(text.buf,
				    nr == 255 ? "comm 5000000/5000000 prog\n"
						"mmap2 5000000/5000000 100000000000+1000 @0 //anon\n"
					      : "comm 5000000/5000000 prog\n"
						"mmap2 5000000/5000000 100000000000+2000 @0 //anon\n");
		free(symbols);
		strbuf__exit(&names);
		strbuf__exit(&words);
	}
}

/* A part ends with the page of the last sampled address. */
static void parts_end_with_a_page(void **state)
{
	static const struct stack within = { .nr = 1, .period = 5, .words = "p2fff" },
				  beyond = { .nr = 1, .period = 5, .words = "p2000 p3000" };
	static const struct stack *const one[] = { &within, NULL }, *const two[] = { &beyond, NULL };
	const struct run *const runs[] = { &first };

	(void)state;
	merge_runs(runs, 1, one, &file);
	show_side_band(&file, &text);
	assert_string_equal(text.buf, "comm 5000000/5000000 prog\n"
				      "mmap2 5000000/5000000 100000000000+1000 @2000 /nowhere/prog 70\n");
	merge_runs(runs, 1, two, &file);
	show_side_band(&file, &text);
	assert_string_equal(text.buf, "comm 5000000/5000000 prog\n"
				      "mmap2 5000000/5000000 100000000000+2000 @2000 /nowhere/prog 70\n");
}

/* Of two binaries with one name, that with the lesser build-id is first. */
static void equal_names_are_ordered_by_build_id(void **state)
{
	static const struct run_binary same[] = {
		{ 'x', 0x610000000000, 0x10000, 0x610000000000, "/nowhere/same" },
		{ 'y', 0x620000000000, 0x10000, 0x620000000000, "/nowhere/same" },
	};
	static const struct stack s = { .nr = 1, .period = 5, .words = "y3000 x1000" };
	static const struct stack *const stacks[] = { &s, NULL };
	const struct run *const runs[] = { &first };

	(void)state;
	run_more = same;
	run_nr_more = 2;
	merge_runs(runs, 1, stacks, &file);
	run_more = NULL;
	run_nr_more = 1;
	show_side_band(&file, &text);
	assert_string_equal(text.buf, "comm 5000000/5000000 prog\n"
				      "mmap2 5000000/5000000 100000000000+1000 @1000 /nowhere/same 78\n"
				      "mmap2 5000000/5000000 100000002000+1000 @3000 /nowhere/same 79\n");
}

/* Lines and inlined functions of what was sampled go along, at the addresses of the merged recording. */
static void lines_go_along(void **state)
{
	const struct run *const runs[] = { &first, &second };

	(void)state;
	merge_runs(runs, 2, both, &file);
	for (int i = 0; i < 2; i++) {
		struct merge *m = merge__new(&run_opts);

		show_lines(&file, &text);
		assert_string_equal(text.buf, "/nowhere/prog 2010: inlined@prog.h:5 prog.c:10\n"
					      "/nowhere/prog 4020: prog.c:20\n"
					      "[kernel.kallsyms] ffffffff81001234: kernel.c:7\n");
		assert_int_equal(add_bytes(m, &file), 0);
		finish_merge(m, &file);
	}
}

/* Which input comes first does not matter, whatever each of them has. */
static void any_order_gives_the_same_bytes(void **state)
{
	static const struct stack low = { .nr = 1, .period = 5, .words = "p2010 j4" },
				  high = { .nr = 1, .period = 5, .words = "p4020 j104" },
				  deep = { .nr = 1, .period = 5, .words = "p4020 p2010 j104 l5000" };
	static const struct stack *const stacks[][2] = { { &low, NULL }, { &high, NULL }, { &deep, NULL } };
	static const struct run runs[] = {
		{ .slide = 0x1000000, .pid = 100, .kernel_id = 0x11, .comm = "x" },
		{ .slide = 0x7000000, .pid = 200, .kernel_id = 0x11, .comm = "y" },
		{ .slide = 0x5000000, .pid = 300, .kernel_id = 0x22, .comm = "x" },
	};
	static const size_t orders[][3] = { { 0, 1, 2 }, { 1, 0, 2 }, { 2, 1, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		struct merge *m = merge__new(&run_opts);

		for (size_t k = 0; k < 3; k++)
			add_run(m, &runs[orders[i][k]], stacks[orders[i][k]]);
		finish_merge(m, i ? &text : &file);
		assert_true(!i || (text.len == file.len && !memcmp(text.buf, file.buf, file.len)));
	}
}

/* JIT code has its functions in each process that has samples in it. */
static void jit_code_is_of_each_process(void **state)
{
	static const struct run a = { .pid = 10, .comm = "a" }, b = { .pid = 11, .comm = "b" };
	static const struct stack one = { .nr = 1, .period = 5, .words = "j4" },
				  two = { .nr = 1, .period = 6, .words = "j104" };
	static const struct stack *const first_stacks[] = { &one, NULL }, *const second_stacks[] = { &two,
												     NULL };
	struct merge *m = merge__new(&run_opts);

	(void)state;
	add_run(m, &a, first_stacks);
	add_run(m, &b, second_stacks);
	finish_merge(m, &file);
	show_names(&file, &text);
	assert_string_equal(text.buf, "/tmp/perf-5000000.map 5000000: 100000000000+10 alpha\n"
				      "/tmp/perf-5000000.map 5000000: 100000000010+10 beta\n"
				      "/tmp/perf-5000001.map 5000001: 100000000000+10 alpha\n"
				      "/tmp/perf-5000001.map 5000001: 100000000010+10 beta\n");
	show_build_ids(&file, &text);
	assert_string_equal(text.buf, "");
}

/* JIT code without names is one frame, whatever its addresses. Code that has names is in its own process. */
static void jit_code_without_names_is_one_frame(void **state)
{
	static const struct stack one = { .nr = 1, .period = 5, .words = "j904 p2010" },
				  two = { .nr = 1, .period = 6, .words = "ja04 p2010" },
				  known = { .nr = 1, .period = 7, .words = "p2010 j104" };
	static const struct stack *const stacks[] = { &one, &two, &known, NULL };
	const struct run *const runs[] = { &first, &second };

	(void)state;
	merge_runs(runs, 2, stacks, &file);
	show_samples(&file, &text);
	assert_string_equal(text.buf, "cycles u 5000000/5000000 x4 22 0: USER 0 100000000011\n"
				      "cycles u 5000000/5000000 x2 14 100000000010: "
				      "USER 100000000010 100000002001\n");
	show_names(&file, &text);
	assert_string_equal(text.buf, "/nowhere/prog 0: 2000+100 leaf\n"
				      "/tmp/perf-5000000.map 5000000: 100000002000+10 beta\n");
}

/* ---- the header ---- */

static void read_events(struct strbuf *out)
{
	struct reader *r;

	strbuf__reset(out);
	assert_int_equal(image__open(file.buf, file.len, &r, NULL), 0);
	for (size_t i = 0; i < r->evlist.evsels.nr; i++) {
		const struct evsel *e = r->evlist.evsels.v[i];

		assert_int_equal(e->attr.sample_period, 1);
		assert_true(attr__is_merged(&e->attr));
		strbuf__addf(out, "%s id %u config %u%s%s%s\n", e->name, (unsigned)e->ids.v[0],
			     (unsigned)e->attr.config, attr__is_varied(&e->attr) ? " varied" : "",
			     e->attr.enable_on_exec ? " on exec" : "",
			     e->attr.sample_type & PERF_SAMPLE_CALLCHAIN ? " chains" : "");
	}
	reader__close(r);
}

/* Events are in the order of their names; each is as all inputs have it. */
static void events_are_what_inputs_agree_in(void **state)
{
	static const struct run_event one[] = { { "z", 3, true, true, true, false },
						{ "a", 4, false, true, true, false },
						{ 0 } },
				      two[] = { { "a", 4, false, false, true, false },
						{ "z", 3, true, true, false, false },
						{ 0 } },
				      /* the same by number: the shorter name is kept, then the first one */
		three[] = { { "zz", 3, true, true, true, false },
			    { "b", 4, true, true, true, false },
			    { 0 } };
	static const struct run r1 = { .pid = 10, .events = one }, r2 = { .pid = 20, .events = two },
				r3 = { .pid = 30, .events = three };
	static const struct stack s0 = { 1, 5, "p2010 p3000", 0 }, s1 = { 1, 7, "p2010 p3000", 1 };
	static const struct stack *const stacks[] = { &s0, &s1, NULL };
	const struct run *const runs[] = { &r1, &r2, &r3 }, *const back[] = { &r3, &r2, &r1 };

	(void)state;
	merge_runs(runs, 1, stacks, &file);
	read_events(&text);
	assert_string_equal(text.buf,
			    "a id 1 config 4 varied on exec chains\nz id 2 config 3 varied on exec\n");
	for (int i = 0; i < 2; i++) {
		merge_runs(i ? back : runs, 3, stacks, &file);
		read_events(&text);
		assert_string_equal(text.buf, "a id 1 config 4 on exec chains\nz id 2 config 3 varied\n");
		show_samples(&file, &text);
		assert_string_equal(text.buf, "z u 5000000/5000000 x3 17 100000000010:\n"
					      "a u 5000000/5000000 x1 7 100000000010:\n"
					      "a u 5000000/5000000 x2 12 100000000010: "
					      "USER 100000000010 100000001001\n");
	}
}

/* The dummy event of a recorder is none; one event may have several numbers, of which the least is kept. */
static void events_of_hosts_may_differ(void **state)
{
	static const struct run_event with_dummy[] = { { .name = "dummy", .is_dummy = true },
						       { .name = "a", .config = 5 },
						       { 0 } },
				      alone[] = { { .name = "a", .config = 4 }, { 0 } },
				      /* as hardware, this number is no dummy */
		last[] = { { .name = "a", .config = 9 }, { 0 } };
	static const struct stack of_second = { .nr = 1, .period = 5, .words = "p2010", .event = 1 },
				  of_first = { .nr = 1, .period = 6, .words = "p2010" };
	static const struct stack *const stacks[][2] = { { &of_second, NULL },
							 { &of_first, NULL },
							 { &of_first, NULL } };
	static const struct run runs[] = { { .pid = 10, .events = with_dummy },
					   { .pid = 20, .events = alone },
					   { .pid = 30, .events = last } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct merge *m = merge__new(&run_opts);

		for (size_t k = 0; k < 3; k++)
			add_run(m, &runs[(i + k) % 3], stacks[(i + k) % 3]);
		finish_merge(m, &file);
		read_events(&text);
		assert_string_equal(text.buf, "a id 1 config 4 chains\n");
		show_samples(&file, &text);
		assert_string_equal(text.buf, "a u 5000000/5000000 x3 17 100000000010: USER 100000000010\n");
	}
}

/* Samples of the dummy event, which no kernel writes, are of no event that is kept. */
static void samples_of_the_dummy_event_are_left_out(void **state)
{
	static const struct run_event dummy_first[] = { { .name = "dummy", .is_dummy = true },
							{ .name = "a", .config = 5 },
							{ 0 } },
				      dummy_last[] = { { .name = "a", .config = 5 },
						       { .name = "dummy", .is_dummy = true },
						       { 0 } };
	static const struct run_event dummy_alone[] = { { .name = "dummy", .is_dummy = true }, { 0 } };
	static const struct stack s0 = { .nr = 1, .period = 5, .words = "p2010" },
				  s1 = { .nr = 1, .period = 6, .words = "p2010", .event = 1 };
	static const struct stack *const stacks[] = { &s0, &s1, NULL };
	static const struct stack *const first_alone[] = { &s0, NULL };
	static const struct run alone = { .pid = 10, .events = dummy_alone };
	static const struct run runs[] = { { .pid = 10, .events = dummy_first },
					   { .pid = 10, .events = dummy_last } };
	static const char *const samples[] = {
		"a u 5000000/5000000 x1 6 100000000010: USER 100000000010\n",
		"a u 5000000/5000000 x1 5 100000000010: USER 100000000010\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		struct merge *m = merge__new(&run_opts);

		assert_int_equal(try_run(m, &alone, first_alone), -ENODATA);
		add_run(m, &runs[i], stacks);
		assert_int_equal(finish_merge(m, &file).nr_samples, 1);
		show_samples(&file, &text);
		assert_string_equal(text.buf, samples[i]);
	}
}

/* A merged recording whose notes are cut has events, too, which the next one must have. */
static void events_are_checked_without_notes(void **state)
{
	static const struct run_event a[] = { { .name = "a", .config = 5 }, { 0 } },
				      b[] = { { .name = "b", .config = 6 }, { 0 } };
	static const struct run of_a = { .pid = 10, .events = a }, of_b = { .pid = 10, .events = b };
	static const struct stack s = { .nr = 1, .period = 5, .words = "p2010" };
	static const struct stack *const stacks[] = { &s, NULL };
	const struct run *const runs[] = { &of_a };
	struct merge *m = merge__new(&run_opts);
	char *note;

	(void)state;
	merge_runs(runs, 1, stacks, &file);
	note = memmem(file.buf, file.len, "1 samples of host\n", 18);
	assert_non_null(note);
	note[17] = ' ';
	assert_int_equal(add_bytes(m, &file), 0);
	assert_int_equal(try_run(m, &of_b, stacks), -EINVAL);
	assert_int_equal(try_run(m, &of_a, stacks), 0);
	finish_merge(m, &file);
	show_samples(&file, &text);
	assert_string_equal(text.buf, "a u 5000000/5000000 x2 10 100000000010: USER 100000000010\n");
}

/* Threads without a name are processes of their numbers. */
static void nameless_threads_have_numbers(void **state)
{
	static const struct run runs[] = { { .pid = 10, .comm = "" }, { .pid = 4194304, .comm = "" } };
	static const struct stack s = { .nr = 1, .period = 5, .words = "p2010" };
	static const struct stack *const stacks[] = { &s, NULL };
	const struct run *const all[] = { &runs[0], &runs[1] };

	(void)state;
	merge_runs(all, 2, stacks, &file);
	show_side_band(&file, &text);
	assert_string_equal(text.buf, "comm 5000000/5000000 :10\n"
				      "mmap2 5000000/5000000 100000000000+1000 @2000 /nowhere/prog 70\n"
				      "comm 5000001/5000001 :4194304\n"
				      "mmap2 5000001/5000001 100000000000+1000 @2000 /nowhere/prog 70\n");
}

static const char *feature(enum feature f)
{
	static char content[100];
	struct reader *r;
	char *s;

	assert_int_equal(image__open(file.buf, file.len, &r, NULL), 0);
	if (features__string(r, f, &s)) {
		strcpy(content, "absent");
	} else {
		snprintf(content, sizeof(content), "%s", s);
		free(s);
	}
	reader__close(r);
	return content;
}

static u32 nr_cpus(void)
{
	struct reader *r;
	u32 nr;

	assert_int_equal(image__open(file.buf, file.len, &r, NULL), 0);
	nr = features__nr_cpus(r);
	reader__close(r);
	return nr;
}

/* Texts in which inputs differ are "several", since stock perf needs them; numbers are left out. */
static void header_keeps_what_is_the_same(void **state)
{
	static const struct run x = { .pid = 10, .cpuid = "x", .nr_cpus = 4 },
				y = { .pid = 10, .cpuid = "y", .nr_cpus = 8, .host = "other" },
				none = { .pid = 10 };
	static const struct stack s = { .nr = 1, .period = 5, .words = "p2010" };
	static const struct stack *const stacks[] = { &s, NULL };
	static const enum feature texts[] = { FEATURE_OSRELEASE, FEATURE_VERSION, FEATURE_CPUDESC,
					      FEATURE_CPUID };
	const struct {
		const struct run *other;
		const char *host, *text;
		u32 nr_cpus;
	} cases[] = { { &x, "host", "x", 4 },
		      { &y, "several", "several", 0 },
		      { &none, "host", "several", 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct run *const runs[] = { &x, cases[i].other };

		merge_runs(runs, 2, stacks, &file);
		assert_string_equal(feature(FEATURE_HOSTNAME), cases[i].host);
		for (size_t k = 0; k < ARRAY_SIZE(texts); k++)
			assert_string_equal(feature(texts[k]), cases[i].text);
		assert_int_equal(nr_cpus(), cases[i].nr_cpus);
	}
}

/* What cannot be written is an error, and the file that is there stays. */
static void failures_to_write_are_told(void **state)
{
	struct merge *m = merge__new(&run_opts);
	struct merge_totals totals;
	struct err err = ERR_INIT;

	(void)state;
	add_run(m, &first, both);
	assert_int_equal(merge__write(m, "/nonexistent/file", &totals, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "/nonexistent/file"));
	err__exit(&err);
	merge__delete(m);
}

/* Deep stacks are cut at 8,000 words with the marks. */
static void deep_stacks_are_cut(void **state)
{
	struct strbuf words = STRBUF_INIT, cut = STRBUF_INIT;
	struct stack s = { .nr = 1, .period = 5 };
	const struct stack *const stacks[] = { &s, NULL };
	const struct run *const runs[] = { &first };

	(void)state;
	strbuf__addstr(&words, "p2000");
	strbuf__addstr(&cut, "cycles u 5000000/5000000 x1 5 100000000000: USER 100000000000");
	for (int i = 1; i < 8100; i++) {
		strbuf__addf(&words, " p%x", 0x2000 + i);
		if (i < 7999)
			strbuf__addf(&cut, " %llx", 0x100000000001 + (unsigned long long)i);
	}
	strbuf__addch(&cut, '\n');
	s.words = words.buf;
	merge_runs(runs, 1, stacks, &file);
	show_samples(&file, &text);
	assert_string_equal(text.buf, cut.buf);
	strbuf__exit(&words);
	strbuf__exit(&cut);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(binaries_have_one_place),
		test(functions_keep_their_names),
		test(one_of_several_kernels_is_the_kernel),
		test(processes_are_those_of_a_name),
		test(addresses_without_a_binary_stay),
		test(a_binary_takes_a_limited_part),
		test(modules_take_what_there_is),
		test(large_numbers_are_several_samples),
		test(deep_stacks_are_cut),
		test(jit_code_takes_a_page_for_255_functions),
		test(parts_end_with_a_page),
		test(lines_go_along),
		test(any_order_gives_the_same_bytes),
		test(jit_code_is_of_each_process),
		test(jit_code_without_names_is_one_frame),
		test(equal_names_are_ordered_by_build_id),
		test(events_are_what_inputs_agree_in),
		test(events_of_hosts_may_differ),
		test(samples_of_the_dummy_event_are_left_out),
		test(events_are_checked_without_notes),
		test(nameless_threads_have_numbers),
		test(header_keeps_what_is_the_same),
		test(failures_to_write_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
