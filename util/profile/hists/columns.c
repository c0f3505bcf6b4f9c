/* The sort keys and values; see layout.h. */
#include "profile/hists/columns_private.h"

#include "format/records/sample_field.h"
#include "format/records/sample_text.h"
#include "profile/hists/column_json.h"

#include <string.h>

/* ---- keys that are numbers, or identified by one ---- */

static unsigned value_identity(const struct column *c, const struct view *v, const struct hist_entry *e,
			       u64 *words)
{
	words[0] = c->value(c, v, e);
	return 1;
}

int smaller_first(const struct column *c, struct view *v, const struct hist_entry *a,
		  const struct hist_entry *b)
{
	s64 x = (s64)c->value(c, v, a), y = (s64)c->value(c, v, b);

	return x < y ? -1 : x > y;
}

int larger_first(const struct column *c, struct view *v, const struct hist_entry *a,
		 const struct hist_entry *b)
{
	u64 x = c->value(c, v, a), y = c->value(c, v, b);

	return x > y ? -1 : x < y;
}

/* ---- texts ---- */

/* Append a name from a file, without control characters and separators. */
void add_text(const struct cell *c, const char *text, int width, int max)
{
	const char *sep = c->style->separator;
	struct strbuf *sb = c->sb;
	size_t start = sb->len, len;

	strbuf__add_masked(sb, text);
	len = sb->len - start;
	if (max >= 0 && len > (size_t)max)
		strbuf__setlen(sb, start + (size_t)max);
	for (size_t i = start; sep && i < sb->len; i++)
		if (sb->buf[i] == *sep)
			sb->buf[i] = '.';
	len = sb->len - start;
	if (width > 0 && len < (size_t)width)
		strbuf__addchars(sb, ' ', (size_t)width - len);
}

void cell__pad(const struct cell *c, size_t start)
{
	size_t len = c->sb->len - start;

	if (c->width > 0 && len < (size_t)c->width)
		strbuf__addchars(c->sb, ' ', (size_t)c->width - len);
}

int text_compare(const struct column *c, struct view *v, const struct hist_entry *a,
		 const struct hist_entry *b)
{
	return strcmp(c->text(c, v, a), c->text(c, v, b));
}

static unsigned text_room(const struct column *c, struct view *v, const struct hist_entry *e)
{
	return (unsigned)strlen(c->text(c, v, e));
}

static void print_text(const struct cell *c)
{
	add_text(c, c->column->text(c->column, c->v, c->e), 0, c->width);
}

/* ---- the table; an ambiguous prefix of a name means the first match ---- */

#define NUMBER(value_of, compare_as, print_as) \
	.value = (value_of), .identity = value_identity, .compare = (compare_as), .print = (print_as)
#define OF_SAMPLE(id) .field = &sample_fields[id]
#define FIELD(id, compare_as, print_as) \
	.of_sample = true, OF_SAMPLE(id), NUMBER(word_value, compare_as, print_as)
#define DSO(end_of, compare_as, room_of)                                                       \
	.end = (end_of), .identity = dso_identity, .compare = (compare_as), .room = (room_of), \
	.print = print_dso, .json = json_dso
#define SYMBOL(end_of, compare_as)                                                                  \
	.end = (end_of), .identity = symbol_identity, .compare = (compare_as), .room = symbol_room, \
	.print = print_symbol, .json = json_symbol
#define ADDRESS_SYMBOL(end_of, id)                                                 \
	.end = (end_of), .room = address_symbol_room, .json = json_address_symbol, \
	FIELD((id), addresses_compare, print_address_symbol)
#define END_ADDRESS(end_of)                                                                           \
	.width = UNRESOLVED_WIDTH + 6, .exact_ends = true, .end = (end_of),                           \
	.identity = end_address_identity, .compare = end_address_compare, .print = print_end_address, \
	.json = json_end_address
#define TEXT(value_of, text_of)                                                                      \
	.value = (value_of), .text = (text_of), .identity = value_identity, .compare = text_compare, \
	.room = text_room, .print = print_text
#define SOURCE(end_of, value_of) .lines = true, .end = (end_of), TEXT(value_of, source_text)
#define STAT(field, least_width, compare_as, what)                                                  \
	.width = (least_width), .stat = offsetof(struct hist_stat, field), .compare = (compare_as), \
	.print = print_##what, .json = json_##what
#define SUM(id, sum_of) .field = &sample_fields[id], .sum = (sum_of)
#define WEIGHT(id, i) SUM(id, sum_words), STAT(weights[i], 8, average_compare, average)

#define DIVIDED(id, nr) \
	OF_SAMPLE(id), .nr_parts = (nr), .compare = always_equal, .print = print_parts, .json = json_parts

