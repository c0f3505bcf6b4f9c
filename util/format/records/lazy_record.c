#include "format/records/lazy_record.h"

void lazy_record__init(struct lazy_record *r, const struct sample_decoder *d)
{
	*r = (struct lazy_record){ .decoder = d };
}

void lazy_record__replace(struct lazy_record *r, struct perf_event_header *h, const struct sample *s)
{
	r->header = h;
	r->evsel = r->decoder->evlist->evsels.v[s->evsel->idx];
	r->id = (struct sample_id){ .pid = s->pid,
				    .tid = s->tid,
				    .time = s->time,
				    .time_known = r->evsel->attr.sample_type & PERF_SAMPLE_TIME };
	r->has_evsel = r->has_id = r->id_known = true;
}

static inline const struct evsel *lazy_record__sample_evsel(struct lazy_record *r)
{
	const struct sample_decoder *d = r->decoder;
	size_t slot;
	u64 id;

	if (d->only)
		return d->only;
	/* ids at different offsets, or none */
	if (d->id_words & (d->id_words - 1) || d->id_offset + sizeof(id) > r->header->size)
		return sample_decoder__evsel(d, &(struct record){ .header = r->header });
	memcpy(&id, (const u8 *)r->header + d->id_offset, sizeof(id));
	slot = id % LAZY_RECORD_EVSELS;
	if (unlikely(!id || r->recent[slot].id != id)) {
		r->recent[slot].evsel = sample_decoder__evsel(d, &(struct record){ .header = r->header });
		r->recent[slot].id = id;
	}
	return r->recent[slot].evsel;
}

void lazy_record__find_evsel(struct lazy_record *r)
{
	r->has_evsel = true;
	if (r->header->type == PERF_RECORD_SAMPLE)
		r->evsel = lazy_record__sample_evsel(r);
	else
		r->evsel = lazy_record__id(r) ? evlist__by_id(r->decoder->evlist, r->id.id) : NULL;
}

static bool lazy_record__decode_sample_id(struct lazy_record *r)
{
	const u8 *data = (const u8 *)r->header;
	const struct sample_layout *l;

	r->evsel = lazy_record__sample_evsel(r);
	r->has_evsel = true;
	if (!r->evsel)
		return false;
	l = &r->decoder->layouts[r->evsel->idx];
	if (r->header->size < l->fixed_end)
		return false;
	if (l->tid != SAMPLE_NO_FIELD) {
		memcpy(&r->id.pid, data + l->tid, sizeof(r->id.pid));
		memcpy(&r->id.tid, data + l->tid + sizeof(r->id.pid), sizeof(r->id.tid));
	} else {
		r->id.pid = r->id.tid = 0;
	}
	r->id.time_known = l->time != SAMPLE_NO_FIELD;
	r->id.time = 0;
	if (r->id.time_known)
		memcpy(&r->id.time, data + l->time, sizeof(r->id.time));
	return true;
}

void lazy_record__decode_id(struct lazy_record *r)
{
	r->has_id = true;
	r->id_known = r->header->type == PERF_RECORD_SAMPLE
			      ? lazy_record__decode_sample_id(r)
			      : sample_id__decode(r->decoder->evlist, &(struct record){ .header = r->header },
						  &r->id);
}
