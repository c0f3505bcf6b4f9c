/*
 * From (dso, address in it) to a name: which sources of symbols are asked, in which order, and
 * what is refused because it is another build's. Asked once per distinct address.
 */
#ifndef MODEL_SYMBOLIZE_H
#define MODEL_SYMBOLIZE_H

#include "base/command/progress.h"
#include "format/read/reader.h"
#include "model/dso_file.h"
#include "model/embedded.h"
#include "model/jit_files.h"
#include "model/machine.h"

struct symbolize_opts {
	const char *symfs;    /* root for all files, NULL or "": none */
	const char *kallsyms; /* --kallsyms FILE, NULL: none */
	const char *vmlinux;  /* --vmlinux FILE, NULL: none */
	bool ignore_vmlinux;
	bool any_owner;                /* what compilers wrote about their code counts whoever owns it */
	const char *buildid_dir;       /* the build-id cache, which has binaries, debug files and copies of
				      kallsyms; NULL: none */
	struct debuginfod *debuginfod; /* servers of debug files; NULL: none */
	struct progress *progress;     /* told what is being loaded; NULL: nobody is */
	bool no_demangle; /* names will be shown as they are: decides which of several aliases is kept */
};

struct symbolizer {
	struct machine *machine;
	struct symbolize_opts opts;
	/* Of the recording; NULL unknown. */
	char *osrelease, *hostname;
	char *own_kallsyms; /* what a data directory brings (record --kcore) */
	bool foreign_host;  /* the recording says that it is another machine's */
	struct embedded embedded;

	struct dso_finder finder;
	struct debug_places debug_places;
	struct jit_opts jit_opts;

	pthread_mutex_t lock; /* of what follows */
	bool preloading;
	pthread_t preloader;
	/* The text of kallsyms for modules, read once. */
	bool kallsyms_tried;
	int kallsyms_error;
	struct strbuf kallsyms;
};

void symbolizer__init(struct symbolizer *s, struct machine *m, const struct reader *r,
		      const struct symbolize_opts *opts);
void symbolizer__exit(struct symbolizer *s); /* also of an all-zero one */
/* Loads the dso's symbols unless that has been tried. Thread-safe. Why there are none is in dso->load_reason.
 */
void symbolizer__load(struct symbolizer *s, struct dso *dso);
struct dso_place {
	struct dso *dso;
	u64 addr; /* dso address */
};

/* What names and lines will be asked for. */
struct symbol_wants {
	ARRAY(struct dso *) dsos; /* much of each */
	struct dso *kernel;       /* as symbolizer__searched_kernel says; NULL: nothing of kernel_addrs */
	ARRAY(u64) kernel_addrs;
	ARRAY(struct dso_place) places; /* of source lines; those of a dso together, in order */
	unsigned lines;                 /* what is wanted of them: enum dwarf_wants */
};
/* Loads and searches all that by up to nr_threads threads. Other names may be asked for, too. */
void symbolizer__load_all(struct symbolizer *s, const struct symbol_wants *wants, unsigned nr_threads);
/* The kernel's dso if its symbols are searched in a saved kallsyms, as long as not much of them is asked for;
 * NULL. */
struct dso *symbolizer__searched_kernel(const struct symbolizer *s);
/*
 * Starts to load the kernel's symbols in the background, unless they are searched: they take longest. Later
 * calls do nothing. Thread-safe.
 */
void symbolizer__preload_kernel(struct symbolizer *s);
/*
 * Waits for what still loads in the background: after that dsos may be looked at. For one thread, at the end.
 */
void symbolizer__settle(struct symbolizer *s);
/*
 * The dso's call frame information, or NULL when there is none of the recorded build. Opened on first use.
 * Thread-safe.
 */
struct cfi *symbolizer__cfi(struct symbolizer *s, struct dso *dso);
/*
 * The dso's source lines, or NULL when there is no debug information of the recorded build. As
 * symbolizer__cfi.
 */
struct dwarf_lines *symbolizer__lines(struct symbolizer *s, struct dso *dso);
/* What the recording itself brings of source lines and inlined functions of the dso, or NULL. Thread-safe. */
const struct names_lines_chunk *symbolizer__stored_lines(struct symbolizer *s, const struct dso *dso);
/* One or the other. */
bool symbolizer__has_lines(struct symbolizer *s, struct dso *dso);
/* The symbol at a dso address, or NULL; loads on first use. Thread-safe. */
const struct symbol *symbolizer__find(struct symbolizer *s, struct dso *dso, u64 addr);
/*
 * The kernel's own dso and symbol at a kernel address that no map covers, or NULL: the recorded map ends with
 * the text, but what ran at boot (start_kernel, at the bottom of the first CPU's idle stack) lies behind it.
 * Thread-safe.
 */
const struct symbol *symbolizer__find_kernel(struct symbolizer *s, u64 addr, struct dso **dso);

#endif
