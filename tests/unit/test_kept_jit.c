/* Files of JIT compilers that are kept while their processes are recorded. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/elf/kept_files.h"
#include "record/describe/kept_jit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[] = "/tmp/kept-jit.XXXXXX"; /* of the process */
static struct kept_files *files;
static struct kept_jit *jit;
static pid_t process; /* does nothing */
static char map[64];  /* its perf-PID.map, from here */

static const char *path_of(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % ARRAY_SIZE(paths)];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);

	assert_return_code(fd, 0);
	assert_int_equal(file__write_all(fd, text, strlen(text)), 0);
	close(fd);
}

/* Start the process, in the root folder or, without the right to do so, in this program's. */
static int begin(void **state)
{
	int ready[2];
	char c;

	(void)state;
	assert_non_null(mkdtemp(root));
	mkdir(path_of("tmp"), 0755);
	assert_int_equal(pipe(ready), 0);
	process = fork();
	if (!process) {
		c = chroot(root) ? 'n' : 'y';
		if (write(ready[1], &c, 1) == 1)
			sleep(600);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (c == 'y')
		snprintf(map, sizeof(map), "%s/tmp/perf-%d.map", root, (int)process);
	else
		snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)process);
	files = kept_files__new(8);
	jit = kept_jit__new(files, 8);
	return 0;
}

static void end_process(void)
{
	if (process)
		kill(process, SIGKILL);
	if (process)
		waitpid(process, NULL, 0);
	process = 0;
}

static int end(void **state)
{
	char *command = xasprintf("rm -rf '%s' '%s'", root, map);

	(void)state;
	end_process();
	kept_files__delete(files);
	assert_int_equal(system(command), 0);
	free(command);
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return 0;
}

static bool has_root_folder(void)
{
	return !strncmp(map, root, strlen(root));
}

static void see(const char *name, u64 ino)
{
	const struct mmap_record m = { .pid = (u32)process,
				       .tid = (u32)process,
				       .start = 0x1000,
				       .len = 0x1000,
				       .ino = ino,
				       .is_mmap2 = true,
				       .cpumode = PERF_RECORD_MISC_USER,
				       .prot = PROT_READ | PROT_EXEC,
				       .filename = name };

	kept_jit__see(jit, &m);
}

/* Is the text in a file that this program has open? */
static bool has_open(const char *text)
{
	struct dirent *e;
	bool found = false;
	DIR *d = opendir("/proc/self/fd");

	while (!found && (e = readdir(d))) {
		struct strbuf got = STRBUF_INIT;
		struct stat st;
		int fd = atoi(e->d_name);

		if (fd > 2 && fd != dirfd(d) && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size < 100) {
			char part[100];
			ssize_t n = pread(fd, part, sizeof(part), 0);

			strbuf__add(&got, part, n > 0 ? (size_t)n : 0);
			found = got.len && !strcmp(got.buf, text);
		}
		strbuf__exit(&got);
	}
	closedir(d);
	return found;
}

static void wait_until_open(const char *text)
{
	for (int i = 0; i < 3000 && !has_open(text); i++)
		usleep(10000);
	assert_true(has_open(text));
}

/* Compare what is kept; text NULL: nothing. name NULL: the perf-PID.map. The process may have ended. */
static void assert_kept(const char *name, pid_t pid, u64 ino, const char *text)
{
	struct kept_id id = { .name = name, .pid = (u32)pid, .ino = ino };
	struct strbuf got = STRBUF_INIT;
	char own[64], *path;

	snprintf(own, sizeof(own), "/tmp/perf-%d.map", (int)pid);
	id.name = name ? name : own;
	path = kept_files__path(files, &id);
	if (text) {
		assert_non_null(path);
		assert_int_equal(file__read(path, &got, 0), 0);
		assert_string_equal(got.buf, text);
	} else {
		assert_null(path);
	}
	free(path);
	strbuf__exit(&got);
}

static void a_map_outlives_its_process(void **state)
{
	pid_t pid = process;

	(void)state;
	write_file(map, "1000 20 f\n");
	see("//anon", 0);
	wait_until_open("1000 20 f\n");
	unlink(map);
	end_process();
	kept_jit__finish(jit);
	assert_kept(NULL, pid, 0, "1000 20 f\n");
	assert_kept(NULL, pid + 1, 0, NULL);
}

static void the_newest_map_counts(void **state)
{
	(void)state;
	write_file(map, "1000 20 old\n");
	see("[anon:code]", 0);
	wait_until_open("1000 20 old\n");
	unlink(map);
	write_file(map, "1000 20 new\n");
	kept_jit__finish(jit);
	assert_kept(NULL, process, 0, "1000 20 new\n");
}

