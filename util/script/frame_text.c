#include "script/frame_text.h"

#include "base/memory/hash.h"
#include "ui/dump/dump_text.h"

#include <stdlib.h>

typedef unsigned long long ull;

enum {
	SLOTS_MIN = 1 << 12,
	/* most that a thread keeps; then it begins anew */
	TEXTS_MAX = 1 << 18,
	TEXT_BYTES_MAX = 32 << 20,
};

void frame_namer__init(struct frame_namer *n, struct session *s, const struct places_opts *opts)
{
	n->session = s;
	strbuf__init(&n->scratch);
	pthread_mutex_init(&n->lock, NULL);
	places__init(&n->places, s, opts);
}

void frame_namer__exit(struct frame_namer *n)
{
	places__exit(&n->places);
	strbuf__exit(&n->scratch);
	pthread_mutex_destroy(&n->lock);
}

/* ---- making a text, with the namer's lock held ---- */

/*
 * The name of a binary as it is shown: its path, but for the kernel and, as in stock perf, for modules in
 * call chains.
 */
static const char *dso_name(const struct frame_namer *n, const struct place *p, unsigned form)
{
	const struct dsos *dsos = &n->session->machine.dsos;
	const struct dso *dso = dsos->v.v[p->dso];

	if (!p->mapped)
		return "[unknown]";
	if ((dso->kind == DSO_KERNEL && !n->show_kernel_path) || dso->kind == DSO_BPF ||
	    (dso->kind == DSO_MODULE && form & FRAME_LINE))
		return dso__short_name(dsos, dso);
	return dso__long_name(dsos, dso);
}

static void add_symbol(struct frame_namer *n, u32 place, u64 addr, unsigned form, struct strbuf *out)
{
	const struct place *p = places__get(&n->places, place);

	if (!p->sym) {
		strbuf__addstr(out, "[unknown]");
		return;
	}
	strbuf__add_masked(out, places__name(&n->places, place));
	p = places__get(&n->places, place);
	if (form & FRAME_SYM_OFFSET)
		strbuf__addf(out, "+0x%llx", (ull)(addr - p->sym->start));
}

/* Add the source line. If it is unknown, add the binary and the address, as stock perf does. */
static void add_line(const struct frame_namer *n, const struct place *p, u64 addr, struct strbuf *out)
{
	const struct dsos *dsos = &n->session->machine.dsos;

	if (!p->mapped)
		return;
	strbuf__addstr(out, "\n  ");
	if (p->has_line)
		strbuf__add_masked(out, places__text(&n->places, p->line));
	else {
		strbuf__add_masked(out, dso__short_name(dsos, dsos->v.v[p->dso]));
		strbuf__addf(out, "[%llx]", (ull)addr);
	}
}

static void add_dso(const struct frame_namer *n, const struct place *p, u64 addr, unsigned form,
		    struct strbuf *out)
{
	strbuf__addstr(out, form & FRAME_BRANCH ? "(" : " (");
	strbuf__add_masked(out, dso_name(n, p, form));
	if (form & FRAME_DSO_OFFSET && p->mapped && p->level != 'k')
		strbuf__addf(out, "+0x%llx", (ull)addr);
	strbuf__addch(out, ')');
}

/* Append one function at an address. addr: in the binary; shown: the address to print. */
static void add_frame(struct frame_namer *n, u32 place, u64 addr, u64 shown, unsigned form,
		      struct strbuf *out)
{
	bool is_inlined = places__get(&n->places, place)->inlined;

	if (form & FRAME_LINE)
		strbuf__addch(out, '\t');
	if (form & FRAME_ADDR)
		strbuf__addf(out, "%16llx", (ull)shown);
	if (form & (FRAME_OFFSET | FRAME_ADDR_HEX))
		strbuf__addf(out, "0x%llx", (ull)shown);
	if (form & FRAME_SYM) {
		if (!(form & FRAME_BRANCH))
			strbuf__addch(out, ' ');
		add_symbol(n, place, addr, form, out);
	}
	if (form & FRAME_DSO && !is_inlined)
		add_dso(n, places__get(&n->places, place), addr, form, out);
	if (form & FRAME_SRCLINE)
		add_line(n, places__get(&n->places, place), addr, out);
	if (form & FRAME_LINE && form & FRAME_SYM && is_inlined)
		strbuf__addstr(out, INLINED_MARK);
	if (form & FRAME_LINE)
		strbuf__addch(out, '\n');
}

/* Return whether the chain is to end after this function. */
static bool is_stop(struct frame_namer *n, u32 place)
{
	return n->stops && n->stops->given && places__get(&n->places, place)->sym &&
	       name_list__has(n->stops, places__name(&n->places, place));
}

