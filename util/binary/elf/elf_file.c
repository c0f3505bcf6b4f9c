#include "binary/elf/elf_file.h"

#include "base/system/file.h"
#include "base/system/unpack.h"
#include "binary/elf/elf_segments.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	UNPACKED_LEAST = 32 << 20,   /* bytes that any file may unpack to */
	TRUE_RATIO = 32,             /* of a file of code and symbols; they have 3 to 8 */
	UNPACKED_MAX = 512 << 20,    /* bytes; larger modules are refused */
	SECTIONLESS_MAX = 256 << 20, /* bytes; larger files without section headers stay as they are */
	RELOCATIONS_MAX = 8 << 20,   /* limit of entries to read: sections of a hostile file may overlap */
};

static int elf_file__finish(struct elf_file *f, const char *what, struct err *err)
{
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getehdr(f->elf, &f->ehdr))
		return 0;
	elf_file__close(f);
	return err__set(err, -EINVAL, "'%s' is not an ELF file", what);
}

static int elf_file__use_unpacked(struct elf_file *f, enum unpack_format format, const void *data,
				  size_t size, const char *what, struct err *err)
{
	struct strbuf plain = STRBUF_INIT;
	u64 limit = MIN((u64)size * TRUE_RATIO + UNPACKED_LEAST, (u64)UNPACKED_MAX);
	int ret = unpack__all(format, data, size, limit, &plain, err);
	size_t len = plain.len;

	if (ret) {
		strbuf__exit(&plain);
		elf_file__close(f);
		err__prefix(err, "cannot unpack '%s'", what);
		return ret;
	}
	f->memory = strbuf__detach(&plain);
	f->elf = elf_memory(f->memory, len);
	return elf_file__finish(f, what, err);
}

static int elf_file__unpack(struct elf_file *f, enum unpack_format format, const char *path, struct err *err)
{
	struct strbuf packed = STRBUF_INIT;
	int ret = file__read_fd(f->fd, &packed, UNPACKED_MAX);

	if (ret) {
		elf_file__close(f);
		err__set(err, ret, "cannot read '%s': %s", path, err__str(ret));
	} else {
		ret = elf_file__use_unpacked(f, format, packed.buf, packed.len, path, err);
	}
	strbuf__exit(&packed);
	return ret;
}

/* Make section headers for a file that has none. image: all of its bytes, or NULL to read them. */
static void elf_file__make_sections(struct elf_file *f, const void *image, size_t size)
{
	struct strbuf copy = STRBUF_INIT;
	Elf *elf = NULL;

	if (!size || size > SECTIONLESS_MAX || !elf_segments__are_all(f->elf, &f->ehdr, size))
		return;
	if (image)
		strbuf__add(&copy, image, size);
	else
		strbuf__addchars(&copy, '\0', size);
	if ((image || file__pread_all(f->fd, copy.buf, size, 0) == (ssize_t)size) &&
	    elf_segments__add_sections(f->elf, &copy))
		elf = elf_memory(copy.buf, copy.len);
	if (elf && gelf_getehdr(elf, &f->ehdr)) {
		elf_end(f->elf);
		f->elf = elf;
		f->memory = strbuf__detach(&copy);
	} else {
		elf_end(elf);
	}
	strbuf__exit(&copy);
}

int elf_file__open(struct elf_file *f, const char *path, struct err *err)
{
	enum unpack_format format;
	struct stat st;
	char magic[6];
	ssize_t n;

	elf_version(EV_CURRENT);
	*f = (struct elf_file){ .fd = file__open_plain(path) };
	if (f->fd < 0) {
		int ret = f->fd;

		f->fd = -1;
		return err__set(err, ret, "cannot open '%s': %s", path, err__str(ret));
	}
	n = pread(f->fd, magic, sizeof(magic), 0);
	format = unpack__format_of(magic, n > 0 ? (size_t)n : 0);
	if (format)
		return elf_file__unpack(f, format, path, err);
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL); /* not mapped: the file may be truncated meanwhile */
	if (elf_file__finish(f, path, err))
		return -EINVAL;
	if (!fstat(f->fd, &st))
		elf_file__make_sections(f, NULL, (size_t)st.st_size);
	return 0;
}

