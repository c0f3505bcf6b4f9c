/*
 * Opening a recording: what is one, byte orders and versions of headers, and what the reader says of headers,
 * attrs, features, folders and permissions that are not as they should be.
 */
#include "unit.h"

#include "image.h"
#include "format/read/features.h"
#include "format/write/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

enum { ATTR = 112, ENTRY = ATTR + 16, HEADER = 104, NOBODY = 65534 };

/* A file of one event with an id, a COMM record, and features: their texts are "feature". */
static void build(struct image *im, bool swap, u64 features)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
	unsigned nr = (unsigned)__builtin_popcountll(features);
	size_t table;

	image__init(im, swap);
	image__file_header(im, 1, ATTR, features);
	image__attr_entry(im, &a, ATTR, HEADER + ENTRY, 8);
	image__u64(im, 11);
	image__put_u64(im, 40, im->b.len);
	image__comm(im, 5, "x");
	image__end_data(im);
	table = im->b.len;
	for (unsigned i = 0; i < nr; i++) {
		image__u64(im, table + 16 * nr);
		image__u64(im, 68);
	}
	if (nr)
		image__feature_str(im, "feature");
}

static struct reader *must_open(const struct image *im)
{
	struct reader *r;

	assert_int_equal(image__open(im->b.buf, im->b.len, &r, NULL), 0);
	return r;
}

static u64 nr_records(struct reader *r)
{
	struct record_counts c;

	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
	return c.nr_records;
}

static void expect(const struct strbuf *said, const char *text)
{
	if (!strstr(said->buf, text))
		fail_msg("'%s' is not in '%s'", text, said->buf);
}

static void expect_refused(const void *data, size_t size, int ret, const char *text, const char *advice)
{
	struct err err = ERR_INIT;
	struct reader *r;

	assert_int_equal(image__open(data, size, &r, &err), ret);
	assert_null(r);
	expect(&err.text, text);
	if (advice)
		expect(&err.text, advice);
	err__exit(&err);
}

/* ---- what is a recording ---- */

static void what_a_file_is_instead_is_told(void **state)
{
	static const char elf[200] = "\177ELF\2", gzip[200] = "\x1f\x8b\x08", text[200] = "PERFILE3";
	static const char no_record[] = "record writes recordings, to perf.data unless -o names another file";

	(void)state;
	expect_refused("", 0, -EINVAL, "is not a perf.data file: it is empty", no_record);
	expect_refused(text, 15, -EINVAL, "it ends inside the header", no_record);
	expect_refused(text, 16, -EINVAL, "it does not begin with PERFILE2", no_record);
	expect_refused(text, 200, -EINVAL, "it does not begin with PERFILE2", no_record);
	expect_refused(elf, 200, -EINVAL, "it does not begin with PERFILE2", "it is a program: ");
	expect_refused(elf, 4, -EINVAL, "it ends inside the header", "it is a program: ");
	expect_refused(elf, 3, -EINVAL, "it ends inside the header", no_record);
	expect_refused(gzip, 200, -EINVAL, "it does not begin with PERFILE2", "it is compressed: unpack it");
}

static void standard_input_is_named(void **state)
{
	struct err err = ERR_INIT;
	struct reader *r;
	int fd, saved = dup(STDIN_FILENO);
	char path[64];

	(void)state;
	image__path("no recording at all", 19, &fd, path);
	dup2(fd, STDIN_FILENO);
	close(fd);
	assert_int_equal(reader__open(&r, "-", &err), -EINVAL);
	dup2(saved, STDIN_FILENO);
	close(saved);
	expect(&err.text, "standard input is not a perf.data file");
	expect(&err.text, "to read a file, name it");
	err__exit(&err);
}

