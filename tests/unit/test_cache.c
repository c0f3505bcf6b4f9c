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

#ifdef HAVE_LIBARCHIVE
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
	struct archive *tar;
	int fd = temp_fd();

	assert_int_equal(tar__create(&tar, fd, false, NULL), 0);
	assert_int_equal(tar__add_link(tar, "link", name), 0);
	assert_int_equal(tar__add_image(tar, name, content, size), 0);
	assert_int_equal(tar__add_image(tar, "short", "x", 1), 0);
	assert_int_equal(tar__finish(tar, 0, NULL), 0);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void what_is_packed_is_unpacked(void **state)
{
	int out = temp_fd(), fd;
	struct tar_in t;
	char name[301] = "", content[1000], got[1001];

	(void)state;
	memset(name, '\xfc', sizeof(name) - 1); /* no UTF-8, either */
	memset(content, 'c', sizeof(content));
	fd = write_tar(name, content, sizeof(content));
	assert_int_equal(tar_in__open(&t, fd, NULL, NULL), 0);
	assert_int_equal(tar_in__next(&t, NULL), 1);
	assert_string_equal(t.name, "link");
	assert_false(t.is_file);
	assert_int_equal(tar_in__next(&t, NULL), 1);
	assert_string_equal(t.name, name);
	assert_true(t.is_file);
	assert_int_equal(tar_in__copy(&t, out, NULL), 0);
	assert_int_equal(pread(out, got, sizeof(got), 0), sizeof(content));
	assert_memory_equal(got, content, sizeof(content));
	assert_int_equal(tar_in__next(&t, NULL), 1);
	assert_string_equal(t.name, "short");
	assert_int_equal(tar_in__next(&t, NULL), 0);
	tar_in__close(&t);
	close(out);
	close(fd);
}

/* Also of what is only passed over. */
static void no_more_is_read_than_there_is_room_for(void **state)
{
	static const char content[300 << 10];
	u64 room = 200 << 10;
	struct tar_in t;
	int fd = write_tar("name", content, sizeof(content));

	(void)state;
	assert_int_equal(tar_in__open(&t, fd, &room, NULL), 0);
	assert_int_equal(tar_in__next(&t, NULL), 1);
	assert_int_equal(tar_in__next(&t, NULL), 1);
	assert_string_equal(t.name, "name");
	assert_int_equal(tar_in__next(&t, NULL), -E2BIG);
	tar_in__close(&t);
	close(fd);
}

static bool read_all(int fd, struct err *err)
{
	struct tar_in t;
	int ret = tar_in__open(&t, fd, NULL, err);

	while (!ret && (ret = tar_in__next(&t, err)) > 0)
		ret = tar_in__copy(&t, -1, err);
	tar_in__close(&t);
	assert_true(!ret || ret == -EBADMSG);
	return !ret;
}

/* Whatever is cut off or changed: an end or an error, never more. */
static void damage_is_an_error(void **state)
{
	struct err err = ERR_INIT;
	int fd = write_tar("name", "content", 7), cut_fd = temp_fd();
	char bytes[8192];
	ssize_t size = pread(fd, bytes, sizeof(bytes), 0);

	(void)state;
	assert_true(read_all(fd, &err));
	for (ssize_t cut = size; cut--;) {
		assert_int_equal(ftruncate(cut_fd, 0), 0);
		assert_int_equal(pwrite(cut_fd, bytes, (size_t)cut, 0), cut);
		lseek(cut_fd, 0, SEEK_SET);
		assert_false(cut && read_all(cut_fd, &err));
		if (cut)
			assert_non_null(strstr(err.text.buf, "the archive is damaged at byte "));
		bytes[cut] ^= 1;
		lseek(fd, 0, SEEK_SET);
		assert_int_equal(pwrite(fd, bytes, (size_t)size, 0), size);
		read_all(fd, &err);
	}
	close(cut_fd);
	close(fd);
	err__exit(&err);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_stay_inside),
		cmocka_unit_test(ids_are_hexadecimal),
#ifdef HAVE_LIBARCHIVE
		cmocka_unit_test(what_is_packed_is_unpacked),
		cmocka_unit_test(no_more_is_read_than_there_is_room_for),
		cmocka_unit_test(damage_is_an_error),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
