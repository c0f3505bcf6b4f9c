/* Vendors' event names, by libpfm4. */
#include "event/parse/parse_private.h"

#include "event/pmu/pfm.h"

#include <errno.h>
#include <string.h>

static void parser__add_encoded(struct parser *ps, const struct perf_event_attr *encoded)
{
	struct evsel *e = parser__add(ps, 0, 0);
	u32 size = e->attr.size;

	e->attr = *encoded;
	e->attr.size = size;
	e->request->own_freq = encoded->freq;
	e->request->own_period = !encoded->freq && encoded->sample_period;
}

int parser__pfm(struct parser *ps)
{
	struct word w = { ps->p, strcspn(ps->p, ",{} \t\n") };
	char *text = word__dup(w);
	struct perf_event_attr attr;
	struct err err = ERR_INIT;
	int ret = w.len ? pfm__encode(text, !ps->pfm_only, &attr, &err) : -ENOENT;

	free(text);
	if (!ret) {
		parser__add_encoded(ps, &attr);
		ps->p = w.p + w.len;
	} else if (ret == -EINVAL) {
		parser__fail(ps, w, "libpfm4 rejects the text after the name (%s) in", err.text.buf);
	} else {
		ret = -ENOENT;
	}
	err__exit(&err);
	return ret;
}
