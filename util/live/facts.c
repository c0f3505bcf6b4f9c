#include "live/facts.h"

#include "base/system/file.h"
#include "base/text/mask.h"
#include "live/counter.h"

#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	START_BYTES = 8192, /* enough for an address in kallsyms, and the first processor of cpuinfo */
	MLOCK_KB_DEFAULT = 516,
};

/* Numbers that are the same on every kernel: include/linux/proc_ns.h. */
#define INITIAL_USER_NAMESPACE "user:[4026531837]"
#define INITIAL_PID_NAMESPACE "pid:[4026531836]"

/* ---- files ---- */

/* Parse the first number; some are -1. */
static s64 parse_number(const char *text)
{
	long long x;
	char *end;

	errno = 0;
	x = strtoll(text, &end, 10);
	if (errno || end == text || (*end && *end != '\t' && *end != ' '))
		return FACT_UNKNOWN;
	return x;
}

/* Return the value after a name at the beginning of a line of text, or NULL. */
static const char *find_field(const char *text, const char *name)
{
	size_t len = strlen(name);

	while (text && strncmp(text, name, len)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text ? text + len : NULL;
}

/* ---- numbers ---- */

static const struct number {
	const char *name; /* name as in sysctl(8) */
	bool in_sys;      /* path is below /sys, else below /proc */
	const char *path;
	size_t field;
} numbers[] = {
#define SYSCTL(name, path, field)                                              \
	{                                                                      \
		name, false, "sys/" path, offsetof(struct fact_sysctls, field) \
	}
#define PMU(name, field)                                                                   \
	{                                                                                  \
		"type of " name " events", true, "bus/event_source/devices/" name "/type", \
			offsetof(struct fact_sysctls, field)                               \
	}
	SYSCTL("kernel.perf_event_paranoid", "kernel/perf_event_paranoid", paranoid),
	SYSCTL("kernel.kptr_restrict", "kernel/kptr_restrict", kptr_restrict),
	SYSCTL("kernel.perf_event_mlock_kb", "kernel/perf_event_mlock_kb", mlock_kb),
	SYSCTL("kernel.perf_event_max_sample_rate", "kernel/perf_event_max_sample_rate", max_sample_rate),
	SYSCTL("kernel.perf_cpu_time_max_percent", "kernel/perf_cpu_time_max_percent", cpu_time_max_percent),
	SYSCTL("kernel.perf_event_max_stack", "kernel/perf_event_max_stack", max_stack),
	SYSCTL("kernel.nmi_watchdog", "kernel/nmi_watchdog", nmi_watchdog),
	SYSCTL("kernel.yama.ptrace_scope", "kernel/yama/ptrace_scope", ptrace_scope),
	SYSCTL("kernel.cap_last_cap", "kernel/cap_last_cap", last_capability),
	SYSCTL("fs.file-max", "fs/file-max", file_max),
	PMU("uprobe", uprobe_type),
	PMU("kprobe", kprobe_type),
#undef PMU
#undef SYSCTL
};

static s64 number_of(const struct fact_sysctls *s, const struct number *n)
{
	s64 value;

	memcpy(&value, (const char *)s + n->field, sizeof(value));
	return value;
}

static void read_numbers(struct fact_sysctls *s, const char *proc, const char *sys)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char *root = numbers[i].in_sys ? sys : proc;
		bool read = !file__read_linef(&sb, "%s/%s", root, numbers[i].path);
		s64 value = read ? parse_number(sb.buf) : FACT_UNKNOWN;

		memcpy((char *)s + numbers[i].field, &value, sizeof(value));
	}
	strbuf__exit(&sb);
}

/* ---- this process ---- */

static void parse_status(struct fact_process *p, const char *text)
{
	const char *uid = find_field(text, "Uid:"), *caps = find_field(text, "CapEff:");
	const char *seccomp = find_field(text, "Seccomp:");
	unsigned real, effective, mode;
	unsigned long long bits;

	p->uid = UINT32_MAX;
	p->seccomp = 0;
	if (uid && sscanf(uid, " %u %u", &real, &effective) == 2)
		p->uid = effective;
	if (caps && sscanf(caps, " %llx", &bits) == 1)
		p->capabilities = bits;
	if (seccomp && sscanf(seccomp, " %u", &mode) == 1)
		p->seccomp = mode;
}

