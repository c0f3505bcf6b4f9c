#include "stat/stat_rows.h"

#include "base/system/file.h"
#include "live/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct aggregation_form aggregation_forms[NR_AGGREGATIONS] = {
	[AGGREGATE_ALL] = { NULL, 0, false, false },
	[AGGREGATE_CPU] = { "cpu", 7, false, true },
	[AGGREGATE_CORE] = { "core", 18, true, false },
	[AGGREGATE_CLUSTER] = { "cluster", 20, true, false },
	[AGGREGATE_CACHE] = { "cache", 22, true, false },
	[AGGREGATE_DIE] = { "die", 12, true, false },
	[AGGREGATE_SOCKET] = { "socket", 6, true, false },
	[AGGREGATE_NODE] = { "node", 6, true, false },
	[AGGREGATE_THREAD] = { "thread", 25, false, true },
};

/* ---- parts of the processor ---- */

enum { CACHES_MAX = 16, NODES_MAX = 1 << 12, CPUS_MAX = 1 << 20 };

/* Read the number in a file below CPU's folder in /sys; 0 if there is none, or -1 as some kernels write. */
static int read_id(int cpu, const char *file)
{
	struct strbuf line = STRBUF_INIT;
	int id = 0;

	if (!file__read_linef(&line, "/sys/devices/system/cpu/cpu%d/%s", cpu, file))
		id = MAX(atoi(line.buf), 0);
	strbuf__exit(&line);
	return id;
}

static int find_node(int cpu)
{
	name_array names = { 0 };
	int node = 0;

	if (!folder__names(&names, true, "/sys/devices/system/cpu/cpu%d", cpu))
		for (size_t i = 0; i < names.nr; i++)
			if (sscanf(names.v[i], "node%d", &node) == 1)
				break;
	name_array__exit(&names);
	return node;
}

/* Find the cache of a level; 0: the last level. *id: the first CPU that has it. */
static void find_cache(int cpu, int wanted, int *level, int *id)
{
	struct strbuf line = STRBUF_INIT;

	*level = wanted;
	*id = cpu;
	for (int i = 0; i < CACHES_MAX; i++) {
		int_array cpus = { 0 };
		int found;

		if (file__read_linef(&line, "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, i))
			break;
		found = atoi(line.buf);
		if ((wanted && found != wanted) || found < *level)
			continue;
		*level = found;
		if (!file__read_linef(&line, "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
				      cpu, i) &&
		    !int_list__parse(line.buf, CPUS_MAX, &cpus) && cpus.nr)
			*id = cpus.v[0];
		array__exit(&cpus);
	}
	strbuf__exit(&line);
}

static int part_of(const int_array *parts, int cpu)
{
	return (size_t)cpu < parts->nr ? MAX(parts->v[cpu], 0) : 0;
}

/* names: of a recording; NULL: this machine. */
static void name_cpu_row(struct stat_row *row, enum aggregation by, int cache_level, int cpu,
			 const struct recorded_names *names)
{
	int *id = row->id;

	id[0] = names ? part_of(&names->parts.sockets, cpu) : read_id(cpu, "topology/physical_package_id");
	id[1] = names ? part_of(&names->parts.dies, cpu) : read_id(cpu, "topology/die_id");
	switch (by) {
	case AGGREGATE_CPU:
		row->id[0] = cpu;
		row->id[1] = 0;
		row->name = xasprintf("CPU%d", cpu);
		break;
	case AGGREGATE_CORE:
		id[2] = names ? part_of(&names->parts.cores, cpu) : read_id(cpu, "topology/core_id");
		row->name = xasprintf("S%d-D%d-C%d", id[0], id[1], id[2]);
		break;
	case AGGREGATE_CLUSTER:
		id[2] = read_id(cpu, "topology/cluster_id");
		row->name = xasprintf("S%d-D%d-CLS%d", id[0], id[1], id[2]);
		break;
	case AGGREGATE_CACHE:
		find_cache(cpu, cache_level, &id[2], &id[3]);
		row->name = xasprintf("S%d-D%d-L%d-ID%d", id[0], id[1], id[2], id[3]);
		break;
	case AGGREGATE_DIE:
		row->name = xasprintf("S%d-D%d", id[0], id[1]);
		break;
	case AGGREGATE_NODE:
		id[0] = names ? part_of(&names->parts.nodes, cpu) : find_node(cpu);
		id[1] = 0;
		row->name = xasprintf("N%d", id[0]);
		break;
	default:
		id[1] = 0;
		row->name = xasprintf("S%d", id[0]);
	}
}

static void name_thread_row(struct stat_row *row, int tid, const struct recorded_names *names)
{
	struct proc_status s = { 0 };

	if (!names)
		proc__status(tid, tid, &s);
	for (size_t i = 0; names && i < names->tids.nr; i++)
		if (names->tids.v[i] == tid)
			snprintf(s.comm, sizeof(s.comm), "%s", names->comms.v[i]);
	row->id[0] = tid;
	row->tid = tid;
	snprintf(row->comm, sizeof(row->comm), "%s", s.comm);
	row->name = xasprintf("%s-%d", s.comm, tid);
}

/* ---- rows ---- */

static int compare_rows(const void *a, const void *b)
{
	const struct stat_row *x = a, *y = b;

	for (size_t i = 0; i < ARRAY_SIZE(x->id); i++)
		if (x->id[i] != y->id[i])
			return x->id[i] < y->id[i] ? -1 : 1;
	return 0;
}

static struct stat_row row_of_place(const struct stat_rows *rows, int cache_level, const struct counting *c,
				    size_t p, const struct recorded_names *names)
{
	const struct stat_place *place = &c->places.v[p];
	struct stat_row row = { .tid = -1 };

	if (rows->by == AGGREGATE_THREAD)
		name_thread_row(&row, place->tid, names);
	else if (rows->by != AGGREGATE_ALL)
		name_cpu_row(&row, rows->by, cache_level, MAX(place->cpu, 0), names);
	return row;
}

void stat_rows__init(struct stat_rows *rows, enum aggregation by, int cache_level, const struct counting *c,
		     const struct recorded_names *names)
{
	size_t nr = 0;

	*rows = (struct stat_rows){ .by = by, .of_place = xcalloc(c->places.nr + 1, sizeof(u32)) };
	for (size_t p = 0; p < c->places.nr; p++)
		array__add(&rows->v, row_of_place(rows, cache_level, c, p, names));
	if (rows->v.nr)
		qsort(rows->v.v, rows->v.nr, sizeof(*rows->v.v), compare_rows);
	for (size_t i = 0; i < rows->v.nr; i++) { /* places with the same numbers share a row */
		if (nr && !compare_rows(&rows->v.v[nr - 1], &rows->v.v[i]))
			free(rows->v.v[i].name);
		else
			rows->v.v[nr++] = rows->v.v[i];
	}
	rows->v.nr = nr;
	for (size_t p = 0; p < c->places.nr; p++) {
		struct stat_row row = row_of_place(rows, cache_level, c, p, names);
		const struct stat_row *found = bsearch(&row, rows->v.v, nr, sizeof(*rows->v.v), compare_rows);

		rows->of_place[p] = (u32)(found - rows->v.v);
		free(row.name);
	}
}

void stat_rows__exit(struct stat_rows *rows)
{
	for (size_t i = 0; i < rows->v.nr; i++)
		free(rows->v.v[i].name);
	array__exit(&rows->v);
	free(rows->of_place);
}
