/*
 * The header features as text. To add one: a function that prints a section's content and a row in the table.
 */
#include "base/memory/cursor.h"
#include "base/text/mask.h"
#include "event/evsel/evsel.h"
#include "format/records/attr_text.h"
#include "format/read/features.h"
#include "format/records/swap.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

typedef unsigned long long ull;

struct printer {
	const struct reader *r;
	const char *label; /* of the table's row */
	u32 nr_cpus;       /* of the recorded machine, 0 if unknown */
	struct strbuf *out;
};

/* A string as features store it: its size with padding, then the bytes. */
static const char *cursor__feature_str(struct cursor *c)
{
	return cursor__str(c, cursor__u32(c));
}

/* Append text with texts of the recording in it. */
static PRINTF(2, 3) void add_masked(struct strbuf *out, const char *fmt, ...)
{
	size_t start = out->len;
	va_list ap;

	va_start(ap, fmt);
	strbuf__vaddf(out, fmt, ap);
	va_end(ap);
	mask_controls(out->buf + start, out->len - start, NULL);
}

#define print_line(p, fmt, ...)                                \
	do {                                                   \
		add_masked((p)->out, "# " fmt, ##__VA_ARGS__); \
		strbuf__addch((p)->out, '\n');                 \
	} while (0)

static void print_string(struct printer *p, struct cursor *c)
{
	const char *s = cursor__feature_str(c);

	if (s)
		print_line(p, "%s : %s", p->label, s);
}

/* Print the label of a feature that has no data. */
static void print_presence(struct printer *p, struct cursor *c)
{
	(void)c;
	print_line(p, "%s", p->label);
}

static void print_nothing(struct printer *p, struct cursor *c)
{
	(void)p, (void)c;
}

static void print_nrcpus(struct printer *p, struct cursor *c)
{
	u32 avail = cursor__u32(c), online = cursor__u32(c);

	strbuf__addf(p->out, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, avail);
}

static void print_total_mem(struct printer *p, struct cursor *c)
{
	strbuf__addf(p->out, "# total memory : %llu kB\n", (ull)cursor__u64(c));
}

static void print_cmdline(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);
	size_t start;

	strbuf__addstr(p->out, "# cmdline : ");
	for (u32 i = 0; i < nr && !c->bad; i++) {
		const char *s = cursor__feature_str(c), *quote;

		if (!s)
			break;
		start = p->out->len;
		for (; (quote = strchr(s, '\'')); s = quote + 1) {
			strbuf__add(p->out, s, (size_t)(quote - s));
			strbuf__addstr(p->out, "\\'");
		}
		strbuf__addstr(p->out, s);
		mask_controls(p->out->buf + start, p->out->len - start, NULL);
		strbuf__addch(p->out, ' ');
	}
	strbuf__addch(p->out, '\n');
}

/* ---- events ---- */

/* An attr of the file's size and byte order. */
static void attr__load(const struct reader *r, const void *from, size_t size, struct perf_event_attr *attr,
		       u64 *config3)
{
	u8 *copy = xmemdup(from, size);

	if (r->needs_swap)
		attr__swap(copy, size);
	*config3 = 0;
	memset(attr, 0, sizeof(*attr));
	memcpy(attr, copy, MIN(size, sizeof(*attr)));
	if (size >= 136)
		memcpy(config3, copy + 128, sizeof(*config3));
	free(copy);
}

static void print_event(struct printer *p, struct cursor *c, u32 attr_size)
{
	const void *bytes = cursor__bytes(c, attr_size);
	u32 nr_ids = cursor__u32(c);
	const char *name = cursor__feature_str(c);
	struct perf_event_attr attr;
	u64 config3;

	if (!name || nr_ids > cursor__left(c) / 8) {
		c->bad = true;
		return;
	}
	strbuf__addstr(p->out, "# event : name = ");
	strbuf__add_masked(p->out, name);
	strbuf__addstr(p->out, ", ");
	for (u32 i = 0; i < nr_ids; i++)
		strbuf__addf(p->out, "%s %llu", i ? "," : ", id = {", (ull)cursor__u64(c));
	if (nr_ids)
		strbuf__addstr(p->out, " }");
	attr__load(p->r, bytes, attr_size, &attr, &config3);
	attr_text__add(&attr, config3, p->out);
	strbuf__addch(p->out, '\n');
}

