/* The sort keys and values; see layout.h. */
#include "profile/hists/hists.h"

#include <string.h>

enum {
	UNRESOLVED_WIDTH = 16, /* digits of an address */
};

/* ---- keys ---- */

static unsigned tid_identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	(void)v;
	words[0] = e->tid;
	return 1;
}

static int tid_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	(void)v;
	return (int)a->tid < (int)b->tid ? -1 : (int)a->tid > (int)b->tid;
}

static unsigned comm_room(struct view *v, const struct hist_entry *e)
{
	char buf[16];

	return (unsigned)strlen(view__last_comm(v, e, buf));
}

static unsigned tid_room(struct view *v, const struct hist_entry *e)
{
	return comm_room(v, e) + 8;
}

static unsigned comm_identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	(void)v;
	words[0] = e->comm;
	return 1;
}

static int comm_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	char x[16], y[16];

	return a->comm == b->comm ? 0 : strcmp(view__comm(v, a->comm, x), view__comm(v, b->comm, y));
}

static const struct place *entry__place(const struct view *v, const struct hist_entry *e)
{
	return places__get(&v->places, e->place);
}

static const char *entry__dso_name(const struct view *v, const struct hist_entry *e)
{
	return machine__str(&v->profile->session->machine, entry__place(v, e)->dso_name);
}

/* Unmapped addresses have no dso; a dso may be called [unknown] too. */
static u64 place__dso_word(const struct place *p)
{
	return p->mapped ? (u64)p->dso_name + 1 : 0;
}

static unsigned dso_identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	words[0] = place__dso_word(entry__place(v, e));
	return 1;
}

static int dso_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct place *x = entry__place(v, a), *y = entry__place(v, b);

	if (!x->mapped || !y->mapped)
		return x->mapped ? -1 : y->mapped;
	return x->dso_name == y->dso_name ? 0 : strcmp(entry__dso_name(v, a), entry__dso_name(v, b));
}

static unsigned dso_room(struct view *v, const struct hist_entry *e)
{
	const struct place *p = entry__place(v, e);
	unsigned room = p->mapped ? (unsigned)strlen(entry__dso_name(v, e)) : 0;

	if (!p->sym && !v->opts.dsos.given)
		room = MAX(room, (unsigned)UNRESOLVED_WIDTH);
	return room;
}

/* A symbol is its place in a dso of that name; an unresolved address is itself, whatever the dso. */
static unsigned place__symbol_identity(const struct place *p, u64 *words)
{
	words[0] = p->sym ? place__dso_word(p) : 0;
	words[1] = p->sym ? p->sym->start : p->ip;
	words[2] = p->sym ? 1ull << 32 | p->sym->size : 0;
	words[3] = p->inlined;
	return 4;
}

static unsigned symbol_identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	return place__symbol_identity(entry__place(v, e), words);
}

static int symbol_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	bool x = entry__place(v, a)->sym, y = entry__place(v, b)->sym;

	if (!x || !y)
		return x ? -1 : y;
	return a->place == b->place
		       ? 0
		       : strcmp(places__name(&v->places, a->place), places__name(&v->places, b->place));
}

/* By the sign of their difference, as in stock perf: kernel addresses come before user ones. */
static int compare_addresses(u64 a, u64 b)
{
	s64 difference = (s64)(a - b);

	return difference < 0 ? -1 : difference > 0;
}

static int compare_symbols(const struct symbol *a, const struct symbol *b)
{
	if (a->start != b->start)
		return compare_addresses(a->start, b->start);
	return a->size < b->size ? -1 : a->size > b->size;
}

static int symbol_collapse(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	const struct place *x = entry__place(v, a), *y = entry__place(v, b);
	int ret;

	if (!x->sym && !y->sym)
		return compare_addresses(x->ip, y->ip);
	if (!layout__sorts_by(v->opts.layout, COLUMN_DSO) && (ret = dso_compare(v, a, b)))
		return ret;
	if (!x->sym || !y->sym)
		return x->sym ? -1 : 1;
	if (x->inlined != y->inlined) {
		ret = strcmp(places__name(&v->places, a->place), places__name(&v->places, b->place));
		return ret ? ret : x->inlined ? 1 : -1;
	}
	return compare_symbols(x->sym, y->sym);
}

