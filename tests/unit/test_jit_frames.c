/* Call frame information of JIT code: what V8 wrote for a function, and pieces that replace others. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/symbols/jit_frames.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RSP = 7, RBP = 6, RA = 16, SIZE = 664 };

/*
 * .eh_frame of 664 bytes of code: CFA rsp+8; from 15 on rsp+16, rbp at CFA-16; from 18 on rbp+16; from 103 on
 * rsp+16; at 104 rsp+8; from 122 on rbp+16. (DWARF 5, section 6.4.2)
 */
static const u8 frames[] = { 0x18, 0,    0,    0,    0,    0,    0,    0,    3,    'z',  'L',  'R',
			     0,    0x01, 0x78, 0x10, 0x02, 0xff, 0x1b, 0x0c, 0x07, 0x08, 0x90, 0x01,
			     0,    0,    0,    0,    0x20, 0,    0,    0,    0x20, 0,    0,    0,
			     0x44, 0xfd, 0xff, 0xff, 0x98, 0x02, 0,    0,    0,    0x4f, 0x0e, 0x10,
			     0x86, 0x02, 0x43, 0x0d, 0x06, 0x02, 0x55, 0x0d, 0x07, 0x41, 0x0e, 0x08,
			     0x52, 0x0c, 0x06, 0x10, 0,    0,    0,    0 };

static int fd;
static struct jit_frames f;

static void add(u64 start, u64 size, bool has_frames)
{
	const struct jitdump_code c = { .addr = start,
					.size = size,
					.frames_offset = 100,
					.frames_size = has_frames ? sizeof(frames) : 0 };

	jit_frames__add_code(&f, &c, start);
}

static const struct cfi_row *row_at(u64 addr)
{
	struct cfi *cfi = jit_frames__find(&f, addr, fd);

	return cfi ? cfi__find(cfi, addr) : NULL;
}

static int begin(void **state)
{
	(void)state;
	f = (struct jit_frames){ .machine = EM_X86_64 };
	fd = memfd_create("dump", 0);
	return pwrite(fd, frames, sizeof(frames), 100) != sizeof(frames);
}

static int end(void **state)
{
	(void)state;
	jit_frames__exit(&f);
	return close(fd);
}

static void expect_row(u64 addr, unsigned reg, s64 offset, bool saves_rbp)
{
	const struct cfi_row *row = row_at(addr);
	const struct cfi_rule *rule;

	assert_non_null(row);
	assert_int_equal(row->cfa_reg, reg);
	assert_int_equal(row->cfa_offset, offset);
	rule = cfi_row__rule(row, RA);
	assert_non_null(rule);
	assert_int_equal(rule->offset, -8);
	rule = cfi_row__rule(row, RBP);
	assert_true(!rule == !saves_rbp);
	if (rule)
		assert_int_equal(rule->offset, -16);
}

static void rows_of_a_compiler(void **state)
{
	(void)state;
	for (u64 start = 0x7f0000001000; start; start = start > 0x10000 ? 0x1008 : 0) {
		add(start, SIZE, true);
		assert_true(jit_frames__update(&f));
		expect_row(start, RSP, 8, false);
		expect_row(start + 14, RSP, 8, false);
		expect_row(start + 15, RSP, 16, true);
		expect_row(start + 18, RBP, 16, true);
		expect_row(start + 102, RBP, 16, true);
		expect_row(start + 103, RSP, 16, true);
		expect_row(start + 104, RSP, 8, true);
		expect_row(start + 122, RBP, 16, true);
		expect_row(start + SIZE - 1, RBP, 16, true);
		assert_null(row_at(start - 1));
		assert_null(row_at(start + SIZE));
	}
}

static void later_pieces_replace(void **state)
{
	(void)state;
	add(0x1000, SIZE, true);
	add(0x3000, SIZE, true);
	assert_true(jit_frames__update(&f));
	assert_false(jit_frames__update(&f));
	assert_non_null(row_at(0x1000));
	assert_false(jit_frames__forget(&f, 1));
	add(0x1200, 16, false); /* without frames, in the first one */
	assert_true(jit_frames__update(&f));
	assert_null(row_at(0x1000));
	assert_null(row_at(0x1200));
	assert_non_null(row_at(0x3000));
	assert_true(jit_frames__forget(&f, 1)); /* the first one's */
	add(0x9000, 16, false);                 /* where nothing was */
	assert_false(jit_frames__update(&f));
	add(0x2f00, SIZE, true);
	add(0x2f00, SIZE, true);
	assert_true(jit_frames__update(&f));
	assert_non_null(row_at(0x2f00));
	assert_null(row_at(0x3000 + SIZE - 1));
	assert_true(jit_frames__forget(&f, 0)); /* all; opened again */
	assert_non_null(row_at(0x2f00));
}

/* Many pieces, in an order that changes: the last one at an address counts. */
static void many_pieces(void **state)
{
	(void)state;
	for (u64 i = 0; i < 3000; i++)
		add(0x100000 + i * 7919 % 3000 * 1024, SIZE, true);
	for (u64 i = 0; i < 3000; i += 3)
		add(0x100000 + i * 7919 % 3000 * 1024 + 100, 8, false);
	assert_true(jit_frames__update(&f));
	for (u64 i = 0; i < 3000; i++)
		assert_true(!row_at(0x100000 + i * 7919 % 3000 * 1024) == !(i % 3));
}

static void pieces_that_lie(void **state)
{
	struct jit_piece p = { .start = 0x1000, .end = 0x1000, .size = 8 };

	(void)state;
	jit_frames__add(&f, &p);
	p.end = 0xfff;
	jit_frames__add(&f, &p);
	assert_false(jit_frames__update(&f));
	p = (struct jit_piece){ .start = 0x1000, .end = UINT64_MAX, .at = 1ull << 40, .addr = 8, .size = 64 };
	jit_frames__add(&f, &p);
	assert_true(jit_frames__update(&f));
	assert_null(row_at(0x2000));
	p.at = 0; /* zeros: no entry */
	jit_frames__add(&f, &p);
	jit_frames__update(&f);
	assert_null(row_at(0x2000));
	for (size_t i = 0; i < sizeof(frames); i++) { /* each byte wrong */
		u8 wrong = (u8)~frames[i];

		assert_int_equal(pwrite(fd, &wrong, 1, (off_t)(100 + i)), 1);
		add(0x1000, SIZE, true);
		jit_frames__update(&f);
		for (u64 at = 0; at < SIZE; at += 10)
			row_at(0x1000 + at);
		assert_int_equal(pwrite(fd, &frames[i], 1, (off_t)(100 + i)), 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_of_a_compiler, begin, end),
		cmocka_unit_test_setup_teardown(later_pieces_replace, begin, end),
		cmocka_unit_test_setup_teardown(many_pieces, begin, end),
		cmocka_unit_test_setup_teardown(pieces_that_lie, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
