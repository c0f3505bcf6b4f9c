/*
 * A jitdump whose compiler describes its code: the records, read at once and while the file grows, and the
 * call frame information of each piece of code that they load.
 */
#include "binary/symbols/jit_code.h"
#include "fuzz.h"

#include <elf.h>

enum { LOADS_MAX = 256, STEPS_MAX = 64 };

static u64 offsets[LOADS_MAX], addrs[LOADS_MAX], sizes[LOADS_MAX];
static size_t nr;

static void see_code(const struct jitdump_code *c, void *ctx)
{
	struct jit_frames *f = ctx;

	jit_frames__add_code(f, c, c->addr);
	if (c->is_move || nr == LOADS_MAX)
		return;
	offsets[nr] = c->offset;
	addrs[nr] = c->addr;
	sizes[nr++] = c->size;
}

static void look(struct cfi *cfi, u64 addr, u64 size)
{
	for (u64 at = 0; cfi && at < size && at < 64; at++) {
		const struct cfi_row *row = cfi__find(cfi, addr + at);

		if (row)
			fuzz__touch(row, sizeof(*row) + row->nr_rules * sizeof(row->rules[0]));
	}
}

/* As the recorder does: a part of the file at a time. */
static void read_in_steps(int fd, size_t step)
{
	struct jit_frames f = { .machine = EM_X86_64 };
	struct jitdump_place place = { .offset = 0 };
	struct jitdump_header h;

	nr = 0;
	if (!jitdump__read_header(fd, &h))
		for (u64 i = 0, before = 1; before != place.offset && i < STEPS_MAX; i++) {
			before = place.offset;
			jitdump__read_on(fd, &h, &place, step, see_code, &f);
			jit_frames__update(&f);
			if (nr)
				look(jit_frames__find(&f, addrs[nr - 1], fd), addrs[nr - 1], sizes[nr - 1]);
			jit_frames__forget(&f, i % 3);
		}
	for (size_t i = 0; i < nr; i++)
		look(jit_frames__find(&f, addrs[i], fd), addrs[i], sizes[i]);
	jit_frames__exit(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	int fd = fuzz__file(data, size, path);
	struct jit_code *j;
	u8 code[16];

	read_in_steps(fd, size % 97 + 1);
	j = jit_code__new(fd); /* takes the descriptor over */
	for (size_t i = 0; i < nr; i++) {
		look(jit_code__cfi(j, offsets[i]), offsets[i], sizes[i]);
		if (jit_code__read(j, offsets[i], code, sizeof(code)))
			fuzz__touch(code, sizeof(code));
	}
	jit_code__delete(j);
	return 0;
}
