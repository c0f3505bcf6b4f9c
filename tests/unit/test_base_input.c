/* cursor, int_list, file: what comes from outside. */
#include "unit.h"

#include "base/memory/cursor.h"
#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const u8 bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static void cursor_reads_both_byte_orders(void **state)
{
	struct cursor c = cursor__make(bytes, sizeof(bytes), false),
		      s = cursor__make(bytes, sizeof(bytes), true);
	bool little = *(const u8 *)&(const u16){ 1 };
	struct cursor *le = little ? &c : &s, *be = little ? &s : &c;

	(void)state;
	assert_int_equal(cursor__u8(le), 1);
	assert_int_equal(cursor__u16(le), 0x0302);
	assert_int_equal(cursor__u32(le), 0x07060504);
	assert_int_equal(cursor__u64(le), 0x0f0e0d0c0b0a0908ull);
	assert_int_equal(cursor__left(le), 0);
	assert_int_equal(cursor__u8(be), 1);
	assert_int_equal(cursor__u16(be), 0x0203);
	assert_int_equal(cursor__u32(be), 0x04050607);
	assert_int_equal(cursor__u64(be), 0x08090a0b0c0d0e0full);
	assert_false(c.bad || s.bad);
}

static void cursor_goes_bad_once_and_for_all(void **state)
{
	struct cursor c = cursor__make(bytes, 5, false);

	(void)state;
	assert_int_equal(cursor__u32(&c) != 0, 1);
	assert_int_equal(cursor__u16(&c), 0);
	assert_true(c.bad);
	assert_int_equal(cursor__offset(&c), 4);
	assert_int_equal(cursor__u8(&c), 0); /* one byte is left, but the cursor is bad */
	assert_null(cursor__bytes(&c, 0));
	assert_int_equal(cursor__offset(&c), 4);
}

static void cursor_refuses_sizes_that_wrap(void **state)
{
	struct cursor c = cursor__make(bytes, sizeof(bytes), false);

	(void)state;
	cursor__u8(&c);
	assert_null(cursor__bytes(&c, SIZE_MAX));
	assert_true(c.bad);
	c = cursor__make(bytes, sizeof(bytes), false);
	cursor__skip(&c, sizeof(bytes));
	assert_false(c.bad);
	cursor__skip(&c, 1);
	assert_true(c.bad);
}

static void cursor_strings_end_inside(void **state)
{
	struct cursor c = cursor__make("ab\0d\0efg", 8, false);

	(void)state;
	assert_string_equal(cursor__str(&c, 4), "ab");
	assert_int_equal(cursor__offset(&c), 4);
	assert_string_equal(cursor__str(&c, 1), "");
	assert_null(cursor__str(&c, 3));
	assert_true(c.bad);
	c = cursor__make("ab", 2, false);
	assert_null(cursor__str(&c, 0));
	assert_true(c.bad);
}

static void check_list(const char *text, int max, int want_ret, const int *want, size_t nr)
{
	int_array list = { 0 };
	int ret = int_list__parse(text, max, &list);

	assert_int_equal(ret, want_ret);
	if (!ret) {
		assert_int_equal(list.nr, nr);
		for (size_t i = 0; i < nr; i++)
			assert_int_equal(list.v[i], want[i]);
	}
	array__exit(&list);
}
#define LIST(...) (const int[]){ __VA_ARGS__ }, sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int)

static void int_list_parses(void **state)
{
	(void)state;
	check_list("0", 7, 0, LIST(0));
	check_list("0-3,7", 7, 0, LIST(0, 1, 2, 3, 7));
	check_list("5,1-2,2,1", 7, 0, LIST(1, 2, 5));
	check_list("3-3", 7, 0, LIST(3));
	check_list("2147483647", 2147483647, 0, LIST(2147483647));
}

