#include "binary/elf/library_path.h"

#include "base/memory/cursor.h"
#include "base/system/file.h"
#include "base/text/path_name.h"
#include "binary/elf/elf_file.h"

#include <ctype.h>
#include <string.h>

static const char cache_magic[] = "glibc-ld.so.cache1.1";
enum { CACHE_HEADER = 48, CACHE_ENTRY = 24, CACHE_MAX = 64 << 20 };

bool library__is_called(const char *path, const char *name)
{
	const char *base = path__name(path);
	size_t len = strlen(name);

	if (!len || strncmp(base, name, len) != 0)
		return false;
	base += len;
	return !*base || (!strstr(name, ".so") &&
			  (!strncmp(base, ".so", 3) ||
			   (*base == '-' && isdigit((unsigned char)base[1]) && strstr(base, ".so"))));
}

/* Is it a library that this program can load? */
static bool is_native_library(const char *path)
{
	struct elf_file own, f;
	bool fits = false;

	if (elf_file__open(&own, "/proc/self/exe", NULL))
		return false;
	if (!elf_file__open(&f, path, NULL))
		fits = f.ehdr.e_machine == own.ehdr.e_machine && f.ehdr.e_type == ET_DYN &&
		       f.ehdr.e_ident[EI_CLASS] == own.ehdr.e_ident[EI_CLASS];
	elf_file__close(&f);
	elf_file__close(&own);
	return fits;
}

/* Return the string at an offset from the start of the cache, or "". */
static const char *cache_string(const struct cursor *cache, u32 offset)
{
	struct cursor c = *cache;
	const char *s;

	c.p = c.start;
	cursor__skip(&c, offset);
	s = cursor__str(&c, strnlen((const char *)c.p, cursor__left(&c)) + 1);
	return s ? s : "";
}

char *library__find_in_cache(const void *data, size_t size, const char *name, bool (*fits)(const char *path))
{
	const u8 *start =
		memmem(data, size, cache_magic, strlen(cache_magic)); /* an older format may come first */
	struct cursor c;
	u32 nr;

	if (!start)
		return NULL;
	c = cursor__make(start, size - (size_t)(start - (const u8 *)data), false);
	cursor__skip(&c, strlen(cache_magic));
	nr = cursor__u32(&c);
	cursor__skip(&c, CACHE_HEADER - strlen(cache_magic) - sizeof(nr));
	if (c.bad || nr > cursor__left(&c) / CACHE_ENTRY)
		return NULL;
	for (int pass = 0; pass < 2; pass++) {
		struct cursor e = c;

		for (u32 i = 0; i < nr; i++) {
			const char *path;
			u32 key, value;
			u64 hwcap;

			cursor__skip(&e, 4); /* flags (kind of machine): fits checks the file itself */
			key = cursor__u32(&e);
			value = cursor__u32(&e);
			cursor__skip(&e, 4); /* oldest kernel version */
			hwcap = cursor__u64(&e);
			path = cache_string(&c, value);
			if (!!hwcap == pass && *path == '/' &&
			    library__is_called(cache_string(&c, key), name) && fits(path))
				return xstrdup(path);
		}
	}
	return NULL;
}

static char *find_in_folders(const char *folders, const char *name)
{
	while (folders) {
		size_t len = strcspn(folders, ":;");
		char *path = xasprintf("%.*s/%s", (int)len, folders, name);

		if (len && is_native_library(path))
			return path;
		free(path);
		folders = folders[len] ? folders + len + 1 : NULL;
	}
	return NULL;
}

char *library__find(const char *name)
{
	struct strbuf cache = STRBUF_INIT;
	char *with_suffix = strstr(name, ".so") ? xstrdup(name) : xasprintf("%s.so", name);
	char *path = find_in_folders(getenv("LD_LIBRARY_PATH"), with_suffix);

	if (!path && !file__read("/etc/ld.so.cache", &cache, CACHE_MAX))
		path = library__find_in_cache(cache.buf, cache.len, name, is_native_library);
	if (!path)
		path = find_in_folders("/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib", with_suffix);
	strbuf__exit(&cache);
	free(with_suffix);
	return path;
}
