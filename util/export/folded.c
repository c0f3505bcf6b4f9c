/*
 * Folded stacks: a line "comm;outermost;...;innermost weight" for each stack, in the order of bytes, as
 * stackcollapse-perf.pl makes of stock perf's text. Only the first of several events that has samples counts,
 * even if another one has the first sample. If the user names several events that count time, they are added
 * up; the innermost frame of waits is WAITING then.
 *
 * Lines are a tree of names, which is written depth first. Beside each other are "name " (a stack that ends
 * there) and "name;" (what it calls): these sort apart, as other names may lie between them.
 */
#include "export/export_formats.h"

#include "base/text/mask.h"

#include <stdlib.h>
#include <string.h>

#define WAITING "[waiting]"

struct folded_node {
	u32 name;                      /* id in names */
	u32 parent, first_child, next; /* nodes; 0: none */
	u64 weight;                    /* of stacks that end here */
};

struct folded_frame {   /* ids in names */
	u32 name, java; /* java: in processes that run Java */
};

struct folded {
	struct strpool names;
	ARRAY(struct folded_frame) frames;
	ARRAY(struct folded_node) v; /* the first is the root */
	struct hash_table children;  /* by parent and name */
	ARRAY(u32) path;             /* scratch: frames of a stack, innermost first */
	u32 event;                   /* the first one with samples */
	bool adds_time;              /* all events that count time are added up */
	u32 waiting;                 /* id of WAITING */
};

static int folded__begin(struct export *x, struct err *err)
{
	struct folded *f = xcalloc(1, sizeof(*f));

	(void)err;
	strpool__init(&f->names);
	while (f->event + 1 < x->events.nr && !x->events.v[f->event].nr)
		f->event++;
	f->adds_time = x->args->filter.events && f->event < x->events.nr && x->events.v[f->event].is_time &&
		       x->events.v[f->event].kind == SAMPLE_RUNNING;
	f->waiting = strpool__intern(&f->names, WAITING);
	array__add(&f->v, ((struct folded_node){ 0 }));
	x->data = f;
	return 0;
}

/*
 * Return the "(" at which the arguments of a function begin, or the end. "(anonymous namespace)" and Go's
 * ".(*T)." are parts of names.
 */
static const char *end_of_name(const char *name)
{
	const char *go = strstr(name, ".("), *end = strchr(name, '(');

	if (go && strstr(go + 2, ")."))
		return name + strlen(name);
	while (end && !strncmp(end, "(anonymous namespace)", 21))
		end = strchr(end + 1, '(');
	return end ? end : name + strlen(name);
}

/* Is the frame the kernel's? The vdso counts as kernel: its name is in brackets, too. */
static bool is_kernel(const struct export *x, const struct export_frame *frame)
{
	return frame->is_kernel ||
	       (!frame->is_jit && frame->binary != UINT32_MAX && x->binaries.v[frame->binary].name[0] == '[');
}

/* Append a function's name as it is in a line: without arguments and quotes, ';' as ':'. */
static void add_name(struct strbuf *sb, const char *name)
{
	const char *end = end_of_name(name);
	size_t from = sb->len, nr;

	for (; name < end; name++)
		if (*name != '"' && *name != '\'')
			strbuf__addch(sb, *name == ';' ? ':' : *name);
	nr = sb->len - from;
	mask_controls(sb->buf + from, nr, NULL);
}

/* Append the name of a binary. */
static void add_bracketed(struct strbuf *sb, const char *name)
{
	size_t from = sb->len;

	strbuf__addf(sb, "[%s]", name);
	mask_controls(sb->buf + from, sb->len - from, NULL);
	for (size_t i = from; i < sb->len; i++)
		sb->buf[i] = (char)(sb->buf[i] == ';' ? ':' : sb->buf[i]);
}

/* Return the name of a Java class, such as Ljava/lang/String, without the first letter. */
static const char *java_name(const char *name)
{
	return name[0] == 'L' && strchr(name, '/') ? name + 1 : name;
}

static void folded__frame(struct export *x, u32 id, const struct export_frame *frame)
{
	struct folded *f = x->data;
	struct strbuf name = STRBUF_INIT;

	(void)id;
	if (frame->is_unknown && frame->binary == UINT32_MAX)
		strbuf__addstr(&name, "[unknown]");
	else if (frame->is_unknown && x->args->symbols_of.no_made_up_names)
		add_bracketed(&name, x->binaries.v[frame->binary].name);
	else
		add_name(&name, frame->function);
	if (frame->is_inlined && x->args->inline_marks)
		strbuf__addstr(&name, "_[i]");
	else if (!frame->is_inlined && x->args->kernel_marks && is_kernel(x, frame))
		strbuf__addstr(&name, "_[k]");
	else if (frame->is_jit && x->args->jit_marks)
		strbuf__addstr(&name, "_[j]");
	strbuf__make_utf8(&name);
	array__add(&f->frames, ((struct folded_frame){ strpool__intern(&f->names, name.buf),
						       strpool__intern(&f->names, java_name(name.buf)) }));
	strbuf__exit(&name);
}

