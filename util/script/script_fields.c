/* Fields of samples that have many words: registers, branches, what BPF programs wrote. */
#include "script/script_private.h"

#include "event/evsel/reg_names.h"
#include "ui/dump/dump_text.h"

typedef unsigned long long ull;

/* ---- registers ---- */

/* regs: unaligned, if a hostile stack of odd size precedes them. */
static void add_regs(const struct script_sample *x, u64 mask, u64 abi, const void *regs)
{
	const u8 *r = regs;
	u64 value;

	if (!regs)
		return;
	strbuf__addf(x->out, " ABI:%llu ", (ull)abi);
	for (; mask; mask &= mask - 1, r += sizeof(value)) {
		memcpy(&value, r, sizeof(value));
		strbuf__addf(
			x->out, "%5s:0x%llx ",
			reg_names__name(x->worker->script->records.regs, (unsigned)__builtin_ctzll(mask)),
			(ull)value);
	}
}

void script_sample__add_regs(const struct script_sample *x)
{
	const struct sample *s = &x->s;

	if (x->fields & OUT(IREGS))
		add_regs(x, s->evsel->attr.sample_regs_intr, s->intr_regs_abi, s->intr_regs);
	if (x->fields & OUT(UREGS))
		add_regs(x, s->evsel->attr.sample_regs_user, s->user_regs_abi, s->user_regs);
}

/* ---- branches ---- */

/* Branches do not say what code they are in: the kernel has the upper half of the addresses. */
static void add_place(struct script_sample *x, u64 ip, unsigned form)
{
	struct row_space space = script_sample__space(x, addr__is_kernel(ip) ? PERF_RECORD_MISC_KERNEL
									     : PERF_RECORD_MISC_USER);
	const struct frame_text *text = frame_texts__get(&x->worker->texts, &space, ip, (u16)form);

	strbuf__add(x->out, text->text, text->len);
}

/* As in stock perf 6.1; what speculation led to, which it does not know, as in 7.x. */
static void add_flags(struct strbuf *out, u64 flags)
{
	static const char *const outcomes[] = { "", "/SPEC_WRONG_PATH", "/NON_SPEC_CORRECT_PATH",
						"/SPEC_CORRECT_PATH" };

	strbuf__addf(out, "/%c/%c/%c/%llu/%s%s ",
		     flags & BRANCH_MISPREDICTED ? 'M'
		     : flags & BRANCH_PREDICTED  ? 'P'
						 : '-',
		     flags & BRANCH_IN_TX ? 'X' : '-', flags & BRANCH_ABORT ? 'A' : '-',
		     (ull)(flags >> BRANCH_CYCLES_SHIFT & 0xffff), branch_flags__type(flags),
		     outcomes[flags >> BRANCH_SPEC_SHIFT & 3]);
}

static void add_branches(struct script_sample *x, unsigned form, const char *before)
{
	const struct sample *s = &x->s;

	form |= FRAME_BRANCH | (x->fields & OUT(DSO) ? FRAME_DSO : 0);
	for (u64 i = 0; i < s->nr_branches; i++) {
		const u64 *b = s->branches + 3 * i;

		strbuf__addstr(x->out, before);
		add_place(x, b[0], form);
		strbuf__addch(x->out, '/');
		add_place(x, b[1], form);
		add_flags(x->out, b[2]);
	}
}

void script_sample__add_branches(struct script_sample *x)
{
	if (x->fields & OUT(BRSTACK))
		add_branches(x, FRAME_ADDR_HEX, " ");
	if (x->fields & OUT(BRSTACKSYM))
		add_branches(x, FRAME_SYM | (x->fields & OUT(SYMOFF) ? FRAME_SYM_OFFSET : 0), "");
	if (x->fields & OUT(BRSTACKOFF))
		add_branches(x, FRAME_OFFSET, " ");
}

/* ---- what BPF programs wrote ---- */

enum { BPF_ROW = 8 };

static bool is_text(const u8 *data, u32 size)
{
	u32 len = 0;

	while (len < size && data[len] >= ' ' && data[len] < 0x7f)
		len++;
	if (!len || len == size)
		return false;
	while (len < size && !data[len])
		len++;
	return len == size;
}

void script_sample__add_bpf_output(const struct script_sample *x)
{
	const u8 *data = x->s.raw;
	u32 size = x->s.raw_size;

	if (!size)
		strbuf__addch(x->out, '\n');
	for (u32 i = 0; data && i < size; i += BPF_ROW) {
		strbuf__addf(x->out, "\n%17s %04x:", i ? "" : "BPF output:", i);
		for (u32 k = i; k < i + BPF_ROW; k++)
			if (k < size)
				strbuf__addf(x->out, " %02x", data[k]);
			else
				strbuf__addstr(x->out, "   ");
		strbuf__addstr(x->out, "  ");
		for (u32 k = i; k < i + BPF_ROW; k++)
			strbuf__addch(x->out, k >= size                          ? ' '
					      : data[k] >= ' ' && data[k] < 0x7f ? (char)data[k]
										 : '.');
	}
	if (is_text(data, size))
		strbuf__addf(x->out, "\n%17s \"%s\"", "BPF string:", (const char *)data);
}
