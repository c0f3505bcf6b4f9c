/* Find the variable or function to be watched or probed, by name, in a binary or in the kernel. */
#ifndef RECORD_WATCH_NAME_H
#define RECORD_WATCH_NAME_H

#include "event/evsel/event_request.h"
#include "record/target/scope.h"

struct watch_name {
	struct elf_object *object; /* owned by the scope; NULL: the kernel, whose addresses are final */
	/* the symbol, if a definition in an earlier object may override it; owned; or NULL */
	char *exported;
	u64 symbol;     /* of the variable, as linked */
	u64 addr, size; /* what to watch, in bytes; the size of code is 1 */
	bool is_code;
};

enum watch_use {
	WATCH_ANY,  /* a watchpoint */
	WATCH_USER, /* a watchpoint outside the kernel */
	PROBE_USER, /* a function of spec->dso, which is always set */
	SPAN_USER,  /* a function of spec->dso, or else of the programs and their libraries */
};

/*
 * Return a spec of a function, to be deleted: "FUNCTION", or "FUNCTION@FILE.c" for one of several static
 * functions with that name.
 */
struct watch_spec *watch_spec__of_function(const char *function);
/*
 * Find what spec names. Return 0, or a negative errno with err: not found (with similar names), ambiguous
 * (with what to type for each), not a thing with an address, or outside of it.
 */
int watch_name__find(struct watch_name *n, const struct watch_spec *spec, struct scope *scope,
		     enum watch_use use, struct err *err);
void watch_name__exit(struct watch_name *n);

#endif
