#include "binary/elf/elf_binary.h"

#include "base/system/file.h"
#include "base/memory/mem.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

/* Open path if its build-id is the wanted one, or none is wanted. */
static bool open_matching(struct elf_binary *b, struct elf_file *f, const char *path)
{
	struct build_id id;

	if (elf_file__open(f, path, NULL))
		return false;
	if (!b->id.size || (elf_file__build_id(f, &id) && build_id__equal(&id, &b->id)))
		return true;
	b->stale = true;
	elf_file__close(f);
	return false;
}

void elf_binary__open(struct elf_binary *b, const char *path, const struct build_id *want, const char *root,
		      const struct debug_places *places)
{
	char *full = xasprintf("%s%s", root ? root : "", path);

	*b = (struct elf_binary){
		.root = root ? root : "", .path = path, .places = places, .file.fd = -1, .debug.fd = -1
	};
	if (want)
		b->id = *want;
	if (open_matching(b, &b->file, full) && !b->id.size)
		elf_file__build_id(&b->file, &b->id);
	free(full);
}

void elf_binary__close(struct elf_binary *b)
{
	elf_file__close(&b->debug);
	elf_file__close(&b->file);
}

/* ---- debug files ---- */

static bool crc_agrees(const char *path, u32 want)
{
	int fd = file__open_plain(path);
	u8 buf[64 << 10];
	uLong crc = crc32(0, NULL, 0);
	ssize_t n;

	if (fd < 0)
		return false;
	while ((n = file__read_all(fd, buf, sizeof(buf))) > 0)
		crc = crc32(crc, buf, (uInt)n);
	close(fd);
	return !n && (u32)crc == want;
}

/* Return the name in .gnu_debuglink, or NULL. */
static const char *read_debuglink(const struct elf_binary *b, u32 *crc)
{
	const char *name = dwelf_elf_gnu_debuglink(b->file.elf, crc);

	return name && *name && !strchr(name, '/') ? name : NULL;
}

static bool elf_binary__find_debug(struct elf_binary *b, elf_file_has_fn has)
{
	struct file_query q = { .root = b->root, .path = b->path, .places = b->places, .id = b->id };
	struct file_search s;
	bool found = false;
	u32 crc = 0;

	if (b->places && b->places->name)
		q.path = b->places->name;
	q.link = elf_file__is_open(&b->file) ? read_debuglink(b, &crc) : NULL;
	file_search__start(&s, FILE_DEBUG, &q);
	while (!found && file_search__next(&s)) {
		found = (s.check == CHECK_CRC
				 ? crc_agrees(s.full.buf, crc) && !elf_file__open(&b->debug, s.full.buf, NULL)
				 : open_matching(b, &b->debug, s.full.buf)) &&
			has(&b->debug);
		if (!found)
			elf_file__close(&b->debug);
	}
	file_search__end(&s);
	return found;
}

const struct elf_file *elf_binary__find(struct elf_binary *b, elf_file_has_fn has)
{
	if (elf_file__is_open(&b->file) && has(&b->file))
		return &b->file;
	return elf_binary__find_debug(b, has) ? &b->debug : NULL;
}

int elf_binary__not_found(const struct elf_binary *b, struct err *err)
{
	if (b->stale)
		return err__set(err, -ESTALE, "'%s%s' is another build than the recorded one", b->root,
				b->path);
	return err__set(err, -ENOENT, "cannot open '%s%s': %s", b->root, b->path, err__str(-ENOENT));
}
