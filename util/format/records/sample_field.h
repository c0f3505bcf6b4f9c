/*
 * The fields of samples: one table (sample_fields.c) that says where each field is in a record, what it means
 * and how it is printed. Decoding, byte order, sort keys, report -D and all other output of samples use it. A
 * new field is a member of struct sample, a name here and a row there.
 *
 * Properties that need more than the record (comm, symbol, dso, event) are not in it: see model/machine.h.
 */
#ifndef FORMAT_SAMPLE_FIELD_H
#define FORMAT_SAMPLE_FIELD_H

#include "base/message/word_list.h"
#include "base/text/strbuf.h"
#include "event/evsel/evsel.h"

struct cursor;
struct sample;

/* In the order in which fields are in a record; parts of a word follow each other. */
enum sample_field_id {
	FIELD_IDENTIFIER,
	FIELD_IP,
	FIELD_PID,
	FIELD_TID,
	FIELD_TIME,
	FIELD_ADDR,
	FIELD_ID,
	FIELD_STREAM_ID,
	FIELD_CPU,
	FIELD_PERIOD,
	FIELD_READ,
	FIELD_CALLCHAIN,
	FIELD_RAW,
	FIELD_BRANCHES,
	FIELD_USER_REGS,
	FIELD_USER_STACK,
	FIELD_WEIGHT,
	FIELD_INS_LAT,
	FIELD_RETIRE_LAT,
	FIELD_DATA_SRC,
	FIELD_MEM_LEVEL,
	FIELD_MEM_SNOOP,
	FIELD_MEM_TLB,
	FIELD_MEM_LOCK,
	FIELD_MEM_BLOCK,
	FIELD_MEM_OP,
	FIELD_MEM_CACHE,
	FIELD_MEM_MEMORY,
	FIELD_MEM_DTLB,
	FIELD_TRANSACTION,
	FIELD_INTR_REGS,
	FIELD_PHYS_ADDR,
	FIELD_CGROUP,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_AUX,
	/* values that other records tell */
	FIELD_WAKER,
	FIELD_LOCK,
	FIELD_HOLDER,
	FIELD_PARALLELISM,
	FIELD_CGROUP_NS,
	SAMPLE_FIELDS,
	FIELD_TAIL = FIELD_RAW, /* the first after the call chain */
};

enum sample_field_type {
	FIELD_NUMBER,
	FIELD_SIGNED,  /* of 32 bits */
	FIELD_ADDRESS, /* in hexadecimal */
	FIELD_TEXT,    /* a number that stands for the text that .print adds */
	FIELD_LIST,    /* several words, without .value: see struct sample */
};

struct sample_field {
	const char *name; /* as in perf script -F, if it is there */
	u64 in;           /* bits of attr.sample_type that record it: any; 0: not in the record */
	enum sample_field_type type;
	const char *unit; /* "ns", "bytes", "cycles" (of weights: most often); NULL: none */

	/* position in a record: */
	u16 head; /* before READ: 1 + offset in struct sample_layout of its offset; 0: elsewhere */
	/*
	 * After the chain: the offset in struct sample of the word to set, or a function that reads more than
	 * a word. Both 0: a part of the word before.
	 */
	u16 word;
	void (*decode)(struct sample *s, struct cursor *c);

	u64 (*value)(const struct sample *s);
	/* the offset in struct sample of the u64 that .value is made of, if it is not .word; 0: none */
	u16 of;
	u64 bits;                                     /* bits of that word on which .value depends; 0: all */
	void (*print)(u64 value, struct strbuf *out); /* append the text; NULL: as its type says */

	/* Start of its line in report -D; the value follows. NULL: it has no line, or one of its own. */
	const char *dump;
	void (*dump_value)(const struct sample *s, struct strbuf *out); /* instead of the value's text */
	bool dump_last;                                                 /* after the lines of the others */
};

extern const struct sample_field sample_fields[SAMPLE_FIELDS];

/* Do samples with this attr have the field? */
static inline bool sample_field__is_in(const struct sample_field *f, const struct perf_event_attr *attr)
{
	return attr->sample_type & f->in;
}

/* Return the offset in struct sample of the u64 from which the value is made; 0: there is no such word. */
static inline u16 sample_field__offset(const struct sample_field *f)
{
	return f->of ? f->of : f->word;
}

/*
 * Return the bits of this word on which the value depends, in samples that have only fields of sample_type.
 */
u64 sample_field__bits(const struct sample_field *f, u64 sample_type);
/* Append the text of a value of the field. */
void sample_field__print(const struct sample_field *f, u64 value, struct strbuf *out);
/* Return the set of fields after the chain that are in samples of this type: bit n: FIELD_TAIL + n. */
u32 sample_fields__tail(u64 sample_type);
/* Decode a READ of any shape. */
void sample__read_counters(struct sample *s, struct cursor *c);

#endif
