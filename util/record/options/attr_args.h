/*
 * Options that say what events and their samples carry: callbacks for a table of options, whose value is a
 * struct attr_opts.
 */
#ifndef RECORD_ATTR_ARGS_H
#define RECORD_ATTR_ARGS_H

#include "base/command/options.h"
#include "record/options/attr_opts.h"

int attr_args__clock(const struct option *opt, const char *arg, bool unset, struct err *err); /* -k */
/* -j; -b: "any" */
int attr_args__branches(const struct option *opt, const char *arg, bool unset, struct err *err);
/* Names of registers; "": those that stacks of this machine are unwound with; "?": sets list_regs. */
int attr_args__user_regs(const struct option *opt, const char *arg, bool unset, struct err *err);
int attr_args__intr_regs(const struct option *opt, const char *arg, bool unset, struct err *err);
/* The names that they take, with a blank between. */
void attr_args__add_reg_names(struct strbuf *out);
/* How stacks of this machine are unwound; NULL: not at all. */
const struct unwind_arch *attr_args__own_arch(void);

#endif
