#include "ui/dump/dump_record_private.h"

#include "base/memory/cursor.h"
#include "event/evsel/reg_names.h"
#include "ui/dump/dump_text.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>

typedef unsigned long long ull;

enum {
	LINE_MAX_NUMBERS = 256, /* bytes of a line besides names */
	MISC_SWITCH_OUT = 1 << 13,
	MISC_SWITCH_PREEMPT = 1 << 14,
	AUX_TRUNCATED = 1,
	AUX_OVERWRITE = 2,
	AUX_PARTIAL = 4,
};

struct cursor dump_line__body(const struct dump_line *l)
{
	return cursor__make(l->header + 1, l->header->size - sizeof(*l->header), false);
}

static struct record *dump_line__record(const struct dump_line *l)
{
	return (struct record *)&l->item->r->record;
}

/* ---- records of the kernel ---- */

static char *put_ids(char *p, u32 a, char mid, u32 b)
{
	p = put_signed(p, (s32)a);
	*p++ = mid;
	return put_signed(p, (s32)b);
}

static char *put_pair(char *p, u32 maj, u32 min)
{
	if (maj < 0x10)
		*p++ = '0';
	p = put_hex(p, maj);
	*p++ = ':';
	if (min < 0x10)
		*p++ = '0';
	return put_hex(p, min);
}

static char *put_build_id(char *p, const struct mmap_record *m)
{
	*p++ = '<';
	for (u8 i = 0; i < m->build_id_size; i++)
		p = put_bytes(p, dump_hex_pairs + m->build_id[i] * 2, 2);
	*p++ = '>';
	return p;
}

static char *put_protection(char *p, const struct mmap_record *m)
{
	*p++ = m->prot & PROT_READ ? 'r' : '-';
	*p++ = m->prot & PROT_WRITE ? 'w' : '-';
	*p++ = m->prot & PROT_EXEC ? 'x' : '-';
	*p++ = m->flags & MAP_SHARED ? 's' : 'p';
	return p;
}

static bool print_mmap(const struct dump_line *l)
{
	struct mmap_record m;
	char *p;

	if (!record__mmap(dump_line__record(l), &m))
		return false;
	p = strbuf__begin(l->out, LINE_MAX_NUMBERS);
	*p++ = ' ';
	p = put_ids(p, m.pid, '/', m.tid);
	p = put_text(p, ": [");
	p = put_0x(p, m.start);
	*p++ = '(';
	p = put_0x(p, m.len);
	p = put_text(p, ") @ ");
	p = put_0x(p, m.pgoff);
	if (m.has_build_id) {
		*p++ = ' ';
		p = put_build_id(p, &m);
	} else if (m.is_mmap2) {
		*p++ = ' ';
		p = put_pair(p, m.maj, m.min);
		*p++ = ' ';
		p = put_dec(p, m.ino);
		*p++ = ' ';
		p = put_dec(p, m.ino_generation);
	}
	p = put_text(p, "]: ");
	if (m.is_mmap2)
		p = put_protection(p, &m);
	else
		*p++ = m.is_data ? 'r' : 'x';
	*p++ = ' ';
	strbuf__end(l->out, p);
	strbuf__add_masked(l->out, m.filename);
	strbuf__addch(l->out, '\n');
	return true;
}

static bool print_comm(const struct dump_line *l)
{
	struct comm_record c;

	if (!record__comm(dump_line__record(l), &c))
		return false;
	strbuf__addstr(l->out, c.exec ? " exec: " : ": ");
	strbuf__add_masked(l->out, c.comm);
	strbuf__addf(l->out, ":%d/%d\n", (s32)c.pid, (s32)c.tid);
	return true;
}

static bool print_task(const struct dump_line *l)
{
	struct task_record t;
	char *p;

	if (!record__task(dump_line__record(l), &t))
		return false;
	p = strbuf__begin(l->out, LINE_MAX_NUMBERS);
	*p++ = '(';
	p = put_ids(p, t.pid, ':', t.tid);
	p = put_text(p, "):(");
	p = put_ids(p, t.ppid, ':', t.ptid);
	p = put_text(p, ")\n");
	strbuf__end(l->out, p);
	return true;
}

static bool print_lost_samples(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	/* offset for events that record no time, as stock */
	u64 lost = cursor__u64(&c), id = l->id.id ? l->id.id : UINT64_MAX;

	strbuf__addf(l->out, ": id:%llu: lost samples :%llu\n", (ull)id, (ull)lost);
	return !c.bad;
}

