/* build: records that the recorder makes, decoded again, and their sizes held against stock perf's. */
#include "unit.h"

#include "format/records/build.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct strbuf out;

static int setup(void **state)
{
	(void)state;
	strbuf__init(&out);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	strbuf__exit(&out);
	return 0;
}

static struct record record(size_t size)
{
	struct record r = { .header = (const void *)out.buf };

	assert_int_equal(r.header->size, size);
	assert_int_equal(out.len, size);
	return r;
}

static void mmap_is_as_stock_writes_it(void **state)
{
	static const u8 head[] = { 1, 0, 0, 0, 1, 0, 0x50, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0 };
	struct mmap_record m;
	struct record r;

	(void)state;
	build__mmap(&out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, 0, 0xffffffff81000000, 0x120bb08,
		    0xffffffff81000000, "[kernel.kallsyms]_text", 16);
	r = record(0x50);
	assert_memory_equal(out.buf, head, sizeof(head));
	assert_true(record__mmap(&r, &m));
	assert_int_equal(m.len, 0x120bb08);
	assert_int_equal(m.cpumode, PERF_RECORD_MISC_KERNEL);
	assert_string_equal(m.filename, "[kernel.kallsyms]_text");
}

static void mmap2_with_an_inode(void **state)
{
	struct mmap_record in = { .pid = 7,
				  .tid = 7,
				  .start = 0x1000,
				  .len = 0x2000,
				  .pgoff = 0x3000,
				  .maj = 0xfe,
				  .min = 1,
				  .ino = 99,
				  .prot = PROT_EXEC,
				  .flags = MAP_PRIVATE,
				  .filename = "/usr/bin/true" };
	struct mmap_record m;
	struct record r;

	(void)state;
	build__mmap2(&out, PERF_RECORD_MISC_USER, &in, 16);
	r = record(0x68);
	assert_true(record__mmap(&r, &m));
	assert_false(m.has_build_id);
	assert_int_equal(m.pgoff, 0x3000);
	assert_int_equal(m.maj, 0xfe);
	assert_int_equal(m.min, 1);
	assert_int_equal(m.ino, 99);
	assert_int_equal(m.prot, PROT_EXEC);
	assert_int_equal(m.flags, MAP_PRIVATE);
	assert_string_equal(m.filename, "/usr/bin/true");
}

static void mmap2_with_a_build_id(void **state)
{
	static const u8 id[16] = "0123456789abcdef";
	struct mmap_record in = {
		.pid = 7, .has_build_id = true, .build_id = id, .build_id_size = 16, .filename = "x"
	};
	struct mmap_record m;
	struct record r;

	(void)state;
	build__mmap2(&out, PERF_RECORD_MISC_USER, &in, 0);
	r = record(0x50);
	assert_true(record__mmap(&r, &m));
	assert_true(m.has_build_id);
	assert_int_equal(m.build_id_size, 16);
	assert_memory_equal(m.build_id, "0123456789abcdef\0\0\0\0", 20);
	assert_string_equal(m.filename, "x");
}

static void names_are_padded_and_cut(void **state)
{
	struct comm_record c;
	struct record r;
	char *name = malloc(10000);

	(void)state;
	build__comm(&out, 0, 1, 2, "perf-exec", 16);
	r = record(0x30);
	assert_true(record__comm(&r, &c));
	assert_string_equal(c.comm, "perf-exec");
	strbuf__reset(&out);
	build__comm(&out, 0, 1, 2, "a-name-of-more-than-15-bytes", 0);
	r = record(32);
	assert_true(record__comm(&r, &c));
	assert_string_equal(c.comm, "a-name-of-more-");
	strbuf__reset(&out);
	memset(name, 'n', 9999);
	name[9999] = '\0';
	build__mmap(&out, 0, 1, 1, 0, 0, 0, name, 0);
	record(8 + 32 + 4096);
	free(name);
}

static void fork_carries_its_mark(void **state)
{
	struct task_record t;
	struct record r;

	(void)state;
	build__fork(&out, MISC_FORK_EXEC, 10, 1, 11, 2, 32);
	r = record(0x40);
	assert_int_equal(r.header->misc, 0x2000);
	assert_true(record__task(&r, &t));
	assert_int_equal(t.pid, 10);
	assert_int_equal(t.ppid, 1);
	assert_int_equal(t.tid, 11);
	assert_int_equal(t.ptid, 2);
}

