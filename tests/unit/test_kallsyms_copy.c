/* The copy of kallsyms in the build-id cache: layout, once only, whole or not at all. */
#include "unit.h"

#include "base/system/file.h"
#include "record/describe/kallsyms_copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY "cache/[kernel.kallsyms]/0123456789/kallsyms"

static const struct build_id id = { .size = 5, .data = { 0x01, 0x23, 0x45, 0x67, 0x89 } };

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void expect_text(const char *path, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	assert_int_equal(file__read(path, &sb, 0), 0);
	assert_string_equal(sb.buf, text);
	strbuf__exit(&sb);
}

static bool is_there(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

/* Each test in an empty folder. */
static int enter_folder(void **state)
{
	char *dir = xstrdup("/tmp/perf-test-XXXXXX");

	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	*state = dir;
	return 0;
}

static int leave_folder(void **state)
{
	char *dir = *state, *command = xasprintf("rm -rf '%s'", dir);
	int ret = chdir("/") || system(command);

	free(command);
	free(dir);
	return ret;
}

static const char text[] = "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n";

static void leaves_what_stock_leaves(void **state)
{
	struct stat st;

	(void)state;
	write_text("source", text);
	assert_int_equal(kallsyms_copy__leave("cache", "source", &id, NULL), 0);
	expect_text(COPY, text);
	expect_text("cache/.build-id/01/23456789/kallsyms", text); /* through the link */
	assert_int_equal(stat(COPY, &st), 0);
	assert_int_equal(st.st_mode & 077, 0); /* addresses are a secret */
}

static void copies_once(void **state)
{
	(void)state;
	write_text("source", text);
	assert_int_equal(kallsyms_copy__leave("cache", "source", &id, NULL), 0);
	write_text("source", "ffffffff81000000 T other\n");
	assert_int_equal(kallsyms_copy__leave("cache", "source", &id, NULL), 0);
	expect_text(COPY, text);
	/* A link that got lost comes back, with a new copy. */
	assert_int_equal(unlink("cache/.build-id/01/23456789"), 0);
	assert_int_equal(kallsyms_copy__leave("cache", "source", &id, NULL), 0);
	expect_text("cache/.build-id/01/23456789/kallsyms", "ffffffff81000000 T other\n");
}

static void copies_large_files(void **state)
{
	struct strbuf large = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 10000; i++)
		strbuf__addf(&large, "ffffffff8100%04x t symbol_%d\n", i, i);
	write_text("source", large.buf);
	assert_int_equal(kallsyms_copy__leave("cache", "source", &id, NULL), 0);
	expect_text(COPY, large.buf);
	strbuf__exit(&large);
}

/* Nothing is left of a copy that fails, and the reason is told. */
static void expect_none(const char *source, int code, const char *reason)
{
	struct err err = ERR_INIT;

	assert_int_equal(kallsyms_copy__leave("cache", source, &id, &err), code);
	assert_non_null(strstr(err.text.buf, reason));
	assert_false(is_there(COPY));
	assert_false(is_there("cache/.build-id/01/23456789"));
	rmdir("cache/[kernel.kallsyms]/0123456789"); /* fails if anything is in it */
	assert_false(is_there("cache/[kernel.kallsyms]/0123456789"));
	err__exit(&err);
}

static void leaves_no_hidden_addresses(void **state)
{
	(void)state;
	write_text("source", "0000000000000000 A fixed_percpu_data\n0000000000000000 T _text\n");
	expect_none("source", -EPERM, "hidden");
}

static void leaves_nothing_of_nothing(void **state)
{
	struct err err = ERR_INIT;
	struct build_id none = { 0 };

	(void)state;
	write_text("source", "");
	expect_none("source", -EPERM, "hidden");
	expect_none("missing", -ENOENT, "cannot copy 'missing'");
	assert_int_equal(kallsyms_copy__leave("cache", "source", &none, &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "no build-id"));
	err__exit(&err);
}

static void tells_what_is_in_the_way(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	write_text("source", text);
	write_text("cache", "a file");
	assert_int_equal(kallsyms_copy__leave("cache", "source", &id, &err), -ENOTDIR);
	assert_non_null(strstr(err.text.buf, "build-id cache 'cache'"));
	err__exit(&err);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(leaves_what_stock_leaves),  TEST(copies_once),
		TEST(copies_large_files),        TEST(leaves_no_hidden_addresses),
		TEST(leaves_nothing_of_nothing), TEST(tells_what_is_in_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
