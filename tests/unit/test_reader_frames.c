/* A compressed stream of several frames: many threads find the same records as one. */
#include "unit.h"
#include "image.h"
#include "written_file.h"

#include "base/system/file.h"
#include "format/file/zstd.h"
#include "format/read/reader_private.h"
#include "format/records/build.h"
#include "format/write/writer.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	NR_SAMPLES = 12000,
	WORDS = 128, /* of a sample; they take half of their size, so that there are several frames */
	COMM_EVERY = 10,
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
		assert_true(b.size > 0);
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

/* Who had the first part of a range need not be the one that asks for the next. */
static void any_block_gets_the_next_part(void **state)
{
	struct read read = { 0 };
	struct record_counts counts;
	struct block blocks[3] = { BLOCK_INIT, BLOCK_INIT, BLOCK_INIT };
	u64 nr = 0;
	int ret = 1;

	(void)state;
	write_samples();
	assert_int_equal(reader__open(&read.r, path, NULL), 0);
	assert_int_equal(reader__scan(read.r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
	read.pass = reader_pass__new(read.r);
	for (int i = 0; ret > 0; i++) {
		struct block *b = &blocks[MIN(i, 2)]; /* the first two are not used again */
		struct record rec;

		ret = reader_pass__next(read.pass, b, NULL);
		assert_true(ret <= 0 || b->size > 0);
		for (size_t pos = 0; ret > 0 && block__next(b, &pos, &rec);)
			if (rec.header->type == PERF_RECORD_SAMPLE)
				assert_int_equal(
					((const struct numbered *)(const void *)rec.header)->words[0], nr++);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(nr, NR_SAMPLES);
	for (int i = 0; i < 3; i++)
		block__exit(&blocks[i]);
	reader_pass__delete(read.pass);
	reader__close(read.r);
}

static size_t nr_allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* One thread needs one unpacker, however many frames there are. */
static void a_pass_takes_the_memory_of_one_frame(void **state)
{
	struct record_counts counts;
	struct block b = BLOCK_INIT;
	struct reader_pass *p;
	struct reader *r;
	size_t first;

	(void)state;
	write_samples();
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
	assert_true(r->priv->ranges.nr >= 4);
	for (size_t i = 0; i < r->priv->ranges.nr; i++)
		assert_true(r->priv->ranges.v[i].size > 0);
	p = reader_pass__new(r);
	for (int i = 0; i < 3; i++)
		assert_int_equal(reader_pass__next(p, &b, NULL), 1);
	first = nr_allocated();
	while (reader_pass__next(p, &b, NULL) > 0)
		;
	assert_true(nr_allocated() < first + (64 << 10));
	block__exit(&b);
	reader_pass__delete(p);
	reader__close(r);
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

/* Samples without a time are ordered by their places in the file, which a summary does not have. */
static void a_scan_without_times_needs_the_places(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct read read;

		for (size_t k = 0; k < list.evsels.nr; k++) {
			struct perf_event_attr *a = &list.evsels.v[k]->attr;

			a->sample_id_all = i;
			a->sample_type &= i ? ~(u64)PERF_SAMPLE_TIME : ~0ull;
		}
		write_samples();
		read = read_by(3, true);
		assert_int_equal(read.ret, 0);
		assert_int_equal(nr_summaries(read.r), 0);
		assert_int_equal(read.nr_samples, NR_SAMPLES);
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

/* Write into the first record of a frame, between its head and the next record. */
static void damage_frame(void)
{
	static const u8 magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	struct strbuf file = STRBUF_INIT;
	struct perf_event_header h;
	int fd;

	assert_int_equal(file__read(path, &file, 0), 0);
	for (size_t at = (size_t)written_header().data.offset;; at += h.size) {
		assert_true(at + sizeof(h) < file.len);
		memcpy(&h, file.buf + at, sizeof(h));
		if (at < file.len / 2 || memcmp(file.buf + at + sizeof(h), magic, sizeof(magic)) != 0)
			continue;
		memset(file.buf + at + 64, 0xff, h.size - 64u);
		break;
	}
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
			damage_frame();
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

/* ---- streams that a test makes ---- */

static void add_packed(struct image *im, const struct image *records)
{
	struct zstd_stream *z = zstd_stream__new(1, NULL);

	image__begin(im, RECORD_COMPRESSED, 0);
	assert_int_equal(zstd_stream__add(z, records->b.buf, records->b.len, true, &im->b), 0);
	image__end(im);
	zstd_stream__delete(z);
}

static void see_pid(void *ctx, const struct record *rec)
{
	struct strbuf *pids = ctx;
	u32 pid;

	memcpy(&pid, rec->header + 1, sizeof(pid));
	if (rec->header->type == PERF_RECORD_COMM)
		strbuf__addf(pids, "%u ", pid);
}

/*
 * The first frame unpacks to several blocks, and only one thread can do that, since the size of a record is
 * odd. The second one comes after all of it.
 */
static void frames_are_seen_in_order(void **state)
{
	struct image im, records;
	struct record_counts c;
	struct strbuf pids = STRBUF_INIT;
	struct reader *r;

	(void)state;
	image__init(&im, false);
	image__pipe_header(&im);
	image__init(&records, false);
	image__begin(&records, 60, 0);
	image__u8(&records, 1);
	image__end(&records);
	image__comm(&records, 1, "first");
	for (int i = 0; i < 20; i++) {
		image__begin(&records, 60, 0);
		strbuf__addchars(&records.b, '\0', 50000);
		image__end(&records);
	}
	image__comm(&records, 2, "last");
	add_packed(&im, &records);
	image__exit(&records);
	image__init(&records, false);
	image__comm(&records, 3, "next frame");
	add_packed(&im, &records);
	image__comm(&im, 4, "plain");
	assert_int_equal(
		image__open_with(im.b.buf, im.b.len, &r, &(struct reader_opts){ .nr_threads = 2 }, NULL), 0);
	assert_int_equal(
		reader__scan(r, &(struct reader_scan_opts){ .record = see_pid, .ctx = &pids }, &c, NULL), 0);
	assert_string_equal(pids.buf, "1 2 3 4 ");
	assert_int_equal(c.nr_records, 25);
	assert_int_equal(r->damage.code, 0);
	reader__close(r);
	image__exit(&records);
	image__exit(&im);
	strbuf__exit(&pids);
}

/*
 * In the other byte order, a record may look like a compressed one that begins a frame: type and size are
 * read with their bytes the right way around.
 */
static void the_byte_order_decides_what_is_compressed(void **state)
{
	enum { SIZE = 0x1010 }; /* both ways around */
	struct record_counts c;
	struct image im;
	struct reader *r;

	(void)state;
	image__init(&im, true);
	image__pipe_header(&im);
	image__begin(&im, __builtin_bswap32(RECORD_COMPRESSED), 0);
	strbuf__add(&im.b, "\x28\xb5\x2f\xfd", 4);
	strbuf__addchars(&im.b, '\0', SIZE - 12);
	image__end(&im);
	image__comm(&im, 1, "next");
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
	assert_int_equal(c.nr_unknown, 1);
	assert_int_equal(c.by_type[RECORD_COMPRESSED], 0);
	assert_int_equal(c.by_type[PERF_RECORD_COMM], 1);
	assert_int_equal(r->damage.code, 0);
	assert_false(r->is_compressed);
	reader__close(r);
	image__exit(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HAVE_LIBZSTD
		cmocka_unit_test_setup_teardown(threads_unpack_frames, setup, teardown),
		cmocka_unit_test_setup_teardown(any_block_gets_the_next_part, setup, teardown),
		cmocka_unit_test_setup_teardown(a_pass_takes_the_memory_of_one_frame, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_frames_end_the_reading_in_the_same_place, setup,
						teardown),
		cmocka_unit_test_setup_teardown(summaries_have_what_the_scan_needs, setup, teardown),
		cmocka_unit_test_setup_teardown(a_scan_without_times_needs_the_places, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_summaries_are_found_out, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_summary_is_unpacked, setup, teardown),
		cmocka_unit_test_setup_teardown(frames_that_change_are_told, setup, teardown),
		cmocka_unit_test(frames_are_seen_in_order),
#endif
		cmocka_unit_test(the_byte_order_decides_what_is_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
