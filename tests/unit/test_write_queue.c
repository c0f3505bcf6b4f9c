/*
 * The buffer in front of a file: what is written when, by the caller or by a thread, and what the thread
 * tells the caller.
 */
#include "unit.h"
#include "written_file.h"

#include "base/message/err.h"
#include "format/write/writer.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { CHUNK = 1 << 20, QUEUED_CHUNK = 256 << 10, WAIT_MS = 20000 };

static char records[2 * CHUNK]; /* each of 8 bytes */

static struct writer *begin(const char *to, const struct writer_opts *opts)
{
	const u64 record = 8ull << 48 | 60;
	struct writer *w;

	for (size_t at = 0; at < sizeof(records); at += sizeof(record))
		memcpy(records + at, &record, sizeof(record));
	assert_int_equal(writer__open(&w, to, opts, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	return w;
}

static u64 file_size(void)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (u64)st.st_size;
}

static void add(struct writer *w, size_t size)
{
	assert_int_equal(writer__write(w, records, size), 0);
}

/* Only a full buffer is written, and then all of it. */
static void the_caller_writes_mebibytes(void **state)
{
	struct writer *w = begin(path, NULL);
	u64 header = file_size();

	(void)state;
	add(w, CHUNK - 8);
	add(w, 8);
	assert_int_equal(file_size(), header);
	add(w, 8);
	assert_int_equal(file_size(), header + CHUNK);
	assert_int_equal(writer__data_size(w), CHUNK + 8);
	add(w, CHUNK); /* with the one before it is too much */
	assert_int_equal(file_size(), header + CHUNK + 8);
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(written_header().data.size, 2 * CHUNK + 8);
	assert_int_equal(writer__blocked_ms(w), 0);
	writer__delete(w);
}

/* A feature ends the thread: from then on the caller writes, as without one. */
static void the_thread_writes_smaller_parts(void **state)
{
	struct writer *w = begin(path, &(struct writer_opts){ .queue = 8 * CHUNK });
	u64 header = file_size();

	(void)state;
	add(w, QUEUED_CHUNK);
	usleep(1000);
	assert_int_equal(file_size(), header);
	add(w, 8);
	for (int i = 0; i < WAIT_MS && file_size() < header + QUEUED_CHUNK; i++)
		usleep(1000);
	assert_int_equal(file_size(), header + QUEUED_CHUNK);
	assert_int_equal(writer__feature(w, FEATURE_HOSTNAME, "host", 4), 0);
	assert_int_equal(file_size(), header + QUEUED_CHUNK + 8);
	add(w, CHUNK);
	assert_int_equal(file_size(), header + QUEUED_CHUNK + 8);
	add(w, 8);
	assert_int_equal(file_size(), header + QUEUED_CHUNK + 8 + CHUNK);
	assert_int_equal(writer__catch_up(w), 0); /* nothing is owed */
	assert_int_equal(file_size(), header + QUEUED_CHUNK + 8 + CHUNK);
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(written_header().data.size, QUEUED_CHUNK + CHUNK + 16);
	writer__delete(w);
}

/* ---- a reader that takes nothing ---- */

static int fds[2];

static bool has_arrived(int ms)
{
	struct pollfd pfd = { .fd = fds[0], .events = POLLIN };

	return poll(&pfd, 1, ms) == 1;
}

/* Expect so many bytes of records. */
static void expect_arrival(size_t size)
{
	char *got = xmalloc(size);

	for (size_t at = 0; at < size;) {
		ssize_t n;

		assert_true(has_arrived(WAIT_MS));
		n = read(fds[0], got + at, size - at);
		assert_true(n > 0);
		at += (size_t)n;
	}
	assert_memory_equal(got, records, size);
	free(got);
}

static struct writer *begin_pipe(void)
{
	struct writer *w;
	char name[64], byte;
	struct strbuf header = STRBUF_INIT;
	u64 size;

	assert_int_equal(pipe(fds), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[1]);
	w = begin(name, &(struct writer_opts){ .pipe = true, .queue = 8 * CHUNK });
	assert_int_equal(writer__sync(w), 0);        /* header and attrs */
	while (!strstr(header.buf, "page-faults")) { /* the last record, which is padded */
		assert_true(has_arrived(WAIT_MS));
		assert_int_equal(read(fds[0], &byte, 1), 1);
		strbuf__addch(&header, byte ? byte : ' ');
	}
	for (size = header.len; size % 8; size++)
		assert_int_equal(read(fds[0], &byte, 1), 1);
	strbuf__exit(&header);
	return w;
}

static void end_pipe(struct writer *w)
{
	close(fds[1]);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	close(fds[0]);
}

/* While a part waits behind another one, a request to complete the file waits, too. */
static void a_late_thread_gets_no_more_requests(void **state)
{
	enum { LARGE = QUEUED_CHUNK - 8 }; /* more than fits into a pipe */
	struct writer *w = begin_pipe();

	(void)state;
	add(w, LARGE);
	assert_int_equal(writer__sync(w), 0);
	assert_true(has_arrived(WAIT_MS)); /* so the thread is writing, and waits */
	add(w, 16);
	assert_int_equal(writer__sync(w), 0);
	add(w, 24);
	assert_int_equal(writer__sync(w), 0);
	assert_int_equal(writer__catch_up(w), 0);
	expect_arrival(LARGE + 16);
	assert_false(has_arrived(100)); /* nobody has caught up */
	for (int i = 0; i < WAIT_MS && !has_arrived(1); i++)
		assert_int_equal(writer__catch_up(w), 0);
	expect_arrival(24);
	/* nothing is owed any more */
	add(w, 32);
	assert_int_equal(writer__catch_up(w), 0);
	assert_false(has_arrived(100));
	for (int i = 0; i < WAIT_MS && !has_arrived(1); i++)
		assert_int_equal(writer__sync(w), 0);
	expect_arrival(32);
	end_pipe(w);
}

/* ---- failures ---- */

static struct rlimit size_before;

/* From now on, files end after so many bytes. */
static void limit_files(u64 size)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &size_before), 0);
	limit = size_before;
	limit.rlim_cur = (rlim_t)size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void unlimit_files(void)
{
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &size_before), 0);
}

