/* host features: their byte layouts from a made-up /sys, and the table of build-ids. */
#include "unit.h"

#include "base/memory/cursor.h"
#include "base/system/file.h"
#include "format/records/build.h"
#include "record/describe/build_id_list.h"
#include "record/host/host_features_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static struct host_features_opts opts;
static struct host_ctx host;

/* Writes text to a file below root, making its folders. */
static void put(const char *name, const char *text)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0700);
	}
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(file__write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void put_cpu(int cpu, const char *file, const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/%s", cpu, file);
	put(name, text);
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_host.XXXXXX");
	host = (struct host_ctx){ .opts = &opts, .sysfs = root };
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static const char *text(struct cursor *c)
{
	u32 size = cursor__u32(c);

	assert_int_equal(size % 64, 0);
	return cursor__str(c, size);
}

static void check_text(struct cursor *c, const char *want)
{
	const char *s = text(c);

	assert_non_null(s);
	assert_string_equal(s, want);
}

/* Two packages of one core with two threads each; CPU 3 is offline. */
static void put_cpus(void)
{
	put("devices/system/cpu/present", "0-3\n");
	for (int cpu = 0; cpu < 3; cpu++) {
		const char *list = cpu < 2 ? "0-1\n" : "2\n";

		put_cpu(cpu, "topology/core_siblings_list", list);
		put_cpu(cpu, "topology/thread_siblings_list", list);
		put_cpu(cpu, "topology/die_cpus_list", list);
		put_cpu(cpu, "topology/physical_package_id", cpu < 2 ? "0\n" : "1\n");
		put_cpu(cpu, "topology/core_id", cpu < 2 ? "4\n" : "5\n");
		put_cpu(cpu, "topology/die_id", "0\n");
	}
}

static void cpu_topology_with_an_offline_cpu(void **state)
{
	static const u32 ids[] = { 4, 0, 4, 0, 5, 1, UINT32_MAX, UINT32_MAX };
	struct strbuf out = STRBUF_INIT;
	struct cursor c;

	(void)state;
	assert_int_not_equal(host__cpu_topology(&host, &out), 0);
	put_cpus();
	strbuf__reset(&out);
	assert_int_equal(host__nr_cpus(&host), 4);
	assert_int_equal(host__cpu_topology(&host, &out), 0);
	c = cursor__make(out.buf, out.len, false);
	for (int i = 0; i < 2; i++) { /* packages, cores */
		assert_int_equal(cursor__u32(&c), 2);
		check_text(&c, "0-1");
		check_text(&c, "2");
	}
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(cursor__u32(&c), ids[i]);
	assert_int_equal(cursor__u32(&c), 2);
	check_text(&c, "0-1");
	check_text(&c, "2");
	cursor__skip(&c, 4 * sizeof(u32));
	assert_false(c.bad);
	assert_int_equal(cursor__left(&c), 0);
	strbuf__exit(&out);
}

static void put_cache(int cpu, int index, const char *level, const char *cpus)
{
	static const char *const files[][2] = { { "coherency_line_size", "64\n" },
						{ "number_of_sets", "128\n" },
						{ "ways_of_associativity", "8\n" },
						{ "type", "Unified\n" },
						{ "size", "32K\n" } };
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(name, sizeof(name), "cache/index%d/%s", index, files[i][0]);
		put_cpu(cpu, name, files[i][1]);
	}
	snprintf(name, sizeof(name), "cache/index%d/level", index);
	put_cpu(cpu, name, level);
	snprintf(name, sizeof(name), "cache/index%d/shared_cpu_list", index);
	put_cpu(cpu, name, cpus);
}

static void caches_once_each_by_level(void **state)
{
	static const struct {
		u32 level;
		const char *cpus;
	} want[] = { { 1, "0" }, { 1, "1" }, { 2, "0-1" } };
	struct strbuf out = STRBUF_INIT;
	struct cursor c;

	(void)state;
	put("devices/system/cpu/present", "0-1\n");
	put_cache(0, 0, "1\n", "0\n");
	put_cache(0, 1, "2\n", "0-1\n");
	put_cache(1, 0, "1\n", "1\n");
	put_cache(1, 1, "2\n", "0-1\n");
	assert_int_equal(host__cache(&host, &out), 0);
	c = cursor__make(out.buf, out.len, false);
	assert_int_equal(cursor__u32(&c), 1);
	assert_int_equal(cursor__u32(&c), ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(cursor__u32(&c), want[i].level);
		assert_int_equal(cursor__u32(&c), 64);
		assert_int_equal(cursor__u32(&c), 128);
		assert_int_equal(cursor__u32(&c), 8);
		check_text(&c, "Unified");
		check_text(&c, "32K");
		check_text(&c, want[i].cpus);
	}
	assert_int_equal(cursor__left(&c), 0);
	strbuf__exit(&out);
}

static void memory_nodes(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct cursor c;

	(void)state;
	put("devices/system/node/online", "0,2\n");
	put("devices/system/node/node0/meminfo", "Node 0 MemTotal:  1000 kB\nNode 0 MemFree:  200 kB\n");
	put("devices/system/node/node0/cpulist", "0-1\n");
	put("devices/system/node/node0/memory65", "");
	put("devices/system/node/node0/memory0", "");
	put("devices/system/node/node0/memory_failure", "");
	put("devices/system/node/node2/meminfo", "Node 2 MemTotal:  3000 kB\nNode 2 MemFree:  400 kB\n");
	put("devices/system/node/node2/cpulist", "\n");
	put("devices/system/memory/block_size_bytes", "8000000\n");
	assert_int_equal(host__numa_topology(&host, &out), 0);
	c = cursor__make(out.buf, out.len, false);
	assert_int_equal(cursor__u32(&c), 2);
	assert_int_equal(cursor__u32(&c), 0);
	assert_int_equal(cursor__u64(&c), 1000);
	assert_int_equal(cursor__u64(&c), 200);
	check_text(&c, "0-1");
	assert_int_equal(cursor__u32(&c), 2);
	assert_int_equal(cursor__u64(&c), 3000);
	assert_int_equal(cursor__u64(&c), 400);
	check_text(&c, "");
	assert_int_equal(cursor__left(&c), 0);

	strbuf__reset(&out);
	assert_int_equal(host__mem_topology(&host, &out), 0);
	c = cursor__make(out.buf, out.len, false);
	assert_int_equal(cursor__u64(&c), 1);
	assert_int_equal(cursor__u64(&c), 0x8000000);
	assert_int_equal(cursor__u64(&c), 2);
	assert_int_equal(cursor__u64(&c), 0);
	assert_int_equal(cursor__u64(&c), 66);
	assert_int_equal(cursor__u64(&c), 66);
	assert_int_equal(cursor__u64(&c), 1);
	assert_int_equal(cursor__u64(&c), 2);
	assert_int_equal(cursor__u64(&c), 2); /* the next node */
	strbuf__exit(&out);
}

static void pmus_and_their_capabilities(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct cursor c;

	(void)state;
	put("bus/event_source/devices/cpu/type", "4\n");
	put("bus/event_source/devices/cpu/caps/branches", "32\n");
	put("bus/event_source/devices/uncore/caps/depth", "2\n");
	assert_int_equal(host__pmu_mappings(&host, &out), 0); /* uncore has no type */
	c = cursor__make(out.buf, out.len, false);
	assert_int_equal(cursor__u32(&c), 1);
	assert_int_equal(cursor__u32(&c), 4);
	check_text(&c, "cpu");

	strbuf__reset(&out);
	assert_int_equal(host__cpu_pmu_caps(&host, &out), 0);
	c = cursor__make(out.buf, out.len, false);
	assert_int_equal(cursor__u32(&c), 1);
	check_text(&c, "branches");
	check_text(&c, "32");

	strbuf__reset(&out);
	assert_int_equal(host__pmu_caps(&host, &out), 0);
	c = cursor__make(out.buf, out.len, false);
	assert_int_equal(cursor__u32(&c), 1);
	assert_int_equal(cursor__u32(&c), 1);
	check_text(&c, "depth");
	check_text(&c, "2");
	check_text(&c, "uncore");
	assert_int_equal(cursor__left(&c), 0);
	strbuf__exit(&out);
}

static struct writer *writer(void)
{
	char path[128];
	struct evlist l;
	struct writer *w;

	snprintf(path, sizeof(path), "%s/out", root);
	assert_int_equal(writer__open(&w, path, NULL, NULL), 0);
	evlist__init(&l);
	assert_int_equal(writer__begin(w, &l, NULL), 0);
	return w;
}

/* True if the output holds these bytes. */
static bool written(const void *bytes, size_t size)
{
	struct strbuf sb = STRBUF_INIT;
	char path[128];
	bool found;

	snprintf(path, sizeof(path), "%s/out", root);
	assert_int_equal(file__read(path, &sb, 0), 0);
	found = memmem(sb.buf, sb.len, bytes, size) != NULL;
	strbuf__exit(&sb);
	return found;
}

static void see_all(struct build_id_list *b, const struct strbuf *records)
{
	const struct perf_event_header *h;

	for (size_t pos = 0; pos < records->len; pos += h->size) {
		h = (const void *)(records->buf + pos);
		build_id_list__see(b, h);
	}
}

static void build_ids_of_records_once_by_name(void **state)
{
	static const u8 one[20] = "11111111111111111111", two[20] = "22222222222222222222";
	struct mmap_record m = {
		.pid = 1, .prot = PROT_EXEC, .has_build_id = true, .build_id = one, .build_id_size = 20
	};
	struct build_id_list *b = build_id_list__new(NULL);
	struct strbuf records = STRBUF_INIT, want = STRBUF_INIT;
	struct writer *w = writer();

	(void)state;
	m.filename = "/lib/b.so";
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	build__comm(&records, 0, 1, 1, "x", 8);
	m.filename = "/replaced.so";
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	m.build_id = two;
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	m.filename = "/lib/a.so";
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	m.has_build_id = false;
	m.ino = 1;
	m.filename = "/no/such/file.so";
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 8);
	see_all(b, &records);
	assert_int_equal(build_id_list__write(b, w), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	build__build_id(&want, PERF_RECORD_MISC_USER, UINT32_MAX, two, 20, "/lib/a.so");
	build__build_id(&want, PERF_RECORD_MISC_USER, UINT32_MAX, one, 20, "/lib/b.so");
	assert_true(written(want.buf, want.len));
	assert_false(written("/replaced", 9));
	assert_false(written("/no/such", 8));
	writer__delete(w);
	build_id_list__delete(b);
	strbuf__exit(&records);
	strbuf__exit(&want);
}

static void this_machine(void **state)
{
	static const char *const argv[] = { "perf", "record", "true" };
	struct host_features_opts o = { .version = "1.2.3", .argv = argv, .argc = 3 };
	struct evlist l;
	struct writer *w = writer();

	(void)state;
	evlist__init(&l);
	assert_int_equal(host_features__write(w, &l, &o), 0);
	assert_int_equal(host_features__write_sample_time(w, 1, 2), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_true(written("\x40\0\0\0"
			    "1.2.3\0",
			    10));
	assert_true(written("\x40\0\0\0record\0", 11));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cpu_topology_with_an_offline_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(caches_once_each_by_level, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_nodes, setup, teardown),
		cmocka_unit_test_setup_teardown(pmus_and_their_capabilities, setup, teardown),
		cmocka_unit_test_setup_teardown(build_ids_of_records_once_by_name, setup, teardown),
		cmocka_unit_test_setup_teardown(this_machine, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
