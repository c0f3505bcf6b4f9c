/* Libraries by name: how files are called, the loader's cache, and this machine's C library. */
#include "unit.h"

#include "base/text/strbuf.h"
#include "binary/elf/library_path.h"

#include <stdlib.h>
#include <string.h>

static void test_names(void **state)
{
	(void)state;
	assert_true(library__is_called("/lib/libc.so.6", "libc.so.6"));
	assert_true(library__is_called("/lib/libc.so.6", "libc"));
	assert_true(library__is_called("libc.so", "libc"));
	assert_true(library__is_called("/lib/libc-2.31.so", "libc"));
	assert_true(library__is_called("/usr/bin/prog", "prog"));
	assert_false(library__is_called("/lib/libcrypt.so.1", "libc"));
	assert_false(library__is_called("/lib/libc-client.so.1", "libc"));
	assert_false(library__is_called("/lib/libc.so.6", "libc.so"));
	assert_false(library__is_called("/lib/libc.so.6", "lib"));
	assert_false(library__is_called("/usr/bin/prog-2", "prog"));
	assert_false(library__is_called("/lib/libc.so.6", ""));
}

/* ---- the cache ---- */

struct row {
	const char *key, *path;
	u64 hwcap;
};

static void put(struct strbuf *sb, u64 value, size_t size)
{
	strbuf__add(sb, &value, size);
}

static void make_cache(struct strbuf *sb, const struct row *rows, u32 nr)
{
	struct strbuf strings = STRBUF_INIT;
	u32 base = 48 + 24 * nr;

	strbuf__addstr(sb, "glibc-ld.so.cache1.1");
	put(sb, nr, 4);
	for (int i = 0; i < 6; i++)
		put(sb, 0, 4);
	for (u32 i = 0; i < nr; i++) {
		put(sb, 0x0303, 4);
		put(sb, base + strings.len, 4);
		strbuf__add(&strings, rows[i].key, strlen(rows[i].key) + 1);
		put(sb, base + strings.len, 4);
		strbuf__add(&strings, rows[i].path, strlen(rows[i].path) + 1);
		put(sb, 0, 4);
		put(sb, rows[i].hwcap, 8);
	}
	strbuf__add(sb, strings.buf, strings.len);
	strbuf__exit(&strings);
}

static bool fits_all(const char *path)
{
	return *path == '/';
}

static bool fits_64(const char *path)
{
	return strstr(path, "64") != NULL;
}

static const struct row rows[] = {
	{ "libz.so.1", "/lib/v3/libz.so.1", (u64)1 << 62 },
	{ "libz.so.1", "/lib32/libz.so.1", 0 },
	{ "libz.so.1", "/lib64/libz.so.1", 0 },
	{ "libonly.so", "/lib/v3/libonly.so", 1 },
};

static void expect(const struct strbuf *cache, const char *name, bool (*fits)(const char *), const char *path)
{
	char *found = library__find_in_cache(cache->buf, cache->len, name, fits);

	if (path) {
		assert_non_null(found);
		assert_string_equal(found, path);
	} else {
		assert_null(found);
	}
	free(found);
}

static void test_cache(void **state)
{
	struct strbuf cache = STRBUF_INIT;

	(void)state;
	strbuf__addstr(&cache, "ld.so-1.7.0 and what belongs to it; ");
	make_cache(&cache, rows, ARRAY_SIZE(rows));
	expect(&cache, "libz.so.1", fits_all, "/lib32/libz.so.1");
	expect(&cache, "libz", fits_64, "/lib64/libz.so.1");
	expect(&cache, "libonly.so", fits_all, "/lib/v3/libonly.so");
	expect(&cache, "libz.so.2", fits_all, NULL);
	strbuf__exit(&cache);
}

static void test_damaged_cache(void **state)
{
	struct strbuf cache = STRBUF_INIT;
	unsigned seed = 1;

	(void)state;
	make_cache(&cache, rows, ARRAY_SIZE(rows));
	for (size_t len = 0; len <= cache.len; len++) {
		char *cut = malloc(len ? len : 1);

		memcpy(cut, cache.buf, len);
		free(library__find_in_cache(cut, len, "libonly.so", fits_all));
		free(cut);
	}
	for (int round = 0; round < 2000; round++) {
		char *copy = malloc(cache.len);

		memcpy(copy, cache.buf, cache.len);
		copy[20 + (size_t)rand_r(&seed) % (cache.len - 20)] = (char)rand_r(&seed);
		free(library__find_in_cache(copy, cache.len, "libz", fits_64));
		free(copy);
	}
	strbuf__exit(&cache);
}

static void test_this_machine(void **state)
{
	char *path = library__find("libc");

	(void)state;
	if (!path)
		path = library__find("libc.so.6"); /* where there is no cache */
	if (!path) {
		skip();
		return;
	}
	assert_true(library__is_called(path, "libc"));
	assert_null(library__find("libnosuchlibrary"));
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_damaged_cache),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
