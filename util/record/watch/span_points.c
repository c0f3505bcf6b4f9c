#include "record/watch/span_points.h"

#include "base/message/msg.h"
#include "binary/code/function_ends.h"
#include "binary/elf/return_probes.h"
#include "binary/elf/sdt_notes.h"
#include "event/evsel/event_request.h"
#include "event/pmu/pmu.h"
#include "event/tracepoint/tracefs.h"
#include "format/records/span_detail.h"
#include "live/counter.h"
#include "record/watch/watch_name.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

/* ---- the event ---- */

/* Find ".." between two places; in a path it is a folder. */
static const char *find_dots(const char *text)
{
	const char *dots = strstr(text, "..");

	while (dots && (dots[2] == '/' || (dots > text && dots[-1] == '/')))
		dots = strstr(dots + 2, "..");
	return dots;
}

int span_points__add_event(struct evlist *l, const char *text, struct err *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_BPF_OUTPUT,
					.sample_period = 1 };
	const char *dots = find_dots(text);
	struct span_spec *spec;
	struct evsel *e;
	char *name;

	if (!*text || dots == text || (dots && !dots[2]))
		return err__set(
			err, -EINVAL,
			"--span: '%s' is neither a function nor BEGIN..END of two functions or events", text);
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->span && !strcmp(evsel__span_name(l->evsels.v[i]), text))
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

enum { ENDS_MOST = 32 }; /* of a function with a probe each; a return probe is one */

struct place { /* in a binary; addresses as linked */
	struct elf_object *object;
	u64 addr;
	u64 semaphore; /* of a static probe; 0: none */
	bool is_end, is_return, is_shared;
};

struct finding {
	struct scope *scope;
	struct err *err;
	bool inherit;
	u32 uprobe_type; /* of the PMU; 0: there is none, or this user may not set probes */
	size_t most;     /* of places that a function may have */
	struct span_spec *span;
	ARRAY(struct place) places;
};

/* Split "BINARY:FUNCTION"; "::" is of the function. */
static struct watch_spec *parse_function(const char *where)
{
	const char *colon = strchr(where, ':');
	bool has_binary = colon && colon > where && colon[1] != ':';
	struct watch_spec *spec = watch_spec__of_function(has_binary ? colon + 1 : where);

	if (has_binary)
		spec->dso = xasprintf("%.*s", (int)(colon - where), where);
	return spec;
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

static void finding__add(struct finding *f, struct elf_object *o, u64 addr, bool is_end, bool is_shared)
{
	array__add(&f->places,
		   ((struct place){ .object = o, .addr = addr, .is_end = is_end, .is_shared = is_shared }));
}

/* Does the function leave by jumping to another one? *to_itself: to its own beginning. */
static bool has_tail_calls(const struct function_ends *e, u64 entry, bool *to_itself)
{
	bool any = false;

	for (size_t i = 0; i < e->tails.nr; i++) {
		*to_itself |= e->tails.v[i].target == entry;
		any |= e->tails.v[i].target != entry && e->tails.v[i].kind != TAIL_UNSURE;
	}
	return any;
}

static bool has_addr(const u64_array *addrs, u64 addr)
{
	for (size_t i = 0; i < addrs->nr; i++)
		if (addrs->v[i] == addr)
			return true;
	return false;
}

/*
 * Add where a function ends, and where those return that it jumps to; seen: the entries so far. is_shared:
 * others call it, too. Return false if that is not known of one of them, or if there are too many places.
 */
static bool finding__follow(struct finding *f, struct function_reader *r, struct elf_object *o,
			    const struct function_ends *e, bool is_shared, u64_array *seen)
{
	bool ok = e->is_decoded && e->returns.nr + e->tails.nr;

	for (size_t i = 0; ok && i < e->returns.nr; i++)
		finding__add(f, o, e->returns.v[i], true, is_shared);
	for (size_t i = 0; ok && i < e->tails.nr; i++) {
		const struct tail_call *t = &e->tails.v[i];
		struct function_ends next = { 0 };

		if (t->kind == TAIL_UNSURE && e->returns.nr)
			continue; /* a switch */
		if (has_addr(seen, t->target))
			continue;
		array__add(seen, t->target);
		ok = t->target && f->places.nr <= f->most &&
		     !function_ends__find(&next, r, t->target, 0, NULL) &&
		     finding__follow(f, r, o, &next, true, seen);
		function_ends__exit(&next);
	}
	return ok && f->places.nr <= f->most;
}

/* Add where a function is left: of a conditional jump to another one, that one's entry. */
static void finding__add_ends(struct finding *f, struct elf_object *o, u64 entry,
			      const struct function_ends *e)
{
	for (size_t i = 0; i < e->returns.nr; i++)
		finding__add(f, o, e->returns.v[i], true, false);
	for (size_t i = 0; i < e->tails.nr; i++) {
		const struct tail_call *t = &e->tails.v[i];

		if (t->target != entry && t->kind == TAIL_ALWAYS)
			finding__add(f, o, t->addr, true, false);
		else if (t->target != entry && t->kind == TAIL_CONDITIONAL)
			finding__add(f, o, t->target, true, true);
	}
}

static int finding__choose_ends(struct finding *f, const char *where, const struct watch_name *n,
				struct function_reader *r, const struct function_ends *e, bool is_plain_c)
{
	bool has_tails = has_tail_calls(e, n->addr, &f->span->restarts), follows;
	size_t nr = f->places.nr;
	u64_array seen = { 0 };

