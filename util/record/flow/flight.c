#include "record/flow/flight.h"

#include "live/flight_ring.h"

void flight__exit(struct flight *f)
{
	strbuf__exit(&f->copy);
	strbuf__exit(&f->ordered);
}

int flight__take(struct flight *f, struct counters *c, struct intake *in)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < c->flight_rings.nr; i++) {
		strbuf__reset(&f->ordered);
		ret = flight_ring__take(&c->flight_rings.v[i], &f->copy, &f->ordered);
		if (!ret)
			ret = intake__take(in, f->ordered.buf, f->ordered.len);
	}
	return ret;
}
