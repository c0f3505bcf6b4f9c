#include "ui/why_json.h"

#include "base/text/json_member.h"
#include "profile/causes/why_text.h"
#include "profile/hists/column_json.h"

/* ---- members, each after a comma ---- */

static void add_string(struct strbuf *sb, const char *key, const char *value)
{
	strbuf__addch(sb, ',');
	json_member__string(sb, key, value);
}

static void add_number(struct strbuf *sb, const char *key, double value)
{
	strbuf__addch(sb, ',');
	json_member__number(sb, key, value);
}

static void add_function(struct span_why *w, struct strbuf *sb, const char *key, u32 place)
{
	struct strbuf name = STRBUF_INIT;

	why_text__add_function(w, place, &name);
	if (name.len)
		add_string(sb, key, name.buf);
	strbuf__exit(&name);
}

static const char *type_name(enum cause_type type)
{
	static const char *const names[] = {
		[CAUSE_CPU] = "on the CPU", [CAUSE_FAULTS] = "page faults",  [CAUSE_READY] = "ready",
		[CAUSE_WAIT] = "wait",      [CAUSE_UNKNOWN] = "off the CPU",
	};

	return names[type];
}

/* Append the members that say what a cause is. */
static void add_cause(struct span_why *w, u32 cause, struct strbuf *sb)
{
	const struct cause *c = &w->causes.v.v[cause];

	strbuf__addf(sb, "\"type\":\"%s\"", type_name((enum cause_type)c->type));
	if (c->type == CAUSE_WAIT)
		add_string(sb, "kind", wait_kind__name((enum wait_kind)c->kind));
	if (c->lock)
		add_string(sb, "lock", strpool__get(&w->causes.texts, c->lock));
	if (c->role == ROLE_UNKNOWN)
		return;
	if (c->holder != PLACE_NONE)
		add_function(w, sb, "ended_by", c->holder);
	if (c->thread)
		add_string(sb, "thread", strpool__get(&w->causes.texts, c->thread));
}

/* ---- rows ---- */

static void add_callers(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	struct strbuf name = STRBUF_INIT;

	strbuf__addstr(sb, ",\"callers\":[");
	for (u32 i = 0; i < WHY_CALLERS && r->callers[i] < PLACE_NOT_SAMPLED; i++) {
		strbuf__reset(&name);
		why_text__add_function(w, r->callers[i], &name);
		strbuf__addstr(sb, i ? "," : "");
		strbuf__add_json(sb, name.buf);
	}
	strbuf__addch(sb, ']');
	strbuf__exit(&name);
}

static void add_row(struct span_why *w, const struct why_row *r, struct strbuf *sb)
{
	const struct span_contrast *c = &r->x.contrast;
	struct strbuf words = STRBUF_INIT;

	why_text__add_row(w, r, &words);
	strbuf__addch(sb, '{');
	add_cause(w, r->cause, sb);
	add_string(sb, "words", words.buf);
	add_function(w, sb, "function", r->function);
	add_function(w, sb, "calls", r->inner);
	add_callers(w, r, sb);
	add_function(w, sb, "mostly_in", r->mostly);
	if (r->ender)
		add_string(sb, "ended_by_thread", strpool__get(&w->causes.texts, r->ender));
	add_number(sb, "own", r->own);
	add_number(sb, "more", c->more);
	add_number(sb, "low", c->low);
	add_number(sb, "high", c->high);
	add_number(sb, "p", c->p);
	add_number(sb, "part", r->x.part);
	add_number(sb, "slow", c->mean[SPANS_SLOW]);
	add_number(sb, "fast", c->mean[SPANS_FAST]);
	strbuf__addf(sb, ",\"have\":%u", c->nr_have);
	strbuf__addf(sb, ",\"named\":%s", r->x.is_named ? "true" : "false");
	if (r->meanwhile) {
		strbuf__addstr(sb, ",\"meanwhile\":{");
		add_cause(w, r->meanwhile->what, sb);
		add_function(w, sb, "function", r->meanwhile->place);
		add_number(sb, "part", r->meanwhile_part);
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, '}');
	strbuf__exit(&words);
}

static void add_group(const struct span_why *w, const char *name, int group, struct strbuf *sb)
{
	const struct group_facts *f = &w->groups.facts[group];

	strbuf__addf(sb, ",\"%s\":{\"number\":%llu,\"looked_at\":%u", name, (unsigned long long)f->nr,
		     w->groups.verdict.groups[group].nr);
	add_number(sb, "shortest", (double)f->shortest);
	add_number(sb, "longest", (double)f->longest);
	add_number(sb, "mean", w->groups.verdict.durations.mean[group]);
	strbuf__addch(sb, '}');
}

void why_json__add(struct span_why *w, struct strbuf *sb)
{
	struct strbuf answer = STRBUF_INIT;

	why_text__add_answer(w, &answer);
	strbuf__addf(sb, "{\"verdict\":\"%s\"", span_verdict__name(w->verdict));
	add_string(sb, "answer", answer.buf);
	add_group(w, "slow", SPANS_SLOW, sb);
	add_group(w, "fast", SPANS_FAST, sb);
	add_number(sb, "more", w->groups.verdict.durations.more);
	strbuf__addstr(sb, ",\n\"reasons\":[");
	for (size_t i = 0; i < w->rows.nr; i++) {
		strbuf__addstr(sb, i ? ",\n" : "");
		add_row(w, &w->rows.v[i], sb);
	}
	strbuf__addstr(sb, "]}");
	strbuf__exit(&answer);
}
