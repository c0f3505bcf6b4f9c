#include "live/ring.h"

#include "base/memory/array.h"
#include "base/memory/mem.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* One page of struct perf_event_mmap_page, then the data. */
static int map_ring(struct ring *r, int fd, int cpu, u32 pages, int prot)
{
	size_t page = mem__page_size(), size = (size_t)pages * page;
	void *base;

	*r = (struct ring){ .fd = fd, .cpu = cpu };
	if (!pages || (pages & (pages - 1)))
		return -EINVAL;
	base = mmap(NULL, page + size, prot, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (base == MAP_FAILED)
		return -errno;
	r->base = base;
	r->size = size;
	r->mask = size - 1;
	return 0;
}

int ring__map(struct ring *r, int fd, int cpu, u32 pages)
{
	return map_ring(r, fd, cpu, pages, PROT_READ | PROT_WRITE);
}

int ring__map_backward(struct ring *r, int fd, int cpu, u32 pages)
{
	return map_ring(r, fd, cpu, pages, PROT_READ);
}

const u8 *ring__data(const struct ring *r)
{
	return (const u8 *)r->base + mem__page_size();
}

/* ---- ids of counters that were opened anew ---- */

struct renamed_id {
	u64 from, to;
};

/* ids that became one: the records of older counters have been taken from the ring */
enum { IDS_KEPT = 16 };

struct ring_ids {
	pthread_mutex_t lock;
	ARRAY(struct renamed_id) v;
};

static void drop_oldest(struct ring_ids *ids, u64 to)
{
	size_t nr = 0, oldest = 0;

	for (size_t i = ids->v.nr; i-- > 0;) {
		if (ids->v.v[i].to != to)
			continue;
		nr++;
		oldest = i;
	}
	if (nr < IDS_KEPT)
		return;
	ids->v.nr--;
	memmove(ids->v.v + oldest, ids->v.v + oldest + 1, (ids->v.nr - oldest) * sizeof(*ids->v.v));
}

void ring__rename_id(struct ring *r, u64 from, u64 to)
{
	struct ring_ids *ids = r->ids;

	if (!ids) {
		ids = xcalloc(1, sizeof(*ids));
		pthread_mutex_init(&ids->lock, NULL);
	}
	pthread_mutex_lock(&ids->lock);
	drop_oldest(ids, to);
	array__add(&ids->v, ((struct renamed_id){ from, to }));
	pthread_mutex_unlock(&ids->lock);
	__atomic_store_n(&r->ids, ids, __ATOMIC_RELEASE);
}

static void rename_word(const struct ring_ids *ids, u8 *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	for (size_t i = 0; i < ids->v.nr; i++)
		if (ids->v.v[i].from == word)
			memcpy(at, &ids->v.v[i].to, sizeof(word));
}

/*
 * The id is the first word of a sample and the last one of other records; LOST records have it in both
 * places.
 */
static void rename_ids(const struct ring_ids *ids, u8 *records, size_t size)
{
	struct perf_event_header h;

	for (size_t at = 0; size - at >= 2 * sizeof(h); at += h.size) {
		memcpy(&h, records + at, sizeof(h));
		if (h.size < 2 * sizeof(h) || h.size % 8 || h.size > size - at)
			break;
		if (h.type == PERF_RECORD_SAMPLE || h.type == PERF_RECORD_LOST)
			rename_word(ids, records + at + sizeof(h));
		if (h.type != PERF_RECORD_SAMPLE)
			rename_word(ids, records + at + h.size - sizeof(u64));
	}
}

u64 ring__present_id(const struct ring *r, u64 id)
{
	struct ring_ids *ids = __atomic_load_n(&r->ids, __ATOMIC_ACQUIRE);

	if (!ids)
		return id;
	pthread_mutex_lock(&ids->lock);
	rename_word(ids, (u8 *)&id);
	pthread_mutex_unlock(&ids->lock);
	return id;
}

void ring__rename_ids_in(const struct ring *r, void *records, size_t size)
{
	struct ring_ids *ids = __atomic_load_n(&r->ids, __ATOMIC_ACQUIRE);

	if (!ids)
		return;
	pthread_mutex_lock(&ids->lock);
	rename_ids(ids, records, size);
	pthread_mutex_unlock(&ids->lock);
}

/* ---- the ring ---- */

void ring__unmap(struct ring *r)
{
	if (r->ids)
		array__exit(&r->ids->v);
	free(r->ids);
	if (r->base)
		munmap(r->base, mem__page_size() + r->size);
	*r = (struct ring){ .fd = -1, .cpu = -1 };
}

/* The parts from ring__begin to ring__end. */
static int ring__parts(const struct ring *r, struct ring_part part[2])
{
	const u8 *data = ring__data(r);
	u64 at = r->tail & r->mask, size = r->head - r->tail;

	if (!r->base || !size)
		return 0;
	part[0] = (struct ring_part){ .data = data + at, .size = MIN(size, r->size - at) };
	if (part[0].size == size)
		return 1;
	part[1] = (struct ring_part){ .data = data, .size = size - part[0].size };
	return 2;
}

/*
 * The kernel stores data_head after it has written the records; our acquire load pairs with that. Our
 * release store to data_tail pairs with the kernel's check for room: it sees the tail only after our reads
 * are done.
 */
int ring__begin(struct ring *r, struct ring_part part[2])
{
	struct perf_event_mmap_page *control = r->base;

	if (!control)
		return 0;
	r->head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	return ring__parts(r, part);
}

void ring__give_back(struct ring *r, u64 size)
{
	struct perf_event_mmap_page *control = r->base;

	if (!control)
		return;
	__atomic_store_n(&r->tail, r->tail + size, __ATOMIC_RELEASE);
	__atomic_store_n(&control->data_tail, r->tail, __ATOMIC_RELEASE);
}

bool ring__take(struct ring *r, struct strbuf *out)
{
	struct ring_part part[2];
	int nr = ring__parts(r, part);

	strbuf__reset(out);
	for (int i = 0; i < nr; i++)
		strbuf__add(out, part[i].data, part[i].size);
	ring__rename_ids_in(r, out->buf, out->len);
	if (nr)
		ring__end(r);
	return nr > 0;
}

void ring__end(struct ring *r)
{
	ring__give_back(r, r->head - r->tail);
}

u64 ring__ready(const struct ring *r)
{
	const struct perf_event_mmap_page *control = r->base;
	u64 tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE); /* first: the head is never before it */

	return control ? __atomic_load_n(&control->data_head, __ATOMIC_RELAXED) - tail : 0;
}

