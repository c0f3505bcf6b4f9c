#include "record/stacks/live_hotspot.h"

#include "base/memory/hash.h"
#include "base/memory/mem.h"
#include "base/text/path_name.h"
#include "binary/symbols/jitdump_write.h"
#include "record/hotspot/hotspot_blob.h"
#include "record/hotspot/hotspot_method.h"
#include "record/hotspot/hotspot_scopes.h"
#include "record/hotspot/known_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	VMS_MAX = 256,         /* processes with JIT code of any kind; others are ignored */
	READS_MAX = 4096,      /* of memory in a round, a page each: 4 ms, about */
	ROUND_BYTES = 8 << 20, /* of code that is copied in a round */
	PIECES_MAX = 1 << 18,  /* and methods, of all virtual machines; 20 MB */
	CALLS_MAX = 1 << 17,   /* known ones, of all virtual machines; 10 MB */
	TRIES_MAX = 3,
};

/* A piece of code, or the bytecodes of a method; with neither: of code that is there no more. */
struct vm_piece {
	u64 begin, end; /* of what is known by this; pieces do not overlap */
	u64 since;      /* ns, from when on it is there */
	u64 checked;    /* round */
	bool is_named;
	char *name;                   /* NULL: it is in the jitdump; owned */
	u32 nr_files;                 /* of names, when it was last given to a file; from 1 on */
	struct hotspot_blob blob;     /* block 0: a method's bytecodes */
	struct hotspot_method method; /* likewise */
};

/* A method that interpreted frames have. */
struct vm_method {
	u64 addr;
	u64 checked; /* round */
	struct hotspot_method method;
};

struct live_vm {
	u32 pid;
	u32 rounds_left; /* after the end; 0: the process runs */
	u64 space_since; /* tells the programs of a process apart */
	u64 space_state; /* in which no libjvm.so was mapped */
	u64 since;       /* ns, when libjvm.so was mapped */
	u32 nr_tries;    /* that reading the layout took more than there was room for */
	bool is_known;   /* layout is set */
	bool is_denied;  /* its memory may not be read */
	struct hotspot_layout layout;
	struct hotspot_heaps heaps;
	u64 heaps_round;
	ARRAY(struct vm_piece) pieces; /* by begin */
	ARRAY(struct vm_method) methods;
	struct hash_table by_addr; /* methods */
	struct known_calls calls;
	struct jitdump_out dump;
};

static void live_vm__forget_calls(struct live_vm *vm, struct live_hotspot *h)
{
	h->nr_calls -= vm->calls.v.nr;
	known_calls__exit(&vm->calls);
}

static void live_vm__delete(struct live_hotspot *h, struct live_vm *vm)
{
	h->nr_pieces -= vm->pieces.nr + vm->methods.nr;
	live_vm__forget_calls(vm, h);
	for (size_t i = 0; i < vm->pieces.nr; i++)
		free(vm->pieces.v[i].name);
	array__exit(&vm->pieces);
	array__exit(&vm->methods);
	hash_table__exit(&vm->by_addr);
	free(vm);
}

void live_hotspot__init(struct live_hotspot *h, struct kept_files *kept, bool in_records)
{
	*h = (struct live_hotspot){ .round = 0 };
	code_names__init(&h->names, JITDUMP_MADE_FOLDER, kept, in_records);
}

void live_hotspot__exit(struct live_hotspot *h)
{
	for (size_t i = 0; i < h->v.nr; i++)
		live_vm__delete(h, h->v.v[i]);
	array__exit(&h->v);
	free(h->pages.pages);
	vm_process__exit(&h->process);
	code_names__exit(&h->names);
}

/* ---- memory ---- */

struct reading {
	struct live_hotspot *h;
	u32 pid;
	struct vm_memory memory; /* by pages */
};

static bool read_process(void *ctx, u64 addr, void *data, size_t size)
{
	struct live_hotspot *h = ctx;

	if (!h->left)
		return false;
	h->left--;
	if (vm_process__read(&h->process, h->pages.space, h->round, addr, data, size))
		return true;
	h->is_denied |= errno == EPERM;
	return false;
}