#define TIME(value_of)                                                                           \
	.waits = true, .times = true, .width = 10, .value = (value_of), .compare = larger_first, \
	.print = print_time_sum

const struct column columns[] = {
	{ .name = "pid",
	  .header = "    Pid:Command",
	  .of_sample = true,
	  .split = PROFILE_SPLIT_THREAD,
	  .room = tid_room,
	  NUMBER(entry_tid, smaller_first, print_tid),
	  .json = json_thread },
	{ .name = "comm",
	  .header = "Command",
	  .of_sample = true,
	  .filter_name = "comm",
	  .room = comm_room,
	  NUMBER(entry_comm, comm_compare, print_comm),
	  .json = json_comm },
	{ .name = "dso",
	  .header = "Shared Object",
	  .filter_name = "dso",
	  DSO(entry_itself, dso_compare, dso_room) },
	{ .name = "symbol",
	  .header = "Symbol",
	  .filter_name = "symbol",
	  .collapse = symbol_collapse,
	  SYMBOL(entry_itself, symbol_compare) },
	{ .name = "cpu",
	  .header = "CPU",
	  .of_sample = true,
	  .split = PROFILE_SPLIT_CPU,
	  NUMBER(entry_cpu, smaller_first, print_cpu) },
	{ .name = "socket",
	  .header = "Socket",
	  .of_sample = true,
	  .split = PROFILE_SPLIT_CPU,
	  NUMBER(entry_socket, smaller_first, print_socket) },
	{ .name = "overhead", .header = "Overhead", STAT(period, 8, stat_compare, share) },
	{ .name = "overhead_children",
	  .header = "Children",
	  STAT(period_children, 8, children_compare, children) },
	{ .name = "overhead_sys", .header = "sys", STAT(period_sys, 8, stat_compare, share) },
	{ .name = "overhead_us", .header = "usr", STAT(period_user, 8, stat_compare, share) },
	{ .name = "overhead_guest_sys",
	  .header = "guest sys",
	  STAT(period_guest_sys, 9, stat_compare, share) },
	{ .name = "overhead_guest_us",
	  .header = "guest usr",
	  STAT(period_guest_user, 9, stat_compare, share) },
	{ .name = "sample", .header = "Samples", STAT(nr, 12, stat_compare, sum) },
	{ .name = "period", .header = "Period", STAT(period, 12, stat_compare, sum) },
	{ .name = "latency",
	  .header = "Latency",
	  SUM(FIELD_PARALLELISM, sum_latency),
	  STAT(latency, 8, stat_compare, share_of_sum) },
	{ .name = "latency_children",
	  .header = "Latency",
	  .of_callees = true,
	  SUM(FIELD_PARALLELISM, sum_latency),
	  STAT(latency_children, 7, stat_compare, share_of_sum) },
	{ .name = "tid",
	  .header = "    Tid:Command",
	  .of_sample = true,
	  .split = PROFILE_SPLIT_THREAD,
	  .room = tid_room,
	  NUMBER(entry_tid, smaller_first, print_tid),
	  .json = json_thread },

	{ .name = "local_weight", .header = "Local Weight", FIELD(FIELD_WEIGHT, larger_first, print_field) },
	{ .name = "weight",
	  .header = "Weight",
	  .width = 12,
	  FIELD(FIELD_WEIGHT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "weight1", .header = "Weight1", WEIGHT(FIELD_WEIGHT, 0) },
	{ .name = "weight2", .header = "Weight2", WEIGHT(FIELD_INS_LAT, 1) },
	{ .name = "weight3", .header = "Weight3", WEIGHT(FIELD_RETIRE_LAT, 2) },
	{ .name = "parent",
	  .header = "Parent symbol",
	  .needs.parent = true,
	  .value = entry_parent,
	  .text = parent_text,
	  .identity = value_identity,
	  .compare = parent_compare,
	  .room = text_room,
	  .print = print_text },
	{ .name = "transaction",
	  .header = "Transaction",
	  .room = transaction_room,
	  FIELD(FIELD_TRANSACTION, larger_first, print_field) },
	{ .name = "cgroup",
	  .header = "Cgroup",
	  OF_SAMPLE(FIELD_CGROUP),
	  .room = text_room,
	  .text = cgroup_text,
	  NUMBER(word_value, smaller_first, print_text) },
	{ .name = "cgroup_id",
	  .header = "cgroup id (dev/inode)",
	  FIELD(FIELD_CGROUP_NS, larger_first, print_field) },
	{ .name = "ipc_null",
	  .header = "IPC   [IPC Coverage]",
	  NUMBER(no_value, smaller_first, print_no_ipc),
	  .json = json_null },
	{ .name = "time",
	  .header = "Time",
	  .width = 12,
	  .room = time_room,
	  FIELD(FIELD_TIME, smaller_first, print_time) },
	{ .name = "code_page_size",
	  .header = "Code Page Size",
	  FIELD(FIELD_CODE_PAGE_SIZE, larger_first, print_field) },
	{ .name = "local_ins_lat",
	  .header = "Local INSTR Latency",
	  FIELD(FIELD_INS_LAT, larger_first, print_field) },
	{ .name = "ins_lat",
	  .header = "INSTR Latency",
	  FIELD(FIELD_INS_LAT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "local_p_stage_cyc",
	  .header = "Local Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_field) },
	{ .name = "p_stage_cyc",
	  .header = "Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "local_retire_lat",
	  .header = "Local Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_field) },
	{ .name = "retire_lat",
	  .header = "Retire Latency",
	  FIELD(FIELD_RETIRE_LAT, larger_first, print_number_sum),
	  .json = json_number_sum },
	{ .name = "parallelism",
	  .header = "Parallelism",
	  FIELD(FIELD_PARALLELISM, smaller_first, print_parallelism) },
	{ .name = "tgid",
	  .header = "   Tgid:Command",
	  .of_sample = true,
	  .split = PROFILE_SPLIT_THREAD,
	  .room = tgid_room,
	  NUMBER(entry_tgid, smaller_first, print_tgid),
	  .json = json_process },
	{ .name = "comm_nodigit",
	  .header = "CommandNoDigit",
	  .identity = nodigit_identity,
	  .compare = nodigit_compare,
	  .room = nodigit_room,
	  .print = print_nodigit,
	  .json = json_nodigit },
	{ .name = "addr",
	  .header = "Address",
	  .width = UNRESOLVED_WIDTH + 2,
	  FIELD(FIELD_IP, addresses_compare, print_address) },
	{ .name = "symbol_daddr",
	  .header = "Data Symbol",
	  .data = true,
	  ADDRESS_SYMBOL(entry_data, FIELD_ADDR) },
	{ .name = "dso_daddr",
	  .header = "Data Object",
	  .data = true,
	  OF_SAMPLE(FIELD_ADDR),
	  DSO(entry_data, end_dso_compare, data_dso_room) },
	/* before locked, which begins with it */
	{ .name = "lock",
	  .header = "Lock",
	  .waits = true,
	  .field = &sample_fields[FIELD_LOCK],
	  TEXT(entry_lock, lock_text) },
	{ .name = "locked", .header = "Locked", FIELD(FIELD_MEM_LOCK, smaller_first, print_field) },
	{ .name = "tlb",
	  .header = "TLB access",
	  .width = 22,
	  FIELD(FIELD_MEM_TLB, smaller_first, print_field) },
	{ .name = "mem",
	  .header = "Memory access",
	  .width = 24,
	  FIELD(FIELD_MEM_LEVEL, smaller_first, print_field) },
	{ .name = "snoop",
	  .header = "Snoop",
	  .width = 12,
	  FIELD(FIELD_MEM_SNOOP, smaller_first, print_field) },
	{ .name = "blocked",
	  .header = "Blocked",
	  .width = 10,
	  FIELD(FIELD_MEM_BLOCK, smaller_first, print_field) },
	{ .name = "dcacheline",
	  .header = "Data Cacheline",
	  .data = true,
	  .end = entry_data,
	  OF_SAMPLE(FIELD_ADDR),
	  .identity = cacheline_identity,
	  .compare = cacheline_compare,
	  .room = address_symbol_room,
	  .print = print_cacheline,
	  .json = json_cacheline },
	{ .name = "symbol_iaddr", .header = "Code Symbol", ADDRESS_SYMBOL(entry_itself, FIELD_IP) },
	{ .name = "phys_daddr",
	  .header = "Data Physical Address",
	  .width = UNRESOLVED_WIDTH + 6,
	  FIELD(FIELD_PHYS_ADDR, addresses_compare, print_phys_addr) },
	{ .name = "data_page_size",
	  .header = "Data Page Size",
	  .width = UNRESOLVED_WIDTH + 6,
	  FIELD(FIELD_DATA_PAGE_SIZE, larger_first, print_field) },
	{ .name = "op", .header = "Mem Op", DIVIDED(FIELD_MEM_OP, NR_MEM_OP_KINDS) },
	{ .name = "cache", .header = "Cache", DIVIDED(FIELD_MEM_CACHE, NR_MEM_CACHE_KINDS) },
	{ .name = "memory", .header = "Memory", DIVIDED(FIELD_MEM_MEMORY, NR_MEM_MEMORY_KINDS) },
	{ .name = "dtlb", .header = "D-TLB", DIVIDED(FIELD_MEM_DTLB, NR_MEM_DTLB_KINDS) },

	{ .name = "dso_from",
	  .header = "Source Shared Object",
	  .branch = true,
	  DSO(branch_from, end_dso_compare, end_dso_room) },
	{ .name = "dso_to",
	  .header = "Target Shared Object",
	  .branch = true,
	  DSO(branch_to, end_dso_compare, end_dso_room) },
	{ .name = "symbol_from",
	  .header = "Source Symbol",
	  .branch = true,
	  SYMBOL(branch_from, end_symbol_compare) },
	{ .name = "symbol_to",
	  .header = "Target Symbol",
	  .branch = true,
	  SYMBOL(branch_to, end_symbol_compare) },
	{ .name = "addr_from", .header = "Source Address", .branch = true, END_ADDRESS(branch_from) },
	{ .name = "addr_to", .header = "Target Address", .branch = true, END_ADDRESS(branch_to) },
	{ .name = "mispredict",
	  .header = "Branch Mispredicted",
	  .branch = true,
	  .split = PROFILE_SPLIT_PREDICTION,
	  NUMBER(branch_prediction, larger_first, print_prediction),
	  .json = json_prediction },
	{ .name = "abort",
	  .header = "Transaction abort",
	  .branch = true,
	  .split = PROFILE_SPLIT_ABORT,
	  NUMBER(branch_abort, larger_first, print_abort),
	  .json = json_flag },
	{ .name = "in_tx",
	  .header = "Branch in transaction",
	  .branch = true,
	  .split = PROFILE_SPLIT_IN_TX,
	  NUMBER(branch_in_tx, larger_first, print_in_tx),
	  .json = json_flag },
	{ .name = "cycles",
	  .header = "Basic Block Cycles",
	  .branch = true,
	  .split = PROFILE_SPLIT_CYCLES,
	  NUMBER(branch_cycles, larger_first, print_cycles),
	  .json = json_known_number },
	{ .name = "ipc_lbr",
	  .header = "IPC   [IPC Coverage]",
	  .branch = true,
	  .needs.ipc = true,
	  NUMBER(no_value, smaller_first, print_ipc),
	  .json = json_ipc },

	{ .name = "callchain_branch_predicted",
	  .header = "Predicted",
	  STAT(predicted, 9, stat_compare, predicted) },
	{ .name = "callchain_branch_abort", .header = "Abort", STAT(aborted, 5, stat_compare, aborted) },
	{ .name = "callchain_branch_cycles",
	  .header = "Cycles",
	  STAT(cycles, 6, stat_compare, chain_cycles) },

	{ .name = "trace", .header = "Trace output", TEXT(trace_value, trace_text) },

	{ .name = "symoff",
	  .header = "Symbol Offset",
	  .exact = true,
	  .end = entry_itself,
	  .identity = end_address_identity,
	  .compare = symbol_offset_compare,
	  .room = symbol_offset_room,
	  .print = print_symbol_offset,
	  .json = json_symbol_offset },
	{ .name = "symbol_size",
	  .header = "Symbol size",
	  NUMBER(entry_symbol_size, smaller_first, print_symbol_size),
	  .json = json_known_number },
	{ .name = "dso_size",
	  .header = "DSO size",
	  .needs.map_sizes = true,
	  NUMBER(entry_map_size, smaller_first, print_map_size),
	  .json = json_known_number },
	{ .name = "srcline", .header = "Source:Line", SOURCE(entry_itself, place_line) },
	{ .name = "srcfile", .header = "Source File", SOURCE(entry_itself, place_file) },
	{ .name = "srcline_from",
	  .header = "From Source:Line",
	  .branch = true,
	  SOURCE(branch_from, place_line) },
	{ .name = "srcline_to", .header = "To Source:Line", .branch = true, SOURCE(branch_to, place_line) },

	{ .name = "wait", .header = "Wait", .waits = true, TEXT(entry_wait, wait_text) },
	{ .name = "waker",
	  .header = "Waker",
	  .waits = true,
	  .field = &sample_fields[FIELD_WAKER],
	  TEXT(entry_waker, waker_text) },
	{ .name = "holder",
	  .header = "Holder",
	  .waits = true,
	  .field = &sample_fields[FIELD_HOLDER],
	  TEXT(entry_lock, lock_text) },
	{ .name = "on_cpu", .header = "On CPU", TIME(time_on_cpu) },
	{ .name = "waiting", .header = "Waiting", TIME(time_waiting) },
	{ .name = "self_time", .header = "Self", TIME(time_self) },
};

/* clang-format off */
static const char *const names_of_stock[] = {
	"type", "typeoff", "typecln", "simd",
};
/* clang-format on */
const struct word_list column_names = WORD_LIST("key", columns, WORDS_ANY_CASE | WORDS_BEGINNINGS);
const struct word_list column_names__of_stock =
	WORD_LIST("key", names_of_stock, WORDS_ANY_CASE | WORDS_BEGINNINGS);
