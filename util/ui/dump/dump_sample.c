/* PERF_RECORD_SAMPLE as text: a line, then lines for each variable field. */
#include "ui/dump/dump_record_private.h"

#include "event/evsel/reg_names.h"
#include "format/records/sample_field.h"
#include "ui/dump/dump_text.h"

#include <linux/perf_event.h>

typedef unsigned long long ull;

enum {
	LINE_MAX_NUMBERS = 256,
	CHAIN_LINE = 48, /* "..... 10: ", 16 digits, newline; the index may be long */
	BRANCH_LINE = 128,
};

static char *put_index(char *p, u64 i)
{
	p = put_text(p, "..... ");
	if (i < 10)
		*p++ = ' ';
	p = put_dec(p, i);
	return put_text(p, ": ");
}

static char *put_chain_line(char *p, u64 i, u64 ip)
{
	p = put_index(p, i);
	p = put_hex16(p, ip);
	*p++ = '\n';
	return p;
}

static void add_heading(struct strbuf *out, const char *name, u64 nr)
{
	char *p = strbuf__begin(out, LINE_MAX_NUMBERS);

	p = put_str(p, name);
	p = put_dec(p, nr);
	*p++ = '\n';
	strbuf__end(out, p);
}

/*
 * The addresses of a call stack that the CPU recorded as branches: the target of the last call, then the
 * origins of all.
 */
static char *put_callstack(char *p, const struct sample *s, u64 i)
{
	p = put_chain_line(p, i++, s->branches[1]);
	for (u64 b = 0; b < s->nr_branches; b++)
		p = put_chain_line(p, i++, s->branches[3 * b]);
	return p;
}

/* The kernel's part of the chain, and the branches in place of the user's part. */
static void add_lbr_chain(struct strbuf *out, const struct sample *s)
{
	u64 kernel = 0;
	char *p;

	while (kernel < s->nr_callchain && s->callchain[kernel] != PERF_CONTEXT_USER)
		kernel++;
	if (kernel == s->nr_callchain || !s->nr_branches)
		return;
	kernel++;
	add_heading(out, "... LBR call chain: nr:", kernel + 1 + s->nr_branches);
	p = strbuf__begin(out, (kernel + 1 + s->nr_branches) * CHAIN_LINE);
	for (u64 i = 0; i < kernel; i++)
		p = put_chain_line(p, i, s->callchain[i]);
	strbuf__end(out, put_callstack(p, s, kernel));
}

static void add_chain(struct strbuf *out, const struct sample *s)
{
	char *p;

	if (evsel__has_lbr_chains(s->evsel))
		add_lbr_chain(out, s);
	add_heading(out, "... FP chain: nr:", s->nr_callchain);
	p = strbuf__begin(out, s->nr_callchain * CHAIN_LINE);
	for (u64 i = 0; i < s->nr_callchain; i++)
		p = put_chain_line(p, i, s->callchain[i]);
	strbuf__end(out, p);
}

enum { BRANCH_TYPE_EXTENDED = 15 };

const char *branch_flags__type(u64 flags)
{
	static const char *const names[] = { "",         "COND", "UNCOND",  "IND",    "CALL",
					     "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
					     "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX" };
	static const char *const new_names[] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
						 "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5" };
	unsigned type = flags >> BRANCH_TYPE_SHIFT & 15, new_type = flags >> BRANCH_NEW_TYPE_SHIFT & 15;

	if (type != BRANCH_TYPE_EXTENDED)
		return names[type];
	return new_type < ARRAY_SIZE(new_names) ? new_names[new_type] : "(null)";
}

static char *put_branch(char *p, u64 i, const u64 *b)
{
	u64 flags = b[2];

	p = put_index(p, i);
	p = put_hex16(p, b[0]);
	p = put_text(p, " -> ");
	p = put_hex16(p, b[1]);
	*p++ = ' ';
	p = put_dec(p, flags >> BRANCH_CYCLES_SHIFT & 0xffff);
	p = put_text(p, " cycles ");
	*p++ = flags & BRANCH_MISPREDICTED ? 'M' : ' ';
	*p++ = flags & BRANCH_PREDICTED ? 'P' : ' ';
	*p++ = flags & BRANCH_ABORT ? 'A' : ' ';
	*p++ = flags & BRANCH_IN_TX ? 'T' : ' ';
	*p++ = ' ';
	p = put_hex(p, flags >> BRANCH_RESERVED_SHIFT);
	*p++ = ' ';
	p = put_str(p, branch_flags__type(flags));
	*p++ = '\n';
	return p;
}

