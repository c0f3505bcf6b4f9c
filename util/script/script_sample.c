/* A sample as text: what its line begins with, its call chain, and fields of one word. */
#include "script/script_private.h"

#include "format/records/sample_field.h"
#include "profile/rows/sample_row.h"
#include "ui/dump/dump_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { START_MAX_NUMBERS = 256 };

const char *script_worker__comm(const struct script_worker *w, const struct thread_state *t)
{
	if (t->comm == COMM_UNKNOWN || t->named > w->cursor.rank)
		return NULL;
	return machine__str(&w->script->session->machine, t->comm);
}

/* ---- which samples ---- */

/* Is the address, or the function that it is in, among those of -S? As in stock perf, names come first. */
static bool script__wants_place(const struct script *s, const struct frame_at *at, u64 ip)
{
	u64 range = s->args->addr_range;

	if (!sample_filter__wants_dso(&s->filter, &s->session->machine.dsos, at->dso))
		return false;
	if (sample_filter__wants_symbol(&s->filter, at->symbol))
		return true;
	for (size_t i = 0; i < s->addrs.nr; i++) {
		u64 addr = s->addrs.v[i];

		if (addr == ip || (at->start && addr == at->start) ||
		    (range && ip >= addr && ip - addr <= range))
			return true;
	}
	return false;
}

static bool script_sample__has_lock(const struct script_sample *x)
{
	const struct script *s = x->worker->script;
	const struct lock_wait *w = locks__find(&s->locks, &x->s);

	return sample_filter__wants_lock(&s->filter, w ? locks__text(&s->locks, w->lock) : "");
}

static bool script_sample__is_wanted(const struct script_sample *x)
{
	const struct script *s = x->worker->script;
	const struct sample_filter *f = &s->filter;
	char buf[16];
	const char *comm = x->comm;
	struct row_space space;
	struct frame_at at;

	if (f->cpus.nr && !int_list__has(&f->cpus, (int)x->s.cpu))
		return false;
	if (f->has_times && !time_spans__has(&f->time_spans, x->s.time))
		return false;
	if (f->has_spans && !span_choice__find(&f->spans, x->s.tid, x->s.time))
		return false;
	if (!comm) {
		snprintf(buf, sizeof(buf), ":%d", (s32)x->s.tid);
		comm = buf;
	}
	if (!sample_filter__wants_thread(f, comm, x->s.pid, x->s.tid) ||
	    !sample_filter__wants_event(f, x->s.evsel->name))
		return false;
	if (f->locks.given && !script_sample__has_lock(x))
		return false;
	if (!f->dsos.given && !f->symbols.given)
		return true;
	space = script_sample__space(x, x->s.cpumode);
	at = frame_namer__at(x->worker->texts.namer, &space, x->s.ip);
	return script__wants_place(s, &at, x->s.ip);
}

/* ---- decoding ---- */

struct row_space script_sample__space(const struct script_sample *x, u8 cpumode)
{
	return row_space__make(&x->worker->script->session->machine, &x->key, x->worker->cursor.rank,
			       cpumode);
}

/* Make the chain of the calls in the branch stack, and with --stitch-lbr of those in earlier ones. */
static void script_sample__take_calls(struct script_sample *x)
{
	struct sample s = x->s;

	if (x->worker->script->args->stitches) {
		s.branches = x->calls;
		s.nr_branches = x->nr_calls;
	}
	unwound__add_lbr_chain(&x->worker->unwound, &s, false);
	x->s.callchain = s.callchain;
	x->s.nr_callchain = s.nr_callchain;
}

/* Replace the chain of the sample by a better one, if it has the data for it. */
static void script_sample__unwind(struct script_sample *x)
{
	struct script_worker *w = x->worker;
	u64 type = x->s.evsel->attr.sample_type;

	if (!w->script->has_chains)
		return;
	if (unwound__is_wanted(type))
		unwound__add_chain(&w->unwound, &x->s, x->thread->maps, w->cursor.rank);
	else if (unwound__may_lack_caller(type))
		unwound__add_caller(&w->unwound, &x->s, x->thread->maps, w->cursor.rank);
	else if (x->s.nr_branches) /* without calls, the recorded chain has the place of the sample */
		script_sample__take_calls(x);
}

