#include "export/content_ids.h"

#include <stdio.h>
#include <string.h>

static u64 hash_text(u64 hash, const char *text)
{
	return text ? hash__bytes(text, strlen(text) + 1, hash) : hash__add(hash, 0);
}

void content_ids__init(struct content_ids *c, const char *host)
{
	*c = (struct content_ids){ .recording = { hash_text(1, host), hash_text(2, host) } };
}

void content_ids__exit(struct content_ids *c)
{
	array__exit(&c->binaries);
	array__exit(&c->frames);
	array__exit(&c->stacks);
}

u64 content_ids__add_binary(struct content_ids *c, const struct export_binary *b, const char *build_id)
{
	u64 id = hash_text(hash_text(0, b->path), build_id);

	array__add(&c->binaries, id);
	return id;
}

u64 content_ids__add_frame(struct content_ids *c, const struct export_frame *f)
{
	u64 binary = f->binary == UINT32_MAX ? 0 : c->binaries.v[f->binary];
	u64 hash = hash_text(hash_text(binary, f->function), f->file);

	hash = hash__add(hash__add(hash, f->addr),
			 (u64)f->line << 2 | (u64)f->is_inlined << 1 | f->is_kernel);
	array__add(&c->frames, ((struct content_frame){ hash, f->is_inlined, f->is_unknown }));
	return hash;
}

struct content_stack content_ids__add_stack(struct content_ids *c, const struct export *x)
{
	const struct export_stack *k;
	struct content_stack parent, stack;
	const struct content_frame *f;

	if (!c->stacks.nr)
		array__add(&c->stacks, ((struct content_stack){ 0 })); /* STACK_NONE */
	k = &x->tree.v[c->stacks.nr];
	parent = c->stacks.v[k->parent];
	f = &c->frames.v[k->frame];
	stack = (struct content_stack){ hash__add(hash__u64(parent.id), f->id), f->id, f->is_unknown };
	if (f->is_inlined && k->parent) {
		stack.self = parent.self;
		stack.is_unknown = parent.is_unknown;
	}
	array__add(&c->stacks, stack);
	return stack;
}

void content_ids__add_sample(struct content_ids *c, const struct export *x, const struct export_sample *s)
{
	const struct export_thread *t = &x->threads.v[s->thread];
	const u64 words[] = { s->time, (u64)t->pid << 32 | t->tid, s->cpu, s->event, s->weight };

	for (size_t i = 0; i < ARRAY_SIZE(c->recording); i++)
		c->recording[i] = hash__words(words, ARRAY_SIZE(words), c->recording[i]);
}

void content_ids__recording(const struct content_ids *c, char text[CONTENT_TEXT_SIZE])
{
	snprintf(text, CONTENT_TEXT_SIZE, "%016llx%016llx", (unsigned long long)c->recording[0],
		 (unsigned long long)c->recording[1]);
}

void content_ids__add_build_id(struct strbuf *sb, const struct build_id *id)
{
	for (u32 i = 0; i < id->size; i++)
		strbuf__addf(sb, "%02x", id->data[i]);
}
