/* PMU/terms/, and names of events that PMUs list in sysfs. */
#include "event/parse/parse_private.h"

#include "base/message/called_name.h"
#include "event/evsel/event_name.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { SUGGESTED_PMU = 16 };

/* ---- one PMU's terms ---- */

/* How one PMU reads the terms. The terms of a sysfs event come first; the user's terms override them. */
struct pmu_ctx {
	struct parser *ps;
	const struct pmu *pmu;
	struct evsel *e;
	u64 words[PMU_CONFIG_WORDS];
	u64 given[PMU_CONFIG_WORDS]; /* bits set by the user's own terms */
	bool has_event;              /* an event from sysfs, or a generic one */
};

void pmu__apply_config(struct evsel *e, const u64 words[PMU_CONFIG_WORDS])
{
	e->attr.config = words[0];
	e->attr.config1 = words[1];
	e->attr.config2 = words[2];
	e->config3 = words[3];
}

static void load_config(const struct evsel *e, u64 words[PMU_CONFIG_WORDS])
{
	words[0] = e->attr.config;
	words[1] = e->attr.config1;
	words[2] = e->attr.config2;
	words[3] = e->config3;
}

/* Set all bits except those that the user set with terms. */
static void pmu_ctx__set_config(struct pmu_ctx *c, u64 config)
{
	c->words[0] = (c->words[0] & c->given[0]) | (config & ~c->given[0]);
}

static int pmu_ctx__set_format(struct pmu_ctx *c, const struct pmu_format *f, const struct term *t)
{
	u64 value;
	int ret = parser__term_number(c->ps, t, &value);

	if (!ret && pmu_format__set(f, value, c->words))
		ret = parser__fail(c->ps, t->value.len ? t->value : t->name, "%s is at most %llu, not",
				   f->name, (unsigned long long)pmu_format__max(f));
	c->given[f->word] |= f->bits;
	return ret;
}

/*
 * Apply one "name=value" of an event's text in sysfs: "event=0x3c", "umask=?", "any". at: the event, for
 * messages.
 */
static int pmu_ctx__event_term(struct pmu_ctx *c, const struct term *t, struct word at)
{
	char *name = word__dup(t->name);
	const struct pmu_format *f = pmu__format(c->pmu, name);
	static const char *const words[] = { "config", "config1", "config2", "config3" };
	u64 value = 1;
	int ret = 0;

	if (f && word__is(t->value, "?")) {
		if ((c->given[f->word] & f->bits) != f->bits)
			ret = parser__fail(c->ps, at, "a value for %s is missing (%s=...) beside", name,
					   name);
	} else if (t->has_value && word__number(t->value, 10, &value)) {
		ret = parser__fail(c->ps, at, "the value of %s in sysfs is not a number; it is needed by",
				   name);
	} else if (f) {
		/* Keep the bits that the user set: they override the event's. */
		u64 set[PMU_CONFIG_WORDS] = { 0 }, bits = f->bits & ~c->given[f->word];

		if (pmu_format__set(f, value, set))
			ret = parser__fail(c->ps, at,
					   "sysfs has a value for %s that is too big in the text of", name);
		c->words[f->word] = (c->words[f->word] & ~bits) | (set[f->word] & bits);
	} else {
		size_t i = 0;

		while (i < ARRAY_SIZE(words) && strcmp(words[i], name))
			i++;
		if (i < ARRAY_SIZE(words))
			c->words[i] = (c->words[i] & c->given[i]) | (value & ~c->given[i]);
		else
			ret = parser__fail(c->ps, at, "the PMU has no format '%s', which is in the text of",
					   name);
	}
	free(name);
	return ret;
}

