#include "export/export.h"

#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/system/thread.h"
#include "base/text/fold_name.h"
#include "export/export_formats.h"
#include "export/export_order.h"
#include "export/idle_waits.h"
#include "export/labels.h"
#include "export/origins.h"
#include "format/records/sample_field.h"
#include "profile/places/survey.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_AHEAD = 16 }; /* samples are fetched before they are needed */

struct exporter {
	struct export x;
	struct sample_filter filter;
	struct profile profile;
	struct sample_stream stream;
	struct hash_table threads;
	struct hash_table by_words; /* of x.use_words */
	ARRAY(u64) times;           /* scratch: of samples that are passed as one */
	ARRAY(u32) last_comms;      /* by identity of a thread */
	ARRAY(u32) frame_of_place;  /* id + 1; 0: not used */
	ARRAY(u32) place_of_frame;
	ARRAY(u32) binary_of_dso; /* id + 1 */
	u32 *numbers;             /* of row_table__sort() */
	u32 *in_time;             /* for sample_stream__sort() */
	pthread_t sorter;
	bool has_sorter;
	struct err err;
};

static int exporter__choose_format(struct exporter *e)
{
	const struct export_args *a = e->x.args;
	int ret = export_format__choose(a, &e->x.format, &e->err);

	if (ret)
		return ret;
	e->x.labels = e->x.format->labels;
	if (e->x.labels && a->labels && export_labels__parse(&e->x.labels, a->labels, &e->err))
		return -EINVAL;
	e->x.is_timed = e->x.format->is_timed || e->x.labels & 1u << LABEL_TIMESTAMP;
	e->x.by_cpu = e->x.format->by_cpu || e->x.labels & 1u << LABEL_CPU;
	return 0;
}

/* ---- filters ---- */

static bool exporter__wants_thread(const struct exporter *e, const struct row *row, const char *comm)
{
	return sample_filter__wants_thread(&e->filter, comm, row->key.pid, row->key.tid) &&
	       sample_filter__wants_event(&e->filter, e->x.events.v[row->key.event].name);
}

/*
 * Does the stack pass the filters? -d and -S apply to the innermost frame that is not inlined, as in reports.
 */
static bool exporter__wants_stack(struct exporter *e, u32 stack)
{
	struct places *places = &e->x.stacks.places;
	const struct dsos *dsos = &e->x.session->machine.dsos;
	const struct place *p;
	u32 place;

	if (!e->filter.dsos.given && !e->filter.symbols.given)
		return true;
	while (stack && places__get(places, e->x.stacks.v.v[stack].place)->inlined)
		stack = e->x.stacks.v.v[stack].parent;
	place = e->x.stacks.v.v[stack].place;
	p = places__get(places, place);
	return sample_filter__wants_dso(&e->filter, dsos, p->mapped ? dsos->v.v[p->dso] : NULL) &&
	       sample_filter__wants_symbol(&e->filter, p->sym ? places__name(places, place) : NULL);
}

static const char *exporter__shown(const struct exporter *e, const char *name)
{
	return redaction__shown(&e->x.redaction, name);
}

/* ---- events and threads ---- */

/* List the events. Those that count time share a track, unless the format wants one for each event. */
static void exporter__list_events(struct exporter *e)
{
	const struct evlist *l = &e->x.session->reader->evlist;

	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *v = l->evsels.v[i];
		bool is_software = v->attr.type == PERF_TYPE_SOFTWARE, weighted = e->x.weights.of;
		enum wait_event kind = evsel__wait_event(v);
		bool waits = kind == WAIT_EVENT_OFF_CPU || (weighted && kind == WAIT_EVENT_READY);
		bool is_clock = is_software && (v->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						v->attr.config == PERF_COUNT_SW_TASK_CLOCK);
		bool shares = (waits || is_clock || weighted) && !e->x.format->by_event;

		array__add(&e->x.events,
			   ((struct export_event){ .evsel = v,
						   .name = v->name,
						   .track = shares ? 0 : (u32)i + 1,
						   .is_time = is_clock || kind != WAIT_EVENT_NONE || weighted,
						   .kind = waits ? SAMPLE_WAITING : SAMPLE_RUNNING }));
	}
	e->x.nr_tracks = (u32)l->evsels.nr + 1;
}

