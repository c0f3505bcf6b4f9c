#include "browser/zoom.h"

#include "base/system/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *option;
	bool needs_reading;
} kinds[] = {
	[ZOOM_COMM] = { "comm", "--comms" },         [ZOOM_PID] = { "process", "--pid", true },
	[ZOOM_TID] = { "thread", "--tid", true },    [ZOOM_DSO] = { "binary", "--dsos" },
	[ZOOM_SYMBOL] = { "function", "--symbols" }, [ZOOM_STACKS] = { "stacks with", "-x -p" },
	[ZOOM_CPU] = { "CPU", "-C", true },          [ZOOM_SOCKET] = { "socket", "--socket-filter", true },
	[ZOOM_LOCK] = { "lock", "--lock", true },    [ZOOM_TIME] = { "time", "--time", true },
};

bool zoom_kind__needs_reading(enum zoom_kind kind)
{
	return kinds[kind].needs_reading;
}

void zooms__exit(struct zooms *z)
{
	while (zooms__pop(z) >= 0)
		;
	array__exit(&z->v);
	sample_filter__exit(&z->filter);
}

int zooms__pop(struct zooms *z)
{
	struct zoom *last;

	if (!z->v.nr)
		return -1;
	last = &z->v.v[--z->v.nr];
	free(last->text);
	return (int)last->kind;
}

void zooms__push(struct zooms *z, enum zoom_kind kind, const char *text)
{
	array__add(&z->v, ((struct zoom){ .kind = kind, .text = xstrdup(text) }));
}

void zooms__push_time(struct zooms *z, u64 start, u64 end)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu.%09llu,%llu.%09llu", (unsigned long long)(start / NS_PER_SECOND),
		 (unsigned long long)(start % NS_PER_SECOND), (unsigned long long)(end / NS_PER_SECOND),
		 (unsigned long long)(end % NS_PER_SECOND));
	zooms__push(z, ZOOM_TIME, text);
	z->v.v[z->v.nr - 1].span = (struct time_span){ start, end };
}

void zooms__push_stacks(struct zooms *z, const char *function)
{
	struct strbuf pattern = STRBUF_INIT;

	strbuf__addch(&pattern, '^');
	for (const char *c = function; *c; c++) {
		if (strchr("\\^$.[]|()*+?{}", *c))
			strbuf__addch(&pattern, '\\');
		strbuf__addch(&pattern, *c);
	}
	strbuf__addch(&pattern, '$');
	zooms__push(z, ZOOM_STACKS, pattern.buf);
	strbuf__exit(&pattern);
}

/* Return the last filter of a kind: it is the one that counts. */
static const struct zoom *zooms__last(const struct zooms *z, enum zoom_kind kind)
{
	for (size_t i = z->v.nr; i--;)
		if (z->v.v[i].kind == kind)
			return &z->v.v[i];
	return NULL;
}

static void add_name(struct name_list *l, const struct zoom *z)
{
	if (!z)
		return;
	l->given = true;
	array__add(&l->v, xstrdup(z->text)); /* not parsed: it may have a comma */
}

const struct sample_filter *zooms__filter(struct zooms *z)
{
	bool any = false;

	sample_filter__exit(&z->filter);
	z->filter = (struct sample_filter){ 0 };
	add_name(&z->filter.comms, zooms__last(z, ZOOM_COMM));
	add_name(&z->filter.dsos, zooms__last(z, ZOOM_DSO));
	add_name(&z->filter.symbols, zooms__last(z, ZOOM_SYMBOL));
	for (size_t i = 0; i < z->v.nr; i++)
		any |= !kinds[z->v.v[i].kind].needs_reading;
	return any ? &z->filter : NULL;
}

bool zooms__choose_code(const struct zooms *z)
{
	return zooms__last(z, ZOOM_DSO) || zooms__last(z, ZOOM_SYMBOL) || zooms__last(z, ZOOM_STACKS);
}

const char *zooms__stacks(const struct zooms *z)
{
	const struct zoom *stacks = zooms__last(z, ZOOM_STACKS);

	return stacks ? stacks->text : NULL;
}

void zooms__set_args(const struct zooms *z, struct sample_args *a)
{
	const struct zoom *pid = zooms__last(z, ZOOM_PID), *tid = zooms__last(z, ZOOM_TID),
			  *cpu = zooms__last(z, ZOOM_CPU), *socket = zooms__last(z, ZOOM_SOCKET),
			  *lock = zooms__last(z, ZOOM_LOCK);

	a->filter.pids = pid ? pid->text : a->filter.pids;
	a->filter.tids = tid ? tid->text : a->filter.tids;
	a->filter.cpus = cpu ? cpu->text : a->filter.cpus;
	a->filter.locks = lock ? lock->text : a->filter.locks;
	a->socket = socket ? (int)strtol(socket->text, NULL, 10) : a->socket;
}

void zooms__describe(const struct zooms *z, struct strbuf *sb)
{
	for (size_t i = 0; i < z->v.nr; i++) {
		const struct zoom *f = &z->v.v[i];

		strbuf__addf(sb, "%s%s ", i ? " > " : "", kinds[f->kind].name);
		if (f->kind == ZOOM_TIME)
			strbuf__addf(sb, "%.3f to %.3f s", (double)f->span.start / NS_PER_SECOND,
				     (double)f->span.end / NS_PER_SECOND);
		else
			strbuf__addstr(sb, f->text);
	}
}

/* Times intersect: the last one is inside of those before it. */
void zooms__add_options(const struct zooms *z, struct strbuf *sb)
{
	for (enum zoom_kind kind = ZOOM_COMM; kind <= ZOOM_TIME; kind++) {
		const struct zoom *f = zooms__last(z, kind);

		if (!f)
			continue;
		strbuf__addf(sb, " %s ", kinds[kind].option);
		strbuf__add_shell_word(sb, f->text);
	}
}
