#include "ui/json.h"

#include "base/text/json_member.h"
#include "profile/hists/column_json.h"
#include "ui/notes/completeness.h"

#include <string.h>

typedef unsigned long long ull;

enum {
	BLOCK = 1 << 16,  /* bytes that are written at once */
	TREE_LEVELS = 64, /* of branches: jq 1.6 has room for 256 open brackets and keys, three to a level */
};

static void json_ui__write(struct json_ui *j)
{
	fwrite(j->text.buf, 1, j->text.len, j->out);
	strbuf__reset(&j->text);
}

/* ---- the recording ---- */

void json__add_recording(struct strbuf *sb, const struct reader *r, const char *time_text)
{
	strbuf__addf(sb, "{\"format\":\"perf report\",\"version\":%d,\n\"recording\":{\"path\":",
		     REPORT_JSON_VERSION);
	strbuf__add_json(sb, r->path);
	if (time_text) {
		strbuf__addstr(sb, ",\"time\":");
		strbuf__add_json(sb, time_text);
	}
	strbuf__addstr(sb, ",\"headers\":{");
	features__add_json(r, "", sb);
	strbuf__addstr(sb, "}}");
}

static void json__begin(struct report_ui *ui, struct view *v)
{
	struct json_ui *j = container_of(ui, struct json_ui, ui);

	json__add_recording(&j->text, v->profile->session->reader, j->time_text);
	strbuf__addstr(&j->text, ",\n\"tables\":[");
	json_ui__write(j);
}

/* ---- a table: an event, a group, or the times of a recording of waits ---- */

static void add_events(struct strbuf *sb, const struct view *v, const struct hists *h)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	const char *gap = "";

	strbuf__addstr(sb, "\"events\":[");
	for (size_t i = 0; i < l->evsels.nr; i++) {
		if (v->hists_of_event[i] != h->idx)
			continue;
		strbuf__addstr(sb, gap);
		strbuf__add_json(sb, l->evsels.v[i]->name);
		gap = ",";
	}
	strbuf__addch(sb, ']');
}

/* Append one of the sums: a number, or of a group an array with one for each event. */
static void add_sums(struct strbuf *sb, const char *key, const struct hists *h, const struct hist_stat *stats,
		     size_t offset)
{
	strbuf__addf(sb, "\"%s\":%s", key, h->nr_members > 1 ? "[" : "");
	for (u32 m = 0; m < h->nr_members; m++)
		strbuf__addf(sb, "%s%llu", m ? "," : "",
			     (ull) * (const u64 *)(const void *)((const char *)&stats[m] + offset));
	strbuf__addstr(sb, h->nr_members > 1 ? "]" : "");
}

static void add_row_sums(struct strbuf *sb, const struct hists *h, const struct hist_stat *stats)
{
	add_sums(sb, "sample", h, stats, offsetof(struct hist_stat, nr));
	strbuf__addch(sb, ',');
	add_sums(sb, "period", h, stats, offsetof(struct hist_stat, period));
}

static bool has_column(const struct view *v, const struct hists *h, size_t field)
{
	return !v->opts.layout->fields.v[field].elided && h->has_field[field];
}

static void add_columns(struct strbuf *sb, const struct view *v, const struct hists *h)
{
	const struct layout *l = v->opts.layout;
	const char *gap = "";

	strbuf__addstr(sb, ",\n\"columns\":[");
	for (size_t i = 0; i < l->fields.nr; i++) {
		const struct layout_field *f = &l->fields.v[i];

		if (!has_column(v, h, i))
			continue;
		strbuf__addf(sb, "%s{\"key\":", gap);
		column__add_json_key(f->column, v, sb);
		strbuf__addstr(sb, ",\"header\":");
		strbuf__add_json(sb, f->header + strspn(f->header, " "));
		strbuf__addf(sb, ",\"is_key\":%s}", column__is_key(f->column) ? "true" : "false");
		gap = ",";
	}
	strbuf__addch(sb, ']');
}

static void add_count(struct strbuf *sb, const char *key, const struct time_count *c)
{
	strbuf__addf(sb, ",\"%s\":{\"waits\":%llu,\"ns\":%llu}", key, (ull)c->nr, (ull)c->ns);
}

