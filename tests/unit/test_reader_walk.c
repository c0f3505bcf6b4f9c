/*
 * The walk over a stream that is damaged or compressed: where it ends, what the reader says of it, and
 * what is still read. Expected offsets follow from how the bytes are built.
 */
#include "unit.h"

#include "image.h"
#include "format/read/reader_private.h"

#include <stdlib.h>
#include <sys/stat.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

static struct image im;

static int setup(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);

	(void)state;
	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	image__exit(&im);
	return 0;
}

enum { DATA = 104 + 128 };

static void add_record(struct strbuf *out, u32 type, size_t size, size_t claims)
{
	const struct perf_event_header h = { .type = type, .size = (u16)claims };

	strbuf__add(out, &h, sizeof(h));
	strbuf__addchars(out, '\0', size - sizeof(h));
}

static void see_aligned(void *ctx, const struct record *r)
{
	(void)ctx;
	assert_int_equal((uintptr_t)r->header % 8, 0);
}

/* Records of the scan and of a pass, which must agree, and what the reader says, without the file's name. */
static u64 expect(const char *damage, u64 nr_records)
{
	struct block b = BLOCK_INIT;
	struct record_counts c;
	struct reader_pass *p;
	struct reader *r;
	u64 nr = 0;

	image__end_data(&im);
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ .record = see_aligned }, &c, NULL), 0);
	p = reader_pass__new(r);
	while (reader_pass__next(p, &b, NULL) > 0) {
		struct record rec;

		for (size_t pos = 0; block__next(&b, &pos, &rec); nr++)
			assert_int_equal((uintptr_t)rec.header % 8, 0);
	}
	block__exit(&b);
	assert_null(b.data);
	assert_int_equal(b.alloc, 0);
	assert_int_equal(c.nr_records, nr_records);
	assert_int_equal(nr, nr_records);
	if (!damage && r->damage.code)
		fail_msg("damage: %s", r->damage.text.buf);
	if (damage && !strstr(r->damage.text.buf, damage))
		fail_msg("'%s' is not in '%s'", damage, r->damage.text.buf);
	reader_pass__delete(p);
	reader__close(r);
	return nr;
}

static void records_of_any_size_begin_aligned(void **state)
{
	(void)state;
	for (size_t size = 8; size < 40; size++)
		add_record(&im.b, 60, size, size);
	expect(NULL, 32);
}

static void damage_ends_the_stream(void **state)
{
	static const struct {
		size_t size, claims;
		const char *text;
	} cases[] = {
		{ 16, 7, "offset 248: a record of size 7, expected at least 8" },
		{ 16, 0, "offset 248: a record of size 0, expected at least 8" },
		{ 16, 24, "offset 248: a record of type 60 and 24 bytes runs past the end at 264" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__setlen(&im.b, DATA);
		add_record(&im.b, 60, 16, 16);
		add_record(&im.b, 60, cases[i].size, cases[i].claims);
		expect(cases[i].text, 1);
	}
	strbuf__setlen(&im.b, DATA);
	add_record(&im.b, 60, 16, 16);
	strbuf__addchars(&im.b, '\1', 7);
	expect("the file ends at offset 255, inside a record's header", 1);
}

/* The same of a pipe, from which the rest cannot be read again. */
static void damage_ends_a_pipe(void **state)
{
	static const struct {
		size_t size, claims;
		const char *text;
		u64 nr;
	} cases[] = {
		{ 16, 16, NULL, 3 },
		{ 16, 7, "offset 208: a record of size 7, expected at least 8", 2 },
		{ 16, 24, "offset 208: a record of type 60 and 24 bytes runs past the end at 224", 2 },
		{ 8, 24, "offset 208: a record of type 60 and 24 bytes runs past the end at 216", 2 },
		{ 5, 0, "the file ends at offset 213, inside a record's header", 2 },
	};
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct record_counts c;
		struct image sent;
		struct reader *r;
		char path[64];
		int fds[2];

		image__init(&sent, false);
		image__pipe_header(&sent);
		image__begin(&sent, RECORD_HEADER_ATTR, 0);
		image__attr(&sent, &a, 112);
		image__end(&sent);
		add_record(&sent.b, 60, 72, 72);
		assert_int_equal(sent.b.len, 208);
		if (cases[i].claims)
			add_record(&sent.b, 60, cases[i].size, cases[i].claims);
		else
			strbuf__addchars(&sent.b, '\1', cases[i].size);
		assert_int_equal(pipe(fds), 0);
		assert_int_equal(file__write_all(fds[1], sent.b.buf, sent.b.len), 0);
		close(fds[1]);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
		assert_int_equal(reader__open(&r, path, NULL), 0);
		close(fds[0]);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
		assert_int_equal(c.nr_records, cases[i].nr);
		if (!cases[i].text)
			assert_int_equal(r->damage.code, 0);
		else if (!strstr(r->damage.text.buf, cases[i].text))
			fail_msg("'%s' is not in '%s'", cases[i].text, r->damage.text.buf);
		reader__close(r);
		image__exit(&sent);
	}
}

