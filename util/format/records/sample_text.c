#include "format/records/sample_text.h"

#include <linux/perf_event.h>
#include <stdio.h>

const char *page_size__str(u64 size, char buf[PAGE_SIZE_TEXT_MAX])
{
	static const char units[] = "BKMG";
	unsigned unit = 0;

	if (!size)
		return "N/A";
	for (; size / 1024 > 1 && unit < 3; unit++)
		size /= 1024;
	snprintf(buf, PAGE_SIZE_TEXT_MAX, "%llu%c", (unsigned long long)size, units[unit]);
	return buf;
}

/* Append the names of the bits that are set. Return whether there are any. */
static bool print_bits(u64 bits, const char *const *names, size_t nr, const char *between, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < nr; i++) {
		if (!(bits >> i & 1))
			continue;
		strbuf__addstr(out, any ? between : "");
		strbuf__addstr(out, names[i]);
		any = true;
	}
	return any;
}

void transaction__print(u64 transaction, struct strbuf *out)
{
	static const char *const names[] = { "EL",    "TX",  "SYNC",      "ASYNC",
					     "RETRY", "CON", "CAP-WRITE", "CAP-READ" };
	u64 code = transaction >> PERF_TXN_ABORT_SHIFT;
	bool any = print_bits(transaction, names, ARRAY_SIZE(names), " ", out);

	if (transaction && !(transaction & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf__addf(out, "%sNEITHER", any ? " " : "");
	if (code)
		strbuf__addf(out, " :%llx", (unsigned long long)code);
}

/* ---- where a load or store found its data ---- */

static const char *const levels[] = { "N/A",
				      "",
				      "",
				      "L1",
				      "LFB/MAB",
				      "L2",
				      "L3",
				      "Local RAM",
				      "Remote RAM (1 hop)",
				      "Remote RAM (2 hops)",
				      "Remote Cache (1 hop)",
				      "Remote Cache (2 hops)",
				      "I/O",
				      "Uncached" };
enum { LEVEL_HIT_SHIFT = PERF_MEM_LVL_SHIFT + 1, TLB_HIT_SHIFT = PERF_MEM_TLB_SHIFT + 1 };

static void print_hit(u64 bits, struct strbuf *out)
{
	strbuf__addstr(out, bits & 1 ? " hit" : "");
	strbuf__addstr(out, bits & 2 ? " miss" : "");
}

/* Newer kernels give one number instead of, or besides, the bits of levels. */
static void print_level(u64 d, struct strbuf *out)
{
	static const char *const numbers[] = {
		"",     "L1",       "L2",  "L3",  "L4",        "L2 MHB",  "Memory-side Cache",
		"L7",   "Uncached", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM",
		"PMEM", "N/A"
	};
	static const char *const hops[] = {
		"", "core, same node ", "node, same socket ", "socket, same board ", "board ", "", "", ""
	};
	u64 bits = d >> PERF_MEM_LVL_SHIFT & 0x3fff & ~(u64)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS);
	unsigned number = d >> PERF_MEM_LVLNUM_SHIFT & 15, hop = d >> PERF_MEM_HOPS_SHIFT & 7;
	size_t start = out->len;

	strbuf__addstr(out, d >> PERF_MEM_REMOTE_SHIFT & 1 ? "Remote " : "");
	strbuf__addstr(out, hops[hop]);
	if (print_bits(bits, levels, ARRAY_SIZE(levels), " or ", out) && number)
		strbuf__addstr(out, " or ");
	strbuf__addstr(out, numbers[number]);
	if (out->len == start)
		strbuf__addstr(out, "N/A");
	print_hit(d >> LEVEL_HIT_SHIFT, out);
}

static void print_tlb(u64 d, struct strbuf *out)
{
	static const char *const names[] = { "N/A", "", "", "L1", "L2", "Walker", "Fault" };

	if (!print_bits(d >> PERF_MEM_TLB_SHIFT & ~6ull, names, ARRAY_SIZE(names), " or ", out))
		strbuf__addstr(out, "N/A");
	print_hit(d >> TLB_HIT_SHIFT, out);
}

static void print_snoop(u64 d, struct strbuf *out)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
	u64 bits = (d >> PERF_MEM_SNOOP_SHIFT & 0x1f) | (d >> PERF_MEM_SNOOPX_SHIFT & 3) << 5;

	if (!print_bits(bits, names, ARRAY_SIZE(names), " or ", out))
		strbuf__addstr(out, "N/A");
}

