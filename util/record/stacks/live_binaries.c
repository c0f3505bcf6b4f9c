#include "record/stacks/live_binaries.h"

#include "base/memory/mem.h"
#include "binary/elf/kept_files.h"
#include "binary/symbols/vdso.h"

#include <stdlib.h>
#include <string.h>

enum { WAIT_MAX = 32 }; /* rounds between tries to open a file */

#define CFI_MAX (8ull << 20) /* bytes of call frame information that stay open, used or not */

void live_binaries__init(struct live_binaries *l)
{
	*l = (struct live_binaries){ .cfi_max = CFI_MAX, .due = UINT64_MAX };
	strpool__init(&l->names);
	array__add(&l->v, (struct live_binary){ .is_opened = true });
}

void live_binaries__exit(struct live_binaries *l)
{
	for (size_t i = 0; i < l->v.nr; i++)
		cfi__delete(l->v.v[i].cfi);
	array__exit(&l->v);
	hash_table__exit(&l->table);
	strpool__exit(&l->names);
}

static bool live_binary__same(const struct live_binary *a, const struct live_binary *b)
{
	if (a->name != b->name || a->build_id.size != b->build_id.size)
		return false;
	if (a->build_id.size)
		return !memcmp(a->build_id.data, b->build_id.data, a->build_id.size);
	return a->ino == b->ino && a->maj == b->maj && a->min == b->min &&
	       a->ino_generation == b->ino_generation;
}

static bool name__is_file(const char *name)
{
	if (name[0] != '/')
		return vdso__is_name(name);
	return name[1] != '/' && strncmp(name, "/dev/zero", 9) && strncmp(name, "/anon_hugepage", 14) &&
	       strncmp(name, "/SYSV", 5);
}

u32 live_binaries__add(struct live_binaries *l, const char *name, struct live_binary *b)
{
	u64 hash;
	u32 i;

	if (!name__is_file(name))
		return 0;
	b->name = strpool__intern(&l->names, name);
	hash = hash__bytes(b->build_id.data, b->build_id.size, hash__add(b->ino, b->name));
	hash_table__for_each (&l->table, hash, i)
		if (live_binary__same(&l->v.v[i], b))
			return i;
	i = (u32)l->v.nr;
	hash_table__insert(&l->table, hash, i);
	array__add(&l->v, *b);
	return i;
}

/* Return a path to a binary that was deleted since it was mapped, to be freed, or NULL. */
static char *kept_path(const struct live_binaries *l, const struct live_binary *b)
{
	const struct kept_id id = { .name = strpool__get(&l->names, b->name),
				    .maj = b->maj,
				    .min = b->min,
				    .ino = b->ino,
				    .ino_generation = b->ino_generation,
				    .build_id = b->build_id };

	return kept_files__path(l->kept, &id);
}

/* Open the CFI of the binary itself, or else of a debug file with its build-id. */
static struct cfi *open_cfi(const struct live_binaries *l, const struct live_binary *b, u32 pid, u64 start,
			    u64 end)
{
	static const struct debug_places here = { .also_here = true };
	const char *name = strpool__get(&l->names, b->name);
	struct file_query q = {
		.path = name, .id = b->build_id, .ino = b->ino, .pid = pid, .start = start, .end = end
	};
	struct cfi_opts opts = { .places = &here };
	struct file_search s;
	struct cfi *cfi = NULL;
	char *root = NULL, *kept = NULL;
	const void *image;
	size_t size;

	vdso__see(name, (pid_t)pid, start, end);
	if (vdso__is_name(name))
		return vdso__image(name, &image, &size) && !cfi__open_image(&cfi, image, size, NULL) ? cfi
												     : NULL;
	file_search__start(&s, FILE_BINARY, &q);
	if (!file_search__find(&s)) {
		opts.symfs = root = xasprintf("%.*s", (int)s.root_len, s.full.buf);
		cfi__open(&cfi, file_search__path(&s), &q.id, &opts, NULL);
	} else if ((kept = kept_path(l, b))) {
		cfi__open(&cfi, kept, &q.id, &opts, NULL);
	} else if (q.id.size) {
		cfi__open(&cfi, name, &q.id, &opts, NULL);
	}
	file_search__end(&s);
	free(root);
	free(kept);
	return cfi;
}

bool live_binaries__begin_round(struct live_binaries *l)
{
	bool is_due = ++l->round >= l->due;
	bool is_more = is_due || l->is_found;

	l->is_found = false;
	if (is_due)
		l->due = UINT64_MAX;
	return is_more;
}

/*
 * May the file be looked for in this round? Tries of all files begin with the same rounds, since all callers
 * have to ask again then. If it may not, another process than the last one waits for it.
 */
static bool live_binaries__may_try(struct live_binaries *l, const struct live_binary *b, u32 pid)
{
	if (!b->has_failed)
		return true;
	if (!pid)
		return false;
	if (!b->wait || l->round / b->wait != b->tried / b->wait)
		return true;
	if (pid != b->tried_by)
		l->due = MIN(l->due, (l->round / b->wait + 1) * b->wait);
	return false;
}

struct cfi *live_binaries__cfi(struct live_binaries *l, u32 binary, u32 pid, u64 start, u64 end)
{
	struct live_binary *b = &l->v.v[binary];

	b->asked = l->period;
	if (b->is_opened || !live_binaries__may_try(l, b, pid)) /* [0] is opened, and has none */
		return b->cfi;
	b->cfi = open_cfi(l, b, pid, start, end);
	b->is_opened = b->cfi;
	l->is_found |= b->is_opened && b->has_failed;
	b->has_failed = !b->is_opened;
	b->tried_by = pid;
	b->tried = l->round;
	if (b->is_opened)
		b->wait = 0;
	else if (pid)
		b->wait = b->wait ? MIN(2 * b->wait, (u32)WAIT_MAX) : 1;
	return b->cfi;
}

bool live_binaries__close_unused(struct live_binaries *l)
{
	u64 bytes = 0;
	bool closed = false;

	for (size_t i = 1; i < l->v.nr; i++)
		bytes += l->v.v[i].cfi ? cfi__bytes(l->v.v[i].cfi) : 0;
	if (bytes <= l->cfi_max)
		return false;
	for (size_t i = 1; i < l->v.nr; i++) {
		struct live_binary *b = &l->v.v[i];

		if (!b->cfi || b->asked == l->period)
			continue;
		cfi__delete(b->cfi);
		b->cfi = NULL;
		b->is_opened = false;
		closed = true;
	}
	if (closed)
		mem__trim();
	l->period++;
	return true;
}

void live_binaries__keep(struct live_binaries *l, u32 *numbers)
{
	struct live_binaries old = *l;

	live_binaries__init(l);
	l->kept = old.kept;
	l->period = old.period;
	l->round = old.round;
	l->due = old.due;
	l->is_found = old.is_found;
	l->cfi_max = old.cfi_max;
	numbers[0] = 0;
	for (u32 i = 1; i < old.v.nr; i++) {
		struct live_binary *b = &old.v.v[i];

		if (numbers[i])
			numbers[i] = live_binaries__add(l, live_binaries__name(&old, i), b);
		else
			cfi__delete(b->cfi);
		b->cfi = NULL; /* deleted, or the new table's */
	}
	live_binaries__exit(&old);
}
