/*
 * What an event of -e names that only a recording can turn into an attr: the address of a variable or a
 * function is known when the binary is found, or not before it is mapped. The parser fills these, the
 * recorder settles them. Strings are owned by the struct.
 */
#ifndef EVENT_EVENT_SPEC_H
#define EVENT_EVENT_SPEC_H

#include "base/memory/array.h"

/* One hardware watchpoint. */
struct watch_piece {
	u64 addr, len; /* bytes */
};

/*
 * mem:SYMBOL[@DSO][.MEMBER...][+OFFSET][/LENGTH][[START:COUNT]][:rwx]. What is not given is 0 or NULL: the
 * length is then the type's (DWARF) or the symbol's.
 */
struct watch_spec {
	char *symbol;
	char *dso;     /* after '@': a path, or a name as "libfoo.so.1" or "kernel"; NULL: the program, then
			  libraries */
	char *file;    /* recorder: the source file of a static one; NULL: any */
	char *members; /* "a.b" of "symbol.a.b", NULL: none */
	u64 offset;    /* bytes, after '+' */
	u64 length;    /* bytes, after '/'; 0: not given */
	bool is_slice; /* [START:COUNT]; [START] has a count of 1 */
	u64 start, count; /* elements where the type is known, bytes otherwise */
	u32 access;       /* HW_BREAKPOINT_R, _W, _X; 0: not given */
	size_t pos, len;  /* of the symbol in the text of -e, for messages */
	/* Settled by the recorder: */
	ARRAY(struct watch_piece) pieces; /* addresses as linked, or final if is_absolute */
	bool is_absolute;
};

/* uprobe:BINARY:FUNCTION[+OFFSET][%return], kprobe:FUNCTION[+OFFSET][%return] */
struct probe_spec {
	char *binary; /* NULL: the kernel */
	char *function;
	u64 offset; /* bytes into the function */
	bool is_return;
	size_t pos, len; /* of the function in the text of -e */
	/* Settled by the recorder: */
	char *target;       /* what the kernel is told, a path or a function; or NULL */
	bool is_everywhere; /* counts on whole processors; samples of others than the target are left out */
};

static inline void watch_spec__delete(struct watch_spec *w)
{
	if (!w)
		return;
	free(w->symbol);
	free(w->dso);
	free(w->file);
	free(w->members);
	array__exit(&w->pieces);
	free(w);
}

static inline void probe_spec__delete(struct probe_spec *p)
{
	if (!p)
		return;
	free(p->binary);
	free(p->function);
	free(p->target);
	free(p);
}

#endif
