#include "stat/stat_args.h"

#include "base/message/msg.h"
#include "base/system/output_file.h"
#include "base/text/number.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "live/checks.h"
#include "profile/compare/compare_args.h"
#include "record/events/event_cgroups.h"
#include "record/events/event_filters.h"
#include "stat/pair_evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void stat_args__init(struct stat_args *args)
{
	*args = (struct stat_args){ .opts = { .nr_runs = 1, .out_fd = STDERR_FILENO },
				    .pair = { .least_change = 0.01 } };
	event_args__init(&args->events);
}

void stat_args__exit(struct stat_args *args)
{
	event_args__exit(&args->events);
	array__exit(&args->texts);
	if (args->opts.out_fd > STDERR_FILENO && args->output)
		close(args->opts.out_fd);
}

/* ---- options ---- */

int stat_args__event(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct stat_args *args = opt->value;

	if (!unset)
		array__add(&args->texts, arg);
	return event_args__add(&args->events, unset ? NULL : arg, err);
}

int stat_args__delay(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct stat_args *args = opt->value;
	char *end;
	long ms = unset ? 0 : strtol(arg, &end, 10);

	if (!unset && (end == arg || *end || ms < -1 || ms > INT32_MAX))
		return err__set(err, -EINVAL, "'%s' is not a time in ms, or -1", arg);
	args->opts.has_delay = ms != 0;
	args->opts.delay_ms = (int)ms;
	return 0;
}

int stat_args__cache(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct stat_args *args = opt->value;
	const char *digits = *arg == 'L' || *arg == 'l' ? arg + 1 : arg;

	args->opts.by = unset ? AGGREGATE_ALL : AGGREGATE_CACHE;
	args->opts.cache_level = 0;
	if (unset || !*arg)
		return 0;
	if (digits[0] < '1' || digits[0] > '9' || digits[1])
		return err__set(err, -EINVAL, "'%s' is not the level of a cache, such as L2", arg);
	args->opts.cache_level = *digits - '0';
	return 0;
}

int stat_args__aggregate(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const struct {
		const char *option;
		enum aggregation by;
	} kinds[] = {
		{ "no-aggr", AGGREGATE_CPU },   { "no-merge", AGGREGATE_CPU },
		{ "per-core", AGGREGATE_CORE }, { "per-cluster", AGGREGATE_CLUSTER },
		{ "per-die", AGGREGATE_DIE },   { "per-socket", AGGREGATE_SOCKET },
		{ "per-node", AGGREGATE_NODE }, { "per-thread", AGGREGATE_THREAD },
	};
	struct stat_args *args = opt->value;

	(void)arg, (void)err;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(opt->name, kinds[i].option))
			args->opts.by = unset ? AGGREGATE_ALL : kinds[i].by;
	return 0;
}

int stat_args__until_decided(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct stat_args *args = opt->value;
	u64 n = PAIR_MAX_ROUNDS;

	if (!unset && *arg && !number__parse(arg, PAIR_MIN_ROUNDS, 1000000, &n))
		return err__set(err, -EINVAL, "'%s' is not a number of runs, %d or more", arg,
				PAIR_MIN_ROUNDS);
	args->pair.max_rounds = unset ? 0 : (u32)n;
	return 0;
}

int stat_args__fail_on(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct stat_args *args = opt->value;

	args->pair.fails_on_slower = !unset;
	args->pair.slower = 0;
	return unset ? 0 : fail_on__parse(arg, &args->pair.slower, NULL, err);
}

int stat_args__least_change(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct stat_args *args = opt->value;

	return least_change__parse(unset ? LEAST_CHANGE_DEFAULT : arg, &args->pair.least_change, err);
}

/* ---- events ---- */

/* What is counted without -e, and with each further -d. */
static const char *const default_events = "context-switches,cpu-migrations,page-faults,cycles";
static const char *const stall_events[] = { "stalled-cycles-frontend", "stalled-cycles-backend" };
static const char *const default_rest = "instructions,branches,branch-misses";
static const char *const detail_events[] = {
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

/* Can a counter of this hardware event be opened? Most processors do not count stalled cycles. */
static bool is_there(u64 config)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.config = config,
					.size = sizeof(attr),
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return !counter__try(attr, 0, -1);
}

static int add_default_events(struct stat_args *args, struct err *err)
{
	static const u64 stalls[] = { PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
				      PERF_COUNT_HW_STALLED_CYCLES_BACKEND };
	struct evlist *l = &args->events.list;
	bool wide = args->opts.target.system_wide || args->opts.target.cpus;
	int ret = parse_events(l, wide ? "cpu-clock" : "task-clock", err);

	if (!ret)
		ret = parse_events(l, default_events, err);
	for (size_t i = 0; i < ARRAY_SIZE(stalls) && !ret; i++)
		if (is_there(stalls[i]))
			ret = parse_events(l, stall_events[i], err);
	return ret ? ret : parse_events(l, default_rest, err);
}