/* "event=0x3c,umask=?" */
static int pmu_ctx__add_event(struct pmu_ctx *c, const struct pmu_event *event, struct word at)
{
	const char *p = event->terms;
	int ret = 0;

	if (c->has_event)
		return parser__fail(c->ps, at, "only one event can stand between the slashes: unexpected");
	c->has_event = true;
	while (!ret && *p) {
		struct term t = { .name = { p, strcspn(p, ",=") } };

		p += t.name.len;
		if (*p == '=') {
			t.value = (struct word){ p + 1, strcspn(p + 1, ",") };
			t.has_value = true;
			p += 1 + t.value.len;
		}
		p += *p == ',';
		ret = pmu_ctx__event_term(c, &t, at);
	}
	free(c->e->request->unit);
	c->e->request->unit = event->unit ? xstrdup(event->unit) : NULL;
	c->e->request->scale = event->has_scale ? event->scale : 0;
	return ret;
}

/*
 * A generic event on one kind of core: the PMU's type goes into the upper half of config. The PMU "software"
 * has the software events.
 */
static int pmu_ctx__add_generic(struct pmu_ctx *c, struct word name)
{
	u32 type;
	u64 config;

	if (event_name__find(name.p, name.len, &type, &config))
		return -ENOENT;
	if (type == PERF_TYPE_SOFTWARE ? c->pmu->type != PERF_TYPE_SOFTWARE : !c->pmu->is_core)
		return -ENOENT;
	c->e->attr.type = type;
	if (type != PERF_TYPE_SOFTWARE && pmus__nr_core(&c->ps->pmus) > 1)
		config |= (u64)c->pmu->type << 32;
	pmu_ctx__set_config(c, config);
	c->has_event = true;
	return 0;
}

static int pmu_ctx__add_raw(struct pmu_ctx *c, struct word w)
{
	u64 config;
	int ret;

	if (w.len < 2 || *w.p != 'r')
		return -ENOENT;
	ret = word__number((struct word){ w.p + 1, w.len - 1 }, 16, &config);
	if (ret == -ERANGE)
		return parser__fail(c->ps, w, "raw event of more than 64 bits:");
	if (ret)
		return -ENOENT;
	pmu_ctx__set_config(c, config);
	return 0;
}

static void offer_pmu_terms(void *ctx, struct suggest *s, struct arena *names)
{
	const struct pmu *pmu = ctx;

	for (size_t i = 0; i < pmu->formats.nr; i++)
		suggest__offer(s, pmu->formats.v[i].name);
	for (size_t i = 0; i < pmu->events.nr; i++)
		suggest__offer(s, pmu->events.v[i].name);
	offer_terms(NULL, s, names);
}

/* Add a line with the PMU's own names. */
static void pmu_ctx__tell_terms(const struct pmu_ctx *c)
{
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < c->pmu->formats.nr && i < SUGGESTED_PMU; i++)
		strbuf__addf(&list, "%s%s", i ? ", " : "", c->pmu->formats.v[i].name);
	if (list.len)
		err__advise(c->ps->err, "%s has the terms %s%s; '%s list %s' shows its events", c->pmu->name,
			    list.buf, c->pmu->formats.nr > SUGGESTED_PMU ? "..." : "", called_name(),
			    c->pmu->name);
	strbuf__exit(&list);
}

static int pmu_ctx__unknown(struct pmu_ctx *c, const struct term *t)
{
	parser__fail(c->ps, t->name, "PMU %s has no term or event", c->pmu->name);
	parser__suggest(c->ps, t->name, offer_pmu_terms, (void *)c->pmu);
	pmu_ctx__tell_terms(c);
	return -EINVAL;
}

/* Set the event of a bare word: one from sysfs, a generic one, or rNNN. */
static int pmu_ctx__event_word(struct pmu_ctx *c, const struct term *t)
{
	char *name = word__dup(t->name);
	const struct pmu_event *event = t->has_value ? NULL : pmu__event(c->pmu, name);
	int ret = -ENOENT;

	free(name);
	if (event)
		return pmu_ctx__add_event(c, event, t->name);
	if (!t->has_value)
		ret = pmu_ctx__add_generic(c, t->name);
	if (!t->has_value && ret == -ENOENT)
		ret = pmu_ctx__add_raw(c, t->name);
	return ret == -ENOENT ? pmu_ctx__unknown(c, t) : ret;
}