static void long_id_index_is_split(void **state)
{
	enum { NR = 5000 };
	struct id_index_entry *entries = calloc(NR, sizeof(*entries));
	u64 nr, total = 0;

	(void)state;
	for (u64 i = 0; i < NR; i++)
		entries[i].id = i;
	build__id_index(&out, entries, NR);
	for (size_t at = 0; at < out.len;) {
		const struct perf_event_header *h = (const void *)(out.buf + at);
		u64 first;

		memcpy(&nr, out.buf + at + 8, 8);
		memcpy(&first, out.buf + at + 16, 8);
		assert_int_equal(first, total);
		assert_int_equal(h->size, 16 + nr * 32);
		total += nr;
		at += h->size;
	}
	assert_int_equal(total, NR);
	free(entries);
}

static void cpu_maps_have_the_shortest_form(void **state)
{
	static const u8 range[16] = { 0x4a, 0, 0, 0, 0, 0, 16, 0, 2, 0, 0, 0, 0, 0, 1, 0 };
	static const u8 any[16] = { 0x4a, 0, 0, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0xff, 0xff };
	static const u8 some[16] = { 0x4a, 0, 0, 0, 0, 0, 16, 0, 0, 0, 2, 0, 1, 0, 3, 0 };
	static const int cpus[] = { 0, 1, 3 }, minus_one = -1;

	(void)state;
	build__cpu_map(&out, cpus, 2);
	record(16);
	assert_memory_equal(out.buf, range, 16);
	strbuf__reset(&out);
	build__cpu_map(&out, &minus_one, 1);
	record(16);
	assert_memory_equal(out.buf, any, 16);
	strbuf__reset(&out);
	build__cpu_map(&out, cpus + 1, 2);
	record(16);
	assert_memory_equal(out.buf, some, 16);
}

static void thread_map_and_marks(void **state)
{
	static const int tid = 25499;
	static const char *const comm = "x";

	(void)state;
	build__thread_map(&out, &tid, &comm, 1);
	record(0x28);
	strbuf__reset(&out);
	build__finished_round(&out);
	record(8);
	strbuf__reset(&out);
	build__finished_init(&out);
	record(8);
}

static void build_id_entry_is_as_stock_writes_it(void **state)
{
	static const u8 id[20] = "01234567890123456789";

	(void)state;
	build__build_id(&out, PERF_RECORD_MISC_KERNEL, UINT32_MAX, id, 20, "[kernel.kallsyms]");
	assert_memory_equal(out.buf, "\0\0\0\0\1\x80\x64\0\xff\xff\xff\xff", 12);
	assert_memory_equal(out.buf + 12, id, 20);
	assert_memory_equal(out.buf + 32, "\x14\0\0\0[kernel.kallsyms]", 22);
	assert_int_equal(out.len, 100);
}

static void id_size_counts_the_fields(void **state)
{
	struct perf_event_attr attr = { .sample_id_all = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_IDENTIFIER };
	struct evlist l;

	(void)state;
	evlist__init(&l);
	assert_int_equal(build__id_size(&l), 0);
	evlist__add(&l, &attr, sizeof(attr), "x");
	assert_int_equal(build__id_size(&l), 32);
	evlist__exit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mmap_is_as_stock_writes_it, setup, teardown),
		cmocka_unit_test_setup_teardown(mmap2_with_an_inode, setup, teardown),
		cmocka_unit_test_setup_teardown(mmap2_with_a_build_id, setup, teardown),
		cmocka_unit_test_setup_teardown(names_are_padded_and_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(fork_carries_its_mark, setup, teardown),
		cmocka_unit_test_setup_teardown(long_id_index_is_split, setup, teardown),
		cmocka_unit_test_setup_teardown(cpu_maps_have_the_shortest_form, setup, teardown),
		cmocka_unit_test_setup_teardown(thread_map_and_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(build_id_entry_is_as_stock_writes_it, setup, teardown),
		cmocka_unit_test(id_size_counts_the_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
