#include "record/recorder_private.h"

#include "base/memory/mem.h"
#include "base/system/clock.h"
#include "base/message/msg.h"
#include "binary/elf/kept_files.h"
#include "event/evsel/event_request.h"
#include "format/records/build.h"
#include "live/checks.h"
#include "live/limits.h"
#include "record/describe/kept_jit.h"
#include "record/describe/text_copies.h"
#include "record/events/event_filters.h"
#include "record/options/buffer_opts.h"
#include "record/options/flight_span.h"
#include "record/stacks/switch_cost.h"
#include "record/stacks/span_hits.h"
#include "record/watch/probe.h"
#include "record/watch/span_points.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* most binaries kept open for their names; also at most RLIMIT_NOFILE / 4 */
enum { KEPT_MAX = 512 };

/* one further thread may unwind stacks for so many CPUs of the machine */
enum { HELPER_CPUS = 8 };

void recorder__prepare_files(struct recorder *r)
{
	const struct recorder_opts *o = r->opts;

	r->files = (struct recorder_files){
		.opts = o,
		.result = r->result,
		.output = {
			.l = r->l,
			.slice_fd = -1,
			.opts = {
				.path = o->output,
				.keep_old = o->keep_old,
				.compression = o->compression,
				.queue = o->write_buffer,
				.is_dir = o->threads,
				.no_build_ids = o->no_build_id_table || o->attrs.side_band.no_build_ids,
				.host = &o->host,
				.store_names = o->store_names,
				.switches = o->switch_output.is_on,
				.max_files = o->switch_output.max_files,
				.slices = o->slices,
			},
		},
		.inventory = {
			.l = r->l,
			.counters = &r->counters,
			.target = &r->target,
			.side_band = &o->attrs.side_band,
			.left_out = o->synth_left_out,
			.modules = &r->modules,
		},
	};
}

static int recorder__prepare_workload(struct recorder *r, char *const *argv, struct err *err)
{
	int ret;

	if (!argv)
		return 0;
	ret = workload__prepare(&r->workload, argv, &r->before, !strcmp(r->opts->output, "-"), err);
	if (ret)
		r->result->exit_status = ret == -ENOENT ? 127 : 126;
	else if (r->target.is_workload) {
		array__add(&r->target.tids, r->workload.pid);
		array__add(&r->target.pids, r->workload.pid);
	}
	return ret;
}

/* Resolve the variables and functions that events are named by. Variables need a program. */
static int recorder__find_names(struct recorder *r, char *const *argv, struct err *err)
{
	int ret;

	scope__init(&r->scope, &r->target, argv);
	ret = probes__find(r->l, &r->scope, !r->opts->attrs.no_inherit, err);
	if (!ret)
		ret = span_points__find(r->l, &r->scope, !r->opts->attrs.no_inherit, err);
	if (!ret && (argv || !r->target.is_workload))
		ret = watches__new(&r->watches, r->l, &r->scope, err);
	return ret;
}

static void recorder__complete_attrs(struct recorder *r)
{
	struct attr_opts *attrs = &r->attrs;

	*attrs = r->opts->attrs;
	attrs->per_thread = r->target.per_thread;
	attrs->fields.cpu |= r->target.system_wide;
	attrs->whole_cpus = r->target.system_wide;
	/*
	 * An event that the exec does not enable cannot carry the side-band of the exec, and one that is not
	 * enabled while running threads are attached to lacks what they start meanwhile.
	 */
	attrs->side_band.is_separate = (!r->target.is_workload && !r->target.per_thread) ||
				       r->target.side_band_cpus.nr || r->opts->delay.is_given || r->watches ||
				       probes__need_filter(r->l) || attr_opts__overwrites(attrs, r->l);
	attrs->side_band.on_exec = r->target.is_workload;
	attrs->enable_on_exec = r->target.is_workload && !r->opts->delay.is_given;
	for (size_t i = 0; i < r->l->evsels.nr; i++)
		if (r->l->evsels.v[i]->request->is_waking)
			r->l->evsels.v[i]->request->wakes_everywhere =
				!r->target.system_wide && !r->target.per_thread;
	attr_opts__apply(attrs, r->l);
}