/* Read a link with control characters masked; "" if it is missing or too long. */
static void read_link(const char *proc, const char *name, char *target, size_t size)
{
	char *path = xasprintf("%s/self/%s", proc, name);
	ssize_t n = readlink(path, target, size);

	free(path);
	target[n > 0 && (size_t)n < size ? n : 0] = '\0';
	mask_controls(target, strlen(target), NULL);
}

/* A missing link says nothing: return false. */
static bool is_other_namespace(const char *proc, const char *name, const char *initial)
{
	char target[64];

	read_link(proc, name, target, sizeof(target));
	return *target && strcmp(target, initial) != 0;
}

static bool hides_processes(const char *proc)
{
	char *path = xasprintf("%s/self/mounts", proc), line[LINE_MAX];
	FILE *mounts = setmntent(path, "re");
	bool hides = false;
	struct mntent m;

	while (mounts && getmntent_r(mounts, &m, line, sizeof(line))) {
		const char *hide = hasmntopt(&m, "hidepid"); /* a number, or since 5.8 a word */

		if (!strcmp(m.mnt_dir, "/proc") && !strcmp(m.mnt_type, "proc")) /* the last mount counts */
			hides = hide && hide[8] != '0' && strncmp(hide + 8, "off", 3);
	}
	if (mounts)
		endmntent(mounts);
	free(path);
	return hides;
}

static struct fact_limit get_limit(int resource)
{
	struct fact_limit l = { UINT64_MAX, UINT64_MAX };
	struct rlimit rl;

	if (getrlimit(resource, &rl))
		return l;
	l.soft = rl.rlim_cur == RLIM_INFINITY ? UINT64_MAX : rl.rlim_cur;
	l.hard = rl.rlim_max == RLIM_INFINITY ? UINT64_MAX : rl.rlim_max;
	return l;
}

static void read_self(struct fact_process *p, const char *proc)
{
	struct strbuf sb = STRBUF_INIT;

	file__read_linef(&sb, "%s/self/status", proc);
	parse_status(p, sb.buf);
	read_link(proc, "exe", p->program, sizeof(p->program));
	p->user_namespace = is_other_namespace(proc, "ns/user", INITIAL_USER_NAMESPACE);
	p->pid_namespace = is_other_namespace(proc, "ns/pid", INITIAL_PID_NAMESPACE);
	p->proc_hides = hides_processes(proc);
	strbuf__exit(&sb);
}

/* ---- the kernel ---- */

/* "none [integrity] confidentiality" */
static enum fact_lockdown parse_lockdown(const char *text)
{
	if (strstr(text, "[confidentiality]"))
		return LOCKDOWN_CONFIDENTIALITY;
	return strstr(text, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
}

/* Looking into the second folder mounts it. */
static int look_at_tracefs(const char *sys)
{
	int ret = folder__names(NULL, false, "%s/kernel/tracing/events", sys), older;

	if (ret != -ENOENT)
		return ret;
	older = folder__names(NULL, false, "%s/kernel/debug/tracing/events", sys);
	return older == -ENOENT || older == -EACCES ? ret : older;
}

/*
 * Read at most size - 1 bytes of a file that is slow to read in full. Return their number, or a negative
 * errno.
 */
static int read_start(const char *root, const char *name, char *text, size_t size)
{
	char *path = xasprintf("%s/%s", root, name);
	int fd = file__open_regular(path);
	ssize_t n;

	free(path);
	*text = '\0';
	if (fd < 0)
		return fd;
	n = file__read_all(fd, text, size - 1);
	close(fd);
	if (n >= 0)
		text[n] = '\0';
	return (int)n;
}

/* Lines are "ADDRESS TYPE NAME"; users who may not see addresses get 0. */
int facts__kallsyms(const char *proc)
{
	char text[START_BYTES];
	int n = read_start(proc, "kallsyms", text, sizeof(text));

	for (const char *line = text; n > 0 && line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strtoull(line, NULL, 16))
			return 0;
	}
	return n < 0 ? n : -EPERM;
}

