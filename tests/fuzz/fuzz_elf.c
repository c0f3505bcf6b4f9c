/*
 * Any image of a program or library: symbols, PLT, build-id, separate debug files, call frame information,
 * static probes.
 */
#include "binary/elf/build_id.h"
#include "binary/elf/elf_loads.h"
#include "binary/elf/sdt_notes.h"
#include "binary/tables/cfi.h"
#include "binary/code/function_ends.h"
#include "binary/symbols/elf_object.h"
#include "binary/symbols/elf_symbols.h"
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

static void check(const struct symtab *t)
{
	for (size_t i = 0; i < t->syms.nr; i++) {
		const struct symbol *sym = &t->syms.v[i];

		if (i && sym->start < t->syms.v[i - 1].start)
			__builtin_trap();
		fuzz__touch(symtab__name(t, sym), strlen(symtab__name(t, sym)));
	}
}

static void symbols(const void *data, size_t size, const char *path)
{
	const struct elf_symbols_opts opts = { .symfs = "" };
	struct symtab t;
	u64 reference;

	symtab__init(&t);
	if (!elf_symbols__load_image(&t, data, size, NULL))
		check(&t);
	symtab__exit(&t);
	symtab__init(&t);
	if (!elf_symbols__load(&t, path, NULL, &opts, NULL))
		check(&t);
	symtab__exit(&t);
	symtab__init(&t);
	if (!elf_symbols__load_kernel(&t, path, NULL, "_text", &reference, NULL))
		check(&t);
	symtab__exit(&t);
}

static void frames(const void *data, size_t size)
{
	struct cfi *c;
	u64 vaddr;

	if (cfi__open_image(&c, data, size, NULL))
		return;
	for (u64 addr = 0; addr < size; addr += 61) {
		const struct cfi_row *row = cfi__find(c, addr);

		if (row != cfi__find(c, addr))
			__builtin_trap();
		for (unsigned i = 0; row && i < row->nr_rules; i++)
			if (row->rules[i].kind == CFI_BY_EXPR)
				fuzz__touch(row->rules[i].expr->ops,
					    row->rules[i].expr->nr * sizeof(struct cfi_op));
		cfi__is_entry(c, addr);
		cfi__vaddr(c, addr, &vaddr);
	}
	cfi__delete(c);
}

/* As a debug file whose binary is missing; the maps are from its end. */
static void debug_file(const void *data, size_t size)
{
	struct elf_mapping maps[4] = { { 0 } };
	struct debug_places places = { .maps = maps, .nr_maps = ARRAY_SIZE(maps) };
	const size_t words = 3 * sizeof(u64);
	struct elf_loads loads = { 0 };
	struct elf_file f;
	u64 bias;

	if (size < sizeof(maps) || elf_file__from_memory(&f, data, size, NULL))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		memcpy(&maps[i], (const u8 *)data + size - (i + 1) * words, words);
		maps[i].is_exec = maps[i].pgoff & 1;
		maps[i].pgoff &= ~0xfffull;
	}
	elf_loads__read_debug(&loads, &f, &places);
	for (size_t i = 0; i < loads.v.nr; i++)
		elf_loads__bias(&loads, loads.v.v[i].offset, &bias);
	elf_loads__exit(&loads);
	elf_file__close(&f);
}

static void object(const char *path)
{
	elf_name_array found = { 0 };
	struct elf_object *o;

	if (elf_object__open(&o, "", path, NULL))
		return;
	elf_object__find(o, "counter", NULL, &found);
	for (size_t i = 0; i < found.nr; i++) {
		const struct elf_part_query q = {
			.members = "in.deep", .is_slice = true, .start = 1, .count = 2
		};
		struct elf_part part;

		elf_object__part(o, &found.v[i], &q, &part, NULL);
	}
	array__exit(&found);
	elf_object__delete(o);
}

static void ends(const char *path)
{
	static const struct {
		u64 addr, size;
	} functions[] = { { 0x1000, 500 }, { 0x401000, 0 }, { 0x1139, 0 } };
	struct function_reader *r;
	struct function_ends e;

	if (function_reader__open(&r, "", path, NULL, NULL))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (function_ends__find(&e, r, functions[i].addr, functions[i].size, NULL))
			continue;
		for (size_t k = 1; k < e.returns.nr; k++)
			if (e.returns.v[k] <= e.returns.v[k - 1])
				__builtin_trap();
		function_ends__exit(&e);
	}
	function_reader__delete(r);
}

static void probes(const uint8_t *data, size_t size)
{
	struct sdt_notes s;

	sdt_notes__read_image(&s, data, size, NULL);
	for (size_t i = 0; i < s.v.nr; i++) {
		fuzz__touch(s.v.v[i].provider, strlen(s.v.v[i].provider));
		fuzz__touch(s.v.v[i].name, strlen(s.v.v[i].name));
	}
	sdt_notes__exit(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct build_id id;
	char path[64];
	int fd = fuzz__file(data, size, path);

	if (!build_id__from_image(data, size, &id) && id.size > BUILD_ID_MAX)
		__builtin_trap();
	symbols(data, size, path);
	probes(data, size);
	frames(data, size);
	debug_file(data, size);
	object(path);
	ends(path);
	close(fd);
	return 0;
}
