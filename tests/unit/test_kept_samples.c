/* Samples that the first pass keeps: the same ones, in the same order, as another pass over the recording
 * yields. */
#include "unit.h"

#include "image.h"
#include "model/session.h"

enum { PID = 7 };

static void put_map(struct image *im, u64 time)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, 0x1000);
	image__u64(im, 0x1000);
	image__u64(im, 0);
	image__str(im, "/some/file", 16);
	image__u64(im, time);
	image__end(im);
}

static void put_sample(struct image *im, u64 time, u64 extra)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, 0x1000 + time);
	image__u64(im, time);
	image__u64(im, extra);
	for (u64 i = 0; i < extra; i++)
		image__u64(im, time * i);
	image__end(im);
}

/* maps in a row, and then a sample, again and again. */
static struct session *open_recording(u32 nr_samples, u32 maps, bool has_time, bool samples_follow)
{
	struct perf_event_attr a =
		image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN);
	struct session_opts opts = { .symbols.symfs = "/nowhere", .samples_follow = samples_follow };
	struct session *s;
	struct image im;
	char path[64];
	u64 time = 1;
	int fd;

	a.sample_id_all = has_time;
	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	for (u32 i = 0; i < nr_samples; i++) {
		for (u32 k = 0; k < maps; k++)
			put_map(&im, time++);
		put_sample(&im, time++, i % 50);
	}
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	image__exit(&im);
	return s;
}

/* Of all samples of a pass, in the order of its blocks; where they stand does not count. */
static u64 digest(struct session *s, u64 *nr)
{
	struct sample_pass *pass = sample_pass__new(s);
	struct block block = BLOCK_INIT;
	u64 hash = 0, last = 0;
	struct record r;

	*nr = 0;
	while (sample_pass__next(pass, &block, NULL) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &r)) {
			if (r.header->type != PERF_RECORD_SAMPLE)
				continue;
			hash = hash__bytes(r.header, r.header->size, hash);
			assert_true(!*nr || r.offset > last);
			last = r.offset;
			++*nr;
		}
	}
	sample_pass__release(pass, &block);
	sample_pass__delete(pass);
	return hash;
}

static void few_samples_are_kept(void **state)
{
	u64 nr, nr_read, kept;
	struct session *s;

	(void)state;
	s = open_recording(3000, 20, true, true);
	assert_false(s->kept.given_up);
	assert_true(s->kept.bytes > 600000 && s->kept.pieces.nr > 5);
	kept = digest(s, &nr);
	assert_int_equal(nr, 3000);
	assert_int_equal(digest(s, &nr), kept); /* again */
	kept_samples__give_up(&s->kept);
	assert_int_equal(digest(s, &nr_read), kept);
	assert_int_equal(nr_read, nr);
	session__delete(s);
}

static void others_are_read_again(void **state)
{
	static const struct {
		u32 nr, maps;
		bool has_time, follow;
	} cases[] = {
		{ 3000, 1, true, true },   /* too large a part */
		{ 3000, 20, false, true }, /* the offset is their time */
		{ 3000, 20, true, false }, /* nobody asked */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct session *s =
			open_recording(cases[i].nr, cases[i].maps, cases[i].has_time, cases[i].follow);
		u64 nr;

		assert_true(s->kept.given_up);
		assert_null(s->kept.arena.chunks);
		digest(s, &nr);
		assert_int_equal(nr, cases[i].nr);
		session__delete(s);
	}
}

static void small_recordings_are_kept_whole(void **state)
{
	struct session *s = open_recording(100, 0, true, true);
	u64 nr;

	(void)state;
	assert_false(s->kept.given_up);
	digest(s, &nr);
	assert_int_equal(nr, 100);
	session__delete(s);
	s = open_recording(0, 10, true, true);
	digest(s, &nr);
	assert_int_equal(nr, 0);
	session__delete(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_samples_are_kept),
		cmocka_unit_test(others_are_read_again),
		cmocka_unit_test(small_recordings_are_kept_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
