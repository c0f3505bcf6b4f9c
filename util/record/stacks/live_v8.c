#include "record/stacks/live_v8.h"

#include "base/memory/hash.h"
#include "base/text/path_name.h"
#include "binary/symbols/jitdump_write.h"
#include "record/v8/v8_code.h"
#include "record/v8/v8_function.h"
#include "unwind/runtime.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	NODES_MAX = 256,       /* processes with code without rows; others are ignored */
	READS_MAX = 4096,      /* of memory in a round, a page each: 4 ms, about */
	ROUND_BYTES = 8 << 20, /* of code and sources that are read in a round */
	PIECES_MAX = 1 << 18,  /* of all processes; 50 MB */
	HEAD_BYTES = 64,       /* of bytecodes, which tell them apart */
	BASES_MAX = 16,        /* addresses where a binary may begin */
	TRIES_MAX = 3,
};

/* A piece of compiled code, or the bytecodes of a function. */
struct v8_piece {
	u64 begin, end; /* pieces do not overlap */
	u64 since;      /* ns, from when on it is there */
	u64 checked;    /* round */
	char *name;     /* NULL: not known yet; owned */
	bool is_stored; /* the jitdump has the name */
	u32 nr_files;   /* of names, when it was last given to a file; from 1 on */
	/* compiled code; head 0: bytecodes */
	struct v8_code code;
	u64 shared, hash; /* object; of the first bytecodes */
};

struct live_node {
	u32 pid;
	u32 rounds_left; /* after the end; 0: the process runs */
	u64 space_since; /* tells the programs of a process apart */
	u64 space_state; /* in which there was no V8 */
	u64 since;       /* ns, when V8 was mapped */
	u32 nr_tries;    /* that reading the layout took more than there was room for */
	u32 binary;      /* that has V8 */
	bool is_known;   /* layout is set */
	struct v8_layout layout;
	struct v8_lines lines;
	ARRAY(struct v8_piece) pieces; /* by begin */
	struct jitdump_out dump;
};

static void live_node__delete(struct live_v8 *h, struct live_node *n)
{
	h->nr_pieces -= n->pieces.nr;
	for (size_t i = 0; i < n->pieces.nr; i++)
		free(n->pieces.v[i].name);
	array__exit(&n->pieces);
	v8_lines__exit(&n->lines);
	free(n);
}

void live_v8__init(struct live_v8 *h, struct kept_files *kept, bool in_records)
{
	*h = (struct live_v8){ .round = 0 };
	code_names__init(&h->names, JITDUMP_MADE_BY_NODE, kept, in_records);
}

void live_v8__exit(struct live_v8 *h)
{
	for (size_t i = 0; i < h->v.nr; i++)
		live_node__delete(h, h->v.v[i]);
	array__exit(&h->v);
	free(h->pages.pages);
	vm_process__exit(&h->process);
	code_names__exit(&h->names);
}

/* ---- memory ---- */

struct node_reading {
	struct live_v8 *h;
	struct live_node *node;
	struct vm_memory memory; /* by pages */
	struct vm_memory bytes;  /* without */
	struct v8_heap heap;
};

static bool read_bytes(struct live_v8 *h, u64 addr, void *data, size_t size)
{
	if (vm_process__read(&h->process, (u32)h->pages.space, h->round, addr, data, size))
		return true;
	if (errno == EAGAIN) /* not in this round */
		h->left = 0;
	return false;
}

static bool read_page(void *ctx, u64 addr, void *data, size_t size)
{
	struct live_v8 *h = ctx;

	if (!h->left)
		return false;
	h->left--;
	return read_bytes(h, addr, data, size);
}

/* By pages. What cannot be read is noted: a name that lacks a part would be a wrong one. */
static bool read_object(void *ctx, u64 addr, void *data, size_t size)
{
	struct live_v8 *h = ctx;
	bool done = vm_pages__read(&h->pages, addr, data, size);

	h->has_failed |= !done;
	return done;
}

static bool read_much(void *ctx, u64 addr, void *data, size_t size)
{
	struct live_v8 *h = ctx;

	if (h->bytes_left < size)
		return false;
	h->bytes_left -= size;
	return read_bytes(h, addr, data, size);
}

/* Prepare to read the memory of a process. r must stay where it is. */
static void begin_reading(struct node_reading *r, struct live_v8 *h, struct live_node *n)
{
	h->pages.below = (struct vm_memory){ .read = read_page, .ctx = h };
	h->pages.space = n->pid;
	h->pages.round = h->round;
	*r = (struct node_reading){ .h = h,
				    .node = n,
				    .memory = { .read = read_object, .ctx = h },
				    .bytes = { .read = read_much, .ctx = h } };
	r->heap = (struct v8_heap){ .l = &n->layout, .m = &r->memory };
	n->lines.m = &r->bytes;
}

