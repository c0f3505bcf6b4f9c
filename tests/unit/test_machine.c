/* Threads, names and address spaces over time, from records built here byte by byte. */
#include "model/machine.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <malloc.h>
#include <cmocka.h>

static struct machine m;
static struct machine_cursor cursor;

static int setup(void **state)
{
	(void)state;
	machine__init(&m);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	machine__exit(&m);
	return 0;
}

static void finish(void)
{
	machine__finish(&m);
	machine_cursor__init(&cursor, &m);
}

static void replay(void *record, u32 type, u16 misc, size_t size, u64 time)
{
	struct perf_event_header *h = record;
	struct record r = { .header = h };

	*h = (struct perf_event_header){ .type = type, .misc = misc, .size = (u16)size };
	machine__replay(&m, &r, time);
}

static u32 mmap_tid; /* 0: the process's first thread */

static void mmap2(u64 time, u16 misc, u32 pid, u64 start, u64 len, u64 pgoff, const char *name)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		u64 start, len, pgoff;
		u32 maj, min;
		u64 ino, gen;
		u32 prot, flags;
		char name[64];
	} r = { .pid = pid,
		.tid = mmap_tid ?: pid,
		.start = start,
		.len = len,
		.pgoff = pgoff,
		.prot = PROT_EXEC };

	strncpy(r.name, name, sizeof(r.name) - 1);
	replay(&r, PERF_RECORD_MMAP2, misc, sizeof(r), time);
}

static void comm(u64 time, u32 pid, u32 tid, const char *name, bool exec)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		char name[16];
	} r = { .pid = pid, .tid = tid };

	strncpy(r.name, name, sizeof(r.name) - 1);
	replay(&r, PERF_RECORD_COMM, exec ? MISC_COMM_EXEC : 0, sizeof(r), time);
}

static void fork_record(u64 time, u32 pid, u32 tid, u32 ppid, u32 ptid, bool synthesized)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
	} r = { .pid = pid, .ppid = ppid, .tid = tid, .ptid = ptid, .time = time };

	replay(&r, PERF_RECORD_FORK, synthesized ? MISC_FORK_EXEC : 0, sizeof(r), time);
}

/* "comm dso+addr" of a user address of a thread at a time. */
static const char *look(u64 time, u32 pid, u32 tid, u64 ip)
{
	static char text[128];
	const struct thread_state *t;
	struct dso_addr at;

	machine_cursor__seek(&cursor, time);
	t = machine_cursor__thread(&cursor, pid, tid);
	machine__resolve(&m, t->maps, cursor.rank, PERF_RECORD_MISC_USER, ip, &at);
	snprintf(text, sizeof(text), "%s %s+%#lx", t->comm == COMM_UNKNOWN ? "?" : machine__str(&m, t->comm),
		 dso__short_name(&m.dsos, m.dsos.v.v[at.dso]), (unsigned long)at.addr);
	return text;
}

