/* The table of the fields of samples; see sample_field.h. */
#include "format/records/sample_field.h"

#include "base/memory/cursor.h"
#include "format/records/sample.h"
#include "format/records/sample_text.h"

#include <linux/perf_event.h>

typedef unsigned long long ull;

/* ---- fields of several words ---- */

void sample__read_counters(struct sample *s, struct cursor *c)
{
	u64 format = s->evsel->attr.read_format;
	bool group = format & PERF_FORMAT_GROUP;

	s->read.nr = 1;
	s->read.stride = 1;
	if (group)
		s->read.nr = cursor__u64(c);
	else
		s->read.values = cursor__bytes(c, 8);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		s->read.time_enabled = cursor__u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		s->read.time_running = cursor__u64(c);
	if (!group) {
		if (format & PERF_FORMAT_ID)
			s->read.id = cursor__u64(c);
		if (format & READ_FORMAT_LOST)
			s->read.lost = cursor__u64(c);
		return;
	}
	s->read.stride += !!(format & PERF_FORMAT_ID) + !!(format & READ_FORMAT_LOST);
	if (s->read.nr > cursor__left(c) / (8 * s->read.stride)) {
		c->bad = true;
		return;
	}
	s->read.values = cursor__bytes(c, 8 * s->read.nr * s->read.stride);
}

/* nr words, checked against what is left before anything is multiplied. */
static const u64 *cursor__words(struct cursor *c, u64 nr)
{
	if (nr > cursor__left(c) / 8) {
		c->bad = true;
		return NULL;
	}
	return cursor__bytes(c, nr * 8);
}

static void decode_raw(struct sample *s, struct cursor *c)
{
	s->raw_size = cursor__u32(c);
	s->raw = cursor__bytes(c, s->raw_size);
	if (!c->bad) /* the kernel pads; the fields after it are words */
		cursor__skip(c, MIN(-cursor__offset(c) & 7, cursor__left(c)));
}

static void decode_branches(struct sample *s, struct cursor *c)
{
	u64 type = s->evsel->attr.branch_sample_type;

	s->nr_branches = cursor__u64(c);
	s->has_hw_idx = type & BRANCH_HW_INDEX;
	if (s->has_hw_idx)
		s->hw_idx = cursor__u64(c);
	if (s->nr_branches > cursor__left(c) / 24) {
		c->bad = true;
		return;
	}
	s->branches = cursor__words(c, s->nr_branches * 3);
	if (type & BRANCH_COUNTERS)
		s->branch_counters = cursor__words(c, s->nr_branches);
}

static void decode_regs(struct cursor *c, u64 mask, u64 *abi, const u64 **regs)
{
	*abi = cursor__u64(c);
	if (*abi)
		*regs = cursor__words(c, (u64)__builtin_popcountll(mask));
}

static void decode_user_regs(struct sample *s, struct cursor *c)
{
	s->user_start = (u16)cursor__offset(c);
	decode_regs(c, s->evsel->attr.sample_regs_user, &s->user_regs_abi, &s->user_regs);
	s->user_end = (u16)cursor__offset(c);
}

static void decode_intr_regs(struct sample *s, struct cursor *c)
{
	decode_regs(c, s->evsel->attr.sample_regs_intr, &s->intr_regs_abi, &s->intr_regs);
}

static void decode_user_stack(struct sample *s, struct cursor *c)
{
	if (!s->user_start)
		s->user_start = (u16)cursor__offset(c);
	s->stack_size = cursor__u64(c);
	s->user_stack = cursor__bytes(c, s->stack_size); /* set even if it is empty */
	if (s->stack_size)
		s->stack_dyn_size = cursor__u64(c);
	s->stack_dyn_size = MIN(s->stack_dyn_size, s->stack_size);
	s->user_end = (u16)cursor__offset(c);
}

static void decode_aux(struct sample *s, struct cursor *c)
{
	s->aux_size = cursor__u64(c);
	s->aux = cursor__bytes(c, s->aux_size);
}

/* ---- values ---- */

#define VALUE(field, expression)                         \
	static u64 value_##field(const struct sample *s) \
	{                                                \
		return (expression);                     \
	}

