/*
 * Data directories: which files belong to one, and in which order; how far a pass is, over all files; and
 * what the reader says of names and descriptors that are unusual.
 */
#include "unit.h"

#include "image.h"
#include "base/command/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>

enum {
	ATTR = 112,
	MB = 1000000,
	NOBODY = 65534,
	WAIT_MS = 60000 /* for a line that comes within a second */
};

static char dir[64];
static char *made[40]; /* paths of files to be removed */
static size_t nr_made;
static struct image im;

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/perf-folder-XXXXXX");
	nr_made = 0;
	image__init(&im, false);
	return !mkdtemp(dir);
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_made; i++) {
		remove(made[i]);
		free(made[i]);
	}
	image__exit(&im);
	return rmdir(dir);
}

static const char *path_of(const char *name)
{
	assert_true(nr_made < ARRAY_SIZE(made));
	made[nr_made] = xasprintf("%s/%s", dir, name);
	return made[nr_made++];
}

/* Write what is in im, from a place on. */
static const char *write_file(const char *name, size_t from)
{
	const char *path = path_of(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_int_equal(file__write_all(fd, im.b.buf + from, im.b.len - from), 0);
	close(fd);
	return path;
}

/* Start a file whose records are after so many bytes. */
static void begin_file(size_t gap)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);

	image__file_header(&im, 1, ATTR, 0);
	image__attr_entry(&im, &a, ATTR, 0, 0);
	strbuf__addchars(&im.b, '\0', gap);
	image__put_u64(&im, 40, im.b.len);
}

static void see_comm(void *ctx, const struct record *rec)
{
	struct strbuf *seen = ctx;
	u32 tid;

	memcpy(&tid, rec->header + 1, sizeof(tid));
	strbuf__addf(seen, "%u ", tid);
}

static void files_are_read_in_the_order_of_their_numbers(void **state)
{
	static const char *const names[] = { "data.7",  "data.10", "data.0", "data.12", "data.3",
					     "data.11", "data.1",  "data.5", "data.2",  "data.9",
					     "data.4",  "data.8",  "data.6" };
	static const char *const others[] = { "data.",  "data.x", "data.1x", "data.1.old",
					      "cores7", "data71", "xdata.1" };
	struct strbuf seen = STRBUF_INIT;
	struct record_counts counts;
	struct reader *r;
	size_t from;

	(void)state;
	begin_file(0);
	image__comm(&im, 99, "x");
	image__end_data(&im);
	write_file("data", 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		from = im.b.len;
		image__comm(&im, (u32)atoi(names[i] + 5), "x");
		write_file(names[i], from);
	}
	from = im.b.len;
	image__comm(&im, 1000, "of none");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		write_file(others[i], from);
	assert_int_equal(reader__open(&r, dir, NULL), 0);
	assert_int_equal(r->segments.nr, 1 + ARRAY_SIZE(names));
	assert_int_equal(reader__size(r), 24 * (1 + ARRAY_SIZE(names)));
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ .record = see_comm, .ctx = &seen },
				      &counts, NULL),
			 0);
	assert_string_equal(seen.buf, "99 0 1 2 3 4 5 6 7 8 9 10 11 12 ");
	reader__close(r);
	strbuf__exit(&seen);
}

/* A part that is not a file is told as such. */
static void parts_are_files(void **state)
{
	struct err err = ERR_INIT;
	struct reader *r;
	const char *part;

	(void)state;
	begin_file(0);
	image__end_data(&im);
	write_file("data", 0);
	part = path_of("data.0");
	assert_int_equal(mkdir(part, 0700), 0);
	assert_int_equal(reader__open(&r, dir, &err), -EINVAL);
	assert_null(r);
	assert_non_null(strstr(err.text.buf, "cannot open '"));
	assert_non_null(strstr(err.text.buf, part));
	assert_non_null(strstr(err.text.buf, strerror(EINVAL)));
	err__exit(&err);
}

