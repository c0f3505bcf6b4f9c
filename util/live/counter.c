#include "live/counter.h"

#include "base/file.h"
#include "live/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the oldest header that we build with may not name (include/uapi/linux/perf_event.h). */
enum {
	FORMAT_LOST = 1 << 4,
	SAMPLE_WEIGHT_STRUCT = 1 << 24,
	SAMPLE_PAGE_SIZES = 1 << 22 | 1 << 23, /* of data, of code */
	SAMPLE_CGROUP = 1 << 21,
};

/* The kernel writes the size that it knows into attr after E2BIG; attr's own stays. */
static int open_with(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	u32 size = attr->size;
	long fd;

	if (!attr->size)
		attr->size = sizeof(*attr);
	do
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	while (fd < 0 && errno == EINTR);
	if (fd < 0) {
		int error = errno;

		attr->size = size;
		return -error;
	}
	return (int)fd;
}

int counter__open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd)
{
	return open_with(attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

/* ---- what older kernels lack ---- */

#define DROP_BIT(field)                                     \
	static bool drop_##field(struct perf_event_attr *a) \
	{                                                   \
		bool had = a->field;                        \
                                                            \
		a->field = 0;                               \
		return had;                                 \
	}
DROP_BIT(build_id)
DROP_BIT(text_poke)
DROP_BIT(bpf_event)
DROP_BIT(ksymbol)
DROP_BIT(namespaces)
DROP_BIT(write_backward)
DROP_BIT(context_switch)
DROP_BIT(mmap2)
DROP_BIT(comm_exec)
DROP_BIT(sample_id_all)
DROP_BIT(sample_max_stack)
#undef DROP_BIT

static bool drop_format_lost(struct perf_event_attr *a)
{
	bool had = a->read_format & FORMAT_LOST;

	a->read_format &= ~(u64)FORMAT_LOST;
	return had;
}

static bool drop_weight_struct(struct perf_event_attr *a)
{
	bool had = a->sample_type & SAMPLE_WEIGHT_STRUCT;

	if (had)
		a->sample_type = (a->sample_type & ~(u64)SAMPLE_WEIGHT_STRUCT) | PERF_SAMPLE_WEIGHT;
	return had;
}

static bool drop_page_sizes(struct perf_event_attr *a)
{
	bool had = a->sample_type & SAMPLE_PAGE_SIZES;

	a->sample_type &= ~(u64)SAMPLE_PAGE_SIZES;
	return had;
}

static bool drop_cgroup(struct perf_event_attr *a)
{
	bool had = a->cgroup || (a->sample_type & SAMPLE_CGROUP);

	a->cgroup = 0;
	a->sample_type &= ~(u64)SAMPLE_CGROUP;
	return had;
}

static bool drop_clockid(struct perf_event_attr *a)
{
	bool had = a->use_clockid;

	a->use_clockid = 0;
	a->clockid = 0;
	return had;
}

static bool drop_host_guest(struct perf_event_attr *a)
{
	bool had = a->exclude_guest || a->exclude_host;

	a->exclude_guest = 0;
	a->exclude_host = 0;
	return had;
}

/* No attribute at all but a flag of the system call: seen by counter__flags. */
static bool drop_cloexec(struct perf_event_attr *a)
{
	(void)a;
	return true;
}

/* Newest first. drop takes the feature out; whether it was in. */
static const struct feature {
	const char *since;
	bool (*drop)(struct perf_event_attr *a);
} features[] = {
	{ "6.0", drop_format_lost },      { "5.12", drop_build_id },      { "5.12", drop_weight_struct },
	{ "5.11", drop_page_sizes },      { "5.8", drop_text_poke },      { "5.7", drop_cgroup },
	{ "5.1", drop_bpf_event },        { "5.1", drop_ksymbol },        { "4.12", drop_namespaces },
	{ "4.8", drop_sample_max_stack }, { "4.7", drop_write_backward }, { "4.3", drop_context_switch },
	{ "4.1", drop_clockid },          { "3.16", drop_mmap2 },         { "3.16", drop_comm_exec },
	{ "3.14", drop_cloexec },         { "3.2", drop_host_guest },     { "2.6.38", drop_sample_id_all },
};
enum { NR_FEATURES = ARRAY_SIZE(features) };
_Static_assert(NR_FEATURES <= 32, "counter_missing.bits");

void counter_missing__apply(const struct counter_missing *m, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < NR_FEATURES; i++)
		if (m->bits & 1u << i)
			features[i].drop(attr);
}

/* Opens wanted without the features of bits; attr is what was tried. */
static int open_without(u32 bits, const struct perf_event_attr *wanted, struct perf_event_attr *attr,
			pid_t pid, int cpu, int group_fd)
{
	struct counter_missing m = { .bits = bits };
	unsigned long flags = PERF_FLAG_FD_CLOEXEC;
	int fd;

	for (size_t i = 0; i < NR_FEATURES; i++)
		if (bits & 1u << i && features[i].drop == drop_cloexec)
			flags = 0;
	*attr = *wanted;
	counter_missing__apply(&m, attr);
	fd = open_with(attr, pid, cpu, group_fd, flags);
	if (fd >= 0 && !flags)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static bool is_refusal(int error)
{
	return error == -EINVAL || error == -E2BIG;
}

/*
 * Dropping goes on from the newest until it helps, so it also took features that are not to blame: puts each
 * back that can be. fd is open without *bits; returns the descriptor that is open without the new *bits.
 */
static int put_back(u32 *bits, u32 known, const struct perf_event_attr *wanted, struct perf_event_attr *attr,
		    pid_t pid, int cpu, int group_fd, int fd)
{
	for (int i = NR_FEATURES - 1; i >= 0; i--) {
		u32 bit = 1u << i;
		struct perf_event_attr with;
		int better;

		if (!(*bits & bit) || (known & bit))
			continue;
		better = open_without(*bits & ~bit, wanted, &with, pid, cpu, group_fd);
		if (better < 0)
			continue;
		close(fd);
		fd = better;
		*attr = with;
		*bits &= ~bit;
	}
	return fd;
}

int counter__open_adapting(struct counter_missing *m, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group_fd)
{
	const struct perf_event_attr wanted = *attr;
	u32 bits = m->bits;
	int fd = open_without(bits, &wanted, attr, pid, cpu, group_fd);

	for (size_t i = 0; is_refusal(fd) && i < NR_FEATURES; i++) {
		struct perf_event_attr copy = *attr;

		if (bits & 1u << i || !features[i].drop(&copy))
			continue;
		bits |= 1u << i;
		fd = open_without(bits, &wanted, attr, pid, cpu, group_fd);
	}
	if (fd < 0) { /* nothing is learned from a refusal that no feature explains */
		*attr = wanted;
		counter_missing__apply(m, attr);
		return fd;
	}
	if (bits != m->bits)
		fd = put_back(&bits, m->bits, &wanted, attr, pid, cpu, group_fd, fd);
	m->bits = bits;
	return fd;
}

bool counter__is_missing_hardware(int error)
{
	/* EINVAL: PMUs of some hypervisors. EBUSY: somebody else holds the PMU. EIO: it does not answer. */
	static const int errors[] = { ENOENT, ENODEV, EOPNOTSUPP, ENXIO, EINVAL, EBUSY, EIO };

	error = error < 0 ? -error : error;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i] == error)
			return true;
	return false;
}

