/*
 * Options about buffers and what becomes of their content: callbacks, whose values are fields of struct
 * recorder_opts.
 */
#ifndef RECORD_BUFFER_OPTS_H
#define RECORD_BUFFER_OPTS_H

#include "base/command/options.h"

enum {
	WRITE_BUFFER_DEFAULT = 64 << 20, /* bytes */
	WRITE_BUFFER_MIN = 1 << 20,
};

/* -z, --compression-level[=n]: compression (int). More than zstd has is its most, as in stock perf. */
int compression__parse(const struct option *opt, const char *arg, bool unset, struct err *err);
/* --write-buffer: write_buffer (u64) */
int write_buffer__parse(const struct option *opt, const char *arg, bool unset, struct err *err);
/* --aio[=n]: another thread writes in any case; there is nothing to choose, and no value. */
int aio__parse(const struct option *opt, const char *arg, bool unset, struct err *err);
/* --mmap-flush: flush_bytes (u64) */
int mmap_flush__parse(const struct option *opt, const char *arg, bool unset, struct err *err);
/* --affinity: affinity (enum affinity_mode) */
int affinity__parse_option(const struct option *opt, const char *arg, bool unset, struct err *err);

#endif