unsigned ring__fill(const struct ring *r)
{
	return r->size ? (unsigned)(ring__ready(r) * 64 / r->size) : 0;
}

/* ---- record by record ---- */

void ring_cursor__init(struct ring_cursor *c, const struct ring *ring, u8 *joined)
{
	*c = (struct ring_cursor){ .ring = ring, .joined = joined };
	c->nr = ring__parts(ring, c->part);
}

/* The ring cannot be written to: a record whose id may change is copied. */
static const struct perf_event_header *with_ids(struct ring_cursor *c, const void *record, size_t size)
{
	if (c->keeps_ids || !__atomic_load_n(&c->ring->ids, __ATOMIC_ACQUIRE))
		return record;
	memcpy(c->joined, record, size);
	ring__rename_ids_in(c->ring, c->joined, size);
	return (const void *)c->joined;
}

const struct perf_event_header *ring_cursor__next(struct ring_cursor *c)
{
	const struct perf_event_header *h;
	u64 left;

	if (c->i < c->nr && c->at == c->part[c->i].size) {
		c->i++;
		c->at = 0;
	}
	if (c->i >= c->nr)
		return NULL;
	left = c->part[c->i].size - c->at;
	if (left < sizeof(*h)) /* impossible: records are multiples of 8 bytes */
		return NULL;
	h = (const void *)((const u8 *)c->part[c->i].data + c->at);
	if (h->size < sizeof(*h))
		return NULL;
	if (h->size <= left) {
		c->at += h->size;
		c->passed += h->size;
		return with_ids(c, h, h->size);
	}
	if (c->i + 1 >= c->nr || h->size - left > c->part[c->i + 1].size)
		return NULL;
	memcpy(c->joined, h, left);
	memcpy(c->joined + left, c->part[c->i + 1].data, h->size - left);
	c->at = h->size - left;
	c->passed += h->size;
	c->i++;
	if (!c->keeps_ids)
		ring__rename_ids_in(c->ring, c->joined, h->size);
	return (const void *)c->joined;
}