/* Prepare to read the memory of a process. */
static struct reading live_hotspot__reading(struct live_hotspot *h, u32 pid)
{
	h->pages.below = (struct vm_memory){ .read = read_process, .ctx = h };
	h->pages.space = pid;
	h->pages.round = h->round;
	return (struct reading){ .h = h, .pid = pid, .memory = { .read = vm_pages__read, .ctx = &h->pages } };
}

/* ---- virtual machines ---- */

/* Find the start of libjvm.so in memory. The maps are of executable parts only. */
static bool find_libjvm(const struct vm_owner *o, u64 *base, u64 *since)
{
	const struct live_space *s = o->space;

	for (size_t i = 0; i < s->maps.nr + s->recent.nr; i++) {
		const struct live_map *m = i < s->maps.nr ? &s->maps.v[i] : &s->recent.v[i - s->maps.nr];

		if (!m->binary ||
		    strcmp(path__name(live_binaries__name(o->binaries, m->binary)), "libjvm.so"))
			continue;
		*base = m->start - m->pgoff;
		*since = m->since;
		return m->start >= m->pgoff;
	}
	return false;
}

static struct live_vm *live_hotspot__find(struct live_hotspot *h, const struct vm_owner *o)
{
	for (size_t i = h->v.nr; i-- > 0;)
		if (h->v.v[i]->pid == o->pid && h->v.v[i]->space_since == o->space->since)
			return h->v.v[i];
	return NULL;
}

/*
 * Find a process to drop for another one: the first in which no virtual machine was found, or else the first
 * that has ended. Return VMS_MAX if there is none.
 */
static size_t live_hotspot__victim(const struct live_hotspot *h)
{
	size_t ended = VMS_MAX;

	for (size_t i = h->v.nr; i-- > 0;)
		if (h->v.v[i]->rounds_left)
			ended = i;
	for (size_t i = 0; i < h->v.nr; i++)
		if (!h->v.v[i]->is_known && !h->v.v[i]->is_denied)
			return i;
	return ended;
}

/* Add the process, unless there are too many, or it has no memory to read any more. Return it, or NULL. */
static struct live_vm *live_hotspot__add(struct live_hotspot *h, const struct vm_owner *o)
{
	struct live_vm *vm;
	size_t victim;

	if (o->has_ended)
		return NULL;
	if (h->v.nr >= VMS_MAX) {
		victim = live_hotspot__victim(h);
		if (victim == VMS_MAX)
			return NULL;
		live_vm__delete(h, h->v.v[victim]);
		h->v.nr--;
		memmove(h->v.v + victim, h->v.v + victim + 1, (h->v.nr - victim) * sizeof(*h->v.v));
	}
	vm = xcalloc(1, sizeof(*vm));
	*vm = (struct live_vm){ .pid = o->pid, .space_since = o->space->since, .dump.fd = -1 };
	array__add(&h->v, vm);
	return vm;
}

/* Return the virtual machine of the process, or NULL. */
static struct live_vm *live_hotspot__vm(struct live_hotspot *h, const struct vm_owner *o)
{
	struct live_vm *vm = live_hotspot__find(h, o);
	struct reading r = live_hotspot__reading(h, o->pid);
	u64 base;

	vm = vm ? vm : live_hotspot__add(h, o);
	if (!vm || vm->is_known || vm->space_state == o->space->id)
		return vm && vm->is_known ? vm : NULL;
	if (!h->left)
		return NULL;
	vm->space_state = o->space->id;
	h->is_denied = false;
	vm->is_known =
		find_libjvm(o, &base, &vm->since) && !hotspot_layout__read(&vm->layout, &r.memory, base);
	if (h->is_denied && !vm->is_denied)
		unread_memory__add(&h->unread, o->pid);
	vm->is_denied |= h->is_denied;
	if (!vm->is_known && !h->left && ++vm->nr_tries < TRIES_MAX)
		vm->space_state = 0; /* there was no room for all of it in this round */
	return vm->is_known ? vm : NULL;
}

