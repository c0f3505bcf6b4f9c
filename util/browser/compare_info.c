/*
 * The screen about the comparison: its recordings, the unit of costs, and what may make functions look
 * changed.
 */
#include "browser/compare_browser.h"

#include "base/text/fit.h"
#include "profile/compare/compare_text.h"

struct compare_info {
	struct text_lines lines;
	unsigned columns; /* that they were made for */
};

static void add_sentences(struct compare_info *info, u32 style, const char *text)
{
	struct strbuf lines = STRBUF_INIT;
	size_t first = info->lines.v.nr;

	strbuf__addstr(&lines, "  ");
	fit__wrap(&lines, text, "    ", MAX(info->columns, 20u) - 2);
	text_lines__add_all(&info->lines, lines.buf, NULL);
	for (size_t i = first; i < info->lines.v.nr; i++)
		info->lines.v.v[i].style = style;
	strbuf__exit(&lines);
}

static void add_recording(struct text_lines *t, const struct compared_recording *r)
{
	struct strbuf path = STRBUF_INIT, arch = STRBUF_INIT;

	strbuf__add_masked(&path, r->path);
	strbuf__add_masked(&arch, r->arch ? r->arch : "");
	text_lines__add(t, STYLE_TEXT, "  %10llu samples  %-8s %s", (unsigned long long)r->costs.nr_samples,
			arch.buf, path.buf);
	strbuf__exit(&path);
	strbuf__exit(&arch);
}

static void info__make(struct browser *b, void *state)
{
	static const char *const sides[] = { "Old recordings", "New recordings" };
	struct compare_info *info = state;
	struct text_lines *t = &info->lines;
	const struct comparison *c = compare_of(b)->c;
	struct strbuf text = STRBUF_INIT;

	info->columns = b->grid.columns;
	text_lines__reset(t);
	for (u32 i = 0; compare_text__add_warning(&text, c, i); i++) {
		if (text.len)
			add_sentences(info, STYLE_HOT, text.buf);
		strbuf__reset(&text);
	}
	for (u32 side = 0; side < 2; side++) {
		text_lines__add(t, STYLE_BOLD, "%s", sides[side]);
		for (size_t i = 0; i < c->recordings.nr; i++)
			if (c->recordings.v[i].side == side)
				add_recording(t, &c->recordings.v[i]);
	}
	text_lines__add(t, STYLE_BOLD, "Costs");
	compare_text__add_total(&text, c, &compare_of(b)->style);
	add_sentences(info, STYLE_TEXT, text.buf);
	strbuf__reset(&text);
	compare_text__add_changes(&text, c, &compare_of(b)->style);
	add_sentences(info, STYLE_TEXT, text.buf);
	text_lines__add(t, STYLE_BOLD, "Functions, and their colours and signs in the flame graph");
	for (u32 i = NR_VERDICTS; i-- > 0;) {
		u32 style = style_of_verdict((enum verdict)i);

		text_lines__add(t, style, " %c%10u %-12s", flame__sign(style), c->nr_verdicts[i],
				verdict__name((enum verdict)i));
	}
	strbuf__exit(&text);
}

static void info__draw(struct browser *b, void *state, const struct area *a)
{
	struct compare_info *info = state;

	if (info->columns != b->grid.columns)
		info__make(b, info);
	text_lines__draw(&info->lines, b, a, false);
}

static bool info__press(struct browser *b, void *state, const struct terminal_event *event)
{
	struct compare_info *info = state;

	return text_lines__page(&info->lines, b, event->key);
}

static void info__end(void *state)
{
	struct compare_info *info = state;

	text_lines__exit(&info->lines);
}

const struct screen compare_info_screen = {
	.name = "comparison",
	.key = 'i',
	.text = "the recordings, and what may make functions look changed",
	.state_size = sizeof(struct compare_info),
	.make = info__make,
	.draw = info__draw,
	.press = info__press,
	.end = info__end,
};
