#include "binary/dwarf/dwarf_scan.h"

#include <dwarf.h>

enum {
	CODE_MAX = 1 << 20, /* producers count codes from 1 */
	ATTRS_MAX = 256,    /* of one entry */
};

/* Steps over attributes: a number of bytes, or one of these. */
enum step {
	STEP_BYTES_MAX = 0x7fff,
	STEP_LEB, /* a number of variable length */
	STEP_STRING,
	STEP_BLOCK1, /* a length of 1, 2, 4 bytes or of variable length, then that many bytes */
	STEP_BLOCK2,
	STEP_BLOCK4,
	STEP_BLOCK,
	STEP_INDIRECT, /* the form is stored before the value */
	/* Only in the table: their size depends on the unit. */
	STEP_ADDRESS,
	STEP_OFFSET,
	STEP_REF_ADDR,
};

static const struct {
	u16 form, step;
} forms[] = {
	{ DW_FORM_addr, STEP_ADDRESS },
	{ DW_FORM_block2, STEP_BLOCK2 },
	{ DW_FORM_block4, STEP_BLOCK4 },
	{ DW_FORM_data2, 2 },
	{ DW_FORM_data4, 4 },
	{ DW_FORM_data8, 8 },
	{ DW_FORM_string, STEP_STRING },
	{ DW_FORM_block, STEP_BLOCK },
	{ DW_FORM_block1, STEP_BLOCK1 },
	{ DW_FORM_data1, 1 },
	{ DW_FORM_flag, 1 },
	{ DW_FORM_sdata, STEP_LEB },
	{ DW_FORM_strp, STEP_OFFSET },
	{ DW_FORM_udata, STEP_LEB },
	{ DW_FORM_ref_addr, STEP_REF_ADDR },
	{ DW_FORM_ref1, 1 },
	{ DW_FORM_ref2, 2 },
	{ DW_FORM_ref4, 4 },
	{ DW_FORM_ref8, 8 },
	{ DW_FORM_ref_udata, STEP_LEB },
	{ DW_FORM_indirect, STEP_INDIRECT },
	{ DW_FORM_sec_offset, STEP_OFFSET },
	{ DW_FORM_exprloc, STEP_BLOCK },
	{ DW_FORM_flag_present, 0 },
	{ DW_FORM_strx, STEP_LEB },
	{ DW_FORM_addrx, STEP_LEB },
	{ DW_FORM_ref_sup4, 4 },
	{ DW_FORM_strp_sup, STEP_OFFSET },
	{ DW_FORM_data16, 16 },
	{ DW_FORM_line_strp, STEP_OFFSET },
	{ DW_FORM_ref_sig8, 8 },
	{ DW_FORM_implicit_const, 0 },
	{ DW_FORM_loclistx, STEP_LEB },
	{ DW_FORM_rnglistx, STEP_LEB },
	{ DW_FORM_ref_sup8, 8 },
	{ DW_FORM_strx1, 1 },
	{ DW_FORM_strx2, 2 },
	{ DW_FORM_strx3, 3 },
	{ DW_FORM_strx4, 4 },
	{ DW_FORM_addrx1, 1 },
	{ DW_FORM_addrx2, 2 },
	{ DW_FORM_addrx3, 3 },
	{ DW_FORM_addrx4, 4 },
	{ DW_FORM_GNU_addr_index, STEP_LEB },
	{ DW_FORM_GNU_str_index, STEP_LEB },
	{ DW_FORM_GNU_ref_alt, STEP_OFFSET },
	{ DW_FORM_GNU_strp_alt, STEP_OFFSET },
};

void dwarf_abbrevs__exit(struct dwarf_abbrevs *a)
{
	array__exit(&a->v);
	array__exit(&a->steps);
}