static int add_events(struct stat_args *args, struct err *err)
{
	int ret = 0;

	if (!args->events.list.evsels.nr && !args->opts.print.null_run)
		ret = add_default_events(args, err);
	for (int i = 0; i < args->detail && (size_t)i < ARRAY_SIZE(detail_events) && !ret; i++)
		ret = parse_events(&args->events.list, detail_events[i], err);
	return ret;
}

/* Count all events once for each control group. */
static int spread_over_cgroups(struct stat_args *args, struct err *err)
{
	char *names = xstrdup(args->each_cgroup), *rest = names, *name;
	size_t next = 0;
	int ret = 0;

	if (event_cgroups__any(&args->events.list))
		ret = err__set(err, -EINVAL, "--for-each-cgroup and -G: use one of them");
	evlist__exit(&args->events.list);
	evlist__init(&args->events.list);
	while (!ret && (name = strsep(&rest, ","))) {
		struct evlist l;

		evlist__init(&l);
		for (size_t i = 0; i < args->texts.nr && !ret; i++)
			ret = parse_events(&l, args->texts.v[i], err);
		evlist__move(&args->events.list, &l);
		evlist__exit(&l);
		if (!ret && !args->texts.nr)
			ret = add_default_events(args, err);
		if (!ret)
			ret = event_cgroups__add(&args->events.list, &next, name, err);
	}
	free(names);
	return ret;
}

static int refuse_named_places(const struct evlist *l, struct err *err)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct event_request *r = l->evsels.v[i]->request;

		if (r->watch || r->probe)
			return err__set(err, -EOPNOTSUPP,
					"'%s': stat does not look up variables and functions by name: give "
					"the address (mem:0x1234:w), or count samples with record and report",
					l->evsels.v[i]->name);
		if (r->filter && r->cgroup)
			return err__set(err, -EOPNOTSUPP, "'%s': --filter with -G is not supported",
					l->evsels.v[i]->name);
	}
	return 0;
}

/* ---- combining the options ---- */

static int finalize_target(struct stat_args *args, bool has_command, struct err *err)
{
	struct stat_opts *o = &args->opts;
	struct target_opts *t = &o->target;
	bool tasks = t->pids || t->tids || t->user;
	bool cgroups = args->each_cgroup || event_cgroups__any(&args->events.list);

	t->has_workload = has_command && !tasks && !t->system_wide && !t->cpus;
	if (!has_command && !tasks && !t->cpus)
		t->system_wide = true; /* until Ctrl-C */
	if (tasks &&
	    t->cpus) /* a counter of a thread on one CPU does not tell how long the thread ran there */
		warning("-C is ignored beside -p and -t");
	if (tasks)
		t->cpus = NULL;
	if (o->by == AGGREGATE_THREAD && has_command && !tasks && !t->system_wide)
		return err__set(err, -EINVAL,
				"--per-thread needs -p, -t or -a: the threads that already run");
	if (!t->system_wide && !t->cpus && (cgroups || (o->by != AGGREGATE_ALL && o->by != AGGREGATE_THREAD)))
		return err__set(err, -EINVAL, "%s needs -a or -C",
				cgroups ? "a control group" : "a row for each part of the machine");
	if (o->nr_runs != 1 && !has_command)
		return err__set(err, -EINVAL, "-r needs a command to run");
	return 0;
}

static int finalize_form(struct stat_args *args, struct err *err)
{
	struct stat_print_opts *p = &args->opts.print;

	if (args->separator && args->json)
		return err__set(err, -EINVAL, "-x and -j: use one of them");
	if (args->separator && args->big_num)
		return err__set(err, -EINVAL, "-B groups digits for people: leave it out with -x");
	p->form = args->separator ? STAT_CSV : args->json ? STAT_JSON : STAT_TEXT;
	p->separator = args->separator && !strcmp(args->separator, "\\t") ? "\t" : args->separator;
	p->big_num = p->form == STAT_TEXT && !args->no_big_num;
	return 0;
}

static int finalize_times(struct stat_args *args, struct err *err)
{
	struct stat_opts *o = &args->opts;

	if (o->timeout_ms && o->interval_ms)
		return err__set(err, -EINVAL, "--timeout with -I: use --interval-count");
	if (o->timeout_ms && o->timeout_ms < 10)
		return err__set(err, -EINVAL, "--timeout must be at least 10 ms");
	if (o->interval_count && !o->interval_ms)
		return err__set(err, -EINVAL, "--interval-count needs -I");
	if (o->clears_screen && !o->interval_ms)
		return err__set(err, -EINVAL, "--interval-clear needs -I");
	if (o->print.shows_table && o->nr_runs == 1)
		return err__set(err, -EINVAL, "--table needs -r: it shows the time of each run");
	return 0;
}