static void test_maps_and_names_change_with_time(void **state)
{
	(void)state;
	comm(10, 7, 7, "one", false);
	mmap2(20, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0x3000, "/bin/a");
	mmap2(30, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/lib/b");
	comm(40, 7, 7, "two", false);
	finish();
	assert_string_equal(look(5, 7, 7, 0x1010), "one [unknown]+0x1010");
	assert_string_equal(look(20, 7, 7, 0x1010), "one a+0x3010");
	assert_string_equal(look(29, 7, 7, 0x1010), "one a+0x3010");
	assert_string_equal(look(30, 7, 7, 0x1010), "one b+0x10");
	assert_string_equal(look(41, 7, 7, 0x1010), "two b+0x10");
	assert_string_equal(look(21, 7, 7, 0x1010), "one a+0x3010"); /* and back */
}

static void test_fork_inherits_and_goes_its_own_way(void **state)
{
	(void)state;
	comm(1, 7, 7, "parent", false);
	mmap2(2, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	fork_record(10, 8, 8, 7, 7, false);
	mmap2(20, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/parents");
	mmap2(30, PERF_RECORD_MISC_USER, 8, 0x1800, 0x100, 0, "/bin/childs");
	finish();
	assert_string_equal(look(40, 8, 8, 0x1010), "parent a+0x10");
	assert_string_equal(look(40, 8, 8, 0x1810), "parent childs+0x10");
	assert_string_equal(look(29, 8, 8, 0x1810), "parent a+0x810");
	assert_string_equal(look(40, 7, 7, 0x1810), "parent parents+0x810");
}

static void test_exec_clears(void **state)
{
	(void)state;
	comm(1, 7, 7, "sh", false);
	mmap2(2, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/sh");
	comm(10, 7, 7, "ls", true);
	mmap2(11, PERF_RECORD_MISC_USER, 7, 0x9000, 0x1000, 0, "/bin/ls");
	mmap2(13, PERF_RECORD_MISC_USER, 7, 0xa000, 0x1000, 0, "[vdso]");
	mmap2(14, PERF_RECORD_MISC_USER, 7, 0xb000, 0x1000, 0, "/lib/first.so");
	finish();
	assert_string_equal(look(9, 7, 7, 0x1010), "sh sh+0x10");
	assert_string_equal(look(10, 7, 7, 0x1010), "ls sh+0x10"); /* in execve, called from sh */
	assert_string_equal(look(12, 7, 7, 0x1010), "ls sh+0x10"); /* and not yet back */
	assert_string_equal(look(13, 7, 7, 0x1010), "ls sh+0x10");
	assert_string_equal(look(14, 7, 7, 0x1010), "ls [unknown]+0x1010");
	assert_string_equal(look(12, 7, 7, 0x9010), "ls ls+0x10");
}

static const char *program(u64 time, u32 pid)
{
	machine_cursor__seek(&cursor, time);
	return dso__short_name(
		&m.dsos, m.dsos.v.v[machine__program(&m, machine_cursor__thread(&cursor, pid, pid)->maps)]);
}

static void test_program_is_what_was_executed(void **state)
{
	(void)state;
	comm(1, 7, 7, "shell", false);
	mmap2(2, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/sh");
	mmap2(3, PERF_RECORD_MISC_USER, 7, 0x9000, 0x1000, 0, "/lib/c");
	fork_record(10, 8, 8, 7, 7, false);
	mmap2(20, PERF_RECORD_MISC_USER, 8, 0x5000, 0x1000, 0, "/lib/opened");
	comm(30, 8, 8, "server", true);
	mmap2(31, PERF_RECORD_MISC_USER, 8, 0x100, 0x100, 0, "[heap]");
	mmap2(31, PERF_RECORD_MISC_USER, 8, 0x3000, 0x1000, 0, "/bin/server");
	mmap2(32, PERF_RECORD_MISC_USER, 8, 0x2000, 0x1000, 0, "/lib/ld");
	fork_record(40, 9, 9, 8, 8, false);
	mmap2(50, PERF_RECORD_MISC_USER, 9, 0x6000, 0x1000, 0, "/lib/opened");
	comm(60, 2, 2, "kthreadd", false);
	comm(61, 3, 3, "empty", false);
	finish();
	assert_string_equal(program(25, 7), "sh");
	assert_string_equal(program(25, 8), "sh");
	assert_string_equal(program(35, 8), "server");
	assert_string_equal(program(55, 9), "server");
	assert_string_equal(program(65, 3), "[unknown]");
}

static void test_threads_share_reused_tids_do_not(void **state)
{
	const struct thread_state *t;
	u32 first;

	(void)state;
	comm(1, 7, 7, "main", false);
	fork_record(2, 7, 9, 7, 7, false);
	mmap2(3, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	comm(4, 7, 9, "worker", false);
	fork_record(50, 9, 9, 3, 3, false); /* tid 9 again, another process */
	finish();
	assert_string_equal(look(5, 7, 9, 0x1010), "worker a+0x10");
	t = machine_cursor__thread(&cursor, 7, 9);
	first = t->thread;
	assert_string_equal(look(60, 9, 9, 0x1010), "? [unknown]+0x1010");
	t = machine_cursor__thread(&cursor, 9, 9);
	assert_int_not_equal(t->thread, first);
}

static void test_unannounced_threads(void **state)
{
	(void)state;
	comm(0, 7, 7, "known", false);
	mmap2(0, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	finish();
	assert_string_equal(look(5, 7, 99, 0x1010), "? a+0x10");
	assert_string_equal(look(5, 88, 88, 0x1010), "? [unknown]+0x1010");
	assert_string_equal(look(5, 0, 0, 0), "swapper [unknown]+0");
}

/* The maps of a thread that no record announced are those of its process. */
static void test_unannounced_threads_map_for_their_process(void **state)
{
	(void)state;
	comm(0, 7, 7, "known", false);
	mmap2(1, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	mmap_tid = 9;
	mmap2(2, PERF_RECORD_MISC_USER, 7, 0x3000, 0x1000, 0, "/lib/b");
	mmap_tid = 0;
	mmap2(3, PERF_RECORD_MISC_USER, 7, 0x5000, 0x1000, 0, "/lib/c");
	finish();
	assert_string_equal(look(5, 7, 7, 0x3010), "known b+0x10");
	assert_string_equal(look(5, 7, 9, 0x3010), "? b+0x10");
	assert_string_equal(look(5, 7, 9, 0x1010), "? a+0x10");
	assert_string_equal(look(5, 7, 9, 0x5010), "? c+0x10");
}

/* Each space has a number of its own, by which rows are told apart. */
static void test_spaces_are_numbered(void **state)
{
	(void)state;
	for (u32 pid = 1; pid < 5; pid++)
		mmap2(pid, PERF_RECORD_MISC_USER, pid, 0x1000, 0x1000, 0, "/bin/a");
	finish();
	assert_int_equal(m.spaces.nr, 4);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(m.spaces.v[i]->idx, i);
		assert_int_equal(m.spaces.v[i]->pid, i + 1);
	}
}

/* Memory that the kernel names, but that has no file: code in it is of the process's JIT compiler. */
static void test_memory_with_a_name_has_no_file(void **state)
{
	static const char *const names[] = { "[stack]", "[stack:8]", "/SYSV00000001",
					     "[heap]",  "[anon:x]",  "[anon_shmem:x]" };
	struct dso_addr at;

	(void)state;
	for (u64 i = 0; i < ARRAY_SIZE(names); i++)
		mmap2(i, PERF_RECORD_MISC_USER, 7, 0x1000 * (i + 1), 0x1000, 0, names[i]);
	finish();
	for (u64 i = 0; i < ARRAY_SIZE(names); i++) {
		char text[64];

		snprintf(text, sizeof(text), "? [JIT] tid 7+%#lx", (unsigned long)(0x1000 * (i + 1) + 8));
		assert_string_equal(look(9, 7, 7, 0x1000 * (i + 1) + 8), text);
		machine__resolve(&m, machine_cursor__thread(&cursor, 7, 7)->maps, cursor.rank,
				 PERF_RECORD_MISC_USER, 0x1000 * (i + 1), &at);
		assert_int_equal(m.dsos.v.v[at.dso]->kind, DSO_JIT);
		assert_int_equal(m.dsos.v.v[at.dso]->pid, 7);
	}
}

/* The thread with number 0 has no memory of its own; other names than those of memory are files. */
static void test_idle_threads_have_no_maps(void **state)
{
	(void)state;
	comm(1, 0, 0, "idle", false);
	mmap2(2, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "[anon");
	finish();
	machine_cursor__seek(&cursor, 5);
	assert_null(machine_cursor__thread(&cursor, 0, 0)->maps);
	assert_non_null(machine_cursor__thread(&cursor, 7, 7)->maps);
	assert_string_equal(look(5, 7, 7, 0x1010), "? [anon+0x10");
}

/* A thread has its first name from the beginning; when the name came is known, too. */
static void test_when_a_name_came(void **state)
{
	(void)state;
	mmap2(1, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	comm(2, 7, 7, "seven", false);
	comm(4, 8, 8, "eight", false);
	finish();
	machine_cursor__seek(&cursor, 1);
	assert_int_equal(machine_cursor__thread(&cursor, 7, 7)->named, cursor.rank + 1);
	machine_cursor__seek(&cursor, 9);
	assert_in_range(machine_cursor__thread(&cursor, 8, 8)->named, 1, cursor.rank);
}

/* A thread of an unknown process is another one than that with its number of a known one, which stays. */
static void test_threads_of_unknown_processes(void **state)
{
	(void)state;
	comm(1, UINT32_MAX, 9, "gone", false);
	comm(2, UINT32_MAX, 9, "still", false);
	mmap2(3, PERF_RECORD_MISC_USER, 8, 0x1000, 0x1000, 0, "/bin/b");
	comm(4, 8, 5, "five", false);
	comm(5, 6, 5, "six", false);
	finish();
	assert_string_equal(look(1, UINT32_MAX, 9, 0x1010), "gone [unknown]+0x1010");
	assert_string_equal(look(2, UINT32_MAX, 9, 0x1010), "still [unknown]+0x1010");
	assert_string_equal(look(4, 8, 5, 0x1010), "five b+0x10");
	assert_string_equal(look(5, 8, 5, 0x1010), "six b+0x10");
}

static void test_synthesized_fork_inherits_nothing(void **state)
{
	(void)state;
	mmap2(0, PERF_RECORD_MISC_USER, 1, 0x1000, 0x1000, 0, "/bin/init");
	fork_record(0, 7, 7, 1, 1, true);
	finish();
	assert_string_equal(look(5, 7, 7, 0x1010), "? [unknown]+0x1010");
}

static void test_anonymous_code_and_vdso(void **state)
{
	(void)state;
	mmap2(0, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "//anon");
	mmap2(0, PERF_RECORD_MISC_USER, 7, 0x5000, 0x1000, 5, "[vdso]");
	finish();
	assert_string_equal(look(5, 7, 7, 0x1010), "? [JIT] tid 7+0x1010");
	assert_string_equal(look(5, 7, 7, 0x5010), "? [vdso]+0x10");
}

static const char *kernel(u64 ip, u8 cpumode)
{
	static char text[128];
	struct dso_addr at;

	machine__resolve(&m, NULL, UINT32_MAX, cpumode, ip, &at);
	snprintf(text, sizeof(text), "%c %s+%#lx", at.level, dso__short_name(&m.dsos, m.dsos.v.v[at.dso]),
		 (unsigned long)at.addr);
	return text;
}

static void test_kernel_maps(void **state)
{
	(void)state;
	mmap2(0, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0xffffffffc0000000, 0x1000, 0,
	      "/lib/modules/6/x/nf-nat.ko.xz");
	mmap2(0, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0xffffffff81000000, 0x70000000, 0xffffffff81000000,
	      "[kernel.kallsyms]_text");
	mmap2(0, PERF_RECORD_MISC_GUEST_KERNEL, 0, 0xffffffff82000000, 0x1000, 0, "[guest.kernel.kallsyms]");
	finish();
	assert_string_equal(m.kernel.ref_name, "_text");
	assert_int_equal(m.kernel.ref_addr, 0xffffffff81000000);
	assert_null(m.guest_kernel.ref_name);
	assert_string_equal(kernel(0xffffffff81000010, PERF_RECORD_MISC_KERNEL),
			    "k [kernel.kallsyms]+0xffffffff81000010");
	assert_string_equal(kernel(0xffffffffc0000010, PERF_RECORD_MISC_KERNEL), "k [nf_nat]+0x10");
	assert_string_equal(kernel(0xffffffff82000010, PERF_RECORD_MISC_GUEST_KERNEL),
			    "g [guest.kernel.kallsyms]+0xffffffff82000010");
	assert_string_equal(kernel(0x10, PERF_RECORD_MISC_KERNEL), "k [unknown]+0x10");
	assert_string_equal(kernel(0x10, PERF_RECORD_MISC_HYPERVISOR), "H [unknown]+0x10");
}

static void test_oldest_kernel_map_form(void **state)
{
	(void)state;
	mmap2(0, PERF_RECORD_MISC_KERNEL, 0, 0, 0xffffffff9fffffff, 0, "[kernel.kallsyms._text]");
	finish();
	assert_null(m.kernel.ref_name);
	assert_string_equal(kernel(0xffffffff81000010, PERF_RECORD_MISC_KERNEL),
			    "k [kernel.kallsyms]+0xffffffff81000010");
}

/* perf inject --mmap2-buildids of 7.x marks maps that only callers are in as a guest's. */
static void test_maps_marked_as_of_a_guest_that_is_not_there(void **state)
{
	(void)state;
	comm(0, 5, 5, "prog", false);
	mmap2(0, PERF_RECORD_MISC_USER, 5, 0x1000, 0x1000, 0, "/bin/prog");
	mmap2(0, PERF_RECORD_MISC_GUEST_USER, 5, 0x3000, 0x1000, 0, "/lib/libc.so");
	finish();
	assert_string_equal(look(1, 5, 5, 0x1010), "prog prog+0x10");
	assert_string_equal(look(1, 5, 5, 0x3010), "prog libc.so+0x10");
}

static void test_maps_of_a_guest_are_not_a_process_of_the_host(void **state)
{
	(void)state;
	mmap2(0, PERF_RECORD_MISC_GUEST_KERNEL, 0, 0xffffffff82000000, 0x1000, 0, "[guest.kernel.kallsyms]");
	comm(0, 5, 5, "prog", false);
	mmap2(0, PERF_RECORD_MISC_USER, 5, 0x1000, 0x1000, 0, "/bin/prog");
	mmap2(0, PERF_RECORD_MISC_GUEST_USER, 5, 0x1000, 0x1000, 0, "/bin/guests");
	finish();
	assert_string_equal(look(1, 5, 5, 0x1010), "prog prog+0x10");
}

/* Return how many states are kept of a tid. */
static size_t nr_states(u32 tid)
{
	for (size_t i = 0; i < m.tids.nr; i++)
		if (m.tids.v[i].tid == tid)
			return m.tids.v[i].states.nr;
	return 0;
}

static void test_a_name_that_stays_takes_no_memory(void **state)
{
	(void)state;
	comm(1, 7, 7, "one", false);
	for (u64 time = 2; time < 100; time++)
		comm(time, 7, 7, "one", false);
	assert_int_equal(nr_states(7), 1);
	mmap2(100, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	comm(110, 7, 7, "two", false);
	comm(120, 7, 7, "one", false);
	comm(130, 7, 7, "one", true); /* a new program of that name */
	mmap2(140, PERF_RECORD_MISC_USER, 7, 0x2000, 0x1000, 0, "/bin/b");
	finish();
	assert_string_equal(look(105, 7, 7, 0x1010), "one a+0x10");
	assert_string_equal(look(115, 7, 7, 0x1010), "two a+0x10");
	assert_string_equal(look(125, 7, 7, 0x1010), "one a+0x10");
	assert_string_equal(look(150, 7, 7, 0x2010), "one b+0x10");
}

static void test_names_of_one_thread_are_bounded(void **state)
{
	enum { MORE = THREAD_STATES_MAX + 100 };
	size_t nr_names;
	char name[12];

	(void)state;
	for (u32 i = 1; i < MORE; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		comm(i, 7, 7, name, false);
	}
	assert_int_equal(nr_states(7), THREAD_STATES_MAX);
	nr_names = m.names.strings.nr;
	mmap2(MORE, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	comm(MORE + 1, 7, 7, "late", true);
	assert_int_equal(strpool__find(&m.names, "late"), UINT32_MAX);
	mmap2(MORE + 2, PERF_RECORD_MISC_USER, 7, 0x2000, 0x1000, 0, "/bin/b");
	comm(MORE + 3, 8, 8, "other", false);
	finish();
	/* of two files, a name without folder each; and "other" */
	assert_true(m.names.strings.nr <= nr_names + 5);
	assert_string_equal(look(10, 7, 7, 0x1010), "n10 [unknown]+0x1010");
	assert_string_equal(look(MORE, 7, 7, 0x1010), "n65536 a+0x10");
	assert_string_equal(look(MORE + 3, 7, 7, 0x2010), "n65536 b+0x10"); /* the exec counts */
	assert_string_equal(look(MORE + 3, 8, 8, 0x2010), "other [unknown]+0x2010");
}

/* In a PID namespace the kernel gives all processes outside of it pid 0. */
static void test_maps_of_hidden_processes(void **state)
{
	(void)state;
	fork_record(1, 1, 1, 0, 0, true); /* the first process of the namespace */
	comm(10, 0, 0, "a", true);
	mmap2(11, PERF_RECORD_MISC_USER, 0, 0x1000, 0x1000, 0x3000, "/bin/a");
	fork_record(12, 0, 0, 0, 0, false);
	comm(20, 0, 0, "b", true);
	mmap2(21, PERF_RECORD_MISC_USER, 0, 0x8000, 0x1000, 0, "/bin/b");
	mmap2(22, PERF_RECORD_MISC_USER, 0, 0x9000, 0x1000, 0, "[vdso]");
	fork_record(30, 7, 7, 0, 0, false); /* joins the namespace */
	comm(40, 7, 7, "c", true);
	for (u64 i = 0; i < 6; i++)
		mmap2(41 + i, PERF_RECORD_MISC_USER, 7, 0x20000 + i * 0x1000, 0x1000, 0, "/bin/c");
	finish();
	assert_string_equal(look(10, 0, 0, 0x1010), "a [unknown]+0x1010");
	assert_string_equal(look(11, 0, 0, 0x1010), "a a+0x3010");
	assert_string_equal(look(30, 0, 0, 0x1010), "b a+0x3010"); /* still runs */
	assert_string_equal(look(30, 0, 0, 0x8010), "b b+0x10");
	assert_string_equal(look(31, 7, 7, 0x8010), "b b+0x10");
	assert_string_equal(look(60, 7, 7, 0x20010), "c c+0x10");
	assert_string_equal(look(60, 7, 7, 0x8010), "c [unknown]+0x8010");
	assert_string_equal(look(60, 1, 1, 0x1010), "swapper [unknown]+0x1010");
}

static void cgroup(u64 time, u64 id, const char *path, size_t size)
{
	struct {
		struct perf_event_header h;
		u64 id;
		char path[16];
	} r = { .id = id };

	strncpy(r.path, path, sizeof(r.path) - 1);
	replay(&r, PERF_RECORD_CGROUP, 0, size, time);
}

static void test_cgroups_keep_their_first_name(void **state)
{
	(void)state;
	cgroup(1, 5, "/five", 32);
	cgroup(2, 6, "/six", 32);
	cgroup(3, 5, "/again", 32);
	cgroup(4, 7, "/seven", 12); /* too short for an id */
	cgroup(5, 8, "/eight", 32);
	finish();
	assert_string_equal(machine__cgroup(&m, 5), "/five");
	assert_string_equal(machine__cgroup(&m, 6), "/six");
	assert_null(machine__cgroup(&m, 7));
	assert_string_equal(machine__cgroup(&m, 8), "/eight");
	assert_null(machine__cgroup(&m, 0));
	assert_int_equal(m.cgroups.nr, 3);
}

static void test_threads_are_numbered(void **state)
{
	(void)state;
	comm(1, 7, 7, "one", false);
	fork_record(2, 7, 8, 7, 7, false);
	comm(3, 9, 9, "two", false);
	finish();
	assert_int_equal(m.nr_threads, 4); /* and the idle one */
	machine_cursor__seek(&cursor, 5);
	assert_int_equal(machine_cursor__thread(&cursor, 0, 0)->thread, 0);
	assert_int_equal(machine_cursor__thread(&cursor, 7, 7)->thread, 1);
	assert_int_equal(machine_cursor__thread(&cursor, 7, 8)->thread, 2);
	assert_int_equal(machine_cursor__thread(&cursor, 9, 9)->thread, 3);
}

static const struct maps *maps_of(u64 time, u32 pid)
{
	machine_cursor__seek(&cursor, time);
	return machine_cursor__thread(&cursor, pid, pid)->maps;
}

/* Forks of forks that map nothing themselves see the maps of the first one as they were then. */
static void test_forks_of_forks_see_the_first_maps(void **state)
{
	(void)state;
	comm(1, 7, 7, "sh", false);
	mmap2(2, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	fork_record(10, 8, 8, 7, 7, false);
	mmap2(20, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/b");
	fork_record(30, 9, 9, 8, 8, false);
	fork_record(31, 10, 10, 9, 9, false);
	fork_record(32, 11, 11, 7, 7, false);
	finish();
	assert_string_equal(look(40, 8, 8, 0x1010), "sh a+0x10");
	assert_string_equal(look(40, 9, 9, 0x1010), "sh a+0x10");
	assert_string_equal(look(40, 10, 10, 0x1010), "sh a+0x10");
	assert_string_equal(look(40, 11, 11, 0x1010), "sh b+0x10");
	/* no chain of processes between them */
	assert_ptr_equal(maps_of(40, 10)->parent, maps_of(40, 7));
}

/* A name counts from the beginning of its thread, not of an earlier one with the same tid. */
static void test_names_are_of_one_thread(void **state)
{
	(void)state;
	mmap2(1, PERF_RECORD_MISC_USER, 9, 0x1000, 0x1000, 0, "/bin/a");
	mmap2(2, PERF_RECORD_MISC_USER, 3, 0x1000, 0x1000, 0, "/bin/b");
	fork_record(50, 9, 9, 3, 3, false);
	comm(60, 9, 9, "late", false);
	finish();
	assert_string_equal(look(49, 9, 9, 0x1010), "? a+0x10");
	assert_string_equal(look(50, 9, 9, 0x1010), "late b+0x10");
	assert_string_equal(look(70, 9, 9, 0x1010), "late b+0x10");
}

/* A thread of an unknown process is known better when a record tells its process. */
static void test_processes_may_be_told_later(void **state)
{
	(void)state;
	comm(1, UINT32_MAX, 7, "early", false);
	comm(2, 7, 7, "known", false);
	mmap2(3, PERF_RECORD_MISC_USER, 7, 0x1000, 0x1000, 0, "/bin/a");
	finish();
	assert_int_equal(nr_states(7), 1);
	assert_string_equal(look(5, 7, 7, 0x1010), "known a+0x10");
}

static void test_room_for_times_stays(void **state)
{
	const u64 *times;

	(void)state;
	machine__expect(&m, 5000);
	assert_true(m.times.alloc >= 5000);
	times = m.times.v;
	for (u32 i = 0; i < 1000; i++)
		comm(i, 7, 7, "name", false);
	assert_ptr_equal(m.times.v, times);
	machine__expect(&m, 0);
	assert_true(m.times.alloc >= 5000);
	machine__expect(&m, 6000);
	assert_true(m.times.alloc >= 7000);
	finish();
	assert_int_equal(machine__time_of(&m, 1000), 999);
}

/* Ranks are counted: how many times are not later. */
static void test_cursors_find_each_time(void **state)
{
	enum { TIMES = 700 };
	u64 times[TIMES], time = 5, seed = 1;

	(void)state;
	for (u32 i = 0; i < TIMES; i++) {
		times[i] = time;
		comm(time, 7, 7, "name", false);
		time += i % 7; /* some more than once */
	}
	finish();
	for (u32 i = 0; i < 20000; i++) {
		u64 at;
		u32 rank = 0;

		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		at = i & 1 ? (seed >> 33) % (time + 10) : i / 8;
		while (rank < TIMES && times[rank] <= at)
			rank++;
		machine_cursor__seek(&cursor, at);
		assert_int_equal(cursor.rank, rank);
		assert_int_equal(cursor.time_first, rank ? times[rank - 1] : 0);
		assert_int_equal(cursor.time_end, rank < TIMES ? times[rank] : UINT64_MAX);
	}
}

/* Records of other types pass, whatever their number. */
static void test_some_records_change_the_machine(void **state)
{
	static const u32 wanted[] = { PERF_RECORD_MMAP, PERF_RECORD_MMAP2,   PERF_RECORD_COMM,
				      PERF_RECORD_FORK, PERF_RECORD_KSYMBOL, PERF_RECORD_CGROUP };
	u64 record[8] = { 0 };

	(void)state;
	for (u32 type = 0; type < 1 << 16; type++) {
		bool wants = false;

		for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
			wants |= type == wanted[i];
		assert_int_equal(machine__wants(type), wants);
	}
	assert_false(machine__wants(UINT32_MAX));
	replay(record, PERF_RECORD_LOST, 0, sizeof(record), 1);
	replay(record, UINT32_MAX, 0, sizeof(record), 2);
	finish();
	assert_int_equal(m.times.nr, 2);
	assert_int_equal(m.nr_threads, 1);
}

static size_t nr_allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void test_nothing_stays_in_memory(void **state)
{
	size_t before = 0;

	(void)state;
	for (int i = 0; i < 24; i++) {
		machine__exit(&m);
		machine__init(&m);
		for (int k = 0; k < 2; k++) {
			for (u32 pid = 1; pid < 50; pid++) {
				comm(pid, pid, pid, "name", false);
				mmap2(pid, PERF_RECORD_MISC_USER, pid, 0x1000, 0x1000, 0, "/bin/a");
				cgroup(pid, pid, "/five", 32);
			}
			if (!k)
				machine__forget_tasks(&m);
		}
		finish();
		before = i == 4 ? nr_allocated() : before;
	}
	assert_true(nr_allocated() < before + (64 << 10)); /* what malloc keeps to itself counts, too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_maps_and_names_change_with_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fork_inherits_and_goes_its_own_way, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec_clears, setup, teardown),
		cmocka_unit_test_setup_teardown(test_program_is_what_was_executed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_threads_share_reused_tids_do_not, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unannounced_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unannounced_threads_map_for_their_process, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_spaces_are_numbered, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_with_a_name_has_no_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_when_a_name_came, setup, teardown),
		cmocka_unit_test_setup_teardown(test_idle_threads_have_no_maps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_threads_of_unknown_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_synthesized_fork_inherits_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_anonymous_code_and_vdso, setup, teardown),
		cmocka_unit_test_setup_teardown(test_maps_of_hidden_processes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kernel_maps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cgroups_keep_their_first_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_threads_are_numbered, setup, teardown),
		cmocka_unit_test_setup_teardown(test_forks_of_forks_see_the_first_maps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names_are_of_one_thread, setup, teardown),
		cmocka_unit_test_setup_teardown(test_processes_may_be_told_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_for_times_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cursors_find_each_time, setup, teardown),
		cmocka_unit_test_setup_teardown(test_nothing_stays_in_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_some_records_change_the_machine, setup, teardown),
		cmocka_unit_test_setup_teardown(test_oldest_kernel_map_form, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_name_that_stays_takes_no_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names_of_one_thread_are_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(test_maps_marked_as_of_a_guest_that_is_not_there, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_maps_of_a_guest_are_not_a_process_of_the_host, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
