#include "live/counter.h"

#include "base/system/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Constants that the oldest supported header lacks (include/uapi/linux/perf_event.h). */
enum {
	FORMAT_LOST = 1 << 4,
	SAMPLE_WEIGHT_STRUCT = 1 << 24,
	SAMPLE_PAGE_SIZES = 1 << 22 | 1 << 23, /* of data, of code */
	SAMPLE_CGROUP = 1 << 21,
	SW_CGROUP_SWITCHES = 11,
};

/* After E2BIG the kernel writes the size that it knows into attr; restore ours. */
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

int counter__try(struct perf_event_attr attr, pid_t pid, int cpu)
{
	int fd;

	attr.disabled = 1;
	fd = counter__open(&attr, pid, cpu, -1);
	file__close(fd);
	return MIN(fd, 0);
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

/*
 * A sample of an inherited event has its thread's count since 6.12; before, READ and inherit exclude each
 * other.
 */
static bool drop_inherited_read(struct perf_event_attr *a)
{
	bool had = a->inherit && (a->sample_type & PERF_SAMPLE_READ);

	if (had)
		a->inherit = 0;
	return had;
}

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

static bool drop_host_guest(struct perf_event_attr *a)
{
	bool had = a->exclude_guest || a->exclude_host;

	a->exclude_guest = 0;
	a->exclude_host = 0;
	return had;
}

/* arm64's vector length (SVE): processors without SVE refuse it. */
static bool drop_vector_length(struct perf_event_attr *a)
{
#ifdef __aarch64__
	const u64 vg = 1ull << 46; /* asm/perf_regs.h: PERF_REG_ARM64_VG */
#else
	const u64 vg = 0;
#endif
	bool had = (a->sample_regs_user | a->sample_regs_intr) & vg;

	a->sample_regs_user &= ~vg;
	a->sample_regs_intr &= ~vg;
	return had;
}

/* A flag of the system call, not an attribute: counter__flags reads it. */
static bool drop_cloexec(struct perf_event_attr *a)
{
	(void)a;
	return true;
}

/*
 * Features by the kernel that brought them, newest first. drop removes the feature from attr and returns
 * whether it was there.
 */
static const struct feature {
	const char *since;
	bool (*drop)(struct perf_event_attr *a);
} features[] = {
	{ "6.12", drop_inherited_read },  { "6.1", drop_vector_length },  { "6.0", drop_format_lost },
	{ "5.12", drop_build_id },        { "5.12", drop_weight_struct }, { "5.11", drop_page_sizes },
	{ "5.8", drop_text_poke },        { "5.7", drop_cgroup },         { "5.1", drop_bpf_event },
	{ "5.1", drop_ksymbol },          { "4.12", drop_namespaces },    { "4.8", drop_sample_max_stack },
	{ "4.7", drop_write_backward },   { "4.3", drop_context_switch }, { "3.16", drop_mmap2 },
	{ "3.16", drop_comm_exec },       { "3.14", drop_cloexec },       { "3.2", drop_host_guest },
	{ "2.6.38", drop_sample_id_all },
};
enum { NR_FEATURES = ARRAY_SIZE(features) };
_Static_assert(NR_FEATURES <= 32, "counter_missing.bits");

void counter_missing__apply(const struct counter_missing *m, struct perf_event_attr *attr)
{
	for (size_t i = 0; i < NR_FEATURES; i++)
		if (m->bits & 1u << i)
			features[i].drop(attr);
}

bool counter__drop_refused(struct perf_event_attr *attr, const struct perf_event_attr *wanted,
			   const struct perf_event_attr *opened)
{
	bool dropped = false;

	for (size_t i = 0; i < NR_FEATURES; i++) {
		struct perf_event_attr before = *wanted, after = *opened;

		if (features[i].drop != drop_cloexec && features[i].drop(&before) &&
		    !features[i].drop(&after) && features[i].drop(attr))
			dropped = true;
	}
	return dropped;
}

struct opening { /* arguments of the system call besides the attr */
	pid_t pid;
	int cpu, group_fd;
	unsigned long flags; /* besides PERF_FLAG_FD_CLOEXEC */
};

/* Open wanted without the features in bits; attr is what was tried. */
static int open_without(u32 bits, const struct perf_event_attr *wanted, struct perf_event_attr *attr,
			const struct opening *o)
{
	struct counter_missing m = { .bits = bits };
	unsigned long cloexec = PERF_FLAG_FD_CLOEXEC;
	int fd;

	for (size_t i = 0; i < NR_FEATURES; i++)
		if (bits & 1u << i && features[i].drop == drop_cloexec)
			cloexec = 0;
	*attr = *wanted;
	counter_missing__apply(&m, attr);
	fd = open_with(attr, o->pid, o->cpu, o->group_fd, o->flags | cloexec);
	if (fd >= 0 && !cloexec)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

static bool is_refusal(int error)
{
	return error == -EINVAL || error == -E2BIG;
}

/*
 * Dropping removes features from the newest on until opening works, so it may remove harmless ones: put back
 * each one that works. fd was opened without *bits; return a descriptor opened without the new *bits.
 */
static int put_back(u32 *bits, u32 known, const struct perf_event_attr *wanted, struct perf_event_attr *attr,
		    const struct opening *o, int fd)
{
	for (int i = NR_FEATURES - 1; i >= 0; i--) {
		u32 bit = 1u << i;
		struct perf_event_attr with;
		int better;

		if (!(*bits & bit) || (known & bit))
			continue;
		better = open_without(*bits & ~bit, wanted, &with, o);
		if (better < 0)
			continue;
		close(fd);
		fd = better;
		*attr = with;
		*bits &= ~bit;
	}
	return fd;
}

static int open_by_features(struct counter_missing *m, struct perf_event_attr *attr, const struct opening *o)
{
	const struct perf_event_attr wanted = *attr;
	u32 bits = m->bits;
	int fd = open_without(bits, &wanted, attr, o);

	for (size_t i = 0; is_refusal(fd) && i < NR_FEATURES; i++) {
		struct perf_event_attr copy = *attr;

		if (bits & 1u << i || !features[i].drop(&copy))
			continue;
		bits |= 1u << i;
		fd = open_without(bits, &wanted, attr, o);
	}
	if (fd < 0) { /* no feature explains the refusal: learn nothing */
		*attr = wanted;
		counter_missing__apply(m, attr);
		return fd;
	}
	if (bits != m->bits)
		fd = put_back(&bits, m->bits, &wanted, attr, o, fd);
	m->bits = bits;
	return fd;
}

/* Software events refuse the vector length even where hardware events accept it. */
static int open_adapting(struct counter_missing *m, struct perf_event_attr *attr, const struct opening *o)
{
	int fd = open_by_features(m, attr, o);

	if (fd == -EOPNOTSUPP && drop_vector_length(attr))
		fd = open_by_features(m, attr, o);
	return fd;
}

int counter__open_adapting(struct counter_missing *m, struct perf_event_attr *attr, pid_t pid, int cpu,
			   int group_fd)
{
	return open_adapting(m, attr, &(struct opening){ .pid = pid, .cpu = cpu, .group_fd = group_fd });
}

int counter__open_for_cgroup(struct counter_missing *m, struct perf_event_attr *attr, int fd, int cpu,
			     int group_fd)
{
	return open_adapting(
		m, attr,
		&(struct opening){
			.pid = fd, .cpu = cpu, .group_fd = group_fd, .flags = PERF_FLAG_PID_CGROUP });
}

bool counter__is_missing_hardware(int error)
{
	/* EINVAL: PMUs of some hypervisors. EBUSY: another user has the PMU. EIO: it does not answer. */
	static const int errors[] = { ENOENT, ENODEV, EOPNOTSUPP, ENXIO, EINVAL, EBUSY, EIO };

	error = error < 0 ? -error : error;
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i] == error)
			return true;
	return false;
}

