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
		assert_in_range(k->offset, i ? k[-1].offset + 8 : piece.first, end - 8);
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
	piece__exit(&piece);
	walk(0, im.b.len, 0, false);
	assert_int_equal(piece.by_event.nr, 0);
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
	piece.by_event.v[1] = 77;
	walk(0, im.b.len, 0, false);
	assert_int_equal(piece.by_event.nr, 1);
	assert_int_equal(piece.by_event.v[0], 1);
	assert_int_equal(piece.by_event.v[1], 77); /* not counted after the end */
}

/* Where there is one event, all samples are of it, whatever their ids. */
static void all_samples_are_of_the_only_event(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	struct evlist one;
	struct sample_decoder d;

	(void)state;
	evlist__init(&one);
	evlist__add_id(&one, evlist__add(&one, &a, sizeof(a), "only"), FIRST_ID);
	sample_decoder__init(&d, &one);
	src.decoder = &d;
	src.nr_events = 1;
	add_sample(FIRST_ID, 0);
	add_sample(SECOND_ID, 0);
	add_comm();
	add_sample(FIRST_ID, 0);
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		walk(0, im.b.len, 0, sparse);
		assert_int_equal(piece.by_event.nr, 1);
		assert_int_equal(piece.by_event.v[0], 3);
		assert_int_equal(piece.nr_records, 4);
	}
	sample_decoder__exit(&d);
	evlist__exit(&one);
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
		assert_int_equal(piece.sparse, sparse);
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
		assert_int_equal(piece.size, sparse ? 65528 : 24 + 65528); /* nothing after it is read */
		walk(0, im.b.len, 0, sparse);
		expect(1, 0, 1, 1, im.b.len, false);
	}
}

/* ---- what is read ---- */

static void end_file_at(u64 end)
{
	file__close(src.fd);
	make_file();
	src.end = end;
}

/* The file goes on after the records with bytes that look like some: they are none. */
static void records_end_where_the_source_does(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++)
		add_comm();
	for (int sparse = 0; sparse < 2; sparse++) {
		end_file_at(240);
		walk(24, 240, 24, sparse);
		expect(0, 0, 9, 0, 240, false);
		assert_true(piece.size <= 240 - 24);
		for (u64 end = 241; end < 264; end += 11) { /* in a header, and after it */
			end_file_at(end);
			walk(24, end, 24, sparse);
			expect(0, 0, 9, 0, 240, true);
			assert_true(piece.size <= end - 24);
		}
		end_file_at(264);
		walk(24, 264, 24, sparse);
		expect(0, 0, 10, 0, 264, false);
	}
	/* a long record, of which most must be read later */
	strbuf__reset(&im.b);
	add_sample(FIRST_ID, 0);
	add_record(PERF_RECORD_COMM, 65528);
	add_comm();
	for (u64 less = 0; less < 16; less += 8)
		for (int sparse = 0; sparse < 2; sparse++) {
			end_file_at(im.b.len - 24 - less);
			walk(24, 48, 24, sparse);
			expect(0, 0, !less, 0, less ? 24 : 24 + 65528, less);
		}
}

/* A piece reads a little more than its bytes, in which its last record mostly ends. */
static void a_piece_is_read_once(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++)
		add_comm();
	make_file();
	walk(240, 1200, 240, false);
	expect(0, 0, 40, 0, 1200, false);
	assert_int_equal(piece.size, 1200 - 240 + 512);
	file__close(src.fd);
	src.fd = -1;
	piece__walk(&piece, &src, 264);
	assert_int_equal(piece.ret, 0);
	expect(0, 0, 39, 0, 1200, false);
	/* another one must be read */
	piece__start(&piece, 240, 1200, false);
	piece__walk(&piece, &src, 240);
	assert_int_equal(piece.ret, -EBADF);
	assert_int_equal(piece.size, 0);
	assert_true(piece.stuck);
}

/* The rest of a long record cannot be read. */
static void failures_to_read_on_are_told(void **state)
{
	(void)state;
	add_record(PERF_RECORD_COMM, 65528);
	strbuf__addchars(&im.b, '\0', 2000);
	make_file();
	piece__start(&piece, 0, 1000, false);
	memset(im.b.buf, 0, 8);
	piece.first = 0;
	assert_int_equal(file__pwrite_all(src.fd, im.b.buf, 8, 0), 0);
	piece__guess(&piece, &src); /* finds nothing, but has read the piece */
	assert_true(piece.filled && piece.first == UINT64_MAX);
	memcpy(piece.data, &(struct perf_event_header){ .type = PERF_RECORD_COMM, .size = 65528 }, 8);
	file__close(src.fd);
	src.fd = -1;
	piece__walk(&piece, &src, 0);
	assert_int_equal(piece.ret, -EBADF);
	assert_true(piece.stuck);
	assert_int_equal(piece.nr_records, 0);
}

/*
 * In the buffer, bytes are half a page away from where they are in a page of the file, which copies fastest;
 * wherever that is, the longest record fits after the piece.
 */
