/*
 * Options about buffers and what becomes of their content: callbacks, whose values are fields of struct
 * recorder_opts.
 */
#ifndef RECORD_BUFFER_OPTS_H
#define RECORD_BUFFER_OPTS_H

#include "base/command/options.h"
#include "record/options/attr_opts.h"

enum { /* bytes */
       WRITE_BUFFER_DEFAULT = 64 << 20,
       UNWIND_BUFFER_DEFAULT = 32 << 20,
};

option_callback ring_pages__parse;    /* -m: pages (u32); the kernel wants a power of two */
option_callback write_buffer__parse;  /* --write-buffer: write_buffer (u64) */
option_callback unwind_buffer__parse; /* --unwind-buffer: unwind_buffer (u64) */
option_callback max_size__parse;      /* --max-size: max_size (u64) */
option_callback mmap_flush__parse;    /* --mmap-flush: flush_bytes (u64) */
/* -z, --compression-level[=n]: compression (int). Levels above zstd's maximum are clamped. */
option_callback compression__parse;
/* --aio[=n]: another thread writes in any case; there is nothing to choose, and no value. */
option_callback aio__parse;
option_callback affinity__parse_option; /* --affinity: affinity (enum affinity_mode) */

/*
 * Chooses *pages of each ring, unless they are given (not 0): room for some 1,000 samples, so that the
 * recorder is not woken for each few. With stack copies in them that is megabytes; where so much may not be
 * locked, copies of no given size become smaller.
 */
void ring_pages__choose(u32 *pages, struct attr_opts *attrs, const struct evlist *l);
/* Pages of larger rings: four times as many, or what may be locked. 0: no larger ones. */
u32 ring_pages__larger(u32 pages);

#endif
