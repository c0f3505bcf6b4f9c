#include "binary/symbols/perf_map.h"

#include "base/system/file.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool parse_number(const char *text, u64 *value, char **end)
{
	if (!isxdigit((unsigned char)*text)) /* strtoull would accept spaces and signs */
		return false;
	errno = 0;
	*value = strtoull(text, end, 16);
	return !errno && **end == ' ';
}

/* Parse a "START SIZE NAME" line; numbers in hex, with or without 0x. */
static bool parse_line(const char *line, u64 *start, u64 *size, const char **name)
{
	char *end;

	if (!parse_number(line, start, &end) || !parse_number(end + 1, size, &end))
		return false;
	*name = end + 1;
	return **name != '\0';
}

int perf_map__parse(struct symtab *t, const char *text, size_t size)
{
	const char *p = text, *end = text + size;
	struct strbuf line = STRBUF_INIT;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);
		const char *name;
		u64 start, bytes;

		strbuf__reset(&line);
		strbuf__add(&line, p, len);
		if (len && parse_line(line.buf, &start, &bytes, &name) && bytes && start + bytes > start)
			symtab__add(t, start, bytes, name, SYMBOL_GLOBAL);
		p += len + 1;
	}
	strbuf__exit(&line);
	if (!t->syms.nr)
		return -EINVAL;
	t->source = "perf map";
	symtab__finish_by_age(t);
	return 0;
}

bool perf_map__owner_may_be(u32 uid, u32 owner)
{
	return uid == (u32)PERF_MAP_OF_ANYBODY || owner == uid || owner == 0 || owner == geteuid();
}

int perf_map__load(struct symtab *t, const char *path, u32 uid, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int fd = file__open_plain(path), ret;
	struct stat st;

	if (fd < 0)
		return err__set(err, fd, "cannot open '%s': %s", path, err__str(fd));
	if (fstat(fd, &st) || !perf_map__owner_may_be(uid, st.st_uid))
		ret = err__set(
			err, -EPERM,
			"'%s' belongs to neither the process's user nor you nor root: --force to use it",
			path);
	else if ((ret = file__read_fd(fd, &text, 0)))
		err__set(err, ret, "cannot read '%s': %s", path, err__str(ret));
	else if ((ret = perf_map__parse(t, text.buf, text.len)))
		err__set(err, ret, "'%s' has no line of the form \"START SIZE NAME\"", path);
	close(fd);
	strbuf__exit(&text);
	return ret;
}
