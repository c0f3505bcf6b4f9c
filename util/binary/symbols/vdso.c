#include "binary/symbols/vdso.h"

#include "base/system/file.h"

#include <stdio.h>
#include <string.h>

bool vdso__image(const void **image, size_t *size)
{
	struct strbuf maps = STRBUF_INIT;
	unsigned long start, end;
	const char *line;
	bool found;

	found = !file__read("/proc/self/maps", &maps, 0) && (line = strstr(maps.buf, "[vdso]"));
	while (found && line > maps.buf && line[-1] != '\n')
		line--;
	found = found && sscanf(line, "%lx-%lx", &start, &end) == 2;
	if (found) {
		*image = (const void *)start;
		*size = end - start;
	}
	strbuf__exit(&maps);
	return found;
}

bool vdso__build_id(struct build_id *id)
{
	const void *image;
	size_t size;

	return vdso__image(&image, &size) && !build_id__from_image(image, size, id);
}
