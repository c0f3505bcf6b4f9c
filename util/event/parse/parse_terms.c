/* The terms between slashes that any event may have. */
#include "event/parse/parse_private.h"

#include "event/evsel/branch_filter.h"
#include "event/evsel/event_name.h"

#include <string.h>

/* ---- reading ---- */

/* Read the value of a term. Quotes may enclose commas and slashes. */
static int parser__read_value(struct parser *ps, struct term *t)
{
	const char quote = *ps->p;
	const char *end;

	if (quote != '\'' && quote != '"') {
		t->value = (struct word){ ps->p, strcspn(ps->p, ",/ \t\n") };
		ps->p += t->value.len;
		return 0;
	}
	end = strchr(ps->p + 1, quote);
	if (!end)
		return parser__fail(ps, (struct word){ ps->p, 1 }, "this quote has no end:");
	t->value = (struct word){ ps->p + 1, (size_t)(end - ps->p) - 1 };
	ps->p = end + 1;
	return 0;
}

static int parser__read_term(struct parser *ps, struct term *t)
{
	*t = (struct term){ .name = { ps->p, strcspn(ps->p, ",=/ \t\n") } };
	if (!t->name.len)
		return parser__fail(ps, (struct word){ ps->p, 0 }, "expected a term or '/'");
	ps->p += t->name.len;
	if (*ps->p != '=')
		return 0;
	ps->p++;
	t->has_value = true;
	return parser__read_value(ps, t);
}

static void parser__blanks(struct parser *ps)
{
	while (is_blank(*ps->p))
		ps->p++;
}

int parser__read_terms(struct parser *ps, term_array *terms)
{
	struct word open = { ps->p, 1 };
	int ret = 0;

	ps->p++;
	parser__blanks(ps);
	while (!ret && *ps->p && *ps->p != '/') {
		struct term t;

		ret = parser__read_term(ps, &t);
		if (ret)
			break;
		array__add(terms, t);
		parser__blanks(ps);
		if (*ps->p == ',')
			ps->p++;
		else if (*ps->p && *ps->p != '/')
			ret = parser__fail(ps, (struct word){ ps->p, 1 }, "expected a comma or '/', found");
		parser__blanks(ps);
	}
	if (!ret && *ps->p != '/')
		ret = parser__fail(ps, open, "the second slash, which ends the terms, is missing after");
	if (!ret)
		ps->p++;
	ps->had_terms = true;
	return ret;
}

/* ---- the table ---- */

enum term_kind { TERM_NUMBER, TERM_FLAG, TERM_TEXT };

struct term_row {
	const char *name;
	enum term_kind kind;
	u64 max; /* for numbers */
	/* n: the value of a number or flag (default 1) */
	int (*apply)(struct parser *ps, struct evsel *e, const struct term *t, u64 n);
};

#define APPLY(name, code)                                                                        \
	static int apply_##name(struct parser *ps, struct evsel *e, const struct term *t, u64 n) \
	{                                                                                        \
		(void)ps;                                                                        \
		(void)t;                                                                         \
		code;                                                                            \
		return 0;                                                                        \
	}
APPLY(config, e->attr.config = n)
APPLY(config1, e->attr.config1 = n)
APPLY(config2, e->attr.config2 = n)
APPLY(config3, e->config3 = n)
APPLY(max_stack, e->request->terms.max_stack = (u16)n)
APPLY(time, e->request->terms.time = n ? TERM_ON : TERM_OFF)
APPLY(inherit, e->request->terms.inherit = n ? TERM_ON : TERM_OFF)
APPLY(no_inherit, e->request->terms.inherit = n ? TERM_OFF : TERM_ON)
APPLY(overwrite, e->request->terms.overwrite = n ? TERM_ON : TERM_OFF)
APPLY(no_overwrite, e->request->terms.overwrite = n ? TERM_OFF : TERM_ON)
APPLY(percore, e->request->terms.percore = n)
APPLY(aux_output, e->attr.aux_output = n != 0)
APPLY(period, e->attr.sample_period = n; e->attr.freq = 0; e->request->own_period = true;
      e->request->own_freq = false)
APPLY(freq, e->attr.sample_freq = n; e->attr.freq = 1; e->request->own_freq = true;
      e->request->own_period = false)
#undef APPLY

static int apply_stack_size(struct parser *ps, struct evsel *e, const struct term *t, u64 n)
{
	if (!n)
		return parser__fail(ps, t->value, "a stack copy has at least 8 bytes, not");
	e->request->terms.stack_size = ROUND_UP((u32)n, 8);
	return 0;
}

static int apply_name(struct parser *ps, struct evsel *e, const struct term *t, u64 n)
{
	(void)e;
	(void)n;
	if (!t->value.len)
		return parser__fail(ps, t->value, "expected a name");
	free(ps->own_name);
	ps->own_name = word__dup(t->value);
	return 0;
}

