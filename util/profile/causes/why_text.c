#include "profile/causes/why_text.h"

#include "base/message/called_name.h"
#include "profile/compare/core_name.h"

#include <stdlib.h>
#include <string.h>

#define SAID 0.1 /* of the time on the CPU: less ready time is not worth words */

static const char *const verdicts[] = {
	[SPANS_FEW] = "too few",         [SPANS_ALIKE] = "alike",         [SPANS_ORDINARY] = "ordinary",
	[SPANS_UNEXPLAINED] = "unclear", [SPANS_EXPLAINED] = "explained",
};

const char *span_verdict__name(enum span_verdict v)
{
	return verdicts[v];
}

/* ---- names ---- */

void why_text__add_function(struct span_why *w, u32 place, struct strbuf *sb)
{
	struct strbuf name = STRBUF_INIT;

	if (place < PLACE_NOT_SAMPLED && places__get(&w->causes.places, place)->sym)
		core_name__add(&name, places__name(&w->causes.places, place));
	strbuf__add_masked(sb, name.buf);
	strbuf__exit(&name);
}

static void add_in(struct span_why *w, u32 place, struct strbuf *sb)
{
	if (place >= PLACE_NOT_SAMPLED)
		return;
	strbuf__addstr(sb, " in ");
	why_text__add_function(w, place, sb);
}

/* ---- waits ---- */

/* What a wait of a kind is for; NULL: the kind says it. */
static const char *wait_object(enum wait_kind kind)
{
	static const char *const objects[WAIT_NR_KINDS] = {
		[WAIT_LOCK] = "for a lock",
		[WAIT_CONDITION] = "for a condition variable",
		[WAIT_SEMAPHORE] = "for a semaphore",
		[WAIT_BARRIER] = "at a barrier",
		[WAIT_JOIN] = "for a thread to end",
		[WAIT_FUTEX] = "for a futex",
		[WAIT_POLL] = "in poll",
		[WAIT_PIPE] = "for a pipe",
		[WAIT_SOCKET] = "for a socket",
		[WAIT_ACCEPT] = "for a connection",
		[WAIT_EVENTFD] = "for an event",
		[WAIT_SIGNAL] = "for a signal",
		[WAIT_CHILD] = "for a child process",
		[WAIT_FILE_LOCK] = "for a file lock",
		[WAIT_MESSAGE] = "for a message queue",
		[WAIT_TERMINAL] = "for a terminal",
		[WAIT_IO] = "for the disk",
		[WAIT_FAULT] = "for page faults",
		[WAIT_MEMORY] = "for memory",
		[WAIT_KERNEL] = "for a lock of the kernel",
	};

	return objects[kind] ? objects[kind] : "for something that is not known";
}

/* Append "for mutex db_lock, held by flush_log of thread flusher", or "for the disk". */
static void add_object(struct span_why *w, const struct cause *c, struct strbuf *sb)
{
	static const char *const words[] = {
		[ROLE_HOLDER] = ", held by ",
		[ROLE_SIGNALLER] = ", signalled by ",
		[ROLE_POSTER] = ", posted by ",
		[ROLE_LAST] = ", where the last one was ",
	};

	if (c->lock) {
		strbuf__addstr(sb, "for ");
		strbuf__add_masked(sb, strpool__get(&w->causes.texts, c->lock));
	} else {
		strbuf__addstr(sb, wait_object((enum wait_kind)c->kind));
	}
	if (c->holder == PLACE_NONE && !c->thread) /* so it is if the role has no words */
		return;
	strbuf__addstr(sb, words[c->role]);
	why_text__add_function(w, c->holder, sb);
	if (!c->thread)
		return;
	strbuf__addstr(sb, c->holder != PLACE_NONE ? " of thread " : "thread ");
	strbuf__add_masked(sb, strpool__get(&w->causes.texts, c->thread));
}

/* Did the wait for a lock say enough? Then the function that waited does not matter. */
static bool cause__has_lock(const struct cause *c)
{
	return c->type == CAUSE_WAIT && c->lock;
}

