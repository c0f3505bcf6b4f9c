/* Where a Python takes a script to run: from memory made by hand, right and wrong. */
#include "unit.h"

#include "record/target/python_thread.h"

#include <string.h>

/* Words of the table of Python 3.14 (Include/internal/pycore_debug_offsets.h). */
enum {
	AT_VERSION = 1,
	AT_FREE_THREADED,
	AT_RUNTIME_SIZE,
	AT_FINALIZING,
	AT_INTERPRETERS,
	AT_INTERPRETER_SIZE,
	AT_ID,
	AT_NEXT,
	AT_THREADS_MAIN = 10,
	AT_THREAD_SIZE = 22,
	AT_BACK = 25,
	AT_BREAKER = 89,
	AT_SUPPORT,
	AT_ENABLED,
	AT_PENDING,
	AT_PATH,
	AT_PATH_SIZE,
	NR_WORDS,
};

enum {
	BASE = 0x10000000,
	RUNTIME_SIZE = 4096,
	FIRST = BASE + 0x2000, /* interpreters: the newest is first */
	SECOND = BASE + 0x3000,
	THREAD = BASE + 0x4000,
	SIZE = 0x6000,
};

static u64 words[SIZE / 8];
static u64 nr_reads;

static bool read_image(void *ctx, u64 addr, void *data, size_t size)
{
	(void)ctx;
	nr_reads++;
	if (addr < BASE || addr - BASE > SIZE || size > SIZE - (addr - BASE))
		return false;
	memcpy(data, (u8 *)words + (addr - BASE), size);
	return true;
}

static const struct vm_memory memory = { .read = read_image };

static void set(u64 addr, u64 value)
{
	words[(addr - BASE) / 8] = value;
}

/* As in Debian's python3.14, but for the sizes. */
static void make(void)
{
	memset(words, 0, sizeof(words));
	memcpy(words, "xdebugpy", 8);
	words[AT_VERSION] = 0x030e0af0;
	words[AT_RUNTIME_SIZE] = RUNTIME_SIZE;
	words[AT_FINALIZING] = 0x310;
	words[AT_INTERPRETERS] = 0x328;
	words[AT_INTERPRETER_SIZE] = 0x1000;
	words[AT_ID] = 0x470;
	words[AT_NEXT] = 0x468;
	words[AT_THREADS_MAIN] = 0x4c0;
	words[AT_THREAD_SIZE] = 832;
	words[AT_BACK] = 16;
	words[AT_BREAKER] = 24;
	words[AT_SUPPORT] = 304;
	words[AT_ENABLED] = 0x800;
	words[AT_PENDING] = 0;
	words[AT_PATH] = 4;
	words[AT_PATH_SIZE] = 512;
	set(BASE + 0x328, FIRST);
	set(FIRST + 0x470, 1);
	set(FIRST + 0x468, SECOND);
	set(SECOND + 0x800, 1);
	set(SECOND + 0x4c0, THREAD);
	set(THREAD + 16, SECOND);
	nr_reads = 0;
}

static void expect(const char *why)
{
	struct python_thread t = { 0 };
	const char *got = python_thread__find(&t, &memory, BASE, RUNTIME_SIZE);

	assert_true(nr_reads < 200);
	if (!why) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	if (!strstr(got, why))
		fail_msg("'%s' is not in '%s'", why, got);
	assert_int_equal(t.path | t.pending | t.breaker, 0);
}

static void finds_the_main_thread(void **state)
{
	struct python_thread t;

	(void)state;
	make();
	assert_null(python_thread__find(&t, &memory, BASE, RUNTIME_SIZE));
	assert_int_equal(t.path, THREAD + 304 + 4);
	assert_int_equal(t.pending, THREAD + 304);
	assert_int_equal(t.breaker, THREAD + 24);
}

