#include "pgo/bolt_functions.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name_count {
	const char *name;
	u32 nr;
};

/* The work of bolt_functions__open. */
struct finder {
	struct bolt_functions *b;
	ARRAY(u32) order; /* indexes of raw.symbols: those that have memory, by address */
	ARRAY(struct name_count) counts;
	struct hash_table by_name; /* of counts */
	u32 nr_unnamed;
};

/* ---- symbols ---- */

static const struct elf_raw_section *section_of(const struct bolt_functions *b,
						const struct elf_raw_symbol *s)
{
	return &b->raw.sections.v[s->section];
}

static bool is_stub_section(const struct elf_raw_section *s)
{
	return !strcmp(s->name, ".plt") || !strcmp(s->name, ".plt.sec") || !strcmp(s->name, ".plt.got") ||
	       !strcmp(s->name, ".iplt");
}

static bool has_memory(const struct bolt_functions *b, const struct elf_raw_symbol *s)
{
	const struct elf_raw_section *in = section_of(b, s);

	if (s->type == STT_FILE || !s->addr || !strcmp(s->name, "__hot_start") ||
	    !strcmp(s->name, "__hot_end") || (s->type == STT_SECTION && is_stub_section(in)))
		return false;
	return s->is_absolute || (s->section && in->is_allocated && s->addr >= in->addr &&
				  s->addr + s->size <= in->addr + in->size);
}

/* At one address functions are first, sections last. */
static int type_rank(const struct elf_raw_symbol *s)
{
	return s->type == STT_FUNC ? 0 : s->type == STT_SECTION ? 2 : 1;
}

static int compare_symbols(const void *x, const void *y, void *symbols)
{
	const struct elf_raw_symbol *v = symbols, *a = &v[*(const u32 *)x], *b = &v[*(const u32 *)y];

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (type_rank(a) != type_rank(b))
		return type_rank(a) - type_rank(b);
	return a < b ? -1 : a > b;
}

/* Return how many symbols had this name so far, with this one. */
static u32 finder__count(struct finder *f, const char *name)
{
	u64 hash = hash__bytes(name, strlen(name), 0);
	u32 i;

	hash_table__for_each (&f->by_name, hash, i)
		if (!strcmp(f->counts.v[i].name, name))
			return ++f->counts.v[i].nr;
	hash_table__insert(&f->by_name, hash, (u32)f->counts.nr);
	array__add(&f->counts, ((struct name_count){ name, 1 }));
	return 1;
}

static const char *finder__name(struct finder *f, const struct elf_raw_symbol *s)
{
	bool is_private = !strncmp(s->name, ".L", 2);
	struct strbuf name = STRBUF_INIT;
	const char *ret;

	if (*s->name && !s->is_local && !is_private)
		return s->name;
	strbuf__addf(&name, "%s%s", is_private ? "PG" : "", s->name);
	if (!*s->name)
		strbuf__addf(&name, "ANONYMOUS.%u", f->nr_unnamed++);
	else if (s->is_local)
		strbuf__addf(&name, "/%u", finder__count(f, s->name));
	ret = arena__strndup(&f->b->names, name.buf, name.len);
	strbuf__exit(&name);
	return ret;
}

/* ---- functions ---- */

static bool contains(const struct bolt_function *f, u64 addr)
{
	return addr >= f->start && addr - f->start < f->size;
}

