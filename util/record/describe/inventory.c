#include "record/describe/inventory.h"

#include "base/message/msg.h"
#include "base/message/word_list.h"
#include "format/records/build.h"
#include "live/checks.h"
#include "live/proc.h"

#include <errno.h>
#include <string.h>

static void inventory__add_ids(const struct inventory *inv, struct strbuf *out)
{
	const struct counters *counters = inv->counters;
	struct id_index_entry *entries = xcalloc(counters->v.nr, sizeof(*entries));

	for (size_t i = 0; i < counters->v.nr; i++) {
		const struct counter *c = &counters->v.v[i];

		entries[i] = (struct id_index_entry){
			.id = c->id, .idx = c->ring, .cpu = (u64)(s64)c->cpu, .tid = (u64)(s64)c->tid
		};
	}
	build__id_index(out, entries, counters->v.nr);
	free(entries);
}

/* No sample can be in the kernel. */
static bool inventory__excludes_kernel(const struct inventory *inv)
{
	for (size_t i = 0; i < inv->l->evsels.nr; i++) {
		const struct perf_event_attr *attr = &inv->l->evsels.v[i]->attr;

		if (!attr->exclude_kernel &&
		    !(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY))
			return false;
	}
	return true;
}

static void warn_hidden_kernel(void)
{
	struct strbuf text = STRBUF_INIT;

	checks__tell_hidden_symbols(&text);
	warning("%s", text.buf);
	strbuf__exit(&text);
}

static struct synthesize_opts inventory__synthesize_opts(const struct inventory *inv)
{
	return (struct synthesize_opts){
		.id_size = build__id_size(inv->l),
		.data_maps = inv->side_band->data_maps,
		.build_ids = !inv->side_band->no_build_ids,
		.no_kernel = inventory__excludes_kernel(inv),
		.no_maps = inv->left_out & SYNTH_MAPS,
		.namespaces = inv->side_band->namespaces,
		.modules = inv->modules,
	};
}

int inventory__add_basics(const struct inventory *inv, bool warn, struct strbuf *out, struct err *err)
{
	struct synthesize_opts opts = inventory__synthesize_opts(inv);
	const struct target *t = inv->target;
	bool hidden = false;
	int ret;

	for (size_t i = 0; i < inv->l->evsels.nr; i++)
		build__event_updates(out, inv->l->evsels.v[i]);
	inventory__add_ids(inv, out);
	ret = synthesize__kernel(out, &opts, &hidden, err);
	if (ret)
		return ret;
	if (hidden && !opts.no_kernel && warn)
		warn_hidden_kernel();
	if (t->tids.nr)
		build__thread_map(out, t->tids.v, NULL, t->tids.nr);
	if (t->cpus.v[0] >= 0)
		build__cpu_map(out, t->cpus.v, t->cpus.nr);
	if (inv->side_band->cgroups && !(inv->left_out & SYNTH_CGROUPS))
		ret = synthesize__cgroups(out, &opts, err);
	return ret;
}

void inventory__add_new_modules(const struct inventory *inv, bool always, struct strbuf *out)
{
	struct synthesize_opts opts = inventory__synthesize_opts(inv);

	synthesize__new_modules(out, &opts, always);
}

static int all_processes(int_array *pids, struct err *err)
{
	int ret = proc__pids(pids);

	return ret ? err__set(err, ret, "cannot list /proc: %s", err__str(ret)) : 0;
}

int inventory__add_tasks(const struct inventory *inv, struct strbuf *out, struct err *err)
{
	struct synthesize_opts opts = inventory__synthesize_opts(inv);
	int_array pids = { 0 };
	int ret = 0;

	/* its namespaces were set before its events were opened */
	if (inv->target->is_workload && opts.namespaces)
		synthesize__namespaces(out, inv->target->pids.v[0], inv->target->pids.v[0], &opts);
	if (inv->left_out & SYNTH_TASKS)
		return 0;
	if (inv->target->system_wide && !(ret = all_processes(&pids, err)))
		ret = synthesize__processes(out, &pids, &opts, err);
	else if (!ret && !inv->target->is_workload)
		ret = synthesize__threads(out, &inv->target->tids, &opts, err);
	if (!ret && !inv->target->system_wide && inv->tasks)
		ret = synthesize__processes(out, tasks__alive(inv->tasks), &opts, err);
	array__exit(&pids);
	return ret;
}

int inventory__parse_synth(const char *text, unsigned *left_out, struct err *err)
{
	static const struct {
		const char *name;
		unsigned parts;
	} words[] = { { "all", SYNTH_ALL },
		      { "no", 0 },
		      { "task", SYNTH_TASKS },
		      { "mmap", SYNTH_TASKS | SYNTH_MAPS },
		      { "cgroup", SYNTH_CGROUPS } };
	static const struct word_list parts = WORD_LIST("part", words, 0);

	*left_out = SYNTH_ALL;
	for (size_t len; len = strcspn(text, ","), true; text += len + 1) {
		int i = word_list__choose(&parts, text, len, err);

		if (i < 0)
			return i;
		*left_out &= ~words[i].parts;
		if (!text[len])
			return 0;
	}
}
