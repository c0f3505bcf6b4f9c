#include "top/top.h"

#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/system/thread.h"
#include "inject/inject.h"
#include "profile/embed/embed.h"
#include "record/flow/old_output.h"
#include "record/slices.h"
#include "ui/notes/reading.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { FIRST_MS = 300, DELAY_MAX = 3600 };

/* ---- the time of slices ---- */

/* Wake up after first_ms, and then every t->delay seconds. */
static void top__set_timer(struct top *t, unsigned first_ms)
{
	const struct itimerspec times = {
		.it_value = { .tv_sec = first_ms / 1000, .tv_nsec = first_ms % 1000 * NS_PER_MS },
		.it_interval = { .tv_sec = t->delay },
	};

	timerfd_settime(t->timer_fd, 0, &times, NULL);
}

/* If a slice is still on its way, the next one will be longer. */
static void top__ask_if_due(struct top *t)
{
	u64 nr;

	if (read(t->timer_fd, &nr, sizeof(nr)) != sizeof(nr) || t->is_asked)
		return;
	slices__ask(t->slices);
	t->is_asked = true;
}

/* ---- slices -> view ---- */

static int top__open(struct top *t, const char *path, struct err *err)
{
	const struct session_opts opts = {
		.symbols = t->args->report.symbols,
		.samples_follow = true,
		.reader = { .nr_threads = thread__count(t->args->report.threads),
			    .stop = reading__interrupts() },
	};
	int ret = t->screen.session ? session__next(t->screen.session, path, &opts, err)
				    : session__open(&t->screen.session, path, &opts, err);

	if (ret)
		return ret;
	return t->has_view ? report_setup__go_on(&t->setup, err)
			   : report_setup__init(&t->setup, &t->args->report, t->screen.session, false, err);
}

/* Count the samples of the slice, and add them to the view. */
static int top__count(struct top *t, const struct sample_filter *zoom, struct err *err)
{
	u64 *begin = &t->begins[t->nr_slices++ % FORGET_AFTER], oldest = *begin, last;
	struct view *v = &t->screen.view;
	int ret;

	if (!profile__sample_times(t->screen.session, begin, &last))
		*begin = oldest;
	profile__exit(&t->profile);
	t->profile = (struct profile){ 0 };
	ret = profile__collect(&t->profile, t->screen.session, &t->setup.profile, err);
	if (ret)
		return ret;
	if (t->has_view && !t->zeroes && !t->zeroes_next) {
		if (!t->args->keeps)
			view__decay(v, t->nr_slices > FORGET_AFTER ? oldest : 0);
		view__add(v, &t->profile, zoom);
		return 0;
	}
	if (t->has_view)
		view__exit(v);
	t->zeroes_next = false;
	t->has_view = true;
	view__build(v, &t->profile, &t->setup.view);
	if (zoom)
		view__recount(v, zoom);
	return 0;
}

/* ---- the newest slices ---- */

static u64 file_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (u64)st.st_size;
}

static void top__drop_oldest(struct top *t)
{
	close(t->kept.v[0]);
	memmove(t->kept.v, t->kept.v + 1, --t->kept.nr * sizeof(*t->kept.v));
}

/* Keep a slice as long as it counts, and there is room. */
static void top__keep(struct top *t, int fd)
{
	u64 bytes = 0;

	while (t->kept.nr && (t->kept.nr >= FORGET_AFTER || t->zeroes))
		top__drop_oldest(t);
	array__add(&t->kept, fd);
	for (size_t i = 0; i < t->kept.nr; i++)
		bytes += file_size(t->kept.v[i]);
	while (t->kept.nr > 1 && bytes > KEPT_BYTES) {
		bytes -= file_size(t->kept.v[0]);
		top__drop_oldest(t);
	}
}

static void slice_path(int fd, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d", fd);
}

static int top__write_slices(const struct top *t, char *const *paths, const char *path, struct err *err)
{
	const struct session_opts opts = { .symbols = t->args->report.symbols };
	const struct inject_opts inject = { .output = path, .more = paths + 1, .nr_more = t->kept.nr - 1 };
	struct session *s = NULL;
	struct injected done;
	int ret = session__open(&s, paths[0], &opts, err);

	if (!ret)
		ret = inject__run(s, &inject, &done, err);
	session__delete(s);
	return ret;
}

static int top__write(struct live *live, const char *path, struct err *err)
{
	struct top *t = (struct top *)live;
	const struct embed_job job = { .paths = (char *const[]){ (char *)path },
				       .nr = 1,
				       .bytes = KEPT_BYTES,
				       .opts = { .buildid_dir = t->args->report.symbols.buildid_dir,
						 .nr_threads = thread__count(0) } };
	char names[FORGET_AFTER][32], *paths[FORGET_AFTER];
	int ret = old_output__keep(path, err);

	for (size_t i = 0; i < t->kept.nr; i++) {
		slice_path(t->kept.v[i], names[i]);
		paths[i] = names[i];
	}
	if (!ret)
		ret = t->kept.nr ? top__write_slices(t, paths, path, err)
				 : err__set(err, -ENODATA, "there are no samples yet");
	if (!ret)
		embed__all(&job);
	return ret;
}

/* ---- what comes ---- */

static u64 cpu_time(void)
{
	struct timespec used = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return timespec__ns(&used);
}

static void top__note_costs(struct top *t, const struct slice *slice)
{
	const struct top_costs now = { .samples = t->total.samples + slice->samples,
				       .lost = t->total.lost + slice->lost,
				       .ns = clock__ns(),
				       .cpu_ns = slice->cpu_ns + cpu_time() };

	t->last = (struct top_costs){ .samples = slice->samples,
				      .lost = slice->lost,
				      .ns = now.ns - t->total.ns,
				      .cpu_ns = now.cpu_ns - t->total.cpu_ns };
	t->total = now;
}