/*
 * Core PMUs are "cpu" on x86, "cpum_cf" on s390, and on other and hybrid machines those with a file "cpus".
 */
static bool has_core_pmu(const char *sys)
{
	name_array names = { 0 };
	bool found = false;

	folder__names(&names, false, "%s/bus/event_source/devices", sys);
	for (size_t i = 0; i < names.nr && !found; i++) {
		char *cpus = xasprintf("%s/bus/event_source/devices/%s/cpus", sys, names.v[i]);

		found = !strcmp(names.v[i], "cpu") || !strcmp(names.v[i], "cpum_cf") || !access(cpus, F_OK);
		free(cpus);
	}
	name_array__exit(&names);
	return found;
}

/* Look at the first processor only. */
static bool is_virtual(const char *proc)
{
	char text[START_BYTES];
	const char *flags, *word;

	if (read_start(proc, "cpuinfo", text, sizeof(text)) < 0)
		return false;
	flags = find_field(text, "flags\t");
	word = flags ? strstr(flags, " hypervisor") : NULL;
	return word && word < strchrnul(flags, '\n');
}

static void read_kernel(struct fact_kernel *k, const char *proc, const char *sys)
{
	struct strbuf sb = STRBUF_INIT;
	int_array cpus = { 0 };

	if (!file__read_linef(&sb, "%s/kernel/security/lockdown", sys))
		k->lockdown = parse_lockdown(sb.buf);
	file__read_linef(&sb, "%s/kernel/security/lsm", sys);
	snprintf(k->security_modules, sizeof(k->security_modules), "%s", sb.buf);
	k->tracefs = look_at_tracefs(sys);
	k->kallsyms = facts__kallsyms(proc);
	k->has_core_pmu = has_core_pmu(sys);
	k->hypervisor = is_virtual(proc);
	k->nr_cpus = 1;
	if (!file__read_linef(&sb, "%s/devices/system/cpu/online", sys) &&
	    !int_list__parse(sb.buf, 1 << 20, &cpus) && cpus.nr)
		k->nr_cpus = (u32)cpus.nr;
	array__exit(&cpus);
	strbuf__exit(&sb);
}

void facts__read(struct facts *f, const char *proc, const char *sys)
{
	*f = (struct facts){
		.self = { .nofile = get_limit(RLIMIT_NOFILE), .memlock = get_limit(RLIMIT_MEMLOCK) },
		.calls = { .wrong_flags = CALL_UNTRIED, .user_space = CALL_UNTRIED, .free_breakpoints = -1 },
	};
	read_numbers(&f->sysctl, proc, sys);
	read_self(&f->self, proc);
	read_kernel(&f->kernel, proc, sys);
}

/* ---- calls ---- */

/* The kernel checks flags before permissions. */
static int call_wrongly(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0ul) < 0 ? errno : 0;
}

/* A filter may kill the caller: call in a child process. */
static int call_in_child(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(call_wrongly());
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return CALL_UNTRIED;
	return WIFSIGNALED(status) ? CALL_KILLED : -WEXITSTATUS(status);
}

static int try_user_counter(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return counter__try(attr, 0, -1);
}

static void facts__probe(struct facts *f)
{
	f->calls.wrong_flags = f->self.seccomp == 2 ? call_in_child() : -call_wrongly();
	if (f->calls.wrong_flags == CALL_KILLED)
		return;
	f->calls.user_space = try_user_counter();
	f->calls.free_breakpoints = counter__free_breakpoints();
}

void facts__init(struct facts *f)
{
	facts__read(f, "/proc", "/sys");
	facts__probe(f);
}

/* ---- what follows from them ---- */

bool facts__has(const struct facts *f, enum fact_capability c)
{
	return !f->self.user_namespace && (f->self.capabilities & (u64)1 << c);
}

