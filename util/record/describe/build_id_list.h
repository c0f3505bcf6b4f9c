/* The BUILD_ID feature: gathered from the records while recording, written at the end. */
#ifndef RECORD_BUILD_ID_LIST_H
#define RECORD_BUILD_ID_LIST_H

#include "format/write/writer.h"

struct build_id_list;
struct build_id_list *build_id_list__new(void);
void build_id_list__delete(struct build_id_list *b);
/*
 * Look at a record about to be written: user MMAP2 records without a build-id are remembered (name, device,
 * inode), kernel and module maps too.
 */
void build_id_list__see(struct build_id_list *b, const struct perf_event_header *h);
/* What another one has seen, too. */
void build_id_list__add_all(struct build_id_list *b, const struct build_id_list *other);
/* Reads the ids (of files that are still the recorded inode; of the kernel and its modules from /sys) and
 * writes the feature. */
int build_id_list__write(struct build_id_list *b, struct writer *w);

#endif