static void print_event_desc(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c), attr_size = cursor__u32(c);

	if (attr_size < EVENT_ATTR_SIZE_MIN)
		c->bad = true;
	for (u32 i = 0; i < nr && !c->bad; i++)
		print_event(p, c, attr_size);
}

static void print_group_desc(struct printer *p, struct cursor *c)
{
	const struct evlist *l = &p->r->evlist;
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		const char *name = cursor__feature_str(c);
		u32 leader = cursor__u32(c), members = cursor__u32(c);

		if (c->bad || members < 2 || leader >= l->evsels.nr || members > l->evsels.nr - leader ||
		    l->evsels.v[leader]->nr_members != members || l->evsels.v[leader]->leader != leader)
			continue;
		strbuf__addstr(p->out, "# group: ");
		if (strcmp(name, "{anon_group}"))
			strbuf__add_masked(p->out, name);
		for (u32 j = 0; j < members; j++) {
			strbuf__addch(p->out, j ? ',' : '{');
			if (l->evsels.v[leader + j]->name)
				strbuf__add_masked(p->out, l->evsels.v[leader + j]->name);
		}
		strbuf__addstr(p->out, "}\n");
	}
}

/* ---- the machine ---- */

/* A count, then as many strings, one a line. */
static void print_list(struct printer *p, struct cursor *c, const char *label)
{
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		const char *s = cursor__feature_str(c);

		if (!s)
			return;
		print_line(p, "%s : %s", label, s);
	}
}

/* sockets, threads; newer: core and socket id of each cpu; newer still: dies, die id of each cpu */
static void print_cpu_topology(struct printer *p, struct cursor *c)
{
	struct cursor threads, ids, dies, die_ids;
	struct strbuf ignore = STRBUF_INIT;
	struct printer skip = *p;
	u64 nr = p->nr_cpus;

	skip.out = &ignore;
	print_list(p, c, "sibling sockets");
	threads = *c;
	print_list(&skip, c, "");
	ids = *c;
	dies = ids;
	if (!c->bad && cursor__left(&ids) >= nr * 8) {
		cursor__skip(&dies, nr * 8);
		die_ids = dies;
		print_list(&skip, &die_ids, "");
		if (cursor__left(&die_ids) >= nr * 4 && !die_ids.bad)
			print_list(p, &dies, "sibling dies   ");
		else
			die_ids.bad = true;
	} else {
		nr = 0;
		die_ids.bad = true;
	}
	strbuf__exit(&ignore);
	print_list(p, &threads, "sibling threads");
	for (u64 i = 0; i < nr; i++) {
		u32 core = cursor__u32(&ids), socket = cursor__u32(&ids);

		strbuf__addf(p->out, "# CPU %llu: Core ID %d, ", (ull)i, (int)core);
		if (!die_ids.bad)
			strbuf__addf(p->out, "Die ID %d, ", (int)cursor__u32(&die_ids));
		strbuf__addf(p->out, "Socket ID %d\n", (int)socket);
	}
	if (!nr)
		strbuf__addstr(p->out, "# Core ID and Socket ID information is not available\n");
}

static void print_numa_topology(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		u32 node = cursor__u32(c);
		u64 total = cursor__u64(c), available = cursor__u64(c);
		const char *cpus = cursor__feature_str(c);

		if (!cpus)
			return;
		print_line(p, "node%u meminfo  : total = %llu kB, free = %llu kB", node, (ull)total,
			   (ull)available);
		print_line(p, "node%u cpu list : %s", node, cpus);
	}
}

