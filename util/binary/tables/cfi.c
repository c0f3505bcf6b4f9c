#include "binary/tables/cfi_private.h"

#include "binary/elf/elf_binary.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { ENTRY_SIZE = 192 }; /* bytes; the size of ld.so's _start and _dl_start_user */

enum { EH_FRAME, GO, ARM, STUBS, DEBUG_FRAME }; /* in the order in which they are tried */

/* The sources of rows. */
static const struct cfi_source *const sources[CFI_SOURCES] = {
	[EH_FRAME] = &cfi_eh_frame,       [GO] = &cfi_go, [ARM] = &cfi_arm, [STUBS] = &cfi_stubs,
	[DEBUG_FRAME] = &cfi_debug_frame,
};

/* ---- sources ---- */

static void cfi__open_sources(struct cfi *c, bool late)
{
	for (size_t i = 0; i < CFI_SOURCES; i++)
		if (sources[i]->is_late == late)
			c->sources[i] = sources[i]->open(&c->binary);
	c->late_tried |= late;
}

/* Does the binary have a source that is enough? */
static bool cfi__has_enough(const struct cfi *c)
{
	for (size_t i = 0; i < CFI_SOURCES; i++)
		if (c->sources[i] && sources[i]->is_enough)
			return true;
	return false;
}

/* ---- rows ---- */

static bool cfi_rule__same(const struct cfi_rule *a, const struct cfi_rule *b)
{
	return a->reg == b->reg && a->kind == b->kind && a->other == b->other && a->offset == b->offset;
}

static bool cfi_row__same(const struct cfi_row *a, const struct cfi_row *b, const struct cfi_rule *rules_of_b)
{
	if (a->kept != b->kept || a->cfa_expr != b->cfa_expr || a->cfa_offset != b->cfa_offset ||
	    a->cfa_reg != b->cfa_reg || a->ra != b->ra || a->is_signal != b->is_signal ||
	    a->leaves_stack != b->leaves_stack || a->nr_rules != b->nr_rules)
		return false;
	for (unsigned i = 0; i < a->nr_rules; i++)
		if (!cfi_rule__same(&a->rules[i], &rules_of_b[i]))
			return false;
	return true;
}

/* Expressions are compared by address, so a row with an expression is never found again. */
static u64 cfi_row__hash(const struct cfi_row *row, const struct cfi_rule *rules)
{
	u64 hash = hash__add(row->kept, (u64)row->cfa_offset << 8 | row->cfa_reg);

	for (unsigned i = 0; i < row->nr_rules; i++)
		hash = hash__add(hash, (u64)rules[i].offset << 16 | rules[i].reg << 8 | rules[i].kind);
	return hash;
}

static u32 cfi__add_row(struct cfi *c, const struct cfi_row *row, const struct cfi_rule *rules)
{
	u64 hash = cfi_row__hash(row, rules);
	struct cfi_row *copy;
	u32 i = 0;

	hash_table__for_each (&c->by_content, hash, i)
		if (cfi_row__same(c->rows.v[i], row, rules))
			return i;
	copy = arena__alloc(&c->binary.arena, sizeof(*copy) + row->nr_rules * sizeof(*rules));
	*copy = *row;
	memcpy(copy->rules, rules, row->nr_rules * sizeof(*rules));
	copy->is_outermost = !(copy->kept >> copy->ra & 1) && !cfi_row__rule(copy, copy->ra);
	i = (u32)c->rows.nr;
	hash_table__insert(&c->by_content, hash, i);
	array__add(&c->rows, copy);
	return i;
}

/* Return the index of the row at addr, or 0, and the end of its range. */
static u32 cfi__compile(struct cfi *c, u64 addr, u64 *end)
{
	struct cfi_found found;
	u64 bias = 0;

	*end = addr + 1;
	if (!elf_loads__bias(&c->binary.loads, addr, &bias) && c->binary.loads.v.nr)
		return 0;
	for (size_t i = 0; i < CFI_SOURCES; i++) {
		if (sources[i]->is_late && !c->late_tried)
			cfi__open_sources(c, true);
		if (!c->sources[i])
			continue;
		memset(&found.row, 0, sizeof(found.row));
		if (sources[i]->find(c->sources[i], &c->binary, addr + bias, &found)) {
			*end = found.end - bias;
			return cfi__add_row(c, &found.row, found.rules);
		}
	}
	return 0;
}

