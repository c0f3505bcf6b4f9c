#include "merge/merge_private.h"

#include "base/system/thread.h"
#include "base/text/strbuf.h"
#include "cache/cache.h"
#include "format/read/features.h"
#include "format/read/merged_inputs.h"
#include "format/records/sampling_mark.h"
#include "merge/merged.h"
#include "model/frames.h"
#include "profile/gather/profile.h"
#include "profile/trees/stacks.h"
#include "profile/places/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned all_of_lines = DWARF_WANTS_LINE | DWARF_WANTS_INLINED | DWARF_WANTS_START;

struct merge *merge__new(const struct merge_opts *opts)
{
	struct merge *m = xcalloc(1, sizeof(*m));

	m->opts = opts;
	strpool__init(&m->texts);
	names_store__init(&m->names);
	array__add(&m->nodes, ((struct merge_node){ 0 }));
	for (size_t i = 0; i < FEATURE_LAST; i++)
		strbuf__init(&m->features[i].data);
	strbuf__init(&m->labels.data);
	return m;
}

void merge__delete(struct merge *m)
{
	for (size_t i = 0; i < FEATURE_LAST; i++)
		strbuf__exit(&m->features[i].data);
	strbuf__exit(&m->labels.data);
	names_store__exit(&m->names);
	strpool__exit(&m->texts);
	array__exit(&m->events);
	array__exit(&m->dsos);
	array__exit(&m->frames);
	array__exit(&m->nodes);
	array__exit(&m->samples);
	array__exit(&m->inputs);
	hash_table__exit(&m->by_dso);
	hash_table__exit(&m->by_frame);
	hash_table__exit(&m->by_node);
	hash_table__exit(&m->by_sample);
	free(m->arch);
	free(m);
}

/* ---- tables ---- */

static u32 merge__dso(struct merge *m, u32 name, const struct build_id *id, enum dso_kind kind)
{
	u64 hash = hash__bytes(id->data, id->size, (u64)kind << 32 | name);
	struct merge_dso *d;
	u32 i;

	hash_table__for_each (&m->by_dso, hash, i) {
		d = &m->dsos.v[i];
		if (d->name == name && d->kind == kind && d->id.size == id->size &&
		    !memcmp(d->id.data, id->data, id->size))
			return i;
	}
	i = (u32)m->dsos.nr;
	hash_table__insert(&m->by_dso, hash, i);
	array__add(&m->dsos,
		   ((struct merge_dso){ .name = name, .id = *id, .kind = kind, .first = UINT64_MAX }));
	array__add(&m->names.dsos, ((struct names_dso){ 0 }));
	array__add(&m->names.kinds, kind);
	return i;
}

static u32 merge__frame(struct merge *m, const struct merge_frame *f)
{
	u64 hash = hash__add(hash__u64(f->addr), (u64)f->dso << 1 | f->is_kernel);
	u32 i;

	hash_table__for_each (&m->by_frame, hash, i)
		if (m->frames.v[i].dso == f->dso && m->frames.v[i].addr == f->addr &&
		    m->frames.v[i].is_kernel == f->is_kernel)
			return i;
	i = (u32)m->frames.nr;
	hash_table__insert(&m->by_frame, hash, i);
	array__add(&m->frames, *f);
	if (f->dso != NO_DSO) {
		struct merge_dso *d = &m->dsos.v[f->dso];

		d->first = MIN(d->first, f->addr);
		d->last = MAX(d->last, f->addr);
	}
	return i;
}

static u32 merge__node(struct merge *m, u32 parent, u32 frame)
{
	u64 hash = hash__u64((u64)parent << 32 | frame);
	u32 i;

	hash_table__for_each (&m->by_node, hash, i)
		if (m->nodes.v[i].parent == parent && m->nodes.v[i].frame == frame)
			return i;
	i = (u32)m->nodes.nr;
	hash_table__insert(&m->by_node, hash, i);
	array__add(&m->nodes, ((struct merge_node){ parent, frame }));
	return i;
}

