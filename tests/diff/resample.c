/*
 * Is a change found as often as perf diff says? Make pairs of recordings out of the blocks of real ones: a
 * recording of a side has of each eighth of the time what a recording by chance had there. So noise that
 * lasts for less than that stays as it was; and what is true of the pairs is known, the mean of all.
 *	resample PAIRS FUNCTION[,OTHER] slower|moved|renamed|same OLD... -- NEW...
 * FUNCTION: the one that changed, and how; OTHER changed, too. The exit status is 1 if a figure is out of
 * its limits.
 */
#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "profile/compare/comparison.h"
#include "tests/diff/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENT = EVIDENCE_BLOCKS / 8 };

/* ---- the real recordings ---- */

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

static const struct compared_recording *any_of_side(const struct comparison *all, u32 side)
{
	return &all->recordings.v[(side ? all->nr[0] : 0) + below(all->nr[side])];
}

static double weight_of(const struct cost_sum *s, u32 first, u32 nr)
{
	double sum = 0;

	for (u32 b = first; b < first + nr; b++)
		sum += s->blocks[b];
	return sum;
}

/* Is a name in a list of up to two? */
static bool is_one_of(const char *list, const char *name, size_t len)
{
	const char *comma = strchr(list, ',');

	if (comma && strlen(comma + 1) == len && !strncmp(comma + 1, name, len))
		return true;
	return len == strcspn(list, ",") && !strncmp(list, name, len);
}

/* What functions cost themselves in all recordings of a side; with others: what all other ones did. */
static double cost_of(const struct comparison *all, u32 side, const char *functions, bool others)
{
	double sum = 0;

	for (size_t i = 0; i < all->recordings.nr; i++) {
		const struct compared_recording *r = &all->recordings.v[i];

		for (size_t k = 0; k < r->costs.rows.nr && r->side == side; k++) {
			const struct function_cost *f = &r->costs.rows.v[k];
			const char *name = strpool__get(&all->names, f->function);
			bool is_it = is_one_of(functions, name, strcspn(name, "\t"));

			if (is_it != others)
				sum += weight_of(&f->self, 0, EVIDENCE_BLOCKS);
		}
	}
	return sum / all->nr[side];
}

/* ---- made of them ---- */

static void add_part(struct cost_sum *to, const struct cost_sum *from, u32 first)
{
	double all = weight_of(from, 0, EVIDENCE_BLOCKS);

	for (u32 b = first; b < first + SEGMENT; b++)
		to->blocks[b] += from->blocks[b];
	to->squares += all > 0 ? from->squares * weight_of(from, first, SEGMENT) / all : 0;
}

/* Return the row of a function. rows: 1 + index, by function of all. */
static u32 row_of(struct compared_recording *r, const struct comparison *all, const struct function_cost *f,
		  u32 *rows)
{
	if (!rows[f->function]) {
		array__add(&r->costs.rows, ((struct function_cost){
						   .function = strpool__intern(
							   &r->names, strpool__get(&all->names, f->function)),
						   .size = f->size,
						   .code = f->code }));
		rows[f->function] = (u32)r->costs.rows.nr;
	}
	return rows[f->function] - 1;
}

static void add_segment(struct compared_recording *r, const struct comparison *all,
			const struct function_costs *from, u32 first, u32 *rows)
{
	for (size_t i = 0; i < from->rows.nr; i++) {
		const struct function_cost *f = &from->rows.v[i];
		u32 row = row_of(r, all, f, rows); /* may move the rows */
		struct function_cost *to = &r->costs.rows.v[row];

		add_part(&to->self, &f->self, first);
		add_part(&to->total, &f->total, first);
		r->costs.weight += weight_of(&f->self, first, SEGMENT);
	}
	for (size_t i = 0; i < from->calls.nr; i++) {
		const struct call_cost *call = &from->calls.v[i];

		array__add(&r->costs.calls,
			   ((struct call_cost){ row_of(r, all, &from->rows.v[call->function], rows),
						row_of(r, all, &from->rows.v[call->caller], rows),
						call->weight * SEGMENT / EVIDENCE_BLOCKS }));
	}
}

