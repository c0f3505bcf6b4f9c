#include "record/flow/intake.h"

#include "base/system/clock.h"
#include "event/evsel/event_request.h"
#include "format/records/build.h"
#include "live/perf_clock.h"

#include <string.h>

void intake__init(struct intake *in, const struct evlist *l)
{
	*in = (struct intake){ .l = l };
	sample_decoder__init(&in->decoder, l);
	lazy_record__init(&in->record, &in->decoder);
	for (size_t i = 0; i < l->evsels.nr; i++)
		in->has_build_ids |= l->evsels.v[i]->attr.build_id;
	for (size_t i = 0; i < l->evsels.nr; i++)
		in->sums_reads |= l->evsels.v[i]->request->sums_reads;
	for (size_t i = 0; i < l->evsels.nr; i++)
		in->is_everywhere |= event_request__is_everywhere(l->evsels.v[i]->request);
	tally__init(&in->tally, &in->decoder);
}

void intake__exit(struct intake *in)
{
	stack_samples__delete(in->stack_samples);
	java_names__delete(in->java_names);
	off_cpu__delete(in->off_cpu);
	span_pairs__delete(in->spans);
	probed_stacks__delete(in->probed_stacks);
	task_filter__delete(in->task_filter);
	tally__exit(&in->tally);
	read_deltas__exit(&in->read_sums);
	sample_decoder__exit(&in->decoder);
}

/* ---- stations: return true to pass the record on ---- */

static bool mend_stack(struct intake *in, struct lazy_record *r)
{
	probed_stacks__mend(in->probed_stacks, r);
	return true;
}

static bool unwind(struct intake *in, struct lazy_record *r)
{
	if (in->off_cpu && off_cpu__leaves_chain_out(in->off_cpu))
		return stack_samples__take_uncounted(in->stack_samples, r);
	return stack_samples__take(in->stack_samples, r);
}

/*
 * The kernel prepares a map record once for all events that want it. If an event of another recorder asked
 * for a build-id, the kernel leaves this bit set in the copies for the events after it, although these hold
 * an inode. (seen with 6.18)
 */
static bool clear_others_bit(struct intake *in, struct lazy_record *r)
{
	(void)in;
	r->header->misc &= (u16)~MISC_MMAP_BUILD_ID;
	return true;
}

static bool count_everywhere(struct intake *in, struct lazy_record *r)
{
	tally__see_everywhere(&in->tally, r);
	return true;
}

static bool drop_own_sample(struct intake *in, struct lazy_record *r)
{
	const struct sample_id *id = lazy_record__id(r);

	return !id || id->pid != in->own_pid;
}

static bool keep_span_back(struct intake *in, struct lazy_record *r)
{
	return !span_pairs__take(in->spans, r);
}

static bool correct_period(struct intake *in, struct lazy_record *r)
{
	vary__correct(in->vary, r);
	return true;
}

static bool keep_known_wait_back(struct intake *in, struct lazy_record *r)
{
	return !off_cpu__take_known(in->off_cpu, r);
}

static bool keep_switch_back(struct intake *in, struct lazy_record *r)
{
	return !off_cpu__take(in->off_cpu, r);
}

static bool keep_others_back(struct intake *in, struct lazy_record *r)
{
	return !task_filter__take(in->task_filter, r);
}

static bool sum_reads(struct intake *in, struct lazy_record *r)
{
	read_sums__rewrite(&in->read_sums, &in->decoder, r->header);
	return true;
}

static bool count_sample(struct intake *in, struct lazy_record *r)
{
	tally__see_sample(&in->tally, r);
	return true;
}

static bool find_java_names(struct intake *in, struct lazy_record *r)
{
	java_names__take(in->java_names, r);
	return true;
}

static bool note_program(struct intake *in, struct lazy_record *r)
{
	if (r->header->misc & PERF_RECORD_MISC_COMM_EXEC)
		in->program_at = clock__ms();
	return true;
}

static bool look_for_hidden(struct intake *in, struct lazy_record *r)
{
	hidden_programs__see(&in->hidden, r->header);
	return true;
}

static bool count_loss(struct intake *in, struct lazy_record *r)
{
	tally__see_loss(&in->tally, r->header);
	return true;
}

static bool show_to_watches(struct intake *in, struct lazy_record *r)
{
	watches__see(in->watches, r->header);
	return true;
}

static bool copy_side_band(struct intake *in, struct lazy_record *r)
{
	strbuf__add(in->side_band, r->header, r->header->size);
	return true;
}

static bool add_task(struct intake *in, struct lazy_record *r)
{
	tasks__see(in->tasks, r->header);
	return true;
}

