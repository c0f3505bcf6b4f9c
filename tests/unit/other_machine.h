/*
 * A machine with PMUs, probes and tracepoints, whatever the one has that runs the test: folders that look
 * like /sys and tracefs. make_machine and remove_machine are the set-up and tear-down of a cmocka group.
 */
#ifndef OTHER_MACHINE_H
#define OTHER_MACHINE_H

#include "event/parse/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/machine-XXXXXX";
static char sysfs[64], tracefs[64];
static const struct parse_opts fake = { .sysfs = sysfs, .tracefs = tracefs };

static void add_file(const char *folder, const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", folder, name);
	FILE *f;

	for (char *slash = path + strlen(root); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
	free(path);
}

static void add_pmu_file(const char *pmu, const char *name, const char *text)
{
	char *file = xasprintf("bus/event_source/devices/%s/%s", pmu, name);

	add_file(sysfs, file, text);
	free(file);
}

static void add_core_pmu(const char *pmu, const char *type)
{
	static const char *const files[][2] = {
		{ "format/event", "config:0-7" },
		{ "format/umask", "config:8-15" },
		{ "format/edge", "config:18" },
		{ "format/any", "config:21" },
		{ "format/ldlat", "config1:0-15" },
		{ "format/offcore_rsp", "config1:0-63" },
		{ "format/split", "config2:0-3,8,16-19" },
		{ "format/third", "config3:4-7" },
		{ "format/broken", "config:70" },
		{ "events/cpu-cycles", "event=0x3c" },
		{ "events/instructions", "event=0xc0" },
		{ "events/cache-misses", "event=0x2e,umask=0x41" },
		{ "events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
		{ "events/slots", "event=0x3c,any=1" },
		{ "events/slots.scale", "2.5e-1" },
		{ "events/slots.unit", "slots" },
		{ "events/param", "event=0x10,umask=?" },
		{ "events/odd", "event=0x10,nosuch=3" },
	};

	add_pmu_file(pmu, "type", type);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		add_pmu_file(pmu, files[i][0], files[i][1]);
}

static void add_uncore_pmus(void)
{
	static const char *const rows[][2] = {
		{ "uncore_imc_0", "20" },
		{ "uncore_imc_1", "21" },
		{ "uncore_imc_10", "22" },
		{ "uncore_cbox_0", "30" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		add_pmu_file(rows[i][0], "type", rows[i][1]);
		add_pmu_file(rows[i][0], "format/event", "config:0-7");
		add_pmu_file(rows[i][0], "cpumask", "0");
		if (strstr(rows[i][0], "imc"))
			add_pmu_file(rows[i][0], "events/cas_count_read", "event=0x04");
	}
}

static inline int make_machine(void **state)
{
	static const char *const tracepoints[][2] = {
		{ "sched/sched_switch", "314" },      { "sched/sched_wakeup", "316" },
		{ "sched/sched_waking", "317" },      { "irq/irq_handler_entry", "11" },
		{ "syscalls/sys_enter_read", "700" },
	};

	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(sysfs, sizeof(sysfs), "%s/sys", root);
	snprintf(tracefs, sizeof(tracefs), "%s/tracing", root);
	add_core_pmu("cpu", "4");
	add_pmu_file("software", "type", "1");
	add_pmu_file("breakpoint", "type", "5");
	add_pmu_file("uprobe", "type", "8");
	add_pmu_file("uprobe", "format/retprobe", "config:0");
	add_pmu_file("uprobe", "format/ref_ctr_offset", "config:32-63");
	add_uncore_pmus();
	for (size_t i = 0; i < ARRAY_SIZE(tracepoints); i++) {
		char *file = xasprintf("events/%s/id", tracepoints[i][0]);

		add_file(tracefs, file, tracepoints[i][1]);
		free(file);
	}
	return 0;
}

static inline int remove_machine(void **state)
{
	char *command = xasprintf("rm -r %s", root);
	int ret = system(command);

	(void)state;
	free(command);
	return ret;
}

#endif