static bool script_sample__decode(struct script_sample *x, const struct record *r)
{
	const struct script *s = x->worker->script;
	const struct evlist *l = &s->session->reader->evlist;

	if (sample__decode(&s->session->decoder, r, &x->s))
		return false;
	if (x->item->nr) { /* one counter of several: see script__look_at */
		x->s.evsel = l->evsels.v[x->item->nr - 1];
		x->s.period = x->item->value;
	}
	if (x->s.layout->tid == SAMPLE_NO_FIELD)
		x->s.pid = x->s.tid = UINT32_MAX;
	return s->only_event == UINT32_MAX || s->only_event == x->s.evsel->idx;
}

bool script_sample__begin(struct script_sample *x, struct script_worker *w, const struct dump_item *item)
{
	struct session *session = w->script->session;
	const struct record *r = &item->r->record;

	x->worker = w;
	x->item = item;
	if (!script_sample__decode(x, r))
		return false;
	if (w->script->args->stitches) {
		struct sample s = x->s; /* its own branch stack stays as it was recorded */

		lbr_chains__complete(&w->stitches, &s);
		x->calls = s.branches;
		x->nr_calls = s.nr_branches;
	}
	x->fields = w->script->fields[x->s.evsel->idx];
	if (!x->fields)
		return false;
	machine_cursor__seek(&w->cursor, session__time(session, &x->s, r));
	x->thread = machine_cursor__thread(&w->cursor, x->s.pid, x->s.tid);
	x->comm = script_worker__comm(w, x->thread);
	x->key = sample__row_key(&x->s, x->thread, &w->cursor, &session->machine);
	return script_sample__is_wanted(x);
}

/* ---- the beginning ---- */

/* Mostly a few: writes at least SPACES, which is one instruction; there is room for START_MAX_NUMBERS. */
static char *put_spaces(char *p, size_t nr)
{
	enum { SPACES = 16 };

	memset(p, ' ', SPACES);
	if (unlikely(nr > SPACES))
		memset(p, ' ', nr);
	return p + nr;
}

/* A number, right-aligned. */
static char *put_wide(char *p, u64 x, unsigned width)
{
	unsigned nr = x < 10 ? 1 : nr_digits(x);

	return put_dec_digits(put_spaces(p, nr < width ? width - nr : 0), x, nr);
}

static char *put_wide_signed(char *p, s32 x, unsigned width)
{
	if (x >= 0)
		return put_wide(p, (u64)x, width);
	return p + sprintf(p, "%*d", (int)width, x);
}

/* Seconds and micro- or nanoseconds. */
static char *put_time(char *p, u64 ns, bool nanoseconds)
{
	u64 fraction = nanoseconds ? ns % 1000000000 : ns / 1000 % 1000000;
	unsigned width = nanoseconds ? 9 : 6;

	p = put_wide(p, ns / 1000000000, 5);
	/* an even number of digits, the first of which is a zero in the place of the dot */
	put_digits(p + 1 - width % 2, fraction, width + width % 2);
	*p = '.';
	return put_text(p + 1 + width, ": ");
}

static char *put_comm(char *p, const struct script_start *b, bool is_short)
{
	char buf[16];
	const char *comm = b->comm;

	if (!comm) {
		snprintf(buf, sizeof(buf), ":%d", (s32)b->thread);
		comm = buf;
	}
	if (is_short) {
		size_t len = strnlen(comm, 8);

		p = put_bytes(put_spaces(p, 8 - len), comm, len);
		mask_controls(p - len, len, NULL);
		*p++ = ' ';
		return p;
	}
	if (b->wide && strlen(comm) < 16)
		p = put_spaces(p, 16 - strlen(comm));
	p = put_masked(p, comm);
	*p++ = ' ';
	return p;
}

static char *put_ids(char *p, const struct script_start *b)
{
	bool pid = b->fields & OUT(PID), tid = b->fields & OUT(TID);

	if (pid && tid)
		return p + sprintf(p, "%5d/%-5d ", (s32)b->pid, (s32)b->tid);
	if (!pid && !tid)
		return p;
	p = put_wide_signed(p, (s32)(pid ? b->pid : b->tid), 5);
	*p++ = ' ';
	return p;
}

