#include "record/stacks/java_names.h"

#include "base/memory/mem.h"
#include "base/text/path_name.h"
#include "live/proc.h"
#include "record/stacks/live_hotspot.h"

#include <string.h>
#include <sys/mman.h>

enum {
	PROCESSES_MAX = 256, /* others are ignored */
};

struct java_process {
	u32 pid;
	u32 rounds_left;          /* after the end of the first thread; 0: it runs */
	bool outlived;            /* another thread ran then */
	struct live_space *space; /* with one map, of libjvm.so; owned */
};

struct java_names {
	struct sample_decoder decoder;
	struct live_hotspot hotspot;
	struct live_binaries binaries; /* only libjvm.so */
	u32 libjvm;
	u64 next_id; /* of spaces */
	ARRAY(struct java_process) v;
};

struct java_names *java_names__new(const struct evlist *l, const struct shared_stacks_opts *opts)
{
	struct java_names *j = xcalloc(1, sizeof(*j));
	struct live_binary b = { .ino = 1 };

	sample_decoder__init(&j->decoder, l);
	live_hotspot__init(&j->hotspot, opts->kept, opts->names_in_records);
	live_binaries__init(&j->binaries);
	j->libjvm = live_binaries__add(&j->binaries, "/libjvm.so", &b);
	return j;
}

static void java_process__exit(struct java_process *p)
{
	array__exit(&p->space->maps);
	free(p->space);
}

void java_names__delete(struct java_names *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->v.nr; i++)
		java_process__exit(&j->v.v[i]);
	array__exit(&j->v);
	live_binaries__exit(&j->binaries);
	live_hotspot__exit(&j->hotspot);
	sample_decoder__exit(&j->decoder);
	free(j);
}

/* Return the newest program of a process that has a virtual machine, or NULL. */
static struct java_process *java_names__find(struct java_names *j, u32 pid)
{
	for (size_t i = j->v.nr; i-- > 0;)
		if (j->v.v[i].pid == pid)
			return &j->v.v[i];
	return NULL;
}

/* ---- side-band ---- */

static void java_names__see_map(struct java_names *j, const struct record *r, u64 time)
{
	struct live_map map = { .since = time, .until = UINT64_MAX, .binary = j->libjvm };
	struct java_process *p, new = { 0 };
	struct mmap_record m;

	if (!record__mmap(r, &m) || m.is_data || !(m.prot & PROT_EXEC) ||
	    strcmp(path__name(m.filename), "libjvm.so"))
		return;
	p = java_names__find(j, m.pid);
	if ((p && !p->rounds_left) || j->v.nr >= PROCESSES_MAX)
		return;
	map.start = m.start;
	map.end = m.start + m.len;
	map.pgoff = m.pgoff;
	new.pid = m.pid;
	new.outlived = proc__outlives_first_thread((pid_t)m.pid);
	new.rounds_left = new.outlived ? ROUNDS_LEFT : 0;
	new.space = xcalloc(1, sizeof(*new.space));
	new.space->id = ++j->next_id;
	new.space->since = time;
	array__add(&new.space->maps, map);
	array__add(&j->v, new);
}

static void java_names__see_record(struct java_names *j, const struct record *r, u64 time)
{
	u32 pid = j->v.nr ? record__ended_program(r) : 0;

	live_hotspot__see(&j->hotspot, r);
	if (r->header->type == PERF_RECORD_MMAP || r->header->type == PERF_RECORD_MMAP2)
		java_names__see_map(j, r, time);
	for (size_t i = 0; pid && i < j->v.nr; i++)
		if (j->v.v[i].pid == pid && !j->v.v[i].rounds_left) {
			j->v.v[i].rounds_left = ROUNDS_LEFT;
			j->v.v[i].outlived = proc__outlives_first_thread((pid_t)pid);
		}
}

void java_names__see(struct java_names *j, const void *data, size_t size)
{
	struct record r;

	for (size_t pos = 0; pos < size; pos += r.header->size) {
		r.header = (const void *)((const u8 *)data + pos);
		java_names__see_record(j, &r, 0);
	}
}

void java_names__begin_round(struct java_names *j)
{
	size_t nr = 0;

	live_hotspot__begin_round(&j->hotspot);
	for (size_t i = 0; i < j->v.nr; i++) {
		struct java_process p = j->v.v[i];

		if (rounds_left__end(&p.rounds_left, p.pid)) {
			java_process__exit(&p);
			continue;
		}
		j->v.v[nr++] = p;
	}
	j->v.nr = nr;
}

/* ---- samples ---- */

/* Look up the code at the sample's own address, and before the return addresses of its chain. */
static void java_names__see_sample(struct java_names *j, const struct java_process *p, const struct sample *s)
{
	const struct vm_owner owner = { .pid = p->pid,
					.has_ended = p->rounds_left && !p->outlived,
					.space = p->space,
					.binaries = &j->binaries };
	struct java_frame frame;
	u8 cpumode = s->cpumode;
	bool is_caller = false;

	live_hotspot__note_time(&j->hotspot, s->time);
	if (cpumode == PERF_RECORD_MISC_USER)
		live_hotspot__frame(&j->hotspot, &owner, s->ip, &frame);
	for (u64 i = 0; i < s->nr_callchain; i++) {
		u64 ip = s->callchain[i];

		if (ip >= PERF_CONTEXT_MAX) {
			cpumode = callchain__cpumode(ip);
			is_caller = false;
			continue;
		}
		if (cpumode == PERF_RECORD_MISC_USER && ip)
			live_hotspot__frame(&j->hotspot, &owner, ip - is_caller, &frame);
		is_caller = true;
	}
}

void java_names__take(struct java_names *j, struct lazy_record *r)
{
	const struct record record = { .header = r->header };
	const struct sample_id *id;
	const struct java_process *p;
	struct sample s;

	if (r->header->type != PERF_RECORD_SAMPLE) {
		id = lazy_record__id(r);
		java_names__see_record(j, &record, id && id->time_known ? id->time : 0);
		return;
	}
	id = j->v.nr ? lazy_record__id(r) : NULL;
	p = id ? java_names__find(j, id->pid) : NULL;
	if (p && !sample__decode_head(&j->decoder, &record, &s))
		java_names__see_sample(j, p, &s);
}

void java_names__announce(struct java_names *j, const struct evlist *l, struct strbuf *out)
{
	live_hotspot__announce(&j->hotspot, l, out);
}

const struct unread_memory *java_names__unread(const struct java_names *j)
{
	return &j->hotspot.unread;
}
