#include "profile/trees/tree_order.h"

#include "base/memory/mem.h"

enum { NIL = 0, LEFT = 0, RIGHT = 1 };

/* Node i + 1 is element i; node 0 represents all leaves, which are black. */
struct node {
	u32 parent, child[2];
	bool red;
};

struct tree {
	struct node *n;
	u32 root;
};

static int side_of(const struct tree *t, u32 i)
{
	return t->n[t->n[i].parent].child[RIGHT] == i ? RIGHT : LEFT;
}

/* Move i down to this side, and its child on the other side up into its place. */
static void rotate(struct tree *t, u32 i, int side)
{
	u32 up = t->n[i].child[!side], parent = t->n[i].parent, inner = t->n[up].child[side];

	if (parent == NIL)
		t->root = up;
	else
		t->n[parent].child[side_of(t, i)] = up;
	t->n[up].parent = parent;
	t->n[up].child[side] = i;
	t->n[i].parent = up;
	t->n[i].child[!side] = inner;
	if (inner != NIL)
		t->n[inner].parent = i;
}

/* Cormen, Leiserson, Rivest, Stein: Introduction to Algorithms, RB-INSERT-FIXUP. */
static void rebalance(struct tree *t, u32 i)
{
	while (t->n[t->n[i].parent].red) {
		u32 parent = t->n[i].parent, grand = t->n[parent].parent;
		int side = side_of(t, parent);
		u32 uncle = t->n[grand].child[!side];

		if (t->n[uncle].red) {
			t->n[parent].red = t->n[uncle].red = false;
			t->n[grand].red = true;
			i = grand;
			continue;
		}
		if (side_of(t, i) != side) {
			rotate(t, parent, side);
			i = parent;
			parent = t->n[i].parent;
		}
		t->n[parent].red = false;
		t->n[grand].red = true;
		rotate(t, grand, !side);
	}
	t->n[t->root].red = false;
}

static void insert(struct tree *t, u32 i, void **v, bool (*before)(void *ctx, const void *a, const void *b),
		   void *ctx)
{
	u32 parent = NIL, at = t->root;
	int side = LEFT;

	while (at != NIL) {
		parent = at;
		side = before(ctx, v[i - 1], v[at - 1]) ? LEFT : RIGHT;
		at = t->n[at].child[side];
	}
	t->n[i] = (struct node){ .parent = parent, .red = true };
	if (parent == NIL)
		t->root = i;
	else
		t->n[parent].child[side] = i;
	rebalance(t, i);
}

static u32 leftmost(const struct tree *t, u32 i)
{
	while (t->n[i].child[LEFT] != NIL)
		i = t->n[i].child[LEFT];
	return i;
}

static u32 next(const struct tree *t, u32 i)
{
	if (t->n[i].child[RIGHT] != NIL)
		return leftmost(t, t->n[i].child[RIGHT]);
	while (t->n[i].parent != NIL && side_of(t, i) == RIGHT)
		i = t->n[i].parent;
	return t->n[i].parent;
}

void tree_order(void **v, size_t nr, bool (*before)(void *ctx, const void *a, const void *b), void *ctx)
{
	struct tree t = { .root = NIL };
	void **sorted;
	size_t k = 0;

	if (nr < 2)
		return;
	t.n = xcalloc(nr + 1, sizeof(*t.n));
	for (u32 i = 1; i <= nr; i++)
		insert(&t, i, v, before, ctx);
	sorted = xreallocarray(NULL, nr, sizeof(*sorted));
	for (u32 i = leftmost(&t, t.root); i != NIL; i = next(&t, i))
		sorted[k++] = v[i - 1];
	for (k = 0; k < nr; k++)
		v[k] = sorted[k];
	free(sorted);
	free(t.n);
}
