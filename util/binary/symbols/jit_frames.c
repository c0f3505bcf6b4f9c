#include "binary/symbols/jit_frames.h"

#include "base/memory/mem.h"
#include "base/system/file.h"

#include <stdlib.h>
#include <string.h>

enum {
	PIECES_MAX = 1 << 16, /* 3 MB; more pieces are ignored */
	RECENT_MAX = 256,     /* pieces that are inserted one by one */
};

void jit_frames__exit(struct jit_frames *f)
{
	f->recent.nr = 0;
	jit_frames__forget(f, 0);
	array__exit(&f->v);
	array__exit(&f->recent);
	array__exit(&f->retired);
}

/* Insert a piece among the recent ones in place of those that it overlaps. None of them is opened yet. */
static void insert_recent(jit_piece_array *a, const struct jit_piece *p)
{
	size_t first = bisect(i, 0, a->nr, a->v[i].end <= p->start), after = first;

	while (after < a->nr && a->v[after].start < p->end)
		after++;
	array__reserve(a, a->nr + 1);
	memmove(a->v + first + 1, a->v + after, (a->nr - after) * sizeof(*a->v));
	a->v[first] = *p;
	a->nr = a->nr - (after - first) + 1;
}

/* Merge the recent pieces into the others, and drop those that they overlap. */
static void merge_recent(struct jit_frames *f)
{
	jit_piece_array all = { 0 };
	size_t k = 0;

	array__reserve(&all, f->v.nr + f->recent.nr);
	for (size_t i = 0; i < f->v.nr; i++) {
		const struct jit_piece *old = &f->v.v[i];

		for (; k < f->recent.nr && f->recent.v[k].end <= old->start; k++)
			if (f->recent.v[k].size)
				array__add(&all, f->recent.v[k]);
		if (k == f->recent.nr || f->recent.v[k].start >= old->end) {
			array__add(&all, *old);
			continue;
		}
		f->changed = true;
		if (old->cfi)
			array__add(&f->retired, old->cfi);
	}
	for (; k < f->recent.nr; k++)
		if (f->recent.v[k].size)
			array__add(&all, f->recent.v[k]);
	f->recent.nr = 0;
	array__exit(&f->v);
	f->v = all;
}

void jit_frames__add(struct jit_frames *f, const struct jit_piece *p)
{
	if (p->end <= p->start || (p->size && f->v.nr >= PIECES_MAX))
		return;
	insert_recent(&f->recent, p);
	f->changed |= p->size != 0;
	if (f->recent.nr == RECENT_MAX)
		merge_recent(f);
}

void jit_frames__add_code(struct jit_frames *f, const struct jitdump_code *c, u64 addr)
{
	jit_frames__add(f, &(struct jit_piece){
				   .start = addr,
				   .end = addr + c->size,
				   .at = c->frames_offset,
				   .addr = jitdump__frames_addr(addr, c->size),
				   .size = c->frames_size > JIT_FRAMES_MAX ? 0 : (u32)c->frames_size,
			   });
}

bool jit_frames__update(struct jit_frames *f)
{
	bool changed;

	if (f->recent.nr)
		merge_recent(f);
	changed = f->changed;
	f->changed = false;
	return changed;
}

static void jit_piece__open(struct jit_piece *p, u16 machine, int fd)
{
	void *frames = xmalloc(p->size);

	if (file__pread_all(fd, frames, p->size, p->at) == (ssize_t)p->size)
		cfi__open_frames(&p->cfi, machine, p->addr, frames, p->size, NULL);
	free(frames);
	p->is_opened = true;
}

struct cfi *jit_frames__find(struct jit_frames *f, u64 addr, int fd)
{
	size_t i = bisect(k, 0, f->v.nr, f->v.v[k].end <= addr);
	struct jit_piece *p;

	if (i == f->v.nr || addr < f->v.v[i].start)
		return NULL;
	p = &f->v.v[i];
	if (!p->is_opened)
		jit_piece__open(p, f->machine, fd);
	return p->cfi;
}

bool jit_frames__forget(struct jit_frames *f, size_t max)
{
	bool any = f->retired.nr;
	size_t nr = 0;

	for (size_t i = 0; i < f->retired.nr; i++)
		cfi__delete(f->retired.v[i]);
	f->retired.nr = 0;
	for (size_t i = 0; i < f->v.nr; i++)
		nr += f->v.v[i].cfi != NULL;
	for (size_t i = 0; nr > max && i < f->v.nr; i++) {
		cfi__delete(f->v.v[i].cfi);
		f->v.v[i].cfi = NULL;
		f->v.v[i].is_opened = false;
	}
	return any || nr > max;
}
