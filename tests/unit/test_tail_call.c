/*
 * Functions that jumped to another one instead of calling it, and whose function a place is: of code of this
 * very program.
 */
#include "embed_recording.h"

#include "model/session.h"
#include "profile/causes/causes.h"
#include "profile/causes/tail_call.h"
#include "profile/gather/profile.h"

static __attribute__((noinline)) void hot_function(void **state)
{
	*state = NULL;
}

static __attribute__((noinline)) void seldom_function(void **state)
{
	*state = &records;
}

#ifdef __x86_64__

#define FUNCTION(name, code) ".type " name ",@function\n" name ":\n" code ".size " name ",.-" name "\n"

/* Nothing runs this. */
__asm__(".text\n" FUNCTION("tc_leaf", "nop\nnop\nret\n") FUNCTION("tc_jumps", "jmp tc_leaf\n")
		FUNCTION("tc_ends", "call tc_leaf\n") FUNCTION("tc_next", "nop\nret\n")
			FUNCTION("tc_caller", "call tc_jumps\n"
					      "tc_after_jumps: nop\n"
					      "call tc_leaf\n"
					      "tc_after_leaf: nop\n"
					      "call *%rax\n"
					      "tc_after_indirect: nop\n"
					      "call tc_ends\n"
					      "tc_after_ends: nop\n"
					      "call tc_next\n"
					      "tc_after_next: nop\n"
					      "call strlen@PLT\n"
					      "tc_after_plt: nop\n"
					      "jmp tc_leaf\n"
					      "tc_after_jump: nop\n"
					      "ret\n")
	/* names of functions that wrap locks, and others */
	FUNCTION("_ZNSt5mutex4moreEv", "nop\n") FUNCTION("my_UnLock", "nop\n")
		FUNCTION("my_unlocker", "nop\n") FUNCTION("unlock", "nop\n") FUNCTION("nlock", "nop\n")
			FUNCTION("_ZN3foo6unlockEi", "nop\n") FUNCTION("_ZN3foo3getEi", "nop\n")
				FUNCTION("__lll_mine", "nop\n") FUNCTION("pthread_mine", "nop\n")
					FUNCTION("not_pthread_mine", "nop\n")
						FUNCTION("__x64_sys_mine", "nop\n")
							FUNCTION("__arm64_sys_mine", "nop\n"));

#define CODE(name)                        \
	({                                \
		extern const char name[]; \
		(u64)(uintptr_t) name;    \
	})

static struct session *session;
static struct profile profile;
static struct causes c;

/* A row with a chain of these addresses, the leaf first. */
static bool has_map = true;

static void read_chain(const u64 *ips, u64 nr)
{
	const u64 head[] = { ips[0], (u64)PID << 32 | PID, 100, nr + 1, PERF_CONTEXT_USER };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .misc = PERF_RECORD_MISC_USER,
				       .size = (u16)(sizeof(h) + sizeof(head) + nr * sizeof(*ips)) };

	if (has_map)
		add_own_map(PID, 50);
	strbuf__add(&records, &h, sizeof(h));
	strbuf__add(&records, head, sizeof(head));
	strbuf__add(&records, ips, nr * sizeof(*ips));
	write_recording(path);
	strbuf__reset(&records);
	assert_int_equal(session__open(&session, path, &(struct session_opts){ 0 }, NULL), 0);
	assert_int_equal(profile__collect(&profile, session, &(struct profile_opts){ 0 }, NULL), 0);
	c = (struct causes){ .session = session };
	places__init(&c.places, session, &(struct places_opts){ .inlines = true });
}

static void end_chain(void)
{
	places__exit(&c.places);
	profile__exit(&profile);
	session__delete(session);
}

/* name: of the function that is missing between the last two; NULL: none is */
static void expect_missing(const u64 *ips, u64 nr, const char *name)
{
	const struct row *row;
	u32 place;

	read_chain(ips, nr);
	row = row_table__get(&profile.rows, 0);
	place = tail_call__find(&c.places, row, (u32)nr);
	if (name && place == PLACE_NONE)
		fail_msg("%s is missing", name);
	else if (name)
		assert_string_equal(places__name(&c.places, place), name);
	else if (place != PLACE_NONE)
		fail_msg("%s is not missing", places__name(&c.places, place));
	/* the first words are no calls */
	assert_int_equal(tail_call__find(&c.places, row, 0), PLACE_NONE);
	assert_int_equal(tail_call__find(&c.places, row, 1), PLACE_NONE);
	end_chain();
}