void live_hotspot__see(struct live_hotspot *h, const struct record *r)
{
	u32 pid = h->v.nr ? record__ended_program(r) : 0;

	for (size_t i = 0; pid && i < h->v.nr; i++)
		if (h->v.v[i]->pid == pid && !h->v.v[i]->rounds_left)
			h->v.v[i]->rounds_left = ROUNDS_LEFT;
}

void live_hotspot__begin_round(struct live_hotspot *h)
{
	size_t nr = 0;

	h->round++;
	h->before = h->newest;
	h->left = READS_MAX;
	h->bytes_left = ROUND_BYTES;
	for (size_t i = 0; i < h->v.nr; i++) {
		struct live_vm *vm = h->v.v[i];

		if (rounds_left__end(&vm->rounds_left, vm->pid)) {
			live_vm__delete(h, vm);
			continue;
		}
		h->v.v[nr++] = vm;
	}
	h->v.nr = nr;
}

/* ---- names ---- */

static struct named_code live_vm__named(const struct live_vm *vm, const struct vm_piece *p, const char *name)
{
	return (struct named_code){ vm->pid, p->since, p->begin, p->end - p->begin, name };
}

/*
 * Append the piece to the jitdump: from a time on it is there. Return whether there was room. Only code that
 * was compiled has bytes.
 */
static bool live_vm__add_load(struct live_vm *vm, struct reading *r, const char *name, struct vm_piece *p)
{
	const struct named_code c = live_vm__named(vm, p, name);
	struct live_hotspot *h = r->h;
	void *code = NULL;
	bool done;

	if (p->blob.block && c.size <= h->bytes_left && code_names__has_room(&h->names, &vm->dump, c.size)) {
		h->bytes_left -= c.size;
		code = xmalloc(c.size);
		if (!read_process(h, c.addr, code, c.size)) {
			free(code);
			code = NULL;
		}
	}
	done = code_names__store(&h->names, &vm->dump, vm->since, &c, code);
	free(code);
	return done;
}

/* Give a name that is in no jitdump to the current file. */
static void live_vm__note_use(const struct live_vm *vm, struct live_hotspot *h, struct vm_piece *p)
{
	const struct named_code code = live_vm__named(vm, p, p->name);

	if (p->name)
		code_names__use(&h->names, &code, &p->nr_files);
}

/* Find the piece's name, unless it cannot be read now. */
static void live_vm__name(struct live_vm *vm, struct reading *r, struct vm_piece *p)
{
	struct strbuf name = STRBUF_INIT;
	struct hotspot_method method = p->method;
	const char *number;

	live_vm__note_use(vm, r->h, p);
	if (p->is_named || !code_names__are_wanted(&r->h->names))
		return;
	if (p->blob.block && !p->blob.is_method) {
		number = strstr(p->blob.name, " ("); /* StubRoutines (1) */
		strbuf__add(&name, p->blob.name,
			    number ? (size_t)(number - p->blob.name) : strlen(p->blob.name));
		p->is_named = true;
	} else {
		p->is_named = (!p->blob.block ||
			       hotspot_method__read(&method, &vm->layout, &r->memory, p->blob.method)) &&
			      hotspot_method__name(&method, &vm->layout, &r->memory, &name);
	}
	if (p->is_named && !live_vm__add_load(vm, r, name.buf, p)) {
		p->name = xstrdup(name.buf);
		live_vm__note_use(vm, r->h, p);
	}
	strbuf__exit(&name);
}

/* ---- pieces ---- */

static struct vm_piece *live_vm__piece_at(struct live_vm *vm, u64 addr)
{
	size_t i = bisect(k, 0, vm->pieces.nr, vm->pieces.v[k].end <= addr);

	return i < vm->pieces.nr && vm->pieces.v[i].begin <= addr ? &vm->pieces.v[i] : NULL;
}

/* May the virtual machine have no more pieces? Each may take half of what the others leave. */
static bool live_vm__is_full(const struct live_vm *vm, const struct live_hotspot *h)
{
	return vm->pieces.nr + vm->methods.nr + h->nr_pieces >= PIECES_MAX;
}

