/*
 * Options that say what events and their samples carry: callbacks for a table of options, whose value is a
 * struct attr_opts.
 */
#ifndef RECORD_ATTR_ARGS_H
#define RECORD_ATTR_ARGS_H

#include "base/command/options.h"
#include "record/options/attr_opts.h"

option_callback attr_args__freq;       /* -F */
option_callback attr_args__call_graph; /* --call-graph; -g, without a value */
option_callback attr_args__clock;      /* -k */
option_callback attr_args__branches;   /* -j; -b: "any" */
/* Names of registers; "": those that stacks of this machine are unwound with; "?": sets list_regs. */
option_callback attr_args__user_regs, attr_args__intr_regs;
/* The names that they take, with a blank between. */
void attr_args__add_reg_names(struct strbuf *out);

/*
 * Settles what depends on several of these options, on the events (l, before the default one is added) and
 * on this machine. Warns where the kernel allows fewer samples a second. 0, or a negative errno with err.
 */
int attr_args__settle(struct attr_opts *attrs, const struct evlist *l, struct err *err);

#endif