/* ---- processes ---- */

/* May the binary have V8? Node.js, alone or with V8 in a library. */
static bool is_node(const struct vm_owner *o, u32 binary)
{
	const char *name = binary ? path__name(live_binaries__name(o->binaries, binary)) : "";

	return !strncmp(name, "node", 4) || !strncmp(name, "libnode.so", 10);
}

/*
 * Find the binary with V8, and its layout. V8 maps a part of the binary again near its compiled code, below
 * or above it, so each map may be the one that tells where the binary begins.
 */
static bool live_node__read_layout(struct live_node *n, struct live_v8 *h, const struct vm_owner *o)
{
	const struct live_space *s = o->space;
	struct node_reading r;
	unsigned nr_tries = 0;
	u64 tried = 0;

	begin_reading(&r, h, n);
	for (size_t i = 0; i < s->maps.nr + s->recent.nr && nr_tries < BASES_MAX; i++) {
		const struct live_map *m = i < s->maps.nr ? &s->maps.v[i] : &s->recent.v[i - s->maps.nr];
		u64 base = m->start - m->pgoff;

		if (m->start < m->pgoff || base == tried || !is_node(o, m->binary))
			continue;
		tried = base;
		nr_tries++;
		if (v8_layout__read(&n->layout, &r.memory, base))
			continue;
		n->binary = m->binary;
		n->since = m->since;
		return true;
	}
	return false;
}

static struct live_node *live_v8__find(struct live_v8 *h, const struct vm_owner *o)
{
	for (size_t i = h->v.nr; i-- > 0;)
		if (h->v.v[i]->pid == o->pid && h->v.v[i]->space_since == o->space->since)
			return h->v.v[i];
	return NULL;
}

/*
 * Find a process to drop for another one: the first in which no V8 was found, or else the first that has
 * ended. Return NODES_MAX if there is none.
 */
static size_t live_v8__victim(const struct live_v8 *h)
{
	size_t ended = NODES_MAX;

	for (size_t i = h->v.nr; i-- > 0;)
		if (h->v.v[i]->rounds_left)
			ended = i;
	for (size_t i = 0; i < h->v.nr; i++)
		if (!h->v.v[i]->is_known)
			return i;
	return ended;
}

/* Add the process, unless there are too many, or it has no memory to read any more. Return it, or NULL. */
static struct live_node *live_v8__add(struct live_v8 *h, const struct vm_owner *o)
{
	struct live_node *n;
	size_t victim;

	if (o->has_ended)
		return NULL;
	if (h->v.nr >= NODES_MAX) {
		victim = live_v8__victim(h);
		if (victim == NODES_MAX)
			return NULL;
		live_node__delete(h, h->v.v[victim]);
		h->v.nr--;
		memmove(h->v.v + victim, h->v.v + victim + 1, (h->v.nr - victim) * sizeof(*h->v.v));
	}
	n = xcalloc(1, sizeof(*n));
	*n = (struct live_node){ .pid = o->pid, .space_since = o->space->since, .dump.fd = -1 };
	array__add(&h->v, n);
	return n;
}

/* Return the process if it has V8, or NULL. */
static struct live_node *live_v8__node(struct live_v8 *h, const struct vm_owner *o)
{
	struct live_node *n = live_v8__find(h, o);

	if (!code_names__are_wanted(&h->names))
		return NULL;
	n = n ? n : live_v8__add(h, o);
	if (!n || n->is_known || n->space_state == o->space->id)
		return n && n->is_known ? n : NULL;
	if (!h->left)
		return NULL;
	n->space_state = o->space->id;
	n->is_known = live_node__read_layout(n, h, o);
	if (!n->is_known && !h->left && ++n->nr_tries < TRIES_MAX)
		n->space_state = 0; /* there was no room for all of it in this round */
	return n->is_known ? n : NULL;
}

enum java_kind live_v8__kind(struct live_v8 *h, const struct vm_owner *o, u32 binary)
{
	const char *name = binary ? live_binaries__name(o->binaries, binary) : "";
	const struct live_node *n = live_v8__node(h, o);

	if (!n)
		return JAVA_NONE;
	if (binary == n->binary)
		return V8_BUILTIN;
	return !binary || *name == '[' || runtime__is_memory(name) ? V8_COMPILED : JAVA_NONE;
}

void live_v8__see(struct live_v8 *h, const struct record *r)
{
	u32 pid = h->v.nr ? record__ended_program(r) : 0;

	for (size_t i = 0; pid && i < h->v.nr; i++)
		if (h->v.v[i]->pid == pid && !h->v.v[i]->rounds_left)
			h->v.v[i]->rounds_left = ROUNDS_LEFT;
}