const struct cfi_row *cfi__find(struct cfi *c, u64 addr)
{
	const struct cfi_row *row;
	u64 end;
	u32 i;

	pthread_mutex_lock(&c->lock);
	if (!cfi_spans__find(&c->spans, addr, &i)) {
		i = cfi__compile(c, addr, &end);
		cfi_spans__add(&c->spans, addr, end, i);
	}
	row = c->rows.v[i];
	pthread_mutex_unlock(&c->lock);
	return row;
}

u64 cfi__row_bytes(struct cfi *c)
{
	u64 bytes;

	pthread_mutex_lock(&c->lock);
	bytes = c->binary.arena.total + c->rows.alloc * sizeof(*c->rows.v) + cfi_spans__bytes(&c->spans);
	if (c->by_content.slots)
		bytes += (c->by_content.mask + 1ull) * sizeof(*c->by_content.slots);
	pthread_mutex_unlock(&c->lock);
	return bytes;
}

u64 cfi__bytes(struct cfi *c)
{
	u64 chunks = 0;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i < CODE_CHUNKS; i++)
		chunks += c->chunks[i] ? sizeof(*c->chunks[i]) : 0;
	pthread_mutex_unlock(&c->lock);
	return cfi__row_bytes(c) + c->section_bytes + chunks +
	       (c->binary.eh ? eh_image__bytes(c->binary.eh) : 0);
}

bool cfi__is_entry(struct cfi *c, u64 addr)
{
	u64 vaddr;

	return c->entry && cfi__vaddr(c, addr, &vaddr) && vaddr - c->entry < ENTRY_SIZE &&
	       !cfi__find(c, addr) == !cfi__find(c, c->entry - vaddr + addr);
}

bool cfi__is_stub(struct cfi *c, u64 addr)
{
	struct cfi_found found;
	u64 vaddr;

	return c->sources[STUBS] && cfi__vaddr(c, addr, &vaddr) &&
	       cfi_stubs.find(c->sources[STUBS], &c->binary, vaddr, &found);
}

u16 cfi__machine(const struct cfi *c)
{
	return c->binary.machine;
}

/* ---- life ---- */

static struct cfi *cfi__new(void)
{
	struct cfi *c = xcalloc(1, sizeof(*c));

	c->binary.file.fd = -1;
	c->code_fd = -1;
	pthread_mutex_init(&c->lock, NULL);
	array__add(&c->rows, NULL);
	return c;
}

void cfi__delete(struct cfi *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CFI_SOURCES; i++)
		if (c->sources[i])
			sources[i]->close(c->sources[i]);
	eh_image__delete(c->binary.eh);
	elf_file__close(&c->binary.file);
	elf_loads__exit(&c->binary.loads);
	for (size_t i = 0; i < CODE_CHUNKS; i++)
		free(c->chunks[i]);
	if (c->code_fd >= 0)
		close(c->code_fd);
	free(c->own);
	array__exit(&c->rows);
	hash_table__exit(&c->by_content);
	cfi_spans__exit(&c->spans);
	arena__exit(&c->binary.arena);
	pthread_mutex_destroy(&c->lock);
	free(c->binary.path);
	free(c->binary.root);
	free(c);
}

static u64 section_bytes(const struct cfi_binary *b)
{
	static const char *const names[] = { ".debug_frame", ".gopclntab", ".eh_frame", ".eh_frame_hdr" };
	u64 sum = 0;
	GElf_Shdr shdr;

	for (size_t i = 0; i < ARRAY_SIZE(names) - (b->eh ? 2 : 0); i++)
		if (elf_file__section(&b->file, names[i], 0, &shdr))
			sum += shdr.sh_size;
	return sum;
}

static u64 eh_header(const struct elf_file *f)
{
	size_t nr = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(f->elf, &nr))
		return 0;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(f->elf, (int)i, &p) && p.p_type == PT_GNU_EH_FRAME)
			return p.p_vaddr;
	return 0;
}

