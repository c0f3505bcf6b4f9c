#include "record/record_args.h"

#include "base/message/msg.h"
#include "base/message/called_name.h"
#include "base/message/word_list.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "format/file/labels.h"
#include "live/checks.h"
#include "live/counter.h"
#include "record/describe/inventory.h"
#include "record/events/event_cgroups.h"
#include "record/options/attr_args.h"
#include "record/options/buffer_opts.h"
#include "record/stacks/wakings.h"
#include "record/target/runtimes.h"
#include "record/watch/span_points.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void record_args__init(struct record_args *args)
{
	*args = (struct record_args){
		.opts = { .attrs.rate.freq = USUAL_SAMPLE_RATE,
			  .off_cpu_thresh = 1,
			  .host.labels = STRBUF_INIT,
			  .unwind_buffer = unwind_buffer__usual(),
			  .write_buffer = WRITE_BUFFER_DEFAULT },
	};
	event_args__init(&args->events);
	evlist__init(&args->switch_events);
}

void record_args__exit(struct record_args *args)
{
	event_args__exit(&args->events);
	evlist__exit(&args->switch_events);
	delay__exit(&args->opts.delay);
	strbuf__exit(&args->opts.host.labels);
	free(args->stamped);
	array__exit(&args->spans);
}

/* ---- options ---- */

int record_args__event(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	if (!unset && !strcmp(arg, "list"))
		args->list = true;
	return event_args__add(&args->events, unset || args->list ? NULL : arg, err);
}

int record_args__switch_output(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->opts.switch_output = (struct switch_output){ 0 };
	return unset ? 0 : switch_output__parse(&args->opts.switch_output, arg, err);
}

int record_args__threads(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	static const char *const units[] = { "", "cpu", "core", "package", "numa" };
	static const struct word_list unit_list = {
		.what = "unit",
		.rows = units,
		.nr = ARRAY_SIZE(units),
		.size = sizeof(*units),
		.where = "units: cpu, core, package, numa; or lists of CPUs such as 0-3/0-3",
	};
	struct record_args *args = opt->value;

	args->opts.threads = !unset;
	if (unset)
		return 0;
	/* masks of CPUs, such as 0-3/0-3:4-7/4-7 */
	if (strchr(arg, '/') && !arg[strspn(arg, "0123456789-,/:")])
		return 0;
	return MIN(word_list__choose(&unit_list, arg, strlen(arg), err), 0);
}

int record_args__build_id_default(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	(void)unset;
	if (!strcmp(arg, "no-cache"))
		args->no_cache = true;
	else if (!strcmp(arg, "skip"))
		args->opts.attrs.side_band.no_build_ids = true;
	else if (!strcmp(arg, "mmap"))
		args->opts.no_build_id_table = true;
	else if (strcmp(arg, "cache"))
		return err__set(err, -EINVAL, "'%s' is none of cache, no-cache, mmap, skip", arg);
	return 0;
}

int record_args__synth(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->opts.synth_left_out = 0;
	return unset ? 0 : inventory__parse_synth(arg, &args->opts.synth_left_out, err);
}

int record_args__refuse_aux(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt, (void)arg;
	return unset ? 0
		     : err__set(err, -EOPNOTSUPP,
				"AUX areas (Intel PT, ARM SPE and others) are not supported: of other "
				"events, --overwrite keeps the newest samples and --switch-output writes "
				"them on a signal");
}

int record_args__switch_event(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	if (unset)
		return 0;
	args->opts.switch_output.is_on = true;
	args->opts.switch_events = &args->switch_events;
	return checks__explain_lookup(arg, parse_events(&args->switch_events, arg, err), err);
}

int record_args__label(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	if (unset)
		strbuf__reset(&args->opts.host.labels);
	args->finds_commit = !unset && (args->finds_commit || !strcmp(arg, LABEL_COMMIT));
	return unset || !strcmp(arg, LABEL_COMMIT) ? 0 : labels__add(&args->opts.host.labels, arg, err);
}

int record_args__delay(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	return delay__parse(&args->opts.delay, unset ? "0" : arg, err);
}

/* ---- combining the options ---- */

/* As in stock perf, a recording without -o goes to standard output if that is a pipe. */
static bool stdout_is_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

/* Add an event that samples every switch away from a thread. The recorder turns its samples into waits. */
static struct evsel *add_off_cpu_event(struct evlist *l)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					.sample_period = 1,
					.exclude_guest = 1 };
	struct evsel *e = evlist__add_request(l, &attr, "offcpu-time");

	e->request->is_off_cpu = true;
	e->request->own_period = true;
	return e;
}

