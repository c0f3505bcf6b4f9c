/* Names and lines that are known to be needed, found by several threads at once. */
#include "model/symbolize_private.h"

#include "base/system/thread.h"

/* Load the file that would otherwise be searched. */
static void dso__load_rest(struct dso *dso)
{
	pthread_mutex_lock(&dso->lock);
	if (dso->kallsyms)
		kallsyms_file__load(dso->kallsyms);
	pthread_mutex_unlock(&dso->lock);
}

enum {
	LOADERS_MAX = 32,
	PLACES_STEP = 16, /* places per step: neighbours are often in one compile unit */
	REST_STEP = 64,   /* spares_memory: places after which to give memory back */
};

struct load_job {
	struct symbolizer *symbolizer;
	const struct symbol_wants *wants;
	size_t next, next_place; /* index in dsos and places; __atomic */
	bool is_searched;        /* a thread has taken the search of the kernel; __atomic */
};

static void load_job__search_kernel(struct load_job *job)
{
	const struct symbol_wants *w = job->wants;

	if (!w->kernel || __atomic_exchange_n(&job->is_searched, true, __ATOMIC_RELAXED))
		return;
	for (size_t i = 0; i < w->kernel_addrs.nr; i++)
		symbolizer__find(job->symbolizer, w->kernel, w->kernel_addrs.v[i]);
}

static void load_job__find_lines(struct load_job *job, const struct dso_place *place)
{
	struct dwarf_lines *lines;
	struct source_line line;

	if (symbolizer__stored_lines(job->symbolizer, place->dso))
		return; /* stored for nearly all addresses */
	lines = symbolizer__lines(job->symbolizer, place->dso);
	if (lines)
		dwarf_lines__find(lines, place->addr, job->wants->lines, &line);
}

/* Give back what only finding the lines of the binary needed. */
static void load_job__rest(const struct load_job *job, const struct dso *dso, bool is_done)
{
	if (job->symbolizer->opts.spares_memory && dso &&
	    __atomic_load_n(&dso->lines_loaded, __ATOMIC_ACQUIRE) && dso->lines)
		dwarf_lines__rest(dso->lines, is_done);
}

/* Give back the tables that symbols are found in. The next lookup of another address loads them again. */
static void dso__rest_names(struct dso *dso)
{
	pthread_mutex_lock(&dso->lock);
	symtab__exit(&dso->symtab);
	made_up__delete(dso->made_up);
	dso->made_up = NULL;
	__atomic_store_n(&dso->loaded, false, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&dso->lock);
}

/* spares_memory: find all names of one binary after the other. */
static void load_job__find_names(const struct load_job *job)
{
	const struct symbol_wants *w = job->wants;

	for (size_t i = 0; i < w->places.nr; i++) {
		struct dso *dso = w->places.v[i].dso;

		if (!symbolizer__keeps(job->symbolizer, dso))
			continue;
		symbolizer__find(job->symbolizer, dso, w->places.v[i].addr);
		if (i + 1 == w->places.nr || w->places.v[i + 1].dso != dso)
			dso__rest_names(dso);
	}
}

static void *load_job__run(void *arg)
{
	struct load_job *job = arg;
	const struct dso *last = NULL;
	size_t i;

	load_job__search_kernel(job); /* first, because it usually takes longest */
	while ((i = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED)) < job->wants->dsos.nr) {
		if (symbolizer__keeps(job->symbolizer, job->wants->dsos.v[i]))
			continue;
		symbolizer__load(job->symbolizer, job->wants->dsos.v[i]);
		dso__load_rest(job->wants->dsos.v[i]);
	}
	while ((i = __atomic_fetch_add(&job->next_place, PLACES_STEP, __ATOMIC_RELAXED)) <
	       (job->wants->lines ? job->wants->places.nr : 0))
		for (size_t end = MIN(i + PLACES_STEP, job->wants->places.nr); i < end; i++) {
			const struct dso_place *place = &job->wants->places.v[i];

			if (last != place->dso || !(i % REST_STEP))
				load_job__rest(job, last, last != place->dso);
			load_job__find_lines(job, place);
			last = place->dso;
		}
	load_job__rest(job, last, true);
	return NULL;
}

void symbolizer__load_all(struct symbolizer *s, const struct symbol_wants *wants, unsigned nr_threads)
{
	struct load_job job = { .symbolizer = s, .wants = wants };
	size_t nr = wants->dsos.nr + wants->places.nr + (wants->kernel != NULL);
	unsigned want = (unsigned)MIN(MIN((size_t)nr_threads, nr), (size_t)LOADERS_MAX), started = 0;
	pthread_t threads[LOADERS_MAX];

	if (s->opts.spares_memory) {
		load_job__find_names(&job);
		want = 1;
	}
	/* If a thread cannot be started, the others do its work; this thread is one of them. */
	while (started + 1 < want && !thread__start(&threads[started], load_job__run, &job))
		started++;
	load_job__run(&job);
	progress__enter(s->opts.progress, "loading symbols of %zu files", nr);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	progress__leave(s->opts.progress);
}
