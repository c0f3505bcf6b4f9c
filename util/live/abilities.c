#include "live/abilities.h"

#include "live/counter.h"
#include "live/limits.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <unistd.h>

static int open_and_close(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct counter_missing missing = { 0 };
	struct perf_event_attr copy = *attr;
	int fd = counter__open_adapting(&missing, &copy, pid, cpu, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int try_event(const struct facts *f, struct perf_event_attr *attr, const char *name, pid_t pid,
		     struct failure *q)
{
	int_array cpus = { 0 };
	int cpu = -1;

	if (pid == -1) {
		limits__online_cpus(&cpus);
		cpu = cpus.v[0];
	}
	attr->disabled = 1;
	*q = (struct failure){ .attempt = ATTEMPT_OPEN, .name = name, .attr = attr, .pid = pid, .owner = -1 };
	q->error = f->calls.wrong_flags == CALL_KILLED ? -EPERM : open_and_close(attr, pid, cpu);
	array__exit(&cpus);
	return q->error;
}

static int try_clock(const struct facts *f, struct perf_event_attr *attr, const char *name, pid_t pid,
		     struct failure *q)
{
	*attr = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
					  .config = PERF_COUNT_SW_CPU_CLOCK,
					  .sample_period = 1000000,
					  .sample_type = PERF_SAMPLE_IP,
					  .exclude_kernel = strchr(name, ':') != NULL,
					  .exclude_hv = 1 };
	return try_event(f, attr, name, pid, q);
}

static int try_user(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	return try_clock(f, attr, "cpu-clock:u", 0, q);
}

static int try_kernel(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	return try_clock(f, attr, "cpu-clock", 0, q);
}

static int try_system(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	return try_clock(f, attr, "cpu-clock", -1, q);
}

/* Conclude from the facts; opening a counter would touch another user's process. */
static int try_others(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	int error = try_user(f, attr, q);

	if (error || facts__is_privileged(f) || facts__has(f, CAPABILITY_SYS_PTRACE))
		return error;
	q->pid = 1;
	q->owner = f->self.uid ? 0 : UINT32_MAX;
	return q->error = -EACCES;
}

static int try_hardware(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	*attr = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE,
					  .config = PERF_COUNT_HW_CPU_CYCLES,
					  .sample_period = 1000000,
					  .sample_type = PERF_SAMPLE_IP,
					  .exclude_kernel = 1,
					  .exclude_hv = 1 };
	return try_event(f, attr, "cycles:u", 0, q);
}

static int try_tracepoints(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	static const char name[] = "sched:sched_switch";
	u64 id = 0;
	int error = f->kernel.tracefs;

	*q = (struct failure){ .attempt = ATTEMPT_TRACEPOINTS, .name = name };
	if (!error) {
		error = file__read_u64("/sys/kernel/tracing/events/sched/sched_switch/id", &id);
		if (error == -ENOENT)
			error = file__read_u64("/sys/kernel/debug/tracing/events/sched/sched_switch/id", &id);
	}
	if (error)
		return q->error = error;
	*attr = (struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT,
					  .config = id,
					  .sample_period = 1,
					  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_RAW };
	return try_event(f, attr, name, 0, q);
}

static int try_breakpoints(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	static volatile int watched;

	*attr = (struct perf_event_attr){ .type = PERF_TYPE_BREAKPOINT,
					  .bp_type = HW_BREAKPOINT_W,
					  .bp_addr = (uintptr_t)&watched,
					  .bp_len = HW_BREAKPOINT_LEN_4,
					  .sample_period = 1,
					  .sample_type = PERF_SAMPLE_IP,
					  .exclude_kernel = 1,
					  .exclude_hv = 1 };
	return try_event(f, attr, "mem:ADDRESS:w:u", 0, q);
}

/* The probe has no path: users who may create probes get -EINVAL. */
static int try_uprobes(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	*attr = (struct perf_event_attr){ .type = (u32)f->sysctl.uprobe_type,
					  .sample_period = 1,
					  .sample_type = PERF_SAMPLE_IP };
	*q = (struct failure){ .attempt = ATTEMPT_OPEN, .name = "uprobe", .attr = attr, .owner = -1 };
	if (!fact__is_known(f->sysctl.uprobe_type))
		return q->error = -ENOENT;
	if (try_event(f, attr, "uprobe", 0, q) == -EINVAL)
		q->error = 0;
	return q->error;
}

static int try_symbols(const struct facts *f, struct perf_event_attr *attr, struct failure *q)
{
	(void)attr;
	*q = (struct failure){ .attempt = ATTEMPT_SYMBOLS, .error = f->kernel.kallsyms };
	return q->error;
}

static const struct ability abilities[] = {
	{ "user", "programs of this user, user space", try_user },
	{ "kernel", "the kernel's part in them", try_kernel },
	{ "others", "other users' processes", try_others },
	{ "system", "whole CPUs (-a)", try_system },
	{ "hardware", "hardware counters (cycles, cache-misses, ...)", try_hardware },
	{ "tracepoints", "tracepoints with their data (sched:sched_switch, ...)", try_tracepoints },
	{ "breakpoints", "breakpoints on memory (mem:ADDRESS)", try_breakpoints },
	{ "uprobes", "probes in programs", try_uprobes },
	{ "symbols", "names of kernel functions", try_symbols },
};

size_t abilities__nr(void)
{
	return ARRAY_SIZE(abilities);
}

const struct ability *abilities__get(size_t i)
{
	return &abilities[i];
}

int ability__try(const struct ability *a, const struct facts *f, const char **blocker, struct finding *out)
{
	struct perf_event_attr attr = { 0 };
	struct failure q = { 0 };
	int error = a->try(f, &attr, &q);

	*blocker = error ? checks__explain(f, &q, out) : NULL;
	return error;
}