int elf_file__from_memory(struct elf_file *f, const void *image, size_t size, struct err *err)
{
	elf_version(EV_CURRENT);
	*f = (struct elf_file){ .fd = -1, .elf = elf_memory((char *)(uintptr_t)image, size) };
	if (elf_file__finish(f, "image in memory", err))
		return -EINVAL;
	elf_file__make_sections(f, image, size);
	return 0;
}

int elf_file__from_packed(struct elf_file *f, const void *data, size_t size, struct err *err)
{
	enum unpack_format format = unpack__format_of(data, size);

	elf_version(EV_CURRENT);
	*f = (struct elf_file){ .fd = -1 };
	if (!format)
		return err__set(err, -EINVAL, "packed data is of no known format");
	return elf_file__use_unpacked(f, format, data, size, "packed data", err);
}

void elf_file__close(struct elf_file *f)
{
	if (f->elf) {
		elf_end(f->elf);
		file__close(f->fd);
	} else if (f->fd > 0) {
		close(f->fd);
	}
	free(f->memory);
	*f = (struct elf_file){ .fd = -1 };
}

void elf_file__forget_fd(struct elf_file *f)
{
	if (f->fd < 0 || (!f->memory && elf_cntl(f->elf, ELF_C_FDDONE)))
		return;
	close(f->fd);
	f->fd = -1;
}

bool elf_file__build_id(const struct elf_file *f, struct build_id *id)
{
	return !build_id__of_elf(f->elf, id);
}

const char *elf_file__str(const struct elf_file *f, u32 strtab, size_t offset)
{
	const char *s = elf_strptr(f->elf, strtab, offset);

	return s ? s : "";
}

const char *const elf_stub_sections[ELF_STUB_SECTIONS] = { ".plt", ".plt.sec", ".plt.got", ".iplt" };

Elf_Scn *elf_file__section(const struct elf_file *f, const char *name, u32 type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names))
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		if (name ? !strcmp(elf_file__str(f, (u32)names, shdr->sh_name), name) : shdr->sh_type == type)
			return scn;
	}
	return NULL;
}

Elf_Data *elf_file__data(Elf_Scn *scn)
{
	GElf_Shdr shdr;
	Elf_Data *data;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

bool elf_file__read(const struct elf_file *f, void *to, size_t size, u64 offset)
{
	size_t whole = 0;
	const char *image;

	if (f->fd >= 0 && !f->memory)
		return file__pread_all(f->fd, to, size, offset) == (ssize_t)size;
	image = elf_rawfile(f->elf, &whole);
	if (!image || offset > whole || size > whole - offset)
		return false;
	memcpy(to, image + offset, size);
	return true;
}

bool elf_file__holds(const struct elf_file *f, u64 offset, u64 size)
{
	u64 end;
	u8 byte;

	return !size || (!__builtin_add_overflow(offset, size, &end) && elf_file__read(f, &byte, 1, end - 1));
}

void elf_file__loads(const struct elf_file *f, elf_phdr_array *loads)
{
	size_t nr = 0;
	GElf_Phdr p;

	if (elf_getphdrnum(f->elf, &nr))
		return;
	for (size_t i = 0; i < nr; i++)
		if (gelf_getphdr(f->elf, (int)i, &p) && p.p_type == PT_LOAD)
			array__add(loads, p);
}

bool elf_file__has_symtab(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file__section(f, NULL, SHT_SYMTAB, &shdr) && shdr.sh_size &&
	       elf_file__holds(f, shdr.sh_offset, shdr.sh_size);
}

static bool is_alloc_rela(const GElf_Shdr *shdr)
{
	return shdr->sh_type == SHT_RELA && (shdr->sh_flags & SHF_ALLOC);
}

void elf_file__relocate(const struct elf_file *f, u64 vaddr, u64 *words, size_t nr)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Rela rela;
	u32 left = RELOCATIONS_MAX;

	while ((scn = elf_nextscn(f->elf, scn))) {
		Elf_Data *data =
			gelf_getshdr(scn, &shdr) && is_alloc_rela(&shdr) ? elf_file__data(scn) : NULL;

		for (int i = 0; data && left && gelf_getrela(data, i, &rela); i++, left--) {
			u64 at = rela.r_offset - vaddr;

			if (at / 8 < nr && !(at % 8) && !GELF_R_SYM(rela.r_info))
				words[at / 8] = (u64)rela.r_addend;
		}
	}
}
