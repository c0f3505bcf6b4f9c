#include "format/records/attr_text.h"

typedef unsigned long long ull;

struct field_writer {
	const char *is; /* between name and value */
	struct strbuf *out;
};

struct bit_name {
	u8 bit;
	const char *name;
};

/* Names in the order in which they are shown. */
static const struct bit_name sample_type_names[] = {
	{ 0, "IP" },
	{ 1, "TID" },
	{ 2, "TIME" },
	{ 3, "ADDR" },
	{ 4, "READ" },
	{ 5, "CALLCHAIN" },
	{ 6, "ID" },
	{ 7, "CPU" },
	{ 8, "PERIOD" },
	{ 9, "STREAM_ID" },
	{ 10, "RAW" },
	{ 11, "BRANCH_STACK" },
	{ 12, "REGS_USER" },
	{ 13, "STACK_USER" },
	{ 16, "IDENTIFIER" },
	{ 18, "REGS_INTR" },
	{ 15, "DATA_SRC" },
	{ 14, "WEIGHT" },
	{ 17, "TRANSACTION" },
	{ 19, "PHYS_ADDR" },
	{ 20, "AUX" },
	{ 21, "CGROUP" },
	{ 22, "DATA_PAGE_SIZE" },
	{ 23, "CODE_PAGE_SIZE" },
	{ 24, "WEIGHT_STRUCT" },
};
static const struct bit_name read_format_names[] = {
	{ 0, "TOTAL_TIME_ENABLED" }, { 1, "TOTAL_TIME_RUNNING" }, { 2, "ID" }, { 3, "GROUP" }, { 4, "LOST" },
};
static const struct bit_name branch_names[] = {
	{ 0, "USER" },       { 1, "KERNEL" },     { 2, "HV" },         { 3, "ANY" },
	{ 4, "ANY_CALL" },   { 5, "ANY_RETURN" }, { 6, "IND_CALL" },   { 7, "ABORT_TX" },
	{ 8, "IN_TX" },      { 9, "NO_TX" },      { 10, "COND" },      { 11, "CALL_STACK" },
	{ 12, "IND_JUMP" },  { 13, "CALL" },      { 14, "NO_FLAGS" },  { 15, "NO_CYCLES" },
	{ 16, "TYPE_SAVE" }, { 17, "HW_INDEX" },  { 18, "PRIV_SAVE" }, { 19, "COUNTERS" },
};

static void bits__add(const struct field_writer *w, const char *field, u64 value,
		      const struct bit_name *names, size_t nr)
{
	const char *separator = "";

	if (!value)
		return;
	strbuf__addf(w->out, ", %s%s", field, w->is);
	for (size_t i = 0; i < nr; i++) {
		if (!(value >> names[i].bit & 1))
			continue;
		strbuf__addf(w->out, "%s%s", separator, names[i].name);
		separator = "|";
		value &= ~(1ull << names[i].bit);
	}
	if (value)
		strbuf__addf(w->out, "%s0x%llx", separator, (ull)value);
}

static void unsigned__add(const struct field_writer *w, const char *field, u64 value)
{
	if (value)
		strbuf__addf(w->out, ", %s%s%llu", field, w->is, (ull)value);
}

static void hex__add(const struct field_writer *w, const char *field, u64 value)
{
	if (value)
		strbuf__addf(w->out, ", %s%s0x%llx", field, w->is, (ull)value);
}

/* The bit fields from the first on; headers may know fewer than the kernel that wrote the attr. */
static void flags__add(const struct field_writer *w, const struct perf_event_attr *attr)
{
	static const struct {
		const char *name;
		u8 width;
	} fields[] = {
		{ "disabled", 1 },
		{ "inherit", 1 },
		{ "pinned", 1 },
		{ "exclusive", 1 },
		{ "exclude_user", 1 },
		{ "exclude_kernel", 1 },
		{ "exclude_hv", 1 },
		{ "exclude_idle", 1 },
		{ "mmap", 1 },
		{ "comm", 1 },
		{ "freq", 1 },
		{ "inherit_stat", 1 },
		{ "enable_on_exec", 1 },
		{ "task", 1 },
		{ "watermark", 1 },
		{ "precise_ip", 2 },
		{ "mmap_data", 1 },
		{ "sample_id_all", 1 },
		{ "exclude_host", 1 },
		{ "exclude_guest", 1 },
		{ "exclude_callchain_kernel", 1 },
		{ "exclude_callchain_user", 1 },
		{ "mmap2", 1 },
		{ "comm_exec", 1 },
		{ "use_clockid", 1 },
		{ "context_switch", 1 },
		{ "write_backward", 1 },
		{ "namespaces", 1 },
		{ "ksymbol", 1 },
		{ "bpf_event", 1 },
		{ "aux_output", 1 },
		{ "cgroup", 1 },
		{ "text_poke", 1 },
		{ "build_id", 1 },
		{ "inherit_thread", 1 },
		{ "remove_on_exec", 1 },
		{ "sigtrap", 1 },
		{ "defer_callchain", 1 },
		{ "defer_output", 1 },
	};
	unsigned shift = 0;
	u64 flags;

	/* the flags fill the word after read_format */
	__builtin_memcpy(&flags, (const u8 *)attr + offsetof(struct perf_event_attr, read_format) + 8,
			 sizeof(flags));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		unsigned__add(w, fields[i].name, flags >> shift & ((1u << fields[i].width) - 1));
		shift += fields[i].width;
	}
}

