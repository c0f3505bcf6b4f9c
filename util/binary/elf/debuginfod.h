/*
 * Debug files from servers: libdebuginfod's client (man 3 debuginfod_find_debuginfo), which is loaded when it
 * is first needed. It keeps what it gets, and for a while what it did not get, in its cache. All fetches
 * together have a limit of time; when that is over, or at Ctrl-C, there are no more.
 */
#ifndef BINARY_DEBUGINFOD_H
#define BINARY_DEBUGINFOD_H

#include "base/message/err.h"
#include "base/command/progress.h"
#include "binary/elf/build_id.h"

struct debuginfod_opts {
	u32 seconds;               /* for all fetches together */
	const int *stop;           /* not 0: no more; read with __atomic. NULL: never */
	struct progress *progress; /* told what is fetched; NULL: nobody is */
};

struct debuginfod;
/* NULL with err: DEBUGINFOD_URLS names no server, or the library is not there. The strings of opts stay the
 * caller's. */
struct debuginfod *debuginfod__new(const struct debuginfod_opts *opts, struct err *err);
void debuginfod__delete(struct debuginfod *d); /* NULL: nothing */
/* The path of the debug file of a build-id, to be freed; NULL: none. name: of the binary, for progress.
 * Thread-safe. */
char *debuginfod__fetch(struct debuginfod *d, const struct build_id *id, const char *name);
/* Why there are no more fetches; NULL: there are. Static. */
const char *debuginfod__stopped(const struct debuginfod *d);

#endif
