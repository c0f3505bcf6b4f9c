/* Samples that carry counter values: what each counts for, with events that children inherit and without. */
#include "unit.h"

#include "image.h"
#include "profile/gather/profile.h"

enum { ID = 7, MEMBER_ID = 8, OTHER_CPU_ID = 9 };

static void image__read_sample(struct image *im, u32 tid, u64 id, u64 value)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, 0x1000);
	image__u32(im, 40);
	image__u32(im, tid);
	image__u64(im, 2); /* nr, then values with their ids */
	image__u64(im, value);
	image__u64(im, id);
	image__u64(im, 2 * value);
	image__u64(im, MEMBER_ID);
	image__end(im);
}

struct reading {
	u32 tid;
	u64 id, value;
};

/* Opens a recording of a group that was read nr times. */
static struct session *session(bool inherit, const struct reading *readings, size_t nr)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_READ);
	const u64 ids[] = { ID, OTHER_CPU_ID, MEMBER_ID };
	size_t ids_at = 104 + 2 * 128;
	struct session_opts opts = { .symbols.symfs = "/nowhere" };
	struct session *s;
	struct image im;
	char path[64];
	int fd;

	a.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	a.inherit = inherit;
	image__init(&im, false);
	image__file_header(&im, 2, 112, 0);
	image__put_u64(&im, 40, ids_at + sizeof(ids));
	image__attr_entry(&im, &a, 112, ids_at, 16);
	image__attr_entry(&im, &a, 112, ids_at + 16, 8);
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		image__u64(&im, ids[i]);
	for (size_t i = 0; i < nr; i++)
		image__read_sample(&im, readings[i].tid, readings[i].id, readings[i].value);
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	image__exit(&im);
	return s;
}

/* Adds up the periods of an event, of one thread (0: of all). */
static u64 period(const struct profile *p, u32 event, u32 tid)
{
	u64 sum = 0;

	for (size_t i = 0; i < p->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&p->rows, i);

		sum += row->key.event == event && (!tid || row->key.tid == tid) ? row->period : 0;
	}
	return sum;
}

static void count(bool inherit, const struct reading *readings, size_t nr, u64 want_40, u64 want_41)
{
	struct session *s = session(inherit, readings, nr);
	const struct profile_opts opts = { .nr_threads = 1, .split = PROFILE_SPLIT_THREAD };
	struct profile p;

	assert_int_equal(profile__collect(&p, s, &opts, NULL), 0);
	assert_int_equal(period(&p, 0, 40), want_40);
	assert_int_equal(period(&p, 0, 41), want_41);
	profile__exit(&p);
	session__delete(s);
}

static void inherited_counters_advance_for_each_thread(void **state)
{
	static const struct reading readings[] = {
		{ 40, ID, 1000 },         { 41, ID, 100 }, { 40, ID, 1500 },
		{ 40, OTHER_CPU_ID, 70 }, { 41, ID, 130 },
	};

	(void)state;
	count(true, readings, ARRAY_SIZE(readings), 1500 + 70, 130);
}

static void a_thread_that_reuses_a_tid_counts_from_0(void **state)
{
	static const struct reading readings[] = { { 40, ID, 1000 }, { 41, ID, 130 }, { 41, ID, 20 } };

	(void)state;
	count(true, readings, ARRAY_SIZE(readings), 1000, 130 + 20);
}

static void other_counters_advance_for_all_threads(void **state)
{
	static const struct reading readings[] = { { 40, ID, 1000 }, { 41, ID, 1100 }, { 40, ID, 1500 } };

	(void)state;
	count(false, readings, ARRAY_SIZE(readings), 1000 + 400, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inherited_counters_advance_for_each_thread),
		cmocka_unit_test(a_thread_that_reuses_a_tid_counts_from_0),
		cmocka_unit_test(other_counters_advance_for_all_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
