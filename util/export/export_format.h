/*
 * The interface of the formats of perf export. export__run (export.h) reads the recording once, names
 * everything once (profile/trees/stacks.h), and calls the functions of one format in this order:
 *
 * 	begin, binary..., frame..., (thread..., sample...), end
 *
 * A format is one file of this folder and one row of export_formats. Two exports of a file pass it the same
 * data, byte for byte: ids count up from 0 in the order of the calls, and everything that an id names was
 * passed before.
 */
#ifndef EXPORT_EXPORT_FORMAT_H
#define EXPORT_EXPORT_FORMAT_H

#include "export/export_out.h"
#include "export/payloads.h"
#include "export/redact.h"
#include "profile/gather/profile.h"
#include "profile/trees/stacks.h"
#include "format/records/task_times.h"
#include "profile/keys/read_weights.h"
#include "profile/keys/sample_filter.h"

struct export_args {
	const char *input;
	const char *output; /* NULL: standard output, where that is no terminal */
	const char *format; /* NULL: by the suffix of output */
	const struct export_format
		*own_format; /* the caller's, in place of one of export_formats; NULL: none */
	struct filter_args filter;
	struct weights_args weights;                /* samples stand for these, not for their periods */
	const char *labels;                         /* "comm,pid,..."; NULL: those of the format */
	u32 more_labels;                            /* bits 1 << LABEL_, where the recording has them */
	bool aggregate;                             /* of sqlite: sums, not each sample */
	bool kernel_marks, jit_marks, inline_marks; /* of folded */
	bool pids_in_names, tids_in_names;
	bool as_sampled; /* of profiles for compilers: samples, not how often code ran */
	bool no_inlines;
	unsigned nr_sources; /* functions with their code, of formats that have a place for it */
	unsigned startup_ms; /* of symbol-order: functions that began to run in this time come first */
	unsigned max_stack;
	unsigned threads; /* 0: one for each online CPU */
	struct symbolize_opts symbols_of;
	const char *gcc;    /* of autofdo: the version that reads it; NULL: the binary's */
	const char *redact; /* regular expression: names that match are left out; NULL: none */
	/* of all that is exported, where the format has a place for it (otlp): */
	const char *service;     /* NULL: each process has its own name */
	char *const *attributes; /* "KEY=VALUE" */
	size_t nr_attributes;
};

enum sample_kind { SAMPLE_RUNNING, SAMPLE_WAITING };

struct export_event {
	const struct evsel *evsel;
	const char *name;
	u32 track;    /* samples of different tracks of a thread are apart; 0: events that count time */
	bool is_time; /* weights are nanoseconds */
	enum sample_kind kind;
	u64 nr, weight; /* sums of what is exported */
	u64 period;     /* the weight of each sample; 0: they differ, as waits do */
};

/* Return the name of the quantity that an event measures; engines know "cpu" and "off_cpu". */
static inline const char *export_event__type(const struct export_event *e)
{
	if (e->kind == SAMPLE_WAITING)
		return "off_cpu";
	return e->is_time ? "cpu" : e->name;
}

struct export_thread {
	u32 pid, tid;
	const char *name;    /* its last one; ":TID" if unknown */
	const char *process; /* name of the process's first thread */
	u64 first, last;     /* times of its first and last sample, ns; only in timed formats */
	u64 nr, weight;      /* sums of what is exported, of all events */
	u32 identity; /* equal for the samples of one thread; a tid that is used again is another one */
};

struct export_binary {
	const struct dso *dso;
	const char *path, *name; /* as recorded; without folders */
	u64 end;                 /* above all addresses that frames have in it */
};

struct export_frame {
	const char *function;   /* as shown; never empty */
	const char *symbol;     /* linker name of the function that contains the code; NULL: unknown */
	const char *own_symbol; /* linker name of the function itself, also if it is inlined; NULL: unknown */
	const char *file;       /* NULL: unknown */
	u32 line;               /* 0: unknown */
	u32 start_line;         /* line where the function begins; 0: unknown, or the format has no starts */
	u32 binary;             /* id; UINT32_MAX: not in a binary */
	u64 addr;               /* in the binary, of a call, not of what follows it; without one, in memory */
	u64 function_addr;      /* start of the function in the binary; 0: unknown */
	u64 function_size;      /* bytes */
	bool is_inlined;        /* into the frame that calls it, at the same address */
	bool is_unknown;        /* function is a made-up name, or made of the address */
	bool is_kernel, is_jit; /* kind of code */
	bool is_wait, is_idle;  /* a wait begins here; for work. Only with names_waits */
};

struct export_stack { /* a node of the tree of stacks: its innermost frame, called by the parent */
	u32 parent;   /* STACK_NONE: the frame is outermost */
	u32 frame;    /* id */
};

struct export_origin {      /* NULL: unknown, or no label that is wanted */
	const char *cgroup; /* path */
	const char *service, *container;
	const char *version; /* build-id of the program, in hex */
	const char *lock, *holder;
};

struct export_sample {
	u32 stack, thread, event; /* stack: STACK_NONE if the sample has none */
	const char *comm;         /* name of the thread at that time */
	u32 origin;               /* index in origins */
	u64 weight;
	u64 nr;           /* samples that are equal but for the time; 1 in timed formats without by_stack */
	u64 time;         /* ns, by the recording's clock; time of the first one */
	const u64 *times; /* of all nr, with by_stack, but while it is measured */
	u32 cpu;          /* STREAM_NO_CPU: unknown */
	u32 row;          /* export__row */
};

