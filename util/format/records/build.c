#include "format/records/build.h"

#include "event/evsel/event_request.h"

#include <string.h>

enum {
	RECORD_SIZE_MAX = UINT16_MAX & ~7,
	NAME_MAX_BYTES = 4096, /* of a path, with its NUL: keeps every record below RECORD_SIZE_MAX */
	COMM_BYTES = 16,
	KSYMBOL_BYTES = 512, /* KSYM_NAME_LEN */
	STRING_ALIGN = 64,
	ATTR_BYTES = 128,      /* of an attr in EVENT_DESC */
	THREAD_MAP_BYTES = 24, /* u64 tid, char comm[16] */
};

/* Append the record's header; build__end fills in its size. Return where it begins. */
static size_t build__start(struct strbuf *out, u32 type, u16 misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	size_t at = out->len;

	strbuf__add(out, &h, sizeof(h));
	return at;
}

static void build__set_size(struct strbuf *out, size_t at)
{
	struct perf_event_header h;

	memcpy(&h, out->buf + at, sizeof(h));
	h.size = (u16)(out->len - at);
	memcpy(out->buf + at, &h, sizeof(h));
}

static void build__end(struct strbuf *out, size_t at, size_t id_size)
{
	size_t size = out->len - at;

	strbuf__addchars(out, '\0', ROUND_UP(size, 8) - size + id_size);
	build__set_size(out, at);
}

static void add_u16(struct strbuf *out, u16 x)
{
	strbuf__add(out, &x, sizeof(x));
}

/* Append at most max - 1 bytes of s, and a NUL. */
static void add_name(struct strbuf *out, const char *s, size_t max)
{
	strbuf__add(out, s, strnlen(s, max - 1));
	strbuf__addch(out, '\0');
}

size_t build__id_size(const struct evlist *l)
{
	static const u64 words = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	const struct perf_event_attr *attr;

	if (!l->evsels.nr)
		return 0;
	attr = &l->evsels.v[0]->attr;
	return attr->sample_id_all ? (size_t)__builtin_popcountll(attr->sample_type & words) * sizeof(u64)
				   : 0;
}

void build__mmap(struct strbuf *out, u16 misc, u32 pid, u32 tid, u64 start, u64 len, u64 pgoff,
		 const char *name, size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_MMAP, misc);

	strbuf__add_u32(out, pid);
	strbuf__add_u32(out, tid);
	strbuf__add_u64(out, start);
	strbuf__add_u64(out, len);
	strbuf__add_u64(out, pgoff);
	add_name(out, name, NAME_MAX_BYTES);
	build__end(out, at, id_size);
}

void build__mmap2(struct strbuf *out, u16 misc, const struct mmap_record *m, size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_MMAP2, misc | (m->has_build_id ? MISC_MMAP_BUILD_ID : 0));
	u8 id_head[4] = { m->build_id_size };

	strbuf__add_u32(out, m->pid);
	strbuf__add_u32(out, m->tid);
	strbuf__add_u64(out, m->start);
	strbuf__add_u64(out, m->len);
	strbuf__add_u64(out, m->pgoff);
	if (m->has_build_id) {
		size_t size = MIN(m->build_id_size, 20);

		id_head[0] = (u8)size;
		strbuf__add(out, id_head, sizeof(id_head));
		strbuf__add(out, m->build_id, size);
		strbuf__addchars(out, '\0', 20 - size);
	} else {
		strbuf__add_u32(out, m->maj);
		strbuf__add_u32(out, m->min);
		strbuf__add_u64(out, m->ino);
		strbuf__add_u64(out, m->ino_generation);
	}
	strbuf__add_u32(out, m->prot);
	strbuf__add_u32(out, m->flags);
	add_name(out, m->filename, NAME_MAX_BYTES);
	build__end(out, at, id_size);
}

void build__comm(struct strbuf *out, u16 misc, u32 pid, u32 tid, const char *comm, size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_COMM, misc);

	strbuf__add_u32(out, pid);
	strbuf__add_u32(out, tid);
	add_name(out, comm, COMM_BYTES);
	build__end(out, at, id_size);
}

void build__fork(struct strbuf *out, u16 misc, u32 pid, u32 ppid, u32 tid, u32 ptid, size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_FORK, misc);

	strbuf__add_u32(out, pid);
	strbuf__add_u32(out, ppid);
	strbuf__add_u32(out, tid);
	strbuf__add_u32(out, ptid);
	strbuf__add_u64(out, 0); /* time */
	build__end(out, at, id_size);
}