static bool step_over_form(const struct dwarf_abbrevs *a, u64 form, u16 *step)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].form != form)
			continue;
		*step = forms[i].step;
		if (*step == STEP_ADDRESS || (*step == STEP_REF_ADDR && a->version < 3))
			*step = a->address_size;
		else if (*step == STEP_OFFSET || *step == STEP_REF_ADDR)
			*step = a->offset_size;
		return true;
	}
	return false;
}

static enum dwarf_die_kind kind_of(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
		return DWARF_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return DWARF_INLINED;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return DWARF_TYPE;
	}
	return DWARF_OTHER;
}

static void dwarf_abbrevs__add_step(struct dwarf_abbrevs *a, struct dwarf_abbrev *to, u16 step)
{
	if (to->nr_steps && step <= STEP_BYTES_MAX && a->steps.v[a->steps.nr - 1] <= STEP_BYTES_MAX) {
		a->steps.v[a->steps.nr - 1] += step;
		return;
	}
	array__add(&a->steps, step);
	to->nr_steps++;
}

static bool dwarf_abbrevs__read(struct dwarf_abbrevs *a, Dwarf_Abbrev *from, struct dwarf_abbrev *to)
{
	unsigned name, form;
	Dwarf_Off offset;

	*to = (struct dwarf_abbrev){ .known = true,
				     .has_children = dwarf_abbrevhaschildren(from) > 0,
				     .kind = kind_of(dwarf_getabbrevtag(from)),
				     .first_step = (u32)a->steps.nr };
	/*
	 * Read up to the last one instead of counting: libdw 0.188 counts the values of
	 * DW_FORM_implicit_const as attributes.
	 */
	for (size_t i = 0; !dwarf_getabbrevattr(from, i, &name, &form, &offset) && (name || form); i++) {
		u16 step;

		if (i == ATTRS_MAX || !step_over_form(a, form, &step))
			return false;
		to->has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
		to->sibling =
			name == DW_AT_sibling && step && step <= 8 && form != DW_FORM_ref_addr ? (u8)step : 0;
		dwarf_abbrevs__add_step(a, to, step);
	}
	return true;
}

/* Return the abbreviation of the entry at offset, which has this code. */
static const struct dwarf_abbrev *dwarf_scan__abbrev(struct dwarf_scan *s, u64 code, u64 offset)
{
	struct dwarf_abbrevs *a = s->abbrevs;
	struct dwarf_abbrev *abbrev;
	Dwarf_Die die;

	if (likely(code < a->v.nr && a->v.v[code].known))
		return &a->v.v[code];
	if (code > CODE_MAX || !dwarf_offdie(s->dwarf, offset, &die) || dwarf_tag(&die) == DW_TAG_invalid ||
	    !die.abbrev)
		return NULL;
	while (a->v.nr <= code)
		array__add(&a->v, (struct dwarf_abbrev){ 0 });
	abbrev = &a->v.v[code];
	if (dwarf_abbrevs__read(a, die.abbrev, abbrev))
		return abbrev;
	abbrev->known = false;
	return NULL;
}

/* Callers that only skip the number ignore the result. */
static u64 read_uleb(struct cursor *c)
{
	u64 x = 0;
	unsigned shift = 0;

	while (c->p < c->end) {
		u8 byte = *c->p++;

		if (shift < 64)
			x |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return x;
		shift += 7;
	}
	c->bad = true;
	return 0;
}

static void skip_string(struct cursor *c)
{
	const u8 *nul = memchr(c->p, 0, cursor__left(c));

	c->bad |= !nul;
	c->p = nul ? nul + 1 : c->end;
}

static void skip_block(struct cursor *c, u64 size)
{
	if (size > cursor__left(c))
		c->bad = true;
	else
		cursor__skip(c, (size_t)size);
}

