/* The folder of perf diff --baseline: which files are in it, what is added, and its lock. */
#include "unit.h"

#include "merge/baseline.h"
#include "merge_runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char top[] = "/tmp/perf-baseline.XXXXXX", folder[64];
static const struct run run = { .pid = 100 };
static const struct stack one = { 1, 100, "p4010" }, two = { 2, 200, "l2000 p4010" };

static char *in_top(const char *name)
{
	return xasprintf("%s/%s", top, name);
}

static void put_file(const char *name, const void *data, size_t size)
{
	char *path = in_top(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0640);

	assert_true(fd >= 0);
	assert_int_equal(file__write_all(fd, data, size), 0);
	close(fd);
	free(path);
}

static void put_recording(const char *name, const struct stack *s)
{
	char *path = in_top(name);

	run__write(&run, (const struct stack *const[]){ s, NULL }, path);
	free(path);
}

static int setup(void **state)
{
	(void)state;
	strcpy(top + strlen(top) - 6, "XXXXXX");
	if (!mkdtemp(top) || chmod(top, 0755))
		return -1;
	snprintf(folder, sizeof(folder), "%s/base", top);
	return 0;
}

static void remove_all(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char *name = xasprintf("%s/%s", path, e->d_name);

		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlink(name))
			remove_all(name);
		free(name);
	}
	closedir(d);
	assert_int_equal(rmdir(path), 0);
}

static int teardown(void **state)
{
	(void)state;
	remove_all(top);
	return 0;
}

/* The names of the recordings, with blanks between them. */
static void expect_files(const char *expected)
{
	struct strbuf names = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct baseline b;

	assert_int_equal(baseline__open(&b, folder, false, &err), 0);
	assert_true(b.lock_fd >= 0);
	for (size_t i = 0; i < b.files.nr; i++)
		strbuf__addf(&names, "%s%s", i ? " " : "", b.files.v[i] + strlen(folder) + 1);
	assert_string_equal(names.buf, expected);
	strbuf__exit(&names);
	baseline__exit(&b);
	assert_int_equal(b.lock_fd, -1);
}

static int open_folder(const char *path, bool creates, struct err *err)
{
	struct baseline b;
	int ret = baseline__open(&b, path, creates, err);

	assert_int_equal(b.files.nr, 0);
	baseline__exit(&b);
	return ret;
}

static void recordings_are_found(void **state)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP", "PERFILE3" };
	struct err err = ERR_INIT;
	char *path, *link;

	(void)state;
	assert_int_equal(open_folder(folder, false, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "cannot read the baseline '"));
	err__exit(&err);
	assert_int_equal(open_folder(folder, true, &err), 0);
	assert_int_equal(open_folder(folder, true, &err), 0); /* it is there */
	expect_files("");
	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		char name[] = "base/0.data";

		name[5] = (char)('1' + i);
		put_file(name, magics[i], 8);
	}
	put_file("base/short", magics[0], 7);
	put_file("base/empty", "", 0);
	link = in_top("base/link");
	assert_int_equal(symlink("1.data", link), 0);
	path = in_top("base/folder");
	assert_int_equal(mkdir(path, 0755), 0);
	expect_files("1.data 2.data 3.data 4.data");
	free(link);
	free(path);
	/* where it cannot be made */
	path = in_top("none/base");
	assert_int_equal(open_folder(path, true, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "cannot create the baseline '"));
	err__exit(&err);
	free(path);
	path = in_top("base/1.data");
	assert_int_equal(open_folder(path, true, &err), -ENOTDIR);
	err__exit(&err);
	free(path);
}

/* ---- adding ---- */

/* nr 1: add "one"; 2: and "two"; 3: "damaged"; 4: and "one" */
static int add(u32 nr, u32 keep, struct err *err)
{
	char *inputs[] = { in_top("one"), in_top("two"), in_top("damaged"), in_top("one") };
	struct baseline b = { .folder = folder, .lock_fd = -1 };
	int ret = baseline__add(&b, (const char *const *)inputs + (nr > 2 ? 2 : 0), nr > 2 ? nr - 2 : nr,
				keep, &run_opts, err);

	assert_int_equal(b.lock_fd, -1);
	for (size_t i = 0; i < ARRAY_SIZE(inputs); i++)
		free(inputs[i]);
	return ret;
}

