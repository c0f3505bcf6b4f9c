/* The reader: ids of events, versions of the header, bitmaps of 32-bit recorders, bytes after records. */
#include "unit.h"

#include "image.h"
#include "format/read/features.h"
#include "format/read/reader_private.h"

#include <errno.h>
#include <stdlib.h>

/* A file of two events, with nr[i] ids each from 100 * (i + 1) on, and one COMM record. */
static void build(struct image *im, bool swap, const u64 *nr, u64 features)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
	u64 ids = 104 + 2 * (112 + 16);

	image__init(im, swap);
	image__file_header(im, 2, 112, features);
	for (int i = 0; i < 2; i++) {
		image__attr_entry(im, &a, 112, ids, 8 * nr[i]);
		ids += 8 * nr[i];
	}
	for (u64 i = 0; i < 2; i++)
		for (u64 k = 0; k < nr[i]; k++)
			image__u64(im, 100 * (i + 1) + k);
	image__put_u64(im, 40, im->b.len);
	image__comm(im, 5, "x");
	image__end_data(im);
}

static struct record_counts scan(struct reader *r)
{
	struct record_counts c;

	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
	return c;
}

static void events_have_their_ids(void **state)
{
	static const u64 numbers[][2] = { { 1, 1 }, { 0, 3 }, { 90, 0 }, { 7, 2 } };

	(void)state;
	for (size_t i = 0; i < 4 * ARRAY_SIZE(numbers); i++) {
		const u64 *nr = numbers[i / 4];
		struct reader *r;
		struct image im;

		build(&im, i & 1, nr, 0);
		if (i & 2) /* version 1, whose byte order is in the size of the header */
			image__put_u64(&im, 0, PERF_DATA_MAGIC1);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(r->is_v1, !!(i & 2));
		assert_int_equal(r->needs_swap, i & 1);
		assert_int_equal(scan(r).nr_records, 1);
		assert_int_equal(r->warnings.code, 0);
		for (u64 e = 0; e < 2; e++) {
			assert_int_equal(r->evlist.evsels.v[e]->ids.nr, nr[e]);
			for (u64 k = 0; k < nr[e]; k++)
				assert_int_equal(r->evlist.evsels.v[e]->ids.v[k], 100 * (e + 1) + k);
		}
		reader__close(r);
		image__exit(&im);
	}
}

/* Ids outside of the file: the event has none, and the reader says so; the rest is read. */
static void ids_outside_of_the_file_are_told(void **state)
{
	static const struct {
		u64 offset, size;
		u64 nr; /* ids that the event has */
	} sections[] = { { 360, 8, 1 },     { 360, 12, 1 },   { UINT64_MAX, 8, 0 }, { 8, UINT64_MAX - 8, 0 },
			 { 1 << 20, 8, 0 }, { 1 << 20, 0, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		struct reader *r;
		struct image im;

		build(&im, false, (const u64[]){ 1, 1 }, 0);
		image__put_u64(&im, 104 + 112, sections[i].offset);
		image__put_u64(&im, 104 + 120, sections[i].size);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(r->evlist.evsels.v[0]->ids.nr, sections[i].nr);
		assert_int_equal(r->evlist.evsels.v[1]->ids.nr, 1);
		if (!sections[i].nr)
			assert_non_null(strstr(r->warnings.text.buf, "the ids of event 0 are at offset"));
		assert_int_equal(scan(r).nr_records, 1);
		reader__close(r);
		image__exit(&im);
	}
}

/* A recorder of the other order wrote words of 64 bits, or of 32: HOSTNAME, which all have, tells. */
static void bitmaps_have_words_of_either_size(void **state)
{
	const u64 host = 1ull << FEATURE_HOSTNAME, other = 1ull << FEATURE_CPUDESC, high = 1ull << 36;
	const struct {
		u64 features;
		bool is_32bit;
	} cases[] = {
		{ host | other, false },       { host | other, true }, { host | other | high, false },
		{ host | other | high, true }, { other, false }, /* of a recorder that is like no other */
		{ host | host << 32, false }, /* the bit is where it would be in either case */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 features = cases[i].features;
		struct reader *r;
		struct image im;

		build(&im, true, (const u64[]){ 1, 1 },
		      cases[i].is_32bit ? features >> 32 | features << 32 : features);
		for (int k = 0; k < 2 * __builtin_popcountll(features); k++)
			image__u64(&im, 0);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(r->header.features[0], features);
		for (int k = 1; k < 4; k++)
			assert_int_equal(r->header.features[k], 0);
		reader__close(r);
		image__exit(&im);
	}
}

/* ---- bytes after a record, which its size does not count ---- */

static const struct {
	u32 type;
	u16 size;        /* of the record */
	u64 says, after; /* what its first number says, and the bytes after it */
} payloads[] = {
	{ RECORD_AUXTRACE, 48, 64, 64 },
	{ RECORD_AUXTRACE, 48, 0, 0 },
	{ RECORD_AUXTRACE, 16, 64, 64 }, /* no more than the number */
	{ RECORD_AUXTRACE, 8, 0, 0 },
	{ RECORD_HEADER_TRACING_DATA, 16, 64, 64 },
	{ RECORD_HEADER_TRACING_DATA, 16, 57, 64 }, /* padded */
	{ RECORD_HEADER_TRACING_DATA, 16, 0, 0 },
	{ RECORD_HEADER_TRACING_DATA, 16, 4, 0 }, /* inside of the record */
	{ RECORD_HEADER_TRACING_DATA, 16, 5, 8 },
	{ RECORD_HEADER_TRACING_DATA, 72, 60, 0 },
	{ RECORD_HEADER_TRACING_DATA, 8, 0, 0 },
};

static void bytes_after_records_are_skipped(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(payloads); i++) {
		bool is_auxtrace = payloads[i / 2].type == RECORD_AUXTRACE;
		u64 seen = 0, nr = 0;
		struct block b = BLOCK_INIT;
		struct reader_pass *p;
		struct reader *r;
		struct image im;
		size_t begin;

		build(&im, i & 1, (const u64[]){ 1, 1 }, 0);
		begin = im.b.len;
		image__begin(&im, payloads[i / 2].type, 0);
		if (payloads[i / 2].size > 8 && is_auxtrace)
			image__u64(&im, payloads[i / 2].says);
		else if (payloads[i / 2].size > 8)
			image__u32(&im, (u32)payloads[i / 2].says);
		strbuf__addchars(&im.b, '\0', begin + payloads[i / 2].size - im.b.len);
		image__end(&im);
		strbuf__addchars(&im.b, '\xff', payloads[i / 2].after);
		image__comm(&im, 6, "after");
		image__end_data(&im);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(scan(r).nr_records, 3);
		assert_int_equal(r->damage.code, 0);
		p = reader_pass__new(r);
		while (reader_pass__next(p, &b, NULL) > 0) {
			struct record rec;
			size_t pos = 0;

			for (; block__next(&b, &pos, &rec); nr++)
				seen += rec.payload;
		}
		assert_int_equal(nr, 3);
		assert_int_equal(seen, payloads[i / 2].after);
		reader_pass__delete(p);
		block__exit(&b);
		reader__close(r);
		image__exit(&im);
	}
}