static void print_pmu_mappings(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);

	strbuf__addstr(p->out, "# pmu mappings:");
	for (u32 i = 0; i < nr && !c->bad; i++) {
		u32 type = cursor__u32(c);
		const char *name = cursor__feature_str(c);

		if (!name)
			return;
		strbuf__addstr(p->out, i ? ", " : " ");
		strbuf__add_masked(p->out, name);
		strbuf__addf(p->out, " = %u", type);
	}
	strbuf__addstr(p->out, nr ? "\n" : " not available\n");
}

static void print_cache(struct printer *p, struct cursor *c)
{
	u32 version = cursor__u32(c), nr = cursor__u32(c);

	strbuf__addstr(p->out, "# CPU cache info:\n");
	if (version != 1)
		return;
	for (u32 i = 0; i < nr && !c->bad; i++) {
		u32 level = cursor__u32(c);
		const char *type, *size, *cpus;

		cursor__skip(c, 12); /* line size, sets, ways */
		type = cursor__feature_str(c);
		size = cursor__feature_str(c);
		cpus = cursor__feature_str(c);
		if (!type || !size || !cpus)
			return;
		print_line(p, " L%u %-15s %8s [%s]", level, type, size, cpus);
	}
}

static void size__add(struct strbuf *out, u64 size)
{
	static const char units[] = "BKMG";
	unsigned unit = 0;

	for (; size >= 1024 && unit < 3; unit++)
		size /= 1024;
	strbuf__addf(out, "%llu%c", (ull)size, units[unit]);
}

/* The set bits as "0-3,8". */
static void bitmap__add(struct strbuf *out, const struct cursor *words, u64 nr_bits)
{
	struct cursor c = *words;
	u64 word = 0, start = 0;
	bool inside = false;
	const char *separator = "";

	for (u64 i = 0; i <= nr_bits; i++) {
		bool set;

		if (i % 64 == 0)
			word = i < nr_bits ? cursor__u64(&c) : 0;
		set = i < nr_bits && word >> i % 64 & 1;
		if (set == inside)
			continue;
		if (set) {
			start = i;
		} else {
			strbuf__addf(out, "%s%llu", separator, (ull)start);
			if (start != i - 1)
				strbuf__addf(out, "-%llu", (ull)(i - 1));
			separator = ",";
		}
		inside = set;
	}
}

static u64 bitmap__weight(const struct cursor *words, u64 nr_words)
{
	struct cursor c = *words;
	u64 weight = 0;

	for (u64 i = 0; i < nr_words; i++)
		weight += (u64)__builtin_popcountll(cursor__u64(&c));
	return weight;
}

static void print_mem_topology(struct printer *p, struct cursor *c)
{
	u64 version = cursor__u64(c), block_size = cursor__u64(c), nr = cursor__u64(c);

	if (version != 1)
		return;
	strbuf__addf(p->out, "# memory nodes (nr %llu, block size 0x%llx):\n", (ull)nr, (ull)block_size);
	for (u64 i = 0; i < nr && !c->bad; i++) {
		u64 node = cursor__u64(c), nr_bits, nr_words;
		struct cursor words;

		cursor__skip(c, 8); /* number of words */
		nr_bits = cursor__u64(c);
		nr_words = nr_bits / 64 + !!(nr_bits % 64);
		if (c->bad || nr_words > cursor__left(c) / 8) {
			c->bad = true;
			return;
		}
		words = *c;
		cursor__skip(c, nr_words * 8);
		strbuf__addf(p->out, "#  %3llu [", (ull)node);
		size__add(p->out, block_size * bitmap__weight(&words, nr_words));
		strbuf__addstr(p->out, "]: ");
		bitmap__add(p->out, &words, nr_bits);
		strbuf__addch(p->out, '\n');
	}
}

