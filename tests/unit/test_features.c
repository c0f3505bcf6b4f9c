/*
 * Header features: the text that stock perf 6.1 prints for the same bytes (seen with --header-only -I), and
 * what is said of damaged ones.
 */
#include "unit.h"

#include "image.h"
#include "format/read/features.h"

#include <errno.h>
#include <stdlib.h>

struct section {
	enum feature bit;
	size_t start, size;
};

static struct section sections[64];
static size_t nr_sections;

static void begin(struct image *im, enum feature bit)
{
	sections[nr_sections] = (struct section){ .bit = bit, .start = im->b.len };
}

static void end(struct image *im)
{
	sections[nr_sections].size = im->b.len - sections[nr_sections].start;
	nr_sections++;
}

static void add_string(struct image *im, enum feature bit, const char *s)
{
	begin(im, bit);
	image__feature_str(im, s);
	end(im);
}

static void u32s(struct image *im, size_t nr, const u32 *v)
{
	for (size_t i = 0; i < nr; i++)
		image__u32(im, v[i]);
}
#define U32S(im, ...) u32s(im, sizeof((u32[]){ __VA_ARGS__ }) / 4, (u32[]){ __VA_ARGS__ })

static void add_topology(struct image *im)
{
	begin(im, FEATURE_CPU_TOPOLOGY);
	image__u32(im, 1);
	image__feature_str(im, "0-1");
	image__u32(im, 2);
	image__feature_str(im, "0");
	image__feature_str(im, "1");
	U32S(im, 5, 0, 6, 0xffffffff);
	image__u32(im, 1);
	image__feature_str(im, "0-1");
	U32S(im, 0, 0);
	end(im);
	begin(im, FEATURE_NUMA_TOPOLOGY);
	image__u32(im, 1);
	image__u32(im, 3);
	image__u64(im, 100);
	image__u64(im, 50);
	image__feature_str(im, "0-1");
	end(im);
}

static void add_events(struct image *im)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);

	a.precise_ip = 2;
	begin(im, FEATURE_EVENT_DESC);
	image__u32(im, 2);
	image__u32(im, 112);
	for (int i = 0; i < 2; i++) {
		image__attr(im, &a, 112);
		image__u32(im, i ? 2 : 0);
		image__feature_str(im, i ? "b\x01" : "a");
		for (int j = 0; i && j < 2; j++)
			image__u64(im, 9 + (u64)j);
	}
	end(im);
}

static void add_more(struct image *im)
{
	begin(im, FEATURE_BRANCH_STACK);
	end(im);
	begin(im, FEATURE_PMU_MAPPINGS);
	image__u32(im, 2);
	image__u32(im, 1);
	image__feature_str(im, "software");
	image__u32(im, 4);
	image__feature_str(im, "cpu");
	end(im);
	begin(im, FEATURE_GROUP_DESC);
	image__u32(im, 1);
	image__feature_str(im, "{anon_group}");
	U32S(im, 0, 2);
	end(im);
	begin(im, FEATURE_CACHE);
	U32S(im, 1, 1, 1, 64, 64, 8);
	image__feature_str(im, "Data");
	image__feature_str(im, "32K");
	image__feature_str(im, "0-1");
	end(im);
	begin(im, FEATURE_SAMPLE_TIME);
	image__u64(im, 1234567891234567);
	image__u64(im, 1234567892244999);
	end(im);
	begin(im, FEATURE_MEM_TOPOLOGY);
	image__u64(im, 1);
	image__u64(im, 0x8000000);
	image__u64(im, 1);
	image__u64(im, 0);
	image__u64(im, 1);
	image__u64(im, 70);
	image__u64(im, UINT64_MAX);
	image__u64(im, 0x15);
	end(im);
	begin(im, FEATURE_COMPRESSED);
	U32S(im, 1, 1, 3, 17, 4096);
	end(im);
	begin(im, FEATURE_CLOCK_DATA);
	U32S(im, 1, 1);
	image__u64(im, 1711586729335160999);
	image__u64(im, 12799249383892);
	end(im);
	begin(im, FEATURE_PMU_CAPS);
	image__u32(im, 1);
	image__u32(im, 2);
	for (int i = 0; i < 4; i++)
		image__feature_str(im, &"n\0v\0m\0w"[2 * i]);
	image__feature_str(im, "cpu");
	end(im);
	begin(im, FEATURE_CPU_DOMAIN_INFO);
	U32S(im, 17, 1, 0, 1, 0);
	image__feature_str(im, "SM\tT");
	image__feature_str(im, "00000003");
	image__feature_str(im, "0-1");
	end(im);
	begin(im, FEATURE_CLN_SIZE);
	image__u32(im, 64);
	end(im);
}

