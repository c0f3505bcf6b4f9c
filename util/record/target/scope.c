#include "record/target/scope.h"

#include "base/system/file.h"
#include "binary/elf/library_path.h"
#include "record/target/process_maps.h"
#include "record/target/tracer.h"
#include "record/target/workload.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void scope__init(struct scope *s, const struct target *target, char *const *argv)
{
	*s = (struct scope){ .target = target, .argv = argv };
}

void scope__exit(struct scope *s)
{
	for (size_t i = 0; i < s->objects.nr; i++)
		elf_object__delete(s->objects.v[i].elf);
	for (size_t i = 0; i < s->others.nr; i++)
		elf_object__delete(s->others.v[i]);
	array__exit(&s->objects);
	array__exit(&s->others);
}

/* ---- filling ---- */

static struct elf_object *scope__known(const struct scope *s, const char *path)
{
	for (size_t i = 0; i < s->objects.nr; i++)
		if (!strcmp(elf_object__path(s->objects.v[i].elf), path))
			return s->objects.v[i].elf;
	for (size_t i = 0; i < s->others.nr; i++)
		if (!strcmp(elf_object__path(s->others.v[i]), path))
			return s->others.v[i];
	return NULL;
}

static int scope__add(struct scope *s, const char *root, const char *path, bool is_program, struct err *err)
{
	struct elf_object *o;
	int ret;

	for (size_t i = 0; i < s->objects.nr; i++)
		if (!strcmp(elf_object__path(s->objects.v[i].elf), path))
			return 0;
	ret = elf_object__open(&o, root, path, err);
	if (!ret)
		array__add(&s->objects, ((struct scope_object){ o, is_program }));
	return ret;
}

/* Add the executable mappings of process pid, below root: the program, and the libraries if wanted. */
static int scope__add_process(struct scope *s, pid_t pid, const char *root, bool libraries, struct err *err)
{
	char *program;
	struct process_maps maps;
	int ret;

	errno = 0;
	program = file__link_target("/proc/%d/exe", pid);
	if (!program && errno == EACCES)
		return err__set(err, -EACCES,
				"what process %d runs may not be looked at: record it as its user or as root",
				pid);
	if (!program)
		return 0; /* a kernel thread, or it has ended */
	ret = scope__add(s, root, program, true, err);
	if (ret && strstr(program, " (deleted)"))
		err__set(err, ret, "the program of process %d was replaced or removed since it started: '%s'",
			 pid, program);
	if (libraries && !ret && !process_maps__read(&maps, pid)) {
		for (size_t i = 0; i < maps.v.nr; i++)
			if (maps.v.v[i].prot & PROT_EXEC && *maps.v.v[i].name == '/')
				scope__add(s, root, maps.v.v[i].name, false, NULL); /* keep ELF files only */
		process_maps__exit(&maps);
	}
	free(program);
	return ret;
}

static int scope__add_processes(struct scope *s, bool libraries, struct err *err)
{
	const int_array *pids = &s->target->pids;
	int ret = 0;

	for (size_t i = 0; i < pids->nr; i++) {
		char root[32];
		int error;

		snprintf(root, sizeof(root), "/proc/%d/root", pids->v[i]);
		error = scope__add_process(s, pids->v[i], root, libraries, err);
		ret = ret ? ret : error;
	}
	return s->objects.nr ? 0 : ret;
}

struct rehearsal {
	struct scope *scope;
	struct err *err;
	int ret;
	bool was_shown;
};

static bool see_rehearsed(pid_t pid, void *ctx)
{
	struct rehearsal *r = ctx;

	r->was_shown = true;
	r->ret = scope__add_process(r->scope, pid, "", true, r->err);
	kill(pid, SIGKILL);
	return true;
}

/* Start the command; kill it when its libraries are loaded and before its own code runs. */
static int scope__rehearse(struct scope *s, struct err *err)
{
	struct rehearsal r = { .scope = s, .err = err };
	struct tracer_opts opts = { .stopped = see_rehearsed, .ctx = &r, .kill = true };
	struct signals_before signals = { 0 }; /* none blocked: a Ctrl-C ends it */
	struct tracer *tracer = NULL;
	struct workload w;
	int ret = workload__prepare(&w, s->argv, &signals, true, err);

	if (ret)
		return ret;
	ret = tracer__new(&tracer, w.pid, &opts, err);
	w.tracer = tracer;
	if (!ret)
		ret = workload__start(&w, err);
	if (!ret) {
		tracer__wait_end(tracer);
		ret = r.ret;
	}
	if (!ret && !r.was_shown)
		ret = err__set(err, -ENOEXEC, "the command ended before its libraries were loaded");
	workload__exit(&w);
	tracer__delete(tracer);
	return ret;
}

/* A command that is not an ELF file has an interpreter; starting it shows which one. */
static int scope__add_command(struct scope *s, struct err *err)
{
	char *found = NULL, *path;
	int ret = s->argv ? command__find(s->argv[0], &found) : -ENOENT;

	if (ret)
		return 0; /* starting the command reports the error */
	path = realpath(found, NULL);
	ret = path ? scope__add(s, "", path, true, err) : -errno;
	free(path);
	free(found);
	return ret == -EINVAL ? scope__libraries(s, err) : ret;
}

int scope__programs(struct scope *s, struct err *err)
{
	if (s->has_programs)
		return 0;
	s->has_programs = true;
	if (s->target->system_wide || s->target->is_workload)
		return scope__add_command(s, err);
	return scope__add_processes(s, false, err);
}

int scope__libraries(struct scope *s, struct err *err)
{
	if (s->has_libraries)
		return 0;
	s->has_libraries = s->has_programs = true;
	if (s->target->system_wide || s->target->is_workload)
		return s->argv ? scope__rehearse(s, err) : 0;
	return scope__add_processes(s, true, err);
}

/* ---- by name ---- */

static struct elf_object *scope__called(const struct scope *s, const char *name)
{
	for (size_t i = 0; i < s->objects.nr; i++)
		if (library__is_called(elf_object__path(s->objects.v[i].elf), name))
			return s->objects.v[i].elf;
	return NULL;
}

static struct elf_object *scope__open(struct scope *s, const char *given, int *ret, struct err *err)
{
	char *path = realpath(given, NULL);
	struct elf_object *o = path ? scope__known(s, path) : NULL;

	if (!path)
		*ret = err__set(err, -errno, "cannot open '%s': %s", given, strerror(errno));
	else if (!o && !(*ret = elf_object__open(&o, "", path, err)))
		array__add(&s->others, o);
	free(path);
	return o;
}

struct elf_object *scope__binary(struct scope *s, const char *name, int *ret, struct err *err)
{
	struct elf_object *o = NULL;
	char *found = NULL;

	*ret = scope__programs(s, err);
	if (*ret)
		return NULL;
	if (strchr(name, '/')) /* a target may have this path in its own root */
		return (o = scope__known(s, name)) ? o : scope__open(s, name, ret, err);
	o = scope__called(s, name);
	if (!o && !(*ret = scope__libraries(s, err)))
		o = scope__called(s, name);
	if (o || *ret)
		return o;
	found = library__find(name);
	if (found || !command__find(name, &found))
		o = scope__open(s, found, ret, err);
	else
		*ret = err__set(err, -ENOENT, "there is no library or command '%s'", name);
	free(found);
	return o;
}
