/*
 * Which file on this machine is the binary that a recording means. The places are in file_search.h; this
 * adds the processes of the recording that still run.
 */
#ifndef MODEL_DSO_FILE_H
#define MODEL_DSO_FILE_H

#include "base/message/err.h"
#include "binary/elf/file_search.h"
#include "model/machine.h"

struct dso_file_opts {
	const char *symfs; /* root for recorded names; NULL or "": none */
	struct debug_places places;
	bool foreign_host; /* the recording is another machine's: its processes and inodes are not ours */
};

struct dso_user { /* a process that still runs and had the dso mapped */
	u32 dso, pid;
	u64 start, end;
};

struct dso_finder {
	const struct machine *machine;
	struct dso_file_opts opts;
	pthread_mutex_t lock; /* of the next two */
	bool users_known;
	ARRAY(struct dso_user) users; /* sorted by dso */
};

/* The strings of opts stay the caller's. */
void dso_finder__init(struct dso_finder *f, const struct machine *m, const struct dso_file_opts *opts);
void dso_finder__exit(struct dso_finder *f);
/*
 * Fills dso->root and dso->file: together a path to open; apart the root below which debug files are, and the
 * path there. 0; -ENOENT: there is no such file, -ESTALE: only others than the recorded one. err says so, and
 * the two are the recorded name then. Looks once; to be called under the dso's lock.
 */
int dso_finder__find(struct dso_finder *f, struct dso *dso, struct err *err);

#endif
