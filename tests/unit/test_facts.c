/* What is read from /proc and /sys before something is explained, on made-up machines and on this one. */
#include "unit.h"

#include "live/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/perf-facts.XXXXXX";
static char proc[64], sys[64];

/* Writes text to a file below the root, with its folders. */
static void put_data(const char *path, const void *data, size_t size)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	fclose(file);
}

static void put(const char *path, const char *text)
{
	put_data(path, text, strlen(text));
}

static void put_link(const char *path, const char *target)
{
	char full[256];

	put(path, "");
	snprintf(full, sizeof(full), "%s/%s", root, path);
	unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root + sizeof(root) - 7, "XXXXXX");
	if (!mkdtemp(root))
		return -1;
	snprintf(proc, sizeof(proc), "%s/proc", root);
	snprintf(sys, sizeof(sys), "%s/sys", root);
	return 0;
}

static int remove_root(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static void an_empty_machine(void **state)
{
	struct facts f;

	(void)state;
	facts__read(&f, proc, sys);
	assert_false(fact__is_known(f.sysctl.paranoid));
	assert_false(fact__is_known(f.sysctl.kptr_restrict));
	assert_int_equal(f.kernel.nr_cpus, 1);
	assert_int_equal(f.kernel.tracefs, -ENOENT);
	assert_int_equal(f.kernel.kallsyms, -ENOENT);
	assert_int_equal(f.kernel.lockdown, LOCKDOWN_NONE);
	assert_int_equal(f.calls.wrong_flags, CALL_UNTRIED);
	assert_false(f.kernel.has_core_pmu || f.kernel.hypervisor || f.self.user_namespace ||
		     f.self.pid_namespace || f.self.proc_hides);
	assert_false(facts__is_privileged(&f));
	assert_string_equal(f.self.program, "");
}

static void settings(void **state)
{
	struct facts f;

	(void)state;
	put("proc/sys/kernel/perf_event_paranoid", "-1\n");
	put("proc/sys/kernel/kptr_restrict", "2\n");
	put("proc/sys/kernel/perf_event_mlock_kb", "99\n");
	put("proc/sys/kernel/perf_event_max_sample_rate", "1000\n");
	put("proc/sys/kernel/nmi_watchdog", "1\n");
	put("proc/sys/kernel/cap_last_cap", "37\n");
	put("proc/sys/kernel/yama/ptrace_scope", "1\n");
	put("proc/sys/fs/file-max", "9223372036854775807\n");
	put("sys/bus/event_source/devices/uprobe/type", "8\n");
	put("sys/devices/system/cpu/online", "0-3,8\n");
	facts__read(&f, proc, sys);
	assert_true(f.sysctl.paranoid == -1);
	assert_true(f.sysctl.kptr_restrict == 2);
	assert_true(f.sysctl.mlock_kb == 99);
	assert_true(f.sysctl.max_sample_rate == 1000);
	assert_true(f.sysctl.nmi_watchdog == 1);
	assert_true(f.sysctl.last_capability == 37);
	assert_true(f.sysctl.ptrace_scope == 1);
	assert_true(f.sysctl.file_max == INT64_MAX);
	assert_true(f.sysctl.uprobe_type == 8);
	assert_false(fact__is_known(f.sysctl.kprobe_type));
	assert_int_equal(f.kernel.nr_cpus, 5);
}

static void settings_that_are_no_numbers(void **state)
{
	static const char *const texts[] = {
		"", "\n", "x\n", "-\n", "2x\n", "99999999999999999999\n", "0x2\n"
	};
	struct facts f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		put("proc/sys/kernel/perf_event_paranoid", texts[i]);
		put("sys/devices/system/cpu/online", texts[i]);
		facts__read(&f, proc, sys);
		if (fact__is_known(f.sysctl.paranoid))
			fail_msg("'%s' is taken for %lld", texts[i], (long long)f.sysctl.paranoid);
		assert_int_equal(f.kernel.nr_cpus, 1);
	}
}

