/* From the name of a variable or function that is to be watched or probed to its place in a binary or in the
 * kernel. */
#ifndef RECORD_WATCH_NAME_H
#define RECORD_WATCH_NAME_H

#include "event/evsel/event_request.h"
#include "record/target/scope.h"

struct watch_name {
	struct elf_object *object; /* owned by the scope; NULL: the kernel, addresses are final */
	char *exported;            /* the symbol, if an earlier object's may take its place; owned; or NULL */
	u64 symbol;                /* of the variable, as linked */
	u64 addr, size;            /* of what is to be watched; the size of code is 1 */
	bool is_code;
};

enum watch_use {
	WATCH_ANY,  /* a watchpoint */
	WATCH_USER, /* the same; the kernel is not looked at */
	PROBE_USER, /* a function of spec->dso, which is always given */
};

/*
 * Finds what spec names. 0, or a negative errno with err: not found,
 * with the nearest names; several, with what to type for each; of a kind that has no place; outside of it.
 */
int watch_name__find(struct watch_name *n, const struct watch_spec *spec, struct scope *scope,
		     enum watch_use use, struct err *err);
void watch_name__exit(struct watch_name *n);

#endif