static char *put_cpu(char *p, u32 cpu, bool is_short)
{
	if (is_short)
		return put_text(put_wide(p, cpu, 3), " ");
	*p++ = '[';
	for (u32 x = 100; x > 1 && cpu < x; x /= 10)
		*p++ = '0';
	p = put_dec(p, cpu);
	return put_text(p, "] ");
}

/* Letters for the bits of a record's misc: the CPU's mode, and what they mean for its type. */
static char *put_misc(char *p, const struct perf_event_header *h)
{
	static const char modes[8] = { ' ', 'K', 'U', 'H', 'G', 'g', ' ', ' ' };
	u8 mode = h->misc & MISC_CPUMODE_MASK;
	char *start = p;

	if (mode)
		*p++ = modes[mode];
	if (h->type == PERF_RECORD_MMAP && h->misc & PERF_RECORD_MISC_MMAP_DATA)
		*p++ = 'M';
	if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC)
		*p++ = 'E';
	if ((h->type == PERF_RECORD_SWITCH || h->type == PERF_RECORD_SWITCH_CPU_WIDE) &&
	    h->misc & PERF_RECORD_MISC_SWITCH_OUT) {
		*p++ = 'S';
		if (h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			*p++ = 'p';
	}
	return put_spaces(p, 6 - (size_t)(p - start));
}

void script__add_start(const struct script *s, const struct script_start *b, struct strbuf *out)
{
	char *p = strbuf__begin(out, START_MAX_NUMBERS + (b->comm ? strlen(b->comm) : 0));

	if (b->fields & OUT(COMM))
		p = put_comm(p, b, s->args->latency_format);
	if (b->fields & (OUT(PID) | OUT(TID)))
		p = put_ids(p, b);
	if (b->fields & OUT(CPU))
		p = put_cpu(p, b->cpu, s->args->latency_format);
	if (b->fields & OUT(MISC))
		p = put_misc(p, b->header);
	if (b->fields & OUT(TIME))
		p = put_time(p, b->time, s->args->nanoseconds);
	strbuf__end(out, p);
}

/* ---- call chains ---- */

static unsigned frame_form(u64 fields)
{
	return (fields & OUT(IP) ? FRAME_ADDR : 0) | (fields & OUT(SYM) ? FRAME_SYM : 0) |
	       (fields & OUT(SYMOFF) ? FRAME_SYM_OFFSET : 0) | (fields & OUT(DSO) ? FRAME_DSO : 0) |
	       (fields & OUT(DSOFF) ? FRAME_DSO | FRAME_DSO_OFFSET : 0) |
	       (fields & OUT(SRCLINE) ? FRAME_SRCLINE : 0);
}

/* Append the text of an address alone. */
static void add_place(struct script_sample *x, const struct row_space *space, u64 ip, unsigned form)
{
	const struct frame_text *text = frame_texts__get(&x->worker->texts, space, ip, (u16)form);
	char *p = strbuf__begin(x->out, text->len + FRAME_TEXT_BLOCK);

	strbuf__end(x->out, frame_text__put(p, text));
}

/* An unknown mark is an address that was read from something else than a frame pointer. */
static bool chain__is_valid(const struct sample *s)
{
	const u64 *chain = s->callchain;

	for (u64 i = 0, nr = s->nr_callchain; i < nr; i++)
		if (chain[i] >= PERF_CONTEXT_MAX && callchain__cpumode(chain[i]) == CPUMODE_UNKNOWN)
			return false;
	return true;
}

/* Append lines for the addresses of the chain. */
static void script_sample__add_chain(struct script_sample *x)
{
	struct frame_texts *texts = &x->worker->texts;
	const u16 first = (u16)(frame_form(x->fields) | FRAME_LINE), caller = first | FRAME_CALLER;
	unsigned left = x->worker->script->args->max_stack;
	struct row_space space = script_sample__space(x, PERF_RECORD_MISC_USER);
	const u64 *chain = x->s.callchain, *end = chain + x->s.nr_callchain;
	char *p = strbuf__begin(x->out, 0), *limit = x->out->buf + x->out->alloc;
	u16 form = first;

	if (!chain__is_valid(&x->s))
		return;
	for (; chain < end && left; chain++) {
		const struct frame_text *text;

		if (unlikely(*chain >= PERF_CONTEXT_MAX)) {
			space = script_sample__space(x, callchain__cpumode(*chain));
			form = first;
			continue;
		}
		text = frame_texts__get(texts, &space, *chain, form);
		if (unlikely(limit - p <= (ptrdiff_t)text->len + FRAME_TEXT_BLOCK)) {
			strbuf__end(x->out, p);
			p = strbuf__begin(x->out, text->len + FRAME_TEXT_BLOCK);
			limit = x->out->buf + x->out->alloc;
		}
		p = frame_text__put(p, text);
		if (text->is_last)
			break;
		form = caller;
		left--;
	}
	strbuf__end(x->out, p);
}