/* Note the last name of each thread. */
static void exporter__list_comms(struct exporter *e)
{
	const struct machine *m = &e->x.session->machine;

	for (size_t i = 0; i < m->nr_threads; i++)
		array__add(&e->last_comms, COMM_UNKNOWN);
	for (size_t i = 0; i < m->tids.nr; i++)
		for (size_t k = 0; k < m->tids.v[i].states.nr; k++) {
			const struct thread_state *s = &m->tids.v[i].states.v[k];

			if (s->thread < m->nr_threads && s->comm != COMM_UNKNOWN)
				e->last_comms.v[s->thread] = s->comm;
		}
}

/* Return the name, or ":TID" for a thread without one, which lives as long as the machine. */
static const char *exporter__comm(struct exporter *e, u32 comm, u32 tid)
{
	struct strpool *texts = &e->x.stacks.places.texts;
	char text[16];

	if (comm != COMM_UNKNOWN && !(comm & ROW_COMM_OF_TID))
		return machine__str(&e->x.session->machine, comm);
	snprintf(text, sizeof(text), ":%d", (int)tid);
	return strpool__get(texts, strpool__intern(texts, text));
}

static const char *exporter__last_comm(struct exporter *e, u32 identity, u32 tid)
{
	return exporter__comm(e, identity < e->last_comms.nr ? e->last_comms.v[identity] : COMM_UNKNOWN, tid);
}

static const char *exporter__process_name(struct exporter *e, u32 pid, const char *name)
{
	const struct machine *m = &e->x.session->machine;
	u32 i;

	hash_table__for_each (&m->by_tid, hash__u64(pid), i)
		if (m->tids.v[i].tid == pid && m->tids.v[i].states.nr)
			return exporter__last_comm(
				e, m->tids.v[i].states.v[m->tids.v[i].states.nr - 1].thread, pid);
	return name;
}

static u32 exporter__thread(struct exporter *e, const struct row *row)
{
	u64 hash = hash__add(row->key.thread, (u64)row->key.pid << 32 | row->key.tid);
	struct export_thread *t;
	u32 i;

	hash_table__for_each (&e->threads, hash, i) {
		t = &e->x.threads.v[i];
		if (t->identity == row->key.thread && t->pid == row->key.pid && t->tid == row->key.tid)
			return i;
	}
	i = (u32)e->x.threads.nr;
	hash_table__insert(&e->threads, hash, i);
	t = array__push(&e->x.threads);
	*t = (struct export_thread){
		.pid = row->key.pid, .tid = row->key.tid, .identity = row->key.thread, .first = UINT64_MAX
	};
	t->name = exporter__last_comm(e, row->key.thread, row->key.tid);
	t->process = exporter__shown(e, exporter__process_name(e, row->key.pid, t->name));
	t->name = exporter__shown(e, t->name);
	return i;
}

/* ---- stacks, frames, binaries ---- */

static struct export_binary *exporter__binary(struct exporter *e, u32 dso)
{
	const struct dsos *dsos = &e->x.session->machine.dsos;
	u32 *id;

	while (e->binary_of_dso.nr <= dso)
		array__add(&e->binary_of_dso, 0);
	id = &e->binary_of_dso.v[dso];
	if (!*id) {
		array__add(&e->x.binaries,
			   ((struct export_binary){
				   .dso = dsos->v.v[dso],
				   .path = exporter__shown(e, dso__long_name(dsos, dsos->v.v[dso])),
				   .name = exporter__shown(e, dso__short_name(dsos, dsos->v.v[dso])) }));
		*id = (u32)e->x.binaries.nr;
	}
	return &e->x.binaries.v[*id - 1];
}

/*
 * List the program first, because readers take the first binary for it: the one with the name of the process
 * with most samples, if there is one.
 */
static void exporter__list_program(struct exporter *e)
{
	const struct stacks *s = &e->x.stacks;
	const struct machine *m = &e->x.session->machine;
	const struct export_thread *most = NULL;

	for (size_t i = 0; i < e->x.threads.nr; i++)
		if (!most || e->x.threads.v[i].weight > most->weight)
			most = &e->x.threads.v[i];
	for (size_t i = 1; most && i < s->v.nr; i++) {
		const struct place *p = places__get(&s->places, s->v.v[i].place);
		const char *name = machine__str(m, p->dso_name);

		/* the kernel cuts names of threads off */
		if (p->mapped && !strncmp(name, most->process, strlen(most->process))) {
			exporter__binary(e, p->dso);
			return;
		}
	}
}

/* Extend the binary of a place so far that it has the place's address. */
static void exporter__cover(struct exporter *e, const struct place *p)
{
	struct export_binary *b = p->mapped ? exporter__binary(e, p->dso) : NULL;

	if (b)
		b->end = MAX(b->end, p->ip + 1);
}

