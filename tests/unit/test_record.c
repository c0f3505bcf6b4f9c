/* Side-band records: decoded right, and never beyond their end. */
#include "unit.h"

#include "image.h"

/* The record that was built last, cut to size bytes, in memory of exactly that size. */
static struct record cut(const struct image *im, size_t size)
{
	struct perf_event_header *h = xmemdup(im->b.buf + im->record, size);

	h->size = (u16)size;
	return (struct record){ .header = h };
}

static void decodes_mmap2(void **state)
{
	struct mmap_record m;
	struct image im;
	size_t full;

	(void)state;
	image__init(&im, false);
	image__begin(&im, PERF_RECORD_MMAP2, 2);
	image__u32(&im, 10);
	image__u32(&im, 11);
	image__u64(&im, 0x1000);
	image__u64(&im, 0x2000);
	image__u64(&im, 0x3000);
	image__u32(&im, 8);
	image__u32(&im, 1);
	image__u64(&im, 99);
	image__u64(&im, 98);
	image__u32(&im, 5);
	image__u32(&im, 2);
	image__str(&im, "/bin/x", 8);
	image__end(&im);
	full = im.b.len;
	for (size_t size = 8; size <= full; size++) {
		struct record r = cut(&im, size);
		bool whole = size >= full - 1; /* the NUL is there */

		assert_int_equal(record__mmap(&r, &m), whole);
		if (whole) {
			assert_true(m.is_mmap2 && !m.has_build_id && !m.is_data);
			assert_int_equal(m.pid, 10);
			assert_int_equal(m.tid, 11);
			assert_int_equal(m.pgoff, 0x3000);
			assert_int_equal(m.maj, 8);
			assert_int_equal(m.ino_generation, 98);
			assert_int_equal(m.prot, 5);
			assert_int_equal(m.flags, 2);
			assert_int_equal(m.cpumode, 2);
			assert_string_equal(m.filename, "/bin/x");
		}
		free((void *)r.header);
	}
	image__exit(&im);
}

static void decodes_build_ids(void **state)
{
	struct mmap_record m;
	struct image im;
	struct record r;

	(void)state;
	image__init(&im, false);
	image__begin(&im, PERF_RECORD_MMAP2, MISC_MMAP_BUILD_ID);
	image__u64(&im, 0);
	for (int i = 0; i < 3; i++)
		image__u64(&im, 0);
	image__u8(&im, 20);
	image__str(&im, "", 3);
	image__str(&im, "abcdefghijklmnopqrst", 20);
	image__u64(&im, 0);
	image__str(&im, "x", 8);
	image__end(&im);
	r = cut(&im, im.b.len);
	assert_true(record__mmap(&r, &m));
	assert_true(m.has_build_id);
	assert_int_equal(m.build_id_size, 20);
	assert_memory_equal(m.build_id, "abcdefghijklmnopqrst", 20);
	assert_string_equal(m.filename, "x");
	free((void *)r.header);
	image__exit(&im);
}

/* The kernel leaves the bit of another recorder's event in records that have a device and an inode. */
static void a_device_is_no_build_id(void **state)
{
	static const u32 majors[] = { 254, 0, 8 << 8 };
	struct mmap_record m;
	struct image im;
	struct record r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(majors); i++) {
		image__init(&im, false);
		image__begin(&im, PERF_RECORD_MMAP2, MISC_MMAP_BUILD_ID);
		for (int k = 0; k < 4; k++)
			image__u64(&im, 0);
		image__u32(&im, majors[i]);
		image__u32(&im, 3);
		image__u64(&im, 77);
		image__u64(&im, 5);
		image__u64(&im, 0);
		image__str(&im, "x", 8);
		image__end(&im);
		r = cut(&im, im.b.len);
		assert_true(record__mmap(&r, &m));
		assert_false(m.has_build_id);
		assert_true(m.maj == majors[i] && m.min == 3 && m.ino == 77 && m.ino_generation == 5);
		free((void *)r.header);
		image__exit(&im);
	}
}

