#include "record/recorder_private.h"

#include "base/system/clock.h"
#include "base/message/msg.h"
#include "format/records/build.h"
#include "live/perf_clock.h"
#include "unwind/unwind_stats.h"

#include <stdio.h>

/* ---- one file ---- */

int recorder__synthesize_tail(struct recorder *r, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = inventory__add_tasks(&r->inventory, &out, err);

	if (!ret)
		ret = recorder__wrote(r, r->drain->ops->add(r->drain, out.buf, out.len), err);
	strbuf__exit(&out);
	return ret;
}

int recorder__add_new_modules(struct recorder *r, bool always, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	inventory__add_new_modules(&r->inventory, always, &out);
	if (out.len)
		ret = r->drain->ops->add(r->drain, out.buf, out.len);
	strbuf__exit(&out);
	return recorder__wrote(r, ret, err);
}

int recorder__end_drain(struct recorder *r)
{
	struct drain *d = r->drain;
	int ret = drain__finish(d);

	r->result->wakeups += d->wakeups;
	r->output.bytes += d->packed;
	r->output.unpacked += d->unpacked;
	d->wakeups = d->packed = d->unpacked = 0;
	return ret;
}

/* Tell what larger copies need if they would complete more than one in so many chains. */
enum { CUT_WORTH = 20 };

/* Write how call chains were made and how complete they are to the file, for the report. */
void recorder__write_chain_stats(struct recorder *r)
{
	const char *mode = callchain_opts__mode(&r->opts->attrs.chains);
	struct unwind_stats *stats = &r->result->chains;
	struct strbuf text = STRBUF_INIT;

	unwind_stats__exit(stats);
	*stats = (struct unwind_stats){ 0 };
	r->result->levels = levels__used(&r->counters);
	snprintf(stats->mode, sizeof(stats->mode), "%s", mode ? mode : "");
	if (r->intake.stack_samples) {
		unwind_stats__merge(stats, stack_samples__stats(r->intake.stack_samples));
		if (r->result->levels.copy)
			stats->stack_copy = r->result->levels.copy;
		if ((stats->ends[UNWIND_CUT] - stats->joined) * CUT_WORTH < stats->nr)
			r->result->levels.wanted = 0;
		unwind_stats__summary(stats, &text);
		debug(1, "unwind", "%s", text.buf);
		strbuf__reset(&text);
	}
	unwind_stats__write(stats, &text);
	if (text.len)
		writer__extension(r->output.writer, EXTENSION_CALL_CHAINS, text.buf, text.len);
	strbuf__exit(&text);
}

