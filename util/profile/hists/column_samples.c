/* Columns of samples' fields, of waits and of tracepoints. */
#include "profile/hists/columns_private.h"

#include "format/records/sample_field.h"
#include "profile/waits/wait_kinds.h"
#include "profile/hists/column_json.h"
#include "profile/hists/hists_private.h"

#include <string.h>

/* ---- fields of samples ---- */

u64 word_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return extras__field(&v->extras, c->field, e->extra);
}

int addresses_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	return compare_addresses(c->value(c, v, a), c->value(c, v, b));
}

void print_field(const struct cell *c)
{
	size_t start = c->sb->len;

	sample_field__print(c->column->field, word_value(c->column, c->v, c->e), c->sb);
	cell__pad(c, start);
}

/* Print the value, which all samples of the entry share. */
void print_number_sum(const struct cell *c)
{
	strbuf__addf(c->sb, "%-*llu", c->width,
		     (unsigned long long)(word_value(c->column, c->v, c->e) * c->e->stats[0].nr));
}

void print_parallelism(const struct cell *c)
{
	strbuf__addf(c->sb, "%*llu", c->width, (unsigned long long)word_value(c->column, c->v, c->e));
}

void print_address(const struct cell *c)
{
	strbuf__addf(c->sb, "%-#*llx", c->width, (unsigned long long)word_value(c->column, c->v, c->e));
}

struct branch_end entry_data(const struct view *v, const struct hist_entry *e)
{
	(void)v;
	return (struct branch_end){ e->data, e->data, (u8)e->level };
}

unsigned data_dso_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct place *p = column__place(c, v, e);

	return p->mapped ? (unsigned)strlen(place__dso_name(v, p)) : unresolved_dso_room(v);
}

/* As in stock perf, with room for an address after the name. */
unsigned address_symbol_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	u32 place = c->end(v, e).place;
	unsigned room = UNRESOLVED_WIDTH + 6;

	return places__get(&v->places, place)->sym ? room + (unsigned)strlen(places__name(&v->places, place))
						   : room;
}

/* A place that is identified by its address in memory, not by its symbol. */
void print_address_symbol(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);

	const struct place *p = places__get(&c->v->places, end.place);

	if (p->sym)
		print_symbol(c);
	if (p->sym && c->column->data)
		add_offset(c->sb, p->ip - p->sym->start);
	if (!p->sym)
		add_address(c->sb, (char)end.level, word_value(c->column, c->v, c->e));
}

/* ---- lines of the cache ---- */

enum { CACHELINE = 64 }; /* bytes */

u64 view__cacheline(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	const struct place *p = places__get(&v->places, e->data);

	return (p->mapped ? p->ip : word_value(c, v, e)) & ~(u64)(CACHELINE - 1);
}

unsigned cacheline_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			    u64 *words)
{
	words[0] = place__dso_word(places__get(&v->places, e->data));
	words[1] = view__cacheline(c, v, e);
	words[2] = (u64)e->level;
	return 3;
}

int cacheline_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		      const struct hist_entry *b)
{
	int ret = b->level - a->level; /* the kernel first */

	if (!ret)
		ret = compare_dsos(v, places__get(&v->places, a->data), places__get(&v->places, b->data));
	return ret ? ret : compare_addresses(view__cacheline(c, v, a), view__cacheline(c, v, b));
}

void print_cacheline(const struct cell *c)
{
	const struct place *p = places__get(&c->v->places, c->e->data);

	if (p->sym)
		print_symbol(c);
	else
		add_address(c->sb, p->mapped ? c->e->level : 'X', view__cacheline(c->column, c->v, c->e));
}

void print_phys_addr(const struct cell *c)
{
	size_t start = c->sb->len;

	add_address(c->sb, c->e->level, word_value(c->column, c->v, c->e));
	cell__pad(c, start);
}

/* as in stock perf; longer texts stand out */
unsigned transaction_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	return word_value(c, v, e) ? 32 : 0;
}

