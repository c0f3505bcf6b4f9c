#include "record/watch/probe.h"

#include "base/system/file.h"
#include "base/message/msg.h"
#include "event/evsel/event_request.h"
#include "record/target/kernel_names.h"
#include "record/watch/watch_name.h"

#include <errno.h>

static int find_in_binary(struct evsel *e, struct scope *scope, struct err *err)
{
	struct watch_spec *spec = watch_spec__of_function(e->request->probe->function);
	struct watch_name n;
	u64 offset = 0;
	int ret;

	spec->dso = xstrdup(e->request->probe->binary);
	spec->offset = e->request->probe->offset;
	ret = watch_name__find(&n, spec, scope, PROBE_USER, err);

	if (!ret && !elf_object__file_offset(n.object, n.addr, &offset))
		ret = err__set(err, -EINVAL, "'%s' is not in the file '%s'", spec->symbol,
			       elf_object__path(n.object));
	if (!ret && spec->offset && !elf_object__is_line_start(n.object, n.addr))
		warning("'%s': if no instruction begins at this offset, the program will crash or go wrong",
			e->name);
	if (!ret) {
		e->attr.config2 = offset;
		e->request->probe->target = elf_object__open_path(n.object);
	}
	watch_name__exit(&n);
	watch_spec__delete(spec);
	return ret;
}

static int unknown_in_kernel(const char *function, const struct strbuf *kallsyms, struct err *err)
{
	err__set(err, -ENOENT, "the kernel has no function '%s'", function);
	kernel_names__suggest(kallsyms->buf, kallsyms->len, function, err);
	return -ENOENT;
}

/* Look up the function for a good error message; the kernel finds it by name itself. */
static int find_in_kernel(struct evsel *e, struct err *err)
{
	struct probe_spec *p = e->request->probe;
	struct strbuf kallsyms = STRBUF_INIT;
	kernel_name_array found = { 0 };
	bool known = true;
	int ret = 0;

	if (!file__read("/proc/kallsyms", &kallsyms, 0) &&
	    kernel_names__find(kallsyms.buf, kallsyms.len, p->function, &found, NULL) != -EPERM)
		known = found.nr != 0;
	if (!known)
		ret = unknown_in_kernel(p->function, &kallsyms, err);
	p->target = xstrdup(p->function);
	e->attr.config2 = p->offset;
	array__exit(&found);
	strbuf__exit(&kallsyms);
	return ret;
}

/* All events of a group count the same tasks. */
static int check_group(const struct evlist *l, const struct evsel *e, struct err *err)
{
	if (l->evsels.v[e->leader]->nr_members < 2 || !e->request->probe->is_everywhere)
		return 0;
	err__set(err, -EINVAL, "'%s' cannot be in a group: probes count on whole processors", e->name);
	err__advise(err, "give it an -e of its own, or leave out threads and children with -i");
	return -EINVAL;
}

int probes__find(struct evlist *l, struct scope *scope, bool inherit, struct err *err)
{
	const struct target *t = scope->target;
	int ret = 0;

	for (size_t i = 0; !ret && i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i];

		if (!e->request->probe)
			continue;
		ret = e->request->probe->binary ? find_in_binary(e, scope, err) : find_in_kernel(e, err);
		e->request->probe->is_everywhere =
			inherit && !t->system_wide && !t->per_thread && e->request->terms.inherit != TERM_OFF;
		if (!ret)
			ret = check_group(l, e, err);
	}
	return ret;
}

bool probes__need_filter(const struct evlist *l)
{
	for (size_t i = 0; i < l->evsels.nr; i++)
		if (event_request__probes_everywhere(l->evsels.v[i]->request))
			return true;
	return false;
}
