/*
 * Decode PERF_RECORD_SAMPLE. The fields of a sample, and the offsets of the fixed ones, follow from its
 * evsel's attr alone, so a layout is computed once per evsel (man 2 perf_event_open, PERF_RECORD_SAMPLE;
 * fields are in memory in the order listed there).
 */
#ifndef FORMAT_SAMPLE_H
#define FORMAT_SAMPLE_H

#include "format/records/record.h"

#include <string.h>

enum { SAMPLE_NO_FIELD = 0xffff };

/* Byte offsets, from the record's start, of the fields of fixed size at the beginning. */
struct sample_layout {
	u16 identifier, ip, tid, addr, time, id, stream_id, cpu, period; /* SAMPLE_NO_FIELD: absent */
	u16 fixed_end; /* end of these fields; no valid sample is shorter */
	/* offset of the nr word; SAMPLE_NO_FIELD: absent, or after a READ of variable size */
	u16 callchain;
	u32 tail; /* the fields after the chain: sample_fields__tail */
	/* the offsets in struct sample of the words of a tail that has nothing else; nr_words 0: it has */
	u16 words[8];
	u8 nr_words;
	bool chain_behind_read; /* there is a chain after a READ of variable size */
	u64 default_period;     /* attr.sample_period, for samples without a period field */
	/*
	 * Offsets in the sample_id trailer of other records, in bytes back from the record's end; 0: absent.
	 */
	u16 trailer, trailer_time;
};

/*
 * How to find a sample's evsel before its layout is known: all evsels have IDENTIFIER, or ID at the same
 * place, or there is only one evsel.
 */
struct sample_decoder {
	const struct evlist *evlist;
	struct sample_layout *layouts; /* by evsel idx */
	struct evsel *only;            /* the evsel, if there is only one */
	u16 id_offset;                 /* from the record's start; SAMPLE_NO_FIELD: none */
	u32 id_words; /* bit n: some evsel has its id at word n; with several bits, each word is tried */
	bool same_trailers; /* all evsels have the same trailer: no need to find a record's evsel */
};

void sample_decoder__init(struct sample_decoder *d, const struct evlist *l);
void sample_decoder__exit(struct sample_decoder *d);
/*
 * Return the sample's evsel; NULL for an unknown id; the first evsel for id 0 and without ids, as in stock
 * perf.
 */
struct evsel *sample_decoder__evsel(const struct sample_decoder *d, const struct record *r);

const struct sample_layout *sample_decoder__trailer_layout(const struct sample_decoder *d,
							   const struct record *r);

/*
 * Return the size of the trailer of a record that is not a sample, in bytes; 0: none. *time: its time, or 0
 * if it has none. Faster than sample_id__decode.
 */
static inline size_t sample_decoder__trailer(const struct sample_decoder *d, const struct record *r,
					     u64 *time)
{
	const struct sample_layout *l =
		likely(d->same_trailers) ? &d->layouts[0] : sample_decoder__trailer_layout(d, r);
	size_t size = r->header->size;

	*time = 0;
	if (size < sizeof(*r->header) + l->trailer)
		return 0;
	if (l->trailer_time)
		memcpy(time, (const u8 *)r->header + size - l->trailer_time, sizeof(*time));
	return l->trailer;
}

/* The third word of a branch (struct perf_branch_entry). */
enum branch_flag {
	BRANCH_MISPREDICTED = 1,
	BRANCH_PREDICTED = 2,
	BRANCH_IN_TX = 4,
	BRANCH_ABORT = 8,
	BRANCH_CYCLES_SHIFT = 4, /* 16 bits */
	BRANCH_TYPE_SHIFT = 20,
	BRANCH_SPEC_SHIFT = 24, /* 2 bits: outcome of speculation; 0: unknown */
	BRANCH_NEW_TYPE_SHIFT = 26,
	BRANCH_RESERVED_SHIFT = 33,
};

/* All fields of a sample. Pointers point into the record. Absent fields are 0 / NULL. */
struct sample {
	struct evsel *evsel;
	const struct sample_layout *layout;
	u8 cpumode;
	u64 ip; /* memory address */
	u32 pid, tid;
	u64 time; /* ns */
	u64 addr, id, stream_id;
	u64 period; /* attr.sample_period if not recorded */
	u32 cpu;    /* UINT32_MAX: not recorded */
	u64 nr_callchain;
	const u64 *callchain; /* ips with PERF_CONTEXT_ markers; 8-byte aligned */

	/* Filled by sample__decode_tail, not by sample__decode_head; read is the first: */
	struct {
		u64 time_enabled, time_running;
		u64 nr;            /* counters; 1 without PERF_FORMAT_GROUP */
		const u64 *values; /* nr entries of value [id] [lost]; without GROUP: one value */
		u8 stride;         /* words per entry */
		u64 id, lost;      /* without GROUP; with GROUP they are in each entry, after the times */
	} read;
	const void *raw;
	u32 raw_size;
	u64 nr_branches;
	bool has_hw_idx;
	u64 hw_idx;
	const u64 *branches;        /* nr entries of from, to, flags */
	const u64 *branch_counters; /* nr words, NULL if none */
	u64 user_regs_abi, intr_regs_abi;
	const u64 *user_regs, *intr_regs; /* one word per bit of the attr's mask */
	const void *user_stack;           /* stack_size bytes, of which stack_dyn_size were copied */
	u64 stack_size, stack_dyn_size;
	/* offsets of REGS_USER and of the end of STACK_USER, in bytes from the record's start; 0: absent */
	u16 user_start, user_end;
	u64 weight; /* weight or weight_struct, as recorded */
	u64 data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;
	const void *aux;
	u64 aux_size;

	/* Not in the record; 0 unless profile/gather/sample_context.h has set them: */
	u64 parallelism; /* threads that ran at the time */
	u64 waker;       /* thread that ended the wait (profile/waits/wakers.h); 0: unknown */
	u64 lock;        /* what it waited for, and who ended the wait: text ids of profile/waits/locks.h */
	u64 holder;
	u64 cgroup_ns; /* the thread's cgroup namespace: device << 32 | inode */
};

/*
 * Decode the fixed fields and the chain only (the hot path of report); other fields of s are unchanged.
 * Return 0; -ENOENT: unknown id; -EBADMSG: the record is too short for its layout.
 */
int sample__decode_head(const struct sample_decoder *d, const struct record *r, struct sample *s);
/* Decode the other fields, after sample__decode_head. Return 0; -EBADMSG: a field runs past the end. */
int sample__decode_tail(const struct record *r, struct sample *s);
/* Decode all fields. Return 0; -ENOENT: unknown id; -EBADMSG: a field runs past the end. */
int sample__decode(const struct sample_decoder *d, const struct record *r, struct sample *s);
/* As sample__decode, for a sample of e whatever its id is. */
int sample__decode_as(const struct sample_decoder *d, struct evsel *e, const struct record *r,
		      struct sample *s);

enum { CPUMODE_UNKNOWN = 0xff };

/* Return the cpumode of the addresses after a PERF_CONTEXT_ mark, CPUMODE_UNKNOWN after an unknown mark. */
u8 callchain__cpumode(u64 mark);

/* Is the weight three numbers in one word (PERF_SAMPLE_WEIGHT_STRUCT)? */
static inline bool sample__has_weights(const struct sample *s)
{
	return s->evsel->attr.sample_type & SAMPLE_WEIGHT_STRUCT;
}

/* Return the cost of a sample's load, in the event's unit, most often cycles. */
static inline u64 sample__weight(const struct sample *s)
{
	return sample__has_weights(s) ? (u32)s->weight : s->weight;
}

#endif
