#include "profile/layout.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

static const char default_sort[] = "comm,dso,symbol";
static const char default_branch_sort[] = "comm,dso_from,symbol_from,symbol_to,cycles";

static const struct column *column__find(const char *word, size_t len)
{
	for (size_t i = 0; i < columns__nr; i++)
		if (len && !strncasecmp(columns[i].name, word, len) && len <= strlen(columns[i].name))
			return &columns[i];
	return NULL;
}

static bool layout__has_field(const struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->fields.nr; i++)
		if (l->fields.v[i].column == c)
			return true;
	return false;
}

static bool layout__has_sort(const struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->sorts.nr; i++)
		if (l->sorts.v[i] == c)
			return true;
	return false;
}

static void layout__add_sort(struct layout *l, const struct column *c)
{
	if (!layout__has_sort(l, c))
		array__add(&l->sorts, c);
	l->split |= c->split;
}

static void layout__add_field(struct layout *l, const struct column *c)
{
	if (!layout__has_field(l, c))
		array__add(&l->fields, ((struct layout_field){ .column = c, .header = c->header }));
	l->split |= c->split;
}

/* Calls add for each word of a list. option: for the message. */
static int layout__add_words(struct layout *l, const char *text, const char *option, bool branches,
			     void (*add)(struct layout *l, const struct column *c), struct err *err)
{
	while (*text) {
		size_t len = strcspn(text, ", ");
		const struct column *c = column__find(text, len);

		if (len && !c)
			return err__set(err, -EINVAL, "unknown %s key: '%.*s'", option, (int)len, text);
		if (len && c->unsupported)
			return err__set(err, -EOPNOTSUPP, "%s key '%s' is not supported yet", option, c->name);
		if (len && c->branch && !branches)
			return err__set(err, -EINVAL, "%s key '%s' is of branches: perf record -b, perf report -b", option,
					c->name);
		if (len)
			add(l, c);
		text += len + (text[len] != '\0');
	}
	return 0;
}

static bool is_strict(const char *order)
{
	return order && *order != '+';
}

/* -s: what is sorted by, the overhead first unless it is somewhere in it. */
static int layout__parse_sort(struct layout *l, const struct layout_opts *opts, struct err *err)
{
	const char *defaults = opts->branches ? default_branch_sort : default_sort;
	struct strbuf order = STRBUF_INIT;
	int ret;

	if (opts->sort && *opts->sort == '+')
		strbuf__addf(&order, "%s,%s", defaults, opts->sort + 1);
	else if (opts->sort || !is_strict(opts->fields))
		strbuf__addstr(&order, opts->sort ? opts->sort : defaults);
	else
		return 0;
	l->sort_order = strbuf__detach(&order);
	if (!is_strict(opts->fields)) {
		if (opts->children && !strstr(l->sort_order, "overhead_children"))
			layout__add_sort(l, &columns[COLUMN_OVERHEAD_CHILDREN]);
		if (!strstr(l->sort_order, "overhead"))
			layout__add_sort(l, &columns[COLUMN_OVERHEAD]);
	}
	ret = layout__add_words(l, l->sort_order, "--sort", opts->branches, layout__add_sort, err);
	return ret;
}

static void layout__default_fields(struct layout *l, const struct layout_opts *opts)
{
	if (opts->children) {
		layout__add_field(l, &columns[COLUMN_OVERHEAD_CHILDREN]);
		layout__add_field(l, &columns[COLUMN_OVERHEAD]);
		l->fields.v[1].header = "Self";
	} else {
		layout__add_field(l, &columns[COLUMN_OVERHEAD]);
	}
	if (opts->samples)
		layout__add_field(l, &columns[COLUMN_SAMPLE]);
	if (opts->period)
		layout__add_field(l, &columns[COLUMN_PERIOD]);
}

int layout__parse(struct layout *l, const struct layout_opts *opts, struct err *err)
{
	const char *fields = opts->fields;
	int ret;

	*l = (struct layout){ .has_field_order = fields != NULL };
	ret = layout__parse_sort(l, opts, err);
	if (ret)
		return ret;
	if (!is_strict(fields))
		layout__default_fields(l, opts);
	if (fields && *fields == '+' && !*++fields)
		return err__set(err, -EINVAL, "invalid --fields key: '+'");
	if (fields)
		ret = layout__add_words(l, fields, "--fields", opts->branches, layout__add_field, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < l->sorts.nr; i++)
		layout__add_field(l, l->sorts.v[i]);
	for (size_t i = 0; i < l->fields.nr; i++)
		layout__add_sort(l, l->fields.v[i].column);
	return 0;
}

void layout__exit(struct layout *l)
{
	array__exit(&l->fields);
	array__exit(&l->sorts);
	free(l->sort_order);
	l->sort_order = NULL;
}

int layout__set_widths(struct layout *l, const char *text, struct err *err)
{
	const char *p = text;

	for (size_t i = 0; i < l->fields.nr; i++) {
		char *end;
		unsigned long width;

		if (!isdigit((unsigned char)*p))
			return err__set(err, -EINVAL, "'%s' is not a list of widths", text);
		width = strtoul(p, &end, 10);
		if (width > 10000 || (*end && *end != ','))
			return err__set(err, -EINVAL, "'%s' is not a list of widths", text);
		l->fields.v[i].user_width = (unsigned)width;
		if (!*end)
			return 0;
		p = end + 1;
	}
	return 0;
}

bool layout__sorts_by(const struct layout *l, enum column_id id)
{
	return layout__has_sort(l, &columns[id]);
}

void layout__elide(struct layout *l, bool (*is_single)(const char *filter_name, void *ctx), void *ctx)
{
	bool all = true;

	for (size_t i = 0; i < l->fields.nr; i++) {
		struct layout_field *f = &l->fields.v[i];

		if (!f->column->identity)
			continue;
		f->elided = f->column->filter_name && is_single(f->column->filter_name, ctx);
		all &= f->elided;
	}
	for (size_t i = 0; i < l->fields.nr && all; i++)
		l->fields.v[i].elided = false;
}
