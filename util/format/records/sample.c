#include "format/records/sample.h"

#include "base/memory/cursor.h"
#include "format/records/sample_field.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HEADER_SIZE = sizeof(struct perf_event_header) };

/* The words of a sample_id trailer in their order in memory. */
static const u64 trailer_bits[] = {
	PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER,
};

/* Return the words of a READ of one counter; the words of a group depend on the sample. */
static unsigned read_words(u64 read_format)
{
	return 1 + (unsigned)__builtin_popcountll(read_format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
								 PERF_FORMAT_TOTAL_TIME_RUNNING |
								 PERF_FORMAT_ID | READ_FORMAT_LOST));
}

static void layout__init_trailer(struct sample_layout *l, const struct perf_event_attr *attr)
{
	l->trailer = l->trailer_time = 0;
	for (size_t i = ARRAY_SIZE(trailer_bits); attr->sample_id_all && i-- > 0;) {
		l->trailer += attr->sample_type & trailer_bits[i] ? 8 : 0;
		if (attr->sample_type & trailer_bits[i] & PERF_SAMPLE_TIME)
			l->trailer_time = l->trailer;
	}
}

static void layout__init_words(struct sample_layout *l, const struct perf_event_attr *attr)
{
	l->nr_words = 0;
	for (u32 left = l->tail; left; left &= left - 1) {
		const struct sample_field *f = &sample_fields[FIELD_TAIL + __builtin_ctz(left)];

		if (!f->word || l->nr_words == ARRAY_SIZE(l->words) || attr->sample_type & PERF_SAMPLE_READ) {
			l->nr_words = 0;
			return;
		}
		l->words[l->nr_words++] = f->word;
	}
}

static void layout__init(struct sample_layout *l, const struct perf_event_attr *attr)
{
	u16 offset = HEADER_SIZE;

	for (size_t i = 0; i < FIELD_TAIL; i++) {
		const struct sample_field *f = &sample_fields[i];
		u16 *at = (u16 *)(void *)((u8 *)l + f->head - 1);

		if (!f->head)
			continue;
		*at = SAMPLE_NO_FIELD;
		if (!sample_field__is_in(f, attr))
			continue;
		*at = offset;
		offset += 8;
	}
	l->fixed_end = offset;
	l->tail = sample_fields__tail(attr->sample_type);
	layout__init_words(l, attr);
	layout__init_trailer(l, attr);
	l->callchain = SAMPLE_NO_FIELD;
	l->chain_behind_read = false;
	l->default_period = attr->sample_period;
	if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN))
		return;
	if (!(attr->sample_type & PERF_SAMPLE_READ))
		l->callchain = offset;
	else if (!(attr->read_format & PERF_FORMAT_GROUP))
		l->callchain = (u16)(offset + 8 * read_words(attr->read_format));
	else
		l->chain_behind_read = true;
}

static u16 layout__id_offset(const struct sample_layout *l)
{
	return l->identifier != SAMPLE_NO_FIELD ? l->identifier : l->id;
}

void sample_decoder__init(struct sample_decoder *d, const struct evlist *l)
{
	u16 id_offset;

	*d = (struct sample_decoder){ .evlist = l, .id_offset = SAMPLE_NO_FIELD, .same_trailers = true };
	d->layouts = xcalloc(l->evsels.nr + 1, sizeof(*d->layouts));
	for (size_t i = 0; i < l->evsels.nr; i++) {
		layout__init(&d->layouts[i], &l->evsels.v[i]->attr);
		id_offset = layout__id_offset(&d->layouts[i]);
		if (id_offset != SAMPLE_NO_FIELD)
			d->id_words |= 1u << id_offset / 8;
		d->same_trailers &= d->layouts[i].trailer == d->layouts[0].trailer &&
				    d->layouts[i].trailer_time == d->layouts[0].trailer_time;
	}
	if (l->evsels.nr)
		d->id_offset = layout__id_offset(&d->layouts[0]);
	if (l->evsels.nr == 1)
		d->only = l->evsels.v[0];
}

void sample_decoder__exit(struct sample_decoder *d)
{
	free(d->layouts);
	d->layouts = NULL;
}

static inline u64 load_u64(const u8 *base, u16 offset)
{
	u64 x;

	memcpy(&x, base + offset, sizeof(x));
	return x;
}

static inline u32 load_u32(const u8 *base, u16 offset)
{
	u32 x;

	memcpy(&x, base + offset, sizeof(x));
	return x;
}

/* Return the id at offset, or 0. */
static inline u64 record__id_at(const struct record *r, u16 offset)
{
	if (offset == SAMPLE_NO_FIELD || offset + 8u > r->header->size)
		return 0;
	return load_u64((const u8 *)r->header, offset);
}

/*
 * Find the evsel of a sample when evsels have their ids at different offsets: the right one is found by the
 * id at its own offset.
 */
