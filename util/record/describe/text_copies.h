/*
 * Code that a program has copied from its file to memory without a file, at the same addresses: onto
 * large pages, such as node --use-largepages and libraries like iodlr do. The kernel reports the memory,
 * and so the code loses the file's names. A map record of the file is added for such memory if the same
 * file is mapped beside it, at the same distance, and has the same bytes. Memory is read with the
 * recorder's own rights, and never stops a process.
 */
#ifndef RECORD_TEXT_COPIES_H
#define RECORD_TEXT_COPIES_H

#include "format/records/record.h"
#include "base/text/strbuf.h"

struct text_copies; /* thread-safe */

struct text_copies *text_copies__new(void);
void text_copies__delete(struct text_copies *t); /* accepts NULL */
/* Look at a map record, whose header is h: note memory without a file in which a copy may be. */
void text_copies__see(struct text_copies *t, const struct perf_event_header *h, const struct mmap_record *m);
/*
 * Append records for the copies among the memory noted since the last call. They have the times of the
 * records of that memory, and come after them in the file. Call it in each round, not sooner than the
 * next one, so that the program had time to copy. Accepts NULL.
 */
void text_copies__add_records(struct text_copies *t, struct strbuf *out);

#endif