static u32 folded__child(struct folded *f, u32 parent, u32 name)
{
	u64 hash = hash__u64((u64)parent << 32 | name);
	u32 i;

	hash_table__for_each (&f->children, hash, i)
		if (f->v.v[i].parent == parent && f->v.v[i].name == name)
			return i;
	i = (u32)f->v.nr;
	hash_table__insert(&f->children, hash, i);
	array__add(&f->v, ((struct folded_node){
				  .name = name, .parent = parent, .next = f->v.v[parent].first_child }));
	f->v.v[parent].first_child = i;
	return i;
}

/* "comm", "comm-pid" or "comm-pid/tid", blanks as '_' */
static u32 folded__thread_name(struct folded *f, const struct export *x, const struct export_sample *s)
{
	const struct export_thread *t = &x->threads.v[s->thread];
	struct strbuf name = STRBUF_INIT;
	u32 id;

	strbuf__addstr(&name, s->comm);
	if (x->args->pids_in_names || x->args->tids_in_names)
		strbuf__addf(&name, "-%d", (int)t->pid);
	if (x->args->tids_in_names)
		strbuf__addf(&name, "/%d", (int)t->tid);
	mask_controls(name.buf, name.len, NULL);
	for (size_t i = 0; i < name.len; i++)
		name.buf[i] = (char)(name.buf[i] == ' ' ? '_' : name.buf[i] == ';' ? ':' : name.buf[i]);
	strbuf__make_utf8(&name);
	id = strpool__intern(&f->names, name.buf);
	strbuf__exit(&name);
	return id;
}

static void folded__sample(struct export *x, const struct export_sample *s)
{
	const struct export_event *e = &x->events.v[s->event];
	struct folded *f = x->data;
	bool is_java = !strncmp(s->comm, "java", 4);
	u32 node;

	if (s->event != f->event && !(f->adds_time && e->is_time)) {
		x->nr_left_out += s->nr;
		return;
	}
	f->path.nr = 0;
	for (u32 i = s->stack; i; i = x->tree.v[i].parent)
		array__add(&f->path, x->tree.v[i].frame);
	node = folded__child(f, 0, folded__thread_name(f, x, s));
	while (f->path.nr) {
		const struct folded_frame *frame = &f->frames.v[f->path.v[--f->path.nr]];

		node = folded__child(f, node, is_java ? frame->java : frame->name);
	}
	if (f->adds_time && e->kind == SAMPLE_WAITING)
		node = folded__child(f, node, f->waiting);
	f->v.v[node].weight += s->weight;
}

/* ---- writing ---- */

struct folded_item { /* the line that ends in a node, or what is below it */
	u32 node;
	bool is_below;
	size_t len; /* of the line up to the node's parent */
};

typedef ARRAY(struct folded_item) folded_items;

static int folded_item__compare(const void *a, const void *b, void *ctx)
{
	const struct folded *f = ctx;
	const struct folded_item *x = a, *y = b;
	const u8 *s = (const u8 *)strpool__get(&f->names, f->v.v[x->node].name);
	const u8 *t = (const u8 *)strpool__get(&f->names, f->v.v[y->node].name);
	int c, d;

	while (*s && *s == *t) {
		s++;
		t++;
	}
	c = *s ? *s : x->is_below ? ';' : ' ';
	d = *t ? *t : y->is_below ? ';' : ' ';
	return c - d;
}

/* Push what is below a node, the first in order last. */
static void folded__push(struct folded *f, folded_items *todo, u32 parent, size_t len)
{
	size_t from = todo->nr;

	for (u32 i = f->v.v[parent].first_child; i; i = f->v.v[i].next) {
		if (f->v.v[i].weight)
			array__add(todo, ((struct folded_item){ i, false, len }));
		if (f->v.v[i].first_child)
			array__add(todo, ((struct folded_item){ i, true, len }));
	}
	if (todo->nr > from)
		qsort_r(todo->v + from, todo->nr - from, sizeof(*todo->v), folded_item__compare, f);
	for (size_t i = from, k = todo->nr; i + 1 < k; i++) {
		struct folded_item item = todo->v[--k];

		todo->v[k] = todo->v[i];
		todo->v[i] = item;
	}
}

static void folded__end(struct export *x)
{
	struct folded *f = x->data;
	struct strbuf line = STRBUF_INIT;
	folded_items todo = { .v = NULL };

	folded__push(f, &todo, 0, 0);
	while (todo.nr) {
		struct folded_item item = todo.v[--todo.nr];
		const struct folded_node *n = &f->v.v[item.node];

		if (line.len > item.len)
			strbuf__setlen(&line, item.len);
		strbuf__addstr(&line, strpool__get(&f->names, n->name));
		if (item.is_below) {
			strbuf__addch(&line, ';');
			folded__push(f, &todo, item.node, line.len);
			continue;
		}
		strbuf__add(&x->out->text, line.buf, line.len);
		strbuf__addf(&x->out->text, " %llu\n", (unsigned long long)n->weight);
		export_out__flow(x->out);
	}
	strbuf__exit(&line);
	array__exit(&todo);
	strpool__exit(&f->names);
	array__exit(&f->frames);
	array__exit(&f->v);
	array__exit(&f->path);
	hash_table__exit(&f->children);
	free(f);
}

const struct export_format export_folded = {
	.name = "folded",
	.suffix = ".folded",
	.help = "folded stacks, as for flamegraph.pl",
	.is_text = true,
	.begin = folded__begin,
	.frame = folded__frame,
	.sample = folded__sample,
	.end = folded__end,
};
