/*
 * The page of a comparison is that of a recording with two cells of time: what the old side cost, and what
 * the new one did, for a unit of work. Its frames are the rows of the comparison, in their order.
 */
#include "export/compare_page.h"

#include "base/system/thread.h"
#include "export/export_out.h"
#include "export/page_data.h"
#include "profile/compare/compare_text.h"

#include <math.h>

#define WHOLE 1e10 /* cost of the larger side in the page, whose costs are whole numbers */

struct compare_page {
	const struct comparison *c;
	double scale; /* of costs in the page */
	struct strpool strings, binaries;
};

static void add_text(struct strbuf *sb, const char *name, const struct strbuf *text)
{
	strbuf__addf(sb, ",\"%s\":", name);
	strbuf__add_json(sb, text->buf);
}

/* Append a ratio. Infinity and NaN, which JSON lacks, are null. */
static void add_ratio(struct strbuf *sb, const char *name, double x)
{
	if (isfinite(x))
		strbuf__addf(sb, ",\"%s\":%.6g", name, x);
	else
		strbuf__addf(sb, ",\"%s\":null", name);
}

static void add_costs(struct strbuf *sb, const char *name, const double *costs)
{
	strbuf__addf(sb, ",\"%s\":[%.6g,%.6g]", name, costs[COMPARE_OLD], costs[COMPARE_NEW]);
}

static void add_row(struct strbuf *sb, const struct comparison *c, const struct compared *row)
{
	const struct cell_style style = { 0 };
	struct strbuf remark = STRBUF_INIT;
	bool is_tested = evidence_row__is_tested(&row->self);

	compare_text__add_remark(&remark, c, row, &style, false);
	strbuf__addf(sb, "{\"verdict\":%u", row->verdict);
	add_costs(sb, "self", row->self.cost);
	add_costs(sb, "total", row->total.cost);
	add_ratio(sb, "change", is_tested ? row->self.change : NAN);
	add_ratio(sb, "low", is_tested ? row->self.low : NAN);
	add_ratio(sb, "high", is_tested ? row->self.high : NAN);
	add_text(sb, "remark", &remark);
	strbuf__addch(sb, '}');
	strbuf__exit(&remark);
}

static void add_comparison(struct strbuf *sb, const struct compare_page *p)
{
	const struct cell_style style = { 0 };
	const struct comparison *c = p->c;
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(sb, ",\"comparison\":{\"scale\":%.17g", p->scale);
	compare_text__add_total(&text, c, &style);
	add_text(sb, "total", &text);
	strbuf__reset(&text);
	compare_text__add_changes(&text, c, &style);
	add_text(sb, "changes", &text);
	strbuf__addstr(sb, ",\"verdicts\":[");
	for (u32 i = 0; i < NR_VERDICTS; i++)
		strbuf__addf(sb, "%s\"%s\"", i ? "," : "", verdict__name((enum verdict)i));
	strbuf__addstr(sb, "],\"rows\":[");
	for (size_t i = 0; i < c->rows.nr; i++) {
		strbuf__addstr(sb, i ? "," : "");
		add_row(sb, c, &c->rows.v[i]);
	}
	strbuf__addstr(sb, "]}");
	strbuf__exit(&text);
}

static void add_strings(struct strbuf *sb, const char *name, const struct strpool *strings)
{
	strbuf__addf(sb, ",\"%s\":[", name);
	for (size_t i = 0; i < strings->strings.nr; i++) {
		strbuf__addstr(sb, i ? "," : "");
		strbuf__add_json(sb, strings->strings.v[i]);
	}
	strbuf__addch(sb, ']');
}

static void add_facts(const struct compare_page *p, struct strbuf *data)
{
	struct strbuf json = STRBUF_INIT, *sb = &json, text = STRBUF_INIT;
	const struct cell_style style = { 0 };
	const struct comparison *c = p->c;
	unsigned long long nr = 0;

	for (size_t i = 0; i < c->recordings.nr; i++)
		nr += c->recordings.v[i].costs.nr_samples;
	strbuf__addstr(sb, "{\"format\":4,\"cell\":1,\"cpu_cell\":1,\"duration\":1,\"lost\":0,\"losses\":[],"
			   "\"stacks\":0,\"cut\":0,\"limit\":0,\"damage\":\"\",\"headers\":{},\"threads\":"
			   "[{\"pid\":0,\"tid\":0,\"first\":0,\"last\":1,\"name\":\"\",\"process\":\"\"}]");
	compare_text__add_recordings(&text, c, &style);
	add_text(sb, "recording", &text);
	strbuf__addf(sb, ",\"events\":[{\"nr\":%llu,\"weight\":%.6g,\"period\":0,\"time\":%s,\"waits\":false",
		     nr, c->self.total[COMPARE_NEW], c->is_time ? "true" : "false");
	strbuf__reset(&text);
	strbuf__addstr(&text, c->event);
	add_text(sb, "name", &text);
	strbuf__addstr(sb, "}]");
	add_strings(sb, "binaries", &p->binaries);
	add_strings(sb, "strings", &p->strings);
	add_comparison(sb, p);
	strbuf__addch(sb, '}');
	page_data__add_column(data, sb);
	strbuf__exit(&json);
	strbuf__exit(&text);
}

