/*
 * The search for the files of a recording on this machine: one table of places, tried in order. record,
 * report and the build-id cache search for binaries, debug files, modules and kernels only with this table.
 */
#ifndef BINARY_FILE_SEARCH_H
#define BINARY_FILE_SEARCH_H

#include "base/text/strbuf.h"
#include "binary/elf/build_id.h"

struct debuginfod;

enum file_kind {
	FILE_BINARY,   /* a program or a library that a process has mapped */
	FILE_DEBUG,    /* its separate debug file */
	FILE_KERNEL,   /* the kernel's image with symbols (vmlinux) */
	FILE_KALLSYMS, /* the copy of a kernel's symbols in the build-id cache */
	FILE_MODULE,   /* a kernel module or its debug file */
	FILE_JITDUMP,  /* code that a JIT compiler wrote, under the recorded name */
	FILE_PERF_MAP, /* /tmp/perf-PID.map */
};

enum file_check {              /* how a file is compared with the wanted one */
		  CHECK_ANY,   /* by build-id or else by inode, as far as they are known */
		  CHECK_KNOWN, /* as CHECK_ANY, and one of them must be known */
		  /* as CHECK_KNOWN, but on any device: some file systems report another device in maps */
		  CHECK_MAP,
		  CHECK_ID,   /* by build-id, which must be known */
		  CHECK_CRC,  /* by the CRC in .gnu_debuglink, which the caller checks */
		  CHECK_DONE, /* not at all: it is the wanted file */
};

/* A map of a file in a process. */
struct elf_mapping {
	u64 start, end, pgoff;
	bool is_exec;
};

/* Inputs of a search for debug files, besides the binary's own path and build-id. */
struct debug_places {
	struct debuginfod *debuginfod; /* servers, asked after all other places; NULL: none */
	const char *buildid_dir;       /* the build-id cache, "~/.debug"; NULL: none */
	bool also_here; /* root is a process's: search /usr/lib/debug there, then this machine's */
	/*
	 * The recorded name of the binary, if the path that leads to it is another one, as of a deleted file;
	 * NULL: the path is the name.
	 */
	const char *name;
	/* Maps of the binary in one process: a debug file alone does not have the binary's file offsets. */
	const struct elf_mapping *maps;
	size_t nr_maps;
};

/* Properties of the wanted file. The search skips places that need an unknown field (NULL, 0). */
struct file_query {
	const char *root;    /* prefix of recorded names: --symfs, or a process's root folder; NULL: none */
	const char *path;    /* the recorded name */
	bool is_flat;        /* root has the files without the folders of path */
	const char *kept;    /* a path that leads to the wanted file for sure (kept_files.h); NULL: none */
	const char *link;    /* the name in .gnu_debuglink */
	const char *release; /* of the kernel */
	const struct debug_places *places; /* NULL: none */
	struct build_id id;
	u32 maj, min; /* device; 0 and 0: unknown */
	u64 ino;
	/* A process that has the file mapped, and the addresses of the map. */
	u32 pid;
	u64 start, end;
	u32 ns_pid; /* its pid in its own pid namespace */
	/* Fill in the i-th process. Return false if there are no more. NULL: pid is the only one. */
	bool (*user)(struct file_query *q, size_t i);
	void *ctx; /* for user */
};

struct file_search {
	enum file_kind kind;
	struct file_query query;
	enum file_check check;     /* of this place */
	struct strbuf full;        /* path of this place */
	size_t root_len;           /* length of the part of full that is also the root of debug files */
	bool stale;                /* has met a file that is not the wanted one */
	size_t next_row, nr_users; /* next row of the table; number of processes tried for it */
};

/*
 * Start a search. The strings and objects that query points to stay the caller's; they must live until
 * file_search__end.
 */
void file_search__start(struct file_search *s, enum file_kind kind, const struct file_query *query);
/* Go on to the next place. Return false if there are no more. */
bool file_search__next(struct file_search *s);
/*
 * Go on to the next place that has the wanted file. Return 0: its path is in s->full; -ESTALE: only other
 * files were found; -ENOENT: none. Finds regular files only (file__open_plain).
 */
int file_search__find(struct file_search *s);
void file_search__end(struct file_search *s);
/* Return the path of this place below its root. */
static inline const char *file_search__path(const struct file_search *s)
{
	return s->full.buf + s->root_len;
}
/* Open the first file that is the wanted one. Return the descriptor, or an error of file_search__find. */
int file_search__open_first(enum file_kind kind, const struct file_query *query);

#endif
