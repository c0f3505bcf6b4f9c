#include "ui/annotate/annotate_text.h"

#include "base/text/mask.h"
#include "base/text/path_name.h"

#include <string.h>

typedef unsigned long long ull;

enum {
	PERCENT_WIDTH = 8,
	PERIOD_WIDTH = 12,
	NUMBER_WIDTH = 6, /* of a source line, with a space before it */
	MNEMONIC_WIDTH = 6,
	IPC_WIDTH = 5,
	CYCLE_WIDTH = 5,
	RAW_WIDTH = 24, /* bytes of most instructions */
	CONTEXT_LINES =
		10, /* lines between two instructions that are shown without instructions of their own */
	SUMMARY_PERCENT = 2, /* smallest part of a line in the summary: 1 / 2 % */
};

static const double FLOW_PERCENT = 0.1; /* smallest part of branches that is shown, as in stock perf */

struct text { /* of one table */
	struct strbuf *out;
	struct hot_code *h;
	const struct annotated *a;
	const u32 *events;
	u32 nr;
	const struct annotate_style *style;
	struct source_files *sources;
	annotate_rows *rows; /* NULL: not wanted */
	size_t rowed;        /* bytes of out that have rows */
	double percent;      /* that the last line shows first; negative: none */
	/* of the instruction before */
	const struct source_file *file;
	u32 line;
	u32 frames;
	const char *function; /* the innermost one; NULL: the function itself */
	bool has_function;
	bool is_in_row;   /* line is of the same function */
	bool has_unknown; /* an unknown instruction was shown */
};

/* ---- rows ---- */

/* Add this row for each line that was appended since the last call. */
static void text__add_rows(struct text *t, struct annotate_row row)
{
	row.percent = t->percent;
	t->percent = -1;
	for (; t->rowed < t->out->len; t->rowed++)
		if (t->rows && t->out->buf[t->rowed] == '\n')
			array__add(t->rows, row);
}

/* ---- numbers ---- */

/* As printf does, several times as fast: there is one in each line. */
static void add_number(struct strbuf *out, u64 x, unsigned base)
{
	char digits[20];
	size_t n = sizeof(digits);

	do
		digits[--n] = "0123456789abcdef"[x % base];
	while (x /= base);
	strbuf__add(out, digits + n, sizeof(digits) - n);
}

