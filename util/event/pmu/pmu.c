#include "event/pmu/pmu.h"

#include "base/text/glob.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CPU_MAX = 1 << 16 };

/* ---- formats ---- */

/* "config", "config1"...; *rest: the text after it. */
static int word_index(const char *text, const char **rest)
{
	int word = 0;

	if (strncmp(text, "config", 6))
		return -EINVAL;
	text += 6;
	if (isdigit((unsigned char)*text))
		word = *text++ - '0';
	if (*text != ':' || word >= PMU_CONFIG_WORDS)
		return -EINVAL;
	*rest = text + 1;
	return word;
}

int pmu_format__parse(const char *text, struct pmu_format *f)
{
	int_array bits = { 0 };
	int word = word_index(text, &text), ret;

	if (word < 0)
		return word;
	ret = int_list__parse(text, 63, &bits);
	f->word = (u8)word;
	f->bits = 0;
	for (size_t i = 0; !ret && i < bits.nr; i++)
		f->bits |= 1ull << bits.v[i];
	array__exit(&bits);
	return ret || !f->bits ? -EINVAL : 0;
}

u64 pmu_format__max(const struct pmu_format *f)
{
	int nr = __builtin_popcountll(f->bits);

	return nr == 64 ? UINT64_MAX : (1ull << nr) - 1;
}

int pmu_format__set(const struct pmu_format *f, u64 value, u64 words[PMU_CONFIG_WORDS])
{
	u64 *word = &words[f->word];

	if (value > pmu_format__max(f))
		return -ERANGE;
	for (u64 left = f->bits; left; left &= left - 1, value >>= 1) {
		u64 bit = left & -left;

		*word = value & 1 ? *word | bit : *word & ~bit;
	}
	return 0;
}

/* ---- one PMU ---- */

/* Return the content of a file of the PMU, which the caller frees; NULL if there is none. */
static char *pmu__text(const struct pmus *p, const char *pmu, const char *folder, const char *file,
		       const char *suffix)
{
	struct strbuf text = STRBUF_INIT;

	if (!file__read_linef(&text, "%s/bus/event_source/devices/%s/%s%s%s", p->sysfs, pmu, folder, file,
			      suffix) &&
	    text.len)
		return strbuf__detach(&text);
	strbuf__exit(&text);
	return NULL;
}

static void pmu__add_format(const struct pmus *p, struct pmu *pmu, const char *name)
{
	char *text = pmu__text(p, pmu->name, "format/", name, "");
	struct pmu_format f;

	if (text && !pmu_format__parse(text, &f)) {
		f.name = xstrdup(name);
		array__add(&pmu->formats, f);
	}
	free(text);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && !strcmp(s + n - m, end);
}

static void pmu__add_event(const struct pmus *p, struct pmu *pmu, const char *name)
{
	static const char *const attributes[] = { ".scale", ".unit", ".per-pkg", ".snapshot", ".desc" };
	struct pmu_event e = { .scale = 1 };
	char *scale;

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (ends_with(name, attributes[i]))
			return;
	e.terms = pmu__text(p, pmu->name, "events/", name, "");
	if (!e.terms)
		return;
	e.name = xstrdup(name);
	e.unit = pmu__text(p, pmu->name, "events/", name, ".unit");
	scale = pmu__text(p, pmu->name, "events/", name, ".scale");
	if (scale) {
		e.scale = strtod(scale, NULL); /* perf sets no locale: with a decimal point */
		e.has_scale = true;
	}
	free(scale);
	array__add(&pmu->events, e);
}

static void pmu__for_each_file(const struct pmus *p, struct pmu *pmu, const char *folder,
			       void (*add)(const struct pmus *p, struct pmu *pmu, const char *name))
{
	name_array names = { 0 };

	folder__names(&names, false, "%s/bus/event_source/devices/%s/%s", p->sysfs, pmu->name, folder);
	for (size_t i = 0; i < names.nr; i++)
		add(p, pmu, names.v[i]);
	name_array__exit(&names);
}

static int compare_formats(const void *a, const void *b)
{
	return strcmp(((const struct pmu_format *)a)->name, ((const struct pmu_format *)b)->name);
}

static int compare_events(const void *a, const void *b)
{
	return strcmp(((const struct pmu_event *)a)->name, ((const struct pmu_event *)b)->name);
}

