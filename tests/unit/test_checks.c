/* Which check explains which failure, and what it says, on machines of all kinds. */
#include "unit.h"

#include "base/memory/mem.h"
#include "live/abilities.h"
#include "live/checks.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CAP(c) (1ull << CAPABILITY_##c)
#define ALL_CAPS 0x1ffffffffffull

/* An ordinary user of an ordinary machine with hardware counters. */
static struct facts user_facts(void)
{
	return (struct facts){
		.sysctl.paranoid = 2,
		.sysctl.kptr_restrict = 0,
		.sysctl.mlock_kb = 516,
		.sysctl.max_sample_rate = 100000,
		.sysctl.cpu_time_max_percent = 25,
		.sysctl.max_stack = 127,
		.sysctl.nmi_watchdog = 0,
		.sysctl.ptrace_scope = 0,
		.sysctl.file_max = 1000000,
		.sysctl.last_capability = 40,
		.sysctl.uprobe_type = 8,
		.sysctl.kprobe_type = 9,
		.self.uid = 1000,
		.kernel.nr_cpus = 4,
		.kernel.tracefs = -EACCES,
		.kernel.kallsyms = -EPERM,
		.kernel.has_core_pmu = true,
		.kernel.security_modules = "capability,yama",
		.self.program = "/usr/bin/perf",
		.calls.wrong_flags = -EINVAL,
		.calls.user_space = 0,
		.calls.free_breakpoints = 4,
		.self.nofile = { 1024, 4096 },
		.self.memlock = { 8 << 20, 8 << 20 },
	};
}

static struct facts root_facts(void)
{
	struct facts f = user_facts();

	f.self.uid = 0;
	f.self.capabilities = ALL_CAPS;
	f.kernel.tracefs = 0;
	f.kernel.kallsyms = 0;
	return f;
}

/* The failure to open such an event. */
static struct failure opening(const struct perf_event_attr *attr, int error)
{
	return (struct failure){
		.attempt = ATTEMPT_OPEN, .error = error, .name = "the-event", .attr = attr, .owner = -1
	};
}

static void expect_in(const char *what, const char *text)
{
	if (!strstr(text, what))
		fail_msg("\"%s\" is not in: %s", what, text);
}

/* row explains q with these words in its line and in its advice (NULL: no advice). */
static void expect(const struct facts *f, const struct failure *q, const char *row, const char *says,
		   const char *advises)
{
	struct finding out = FINDING_INIT;
	const char *name = checks__explain(f, q, &out);

	if (strcmp(name, row))
		fail_msg("'%s' explains, expected '%s': %s", name, row, out.text.buf);
	expect_in(says, out.text.buf);
	assert_null(strchr(out.text.buf, '\n'));
	if (advises)
		expect_in(advises, out.advice.buf);
	else
		assert_string_equal(out.advice.buf, "");
	finding__exit(&out);
}

/* What `perf doctor` says in row. */
static void expect_row(const struct facts *f, const char *row, enum restriction v, const char *says,
		       const char *advises)
{
	for (size_t i = 0; i < checks__nr(); i++) {
		struct finding out = FINDING_INIT;

		if (strcmp(check__name(i), row))
			continue;
		assert_true(check__assess(i, f, &out));
		expect_in(says, out.text.buf);
		if (out.verdict != v)
			fail_msg("verdict %d, expected %d: %s", out.verdict, v, out.text.buf);
		if (advises)
			expect_in(advises, out.advice.buf);
		finding__exit(&out);
		return;
	}
	fail_msg("no row '%s'", row);
}

static const struct perf_event_attr clock_attr = { .type = PERF_TYPE_SOFTWARE },
				    clock_user = { .type = PERF_TYPE_SOFTWARE, .exclude_kernel = 1 },
				    cycles = { .type = PERF_TYPE_HARDWARE },
				    breakpoint = { .type = PERF_TYPE_BREAKPOINT,
						   .bp_len = 3,
						   .bp_addr = 0x1001,
						   .exclude_kernel = 1 },
				    tracepoint = { .type = PERF_TYPE_TRACEPOINT,
						   .sample_type = PERF_SAMPLE_RAW };