static void print_hybrid_topology(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);

	strbuf__addstr(p->out, "# hybrid cpu system:\n");
	for (u32 i = 0; i < nr && !c->bad; i++) {
		const char *pmu = cursor__feature_str(c), *cpus = cursor__feature_str(c);

		if (!pmu || !cpus)
			return;
		print_line(p, "%s cpu list : %s", pmu, cpus);
	}
}

/* A count, then pairs of name and value; printed after "# PMU pmu capabilities: ". */
static void caps__add(struct cursor *c, struct strbuf *text)
{
	u32 nr = cursor__u32(c);

	if (!nr)
		strbuf__addstr(text, "not available");
	for (u32 i = 0; i < nr && !c->bad; i++) {
		const char *name = cursor__feature_str(c), *value = cursor__feature_str(c);

		if (name && value)
			add_masked(text, "%s%s=%s", i ? ", " : "", name, value);
	}
}

static void print_cpu_pmu_caps(struct printer *p, struct cursor *c)
{
	strbuf__addstr(p->out, "# cpu pmu capabilities: ");
	caps__add(c, p->out);
	strbuf__addch(p->out, '\n');
}

static void print_pmu_caps(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);
	struct strbuf caps = STRBUF_INIT;

	for (u32 i = 0; i < nr && !c->bad; i++) {
		const char *pmu;

		strbuf__reset(&caps);
		caps__add(c, &caps);
		pmu = cursor__feature_str(c);
		if (!pmu)
			break;
		print_line(p, "%s pmu capabilities: %s", pmu, caps.buf);
	}
	strbuf__exit(&caps);
}

/* ---- the recording ---- */