static void first_bytes_tell_a_recording(void **state)
{
	const u64 good[] = { PERF_DATA_MAGIC1, PERF_DATA_MAGIC2, __builtin_bswap64(PERF_DATA_MAGIC1),
			     __builtin_bswap64(PERF_DATA_MAGIC2) };
	const u64 bad = PERF_DATA_MAGIC2 + 1;
	char path[64], dir[] = "/tmp/perf-open-XXXXXX", *data;
	int fd;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		image__path(&good[i], 8, &fd, path);
		assert_true(reader__is_recording(path));
		assert_int_equal(ftruncate(fd, 7), 0);
		assert_false(reader__is_recording(path));
		close(fd);
	}
	image__path(&bad, 8, &fd, path);
	assert_false(reader__is_recording(path));
	close(fd);
	assert_false(reader__is_recording("/nonexistent"));
	assert_false(reader__is_recording("/proc/self/status/file"));
	assert_non_null(mkdtemp(dir));
	assert_false(reader__is_recording(dir));
	data = xasprintf("%s/data", dir);
	fd = open(data, O_WRONLY | O_CREAT, 0600);
	close(fd);
	assert_true(reader__is_recording(dir));
	assert_false(reader__is_recording(data));
	unlink(data);
	/* what cannot be opened for another reason may be one: a loop of links */
	assert_int_equal(symlink(data, data), 0);
	assert_true(reader__is_recording(data));
	unlink(data);
	rmdir(dir);
	free(data);
}

/* ---- the header ---- */

static void headers_have_known_sizes(void **state)
{
	static const struct {
		u64 magic, size;
		bool is_good;
	} cases[] = { { PERF_DATA_MAGIC2, 104, true }, { PERF_DATA_MAGIC2, 72, true },
		      { PERF_DATA_MAGIC2, 16, true },  { PERF_DATA_MAGIC2, 103, false },
		      { PERF_DATA_MAGIC2, 0, false },  { PERF_DATA_MAGIC1, 104, true },
		      { PERF_DATA_MAGIC1, 71, false } };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct reader *r;
		struct image im;
		bool is_good = cases[i / 2].is_good;

		build(&im, i & 1, 0);
		image__put_u64(&im, 0, cases[i / 2].magic);
		image__put_u64(&im, 8, cases[i / 2].size);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, &err), is_good ? 0 : -EINVAL);
		if (is_good) {
			assert_int_equal(r->is_pipe, cases[i / 2].size == 16);
			assert_int_equal(r->is_v1, cases[i / 2].magic == PERF_DATA_MAGIC1);
			assert_int_equal(r->needs_swap, i & 1);
			assert_int_equal(r->header.magic, cases[i / 2].magic);
			assert_int_equal(r->header.size, cases[i / 2].size);
		} else {
			expect(&err.text, "offset 8: the header's size is ");
		}
		reader__close(r);
		err__exit(&err);
		image__exit(&im);
	}
}

static void headers_are_whole(void **state)
{
	struct image im;

	(void)state;
	build(&im, false, 0);
	expect_refused(im.b.buf, 103, -EBADMSG, "the file ends at offset 103, inside its header of 104 bytes",
		       NULL);
	expect_refused(im.b.buf, 16, -EBADMSG, "the file ends at offset 16, inside its header of 104 bytes",
		       NULL);
	image__exit(&im);
}

/* Memory of this process, in which nobody can read at 0. */
static void headers_that_cannot_be_read_are_told(void **state)
{
	struct err err = ERR_INIT;
	struct reader *r;

	(void)state;
	assert_int_equal(reader__open(&r, "/proc/self/mem", &err), -EIO);
	expect(&err.text, "'/proc/self/mem': ");
	expect(&err.text, strerror(EIO));
	err__exit(&err);
}

/* An old header of 72 bytes has no features: the attrs may follow it at once. */
static void old_headers_have_no_features(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
	struct reader *r;
	struct image im;

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		image__init(&im, swap);
		image__u64(&im, PERF_DATA_MAGIC2);
		image__u64(&im, 72);
		image__u64(&im, ENTRY);
		image__u64(&im, 72);
		image__u64(&im, ENTRY);
		for (int i = 0; i < 4; i++)
			image__u64(&im, 0);
		image__attr_entry(&im, &a, ATTR, 0, 0);
		image__put_u64(&im, 40, im.b.len);
		image__comm(&im, 5, "x");
		image__end_data(&im);
		r = must_open(&im);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(r->features_set[i], 0);
			assert_int_equal(r->header.features[i], 0);
		}
		assert_int_equal(r->evlist.evsels.nr, 1);
		assert_int_equal(r->damage.code, 0);
		assert_int_equal(nr_records(r), 1);
		reader__close(r);
		image__exit(&im);
	}
}

/* ---- attrs ---- */

