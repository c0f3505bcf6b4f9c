/* jit-PID.dump, byte by byte: both byte orders, records cut at every place, sizes that lie. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/symbols/jitdump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct strbuf b = STRBUF_INIT;
static bool swap;

static void put32(u32 x)
{
	x = swap ? __builtin_bswap32(x) : x;
	strbuf__add(&b, &x, sizeof(x));
}

static void put64(u64 x)
{
	x = swap ? __builtin_bswap64(x) : x;
	strbuf__add(&b, &x, sizeof(x));
}

static void put_header(bool other_order)
{
	swap = other_order;
	strbuf__reset(&b);
	put32(0x4A695444);
	put32(1);
	put32(48); /* a header that has grown */
	put32(62);
	put32(0);
	put32(4711);
	put64(1);
	put64(0);
	put64(99);
}

static void put_load(u64 time, u64 addr, u64 size, u64 index, const char *name, u32 total)
{
	put32(0);
	put32(total ? total : (u32)(56 + strlen(name) + 1 + size));
	put64(time);
	put32(4711);
	put32(4711);
	put64(addr);
	put64(addr);
	put64(size);
	put64(index);
	strbuf__add(&b, name, strlen(name) + 1);
	if (size < 100000)
		strbuf__addchars(&b, 'c', size);
}

static void put_move(u64 time, u64 from, u64 to, u64 size, u64 index)
{
	put32(1);
	put32(64);
	put64(time);
	put32(4711);
	put32(4711);
	put64(to);
	put64(from);
	put64(to);
	put64(size);
	put64(index);
}

static void put_other(u32 type, u32 bytes)
{
	put32(type);
	put32(16 + bytes);
	put64(1);
	strbuf__addchars(&b, 'x', bytes);
}

static void put_frames(u64 size, u64 table, u32 bytes)
{
	put32(4);
	put32(40 + bytes);
	put64(1);
	put64(size);
	put64(table);
	put64(size);
	strbuf__addchars(&b, 'f', bytes);
}

static struct strbuf seen = STRBUF_INIT;

static void see(const struct jitdump_code *c, void *ctx)
{
	(void)ctx;
	strbuf__addf(&seen, "%s%llu %llx+%llx #%llu %s\n", c->is_move ? "move " : "",
		     (unsigned long long)c->time, (unsigned long long)c->addr, (unsigned long long)c->size,
		     (unsigned long long)c->index, c->is_move ? "-" : c->name);
	if (c->frames_size) {
		strbuf__addf(&seen, "frames %llu\n", (unsigned long long)c->frames_size);
		assert_true(c->frames_offset + c->frames_size <= b.len);
		assert_int_equal(b.buf[c->frames_offset], 'f');
		assert_int_equal(b.buf[c->frames_offset + c->frames_size - 1], 'f');
	}
	if (!c->is_move) {
		assert_true(c->offset <= UINT32_MAX);
		if (c->offset + c->size <= b.len) {
			assert_int_equal(b.buf[c->offset], 'c');
			assert_int_equal(b.buf[c->offset - 1], '\0');
		}
	}
}

static int read_back(size_t size)
{
	int fd = memfd_create("dump", 0), ret;
	struct jitdump_header h;

	strbuf__reset(&seen);
	assert_int_equal(file__write_all(fd, b.buf, size), 0);
	ret = jitdump__read(fd, &h, see, NULL);
	close(fd);
	return ret;
}

static void put_example(bool other_order)
{
	put_header(other_order);
	put_load(10, 0x1000, 32, 0, "first", 0);
	put_other(2, 40); /* lines */
	put_other(4, 24); /* unwinding */
	put_other(99, 8); /* not known yet */
	put_load(20, 0x1000, 16, 1, "second one", 0);
	put_move(30, 0x1000, 0x2000, 16, 1);
	put_other(3, 0); /* closed */
}

static void both_byte_orders(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		put_example(order);
		assert_int_equal(read_back(b.len), 0);
		assert_string_equal(seen.buf,
				    "10 1000+20 #0 first\n20 1000+10 #1 second one\nmove 30 2000+10 #1 -\n");
	}
}

/* Unwinding information belongs to the load after it, whatever is between; what lies is skipped. */
static void unwinding_information(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		put_header(order);
		put_frames(60, 20, 60);
		put_other(2, 40);
		put_load(1, 0x1000, 8, 0, "with", 0);
		put_load(2, 0x2000, 8, 1, "without", 0);
		put_frames(20, 20, 20); /* a table of nothing */
		put_load(3, 0x3000, 8, 2, "empty", 0);
		put_frames(61, 20, 60);
		put_load(4, 0x4000, 8, 3, "too_large", 0);
		put_frames(60, UINT64_MAX, 60);
		put_load(5, 0x5000, 8, 4, "wraps", 0);
		put_frames(30, 0, 30);
		put_move(6, 0x1000, 0x6000, 8, 0);
		put_load(7, 0x7000, 8, 5, "after_a_move", 0);
		assert_int_equal(read_back(b.len), 0);
		assert_string_equal(seen.buf, "1 1000+8 #0 with\nframes 40\n2 2000+8 #1 without\n"
					      "3 3000+8 #2 empty\n4 4000+8 #3 too_large\n"
					      "5 5000+8 #4 wraps\nmove 6 6000+8 #0 -\n"
					      "7 7000+8 #5 after_a_move\nframes 30\n");
	}
}