#define EXPECT(name, ...) \
	expect_missing((const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64), name)

static void jumps_are_found(void **state)
{
	const u64 leaf = CODE(tc_leaf) + 1;

	(void)state;
	EXPECT("tc_jumps", leaf, CODE(tc_after_jumps));
	EXPECT("tc_jumps", leaf, CODE(tc_after_jumps) - 1); /* the last byte of the call */
	EXPECT("tc_ends", leaf, CODE(tc_after_ends));
	EXPECT(NULL, leaf, CODE(tc_after_leaf)); /* nothing is missing */
	EXPECT(NULL, CODE(tc_leaf), CODE(tc_after_leaf));
	EXPECT(NULL, leaf, CODE(tc_after_indirect));
	EXPECT(NULL, leaf, CODE(tc_after_jump)); /* no call */
	EXPECT(NULL, leaf, CODE(tc_after_plt));  /* the linker's code for functions of libraries */
	EXPECT(NULL, leaf, 0x10);
	EXPECT(NULL, leaf, CODE(tc_leaf) + 2);
}

/* Of a process whose maps are not known, nothing is. */
static void processes_without_maps(void **state)
{
	(void)state;
	has_map = false;
	EXPECT(NULL, CODE(tc_leaf) + 1, CODE(tc_after_jumps));
	has_map = true;
}

/* The call at the end of a function returns to the next one, whose name the chain has then. */
static void addresses_between_functions(void **state)
{
	(void)state;
	EXPECT("tc_ends", CODE(tc_leaf), CODE(tc_next), CODE(tc_after_ends));
	EXPECT(NULL, CODE(tc_leaf), CODE(tc_next), CODE(tc_after_next));
	EXPECT(NULL, CODE(tc_next), CODE(tc_after_next));
	EXPECT("tc_ends", CODE(tc_next), CODE(tc_after_ends));
}

static u32 place_at(u64 ip, u8 cpumode)
{
	struct row_space space = places__space(&c.places, row_table__get(&profile.rows, 0), cpumode);

	return places__leaf(&c.places, &space, ip);
}

static void owners(void **state)
{
	const u64 of_user[] = { CODE(tc_leaf), CODE(my_unlocker), CODE(nlock), CODE(_ZN3foo3getEi),
				CODE(not_pthread_mine) };
	const u64 of_system[] = {
		CODE(_ZNSt5mutex4moreEv), CODE(my_UnLock),    CODE(unlock), CODE(_ZN3foo6unlockEi),
		CODE(__lll_mine),         CODE(pthread_mine), 0x10
	};
	const u64 ip = CODE(tc_leaf);

	(void)state;
	read_chain(&ip, 1);
	for (size_t i = 0; i < ARRAY_SIZE(of_user); i++)
		assert_int_equal(causes__owner(&c, place_at(of_user[i], PERF_RECORD_MISC_USER)), OWNER_USER);
	for (size_t i = 0; i < ARRAY_SIZE(of_system); i++)
		assert_int_equal(causes__owner(&c, place_at(of_system[i], PERF_RECORD_MISC_USER)),
				 OWNER_SYSTEM);
	assert_int_equal(causes__owner(&c, place_at(0xffffffff81000000, PERF_RECORD_MISC_KERNEL)),
			 OWNER_KERNEL);
	end_chain();
}

static void system_calls(void **state)
{
	const u64 ip = CODE(tc_leaf);

	(void)state;
	read_chain(&ip, 1);
	assert_string_equal(causes__system_call(&c, place_at(CODE(__x64_sys_mine), PERF_RECORD_MISC_USER)),
			    "mine");
	assert_string_equal(causes__system_call(&c, place_at(CODE(__arm64_sys_mine), PERF_RECORD_MISC_USER)),
			    "mine");
	assert_null(causes__system_call(&c, place_at(CODE(tc_leaf), PERF_RECORD_MISC_USER)));
	end_chain();
}

#else

static void jumps_are_found(void **state)
{
	(void)state;
	(void)hot_function;
	(void)seldom_function;
	skip();
}

#define addresses_between_functions jumps_are_found
#define processes_without_maps jumps_are_found
#define owners jumps_are_found
#define system_calls jumps_are_found

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(jumps_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(addresses_between_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_without_maps, setup, teardown),
		cmocka_unit_test_setup_teardown(owners, setup, teardown),
		cmocka_unit_test_setup_teardown(system_calls, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