static struct evsel *decoder__mixed_evsel(const struct sample_decoder *d, const struct record *r)
{
	for (u32 words = d->id_words; words; words &= words - 1) {
		u16 offset = (u16)(8 * __builtin_ctz(words));
		u64 id = record__id_at(r, offset);
		struct evsel *e = id ? evlist__by_id(d->evlist, id) : NULL;

		if (e && layout__id_offset(&d->layouts[e->idx]) == offset)
			return e;
	}
	return record__id_at(r, d->id_offset) ? NULL : d->evlist->evsels.v[0];
}

struct evsel *sample_decoder__evsel(const struct sample_decoder *d, const struct record *r)
{
	u64 id;

	if (likely(d->only))
		return d->only;
	if (!d->evlist->evsels.nr)
		return NULL;
	if (unlikely(d->id_words & (d->id_words - 1)))
		return decoder__mixed_evsel(d, r);
	id = record__id_at(r, d->id_offset);
	return id ? evlist__by_id(d->evlist, id) : d->evlist->evsels.v[0];
}

/* Decode what follows the chain. */
static void sample__tail(struct sample *s, struct cursor *c)
{
	for (u32 left = s->layout->tail; left; left &= left - 1) {
		const struct sample_field *f = &sample_fields[FIELD_TAIL + __builtin_ctz(left)];

		if (f->decode)
			f->decode(s, c);
		else
			*(u64 *)(void *)((u8 *)s + f->word) = cursor__u64(c);
	}
}

static inline u64 field_u64(const u8 *base, u16 offset)
{
	return offset == SAMPLE_NO_FIELD ? 0 : load_u64(base, offset);
}

static inline void sample__fixed(struct sample *s, const struct sample_layout *l, const u8 *base)
{
	s->ip = field_u64(base, l->ip);
	s->pid = s->tid = 0;
	if (l->tid != SAMPLE_NO_FIELD) {
		s->pid = load_u32(base, l->tid);
		s->tid = load_u32(base, l->tid + 4);
	}
	s->time = field_u64(base, l->time);
	s->addr = field_u64(base, l->addr);
	s->id = field_u64(base, l->id != SAMPLE_NO_FIELD ? l->id : l->identifier);
	s->stream_id = field_u64(base, l->stream_id);
	s->cpu = l->cpu != SAMPLE_NO_FIELD ? load_u32(base, l->cpu) : UINT32_MAX;
	s->period = l->period != SAMPLE_NO_FIELD ? load_u64(base, l->period) : l->default_period;
}

/* Decode the chain whose nr word is at offset of a record of that size. */
static inline int sample__chain(struct sample *s, const u8 *base, size_t offset, size_t size)
{
	u64 nr;

	if (unlikely(offset + 8 > size))
		return -EBADMSG;
	memcpy(&nr, base + offset, sizeof(nr));
	if (unlikely(nr > (size - offset - 8) / 8))
		return -EBADMSG;
	s->nr_callchain = nr;
	s->callchain = (const u64 *)(const void *)(base + offset + 8);
	return 0;
}

/* Decode a chain after a READ whose size only the sample has. Rare. */
static int sample__chain_behind_read(struct sample *s, const struct sample_layout *l, const u8 *base,
				     size_t size)
{
	struct cursor c = cursor__make(base, size, false);

	cursor__skip(&c, l->fixed_end);
	sample__read_counters(s, &c);
	return c.bad ? -EBADMSG : sample__chain(s, base, cursor__offset(&c), size);
}

static inline int sample__head(const struct sample_decoder *d, struct evsel *e, const struct record *r,
			       struct sample *s)
{
	const u8 *base = (const u8 *)r->header;
	const struct sample_layout *l;
	size_t size = r->header->size;

	if (unlikely(!e))
		return -ENOENT;
	l = &d->layouts[e->idx];
	if (unlikely(size < l->fixed_end))
		return -EBADMSG;
	s->evsel = e;
	s->layout = l;
	s->cpumode = r->header->misc & MISC_CPUMODE_MASK;
	sample__fixed(s, l, base);
	s->nr_callchain = 0;
	s->callchain = NULL;
	if (l->callchain != SAMPLE_NO_FIELD)
		return sample__chain(s, base, l->callchain, size);
	if (unlikely(l->chain_behind_read))
		return sample__chain_behind_read(s, l, base, size);
	return 0;
}

int sample__decode_head(const struct sample_decoder *d, const struct record *r, struct sample *s)
{
	return sample__head(d, sample_decoder__evsel(d, r), r, s);
}

/* Decode a tail of nr_words words. */
static int sample__words(const struct record *r, struct sample *s)
{
	const struct sample_layout *l = s->layout;
	const u8 *at = (const u8 *)r->header + l->fixed_end;
	size_t left = r->header->size - l->fixed_end; /* checked by sample__decode_head, as the chain */

	if (l->callchain != SAMPLE_NO_FIELD) {
		at += 8 + 8 * s->nr_callchain;
		left -= 8 + 8 * s->nr_callchain;
	}
	if (left < 8u * l->nr_words)
		return -EBADMSG;
	for (u32 i = 0; i < l->nr_words; i++, at += 8)
		memcpy((u8 *)s + l->words[i], at, 8);
	return 0;
}

