#include "profile/annotate/hot_code.h"

#include "base/text/fold_name.h"
#include "profile/branches/branches.h"

/* ---- functions ---- */

static void code_cost__add(struct code_cost *c, const struct row *row)
{
	c->nr += row->nr;
	c->period += row->period;
}

static u32 hot_code__new_costs(struct hot_code *h)
{
	u32 first = (u32)h->costs.nr;

	for (u32 e = 0; e < h->nr_events; e++)
		array__add(&h->costs, ((struct code_cost){ 0 }));
	return first;
}

static struct row_space hot_code__space(const struct hot_code *h, const struct row *row)
{
	return places__space(&h->places, row, (u8)row->key.cpumode);
}

/* Is a place in what was inlined of h->inlined? Each place is looked at once. */
static bool hot_code__is_inlined(struct hot_code *h, u32 id)
{
	enum { UNKNOWN, NO, YES };
	const struct place *place = places__get(&h->places, id);

	while (h->inlined_places.nr <= id)
		array__add(&h->inlined_places, UNKNOWN);
	if (h->inlined_places.v[id] == UNKNOWN)
		h->inlined_places.v[id] =
			place->inlined && name__is(places__text(&h->places, place->inlined), h->inlined) ? YES
													 : NO;
	return h->inlined_places.v[id] == YES;
}

/* Count a sample in h->inlined, or in what was inlined into that. Return false if it is elsewhere. */
static bool hot_code__count_inlined(struct hot_code *h, const struct row_space *space, const struct row *row)
{
	u32 nr, i = 0;
	const u32 *frames = places__frames(&h->places, space, row->key.ip, false, &nr);

	while (i < nr && !hot_code__is_inlined(h, frames[i]))
		i++;
	if (i == nr)
		return false;
	code_cost__add(&h->costs.v[h->inlined_costs + row->key.event], row);
	if (!i)
		code_cost__add(&h->costs.v[h->inlined_self + row->key.event], row);
	return true;
}

static void hot_code__add_row(struct hot_code *h, const struct row *row)
{
	struct row_space space = hot_code__space(h, row);
	u32 id = places__locate(&h->places, &space, row->key.ip)->leaf;
	const struct place *place;
	u32 *function;

	code_cost__add(&h->totals[row->key.event], row);
	if (h->inlined && !hot_code__count_inlined(h, &space, row))
		id = HOT_CODE_NO_PLACE;
	array__add(&h->place_of_row, id);
	if (id == HOT_CODE_NO_PLACE)
		return;
	place = places__get(&h->places, id);
	while (h->function_of_place.nr <= id)
		array__add(&h->function_of_place, 0);
	function = &h->function_of_place.v[id];
	if (!place->sym)
		return;
	if (!*function) {
		array__add(&h->v, ((struct hot_function){ .dso = h->session->machine.dsos.v.v[place->dso],
							  .sym = place->sym,
							  .place = id,
							  .costs = hot_code__new_costs(h) }));
		*function = (u32)h->v.nr;
	}
	code_cost__add(&h->costs.v[h->v.v[*function - 1].costs + row->key.event], row);
}

static int compare_functions(const void *a, const void *b, void *ctx)
{
	const struct hot_function *x = a, *y = b;
	const struct hot_code *h = ctx;

	for (u32 e = 0; e < h->nr_events; e++) {
		u64 p = hot_code__cost(h, x->costs, e)->period, q = hot_code__cost(h, y->costs, e)->period;

		if (p != q)
			return p < q ? 1 : -1;
	}
	if (x->dso->idx != y->dso->idx)
		return x->dso->idx < y->dso->idx ? -1 : 1;
	return x->sym->start < y->sym->start ? -1 : x->sym->start > y->sym->start;
}

void hot_code__init(struct hot_code *h, const struct profile *p, const bool *rows, const char *inlined)
{
	const struct places_opts places = { .inlines = inlined };

	*h = (struct hot_code){ .session = p->session,
				.profile = p,
				.inlined = inlined,
				.nr_events = (u32)p->session->reader->evlist.evsels.nr };
	h->totals = xcalloc(h->nr_events + 1, sizeof(*h->totals));
	places__init(&h->places, p->session, &places);
	if (h->inlined) {
		h->inlined_costs = hot_code__new_costs(h);
		h->inlined_self = hot_code__new_costs(h);
	}
	array__reserve(&h->place_of_row, p->rows.rows.nr);
	for (size_t i = 0; i < p->rows.rows.nr; i++)
		if (!rows || rows[i])
			hot_code__add_row(h, row_table__get(&p->rows, i));
		else
			array__add(&h->place_of_row, HOT_CODE_NO_PLACE);
	if (h->v.nr)
		qsort_r(h->v.v, h->v.nr, sizeof(*h->v.v), compare_functions, h);
	for (size_t i = 0; i < h->v.nr; i++)
		h->function_of_place.v[h->v.v[i].place] = (u32)i + 1;
}

