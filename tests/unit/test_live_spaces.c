/* The recorder's address spaces: what lay at an address when a sample was taken. */
#include "outlived.h"

#include "base/system/clock.h"
#include "format/records/build.h"
#include "record/stacks/live_spaces.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PID = 4000001, CHILD = 4000002 }; /* beyond pid_max on most machines: /proc knows nothing of them */

static void see(struct live_spaces *l, struct strbuf *sb, u64 time)
{
	struct record r = { .header = (const void *)sb->buf };

	live_spaces__see(l, &r, time);
	strbuf__reset(sb);
}

static void mapped(struct live_spaces *l, u32 pid, u64 start, u64 len, const char *name, u64 time)
{
	struct mmap_record m = { .pid = pid,
				 .tid = pid,
				 .start = start,
				 .len = len,
				 .pgoff = 0x1000,
				 .ino = 1,
				 .prot = PROT_READ | PROT_EXEC,
				 .flags = MAP_PRIVATE,
				 .is_mmap2 = true,
				 .filename = name };
	struct strbuf sb = STRBUF_INIT;

	build__mmap2(&sb, PERF_RECORD_MISC_USER, &m, 0);
	see(l, &sb, time);
	strbuf__exit(&sb);
}

static void forked(struct live_spaces *l, u32 pid, u32 child, u64 time)
{
	struct strbuf sb = STRBUF_INIT;

	build__fork(&sb, 0, child, pid, child, pid, 0);
	see(l, &sb, time);
	strbuf__exit(&sb);
}

static void execed(struct live_spaces *l, u32 pid, u64 time)
{
	struct strbuf sb = STRBUF_INIT;

	build__comm(&sb, PERF_RECORD_MISC_COMM_EXEC, pid, pid, "new", 0);
	see(l, &sb, time);
	strbuf__exit(&sb);
}

static void exited(struct live_spaces *l, u32 pid, u64 time)
{
	struct strbuf sb = STRBUF_INIT;

	build__fork(&sb, 0, pid, pid, pid, pid, 0);
	((struct perf_event_header *)sb.buf)->type = PERF_RECORD_EXIT; /* has the same fields */
	see(l, &sb, time);
	strbuf__exit(&sb);
}

static const char *name_at(struct live_spaces *l, u32 pid, u64 addr, u64 time)
{
	struct live_space *s = live_spaces__find(l, pid, time);
	const struct live_map *m = live_spaces__map_at(l, pid, s, addr, time);

	return m ? live_binaries__name(&l->binaries, m->binary) : "none";
}

/* Pid 0: all processes outside of this PID namespace. */
static void maps_of_hidden_processes_count(void **state)
{
	struct live_spaces l;

	(void)state;
	live_spaces__init(&l);
	assert_null(live_spaces__find(&l, 0, 50));
	mapped(&l, 0, 0x10000, 0x4000, "/a", 100);
	execed(&l, 0, 200);
	mapped(&l, 0, 0x20000, 0x4000, "/b", 210);
	exited(&l, 0, 300);
	live_spaces__forget(&l, 400);
	assert_string_equal(name_at(&l, 0, 0x10000, 400), "/a");
	assert_string_equal(name_at(&l, 0, 0x20000, 400), "/b");
	assert_string_equal(name_at(&l, 0, 0x30000, 400), "none");
	/* a process that never ends takes memory for so many maps */
	for (u64 i = 0; i < 40000; i++)
		mapped(&l, 0, 0x1000000 + i * 0x1000, 0x1000, "/many", 500 + i);
	live_spaces__forget(&l, 100000);
	assert_string_equal(name_at(&l, 0, 0x1000000 + 39999 * 0x1000ull, 100000), "/many");
	assert_string_equal(name_at(&l, 0, 0x10000, 100000), "none");
	live_spaces__exit(&l);
}