/*
 * Put a piece in place of those that it overlaps. What it does not cover of them becomes pieces of unknown
 * code: they keep what comes there later from being named for earlier samples. Return it, or NULL if there
 * are too many.
 */
static struct vm_piece *live_vm__add(struct live_vm *vm, struct live_hotspot *h, const struct vm_piece *new)
{
	size_t first = bisect(k, 0, vm->pieces.nr, vm->pieces.v[k].end <= new->begin), after = first, nr = 0;
	struct vm_piece put[3], *at;
	size_t own;

	while (after < vm->pieces.nr && vm->pieces.v[after].begin < new->end)
		after++;
	if (after > first && vm->pieces.v[first].begin < new->begin)
		put[nr++] = (struct vm_piece){ .begin = vm->pieces.v[first].begin, .end = new->begin };
	own = nr;
	put[nr++] = *new;
	if (after > first && vm->pieces.v[after - 1].end > new->end)
		put[nr++] = (struct vm_piece){ .begin = new->end, .end = vm->pieces.v[after - 1].end };
	if (nr > after - first && live_vm__is_full(vm, h))
		return NULL;
	for (size_t i = first; i < after; i++)
		free(vm->pieces.v[i].name);
	array__reserve(&vm->pieces, vm->pieces.nr + nr);
	at = vm->pieces.v + first;
	memmove(at + nr, vm->pieces.v + after, (vm->pieces.nr - after) * sizeof(*new));
	memcpy(at, put, nr * sizeof(*new));
	vm->pieces.nr = vm->pieces.nr + nr - (after - first);
	h->nr_pieces = h->nr_pieces + nr - (after - first);
	return at + own;
}

/*
 * Return the time from which on a new piece is at its addresses. If another one was there, that one was
 * looked at in an earlier round, so it has the samples up to then.
 */
static u64 live_vm__time_of(const struct live_vm *vm, const struct live_hotspot *h, u64 begin, u64 end)
{
	size_t i = bisect(k, 0, vm->pieces.nr, vm->pieces.v[k].end <= begin);
	bool replaces = i < vm->pieces.nr && vm->pieces.v[i].begin < end;

	return replaces ? MAX(vm->since, h->before + 1) : vm->since;
}

/* Read the heaps, once in a round: they grow. */
static const struct hotspot_heap *live_vm__heap(struct live_vm *vm, struct reading *r, u64 addr)
{
	const struct hotspot_heap *heap = hotspot_heaps__find(&vm->heaps, addr);

	if (heap || vm->heaps_round == r->h->round)
		return heap;
	vm->heaps_round = r->h->round;
	if (!hotspot_heaps__read(&vm->heaps, &vm->layout, &r->memory))
		vm->heaps.nr = 0;
	return hotspot_heaps__find(&vm->heaps, addr);
}

/* Return the piece of code at an address, or NULL. */
static struct vm_piece *live_vm__code(struct live_vm *vm, struct reading *r, u64 addr)
{
	struct vm_piece *p = live_vm__piece_at(vm, addr), new = { .checked = r->h->round };
	const struct hotspot_heap *heap;

	if (p && p->blob.block &&
	    (p->checked == r->h->round || !hotspot_blob__has_changed(&p->blob, &vm->layout, &r->memory))) {
		p->checked = r->h->round;
		live_vm__name(vm, r, p);
		return p;
	}
	heap = live_vm__heap(vm, r, addr);
	if (!heap || !hotspot_blob__find(&new.blob, &vm->layout, &r->memory, heap, addr) ||
	    addr < new.blob.code_begin || addr >= new.blob.code_end)
		return NULL;
	new.begin = new.blob.code_begin;
	new.end = new.blob.code_end;
	new.since = live_vm__time_of(vm, r->h, new.begin, new.end);
	p = live_vm__add(vm, r->h, &new);
	if (p)
		live_vm__name(vm, r, p);
	return p;
}

/* ---- frames ---- */

