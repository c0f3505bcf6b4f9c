/* Packing on several threads: zlib reads it, and the number of threads does not change a byte. */
#include "unit.h"

#include "base/memory/mem.h"
#include "base/system/pack.h"

#include <zlib.h>

static void check_size(size_t size)
{
	struct strbuf alone = STRBUF_INIT, shared = STRBUF_INIT;
	u8 *data = xmalloc(size + 1), *back = xmalloc(size + 1);
	uLongf got = size + 1;

	for (size_t i = 0; i < size; i++)
		data[i] = (u8)(i * i >> 9 ^ i % 7);
	pack__zlib(data, size, 4, 1, &alone);
	pack__zlib(data, size, 4, 3, &shared);
	assert_int_equal(alone.len, shared.len);
	assert_memory_equal(alone.buf, shared.buf, shared.len);
	/* zlib checks the sum, too */
	assert_int_equal(uncompress(back, &got, (const u8 *)shared.buf, shared.len), Z_OK);
	assert_int_equal(got, size);
	assert_memory_equal(back, data, size);
	free(data);
	free(back);
	strbuf__exit(&alone);
	strbuf__exit(&shared);
}

static void test_sizes(void **state)
{
	static const size_t sizes[] = { 0, 1, 1000, 256 << 10, (256 << 10) + 1, 1 << 20, 3 * 1000 * 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_size(sizes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
