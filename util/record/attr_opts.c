#include "record/attr_opts.h"

#include "format/abi.h"

static void apply_rate(const struct attr_opts *o, struct evsel *e)
{
	struct perf_event_attr *attr = &e->attr;

	if (o->no_samples) {
		attr->freq = 0;
		attr->sample_period = 0;
		return;
	}
	if (e->own_period || e->own_freq)
		return;
	if (attr->sample_period && !o->period && !o->freq_given)
		return; /* the event's own default: every touch of a breakpoint */
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

static u64 sample_type(const struct attr_opts *o, const struct evsel *e, bool several)
{
	u64 type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	bool raw = o->raw || is_software(e, PERF_COUNT_SW_BPF_OUTPUT);

	if (several)
		type |= PERF_SAMPLE_IDENTIFIER;
	if (e->attr.freq || o->want_period)
		type |= PERF_SAMPLE_PERIOD;
	if (o->cpu || raw)
		type |= PERF_SAMPLE_CPU;
	if (o->addresses)
		type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (raw)
		type |= PERF_SAMPLE_RAW;
	if (o->callchains)
		type |= PERF_SAMPLE_CALLCHAIN;
	if (o->callchains && o->stack_copy)
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	return type;
}

/* The side-band: what happens to address spaces and names. One event asks for it. */
static void apply_tracking(const struct attr_opts *o, struct perf_event_attr *attr)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->mmap_data = attr_opts__wants_data_maps(o);
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->bpf_event = !o->no_bpf_events;
	attr->build_id = !o->no_build_ids;
}

static void apply_common(const struct attr_opts *o, struct perf_event_attr *attr)
{
	attr->size = PERF_ATTR_SIZE_VER7;
	attr->sample_id_all = 1;
	attr->inherit = !o->no_inherit && !o->per_thread;
	attr->read_format = PERF_FORMAT_ID | READ_FORMAT_LOST;
}

static void apply_to_event(const struct attr_opts *o, struct evsel *e, bool several)
{
	struct perf_event_attr *attr = &e->attr;

	apply_common(o, attr);
	apply_rate(o, e);
	attr->sample_type = sample_type(o, e, several);
	if (e->is_off_cpu) {
		attr->sample_type |= PERF_SAMPLE_PERIOD;
		attr->context_switch = 1;
	}
	attr->disabled = 1;
	attr->enable_on_exec = o->enable_on_exec;
	attr->exclude_callchain_user = o->no_user_callchains;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER) {
		attr->exclude_callchain_user |= !o->unwind;
		attr->sample_stack_user = o->stack_copy;
		attr->sample_regs_user = o->user_regs;
	}
	attr->exclude_callchain_kernel = o->no_kernel_callchains;
	if (o->thread_stat) {
		attr->inherit_stat = 1;
		attr->read_format |= PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	}
	e->attr_size = attr->size;
}

static void add_tracking_event(const struct attr_opts *o, struct evlist *l)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER,
	};

	if (o->cpu || o->raw)
		attr.sample_type |= PERF_SAMPLE_CPU;
	apply_common(o, &attr);
	apply_tracking(o, &attr);
	attr.disabled = o->tracking_on_exec;
	attr.enable_on_exec = o->tracking_on_exec;
	evlist__add(l, &attr, attr.size, "dummy");
}

void attr_opts__apply(const struct attr_opts *o, struct evlist *l)
{
	bool several = l->evsels.nr > 1 || o->separate_tracking;

	for (size_t i = 0; i < l->evsels.nr; i++)
		apply_to_event(o, l->evsels.v[i], several);
	if (o->separate_tracking)
		add_tracking_event(o, l);
	else if (l->evsels.nr)
		apply_tracking(o, &l->evsels.v[0]->attr);
}