	if (e->is_decoded && !e->returns.nr && !e->tails.nr)
		return err__set(f->err, -EINVAL, "--span: '%s' never returns", where);
	if (is_plain_c && f->uprobe_type && (!e->is_decoded || has_tails || e->returns.nr > ENDS_MOST)) {
		finding__add(f, n->object, n->addr, true, false);
		f->places.v[nr].is_return = true;
		return 0;
	}
	if (!e->is_decoded) {
		err__set(f->err, -EINVAL, "--span: where '%s' returns is not known: 0x%llx is %s", where,
			 (unsigned long long)e->unknown_at, e->unknown);
		err__advise(f->err, "name two functions: --span 'BEGIN..END'");
		return -EINVAL;
	}
	array__add(&seen, n->addr);
	follows = finding__follow(f, r, n->object, e, false, &seen);
	array__exit(&seen);
	if (follows)
		return 0;
	f->places.nr = nr;
	finding__add_ends(f, n->object, n->addr, e);
	if (has_tails)
		info("--span: '%s' leaves the last of its work to a function that it jumps to (a tail call): "
		     "its "
		     "spans end there",
		     where);
	return 0;
}

/* Would return probes break the program that has this binary? A library may be part of any program. */
static bool finding__breaks_programs(struct finding *f, const char *path)
{
	bool breaks = return_probes__broken_by("", path) != NULL ||
		      (!f->scope->argv && f->scope->target->system_wide);

	if (scope__programs(f->scope, NULL))
		return true;
	for (size_t i = 0; i < f->scope->objects.nr; i++) {
		char *program = elf_object__open_path(f->scope->objects.v[i].elf);

		breaks |= f->scope->objects.v[i].is_program && return_probes__broken_by("", program);
		free(program);
	}
	return breaks;
}

static int finding__find_ends(struct finding *f, const char *where, const struct watch_spec *spec,
			      const struct watch_name *n)
{
	char *path = elf_object__open_path(n->object);
	struct function_reader *r = NULL;
	struct function_ends e = { 0 };
	int ret = function_reader__open(&r, "", path, NULL, f->err);

	if (!ret)
		ret = function_ends__find(&e, r, n->addr, function_size(n->object, spec, n->addr), f->err);
	if (!ret)
		ret = finding__choose_ends(f, where, n, r, &e, !finding__breaks_programs(f, path));
	function_ends__exit(&e);
	function_reader__delete(r);
	free(path);
	return ret;
}

/* Find the entry of a function; with_ends: and where it returns. */
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
		finding__add(f, n.object, n.addr, is_end, false);
	if (!ret && with_ends)
		ret = finding__find_ends(f, where, spec, &n);
	watch_name__exit(&n);
	watch_spec__delete(spec);
	return ret;
}

/* ---- static probes ---- */

