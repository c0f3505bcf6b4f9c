#include "binary/symbols/jit_code.h"

#include "base/memory/mem.h"
#include "base/system/file.h"

#include <pthread.h>
#include <stdlib.h>

struct jit_code {
	int fd;
	pthread_mutex_t lock; /* of frames */
	struct jit_frames frames;
};

static void see_code(const struct jitdump_code *c, void *ctx)
{
	struct jit_code *j = ctx;

	if (!c->is_move)
		jit_frames__add_code(&j->frames, c, c->offset);
}

struct jit_code *jit_code__new(int fd)
{
	struct jit_code *j = xcalloc(1, sizeof(*j));
	struct jitdump_header h = { .machine = 0 };

	j->fd = fd;
	pthread_mutex_init(&j->lock, NULL);
	if (!jitdump__read(fd, &h, see_code, j) && !h.swap)
		jit_frames__update(&j->frames);
	j->frames.machine = h.machine;
	return j;
}

void jit_code__delete(struct jit_code *j)
{
	if (!j)
		return;
	jit_frames__exit(&j->frames);
	pthread_mutex_destroy(&j->lock);
	file__close(j->fd);
	free(j);
}

struct cfi *jit_code__cfi(struct jit_code *j, u64 addr)
{
	struct cfi *cfi;

	pthread_mutex_lock(&j->lock);
	cfi = jit_frames__find(&j->frames, addr, j->fd);
	pthread_mutex_unlock(&j->lock);
	return cfi;
}

bool jit_code__read(const struct jit_code *j, u64 addr, u8 *data, size_t size)
{
	return file__pread_all(j->fd, data, size, addr) == (ssize_t)size;
}
