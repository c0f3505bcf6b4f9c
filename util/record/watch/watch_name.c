#include "record/watch/watch_name.h"

#include "base/system/file.h"
#include "base/text/path_name.h"
#include "live/checks.h"
#include "record/target/kernel_names.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <unistd.h>

enum { LISTED_MAX = 8 }; /* candidates listed in a message */

struct candidate {
	struct elf_object *object;
	struct elf_name name;
	const char *members; /* the rest of the spec's; NULL: none */
};

struct lookup {
	const struct watch_spec *spec;
	struct scope *scope;
	enum watch_use use;
	struct err *err;
	const char *file; /* only static symbols of this source file; NULL: all */
	ARRAY(struct elf_object *) searched;
	ARRAY(struct candidate) found;
	bool in_kernel;   /* the kernel was searched, too */
	int kernel_error; /* why the kernel could not be searched */
	struct strbuf kallsyms;
	kernel_name_array kernel;
};

struct watch_spec *watch_spec__of_function(const char *function)
{
	struct watch_spec *spec = xcalloc(1, sizeof(*spec));
	const char *at = strrchr(function, '@'), *dot = at ? strrchr(at, '.') : NULL;

	if (!dot || !isalpha((unsigned char)dot[1]))
		at = NULL; /* it is a symbol version such as GLIBC_2.2.5 */
	spec->symbol = xasprintf("%.*s", (int)(at ? (size_t)(at - function) : strlen(function)), function);
	spec->file = at ? xstrdup(at + 1) : NULL;
	spec->access = HW_BREAKPOINT_X;
	return spec;
}

void watch_name__exit(struct watch_name *n)
{
	free(n->exported);
}

/* ---- candidates ---- */

static void lookup__add(struct lookup *l, struct elf_object *o, const elf_name_array *names,
			const char *members)
{
	for (size_t i = 0; i < names->nr; i++)
		array__add(&l->found, ((struct candidate){ o, names->v[i], members }));
}

/*
 * A '.' may be part of a symbol ("counter.0", "main.counter"): take the longest name that matches exactly.
 */
static bool lookup__dotted(struct lookup *l, struct elf_object *o, elf_name_array *names)
{
	const char *members = l->spec->members;
	bool found = false;

	for (size_t len = strlen(members); len && !found;) {
		char *full = xasprintf("%s.%.*s", l->spec->symbol, (int)len, members);

		elf_object__find(o, full, l->file, names);
		found = names->nr && !strcmp(names->v[0].name, full);
		if (found)
			lookup__add(l, o, names, members[len] ? members + len + 1 : NULL);
		free(full);
		while (len && members[--len] != '.')
			;
	}
	return found;
}

static void lookup__in(struct lookup *l, struct elf_object *o)
{
	elf_name_array names = { 0 };

	array__add(&l->searched, o);
	if (!l->spec->members || !lookup__dotted(l, o, &names)) {
		elf_object__find(o, l->spec->symbol, l->file, &names);
		lookup__add(l, o, &names, l->spec->members);
	}
	array__exit(&names);
}

static void lookup__in_all(struct lookup *l, bool programs)
{
	for (size_t i = 0; i < l->scope->objects.nr; i++)
		if (l->scope->objects.v[i].is_program == programs)
			lookup__in(l, l->scope->objects.v[i].elf);
}

/* The program's own symbols hide those of its libraries. */
static int lookup__in_scope(struct lookup *l)
{
	int ret = scope__programs(l->scope, l->err);

	if (ret)
		return ret;
	l->searched.nr = 0;
	lookup__in_all(l, true);
	if (l->found.nr)
		return 0;
	ret = scope__libraries(l->scope, l->err);
	if (!ret)
		lookup__in_all(l, false);
	return ret;
}

static int lookup__in_kernel(struct lookup *l, struct err *err)
{
	int ret = file__read("/proc/kallsyms", &l->kallsyms, 0);

	l->in_kernel = true;
	if (ret)
		err__set(err, ret, "cannot read /proc/kallsyms: %s", err__str(ret));
	else
		ret = kernel_names__find(l->kallsyms.buf, l->kallsyms.len, l->spec->symbol, &l->kernel, err);
	if (ret == -EPERM)
		checks__explain_to(
			&(struct failure){ ATTEMPT_ADDRESS, .error = ret, .name = l->spec->symbol }, err);
	l->kernel_error = ret;
	return ret;
}