/* "[.] name", or "[.] 0x0123456789abcdef" */
static unsigned place__symbol_room(struct view *v, u32 place)
{
	if (!places__get(&v->places, place)->sym)
		return UNRESOLVED_WIDTH + 4 + 2;
	return (unsigned)strlen(places__name(&v->places, place)) + 4 +
	       (places__get(&v->places, place)->inlined ? (unsigned)strlen(INLINED_MARK) : 0);
}

static unsigned symbol_room(struct view *v, const struct hist_entry *e)
{
	return place__symbol_room(v, e->place);
}

/* Source lines, as they are known (place.line, place.file). */
#define LINE_KEY(key, place_of, text)                                                                    \
	static unsigned key##_identity(const struct view *v, const struct hist_entry *e, u64 *words)     \
	{                                                                                                \
		words[0] = places__get(&v->places, place_of)->text;                                      \
		return 1;                                                                                \
	}                                                                                                \
	static const char *key##_text(const struct view *v, const struct hist_entry *e)                  \
	{                                                                                                \
		return places__text(&v->places, places__get(&v->places, place_of)->text);                \
	}                                                                                                \
	static int key##_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b) \
	{                                                                                                \
		return strcmp(key##_text(v, a), key##_text(v, b));                                       \
	}                                                                                                \
	static unsigned key##_room(struct view *v, const struct hist_entry *e)                           \
	{                                                                                                \
		return (unsigned)strlen(key##_text(v, e));                                               \
	}
LINE_KEY(srcline, e->place, line)
LINE_KEY(srcfile, e->place, file)

static unsigned cpu_identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	(void)v;
	words[0] = e->cpu;
	return 1;
}

static int cpu_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	(void)v;
	return (int)a->cpu < (int)b->cpu ? -1 : (int)a->cpu > (int)b->cpu;
}

static unsigned no_room(struct view *v, const struct hist_entry *e)
{
	(void)v;
	(void)e;
	return 0;
}

/* ---- keys of branches ---- */

static const struct branch *entry__branch(const struct view *v, const struct hist_entry *e)
{
	return branches__get(&v->branches, e->branch);
}

/* Backwards, as in stock perf: what is in no known map comes first. */
static int compare_end_dsos(const struct view *v, const struct branch_end *a, const struct branch_end *b)
{
	const struct place *x = places__get(&v->places, a->place), *y = places__get(&v->places, b->place);
	const struct machine *m = &v->profile->session->machine;

	if (!x->mapped || !y->mapped)
		return x->mapped - y->mapped;
	if (x->dso_name == y->dso_name)
		return 0;
	return strcmp(machine__str(m, y->dso_name), machine__str(m, x->dso_name));
}

static int compare_end_symbols(const struct view *v, const struct branch_end *a, const struct branch_end *b)
{
	const struct place *x = places__get(&v->places, a->identity),
			   *y = places__get(&v->places, b->identity);

	if (!x->sym && !y->sym)
		return compare_addresses(x->ip, y->ip);
	if (!x->sym || !y->sym)
		return x->sym ? -1 : 1;
	return compare_symbols(x->sym, y->sym);
}

static unsigned end_dso_room(const struct view *v, const struct branch_end *end)
{
	const struct place *p = places__get(&v->places, end->place);

	return p->sym ? (unsigned)strlen(machine__str(&v->profile->session->machine, p->dso_name)) : 0;
}