static void merge__sample(struct merge *m, const struct merge_sample *s)
{
	u64 hash = hash__add((u64)s->stack << 32 | s->leaf, (u64)s->comm << 32 | s->event << 8 | s->cpumode);
	struct merge_sample *known;
	u32 i;

	hash_table__for_each (&m->by_sample, hash, i) {
		known = &m->samples.v[i];
		if (known->stack == s->stack && known->leaf == s->leaf && known->comm == s->comm &&
		    known->event == s->event && known->cpumode == s->cpumode) {
			known->nr += s->nr;
			known->period += s->period;
			return;
		}
	}
	hash_table__insert(&m->by_sample, hash, (u32)m->samples.nr);
	array__add(&m->samples, *s);
}

/* ---- one recording ---- */

struct input {
	struct merge *m;
	struct session *s;
	struct profile profile;
	struct stacks stacks;
	ARRAY(u32) event_of; /* by evsel: index in events; NO_EVENT: of the dummy event */
	ARRAY(u32) dso_of;   /* by dso: index in dsos + 1; 0: not known yet */
	ARRAY(u32) frame_of; /* by place: index in frames + 1; 0: not known yet */
	ARRAY(u32) node_of;  /* by stack */
	struct code_frames lines;
};

/*
 * Does the name belong to one of the additional kernels of a merged recording? They are modules with the
 * build-id in their names: set id.
 */
static bool kernel_of_name(const char *name, struct build_id *id)
{
	const size_t before = strlen(OTHER_KERNEL);
	char hex[2 * BUILD_ID_MAX + 1] = "";
	size_t len;

	*id = (struct build_id){ 0 };
	if (strncmp(name, OTHER_KERNEL, before) != 0)
		return false;
	len = strcspn(name + before, "]");
	if (len >= sizeof(hex) || strcmp(name + before + len, "]") != 0)
		return false;
	memcpy(hex, name + before, len);
	return !len || build_id__parse(hex, id);
}

static u32 input__dso(struct input *in, const struct dso *dso)
{
	const struct dsos *dsos = &in->s->machine.dsos;
	const char *name = dso->kind == DSO_JIT || dso->kind == DSO_JITDUMP ? "" : dso__long_name(dsos, dso);
	enum dso_kind kind = dso->kind == DSO_JITDUMP ? DSO_JIT : dso->kind;
	struct build_id id = kind == DSO_JIT ? (struct build_id){ 0 } : dso->build_id;
	struct build_id of_name;
	u32 *known;

	while (in->dso_of.nr <= dso->idx)
		array__add(&in->dso_of, 0);
	known = &in->dso_of.v[dso->idx];
	if (kind == DSO_MODULE && kernel_of_name(name, &of_name)) {
		kind = DSO_KERNEL;
		name = KERNEL_NAME;
		id = of_name;
	}
	if (!*known)
		*known = merge__dso(in->m, strpool__intern(&in->m->texts, name), &id, kind) + 1;
	return *known - 1;
}

/* Return the address from which addresses of a dso count in the merged recording. */
static u64 input__start(const struct input *in, const struct dso *dso)
{
	const struct kernel_maps *k = &in->s->machine.kernel;

	if (dso->kind != DSO_KERNEL)
		return 0;
	return k->ref_name ? k->ref_addr : k->text.start;
}

static void input__add_lines(struct input *in, struct dso *dso, u32 i, u64 addr)
{
	struct names_store *n = &in->m->names;
	u64 at = addr - input__start(in, dso);
	size_t before = n->addresses.nr;

	if (!symbolizer__has_lines(&in->s->symbolizer, dso))
		return;
	names_store__add_address(n, i, at);
	if (n->addresses.nr == before)
		return;
	symbolizer__frames(&in->s->symbolizer, dso, addr, all_of_lines, &in->lines);
	names_store__add_lines(n, i, at, &in->lines);
}

/* JIT code is anywhere: a function's frame is its name. */
static u32 input__jit_frame(struct input *in, const struct place *p, const struct dso *dso)
{
	struct merge_frame f = { .dso = NO_DSO };

	if (p->sym) {
		f.dso = input__dso(in, dso);
		f.addr = strpool__intern(&in->m->texts, symtab__name(&dso->symtab, p->sym));
	}
	return merge__frame(in->m, &f);
}

