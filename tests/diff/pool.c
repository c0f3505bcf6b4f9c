/*
 * Does perf diff accuse what did not change? Draw comparisons by chance from a pool of real recordings.
 *	pool COMPARISONS N M TRUTH FUNCTION OLD... [-- NEW...]
 * Each comparison has N recordings of OLD and M of NEW, or M others of OLD without NEW. TRUTH: the ratio
 * by which FUNCTION changed; other functions did not ("-": none did). Prints how many comparisons accuse
 * another function, how many of the intervals of functions with f and a digit have the truth, and how
 * often FUNCTION is named. Where FUNCTION is f and a digit, only such functions have known costs: others
 * are counted apart. The exit status is 1 if a figure is out of its limits; LIMIT_FOUND: what must be
 * found at least, in per cent.
 */
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "profile/compare/compare_text.h"
#include "tests/diff/random.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_recording(struct comparison *c, const char *path, u32 side)
{
	const struct session_opts opts = { .samples_follow = true };
	struct compared_recording r;
	struct session *session;
	struct err err = ERR_INIT;

	if (session__open(&session, path, &opts, &err) || comparison__choose_event(c, session, &err) ||
	    compared_recording__read(&r, c, session, NULL, &err)) {
		error__print(&err);
		exit(2);
	}
	comparison__add(c, &r, side);
	session__delete(session);
}

/* ---- a comparison ---- */

static u32 copy_name(struct compared_recording *r, const struct comparison *all, u32 id)
{
	return strpool__intern(&r->names, strpool__get(&all->names, id));
}

static void add_copy(struct comparison *c, const struct comparison *all,
		     const struct compared_recording *from, u32 side)
{
	struct compared_recording r = *from;

	r.path = xstrdup(from->path);
	r.arch = NULL;
	r.costs = (struct function_costs){ .first = from->costs.first,
					   .last = from->costs.last,
					   .nr_samples = from->costs.nr_samples,
					   .weight = from->costs.weight };
	strpool__init(&r.names);
	for (size_t i = 0; i < from->costs.rows.nr; i++) {
		struct function_cost f = from->costs.rows.v[i];

		f.function = copy_name(&r, all, f.function);
		array__add(&r.costs.rows, f);
	}
	for (size_t i = 0; i < from->costs.calls.nr; i++)
		array__add(&r.costs.calls, from->costs.calls.v[i]);
	for (size_t i = 0; i < from->costs.builds.nr; i++)
		array__add(&r.costs.builds, copy_name(&r, all, from->costs.builds.v[i]));
	comparison__add(c, &r, side);
}

/* Put the first nr of a side's recordings in an order by chance. */
static void shuffle(u32 *order, u32 nr)
{
	for (u32 i = nr; i > 1; i--) {
		u32 k = (u32)below(i), swap = order[k];

		order[k] = order[i - 1];
		order[i - 1] = swap;
	}
}

static void draw(struct comparison *c, const struct comparison *all, const u32 *nr)
{
	u32 *order = xcalloc(all->recordings.nr, sizeof(*order));
	bool is_one_pool = !all->nr[COMPARE_NEW];

	for (u32 i = 0; i < all->recordings.nr; i++)
		order[i] = i;
	shuffle(order, all->nr[COMPARE_OLD]);
	shuffle(order + all->nr[COMPARE_OLD], all->nr[COMPARE_NEW]);
	comparison__init(c, &all->opts);
	c->event = xstrdup(all->event);
	c->is_time = all->is_time;
	for (u32 side = 0; side < 2; side++)
		for (u32 i = 0; i < nr[side]; i++) {
			u32 at = i + (!side ? 0 : is_one_pool ? nr[0] : all->nr[COMPARE_OLD]);

			add_copy(c, all, &all->recordings.v[order[at]], side);
		}
	comparison__finish(c);
	free(order);
}

/* ---- figures ---- */

struct score {
	double accused, others, found, rows, covered, in_step;
};

static bool is_known(const char *name)
{
	return name[0] == 'f' && isdigit((unsigned char)name[1]) && !name[2];
}

static void judge(struct score *s, const struct comparison *c, const char *function, double truth)
{
	bool accused = false, others = false, found = false;

	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];
		bool is_it = truth != 1 && !strcmp(row->name, function),
		     is_change = verdict__is_change(row->verdict);

		found |= is_it && is_change;
		accused |= !is_it && is_change && (!is_known(function) || is_known(row->name));
		others |= is_change && is_known(function) && !is_known(row->name);
		if (!is_it && is_change && getenv("VERBOSE"))
			printf("    %s %s in %s: %.1f -> %.1f samples, p %.2g, dispersion %.2f\n",
			       verdict__name(row->verdict), row->name, row->dso, row->self.samples[0],
			       row->self.samples[1], row->self.p, row->self.dispersion);
		if (!is_known(row->name) || row->verdict == VERDICT_FEW)
			continue;
		s->rows++;
		s->in_step += row->in_step;
		s->covered += row->self.low <= (is_it ? truth : 1) && (is_it ? truth : 1) <= row->self.high;
	}
	s->accused += accused;
	s->others += others;
	s->found += found;
}

int main(int argc, char **argv)
{
	const struct comparison_opts opts = { .least_row = 0.05, .least_total = 0.01, .nr_threads = 1 };
	const char *limit = getenv("LIMIT_FOUND");
	u32 side = COMPARE_OLD, nr[2], pairs;
	struct score s = { 0 };
	struct comparison all;
	double truth;
	bool is_good;

	if (argc < 7)
		return 2;
	pairs = (u32)atoi(argv[1]);
	nr[0] = (u32)atoi(argv[2]);
	nr[1] = (u32)atoi(argv[3]);
	truth = strcmp(argv[4], "-") != 0 ? atof(argv[4]) : 1;
	comparison__init(&all, &opts);
	for (int i = 6; i < argc; i++)
		if (strcmp(argv[i], "--") != 0)
			read_recording(&all, argv[i], side);
		else
			side = COMPARE_NEW;
	if (all.nr[0] < nr[0] + (all.nr[1] ? 0 : nr[1]) || (all.nr[1] && all.nr[1] < nr[1]))
		return 2;
	for (u32 i = 0; i < pairs; i++) {
		struct comparison c;

		draw(&c, &all, nr);
		judge(&s, &c, argv[5], truth);
		comparison__exit(&c);
	}
	is_good = s.accused <= 0.05 * pairs && (!s.rows || s.covered >= 0.93 * s.rows) &&
		  (!limit || s.found * 100 >= atof(limit) * pairs);
	printf("    %u+%u recordings, %u comparisons: ", nr[0], nr[1], pairs);
	if (s.rows)
		printf("%.1f%% of intervals with the truth, %.0f%% in step, ", 100 * s.covered / s.rows,
		       100 * s.in_step / s.rows);
	if (truth != 1)
		printf("%s found in %.1f%%, ", argv[5], 100 * s.found / pairs);
	printf("something else accused in %.1f%%", 100 * s.accused / pairs);
	if (is_known(argv[5]))
		printf(", a function of unknown cost in %.1f%%", 100 * s.others / pairs);
	printf("%s\n", is_good ? " ok" : " OUT OF LIMITS");
	comparison__exit(&all);
	return !is_good;
}
