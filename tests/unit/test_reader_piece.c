/*
 * A piece of a file: which records belong to it, where it is stuck, what a guess of its first record
 * finds, and that reading only headers gives the same. Offsets and numbers follow from how the bytes are
 * built.
 */
#include "unit.h"

#include "image.h"
#include "format/read/reader_piece.h"

#include <errno.h>

enum { FIRST_ID = 11, SECOND_ID = 22, SAMPLE = 24, COMM = 24 };

static struct image im;
static struct evlist events;
static struct sample_decoder decoder;
static struct piece_source src;
static struct piece piece;

static int setup(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);

	(void)state;
	image__init(&im, false);
	evlist__init(&events);
	evlist__add_id(&events, evlist__add(&events, &a, sizeof(a), "first"), FIRST_ID);
	evlist__add_id(&events, evlist__add(&events, &a, sizeof(a), "second"), SECOND_ID);
	sample_decoder__init(&decoder, &events);
	src = (struct piece_source){ .fd = -1, .decoder = &decoder, .nr_events = 2 };
	piece = (struct piece)PIECE_INIT;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	piece__exit(&piece);
	assert_null(piece.buffer);
	sample_decoder__exit(&decoder);
	evlist__exit(&events);
	image__exit(&im);
	file__close(src.fd);
	return 0;
}

static void add_sample(u64 id, size_t more)
{
	image__begin(&im, PERF_RECORD_SAMPLE, 2);
	image__u64(&im, id);
	image__u64(&im, 0x1000);
	strbuf__addchars(&im.b, '\0', more);
	image__end(&im);
}

static void add_comm(void)
{
	image__comm(&im, 5, "x");
}

/* A record of a header and bytes. */
static void add_record(u32 type, size_t size)
{
	image__begin(&im, type, 0);
	strbuf__addchars(&im.b, '\0', size - 8);
	image__end(&im);
}

/* All that was built is the file. */
static void make_file(void)
{
	char path[64];

	image__path(im.b.buf, im.b.len, &src.fd, path);
	src.end = im.b.len;
}

static void walk(u64 offset, u64 limit, u64 start, bool sparse)
{
	piece__start(&piece, offset, limit, sparse);
	piece__walk(&piece, &src, start);
	assert_int_equal(piece.ret, 0);
	assert_int_equal(piece.first, start);
}

/* samples of the first event, of the second, COMM records, unknown types; where the last one ends */
static void expect(u64 first, u64 second, u64 comms, u64 unknown, u64 end, bool stuck)
{
	assert_int_equal(piece.by_event.v[0], first);
	assert_int_equal(piece.by_event.v[1], second);
	assert_int_equal(piece.by_type[PERF_RECORD_SAMPLE], first + second);
	assert_int_equal(piece.by_type[PERF_RECORD_COMM], comms);
	assert_int_equal(piece.nr_unknown, unknown);
	assert_int_equal(piece.nr_records, first + second + comms + unknown);
	assert_int_equal(piece.kept.nr, comms + unknown);
	assert_int_equal(piece.end, end);
	assert_int_equal(piece.stuck, stuck);
	for (size_t i = 0; i < piece.kept.nr; i++) {
		const struct kept_record *k = &piece.kept.v[i];
		const struct perf_event_header *h = (const void *)(im.b.buf + k->offset);

		assert_true(h->type != PERF_RECORD_SAMPLE);
		assert_memory_equal(piece.data + k->pos, h, h->size);
	}
}

/* Records belong to the piece in which they begin. */
static void records_belong_where_they_begin(void **state)
{
	(void)state;
	add_sample(FIRST_ID, 0);
	add_comm();
	add_sample(SECOND_ID, 0);
	add_sample(FIRST_ID, 0);
	add_record(200, 16);
	add_comm();
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		walk(0, im.b.len, 0, sparse);
		expect(2, 1, 2, 1, im.b.len, false);
		walk(0, 48, 0, sparse);
		expect(1, 0, 1, 0, 48, false);
		walk(0, 49, 0, sparse);
		expect(1, 1, 1, 0, 72, false);
		walk(8, 72, 24, sparse);
		expect(0, 1, 1, 0, 72, false);
		walk(96, 112, 96, sparse);
		expect(0, 0, 0, 1, 112, false);
	}
	src.decoder = NULL; /* events are not asked for */
	walk(0, im.b.len, 0, false);
	assert_int_equal(piece.by_type[PERF_RECORD_SAMPLE], 3);
	assert_int_equal(piece.nr_records, 6);
	walk(0, im.b.len, 0, true);
	assert_int_equal(piece.by_type[PERF_RECORD_SAMPLE], 3);
	assert_int_equal(piece.nr_records, 6);
}