#define END_KEYS(end)                                                                                      \
	static unsigned dso_##end##_identity(const struct view *v, const struct hist_entry *e, u64 *words) \
	{                                                                                                  \
		words[0] = place__dso_word(places__get(&v->places, entry__branch(v, e)->end.place));       \
		return 1;                                                                                  \
	}                                                                                                  \
	static int dso_##end##_compare(struct view *v, const struct hist_entry *a,                         \
				       const struct hist_entry *b)                                         \
	{                                                                                                  \
		return compare_end_dsos(v, &entry__branch(v, a)->end, &entry__branch(v, b)->end);          \
	}                                                                                                  \
	static unsigned dso_##end##_room(struct view *v, const struct hist_entry *e)                       \
	{                                                                                                  \
		return end_dso_room(v, &entry__branch(v, e)->end);                                         \
	}                                                                                                  \
	static unsigned symbol_##end##_identity(const struct view *v, const struct hist_entry *e,          \
						u64 *words)                                                \
	{                                                                                                  \
		return place__symbol_identity(places__get(&v->places, entry__branch(v, e)->end.identity),  \
					      words);                                                      \
	}                                                                                                  \
	static int symbol_##end##_compare(struct view *v, const struct hist_entry *a,                      \
					  const struct hist_entry *b)                                      \
	{                                                                                                  \
		return compare_end_symbols(v, &entry__branch(v, a)->end, &entry__branch(v, b)->end);       \
	}                                                                                                  \
	static unsigned symbol_##end##_room(struct view *v, const struct hist_entry *e)                    \
	{                                                                                                  \
		return place__symbol_room(v, entry__branch(v, e)->end.place);                              \
	}
END_KEYS(from)
END_KEYS(to)

LINE_KEY(srcline_from, entry__branch(v, e)->from.place, line)
LINE_KEY(srcline_to, entry__branch(v, e)->to.place, line)

/* A larger number comes first. */
#define FLAG_KEY(key, value)                                                                             \
	static u32 branch__##key(const struct branch *b)                                                 \
	{                                                                                                \
		return value;                                                                            \
	}                                                                                                \
	static unsigned key##_identity(const struct view *v, const struct hist_entry *e, u64 *words)     \
	{                                                                                                \
		words[0] = branch__##key(entry__branch(v, e));                                           \
		return 1;                                                                                \
	}                                                                                                \
	static int key##_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b) \
	{                                                                                                \
		u32 x = branch__##key(entry__branch(v, a)), y = branch__##key(entry__branch(v, b));      \
                                                                                                         \
		return x > y ? -1 : x < y;                                                               \
	}
FLAG_KEY(prediction, b->flags &(BRANCH_PREDICTED | BRANCH_MISPREDICTED))
FLAG_KEY(in_tx, b->flags &BRANCH_IN_TX)
FLAG_KEY(abort, b->flags &BRANCH_ABORT)
FLAG_KEY(cycles, b->flags >> BRANCH_CYCLES_SHIFT & 0xffff)

/* ---- keys of tracepoints ---- */

static unsigned trace_identity(const struct view *v, const struct hist_entry *e, u64 *words)
{
	words[0] = v->traces.v.v[e->trace].text;
	return 1;
}

static int trace_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	return a->trace == b->trace
		       ? 0
		       : strcmp(traces__text(&v->traces, a->trace), traces__text(&v->traces, b->trace));
}

static unsigned trace_room(struct view *v, const struct hist_entry *e)
{
	return (unsigned)strlen(traces__text(&v->traces, e->trace));
}

/* Words: whether there is a value, and which. */
static unsigned trace_field_identity(const struct trace_key *key, const struct view *v,
				     const struct hist_entry *e, u64 *words)
{
	const struct trace_value *value = traces__value(&v->traces, key, e->trace);

	words[0] = value ? 1 + value->is_number : 0;
	words[1] = value ? (value->is_number ? value->number : value->text) : 0;
	return 2;
}

static int trace_field_compare(const struct trace_key *key, const struct view *v, const struct hist_entry *a,
			       const struct hist_entry *b)
{
	const struct trace_value *x = traces__value(&v->traces, key, a->trace);
	const struct trace_value *y = traces__value(&v->traces, key, b->trace);
	size_t nr;

	if (!x || !y)
		return (y != NULL) - (x != NULL);
	if (!x->is_number || !y->is_number)
		return strcmp(traces__str(&v->traces, y->text), traces__str(&v->traces, x->text));
	if (trace_event__fields(key->format, &nr)[key->field].is_signed)
		return (s64)x->number > (s64)y->number ? -1 : (s64)x->number < (s64)y->number;
	return x->number > y->number ? -1 : x->number < y->number;
}

static unsigned trace_field_room(const struct trace_key *key, const struct view *v,
				 const struct hist_entry *e)
{
	const struct trace_value *value = traces__value(&v->traces, key, e->trace);

	return MAX(trace_key__width(key), value ? value->width : 0);
}