/* An attr says its size; nonsense there is no reason to drop it. */
static void attrs_have_the_size_that_they_say(void **state)
{
	static const struct {
		u32 says;
		size_t size;
	} cases[] = { { 64, 64 }, { 72, 72 }, { ATTR, ATTR }, { 63, ATTR }, { 0, ATTR }, { ATTR + 1, ATTR } };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct reader *r;
		struct image im;
		u32 says = cases[i / 2].says;

		build(&im, i & 1, 0);
		says = i & 1 ? __builtin_bswap32(says) : says;
		memcpy(im.b.buf + HEADER + 4, &says, sizeof(says));
		r = must_open(&im);
		assert_int_equal(r->evlist.evsels.nr, 1);
		assert_int_equal(r->evlist.evsels.v[0]->attr_size, cases[i / 2].size);
		assert_int_equal(r->evlist.evsels.v[0]->attr.sample_period, 4000);
		assert_non_null(r->evlist.evsels.v[0]->name); /* by its attr: no feature has one */
		assert_non_null(strstr(r->evlist.evsels.v[0]->name, "cpu-clock"));
		assert_int_equal(r->evlist.evsels.v[0]->ids.nr, 1);
		assert_int_equal(r->evlist.evsels.v[0]->ids.v[0], 11);
		reader__close(r);
		image__exit(&im);
	}
}

/*
 * Word at an offset of the header, and what the reader then says; records are still read where they are
 * known.
 */
static void damaged_headers_are_told(void **state)
{
	const struct {
		size_t at;
		u64 word;
		const char *text;
		u64 nr_events, nr_records;
	} cases[] = {
		{ 16, 79, "offset 16: the size of an attr entry is 79, expected 80 or a little more", 0, 1 },
		{ 16, 65537, "offset 16: the size of an attr entry is 65537", 0, 1 },
		{ 24, 1 << 20, "the attrs are at offset 1048576, 128 bytes, outside the file of 264 bytes", 0,
		  1 },
		{ 32, 1 << 20, "the attrs are at offset 104, 1048576 bytes, outside the file of 264 bytes", 0,
		  1 },
		{ 32, 161, "the attrs are at offset 104, 161 bytes, outside the file of 264 bytes", 0, 1 },
		{ 40, 265, "the records are at offset 265, after the end of the file at 264", 1, 0 },
		{ 48, 25, "the file ends at offset 264, expected records up to 265: 1 bytes are missing", 1,
		  1 },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct reader *r;
		struct image im;

		build(&im, i & 1, 0);
		assert_int_equal(im.b.len, 264);
		image__put_u64(&im, cases[i / 2].at, cases[i / 2].word);
		r = must_open(&im);
		assert_int_equal(r->damage.code, -EBADMSG);
		expect(&r->damage.text, cases[i / 2].text);
		assert_int_equal(r->evlist.evsels.nr, cases[i / 2].nr_events);
		assert_int_equal(nr_records(r), cases[i / 2].nr_records);
		reader__close(r);
		image__exit(&im);
	}
}

/* What is told stays one line, whatever the file's name. */
static void names_of_damaged_files_add_no_line(void **state)
{
	char path[] = "/tmp/perf-unit-a\nb.XXXXXX";
	int fd = mkstemp(path);
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, 0);
	image__put_u64(&im, 48, 25);
	assert_int_equal(file__write_all(fd, im.b.buf, im.b.len), 0);
	close(fd);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	expect(&r->damage.text, "'/tmp/perf-unit-a?b.");
	assert_null(strchr(r->damage.text.buf, '\n'));
	reader__close(r);
	unlink(path);
	image__exit(&im);
}

static void as_many_attrs_as_recorders_open(void **state)
{
	enum { MOST = 1 << 14, SMALL = 64 + 16 };

	(void)state;
	for (u64 nr = MOST; nr <= MOST + 1; nr++) {
		struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
		struct reader *r;
		struct image im;

		image__init(&im, false);
		image__file_header(&im, nr, 64, 0);
		for (u64 i = 0; i < nr; i++)
			image__attr_entry(&im, &a, 64, 0, 0);
		image__comm(&im, 5, "x");
		image__end_data(&im);
		r = must_open(&im);
		assert_int_equal(r->evlist.evsels.nr, nr == MOST ? MOST : 0);
		if (nr > MOST)
			expect(&r->damage.text, "16385 attrs, expected at most 16384");
		assert_int_equal(nr_records(r), 1);
		reader__close(r);
		image__exit(&im);
	}
}

