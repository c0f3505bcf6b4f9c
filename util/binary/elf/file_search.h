/*
 * Where the files of a recording are on this machine: one table of places, tried in order. Record, report and
 * the build-id cache look for binaries, debug files, modules and kernels with it only.
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
	FILE_JITDUMP,  /* what a compiler wrote of its code, under the recorded name */
	FILE_PERF_MAP, /* /tmp/perf-PID.map */
};

enum file_check {              /* what tells that a file is the wanted one */
		  CHECK_ANY,   /* the build-id or else the inode, as far as they are known */
		  CHECK_KNOWN, /* the same, and one of them must be known */
		  CHECK_MAP,   /* as CHECK_KNOWN, of whatever device: file systems show maps another one */
		  CHECK_ID,    /* the build-id, which must be known */
		  CHECK_CRC,   /* the CRC in .gnu_debuglink: left to the caller */
};

/* Places that not every search includes. */
struct debug_places {
	struct debuginfod *debuginfod; /* servers that are asked after everything else; NULL: none */
	const char *buildid_dir;       /* the build-id cache, "~/.debug"; NULL: none */
	bool also_here; /* root is a process's: after its /usr/lib/debug look into this machine's */
};

/* What is known of a file. A place that needs what is not known (NULL, 0) is skipped. */
struct file_query {
	const char *root;    /* in front of recorded names: --symfs, a process's root folder; NULL: none */
	const char *path;    /* the recorded name */
	const char *link;    /* the name in .gnu_debuglink */
	const char *release; /* of the kernel */
	const struct debug_places *places; /* NULL: none */
	struct build_id id;
	u32 maj, min; /* the device; 0 and 0: unknown */
	u64 ino;
	/* A process that has the file mapped, and from where to where. */
	u32 pid;
	u64 start, end;
	u32 ns_pid; /* the process's number in its own pid namespace */
	/* Fill in the i-th process; false: there are no more. NULL: pid is the only one. */
	bool (*user)(struct file_query *q, size_t i);
	void *ctx; /* for user */
};

struct file_search {
	enum file_kind kind;
	struct file_query query;
	enum file_check check;     /* of this place */
	struct strbuf full;        /* the path of this place */
	size_t root_len;           /* bytes of it that are the root folder of debug files, too */
	bool stale;                /* file_search__open has met another file than the wanted one */
	size_t next_row, nr_users; /* in the table; processes tried there */
};

/* What query points to stays the caller's, and must stay there until __end. */
void file_search__start(struct file_search *s, enum file_kind kind, const struct file_query *query);
/* Go on to the next place. False: there are no more. */
bool file_search__next(struct file_search *s);
/* Go on to the next place that has the wanted file, and open it for reading. -ESTALE: only other files were
 * found, -ENOENT: none. Opens regular files only (file__open_plain). */
int file_search__open(struct file_search *s);
/* The same without opening it: 0, the path is in s->full. */
int file_search__find(struct file_search *s);
void file_search__end(struct file_search *s);
/* Path of this place below its root. */
static inline const char *file_search__path(const struct file_search *s)
{
	return s->full.buf + s->root_len;
}
/* The first file that is the wanted one. As file_search__open. */
int file_search__open_first(enum file_kind kind, const struct file_query *query);

#endif
