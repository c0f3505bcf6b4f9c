/*
 * Options for events and the content of their samples: callbacks for an option table, with a struct
 * attr_opts as value.
 */
#ifndef RECORD_ATTR_ARGS_H
#define RECORD_ATTR_ARGS_H

#include "base/command/options.h"
#include "record/options/attr_opts.h"

option_callback attr_args__freq;       /* -F */
option_callback attr_args__call_graph; /* --call-graph; -g, without a value */
/* Does the word begin a value of --call-graph? */
bool attr_args__is_chain_mode(const char *word);
option_callback attr_args__clock;    /* -k */
option_callback attr_args__branches; /* -j; -b: "any" */
/* Names of registers. "": those needed to unwind stacks on this machine; "?": set list_regs. */
option_callback attr_args__user_regs, attr_args__intr_regs;
/* Append the register names that these options take, separated by blanks. */
void attr_args__add_reg_names(struct strbuf *out);

/*
 * Complete what depends on several of these options, on the events (l, before the default event is added)
 * and on this machine. Warn if the kernel's limit on the sampling frequency is lower. Return 0, or a
 * negative errno with err.
 */
int attr_args__finalize(struct attr_opts *attrs, const struct evlist *l, struct err *err);

#endif
