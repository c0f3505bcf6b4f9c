/*
 * What the files that print records share. To add a record type: write its printer in dump_record.c (the
 * kernel's) or dump_user.c (the recorder's), and give it a row in the table at that file's end.
 */
#ifndef UI_DUMP_RECORD_PRIVATE_H
#define UI_DUMP_RECORD_PRIVATE_H

#include "ui/dump_record.h"

/* A printer's arguments. */
struct dump_line {
	struct dump_worker *worker;
	const struct dump_item *item;
	const struct perf_event_header *header;
	struct sample_id id;   /* of records that the kernel made; absent fields are all ones */
	struct sample *sample; /* of samples */
	struct strbuf *out;
};

/* Appends what follows "PERF_RECORD_NAME", with the newline. False: the record is too short for its type. */
typedef bool (*dump_print_fn)(const struct dump_line *l);

struct dump_type {
	const char *name;    /* NULL: nobody knows it */
	dump_print_fn print; /* NULL: nothing to say */
	bool unhandled;      /* ": unhandled!" follows, as stock perf's report does nothing with it */
};

/* dump_user.c: records that the recorder made, from RECORD_HEADER_ATTR on. */
extern const struct dump_type dump_user_types[RECORD_TYPE_MAX - RECORD_HEADER_ATTR];

/* dump_sample.c */
bool dump_sample__print(const struct dump_line *l);
/* What follows the record's header. */
struct cursor dump_line__body(const struct dump_line *l);

#endif
