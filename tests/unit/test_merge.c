/* merge: of recordings built byte by byte, the sums and stacks of the merged one; in any order. */
#include "unit.h"

#include "image.h"
#include "format/read/features.h"
#include "format/read/merged_inputs.h"
#include "merge/merge.h"

#include <errno.h>
#include <stdlib.h>

#define SAMPLE_TYPE                                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN)

enum { CPU_CLOCK_ID = 5, FAULTS_ID = 6, ID_SIZE = 32 };

/* A binary without a file; its code is mapped at start + where. */
#define LIBRARY "/nowhere/libx.so"
#define PROGRAM "/nowhere/prog"
#define STACK 0x7ffd00000000ull

struct recording {
	u64 base; /* where the binaries are in memory: another place in each run */
	u32 pid;
	const char *host, *arch;
	bool has_faults; /* the second event */
	/*
	 * "EVENT PERIOD LEAF CALLER...": offsets in the program, in the library with l, in the stack with s,
	 * in no map with u
	 */
	const char *const *samples;
	bool swap; /* in the other byte order */
};

static void add_trailer(struct image *im, u32 pid)
{
	image__u32(im, pid);
	image__u32(im, pid);
	image__u64(im, 50);
	image__u64(im, CPU_CLOCK_ID);
}

static void add_map(struct image *im, u32 pid, u64 start, u32 prot, const char *name)
{
	image__begin(im, PERF_RECORD_MMAP2, 2);
	image__u32(im, pid);
	image__u32(im, pid);
	image__u64(im, start);
	image__u64(im, 0x10000);
	image__u64(im, 0x1000); /* pgoff */
	image__u64(im, 0);
	image__u64(im, 0);
	image__u64(im, 0);
	image__u32(im, prot);
	image__u32(im, 2);
	image__str(im, name, ROUND_UP(strlen(name) + 1, 8));
	add_trailer(im, pid);
	image__end(im);
}

static u64 address(const struct recording *r, const char *text)
{
	u64 offset = strtoull(text + (*text == 'l'), NULL, 16);

	if (*text == 's')
		return STACK + strtoull(text + 1, NULL, 16);
	if (*text == 'u')
		return strtoull(text + 1, NULL, 16);
	return r->base + (*text == 'l' ? 0x100000 : 0) + offset;
}

static void add_sample(struct image *im, const struct recording *r, const char *text, u64 time)
{
	char words[8][16];
	const int nr =
		sscanf(text, "%15s %15s %15s %15s %15s", words[0], words[1], words[2], words[3], words[4]);

	image__begin(im, PERF_RECORD_SAMPLE, 2);
	image__u64(im, !strcmp(words[0], "faults") ? FAULTS_ID : CPU_CLOCK_ID);
	image__u64(im, address(r, words[2]));
	image__u32(im, r->pid);
	image__u32(im, r->pid);
	image__u64(im, time);
	image__u64(im, strtoull(words[1], NULL, 10));
	image__u64(im, (u64)nr - 1);
	image__u64(im, PERF_CONTEXT_USER);
	for (int i = 2; i < nr; i++)
		image__u64(im, address(r, words[i]) + (i > 2)); /* of callers: the address after the call */
	image__end(im);
}