/* Append what the table is of, and what it does not say. */
static void add_weights(struct strbuf *sb, const struct sample_weights *w)
{
	const struct weight_facts *f = &w->facts;

	if (w->of == WEIGHTS_BLOCKED_BY) {
		strbuf__addf(sb, ",\n\"blocked_by\":{\"ns\":%llu,\"ready\":%llu", (ull)f->ns, (ull)f->ready);
		add_count(sb, "unknown_holder", &f->unknown);
		add_count(sb, "holder_not_recorded", &f->others);
	} else if (w->of == WEIGHTS_CRITICAL_PATH) {
		strbuf__addf(sb,
			     ",\n\"critical_path\":{\"ns\":%llu,\"begin\":%llu,\"end\":%llu,\"pid\":%u,"
			     "\"tid\":%u,\"uncovered\":%llu",
			     (ull)(f->end - f->begin), (ull)f->begin, (ull)f->end, f->pid, f->tid,
			     (ull)f->uncovered);
		add_count(sb, "unknown_waker", &f->unknown);
		add_count(sb, "waker_not_recorded", &f->others);
		add_count(sb, "circular", &f->circles);
	} else {
		return; /* add_spans */
	}
	add_count(sb, "without_times", &f->vague);
	strbuf__addch(sb, '}');
}

/* Append which spans the table is of (--slower, --faster). */
static void add_spans(struct strbuf *sb, const struct view *v)
{
	const struct span_choice *c = sample_filter__spans(&v->opts.filter);
	const struct sample_weights *w = v->opts.waits.weights;

	if (!c)
		return;
	strbuf__addstr(sb, ",\n\"in_spans\":{\"name\":");
	strbuf__add_json(sb, evsel__span_name(c->event));
	strbuf__addf(sb, ",\"spans\":%llu,\"of\":%llu,\"ns\":%llu", (ull)c->nr, (ull)c->nr_all, (ull)c->ns);
	if (c->least.given)
		strbuf__addf(sb, ",\"at_least\":%llu", (ull)c->least.ns);
	if (c->most.given)
		strbuf__addf(sb, ",\"at_most\":%llu", (ull)c->most.ns);
	strbuf__addf(sb, ",\"counts\":\"%s\"", w ? "time" : "samples");
	if (w)
		add_count(sb, "without_times", &w->facts.vague);
	strbuf__addch(sb, '}');
}

static void json__event_begin(struct report_ui *ui, struct view *v, const struct hists *h)
{
	struct json_ui *j = container_of(ui, struct json_ui, ui);
	const struct hist_stat *stats = v->opts.relative ? h->shown : h->totals;
	const struct time_table *t = v->opts.waits.times;

	strbuf__addf(&j->text, "%s\n{\"kind\":\"%s\",", j->has_table ? "," : "",
		     h->is_of_times ? "times" : "samples");
	j->has_table = true;
	add_events(&j->text, v, h);
	strbuf__addch(&j->text, ',');
	add_row_sums(&j->text, h, stats);
	if (h->is_of_times) {
		strbuf__addf(&j->text, ",\"waiting\":%llu,\"idle\":%llu", (ull)stats->waiting,
			     (ull)v->idle_ns);
		if (t->on_cpu && t->hz)
			strbuf__addf(&j->text, ",\"samples_per_second\":%llu", (ull)t->hz);
		if (v->opts.waits.weights)
			add_weights(&j->text, v->opts.waits.weights);
	}
	add_spans(&j->text, v);
	add_columns(&j->text, v, h);
	strbuf__addstr(&j->text, ",\n\"rows\":[");
}

/* ---- call trees ---- */

static void add_frame(struct json_ui *j, struct view *v, const struct call_node *n, u32 i)
{
	const struct place *p = places__get(&v->places, n->places[i]);
	struct strbuf *sb = &j->text;

	strbuf__addstr(sb, i ? ",{" : "{");
	view__add_json_function(v, n->places[i], sb);
	strbuf__addstr(sb, ",\"dso\":");
	view__add_json_dso(v, n->places[i], sb);
	if (v->opts.places.graph_key != GRAPH_BY_FUNCTION) {
		strbuf__addstr(sb, ",\"line\":");
		strbuf__add_json(sb, places__text(&v->places, p->line));
	}
	strbuf__addch(sb, '}');
}

