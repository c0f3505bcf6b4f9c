/* The browser of a recording that continues (perf top): its keys, and updates when samples come. */
#include "browser/report_browser.h"

#include "base/message/called_name.h"

#include <errno.h>

static struct live *live_of(const struct browser *b)
{
	return report_of(b)->in->live;
}

/* Let the screens note their selection, before the view changes. */
static void keep_places(struct browser *b)
{
	const struct screen *s;

	for (size_t i = 0; (s = b->kind->screens[i]); i++)
		if (b->states[i] && b->made[i] == b->generation && s->keep)
			s->keep(b, b->states[i]);
}

static void live__end(struct browser *b, int ret)
{
	if (ret == -ENODATA)
		browser__say(b, "The recording has ended; q leaves");
	else
		browser__say(b, "%s", b->err->text.buf);
	report_of(b)->in->live->fd = -1;
}

bool live__wait(struct browser *b)
{
	struct live *live = live_of(b);
	bool is_held = b->menu.nr || b->prompt.label; /* the menu or prompt shows the view as it is */
	int ret;

	if (!terminal__wait(is_held ? -1 : live->fd))
		return true;
	keep_places(b);
	ret = live->take(live, zooms__filter(&report_of(b)->zooms), b->err);
	if (ret < 0)
		live__end(b, ret);
	else if (ret)
		browser__changed(b);
	return false;
}

/* ---- keys ---- */

static void run_command(struct browser *b, enum live_command c)
{
	struct strbuf said = STRBUF_INIT;

	live_of(b)->command(live_of(b), c, &said);
	browser__say(b, "%s", said.buf);
	strbuf__exit(&said);
}

void live__hold(struct browser *b)
{
	if (live_of(b) && !live_of(b)->is_frozen)
		run_command(b, LIVE_FREEZE);
}

static void freeze(struct browser *b, void *state)
{
	(void)state;
	run_command(b, LIVE_FREEZE);
}

static void zero(struct browser *b, void *state)
{
	(void)state;
	run_command(b, LIVE_ZERO);
}

static void zero_always(struct browser *b, void *state)
{
	(void)state;
	run_command(b, LIVE_ZERO_ALWAYS);
}

static void switch_events(struct browser *b, void *state)
{
	(void)state;
	run_command(b, LIVE_EVENTS);
}

static void faster(struct browser *b, void *state)
{
	(void)state;
	run_command(b, LIVE_FASTER);
}

static void slower(struct browser *b, void *state)
{
	(void)state;
	run_command(b, LIVE_SLOWER);
}

static void written(struct browser *b, const char *path)
{
	struct live *live = live_of(b);

	if (!path)
		return;
	path = *path ? path : "perf.data";
	if (live->write(live, path, b->err))
		browser__say(b, "%s", b->err->text.buf);
	else
		browser__say(b, "'%s' has the newest samples; %s report -i shows them", path, called_name());
}

static void write_samples(struct browser *b, void *state)
{
	(void)state;
	browser__ask(b, "Write the samples to (perf.data): ", NULL, written);
}

const struct key_row live_keys[] = {
	{ ' ', "blank", "freeze the screen, or go on", freeze },
	{ 'z', "z", "each screen alone, or older samples, too", zero_always },
	{ 'Z', "Z", "forget what was counted until now", zero },
	{ 'f', "f", "switch the events off, or on", switch_events },
	{ '<', "<", "a new screen sooner", faster },
	{ '>', ">", "a new screen later", slower },
	{ 'w', "w", "write the newest samples as a recording", write_samples },
	{ 0 },
};
