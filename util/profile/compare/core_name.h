/* Names of functions without what compilers add to them, so that two builds of a function have one name. */
#ifndef PROFILE_CORE_NAME_H
#define PROFILE_CORE_NAME_H

#include "base/text/strbuf.h"

/*
 * Append the name without marks of clones (".isra.0", ".part.1", ".constprop.0", ".cold", ".llvm.123",
 * " [clone .cold]"), Rust's hash ("::h0123456789abcdef"), and the numbers of lambdas ("#2").
 */
void core_name__add(struct strbuf *sb, const char *name);

#endif
