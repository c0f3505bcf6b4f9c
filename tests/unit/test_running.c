/* Records of processes that still run, for later partitions of a recording (profile/embed/partitions.h). */
#include "unit.h"

#include "base/text/strbuf.h"
#include "format/records/abi.h"
#include "profile/embed/partitions.h"

#include <stdlib.h>
#include <string.h>

static struct evlist list;
static struct sample_decoder decoder;
static struct running *running;

struct trailer {
	u32 pid, tid;
	u64 time;
};

static void see(const void *record)
{
	const struct record rec = { .header = record };

	running__see(running, &decoder, &rec);
}

static void task(u32 type, u32 pid, u32 tid, u32 ppid, u64 time)
{
	struct {
		struct perf_event_header h;
		u32 pid, ppid, tid, ptid;
		u64 time;
		struct trailer id;
	} r = { { type, 0, sizeof(r) }, pid, ppid, tid, ppid, time, { pid, tid, time } };

	see(&r);
}

static void forks(u32 pid, u32 ppid, u64 time)
{
	task(PERF_RECORD_FORK, pid, pid, ppid, time);
}

static void begins_thread(u32 pid, u32 tid, u64 time)
{
	task(PERF_RECORD_FORK, pid, tid, pid, time);
}

static void ends(u32 pid, u32 tid, u64 time)
{
	task(PERF_RECORD_EXIT, pid, tid, 1, time);
}

static void maps(u32 pid, u16 cpumode, u64 time)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		u64 start, len, pgoff;
		char name[8];
		struct trailer id;
	} r = { { PERF_RECORD_MMAP, cpumode, sizeof(r) },
		pid,
		pid,
		0x1000,
		0x1000,
		0,
		"/lib/x",
		{ pid, pid, time } };

	see(&r);
}

static void has_name(u32 pid, bool exec, u64 time)
{
	struct {
		struct perf_event_header h;
		u32 pid, tid;
		char comm[16];
		struct trailer id;
	} r = { { PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, sizeof(r) },
		pid,
		pid,
		"name",
		{ pid, pid, time } };

	see(&r);
}

static void end_round(void)
{
	const struct perf_event_header h = { .type = RECORD_FINISHED_ROUND, .size = sizeof(h) };

	see(&h);
}

/* So many that what ended in the first of them is forgotten. */
static void end_rounds(void)
{
	for (int i = 0; i < 3; i++)
		end_round();
}

/* Records that are left, as "m10": M kernel map, m map, f fork, t thread, e exit, x exec; and the thread. */
static void expect(const char *text)
{
	struct strbuf got = STRBUF_INIT;
	const struct strbuf *records;
	size_t nr, seen = 0;

	records = running__records(running, &nr);
	for (size_t at = 0; at < records->len; seen++) {
		const struct perf_event_header *h = (const void *)(records->buf + at);
		u32 ids[3];

		memcpy(ids, h + 1, sizeof(ids));
		strbuf__addstr(&got, got.len ? " " : "");
		if (h->type == PERF_RECORD_MMAP)
			strbuf__addf(&got, "%c%u", h->misc == PERF_RECORD_MISC_USER ? 'm' : 'M', ids[0]);
		else if (h->type == PERF_RECORD_COMM)
			strbuf__addf(&got, "x%u", ids[0]);
		else
			strbuf__addf(&got, "%c%u",
				     h->type == PERF_RECORD_EXIT ? 'e'
				     : ids[0] == ids[2]          ? 'f'
								 : 't',
				     ids[2]);
		at += h->size;
	}
	assert_int_equal(seen, nr);
	assert_string_equal(got.buf, text);
	strbuf__exit(&got);
}

static int begin(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_id_all = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

	(void)state;
	evlist__init(&list);
	evlist__add(&list, &attr, sizeof(attr), "cpu-clock");
	sample_decoder__init(&decoder, &list);
	running = running__new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	running__delete(running);
	sample_decoder__exit(&decoder);
	evlist__exit(&list);
	return 0;
}

static void what_ended_is_forgotten(void **state)
{
	(void)state;
	maps(0, PERF_RECORD_MISC_KERNEL, 0);
	maps(10, PERF_RECORD_MISC_USER, 0);
	maps(20, PERF_RECORD_MISC_USER, 0);
	has_name(20, false, 5); /* is no exec: nobody needs it */
	ends(10, 10, 50);
	end_round();
	end_round();
	expect("M0 m10 m20 e10"); /* records of two rounds may be in any order */
	end_round();
	expect("M0 m20");
	/* the number is used again */
	forks(10, 20, 60);
	has_name(10, true, 61);
	maps(10, PERF_RECORD_MISC_USER, 62);
	end_rounds();
	expect("M0 m20 f10 x10 m10");
}

/* Maps of a parent are those of its children, until these exec. */
static void parents_are_kept(void **state)
{
	(void)state;
	maps(10, PERF_RECORD_MISC_USER, 0);
	forks(20, 10, 20);
	ends(10, 10, 30);
	end_rounds();
	expect("m10 f20 e10");
	has_name(20, true, 40);
	maps(20, PERF_RECORD_MISC_USER, 41);
	end_rounds();
	expect("f20 x20 m20");
	/* a grandchild */
	forks(30, 20, 50);
	forks(40, 30, 51);
	ends(20, 20, 52);
	ends(30, 30, 53);
	end_rounds();
	expect("f20 x20 m20 f30 f40 e20 e30");
	ends(40, 40, 60);
	end_rounds();
	expect("");
}

/* A process ends with the last of its threads; the records of threads go before. */
static void threads_are_kept(void **state)
{
	(void)state;
	maps(10, PERF_RECORD_MISC_USER, 0);
	begins_thread(10, 11, 20);
	begins_thread(10, 12, 21);
	ends(10, 11, 30);
	end_rounds();
	expect("m10 t12");
	ends(10, 10, 40); /* the first thread */
	end_rounds();
	expect("m10 t12 e10");
	ends(10, 12, 50);
	end_rounds();
	expect("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_ended_is_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(parents_are_kept, begin, end),
		cmocka_unit_test_setup_teardown(threads_are_kept, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
