#include "ui/span_json.h"

#include "base/text/json_member.h"
#include "profile/hists/column_json.h"

typedef unsigned long long ull;

static void add_durations(const struct span_table *t, struct strbuf *sb)
{
	strbuf__addstr(sb, ",\n\"quantiles\":[");
	for (size_t i = 0; i < NR_SPAN_QUANTILES; i++) {
		strbuf__addstr(sb, i ? ",{\"share\":" : "{\"share\":");
		strbuf__add_json_double(sb, span_quantiles[i]);
		strbuf__addch(sb, ',');
		json_member__u64(sb, "ns", t->quantiles[i]);
		strbuf__addch(sb, '}');
	}
	strbuf__addstr(sb, "],");
	json_member__u64(sb, "max", t->max);
	strbuf__addch(sb, ',');
	json_member__number(sb, "mean", span_table__mean(t, GROUP_ALL, t->ns[GROUP_ALL]));
	strbuf__addstr(sb, ",\n\"histogram\":[");
	for (size_t i = 0; i < t->buckets.nr; i++) {
		strbuf__addstr(sb, i ? ",{" : "{");
		json_member__u64(sb, "from", t->buckets.v[i].begin);
		strbuf__addch(sb, ',');
		json_member__u64(sb, "number", t->buckets.v[i].nr);
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, ']');
}

static void add_missing(const struct span_set *s, struct strbuf *sb)
{
	strbuf__addf(sb,
		     ",\n\"missing\":{\"unfinished\":%llu,\"left\":%llu,\"lost\":%llu,\"began_before\":%llu,"
		     "\"damaged\":%llu}",
		     (ull)s->losses.unfinished, (ull)s->losses.left, (ull)s->losses.lost,
		     (ull)s->losses.strays, (ull)s->nr_bad);
	if (s->cost) {
		strbuf__addch(sb, ',');
		json_member__u64(sb, "cost", s->cost);
	}
}

static void add_groups(const struct span_table *t, struct strbuf *sb)
{
	static const char *const names[NR_TABLE_GROUPS] = { "all", "fast", "slow" };

	strbuf__addstr(sb, ",\n\"groups\":[");
	for (enum table_group g = 0; g < NR_TABLE_GROUPS; g++) {
		strbuf__addstr(sb, g ? ",{" : "{");
		json_member__string(sb, "name", names[g]);
		if (g != GROUP_ALL) {
			strbuf__addch(sb, ',');
			json_member__u64(sb, g == GROUP_FAST ? "at_most" : "at_least", t->limits[g]);
		}
		strbuf__addch(sb, ',');
		json_member__u64(sb, "number", t->nr[g]);
		strbuf__addch(sb, ',');
		json_member__u64(sb, "ns", t->ns[g]);
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, ']');
}

static const char *role_name(enum waker_role role)
{
	static const char *const names[] = {
		[ROLE_UNKNOWN] = "unknown",
		[ROLE_HOLDER] = "holder",
		[ROLE_SIGNALLER] = "signaller",
		[ROLE_POSTER] = "poster",
		[ROLE_LAST] = "last to arrive",
		[ROLE_ENDED] = "thread that ended",
		[ROLE_WAKER] = "waker",
		[ROLE_INTERRUPT] = "interrupt",
		[ROLE_KERNEL_THREAD] = "kernel thread",
	};

	return names[role];
}

static void add_group_times(const struct span_row *r, struct strbuf *sb)
{
	strbuf__addf(sb, "\"ns\":[%llu,%llu,%llu]", (ull)r->ns[GROUP_ALL], (ull)r->ns[GROUP_FAST],
		     (ull)r->ns[GROUP_SLOW]);
}

static void add_kind(const struct span_reason *r, const struct locks *l, struct strbuf *sb)
{
	json_member__string(sb, "kind", wait_kind__name((enum wait_kind)r->kind));
	if (r->lock) {
		strbuf__addch(sb, ',');
		json_member__string(sb, "lock", locks__text(l, r->lock));
	}
}

static void add_part(const struct span_table *t, const struct span_row *r, struct strbuf *sb)
{
	strbuf__addch(sb, '{');
	json_member__string(sb, "role", role_name((enum waker_role)r->reason.role));
	if (r->reason.holder) {
		strbuf__addch(sb, ',');
		json_member__string(sb, "name", strpool__get(&t->names, r->reason.holder));
	}
	if (r->nr_threads) {
		strbuf__addch(sb, ',');
		json_member__u64(sb, "threads", r->nr_threads);
	}
	if (r->nr_threads == 1) {
		strbuf__addch(sb, ',');
		json_member__u64(sb, "tid", r->reason.tid);
	}
	strbuf__addch(sb, ',');
	add_group_times(r, sb);
	strbuf__addch(sb, '}');
}

