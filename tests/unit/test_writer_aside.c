/* The writer: a recording that is written aside gets its name when it is finished, and not before. */
#include "unit.h"
#include "written_file.h"

#include "base/message/err.h"
#include "format/write/writer.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

static const u64 record[] = { 16ull << 48 | 60, 7 };

/* Begin to write in place of the file "old". */
static struct writer *begin_aside(void)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	struct writer *w;

	assert_int_equal(write(fd, "old", 3), 3);
	close(fd);
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ .is_aside = true }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	assert_int_equal(writer__write(w, record, sizeof(record)), 0);
	assert_int_equal(writer__sync(w), 0);
	return w;
}

static void expect_old(void)
{
	struct strbuf file = STRBUF_INIT;

	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, 3);
	assert_memory_equal(file.buf, "old", 3);
	strbuf__exit(&file);
}

static void finishing_replaces_what_was_there(void **state)
{
	struct writer *w = begin_aside();

	(void)state;
	expect_old();
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(written_header().magic, PERF_DATA_MAGIC2);
	assert_int_equal(written_header().data.size, sizeof(record));
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_int_equal(written_header().data.size, sizeof(record));
}

static void what_is_not_finished_replaces_nothing(void **state)
{
	struct writer *w = begin_aside();

	(void)state;
	writer__delete(w);
	expect_old();
}

/* After a failure there is nothing that could be read: the message does not say so. */
static void what_fails_replaces_nothing(void **state)
{
	struct writer *w = begin_aside();
	struct rlimit before, limit;
	struct err err = ERR_INIT;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 64;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(writer__write(w, record, sizeof(record)), 0);
	assert_int_equal(writer__finish(w, &err), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(err.text.buf, path));
	assert_null(strstr(err.text.buf, "can be read"));
	assert_int_equal(writer__finish(w, NULL), -EFBIG);
	writer__delete(w);
	expect_old();
	err__exit(&err);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(finishing_replaces_what_was_there),
		test(what_is_not_finished_replaces_nothing),
		test(what_fails_replaces_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
