#include "record/recorder_private.h"

#include "base/system/clock.h"
#include "base/message/msg.h"
#include "format/records/build.h"
#include "live/perf_clock.h"
#include "unwind/unwind_stats.h"

#include <stdio.h>

/* ---- one file ---- */

/* Frees sb. */
int recorder__write_synthesized(struct recorder *r, struct strbuf *sb, struct err *err)
{
	int ret = intake__take_synthesized(&r->intake, sb->buf, sb->len);

	if (r->intake.stack_samples)
		stack_samples__see(r->intake.stack_samples, sb->buf, sb->len);
	strbuf__exit(sb);
	return ret ? err__set(err, ret, "cannot write '%s': %s", r->opts->output, err__str(ret)) : 0;
}

int recorder__snapshot(struct recorder *r, struct err *err)
{
	int ret = flight__take(&r->flight, &r->counters, &r->intake);

	if (ret)
		return err__set(err, ret, "cannot take a snapshot: %s", err__str(ret));
	ret = recorder__drain(r, err);
	if (!ret && (ret = intake__mark_round(&r->intake)))
		err__set(err, ret, "cannot write '%s': %s", r->opts->output, err__str(ret));
	return ret;
}

int recorder__synthesize_tail(struct recorder *r, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = inventory__add_tasks(&r->inventory, &out, err);

	if (ret) {
		strbuf__exit(&out);
		return ret;
	}
	return recorder__write_synthesized(r, &out, err);
}

int recorder__add_new_modules(struct recorder *r, bool always, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	inventory__add_new_modules(&r->inventory, always, &out);
	if (out.len && r->relay)
		relay__add(r->relay, out.buf, out.len);
	else if (out.len)
		ret = intake__take_synthesized(&r->intake, out.buf, out.len);
	if (out.len && !ret && r->lanes) /* which mark no rounds in this file */
		ret = writer__sync(r->intake.writer);
	strbuf__exit(&out);
	return ret ? err__set(err, ret, "cannot write '%s': %s", r->opts->output, err__str(ret)) : 0;
}

int recorder__start_relay(struct recorder *r, struct err *err)
{
	const struct relay_opts opts = {
		.kernel_events = &r->kernel_events,
		.intake = &r->intake,
		.affinity = &r->affinity,
		.watches = r->watches,
		.room = r->opts->unwind_buffer,
	};

	return relay__new(&r->relay, &opts, err);
}

int recorder__end_relay(struct recorder *r, struct err *err)
{
	int ret = r->relay ? relay__finish(r->relay) : 0;

	relay__delete(r->relay);
	r->relay = NULL;
	return ret ? err__set(err, ret, "cannot write '%s': %s", r->opts->output, err__str(ret)) : 0;
}

int recorder__start_lanes(struct recorder *r, struct err *err)
{
	const struct lanes_opts opts = {
		.dir = r->opts->output,
		.groups = r->opts->threads,
		.target = &r->target,
		.counters = &r->counters,
		.l = r->l,
		.compression = r->opts->compression,
		.write_buffer = r->opts->write_buffer,
		.build_ids = r->output.build_ids != NULL,
		.own_pid = r->intake.own_pid,
	};
	/* little or nothing follows in this file: there are no rounds */
	int ret = writer__sync(r->output.writer);

	if (ret)
		return err__set(err, ret, "cannot write '%s/data': %s", r->opts->output, err__str(ret));
	return lanes__new(&r->lanes, &opts, err);
}

int recorder__end_lanes(struct recorder *r, struct err *err)
{
	struct intake *in = &r->intake;
	struct lanes_total total;
	int ret = lanes__finish(r->lanes, &total, &in->tally, r->output.build_ids, err);

	r->result->wakeups += total.wakeups;
	r->output.bytes += total.packed;
	r->output.unpacked += total.unpacked;
	lanes__delete(r->lanes);
	r->lanes = NULL;
	return ret;
}

