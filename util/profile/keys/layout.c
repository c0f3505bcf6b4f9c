#include "profile/keys/layout.h"

#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/text/number.h"
#include "format/records/sample_field.h"
#include "profile/keys/trace_keys.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <strings.h>

static const char default_sort[] = "comm,dso,symbol";
static const char default_function_sort[] = "dso,symbol";
static const char default_trace_sort[] = "trace";
static const char default_branch_sort[] = "comm,dso_from,symbol_from,symbol_to,cycles";

static const char default_history_sort[] = "srcline,symbol,dso,callchain_branch_predicted,"
					   "callchain_branch_abort,callchain_branch_cycles";

const char default_mem_sort[] = "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,"
				"local_ins_lat,local_p_stage_cyc";

static const struct column *column__find(const char *word, size_t len)
{
	int i = word_list__find(&column_names, word, len);

	return i < 0 ? NULL : &columns[i];
}

static const struct column *column__named(const char *name)
{
	return column__find(name, strlen(name));
}

static bool layout__has_field(const struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->fields.nr; i++)
		if (l->fields.v[i].column == c)
			return true;
	return false;
}

bool layout__has_value(const struct layout *l, const struct sample_field *f)
{
	for (size_t i = 0; i < l->values.nr; i++)
		if (l->values.v[i] == f)
			return true;
	return false;
}

static void layout__need_value(struct layout *l, const struct sample_field *f)
{
	u16 offset = sample_field__offset(f);
	size_t i = 0;

	if (layout__has_value(l, f))
		return;
	array__add(&l->values, f);
	while (i < l->words.nr && l->words.v[i].offset != offset)
		i++;
	if (i == l->words.nr)
		array__add(&l->words, ((struct sample_word){ .offset = offset }));
	l->words.v[i].bits |= sample_field__bits(f, l->sample_type);
}

static void layout__need(struct layout *l, const struct column *c)
{
	l->split |= c->split;
	l->exact |= c->exact;
	l->ipc |= c->needs.ipc;
	l->lines |= c->lines;
	l->map_sizes |= c->needs.map_sizes;
	l->parent |= c->needs.parent;
	l->context |= c->field && !c->field->in;
	l->exact_ends |= c->exact_ends;
	l->waits |= c->waits;
	l->times |= c->times;
	if (c->data)
		l->data = c->field;
	if (c->field)
		layout__need_value(l, c->field);
}

u32 layout__first_part(const struct layout *l, const struct column *c)
{
	u32 first = 0;

	for (size_t i = 0; i < l->divided.nr && l->divided.v[i] != c; i++)
		first += l->divided.v[i]->nr_parts;
	return first;
}

static void layout__need_parts(struct layout *l, const struct column *c)
{
	if (!c->nr_parts || layout__first_part(l, c) != l->nr_parts)
		return; /* not divided, or there already */
	array__add(&l->divided, c);
	l->nr_parts += c->nr_parts;
}

static void layout__need_sum(struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->sums.nr; i++)
		if (l->sums.v[i] == c)
			return;
	if (c->sum)
		array__add(&l->sums, c);
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
	layout__need(l, c);
	layout__need_sum(l, c);
	layout__need_parts(l, c);
}

static void layout__add_field(struct layout *l, const struct column *c)
{
	if (!layout__has_field(l, c))
		array__add(&l->fields, ((struct layout_field){ .column = c, .header = c->header }));
	layout__need(l, c);
}

struct adder { /* adds the words of a list */
	struct layout *layout;
	const struct layout_opts *opts;
	const char *option; /* for messages */
	void (*add)(struct layout *l, const struct column *c);
	bool is_joined; /* the next key is on one level with the one before */
};

static void adder__take(const struct adder *a, const struct column *c)
{
	a->add(a->layout, c);
	if (a->is_joined)
		array__add(&a->layout->joined, c);
}

static void adder__add(void *ctx, const struct column *c)
{
	adder__take(ctx, c);
}

static int adder__unknown(const struct adder *a, const char *word, size_t len, struct err *err)
{
	char *copy = xasprintf("%.*s", (int)len, word), *what = xasprintf("%s key", a->option);
	struct suggest near;

	suggest__init(&near, "", copy);
	word_list__offer(&column_names, &near);
	if (a->opts->traces)
		trace_keys__offer(a->opts->traces, &near);
	err__unknown(err, what, &near, "perf report -h lists the keys, under --sort");
	free(what);
	free(copy);
	return -EINVAL;
}

static int adder__add_field_of_trace(struct adder *a, const char *word, size_t len, struct err *err)
{
	struct trace_keys *k = a->opts->traces;
	int ret = k ? trace_keys__find(k, word, len, adder__add, a, err) : -ENOENT;

	if (ret != -ENOENT)
		return ret;
	adder__unknown(a, word, len, err);
	if (k && k->missing)
		err__advise(err, "fields of tracepoints are not known: %s", k->missing);
	return -EINVAL;
}

