/* Idle waits among the samples that are exported, by the rules of reports (profile/hists/idle.h). */
#ifndef EXPORT_IDLE_WAITS_H
#define EXPORT_IDLE_WAITS_H

#include "export/export_format.h"

/* Give the rows that are idle, which have stacks of stacks__add_wait, stacks of stacks__idle. */
void idle_waits__mark(struct export *x);

#endif
