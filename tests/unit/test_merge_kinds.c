/*
 * merge: where each kind of binary is in the merged recording, which its content decides: files, the vdso, JIT
 * code, kernels, modules, BPF programs. The expected addresses follow from merge/merged.h.
 */
#include "unit.h"

#include "merge_runs.h"

#include "format/read/merged_inputs.h"
#include "model/session.h"

/* The code of several boots and processes, at other addresses each. */
static const struct run first = { .slide = 0x1000000, .pid = 100, .kernel_id = 0x11 },
			second = { .slide = 0x7000000, .pid = 200, .kernel_id = 0x11 },
			other_kernel = { .slide = 0x5000000, .pid = 300, .kernel_id = 0x22 };

static const struct stack in_kernel = { 1, 100, "k1234 k200 m1040 b18 p2010 p4020 l5000 v520" },
			  in_jit = { 1, 7, "j4 j104 p2345" };
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

	(void)state;
	merge_runs(runs, 2, both, &file);
	show_names(&file, &text);
	assert_string_equal(text.buf, "/nowhere/prog 0: 2000+100 leaf\n"
				      "/nowhere/prog 0: 4000+100 main\n"
				      "/tmp/perf-5000000.map 5000000: 100000008000+10 alpha\n"
				      "/tmp/perf-5000000.map 5000000: 100000008010+10 beta\n"
				      "[kernel.kallsyms] 0: ffffffff81001200+100 k_one\n");
	show_build_ids(&file, &text);
	assert_string_equal(text.buf, "user /nowhere/lib.so 6c\n"
				      "user /nowhere/prog 70\n"
				      "user [vdso] 76\n"
				      "kernel [kernel.kallsyms] 11\n");
}

/* The kernel with the least build-id is the kernel; another one is among the modules, until it is merged again. */
static void one_of_several_kernels_is_the_kernel(void **state)
{
	const struct run *const runs[] = { &other_kernel, &first };
	static const struct stack two = { 1, 5, "k1234 k3000" };
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
	static const struct stack in_prog = { 1, 5, "p2010" }, in_lib = { 1, 6, "l1010 j104" };
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
		1, 5, "p2010 ufffffffffff u1000000000ff u100000000000 u1fffffffffff u200000000000"
	};
	static const struct stack kernel = { 1, 6, "uffffffffff600000 p2010" };
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
	static const struct stack s = { 1, 5, "h1234 h100000fff h100001000 p2010" };
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
	static const struct stack s = { 1, 5, "m10 n2000 n3ffffff0 o10" };
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
	static const struct stack most = { UINT32_MAX, 50, "p2010" }, some = { 2, 7, "p2010" };
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

/* Deep stacks are cut at 8,000 words with the marks. */
static void deep_stacks_are_cut(void **state)
{
	struct strbuf words = STRBUF_INIT, cut = STRBUF_INIT;
	struct stack s = { 1, 5, NULL };
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