static int adder__add_trace(struct adder *a, const struct column *c, struct err *err)
{
	struct trace_keys *k = a->opts->traces;

	if (k && k->missing)
		return err__set(err, -EINVAL, "%s key '%s': %s", a->option, c->name, k->missing);
	if (k)
		trace_keys__want_text(k);
	adder__take(a, c);
	return 0;
}

static bool column__is_of_locks(const struct column *c)
{
	return c->field == &sample_fields[FIELD_LOCK] || c->field == &sample_fields[FIELD_HOLDER];
}

static int adder__add_word(struct adder *a, const char *word, size_t len, struct err *err)
{
	const struct column *c = column__find(word, len);
	int of_stock = c ? -1 : word_list__find(&column_names__of_stock, word, len);
	int ret = -ENOENT;

	/* as in stock perf, where it is only the beginning of that name */
	if (c == column__named("lock") && !a->opts->waits && a->opts->sample_type & PERF_SAMPLE_DATA_SRC)
		c = column__named("locked");
	/* The whole name of a tracepoint's field comes before the beginning of a key. */
	if (c && strlen(c->name) != len && a->opts->traces)
		ret = trace_keys__find(a->opts->traces, word, len, adder__add, a, err);
	if (ret != -ENOENT)
		return ret;
	if (of_stock >= 0)
		return err__set(err, -EOPNOTSUPP, "%s key '%s' is not supported yet", a->option,
				word_list__name(&column_names__of_stock, (size_t)of_stock));
	if (!c)
		return adder__add_field_of_trace(a, word, len, err);
	if (c->branch && !a->opts->branches)
		return err__set(err, -EINVAL, "%s key '%s' is of branches: %s record -b, %s report -b",
				a->option, c->name, called_name(), called_name());
	if (c->waits && !a->opts->waits)
		return err__set(err, -EINVAL, "%s key '%s' is of waits: %s record --off-cpu%s", a->option,
				c->name, called_name(), column__is_of_locks(c) ? "=locks" : "");
	if (c == column__named("trace"))
		return adder__add_trace(a, c, err);
	adder__take(a, c);
	return 0;
}

static int layout__add_words(struct adder *a, const char *text, struct err *err)
{
	bool in_braces = false;
	int ret = 0;

	while (*text && !ret) {
		size_t len = strcspn(text, ", {}");

		if (len) {
			ret = adder__add_word(a, text, len, err);
			a->is_joined = in_braces;
		}
		text += len;
		if (*text == '{' || *text == '}') {
			in_braces = *text == '{';
			a->is_joined = false;
		}
		text += *text != '\0';
	}
	return ret;
}

static bool is_strict(const char *order)
{
	return order && *order != '+';
}

static const char *default_sort_of(const struct layout_opts *opts)
{
	if (opts->mem_mode)
		return default_mem_sort;
	if (opts->branches)
		return default_branch_sort;
	if (opts->history)
		return default_history_sort;
	if (opts->weighted)
		return opts->equal_names ? "tid,symbol" : "comm,symbol";
	if (opts->traces && trace_keys__is_all(opts->traces))
		return default_trace_sort;
	return opts->functions ? default_function_sort : default_sort;
}

enum { DEFAULT_VALUES_MAX = 4 };

/*
 * List the values that are columns by default, in their order. Latencies come with --latency, and with the
 * key that they depend on; who sorts by them chooses the columns.
 */
static size_t default_values(const struct layout_opts *opts, const char *sort_order,
			     const char *names[DEFAULT_VALUES_MAX])
{
	static const char *const values[2][2] = { { "overhead", "latency" },
						  { "overhead_children", "latency_children" } };
	size_t nr = 0;

	if (sort_order && strstr(sort_order, "latency") && !opts->latency)
		return 0;
	for (int children = opts->children; children >= 0; children--) {
		names[nr++] = values[children][opts->latency];
		if (opts->latency || (sort_order && strstr(sort_order, "parallelism")))
			names[nr++] = values[children][!opts->latency];
	}
	return nr;
}

/* Parse -s. The overhead columns come first unless the list contains them. */
static int layout__parse_sort(struct layout *l, const struct layout_opts *opts, struct err *err)
{
	struct adder adder = { .layout = l, .opts = opts, .option = "--sort", .add = layout__add_sort };
	const char *defaults = default_sort_of(opts), *values[DEFAULT_VALUES_MAX];
	struct strbuf order = STRBUF_INIT;

	if (opts->sort && *opts->sort == '+')
		strbuf__addf(&order, "%s,%s", defaults, opts->sort + 1);
	else if (opts->sort || !is_strict(opts->fields))
		strbuf__addstr(&order, opts->sort ? opts->sort : defaults);
	else
		return 0;
	if (opts->parent && !strstr(order.buf, "parent"))
		strbuf__addstr(&order, ",parent");
	l->sort_order = strbuf__detach(&order);
	for (size_t i = 0, nr = is_strict(opts->fields) ? 0 : default_values(opts, l->sort_order, values);
	     i < nr; i++)
		if (!strstr(l->sort_order, values[i]))
			layout__add_sort(l, column__named(values[i]));
	return layout__add_words(&adder, l->sort_order, err);
}

