/*
 * A folder of slices that wait to be sent: complete recordings, named by the time at which they came, so
 * that their names are in that order. A file is there as a whole or not at all. One process uses a folder
 * at a time; its children do not count. Nobody else may write into it: whoever can could have files of other
 * users written or sent.
 */
#ifndef AGENT_SPOOL_H
#define AGENT_SPOOL_H

#include "base/memory/array.h"
#include "base/message/err.h"

struct spool_opts {
	const char *folder; /* is made if it is not there, for this user only */
	u64 size;           /* bytes of all slices */
	bool drops_newest;  /* if there is no room; else the oldest ones */
};

struct spool {
	const struct spool_opts *opts;
	int lock;             /* descriptor */
	u64 last;             /* time in the newest name, ns since 1970 */
	u64 untold;           /* slices that were dropped and that no server was told of */
	u64 nr_waiting, size; /* as of the last __list; size: with what was set aside */
};

typedef ARRAY(char *) spool_paths; /* owned */

/* Return 0 or a negative errno with err; -EBUSY: another process uses the folder. */
int spool__open(struct spool *s, const struct spool_opts *opts, struct err *err);
void spool__close(struct spool *s);
/*
 * Add the file of descriptor fd, which stays open. *nr_dropped: slices that were dropped for want of room,
 * this one included. Return 0, or a negative errno with err: it was not added, and counts as dropped.
 */
int spool__add(struct spool *s, int fd, u64 *nr_dropped, struct err *err);
/*
 * Set a slice aside: it is not listed any more. It stays until its room is needed. Return its new path, which
 * the caller frees, or NULL: it cannot be renamed, or has gone.
 */
char *spool__set_aside(const char *path);
/* Get the paths of what waits, the oldest first. */
void spool__list(struct spool *s, spool_paths *paths);
void spool_paths__exit(spool_paths *paths);
/* Count nr slices as dropped. The folder keeps the number for the next agent, if there is room for it. */
void spool__note_dropped(struct spool *s, u64 nr);
/* Note that a server has got the number of nr dropped slices. */
void spool__tell(struct spool *s, u64 nr);

#endif