/* fd becomes t's. Return 1 if the view has changed, else 0 or a negative errno with err. */
static int top__take_slice(struct top *t, int fd, const struct slice *slice, const struct sample_filter *zoom,
			   struct err *err)
{
	char path[32];
	int ret;

	t->is_asked = false;
	top__note_costs(t, slice);
	if (t->live.is_frozen) {
		close(fd);
		return 0;
	}
	top__keep(t, fd);
	slice_path(fd, path);
	ret = top__open(t, path, err);
	if (!ret)
		ret = top__count(t, zoom, err);
	return ret ? ret : 1;
}

static int top__take(struct live *live, const struct sample_filter *zoom, struct err *err)
{
	struct top *t = (struct top *)live;
	struct slice slice;
	int fd, ret, changed = 0;

	top__ask_if_due(t);
	while ((ret = slices__receive(t->slices, &fd, &slice, err)) > 0) {
		ret = top__take_slice(t, fd, &slice, zoom, err);
		if (ret < 0)
			return ret;
		changed |= ret;
	}
	return ret < 0 && (ret != -ENODATA || !changed) ? ret : changed;
}

int top__wait(struct top *t, struct err *err)
{
	struct pollfd p = { .fd = t->live.fd, .events = POLLIN };
	int ret = 0;

	while (!ret && !*reading__interrupts())
		ret = poll(&p, 1, -1) < 0 ? 0 : t->live.take(&t->live, NULL, err);
	return ret;
}

/* ---- what the user does ---- */

static void top__set_delay(struct top *t, unsigned delay, struct strbuf *sb)
{
	t->delay = MIN(MAX(delay, 1u), (unsigned)DELAY_MAX);
	top__set_timer(t, t->delay * 1000);
	strbuf__addf(sb, "A new screen every %u s", t->delay);
}

static void top__command(struct live *live, enum live_command c, struct strbuf *sb)
{
	struct top *t = (struct top *)live;

	switch (c) {
	case LIVE_FREEZE:
		live->is_frozen = !live->is_frozen;
		strbuf__addstr(sb, live->is_frozen ? "Frozen: samples are dropped until the next space"
						   : "Going on");
		break;
	case LIVE_ZERO:
		t->zeroes_next = true;
		strbuf__addstr(sb, "Counting anew from the next screen on");
		break;
	case LIVE_ZERO_ALWAYS:
		t->zeroes = !t->zeroes;
		strbuf__addstr(sb, t->zeroes ? "Each screen shows its own samples alone"
					     : "Older samples count, too, 1/8 less with each screen");
		break;
	case LIVE_EVENTS:
		t->is_disabled = !t->is_disabled;
		slices__enable(t->slices, !t->is_disabled);
		strbuf__addstr(sb, t->is_disabled ? "Events are off; f switches them on" : "Events are on");
		break;
	case LIVE_FASTER:
		top__set_delay(t, t->delay - 1, sb);
		break;
	case LIVE_SLOWER:
		top__set_delay(t, t->delay + 1, sb);
		break;
	}
}

static void top__describe(const struct live *live, struct strbuf *sb)
{
	const struct top *t = (const struct top *)live;
	const struct top_costs *c = &t->last;
	double seconds = (double)c->ns / NS_PER_SECOND;

	strbuf__addf(sb, "%.0f samples/s", seconds > 0 ? (double)c->samples / seconds : 0);
	if (t->total.lost)
		strbuf__addf(sb, ", %llu records lost", (unsigned long long)t->total.lost);
	if (t->nr_slices > 1)
		strbuf__addf(sb, ", perf takes %.1f%% of a CPU",
			     c->ns ? 100.0 * (double)c->cpu_ns / (double)c->ns : 0);
	if (live->is_frozen)
		strbuf__addstr(sb, ", frozen");
	if (t->is_disabled)
		strbuf__addstr(sb, ", events are off");
}

/* ---- begin and end ---- */

static int top__watch(struct top *t, struct err *err)
{
	struct epoll_event e = { .events = EPOLLIN };

	t->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	t->live.fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->timer_fd < 0 || t->live.fd < 0 || epoll_ctl(t->live.fd, EPOLL_CTL_ADD, t->timer_fd, &e) ||
	    epoll_ctl(t->live.fd, EPOLL_CTL_ADD, slices__fd(t->slices), &e))
		return err__set(err, -errno, "cannot wait for samples: %s", strerror(errno));
	top__set_timer(t, MIN((unsigned)FIRST_MS, t->delay * 1000));
	return 0;
}

int top__init(struct top *t, const struct top_args *args, char *const *argv, bool is_silent, struct err *err)
{
	int ret;

	*t = (struct top){
		.live = { .fd = -1,
			  .take = top__take,
			  .command = top__command,
			  .describe = top__describe,
			  .write = top__write },
		.args = args,
		.timer_fd = -1,
		.delay = args->delay,
		.zeroes = args->zero,
	};
	t->screen = (struct report_screen){
		.args = &args->report, .setup = &t->setup, .profile = &t->profile, .live = &t->live
	};
	t->total.ns = clock__ns();
	ret = slices__start(&t->slices, (struct evlist *)&args->record.events.list, argv, &args->record.opts,
			    is_silent, err);
	return ret ? ret : top__watch(t, err);
}

void top__exit(struct top *t)
{
	slices__delete(t->slices);
	if (t->has_view)
		view__exit(&t->screen.view);
	profile__exit(&t->profile);
	report_setup__exit(&t->setup);
	session__delete(t->screen.session);
	while (t->kept.nr)
		top__drop_oldest(t);
	array__exit(&t->kept);
	file__close(t->live.fd);
	file__close(t->timer_fd);
}