/* A task record of pid 8, of its first thread or another one, or a name of it: what program ends with it? */
static u32 ended_by(u32 type, u16 misc, u32 tid)
{
	struct image im;
	struct record r;
	u32 pid;

	image__init(&im, false);
	image__begin(&im, type, misc);
	image__u32(&im, 8);
	image__u32(&im, type == PERF_RECORD_COMM ? tid : 1);
	if (type == PERF_RECORD_COMM)
		image__str(&im, "name", 8);
	else
		image__u32(&im, tid), image__u32(&im, 1), image__u64(&im, 77);
	image__end(&im);
	r = cut(&im, im.b.len - im.record);
	pid = record__ended_program(&r);
	free((void *)r.header);
	image__exit(&im);
	return pid;
}

static void programs_end_by_exit_and_exec(void **state)
{
	(void)state;
	assert_int_equal(ended_by(PERF_RECORD_EXIT, 0, 8), 8);
	assert_int_equal(ended_by(PERF_RECORD_EXIT, 0, 9), 0); /* a thread */
	assert_int_equal(ended_by(PERF_RECORD_FORK, 0, 8), 0);
	assert_int_equal(ended_by(PERF_RECORD_COMM, MISC_COMM_EXEC, 8), 8);
	assert_int_equal(ended_by(PERF_RECORD_COMM, 0, 8), 0);
}

static void decodes_the_others(void **state)
{
	struct namespaces_record n;
	struct ksymbol_record k;
	struct cgroup_record g;
	struct comm_record c;
	struct task_record t;
	struct image im;
	struct record r;

	(void)state;
	image__init(&im, false);
	image__comm(&im, 5, "name");
	r = cut(&im, im.b.len - im.record);
	assert_true(record__comm(&r, &c));
	assert_string_equal(c.comm, "name");
	assert_false(c.exec);
	assert_false(record__task(&r, &t)); /* too short for a task */
	free((void *)r.header);

	image__begin(&im, PERF_RECORD_FORK, MISC_FORK_EXEC);
	for (u32 i = 1; i <= 4; i++)
		image__u32(&im, i);
	image__u64(&im, 77);
	image__end(&im);
	r = cut(&im, im.b.len - im.record);
	assert_true(record__task(&r, &t));
	assert_true(t.pid == 1 && t.ppid == 2 && t.tid == 3 && t.ptid == 4 && t.time == 77 && t.synthesized);
	free((void *)r.header);

	image__begin(&im, PERF_RECORD_KSYMBOL, 0);
	image__u64(&im, 0xffff0000);
	image__u32(&im, 64);
	image__u16(&im, 1);
	image__u16(&im, 1);
	image__str(&im, "bpf_prog", 16);
	image__end(&im);
	r = cut(&im, im.b.len - im.record);
	assert_true(record__ksymbol(&r, &k));
	assert_true(k.unregister && k.len == 64 && k.ksym_type == 1);
	assert_string_equal(k.name, "bpf_prog");
	free((void *)r.header);

	image__begin(&im, PERF_RECORD_CGROUP, 0);
	image__u64(&im, 3);
	image__str(&im, "/a", 8);
	image__end(&im);
	r = cut(&im, im.b.len - im.record);
	assert_true(record__cgroup(&r, &g));
	assert_string_equal(g.path, "/a");
	free((void *)r.header);

	image__begin(&im, PERF_RECORD_NAMESPACES, 0);
	image__u64(&im, 0);
	image__u64(&im, 1ull << 60); /* more pairs than fit, and their size overflows */
	image__u64(&im, 1);
	image__u64(&im, 2);
	image__end(&im);
	r = cut(&im, im.b.len - im.record);
	assert_false(record__namespaces(&r, &n));
	((u64 *)(void *)(uintptr_t)r.header)[2] = 1;
	assert_true(record__namespaces(&r, &n));
	assert_int_equal(n.link_info[1], 2);
	free((void *)r.header);
	image__exit(&im);
}

static void names_types(void **state)
{
	(void)state;
	assert_string_equal(record_type__name(PERF_RECORD_MMAP2), "MMAP2");
	assert_string_equal(record_type__name(RECORD_FINISHED_ROUND), "FINISHED_ROUND");
	assert_null(record_type__name(0));
	assert_null(record_type__name(40));
	assert_null(record_type__name(RECORD_TYPE_MAX));
	assert_string_equal(record_type__name(86), "SCHEDSTAT_DOMAIN");
	assert_null(record_type__name(UINT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_mmap2),           cmocka_unit_test(decodes_build_ids),
		cmocka_unit_test(a_device_is_no_build_id), cmocka_unit_test(programs_end_by_exit_and_exec),
		cmocka_unit_test(decodes_the_others),      cmocka_unit_test(names_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
