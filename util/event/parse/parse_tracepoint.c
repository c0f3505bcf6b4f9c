/* SYSTEM:NAME: the kernel's tracepoints. */
#include "event/parse/parse_private.h"

#include "base/text/glob.h"
#include "event/tracepoint/tracefs.h"

#include <errno.h>
#include <string.h>

/* Return 0 if tracefs is available, otherwise an error with err. */
static int parser__tracefs(struct parser *ps, const char **path)
{
	int ret = 0;

	if (ps->opts->tracefs) {
		*path = ps->opts->tracefs;
		return 0;
	}
	if (!ps->mount.len)
		ret = tracefs__find(&ps->mount, ps->err);
	*path = ps->mount.buf;
	return ret;
}

/* ---- suggestions ---- */

struct offer_tracepoints {
	struct suggest *suggest;
	struct arena *names;
	const char *tracefs, *system;
};

static int offer_one(const char *system, const char *event, void *ctx)
{
	struct offer_tracepoints *o = ctx;

	suggest__offer(o->suggest, arena__strdup(o->names, event ? event : system));
	return 0;
}

static void offer_names(void *ctx, struct suggest *s, struct arena *names)
{
	struct offer_tracepoints *o = ctx;

	o->suggest = s;
	o->names = names;
	if (o->system)
		tracefs__for_each_event(o->tracefs, o->system, NULL, offer_one, o);
	else
		tracefs__for_each_system(o->tracefs, offer_one, o);
}

/* ---- the event ---- */

struct add_tracepoints {
	struct parser *ps;
	const char *tracefs;
	size_t nr;
	bool several; /* a pattern: each evsel gets its own name */
};

static int add_tracepoint(const char *system, const char *event, void *ctx)
{
	struct add_tracepoints *a = ctx;
	struct err err = ERR_INIT;
	struct evsel *e;
	u64 id;
	int ret = tracefs__event_id(a->tracefs, system, event, &id, &err);

	err__exit(&err);
	if (ret)
		/* of several: skip events without an id, which only the kernel uses */
		return a->several ? 0 : ret;
	e = parser__add(a->ps, PERF_TYPE_TRACEPOINT, id);
	e->attr.sample_period = 1;
	e->attr.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	e->request->tracepoint = xasprintf("%s:%s", system, event);
	if (a->several)
		e->name = xstrdup(e->request->tracepoint);
	a->nr++;
	return 0;
}

static int is_system(const char *system, const char *event, void *ctx)
{
	(void)event;
	return glob__match(ctx, system);
}

static int parser__no_event(struct parser *ps, const char *tracefs, const char *system, struct word name,
			    int error)
{
	struct offer_tracepoints o = { .tracefs = tracefs, .system = system };

	if (error && error != -ENOENT) {
		parser__fail_with(ps, error, name, "cannot read the id (%s) of the tracepoint",
				  err__str(error));
		return error;
	}
	parser__fail(ps, name, "the kernel has no tracepoint of system %s called", system);
	parser__suggest(ps, name, offer_names, &o);
	return -EINVAL;
}

int parser__tracepoint(struct parser *ps)
{
	struct word head = parser__word(ps), tail = { head.p + head.len + 1, 0 };
	struct add_tracepoints a = { .ps = ps };
	char *system, *name;
	int ret;

	tail.len = strcspn(tail.p, ",:/{} \t\n");
	if (!tail.len || parser__tracefs(ps, &a.tracefs))
		return -ENOENT; /* parser__no_system reports the error */
	system = word__dup(head);
	name = word__dup(tail);
	a.several = glob__is_pattern(system) || glob__is_pattern(name);
	if (tracefs__for_each_system(a.tracefs, is_system, system) != 1) {
		ret = -ENOENT;
	} else {
		if (a.several)
			ret = tracefs__for_each_event(a.tracefs, system, name, add_tracepoint, &a);
		else
			ret = add_tracepoint(system, name, &a);
		if (!a.nr)
			ret = parser__no_event(ps, a.tracefs, system, tail, ret);
		ps->p = tail.p + tail.len;
		ps->head = (struct word){ head.p, head.len + 1 + tail.len };
	}
	free(system);
	free(name);
	return ret;
}

int parser__no_system(struct parser *ps)
{
	struct word w = parser__word(ps);
	struct offer_tracepoints o = { .system = NULL };
	int ret = parser__tracefs(ps, &o.tracefs);

	if (ret)
		return ret;
	parser__fail(ps, w, "no event and no system of tracepoints is called");
	parser__suggest(ps, w, offer_names, &o);
	return -EINVAL;
}