/* Samples of ids that are not known are counted, for no event. */
static void unknown_samples_are_of_no_event(void **state)
{
	(void)state;
	add_sample(FIRST_ID, 0);
	add_sample(99, 0);
	add_sample(SECOND_ID, 0);
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		walk(0, im.b.len, 0, sparse);
		assert_int_equal(piece.by_type[PERF_RECORD_SAMPLE], 3);
		assert_int_equal(piece.by_event.v[0], 1);
		assert_int_equal(piece.by_event.v[1], 1);
	}
	src.nr_events = 1; /* the second event came later */
	walk(0, im.b.len, 0, false);
	assert_int_equal(piece.by_event.nr, 1);
	assert_int_equal(piece.by_event.v[0], 1);
}

/* The walker handles what is not plain: the piece ends before it. */
static void a_piece_is_stuck_before_what_is_not_plain(void **state)
{
	static const struct {
		u32 type;
		u16 size;   /* of the record; */
		u16 claims; /* in its header */
		bool is_plain;
	} cases[] = {
		{ PERF_RECORD_COMM, 24, 24, true },
		{ 200, 8, 8, true },
		{ PERF_RECORD_COMM, 24, 7, false },
		{ PERF_RECORD_COMM, 24, 0, false },
		{ 200, 24, 20, false },
		{ 200, 20, 20, false },
		{ RECORD_COMPRESSED, 24, 24, false },
		{ RECORD_COMPRESSED2, 24, 24, false },
		{ RECORD_AUXTRACE, 48, 48, false },
		{ RECORD_HEADER_TRACING_DATA, 16, 16, false },
		{ PERF_RECORD_COMM, 24, 32, false },
		{ PERF_RECORD_SAMPLE, 24, 32, false },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool sparse = i & 1;

		strbuf__reset(&im.b);
		file__close(src.fd);
		add_sample(FIRST_ID, 0);
		add_sample(SECOND_ID, 0);
		add_record(cases[i / 2].type, cases[i / 2].size);
		memcpy(im.b.buf + 48 + 6, &cases[i / 2].claims, 2);
		make_file();
		walk(0, im.b.len, 0, sparse);
		assert_int_equal(piece.stuck, !cases[i / 2].is_plain);
		assert_int_equal(piece.end, cases[i / 2].is_plain ? im.b.len : 48);
		assert_int_equal(piece.nr_records, cases[i / 2].is_plain ? 3 : 2);
	}
}

/* A header that is cut is no record. */
static void a_piece_is_stuck_at_a_cut_header(void **state)
{
	(void)state;
	add_sample(FIRST_ID, 0);
	add_record(200, 8);
	strbuf__setlen(&im.b, im.b.len - 1);
	make_file();
	walk(0, im.b.len, 0, false);
	expect(1, 0, 0, 0, 24, true);
}

/* The last record of a piece may go far beyond it. */
static void the_last_record_may_be_long(void **state)
{
	(void)state;
	add_sample(FIRST_ID, 0);
	add_record(200, 65528);
	add_comm();
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		walk(0, 32, 0, sparse);
		expect(1, 0, 0, 1, 24 + 65528, false);
		walk(0, im.b.len, 0, sparse);
		expect(1, 0, 1, 1, im.b.len, false);
	}
}

/* ---- only headers ---- */

/* Large samples: their bytes are not read. The result is that of reading all. */
static void headers_alone_give_the_same(void **state)
{
	struct piece whole = PIECE_INIT;

	(void)state;
	for (int i = 0; i < 12; i++) {
		add_sample(i % 3 ? FIRST_ID : SECOND_ID, 20000 + 8 * (size_t)i);
		if (i % 4 == 1)
			add_comm();
		if (i % 4 == 2)
			add_record(PERF_RECORD_COMM, 600);
	}
	make_file();
	piece__start(&whole, 0, im.b.len, false);
	piece__walk(&whole, &src, 0);
	assert_int_equal(whole.nr_records, 18);
	walk(0, im.b.len, 0, true);
	assert_true(piece.sparse);
	expect(8, 4, 6, 0, im.b.len, false);
	assert_true(piece.size < 3000); /* the others alone */
	for (size_t i = 0; i < whole.kept.nr; i++)
		assert_int_equal(piece.kept.v[i].offset, whole.kept.v[i].offset);
	/* from a place between records, too */
	piece__start(&piece, 104, im.b.len, true);
	piece__guess(&piece, &src);
	assert_true(piece.sparse);
	assert_int_equal(piece.first, SAMPLE + 20000);
	expect(8, 3, 6, 0, im.b.len, false);
	piece__exit(&whole);
}

/* Where records are small, headers alone do not pay: all is read. */
static void small_records_are_read_whole(void **state)
{
	const int nr = 60000 / SAMPLE;

	(void)state;
	for (int i = 0; i < nr; i++)
		add_sample(FIRST_ID, 0);
	make_file();
	walk(0, im.b.len, 0, true);
	assert_false(piece.sparse);
	expect((u64)nr, 0, 0, 0, im.b.len, false);
}

/* ---- guesses ---- */

