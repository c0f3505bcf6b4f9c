#include "record/stacks/live_jit.h"

#include "base/memory/hash.h"
#include "base/memory/mem.h"
#include "base/system/file.h"
#include "binary/elf/file_search.h"
#include "binary/symbols/perf_map.h"
#include "live/proc.h"
#include "record/stacks/live_spaces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	DUMPS_MAX = 256,       /* processes with a dump; others are ignored */
	ROUND_BYTES = 8 << 20, /* that are read in a round, of all dumps */
	OPEN_MAX = 1024,       /* functions of a process whose CFI stays open */
	LOADS_MAX = 1 << 16,   /* loads that may be moved later */
};

struct live_dump {
	u32 pid;
	u32 rounds_left; /* after the end; 0: the process runs */
	char *path;
	u64 ino;
	bool is_tried;
	int fd; /* -1: not opened, or no dump */
	struct jitdump_header header;
	struct jitdump_place place;
	struct jit_frames frames;
	ARRAY(struct jitdump_code) loads; /* with frames, for moves; names are not set */
	struct hash_table by_index;       /* loads */
};

static void live_dump__delete(struct live_dump *d)
{
	jit_frames__exit(&d->frames);
	array__exit(&d->loads);
	hash_table__exit(&d->by_index);
	file__close(d->fd);
	free(d->path);
	free(d);
}

void live_jit__exit(struct live_jit *l)
{
	for (size_t i = 0; i < l->v.nr; i++)
		live_dump__delete(l->v.v[i]);
	array__exit(&l->v);
}

/* Return the newest dump of a process, or NULL. */
static struct live_dump *live_jit__find(struct live_jit *l, u32 pid)
{
	for (size_t i = l->v.nr; i-- > 0;)
		if (l->v.v[i]->pid == pid)
			return l->v.v[i];
	return NULL;
}

/* ---- records ---- */

static void see_mmap(struct live_jit *l, const struct record *r)
{
	struct mmap_record m;
	struct live_dump *d;

	if (l->v.nr >= DUMPS_MAX || !record__mmap(r, &m) || m.is_data || !(m.prot & PROT_EXEC) ||
	    !jitdump__is_name(m.filename))
		return;
	d = live_jit__find(l, m.pid);
	if (d && !strcmp(d->path, m.filename) && d->ino == m.ino)
		return;
	d = xcalloc(1, sizeof(*d));
	d->pid = m.pid;
	d->rounds_left = proc__outlives_first_thread((pid_t)m.pid) ? ROUNDS_LEFT : 0;
	d->path = xstrdup(m.filename);
	d->ino = m.ino;
	d->fd = -1;
	array__add(&l->v, d);
}

static void see_end(struct live_jit *l, u32 pid)
{
	for (size_t i = 0; i < l->v.nr; i++)
		if (l->v.v[i]->pid == pid && !l->v.v[i]->rounds_left)
			l->v.v[i]->rounds_left = ROUNDS_LEFT;
}

void live_jit__see(struct live_jit *l, const struct record *r)
{
	u32 ended = l->v.nr ? record__ended_program(r) : 0;

	if (r->header->type == PERF_RECORD_MMAP2)
		see_mmap(l, r);
	if (ended)
		see_end(l, ended);
}

/* ---- dumps ---- */

static int open_recorded(const struct live_dump *d, const char *path, u32 uid)
{
	int fd = perf_map__open(path, uid);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && (!d->ino || st.st_ino == d->ino)))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Open the dump that the process has mapped, if the process's user, this one or root owns it. */
static void live_dump__open(struct live_dump *d)
{
	struct file_query q = { .path = d->path };
	struct proc_status p = { .uid = 0 };
	struct file_search s;

	d->is_tried = true;
	if (!proc__status((pid_t)d->pid, (pid_t)d->pid, &p) && p.ns_pid) {
		q.pid = d->pid;
		q.ns_pid = (u32)p.ns_pid;
	}
	file_search__start(&s, FILE_JITDUMP, &q);
	for (d->fd = -ENOENT; d->fd == -ENOENT && file_search__next(&s);)
		d->fd = open_recorded(d, s.full.buf, p.uid);
	file_search__end(&s);
	if (d->fd >= 0 && (jitdump__read_header(d->fd, &d->header) || d->header.swap)) {
		file__close(d->fd);
		d->fd = -1;
	}
	d->frames.machine = d->header.machine;
}

static void see_load(struct live_dump *d, const struct jitdump_code *c)
{
	jit_frames__add_code(&d->frames, c, c->addr);
	if (!c->frames_size || d->loads.nr == LOADS_MAX)
		return;
	hash_table__insert(&d->by_index, hash__u64(c->index), (u32)d->loads.nr);
	array__add(&d->loads, *c);
}

static void see_code(const struct jitdump_code *c, void *ctx)
{
	struct live_dump *d = ctx;
	struct jitdump_code moved = *c;
	u32 i;

	if (!c->is_move) {
		see_load(d, c);
		return;
	}
	hash_table__for_each (&d->by_index, hash__u64(c->index), i)
		if (d->loads.v[i].index == c->index) {
			moved.frames_offset = d->loads.v[i].frames_offset;
			moved.frames_size = d->loads.v[i].frames_size;
			break;
		}
	jit_frames__add_code(&d->frames, &moved, c->addr);
}

/* Read the data written since the last call. Return whether known code may have changed. */
static bool live_dump__read(struct live_dump *d, struct live_jit *l)
{
	u64 before = d->place.offset;
	struct stat st;

	if (d->fd < 0 || !l->left || fstat(d->fd, &st) || (u64)st.st_size <= before)
		return false;
	jitdump__read_on(d->fd, &d->header, &d->place, l->left, see_code, d);
	l->left -= MIN(l->left, d->place.offset - before);
	return jit_frames__update(&d->frames);
}

void live_jit__begin_round(struct live_jit *l, void (*renew)(void *ctx, u32 pid), void *ctx)
{
	size_t nr = 0;

	l->left = ROUND_BYTES;
	for (size_t i = 0; i < l->v.nr; i++) {
		struct live_dump *d = l->v.v[i];
		bool has_changed = live_dump__read(d, l);
		bool has_ended = rounds_left__end(&d->rounds_left, d->pid);

		if (jit_frames__forget(&d->frames, OPEN_MAX) || has_changed || has_ended)
			renew(ctx, d->pid);
		if (has_ended) {
			live_dump__delete(d);
			continue;
		}
		l->v.v[nr++] = d;
	}
	l->v.nr = nr;
}

struct cfi *live_jit__cfi(struct live_jit *l, u32 pid, u64 ip)
{
	struct live_dump *d = l->v.nr ? live_jit__find(l, pid) : NULL;

	if (!d)
		return NULL;
	if (!d->is_tried) {
		live_dump__open(d);
		live_dump__read(d, l);
	}
	return d->fd < 0 ? NULL : jit_frames__find(&d->frames, ip, d->fd);
}
