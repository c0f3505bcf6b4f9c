#include "binary/elf/build_id.h"

#include "base/memory/cursor.h"
#include "base/system/file.h"

#include <elf.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool build_id__equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size >= b->size ? a : b;
	size_t n = MIN(a->size, b->size);

	if (!n || longer->size > BUILD_ID_MAX || memcmp(a->data, b->data, n))
		return false;
	for (size_t i = n; i < longer->size; i++)
		if (longer->data[i])
			return false;
	return true;
}

char *build_id__str(const struct build_id *id, char *buf)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = MIN(id->size, (size_t)BUILD_ID_MAX);

	for (size_t i = 0; i < n; i++) {
		buf[2 * i] = hex[id->data[i] >> 4];
		buf[2 * i + 1] = hex[id->data[i] & 15];
	}
	buf[2 * n] = '\0';
	return buf;
}

/*
 * Get the id from the bytes of an ELF note section or segment (ELF gABI, "Note Section"). Return 0 or
 * -ENOENT.
 */
static int build_id__from_notes(const void *data, size_t size, bool swap, struct build_id *id)
{
	struct cursor c = cursor__make(data, size, swap);

	while (cursor__left(&c) >= 12) {
		u32 name_size = cursor__u32(&c), desc_size = cursor__u32(&c), type = cursor__u32(&c);
		const char *name = cursor__bytes(&c, ROUND_UP((size_t)name_size, 4));
		const u8 *desc = cursor__bytes(&c, desc_size);

		if (!name || !desc)
			return -ENOENT;
		if (type == NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) && desc_size) {
			*id = (struct build_id){ .size = (u8)MIN(desc_size, (u32)BUILD_ID_MAX) };
			memcpy(id->data, desc, id->size);
			return 0;
		}
		/* The last note may lack its padding. */
		cursor__skip(&c, MIN(ROUND_UP((size_t)desc_size, 4) - desc_size, cursor__left(&c)));
	}
	return -ENOENT;
}

int build_id__of_elf(Elf *elf, struct build_id *id)
{
	const void *bytes;
	ssize_t n = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;

	if (n <= 0)
		return n ? -EINVAL : -ENOENT;
	*id = (struct build_id){ .size = (u8)MIN(n, (ssize_t)BUILD_ID_MAX) };
	memcpy(id->data, bytes, id->size);
	return 0;
}

int build_id__of_fd(int fd, struct build_id *id)
{
	Elf *elf;
	int ret;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL); /* not mapped: the file may be truncated meanwhile */
	ret = build_id__of_elf(elf, id);
	elf_end(elf);
	return ret;
}

bool build_id__is_of_fd(const struct build_id *id, int fd)
{
	struct build_id found;

	return !build_id__of_fd(fd, &found) && build_id__equal(&found, id);
}

int build_id__from_image(const void *image, size_t size, struct build_id *id)
{
	Elf *elf;
	int ret;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)image, size);
	ret = build_id__of_elf(elf, id);
	elf_end(elf);
	return ret;
}

int build_id__of_file(const char *path, struct build_id *id)
{
	int fd = file__open_plain(path), ret;

	if (fd < 0)
		return fd;
	ret = build_id__of_fd(fd, id);
	close(fd);
	return ret;
}

static int build_id__of_notes_file(const char *path, struct build_id *id)
{
	struct strbuf sb = STRBUF_INIT;
	int ret = file__read(path, &sb, 1 << 20);

	if (!ret)
		ret = build_id__from_notes(sb.buf, sb.len, false, id);
	strbuf__exit(&sb);
	return ret;
}

int build_id__of_kernel(struct build_id *id)
{
	return build_id__of_notes_file("/sys/kernel/notes", id);
}

static int build_id__of_module(const char *name, struct build_id *id)
{
	char path[256];

	if (strchr(name, '/') || snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id",
					  name) >= (int)sizeof(path))
		return -EINVAL;
	return build_id__of_notes_file(path, id);
}

int build_id__of_module_file(const char *filename, struct build_id *id)
{
	const char *base = strrchr(filename, '/');
	char name[64];
	size_t len;

	base = base ? base + 1 : filename + (filename[0] == '[');
	len = strcspn(base, ".]");
	if (len >= sizeof(name))
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[len] = '\0';
	return build_id__of_module(name, id);
}
