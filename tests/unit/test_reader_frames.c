/* A compressed stream of several frames: many threads find the same records as one. */
#include "unit.h"
#include "written_file.h"

#include "base/system/file.h"
#include "format/read/reader_private.h"
#include "format/records/build.h"
#include "format/write/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	NR_SAMPLES = 12000,
	WORDS = 128, /* of a sample; they take half of their size, so that there are several frames */
	COMM_EVERY = 100,
};

struct numbered { /* a sample of no event that is decoded here */
	struct perf_event_header header;
	u64 words[WORDS]; /* the first one is its number */
};

static void write_samples(void)
{
	struct numbered s = { { .type = PERF_RECORD_SAMPLE, .size = sizeof(s) }, { 0 } };
	struct writer_opts opts = { .compression = 1 };
	struct strbuf comm = STRBUF_INIT;
	u64 seed = 1;
	struct writer *w;

	assert_int_equal(writer__open(&w, path, &opts, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	for (u64 n = 0; n < NR_SAMPLES; n++) {
		for (int i = 0; i < WORDS; i++)
			s.words[i] = (seed = seed * 6364136223846793005ull + 1442695040888963407ull) &
				     0x0f0f0f0f0f0f0f0f;
		s.words[0] = n;
		assert_int_equal(writer__write(w, &s, sizeof(s)), 0);
		if (n % COMM_EVERY)
			continue;
		strbuf__reset(&comm);
		build__comm(&comm, 0, 1, (u32)n, "thread", 16);
		assert_int_equal(writer__write(w, comm.buf, comm.len), 0);
	}
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	strbuf__exit(&comm);
}

struct read {
	struct reader *r;
	struct reader_pass *pass;
	u64 nr_comms, nr_samples, sum;
	bool in_order;
	int ret; /* of the pass in any thread */
};

static void see_comm(void *ctx, const struct record *rec)
{
	struct read *read = ctx;
	u32 tid;

	if (rec->header->type != PERF_RECORD_COMM)
		return;
	memcpy(&tid, (const u8 *)rec->header + sizeof(*rec->header) + 4, sizeof(tid));
	assert_int_equal(tid, read->nr_comms++ * COMM_EVERY);
}

static void *see_samples(void *ctx)
{
	struct read *read = ctx;
	struct block b = BLOCK_INIT;
	struct record rec;
	u64 last = 0;
	int ret;

	while ((ret = reader_pass__next(read->pass, &b, NULL)) > 0) {
		for (size_t pos = 0; block__next(&b, &pos, &rec);) {
			u64 n = ((const struct numbered *)(const void *)rec.header)->words[0];

			if (rec.header->type != PERF_RECORD_SAMPLE)
				continue;
			if (last && n != last + 1)
				__atomic_store_n(&read->in_order, false, __ATOMIC_RELAXED);
			last = n;
			__atomic_add_fetch(&read->nr_samples, 1, __ATOMIC_RELAXED);
			__atomic_add_fetch(&read->sum, n, __ATOMIC_RELAXED);
		}
	}
	if (ret)
		__atomic_store_n(&read->ret, ret, __ATOMIC_RELAXED);
	block__exit(&b);
	return NULL;
}

/* The scan, then a pass; both by so many threads. */
static struct read read_by(unsigned nr_threads, bool trusts_summaries)
{
	struct reader_opts opts = { .nr_threads = nr_threads, .trusts_summaries = trusts_summaries };
	struct read read = { .in_order = true };
	struct reader_scan_opts scan = { .record = see_comm, .ctx = &read };
	struct record_counts counts;
	pthread_t threads[8];

	assert_int_equal(reader__open_with(&read.r, path, &opts, NULL), 0);
	assert_int_equal(reader__scan(read.r, &scan, &counts, NULL), 0);
	read.pass = reader_pass__new(read.r);
	for (unsigned i = 1; i < nr_threads; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, see_samples, &read), 0);
	see_samples(&read);
	for (unsigned i = 1; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	if (!read.ret)
		assert_int_equal(read.nr_samples, counts.by_type[PERF_RECORD_SAMPLE]);
	assert_int_equal(read.nr_comms, counts.by_type[PERF_RECORD_COMM]);
	reader_pass__delete(read.pass);
	return read;
}

static struct read read_with(unsigned nr_threads, char *damage, size_t size)
{
	struct read read = read_by(nr_threads, false);

	assert_int_equal(read.ret, 0);
	if (damage)
		snprintf(damage, size, "%s", read.r->damage.code ? read.r->damage.text.buf : "");
	return read;
}

static void threads_unpack_frames(void **state)
{
	(void)state;
	write_samples();
	for (unsigned n = 1; n <= 5; n += 2) {
		struct read read = read_with(n, NULL, 0);

		assert_int_equal(read.nr_samples, NR_SAMPLES);
		assert_int_equal(read.nr_comms, NR_SAMPLES / COMM_EVERY);
		assert_int_equal(read.sum, (u64)NR_SAMPLES * (NR_SAMPLES - 1) / 2);
		assert_true(n > 1 || read.in_order);
		/* It was in parts, or there was nothing to test. */
		assert_true(read.r->priv->ranges.nr >= 4 && !read.r->priv->walk_again);
		assert_int_equal(read.r->damage.code, 0);
		reader__close(read.r);
	}
}

/* Write over some bytes of the file at a share of it. */
static void damage_at(double share)
{
	struct strbuf file = STRBUF_INIT;
	int fd;

	assert_int_equal(file__read(path, &file, 0), 0);
	memset(file.buf + (size_t)((double)file.len * share), 0xff, 8192);
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(file__write_all(fd, file.buf, file.len), 0);
	close(fd);
	strbuf__exit(&file);
}

static void damaged_frames_end_the_reading_in_the_same_place(void **state)
{
	static const char *const ways[] = { "damaged", "cut" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		char first[512], other[512];
		struct read one, many;

		write_samples();
		if (i == 0)
			damage_at(0.6);
		else
			assert_int_equal(truncate(path, (off_t)written_header().data.size / 10 * 6), 0);
		one = read_with(1, first, sizeof(first));
		many = read_with(5, other, sizeof(other));
		assert_true(first[0]);
		assert_string_equal(first, other);
		assert_true(one.nr_samples > NR_SAMPLES / 2 && one.nr_samples < NR_SAMPLES * 7 / 10);
		assert_int_equal(one.nr_samples, many.nr_samples);
		assert_int_equal(one.sum, one.nr_samples * (one.nr_samples - 1) / 2);
		assert_int_equal(one.sum, many.sum);
		assert_int_equal(one.nr_comms, many.nr_comms);
		reader__close(one.r);
		reader__close(many.r);
	}
}

static size_t nr_summaries(const struct reader *r)
{
	size_t nr = 0;

	for (size_t i = 0; i < r->priv->ranges.nr; i++)
		nr += r->priv->ranges.v[i].check != 0;
	return nr;
}

static void summaries_have_what_the_scan_needs(void **state)
{
	(void)state;
	write_samples();
	for (unsigned n = 1; n <= 5; n += 2) {
		struct read read = read_by(n, true);

		assert_int_equal(read.ret, 0);
		assert_true(nr_summaries(read.r) >= 4);
		assert_int_equal(read.nr_samples, NR_SAMPLES);
		assert_int_equal(read.nr_comms, NR_SAMPLES / COMM_EVERY);
		assert_int_equal(read.sum, (u64)NR_SAMPLES * (NR_SAMPLES - 1) / 2);
		assert_int_equal(read.r->damage.code, 0);
		reader__close(read.r);
	}
}

/* Add to a byte of the first summary's fixed part. */
static void change_summary(size_t at)
{
	struct strbuf file = STRBUF_INIT;
	char *end;
	int fd;

	assert_int_equal(file__read(path, &file, 0), 0);
	end = memmem(file.buf, file.len, "PRFZSUM1", 8);
	assert_non_null(end);
	end[8 - (int)sizeof(struct frame_summary_end) + (int)at]++;
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(file__write_all(fd, file.buf, file.len), 0);
	close(fd);
	strbuf__exit(&file);
}

static void wrong_summaries_are_found_out(void **state)
{
	static const size_t places[] = { offsetof(struct frame_summary_end, nr_samples),
					 offsetof(struct frame_summary_end, unpacked_bytes),
					 offsetof(struct frame_summary_end, nr_packed) };

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(places); i++) {
		write_samples();
		if (i < ARRAY_SIZE(places))
			change_summary(places[i]);
		else
			damage_at(0.6); /* in the frame itself */
		for (unsigned n = 1; n <= 5; n += 4) {
			struct read read = read_by(n, true);

			assert_int_equal(read.ret, -ESTALE);
			reader__close(read.r);
		}
	}
}

/* Where the fixed part does not fit its frame, there is none. */
static void what_is_no_summary_is_unpacked(void **state)
{
	static const size_t places[] = { offsetof(struct frame_summary_end, packed_bytes),
					 offsetof(struct frame_summary_end, side_band_bytes) + 7,
					 offsetof(struct frame_summary_end, magic) };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		struct read read;

		write_samples();
		change_summary(places[i]);
		read = read_by(3, true);
		assert_int_equal(read.ret, 0);
		assert_int_equal(read.r->priv->ranges.v[0].check, 0);
		assert_true(nr_summaries(read.r) >= 3);
		assert_int_equal(read.nr_samples, NR_SAMPLES);
		assert_int_equal(read.nr_comms, NR_SAMPLES / COMM_EVERY);
		reader__close(read.r);
	}
}

/* The file is damaged between the scan and a pass. */
static void frames_that_change_are_told(void **state)
{
	struct record_counts counts;
	struct err err = ERR_INIT;
	struct block b = BLOCK_INIT;
	struct reader_pass *p;
	struct reader *r;
	int ret;

	(void)state;
	write_samples();
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
	assert_int_equal(nr_summaries(r), 0);
	damage_at(0.6);
	p = reader_pass__new(r);
	while ((ret = reader_pass__next(p, &b, &err)) > 0)
		;
	assert_int_equal(ret, -EIO);
	assert_non_null(strstr(err.text.buf, "cannot unpack again from offset "));
	assert_non_null(strstr(err.text.buf, "the file has changed"));
	assert_int_equal(r->damage.code, 0);
	err__exit(&err);
	block__exit(&b);
	reader_pass__delete(p);
	reader__close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_LIBZSTD
		cmocka_unit_test_setup_teardown(threads_unpack_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_frames_end_the_reading_in_the_same_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(summaries_have_what_the_scan_needs, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_summaries_are_found_out, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_summary_is_unpacked, setup, teardown),
		cmocka_unit_test_setup_teardown(frames_that_change_are_told, setup, teardown),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