static int refuse_breakpoints(const struct finding *f, const char *why)
{
	err__set(f->err, -EACCES, "--span: this user may not set probes, and %s", why);
	err__advise(f->err, "record as root");
	return -EACCES;
}

/* Add the places of a static probe in a binary, and return how many there are. */
static size_t finding__add_notes(struct finding *f, struct elf_object *o, const char *provider,
				 const char *name, bool is_end)
{
	char *path = elf_object__open_path(o);
	const struct sdt_probe *probe;
	struct sdt_notes notes;
	size_t nr =
		sdt_notes__read(&notes, "", path, NULL) ? 0 : sdt_notes__find(&notes, provider, name, &probe);

	for (size_t i = 0; i < nr; i++) {
		finding__add(f, o, probe[i].addr, is_end, false);
		f->places.v[f->places.nr - 1].semaphore = probe[i].semaphore;
	}
	sdt_notes__exit(&notes);
	free(path);
	return nr;
}

/* Look in this binary, or in the programs and libraries of the target. */
static int finding__search_notes(struct finding *f, const char *binary, const char *provider,
				 const char *name, bool is_end)
{
	struct scope *s = f->scope;
	struct elf_object *o;
	size_t nr = 0;
	int ret = 0;

	if (binary) {
		o = scope__binary(s, binary, &ret, f->err);
		return !o ? ret : finding__add_notes(f, o, provider, name, is_end) ? 0 : -ENOENT;
	}
	ret = scope__programs(s, f->err);
	if (!ret)
		ret = scope__libraries(s, f->err);
	for (size_t i = 0; !ret && i < s->objects.nr; i++)
		nr += finding__add_notes(f, s->objects.v[i].elf, provider, name, is_end);
	return ret ? ret : nr ? 0 : -ENOENT;
}

/* Return what follows "sdt_", at the beginning or after a colon; NULL: it is no static probe. */
static const char *static_name(const char *where)
{
	const char *sdt = strstr(where, "sdt_");

	return sdt && (sdt == where || sdt[-1] == ':') ? sdt + strlen("sdt_") : NULL;
}

/* [BINARY:]sdt_PROVIDER:NAME; sdt: from there on, without "sdt_" */
static int finding__add_static(struct finding *f, const char *where, const char *sdt, bool is_end)
{
	const char *colon = strchr(sdt, ':');
	char *provider = xasprintf("%.*s", colon ? (int)(colon - sdt) : 0, sdt);
	size_t before = (size_t)(sdt - where) - strlen("sdt_");
	char *binary = before ? xasprintf("%.*s", (int)before - 1, where) : NULL;
	int ret = -ENOENT;

	if (!f->uprobe_type)
		ret = refuse_breakpoints(f, "static probes need the same right");
	else if (colon)
		ret = finding__search_notes(f, binary, provider, colon + 1, is_end);

	if (ret == -ENOENT && !f->err->code) {
		err__set(f->err, ret, "--span: no static probe '%s'", where);
		err__advise(f->err, "its form is [BINARY:]sdt_PROVIDER:NAME; readelf -n BINARY lists them");
	}
	free(binary);
	free(provider);
	return ret;
}

/* ---- probes ---- */

static int finding__use_probes(struct finding *f)
{
	for (size_t i = 0; i < f->places.nr; i++) {
		const struct place *place = &f->places.v[i];
		struct span_point p = { .is_end = place->is_end,
					.is_return = place->is_return,
					.is_shared = place->is_shared,
					.type = f->uprobe_type };

		if (!elf_object__file_offset(place->object, place->addr, &p.offset))
			return err__set(f->err, -EINVAL, "--span: 0x%llx is not in the file '%s'",
					(unsigned long long)place->addr, elf_object__path(place->object));
		if (place->semaphore &&
		    !elf_object__file_offset(place->object, place->semaphore, &p.semaphore))
			return err__set(f->err, -EINVAL, "--span: a semaphore of '%s' is not in the file",
					elf_object__path(place->object));
		p.target = elf_object__open_path(place->object);
		array__add(&f->span->points, p);
	}
	return 0;
}

/* ---- breakpoints ---- */