static void add_branches(struct strbuf *out, const struct sample *s)
{
	char *p;

	if (evsel__has_lbr_chains(s->evsel)) {
		add_heading(out, "... branch callstack: nr:", s->nr_branches + 1);
		if (!s->nr_branches)
			return;
		p = strbuf__begin(out, (s->nr_branches + 1) * CHAIN_LINE);
		p = put_callstack(p, s, 0);
	} else {
		add_heading(out, "... branch stack: nr:", s->nr_branches);
		p = strbuf__begin(out, s->nr_branches * BRANCH_LINE);
		for (u64 i = 0; i < s->nr_branches; i++)
			p = put_branch(p, i, s->branches + 3 * i);
	}
	strbuf__end(out, p);
}

/* regs: unaligned, if a hostile stack of odd size precedes them. */
static void add_regs(const struct dump_line *l, const char *whose, u64 mask, u64 abi, const void *regs)
{
	static const char *const abis[] = { "none", "32-bit", "64-bit" };
	const u8 *r = regs;
	char *p;
	u64 value;

	if (!regs)
		return;
	strbuf__addf(l->out, "... %s regs: mask 0x%llx ABI %s\n", whose, (ull)mask,
		     abi < ARRAY_SIZE(abis) ? abis[abi] : "unknown");
	for (; mask; mask &= mask - 1, r += sizeof(value)) {
		const char *name = reg_names__name(l->worker->format->regs, (unsigned)__builtin_ctzll(mask));
		size_t len = strlen(name);

		p = strbuf__begin(l->out, LINE_MAX_NUMBERS);
		p = put_text(p, ".... ");
		p = put_bytes(p, name, len);
		for (; len < 5; len++)
			*p++ = ' ';
		p = put_text(p, " 0x");
		memcpy(&value, r, sizeof(value));
		p = put_hex16(p, value);
		*p++ = '\n';
		strbuf__end(l->out, p);
	}
}

/* Add the lines of fields that have one word. */
static void add_words(const struct sample *s, bool last, struct strbuf *out)
{
	for (u32 left = s->layout->tail; left; left &= left - 1) {
		const struct sample_field *f = &sample_fields[FIELD_TAIL + __builtin_ctz(left)];

		if (!f->dump || f->dump_last != last)
			continue;
		strbuf__addstr(out, f->dump);
		if (f->dump_value)
			f->dump_value(s, out);
		else
			sample_field__print(f, f->value(s), out);
		strbuf__addch(out, '\n');
	}
}

static void add_read_value(struct strbuf *out, const struct sample *s, u64 value, u64 id, u64 lost)
{
	u64 format = s->evsel->attr.read_format;

	strbuf__addstr(out, "..... ");
	if (format & PERF_FORMAT_ID)
		strbuf__addf(out, "id %016llx, ", (ull)id);
	strbuf__addf(out, "value %016llx", (ull)value);
	if (format & READ_FORMAT_LOST)
		strbuf__addf(out, ", lost %llu", (ull)lost);
	strbuf__addch(out, '\n');
}