static u32 input__new_frame(struct input *in, const struct place *p)
{
	struct dso *dso = in->s->machine.dsos.v.v[p->dso];
	struct merge_frame f = { .dso = NO_DSO, .addr = p->ip, .is_kernel = addr__is_kernel(p->ip) };

	if (!p->mapped || dso->kind == DSO_NONE || dso->is_guest)
		return merge__frame(in->m, &f);
	if (dso->kind == DSO_JIT || dso->kind == DSO_JITDUMP)
		return input__jit_frame(in, p, dso);
	f.is_kernel = p->level == 'k';
	f.dso = input__dso(in, dso);
	f.addr = p->ip - input__start(in, dso);
	if (p->sym && dso->kind != DSO_BPF)
		input__add_lines(in, dso, f.dso, p->ip);
	return merge__frame(in->m, &f);
}

static u32 input__frame(struct input *in, u32 place)
{
	while (in->frame_of.nr <= place)
		array__add(&in->frame_of, 0);
	if (!in->frame_of.v[place])
		in->frame_of.v[place] = input__new_frame(in, places__get(&in->stacks.places, place)) + 1;
	return in->frame_of.v[place] - 1;
}

/* Keep the name of a place that nr samples had, own of them as their own. */
static void input__add_name(struct input *in, const struct place *p, u64 nr, u64 own)
{
	const struct dso *dso = in->s->machine.dsos.v.v[p->dso];
	struct names_symbol sym;

	if (!p->sym || dso->kind == DSO_BPF || dso->kind == DSO_JIT || dso->kind == DSO_JITDUMP ||
	    dso->is_guest)
		return;
	sym = (struct names_symbol){ .start = p->sym->start - input__start(in, dso),
				     .size = p->sym->size,
				     .name = symtab__name(&dso->symtab, p->sym),
				     .hits = nr,
				     .own_hits = own,
				     .is_made_up =
					     p->sym->is_made_up || p->sym->name == SYMBOL_NAME_FOLLOWS };
	names_store__add_symbol(&in->m->names, input__dso(in, dso), &sym);
}

/* Take the nodes of the stacks over, which are new since the last call. */
static void input__take_nodes(struct input *in)
{
	for (size_t i = in->node_of.nr; i < in->stacks.v.nr; i++) {
		const struct stack_node *n = &in->stacks.v.v[i];

		array__add(&in->node_of,
			   i ? merge__node(in->m, in->node_of.v[n->parent], input__frame(in, n->place)) : 0);
	}
}

static void input__add_names(struct input *in, u32 stack, u32 leaf, u64 nr)
{
	const struct places *places = &in->stacks.places;

	input__add_name(in, places__get(places, leaf), nr, nr);
	for (; stack; stack = in->stacks.v.v[stack].parent)
		if (in->stacks.v.v[stack].place != leaf)
			input__add_name(in, places__get(places, in->stacks.v.v[stack].place), nr, 0);
}

static u32 input__comm(struct input *in, const struct row *row)
{
	u32 comm = row->key.comm;
	char name[16];

	if (comm & ROW_COMM_OF_TID) { /* as a report shows it */
		snprintf(name, sizeof(name), ":%d", (int)(comm << 1) >> 1);
		return strpool__intern(&in->m->texts, name);
	}
	return strpool__intern(&in->m->texts, machine__str(&in->s->machine, comm));
}

static void input__add_row(struct input *in, const struct row *row)
{
	struct row_space space = places__space(&in->stacks.places, row, (u8)row->key.cpumode);
	u32 event = in->event_of.v[row->key.event], stack = STACK_NONE, nr, leaf;

	if (event == NO_EVENT)
		return;
	if (row->key.nr_chain)
		stack = stacks__add(&in->stacks, row);
	leaf = *places__frames(&in->stacks.places, &space, row->key.ip, false, &nr);
	input__take_nodes(in);
	input__add_names(in, stack, leaf, row->nr);
	merge__sample(in->m, &(struct merge_sample){ .event = event,
						     .comm = input__comm(in, row),
						     .leaf = input__frame(in, leaf),
						     .stack = in->node_of.v[stack],
						     .cpumode = (u8)row->key.cpumode,
						     .nr = row->nr,
						     .period = row->period });
	in->m->nr_samples += row->nr;
}

/* ---- what must agree ---- */

static bool is_dummy(const struct evsel *e)
{
	return e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config == PERF_COUNT_SW_DUMMY;
}

