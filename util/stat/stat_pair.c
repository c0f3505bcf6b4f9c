#include "stat/stat_pair.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "profile/compare/compare_text.h"
#include "stat/pair_evidence.h"
#include "stat/stat_job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { OLD, NEW };
enum { TIME_ELAPSED, TIME_USER, TIME_SYSTEM, NR_TIMES }; /* counters after those of the events */

typedef ARRAY(double) values;

struct pair_counter {
	const char *name, *unit;
	double factor; /* of values, to the unit */
	bool decides;  /* --until-decided and --fail-on look at it */
	bool is_time;
	bool is_missing; /* this machine has no such event */
	values side[2];
	struct pair_evidence evidence;
};

struct stat_pair {
	const struct stat_pair_opts *opts;
	struct stat_job job;
	char **argv;
	char *programs[2];
	ARRAY(struct pair_counter) counters;
	u32 nr_rounds; /* that count */
	int status;    /* first exit status of a program that is not 0 */
	u32 nr_failed[2];
};

/* ---- counters ---- */

static void add_counters(struct stat_pair *p)
{
	static const char *const times[] = { "elapsed", "user", "system" };
	const struct evlist *l = p->job.l;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		struct pair_counter c = { .name = e->name, .decides = p->opts->has_events };

		c.unit = evsel__unit(e, &c.factor);
		c.is_time = evsel__is_clock(e);
		array__add(&p->counters, c);
	}
	for (unsigned i = 0; i < NR_TIMES; i++)
		array__add(&p->counters, ((struct pair_counter){ .name = times[i],
								 .unit = "s",
								 .factor = 1e-9,
								 .decides = i == TIME_ELAPSED,
								 .is_time = true }));
}

/* Take what the last run counted. */
static void take_run(struct stat_pair *p, unsigned side)
{
	const struct stat_table *t = &p->job.table;
	size_t nr_events = p->job.l->evsels.nr;
	const double times[] = { t->elapsed.mean, t->user.mean, t->system.mean };

	for (size_t i = 0; i < nr_events; i++) {
		enum stat_state state = stat_table__state(t, i, 0);

		p->counters.v[i].is_missing = state == STAT_NOT_SUPPORTED;
		array__add(&p->counters.v[i].side[side],
			   state == STAT_COUNTED ? stat_table__value(t, i, 0)->value.mean : NAN);
	}
	for (size_t i = 0; i < NR_TIMES; i++)
		array__add(&p->counters.v[nr_events + i].side[side], times[i]);
}

/* ---- rounds ---- */

static int run_side(struct stat_pair *p, unsigned side, bool counts, struct err *err)
{
	int ret, status;

	p->argv[0] = p->programs[side];
	stat_table__reset(&p->job.table);
	ret = stat_job__run(&p->job, err);
	if (ret || p->job.outcome.signo)
		return ret;
	status = workload__exit_status(&p->job.command);
	p->nr_failed[side] += status != 0;
	if (!p->status)
		p->status = status;
	if (counts)
		take_run(p, side);
	return 0;
}

static int run_round(struct stat_pair *p, u64 seed, u32 round, bool counts, struct err *err)
{
	unsigned first = pair__old_first(seed, round) ? OLD : NEW;
	int ret = run_side(p, first, counts, err);

	if (!ret && !p->job.outcome.signo)
		ret = run_side(p, 1 - first, counts, err);
	if (!ret && !p->job.outcome.signo && counts)
		p->nr_rounds++;
	return ret;
}

static void weigh(struct stat_pair *p, const struct pair_plan *plan)
{
	size_t nr = p->counters.nr;
	struct pair_values *v = xcalloc(nr, sizeof(*v));
	struct pair_evidence *rows = xcalloc(nr, sizeof(*rows));

	for (size_t i = 0; i < nr; i++)
		v[i] = (struct pair_values){ p->counters.v[i].side[OLD].v, p->counters.v[i].side[NEW].v };
	pair_evidence__weigh(rows, v, (u32)nr, p->nr_rounds, plan);
	for (size_t i = 0; i < nr; i++)
		p->counters.v[i].evidence = rows[i];
	free(rows);
	free(v);
}

static bool is_decided(const struct stat_pair *p)
{
	for (size_t i = 0; i < p->counters.nr; i++) {
		const struct pair_counter *c = &p->counters.v[i];

		if (c->decides && c->evidence.nr && !pair_evidence__is_decided(&c->evidence))
			return false;
	}
	return true;
}

/* Rounds that ended between two looks, by a signal, do not tell: the looks have the whole error rate. */
static void forget_changes(struct stat_pair *p)
{
	for (size_t i = 0; i < p->counters.nr; i++)
		if (verdict__is_change(p->counters.v[i].evidence.verdict))
			p->counters.v[i].evidence.verdict = VERDICT_UNKNOWN;
}

