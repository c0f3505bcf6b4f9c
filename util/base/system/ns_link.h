/* A namespace, as files of /proc/PID/ns and records name it. */
#ifndef BASE_NS_LINK_H
#define BASE_NS_LINK_H

#include "base/memory/types.h"

struct ns_link {
	u64 dev, ino;
};

#endif