/* Take over f. */
static void cfi__use(struct cfi *c, struct elf_file *f)
{
	c->binary.file = *f;
	c->binary.machine = f->ehdr.e_machine;
	c->entry = f->ehdr.e_entry;
	c->eh_header = eh_header(f);
	elf_loads__read(&c->binary.loads, f);
	cfi__open_sources(c, false);
	c->section_bytes = section_bytes(&c->binary);
	elf_file__forget_fd(&c->binary.file);
}

int cfi__open(struct cfi **cfi, const char *path, const struct build_id *want, const struct cfi_opts *opts,
	      struct err *err)
{
	struct cfi *c = cfi__new();
	struct elf_binary b;
	int ret = 0;

	elf_binary__open(&b, path, want, opts ? opts->symfs : NULL, NULL);
	c->binary.path = xstrdup(path);
	c->binary.root = xstrdup(b.root);
	c->binary.places = opts ? opts->places : NULL;
	c->binary.want = b.id;
	if (elf_file__is_open(&b.file))
		cfi__use(c, &b.file);
	if (!cfi__has_enough(c))
		cfi__open_sources(c, true);
	if (!elf_file__is_open(&b.file) && !cfi__has_enough(c)) {
		ret = elf_binary__not_found(&b, err);
		cfi__delete(c);
		return ret;
	}
	*cfi = c;
	return 0;
}

int cfi__open_image(struct cfi **cfi, const void *image, size_t size, struct err *err)
{
	struct cfi *c = cfi__new();
	struct elf_file f;
	int ret = elf_file__from_memory(&f, image, size, err);

	c->image = image;
	c->image_size = size;
	if (!ret)
		cfi__use(c, &f);
	if (!ret && !cfi__has_enough(c))
		ret = err__set(err, -ENODATA, "the image in memory has no call frame information");
	if (ret)
		cfi__delete(c);
	else
		*cfi = c;
	return ret;
}

/* An ELF file with .eh_frame and nothing else, as libdw wants it. */
enum { FRAMES_NONE, FRAMES_CFI, FRAMES_NAMES, FRAMES_SECTIONS };

struct frames_image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[FRAMES_SECTIONS];
	char names[24];
	u8 frames[];
};

static const char frames_names[24] = "\0.eh_frame\0.shstrtab";

static struct frames_image *frames_image__new(u16 machine, u64 addr, const void *frames, size_t size)
{
	struct frames_image *im = xmalloc(sizeof(*im) + size);

	*im = (struct frames_image){
		.head = { .e_type = ET_DYN,
			  .e_machine = machine,
			  .e_version = EV_CURRENT,
			  .e_shoff = offsetof(struct frames_image, sections),
			  .e_ehsize = sizeof(im->head),
			  .e_shentsize = sizeof(im->sections[0]),
			  .e_shnum = FRAMES_SECTIONS,
			  .e_shstrndx = FRAMES_NAMES },
		.sections = { [FRAMES_CFI] = { .sh_name = 1,
					       .sh_type = SHT_PROGBITS,
					       .sh_flags = SHF_ALLOC,
					       .sh_addr = addr,
					       .sh_offset = offsetof(struct frames_image, frames),
					       .sh_size = size,
					       .sh_addralign = 1 },
			      [FRAMES_NAMES] = { .sh_name = 11,
						 .sh_type = SHT_STRTAB,
						 .sh_offset = offsetof(struct frames_image, names),
						 .sh_size = sizeof(im->names),
						 .sh_addralign = 1 } },
	};
	memcpy(im->head.e_ident, ELFMAG, SELFMAG);
	im->head.e_ident[EI_CLASS] = ELFCLASS64;
	im->head.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	im->head.e_ident[EI_VERSION] = EV_CURRENT;
	memcpy(im->names, frames_names, sizeof(im->names));
	memcpy(im->frames, frames, size);
	return im;
}

int cfi__open_frames(struct cfi **cfi, u16 machine, u64 addr, const void *frames, size_t size,
		     struct err *err)
{
	struct frames_image *im = frames_image__new(machine, addr, frames, size);
	int ret = cfi__open_image(cfi, im, sizeof(*im) + size, err);

	if (ret)
		free(im);
	else
		(*cfi)->own = im;
	return ret;
}