void why_text__add_meanwhile(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	const struct meanwhile *m = r->meanwhile;
	const struct cause *c = m ? &w->causes.v.v[m->what] : NULL;

	if (!m)
		return;
	if (c->type == CAUSE_READY) {
		strbuf__addstr(sb, "it was ready, but did not run");
		return;
	}
	if (c->type == CAUSE_CPU)
		strbuf__addstr(sb, "it was on the CPU");
	else if (c->type == CAUSE_FAULTS)
		strbuf__addstr(sb, "it was in page faults");
	else if (c->kind == WAIT_SLEEP)
		strbuf__addstr(sb, "it slept");
	else
		strbuf__addstr(sb, "it waited ");
	if (c->type == CAUSE_WAIT && c->kind != WAIT_SLEEP)
		add_object(w, c, sb);
	if (!cause__has_lock(c))
		add_in(w, m->place, sb);
}

/* ---- a row ---- */

static void add_time(struct strbuf *sb, const char *before, double ns, const char *after)
{
	strbuf__addstr(sb, before);
	strbuf__add_duration(sb, ns);
	strbuf__addstr(sb, after);
}

/* Append where the time is: "in write_log (write), 60% of it in format". */
static void add_where(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	const char *call = NULL;

	add_in(w, r->function, sb);
	if (r->inner < PLACE_NOT_SAMPLED) {
		call = causes__system_call(&w->causes, r->inner);
		strbuf__addstr(sb, call ? ", by the system call " : ", by ");
		if (call)
			strbuf__add_masked(sb, call);
		else
			why_text__add_function(w, r->inner, sb);
	}
	if (r->mostly < PLACE_NOT_SAMPLED) {
		strbuf__addf(sb, ", %.0f%% of it in ", 100 * r->mostly_part);
		why_text__add_function(w, r->mostly, sb);
	}
}

/* Is it the function whose calls are the spans? What is around it does not matter. */
static bool is_span(const struct span_why *w, const char *name)
{
	const char *span = evsel__span_name(w->set->event), *after = strrchr(span, ':');

	return !strcmp(name, span) || (after && !strcmp(name, after + 1));
}

void why_text__add_callers(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	struct strbuf name = STRBUF_INIT;
	size_t len = sb->len;

	if (cause__has_lock(&w->causes.v.v[r->cause])) {
		why_text__add_function(w, r->function, &name);
		strbuf__addf(sb, name.len ? "in %s" : "%s", name.buf);
	}
	for (u32 i = 0; i < WHY_CALLERS && r->callers[i] < PLACE_NOT_SAMPLED && !is_span(w, name.buf); i++) {
		strbuf__reset(&name);
		why_text__add_function(w, r->callers[i], &name);
		strbuf__addf(sb, "%s%s%s", !i && sb->len > len ? ", " : "", i ? ", " : "called by ",
			     name.buf);
	}
	strbuf__exit(&name);
}

/* Append how much longer the span was ready since it was on the CPU for longer, if that matters. */
static void add_ready(const struct why_row *r, struct strbuf *sb)
{
	double ready = r->x.contrast.more - r->own;

	if (ready > SAID * r->own)
		add_time(sb, ", and so are ready for ", ready, " longer, as the CPUs are busy");
}

void why_text__add_row(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	const struct cause *c = &w->causes.v.v[r->cause];
	double more = r->own;

	switch (c->type) {
	case CAUSE_CPU:
		if (r->function == PLACE_NOT_SAMPLED) {
			add_time(sb, "spend ", more,
				 " more without waits and without samples on the CPU: a virtual machine was "
				 "stopped, "
				 "or records are missing");
			break;
		}
		add_time(sb, "spend ", more, " more on the CPU");
		add_where(w, r, sb);
		add_ready(r, sb);
		break;
	case CAUSE_FAULTS:
		add_time(sb, "spend ", more, " more in page faults");
		add_where(w, r, sb);
		add_ready(r, sb);
		break;
	case CAUSE_READY:
		add_time(sb, "are ready, but do not run, for ", more, " longer");
		break;
	case CAUSE_UNKNOWN:
		add_time(sb, "are off the CPU for ", more, " longer; why was not recorded");
		break;
	default:
		add_time(sb,
			 c->kind == WAIT_SLEEP     ? "sleep "
			 : c->kind == WAIT_STOPPED ? "are stopped for "
						   : "wait ",
			 more, " longer");
		if (c->kind != WAIT_SLEEP && c->kind != WAIT_STOPPED) {
			strbuf__addch(sb, ' ');
			add_object(w, c, sb);
		}
		if (!cause__has_lock(c))
			add_where(w, r, sb);
		if (r->ender) {
			strbuf__addstr(sb, ", ended by thread ");
			strbuf__add_masked(sb, strpool__get(&w->causes.texts, r->ender));
		}
	}
}

