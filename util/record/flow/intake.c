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
	for (size_t i = 0; i < l->evsels.nr; i++)
		in->has_build_ids |= l->evsels.v[i]->attr.build_id;
	for (size_t i = 0; i < l->evsels.nr; i++)
		in->sums_reads |= l->evsels.v[i]->request->sums_reads;
	tally__init(&in->tally, &in->decoder);
	in->times_differ = (evlist__sample_type_any(l) ^ evlist__sample_type_all(l)) & PERF_SAMPLE_TIME;
}

void intake__exit(struct intake *in)
{
	tally__exit(&in->tally);
	read_deltas__exit(&in->read_sums);
	sample_decoder__exit(&in->decoder);
}

/* ---- what passes through ---- */

/* The layouts of all events are alike up to the time, which one may have been told to leave out. */
static const struct sample_layout *intake__layout(const struct intake *in, const struct perf_event_header *h)
{
	const struct sample_layout *first = &in->decoder.layouts[0];
	const struct evsel *e = NULL;
	u64 id;

	if (!in->times_differ || first->identifier == SAMPLE_NO_FIELD ||
	    h->size < first->identifier + sizeof(id))
		return first;
	memcpy(&id, (const u8 *)h + first->identifier, sizeof(id));
	e = evlist__by_id(in->l, id);
	return e ? &in->decoder.layouts[e->idx] : first;
}

static void intake__see_sample(struct intake *in, const struct perf_event_header *h)
{
	const struct sample_layout *layout = intake__layout(in, h);
	u64 time;

	in->samples++;
	in->saw_kernel |= (h->misc & MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	if (layout->time == SAMPLE_NO_FIELD || h->size < layout->time + sizeof(time))
		return;
	memcpy(&time, (const u8 *)h + layout->time, sizeof(time));
	if (!in->first_time || time < in->first_time)
		in->first_time = time;
	if (time > in->last_time)
		in->last_time = time;
}

static void intake__see_record(struct intake *in, const struct perf_event_header *h)
{
	tally__see(&in->tally, &(struct record){ .header = h });
	if (h->type == PERF_RECORD_SAMPLE)
		intake__see_sample(in, h);
	else if (in->watches)
		watches__see(in->watches, h);
}

static bool intake__is_own_sample(const struct intake *in, const struct perf_event_header *h)
{
	const struct sample_layout *layout = &in->decoder.layouts[0];
	u32 pid;

	if (!in->own_pid || h->type != PERF_RECORD_SAMPLE || layout->tid == SAMPLE_NO_FIELD ||
	    h->size < layout->tid + sizeof(pid))
		return false;
	memcpy(&pid, (const u8 *)h + layout->tid, sizeof(pid));
	return pid == in->own_pid;
}

/*
 * The kernel prepares a map record once for all events that want it, and leaves this bit in it for those
 * behind one that wants a build-id: another recorder's. What our events get is an inode nevertheless. (seen
 * with 6.18)
 */
static void intake__clear_others_bit(const struct intake *in, struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_MMAP2 && !in->has_build_ids)
		h->misc &= (u16)~MISC_MMAP_BUILD_ID;
}

/* Counts the records, drops our own samples if asked to. Returns the bytes that remain. */
static size_t intake__look_at(struct intake *in, u8 *data, size_t size)
{
	size_t kept = 0, pos = 0;

	while (pos + sizeof(struct perf_event_header) <= size) {
		struct perf_event_header *h = (void *)(data + pos);
		size_t len = h->size;

		if (len < sizeof(*h) || len > size - pos)
			break;
		pos += len;
		intake__clear_others_bit(in, h);
		in->tally.records++;
		if (intake__is_own_sample(in, h))
			continue;
		if (in->off_cpu && off_cpu__take(in->off_cpu, in->l, &(struct record){ .header = h }))
			continue;
		if (in->task_filter && task_filter__take(in->task_filter, &(struct record){ .header = h }))
			continue;
		if (in->sums_reads && h->type == PERF_RECORD_SAMPLE)
			read_sums__rewrite(&in->read_sums, &in->decoder, h);
		intake__see_record(in, h);
		if (kept != (size_t)((const u8 *)h - data))
			memmove(data + kept, h, len);
		kept += len;
	}
	return kept;
}

/* ---- rounds ---- */

void intake__begin_round(struct intake *in)
{
	in->size_before = writer__data_size(in->writer);
}

/* What the samples of a later file may depend on. */
static bool is_side_band(u32 type)
{
	enum {
		TYPES = 1 << PERF_RECORD_MMAP | 1 << PERF_RECORD_MMAP2 | 1 << PERF_RECORD_COMM |
			1 << PERF_RECORD_FORK | 1 << PERF_RECORD_EXIT | 1 << PERF_RECORD_NAMESPACES |
			1 << PERF_RECORD_KSYMBOL | 1 << PERF_RECORD_BPF_EVENT | 1 << PERF_RECORD_CGROUP |
			1 << PERF_RECORD_TEXT_POKE
	};

	return type < 32 && (TYPES >> type & 1);
}

/* data: whole records */
static void intake__see_side_band(struct intake *in, const u8 *data, size_t size)
{
	const struct perf_event_header *h;

	for (size_t pos = 0; pos < size; pos += h->size) {
		h = (const void *)(data + pos);
		if (in->side_band && is_side_band(h->type))
			strbuf__add(in->side_band, h, h->size);
		if (in->tasks)
			tasks__see(in->tasks, h);
	}
}

int intake__take(struct intake *in, void *data, size_t size)
{
	size = intake__look_at(in, data, size);
	if (in->side_band || in->tasks)
		intake__see_side_band(in, data, size);
	if (in->build_ids)
		build_id_list__see(in->build_ids, data, size);
	return size ? writer__write(in->writer, data, size) : 0;
}

/* By the clock that the events were opened with. */
static u64 intake__now(const struct intake *in)
{
	const struct perf_event_attr *attr = &in->l->evsels.v[0]->attr;
	struct timespec t;

	if (!attr->use_clockid)
		return perf_clock__now();
	return clock_gettime(attr->clockid, &t) ? 0 : timespec__ns(&t);
}

/* What was kept back: the waits that are over, and at the end those that are not; samples of the target. */
static int intake__write_kept_back(struct intake *in, bool at_end)
{
	struct strbuf sb = STRBUF_INIT;
	int ret = 0;

	if (in->off_cpu && at_end)
		off_cpu__finish(in->off_cpu, intake__now(in), &sb);
	else if (in->off_cpu)
		off_cpu__flush(in->off_cpu, &sb);
	if (in->task_filter)
		task_filter__flush(in->task_filter, at_end, &sb);
	for (size_t pos = 0; pos < sb.len;) {
		const struct perf_event_header *h = (const void *)(sb.buf + pos);

		intake__see_record(in, h);
		pos += h->size;
	}
	if (sb.len)
		ret = writer__write(in->writer, sb.buf, sb.len);
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
	if (in->build_ids)
		build_id_list__see(in->build_ids, data, size);
	return size ? writer__write(in->writer, data, size) : 0;
}

bool intake__is_full(const struct intake *in)
{
	return in->max_size && writer__file_size(in->writer) >= in->max_size;
}