int sample__decode_tail(const struct record *r, struct sample *s)
{
	struct cursor c = cursor__make(r->header, r->header->size, false);
	u64 type = s->evsel->attr.sample_type;

	mem__clear(&s->read, sizeof(*s) - offsetof(struct sample, read));
	if (likely(s->layout->nr_words))
		return sample__words(r, s);
	cursor__skip(&c, s->layout->fixed_end);
	if (type & PERF_SAMPLE_READ)
		sample__read_counters(s, &c);
	if (type & PERF_SAMPLE_CALLCHAIN)
		cursor__skip(&c, 8 + 8 * s->nr_callchain); /* checked by sample__decode_head */
	sample__tail(s, &c);
	return c.bad ? -EBADMSG : 0;
}

int sample__decode(const struct sample_decoder *d, const struct record *r, struct sample *s)
{
	int ret;

	memset(s, 0, offsetof(struct sample, read));
	ret = sample__decode_head(d, r, s);
	return ret ? ret : sample__decode_tail(r, s);
}

int sample__decode_as(const struct sample_decoder *d, struct evsel *e, const struct record *r,
		      struct sample *s)
{
	int ret;

	memset(s, 0, offsetof(struct sample, read));
	ret = sample__head(d, e, r, s);
	return ret ? ret : sample__decode_tail(r, s);
}

/* ---- sample_id ---- */

static unsigned trailer_words(u64 sample_type)
{
	u64 all = 0;

	for (size_t i = 0; i < ARRAY_SIZE(trailer_bits); i++)
		all |= trailer_bits[i];
	return (unsigned)__builtin_popcountll(sample_type & all);
}

/* Return the offset of the id in a trailer of this type, in words from the record's end; 0: it has none. */
static unsigned trailer_id_words(u64 sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(sample_type & PERF_SAMPLE_ID))
		return 0;
	return 1 + (unsigned)__builtin_popcountll(sample_type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

/* Return the evsel whose sample_type gives a record's trailer its shape. */
static const struct evsel *trailer__evsel(const struct evlist *l, const struct record *r)
{
	const struct evsel *first = l->evsels.v[0], *e;
	unsigned words = trailer_id_words(first->attr.sample_type);
	size_t size = r->header->size;
	u64 id;

	if (l->evsels.nr == 1 || !words || size < HEADER_SIZE + 8 * words)
		return first;
	memcpy(&id, (const u8 *)r->header + size - 8 * words, sizeof(id));
	e = id ? evlist__by_id(l, id) : NULL;
	return e ? e : first;
}

const struct sample_layout *sample_decoder__trailer_layout(const struct sample_decoder *d,
							   const struct record *r)
{
	return &d->layouts[trailer__evsel(d->evlist, r)->idx];
}

static bool sample_id__of_sample(const struct evlist *l, const struct record *r, struct sample_id *id)
{
	struct sample_decoder d;
	struct sample s;
	int ret;

	sample_decoder__init(&d, l);
	ret = sample__decode_head(&d, r, &s);
	if (!ret)
		*id = (struct sample_id){ s.pid,
					  s.tid,
					  s.time,
					  s.id,
					  s.stream_id,
					  s.cpu == UINT32_MAX ? 0 : s.cpu,
					  s.layout->time != SAMPLE_NO_FIELD };
	sample_decoder__exit(&d);
	return !ret;
}

bool sample_id__decode(const struct evlist *l, const struct record *r, struct sample_id *id)
{
	const struct evsel *e;
	struct cursor c;
	size_t size;
	u64 type;

	*id = (struct sample_id){ 0 };
	if (!l->evsels.nr || r->header->type >= RECORD_HEADER_ATTR)
		return false;
	if (r->header->type == PERF_RECORD_SAMPLE)
		return sample_id__of_sample(l, r, id);
	e = trailer__evsel(l, r);
	if (!e->attr.sample_id_all)
		return false;
	type = e->attr.sample_type;
	size = 8 * trailer_words(type);
	if (!size || r->header->size < HEADER_SIZE + size)
		return false;
	c = cursor__make((const u8 *)r->header + r->header->size - size, size, false);
	if (type & PERF_SAMPLE_TID) {
		id->pid = cursor__u32(&c);
		id->tid = cursor__u32(&c);
	}
	if (type & PERF_SAMPLE_TIME) {
		id->time = cursor__u64(&c);
		id->time_known = true;
	}
	if (type & PERF_SAMPLE_ID)
		id->id = cursor__u64(&c);
	if (type & PERF_SAMPLE_STREAM_ID)
		id->stream_id = cursor__u64(&c);
	if (type & PERF_SAMPLE_CPU) {
		id->cpu = cursor__u32(&c);
		cursor__skip(&c, 4);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = cursor__u64(&c);
	return true;
}

u8 callchain__cpumode(u64 mark)
{
	switch (mark) {
	case PERF_CONTEXT_HV:
		return PERF_RECORD_MISC_HYPERVISOR;
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	}
	return CPUMODE_UNKNOWN;
}
