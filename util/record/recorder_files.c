#include "record/recorder_files.h"

#include "base/system/clock.h"
#include "base/message/msg.h"
#include "format/records/build.h"
#include "live/perf_clock.h"
#include "record/describe/text_copies.h"
#include "unwind/unwind_stats.h"

#include <stdio.h>
#include <string.h>

/* ---- one file ---- */

int recorder_files__wrote(const struct recorder_files *f, int ret, struct err *err)
{
	return ret ? err__set_output(err, ret, f->opts->output) : 0;
}

int recorder_files__synthesize_tail(struct recorder_files *f, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = inventory__add_tasks(&f->inventory, &out, err);

	if (!ret)
		ret = recorder_files__wrote(f, f->drain->ops->add(f->drain, out.buf, out.len), err);
	strbuf__exit(&out);
	return ret;
}

int recorder_files__add_new_maps(struct recorder_files *f, bool always, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	inventory__add_new_modules(&f->inventory, always, &out);
	text_copies__add_records(f->output.opts.viewers.copies, &out);
	if (out.len)
		ret = f->drain->ops->add(f->drain, out.buf, out.len);
	strbuf__exit(&out);
	return recorder_files__wrote(f, ret, err);
}

int recorder_files__end_drain(struct recorder_files *f)
{
	struct drain *d = f->drain;
	int ret = drain__finish(d);

	f->result->wakeups += d->wakeups;
	f->output.bytes += d->packed;
	f->output.unpacked += d->unpacked;
	d->wakeups = d->packed = d->unpacked = 0;
	return ret;
}

/* Tell what larger copies need if they would complete more than one in so many chains. */
enum { CUT_WORTH = 20 };

/* Write how call chains were made and how complete they are to the file, for the report. */
static void recorder_files__write_chain_stats(struct recorder_files *f)
{
	const char *mode = callchain_opts__mode(&f->opts->attrs.chains);
	struct unwind_stats *stats = &f->result->chains;
	struct strbuf text = STRBUF_INIT;

	unwind_stats__exit(stats);
	*stats = (struct unwind_stats){ 0 };
	f->result->levels = levels__used(f->inventory.counters);
	snprintf(stats->mode, sizeof(stats->mode), "%s", mode ? mode : "");
	if (f->intake.stack_samples) {
		unwind_stats__merge(stats, stack_samples__stats(f->intake.stack_samples));
		if (f->result->levels.copy)
			stats->stack_copy = f->result->levels.copy;
		if ((stats->ends[UNWIND_CUT] - stats->joined) * CUT_WORTH < stats->nr)
			f->result->levels.wanted = 0;
		unwind_stats__summary(stats, &text);
		debug(1, "unwind", "%s", text.buf);
		strbuf__reset(&text);
	}
	unwind_stats__write(stats, &text);
	if (text.len)
		writer__extension(f->output.writer, EXTENSION_CALL_CHAINS, text.buf, text.len);
	strbuf__exit(&text);
}

bool recorder_files__read_clocks(const struct recorder_files *f, struct clock_pair *pair)
{
	const struct attr_opts *o = &f->opts->attrs;
	struct timespec t;

	*pair = (struct clock_pair){ 0 };
	if (!o->use_clockid) {
		pair->recording = perf_clock__now_with(&pair->monotonic);
	} else if (o->clockid != CLOCK_MONOTONIC && !clock_gettime(o->clockid, &t)) {
		pair->recording = timespec__ns(&t);
		pair->monotonic = clock__ns();
	}
	return pair->recording;
}

/* Until now, which is the start of the next file. */
static void recorder_files__write_clocks(struct recorder_files *f)
{
	struct strbuf text = STRBUF_INIT;

	if (f->clock.begin.recording && recorder_files__read_clocks(f, &f->clock.end)) {
		clock_pairs__write(&f->clock, &text);
		writer__extension(f->output.writer, EXTENSION_CLOCK, text.buf, text.len);
	}
	f->clock.begin = f->clock.end;
	strbuf__exit(&text);
}

void recorder_files__write_end(struct recorder_files *f)
{
	const struct strbuf *labels = &f->opts->host.labels;

	recorder_files__write_chain_stats(f);
	recorder_files__write_clocks(f);
	if (labels->len)
		writer__extension(f->output.writer, EXTENSION_LABELS, labels->buf, labels->len);
}