static void paranoid_2(void **state)
{
	struct facts f = user_facts();
	struct failure q = opening(&clock_attr, -EACCES);

	(void)state;
	expect(&f, &q, "paranoid",
	       "cannot open 'the-event' (Permission denied): kernel.perf_event_paranoid is 2",
	       "sysctl -w kernel.perf_event_paranoid=1, or run perf as root or with CAP_PERFMON\nor record "
	       "user space only: -e the-event:u");
	q.pid = -1;
	expect(&f, &q, "paranoid", "'the-event' for all processes", "kernel.perf_event_paranoid=0");
	q = opening(&tracepoint, -EPERM);
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 2", "kernel.perf_event_paranoid=-1");
	q.name = "syscalls:sys_enter_read";
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 2", "kernel.perf_event_paranoid=1");
	f.sysctl.last_capability = 37;
	expect(&f, &q, "paranoid", "is 2", "with CAP_SYS_ADMIN");
	f.self.user_namespace = true;
	expect(&f, &q, "paranoid", "is 2", "a container's user namespace");
	expect_row(&f, "paranoid", VERDICT_LIMITS, "user space only", "=1 for the kernel's part");
}

static void paranoid_levels(void **state)
{
	struct facts f = user_facts();

	(void)state;
	f.sysctl.paranoid = 1;
	expect_row(&f, "paranoid", VERDICT_LIMITS,
		   "is 1: users may record their own programs and the kernel's part", "=0 for whole CPUs");
	f.sysctl.paranoid = 0;
	expect_row(&f, "paranoid", VERDICT_LIMITS, "is 0: users may record everything but", "=-1");
	f.sysctl.paranoid = -1;
	expect_row(&f, "paranoid", VERDICT_OK, "is -1: users may record everything", NULL);
	f.sysctl.paranoid = FACT_UNKNOWN;
	expect_row(&f, "paranoid", VERDICT_LIMITS, "not known", NULL);
	expect_row(&f, "kernel", VERDICT_LIMITS, "perf_event_paranoid cannot be read", "/proc/sys");
	f.sysctl.paranoid = 2;
	f.self.capabilities = CAP(PERFMON);
	expect_row(&f, "paranoid", VERDICT_OK, "is 2, and does not apply to CAP_PERFMON", NULL);
	f = root_facts();
	f.sysctl.paranoid = 4;
	expect_row(&f, "paranoid", VERDICT_OK, "is 4, and does not apply to root", NULL);
}

/* Level 3 of Debian's kernels and 4 of Ubuntu's; to other kernels all above 2 is 2. */
static void paranoid_above_2(void **state)
{
	struct facts f = user_facts();
	struct failure q = opening(&clock_user, -EACCES);

	(void)state;
	f.sysctl.paranoid = 3;
	expect_row(&f, "paranoid", VERDICT_LIMITS, "is 3, which means 2 to this kernel", "=1");
	f.calls.user_space = -EACCES;
	expect_row(&f, "paranoid", VERDICT_BLOCKS, "is 3: on this kernel", "kernel.perf_event_paranoid=2");
	expect_row(&f, "security-modules", VERDICT_OK, "", NULL);
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 3", "kernel.perf_event_paranoid=2");
	f.sysctl.paranoid = 4;
	f.self.capabilities = CAP(PERFMON);
	expect_row(&f, "paranoid", VERDICT_BLOCKS, "is 4", "=2");
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 4", "CAP_PERFMON does not count");
	q.attr = &clock_attr;
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 4", "kernel.perf_event_paranoid=2");
}

static void seccomp(void **state)
{
	static const int errors[] = { -EPERM, -EACCES, -ENOSYS };
	struct facts f = user_facts();

	(void)state;
	expect_row(&f, "seccomp", VERDICT_OK, "no seccomp filter", NULL);
	f.self.seccomp = 2;
	expect_row(&f, "seccomp", VERDICT_OK, "allows perf_event_open", NULL);
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct failure q = opening(&clock_user, errors[i]);

		f.calls.wrong_flags = f.calls.user_space = errors[i];
		f.calls.free_breakpoints = -1;
		expect(&f, &q, "seccomp", strerror(-errors[i]), "--security-opt seccomp=unconfined");
		expect_row(&f, "seccomp", VERDICT_BLOCKS, "(mode 2) answers perf_event_open with",
			   "SystemCallFilter");
		expect_row(&f, "paranoid", VERDICT_LIMITS, "is 2", NULL); /* others are not blamed, too */
		expect_row(&f, "security-modules", VERDICT_OK, "", NULL);
		expect_row(&f, "kernel", VERDICT_OK, "", NULL);
	}
	f.calls.wrong_flags = CALL_KILLED;
	f.calls.user_space = CALL_UNTRIED;
	expect_row(&f, "seccomp", VERDICT_BLOCKS, "kills", "SystemCallFilter");
}

