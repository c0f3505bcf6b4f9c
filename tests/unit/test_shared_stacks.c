/* What is remembered of processes that ended: two rounds, or for a flight recorder thousands of processes. */
#include "unit.h"

#include "format/records/build.h"
#include "record/stacks/shared_stacks.h"

#include <string.h>
#include <sys/mman.h>

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

static void map(struct fixture *f, u32 pid, u64 start)
{
	const struct mmap_record m = { .pid = pid,
				       .tid = pid,
				       .start = start,
				       .len = 0x1000,
				       .prot = PROT_READ | PROT_EXEC,
				       .is_mmap2 = true,
				       .filename = "/bin/program" };
	size_t at = f->round.len;

	build__mmap2(&f->round, PERF_RECORD_MISC_USER, &m, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_processes_are_forgotten),
		cmocka_unit_test(history_is_kept),
		cmocka_unit_test(history_is_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