static void build(struct image *im, bool swap)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	size_t table;
	u64 bits = 0;

	nr_sections = 0;
	image__init(im, swap);
	image__file_header(im, 2, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	image__comm(im, 1, "x");
	image__end_data(im);
	table = im->b.len;
	for (int i = 0; i < 2 * 18; i++) /* room for the table */
		image__u64(im, 0);
	add_string(im, FEATURE_HOSTNAME, "so\tmewhere");
	add_string(im, FEATURE_ARCH, "x86_64");
	begin(im, FEATURE_NRCPUS);
	U32S(im, 2, 1);
	end(im);
	begin(im, FEATURE_CMDLINE);
	image__u32(im, 2);
	image__feature_str(im, "it's");
	image__feature_str(im, "a b");
	end(im);
	add_events(im);
	add_topology(im);
	add_more(im);
	assert_true(nr_sections == 18);
	for (size_t i = 0; i < nr_sections; i++) {
		bits |= 1ull << sections[i].bit;
		image__put_u64(im, table + 16 * i, sections[i].start);
		image__put_u64(im, table + 16 * i + 8, sections[i].size);
	}
	image__put_u64(im, 72, bits);
}

static const char expected[] =
	"# data offset    : 360\n"
	"# data size      : 24\n"
	"# feat offset    : 384\n"
	"# hostname : so?mewhere\n"
	"# arch : x86_64\n"
	"# nrcpus online : 1\n"
	"# nrcpus avail : 2\n"
	"# cmdline : it\\'s a b \n"
	"# event : name = a, , type = 1, size = 112, { sample_period, sample_freq } = 4000, sample_type = "
	"IP|TID, precise_ip = 2, exclude_guest = 1\n"
	"# event : name = b?, , id = { 9, 10 }, type = 1, size = 112, { sample_period, sample_freq } = 4000, "
	"sample_type = IP|TID, precise_ip = 2, exclude_guest = 1\n"
	"# sibling sockets : 0-1\n"
	"# sibling dies    : 0-1\n"
	"# sibling threads : 0\n"
	"# sibling threads : 1\n"
	"# CPU 0: Core ID 5, Die ID 0, Socket ID 0\n"
	"# CPU 1: Core ID 6, Die ID 0, Socket ID -1\n"
	"# node3 meminfo  : total = 100 kB, free = 50 kB\n"
	"# node3 cpu list : 0-1\n"
	"# contains samples with branch stack\n"
	"# pmu mappings: software = 1, cpu = 4\n"
	"# group: {a,b?}\n"
	"# CPU cache info:\n"
	"#  L1 Data                 32K [0-1]\n"
	"# time of first sample : 1234567.891234\n"
	"# time of last sample : 1234567.892244\n"
	"# sample duration :      1.010 ms\n"
	"# memory nodes (nr 1, block size 0x8000000):\n"
	"#    0 [8G]: 0-64,66,68\n"
	"# compressed : Zstd, level = 3, ratio = 17\n"
	"# clockid: monotonic (1)\n"
	"# reference time: 2024-03-28 00:45:29.335160 = 1711586729.335160 (TOD) = 12799.249383892 "
	"(monotonic)\n"
	"# cpu pmu capabilities: n=v, m=w\n"
	"# schedstat version\t: 17\n"
	"# Maximum sched domains\t: 1\n"
	"# cpu\t\t: 0\n"
	"# nr_domains\t: 1\n"
	"# Domain\t\t: 0\n"
	"# Domain name      : SM?T\n"
	"# Domain cpu map   : 00000003\n"
	"# Domain cpu list  : 0-1\n"
	"# cacheline size: 64\n"
	"# missing features: TRACING_DATA BUILD_ID OSRELEASE VERSION CPUDESC CPUID TOTAL_MEM AUXTRACE STAT "
	"CLOCKID DIR_FORMAT BPF_PROG_INFO BPF_BTF CPU_PMU_CAPS HYBRID_TOPOLOGY E_MACHINE \n"
	"# ========\n"
	"#\n";