static bool live_vm__bytecode(struct live_vm *vm, struct reading *r, const struct hotspot_scope *s,
			      u64 *shown);

/* Find the methods that were inlined around a call, as they are now. All or none of them. */
static bool live_vm__read_inlined(struct live_vm *vm, struct reading *r, const struct hotspot_blob *blob,
				  u64 ra, struct java_frame *frame)
{
	struct hotspot_scope scopes[HOTSPOT_SCOPES_MAX];
	unsigned nr = hotspot_scopes__find(scopes, blob, &vm->layout, &r->memory, ra);

	for (unsigned i = 0; i < nr; i++)
		if (!live_vm__bytecode(vm, r, &scopes[i], &frame->inlined[i]))
			return false;
	frame->nr_inlined = (u8)nr;
	return nr;
}

/*
 * Keep what is inlined around a call. Each virtual machine may take half of what the others leave; then it
 * begins anew, as most of its calls are of code that was compiled again since.
 */
static void live_vm__keep_call(struct live_vm *vm, struct live_hotspot *h, u64 ra, u64 identity,
			       const struct java_frame *frame)
{
	if (vm->calls.v.nr + h->nr_calls >= CALLS_MAX)
		live_vm__forget_calls(vm, h);
	if (h->nr_calls >= CALLS_MAX)
		return;
	known_calls__add(&vm->calls, ra, identity, frame->inlined, frame->nr_inlined);
	h->nr_calls++;
}

/* Find the methods that were inlined around a call, now or when it was seen before. */
static void live_vm__find_inlined(struct live_vm *vm, struct reading *r, const struct vm_piece *p, u64 ra,
				  struct java_frame *frame)
{
	const struct hotspot_blob blob = p->blob; /* pieces move when others are added */
	const struct known_call *c = known_calls__find(&vm->calls, ra, blob.identity);
	struct vm_piece *named;

	if (live_vm__read_inlined(vm, r, &blob, ra, frame)) {
		if (!c)
			live_vm__keep_call(vm, r->h, ra, blob.identity, frame);
	} else if (c) {
		frame->nr_inlined = (u8)c->nr;
		memcpy(frame->inlined, vm->calls.at.v + c->first, c->nr * sizeof(*frame->inlined));
		for (u8 i = 0; i < frame->nr_inlined; i++)
			if ((named = live_vm__piece_at(vm, frame->inlined[i])))
				live_vm__note_use(vm, r->h, named);
	}
}

void live_hotspot__frame(struct live_hotspot *h, const struct vm_owner *o, u64 ip, struct java_frame *frame)
{
	struct live_vm *vm = live_hotspot__vm(h, o);
	struct reading r = live_hotspot__reading(h, o->pid);
	const struct vm_piece *p = vm ? live_vm__code(vm, &r, ip) : NULL;

	*frame = (struct java_frame){ .kind = JAVA_NONE };
	if (!p)
		return;
	frame->size = p->blob.frame_size;
	frame->complete = p->blob.frame_complete;
	switch (p->blob.kind) {
	case HOTSPOT_METHOD:
		frame->kind = JAVA_SIZED;
		live_vm__find_inlined(vm, &r, p, ip + 1, frame);
		break;
	case HOTSPOT_STUB:
		frame->kind = p->blob.frame_size >= 16 ? JAVA_STUB : JAVA_OTHER;
		break;
	case HOTSPOT_BARE:
		frame->kind = JAVA_BARE;
		frame->size = 8;
		break;
	case HOTSPOT_ADAPTER:
		frame->kind = JAVA_ADAPTER;
		break;
	case HOTSPOT_INTERPRETER:
		frame->kind = JAVA_INTERPRETER;
		break;
	}
}

static bool method_has(const struct hotspot_method *m, u64 bytecode)
{
	return bytecode >= m->code_begin && bytecode - m->code_begin < m->code_size;
}