static void no_perf_events(void **state)
{
	struct facts f = user_facts();
	struct failure q = opening(&clock_user, -ENOSYS);

	(void)state;
	f.sysctl.paranoid = FACT_UNKNOWN;
	f.calls.wrong_flags = f.calls.user_space = -ENOSYS;
	expect(&f, &q, "kernel", "no perf_event_open", "CONFIG_PERF_EVENTS");
	expect_row(&f, "kernel", VERDICT_BLOCKS, "CONFIG_PERF_EVENTS", "CONFIG_PERF_EVENTS=y");
	expect_row(&f, "seccomp", VERDICT_OK, "no seccomp filter", NULL);
}

static void lockdown(void **state)
{
	struct facts f = root_facts();
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_REGS_INTR }, kprobe = { .type = 9 };
	struct failure q = opening(&attr, -EPERM);

	(void)state;
	f.kernel.lockdown = LOCKDOWN_INTEGRITY;
	expect_row(&f, "lockdown", VERDICT_OK, "integrity", NULL);
	f.kernel.lockdown = LOCKDOWN_CONFIDENTIALITY;
	expect_row(&f, "lockdown", VERDICT_LIMITS, "gets the kernel's registers or kprobes",
		   "lockdown=integrity");
	f.kernel.tracefs = -ENOENT;
	expect_row(&f, "lockdown", VERDICT_LIMITS, "tracepoints, registers or kprobes", "lockdown=integrity");
	f.kernel.tracefs = 0;
	expect(&f, &q, "lockdown", "registers with 'the-event'", "lockdown=integrity");
	q = (struct failure){ .attempt = ATTEMPT_TRACEPOINTS, .error = -EPERM, .name = "sched:sched_switch" };
	expect(&f, &q, "lockdown", "tracepoint 'sched:sched_switch'", "lockdown=integrity");
	/* Locked down while it boots, the kernel leaves tracefs empty. */
	q.error = f.kernel.tracefs = -ENOENT;
	expect(&f, &q, "lockdown", "tracepoint 'sched:sched_switch'", "lockdown=integrity");
	expect_row(&f, "tracefs", VERDICT_LIMITS, "lockdown is confidentiality: /sys/kernel/tracing shows no",
		   NULL);
	q = opening(&kprobe, -EPERM);
	q.pid = -1;
	expect(&f, &q, "lockdown", "cannot place 'the-event': kernel lockdown is confidentiality",
	       "lockdown=integrity");
	f.kernel.lockdown = LOCKDOWN_INTEGRITY;
	expect(&f, &q, "security-modules", "although kernel.perf_event_paranoid", "audit log");
}

static void capabilities(void **state)
{
	struct perf_event_attr kernel_watch = { .type = PERF_TYPE_BREAKPOINT, .bp_addr = 0xffffffff81000000 },
			       uprobe = { .type = 8 },
			       with_namespaces = { .type = PERF_TYPE_SOFTWARE,
						   .exclude_kernel = 1,
						   .namespaces = 1 },
			       with_addresses = { .type = PERF_TYPE_SOFTWARE,
						  .exclude_kernel = 1,
						  .sample_type = PERF_SAMPLE_PHYS_ADDR };
	struct facts f = user_facts();
	struct failure q = opening(&kernel_watch, -EPERM);

	(void)state;
	f.self.capabilities = CAP(PERFMON);
	expect(&f, &q, "capabilities", "a breakpoint in the kernel needs CAP_SYS_ADMIN", "as root");
	q.attr = &uprobe;
	expect(&f, &q, "capabilities", "a probe needs CAP_SYS_ADMIN", "as root");
	f.self.capabilities = 0;
	q = opening(&with_namespaces, -EACCES);
	expect(&f, &q, "capabilities",
	       "--namespaces needs CAP_PERFMON, whatever kernel.perf_event_paranoid is",
	       "run perf as root or with this capability");
	q = opening(&with_addresses, -EACCES);
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 2", "kernel.perf_event_paranoid=1");
	f.self.capabilities = CAP(PERFMON);
	expect_row(&f, "capabilities", VERDICT_LIMITS, "perf has CAP_PERFMON",
		   "setcap cap_perfmon,cap_sys_ptrace,cap_syslog,cap_ipc_lock=ep /usr/bin/perf");
	f.self.capabilities = CAP(PERFMON) | CAP(SYS_PTRACE) | CAP(SYSLOG);
	expect_row(&f, "capabilities", VERDICT_OK, "CAP_PERFMON, CAP_SYS_PTRACE, CAP_SYSLOG", NULL);
	f.self.capabilities = 0;
	expect_row(&f, "capabilities", VERDICT_LIMITS, "no capabilities (user id 1000)", "setcap");
	f.self.capabilities = ALL_CAPS;
	f.self.user_namespace = true;
	expect_row(&f, "capabilities", VERDICT_LIMITS, "user namespace", "outside of the container");
}

