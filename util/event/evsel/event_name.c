#include "event/evsel/event_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The first row of a config has the name that is shown; further rows are aliases. */
static const struct event_row {
	const char *name;
	u32 type;
	u64 config;
	const char *constant; /* the kernel's name of the config */
	const char *desc;     /* in the first row of a config */
} event_rows[] = {
#define HARDWARE(name, config, desc)                                                             \
	{                                                                                        \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, "PERF_COUNT_HW_" #config, desc \
	}
#define SOFTWARE(name, config, desc)                                                             \
	{                                                                                        \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, "PERF_COUNT_SW_" #config, desc \
	}
	HARDWARE("cycles", CPU_CYCLES, "Processor cycles, at the present clock rate"),
	HARDWARE("cpu-cycles", CPU_CYCLES, NULL),
	HARDWARE("instructions", INSTRUCTIONS, "Instructions that were completed"),
	HARDWARE("cache-references", CACHE_REFERENCES, "Accesses to the last level cache"),
	HARDWARE("cache-misses", CACHE_MISSES, "Accesses that the last level cache could not serve"),
	HARDWARE("branches", BRANCH_INSTRUCTIONS, "Branch instructions that were completed"),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS, NULL),
	HARDWARE("branch-misses", BRANCH_MISSES, "Branches that were predicted wrongly"),
	HARDWARE("bus-cycles", BUS_CYCLES, "Cycles of the bus"),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND,
		 "Cycles in which no instruction could be issued for want of decoded ones"),
	HARDWARE("idle-cycles-frontend", STALLED_CYCLES_FRONTEND, NULL),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND,
		 "Cycles in which no instruction could be issued for want of a unit or of data"),
	HARDWARE("idle-cycles-backend", STALLED_CYCLES_BACKEND, NULL),
	HARDWARE("ref-cycles", REF_CPU_CYCLES,
		 "Processor cycles at a constant rate, whatever the clock does"),
	SOFTWARE("cpu-clock", CPU_CLOCK, "A timer of each CPU"),
	SOFTWARE("task-clock", TASK_CLOCK, "A timer of the time that a thread runs"),
	SOFTWARE("page-faults", PAGE_FAULTS, "Page faults"),
	SOFTWARE("faults", PAGE_FAULTS, NULL),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, "Switches from one thread to another"),
	SOFTWARE("cs", CONTEXT_SWITCHES, NULL),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, "Moves of a thread to another CPU"),
	SOFTWARE("migrations", CPU_MIGRATIONS, NULL),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, "Page faults that needed no input or output"),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, "Page faults that needed input or output"),
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, "Unaligned accesses that the kernel had to do itself"),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, "Instructions that the kernel had to emulate"),
	SOFTWARE("dummy", DUMMY, "Counts nothing; carries records of mappings, names and threads"),
	SOFTWARE("bpf-output", BPF_OUTPUT, "What BPF programs write"),
	/* PERF_COUNT_SW_CGROUP_SWITCHES, since Linux 5.13 */
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, 11, NULL, "Switches to a thread of another control group" },
#undef SOFTWARE
#undef HARDWARE
};

/* A cache event is CACHE, CACHE-OP or CACHE-OP-RESULT, with any of a row's words; the first one is shown. */
enum { CACHE_WORDS = 5 };
static const char *const cache_types[][CACHE_WORDS] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1-d", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2" },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "branches", "bpu", "btb", "bpc" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node" },
};
/* The singular, the plural that is used without a result, then other words. */
static const char *const cache_ops[][CACHE_WORDS] = {
	[PERF_COUNT_HW_CACHE_OP_READ] = { "load", "loads", "read" },
	[PERF_COUNT_HW_CACHE_OP_WRITE] = { "store", "stores", "write" },
	[PERF_COUNT_HW_CACHE_OP_PREFETCH] = { "prefetch", "prefetches", "speculative-read",
					      "speculative-load" },
};
static const char *const cache_results[][CACHE_WORDS] = {
	[PERF_COUNT_HW_CACHE_RESULT_ACCESS] = { "refs", "Reference", "ops", "access" },
	[PERF_COUNT_HW_CACHE_RESULT_MISS] = { "misses", "miss" },
};
/* Bit op is set: the cache has that operation. */
static const u8 cache_has_op[] = {
	[PERF_COUNT_HW_CACHE_L1D] = 7,  [PERF_COUNT_HW_CACHE_L1I] = 1 | 4, [PERF_COUNT_HW_CACHE_LL] = 7,
	[PERF_COUNT_HW_CACHE_DTLB] = 7, [PERF_COUNT_HW_CACHE_ITLB] = 1,    [PERF_COUNT_HW_CACHE_BPU] = 1,
	[PERF_COUNT_HW_CACHE_NODE] = 7,
};

/*
 * Return the row with the longest word that text begins with, up to a '-' or the end. *len: length of that
 * word.
 */