/* Choose the address that stands for the method where it executes. */
static bool choose_shown(const struct hotspot_method *h, const struct java_method *m, u64 *shown)
{
	for (size_t i = 0; i < ARRAY_SIZE(m->bytecode); i++)
		if (method_has(h, m->bytecode[i])) {
			*shown = m->bytecode[i];
			return true;
		}
	*shown = h->code_size ? h->code_begin : h->constant;
	return m->is_entry || !h->code_size;
}

static bool is_same_method(const struct hotspot_method *a, const struct hotspot_method *b)
{
	return a->constant == b->constant && a->end == b->end && a->code_size == b->code_size &&
	       a->constants == b->constants && a->name == b->name && a->signature == b->signature;
}

static struct vm_method *live_vm__known_method(struct live_vm *vm, u64 addr)
{
	u32 i;

	hash_table__for_each (&vm->by_addr, hash__u64(addr), i)
		if (vm->methods.v[i].addr == addr)
			return &vm->methods.v[i];
	return NULL;
}

/*
 * Get the method at an address as it is in this round, or as it was when it could be read last. *known: NULL,
 * or where it is kept.
 */
static bool live_vm__read_method(struct live_vm *vm, struct reading *r, u64 addr, struct vm_method **known,
				 struct hotspot_method *method)
{

	*known = live_vm__known_method(vm, addr);
	if (*known && (*known)->checked == r->h->round) {
		*method = (*known)->method;
		return true;
	}
	if (hotspot_method__read(method, &vm->layout, &r->memory, addr))
		return true;
	if (*known)
		*method = (*known)->method;
	return *known;
}

/* Keep a method, and the piece of its bytecodes. Return the piece, or NULL if there are too many. */
static struct vm_piece *live_vm__keep_method(struct live_vm *vm, struct reading *r, u64 addr,
					     struct vm_method *known, const struct hotspot_method *method)
{
	struct vm_piece new = { .method = *method, .begin = method->constant, .end = method->end };
	struct vm_piece *p = live_vm__piece_at(vm, new.begin);

	if (!known) {
		if (live_vm__is_full(vm, r->h))
			return NULL;
		r->h->nr_pieces++;
		hash_table__insert(&vm->by_addr, hash__u64(addr), (u32)vm->methods.nr);
		known = array__push(&vm->methods);
	}
	*known = (struct vm_method){ .addr = addr, .checked = r->h->round, .method = *method };
	if (!p || p->blob.block || !is_same_method(&p->method, method)) {
		new.since = live_vm__time_of(vm, r->h, new.begin, new.end);
		p = live_vm__add(vm, r->h, &new);
	}
	if (!p)
		return NULL;
	live_vm__name(vm, r, p);
	return p;
}

/* Find the bytecode where an inlined method is, and keep the method's name. */
static bool live_vm__bytecode(struct live_vm *vm, struct reading *r, const struct hotspot_scope *s,
			      u64 *shown)
{
	struct hotspot_method method;
	struct vm_method *known;
	const struct vm_piece *p;

	if (!live_vm__read_method(vm, r, s->method, &known, &method) || s->at >= MAX(method.code_size, 1ull))
		return false;
	*shown = method.code_size ? method.code_begin + s->at : method.constant;
	p = live_vm__keep_method(vm, r, s->method, known, &method);
	return p && (p->is_named || !code_names__are_wanted(&r->h->names));
}

bool live_hotspot__find_method(struct live_hotspot *h, const struct vm_owner *o, const struct java_method *m,
			       u64 *shown)
{
	struct live_vm *vm = live_hotspot__vm(h, o);
	struct reading r = live_hotspot__reading(h, o->pid);
	struct hotspot_method method;
	struct vm_method *known;
	const struct vm_piece *p;

	/* nothing is kept before it is known to be the method of the frame: any number may be read as one */
	if (!vm || !live_vm__read_method(vm, &r, m->method, &known, &method) ||
	    !choose_shown(&method, m, shown))
		return false;
	p = live_vm__keep_method(vm, &r, m->method, known, &method);
	return p && (p->is_named || !code_names__are_wanted(&h->names));
}

void live_hotspot__announce(struct live_hotspot *h, const struct evlist *l, struct strbuf *out)
{
	code_names__announce(&h->names, l, out);
}