static int finding__use_breakpoints(struct finding *f, struct evsel *e)
{
	struct watch_spec *spec = parse_function(f->span->begin);
	const struct span_point point = { .type = PERF_TYPE_BREAKPOINT };

	e->request->watch = spec;
	if (f->span->points.nr)
		return refuse_breakpoints(f, "tracepoints need the same right");
	if (f->places.nr > f->most)
		return refuse_breakpoints(
			f, "the function has more ends than the processor has breakpoints for");
	for (size_t i = 0; i < f->places.nr; i++) {
		const struct place *place = &f->places.v[i];

		if (place->object != f->places.v[0].object)
			return refuse_breakpoints(f, "breakpoints are in one binary");
		array__add(&spec->pieces, ((struct watch_piece){ place->addr, sizeof(long) }));
		array__add(&f->span->points, point);
		f->span->points.v[i].is_end = place->is_end;
		f->span->points.v[i].is_shared = place->is_shared;
	}
	return 0;
}

/* ---- all ---- */

/* Add a tracepoint. Return 0; -ENOENT: it is none; -EACCES: this user cannot know. */
static int finding__add_tracepoint(struct finding *f, const char *where, bool is_end)
{
	const char *colon = strchr(where, ':');
	char *system = colon ? xasprintf("%.*s", (int)(colon - where), where) : NULL;
	struct span_point p = { .is_end = is_end, .type = PERF_TYPE_TRACEPOINT };
	struct strbuf mount = STRBUF_INIT;
	int ret = !system || strchr(system, '/') ? -ENOENT : tracefs__find(&mount, NULL);

	if (!ret)
		ret = tracefs__event_id(mount.buf, system, colon + 1, &p.config, NULL);
	if (!ret)
		array__add(&f->span->points, p);
	strbuf__exit(&mount);
	free(system);
	return ret == -EACCES || !ret ? ret : -ENOENT;
}

static int finding__add_event(struct finding *f, const char *where, bool is_end)
{
	const char *sdt = static_name(where);
	int known = finding__add_tracepoint(f, where, is_end), ret;

	if (!known)
		return 0;
	if (sdt)
		return finding__add_static(f, where, sdt, is_end);
	ret = finding__add_function(f, where, false, is_end);
	if (ret && known == -EACCES)
		err__advise(f->err,
			    "if it is a tracepoint, record as root: /sys/kernel/tracing cannot be read");
	return ret;
}

static int finding__find(struct finding *f, struct evsel *e)
{
	const struct target *t = f->scope->target;
	int ret;

	f->span = e->request->span;
	span_spec__clear_points(f->span);
	f->places.nr = 0;
	if (f->span->end) {
		ret = finding__add_event(f, f->span->begin, false);
		if (!ret)
			ret = finding__add_event(f, f->span->end, true);
	} else if (static_name(f->span->begin)) {
		ret = err__set(f->err, -EINVAL, "--span: '%s' is a place, not a function: write BEGIN..END",
			       f->span->begin);
	} else {
		ret = finding__add_function(f, f->span->begin, true, false);
	}
	if (!ret)
		ret = f->uprobe_type ? finding__use_probes(f) : finding__use_breakpoints(f, e);
	f->span->is_everywhere = f->inherit && !e->request->watch && !t->system_wide && !t->per_thread;
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
	int ret;

	pmus__init(&pmus, "/sys");
	pmu = pmus__find(&pmus, "uprobe");
	attr.type = pmu ? pmu->type : 0;
	pmus__exit(&pmus);
	if (!attr.type)
		return 0;
	ret = counter__try(attr, -1, 0); /* it has no path */
	return ret == -EACCES || ret == -EPERM ? 0 : attr.type;
}

int span_points__find(struct evlist *l, struct scope *scope, bool inherit, struct err *err)
{
	struct finding f = { .scope = scope, .err = err, .inherit = inherit };
	int ret = 0;

	if (!evlist__has_span_points(l))
		return 0;
	f.uprobe_type = probe_type();
	f.most = f.uprobe_type ? ENDS_MOST : counter__breakpoints_to_try();
	for (size_t i = 0; !ret && i < l->evsels.nr; i++)
		if (l->evsels.v[i]->request->span)
			ret = finding__find(&f, l->evsels.v[i]);
	array__exit(&f.places);
	return ret;
}