/* Note whose names are missing. A recorder of slices has no summary: warn with the first slice. */
static void recorder_files__note_unread(struct recorder_files *f, const struct unread_memory *now)
{
	struct strbuf text = STRBUF_INIT;
	char *next, *line;

	if (f->opts->slices && !f->result->unread.nr) {
		unread_memory__tell(now, &text);
		for (next = text.buf; (line = strsep(&next, "\n"));)
			if (*line)
				warning("%s", line + strspn(line, " "));
	}
	f->result->unread = *now;
	strbuf__exit(&text);
}

/* Write the names of Java's methods, which the samples of this file have. */
static void recorder_files__add_java(struct recorder_files *f, struct strbuf *records)
{
	struct intake *in = &f->intake;

	if (in->stack_samples) {
		stack_samples__announce(in->stack_samples, f->output.l, records);
		recorder_files__note_unread(f, stack_samples__unread(in->stack_samples));
	} else if (in->java_names) {
		java_names__announce(in->java_names, f->output.l, records);
		recorder_files__note_unread(f, java_names__unread(in->java_names));
	}
}

static int recorder_files__write_losses(struct recorder_files *f, struct err *err)
{
	struct losses *l = &f->result->losses;
	struct strbuf records = STRBUF_INIT, text = STRBUF_INIT;
	int ret;

	losses__exit(l); /* those of the previous file */
	loss_count__take(&f->loss_count, f->drain->counters, f->output.l, &f->intake.tally, l, &records);
	if (f->intake.off_cpu)
		off_cpu__take_borrowed(f->intake.off_cpu, l);
	recorder_files__add_java(f, &records);
	ret = intake__take_synthesized(&f->intake, records.buf, records.len);
	recorder_files__wrote(f, ret, err);
	losses__write(l, &text);
	if (!ret)
		writer__extension(f->output.writer, EXTENSION_LOSSES, text.buf, text.len);
	strbuf__exit(&records);
	strbuf__exit(&text);
	return ret;
}

void recorder_files__limit(struct recorder_files *f)
{
	u64 max = f->opts->max_size, size = f->opts->switch_output.size;

	if (max)
		max -= MIN(max - 1, f->output.bytes);
	if (size) /* do not count the start of the file */
		size += writer__file_size(f->intake.writer);
	f->intake.max_size = size && max ? MIN(size, max) : MAX(size, max);
}

bool recorder_files__go_on(const struct recorder_files *f)
{
	u64 max = f->opts->max_size, size = f->opts->switch_output.size;

	return size && (!max || f->output.bytes + size < max);
}

int recorder_files__end(struct recorder_files *f, struct err *err)
{
	int ret = recorder_files__write_losses(f, err);

	if (ret)
		return ret;
	recorder_files__write_end(f);
	ret = output__finish(&f->output, &f->intake, err);
	if (ret)
		return ret;
	return output__give_slice(&f->output, f->intake.tally.samples, losses__total(&f->result->losses),
				  err);
}

/* ---- the next file ---- */

int recorder_files__begin_next(struct recorder_files *f, const struct strbuf *tasks,
			       const struct strbuf *side_band, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = output__open(&f->output, &f->intake, err);

	if (ret)
		return ret;
	tally__reset(&f->intake.tally);
	levels__begin_file(f->drain->counters);
	if (f->intake.stack_samples)
		stack_samples__begin_file(f->intake.stack_samples);
	ret = inventory__add_basics(&f->inventory, false, &out, err);
	if (!ret) {
		strbuf__add(&out, tasks->buf, tasks->len);
		build__finished_init(&out);
		strbuf__add(&out, side_band->buf, side_band->len);
		ret = intake__take_synthesized(&f->intake, out.buf, out.len);
		if (!ret)
			ret = intake__mark_round(&f->intake);
		recorder_files__wrote(f, ret, err);
		recorder_files__limit(f);
	}
	strbuf__exit(&out);
	return ret;
}

void recorder_files__tell(struct recorder_files *f, u64 last)
{
	info("[ perf record: dump data: Woken up %llu times ]",
	     (unsigned long long)(f->result->wakeups - f->woken));
	if (f->output.files.last != last) /* otherwise another program moved the file away */
		info("[ perf record: Dump %s ]", left_files__last(&f->output.files));
	f->woken = f->result->wakeups;
}