static void script_sample__add_ip(struct script_sample *x)
{
	struct row_space space;

	if (x->worker->script->has_chains && x->s.callchain) {
		strbuf__addch(x->out, '\n');
		script_sample__add_chain(x);
		return;
	}
	strbuf__addch(x->out, ' ');
	space = script_sample__space(x, x->s.cpumode);
	add_place(x, &space, x->s.ip, frame_form(x->fields));
}

/* ---- fields after the event's name ---- */

/* The text of a tracepoint's payload. */
static void script_sample__add_trace(const struct script_sample *x)
{
	struct trace_formats *formats = x->worker->formats;
	struct trace_event *e = formats ? trace_formats__event(formats, x->s.evsel->attr.config) : NULL;
	size_t start = x->out->len;

	if (!e || !x->s.raw)
		return;
	trace_event__print(e, x->s.raw, x->s.raw_size, false, x->out);
	mask_controls(x->out->buf + start, x->out->len - start, NULL);
}

static void add_wide(struct strbuf *out, u64 x)
{
	strbuf__end(out, put_wide(strbuf__begin(out, START_MAX_NUMBERS), x, 16));
}

static void add_wide_hex(struct strbuf *out, u64 x)
{
	strbuf__addf(out, "%16llx", (unsigned long long)x);
}

/* Is the address that of data which has a symbol, or code? As in stock perf. */
static bool attr__addr_has_symbol(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       (attr->config == PERF_COUNT_SW_PAGE_FAULTS || attr->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		attr->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ);
}

static void script_sample__add_addr(struct script_sample *x)
{
	u64 addr = x->s.addr;
	struct row_space space = script_sample__space(x, addr__is_kernel(addr) ? PERF_RECORD_MISC_KERNEL
									       : PERF_RECORD_MISC_USER);

	if (!attr__addr_has_symbol(&x->s.evsel->attr)) {
		add_wide_hex(x->out, addr);
		return;
	}
	add_place(x, &space, addr,
		  FRAME_ADDR | (frame_form(x->fields) &
				(FRAME_SYM | FRAME_SYM_OFFSET | FRAME_DSO | FRAME_DSO_OFFSET)));
}

/* data_src in hexadecimal, and its parts as words. */
static void script_sample__add_data_src(const struct script_sample *x)
{
	static const struct {
		const char *before;
		enum sample_field_id id;
	} parts[] = { { "|LVL ", FIELD_MEM_LEVEL },
		      { "|SNP ", FIELD_MEM_SNOOP },
		      { "|TLB ", FIELD_MEM_TLB },
		      { "|LCK ", FIELD_MEM_LOCK },
		      { "|BLK ", FIELD_MEM_BLOCK } };
	static const char *const ops[] = { "No", "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };
	u64 src = x->s.data_src, op = src & 0x1f;
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(&text, "|OP %s", ops[ffs((int)op)]);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct sample_field *f = &sample_fields[parts[i].id];

		strbuf__addstr(&text, parts[i].before);
		sample_field__print(f, f->value(&x->s), &text);
	}
	strbuf__addf(x->out, "%16llx %-40s", (unsigned long long)src, text.buf);
	strbuf__exit(&text);
}

static void script_sample__add_cgroup(const struct script_sample *x)
{
	const char *path = machine__cgroup(&x->worker->script->session->machine, x->s.cgroup);

	strbuf__addch(x->out, ' ');
	strbuf__add_masked(x->out, path ? path : "unknown");
}