bool counter__is_all_kernel(const struct perf_event_attr *attr, const char *name)
{
	switch (attr->type) {
	case PERF_TYPE_TRACEPOINT: /* system calls count as user space */
		return strncmp(name, "syscalls:", 9) != 0;
	case PERF_TYPE_BREAKPOINT:
		return (s64)attr->bp_addr < 0;
	case PERF_TYPE_SOFTWARE:
		return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		       attr->config == PERF_COUNT_SW_CPU_MIGRATIONS || attr->config == SW_CGROUP_SWITCHES;
	default:
		return false;
	}
}

/* ---- reading ---- */

/* Return the next word and advance *at; past the end return 0. */
static u64 next_word(const u64 *words, size_t nr, size_t *at)
{
	size_t i = (*at)++;

	return i < nr ? words[i] : 0;
}

int counter__parse_reading(const u64 *words, size_t nr, u64 read_format, u64 id,
			   struct counter_reading *reading)
{
	bool is_group = read_format & PERF_FORMAT_GROUP;
	size_t at = 0;
	u64 nr_members = is_group ? next_word(words, nr, &at) : 1, own_id = id;

	*reading = (struct counter_reading){ 0 };
	if (!is_group)
		reading->value = next_word(words, nr, &at);
	if (read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		reading->enabled = next_word(words, nr, &at);
	if (read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		reading->running = next_word(words, nr, &at);
	for (u64 i = 0; i < nr_members && at <= nr; i++) {
		if (is_group)
			reading->value = next_word(words, nr, &at);
		if (read_format & PERF_FORMAT_ID)
			own_id = next_word(words, nr, &at);
		if (read_format & FORMAT_LOST)
			reading->lost = next_word(words, nr, &at);
		if (own_id == id && at <= nr)
			return 0;
	}
	return -ENOENT;
}

int counter__read(int fd, u64 read_format, u64 id, struct counter_reading *reading)
{
	enum { HEAD_WORDS = 3, MEMBER_WORDS = 3, MEMBERS_MAX = 1024 };
	u64 few[HEAD_WORDS + MEMBER_WORDS * 8], *words = few;
	ssize_t size = read(fd, few, sizeof(few));
	int ret;

	if (size < 0 && errno == ENOSPC) { /* a large group */
		words = xcalloc(HEAD_WORDS + MEMBER_WORDS * MEMBERS_MAX, sizeof(*words));
		size = read(fd, words, (HEAD_WORDS + MEMBER_WORDS * MEMBERS_MAX) * sizeof(*words));
	}
	ret = size < 0 ? -errno
		       : counter__parse_reading(words, (size_t)size / sizeof(*words), read_format, id,
						reading);
	if (words != few)
		free(words);
	return ret;
}

int counter__free_breakpoints(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = PERF_ATTR_SIZE_VER1,
					.bp_addr = sizeof(long),
					.bp_type = HW_BREAKPOINT_W,
					.bp_len = 1,
					.disabled = 1,
					.exclude_kernel = 1 };
	int fds[BREAKPOINTS_MAX], nr = 0, fd = 0;

	while (nr < BREAKPOINTS_MAX && (fd = counter__open(&attr, 0, -1, -1)) >= 0)
		fds[nr++] = fd;
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	return nr || fd == -ENOSPC ? nr : -1;
}

size_t counter__breakpoints_to_try(void)
{
	enum { USUAL = 4 };
	int nr = counter__free_breakpoints();

	return nr > 0 ? (size_t)nr : USUAL;
}