/* Add the columns of a time table, which has none of those before. */
static void layout__add_times(struct layout *l, const struct layout_opts *opts)
{
	for (size_t i = 0; i < l->fields.nr; i++)
		l->fields.v[i].no_times = true;
	if (opts->on_cpu)
		layout__add_field(l, column__named("on_cpu"));
	layout__add_field(l, column__named("waiting"));
	if (opts->children)
		layout__add_field(l, column__named("self_time"));
}

static void layout__default_fields(struct layout *l, const struct layout_opts *opts)
{
	const char *values[DEFAULT_VALUES_MAX];
	size_t nr = default_values(opts, l->sort_order, values);

	for (size_t i = 0; i < nr; i++) {
		layout__add_field(l, column__named(values[i]));
		if (opts->children && !strcmp(values[i], "overhead"))
			l->fields.v[i].header = "Self";
	}
	if (opts->cpu_utilization) {
		layout__add_field(l, column__named("overhead_sys"));
		layout__add_field(l, column__named("overhead_us"));
	}
	if (opts->times)
		layout__add_times(l, opts);
	if (opts->samples)
		layout__add_field(l, column__named("sample"));
	if (opts->period)
		layout__add_field(l, column__named("period"));
}

int layout__parse(struct layout *l, const struct layout_opts *opts, struct err *err)
{
	const char *fields = opts->fields;
	int ret;

	*l = (struct layout){ .has_field_order = fields != NULL, .sample_type = opts->sample_type };
	for (size_t i = 0; i < NR_BLOCK_COLUMNS && opts->blocks; i++) {
		layout__add_field(l, &block_columns[i]);
		layout__add_sort(l, &block_columns[i]);
	}
	if (opts->blocks)
		return 0;
	ret = layout__parse_sort(l, opts, err);
	if (ret)
		return ret;
	if (!is_strict(fields))
		layout__default_fields(l, opts);
	if (fields && *fields == '+' && !*++fields)
		return err__set(err, -EINVAL, "invalid --fields key: '+'");
	if (fields)
		ret = layout__add_words(
			&(struct adder){
				.layout = l, .opts = opts, .option = "--fields", .add = layout__add_field },
			fields, err);
	if (ret)
		return ret;
	if (opts->parallelism)
		layout__need(l, column__named("parallelism"));
	if (opts->locks)
		layout__need(l, column__named("lock"));
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
	array__exit(&l->values);
	array__exit(&l->words);
	array__exit(&l->sums);
	array__exit(&l->divided);
	array__exit(&l->joined);
	free(l->sort_order);
	l->sort_order = NULL;
}

int layout__set_widths(struct layout *l, const char *text, struct err *err)
{
	const char *p = text;

	for (size_t i = 0; i < l->fields.nr; i++) {
		u64 width;

		if (!number__take(&p, 10000, &width) || (*p && *p != ','))
			return err__set(err, -EINVAL, "-w: '%s' is not a list of widths such as 20,10", text);
		l->fields.v[i].user_width = (unsigned)width;
		if (!*p++)
			return 0;
	}
	return 0;
}

bool layout__is_joined(const struct layout *l, const struct column *c)
{
	for (size_t i = 0; i < l->joined.nr; i++)
		if (l->joined.v[i] == c)
			return true;
	return false;
}

bool layout__sorts_by(const struct layout *l, const char *name)
{
	for (size_t i = 0; i < l->sorts.nr; i++)
		if (!l->sorts.v[i]->trace && !strcmp(l->sorts.v[i]->name, name))
			return true;
	return false;
}

bool layout__sort_by_self(struct layout *l, bool self)
{
	const struct column **own = NULL, **with_callees = NULL;

	for (size_t i = 0; i < l->sorts.nr; i++) {
		if (!strcmp(l->sorts.v[i]->name, "overhead"))
			own = &l->sorts.v[i];
		if (!strcmp(l->sorts.v[i]->name, "overhead_children"))
			with_callees = &l->sorts.v[i];
	}
	if (!own || !with_callees)
		return false;
	if ((own < with_callees) != self) {
		const struct column *c = *own;

		*own = *with_callees;
		*with_callees = c;
	}
	return true;
}

void layout__elide(struct layout *l, const struct sample_filter *filter)
{
	bool all = true;

	for (size_t i = 0; i < l->fields.nr; i++) {
		struct layout_field *f = &l->fields.v[i];

		if (!column__is_key(f->column))
			continue;
		f->elided = f->column->filter_name && sample_filter__only(filter, f->column->filter_name);
		all &= f->elided;
	}
	for (size_t i = 0; i < l->fields.nr && all; i++)
		l->fields.v[i].elided = false;
}