static bool lookup__may_be_source_file(const struct lookup *l)
{
	const char *name = l->spec->dso;

	return l->use < PROBE_USER && !strchr(name, '/') && strchr(name, '.') && !strstr(name, ".so");
}

static int lookup__in_dso(struct lookup *l)
{
	const char *dso = l->spec->dso;
	struct elf_object *o;
	int ret = 0;

	if (lookup__may_be_source_file(l)) {
		l->file = dso;
		ret = lookup__in_scope(l);
		if (ret || l->found.nr)
			return ret;
		l->file = NULL;
		l->searched.nr = 0;
	}
	o = scope__binary(l->scope, dso, &ret, l->err);
	if (o)
		lookup__in(l, o);
	else if (ret == -ENOENT && lookup__may_be_source_file(l))
		err__set(l->err, ret,
			 "no source file '%s' has a static variable '%s', and there is no library or command "
			 "'%s'",
			 dso, l->spec->symbol, dso);
	return ret;
}

static bool lookup__is_of_kernel(const struct lookup *l)
{
	return l->spec->dso && !strcmp(l->spec->dso, "kernel");
}

static int lookup__run(struct lookup *l)
{
	const struct watch_spec *spec = l->spec;
	int ret = 0;

	if (lookup__is_of_kernel(l))
		return lookup__in_kernel(l, l->err);
	/* A probe is at an offset in a file; a variable has an address only in a process. */
	if (l->use >= PROBE_USER || !l->scope->target->system_wide)
		ret = spec->dso ? lookup__in_dso(l) : lookup__in_scope(l);
	/* Report that the kernel cannot be searched or watched only if the user named it. */
	if (!ret && !spec->dso && l->use == WATCH_ANY && !facts__kallsyms("/proc"))
		lookup__in_kernel(l, NULL);
	return ret;
}

/* ---- of the kinds that are meant ---- */

static bool is_function(const struct candidate *c)
{
	return c->name.kind == ELF_NAME_FUNCTION || c->name.kind == ELF_NAME_IFUNC;
}

/* If there are functions and variables, :x means functions, :r and :w mean variables. */
static void lookup__keep_meant(struct lookup *l)
{
	bool functions = l->spec->access == HW_BREAKPOINT_X;
	size_t meant = 0, nr = 0;

	for (size_t i = 0; i < l->found.nr; i++)
		meant += is_function(&l->found.v[i]) == functions;
	for (size_t i = 0; i < l->found.nr; i++)
		if (!l->spec->access || !meant || is_function(&l->found.v[i]) == functions)
			l->found.v[nr++] = l->found.v[i];
	l->found.nr = nr;
	nr = 0;
	for (size_t i = 0; i < l->kernel.nr; i++) {
		const struct kernel_name *k = &l->kernel.v[i];
		bool keep = !l->spec->access || k->is_function == functions;

		/*
		 * A kernel symbol competes with what was found only if it is of the same kind and global:
		 * static names in the kernel's many files are too many.
		 */
		if (l->found.nr)
			keep = k->is_function == is_function(&l->found.v[0]) && k->is_global;
		if (keep)
			l->kernel.v[nr++] = *k;
	}
	l->kernel.nr = nr;
}

/* Use thread-local variables only if there is nothing else. */
static int lookup__drop_thread_local(struct lookup *l)
{
	size_t nr = 0;

	for (size_t i = 0; i < l->found.nr; i++)
		if (l->found.v[i].name.kind != ELF_NAME_TLS)
			l->found.v[nr++] = l->found.v[i];
	if (!nr && l->found.nr) {
		err__set(l->err, -EINVAL,
			 "'%s' of '%s' is thread-local: each thread has its own, and a watchpoint is one "
			 "address",
			 l->found.v[0].name.name, elf_object__path(l->found.v[0].object));
		err__advise(l->err, "print the address of one thread's in the program, and watch that: -p "
				    "PID -e mem:0xADDR/LENGTH");
		return -EINVAL;
	}
	l->found.nr = nr;
	return 0;
}

/* ---- not one ---- */

static bool lookup__suggest(const struct lookup *l)
{
	bool functions = l->spec->access == HW_BREAKPOINT_X, any = false;

	for (size_t i = 0; i < l->searched.nr && !any; i++)
		any = elf_object__suggest(l->searched.v[i], l->spec->symbol, functions, l->err);
	for (size_t i = 0; i < l->searched.nr && !any && !l->spec->access; i++)
		any = elf_object__suggest(l->searched.v[i], l->spec->symbol, true, l->err);
	if (!l->searched.nr)
		any = kernel_names__suggest(l->kallsyms.buf, l->kallsyms.len, l->spec->symbol, l->err);
	return any;
}