static const struct pmu_format *pmu_ctx__format(const struct pmu_ctx *c, struct word w)
{
	char *name = word__dup(w);
	const struct pmu_format *f = pmu__format(c->pmu, name);

	free(name);
	return f;
}

/* Apply the terms that set bits first: an event then leaves those bits alone. */
static int pmu_ctx__terms(struct pmu_ctx *c, const term_array *terms)
{
	ARRAY(const struct term *) events = { 0 };
	int ret = 0;

	for (size_t i = 0; !ret && i < terms->nr; i++) {
		const struct term *t = &terms->v[i];
		const struct pmu_format *f;

		if (parser__apply_term(c->ps, t, c->e->idx, &ret)) {
			load_config(c->e, c->words);
		} else if ((f = pmu_ctx__format(c, t->name))) {
			ret = pmu_ctx__set_format(c, f, t);
			pmu__apply_config(c->e, c->words);
		} else {
			array__add(&events, t);
		}
	}
	for (size_t i = 0; !ret && i < events.nr; i++)
		ret = pmu_ctx__event_word(c, events.v[i]);
	if (!ret)
		pmu__apply_config(c->e, c->words);
	array__exit(&events);
	return ret;
}

/* ---- which PMUs ---- */

static struct evsel *parser__add_of_pmu(struct parser *ps, const struct pmu *pmu, u32 type, u64 config)
{
	struct evsel *e = parser__add(ps, type, config);

	e->request->pmu = xstrdup(pmu->name);
	for (size_t i = 0; i < pmu->cpus.nr; i++)
		array__add(&e->request->cpus, pmu->cpus.v[i]);
	return e;
}

/* Name one of several evsels after its PMU. in_slashes: the text has the event alone, not PMU/event/. */
static void parser__name_of_pmu(struct parser *ps, struct evsel *e, struct word head, bool in_slashes)
{
	e->request->in_each_pmu = true;
	if (in_slashes)
		e->name = xasprintf("%s/%.*s", e->request->pmu, (int)head.len, head.p);
	else
		e->name = xstrdup(e->request->pmu);
	ps->head = head;
	ps->head_in_slashes = in_slashes;
}

static void offer_pmus(void *ctx, struct suggest *s, struct arena *names)
{
	const struct pmus *pmus = ctx;

	(void)names;
	for (size_t i = 0; i < pmus->v.nr; i++)
		suggest__offer(s, pmus->v.v[i].name);
}

int parser__unknown_pmu(struct parser *ps, struct word w)
{
	struct pmus *pmus = parser__pmus(ps);
	struct strbuf list = STRBUF_INIT;

	for (size_t i = 0; i < pmus->v.nr && i < SUGGESTED_PMU; i++)
		strbuf__addf(&list, "%s%s", i ? ", " : "", pmus->v.v[i].name);
	parser__fail(ps, w, "no event and no PMU is called");
	parser__suggest(ps, w, offer_pmus, pmus);
	if (list.len)
		err__advise(ps->err, "PMUs here: %s%s", list.buf, pmus->v.nr > SUGGESTED_PMU ? "..." : "");
	strbuf__exit(&list);
	return -EINVAL;
}

static bool is_meant(const struct pmu *pmu, const struct pmu *exact, const char *name)
{
	return exact ? exact == pmu : pmu__is_meant(pmu, name);
}

