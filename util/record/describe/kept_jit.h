/*
 * The files that JIT compilers of the recorded processes write for profilers, /tmp/perf-PID.map and
 * jit-PID.dump, kept for the names that are looked up at the end of the recording. The process may have
 * ended by then, its file may be deleted, and the mount namespace that had it may be gone.
 *
 * A thread of its own opens such files, 50 ms after code without a file was first mapped, then more and
 * more rarely. An open file would keep a program from unmounting its file system. So a file is held open
 * on mounts that stay, elsewhere through a private copy of the mount if the file system is memory or an
 * overlay, and else (or without the right to do so) its content is copied from time to time. When the
 * process has ended, the file goes to the kept_files.
 */
#ifndef RECORD_KEPT_JIT_H
#define RECORD_KEPT_JIT_H

#include "format/records/record.h"

struct kept_files;
struct kept_jit; /* thread-safe */

/* Begin, with at most max open files. files: gets the files; not owned. */
struct kept_jit *kept_jit__new(struct kept_files *files, size_t max);
/*
 * Look at a map record. If it is of executable memory without a file, or of a jitdump, its process may have a
 * file for profilers.
 */
void kept_jit__see(struct kept_jit *k, const struct mmap_record *m);
/*
 * Was there a process in another mount namespace in the last minute? Short processes like it are met only
 * if rounds are short. Accepts NULL.
 */
bool kept_jit__wants_short_rounds(const struct kept_jit *k);
/* Look for all files once more, hand them over, and free k. Accepts NULL. */
void kept_jit__finish(struct kept_jit *k);

#endif
