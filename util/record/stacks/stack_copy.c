#include "record/stacks/stack_copy.h"

/* Return the size of the shortened copy; *dyn_size is the part that is stack. */
static u64 trimmed_size(const struct sample *s, u32 keep, u64 *dyn_size)
{
	*dyn_size = s->stack_dyn_size;
	if (s->stack_dyn_size > keep) {
		*dyn_size = keep;
		return keep;
	}
	if (s->stack_dyn_size == s->stack_size)
		return s->stack_size;
	return MIN(ROUND_UP(s->stack_dyn_size, 8) + 8, s->stack_size);
}

void stack_copy__add_trimmed(struct strbuf *out, const struct record *r, const struct sample *s, u32 keep)
{
	const u8 *data = (const u8 *)r->header, *stack = s->user_stack, *behind;
	size_t start = out->len, to_stack;
	struct perf_event_header *h;
	u64 size, dyn_size;

	if (!s->stack_size) { /* such as a kernel thread */
		strbuf__add(out, data, r->header->size);
		return;
	}
	size = trimmed_size(s, keep, &dyn_size);
	to_stack = (size_t)(stack - data) - sizeof(size);
	behind = stack + s->stack_size + sizeof(dyn_size);
	strbuf__add(out, data, to_stack);
	strbuf__add(out, &size, sizeof(size));
	strbuf__add(out, stack, size);
	strbuf__add(out, &dyn_size, sizeof(dyn_size));
	strbuf__add(out, behind, r->header->size - (size_t)(behind - data));
	h = (void *)(out->buf + start);
	h->size = (u16)(out->len - start);
}

/* Return how many bytes of stack the kernel could copy into this record, next to its other fields. */
static u64 room_for_stack(const struct record *r, const struct sample *s)
{
	return (UINT16_MAX - (r->header->size - s->stack_size)) & ~(u64)7;
}

enum stack_copy_state stack_copy__state(const struct record *r, const struct sample *s, u32 asked)
{
	if (s->stack_dyn_size < s->stack_size || s->stack_size >= MIN(asked, room_for_stack(r, s)))
		return STACK_COPY_AS_ASKED;
	return s->stack_size > STACK_COPY_MIN ? STACK_COPY_SMALLER : STACK_COPY_NONE;
}
