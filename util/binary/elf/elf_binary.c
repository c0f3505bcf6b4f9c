#include "binary/elf/elf_binary.h"

#include "base/system/file.h"
#include "base/memory/mem.h"
#include "base/text/strbuf.h"
#include "binary/elf/debuginfod.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

/* Opens path if it has the build-id we look for (or if none is known). */
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

typedef bool (*has_fn)(const struct elf_file *f);

/* Opens the file of the wanted build-id at path, which is freed, if it has what is wanted. */
static bool open_debug(struct elf_binary *b, struct elf_file *debug, has_fn has, char *path)
{
	bool found = open_matching(b, debug, path) && has(debug);

	if (!found)
		elf_file__close(debug);
	free(path);
	return found;
}

static bool by_id_under(struct elf_binary *b, struct elf_file *debug, has_fn has, const char *root)
{
	char hex[2 * BUILD_ID_MAX + 1];

	build_id__str(&b->id, hex);
	return open_debug(b, debug, has,
			  xasprintf("%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, hex, hex + 2));
}

/* As distributions install them (GDB manual, "Separate Debug Files"). */
static bool debug_by_id(struct elf_binary *b, struct elf_file *debug, has_fn has)
{
	if (b->id.size < 2)
		return false;
	return by_id_under(b, debug, has, b->symfs) ||
	       (b->places && b->places->also_here && by_id_under(b, debug, has, ""));
}

/* As "perf buildid-cache" keeps them. */
static bool debug_in_cache(struct elf_binary *b, struct elf_file *debug, has_fn has)
{
	char hex[2 * BUILD_ID_MAX + 1];

	if (b->id.size < 2 || !b->places || !b->places->buildid_dir)
		return false;
	build_id__str(&b->id, hex);
	return open_debug(b, debug, has,
			  xasprintf("%s/.build-id/%.2s/%s/debug", b->places->buildid_dir, hex, hex + 2)) ||
	       open_debug(b, debug, has,
			  xasprintf("%s/.build-id/%.2s/%s/elf", b->places->buildid_dir, hex, hex + 2));
}

/* The same path under /usr/lib/debug. Nothing but the build-id can tell whether it belongs to the binary. */
static bool debug_by_path(struct elf_binary *b, struct elf_file *debug, has_fn has)
{
	if (!b->id.size || b->path[0] != '/')
		return false;
	return open_debug(b, debug, has, xasprintf("%s/usr/lib/debug%s.debug", b->symfs, b->path)) ||
	       open_debug(b, debug, has, xasprintf("%s/usr/lib/debug%s", b->symfs, b->path));
}

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

/* .gnu_debuglink: a file name, padding to 4 bytes, and that file's CRC-32. (GDB manual, "Separate Debug
 * Files") */
static bool read_debuglink(const struct elf_binary *b, const char **name, u32 *crc)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(&b->file, ".gnu_debuglink", 0, &shdr));
	size_t len;

	if (!data)
		return false;
	len = strnlen(data->d_buf, data->d_size);
	if (!len || ROUND_UP(len + 1, 4) + 4 > data->d_size || memchr(data->d_buf, '/', len))
		return false;
	*name = data->d_buf;
	memcpy(crc, (u8 *)data->d_buf + ROUND_UP(len + 1, 4), sizeof(*crc));
	if (b->file.ehdr.e_ident[EI_DATA] == ELFDATA2MSB)
		*crc = __builtin_bswap32(*crc);
	return true;
}

static bool debug_by_link(struct elf_binary *b, struct elf_file *debug, has_fn has)
{
	static const char *const places[] = { "%s%.*s/%s", "%s%.*s/.debug/%s", "%s/usr/lib/debug%.*s/%s" };
	const char *slash = strrchr(b->path, '/'), *name;
	bool found = false;
	u32 crc;

	if (!elf_file__is_open(&b->file) || !slash || !read_debuglink(b, &name, &crc))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++) {
		struct strbuf path = STRBUF_INIT;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		strbuf__addf(&path, places[i], b->symfs, (int)(slash - b->path), b->path, name);
#pragma GCC diagnostic pop
		found = !access(path.buf, R_OK) && crc_agrees(path.buf, crc) &&
			!elf_file__open(debug, path.buf, NULL);
		if (found && !has(debug)) {
			elf_file__close(debug);
			found = false;
		}
		strbuf__exit(&path);
	}
	return found;
}

void elf_binary__open(struct elf_binary *b, const char *path, const struct build_id *want, const char *symfs)
{
	struct strbuf full = STRBUF_INIT;

	*b = (struct elf_binary){ .symfs = symfs ? symfs : "", .path = path, .file.fd = -1 };
	if (want)
		b->id = *want;
	strbuf__addf(&full, "%s%s", b->symfs, path);
	if (open_matching(b, &b->file, full.buf) && !b->id.size)
		elf_file__build_id(&b->file, &b->id);
	strbuf__exit(&full);
}

void elf_binary__close(struct elf_binary *b)
{
	elf_file__close(&b->file);
}

/* As servers have them. */
static bool debug_from_server(struct elf_binary *b, struct elf_file *debug, has_fn has)
{
	char *path = b->places && b->places->debuginfod && b->id.size
			     ? debuginfod__fetch(b->places->debuginfod, &b->id, b->path)
			     : NULL;

	return path && open_debug(b, debug, has, path);
}

/* In the order in which they are tried; each refuses what is another binary's. */
static bool (*const debug_file_places[])(struct elf_binary *b, struct elf_file *debug, has_fn has) = {
	debug_by_id, debug_in_cache, debug_by_link, debug_by_path, debug_from_server,
};

bool elf_binary__find_debug(struct elf_binary *b, struct elf_file *debug,
			    bool (*has)(const struct elf_file *f))
{
	for (size_t i = 0; i < ARRAY_SIZE(debug_file_places); i++)
		if (debug_file_places[i](b, debug, has))
			return true;
	return false;
}

bool elf_binary__has_debugdata(const struct elf_binary *b)
{
	GElf_Shdr shdr;

	return elf_file__data(elf_file__section(&b->file, ".gnu_debugdata", 0, &shdr)) != NULL;
}

bool elf_binary__open_debugdata(const struct elf_binary *b, struct elf_file *debugdata)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(&b->file, ".gnu_debugdata", 0, &shdr));

	return data && !elf_file__from_packed(debugdata, data->d_buf, data->d_size, NULL);
}

int elf_binary__not_found(const struct elf_binary *b, struct err *err)
{
	if (b->stale)
		return err__set(err, -ESTALE, "'%s%s' is another build than the recorded one", b->symfs,
				b->path);
	return err__set(err, -ENOENT, "cannot open '%s%s': %s", b->symfs, b->path, err__str(-ENOENT));
}