/* A dump that grows byte by byte gives what the whole one does. */
static void read_while_it_grows(void **state)
{
	struct strbuf whole = STRBUF_INIT;
	struct jitdump_header h;
	struct jitdump_place place = { .offset = 0 };
	int fd = memfd_create("dump", 0);

	(void)state;
	put_example(false);
	put_frames(60, 20, 60);
	put_load(40, 0x3000, 8, 2, "third", 0);
	put_other(2, 40);
	put_load(50, 0x4000, 8, 3, "fourth", 0);
	assert_int_equal(read_back(b.len), 0);
	strbuf__add(&whole, seen.buf, seen.len + 1);
	strbuf__reset(&seen);
	for (size_t i = 0; i < b.len; i++) {
		assert_int_equal(pwrite(fd, b.buf + i, 1, (off_t)i), 1);
		if (!jitdump__read_header(fd, &h))
			jitdump__read_on(fd, &h, &place, UINT64_MAX, see, NULL);
	}
	assert_string_equal(seen.buf, whole.buf);
	assert_int_equal(place.offset, b.len);
	/* in steps */
	strbuf__reset(&seen);
	place.offset = 0;
	for (u64 before = 1; before != place.offset;) {
		before = place.offset;
		jitdump__read_on(fd, &h, &place, 1, see, NULL);
	}
	assert_string_equal(seen.buf, whole.buf);
	assert_int_equal(place.offset, b.len);
	strbuf__exit(&whole);
	close(fd);
}

static void cut_anywhere(void **state)
{
	(void)state;
	put_example(false);
	for (size_t size = 0; size < b.len; size++)
		assert_true(read_back(size) == 0 || size < 40);
	assert_non_null(strstr(seen.buf, "move"));
}

/* In blocks of just their size. */
static void records_in_tight_blocks(void **state)
{
	char name[JITDUMP_HEAD_MAX];
	struct jitdump_header h;
	struct jitdump_code c;

	(void)state;
	put_example(false);
	assert_true(jitdump_header__parse(b.buf, b.len, &h));
	for (size_t start = 0; start < b.len; start++)
		for (size_t size = 0; size < 80 && start + size <= b.len; size++) {
			char *copy = malloc(size ? size : 1);

			memcpy(copy, b.buf + start, size);
			jitdump_header__parse(copy, size, &h);
			jitdump_record__size(&h, copy, size);
			jitdump_record__parse(&h, copy, size, start, name, &c);
			free(copy);
		}
}

static void records_that_lie(void **state)
{
	char *name = malloc(20000);

	(void)state;
	memset(name, 'n', 19999);
	name[19999] = '\0';
	put_header(false);
	put_load(1, 0x1000, 0, 0, "no_size", 0);
	put_load(2, UINT64_MAX - 4, 16, 1, "wraps", 0);
	put_load(3, 0x1000, 100, 2, "", 0);
	put_load(4, 0x1000, 8, 3, name, 0); /* longer than any name */
	put_load(5, 0x1000, 8, 4, "right", 0);
	put_load(6, 0x1000, 1ull << 40, 5, "larger_than_its_record", 100);
	assert_int_equal(read_back(b.len), 0);
	assert_string_equal(seen.buf, "5 1000+8 #4 right\n");

	put_header(false);
	put_load(1, 0x1000, 8, 0, "right", 0);
	put_load(1, 0x1000, 8, 0, "wrong", 15); /* smaller than what every record has: nothing can follow */
	put_load(1, 0x1000, 8, 0, "lost", 0);
	assert_int_equal(read_back(b.len), 0);
	assert_string_equal(seen.buf, "1 1000+8 #0 right\n");
	free(name);
}

/* More than is read at a time, with code larger than that. */
static void many_records(void **state)
{
	(void)state;
	put_header(false);
	for (u32 i = 0; i < 3000; i++)
		put_load(i, 0x1000 + 16 * i, i % 500 ? 200 : 99000, i, "some_function", 0);
	assert_int_equal(read_back(b.len), 0);
	assert_non_null(strstr(seen.buf, "\n2999 cb70+c8 #2999 some_function\n"));
}

static void other_files(void **state)
{
	static const char *const files[] = {
		"", "x", "DTiJ", "\177ELF\2\1\1..................................................."
	};
	struct jitdump_header h;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		assert_false(jitdump_header__parse(files[i], strlen(files[i]), &h));
	put_header(false);
	b.buf[4] = 2; /* version */
	assert_false(jitdump_header__parse(b.buf, b.len, &h));
	put_header(false);
	memset(b.buf + 8, 0xff, 4); /* size of the header */
	assert_false(jitdump_header__parse(b.buf, b.len, &h));
	put_header(false);
	b.buf[32] = 1;
	assert_true(jitdump_header__parse(b.buf, b.len, &h));
	assert_true(h.has_arch_times);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_byte_orders),
		cmocka_unit_test(unwinding_information),
		cmocka_unit_test(read_while_it_grows),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(records_in_tight_blocks),
		cmocka_unit_test(records_that_lie),
		cmocka_unit_test(many_records),
		cmocka_unit_test(other_files),
	};
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	strbuf__exit(&b);
	strbuf__exit(&seen);
	return ret;
}
