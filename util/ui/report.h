/* perf report: read a recording and show it as text or JSON. */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "ui/report_args.h"

/* Read a->input and show it. Return the exit status. */
int report__main(const struct report_args *a);

#endif
