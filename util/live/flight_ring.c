#include "live/flight_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>

static u64 flight_ring__head(const struct ring *r)
{
	const struct perf_event_mmap_page *control = r->base;

	return __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
}

/* Copy from head to the records of the previous call (r->tail), or to the size of the ring. */
static void flight_ring__copy(const struct ring *r, struct strbuf *out)
{
	const u8 *data = ring__data(r);
	u64 size = MIN(r->tail - r->head, r->size), at = r->head & r->mask, first = MIN(size, r->size - at);

	strbuf__grow(out, size);
	strbuf__add(out, data + at, first);
	strbuf__add(out, data, size - first);
}

size_t flight_ring__order(const void *data, size_t size, struct strbuf *out)
{
	const u8 *bytes = data;
	struct perf_event_header h;
	size_t whole = 0, to;

	while (size - whole >= sizeof(h)) {
		memcpy(&h, bytes + whole, sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 || h.size > size - whole)
			break;
		whole += h.size;
	}
	strbuf__grow(out, whole);
	to = out->len + whole;
	strbuf__setlen(out, to);
	for (size_t from = 0; from < whole; from += h.size) {
		memcpy(&h, bytes + from, sizeof(h));
		to -= h.size;
		memcpy(out->buf + to, bytes + from, h.size);
	}
	return whole;
}

int flight_ring__take(struct ring *r, struct strbuf *scratch, struct strbuf *out)
{
	u64 size;
	int ret;

	if (!r->base)
		return 0;
	if (ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1))
		return -errno;
	strbuf__reset(scratch);
	r->head = flight_ring__head(r);
	flight_ring__copy(r, scratch);
	/*
	 * A writer that began before the pause may have finished since and overwritten the oldest records.
	 */
	size = r->head - flight_ring__head(r);
	size = size < r->size ? r->size - size : 0;
	ret = ioctl(r->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0) ? -errno : 0;
	ring__rename_ids_in(r, scratch->buf, MIN(scratch->len, size));
	flight_ring__order(scratch->buf, MIN(scratch->len, size), out);
	r->tail = r->head;
	return ret;
}
