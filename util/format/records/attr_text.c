#include "format/records/attr_text.h"

#include "format/records/abi.h"

typedef unsigned long long ull;

struct bit_name {
	u8 bit;
	const char *name;
};

/* In the order in which they are shown. */
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

static void bits__add(const char *field, u64 value, const struct bit_name *names, size_t nr,
		      struct strbuf *out)
{
	const char *separator = "";

	if (!value)
		return;
	strbuf__addf(out, ", %s = ", field);
	for (size_t i = 0; i < nr; i++) {
		if (!(value >> names[i].bit & 1))
			continue;
		strbuf__addf(out, "%s%s", separator, names[i].name);
		separator = "|";
		value &= ~(1ull << names[i].bit);
	}
	if (value)
		strbuf__addf(out, "%s0x%llx", separator, (ull)value);
}

static void unsigned__add(const char *field, u64 value, struct strbuf *out)
{
	if (value)
		strbuf__addf(out, ", %s = %llu", field, (ull)value);
}

static void hex__add(const char *field, u64 value, struct strbuf *out)
{
	if (value)
		strbuf__addf(out, ", %s = 0x%llx", field, (ull)value);
}

/* The bit fields from the first on; headers may know fewer than the kernel that wrote the attr. */
static void flags__add(const struct perf_event_attr *attr, struct strbuf *out)
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

	/* They fill the word behind read_format. */
	__builtin_memcpy(&flags, (const u8 *)attr + offsetof(struct perf_event_attr, read_format) + 8,
			 sizeof(flags));
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		unsigned__add(fields[i].name, flags >> shift & ((1u << fields[i].width) - 1), out);
		shift += fields[i].width;
	}
}

void attr_text__add(const struct perf_event_attr *attr, u64 config3, struct strbuf *out)
{
	u64 sig_data;

	unsigned__add("type", attr->type, out);
	unsigned__add("size", attr->size, out);
	hex__add("config", attr->config, out);
	unsigned__add("{ sample_period, sample_freq }", attr->sample_period, out);
	bits__add("sample_type", attr->sample_type, sample_type_names, ARRAY_SIZE(sample_type_names), out);
	bits__add("read_format", attr->read_format, read_format_names, ARRAY_SIZE(read_format_names), out);
	flags__add(attr, out);
	unsigned__add("{ wakeup_events, wakeup_watermark }", attr->wakeup_events, out);
	unsigned__add("bp_type", attr->bp_type, out);
	hex__add("{ bp_addr, config1 }", attr->bp_addr, out);
	hex__add("{ bp_len, config2 }", attr->bp_len, out);
	bits__add("branch_sample_type", attr->branch_sample_type, branch_names, ARRAY_SIZE(branch_names),
		  out);
	hex__add("sample_regs_user", attr->sample_regs_user, out);
	unsigned__add("sample_stack_user", attr->sample_stack_user, out);
	if (attr->clockid)
		strbuf__addf(out, ", clockid = %d", attr->clockid);
	hex__add("sample_regs_intr", attr->sample_regs_intr, out);
	unsigned__add("aux_watermark", attr->aux_watermark, out);
	unsigned__add("sample_max_stack", attr->sample_max_stack, out);
	unsigned__add("aux_sample_size", attr->aux_sample_size, out);
	sig_data = attr->sig_data;
	unsigned__add("sig_data", sig_data, out);
	hex__add("config3", config3, out);
}