void print_time(const struct cell *c)
{
	u64 ns = word_value(c->column, c->v, c->e), second = 1000000000;

	if (c->v->opts.nanoseconds)
		strbuf__addf(c->sb, "%llu.%09llu", (unsigned long long)(ns / second),
			     (unsigned long long)(ns % second));
	else
		print_field(c);
}

unsigned time_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	(void)e;
	return v->opts.nanoseconds ? c->width + 4 : c->width;
}

const char *cgroup_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 id = word_value(c, v, e);
	const char *path = machine__cgroup(&v->profile->session->machine, id);

	return path ? path : id ? "unknown" : "N/A";
}

/* ---- waits ---- */

u64 entry_wait(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return e->wait;
}

const char *wait_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	(void)v;
	return wait_kind__name(e->wait);
}

u64 entry_waker(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 waker = extras__field(&v->extras, c->field, e->extra);

	return waker ? v->waker_texts.v[waker - 1] : 0;
}

const char *waker_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 text = entry_waker(c, v, e);

	return text ? places__text(&v->places, (u32)text) : "-";
}

u64 entry_lock(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return extras__field(&v->extras, c->field, e->extra);
}

const char *lock_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	u64 text = entry_lock(c, v, e);

	return text && v->opts.waits.locks ? locks__text(v->opts.waits.locks, (u32)text) : "-";
}

const char *entry_lock_text(const struct view *v, const struct hist_entry *e)
{
	u64 text = extras__field(&v->extras, &sample_fields[FIELD_LOCK], e->extra);

	return text && v->opts.waits.locks ? locks__text(v->opts.waits.locks, (u32)text) : NULL;
}

/* ---- tracepoints ---- */

u64 trace_value(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	(void)c;
	return v->extras.v.v[e->extra].text;
}

const char *trace_text(const struct column *c, const struct view *v, const struct hist_entry *e)
{
	return extras__str(&v->extras, (u32)trace_value(c, v, e));
}

/* Set the words to the kind of the value (0: no value) and the value. */
static unsigned trace_field_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
				     u64 *words)
{
	const struct trace_value *value = extras__value(&v->extras, c->trace, e->extra);

	words[0] = value ? 1 + value->is_number : 0;
	words[1] = value ? (value->is_number ? value->number : value->text) : 0;
	return 2;
}

static int trace_field_compare(const struct column *c, struct view *v, const struct hist_entry *a,
			       const struct hist_entry *b)
{
	const struct trace_value *x = extras__value(&v->extras, c->trace, a->extra);
	const struct trace_value *y = extras__value(&v->extras, c->trace, b->extra);
	size_t nr;

	if (!x || !y)
		return (y != NULL) - (x != NULL);
	if (!x->is_number || !y->is_number)
		return strcmp(extras__str(&v->extras, y->text), extras__str(&v->extras, x->text));
	if (trace_event__fields(c->trace->format, &nr)[c->trace->field].is_signed)
		return (s64)x->number > (s64)y->number ? -1 : (s64)x->number < (s64)y->number;
	return x->number > y->number ? -1 : x->number < y->number;
}

static unsigned trace_field_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	const struct trace_value *value = extras__value(&v->extras, c->trace, e->extra);

	return MAX(trace_key__width(c->trace), value ? value->width : 0);
}

/* Align to the right, as numbers. */
static void print_trace_field(const struct cell *c)
{
	const struct trace_value *value = extras__value(&c->v->extras, c->column->trace, c->e->extra);
	const char *text = value ? extras__str(&c->v->extras, value->text) : "";
	int len = (int)MIN(strlen(text), (size_t)c->width);

	strbuf__addchars(c->sb, ' ', (size_t)(c->width - len));
	add_text(c, text, 0, c->width);
}

const struct column trace_field_column = { .right_aligned = true,
					   .identity = trace_field_identity,
					   .compare = trace_field_compare,
					   .room = trace_field_room,
					   .print = print_trace_field,
					   .json = json_trace_field };