static int cache_words__match(const char *const (*rows)[CACHE_WORDS], size_t nr, const char *text,
			      size_t size, size_t *len)
{
	int best = -ENOENT;

	*len = 0;
	for (size_t i = 0; i < nr; i++) {
		for (size_t j = 0; j < CACHE_WORDS && rows[i][j]; j++) {
			size_t n = strlen(rows[i][j]);

			if (n <= *len || n > size || strncasecmp(rows[i][j], text, n) ||
			    (n < size && text[n] != '-'))
				continue;
			*len = n;
			best = (int)i;
		}
	}
	return best;
}

static int cache_name__find(const char *name, size_t size, u64 *config)
{
	int op = -1, result = -1, type;
	size_t len;

	type = cache_words__match(cache_types, ARRAY_SIZE(cache_types), name, size, &len);
	if (type < 0)
		return -ENOENT;
	while (len < size) {
		int found;

		name += len + 1;
		size -= len + 1;
		if (op < 0 &&
		    (found = cache_words__match(cache_ops, ARRAY_SIZE(cache_ops), name, size, &len)) >= 0)
			op = found;
		else if (result < 0 && (found = cache_words__match(cache_results, ARRAY_SIZE(cache_results),
								   name, size, &len)) >= 0)
			result = found;
		else
			return -ENOENT;
	}
	op = MAX(op, (int)PERF_COUNT_HW_CACHE_OP_READ);
	result = MAX(result, (int)PERF_COUNT_HW_CACHE_RESULT_ACCESS);
	if (!(cache_has_op[type] & 1 << op))
		return -ENOENT;
	*config = (u64)type | (u64)op << 8 | (u64)result << 16;
	return 0;
}

int event_name__constant(const char *name, size_t len, u64 *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_rows); i++) {
		const char *constant = event_rows[i].constant;

		if (!constant || strlen(constant) != len || memcmp(constant, name, len))
			continue;
		*value = event_rows[i].config;
		return 0;
	}
	return -ENOENT;
}

int event_name__find(const char *name, size_t len, u32 *type, u64 *config)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_rows); i++) {
		if (strlen(event_rows[i].name) != len || strncasecmp(event_rows[i].name, name, len))
			continue;
		*type = event_rows[i].type;
		*config = event_rows[i].config;
		return 0;
	}
	if (cache_name__find(name, len, config))
		return -ENOENT;
	*type = PERF_TYPE_HW_CACHE;
	return 0;
}

static void cache_name__add(u64 config, struct strbuf *sb)
{
	u64 type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (type >= ARRAY_SIZE(cache_types))
		strbuf__addstr(sb, "unknown-ext-hardware-cache-type");
	else if (op >= ARRAY_SIZE(cache_ops))
		strbuf__addstr(sb, "unknown-ext-hardware-cache-op");
	else if (result >= ARRAY_SIZE(cache_results))
		strbuf__addstr(sb, "unknown-ext-hardware-cache-result");
	else if (!(cache_has_op[type] & 1 << op))
		strbuf__addstr(sb, "invalid-cache");
	else if (result == PERF_COUNT_HW_CACHE_RESULT_ACCESS)
		strbuf__addf(sb, "%s-%s", cache_types[type][0], cache_ops[op][1]);
	else
		strbuf__addf(sb, "%s-%s-%s", cache_types[type][0], cache_ops[op][0],
			     cache_results[result][0]);
}

enum { NR_CACHE_EVENTS = ARRAY_SIZE(cache_types) * ARRAY_SIZE(cache_ops) * ARRAY_SIZE(cache_results) };

/* Get the config of the i-th cache event. Return false if the cache has no such operation. */
static bool cache_event(u64 i, u64 *config)
{
	u64 result = i % ARRAY_SIZE(cache_results),
	    op = i / ARRAY_SIZE(cache_results) % ARRAY_SIZE(cache_ops),
	    type = i / ARRAY_SIZE(cache_results) / ARRAY_SIZE(cache_ops);

	*config = type | op << 8 | result << 16;
	return cache_has_op[type] & 1 << op;
}

void event_name__for_each(void (*fn)(const char *name, void *ctx), void *ctx)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(event_rows); i++)
		fn(event_rows[i].name, ctx);
	for (u64 i = 0, config; i < NR_CACHE_EVENTS; i++) {
		if (!cache_event(i, &config))
			continue;
		strbuf__reset(&sb);
		cache_name__add(config, &sb);
		fn(sb.buf, ctx);
	}
	strbuf__exit(&sb);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct event_names *)a)->name, ((const struct event_names *)b)->name);
}

/* In stock perf's order: by name, the longer of two first. */
static void for_each_row(u32 type, void (*fn)(const struct event_names *names, void *ctx), void *ctx)
{
	struct event_names list[ARRAY_SIZE(event_rows)];
	size_t nr = 0;

	for (size_t i = 0; i < ARRAY_SIZE(event_rows); i++) {
		const struct event_row *row = &event_rows[i];
		struct event_names *last = nr ? &list[nr - 1] : NULL;

		if (row->type != type)
			continue;
		if (row->desc) {
			list[nr++] =
				(struct event_names){ row->name, NULL, row->type, row->config, row->desc };
		} else if (last) { /* an alias of the row before */
			last->alias = row->name;
			if (strlen(last->alias) > strlen(last->name)) {
				last->alias = last->name;
				last->name = row->name;
			}
		}
	}
	qsort(list, nr, sizeof(*list), compare_names);
	for (size_t i = 0; i < nr; i++)
		fn(&list[i], ctx);
}

