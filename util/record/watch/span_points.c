#include "record/watch/span_points.h"

#include "base/message/msg.h"
#include "event/evsel/event_request.h"
#include "event/pmu/pmu.h"
#include "event/tracepoint/tracefs.h"
#include "format/records/span_detail.h"
#include "live/counter.h"
#include "record/watch/watch_name.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <unistd.h>

/* ---- the event ---- */

int span_points__add_event(struct evlist *l, const char *text, struct err *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_BPF_OUTPUT,
					.sample_period = 1 };
	const char *dots = strstr(text, "..");
	struct span_spec *spec;
	struct evsel *e;
	char *name;

	if (!*text || dots == text || (dots && !dots[2]))
		return err__set(
			err, -EINVAL,
			"--span: '%s' is neither a function nor BEGIN..END of two functions or events", text);
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->span && evsel__has_spans(l->evsels.v[i]) &&
		    !strcmp(evsel__span_name(l->evsels.v[i]), text))
			return err__set(err, -EINVAL, "--span: '%s' is given twice", text);
	name = xasprintf("%s%s", SPAN_EVENT_PREFIX, text);
	e = evlist__add_request(l, &attr, name);
	free(name);
	spec = e->request->span = xcalloc(1, sizeof(*spec));
	spec->begin = dots ? xasprintf("%.*s", (int)(dots - text), text) : xstrdup(text);
	spec->end = dots ? xstrdup(dots + 2) : NULL;
	e->request->own_period = true;
	e->request->terms.call_graph = CALL_GRAPH_NO;
	return 0;
}

bool evlist__has_span_points(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->span)
			return true;
	return false;
}

/* ---- places ---- */

struct finding {
	struct scope *scope;
	struct err *err;
	u32 uprobe_type; /* of the PMU; 0: there is none, or this user may not set probes */
	struct span_spec *span;
};

/* Split "BINARY:FUNCTION", and "FUNCTION@FILE.c"; "::" is of the function. */
static struct watch_spec *parse_function(const char *where)
{
	struct watch_spec *spec = xcalloc(1, sizeof(*spec));
	const char *name = where, *colon = strchr(where, ':'), *at, *dot;

	if (colon && colon > where && colon[1] != ':') {
		spec->dso = xasprintf("%.*s", (int)(colon - where), where);
		name = colon + 1;
	}
	at = strrchr(name, '@');
	dot = at ? strrchr(at, '.') : NULL;
	if (!dot || !isalpha((unsigned char)dot[1]))
		at = NULL; /* it is a symbol version such as GLIBC_2.2.5 */
	spec->symbol = at ? xasprintf("%.*s", (int)(at - name), name) : xstrdup(name);
	spec->file = at ? xstrdup(at + 1) : NULL;
	spec->access = HW_BREAKPOINT_X;
	return spec;
}

static int finding__add_probe(struct finding *f, const struct elf_object *o, u64 addr, bool is_end,
			      bool is_return)
{
	struct span_point p = { .is_end = is_end, .is_return = is_return, .type = f->uprobe_type };

	if (!elf_object__file_offset(o, addr, &p.offset))
		return err__set(f->err, -EINVAL, "--span: 0x%llx is not in the file '%s'",
				(unsigned long long)addr, elf_object__path(o));
	p.target = elf_object__open_path(o);
	array__add(&f->span->points, p);
	return 0;
}

static u64 function_size(const struct elf_object *o, const struct watch_spec *spec, u64 addr)
{
	elf_name_array names = { 0 };
	u64 size = 0;

	elf_object__find(o, spec->symbol, spec->file, &names);
	for (size_t i = 0; i < names.nr; i++)
		if (names.v[i].addr == addr)
			size = names.v[i].size;
	array__exit(&names);
	return size;
}

/* Find the entry of a function; with_ends: and its returns. */
static int finding__add_function(struct finding *f, const char *where, bool with_ends, bool is_end)
{
	struct watch_spec *spec = parse_function(where);
	struct watch_name n = { 0 };
	int ret;

	if (!spec->dso && f->scope->target->system_wide && !f->scope->argv) {
		ret = err__set(f->err, -EINVAL, "--span: '%s' may be in any program", where);
		err__advise(f->err, "say in which: --span BINARY:%s", where);
	} else {
		ret = watch_name__find(&n, spec, f->scope, SPAN_USER, f->err);
	}
	if (!ret)
		ret = finding__add_probe(f, n.object, n.addr, is_end, false);
	if (!ret && with_ends)
		ret = finding__add_probe(f, n.object, n.addr, true, true);
	(void)function_size;
	watch_name__exit(&n);
	watch_spec__delete(spec);
	return ret;
}

/* Return whether where is a tracepoint, and add it. */
static bool finding__add_tracepoint(struct finding *f, const char *where, bool is_end)
{
	const char *colon = strchr(where, ':');
	char *system = colon ? xasprintf("%.*s", (int)(colon - where), where) : NULL;
	struct span_point p = { .is_end = is_end, .type = PERF_TYPE_TRACEPOINT };
	struct strbuf mount = STRBUF_INIT;
	bool found = system && !strchr(system, '/') && !tracefs__find(&mount, NULL) &&
		     !tracefs__event_id(mount.buf, system, colon + 1, &p.config, NULL);

	if (found)
		array__add(&f->span->points, p);
	strbuf__exit(&mount);
	free(system);
	return found;
}

static int finding__add_event(struct finding *f, const char *where, bool is_end)
{
	return finding__add_tracepoint(f, where, is_end) ? 0 : finding__add_function(f, where, false, is_end);
}

static int finding__find(struct finding *f, struct evsel *e)
{
	const struct target *t = f->scope->target;
	int ret;

	f->span = e->request->span;
	span_spec__clear_points(f->span);
	if (f->span->end) {
		ret = finding__add_event(f, f->span->begin, false);
		if (!ret)
			ret = finding__add_event(f, f->span->end, true);
	} else {
		ret = finding__add_function(f, f->span->begin, true, false);
	}
	f->span->is_everywhere = !t->system_wide && !t->per_thread;
	if (!ret)
		e->attr.type = f->span->points.v[0].type;
	return ret;
}

/* Return the type of the PMU of probes, if this user may set them; else 0. */
static u32 probe_type(void)
{
	struct pmus pmus;
	struct pmu *pmu;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	int fd;

	pmus__init(&pmus, "/sys");
	pmu = pmus__find(&pmus, "uprobe");
	attr.type = pmu ? pmu->type : 0;
	pmus__exit(&pmus);
	if (!attr.type)
		return 0;
	fd = counter__open(&attr, -1, 0, -1); /* it has no path */
	if (fd >= 0)
		close(fd);
	return fd == -EACCES || fd == -EPERM ? 0 : attr.type;
}

int span_points__find(struct evlist *l, struct scope *scope, struct err *err)
{
	struct finding f = { .scope = scope, .err = err };
	int ret = 0;

	if (!evlist__has_span_points(l))
		return 0;
	f.uprobe_type = probe_type();
	for (size_t i = 0; !ret && i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->span)
			ret = finding__find(&f, l->evsels.v[i]);
	return ret;
}