/* How the chains came about and how complete they are goes into the file, for the report to say. */
void recorder__write_chain_stats(struct recorder *r)
{
	const char *mode = attr_opts__chain_mode(&r->opts->attrs);
	struct unwind_stats stats = { 0 };
	struct strbuf text = STRBUF_INIT;

	if (r->intake.stack_samples)
		stats = *stack_samples__stats(r->intake.stack_samples);
	snprintf(stats.mode, sizeof(stats.mode), "%s", mode ? mode : "");
	if (r->intake.stack_samples) {
		r->result->chains = stats.nr;
		r->result->smaller = stats.smaller;
		r->result->no_copy = stats.no_copy;
		unwind_stats__summary(&stats, &text);
		debug(1, "unwind", "%s", text.buf);
		strbuf__reset(&text);
	}
	unwind_stats__write(&stats, &text);
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

	losses__exit(l); /* of the file before */
	loss_count__take(&r->loss_count, &r->counters, r->l, &r->intake.tally,
			 r->intake.stack_samples ? stack_samples__stats(r->intake.stack_samples) : NULL, l,
			 &records);
	ret = intake__take_synthesized(&r->intake, records.buf, records.len);
	if (ret)
		err__set(err, ret, "cannot write '%s': %s", r->opts->output, err__str(ret));
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
	if (size) /* what it begins with does not count */
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
 * The next file says what runs at its beginning, as the first one does. What was there before the last
 * samples of this file were taken was described already when they are; what happened to it between goes to
 * both.
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
			err__set(err, ret, "cannot write '%s': %s", r->opts->output, err__str(ret));
		recorder__limit_file(r);
	}
	strbuf__exit(&out);
	return ret;
}

/* Ends the file: what is in the rings belongs to it. side_band: gets a copy of theirs. */
static int recorder__end_file(struct recorder *r, struct strbuf *side_band, struct err *err)
{
	const u64 last = r->output.files.last;
	int ret = recorder__add_new_modules(r, true, err);

	intake__copy_side_band(&r->intake, side_band);
	if (!ret && r->intake.stack_samples)
		ret = recorder__start_relay(r, err);
	if (!ret)
		ret = r->counters.flight_rings.nr ? recorder__snapshot(r, err) : recorder__drain(r, err);
	if (!ret)
		ret = recorder__end_relay(r, err);
	intake__copy_side_band(&r->intake, NULL);
	if (!ret)
		ret = recorder__write_losses(r, err);
	if (!ret) {
		recorder__write_chain_stats(r);
		recorder__write_clocks(r);
		ret = output__finish(&r->output, &r->intake, err);
	}
	if (ret)
		return ret;
	info("[ perf record: dump data: Woken up %llu times ]",
	     (unsigned long long)(r->result->wakeups - r->woken));
	if (r->output.files.last != last) /* else somebody moved the file away */
		info("[ perf record: Dump %s ]", left_files__last(&r->output.files));
	r->woken = r->result->wakeups;
	return 0;
}

int recorder__switch_file(struct recorder *r, struct err *err)
{
	struct strbuf tasks = STRBUF_INIT, side_band = STRBUF_INIT;
	int ret = recorder__drain(r, err);

	affinity__restore(&r->affinity);
	/* neither this nor the thread that unwinds need come before all others */
	priority__lower(&r->priority);
	if (!ret)
		ret = recorder__end_relay(r, err);
	if (!ret && r->opts->tail_synthesize)
		ret = recorder__synthesize_tail(r, err);
	else if (!ret)
		ret = inventory__add_tasks(&r->inventory, &tasks, err);
	if (!ret)
		ret = recorder__end_file(r, &side_band, err);
	if (!ret)
		ret = recorder__begin_next_file(r, &tasks, &side_band, err);
	if (!ret && r->intake.stack_samples)
		ret = recorder__start_relay(r, err);
	priority__come_first(&r->priority);
	strbuf__exit(&tasks);
	strbuf__exit(&side_band);
	return ret;
}
