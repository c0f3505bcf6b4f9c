#include "binary/elf/compilers.h"

#include "binary/elf/elf_binary.h"

#include <stdlib.h>
#include <string.h>

/* "GCC: (Debian 12.2.0-14) 12.2.0": the version comes after what is in brackets. */
static void parse_one(struct compilers *c, const char *text)
{
	const char *p = strncmp(text, "GCC: (", 6) ? NULL : strstr(text, ") ");
	unsigned long major = p ? strtoul(p + 2, NULL, 10) : 0;

	if (major > c->gcc && major < 1000)
		c->gcc = (unsigned)major;
	c->clang |= strstr(text, "clang version ") != NULL;
}

void compilers__parse(struct compilers *c, const char *text, size_t size)
{
	*c = (struct compilers){ 0 };
	for (size_t i = 0; i < size;) {
		size_t len = strnlen(text + i, size - i);
		char *one = xasprintf("%.*s", (int)MIN(len, (size_t)1000), text + i);

		parse_one(c, one);
		free(one);
		i += len + 1;
	}
}

static Elf_Data *comment_of(const struct elf_file *f)
{
	GElf_Shdr shdr;

	return elf_file__data(elf_file__section(f, ".comment", 0, &shdr));
}

static bool has_comment(const struct elf_file *f)
{
	return comment_of(f) != NULL;
}

void compilers__read(struct compilers *c, const char *path, const struct build_id *want, const char *root,
		     const struct debug_places *places)
{
	const struct elf_file *f;
	struct elf_binary b;

	*c = (struct compilers){ 0 };
	elf_binary__open(&b, path, want, root, places);
	f = elf_binary__find(&b, has_comment);
	if (f)
		compilers__parse(c, comment_of(f)->d_buf, comment_of(f)->d_size);
	elf_binary__close(&b);
}
