/*
 * Features that are known only when the file is complete and can be read. The recorder writes such a feature
 * empty; this fills it: the content goes to the end of the file, and then the entry of the table says where.
 * At any moment in between the file is as readable as before.
 */
#ifndef FORMAT_FEATURE_ROOM_H
#define FORMAT_FEATURE_ROOM_H

#include "base/err.h"
#include "format/abi.h"

/*
 * path: a file that writer__finish has finished, with f empty. 0; -ENOENT with err: the file has no room for
 * it; or another negative errno with err.
 */
int feature_room__fill(const char *path, enum feature f, const void *data, size_t size, struct err *err);

#endif
