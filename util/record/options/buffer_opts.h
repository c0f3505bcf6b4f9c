/*
 * Options for buffers and for what happens to their content: callbacks with fields of struct recorder_opts
 * as values.
 */
#ifndef RECORD_BUFFER_OPTS_H
#define RECORD_BUFFER_OPTS_H

#include "base/command/options.h"
#include "record/options/attr_opts.h"

enum { /* bytes */
       WRITE_BUFFER_DEFAULT = 64 << 20,
};

option_callback ring_pages__parse;    /* -m: pages (u32), rounded up to a power of two for the kernel */
option_callback write_buffer__parse;  /* --write-buffer: write_buffer (u64) */
option_callback unwind_buffer__parse; /* --unwind-buffer: unwind_buffer (u64) */
/* Return the usual --unwind-buffer of this machine, in bytes: 32 MB, or 2 MB for each CPU if that is more. */
u64 unwind_buffer__usual(void);
option_callback max_size__parse;   /* --max-size: max_size (u64) */
option_callback mmap_flush__parse; /* --mmap-flush: flush_bytes (u64) */
/* -z, --compression-level[=n]: compression (int). Levels above zstd's maximum are clamped. */
option_callback compression__parse;
/* --aio[=n]: accepted without effect: a separate thread writes in any case. */
option_callback aio__parse;
option_callback affinity__parse_option; /* --affinity: affinity (enum affinity_mode) */

/*
 * Choose *pages of each ring, unless given (not 0): room for about 2,000 samples, so that the recorder does
 * not wake up too often, as far as the limit on locked memory allows. With stack copies, this is megabytes.
 */
void ring_pages__choose(u32 *pages, const struct attr_opts *attrs, const struct evlist *l);
/* Return pages, or fewer, so that so many rings take at most half a GiB. */
u32 ring_pages__limit(u32 pages, u64 nr_rings);
/*
 * Return the pages of a larger ring for advice: four times as many, limited by what may be locked. 0: no
 * larger one.
 */
u32 ring_pages__larger(u32 pages);

#endif