static void print_lock(u64 d, struct strbuf *out)
{
	u64 bits = d >> PERF_MEM_LOCK_SHIFT;

	strbuf__addstr(out, bits & PERF_MEM_LOCK_NA ? "N/A" : bits & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

static void print_block(u64 d, struct strbuf *out)
{
	u64 bits = d >> PERF_MEM_BLK_SHIFT & 7;

	if (!bits || bits & PERF_MEM_BLK_NA) {
		strbuf__addstr(out, " N/A");
		return;
	}
	strbuf__addstr(out, bits & PERF_MEM_BLK_DATA ? " Data" : "");
	strbuf__addstr(out, bits & PERF_MEM_BLK_ADDR ? " Addr" : "");
}

static const struct {
	u64 mask;
	void (*print)(u64 data_src, struct strbuf *out);
} parts[] = {
	[MEM_LEVEL] = { MEM_LEVEL_BITS, print_level }, [MEM_SNOOP] = { MEM_SNOOP_BITS, print_snoop },
	[MEM_TLB] = { MEM_TLB_BITS, print_tlb },       [MEM_LOCK] = { MEM_LOCK_BITS, print_lock },
	[MEM_BLOCK] = { MEM_BLOCK_BITS, print_block },
};
_Static_assert(ARRAY_SIZE(parts) == MEM_PARTS, "each part has its bits");

/* Bits below OLD_BITS are those that all kernels know; they decide the order. */
enum { OLD_BITS = 33, NEW_BITS = 30 };

u64 mem_part__value(enum mem_part part, u64 data_src)
{
	u64 bits = data_src & parts[part].mask;

	return (bits & ((1ull << OLD_BITS) - 1)) << NEW_BITS | bits >> OLD_BITS;
}

void mem_part__print(enum mem_part part, u64 value, struct strbuf *out)
{
	parts[part].print(value >> NEW_BITS | (value & ((1ull << NEW_BITS) - 1)) << OLD_BITS, out);
}

/* ---- accesses to memory, divided ---- */

static u64 op_kind(u64 d)
{
	u64 op = d >> PERF_MEM_OP_SHIFT & 0x1f, both = PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE;

	if (op & PERF_MEM_OP_NA)
		return 5;
	if (op & PERF_MEM_OP_PFETCH)
		return 3;
	if (op & PERF_MEM_OP_EXEC)
		return 4;
	return (op & both) == both ? 2 : op & PERF_MEM_OP_LOAD ? 0 : op & PERF_MEM_OP_STORE ? 1 : 5;
}

/* numbers of levels: PERF_MEM_LVLNUM_...; older headers lack the names of some */
enum { LVLNUM_L2_MHB = 5, LVLNUM_MSC = 6, LVLNUM_UNC = 8, LVLNUM_CXL = 9, LVLNUM_IO = 10 };

static u64 level_number(u64 d)
{
	return d >> PERF_MEM_LVLNUM_SHIFT & 0xf;
}

static u64 cache_kind(u64 d)
{
	switch (level_number(d)) {
	case PERF_MEM_LVLNUM_L1:
	case PERF_MEM_LVLNUM_L2:
	case PERF_MEM_LVLNUM_L3:
	case PERF_MEM_LVLNUM_L4:
		return level_number(d) - PERF_MEM_LVLNUM_L1;
	case PERF_MEM_LVLNUM_LFB:
		return 4;
	case LVLNUM_L2_MHB:
		return 5;
	default:
		return 6;
	}
}

static u64 memory_kind(u64 d)
{
	switch (level_number(d)) {
	case PERF_MEM_LVLNUM_RAM:
		return 0;
	case LVLNUM_MSC:
		return 1;
	case LVLNUM_UNC:
		return 2;
	case LVLNUM_CXL:
		return 3;
	case LVLNUM_IO:
		return 4;
	case PERF_MEM_LVLNUM_PMEM:
		return 5;
	default:
		return 6;
	}
}

static u64 dtlb_kind(u64 d)
{
	u64 bits = d >> PERF_MEM_TLB_SHIFT & 0x7f;

	if (bits & PERF_MEM_TLB_MISS)
		return 3;
	switch (bits) {
	case PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1:
		return 0;
	case PERF_MEM_TLB_HIT | PERF_MEM_TLB_L2:
		return 1;
	case PERF_MEM_TLB_HIT | PERF_MEM_TLB_L1 | PERF_MEM_TLB_L2:
		return 2;
	default:
		return 4;
	}
}

static const struct {
	u64 (*value)(u64 data_src);
	const char *names[NR_MEM_CACHE_KINDS];
} divisions[] = {
	[MEM_OP_KINDS] = { op_kind, { "Load", "Store", "Ld+St", "Pfetch", "Exec", "Other" } },
	[MEM_CACHE_KINDS] = { cache_kind, { "L1", "L2", "L3", "L4", "L1-buf", "L2-buf", "Other" } },
	[MEM_MEMORY_KINDS] = { memory_kind, { "RAM", "MSC", "Uncach", "CXL", "IO", "PMEM", "Other" } },
	[MEM_DTLB_KINDS] = { dtlb_kind, { "L1-Hit", "L2-Hit", "L?-Hit", "Miss", "Other" } },
};

u64 mem_kinds__value(enum mem_kinds kinds, u64 data_src)
{
	return divisions[kinds].value(data_src);
}

void mem_kinds__print(enum mem_kinds kinds, u64 kind, struct strbuf *out)
{
	strbuf__addstr(out, divisions[kinds].names[kind]);
}
