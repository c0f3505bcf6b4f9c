/* Locks of recordings: one writer, and readers that look whether there is one. */
#include "unit.h"

#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_MS = 5 };

/* Two descriptors, each from an open of its own, as two programs have. */
struct locked_file {
	int writer, reader;
};

static struct locked_file open_twice(void)
{
	struct locked_file f;
	char path[] = "/tmp/perf-unit-lock-XXXXXX";

	f.writer = mkstemp(path);
	f.reader = open(path, O_RDONLY);
	assert_true(f.writer >= 0 && f.reader >= 0);
	unlink(path);
	return f;
}

static void close_both(const struct locked_file *f)
{
	close(f->writer);
	close(f->reader);
}

static void a_reader_sees_the_writer(void **state)
{
	struct locked_file f = open_twice();

	(void)state;
	assert_false(file__is_locked(f.reader));
	assert_int_equal(file__lock(f.writer), 0);
	assert_true(file__is_locked(f.reader));
	close_both(&f);
}

static void looking_leaves_no_lock(void **state)
{
	struct locked_file f = open_twice();

	(void)state;
	assert_false(file__is_locked(f.reader));
	assert_int_equal(flock(f.writer, LOCK_EX | LOCK_NB), 0);
	close_both(&f);
}

/* As of standard input, where the shell has locked it. */
static void looking_keeps_a_lock_of_the_descriptor(void **state)
{
	struct locked_file f = open_twice();

	(void)state;
	assert_int_equal(flock(f.reader, LOCK_EX | LOCK_NB), 0);
	assert_true(file__is_locked(f.reader));
	assert_true(flock(f.writer, LOCK_EX | LOCK_NB));
	close_both(&f);
}

static void two_writers_are_one_too_many(void **state)
{
	struct locked_file f = open_twice();

	(void)state;
	assert_int_equal(file__lock(f.writer), 0);
	assert_int_equal(file__lock(f.reader), -EBUSY);
	close_both(&f);
}

static void *unlock_later(void *arg)
{
	const struct timespec look = { .tv_nsec = LOOK_MS * 1000000 };

	nanosleep(&look, NULL);
	flock(*(int *)arg, LOCK_UN);
	return NULL;
}

static void a_writer_outlasts_a_reader_that_looks(void **state)
{
	struct locked_file f = open_twice();
	pthread_t thread;

	(void)state;
	assert_int_equal(flock(f.reader, LOCK_SH | LOCK_NB), 0);
	assert_int_equal(pthread_create(&thread, NULL, unlock_later, &f.reader), 0);
	assert_int_equal(file__lock(f.writer), 0);
	pthread_join(thread, NULL);
	close_both(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reader_sees_the_writer),
		cmocka_unit_test(looking_leaves_no_lock),
		cmocka_unit_test(looking_keeps_a_lock_of_the_descriptor),
		cmocka_unit_test(two_writers_are_one_too_many),
		cmocka_unit_test(a_writer_outlasts_a_reader_that_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