static void attr__add(const struct perf_event_attr *attr, u64 config3, const char *is, struct strbuf *out)
{
	const struct field_writer writer = { is, out }, *w = &writer;
	u64 sig_data;

	unsigned__add(w, "type", attr->type);
	unsigned__add(w, "size", attr->size);
	hex__add(w, "config", attr->config);
	unsigned__add(w, "{ sample_period, sample_freq }", attr->sample_period);
	bits__add(w, "sample_type", attr->sample_type, sample_type_names, ARRAY_SIZE(sample_type_names));
	bits__add(w, "read_format", attr->read_format, read_format_names, ARRAY_SIZE(read_format_names));
	flags__add(w, attr);
	unsigned__add(w, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	unsigned__add(w, "bp_type", attr->bp_type);
	hex__add(w, "{ bp_addr, config1 }", attr->bp_addr);
	hex__add(w, "{ bp_len, config2 }", attr->bp_len);
	bits__add(w, "branch_sample_type", attr->branch_sample_type, branch_names, ARRAY_SIZE(branch_names));
	hex__add(w, "sample_regs_user", attr->sample_regs_user);
	unsigned__add(w, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid)
		strbuf__addf(out, ", clockid%s%d", is, attr->clockid);
	hex__add(w, "sample_regs_intr", attr->sample_regs_intr);
	unsigned__add(w, "aux_watermark", attr->aux_watermark);
	unsigned__add(w, "sample_max_stack", attr->sample_max_stack);
	unsigned__add(w, "aux_sample_size", attr->aux_sample_size);
	sig_data = attr->sig_data;
	unsigned__add(w, "sig_data", sig_data);
	hex__add(w, "config3", config3);
}

void attr_text__add(const struct perf_event_attr *attr, u64 config3, struct strbuf *out)
{
	attr__add(attr, config3, " = ", out);
}

static void trace_fields__add(struct trace_formats *formats, u64 config, struct strbuf *out)
{
	const struct trace_event *e = formats ? trace_formats__event(formats, config) : NULL;
	size_t nr = 0;
	const struct trace_field *fields = e ? trace_event__fields(e, &nr) : NULL;

	strbuf__addstr(out, fields ? ", trace_fields: " : ", (the recording has no format of it)");
	for (size_t i = 0; i < nr; i++) {
		strbuf__addstr(out, i ? "," : "");
		strbuf__add_masked(out, fields[i].name);
	}
}

/* Append ": " and the details of e that opts asks for, if any. */
static void evsel__add_details(const struct evsel *e, const struct evlist_text_opts *opts, struct strbuf *out)
{
	size_t start = out->len;

	if (opts->attrs)
		attr__add(&e->attr, e->config3, ": ", out);
	else if (opts->rates)
		strbuf__addf(out, ", sample_%s=%llu", e->attr.freq ? "freq" : "period",
			     (ull)e->attr.sample_period);
	if (opts->fields && e->attr.type == PERF_TYPE_TRACEPOINT)
		trace_fields__add(opts->formats, e->attr.config, out);
	else if (opts->fields)
		strbuf__addstr(out, ", (not a tracepoint)");
	if (out->len > start)
		out->buf[start] = ':';
}

void evlist_text__add(const struct evlist *l, const struct evlist_text_opts *opts, struct strbuf *out)
{
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i], *leader = l->evsels.v[e->leader];
		bool in_group = opts->groups && leader->nr_members > 1;

		if (in_group && e == leader) {
			strbuf__add_masked(out, leader->group_name ? leader->group_name : "");
			strbuf__addch(out, '{');
		}
		strbuf__add_masked(out, e->name);
		if (!opts->groups)
			evsel__add_details(e, opts, out);
		if (in_group && i + 1 < leader->idx + leader->nr_members)
			strbuf__addch(out, ',');
		else
			strbuf__addstr(out, in_group ? "}\n" : "\n");
	}
}