void build__namespaces(struct strbuf *out, u32 pid, u32 tid, const struct ns_link *links, u64 nr,
		       size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_NAMESPACES, 0);

	strbuf__add_u32(out, pid);
	strbuf__add_u32(out, tid);
	strbuf__add_u64(out, nr);
	for (u64 i = 0; i < nr; i++) {
		strbuf__add_u64(out, links[i].dev);
		strbuf__add_u64(out, links[i].ino);
	}
	build__end(out, at, id_size);
}

void build__cgroup(struct strbuf *out, u64 id, const char *path, size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_CGROUP, 0);

	strbuf__add_u64(out, id);
	add_name(out, path, NAME_MAX_BYTES);
	build__end(out, at, id_size);
}

void build__ksymbol(struct strbuf *out, u64 addr, u32 len, const char *name, size_t id_size)
{
	size_t at = build__start(out, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);

	strbuf__add_u64(out, addr);
	strbuf__add_u32(out, len);
	strbuf__add_u32(out, PERF_RECORD_KSYMBOL_TYPE_BPF); /* lower half: type; upper half: no flags */
	add_name(out, name, KSYMBOL_BYTES);
	build__end(out, at, id_size);
}

void build__trailer(struct strbuf *out, const struct evsel *e, const struct sample_id *id)
{
	const u32 task[] = { id->pid, id->tid }, cpu[] = { id->cpu, 0 };
	const struct {
		u64 bit;
		const void *word;
	} words[] = {
		{ PERF_SAMPLE_TID, task },   { PERF_SAMPLE_TIME, &id->time },
		{ PERF_SAMPLE_ID, &id->id }, { PERF_SAMPLE_STREAM_ID, &id->stream_id },
		{ PERF_SAMPLE_CPU, cpu },    { PERF_SAMPLE_IDENTIFIER, &id->id },
	};

	for (size_t i = 0; e->attr.sample_id_all && i < ARRAY_SIZE(words); i++)
		if (e->attr.sample_type & words[i].bit)
			strbuf__add(out, words[i].word, sizeof(u64));
}

void build__lost_samples(struct strbuf *out, const struct evsel *e, u64 id, u32 cpu, u64 lost)
{
	size_t at = build__start(out, PERF_RECORD_LOST_SAMPLES, 0);

	strbuf__add_u64(out, lost);
	build__trailer(out, e, &(struct sample_id){ .id = id, .cpu = cpu });
	build__end(out, at, 0);
}

void build__finished_round(struct strbuf *out)
{
	build__end(out, build__start(out, RECORD_FINISHED_ROUND, 0), 0);
}

void build__finished_init(struct strbuf *out)
{
	build__end(out, build__start(out, RECORD_FINISHED_INIT, 0), 0);
}

void build__id_index(struct strbuf *out, const struct id_index_entry *entries, size_t nr)
{
	const size_t max =
		(RECORD_SIZE_MAX - sizeof(struct perf_event_header) - sizeof(u64)) / sizeof(*entries);

	while (nr) {
		size_t n = MIN(nr, max), at = build__start(out, RECORD_ID_INDEX, 0);

		strbuf__add_u64(out, n);
		strbuf__add(out, entries, n * sizeof(*entries));
		build__end(out, at, 0);
		entries += n;
		nr -= n;
	}
}

void build__thread_map(struct strbuf *out, const int *tids, const char *const *comms, size_t nr)
{
	const size_t max =
		(RECORD_SIZE_MAX - sizeof(struct perf_event_header) - sizeof(u64)) / THREAD_MAP_BYTES;

	while (nr) {
		size_t n = MIN(nr, max), at = build__start(out, RECORD_THREAD_MAP, 0);

		strbuf__add_u64(out, n);
		for (size_t i = 0; i < n; i++) {
			const char *comm = comms && comms[i] ? comms[i] : "";
			size_t len = strnlen(comm, COMM_BYTES - 1);

			strbuf__add_u64(out, (u64)(s64)tids[i]);
			strbuf__add(out, comm, len);
			strbuf__addchars(out, '\0', COMM_BYTES - len);
		}
		build__end(out, at, 0);
		tids += n;
		comms = comms ? comms + n : NULL;
		nr -= n;
	}
}

/* Forms of the data of a CPU_MAP record. */
enum { CPU_MAP_CPUS = 0, CPU_MAP_RANGE = 2 };

