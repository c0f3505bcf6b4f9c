/*
 * Code that V8 has compiled. Nothing leads from an address to its code, so the memory before it is looked
 * through for the head of one: an object of that type whose other half refers to it.
 */
#ifndef RECORD_V8_CODE_H
#define RECORD_V8_CODE_H

#include "record/v8/v8_object.h"

enum v8_code_kind {
	V8_CODE_OTHER,     /* without a function: copies of the interpreter, regular expressions */
	V8_CODE_BASELINE,  /* of bytecodes */
	V8_CODE_OPTIMIZED, /* of a function, with others inlined */
};

struct v8_code {
	enum v8_code_kind kind;
	u64 head;       /* address of the object before the instructions */
	u64 begin, end; /* addresses of the instructions */
	u64 bytecodes;  /* object, of baseline code */
	u64 shared;     /* object, of optimized code */
	u64 identity;   /* a hash of what makes it this code */
};

/*
 * Find the code at an address. Return false if there is none, or if it cannot be read or makes no sense.
 */
bool v8_code__find(struct v8_code *c, const struct v8_heap *h, u64 addr);
/* Is another code there now? false if it cannot be read, as of a process that has ended. */
bool v8_code__has_changed(const struct v8_code *c, const struct v8_heap *h);

#endif