static int run_rounds(struct stat_pair *p, const struct pair_plan *plan, struct err *err)
{
	u64 seed = clock__ns(), nr = plan->max_rounds ? plan->max_rounds : p->job.opts->nr_runs;
	u32 look = pair_plan__next_look(plan, 0);
	int ret = 0;

	for (u32 i = 0; i < p->opts->warmup && !ret && !p->job.outcome.signo; i++)
		ret = run_round(p, ~seed, i, false, err);
	while (p->nr_rounds < nr && !ret && !p->job.outcome.signo) {
		ret = run_round(p, seed, p->nr_rounds, true, err);
		if (ret || p->job.outcome.signo || p->nr_rounds != look)
			continue;
		weigh(p, plan);
		if (is_decided(p))
			return 0;
		look = pair_plan__next_look(plan, p->nr_rounds);
	}
	if (!ret)
		weigh(p, plan);
	if (plan->max_rounds && p->nr_rounds < nr)
		forget_changes(p);
	return ret;
}

/* ---- text ---- */

/* Append a value with four digits. */
static void add_value(struct strbuf *out, const struct pair_counter *c, double value)
{
	double x = value * c->factor;

	if (isnan(value))
		strbuf__addstr(out, "-");
	else if (!strcmp(c->unit, "s"))
		strbuf__add_duration(out, value);
	else if (x >= 1000 || (c->factor == 1 && floor(x) == x))
		strbuf__addf(out, "%.0f", x);
	else
		strbuf__addf(out, "%.4g", x);
	if (*c->unit && strcmp(c->unit, "s"))
		strbuf__addf(out, " %s", c->unit);
}

static void add_verdict(struct strbuf *out, const struct stat_pair *p, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;

	switch (e->verdict) {
	case VERDICT_SLOWER:
		strbuf__addstr(out, c->is_time ? "slower" : "more");
		break;
	case VERDICT_FASTER:
		strbuf__addstr(out, c->is_time ? "faster" : "less");
		break;
	case VERDICT_SAME:
		strbuf__addf(out, "same within %.3g%%", 100 * p->opts->least_change);
		break;
	default:
		strbuf__addstr(out, "cannot tell");
		if (e->needs >= 1)
			strbuf__addf(out, ": needs %.0f more run%s", ceil(e->needs), e->needs > 1 ? "s" : "");
	}
}

static void add_right(struct strbuf *out, const char *text, size_t width)
{
	size_t len = strlen(text);

	strbuf__addchars(out, ' ', len < width ? width - len : 1);
	strbuf__addstr(out, text);
}

enum { NAME_COLUMNS = 20, NUMBER_COLUMNS = 13, CHANGE_COLUMNS = 8, INTERVAL_COLUMNS = 18 };

static void add_row(struct strbuf *out, const struct stat_pair *p, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;
	const struct evidence_row interval = { .low = e->low, .high = e->high };
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(out, "  ");
	strbuf__add_masked(out, c->name);
	strbuf__addchars(out, ' ', strlen(c->name) < NAME_COLUMNS ? NAME_COLUMNS - strlen(c->name) : 1);
	if (!e->nr) {
		add_right(out, c->is_missing ? "<not supported>" : "<not counted>", NUMBER_COLUMNS + 2);
		strbuf__addch(out, '\n');
		return;
	}
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__reset(&text);
		add_value(&text, c, e->mean[side]);
		add_right(out, text.buf, NUMBER_COLUMNS);
	}
	strbuf__reset(&text);
	compare_text__add_change(&text, e->change);
	add_right(out, text.buf, CHANGE_COLUMNS);
	strbuf__reset(&text);
	if (!isnan(e->low))
		compare_text__add_interval(&text, &interval);
	add_right(out, text.buf, INTERVAL_COLUMNS);
	strbuf__addstr(out, "  ");
	add_verdict(out, p, c);
	strbuf__addch(out, '\n');
	strbuf__exit(&text);
}

static void add_text(struct strbuf *out, const struct stat_pair *p)
{
	strbuf__addf(out, "\n %u runs of each program, in turns by chance:", p->nr_rounds);
	for (unsigned side = OLD; side <= NEW; side++) {
		p->argv[0] = p->programs[side];
		strbuf__addstr(out, side == OLD ? "\n   old: " : "\n   new: ");
		command__add_words(p->argv, out);
	}
	strbuf__addf(out, "\n\n%*s%*s%*s%*s  verdict\n", NAME_COLUMNS + NUMBER_COLUMNS + 2, "old",
		     NUMBER_COLUMNS, "new", CHANGE_COLUMNS, "change", INTERVAL_COLUMNS, "95% interval");
	for (size_t i = 0; i < p->counters.nr; i++)
		add_row(out, p, &p->counters.v[i]);
	strbuf__addch(out, '\n');
}

/* ---- JSON: Documentation/stat-schema.json ---- */