static void other_maps_are_ignored(void **state)
{
	(void)state;
	write_file(map, "1000 20 f\n");
	see("/usr/bin/true", 1);
	see("[vdso]", 0);
	kept_jit__finish(jit);
	assert_kept(NULL, process, 0, NULL);
}

static void a_dump_is_the_one_that_was_mapped(void **state)
{
	char name[128];
	struct stat st;

	(void)state;
	snprintf(name, sizeof(name), "%s/tmp/jit-%d.dump", has_root_folder() ? "" : root, (int)process);
	write_file(path_of(strrchr(name, '/') - 3), "JiTD");
	assert_int_equal(stat(path_of(strrchr(name, '/') - 3), &st), 0);
	see(name, st.st_ino);
	see(name, st.st_ino + 1);
	kept_jit__finish(jit);
	assert_kept(name, process, st.st_ino, "JiTD");
	assert_kept(name, process, st.st_ino + 1, NULL);
}

/* Look at a hostile file, and return the kept text or NULL. */
static void finish_and_expect(const char *text)
{
	see("//anon", 0);
	kept_jit__finish(jit);
	assert_kept(NULL, process, 0, text);
}

static void a_fifo_is_not_opened(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(map, 0644), 0);
	finish_and_expect(NULL);
}

static void a_device_is_not_opened(void **state)
{
	(void)state;
	if (!has_root_folder() || mknod(map, S_IFCHR | 0666, 1 << 8 | 5))
		skip();
	finish_and_expect(NULL);
}

static void a_file_of_another_user_is_not_taken(void **state)
{
	(void)state;
	write_file(map, "1000 20 f\n");
	if (chown(map, 65534, 65534))
		skip();
	finish_and_expect(NULL);
}

static void a_link_stays_in_the_root_folder(void **state)
{
	char target[64];

	(void)state;
	if (!has_root_folder())
		skip();
	snprintf(target, sizeof(target), "/tmp/kept-jit-target-%d", (int)process);
	write_file(path_of(target + 1), "1000 20 inside\n");
	write_file(target, "1000 20 outside\n");
	assert_int_equal(symlink(target, map), 0);
	finish_and_expect("1000 20 inside\n");
	unlink(target);
}

static void a_link_does_not_lead_out_of_it(void **state)
{
	const char *targets[] = { "/etc/passwd", "../../../../../../etc/passwd", "/proc/self/exe" };

	(void)state;
	if (!has_root_folder())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		unlink(map);
		assert_int_equal(symlink(targets[i], map), 0);
		see("//anon", 0);
	}
	finish_and_expect(NULL);
}

static void a_folder_that_is_a_link_does_not_lead_out_of_it(void **state)
{
	char *outside = xasprintf("/var/tmp/perf-%d.map", (int)process);

	(void)state;
	if (!has_root_folder()) {
		free(outside);
		skip();
	}
	write_file(outside, "1000 20 outside\n");
	assert_int_equal(rmdir(path_of("tmp")), 0);
	assert_int_equal(symlink("/var/tmp", path_of("tmp")), 0);
	finish_and_expect(NULL);
	unlink(outside);
	free(outside);
}

static void many_processes(void **state)
{
	pid_t own = process;

	(void)state;
	write_file(map, "1000 20 f\n");
	for (int i = 0; i < 20000; i++) {
		process = own + 1000000 + i; /* no such process, or somebody's without a map */
		see("//anon", 0);
		if (i % 500)
			continue;
		process = own;
		see("//anon", 0);
	}
	process = own;
	wait_until_open("1000 20 f\n");
	kept_jit__finish(jit);
	assert_kept(NULL, process, 0, "1000 20 f\n");
}

int main(void)
{
#define ROW(test) cmocka_unit_test_setup_teardown(test, begin, end)
	const struct CMUnitTest tests[] = {
		ROW(a_map_outlives_its_process),
		ROW(the_newest_map_counts),
		ROW(other_maps_are_ignored),
		ROW(a_dump_is_the_one_that_was_mapped),
		ROW(a_fifo_is_not_opened),
		ROW(a_device_is_not_opened),
		ROW(a_file_of_another_user_is_not_taken),
		ROW(a_link_stays_in_the_root_folder),
		ROW(a_link_does_not_lead_out_of_it),
		ROW(a_folder_that_is_a_link_does_not_lead_out_of_it),
		ROW(many_processes),
	};

	kept_jit__finish(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
