/* Build-ids that the user gives for paths (perf inject --known-build-ids). */
#ifndef INJECT_KNOWN_IDS_H
#define INJECT_KNOWN_IDS_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "binary/elf/build_id.h"

struct known_id {
	const char *path; /* points into the text */
	struct build_id id;
};
struct known_ids {
	struct strbuf text;
	ARRAY(struct known_id) v; /* sorted by path */
};

/*
 * Parse "ID PATH,ID PATH", or "file://NAME" with one pair on each line as perf buildid-list prints them;
 * lines that begin with a blank are skipped. Return 0 or a negative errno with err.
 */
int known_ids__parse(struct known_ids *k, const char *arg, struct err *err);
void known_ids__exit(struct known_ids *k);
/* Find the build-id of path. Return false, and leave *id as it is, if there is none. */
bool known_ids__find(const struct known_ids *k, const char *path, struct build_id *id);

#endif
