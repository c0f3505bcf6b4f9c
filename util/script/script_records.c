/* Records besides samples, for --show-...-events. */
#include "script/script_private.h"

#include "ui/dump/dump_text.h"

#include <stdlib.h>

static const struct {
	u32 type;
	u64 shows; /* enum script_shows */
} rows[] = {
	{ PERF_RECORD_COMM, SHOW_TASKS },
	{ PERF_RECORD_FORK, SHOW_TASKS },
	{ PERF_RECORD_EXIT, SHOW_TASKS },
	{ PERF_RECORD_MMAP, SHOW_MMAPS },
	{ PERF_RECORD_MMAP2, SHOW_MMAPS },
	{ PERF_RECORD_SWITCH, SHOW_SWITCHES },
	{ PERF_RECORD_SWITCH_CPU_WIDE, SHOW_SWITCHES },
	{ PERF_RECORD_NAMESPACES, SHOW_NAMESPACES },
	{ PERF_RECORD_LOST, SHOW_LOST },
	{ PERF_RECORD_LOST_SAMPLES, SHOW_LOST },
	{ RECORD_FINISHED_ROUND, SHOW_ROUNDS },
	{ PERF_RECORD_KSYMBOL, SHOW_BPF | SHOW_TEXT_POKES },
	{ PERF_RECORD_BPF_EVENT, SHOW_BPF },
	{ PERF_RECORD_CGROUP, SHOW_CGROUPS },
	{ PERF_RECORD_TEXT_POKE, SHOW_TEXT_POKES },
};

bool script__shows(const struct script *s, u32 type)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].type == type)
			return s->args->shows & rows[i].shows;
	return false;
}

/* Get the thread that a record is about; false: the one that its trailer names. */
static bool record__thread(struct record *r, u32 *pid, u32 *tid)
{
	struct comm_record c;
	struct task_record t;
	struct mmap_record m;
	struct namespaces_record n;

	switch (r->header->type) {
	case PERF_RECORD_COMM:
		if (!record__comm(r, &c))
			return false;
		*pid = c.pid;
		*tid = c.tid;
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (!record__task(r, &t))
			return false;
		*pid = t.pid;
		*tid = t.tid;
		return true;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (!record__mmap(r, &m))
			return false;
		*pid = m.pid;
		*tid = m.tid;
		return true;
	case PERF_RECORD_NAMESPACES:
		if (!record__namespaces(r, &n))
			return false;
		*pid = n.pid;
		*tid = n.tid;
		return true;
	}
	return false;
}

/* Return the event whose fields the line has: that of the record's id, or the first one. */
static const struct evsel *script__event(const struct script *s, u64 id)
{
	const struct evlist *l = &s->session->reader->evlist;
	const struct evsel *e = id ? evlist__by_id(l, id) : NULL;

	return e || !l->evsels.nr ? e : l->evsels.v[0];
}

static void add_start(struct script_worker *w, const struct dump_item *item, struct strbuf *out)
{
	struct script *s = w->script;
	struct record *r = (struct record *)&item->r->record;
	const struct thread_state *t;
	const struct evsel *e;
	struct sample_id id;
	u32 pid, tid;
	u64 fields;

	sample_id__decode(&s->session->reader->evlist, r, &id);
	if (!record__thread(r, &pid, &tid)) {
		pid = id.pid;
		tid = id.tid;
	}
	e = script__event(s, id.id);
	if (!e)
		return;
	fields = s->fields[e->idx];
	machine_cursor__seek(&w->cursor, s->session->has_time ? id.time : r->offset);
	t = machine_cursor__thread(&w->cursor, pid, tid);
	script__add_start(s,
			  &(struct script_start){
				  .fields = fields,
				  .wide = !(s->has_chains && fields & OUT(IP) &&
					    e->attr.sample_type & PERF_SAMPLE_CALLCHAIN),
				  .comm = script_worker__comm(w, t),
				  .thread = tid,
				  .pid = id.pid,
				  .tid = id.tid,
				  .cpu = id.cpu,
				  .time = script__time(item, id.time),
				  .header = r->header,
			  },
			  out);
}

void script_record__add(struct script_worker *w, const struct dump_item *item, struct strbuf *out)
{
	if (!w->records) {
		w->records = xmalloc(sizeof(*w->records));
		dump_worker__init(w->records, &w->script->records);
	}
	if (item->r->record.header->type != RECORD_FINISHED_ROUND)
		add_start(w, item, out);
	dump_record__add_fields(w->records, item, out);
}