static void processes(void **state)
{
	struct facts f = user_facts();
	struct failure q = opening(&clock_user, -EACCES);

	(void)state;
	q.pid = 77;
	q.owner = 0;
	expect(&f, &q, "processes", "for process 77: it belongs to user id 0, and perf runs as 1000",
	       "or as that user, or with CAP_PERFMON and CAP_SYS_PTRACE");
	q.owner = 1000;
	expect(&f, &q, "processes", "process 77: it has privileges", "as root, or");
	f.self.capabilities = CAP(PERFMON); /* enough since 5.9 only */
	expect(&f, &q, "processes", "process 77", "CAP_PERFMON and CAP_SYS_PTRACE");
	f.self.capabilities = 0;
	q = opening(&clock_user, -ESRCH);
	expect(&f, &q, "processes", "no such process or thread", NULL);
	expect_row(&f, "processes", VERDICT_LIMITS, "processes of user id 1000 only", "CAP_SYS_PTRACE");
	f.self.capabilities = CAP(PERFMON);
	expect_row(&f, "processes", VERDICT_LIMITS, "maps cannot be read", "CAP_SYS_PTRACE");
	f = root_facts();
	expect_row(&f, "processes", VERDICT_OK, "all users' processes", NULL);
}

/* A level that lets users record again would not let them record that. */
static void what_a_lower_level_does_not_allow(void **state)
{
	struct perf_event_attr uprobe = { .type = 8 };
	struct facts f = user_facts();
	struct failure q = opening(&clock_attr, -EACCES);

	(void)state;
	q.pid = 77;
	q.owner = 0;
	expect(&f, &q, "processes", "it belongs to user id 0",
	       "run perf as root or as that user, or with CAP_PERFMON");
	f.sysctl.paranoid = 3;
	f.calls.user_space = -EACCES;
	expect(&f, &q, "processes", "it belongs to user id 0",
	       "run perf as root: kernel.perf_event_paranoid is 3, at which users may record nothing");
	q.owner = 1000;
	expect(&f, &q, "paranoid", "kernel.perf_event_paranoid is 3", "kernel.perf_event_paranoid=1");
	q = opening(&uprobe, -EACCES);
	expect(&f, &q, "capabilities", "a probe needs CAP_SYS_ADMIN", "run perf as root");
}

static void hidden_processes(void **state)
{
	struct facts f = user_facts();
	struct failure q = { .attempt = ATTEMPT_FIND, .error = -ESRCH, .name = "77" };

	(void)state;
	expect(&f, &q, "proc", "no such process: 77", NULL);
	expect_row(&f, "proc", VERDICT_OK, "all processes", NULL);
	f.self.proc_hides = true;
	expect(&f, &q, "proc", "no such process: 77 (that /proc would show: it is mounted with hidepid)",
	       "hidepid=0");
	expect_row(&f, "proc", VERDICT_LIMITS, "hidepid", "hidepid=0");
	f.self.pid_namespace = true;
	expect(&f, &q, "proc", "no such process: 77 (in this container)", "--pid=host");
	expect_row(&f, "proc", VERDICT_LIMITS, "container", "--pid=host");
	f = root_facts();
	f.self.proc_hides = true;
	expect(&f, &q, "proc", "no such process: 77", NULL);
}

static void security_modules(void **state)
{
	struct facts f = user_facts();
	struct failure q = opening(&clock_user, -EACCES);

	(void)state;
	expect(&f, &q, "security-modules", "although kernel.perf_event_paranoid (2) and seccomp allow it",
	       "(capability,yama)");
	q = opening(&(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1 }, -EPERM);
	expect(&f, &q, "security-modules", "although", "\nor these counters support no modifiers");
	f.calls.user_space = -EACCES;
	expect_row(&f, "security-modules", VERDICT_BLOCKS,
		   "the cause may be a security module (capability,yama)", "audit");
	f.calls.user_space = 0;
	expect_row(&f, "security-modules", VERDICT_OK, "capability,yama", NULL);
}