static void this_process_as_described(void **state)
{
	struct facts f;

	(void)state;
	put("proc/self/status", "Name:\tUid: 7\nUid:\t1000\t1001\t1000\t1000\nCapInh:\tffffffffffffffff\n"
				"CapEff:\t0000004000080000\nSeccomp:\t2\n");
	put_link("proc/self/exe", "/opt/my\nperf");
	facts__read(&f, proc, sys);
	assert_int_equal(f.self.uid, 1001);
	assert_true(f.self.capabilities == (1ull << CAPABILITY_PERFMON | 1ull << CAPABILITY_SYS_PTRACE));
	assert_int_equal(f.self.seccomp, 2);
	assert_string_equal(f.self.program, "/opt/my?perf");
	assert_true(facts__has(&f, CAPABILITY_PERFMON) && facts__has(&f, CAPABILITY_SYS_PTRACE));
	assert_false(facts__has(&f, CAPABILITY_SYS_ADMIN));
	assert_true(facts__is_privileged(&f));
	put("proc/self/status", "Uid:\nCapEff:\tzz\nSeccomp:\n");
	facts__read(&f, proc, sys);
	assert_true(f.self.capabilities == 0 && f.self.uid == UINT32_MAX);
}

static void containers(void **state)
{
	struct facts f;

	(void)state;
	put("proc/self/status", "CapEff:\t000001ffffffffff\n");
	put_link("proc/self/ns/user", "user:[4026531837]");
	put_link("proc/self/ns/pid", "pid:[4026531836]");
	facts__read(&f, proc, sys);
	assert_false(f.self.user_namespace || f.self.pid_namespace);
	assert_true(facts__is_privileged(&f));
	put_link("proc/self/ns/user", "user:[4026532999]");
	put_link("proc/self/ns/pid", "pid:[4026532179]");
	facts__read(&f, proc, sys);
	assert_true(f.self.user_namespace && f.self.pid_namespace);
	assert_false(facts__is_privileged(&f));
}

static void proc_mounts(void **state)
{
	static const struct {
		const char *mounts;
		bool hides;
	} rows[] = {
		{ "proc /proc proc rw,nosuid,relatime 0 0\n", false },
		{ "proc /proc proc rw,hidepid=2 0 0\n", true },
		{ "proc /proc proc rw,relatime,gid=4,hidepid=invisible 0 0\n", true },
		{ "proc /proc proc rw,hidepid=1 0 0\n", true },
		{ "proc /proc proc rw,hidepid=0 0 0\n", false },
		{ "proc /proc proc rw,hidepid=off 0 0\n", false },
		{ "proc /other proc rw,hidepid=2 0 0\n", false },
		{ "hidepid=2 /proc proc\n/proc\n\n", false },
		{ "proc /proc proc rw,hidepid=2 0 0\nproc /proc proc rw 0 0\n", false },
	};
	struct facts f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		put("proc/self/mounts", rows[i].mounts);
		facts__read(&f, proc, sys);
		if (f.self.proc_hides != rows[i].hides)
			fail_msg("wrong answer for %s", rows[i].mounts);
	}
}

static void kernel_addresses(void **state)
{
	struct facts f;

	(void)state;
	put("proc/kallsyms", "0000000000000000 A first\n0000000000000000 T _text\n");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.kallsyms, -EPERM);
	put("proc/kallsyms", "0000000000000000 A first\nffffffff81000000 T _text\n");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.kallsyms, 0);
	put("proc/kallsyms", "");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.kallsyms, -EPERM);
	put_data("proc/kallsyms", "\0\0\n\0zz\n\n\n", 9);
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.kallsyms, -EPERM);
}

static void the_kernel(void **state)
{
	struct facts f;

	(void)state;
	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	put("sys/kernel/security/lsm", "capability,yama,selinux");
	put("sys/kernel/tracing/events/enable", "0\n");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.lockdown, LOCKDOWN_INTEGRITY);
	assert_string_equal(f.kernel.security_modules, "capability,yama,selinux");
	assert_int_equal(f.kernel.tracefs, 0);
	put("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.lockdown, LOCKDOWN_CONFIDENTIALITY);
	put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.lockdown, LOCKDOWN_NONE);
}

static void an_older_tracefs(void **state)
{
	struct facts f;

	(void)state;
	put("sys/kernel/debug/tracing/events/enable", "0\n");
	facts__read(&f, proc, sys);
	assert_int_equal(f.kernel.tracefs, 0);
}

static void hardware(void **state)
{
	struct facts f;

	(void)state;
	put("proc/cpuinfo", "processor\t: 0\nvendor_id\t: hypervisor\nflags\t\t: fpu sse hypervisor_not\n");
	put("sys/bus/event_source/devices/software/type", "1\n");
	put("sys/bus/event_source/devices/uncore_imc/cpumask", "0\n");
	facts__read(&f, proc, sys);
	assert_false(f.kernel.has_core_pmu);
	put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lm\nbugs\t\t: none\n");
	put("sys/bus/event_source/devices/armv8_cortex_a72/cpus", "0-3\n");
	facts__read(&f, proc, sys);
	assert_true(f.kernel.hypervisor && f.kernel.has_core_pmu);
	put("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu lm\nmodel name\t: a hypervisor\n");
	facts__read(&f, proc, sys);
	assert_false(f.kernel.hypervisor);
}