static void newest_map_holds(void **state)
{
	struct live_spaces l;

	(void)state;
	live_spaces__init(&l);
	mapped(&l, PID, 0x10000, 0x4000, "/a", 100);
	mapped(&l, PID, 0x11000, 0x1000, "/b", 200);
	for (int filed = 0; filed < 2; filed++) {
		assert_string_equal(name_at(&l, PID, 0x10fff, 300), "/a");
		assert_string_equal(name_at(&l, PID, 0x11000, 300), "/b");
		assert_string_equal(name_at(&l, PID, 0x11fff, 300), "/b");
		assert_string_equal(name_at(&l, PID, 0x12000, 300), "/a");
		assert_string_equal(name_at(&l, PID, 0x14000, 300), "none");
		/* before the second one came */
		assert_string_equal(name_at(&l, PID, 0x11000, 150), "/a");
		/* so many that they are put in order */
		for (u64 i = 0; i < 500; i++)
			mapped(&l, PID, 0x1000000 + ((i * 37) % 500) * 0x1000, 0x1000, "/many", 250);
	}
	for (u64 i = 0; i < 500; i++)
		assert_string_equal(name_at(&l, PID, 0x1000000 + i * 0x1000, 300), "/many");
	/* What was replaced is forgotten with its time. */
	live_spaces__forget(&l, 280);
	assert_string_equal(name_at(&l, PID, 0x11000, 300), "/b");
	live_spaces__exit(&l);
}

static void offsets_follow_what_is_left(void **state)
{
	struct live_spaces l;
	struct live_space *s;
	const struct live_map *m;

	(void)state;
	live_spaces__init(&l);
	mapped(&l, PID, 0x10000, 0x8000, "/a", 100);
	mapped(&l, PID, 0x12000, 0x1000, "/b", 200);
	for (u64 i = 0; i < 100; i++)
		mapped(&l, PID, 0x1000000 + i * 0x1000, 0x1000, "/many", 250);
	s = live_spaces__find(&l, PID, 300);
	m = live_spaces__map_at(&l, PID, s, 0x14000, 300);
	assert_non_null(m);
	assert_int_equal(0x14000 - m->start + m->pgoff, 0x5000);
	live_spaces__exit(&l);
}

static void forks_and_execs_have_spaces(void **state)
{
	struct live_spaces l;
	u64 key;

	(void)state;
	live_spaces__init(&l);
	mapped(&l, PID, 0x10000, 0x1000, "/parent", 100);
	forked(&l, PID, CHILD, 200);
	mapped(&l, PID, 0x20000, 0x1000, "/later", 300);
	assert_string_equal(name_at(&l, CHILD, 0x10000, 250), "/parent");
	assert_string_equal(name_at(&l, CHILD, 0x20000, 350), "none");
	mapped(&l, CHILD, 0x10000, 0x1000, "/child", 400);
	assert_string_equal(name_at(&l, PID, 0x10000, 450), "/parent");
	assert_string_equal(name_at(&l, CHILD, 0x10000, 450), "/child");
	key = live_spaces__key(&l, live_spaces__find(&l, CHILD, 450), 450);
	assert_int_equal(live_spaces__key(&l, live_spaces__find(&l, CHILD, 460), 460), key);
	execed(&l, CHILD, 500);
	mapped(&l, CHILD, 0x30000, 0x1000, "/new", 510);
	assert_string_equal(name_at(&l, CHILD, 0x10000, 600), "none");
	assert_string_equal(name_at(&l, CHILD, 0x30000, 600), "/new");
	assert_string_equal(name_at(&l, CHILD, 0x10000, 450), "/child"); /* a sample from before */
	assert_true(live_spaces__key(&l, live_spaces__find(&l, CHILD, 600), 600) != key);
	live_spaces__forget(&l, 550);
	assert_string_equal(name_at(&l, CHILD, 0x30000, 600), "/new");
	live_spaces__exit(&l);
}

/* Our own maps, without any record. */
static void unannounced_process_is_read(void **state)
{
	struct live_spaces l;
	struct live_space *s;
	const struct live_map *m;
	u64 here = (u64)(uintptr_t)unannounced_process_is_read;

	(void)state;
	live_spaces__init(&l);
	s = live_spaces__find(&l, (u32)getpid(), 1000);
	m = live_spaces__map_at(&l, (u32)getpid(), s, here, 1000);
	assert_non_null(m);
	assert_true(here >= m->start && here < m->end);
	assert_non_null(live_spaces__cfi(&l, (u32)getpid(), m));
	assert_null(live_spaces__find(&l, 0, 1000));
	live_spaces__exit(&l);
}