void hot_code__add_function(struct hot_code *h, struct dso *dso, const struct symbol *sym)
{
	array__add(&h->v, ((struct hot_function){ .dso = dso,
						  .sym = sym,
						  .place = places__symbol(&h->places, dso, sym),
						  .costs = hot_code__new_costs(h) }));
}

void hot_code__exit(struct hot_code *h)
{
	for (size_t i = 0; i < h->v.nr; i++) {
		array__exit(&h->v.v[i].addresses);
		array__exit(&h->v.v[i].blocks);
	}
	array__exit(&h->v);
	array__exit(&h->costs);
	free(h->totals);
	array__exit(&h->function_of_place);
	array__exit(&h->place_of_row);
	array__exit(&h->inlined_places);
	places__exit(&h->places);
}

const char *hot_function__name(struct hot_code *h, const struct hot_function *f)
{
	return places__name(&h->places, f->place);
}

/* ---- addresses ---- */

struct hot_row {
	u64 addr;
	u32 function, row;
};

static int compare_hot_rows(const void *a, const void *b)
{
	const struct hot_row *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

u32 hot_code__function(const struct hot_code *h, size_t row)
{
	u32 place = h->place_of_row.v[row];

	return place == HOT_CODE_NO_PLACE ? 0 : h->function_of_place.v[place];
}

u64 hot_code__addr(const struct hot_code *h, size_t row)
{
	const struct row *r = row_table__get(&h->profile->rows, row);
	struct row_space space = hot_code__space(h, r);
	struct maps_span span;
	struct dso_addr at;

	machine__resolve_at(&h->session->machine, space.maps, space.version, space.cpumode, r->key.ip, &at,
			    &span);
	return at.addr;
}

void hot_code__find_addresses(struct hot_code *h, const bool *wanted)
{
	const struct row_table *t = &h->profile->rows;
	ARRAY(struct hot_row) rows = { 0 };
	struct hot_address *last = NULL;
	u32 last_function = 0;

	for (size_t i = 0; i < t->rows.nr; i++) {
		u32 function = hot_code__function(h, i);

		if (function && wanted[function - 1])
			array__add(&rows, ((struct hot_row){ hot_code__addr(h, i), function, (u32)i }));
	}
	if (rows.nr)
		qsort(rows.v, rows.nr, sizeof(*rows.v), compare_hot_rows);
	for (size_t i = 0; i < rows.nr; i++) {
		const struct row *row = row_table__get(t, rows.v[i].row);
		struct hot_function *f = &h->v.v[rows.v[i].function - 1];

		if (!last || rows.v[i].function != last_function || rows.v[i].addr != last->addr) {
			last = array__push(&f->addresses);
			*last = (struct hot_address){ rows.v[i].addr, hot_code__new_costs(h) };
			last_function = rows.v[i].function;
		}
		code_cost__add(&h->costs.v[last->costs + row->key.event], row);
	}
	array__exit(&rows);
}

/* ---- blocks ---- */

/* Find the function and the dso address of a memory address. Return NULL if no sample is in the function. */
static struct hot_function *hot_code__find(struct hot_code *h, const struct row *row, u64 ip, u64 *addr)
{
	struct row_space space = branch__space(&h->places, row, ip);
	u32 place = places__locate(&h->places, &space, ip)->leaf;
	u32 function = place < h->function_of_place.nr ? h->function_of_place.v[place] : 0;
	struct maps_span span;
	struct dso_addr at;

	if (!function)
		return NULL;
	machine__resolve_at(&h->session->machine, space.maps, space.version, space.cpumode, ip, &at, &span);
	*addr = at.addr;
	return &h->v.v[function - 1];
}

void hot_code__find_blocks(struct hot_code *h, const struct profile *blocks, const bool *wanted)
{
	for (size_t i = 0; i < blocks->rows.rows.nr; i++) {
		const struct row *row = row_table__get(&blocks->rows, i);
		u64 from = row->chain[ROW_BLOCK_START], flags = row->chain[ROW_BLOCK_FLAGS], nr = row->nr;
		bool is_timed = flags & BLOCK_HAS_CYCLES;
		struct hot_block b = { .nr = nr,
				       .predicted = flags & BRANCH_PREDICTED ? nr : 0,
				       .nr_timed = is_timed ? nr : 0,
				       .cycles = is_timed ? row->period : 0 };
		struct hot_function *f = hot_code__find(h, row, row->key.ip, &b.end);

		if (!f || !wanted[f - h->v.v])
			continue;
		if (!from || hot_code__find(h, row, from, &b.start) != f || b.start > b.end)
			b.start = 0;
		array__add(&f->blocks, b);
	}
}