/* Add an event that nothing in the kernel samples: the recorder makes its samples. */
static struct evsel *add_ready_event(struct evlist *l)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_BPF_OUTPUT,
					.sample_period = 1 };
	struct evsel *e = evlist__add_request(l, &attr, "ready-time");

	e->request->is_ready_time = true;
	e->request->own_period = true;
	e->request->terms.call_graph = CALL_GRAPH_NO;
	return e;
}

static void warn_of_no_wakings(const struct err *err)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(&text, "who ends waits is not recorded, so holders of locks stay unknown:\n%s",
		     err->text.buf);
	warning("%s", text.buf);
	strbuf__exit(&text);
}

/* Add the events of --off-cpu. Without the right to record wakings, say so, and do without them. */
static void add_off_cpu_events(struct record_args *args, struct evlist *l)
{
	struct evsel *e = add_off_cpu_event(l);
	struct err err = ERR_INIT;

	if (!args->off_cpu_locks)
		return;
	e->request->has_wait_details = true;
	args->opts.attrs.side_band.data_maps = true; /* names of variables, and locks that processes share */
	if (wakings__add_event(l, &err))
		warn_of_no_wakings(&err);
	else
		l->evsels.v[l->evsels.nr - 1]->request->has_wait_details = true;
	add_ready_event(l)->request->has_wait_details = true;
	err__exit(&err);
}

static const char *const off_cpu_detail_names[] = { "locks" };
static const struct word_list off_cpu_details = WORD_LIST("wait detail", off_cpu_detail_names, 0);

int record_args__off_cpu(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->off_cpu = !unset;
	args->off_cpu_given = true;
	args->off_cpu_locks = !unset && arg;
	return unset || !arg ? 0 : word_list__choose(&off_cpu_details, arg, strlen(arg), err);
}

int record_args__span(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	(void)err;
	if (unset)
		args->spans.nr = 0;
	else
		array__add(&args->spans, arg);
	return 0;
}

int record_args__runtimes(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	(void)err;
	args->sets_runtimes = !unset;
	args->runtimes = unset ? NULL : arg;
	return 0;
}

static int finalize_runtimes(struct record_args *args, bool has_workload, struct err *err)
{
	const struct target_opts *t = &args->opts.target;

	if (!args->sets_runtimes)
		return 0;
	/* a command beside them tells how long to record */
	args->asks_pythons = (t->pids || t->tids) && (!args->runtimes || !strcmp(args->runtimes, "python"));
	if (args->asks_pythons)
		return 0;
	if (has_workload && !t->pids && !t->tids)
		return runtimes__set(args->runtimes, err);
	return err__set(
		err, -EINVAL,
		"--runtimes sets the environment of a command that perf starts; of programs that run, "
		"only Python 3.14 can be told, with -p");
}

/* May this user record waits, which are in the kernel? */
static bool may_record_waits(void)
{
	const struct perf_event_attr attr = { .size = sizeof(attr),
					      .type = PERF_TYPE_SOFTWARE,
					      .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					      .sample_period = 1 };

	return !counter__try(attr, 0, -1);
}

/* What spans are made of is worth nothing without waits and call chains: record these, too. */
static int finalize_spans(struct record_args *args, struct err *err)
{
	const struct option call_graph = { .value = &args->opts.attrs };
	int ret = 0;

	if (!args->spans.nr)
		return 0;
	if (!args->opts.attrs.chains.is_given)
		ret = attr_args__call_graph(&call_graph, NULL, false, err);
	if (ret || args->off_cpu_given)
		return ret;
	args->off_cpu = args->off_cpu_locks = may_record_waits();
	if (!args->off_cpu)
		info("this user may not record waits: what spans wait for stays unknown; record as root, or "
		     "see "
		     "%s doctor",
		     called_name());
	return 0;
}

static int add_span_events(const struct record_args *args, struct evlist *l, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < args->spans.nr; i++)
		ret = span_points__add_event(l, args->spans.v[i], err);
	return ret;
}

/*
 * Return the first option that --threads cannot be combined with, as text to follow "--threads: ", or NULL.
 */