static void print_read_value(const struct dump_line *l, struct cursor *c, bool there, const char *name)
{
	if (there)
		strbuf__addf(l->out, "... %-13s: %llu\n", name, (ull)cursor__u64(c));
}

static bool print_read(const struct dump_line *l)
{
	const struct evlist *evlist = &l->worker->format->session->reader->evlist;
	struct cursor c = dump_line__body(l);
	u32 pid = cursor__u32(&c), tid = cursor__u32(&c);
	u64 value = cursor__u64(&c), format;
	const struct evsel *e = evlist__by_id(evlist, l->id.id);

	if (!e && evlist->evsels.nr)
		e = evlist->evsels.v[0];
	strbuf__addf(l->out, ": %d %d ", (s32)pid, (s32)tid);
	strbuf__add_masked(l->out, e ? e->name : "unknown");
	strbuf__addf(l->out, " %llu\n", (ull)value);
	format = e ? e->attr.read_format : 0;
	print_read_value(l, &c, format & PERF_FORMAT_TOTAL_TIME_ENABLED, "time enabled ");
	print_read_value(l, &c, format & PERF_FORMAT_TOTAL_TIME_RUNNING, "time running ");
	print_read_value(l, &c, format & PERF_FORMAT_ID, "id");
	print_read_value(l, &c, format & READ_FORMAT_LOST, "lost");
	return !c.bad;
}

static bool print_aux(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 offset = cursor__u64(&c), size = cursor__u64(&c), flags = cursor__u64(&c);

	strbuf__addf(l->out, " offset: %#llx size: %#llx flags: %#llx [%s%s%s]\n", (ull)offset, (ull)size,
		     (ull)flags, flags & AUX_TRUNCATED ? "T" : "", flags & AUX_OVERWRITE ? "O" : "",
		     flags & AUX_PARTIAL ? "P" : "");
	return !c.bad;
}

static const char *switch_text(u16 misc)
{
	if (!(misc & MISC_SWITCH_OUT))
		return " IN         ";
	return misc & MISC_SWITCH_PREEMPT ? " OUT preempt" : " OUT        ";
}

static bool print_switch(const struct dump_line *l)
{
	strbuf__addf(l->out, "%s\n", switch_text(l->header->misc));
	return true;
}

static bool print_switch_cpu_wide(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u32 pid = cursor__u32(&c), tid = cursor__u32(&c);
	bool out = l->header->misc & MISC_SWITCH_OUT;

	strbuf__addf(l->out, "%s  %s pid/tid: %5d/%-5d\n", switch_text(l->header->misc),
		     out ? "next" : "prev", (s32)pid, (s32)tid);
	return !c.bad;
}

static bool print_namespaces(const struct dump_line *l)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	struct namespaces_record n;
	const u64 *info;

	if (!record__namespaces(dump_line__record(l), &n))
		return false;
	strbuf__addf(l->out, " %d/%d - nr_namespaces: %llu\n\t\t[", (s32)n.pid, (s32)n.tid, (ull)n.nr);
	info = n.link_info;
	for (u64 i = 0; i < n.nr; i++, info += 2)
		strbuf__addf(l->out, "%s%llu/%s: %llu/%#llx%s", i && i % 4 == 0 ? "\n\t\t " : "", (ull)i,
			     i < ARRAY_SIZE(names) ? names[i] : "UNKNOWN", (ull)info[0], (ull)info[1],
			     i + 1 < n.nr ? ", " : "]\n");
	return true;
}

static void print_code_bytes(struct strbuf *out, const char *name, const u8 *bytes, u16 nr)
{
	for (u16 i = 0; i < nr; i++) {
		if (i % 16 == 0)
			strbuf__addf(out, "%s            %s bytes:", i ? "\n" : "", name);
		strbuf__addf(out, " %02x", bytes[i]);
	}
	if (nr)
		strbuf__addch(out, '\n');
}

static bool print_text_poke(const struct dump_line *l)
{
	struct cursor c = dump_line__body(l);
	u64 addr = cursor__u64(&c);
	u16 nr_old = cursor__u16(&c), nr_new = cursor__u16(&c);
	const u8 *bytes = cursor__bytes(&c, (size_t)nr_old + nr_new);

	if (!bytes)
		return false;
	strbuf__addf(l->out, " %llx  old len %u new len %u\n", (ull)addr, nr_old, nr_new);
	print_code_bytes(l->out, "Old", bytes, nr_old);
	print_code_bytes(l->out, "New", bytes + nr_old, nr_new);
	return true;
}

