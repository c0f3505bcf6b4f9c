#include "live/checks_private.h"

#include "base/text/mask.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The checks, in the order in which they explain a failure: first what stops a call before the kernel sees
 * it, last what is only guessed from the errno. assess NULL: the row only explains failures.
 */
static const struct check {
	const char *name;
	assess_fn assess;
	explain_fn explain;
} checks[] = {
	{ "kernel", kernel__assess, kernel__explain },
	{ "seccomp", seccomp__assess, seccomp__explain },
	{ "lockdown", lockdown__assess, lockdown__explain },
	{ "capabilities", capabilities__assess, capabilities__explain },
	{ "paranoid", paranoid__assess, paranoid__explain },
	{ "processes", processes__assess, processes__explain },
	{ "proc", proc__assess, proc__explain },
	{ "security-modules", security_modules__assess, security_modules__explain },
	{ "symbols", symbols__assess, symbols__explain },
	{ "tracefs", tracefs__assess, tracefs__explain },
	{ "hardware", hardware__assess, hardware__explain },
	{ "watchdog", watchdog__assess, watchdog__explain },
	{ "breakpoints", breakpoints__assess, breakpoints__explain },
	{ "sample-rate", sample_rate__assess, sample_rate__explain },
	{ "max-stack", max_stack__assess, max_stack__explain },
	{ "locked-memory", locked_memory__assess, locked_memory__explain },
	{ "open-files", open_files__assess, open_files__explain },
	{ "event", NULL, event__explain },
};

/* ---- findings ---- */

void finding__exit(struct finding *f)
{
	strbuf__exit(&f->text);
	strbuf__exit(&f->advice);
}

void finding__say(struct finding *f, enum restriction v, const char *fmt, ...)
{
	va_list ap;

	f->verdict = v;
	strbuf__reset(&f->text);
	strbuf__reset(&f->advice);
	va_start(ap, fmt);
	strbuf__vaddf(&f->text, fmt, ap);
	va_end(ap);
	mask_message(f->text.buf, f->text.len, fmt);
}

void finding__advise(struct finding *f, const char *fmt, ...)
{
	size_t start;
	va_list ap;

	if (f->advice.len)
		strbuf__addch(&f->advice, '\n');
	start = f->advice.len;
	va_start(ap, fmt);
	strbuf__vaddf(&f->advice, fmt, ap);
	va_end(ap);
	mask_message(f->advice.buf + start, f->advice.len - start, fmt);
}

const char *failure__name(const struct failure *q)
{
	return q->name ? q->name : "(unnamed)";
}

bool failure__is_denied(const struct failure *q)
{
	return q->attempt == ATTEMPT_OPEN && (q->error == -EACCES || q->error == -EPERM);
}

const char *failure__whose(const struct failure *q)
{
	return q->pid == -1 ? " for all processes" : "";
}

/* ---- the table ---- */

size_t checks__nr(void)
{
	return ARRAY_SIZE(checks);
}

const char *check__name(size_t i)
{
	return checks[i].name;
}

bool check__assess(size_t i, const struct facts *f, struct finding *out)
{
	if (!checks[i].assess)
		return false;
	checks[i].assess(f, out);
	return true;
}

const char *checks__explain(const struct facts *f, const struct failure *failure, struct finding *out)
{
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(checks) && !checks[i].explain(f, failure, out))
		i++;
	if (i + 1 == ARRAY_SIZE(checks))
		checks[i].explain(f, failure, out);
	return checks[i].name;
}

int checks__explain_to(const struct failure *failure, struct err *err)
{
	struct finding out = FINDING_INIT;
	struct facts f;

	facts__init(&f);
	checks__explain(&f, failure, &out);
	err__set(err, failure->error, "%s", out.text.buf);
	if (out.advice.len)
		err__advise(err, "%s", out.advice.buf);
	finding__exit(&out);
	return failure->error;
}

static s64 owner_of(pid_t pid)
{
	char *path = xasprintf("/proc/%d", (int)pid);
	struct stat st;
	s64 owner = stat(path, &st) ? -1 : (s64)st.st_uid;

	free(path);
	return owner;
}

int checks__explain_open(const struct evsel *e, int error, pid_t pid, struct err *err)
{
	const struct failure q = {
		.attempt = ATTEMPT_OPEN,
		.error = error < 0 ? error : -error,
		.name = e->name,
		.attr = &e->attr,
		.pid = pid,
		.owner = pid > 0 ? owner_of(pid) : -1,
	};

	return checks__explain_to(&q, err);
}

int checks__explain_lookup(const char *events, int error, struct err *err)
{
	const struct failure q = { .attempt = ATTEMPT_TRACEPOINTS, .error = error, .name = events };

	if (error == -ENOENT) {
		struct facts f;

		facts__init(&f);
		if (f.kernel.tracefs != -ENOENT || f.kernel.lockdown != LOCKDOWN_CONFIDENTIALITY)
			return error;
	}
	return error == -EACCES || error == -EPERM || error == -ENOENT ? checks__explain_to(&q, err) : error;
}

/* ---- less than asked for ---- */

void checks__tell_user_only(struct strbuf *out)
{
	struct facts f;

	facts__init(&f);
	if (!facts__is_privileged(&f) && f.sysctl.paranoid > 1)
		strbuf__addf(out,
			     "kernel.perf_event_paranoid is %lld: recording user space only; for the kernel "
			     "too, as root: sysctl -w kernel.perf_event_paranoid=1",
			     (long long)f.sysctl.paranoid);
	else
		strbuf__addf(out,
			     "the kernel cannot be recorded, although kernel.perf_event_paranoid allows it "
			     "(it is %s): recording user space only; a security module may forbid it (%s)",
			     fact__text(f.sysctl.paranoid).text,
			     *f.kernel.security_modules ? f.kernel.security_modules : "not listed");
}

void checks__tell_hidden_symbols(struct strbuf *out)
{
	const struct failure q = { .attempt = ATTEMPT_SYMBOLS, .error = -EPERM };
	struct finding why = FINDING_INIT;
	struct facts f;

	facts__init(&f);
	checks__explain(&f, &q, &why);
	strbuf__addf(out, "%s%s%s", why.text.buf, why.advice.len ? "; " : "", why.advice.buf);
	finding__exit(&why);
}

void checks__tell_small_rings(u32 rings, u32 pages, u32 wanted, struct strbuf *out)
{
	u64 kb = (u64)rings * (wanted + 1) * (u64)sysconf(_SC_PAGESIZE) / 1024;
	struct facts f;

	facts__init(&f);
	kb = (kb + f.kernel.nr_cpus - 1) / f.kernel.nr_cpus;
	strbuf__addf(out, "ring buffers are %u pages instead of %u: kernel.perf_event_mlock_kb is %s, ",
		     pages, wanted, fact__text(f.sysctl.mlock_kb).text);
	if (f.self.memlock.soft == UINT64_MAX) {
		strbuf__addstr(out, "and memory is short");
		return;
	}
	strbuf__addf(out, "RLIMIT_MEMLOCK %llu KiB", (unsigned long long)f.self.memlock.soft / 1024);
	if (f.sysctl.mlock_kb >= 0 && kb <= (u64)f.sysctl.mlock_kb) {
		strbuf__addstr(out, ", and other recorders of this user hold part of it");
		kb += (u64)f.sysctl.mlock_kb;
	}
	strbuf__addf(out, "; as root: sysctl -w kernel.perf_event_mlock_kb=%llu", (unsigned long long)kb);
}
