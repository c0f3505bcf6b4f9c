#include "record/host/cpu_groups.h"

#include <errno.h>
#include <string.h>

enum { CPU_MAX = 1 << 16 };

static struct cpu_group *cpu_groups__push(struct cpu_groups *g)
{
	struct cpu_group *group = array__push(&g->v);

	*group = (struct cpu_group){ 0 };
	return group;
}

static bool cpu_groups__has(const struct cpu_groups *g, int cpu)
{
	for (size_t i = 0; i < g->v.nr; i++)
		if (int_list__has(&g->v.v[i].cpus, cpu))
			return true;
	return false;
}

/* ---- by what the machine is made of ---- */

/* The CPUs of one line of sysfs. False: there is none. */
static bool sysfs__cpus(const char *path, int_array *cpus)
{
	struct strbuf line = STRBUF_INIT;
	bool ok = !file__read_line(path, &line) && !int_list__parse(line.buf, CPU_MAX, cpus) && cpus->nr;

	strbuf__exit(&line);
	return ok;
}

static bool siblings(const char *sysfs, int cpu, const char *name, int_array *out)
{
	char *path = xasprintf("%s/devices/system/cpu/cpu%d/topology/%s", sysfs, cpu, name);
	bool ok = sysfs__cpus(path, out);

	free(path);
	return ok;
}

static bool of_core(const char *sysfs, int cpu, int_array *out)
{
	return siblings(sysfs, cpu, "thread_siblings_list", out);
}

static bool of_package(const char *sysfs, int cpu, int_array *out)
{
	return siblings(sysfs, cpu, "core_siblings_list", out);
}

static bool of_node(const char *sysfs, int cpu, int_array *out)
{
	char *path = xasprintf("%s/devices/system/node/online", sysfs);
	int_array nodes = { 0 };
	bool found = false;

	if (!sysfs__cpus(path, &nodes))
		nodes.nr = 0;
	free(path);
	for (size_t i = 0; i < nodes.nr && !found; i++) {
		path = xasprintf("%s/devices/system/node/node%d/cpulist", sysfs, nodes.v[i]);
		out->nr = 0;
		found = sysfs__cpus(path, out) && int_list__has(out, cpu);
		free(path);
	}
	array__exit(&nodes);
	return found;
}

static const struct unit {
	const char *name;
	bool (*siblings)(const char *sysfs, int cpu, int_array *out); /* NULL: each CPU is one */
} units[] = { { "cpu", NULL }, { "core", of_core }, { "package", of_package }, { "numa", of_node } };

static const struct unit *unit__find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

/* A CPU of which nothing is known is a unit. */
static void cpu_groups__by_unit(struct cpu_groups *g, const struct unit *unit, const int_array *cpus,
				const char *sysfs)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		struct cpu_group *group;
		int_array all = { 0 };

		if (cpu_groups__has(g, cpus->v[i]))
			continue;
		group = cpu_groups__push(g);
		if (!unit->siblings || !unit->siblings(sysfs, cpus->v[i], &all) ||
		    !int_list__has(&all, cpus->v[i])) {
			all.nr = 0;
			array__add(&all, cpus->v[i]);
		}
		for (size_t k = 0; k < cpus->nr; k++)
			if (int_list__has(&all, cpus->v[k]))
				array__add(&group->cpus, cpus->v[k]);
		group->runs_on = all;
	}
}

/* ---- as the user says ---- */

/* The text up to stop, or all of it; *text is what follows. The caller's. */
static char *cut(const char **text, const char *stop)
{
	size_t len = strcspn(*text, stop);
	char *part = xmemdup(*text, len + 1);

	part[len] = '\0';
	*text += len + ((*text)[len] != '\0');
	return part;
}

static int parse_pair(const char *pair, struct cpu_group *group, struct err *err)
{
	const char *rest = pair;
	char *cpus = cut(&rest, "/");
	bool ok = strchr(pair, '/') && !int_list__parse(cpus, CPU_MAX, &group->cpus) && group->cpus.nr &&
		  !int_list__parse(rest, CPU_MAX, &group->runs_on) && group->runs_on.nr;

	free(cpus);
	if (ok)
		return 0;
	return err__set(err, -EINVAL,
			"'%s' is neither cpu, core, package or numa, nor two lists of CPUs such as 0-3/0-3",
			pair);
}

/* Leaves those that are recorded. cpus NULL: all are. */
static int cpu_group__narrow(struct cpu_group *group, const struct cpu_groups *before, const int_array *cpus,
			     const char *pair, struct err *err)
{
	size_t nr = 0;

	for (size_t i = 0; i < group->cpus.nr; i++) {
		int cpu = group->cpus.v[i];

		if (cpu_groups__has(before, cpu))
			return err__set(err, -EINVAL, "CPU %d is in two groups", cpu);
		if (!cpus || int_list__has(cpus, cpu))
			group->cpus.v[nr++] = cpu;
	}
	group->cpus.nr = nr;
	return nr ? 0 : err__set(err, -EINVAL, "--threads: none of the CPUs of '%s' is recorded", pair);
}

static void cpu_group__exit(struct cpu_group *g)
{
	array__exit(&g->cpus);
	array__exit(&g->runs_on);
}

/* cpus NULL: all that may be. */
static int cpu_groups__by_text(struct cpu_groups *g, const char *text, const int_array *cpus, struct err *err)
{
	int ret = 0;

	do {
		char *pair = cut(&text, ":");
		struct cpu_group group = { 0 };

		ret = parse_pair(pair, &group, err);
		if (!ret)
			ret = cpu_group__narrow(&group, g, cpus, pair, err);
		if (ret)
			cpu_group__exit(&group);
		else
			array__add(&g->v, group);
		free(pair);
	} while (!ret && *text);
	return ret;
}

void cpu_groups__add(struct cpu_groups *g, const int_array *cpus)
{
	struct cpu_group *group = cpu_groups__push(g);

	for (size_t i = 0; i < cpus->nr; i++)
		array__add(&group->cpus, cpus->v[i]);
}

/* Nobody else would empty their rings. */
static size_t cpu_groups__add_rest(struct cpu_groups *g, const int_array *cpus)
{
	int_array rest = { 0 };
	size_t nr;

	for (size_t i = 0; i < cpus->nr; i++)
		if (!cpu_groups__has(g, cpus->v[i]))
			array__add(&rest, cpus->v[i]);
	nr = rest.nr;
	if (nr)
		cpu_groups__add(g, &rest);
	array__exit(&rest);
	return nr;
}

int cpu_groups__check(const char *text, struct err *err)
{
	struct cpu_groups g = { 0 };
	int ret = unit__find(text) ? 0 : cpu_groups__by_text(&g, text, NULL, err);

	cpu_groups__exit(&g);
	return ret;
}

int cpu_groups__init(struct cpu_groups *g, const char *text, const int_array *cpus, const char *sysfs,
		     size_t *nr_left, struct err *err)
{
	const struct unit *unit = unit__find(text);
	int ret = 0;

	*g = (struct cpu_groups){ 0 };
	if (unit)
		cpu_groups__by_unit(g, unit, cpus, sysfs);
	else
		ret = cpu_groups__by_text(g, text, cpus, err);
	if (ret)
		cpu_groups__exit(g);
	else
		*nr_left = cpu_groups__add_rest(g, cpus);
	return ret;
}

void cpu_groups__exit(struct cpu_groups *g)
{
	for (size_t i = 0; i < g->v.nr; i++)
		cpu_group__exit(&g->v.v[i]);
	array__exit(&g->v);
}
