/* CPUs, caches and memory nodes, from /sys/devices/system. */
#include "record/host/host_features_private.h"

#include "base/system/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CPUS_MAX = 1 << 16, NODES_MAX = 1 << 16, MEMORY_BLOCKS_MAX = 1 << 24 };

/* Read the first line of a file below sysfs into line. */
#define sysfs__line(h, line, path, ...) \
	file__read_linef(line, "%s/devices/system/" path, (h)->sysfs, ##__VA_ARGS__)

int host__nr_cpus(const struct host_ctx *h)
{
	struct strbuf line = STRBUF_INIT;
	int_array cpus = { 0 };
	int nr = (int)MAX(sysconf(_SC_NPROCESSORS_CONF), 1);

	if (!sysfs__line(h, &line, "cpu/present") && !int_list__parse(line.buf, CPUS_MAX, &cpus) && cpus.nr)
		nr = cpus.v[cpus.nr - 1] + 1;
	strbuf__exit(&line);
	array__exit(&cpus);
	return nr;
}

/* ---- packages, dies, cores ---- */

static const struct topology_level {
	const char *siblings, *id;
} topology_levels[] = {
	{ "core_siblings_list", "physical_package_id" },
	{ "thread_siblings_list", "core_id" },
	{ "die_cpus_list", "die_id" },
};
enum { LEVEL_PACKAGE, LEVEL_CORE, LEVEL_DIE, LEVEL_NR };

struct topology {
	u32 nr_lists;        /* distinct sets of siblings */
	struct strbuf lists; /* the sets, as strings */
	u32 *ids;            /* by CPU; UINT32_MAX: unknown */
};

/* Siblings share their id, so only the first CPU of each set is read. An offline CPU has no directory. */
static void topology__read(struct topology *t, const struct host_ctx *h, int nr,
			   const struct topology_level *level)
{
	struct strbuf line = STRBUF_INIT;
	bool *known = xcalloc((size_t)nr, sizeof(*known));
	int_array cpus = { 0 };

	*t = (struct topology){ .lists = STRBUF_INIT, .ids = xcalloc((size_t)nr, sizeof(*t->ids)) };
	memset(t->ids, 0xff, (size_t)nr * sizeof(*t->ids));
	for (int cpu = 0; cpu < nr; cpu++) {
		u32 id = UINT32_MAX;

		if (known[cpu] || sysfs__line(h, &line, "cpu/cpu%d/topology/%s", cpu, level->siblings) ||
		    !line.len)
			continue;
		cpus.nr = 0;
		if (int_list__parse(line.buf, CPUS_MAX, &cpus))
			continue;
		build__string(&t->lists, line.buf);
		t->nr_lists++;
		if (!sysfs__line(h, &line, "cpu/cpu%d/topology/%s", cpu, level->id))
			id = (u32)strtol(line.buf, NULL, 10);
		t->ids[cpu] = id;
		for (size_t i = 0; i < cpus.nr; i++) {
			if (cpus.v[i] < nr) {
				known[cpus.v[i]] = true;
				t->ids[cpus.v[i]] = id;
			}
		}
	}
	free(known);
	array__exit(&cpus);
	strbuf__exit(&line);
}

static void topology__exit(struct topology *t)
{
	strbuf__exit(&t->lists);
	free(t->ids);
}

static void topology__add_lists(const struct topology *t, struct strbuf *out)
{
	strbuf__add_u32(out, t->nr_lists);
	strbuf__add(out, t->lists.buf, t->lists.len);
}

int host__cpu_topology(const struct host_ctx *h, struct strbuf *out)
{
	struct topology level[LEVEL_NR];
	int nr = host__nr_cpus(h), ret = 0;

	for (size_t i = 0; i < LEVEL_NR; i++)
		topology__read(&level[i], h, nr, &topology_levels[i]);
	if (!level[LEVEL_PACKAGE].nr_lists)
		ret = -ENOENT;
	topology__add_lists(&level[LEVEL_PACKAGE], out);
	topology__add_lists(&level[LEVEL_CORE], out);
	for (int i = 0; i < nr; i++) {
		strbuf__add_u32(out, level[LEVEL_CORE].ids[i]);
		strbuf__add_u32(out, level[LEVEL_PACKAGE].ids[i]);
	}
	if (level[LEVEL_DIE].nr_lists) {
		topology__add_lists(&level[LEVEL_DIE], out);
		for (int i = 0; i < nr; i++)
			strbuf__add_u32(out, level[LEVEL_DIE].ids[i]);
	}
	for (size_t i = 0; i < LEVEL_NR; i++)
		topology__exit(&level[i]);
	return ret;
}

/* ---- caches ---- */

enum { CACHE_VERSION = 1, CACHE_INDEX_MAX = 16 };

struct cache {
	u32 level, line_size, sets, ways;
	char *type, *size, *cpus;
	size_t order; /* position in which it was found */
};
typedef ARRAY(struct cache) cache_array;

static u32 cache__number(const struct host_ctx *h, struct strbuf *line, int cpu, int index, const char *file)
{
	return sysfs__line(h, line, "cpu/cpu%d/cache/index%d/%s", cpu, index, file)
		       ? 0
		       : (u32)strtoul(line->buf, NULL, 10);
}

static char *cache__text(const struct host_ctx *h, struct strbuf *line, int cpu, int index, const char *file)
{
	return xstrdup(sysfs__line(h, line, "cpu/cpu%d/cache/index%d/%s", cpu, index, file) ? "" : line->buf);
}

static void cache__read(struct cache *c, const struct host_ctx *h, struct strbuf *line, int cpu, int index)
{
	c->level = cache__number(h, line, cpu, index, "level");
	c->line_size = cache__number(h, line, cpu, index, "coherency_line_size");
	c->sets = cache__number(h, line, cpu, index, "number_of_sets");
	c->ways = cache__number(h, line, cpu, index, "ways_of_associativity");
	c->type = cache__text(h, line, cpu, index, "type");
	c->size = cache__text(h, line, cpu, index, "size");
	c->cpus = cache__text(h, line, cpu, index, "shared_cpu_list");
}

/* List each cache once, at the first of the CPUs that share it. */
static void caches__read(cache_array *caches, const struct host_ctx *h, int nr)
{
	bool *known = xcalloc((size_t)nr * CACHE_INDEX_MAX, sizeof(*known));
	struct strbuf line = STRBUF_INIT;
	int_array cpus = { 0 };

	for (int i = 0; i < nr * CACHE_INDEX_MAX; i++) {
		int cpu = i / CACHE_INDEX_MAX, index = i % CACHE_INDEX_MAX;
		struct cache *c;

		if (known[i])
			continue;
		if (sysfs__line(h, &line, "cpu/cpu%d/cache/index%d/level", cpu, index)) {
			i |= CACHE_INDEX_MAX - 1; /* this CPU has no more caches */
			continue;
		}
		c = array__push(caches);
		c->order = caches->nr;
		cache__read(c, h, &line, cpu, index);
		cpus.nr = 0;
		if (int_list__parse(c->cpus, CPUS_MAX, &cpus))
			continue;
		for (size_t j = 0; j < cpus.nr; j++)
			if (cpus.v[j] < nr)
				known[cpus.v[j] * CACHE_INDEX_MAX + index] = true;
	}
	array__exit(&cpus);
	strbuf__exit(&line);
	free(known);
}

static int cache__cmp(const void *a, const void *b)
{
	const struct cache *x = a, *y = b;

	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

int host__cache(const struct host_ctx *h, struct strbuf *out)
{
	cache_array caches = { 0 };
	int ret;

	caches__read(&caches, h, host__nr_cpus(h));
	ret = caches.nr ? 0 : -ENOENT;
	if (caches.nr)
		qsort(caches.v, caches.nr, sizeof(caches.v[0]), cache__cmp);
	strbuf__add_u32(out, CACHE_VERSION);
	strbuf__add_u32(out, (u32)caches.nr);
	for (size_t i = 0; i < caches.nr; i++) {
		struct cache *c = &caches.v[i];

		strbuf__add_u32(out, c->level);
		strbuf__add_u32(out, c->line_size);
		strbuf__add_u32(out, c->sets);
		strbuf__add_u32(out, c->ways);
		build__string(out, c->type);
		build__string(out, c->size);
		build__string(out, c->cpus);
		free(c->type);
		free(c->size);
		free(c->cpus);
	}
	array__exit(&caches);
	return ret;
}

/* ---- memory nodes ---- */

static int nodes__online(const struct host_ctx *h, int_array *nodes)
{
	struct strbuf line = STRBUF_INIT;
	int ret = sysfs__line(h, &line, "node/online");

	if (!ret)
		ret = int_list__parse(line.buf, NODES_MAX, nodes);
	strbuf__exit(&line);
	return ret;
}

/* "Node 0 MemTotal:       24684084 kB" */
static u64 meminfo__kb(const char *text, const char *name)
{
	const char *p = strstr(text, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

int host__numa_topology(const struct host_ctx *h, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	int_array nodes = { 0 };
	int ret = nodes__online(h, &nodes);

	strbuf__add_u32(out, (u32)nodes.nr);
	for (size_t i = 0; i < nodes.nr && !ret; i++) {
		ret = sysfs__line(h, &text, "node/node%d/meminfo", nodes.v[i]);
		if (ret)
			break;
		strbuf__add_u32(out, (u32)nodes.v[i]);
		strbuf__add_u64(out, meminfo__kb(text.buf, " MemTotal:"));
		strbuf__add_u64(out, meminfo__kb(text.buf, " MemFree:"));
		ret = sysfs__line(h, &text, "node/node%d/cpulist", nodes.v[i]);
		build__string(out, text.buf);
	}
	array__exit(&nodes);
	strbuf__exit(&text);
	return ret;
}

/* One bit per memory block of the node, in u64 words. */
static int node__blocks(const struct host_ctx *h, int node, int_array *blocks)
{
	name_array names = { 0 };
	int ret = folder__names(&names, false, "%s/devices/system/node/node%d", h->sysfs, node);

	for (size_t i = 0; i < names.nr; i++) {
		int block;
		char tail;

		if (sscanf(names.v[i], "memory%d%c", &block, &tail) == 1 && block >= 0 &&
		    block < MEMORY_BLOCKS_MAX)
			array__add(blocks, block);
	}
	name_array__exit(&names);
	return ret;
}

static void add_bitmap(struct strbuf *out, const int_array *bits)
{
	size_t nr = 0, nr_words;
	u64 *words;

	for (size_t i = 0; i < bits->nr; i++)
		nr = MAX(nr, (size_t)bits->v[i] + 1);
	nr_words = ROUND_UP(nr, 64) / 64;
	words = xcalloc(nr_words + 1, sizeof(*words));
	for (size_t i = 0; i < bits->nr; i++)
		words[bits->v[i] / 64] |= 1ull << bits->v[i] % 64;
	strbuf__add_u64(out, nr); /* number of the node's blocks, then again before the bits */
	strbuf__add_u64(out, nr);
	strbuf__add(out, words, nr_words * sizeof(*words));
	free(words);
}

int host__mem_topology(const struct host_ctx *h, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;
	int_array nodes = { 0 }, blocks = { 0 };
	int ret = sysfs__line(h, &line, "memory/block_size_bytes");

	if (!ret)
		ret = nodes__online(h, &nodes);
	strbuf__add_u64(out, 1); /* version */
	strbuf__add_u64(out, strtoull(line.buf, NULL, 16));
	strbuf__add_u64(out, nodes.nr);
	for (size_t i = 0; i < nodes.nr && !ret; i++) {
		blocks.nr = 0;
		ret = node__blocks(h, nodes.v[i], &blocks);
		strbuf__add_u64(out, (u64)nodes.v[i]);
		add_bitmap(out, &blocks);
	}
	array__exit(&nodes);
	array__exit(&blocks);
	strbuf__exit(&line);
	return ret;
}