bool facts__is_privileged(const struct facts *f)
{
	return facts__has(f, CAPABILITY_PERFMON) || facts__has(f, CAPABILITY_SYS_ADMIN);
}

u64 facts__ring_bytes(const struct facts *f)
{
	u64 kb = f->sysctl.mlock_kb == FACT_UNKNOWN ? MLOCK_KB_DEFAULT : (u64)MAX(f->sysctl.mlock_kb, 0),
	    bytes;

	if (facts__has(f, CAPABILITY_IPC_LOCK) ||
	    (f->sysctl.paranoid != FACT_UNKNOWN && f->sysctl.paranoid < 0) ||
	    f->self.memlock.soft == UINT64_MAX)
		return UINT64_MAX;
	if (__builtin_mul_overflow(kb, (u64)1024 * f->kernel.nr_cpus, &bytes) ||
	    __builtin_add_overflow(bytes, f->self.memlock.soft, &bytes))
		return UINT64_MAX;
	return bytes;
}

struct fact_text fact__text(s64 value)
{
	struct fact_text t = { "unknown" };

	if (fact__is_known(value))
		snprintf(t.text, sizeof(t.text), "%lld", (long long)value);
	return t;
}

static void tell_limit(const char *name, u64 value, fact_fn fn, void *ctx)
{
	char text[32] = "unlimited";

	if (value != UINT64_MAX)
		snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	fn(name, text, ctx);
}

static void tell_number(const char *name, s64 value, fact_fn fn, void *ctx)
{
	fn(name, fact__text(value).text, ctx);
}

/* strerror, since not every libc has names of errno constants. */
static const char *outcome(int call)
{
	switch (call) {
	case 0:
		return "works";
	case CALL_UNTRIED:
		return "untried";
	case CALL_KILLED:
		return "killed";
	default:
		return strerror(-call);
	}
}

void facts__for_each(const struct facts *f, fact_fn fn, void *ctx)
{
	static const char *const lockdowns[] = { "none", "integrity", "confidentiality" };
	char text[32];

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		tell_number(numbers[i].name, number_of(&f->sysctl, &numbers[i]), fn, ctx);
	tell_number("user id", f->self.uid, fn, ctx);
	snprintf(text, sizeof(text), "%016llx", (unsigned long long)f->self.capabilities);
	fn("effective capabilities", text, ctx);
	fn("user namespace", f->self.user_namespace ? "a container's" : "the machine's", ctx);
	fn("pid namespace", f->self.pid_namespace ? "a container's" : "the machine's", ctx);
	tell_number("seccomp mode", f->self.seccomp, fn, ctx);
	tell_limit("RLIMIT_NOFILE, soft", f->self.nofile.soft, fn, ctx);
	tell_limit("RLIMIT_NOFILE, hard", f->self.nofile.hard, fn, ctx);
	tell_limit("RLIMIT_MEMLOCK, bytes", f->self.memlock.soft, fn, ctx);
	tell_limit("memory for rings, bytes", facts__ring_bytes(f), fn, ctx);
	fn("/proc hides processes", f->self.proc_hides ? "yes" : "no", ctx);
	fn("kernel lockdown", lockdowns[f->kernel.lockdown], ctx);
	fn("security modules", *f->kernel.security_modules ? f->kernel.security_modules : "unknown", ctx);
	fn("tracefs", outcome(f->kernel.tracefs), ctx);
	fn("kernel addresses", outcome(f->kernel.kallsyms), ctx);
	tell_number("CPUs online", f->kernel.nr_cpus, fn, ctx);
	fn("hypervisor", f->kernel.hypervisor ? "yes" : "no", ctx);
	fn("driver of hardware counters", f->kernel.has_core_pmu ? "yes" : "no", ctx);
	fn("perf_event_open with wrong flags", outcome(f->calls.wrong_flags), ctx);
	fn("perf_event_open for user space", outcome(f->calls.user_space), ctx);
	tell_number("free breakpoints",
		    f->calls.free_breakpoints < 0 ? FACT_UNKNOWN : f->calls.free_breakpoints, fn, ctx);
}