void live_v8__begin_round(struct live_v8 *h)
{
	size_t nr = 0;

	h->round++;
	h->before = h->newest;
	h->left = READS_MAX;
	h->bytes_left = ROUND_BYTES;
	for (size_t i = 0; i < h->v.nr; i++) {
		struct live_node *n = h->v.v[i];

		if (rounds_left__end(&n->rounds_left, n->pid)) {
			live_node__delete(h, n);
			continue;
		}
		h->v.v[nr++] = n;
	}
	h->v.nr = nr;
}

/* ---- jitdumps ---- */

static struct named_code live_node__named(const struct node_reading *r, const struct v8_piece *p,
					  const char *name)
{
	return (struct named_code){ r->node->pid, p->since, p->begin, p->end - p->begin, name };
}

/*
 * Append the piece to the jitdump: from a time on it is there. A later load of the same counts. Return
 * whether there was room.
 */
static bool live_node__add_load(const struct node_reading *r, const struct v8_piece *p, const char *name)
{
	const struct named_code c = live_node__named(r, p, name);
	void *code = NULL;
	bool done;

	if (p->code.head && code_names__has_room(&r->h->names, &r->node->dump, c.size)) {
		code = xmalloc(c.size);
		if (!vm_memory__read(&r->bytes, c.addr, code, c.size)) {
			free(code);
			code = NULL;
		}
	}
	done = code_names__store(&r->h->names, &r->node->dump, r->node->since, &c, code);
	free(code);
	return done;
}

static void live_node__set_name(const struct node_reading *r, struct v8_piece *p, const char *name)
{
	p->name = xstrdup(name);
	p->is_stored = live_node__add_load(r, p, name);
}

/* Give the name of a piece to the current file, unless the jitdump has it. */
static void live_node__note_use(const struct node_reading *r, struct v8_piece *p)
{
	const struct named_code code = live_node__named(r, p, p->name);

	if (p->name && !p->is_stored)
		code_names__use(&r->h->names, &code, &p->nr_files);
}

void live_v8__announce(struct live_v8 *h, const struct evlist *l, struct strbuf *out)
{
	code_names__announce(&h->names, l, out);
}

/* ---- pieces ---- */

static struct v8_piece *live_node__piece_at(struct live_node *n, u64 addr)
{
	size_t i = bisect(k, 0, n->pieces.nr, n->pieces.v[k].end <= addr);

	return i < n->pieces.nr && n->pieces.v[i].begin <= addr ? &n->pieces.v[i] : NULL;
}

/* May the process have no more pieces? Each may take half of what the others leave. */
static bool live_node__is_full(const struct live_node *n, const struct live_v8 *h)
{
	return n->pieces.nr + h->nr_pieces >= PIECES_MAX;
}

/*
 * Put a piece in place of those that it overlaps. Return it, or NULL if there are too many. If it replaces
 * another one, that one was looked at in an earlier round, so it has the samples up to then.
 */
static struct v8_piece *live_node__add(const struct node_reading *r, struct v8_piece *new)
{
	struct live_node *n = r->node;
	struct live_v8 *h = r->h;
	size_t first = bisect(k, 0, n->pieces.nr, n->pieces.v[k].end <= new->begin), after = first;

	while (after < n->pieces.nr && n->pieces.v[after].begin < new->end)
		free(n->pieces.v[after++].name);
	if (after == first && live_node__is_full(n, h))
		return NULL;
	new->since = after > first ? MAX(n->since, h->before + 1) : n->since;
	array__reserve(&n->pieces, n->pieces.nr + 1);
	memmove(n->pieces.v + first + 1, n->pieces.v + after, (n->pieces.nr - after) * sizeof(*new));
	n->pieces.v[first] = *new;
	n->pieces.nr = n->pieces.nr - (after - first) + 1;
	h->nr_pieces = h->nr_pieces - (after - first) + 1;
	return &n->pieces.v[first];
}

/* ---- functions ---- */

/* Is the closure, which the collector may have moved meanwhile, one of the function with these bytecodes? */
static bool find_shared(const struct v8_heap *heap, u64 function, u64 bytecodes, u64 *shared)
{
	u64 other;

	return v8_function__shared(heap, function, shared) && v8_shared__bytecodes(heap, *shared, &other) &&
	       other == bytecodes;
}

/* Append the name of a function, unless a part of it cannot be read. */
static void add_name(const struct node_reading *r, u64 shared, struct strbuf *name)
{
	r->h->has_failed = false;
	if (v8_shared__add_name(&r->heap, &r->node->lines, shared, name) && r->h->has_failed)
		strbuf__reset(name);
}

