#include "binary/elf/return_probes.h"

#include "binary/elf/elf_file.h"

#include <stdlib.h>
#include <string.h>

enum { SYMBOLS_MAX = 1 << 22 };

static bool has_section(const struct elf_file *f, const char *name)
{
	GElf_Shdr shdr;

	return elf_file__section(f, name, 0, &shdr) && shdr.sh_size;
}

/* Does a symbol table have one of these names? */
static bool has_symbol(const struct elf_file *f, u32 table, const char *const *names, size_t nr)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, table, &shdr));
	GElf_Sym sym;

	for (int i = 0; data && i < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++) {
		const char *name = elf_file__str(f, shdr.sh_link, sym.st_name);

		for (size_t k = 0; k < nr; k++)
			if (!strcmp(name, names[k]))
				return true;
	}
	return false;
}

static bool names_symbol(const struct elf_file *f, const char *const *names, size_t nr)
{
	return has_symbol(f, SHT_DYNSYM, names, nr) || has_symbol(f, SHT_SYMTAB, names, nr);
}

/* Does the loader load a library whose name begins like this? */
static bool needs_library(const struct elf_file *f, const char *prefix)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, NULL, SHT_DYNAMIC, &shdr));
	GElf_Dyn dyn;

	for (int i = 0; data && gelf_getdyn(data, i, &dyn); i++)
		if (dyn.d_tag == DT_NEEDED &&
		    !strncmp(elf_file__str(f, shdr.sh_link, dyn.d_un.d_val), prefix, strlen(prefix)))
			return true;
	return false;
}

static bool has_comment(const struct elf_file *f, const char *text)
{
	GElf_Shdr shdr;
	Elf_Data *data = elf_file__data(elf_file__section(f, ".comment", 0, &shdr));

	return data && memmem(data->d_buf, data->d_size, text, strlen(text));
}

static bool is_go(const struct elf_file *f)
{
	return has_section(f, ".gopclntab") || has_section(f, ".go.buildinfo") ||
	       has_section(f, ".note.go.buildid");
}

static const char *broken_by(const struct elf_file *f)
{
	static const char *const rust[] = { "rust_eh_personality", "__rust_start_panic" };
	static const char *const cxx[] = { "__gxx_personality_v0", "__cxa_throw", "__cxa_begin_catch" };
	static const char *const unwinder[] = { "_Unwind_RaiseException" };

	if (is_go(f))
		return "Go";
	if (has_comment(f, "rustc version") || names_symbol(f, rust, ARRAY_SIZE(rust)))
		return "Rust";
	if (needs_library(f, "libstdc++.so") || needs_library(f, "libc++.so") ||
	    names_symbol(f, cxx, ARRAY_SIZE(cxx)))
		return "C++";
	return has_section(f, ".gcc_except_table") || names_symbol(f, unwinder, ARRAY_SIZE(unwinder))
		       ? "exceptions"
		       : NULL;
}

const char *return_probes__broken_by(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	const char *by = NULL;
	struct elf_file f;

	if (!elf_file__open(&f, full, NULL)) {
		by = broken_by(&f);
		elf_file__close(&f);
	}
	free(full);
	return by;
}