static bool add_binary(struct intake *in, struct lazy_record *r)
{
	build_id_list__see(in->build_ids, r->header);
	return true;
}

/* ---- the row ---- */

#define TYPE(name) (1u << PERF_RECORD_##name)

enum station_may {
	LOOKS,
	COUNTS,   /* what comes from the kernel; not what other stations kept back or made */
	CHANGES,  /* some bytes of the record */
	REPLACES, /* the record by another one, or drops it */
	DROPS,
	KEEPS, /* the record back, until the end of some round */
};

static void intake__build_row(struct intake *in)
{
	enum {
		MAPS = TYPE(MMAP) | TYPE(MMAP2),
		TASKS = TYPE(FORK) | TYPE(EXIT) | TYPE(COMM),
		SWITCHES = TYPE(SWITCH) | TYPE(SWITCH_CPU_WIDE),
		/* records that samples of a later file may depend on */
		SIDE_BAND = MAPS | TASKS | TYPE(NAMESPACES) | TYPE(KSYMBOL) | TYPE(BPF_EVENT) | TYPE(CGROUP) |
			    TYPE(TEXT_POKE),
	};
	/* The stations from the ring to the file, in this order. */
	const struct {
		bool is_on;
		u32 sees; /* record types, one bit each */
		enum station_may may;
		bool (*pass)(struct intake *in, struct lazy_record *r);
	} stations[] = {
		{ in->is_everywhere, TYPE(SAMPLE), COUNTS, count_everywhere },
		{ in->own_pid, TYPE(SAMPLE), DROPS, drop_own_sample },
		{ in->spans, TYPE(SAMPLE) | TYPE(EXIT) | TYPE(LOST) | MAPS, KEEPS, keep_span_back },
		{ in->vary, TYPE(SAMPLE), CHANGES, correct_period },
		{ in->off_cpu && in->stack_samples, TYPE(SAMPLE), KEEPS, keep_known_wait_back },
		{ in->probed_stacks, TYPE(SAMPLE), CHANGES, mend_stack },
		{ in->stack_samples, TYPE(SAMPLE), REPLACES, unwind },
		{ !in->has_build_ids, TYPE(MMAP2), CHANGES, clear_others_bit },
		{ in->off_cpu, TYPE(SAMPLE) | SWITCHES | TYPE(FORK) | TYPE(EXIT), KEEPS, keep_switch_back },
		{ in->task_filter, TYPE(SAMPLE) | TASKS, KEEPS, keep_others_back },
		{ in->sums_reads, TYPE(SAMPLE), CHANGES, sum_reads },
		{ true, TYPE(SAMPLE), LOOKS, count_sample },
		{ in->java_names, TYPE(SAMPLE) | MAPS | TYPE(COMM) | TYPE(EXIT), LOOKS, find_java_names },
		{ true, TYPE(LOST) | TYPE(THROTTLE), LOOKS, count_loss },
		{ true, TYPE(COMM), LOOKS, note_program },
		{ in->hidden.is_on, MAPS | TYPE(COMM) | TYPE(EXIT) | TYPE(LOST), LOOKS, look_for_hidden },
		{ in->watches, MAPS, LOOKS, show_to_watches },
		{ in->side_band, SIDE_BAND, LOOKS, copy_side_band },
		{ in->tasks, TYPE(FORK), LOOKS, add_task },
		{ in->build_ids, MAPS, LOOKS, add_binary },
	};
	unsigned nr = 0;

	memset(in->by_type, 0, sizeof(in->by_type));
	in->onlookers = 0;
	for (size_t i = 0; i < ARRAY_SIZE(stations); i++) {
		if (!stations[i].is_on)
			continue;
		in->onlookers |= stations[i].may == LOOKS ? 1u << nr : 0;
		for (u32 type = 0; type < INTAKE_TYPES; type++)
			in->by_type[type] |= (stations[i].sees >> type & 1) << nr;
		in->row[nr++] = stations[i].pass;
	}
}

void intake__begin_file(struct intake *in, struct writer *w, struct build_id_list *build_ids)
{
	in->writer = w;
	in->build_ids = build_ids;
	if (in->off_cpu)
		off_cpu__begin_file(in->off_cpu);
	intake__build_row(in);
}

void intake__copy_side_band(struct intake *in, struct strbuf *sb)
{
	in->side_band = sb;
	intake__build_row(in);
}

/* Pass the record through these stations, in order. Return false if it must not be written. */
static inline bool intake__pass(struct intake *in, u32 stations)
{
	u32 type = in->record.header->type;

	for (stations &= type < INTAKE_TYPES ? in->by_type[type] : 0; stations; stations &= stations - 1)
		if (!in->row[__builtin_ctz(stations)](in, &in->record))
			return false;
	return true;
}