static void add_branches(struct json_ui *j, struct view *v, const struct hists *h, const struct call_node *n,
			 u32 level);

static void add_branch(struct json_ui *j, struct view *v, const struct hists *h, const struct call_node *n,
		       u32 level)
{
	u64 total = hists__total(v, h, 0);
	struct strbuf *sb = &j->text;

	strbuf__addch(sb, '{');
	json_member__u64(sb, "period", n->total);
	strbuf__addch(sb, ',');
	json_member__u64(sb, h->is_of_times ? "waiting" : "sample", n->nr_total);
	strbuf__addstr(sb, ",\"percent\":");
	strbuf__add_json_double(sb, total ? 100.0 * (double)n->total / (double)total : 0);
	if (n->self) {
		strbuf__addch(sb, ',');
		json_member__u64(sb, "self", n->self);
	}
	strbuf__addstr(sb, ",\"frames\":[");
	for (u32 i = 0; i < n->nr_places; i++)
		add_frame(j, v, n, i);
	strbuf__addch(sb, ']');
	if (n->nr_children && level == TREE_LEVELS)
		strbuf__addstr(sb, ",\"is_cut\":true");
	else
		add_branches(j, v, h, n, level);
	strbuf__addch(sb, '}');
}

static void add_branches(struct json_ui *j, struct view *v, const struct hists *h, const struct call_node *n,
			 u32 level)
{
	u32 nr = j->print_limit ? MIN(n->nr_children, j->print_limit) : n->nr_children;

	if (!nr)
		return;
	strbuf__addf(&j->text, ",\"%s\":[", v->opts.chain.caller_first ? "callees" : "callers");
	for (u32 i = 0; i < nr; i++) {
		strbuf__addstr(&j->text, i ? "," : "");
		add_branch(j, v, h, n->children[i], level + 1);
	}
	strbuf__addch(&j->text, ']');
}

/* ---- rows ---- */

/* Close the rows that are as deep as depth, or deeper. */
static void json_ui__close_rows(struct json_ui *j, u32 depth)
{
	for (; j->nr_open > depth; j->nr_open--)
		strbuf__addstr(&j->text, j->nr_open > depth + 1 ? "}]" : "}");
}

static void add_cells(struct json_ui *j, struct view *v, const struct hists *h, const struct hist_entry *e)
{
	const struct layout *l = v->opts.layout;
	size_t begin = 0, end = l->fields.nr; /* of the keys */

	if (v->opts.hierarchy)
		hists__level(h, v, e->depth, &begin, &end);
	for (size_t i = 0; i < l->fields.nr; i++) {
		struct cell cell = {
			.column = l->fields.v[i].column, .v = v, .h = h, .e = e, .sb = &j->text
		};

		if (!has_column(v, h, i) || (column__is_key(cell.column) && (i < begin || i >= end)) ||
		    cell.column->json == json_sum) /* sample and period: in all rows */
			continue;
		strbuf__addch(&j->text, ',');
		column__add_json_key(cell.column, v, &j->text);
		strbuf__addch(&j->text, ':');
		column__add_json(&cell);
	}
}

static void json__entry(struct report_ui *ui, struct view *v, const struct hists *h,
			const struct hist_entry *e)
{
	struct json_ui *j = container_of(ui, struct json_ui, ui);
	bool is_first = j->nr_open < e->depth + 1;
	const struct call_node *root;

	json_ui__close_rows(j, e->depth);
	if (is_first && e->depth)
		strbuf__addstr(&j->text, ",\"rows\":[");
	strbuf__addstr(&j->text, is_first ? "\n{" : ",\n{");
	j->nr_open = e->depth + 1;
	add_row_sums(&j->text, h, e->stats);
	if (v->opts.children) {
		strbuf__addch(&j->text, ',');
		add_sums(&j->text, "period_children", h, e->stats,
			 offsetof(struct hist_stat, period_children));
	}
	add_cells(j, v, h, e);
	root = v->opts.graph == GRAPH_NONE ? NULL : view__call_tree(v, e, false, &j->trees);
	if (root)
		add_branches(j, v, h, root, 0);
	if (j->text.len >= BLOCK)
		json_ui__write(j);
}

