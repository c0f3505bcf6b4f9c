#include "record/events/event_filters.h"

#include "event/evsel/event_request.h"
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

/*
 * Append the field names of a tracepoint's format: lines "field:TYPE NAME;", where NAME may end in [SIZE].
 */
static void add_fields(const char *format, struct strbuf *names)
{
	for (const char *p = format; (p = strstr(p, "field:")); p++) {
		const char *end = p + strcspn(p, ";\n"), *name = end;

		for (const char *q = p; q < end; q++)
			if (*q == '[' && end == name)
				end = q;
		for (name = end; name > p && name[-1] != ' ' && name[-1] != '*'; name--)
			;
		if (strncmp(name, "common_", 7) || !strncmp(name, "common_pid", 10))
			strbuf__addf(names, "%s%.*s", names->len ? ", " : "", (int)(end - name), name);
	}
}

static void advise_fields(const struct evsel *e, struct err *err)
{
	struct strbuf mount = STRBUF_INIT, format = STRBUF_INIT, names = STRBUF_INIT;
	char *system = xstrdup(e->request->tracepoint ? e->request->tracepoint : ""),
	     *colon = strchr(system, ':');

	if (colon && !tracefs__find(&mount, NULL)) {
		*colon = '\0';
		if (!tracefs__event_format(mount.buf, system, colon + 1, &format))
			add_fields(format.buf, &names);
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

int event_filters__set(const struct evlist *l, const struct counters *c, struct err *err)
{
	for (size_t i = 0; i < c->v.nr; i++) {
		const struct evsel *e = l->evsels.v[c->v.v[i].evsel];
		int ret = 0;

		if (e->request->filter && ioctl(c->v.v[i].fd, PERF_EVENT_IOC_SET_FILTER, e->request->filter))
			ret = -errno;
		if (!ret)
			continue;
		err__set(err, ret, "the kernel does not take the filter '%s' of '%s' (%s)",
			 e->request->filter, e->name, err__str(ret));
		if (e->request->tracepoint)
			advise_fields(e, err);
		return ret;
	}
	return 0;
}