static void add_reasons(const struct span_table *t, struct strbuf *sb)
{
	strbuf__addstr(sb, ",\n\"reasons\":[");
	for (size_t i = 0; i < t->rows.nr;) {
		const struct span_row *r = &t->rows.v[i++];

		strbuf__addstr(sb, r > t->rows.v ? ",\n{" : "{");
		add_kind(&r->reason, &t->times->locks, sb);
		strbuf__addch(sb, ',');
		add_group_times(r, sb);
		if (i < t->rows.nr && t->rows.v[i].is_part)
			strbuf__addstr(sb, ",\"ended_by\":[");
		for (; i < t->rows.nr && t->rows.v[i].is_part; i++) {
			add_part(t, &t->rows.v[i], sb);
			strbuf__addch(sb, i + 1 < t->rows.nr && t->rows.v[i + 1].is_part ? ',' : ']');
		}
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, ']');
}

static void add_slowest(const struct span_table *t, const struct machine *m, struct strbuf *sb)
{
	strbuf__addstr(sb, ",\n\"slowest\":[");
	for (size_t i = 0; i < t->slowest.nr; i++) {
		const struct slow_span *s = &t->slowest.v[i];

		strbuf__addstr(sb, i ? ",\n{" : "{");
		json_member__u64(sb, "ns", span__ns(&s->span));
		strbuf__addch(sb, ',');
		json_member__u64(sb, "begin", s->span.begin);
		strbuf__addf(sb, ",\"pid\":%u,\"tid\":%u,", s->span.pid, s->span.tid);
		json_member__string(sb, "comm", s->comm == COMM_UNKNOWN ? "" : machine__str(m, s->comm));
		if (t->times) {
			strbuf__addstr(sb, ",\"most\":{");
			add_kind(&s->most, &t->times->locks, sb);
			if (s->most.holder) {
				strbuf__addch(sb, ',');
				json_member__string(sb, "holder",
						    locks__text(&t->times->locks, s->most.holder));
			}
			strbuf__addch(sb, ',');
			json_member__u64(sb, "ns", s->most_ns);
			strbuf__addch(sb, '}');
		}
		strbuf__addch(sb, '}');
	}
	strbuf__addch(sb, ']');
}

void span_json__add(const struct span_table *t, const struct machine *m, struct strbuf *sb)
{
	const struct span_set *s = t->set;

	json_member__string(sb, "name", evsel__span_name(s->event));
	strbuf__addch(sb, ',');
	json_member__u64(sb, "number", s->nr);
	strbuf__addch(sb, ',');
	json_member__u64(sb, "recorded", s->v.nr);
	strbuf__addch(sb, ',');
	json_member__u64(sb, "threads", s->nr_threads);
	strbuf__addch(sb, ',');
	json_member__u64(sb, "begin", s->first);
	strbuf__addch(sb, ',');
	json_member__u64(sb, "end", s->last);
	add_durations(t, sb);
	add_missing(s, sb);
	add_groups(t, sb);
	if (t->times)
		add_reasons(t, sb);
	add_slowest(t, m, sb);
}

void span_json__add_limit(const struct duration_limit *l, const struct limit_check *c, struct strbuf *sb)
{
	static const char *const results[] = {
		[LIMIT_KEPT] = "kept", [LIMIT_EXCEEDED] = "exceeded", [LIMIT_UNKNOWN] = "cannot tell"
	};
	struct strbuf name = STRBUF_INIT;

	duration_limit__add_name(l, &name);
	strbuf__addch(sb, '{');
	json_member__string(sb, "value", name.buf);
	strbuf__addch(sb, ',');
	json_member__u64(sb, "limit", l->ns);
	strbuf__addch(sb, ',');
	json_member__number(sb, "ns", c->value);
	strbuf__addch(sb, ',');
	json_member__number(sb, "low", c->low);
	strbuf__addch(sb, ',');
	json_member__number(sb, "high", c->high);
	strbuf__addch(sb, ',');
	json_member__string(sb, "result", results[c->result]);
	strbuf__addch(sb, '}');
	strbuf__exit(&name);
}