/* ---- explanations ---- */

static const char *name_of(const struct evsel *e)
{
	return e->name ? e->name : "(unnamed)";
}

/* The highest perf_event_paranoid that allows this to people without privileges. */
static int paranoid_needed(const struct evsel *e, bool system_wide)
{
	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return -1;
	if (system_wide)
		return 0;
	return e->attr.exclude_kernel ? 2 : 1;
}

static void explain_permission(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	int value = limits__paranoid(), needed = paranoid_needed(e, system_wide);

	if (limits__is_privileged() || value <= needed) {
		err__set(err, error,
			 "no permission to open '%s' (%s), and not because of perf_event_paranoid, which is "
			 "%d",
			 name_of(e), err__str(error), value);
		err__advise(err, "the process may be another user's, or a container's seccomp filter or a "
				 "security module may "
				 "forbid perf_event_open");
		err__advise(
			err,
			"in a container: run it with --cap-add PERFMON --security-opt seccomp=unconfined");
		return;
	}
	err__set(err, error, "no permission to open '%s'%s (%s): perf_event_paranoid is %d", name_of(e),
		 system_wide ? " for all processes" : "", err__str(error), value);
	err__advise(err,
		    "as root: sysctl -w kernel.perf_event_paranoid=%d, or run as root or with CAP_PERFMON",
		    needed);
	if (!system_wide && !e->attr.exclude_kernel && value == 2 && e->attr.type != PERF_TYPE_BREAKPOINT)
		err__advise(err, "or leave the kernel out: -e %.*s:u", (int)strcspn(name_of(e), ":"),
			    name_of(e));
}

static void explain_files(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	struct rlimit rl = { 0 };

	(void)system_wide;
	getrlimit(RLIMIT_NOFILE, &rl);
	err__set(err, error, "too many open files while opening '%s': RLIMIT_NOFILE is %llu", name_of(e),
		 (unsigned long long)rl.rlim_cur);
	err__advise(err,
		    "raise it: ulimit -n %llu (above the hard limit of %llu only as root), or record fewer "
		    "CPUs or threads",
		    (unsigned long long)rl.rlim_cur * 4, (unsigned long long)rl.rlim_max);
}

