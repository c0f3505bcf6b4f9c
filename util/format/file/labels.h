/*
 * Labels of a recording: what its user says of it (perf record --label), a line KEY=VALUE each. They are text
 * of the extension section (EXTENSION_LABELS). The key "commit" names the commit that the program was built
 * of.
 */
#ifndef FORMAT_LABELS_H
#define FORMAT_LABELS_H

#include "base/message/err.h"
#include "base/text/strbuf.h"

#define LABEL_COMMIT "commit"

/* Append the line for "KEY=VALUE", as on a command line. Return 0, or -EINVAL with err. */
int labels__add(struct strbuf *labels, const char *text, struct err *err);
/*
 * Return the value of a key, the last one if there are several, with control characters masked; or NULL. The
 * caller frees it.
 */
char *labels__find(const char *labels, const char *key);

#endif