enum { NOT_EXPORTED = UINT32_MAX };

/*
 * Export data of the samples of a row, kept small, so that exporting samples in time order need not read the
 * rows.
 */
struct row_use {
	u32 stack, thread; /* thread NOT_EXPORTED: filtered */
	u32 event : 32 - STREAM_CPU_BITS;
	u32 cpu : STREAM_CPU_BITS; /* STREAM_NO_CPU: unknown, or rows are not split by it */
	u32 words;                 /* index in use_words */
};

struct use_words { /* of struct export_sample */
	const char *comm;
	u32 origin;
};

struct export_words {                  /* rows are split by these words of samples, as labels need it */
	sample_words v;                /* the cgroup; the lock and its holder */
	u32 lock;                      /* where the latter are */
	struct sample_context context; /* has locks, if labels need them */
};

struct export
{
	const struct export_args *args;
	const struct export_format *format;
	struct redaction redaction; /* of args->redact */
	bool is_timed, by_cpu;      /* as the format, or as the labels need */
	bool is_measuring;          /* of a format with measured: the first of two passes over the samples */
	u32 labels;                 /* wanted ones: bits 1 << LABEL_ */
	struct export_words words;
	struct session *session;
	const struct profile *profile;
	const struct row_table *rows; /* of the profile; without has_rows they may be free by then */
	ARRAY(bool) exported_rows;    /* by row: the filters keep it */
	ARRAY(struct row_use) uses;   /* by row */
	ARRAY(struct use_words) use_words;
	struct export_out *out;
	struct stacks stacks;
	struct payloads payloads;             /* of formats with EXPORT_PAYLOADS */
	ARRAY(struct export_event) events;    /* by evsel idx */
	ARRAY(struct export_origin) origins;  /* the first one is unknown */
	u32 nr_events;                        /* those with samples */
	u32 nr_tracks;                        /* of a thread, also those without samples */
	ARRAY(struct export_thread) threads;  /* by thread id */
	ARRAY(struct export_binary) binaries; /* by id */
	ARRAY(struct export_stack) tree;      /* by stack, parents first; complete after the last frame */
	u64 first, last;                      /* times of the samples, ns */
	u64 epoch;                     /* time of the first sample, ns since 1970, as far as it is known */
	u64 nr_lost;                   /* samples */
	struct task_times tasks;       /* of formats with has_tasks */
	struct sample_weights weights; /* with args->weights; else .of is WEIGHTS_NONE */
	const struct sample_filter *filter; /* not owned */
	u64 nr_left_out;                    /* samples that the format has no place for, counted by it */
	void *data;                         /* the format's own */
};

/* Return the row of a sample: its chain, with addresses in memory; its payload. Valid until the next call. */
static inline const struct row *export__row(const struct export *x, const struct export_sample *s)
{
	return row_table__get(x->rows, s->row);
}

static inline const struct export_origin *export__origin(const struct export *x,
							 const struct export_sample *s)
{
	return &x->origins.v[s->origin];
}

enum export_part {                           /* parts of recordings that some formats cannot hold */
		   EXPORT_LOST = 1 << 0,     /* points at which samples were lost, or their number */
		   EXPORT_BRANCHES = 1 << 1, /* branch stacks */
		   EXPORT_PAYLOADS = 1 << 2, /* fields of tracepoints */
};

struct export_format {
	const char *name, *suffix, *help;
	bool is_timed;  /* gets each sample, in the order of time */
	bool by_thread; /* thread by thread: a thread, its samples track by track, the next one */
	/*
	 * by process, then by event; samples that differ in nothing but time and weight follow each other,
	 * and are one where the event's period is known
	 */
	bool by_stack;
	bool only_symbols; /* neither lines nor inlined functions: each address is one frame */
	bool by_event;     /* each event has a track of its own */
	bool by_cpu;       /* rows of different CPUs are not added up */
	bool starts;       /* frames have start_line */
	/* stacks of waits end where these begin, with the kind; idle ones are marked; origins have locks */
	bool names_waits;
	bool has_tasks;    /* x->tasks is filled */
	bool has_rows;     /* x->rows is there to the end, as it always is for fields of tracepoints */
	u32 parts;         /* parts that it has (enum export_part); others are reported as left out */
	bool is_text;      /* may be written to a terminal */
	bool is_packed;    /* always with gzip */
	bool adds_to_file; /* writes args->output itself, not x->out, and adds to an existing file */
	u32 labels;        /* if the user names none: bits 1 << LABEL_ */
	/*
	 * All but begin, sample and end may be NULL. Texts are valid during the call, but for names of
	 * threads.
	 */
	int (*begin)(struct export *x, struct err *err);
	void (*binary)(struct export *x, u32 id, const struct export_binary *b);
	void (*frame)(struct export *x, u32 id, const struct export_frame *f);
	void (*thread)(struct export *x, u32 id, const struct export_thread *t);
	void (*sample)(struct export *x, const struct export_sample *s);
	/*
	 * for formats that write sizes before contents: all samples are passed twice, with this call in
	 * between
	 */
	void (*measured)(struct export *x);
	/* for formats with adds_to_file: keep what was written. Return 0, or a negative errno with err */
	int (*commit)(struct export *x, struct err *err);
	void (*end)(struct export *x); /* called if begin succeeded */
};

#endif
