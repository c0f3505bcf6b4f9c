/* perf annotate: read a recording and show what the instructions of its functions cost. */
#ifndef UI_ANNOTATE_H
#define UI_ANNOTATE_H

#include "profile/keys/read_weights.h"
#include "ui/annotate/annotate_text.h"

struct annotate_args {
	const char *input;
	const char *symbol;        /* only functions of this name; NULL: all */
	struct filter_args filter; /* dsos, cpus */
	struct weights_args spans; /* only --span, --slower, --faster */
	const char *syntax;        /* -M: words such as "intel"; NULL: none */
	const char *objdump;       /* --objdump: the one to run; NULL: that of the machine */
	struct annotate_style style;
	struct source_opts sources;
	struct symbolize_opts symbols; /* annotate.c sets its debuginfod */
	bool dump;                     /* -D */
	bool no_group;                 /* a table for each event */
	bool skip_missing;             /* leave out functions whose code is missing */
	double limit;                  /* leave out functions with a smaller part of all, % */
	unsigned debuginfod_seconds;   /* 0: do not ask servers */
};

/* Return the exit status. */
int annotate__main(const struct annotate_args *a);

#endif
