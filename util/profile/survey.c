#include "profile/survey.h"

#include "base/hash.h"

/* The addresses of a large space. */
struct space_points {
	struct maps *maps;
	ARRAY(u64) points;
	struct hash_table table;
};

struct survey {
	struct session *session;
	ARRAY(struct space_points) large;
	u32 *large_of_space; /* by idx: position in large + 1; 0: not large, or not met yet */
};

static struct space_points *survey__points_of(struct survey *s, struct maps *maps)
{
	u32 *i = &s->large_of_space[maps->idx];

	if (!*i) {
		*array__push(&s->large) = (struct space_points){ .maps = maps };
		*i = (u32)s->large.nr;
	}
	return &s->large.v[*i - 1];
}

static void space_points__add(struct space_points *p, u64 ip)
{
	u64 hash = hash__u64(ip);
	u32 i;

	hash_table__for_each (&p->table, hash, i)
		if (p->points.v[i] == ip)
			return;
	hash_table__insert(&p->table, hash, (u32)p->points.nr);
	array__add(&p->points, ip);
}

/*
 * Takes any word of a chain for an address: marks and the kernel's addresses are in the upper half, and what
 * is no address does no harm.
 */
static bool is_user_address(u64 word)
{
	return !(word >> 63);
}

static void survey__add_points(struct survey *s, const struct row *row, struct maps *maps)
{
	struct space_points *p = survey__points_of(s, maps);

	if (row->key.cpumode == PERF_RECORD_MISC_USER)
		space_points__add(p, row->key.ip);
	for (u32 i = 0; i < row->key.nr_chain; i++)
		if (is_user_address(row->chain[i]))
			space_points__add(p, row->chain[i]);
}

static void survey__row(struct survey *s, const struct row *row, const struct maps *maps)
{
	for (const struct maps *m = maps; m; m = m->parent)
		if (maps__is_large(m))
			survey__add_points(s, row, s->session->machine.spaces.v[m->idx]);
}

/* From here on the points are the maps'. */
static void survey__expect_points(struct survey *s)
{
	for (size_t i = 0; i < s->large.nr; i++) {
		struct space_points *p = &s->large.v[i];

		hash_table__exit(&p->table);
		if (p->points.nr)
			maps__expect(p->maps, p->points.v, (u32)p->points.nr);
	}
}

static bool machine__has_large_space(const struct machine *m)
{
	for (size_t i = 0; i < m->spaces.nr; i++)
		if (maps__is_large(m->spaces.v[i]))
			return true;
	return false;
}

void survey__rows(struct session *session, const struct row_table *rows)
{
	const struct machine *m = &session->machine;
	struct survey *s;

	if (!machine__has_large_space(m))
		return;
	s = xcalloc(1, sizeof(*s));
	s->session = session;
	s->large_of_space = xcalloc(m->spaces.nr + 1, sizeof(*s->large_of_space));
	for (size_t i = 0; i < rows->rows.nr; i++)
		if (rows->rows.v[i]->key.space != ROW_NO_SPACE)
			survey__row(s, rows->rows.v[i], m->spaces.v[rows->rows.v[i]->key.space]);
	survey__expect_points(s);
	array__exit(&s->large);
	free(s->large_of_space);
	free(s);
}