static const char *refuse_threads(const struct record_args *args)
{
	const struct recorder_opts *o = &args->opts;

	if (!strcmp(o->output, "-"))
		return "a pipe takes no data directory: name one with -o";
	if (o->target.per_thread)
		return "the rings of --per-thread belong to no CPU: leave out one of the two";
	if (o->attrs.overwrite || attr_opts__overwrites(&o->attrs, &args->events.list))
		return "rings that are overwritten are read once, at the end: leave out --overwrite";
	if (args->off_cpu)
		return "waits (--off-cpu) are found by looking at all CPUs together: leave out one of the "
		       "two";
	if (args->spans.nr)
		return "begins and ends of spans (--span) may be on different CPUs: leave out one of the two";
	for (size_t i = 0; i < args->events.list.evsels.nr; i++)
		if (args->events.list.evsels.v[i]->request->watch ||
		    args->events.list.evsels.v[i]->request->probe)
			return "variables and functions by name are followed on all CPUs together: leave it "
			       "out";
	return NULL;
}

static int finalize_threads(struct record_args *args, struct err *err)
{
	const char *reason = args->opts.threads ? refuse_threads(args) : NULL;

	if (!args->opts.threads)
		return 0;
	if (reason)
		return err__set(err, -EINVAL, "--threads: %s", reason);
	if (args->opts.switch_output.is_on)
		warning("--threads writes one directory: --switch-output does nothing");
	args->opts.switch_output.is_on = false;
	args->opts.switch_events = NULL;
	return 0;
}

static int finalize_target(const struct record_args *args, struct target_opts *t, bool has_workload,
			   struct err *err)
{
	t->has_workload = has_workload;
	if (!has_workload && !t->pids && !t->tids && !t->user && !t->cpus)
		t->system_wide = true; /* until Ctrl-C */
	if (event_cgroups__any(&args->events.list) && !t->system_wide && !t->cpus)
		return err__set(err, -EINVAL, "-G needs -a: it counts all tasks on the CPUs");
	return 0;
}

static int finalize_output(struct record_args *args, struct err *err)
{
	struct recorder_opts *o = &args->opts;

	if (!o->output && stdout_is_pipe() && !o->switch_output.is_on && !o->threads) {
		o->output = "-";
		o->output_is_chance = true;
	}
	if (!o->output)
		o->output = "perf.data";
	if (!strcmp(o->output, "-") && isatty(STDOUT_FILENO))
		return err__set(err, -EINVAL, "a recording is not for a terminal: use -o FILE, or pipe it");
	if (args->embed_source && args->no_embed)
		return err__set(err, -EINVAL, "--embed-source stores more than --no-embed: use one of them");
	if (o->host.labels.len && !strcmp(o->output, "-"))
		return err__set(err, -EINVAL,
				"--label: a pipe has no place for labels; write a file, with -o");
	if (args->embed_source && !strcmp(o->output, "-"))
		return err__set(err, -EINVAL,
				"--embed-source needs a file, which has source at its end: use -o FILE");
	return 0;
}

int record_args__finalize(struct record_args *args, bool has_workload, struct err *err)
{
	struct recorder_opts *o = &args->opts;
	struct evlist *l = &args->events.list;
	int ret = finalize_target(args, &o->target, has_workload, err);

	if (!ret)
		ret = finalize_output(args, err);
	if (!ret)
		ret = finalize_threads(args, err);
	if (!ret)
		ret = finalize_spans(args, err);
	if (!ret)
		ret = finalize_runtimes(args, has_workload, err);
	if (!ret)
		ret = attr_args__finalize(&o->attrs, l, err);
	if (ret)
		return ret;
	o->store_names = !args->no_embed;
	if (args->no_cache || o->attrs.side_band.no_build_ids || o->no_build_id_table)
		o->build_id_cache = NULL;
	if (o->attrs.span_ms && o->pages)
		return err__set(err, -EINVAL,
				"--overwrite=SPAN chooses the size of the buffers: leave out -m");
	o->pages_given = o->pages;
	ring_pages__choose(&o->pages, &o->attrs, l);
	if (args->group && l->evsels.nr)
		evlist__group(l, 0, l->evsels.nr);
	if (!l->evsels.nr)
		parse_default_event(l);
	if (args->off_cpu)
		add_off_cpu_events(args, l);
	ret = add_span_events(args, l, err);
	if (ret)
		return ret;
	if (args->timestamp_filename && !o->switch_output.is_on && strcmp(o->output, "-"))
		o->output = args->stamped = stamped_path(o->output);
	return 0;
}