static const struct dump_type kernel_types[RECORD_HEADER_ATTR] = {
	[PERF_RECORD_MMAP] = { print_mmap, false },
	[PERF_RECORD_LOST] = { NULL, false, ": id:%8u: lost:%8u\n" },
	[PERF_RECORD_COMM] = { print_comm, false },
	[PERF_RECORD_EXIT] = { print_task, false },
	[PERF_RECORD_THROTTLE] = { NULL, true },
	[PERF_RECORD_UNTHROTTLE] = { NULL, true },
	[PERF_RECORD_FORK] = { print_task, false },
	[PERF_RECORD_READ] = { print_read, false },
	[PERF_RECORD_SAMPLE] = { dump_sample__print, false },
	[PERF_RECORD_MMAP2] = { print_mmap, false },
	[PERF_RECORD_AUX] = { print_aux, false },
	[PERF_RECORD_ITRACE_START] = { NULL, false, " pid: %4u tid: %4u\n" },
	[PERF_RECORD_LOST_SAMPLES] = { print_lost_samples, false },
	[PERF_RECORD_SWITCH] = { print_switch, false },
	[PERF_RECORD_SWITCH_CPU_WIDE] = { print_switch_cpu_wide, false },
	[PERF_RECORD_NAMESPACES] = { print_namespaces, false },
	[PERF_RECORD_KSYMBOL] = { NULL, false, " addr %8x len %4u type %2u flags 0x%2x name %s\n" },
	[PERF_RECORD_BPF_EVENT] = { NULL, false, " type %2u, flags %2u, id %4u\n" },
	[PERF_RECORD_CGROUP] = { NULL, false, " cgroup: %8u %s\n" },
	[PERF_RECORD_TEXT_POKE] = { print_text_poke, false },
	[21] = { NULL, false, " hw_id: 0x%8x\n" },
	[22] = { NULL, true },
};

/* ---- any record ---- */

void dump_format__init(struct dump_format *f, const struct session *s, bool obeys_rounds)
{
	const struct reader *r = s->reader;
	char *arch = NULL;

	*f = (struct dump_format){ .session = s, .obeys_rounds = obeys_rounds };
	f->mixed_cpu =
		(evlist__sample_type_any(&r->evlist) ^ evlist__sample_type_all(&r->evlist)) & PERF_SAMPLE_CPU;
	f->stream_start = r->is_pipe ? PERF_DATA_PIPE_HEADER_SIZE : 0;
	features__string(r, FEATURE_ARCH, &arch);
	f->regs = reg_names__find(arch);
	free(arch);
	f->sources = xcalloc(r->segments.nr + 1, sizeof(*f->sources));
	for (size_t i = 0; i < r->segments.nr; i++) {
		struct strbuf *source = &f->sources[i];

		strbuf__init(source);
		strbuf__addch(source, '@');
		strbuf__add_masked(source, r->is_pipe ? "pipe" : r->segments.v[i].path);
		strbuf__addstr(source, " [");
	}
}

void dump_format__exit(struct dump_format *f)
{
	for (size_t i = 0; i < f->session->reader->segments.nr; i++)
		strbuf__exit(&f->sources[i]);
	free(f->sources);
	f->sources = NULL;
}

void dump_worker__init(struct dump_worker *w, const struct dump_format *f)
{
	*w = (struct dump_worker){ .format = f };
	machine_cursor__init(&w->cursor, &f->session->machine);
}

static void add_bytes(struct strbuf *out, const struct dump_format *f, const struct ordered_record *r)
{
	const struct perf_event_header *h = r->record.header;
	const struct strbuf *source = &f->sources[r->segment];
	char *p = strbuf__begin(out, LINE_MAX_NUMBERS + source->len);

	*p++ = '\n';
	p = put_0x(p, r->record.offset - f->stream_start);
	p = put_bytes(p, source->buf, source->len);
	p = put_0x(p, h->size);
	p = put_text(p, "]: event: ");
	p = put_dec(p, h->type);
	p = put_text(p, "\n.\n. ... raw event: size ");
	p = put_dec(p, h->size);
	p = put_text(p, " bytes\n");
	strbuf__end(out, p);
	dump_text__hex_block(out, h, h->size);
	strbuf__addch(out, '\n');
}

