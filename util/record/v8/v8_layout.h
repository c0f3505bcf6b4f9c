/*
 * Where the objects of V8 (Node.js) have their fields. The binary exports constants about that for debuggers
 * (v8dbg_...). They are read from the process; a version that lacks one, or has another value where all
 * known versions have the same, is refused. What they leave out is known for V8 10 to 13 (Node.js 18 to 24),
 * and what is found there is checked by the types of the objects.
 */
#ifndef RECORD_V8_LAYOUT_H
#define RECORD_V8_LAYOUT_H

#include "record/hotspot/vm_memory.h"

/* Instance types: which kind of object. */
enum v8_type {
	V8_SHARED,    /* what all closures of a function have in common */
	V8_BYTECODES, /* of a function */
	V8_SCRIPT,
	V8_SCOPE,
	V8_INTERPRETER_DATA,
	V8_CODE,
	V8_FIXED_ARRAY,
	V8_FIRST_OPTIONAL,
	V8_STREAM = V8_FIRST_OPTIONAL, /* the instructions of a code; V8 10: they are in it */
	V8_TRUSTED_ARRAY,
	V8_PROTECTED_ARRAY,
	V8_WRAPPER, /* of a shared info */
	V8_CODE_CONTAINER,
	V8_TYPES
};

/* Offsets in objects, of words unless otherwise said. */
enum v8_field {
	V8_FUNCTION_SHARED,
	V8_SHARED_NAME, /* the function's data are before it */
	V8_SHARED_SCRIPT,
	V8_BYTECODES_DATA, /* the bytecodes */
	V8_SCOPE_FIRST,    /* words before the first variable-sized part */
	V8_BASELINE_KIND,  /* not an offset: kind of code of the baseline compiler */
	V8_STREAM_SIZE,    /* bytes before the instructions */
	V8_CODE_START,     /* address of the instructions; V8 10: none */
	V8_CODE_SIZE,      /* 4 bytes: of the instructions */
	V8_CODE_FLAGS,     /* 4 bytes */
	V8_CODE_DATA,      /* what it was compiled from */
	V8_SHARED_INDEX,   /* not an offset: index of the shared info in the data of optimized code */
	V8_FIELDS
};

/* Likewise, the same in all versions. */
enum {
	V8_MAP_TYPE = 12, /* 2 bytes */
	V8_ARRAY_LENGTH = 8,
	V8_ARRAY_DATA = 16,
	V8_SCRIPT_SOURCE = 8,
	V8_SCRIPT_NAME = 16,
	V8_SCRIPT_LINE = 24,
	V8_SCRIPT_COLUMN = 32,
	V8_SCRIPT_LINE_ENDS = 56,
	V8_KIND_MASK = 15, /* of a code's flags */
};

struct v8_layout {
	s32 types[V8_TYPES]; /* -1: this version has none */
	s32 at[V8_FIELDS];   /* likewise */
};

/*
 * Read the layout. base: where the process has the start of the binary. m: with pages, as hundreds of words
 * are read. Return NULL, or why it cannot be used.
 */
const char *v8_layout__read(struct v8_layout *l, const struct vm_memory *m, u64 base);

#endif