static void build(struct image *im, const struct recording *r)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);
	size_t nr = r->has_faults ? 2 : 1, table, host, arch, desc;

	a.sample_id_all = 1;
	image__init(im, r->swap);
	image__file_header(im, nr, 112,
			   1ull << FEATURE_HOSTNAME | 1ull << FEATURE_ARCH | 1ull << FEATURE_EVENT_DESC);
	image__attr_entry(im, &a, 112, 104 + nr * 128, 8);
	if (r->has_faults) {
		a.config = PERF_COUNT_SW_PAGE_FAULTS;
		image__attr_entry(im, &a, 112, 104 + nr * 128 + 8, 8);
	}
	image__u64(im, CPU_CLOCK_ID);
	if (r->has_faults)
		image__u64(im, FAULTS_ID);
	image__put_u64(im, 40, im->b.len);
	image__begin(im, PERF_RECORD_COMM, 0);
	image__u32(im, r->pid);
	image__u32(im, r->pid);
	image__str(im, "prog", 8);
	add_trailer(im, r->pid);
	image__end(im);
	add_map(im, r->pid, r->base + 0x1000, 5, PROGRAM);
	add_map(im, r->pid, r->base + 0x101000, 5, LIBRARY);
	add_map(im, r->pid, STACK, 3, "[stack]");
	for (size_t i = 0; r->samples[i]; i++)
		add_sample(im, r, r->samples[i], 1000 + 10 * i);
	image__end_data(im);
	table = im->b.len;
	for (int i = 0; i < 6; i++)
		image__u64(im, 0);
	host = im->b.len;
	image__feature_str(im, r->host);
	arch = im->b.len;
	image__feature_str(im, r->arch);
	desc = im->b.len;
	image__u32(im, (u32)nr);
	image__u32(im, 112);
	for (size_t i = 0; i < nr; i++) {
		a.config = i ? PERF_COUNT_SW_PAGE_FAULTS : 0;
		image__attr(im, &a, 112);
		image__u32(im, 1);
		image__feature_str(im, i ? "page-faults" : "cpu-clock");
		image__u64(im, i ? FAULTS_ID : CPU_CLOCK_ID);
	}
	image__put_u64(im, table, host);
	image__put_u64(im, table + 8, arch - host);
	image__put_u64(im, table + 16, arch);
	image__put_u64(im, table + 24, desc - arch);
	image__put_u64(im, table + 32, desc);
	image__put_u64(im, table + 40, im->b.len - desc);
}

/* ---- merging ---- */

static const struct merge_opts opts = { .nr_threads = 1 };
static char output[] = "/tmp/test_merge.XXXXXX";

static int setup(void **state)
{
	int fd;

	(void)state;
	strcpy(output + strlen(output) - 6, "XXXXXX");
	fd = mkstemp(output);
	close(fd);
	return fd < 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(output);
	return 0;
}

static int add(struct merge *m, const struct recording *r, struct err *err)
{
	struct image im;
	char path[64];
	int fd, ret;

	build(&im, r);
	image__path(im.b.buf, im.b.len, &fd, path);
	ret = merge__add(m, path, err);
	close(fd);
	image__exit(&im);
	return ret;
}

/* Write what m has to file, and delete m. */
static struct merge_totals finish(struct merge *m, struct strbuf *file)
{
	struct merge_totals t;

	assert_int_equal(merge__write(m, output, &t, NULL), 0);
	merge__delete(m);
	strbuf__reset(file);
	assert_int_equal(file__read(output, file, 0), 0);
	return t;
}

static struct merge_totals merge_these(const struct recording *const *r, size_t nr, struct strbuf *file)
{
	struct merge *m = merge__new(&opts);

	for (size_t i = 0; i < nr; i++)
		assert_int_equal(add(m, r[i], NULL), 0);
	return finish(m, file);
}

/* Where the merged recording maps the file of an address; " NAME+OFFSET" of the file. */
struct maps {
	struct {
		u32 pid;
		u64 start, len, pgoff;
		char name[64];
	} v[8];
	size_t nr;
};

