#include "ui/dump/dump_pipeline.h"

#include "base/system/file.h"
#include "base/system/thread.h"

#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	THREADS_MAX = 8, /* more threads than this do not help the one that writes */
	PARTS_PER_THREAD = 3,
	PARTS_MAX = THREADS_MAX * PARTS_PER_THREAD,
	TEXT_SIZE = 1 << 20,       /* of a part, mostly */
	RECORDS_PER_THREAD = 4096, /* a thread for fewer records does not pay */
	/* The kernel caches files in pieces that begin at multiples of their size: whole ones are faster. */
	WRITE_ALIGN = 64 << 10,
};

struct part {
	struct order_batch batch;
	dump_items items;
	struct strbuf text;
	bool is_formatted;
};

/*
 * Parts are in a ring, by number modulo nr_parts:
 *	written <= formatted or free to format <= taken for formatting < read <= written + nr_parts
 */
struct pipeline {
	const struct dump_pipeline_opts *opts;
	struct order *order;
	struct part parts[PARTS_MAX];
	unsigned nr_parts, nr_threads;
	int nr_stops; /* requests to stop that were followed before */

	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t moved;
	u64 nr_read, nr_taken, nr_written;
	bool writing; /* a thread is writing */
	bool no_more; /* nothing is left to read */
	bool broken;  /* writing failed: stop */
	bool stopped;
	int read_ret, write_ret;
	struct err *err; /* for the thread that reads */

	/* of the thread that writes, without the lock */
	struct strbuf rest; /* formatted and not yet written: less than WRITE_ALIGN */
	u64 offset;         /* offset in the output file of the next write */
	u64 align;          /* writes end at multiples of it; 1: anywhere */
};

struct pipeline_thread {
	struct pipeline *pipeline;
	void *worker;
	bool reads;
	pthread_t id;
};

static struct part *pipeline__part(struct pipeline *p, u64 number)
{
	return &p->parts[number % p->nr_parts];
}

/* ---- the stages; entered and left with the lock held; they work without it ---- */

static void pipeline__read(struct pipeline *p)
{
	struct part *part = pipeline__part(p, p->nr_read);
	const struct dump_pipeline_opts *opts = p->opts;
	int ret;

	pthread_mutex_unlock(&p->lock);
	ret = order__next(p->order, &part->batch, p->err);
	part->items.nr = 0;
	part->is_formatted = false;
	for (size_t i = 0; i < part->batch.records.nr; i++)
		opts->look_at(opts->ctx, &part->batch.records.v[i], &part->items);
	pthread_mutex_lock(&p->lock);
	p->nr_read += part->items.nr > 0;
	p->no_more |= ret <= 0;
	p->read_ret = MIN(ret, 0);
}

static void pipeline__format(struct pipeline *p, void *worker)
{
	struct part *part = pipeline__part(p, p->nr_taken++);

	pthread_mutex_unlock(&p->lock);
	strbuf__reset(&part->text);
	for (size_t i = 0; i < part->items.nr; i++)
		p->opts->add_text(worker, &part->items.v[i], &part->text);
	pthread_mutex_lock(&p->lock);
	part->is_formatted = true;
}

/* Write the rest and the text, up to a multiple of p->align; the remaining bytes become the rest. */
static int pipeline__write_text(struct pipeline *p, const struct strbuf *text)
{
	u64 end = p->offset + p->rest.len + text->len;
	size_t left = (size_t)(end % p->align), size;
	int ret;

	if (left > text->len) {
		strbuf__add(&p->rest, text->buf, text->len);
		return 0;
	}
	size = text->len - left;
	ret = file__write_both(p->opts->fd, p->rest.buf, p->rest.len, text->buf, size);
	p->offset = end - left;
	strbuf__reset(&p->rest);
	strbuf__add(&p->rest, text->buf + size, left);
	return ret;
}

static void pipeline__write(struct pipeline *p)
{
	struct part *part = pipeline__part(p, p->nr_written);
	int ret;

	p->writing = true;
	pthread_mutex_unlock(&p->lock);
	ret = pipeline__write_text(p, &part->text);
	pthread_mutex_lock(&p->lock);
	p->writing = false;
	p->nr_written++;
	p->write_ret = ret;
	p->broken |= ret < 0;
}

/* ---- threads ---- */

static bool pipeline__can_read(const struct pipeline *p)
{
	return !p->no_more && p->nr_read - p->nr_written < p->nr_parts;
}

static bool pipeline__can_write(struct pipeline *p)
{
	return !p->writing && p->nr_written < p->nr_taken && pipeline__part(p, p->nr_written)->is_formatted;
}

/*
 * Do one thing. Return false if nothing can be done now. Only the first thread reads, so that the memory of
 * the order is in one heap of malloc.
 */