static int finalize_pair(struct stat_args *args, bool has_command, struct err *err)
{
	struct stat_opts *o = &args->opts;
	struct stat_pair_opts *p = &args->pair;

	if (!p->other)
		return p->max_rounds || p->fails_on_slower || p->warmup || p->markdown || p->bisects
			       ? err__set(err, -EINVAL,
					  "--until-decided, --warmup, --fail-on, --bisect and --markdown "
					  "compare two "
					  "programs: add --repeat-with PROGRAM")
			       : 0;
	if (!has_command)
		return err__set(err, -EINVAL, "--repeat-with needs the command that is the old one");
	if (!args->repeat_given && !p->max_rounds)
		return err__set(err, -EINVAL, "--repeat-with needs --repeat N or --until-decided");
	if (args->repeat_given && p->max_rounds)
		return err__set(err, -EINVAL, "--repeat and --until-decided: use one of them");
	if (!o->nr_runs)
		return err__set(err, -EINVAL, "--repeat-with needs a number of runs: -r 0 has no end");
	if (args->separator || o->interval_ms || o->timeout_ms || o->by != AGGREGATE_ALL || o->control)
		return err__set(err, -EINVAL,
				"--repeat-with compares whole runs: not with -x, -I, --timeout, --control or "
				"rows of CPUs and threads");
	if (args->json && p->markdown)
		return err__set(err, -EINVAL, "-j and --markdown: use one of them");
	p->json = args->json;
	p->has_events = args->texts.nr;
	return 0;
}

/* perf stat record: -o names the recording, and the table goes to standard error. */
static int finalize_recording(struct stat_args *args, struct err *err)
{
	struct stat_opts *o = &args->opts;

	if (!args->records)
		return 0;
	if (o->nr_runs != 1 || args->pair.other)
		return err__set(err, -EINVAL, "stat record writes one run: leave out -r");
	for (size_t i = 0; i < args->events.list.evsels.nr; i++)
		if (args->events.list.evsels.v[i]->request->tool != TOOL_NONE)
			return err__set(err, -EOPNOTSUPP, "'%s' cannot be recorded: it has no counter",
					args->events.list.evsels.v[i]->name);
	o->record.path = args->output ? args->output : "perf.data";
	args->output = NULL;
	o->record.by = o->by;
	o->record.cache_level = o->cache_level;
	o->record.interval_ms = o->interval_ms;
	return 0;
}

/* Begin a file with the date. */
static void add_date(int fd)
{
	time_t now = time(NULL);
	char text[64];
	struct tm tm;
	size_t n;

	localtime_r(&now, &tm);
	n = strftime(text, sizeof(text), "# started on %a %b %e %H:%M:%S %Y\n\n", &tm);
	file__write_all(fd, text, n);
}

static int open_output(struct stat_args *args, struct err *err)
{
	struct stat_opts *o = &args->opts;
	int fd;

	if (args->output && args->log_fd)
		return err__set(err, -EINVAL, "-o and --log-fd: use one of them");
	if (args->log_fd) {
		o->out_fd = (int)args->log_fd;
		return fcntl(o->out_fd, F_GETFD) < 0
			       ? err__set(err, -EBADF, "--log-fd %u: not an open descriptor", args->log_fd)
			       : 0;
	}
	if (!args->output)
		return args->append ? err__set(err, -EINVAL, "--append needs -o FILE") : 0;
	o->out_fd = fd = output_file__open_in_place(
		args->output, O_WRONLY | O_CREAT | O_CLOEXEC | (args->append ? O_APPEND : O_TRUNC), 0666,
		err);
	if (fd >= 0 && o->print.form != STAT_JSON && !args->pair.markdown)
		add_date(fd);
	return MIN(fd, 0);
}

int stat_args__finalize(struct stat_args *args, bool has_command, struct err *err)
{
	struct stat_opts *o = &args->opts;
	bool is_stderr = !args->output && !args->log_fd;
	int ret = finalize_form(args, err);

	if (!ret)
		ret = finalize_times(args, err);
	if (!ret)
		ret = finalize_pair(args, has_command, err);
	if (!ret && args->each_cgroup)
		ret = spread_over_cgroups(args, err);
	else if (!ret)
		ret = add_events(args, err);
	if (!ret)
		ret = finalize_target(args, has_command, err);
	if (!ret)
		ret = finalize_recording(args, err);
	if (!ret)
		ret = refuse_named_places(&args->events.list, err);
	if (!ret && args->group && args->events.list.evsels.nr)
		evlist__group(&args->events.list, 0, args->events.list.evsels.nr);
	if (!ret)
		ret = open_output(args, err);
	o->print.shows_cgroups = event_cgroups__any(&args->events.list);
	o->print.hides_idle = o->by == AGGREGATE_THREAD && o->target.system_wide;
	o->print.is_repeated = o->nr_runs > 1;
	o->print.is_interval = o->interval_ms;
	o->print.names_summary = !args->no_csv_summary && o->interval_ms;
	o->print.has_command = has_command && !o->target.system_wide && !o->target.cpus;
	o->explains = o->print.form == STAT_TEXT && is_stderr && (o->verbose > 0 || isatty(STDERR_FILENO)) &&
		      !o->is_quiet;
	return ret;
}