static void tracepoints(void **state)
{
	struct facts f = user_facts();
	struct failure q = { .attempt = ATTEMPT_TRACEPOINTS, .error = -EACCES, .name = "sched:sched_switch" };

	(void)state;
	expect(&f, &q, "tracefs", "/sys/kernel/tracing cannot be read by this user",
	       "mode=750,gid=GROUP /sys/kernel/tracing\nalso: sysctl -w kernel.perf_event_paranoid=-1");
	f.self.capabilities = CAP(PERFMON);
	expect(&f, &q, "tracefs", "cannot be read", "mode=750,gid=GROUP /sys/kernel/tracing");
	expect_row(&f, "tracefs", VERDICT_LIMITS, "cannot be read", "mode=750");
	q.error = f.kernel.tracefs = -ENOENT;
	expect(&f, &q, "tracefs", "is not mounted", "mount -t tracefs");
	expect_row(&f, "tracefs", VERDICT_LIMITS, "not mounted", "mount -t tracefs");
}

static void symbols(void **state)
{
	static const struct {
		int kptr, paranoid;
		u64 capabilities;
		const char *says, *advises;
	} rows[] = {
		{ 0, 2, 0, "kernel.perf_event_paranoid is 2 and hides kernel addresses",
		  "sysctl -w kernel.perf_event_paranoid=1, or run perf as root or with CAP_SYSLOG" },
		{ 1, 2, 0, "kernel.kptr_restrict is 1 and hides",
		  "sysctl -w kernel.kptr_restrict=0 kernel.perf_event_paranoid=1, or run perf as root" },
		{ 1, 1, CAP(PERFMON), "kernel.kptr_restrict is 1",
		  "sysctl -w kernel.kptr_restrict=0, or run perf" },
		{ 2, 2, ALL_CAPS, "kernel.kptr_restrict is 2 and hides kernel addresses from everybody",
		  "as root: sysctl -w kernel.kptr_restrict=1" },
		{ 2, 1, 0, "kernel.kptr_restrict is 2",
		  "sysctl -w kernel.kptr_restrict=0, or kernel.kptr_restrict=1 and run perf as root" },
		{ 0, 0, 0, "kernel addresses are hidden", "" },
	};
	struct failure q = { .attempt = ATTEMPT_SYMBOLS, .error = -EPERM };
	struct facts f = user_facts();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		f.sysctl.kptr_restrict = rows[i].kptr;
		f.sysctl.paranoid = rows[i].paranoid;
		f.self.capabilities = rows[i].capabilities;
		expect(&f, &q, "symbols", rows[i].says, rows[i].advises);
		expect_row(&f, "symbols", VERDICT_LIMITS, rows[i].says, rows[i].advises);
	}
	/* Seeing addresses is not enough to watch them. */
	q = (struct failure){ .attempt = ATTEMPT_ADDRESS, .error = -EPERM, .name = "jiffies" };
	f = user_facts();
	for (f.sysctl.paranoid = 2; f.sysctl.paranoid < 4; f.sysctl.paranoid++)
		expect(&f, &q, "symbols", "address of 'jiffies': kernel.perf_event_paranoid is ",
		       "run perf as root: a breakpoint in the kernel needs CAP_SYS_ADMIN");
	f.sysctl.kptr_restrict = 2;
	expect(&f, &q, "symbols", "'jiffies': kernel.kptr_restrict is 2",
	       "as root: sysctl -w kernel.kptr_restrict=1; then run perf as root: a breakpoint");
	f = root_facts();
	f.sysctl.kptr_restrict = 2;
	expect(&f, &q, "symbols", "'jiffies': kernel.kptr_restrict is 2",
	       "as root: sysctl -w kernel.kptr_restrict=1");
	f.kernel.kallsyms = -ENOENT;
	expect_row(&f, "symbols", VERDICT_LIMITS, "/proc/kallsyms cannot be read", NULL);
	f.kernel.kallsyms = 0;
	expect_row(&f, "symbols", VERDICT_OK, "can be read", NULL);
}

