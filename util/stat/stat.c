#include "stat/stat.h"

#include "base/message/msg.h"
#include "live/checks.h"
#include "stat/stat_job.h"
#include "stat/stat_print.h"
#include "stat/stat_text.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

/* ---- output ---- */

static void add_what(struct stat_job *j, struct strbuf *out)
{
	const struct target_opts *t = &j->opts->target;

	if (t->system_wide && !t->cpus) {
		strbuf__addstr(out, "'system wide'");
	} else if (t->cpus && j->target.system_wide) {
		strbuf__addf(out, "'CPU(s) %s'", t->cpus);
	} else if (t->pids || t->tids) {
		strbuf__addf(out, "%s id '%s'", t->pids ? "process" : "thread", t->pids ? t->pids : t->tids);
	} else if (t->user) {
		strbuf__addf(out, "user '%s'", t->user);
	} else {
		strbuf__addch(out, '\'');
		command__add_words(j->argv, out);
		strbuf__addch(out, '\'');
	}
}

static void print_table(struct stat_job *j, const struct stat_table *t, bool is_summary)
{
	struct stat_print_opts o = j->opts->print;
	struct strbuf out = STRBUF_INIT, what = STRBUF_INIT;

	add_what(j, &what);
	if (!is_summary)
		stat_text__add_title(&out, &o, what.buf, t->elapsed.nr);
	o.names_summary = is_summary && o.names_summary;
	stat_print__add_table(&out, &o, t, 0);
	stat_text__add_times(&out, &o, t);
	strbuf__exit(&what);
	stat_job__print(j, &out);
}

/* ---- why numbers are missing ---- */

/* Return what follows the event's name in a message: the reason. */
static const char *reason_of(const struct evsel *e, const char *text)
{
	size_t len = strlen(e->name);

	return *text == '\'' && !strncmp(text + 1, e->name, len) ? text + 1 + len : text;
}

static void explain_refusal(struct stat_job *j, const struct evsel *e, struct strbuf *said)
{
	const struct evsel *leader = j->l->evsels.v[e->leader];
	int error = j->counting.refusals[e->idx];
	struct err err = ERR_INIT;

	if (e != leader && j->counting.refusals[leader->idx]) {
		info("'%s' is in a group with '%s', which is missing", e->name, leader->name);
	} else if (e != leader && error == -EINVAL) {
		info("'%s' does not fit into its group, which has more events than the processor has "
		     "counters",
		     e->name);
	} else {
		checks__explain_open(e, error, 0, &err);
		if (!strstr(said->buf, reason_of(e, err.text.buf)))
			info("%s", err.text.buf);
		strbuf__addstr(said, err.text.buf);
	}
	err__exit(&err);
}

/* Say why this machine lacks events: once for each reason. */
static void explain_refusals(struct stat_job *j)
{
	struct strbuf said = STRBUF_INIT;

	for (size_t i = 0; i < j->l->evsels.nr; i++)
		if (j->counting.refusals[i])
			explain_refusal(j, j->l->evsels.v[i], &said);
	strbuf__exit(&said);
}

static void explain_missing(struct stat_job *j)
{
	bool idle = false, crowded = false;

	explain_refusals(j);
	for (size_t i = 0; i < j->l->evsels.nr; i++) {
		for (size_t r = 0; r < j->rows.v.nr; r++) {
			const struct stat_value *v = stat_table__value(&j->table, i, r);

			if (stat_table__state(&j->table, i, r) != STAT_NOT_COUNTED)
				continue;
			idle |= v->enabled <= 0;
			crowded |= v->enabled > 0;
		}
	}
	if (crowded)
		info("<not counted>: no counter was free for the event: its group has more events than the "
		     "processor has counters, or others (the NMI watchdog, another profiler) hold them");
	else if (idle)
		info("<not counted>: what was counted did not run in this time");
}

/* ---- all runs ---- */

static int run_all(struct stat_job *j, struct err *err)
{
	const struct stat_opts *o = j->opts;
	int ret = 0;

	for (u64 i = 0; (!o->nr_runs || i < o->nr_runs) && !ret && !j->outcome.signo; i++) {
		ret = stat_job__run(j, err);
		if (!ret && !o->nr_runs) {
			print_table(j, &j->table, false);
			stat_table__reset(&j->table);
		}
	}
	return ret;
}

int stat__run(struct stat_opts *opts, struct evlist *l, char *const *argv, struct stat_outcome *outcome,
	      struct err *err)
{
	struct stat_job j;
	int ret = stat_job__init(&j, opts, l, argv, err);

	if (!ret)
		ret = run_all(&j, err);
	if (!ret && j.table.elapsed.nr && (!opts->interval_ms || opts->summary))
		print_table(&j, &j.table, opts->interval_ms);
	if (!ret && opts->explains)
		explain_missing(&j);
	if (!ret) {
		if (j.command.exited && WIFSIGNALED(j.command.status) && !j.is_terminated && !j.outcome.signo)
			info("%s: %s", argv[0], strsignal(WTERMSIG(j.command.status)));
		ret = j.is_terminated ? 0 : workload__exit_status(&j.command);
	}
	*outcome = j.outcome;
	stat_job__exit(&j);
	return ret;
}
