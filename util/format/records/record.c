#include "format/records/record.h"

#include "base/memory/cursor.h"

#include <sys/mman.h>

enum { BUILD_ID_BYTES = 20 };

/* As stock perf spells them. Kernel record types newer than some headers have a number here. */
static const char *const type_names[RECORD_TYPE_MAX] = {
	[PERF_RECORD_MMAP] = "MMAP",
	[PERF_RECORD_LOST] = "LOST",
	[PERF_RECORD_COMM] = "COMM",
	[PERF_RECORD_EXIT] = "EXIT",
	[PERF_RECORD_THROTTLE] = "THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PERF_RECORD_FORK] = "FORK",
	[PERF_RECORD_READ] = "READ",
	[PERF_RECORD_SAMPLE] = "SAMPLE",
	[PERF_RECORD_MMAP2] = "MMAP2",
	[PERF_RECORD_AUX] = "AUX",
	[PERF_RECORD_ITRACE_START] = "ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PERF_RECORD_CGROUP] = "CGROUP",
	[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
	[21] = "AUX_OUTPUT_HW_ID",
	[22] = "CALLCHAIN_DEFERRED",
	[RECORD_HEADER_ATTR] = "ATTR",
	[RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
	[RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
	[RECORD_HEADER_BUILD_ID] = "BUILD_ID",
	[RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[RECORD_ID_INDEX] = "ID_INDEX",
	[RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[RECORD_AUXTRACE] = "AUXTRACE",
	[RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[RECORD_THREAD_MAP] = "THREAD_MAP",
	[RECORD_CPU_MAP] = "CPU_MAP",
	[RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[RECORD_STAT] = "STAT",
	[RECORD_STAT_ROUND] = "STAT_ROUND",
	[RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[RECORD_TIME_CONV] = "TIME_CONV",
	[RECORD_HEADER_FEATURE] = "FEATURE",
	[RECORD_COMPRESSED] = "COMPRESSED",
	[RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[RECORD_COMPRESSED2] = "COMPRESSED2",
	[RECORD_BPF_METADATA] = "BPF_METADATA",
	[RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

const char *record_type__name(u32 type)
{
	return type < RECORD_TYPE_MAX ? type_names[type] : NULL;
}

/* Bytes up to the first field of variable size. Records of old kernels have at least these, too. */
static const u8 sizes_min[] = {
	[PERF_RECORD_MMAP] = 40,       [PERF_RECORD_LOST] = 24,    [PERF_RECORD_COMM] = 16,
	[PERF_RECORD_EXIT] = 32,       [PERF_RECORD_FORK] = 32,    [PERF_RECORD_MMAP2] = 72,
	[PERF_RECORD_NAMESPACES] = 24, [PERF_RECORD_KSYMBOL] = 24, [PERF_RECORD_LOST_SAMPLES] = 16,
	[PERF_RECORD_CGROUP] = 16,
};

u16 record_type__size_min(u32 type)
{
	return type < ARRAY_SIZE(sizes_min) && sizes_min[type] ? sizes_min[type]
							       : sizeof(struct perf_event_header);
}

struct cursor record__body(const struct record *r)
{
	struct cursor c = cursor__make(r->header, r->header->size, false);

	cursor__skip(&c, sizeof(*r->header));
	return c;
}

/* Return the string that starts here and ends in NUL inside the record. */
static const char *body__str(struct cursor *c)
{
	return cursor__str(c, cursor__left(c));
}

/*
 * Does the record have a build-id? The bit may be left from another recorder's event (see
 * record/flow/intake.c): then a device's number is in place of the size and three zeroes.
 */
static bool is_build_id(struct cursor c)
{
	u8 size = cursor__u8(&c), zeroes = 0;

	for (int i = 0; i < 3; i++)
		zeroes |= cursor__u8(&c);
	return size && size <= BUILD_ID_BYTES && !zeroes;
}

bool record__mmap(const struct record *r, struct mmap_record *m)
{
	struct cursor c = record__body(r);
	u16 misc = r->header->misc;

	*m = (struct mmap_record){ .is_mmap2 = r->header->type == PERF_RECORD_MMAP2 };
	m->cpumode = misc & MISC_CPUMODE_MASK;
	m->is_data = misc & PERF_RECORD_MISC_MMAP_DATA;
	m->pid = cursor__u32(&c);
	m->tid = cursor__u32(&c);
	m->start = cursor__u64(&c);
	m->len = cursor__u64(&c);
	m->pgoff = cursor__u64(&c);
	m->has_build_id = m->is_mmap2 && misc & MISC_MMAP_BUILD_ID && is_build_id(c);
	if (m->has_build_id) {
		m->build_id_size = cursor__u8(&c);
		cursor__skip(&c, 3);
		m->build_id = cursor__bytes(&c, BUILD_ID_BYTES);
	} else if (m->is_mmap2) {
		m->maj = cursor__u32(&c);
		m->min = cursor__u32(&c);
		m->ino = cursor__u64(&c);
		m->ino_generation = cursor__u64(&c);
	}
	if (m->is_mmap2) {
		m->prot = cursor__u32(&c);
		m->flags = cursor__u32(&c);
	} else {
		m->prot = m->is_data ? 0 : PROT_EXEC;
	}
	m->filename = body__str(&c);
	return !c.bad;
}

bool mmap_record__is_anonymous(const struct mmap_record *m)
{
	return (m->flags & MAP_HUGETLB) || !strcmp(m->filename, "//anon") ||
	       !strncmp(m->filename, "/dev/zero", 9) || !strncmp(m->filename, "/anon_hugepage", 14);
}

struct build_id mmap_record__build_id(const struct mmap_record *m)
{
	struct build_id id = { .size = 0 };

	if (m->has_build_id && m->build_id_size <= BUILD_ID_MAX) {
		id.size = m->build_id_size;
		memcpy(id.data, m->build_id, m->build_id_size);
	}
	return id;
}

bool record__comm(const struct record *r, struct comm_record *comm)
{
	struct cursor c = record__body(r);

	*comm = (struct comm_record){ .exec = r->header->misc & MISC_COMM_EXEC };
	comm->pid = cursor__u32(&c);
	comm->tid = cursor__u32(&c);
	comm->comm = body__str(&c);
	return !c.bad;
}

bool record__task(const struct record *r, struct task_record *t)
{
	struct cursor c = record__body(r);

	*t = (struct task_record){ 0 };
	t->synthesized = r->header->type == PERF_RECORD_FORK && r->header->misc & MISC_FORK_EXEC;
	t->pid = cursor__u32(&c);
	t->ppid = cursor__u32(&c);
	t->tid = cursor__u32(&c);
	t->ptid = cursor__u32(&c);
	t->time = cursor__u64(&c);
	return !c.bad;
}

u32 record__ended_program(const struct record *r)
{
	struct comm_record comm;
	struct task_record t;

	if (r->header->type == PERF_RECORD_EXIT)
		return record__task(r, &t) && t.pid == t.tid ? t.pid : 0;
	return r->header->type == PERF_RECORD_COMM && record__comm(r, &comm) && comm.exec ? comm.pid : 0;
}

bool record__ksymbol(const struct record *r, struct ksymbol_record *k)
{
	struct cursor c = record__body(r);

	*k = (struct ksymbol_record){ 0 };
	k->addr = cursor__u64(&c);
	k->len = cursor__u32(&c);
	k->ksym_type = cursor__u16(&c);
	k->flags = cursor__u16(&c);
	k->unregister = k->flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER;
	k->name = body__str(&c);
	return !c.bad;
}

bool record__namespaces(const struct record *r, struct namespaces_record *n)
{
	struct cursor c = record__body(r);

	*n = (struct namespaces_record){ 0 };
	n->pid = cursor__u32(&c);
	n->tid = cursor__u32(&c);
	n->nr = cursor__u64(&c);
	if (n->nr > cursor__left(&c) / 16)
		return false;
	n->link_info = cursor__bytes(&c, n->nr * 16);
	return !c.bad;
}

bool record__cgroup(const struct record *r, struct cgroup_record *cg)
{
	struct cursor c = record__body(r);

	*cg = (struct cgroup_record){ 0 };
	cg->id = cursor__u64(&c);
	cg->path = body__str(&c);
	return !c.bad;
}
