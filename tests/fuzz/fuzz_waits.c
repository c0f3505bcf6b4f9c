/*
 * Any file that is called a recording of --off-cpu=locks: names of locks and who ended waits, --blocked-by
 * and --critical-path. Counting the samples loses no ns, and the path is as long as the time that it covers,
 * whatever the file says. Seeds: small recordings of this perf. The last byte says what is done.
 */
#include "fuzz.h"
#include "profile/gather/profile.h"
#include "profile/gather/read_locks.h"
#include "profile/hists/hists.h"
#include "profile/keys/read_weights.h"

static void touch_text(const char *text)
{
	fuzz__touch(text, strlen(text));
}

static void look_at_locks(struct session *s)
{
	struct locks locks = { .v = { 0 } };

	if (!locks__read(&locks, s, NULL))
		for (size_t i = 0; i < locks.v.nr; i++) {
			touch_text(lock_text__name(locks__text(&locks, locks.v.v[i].lock)));
			touch_text(locks__text(&locks, locks.v.v[i].holder));
		}
	locks__exit(&locks);
}

/* Count the samples with their weights: no ns is lost, and none is there twice. */
static void look_at_weights(struct session *s, const struct weights_args *args, unsigned nr_threads)
{
	static const struct sample_filter no_filter;
	struct locks locks = { .v = { 0 } };
	struct sample_weights weights = { 0 };

	if (!weights__read(&weights, &locks, s, args, &no_filter, NULL)) {
		const struct profile_opts opts = { .nr_threads = nr_threads,
						   .max_stack = 127,
						   .weights = &weights };
		const struct weight_facts *f = &weights.facts;
		struct profile p;
		u64 sum = 0;

		if (!profile__collect(&p, s, &opts, NULL)) {
			for (size_t i = 0; i < p.rows.rows.nr; i++)
				sum += row_table__get(&p.rows, i)->period;
			if (sum > f->ns || (sum < f->ns && !p.nr_misread && !p.nr_unknown_event))
				abort();
		}
		profile__exit(&p);
		if (args->critical_path && f->ns != f->end - f->begin)
			abort();
	}
	sample_weights__exit(&weights);
	locks__exit(&locks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned what = size ? data[size - 1] : 0, nr_threads = what & 1 ? 2 : 1;
	const struct session_opts opts = { .reader = { .nr_threads = nr_threads },
					   .symbols = { .symfs = "/nowhere",
							.kallsyms = "/nowhere/kallsyms" } };
	char path[64];
	int fd = fuzz__file(data, size, path);
	struct session *s;

	if (!session__open(&s, path, &opts, NULL)) {
		look_at_locks(s);
		look_at_weights(s, &(struct weights_args){ .blocked_by = true }, nr_threads);
		look_at_weights(s, &(struct weights_args){ .critical_path = true }, nr_threads);
		session__delete(s);
	}
	close(fd);
	return 0;
}