/* Tell the user what the recording lacks or where it goes, if that may surprise. */
static void recorder__tell_trial(const struct recorder *r, const struct recorder_trial *t)
{
	struct strbuf text = STRBUF_INIT;

	if (r->opts->is_told)
		return;
	if (r->opts->output_is_chance)
		info("standard output is a pipe: the recording goes into it; -o FILE writes a file");
	if (t->fell_back)
		info("cycles cannot be counted on this machine: recording cpu-clock instead");
	if (t->broke_up)
		info("a weak group (W) does not fit: its events are counted one by one");
	if (t->user_only) {
		checks__tell_user_only(&text);
		info("%s", text.buf);
		strbuf__reset(&text);
	}
	flight_span__describe(r->l, t->pages, &text);
	if (text.len)
		info("the buffer of each CPU keeps the newest %s", text.buf);
	strbuf__reset(&text);
	if (t->pages < t->wanted_pages) {
		checks__tell_small_rings(t->rings, t->pages, t->wanted_pages, &text);
		warning("%s", text.buf);
	}
	strbuf__exit(&text);
}

/* Split the events: the file's have call chains where the kernel's have stack copies. */
static int recorder__prepare_unwinding(struct recorder *r, struct err *err)
{
	if (!unwind_arch__own())
		return err__set(err, -EOPNOTSUPP,
				"stacks of this machine cannot be unwound: use --call-graph fp");
	stack_samples__split_events(r->l, &r->kernel_events);
	return 0;
}

/*
 * Return the attr.config of an event of waits in the file. Stock perf 6.15 and newer decode RAW data of a
 * bpf-output event that is called offcpu-time as those that their own recorder writes.
 */
static u64 offcpu_config(const struct event_request *request)
{
	return request->is_off_cpu && request->has_wait_details ? PERF_COUNT_SW_CONTEXT_SWITCHES
								: PERF_COUNT_SW_BPF_OUTPUT;
}

static int recorder__prepare_off_cpu(struct recorder *r, struct err *err)
{
	bool has_stacks = r->kernel_events.evsels.nr;
	struct off_cpu_opts o = { .d = &r->files.intake.decoder,
				  .kernel = has_stacks ? &r->kernel_events : NULL,
				  .id_size = r->target.system_wide ? 0 : build__id_size(r->l),
				  .threshold = (u64)r->opts->off_cpu_thresh * 1000000 };
	int ret = 0;

	for (size_t i = 0; i < r->l->evsels.nr; i++) {
		struct evsel *e = r->l->evsels.v[i];

		if (!event_request__is_of_waits(e->request))
			continue;
		*(e->request->is_off_cpu ? &o.waits : e->request->is_waking ? &o.ended : &o.ready) = e;
	}
	if (!o.waits)
		return 0;
	if (o.ended)
		ret = waking_fields__read(&o.fields, err);
	if (ret)
		return ret;
	/* counters of whole CPUs do not start when a thread runs */
	if (r->target.tids.nr)
		o.meter = switch_cost__new(has_stacks ? &r->kernel_events : r->l);
	/* In the file, events have a type of their own, because their samples are waits, not switches. */
	for (size_t i = 0; i < r->l->evsels.nr; i++) {
		struct evsel *e = r->l->evsels.v[i];

		if (!event_request__is_of_waits(e->request))
			continue;
		e->attr.type = PERF_TYPE_SOFTWARE;
		e->attr.config = offcpu_config(e->request);
		e->attr.context_switch = 0;
	}
	r->files.intake.off_cpu = off_cpu__new(&o);
	return 0;
}

/* In the file, the samples of such events are spans: none is of a probe. */
static void recorder__describe_spans(struct recorder *r)
{
	for (size_t i = 0; i < r->l->evsels.nr; i++) {
		struct perf_event_attr *attr = &r->l->evsels.v[i]->attr;

		if (!r->l->evsels.v[i]->request->span)
			continue;
		*attr = (struct perf_event_attr){ .size = attr->size,
						  .type = PERF_TYPE_SOFTWARE,
						  .config = PERF_COUNT_SW_BPF_OUTPUT,
						  .sample_period = 1,
						  .sample_type = span_sample__fields(),
						  .read_format = attr->read_format,
						  .sample_id_all = attr->sample_id_all,
						  .use_clockid = attr->use_clockid,
						  .clockid = attr->clockid,
						  .disabled = attr->disabled };
	}
}

static void recorder__prepare_spans(struct recorder *r)
{
	struct span_pairs_opts o = { .l = r->l,
				     .counters = &r->counters,
				     .filter = r->files.intake.task_filter };

	for (size_t i = 0; i < r->l->evsels.nr; i++) {
		const struct span_spec *spec = r->l->evsels.v[i]->request->span;

		if (spec && !o.cost && spec->points.v[0].type != PERF_TYPE_TRACEPOINT)
			o.cost = span_cost__new(spec->points.v[0].type);
		if (spec && !o.stacks && r->attrs.chains.stack_copy)
			o.stacks = r->files.intake.probed_stacks =
				probed_stacks__new(r->kernel_events.evsels.nr ? &r->kernel_events : r->l);
	}
	if (evlist__has_span_points(r->l))
		r->files.intake.spans = span_pairs__new(&o);
}