/* The function may be there, but only as a part of others. */
static bool lookup__advise_caller(const struct lookup *l)
{
	struct strbuf caller = STRBUF_INIT;
	bool found = false;

	for (size_t i = 0; i < l->searched.nr && !found; i++)
		found = elf_object__inlined_into(l->searched.v[i], l->spec->symbol, &caller);
	if (found)
		err__advise(l->err, "it was inlined, and has no address: choose its caller '%s'", caller.buf);
	strbuf__exit(&caller);
	return found;
}

static void lookup__advise(const struct lookup *l)
{
	bool any = lookup__advise_caller(l) || lookup__suggest(l);

	if (l->searched.nr && elf_object__is_stripped(l->searched.v[0]))
		err__advise(l->err, "'%s' is stripped: only what it exports has a name",
			    elf_object__path(l->searched.v[0]));
	if (l->kernel_error == -ENODATA && (!l->searched.nr || !any))
		err__advise(l->err, "variables of this kernel need their address, mem:0xADDR: /proc/kallsyms "
				    "has no data symbols (CONFIG_KALLSYMS_ALL)");
	if (l->scope->target->system_wide && !l->spec->dso && l->use == WATCH_ANY && !l->in_kernel)
		err__advise(l->err, "for one of the kernel: mem:%s@kernel", l->spec->symbol);
	if (l->scope->target->system_wide && l->use < PROBE_USER && !lookup__is_of_kernel(l))
		err__advise(l->err, "variables of programs have addresses in their processes only: record a "
				    "command, or processes with -p");
	else if (!l->spec->dso && l->scope->target->is_workload)
		err__advise(l->err, "for one of another program that the command starts: %s%s%s",
			    l->use == SPAN_USER ? "PROGRAM:" : "mem:", l->spec->symbol,
			    l->use == SPAN_USER ? "" : "@PROGRAM");
}

static int lookup__not_found(const struct lookup *l)
{
	struct strbuf where = STRBUF_INIT;

	if (l->searched.nr)
		strbuf__addf(&where, " in '%s'", elf_object__path(l->searched.v[0]));
	if (l->searched.nr > 1)
		strbuf__addf(&where, ", %zu libraries", l->searched.nr - 1);
	if (l->in_kernel && (!l->kernel_error || !l->searched.nr))
		strbuf__addf(&where, "%s the kernel", where.len ? " or" : " in");
	err__set(l->err, -ENOENT, "no %s '%s'%s", l->use >= PROBE_USER ? "function" : "variable or function",
		 l->spec->symbol, where.buf);
	lookup__advise(l);
	strbuf__exit(&where);
	return -ENOENT;
}

/* Properties that tell candidates apart, best first. A property must differ between any two candidates. */
static const char *by_symbol(const struct candidate *c)
{
	return c->name.name;
}

static const char *by_object(const struct candidate *c)
{
	return path__name(elf_object__path(c->object));
}

static const char *by_file(const struct candidate *c)
{
	return c->name.file ? path__name(c->name.file) : "";
}

static bool lookup__differ(const struct lookup *l, const char *(*by)(const struct candidate *))
{
	for (size_t i = 0; i < l->found.nr; i++) {
		if (!*by(&l->found.v[i]))
			return false;
		for (size_t k = i + 1; k < l->found.nr; k++)
			if (!strcmp(by(&l->found.v[i]), by(&l->found.v[k])))
				return false;
	}
	return true;
}

/* Spell what to type for a candidate that differs from the others in this property. */
static void lookup__spell(const struct lookup *l, const struct candidate *c,
			  const char *(*by)(const struct candidate *), struct strbuf *sb)
{
	const char *symbol = by == by_symbol ? c->name.name : l->spec->symbol;

	if (!by)
		strbuf__addf(sb, "0x%llx in '%s'", (unsigned long long)c->name.addr,
			     elf_object__path(c->object));
	else if (l->use == PROBE_USER)
		strbuf__addf(sb, "uprobe:%s:%s", l->spec->dso, symbol);
	else if (l->use == SPAN_USER && (l->spec->dso || by == by_object))
		strbuf__addf(sb, "%s:%s", by == by_object ? by(c) : l->spec->dso, symbol);
	else if (l->use == SPAN_USER)
		strbuf__addstr(sb, symbol);
	else
		strbuf__addf(sb, "mem:%s", symbol);
	if (by == by_file || (by == by_object && l->use != SPAN_USER))
		strbuf__addf(sb, "@%s", by(c));
}