/* Bytes after a record that are not there. */
static void missing_data_of_a_record_is_told(void **state)
{
	(void)state;
	image__begin(&im, RECORD_AUXTRACE, 0);
	image__u64(&im, 1000);
	strbuf__addchars(&im.b, '\0', 32);
	image__end(&im);
	add_record(&im.b, 60, 16, 16);
	expect("the file ends at offset 296, expected data of an earlier record up to 1280", 1);
	image__put_u64(&im, DATA + 8, UINT64_MAX);
	expect("expected data of an earlier record up to 18446744073709551615", 1);
	image__put_u64(&im, DATA + 8, 16); /* the record after it is the data */
	expect(NULL, 1);
}

/*
 * A stop ends the first file where it is; the other files of the folder are not read, in later passes
 * either.
 */
static int stop;

static void ask_to_stop(void *ctx, const struct record *r)
{
	(void)ctx;
	(void)r;
	stop = 1;
}

static void write_file(const char *dir, const char *name, const struct strbuf *data)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data->buf, 1, data->len, f), data->len);
	fclose(f);
	free(path);
}

static void a_stop_ends_all_files_of_a_folder(void **state)
{
	static const char *const names[] = { "data", "data.0", "data.1" };
	const struct reader_opts opts = { .stop = &stop };
	char dir[] = "/tmp/perf-walk-XXXXXX";
	struct strbuf part = STRBUF_INIT;
	struct block b = BLOCK_INIT;
	struct record_counts c;
	struct reader_pass *p;
	struct reader *r;
	u64 nr = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		add_record(&im.b, 60, 9, 9); /* one a block, since the next one is not aligned */
		add_record(&part, 60, 16, 16);
	}
	image__end_data(&im);
	assert_non_null(mkdtemp(dir));
	write_file(dir, "data", &im.b);
	write_file(dir, "data.0", &part);
	write_file(dir, "data.1", &part);
	stop = 0;
	assert_int_equal(reader__open_with(&r, dir, &opts, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ .record = ask_to_stop }, &c, NULL), 0);
	assert_true(r->stopped);
	assert_in_range(c.nr_records, 1, 10);
	p = reader_pass__new(r);
	while (reader_pass__next(p, &b, NULL) > 0) {
		struct record rec;

		for (size_t pos = 0; block__next(&b, &pos, &rec); nr++)
			;
	}
	assert_int_equal(nr, c.nr_records);
	block__exit(&b);
	reader_pass__delete(p);
	reader__close(r);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	rmdir(dir);
	strbuf__exit(&part);
}