/* The first record is where a chain of records begins, not in what is before it. */
static void a_guess_finds_the_first_record(void **state)
{
	(void)state;
	add_sample(FIRST_ID, 4000); /* zeroes make no sense as headers */
	for (int i = 0; i < 40; i++)
		add_comm();
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		piece__start(&piece, 8, im.b.len, sparse);
		piece__guess(&piece, &src);
		assert_int_equal(piece.ret, 0);
		assert_int_equal(piece.first, 4024);
		expect(0, 0, 40, 0, im.b.len, false);
		/* a guess beyond the piece is none of it */
		piece__start(&piece, 8, 2000, sparse);
		piece__guess(&piece, &src);
		assert_true(piece.first >= 2000);
	}
}

/* Nothing that makes sense: there is no guess. */
static void nonsense_gives_no_guess(void **state)
{
	static const struct {
		u32 type;
		u16 misc, size;
	} bad[] = { { 0, 0, 24 },
		    { PERF_RECORD_COMM, 0x10, 24 },
		    { PERF_RECORD_COMM, 0, 20 },
		    { PERF_RECORD_SAMPLE, 0, 8 },
		    { 4000, 0, 24 },
		    { RECORD_COMPRESSED, 0, 24 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		strbuf__reset(&im.b);
		file__close(src.fd);
		for (int k = 0; k < 100; k++) {
			struct perf_event_header h = { .type = bad[i].type,
						       .misc = bad[i].misc,
						       .size = bad[i].size };

			strbuf__add(&im.b, &h, sizeof(h));
			strbuf__addchars(&im.b, '\0', 16);
		}
		make_file();
		for (int sparse = 0; sparse < 2; sparse++) {
			piece__start(&piece, 0, im.b.len, sparse);
			piece__guess(&piece, &src);
			assert_int_equal(piece.ret, 0);
			assert_true(piece.first == UINT64_MAX);
		}
	}
}

/* Bytes that look like records may be in front of the first one; they can be taken away if they end there. */
static void wrong_guesses_can_be_dropped(void **state)
{
	u64 start;

	(void)state;
	/* a sample whose content is three records, which end where it ends */
	image__begin(&im, PERF_RECORD_SAMPLE, 2);
	image__u64(&im, FIRST_ID);
	image__u64(&im, 0);
	image__u64(&im, 24ull << 48 | 2ull << 32 | PERF_RECORD_SAMPLE);
	image__u64(&im, SECOND_ID);
	image__u64(&im, 0);
	image__u64(&im, 16ull << 48 | PERF_RECORD_COMM);
	image__u64(&im, 0);
	image__u64(&im, 16ull << 48 | 200);
	image__u64(&im, 0);
	image__end(&im);
	start = im.b.len;
	for (int i = 0; i < 20; i++)
		i % 2 ? add_comm() : add_sample(SECOND_ID, 0);
	make_file();
	piece__start(&piece, 24, im.b.len, false);
	piece__walk(&piece, &src, 24);
	expect(0, 11, 11, 1, im.b.len, false);
	assert_false(piece__drop_front(&piece, &src, start + 8)); /* no record begins there */
	expect(0, 11, 11, 1, im.b.len, false);
	assert_true(piece__drop_front(&piece, &src, start));
	assert_int_equal(piece.first, start);
	expect(0, 10, 10, 0, im.b.len, false);
	assert_true(piece__drop_front(&piece, &src, start)); /* nothing to drop */
	expect(0, 10, 10, 0, im.b.len, false);
	assert_true(piece__drop_front(&piece, &src, im.b.len));
	expect(0, 0, 0, 0, im.b.len, false);
	assert_false(piece__drop_front(&piece, &src, im.b.len + 8));
	/* of a piece of which only headers were read, nothing can */
	piece__start(&piece, 24, im.b.len, true);
	assert_false(piece__drop_front(&piece, &src, start));
}

/* A file that cannot be read, or has become shorter. */
static void failures_to_read_are_told(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++)
		add_comm();
	make_file();
	assert_int_equal(ftruncate(src.fd, 60), 0);
	walk(0, im.b.len, 0, false);
	expect(0, 0, 2, 0, 48, true);
	file__close(src.fd);
	src.fd = -1;
	piece__start(&piece, 0, im.b.len, false);
	piece__walk(&piece, &src, 0);
	assert_int_equal(piece.ret, -EBADF);
	piece__start(&piece, 0, im.b.len, false);
	piece__guess(&piece, &src);
	assert_int_equal(piece.ret, -EBADF);
	assert_true(piece.first == UINT64_MAX);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(records_belong_where_they_begin),
		test(unknown_samples_are_of_no_event),
		test(a_piece_is_stuck_before_what_is_not_plain),
		test(a_piece_is_stuck_at_a_cut_header),
		test(the_last_record_may_be_long),
		test(headers_alone_give_the_same),
		test(small_records_are_read_whole),
		test(a_guess_finds_the_first_record),
		test(nonsense_gives_no_guess),
		test(wrong_guesses_can_be_dropped),
		test(failures_to_read_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