static void the_buffer_has_room(void **state)
{
	static const u64 offsets[] = { 0, 8, 2040, 2048, 4088, 4096 };

	(void)state;
	for (size_t i = 0; i <= ARRAY_SIZE(offsets); i++) {
		/* the last one is where the bytes are as far from the start of the buffer as they can be */
		u64 offset = i < ARRAY_SIZE(offsets) ? offsets[i]
						     : ((uintptr_t)piece.buffer + 4088 - 2048) & 4095 & ~7ull;

		strbuf__reset(&im.b);
		strbuf__addchars(&im.b, '\0', offset);
		for (size_t left = PIECE_SIZE - 8; left; left -= MIN(left, (size_t)32768))
			add_record(PERF_RECORD_COMM, MIN(left, (size_t)32768));
		add_record(PERF_RECORD_COMM, 65528);
		file__close(src.fd);
		make_file();
		walk(offset, offset + PIECE_SIZE, offset, false);
		expect(0, 0, 9, 0, im.b.len, false);
		assert_int_equal(piece.size, PIECE_SIZE - 8 + 65528);
		assert_int_equal(((uintptr_t)piece.data - offset) & 4095 & ~7ull,
				 2048 - ((uintptr_t)piece.buffer & 7));
		assert_true(piece.data >= piece.buffer);
		assert_true(piece.data + piece.size <= piece.buffer + piece.alloc);
	}
}

/* ---- only headers ---- */

/* The id of a sample may be in the bytes that are read next. */
static void samples_at_the_end_of_a_glance_are_counted(void **state)
{
	(void)state;
	for (int k = 0; k < 12; k++) {
		strbuf__reset(&im.b);
		file__close(src.fd);
		add_sample(SECOND_ID, (size_t)k * 8);
		for (int i = 0; i < 60; i++)
			add_sample(i % 3 ? FIRST_ID : SECOND_ID, 0);
		make_file();
		walk(0, im.b.len, 0, true);
		assert_true(piece.sparse); /* a few reads were enough */
		expect(40, 21, 0, 0, im.b.len, false);
	}
}

/* Records whose bytes are missing, although their headers are there: all is read, to be sure. */
static void cut_records_are_stuck(void **state)
{
	static const u32 types[] = { PERF_RECORD_COMM, PERF_RECORD_SAMPLE };
	static const off_t ends[] = { 500, 24 + 600 - 1 };

	(void)state;
	for (int i = 0; i < 8; i++) {
		strbuf__reset(&im.b);
		file__close(src.fd);
		add_sample(FIRST_ID, 0);
		add_record(types[i / 4], 600);
		make_file();
		assert_int_equal(ftruncate(src.fd, ends[i / 2 % 2]), 0);
		walk(0, im.b.len, 0, i % 2);
		expect(1, 0, 0, 0, 24, true);
	}
}

/* The first record is not plain. */
static void nothing_is_walked_before_it(void **state)
{
	(void)state;
	add_record(RECORD_COMPRESSED, 24);
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		walk(0, im.b.len, 0, sparse);
		expect(0, 0, 0, 0, 0, true);
		assert_int_equal(piece.sparse, sparse);
	}
}

/* Each large sample costs a read: so many are worth it. */
static void headers_alone_are_read_for_so_many_records(void **state)
{
	enum { READS_MAX = 1 + 2 * PIECE_SIZE / PIECE_SPARSE };

	(void)state;
	for (u64 more = 0; more < 2; more++) {
		strbuf__reset(&im.b);
		file__close(src.fd);
		for (u64 i = 0; i < READS_MAX + more; i++)
			add_sample(FIRST_ID, 1000);
		make_file();
		walk(0, im.b.len, 0, true);
		expect(READS_MAX + more, 0, 0, 0, im.b.len, false);
		assert_int_equal(piece.sparse, !more);
	}
}

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
	assert_ptr_equal(piece.data, piece.buffer); /* has only what is kept */
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

enum { ALL_BAD = 0xff };

/* Start a file of so many bytes that are no records. */
static void begin_with(size_t size, int bad)
{
	strbuf__reset(&im.b);
	file__close(src.fd);
	src.fd = -1;
	strbuf__addchars(&im.b, (char)bad, size);
}

static u64 guess(u64 offset, u64 limit, bool sparse)
{
	piece__start(&piece, offset, limit, sparse);
	piece__guess(&piece, &src);
	assert_int_equal(piece.ret, 0);
	return piece.first;
}

/* So many records in a row are a guess, or fewer if the bytes end with them. */
static void chains_have_a_length(void **state)
{
	static const struct {
		int nr_records;
		size_t nr_bad; /* bytes after them */
		bool is_guess, is_sparse_guess;
	} cases[] = { { 1, 0, false, true },  { 2, 0, true, true },  { 3, 0, true, true },
		      { 3, 8, false, false }, { 4, 8, false, true }, { 5, 8, false, true },
		      { 15, 8, false, true }, { 16, 8, true, true }, { 16, 4, true, true },
		      { 17, 8, true, true },  { 3, 4, true, false }, { 40, 0, true, true } };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		bool sparse = i & 1;
		bool is_guess = sparse ? cases[i / 2].is_sparse_guess : cases[i / 2].is_guess;
		u64 first = is_guess ? 80 : UINT64_MAX;

		begin_with(80, ALL_BAD);
		for (int n = 0; n < cases[i / 2].nr_records; n++)
			add_record(PERF_RECORD_COMM, 8 + 8 * (size_t)(n % 3)); /* short, for a COMM record */
		strbuf__addchars(&im.b, (char)ALL_BAD, cases[i / 2].nr_bad);
		make_file();
		if (guess(8, im.b.len, sparse) != first)
			fail_msg("%d records, %zu bytes: %llu", cases[i / 2].nr_records, cases[i / 2].nr_bad,
				 (unsigned long long)piece.first);
	}
}

