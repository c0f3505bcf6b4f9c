/*
 * The kernel's PMUs (performance monitoring units), as described in sysfs in
 * SYSFS/bus/event_source/devices/NAME/: the type for attr.type, the bits of config that a term such as
 * "umask" sets (format/), and named events (events/), some with a scale and a unit. sysfs is "/sys" or a
 * test's directory.
 */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

#include "base/system/file.h"

/* format/NAME: "config1:0-7,21" */
struct pmu_format {
	char *name;
	u8 word;  /* 0: config, 1: config1 ... 3: config3 */
	u64 bits; /* of that word; a value fills them from the lowest bit up */
};

/* events/NAME, with NAME.scale and NAME.unit */
struct pmu_event {
	char *name;
	char *terms; /* "event=0x3c,umask=?" */
	char *unit;  /* NULL: none */
	double scale;
	bool has_scale;
};

struct pmu {
	char *name;
	u32 type;
	bool is_core;   /* counts on CPU cores: "cpu", or one kind of core ("cpu_atom") */
	int_array cpus; /* CPUs on which it counts; empty: all */
	bool loaded;    /* formats and events are read, and sorted by name */
	ARRAY(struct pmu_format) formats;
	ARRAY(struct pmu_event) events;
};

struct pmus {
	char *sysfs;
	ARRAY(struct pmu) v; /* sorted by name, numbers in it by value */
};

enum { PMU_CONFIG_WORDS = 4 };

/* Read names and types. Having no PMUs is not an error. */
void pmus__init(struct pmus *p, const char *sysfs);
void pmus__exit(struct pmus *p);
/* Read the PMU's formats and events, once. Those that cannot be read or parsed are left out. */
void pmu__load(const struct pmus *p, struct pmu *pmu);

/* Return the PMU of this name, or NULL. */
struct pmu *pmus__find(struct pmus *p, const char *name);
/* Return how many PMUs count on cores: more than 1 on a machine with several kinds of cores. */
size_t pmus__nr_core(const struct pmus *p);

/*
 * Does word name the PMU? It may be the PMU's name, a pattern, or the name without the number at its end and
 * without "uncore_" ("imc" for uncore_imc_0).
 */
bool pmu__is_meant(const struct pmu *pmu, const char *word);
/* Return the format or event of a loaded PMU, or NULL. Events are compared without case. */
const struct pmu_format *pmu__format(const struct pmu *pmu, const char *name);
const struct pmu_event *pmu__event(const struct pmu *pmu, const char *name);

/* Parse a line of format/. Return 0 or -EINVAL. */
int pmu_format__parse(const char *text, struct pmu_format *f);
/* Write value into the format's bits of words, replacing their content. -ERANGE: value is too big. */
int pmu_format__set(const struct pmu_format *f, u64 value, u64 words[PMU_CONFIG_WORDS]);
/* Return the greatest value that fits. */
u64 pmu_format__max(const struct pmu_format *f);

#endif