/* Absent fields are all ones, as in stock perf. */
static void decode_id(struct dump_line *l, const struct dump_format *f)
{
	const struct evlist *evlist = &f->session->reader->evlist;
	const struct record *r = dump_line__record(l);
	struct sample_id *id = &l->id;
	const struct evsel *e;

	if (l->header->type >= RECORD_HEADER_ATTR) {
		*id = (struct sample_id){ 0 };
		return;
	}
	if (!sample_id__decode(evlist, r, id)) {
		*id = (struct sample_id){ .cpu = UINT32_MAX, .time = UINT64_MAX, .id = UINT64_MAX };
		return;
	}
	if (!id->time_known)
		id->time = UINT64_MAX;
	if (f->mixed_cpu) {
		e = id->id ? evlist__by_id(evlist, id->id) : NULL;
		e = e ? e : evlist->evsels.v[0];
		if (!(e->attr.sample_type & PERF_SAMPLE_CPU))
			id->cpu = UINT32_MAX;
	}
}

/* Return 0, or why the sample cannot be decoded; its id then has what is known. */
static int decode_sample(struct dump_line *l, const struct dump_format *f)
{
	int ret = sample__decode(&f->session->decoder, dump_line__record(l), l->sample);

	l->id = (struct sample_id){ .cpu = UINT32_MAX, .time = UINT64_MAX };
	if (ret)
		return ret;
	l->id.cpu = l->sample->cpu;
	if (l->sample->layout->time != SAMPLE_NO_FIELD)
		l->id.time = l->sample->time;
	return 0;
}

static void add_prefix(const struct dump_line *l)
{
	u8 prefix = l->item->flags;
	char *p = strbuf__begin(l->out, LINE_MAX_NUMBERS);

	if (prefix & DUMP_NO_ID && l->header->type != PERF_RECORD_SAMPLE) {
		p = put_text(p, "-1 -1 ");
	} else {
		if (prefix & DUMP_CPU) {
			p = put_dec(p, l->id.cpu);
			*p++ = ' ';
		}
		if (prefix & DUMP_TIME) {
			p = put_dec(p, l->id.time);
			*p++ = ' ';
		}
	}
	p = put_0x(p, l->item->r->record.offset - l->worker->format->stream_start);
	p = put_text(p, " [");
	p = put_0x(p, l->header->size);
	p = put_text(p, "]: ");
	strbuf__end(l->out, p);
}

/* A known type is in one of the two tables. */
static void add_text(const struct dump_line *l, const char *name)
{
	u32 type = l->header->type;
	const struct dump_type *t =
		type < RECORD_HEADER_ATTR ? &kernel_types[type] : &dump_user_types[type - RECORD_HEADER_ATTR];
	struct cursor c = dump_line__body(l);
	size_t start;

	strbuf__addstr(l->out, "PERF_RECORD_");
	strbuf__addstr(l->out, name);
	start = l->out->len;
	if (t->text)
		dump_text__fields(l->out, t->text, &c);
	if (c.bad || (t->print && !t->print(l))) {
		strbuf__setlen(l->out, start);
		strbuf__addstr(l->out, ": too short for its type\n");
		return;
	}
	if (t->unhandled &&
	    !(l->worker->format->for_script && (type == RECORD_THREAD_MAP || type == RECORD_CPU_MAP)))
		strbuf__addstr(l->out, ": unhandled!\n");
}

void dump_record__add_fields(struct dump_worker *w, const struct dump_item *item, struct strbuf *out)
{
	const struct perf_event_header *h = item->r->record.header;
	const char *name = record_type__name(h->type);
	struct dump_line l = { .worker = w, .item = item, .header = h, .out = out };

	decode_id(&l, w->format);
	if (name)
		add_text(&l, name);
}

void dump_record__add(struct dump_worker *w, const struct dump_item *item, struct strbuf *out)
{
	const struct perf_event_header *h = item->r->record.header;
	const char *name = record_type__name(h->type);
	struct dump_line l = { .worker = w, .item = item, .header = h, .out = out };
	struct sample sample;
	int ret = 0;

	add_bytes(out, w->format, item->r);
	if (h->type == PERF_RECORD_SAMPLE) {
		l.sample = &sample;
		ret = decode_sample(&l, w->format);
	} else {
		decode_id(&l, w->format);
	}
	add_prefix(&l);
	if (!name)
		strbuf__addf(out, "PERF_RECORD_UNKNOWN: type %u, %u bytes\n", h->type, h->size);
	else if (ret)
		strbuf__addf(out, "PERF_RECORD_SAMPLE: %s\n",
			     ret == -ENOENT ? "no event has its id" : "too short for its event's fields");
	else
		add_text(&l, name);
}