/* The thread's first failure is told by the calls that follow, and nothing more is written. */
static void what_the_thread_cannot_write_is_told(void **state)
{
	struct writer *w = begin(path, &(struct writer_opts){ .queue = CHUNK });
	u64 written;
	int ret = 0;

	(void)state;
	limit_files(file_size());
	add(w, 64);
	assert_int_equal(writer__sync(w), 0);
	for (int i = 0; i < WAIT_MS && !(ret = writer__catch_up(w)); i++)
		usleep(1000);
	unlimit_files();
	written = file_size();
	assert_int_equal(ret, -EFBIG);
	assert_int_equal(writer__write(w, records, 8), -EFBIG);
	assert_int_equal(writer__data_size(w), 64);
	assert_int_equal(writer__sync(w), -EFBIG);
	assert_int_equal(writer__catch_up(w), -EFBIG);
	assert_int_equal(writer__finish(w, NULL), -EFBIG);
	assert_int_equal(file_size(), written);
	writer__delete(w);
}

static void what_the_caller_cannot_write_is_told(void **state)
{
	struct writer *w = begin(path, NULL);

	(void)state;
	limit_files(file_size());
	add(w, CHUNK);
	assert_int_equal(writer__write(w, records, 8), -EFBIG);
	unlimit_files();
	assert_int_equal(writer__data_size(w), CHUNK);
	assert_int_equal(writer__write(w, records, 8), -EFBIG);
	assert_int_equal(writer__catch_up(w), -EFBIG);
	assert_int_equal(writer__finish(w, NULL), -EFBIG);
	writer__delete(w);
}

static unsigned nr_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned nr = 0;

	assert_non_null(d);
	while (readdir(d))
		nr++;
	closedir(d);
	return nr - 2;
}

/* Even if nobody finishes the file. */
static void a_deleted_writer_leaves_no_thread(void **state)
{
	struct writer *w = begin(path, &(struct writer_opts){ .queue = CHUNK, .is_aside = true });

	(void)state;
	add(w, 64);
	assert_int_equal(nr_threads(), 2);
	writer__delete(w);
	for (int i = 0; i < WAIT_MS && nr_threads() > 1; i++)
		usleep(1000);
	assert_int_equal(nr_threads(), 1);
}

#ifdef HAVE_LIBZSTD
/* Bytes in the file, which the thread knows. */
static void compressed_bytes_are_counted(void **state)
{
	struct writer *w = begin(path, &(struct writer_opts){ .queue = CHUNK, .compression = 1 });
	u64 size = 0;

	(void)state;
	assert_int_equal(writer__file_size(w), 0);
	add(w, 4096);
	assert_int_equal(writer__sync(w), 0);
	for (int i = 0; i < WAIT_MS && !size; i++) {
		usleep(1000);
		size = writer__file_size(w);
	}
	assert_in_range(size, 16, 1000);
	assert_int_equal(writer__data_size(w), 4096);
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(writer__file_size(w), size);
	assert_int_equal(written_header().data.size, size);
	writer__delete(w);
}
#endif

/* There is no memory for the stack of a thread. */
static void a_thread_may_not_start(void **state)
{
	struct rlimit before, limit;
	struct strbuf statm = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct writer *w;
	int ret;

	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* they end without memory of their own */
#endif
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ .queue = CHUNK }, NULL), 0);
	assert_true(file__read("/proc/self/statm", &statm, 0) >= 0);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	limit = before;
	limit.rlim_cur = strtoul(statm.buf, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + (1 << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
	ret = writer__begin(w, &list, &err);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_int_equal(ret, -EAGAIN);
	assert_non_null(strstr(err.text.buf, "cannot start a thread to write the recording: "));
	assert_non_null(strstr(err.text.buf, strerror(EAGAIN)));
	add(w, 8); /* the caller still can */
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(written_header().data.size, 8);
	writer__delete(w);
	err__exit(&err);
	strbuf__exit(&statm);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(a_thread_may_not_start), /* before others leave stacks that may be used again */
		test(the_caller_writes_mebibytes),
		test(the_thread_writes_smaller_parts),
		test(a_late_thread_gets_no_more_requests),
		test(what_the_thread_cannot_write_is_told),
		test(what_the_caller_cannot_write_is_told),
		test(a_deleted_writer_leaves_no_thread),
#ifdef HAVE_LIBZSTD
		test(compressed_bytes_are_counted),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
