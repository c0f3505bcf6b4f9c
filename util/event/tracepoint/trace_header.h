/*
 * What a recording says about its tracepoints: the header of a trace.dat file, without data (man 5
 * trace-cmd.dat). It is the feature TRACING_DATA of a file and follows the HEADER_TRACING_DATA record of a
 * pipe. The texts are those of tracefs; nothing in them is trusted.
 */
#ifndef EVENT_TRACE_HEADER_H
#define EVENT_TRACE_HEADER_H

#include "base/memory/array.h"

#define TRACE_HEADER_MAGIC "\x17\x08\x44tracing"

struct trace_text { /* not ended by NUL; data is NULL when there is none */
	const char *data;
	size_t size;
};

struct trace_format_text {
	const char *system;     /* ended by NUL; "ftrace" for the tracer's own */
	struct trace_text text; /* of events/SYSTEM/EVENT/format */
};

struct trace_header {
	bool big_endian; /* the payloads of samples are, too */
	u8 long_size;    /* of the recorded machine, bytes */
	u32 page_size;
	ARRAY(struct trace_format_text) formats;
	struct trace_text printk;   /* lines `0xADDRESS : "TEXT"`: strings that payloads point to */
	struct trace_text cmdlines; /* lines "PID NAME" */
};

/*
 * Everything points into data. 0, or -EBADMSG when the data ends within the formats: those before are there.
 * What ends too early behind them is as if it was absent. __exit in any case.
 */
int trace_header__parse(struct trace_header *h, const void *data, size_t size);
void trace_header__exit(struct trace_header *h);

/* The value of the first line "KEY: VALUE" of a format; its data is NULL when there is no such line. */
struct trace_text trace_format__value(const struct trace_text *format, const char *key);
/* The line "ID: N", which is the attr.config of the tracepoint; false when there is none. */
bool trace_format__id(const struct trace_text *format, u64 *id);

#endif