static void dwarf_scan__step(struct dwarf_scan *s, u16 step)
{
	struct cursor *c = &s->c;

	switch (step) {
	case STEP_LEB:
		read_uleb(c);
		break;
	case STEP_STRING:
		skip_string(c);
		break;
	case STEP_BLOCK1:
		skip_block(c, cursor__u8(c));
		break;
	case STEP_BLOCK2:
		skip_block(c, cursor__u16(c));
		break;
	case STEP_BLOCK4:
		skip_block(c, cursor__u32(c));
		break;
	case STEP_BLOCK:
		skip_block(c, read_uleb(c));
		break;
	case STEP_INDIRECT:
		if (step_over_form(s->abbrevs, read_uleb(c), &step) && step != STEP_INDIRECT)
			dwarf_scan__step(s, step);
		else
			c->bad = true;
		break;
	default:
		cursor__skip(c, step);
	}
}

bool dwarf_scan__begin(struct dwarf_scan *s, Dwarf_Die *unit, u64 offset, struct dwarf_abbrevs *abbrevs)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(unit->cu);
	Dwarf_Off first = dwarf_dieoffset(unit), start = first - dwarf_cuoffset(unit), end;
	uint8_t address_size, offset_size;
	Dwarf_Half version;
	Dwarf_Die last;
	const u8 *bytes;
	GElf_Ehdr ehdr;
	size_t header;

	if (dwarf_next_unit(dwarf, start, &end, &header, &version, NULL, &address_size, &offset_size, NULL,
			    NULL) ||
	    offset < first || offset >= end || !gelf_getehdr(dwarf_getelf(dwarf), &ehdr))
		return false;
	/* The unit's header claims this end: ask libdw whether the section has the last byte. */
	if (!dwarf_offdie(dwarf, end - 1, &last) || last.cu != unit->cu)
		return false;
	abbrevs->address_size = address_size;
	abbrevs->offset_size = offset_size;
	abbrevs->version = version;
	bytes = (const u8 *)unit->addr - first;
	*s = (struct dwarf_scan){ .abbrevs = abbrevs, .dwarf = dwarf, .start = offset, .unit = start };
	s->c = cursor__make(bytes + offset, end - offset,
			    (ehdr.e_ident[EI_DATA] == ELFDATA2MSB) !=
				    (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	return true;
}

/* Read the sibling from the last attribute of the entry that ends at the cursor. */
static u64 dwarf_scan__sibling(const struct dwarf_scan *s, u8 size)
{
	struct cursor c = s->c;

	c.p -= size;
	return s->unit + (size == 1   ? cursor__u8(&c)
			  : size == 2 ? cursor__u16(&c)
			  : size == 4 ? cursor__u32(&c)
				      : cursor__u64(&c));
}

void dwarf_scan__skip_children(struct dwarf_scan *s, const struct dwarf_die *die)
{
	u64 at = s->start + cursor__offset(&s->c);

	if (!die->abbrev->has_children || die->sibling < at || die->sibling - at > cursor__left(&s->c))
		return;
	s->c.p += die->sibling - at;
	s->depth = die->depth;
}

bool dwarf_scan__next(struct dwarf_scan *s, struct dwarf_die *die)
{
	while (cursor__left(&s->c) && !s->c.bad && (s->depth || !s->began)) {
		u64 offset = s->start + cursor__offset(&s->c), code = read_uleb(&s->c);
		const struct dwarf_abbrev *a;

		if (!code) { /* end of a list of siblings */
			s->depth -= s->depth > 0;
			s->began = true;
			continue;
		}
		a = dwarf_scan__abbrev(s, code, offset);
		if (!a)
			return false;
		for (u32 i = 0; i < a->nr_steps; i++)
			dwarf_scan__step(s, s->abbrevs->steps.v[a->first_step + i]);
		*die = (struct dwarf_die){ .offset = offset,
					   .sibling = a->sibling && !s->c.bad
							      ? dwarf_scan__sibling(s, a->sibling)
							      : 0,
					   .depth = s->depth,
					   .abbrev = a };
		s->depth += a->has_children;
		s->began = true;
		return !s->c.bad;
	}
	return false;
}
