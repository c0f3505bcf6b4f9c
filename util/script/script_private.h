/* Shared by the files of perf script. */
#ifndef SCRIPT_SCRIPT_PRIVATE_H
#define SCRIPT_SCRIPT_PRIVATE_H

#include "binary/code/disasm.h"
#include "event/tracepoint/trace_format.h"
#include "format/records/read_deltas.h"
#include "model/frames.h"
#include "profile/annotate/source_files.h"
#include "profile/branches/lbr_chains.h"
#include "profile/gather/unwound.h"
#include "profile/waits/locks.h"
#include "script/frame_text.h"
#include "script/script.h"
#include "ui/dump/dump_record.h"

struct script { /* read-only while records are formatted, but for what look_at changes */
	const struct script_args *args;
	struct session *session;
	u64 *fields;                /* by evsel idx: bits OUT(...) */
	u64 any_fields;             /* of all events */
	ARRAY(struct strbuf) names; /* of events, by evsel idx, as they are printed: aligned, with ": " */
	bool has_chains;            /* some event has call chains, and they are wanted */
	u32 only_event;             /* idx of the one event to print; UINT32_MAX: all */
	struct sample_filter filter;
	ARRAY(u64) addrs; /* of -S: addresses among the names */
	struct name_list stops;
	struct locks locks; /* empty unless they are wanted */
	struct frame_namer namer;
	struct dump_format records;
	struct strbuf formats; /* TRACING_DATA; empty: none */

	/* of look_at, which sees records in order */
	struct read_deltas deltas;
	u64 base;                   /* the time that the next one is relative to; 0: none yet */
	struct script_worker *look; /* for --deltatime: which samples are printed? */
	struct err err;
};

/* ---- code, in script_code.c ---- */

struct code_run { /* bytes of a binary: a function, or what follows an address without one */
	u32 dso;
	u64 addr; /* in the binary */
	u8 *bytes;
	size_t size;           /* 0: there is no code */
	u64 vaddr;             /* linked address of the first byte */
	struct disasm *disasm; /* NULL: the machine is unknown */
};

struct shown_source { /* the line that was shown last of a thread */
	u32 tid, line;
	const char *file;
};

/* Code that a thread has read. All zero: none. */
struct script_code {
	ARRAY(struct code_run) runs;
	struct hash_table by_addr;
	u32 last; /* run that was used last */
	struct {
		struct disasm *d; /* NULL: free */
		u16 machine;
	} disasms[4];
	struct source_files sources;
	bool has_sources;
	ARRAY(struct shown_source) shown;
	struct hash_table by_tid;
	struct code_frames frames;
};

/* State of a formatting thread. */
struct script_worker {
	struct script *script;
	struct machine_cursor cursor;
	struct frame_texts texts;
	struct unwound unwound;
	struct lbr_chains stitches;    /* --stitch-lbr */
	struct trace_formats *formats; /* NULL: none */
	struct script_code code;
	struct dump_worker *records; /* made when first used */
};

/* script.c */
/* Choose fields and filters by the events of the session. Return 0, or a negative errno with s->err. */
int script__prepare(struct script *s);
/* Begin and end to name the addresses of s->session. */
void script__begin_names(struct script *s);
void script__end_names(struct script *s);
/* Functions for struct dump_pipeline_opts; ctx: a struct script, worker: a struct script_worker. */
void script__look_at(void *ctx, const struct ordered_record *r, dump_items *items);
void script_item__add_text(void *worker, const struct dump_item *item, struct strbuf *out);

/*
 * script_live.c: print a pipe as it arrives. Return NULL if the input is no pipe, or what is to be printed
 * depends on all of it; else set opts->run.
 */
struct script_live *script_live__new(struct script *s, struct session_opts *opts);
/*
 * Print what is left, with the session that was opened, unless ret is an error. Return false if nothing was
 * printed so far: then all of it is still to be printed. Set *status to 0, or a negative errno with s->err.
 */
bool script_live__finish(struct script_live *l, int ret, int *status);
void script_live__delete(struct script_live *l); /* accepts NULL */

struct script_worker *script_worker__new(struct script *s);
void script_worker__delete(struct script_worker *w);

/* Return the thread's name at the time of the cursor; NULL: unknown until then. */
const char *script_worker__comm(const struct script_worker *w, const struct thread_state *t);

/* A sample that is being printed. */
struct script_sample {
	struct script_worker *worker;
	const struct dump_item *item;
	struct sample s;
	const u64 *calls; /* with --stitch-lbr: the branch stack with earlier calls */
	u64 nr_calls;
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
/* Return the space in which an address of the sample is looked up. */
struct row_space script_sample__space(const struct script_sample *x, u8 cpumode);

/* The beginning of a line. */
struct script_start {
	u64 fields;       /* bits OUT(...) */
	bool wide;        /* comm is 16 letters wide */
	const char *comm; /* NULL: unknown, thread stands in for it */
	u32 thread;
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

/* script_code.c */
void script_code__exit(struct script_code *c);
void script_sample__add_insn(struct script_sample *x);
void script_sample__add_branch_code(struct script_sample *x);
/* Append a newline and the line of source, unless it is the one that was shown last of the thread. */
void script_sample__add_source(struct script_sample *x);

/* script_records.c */
/* Is a record of this type, that is not a sample, to be shown? */
bool script__shows(const struct script *s, u32 type);
void script_record__add(struct script_worker *w, const struct dump_item *item, struct strbuf *out);

#endif