static void print_sample_time(struct printer *p, struct cursor *c)
{
	u64 first = cursor__u64(c), last = cursor__u64(c);

	strbuf__addf(p->out, "# time of first sample : %llu.%06llu\n", (ull)(first / 1000000000),
		     (ull)(first / 1000 % 1000000));
	strbuf__addf(p->out, "# time of last sample : %llu.%06llu\n", (ull)(last / 1000000000),
		     (ull)(last / 1000 % 1000000));
	strbuf__addf(p->out, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

static void print_clockid(struct printer *p, struct cursor *c)
{
	strbuf__addf(p->out, "# clockid frequency: %llu MHz\n", (ull)(cursor__u64(c) * 1000));
}

static const char *clock__name(u32 clock)
{
	static const struct {
		u32 clock;
		const char *name;
	} names[] = {
		{ 0, "realtime" }, { 1, "monotonic" }, { 4, "monotonic_raw" },
		{ 7, "boottime" }, { 11, "tai" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].clock == clock)
			return names[i].name;
	return "(not found)";
}

static void print_clock_data(struct printer *p, struct cursor *c)
{
	u32 version = cursor__u32(c), clock = cursor__u32(c);
	u64 wall = cursor__u64(c), reference = cursor__u64(c);
	time_t seconds = (time_t)(wall / 1000000000);
	char text[64] = "";
	struct tm tm;

	if (version != 1 || c->bad)
		return;
	if (localtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	strbuf__addf(p->out, "# clockid: %s (%u)\n", clock__name(clock), clock);
	strbuf__addf(p->out, "# reference time: %s.%06llu = %llu.%06llu (TOD) = %llu.%09llu (%s)\n", text,
		     (ull)(wall / 1000 % 1000000), (ull)(wall / 1000000000), (ull)(wall / 1000 % 1000000),
		     (ull)(reference / 1000000000), (ull)(reference % 1000000000), clock__name(clock));
}

static void print_dir_format(struct printer *p, struct cursor *c)
{
	strbuf__addf(p->out, "# directory data version : %llu\n", (ull)cursor__u64(c));
}

static void print_compressed(struct printer *p, struct cursor *c)
{
	u32 type, level, ratio;

	cursor__skip(c, 4);
	type = cursor__u32(c);
	level = cursor__u32(c);
	ratio = cursor__u32(c);
	strbuf__addf(p->out, "# compressed : %s, level = %u, ratio = %u\n", type == 1 ? "Zstd" : "Unknown",
		     level, ratio);
}

/* Offsets in the kernel's struct bpf_prog_info (<linux/bpf.h>); its pointers are offsets into the data after
 * it. */
enum {
	BPF_ID = 4,
	BPF_NAME = 64,
	BPF_NAME_SIZE = 16,
	BPF_NR_KSYMS = 104,
	BPF_NR_FUNC_LENS = 108,
	BPF_KSYMS = 112,
	BPF_FUNC_LENS = 120,
	BPF_NR_TAGS = 180,
	BPF_TAGS = 184,
	BPF_INFO_SIZE = 192,
};

static struct cursor cursor__at(const struct cursor *c, u64 offset)
{
	struct cursor at = *c;

	at.p = at.start;
	at.bad = false;
	cursor__skip(&at, offset);
	return at;
}

static void print_bpf_prog(struct printer *p, const struct cursor *info, const struct cursor *data)
{
#define INFO_U32(offset)                                      \
	({                                                    \
		struct cursor at_ = cursor__at(info, offset); \
		cursor__u32(&at_);                            \
	})
#define INFO_U64(offset)                                      \
	({                                                    \
		struct cursor at_ = cursor__at(info, offset); \
		cursor__u64(&at_);                            \
	})
	u32 id = INFO_U32(BPF_ID), nr = INFO_U32(BPF_NR_KSYMS);
	struct cursor ksyms = cursor__at(data, INFO_U64(BPF_KSYMS)),
		      lens = cursor__at(data, INFO_U64(BPF_FUNC_LENS));
	struct cursor tags = cursor__at(data, INFO_U64(BPF_TAGS)), name_at = cursor__at(info, BPF_NAME);
	const char *name = cursor__bytes(&name_at, BPF_NAME_SIZE);

	if (!nr || INFO_U32(BPF_NR_FUNC_LENS) != nr || INFO_U32(BPF_NR_TAGS) != nr)
		return;
	if (nr > 1)
		strbuf__addf(p->out, "# bpf_prog_info %u:\n", id);
	for (u32 i = 0; i < nr; i++) {
		u64 addr = cursor__u64(&ksyms);
		u32 len = cursor__u32(&lens);
		const u8 *tag = cursor__bytes(&tags, 8);

		if (ksyms.bad || lens.bad || !tag || !name)
			return;
		strbuf__addf(p->out, nr > 1 ? "# \tsub_prog %u: bpf_prog_" : "# bpf_prog_info %u: bpf_prog_",
			     nr > 1 ? i : id);
		for (int j = 0; j < 8; j++)
			strbuf__addf(p->out, "%02x", tag[j]);
		if (i)
			strbuf__addstr(p->out, "_F");
		else if (name[0])
			add_masked(p->out, "_%.*s", BPF_NAME_SIZE, name);
		strbuf__addf(p->out, " addr 0x%llx size %u\n", (ull)addr, len);
	}
#undef INFO_U32
#undef INFO_U64
}

static void print_bpf_prog_info(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		u32 info_size = cursor__u32(c), data_size = cursor__u32(c);
		u8 full[BPF_INFO_SIZE] = { 0 };
		const void *info, *data;
		struct cursor in, at;

		cursor__skip(c, 8); /* which arrays are there */
		info = cursor__bytes(c, info_size);
		data = cursor__bytes(c, data_size);
		if (!info || !data)
			return;
		memcpy(full, info, MIN(info_size, (u32)sizeof(full)));
		in = cursor__make(full, sizeof(full), c->swap);
		at = cursor__make(data, data_size, c->swap);
		print_bpf_prog(p, &in, &at);
	}
}

static void print_bpf_btf(struct printer *p, struct cursor *c)
{
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		u32 id = cursor__u32(c);

		cursor__skip(c, cursor__u32(c));
		if (!c->bad)
			strbuf__addf(p->out, "# btf info of id %u\n", id);
	}
}

/* ---- features of perf 7 ---- */

/* Print the scheduler domains of each CPU. */
static void print_cpu_domains(struct printer *p, struct cursor *c)
{
	u32 version = cursor__u32(c), max = cursor__u32(c);

	strbuf__addf(p->out, "# schedstat version\t: %u\n", version);
	strbuf__addf(p->out, "# Maximum sched domains\t: %u\n", max);
	while (cursor__left(c) && !c->bad) {
		u32 cpu = cursor__u32(c), nr = cursor__u32(c);

		strbuf__addf(p->out, "# cpu\t\t: %u\n", cpu);
		strbuf__addf(p->out, "# nr_domains\t: %u\n", nr);
		for (u32 i = 0; i < nr && !c->bad; i++) {
			u32 domain = cursor__u32(c);
			const char *name = cursor__feature_str(c), *map = cursor__feature_str(c),
				   *list = cursor__feature_str(c);

			if (!name || !map || !list)
				return;
			strbuf__addf(p->out, "# Domain\t\t: %u\n", domain);
			print_line(p, "Domain name      : %s", name);
			print_line(p, "Domain cpu map   : %s", map);
			print_line(p, "Domain cpu list  : %s", list);
		}
	}
}

/* The machine and the flags of ELF headers. */
static void print_e_machine(struct printer *p, struct cursor *c)
{
	u32 machine = cursor__u32(c), flags = cursor__u32(c);

	print_line(p, "e_machine : %u", machine);
	print_line(p, "  e_flags : %u", flags);
}

static void print_cacheline_size(struct printer *p, struct cursor *c)
{
	print_line(p, "cacheline size: %u", cursor__u32(c));
}

/* ---- the table ---- */

static const struct feature_row {
	const char *name;
	const char *label;
	void (*print)(struct printer *p, struct cursor *c);
	bool full_only; /* long: shown with -I */
} feature_rows[FEATURE_LAST] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", "", print_nothing, false },
	[FEATURE_BUILD_ID] = { "BUILD_ID", "", print_nothing, false },
	[FEATURE_HOSTNAME] = { "HOSTNAME", "hostname", print_string, false },
	[FEATURE_OSRELEASE] = { "OSRELEASE", "os release", print_string, false },
	[FEATURE_VERSION] = { "VERSION", "perf version", print_string, false },
	[FEATURE_ARCH] = { "ARCH", "arch", print_string, false },
	[FEATURE_NRCPUS] = { "NRCPUS", "", print_nrcpus, false },
	[FEATURE_CPUDESC] = { "CPUDESC", "cpudesc", print_string, false },
	[FEATURE_CPUID] = { "CPUID", "cpuid", print_string, false },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", "", print_total_mem, false },
	[FEATURE_CMDLINE] = { "CMDLINE", "", print_cmdline, false },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", "", print_event_desc, false },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", "", print_cpu_topology, true },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", "", print_numa_topology, true },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", "contains samples with branch stack", print_presence,
				   false },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", "", print_pmu_mappings, false },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", "", print_group_desc, false },
	[FEATURE_AUXTRACE] = { "AUXTRACE", "contains AUX area data (e.g. instruction trace)", print_presence,
			       false },
	[FEATURE_STAT] = { "STAT", "contains stat data", print_presence, false },
	[FEATURE_CACHE] = { "CACHE", "", print_cache, true },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", "", print_sample_time, false },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", "", print_mem_topology, true },
	[FEATURE_CLOCKID] = { "CLOCKID", "", print_clockid, false },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", "", print_dir_format, false },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", "", print_bpf_prog_info, false },
	[FEATURE_BPF_BTF] = { "BPF_BTF", "", print_bpf_btf, false },
	[FEATURE_COMPRESSED] = { "COMPRESSED", "", print_compressed, false },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", "", print_cpu_pmu_caps, false },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", "", print_clock_data, false },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", "", print_hybrid_topology, true },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", "", print_pmu_caps, false },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", "", print_cpu_domains, true },
	[FEATURE_E_MACHINE] = { "E_MACHINE", "", print_e_machine, false },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", "", print_cacheline_size, false },
};

