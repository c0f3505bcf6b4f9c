#include "live/limits.h"

#include "base/system/file.h"
#include "live/facts.h"

#include <sys/resource.h>
#include <unistd.h>

u64 limits__ring_bytes(void)
{
	struct facts f;
	u64 bytes;

	facts__read(&f, "/proc", "/sys");
	bytes = facts__ring_bytes(&f);
	return bytes == UINT64_MAX ? bytes : bytes / f.kernel.nr_cpus;
}

u64 limits__max_sample_rate(void)
{
	u64 rate;

	return file__read_u64("/proc/sys/kernel/perf_event_max_sample_rate", &rate) ? 0 : rate;
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

int limits__nr_cpus(void)
{
	return (int)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

void limits__online_cpus(int_array *cpus)
{
	struct strbuf text = STRBUF_INIT;
	int ret = file__read_line("/sys/devices/system/cpu/online", &text);

	if (!ret)
		ret = int_list__parse(text.buf, 1 << 20, cpus);
	strbuf__exit(&text);
	if (ret || !cpus->nr) {
		cpus->nr = 0;
		for (int i = 0, nr = limits__nr_cpus(); i < nr; i++)
			array__add(cpus, i);
	}
}
