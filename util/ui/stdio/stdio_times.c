/* The lines above the rows of a time table. */
#include "ui/stdio/stdio_private.h"

static void add_time(struct strbuf *sb, const char *before, u64 ns, const char *after)
{
	const struct cell_style plain = { .fold_names = true };

	strbuf__addstr(sb, before);
	cell_style__add_time(&plain, sb, ns, 0, 0);
	strbuf__addstr(sb, after);
}

static void add_count(struct strbuf *sb, const char *what, const struct time_count *c, const char *reason)
{
	if (!c->nr)
		return;
	strbuf__addf(sb, "# %s: %llu, ", what, (unsigned long long)c->nr);
	add_time(sb, "", c->ns, "");
	strbuf__addf(sb, " (%s)\n", reason);
}

/* The lines above the rows of --blocked-by and --critical-path: what the total is, and what is not known. */
static void add_weights(struct strbuf *sb, const struct view *v)
{
	const struct sample_weights *w = v->opts.waits.weights;
	const struct weight_facts *f = &w->facts;

	if (w->of == WEIGHTS_BLOCKED_BY) {
		add_time(sb, "# Time that threads waited for locks that others held: ", f->ns, "");
		add_time(sb, "; then, until they ran: ", f->ready, " (not in the table)\n");
		add_count(sb, "Waits for locks whose holder is not known", &f->unknown, "not in the table");
		add_count(sb, "Waits for locks whose holder was not recorded", &f->others,
			  "it is [not recorded]; record -a has all threads");
	} else {
		add_time(sb, "# Elapsed time: ", f->end - f->begin, "");
		strbuf__addf(sb, ", up to the end of thread %u\n", f->tid);
		add_count(sb, "Waits on the path whose end was not recorded", &f->unknown,
			  "by whom is not known, so the path goes on before them");
		add_count(sb, "Waits on the path that threads ended that were not recorded", &f->others,
			  "the path goes on before them; record -a has all threads");
		add_count(sb, "Waits on the path whose wakings form a circle", &f->circles,
			  "the path goes on before them");
		if (f->uncovered)
			add_time(sb, "# Before the path's first thread was there: ", f->uncovered,
				 " (it is [not recorded])\n");
	}
}

static bool has_waits(const struct view *v)
{
	const struct evlist *l = &v->profile->session->reader->evlist;
	bool found = false;

	for (size_t i = 0; i < l->evsels.nr; i++)
		found |= evsel__wait_event(l->evsels.v[i]) == WAIT_EVENT_OFF_CPU;
	return found;
}

void stdio_times__add_spans(struct strbuf *sb, const struct view *v)
{
	const struct span_choice *spans = sample_filter__spans(&v->opts.filter);

	if (!spans)
		return;
	strbuf__addstr(sb, "# Only ");
	span_choice__describe(spans, v->opts.waits.weights, sb);
	strbuf__addch(sb, '\n');
	if (!has_waits(v))
		strbuf__addstr(sb, "# Waits are not recorded: record --off-cpu=locks -g has them\n");
}

/* The lines of all tables of times, but --blocked-by and --critical-path. */
static void add_sums(struct strbuf *sb, const struct view *v, const struct hist_stat *total,
		     const struct cell_style *style)
{
	const struct time_table *t = v->opts.waits.times;
	const struct cell_style plain = { .fold_names = style->fold_names };

	strbuf__addf(sb, "# %s of %s: ", style->fold_names ? "Time" : "Milliseconds",
		     v->opts.filter.has_spans ? "these spans" : "all threads");
	if (t->on_cpu) {
		cell_style__add_time(&plain, sb, total->period - total->waiting, 0, 0);
		strbuf__addstr(sb, " on the CPU, ");
	}
	cell_style__add_time(&plain, sb, total->waiting, 0, 0);
	strbuf__addstr(sb, " waiting\n");
	if (t->on_cpu && t->hz)
		strbuf__addf(sb, "# On the CPU a sample stands for 1/%llu s\n", (unsigned long long)t->hz);
	if (evlist__has_locks(&v->profile->session->reader->evlist) &&
	    !layout__sorts_by(v->opts.layout, "lock") && !layout__sorts_by(v->opts.layout, "holder"))
		strbuf__addstr(sb, "# Locks: -s lock,holder says which ones, and who held them\n");
	if (!v->idle_ns)
		return;
	strbuf__addstr(sb, "# Idle: ");
	cell_style__add_time(&plain, sb, v->idle_ns, 0, 0);
	strbuf__addf(sb, ", %s\n",
		     v->opts.waits.no_idle ? "left out" : "in rows that say so; --no-idle leaves them out");
}

void stdio_times__add(struct strbuf *sb, const struct view *v, const struct hist_stat *total,
		      const struct cell_style *style)
{
	const struct sample_weights *w = v->opts.waits.weights;

	if (w && w->of != WEIGHTS_SPANS)
		add_weights(sb, v);
	else
		add_sums(sb, v, total, style);
	if (w)
		add_count(sb, "Waits without the time of each", &w->facts.vague, "not in the table");
}
