#include "record/host/affinity.h"

#include "base/message/word_list.h"
#include "base/system/file.h"

#include <errno.h>
#include <string.h>

int affinity__parse(enum affinity_mode *mode, const char *text, struct err *err)
{
	static const char *const names[] = {
		[AFFINITY_SYS] = "sys", [AFFINITY_NODE] = "node", [AFFINITY_CPU] = "cpu"
	};
	static const struct word_list modes = WORD_LIST("affinity mode", names, 0);
	int i = word_list__choose(&modes, text, strlen(text), err);

	if (i >= 0)
		*mode = (enum affinity_mode)i;
	return MIN(i, 0);
}

/* See Documentation/ABI/stable/sysfs-devices-node; there may be no nodes. */
static void affinity__read_nodes(struct affinity *a)
{
	int_array nodes = { 0 }, cpus = { 0 };
	struct strbuf text = STRBUF_INIT;

	if (!file__read_line("/sys/devices/system/node/online", &text))
		int_list__parse(text.buf, UINT16_MAX, &nodes);
	for (size_t i = 0; i < nodes.nr; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		if (file__read_linef(&text, "/sys/devices/system/node/node%d/cpulist", nodes.v[i]) ||
		    int_list__parse(text.buf, CPU_SETSIZE - 1, &cpus))
			continue;
		for (size_t j = 0; j < cpus.nr; j++)
			CPU_SET((size_t)cpus.v[j], &set);
		array__add(&a->nodes, set);
	}
	array__exit(&cpus);
	array__exit(&nodes);
	strbuf__exit(&text);
}

void affinity__init(struct affinity *a, enum affinity_mode mode)
{
	*a = (struct affinity){ .mode = mode, .cpu = -1 };
	if (mode != AFFINITY_SYS && sched_getaffinity(0, sizeof(a->before), &a->before))
		a->mode = AFFINITY_SYS;
	if (a->mode == AFFINITY_NODE)
		affinity__read_nodes(a);
}

void affinity__follow(struct affinity *a, int cpu)
{
	cpu_set_t one;

	if (a->mode == AFFINITY_SYS || cpu < 0 || cpu >= CPU_SETSIZE || cpu == a->cpu)
		return;
	a->cpu = cpu;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (a->mode == AFFINITY_CPU)
		sched_setaffinity(0, sizeof(one), &one);
	for (size_t i = 0; i < a->nodes.nr; i++)
		if (CPU_ISSET((size_t)cpu, &a->nodes.v[i]))
			sched_setaffinity(0, sizeof(one), &a->nodes.v[i]);
}

void affinity__restore(struct affinity *a)
{
	if (a->cpu >= 0)
		sched_setaffinity(0, sizeof(a->before), &a->before);
	a->cpu = -1;
}

void affinity__exit(struct affinity *a)
{
	affinity__restore(a);
	array__exit(&a->nodes);
}
