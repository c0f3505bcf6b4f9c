/* /proc readers: text that the kernel writes, text that it never would, and this very process. */
#include "outlived.h"

#include "live/limits.h"
#include "live/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Parses the one line in a buffer of exactly its size, so that a sanitizer sees a step outside. */
static bool parse_line(const char *line, struct proc_map *m, char **copy)
{
	size_t len = strlen(line);
	char *text = *copy = xmemdup(line, len), *at = text;
	bool ok = proc_map__parse(&at, text + len, m);

	assert_ptr_equal(at, text + len);
	return ok;
}

static void maps_lines(void **state)
{
	static const struct {
		const char *line, *name;
		u64 start, end, pgoff, ino;
		u32 prot, flags, maj, min;
	} rows[] = {
		{ "55d0c0a2e000-55d0c0a30000 r-xp 00002000 fe:01 332383                     /usr/bin/cat\n",
		  "/usr/bin/cat", 0x55d0c0a2e000, 0x55d0c0a30000, 0x2000, 332383, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE, 0xfe, 1 },
		{ "1000-2000 rw-s 00000000 00:05 7 /dev/zero (deleted)\n", "/dev/zero (deleted)", 0x1000,
		  0x2000, 0, 7, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 5 },
		{ "1000-2000 ---p 00000000 00:00 0 \n", "", 0x1000, 0x2000, 0, 0, 0, MAP_PRIVATE, 0, 0 },
		{ "1000-2000 ---p 00000000 00:00 0\n", "", 0x1000, 0x2000, 0, 0, 0, MAP_PRIVATE, 0, 0 },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n",
		  "[vsyscall]", 0xffffffffff600000, 0xffffffffff601000, 0, 0, PROT_EXEC, MAP_PRIVATE, 0, 0 },
		{ "1000-2000 r-xp ffffffffffffffff fff:fffff 18446744073709551615 /a b\\012c\\040d\td \n",
		  "/a b\nc\\040d\td ", 0x1000, 0x2000, UINT64_MAX, UINT64_MAX, PROT_READ | PROT_EXEC,
		  MAP_PRIVATE, 0xfff, 0xfffff },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct proc_map m;
		char *copy;

		assert_true(parse_line(rows[i].line, &m, &copy));
		assert_string_equal(m.name, rows[i].name);
		assert_int_equal(m.start, rows[i].start);
		assert_int_equal(m.end, rows[i].end);
		assert_int_equal(m.pgoff, rows[i].pgoff);
		assert_int_equal(m.ino, rows[i].ino);
		assert_int_equal(m.prot, rows[i].prot);
		assert_int_equal(m.flags, rows[i].flags);
		assert_int_equal(m.maj, rows[i].maj);
		assert_int_equal(m.min, rows[i].min);
		free(copy);
	}
}

static void malformed_maps_lines(void **state)
{
	static const char *const lines[] = {
		"\n",
		"x\n",
		"1000\n",
		"1000-\n",
		"1000-2000\n",
		"1000-2000 \n",
		"1000-2000 r-x\n",
		"1000-2000 r-xp\n",
		"1000-2000 r-xp 0\n",
		"1000-2000 r-xp 0 0:0\n",
		"1000-2000 r-xp 0 0:0 \n",
		"1000-2000 r-xp 0 0:0 x\n",
		"1000-2000 r-xp 0 0:0 12x /a\n",
		"2000-1000 r-xp 0 0:0 0 /a\n",
		"1000-2000 q-xp 0 0:0 0 /a\n",
		"1000-2000 r-xq 0 0:0 0 /a\n",
		"10000000000000000-20000000000000000 r-xp 0 0:0 0 /a\n",
		"-1000-2000 r-xp 0 0:0 0 /a\n",
		" 1000-2000 r-xp 0 0:0 0 /a\n",
		"1000-2000 r-xp 0 0:0 -1 /a\n",
		"1000-2000 r-xp 0 0:0 18446744073709551616 /a\n",
		"1000-2000 r-xp 0 0:0 0 /cut-off",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct proc_map m;
		char *copy;

		if (parse_line(lines[i], &m, &copy))
			fail_msg("taken: %s", lines[i]);
		free(copy);
	}
}