/* Append the rows as frames, without source files, lines and positions in the code. */
static void add_frames(struct compare_page *p, struct strbuf *data)
{
	struct strbuf names = STRBUF_INIT, binaries = STRBUF_INIT, zeros = STRBUF_INIT;

	for (size_t i = 0; i < p->c->rows.nr; i++) {
		const struct compared *row = &p->c->rows.v[i];

		page_data__add_varint(&names, strpool__intern(&p->strings, row->name));
		page_data__add_varint(&binaries, strpool__intern(&p->binaries, row->dso) + 1);
	}
	page_data__add_column(data, &names);
	page_data__add_column(data, &binaries);
	for (u32 column = 0; column < 4; column++) {
		strbuf__addchars(&zeros, '\0', p->c->rows.nr);
		page_data__add_column(data, &zeros);
	}
	strbuf__exit(&names);
	strbuf__exit(&binaries);
	strbuf__exit(&zeros);
}

/* Append the tree of stacks; a stack's rank is its number. */
static void add_stacks(const struct compare_page *p, struct strbuf *data)
{
	struct strbuf parents = STRBUF_INIT, frames = STRBUF_INIT, ranks = STRBUF_INIT;

	for (size_t i = 1; i < p->c->stacks.v.nr; i++) {
		const struct function_stack *s = &p->c->stacks.v.v[i];

		page_data__add_varint(&parents, i - s->parent);
		page_data__add_varint(&frames, s->function);
	}
	for (size_t i = 0; i < p->c->stacks.v.nr; i++)
		page_data__add_signed(&ranks, i != 0);
	page_data__add_column(data, &parents);
	page_data__add_column(data, &frames);
	page_data__add_column(data, &ranks);
	strbuf__exit(&parents);
	strbuf__exit(&frames);
	strbuf__exit(&ranks);
}

/* Append a run of stacks with their costs for each side. */
static void add_costs_of_stacks(const struct compare_page *p, struct strbuf *data)
{
	struct strbuf runs = STRBUF_INIT, stacks = STRBUF_INIT, numbers = STRBUF_INIT, costs = STRBUF_INIT;

	for (u32 side = 0; side < 2; side++) {
		size_t last = 0;
		u32 nr = 0;

		for (size_t i = 1; i < p->c->stacks.v.nr; i++) {
			u64 cost = (u64)llround(p->c->stacks.v.v[i].cost[side] * p->scale);

			if (!cost)
				continue;
			page_data__add_varint(&stacks, i - last);
			page_data__add_varint(&numbers, 1);
			page_data__add_varint(&costs, cost);
			last = i;
			nr++;
		}
		page_data__add_varint(&runs, side);
		page_data__add_varint(&runs, 0);
		page_data__add_varint(&runs, nr);
	}
	page_data__add_column(data, &runs);
	page_data__add_column(data, &stacks);
	page_data__add_column(data, &numbers);
	page_data__add_column(data, &costs);
	strbuf__exit(&runs);
	strbuf__exit(&stacks);
	strbuf__exit(&numbers);
	strbuf__exit(&costs);
}

static void compare_page__make(struct compare_page *p, struct strbuf *page)
{
	struct strbuf data = STRBUF_INIT, tables = STRBUF_INIT, none = STRBUF_INIT, packed = STRBUF_INIT;

	strpool__init(&p->strings);
	strpool__init(&p->binaries);
	add_frames(p, &tables);
	add_stacks(p, &tables);
	add_costs_of_stacks(p, &tables);
	page_data__add_column(&tables, &none); /* processors */
	page_data__add_column(&tables, &none); /* code */
	add_facts(p, &data);                   /* has the strings of the frames */
	strbuf__add(&data, tables.buf, tables.len);
	page_data__pack(&data, thread__count(p->c->opts.nr_threads), &packed);
	page_data__write(&packed, page);
	strpool__exit(&p->strings);
	strpool__exit(&p->binaries);
	strbuf__exit(&data);
	strbuf__exit(&tables);
	strbuf__exit(&none);
	strbuf__exit(&packed);
}

int compare_page__write(const struct comparison *c, const char *path, struct err *err)
{
	struct compare_page p = {
		.c = c, .scale = WHOLE / MAX(c->self.total[COMPARE_OLD], c->self.total[COMPARE_NEW])
	};
	struct export_out out;
	int ret = export_out__open(&out, path, comparison__output_mode(c), false, err);

	if (ret)
		return ret;
	compare_page__make(&p, &out.text);
	return export_out__close(&out, true, err);
}
