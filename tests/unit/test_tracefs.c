/* Patterns, and tracepoints in a folder that looks like tracefs. */
#include "unit.h"

#include "base/system/file.h"
#include "base/text/glob.h"
#include "base/memory/mem.h"
#include "event/tracepoint/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool match;
	} rows[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "a*", "abc", true },
		{ "*c", "abc", true },
		{ "a*c*e", "abcde", true },
		{ "a*c*e", "abcdf", false },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "[a-c]x", "bx", true },
		{ "[a-c]x", "dx", false },
		{ "[!a-c]x", "dx", true },
		{ "[^a]", "a", false },
		{ "[]]", "]", true },
		{ "[a-]", "-", true },
		{ "[abc", "[abc", true },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "sched_*", "sched_switch", true },
		{ "*sched*sched", "sched_sched_sched", true },
		{ "a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (glob__match(rows[i].pattern, rows[i].name) != rows[i].match)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].name);
	assert_true(glob__is_pattern("a[b"));
	assert_false(glob__is_pattern("sched_switch"));
}

static char folder[] = "/tmp/tracefs-XXXXXX";

static void add_event(const char *system, const char *event, const char *id)
{
	char *path = xasprintf("%s/events/%s/%s", folder, system, event), *file;
	int fd;

	/* Every folder on the way; those that are there already stay. */
	for (char *slash = path + strlen(folder); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	assert_int_equal(mkdir(path, 0755), 0);
	file = xasprintf("%s/id", path);
	fd = open(file, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(file__write_all(fd, id, strlen(id)), 0);
	close(fd);
	free(file);
	free(path);
}

static int add_name(const char *system, const char *event, void *ctx)
{
	strbuf__addf(ctx, "%s:%s ", system, event ? event : "");
	return 0;
}

static void expect_list(const char *systems, const char *events, const char *expected)
{
	struct strbuf names = STRBUF_INIT;

	assert_int_equal(tracefs__for_each_event(folder, systems, events, add_name, &names), 0);
	assert_string_equal(names.buf, expected);
	strbuf__exit(&names);
}

static void events_of_a_folder(void **state)
{
	struct strbuf names = STRBUF_INIT;
	struct err err = ERR_INIT;
	u64 id = 0;

	(void)state;
	expect_list("sched", "sched_switch", "sched:sched_switch ");
	expect_list(NULL, NULL, "irq:entry irq:exit sched:sched_switch sched:sched_waking ");
	expect_list("sch*", "*k*", "sched:sched_waking ");
	expect_list("none", NULL, "");
	assert_int_equal(tracefs__for_each_system(folder, add_name, &names), 0);
	assert_string_equal(names.buf, "irq: sched: ");
	strbuf__exit(&names);

	assert_int_equal(tracefs__event_id(folder, "sched", "sched_switch", &id, &err), 0);
	assert_int_equal(id, 314);
	assert_int_equal(tracefs__event_id(folder, "shed", "sched_switch", &id, &err), -ENOENT);
	assert_string_equal(err.text.buf, "the kernel has no tracepoints of a system 'shed'");
	assert_int_equal(tracefs__event_id(folder, "sched", "switch", &id, &err), -ENOENT);
	assert_string_equal(err.text.buf, "the kernel has no tracepoint 'sched:switch'");
	assert_int_equal(tracefs__event_id(folder, "..", "events", &id, &err), -ENOENT);
	assert_int_equal(tracefs__event_id(folder, "sched", "../irq/entry", &id, &err), -ENOENT);
	assert_int_equal(tracefs__event_id(folder, "sched", "", &id, &err), -ENOENT);
	assert_int_not_equal(tracefs__for_each_event("/nowhere", NULL, NULL, add_name, &names), 0);
	err__exit(&err);
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	add_event("sched", "sched_waking", "313\n");
	add_event("sched", "sched_switch", "314\n");
	add_event("irq", "exit", "12\n");
	add_event("irq", "entry", "11\n");
	return 0;
}

static int remove_folder(void **state)
{
	char *command = xasprintf("rm -r %s", folder);
	int ret = system(command);

	(void)state;
	free(command);
	return ret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(events_of_a_folder),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
