#include "binary/elf/sdt_notes.h"

#include "base/memory/cursor.h"
#include "binary/elf/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum {
	SDT_TYPE = 3, /* of the notes */
	NOTE_ALIGN = 4,
};

static const char sdt_owner[] = "stapsdt";

struct sdt_file {
	bool swap, is_64bit;
	u64 base; /* address of .stapsdt.base, 0: none */
};

static u64 read_word(struct cursor *c, const struct sdt_file *f)
{
	return f->is_64bit ? cursor__u64(c) : cursor__u32(c);
}

/* Copy the string at the cursor, and move past it. Return NULL if it has no end. */
static const char *read_name(struct sdt_notes *s, struct cursor *c)
{
	const char *name = (const char *)c->p;
	size_t len = strnlen(name, cursor__left(c));

	if (len == cursor__left(c))
		return NULL;
	cursor__skip(c, len + 1);
	return arena__strdup(&s->names, name);
}

/* Read a note's description. Notes that are damaged are left out. */
static void read_probe(struct sdt_notes *s, const struct sdt_file *f, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, f->swap);
	u64 addr = read_word(&c, f), base = read_word(&c, f), semaphore = read_word(&c, f);
	struct sdt_probe p = { 0 };
	u64 moved;

	if (c.bad)
		return;
	p.provider = read_name(s, &c);
	p.name = p.provider ? read_name(s, &c) : NULL;
	if (!p.name || !*p.name || !*p.provider)
		return;
	/* prelink moves sections, but does not know of the addresses in notes */
	moved = f->base ? f->base - base : 0;
	p.addr = addr + moved;
	p.semaphore = semaphore ? semaphore + moved : 0;
	if (!f->is_64bit) {
		p.addr &= 0xffffffff;
		p.semaphore &= 0xffffffff;
	}
	array__add(&s->v, p);
}

static void read_notes(struct sdt_notes *s, const struct sdt_file *f, const void *data, size_t size)
{
	struct cursor c = cursor__make(data, size, f->swap);

	while (cursor__left(&c) >= 3 * sizeof(u32)) {
		u32 name_size = cursor__u32(&c), desc_size = cursor__u32(&c), type = cursor__u32(&c);
		const char *name = cursor__bytes(&c, ROUND_UP((size_t)name_size, NOTE_ALIGN));
		const u8 *desc = cursor__bytes(&c, desc_size);

		if (!name || !desc)
			return;
		if (type == SDT_TYPE && name_size == sizeof(sdt_owner) &&
		    !memcmp(name, sdt_owner, sizeof(sdt_owner)))
			read_probe(s, f, desc, desc_size);
		/* the last note may lack its padding */
		cursor__skip(&c, MIN(ROUND_UP((size_t)desc_size, NOTE_ALIGN) - desc_size, cursor__left(&c)));
	}
}

static int compare_names(const struct sdt_probe *a, const struct sdt_probe *b)
{
	int c = strcmp(a->provider, b->provider);

	return c ? c : strcmp(a->name, b->name);
}

static int compare_probes(const void *a, const void *b)
{
	const struct sdt_probe *x = a, *y = b;
	int c = compare_names(x, y);

	return c ? c : x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Read the notes of a file, and close it. */
static void read_file(struct sdt_notes *s, struct elf_file *elf)
{
	const u8 *ident = elf->ehdr.e_ident;
	struct sdt_file f = { .swap = ident[EI_DATA] !=
				      (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB),
			      .is_64bit = ident[EI_CLASS] == ELFCLASS64 };
	GElf_Shdr base, notes;
	Elf_Scn *scn = elf_file__section(elf, ".note.stapsdt", 0, &notes);
	/* not elf_file__data(): it brings the notes' heads into this machine's order, but not the rest */
	Elf_Data *data = scn && notes.sh_type == SHT_NOTE ? elf_rawdata(scn, NULL) : NULL;

	if (elf_file__section(elf, ".stapsdt.base", 0, &base))
		f.base = base.sh_addr;
	if (data && data->d_buf)
		read_notes(s, &f, data->d_buf, data->d_size);
	if (s->v.nr)
		qsort(s->v.v, s->v.nr, sizeof(*s->v.v), compare_probes);
	elf_file__close(elf);
}

int sdt_notes__read(struct sdt_notes *s, const char *root, const char *path, struct err *err)
{
	char *full = xasprintf("%s%s", root, path);
	struct elf_file f;
	int ret = elf_file__open(&f, full, err);

	*s = (struct sdt_notes){ .names = ARENA_INIT };
	if (!ret)
		read_file(s, &f);
	free(full);
	return ret;
}

int sdt_notes__read_image(struct sdt_notes *s, const void *image, size_t size, struct err *err)
{
	struct elf_file f;
	int ret = elf_file__from_memory(&f, image, size, err);

	*s = (struct sdt_notes){ .names = ARENA_INIT };
	if (!ret)
		read_file(s, &f);
	return ret;
}

void sdt_notes__exit(struct sdt_notes *s)
{
	array__exit(&s->v);
	arena__exit(&s->names);
}

/* Is it the name that a user wrote: with "-" for "__"? */
static bool is_name(const char *name, const char *written)
{
	for (; *written; written++) {
		if (*written == *name)
			name++;
		else if (*written == '-' && name[0] == '_' && name[1] == '_')
			name += 2;
		else
			return false;
	}
	return !*name;
}

size_t sdt_notes__find(const struct sdt_notes *s, const char *provider, const char *name,
		       const struct sdt_probe **first)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->v.nr; i++) {
		const struct sdt_probe *p = &s->v.v[i];

		if (nr ? compare_names(p, *first) != 0
		       : strcmp(p->provider, provider) != 0 || !is_name(p->name, name))
			continue;
		if (!nr++)
			*first = p;
	}
	return nr;
}
