/* report --tasks: the tree of processes; --mmaps: with the maps of each. */
#include "base/memory/hash.h"
#include "ui/stdio/stdio.h"

#include <string.h>
#include <sys/mman.h>

enum { NO_TASK = UINT32_MAX };

struct task {
	const struct thread_history *h;
	u32 ppid; /* tid of the parent; UINT32_MAX: unknown */
	u64 fork_time;
	u32 first_child, last_child, next; /* NO_TASK: none */
	bool is_placed;
};

struct tasks {
	const struct machine *m;
	ARRAY(struct task) v; /* in the order of m->tids */
	bool with_maps;
	struct strbuf text;
};

static u32 tasks__find(const struct tasks *t, u32 tid)
{
	u32 i;

	hash_table__for_each (&t->m->by_tid, hash__u64(tid), i)
		if (t->m->tids.v[i].tid == tid)
			return i;
	return NO_TASK;
}

static const struct thread_state *task__state(const struct task *t)
{
	return &t->h->states.v[t->h->states.nr - 1];
}

static void tasks__init(struct tasks *t, const struct machine *m)
{
	for (size_t i = 0; i < m->tids.nr; i++)
		array__add(&t->v, ((struct task){ .h = &m->tids.v[i],
						  .ppid = UINT32_MAX,
						  .first_child = NO_TASK,
						  .last_child = NO_TASK,
						  .next = NO_TASK }));
}

/* Read parents from FORK records: the model does not keep them. The last record of a reused tid counts. */
static int tasks__read_parents(struct tasks *t, struct session *s, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(s->reader);
	struct block block = BLOCK_INIT;
	struct sample_id id;
	struct record r;
	int ret;

	while ((ret = reader_pass__next(pass, &block, err)) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &r)) {
			struct task_record fork;
			u64 time = 0;
			u32 i;

			if (r.header->type != PERF_RECORD_FORK || !record__task(&r, &fork))
				continue;
			if (sample_id__decode(&s->reader->evlist, &r, &id) && id.time_known)
				time = id.time;
			i = tasks__find(t, fork.tid);
			if (i == NO_TASK || time < t->v.v[i].fork_time)
				continue;
			t->v.v[i].ppid = fork.ptid;
			t->v.v[i].fork_time = time;
		}
	}
	block__exit(&block);
	reader_pass__delete(pass);
	return ret;
}

static void tasks__append(struct tasks *t, u32 parent, u32 child, u32 *first_root, u32 *last_root)
{
	u32 *first = parent == NO_TASK ? first_root : &t->v.v[parent].first_child;
	u32 *last = parent == NO_TASK ? last_root : &t->v.v[parent].last_child;

	if (*last == NO_TASK)
		*first = child;
	else
		t->v.v[*last].next = child;
	*last = child;
}

/*
 * Link a task and its ancestors under their parents, unless already done. A cycle of tids ends where it
 * began.
 */
static void tasks__place(struct tasks *t, u32 i, u32 *first_root, u32 *last_root)
{
	while (i != NO_TASK && !t->v.v[i].is_placed) {
		u32 parent = t->v.v[i].ppid == UINT32_MAX ? NO_TASK : tasks__find(t, t->v.v[i].ppid);

		if (parent == i)
			parent = NO_TASK;
		t->v.v[i].is_placed = true;
		tasks__append(t, parent, i, first_root, last_root);
		i = parent;
	}
}

/* Order as stock perf, which keeps threads in 256 buckets by tid. */
static int compare_tids(const void *a, const void *b, void *ctx)
{
	const struct tasks *t = ctx;
	u32 x = t->v.v[*(const u32 *)a].h->tid, y = t->v.v[*(const u32 *)b].h->tid;

	if ((x & 255) != (y & 255))
		return (x & 255) < (y & 255) ? -1 : 1;
	return x < y ? -1 : x > y;
}

static u32 tasks__link(struct tasks *t)
{
	u32 *order = xreallocarray(NULL, t->v.nr + 1, sizeof(*order)), first = NO_TASK, last = NO_TASK;

	for (u32 i = 0; i < t->v.nr; i++)
		order[i] = i;
	qsort_r(order, t->v.nr, sizeof(*order), compare_tids, t);
	for (u32 i = 0; i < t->v.nr; i++)
		tasks__place(t, order[i], &first, &last);
	free(order);
	return first;
}

