#include "binary/dwarf/dwarf_addresses.h"

#include <dwarf.h>

/* Where ranges go to. */
struct range_sink {
	struct spans *spans;
	u32 group, id, *left;
};

static void range_sink__add(struct range_sink *to, u64 low, u64 high)
{
	--*to->left;
	if (low && low < high)
		array__add(&to->spans->v, ((struct span){ low, high, to->group, to->id }));
}

static u64 read_uleb(struct cursor *c)
{
	u64 x = 0;

	for (unsigned shift = 0; !c->bad; shift += 7) {
		u8 byte = cursor__u8(c);

		if (shift < 64)
			x |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return x;
}

static u64 read_sized(struct cursor *c, unsigned size)
{
	return size == 8   ? cursor__u64(c)
	       : size == 4 ? cursor__u32(c)
	       : size == 2 ? cursor__u16(c)
			   : cursor__u8(c);
}

static u64 read_address(const struct dwarf_addresses *a, struct cursor *c)
{
	return a->address_size == 8 ? cursor__u64(c) : cursor__u32(c);
}

/* The bytes of an attribute's value and all behind it; none, if they do not stand among the entries. */
static struct cursor dwarf_addresses__value(const struct dwarf_addresses *a, const Dwarf_Attribute *attr)
{
	struct cursor c = a->entries;
	uintptr_t at = (uintptr_t)attr->valp - (uintptr_t)c.start;

	cursor__skip(&c, at);
	return c;
}

/* The address with that number. */
static bool dwarf_addresses__get(const struct dwarf_addresses *a, u64 number, u64 *addr)
{
	struct cursor c = a->table;

	if (number >= cursor__left(&c) / a->address_size)
		return false;
	cursor__skip(&c, (size_t)number * a->address_size);
	*addr = read_address(a, &c);
	return !c.bad;
}

/* Of an attribute that is an address or the number of one. */
static bool dwarf_addresses__attr(const struct dwarf_addresses *a, const Dwarf_Attribute *attr, u64 *addr)
{
	static const struct {
		unsigned form, size; /* 0: of variable length */
	} forms[] = {
		{ DW_FORM_addrx, 0 },  { DW_FORM_GNU_addr_index, 0 }, { DW_FORM_addrx1, 1 },
		{ DW_FORM_addrx2, 2 }, { DW_FORM_addrx4, 4 },
	};
	struct cursor c = dwarf_addresses__value(a, attr);

	if (attr->form == DW_FORM_addr) {
		*addr = read_address(a, &c);
		return !c.bad;
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (forms[i].form == attr->form) {
			u64 number = forms[i].size ? read_sized(&c, forms[i].size) : read_uleb(&c);

			return !c.bad && dwarf_addresses__get(a, number, addr);
		}
	return false;
}

/* ---- lists ---- */

/* .debug_ranges: pairs of offsets from the base. (DWARF 4, section 2.17.3) */
static void dwarf_addresses__read_pairs(const struct dwarf_addresses *a, struct cursor *c,
					struct range_sink *to)
{
	u64 none = a->address_size == 8 ? UINT64_MAX : UINT32_MAX, base = a->base;

	while (*to->left) {
		u64 low = read_address(a, c), high = read_address(a, c);

		if (c->bad || (!low && !high))
			return;
		if (low == none)
			base = high;
		else
			range_sink__add(to, base + low, base + high);
	}
}

/* .debug_rnglists: entries of a kind each. (DWARF 5, section 7.25) */
static void dwarf_addresses__read_list(const struct dwarf_addresses *a, struct cursor *c,
				       struct range_sink *to)
{
	u64 base = a->base, low = 0, high = 0;

	for (u8 kind; *to->left && (kind = cursor__u8(c)) != DW_RLE_end_of_list && !c->bad;) {
		bool is_range = kind != DW_RLE_base_addressx && kind != DW_RLE_base_address;
		bool is_known = true;

		if (kind <= DW_RLE_startx_length) /* those with numbers of addresses */
			is_known = dwarf_addresses__get(a, read_uleb(c), is_range ? &low : &base);
		switch (kind) {
		case DW_RLE_base_addressx:
			break;
		case DW_RLE_startx_endx:
			is_known &= dwarf_addresses__get(a, read_uleb(c), &high);
			break;
		case DW_RLE_startx_length:
			high = low + read_uleb(c);
			break;
		case DW_RLE_offset_pair:
			low = base + read_uleb(c);
			high = base + read_uleb(c);
			break;
		case DW_RLE_base_address:
			base = read_address(a, c);
			break;
		case DW_RLE_start_end:
			low = read_address(a, c);
			high = read_address(a, c);
			break;
		case DW_RLE_start_length:
			low = read_address(a, c);
			high = low + read_uleb(c);
			break;
		default:
			return;
		}
		if (c->bad || !is_known)
			return;
		if (is_range)
			range_sink__add(to, low, high);
	}
}

/* Moves c, which is at the header of the lists, to the list with that number. */
static bool find_list(struct cursor *c, u64 number)
{
	u64 length = cursor__u32(c), nr, offset;
	bool is_64bit = length == UINT32_MAX;
	unsigned size = is_64bit ? 8 : 4;
	struct cursor offsets;

	cursor__skip(c, is_64bit ? 8 + 4 : 4); /* the length; version, sizes */
	nr = cursor__u32(c);
	offsets = *c; /* which are counted from here */
	if (c->bad || number >= nr || number >= cursor__left(&offsets) / size)
		return false;
	cursor__skip(&offsets, (size_t)number * size);
	offset = read_sized(&offsets, size);
	if (offset > cursor__left(c))
		return false;
	cursor__skip(c, (size_t)offset);
	return true;
}

static void dwarf_addresses__read_ranges(const struct dwarf_addresses *a, const Dwarf_Attribute *attr,
					 struct range_sink *to)
{
	struct cursor c = a->ranges, value = dwarf_addresses__value(a, attr);

	if (attr->form == DW_FORM_rnglistx) {
		c.bad = !find_list(&c, read_uleb(&value));
	} else { /* libdw reads no offset into a section that it does not see */
		cursor__skip(&c,
			     (size_t)read_sized(&value, attr->form == DW_FORM_data4 ? 4 : a->offset_size));
	}
	if (c.bad || value.bad)
		return;
	if (a->version < 5)
		dwarf_addresses__read_pairs(a, &c, to);
	else
		dwarf_addresses__read_list(a, &c, to);
}

void dwarf_addresses__add_spans(const struct dwarf_addresses *a, Dwarf_Die *die, struct spans *spans,
				u32 group, u32 id, u32 *left)
{
	struct range_sink to = { spans, group, id, left };
	Dwarf_Attribute attr;
	u64 low, high;
	Dwarf_Word size;

	if (!*left)
		return;
	if (dwarf_attr(die, DW_AT_ranges, &attr)) {
		dwarf_addresses__read_ranges(a, &attr, &to);
		return;
	}
	if (!dwarf_attr(die, DW_AT_low_pc, &attr) || !dwarf_addresses__attr(a, &attr, &low) ||
	    !dwarf_attr(die, DW_AT_high_pc, &attr))
		return;
	if (!dwarf_addresses__attr(a, &attr, &high)) {
		if (dwarf_formudata(&attr, &size))
			return;
		high = low + size;
	}
	range_sink__add(&to, low, high);
}
