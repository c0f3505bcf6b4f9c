/*
 * A dso is one binary as a recording names it: a file, the kernel, a module, the vdso, or JIT code. The dso
 * table owns all dsos until the session ends; a dso's index is its identity. The first thread that needs a
 * dso's symbols loads them; a failure is stored with its reason. All else is immutable after the first pass.
 */
#ifndef MODEL_DSO_H
#define MODEL_DSO_H

#include "base/memory/strpool.h"
#include "binary/code/elf_code.h"
#include "binary/tables/cfi.h"
#include "binary/dwarf/dwarf_lines.h"
#include "binary/symbols/kallsyms_file.h"
#include "binary/symbols/kept_symbols.h"
#include "binary/symbols/symtab.h"
#include "model/made_up.h"

#include <pthread.h>

enum dso_kind {
	DSO_NONE,    /* no binary: unmapped addresses, "[stack]", "[heap]" */
	DSO_ELF,     /* a file */
	DSO_VDSO,    /* "[vdso]" */
	DSO_JIT,     /* anonymous executable memory: named by /tmp/perf-PID.map */
	DSO_JITDUMP, /* JIT code that its compiler wrote into a jit-PID.dump */
	DSO_KERNEL,  /* the kernel's own text */
	DSO_MODULE,  /* a kernel module */
	DSO_BPF,     /* one BPF program or other out-of-line kernel code, from a ksymbol record */
};

struct dso_code { /* of symbolizer__code */
	bool tried;
	struct elf_code *elf; /* NULL: none */
	const char *source;   /* static string */
	u64 bias;             /* linked address in the file - vaddr of struct code; 0 but for kernels */
	int error;
	char *reason; /* NULL: no error */
};

struct dso {
	u32 idx;
	u32 long_name;  /* strpool id of the recorded name, e.g. "/usr/lib/libc.so.6" */
	u32 short_name; /* strpool id of the name in reports: "libc.so.6", "[kernel.kallsyms]", "[vdso]" */
	enum dso_kind kind;
	bool is_guest;
	struct build_id build_id;
	u64 maj_min, ino, ino_generation; /* 0: unknown */
	u32 pid;                          /* DSO_JIT, DSO_JITDUMP: the process that made the code */

	pthread_mutex_t lock;
	/*
	 * The path to open, in two parts: root folder and name below it. Owned; see dso_finder__find. NULL:
	 * not searched yet.
	 */
	char *root, *file;
	int file_error;
	struct debug_places places; /* of its debug file */
	struct elf_mapping *maps;   /* of places; owned */

	bool loaded;       /* read with __atomic acquire */
	int load_error;    /* 0, or why there are no symbols (negative errno) */
	char *load_reason; /* one line; NULL: no error */
	struct symtab symtab;
	struct kallsyms_file *kallsyms; /* fills symtab on demand, under the lock; NULL: symtab is complete */

	struct made_up *made_up;  /* NULL: not needed yet; used under the lock */
	struct kept_symbols kept; /* with spares_memory: all that was looked up */

	bool cfi_loaded;      /* read with __atomic acquire */
	struct cfi *cfi;      /* NULL: none; see symbolizer__cfi */
	struct jit_code *jit; /* NULL: none; opened with cfi */

	bool lines_loaded;         /* read with __atomic acquire */
	struct dwarf_lines *lines; /* NULL: none; see symbolizer__lines */

	struct dso_code code; /* under the lock */
};

enum { DSO_IDX_NONE = 0 }; /* the dso of unmapped addresses: "[unknown]", kind DSO_NONE */

struct dsos {
	struct strpool *names; /* shared with the machine; the first pass interns, later ones only read */
	ARRAY(struct dso *) v;
	struct hash_table by_name; /* long name -> chain of dsos with it */
	ARRAY(u32) next_same_name; /* parallel to v */
};

void dsos__init(struct dsos *d, struct strpool *names);
void dsos__exit(struct dsos *d);

/* Identity of a dso among those of one name. Unknown parts (size 0, ino 0) match anything. */
struct dso_id {
	struct build_id build_id;
	u64 maj_min, ino, ino_generation;
};
/* Find the dso, or add it. id may be NULL. Kind and short name follow from the name and the cpumode. */
struct dso *dsos__find_add(struct dsos *d, const char *long_name, enum dso_kind kind,
			   const struct dso_id *id);
/* Set the build-id of every dso of that name that has none. */
void dsos__set_build_id(struct dsos *d, const char *long_name, const struct build_id *id);

static inline const char *dso__long_name(const struct dsos *d, const struct dso *dso)
{
	return strpool__get(d->names, dso->long_name);
}

static inline const char *dso__short_name(const struct dsos *d, const struct dso *dso)
{
	return strpool__get(d->names, dso->short_name);
}

#endif