/*
 * Return the address to print: in lines and offsets that in the binary. The kernel's addresses are shown as
 * they are in lines, and from its beginning as offsets.
 */
static u64 shown_address(const struct map *map, const struct dso_addr *at, u64 ip, unsigned form)
{
	if (!map || !(form & (FRAME_LINE | FRAME_OFFSET)))
		return ip;
	if (at->level == '.' || at->level == 'u')
		return at->addr;
	return form & FRAME_OFFSET ? ip - map->start : ip;
}

static bool add_text(struct frame_namer *n, const struct row_space *space, u64 ip, unsigned form,
		     struct maps_span *span, struct strbuf *out)
{
	struct places *p = &n->places;
	const u32 *frames, leaf = places__locate(p, space, ip)->leaf;
	const struct map *map;
	struct dso_addr at;
	u64 shown;
	u32 nr = 1;

	map = machine__resolve_at(&n->session->machine, space->maps, space->version, space->cpumode, ip, &at,
				  span);
	shown = shown_address(map, &at, ip, form);
	for (u32 i = 0; i < nr; i++) {
		frames = &leaf;
		if (form & FRAME_LINE)
			frames = places__frames(p, space, ip, form & FRAME_CALLER, &nr);
		add_frame(n, frames[i], at.addr, shown, form, out);
		if (is_stop(n, frames[i]))
			return true;
	}
	return false;
}

struct frame_at frame_namer__at(struct frame_namer *n, const struct row_space *space, u64 ip)
{
	struct frame_at at = { 0 };
	const struct place *place;
	struct maps_span span;
	struct dso_addr addr;
	u32 leaf;

	pthread_mutex_lock(&n->lock);
	leaf = places__locate(&n->places, space, ip)->leaf;
	machine__resolve_at(&n->session->machine, space->maps, space->version, space->cpumode, ip, &addr,
			    &span);
	if (places__get(&n->places, leaf)->sym)
		at.symbol = places__name(&n->places, leaf);
	place = places__get(&n->places, leaf);
	at.dso = place->mapped ? n->session->machine.dsos.v.v[place->dso] : NULL;
	at.start = place->sym ? ip - (addr.addr - place->sym->start) : 0;
	pthread_mutex_unlock(&n->lock);
	return at;
}

/* ---- the texts of a thread ---- */

static void frame_texts__begin(struct frame_texts *t)
{
	t->mask = SLOTS_MIN - 1;
	t->slots = xcalloc(SLOTS_MIN, sizeof(*t->slots));
	t->nr = 0;
}

void frame_texts__init(struct frame_texts *t, struct frame_namer *n)
{
	*t = (struct frame_texts){ .namer = n, .scratch = STRBUF_INIT };
	frame_texts__begin(t);
}

void frame_texts__exit(struct frame_texts *t)
{
	arena__exit(&t->arena);
	free(t->slots);
	strbuf__exit(&t->scratch);
}

static void frame_texts__grow(struct frame_texts *t)
{
	struct frame_text *old = t->slots;
	size_t nr = t->mask + 1;

	t->mask = nr * 2 - 1;
	t->slots = xcalloc(nr * 2, sizeof(*t->slots));
	for (size_t i = 0; i < nr; i++)
		if (old[i].span.end)
			*frame_texts__slot(t, old[i].ip, old[i].key, old[i].form) = old[i];
	free(old);
}

const struct frame_text *frame_texts__add(struct frame_texts *t, const struct row_space *space, u64 ip,
					  u16 form)
{
	struct frame_text *slot, new = { .ip = ip, .key = space->key, .form = form };

	strbuf__reset(&t->scratch);
	pthread_mutex_lock(&t->namer->lock);
	new.is_last = add_text(t->namer, space, ip, form, &new.span, &t->scratch);
	pthread_mutex_unlock(&t->namer->lock);
	if (t->nr >= TEXTS_MAX || t->arena.total > TEXT_BYTES_MAX) {
		arena__exit(&t->arena);
		free(t->slots);
		frame_texts__begin(t);
	}
	if (t->nr * 2 > t->mask)
		frame_texts__grow(t);
	new.len = (u32)t->scratch.len;
	strbuf__grow(&t->scratch, FRAME_TEXT_BLOCK);
	new.text = arena__memdup(&t->arena, t->scratch.buf,
				 ROUND_UP((size_t) new.len, (size_t)FRAME_TEXT_BLOCK));
	slot = frame_texts__slot(t, ip, space->key, form);
	t->nr += !slot->span.end;
	*slot = new;
	return slot;
}