/* Records of a header alone make sense, but not samples. */
static void some_records_are_a_header_alone(void **state)
{
	static const struct {
		u32 type;
		bool is_guess;
	} cases[] = { { RECORD_FINISHED_ROUND, true }, { PERF_RECORD_SAMPLE, false } };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		begin_with(80, ALL_BAD);
		for (int n = 0; n < 40; n++)
			add_record(cases[i / 2].type, 8);
		make_file();
		assert_int_equal(guess(8, im.b.len, i & 1), cases[i / 2].is_guess ? 80 : UINT64_MAX);
	}
	/* the last one of a chain, too */
	begin_with(80, ALL_BAD);
	add_record(PERF_RECORD_COMM, 24);
	add_record(RECORD_FINISHED_ROUND, 8);
	make_file();
	assert_int_equal(guess(0, im.b.len, false), 80);
}

/* No record is longer than 64 KiB, so one begins within that. */
static void a_guess_is_near(void **state)
{
	static const u64 distances[] = { 0, 8, 16376, 16384, 49152, 65520, 65528, 65536, 81920 };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(distances); i++) {
		u64 offset = 80000, first = offset + distances[i / 2];

		begin_with(first, 0);
		for (int n = 0; n < 20; n++)
			add_comm();
		make_file();
		assert_int_equal(guess(offset, im.b.len, i & 1),
				 distances[i / 2] < 65536 ? first : UINT64_MAX);
	}
}

/* What begins after the piece is none of it, and is not looked for. */
static void a_guess_is_in_the_piece(void **state)
{
	(void)state;
	for (u64 first = 16384; first <= 20480; first += 4096) {
		begin_with(first, 0);
		for (int n = 0; n < 20; n++)
			add_comm();
		make_file();
		assert_int_equal(guess(0, 16384, true), UINT64_MAX);
		assert_int_equal(guess(0, 16384 + 8, true), first);
		assert_true(guess(0, 16384, false) >= 16384);
	}
}

/* A chain does not go on in bytes that are not the source's, though they look like records. */
static void a_chain_is_in_the_source(void **state)
{
	(void)state;
	begin_with(80, ALL_BAD);
	add_record(PERF_RECORD_COMM, 24);
	for (int n = 0; n < 20; n++)
		add_record(PERF_RECORD_COMM, 24);
	make_file();
	for (int sparse = 0; sparse < 2; sparse++) {
		src.end = 80; /* before all records */
		assert_int_equal(guess(0, 80, sparse), UINT64_MAX);
		src.end = 84; /* in the first header */
		assert_int_equal(guess(0, 84, sparse), UINT64_MAX);
	}
	src.end = 96; /* in the first record: others may follow, as far as anybody can see */
	assert_int_equal(guess(0, 96, true), UINT64_MAX);
	src.end = 108; /* in the second header */
	assert_int_equal(guess(0, 108, true), UINT64_MAX);
	/* the file is shorter than it was */
	src.end = im.b.len;
	assert_int_equal(ftruncate(src.fd, 104), 0);
	assert_int_equal(guess(0, im.b.len, true), UINT64_MAX);
	file__close(src.fd);
	src.fd = -1;
	assert_int_equal(guess(0, im.b.len, true), UINT64_MAX);
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
	for (int sparse = 0; sparse < 2; sparse++) {
		piece__start(&piece, 0, im.b.len, sparse);
		piece__walk(&piece, &src, 0);
		assert_int_equal(piece.ret, -EBADF);
	}
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
		test(all_samples_are_of_the_only_event),
		test(a_piece_is_stuck_before_what_is_not_plain),
		test(a_piece_is_stuck_at_a_cut_header),
		test(the_last_record_may_be_long),
		test(records_end_where_the_source_does),
		test(a_piece_is_read_once),
		test(failures_to_read_on_are_told),
		test(the_buffer_has_room),
		test(samples_at_the_end_of_a_glance_are_counted),
		test(cut_records_are_stuck),
		test(nothing_is_walked_before_it),
		test(headers_alone_are_read_for_so_many_records),
		test(headers_alone_give_the_same),
		test(small_records_are_read_whole),
		test(a_guess_finds_the_first_record),
		test(nonsense_gives_no_guess),
		test(chains_have_a_length),
		test(some_records_are_a_header_alone),
		test(a_guess_is_near),
		test(a_guess_is_in_the_piece),
		test(a_chain_is_in_the_source),
		test(wrong_guesses_can_be_dropped),
		test(failures_to_read_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
