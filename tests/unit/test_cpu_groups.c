/* Which CPUs' rings a thread empties: the argument of --threads. */
#include "unit.h"

#include "record/host/cpu_groups.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Groups as text: "0-1/0-1 5/5" is "0,1/0,1 5/5". */
static void groups__text(const struct cpu_groups *g, struct strbuf *out)
{
	strbuf__reset(out);
	for (size_t i = 0; i < g->v.nr; i++) {
		const int_array *lists[] = { &g->v.v[i].cpus, &g->v.v[i].runs_on };

		for (size_t k = 0; k < 2; k++)
			for (size_t n = 0; n < lists[k]->nr; n++)
				strbuf__addf(out, "%s%d", n ? "," : k ? "/" : i ? " " : "", lists[k]->v[n]);
	}
}

static void expect_groups(const char *arg, const char *recorded, const char *sysfs, size_t left,
			  const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct cpu_groups g;
	int_array cpus = { 0 };
	size_t nr_left = 99;

	assert_int_equal(int_list__parse(recorded, 99, &cpus), 0);
	assert_int_equal(cpu_groups__check(arg, &err), 0);
	assert_int_equal(cpu_groups__init(&g, arg, &cpus, sysfs, &nr_left, &err), 0);
	groups__text(&g, &text);
	assert_string_equal(text.buf, expected);
	assert_int_equal(nr_left, left);
	cpu_groups__exit(&g);
	strbuf__exit(&text);
	array__exit(&cpus);
	err__exit(&err);
}

static void lists_are_taken_as_they_are(void **state)
{
	(void)state;
	expect_groups("0/0:1/1", "0-1", "/nowhere", 0, "0/0 1/1");
	expect_groups("0-1/2", "0-1", "/nowhere", 0, "0,1/2");
	expect_groups("0,2-3/0:1/1", "0-3", "/nowhere", 0, "0,2,3/0 1/1");
	expect_groups("0-7/0-7", "2-3", "/nowhere", 0, "2,3/0,1,2,3,4,5,6,7");
	expect_groups("1/1", "0-3", "/nowhere", 3, "1/1 0,2,3");
	expect_groups("0/0:", "0", "/nowhere", 0, "0/0");
}

static void other_texts_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",      "cpus",       "CPU",        "0",       "0/",        "/0",   "/",
		":",     "0/0:a/1",    "0/0/0",      "0/0:0/1", "0-1/0:1/1", "-1/0", "0/-1",
		"1-0/0", "99999999/0", "0/99999999", "0 /0",    "0-/0",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct err err = ERR_INIT;

		if (!cpu_groups__check(wrong[i], &err))
			fail_msg("'%s' was taken", wrong[i]);
		assert_true(err.text.len > 0);
		err__exit(&err);
	}
}

static void a_group_without_a_cpu_is_refused(void **state)
{
	struct err err = ERR_INIT;
	struct cpu_groups g;
	int_array cpus = { 0 };
	size_t nr_left;

	(void)state;
	array__add(&cpus, 1);
	assert_int_equal(cpu_groups__init(&g, "1/1:0/0", &cpus, "/nowhere", &nr_left, &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "'0/0'"));
	array__exit(&cpus);
	err__exit(&err);
}

static void put(const char *dir, const char *name, const char *line)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f;

	for (char *slash = path + strlen(dir) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0700);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", line);
	fclose(f);
	free(path);
}

/* Two packages of two cores with two threads each, which Linux counts core by core, thread by thread. */
static void machines_are_divided_by_their_parts(void **state)
{
	char dir[] = "/tmp/perf-groups-XXXXXX", *command;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int cpu = 0; cpu < 8; cpu++) {
		char name[80], line[20];

		snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
		snprintf(line, sizeof(line), "%d,%d", cpu % 4, cpu % 4 + 4);
		put(dir, name, line);
		snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/core_siblings_list", cpu);
		put(dir, name, cpu % 4 < 2 ? "0-1,4-5" : "2-3,6-7");
	}
	put(dir, "devices/system/node/online", "0-1");
	put(dir, "devices/system/node/node0/cpulist", "0-3");
	put(dir, "devices/system/node/node1/cpulist", "4-7");
	expect_groups("cpu", "0-2", dir, 0, "0/0 1/1 2/2");
	expect_groups("core", "0-7", dir, 0, "0,4/0,4 1,5/1,5 2,6/2,6 3,7/3,7");
	expect_groups("core", "1,3-4", dir, 0, "1/1,5 3/3,7 4/0,4");
	expect_groups("package", "0-7", dir, 0, "0,1,4,5/0,1,4,5 2,3,6,7/2,3,6,7");
	expect_groups("numa", "0-7", dir, 0, "0,1,2,3/0,1,2,3 4,5,6,7/4,5,6,7");
	expect_groups("numa", "0-1", "/nowhere", 0, "0/0 1/1");
	command = xasprintf("rm -r %s", dir);
	assert_int_equal(system(command), 0);
	free(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_taken_as_they_are),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(a_group_without_a_cpu_is_refused),
		cmocka_unit_test(machines_are_divided_by_their_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