/* Number frames and binaries in the order in which the tree of stacks uses them. */
static void exporter__list_frames(struct exporter *e)
{
	const struct stacks *s = &e->x.stacks;

	exporter__list_program(e);
	for (size_t i = 0; i < s->places.v.nr; i++)
		array__add(&e->frame_of_place, 0);
	array__add(&e->x.tree, ((struct export_stack){ 0 }));
	for (size_t i = 1; i < s->v.nr; i++) {
		u32 place = s->v.v[i].place;
		const struct place *p = places__get(&s->places, place);

		if (!e->frame_of_place.v[place]) {
			array__add(&e->place_of_frame, place);
			e->frame_of_place.v[place] = (u32)e->place_of_frame.nr;
			exporter__cover(e, p);
		}
		array__add(&e->x.tree,
			   ((struct export_stack){ s->v.v[i].parent, e->frame_of_place.v[place] - 1 }));
	}
}

static void exporter__redact_frame(const struct exporter *e, struct export_frame *f)
{
	const char *function = exporter__shown(e, f->function), *symbol = exporter__shown(e, f->symbol),
		   *own_symbol = exporter__shown(e, f->own_symbol);

	f->file = exporter__shown(e, f->file);
	if (function == f->function && symbol == f->symbol && own_symbol == f->own_symbol)
		return;
	/* spellings of one name */
	f->function = function != f->function ? function : symbol != f->symbol ? symbol : own_symbol;
	f->symbol = f->symbol ? f->function : NULL;
	f->own_symbol = f->own_symbol ? f->function : NULL;
}

static void exporter__add_unknown(const struct exporter *e, const struct place *p, struct strbuf *sb)
{
	if (place__stand_in(p))
		strbuf__addstr(sb, place__stand_in(p));
	else if (p->mapped)
		strbuf__addf(sb, "%s@0x%llx", machine__str(&e->x.session->machine, p->dso_name),
			     (unsigned long long)p->ip);
	else
		strbuf__addstr(sb, "[unknown]");
}

/* Fill *f with a frame. Its texts, which may be in *made, are valid until the next call. */
static void exporter__frame(struct exporter *e, u32 id, struct strbuf *made, struct export_frame *f)
{
	struct places *places = &e->x.stacks.places;
	u32 place = e->place_of_frame.v[id];
	const struct place *p = places__get(places, place);
	const struct dso *dso = e->x.session->machine.dsos.v.v[p->dso];

	*f = (struct export_frame){ .function = places__name(places, place),
				    .file = p->file ? places__text(places, p->file) : NULL,
				    .line = p->line_number,
				    .start_line = p->start_line,
				    .binary = p->mapped ? e->binary_of_dso.v[p->dso] - 1 : UINT32_MAX,
				    .addr = p->ip,
				    .is_inlined = p->inlined,
				    .is_wait = p->wait,
				    .is_idle = p->is_idle,
				    .is_kernel = p->mapped && p->level == 'k',
				    .is_jit = dso->kind == DSO_JIT || dso->kind == DSO_JITDUMP };
	p = places__get(places, place);
	strbuf__reset(made);
	if (p->sym) {
		f->symbol = symtab__name(&dso->symtab, p->sym);
		f->own_symbol = p->raw ? p->raw : f->symbol;
		f->function_addr = p->sym->start;
		f->function_size = p->sym->size;
		f->is_unknown = p->sym->is_made_up;
		if (!p->wait)
			return;
		name__fold(made, f->function); /* its version would be inside of the name */
	} else {
		f->is_unknown = !place__stand_in(p);
		exporter__add_unknown(e, p, made);
	}
	if (p->wait)
		place__add_mark(p, made);
	f->function = made->buf;
}

static void event__add(struct export_event *e, const struct row *row)
{
	u64 period = row->period / row->nr;

	if (row->period % row->nr || (e->nr && e->period != period) || e->kind == SAMPLE_WAITING)
		period = 0;
	e->period = period;
	e->nr += row->nr;
	e->weight += row->period;
}

/* Return a row. Rows that are not split by thread get the thread of their first sample. */
static struct row exporter__row(const struct exporter *e, size_t i, bool has_threads)
{
	struct row row = *row_table__get(&e->profile.rows, i);

	if (!has_threads) {
		row.key.thread = row.first_thread;
		row.key.pid = row.first_pid;
		row.key.tid = row.first_tid;
	}
	return row;
}