/* A folder whose files can be opened by name, but not listed: some would be missing. */
static void a_folder_must_be_listed(void **state)
{
	struct err err = ERR_INIT;
	struct reader *r;
	bool is_root = !geteuid();
	const char *data;
	int ret;

	(void)state;
	begin_file(0);
	image__comm(&im, 1, "x");
	image__end_data(&im);
	data = write_file("data", 0);
	assert_int_equal(chmod(data, 0444), 0);
	for (int is_hidden = 0; is_hidden < 2; is_hidden++) {
		assert_int_equal(chmod(dir, is_hidden ? 0 : 0111), 0);
		if (is_root)
			assert_int_equal(seteuid(NOBODY), 0);
		ret = reader__open(&r, is_hidden ? data : dir, &err);
		if (is_root)
			assert_int_equal(seteuid(0), 0);
		assert_int_equal(chmod(dir, 0700), 0);
		assert_int_equal(ret, -EACCES);
		assert_non_null(strstr(err.text.buf, dir));
		/* whose the file is, and what would help, nobody knows */
		assert_true(!is_hidden || !strstr(err.text.buf, "type: "));
	}
	err__exit(&err);
}

/* ---- progress ---- */

/* Read the terminal until it shows the text, or the time is over. */
static bool shows(int master, const char *text)
{
	char seen[4096] = "";
	struct pollfd p = { .fd = master, .events = POLLIN };

	for (size_t nr = 0; nr < sizeof(seen) - 1 && poll(&p, 1, WAIT_MS) > 0;) {
		ssize_t n = read(master, seen + nr, sizeof(seen) - 1 - nr);

		if (n <= 0)
			break;
		nr += (size_t)n;
		if (strstr(seen, text))
			return true;
	}
	print_error("'%s' is not in '%s'\n", text, seen);
	return false;
}

struct seen_there {
	int master;
	const char *text;
	bool is_shown;
};

/* Look at the terminal while the pass is at the record of thread 7. */
static void look_at_progress(void *ctx, const struct record *rec)
{
	struct seen_there *seen = ctx;
	u32 tid;

	memcpy(&tid, rec->header + 1, sizeof(tid));
	if (tid == 7)
		seen->is_shown = shows(seen->master, seen->text);
}

/* Does a terminal show the text when the first pass over the folder is at the record of thread 7? */
static bool progress_is(const char *text)
{
	struct winsize size = { .ws_row = 24, .ws_col = 100 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct seen_there seen = { .master = master, .text = text };
	struct reader_opts opts = { .nr_threads = 1 };
	struct record_counts counts;
	struct reader *r;

	assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0 && !ioctl(slave, TIOCSWINSZ, &size));
	setenv("TERM", "xterm", 1);
	opts.progress = progress__new(slave);
	assert_non_null(opts.progress);
	assert_int_equal(reader__open_with(&r, dir, &opts, NULL), 0);
	assert_int_equal(reader__scan(r,
				      &(struct reader_scan_opts){ .record = look_at_progress, .ctx = &seen },
				      &counts, NULL),
			 0);
	progress__delete(opts.progress);
	reader__close(r);
	close(master);
	close(slave);
	return seen.is_shown;
}

static void progress_counts_the_files_before(void **state)
{
	(void)state;
	begin_file(MB);
	for (size_t size = 0; size < MB; size += 1000) {
		image__begin(&im, PERF_RECORD_COMM, 0);
		strbuf__addchars(&im.b, '\1', 992);
		image__end(&im);
	}
	image__end_data(&im);
	strbuf__setlen(&im.b, im.b.len - 1); /* a byte is missing: so the first two files have 2 MB but one */
	write_file("data", 0);
	strbuf__addch(&im.b, '\1');
	write_file("data.0", im.b.len - MB);
	image__comm(&im, 7, "x");
	strbuf__grow(&im.b, 4 * MB);
	for (int i = 0; i < 4; i++)
		strbuf__add(&im.b, im.b.buf + 104 + ATTR + 16 + MB, MB);
	write_file("data.1", im.b.len - 4 * MB - 24);
	assert_true(progress_is(": 1 of 6 MB (33%)"));
}

/* ---- names and descriptors ---- */