static void random_maps_agree_with_a_list(void **state)
{
	enum { NR = 3000, PAGES = 64 };
	struct {
		u64 start, end;
		char name[16];
	} v[NR];
	struct live_spaces l;
	u64 seed = 5;

	(void)state;
	live_spaces__init(&l);
	for (unsigned i = 0; i < NR; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		v[i].start = 0x100000 + (seed >> 40) % PAGES * 0x1000;
		v[i].end = v[i].start + (1 + (seed >> 20) % 7) * 0x1000;
		snprintf(v[i].name, sizeof(v[i].name), "/%u", i % 50);
		mapped(&l, PID, v[i].start, v[i].end - v[i].start, v[i].name, 10 * (i + 1));
		if (i % 101)
			continue;
		for (u64 addr = 0x100000; addr < 0x100000 + (PAGES + 8) * 0x1000; addr += 0x1000) {
			const char *expected = "none";

			for (unsigned k = 0; k <= i; k++)
				if (addr >= v[k].start && addr < v[k].end)
					expected = v[k].name;
			assert_string_equal(name_at(&l, PID, addr, 10 * (i + 1)), expected);
		}
		live_spaces__forget(&l, 10 * i);
	}
	live_spaces__exit(&l);
}

/* pthread_exit in main: the maps stay until the last thread has ended, and can be read. */
static void a_process_ends_with_its_last_thread(void **state)
{
	const u64 here = (u64)(uintptr_t)a_process_ends_with_its_last_thread;
	struct live_spaces l;
	u32 pid = (u32)outlived__start();

	(void)state;
	live_spaces__init(&l);
	forked(&l, PID, pid, 100);
	mapped(&l, pid, 0x10000, 0x1000, "/a", 110);
	exited(&l, pid, 200);
	live_spaces__forget(&l, 300);
	assert_string_equal(name_at(&l, pid, 0x10000, 300), "/a");
	assert_string_not_equal(name_at(&l, pid, here, 300), "none");
	mapped(&l, PID, 0x10000, 0x1000, "/b", 400);
	outlived__end((pid_t)pid);
	live_spaces__forget(&l, 400); /* samples of before may come */
	assert_string_equal(name_at(&l, pid, 0x10000, 400), "/a");
	live_spaces__forget(&l, 400);
	assert_string_equal(name_at(&l, pid, 0x10000, 400), "/a");
	live_spaces__forget(&l, 401);
	assert_int_equal(l.processes.nr, 1);
	assert_int_equal(waitpid((pid_t)pid, NULL, 0), pid);
	live_spaces__exit(&l);
}

static void started_thread(struct live_spaces *l, u32 pid, u16 misc)
{
	struct strbuf sb = STRBUF_INIT;

	build__fork(&sb, misc, pid, pid, pid + 1, pid, 0);
	see(l, &sb, 0);
	strbuf__exit(&sb);
}

/* Of a process with threads, the end is looked at when its first thread ends. */
static void threads_are_known_from_records(void **state)
{
	u32 pid = (u32)outlived__start();

	(void)state;
	for (u16 i = 0; i < 4; i++) {
		struct live_spaces l;

		live_spaces__init(&l);
		if (i == 3) /* before any map */
			started_thread(&l, pid, 0);
		forked(&l, PID, pid, 100);
		if (i && i < 3)
			started_thread(&l, pid, i == 1 ? 0 : PERF_RECORD_MISC_COMM_EXEC);
		exited(&l, pid, 200);
		assert_int_equal(l.processes.nr, 2);
		assert_int_equal(l.processes.v[1]->pid, pid);
		assert_int_equal(l.processes.v[1]->outlived, i && i < 3);
		live_spaces__exit(&l);
	}
	outlived__end((pid_t)pid);
	assert_int_equal(waitpid((pid_t)pid, NULL, 0), pid);
}

/* The EXIT record of its first thread came before the recording. */
static void a_process_that_lost_its_first_thread_before(void **state)
{
	const u64 here = (u64)(uintptr_t)a_process_that_lost_its_first_thread_before;
	struct live_spaces l;
	u32 pid = (u32)outlived__start();

	(void)state;
	live_spaces__init(&l);
	assert_string_not_equal(name_at(&l, pid, here, 100), "none");
	mapped(&l, PID, 0x10000, 0x1000, "/b", 400);
	live_spaces__forget(&l, 300);
	assert_int_equal(l.processes.nr, 2);
	outlived__end((pid_t)pid);
	live_spaces__forget(&l, 300);
	assert_int_equal(l.processes.nr, 2);
	live_spaces__forget(&l, 401);
	assert_int_equal(l.processes.nr, 1);
	assert_int_equal(waitpid((pid_t)pid, NULL, 0), pid);
	live_spaces__exit(&l);
}