static void json__event_end(struct report_ui *ui, struct view *v, const struct hists *h)
{
	struct json_ui *j = container_of(ui, struct json_ui, ui);

	(void)v;
	(void)h;
	json_ui__close_rows(j, 0);
	strbuf__addstr(&j->text, "\n],\"left_out\":{");
	json_member__u64(&j->text, "rows", ui->rest.nr);
	strbuf__addstr(&j->text, ",\"percent\":");
	strbuf__add_json_double(&j->text, ui->rest.percent);
	strbuf__addstr(&j->text, "}}");
}

/* ---- completeness ---- */

static void add_lines(struct strbuf *sb, struct strbuf *lines)
{
	const char *gap = "";

	for (char *next = lines->buf, *line; (line = strsep(&next, "\n"));) {
		if (!*line)
			continue;
		strbuf__addstr(sb, gap);
		strbuf__add_json(sb, line);
		gap = ",";
	}
}

static void add_chain_advice(const struct unwind_stats *u, struct strbuf *lines)
{
	struct strbuf names = STRBUF_INIT;

	unwind_stats__add_causes(u, NULL, lines);
	unwind_stats__add_nameless(u, lines, &names);
	strbuf__add(lines, names.buf, names.len);
	strbuf__exit(&names);
}

void json__add_completeness(struct strbuf *sb, const struct profile *p, const struct view *v)
{
	struct completeness c = completeness__of(p);
	struct strbuf lines = STRBUF_INIT;
	u64 chains, incomplete = unwind_stats__incomplete(&p->unwinding, &chains);

	strbuf__addf(sb, "\"completeness\":{\"lost_records\":%llu,\"lost_samples\":%llu,\"end\":\"%s\"",
		     (ull)c.lost_records, (ull)c.lost_samples, c.end);
	strbuf__addf(sb, ",\"malformed_records\":%llu,\"samples_of_unknown_events\":%llu", (ull)c.malformed,
		     (ull)c.unknown_event);
	strbuf__addf(sb,
		     ",\n\"samples\":%llu,\"without_symbol\":{\"made_up_names\":%llu,\"in_known_files\":%llu,"
		     "\"elsewhere\":%llu}",
		     (ull)p->nr_samples, v ? (ull)v->nr.made_up : 0, v ? (ull)v->nr.unresolved : 0,
		     v ? (ull)v->nr.unmapped : 0);
	if (p->unwinding.nr)
		strbuf__addf(sb, ",\n\"chains\":{\"unwound\":%llu,\"incomplete\":%llu,\"found\":%llu}",
			     (ull)chains, (ull)incomplete, (ull)unwind_stats__found(&p->unwinding));
	losses__tell(&p->session->losses, &lines);
	if (p->unwinding.nr)
		add_chain_advice(&p->unwinding, &lines);
	strbuf__addstr(sb, ",\n\"advice\":[");
	add_lines(sb, &lines);
	strbuf__addstr(sb, "]}}\n");
	strbuf__exit(&lines);
}

static void json__end(struct report_ui *ui, struct view *v)
{
	struct json_ui *j = container_of(ui, struct json_ui, ui);

	strbuf__addstr(&j->text, "],\n");
	json__add_completeness(&j->text, v->profile, v);
	json_ui__write(j);
}

void json_ui__init(struct json_ui *j, FILE *out, const char *time_text, u32 print_limit)
{
	*j = (struct json_ui){ .ui = { .begin = json__begin,
				       .event_begin = json__event_begin,
				       .entry = json__entry,
				       .event_end = json__event_end,
				       .end = json__end },
			       .out = out,
			       .time_text = time_text,
			       .print_limit = print_limit,
			       .text = STRBUF_INIT };
}

void json_ui__exit(struct json_ui *j)
{
	strbuf__exit(&j->text);
	call_trees__exit(&j->trees);
}