static void add_place(struct strbuf *out, const struct maps *maps, u32 pid, u64 addr)
{
	for (size_t i = 0; i < maps->nr; i++) {
		if (maps->v[i].pid != pid || addr - maps->v[i].start >= maps->v[i].len)
			continue;
		strbuf__addf(out, " %s+%llx", strrchr(maps->v[i].name, '/') + 1,
			     (unsigned long long)(addr - maps->v[i].start + maps->v[i].pgoff));
		return;
	}
	strbuf__addf(out, " %llx", (unsigned long long)addr);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Compare the samples of a merged file, sorted, a line for each: "EVENT xNUMBER PERIOD LEAF: FRAME..." */
static void expect_samples(const struct strbuf *file, const char *const *want)
{
	struct maps maps = { .nr = 0 };
	struct sample_decoder d;
	struct reader_pass *p;
	struct block b = BLOCK_INIT;
	struct reader *r;
	ARRAY(char *) lines = { 0 };
	size_t i = 0;

	assert_int_equal(image__open(file->buf, file->len, &r, NULL), 0);
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &(struct record_counts){ 0 }, NULL),
			 0);
	sample_decoder__init(&d, &r->evlist);
	p = reader_pass__new(r);
	while (reader_pass__next(p, &b, NULL) > 0) {
		struct record rec;
		size_t pos = 0;

		while (block__next(&b, &pos, &rec)) {
			struct strbuf line = STRBUF_INIT;
			struct mmap_record m;
			struct sample s;

			if (record__mmap(&rec, &m) && maps.nr < ARRAY_SIZE(maps.v)) {
				maps.v[maps.nr].pid = m.pid;
				maps.v[maps.nr].start = m.start;
				maps.v[maps.nr].len = m.len;
				maps.v[maps.nr].pgoff = m.pgoff;
				snprintf(maps.v[maps.nr++].name, sizeof(maps.v[0].name), "%s", m.filename);
			}
			if (rec.header->type != PERF_RECORD_SAMPLE)
				continue;
			assert_int_equal(sample__decode(&d, &rec, &s), 0);
			assert_int_equal(s.cpumode, PERF_RECORD_MISC_USER);
			strbuf__addf(&line, "%s x%llu %llu", s.evsel->name, (unsigned long long)s.weight,
				     (unsigned long long)s.period);
			add_place(&line, &maps, s.pid, s.ip);
			strbuf__addch(&line, ':');
			for (u64 k = 0; k < s.nr_callchain; k++) {
				if (!k)
					assert_int_equal(s.callchain[k], PERF_CONTEXT_USER);
				else
					add_place(&line, &maps, s.pid, s.callchain[k]);
			}
			array__add(&lines, strbuf__detach(&line));
		}
	}
	qsort(lines.v, lines.nr, sizeof(*lines.v), compare_lines);
	for (; i < lines.nr && want[i]; i++) {
		assert_string_equal(lines.v[i], want[i]);
		free(lines.v[i]);
	}
	assert_int_equal(i, lines.nr);
	assert_null(want[i]);
	array__exit(&lines);
	reader_pass__delete(p);
	block__exit(&b);
	sample_decoder__exit(&d);
	reader__close(r);
}

static const char *const samples_a[] = { "clock 100 2000 3000", "clock 10 2000 3000", "clock 7 2001 3000",
					 "clock 3 l4000 2000", NULL },
			 *const samples_b[] = { "clock 1000 2000 3000", "clock 5 2000 3100",
						"clock 2 l4000 2000 3000", NULL },
			 *const samples_c[] = { "clock 1 l4000 2000", "clock 6 2000 u123000 u124000", NULL },
			 *const samples_f[] = { "clock 4 2000", "faults 9 2000", "faults 1 2000", NULL },
			 *const none[] = { NULL };

/* in none of their binaries a function is known */
static const struct recording a = { 0x10000000, 100, "one", "x86_64", false, samples_a, false },
			      b = { 0x7f0000000000, 200, "two", "x86_64", false, samples_b, false },
			      c = { 0x20000000, 300, "one", "x86_64", false, samples_c, false };

/* The same stack of several runs is one sample, wherever the binaries were. */
static void equal_stacks_are_added_up(void **state)
{
	const struct recording *const all[] = { &a, &b, &c };
	static const char *const want[] = {
		"cpu-clock x1 2 libx.so+4000: libx.so+4000 prog+2001 prog+3001",
		"cpu-clock x1 5 prog+2000: prog+2000 prog+3101",
		"cpu-clock x1 6 prog+2000: prog+2000 123001 124001",
		"cpu-clock x1 7 prog+2001: prog+2001 prog+3001",
		"cpu-clock x2 4 libx.so+4000: libx.so+4000 prog+2001",
		"cpu-clock x3 1110 prog+2000: prog+2000 prog+3001",
		NULL,
	};
	struct strbuf file = STRBUF_INIT;
	struct merge_totals t = merge_these(all, 3, &file);

	(void)state;
	assert_int_equal(t.nr_inputs, 3);
	assert_int_equal(t.nr_samples, 9);
	assert_int_equal(t.nr_stacks, 6);
	expect_samples(&file, want);
	strbuf__exit(&file);
}