static int intake__write(struct intake *in, const void *data, size_t size)
{
	return size ? writer__write(in->writer, data, size) : 0;
}

/* Take records; samples pass these stations only. */
static int intake__take_through(struct intake *in, u32 stations, void *data, size_t size)
{
	u8 *at = data, *from = data, *end = at + size; /* from: start of the bytes to write unchanged */
	struct perf_event_header *h;
	int ret = 0;

	for (; (size_t)(end - at) >= sizeof(*h) && !ret; at += h->size) {
		bool passes;

		h = (void *)at;
		if (h->size < sizeof(*h) || h->size > end - at)
			break;
		in->tally.records++;
		lazy_record__set(&in->record, h);
		passes = intake__pass(in, stations);
		if (likely(passes && in->record.header == h))
			continue;
		ret = intake__write(in, from, (size_t)(at - from));
		if (!ret && passes)
			ret = intake__write(in, in->record.header, in->record.header->size);
		from = at + h->size;
	}
	return ret ? ret : intake__write(in, from, (size_t)(at - from));
}

int intake__take(struct intake *in, void *data, size_t size)
{
	return intake__take_through(in, UINT32_MAX, data, size);
}

bool intake__may_unwind_before(const struct intake *in)
{
	return in->stack_samples && !in->spans && !in->off_cpu && !in->probed_stacks;
}

int intake__take_unwound(struct intake *in, void *data, size_t size)
{
	u32 stations = UINT32_MAX;

	for (u32 i = 0; i < INTAKE_STATIONS; i++)
		if (in->row[i] == unwind)
			stations &= ~(1u << i);
	return intake__take_through(in, stations, data, size);
}

/* ---- rounds ---- */

void intake__begin_round(struct intake *in)
{
	in->size_before = writer__data_size(in->writer);
	if (in->java_names)
		java_names__begin_round(in->java_names);
}

/* Return the time of the clock that the events use. */
static u64 intake__now(const struct intake *in)
{
	const struct perf_event_attr *attr = &in->l->evsels.v[0]->attr;
	struct timespec t;

	if (!attr->use_clockid)
		return perf_clock__now();
	return clock_gettime(attr->clockid, &t) ? 0 : timespec__ns(&t);
}

/*
 * Write the records that were held back: waits and spans that are over, and with at_end all others; samples
 * of the target.
 */
static int intake__write_kept_back(struct intake *in, bool at_end)
{
	struct strbuf sb = STRBUF_INIT;
	int ret;

	if (in->off_cpu && at_end)
		off_cpu__finish(in->off_cpu, intake__now(in), &sb);
	else if (in->off_cpu)
		off_cpu__flush(in->off_cpu, in->tally.last_time, &sb);
	if (in->spans)
		span_pairs__flush(in->spans, in->tally.last_time, at_end, &sb);
	if (in->task_filter)
		task_filter__flush(in->task_filter, at_end, &sb);
	for (size_t pos = 0; pos < sb.len; pos += in->record.header->size) {
		lazy_record__set(&in->record, (void *)(sb.buf + pos));
		intake__pass(in, in->onlookers);
	}
	ret = intake__write(in, sb.buf, sb.len);
	strbuf__exit(&sb);
	return ret;
}

int intake__end_round(struct intake *in)
{
	int ret = intake__write_kept_back(in, false);

	if (ret)
		return ret;
	if (writer__data_size(in->writer) == in->size_before)
		return writer__catch_up(in->writer);
	return in->is_long_round ? writer__sync(in->writer) : intake__mark_round(in);
}

int intake__mark_round(struct intake *in)
{
	struct strbuf mark = STRBUF_INIT;
	int ret;

	build__finished_round(&mark);
	ret = writer__write(in->writer, mark.buf, mark.len);
	strbuf__exit(&mark);
	return ret ? ret : writer__sync(in->writer);
}

int intake__finish(struct intake *in)
{
	return intake__write_kept_back(in, true);
}

int intake__take_synthesized(struct intake *in, const void *data, size_t size)
{
	const struct perf_event_header *h;

	for (size_t pos = 0; in->build_ids && pos < size; pos += h->size) {
		h = (const void *)((const u8 *)data + pos);
		build_id_list__see(in->build_ids, h);
	}
	return intake__write(in, data, size);
}

bool intake__is_full(const struct intake *in)
{
	return in->max_size && writer__file_size(in->writer) >= in->max_size;
}
