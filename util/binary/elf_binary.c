#include "binary/elf_binary.h"

#include "base/file.h"
#include "base/strbuf.h"

#include <errno.h>
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

static bool debug_by_id(struct elf_binary *b, struct elf_file *debug, bool (*has)(const struct elf_file *f))
{
	struct strbuf path = STRBUF_INIT;
	char hex[2 * BUILD_ID_MAX + 1];
	bool found;

	if (b->id.size < 2)
		return false;
	build_id__str(&b->id, hex);
	strbuf__addf(&path, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", b->symfs, hex, hex + 2);
	found = open_matching(b, debug, path.buf) && has(debug);
	if (!found)
		elf_file__close(debug);
	strbuf__exit(&path);
	return found;
}

static bool crc_agrees(const char *path, u32 want)
{
	int fd = file__open_regular(path);
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

static bool debug_by_link(struct elf_binary *b, struct elf_file *debug, bool (*has)(const struct elf_file *f))
{
	static const char *const places[] = { "%s%.*s/%s", "%s%.*s/.debug/%s", "%s/usr/lib/debug%.*s/%s" };
	const char *slash = strrchr(b->path, '/'), *name;
	bool found = false;
	u32 crc;

	if (!slash || !read_debuglink(b, &name, &crc))
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

bool elf_binary__find_debug(struct elf_binary *b, struct elf_file *debug,
			    bool (*has)(const struct elf_file *f))
{
	return debug_by_id(b, debug, has) || (elf_file__is_open(&b->file) && debug_by_link(b, debug, has));
}

int elf_binary__not_found(const struct elf_binary *b, struct err *err)
{
	if (b->stale)
		return err__set(err, -ESTALE, "'%s%s' is another build than the recorded one", b->symfs,
				b->path);
	return err__set(err, -ENOENT, "cannot open '%s%s': %s", b->symfs, b->path, err__str(-ENOENT));
}
