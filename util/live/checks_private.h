/* The functions of the rows of checks.c: permissions in checks_access.c, resources in checks_resources.c. */
#ifndef LIVE_CHECKS_PRIVATE_H
#define LIVE_CHECKS_PRIVATE_H

#include "live/checks.h"

/* Set verdict and text. */
void finding__say(struct finding *f, enum restriction v, const char *fmt, ...) PRINTF(3, 4);
/* Append a line to the advice. */
void finding__advise(struct finding *f, const char *fmt, ...) PRINTF(2, 3);

/* The event's name for a sentence. */
const char *failure__name(const struct failure *q);
/* Was opening refused with EACCES or EPERM? */
bool failure__is_denied(const struct failure *q);
/* " for all processes" or "" */
const char *failure__whose(const struct failure *q);

typedef void (*assess_fn)(const struct facts *f, struct finding *out);
typedef bool (*explain_fn)(const struct facts *f, const struct failure *q, struct finding *out);

void kernel__assess(const struct facts *f, struct finding *out);
bool kernel__explain(const struct facts *f, const struct failure *q, struct finding *out);
void seccomp__assess(const struct facts *f, struct finding *out);
bool seccomp__explain(const struct facts *f, const struct failure *q, struct finding *out);
void capabilities__assess(const struct facts *f, struct finding *out);
bool capabilities__explain(const struct facts *f, const struct failure *q, struct finding *out);
void paranoid__assess(const struct facts *f, struct finding *out);
bool paranoid__explain(const struct facts *f, const struct failure *q, struct finding *out);
void processes__assess(const struct facts *f, struct finding *out);
bool processes__explain(const struct facts *f, const struct failure *q, struct finding *out);
void proc__assess(const struct facts *f, struct finding *out);
bool proc__explain(const struct facts *f, const struct failure *q, struct finding *out);
void lockdown__assess(const struct facts *f, struct finding *out);
bool lockdown__explain(const struct facts *f, const struct failure *q, struct finding *out);
void security_modules__assess(const struct facts *f, struct finding *out);
bool security_modules__explain(const struct facts *f, const struct failure *q, struct finding *out);
void tracefs__assess(const struct facts *f, struct finding *out);
bool tracefs__explain(const struct facts *f, const struct failure *q, struct finding *out);
void symbols__assess(const struct facts *f, struct finding *out);
bool symbols__explain(const struct facts *f, const struct failure *q, struct finding *out);

void hardware__assess(const struct facts *f, struct finding *out);
bool hardware__explain(const struct facts *f, const struct failure *q, struct finding *out);
void watchdog__assess(const struct facts *f, struct finding *out);
bool watchdog__explain(const struct facts *f, const struct failure *q, struct finding *out);
void breakpoints__assess(const struct facts *f, struct finding *out);
bool breakpoints__explain(const struct facts *f, const struct failure *q, struct finding *out);
void sample_rate__assess(const struct facts *f, struct finding *out);
bool sample_rate__explain(const struct facts *f, const struct failure *q, struct finding *out);
void max_stack__assess(const struct facts *f, struct finding *out);
bool max_stack__explain(const struct facts *f, const struct failure *q, struct finding *out);
void locked_memory__assess(const struct facts *f, struct finding *out);
bool locked_memory__explain(const struct facts *f, const struct failure *q, struct finding *out);
void open_files__assess(const struct facts *f, struct finding *out);
bool open_files__explain(const struct facts *f, const struct failure *q, struct finding *out);
bool event__explain(const struct facts *f, const struct failure *q, struct finding *out);

#endif
