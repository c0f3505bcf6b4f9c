/* Counts and sizes that a recording claims in a few bytes cost neither memory nor time. */
#include "unit.h"

#include "format/records/abi.h"
#include "format/read/features.h"
#include "image.h"

#include <sys/resource.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
enum { MEMORY_KB = 256 << 10 }; /* freed memory stays for a while */
#else
enum { MEMORY_KB = 64 << 10 };
#endif
enum { CLAIM_SIZE = 20, SECONDS = 60 };

static long peak_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Memory that is asked for and not touched counts, too; sanitizers have too much of it. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
	struct strbuf pages = STRBUF_INIT;
	rlim_t size;

	if (file__read("/proc/self/statm", &pages, 0))
		return;
	size = strtoul(pages.buf, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)MEMORY_KB << 10);
	setrlimit(RLIMIT_AS, &(struct rlimit){ size, size });
	strbuf__exit(&pages);
#endif
}

/* A recording with one feature. */
static void build(struct image *im, unsigned feature, const u8 *bytes)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	size_t table;

	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	/* without records it would be a killed recorder's, which has no features */
	image__comm(im, 1, "comm");
	image__end_data(im);
	image__put_u64(im, 72 + feature / 64 * 8, 1ull << feature % 64);
	table = im->b.len;
	image__u64(im, table + 16);
	image__u64(im, CLAIM_SIZE);
	strbuf__add(&im->b, bytes, CLAIM_SIZE);
}

static void show(const struct image *im)
{
	struct strbuf text = STRBUF_INIT;
	struct build_id_table ids = { .data = STRBUF_INIT };
	struct reader *r;

	if (image__open(im->b.buf, im->b.len, &r, NULL))
		return;
	features__print(r, true, &text);
	features__build_ids(r, &ids);
	build_id_table__exit(&ids);
	strbuf__exit(&text);
	reader__close(r);
}

static void features_are_believed_as_far_as_they_go(void **state)
{
	static const u8 fills[] = { 0xff, 0x7f, 0x10, 0x00 };
	long before;

	(void)state;
	before = peak_kb();
	for (unsigned feature = 1; feature < FEATURE_BITS; feature++)
		for (size_t i = 0; i < ARRAY_SIZE(fills); i++)
			for (int nr_ones = 0; nr_ones < 3; nr_ones++) {
				u8 bytes[CLAIM_SIZE];
				struct image im;

				/* So many versions or counts of 1 in front. */
				memset(bytes, fills[i], sizeof(bytes));
				for (u32 k = 0, one = 1; k < (u32)nr_ones; k++)
					memcpy(bytes + 4 * k, &one, sizeof(one));
				build(&im, feature, bytes);
				show(&im);
				image__exit(&im);
			}
	assert_true(peak_kb() - before < MEMORY_KB);
}

/* In the header: attrs, ids, data and features that are anywhere. */
static void header_is_believed_as_far_as_it_goes(void **state)
{
	static const u64 claims[] = { UINT64_MAX, INT64_MAX, 1ull << 40, UINT32_MAX, 1 << 30 };
	long before = peak_kb();

	(void)state;
	for (size_t at = 8; at < 104 + 128; at += 8)
		for (size_t i = 0; i < ARRAY_SIZE(claims); i++) {
			u8 bytes[CLAIM_SIZE] = { 0 };
			struct image im;

			build(&im, FEATURE_CMDLINE, bytes);
			image__put_u64(&im, at, claims[i]);
			show(&im);
			image__exit(&im);
		}
	assert_true(peak_kb() - before < MEMORY_KB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(features_are_believed_as_far_as_they_go),
		cmocka_unit_test(header_is_believed_as_far_as_it_goes),
	};

	alarm(SECONDS);
	limit_memory();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
