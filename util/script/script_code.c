/* Fields of code: instructions of samples, those between branches, and lines of source. */
#include "script/script_private.h"

#include "base/text/mask.h"
#include "base/text/path_name.h"
#include "model/code.h"

#include <elf.h>
#include <string.h>

enum {
	RUN_BYTES = 1024,       /* to read where no function is known */
	BLOCK_MAX = 16 << 10,   /* bytes between two branches; more is no block of code */
	RUNS_MAX = 8192,        /* to remember */
	BRANCH_HEX_WIDTH = 24,  /* of the bytes of a branch */
	BRANCH_TEXT_WIDTH = 30, /* of its text */
};

/* ---- code ---- */

/* A recording has code of a machine and of its 32-bit programs, and what else a file claims. */
static struct disasm *script_code__disasm(struct script_code *c, const struct code *code)
{
	struct err err = ERR_INIT;
	size_t i = 0;

	while (i < ARRAY_SIZE(c->disasms) && c->disasms[i].d && c->disasms[i].machine != code->machine)
		i++;
	if (i == ARRAY_SIZE(c->disasms))
		return NULL;
	if (!c->disasms[i].d)
		disasm__new(&c->disasms[i].d, code->machine, code->big_endian, DISASM_ATT, &err);
	c->disasms[i].machine = code->machine;
	err__exit(&err);
	return c->disasms[i].d;
}

static void script_code__forget_runs(struct script_code *c)
{
	for (size_t i = 0; i < c->runs.nr; i++)
		free(c->runs.v[i].bytes);
	array__exit(&c->runs);
	hash_table__exit(&c->by_addr);
	c->runs.nr = 0;
	c->by_addr = (struct hash_table)HASH_TABLE_INIT;
}

static u32 script_code__read_run(struct script_code *c, struct session *s, u32 dso, u64 addr, u64 size)
{
	struct code_run run = { .dso = dso, .addr = addr };
	struct code code = CODE_INIT;

	if (!symbolizer__code(&s->symbolizer, s->machine.dsos.v.v[dso], addr, size, &code, NULL)) {
		run.size = code.bytes.len;
		run.bytes = xmemdup(code.bytes.buf, run.size);
		run.vaddr = code.vaddr;
		run.disasm = script_code__disasm(c, &code);
	}
	code__exit(&code);
	if (c->runs.nr >= RUNS_MAX)
		script_code__forget_runs(c);
	hash_table__insert(&c->by_addr, hash__add(addr, dso), (u32)c->runs.nr);
	array__add(&c->runs, run);
	return (u32)c->runs.nr - 1;
}

/* Return the run that has an address of a binary; it may end before it. */
static const struct code_run *script_code__run(struct script_code *c, struct session *s, u32 dso, u64 addr)
{
	const struct code_run *last = c->last < c->runs.nr ? &c->runs.v[c->last] : NULL;
	const struct symbol *sym;
	u64 start;
	u32 i;

	if (last && last->dso == dso && addr - last->addr < last->size)
		return last;
	sym = symbolizer__find(&s->symbolizer, s->machine.dsos.v.v[dso], addr);
	start = sym ? sym->start : addr;
	hash_table__for_each (&c->by_addr, hash__add(start, dso), i)
		if (c->runs.v[i].addr == start && c->runs.v[i].dso == dso) {
			c->last = i;
			return &c->runs.v[i];
		}
	c->last = script_code__read_run(c, s, dso, start, sym && sym->size ? sym->size : RUN_BYTES);
	return &c->runs.v[c->last];
}

struct code_at { /* an instruction */
	struct dso *dso;
	u64 addr; /* in the binary */
	const u8 *bytes;
	struct insn insn;
};

/* Find the instruction at a memory address. Return false if its code is not there. */
static bool script_sample__code(struct script_sample *x, const struct row_space *space, u64 ip,
				struct code_at *at)
{
	struct session *s = x->worker->script->session;
	const struct code_run *run;
	struct maps_span span;
	struct dso_addr a;