static void script_sample__add_locks(const struct script_sample *x)
{
	const struct locks *l = &x->worker->script->locks;
	const struct lock_wait *w = locks__find(l, &x->s);
	const struct {
		u64 field;
		const char *name;
		u32 text;
	} rows[] = { { OUT(LOCK), " lock: ", w ? w->lock : 0 },
		     { OUT(HOLDER), " holder: ", w ? w->holder : 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (x->fields & rows[i].field) {
			strbuf__addstr(x->out, rows[i].name);
			strbuf__add_masked(x->out, rows[i].text ? locks__text(l, rows[i].text) : "-");
		}
}

static void add_page_size(const struct script_sample *x, enum sample_field_id id)
{
	const struct sample_field *f = &sample_fields[id];

	strbuf__addch(x->out, ' ');
	sample_field__print(f, f->value(&x->s), x->out);
}

static void script_sample__add_event(const struct script_sample *x)
{
	const struct strbuf *name = &x->worker->script->names.v[x->s.evsel->idx];
	char *p = strbuf__begin(x->out, name->len + START_MAX_NUMBERS);

	if (x->fields & OUT(PERIOD)) {
		p = put_wide(p, x->s.period, 10);
		*p++ = ' ';
	}
	if (x->fields & OUT(EVENT))
		p = put_bytes(p, name->buf, name->len);
	strbuf__end(x->out, p);
}

/* In the order in which stock perf prints them. */
static void script_sample__add_fields(struct script_sample *x)
{
	static const u64 rare = ~(OUT(COMM) | OUT(TID) | OUT(PID) | OUT(TIME) | OUT(CPU) | OUT(EVENT) |
				  OUT(IP) | OUT(SYM) | OUT(SYMOFF) | OUT(DSO) | OUT(PERIOD) | OUT(MISC));
	u64 fields = x->fields;

	if (likely(!(fields & rare))) {
		if (fields & OUT(IP))
			script_sample__add_ip(x);
		return;
	}
	if (fields & OUT(TRACE))
		script_sample__add_trace(x);
	if (fields & OUT(ADDR))
		script_sample__add_addr(x);
	if (fields & OUT(DATA_SRC))
		script_sample__add_data_src(x);
	if (fields & OUT(WEIGHT))
		add_wide(x->out, sample__weight(&x->s));
	if (fields & OUT(INS_LAT))
		add_wide(x->out, sample_fields[FIELD_INS_LAT].value(&x->s));
	if (fields & OUT(RETIRE_LAT))
		add_wide(x->out, sample_fields[FIELD_RETIRE_LAT].value(&x->s));
	if (fields & OUT(CGROUP))
		script_sample__add_cgroup(x);
	if (fields & OUT_LOCKS)
		script_sample__add_locks(x);
	if (fields & OUT(IP))
		script_sample__add_ip(x);
	if (fields & (OUT(IREGS) | OUT(UREGS)))
		script_sample__add_regs(x);
	if (fields & (OUT(BRSTACK) | OUT(BRSTACKSYM) | OUT(BRSTACKOFF)))
		script_sample__add_branches(x);
	if (fields & OUT(BPF_OUTPUT))
		script_sample__add_bpf_output(x);
	if (fields & (OUT(INSN) | OUT(INSNLEN) | OUT(DISASM)))
		script_sample__add_insn(x);
	if (fields & OUT_BRANCH_CODE)
		script_sample__add_branch_code(x);
	if (fields & OUT(PHYS_ADDR))
		add_wide_hex(x->out, x->s.phys_addr);
	if (fields & OUT(DATA_PAGE_SIZE))
		add_page_size(x, FIELD_DATA_PAGE_SIZE);
	if (fields & OUT(CODE_PAGE_SIZE))
		add_page_size(x, FIELD_CODE_PAGE_SIZE);
	if (fields & OUT(SRCCODE))
		script_sample__add_source(x);
}

void script_sample__add(struct script_sample *x, struct strbuf *out)
{
	const struct script *s = x->worker->script;
	struct script_start start = {
		.fields = x->fields,
		.wide = !(s->has_chains && x->fields & OUT(IP) &&
			  x->s.evsel->attr.sample_type & PERF_SAMPLE_CALLCHAIN),
		.comm = x->comm,
		.thread = x->s.tid,
		.pid = x->s.pid,
		.tid = x->s.tid,
		.cpu = x->s.cpu,
		.time = script__time(x->item, x->s.time),
		.header = x->item->r->record.header,
	};

	x->out = out;
	script_sample__unwind(x);
	script__add_start(s, &start, out);
	script_sample__add_event(x);
	script_sample__add_fields(x);
	strbuf__addch(out, '\n');
}
