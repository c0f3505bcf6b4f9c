/*
 * The kernel's PMUs (performance monitoring units), as sysfs shows them in
 * SYSFS/bus/event_source/devices/NAME/: the type for attr.type, which bits of config a term such as "umask"
 * sets (format/), and named events (events/), some with a scale and a unit. sysfs is "/sys" or a folder of a
 * test.
 */
#ifndef EVENT_PMU_H
#define EVENT_PMU_H

#include "base/system/file.h"

/* format/NAME: "config1:0-7,21" */
struct pmu_format {
	char *name;
	u8 word;  /* 0: config, 1: config1 ... 3: config3 */
	u64 bits; /* of that word; a value's bits go into them from the lowest up */
};

/* events/NAME, with NAME.scale, NAME.unit beside it */
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
	bool is_core;   /* counts what a CPU executes: "cpu", and those of one kind of core ("cpu_atom") */
	int_array cpus; /* where it counts; empty: everywhere */
	bool loaded;    /* formats and events; sorted by name */
	ARRAY(struct pmu_format) formats;
	ARRAY(struct pmu_event) events;
};

struct pmus {
	char *sysfs;
	ARRAY(struct pmu) v; /* by name, numbers in it by value */
};

enum { PMU_CONFIG_WORDS = 4 };

/* Reads names and types. No PMUs at all is not an error. */
void pmus__init(struct pmus *p, const char *sysfs);
void pmus__exit(struct pmus *p);
/* Reads the PMU's formats and events, once. What cannot be read or understood is left out. */
void pmu__load(const struct pmus *p, struct pmu *pmu);

/* The one of this name; NULL. */
struct pmu *pmus__find(struct pmus *p, const char *name);
/* How many PMUs count for cores: more than 1 where there are several kinds of cores. */
size_t pmus__nr_core(const struct pmus *p);

/*
 * Whether word names the PMU: its name, a pattern, or its name without the number behind it and without the
 * "uncore_" in front ("imc" for uncore_imc_0).
 */
bool pmu__is_meant(const struct pmu *pmu, const char *word);
/* Of a loaded PMU; NULL if it has none of that name. Events' names are compared without case. */
const struct pmu_format *pmu__format(const struct pmu *pmu, const char *name);
const struct pmu_event *pmu__event(const struct pmu *pmu, const char *name);

/* Parses a line of format/. 0 or -EINVAL. */
int pmu_format__parse(const char *text, struct pmu_format *f);
/* Writes value into the format's bits of words, in place of what they had. -ERANGE: too big. */
int pmu_format__set(const struct pmu_format *f, u64 value, u64 words[PMU_CONFIG_WORDS]);
/* The greatest value that fits. */
u64 pmu_format__max(const struct pmu_format *f);

#endif