static void refuses_other_versions(void **state)
{
	static const struct {
		u64 version;
		const char *why;
	} cases[] = {
		{ 0x030d05f0, "Python 3.13" }, { 0x030f00f0, "not known" },  { 0x030e0ac1, "not known" },
		{ 0x030e04f0, "older than" },  { 0x020e0af0, "not known" },  { 0, "not known" },
		{ ~0ull, "not known" },        { 0x1030e0af0, "not known" }, { 0x030e05f0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		make();
		words[AT_VERSION] = cases[i].version;
		expect(cases[i].why);
	}
	make();
	words[AT_FREE_THREADED] = 1;
	expect("free-threaded");
	make();
	words[0]++;
	expect("older");
}

static void refuses_what_is_not_ready(void **state)
{
	(void)state;
	make();
	set(BASE + 0x310, THREAD);
	expect("starting or ending");
	make();
	set(BASE + 0x328, 0);
	expect("starting or ending");
	make();
	set(SECOND + 0x4c0, 0);
	expect("starting or ending");
	make();
	set(SECOND + 0x800, 0);
	expect("PYTHON_DISABLE_REMOTE_DEBUG");
}

static void refuses_lies(void **state)
{
	static const int offsets[] = { AT_FINALIZING,   AT_INTERPRETERS, AT_ID,      AT_NEXT,
				       AT_THREADS_MAIN, AT_BACK,         AT_BREAKER, AT_SUPPORT,
				       AT_ENABLED,      AT_PENDING,      AT_PATH,    AT_PATH_SIZE };
	static const u64 values[] = { ~0ull, ~0ull - 7, 1ull << 63, 1ull << 24, 0x1000 - 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		for (size_t k = 0; k < ARRAY_SIZE(values); k++) {
			if (offsets[i] == AT_PATH_SIZE && k == 4)
				continue;
			make();
			words[offsets[i]] = values[k];
			expect("unknown form");
		}
	for (int at = AT_RUNTIME_SIZE; at <= AT_THREAD_SIZE; at += AT_THREAD_SIZE - AT_RUNTIME_SIZE) {
		make();
		words[at] = ~0ull;
		expect("unknown form");
	}
	make(); /* too little room for a path, or all of the thread */
	words[AT_PATH_SIZE] = 63;
	expect("unknown form");
	words[AT_PATH_SIZE] = 832 - 304 - 3;
	expect("unknown form");
	make(); /* another interpreter's thread */
	set(THREAD + 16, FIRST);
	expect("unknown form");
}

static void ends_where_lists_do_not(void **state)
{
	(void)state;
	make();
	set(FIRST + 0x468, FIRST);
	expect("unknown form");
	make();
	set(FIRST + 0x468, ~0ull - 0x400);
	expect("cannot be read");
	make();
	set(SECOND + 0x4c0, ~0ull - 8);
	expect("cannot be read");
	make();
	set(SECOND + 0x4c0, 8);
	expect("cannot be read");
}

static void needs_a_runtime_of_that_size(void **state)
{
	struct python_thread t;

	(void)state;
	make();
	assert_non_null(python_thread__find(&t, &memory, BASE, NR_WORDS * 8 - 1));
	assert_int_equal(nr_reads, 0);
	assert_non_null(python_thread__find(&t, &memory, BASE, ~0ull));
	assert_int_equal(nr_reads, 0);
	assert_non_null(python_thread__find(&t, &memory, BASE, RUNTIME_SIZE + 8));
	assert_non_null(python_thread__find(&t, &memory, BASE + SIZE - 64, RUNTIME_SIZE));
}

/* Any word may have any value: reads are few, and addresses lie within the thread that the memory names. */
static void any_values_are_safe(void **state)
{
	u64 random = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		struct python_thread t;

		make();
		for (int k = 0; k < 3; k++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			words[(random >> 40) % (i % 2 ? NR_WORDS : ARRAY_SIZE(words))] =
				random >> (random >> 33 & 63);
		}
		if (python_thread__find(&t, &memory, BASE, RUNTIME_SIZE))
			continue;
		assert_true(nr_reads < 200);
		assert_true(t.path + PYTHON_PATH_MAX > t.path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_main_thread),     cmocka_unit_test(refuses_other_versions),
		cmocka_unit_test(refuses_what_is_not_ready), cmocka_unit_test(refuses_lies),
		cmocka_unit_test(ends_where_lists_do_not),   cmocka_unit_test(needs_a_runtime_of_that_size),
		cmocka_unit_test(any_values_are_safe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