static u32 exporter__words(struct exporter *e, const char *comm, u32 origin)
{
	u64 hash = hash__add((uintptr_t)comm, origin);
	u32 i;

	hash_table__for_each (&e->by_words, hash, i)
		if (e->x.use_words.v[i].comm == comm && e->x.use_words.v[i].origin == origin)
			return i;
	i = (u32)e->x.use_words.nr;
	hash_table__insert(&e->by_words, hash, i);
	array__add(&e->x.use_words, ((struct use_words){ comm, origin }));
	return i;
}

/* Where a format adds samples up, weights are one sum of all events. */
static u32 exporter__event(const struct exporter *e, const struct row *row)
{
	return e->x.weights.of && !e->x.is_timed ? e->x.weights.lone_events[LONE_RAN]->idx : row->key.event;
}

/* Return the kind of time (enum wait_kind) of a row that has no place in the code; WAIT_NONE: it has one. */
static u8 exporter__stand_in(const struct exporter *e, const struct row *row)
{
	const struct export_event *event = &e->x.events.v[row->key.event];

	if (!e->x.weights.of)
		return WAIT_NONE;
	if (evsel__wait_event(event->evsel) == WAIT_EVENT_READY)
		return WAIT_RUNNABLE;
	if (row->key.ip || row->key.nr_chain)
		return WAIT_NONE;
	return event->kind == SAMPLE_WAITING ? WAIT_NOT_RECORDED : WAIT_NOT_SAMPLED;
}

static void exporter__use_rows(struct exporter *e, bool has_threads)
{
	const struct row_table *t = &e->profile.rows;
	struct origins *origins = e->x.labels & LABELS_OF_ORIGIN ? origins__new(&e->x, e->x.labels) : NULL;

	array__add(&e->x.origins, ((struct export_origin){ 0 }));
	array__reserve(&e->x.uses, t->rows.nr);
	for (size_t i = 0; i < t->rows.nr; i++) {
		const struct row row = exporter__row(e, i, has_threads);
		struct row_use use = { .thread = NOT_EXPORTED,
				       .event = exporter__event(e, &row),
				       .cpu = STREAM_NO_CPU };
		const char *comm = exporter__comm(e, row.key.comm, row.key.tid);
		u32 origin = 0;

		if (e->x.by_cpu)
			use.cpu = MIN(row.key.cpu, (u32)STREAM_NO_CPU);
		places__spare_memory(&e->x.stacks.places);
		if (exporter__wants_thread(e, &row, comm)) {
			bool is_wait = e->x.format->names_waits &&
				       e->x.events.v[row.key.event].kind == SAMPLE_WAITING;
			u8 stand_in = exporter__stand_in(e, &row);

			use.stack = stand_in  ? stacks__add_stand_in(&e->x.stacks, stand_in)
				    : is_wait ? stacks__add_wait(&e->x.stacks, &row)
					      : stacks__add_once(&e->x.stacks, t, (u32)i, &row);
			if ((use.stack || !is_wait) && exporter__wants_stack(e, use.stack))
				use.thread = exporter__thread(e, &row);
			if (origins && use.thread != NOT_EXPORTED)
				origin = origins__add(origins, &row, e->x.threads.v[use.thread].process);
			use.words = exporter__words(e, exporter__shown(e, comm), origin);
		}
		array__add(&e->x.uses, use);
		array__add(&e->x.exported_rows, use.thread != NOT_EXPORTED);
		if (use.thread == NOT_EXPORTED)
			continue;
		event__add(&e->x.events.v[use.event], &row);
		e->x.threads.v[use.thread].nr += row.nr;
		e->x.threads.v[use.thread].weight += row.period;
	}
	for (size_t i = 0; i < e->x.events.nr; i++)
		e->x.nr_events += e->x.events.v[i].nr > 0;
	if (e->x.format->names_waits && !e->x.weights.of)
		idle_waits__mark(&e->x);
	exporter__list_frames(e);
	origins__delete(origins);
}

/* ---- the calls ---- */

static void exporter__write_tables(struct exporter *e)
{
	const struct export_format *f = e->x.format;
	struct strbuf made = STRBUF_INIT;

	for (u32 i = 0; f->binary && i < e->x.binaries.nr; i++) {
		f->binary(&e->x, i, &e->x.binaries.v[i]);
		export_out__flow(e->x.out);
	}
	for (u32 i = 0; f->frame && i < e->place_of_frame.nr; i++) {
		struct export_frame frame;

		exporter__frame(e, i, &made, &frame);
		exporter__redact_frame(e, &frame);
		f->frame(&e->x, i, &frame);
		export_out__flow(e->x.out);
	}
	strbuf__exit(&made);
}