static bool pipeline_thread__step(struct pipeline_thread *t)
{
	struct pipeline *p = t->pipeline;

	if (t->reads && pipeline__can_read(p))
		pipeline__read(p);
	else if (pipeline__can_write(p))
		pipeline__write(p);
	else if (p->nr_taken < p->nr_read)
		pipeline__format(p, t->worker);
	else
		return false;
	return true;
}

static bool pipeline__is_done(struct pipeline *p)
{
	const int *stop = p->opts->session->reader->opts.stop;

	if (!p->no_more && stop && __atomic_load_n(stop, __ATOMIC_RELAXED) > p->nr_stops)
		p->stopped = p->no_more = true;
	return p->broken || (p->no_more && p->nr_written == p->nr_read);
}

static void *pipeline_thread__run(void *arg)
{
	struct pipeline_thread *t = arg;
	struct pipeline *p = t->pipeline;

	t->worker = p->opts->worker_new(p->opts->ctx);
	pthread_mutex_lock(&p->lock);
	while (!pipeline__is_done(p)) {
		if (pipeline_thread__step(t))
			pthread_cond_broadcast(&p->moved);
		else
			pthread_cond_wait(&p->moved, &p->lock);
	}
	pthread_cond_broadcast(&p->moved); /* to whom this is news */
	pthread_mutex_unlock(&p->lock);
	p->opts->worker_delete(t->worker);
	return NULL;
}

/* Signal handlers run in the first thread only; signals that a thread causes itself stay unblocked. */
static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGPIPE);
	sigdelset(&set, SIGSEGV);
	sigdelset(&set, SIGBUS);
	sigdelset(&set, SIGFPE);
	sigdelset(&set, SIGILL);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

static void pipeline__run_threads(struct pipeline *p)
{
	struct pipeline_thread *threads = xcalloc(p->nr_threads, sizeof(*threads));
	unsigned started = 1;
	sigset_t before;

	for (unsigned i = 0; i < p->nr_threads; i++)
		threads[i].pipeline = p;
	block_signals(&before);
	/* If a thread cannot be started, the others do its share. */
	while (started < p->nr_threads &&
	       !thread__start(&threads[started].id, pipeline_thread__run, &threads[started]))
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	threads[0].reads = true;
	pipeline_thread__run(&threads[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(threads[i].id, NULL);
	free(threads);
}

static unsigned nr_threads(const struct dump_pipeline_opts *opts)
{
	u64 useful = 1 + opts->session->stats.records.nr_records / RECORDS_PER_THREAD;

	return (unsigned)MIN(MIN(MAX(opts->nr_threads, 1u), useful), (u64)THREADS_MAX);
}

static void pipeline__begin_writing(struct pipeline *p)
{
	int fd = p->opts->fd;
	off_t offset = lseek(fd, 0, SEEK_CUR);
	struct stat st;

	strbuf__init(&p->rest);
	p->offset = offset < 0 ? 0 : (u64)offset;
	p->align = !fstat(fd, &st) && S_ISREG(st.st_mode) ? WRITE_ALIGN : 1;
}

static void pipeline__end_writing(struct pipeline *p)
{
	if (!p->write_ret)
		p->write_ret = file__write_all(p->opts->fd, p->rest.buf, p->rest.len);
	strbuf__exit(&p->rest);
}

int dump_pipeline__run(const struct dump_pipeline_opts *opts, struct err *err)
{
	const struct order_opts order_opts = { .file_order = opts->file_order };
	struct reader *r = opts->session->reader;
	struct pipeline *p = xcalloc(1, sizeof(*p));
	int ret;

	p->opts = opts;
	p->nr_stops = r->nr_stops;
	p->err = err;
	p->order = order__new(r, &opts->session->decoder, &order_opts);
	p->nr_threads = nr_threads(opts);
	p->nr_parts = p->nr_threads == 1 ? 1 : p->nr_threads * PARTS_PER_THREAD;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->moved, NULL);
	for (unsigned i = 0; i < p->nr_parts; i++) {
		strbuf__init(&p->parts[i].text);
		strbuf__grow(&p->parts[i].text, TEXT_SIZE);
	}
	pipeline__begin_writing(p);
	pipeline__run_threads(p);
	pipeline__end_writing(p);
	ret = p->write_ret
		      ? err__set(err, p->write_ret, "cannot write the output: %s", err__str(p->write_ret))
		      : p->read_ret;
	r->stopped |= p->stopped;
	for (unsigned i = 0; i < p->nr_parts; i++) {
		order_batch__exit(&p->parts[i].batch);
		array__exit(&p->parts[i].items);
		strbuf__exit(&p->parts[i].text);
	}
	order__delete(p->order);
	pthread_cond_destroy(&p->moved);
	pthread_mutex_destroy(&p->lock);
	free(p);
	return ret;
}
