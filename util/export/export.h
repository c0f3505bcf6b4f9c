/* Writing a recording in the format of another program (export_format.h). */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "export/export_format.h"

/* Read a->input and write it. Return the exit status. */
int export__run(const struct export_args *a);

#endif
