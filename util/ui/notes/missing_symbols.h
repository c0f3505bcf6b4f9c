/*
 * Functions without a name: which binaries they are in, why, and what to type. The last lines of a report
 * print what to type, report -v the reasons, and perf doctor FILE all, in the order of samples.
 */
#ifndef UI_MISSING_SYMBOLS_H
#define UI_MISSING_SYMBOLS_H

#include "profile/hists/hists.h"

#include <stdio.h>

/*
 * Append why functions of the dso may have no names, in one line. Return false if they have, or if none was
 * looked up. Not masked.
 */
bool dso__add_missing_reason(const struct session *s, const struct dso *dso, struct strbuf *out);
/*
 * Append to the line of completeness how many samples have no symbol; from 1% on in a line of its own, with
 * lines that say what to type. Masked, without a newline at the end.
 */
void missing_symbols__add_summary(const struct view *v, struct strbuf *out);
/*
 * Print each binary with samples that have no names: their number, the reason, what to type; then what the
 * recording stores.
 */
void missing_symbols__print(const struct view *v, FILE *out);

#endif
