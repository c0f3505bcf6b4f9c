#include "binary/dwarf/dwarf_file.h"

#include "base/memory/mem.h"
#include "base/memory/reserve.h"
#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "binary/elf/dwarf_open.h"
#include "binary/dwarf/dwarf_relocate.h"
#include "binary/elf/elf_binary.h"

#include <elfutils/libdwelf.h>
#include <stdio.h>
#include <string.h>

enum {
	HANDLES_MAX = 16,
	HEADER_MAX = 64,        /* of a unit's header, rounded up */
	TRUE_GROWTH = 6,        /* bytes of parsed tables for each byte of a true file, at most */
	LEAST_LINES = 16 << 20, /* bytes of line tables that may be read of any file */
	LEAST_TABLES = 4 << 20, /* bytes that any file may have */
};
static const size_t KEPT_MAX = 16 << 20; /* bytes; a handle that keeps more is closed */

static bool has_info_section(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file__section(f, ".debug_info", 0, &shdr) ||
	       elf_file__section(f, ".zdebug_info", 0, &shdr);
}

bool dwarf_file__has_info(const struct elf_file *f)
{
	/* False for objects: the addresses of their sections are unknown. */
	return f->ehdr.e_type != ET_REL && has_info_section(f);
}

bool dwarf_file__has_kernel_info(const struct elf_file *f)
{
	return has_info_section(f);
}

static void unpack_whole(struct dwarf_image *im)
{
	for (int part = 0; part < DWARF_PART_NONE; part++)
		dwarf_image__unpack(im, (enum dwarf_part)part, DWARF_WHOLE);
}

/* ---- the alternate file ---- */

/* Return the path of elf's file, to be freed, or NULL. */
static char *real_path(const struct elf_file *elf)
{
	return elf->fd < 0 ? NULL : file__link_target("/proc/self/fd/%d", elf->fd);
}

/*
 * .gnu_debugaltlink has the path of the file, relative to the folder of the file with the section, and the
 * build-id. (dwz(1)) Without that file the names that were moved there are missing.
 */
static void dwarf_file__open_alt(struct dwarf_file *f, const struct elf_file *elf, const char *symfs)
{
	Dwarf *dwarf = dwarf_open(f->main.elf);
	struct strbuf path = STRBUF_INIT;
	struct build_id id = { 0 };
	const struct elf_file *found;
	struct elf_binary b;
	const char *name = NULL;
	const void *bytes;
	ssize_t size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes) : 0;

	if (size > 0 && name) {
		id.size = (u8)MIN(size, (ssize_t)BUILD_ID_MAX);
		memcpy(id.data, bytes, id.size);
		char *own = name[0] == '/' ? NULL : real_path(elf), *slash = own ? strrchr(own, '/') : NULL;

		if (slash) {
			strbuf__add(&path, own, (size_t)(slash + 1 - own));
			symfs = "";
		}
		free(own);
		strbuf__addstr(&path, name);
		elf_binary__open(&b, path.buf, &id, symfs, NULL);
		found = elf_binary__find(&b, has_info_section);
		if (found)
			dwarf_image__open(&f->alt, found);
		elf_binary__close(&b);
	}
	strbuf__exit(&path);
	dwarf_end(dwarf);
	unpack_whole(&f->alt);
	dwarf = f->alt.elf ? dwarf_open(f->alt.elf) : NULL;
	if (dwarf)
		dwarf_end(dwarf);
	else
		dwarf_image__close(&f->alt);
}

/* Otherwise libdw would search for the file itself, and open any file of that name. */
static void dwarf_file__forget_alt(struct dwarf_file *f)
{
	struct elf_file elf = { .elf = f->main.elf };
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section(&elf, ".gnu_debugaltlink", 0, &shdr);

	if (!scn)
		return;
	shdr.sh_type = SHT_NOBITS;
	gelf_update_shdr(scn, &shdr);
}

