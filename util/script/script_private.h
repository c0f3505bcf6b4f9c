/* Shared by the files of perf script. */
#ifndef SCRIPT_SCRIPT_PRIVATE_H
#define SCRIPT_SCRIPT_PRIVATE_H

#include "event/tracepoint/trace_format.h"
#include "format/records/read_deltas.h"
#include "profile/gather/unwound.h"
#include "script/frame_text.h"
#include "script/script.h"
#include "ui/dump/dump_record.h"

struct script { /* read-only while records are formatted, but for what look_at changes */
	const struct script_args *args;
	struct session *session;
	u64 *fields;     /* by evsel idx: bits OUT(...) */
	int name_width;  /* of events */
	bool has_chains; /* some event has call chains, and they are wanted */
	u32 only_event;  /* idx of the one event to print; UINT32_MAX: all */
	struct sample_filter filter;
	ARRAY(u64) addrs; /* of -S: addresses among the names */
	struct name_list stops;
	struct frame_namer namer;
	struct dump_format records;
	struct strbuf formats; /* TRACING_DATA; empty: none */

	/* of look_at, which sees records in order */
	struct read_deltas deltas;
	u64 base;                   /* the time that the next one is relative to; 0: none yet */
	struct script_worker *look; /* for --deltatime: which samples are printed? */
	struct err err;
};

/* What a thread needs to format. */
struct script_worker {
	struct script *script;
	struct machine_cursor cursor;
	struct frame_texts texts;
	struct unwound unwound;
	struct trace_formats *formats; /* NULL: none */
	struct dump_worker *records;   /* made when first used */
};

struct script_worker *script_worker__new(struct script *s);
void script_worker__delete(struct script_worker *w);

/* Return the thread's name at the time of the cursor; NULL: unknown until then. */
const char *script_worker__comm(const struct script_worker *w, const struct thread_state *t);

/* A sample that is being printed. */
struct script_sample {
	struct script_worker *worker;
	const struct dump_item *item;
	struct sample s;
	u64 fields;
	const struct thread_state *thread;
	const char *comm;   /* NULL: unknown */
	struct row_key key; /* for row_space__make */
	struct strbuf *out;
};

/*
 * Decode the item's sample and find its thread. Return false if it cannot be decoded, or is not to be
 * printed.
 */
bool script_sample__begin(struct script_sample *x, struct script_worker *w, const struct dump_item *item);
/* Append the sample's text. */
void script_sample__add(struct script_sample *x, struct strbuf *out);
/* The space in which an address of the sample is looked up. */
struct row_space script_sample__space(const struct script_sample *x, u8 cpumode);

/* What a line begins with. */
struct script_start {
	u64 fields;       /* bits OUT(...) */
	bool wide;        /* comm is 16 letters wide */
	const char *comm; /* NULL: unknown */
	u32 pid, tid, cpu;
	u64 time; /* as printed */
	const struct perf_event_header *header;
};
/* Append "COMM TID [CPU] TIME: ". */
void script__add_start(const struct script *s, const struct script_start *start, struct strbuf *out);
/* Return a time as it is printed: of an item, whose time is what it is relative to. */
static inline u64 script__time(const struct dump_item *item, u64 time)
{
	return time >= item->time ? time - item->time : 0;
}

/* script_fields.c: the fields that follow the sample's address. */
void script_sample__add_branches(struct script_sample *x);
void script_sample__add_regs(const struct script_sample *x);
void script_sample__add_bpf_output(const struct script_sample *x);

/* script_records.c */
/* Is a record of this type, that is not a sample, to be shown? */
bool script__shows(const struct script *s, u32 type);
void script_record__add(struct script_worker *w, const struct dump_item *item, struct strbuf *out);

#endif