static const char *const cache_descs[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "Level 1 data cache",
	[PERF_COUNT_HW_CACHE_L1I] = "Level 1 instruction cache",
	[PERF_COUNT_HW_CACHE_LL] = "Last level cache",
	[PERF_COUNT_HW_CACHE_DTLB] = "Translations of data addresses",
	[PERF_COUNT_HW_CACHE_ITLB] = "Translations of instruction addresses",
	[PERF_COUNT_HW_CACHE_BPU] = "Branch prediction",
	[PERF_COUNT_HW_CACHE_NODE] = "Memory of the own node",
};
static const char *const cache_op_descs[] = { "reads", "writes", "prefetches" };
static const char *const cache_result_descs[] = { "", " that missed" };

void event_name__for_each_event(void (*fn)(const struct event_names *names, void *ctx), void *ctx)
{
	struct strbuf name = STRBUF_INIT, desc = STRBUF_INIT;

	for_each_row(PERF_TYPE_HARDWARE, fn, ctx);
	for_each_row(PERF_TYPE_SOFTWARE, fn, ctx);
	for (u64 i = 0, config; i < NR_CACHE_EVENTS; i++) {
		if (!cache_event(i, &config))
			continue;
		strbuf__reset(&name);
		strbuf__reset(&desc);
		cache_name__add(config, &name);
		strbuf__addf(&desc, "%s: %s%s", cache_descs[config & 0xff],
			     cache_op_descs[config >> 8 & 0xff], cache_result_descs[config >> 16]);
		fn(&(struct event_names){ name.buf, NULL, PERF_TYPE_HW_CACHE, config, desc.buf }, ctx);
	}
	strbuf__exit(&name);
	strbuf__exit(&desc);
}

/* Append the modifiers of this attr, as in -e: privilege levels, precision, host or guest. */
static void modifiers__add(const struct perf_event_attr *attr, struct strbuf *sb)
{
	bool levels = attr->exclude_kernel || attr->exclude_user || attr->exclude_hv;
	bool guest_default = levels || attr->precise_ip;
	bool host_or_guest = attr->exclude_host || (bool)attr->exclude_guest == guest_default;
	const struct {
		char letter;
		bool shown;
	} mods[] = {
		{ 'k', levels && !attr->exclude_kernel },
		{ 'u', levels && !attr->exclude_user },
		{ 'h', levels && !attr->exclude_hv },
		{ 'p', attr->precise_ip >= 1 },
		{ 'p', attr->precise_ip >= 2 },
		{ 'p', attr->precise_ip >= 3 },
		{ 'H', host_or_guest && !attr->exclude_host },
		{ 'G', host_or_guest && !attr->exclude_guest },
	};
	bool colon = false;

	for (size_t i = 0; i < ARRAY_SIZE(mods); i++) {
		if (!mods[i].shown)
			continue;
		if (!colon)
			strbuf__addch(sb, ':');
		colon = true;
		strbuf__addch(sb, mods[i].letter);
	}
}

static const char *table_name(u32 type, u64 config)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_rows); i++)
		if (event_rows[i].type == type && event_rows[i].config == config)
			return event_rows[i].name;
	return type == PERF_TYPE_HARDWARE ? "unknown-hardware" : "unknown-software";
}

void event_name__of_attr(const struct perf_event_attr *attr, struct strbuf *name)
{
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		if (attr->config >>
		    32) /* for one of several kinds of cores; the PMU's name is not known here */
			strbuf__addf(name, "cpu/%s/", table_name(attr->type, (u32)attr->config));
		else
			strbuf__addstr(name, table_name(attr->type, attr->config));
		break;
	case PERF_TYPE_SOFTWARE:
		strbuf__addstr(name, table_name(attr->type, attr->config));
		break;
	case PERF_TYPE_HW_CACHE:
		cache_name__add(attr->config, name);
		break;
	case PERF_TYPE_RAW:
		strbuf__addf(name, "raw 0x%llx", (unsigned long long)attr->config);
		break;
	case PERF_TYPE_BREAKPOINT:
		strbuf__addf(name, "mem:0x%llx:", (unsigned long long)attr->bp_addr);
		if (attr->bp_type & 1)
			strbuf__addch(name, 'r');
		if (attr->bp_type & 2)
			strbuf__addch(name, 'w');
		if (attr->bp_type & 4)
			strbuf__addch(name, 'x');
		break;
	case PERF_TYPE_TRACEPOINT:
		strbuf__addstr(name, "unknown tracepoint");
		return;
	default:
		strbuf__addf(name, "unknown attr type: %d", (int)attr->type);
		return;
	}
	modifiers__add(attr, name);
}