double annotate__percent(const struct hot_code *h, const struct hot_function *f, u32 event,
			 const struct code_cost *cost, const struct annotate_style *style)
{
	u32 costs = h->inlined ? h->inlined_costs : f->costs;
	const struct code_cost *all = style->global ? &h->totals[event] : hot_code__cost(h, costs, event);
	u64 whole = style->hits ? all->nr : all->period, part = style->hits ? cost->nr : cost->period;

	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static int column_width(const struct annotate_style *style)
{
	return style->period ? PERIOD_WIDTH : PERCENT_WIDTH;
}

unsigned annotate_text__margin(const struct annotate_style *style, u32 nr_events)
{
	return (unsigned)column_width(style) * nr_events + 2;
}

/* As stock perf colours: red from 5%, green from 0.5%. */
static const char *color_of(double percent)
{
	return percent >= 5 ? "\033[31m" : percent >= 0.5 ? "\033[32m" : NULL;
}

/* costs: those of the first event of the recording; NULL: blank columns. */
static void text__add_costs(struct text *t, const struct code_cost *costs)
{
	int width = column_width(t->style);

	for (u32 i = 0; i < t->nr; i++) {
		const struct code_cost *c = costs ? &costs[t->events[i]] : NULL;
		double percent = c ? annotate__percent(t->h, t->a->function, t->events[i], c, t->style) : 0;
		const char *color = t->style->color ? color_of(percent) : NULL;

		if (!i && c)
			t->percent = percent;
		if (color)
			strbuf__addstr(t->out, color);
		if (!c || (t->style->arrows && !c->nr))
			strbuf__addchars(t->out, ' ', (size_t)width);
		else if (t->style->period)
			strbuf__addf(t->out, "%*llu", width, (ull)c->period);
		else if (t->style->samples)
			strbuf__addf(t->out, "%*llu", width, (ull)c->nr);
		else
			strbuf__add_fixed(t->out, percent, width);
		if (color)
			strbuf__addstr(t->out, "\033[m");
	}
	strbuf__addstr(t->out, t->style->arrows ? " " : " :");
}

/* --stdio2: the columns of branch stacks; flow NULL: blank. */
static void text__add_flow_columns(struct text *t, const struct annotated_flow *flow)
{
	double ipc = flow ? annotated_flow__ipc(flow) : 0;

	if (!t->style->arrows || !t->a->flows.nr)
		return;
	if (ipc > 0)
		strbuf__add_fixed(t->out, ipc, IPC_WIDTH);
	else
		strbuf__addchars(t->out, ' ', IPC_WIDTH);
	if (flow && flow->nr_blocks)
		strbuf__addf(t->out, "%*llu ", CYCLE_WIDTH, (ull)(flow->block_cycles / flow->nr_blocks));
	else
		strbuf__addchars(t->out, ' ', CYCLE_WIDTH + 1);
}

/* costs NULL: none; number 0: none. */
static void text__add_line(struct text *t, const struct code_cost *costs, u32 number, const char *text,
			   size_t len)
{
	size_t start;

	text__add_costs(t, costs);
	text__add_flow_columns(t, NULL);
	start = t->out->len;
	strbuf__addch(t->out, ' ');
	if (number)
		add_number(t->out, number, 10);
	if (t->out->len - start < NUMBER_WIDTH)
		strbuf__addchars(t->out, ' ', NUMBER_WIDTH - (t->out->len - start));
	start = t->out->len;
	strbuf__add(t->out, text, len);
	mask_controls(t->out->buf + start, len, "\t");
	while (t->out->len > start && strchr(" \t", t->out->buf[t->out->len - 1]))
		strbuf__setlen(t->out, t->out->len - 1);
	strbuf__addch(t->out, '\n');
}

static void text__add_note(struct text *t, const char *text)
{
	text__add_line(t, NULL, 0, text, strlen(text));
}

/* ---- above the instructions ---- */

static const char *percent_type(const struct annotate_style *s)
{
	return s->global ? (s->hits ? "global hits" : "global period")
			 : (s->hits ? "local hits" : "local period");
}

static void text__add_events(struct text *t)
{
	const struct evlist *l = &t->h->session->reader->evlist;

	for (u32 i = 0; i < t->nr; i++) {
		strbuf__addstr(t->out, i ? ", " : "");
		strbuf__add_masked(t->out, l->evsels.v[t->events[i]]->name);
	}
}

static const char *text__binary(const struct text *t)
{
	const struct dsos *dsos = &t->h->session->machine.dsos;
	const struct dso *dso = t->a->function->dso;

	return t->style->full_paths || t->style->arrows ? dso__long_name(dsos, dso)
							: dso__short_name(dsos, dso);
}

static void text__add_title(struct text *t)
{
	const struct code_cost *all = hot_code__cost(t->h, t->a->function->costs, t->events[0]);
	const char *what = t->style->period ? " Period" : t->style->samples ? " Samples" : " Percent";
	size_t start = t->out->len, len;

	strbuf__addf(t->out, "%-*s |\tSource code & Disassembly of ", column_width(t->style) * (int)t->nr,
		     what);
	strbuf__add_masked(t->out, text__binary(t));
	strbuf__addstr(t->out, " for ");
	text__add_events(t);
	strbuf__addf(t->out, " (%llu samples, percent: %s)\n", (ull)all->nr, percent_type(t->style));
	len = t->out->len - start;
	strbuf__addchars(t->out, '-', len + 4);
	strbuf__addch(t->out, '\n');
}

static void text__add_stdio2_title(struct text *t)
{
	const struct code_cost *all = hot_code__cost(t->h, t->a->function->costs, t->events[0]);
	const struct perf_event_attr *attr = &t->h->session->reader->evlist.evsels.v[t->events[0]]->attr;

	strbuf__addf(t->out, "Samples: %llu  of event%s '", (ull)all->nr, t->nr > 1 ? "s" : "");
	text__add_events(t);
	strbuf__addch(t->out, '\'');
	if (attr->freq)
		strbuf__addf(t->out, ", %llu Hz", (ull)attr->sample_freq);
	strbuf__addf(t->out, ", Event count (approx.): %llu, [percent: %s]\n", (ull)all->period,
		     percent_type(t->style));
	strbuf__add_masked(t->out, hot_function__name(t->h, t->a->function));
	strbuf__addstr(t->out, "() ");
	strbuf__add_masked(t->out, text__binary(t));
	strbuf__addf(t->out, "\n%s", t->style->period ? "Period" : t->style->samples ? "Samples" : "Percent");
	if (t->a->flows.nr)
		strbuf__addf(t->out, "   IPC Cycle (Average IPC: %.2f, IPC Coverage: %.1f%%)",
			     annotated__ipc(t->a), 100.0 * t->a->nr_timed / (double)t->a->insns.nr);
	strbuf__addch(t->out, '\n');
}

static bool text__is_precise(const struct text *t)
{
	for (u32 i = 0; i < t->nr; i++)
		if (!t->h->session->reader->evlist.evsels.v[t->events[i]]->attr.precise_ip)
			return false;
	return true;
}

/* Print how far the numbers can be trusted, and which data is missing. */
static void text__add_notes(struct text *t)
{
	const struct annotated *a = t->a;
	struct strbuf note = STRBUF_INIT;

	if (t->style->quiet)
		return;
	text__add_note(t, text__is_precise(t)
				  ? "the event is precise: a cost belongs to its instruction"
				  : "the event is not precise: a cost may belong to an instruction "
				    "shortly before");
	if (a->no_code.text.len) {
		strbuf__addf(&note, "no instructions: %s", a->no_code.text.buf);
		text__add_note(t, note.buf);
		strbuf__reset(&note);
	}
	strbuf__exit(&note);
}

static void text__add_head(struct text *t)
{
	struct strbuf head = STRBUF_INIT;

	if (t->style->arrows)
		text__add_stdio2_title(t);
	else
		text__add_title(t);
	text__add_notes(t);
	strbuf__addf(&head, "%016llx <%s>:", (ull)t->a->code.vaddr, hot_function__name(t->h, t->a->function));
	text__add_note(t, head.buf);
	strbuf__reset(&head);
	if (t->h->inlined) {
		strbuf__addf(&head, "only %s, which is inlined here", t->h->inlined);
		text__add_note(t, head.buf);
	}
	strbuf__exit(&head);
	text__add_rows(t, (struct annotate_row){ .insn = ANNOTATED_NONE });
}

/* ---- source lines ---- */

/* Name the innermost function where it changes. */
static void text__add_function(struct text *t, const struct code_frame *f)
{
	struct strbuf name = STRBUF_INIT;

	if (t->has_function &&
	    (f->name == t->function || (f->name && t->function && !strcmp(f->name, t->function))))
		return;
	t->has_function = true;
	t->function = f->name;
	t->is_in_row = false;
	annotated__add_frame_name(t->a, t->h, f, &name);
	strbuf__addstr(&name, "():");
	text__add_note(t, name.buf);
	strbuf__exit(&name);
}

/* Name the file, with the line that comes first. */
static void text__add_file(struct text *t, const char *path, u32 number, const struct source_file *file)
{
	struct strbuf note = STRBUF_INIT;

	strbuf__addf(&note, "%s:%u", t->style->full_paths ? path : path__name(path), number);
	text__add_note(t, note.buf);
	if (file && file->is_newer && (t->style->tells_newer || !t->style->quiet)) {
		strbuf__reset(&note);
		strbuf__addf(&note, "'%s' was changed after the program was built: lines may have moved",
			     file->found);
		text__add_note(t, note.buf);
	}
	strbuf__exit(&note);
}

static void text__add_source(struct text *t, const struct code_frame *f, u32 insn)
{
	const struct source_file *file = f->file && f->line && t->sources
						 ? source_files__get(t->sources, t->a->function->dso, f->file)
						 : NULL;
	bool goes_on = file && file == t->file && t->is_in_row && f->line > t->line &&
		       f->line - t->line <= CONTEXT_LINES;
	u32 first = goes_on ? t->line + 1 : f->line;

	if (!file || (file == t->file && f->line == t->line))
		return;
	if (file != t->file)
		text__add_file(t, f->file, f->line, file);
	text__add_rows(t, (struct annotate_row){ .insn = insn });
	t->file = file;
	t->line = f->line;
	t->is_in_row = true;
	for (u32 i = 0; i <= f->line - first; i++) { /* the last line may be UINT32_MAX */
		size_t len;
		const char *line = source_file__line(file, first + i, &len);

		if (line)
			text__add_line(t, NULL, first + i, line, len);
		text__add_rows(
			t, (struct annotate_row){ .insn = insn, .file = file->path, .number = first + i });
	}
}

static void text__add_place(struct text *t, u32 insn)
{
	const struct annotated_insn *in = &t->a->insns.v[insn];
	const struct code_frame *f = &t->a->frames.v[in->frames];

	if (!in->nr_frames || in->frames == t->frames)
		return;
	t->frames = in->frames;
	text__add_function(t, f);
	text__add_rows(t, (struct annotate_row){ .insn = insn });
	if (!t->style->no_source)
		text__add_source(t, f, insn);
}

/* ---- instructions ---- */

static void text__add_raw(struct text *t, const struct annotated_insn *in)
{
	const u8 *bytes = (const u8 *)t->a->code.bytes.buf + in->offset;
	size_t start = t->out->len;

	for (u8 i = 0; i < in->size; i++)
		strbuf__addf(t->out, "%02x ", bytes[i]);
	while (t->out->len - start < RAW_WIDTH)
		strbuf__addch(t->out, ' ');
}

/* Why an imprecise cost may be that of the instruction before. */
static void text__add_skid(struct text *t, u32 i)
{
	const struct annotated_insn *in = &t->a->insns.v[i];
	u64 nr = 0;

	for (u32 e = 0; e < t->nr; e++)
		if (!t->h->session->reader->evlist.evsels.v[t->events[e]]->attr.precise_ip)
			nr += annotated__cost(t->a, i, t->events[e])->nr;
	if (in->is_after_slow && nr)
		strbuf__addf(t->out, "        # perhaps the cost of %s",
			     annotated__text(t->a, in[-1].mnemonic));
}

static void text__add_target(struct text *t, const struct annotated_insn *in)
{
	bool is_inside = in->jump != ANNOTATED_NONE;

	add_number(t->out, t->style->arrows && is_inside ? t->a->insns.v[in->jump].offset : in->target, 16);
	if (in->name && !(t->style->arrows && is_inside)) {
		strbuf__addstr(t->out, " <");
		strbuf__add_masked(t->out, annotated__text(t->a, in->name));
		strbuf__addch(t->out, '>');
	}
}

static void text__add_code(struct text *t, u32 i)
{
	const struct annotated_insn *in = &t->a->insns.v[i];
	const char *name;
	size_t len;

	if (t->style->raw || in->kind == INSN_UNKNOWN)
		text__add_raw(t, in);
	if (in->kind == INSN_UNKNOWN) {
		if (in->size)
			annotated__add_unknown(t->a, !t->has_unknown, t->out);
		t->has_unknown |= in->size;
		return;
	}
	name = annotated__text(t->a, in->mnemonic);
	len = strlen(name);
	strbuf__add(t->out, name, len);
	strbuf__addchars(t->out, ' ', len < MNEMONIC_WIDTH ? MNEMONIC_WIDTH - len : 0);
	if (in->operands || in->has_target) {
		strbuf__addch(t->out, ' ');
		strbuf__addstr(t->out, annotated__text(t->a, in->operands));
	}
	if (in->has_target)
		text__add_target(t, in);
	if (!in->has_data || !in->name)
		return;
	name = annotated__text(t->a, in->name);
	strbuf__addstr(t->out, "        # ");
	add_number(t->out, in->data, 16);
	strbuf__addstr(t->out, *name == '"' ? " " : " <");
	strbuf__add_masked(t->out, name);
	strbuf__addstr(t->out, *name == '"' ? "" : ">");
}

static const char *arrow_of(const struct annotated *a, u32 i)
{
	const struct annotated_insn *in = &a->insns.v[i];

	if (in->kind == INSN_CALL)
		return "→ ";
	if (in->kind == INSN_RETURN)
		return "← ";
	if (in->kind != INSN_JUMP)
		return "  ";
	return in->jump == ANNOTATED_NONE ? "→ " : in->jump <= i ? "↑ " : "↓ ";
}

static void text__add_loop(struct text *t, u32 i)
{
	const struct annotated_insn *in = &t->a->insns.v[i];

	if (in->jump == ANNOTATED_NONE || in->jump > i)
		return;
	strbuf__addf(t->out, "        # loop from %llx",
		     t->style->arrows ? (ull)t->a->insns.v[in->jump].offset
				      : (ull)t->a->insns.v[in->jump].addr);
}

/* --stdio: how often control came by a branch, and left by one, as stock perf shows it. */
static void text__add_flow(struct text *t, const struct annotated_flow *flow)
{
	double entered = flow->runs ? 100.0 * (double)flow->entries / (double)flow->runs : 0;
	double left = flow->runs ? 100.0 * (double)flow->taken / (double)flow->runs : 0;

	if (entered < FLOW_PERCENT && left < FLOW_PERCENT)
		return;
	strbuf__addstr(t->out, "\t#");
	if (entered >= FLOW_PERCENT)
		strbuf__addf(t->out, " +%.2f%%", entered);
	if (left >= FLOW_PERCENT)
		strbuf__addf(t->out, " -%.2f%% (p:%.2f%%)", left,
			     100.0 * (double)flow->predicted / (double)flow->taken);
}

static void text__add_insn(struct text *t, u32 i)
{
	const struct annotated_insn *in = &t->a->insns.v[i];

	text__add_place(t, i);
	text__add_costs(t, annotated__cost(t->a, i, 0));
	text__add_flow_columns(t, t->a->flows.nr ? &t->a->flows.v[i] : NULL);
	if (!t->style->arrows) {
		strbuf__addstr(t->out, "   ");
		add_number(t->out, in->addr, 16);
		strbuf__addstr(t->out, ":   ");
	} else {
		if (in->is_jump_target)
			strbuf__addf(t->out, "%5x:", in->offset);
		else
			strbuf__addstr(t->out, "      ");
		/* how many loops are around it */
		for (u32 n = 0; n < 3; n++)
			strbuf__addstr(t->out, n < in->loops ? "│" : " ");
		strbuf__addstr(t->out, arrow_of(t->a, i));
	}
	text__add_code(t, i);
	if (t->a->flows.nr && !t->style->arrows)
		text__add_flow(t, &t->a->flows.v[i]);
	text__add_loop(t, i);
	text__add_skid(t, i);
	while (t->out->buf[t->out->len - 1] == ' ')
		strbuf__setlen(t->out, t->out->len - 1);
	strbuf__addch(t->out, '\n');
	text__add_rows(t, (struct annotate_row){ .insn = i, .is_insn = true });
}

/* ---- the source lines alone ---- */

struct line_sum {
	const struct annotated_line *line;
	u32 insn;    /* the one with the highest cost */
	u64 of_file; /* cost of all lines of the file */
};
typedef ARRAY(struct line_sum) line_sums;

/* The files with the highest costs first. */
static int compare_sums(const void *a, const void *b)
{
	const struct line_sum *x = a, *y = b;
	int diff;

	if (x->of_file != y->of_file)
		return x->of_file < y->of_file ? 1 : -1;
	diff = strcmp(x->line->file, y->line->file);
	return diff ? diff : x->line->number < y->line->number ? -1 : x->line->number > y->line->number;
}

static bool is_file(const struct line_sum *a, const struct line_sum *b)
{
	return !strcmp(a->line->file, b->line->file);
}

static u64 text__insn_period(const struct text *t, u32 insn)
{
	return annotated__cost(t->a, insn, t->events[0])->period;
}

/* List the lines of the instructions that are shown, and add what has no line to rest, by event. */
static void text__find_sums(const struct text *t, line_sums *sums, struct code_cost *rest)
{
	const struct annotated *a = t->a;
	u32 *best = xcalloc(a->lines.nr + 1, sizeof(*best)); /* instruction + 1 */

	for (u32 i = 0; i < a->insns.nr; i++) {
		u32 line = a->insns.v[i].line;

		if (a->insns.v[i].is_outside)
			continue;
		if (line != ANNOTATED_NONE &&
		    (!best[line] || text__insn_period(t, i) > text__insn_period(t, best[line] - 1)))
			best[line] = i + 1;
		for (u32 e = 0; line == ANNOTATED_NONE && e < a->nr_events; e++) {
			rest[e].nr += annotated__cost(a, i, e)->nr;
			rest[e].period += annotated__cost(a, i, e)->period;
		}
	}
	for (u32 i = 0; i < a->lines.nr; i++)
		if (best[i])
			array__add(sums, ((struct line_sum){ &a->lines.v[i], best[i] - 1, 0 }));
	free(best);
	if (!sums->nr)
		return;
	qsort(sums->v, sums->nr, sizeof(*sums->v), compare_sums); /* by file */
	for (size_t from = 0, to; from < sums->nr; from = to) {
		u64 period = 0;

		for (to = from; to < sums->nr && is_file(&sums->v[to], &sums->v[from]); to++)
			period += annotated__line_cost(a, sums->v[to].line, t->events[0])->period;
		for (size_t i = from; i < to; i++)
			sums->v[i].of_file = period;
	}
	qsort(sums->v, sums->nr, sizeof(*sums->v), compare_sums);
}

/* Add a line with its sum, and those after before, the line above of the same file (NULL: there is none). */
static void text__add_sum(struct text *t, const struct line_sum *sum, const struct annotated_line *before)
{
	const struct annotated_line *l = sum->line;
	const struct source_file *file =
		t->sources ? source_files__get(t->sources, t->a->function->dso, l->file) : NULL;
	u32 first = before && l->number - before->number <= CONTEXT_LINES ? before->number + 1 : l->number;

	if (!before) {
		text__add_file(t, l->file, l->number, file);
		text__add_rows(t, (struct annotate_row){ .insn = sum->insn });
	}
	for (u32 i = 0; i <= l->number - first; i++) { /* the last line may be UINT32_MAX */
		size_t len = 0;
		const char *text = file ? source_file__line(file, first + i, &len) : NULL;
		bool is_last = first + i == l->number;

		if (text || is_last)
			text__add_line(t, is_last ? annotated__line_cost(t->a, l, 0) : NULL, first + i,
				       text ? text : "", len);
		text__add_rows(
			t, (struct annotate_row){ .insn = sum->insn, .file = l->file, .number = first + i });
	}
}

static void text__add_sums(struct text *t)
{
	static const char none[] = "(no source line)";
	struct code_cost *rest = xcalloc(t->a->nr_events + 1, sizeof(*rest));
	line_sums sums = { 0 };
	u64 nr = 0;

	text__find_sums(t, &sums, rest);
	for (size_t i = 0; i < sums.nr; i++) {
		bool goes_on = i && is_file(&sums.v[i], &sums.v[i - 1]);

		text__add_sum(t, &sums.v[i], goes_on ? sums.v[i - 1].line : NULL);
	}
	for (u32 i = 0; i < t->nr; i++)
		nr += rest[t->events[i]].nr;
	if (nr || !sums.nr)
		text__add_line(t, rest, 0, none, strlen(none));
	text__add_rows(t, (struct annotate_row){ .insn = ANNOTATED_NONE });
	array__exit(&sums);
	free(rest);
}

/* ---- the summary by line ---- */

struct line_part {
	double percent;
	u32 order; /* in which lines were found */
	const struct annotated_line *line;
};
typedef ARRAY(struct line_part) line_parts;

static int compare_parts(const void *a, const void *b)
{
	const struct line_part *x = a, *y = b;

	if (x->percent != y->percent)
		return x->percent < y->percent ? 1 : -1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_line(const struct annotated_line *a, const struct annotated_line *b)
{
	return a->number == b->number && !strcmp(a->file, b->file);
}

/* Add a line of one function to those of others: the parts of a line add up. */
static void line_parts__add(line_parts *parts, const struct annotated_line *line, double percent)
{
	for (size_t i = 0; i < parts->nr; i++)
		if (is_line(parts->v[i].line, line)) {
			parts->v[i].percent += percent;
			return;
		}
	array__add(parts, ((struct line_part){ percent, (u32)parts->nr, line }));
}

/* The lines of nr functions of one binary, or of what was inlined into them. */
static void add_summary(struct strbuf *out, const struct hot_code *h, const struct annotated *v, size_t nr,
			u32 event, const struct annotate_style *style)
{
	line_parts parts = { 0 };

	for (size_t k = 0; k < nr; k++)
		for (u32 i = 0; i < v[k].lines.nr; i++) {
			const struct annotated_line *l = &v[k].lines.v[i];
			double percent = annotate__percent(h, v[k].function, event,
							   annotated__line_cost(&v[k], l, event), style);

			if (percent > 0)
				line_parts__add(&parts, l, percent);
		}
	if (parts.nr)
		qsort(parts.v, parts.nr, sizeof(*parts.v), compare_parts);
	strbuf__addstr(out, "\nSorted summary for file ");
	strbuf__add_masked(out, dso__long_name(&h->session->machine.dsos, v->function->dso));
	strbuf__addstr(out, "\n----------------------------------------------\n\n");
	if (!parts.nr || parts.v[0].percent * SUMMARY_PERCENT < 1)
		strbuf__addstr(out, " no source line has 0.5% or more\n");
	for (size_t i = 0; i < parts.nr && parts.v[i].percent * SUMMARY_PERCENT >= 1; i++) {
		const struct annotated_line *l = parts.v[i].line;

		strbuf__add_fixed(out, parts.v[i].percent, PERCENT_WIDTH);
		strbuf__addch(out, ' ');
		strbuf__add_masked(out, style->full_paths ? l->file : path__name(l->file));
		strbuf__addf(out, ":%u\n", l->number);
	}
	array__exit(&parts);
}

void annotate_text__add_inlined(struct strbuf *out, struct hot_code *h, const struct annotated *v, size_t nr,
				u32 event, const struct annotate_style *style)
{
	const struct code_cost *all = hot_code__cost(h, h->inlined_costs, event),
			       *self = hot_code__cost(h, h->inlined_self, event);
	double total = (double)MAX(h->totals[event].period, 1u);

	strbuf__add_masked(out, h->inlined);
	strbuf__addf(out,
		     " is inlined. It has %llu samples, %.2f%% of all, itself; %llu, %.2f%%, with what is "
		     "inlined into it.\nIts code is in:\n",
		     (ull)self->nr, 100 * (double)self->period / total, (ull)all->nr,
		     100 * (double)all->period / total);
	for (size_t i = 0; i < nr; i++) {
		const struct hot_function *f = v[i].function;

		strbuf__add_fixed(out,
				  annotate__percent(h, f, event, hot_code__cost(h, f->costs, event), style),
				  PERCENT_WIDTH);
		strbuf__addch(out, ' ');
		strbuf__add_masked(out, hot_function__name(h, f));
		strbuf__addstr(out, " (");
		strbuf__add_masked(out, dso__short_name(&h->session->machine.dsos, f->dso));
		strbuf__addstr(out, ")\n");
	}
	if (style->lines)
		add_summary(out, h, v, nr, event, style);
	strbuf__addch(out, '\n');
}

/* ---- all of it ---- */

static void text__add_elsewhere(struct text *t)
{
	u64 nr = 0;

	for (u32 i = 0; i < t->nr; i++)
		nr += t->a->elsewhere[t->events[i]].nr;
	if (!nr)
		return;
	text__add_costs(t, t->a->elsewhere);
	strbuf__addstr(t->out, "   addresses where no instruction begins\n");
	text__add_rows(t, (struct annotate_row){ .insn = ANNOTATED_NONE });
}

void annotate_text__add(struct strbuf *out, struct hot_code *h, const struct annotated *a, const u32 *events,
			u32 nr, const struct annotate_style *style, struct source_files *sources,
			annotate_rows *rows)
{
	struct text t = { .out = out,
			  .h = h,
			  .a = a,
			  .events = events,
			  .nr = nr,
			  .style = style,
			  .sources = sources,
			  .rows = rows,
			  .rowed = out->len,
			  .percent = -1,
			  .frames = ANNOTATED_NONE };

	if (style->lines)
		add_summary(out, h, a, 1, events[0], style);
	text__add_head(&t);
	if (style->no_insns)
		text__add_sums(&t);
	for (u32 i = 0; i < a->insns.nr && !style->no_insns; i++)
		if (!a->insns.v[i].is_outside)
			text__add_insn(&t, i);
	text__add_elsewhere(&t);
}
