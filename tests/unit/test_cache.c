/* The build-id cache's names, and the tar files that perf archive writes and reads */
#include "unit.h"

#include "base/memory/mem.h"
#include "cache/cache.h"
#include "cache/tar.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void names_stay_inside(void **state)
{
	static const struct {
		const char *name, *path;
	} cases[] = {
		{ "/usr/bin/ls", "usr/bin/ls" },
		{ "//usr///bin/./ls", "usr/bin/ls" },
		{ "/usr/..x/ls", "usr/..x/ls" },
		{ "[vdso]", "[vdso]" },
		{ "/usr/../etc/passwd", NULL },
		{ "/..", NULL },
		{ "/", NULL },
		{ "", NULL },
		{ "usr/bin/ls", NULL },
		{ "[a/../../b]", NULL },
		{ "[heap", NULL },
		{ "/.build-id", NULL },
		{ "/.build-id/11/22", NULL },
		{ "/.build-idx", ".build-idx" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = cache__name_to_path(cases[i].name);

		if (cases[i].path)
			assert_string_equal(path, cases[i].path);
		else
			assert_null(path);
		free(path);
	}
	char *huge = xcalloc(1, 70000);

	memset(huge, '/', 69999);
	assert_null(cache__name_to_path(huge));
	free(huge);
}

static void ids_are_hexadecimal(void **state)
{
	struct build_id id;

	(void)state;
	assert_true(build_id__parse("00ff10", &id));
	assert_int_equal(id.size, 3);
	assert_int_equal(id.data[1], 0xff);
	assert_false(build_id__parse("", &id));
	assert_false(build_id__parse("00", &id));
	assert_false(build_id__parse("00f", &id));
	assert_false(build_id__parse("00FF", &id));
	assert_false(build_id__parse("../..", &id));
	assert_false(build_id__parse("00112233445566778899001122334455667788990011", &id));
}

static int temp_fd(void)
{
	char name[] = "tar.XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	return fd;
}

/* A file with a long name and a link with a long target; the descriptor is at the beginning. */
static int write_tar(const char *name, const char *content, size_t size)
{
	struct err err = ERR_INIT;
	struct packed_out *out;
	int fd = temp_fd();

	assert_int_equal(packed_out__open(&out, dup(fd), &err), 0);
	assert_int_equal(tar__add_link(out, "link", name, 1), 0);
	assert_int_equal(tar__add_image(out, name, 0644, 1, content, size), 0);
	assert_int_equal(tar__add_image(out, "short", 0644, 1, "x", 1), 0);
	assert_int_equal(tar__end(out), 0);
	assert_int_equal(packed_out__close(out), 0);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void what_is_packed_is_unpacked(void **state)
{
	struct tar_in t = { .left = 0 };
	struct err err = ERR_INIT;
	char name[301] = "", content[1000], got[1000];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	memset(content, 'c', sizeof(content));
	assert_int_equal(packed_in__open(&t.in, write_tar(name, content, sizeof(content)), &err), 0);
	assert_int_equal(tar_in__next(&t, &err), 1);
	assert_string_equal(t.member.name, "link");
	assert_false(t.member.is_file);
	assert_int_equal(tar_in__next(&t, &err), 1);
	assert_string_equal(t.member.name, name);
	assert_true(t.member.is_file);
	assert_int_equal(t.member.size, sizeof(content));
	assert_int_equal(tar_in__read(&t, got, 10), 10); /* the rest is skipped */
	assert_int_equal(tar_in__next(&t, &err), 1);
	assert_string_equal(t.member.name, "short");
	assert_int_equal(tar_in__read(&t, got, sizeof(got)), 1);
	assert_int_equal(got[0], 'x');
	assert_int_equal(tar_in__read(&t, got, sizeof(got)), 0);
	assert_int_equal(tar_in__next(&t, &err), 0);
	tar_in__exit(&t);
	packed_in__close(t.in);
	err__exit(&err);
}

/* Whatever is cut off or changed: an end or an error, never more. */
static void damage_is_an_error(void **state)
{
	struct packed_in *in;
	struct err err = ERR_INIT;
	int fd = write_tar("name", "content", 7), plain = temp_fd();
	char bytes[8192];
	ssize_t n, size = 0;

	(void)state;
	assert_int_equal(packed_in__open(&in, fd, &err), 0);
	while ((n = packed_in__read(in, bytes + size, sizeof(bytes) - (size_t)size)) > 0)
		size += n;
	assert_int_equal(n, 0);
	packed_in__close(in);
	for (ssize_t cut = 0; cut < size; cut += 37) {
		struct tar_in t = { .left = 0 };
		int ret;

		assert_int_equal(ftruncate(plain, 0), 0);
		assert_int_equal(pwrite(plain, bytes, (size_t)cut, 0), cut);
		lseek(plain, 0, SEEK_SET);
		assert_int_equal(packed_in__open(&t.in, dup(plain), &err), 0);
		while ((ret = tar_in__next(&t, &err)) > 0)
			continue;
		assert_true(!ret || ret == -EBADMSG);
		tar_in__exit(&t);
		packed_in__close(t.in);
		bytes[cut % size] ^= 1; /* from here on, one more wrong bit each time */
	}
	close(plain);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_inside),
		cmocka_unit_test(ids_are_hexadecimal),
		cmocka_unit_test(what_is_packed_is_unpacked),
		cmocka_unit_test(damage_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
