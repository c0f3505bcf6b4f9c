/*
 * -F: which fields of samples perf script prints, for each kind of event. One table (output_fields.c) has the
 * names, as in stock perf 6.1 and 7.x, and what a sample must have for each.
 */
#ifndef SCRIPT_OUTPUT_FIELDS_H
#define SCRIPT_OUTPUT_FIELDS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"

enum output_field {
	OUT_COMM,
	OUT_TID,
	OUT_PID,
	OUT_TIME,
	OUT_CPU,
	OUT_EVENT,
	OUT_TRACE,
	OUT_IP,
	OUT_SYM,
	OUT_DSO,
	OUT_DSOFF,
	OUT_ADDR,
	OUT_SYMOFF,
	OUT_SRCLINE,
	OUT_PERIOD,
	OUT_IREGS,
	OUT_UREGS,
	OUT_BRSTACK,
	OUT_BRSTACKSYM,
	OUT_DATA_SRC,
	OUT_WEIGHT,
	OUT_BPF_OUTPUT,
	OUT_BRSTACKOFF,
	OUT_PHYS_ADDR,
	OUT_MISC,
	OUT_DATA_PAGE_SIZE,
	OUT_CODE_PAGE_SIZE,
	OUT_INS_LAT,
	OUT_CGROUP,
	OUT_RETIRE_LAT,
	OUT_INSN,
	OUT_INSNLEN,
	OUT_DISASM,
	OUT_SRCCODE,
	OUT_BRSTACKINSN,
	OUT_BRSTACKINSNLEN,
	OUT_BRSTACKDISASM,
	OUT_LOCK,
	OUT_HOLDER,
	OUT_FIELDS, /* those after it are known, but not supported */
};

#define OUT(field) (1ull << OUT_##field)

/* Those that need a disassembler, and those of branches among them. */
#define OUT_BRANCH_CODE (OUT(BRSTACKINSN) | OUT(BRSTACKINSNLEN) | OUT(BRSTACKDISASM))
#define OUT_CODE (OUT(INSN) | OUT(INSNLEN) | OUT(DISASM) | OUT_BRANCH_CODE)

/* Those that need a look at the whole recording. */
#define OUT_LOCKS (OUT(LOCK) | OUT(HOLDER))

/* Kinds of events, by attr.type. */
enum output_kind { KIND_HW, KIND_SW, KIND_TRACE, KIND_RAW, KIND_OTHER, KIND_SYNTH, OUTPUT_KINDS };

struct output_fields {
	u64 fields[OUTPUT_KINDS];  /* bits OUT(...) */
	u64 asked[OUTPUT_KINDS];   /* of these, those that the user named */
	bool is_set[OUTPUT_KINDS]; /* the user changed the default */
};

void output_fields__init(struct output_fields *f);
/* Apply the text of one -F. Return 0, or a negative errno with err. */
int output_fields__parse(struct output_fields *f, const char *text, struct err *err);
/* Did the user name any of these fields, bits OUT(...)? */
bool output_fields__asks(const struct output_fields *f, u64 fields);
/*
 * Fill by_event, an array by evsel idx, with what is printed of each event's samples. Return 0, or -EINVAL
 * with err: no event has a field that was asked for.
 */
int output_fields__resolve(const struct output_fields *f, const struct evlist *l, u64 *by_event,
			   struct err *err);

#endif
