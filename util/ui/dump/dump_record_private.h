/*
 * Shared by the files that print records. To add a record type: give it a row in the table at the end of
 * dump_record.c (kernel records) or dump_user.c (the recorder's records), with a text of its fields, or with
 * a printer if that is not enough.
 */
#ifndef UI_DUMP_RECORD_PRIVATE_H
#define UI_DUMP_RECORD_PRIVATE_H

#include "ui/dump/dump_record.h"

/* A printer's arguments. */
struct dump_line {
	struct dump_worker *worker;
	const struct dump_item *item;
	const struct perf_event_header *header;
	struct sample_id id;   /* of kernel records; absent fields are all ones */
	struct sample *sample; /* of samples */
	struct strbuf *out;
};

/*
 * Append what follows "PERF_RECORD_NAME", with the newline. Return false if the record is too short for its
 * type.
 */
typedef bool (*dump_print_fn)(const struct dump_line *l);

struct dump_type {
	dump_print_fn print; /* NULL: prints nothing more */
	bool unhandled;      /* append ": unhandled!", as stock perf's report ignores the record */
	const char *text;    /* instead of print: all fields of the record, as for dump_text__fields */
};

/* dump_user.c: records of the recorder, from RECORD_HEADER_ATTR on. */
extern const struct dump_type dump_user_types[RECORD_TYPE_MAX - RECORD_HEADER_ATTR];

/* dump_sample.c */
bool dump_sample__print(const struct dump_line *l);
/* Return the bytes after the record's header. */
struct cursor dump_line__body(const struct dump_line *l);

#endif