/* Name code of the baseline compiler: by the closure in a frame, or as the bytecodes. */
static void name_baseline(const struct node_reading *r, struct v8_piece *p, u64 function, struct strbuf *name)
{
	const struct v8_piece *bytecodes;
	u64 shared;

	if (find_shared(&r->heap, function, p->code.bytecodes, &shared)) {
		add_name(r, shared, name);
		return;
	}
	bytecodes = live_node__piece_at(r->node,
					p->code.bytecodes - 1 + (u64)r->node->layout.at[V8_BYTECODES_DATA]);
	if (bytecodes && !bytecodes->code.head && bytecodes->name && bytecodes->checked == r->h->round)
		strbuf__addstr(name, bytecodes->name);
}

/* Return the piece of compiled code at an address, or NULL. It may have no name yet. */
static struct v8_piece *live_node__code(const struct node_reading *r, const struct v8_frame *v)
{
	struct v8_piece *p = live_node__piece_at(r->node, v->ip), new = { .checked = r->h->round };
	struct strbuf name = STRBUF_INIT;

	if (!p || !p->code.head || (p->checked != r->h->round && v8_code__has_changed(&p->code, &r->heap))) {
		if (!v8_code__find(&new.code, &r->heap, v->ip))
			return NULL;
		new.begin = new.code.begin;
		new.end = new.code.end;
		p = live_node__add(r, &new);
	}
	if (!p)
		return NULL;
	p->checked = r->h->round;
	if (!p->name && p->code.kind == V8_CODE_OPTIMIZED)
		add_name(r, p->code.shared, &name);
	else if (!p->name && p->code.kind == V8_CODE_BASELINE)
		name_baseline(r, p, v->function, &name);
	if (name.len)
		live_node__set_name(r, p, name.buf);
	strbuf__exit(&name);
	return p;
}

static bool hash_bytecodes(const struct node_reading *r, u64 begin, u64 end, u64 *hash)
{
	u8 head[HEAD_BYTES];
	size_t size = MIN(end - begin, (u64)sizeof(head));

	if (!vm_memory__read(&r->memory, begin, head, size))
		return false;
	*hash = hash__bytes(head, size, 0);
	return true;
}

/*
 * Return the piece of the bytecodes of a frame, or NULL if it has none. A piece without a name may get one
 * later, when another frame has a closure that was not moved.
 */
static struct v8_piece *live_node__bytecodes(const struct node_reading *r, const struct v8_frame *v)
{
	struct v8_piece now = { .checked = r->h->round }, *p;
	struct strbuf name = STRBUF_INIT;
	bool is_same;
	u64 shared;

	p = live_node__piece_at(r->node, v->bytecodes - 1 + (u64)r->node->layout.at[V8_BYTECODES_DATA]);
	if (p && p->code.head)
		p = NULL;
	if (p && p->name && p->checked == r->h->round)
		return p;
	if (!v8_bytecodes__read(&r->heap, v->bytecodes, &now.begin, &now.end) ||
	    !hash_bytecodes(r, now.begin, now.end, &now.hash))
		return p; /* the process has ended */
	is_same = p && p->begin == now.begin && p->end == now.end && p->hash == now.hash;
	if (find_shared(&r->heap, v->function, v->bytecodes, &shared)) {
		now.shared = shared;
		if (!is_same || !p->name || p->shared != now.shared)
			add_name(r, now.shared, &name);
		is_same = is_same && (!name.len || !p->name || !strcmp(p->name, name.buf));
	} else if (!(is_same && p->name) && v8_function__shared(&r->heap, v->function, &shared)) {
		return NULL; /* with other bytecodes: it is no frame of the interpreter */
	}
	if (!is_same) {
		p = live_node__add(r, &now);
		if (p && !name.len)
			live_node__add_load(r, p, "[interpreted function]");
	}
	if (p)
		p->checked = r->h->round;
	if (p && now.shared)
		p->shared = now.shared;
	if (p && !p->name && name.len)
		live_node__set_name(r, p, name.buf);
	strbuf__exit(&name);
	return p;
}

bool live_v8__find_function(struct live_v8 *h, const struct vm_owner *o, const struct v8_frame *v, u64 *shown)
{
	struct live_node *n = live_v8__node(h, o);
	u64 at = v->bytecodes + (v->offset >> 32); /* the offset counts from the object on, which is odd */
	struct v8_piece *p = NULL;
	struct node_reading r;

	if (!n)
		return false;
	begin_reading(&r, h, n);
	if (v->is_compiled) {
		p = live_node__code(&r, v);
		if (p)
			live_node__note_use(&r, p);
		if (!p || p->code.kind != V8_CODE_OTHER)
			return p && p->name;
	}
	p = v->bytecodes && !(u32)v->offset ? live_node__bytecodes(&r, v) : NULL;
	if (!p || at + 1 < p->begin || at >= p->end)
		return false;
	live_node__note_use(&r, p);
	*shown = MAX(at, p->begin); /* a function that is being entered is before its first bytecode */
	return true;
}