static void explain_system_files(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	u64 max = 0;

	(void)system_wide;
	file__read_u64("/proc/sys/fs/file-max", &max);
	err__set(err, error,
		 "the whole system has too many open files while opening '%s': fs.file-max is %llu",
		 name_of(e), (unsigned long long)max);
	err__advise(err, "as root: sysctl -w fs.file-max=%llu",
		    (unsigned long long)(max > UINT64_MAX / 4 ? max : max * 2));
}

static void explain_space(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	(void)system_wide;
	if (e->attr.type == PERF_TYPE_BREAKPOINT)
		err__set(err, error,
			 "no free breakpoint register for '%s': the processor has few (4 on x86), and each "
			 "mem: event takes one",
			 name_of(e));
	else
		err__set(err, error, "no counter is left for '%s'", name_of(e));
	err__advise(err, "record fewer such events at once, and end debuggers that hold some");
}

static void explain_busy(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	(void)system_wide;
	err__set(err, error, "the counters for '%s' are in use by somebody else", name_of(e));
	err__advise(err, "another profiler may hold them; the NMI watchdog holds one: sysctl -w "
			 "kernel.nmi_watchdog=0");
}

static void explain_unsupported(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	(void)system_wide;
	if (e->attr.precise_ip)
		err__set(err, error, "'%s' is not supported here with precise_ip %u (%s)", name_of(e),
			 (unsigned)e->attr.precise_ip, err__str(error));
	else
		err__set(err, error, "'%s' is not supported by this machine (%s)", name_of(e),
			 err__str(error));
	if (e->attr.precise_ip)
		err__advise(err, "leave out the p and P modifiers");
	if (e->attr.type == PERF_TYPE_HARDWARE || e->attr.type == PERF_TYPE_HW_CACHE ||
	    e->attr.type == PERF_TYPE_RAW)
		err__advise(
			err,
			"virtual machines often have no hardware counters; -e cpu-clock works everywhere");
}

static void explain_no_process(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	(void)system_wide;
	err__set(err, error, "no such process or thread (any more) to open '%s' for", name_of(e));
}

static void explain_no_system_call(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	(void)system_wide;
	err__set(err, error, "cannot open '%s': this kernel has no perf_event_open, or a sandbox hides it",
		 name_of(e));
}

static void explain_overflow(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	u64 max = 0;

	(void)system_wide;
	file__read_u64("/proc/sys/kernel/perf_event_max_stack", &max);
	err__set(err, error, "call chains of '%s' may have at most %llu entries: kernel.perf_event_max_stack",
		 name_of(e), (unsigned long long)max);
	err__advise(err, "as root: sysctl -w kernel.perf_event_max_stack=%u",
		    (unsigned)e->attr.sample_max_stack);
}

/* The reasons that have a value to compare with come first. */
static void explain_refusal(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	u64 max_rate = limits__max_sample_rate();
	const struct perf_event_attr *a = &e->attr;

	(void)system_wide;
	if (a->freq && max_rate && a->sample_freq > max_rate) {
		err__set(err, error,
			 "cannot sample '%s' at %llu Hz: kernel.perf_event_max_sample_rate is %llu",
			 name_of(e), (unsigned long long)a->sample_freq, (unsigned long long)max_rate);
		err__advise(err, "-F max, or as root: sysctl -w kernel.perf_event_max_sample_rate=%llu",
			    (unsigned long long)a->sample_freq);
	} else if (a->type == PERF_TYPE_BREAKPOINT) {
		err__set(err, error, "the processor refuses '%s': length %llu at 0x%llx", name_of(e),
			 (unsigned long long)a->bp_len, (unsigned long long)a->bp_addr);
		err__advise(err, "lengths are 1, 2, 4 or 8 and divide the address; x86 has w, rw and x, but "
				 "no r alone and "
				 "no x together with others");
	} else {
		err__set(err, error, "the kernel refuses '%s' with these options (%s)", name_of(e),
			 err__str(error));
		err__advise(err, "try it without modifiers and with fewer options");
	}
}

int counter__explain(const struct evsel *e, int error, bool system_wide, struct err *err)
{
	static const struct {
		int error;
		void (*explain)(const struct evsel *e, int error, bool system_wide, struct err *err);
	} rows[] = {
		{ EACCES, explain_permission },  { EPERM, explain_permission },
		{ EMFILE, explain_files },       { ENFILE, explain_system_files },
		{ ENOSPC, explain_space },       { EBUSY, explain_busy },
		{ ENOENT, explain_unsupported }, { EOPNOTSUPP, explain_unsupported },
		{ ENODEV, explain_unsupported }, { ENXIO, explain_unsupported },
		{ ESRCH, explain_no_process },   { ENOSYS, explain_no_system_call },
		{ EOVERFLOW, explain_overflow }, { EINVAL, explain_refusal },
		{ E2BIG, explain_refusal },
	};

	error = error < 0 ? error : -error;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].error == -error) {
			rows[i].explain(e, error, system_wide, err);
			return error;
		}
	}
	return err__set(err, error, "cannot open '%s': %s", name_of(e), err__str(error));
}