static void counters(void **state)
{
	struct facts f = root_facts();
	struct failure q = opening(&cycles, -ENOENT);

	(void)state;
	expect_row(&f, "hardware", VERDICT_OK, "has a driver", NULL);
	expect_row(&f, "watchdog", VERDICT_OK, "no counter", NULL);
	expect(&f, &q, "event", "'the-event' is not supported by this machine", "cpu-clock");
	f.kernel.has_core_pmu = false;
	expect(&f, &q, "hardware", "no driver for this processor", "-e cpu-clock");
	f.kernel.hypervisor = true;
	expect(&f, &q, "hardware", "virtual machine", "KVM: -cpu host,pmu=on");
	expect_row(&f, "hardware", VERDICT_LIMITS, "virtual machine", "KVM");
	f.sysctl.nmi_watchdog = 1;
	expect_row(&f, "watchdog", VERDICT_OK, "no counter", NULL);
	f.kernel.has_core_pmu = true;
	expect_row(&f, "watchdog", VERDICT_LIMITS, "kernel.nmi_watchdog is 1",
		   "sysctl -w kernel.nmi_watchdog=0");
	q.error = -EBUSY;
	expect(&f, &q, "watchdog", "no hardware counter is free for 'the-event'",
	       "sysctl -w kernel.nmi_watchdog=0");
	q.error = -ENOSPC;
	expect(&f, &q, "watchdog", "no hardware counter is free", "nmi_watchdog=0");
	f.sysctl.nmi_watchdog = 0;
	expect(&f, &q, "watchdog", "no hardware counter is free", "record fewer such events");
}

static void breakpoints_and_probes_that_are_refused(void **state)
{
	const struct perf_event_attr in_kernel = { .type = PERF_TYPE_BREAKPOINT,
						   .bp_type = HW_BREAKPOINT_X,
						   .bp_addr = 0xffffffff81000000,
						   .bp_len = sizeof(long) };
	const struct perf_event_attr uprobe = { .type = 8, .config2 = 0x1234 };
	const struct perf_event_attr on_realtime = { .type = 8, .use_clockid = 1, .clockid = CLOCK_REALTIME };
	const struct perf_event_attr on_monotonic = {
		.type = 8, .config2 = 0x1234, .use_clockid = 1, .clockid = CLOCK_MONOTONIC
	};
	struct facts f = root_facts();
	struct failure q = opening(&in_kernel, -EINVAL);

	(void)state;
	expect(&f, &q, "event",
	       "the kernel permits no breakpoint in its code for 'the-event': at 0xffffffff81000000",
	       "a tracepoint");
	q = opening(&uprobe, -EINVAL);
	expect(&f, &q, "event", "the kernel cannot place 'the-event' at +0x1234", "FUNCTION+OFFSET");
	q = opening(&on_realtime, -EINVAL);
	expect(&f, &q, "event", "the kernel refuses 'the-event' with the clock of -k", "-k monotonic");
	q = opening(&on_monotonic, -EINVAL);
	expect(&f, &q, "event", "the kernel cannot place 'the-event' at +0x1234", "FUNCTION+OFFSET");
	q = opening(&uprobe, -EIO);
	expect(&f, &q, "event", "cannot place 'the-event'", "FUNCTION+OFFSET");
}

static void breakpoints(void **state)
{
	struct facts f = user_facts();
	struct failure q = opening(&breakpoint, -ENOSPC);

	(void)state;
	expect(&f, &q, "breakpoints", "no free breakpoint register for 'the-event'", "fewer such events");
	expect_row(&f, "breakpoints", VERDICT_OK, "4 breakpoint registers", NULL);
	f.calls.free_breakpoints = 0;
	expect_row(&f, "breakpoints", VERDICT_LIMITS, "in use", "debuggers");
	f.calls.free_breakpoints = -1;
	expect_row(&f, "breakpoints", VERDICT_LIMITS, "do not work", NULL);
	q.error = -EINVAL;
	expect(&f, &q, "event", "length 3 at 0x1001", "divide the address");
}

static void settings_of_sampling(void **state)
{
	struct perf_event_attr fast = {
		.type = PERF_TYPE_SOFTWARE, .freq = 1, .sample_freq = 200000, .sample_max_stack = 500
	};
	struct facts f = user_facts();
	struct failure q = opening(&fast, -EINVAL);

	(void)state;
	expect(&f, &q, "sample-rate", "at 200000 Hz: kernel.perf_event_max_sample_rate is 100000",
	       "kernel.perf_event_max_sample_rate=200000\nthe kernel lowers it when sampling takes more than "
	       "25%");
	expect_row(&f, "sample-rate", VERDICT_OK, "100000", NULL);
	f.sysctl.max_sample_rate = 500;
	f.sysctl.cpu_time_max_percent = 0;
	expect_row(&f, "sample-rate", VERDICT_LIMITS, "is 500", "perf_event_max_sample_rate=100000");
	q.error = -EOVERFLOW;
	expect(&f, &q, "max-stack", "at most 127 entries", "kernel.perf_event_max_stack=500");
	expect_row(&f, "max-stack", VERDICT_OK, "127", NULL);
	f.sysctl.max_stack = 16;
	expect_row(&f, "max-stack", VERDICT_LIMITS, "is 16", "kernel.perf_event_max_stack=127");
}