void pmu__load(const struct pmus *p, struct pmu *pmu)
{
	if (pmu->loaded)
		return;
	pmu->loaded = true;
	pmu__for_each_file(p, pmu, "format", pmu__add_format);
	pmu__for_each_file(p, pmu, "events", pmu__add_event);
	if (pmu->formats.nr)
		qsort(pmu->formats.v, pmu->formats.nr, sizeof(*pmu->formats.v), compare_formats);
	if (pmu->events.nr)
		qsort(pmu->events.v, pmu->events.nr, sizeof(*pmu->events.v), compare_events);
}

const struct pmu_format *pmu__format(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->formats.nr; i++)
		if (!strcmp(pmu->formats.v[i].name, name))
			return &pmu->formats.v[i];
	return NULL;
}

const struct pmu_event *pmu__event(const struct pmu *pmu, const char *name)
{
	for (size_t i = 0; i < pmu->events.nr; i++)
		if (!strcasecmp(pmu->events.v[i].name, name))
			return &pmu->events.v[i];
	return NULL;
}

/* ---- all of them ---- */

/*
 * Return the length of the name without "_12". The number may be hexadecimal: some units are numbered by
 * their address.
 */
static size_t stem_length(const char *name)
{
	size_t len = strlen(name), n = len;

	while (n && isxdigit((unsigned char)name[n - 1]))
		n--;
	if (n < 2 || n == len || name[n - 1] != '_')
		return len;
	for (size_t i = n; i < len; i++) /* "_a" alone is a word; "_0a" and "_12" are numbers */
		if (isdigit((unsigned char)name[i]))
			return n - 1;
	return len;
}

bool pmu__is_meant(const struct pmu *pmu, const char *word)
{
	static const char uncore[] = "uncore_";
	const char *name = pmu->name;
	size_t len = strlen(word);

	if (glob__match(word, name))
		return true;
	for (int i = 0; i < 2; i++) {
		if (stem_length(name) == len && !strncmp(word, name, len))
			return true;
		if (strncmp(name, uncore, strlen(uncore)))
			return false;
		name += strlen(uncore);
		if (glob__match(word, name))
			return true;
	}
	return false;
}

/* As strcmp, but numbers compare by value: imc_2 before imc_10. */
static int compare_pmus(const void *a, const void *b)
{
	const char *x = ((const struct pmu *)a)->name, *y = ((const struct pmu *)b)->name;

	return strverscmp(x, y);
}

static void pmus__add(struct pmus *p, const char *name)
{
	struct pmu pmu = { 0 };
	char *type = pmu__text(p, name, "", "type", ""), *cpus, *end;
	unsigned long n;

	if (!type)
		return;
	n = strtoul(type, &end, 10);
	if (end != type && n <= UINT32_MAX) {
		pmu.name = xstrdup(name);
		pmu.type = (u32)n;
		cpus = pmu__text(p, name, "", "cpus", "");
		pmu.is_core = cpus || !strcmp(name, "cpu");
		if (!cpus)
			cpus = pmu__text(p, name, "", "cpumask", "");
		if (cpus && int_list__parse(cpus, CPU_MAX, &pmu.cpus))
			array__exit(&pmu.cpus);
		free(cpus);
		array__add(&p->v, pmu);
	}
	free(type);
}

void pmus__init(struct pmus *p, const char *sysfs)
{
	name_array names = { 0 };

	*p = (struct pmus){ .sysfs = xstrdup(sysfs) };
	folder__names(&names, false, "%s/bus/event_source/devices", sysfs);
	for (size_t i = 0; i < names.nr; i++)
		pmus__add(p, names.v[i]);
	name_array__exit(&names);
	if (p->v.nr)
		qsort(p->v.v, p->v.nr, sizeof(*p->v.v), compare_pmus);
}

static void pmu__exit(struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->formats.nr; i++)
		free(pmu->formats.v[i].name);
	for (size_t i = 0; i < pmu->events.nr; i++) {
		free(pmu->events.v[i].name);
		free(pmu->events.v[i].terms);
		free(pmu->events.v[i].unit);
	}
	array__exit(&pmu->formats);
	array__exit(&pmu->events);
	array__exit(&pmu->cpus);
	free(pmu->name);
}

void pmus__exit(struct pmus *p)
{
	for (size_t i = 0; i < p->v.nr; i++)
		pmu__exit(&p->v.v[i]);
	array__exit(&p->v);
	free(p->sysfs);
	p->sysfs = NULL;
}

struct pmu *pmus__find(struct pmus *p, const char *name)
{
	for (size_t i = 0; i < p->v.nr; i++)
		if (!strcmp(p->v.v[i].name, name))
			return &p->v.v[i];
	return NULL;
}

size_t pmus__nr_core(const struct pmus *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->v.nr; i++)
		nr += p->v.v[i].is_core;
	return nr;
}