VALUE(ip, s->ip)
VALUE(pid, s->pid)
VALUE(tid, s->tid)
VALUE(time, s->time)
VALUE(addr, s->addr)
VALUE(id, s->id)
VALUE(stream_id, s->stream_id)
VALUE(cpu, s->cpu)
VALUE(period, s->period)
VALUE(weight, sample__weight(s))
VALUE(ins_lat, sample__has_weights(s) ? s->weight >> 32 & 0xffff : 0)
VALUE(retire_lat, sample__has_weights(s) ? s->weight >> 48 : 0)
VALUE(data_src, s->data_src)
VALUE(mem_level, mem_part__value(MEM_LEVEL, s->data_src))
VALUE(mem_snoop, mem_part__value(MEM_SNOOP, s->data_src))
VALUE(mem_tlb, mem_part__value(MEM_TLB, s->data_src))
VALUE(mem_lock, mem_part__value(MEM_LOCK, s->data_src))
VALUE(mem_block, mem_part__value(MEM_BLOCK, s->data_src))
VALUE(mem_op, mem_kinds__value(MEM_OP_KINDS, s->data_src))
VALUE(mem_cache, mem_kinds__value(MEM_CACHE_KINDS, s->data_src))
VALUE(mem_memory, mem_kinds__value(MEM_MEMORY_KINDS, s->data_src))
VALUE(mem_dtlb, mem_kinds__value(MEM_DTLB_KINDS, s->data_src))
VALUE(transaction, s->transaction)
VALUE(phys_addr, s->phys_addr)
VALUE(cgroup, s->cgroup)
VALUE(data_page_size, s->data_page_size)
VALUE(code_page_size, s->code_page_size)
VALUE(parallelism, s->parallelism)
VALUE(cgroup_ns, s->cgroup_ns)
VALUE(waker, s->waker)
VALUE(lock, s->lock)
VALUE(holder, s->holder)

/* ---- texts ---- */

static void print_time(u64 ns, struct strbuf *out)
{
	strbuf__addf(out, "%llu.%06llu", (ull)ns / 1000000000, (ull)ns / 1000 % 1000000);
}

static void print_page_size(u64 size, struct strbuf *out)
{
	char buf[PAGE_SIZE_TEXT_MAX];

	strbuf__addstr(out, page_size__str(size, buf));
}

static void print_namespace(u64 value, struct strbuf *out)
{
	strbuf__addf(out, "%llu/0x%llx", (ull)value >> 32, (ull)value & UINT32_MAX);
}

#define MEM_PART_TEXT(part, id)                                 \
	static void print_##part(u64 value, struct strbuf *out) \
	{                                                       \
		mem_part__print((id), value, out);              \
	}
MEM_PART_TEXT(mem_level, MEM_LEVEL)
MEM_PART_TEXT(mem_snoop, MEM_SNOOP)
MEM_PART_TEXT(mem_tlb, MEM_TLB)
MEM_PART_TEXT(mem_lock, MEM_LOCK)
MEM_PART_TEXT(mem_block, MEM_BLOCK)

#define MEM_KINDS_TEXT(kinds, id)                                \
	static void print_##kinds(u64 value, struct strbuf *out) \
	{                                                        \
		mem_kinds__print((id), value, out);              \
	}
MEM_KINDS_TEXT(mem_op, MEM_OP_KINDS)
MEM_KINDS_TEXT(mem_cache, MEM_CACHE_KINDS)
MEM_KINDS_TEXT(mem_memory, MEM_MEMORY_KINDS)
MEM_KINDS_TEXT(mem_dtlb, MEM_DTLB_KINDS)

static void dump_weight(const struct sample *s, struct strbuf *out)
{
	if (sample__has_weights(s))
		strbuf__addf(out, "%llu,0x%llx,0x%llx", (ull)value_weight(s), (ull)value_ins_lat(s),
			     (ull)value_retire_lat(s));
	else
		strbuf__addf(out, "%llu", (ull)s->weight);
}

static void dump_transaction(const struct sample *s, struct strbuf *out)
{
	strbuf__addf(out, "%llx", (ull)s->transaction);
}

/* ---- the table ---- */

#define OF(member) .of = offsetof(struct sample, member)
#define HEAD(bit, member) .in = (bit), .head = offsetof(struct sample_layout, member) + 1
#define WORD(bits, member) .in = (bits), .word = offsetof(struct sample, member)
#define LIST(bit, function) .in = (bit), .type = FIELD_LIST, .decode = (function)
#define PART(types, member) .in = (types), OF(member)
enum { WEIGHTS = PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT };

const struct sample_field sample_fields[SAMPLE_FIELDS] = {
	[FIELD_IDENTIFIER] = { "identifier", HEAD(PERF_SAMPLE_IDENTIFIER, identifier), .value = value_id },
	[FIELD_IP] = { "ip", HEAD(PERF_SAMPLE_IP, ip), OF(ip), .type = FIELD_ADDRESS, .value = value_ip },
	[FIELD_PID] = { "pid", HEAD(PERF_SAMPLE_TID, tid), .type = FIELD_SIGNED, .value = value_pid },
	[FIELD_TID] = { "tid", .in = PERF_SAMPLE_TID, .type = FIELD_SIGNED, .value = value_tid },
	[FIELD_TIME] = { "time", HEAD(PERF_SAMPLE_TIME, time), OF(time), .unit = "ns", .value = value_time,
			 .print = print_time },
	[FIELD_ADDR] = { "addr", HEAD(PERF_SAMPLE_ADDR, addr), OF(addr), .type = FIELD_ADDRESS,
			 .value = value_addr },
	[FIELD_ID] = { "id", HEAD(PERF_SAMPLE_ID, id), .value = value_id },
	[FIELD_STREAM_ID] = { "stream_id", HEAD(PERF_SAMPLE_STREAM_ID, stream_id), .value = value_stream_id },
	[FIELD_CPU] = { "cpu", HEAD(PERF_SAMPLE_CPU, cpu), .type = FIELD_SIGNED, .value = value_cpu },
	[FIELD_PERIOD] = { "period", HEAD(PERF_SAMPLE_PERIOD, period), .value = value_period },

	/* in the fast path of sample.c */
	[FIELD_READ] = { "read", LIST(PERF_SAMPLE_READ, sample__read_counters) },
	[FIELD_CALLCHAIN] = { "callchain", LIST(PERF_SAMPLE_CALLCHAIN, NULL) },

	[FIELD_RAW] = { "raw", LIST(PERF_SAMPLE_RAW, decode_raw) },
	[FIELD_BRANCHES] = { "brstack", LIST(PERF_SAMPLE_BRANCH_STACK, decode_branches) },
	[FIELD_USER_REGS] = { "uregs", LIST(PERF_SAMPLE_REGS_USER, decode_user_regs) },
	[FIELD_USER_STACK] = { "ustack", LIST(PERF_SAMPLE_STACK_USER, decode_user_stack) },
	[FIELD_WEIGHT] = { "weight", WORD(WEIGHTS, weight), .unit = "cycles", .value = value_weight,
			   .dump = "... weight: ", .dump_value = dump_weight },
	[FIELD_INS_LAT] = { "ins_lat", PART(SAMPLE_WEIGHT_STRUCT, weight), .bits = 0xffffull << 32,
			    .unit = "cycles", .value = value_ins_lat },
	[FIELD_RETIRE_LAT] = { "retire_lat", PART(SAMPLE_WEIGHT_STRUCT, weight), .bits = 0xffffull << 48,
			       .unit = "cycles", .value = value_retire_lat },
	[FIELD_DATA_SRC] = { "data_src", WORD(PERF_SAMPLE_DATA_SRC, data_src), .type = FIELD_ADDRESS,
			     .value = value_data_src, .dump = " . data_src: " },
	[FIELD_MEM_LEVEL] = { "mem", PART(PERF_SAMPLE_DATA_SRC, data_src), .bits = MEM_LEVEL_BITS,
			      .type = FIELD_TEXT, .value = value_mem_level, .print = print_mem_level },
	[FIELD_MEM_SNOOP] = { "snoop", PART(PERF_SAMPLE_DATA_SRC, data_src), .bits = MEM_SNOOP_BITS,
			      .type = FIELD_TEXT, .value = value_mem_snoop, .print = print_mem_snoop },
	[FIELD_MEM_TLB] = { "tlb", PART(PERF_SAMPLE_DATA_SRC, data_src), .bits = MEM_TLB_BITS,
			    .type = FIELD_TEXT, .value = value_mem_tlb, .print = print_mem_tlb },
	[FIELD_MEM_LOCK] = { "locked", PART(PERF_SAMPLE_DATA_SRC, data_src), .bits = MEM_LOCK_BITS,
			     .type = FIELD_TEXT, .value = value_mem_lock, .print = print_mem_lock },
	[FIELD_MEM_BLOCK] = { "blocked", PART(PERF_SAMPLE_DATA_SRC, data_src), .bits = MEM_BLOCK_BITS,
			      .type = FIELD_TEXT, .value = value_mem_block, .print = print_mem_block },
	[FIELD_MEM_OP] = { "op", PART(PERF_SAMPLE_DATA_SRC, data_src), .type = FIELD_TEXT,
			   .value = value_mem_op, .print = print_mem_op },
	[FIELD_MEM_CACHE] = { "cache", PART(PERF_SAMPLE_DATA_SRC, data_src), .type = FIELD_TEXT,
			      .value = value_mem_cache, .print = print_mem_cache },
	[FIELD_MEM_MEMORY] = { "memory", PART(PERF_SAMPLE_DATA_SRC, data_src), .type = FIELD_TEXT,
			       .value = value_mem_memory, .print = print_mem_memory },
	[FIELD_MEM_DTLB] = { "dtlb", PART(PERF_SAMPLE_DATA_SRC, data_src), .type = FIELD_TEXT,
			     .value = value_mem_dtlb, .print = print_mem_dtlb },
	[FIELD_TRANSACTION] = { "transaction", WORD(PERF_SAMPLE_TRANSACTION, transaction), .type = FIELD_TEXT,
				.value = value_transaction, .print = transaction__print,
				.dump = "... transaction: ", .dump_value = dump_transaction,
				.dump_last = true },
	[FIELD_INTR_REGS] = { "iregs", LIST(PERF_SAMPLE_REGS_INTR, decode_intr_regs) },
	[FIELD_PHYS_ADDR] = { "phys_addr", WORD(PERF_SAMPLE_PHYS_ADDR, phys_addr), .type = FIELD_ADDRESS,
			      .value = value_phys_addr, .dump = " .. phys_addr: " },
	[FIELD_CGROUP] = { "cgroup", WORD(SAMPLE_CGROUP, cgroup), .value = value_cgroup },
	[FIELD_DATA_PAGE_SIZE] = { "data_page_size", WORD(SAMPLE_DATA_PAGE_SIZE, data_page_size),
				   .unit = "bytes", .value = value_data_page_size, .print = print_page_size,
				   .dump = " .. data page size: " },
	[FIELD_CODE_PAGE_SIZE] = { "code_page_size", WORD(SAMPLE_CODE_PAGE_SIZE, code_page_size),
				   .unit = "bytes", .value = value_code_page_size, .print = print_page_size,
				   .dump = " .. code page size: " },
	[FIELD_AUX] = { "aux", LIST(PERF_SAMPLE_AUX, decode_aux) },
	[FIELD_WAKER] = { "waker", OF(waker), .value = value_waker },
	[FIELD_LOCK] = { "lock", OF(lock), .value = value_lock },
	[FIELD_HOLDER] = { "holder", OF(holder), .value = value_holder },
	[FIELD_PARALLELISM] = { "parallelism", OF(parallelism), .value = value_parallelism },
	[FIELD_CGROUP_NS] = { "cgroup_ns", OF(cgroup_ns), .type = FIELD_TEXT, .value = value_cgroup_ns,
			      .print = print_namespace },
};

u64 sample_field__bits(const struct sample_field *f, u64 sample_type)
{
	if (f == &sample_fields[FIELD_WEIGHT] && (sample_type & WEIGHTS) == SAMPLE_WEIGHT_STRUCT)
		return UINT32_MAX; /* three numbers, of which it is the first */
	return f->bits ? f->bits : UINT64_MAX;
}

void sample_field__print(const struct sample_field *f, u64 value, struct strbuf *out)
{
	if (f->print)
		f->print(value, out);
	else if (f->type == FIELD_ADDRESS)
		strbuf__addf(out, "0x%llx", (ull)value);
	else if (f->type == FIELD_SIGNED)
		strbuf__addf(out, "%d", (int)(u32)value);
	else
		strbuf__add_number(out, value);
}

u32 sample_fields__tail(u64 sample_type)
{
	u32 tail = 0;

	for (size_t i = FIELD_TAIL; i < SAMPLE_FIELDS; i++)
		if (sample_type & sample_fields[i].in && (sample_fields[i].word || sample_fields[i].decode))
			tail |= 1u << (i - FIELD_TAIL);
	return tail;
}
