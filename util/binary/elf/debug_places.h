/* Where debug files may be, besides the places that every system has. */
#ifndef BINARY_DEBUG_PLACES_H
#define BINARY_DEBUG_PLACES_H

#include "base/memory/types.h"

struct debuginfod;

struct debug_places {
	struct debuginfod *debuginfod; /* servers that are asked after everything else; NULL: none */
	const char *buildid_dir;       /* the build-id cache, "~/.debug"; NULL: none */
	bool also_here; /* paths are a process's: after its /usr/lib/debug look into this machine's */
};

#endif