/* Asked twice, a pipe that goes on ends where it is: without damage, for later passes, too. */
static void a_stop_ends_a_pipe(void **state)
{
	const struct reader_opts opts = { .stop = &stop };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
	struct block b = BLOCK_INIT;
	struct record_counts c;
	struct reader_pass *p;
	struct image sent;
	struct reader *r;
	char path[64];
	int fds[2];
	u64 nr = 0;

	(void)state;
	image__init(&sent, false);
	image__pipe_header(&sent);
	image__begin(&sent, RECORD_HEADER_ATTR, 0);
	image__attr(&sent, &a, 112);
	image__end(&sent);
	for (int i = 0; i < 3; i++)
		add_record(&sent.b, 60, 16, 16);
	add_record(&sent.b, 60, 16, 24); /* has not arrived */
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(file__write_all(fds[1], sent.b.buf, sent.b.len), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	stop = 0;
	assert_int_equal(reader__open_with(&r, path, &opts, NULL), 0);
	close(fds[0]);
	stop = 2;
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
	assert_true(r->stopped);
	assert_int_equal(r->damage.code, 0);
	assert_int_equal(r->evlist.evsels.nr, c.nr_records > 0);
	close(fds[1]);
	p = reader_pass__new(r);
	while (reader_pass__next(p, &b, NULL) > 0) {
		struct record rec;

		for (size_t pos = 0; block__next(&b, &pos, &rec); nr++)
			;
	}
	assert_int_equal(nr, c.nr_records);
	block__exit(&b);
	reader_pass__delete(p);
	reader__close(r);
	image__exit(&sent);
}

#ifdef HAVE_LIBZSTD
/* Add a COMPRESSED record of the bytes. */
static void add_packed(const struct strbuf *plain, size_t cut)
{
	size_t cap = ZSTD_compressBound(plain->len), n;
	char *packed = xmalloc(cap);

	n = ZSTD_compress(packed, cap, plain->buf, plain->len, 1);
	assert_true(n - cut < 65000);
	image__begin(&im, RECORD_COMPRESSED, 0);
	strbuf__add(&im.b, packed, n - cut);
	image__end(&im);
	free(packed);
}

static void compressed_nonsense_is_told(void **state)
{
	struct strbuf plain = STRBUF_INIT;

	(void)state;
	/* not of zstd */
	add_record(&im.b, 60, 16, 16);
	image__begin(&im, RECORD_COMPRESSED, 0);
	strbuf__addchars(&im.b, 'x', 40);
	image__end(&im);
	add_record(&im.b, 60, 16, 16);
	expect("the compressed record at offset 248 cannot be decompressed", 1);
	/* no records in it */
	strbuf__setlen(&im.b, DATA);
	strbuf__addchars(&plain, '\0', 64);
	add_packed(&plain, 0);
	expect("the compressed record at offset 232 does not hold records", 0);
	/* a compressed record inside of another one */
	strbuf__reset(&plain);
	strbuf__setlen(&im.b, DATA);
	add_record(&plain, RECORD_COMPRESSED, 16, 16);
	add_packed(&plain, 0);
	add_record(&im.b, 60, 16, 16); /* nothing behind it is read */
	expect("the compressed record at offset 232 does not hold records", 0);
	/* records before what is none count */
	strbuf__reset(&plain);
	strbuf__setlen(&im.b, DATA);
	add_record(&plain, 60, 16, 16);
	add_record(&plain, 60, 12, 12);
	strbuf__addchars(&plain, '\0', 64);
	add_packed(&plain, 0);
	add_record(&im.b, 60, 16, 16);
	expect("the compressed record at offset 232 does not hold records", 2);
	/* the stream ends inside of a record */
	strbuf__reset(&plain);
	strbuf__setlen(&im.b, DATA);
	add_record(&plain, 60, 16, 16);
	add_record(&plain, 60, 16, 24);
	add_packed(&plain, 0);
	expect("offset 232: the compressed stream ends inside a record", 1);
	strbuf__exit(&plain);
}

/* In a compressed record, records may have any size, and are cut anywhere. */
static void packed_records_of_any_size_begin_aligned(void **state)
{
	struct strbuf plain = STRBUF_INIT;
	u64 nr = 0;

	(void)state;
	for (size_t size = 8; size < 40; size++, nr++)
		add_record(&plain, 60, size, size);
	add_packed(&plain, 0);
	expect(NULL, nr);
	/* as two compressed records, between which there is a plain one */
	for (size_t cut = 1; cut < plain.len; cut += 7) {
		const struct strbuf first = { .buf = plain.buf, .len = cut };
		const struct strbuf second = { .buf = plain.buf + cut, .len = plain.len - cut };

		strbuf__setlen(&im.b, DATA);
		add_packed(&first, 0);
		add_record(&im.b, 60, 16, 16);
		add_packed(&second, 0);
		expect(NULL, nr + 1);
	}
	strbuf__exit(&plain);
}

/* All blocks of a compressed record have its offset; so many bytes of it were in the blocks before. */
static void blocks_say_where_they_are(void **state)
{
	struct strbuf plain = STRBUF_INIT;
	struct block b = { .unpacked = 77, .payload = 77, .segment = 77, .compressed = true };
	u64 second, auxtrace;
	struct reader_pass *p;
	struct reader *r;

	(void)state;
	for (size_t size = 9; size < 14; size++) /* each is a block */
		add_record(&plain, 60, size, size);
	add_record(&im.b, 60, 16, 16);
	add_packed(&plain, 0);
	second = im.b.len;
	add_packed(&plain, 0);
	auxtrace = im.b.len;
	image__begin(&im, RECORD_AUXTRACE, 0);
	image__u64(&im, 24);
	image__end(&im);
	strbuf__addchars(&im.b, '\xff', 24);
	add_record(&im.b, 60, 24, 24);
	image__end_data(&im);
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	p = reader_pass__new(r);
	assert_int_equal(reader_pass__next(p, &b, NULL), 1);
	assert_int_equal(b.offset, DATA);
	assert_int_equal(b.size, 16);
	assert_false(b.compressed);
	assert_int_equal(b.unpacked, 0);
	assert_int_equal(b.payload, 0);
	assert_int_equal(b.segment, 0);
	for (int i = 0; i < 2; i++) {
		u64 done = 0;

		for (size_t size = 9; size < 14; size++) {
			assert_int_equal(reader_pass__next(p, &b, NULL), 1);
			assert_true(b.compressed);
			assert_int_equal(b.offset, i ? second : DATA + 16);
			assert_int_equal(b.size, size);
			assert_int_equal(b.unpacked, done);
			assert_int_equal(b.payload, 0);
			done += size;
		}
	}
	assert_int_equal(reader_pass__next(p, &b, NULL), 1);
	assert_int_equal(b.offset, auxtrace);
	assert_int_equal(b.size, 16);
	assert_false(b.compressed);
	assert_int_equal(b.unpacked, 0);
	assert_int_equal(b.payload, 24);
	assert_int_equal(reader_pass__next(p, &b, NULL), 1);
	assert_int_equal(b.offset, auxtrace + 16 + 24);
	assert_int_equal(b.size, 24);
	assert_int_equal(b.payload, 0);
	assert_int_equal(reader_pass__next(p, &b, NULL), 0);
	reader_pass__delete(p);
	reader__close(r);
	block__exit(&b);
	strbuf__exit(&plain);
}

/* Records that take no bytes: more than 65,536 are refused, as no recorder writes them. */
static void too_many_records_are_not_unpacked(void **state)
{
	struct strbuf plain = STRBUF_INIT;
	u64 nr_read;

	(void)state;
	for (int i = 0; i < 1 << 16; i++)
		add_record(&plain, 60, 8, 8);
	add_packed(&plain, 0);
	expect(NULL, 1 << 16);
	for (int i = 0; i < 1 << 16; i++)
		add_record(&plain, 60, 8, 8);
	strbuf__setlen(&im.b, DATA);
	add_packed(&plain, 0);
	image__end_data(&im);
	{
		struct record_counts c;
		struct reader *r;

		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
		assert_non_null(strstr(r->damage.text.buf, "unpacks to more than a recorder packs"));
		assert_true(c.nr_records < 1 << 17);
		nr_read = c.nr_records;
		reader__close(r);
	}
	/* the other files of a folder are not read either */
	for (int is_second = 0; is_second < 2; is_second++) {
		char dir[] = "/tmp/perf-walk-XXXXXX", *first, *second;
		struct strbuf part = STRBUF_INIT;
		struct record_counts c;
		struct reader *r;

		add_record(&part, 60, 16, 16);
		assert_non_null(mkdtemp(dir));
		write_file(dir, "data", &im.b);
		write_file(dir, "data.0", &part);
		assert_int_equal(reader__open(&r, dir, NULL), 0);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
		assert_int_equal(c.nr_records, is_second ? 2 : nr_read);
		reader__close(r);
		first = xasprintf("%s/data", dir);
		second = xasprintf("%s/data.0", dir);
		unlink(first);
		unlink(second);
		rmdir(dir);
		free(first);
		free(second);
		strbuf__exit(&part);
		/* the same with a file that is good */
		strbuf__setlen(&im.b, DATA);
		add_record(&im.b, 60, 16, 16);
		image__end_data(&im);
	}
	strbuf__exit(&plain);
}
#endif

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(records_of_any_size_begin_aligned),
		test(damage_ends_the_stream),
		test(damage_ends_a_pipe),
		test(missing_data_of_a_record_is_told),
		test(a_stop_ends_all_files_of_a_folder),
		test(a_stop_ends_a_pipe),
#ifdef HAVE_LIBZSTD
		test(packed_records_of_any_size_begin_aligned),
		test(compressed_nonsense_is_told),
		test(blocks_say_where_they_are),
		test(too_many_records_are_not_unpacked),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
