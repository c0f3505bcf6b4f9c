/*
 * Find the file on this machine that is the binary in a recording. The places are in file_search.h; the
 * processes of the recording that still run are added here.
 */
#ifndef MODEL_DSO_FILE_H
#define MODEL_DSO_FILE_H

#include "base/message/err.h"
#include "binary/elf/file_search.h"
#include "model/machine.h"

struct dso_file_opts {     /* which files of this machine may be those of a recording */
	const char *symfs; /* root for recorded names; NULL or "": none */
	bool symfs_is_flat;
	bool any_owner; /* of files of JIT compilers: accept those of any owner */
	struct debug_places places;
	struct kept_files *kept; /* as in struct symbolize_opts */
	bool foreign_host;       /* the recording was made on another machine: ignore its pids and inodes */
};

struct dso_user { /* a process that still runs and had the dso mapped */
	u32 dso, pid;
	u64 start, end;
};

struct dso_finder {
	const struct machine *machine;
	struct dso_file_opts opts;
	pthread_mutex_t lock; /* protects what follows */
	bool users_known;
	ARRAY(struct dso_user) users; /* sorted by dso */
	ARRAY(u32) spaces;            /* by dso: the first space with a map of it, or UINT32_MAX; on demand */
};

/* The strings of opts stay the caller's. */
void dso_finder__init(struct dso_finder *f, const struct machine *m, const struct dso_file_opts *opts);
void dso_finder__exit(struct dso_finder *f);
/*
 * Set dso->root and dso->file: the path to open is both together; debug files are below root, and in
 * dso->places. Return 0;
 * -ENOENT: no such file; -ESTALE: only other files than the recorded one. With an error, fill err and set
 * root and file to the recorded name. The search is done once; the caller holds the dso's lock.
 */
int dso_finder__find(struct dso_finder *f, struct dso *dso, struct err *err);

#endif