/* An exec of another thread makes that the first one. */
static void an_exec_ends_no_process(void **state)
{
	struct live_spaces l;

	(void)state;
	live_spaces__init(&l);
	mapped(&l, PID, 0x10000, 0x1000, "/a", 100);
	exited(&l, PID, 200);
	execed(&l, PID, 201);
	mapped(&l, PID, 0x20000, 0x1000, "/b", 210);
	live_spaces__forget(&l, 300);
	assert_string_equal(name_at(&l, PID, 0x20000, 300), "/b");
	exited(&l, PID, 400);
	forked(&l, CHILD, PID, 500); /* another process with its number */
	live_spaces__forget(&l, 600);
	assert_string_equal(name_at(&l, PID, 0x20000, 600), "none");
	assert_int_equal(l.processes.nr, 2);
	live_spaces__exit(&l);
}

enum { MANY = 100000, NR_MAX = (1 << 14) + 256 };
static const u64 fresh = 0x1000000000; /* where nothing is mapped */

/* Map a page at another address each time. The kernel does not report what is unmapped. */
static void mapped_many(struct live_spaces *l, u32 pid, const char *name, u64 time)
{
	for (u64 i = 0; i < MANY; i++) {
		const struct live_space *s;

		mapped(l, pid, fresh + 0x2000 * i, 0x1000, name, time + i);
		s = live_spaces__find(l, pid, UINT64_MAX);
		assert_true(s->maps.nr + s->recent.nr <= NR_MAX);
		assert_true(s->past.nr <= 4096);
	}
}

static void unmapped_code_is_forgotten(void **state)
{
	const u64 here = (u64)(uintptr_t)unmapped_code_is_forgotten, page = here & ~0xfffull;
	const u64 newest = fresh + 0x2000ull * (MANY - 1);
	u32 pid = (u32)getpid();
	struct live_spaces l;
	u64 key;

	(void)state;
	live_spaces__init(&l);
	mapped(&l, pid, page, 0x1000, "/recorded", 100);
	key = live_spaces__key(&l, live_spaces__find(&l, pid, 1000), 1000);
	for (int i = 0; i < 2; i++) {
		mapped_many(&l, pid, i ? "/file" : "//anon", 1000);
		assert_string_equal(name_at(&l, pid, here, 200000), "/recorded");
		assert_non_null(
			live_spaces__known_map_at(live_spaces__find(&l, pid, 200000), newest, 200000));
		assert_null(live_spaces__known_map_at(live_spaces__find(&l, pid, 200000), fresh, 200000));
	}
	assert_int_not_equal(live_spaces__key(&l, live_spaces__find(&l, pid, 200000), 200000), key);
	/* a sample from before the newest maps */
	assert_non_null(
		live_spaces__known_map_at(live_spaces__find(&l, pid, 1000), newest - 0x2000 * 100, 200000));
	live_spaces__exit(&l);
}

