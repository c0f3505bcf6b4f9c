/*
 * The payload of tracepoint samples: its fields, and the text that the kernel would print. A recording brings
 * the formats along (trace_header.h).
 *
 * The pieces: trace_fields.h reads the fields of a format, trace_lex.h and trace_expr.h its print format,
 * trace_eval.h and trace_text.h follow that for a payload. Formats and payloads are hostile: expressions have
 * a limited depth, and nothing is read but the payload. libtraceevent does the same job, but crashes on
 * formats that are damaged.
 *
 * Not thread-safe.
 */
#ifndef EVENT_TRACE_FORMAT_H
#define EVENT_TRACE_FORMAT_H

#include "base/message/err.h"
#include "event/tracepoint/trace_fields.h"
#include "event/tracepoint/trace_spans.h"
#include "event/tracepoint/trace_writer.h"

struct trace_event;
struct trace_formats;

/*
 * Parse the formats in a TRACING_DATA section of size bytes; they are copied. Return 0 with *formats;
 * -EBADMSG with err if there are none.
 */
int trace_formats__new(struct trace_formats **formats, const void *data, size_t size, struct err *err);
void trace_formats__delete(struct trace_formats *f);
/* Are payloads big-endian? */
bool trace_formats__big_endian(const struct trace_formats *f);
/* Set the function that names kernel addresses; without it, they are shown as numbers. */
void trace_formats__set_functions(struct trace_formats *f, trace_function_fn fn, void *ctx);
/*
 * Return the tracepoint with this attr.config, or NULL: unknown or unreadable. Parsed on first use; valid as
 * long as f.
 */
struct trace_event *trace_formats__event(struct trace_formats *f, u64 config);

/* Return its own fields, without the common ones, or NULL. */
const struct trace_field *trace_event__fields(const struct trace_event *e, size_t *nr);
/* Add the bytes that trace_event__print depends on, or __print_field of the nr-th field. */
void trace_event__needs(const struct trace_event *e, trace_spans *spans);
void trace_event__field_needs(const struct trace_event *e, size_t nr, trace_spans *spans);

/*
 * Append the payload as text in the event's format, or, if raw or if the format is not understood, field by
 * field: " NAME=VALUE" each, in the second case after a word that says so. Not masked.
 */
void trace_event__print(const struct trace_event *e, const void *payload, size_t size, bool raw,
			struct strbuf *out);
/*
 * Append one field: the part of the text in which the format shows it (trace_piece.h); its plain value if
 * there is none, or if raw.
 */
void trace_event__print_field(const struct trace_event *e, size_t nr, const void *payload, size_t size,
			      bool raw, struct strbuf *out);
/* Get the value of a number. Return false if the field is not a number, or if the payload is too short. */
bool trace_event__number(const struct trace_event *e, size_t nr, const void *payload, size_t size,
			 u64 *value);

#endif
