#include "stat/stat_pair_private.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "profile/compare/compare_args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

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
		array__add(&p->counters,
			   ((struct pair_counter){ .name = times[i],
						   .unit = "s",
						   .factor = 1e-9,
						   .decides = i == TIME_ELAPSED &&
							      !(p->opts->bisects && p->opts->has_events),
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

/* Good is a counter that cannot have grown by so much, bad one that grew by so much for sure. */
static enum bisect_status judge_counter(const struct stat_pair *p, const struct pair_evidence *e)
{
	double limit = 1 + (p->opts->slower > 0 ? p->opts->slower : p->opts->least_change);

	if (e->verdict == VERDICT_SLOWER && e->change >= limit)
		return BISECT_BAD;
	return e->nr >= PAIR_MIN_ROUNDS && e->high < limit ? BISECT_GOOD : BISECT_UNKNOWN;
}

/* --bisect: judge all counters that decide. */
static enum bisect_status judge(const struct stat_pair *p)
{
	u32 nr = 0, nr_good = 0;

	for (size_t i = 0; i < p->counters.nr; i++) {
		const struct pair_counter *c = &p->counters.v[i];
		enum bisect_status status = judge_counter(p, &c->evidence);

		if (c->decides && status == BISECT_BAD)
			return BISECT_BAD;
		nr += c->decides;
		nr_good += c->decides && status == BISECT_GOOD;
	}
	return nr && nr == nr_good ? BISECT_GOOD : BISECT_UNKNOWN;
}

static bool is_decided(const struct stat_pair *p)
{
	if (p->opts->bisects)
		return judge(p) != BISECT_UNKNOWN;
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

static int exit_status(const struct stat_pair *p)
{
	if (p->opts->bisects)
		return p->status ? BISECT_UNKNOWN : (int)judge(p);
	return p->status ? p->status : is_slower(p) ? STAT_SLOWER : 0;
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
		stat_pair__add(&p, &out);
		stat_job__print(&p.job, &out);
		if (!pair->json)
			tell_failures(&p);
		ret = exit_status(&p);
	}
	*outcome = p.job.outcome;
	stat_pair__exit(&p);
	return ret;
}