static void add_read(struct strbuf *out, const struct sample *s)
{
	u64 format = s->evsel->attr.read_format;
	bool has_id = format & PERF_FORMAT_ID, has_lost = format & READ_FORMAT_LOST;
	const u64 *v = s->read.values;

	strbuf__addstr(out, "... sample_read:\n");
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		strbuf__addf(out, "...... time enabled %016llx\n", (ull)s->read.time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		strbuf__addf(out, "...... time running %016llx\n", (ull)s->read.time_running);
	if (!(format & PERF_FORMAT_GROUP)) {
		add_read_value(out, s, v[0], s->read.id, s->read.lost);
		return;
	}
	strbuf__addf(out, ".... group nr %llu\n", (ull)s->read.nr);
	for (u64 i = 0; i < s->read.nr; i++, v += s->read.stride)
		add_read_value(out, s, v[0], has_id ? v[1] : 0, has_lost ? v[1 + has_id] : 0);
}

static void add_fields(const struct dump_line *l, const struct sample *s)
{
	const struct perf_event_attr *attr = &s->evsel->attr;
	struct strbuf *out = l->out;
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_CALLCHAIN)
		add_chain(out, s);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		add_branches(out, s);
	if (type & PERF_SAMPLE_REGS_USER)
		add_regs(l, "user", attr->sample_regs_user, s->user_regs_abi, s->user_regs);
	if (type & PERF_SAMPLE_REGS_INTR)
		add_regs(l, "intr", attr->sample_regs_intr, s->intr_regs_abi, s->intr_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		strbuf__addf(out, "... ustack: size %llu, offset 0x%x\n", (ull)s->stack_dyn_size,
			     (unsigned)((const u8 *)s->user_stack - (const u8 *)l->header - sizeof(u64)));
	add_words(s, false, out);
	add_words(s, true, out);
	if (type & PERF_SAMPLE_READ)
		add_read(out, s);
}

static const char *place__dso(const struct session *session, const struct thread_state *t, u32 rank,
			      const struct sample *s)
{
	const struct machine *m = &session->machine;
	struct dso_addr addr;

	if (!machine__resolve(m, t->maps, rank, s->cpumode, s->ip, &addr))
		return addr.level == 'k' || addr.level == '.' ? "<not found>" : "[hypervisor]";
	return dso__long_name(&m->dsos, m->dsos.v.v[addr.dso]);
}

/* comm NULL: unknown. */
static char *put_place(char *p, const char *comm, u32 tid, const char *dso)
{
	p = put_text(p, " ... thread: ");
	if (comm)
		p = put_masked(p, comm);
	else
		p = put_signed(put_text(p, ":"), (s32)tid);
	*p++ = ':';
	p = put_signed(p, (s32)tid);
	p = put_text(p, "\n ...... dso: ");
	p = put_masked(p, dso);
	*p++ = '\n';
	return p;
}

static void add_place_text(struct dump_worker *w, const char *comm, u32 tid, const char *dso,
			   struct strbuf *out)
{
	struct dump_place *place = &w->places[(tid ^ (uintptr_t)dso >> 3) % ARRAY_SIZE(w->places)];
	char *p = strbuf__begin(out, sizeof(place->text)), *end;

	if (place->dso == dso && place->comm == comm && place->tid == tid) {
		memcpy(p, place->text, sizeof(place->text)); /* a constant size, for the compiler */
		strbuf__end(out, p + place->len);
		return;
	}
	p = strbuf__begin(out, LINE_MAX_NUMBERS + (comm ? strlen(comm) : 0) + strlen(dso));
	end = put_place(p, comm, tid, dso);
	strbuf__end(out, end);
	if ((size_t)(end - p) > sizeof(place->text))
		return;
	*place = (struct dump_place){ .comm = comm, .dso = dso, .tid = tid, .len = (u8)(end - p) };
	memcpy(place->text, p, place->len);
}

/* The sample's thread and dso. */
static void add_place(const struct dump_line *l, const struct sample *s, bool has_tid)
{
	const struct session *session = l->worker->format->session;
	struct machine_cursor *cursor = &l->worker->cursor;
	u32 pid = has_tid ? s->pid : UINT32_MAX, tid = has_tid ? s->tid : UINT32_MAX;
	const struct thread_state *t;
	const char *comm = NULL;

	machine_cursor__seek(cursor, session__time(session, s, &l->item->r->record));
	t = machine_cursor__thread(cursor, pid, tid);
	if (t->comm != COMM_UNKNOWN && t->named <= cursor->rank)
		comm = machine__str(&session->machine, t->comm);
	add_place_text(l->worker, comm, tid, place__dso(session, t, cursor->rank, s), l->out);
}

bool dump_sample__print(const struct dump_line *l)
{
	const struct sample *s = l->sample;
	bool has_tid = s->layout->tid != SAMPLE_NO_FIELD;
	char *p = strbuf__begin(l->out, LINE_MAX_NUMBERS);

	p = put_text(p, "(IP, ");
	p = put_text(p, "0x");
	p = put_hex(p, l->header->misc);
	p = put_text(p, "): ");
	p = put_signed(p, has_tid ? (s32)s->pid : -1);
	*p++ = '/';
	p = put_signed(p, has_tid ? (s32)s->tid : -1);
	p = put_text(p, ": ");
	p = put_0x(p, s->ip);
	p = put_text(p, " period: ");
	p = put_dec(p, s->period);
	p = put_text(p, " addr: ");
	p = put_0x(p, s->addr);
	*p++ = '\n';
	strbuf__end(l->out, p);
	add_fields(l, s);
	for (u32 i = 0; i < l->item->nr; i++)
		add_place(l, s, has_tid);
	return true;
}
