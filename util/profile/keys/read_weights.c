#include "profile/keys/read_weights.h"

#include "base/message/called_name.h"
#include "profile/gather/read_locks.h"
#include "profile/waits/time_table.h"

#include <errno.h>
#include <stdlib.h>

struct judge {
	const struct locks *locks;
	const struct sample_filter *filter;
};

/* Judge waits by their locks: struct wait_rule. Only locks that are wanted count. */
static void judge_wait(void *ctx, const struct sample *sample, const struct wait_detail *d,
		       struct wait_judgement *j)
{
	static const u32 kinds_with_holders = 1u << LOCK_MUTEX | 1u << LOCK_RWLOCK | 1u << LOCK_ONCE |
					      1u << LOCK_KERNEL_MUTEX | 1u << LOCK_KERNEL_RWLOCK;
	const struct judge *judge = ctx;
	const struct lock_wait *w = locks__find(judge->locks, sample);

	(void)d;
	if (!w)
		return;
	j->kind = w->kind;
	if (!w->lock || !(kinds_with_holders >> w->lock_kind & 1) ||
	    !sample_filter__wants_lock(judge->filter, locks__text(judge->locks, w->lock)))
		return;
	j->lock = w->lock_nr;
	j->is_held = w->role == ROLE_HOLDER && w->holder_tid;
	j->is_unheld = !j->is_held;
}

int weights_args__check(const struct weights_args *a, struct err *err)
{
	if (a->thread && !a->critical_path)
		return err__set(err, -EINVAL, "--thread is of --critical-path");
	if (a->blocked_by && a->critical_path)
		return err__set(err, -EINVAL, "--blocked-by and --critical-path exclude each other");
	if ((a->blocked_by || a->critical_path) && (a->has_span || weights_args__limit_spans(a)))
		return err__set(err, -EINVAL, "%s and %s exclude each other", weights_args__option(a),
				a->slower   ? "--slower"
				: a->faster ? "--faster"
					    : "--span");
	return 0;
}

const char *weights_args__option(const struct weights_args *a)
{
	return a->blocked_by ? "--blocked-by" : "--critical-path";
}

int weights_args__choose_spans(const struct weights_args *a, struct session *s, struct sample_filter *f,
			       struct err *err)
{
	const struct span_choice_args args = { a->span, a->slower, a->faster };
	int ret = weights_args__check(a, err);

	if (ret || (!a->has_span && !weights_args__limit_spans(a)))
		return ret;
	return sample_filter__choose_spans(f, s, &args, err);
}

static int check_recording(const struct session *s, const struct weights_args *a, struct err *err)
{
	if (session__has_wait_times(s) && evlist__has_wait_details(&s->reader->evlist))
		return 0;
	err__set(err, -EINVAL, "%s: '%s' does not say who ended the waits of threads",
		 weights_args__option(a), s->reader->path);
	err__advise(err, "record as root with: %s record --off-cpu=locks -g ...", called_name());
	return -EINVAL;
}

static enum weights_of weights_of(const struct weights_args *a, const struct session *s,
				  const struct sample_filter *filter)
{
	if (a->blocked_by)
		return WEIGHTS_BLOCKED_BY;
	if (a->critical_path)
		return WEIGHTS_CRITICAL_PATH;
	return filter->has_spans && session__has_wait_times(s) ? WEIGHTS_SPANS : WEIGHTS_NONE;
}

int weights__read(struct sample_weights *w, struct locks *locks, struct session *s,
		  const struct weights_args *a, const struct sample_filter *filter, struct err *err)
{
	struct judge judge = { locks, filter };
	const struct wait_rule rule = { judge_wait, &judge };
	struct weights_opts opts = { .of = weights_of(a, s, filter),
				     .thread = a->thread,
				     .spans = sample_filter__spans(filter),
				     .waits = &rule };
	bool *on_cpu;
	int ret = weights_args__check(a, err);

	if (ret || !opts.of)
		return ret;
	if (opts.of != WEIGHTS_SPANS) {
		ret = check_recording(s, a, err);
		if (!ret)
			ret = locks__read_any(locks, s, err);
		if (ret)
			return ret;
	}
	on_cpu = time_table__on_cpu(&s->reader->evlist);
	opts.on_cpu = on_cpu;
	ret = sample_weights__read(w, s, &opts, err);
	free(on_cpu);
	return ret;
}
