/* extension: chunks that are written are read; damage, stale locators and files of earlier versions. */
#include "unit.h"
#include "written_file.h"

#include "base/system/file.h"
#include "format/file/extension.h"
#include "format/read/reader.h"
#include "format/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct writer *begin(bool complete)
{
	struct writer *w;

	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	if (complete)
		writer__feature(w, FEATURE_HOSTNAME, "\4\0\0\0abc", 8);
	return w;
}

static void put_record(struct writer *w)
{
	const struct perf_event_header h = { .type = RECORD_FINISHED_ROUND, .size = sizeof(h) };

	assert_int_equal(writer__write(w, &h, sizeof(h)), 0);
}

/* A finished file with one record and the losses "lost". */
static void write_file(void)
{
	struct writer *w = begin(true);

	put_record(w);
	writer__extension(w, EXTENSION_LOSSES, "lose", 4);
	writer__extension(w, EXTENSION_LOSSES, "lost", 4);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
}

/* What the file has of a kind, "-" for nothing, or "!" with a warning. */
static void expect(enum extension_kind kind, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	struct reader *r;
	int ret;

	assert_int_equal(reader__open(&r, path, NULL), 0);
	ret = reader__extension(r, kind, &sb);
	if (ret) {
		assert_int_equal(ret, -ENOENT);
		strbuf__addstr(&sb, r->warnings.code || r->warnings.text.len ? "!" : "-");
	}
	assert_string_equal(sb.buf, expected);
	strbuf__exit(&sb);
	reader__close(r);
}

static void get(void *data, size_t size, u64 offset)
{
	int fd = open(path, O_RDONLY);

	assert_int_equal(file__pread_all(fd, data, size, offset), size);
	close(fd);
}

static void put(const void *data, size_t size, u64 offset)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(file__pwrite_all(fd, data, size, offset), 0);
	close(fd);
}

static struct extension_locator get_locator(void)
{
	struct extension_locator l;

	get(&l, sizeof(l), written_header().data.offset - sizeof(l));
	return l;
}

static void chunks_that_were_written_are_read(void **state)
{
	struct perf_data_header h;

	(void)state;
	write_file();
	expect(EXTENSION_LOSSES, "lost");
	expect(EXTENSION_NAMES, "-");
	assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), 0);
	assert_int_equal(extension__append(path, -1, EXTENSION_CALL_CHAINS, "", 0, NULL), 0);
	expect(EXTENSION_LOSSES, "lost");
	expect(EXTENSION_NAMES, "names");
	expect(EXTENSION_CALL_CHAINS, "");
	assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), -EEXIST);
	h = written_header();
	/* stock perf inject crashes on these */
	assert_int_equal(h.features[1] | h.features[2] | h.features[3], 0);
	assert_int_equal(h.data.offset % sizeof(struct extension_locator), 0);
}

static void a_file_without_chunks_can_get_some(void **state)
{
	struct writer *w = begin(true);

	(void)state;
	put_record(w);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	expect(EXTENSION_NAMES, "-");
	assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), 0);
	expect(EXTENSION_NAMES, "names");
}

/* Records follow after the first __sync: the section moves with the end of the file. */
static void records_may_follow(void **state)
{
	struct writer *w = begin(true);
	struct stat st;

	(void)state;
	put_record(w);
	writer__extension(w, EXTENSION_LOSSES, "lost", 4);
	assert_int_equal(writer__sync(w), 0);
	expect(EXTENSION_LOSSES, "lost");
	for (int i = 0; i < 100; i++)
		put_record(w);
	assert_int_equal(writer__sync(w), 0);
	expect(EXTENSION_LOSSES, "lost");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(get_locator().section.offset + get_locator().section.size, st.st_size);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
}

static void an_incomplete_file_has_none(void **state)
{
	struct perf_data_header h;

	(void)state;
	write_file();
	h = written_header();
	memset(h.features, 0, sizeof(h.features));
	put(&h, sizeof(h), 0);
	expect(EXTENSION_LOSSES, "!"); /* "was not completed" */
	assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), -ENOENT);
	assert_int_equal(truncate(path, (off_t)(h.data.offset + h.data.size)), 0);
	expect(EXTENSION_LOSSES, "!"); /* nothing follows the records */
	h.data.size = 0;
	put(&h, sizeof(h), 0);
	assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), -ENOENT);
	assert_int_equal(extension__append("/nowhere/x", -1, EXTENSION_NAMES, "names", 5, NULL), -ENOENT);
}