static void expect_same(const char *a, const char *b, bool same)
{
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
	char *of_a = in_top(a), *of_b = in_top(b);

	assert_int_equal(file__read(of_a, &x, 0), 0);
	assert_int_equal(file__read(of_b, &y, 0), 0);
	assert_int_equal(x.len == y.len && !memcmp(x.buf, y.buf, x.len), same);
	strbuf__exit(&x);
	strbuf__exit(&y);
	free(of_a);
	free(of_b);
}

static void recordings_are_added(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *path = in_top("one");

	(void)state;
	put_recording("one", &one);
	put_recording("two", &two);
	assert_int_equal(open_folder(folder, true, &err), 0);
	assert_int_equal(add(1, 9, &err), 0);
	expect_files("baseline-00000001.data");
	expect_same("one", "base/baseline-00000001.data", true);
	/* the same is not added twice */
	assert_int_equal(add(1, 9, &err), 0);
	expect_files("baseline-00000001.data");
	assert_int_equal(add(2, 9, &err), 0);
	expect_files("baseline-00000001.data baseline-00000002.data");
	expect_same("one", "base/baseline-00000002.data", false);
	/* another one of the same size; and files whose names only look like the baseline's */
	assert_int_equal(file__read(path, &file, 0), 0);
	file.buf[file.len - 1] ^= 1;
	put_file("base/baseline-00000001.data", file.buf, file.len);
	put_file("base/baseline-00000077.date", file.buf, file.len);
	put_file("base/baseline-000000088.data", file.buf, file.len);
	put_file("base/baseline-0000099.data", file.buf, file.len);
	put_file("base/caseline-00000077.data", file.buf, file.len);
	assert_int_equal(add(1, 2, &err), 0);
	expect_files("baseline-00000002.data baseline-00000003.data baseline-000000088.data "
		     "baseline-00000077.date baseline-0000099.data caseline-00000077.data");
	expect_same("one", "base/baseline-00000003.data", true);
	strbuf__exit(&file);
	free(path);
}

/* Nothing is added, and nothing is left. */
static void damaged_ones_are_not_added(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *path = in_top("one");

	(void)state;
	assert_int_equal(open_folder(folder, true, &err), 0);
	assert_int_equal(add(1, 9, &err), -ENOENT);
	err__exit(&err);
	put_recording("one", &one);
	assert_int_equal(file__read(path, &file, 0), 0);
	put_file("damaged", file.buf, file.len);
	assert_int_equal(add(3, 9, &err), 0); /* it is not damaged yet */
	expect_files("baseline-00000001.data");
	put_file("two", "PERFILE2", 8);
	assert_true(add(2, 9, &err) < 0);
	err__exit(&err);
	expect_files("baseline-00000001.data");
	/* records that are cut short */
	free(path);
	strbuf__reset(&file);
	path = in_top("damaged");
	run__write(&run, (const struct stack *const[]){ &one, &two, NULL }, path);
	assert_int_equal(file__read(path, &file, 0), 0);
	put_file("damaged", file.buf, (size_t)(*(u64 *)(file.buf + 40) + *(u64 *)(file.buf + 48) - 8));
	assert_int_equal(add(3, 9, &err), -EBADMSG);
	assert_non_null(strstr(err.text.buf, "damaged' is damaged: it was not added to the baseline"));
	err__exit(&err);
	assert_int_equal(add(4, 9, &err), -EBADMSG);
	err__exit(&err);
	expect_files("baseline-00000001.data");
	remove_all(folder);
	assert_int_equal(add(1, 9, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "cannot write to the baseline '"));
	err__exit(&err);
	strbuf__exit(&file);
	free(path);
}

