#include "profile/hists/column_json.h"

#include "format/records/sample_field.h"
#include "profile/waits/wait_kinds.h"
#include "profile/hists/hists_private.h"

typedef unsigned long long ull;

void strbuf__add_json_double(struct strbuf *sb, double x)
{
	strbuf__addf(sb, "%.7g", x);
}

/* ---- numbers and texts ---- */

static void add_field(const struct sample_field *f, u64 value, struct strbuf *sb)
{
	struct strbuf text = STRBUF_INIT;

	if (f->type == FIELD_NUMBER) {
		strbuf__addf(sb, "%llu", (ull)value);
	} else if (f->type == FIELD_SIGNED) {
		strbuf__addf(sb, "%d", (int)value);
	} else if (f->type == FIELD_ADDRESS) {
		strbuf__addf(sb, "\"0x%llx\"", (ull)value);
	} else {
		sample_field__print(f, value, &text);
		strbuf__add_json(sb, text.buf);
	}
	strbuf__exit(&text);
}

void column__add_json(const struct cell *c)
{
	const struct column *column = c->column;

	if (column->json)
		column->json(c);
	else if (column->text)
		strbuf__add_json(c->sb, column->text(column, c->v, c->e));
	else if (column->field)
		add_field(column->field, column->value(column, c->v, c->e), c->sb);
	else
		strbuf__addf(c->sb, "%lld", (long long)column->value(column, c->v, c->e));
}

void column__add_json_key(const struct column *c, const struct view *v, struct strbuf *sb)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	struct strbuf key = STRBUF_INIT;

	if (c->trace)
		strbuf__addf(&key, "%s.", l->evsels.v[c->trace->event]->name);
	strbuf__addstr(&key, c->name);
	strbuf__add_json(sb, key.buf);
	strbuf__exit(&key);
}

void json_known_number(const struct cell *c)
{
	u64 value = c->column->value(c->column, c->v, c->e);

	if (value)
		strbuf__addf(c->sb, "%llu", (ull)value);
	else
		strbuf__addstr(c->sb, "null");
}

void json_number_sum(const struct cell *c)
{
	strbuf__addf(c->sb, "%llu", (ull)(c->column->value(c->column, c->v, c->e) * c->e->stats[0].nr));
}

void json_flag(const struct cell *c)
{
	strbuf__addstr(c->sb, c->column->value(c->column, c->v, c->e) ? "true" : "false");
}

void json_prediction(const struct cell *c)
{
	u64 flags = c->column->value(c->column, c->v, c->e);

	strbuf__addstr(c->sb, flags & BRANCH_PREDICTED      ? "false"
			      : flags & BRANCH_MISPREDICTED ? "true"
							    : "null");
}

void json_null(const struct cell *c)
{
	strbuf__addstr(c->sb, "null");
}

void json_trace_field(const struct cell *c)
{
	trace_value__add_json(extras__value(&c->v->extras, c->column->trace, c->e->extra), &c->v->extras,
			      c->sb);
}

/* ---- threads ---- */

static void add_thread(const struct cell *c, u32 id, const char *comm)
{
	strbuf__addf(c->sb, "{\"id\":%d,\"comm\":", (int)id);
	strbuf__add_json(c->sb, comm);
	strbuf__addch(c->sb, '}');
}

void json_thread(const struct cell *c)
{
	char buf[16];

	add_thread(c, c->e->tid, view__last_comm(c->v, c->e, buf));
}

void json_process(const struct cell *c)
{
	char buf[16];

	add_thread(c, c->e->pid, view__leader_comm(c->v, c->e, buf));
}

void json_comm(const struct cell *c)
{
	char buf[16];

	strbuf__add_json(c->sb, view__comm(c->v, c->e->comm, buf));
}

void json_nodigit(const struct cell *c)
{
	char text[NODIGIT_MAX];

	strbuf__add_json(c->sb, view__comm_nodigit(c->v, c->e, text));
}

/* ---- places ---- */

void view__add_json_dso(const struct view *v, u32 place, struct strbuf *sb)
{
	const struct place *p = places__get(&v->places, place);
	const struct dsos *dsos = &v->profile->session->machine.dsos;

	strbuf__add_json(sb, p->mapped ? dso__short_name(dsos, dsos->v.v[p->dso]) : "[unknown]");
}

void json_dso(const struct cell *c)
{
	view__add_json_dso(c->v, c->column->end(c->v, c->e).place, c->sb);
}

void view__add_json_function(struct view *v, u32 place, struct strbuf *sb)
{
	const char *name = places__name(&v->places, place);
	const struct place *p = places__get(&v->places, place);

	strbuf__addstr(sb, "\"name\":");
	if (p->sym || place__stand_in(p))
		strbuf__add_json(sb, p->sym ? name : place__stand_in(p));
	else
		strbuf__addf(sb, "\"0x%llx\",\"unresolved\":true", (ull)p->ip);
	if (p->sym && p->sym->is_made_up && !p->inlined)
		strbuf__addstr(sb, ",\"made_up\":true");
	if (p->inlined)
		strbuf__addstr(sb, ",\"inlined\":true");
	if (p->wait)
		strbuf__addf(sb, ",\"wait\":\"%s\"", wait_kind__name(p->wait));
	if (p->is_idle)
		strbuf__addstr(sb, ",\"idle\":true");
}

