#include "model/dso.h"

#include "base/text/path_name.h"
#include "binary/symbols/jit_code.h"
#include "binary/symbols/jitdump.h"

#include <stdio.h>
#include <string.h>

void dsos__init(struct dsos *d, struct strpool *names)
{
	*d = (struct dsos){ .names = names };
	dsos__find_add(d, "[unknown]", DSO_NONE, NULL); /* DSO_IDX_NONE */
}

void dsos__exit(struct dsos *d)
{
	for (size_t i = 0; i < d->v.nr; i++) {
		struct dso *dso = d->v.v[i];

		symtab__exit(&dso->symtab);
		kallsyms_file__close(dso->kallsyms);
		cfi__delete(dso->cfi);
		jit_code__delete(dso->jit);
		made_up__delete(dso->made_up);
		kept_symbols__exit(&dso->kept);
		dwarf_lines__delete(dso->lines);
		elf_code__delete(dso->code.elf);
		free(dso->code.reason);
		free(dso->load_reason);
		free(dso->root);
		free(dso->file);
		free(dso->maps);
		pthread_mutex_destroy(&dso->lock);
		free(dso);
	}
	array__exit(&d->v);
	array__exit(&d->next_same_name);
	hash_table__exit(&d->by_name);
}

/* "/lib/modules/6.1.0/kernel/fs/nf-nat.ko.xz" -> "[nf_nat]"; "[nf_nat]" stays. */
static u32 module_short_name(struct strpool *names, const char *long_name)
{
	const char *base = path__name(long_name);
	const char *dot;
	char name[128];
	int n;

	if (*base == '[')
		return strpool__intern(names, base);
	dot = strstr(base, ".ko");
	n = snprintf(name, sizeof(name), "[%.*s]", dot ? (int)(dot - base) : (int)strlen(base), base);
	if (n >= (int)sizeof(name))
		return strpool__intern(names, base);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return strpool__intern(names, name);
}

static u32 short_name(struct strpool *names, const char *long_name, enum dso_kind kind)
{
	const char *slash = strrchr(long_name, '/');
	char text[64];
	u32 pid;

	if (kind == DSO_MODULE)
		return module_short_name(names, long_name);
	if (kind == DSO_JIT && sscanf(long_name, "/tmp/perf-%u.map", &pid) == 1) {
		snprintf(text, sizeof(text), "[JIT] tid %u", pid);
		return strpool__intern(names, text);
	}
	if (kind == DSO_JITDUMP && jitdump__code_name(long_name)) { /* without the slash */
		snprintf(text, sizeof(text), "%.*s", JITDUMP_MADE_LEN - 1, long_name);
		return strpool__intern(names, text);
	}
	return strpool__intern(names, slash && slash[1] ? slash + 1 : long_name);
}

static bool dso__matches(const struct dso *dso, const struct dso_id *id)
{
	if (!id)
		return true;
	if (id->build_id.size && dso->build_id.size)
		return build_id__equal(&id->build_id, &dso->build_id);
	if (id->ino && dso->ino)
		return id->ino == dso->ino && id->maj_min == dso->maj_min &&
		       id->ino_generation == dso->ino_generation;
	return true;
}

static struct dso *dsos__add(struct dsos *d, u32 name, enum dso_kind kind)
{
	struct dso *dso = xcalloc(1, sizeof(*dso));

	dso->idx = (u32)d->v.nr;
	dso->long_name = name;
	dso->short_name = short_name(d->names, strpool__get(d->names, name), kind);
	dso->kind = kind;
	symtab__init(&dso->symtab);
	pthread_mutex_init(&dso->lock, NULL);
	array__add(&d->v, dso);
	array__add(&d->next_same_name, UINT32_MAX);
	return dso;
}

struct dso *dsos__find_add(struct dsos *d, const char *long_name, enum dso_kind kind, const struct dso_id *id)
{
	u32 name = strpool__intern(d->names, long_name), i, last = UINT32_MAX;
	u64 hash = hash__u64(name);
	struct dso *dso = NULL;

	hash_table__for_each (&d->by_name, hash, i) {
		if (d->v.v[i]->long_name != name)
			continue;
		for (; i != UINT32_MAX; last = i, i = d->next_same_name.v[i]) {
			dso = d->v.v[i];
			if (dso->kind == kind && dso__matches(dso, id))
				goto found;
		}
		break;
	}
	dso = dsos__add(d, name, kind);
	if (last == UINT32_MAX)
		hash_table__insert(&d->by_name, hash, dso->idx);
	else
		d->next_same_name.v[last] = dso->idx;
found:
	if (id && id->build_id.size && !dso->build_id.size)
		dso->build_id = id->build_id;
	if (id && id->ino && !dso->ino) {
		dso->maj_min = id->maj_min;
		dso->ino = id->ino;
		dso->ino_generation = id->ino_generation;
	}
	return dso;
}

void dsos__set_build_id(struct dsos *d, const char *long_name, const struct build_id *id)
{
	u32 name = strpool__find(d->names, long_name), i;

	if (name == UINT32_MAX)
		return;
	hash_table__for_each (&d->by_name, hash__u64(name), i) {
		if (d->v.v[i]->long_name != name)
			continue;
		for (; i != UINT32_MAX; i = d->next_same_name.v[i])
			if (!d->v.v[i]->build_id.size)
				d->v.v[i]->build_id = *id;
		return;
	}
}
