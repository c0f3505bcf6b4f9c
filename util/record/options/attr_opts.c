#include "record/options/attr_opts.h"

#include "event/evsel/event_request.h"
#include "format/records/abi.h"
#include "record/stacks/span_hits.h"
#include "record/stacks/wakings.h"

/* With modifier S only the leader samples; its samples hold the values of all members. */
static bool is_read_by_leader(const struct evsel *e, const struct evsel *leader)
{
	return leader->request->sample_read && leader->nr_members > 1 && leader != e;
}

static void apply_rate(const struct rate_opts *o, struct evsel *e, const struct evsel *leader)
{
	struct perf_event_attr *attr = &e->attr;

	if (o->no_samples ||
	    (is_read_by_leader(e, leader) && !e->request->own_period && !e->request->own_freq)) {
		attr->freq = 0;
		attr->sample_period = 0;
		return;
	}
	if (e->request->own_period || e->request->own_freq)
		return;
	if (attr->sample_period && !o->period && !o->freq_given)
		return; /* keep the event's default: breakpoints sample every access */
	attr->freq = !o->period;
	if (o->period)
		attr->sample_period = o->period;
	else
		attr->sample_freq = o->freq;
}

static bool is_software(const struct evsel *e, u64 config)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == config;
}

/* Return the sample fields that have an option of their own. All events get them. */
static u64 named_fields(const struct attr_opts *o)
{
	return o->fields.bits | (o->side_band.cgroups ? SAMPLE_CGROUP : 0);
}

static u64 sample_type(const struct attr_opts *o, const struct evsel *e, bool several)
{
	u64 type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | e->attr.sample_type;
	bool raw = o->fields.raw || is_software(e, PERF_COUNT_SW_BPF_OUTPUT);

	if (several)
		type |= PERF_SAMPLE_IDENTIFIER;
	if (e->attr.freq || o->fields.period)
		type |= PERF_SAMPLE_PERIOD;
	if (o->fields.cpu || raw)
		type |= PERF_SAMPLE_CPU;
	if (o->fields.addresses)
		type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (raw)
		type |= PERF_SAMPLE_RAW;
	if (e->request->sample_read)
		type |= PERF_SAMPLE_READ;
	type |= named_fields(o);
	if (e->request->terms.time == TERM_OFF)
		type &= ~(u64)PERF_SAMPLE_TIME;
	return type;
}

/* Set up call chains as the event itself asks for, or else as the options say. */
static void apply_call_graph(const struct callchain_opts *o, struct evsel *e)
{
	static const u64 lbr = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
			       PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | BRANCH_HW_INDEX;
	struct perf_event_attr *attr = &e->attr;
	enum term_call_graph mode = e->request->terms.call_graph;

	if (mode == CALL_GRAPH_NOT_GIVEN && o->is_on)
		mode = o->lbr ? CALL_GRAPH_LBR : o->stack_copy ? CALL_GRAPH_DWARF : CALL_GRAPH_FP;
	else if (mode == CALL_GRAPH_NOT_GIVEN && e->request->terms.max_stack)
		mode = CALL_GRAPH_FP;
	if (mode == CALL_GRAPH_NOT_GIVEN || mode == CALL_GRAPH_NO)
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = e->request->terms.max_stack;
	if (mode == CALL_GRAPH_DWARF) {
		u32 copy = o->stack_copy ? o->stack_copy : STACK_COPY_DEFAULT;

		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = o->user_regs;
		attr->sample_stack_user = e->request->terms.stack_size ? e->request->terms.stack_size : copy;
		attr->exclude_callchain_user |= !o->unwind;
	} else if (mode == CALL_GRAPH_LBR) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = lbr;
	} else if (o->leaf_regs && !attr->exclude_user && !attr->exclude_callchain_user) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = o->leaf_regs;
	}
}

/* Add the requested registers to those that the unwinder needs for stack copies. */
static void apply_registers(const struct field_opts *o, struct perf_event_attr *attr)
{
	if (o->user_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user |= o->user_regs;
	}
	if (o->intr_regs) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = o->intr_regs;
	}
}