/* Who may not read a recording may not read the copy. */
static void a_copy_has_the_mode_of_the_file(void **state)
{
	struct err err = ERR_INIT;
	char *from = in_top("one"), *to = in_top("base/baseline-00000001.data");
	struct stat st;

	(void)state;
	put_recording("one", &one);
	assert_int_equal(chmod(from, 0600), 0);
	assert_int_equal(open_folder(folder, true, &err), 0);
	assert_int_equal(add(1, 9, &err), 0);
	assert_int_equal(stat(to, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	free(from);
	free(to);
}

/* A link to the same recording is not that recording, even if the link is as long. */
static void links_are_not_followed(void **state)
{
	char *path = in_top("one"), *link = in_top("base/link"), target[4096];
	struct err err = ERR_INIT;
	struct stat st;
	size_t len;

	(void)state;
	put_recording("one", &one);
	assert_int_equal(stat(path, &st), 0);
	len = (size_t)st.st_size;
	assert_true(len < sizeof(target));
	memset(target, '/', len);
	memcpy(target, "..", 2);
	strcpy(target + len - 3, "one");
	assert_int_equal(open_folder(folder, true, &err), 0);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(add(1, 9, &err), 0);
	expect_files("baseline-00000001.data");
	free(path);
	free(link);
}

/* A file that is larger than a block of the copy. */
static void large_files_are_copied(void **state)
{
	enum { NR = 3000 };
	const struct stack **stacks = xcalloc(NR + 1, sizeof(*stacks));
	struct err err = ERR_INIT;
	char *path = in_top("one");

	(void)state;
	for (u32 i = 0; i < NR; i++)
		stacks[i] = i % 2 ? &one : &two;
	run__write(&run, stacks, path);
	assert_int_equal(open_folder(folder, true, &err), 0);
	assert_int_equal(add(1, 9, &err), 0);
	expect_same("one", "base/baseline-00000001.data", true);
	free(stacks);
	free(path);
}

/* ---- the lock ---- */

static void the_lock_must_be_a_file(void **state)
{
	struct err err = ERR_INIT;
	char *path = in_top("base/.baseline-lock");

	(void)state;
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	for (int creates = 0; creates < 2; creates++) {
		assert_int_equal(open_folder(folder, creates, &err), -EISDIR);
		assert_non_null(strstr(err.text.buf, "cannot lock the baseline with '"));
		err__exit(&err);
	}
	free(path);
}

/* Who may not write to the folder reads without a lock. */
static void who_only_reads_needs_no_lock(void **state)
{
	struct err err = ERR_INIT;
	struct baseline b;
	bool is_root = !geteuid();
	int ret[2];

	(void)state;
	assert_int_equal(mkdir(folder, 0755), 0);
	put_recording("base/one", &one);
	assert_int_equal(chmod(folder, 0555), 0);
	if (is_root && seteuid(NOBODY))
		skip();
	ret[0] = baseline__open(&b, folder, false, &err);
	ret[1] = open_folder(folder, true, NULL);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(ret[0], 0);
	assert_int_equal(ret[1], -EACCES);
	assert_int_equal(b.lock_fd, -1);
	baseline__exit(&b);
	assert_int_equal(chmod(folder, 0755), 0);
}

/* Return whether another process can lock the folder; with hold, it does for 300 ms. */
static bool lock_elsewhere(bool hold, pid_t *child)
{
	char *path = in_top("base/.baseline-lock"), c = 0;
	int fds[2], status;

	assert_int_equal(pipe(fds), 0);
	*child = fork();
	assert_true(*child >= 0);
	if (!*child) {
		int fd = open(path, O_RDWR);
		int ret = fd < 0 ? -1 : file__lock(fd);

		if (write(fds[1], "", 1) == 1 && hold)
			usleep(300000);
		_exit(ret != 0);
	}
	assert_int_equal(read(fds[0], &c, 1), 1);
	close(fds[0]);
	close(fds[1]);
	free(path);
	if (hold)
		return true;
	assert_int_equal(waitpid(*child, &status, 0), *child);
	return status == 0;
}

static void one_program_at_a_time(void **state)
{
	struct err err = ERR_INIT;
	struct baseline b;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(baseline__open(&b, folder, true, &err), 0);
	assert_false(lock_elsewhere(false, &child));
	baseline__unlock(&b);
	assert_true(lock_elsewhere(false, &child));
	baseline__exit(&b);
	assert_true(lock_elsewhere(true, &child));
	assert_int_equal(baseline__open(&b, folder, false, &err), 0); /* after a while */
	assert_false(lock_elsewhere(false, &(pid_t){ 0 }));
	assert_int_equal(waitpid(child, &status, 0), child);
	baseline__exit(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(recordings_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(recordings_are_added, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_ones_are_not_added, setup, teardown),
		cmocka_unit_test_setup_teardown(a_copy_has_the_mode_of_the_file, setup, teardown),
		cmocka_unit_test_setup_teardown(links_are_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(large_files_are_copied, setup, teardown),
		cmocka_unit_test_setup_teardown(the_lock_must_be_a_file, setup, teardown),
		cmocka_unit_test_setup_teardown(who_only_reads_needs_no_lock, setup, teardown),
		cmocka_unit_test_setup_teardown(one_program_at_a_time, setup, teardown),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