/* Fetch what a sample that comes soon is exported as. Samples that follow each other are of any rows. */
static void exporter__look_ahead(const struct exporter *e, size_t index)
{
	if (index + LOOK_AHEAD < e->stream.v.nr)
		__builtin_prefetch(&e->x.uses.v[e->stream.v.v[index + LOOK_AHEAD].row]);
}

/* times: of nr samples, or NULL. */
static void exporter__write_timed(struct exporter *e, size_t index, size_t nr, const u64 *times)
{
	struct stream_sample at = sample_stream__get(&e->stream, index);
	const struct row_use *use = &e->x.uses.v[at.row];
	const struct use_words *words;
	struct export_sample sample;

	if (use->thread == NOT_EXPORTED)
		return;
	words = &e->x.use_words.v[use->words];
	sample = (struct export_sample){ .stack = use->stack,
					 .thread = use->thread,
					 .event = use->event,
					 .comm = words->comm,
					 .origin = words->origin,
					 .weight = at.weight,
					 .nr = nr,
					 .time = at.time,
					 .times = times,
					 .cpu = at.cpu,
					 .row = at.row };
	e->x.format->sample(&e->x, &sample);
	export_out__flow(e->x.out);
}

static void exporter__write_row(struct exporter *e, u32 i)
{
	const struct row *row = row_table__get(e->x.rows, i);
	const struct row_use *use = &e->x.uses.v[i];
	const struct use_words *words = &e->x.use_words.v[use->words];
	const struct export_sample sample = { .stack = use->stack,
					      .thread = use->thread,
					      .event = use->event,
					      .comm = words->comm,
					      .origin = words->origin,
					      .weight = row->period,
					      .nr = row->nr,
					      .time = row->first_time,
					      .cpu = use->cpu,
					      .row = i };

	e->x.format->sample(&e->x, &sample);
	export_out__flow(e->x.out);
}

static void exporter__write_threads(struct exporter *e)
{
	const struct export_format *f = e->x.format;

	for (u32 i = 0; f->thread && i < e->x.threads.nr; i++)
		f->thread(&e->x, i, &e->x.threads.v[i]);
}

static void exporter__write_in_time(struct exporter *e)
{
	struct stream_reader reader;
	size_t index;

	exporter__write_threads(e);
	stream_reader__init(&reader, &e->stream);
	while (stream_reader__next(&reader, &index) && !export_out__error(e->x.out)) {
		exporter__look_ahead(e, index);
		exporter__write_timed(e, index, 1, NULL);
	}
	stream_reader__exit(&reader);
}

static void exporter__write_by_thread(struct exporter *e, const u32 *order, size_t nr)
{
	u32 last = NOT_EXPORTED;

	for (size_t i = 0; i < nr && !export_out__error(e->x.out); i++) {
		u32 thread = e->x.uses.v[e->stream.v.v[order[i]].row].thread;

		if (i + 2 * LOOK_AHEAD < nr)
			__builtin_prefetch(&e->stream.v.v[order[i + 2 * LOOK_AHEAD]]);
		if (i + LOOK_AHEAD < nr)
			__builtin_prefetch(&e->x.uses.v[e->stream.v.v[order[i + LOOK_AHEAD]].row]);
		if (thread != last)
			e->x.format->thread(&e->x, thread, &e->x.threads.v[thread]);
		last = thread;
		exporter__write_timed(e, order[i], 1, NULL);
	}
}

/* Return the times of samples, until the next call. next: where the order ends. */
static const u64 *exporter__times(struct exporter *e, const u32 *order, size_t nr, const u32 *end)
{
	const struct sample_stream *s = &e->stream;

	array__reserve(&e->times, nr);
	for (size_t i = 0; i < nr; i++) {
		if (order + i + LOOK_AHEAD < end)
			__builtin_prefetch(&s->v.v[order[i + LOOK_AHEAD]]);
		e->times.v[i] = s->base + (u64)s->v.v[order[i]].time;
	}
	return e->times.v;
}

/* Fetch the first samples of buckets that come soon, and what they are exported as. */
static void exporter__look_ahead_of_bucket(const struct exporter *e, const u32 *order, const u32 *end,
					   const size_t *ends, u32 left)
{
	const struct packed_sample *v = e->stream.v.v;
	const u32 *near = order + ends[MIN(left, (u32)LOOK_AHEAD) - 1],
		  *far = order + ends[MIN(left, (u32)(2 * LOOK_AHEAD)) - 1];

	if (far < end)
		__builtin_prefetch(&v[*far]);
	if (near < end)
		__builtin_prefetch(&e->x.uses.v[v[*near].row]);
}

