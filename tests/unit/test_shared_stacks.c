/* What is remembered of processes that ended: two rounds, or for a flight recorder thousands of processes. */
#include "outlived.h"

#include "hotspot_image.h"
#include "own_memory.h"
#include "format/records/build.h"
#include "record/stacks/shared_stacks.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PID = 4000001, OTHER = 4000002, START = 0x10000 }; /* beyond pid_max on most machines */

struct fixture {
	struct evlist l;
	struct evsel *e;
	struct shared_stacks *s;
	struct strbuf round;
	u64 time;
};

static void setup(struct fixture *f, bool keeps_history)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
					.sample_id_all = 1 };
	const struct shared_stacks_opts opts = { .keeps_history = keeps_history };

	*f = (struct fixture){ .round = STRBUF_INIT, .time = 1000 };
	evlist__init(&f->l);
	f->e = evlist__add(&f->l, &attr, sizeof(attr), "event");
	f->s = shared_stacks__new(&f->l, &opts);
}

static void teardown(struct fixture *f)
{
	shared_stacks__delete(f->s);
	evlist__exit(&f->l);
	strbuf__exit(&f->round);
}

/* Complete the record that begins at start with a sample_id. */
static void stamp(struct fixture *f, size_t start, u32 pid)
{
	const struct sample_id id = { .pid = pid, .tid = pid, .time = ++f->time };
	struct perf_event_header *h;

	build__trailer(&f->round, f->e, &id);
	h = (void *)(f->round.buf + start);
	h->size = (u16)(f->round.len - start);
}

/* file: device and inode, or NULL */
static void map_file(struct fixture *f, u32 pid, u64 start, u64 len, const char *name,
		     const struct stat *file)
{
	const struct mmap_record m = { .pid = pid,
				       .tid = pid,
				       .start = start,
				       .len = len,
				       .maj = file ? major(file->st_dev) : 0,
				       .min = file ? minor(file->st_dev) : 0,
				       .ino = file ? file->st_ino : 0,
				       .prot = PROT_READ | PROT_EXEC,
				       .is_mmap2 = true,
				       .filename = name };
	size_t at = f->round.len;

	build__mmap2(&f->round, PERF_RECORD_MISC_USER, &m, 0);
	stamp(f, at, pid);
}

static void map(struct fixture *f, u32 pid, u64 start)
{
	map_file(f, pid, start, 0x1000, "/bin/program", NULL);
}

static void execs(struct fixture *f, u32 pid)
{
	size_t at = f->round.len;

	build__comm(&f->round, PERF_RECORD_MISC_COMM_EXEC, pid, pid, "new", 0);
	stamp(f, at, pid);
}

static void exits(struct fixture *f, u32 pid)
{
	size_t at = f->round.len;

	build__fork(&f->round, 0, pid, 1, pid, 1, 0);
	((struct perf_event_header *)(f->round.buf + at))->type = PERF_RECORD_EXIT;
	stamp(f, at, pid);
}

static void end_round(struct fixture *f)
{
	shared_stacks__begin_round(f->s, f->round.buf, f->round.len);
	strbuf__reset(&f->round);
}

static bool is_known(struct fixture *f, u32 pid, u64 time)
{
	struct stack_owner o = { .pid = pid, .tid = pid, .time = time };
	struct unwind_code code = { 0 };
	u64 key;

	if (!shared_stacks__find(f->s, &o, &key))
		return false;
	shared_stacks__look_up(f->s, &o, START, &code);
	return code.is_code;
}

/* Let PID run, and others after it: many maps in all. Return a time at which PID ran. */
static u64 run(struct fixture *f, unsigned rounds, unsigned maps)
{
	u64 time;

	map(f, PID, START);
	time = f->time;
	end_round(f);
	exits(f, PID);
	end_round(f);
	assert_true(is_known(f, PID, time));
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < maps; k++)
			map(f, OTHER, START + k % 100 * 0x1000);
		end_round(f);
	}
	return time;
}

static void ended_processes_are_forgotten(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, false);
	assert_false(is_known(&f, PID, run(&f, 4, 1)));
	assert_true(is_known(&f, OTHER, f.time));
	teardown(&f);
}

static void history_is_kept(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true);
	assert_true(is_known(&f, PID, run(&f, 50, 100)));
	teardown(&f);
}

static void history_is_limited(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, true);
	assert_false(is_known(&f, PID, run(&f, 60, 10000)));
	assert_true(is_known(&f, OTHER, f.time));
	teardown(&f);
}

/* Let a process map a virtual machine, which is an image in its memory. Return the time. */
static u64 map_vm(struct fixture *f, u32 pid, const struct image *image)
{
	map_file(f, pid, image->base, 0x1000, "/usr/lib/libjvm.so", NULL);
	map_file(f, pid, image->base + AT_CODE, CODE_SIZE, "//anon", NULL);
	return f->time;
}