/*
 * Clear inherit in the file: with sums in its samples, an event looks to readers like one that is not
 * inherited.
 */
static void recorder__prepare_read_sums(struct recorder *r)
{
	for (size_t i = 0; i < r->l->evsels.nr; i++) {
		struct evsel *e = r->l->evsels.v[i];

		e->request->sums_reads = e->attr.inherit && (e->attr.sample_type & PERF_SAMPLE_READ);
		if (e->request->sums_reads)
			e->attr.inherit = 0;
	}
}

/* Set up the intake. After this, the attrs are those of the file. */
static int recorder__prepare_intake(struct recorder *r, struct err *err)
{
	const struct shared_stacks_opts stacks = {
		.keeps_history = r->counters.flight_rings.nr,
		.kept = r->result->kept,
		.names_in_records = r->opts->slices || (r->opts->store_names && !r->result->kept)
	};
	int ret;

	recorder__prepare_read_sums(r);
	recorder__describe_spans(r);
	intake__init(&r->files.intake, r->l);
	ret = recorder__prepare_off_cpu(r, err);
	if (ret)
		return ret;
	if (r->kernel_events.evsels.nr) {
		r->files.intake.stack_samples =
			stack_samples__new(&r->kernel_events, unwind_arch__own(), &stacks);
		/* our own unwinder makes the chains, without the kernel's limit */
		r->files.intake.tally.max_frames = UINT64_MAX;
	} else if (!r->opts->threads && (stacks.kept || stacks.names_in_records)) {
		r->files.intake.java_names = java_names__new(r->l, &stacks);
	}
	if (probes__need_filter(r->l))
		r->files.intake.task_filter = task_filter__new(&r->target);
	recorder__prepare_spans(r);
	r->files.intake.watches = r->watches;
	r->files.intake.hidden.is_on = !r->target.system_wide;
	r->files.intake.own_pid = r->opts->exclude_self ? (u32)getpid() : 0;
	if (!r->opts->switch_output.is_on || r->target.system_wide)
		return 0;
	r->files.intake.tasks = &r->tasks;
	for (size_t i = 0; i < r->target.pids.nr && !r->opts->target.tids; i++)
		tasks__add(&r->tasks, r->target.pids.v[i]);
	return 0;
}

/* Choose how the rings are drained. No other code depends on the choice. */
static void recorder__choose_drain(struct recorder *r)
{
	const struct recorder_opts *o = r->opts;
	const struct drain from = { .counters = &r->counters,
				    .intake = &r->files.intake,
				    .affinity = &r->affinity };
	const struct lanes_opts lanes = { .dir = o->output,
					  .target = &r->target,
					  .kernel_events =
						  r->files.intake.stack_samples ? &r->kernel_events : NULL,
					  .write_buffer = o->write_buffer,
					  .compression = o->compression,
					  .viewers = r->files.output.opts.viewers };
	const struct relay_opts relay = { .kernel_events = &r->kernel_events,
					  .room = o->unwind_buffer,
					  .helpers = (unsigned)limits__nr_cpus() / HELPER_CPUS };

	if (o->threads)
		r->files.drain = lanes__new(&from, &lanes);
	else if (r->files.intake.stack_samples && !r->counters.flight_rings.nr)
		r->files.drain = relay__new(&from, &relay);
	else
		r->files.drain = plain_drain__new(&from);
}

static int recorder__settle_groups(struct recorder *r, bool *broke_up, struct err *err)
{
	int ret = counters__settle_groups(&r->counters, r->l, &r->target, broke_up, err);

	if (!ret && *broke_up)
		attr_opts__apply_broken_up(&r->attrs, r->l);
	if (!ret)
		counters__apply_missing(&r->counters, r->l);
	return ret;
}

/* Return how many rings the counters will have. */
static u64 nr_rings(const struct recorder *r)
{
	const struct target *t = &r->target;
	u64 nr = t->per_thread ? t->tids.nr : t->cpus.nr + t->side_band_cpus.nr;

	return attr_opts__overwrites(&r->attrs, r->l) ? 2 * nr : nr;
}

static u64 ring_bytes(const struct counters *c)
{
	u64 bytes = (c->rings.nr + c->flight_rings.nr) * mem__page_size();

	for (size_t i = 0; i < c->rings.nr; i++)
		bytes += c->rings.v[i].size;
	for (size_t i = 0; i < c->flight_rings.nr; i++)
		bytes += c->flight_rings.v[i].size;
	return bytes;
}