/* The largest entry that is believed: 65,536 bytes, whatever the attr in it says of its size. */
static void attr_entries_may_be_large(void **state)
{
	enum { LARGE = 65536 - 16 };

	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
		struct reader *r;
		struct image im;

		image__init(&im, swap);
		image__file_header(&im, 1, LARGE, 0);
		image__attr_entry(&im, &a, LARGE, 0, 0);
		image__comm(&im, 5, "x");
		image__end_data(&im);
		r = must_open(&im);
		assert_int_equal(r->damage.code, 0);
		assert_int_equal(r->evlist.evsels.nr, 1);
		assert_int_equal(r->evlist.evsels.v[0]->attr_size, ATTR);
		assert_int_equal(nr_records(r), 1);
		reader__close(r);
		image__exit(&im);
	}
}

/* All ids together are at most as many as the file has room for, or sections would multiply a file. */
static void ids_are_not_read_twice_over(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
	const u64 at = HEADER + 2 * ENTRY;
	struct reader *r;
	struct image im;

	(void)state;
	image__init(&im, false);
	image__file_header(&im, 2, ATTR, 0);
	image__attr_entry(&im, &a, ATTR, at, 800);
	image__attr_entry(&im, &a, ATTR, at, 800);
	for (u64 i = 0; i < 100; i++)
		image__u64(&im, i + 1);
	image__put_u64(&im, 40, im.b.len);
	image__comm(&im, 5, "x");
	image__end_data(&im);
	r = must_open(&im);
	assert_int_equal(r->evlist.evsels.v[0]->ids.nr, 100);
	assert_int_equal(r->evlist.evsels.v[1]->ids.nr, 0);
	expect(&r->warnings.text, "the ids of event 1 are at offset 360, 800 bytes, outside the file of ");
	reader__close(r);
	image__exit(&im);
}

/* ---- features ---- */

#define FEATURES (1ull << FEATURE_HOSTNAME | 1ull << FEATURE_VERSION | 1ull << FEATURE_CPUID)

static void expect_features(const struct reader *r, bool host, bool version, bool cpuid)
{
	const bool want[] = { host, version, cpuid };
	static const enum feature f[] = { FEATURE_HOSTNAME, FEATURE_VERSION, FEATURE_CPUID };
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(reader__feature(r, f[i], &sb), want[i] ? 0 : -ENOENT);
		assert_int_equal(sb.len, want[i] ? 68 : 0);
	}
	assert_int_equal(reader__feature(r, FEATURE_ARCH, &sb), -ENOENT);
	assert_int_equal(reader__feature(r, FEATURE_BITS, &sb), -ENOENT);
	assert_int_equal(reader__extension(r, EXTENSION_LOSSES, &sb), -ENOENT);
	assert_int_equal(reader__extension_offset(r, EXTENSION_LOSSES), 0);
	strbuf__exit(&sb);
}

static void features_outside_of_the_file_are_skipped(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		const size_t table = 264;
		struct reader *r;
		struct image im;

		build(&im, swap, FEATURES);
		r = must_open(&im);
		assert_int_equal(r->warnings.code, 0);
		expect_features(r, true, true, true);
		reader__close(r);
		image__put_u64(&im, table, 1 << 20);
		r = must_open(&im);
		expect(&r->warnings.text,
		       "header feature 3 is at offset 1048576, 68 bytes, outside the file of 380 bytes");
		assert_null(strchr(r->warnings.text.buf, '\n'));
		expect_features(r, false, true, true);
		reader__close(r);
		image__put_u64(&im, table + 16, 1 << 20);
		r = must_open(&im);
		expect(&r->warnings.text, "\n");
		expect(&r->warnings.text, "1 more header features are outside the file: skipped");
		expect_features(r, false, false, true);
		reader__close(r);
		image__put_u64(&im, table + 40, 1 << 20);
		r = must_open(&im);
		expect(&r->warnings.text, "2 more header features are outside the file: skipped");
		expect_features(r, false, false, false);
		assert_int_equal(nr_records(r), 1);
		reader__close(r);
		image__exit(&im);
	}
}