static void begin_function(const struct cell *c, u32 place, char level)
{
	strbuf__addch(c->sb, '{');
	view__add_json_function(c->v, place, c->sb);
	strbuf__addstr(c->sb, ",\"level\":");
	strbuf__add_json(c->sb, (char[]){ level, '\0' });
}

void json_symbol(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);

	begin_function(c, end.place, (char)end.level);
	strbuf__addch(c->sb, '}');
}

/* Append the function at a place that has its address, and the distance from the function's beginning. */
static void add_function_at(const struct cell *c, u32 place, char level)
{
	const struct place *p = places__get(&c->v->places, place);

	begin_function(c, place, level);
	if (p->sym)
		strbuf__addf(c->sb, ",\"offset\":%llu", (ull)(p->ip - p->sym->start));
	strbuf__addch(c->sb, '}');
}

void json_end_address(const struct cell *c)
{
	add_function_at(c, c->column->end(c->v, c->e).identity, c->e->level);
}

void json_symbol_offset(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);

	add_function_at(c, end.place, (char)end.level);
}

/* Add the symbol of a data address. An address without a symbol is identified by its address in memory. */
void json_address_symbol(const struct cell *c)
{
	struct branch_end end = c->column->end(c->v, c->e);

	if (!places__get(&c->v->places, end.place)->sym)
		strbuf__addf(c->sb, "{\"name\":\"0x%llx\",\"unresolved\":true,\"level\":\"%c\"}",
			     (ull)c->column->value(c->column, c->v, c->e), (char)end.level);
	else if (c->column->data)
		add_function_at(c, end.place, (char)end.level);
	else
		json_symbol(c);
}

void json_cacheline(const struct cell *c)
{
	strbuf__addf(c->sb, "\"0x%llx\"", (ull)view__cacheline(c->column, c->v, c->e));
}

void json_ipc(const struct cell *c)
{
	const struct function_ipc *f = hist_entry__ipc(c->v, c->e);

	if (!f)
		strbuf__addstr(c->sb, "null");
	else
		strbuf__add_json_double(c->sb, (double)f->executed / (double)f->cycles);
}

/* ---- values: a number, or in a group an array with one for each event ---- */

static void add_members(const struct cell *c, void (*add)(const struct cell *c, u32 member))
{
	strbuf__addstr(c->sb, c->h->nr_members > 1 ? "[" : "");
	for (u32 m = 0; m < c->h->nr_members; m++) {
		strbuf__addstr(c->sb, m ? "," : "");
		add(c, m);
	}
	strbuf__addstr(c->sb, c->h->nr_members > 1 ? "]" : "");
}

static u64 value_of(const struct cell *c, u32 member)
{
	return *column__stat(c->column, &c->e->stats[member]);
}

static void add_percent(const struct cell *c, u32 member, u64 total)
{
	strbuf__add_json_double(c->sb, total ? 100.0 * (double)value_of(c, member) / (double)total : 0);
}

static void add_share(const struct cell *c, u32 member)
{
	add_percent(c, member, hists__total(c->v, c->h, member));
}

static void add_share_of_sum(const struct cell *c, u32 member)
{
	add_percent(
		c, member,
		*column__stat(c->column, c->v->opts.relative ? &c->h->shown[member] : &c->h->totals[member]));
}

static void add_sum(const struct cell *c, u32 member)
{
	strbuf__addf(c->sb, "%llu", (ull)value_of(c, member));
}

static void add_average(const struct cell *c, u32 member)
{
	u64 nr = c->e->stats[member].nr;

	strbuf__add_json_double(c->sb, nr ? (double)value_of(c, member) / (double)nr : 0);
}

static void add_parts(const struct cell *c, u32 member)
{
	const char *gap = "";

	strbuf__addch(c->sb, '{');
	for (u32 i = 0; i < c->column->nr_parts; i++) {
		struct strbuf name = STRBUF_INIT;

		if (!hists__has_part(c->h, c->v, c->column, i))
			continue;
		sample_field__print(c->column->field, i, &name);
		strbuf__addf(c->sb, "%s\"%s\":", gap, name.buf);
		strbuf__add_json_double(c->sb, cell__part_percent(c, member, i));
		strbuf__exit(&name);
		gap = ",";
	}
	strbuf__addch(c->sb, '}');
}

void json_parts(const struct cell *c)
{
	add_members(c, add_parts);
}

void json_share(const struct cell *c)
{
	add_members(c, add_share);
}

void json_children(const struct cell *c)
{
	if (c->v->opts.children)
		add_members(c, add_share);
	else
		strbuf__addstr(c->sb, "null");
}

void json_share_of_sum(const struct cell *c)
{
	add_members(c, add_share_of_sum);
}

void json_sum(const struct cell *c)
{
	add_members(c, add_sum);
}

void json_average(const struct cell *c)
{
	add_members(c, add_average);
}