static void int_list_refuses(void **state)
{
	static const char *const wrong[] = { "",  ",",  "1,",  ",1",   "1-", "-1", "3-1",
					     "a", "1a", "1 2", "1--2", "+1", " 1" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		check_list(wrong[i], 100, -EINVAL, NULL, 0);
	check_list("8", 7, -ERANGE, NULL, 0);
	check_list("0-99999999999999999999", 7, -ERANGE, NULL, 0);
}

static char dir[] = "/tmp/perf-unit.XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void file_reads_regular_files_only(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char path[64];
	u64 x = 0;
	FILE *f;

	(void)state;
	assert_int_equal(file__read(dir, &sb, 0), -EINVAL);
	assert_int_equal(file__read("/dev/null", &sb, 0), -EINVAL);
	snprintf(path, sizeof(path), "%s/f", dir);
	assert_int_equal(file__read(path, &sb, 0), -ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(file__read(path, &sb, 0), -EINVAL); /* and does not wait */
	unlink(path);

	f = fopen(path, "w");
	assert_non_null(f);
	fputs("0x10\n", f);
	fclose(f);
	assert_int_equal(file__read(path, &sb, 0), 0);
	assert_string_equal(sb.buf, "0x10\n");
	strbuf__reset(&sb);
	assert_int_equal(file__read(path, &sb, 4), -EFBIG);
	strbuf__reset(&sb);
	assert_int_equal(file__read_line(path, &sb), 0);
	assert_string_equal(sb.buf, "0x10");
	assert_int_equal(file__read_u64(path, &x), 0);
	assert_int_equal(x, 16);
	unlink(path);
	strbuf__reset(&sb);
	assert_int_equal(file__read("/proc/self/stat", &sb, 0), 0); /* says size 0, has content */
	assert_true(sb.len > 0);
	strbuf__exit(&sb);
}

/* A fifo's writer waits until somebody opens it for reading: not we. */
static void plain_files_are_looked_at_before_they_are_opened(void **state)
{
	static const char *const made_up[] = { "/proc/self/status", "/proc/kcore", "/proc/kmsg",
					       "/sys/kernel/notes" };
	char path[64], link[64];
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(made_up); i++)
		assert_true(file__open_plain(made_up[i]) < 0);
	assert_int_equal(file__open_plain(dir), -EINVAL);
	assert_int_equal(file__open_plain("/dev/null"), -EINVAL);
	assert_int_equal(file__open_plain("/proc/self/status"), -EINVAL);
	snprintf(path, sizeof(path), "%s/f", dir);
	snprintf(link, sizeof(link), "%s/l", dir);
	assert_int_equal(file__open_plain(path), -ENOENT);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(file__open_plain(link), -EINVAL);
	assert_false(file__is_plain(link));
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	fd = file__open_plain(link); /* a binary may be one */
	assert_true(fd >= 0);
	close(fd);
	assert_true(file__is_plain(path));
	unlink(link);
	unlink(path);
	fd = file__open_plain("/proc/self/exe"); /* leads to a file */
	assert_true(fd >= 0);
	close(fd);
}

static void file_reads_and_writes_in_full(void **state)
{
	char buf[8] = "";
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(file__write_all(fds[1], "abc", 3), 0);
	assert_int_equal(file__write_all(fds[1], "de", 2), 0);
	close(fds[1]);
	assert_int_equal(file__read_all(fds[0], buf, sizeof(buf)), 5);
	assert_memory_equal(buf, "abcde", 5);
	close(fds[0]);
	assert_int_equal(file__write_all(-1, "x", 1), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cursor_reads_both_byte_orders),
		cmocka_unit_test(cursor_goes_bad_once_and_for_all),
		cmocka_unit_test(cursor_refuses_sizes_that_wrap),
		cmocka_unit_test(cursor_strings_end_inside),
		cmocka_unit_test(int_list_parses),
		cmocka_unit_test(int_list_refuses),
		cmocka_unit_test(file_reads_regular_files_only),
		cmocka_unit_test(plain_files_are_looked_at_before_they_are_opened),
		cmocka_unit_test(file_reads_and_writes_in_full),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
