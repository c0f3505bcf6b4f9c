/*
 * Which samples a command is about: the options --comms, --dsos, --symbols, --lock, --event, --pid, --tid,
 * -C, --time and --parallelism. Each is text that a user wrote; parsed, it answers what it keeps.
 */
#ifndef PROFILE_SAMPLE_FILTER_H
#define PROFILE_SAMPLE_FILTER_H

#include "model/session.h"
#include "profile/rows/time_spans.h"
#include "profile/keys/name_list.h"
#include "profile/spans/span_choice.h"

struct filter_args { /* as written; NULL: not given */
	const char *comms, *dsos, *symbols, *events, *pids, *tids, *cpus, *times, *parallelism, *locks;
};

struct sample_filter { /* all zero: keeps everything */
	struct name_list comms, dsos, symbols, events, locks;
	number_list pids, tids;       /* empty: all */
	int_array cpus, parallelism;  /* sorted; empty: all */
	struct time_spans time_spans; /* if has_times */
	bool has_times;
	struct span_choice spans; /* if has_spans */
	bool has_spans;
};

/*
 * Parse the options of a command that reads s. Return 0, or a negative errno with err: a text is not what its
 * option takes, or the samples of s do not have what it is about. f is to be exited in any case.
 */
int sample_filter__parse(struct sample_filter *f, const struct filter_args *a, struct session *s,
			 struct err *err);
void sample_filter__exit(struct sample_filter *f);
/* Return a list of functions without what marks inlined ones where they are shown; the caller frees it. */
char *sample_filter__unmarked(const char *names);
/* Keep only what is in these times, too. */
void sample_filter__add_times(struct sample_filter *f, const struct time_spans *spans);
/* Keep only what is in some spans of s, too. Return as span_choice__read. */
int sample_filter__choose_spans(struct sample_filter *f, struct session *s,
				const struct span_choice_args *args, struct err *err);

/*
 * Leave out the spans of threads that are not kept, and those that end at other times. Return 0, or -EINVAL
 * with err: f has filters that spans do not have. m: of the recording.
 */
int sample_filter__keep_spans(const struct sample_filter *f, struct span_set *s, const struct machine *m,
			      struct err *err);

/* Print which spans are kept, if not all time is. weighed: as in span_choice__describe. */
void sample_filter__tell_spans(const struct sample_filter *f, bool weighed);

/* Return the CPUs (times, spans) whose samples are kept, as struct profile_opts has them; NULL: all. */
const int_array *sample_filter__cpus(const struct sample_filter *f);
const struct time_spans *sample_filter__times(const struct sample_filter *f);
const struct span_choice *sample_filter__spans(const struct sample_filter *f);
bool sample_filter__wants_thread(const struct sample_filter *f, const char *comm, u32 pid, u32 tid);
/* Does the filter keep samples in this dso? NULL: the sample is in no binary. */
bool sample_filter__wants_dso(const struct sample_filter *f, const struct dsos *dsos, const struct dso *dso);
/* Does the filter keep samples in a symbol of this name? NULL: the sample is in no symbol. */
/* A name is wanted in its short form, too (base/text/fold_name.h). */
bool sample_filter__wants_symbol(const struct sample_filter *f, const char *name);
/* A lock is wanted by its whole text, such as "mutex pool.lock", or without its kind. "": it is no lock. */
bool sample_filter__wants_lock(const struct sample_filter *f, const char *text);
bool sample_filter__wants_event(const struct sample_filter *f, const char *name);
/*
 * Return the only name that is kept of a sort key ("comm", "dso" or "symbol"), or NULL if that is not one
 * name. A column of this key would say the same in each row.
 */
const char *sample_filter__only(const struct sample_filter *f, const char *key);

#endif