static enum java_kind kind_at(struct fixture *f, u32 pid, u64 ip, u64 time)
{
	struct stack_owner o = { .pid = pid, .tid = pid, .time = time };
	struct unwind_code code = { .wants_java = true };
	u64 key;

	assert_true(shared_stacks__find(f->s, &o, &key));
	shared_stacks__look_up(f->s, &o, ip, &code);
	assert_true(code.is_code);
	return code.java.kind;
}

/* The memory of a process is that of the program that it runs now, not of an earlier one. */
static void memory_of_earlier_programs_is_not_read(void **state)
{
	const struct image_blob b = { "nmethod", 10, 20, 200, 1000, 6, 12, 0, 77 };
	const u32 own = (u32)getpid();
	struct image image;
	struct fixture f;
	u64 code, first, second;
	u8 *mem = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	if (!may_read_own_memory(mem))
		skip();
	image__make(&image, mem, (u64)(uintptr_t)mem, IMAGE_JDK25);
	code = image__blob(&image, &b);
	setup(&f, false);
	first = map_vm(&f, own, &image);
	execs(&f, own);
	second = map_vm(&f, own, &image);
	end_round(&f);
	assert_int_equal(kind_at(&f, own, code, first), JAVA_NONE);
	assert_int_equal(kind_at(&f, own, code, second), JAVA_SIZED);
	teardown(&f);
	/* its end is in the round in which it is looked at first, as of all short processes */
	setup(&f, false);
	first = map_vm(&f, own, &image);
	exits(&f, own);
	end_round(&f);
	assert_int_equal(kind_at(&f, own, code, first), JAVA_NONE);
	teardown(&f);
	munmap(mem, IMAGE_SIZE);
}

/* This program by a name that no file has: only this process leads to the file, as one in a container. */
static void map_hidden_program(struct fixture *f, u32 pid)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/exe", &st), 0);
	map_file(f, pid, START, 0x1000, "/no such folder/program", &st);
}

static bool has_cfi(struct fixture *f, u32 pid, u64 *key)
{
	struct stack_owner o = { .pid = pid, .tid = pid, .time = f->time };
	struct unwind_code code = { 0 };

	assert_true(shared_stacks__find(f->s, &o, key));
	shared_stacks__look_up(f->s, &o, START, &code);
	assert_true(code.is_code);
	return code.cfi;
}

/* A short process has ended when its stacks are unwound: the next one has call frame information. */
static void short_processes_hide_no_binary(void **state)
{
	u32 own = (u32)getpid();
	struct fixture f;
	u64 key, last;

	(void)state;
	setup(&f, false);
	map_hidden_program(&f, PID);
	exits(&f, PID);
	map_hidden_program(&f, own);
	end_round(&f);
	assert_false(has_cfi(&f, PID, &key));
	assert_true(has_cfi(&f, own, &last));
	teardown(&f);
	/* it had not ended as far as the records tell: then in the next round, and chains use it */
	setup(&f, false);
	map_hidden_program(&f, PID);
	map_hidden_program(&f, own);
	end_round(&f);
	assert_false(has_cfi(&f, PID, &last));
	assert_false(has_cfi(&f, own, &last));
	end_round(&f);
	assert_true(has_cfi(&f, own, &key));
	assert_int_not_equal(key, last);
	assert_true(has_cfi(&f, PID, &last));
	end_round(&f);
	assert_true(has_cfi(&f, PID, &key)); /* what asked before it was found */
	assert_int_not_equal(key, last);
	end_round(&f);
	assert_true(has_cfi(&f, PID, &last)); /* from now on it stays as it is */
	assert_int_equal(key, last);
	teardown(&f);
}

/* Another thread leads to the files and the memory of a process whose first thread has ended. */
static void another_thread_leads_there(void **state)
{
	const struct image_blob b = { "nmethod", 10, 20, 200, 1000, 6, 12, 0, 77 };
	struct image image;
	struct fixture f;
	u8 *mem = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u64 code, key;
	pid_t pid;

	(void)state;
	image__make(&image, mem, (u64)(uintptr_t)mem, IMAGE_JDK25);
	code = image__blob(&image, &b);
	pid = outlived__start();
	setup(&f, false);
	map_hidden_program(&f, (u32)pid);
	map_vm(&f, (u32)pid, &image);
	end_round(&f);
	assert_true(has_cfi(&f, (u32)pid, &key));
	if (may_read_memory(proc__running_thread(pid), mem))
		assert_int_equal(kind_at(&f, (u32)pid, code, f.time), JAVA_SIZED);
	outlived__end(pid);
	waitpid(pid, NULL, 0);
	teardown(&f);
	munmap(mem, IMAGE_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_processes_are_forgotten),
		cmocka_unit_test(history_is_kept),
		cmocka_unit_test(history_is_limited),
		cmocka_unit_test(memory_of_earlier_programs_is_not_read),
		cmocka_unit_test(short_processes_hide_no_binary),
		cmocka_unit_test(another_thread_leads_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
