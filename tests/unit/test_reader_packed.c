/*
 * A piece of a compressed stream: what is found in it when it is unpacked, which samples it keeps, and what
 * it takes from a recorder's summary. Numbers follow from how the records are built.
 */
#include "unit.h"

#include "image.h"
#include "format/file/zstd.h"
#include "format/read/reader_piece.h"

#include <errno.h>

enum {
	FIRST_ID = 11,
	SECOND_ID = 22,
	ATTR = 112,
	SAMPLES_KEPT = 256 << 10, /* bytes */
	PACKED_MAX = 65520,       /* bytes in a compressed record */
	JUNK = 64,                /* bytes before what is looked at */
};

static struct evlist events;
static struct sample_decoder decoder;
static struct piece_source src;
static struct piece piece;
static struct image in; /* the records that are packed */
static u64 begin, limit;
static struct reader *reader;

static void add_events(u32 nr)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);

	evlist__init(&events);
	for (u32 i = 0; i < nr; i++)
		evlist__add_id(&events, evlist__add(&events, &a, sizeof(a), "event"),
			       i ? SECOND_ID : FIRST_ID);
	sample_decoder__init(&decoder, &events);
	src = (struct piece_source){ .fd = -1, .decoder = &decoder, .nr_events = nr };
}

static int setup(void **state)
{
	(void)state;
	add_events(2);
	piece = (struct piece)PIECE_INIT;
	image__init(&in, false);
	reader = NULL;
	return 0;
}

static void close_file(void)
{
	reader__close(reader);
	reader = NULL;
	file__close(src.fd);
	src.fd = -1;
}

static int teardown(void **state)
{
	(void)state;
	close_file();
	piece__exit(&piece);
	sample_decoder__exit(&decoder);
	evlist__exit(&events);
	image__exit(&in);
	return 0;
}

static void add_sample(u64 id, size_t size)
{
	image__begin(&in, PERF_RECORD_SAMPLE, 2);
	image__u64(&in, id);
	image__u64(&in, 0x1000);
	strbuf__addchars(&in.b, '\0', size - 24);
	image__end(&in);
}

static void add_record(u32 type, size_t size)
{
	image__begin(&in, type, 0);
	strbuf__addchars(&in.b, '\0', size - sizeof(struct perf_event_header));
	image__end(&in);
}

/* A record of its own content, so that no two are equal. */
static void add_comm(u32 tid)
{
	image__comm(&in, tid, "x");
}

/* A frame of the records, or its first bytes. */
static void pack(struct strbuf *out)
{
	struct zstd_stream *z = zstd_stream__new(1, NULL);

	assert_non_null(z);
	assert_int_equal(zstd_stream__add(z, in.b.buf, in.b.len, true, out), 0);
	zstd_stream__delete(z);
}

/* Make a recording of compressed records that together have the bytes, and COMM records after them. */
static void make_file(const struct strbuf *packed)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	struct image im;
	char path[64];

	close_file();
	image__init(&im, false);
	image__file_header(&im, 1, ATTR, 0);
	image__attr_entry(&im, &a, ATTR, 0, 0);
	begin = im.b.len;
	for (size_t at = 0, part; at < packed->len; at += part) {
		part = MIN(packed->len - at, (size_t)PACKED_MAX);
		image__begin(&im, RECORD_COMPRESSED, 0);
		strbuf__add(&im.b, packed->buf + at, part);
		image__end(&im);
	}
	limit = im.b.len;
	image__comm(&im, 1, "not of the piece");
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &src.fd, path);
	src.end = im.b.len;
	assert_int_equal(reader__open(&reader, path, NULL), 0);
	image__exit(&im);
}

/* Unpack the piece. */
static void unpack(void)
{
	struct block b = BLOCK_INIT;
	struct walker w;

	walker__init(&w, reader, false);
	piece__start(&piece, begin, limit, false);
	piece__unpack(&piece, &src, &w, 0, &b);
	walker__exit(&w);
	block__exit(&b);
}

/* All records but samples are kept; all others, too, if the piece is filled. */
static void expect_kept(bool filled)
{
	size_t k = 0, size = 0;

	assert_int_equal(piece.filled, filled);
	for (size_t at = 0; at < in.b.len;) {
		const struct perf_event_header *h = (const void *)(in.b.buf + at);

		if (h->type != PERF_RECORD_SAMPLE) {
			assert_true(k < piece.kept.nr);
			assert_memory_equal(piece.data + piece.kept.v[k].pos, h, h->size);
			assert_int_equal(piece.kept.v[k].offset, begin);
			assert_true(!filled || piece.kept.v[k].pos == at);
			size += h->size;
			k++;
		}
		at += h->size;
	}
	assert_int_equal(piece.kept.nr, k);
	if (filled) {
		assert_int_equal(piece.size, in.b.len);
		assert_memory_equal(piece.data, in.b.buf, in.b.len);
	} else {
		assert_in_range(piece.size, size, in.b.len);
	}
}

