/* Names of kernels in a merged recording: only those that merge writes are kernels; others are modules. */
#include "unit.h"

#include "image.h"
#include "merge/merge.h"

#include <fcntl.h>
#include <stdlib.h>

enum { PID = 40, PERIOD = 1000 };
static const u64 module_start = 0xffffffffc0000000ull;

static void write_recording(const char *path, const char *name)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct image im;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	image__comm(&im, PID, "12]"); /* what follows a name in memory must not complete it */
	image__begin(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	image__u32(&im, UINT32_MAX);
	image__u32(&im, 0);
	image__u64(&im, module_start);
	image__u64(&im, 0x1000);
	image__u64(&im, 0);
	image__str(&im, name, ROUND_UP(strlen(name) + 1, 8));
	image__end(&im);
	image__begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
	image__u64(&im, module_start + 0x10);
	image__u32(&im, PID);
	image__u32(&im, PID);
	image__u64(&im, PERIOD);
	image__end(&im);
	image__end_data(&im);
	assert_true(fd >= 0);
	assert_int_equal(file__write_all(fd, im.b.buf, im.b.len), 0);
	close(fd);
	image__exit(&im);
}

/* Does the merged recording of a recording with a module of this name have the name? */
static bool stays_a_module(const char *name)
{
	char dir[] = "/tmp/perf-merge-XXXXXX", *in, *out;
	const struct merge_opts opts = { .nr_threads = 1 };
	struct strbuf file = STRBUF_INIT;
	struct merge_totals totals;
	struct merge *m;
	bool stays;

	assert_non_null(mkdtemp(dir));
	in = xasprintf("%s/in", dir);
	out = xasprintf("%s/out", dir);
	write_recording(in, name);
	m = merge__new(&opts);
	assert_int_equal(merge__add(m, in, NULL), 0);
	assert_int_equal(merge__write(m, out, &totals, NULL), 0);
	assert_int_equal(totals.nr_samples, 1);
	merge__delete(m);
	assert_int_equal(file__read(out, &file, 0), 0);
	stays = memmem(file.buf, file.len, name, strlen(name) + 1);
	strbuf__exit(&file);
	unlink(in);
	unlink(out);
	rmdir(dir);
	free(in);
	free(out);
	return stays;
}

static void only_whole_build_ids_name_kernels(void **state)
{
	static const char *const modules[] = {
		"[kernel  1]",    "[kernel +1]",
		"[kernel 0x12]",  "[kernel 12 4]",
		"[kernel a",      "[kernel",
		"[ker",           "[kernel 123z]",
		"[kernel 1234]x", "[kernel 000102030405060708090a0b0c0d0e0f1011121314]", /* 21 bytes */
		"[kernal 1234]",  "[modules1234]",
	};
	char digits[1 << 10] = "[kernel ";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++)
		if (!stays_a_module(modules[i]))
			fail_msg("'%s' is taken for a kernel", modules[i]);
	memset(digits + strlen(digits), '1', sizeof(digits) - 16);
	strcat(digits, "]");
	assert_true(stays_a_module(digits));
	assert_false(stays_a_module("[kernel 000102030405060708090a0b0c0d0e0f10111213]"));
	assert_false(stays_a_module("[kernel ]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(only_whole_build_ids_name_kernels) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