static void maps_of_several_lines(void **state)
{
	char text[] = "1000-2000 r-xp 0 0:0 1 /a\ngarbage\n3000-4000 r-xp 0 0:0 2 /b\n", *at = text,
	     *end = text + sizeof(text) - 1;
	struct proc_map m;

	(void)state;
	assert_true(proc_map__parse(&at, end, &m));
	assert_string_equal(m.name, "/a");
	assert_false(proc_map__parse(&at, end, &m));
	assert_true(proc_map__parse(&at, end, &m));
	assert_string_equal(m.name, "/b");
	assert_ptr_equal(at, end);
}

static void a_name_of_a_megabyte(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct proc_map m;
	char *at;

	(void)state;
	strbuf__addstr(&sb, "1000-2000 r-xp 0 0:0 1 /");
	strbuf__addchars(&sb, 'n', 1 << 20);
	strbuf__addch(&sb, '\n');
	at = sb.buf;
	assert_true(proc_map__parse(&at, sb.buf + sb.len, &m));
	assert_int_equal(strlen(m.name), (1 << 20) + 1);
	strbuf__exit(&sb);
}

static void status_texts(void **state)
{
	static const struct {
		const char *text, *comm;
		pid_t tgid, ppid;
		bool ok, kernel;
	} rows[] = {
		{ "Name:\tcat\nUmask:\t0022\nState:\tR (running)\nTgid:\t12\nPid:\t13\nPPid:\t1\nVmPeak:\t   "
		  " 2 kB\n",
		  "cat", 12, 1, true, false },
		{ "Name:\tkthreadd\nState:\tS (sleeping)\nTgid:\t2\nPPid:\t0\n", "kthreadd", 2, 0, true,
		  true },
		{ "Name:\tgone\nState:\tZ (zombie)\nTgid:\t5\nPPid:\t4\n", "gone", 5, 4, true, false },
		{ "Name:\ta\\nb\\\\c d\nTgid:\t5\n", "a\nb\\c d", 5, 0, true, true },
		{ "Name:\ta\\011b\\\nTgid:\t5", "a\tb\\", 5, 0, true, true },
		{ "Name:\t\nTgid:\t5\n", "", 5, 0, true, true },
		{ "Name:\tcat\n", "cat", 0, 0, false, true },
		{ "Tgid:\t5\n", "", 5, 0, false, true },
		{ "Name:\tcat\nTgid:\t99999999999999999999\n", "cat", 0, 0, false, true },
		{ "Name:\tcat\nTgid:\t\n5\n", "cat", 0, 0, false, true },
		{ "", "", 0, 0, false, true },
		{ "\n\n", "", 0, 0, false, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t len = strlen(rows[i].text);
		char *copy = xmemdup(rows[i].text, len);
		struct proc_status s;

		assert_int_equal(proc_status__parse(copy, len, &s), rows[i].ok);
		assert_string_equal(s.comm, rows[i].comm);
		assert_int_equal(s.tgid, rows[i].tgid);
		assert_int_equal(s.ppid, rows[i].ppid);
		assert_int_equal(s.is_kernel_thread, rows[i].kernel);
		free(copy);
	}
}

static void a_long_status_name_is_cut(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct proc_status s;

	(void)state;
	strbuf__addstr(&sb, "Name:\t");
	strbuf__addchars(&sb, 'n', 1000);
	strbuf__addstr(&sb, "\nTgid:\t5\n");
	assert_true(proc_status__parse(sb.buf, sb.len, &s));
	assert_int_equal(strlen(s.comm), sizeof(s.comm) - 1);
	strbuf__exit(&sb);
}

static bool has(const int_array *list, int value)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->v[i] == value)
			return true;
	return false;
}

