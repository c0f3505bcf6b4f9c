/*
 * The writer: what attrs and names look like in the file, how often it ends, and what it says when it
 * fails.
 */
#include "unit.h"
#include "written_file.h"

#include "base/message/err.h"
#include "format/write/writer.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

static struct writer *begin(const struct writer_opts *opts)
{
	struct writer *w;

	assert_int_equal(writer__open(&w, path, opts, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	return w;
}

static void add_record(struct writer *w)
{
	const u64 record[] = { 16ull << 48 | 60, 7 };

	assert_int_equal(writer__write(w, record, sizeof(record)), 0);
}

static void read_all(struct strbuf *file)
{
	strbuf__reset(file);
	assert_int_equal(file__read(path, file, 0), 0);
}

/* An attr in the file says the size that it has there, whatever the kernel was told. */
static void attrs_say_their_size(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct perf_data_header h;
	struct writer *w;

	(void)state;
	list.evsels.v[0]->attr.size = 64;
	list.evsels.v[1]->attr.size = 1000;
	w = begin(&(struct writer_opts){ 0 });
	add_record(w);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	h = written_header();
	read_all(&file);
	for (u64 i = 0; i < 2; i++) {
		struct perf_event_attr attr;

		memcpy(&attr, file.buf + h.attrs.offset + i * h.attr_size, 64);
		assert_int_equal(attr.size, h.attr_size - sizeof(struct perf_data_section));
	}
	strbuf__exit(&file);
}

/* Names in a pipe end with NUL, also those that fill their words. */
static void names_in_a_pipe_end(void **state)
{
	struct strbuf file = STRBUF_INIT;
	struct writer *w;

	(void)state;
	free(list.evsels.v[0]->name);
	list.evsels.v[0]->name = xstrdup("12345678");
	w = begin(&(struct writer_opts){ .pipe = true });
	assert_int_equal(writer__extension(w, EXTENSION_MERGED, "text", 4), 0); /* a pipe has none */
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	read_all(&file);
	assert_non_null(memmem(file.buf, file.len, "12345678\0\0\0\0\0\0\0", 16));
	assert_null(memmem(file.buf, file.len, "text", 4));
	strbuf__exit(&file);
}

#ifdef HAVE_LIBZSTD
/* A reader must know before the first compressed record how it is compressed. */
static void a_compressed_stream_says_so_first(void **state)
{
	const struct {
		u64 feature;
		u32 version, type, level, ratio; /* type 1: zstd */
	} said = { FEATURE_COMPRESSED, 0, 1, 3, 0 };
	struct strbuf file = STRBUF_INIT;
	struct writer *w;

	(void)state;
	w = begin(&(struct writer_opts){ .pipe = true, .compression = 3 });
	add_record(w);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	read_all(&file);
	assert_non_null(memmem(file.buf, file.len, &said, sizeof(said)));
	strbuf__exit(&file);
}
#endif

/* What a stream could not take is told from then on, also after records. */
static void a_broken_stream_takes_no_feature(void **state)
{
	struct writer *w = begin(&(struct writer_opts){ .pipe = true });
	struct rlimit before, limit;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 8;
	add_record(w);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(writer__sync(w), -EFBIG);
	assert_int_equal(writer__feature(w, FEATURE_HOSTNAME, "host", 5), -EFBIG);
	assert_int_equal(writer__finish(w, NULL), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	writer__delete(w);
}

/* Nothing was begun, so there is nothing to complete. */
static void a_file_that_was_not_begun_stays_empty(void **state)
{
	struct writer *w;
	struct stat st;

	(void)state;
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
}

static void a_file_is_finished_once(void **state)
{
	struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
	struct writer *w = begin(&(struct writer_opts){ 0 });

	(void)state;
	add_record(w);
	assert_int_equal(writer__finish(w, NULL), 0);
	read_all(&once);
	writer__feature(w, FEATURE_HOSTNAME, "late", 4);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	read_all(&twice);
	assert_int_equal(once.len, twice.len);
	assert_memory_equal(once.buf, twice.buf, once.len);
	strbuf__exit(&once);
	strbuf__exit(&twice);
}

/* A file that is not finished is completed when its writer is deleted. */
static void a_deleted_writer_completes_the_file(void **state)
{
	struct writer *w = begin(&(struct writer_opts){ 0 });

	(void)state;
	add_record(w);
	writer__delete(w);
	assert_int_equal(written_header().data.size, 16);
}

/*
 * A file for which there is no room keeps what was written before, and says so; one that is removed is
 * lost.
 */
static void what_is_left_of_a_file_is_told(void **state)
{
	(void)state;
	for (int is_removed = 0; is_removed < 2; is_removed++) {
		struct writer *w = begin(&(struct writer_opts){ 0 });
		struct err err = ERR_INIT;
		struct rlimit before, limit;
		struct stat st;

		signal(SIGXFSZ, SIG_IGN);
		add_record(w);
		assert_int_equal(writer__sync(w), 0);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
		limit = before;
		limit.rlim_cur = (rlim_t)st.st_size + 8;
		for (int i = 0; i < 100; i++)
			add_record(w);
		if (is_removed)
			assert_int_equal(unlink(path), 0);
		else
			assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		assert_int_equal(writer__finish(w, &err), is_removed ? -ESTALE : -EFBIG);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_non_null(strstr(err.text.buf, path));
		assert_int_equal(!strstr(err.text.buf, " bytes of records that were written can be read"),
				 is_removed);
		assert_int_equal(writer__finish(w, NULL), is_removed ? -ESTALE : -EFBIG);
		writer__delete(w);
		err__exit(&err);
	}
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(attrs_say_their_size),
		test(names_in_a_pipe_end),
#ifdef HAVE_LIBZSTD
		test(a_compressed_stream_says_so_first),
#endif
		test(a_broken_stream_takes_no_feature),
		test(a_file_that_was_not_begun_stays_empty),
		test(a_file_is_finished_once),
		test(a_deleted_writer_completes_the_file),
		test(what_is_left_of_a_file_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