static void prints_as_stock(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	for (int swap = 0; swap < 2; swap++) {
		struct strbuf out = STRBUF_INIT;
		struct image im;
		struct reader *r;
		u64 first, last;

		build(&im, swap);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		features__print(r, true, &out);
		assert_memory_equal(out.buf, "# ========\n# captured on    : ", 30);
		assert_non_null(strstr(out.buf, "\n# header version : 1\n"));
		assert_string_equal(strstr(out.buf, "# data offset"), expected);
		strbuf__reset(&out);
		features__print(r, false, &out);
		assert_non_null(strstr(out.buf, "\n# CPU_TOPOLOGY info available, use -I to display\n"));
		assert_null(strstr(out.buf, "sibling"));
		assert_int_equal(features__sample_time(r, &first, &last), 0);
		assert_int_equal(last, 1234567892244999);
		strbuf__exit(&out);
		reader__close(r);
		image__exit(&im);
	}
}

/* Each section cut to every size: text or a line that says it is damaged; never a byte beyond the section. */
static void survives_cut_sections(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct image im;
	size_t table;

	(void)state;
	build(&im, false);
	table = 104 + 2 * 128 + 24;
	for (size_t i = 0; i < nr_sections; i++) {
		for (size_t size = 0; size < sections[i].size; size++) {
			struct reader *r;

			image__put_u64(&im, table + 16 * i + 8, size);
			assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
			strbuf__reset(&out);
			features__print(r, true, &out);
			if (size < 4)
				assert_non_null(strstr(out.buf, " cannot be read: it "));
			reader__close(r);
		}
		image__put_u64(&im, table + 16 * i + 8, sections[i].size);
	}
	strbuf__exit(&out);
	image__exit(&im);
}

static void add_build_id(struct image *im, u32 type, u16 misc, const char *id, u8 size, const char *name)
{
	image__begin(im, type, misc);
	image__u32(im, UINT32_MAX);
	image__str(im, id, 20);
	image__u8(im, size);
	image__str(im, "", 3);
	image__str(im, name, ROUND_UP(strlen(name) + 1, 4));
	image__end(im);
}

