/* ELF files that are packed as a whole: this program itself, cut and damaged in many ways. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/elf/elf_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct strbuf packed = STRBUF_INIT;

static bool pack(const char *command)
{
	char text[256];
	bool fine;

	strbuf__reset(&packed);
	snprintf(text, sizeof(text),
		 "f=/tmp/perf-unit-pack.$$; head -c 200000 /proc/%d/exe | %s >$f && mv $f "
		 "/tmp/perf-unit-packed.%d",
		 getpid(), command, getpid());
	if (system(text))
		return false;
	snprintf(text, sizeof(text), "/tmp/perf-unit-packed.%d", getpid());
	fine = !file__read(text, &packed, 0);
	unlink(text);
	return fine && packed.len;
}

/* Its own block, so that a read behind it is seen. */
static int try_bytes(const char *bytes, size_t size)
{
	char *copy = malloc(size ? size : 1);
	struct elf_file f;
	int ret;

	memcpy(copy, bytes, size);
	ret = elf_file__from_packed(&f, copy, size, NULL);
	free(copy);
	if (!ret) {
		GElf_Shdr shdr;

		elf_file__section(&f, ".text", 0, &shdr);
	}
	elf_file__close(&f);
	return ret;
}

static void check_packing(const char *command)
{
	if (!pack(command)) {
		skip();
		return;
	}
	assert_int_equal(try_bytes(packed.buf, packed.len), 0);
	for (size_t cut = 0; cut < packed.len; cut += 1 + packed.len / 50)
		assert_true(try_bytes(packed.buf, cut) < 0);
	for (size_t i = 0; i < packed.len; i += 1 + packed.len / 50) {
		packed.buf[i] ^= 0x5a;
		try_bytes(packed.buf, packed.len);
		packed.buf[i] ^= 0x5a;
	}
}

static void gzip(void **state)
{
	(void)state;
	check_packing("gzip -c");
}

static void xz(void **state)
{
	(void)state;
#ifdef HAVE_LIBLZMA
	check_packing("xz -c");
#endif
}

static void zstd(void **state)
{
	(void)state;
#ifdef HAVE_LIBZSTD
	check_packing("zstd -q -c");
#endif
}

static void bytes_that_are_no_packed_file(void **state)
{
	(void)state;
	assert_true(try_bytes("", 0) < 0);
	assert_true(try_bytes("\x7f"
			      "ELF....",
			      8) < 0);
	assert_true(try_bytes("\x1f\x8b", 2) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip),
		cmocka_unit_test(xz),
		cmocka_unit_test(zstd),
		cmocka_unit_test(bytes_that_are_no_packed_file),
	};
	int ret = cmocka_run_group_tests(tests, NULL, NULL);

	strbuf__exit(&packed);
	return ret;
}
