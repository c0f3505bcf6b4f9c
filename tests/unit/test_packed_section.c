/* Compressed sections: unpacked as far as is asked for, refused where they claim more than can be in them. */
#include "unit.h"

#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "binary/elf/packed_section.h"

#include <elf.h>
#include <string.h>

#include <zlib.h>

enum { PLAIN = 1 << 20 };

/* As objcopy makes them: Elf64_Chdr in front, or in the old way "ZLIB" and the size in big-endian order. */
static void pack(struct strbuf *section, const u8 *plain, size_t size, u64 claimed, bool is_old)
{
	const Elf64_Chdr head = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = claimed, .ch_addralign = 1 };
	u64 swapped = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(claimed) : claimed;
	uLongf len = compressBound(size);
	u8 *packed = xmalloc(len);

	assert_int_equal(compress2(packed, &len, plain, size, 9), Z_OK);
	if (is_old) {
		strbuf__add(section, "ZLIB", 4);
		strbuf__add(section, &swapped, sizeof(swapped));
	} else {
		strbuf__add(section, &head, sizeof(head));
	}
	strbuf__add(section, packed, len);
	free(packed);
}

static void check(u8 *plain, bool is_old)
{
	struct strbuf section = STRBUF_INIT;
	struct packed_section s;

	pack(&section, plain, PLAIN, PLAIN, is_old);
	assert_true(packed_section__init(&s, (u8 *)section.buf, section.len, is_old, true, false));
	assert_int_equal(s.size, PLAIN);
	s.out = xcalloc(1, PLAIN);
	packed_section__unpack(&s, 1);
	assert_memory_equal(s.out, plain, 1);
	packed_section__unpack(&s, PLAIN);
	assert_memory_equal(s.out, plain, PLAIN);
	for (u64 end = 1; end <= PLAIN; end += PLAIN - 1) { /* again, after all and after some of it */
		packed_section__restart(&s);
		memset(s.out, 0, PLAIN);
		packed_section__unpack(&s, end);
		assert_memory_equal(s.out, plain, end);
	}
	packed_section__exit(&s);
	free(s.out);
	strbuf__exit(&section);
}

static void what_was_packed_comes_out(void **state)
{
	u8 *plain = xcalloc(1, PLAIN); /* nothing can be packed more tightly */

	(void)state;
	check(plain, false);
	check(plain, true);
	for (size_t i = 0; i < PLAIN; i++)
		plain[i] = (u8)(i * i >> 7);
	check(plain, false);
	free(plain);
}

static void more_than_can_be_in_it_is_refused(void **state)
{
	struct strbuf section = STRBUF_INIT;
	struct packed_section s;

	(void)state;
	for (int is_old = 0; is_old < 2; is_old++) {
		strbuf__reset(&section);
		pack(&section, (const u8 *)"text", 4, 1 << 30, is_old);
		assert_false(packed_section__init(&s, (u8 *)section.buf, section.len, is_old, true, false));
	}
	strbuf__reset(&section);
	pack(&section, (const u8 *)"text", 4, UINT64_MAX, false);
	assert_false(packed_section__init(&s, (u8 *)section.buf, section.len, false, true, false));
	assert_false(packed_section__init(&s, (u8 *)section.buf, 10, false, true, false));
	strbuf__exit(&section);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_packed_comes_out),
		cmocka_unit_test(more_than_can_be_in_it_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