static void expect_unpacked(u64 nr_samples, u64 nr_records)
{
	assert_ptr_equal(piece.data, piece.buffer);
	assert_false(piece.stuck);
	assert_int_equal(piece.ret, 0);
	assert_int_equal(piece.first, begin);
	assert_int_equal(piece.end, limit);
	assert_int_equal(piece.check, 0); /* of no summary */
	assert_int_equal(piece.by_type[PERF_RECORD_SAMPLE], nr_samples);
	assert_int_equal(piece.nr_records, nr_records);
	assert_int_equal(piece.totals.unpacked_records, nr_records);
	assert_int_equal(piece.totals.unpacked_bytes, in.b.len);
	assert_int_equal(piece.totals.nr_compressed, (limit - begin + PACKED_MAX + 7) / (PACKED_MAX + 8));
	assert_int_equal(piece.totals.nr_compressed2, 0);
	assert_int_equal(piece.totals.packed_bytes, limit - begin - 8 * piece.totals.nr_compressed);
}

/* Pack what was added, and unpack it. */
static void pack_and_unpack(void)
{
	struct strbuf packed = STRBUF_INIT;

	pack(&packed);
	make_file(&packed);
	unpack();
	strbuf__exit(&packed);
}

static void records_are_counted(void **state)
{
	(void)state;
	add_sample(FIRST_ID, 24);
	add_comm(1);
	add_sample(SECOND_ID, 32);
	add_sample(SECOND_ID, 24);
	add_sample(99, 24); /* of no known event */
	add_record(200, 16);
	add_comm(2);
	for (int i = 0; i < 2; i++) { /* the second time without counting by event */
		pack_and_unpack();
		expect_unpacked(4, 7);
		expect_kept(true);
		assert_int_equal(piece.by_type[PERF_RECORD_COMM], 2);
		assert_int_equal(piece.nr_unknown, 1);
		if (!i) {
			assert_int_equal(piece.by_event.nr, 2);
			assert_int_equal(piece.by_event.v[0], 1);
			assert_int_equal(piece.by_event.v[1], 2);
		}
		src.decoder = NULL;
	}
}

/* A piece may have had anything before. */
static void a_piece_is_used_again(void **state)
{
	struct piece_source plain = { .fd = -1, .end = 100 };

	(void)state;
	piece__start(&piece, 0, 100, false);
	piece__walk(&piece, &plain, 0);
	assert_int_equal(piece.ret, -EBADF);
	for (u32 i = 1; i <= 3; i++) {
		add_sample(FIRST_ID, 24);
		add_comm(i);
		piece.check = 5;
		pack_and_unpack();
		expect_unpacked(i, 2 * i);
		expect_kept(true);
		assert_int_equal(piece.by_event.v[0], i);
	}
}

