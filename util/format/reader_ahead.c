/* A walk on a thread of its own: reading and decompressing go on while blocks are looked at. */
#include "format/reader_private.h"

#include <string.h>

enum {
	QUEUE = 4, /* blocks */
	COPY_BELOW =
		4, /* a block that fills less than this part of its buffer is copied, others change hands */
};

struct reader_ahead {
	struct walker *walker;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* what follows */
	struct block queue[QUEUE];
	unsigned first, nr;
	bool abandoned;
	bool ended; /* with ret and err */
	int ret;
	struct err err;
};

/* Puts the block at the end of the queue; it becomes an old buffer. False when nobody wants it. */
static bool reader_ahead__put(struct reader_ahead *a, struct block *b)
{
	struct block *place, old;
	bool wanted;

	pthread_mutex_lock(&a->lock);
	while (a->nr == QUEUE && !a->abandoned)
		pthread_cond_wait(&a->changed, &a->lock);
	wanted = !a->abandoned;
	if (wanted) {
		place = &a->queue[(a->first + a->nr++) % QUEUE];
		old = *place;
		*place = *b;
		*b = old;
		pthread_cond_broadcast(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return wanted;
}

static void *reader_ahead__run(void *arg)
{
	struct reader_ahead *a = arg;
	struct block b = BLOCK_INIT;
	struct err err = ERR_INIT;
	int ret;

	while ((ret = walker__next(a->walker, &b, &err)) > 0 && reader_ahead__put(a, &b))
		;
	block__exit(&b);
	pthread_mutex_lock(&a->lock);
	a->ret = ret;
	a->err = err;
	a->ended = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

struct reader_ahead *reader_ahead__new(struct walker *w)
{
	struct reader_ahead *a = xcalloc(1, sizeof(*a));

	a->walker = w;
	a->err = (struct err)ERR_INIT;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	if (!pthread_create(&a->thread, NULL, reader_ahead__run, a))
		return a;
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
	return NULL;
}

void reader_ahead__delete(struct reader_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->abandoned = true;
	pthread_cond_broadcast(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	for (unsigned i = 0; i < QUEUE; i++)
		block__exit(&a->queue[i]);
	err__exit(&a->err);
	free(a);
}

/* What is in from goes to b, whose buffer, or the old one, goes to from. */
static void block__hand_over(struct block *b, struct block *from)
{
	struct block old = *b;

	if (from->size >= from->alloc / COPY_BELOW) {
		*b = *from;
		*from = old;
		return;
	}
	block__reserve(&old, from->size);
	memcpy(old.data, from->data, from->size);
	*b = *from;
	b->data = old.data;
	b->alloc = old.alloc;
}

int reader_ahead__next(struct reader_ahead *a, struct block *b, struct err *err)
{
	int ret = 1;

	pthread_mutex_lock(&a->lock);
	while (!a->nr && !a->ended)
		pthread_cond_wait(&a->changed, &a->lock);
	if (a->nr) {
		block__hand_over(b, &a->queue[a->first]);
		a->first = (a->first + 1) % QUEUE;
		a->nr--;
		pthread_cond_broadcast(&a->changed);
	} else {
		ret = a->ret;
		if (ret < 0)
			err__set(err, ret, "%s", a->err.text.buf);
	}
	pthread_mutex_unlock(&a->lock);
	return ret;
}