static void a_cut_table_of_features_is_told(void **state)
{
	struct perf_data_section none = { 0 };
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, FEATURES);
	memcpy(im.b.buf + 264, &none, sizeof(none));
	strbuf__setlen(&im.b, 264 + 16 + 15);
	r = must_open(&im);
	expect(&r->warnings.text, "the table of header features ends at offset 280, after bit 5");
	assert_true(r->features_set[0] == 1ull << FEATURE_HOSTNAME);
	reader__close(r);
	image__put_u64(&im, 80, 1 << 6); /* bit 70, too */
	r = must_open(&im);
	assert_true(r->features_set[0] == 1ull << FEATURE_HOSTNAME);
	assert_int_equal(r->features_set[1], 0);
	reader__close(r);
	image__exit(&im);
	/* the section of bit 70 is not a section, but the text of a feature */
	build(&im, false, FEATURES);
	image__put_u64(&im, 80, 1 << 6);
	r = must_open(&im);
	expect(&r->warnings.text, "header feature 70 is at offset ");
	assert_true(r->features_set[0] == FEATURES);
	assert_int_equal(r->features_set[1], 0);
	reader__close(r);
	image__exit(&im);
}

/* A section may begin where the file does: nothing is as special as a pipe's section, which has no place. */
static void features_are_where_the_table_says(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, FEATURES);
	image__put_u64(&im, 264, 0);
	image__put_u64(&im, 272, 8);
	r = must_open(&im);
	assert_int_equal(reader__feature(r, FEATURE_HOSTNAME, &sb), 0);
	assert_string_equal(sb.buf, "PERFILE2");
	reader__close(r);
	strbuf__exit(&sb);
	image__exit(&im);
}

/* A pipe's features are kept if they are known. */
static void features_of_pipes_are_kept(void **state)
{
	static const struct {
		u64 bit;
		bool is_kept;
	} cases[] = { { FEATURE_BUILD_ID, true },  { FEATURE_HOSTNAME, true },
		      { FEATURE_LAST - 1, true },  { FEATURE_LAST, false },
		      { FEATURE_LAST + 1, false }, { FEATURE_OLD_CALL_CHAINS, false },
		      { FEATURE_RESERVED, false } };
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool is_kept = cases[i].is_kept;
		struct reader *r;
		struct image im;

		image__init(&im, false);
		image__pipe_header(&im);
		image__begin(&im, RECORD_HEADER_FEATURE, 0);
		image__u64(&im, cases[i].bit);
		image__str(&im, "content", 8);
		image__end(&im);
		r = must_open(&im);
		assert_int_equal(nr_records(r), 1);
		assert_int_equal(reader__feature(r, (enum feature)cases[i].bit, &sb), is_kept ? 0 : -ENOENT);
		assert_string_equal(sb.buf, is_kept ? "content" : "");
		reader__close(r);
		image__exit(&im);
	}
	strbuf__exit(&sb);
}

/* A recorder that was killed wrote no sizes: what follows the records is not looked for. */
static void an_interrupted_recording_has_no_features(void **state)
{
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, FEATURES);
	image__put_u64(&im, 48, 0);
	strbuf__setlen(&im.b, 264);
	r = must_open(&im);
	assert_true(r->unterminated);
	expect(&r->warnings.text, "was not completed by its recorder");
	assert_null(strchr(r->warnings.text.buf, '\n'));
	expect_features(r, false, false, false);
	assert_int_equal(nr_records(r), 1);
	assert_int_equal(r->damage.code, 0);
	reader__close(r);
	image__exit(&im);
}

/*
 * A recorder writes the features last. Without any, the header may count fewer records than the file has, or
 * none yet.
 */
static void an_interrupted_recording_has_all_records(void **state)
{
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, 0);
	image__comm(&im, 6, "y"); /* not counted in the header */
	r = must_open(&im);
	assert_true(r->unterminated);
	assert_int_equal(nr_records(r), 2);
	assert_int_equal(r->damage.code, 0);
	reader__close(r);
	image__end_data(&im);
	r = must_open(&im);
	assert_false(r->unterminated);
	assert_int_equal(nr_records(r), 2);
	reader__close(r);
	strbuf__setlen(&im.b, 240);
	image__end_data(&im);
	r = must_open(&im);
	assert_true(r->unterminated);
	assert_int_equal(nr_records(r), 0);
	assert_int_equal(r->damage.code, 0);
	reader__close(r);
	image__exit(&im);
}

