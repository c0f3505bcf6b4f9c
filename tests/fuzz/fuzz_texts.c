/*
 * The texts that name addresses: kallsyms, /tmp/perf-PID.map, /proc/PID/maps and status. The first byte
 * chooses.
 */
#include "binary/kallsyms.h"
#include "binary/kallsyms_file.h"
#include "binary/perf_map.h"
#include "fuzz.h"
#include "live/proc.h"

#include <string.h>
#include <unistd.h>

static void kallsyms(const char *text, size_t size)
{
	const char *const names[] = { "_text", "_stext", NULL };
	struct symtab t;
	u64 addr;
	int which;

	symtab__init(&t);
	kallsyms__load(&t, text, size, NULL);
	symtab__exit(&t);
	kallsyms__reference(text, size, names, &addr, &which);
}

/* Searched or read, the answers are the same where the lines are in order. */
static void saved_kallsyms(const char *text, size_t size)
{
	struct symtab found, all;
	struct kallsyms_file *k;
	u64 reference;
	char path[64];
	int fd = fuzz__file(text, size, path);

	symtab__init(&found);
	symtab__init(&all);
	if (!kallsyms__load_file(&all, path, "_text", &reference) && reference &&
	    !kallsyms_file__open(&k, path, "_text", reference)) {
		for (size_t i = 0; i < all.syms.nr; i++) {
			const struct symbol *sym = kallsyms_file__find(k, &found, all.syms.v[i].start);

			if (sym)
				fuzz__touch(symtab__name(&found, sym), strlen(symtab__name(&found, sym)));
		}
		kallsyms_file__close(k);
	}
	symtab__exit(&all);
	symtab__exit(&found);
	close(fd);
}

static void perf_map(const char *text, size_t size)
{
	struct symtab t;

	symtab__init(&t);
	perf_map__parse(&t, text, size);
	symtab__exit(&t);
}

static void proc_maps(const char *text, size_t size)
{
	char *copy = xmalloc(size + 1), *p = copy;
	struct proc_map map;

	memcpy(copy, text, size);
	while (proc_map__parse(&p, copy + size, &map))
		fuzz__touch(map.name, strlen(map.name));
	free(copy);
}

static void proc_status(const char *text, size_t size)
{
	struct proc_status status;

	if (proc_status__parse(text, size, &status))
		fuzz__touch(status.comm, strlen(status.comm));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *text, size_t size) = { kallsyms, saved_kallsyms, perf_map, proc_maps,
									  proc_status };

	if (size)
		parsers[data[0] % ARRAY_SIZE(parsers)]((const char *)data + 1, size - 1);
	return 0;
}
