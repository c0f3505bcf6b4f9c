#include "live/limits.h"

#include "base/file.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	PARANOID_DEFAULT = 2,
	MLOCK_KB_DEFAULT = 516,
	CAP_PERFMON_BIT = 38, /* CAP_PERFMON, since 5.8 */
};

/* Signed, since -1 is a value of these files. */
static int read_int(const char *path, int fallback)
{
	struct strbuf sb = STRBUF_INIT;
	int value = fallback;
	char *end;

	if (!file__read_line(path, &sb)) {
		long x = strtol(sb.buf, &end, 10);

		if (end != sb.buf && !*end && x >= INT32_MIN && x <= INT32_MAX)
			value = (int)x;
	}
	strbuf__exit(&sb);
	return value;
}

int limits__paranoid(void)
{
	return read_int("/proc/sys/kernel/perf_event_paranoid", PARANOID_DEFAULT);
}

int limits__kptr_restrict(void)
{
	return read_int("/proc/sys/kernel/kptr_restrict", 0);
}

u64 limits__mlock_bytes(void)
{
	int kb = read_int("/proc/sys/kernel/perf_event_mlock_kb", MLOCK_KB_DEFAULT);

	return (u64)MAX(kb, 0) * 1024;
}

u64 limits__memlock_bytes(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_MEMLOCK, &rl) || rl.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return rl.rlim_cur;
}

u64 limits__ring_bytes(void)
{
	u64 more = limits__memlock_bytes();

	if (more == UINT64_MAX || limits__paranoid() < 0 || limits__is_privileged())
		return UINT64_MAX;
	return limits__mlock_bytes() + more / (u64)MAX(limits__nr_cpus(), 1);
}

u64 limits__max_sample_rate(void)
{
	return (u64)MAX(read_int("/proc/sys/kernel/perf_event_max_sample_rate", 0), 0);
}

u64 limits__raise_nofile(void)
{
	struct rlimit rl;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return 0;
	if (rl.rlim_cur != rl.rlim_max) {
		struct rlimit raised = { .rlim_cur = rl.rlim_max, .rlim_max = rl.rlim_max };

		if (!setrlimit(RLIMIT_NOFILE, &raised))
			rl = raised;
	}
	return rl.rlim_cur;
}

bool limits__is_privileged(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
	u64 effective;

	if (syscall(SYS_capget, &header, data))
		return geteuid() == 0;
	effective = data[0].effective | (u64)data[1].effective << 32;
	return effective & (1ull << CAP_PERFMON_BIT | 1ull << CAP_SYS_ADMIN);
}

int limits__nr_cpus(void)
{
	struct strbuf sb = STRBUF_INIT;
	int_array cpus = { 0 };
	int nr = 0;

	if (!file__read_line("/sys/devices/system/cpu/online", &sb) &&
	    !int_list__parse(sb.buf, 1 << 20, &cpus))
		nr = (int)cpus.nr;
	array__exit(&cpus);
	strbuf__exit(&sb);
	if (!nr)
		nr = (int)sysconf(_SC_NPROCESSORS_ONLN);
	return MAX(nr, 1);
}