/* A name from a command line may have anything in it; a terminal would obey. */
static void names_are_masked(void **state)
{
	struct reader *r;
	const char *path;

	(void)state;
	begin_file(0);
	image__comm(&im, 1, "x");
	path = write_file("a\033[2Jb", 0); /* the size of its data is 0: not completed */
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(r->warnings.code, -EBADMSG);
	assert_non_null(strstr(r->warnings.text.buf, "was not completed by its recorder"));
	assert_null(strchr(r->warnings.text.buf, '\n')); /* nothing else is wrong */
	assert_null(strchr(r->warnings.text.buf, '\033'));
	assert_int_equal(r->damage.code, 0);
	reader__close(r);
	image__put_u64(&im, 48, 1000);
	image__put_u64(&im, 16, 1); /* the size of attrs is told first */
	path = write_file("c\033[2Jd", 0);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(r->damage.code, -EBADMSG);
	assert_non_null(strstr(r->damage.text.buf, "the size of an attr entry is 1"));
	assert_null(strstr(r->damage.text.buf, "bytes are missing"));
	assert_null(strchr(r->damage.text.buf, '\033'));
	reader__close(r);
}

/* Standard input may be closed: then a file has its number. */
static void a_file_may_be_descriptor_0(void **state)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
	struct record_counts counts;
	struct reader *r;
	const char *path, *other;
	bool is_recording, other_is_recording;
	int ret, fd;

	(void)state;
	begin_file(0);
	image__comm(&im, 1, "x");
	image__end_data(&im);
	path = write_file("data", 0);
	other = write_file("short", im.b.len - 7);
	close(STDIN_FILENO);
	errno = EIO; /* of an earlier call */
	is_recording = reader__is_recording(path) && reader__is_recording(dir);
	errno = EIO;
	other_is_recording = reader__is_recording(other);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) < 0); /* it was closed again */
	ret = reader__open(&r, path, NULL);
	assert_int_equal(ret, 0);
	fd = r->segments.v[0].fd;
	ret = reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL);
	reader__close(r);
	assert_true(fcntl(STDIN_FILENO, F_GETFD) < 0);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
	assert_true(is_recording);
	assert_false(other_is_recording);
	assert_int_equal(fd, 0);
	assert_int_equal(ret, 0);
	assert_int_equal(counts.nr_records, 1);
}

/* Another permission does not help with what is not a file. */
static void permissions_are_advised_where_they_lack(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct err err = ERR_INIT;
	struct reader *r;
	const char *path = path_of("socket");

	(void)state;
	assert_true(strlen(path) < sizeof(a.sun_path));
	strcpy(a.sun_path, path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(reader__open(&r, path, &err), -ENXIO);
	assert_non_null(strstr(err.text.buf, "cannot open '"));
	assert_null(strstr(err.text.buf, "type: "));
	close(fd);
	err__exit(&err);
}

/* How much a pipe will bring is not known before it has. */
static void a_pipe_has_no_size(void **state)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10), fds[2];
	struct record_counts counts;
	struct reader *r;

	(void)state;
	image__pipe_header(&im);
	image__comm(&im, 1, "x");
	image__comm(&im, 2, "x");
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(file__write_all(fds[1], im.b.buf, im.b.len), 0);
	close(fds[1]);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	assert_int_equal(reader__open(&r, "-", NULL), 0);
	assert_int_equal(reader__size(r), 0);
	assert_int_equal(r->header.size, 16); /* what follows are records */
	assert_int_equal(r->header.attr_size, 0);
	assert_int_equal(r->header.attrs.offset, 0);
	assert_int_equal(r->output_mode, 0666);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
	assert_int_equal(counts.nr_records, 2);
	reader__close(r);
	if (saved >= 0) {
		dup2(saved, STDIN_FILENO);
		close(saved);
	}
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(files_are_read_in_the_order_of_their_numbers),
		test(parts_are_files),
		test(a_folder_must_be_listed),
		test(progress_counts_the_files_before),
		test(names_are_masked),
		test(a_file_may_be_descriptor_0),
		test(permissions_are_advised_where_they_lack),
		test(a_pipe_has_no_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