static void add_resampled(struct comparison *c, const struct comparison *all, u32 side)
{
	u32 *rows = xcalloc(all->names.strings.nr + 1, sizeof(*rows));
	struct compared_recording r = { .path = xstrdup("resampled"), .is_run = true, .nr_runs = 1 };

	strpool__init(&r.names);
	for (u32 first = 0; first < EVIDENCE_BLOCKS; first += SEGMENT) {
		const struct compared_recording *from = any_of_side(all, side);

		r.exposure = from->exposure;
		add_segment(&r, all, &from->costs, first, rows);
	}
	comparison__add(c, &r, side);
	free(rows);
}

/* ---- figures ---- */

struct score {
	double found, power, accused;
};

static void judge(struct score *s, const struct comparison *c, const char *functions, const char *verdict,
		  double truth)
{
	static const char *const names[NR_VERDICTS] = {
		[VERDICT_SLOWER] = "slower", [VERDICT_MOVED] = "moved", [VERDICT_RENAMED] = "renamed"
	};
	bool is_slower = !strcmp(verdict, "slower"), is_same = !strcmp(verdict, "same");
	bool found = false, accused = false;

	for (size_t i = 0; i < c->rows.nr; i++) {
		const struct compared *row = &c->rows.v[i];
		bool is_change = verdict__is_change(row->verdict);
		bool changed = !is_same && is_one_of(functions, row->name, strlen(row->name));

		found |= changed && is_change && names[row->verdict] && !strcmp(names[row->verdict], verdict);
		accused |= !changed && is_change;
		if (changed && is_slower)
			s->power += evidence_row__power(&c->self, &row->self, truth);
	}
	s->found += found;
	s->accused += accused;
}

static struct score resample(const struct comparison *all, u32 pairs, const char *functions,
			     const char *verdict, double truth)
{
	struct score s = { 0 };

	for (u32 i = 0; i < pairs; i++) {
		struct comparison c;

		comparison__init(&c, &all->opts);
		c.event = xstrdup(all->event);
		add_resampled(&c, all, COMPARE_OLD);
		add_resampled(&c, all, COMPARE_NEW);
		comparison__finish(&c);
		judge(&s, &c, functions, verdict, truth);
		comparison__exit(&c);
	}
	return (struct score){ s.found / pairs, s.power / pairs, s.accused / pairs };
}

int main(int argc, char **argv)
{
	const struct comparison_opts opts = { .least_row = 0.05, .least_total = 0.01, .nr_threads = 1 };
	struct comparison all;
	u32 side = COMPARE_OLD;
	struct score s;
	double truth;
	bool is_good;

	if (argc < 7)
		return 2;
	comparison__init(&all, &opts);
	for (int i = 4; i < argc; i++)
		if (strcmp(argv[i], "--") != 0)
			read_recording(&all, argv[i], side);
		else
			side = COMPARE_NEW;
	truth = cost_of(&all, 1, argv[2], false) / cost_of(&all, 0, argv[2], false) *
		cost_of(&all, 0, argv[2], true) / cost_of(&all, 1, argv[2], true);
	s = resample(&all, (u32)atoi(argv[1]), argv[2], argv[3], truth);
	is_good = s.accused <= 0.055;
	printf("    %s pairs resampled: ", argv[1]);
	if (!strcmp(argv[3], "slower")) {
		is_good &= fabs(s.found - s.power) <= 0.05;
		printf("%s %+.1f%%, found in %.1f%%, power %.1f%%, ", argv[2], 100 * (truth - 1),
		       100 * s.found, 100 * s.power);
	} else if (strcmp(argv[3], "same") != 0) {
		printf("%s %s in %.1f%%, ", argv[2], argv[3], 100 * s.found);
	}
	printf("something else accused in %.1f%%%s\n", 100 * s.accused, is_good ? " ok" : " OUT OF LIMITS");
	comparison__exit(&all);
	return !is_good;
}
