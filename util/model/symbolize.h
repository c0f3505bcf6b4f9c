/*
 * From (dso, address) to a name: the sources of symbols, in order, without those of another build. Each
 * distinct address is looked up once.
 */
#ifndef MODEL_SYMBOLIZE_H
#define MODEL_SYMBOLIZE_H

#include "base/command/progress.h"
#include "format/read/reader.h"
#include "model/embedded.h"
#include "model/jit_files.h"
#include "model/machine.h"

struct symbolize_opts {
	const char *symfs;    /* root for all files, NULL or "": none */
	bool symfs_is_flat;   /* it has files without the folders that they were recorded in */
	const char *kallsyms; /* --kallsyms FILE, NULL: none */
	const char *vmlinux;  /* --vmlinux FILE, NULL: none */
	bool ignore_vmlinux;
	bool any_owner; /* accept perf-PID.map and jit-PID.dump of any owner */
	/* the build-id cache, with binaries, debug files and copies of kallsyms; NULL: none */
	const char *buildid_dir;
	/* a recording of the same samples, to take its stored names and code instead; NULL: this one's own */
	const struct reader *stored;
	struct kept_files *kept;       /* binaries that were kept while they were recorded; NULL: none */
	struct debuginfod *debuginfod; /* servers for debug files; NULL: none */
	struct progress *progress;     /* shows the binary that is being loaded; NULL: do not */
	/*
	 * Give back symbol tables and what libdw has read, binary by binary, after the names that
	 * symbolizer__load_all is asked for. Then only one thread at a time may look up names.
	 */
	bool spares_memory;
	bool no_demangle;      /* names will be shown mangled, which decides which alias is kept */
	bool demangle_kernel;  /* show names of the kernel as in the source, too */
	bool no_made_up_names; /* functions without a symbol stay addresses */
};

/*
 * Return 0 if the files that the options name can be read, else a negative errno with err. With a symfs they
 * are in it, and looked for later.
 */
int symbolize_opts__check(const struct symbolize_opts *o, struct err *err);

struct symbolizer {
	struct machine *machine;
	struct symbolize_opts opts;
	/* From the recording; NULL: unknown. */
	char *osrelease, *hostname;
	char *own_kallsyms; /* path of the kallsyms of a data directory (record --kcore), or NULL */
	struct embedded embedded;

	struct dso_finder finder;

	pthread_mutex_t lock; /* protects what follows */
	bool preloading;
	pthread_t preloader;
	/* The text of kallsyms, for modules; read once. */
	bool kallsyms_tried;
	int kallsyms_error;
	struct strbuf kallsyms;
};

void symbolizer__init(struct symbolizer *s, struct machine *m, const struct reader *r,
		      const struct symbolize_opts *opts);
void symbolizer__exit(struct symbolizer *s); /* accepts an all-zero one */

struct dso_place {
	struct dso *dso;
	u64 addr; /* dso address */
};

/* The names and lines that will be looked up. */
struct symbol_wants {
	ARRAY(struct dso *) dsos; /* dsos with many addresses */
	struct dso *kernel;       /* from symbolizer__searched_kernel; NULL: kernel_addrs is empty */
	ARRAY(u64) kernel_addrs;
	ARRAY(struct dso_place) places; /* source lines; sorted by dso and address */
	unsigned lines;                 /* data to look up at places: enum dwarf_wants */
};
/*
 * Load and search what wants lists, with up to nr_threads threads. Other names can still be looked up later.
 */
void symbolizer__load_all(struct symbolizer *s, const struct symbol_wants *wants, unsigned nr_threads);
/* Return the kernel's dso if its symbols are searched in a saved kallsyms (few lookups), or NULL. */
struct dso *symbolizer__searched_kernel(const struct symbolizer *s);
/*
 * Start to load the kernel's symbols in the background, unless they are searched. Later calls do nothing.
 * Thread-safe.
 */
void symbolizer__preload_kernel(struct symbolizer *s);
/*
 * Wait for background loading; after that dsos may be read without locks. Call it from one thread, at the
 * end.
 */
void symbolizer__wait(struct symbolizer *s);
/*
 * Find the recorded file: set dso->root and dso->file. Return 0 or a negative errno with err. If the file is
 * missing but its build-id is known, return 0: there may be a debug file.
 */
int symbolizer__find_file(struct symbolizer *s, struct dso *dso, struct err *err);
/*
 * Return the dso's call frame information, or NULL if there is none of the recorded build. Opened on first
 * use. Thread-safe.
 */
struct cfi *symbolizer__cfi(struct symbolizer *s, struct dso *dso);
/*
 * Return the code and the call frame information in a jitdump, or NULL: dso is none, or it is gone. Opened on
 * first use. Thread-safe.
 */
struct jit_code *symbolizer__jit_code(struct symbolizer *s, struct dso *dso);
/*
 * Return the dso's source lines, or NULL if there is no debug information of the recorded build. Opened on
 * first use. Thread-safe.
 */
struct dwarf_lines *symbolizer__lines(struct symbolizer *s, struct dso *dso);
/* Return the stored source lines and inlined functions of the dso, or NULL. Thread-safe. */
const struct names_lines_chunk *symbolizer__stored_lines(struct symbolizer *s, const struct dso *dso);
/* Are there source lines, in debug information or stored? */
bool symbolizer__has_lines(struct symbolizer *s, struct dso *dso);
/*
 * Return the symbol at a dso address, or NULL; loads on first use. If the binary has no symbol there, it may
 * be a function with a made-up name. Thread-safe.
 */
const struct symbol *symbolizer__find(struct symbolizer *s, struct dso *dso, u64 addr);
/*
 * Return the kernel's dso and symbol at a kernel address that no map covers, or NULL. The recorded map ends
 * with the text; what ran at boot (start_kernel, at the bottom of the first CPU's idle stack) comes after
 * it. Thread-safe.
 */
const struct symbol *symbolizer__find_kernel(struct symbolizer *s, u64 addr, struct dso **dso);

#endif
