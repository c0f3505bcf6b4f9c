/*
 * One record as text: a function of the session and the record alone, so that several threads can each format
 * a part of a recording. The dump_item has what depends on earlier records.
 */
#ifndef UI_DUMP_RECORD_H
#define UI_DUMP_RECORD_H

#include "model/session.h"
#include "ui/dump/dump_pipeline.h"

struct reg_names;

/* Shared by all workers; read-only after __init. */
struct dump_format {
	const struct session *session;
	const struct reg_names *regs;
	struct strbuf *sources; /* by segment: "@FILE [" */
	bool obeys_rounds;      /* FINISHED_ROUND records matter */
	bool for_script;        /* perf script -D: maps of threads and CPUs are not ": unhandled!" */
	bool mixed_cpu;         /* some events record the cpu, others do not */
	u64 stream_start;       /* stock counts offsets in a pipe from the end of the header */
};

enum dump_prefix { /* the prefix of a record's line */
		   DUMP_CPU = 1 << 0,
		   DUMP_TIME = 1 << 1,
		   DUMP_NO_ID = 1 << 2, /* "-1 -1", except for samples */
};

/* The lines with a sample's thread and dso, cached: samples often repeat them. */
struct dump_place {
	const char *comm, *dso; /* NULL: empty; names are interned */
	u32 tid;
	u8 len;
	char text[235]; /* longer texts are not cached */
};

struct dump_worker {
	const struct dump_format *format;
	struct machine_cursor cursor;
	struct dump_place places[64]; /* direct-mapped by tid and dso */
};

void dump_format__init(struct dump_format *f, const struct session *s, bool obeys_rounds);
void dump_format__exit(struct dump_format *f);
void dump_worker__init(struct dump_worker *w, const struct dump_format *f);

/*
 * Append the record's text. item->flags: enum dump_prefix; item->nr: how often a sample's thread and dso are
 * printed, once for each event that it counts for.
 */
void dump_record__add(struct dump_worker *w, const struct dump_item *item, struct strbuf *out);
/* Append only "PERF_RECORD_NAME" and the fields, of a record that is not a sample. */
void dump_record__add_fields(struct dump_worker *w, const struct dump_item *item, struct strbuf *out);
/* Return the name of a branch's type ("COND" ...), "" if it was not recorded. flags: its third word. */
const char *branch_flags__type(u64 flags);

#endif
