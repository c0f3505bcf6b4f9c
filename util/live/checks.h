/*
 * Why something cannot be recorded: one table of checks (checks.c). `perf doctor` shows all of them; a
 * failed recording shows the one that caused the failure. A line names the setting and its value and says
 * what it prevents; the advice after it says what to type.
 *
 * To add a check: add a field to struct facts (live/facts.h), filled from a file or by a call; a row in
 * checks.c, with functions that assess it and that recognise the failures it causes; and a case in
 * tests/unit/test_checks.c that describes a machine where it applies.
 */
#ifndef LIVE_CHECKS_H
#define LIVE_CHECKS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "live/facts.h"

#include <sys/types.h>

/* Defaults of a recording; the checks say whether they are possible. */
enum {
	USUAL_SAMPLE_RATE = 4000,    /* Hz */
	USUAL_RING_BYTES = 512 << 10 /* for each CPU */
};

enum restriction {
	VERDICT_OK,     /* no restriction */
	VERDICT_LIMITS, /* something cannot be recorded, but the user's own programs can */
	VERDICT_BLOCKS, /* not even the user's own programs can be recorded */
};

struct finding {
	enum restriction verdict;
	struct strbuf text;   /* one line */
	struct strbuf advice; /* lines that say what to type, without a final newline; may be empty */
};

#define FINDING_INIT                                        \
	{                                                   \
		.text = STRBUF_INIT, .advice = STRBUF_INIT, \
	}
void finding__exit(struct finding *f);

enum attempt {
	ATTEMPT_OPEN,        /* perf_event_open */
	ATTEMPT_MAP,         /* mapping a ring buffer */
	ATTEMPT_FIND,        /* looking for a process in /proc */
	ATTEMPT_TRACEPOINTS, /* reading what tracefs says about a tracepoint */
	ATTEMPT_SYMBOLS,     /* reading the addresses of kernel functions; the advice is that of a warning */
	ATTEMPT_ADDRESS,     /* finding the kernel address of a breakpoint */
};

/* A failed attempt. Fields that the attempt does not use are 0. */
struct failure {
	enum attempt attempt;
	int error;                          /* negative errno */
	const char *name;                   /* of the event; NULL: unnamed */
	const struct perf_event_attr *attr; /* OPEN: as it was tried */
	pid_t pid;  /* OPEN: target, 0: this process, -1: all; FIND: the missing process */
	s64 owner;  /* user id of the target, -1: unknown */
	u32 pages;  /* MAP: size of the ring, without its first page */
	u64 needed; /* OPEN with EMFILE: descriptors for all events and the rest; 0: unknown */
};

/* Number of rows, in the order in which perf doctor shows them. */
size_t checks__nr(void);
const char *check__name(size_t i);
/* Assess row i. Return false, and leave *out as it is, if the row only explains failures. */
bool check__assess(size_t i, const struct facts *f, struct finding *out);

/*
 * Fill *out (text and advice) from the first row that explains the failure, and return the row's name. There
 * always is one.
 */
const char *checks__explain(const struct facts *f, const struct failure *failure, struct finding *out);

/*
 * As checks__explain with the facts of this machine; fill err with the error as its code, and return the
 * error.
 */
int checks__explain_to(const struct failure *failure, struct err *err);
/*
 * Explain why e cannot be opened for a process (0: this one, -1: all). error: negative errno, which is
 * returned.
 */
int checks__explain_open(const struct evsel *e, int error, pid_t pid, struct err *err);

/*
 * Explain why the tracepoints among these events were not found, if error (of parse_events) comes of
 * permissions or of lockdown: then replace err. Return error.
 */
int checks__explain_lookup(const char *events, int error, struct err *err);

/*
 * One line for each way in which a recording goes on with less than was asked for: without the kernel,
 * without kernel addresses, with smaller rings. Append it to out.
 */
void checks__tell_user_only(struct strbuf *out);
void checks__tell_hidden_symbols(struct strbuf *out);
void checks__tell_small_rings(u32 rings, u32 pages, u32 wanted, struct strbuf *out);

#endif