	if (!machine__resolve_at(&s->machine, space->maps, space->version, space->cpumode, ip, &a, &span))
		return false;
	run = script_code__run(&x->worker->code, s, a.dso, a.addr);
	if (!run->disasm || a.addr - run->addr >= run->size)
		return false;
	at->dso = s->machine.dsos.v.v[a.dso];
	at->addr = a.addr;
	at->bytes = run->bytes + (a.addr - run->addr);
	disasm__next(run->disasm, at->bytes, run->size - (size_t)(a.addr - run->addr),
		     run->vaddr + (a.addr - run->addr), &at->insn);
	return true;
}

static void add_bytes(const struct code_at *at, struct strbuf *out)
{
	strbuf__addstr(out, "insn:");
	for (u8 i = 0; i < at->insn.size; i++)
		strbuf__addf(out, " %02x", at->bytes[i]);
}

static void add_text(const struct code_at *at, struct strbuf *out)
{
	const struct insn *in = &at->insn;

	if (in->kind == INSN_UNKNOWN) {
		add_bytes(at, out);
		return;
	}
	strbuf__addf(out, "%s", in->mnemonic);
	if (*in->operands || in->has_target)
		strbuf__addf(out, " %s", in->operands);
	if (in->has_target)
		strbuf__addf(out, "0x%llx", (unsigned long long)in->target);
}

static struct row_space space_of(const struct script_sample *x, u64 ip)
{
	return script_sample__space(x, addr__is_kernel(ip) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
}

void script_sample__add_insn(struct script_sample *x)
{
	struct row_space space = script_sample__space(x, x->s.cpumode);
	struct code_at at;
	bool found = script_sample__code(x, &space, x->s.ip, &at);

	if (x->fields & OUT(INSNLEN))
		strbuf__addf(x->out, " ilen: %u", found ? at.insn.size : 0);
	if (x->fields & OUT(INSN) && found) {
		strbuf__addch(x->out, ' ');
		add_bytes(&at, x->out);
	}
	if (x->fields & OUT(DISASM) && found) {
		strbuf__addch(x->out, '\t');
		add_text(&at, x->out);
	}
}

/* ---- source ---- */

static const struct code_frame *script_sample__line(struct script_sample *x, const struct row_space *space,
						    u64 ip, struct dso **dso)
{
	struct session *s = x->worker->script->session;
	struct code_frames *frames = &x->worker->code.frames;
	struct maps_span span;
	struct dso_addr a;

	if (!machine__resolve_at(&s->machine, space->maps, space->version, space->cpumode, ip, &a, &span))
		return NULL;
	*dso = s->machine.dsos.v.v[a.dso];
	symbolizer__frames(&s->symbolizer, *dso, a.addr, DWARF_WANTS_LINE, frames);
	return frames->v.v[0].file ? &frames->v.v[0] : NULL;
}

static struct shown_source *script_code__shown(struct script_code *c, u32 tid)
{
	u32 i;

