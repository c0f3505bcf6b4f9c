#include "base/command/progress.h"

#include "base/system/clock.h"
#include "base/system/file.h"
#include "base/text/strbuf.h"
#include "base/command/term.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
	FIRST_MS = 500, /* ms of work before anything is shown */
	NEXT_MS = 100,
	MB = 1000000,
};

struct progress {
	int fd;
	void (*show)(const char *line); /* NULL: it is written to fd */
	pthread_t owner, drawer;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool ending; /* written by the owner only */

	struct strbuf what, delay; /* delay: empty when there is none */
	struct strbuf line;        /* being made */
	size_t shown;              /* characters on the terminal */
	u64 total, start_ms;       /* start: of the work that what names */

	u64 at, nr_records; /* atomic */
};

/* ---- drawing; with the lock held ---- */

static void progress__add_numbers(struct progress *p)
{
	u64 at = __atomic_load_n(&p->at, __ATOMIC_RELAXED);
	u64 nr = __atomic_load_n(&p->nr_records, __ATOMIC_RELAXED);
	u64 ms = MAX(clock__ms() - p->start_ms, (u64)1);

	if (p->total)
		strbuf__addf(&p->line, ": %llu of %llu MB (%llu%%)",
			     (unsigned long long)MIN(at, p->total) / MB, (unsigned long long)p->total / MB,
			     (unsigned long long)(100 * (double)MIN(at, p->total) / (double)p->total));
	else if (at)
		strbuf__addf(&p->line, ": %llu MB", (unsigned long long)at / MB);
	if (nr)
		strbuf__addf(&p->line, ", %.0f records/s", 1000.0 * (double)nr / (double)ms);
}

/* Overwrite the line that is shown. */
static void progress__rewrite(struct progress *p)
{
	size_t len = p->line.len, columns = (size_t)term__columns_of(p->fd);

	if (len >= columns) /* a full line would make the terminal go to the next */
		len = columns - 1;
	/* inside a character of UTF-8 */
	while (len < p->line.len && len && (p->line.buf[len] & 0xc0) == 0x80)
		len--;
	strbuf__setlen(&p->line, len);
	if (len < p->shown)
		strbuf__addchars(&p->line, ' ', p->shown - len);
	strbuf__addch(&p->line, '\r');
	(void)!file__write_all(p->fd, p->line.buf, p->line.len);
	p->shown = len;
}

static void progress__draw(struct progress *p)
{
	strbuf__reset(&p->line);
	if (p->delay.len) {
		strbuf__add(&p->line, p->delay.buf, p->delay.len);
	} else if (p->what.len) {
		strbuf__add(&p->line, p->what.buf, p->what.len);
		progress__add_numbers(p);
	}
	if (p->show)
		p->show(p->line.buf);
	else
		progress__rewrite(p);
}

static void progress__erase(struct progress *p)
{
	strbuf__reset(&p->line);
	if (p->shown)
		progress__rewrite(p);
}

static void *progress__run(void *arg)
{
	struct progress *p = arg;
	u64 wait_ms = FIRST_MS;

	pthread_mutex_lock(&p->lock);
	while (!p->ending) {
		u64 until = clock__ms() + wait_ms;
		struct timespec t = { .tv_sec = (time_t)(until / 1000),
				      .tv_nsec = (long)(until % 1000 * 1000000) };

		if (pthread_cond_timedwait(&p->changed, &p->lock, &t) == ETIMEDOUT && !p->ending) {
			progress__draw(p);
			wait_ms = NEXT_MS;
		}
	}
	progress__erase(p);
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* ---- life ---- */

struct progress *progress__new(int fd)
{
	struct progress *p;
	pthread_condattr_t attr;

	if (!term__can_rewrite(fd))
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->fd = fd;
	p->owner = pthread_self();
	p->start_ms = clock__ms();
	strbuf__init(&p->what);
	strbuf__init(&p->delay);
	strbuf__init(&p->line);
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (!pthread_create(&p->drawer, NULL, progress__run, p))
		return p;
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	free(p);
	return NULL;
}

void progress__end(struct progress *p)
{
	if (!p || p->ending)
		return;
	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->drawer, NULL);
}

void progress__resume(struct progress *p, void (*show)(const char *line))
{
	if (!p || !p->ending)
		return;
	p->show = show;
	p->ending = false;
	p->shown = 0;
	if (pthread_create(&p->drawer, NULL, progress__run, p))
		p->ending = true;
}

void progress__delete(struct progress *p)
{
	if (!p)
		return;
	progress__end(p);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->changed);
	strbuf__exit(&p->what);
	strbuf__exit(&p->delay);
	strbuf__exit(&p->line);
	free(p);
}

/* ---- showing ---- */

static void set_masked(struct strbuf *to, const char *fmt, va_list ap)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__vaddf(&text, fmt, ap);
	strbuf__reset(to);
	strbuf__add_masked(to, text.buf);
	strbuf__exit(&text);
}

void progress__begin(struct progress *p, u64 total, const char *fmt, ...)
{
	va_list ap;

	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	va_start(ap, fmt);
	set_masked(&p->what, fmt, ap);
	va_end(ap);
	p->total = total;
	p->start_ms = clock__ms();
	__atomic_store_n(&p->at, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&p->nr_records, 0, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&p->lock);
}

void progress__enter(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	if (!p || !pthread_equal(p->owner, pthread_self()))
		return;
	pthread_mutex_lock(&p->lock);
	va_start(ap, fmt);
	set_masked(&p->delay, fmt, ap);
	va_end(ap);
	pthread_mutex_unlock(&p->lock);
}

void progress__leave(struct progress *p)
{
	if (!p || !pthread_equal(p->owner, pthread_self()))
		return;
	pthread_mutex_lock(&p->lock);
	strbuf__reset(&p->delay);
	pthread_mutex_unlock(&p->lock);
}

void progress__step(struct progress *p, u64 at, u64 nr_records)
{
	u64 before;

	if (!p)
		return;
	__atomic_fetch_add(&p->nr_records, nr_records, __ATOMIC_RELAXED);
	before = __atomic_load_n(&p->at, __ATOMIC_RELAXED);
	while (before < at &&
	       !__atomic_compare_exchange_n(&p->at, &before, at, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void progress__print(struct progress *p, const char *text, size_t size)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	progress__erase(p);
	(void)!file__write_all(p->fd, text, size);
	pthread_mutex_unlock(&p->lock);
}