/* What this program stores beyond the features is found by its kind, and only whole. */
static void extensions_are_found_by_kind(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
	struct evlist list;
	struct writer *w;
	struct image im;
	struct reader *r;
	char path[] = "/tmp/perf-open-XXXXXX";

	(void)state;
	close(mkstemp(path));
	evlist__init(&list);
	evlist__add_id(&list, evlist__add(&list, &a, sizeof(a), "event"), 1);
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	image__init(&im, false);
	image__comm(&im, 5, "x");
	assert_int_equal(writer__write(w, im.b.buf, im.b.len), 0);
	image__exit(&im);
	assert_int_equal(writer__feature(w, FEATURE_SAMPLE_TIME, "", 0), 0);
	assert_int_equal(writer__extension(w, EXTENSION_MERGED, "merged", 6), 0);
	assert_int_equal(writer__extension(w, EXTENSION_CLOCK, "a clock", 7), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_CLOCK, &sb), 0);
	assert_string_equal(sb.buf, "a clock");
	assert_int_equal(reader__extension(r, EXTENSION_MERGED, &sb), 0);
	assert_string_equal(sb.buf, "merged");
	assert_int_equal(reader__extension(r, EXTENSION_NAMES, &sb), -ENOENT);
	assert_int_equal(reader__extension(r, EXTENSION_CODE, &sb), -ENOENT);
	assert_int_equal(reader__extension(r, EXTENSION_LAST, &sb), -ENOENT);
	assert_int_equal(sb.len, 0);
	/* what was there is not taken for what is missing */
	strbuf__addstr(&sb, "before");
	assert_int_equal(reader__extension(r, EXTENSION_CODE, &sb), -ENOENT);
	assert_int_equal(sb.len, 0);
	strbuf__addstr(&sb, "before");
	assert_int_equal(reader__feature(r, FEATURE_HOSTNAME, &sb), -ENOENT);
	assert_int_equal(sb.len, 0);
	assert_true(reader__extension_offset(r, EXTENSION_CLOCK) >
		    reader__extension_offset(r, EXTENSION_MERGED));
	/* the file was cut after it was opened */
	assert_int_equal(truncate(path, (off_t)reader__extension_offset(r, EXTENSION_CLOCK) + 3), 0);
	assert_int_equal(reader__extension(r, EXTENSION_CLOCK, &sb), -EBADMSG);
	assert_int_equal(truncate(path, (off_t)reader__extension_offset(r, EXTENSION_CLOCK)), 0);
	assert_int_equal(reader__extension(r, EXTENSION_CLOCK, &sb), -EBADMSG);
	reader__close(r);
	unlink(path);
	evlist__exit(&list);
	strbuf__exit(&sb);
}

/* Kinds that there are not are in no file, whatever its bits say. */
static void no_file_has_unknown_extensions(void **state)
{
	static const unsigned kinds[] = { 0, EXTENSION_CLOCK, EXTENSION_LAST, 1 << 24, UINT32_MAX };
	struct strbuf sb = STRBUF_INIT;
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, 1ull << FEATURE_RESERVED | FEATURES);
	r = must_open(&im);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		assert_int_equal(reader__extension(r, (enum extension_kind)kinds[i], &sb), -ENOENT);
	reader__close(r);
	strbuf__exit(&sb);
	image__exit(&im);
}

/* ---- standard input ---- */

/* Standard input is read from where it is, whatever it is. */
static u64 nr_records_of_stdin(int fd)
{
	int saved = dup(STDIN_FILENO);
	struct reader *r;
	u64 nr;

	dup2(fd, STDIN_FILENO);
	close(fd);
	assert_int_equal(reader__open(&r, "-", NULL), 0);
	nr = nr_records(r);
	assert_int_equal(r->damage.code, 0);
	dup2(saved, STDIN_FILENO);
	close(saved);
	reader__close(r);
	return nr;
}

