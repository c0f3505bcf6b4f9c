/* Binaries that are kept while they are recorded. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/elf/kept_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/kept-files.XXXXXX";

/* Return the path of a file in dir. Only the last eight are valid. */
static const char *path_of(const char *name)
{
	static char paths[8][64];
	static unsigned next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* Write an ELF file whose last byte is mark. */
static struct kept_id make_file(const char *name, char mark)
{
	const char *path = path_of(name);
	struct strbuf own = STRBUF_INIT;
	struct stat st;
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0755);

	assert_return_code(fd, 0);
	assert_int_equal(file__read("/proc/self/exe", &own, 0), 0);
	strbuf__setlen(&own, 4096); /* enough to look like one */
	own.buf[own.len - 1] = mark;
	assert_int_equal(file__write_all(fd, own.buf, own.len), 0);
	strbuf__exit(&own);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	return (struct kept_id){ .name = path, .maj = 1, .min = 2, .ino = st.st_ino };
}

static char last_byte(struct kept_files *k, const struct kept_id *id)
{
	char *path = kept_files__path(k, id);
	struct strbuf text = STRBUF_INIT;
	char last = 0;

	if (path) {
		assert_int_equal(file__read(path, &text, 0), 0);
		last = text.buf[text.len - 1];
	}
	strbuf__exit(&text);
	free(path);
	return last;
}

static void keep(struct kept_files *k, const struct kept_id *id)
{
	kept_files__add(k, id, (u32)getpid(), 0, 0);
}

static void a_deleted_file_is_kept(void **state)
{
	struct kept_files *k = kept_files__new(8);
	struct kept_id a = make_file("a", 'a'), other = a;

	(void)state;
	keep(k, &a);
	unlink("a");
	assert_int_equal(last_byte(k, &a), 'a');
	other.ino++;
	assert_int_equal(last_byte(k, &other), 0);
	other = a;
	other.name = path_of("b");
	assert_int_equal(last_byte(k, &other), 0);
	assert_null(kept_files__path(NULL, &a));
	kept_files__delete(k);
	kept_files__delete(NULL);
}

static void what_is_not_elf_is_not_kept(void **state)
{
	struct kept_files *k = kept_files__new(8);
	struct kept_id a = make_file("a", 'a');
	int fd = open("a", O_WRONLY);

	(void)state;
	assert_int_equal(file__pwrite_all(fd, "#!/bin/sh", 9, 0), 0);
	close(fd);
	keep(k, &a);
	assert_int_equal(last_byte(k, &a), 0);
	kept_files__delete(k);
}

static void another_inode_is_not_kept(void **state)
{
	struct kept_files *k = kept_files__new(8);
	struct kept_id a = make_file("a", 'a');

	(void)state;
	a.ino++;
	keep(k, &a);
	assert_int_equal(last_byte(k, &a), 0);
	kept_files__delete(k);
}

static void the_oldest_files_are_dropped(void **state)
{
	struct kept_files *k = kept_files__new(2);
	struct kept_id a = make_file("a", 'a'), b = make_file("b", 'b'), c = make_file("c", 'c');

	(void)state;
	keep(k, &a);
	keep(k, &b);
	keep(k, &b); /* once only */
	assert_int_equal(last_byte(k, &a), 'a');
	keep(k, &c);
	assert_int_equal(last_byte(k, &a), 0);
	assert_int_equal(last_byte(k, &b), 'b');
	assert_int_equal(last_byte(k, &c), 'c');
	kept_files__delete(k);
}

/* Also: inodes of the next file system begin anew, and its device may have the same number. */
static void a_file_system_can_be_unmounted(void **state)
{
	struct kept_files *k;
	struct kept_id first, second;

	(void)state;
	assert_return_code(mkdir("mounted", 0755), 0);
	if (mount("none", "mounted", "tmpfs", 0, NULL))
		skip();
	k = kept_files__new(8);
	first = make_file("mounted/file", '1');
	first.ino_generation = 1;
	keep(k, &first);
	assert_return_code(umount("mounted"), 0);
	assert_return_code(mount("none", "mounted", "tmpfs", 0, NULL), 0);
	second = make_file("mounted/file", '2');
	second.ino_generation = 2;
	assert_int_equal(second.ino, first.ino);
	keep(k, &second);
	assert_return_code(umount("mounted"), 0);
	assert_int_equal(last_byte(k, &first), '1');
	assert_int_equal(last_byte(k, &second), '2');
	kept_files__delete(k);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int remove_dir(void **state)
{
	static const char *const names[] = { "a", "b", "c", "mounted" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (unlink(names[i]))
			rmdir(names[i]);
	return chdir("/") || rmdir(dir) ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deleted_file_is_kept),
		cmocka_unit_test(what_is_not_elf_is_not_kept),
		cmocka_unit_test(another_inode_is_not_kept),
		cmocka_unit_test(the_oldest_files_are_dropped),
		cmocka_unit_test(a_file_system_can_be_unmounted),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