/* Wakings are in the kernel, and registers tell the futex: --all-user and --all-kernel do not apply. */
static void apply_wait_details(struct evsel *e)
{
	struct perf_event_attr *attr = &e->attr;

	if (!e->request->has_wait_details)
		return;
	attr->sample_type |= PERF_SAMPLE_RAW | PERF_SAMPLE_ADDR;
	if (e->request->is_ready_time)
		return;
	attr->sample_type |= PERF_SAMPLE_REGS_USER;
	attr->sample_regs_user |= wakings__regs();
	if (e->request->is_waking)
		attr->exclude_kernel = attr->exclude_user = 0;
	if (e->request->wakes_everywhere)
		attr->inherit = 0;
}

/* Where a span begins or ends, the thread, the time and the stack are enough, whatever other samples have. */
static void apply_span(struct evsel *e)
{
	struct perf_event_attr *attr = &e->attr;

	if (!e->request->span)
		return;
	attr->sample_type = span_hit__fields();
	attr->sample_regs_user = span_hit__regs();
	attr->sample_stack_user = span_spec__returns(e->request->span) ? sizeof(u64) : 0;
	attr->sample_type |= attr->sample_stack_user ? PERF_SAMPLE_STACK_USER : 0;
	attr->sample_period = 1;
	attr->freq = 0;
	attr->exclude_user = 0;
	attr->exclude_kernel = e->request->watch != NULL;
	if (!e->request->watch)
		attr->inherit = 0;
}

static void apply_branches(const struct field_opts *o, struct perf_event_attr *attr)
{
	if (!o->branch_filter)
		return;
	attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	attr->branch_sample_type = o->branch_filter;
}

const char *callchain_opts__mode(const struct callchain_opts *o)
{
	if (!o->is_on)
		return NULL;
	if (o->stack_copy)
		return o->unwind ? "auto" : "dwarf";
	return o->lbr ? "lbr" : "fp";
}

/* Request the side-band, the records about address spaces and names. One event does that. */
static void apply_tracking(const struct side_band_opts *o, struct perf_event_attr *attr)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->mmap_data = o->data_maps;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->bpf_event = !o->no_bpf_events;
	attr->build_id = !o->no_build_ids && !o->ids_from_files;
	attr->namespaces = o->namespaces;
	attr->cgroup = o->cgroups;
	attr->context_switch |= o->switches;
}

/* Apply --all-user and --all-kernel, which override the event's modifiers. */
static void apply_levels(const struct attr_opts *o, struct perf_event_attr *attr)
{
	if (!o->all_user && !o->all_kernel)
		return;
	attr->exclude_kernel = o->all_user;
	attr->exclude_user = o->all_kernel;
}

static void apply_common(const struct attr_opts *o, struct perf_event_attr *attr)
{
	attr->size = PERF_ATTR_SIZE_VER7;
	attr->sample_id_all = 1;
	attr->use_clockid = o->use_clockid;
	attr->clockid = o->clockid;
	attr->inherit = !o->no_inherit && !o->per_thread;
	attr->read_format = PERF_FORMAT_ID | READ_FORMAT_LOST;
	attr->wakeup_events = o->no_buffering; /* 0: when the ring is half full */
}

/*
 * Give a member that does not sample the leader's sample fields. A read(2) of its values has the same
 * layout.
 */
static void apply_sample_of(const struct perf_event_attr *leader, struct perf_event_attr *attr)
{
	attr->sample_type = leader->sample_type;
	attr->sample_regs_user = leader->sample_regs_user;
	attr->sample_regs_intr = leader->sample_regs_intr;
	attr->sample_stack_user = leader->sample_stack_user;
	attr->branch_sample_type = leader->branch_sample_type;
	attr->sample_max_stack = leader->sample_max_stack;
}

/*
 * The leader enables the whole group. Values in samples belong to a thread if the event is inherited, and
 * otherwise to a CPU.
 */
static void apply_group(const struct attr_opts *o, const struct evlist *l, struct evsel *e)
{
	const struct evsel *leader = l->evsels.v[e->leader];

	if (e->request->sample_read && o->whole_cpus)
		e->attr.inherit = 0;
	if (leader->request->sample_read && leader->nr_members > 1)
		e->attr.read_format |= PERF_FORMAT_GROUP;
	if (is_read_by_leader(e, leader))
		apply_sample_of(&leader->attr, &e->attr);
	if (leader != e) {
		e->attr.disabled = 0;
		e->attr.enable_on_exec = 0;
	}
}

/*
 * Does e go to an overwritten ring, by its own term or the options? Waits, spans and probes of single
 * processes never do, because their samples must be processed in time order.
 */