static void exporter__write_by_stack(struct exporter *e, const u32 *order, const size_t *ends, u32 nr_buckets)
{
	const u32 *end = order + (nr_buckets ? ends[nr_buckets - 1] : 0);
	size_t i = 0;

	for (u32 bucket = 0; bucket < nr_buckets && !export_out__error(e->x.out); bucket++) {
		exporter__look_ahead_of_bucket(e, order, end, ends + bucket, nr_buckets - bucket);
		while (i < ends[bucket]) {
			u32 event = e->x.uses.v[e->stream.v.v[order[i]].row].event;
			size_t nr = e->x.events.v[event].period ? ends[bucket] - i : 1;

			exporter__write_timed(e, order[i], nr,
					      e->x.is_measuring ? NULL
								: exporter__times(e, order + i, nr, end));
			i += nr;
		}
	}
}

static void exporter__write_by_bucket(struct exporter *e)
{
	u32 nr_buckets, *order;
	u32 *buckets = export_order__buckets(&e->x, &nr_buckets);
	size_t *ends = xcalloc((size_t)nr_buckets + 1, sizeof(*ends));

	order = sample_stream__order(&e->stream, buckets, nr_buckets, ends);
	free(buckets);
	sample_stream__forget_order(&e->stream);
	if (e->x.format->measured) {
		e->x.is_measuring = true;
		exporter__write_by_stack(e, order, ends, nr_buckets);
		e->x.is_measuring = false;
		e->x.format->measured(&e->x);
	}
	if (e->x.format->by_thread)
		exporter__write_by_thread(e, order, nr_buckets ? ends[nr_buckets - 1] : 0);
	else
		exporter__write_by_stack(e, order, ends, nr_buckets);
	free(ends);
	free(order);
}

static void exporter__write_rows(struct exporter *e)
{
	exporter__write_threads(e);
	for (u32 i = 0; i < e->x.rows->rows.nr && !export_out__error(e->x.out); i++)
		if (e->x.uses.v[i].thread != NOT_EXPORTED)
			exporter__write_row(e, i);
}

static int exporter__write(struct exporter *e)
{
	const struct export_format *f = e->x.format;
	int ret = f->begin(&e->x, &e->err);

	if (ret)
		return ret;
	exporter__write_tables(e);
	if (f->by_thread || f->by_stack)
		exporter__write_by_bucket(e);
	else if (e->x.is_timed)
		exporter__write_in_time(e);
	else
		exporter__write_rows(e);
	if (f->commit)
		ret = f->commit(&e->x, &e->err);
	f->end(&e->x);
	return ret;
}

/* ---- all of it ---- */

static int exporter__open(struct exporter *e)
{
	const struct export_args *a = e->x.args;
	const struct session_opts opts = { .reader = { .nr_threads = thread__count(e->x.args->threads) },
					   .symbols = a->symbols_of,
					   .samples_follow = true,
					   .look = e->x.format->has_tasks ? task_times__look : NULL,
					   .ctx = &e->x.tasks };
	int ret = symbolize_opts__check(&a->symbols_of, &e->err);

	if (!ret)
		ret = session__open(&e->x.session, a->input, &opts, &e->err);
	if (!ret && !(ret = sample_filter__parse(&e->filter, &a->filter, e->x.session, &e->err)))
		ret = weights_args__choose_spans(&a->weights, e->x.session, &e->filter, &e->err);
	if (!ret)
		ret = weights__read(&e->x.weights, &e->x.words.context.locks, e->x.session, &a->weights,
				    &e->filter, &e->err);
	if (!ret)
		profile__sample_times(e->x.session, &e->x.first, &e->x.last);
	if (!ret)
		ret = origins__split(&e->x, &e->err);
	if (!ret && e->x.format->parts & EXPORT_PAYLOADS)
		payloads__init(&e->x.payloads, e->x.session, &e->x.words.v);
	return ret;
}

/* Are samples of different threads with one name kept apart? */
static bool exporter__needs_threads(const struct exporter *e)
{
	const struct export_args *a = e->x.args;

	return e->x.is_timed || e->x.labels & (1u << LABEL_PID | 1u << LABEL_TID) || a->pids_in_names ||
	       a->tids_in_names || a->filter.pids || a->filter.tids;
}