static void standard_input_may_be_anything(void **state)
{
	struct image im;
	char path[64];
	int fds[2], fd;

	(void)state;
	build(&im, false, 0);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(nr_records_of_stdin(fd), 1);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(file__write_all(fds[1], im.b.buf, im.b.len), 0);
	close(fds[1]);
	assert_int_equal(nr_records_of_stdin(fds[0]), 1);
	/* a file of which something was read */
	fd = memfd_create("image", MFD_CLOEXEC);
	assert_int_equal(file__write_all(fd, "12345", 5), 0);
	assert_int_equal(file__write_all(fd, im.b.buf, im.b.len), 0);
	assert_int_equal(lseek(fd, 5, SEEK_SET), 5);
	assert_int_equal(nr_records_of_stdin(fd), 1);
	image__exit(&im);
}

/* ---- parts, sizes, locks ---- */

static void a_part_of_a_file_is_read(void **state)
{
	static const struct {
		u64 begin, end, nr, size;
	} parts[] = { { 0, 0, 4, 96 },    { 0, 1000, 4, 96 },   { 264, 312, 2, 48 }, { 0, 264, 1, 24 },
		      { 264, 264, 0, 0 }, { 1000, 2000, 0, 0 }, { 0, 1, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct reader_opts opts = { .begin = parts[i].begin, .end = parts[i].end };
		struct reader *r;
		struct image im;

		build(&im, false, 0);
		for (int k = 0; k < 3; k++)
			image__comm(&im, 5, "x");
		image__end_data(&im);
		assert_int_equal(image__open_with(im.b.buf, im.b.len, &r, &opts, NULL), 0);
		assert_int_equal(reader__size(r), parts[i].size);
		assert_int_equal(nr_records(r), parts[i].nr);
		assert_int_equal(r->damage.code, 0);
		reader__close(r);
		image__exit(&im);
	}
}

static void a_recorder_that_still_writes_is_told(void **state)
{
	char path[] = "/tmp/perf-open-XXXXXX";
	int fd = mkstemp(path);
	struct reader *r;
	struct stat st;
	struct image im;

	(void)state;
	build(&im, false, 0);
	assert_int_equal(file__write_all(fd, im.b.buf, im.b.len), 0);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(r->warnings.code, 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(r->mtime, st.st_mtime);
	assert_int_equal(r->file_size, im.b.len);
	reader__close(r);
	assert_int_equal(file__lock(fd), 0);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	expect(&r->warnings.text, "is still being written: this is what it has now");
	reader__close(r);
	close(fd);
	unlink(path);
	image__exit(&im);
}

/* ---- folders and permissions ---- */

static void folders_without_data_are_told(void **state)
{
	char dir[] = "/tmp/perf-open-XXXXXX", *inner, *advice;
	struct err err = ERR_INIT;
	struct reader *r;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(reader__open(&r, dir, &err), -ENOENT);
	expect(&err.text, "is a folder without a recording: it has no file 'data'");
	expect(&err.text, "name a file");
	inner = xasprintf("%s/perf.data", dir);
	advice = xasprintf("to read the recording in it: -i %s", inner);
	close(open(inner, O_WRONLY | O_CREAT, 0600));
	assert_int_equal(reader__open(&r, dir, &err), -ENOENT);
	expect(&err.text, advice);
	unlink(inner);
	free(inner);
	inner = xasprintf("%s/data", dir);
	assert_int_equal(mkfifo(inner, 0600), 0);
	assert_int_equal(reader__open(&r, dir, &err), -EINVAL);
	expect(&err.text, "/data': it is not a regular file");
	assert_null(strstr(err.text.buf, "type: ")); /* a permission would not help */
	unlink(inner);
	rmdir(dir);
	free(inner);
	free(advice);
	err__exit(&err);
}

static void expect_denied(const char *path, const char *advice)
{
	struct err err = ERR_INIT;
	struct reader *r;
	char *text = xasprintf("cannot open '%s", path);

	assert_int_equal(reader__open(&r, path, &err), -EACCES);
	expect(&err.text, text);
	expect(&err.text, advice);
	free(text);
	err__exit(&err);
}

/* The owner is told to give himself the permission; others, whose it is and how root changes that. */
static void what_makes_a_file_readable_is_told(void **state)
{
	char dir[] = "/tmp/perf-open-XXXXXX", *file, *data;
	bool is_root = !geteuid();

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chmod(dir, 0755), 0);
	file = xasprintf("%s/perf.data", dir);
	data = xasprintf("%s/data", dir);
	close(open(file, O_WRONLY | O_CREAT, 0));
	close(open(data, O_WRONLY | O_CREAT, 0));
	if (is_root) {
		assert_int_equal(seteuid(NOBODY), 0);
		expect_denied(file, "it belongs to root; type: sudo chown nobody /tmp/");
		expect_denied(dir, "it belongs to root; type: sudo chown -R nobody /tmp/");
		assert_int_equal(seteuid(0), 0);
		assert_int_equal(chown(file, NOBODY, NOBODY), 0);
		assert_int_equal(seteuid(NOBODY), 0);
	}
	expect_denied(file, "type: chmod u+r /tmp/");
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	unlink(file);
	unlink(data);
	rmdir(dir);
	free(file);
	free(data);
}

static void the_default_file_may_be_missing(void **state)
{
	struct err err = ERR_INIT;
	struct reader *r;
	int cwd = open(".", O_RDONLY | O_DIRECTORY);
	char dir[] = "/tmp/perf-open-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(reader__open(&r, "perf.data", &err), -ENOENT);
	expect(&err.text, "cannot open 'perf.data'");
	expect(&err.text, "record something first: ");
	assert_int_equal(reader__open(&r, "other.data", &err), -ENOENT);
	assert_null(strstr(err.text.buf, "record something first"));
	assert_int_equal(fchdir(cwd), 0);
	close(cwd);
	rmdir(dir);
	err__exit(&err);
}

/* A link to nothing is told as such, with what it names. */
static void links_to_nothing_are_told(void **state)
{
	char dir[] = "/tmp/perf-open-XXXXXX", *link;
	struct err err = ERR_INIT;
	struct reader *r;

	(void)state;
	assert_non_null(mkdtemp(dir));
	link = xasprintf("%s/link", dir);
	assert_int_equal(reader__open(&r, link, &err), -ENOENT);
	expect(&err.text, strerror(ENOENT));
	assert_null(strstr(err.text.buf, "it is a link"));
	assert_int_equal(symlink("nowhere", link), 0);
	assert_int_equal(reader__open(&r, link, &err), -ENOENT);
	expect(&err.text, "/link': it is a link to 'nowhere', which does not exist");
	/* a link to itself cannot be followed, which says enough */
	unlink(link);
	assert_int_equal(symlink("link", link), 0);
	assert_int_equal(reader__open(&r, link, &err), -ELOOP);
	expect(&err.text, strerror(ELOOP));
	assert_null(strstr(err.text.buf, "it is a link"));
	unlink(link);
	rmdir(dir);
	free(link);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_file_is_instead_is_told),
		cmocka_unit_test(standard_input_is_named),
		cmocka_unit_test(first_bytes_tell_a_recording),
		cmocka_unit_test(headers_have_known_sizes),
		cmocka_unit_test(headers_are_whole),
		cmocka_unit_test(headers_that_cannot_be_read_are_told),
		cmocka_unit_test(old_headers_have_no_features),
		cmocka_unit_test(attrs_have_the_size_that_they_say),
		cmocka_unit_test(damaged_headers_are_told),
		cmocka_unit_test(names_of_damaged_files_add_no_line),
		cmocka_unit_test(as_many_attrs_as_recorders_open),
		cmocka_unit_test(attr_entries_may_be_large),
		cmocka_unit_test(features_outside_of_the_file_are_skipped),
		cmocka_unit_test(a_cut_table_of_features_is_told),
		cmocka_unit_test(features_are_where_the_table_says),
		cmocka_unit_test(features_of_pipes_are_kept),
		cmocka_unit_test(an_interrupted_recording_has_no_features),
		cmocka_unit_test(an_interrupted_recording_has_all_records),
		cmocka_unit_test(ids_are_not_read_twice_over),
		cmocka_unit_test(extensions_are_found_by_kind),
		cmocka_unit_test(no_file_has_unknown_extensions),
		cmocka_unit_test(standard_input_may_be_anything),
		cmocka_unit_test(a_part_of_a_file_is_read),
		cmocka_unit_test(a_recorder_that_still_writes_is_told),
		cmocka_unit_test(folders_without_data_are_told),
		cmocka_unit_test(what_makes_a_file_readable_is_told),
		cmocka_unit_test(the_default_file_may_be_missing),
		cmocka_unit_test(links_to_nothing_are_told),
	};

	mallopt(M_PERTURB, 0x5a); /* memory that nobody has written has no zeros by chance */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
