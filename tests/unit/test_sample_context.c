/* What other records say about a sample: how many threads ran, and the cgroup namespace of its thread. */
#include "unit.h"

#include "image.h"
#include "profile/gather/sample_context.h"

enum { OUT = PERF_RECORD_MISC_SWITCH_OUT };

static void put_trailer(struct image *im, u32 tid, u64 time)
{
	image__u32(im, 1);
	image__u32(im, tid);
	image__u64(im, time);
	image__end(im);
}

static void put_switch(struct image *im, u32 tid, u64 time, u16 misc)
{
	image__begin(im, PERF_RECORD_SWITCH, misc);
	put_trailer(im, tid, time);
}

static void put_exit(struct image *im, u32 tid, u64 time)
{
	image__begin(im, PERF_RECORD_EXIT, 0);
	image__u32(im, 1);
	image__u32(im, 1);
	image__u32(im, tid);
	image__u32(im, tid);
	image__u64(im, time);
	put_trailer(im, tid, time);
}

static void put_namespaces(struct image *im, u32 tid, u64 time, u64 device, u64 inode)
{
	image__begin(im, PERF_RECORD_NAMESPACES, 0);
	image__u32(im, 1);
	image__u32(im, tid);
	image__u64(im, 7);
	for (u64 i = 0; i < 7; i++) {
		image__u64(im, i == 6 ? device : 99);
		image__u64(im, i == 6 ? inode : 99);
	}
	put_trailer(im, tid, time);
}

static void read_context(struct image *im, struct sample_context *c)
{
	struct session_opts opts = { .symbols.symfs = "/nowhere" };
	struct err err = ERR_INIT;
	struct session *s;
	char path[64];
	int fd;

	image__end_data(im);
	image__path(im->b.buf, im->b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, &err), 0);
	close(fd);
	*c = (struct sample_context){ .namespaces = { 0 } };
	assert_int_equal(sample_context__read(c, s, &err), 0);
	session__delete(s);
	image__exit(im);
	err__exit(&err);
}

static void image__start(struct image *im)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);

	a.sample_id_all = 1;
	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
}

static size_t step; /* kept from one call to the next, as by a worker */

static u32 parallelism_at(const struct sample_context *c, u64 time)
{
	struct sample s = { .tid = 10, .time = time };

	sample_context__fill(c, &step, &s);
	return s.parallelism;
}

static void counts_threads_that_run(void **state)
{
	struct sample_context c;
	struct image im;

	(void)state;
	step = 0;
	image__start(&im);
	put_switch(&im, 11, 30, 0); /* later than the next record, as in another CPU's buffer */
	put_switch(&im, 10, 20, OUT);
	put_switch(&im, 10, 40, 0);
	put_switch(&im, 10, 41, 0); /* the switch away was lost */
	put_switch(&im, 12, 50, 0);
	put_switch(&im, 0, 55, 0); /* idle */
	put_exit(&im, 12, 60);     /* without a switch */
	put_switch(&im, 11, 70, OUT);
	put_switch(&im, 10, 80, OUT);
	read_context(&im, &c);
	assert_int_equal(parallelism_at(&c, 0), 1);  /* 10 ran when the recording began */
	assert_int_equal(parallelism_at(&c, 25), 1); /* nothing runs, but a sample is of a thread */
	assert_int_equal(parallelism_at(&c, 35), 1);
	assert_int_equal(parallelism_at(&c, 40), 2);
	assert_int_equal(parallelism_at(&c, 45), 2);
	assert_int_equal(parallelism_at(&c, 55), 3);
	assert_int_equal(parallelism_at(&c, 65), 2);
	assert_int_equal(parallelism_at(&c, 75), 1);
	assert_int_equal(parallelism_at(&c, 1000), 1);
	sample_context__exit(&c);
}

static u64 namespace_at(const struct sample_context *c, u32 tid, u64 time)
{
	struct sample s = { .tid = tid, .time = time };

	sample_context__fill(c, &step, &s);
	return s.cgroup_ns;
}

static void finds_the_cgroup_namespace(void **state)
{
	struct sample_context c;
	struct image im;

	(void)state;
	step = 0;
	image__start(&im);
	put_namespaces(&im, 11, 50, 4, 0xeffffffb);
	put_namespaces(&im, 10, 20, 4, 0xf0000001);
	put_namespaces(&im, 10, 0, 4, 0xeffffffb);
	read_context(&im, &c);
	assert_int_equal(namespace_at(&c, 10, 10), 4ull << 32 | 0xeffffffb);
	assert_int_equal(namespace_at(&c, 10, 20), 4ull << 32 | 0xf0000001);
	assert_int_equal(namespace_at(&c, 11, 60), 4ull << 32 | 0xeffffffb);
	assert_int_equal(namespace_at(&c, 11, 40), 0);
	assert_int_equal(namespace_at(&c, 12, 60), 0);
	sample_context__exit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_threads_that_run),
		cmocka_unit_test(finds_the_cgroup_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
