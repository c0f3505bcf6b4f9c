/* Fields of samples as text, in the words of stock perf 6.1. The bits are those of linux/perf_event.h. */
#ifndef FORMAT_SAMPLE_TEXT_H
#define FORMAT_SAMPLE_TEXT_H

#include "base/text/strbuf.h"

enum { PAGE_SIZE_TEXT_MAX = 24 };
/* Return "4K", "2M" etc., in buf; "N/A" for 0: the kernel could not tell. */
const char *page_size__str(u64 size, char buf[PAGE_SIZE_TEXT_MAX]);

/* Append "TX SYNC CON :12": the flags (PERF_TXN_...) and the code of an abort, in hexadecimal. */
void transaction__print(u64 transaction, struct strbuf *out);

/* Parts of data_src (union perf_mem_data_src). */
enum mem_part { MEM_LEVEL, MEM_SNOOP, MEM_TLB, MEM_LOCK, MEM_BLOCK, MEM_PARTS };
/* The bits of each. */
#define MEM_LEVEL_BITS \
	(0x3fffull << PERF_MEM_LVL_SHIFT | 0x1full << PERF_MEM_LVLNUM_SHIFT | 7ull << PERF_MEM_HOPS_SHIFT)
#define MEM_SNOOP_BITS (0x1full << PERF_MEM_SNOOP_SHIFT | 3ull << PERF_MEM_SNOOPX_SHIFT)
#define MEM_TLB_BITS (0x7full << PERF_MEM_TLB_SHIFT)
#define MEM_LOCK_BITS (3ull << PERF_MEM_LOCK_SHIFT)
#define MEM_BLOCK_BITS (7ull << PERF_MEM_BLK_SHIFT)
/* Return the bits of a part as a number that orders as in stock perf, and is equal where the text is. */
u64 mem_part__value(enum mem_part part, u64 data_src);
/* Append such a value: "L1 or L2 hit". */
void mem_part__print(enum mem_part part, u64 value, struct strbuf *out);

/*
 * Divisions of memory accesses: by operation, by cache, by memory, and by TLB result. Each kind of a division
 * has a number; the last kind has all other accesses.
 */
enum mem_kinds { MEM_OP_KINDS, MEM_CACHE_KINDS, MEM_MEMORY_KINDS, MEM_DTLB_KINDS };
enum { NR_MEM_OP_KINDS = 6, NR_MEM_CACHE_KINDS = 7, NR_MEM_MEMORY_KINDS = 7, NR_MEM_DTLB_KINDS = 5 };
/* Return the kind of an access. */
u64 mem_kinds__value(enum mem_kinds kinds, u64 data_src);
/* Append the name of a kind, at most six characters. */
void mem_kinds__print(enum mem_kinds kinds, u64 kind, struct strbuf *out);

#endif