/* libdw reads packages only since 0.191, and only for files that it opens by name. */
static void warn_of_package(const struct elf_file *elf)
{
	char *own = real_path(elf), *path = own ? xasprintf("%s.dwp", own) : NULL;

	if (path && file__is_plain(path))
		warning("'%s' is not read: inlined functions are taken from .dwo files only", path);
	free(path);
	free(own);
}

/* ---- handles ---- */

static void dwarf_handle__delete(struct dwarf_handle *h)
{
	dwarf_end(h->dwarf);
	dwarf_end(h->alt);
	free(h);
}

static struct dwarf_handle *dwarf_file__new_handle(struct dwarf_file *f)
{
	struct dwarf_handle *h = xcalloc(1, sizeof(*h));

	h->dwarf = dwarf_open(f->main.elf);
	if (!h->dwarf) {
		dwarf_handle__delete(h);
		return NULL;
	}
	unpack_whole(&f->alt); /* references do not say which part they lead to */
	if (f->alt.elf)
		h->alt = dwarf_open(f->alt.elf);
	dwarf_setalt(h->dwarf, h->alt);
	return h;
}

struct dwarf_handle *dwarf_file__get(struct dwarf_file *f)
{
	struct dwarf_handle *h = NULL;

	pthread_mutex_lock(&f->lock);
	while (!f->idle.nr && f->nr_handles == HANDLES_MAX)
		pthread_cond_wait(&f->freed, &f->lock);
	if (f->idle.nr)
		h = f->idle.v[--f->idle.nr];
	else if ((h = dwarf_file__new_handle(f)))
		f->nr_handles++;
	pthread_mutex_unlock(&f->lock);
	return h;
}

void dwarf_file__put(struct dwarf_file *f, struct dwarf_handle *h)
{
	pthread_mutex_lock(&f->lock);
	if (h->kept > KEPT_MAX) {
		dwarf_handle__delete(h);
		f->nr_handles--;
	} else {
		array__add(&f->idle, h);
	}
	pthread_cond_signal(&f->freed);
	pthread_mutex_unlock(&f->lock);
}

void dwarf_file__rest(struct dwarf_file *f, bool is_done)
{
	pthread_mutex_lock(&f->lock);
	for (size_t i = 0; i < f->idle.nr; i++)
		dwarf_handle__delete(f->idle.v[i]);
	f->nr_handles -= (unsigned)f->idle.nr;
	f->idle.nr = 0;
	if (is_done && !f->nr_handles) {
		dwarf_image__pack(&f->main);
		dwarf_image__pack(&f->alt);
		f->nr_packed++;
	} else {
		dwarf_image__rest(&f->main);
		dwarf_image__rest(&f->alt);
	}
	pthread_mutex_unlock(&f->lock);
}

void dwarf_file__need(struct dwarf_file *f, enum dwarf_part part, u64 end)
{
	if (!f->main.sections.nr)
		return;
	pthread_mutex_lock(&f->lock);
	dwarf_image__unpack(&f->main, part, end);
	pthread_mutex_unlock(&f->lock);
}