static int parser__events_of_pmus(struct parser *ps, struct word w, const char *name)
{
	struct pmus *pmus = parser__pmus(ps);
	struct pmu *exact = pmus__find(pmus, name);
	term_array terms = { 0 };
	size_t nr = 0;
	int ret;

	for (size_t i = 0; i < pmus->v.nr; i++)
		nr += is_meant(&pmus->v.v[i], exact, name);
	if (!nr)
		return -ENOENT;
	ps->p = w.p + w.len;
	ret = parser__read_terms(ps, &terms);
	for (size_t i = 0; !ret && i < pmus->v.nr; i++) {
		struct pmu *pmu = &pmus->v.v[i];
		struct pmu_ctx c = { .ps = ps, .pmu = pmu };

		if (!is_meant(pmu, exact, name))
			continue;
		pmu__load(pmus, pmu);
		c.e = parser__add_of_pmu(ps, pmu, pmu->type, 0);
		ret = pmu_ctx__terms(&c, &terms);
	}
	for (size_t i = ps->first; !ret && nr > 1 && i < ps->out.evsels.nr; i++)
		parser__name_of_pmu(ps, ps->out.evsels.v[i], w, false);
	array__exit(&terms);
	return ret;
}

int parser__pmu_event(struct parser *ps)
{
	struct word w = parser__word(ps);
	char *name = word__dup(w);
	int ret = parser__events_of_pmus(ps, w, name);

	free(name);
	return ret;
}

int parser__pmu_alias(struct parser *ps, struct word w)
{
	struct pmus *pmus = parser__pmus(ps);
	char *name = word__dup(w);
	int ret = -ENOENT;
	size_t nr = 0;

	for (size_t i = 0; (!ret || ret == -ENOENT) && i < pmus->v.nr; i++) {
		struct pmu *pmu = &pmus->v.v[i];
		struct pmu_ctx c = { .ps = ps, .pmu = pmu };
		const struct pmu_event *event;

		pmu__load(pmus, pmu);
		event = pmu__event(pmu, name);
		if (!event)
			continue;
		nr++;
		c.e = parser__add_of_pmu(ps, pmu, pmu->type, 0);
		ret = pmu_ctx__add_event(&c, event, w);
		pmu__apply_config(c.e, c.words);
	}
	for (size_t i = ps->first; !ret && nr > 1 && i < ps->out.evsels.nr; i++)
		parser__name_of_pmu(ps, ps->out.evsels.v[i], w, true);
	if (!ret)
		ps->p = w.p + w.len;
	free(name);
	return ret;
}

/* A PMU "cpu" is the only core PMU. If it exists, the other PMUs, perhaps hundreds, need not be read. */
static bool has_one_kind(const struct parser *ps)
{
	char *path = xasprintf("%s/bus/event_source/devices/cpu", ps->opts->sysfs);
	bool has = !access(path, F_OK);

	free(path);
	return has;
}

int parser__for_each_core(struct parser *ps, struct word name, u32 type, u64 config)
{
	struct pmus *pmus;

	if (has_one_kind(ps))
		return -ENOENT;
	pmus = parser__pmus(ps);
	if (pmus__nr_core(pmus) < 2)
		return -ENOENT;
	for (size_t i = 0; i < pmus->v.nr; i++) {
		const struct pmu *pmu = &pmus->v.v[i];
		struct evsel *e;

		if (!pmu->is_core)
			continue;
		if (type == PERF_TYPE_RAW)
			e = parser__add_of_pmu(ps, pmu, pmu->type, config);
		else
			e = parser__add_of_pmu(ps, pmu, type, (u64)pmu->type << 32 | config);
		parser__name_of_pmu(ps, e, name, true);
	}
	return 0;
}

void offer_pmu_events(struct parser *ps, struct suggest *s, struct arena *names)
{
	struct pmus *pmus = parser__pmus(ps);

	(void)names;
	for (size_t i = 0; i < pmus->v.nr; i++) {
		pmu__load(pmus, &pmus->v.v[i]);
		for (size_t j = 0; j < pmus->v.v[i].events.nr; j++)
			suggest__offer(s, pmus->v.v[i].events.v[j].name);
	}
}