/*
 * Sort the samples while rows are named: both are work of one thread. The order of rows is that of their
 * first samples.
 */
static void *sorter__run(void *arg)
{
	struct exporter *e = arg;

	sample_stream__finish(&e->stream, e->numbers);
	free(e->numbers);
	sample_stream__sort(&e->stream, e->in_time);
	return NULL;
}

static void exporter__begin_to_sort(struct exporter *e)
{
	e->numbers = row_table__sort(&e->profile.rows);
	if (!e->x.is_timed) {
		free(e->numbers);
		return;
	}
	e->in_time = xcalloc(e->stream.v.nr + 1, sizeof(*e->in_time)); /* the thread would take new memory */
	e->has_sorter = !thread__start(&e->sorter, sorter__run, e);
	if (!e->has_sorter)
		sorter__run(e);
}

/* Are rows needed when they are named? */
static bool exporter__has_rows(const struct exporter *e)
{
	return !e->x.is_timed || e->x.format->has_rows || e->x.payloads.has_fields;
}

static int exporter__collect(struct exporter *e)
{
	const struct export_args *a = e->x.args;
	struct session *s = e->x.session;
	const struct profile_opts opts = {
		.split = (exporter__needs_threads(e) ? PROFILE_SPLIT_THREAD : 0) |
			 (e->x.by_cpu ? PROFILE_SPLIT_CPU : 0),
		.lbr_chains = evlist__has_lbr_chains(&s->reader->evlist),
		.exact_leaves = true,
		.words = e->x.words.v.nr ? &e->x.words.v : NULL,
		.context = e->x.words.context.locks.v.nr ? &e->x.words.context : NULL,
		.payloads = e->x.payloads.has_fields ? &e->x.payloads.cuts : NULL,
		.cpus = sample_filter__cpus(&e->filter),
		.times = sample_filter__times(&e->filter),
		.with_spans = e->filter.events.given,
		.spans = e->x.weights.of ? NULL : sample_filter__spans(&e->filter),
		.weights = e->x.weights.of ? &e->x.weights : NULL,
		.max_stack = a->max_stack,
		.nr_threads = thread__count(e->x.args->threads),
		.stream = e->x.is_timed ? &e->stream : NULL,
		.unsorted = true,
	};
	bool lines = !e->x.format->only_symbols, inlines = lines && !a->no_inlines;
	const struct stacks_opts stacks = {
		.inlines = inlines, .lines = lines, .starts = e->x.format->starts, .max_stack = a->max_stack
	};
	int ret = profile__collect(&e->profile, s, &opts, &e->err);

	if (ret)
		return ret;
	profile__trim(&e->profile);
	exporter__begin_to_sort(e);
	if (lines)
		survey__rows(s, &e->profile.rows,
			     DWARF_WANTS_LINE | (inlines ? DWARF_WANTS_INLINED : 0) |
				     (stacks.starts ? DWARF_WANTS_START : 0),
			     opts.nr_threads);
	stacks__init(&e->x.stacks, s, &stacks);
	e->x.profile = &e->profile;
	e->x.rows = &e->profile.rows;
	exporter__list_events(e);
	exporter__list_comms(e);
	exporter__use_rows(e, opts.split & PROFILE_SPLIT_THREAD);
	if (e->has_sorter)
		pthread_join(e->sorter, NULL);
	if (!exporter__has_rows(e))
		profile__free_rows(&e->profile);
	return 0;
}

/* Set the time of the first or the last sample of each thread, from that end of the stream on. */
static void exporter__set_thread_times(struct exporter *e, bool is_last)
{
	const struct sample_stream *s = &e->stream;
	bool *has_time = xcalloc(e->x.threads.nr + 1, sizeof(*has_time));
	size_t left = e->x.threads.nr;

	for (size_t i = 0; i < s->v.nr && left; i++) {
		size_t at = s->in_time[is_last ? s->v.nr - 1 - i : i];
		u32 thread = e->x.uses.v[s->v.v[at].row].thread;
		u64 time = s->base + (u64)s->v.v[at].time;

		if (thread == NOT_EXPORTED || has_time[thread])
			continue;
		*(is_last ? &e->x.threads.v[thread].last : &e->x.threads.v[thread].first) = time;
		has_time[thread] = true;
		left--;
	}
	free(has_time);
}