/* ---- the answer ---- */

static void add_limit(struct strbuf *sb, const struct span_limit *l)
{
	if (l->is_quantile)
		strbuf__addf(sb, "p%g", l->share * 100);
	else
		strbuf__add_duration(sb, (double)l->ns);
}

/* Append "p99 and above: 5.1 ms to 33 ms, 40 of 4012" of the slow spans. */
static void why_text__add_slow(const struct span_why *w, struct strbuf *sb)
{
	const struct group_facts *f = &w->groups.facts[SPANS_SLOW];

	add_limit(sb, &w->limits.slower);
	strbuf__addstr(sb, " and above: ");
	if (f->nr && f->shortest != f->longest)
		add_time(sb, "", (double)f->shortest, " to ");
	if (f->nr)
		add_time(sb, "", (double)f->longest, ", ");
	strbuf__add_number(sb, f->nr);
	strbuf__addstr(sb, " of ");
	strbuf__add_number(sb, w->set->nr);
}

static void add_explanation(struct span_why *w, struct strbuf *sb)
{
	const struct why_row *r = &w->rows.v[0];
	const struct span_contrast *c = &r->x.contrast;
	u32 nr = w->groups.verdict.groups[SPANS_SLOW].nr;

	strbuf__addch(sb, ' ');
	why_text__add_row(w, r, sb);
	if (r->meanwhile) {
		strbuf__addstr(sb, "; ");
		why_text__add_meanwhile(w, r, sb);
		strbuf__addstr(sb, " meanwhile");
	}
	strbuf__addf(sb, "; %u of %s%u have it", c->nr_have,
		     nr == w->groups.facts[SPANS_SLOW].nr ? "the " : "", nr);
	if (c->nr_have < nr)
		add_time(sb, ": ", c->have_mean, " each");
}

static double slow_ratio(const struct span_why *w)
{
	const double *mean = w->groups.verdict.durations.mean;

	return mean[SPANS_FAST] > 0 ? mean[SPANS_SLOW] / mean[SPANS_FAST] : 1;
}

void why_text__add_answer(struct span_why *w, struct strbuf *sb)
{
	const char *const before[] = {
		[SPANS_FEW] = "cannot tell, there are too few: slow spans (",
		[SPANS_ALIKE] = "nothing to explain: slow spans (",
		[SPANS_ORDINARY] = "no reason stands out: slow spans (",
		[SPANS_UNEXPLAINED] = "cannot tell why slow spans (",
		[SPANS_EXPLAINED] = "slow spans (",
	};

	strbuf__addstr(sb, before[w->verdict]);
	why_text__add_slow(w, sb);
	strbuf__addch(sb, ')');
	switch (w->verdict) {
	case SPANS_FEW:
		break;
	case SPANS_ALIKE:
		strbuf__addf(sb, " are only %.1f times as long as fast ones, which is ordinary",
			     slow_ratio(w));
		break;
	case SPANS_ORDINARY:
		strbuf__addstr(sb, " are the long end of how all spans vary; most of it: they ");
		why_text__add_row(w, &w->rows.v[0], sb);
		break;
	case SPANS_UNEXPLAINED:
		strbuf__addstr(sb, " are slow: nothing that they have much more of is certain");
		break;
	case SPANS_EXPLAINED:
		add_explanation(w, sb);
	}
}

void why_text__add_advice(const struct span_why *w, struct strbuf *sb)
{
	if (!w->causes.has_waits) {
		strbuf__addf(
			sb, "to see why spans are off the CPU, record as root: %s record --span FUNCTION ...",
			called_name());
	} else if (w->verdict == SPANS_FEW || w->verdict == SPANS_UNEXPLAINED) {
		strbuf__addf(
			sb,
			"a reason is named if at least %d slow spans of different times have it: record for "
			"longer, or choose more spans, such as --slower p95",
			SPANS_LEAST);
	} else if (w->verdict == SPANS_ORDINARY) {
		strbuf__addstr(sb, "if some are too slow all the same, say which, such as --slower ");
		strbuf__add_duration(sb, (double)w->groups.slow_ns);
	}
}