static int lookup__several(const struct lookup *l)
{
	static const struct {
		const char *(*by)(const struct candidate *);
	} ways[] = { { by_symbol }, { by_file }, { by_object } };
	const char *(*by)(const struct candidate *) = NULL;
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; !by && i < ARRAY_SIZE(ways); i++)
		if (lookup__differ(l, ways[i].by))
			by = ways[i].by;
	for (size_t i = 0; i < l->found.nr && i < LISTED_MAX; i++) {
		strbuf__addf(&list, "%s", i ? ", " : "");
		lookup__spell(l, &l->found.v[i], by, &list);
	}
	err__set(l->err, -EINVAL, "'%s' has %zu places", l->spec->symbol, l->found.nr);
	err__advise(l->err, "say which: %s%s", list.buf, l->found.nr > LISTED_MAX ? ", ..." : "");
	strbuf__exit(&list);
	return -EINVAL;
}

static int lookup__also_in_kernel(const struct lookup *l)
{
	const char *symbol = l->spec->symbol;

	err__set(l->err, -EINVAL, "both '%s' and the kernel have '%s'",
		 elf_object__path(l->found.v[0].object), symbol);
	err__advise(l->err, "say which: mem:%s@%s or mem:%s@kernel", symbol, by_object(&l->found.v[0]),
		    symbol);
	return -EINVAL;
}

static int lookup__several_in_kernel(const struct lookup *l)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < l->kernel.nr && i < LISTED_MAX; i++)
		strbuf__addf(&list, "%smem:0x%llx%s%s", i ? ", " : "",
			     (unsigned long long)l->kernel.v[i].addr,
			     *l->kernel.v[i].module ? " of module " : "", l->kernel.v[i].module);
	err__set(l->err, -EINVAL, "the kernel has %zu places called '%s'", l->kernel.nr, l->spec->symbol);
	err__advise(l->err, "say which: %s", list.buf);
	strbuf__exit(&list);
	return -EINVAL;
}

/* ---- the part that is meant ---- */

static int outside(const struct watch_spec *spec, u64 size, struct err *err)
{
	return err__set(err, -ERANGE, "'%s' is %llu bytes long: +%llu/%llu is outside of it", spec->symbol,
			(unsigned long long)size, (unsigned long long)spec->offset,
			(unsigned long long)spec->length);
}

/* Apply +OFFSET and /LENGTH to a range of n->size bytes; 0: unknown. */
static int apply_range(struct watch_name *n, const struct watch_spec *spec, struct err *err)
{
	u64 size = n->size;

	if (size && (spec->offset >= size || spec->length > size - spec->offset))
		return outside(spec, size, err);
	n->addr += spec->offset;
	if (spec->length)
		n->size = spec->length;
	else if (size)
		n->size = size - spec->offset;
	else
		n->size = n->addr % 4 ? 1 : 4;
	return 0;
}

/* Apply a slice to a variable whose type is unknown: its elements are bytes. */
static int apply_slice_of_bytes(struct watch_name *n, const struct watch_spec *spec, struct err *err)
{
	if (n->size && (spec->count > n->size || spec->start > n->size - spec->count))
		return err__set(err, -ERANGE,
				"'%s' is %llu bytes long, and of unknown type: [%llu:%llu] is outside",
				spec->symbol, (unsigned long long)n->size, (unsigned long long)spec->start,
				(unsigned long long)spec->count);
	n->addr += spec->start;
	n->size = spec->count;
	return 0;
}

static int apply_type(struct watch_name *n, const struct candidate *c, const struct watch_spec *spec,
		      struct err *err)
{
	struct elf_part_query query = { c->members, spec->is_slice, spec->start, spec->count };
	struct elf_part part;
	int ret = elf_object__part(c->object, &c->name, &query, &part, err);