static void this_process(void **state)
{
	int_array pids = { 0 }, tids = { 0 }, mine = { 0 };
	struct proc_status s;

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "a \\b"), 0);
	assert_int_equal(proc__status(getpid(), getpid(), &s), 0);
	assert_string_equal(s.comm, "a \\b");
	assert_int_equal(s.tgid, getpid());
	assert_int_equal(s.ppid, getppid());
	assert_false(s.is_kernel_thread);
	assert_int_equal(proc__pids(&pids), 0);
	assert_true(has(&pids, getpid()));
	for (size_t i = 1; i < pids.nr; i++)
		assert_true(pids.v[i - 1] < pids.v[i]);
	assert_int_equal(proc__tids(getpid(), &tids), 0);
	assert_true(has(&tids, getpid()));
	assert_int_equal(proc__pids_of_user(geteuid(), &mine), 0);
	assert_true(has(&mine, getpid()));
	array__exit(&mine);
	assert_int_equal(proc__pids_of_user(UINT32_MAX - 1, &mine), 0);
	assert_int_equal(mine.nr, 0);
	array__exit(&pids);
	array__exit(&tids);
	array__exit(&mine);
}

static void maps_of_this_process(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	u64 here = (u64)(uintptr_t)maps_of_this_process;
	bool found = false;
	char *at, *end;

	(void)state;
	assert_int_equal(proc__maps(getpid(), &sb), 0);
	at = sb.buf;
	end = sb.buf + sb.len;
	while (at < end) {
		struct proc_map m;

		assert_true(proc_map__parse(&at, end, &m));
		found |= m.start <= here && here < m.end && (m.prot & PROT_EXEC) &&
			 strstr(m.name, "test_proc");
	}
	assert_true(found);
	strbuf__exit(&sb);
}

static void a_process_that_is_gone(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int_array tids = { 0 };
	struct proc_status s;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(proc__status(pid, pid, &s) == -ENOENT || proc__status(pid, pid, &s) == -ESRCH);
	assert_true(proc__maps(pid, &sb) < 0);
	assert_int_equal(proc__tids(pid, &tids), -ENOENT);
	strbuf__exit(&sb);
	array__exit(&tids);
}

static void a_process_that_outlives_its_first_thread(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int_array tids = { 0 };
	struct proc_map map;
	struct proc_status s;
	pid_t pid = outlived__start();
	bool found = false;
	char *at;

	(void)state;
	assert_int_equal(proc__tids(pid, &tids), 0);
	assert_int_equal(tids.nr, 2);
	assert_int_equal(tids.v[0], pid);
	assert_int_equal(proc__running_thread(pid), tids.v[1]);
	assert_true(proc__outlives_first_thread(pid));
	assert_int_equal(proc__status(pid, tids.v[1], &s), 0);
	assert_false(s.has_ended);
	strbuf__addstr(&sb, "before");
	assert_int_equal(proc__maps(pid, &sb), 0);
	assert_memory_equal(sb.buf, "before", 6);
	at = sb.buf + 6;
	while (at < sb.buf + sb.len)
		if (proc_map__parse(&at, sb.buf + sb.len, &map))
			found |= map.start <= (u64)(uintptr_t)outlived__start &&
				 map.end > (u64)(uintptr_t)outlived__start;
	assert_true(found);
	outlived__end(pid);
	assert_int_equal(proc__running_thread(pid), 0);
	assert_false(proc__outlives_first_thread(pid));
	strbuf__reset(&sb);
	assert_int_equal(proc__maps(pid, &sb), 0);
	assert_int_equal(sb.len, 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(proc__running_thread(pid), 0);
	assert_false(proc__outlives_first_thread(pid));
	assert_int_equal(proc__running_thread(getpid()), getpid());
	assert_false(proc__outlives_first_thread(getpid()));
	strbuf__exit(&sb);
	array__exit(&tids);
}

static void limits_of_this_machine(void **state)
{
	(void)state;
	assert_true(limits__raise_nofile() > 0);
	assert_true(limits__raise_nofile() == limits__raise_nofile());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_lines),
		cmocka_unit_test(malformed_maps_lines),
		cmocka_unit_test(maps_of_several_lines),
		cmocka_unit_test(a_name_of_a_megabyte),
		cmocka_unit_test(status_texts),
		cmocka_unit_test(a_long_status_name_is_cut),
		cmocka_unit_test(this_process),
		cmocka_unit_test(maps_of_this_process),
		cmocka_unit_test(a_process_that_is_gone),
		cmocka_unit_test(a_process_that_outlives_its_first_thread),
		cmocka_unit_test(limits_of_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