/* Set the times. The file gets the time of the last sample: there is no better one. */
static void exporter__set_times(struct exporter *e)
{
	exporter__set_thread_times(e, false);
	exporter__set_thread_times(e, true);
	e->x.epoch = (u64)MAX(e->x.session->reader->mtime, (s64)0) * 1000000000;
	e->x.epoch -= MIN(e->x.epoch, e->x.last - e->x.first);
	e->x.nr_lost = lost_records__total(&e->x.session->stats.lost);
	task_times__finish(&e->x.tasks, e->x.nr_lost);
}

/* Say that the format has no place for a part of the samples. before, after: text around the number. */
static void exporter__tell_part(const struct exporter *e, enum export_part part, u64 nr, const char *before,
				const char *after)
{
	if (nr && !(e->x.format->parts & part))
		info("%s%llu %s: %s has no place for them", before, (unsigned long long)nr, after,
		     e->x.format->name);
}

/* Say what is not in the output. Return as session__tell_damage. */
static int exporter__tell(const struct exporter *e)
{
	u64 nr_branches = 0, nr_payloads = 0;

	for (size_t i = 0; i < e->x.events.nr; i++) {
		const struct export_event *v = &e->x.events.v[i];
		const struct perf_event_attr *attr = &v->evsel->attr;

		if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK && !evsel__has_lbr_chains(v->evsel))
			nr_branches += v->nr;
		if (attr->sample_type & PERF_SAMPLE_RAW && attr->type == PERF_TYPE_TRACEPOINT)
			nr_payloads += v->nr;
	}
	sample_filter__tell_spans(&e->filter, e->x.weights.of);
	if (e->x.nr_left_out)
		info("%llu samples of other events were left out: a file of this format has one; -e names it",
		     (unsigned long long)e->x.nr_left_out);
	exporter__tell_part(e, EXPORT_BRANCHES, nr_branches, "the branch stacks of ",
			    "samples were left out");
	exporter__tell_part(e, EXPORT_PAYLOADS, nr_payloads, "the fields of ",
			    "samples of tracepoints were left out");
	exporter__tell_part(e, EXPORT_LOST, e->x.nr_lost, "", "lost samples are not marked");
	return session__tell_damage(e->x.session);
}

static void exporter__exit(struct exporter *e)
{
	redaction__exit(&e->x.redaction);
	sample_filter__exit(&e->filter);
	profile__exit(&e->profile);
	sample_stream__exit(&e->stream);
	array__exit(&e->x.words.v);
	sample_context__exit(&e->x.words.context);
	array__exit(&e->x.uses);
	array__exit(&e->x.use_words);
	array__exit(&e->times);
	hash_table__exit(&e->by_words);
	array__exit(&e->x.exported_rows);
	hash_table__exit(&e->threads);
	array__exit(&e->last_comms);
	array__exit(&e->frame_of_place);
	array__exit(&e->place_of_frame);
	array__exit(&e->binary_of_dso);
	array__exit(&e->x.events);
	array__exit(&e->x.threads);
	array__exit(&e->x.binaries);
	array__exit(&e->x.tree);
	array__exit(&e->x.origins);
	task_times__exit(&e->x.tasks);
	sample_weights__exit(&e->x.weights);
	if (e->x.session)
		stacks__exit(&e->x.stacks);
	if (e->x.payloads.keys.evlist)
		payloads__exit(&e->x.payloads);
	session__delete(e->x.session);
	err__exit(&e->err);
}

int export__run(const struct export_args *a)
{
	struct exporter e = { .x = { .args = a, .filter = &e.filter }, .err = ERR_INIT };
	struct export_out out;
	int ret = exporter__choose_format(&e);

	if (!ret)
		ret = redaction__init(&e.x.redaction, a->redact, &e.err);
	if (!ret)
		ret = exporter__open(&e);
	if (!ret && a->output && file__is_same(e.x.session->reader->path, a->output))
		ret = err__set(&e.err, -EINVAL, "'%s' is the input: choose another output", a->output);
	if (!ret)
		ret = exporter__collect(&e);
	if (!ret) {
		exporter__set_times(&e);
		ret = export_out__open(&out, e.x.format->adds_to_file ? NULL : a->output,
				       e.x.session->reader->output_mode,
				       e.x.format->is_packed || export__is_packed(a->output), &e.err);
	}
	if (!ret) {
		e.x.out = &out;
		out.is_threaded = thread__count(a->threads) > 1;
		ret = exporter__write(&e);
		if (export_out__close(&out, !ret, ret ? NULL : &e.err))
			ret = -1;
	}
	if (ret)
		error__print(&e.err);
	else
		ret = exporter__tell(&e);
	exporter__exit(&e);
	return ret ? 1 : 0;
}
