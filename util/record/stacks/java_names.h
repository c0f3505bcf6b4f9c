/*
 * Names of Java's methods for samples that the recorder does not unwind: of their addresses and of chains
 * that the kernel made. Only samples of processes that have mapped libjvm.so are decoded.
 */
#ifndef RECORD_JAVA_NAMES_H
#define RECORD_JAVA_NAMES_H

#include "format/records/lazy_record.h"
#include "record/stacks/shared_stacks.h"
#include "record/hotspot/unread_memory.h"

struct java_names;

/* opts as for shared_stacks__new; l: the events as in the file, with ids; not owned. */
struct java_names *java_names__new(const struct evlist *l, const struct shared_stacks_opts *opts);
void java_names__delete(struct java_names *j); /* accepts NULL */
/* Process records that the recorder made, about processes that already ran. */
void java_names__see(struct java_names *j, const void *data, size_t size);
void java_names__begin_round(struct java_names *j);
/* Process a sample or a side-band record. */
void java_names__take(struct java_names *j, struct lazy_record *r);
/* As stack_samples__announce, __unread. */
void java_names__announce(struct java_names *j, const struct evlist *l, struct strbuf *out);
const struct unread_memory *java_names__unread(const struct java_names *j);

#endif
