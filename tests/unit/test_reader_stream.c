/* Input that cannot seek: what is read of it and kept, how it ends, and requests to stop. */
#include "unit.h"

#include "base/system/clock.h"
#include "base/system/file.h"
#include "format/read/reader_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int stop, fds[2], out; /* of the pipe; out: what was read of it */
static struct reader r;
static struct reader_stream *s;

static unsigned nr_open(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned nr = 0;

	while (readdir(d))
		nr++;
	closedir(d);
	return nr;
}

static void open_stream(int fd)
{
	stop = 0;
	r = (struct reader){ .opts.stop = &stop };
	out = reader_stream__new(&s, fd, "here", NULL);
	assert_true(out >= 3);
	assert_int_equal(fcntl(out, F_GETFD), FD_CLOEXEC);
}

static int setup(void **state)
{
	(void)state;
	assert_int_equal(pipe(fds), 0);
	open_stream(fds[0]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	reader_stream__delete(s);
	file__close(out);
	if (fds[1] >= 0)
		close(fds[1]);
	return 0;
}

static void end_stream(void)
{
	close(fds[1]);
	fds[1] = -1;
}

static void send_bytes(const char *data)
{
	assert_int_equal(write(fds[1], data, strlen(data)), strlen(data));
}

/* Read at most size bytes, and expect these. */
static void expect(size_t size, const char *data)
{
	char got[64] = { 0 };

	assert_int_equal(reader_stream__read(s, got, size, &r, NULL), strlen(data));
	assert_string_equal(got, data);
}

static void expect_kept(const char *data)
{
	char got[64] = { 0 };

	assert_int_equal(pread(out, got, sizeof(got), 0), strlen(data));
	assert_string_equal(got, data);
	assert_int_equal(reader_stream__size(s), strlen(data));
}

static void what_arrives_is_kept(void **state)
{
	(void)state;
	expect_kept("");
	send_bytes("abcdef");
	expect(2, "ab");
	expect_kept("ab");
	expect(64, "cdef");
	expect_kept("abcdef");
	expect(0, ""); /* no wait, and no end */
	send_bytes("gh");
	expect(0, "");
	expect(64, "gh");
	end_stream();
	expect(64, "");
	assert_int_equal(r.nr_stops, 0);
	assert_false(r.stopped);
	/* the end stays the end, whatever the user asks */
	stop = 2;
	expect(64, "");
	assert_false(r.stopped);
	expect_kept("abcdefgh");
}

static void no_more_is_read_than_wanted(void **state)
{
	(void)state;
	send_bytes("abcdefghij");
	assert_int_equal(reader_stream__read_until(s, 0, &r, NULL), 0);
	expect_kept("");
	assert_int_equal(reader_stream__read_until(s, 4, &r, NULL), 0);
	expect_kept("abcd");
	assert_int_equal(reader_stream__read_until(s, 6, &r, NULL), 0);
	expect_kept("abcdef");
	assert_int_equal(reader_stream__read_until(s, 5, &r, NULL), 0);
	expect_kept("abcdef");
	end_stream();
	assert_int_equal(reader_stream__read_until(s, 20, &r, NULL), 0);
	expect_kept("abcdefghij");
}

static void long_streams_are_kept(void **state)
{
	enum { WORDS = 1 << 18 };
	u32 *words = xmalloc(WORDS * sizeof(*words)), *got = xmalloc(WORDS * sizeof(*words));
	pid_t child;

	(void)state;
	for (u32 i = 0; i < WORDS; i++)
		words[i] = i * 2654435761u;
	child = fork();
	if (!child)
		_exit(file__write_all(fds[1], words, WORDS * sizeof(*words)) != 0);
	end_stream();
	assert_int_equal(reader_stream__read_until(s, UINT64_MAX, &r, NULL), 0);
	assert_int_equal(reader_stream__size(s), WORDS * sizeof(*words));
	assert_int_equal(file__pread_all(out, got, WORDS * sizeof(*words), 0), WORDS * sizeof(*words));
	assert_memory_equal(got, words, WORDS * sizeof(*words));
	assert_int_equal(waitpid(child, NULL, 0), child);
	free(words);
	free(got);
}

/* Without anybody who may ask to stop. */
static void nobody_need_ask_to_stop(void **state)
{
	(void)state;
	r.opts.stop = NULL;
	send_bytes("abc");
	expect(64, "abc");
	end_stream();
	expect(64, "");
	assert_int_equal(r.nr_stops, 0);
}

/* Asked once: the other end was asked, too, and completes its stream. */
static void a_request_waits_for_the_end(void **state)
{
	(void)state;
	send_bytes("abc");
	stop = 1;
	expect(64, "abc");
	assert_int_equal(r.nr_stops, 0);
	end_stream();
	expect(64, "");
	assert_false(r.stopped);
	assert_int_equal(r.nr_stops, 1); /* it was done */
}

static void a_second_request_does_not_wait(void **state)
{
	char byte;

	(void)state;
	send_bytes("abc");
	stop = 2;
	assert_int_equal(reader_stream__read(s, &byte, 1, &r, NULL), -EINTR);
	assert_true(r.stopped);
	assert_int_equal(r.nr_stops, 2);
	/* which was followed */
	expect(64, "abc");
	stop = 3;
	assert_int_equal(reader_stream__read_until(s, 3, &r, NULL), 0);
	send_bytes("def");
	expect(64, "def");
	stop = 4;
	assert_int_equal(reader_stream__read_until(s, 7, &r, NULL), -EINTR);
	expect_kept("abcdef");
}

/* The other end goes on as if it were not asked. */
static void a_request_does_not_wait_long(void **state)
{
	u64 begin = clock__ms();
	char byte;

	(void)state;
	stop = 1;
	assert_int_equal(reader_stream__read(s, &byte, 1, &r, NULL), -EINTR);
	assert_in_range(clock__ms() - begin, 2900, 20000);
	assert_true(r.stopped);
	assert_int_equal(r.nr_stops, 1);
}

/* ---- what fails ---- */

static int nr_signals;

/* The second one also sends something. */
static void handle(int sig)
{
	(void)sig;
	if (++nr_signals == 2 && write(fds[1], "abc", 3) != 3)
		abort();
}

static void signals_do_not_end_the_wait(void **state)
{
	const struct itimerval timer = { .it_interval.tv_usec = 20000, .it_value.tv_usec = 20000 };
	const struct itimerval none = { .it_value.tv_usec = 0 };
	struct sigaction action = { .sa_handler = handle };

	(void)state;
	nr_signals = 0;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	expect(64, "abc");
	setitimer(ITIMER_REAL, &none, NULL);
	assert_true(nr_signals >= 2);
	signal(SIGALRM, SIG_DFL);
}

static void what_cannot_be_read_is_told(void **state)
{
	struct err err = ERR_INIT;
	char byte;

	teardown(state);
	open_stream(open("/", O_RDONLY));
	fds[1] = -1;
	assert_int_equal(reader_stream__read(s, &byte, 1, &r, &err), -EISDIR);
	assert_non_null(strstr(err.text.buf, "'here': "));
	assert_non_null(strstr(err.text.buf, strerror(EISDIR)));
	assert_int_equal(reader_stream__read_until(s, 1, &r, &err), -EISDIR);
	assert_int_equal(reader_stream__size(s), 0);
	err__exit(&err);
}

static void what_cannot_be_kept_is_told(void **state)
{
	struct err err = ERR_INIT;
	struct rlimit old, limit;
	char data[8];

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 4;
	send_bytes("abcdefgh");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(reader_stream__read(s, data, sizeof(data), &r, &err), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_non_null(strstr(err.text.buf, "cannot write the stream to a temporary file in '"));
	assert_int_equal(reader_stream__size(s), 0);
	err__exit(&err);
}

static void nothing_stays_open(void **state)
{
	unsigned before = nr_open();

	(void)state;
	reader_stream__delete(s);
	assert_int_equal(nr_open(), before - 2); /* the pipe, and one name of the kept file */
	s = NULL;
	assert_int_not_equal(fcntl(out, F_GETFD), -1);
	reader_stream__delete(NULL);
}

/* Nothing can be opened, or one file only. The stream is closed all the same. */
static void failures_to_begin_are_told(void **state)
{
	struct rlimit old, limit;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	limit = old;
	for (int free_fds = 0; free_fds < 2; free_fds++) {
		struct err err = ERR_INIT;
		struct reader_stream *none = NULL;
		int next, fd = open("/dev/null", O_RDONLY);
		unsigned before = nr_open();

		next = dup(0);
		close(next);
		limit.rlim_cur = (rlim_t)(next + free_fds);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(reader_stream__new(&none, fd, "here", &err), -EMFILE);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
		assert_null(none);
		assert_non_null(strstr(err.text.buf, "cannot create a temporary file in '"));
		assert_int_equal(nr_open(), before - 1);
		err__exit(&err);
	}
}

/* Also when standard input was closed, whose number the kept file gets then. */
static void numbers_of_standard_files_are_left_alone(void **state)
{
	int saved = dup(STDIN_FILENO);

	teardown(state);
	assert_int_equal(pipe(fds), 0);
	close(STDIN_FILENO);
	open_stream(fds[0]);
	send_bytes("abc");
	expect(64, "abc");
	expect_kept("abc");
	reader_stream__delete(s);
	s = NULL;
	dup2(saved, STDIN_FILENO);
	close(saved);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(what_arrives_is_kept),
		test(no_more_is_read_than_wanted),
		test(long_streams_are_kept),
		test(nobody_need_ask_to_stop),
		test(a_request_waits_for_the_end),
		test(a_second_request_does_not_wait),
		test(a_request_does_not_wait_long),
		test(signals_do_not_end_the_wait),
		test(what_cannot_be_read_is_told),
		test(what_cannot_be_kept_is_told),
		test(nothing_stays_open),
		test(failures_to_begin_are_told),
		test(numbers_of_standard_files_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