/* ---- values: the larger comes first; in a group the first member that differs decides ---- */

static int compare_stats(const struct view *v, const struct hist_entry *a, const struct hist_entry *b,
			 size_t field)
{
	for (u32 i = 0; i < v->hists.v[a->hists].nr_members; i++) {
		u64 x = *(const u64 *)(const void *)((const char *)&a->stats[i] + field);
		u64 y = *(const u64 *)(const void *)((const char *)&b->stats[i] + field);

		if (x != y)
			return x > y ? -1 : 1;
	}
	return 0;
}

static int period_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_stats(v, a, b, offsetof(struct hist_stat, period));
}

static int nr_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	return compare_stats(v, a, b, offsetof(struct hist_stat, nr));
}

/* Callers above their callees where both cost the same. */
static int children_compare(struct view *v, const struct hist_entry *a, const struct hist_entry *b)
{
	u64 x = a->stats[0].period_children, y = b->stats[0].period_children;
	int ret = x > y ? -1 : x < y; /* in a group the leader alone decides, as in stock perf */

	if (ret || a->thread != b->thread || a->tid != b->tid || v->opts.graph == GRAPH_NONE ||
	    a->max_depth == b->max_depth)
		return ret;
	return (a->max_depth > b->max_depth) == v->opts.chain.caller_first ? -1 : 1;
}

#define BRANCH_COLUMN(n, h, s, key, r)                                                                \
	{                                                                                             \
		.name = (n), .header = (h), .branch = true, .split = (s), .identity = key##_identity, \
		.compare = key##_compare, .room = (r)                                                 \
	}
#define LINE_COLUMN(n, h, key, ...)                                                    \
	{                                                                              \
		.name = (n), .header = (h), .lines = true, .identity = key##_identity, \
		.compare = key##_compare, .room = key##_room, ##__VA_ARGS__            \
	}
#define STOCK_ONLY(n)                            \
	{                                        \
		.name = (n), .unsupported = true \
	}