static const char *merge__event_name(const struct merge *m, size_t i)
{
	return strpool__get(&m->texts, m->events.v[i].name);
}

/* Names may differ: a recording that was cut off has lost those that the user wrote. */
static size_t merge__find_event(const struct merge *m, const struct evsel *e)
{
	struct perf_event_attr attr = attr__of_event(&e->attr);
	size_t i = 0;

	while (i < m->events.nr && strcmp(merge__event_name(m, i), e->name) != 0)
		i++;
	for (size_t k = 0; i == m->events.nr && k < m->events.nr; k++)
		if (!memcmp(&m->events.v[k].attr, &attr, sizeof(attr)))
			return k;
	return i;
}

/* Whichever comes first, the shorter name is kept. */
static bool is_better_name(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);

	return x != y ? x < y : strcmp(a, b) < 0;
}

static int input__check_events(struct input *in, const char *path, struct err *err)
{
	const struct evlist *l = &in->s->reader->evlist;
	struct merge *m = in->m;
	size_t nr = 0;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		if (is_dummy(l->evsels.v[i]))
			continue;
		nr++;
		if (m->events.nr && merge__find_event(m, l->evsels.v[i]) == m->events.nr)
			return err__set(err, -EINVAL,
					"'%s' has the event %s, which the recordings before do not have",
					path, l->evsels.v[i]->name);
	}
	if (!nr)
		return err__set(err, -ENODATA, "'%s' has no samples", path);
	if (nr < m->events.nr)
		return err__set(err, -EINVAL, "'%s' has %zu events; the recordings before have %zu", path, nr,
				m->events.nr);
	return 0;
}

/* Two hosts may number an event differently: the lesser attr is kept, whichever comes first. */
static void input__add_events(struct input *in)
{
	const struct evlist *l = &in->s->reader->evlist;
	struct merge *m = in->m;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		struct perf_event_attr attr = attr__of_event(&e->attr);
		size_t k = merge__find_event(m, e);

		array__add(&in->event_of, is_dummy(e) ? NO_EVENT : (u32)k);
		if (is_dummy(e))
			continue;
		if (k == m->events.nr)
			array__add(&m->events,
				   ((struct merge_event){ .name = strpool__intern(&m->texts, e->name),
							  .attr = attr,
							  .is_varied = true }));
		if (is_better_name(e->name, merge__event_name(m, k)))
			m->events.v[k].name = strpool__intern(&m->texts, e->name);
		if (memcmp(&attr, &m->events.v[k].attr, sizeof(attr)) < 0)
			m->events.v[k].attr = attr;
		m->events.v[k].is_varied &= attr__is_varied(&e->attr);
		m->events.v[k].begins_late |= !e->attr.enable_on_exec;
		m->events.v[k].has_chains |= (e->attr.sample_type & PERF_SAMPLE_CALLCHAIN) != 0;
	}
}

static int input__check_arch(struct input *in, const char *path, struct err *err)
{
	char *arch = NULL;
	int ret = 0;

	if (features__string(in->s->reader, FEATURE_ARCH, &arch))
		return 0;
	if (in->m->arch && strcmp(in->m->arch, arch) != 0)
		ret = err__set(err, -EINVAL, "'%s' is of another architecture: %s, not %s", path, arch,
			       in->m->arch);
	free(arch);
	return ret;
}

static void input__add_arch(struct input *in)
{
	if (!in->m->arch && features__string(in->s->reader, FEATURE_ARCH, &in->m->arch))
		in->m->arch = NULL;
}

/* ---- header ---- */

/* Features that stay if all inputs agree. */
static const enum feature kept_features[] = { FEATURE_HOSTNAME, FEATURE_OSRELEASE, FEATURE_VERSION,
					      FEATURE_ARCH,     FEATURE_NRCPUS,    FEATURE_CPUDESC,
					      FEATURE_CPUID,    FEATURE_TOTAL_MEM };

/* Keep data that all inputs agree on. */
static void input__agree(struct merge_data *all, const struct strbuf *data)
{
	if (!all->is_known)
		strbuf__add(&all->data, data->buf, data->len);
	else if (all->data.len != data->len || memcmp(all->data.buf, data->buf, data->len) != 0)
		all->differs = true;
	all->is_known = true;
}

