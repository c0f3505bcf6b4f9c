/* Where control groups are mounted, and the records that say which there are. */
#include "unit.h"

#include "format/records/build.h"
#include "live/cgroups.h"

#include <linux/perf_event.h>
#include <string.h>

static void the_right_hierarchy_is_found(void **state)
{
	static const struct {
		const char *mounts, *path;
	} cases[] = {
		{ "", "" },
		{ "\n\n \n", "" },
		{ "proc /proc proc rw 0 0\n", "" },
		{ "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n", "/sys/fs/cgroup" },
		{ "cgroup2 /sys/fs/cgroup cgroup2", "/sys/fs/cgroup" },
		{ "cgroup /cg/cpu cgroup rw,cpu 0 0\nnone /cg/u cgroup2 rw 0 0\n", "/cg/u" },
		{ "none /cg/u cgroup2 rw 0 0\ncgroup /cg/perf cgroup rw,perf_event 0 0\n", "/cg/perf" },
		{ "cgroup /cg/perf cgroup perf_event,rw 0 0\nnone /cg/u cgroup2 rw 0 0\n", "/cg/perf" },
		{ "cgroup /cg/perf cgroup rw,perf_events 0 0\n", "" },
		{ "none /a\\040b\\011c cgroup2 rw 0 0\n", "/a b\tc" },
		{ "none /a\\04 cgroup2 rw 0 0\n", "/a\\04" },
		{ "cgroup2 /1 cgroup2 rw 0 0\ncgroup2 /2 cgroup2 rw 0 0\n", "/1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf path = STRBUF_INIT;

		assert_int_equal(cgroups__find_mount(cases[i].mounts, &path), *cases[i].path != '\0');
		assert_string_equal(path.buf, cases[i].path);
		strbuf__exit(&path);
	}
}

static void records_are_as_the_kernel_writes_them(void **state)
{
	static const struct ns_link links[2] = { { 4, 0xeffffff9 }, { 5, 6 } };
	struct strbuf out = STRBUF_INIT;
	struct perf_event_header h;
	u32 ids[2];
	u64 words[5];

	(void)state;
	build__namespaces(&out, 7, 8, links, 2, 16);
	memcpy(&h, out.buf, sizeof(h));
	assert_int_equal(h.type, PERF_RECORD_NAMESPACES);
	assert_int_equal(h.size, 8 + 8 + 8 + 2 * 16 + 16);
	memcpy(ids, out.buf + 8, sizeof(ids));
	memcpy(words, out.buf + 16, sizeof(words));
	assert_true(ids[0] == 7 && ids[1] == 8 && words[0] == 2 && words[1] == 4 && words[2] == 0xeffffff9 &&
		    words[4] == 6);
	strbuf__reset(&out);
	build__cgroup(&out, 0x100000002, "/a/b", 8);
	memcpy(&h, out.buf, sizeof(h));
	assert_int_equal(h.type, PERF_RECORD_CGROUP);
	assert_int_equal(h.size, 8 + 8 + 8 + 8);
	memcpy(words, out.buf + 8, 8);
	assert_true(words[0] == 0x100000002);
	assert_string_equal(out.buf + 16, "/a/b");
	strbuf__exit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_right_hierarchy_is_found),
		cmocka_unit_test(records_are_as_the_kernel_writes_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