/* Whatever is in memory after the bits. */
static void no_feature_is_beyond_the_last_bit(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct reader *r;
	struct image im;

	(void)state;
	build(&im, false, (const u64[]){ 1, 1 }, 0);
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	memset(r->feature_order, 0xff, sizeof(r->feature_order));
	for (unsigned bit = 0; bit < FEATURE_BITS + 8 * sizeof(r->feature_order); bit++)
		assert_int_equal(reader__feature(r, (enum feature)bit, &sb), -ENOENT);
	assert_int_equal(reader__feature(r, (enum feature) - 1, &sb), -ENOENT);
	assert_int_equal(sb.len, 0);
	reader__close(r);
	image__exit(&im);
	strbuf__exit(&sb);
}

/* The decoder is built again when there are more events, and only then. */
static void the_decoder_knows_all_events(void **state)
{
	const struct sample_decoder *d;
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IDENTIFIER);
	struct sample_layout *layouts;
	struct reader *r;
	struct image im;
	u16 end;

	(void)state;
	build(&im, false, (const u64[]){ 1, 1 }, 0);
	assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
	d = reader__decoder(r);
	layouts = (struct sample_layout *)d->layouts;
	end = layouts[1].fixed_end;
	assert_int_equal(end, 16);
	layouts[1].fixed_end = 1000; /* a mark */
	assert_ptr_equal(reader__decoder(r), d);
	assert_int_equal(d->layouts[1].fixed_end, 1000);
	evlist__add_id(&r->evlist, evlist__add(&r->evlist, &a, sizeof(a), "third"), 300);
	assert_ptr_equal(reader__decoder(r), d);
	assert_int_equal(d->layouts[1].fixed_end, end);
	assert_int_equal(d->layouts[2].fixed_end, end);
	reader__close(r);
	image__exit(&im);
}

/* A device is read as it comes, as a pipe is. */
static void devices_are_read(void **state)
{
	struct err err = ERR_INIT;
	struct reader *r;

	(void)state;
	assert_int_equal(reader__open(&r, "/dev/null", &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "'/dev/null' is not a perf.data file: it is empty"));
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_their_ids),
		cmocka_unit_test(ids_outside_of_the_file_are_told),
		cmocka_unit_test(bitmaps_have_words_of_either_size),
		cmocka_unit_test(bytes_after_records_are_skipped),
		cmocka_unit_test(devices_are_read),
		cmocka_unit_test(no_feature_is_beyond_the_last_bit),
		cmocka_unit_test(the_decoder_knows_all_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