bool recorder__read_clocks(const struct recorder *r, struct clock_pair *pair)
{
	const struct attr_opts *o = &r->opts->attrs;
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

void recorder__write_clocks(struct recorder *r)
{
	struct strbuf text = STRBUF_INIT;

	if (r->clock.begin.recording && recorder__read_clocks(r, &r->clock.end)) {
		clock_pairs__write(&r->clock, &text);
		writer__extension(r->output.writer, EXTENSION_CLOCK, text.buf, text.len);
	}
	r->clock.begin = r->clock.end;
	strbuf__exit(&text);
}

int recorder__write_losses(struct recorder *r, struct err *err)
{
	struct losses *l = &r->result->losses;
	struct strbuf records = STRBUF_INIT, text = STRBUF_INIT;
	int ret;

	losses__exit(l); /* those of the previous file */
	loss_count__take(&r->loss_count, &r->counters, r->l, &r->intake.tally, l, &records);
	ret = intake__take_synthesized(&r->intake, records.buf, records.len);
	if (ret)
		err__set_output(err, ret, r->opts->output);
	losses__write(l, &text);
	if (!ret)
		writer__extension(r->output.writer, EXTENSION_LOSSES, text.buf, text.len);
	strbuf__exit(&records);
	strbuf__exit(&text);
	return ret;
}

void recorder__limit_file(struct recorder *r)
{
	u64 max = r->opts->max_size, size = r->opts->switch_output.size;

	if (max)
		max -= MIN(max - 1, r->output.bytes);
	if (size) /* do not count the start of the file */
		size += writer__file_size(r->intake.writer);
	r->intake.max_size = size && max ? MIN(size, max) : MAX(size, max);
}

void recorder__file_is_full(struct recorder *r)
{
	u64 max = r->opts->max_size;

	if (r->opts->switch_output.size && (!max || r->output.bytes + r->opts->switch_output.size < max)) {
		r->steering.wishes |= STEERING_DUMP;
		return;
	}
	r->result->at_max_size = true;
	r->done = true;
}

/* ---- the next file ---- */

/*
 * Begin the next file with a description of what runs, like the first file. tasks was taken before the last
 * round of the finished file, so that it is older than all samples of the new one. Records since then
 * (side_band) are in both files.
 */
static int recorder__begin_next_file(struct recorder *r, const struct strbuf *tasks,
				     const struct strbuf *side_band, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = output__open(&r->output, &r->intake, err);

	if (ret)
		return ret;
	tally__reset(&r->intake.tally);
	ret = inventory__add_basics(&r->inventory, false, &out, err);
	if (!ret) {
		strbuf__add(&out, tasks->buf, tasks->len);
		build__finished_init(&out);
		strbuf__add(&out, side_band->buf, side_band->len);
		ret = intake__take_synthesized(&r->intake, out.buf, out.len);
		if (!ret)
			ret = intake__mark_round(&r->intake);
		if (ret)
			err__set_output(err, ret, r->opts->output);
		recorder__limit_file(r);
	}
	strbuf__exit(&out);
	return ret;
}

int recorder__give_slice(struct recorder *r, bool is_last, struct err *err)
{
	return output__give_slice(&r->output, r->intake.tally.samples, losses__total(&r->result->losses),
				  is_last, err);
}

/* End the file with all that is in the rings, and append their side-band to side_band. */
static int recorder__end_file(struct recorder *r, struct strbuf *side_band, struct err *err)
{
	const u64 last = r->output.files.last;
	int ret, failed;

	intake__copy_side_band(&r->intake, side_band);
	ret = drain__start(r->drain, err);
	if (!ret && r->opts->tail_synthesize)
		ret = recorder__synthesize_tail(r, err);
	if (!ret)
		ret = recorder__drain(r, true, err);
	failed = recorder__end_drain(r);
	intake__copy_side_band(&r->intake, NULL);
	if (!ret)
		ret = recorder__wrote(r, failed, err);
	if (!ret)
		ret = recorder__write_losses(r, err);
	if (!ret) {
		recorder__write_chain_stats(r);
		recorder__write_clocks(r);
		ret = output__finish(&r->output, &r->intake, err);
	}
	if (!ret)
		ret = recorder__give_slice(r, false, err);
	if (ret || r->opts->slices)
		return ret;
	info("[ perf record: dump data: Woken up %llu times ]",
	     (unsigned long long)(r->result->wakeups - r->woken));
	if (r->output.files.last != last) /* otherwise another program moved the file away */
		info("[ perf record: Dump %s ]", left_files__last(&r->output.files));
	r->woken = r->result->wakeups;
	return 0;
}

int recorder__switch_file(struct recorder *r, struct err *err)
{
	struct strbuf tasks = STRBUF_INIT, side_band = STRBUF_INIT;
	int ret = recorder__drain(r, false, err);

	affinity__restore(&r->affinity);
	/* switching files and unwinding do not need a high priority */
	priority__lower(&r->priority);
	if (!ret)
		ret = recorder__wrote(r, recorder__end_drain(r), err);
	if (!ret && !r->opts->tail_synthesize)
		ret = inventory__add_tasks(&r->inventory, &tasks, err);
	if (!ret)
		ret = recorder__end_file(r, &side_band, err);
	if (!ret)
		ret = recorder__begin_next_file(r, &tasks, &side_band, err);
	if (!ret)
		ret = drain__start(r->drain, err);
	priority__come_first(&r->priority);
	strbuf__exit(&tasks);
	strbuf__exit(&side_band);
	return ret;
}