static void memory_and_files(void **state)
{
	struct facts f = user_facts();
	struct failure q = { .attempt = ATTEMPT_MAP, .error = -EPERM, .pages = 128 };
	const long kb = 512 + sysconf(_SC_PAGESIZE) / 1024; /* of a usual ring buffer */
	char *one = xasprintf("kernel.perf_event_mlock_kb=%ld", kb),
	     *four = xasprintf("ulimit -l %ld", 4 * kb);

	(void)state;
	expect(&f, &q, "locked-memory",
	       "a ring buffer of 128 pages: kernel.perf_event_mlock_kb is 516, RLIMIT_MEMLOCK 8192 KiB",
	       "sysctl -w kernel.perf_event_mlock_kb=2064");
	q.error = -ENOMEM;
	expect(&f, &q, "locked-memory", "128 pages: Cannot allocate memory", "-m");
	expect_row(&f, "locked-memory", VERDICT_OK, "enough", NULL);
	f.sysctl.mlock_kb = 16;
	f.self.memlock.soft = 65536;
	expect_row(&f, "locked-memory", VERDICT_LIMITS, "is 16, RLIMIT_MEMLOCK 64 KiB", one);
	f.self.memlock.soft = f.sysctl.mlock_kb = 0;
	expect_row(&f, "locked-memory", VERDICT_BLOCKS, "not enough", four);
	free(one);
	free(four);
	f.self.capabilities = CAP(IPC_LOCK);
	expect_row(&f, "locked-memory", VERDICT_OK, "enough", NULL);
	q = opening(&clock_attr, -EMFILE);
	expect(&f, &q, "open-files", "RLIMIT_NOFILE is 1024", "ulimit -n 4096 (above the hard limit of 4096");
	q.error = -ENFILE;
	expect(&f, &q, "open-files", "fs.file-max is 1000000", "sysctl -w fs.file-max=2000000");
	expect_row(&f, "open-files", VERDICT_OK, "RLIMIT_NOFILE", NULL);
	f.self.nofile.hard = 64;
	expect_row(&f, "open-files", VERDICT_LIMITS, "RLIMIT_NOFILE is at most 64", "ulimit -n 1024");
	f.kernel.nr_cpus = 64;
	expect_row(&f, "open-files", VERDICT_BLOCKS, "(64 CPUs here)", "ulimit -n 1024");
}

static void branch_stacks(void **state)
{
	struct perf_event_attr lbr = { .type = PERF_TYPE_SOFTWARE,
				       .sample_type = PERF_SAMPLE_BRANCH_STACK,
				       .branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK };
	struct facts f = root_facts();
	struct failure q = opening(&lbr, -EOPNOTSUPP);

	(void)state;
	f.kernel.has_core_pmu = true;
	expect(&f, &q, "hardware", "only hardware events have them", "--call-graph auto");
	lbr.type = PERF_TYPE_HARDWARE;
	expect(&f, &q, "hardware",
	       "cannot record branch stacks with 'the-event' (Operation not supported): this processor, or "
	       "the kernel's driver, does not support branch stacks",
	       "--call-graph auto");
	f.kernel.has_core_pmu = false;
	f.kernel.hypervisor = true;
	lbr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	expect(&f, &q, "hardware", "this virtual machine", NULL);
}

static void the_event_itself(void **state)
{
	struct perf_event_attr precise = { .type = PERF_TYPE_HARDWARE, .precise_ip = 3 },
			       uncore = { .type = 40 };
	struct facts f = root_facts();
	struct failure q = opening(&precise, -EOPNOTSUPP);

	(void)state;
	expect(&f, &q, "event", "with precise_ip 3", "leave out the p");
	q = opening(&clock_attr, -EINVAL);
	expect(&f, &q, "event", "the kernel refuses 'the-event'", "without modifiers");
	q.attr = &uncore;
	expect(&f, &q, "event", "the kernel refuses 'the-event'", "try -a");
	q.error = -EIO;
	expect(&f, &q, "event", strerror(EIO), NULL);
	q.name = NULL;
	expect(&f, &q, "event", "(unnamed)", NULL);
}

