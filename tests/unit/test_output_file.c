/* Files that get their name when they are complete. */
#include "unit.h"

#include "base/memory/mem.h"
#include "base/system/file.h"
#include "base/system/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test-output-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void expect(const char *path, const char *text, mode_t mode)
{
	struct strbuf sb = STRBUF_INIT;
	struct stat st;

	assert_int_equal(file__read(path, &sb, 0), 0);
	assert_string_equal(sb.buf, text);
	strbuf__exit(&sb);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | mode);
}

static void expect_nothing_else(unsigned nr)
{
	unsigned found = 0;
	name_array names = { 0 };

	assert_int_equal(folder__names(&names, false, "."), 0);
	assert_int_equal(names.nr, nr);
	name_array__exit(&names);
	for (unsigned i = 0; i < 100; i++) {
		char *part = xasprintf(".perf-%d-%u.part", (int)getpid(), i);

		found += !access(part, F_OK);
		free(part);
	}
	assert_int_equal(found, 0);
}

static void a_file_is_replaced_when_complete(void **state)
{
	struct output_file o;

	(void)state;
	put("a", "old", 0644);
	assert_int_equal(output_file__open(&o, "a", 0666, NULL), 0);
	assert_int_equal(file__write_all(o.fd, "new", 3), 0);
	expect("a", "old", 0644);
	assert_int_equal(output_file__close(&o, true, NULL), 0);
	expect("a", "new", 0644);

	assert_int_equal(output_file__open(&o, "a", 0666, NULL), 0);
	assert_int_equal(file__write_all(o.fd, "newer", 5), 0);
	assert_int_equal(output_file__close(&o, false, NULL), 0);
	expect("a", "new", 0644);
	expect_nothing_else(1);
	unlink("a");
}

static void the_umask_and_an_old_file_limit_the_mode(void **state)
{
	(void)state;
	assert_int_equal(output_file__write("a", "x", 1, 0666, NULL), 0);
	expect("a", "x", 0644);
	assert_int_equal(output_file__write("b", "x", 1, 0600, NULL), 0);
	expect("b", "x", 0600);
	assert_int_equal(output_file__write("b", "y", 1, 0666, NULL), 0);
	expect("b", "y", 0600);
	assert_int_equal(output_file__write("a", "y", 1, 0640, NULL), 0);
	expect("a", "y", 0640);
	unlink("a");
	unlink("b");
}

static void temporary_names_are_known(void **state)
{
	(void)state;
	assert_true(output_file__is_temporary(".perf-12-0.part"));
	assert_false(output_file__is_temporary(".perf-12-0.par"));
	assert_false(output_file__is_temporary("perf-12-0.part"));
	assert_false(output_file__is_temporary(""));
}

static void own_links_are_followed(void **state)
{
	char *target;

	(void)state;
	put("a", "old", 0600);
	assert_int_equal(symlink("b", "c") | symlink("a", "b") | symlink("nothing", "d") | symlink("e", "e"),
			 0);
	assert_int_equal(output_file__write("c", "new", 3, 0666, NULL), 0);
	expect("a", "new", 0600);
	assert_int_equal(output_file__write("d", "made", 4, 0666, NULL), 0);
	expect("nothing", "made", 0644);
	assert_int_equal(output_file__write("e", "x", 1, 0666, NULL), -ELOOP);
	assert_int_equal(output_file__follow("./c", &target, NULL), 0);
	assert_string_equal(target, "./a");
	free(target);
	expect_nothing_else(6);
	unlink("a"), unlink("b"), unlink("c"), unlink("d"), unlink("e"), unlink("nothing");
}

static void another_users_link_is_refused(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	if (geteuid())
		skip(); /* only root can make one */
	assert_int_equal(symlink("a", "link") | lchown("link", 1, 1), 0);
	assert_int_equal(output_file__write("link", "x", 1, 0666, &err), -EPERM);
	assert_non_null(strstr(err.text.buf, "'link' belongs to another user (id 1)"));
	expect_nothing_else(1);
	err__exit(&err);
	unlink("link");
}

static void descriptors_and_devices_are_written_as_they_are(void **state)
{
	int fd = open("a", O_RDWR | O_CREAT | O_APPEND, 0600);
	char *path = xasprintf("/dev/fd/%d", fd), text[8] = "";

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "one", 3), 3);
	assert_int_equal(output_file__write(path, "two", 3, 0666, NULL), 0);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "onetwo");
	free(path);
	close(fd);
	assert_int_equal(output_file__write("/dev/null", "x", 1, 0666, NULL), 0);
	assert_int_equal(access("/dev/null", F_OK), 0);
	expect_nothing_else(1);
	unlink("a");
}

static void what_cannot_be_written_is_told(void **state)
{
	struct err err = ERR_INIT;
	char longest[NAME_MAX + 1] = "", *more;

	(void)state;
	assert_int_equal(output_file__write(".", "x", 1, 0666, &err), -EISDIR);
	assert_int_equal(output_file__write("none/a", "x", 1, 0666, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "cannot write 'none/a'"));
	memset(longest, 'x', NAME_MAX);
	assert_int_equal(output_file__write(longest, "x", 1, 0666, &err), 0);
	expect(longest, "x", 0644);
	unlink(longest);
	more = xasprintf("%sx", longest);
	assert_int_equal(output_file__write(more, "x", 1, 0666, &err), -ENAMETOOLONG);
	free(more);
	expect_nothing_else(0);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_when_complete),
		cmocka_unit_test(the_umask_and_an_old_file_limit_the_mode),
		cmocka_unit_test(temporary_names_are_known),
		cmocka_unit_test(own_links_are_followed),
		cmocka_unit_test(another_users_link_is_refused),
		cmocka_unit_test(descriptors_and_devices_are_written_as_they_are),
		cmocka_unit_test(what_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