static void input__add_features(struct input *in)
{
	struct strbuf labels = STRBUF_INIT;

	if (reader__extension(in->s->reader, EXTENSION_LABELS, &labels))
		strbuf__reset(&labels);
	input__agree(&in->m->labels, &labels);
	strbuf__exit(&labels);
	for (size_t i = 0; i < sizeof(kept_features) / sizeof(kept_features[0]); i++) {
		enum feature f = kept_features[i];
		struct strbuf data = STRBUF_INIT;

		if (in->s->reader->needs_swap || reader__feature(in->s->reader, f, &data))
			strbuf__reset(&data);
		input__agree(&in->m->features[f], &data);
		strbuf__exit(&data);
	}
}

/* Note where the samples come from; a merged recording brings its own notes. */
static void input__add_origin(struct input *in)
{
	struct strbuf line = STRBUF_INIT;
	struct merged_inputs merged;
	char *host = NULL;
	u64 first, last;

	if (!merged_inputs__read(&merged, in->s->reader)) {
		for (size_t i = 0; i < merged.lines.nr; i++)
			array__add(&in->m->inputs, strpool__intern(&in->m->texts, merged.lines.v[i]));
		in->m->duration += merged.duration;
		merged_inputs__exit(&merged);
		return;
	}
	if (in->s->has_time && profile__sample_times(in->s, &first, &last))
		in->m->duration += last - first;
	features__string(in->s->reader, FEATURE_HOSTNAME, &host);
	merged_inputs__add_line(&line, host, in->profile.nr_samples, in->s->reader);
	array__add(&in->m->inputs, strpool__intern(&in->m->texts, line.buf));
	strbuf__exit(&line);
	free(host);
}

static int input__collect(struct input *in, const char *path, struct err *err)
{
	const struct profile_opts opts = {
		.lbr_chains = evlist__has_lbr_chains(&in->s->reader->evlist),
		.exact_leaves = true,
		.max_stack = MERGE_MAX_STACK,
		.nr_threads = thread__count(in->m->opts->nr_threads),
	};
	const struct stacks_opts stacks = { .max_stack = UINT32_MAX };
	int ret = input__check_arch(in, path, err);

	if (!ret)
		ret = input__check_events(in, path, err);
	if (!ret)
		ret = profile__collect(&in->profile, in->s, &opts, err);
	if (!ret && !in->profile.nr_samples)
		ret = err__set(err, -ENODATA, "'%s' has no samples", path);
	if (ret)
		return ret;
	survey__rows(in->s, &in->profile.rows, all_of_lines, opts.nr_threads);
	stacks__init(&in->stacks, in->s, &stacks);
	input__add_arch(in);
	input__add_events(in);
	input__add_features(in);
	input__add_origin(in);
	for (size_t i = 0; i < in->profile.rows.rows.nr; i++)
		input__add_row(in, row_table__get(&in->profile.rows, i));
	stacks__exit(&in->stacks);
	return 0;
}

int merge__add(struct merge *m, const char *path, struct err *err)
{
	const struct session_opts opts = { .reader = { .nr_threads = thread__count(m->opts->nr_threads) },
					   .symbols = { .buildid_dir = m->opts->buildid_dir,
							.no_demangle = true },
					   .samples_follow = true };
	struct input in = { .m = m };
	int ret = session__open(&in.s, path, &opts, err);

	if (ret)
		return ret == -EINVAL ? -EBADMSG : ret; /* -EINVAL: it is not like the others */
	ret = session__blame_damage(in.s, input__collect(&in, path, err), err);
	if (!ret)
		ret = session__tell_damage(in.s) ? 1 : 0;
	profile__exit(&in.profile);
	session__delete(in.s);
	array__exit(&in.event_of);
	array__exit(&in.dso_of);
	array__exit(&in.frame_of);
	array__exit(&in.node_of);
	code_frames__exit(&in.lines);
	return ret;
}

int merge__write(struct merge *m, const char *output, struct merge_totals *totals, struct err *err)
{
	*totals = (struct merge_totals){ .nr_inputs = m->inputs.nr,
					 .nr_samples = m->nr_samples,
					 .nr_stacks = m->samples.nr };
	return merge__write_file(m, output, err);
}