/* All orders, and merging merged ones, give the same bytes. */
static void order_and_steps_do_not_matter(void **state)
{
	const struct recording *const orders[][3] = { { &a, &b, &c }, { &a, &c, &b }, { &b, &a, &c },
						      { &b, &c, &a }, { &c, &a, &b }, { &c, &b, &a } };
	struct strbuf first = STRBUF_INIT, other = STRBUF_INIT, part = STRBUF_INIT;
	struct merge_totals t;
	struct merge *m;
	char path[64];
	int fd;

	(void)state;
	merge_these(orders[0], 3, &first);
	for (size_t i = 1; i < ARRAY_SIZE(orders); i++) {
		merge_these(orders[i], 3, &other);
		assert_int_equal(other.len, first.len);
		assert_memory_equal(other.buf, first.buf, first.len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		merge_these(orders[i], 2, &part);
		m = merge__new(&opts);
		image__path(part.buf, part.len, &fd, path);
		assert_int_equal(merge__add(m, path, NULL), 0);
		close(fd);
		assert_int_equal(add(m, orders[i][2], NULL), 0);
		t = finish(m, &other);
		assert_int_equal(t.nr_inputs, 3);
		assert_int_equal(t.nr_samples, 9);
		assert_int_equal(other.len, first.len);
		assert_memory_equal(other.buf, first.buf, first.len);
	}
	strbuf__exit(&first);
	strbuf__exit(&other);
	strbuf__exit(&part);
}

static void events_are_apart(void **state)
{
	const struct recording f = { 0x10000000, 100, "one", "x86_64", true, samples_f, false };
	const struct recording *const all[] = { &f, &f };
	static const char *const want[] = { "cpu-clock x2 8 prog+2000: prog+2000",
					    "page-faults x4 20 prog+2000: prog+2000", NULL };
	struct strbuf file = STRBUF_INIT;

	(void)state;
	merge_these(all, 2, &file);
	expect_samples(&file, want);
	strbuf__exit(&file);
}

/* Addresses of data have no binary: they stay what they are. */
static void data_is_no_code(void **state)
{
	static const char *const samples[] = { "clock 4 s2000 3000", "clock 5 2000 s3000", NULL };
	const struct recording r = { 0x10000000, 100, "one", "x86_64", false, samples, false },
			       moved = { 0x30000000, 200, "one", "x86_64", false, samples, false };
	const struct recording *const all[] = { &r, &moved };
	static const char *const want[] = {
		"cpu-clock x2 10 prog+2000: prog+2000 7ffd00003001",
		"cpu-clock x2 8 7ffd00002000: 7ffd00002000 prog+3001",
		NULL,
	};
	struct strbuf file = STRBUF_INIT;

	(void)state;
	merge_these(all, 2, &file);
	expect_samples(&file, want);
	strbuf__exit(&file);
}

/* Samples of the other byte order add up; what the header says in it is left out. */
static void byte_orders_do_not_matter(void **state)
{
	const struct recording swapped = { 0x10000000, 100, "one", "x86_64", false, samples_a, true };
	const struct recording *const both[] = { &a, &swapped }, *const alone[] = { &swapped };
	static const char *const want[] = { "cpu-clock x2 14 prog+2001: prog+2001 prog+3001",
					    "cpu-clock x2 6 libx.so+4000: libx.so+4000 prog+2001",
					    "cpu-clock x4 220 prog+2000: prog+2000 prog+3001", NULL };
	struct strbuf file = STRBUF_INIT, data = STRBUF_INIT;
	struct reader *r;

	(void)state;
	merge_these(both, 2, &file);
	expect_samples(&file, want);
	merge_these(alone, 1, &file);
	assert_int_equal(image__open(file.buf, file.len, &r, NULL), 0);
	for (enum feature f = FEATURE_HOSTNAME; f <= FEATURE_ARCH; f++)
		assert_int_equal(reader__feature(r, f, &data), -ENOENT);
	reader__close(r);
	strbuf__exit(&file);
	strbuf__exit(&data);
}

/* Files that cannot be read say why, and are not taken for recordings that are not like the others. */
static void what_is_no_recording_is_refused(void **state)
{
	struct merge *m = merge__new(&opts);
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(merge__add(m, "/nonexistent/file", &err), -ENOENT);
	err__exit(&err);
	err = (struct err)ERR_INIT;
	assert_int_equal(truncate(output, 3000), 0);
	assert_int_equal(merge__add(m, output, &err), -EBADMSG);
	assert_non_null(strstr(err.text.buf, output));
	err__exit(&err);
	merge__delete(m);
}

/* What is refused, and why; nothing of it is added. */
static void other_events_and_machines_are_refused(void **state)
{
	const struct recording more = { 0x10000000, 100, "one", "x86_64", true, samples_f, false };
	const struct recording arm = { 0x10000000, 100, "one", "aarch64", false, samples_a, false };
	const struct recording empty = { 0x10000000, 100, "one", "x86_64", false, none, false };
	const struct {
		const struct recording *first, *second;
		int ret;
		const char *text;
	} cases[] = { { &a, &more, -EINVAL, "has the event page-faults" },
		      { &more, &a, -EINVAL, "has 1 events; the recordings before have 2" },
		      { &a, &arm, -EINVAL, "of another architecture: aarch64, not x86_64" },
		      { &a, &empty, -ENODATA, "has no samples" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct merge *m = merge__new(&opts);
		struct err err = ERR_INIT;
		struct strbuf alone = STRBUF_INIT, file = STRBUF_INIT;

		assert_int_equal(add(m, cases[i].first, NULL), 0);
		assert_int_equal(add(m, cases[i].second, &err), cases[i].ret);
		assert_non_null(strstr(err.text.buf, cases[i].text));
		assert_int_equal(finish(m, &file).nr_inputs, 1);
		merge_these(&cases[i].first, 1, &alone);
		assert_int_equal(file.len, alone.len);
		assert_memory_equal(file.buf, alone.buf, alone.len);
		err__exit(&err);
		strbuf__exit(&alone);
		strbuf__exit(&file);
	}
}

/* The header keeps what all inputs agree in; where texts differ, there are several. */
static void header_has_what_inputs_agree_in(void **state)
{
	const struct recording *const same[] = { &a, &c }, *const different[] = { &a, &b };
	struct strbuf file = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct merged_inputs inputs;
		struct reader *r;
		char *text;

		merge_these(i ? different : same, 2, &file);
		assert_int_equal(image__open(file.buf, file.len, &r, NULL), 0);
		assert_int_equal(features__string(r, FEATURE_HOSTNAME, &text), 0);
		assert_string_equal(text, i ? "several" : "one");
		free(text);
		assert_int_equal(features__string(r, FEATURE_ARCH, &text), 0);
		assert_string_equal(text, "x86_64");
		free(text);
		assert_int_equal(merged_inputs__read(&inputs, r), 0);
		assert_int_equal(inputs.lines.nr, 2);
		/* sums of the times from the first sample to the last */
		assert_int_equal(inputs.duration, 30 + (i ? 20 : 10));
		merged_inputs__exit(&inputs);
		reader__close(r);
	}
	strbuf__exit(&file);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(equal_stacks_are_added_up),
		test(order_and_steps_do_not_matter),
		test(events_are_apart),
		test(data_is_no_code),
		test(byte_orders_do_not_matter),
		test(what_is_no_recording_is_refused),
		test(other_events_and_machines_are_refused),
		test(header_has_what_inputs_agree_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