static void files_of_noise(void **state)
{
	static const char *const paths[] = {
		"proc/self/status",
		"proc/self/mounts",
		"proc/cpuinfo",
		"proc/kallsyms",
		"proc/sys/kernel/perf_event_paranoid",
		"sys/kernel/security/lockdown",
		"sys/kernel/security/lsm",
		"sys/devices/system/cpu/online",
	};
	size_t size = 100000;
	char *noise = malloc(size);
	unsigned x = 1;
	struct facts f;

	(void)state;
	assert_non_null(noise);
	for (size_t i = 0; i < size; i++) {
		x = x * 1103515245 + 12345;
		noise[i] = (char)(x >> 16);
	}
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		put_data(paths[i], noise, size);
	facts__read(&f, proc, sys);
	assert_true(f.kernel.nr_cpus >= 1);
	memset(noise, 'a', size);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		put_data(paths[i], noise, size);
	facts__read(&f, proc, sys);
	assert_int_equal(strlen(f.kernel.security_modules), sizeof(f.kernel.security_modules) - 1);
	free(noise);
}

static void memory_for_rings(void **state)
{
	struct facts f = { .sysctl.mlock_kb = 516,
			   .sysctl.paranoid = 2,
			   .kernel.nr_cpus = 4,
			   .self.memlock = { 65536, 65536 } };

	(void)state;
	assert_true(facts__ring_bytes(&f) == 4 * 516 * 1024 + 65536);
	f.sysctl.mlock_kb = -5;
	assert_true(facts__ring_bytes(&f) == 65536);
	f.sysctl.mlock_kb = INT64_MAX;
	assert_true(facts__ring_bytes(&f) == UINT64_MAX);
	f.sysctl.mlock_kb = 0;
	f.self.capabilities = 1ull << CAPABILITY_IPC_LOCK;
	assert_true(facts__ring_bytes(&f) == UINT64_MAX);
	f.self.user_namespace = true;
	assert_true(facts__ring_bytes(&f) == 65536);
	f.sysctl.paranoid = -1;
	assert_true(facts__ring_bytes(&f) == UINT64_MAX);
	f.sysctl.paranoid = 2;
	f.self.memlock.soft = UINT64_MAX;
	assert_true(facts__ring_bytes(&f) == UINT64_MAX);
}

struct listing {
	size_t nr;
	bool has_paranoid;
};

static void count_fact(const char *name, const char *value, void *ctx)
{
	struct listing *l = ctx;

	assert_true(*name && *value);
	l->nr++;
	l->has_paranoid |= !strcmp(name, "kernel.perf_event_paranoid") && !strcmp(value, "3");
}

static void every_fact_has_a_value(void **state)
{
	struct facts f = { .sysctl.paranoid = 3,
			   .calls.wrong_flags = -EPERM,
			   .calls.user_space = CALL_KILLED };
	struct listing l = { 0 };

	(void)state;
	facts__for_each(&f, count_fact, &l);
	assert_true(l.nr > 20);
	assert_true(l.has_paranoid);
}

static void this_machine(void **state)
{
	int before = open("/dev/null", O_RDONLY), after;
	struct facts f;

	(void)state;
	facts__init(&f);
	assert_int_equal(f.self.uid, geteuid());
	assert_true(f.kernel.nr_cpus >= 1);
	assert_true(f.self.nofile.soft > 0 && f.self.nofile.soft <= f.self.nofile.hard);
	assert_int_not_equal(f.calls.wrong_flags, CALL_UNTRIED);
	assert_true(f.self.program[0] == '/');
	after = open("/dev/null", O_RDONLY);
	assert_int_equal(after, before + 1); /* nothing stays open */
	close(after);
	close(before);
}

#define ON_A_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_A_ROOT(an_empty_machine),
		ON_A_ROOT(settings),
		ON_A_ROOT(settings_that_are_no_numbers),
		ON_A_ROOT(this_process_as_described),
		ON_A_ROOT(containers),
		ON_A_ROOT(proc_mounts),
		ON_A_ROOT(kernel_addresses),
		ON_A_ROOT(the_kernel),
		ON_A_ROOT(an_older_tracefs),
		ON_A_ROOT(hardware),
		ON_A_ROOT(files_of_noise),
		cmocka_unit_test(memory_for_rings),
		cmocka_unit_test(every_fact_has_a_value),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