/* ---- maps ---- */

static void tasks__add_map(struct tasks *t, const struct map *map, u64 start, u64 end, unsigned indent)
{
	const struct dso *dso = t->m->dsos.v.v[map->dso];
	char id[2 * BUILD_ID_MAX + 1];

	strbuf__addf(&t->text, "%*s  %llx-%llx %c%c%c%c %08llx ", (int)indent, "", (unsigned long long)start,
		     (unsigned long long)end, map->prot & PROT_READ ? 'r' : '-',
		     map->prot & PROT_WRITE ? 'w' : '-', map->prot & PROT_EXEC ? 'x' : '-',
		     map->flags & MAP_SHARED ? 's' : 'p',
		     (unsigned long long)(map->pgoff + (start - map->start)));
	/* mappings are recorded with the file's inode or with its build-id */
	if (!dso->ino && dso->kind == DSO_ELF && dso->build_id.size)
		strbuf__addf(&t->text, "%s ", build_id__str(&dso->build_id, id));
	else
		strbuf__addf(&t->text, "%llu ", (unsigned long long)dso->ino);
	strbuf__add_masked(&t->text, dso__long_name(&t->m->dsos, dso));
	strbuf__addch(&t->text, '\n');
}

/* Add the maps at the end of the recording: at most one map is valid between two neighbouring boundaries. */
static void tasks__add_maps(struct tasks *t, const struct maps *maps, unsigned indent)
{
	ARRAY(u64) bounds = { 0 };
	const struct map *last = NULL, *map;
	u64 start = 0;

	for (const struct maps *m = maps; m; m = m->parent)
		for (size_t i = 0; i < m->v.nr; i++) {
			array__add(&bounds, m->v.v[i].map->start);
			array__add(&bounds, m->v.v[i].map->end);
		}
	if (bounds.nr)
		qsort(bounds.v, bounds.nr, sizeof(*bounds.v), u64__compare);
	for (size_t i = 0; i < bounds.nr; i++) {
		map = maps__find(maps, bounds.v[i], UINT32_MAX);
		if (map == last)
			continue;
		if (last)
			tasks__add_map(t, last, start, bounds.v[i], indent);
		last = map;
		start = bounds.v[i];
	}
	array__exit(&bounds);
}

/* ---- tasks ---- */

static void tasks__add(struct tasks *t, const struct task *task, unsigned level)
{
	const struct thread_state *s = task__state(task);
	size_t start = t->text.len;
	unsigned indent;

	strbuf__addf(&t->text, "%10d %8d %8d |", (int)s->pid, (int)s->tid, (int)task->ppid);
	strbuf__addchars(&t->text, ' ', level);
	indent = (unsigned)(t->text.len - start);
	if (s->comm == COMM_UNKNOWN)
		strbuf__addf(&t->text, ":%d", (int)s->tid);
	else
		strbuf__add_masked(&t->text, machine__str(t->m, s->comm));
	strbuf__addch(&t->text, '\n');
	if (t->with_maps && s->maps)
		tasks__add_maps(t, s->maps, indent);
}

/* Print depth first, with an explicit stack: the ancestry of processes may be arbitrarily deep. */
static void tasks__print(struct tasks *t, u32 first, FILE *out)
{
	ARRAY(u32) stack = { 0 };

	fputs("#      pid      tid     ppid  comm\n", out);
	array__add(&stack, first);
	while (stack.nr) {
		u32 i = stack.v[stack.nr - 1];

		if (i == NO_TASK) {
			stack.nr--;
			continue;
		}
		tasks__add(t, &t->v.v[i], (unsigned)stack.nr - 1);
		fwrite(t->text.buf, 1, t->text.len, out);
		strbuf__reset(&t->text);
		stack.v[stack.nr - 1] = t->v.v[i].next;
		array__add(&stack, t->v.v[i].first_child);
	}
	array__exit(&stack);
}

int stdio__print_tasks(struct session *s, bool with_maps, FILE *out, struct err *err)
{
	struct tasks t = { .m = &s->machine, .with_maps = with_maps, .text = STRBUF_INIT };
	int ret;

	tasks__init(&t, &s->machine);
	ret = tasks__read_parents(&t, s, err);
	if (!ret)
		tasks__print(&t, tasks__link(&t), out);
	array__exit(&t.v);
	strbuf__exit(&t.text);
	return ret;
}
