#include "record/describe/text_copies.h"

#include "base/memory/array.h"
#include "base/memory/mem.h"
#include "binary/elf/file_search.h"
#include "format/records/build.h"
#include "live/proc.h"
#include "record/hotspot/vm_process.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BYTES_MIN = 64 << 10,
	NOTED_MAX = 256, /* pieces of memory in a round */
	TRAILER_MAX = 64,
	PAGE = 4096,
	PAGES_COMPARED = 256, /* of a piece */
	LINES_APART = 8,      /* lines of /proc/PID/maps between the memory and the file */
	/* JIT compilers map memory all the time: after so many pieces without a copy, stop looking */
	VAIN_MAX = 8,
	PROCESSES_MAX = 1024, /* that are remembered; a power of 2 */
};

struct noted {
	u32 pid, tid;
	u64 start, end;
	u32 prot, flags;
	u8 trailer[TRAILER_MAX]; /* the sample_id of the record */
	size_t trailer_size;
};
typedef ARRAY(struct noted) noted_array;

struct vain { /* a process without copies so far */
	u32 pid, nr;
};

struct text_copies {
	pthread_mutex_t lock; /* protects noted */
	noted_array noted;
	struct vain vain[PROCESSES_MAX]; /* by pid; a new process replaces an old one */
	u64 round;
	struct vm_process process;
};

struct text_copies *text_copies__new(void)
{
	struct text_copies *t = xcalloc(1, sizeof(*t));

	pthread_mutex_init(&t->lock, NULL);
	return t;
}

void text_copies__delete(struct text_copies *t)
{
	if (!t)
		return;
	array__exit(&t->noted);
	vm_process__exit(&t->process);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void text_copies__see(struct text_copies *t, const struct perf_event_header *h, const struct mmap_record *m)
{
	size_t used = (size_t)(m->filename - (const char *)h) + ROUND_UP(strlen(m->filename) + 1, 8);
	struct noted n = { .pid = m->pid,
			   .tid = m->tid,
			   .start = m->start,
			   .end = m->start + m->len,
			   .prot = m->prot,
			   .flags = m->flags };

	if (!m->is_mmap2 || m->cpumode != PERF_RECORD_MISC_USER || !(m->prot & PROT_EXEC) ||
	    m->flags & MAP_SHARED || !mmap_record__is_anonymous(m) || m->len < BYTES_MIN || n.end < n.start ||
	    used > h->size || h->size - used > TRAILER_MAX)
		return;
	n.trailer_size = h->size - used;
	memcpy(n.trailer, (const u8 *)h + used, n.trailer_size);
	pthread_mutex_lock(&t->lock);
	if (t->noted.nr < NOTED_MAX)
		array__add(&t->noted, n);
	pthread_mutex_unlock(&t->lock);
}

/* ---- is it a copy? ---- */

static bool is_zero(const u8 *page)
{
	return !page[0] && !memcmp(page, page + 1, PAGE - 1);
}

/* Compare memory with a file. Pages of zeroes prove nothing, so half of the pages must have something. */
static bool has_same_bytes(struct text_copies *t, const struct noted *n, int fd, u64 offset)
{
	u64 pages = (n->end - n->start) / PAGE, step = MAX(pages / PAGES_COMPARED, (u64)1), nr = 0, full = 0;
	u8 here[PAGE], there[PAGE];

	for (u64 i = 0; i < pages; i += step, nr++) {
		if (!vm_process__read(&t->process, n->pid, t->round, n->start + i * PAGE, here, PAGE) ||
		    file__pread_all(fd, there, PAGE, offset + i * PAGE) != PAGE ||
		    memcmp(here, there, PAGE) != 0)
			return false;
		full += !is_zero(here);
	}
	return nr && full * 2 >= nr;
}

static bool is_copy_of(struct text_copies *t, const struct noted *n, const struct proc_map *file)
{
	u64 bias = file->start - file->pgoff, offset = n->start - bias;
	const struct file_query q = { .path = file->name,
				      .maj = file->maj,
				      .min = file->min,
				      .ino = file->ino,
				      .pid = n->pid,
				      .start = file->start,
				      .end = file->end };
	bool is_copy;
	int fd;

	if (file->start < file->pgoff || n->start < bias || !file->ino)
		return false;
	fd = file_search__open_first(FILE_BINARY, &q);
	is_copy = fd >= 0 && has_same_bytes(t, n, fd, offset);
	file__close(fd);
	return is_copy;
}

static bool is_memory(const struct proc_map *m)
{
	return m->prot & PROT_EXEC && (m->name[0] != '/' || !strncmp(m->name, "/anon_hugepage", 14));
}

/* Cut n to what is mapped now, and append a record if it is a copy. */
static bool add_copy(struct text_copies *t, struct noted *n, char *text, size_t size, struct strbuf *out)
{
	struct proc_map map, before = { 0 };
	char *end = text + size;
	unsigned since_before = 0, since = 0;
	bool is_there = false, found = false;

	while (text < end && !found && since <= LINES_APART) {
		if (!proc_map__parse(&text, end, &map))
			continue;
		since += is_there;
		since_before++;
		if (!is_there && map.end > n->start) {
			is_there = true;
			n->start = MAX(n->start, map.start);
			n->end = MIN(n->end, map.end);
			if (n->start >= n->end || !is_memory(&map))
				return false;
			map = before;
			found = since_before <= LINES_APART && map.name && is_copy_of(t, n, &map);
		} else if (map.name[0] == '/') {
			before = map;
			since_before = 0;
			found = is_there && is_copy_of(t, n, &map);
		}
	}
	if (!found)
		return false;
	build__mmap2(out, PERF_RECORD_MISC_USER,
		     &(struct mmap_record){ .pid = n->pid,
					    .tid = n->tid,
					    .start = n->start,
					    .len = n->end - n->start,
					    .pgoff = n->start - (map.start - map.pgoff),
					    .maj = map.maj,
					    .min = map.min,
					    .ino = map.ino,
					    .prot = n->prot,
					    .flags = n->flags,
					    .is_mmap2 = true,
					    .filename = map.name },
		     n->trailer_size);
	memcpy(out->buf + out->len - n->trailer_size, n->trailer, n->trailer_size);
	return true;
}

/* ---- rounds ---- */

static void text_copies__try(struct text_copies *t, struct noted *n, struct strbuf *out)
{
	struct vain *v = &t->vain[n->pid % PROCESSES_MAX];
	struct strbuf text = STRBUF_INIT;

	if (v->pid != n->pid)
		*v = (struct vain){ .pid = n->pid };
	if (v->nr >= VAIN_MAX)
		return;
	v->nr++;
	if (!proc__maps((pid_t)n->pid, &text) && add_copy(t, n, text.buf, text.len, out))
		v->nr = 0;
	strbuf__exit(&text);
}

void text_copies__add_records(struct text_copies *t, struct strbuf *out)
{
	noted_array noted;

	if (!t)
		return;
	t->round++;
	pthread_mutex_lock(&t->lock);
	noted = t->noted;
	t->noted = (noted_array){ 0 };
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < noted.nr; i++)
		text_copies__try(t, &noted.v[i], out);
	array__exit(&noted);
}
