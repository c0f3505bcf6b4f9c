#include "record/host/host_features_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/system/clock.h"
#include "base/system/file.h"

void set_u32(struct strbuf *out, size_t at, u32 x)
{
	memcpy(out->buf + at, &x, sizeof(x));
}

/* ---- the machine ---- */

static int host__uname(struct strbuf *out, size_t field)
{
	struct utsname uts;

	if (uname(&uts))
		return -errno;
	build__string(out, (const char *)&uts + field);
	return 0;
}

static int host__hostname(const struct host_ctx *h, struct strbuf *out)
{
	(void)h;
	return host__uname(out, offsetof(struct utsname, nodename));
}

static int host__osrelease(const struct host_ctx *h, struct strbuf *out)
{
	(void)h;
	return host__uname(out, offsetof(struct utsname, release));
}

static int host__arch(const struct host_ctx *h, struct strbuf *out)
{
	(void)h;
	return host__uname(out, offsetof(struct utsname, machine));
}

static int host__nrcpus(const struct host_ctx *h, struct strbuf *out)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	strbuf__add_u32(out, (u32)host__nr_cpus(h));
	strbuf__add_u32(out, (u32)MAX(online, 1));
	return 0;
}

static int host__total_mem(const struct host_ctx *h, struct strbuf *out)
{
	struct sysinfo info;

	(void)h;
	if (sysinfo(&info))
		return -errno;
	strbuf__add_u64(out, (u64)info.totalram * info.mem_unit / 1024);
	return 0;
}

/* Find the value of "name	: value" in text; runs of blanks become one. */
static bool cpuinfo__value(const char *text, const char *name, struct strbuf *value)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		const char *p = line + len;

		if (strncmp(line, name, len))
			continue;
		p += strspn(p, " \t");
		if (*p++ != ':')
			continue;
		for (p += strspn(p, " \t"); *p && *p != '\n'; p++)
			if (*p != ' ' || (p[1] != ' ' && p[1] != '\n'))
				strbuf__addch(value, *p);
		return value->len > 0;
	}
	return false;
}

/* Read the first processor only: for all of /proc/cpuinfo the kernel asks every CPU for its frequency. */
static int host__cpudesc(const struct host_ctx *h, struct strbuf *out)
{
	static const char *const names[] = { "model name", "cpu model", "Processor", "cpu", "vendor_id" };
	struct strbuf value = STRBUF_INIT;
	char text[4096];
	int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC), ret = -ENOENT;
	ssize_t n;

	(void)h;
	if (fd < 0)
		return -errno;
	n = file__read_all(fd, text, sizeof(text) - 1);
	close(fd);
	text[MAX(n, 0)] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(names) && ret; i++)
		if (cpuinfo__value(text, names[i], &value))
			ret = 0;
	if (!ret)
		build__string(out, value.buf);
	strbuf__exit(&value);
	return ret;
}

#if defined(__x86_64__) || defined(__i386__)
/* vendor,family,model,stepping, as in the processor's manual. */
static int host__cpuid(const struct host_ctx *h, struct strbuf *out)
{
	unsigned a, b, c, d, family, model;
	char vendor[13] = { 0 }, text[64];

	(void)h;
	if (!__get_cpuid(0, &a, &b, &c, &d))
		return -ENOENT;
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return -ENOENT;
	family = a >> 8 & 0xf;
	model = a >> 4 & 0xf;
	if (family == 0xf)
		family += a >> 20 & 0xff;
	if (family >= 6)
		model += (a >> 16 & 0xf) << 4;
	snprintf(text, sizeof(text), "%s,%u,%u,%u", vendor, family, model, a & 0xf);
	build__string(out, text);
	return 0;
}
#else
static int host__cpuid(const struct host_ctx *h, struct strbuf *out)
{
	struct strbuf midr = STRBUF_INIT;
	int ret =
		file__read_linef(&midr, "%s/devices/system/cpu/cpu0/regs/identification/midr_el1", h->sysfs);

	if (!ret)
		build__string(out, midr.buf);
	strbuf__exit(&midr);
	return ret;
}
#endif

/* ---- the recording ---- */

static int host__version(const struct host_ctx *h, struct strbuf *out)
{
	if (!h->opts->version)
		return -ENOENT;
	build__string(out, h->opts->version);
	return 0;
}

/* The program's full path, then its arguments. */
static int host__cmdline(const struct host_ctx *h, struct strbuf *out)
{
	char *exe;

	if (h->opts->argc < 1)
		return -ENOENT;
	exe = file__link_target("/proc/self/exe");
	strbuf__add_u32(out, (u32)h->opts->argc);
	build__string(out, exe ? exe : h->opts->argv[0]);
	free(exe);
	for (int i = 1; i < h->opts->argc; i++)
		build__string(out, h->opts->argv[i]);
	return 0;
}