/* The maps that are there are counted twice, so /proc is not read for each new one. */
static void many_maps_are_kept(void **state)
{
	enum { NR = 10000 };
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *mem = mmap(NULL, 2 * NR * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	u32 pid = (u32)getpid();
	struct live_spaces l;
	const struct live_space *s;

	(void)state;
	assert_true(mem != MAP_FAILED);
	live_spaces__init(&l);
	for (size_t i = 0; i < NR; i++) {
		assert_int_equal(mprotect(mem + 2 * i * size, size, PROT_READ | PROT_EXEC), 0);
		mapped(&l, pid, (u64)(uintptr_t)mem + 2 * i * size, size, "//anon", 100);
	}
	for (u64 i = 0; i < 30000; i++) {
		mapped(&l, pid, fresh + 0x2000 * i, 0x1000, "//anon", 200);
		s = live_spaces__find(&l, pid, 300);
		assert_true(s->maps.nr <= 2 * NR + 512);
	}
	assert_int_equal(s->maps_max, 2 * NR);
	for (size_t i = 0; i < NR; i++)
		assert_non_null(live_spaces__known_map_at(s, (u64)(uintptr_t)mem + 2 * i * size, 300));
	munmap(mem, 2 * NR * size);
	live_spaces__exit(&l);
}

/* Of a process whose maps cannot be read, files stay, if they are few. */
static void files_are_kept(void **state)
{
	struct live_spaces l;

	(void)state;
	live_spaces__init(&l);
	mapped(&l, PID, 0x10000, 0x4000, "/a", 100);
	mapped_many(&l, PID, "//anon", 1000);
	assert_string_equal(name_at(&l, PID, 0x10000, 200000), "/a");
	assert_null(live_spaces__known_map_at(live_spaces__find(&l, PID, 200000), fresh, 200000));
	mapped_many(&l, PID, "/many", 300000);
	assert_string_equal(name_at(&l, PID, 0x10000, 500000), "none");
	assert_string_equal(name_at(&l, PID, fresh + 0x2000ull * (MANY - 1), 500000), "/many");
	live_spaces__exit(&l);
}

static struct cfi *cfi_at(struct live_spaces *l, const void *code, u32 *binary)
{
	u32 pid = (u32)getpid();
	struct live_space *s = live_spaces__find(l, pid, 0);
	const struct live_map *m = live_spaces__map_at(l, pid, s, (u64)(uintptr_t)code, 0);

	assert_non_null(m);
	*binary = m->binary;
	return live_spaces__cfi(l, pid, m);
}

/* Of this process: the tables of libc and of the program. */
static void unused_tables_are_closed(void **state)
{
	const void *own = (const void *)(uintptr_t)unused_tables_are_closed,
		   *libc = (const void *)(uintptr_t)getpid;
	struct live_spaces l;
	u32 program, library;
	u64 key;

	(void)state;
	live_spaces__init(&l);
	assert_non_null(cfi_at(&l, own, &program));
	assert_non_null(cfi_at(&l, libc, &library));
	assert_int_not_equal(program, library);
	live_spaces__tidy(&l, 100ull * NS_PER_SECOND); /* there is room */
	l.binaries.cfi_max = 0;
	key = live_spaces__find(&l, (u32)getpid(), 0)->id;
	live_spaces__tidy(&l, 105ull * NS_PER_SECOND); /* not again so soon */
	assert_int_equal(live_spaces__find(&l, (u32)getpid(), 0)->id, key);
	live_spaces__tidy(&l,
			  120ull * NS_PER_SECOND); /* both were asked for; from now on it counts who asks */
	assert_int_not_equal(live_spaces__find(&l, (u32)getpid(), 0)->id, key);
	assert_non_null(l.binaries.v.v[library].cfi);
	assert_non_null(cfi_at(&l, own, &program));
	live_spaces__tidy(&l, 140ull * NS_PER_SECOND);
	assert_non_null(l.binaries.v.v[program].cfi);
	assert_null(l.binaries.v.v[library].cfi);
	assert_non_null(cfi_at(&l, libc, &library));
	live_spaces__exit(&l);
}

static void unmapped_binaries_are_dropped(void **state)
{
	struct live_spaces l;
	char name[32];

	(void)state;
	live_spaces__init(&l);
	mapped(&l, PID, 0x10000, 0x1000, "/stays", 100);
	for (u64 i = 1; i <= 5000; i++) {
		snprintf(name, sizeof(name), "/conftest%llu", (unsigned long long)i);
		mapped(&l, CHILD, 0x10000, 0x1000, name, i * 1000);
		exited(&l, CHILD, i * 1000 + 500);
		live_spaces__forget(&l, i * 1000 + 600);
		live_spaces__tidy(&l, i * 20 * NS_PER_SECOND);
		assert_true(l.binaries.v.nr < 1100);
		assert_true(l.binaries.names.strings.nr < 1100);
		assert_string_equal(name_at(&l, PID, 0x10000, i * 1000), "/stays");
	}
	mapped(&l, CHILD, 0x10000, 0x1000, "/last", 6000000);
	assert_string_equal(name_at(&l, CHILD, 0x10000, 6000000), "/last");
	live_spaces__exit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_map_holds),
		cmocka_unit_test(maps_of_hidden_processes_count),
		cmocka_unit_test(offsets_follow_what_is_left),
		cmocka_unit_test(forks_and_execs_have_spaces),
		cmocka_unit_test(unannounced_process_is_read),
		cmocka_unit_test(random_maps_agree_with_a_list),
		cmocka_unit_test(a_process_ends_with_its_last_thread),
		cmocka_unit_test(threads_are_known_from_records),
		cmocka_unit_test(a_process_that_lost_its_first_thread_before),
		cmocka_unit_test(an_exec_ends_no_process),
		cmocka_unit_test(unmapped_code_is_forgotten),
		cmocka_unit_test(many_maps_are_kept),
		cmocka_unit_test(files_are_kept),
		cmocka_unit_test(unused_tables_are_closed),
		cmocka_unit_test(unmapped_binaries_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
