/* The BUILD_ID feature: collected from the records while recording, written at the end. */
#ifndef RECORD_BUILD_ID_LIST_H
#define RECORD_BUILD_ID_LIST_H

#include "format/write/writer.h"

struct build_id_list;
struct kept_files;
struct kept_jit;
struct text_copies;
/* What looks at maps, too; NULL: nothing. Not owned. */
struct map_viewers {
	struct kept_files *kept; /* receives each binary when it is first seen */
	struct kept_jit *jit;
	struct text_copies *copies;
};
/* Make an empty list. viewers NULL: none. */
struct build_id_list *build_id_list__new(const struct map_viewers *viewers);
void build_id_list__delete(struct build_id_list *b);
/*
 * Look at a record before it is written: remember user MMAP2 records without a build-id (name, device,
 * inode), and kernel and module maps.
 */
void build_id_list__see(struct build_id_list *b, const struct perf_event_header *h);
/* Add the files that another list has seen. */
void build_id_list__add_all(struct build_id_list *b, const struct build_id_list *other);
/*
 * Read the build-ids and write the feature. A file must still be the recorded inode; ids of the kernel and
 * its modules come from /sys.
 */
int build_id_list__write(struct build_id_list *b, struct writer *w);

#endif