/* Samples are kept up to some size, or up to half of all that is kept. */
static void few_samples_are_kept(void **state)
{
	static const struct {
		u32 nr_others; /* of 1024 bytes */
		u32 nr_samples;
		bool kept;
	} cases[] = { { 0, SAMPLES_KEPT / 1024, true },
		      { 0, SAMPLES_KEPT / 1024 + 1, false },
		      { 3, SAMPLES_KEPT / 1024 + 1, false },
		      { 600, 500, true },
		      { 600, 599, true },
		      { 600, 602, false },
		      { 600, SAMPLES_KEPT / 1024 - 1, true },
		      { 100, 600, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__reset(&in.b);
		for (u32 n = 0; n < cases[i].nr_others; n++)
			add_record(PERF_RECORD_COMM, 1024);
		for (u32 n = 0; n < cases[i].nr_samples; n++)
			add_sample(FIRST_ID, 1024);
		for (u32 n = 0; n < 10; n++)
			add_comm(n);
		pack_and_unpack();
		expect_unpacked(cases[i].nr_samples, cases[i].nr_others + cases[i].nr_samples + 10);
		expect_kept(cases[i].kept);
		assert_int_equal(piece.by_event.v[0], cases[i].nr_samples);
		assert_int_equal(piece.by_type[PERF_RECORD_COMM], cases[i].nr_others + 10);
	}
}

/* The walker takes a piece that has events, or more records to keep than memory should go for. */
static void what_the_walker_must_take_is_stuck(void **state)
{
	const u32 nr = PIECE_KEPT_MAX / 32768;

	(void)state;
	/* it is in the first block, after which nothing is unpacked */
	add_sample(FIRST_ID, 24);
	add_record(RECORD_HEADER_ATTR, 136);
	for (u32 i = 0; i < 64; i++)
		add_record(PERF_RECORD_COMM, 32768);
	pack_and_unpack();
	assert_true(piece.stuck);
	assert_int_equal(piece.end, begin);
	assert_true(piece.nr_records < 32);
	for (u32 more = 0; more < 2; more++) {
		strbuf__reset(&in.b);
		for (u32 i = 0; i < nr + more; i++)
			add_record(PERF_RECORD_COMM, 32768);
		pack_and_unpack();
		assert_int_equal(piece.stuck, more);
		assert_int_equal(piece.end, more ? begin : limit);
		assert_true(more || piece.size == PIECE_KEPT_MAX);
	}
}

/* A frame that is damaged, or does not end in the piece, or cannot be read. */
static void what_cannot_be_unpacked_is_stuck(void **state)
{
	struct strbuf packed = STRBUF_INIT;
	int fd;

	(void)state;
	for (u32 i = 0; i < 4000; i++)
		add_comm(i * 7919);
	for (int damaged = 0; damaged < 2; damaged++) {
		strbuf__reset(&packed);
		pack(&packed);
		if (damaged)
			memset(packed.buf + 4, 0xff, 16); /* what is after the magic number */
		else
			strbuf__setlen(&packed, packed.len / 2 & ~7ull);
		make_file(&packed);
		unpack();
		assert_true(piece.stuck);
		assert_int_equal(piece.end, begin);
		assert_int_equal(reader->damage.code, 0); /* the walker will tell it */
	}
	strbuf__reset(&packed);
	pack(&packed);
	make_file(&packed);
	fd = reader->segments.v[0].fd;
	reader->segments.v[0].fd = -1;
	unpack();
	assert_true(piece.stuck);
	assert_int_equal(piece.end, begin);
	reader->segments.v[0].fd = fd;
	unpack();
	expect_unpacked(0, 4000);
	strbuf__exit(&packed);
}

/* ---- summaries ---- */

/* Make a file whose last bytes, or those before some more, are a summary of the records in in. */
static void make_summary(struct frame_summary *s, size_t before, size_t after)
{
	struct strbuf out = STRBUF_INIT;
	char path[64];

	close_file();
	strbuf__addchars(&out, 'J', JUNK + before);
	strbuf__reset(&s->side_band);
	strbuf__add(&s->side_band, in.b.buf, in.b.len);
	s->packed_bytes = before;
	assert_true(frame_summary__append(s, UINT16_MAX, &out));
	begin = JUNK;
	limit = out.len;
	strbuf__addchars(&out, 'J', after);
	image__path(out.buf, out.len, &src.fd, path);
	src.end = out.len;
	strbuf__exit(&out);
}

static bool summarize(void)
{
	struct frame_summary s = FRAME_SUMMARY_INIT;
	bool ret;

	piece__start(&piece, begin, limit, false);
	ret = piece__summarize(&piece, &src, &s);
	frame_summary__exit(&s);
	return ret;
}

static void expect_summary(const struct frame_summary *s)
{
	const struct unpacked_totals totals = { .nr_compressed = s->nr_packed,
						.packed_bytes = limit - begin - 8 * s->nr_packed,
						.unpacked_bytes = s->unpacked_bytes,
						.unpacked_records = s->nr_samples + 4 };
	u64 hash = 0;

	for (size_t at = 0; at < in.b.len;) {
		const struct perf_event_header *h = (const void *)(in.b.buf + at);

		hash = hash__bytes(h, h->size, hash);
		at += h->size;
	}
	assert_false(piece.stuck);
	assert_int_equal(piece.ret, 0);
	assert_int_equal(piece.first, begin);
	assert_int_equal(piece.end, limit);
	assert_int_equal(piece.nr_records, s->nr_samples + 4);
	assert_int_equal(piece.by_type[PERF_RECORD_SAMPLE], s->nr_samples);
	assert_int_equal(piece.by_type[PERF_RECORD_COMM], 2);
	assert_int_equal(piece.by_type[PERF_RECORD_EXIT], 1);
	assert_int_equal(piece.nr_unknown, 1);
	assert_int_equal(piece.size, in.b.len);
	expect_kept(true);
	piece.filled = false;
	assert_memory_equal(&piece.totals, &totals, sizeof(totals));
	assert_int_equal(piece.check, range_check(&totals, hash));
}

static void a_summary_has_all_but_samples(void **state)
{
	static const size_t befores[] = { 0, 800, 65536, 100000 };
	struct frame_summary s = {
		.nr_samples = 5000, .unpacked_bytes = 123456, .nr_packed = 3, .side_band = STRBUF_INIT
	};

	(void)state;
	add_comm(1);
	add_record(PERF_RECORD_EXIT, 32);
	add_record(200, 16);
	add_comm(2);
	for (size_t i = 0; i < ARRAY_SIZE(befores); i++)
		for (u32 nr_events = 0; nr_events < 2; nr_events++) {
			sample_decoder__exit(&decoder);
			evlist__exit(&events);
			close_file();
			add_events(nr_events);
			src.decoder = nr_events ? &decoder : NULL;
			make_summary(&s, befores[i], i * 24);
			/* what the piece had is forgotten */
			piece.filled = piece.stuck = true;
			piece.ret = -EIO;
			assert_true(summarize());
			assert_false(piece.filled); /* its samples are not here */
			piece.filled = true;
			expect_summary(&s);
			if (nr_events)
				assert_int_equal(piece.by_event.v[0], 5000);
		}
	frame_summary__exit(&s);
}

/* Each of these would be missing, or would be read in another way, if the frame were not unpacked. */
static void some_records_must_be_unpacked(void **state)
{
	static const struct {
		u32 type;
		size_t size;
		u16 claims;
		bool is_good;
	} cases[] = {
		{ 200, 8, 8, true },
		{ 200, 16, 8, false }, /* the rest is a record of size 0 */
		{ PERF_RECORD_COMM, 24, 24, true },
		{ PERF_RECORD_COMM, 16, 16, true },
		{ PERF_RECORD_COMM, 24, 8, false }, /* too short for its type */
		{ PERF_RECORD_COMM, 8, 8, false },
		{ PERF_RECORD_MMAP2, 72, 72, true },
		{ PERF_RECORD_MMAP2, 64, 64, false },
		{ PERF_RECORD_COMM, 24, 32, false }, /* longer than what is left */
		{ PERF_RECORD_COMM, 24, 0, false },
		{ 200, 24, 7, false },
		{ 200, 24, 20, false },
		{ 200, 12, 12, false },
		{ PERF_RECORD_SAMPLE, 24, 24, false },
		{ RECORD_HEADER_ATTR, 136, 136, false },
		{ RECORD_COMPRESSED, 24, 24, false },
		{ RECORD_AUXTRACE, 48, 48, false },
	};
	struct frame_summary s = { .nr_samples = 1, .side_band = STRBUF_INIT };

	(void)state;
	src.decoder = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__reset(&in.b);
		add_comm(1);
		add_record(cases[i].type, cases[i].size);
		memcpy(in.b.buf + 24 + 6, &cases[i].claims, sizeof(cases[i].claims));
		make_summary(&s, 0, 0);
		if (summarize() != cases[i].is_good)
			fail_msg("type %u, %zu bytes", cases[i].type, cases[i].size);
		assert_true(!cases[i].is_good || piece.kept.nr == 2);
	}
	/* bytes that are no header */
	strbuf__setlen(&in.b, 24);
	strbuf__addchars(&in.b, '\1', 7);
	make_summary(&s, 0, 0);
	assert_false(summarize());
	frame_summary__exit(&s);
}

