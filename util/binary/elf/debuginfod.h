/*
 * Debug files from servers: libdebuginfod's client (man 3 debuginfod_find_debuginfo), loaded on first use.
 * The library caches the files, and for a while also the build-ids that no server has. All fetches together
 * have a time limit; after it, or after Ctrl-C, nothing more is fetched.
 */
#ifndef BINARY_DEBUGINFOD_H
#define BINARY_DEBUGINFOD_H

#include "base/message/err.h"
#include "base/command/progress.h"
#include "binary/elf/build_id.h"

struct debuginfod_opts {
	u32 seconds;               /* for all fetches together */
	const int *stop;           /* stop fetching when it is not 0; read with __atomic. NULL: never stop */
	struct progress *progress; /* shows the file that is being fetched; NULL: do not */
};

struct debuginfod;
/*
 * Return NULL with err if DEBUGINFOD_URLS names no server, or the library is missing. The strings of opts
 * stay the caller's.
 */
struct debuginfod *debuginfod__new(const struct debuginfod_opts *opts, struct err *err);
void debuginfod__delete(struct debuginfod *d); /* accepts NULL */
/*
 * Return the path of the debug file with that build-id, to be freed, or NULL if there is none. name: the
 * binary's, for progress. Thread-safe.
 */
char *debuginfod__fetch(struct debuginfod *d, const struct build_id *id, const char *name);
/* As debuginfod__fetch, for a file of source code, by its path in the debug information. */
char *debuginfod__fetch_source(struct debuginfod *d, const struct build_id *id, const char *path);
/* Return why fetching has stopped (a static string), or NULL if it goes on. */
const char *debuginfod__stopped(const struct debuginfod *d);

/*
 * Return the URL of the usual server of a system. os_release: the text of its /etc/os-release (man 5
 * os-release); NULL or unknown: the server that asks those of other systems.
 */
const char *debuginfod__usual_server(const char *os_release);

#endif