static int host__event_desc(const struct host_ctx *h, struct strbuf *out)
{
	build__event_desc(out, h->l);
	return 0;
}

static int host__group_desc(const struct host_ctx *h, struct strbuf *out)
{
	u32 nr = 0;
	size_t at = out->len;

	strbuf__add_u32(out, 0);
	for (size_t i = 0; i < h->l->evsels.nr; i++) {
		const struct evsel *e = h->l->evsels.v[i];

		if (e->leader != e->idx || e->nr_members < 2)
			continue;
		build__string(out, e->group_name ? e->group_name : ANONYMOUS_GROUP);
		strbuf__add_u32(out, e->idx);
		strbuf__add_u32(out, e->nr_members);
		nr++;
	}
	set_u32(out, at, nr);
	return nr ? 0 : -ENOENT;
}

/* The presence of this feature says that samples have branch stacks; its section is empty. */
static int host__branch_stack(const struct host_ctx *h, struct strbuf *out)
{
	(void)out;
	return evlist__sample_type_any(h->l) & PERF_SAMPLE_BRANCH_STACK ? 0 : -ENOENT;
}

/* No BPF programs are described. */
static int host__none(const struct host_ctx *h, struct strbuf *out)
{
	(void)h;
	strbuf__add_u32(out, 0);
	return 0;
}

/* ---- the clock of -k ---- */

static const struct perf_event_attr *host__clock(const struct host_ctx *h)
{
	const struct evlist *l = h->l;

	return l && l->evsels.nr && l->evsels.v[0]->attr.use_clockid ? &l->evsels.v[0]->attr : NULL;
}

static int host__clockid(const struct host_ctx *h, struct strbuf *out)
{
	const struct perf_event_attr *attr = host__clock(h);
	struct timespec t;

	if (!attr || clock_getres(attr->clockid, &t))
		return -ENOENT;
	strbuf__add_u64(out, timespec__ns(&t));
	return 0;
}

/* The same moment by that clock and by the time of day. */
static int host__clock_data(const struct host_ctx *h, struct strbuf *out)
{
	const struct perf_event_attr *attr = host__clock(h);
	struct timespec own, day;

	if (!attr || clock_gettime(attr->clockid, &own) || clock_gettime(CLOCK_REALTIME, &day))
		return -ENOENT;
	strbuf__add_u32(out, 1); /* version */
	strbuf__add_u32(out, (u32)attr->clockid);
	strbuf__add_u64(out, timespec__ns(&day));
	strbuf__add_u64(out, timespec__ns(&own));
	return 0;
}

static const struct host_row {
	enum feature feature;
	host_feature_fn fill;
} host_rows[] = {
	{ FEATURE_HOSTNAME, host__hostname },
	{ FEATURE_OSRELEASE, host__osrelease },
	{ FEATURE_VERSION, host__version },
	{ FEATURE_ARCH, host__arch },
	{ FEATURE_NRCPUS, host__nrcpus },
	{ FEATURE_CPUDESC, host__cpudesc },
	{ FEATURE_CPUID, host__cpuid },
	{ FEATURE_TOTAL_MEM, host__total_mem },
	{ FEATURE_CMDLINE, host__cmdline },
	{ FEATURE_EVENT_DESC, host__event_desc },
	{ FEATURE_CPU_TOPOLOGY, host__cpu_topology },
	{ FEATURE_NUMA_TOPOLOGY, host__numa_topology },
	{ FEATURE_BRANCH_STACK, host__branch_stack },
	{ FEATURE_PMU_MAPPINGS, host__pmu_mappings },
	{ FEATURE_GROUP_DESC, host__group_desc },
	{ FEATURE_CACHE, host__cache },
	{ FEATURE_MEM_TOPOLOGY, host__mem_topology },
	{ FEATURE_BPF_PROG_INFO, host__none },
	{ FEATURE_BPF_BTF, host__none },
	{ FEATURE_CPU_PMU_CAPS, host__cpu_pmu_caps },
	{ FEATURE_PMU_CAPS, host__pmu_caps },
	{ FEATURE_CLOCKID, host__clockid },
	{ FEATURE_CLOCK_DATA, host__clock_data },
};

int host_features__write(struct writer *w, const struct evlist *l, const struct host_features_opts *opts)
{
	struct host_ctx h = { .l = l, .opts = opts, .sysfs = "/sys" };
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(host_rows) && !ret; i++) {
		strbuf__reset(&out);
		if (!host_rows[i].fill(&h, &out))
			ret = writer__feature(w, host_rows[i].feature, out.buf, out.len);
	}
	strbuf__exit(&out);
	return ret;
}

int host_features__write_sample_time(struct writer *w, u64 first, u64 last)
{
	const u64 times[2] = { first, last };

	return writer__feature(w, FEATURE_SAMPLE_TIME, times, sizeof(times));
}