const struct column columns[] = {
	[COLUMN_PID] = { .name = "pid",
			 .header = "    Pid:Command",
			 .split = PROFILE_SPLIT_THREAD,
			 .identity = tid_identity,
			 .compare = tid_compare,
			 .room = tid_room },
	[COLUMN_COMM] = { .name = "comm",
			  .header = "Command",
			  .filter_name = "comm",
			  .identity = comm_identity,
			  .compare = comm_compare,
			  .room = comm_room },
	[COLUMN_DSO] = { .name = "dso",
			 .header = "Shared Object",
			 .filter_name = "dso",
			 .identity = dso_identity,
			 .compare = dso_compare,
			 .room = dso_room },
	[COLUMN_SYMBOL] = { .name = "symbol",
			    .header = "Symbol",
			    .filter_name = "symbol",
			    .identity = symbol_identity,
			    .compare = symbol_compare,
			    .collapse = symbol_collapse,
			    .room = symbol_room },
	[COLUMN_CPU] = { .name = "cpu",
			 .header = "CPU",
			 .split = PROFILE_SPLIT_CPU,
			 .identity = cpu_identity,
			 .compare = cpu_compare,
			 .room = no_room },
	[COLUMN_OVERHEAD] = { .name = "overhead",
			      .header = "Overhead",
			      .width = 8,
			      .compare = period_compare },
	[COLUMN_OVERHEAD_CHILDREN] = { .name = "overhead_children",
				       .header = "Children",
				       .width = 8,
				       .compare = children_compare },
	[COLUMN_SAMPLE] = { .name = "sample", .header = "Samples", .width = 12, .compare = nr_compare },
	[COLUMN_PERIOD] = { .name = "period", .header = "Period", .width = 12, .compare = period_compare },
	[COLUMN_TID] = { .name = "tid",
			 .header = "    Tid:Command",
			 .split = PROFILE_SPLIT_THREAD,
			 .identity = tid_identity,
			 .compare = tid_compare,
			 .room = tid_room },
	[COLUMN_DSO_FROM] = BRANCH_COLUMN("dso_from", "Source Shared Object", 0, dso_from, dso_from_room),
	[COLUMN_DSO_TO] = BRANCH_COLUMN("dso_to", "Target Shared Object", 0, dso_to, dso_to_room),
	[COLUMN_SYMBOL_FROM] =
		BRANCH_COLUMN("symbol_from", "Source Symbol", 0, symbol_from, symbol_from_room),
	[COLUMN_SYMBOL_TO] = BRANCH_COLUMN("symbol_to", "Target Symbol", 0, symbol_to, symbol_to_room),
	[COLUMN_MISPREDICT] = BRANCH_COLUMN("mispredict", "Branch Mispredicted", PROFILE_SPLIT_PREDICTION,
					    prediction, no_room),
	[COLUMN_ABORT] = BRANCH_COLUMN("abort", "Transaction abort", PROFILE_SPLIT_ABORT, abort, no_room),
	[COLUMN_IN_TX] = BRANCH_COLUMN("in_tx", "Branch in transaction", PROFILE_SPLIT_IN_TX, in_tx, no_room),
	[COLUMN_CYCLES] =
		BRANCH_COLUMN("cycles", "Basic Block Cycles", PROFILE_SPLIT_CYCLES, cycles, no_room),

	[COLUMN_TRACE] = { .name = "trace",
			   .header = "Trace output",
			   .identity = trace_identity,
			   .compare = trace_compare,
			   .room = trace_room },

	[COLUMN_SRCLINE] = LINE_COLUMN("srcline", "Source:Line", srcline),
	[COLUMN_SRCFILE] = LINE_COLUMN("srcfile", "Source File", srcfile),
	[COLUMN_SRCLINE_FROM] = LINE_COLUMN("srcline_from", "From Source:Line", srcline_from, .branch = true),
	[COLUMN_SRCLINE_TO] = LINE_COLUMN("srcline_to", "To Source:Line", srcline_to, .branch = true),

	STOCK_ONLY("parent"),
	STOCK_ONLY("socket"),
	STOCK_ONLY("local_weight"),
	STOCK_ONLY("weight"),
	STOCK_ONLY("transaction"),
	STOCK_ONLY("symbol_size"),
	STOCK_ONLY("dso_size"),
	STOCK_ONLY("cgroup"),
	STOCK_ONLY("cgroup_id"),
	STOCK_ONLY("ipc_null"),
	STOCK_ONLY("time"),
	STOCK_ONLY("code_page_size"),
	STOCK_ONLY("local_ins_lat"),
	STOCK_ONLY("ins_lat"),
	STOCK_ONLY("local_p_stage_cyc"),
	STOCK_ONLY("p_stage_cyc"),
	STOCK_ONLY("addr"),
	STOCK_ONLY("ipc_lbr"),
	STOCK_ONLY("addr_from"),
	STOCK_ONLY("addr_to"),
	STOCK_ONLY("symbol_daddr"),
	STOCK_ONLY("dso_daddr"),
	STOCK_ONLY("locked"),
	STOCK_ONLY("tlb"),
	STOCK_ONLY("mem"),
	STOCK_ONLY("snoop"),
	STOCK_ONLY("dcacheline"),
	STOCK_ONLY("symbol_iaddr"),
	STOCK_ONLY("phys_daddr"),
	STOCK_ONLY("data_page_size"),
	STOCK_ONLY("blocked"),
	STOCK_ONLY("overhead_sys"),
	STOCK_ONLY("overhead_us"),
	STOCK_ONLY("overhead_guest_sys"),
	STOCK_ONLY("overhead_guest_us"),
};
const size_t columns__nr = ARRAY_SIZE(columns);

unsigned column__identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			  u64 *words)
{
	if (c->trace)
		return trace_field_identity(c->trace, v, e, words);
	return c->identity ? c->identity(v, e, words) : 0;
}

int column__compare(const struct column *c, struct view *v, const struct hist_entry *a,
		    const struct hist_entry *b)
{
	return c->trace ? trace_field_compare(c->trace, v, a, b) : c->compare(v, a, b);
}

int column__collapse(const struct column *c, struct view *v, const struct hist_entry *a,
		     const struct hist_entry *b)
{
	return c->collapse ? c->collapse(v, a, b) : column__compare(c, v, a, b);
}

unsigned column__room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	if (c->trace)
		return trace_field_room(c->trace, v, e);
	return c->room ? c->room(v, e) : 0;
}
