/* The screen about the recording: what it says of itself, and how complete it is. */
#include "browser/report_browser.h"
#include "format/read/features.h"
#include "ui/notes/completeness.h"
#include "ui/notes/missing_symbols.h"

#include <string.h>

static void add_number(struct text_lines *t, const char *what, u64 nr)
{
	text_lines__add(t, nr ? STYLE_HOT : STYLE_TEXT, "  %-36s %llu", what, (unsigned long long)nr);
}

static void info__add_completeness(struct text_lines *t, const struct profile *p)
{
	struct completeness c = completeness__of(p);
	u64 all, incomplete = unwind_stats__incomplete(&p->unwinding, &all);
	double borrowed = losses__borrowed_part(&p->session->losses);

	text_lines__add(t, STYLE_BOLD, "Completeness");
	text_lines__add(t, STYLE_TEXT, "  %-36s %llu", "samples", (unsigned long long)p->nr_samples);
	add_number(t, "lost samples", c.lost_samples);
	add_number(t, "lost records", c.lost_records);
	add_number(t, "malformed records", c.malformed);
	add_number(t, "samples of unknown events", c.unknown_event);
	if (all)
		text_lines__add(t, incomplete ? STYLE_WARM : STYLE_TEXT, "  %-36s %llu of %llu",
				"incomplete call chains", (unsigned long long)incomplete,
				(unsigned long long)all);
	if (unwind_stats__found(&p->unwinding))
		add_number(t, "call chains found, not proved", unwind_stats__found(&p->unwinding));
	if (borrowed > 0)
		text_lines__add(t, STYLE_WARM, "  %-36s %.1f%%", "waiting time with others' callers",
				100 * borrowed);
	text_lines__add(t, STYLE_TEXT, "  %-36s %s", "end of the file", c.end);
}

static void info__add_names(struct text_lines *t, struct view *v)
{
	struct strbuf text = STRBUF_INIT;

	missing_symbols__add_summary(v, &text);
	if (text.len)
		text_lines__add(t, STYLE_TEXT, "  %-36s %s", "names", text.buf + strspn(text.buf, "; "));
	strbuf__exit(&text);
}

static void info__make(struct browser *b, void *state)
{
	struct text_lines *t = state;
	struct strbuf text = STRBUF_INIT;

	text_lines__reset(t);
	info__add_completeness(t, report_of(b)->in->profile);
	info__add_names(t, browser__view(b));
	text_lines__add(t, STYLE_BOLD, "Command");
	browser__command_line(b, &text);
	text_lines__add(t, STYLE_TEXT, "  %s", text.buf);
	strbuf__reset(&text);
	text_lines__add(t, STYLE_BOLD, "Header");
	features__print(report_of(b)->in->session->reader, true, &text);
	text_lines__add_all(t, text.buf, NULL);
	strbuf__exit(&text);
}

static void info__draw(struct browser *b, void *state, const struct area *a)
{
	text_lines__draw(state, b, a, false);
}

static bool info__press(struct browser *b, void *state, const struct terminal_event *event)
{
	return text_lines__page(state, b, event->key);
}

static void info__end(void *state)
{
	text_lines__exit(state);
}

const struct screen info_screen = {
	.name = "recording",
	.key = 'i',
	.text = "the recording: how complete it is, its header",
	.state_size = sizeof(struct text_lines),
	.make = info__make,
	.draw = info__draw,
	.press = info__press,
	.end = info__end,
};
