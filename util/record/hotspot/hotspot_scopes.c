#include "record/hotspot/hotspot_scopes.h"

#include "base/memory/array.h"

#include <stdint.h>

enum {
	PCS_MAX = 1 << 20, /* bytes of return addresses of a method */
	SCOPE_BYTES = 15,  /* three numbers of at most five bytes */
	METADATA_MAX = 1 << 16,
	OLD_NUMBERS = 19, /* versions up to this one have numbers whose bytes may be 0 */
	PC_BYTES_MAX = 64,
};

/*
 * A byte of a number below the limit is its last one; four others have 6 more bits each. Since JDK 20, no
 * byte is 0: each is one more than its value.
 */
bool hotspot_scopes__number(const u8 *bytes, size_t end, size_t *at, s32 version, u32 *value)
{
	const u8 excess = version > OLD_NUMBERS, limit = 192;
	u32 sum = 0;

	for (unsigned i = 0; i < 5; i++) {
		u8 byte;

		if (*at >= end)
			return false;
		byte = bytes[(*at)++];
		if (byte < excess)
			return false;
		sum += (u32)(byte - excess) << (6 * i);
		if (byte < limit)
			break;
	}
	*value = sum;
	return true;
}

/* Where an nmethod has its tables: addresses. */
struct tables {
	u64 pcs, pcs_end, scopes, metadata;
};

static bool find_tables(struct tables *t, const struct hotspot_blob *b, const struct hotspot_layout *l,
			const struct vm_memory *m)
{
	u8 object[HOTSPOT_OBJECT_MAX];
	u64 base;

	if (l->sizes[TYPE_NMETHOD] > sizeof(object) ||
	    !vm_memory__read(m, b->blob, object, l->sizes[TYPE_NMETHOD]))
		return false;
	base = b->blob;
	if (hotspot_layout__has(l, NMETHOD_IMMUTABLE))
		base = hotspot_layout__value(l, NMETHOD_IMMUTABLE, object);
	t->scopes = base + hotspot_layout__value(l, NMETHOD_SCOPES_OFFSET, object);
	if (hotspot_layout__has(l, NMETHOD_IMMUTABLE)) {
		t->pcs_end = t->scopes;
		t->metadata = hotspot_layout__value(l, BLOB_MUTABLE, object) +
			      hotspot_layout__value(l, BLOB_RELOCATION_SIZE, object);
	} else {
		if (hotspot_layout__has(l, NMETHOD_SCOPES))
			t->scopes = hotspot_layout__value(l, NMETHOD_SCOPES, object);
		t->pcs_end = base + hotspot_layout__value(l, NMETHOD_PCS_END, object);
		t->metadata = base + hotspot_layout__value(l, NMETHOD_METADATA_OFFSET, object);
	}
	t->pcs = base + hotspot_layout__value(l, NMETHOD_PCS_OFFSET, object);
	return t->pcs < t->pcs_end && t->pcs_end - t->pcs <= PCS_MAX;
}

static bool is_known(const struct hotspot_layout *l)
{
	static const enum hotspot_field new[] = { NMETHOD_IMMUTABLE, NMETHOD_SCOPES_OFFSET, BLOB_MUTABLE,
						  BLOB_RELOCATION_SIZE },
					old[] = { NMETHOD_PCS_END, NMETHOD_METADATA_OFFSET };
	bool has_new = true, has_old = hotspot_layout__has(l, NMETHOD_SCOPES) ||
				       hotspot_layout__has(l, NMETHOD_SCOPES_OFFSET);

	for (size_t i = 0; i < ARRAY_SIZE(new); i++)
		has_new &= hotspot_layout__has(l, new[i]);
	for (size_t i = 0; i < ARRAY_SIZE(old); i++)
		has_old &= hotspot_layout__has(l, old[i]);
	return (hotspot_layout__has(l, NMETHOD_IMMUTABLE) ? has_new : has_old) && l->version &&
	       l->sizes[TYPE_PC] && l->sizes[TYPE_PC] <= PC_BYTES_MAX &&
	       hotspot_layout__has(l, NMETHOD_PCS_OFFSET) && hotspot_layout__has(l, PC_OFFSET) &&
	       hotspot_layout__has(l, PC_SCOPE) && l->fields[PC_OFFSET].at + 4 <= l->sizes[TYPE_PC] &&
	       l->fields[PC_SCOPE].at + 4 <= l->sizes[TYPE_PC];
}

/* Find the entry of a return address; they are sorted. *scope: its offset in the scopes' data; 0: none. */
static bool find_scope(const struct tables *t, const struct hotspot_layout *l, const struct vm_memory *m,
		       s64 offset, u64 *scope)
{
	const u64 size = l->sizes[TYPE_PC];
	u64 low = 0, high = (t->pcs_end - t->pcs) / size, at;

	while (low < high) {
		u64 middle = low + (high - low) / 2;

		if (!hotspot_layout__get(l, m, t->pcs + middle * size, PC_OFFSET, &at))
			return false;
		if ((s64)at == offset)
			return hotspot_layout__get(l, m, t->pcs + middle * size, PC_SCOPE, scope) && *scope &&
			       *scope < UINT32_MAX;
		if ((s64)at < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Read one scope. *sender: offset of the scope of its caller; 0: it is the outermost one. */
static bool read_scope(struct hotspot_scope *s, const struct tables *t, const struct hotspot_layout *l,
		       const struct vm_memory *m, u64 scope, u32 *sender)
{
	u8 bytes[SCOPE_BYTES];
	u32 method, bci;
	size_t at = 0;

	if (!vm_memory__read(m, t->scopes + scope, bytes, sizeof(bytes)) ||
	    !hotspot_scopes__number(bytes, sizeof(bytes), &at, l->version, sender) ||
	    !hotspot_scopes__number(bytes, sizeof(bytes), &at, l->version, &method) ||
	    !hotspot_scopes__number(bytes, sizeof(bytes), &at, l->version, &bci) || !method ||
	    method > METADATA_MAX)
		return false;
	s->at = bci ? bci - 1 : 0; /* 0: at its entry */
	return vm_memory__u64(m, t->metadata + (method - 1) * 8ull, &s->method) && s->method;
}

unsigned hotspot_scopes__find(struct hotspot_scope *v, const struct hotspot_blob *b,
			      const struct hotspot_layout *l, const struct vm_memory *m, u64 ra)
{
	struct hotspot_scope s;
	struct tables t;
	unsigned nr = 0;
	u64 scope;
	u32 sender;

	if (!b->is_method || !is_known(l) || !find_tables(&t, b, l, m) ||
	    !find_scope(&t, l, m, (s64)(ra - b->code_begin), &scope))
		return 0;
	for (; read_scope(&s, &t, l, m, scope, &sender); scope = sender) {
		if (!sender) /* a wrong layout does not lead to the method whose code it is */
			return s.method == b->method ? nr : 0;
		if (nr == HOTSPOT_SCOPES_MAX || sender >= scope)
			return 0;
		v[nr++] = s;
	}
	return 0;
}