static int apply_call_graph(struct parser *ps, struct evsel *e, const struct term *t, u64 n)
{
	static const char *const names[] = { [CALL_GRAPH_NO] = "no",
					     [CALL_GRAPH_FP] = "fp",
					     [CALL_GRAPH_DWARF] = "dwarf",
					     [CALL_GRAPH_LBR] = "lbr" };
	static const struct word_list modes = WORD_LIST("call graph mode", names, 0);
	int mode = parser__choose(ps, &modes, t->value);

	(void)n;
	e->request->terms.call_graph = MAX(mode, 0);
	return MIN(mode, 0);
}

static int apply_branch_type(struct parser *ps, struct evsel *e, const struct term *t, u64 n)
{
	struct word bad;
	int ret = branch_filter__parse(t->value.p, t->value.len, "|", &e->request->terms.branch_filter,
				       &bad.p, &bad.len);

	(void)n;
	return ret ? parser__choose(ps, &branch_kinds, bad) : 0;
}

static const struct term_row term_rows[] = {
	{ "config", TERM_NUMBER, UINT64_MAX, apply_config },
	{ "config1", TERM_NUMBER, UINT64_MAX, apply_config1 },
	{ "config2", TERM_NUMBER, UINT64_MAX, apply_config2 },
	{ "config3", TERM_NUMBER, UINT64_MAX, apply_config3 },
	{ "name", TERM_TEXT, 0, apply_name },
	{ "period", TERM_NUMBER, UINT64_MAX >> 1, apply_period },
	{ "freq", TERM_NUMBER, UINT32_MAX, apply_freq },
	{ "branch_type", TERM_TEXT, 0, apply_branch_type },
	{ "time", TERM_FLAG, 1, apply_time },
	{ "call-graph", TERM_TEXT, 0, apply_call_graph },
	{ "stack-size", TERM_NUMBER, STACK_COPY_MAX, apply_stack_size },
	{ "max-stack", TERM_NUMBER, UINT16_MAX, apply_max_stack },
	{ "inherit", TERM_FLAG, 1, apply_inherit },
	{ "no-inherit", TERM_FLAG, 1, apply_no_inherit },
	{ "overwrite", TERM_FLAG, 1, apply_overwrite },
	{ "no-overwrite", TERM_FLAG, 1, apply_no_overwrite },
	{ "percore", TERM_FLAG, 1, apply_percore },
	{ "aux-output", TERM_FLAG, 1, apply_aux_output },
};

void offer_terms(void *ctx, struct suggest *s, struct arena *names)
{
	(void)ctx;
	(void)names;
	for (size_t i = 0; i < ARRAY_SIZE(term_rows); i++)
		suggest__offer(s, term_rows[i].name);
}

/* ---- applying ---- */

int parser__term_number(struct parser *ps, const struct term *t, u64 *value)
{
	*value = 1;
	if (!t->has_value)
		return 0;
	if (!event_name__constant(t->value.p, t->value.len, value))
		return 0;
	return parser__number(ps, t->value, "a number", value);
}

static int parser__term_value(struct parser *ps, const struct term_row *row, const struct term *t, u64 *n)
{
	int ret;

	*n = 0;
	if (row->kind == TERM_TEXT)
		return t->has_value
			       ? 0
			       : parser__fail(ps, t->name, "a value is missing (%s=...) after", row->name);
	ret = parser__term_number(ps, t, n);
	if (!ret && *n > row->max)
		ret = parser__fail(ps, t->value, "%s is at most %llu, not", row->name,
				   (unsigned long long)row->max);
	return ret;
}

bool parser__apply_term(struct parser *ps, const struct term *t, size_t first, int *ret)
{
	const struct term_row *row = NULL;
	u64 n;

	for (size_t i = 0; i < ARRAY_SIZE(term_rows); i++)
		if (word__is(t->name, term_rows[i].name))
			row = &term_rows[i];
	if (!row)
		return false;
	*ret = parser__term_value(ps, row, t, &n);
	for (size_t i = first; !*ret && i < ps->out.evsels.nr; i++)
		*ret = row->apply(ps, ps->out.evsels.v[i], t, n);
	return true;
}

int parser__terms(struct parser *ps)
{
	term_array terms = { 0 };
	int ret = parser__read_terms(ps, &terms);

	for (size_t i = 0; !ret && i < terms.nr; i++) {
		if (parser__apply_term(ps, &terms.v[i], ps->first, &ret))
			continue;
		ret = parser__fail(ps, terms.v[i].name, "unknown term");
		parser__suggest(ps, terms.v[i].name, offer_terms, NULL);
	}
	array__exit(&terms);
	return ret;
}