static void add_json_number(struct strbuf *out, const char *name, double x)
{
	if (isfinite(x))
		strbuf__addf(out, ", \"%s\": %.9g", name, x);
	else
		strbuf__addf(out, ", \"%s\": null", name);
}

static void add_json_counter(struct strbuf *out, const struct pair_counter *c)
{
	const struct pair_evidence *e = &c->evidence;

	strbuf__addstr(out, "{\"event\": ");
	strbuf__add_json(out, c->name);
	strbuf__addstr(out, ", \"unit\": ");
	strbuf__add_json(out, c->unit);
	strbuf__addf(out, ", \"runs\": %u, \"verdict\": \"%s\"", e->nr,
		     verdict__name(e->nr ? e->verdict : VERDICT_FEW));
	add_json_number(out, "old", e->nr ? e->mean[OLD] * c->factor : NAN);
	add_json_number(out, "new", e->nr ? e->mean[NEW] * c->factor : NAN);
	add_json_number(out, "change", e->nr ? e->change : NAN);
	add_json_number(out, "low", e->nr ? e->low : NAN);
	add_json_number(out, "high", e->nr ? e->high : NAN);
	add_json_number(out, "needs_runs", e->nr && e->needs >= 1 ? ceil(e->needs) : NAN);
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__addf(out, ", \"%s_runs\": [", side == OLD ? "old" : "new");
		for (size_t i = 0; i < c->side[side].nr; i++) {
			double x = c->side[side].v[i] * c->factor;

			strbuf__addf(out, isfinite(x) ? "%s%.9g" : "%snull", i ? ", " : "", x);
		}
		strbuf__addch(out, ']');
	}
	strbuf__addch(out, '}');
}

static void add_json(struct strbuf *out, const struct stat_pair *p)
{
	strbuf__addstr(out, "{\"format\": \"perf stat\", \"version\": 1, \"programs\": {");
	for (unsigned side = OLD; side <= NEW; side++) {
		strbuf__addf(out, "%s\"%s\": [", side ? ", " : "", side == OLD ? "old" : "new");
		strbuf__add_json(out, p->programs[side]);
		for (size_t i = 1; p->argv[i]; i++) {
			strbuf__addstr(out, ", ");
			strbuf__add_json(out, p->argv[i]);
		}
		strbuf__addch(out, ']');
	}
	strbuf__addf(out, "}, \"rounds\": %u, \"least_change\": %g, \"counters\": [", p->nr_rounds,
		     p->opts->least_change);
	for (size_t i = 0; i < p->counters.nr; i++) {
		strbuf__addstr(out, i ? ",\n" : "\n");
		add_json_counter(out, &p->counters.v[i]);
	}
	strbuf__addstr(out, "\n]}\n");
}

/* ---- all ---- */

static void tell_failures(const struct stat_pair *p)
{
	for (unsigned side = OLD; side <= NEW; side++)
		if (p->nr_failed[side])
			warning("'%s' failed in %u of its runs; the first exit status is %d",
				p->programs[side], p->nr_failed[side], p->status);
}

static bool is_slower(const struct stat_pair *p)
{
	if (!p->opts->fails_on_slower)
		return false;
	for (size_t i = 0; i < p->counters.nr; i++) {
		const struct pair_counter *c = &p->counters.v[i];

		if (!c->decides || c->evidence.verdict != VERDICT_SLOWER ||
		    c->evidence.change < 1 + p->opts->slower)
			continue;
		if (!p->opts->json) /* it would follow on the same descriptor */
			info("--fail-on: '%s' grew by %.1f%%", c->name, (c->evidence.change - 1) * 100);
		return true;
	}
	return false;
}

static void stat_pair__exit(struct stat_pair *p)
{
	for (size_t i = 0; i < p->counters.nr; i++)
		for (unsigned side = OLD; side <= NEW; side++)
			array__exit(&p->counters.v[i].side[side]);
	array__exit(&p->counters);
	stat_job__exit(&p->job);
}

int stat_pair__run(struct stat_opts *opts, const struct stat_pair_opts *pair, struct evlist *l, char **argv,
		   struct stat_outcome *outcome, struct err *err)
{
	const struct pair_plan plan = { pair->max_rounds, pair->least_change };
	struct stat_pair p = { .opts = pair, .argv = argv, .programs = { argv[0], (char *)pair->other } };
	struct strbuf out = STRBUF_INIT;
	int ret = stat_job__init(&p.job, opts, l, argv, err);

	if (!ret) {
		add_counters(&p);
		ret = run_rounds(&p, &plan, err);
	}
	if (!ret && p.nr_rounds) {
		if (pair->json)
			add_json(&out, &p);
		else
			add_text(&out, &p);
		stat_job__print(&p.job, &out);
		if (!pair->json)
			tell_failures(&p);
		ret = p.status ? p.status : is_slower(&p) ? STAT_SLOWER : 0;
	}
	*outcome = p.job.outcome;
	stat_pair__exit(&p);
	return ret;
}