/* With a correct check, so that it gets as far as the claim itself. */
static void claim(size_t word, u64 value, const char *losses)
{
	u64 words[sizeof(struct extension_locator) / 8], at;
	struct extension_locator l;

	write_file();
	l = get_locator();
	at = l.self;
	memcpy(words, &l, sizeof(words));
	words[7] += value - words[word];
	words[word] = value;
	put(words, sizeof(words), at);
	expect(EXTENSION_LOSSES, losses);
	if (*losses == '!')
		assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), -ENOENT);
}

static void claims_are_believed_as_far_as_they_are_true(void **state)
{
	static const u64 claims[] = { 1, 7, 104, 4096, INT64_MAX, UINT64_MAX, UINT64_MAX - 15 };

	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(*claims); i++) {
		claim(0, claims[i], "-");
		claim(1, claims[i], i ? "!" : "lost");
		for (size_t word = 2; word < 6; word++)
			claim(word, claims[i], "!");
	}
	claim(5, 0, "-"); /* an empty section */
}

static void every_byte_of_the_locator_is_checked(void **state)
{
	struct extension_locator l;

	(void)state;
	for (size_t i = 8; i < sizeof(l); i++) {
		u8 byte;

		write_file();
		l = get_locator();
		get(&byte, 1, l.self + i);
		byte ^= 0x10;
		put(&byte, 1, l.self + i);
		expect(EXTENSION_LOSSES, "!");
	}
}

/* Whatever has rewritten the records: it is not the section that the locator was made for. */
static void a_stale_locator_is_not_followed(void **state)
{
	u8 locator[64];
	struct perf_data_header h;

	(void)state;
	write_file();
	h = written_header();
	h.data.size += 8;
	put(&h, sizeof(h), 0);
	expect(EXTENSION_LOSSES, "!");
	write_file();
	h = written_header();
	get(locator, sizeof(locator), h.data.offset - 64);
	h.data.offset += 8;
	h.data.size -= 8;
	put(locator, sizeof(locator), h.data.offset - 64);
	put(&h, sizeof(h), 0);
	expect(EXTENSION_LOSSES, "!");
}

static void damaged_chunks_end_the_section(void **state)
{
	static const u64 sizes[] = { 5000, UINT64_MAX, UINT64_MAX - 8, UINT64_MAX - 15, INT64_MAX };
	struct perf_data_section s;
	u32 zero = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		write_file();
		assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, "names", 5, NULL), 0);
		s = get_locator().section;
		put(&sizes[i], sizeof(sizes[i]), s.offset + 24 + 8); /* behind "lost" */
		expect(EXTENSION_LOSSES, "lost");
		expect(EXTENSION_NAMES, "!");
		assert_int_equal(extension__append(path, -1, EXTENSION_CALL_CHAINS, "", 0, NULL), -ENOENT);
	}
	write_file();
	put(&zero, sizeof(zero), get_locator().section.offset);
	expect(EXTENSION_LOSSES, "!");
}

/* The disk is full: the file stays as it was. */
static void what_has_no_room_is_not_appended(void **state)
{
	struct rlimit old, limit;
	struct stat before, after;
	static char names[4096];

	(void)state;
	write_file();
	assert_int_equal(stat(path, &before), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = (rlim_t)before.st_size + 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(extension__append(path, -1, EXTENSION_NAMES, names, sizeof(names), NULL), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	expect(EXTENSION_LOSSES, "lost");
	expect(EXTENSION_NAMES, "-");
}

static void files_of_earlier_versions_are_read(void **state)
{
	struct writer *w = begin(true);

	(void)state;
	put_record(w);
	writer__feature(w, FEATURE_OLD_LOSSES, "lost", 4);
	writer__feature(w, FEATURE_OLD_NAMES, "names", 5);
	writer__feature(w, FEATURE_OLD_CALL_CHAINS, "chains", 6);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	expect(EXTENSION_LOSSES, "lost");
	expect(EXTENSION_NAMES, "names");
	expect(EXTENSION_CALL_CHAINS, "chains");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(chunks_that_were_written_are_read, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_without_chunks_can_get_some, setup, teardown),
		cmocka_unit_test_setup_teardown(records_may_follow, setup, teardown),
		cmocka_unit_test_setup_teardown(an_incomplete_file_has_none, setup, teardown),
		cmocka_unit_test_setup_teardown(claims_are_believed_as_far_as_they_are_true, setup, teardown),
		cmocka_unit_test_setup_teardown(every_byte_of_the_locator_is_checked, setup, teardown),
		cmocka_unit_test_setup_teardown(a_stale_locator_is_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_chunks_end_the_section, setup, teardown),
		cmocka_unit_test_setup_teardown(what_has_no_room_is_not_appended, setup, teardown),
		cmocka_unit_test_setup_teardown(files_of_earlier_versions_are_read, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
