/*
 * Ranges of whole frames of a compressed stream: where one ends, by the headers of its records and the magic
 * number of zstd. Only these bytes are written, the rest of the file are zeros.
 */
#include "unit.h"

#include "base/system/file.h"
#include "format/read/reader_private.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MIN_SIZE = 256 << 10, MAX_SIZE = 4 << 20, LARGE = 65528, ANY = 60 };

static struct reader_segment file;
static u64 at; /* end of what was written */

static int setup(void **state)
{
	(void)state;
	file = (struct reader_segment){ .fd = memfd_create("frames", MFD_CLOEXEC) };
	at = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	file__close(file.fd);
	return 0;
}

/* Add a record; magic: where zstd's magic number is in it, or 0. Return where it begins. */
static u64 add(u32 type, u16 size, size_t magic)
{
	static const u8 zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	const struct perf_event_header h = { .type = type, .size = size };
	u64 begin = at;

	assert_int_equal(file__pwrite_all(file.fd, &h, sizeof(h), at), 0);
	if (magic)
		assert_int_equal(file__pwrite_all(file.fd, zstd, sizeof(zstd), at + magic), 0);
	at += size;
	file.end = at;
	assert_int_equal(ftruncate(file.fd, (off_t)at + 16), 0);
	return begin;
}

static u64 add_frame(u16 size)
{
	return add(RECORD_COMPRESSED, size, 8);
}

/* Fill up with records that begin no frame, to this offset. */
static void fill(u64 to)
{
	while (at < to) {
		u64 size = MIN(to - at, (u64)LARGE);

		add(at / 8 % 2 ? RECORD_COMPRESSED : ANY, (u16)(to - at - size == 8 ? size - 8 : size), 0);
	}
}

static void expect(u64 start, u64 end)
{
	assert_int_equal(frames__find_end(&file, start), end);
}

static void a_range_begins_with_a_frame(void **state)
{
	static const struct {
		u32 type;
		u16 size;
		size_t magic;
		bool begins;
	} cases[] = {
		{ RECORD_COMPRESSED, 16, 8, true },
		{ RECORD_COMPRESSED, 16, 12, false },
		{ RECORD_COMPRESSED, 24, 16, false },
		{ RECORD_COMPRESSED, 24, 0, false },
		{ RECORD_COMPRESSED, 8, 0, false },
		{ RECORD_COMPRESSED2, 24, 16, true },
		{ RECORD_COMPRESSED2, 24, 8, false },
		{ RECORD_COMPRESSED2, 32, 24, false },
		{ RECORD_COMPRESSED2, 16, 8, false },
		{ ANY, 24, 8, false },
		{ ANY, 24, 16, false },
		{ RECORD_AUXTRACE, 48, 8, false },
		{ PERF_RECORD_SAMPLE, 24, 8, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 begin = add(cases[i].type, cases[i].size, cases[i].magic);

		expect(begin, cases[i].begins ? at : 0);
	}
	/* the magic number is that of the next record */
	add(RECORD_COMPRESSED2, 8, 0);
	add_frame(16);
	expect(at - 24, 0);
}

static void records_of_any_kind_may_follow(void **state)
{
	u64 first = add_frame(512);

	(void)state;
	add(RECORD_COMPRESSED, 24, 0);
	add(RECORD_COMPRESSED2, 24, 0);
	add(PERF_RECORD_COMM, 40, 0);
	add(ANY, 8, 0);
	add_frame(64); /* too early for the next range */
	expect(first, at);
	add(ANY, 8, 0);
	expect(first, at);
}

static void a_range_ends_before_what_is_not_plain(void **state)
{
	static const struct {
		u32 type;
		u16 size;
	} cases[] = { { RECORD_AUXTRACE, 48 }, { RECORD_HEADER_TRACING_DATA, 16 }, { ANY, 12 }, { ANY, 4 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 first = add_frame(16);

		expect(first, at);
		add(cases[i].type, cases[i].size, 0);
		add(cases[i].type, cases[i].size, 0); /* a record as if it were one */
		expect(first, 0);
		at = ROUND_UP(at, 8);
	}
}

static void records_end_in_the_file(void **state)
{
	u64 first = add_frame(16), end;

	(void)state;
	add(ANY, 24, 0);
	end = at;
	file.end = end - 8;
	expect(first, 0);
	file.end = end + 8; /* a record of no bytes */
	expect(first, 0);
	file.end = end + 4;
	expect(first, 0);
	file.end = end;
	expect(first, end);
	assert_int_equal(ftruncate(file.fd, 16), 0); /* it has become shorter */
	expect(first, 0);
	file.fd = dup(file.fd);
	close(file.fd);
	expect(first, 0);
	file.fd = -1;
}

static void ranges_have_a_least_size(void **state)
{
	u64 first = add_frame(16), early, second, third;

	(void)state;
	fill(MIN_SIZE - 16);
	early = add_frame(16);
	expect(first, at);
	second = add_frame(16);
	assert_int_equal(second, MIN_SIZE);
	third = add_frame(16);
	expect(first, second);
	expect(early, at);
	fill(second + MIN_SIZE);
	add(RECORD_COMPRESSED2, 24, 16);
	expect(second, second + MIN_SIZE);
	expect(third, second + MIN_SIZE == third + MIN_SIZE - 16 ? at : 0);
}

/* The next range begins where a record of it is, with all of its magic number in it and in the file. */
static void the_next_frame_is_whole(void **state)
{
	static const u8 half[] = { 0x28, 0xb5 }, rest[] = { 0x2f, 0xfd };
	u64 first = add_frame(16), next;

	(void)state;
	fill(MIN_SIZE);
	next = add(RECORD_COMPRESSED, 16, 8);
	expect(first, next);
	file.end = next + 8;
	expect(first, 0);
	file.end = next + 16;
	expect(first, next);
	/* the number goes on in the next record */
	at = next;
	add(RECORD_COMPRESSED, 10, 0);
	assert_int_equal(file__pwrite_all(file.fd, half, sizeof(half), next + 8), 0);
	assert_int_equal(file__pwrite_all(file.fd, rest, sizeof(rest), next + 10), 0);
	file.end = next + 16;
	expect(first, 0);
}

static void ranges_have_a_largest_size(void **state)
{
	u64 first = add_frame(16);

	(void)state;
	fill(MAX_SIZE);
	expect(first, MAX_SIZE);
	add_frame(16);
	expect(first, MAX_SIZE);
	at = MAX_SIZE;
	add(ANY, 16, 0);
	expect(first, 0);
	add_frame(16);
	expect(first, 0);
}

/* Wherever a record is in the bytes that are read at once. */
static void frames_begin_anywhere(void **state)
{
	(void)state;
	for (u16 more = 0; more < 512; more += 8) {
		u64 first = add_frame(more + 16u), next;

		for (unsigned i = 0; i < 40; i++)
			add(i % 2 ? RECORD_COMPRESSED2 : ANY, 24, 0);
		fill(first + MIN_SIZE - 16 - more);
		for (unsigned i = 0; i < more / 8 + 2u; i++)
			add(ANY, 8, 0);
		next = add(RECORD_COMPRESSED2, 24, 16);
		assert_int_equal(next, first + MIN_SIZE);
		add(ANY, 512, 0);
		expect(first, next);
	}
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(a_range_begins_with_a_frame),
		test(records_of_any_kind_may_follow),
		test(a_range_ends_before_what_is_not_plain),
		test(records_end_in_the_file),
		test(ranges_have_a_least_size),
		test(the_next_frame_is_whole),
		test(ranges_have_a_largest_size),
		test(frames_begin_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
