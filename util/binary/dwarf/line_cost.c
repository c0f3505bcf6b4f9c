#include "binary/dwarf/line_cost.h"

#include <dwarf.h>

enum {
	SMALL = 64 << 10, /* bytes; the rows of a smaller table are not counted */
	ROW_COST = 120,   /* bytes of libdw and of ours for a row */
	FILE_COST = 96,   /* bytes for each byte of the head, which could be a file's whole entry */
	TRUE_COST = 48,   /* bytes for each byte of a true table, which has 3 to 5 for a row */
	OPCODES_MAX = 255,
};

/* Skip an operand of variable length. */
static void skip_leb(struct cursor *c)
{
	while (cursor__left(c) && cursor__u8(c) & 0x80)
		;
}

static u64 extended_length(struct cursor *c)
{
	u64 value = 0;

	for (unsigned shift = 0; cursor__left(c) && shift < 63; shift += 7) {
		u8 byte = cursor__u8(c);

		value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/* nr_operands: by opcode, up to the first special one */
static u64 count_rows(struct cursor *c, u8 first_special, const u8 *nr_operands)
{
	u64 rows = 0;

	while (cursor__left(c) && !c->bad) {
		u8 op = cursor__u8(c);

		if (op >= first_special || op == DW_LNS_copy) {
			rows++;
		} else if (!op) {
			u64 length = extended_length(c);

			if (length > cursor__left(c))
				break;
			rows += length && *c->p == DW_LNE_end_sequence;
			cursor__skip(c, (size_t)length);
		} else if (op == DW_LNS_fixed_advance_pc) {
			cursor__skip(c, 2);
		} else {
			for (u8 i = 0; i < nr_operands[op]; i++)
				skip_leb(c);
		}
	}
	return rows;
}

struct line_cost line_cost__of(struct cursor c)
{
	struct line_cost cost = { 0 };
	u64 length = cursor__u32(&c), head, needed;
	bool is_dwarf64 = length == UINT32_MAX;
	u8 nr_operands[OPCODES_MAX + 1] = { 0 };
	u8 first_special;
	u16 version;

	if (is_dwarf64)
		length = cursor__u64(&c);
	if (c.bad || length > cursor__left(&c))
		return cost;
	cost.bytes = length;
	if (length < SMALL)
		return cost;
	c = cursor__make(cursor__bytes(&c, (size_t)length), (size_t)length, c.swap);
	version = cursor__u16(&c);
	cursor__skip(&c, version >= 5 ? 2 : 0); /* sizes of addresses and segments */
	head = is_dwarf64 ? cursor__u64(&c) : cursor__u32(&c);
	if (c.bad || head > cursor__left(&c))
		return cost;
	length = cursor__left(&c) - head;
	needed = head * FILE_COST;
	cursor__skip(&c, version >= 4 ? 5 : 4);
	first_special = cursor__u8(&c);
	for (unsigned op = 1; op < first_special; op++)
		nr_operands[op] = cursor__u8(&c);
	cursor__skip(&c, cursor__left(&c) > length ? (size_t)(cursor__left(&c) - length) : 0);
	cost.rows = c.bad ? 0 : count_rows(&c, first_special, nr_operands);
	needed += cost.rows * ROW_COST;
	cost.excess = needed - MIN(needed, cost.bytes * TRUE_COST);
	return cost;
}