bool dwarf_file__unit_at(struct dwarf_file *f, struct dwarf_handle *h, u64 header, u64 *first, u64 *end)
{
	Dwarf_Off next;
	size_t size;

	if (header > UINT64_MAX - HEADER_MAX)
		return false;
	dwarf_file__need(f, DWARF_PART_INFO, header + HEADER_MAX);
	if (dwarf_next_unit(h->dwarf, header, &next, &size, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    next <= header)
		return false;
	*first = header + size;
	*end = next;
	return true;
}

/* ---- limits ---- */

void dwarf_file__tell_cut(struct dwarf_file *f)
{
	if (!__atomic_exchange_n(&f->is_cut, true, __ATOMIC_RELAXED))
		warning("'%s': its debug information takes more memory than its size justifies: a part is "
			"left out",
			f->path ? f->path : "image in memory");
}

void dwarf_file__justify(struct dwarf_file *f, u64 bytes)
{
	__atomic_add_fetch(&f->left, (s64)bytes * TRUE_GROWTH, __ATOMIC_RELAXED);
	pthread_mutex_lock(&f->names_lock);
	f->long_names += bytes;
	pthread_mutex_unlock(&f->names_lock);
}

bool dwarf_file__may_read_lines(struct dwarf_file *f, u64 bytes)
{
	return __atomic_sub_fetch(&f->lines_left, (s64)bytes, __ATOMIC_RELAXED) >= 0;
}

u32 dwarf_file__room(struct dwarf_file *f, size_t size, u32 most)
{
	s64 left = __atomic_load_n(&f->left, __ATOMIC_RELAXED);
	u64 bytes = (left > 0 ? (u64)left : 0) + reserve__left();

	return (u32)MIN(bytes / size, (u64)most);
}

void dwarf_file__count(struct dwarf_file *f, u64 bytes, bool is_cut)
{
	s64 left = __atomic_sub_fetch(&f->left, (s64)bytes, __ATOMIC_RELAXED), over = MIN((s64)bytes, -left);

	if (over > 0)
		reserve__take_at_most((u64)over);
	if (is_cut)
		dwarf_file__tell_cut(f);
}

/* Equal texts are one: only a new one takes memory. */
const char *dwarf_file__intern(struct dwarf_file *f, const char *text)
{
	bool is_long = strnlen(text, NAME_SHORT + 1) > NAME_SHORT;
	const char *s = text;
	u32 id;

	pthread_mutex_lock(&f->names_lock);
	if (is_long && strpool__find(&f->names, text) == UINT32_MAX)
		s = name__within(text, &f->long_names);
	id = strpool__intern(&f->names, s);
	if (s != text)
		dwarf_file__tell_cut(f);
	s = strpool__get(&f->names, id);
	pthread_mutex_unlock(&f->names_lock);
	return s;
}

/* ---- life ---- */

/* Relocate a module as a whole. */
static int relocate(struct dwarf_image *im, const struct elf_file *elf)
{
	if (elf->ehdr.e_type != ET_REL)
		return 0;
	unpack_whole(im);
	return dwarf_image__relocate(im);
}

int dwarf_file__open(struct dwarf_file *f, const struct elf_file *elf, const char *symfs, struct err *err)
{
	int ret;

	*f = (struct dwarf_file){ 0 };
	ret = dwarf_image__open(&f->main, elf);
	if (!ret && (ret = relocate(&f->main, elf)))
		dwarf_image__close(&f->main);
	if (ret)
		return err__set(err, ret, "cannot use the debug information: %s", err__str(ret));
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->freed, NULL);
	pthread_mutex_init(&f->names_lock, NULL);
	strpool__init(&f->names);
	f->path = real_path(elf);
	dwarf_file__open_alt(f, elf, symfs);
	f->long_names = f->main.justified + f->alt.justified;
	f->lines_left = LEAST_LINES + (s64)f->main.justified * 2;
	f->left = LEAST_TABLES + (s64)(f->main.justified + f->alt.justified) * TRUE_GROWTH;
	if (f->main.is_cut || f->alt.is_cut)
		dwarf_file__tell_cut(f);
	if (!f->alt.elf)
		dwarf_file__forget_alt(f);
	warn_of_package(elf);
	return 0;
}

void dwarf_file__close(struct dwarf_file *f)
{
	if (!f->main.elf)
		return;
	for (size_t i = 0; i < f->idle.nr; i++)
		dwarf_handle__delete(f->idle.v[i]);
	array__exit(&f->idle);
	dwarf_image__close(&f->alt);
	dwarf_image__close(&f->main);
	pthread_mutex_destroy(&f->lock);
	pthread_cond_destroy(&f->freed);
	pthread_mutex_destroy(&f->names_lock);
	strpool__exit(&f->names);
	free(f->path);
	*f = (struct dwarf_file){ 0 };
}
