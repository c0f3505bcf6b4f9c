#include "binary/tables/cfi_spans.h"

#include "base/message/bug.h"

#include <string.h>

void cfi_spans__exit(struct cfi_spans *s)
{
	for (size_t i = 0; i < s->pages.nr; i++)
		free(s->pages.v[i].v);
	array__exit(&s->pages);
	hash_table__exit(&s->by_number);
}

static struct cfi_spans_page *cfi_spans__page(const struct cfi_spans *s, u64 number)
{
	u32 i;

	hash_table__for_each (&s->by_number, hash__u64(number), i)
		if (s->pages.v[i].number == number)
			return &s->pages.v[i];
	return NULL;
}

/* Return the index of the first span that does not end before at. */
static u32 lower_bound(const struct cfi_spans_page *p, u16 at)
{
	return bisect(i, 0, (u32)p->nr, p->v[i].last < at);
}

bool cfi_spans__find(const struct cfi_spans *s, u64 addr, u32 *row)
{
	const struct cfi_spans_page *p = cfi_spans__page(s, addr / CFI_SPANS_PAGE);
	u16 at = addr % CFI_SPANS_PAGE;
	u32 i;

	if (!p)
		return false;
	i = lower_bound(p, at);
	if (i == p->nr || p->v[i].low > at)
		return false;
	*row = p->v[i].row;
	return true;
}

static void insert(struct cfi_spans_page *p, u32 i, const struct cfi_span *span)
{
	/* sorted, not overlapping */
	if (BUG_UNLESS((!i || p->v[i - 1].last < span->low) && span->low <= span->last &&
			       (i == p->nr || span->last < p->v[i].low),
		       "%u to %u at %u of %u", span->low, span->last, i, p->nr))
		return;
	if (p->nr == p->alloc) {
		p->alloc += p->alloc / 4 + 4;
		p->v = xreallocarray(p->v, p->alloc, sizeof(*p->v));
	}
	memmove(p->v + i + 1, p->v + i, (p->nr - i) * sizeof(*p->v));
	p->v[i] = *span;
	p->nr++;
}

void cfi_spans__add(struct cfi_spans *s, u64 addr, u64 end, u32 row)
{
	u64 number = addr / CFI_SPANS_PAGE, start = number * CFI_SPANS_PAGE;
	struct cfi_spans_page *p = cfi_spans__page(s, number);
	struct cfi_span span = { .low = addr % CFI_SPANS_PAGE, .last = CFI_SPANS_PAGE - 1, .row = row };
	u32 i;

	if (!p) {
		hash_table__insert(&s->by_number, hash__u64(number), (u32)s->pages.nr);
		p = array__push(&s->pages);
		*p = (struct cfi_spans_page){ .number = number };
	}
	if (end <= addr)
		span.last = span.low;
	else if (end - start < CFI_SPANS_PAGE)
		span.last = (u16)(end - start - 1);
	i = lower_bound(p, span.low);
	if (i < p->nr && p->v[i].last == span.last && p->v[i].row == row) {
		p->v[i].low = span.low;
		return;
	}
	if (i < p->nr && p->v[i].low <= span.last) /* the CFI contradicts itself */
		span.last = p->v[i].low - 1;
	if (i && p->v[i - 1].row == row && p->v[i - 1].last + 1 == span.low)
		p->v[i - 1].last = span.last;
	else
		insert(p, i, &span);
}

u64 cfi_spans__bytes(const struct cfi_spans *s)
{
	u64 bytes = s->pages.alloc * sizeof(*s->pages.v);

	if (s->by_number.slots)
		bytes += (s->by_number.mask + 1ull) * sizeof(*s->by_number.slots);
	for (size_t i = 0; i < s->pages.nr; i++)
		bytes += s->pages.v[i].alloc * sizeof(*s->pages.v[i].v);
	return bytes;
}