static int recorder__open_counters(struct recorder *r, struct recorder_trial *t, struct err *err)
{
	struct counters_settled settled;
	u32 pages = r->opts->pages;
	bool broke_up = false;
	int ret;

	limits__raise_nofile();
	if (r->attrs.chains.unwind && !attr_opts__overwrites(&r->attrs, r->l))
		stack_levels__fill(&r->counters.levels, r->attrs.chains.stack_copy,
				   !r->attrs.chains.copy_given);
	ret = counters__settle(&r->counters, r->l, &r->target, &settled, err);
	if (!ret)
		ret = recorder__settle_groups(r, &broke_up, err);
	if (!ret && r->attrs.span_ms)
		ret = flight_span__choose_pages(&pages, r->l, r->attrs.span_ms, r->attrs.chains.copy_given,
						err);
	if (!r->opts->pages_given && !r->attrs.span_ms)
		pages = ring_pages__limit(pages, nr_rings(r));
	if (!ret)
		ret = counters__open(&r->counters, r->l, &r->target, pages, err);
	*t = (struct recorder_trial){
		.user_only = settled.user_only,
		.fell_back = settled.fell_back,
		.broke_up = broke_up,
		.rings = (u32)(r->counters.rings.nr + r->counters.flight_rings.nr),
		.pages = r->counters.pages,
		.wanted_pages = pages,
		.descriptors = r->counters.v.nr,
		.ring_bytes = ring_bytes(&r->counters),
	};
	return ret;
}

/* The attrs of the file say which events vary, so they must not be opened again. */
static void recorder__prepare_vary(struct recorder *r)
{
	struct vary_opts o = { .max_freq = limits__max_sample_rate(),
			       /* the history of rates does not go back as far as these rings */
			       .keeps_rate = r->counters.flight_rings.nr,
			       .use_clockid = r->attrs.use_clockid,
			       .clockid = r->attrs.clockid };

	if (r->attrs.rate.fixed)
		return;
	if (getrandom(&o.seed, sizeof(o.seed), GRND_NONBLOCK) != sizeof(o.seed))
		o.seed = clock__ns() ^ (u64)getpid() << 32;
	r->vary = r->files.intake.vary = vary__new(&r->counters, r->l, &o);
	if (!r->vary)
		return;
	r->counters.set_rate = vary__set_again;
	r->counters.set_rate_arg = r->vary;
}

static void recorder__keep_files(struct recorder *r)
{
	size_t max = MIN(limits__raise_nofile() / 4, (u64)KEPT_MAX);

	r->result->kept = kept_files__new(max);
	r->files.output.opts.viewers.kept = r->result->kept;
	r->files.output.opts.viewers.jit = kept_jit__new(r->result->kept, max);
}

int recorder__set_up(struct recorder *r, char *const *argv, struct err *err)
{
	struct recorder_trial trial;
	int ret = target__init(&r->target, &r->opts->target, err);

	if (!ret)
		ret = recorder__prepare_workload(r, argv, err);
	if (!ret)
		ret = recorder__find_names(r, argv, err);
	if (ret)
		return ret;
	recorder__complete_attrs(r);
	ret = recorder__open_counters(r, &trial, err);
	if (ret)
		return ret;
	recorder__tell_trial(r, &trial);
	if (r->opts->switch_events)
		ret = triggers__open(&r->triggers, r->opts->switch_events, &r->target,
				     !r->opts->attrs.no_inherit, err);
	if (ret)
		return ret;
	if (r->watches)
		watches__place(r->watches, &r->counters);
	ret = event_filters__set(r->l, &r->counters, err);
	if (!ret && r->opts->attrs.chains.unwind)
		ret = recorder__prepare_unwinding(r, err);
	if (ret)
		return ret;
	if (r->opts->store_names && strcmp(r->opts->output, "-"))
		recorder__keep_files(r);
	r->files.output.opts.viewers.copies = text_copies__new();
	ret = recorder__prepare_intake(r, err);
	if (ret)
		return ret;
	recorder__prepare_vary(r);
	recorder__choose_drain(r);
	counters__note_cpus(&r->counters, &r->target);
	return 0;
}

int recorder__try(struct evlist *l, const struct recorder_opts *opts, struct recorder_trial *trial,
		  struct err *err)
{
	struct recorder r = { .opts = opts, .l = l };
	int ret = target__init(&r.target, &opts->target, err);

	*trial = (struct recorder_trial){ 0 };
	if (!ret) {
		if (r.target.is_workload)
			array__add(&r.target.tids, getpid());
		ret = recorder__find_names(&r, NULL, err);
	}
	if (!ret) {
		recorder__complete_attrs(&r);
		ret = recorder__open_counters(&r, trial, err);
	}
	watches__delete(r.watches);
	scope__exit(&r.scope);
	counters__exit(&r.counters);
	target__exit(&r.target);
	return ret;
}