	if (ret == -ENODATA && !c->members)
		return spec->is_slice ? apply_slice_of_bytes(n, spec, err) : 0;
	if (ret == -ENODATA)
		err__advise(err, "compile it with -g, or say where: mem:%s+OFFSET/LENGTH", spec->symbol);
	if (ret)
		return ret;
	/* Type and symbol disagree only in a damaged file. */
	if (n->size && (part.size > n->size || part.offset > n->size - part.size))
		return err__set(err, -EINVAL, "the debug information about '%s' does not fit its size",
				spec->symbol);
	n->addr += part.offset;
	n->size = part.size;
	return 0;
}

static int place_code(struct watch_name *n, const struct candidate *c, const struct watch_spec *spec,
		      struct err *err)
{
	if (c->name.kind == ELF_NAME_IFUNC)
		return err__set(err, -EINVAL,
				"which '%s' is called is chosen when the program starts (an indirect "
				"function): name one of those that it chooses from",
				spec->symbol);
	if (c->name.kind != ELF_NAME_FUNCTION)
		return err__set(err, -EINVAL, "'%s' is data, not a function", spec->symbol);
	if (c->members || spec->is_slice)
		return err__set(err, -EINVAL, "'%s' is code: it has no members or elements", spec->symbol);
	if (n->size && spec->offset >= n->size)
		return err__set(err, -ERANGE, "'%s' is %llu bytes long: +%llu is outside of it", spec->symbol,
				(unsigned long long)n->size, (unsigned long long)spec->offset);
	n->is_code = true;
	n->addr += spec->offset;
	n->size = 1;
	return 0;
}

static int place_candidate(struct watch_name *n, const struct candidate *c, const struct watch_spec *spec,
			   struct err *err)
{
	u32 access = spec->access ? spec->access : is_function(c) ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW;
	int ret = 0;

	*n = (struct watch_name){ .object = c->object, .symbol = c->name.addr, .addr = c->name.addr };
	n->size = c->name.size;
	if (access == HW_BREAKPOINT_X)
		return place_code(n, c, spec, err);
	if (c->members || spec->is_slice || (!n->size && !spec->length))
		ret = apply_type(n, c, spec, err);
	if (!ret)
		ret = apply_range(n, spec, err);
	if (!ret && c->name.is_exported)
		n->exported = xasprintf("%.*s", (int)strcspn(c->name.name, "@"), c->name.name);
	return ret;
}

static int place_in_kernel(struct watch_name *n, const struct kernel_name *k, const struct watch_spec *spec,
			   struct err *err)
{
	u32 access = spec->access ? spec->access : k->is_function ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW;

	*n = (struct watch_name){ .symbol = k->addr, .addr = k->addr, .size = k->size };
	n->is_code = access == HW_BREAKPOINT_X;
	if (spec->members || spec->is_slice)
		return err__set(
			err, -EINVAL,
			"the types of the kernel's variables are not known here: mem:%s+OFFSET/LENGTH",
			spec->symbol);
	if (n->is_code) {
		n->addr += spec->offset;
		n->size = 1;
		return 0;
	}
	if (spec->length || spec->offset)
		n->size = 0; /* the size only says where the next symbol begins */
	n->size = MIN(n->size, (u64)8);
	return apply_range(n, spec, err);
}

/* ---- the whole ---- */

static int lookup__pick(struct lookup *l, struct watch_name *n)
{
	int ret = lookup__drop_thread_local(l);

	if (ret)
		return ret;
	lookup__keep_meant(l);
	if (!l->found.nr && !l->kernel.nr)
		return lookup__not_found(l);
	if (l->found.nr > 1)
		return lookup__several(l);
	if (l->found.nr && l->kernel.nr)
		return lookup__also_in_kernel(l);
	if (l->kernel.nr > 1)
		return lookup__several_in_kernel(l);
	return l->found.nr ? place_candidate(n, &l->found.v[0], l->spec, l->err)
			   : place_in_kernel(n, &l->kernel.v[0], l->spec, l->err);
}

int watch_name__find(struct watch_name *n, const struct watch_spec *spec, struct scope *scope,
		     enum watch_use use, struct err *err)
{
	struct lookup l = { .spec = spec,
			    .file = spec->file,
			    .scope = scope,
			    .use = use,
			    .err = err,
			    .kallsyms = STRBUF_INIT };
	int ret = lookup__run(&l);

	*n = (struct watch_name){ 0 };
	if (!ret)
		ret = lookup__pick(&l, n);
	array__exit(&l.searched);
	array__exit(&l.found);
	array__exit(&l.kernel);
	strbuf__exit(&l.kallsyms);
	return ret;
}