static void add_cpu_map(struct strbuf *out, const int *cpus, size_t nr)
{
	bool range = nr > 0 && cpus[0] >= 0;

	for (size_t i = 1; i < nr && range; i++)
		range = cpus[i] == cpus[i - 1] + 1;
	add_u16(out, range ? CPU_MAP_RANGE : CPU_MAP_CPUS);
	if (range) {
		add_u16(out, 0); /* "any CPU" is not included */
		add_u16(out, (u16)cpus[0]);
		add_u16(out, (u16)cpus[nr - 1]);
	} else {
		nr = MIN(nr, (size_t)RECORD_SIZE_MAX / 2 - 8);
		add_u16(out, (u16)nr);
		for (size_t i = 0; i < nr; i++)
			add_u16(out, (u16)cpus[i]);
	}
}

void build__cpu_map(struct strbuf *out, const int *cpus, size_t nr)
{
	size_t at = build__start(out, RECORD_CPU_MAP, 0);

	add_cpu_map(out, cpus, nr);
	build__end(out, at, 0);
}

static size_t build__start_update(struct strbuf *out, const struct evsel *e, enum event_update what)
{
	size_t at = build__start(out, RECORD_EVENT_UPDATE, 0);

	strbuf__add_u64(out, what);
	strbuf__add_u64(out, e->ids.v[0]);
	return at;
}

void build__event_updates(struct strbuf *out, const struct evsel *e)
{
	size_t at;

	if (!e->ids.nr)
		return;
	if (e->request->unit) {
		at = build__start_update(out, e, EVENT_UPDATE_UNIT);
		strbuf__add(out, e->request->unit, strnlen(e->request->unit, NAME_MAX_BYTES - 1));
		strbuf__addch(out, '\0');
		build__end(out, at, 0);
	}
	if (e->request->scale != 0) {
		at = build__start_update(out, e, EVENT_UPDATE_SCALE);
		strbuf__add(out, &e->request->scale, sizeof(e->request->scale));
		build__end(out, at, 0);
	}
	if (e->request->cpus.nr) {
		at = build__start_update(out, e, EVENT_UPDATE_CPUS);
		add_cpu_map(out, e->request->cpus.v, e->request->cpus.nr);
		build__end(out, at, 0);
	}
}

static size_t build__start_build_id(struct strbuf *out, u32 type, u16 misc, u32 pid, const u8 *id, u8 size,
				    const char *filename)
{
	size_t at = build__start(out, type, misc | MISC_BUILD_ID_SIZE),
	       len = strnlen(filename, NAME_MAX_BYTES - 1);

	size = MIN(size, 20);
	strbuf__add_u32(out, pid);
	strbuf__add(out, id, size);
	strbuf__addchars(out, '\0', 20 - (size_t)size);
	strbuf__addch(out, (char)size);
	strbuf__addchars(out, '\0', 3);
	strbuf__add(out, filename, len);
	strbuf__addchars(out, '\0', ROUND_UP(len + 1, 64) - len);
	return at;
}

void build__build_id_record(struct strbuf *out, u16 misc, u32 pid, const u8 *id, u8 size,
			    const char *filename)
{
	build__end(out, build__start_build_id(out, RECORD_HEADER_BUILD_ID, misc, pid, id, size, filename), 0);
}

/* Entries of the table are not padded to 8 bytes and are not aligned. */
void build__build_id(struct strbuf *out, u16 misc, u32 pid, const u8 *id, u8 size, const char *filename)
{
	build__set_size(out, build__start_build_id(out, 0, misc, pid, id, size, filename));
}

/* ---- header features ---- */

void build__string(struct strbuf *out, const char *s)
{
	size_t len = strlen(s), room = ROUND_UP(len + 1, STRING_ALIGN);

	strbuf__add_u32(out, (u32)room);
	strbuf__add(out, s, len);
	strbuf__addchars(out, '\0', room - len);
}

void build__event_desc(struct strbuf *out, const struct evlist *l)
{
	strbuf__add_u32(out, (u32)l->evsels.nr);
	strbuf__add_u32(out, ATTR_BYTES);
	for (size_t i = 0; i < l->evsels.nr; i++) {
		const struct evsel *e = l->evsels.v[i];
		struct perf_event_attr attr = e->attr;

		attr.size = ATTR_BYTES;
		strbuf__add(out, &attr, ATTR_BYTES);
		strbuf__add_u32(out, (u32)e->ids.nr);
		build__string(out, e->name ? e->name : "");
		strbuf__add(out, e->ids.v, e->ids.nr * sizeof(u64));
	}
}