	hash_table__for_each (&c->by_tid, hash__u64(tid), i)
		if (c->shown.v[i].tid == tid)
			return &c->shown.v[i];
	hash_table__insert(&c->by_tid, hash__u64(tid), (u32)c->shown.nr);
	array__add(&c->shown, ((struct shown_source){ .tid = tid }));
	return &c->shown.v[c->shown.nr - 1];
}

/* Append the line of source at an address, unless it is the one that was shown last of the thread. */
static bool script_sample__add_line(struct script_sample *x, const struct row_space *space, u64 ip)
{
	struct script_code *c = &x->worker->code;
	const struct source_file *file;
	const struct code_frame *f;
	struct shown_source *last;
	struct dso *dso;
	const char *line;
	size_t len;

	f = script_sample__line(x, space, ip, &dso);
	if (!f)
		return false;
	last = script_code__shown(c, x->s.tid);
	if (last->line == f->line && last->file && !strcmp(last->file, f->file))
		return false;
	if (!c->has_sources)
		source_files__init(&c->sources, &x->worker->script->session->symbolizer,
				   &(struct source_opts){ .strip = 0 });
	c->has_sources = true;
	file = source_files__get(&c->sources, dso, f->file);
	line = source_file__line(file, f->line, &len);
	if (!line)
		return false;
	last->line = f->line;
	last->file = file->path;
	strbuf__addf(x->out, "|%-8u ", f->line);
	strbuf__add(x->out, line, len);
	mask_controls(x->out->buf + x->out->len - len, len, "\t");
	return true;
}

void script_sample__add_source(struct script_sample *x)
{
	struct row_space space = script_sample__space(x, x->s.cpumode);
	size_t start = x->out->len;

	strbuf__addch(x->out, '\n');
	if (!script_sample__add_line(x, &space, x->s.ip))
		strbuf__setlen(x->out, start);
}

/* ---- the code between branches ---- */

struct branch_code {
	struct script_sample *x;
	struct strbuf symbol; /* that was shown last */
	u64 cycles;           /* of all branches so far */
};

/* A line with the function, where another one begins. */
static void branch_code__add_symbol(struct branch_code *b, const struct row_space *space, u64 ip)
{
	struct script_sample *x = b->x;
	const struct frame_text *t = frame_texts__get(&x->worker->texts, space, ip, FRAME_BRANCH | FRAME_SYM);
	const struct code_frame *f;
	struct frame_at at;
	struct dso *dso;

	if (b->symbol.len == t->len && !memcmp(b->symbol.buf, t->text, t->len))
		return;
	strbuf__reset(&b->symbol);
	strbuf__add(&b->symbol, t->text, t->len);
	at = frame_namer__at(x->worker->texts.namer, space, ip);
	if (!at.start)
		return;
	strbuf__addch(x->out, '\t');
	strbuf__add(x->out, b->symbol.buf, b->symbol.len);
	if (ip > at.start)
		strbuf__addf(x->out, "+%llu", (unsigned long long)(ip - at.start));
	strbuf__addch(x->out, ':');
	if (x->fields & OUT(SRCLINE) && (f = script_sample__line(x, space, ip, &dso))) {
		strbuf__addch(x->out, '\t');
		strbuf__add_masked(x->out,
				   x->worker->script->args->full_paths ? f->file : path__name(f->file));
		strbuf__addf(x->out, ":%u", f->line);
	}
	strbuf__addch(x->out, '\n');
}

/* The line of an instruction, up to what follows it. */
static void branch_code__add_insn(struct branch_code *b, u64 ip, const struct code_at *at, bool is_branch)
{
	struct script_sample *x = b->x;
	bool is_text = x->fields & OUT(BRSTACKDISASM);
	size_t width = is_text ? BRANCH_TEXT_WIDTH : BRANCH_HEX_WIDTH, start;

	strbuf__addf(x->out, "\t%016llx\t", (unsigned long long)ip);
	start = x->out->len + (is_text ? 0 : strlen("insn: "));
	if (is_text)
		add_text(at, x->out);
	else
		add_bytes(at, x->out);
	strbuf__addch(x->out, ' ');
	while (is_branch && x->out->len < start + width)
		strbuf__addch(x->out, ' ');
	if (x->fields & OUT(BRSTACKINSNLEN))
		strbuf__addf(x->out, "\tilen: %u", at->insn.size);
}

static void branch_code__end_line(struct branch_code *b, const struct row_space *space, u64 ip)
{
	strbuf__addch(b->x->out, '\n');
	if (b->x->fields & OUT(SRCCODE) && script_sample__add_line(b->x, space, ip))
		strbuf__addch(b->x->out, '\n');
}

/* The line of a taken branch, after nr instructions since the one before. */
static void branch_code__add_branch(struct branch_code *b, const struct row_space *space, const u64 *branch,
				    const struct code_at *at, unsigned nr)
{
	struct strbuf *out = b->x->out;
	u64 flags = branch[2], cycles = flags >> BRANCH_CYCLES_SHIFT & 0xffff;

	branch_code__add_insn(b, branch[0], at, true);
	strbuf__addf(out, "\t#%s%s%s%s", flags & BRANCH_PREDICTED ? " PRED" : "",
		     flags & BRANCH_MISPREDICTED ? " MISPRED" : "", flags & BRANCH_IN_TX ? " INTX" : "",
		     flags & BRANCH_ABORT ? " ABORT" : "");
	if (cycles) {
		b->cycles += cycles;
		strbuf__addf(out, " %llu cycles [%llu]", (unsigned long long)cycles,
			     (unsigned long long)b->cycles);
		if (nr)
			strbuf__addf(out, " %.2f IPC", nr / (double)cycles);
	}
	branch_code__end_line(b, space, branch[0]);
}

/*
 * Add the instructions from an address to the branch (NULL: to the sample) at end. Leave them out if they do
 * not decode as a run of instructions that ends there.
 */
static void branch_code__add_block(struct branch_code *b, u64 ip, u64 end, const u64 *branch)
{
	struct script_sample *x = b->x;
	struct row_space space = space_of(x, ip);
	struct code_at at;
	unsigned nr = 0;

	if (end < ip || end - ip > BLOCK_MAX || addr__is_kernel(ip) != addr__is_kernel(end))
		return;
	for (; ip <= end && script_sample__code(x, &space, ip, &at); ip += at.insn.size) {
		branch_code__add_symbol(b, &space, ip);
		nr++;
		if (ip == end && branch) {
			branch_code__add_branch(b, &space, branch, &at, nr);
			return;
		}
		branch_code__add_insn(b, ip, &at, false);
		branch_code__end_line(b, &space, ip);
		if (ip == end)
			return;
	}
	if (nr && !branch)
		strbuf__addstr(x->out, "\t... not reaching sample ...\n");
}

/* Return the branch after which code is shown: --max-blocks keeps that of the newest ones. */
static const u64 *script_sample__first_branch(const struct script_sample *x)
{
	u64 last = x->s.nr_branches - 1, max = x->worker->script->args->max_blocks;

	return x->s.branches + 3 * (max ? MIN(max, last) : last);
}

void script_sample__add_branch_code(struct script_sample *x)
{
	struct branch_code b = { .x = x, .symbol = STRBUF_INIT };
	const struct sample *s = &x->s;
	const u64 *oldest;
	struct row_space space;
	struct code_at at;

	if (!s->nr_branches)
		return;
	strbuf__addch(x->out, '\n');
	oldest = script_sample__first_branch(x);
	space = space_of(x, oldest[0]);
	if (script_sample__code(x, &space, oldest[0], &at)) {
		branch_code__add_symbol(&b, &space, oldest[0]);
		branch_code__add_branch(&b, &space, oldest, &at, 0);
	}
	for (const u64 *to = oldest; to > s->branches; to -= 3)
		branch_code__add_block(&b, to[1], to[-3], to - 3);
	/* As in stock perf, a sample at the newest branch is of that branch. */
	if (s->ip != s->branches[0] && !(s->branches[2] & BRANCH_ABORT))
		branch_code__add_block(&b, s->branches[1], s->ip, NULL);
	strbuf__exit(&b.symbol);
}

void script_code__exit(struct script_code *c)
{
	script_code__forget_runs(c);
	for (size_t i = 0; i < ARRAY_SIZE(c->disasms); i++)
		disasm__delete(c->disasms[i].d);
	if (c->has_sources)
		source_files__exit(&c->sources);
	array__exit(&c->shown);
	hash_table__exit(&c->by_tid);
	code_frames__exit(&c->frames);
	*c = (struct script_code){ .last = 0 };
}