/* A summary that does not fit the piece, or cannot be read, or does not say what was asked. */
static void other_pieces_have_no_summary(void **state)
{
	struct frame_summary s = { .nr_samples = 1, .side_band = STRBUF_INIT };

	(void)state;
	add_comm(1);
	make_summary(&s, 800, 0);
	assert_false(summarize()); /* counts no samples of one of two events */
	src.decoder = NULL;
	assert_true(summarize());
	begin -= 8;
	assert_false(summarize());
	begin += 8;
	limit -= 8;
	assert_false(summarize());
	limit += 8;
	assert_true(summarize());
	assert_int_equal(ftruncate(src.fd, (off_t)limit - 8), 0);
	assert_false(summarize());
	file__close(src.fd);
	src.fd = -1;
	assert_false(summarize());
	frame_summary__exit(&s);
}

/* Only samples: no records to keep. */
static void a_summary_may_have_samples_only(void **state)
{
	struct frame_summary s = { .nr_samples = 7, .nr_packed = 1, .side_band = STRBUF_INIT };

	(void)state;
	src.decoder = NULL;
	make_summary(&s, 80, 0);
	assert_true(summarize());
	assert_int_equal(piece.kept.nr, 0);
	assert_int_equal(piece.size, 0);
	assert_int_equal(piece.nr_records, 7);
	assert_int_equal(piece.totals.packed_bytes, limit - begin - 8);
	frame_summary__exit(&s);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
#ifdef HAVE_LIBZSTD
		test(records_are_counted),
		test(a_piece_is_used_again),
		test(few_samples_are_kept),
		test(what_the_walker_must_take_is_stuck),
		test(what_cannot_be_unpacked_is_stuck),
		test(a_summary_has_all_but_samples),
		test(some_records_must_be_unpacked),
		test(other_pieces_have_no_summary),
		test(a_summary_may_have_samples_only),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
