/* The test program's own code, for tests of the unwinder: what it asks is answered from here. */
#ifndef OWN_CODE_H
#define OWN_CODE_H

#include "live/proc.h"
#include "unwind/unwind.h"

#include <unistd.h>

struct lookup {
	struct cfi *cfi;
	u64 start, end, pgoff; /* of our own code */
	unsigned nr;
	bool no_cfi, all_code;
};

static inline void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	struct lookup *l = ctx;

	l->nr++;
	if (l->all_code)
		code->is_code = true;
	if (ip < l->start || ip >= l->end)
		return;
	code->is_code = true;
	code->addr = ip - l->start + l->pgoff;
	code->cfi = l->no_cfi ? NULL : l->cfi;
}

static inline void find_own_code(struct lookup *l)
{
	struct strbuf text = STRBUF_INIT;
	struct proc_map map;
	u64 here = (u64)(uintptr_t)find_own_code;
	char *p;

	*l = (struct lookup){ 0 };
	assert_int_equal(cfi__open(&l->cfi, "/proc/self/exe", NULL, NULL, NULL), 0);
	assert_int_equal(proc__maps(getpid(), &text), 0);
	p = text.buf;
	while (proc_map__parse(&p, text.buf + text.len, &map)) {
		if (here >= map.start && here < map.end) {
			l->start = map.start;
			l->end = map.end;
			l->pgoff = map.pgoff;
		}
	}
	assert_true(l->start);
	strbuf__exit(&text);
}

#endif
