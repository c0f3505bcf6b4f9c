/*
 * The name that the user called this program by: perf, or the name that it was installed as, such as
 * perf-new. Texts that say what to type use it.
 */
#ifndef BASE_CALLED_NAME_H
#define BASE_CALLED_NAME_H

#include "base/text/strbuf.h"

/* Take the name from main's argv[0] if it is perf-SOMETHING; else it stays "perf". */
void called_name__take(const char *argv0);
const char *called_name(void);
/* Append a text that begins with a command line, such as "perf list shows ...", with the called name. */
void called_name__add(const char *text, struct strbuf *sb);

#endif
