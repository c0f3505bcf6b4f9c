/*
 * The tracepoints of a recording: the header of a trace.dat file, without data (man 5 trace-cmd.dat). It is
 * the feature TRACING_DATA of a file, or follows the HEADER_TRACING_DATA record in a pipe. The texts come
 * from tracefs and are untrusted.
 */
#ifndef EVENT_TRACE_HEADER_H
#define EVENT_TRACE_HEADER_H

#include "base/memory/array.h"

#define TRACE_HEADER_MAGIC "\x17\x08\x44tracing"

struct trace_text { /* not terminated; data is NULL: absent */
	const char *data;
	size_t size;
};

struct trace_format_text {
	const char *system;     /* terminated; "ftrace" for the tracer's own events */
	struct trace_text text; /* of events/SYSTEM/EVENT/format */
};

struct trace_header {
	bool big_endian; /* also of the samples' payloads */
	u8 long_size;    /* of the recorded machine, bytes */
	u32 page_size;
	ARRAY(struct trace_format_text) formats;
	struct trace_text printk;   /* lines `0xADDRESS : "TEXT"`: strings that payloads point to */
	struct trace_text cmdlines; /* lines "PID NAME" */
};

/*
 * Parse the header; everything points into data. Return 0, or -EBADMSG if the data ends within the formats:
 * earlier ones are there. Parts after the formats that are truncated count as absent. Call __exit in any
 * case.
 */
int trace_header__parse(struct trace_header *h, const void *data, size_t size);
void trace_header__exit(struct trace_header *h);

/* Return the value of the first line "KEY: VALUE" of a format; data is NULL if there is none. */
struct trace_text trace_format__value(const struct trace_text *format, const char *key);
/*
 * Get the number of the line "ID: N", which is the tracepoint's attr.config. Return false if there is none.
 */
bool trace_format__id(const struct trace_text *format, u64 *id);

#endif
