#include "record/events/event_filters.h"

#include "event/evsel/event_request.h"
#include "event/tracepoint/trace_fields.h"
#include "event/tracepoint/tracefs.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

/* Return whether e can have a filter. PMU types assigned at boot are above those in <linux/perf_event.h>. */
static bool has_filters(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT || e->attr.type >= PERF_TYPE_MAX;
}

int event_filters__add(struct evlist *l, size_t first, const char *text, struct err *err)
{
	if (first >= l->evsels.nr)
		return err__set(err, -EINVAL, "'%s' has no event to filter: --filter follows its -e", text);
	for (size_t i = first; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];

		if (!has_filters(e))
			return err__set(err, -EINVAL,
					"'%s' cannot be filtered: only tracepoints and tracers can", e->name);
	}
	for (size_t i = first; i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];
		char *both = e->attr.type != PERF_TYPE_TRACEPOINT
				     ? xasprintf("%s,%s", e->request->filter, text)
				     : xasprintf("(%s) && (%s)", e->request->filter, text);

		if (!e->request->filter) {
			free(both);
			both = xstrdup(text);
		}
		free(e->request->filter);
		e->request->filter = both;
	}
	return 0;
}

/* Append the names of the fields in a tracepoint's format that a filter may use. */
static void add_fields(const struct strbuf *format, struct strbuf *names)
{
	const struct trace_text text = { format->buf, format->len };
	struct trace_fields fields = { .nr_common = 0 };
	struct arena arena = ARENA_INIT;

	trace_fields__parse(&fields, &text, sizeof(long), &arena); /* up to a line that is not understood */
	for (size_t i = 0; i < fields.v.nr; i++) {
		const char *name = fields.v.v[i].name;

		if (strncmp(name, "common_", 7) || !strcmp(name, "common_pid"))
			strbuf__addf(names, "%s%s", names->len ? ", " : "", name);
	}
	trace_fields__exit(&fields);
	arena__exit(&arena);
}

static void advise_fields(const struct evsel *e, struct err *err)
{
	struct strbuf mount = STRBUF_INIT, format = STRBUF_INIT, names = STRBUF_INIT;
	char *system = xstrdup(e->request->tracepoint ? e->request->tracepoint : ""),
	     *colon = strchr(system, ':');

	if (colon && !tracefs__find(&mount, NULL)) {
		*colon = '\0';
		if (!tracefs__event_format(mount.buf, system, colon + 1, &format))
			add_fields(&format, &names);
	}
	if (names.len)
		err__advise(err, "fields of %s: %s", e->request->tracepoint, names.buf);
	err__advise(err,
		    "a filter is as 'FIELD == 5 && OTHER ~ \"glob*\"', with ==, !=, <, >, <=, >=, & and ~");
	free(system);
	strbuf__exit(&mount);
	strbuf__exit(&format);
	strbuf__exit(&names);
}

int event_filter__explain(const struct evsel *e, int error, struct err *err)
{
	err__set(err, error, "the kernel does not take the filter '%s' of '%s' (%s)", e->request->filter,
		 e->name, err__str(error));
	if (e->request->tracepoint)
		advise_fields(e, err);
	return error;
}

int event_filters__set(const struct evlist *l, const struct counters *c, struct err *err)
{
	for (size_t i = 0; i < c->v.nr; i++) {
		const struct evsel *e = l->evsels.v[c->v.v[i].evsel];

		if (e->request->filter && ioctl(c->v.v[i].fd, PERF_EVENT_IOC_SET_FILTER, e->request->filter))
			return event_filter__explain(e, -errno, err);
	}
	return 0;
}
