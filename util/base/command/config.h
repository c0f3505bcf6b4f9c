/*
 * Configuration files: /etc/perfconfig and ~/.perfconfig, or the one that PERF_CONFIG names. Their format is
 * that of stock perf (man perf-config) and of git:
 *
 *	[section]
 *		name = value   # comment
 *
 * A value may be in double quotes, with the escapes \" \\ \n \t \b; a backslash at the end of a line joins
 * the next one. A line that is not right is reported with its file and number, and left out; the rest holds.
 */
#ifndef BASE_CONFIG_H
#define BASE_CONFIG_H

#include "base/memory/array.h"
#include "base/message/err.h"
#include "base/text/strbuf.h"

enum config_place {
	CONFIG_BOTH, /* the file of the system, then that of the user, whose values win */
	CONFIG_SYSTEM,
	CONFIG_USER,
};

struct config_entry {
	char *key;   /* "section.name" */
	char *value; /* "" if the line has none */
	char *file;
	unsigned line; /* the first is 1 */
};

struct config {
	ARRAY(struct config_entry) v; /* in the order of the files; each key once */
};

void config__exit(struct config *c);
/*
 * Add what the text of a file says. on_bad is called for each line that is not right, with a reason that
 * names file and line.
 */
void config__parse(struct config *c, const char *file, const char *text, size_t size,
		   void (*on_bad)(const char *reason));
/*
 * Add the files of a place. Files that are missing, and files that belong to another user than this one and
 * root, add nothing. Print a warning for each of the latter, and for each line that is not right.
 */
void config__load(struct config *c, enum config_place place);
const struct config_entry *config__find(const struct config *c, const char *key);

/*
 * Change one value in the text of a file, or add it to the end of its section, or of the text. Comments and
 * everything else stay as they are.
 */
void config__edit(struct strbuf *text, const char *key, const char *value);
/* Is key "section.name", with names that a file can hold? */
bool config__is_key(const char *key);
/*
 * Set "section.name" in the user's file, or in the system's. The new file replaces the old one when it is
 * complete. A file of another user is not changed. Return 0 or a negative errno.
 */
int config__set(enum config_place place, const char *key, const char *value, struct err *err);

/* Return 1 for true, yes, on and numbers but 0; 0 for false, no, off and 0; -1 for other texts. */
int config__bool(const char *value);

#endif
