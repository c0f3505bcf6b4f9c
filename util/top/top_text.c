/* perf top --stdio: a table with each slice, as stock perf prints it. */
#include "top/top.h"

#include "base/command/term.h"
#include "ui/notes/reading.h"
#include "ui/stdio/stdio.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ENTRIES = 20, HEAD_LINES = 4 }; /* rows without -E; lines above them */

/* Return the kernel's share of the shown samples, in per cent. */
static double kernel_share(const struct view *v)
{
	u64 all = 0, kernel = 0;

	for (size_t i = 0; i < v->folds.nr; i++) {
		const struct fold *f = &v->folds.v[i];

		all += f->nr;
		kernel += fold__kind(v, f)->level_filtered >> 8 == 'k' ? f->nr : 0;
	}
	return all ? 100.0 * (double)kernel / (double)all : 0;
}

static void print_head(const struct top *t, FILE *out)
{
	const struct evlist *l = &t->screen.session->reader->evlist;
	const struct attr_opts *attrs = &t->args->record.opts.attrs;
	double seconds = (double)t->last.ns / 1e9;
	struct strbuf text = STRBUF_INIT;

	strbuf__addf(&text, "   PerfTop: %7.0f irqs/sec  kernel:%4.1f%%  lost: %llu/%llu  [",
		     seconds > 0 ? (double)t->last.samples / seconds : 0, kernel_share(&t->screen.view),
		     (unsigned long long)t->last.lost, (unsigned long long)t->total.lost);
	if (l->evsels.nr && !attrs->rate.period)
		strbuf__addf(&text, "%lluHz ", (unsigned long long)attrs->rate.freq);
	for (size_t i = 0, nr = 0; i < l->evsels.nr; i++) {
		if (l->evsels.v[i]->attr.type == PERF_TYPE_SOFTWARE &&
		    l->evsels.v[i]->attr.config == PERF_COUNT_SW_DUMMY)
			continue;
		strbuf__addstr(&text, nr++ ? "," : "");
		strbuf__add_masked(&text, l->evsels.v[i]->name);
	}
	strbuf__addf(&text, "]  perf: %.1f%% of a CPU\n",
		     t->last.ns ? 100.0 * (double)t->last.cpu_ns / (double)t->last.ns : 0);
	fputs(text.buf, out);
	strbuf__reset(&text);
	strbuf__addchars(&text, '-', 79);
	fprintf(out, "%s\n\n", text.buf);
	strbuf__exit(&text);
}

static void print_table(struct top *t)
{
	const struct top_args *a = t->args;
	bool on_terminal = term__is_tty(STDOUT_FILENO);
	unsigned lines = on_terminal ? (unsigned)term__lines_of(STDOUT_FILENO) : 0;
	unsigned rows = a->entries ? a->entries : lines > HEAD_LINES + 1 ? lines - HEAD_LINES : ENTRIES;
	struct stdio_opts opts = {
		.out = stdout,
		.columns = on_terminal ? (unsigned)term__columns_of(STDOUT_FILENO) : 0,
		.lines = lines,
		.one_tree = false,
		.tree_lines = lines / 2,
		.quiet = true,
		.style = a->report.style,
		.value = a->report.graph.value,
		.print_limit = a->report.graph.print_limit,
	};
	struct stdio_ui text;

	if (term__can_rewrite(STDOUT_FILENO))
		fputs("\033[H\033[2J", stdout);
	print_head(t, stdout);
	stdio_ui__init(&text, &opts);
	text.ui.skip_empty = true;
	text.ui.max_rows = rows;
	text.ui.percent_limit = MAX(a->report.table.percent_limit, 0);
	report_ui__show(&text.ui, &t->screen.view);
	stdio_ui__exit(&text);
	putchar('\n');
	fflush(stdout);
}

int top_text__run(struct top *t, struct err *err)
{
	int ret = 0;

	while (!ferror(stdout) && !*reading__interrupts() && (ret = top__wait(t, err)) > 0)
		print_table(t);
	return ret == -ENODATA || *reading__interrupts() ? 0 : ret;
}