static bool attr_opts__is_overwritten(const struct attr_opts *o, const struct evsel *e)
{
	if (event_request__is_of_waits(e->request) || event_request__is_everywhere(e->request) ||
	    e->request->span)
		return false;
	return e->request->terms.overwrite == TERM_ON ||
	       (o->overwrite && e->request->terms.overwrite != TERM_OFF);
}

bool attr_opts__overwrites(const struct attr_opts *o, const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (attr_opts__is_overwritten(o, l->evsels.v[i]))
			return true;
	return false;
}

static void apply_terms(struct evsel *e)
{
	struct perf_event_attr *attr = &e->attr;

	if (e->request->probe)
		/* inherited probes would make forks of the target fail: see record/target/task_filter.h */
		attr->inherit = 0;
	else if (e->request->terms.inherit)
		attr->inherit = e->request->terms.inherit == TERM_ON;
	if (e->request->terms.branch_filter) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = e->request->terms.branch_filter;
	}
}

static void apply_to_event(const struct attr_opts *o, struct evlist *l, struct evsel *e, bool several)
{
	struct perf_event_attr *attr = &e->attr;

	apply_common(o, attr);
	apply_levels(o, attr);
	apply_rate(&o->rate, e, l->evsels.v[e->leader]);
	attr->sample_type = sample_type(o, e, several);
	if (event_request__is_of_waits(e->request)) {
		attr->sample_type |= PERF_SAMPLE_PERIOD;
		if (!(attr->sample_type & SAMPLE_WEIGHT_STRUCT)) /* the number of waits in a sample */
			attr->sample_type |= PERF_SAMPLE_WEIGHT;
		attr->context_switch = e->request->is_off_cpu;
	}
	attr->disabled = 1;
	attr->enable_on_exec = o->enable_on_exec && (!e->request->watch || e->request->watch->is_absolute) &&
			       !event_request__is_everywhere(e->request);
	attr->write_backward = attr_opts__is_overwritten(o, e);
	attr->exclude_callchain_user = o->chains.no_user;
	attr->exclude_callchain_kernel = o->chains.no_kernel;
	apply_call_graph(&o->chains, e);
	apply_registers(&o->fields, attr);
	apply_wait_details(e);
	apply_branches(&o->fields, attr);
	attr->inherit_stat = o->fields.thread_stat;
	if (o->fields.thread_stat || o->fields.running_time)
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	apply_terms(e);
	apply_span(e);
	apply_group(o, l, e);
	e->attr_size = attr->size;
}

/* An S on one member applies to the whole group. */
static void spread_sample_read(struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		l->evsels.v[l->evsels.v[i]->leader]->request->sample_read |=
			l->evsels.v[i]->request->sample_read;
	for (size_t i = 0; i < l->evsels.nr; i++)
		l->evsels.v[i]->request->sample_read =
			l->evsels.v[l->evsels.v[i]->leader]->request->sample_read;
}

static void add_tracking_event(const struct attr_opts *o, struct evlist *l)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
	};

	if (o->fields.cpu || o->fields.raw)
		attr.sample_type |= PERF_SAMPLE_CPU;
	attr.sample_type |= named_fields(o); /* it takes no samples, but all records need these fields */
	apply_common(o, &attr);
	apply_levels(o, &attr);
	apply_tracking(&o->side_band, &attr);
	attr.disabled = o->side_band.on_exec;
	attr.enable_on_exec = o->side_band.on_exec;
	evlist__add_request(l, &attr, "dummy");
}

void attr_opts__apply(const struct attr_opts *o, struct evlist *l)
{
	bool several = l->evsels.nr > 1 || o->side_band.is_separate;

	spread_sample_read(l);
	for (size_t i = 0; i < l->evsels.nr; i++)
		apply_to_event(o, l, l->evsels.v[i], several);
	if (o->side_band.is_separate)
		add_tracking_event(o, l);
	else if (l->evsels.nr)
		apply_tracking(&o->side_band, &l->evsels.v[0]->attr);
}

void attr_opts__apply_broken_up(const struct attr_opts *o, struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];

		if (!e->request->was_broken_up)
			continue;
		e->request->sample_read = false;
		e->attr.sample_type &= ~(u64)PERF_SAMPLE_READ;
		if (!e->attr.sample_period && e->attr.type == PERF_TYPE_TRACEPOINT)
			e->attr.sample_period = 1;
		apply_to_event(o, l, e, true);
	}
}
