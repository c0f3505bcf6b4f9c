/*
 * What may stand in the way of a recording, as one table of checks (checks.c). `perf doctor` shows all of
 * them; a failure to record is explained by the one that is to blame. Either way a line names the blocker and
 * its present value and says what it prevents, and the advice behind it says what to type.
 *
 * To add a check: what it depends on becomes a field of struct facts (live/facts.h), filled from a file or by
 * a call; a row in checks.c names the functions that assess it and that recognise the failures it causes; a
 * case in tests/unit/test_checks.c describes a machine where it does.
 */
#ifndef LIVE_CHECKS_H
#define LIVE_CHECKS_H

#include "base/message/err.h"
#include "event/evsel/evsel.h"
#include "live/facts.h"

#include <sys/types.h>

/* What a recording uses unless told otherwise; the checks tell whether it can be had. */
enum {
	USUAL_SAMPLE_RATE = 4000,    /* Hz */
	USUAL_RING_BYTES = 512 << 10 /* for each CPU */
};

enum verdict {
	VERDICT_OK,     /* not in the way */
	VERDICT_LIMITS, /* something cannot be recorded, or not by this user; a program of one's own can */
	VERDICT_BLOCKS, /* not even a program of one's own can be recorded */
};

struct finding {
	enum verdict verdict;
	struct strbuf text;   /* one line */
	struct strbuf advice; /* lines of what to type, without a newline at the end; may be empty */
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
	ATTEMPT_SYMBOLS,     /* reading the addresses of kernel functions; advice is given as for a warning */
	ATTEMPT_ADDRESS,     /* finding where in the kernel a breakpoint is to be */
};

/* What failed. Fields that the attempt has no use for are 0. */
struct failure {
	enum attempt attempt;
	int error;                          /* negative errno */
	const char *name;                   /* of the event; NULL: unnamed */
	const struct perf_event_attr *attr; /* OPEN: as it was tried */
	pid_t pid; /* OPEN: whose counter, 0 own, -1 everybody's; FIND: who is missing */
	s64 owner; /* its user, -1 unknown */
	u32 pages; /* MAP: of the ring, without the first one */
};

/* The rows, in the order in which they are shown. */
size_t checks__nr(void);
const char *check__name(size_t i);
/* Assesses row i. False: it has nothing to say but in explanations; *out is as before. */
bool check__assess(size_t i, const struct facts *f, struct finding *out);

/* The first row that explains the failure fills *out (text and advice); its name. Some row always does. */
const char *checks__explain(const struct facts *f, const struct failure *failure, struct finding *out);

/* The same with the facts of this machine, into err with the error as code; returns the error. */
int checks__explain_to(const struct failure *failure, struct err *err);
/* Why e cannot be opened for a process (0: this one, -1: all). error: negative errno, which is returned. */
int checks__explain_open(const struct evsel *e, int error, pid_t pid, struct err *err);

/* Why the tracepoints among these events could not be looked up, if error (of parse_events) is about
 * permission, or about a tracefs that lockdown keeps empty: then err is replaced. Returns error. */
int checks__explain_lookup(const char *events, int error, struct err *err);

/*
 * Less than asked for, which a recording goes on with and tells in one line: that the kernel was left out,
 * that kernel addresses are hidden, and that rings have pages instead of wanted pages. Appended to out.
 */
void checks__tell_user_only(struct strbuf *out);
void checks__tell_hidden_symbols(struct strbuf *out);
void checks__tell_small_rings(u32 rings, u32 pages, u32 wanted, struct strbuf *out);

#endif