u32 features__nr_cpus(const struct reader *r)
{
	struct strbuf sb = STRBUF_INIT;
	struct cursor c;
	u32 nr = 0;

	if (!reader__feature(r, FEATURE_NRCPUS, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		nr = cursor__u32(&c);
	}
	strbuf__exit(&sb);
	return nr;
}

static void skip_list(struct cursor *c)
{
	for (u32 nr = cursor__u32(c); nr && !c->bad; nr--)
		cursor__feature_str(c);
}

/* Get the die of each cpu, which follows the cores and sockets of nr cpus in newer recordings. */
static void read_cpu_parts(struct cursor *c, u32 nr, struct cpu_parts *parts)
{
	skip_list(c);
	skip_list(c);
	for (u32 i = 0; i < nr && !c->bad && cursor__left(c) >= 8; i++) {
		array__add(&parts->cores, (int)cursor__u32(c));
		array__add(&parts->sockets, (int)cursor__u32(c));
	}
	skip_list(c);
	for (u32 i = 0; i < nr && !c->bad && cursor__left(c) >= 4; i++)
		array__add(&parts->dies, (int)cursor__u32(c));
	if (parts->dies.nr != nr)
		parts->dies.nr = 0;
}

static void read_nodes(struct cursor *c, u32 nr_cpus, int_array *nodes)
{
	u32 nr = cursor__u32(c);

	for (u32 i = 0; i < nr && !c->bad; i++) {
		u32 node = cursor__u32(c);
		int_array cpus = { 0 };
		const char *text;

		cursor__skip(c, 16); /* sizes of its memory */
		text = cursor__feature_str(c);
		if (text && !int_list__parse(text, (int)MIN(nr_cpus, (u32)INT_MAX), &cpus)) {
			while (nodes->nr < nr_cpus)
				array__add(nodes, 0);
			for (size_t k = 0; k < cpus.nr; k++)
				if ((u32)cpus.v[k] < nr_cpus)
					nodes->v[cpus.v[k]] = (int)node;
		}
		array__exit(&cpus);
	}
}

void features__cpu_parts(const struct reader *r, struct cpu_parts *parts)
{
	struct strbuf sb = STRBUF_INIT;
	u32 nr = features__nr_cpus(r);
	struct cursor c;

	*parts = (struct cpu_parts){ 0 };
	if (!reader__feature(r, FEATURE_CPU_TOPOLOGY, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		read_cpu_parts(&c, MIN(nr, (u32)(sb.len / 8)), parts);
	}
	strbuf__reset(&sb);
	if (!reader__feature(r, FEATURE_NUMA_TOPOLOGY, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		read_nodes(&c, (u32)MIN((size_t)nr, parts->cores.nr), &parts->nodes);
	}
	strbuf__exit(&sb);
}

void cpu_parts__exit(struct cpu_parts *parts)
{
	array__exit(&parts->sockets);
	array__exit(&parts->cores);
	array__exit(&parts->dies);
	array__exit(&parts->nodes);
}

bool features__command_line(const struct reader *r, struct strbuf *out)
{
	struct strbuf sb = STRBUF_INIT;
	struct cursor c;
	u32 nr = 0;

	if (!reader__feature(r, FEATURE_CMDLINE, &sb)) {
		c = cursor__make(sb.buf, sb.len, r->needs_swap);
		nr = cursor__u32(&c);
	}
	for (u32 i = 0; i < nr; i++) {
		const char *word = cursor__feature_str(&c);

		if (!word)
			break;
		strbuf__addstr(out, i ? " " : "");
		strbuf__addstr(out, word);
	}
	strbuf__exit(&sb);
	return nr > 0;
}

static void feature__print(struct printer *p, enum feature f, bool full)
{
	const struct feature_row *row = &feature_rows[f];
	struct strbuf sb = STRBUF_INIT;
	size_t before = p->out->len;
	struct cursor c;
	int ret;

	if (row->full_only && !full) {
		strbuf__addf(p->out, "# %s info available, use -I to display\n", row->name);
		return;
	}
	if (row->print == print_nothing)
		return;
	ret = reader__feature(p->r, f, &sb);
	c = cursor__make(sb.buf, sb.len, p->r->needs_swap);
	p->label = row->label;
	if (!ret)
		row->print(p, &c);
	if (ret || c.bad) {
		strbuf__setlen(p->out, before);
		strbuf__addf(p->out, "# %s cannot be read: it %s\n", row->name,
			     sb.len ? "ends too early" : "is empty");
	}
	strbuf__exit(&sb);
}

static void print_file_facts(const struct reader *r, struct strbuf *out)
{
	const struct perf_data_section *data = &r->header.data;
	time_t mtime = (time_t)r->mtime;
	char when[64] = "?\n";

	ctime_r(&mtime, when);
	strbuf__addf(out, "# ========\n# captured on    : %s# header version : %d\n", when, r->is_v1 ? 0 : 1);
	strbuf__addf(out, "# data offset    : %llu\n# data size      : %llu\n# feat offset    : %llu\n",
		     (ull)data->offset, (ull)data->size, (ull)(data->offset + data->size));
}

/* "word number" or "word number name" a line: those without a name, if the number is not 0. */
static void print_call_chains(const struct reader *r, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	const char *separator = "# call chains: ";

	if (reader__extension(r, EXTENSION_CALL_CHAINS, &text)) {
		strbuf__exit(&text);
		return;
	}
	for (char *next = text.buf, *line; (line = strsep(&next, "\n"));) {
		const char *value = strchr(line, ' ');

		if (!value || strchr(value + 1, ' ') || !strcmp(value, " 0"))
			continue;
		strbuf__addstr(out, separator);
		strbuf__add_masked(out, line);
		separator = ", ";
	}
	strbuf__addstr(out, *separator == ',' ? "\n" : "");
	strbuf__exit(&text);
}

static void print_labels(const struct reader *r, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;

	if (!reader__extension(r, EXTENSION_LABELS, &text))
		for (char *next = text.buf, *line; (line = strsep(&next, "\n"));)
			if (*line) {
				strbuf__addstr(out, "# label : ");
				strbuf__add_masked(out, line);
				strbuf__addch(out, '\n');
			}
	strbuf__exit(&text);
}

void features__print(const struct reader *r, bool full, struct strbuf *out)
{
	struct printer p = { .r = r, .nr_cpus = features__nr_cpus(r), .out = out };
	unsigned last = FEATURE_PMU_CAPS;

	print_file_facts(r, out);
	if (r->is_pipe) { /* stock perf prints this before it has read the stream, and the rest as it reads */
		strbuf__addstr(out, "# ========\n#\n");
		for (u32 i = 0; i < r->nr_feature_order; i++)
			feature__print(&p, r->feature_order[i], full);
		return;
	}
	for (unsigned f = 1; f < FEATURE_LAST; f++)
		if (r->features_set[0] >> f & 1) {
			feature__print(&p, f, full);
			last = MAX(last, f); /* newer ones are none that the recorder knew */
		}
	strbuf__addstr(out, "# missing features: ");
	for (unsigned f = 1; f <= last; f++)
		if (!(r->features_set[0] >> f & 1))
			strbuf__addf(out, "%s ", feature_rows[f].name);
	strbuf__addstr(out, "\n");
	features__print_stored(r, "# ", out);
	print_labels(r, out);
	print_call_chains(r, out);
	strbuf__addstr(out, "# ========\n#\n");
}