static void reads_build_ids(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
		struct build_id_table t;
		struct image im;
		struct reader *r;
		size_t start;

		image__init(&im, swap);
		image__file_header(&im, 1, 112, 1ull << FEATURE_BUILD_ID | 1ull << FEATURE_HOSTNAME);
		image__attr_entry(&im, &a, 112, 0, 0);
		image__comm(&im, 1, "x");
		image__end_data(&im);
		start = im.b.len;
		for (int i = 0; i < 4; i++)
			image__u64(&im, 0);
		image__put_u64(&im, start, im.b.len);
		add_build_id(&im, 0, 1, "12345678901234567890", 0, "[kernel.kallsyms]");
		add_build_id(&im, 0, 2, "short", 0, "/bin/a");
		add_build_id(&im, 0, 2 | MISC_BUILD_ID_SIZE, "12345678", 8, "/bin/b");
		image__put_u64(&im, start + 8, im.b.len - (start + 32));
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(features__build_ids(r, &t), 0);
		assert_int_equal(t.entries.nr, 3);
		assert_int_equal(t.entries.v[0].id.size, 20);
		assert_int_equal(t.entries.v[0].cpumode, 1);
		assert_string_equal(t.entries.v[0].filename, "[kernel.kallsyms]");
		assert_int_equal(t.entries.v[1].id.size, 5);
		assert_int_equal(t.entries.v[2].id.size, 8);
		assert_memory_equal(t.entries.v[2].id.data, "12345678", 8);
		assert_string_equal(t.entries.v[2].filename, "/bin/b");
		build_id_table__exit(&t);
		reader__close(r);
		image__exit(&im);
	}
}

/* A size that is not stored is a usual one if one or two zeroes at the end make it so. */
static void zeroes_at_the_end_belong_to_an_id(void **state)
{
	static const struct {
		u8 used, stored, want;
	} ids[] = { { 20, 0, 20 }, { 19, 0, 20 },  { 18, 0, 20 }, { 17, 0, 17 }, { 15, 0, 16 },
		    { 14, 0, 16 }, { 13, 0, 13 },  { 7, 0, 8 },   { 6, 0, 8 },   { 5, 0, 5 },
		    { 0, 0, 0 },   { 19, 19, 19 }, { 7, 20, 20 } };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		struct record_counts counts;
		struct build_id_table t;
		char id[21] = "";
		struct reader *r;
		struct image im;

		memset(id, 'x', ids[i].used);
		image__init(&im, false);
		image__file_header(&im, 1, 112, 0);
		image__attr_entry(&im, &a, 112, 0, 0);
		add_build_id(&im, RECORD_HEADER_BUILD_ID, (u16)(2 | (ids[i].stored ? MISC_BUILD_ID_SIZE : 0)),
			     id, ids[i].stored, "/bin/a");
		image__end_data(&im);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
		assert_int_equal(features__build_ids(r, &t), 0);
		assert_int_equal(t.entries.nr, 1);
		assert_int_equal(t.entries.v[0].id.size, ids[i].want);
		build_id_table__exit(&t);
		reader__close(r);
		image__exit(&im);
	}
}

/* The build-ids that a file has among its records add to those of the feature, or stand for it. */
static void reads_build_ids_of_records(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
		struct record_counts counts;
		struct build_id_table t;
		struct image im;
		struct reader *r;

		image__init(&im, swap);
		image__file_header(&im, 1, 112, 0);
		image__attr_entry(&im, &a, 112, 0, 0);
		add_build_id(&im, RECORD_HEADER_BUILD_ID, 1 | MISC_BUILD_ID_SIZE, "12345678", 8,
			     "[kernel.kallsyms]");
		image__end_data(&im);
		assert_int_equal(image__open(im.b.buf, im.b.len, &r, NULL), 0);
		assert_int_equal(features__build_ids(r, &t), -ENOENT);
		build_id_table__exit(&t);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &counts, NULL), 0);
		assert_int_equal(features__build_ids(r, &t), 0);
		assert_int_equal(t.entries.nr, 1);
		assert_int_equal(t.entries.v[0].cpumode, 1);
		assert_int_equal(t.entries.v[0].id.size, 8);
		assert_string_equal(t.entries.v[0].filename, "[kernel.kallsyms]");
		assert_false(r->features_set[0] >> FEATURE_BUILD_ID & 1);
		build_id_table__exit(&t);
		reader__close(r);
		image__exit(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_as_stock),
		cmocka_unit_test(survives_cut_sections),
		cmocka_unit_test(reads_build_ids),
		cmocka_unit_test(zeroes_at_the_end_belong_to_an_id),
		cmocka_unit_test(reads_build_ids_of_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