/* Whatever comes, something is said, and no function trips over it. */
static void every_failure_on_every_machine(void **state)
{
	static const struct perf_event_attr *const attrs[] = { &clock_attr, &clock_user, &cycles, &breakpoint,
							       &tracepoint };
	struct facts machines[] = { user_facts(), root_facts(), user_facts(), user_facts() };

	(void)state;
	facts__read(&machines[2], "/nowhere", "/nowhere");
	machines[3].calls.wrong_flags = machines[3].calls.user_space = CALL_KILLED;
	for (size_t m = 0; m < ARRAY_SIZE(machines); m++) {
		for (int error = 1; error < 134; error++) {
			for (size_t a = 0; a < 2 * ARRAY_SIZE(attrs); a++) {
				struct failure q = opening(attrs[a / 2], -error);
				struct finding out = FINDING_INIT;

				q.pid = a % 2 ? -1 : 0;
				assert_non_null(checks__explain(&machines[m], &q, &out));
				assert_true(out.text.len > 10);
				assert_null(strstr(out.text.buf, "-9223372036854775808"));
				assert_null(strstr(out.advice.buf, "-9223372036854775808"));
				finding__exit(&out);
			}
		}
		for (size_t i = 0; i < checks__nr(); i++) {
			struct finding out = FINDING_INIT;

			if (check__assess(i, &machines[m], &out)) {
				assert_true(out.text.len > 5);
				assert_null(strchr(out.text.buf, '\n'));
				assert_null(strstr(out.text.buf, "-9223372036854775808"));
				assert_null(strstr(out.advice.buf, "-9223372036854775808"));
			}
			finding__exit(&out);
		}
	}
}

static void what_record_is_told(void **state)
{
	char name[] = "the-event";
	struct evsel e = { .attr = { .type = PERF_TYPE_SOFTWARE, .config = 77 }, .name = name };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(checks__explain_open(&e, -EMFILE, 0, &err), -EMFILE);
	assert_int_equal(err.code, -EMFILE);
	expect_in("RLIMIT_NOFILE is ", err.text.buf);
	expect_in("\nulimit -n ", err.text.buf);
	assert_int_equal(checks__explain_open(&e, EIO, -1, NULL), -EIO);
	err__exit(&err);
}

static void looking_up_tracepoints(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	err__set(&err, -EINVAL, "as it was");
	assert_int_equal(checks__explain_lookup("a:b", 0, &err), 0);
	assert_int_equal(checks__explain_lookup("a:b", -EINVAL, &err), -EINVAL);
	assert_string_equal(err.text.buf, "as it was");
	assert_int_equal(checks__explain_lookup("a:b", -EACCES, &err), -EACCES);
	expect_in("cannot find tracepoint 'a:b'", err.text.buf);
	err__exit(&err);
}

static void small_rings(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	checks__tell_small_rings(2, 4, 128, &sb);
	expect_in("ring buffers are 4 pages instead of 128: kernel.perf_event_mlock_kb is ", sb.buf);
	strbuf__exit(&sb);
}

static void abilities(void **state)
{
	struct facts f = root_facts();

	(void)state;
	f.kernel.kallsyms = -EPERM;
	f.sysctl.kptr_restrict = 2;
	assert_true(abilities__nr() > 5);
	for (size_t i = 0; i < abilities__nr(); i++) {
		const struct ability *a = abilities__get(i);
		struct finding out = FINDING_INIT;
		const char *blocker = "";
		int error = ability__try(a, &f, &blocker, &out);

		assert_int_equal(error == 0, blocker == NULL);
		assert_int_equal(error == 0, out.text.len == 0);
		if (!strcmp(a->name, "symbols")) {
			assert_int_equal(error, -EPERM);
			assert_string_equal(blocker, "symbols");
		}
		finding__exit(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paranoid_2),
		cmocka_unit_test(paranoid_levels),
		cmocka_unit_test(paranoid_above_2),
		cmocka_unit_test(seccomp),
		cmocka_unit_test(no_perf_events),
		cmocka_unit_test(lockdown),
		cmocka_unit_test(capabilities),
		cmocka_unit_test(processes),
		cmocka_unit_test(what_a_lower_level_does_not_allow),
		cmocka_unit_test(hidden_processes),
		cmocka_unit_test(security_modules),
		cmocka_unit_test(tracepoints),
		cmocka_unit_test(symbols),
		cmocka_unit_test(counters),
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(breakpoints_and_probes_that_are_refused),
		cmocka_unit_test(settings_of_sampling),
		cmocka_unit_test(memory_and_files),
		cmocka_unit_test(branch_stacks),
		cmocka_unit_test(the_event_itself),
		cmocka_unit_test(every_failure_on_every_machine),
		cmocka_unit_test(what_record_is_told),
		cmocka_unit_test(looking_up_tracepoints),
		cmocka_unit_test(small_rings),
		cmocka_unit_test(abilities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