static const struct elf_raw_section *section_at(const struct bolt_functions *b, u64 addr)
{
	for (size_t i = 1; i < b->raw.sections.nr; i++) {
		const struct elf_raw_section *s = &b->raw.sections.v[i];

		if (s->is_allocated && s->is_code && addr >= s->addr && addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

/* May this symbol be inside of the function, such as a label? */
static bool is_label_of(const struct bolt_functions *b, const struct bolt_function *f,
			const struct elf_raw_symbol *s)
{
	if (section_at(b, f->start) != section_at(b, s->addr))
		return false;
	if (!s->size && contains(f, s->addr))
		return true;
	return s->type == STT_NOTYPE && s->is_local;
}

/* Add the function that begins at a symbol, if one does. */
static void finder__add(struct finder *f, const struct elf_raw_symbol *s)
{
	struct bolt_functions *b = f->b;
	const char *name = finder__name(f, s); /* is counted, whatever it names */
	struct bolt_function *last = b->v.nr ? &b->v.v[b->v.nr - 1] : NULL;
	const struct elf_raw_section *in = section_of(b, s);

	if (s->is_absolute || s->addr == in->addr + in->size || !in->is_code)
		return;
	if (last && s->type != STT_FUNC &&
	    (contains(last, s->addr) || (!last->size && is_label_of(b, last, s))))
		return;
	if (last && last->start == s->addr)
		last->size = MAX(last->size, s->size);
	else if (!last || !contains(last, s->addr))
		array__add(&b->v,
			   ((struct bolt_function){ .name = name, .start = s->addr, .size = s->size }));
}

/* Let functions end where the next one, or another symbol begins. */
static void finder__set_ends(struct finder *f)
{
	struct bolt_functions *b = f->b;
	size_t at = 0;

	for (size_t i = 0; i < b->v.nr; i++) {
		struct bolt_function *fn = &b->v.v[i];
		const struct elf_raw_section *in = section_at(b, fn->start);

		fn->end = in ? in->addr + in->size : fn->start + fn->size;
		if (i + 1 < b->v.nr)
			fn->end = MIN(fn->end, b->v.v[i + 1].start);
		for (; at < f->order.nr && b->raw.symbols.v[f->order.v[at]].addr < fn->end; at++) {
			const struct elf_raw_symbol *s = &b->raw.symbols.v[f->order.v[at]];

			if (s->addr > fn->start && !is_label_of(b, fn, s) && !contains(fn, s->addr))
				fn->end = s->addr;
		}
		fn->end = MAX(fn->end, fn->start + fn->size);
		if (!fn->size)
			fn->size = fn->end - fn->start;
	}
}

static void finder__run(struct finder *f)
{
	struct elf_raw *r = &f->b->raw;

	for (u32 i = 0; i < r->symbols.nr; i++)
		if (has_memory(f->b, &r->symbols.v[i]))
			array__add(&f->order, i);
	if (f->order.nr)
		qsort_r(f->order.v, f->order.nr, sizeof(u32), compare_symbols, r->symbols.v);
	for (size_t i = 0; i < f->order.nr; i++)
		finder__add(f, &r->symbols.v[f->order.v[i]]);
	finder__set_ends(f);
	array__exit(&f->order);
	array__exit(&f->counts);
	hash_table__exit(&f->by_name);
}

int bolt_functions__open(struct bolt_functions *b, struct session *s, struct dso *dso, struct err *err)
{
	const char *name = dso__long_name(&s->machine.dsos, dso);
	int ret;

	*b = (struct bolt_functions){ .session = s, .dso = dso };
	ret = symbolizer__find_file(&s->symbolizer, dso, err);
	if (!ret)
		ret = elf_raw__open(&b->raw, dso->root, dso->file, &dso->build_id, err);
	if (ret) {
		err__advise(err, "a profile is only right for the build that was recorded: keep its binary, "
				 "and name its folder: --symfs");
		return ret;
	}
	if (elf_raw__has_section(&b->raw, ".note.bolt_info")) {
		err__set(err, -EINVAL, "'%s' was made by BOLT, which does not take it again", name);
		err__advise(err, "record the program that BOLT was given, and give it that one again");
		return -EINVAL;
	}
	if (!b->raw.symbols.nr) {
		err__set(err, -ENODATA, "'%s' has no symbol table: BOLT does not take stripped programs",
			 name);
		err__advise(err,
			    "name the folder that has it as the linker wrote it, for BOLT, too: --symfs");
		return -ENODATA;
	}
	b->is_dynamic = elf_raw__has_section(&b->raw, ".dynsym");
	borders__open(&b->borders, dso->file, &dso->build_id, dso->root, NULL);
	finder__run(&(struct finder){ .b = b });
	return 0;
}

void bolt_functions__close(struct bolt_functions *b)
{
	elf_raw__close(&b->raw);
	borders__delete(b->borders);
	array__exit(&b->v);
	arena__exit(&b->names);
}

/* ---- search ---- */

/*
 * PLT stubs have the name of what they lead to, if that is a dynamic symbol; what else is in their sections
 * has the section's.
 */
static void find_stub(struct bolt_functions *b, const struct elf_raw_section *in, u64 addr, u64 vaddr,
		      struct bolt_function *f)
{
	const struct symbol *sym = symbolizer__find(&b->session->symbolizer, b->dso, addr);
	const char *name = sym ? symtab__name(&b->dso->symtab, sym) : "";
	size_t len = strlen(name), tail = strlen("@plt");

	*f = (struct bolt_function){ .start = in->addr, .size = in->size, .is_stub = true };
	if (b->is_dynamic && len > tail && !strcmp(name + len - tail, "@plt") && !sym->is_made_up) {
		f->start = vaddr - (addr - sym->start);
		f->size = sym->size;
		f->name = arena__strdup(&b->names, name);
		memcpy((char *)f->name + len - tail, "@PLT", tail);
	} else {
		char *own = xasprintf("__BOLT_PSEUDO_%s", in->name);

		f->name = arena__strdup(&b->names, own);
		free(own);
	}
	f->end = f->start + f->size;
}

/* Functions without a symbol are known by their frame descriptions. */
static bool find_unnamed(struct bolt_functions *b, u64 addr, u64 least, struct bolt_function *f)
{
	struct code_range range;
	char name[64];

	if (!b->borders || !borders__find(b->borders, addr, &range) || range.start + range.bias < least)
		return false;
	*f = (struct bolt_function){ .start = range.start + range.bias, .size = range.end - range.start };
	f->end = f->start + f->size;
	snprintf(name, sizeof(name), "__BOLT_FDE_FUNCat%llx", (unsigned long long)f->start);
	f->name = arena__strdup(&b->names, name);
	return true;
}

/* As bolt_functions__find, but set linked addresses. */
static bool find_linked(struct bolt_functions *b, u64 addr, u64 vaddr, struct bolt_function *f)
{
	const struct elf_raw_section *in = section_at(b, vaddr);
	const struct bolt_function *last;
	size_t i;

	if (!in)
		return false;
	if (is_stub_section(in)) {
		find_stub(b, in, addr, vaddr, f);
		return true;
	}
	i = bisect(k, 0, b->v.nr, b->v.v[k].start <= vaddr);
	last = i ? &b->v.v[i - 1] : NULL;
	if (last && contains(last, vaddr)) {
		*f = *last;
		return true;
	}
	if (find_unnamed(b, addr, last ? last->start + last->size : 0, f))
		return true;
	if (last)
		*f = *last;
	return last && vaddr < last->end;
}

bool bolt_functions__find(struct bolt_functions *b, u64 addr, struct bolt_function *f)
{
	u64 vaddr;

	if (!elf_raw__vaddr(&b->raw, addr, &vaddr) || !find_linked(b, addr, vaddr, f))
		return false;
	f->start -= vaddr - addr;
	f->end -= vaddr - addr;
	return true;
}
