/* Rows of checks.c about who may do what. */
#include "live/checks_private.h"

#include "base/message/called_name.h"
#include "live/counter.h"

#include <errno.h>
#include <string.h>

/* Kernels without CAP_PERFMON use CAP_SYS_ADMIN instead. */
static const char *perfmon_name(const struct facts *f)
{
	return fact__is_known(f->sysctl.last_capability) && f->sysctl.last_capability < CAPABILITY_PERFMON
		       ? "CAP_SYS_ADMIN"
		       : "CAP_PERFMON";
}

/* ---- kernel ---- */

static bool kernel_is_without(const struct facts *f)
{
	return f->calls.wrong_flags == -ENOSYS && f->self.seccomp != 2;
}

void kernel__assess(const struct facts *f, struct finding *out)
{
	if (kernel_is_without(f)) {
		finding__say(out, VERDICT_BLOCKS,
			     "the kernel has no perf_event_open: it was built without CONFIG_PERF_EVENTS, or "
			     "a sandbox replaces it");
		finding__advise(out, "boot a kernel with CONFIG_PERF_EVENTS=y, or leave the sandbox");
	} else if (!fact__is_known(f->sysctl.paranoid)) {
		finding__say(
			out, VERDICT_LIMITS,
			"/proc/sys/kernel/perf_event_paranoid cannot be read: only a trial shows what the "
			"kernel allows");
		finding__advise(out, "mount /proc, or let this container read /proc/sys");
	} else {
		finding__say(out, VERDICT_OK, "this kernel has perf events");
	}
}

bool kernel__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_OPEN || q->error != -ENOSYS || !kernel_is_without(f))
		return false;
	kernel__assess(f, out);
	return true;
}

/* ---- seccomp ---- */

/* The kernel answers wrong flags with EINVAL; any other answer comes from a filter in front of it. */
static bool filter_refuses(const struct facts *f)
{
	return f->self.seccomp == 2 && f->calls.wrong_flags != -EINVAL &&
	       f->calls.wrong_flags != CALL_UNTRIED;
}

static void advise_on_filter(struct finding *out)
{
	finding__advise(out, "in a container: start it with --cap-add PERFMON or --security-opt "
			     "seccomp=unconfined; in a systemd unit: SystemCallFilter=perf_event_open");
}

void seccomp__assess(const struct facts *f, struct finding *out)
{
	if (f->calls.wrong_flags == CALL_KILLED) {
		finding__say(out, VERDICT_BLOCKS,
			     "a seccomp filter kills processes that call perf_event_open");
		advise_on_filter(out);
	} else if (filter_refuses(f)) {
		finding__say(out, VERDICT_BLOCKS,
			     "a seccomp filter (mode %u) answers perf_event_open with \"%s\"",
			     f->self.seccomp, err__str(f->calls.wrong_flags));
		advise_on_filter(out);
	} else {
		finding__say(out, VERDICT_OK, "%s",
			     f->self.seccomp == 2 ? "a seccomp filter is in force and allows perf_event_open"
						  : "no seccomp filter");
	}
}

bool seccomp__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_OPEN || !filter_refuses(f))
		return false;
	if (f->calls.wrong_flags == CALL_KILLED)
		finding__say(out, VERDICT_BLOCKS,
			     "cannot open '%s': a seccomp filter kills processes that call perf_event_open",
			     failure__name(q));
	else
		finding__say(out, VERDICT_BLOCKS,
			     "cannot open '%s': a seccomp filter answers perf_event_open with \"%s\"",
			     failure__name(q), err__str(q->error));
	advise_on_filter(out);
	return true;
}

/* ---- lockdown ---- */

void lockdown__assess(const struct facts *f, struct finding *out)
{
	static const char *const names[] = { "none", "integrity", "confidentiality" };

	if (f->kernel.lockdown != LOCKDOWN_CONFIDENTIALITY) {
		finding__say(out, VERDICT_OK, "kernel lockdown is %s", names[f->kernel.lockdown]);
		return;
	}
	finding__say(out, VERDICT_LIMITS,
		     "kernel lockdown is confidentiality: not even root gets the kernel's "
		     "%sregisters or kprobes",
		     f->kernel.tracefs ? "tracepoints, "
				       : ""); /* if locked down later, the kernel keeps those */
	finding__advise(out, "boot with lockdown=integrity, or without Secure Boot");
}

bool lockdown__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	bool registers = failure__is_denied(q) && (q->attr->sample_type & PERF_SAMPLE_REGS_INTR);
	bool kprobe = failure__is_denied(q) && q->attr->type == f->sysctl.kprobe_type;
	/* A kernel that is locked down while booting creates no files in tracefs. */
	bool tracing = q->attempt == ATTEMPT_TRACEPOINTS && (q->error == -EPERM || q->error == -ENOENT);

	if (f->kernel.lockdown != LOCKDOWN_CONFIDENTIALITY || (!registers && !kprobe && !tracing))
		return false;
	finding__say(out, VERDICT_BLOCKS, "cannot %s '%s': kernel lockdown is confidentiality",
		     registers ? "record registers with"
		     : kprobe  ? "place"
			       : "find tracepoint",
		     failure__name(q));
	finding__advise(out, "boot with lockdown=integrity, or without Secure Boot");
	return true;
}

/* ---- capabilities ---- */

static const struct {
	enum fact_capability bit;
	const char *name;
} capability_names[] = {
	{ CAPABILITY_SYS_ADMIN, "CAP_SYS_ADMIN" },   { CAPABILITY_PERFMON, "CAP_PERFMON" },
	{ CAPABILITY_SYS_PTRACE, "CAP_SYS_PTRACE" }, { CAPABILITY_SYSLOG, "CAP_SYSLOG" },
	{ CAPABILITY_IPC_LOCK, "CAP_IPC_LOCK" },
};

static void add_capabilities(const struct facts *f, struct strbuf *sb)
{
	for (size_t i = 0; i < ARRAY_SIZE(capability_names); i++)
		if (facts__has(f, capability_names[i].bit))
			strbuf__addf(sb, "%s%s", sb->len ? ", " : "", capability_names[i].name);
}

void capabilities__assess(const struct facts *f, struct finding *out)
{
	struct strbuf names = STRBUF_INIT;
	bool all = facts__is_privileged(f) && facts__has(f, CAPABILITY_SYS_PTRACE) &&
		   facts__has(f, CAPABILITY_SYSLOG);

	add_capabilities(f, &names);
	if (f->self.user_namespace && f->self.capabilities) {
		finding__say(out, VERDICT_LIMITS,
			     "the capabilities here are those of a container's user namespace, which do not "
			     "count for recording");
		finding__advise(out, "run perf outside of the container, or in one without a user namespace");
	} else if (names.len) {
		finding__say(out, all ? VERDICT_OK : VERDICT_LIMITS, "perf has %s", names.buf);
	} else {
		finding__say(out, VERDICT_LIMITS,
			     "perf has no capabilities (user id %u): the limits of ordinary users apply",
			     f->self.uid);
	}
	if (!all && !f->self.user_namespace)
		finding__advise(out,
				"run perf as root, or as root: setcap "
				"cap_perfmon,cap_sys_ptrace,cap_syslog,cap_ipc_lock=ep %s",
				*f->self.program ? f->self.program : "PERF");
	strbuf__exit(&names);
}

bool capabilities__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	const char *what = NULL, *needed = "CAP_SYS_ADMIN";

	if (!failure__is_denied(q) || facts__has(f, CAPABILITY_SYS_ADMIN))
		return false;
	if (q->attr->namespaces && !facts__is_privileged(f)) {
		what = "--namespaces";
		needed = perfmon_name(f);
	} else if (q->attr->type == PERF_TYPE_BREAKPOINT && (s64)q->attr->bp_addr < 0) {
		what = "a breakpoint in the kernel";
	} else if (q->attr->type == f->sysctl.uprobe_type || q->attr->type == f->sysctl.kprobe_type) {
		what = "a probe";
	}
	if (!what)
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "cannot open '%s' (%s): %s needs %s, whatever kernel.perf_event_paranoid is",
		     failure__name(q), err__str(q->error), what, needed);
	finding__advise(out, "run perf as root%s", q->attr->namespaces ? " or with this capability" : "");
	return true;
}

/* ---- paranoid ---- */

/* At a level above 2, some distributions' kernels allow users nothing; others treat it as 2. */
static bool level_forbids_all(const struct facts *f)
{
	return f->sysctl.paranoid > 2 && f->calls.user_space == -EACCES && !filter_refuses(f);
}

static void assess_high_level(const struct facts *f, struct finding *out)
{
	if (!level_forbids_all(f)) {
		finding__say(out, VERDICT_LIMITS,
			     "kernel.perf_event_paranoid is %lld, which means 2 to this kernel: users may "
			     "record their own programs, user space only",
			     (long long)f->sysctl.paranoid);
		finding__advise(out,
				"as root: sysctl -w kernel.perf_event_paranoid=1 for the kernel's part too");
		return;
	}
	finding__say(out, VERDICT_BLOCKS,
		     "kernel.perf_event_paranoid is %lld: on this kernel (Debian's, Ubuntu's, ...) users may "
		     "record nothing",
		     (long long)f->sysctl.paranoid);
	finding__advise(out, "as root: sysctl -w kernel.perf_event_paranoid=2 for users' own programs, 1 "
			     "for the kernel's part too");
}

void paranoid__assess(const struct facts *f, struct finding *out)
{
	static const struct {
		const char *allows, *advice;
	} levels[] = {
		{ "everything but the data of tracepoints and probes", "-1 for all tracepoints" },
		{ "their own programs and the kernel's part in them",
		  "0 for whole CPUs (-a), -1 for all tracepoints" },
		{ "their own programs, user space only",
		  "1 for the kernel's part too, 0 for whole CPUs (-a), -1 for all tracepoints" },
	};

	if (!fact__is_known(f->sysctl.paranoid)) {
		finding__say(out, VERDICT_LIMITS, "kernel.perf_event_paranoid is not known");
	} else if (level_forbids_all(f)) {
		assess_high_level(f, out);
	} else if (facts__is_privileged(f)) {
		finding__say(out, VERDICT_OK, "kernel.perf_event_paranoid is %lld, and does not apply to %s",
			     (long long)f->sysctl.paranoid,
			     facts__has(f, CAPABILITY_SYS_ADMIN) ? "root" : "CAP_PERFMON");
	} else if (f->sysctl.paranoid < 0) {
		finding__say(out, VERDICT_OK,
			     "kernel.perf_event_paranoid is %lld: users may record everything",
			     (long long)f->sysctl.paranoid);
	} else if (f->sysctl.paranoid > 2) {
		assess_high_level(f, out);
	} else {
		finding__say(out, VERDICT_LIMITS, "kernel.perf_event_paranoid is %lld: users may record %s",
			     (long long)f->sysctl.paranoid, levels[f->sysctl.paranoid].allows);
		finding__advise(out, "as root: sysctl -w kernel.perf_event_paranoid=%s",
				levels[f->sysctl.paranoid].advice);
	}
}

/* Is the target another user's process, which this user may not access? No paranoid level allows that. */
static bool is_of_another_user(const struct facts *f, const struct failure *q)
{
	return q->attempt == ATTEMPT_OPEN && q->pid > 0 && q->owner >= 0 && q->owner != f->self.uid &&
	       !facts__has(f, CAPABILITY_SYS_PTRACE);
}

/* The highest perf_event_paranoid that allows this to users without privileges. */
static int paranoid_needed(const struct failure *q)
{
	bool everybody = q->pid == -1;

	if (q->attr->type == PERF_TYPE_TRACEPOINT && (q->attr->sample_type & PERF_SAMPLE_RAW) &&
	    (everybody || strncmp(failure__name(q), "syscalls:", 9)))
		return -1;
	if (everybody)
		return 0;
	return q->attr->exclude_kernel && !(q->attr->sample_type & PERF_SAMPLE_PHYS_ADDR) ? 2 : 1;
}

static bool can_leave_kernel_out(const struct facts *f, const struct failure *q)
{
	return f->sysctl.paranoid == 2 && q->pid != -1 && !q->attr->exclude_kernel &&
	       !q->attr->exclude_user && q->attr->type != PERF_TYPE_TRACEPOINT &&
	       q->attr->type != PERF_TYPE_BREAKPOINT && !counter__is_all_kernel(q->attr, failure__name(q));
}

bool paranoid__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	int needed;

	if (!failure__is_denied(q) || !fact__is_known(f->sysctl.paranoid) || is_of_another_user(f, q))
		return false;
	needed = paranoid_needed(q);
	if (!level_forbids_all(f) && (facts__is_privileged(f) || f->sysctl.paranoid <= needed))
		return false;
	finding__say(out, VERDICT_BLOCKS, "cannot open '%s'%s (%s): kernel.perf_event_paranoid is %lld",
		     failure__name(q), failure__whose(q), err__str(q->error), (long long)f->sysctl.paranoid);
	if (level_forbids_all(f) && facts__is_privileged(f))
		finding__advise(out, "at this level CAP_PERFMON does not count: as root: sysctl -w "
				     "kernel.perf_event_paranoid=2, or run perf as root");
	else if (f->self.user_namespace)
		finding__advise(out,
				"root of a container's user namespace has no privileges outside of it: run "
				"perf outside of "
				"it, or as root of the machine: sysctl -w kernel.perf_event_paranoid=%d",
				needed);
	else
		finding__advise(
			out,
			"as root: sysctl -w kernel.perf_event_paranoid=%d, or run perf as root or with %s",
			needed, perfmon_name(f));
	if (can_leave_kernel_out(f, q))
		finding__advise(out, "or record user space only: -e %.*s:u",
				(int)strcspn(failure__name(q), ":"), failure__name(q));
	if (q->pid == -1 && !level_forbids_all(f) && f->sysctl.paranoid <= 2 &&
	    q->attr->type != PERF_TYPE_TRACEPOINT && q->attr->type != PERF_TYPE_BREAKPOINT)
		finding__advise(out, "or record a program of yours: %s record COMMAND", called_name());
	return true;
}

/* ---- processes ---- */

void processes__assess(const struct facts *f, struct finding *out)
{
	bool may_read = facts__has(f, CAPABILITY_SYS_PTRACE);

	if (facts__is_privileged(f) && !may_read)
		finding__say(out, VERDICT_LIMITS,
			     "other users' processes can be recorded, but without CAP_SYS_PTRACE their maps "
			     "cannot be read: no names of functions");
	else if (!may_read)
		finding__say(out, VERDICT_LIMITS, "-p, -t and -u can record processes of user id %u only",
			     f->self.uid);
	else
		finding__say(out, VERDICT_OK, "-p, -t and -u can record all users' processes");
	if (!may_read)
		finding__advise(out, "run perf as root, or with %s and CAP_SYS_PTRACE", perfmon_name(f));
}

bool processes__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	bool foreign = q->owner != f->self.uid, forbidden = level_forbids_all(f);

	if (q->attempt == ATTEMPT_OPEN && q->error == -ESRCH) {
		finding__say(out, VERDICT_BLOCKS,
			     "cannot open '%s': no such process or thread; it may have ended",
			     failure__name(q));
		return true;
	}
	if (!failure__is_denied(q) || q->pid <= 0 || (f->calls.user_space && !forbidden) ||
	    facts__has(f, CAPABILITY_SYS_PTRACE))
		return false;
	if (foreign && q->owner >= 0)
		finding__say(out, VERDICT_BLOCKS,
			     "cannot open '%s' for process %d: it belongs to user id %lld, and "
			     "perf runs as %u",
			     failure__name(q), (int)q->pid, (long long)q->owner, f->self.uid);
	else
		finding__say(out, VERDICT_BLOCKS,
			     "cannot open '%s' for process %d: it has privileges, "
			     "its program is unreadable, or it asked for this (PR_SET_DUMPABLE)",
			     failure__name(q), (int)q->pid);
	if (forbidden)
		finding__advise(out,
				"run perf as root: kernel.perf_event_paranoid is %lld, at which users may "
				"record nothing",
				(long long)f->sysctl.paranoid);
	else
		finding__advise(out, "run perf as root%s, or with %s and CAP_SYS_PTRACE",
				foreign ? " or as that user" : "", perfmon_name(f));
	return true;
}

/* ---- proc ---- */

static bool cannot_see(const struct facts *f)
{
	return f->self.proc_hides && !facts__has(f, CAPABILITY_SYS_PTRACE);
}

static void advise_on_proc(const struct facts *f, struct finding *out)
{
	if (cannot_see(f))
		finding__advise(out, "as root: mount -o remount,hidepid=0 /proc, or run perf as root");
	if (f->self.pid_namespace)
		finding__advise(out, "run perf outside of the container, or start it with --pid=host");
}

void proc__assess(const struct facts *f, struct finding *out)
{
	if (f->self.pid_namespace)
		finding__say(out, VERDICT_LIMITS,
			     "this is a pid namespace of its own (a container): processes outside of it have "
			     "no names");
	else if (cannot_see(f))
		finding__say(out, VERDICT_LIMITS,
			     "/proc is mounted with hidepid: other users' processes are hidden");
	else
		finding__say(out, VERDICT_OK, "/proc shows all processes");
	advise_on_proc(f, out);
}

bool proc__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_FIND)
		return false;
	finding__say(out, VERDICT_BLOCKS, "no such process: %s%s", failure__name(q),
		     f->self.pid_namespace ? " (in this container)"
		     : cannot_see(f)       ? " (that /proc would show: it is mounted with hidepid)"
					   : "");
	advise_on_proc(f, out);
	return true;
}

/* ---- security modules ---- */

static bool modules_refuse(const struct facts *f)
{
	return (f->calls.user_space == -EACCES || f->calls.user_space == -EPERM) && !filter_refuses(f) &&
	       !level_forbids_all(f);
}

void security_modules__assess(const struct facts *f, struct finding *out)
{
	const char *names = *f->kernel.security_modules ? f->kernel.security_modules : "not listed";

	if (!modules_refuse(f)) {
		finding__say(out, VERDICT_OK, "security modules (%s) allow perf_event_open", names);
		return;
	}
	finding__say(out, VERDICT_BLOCKS,
		     "perf_event_open is refused (%s), although all settings allow it; the cause may be a "
		     "security module (%s)",
		     err__str(f->calls.user_space), names);
	finding__advise(out, "see the audit log (ausearch -m avc, dmesg)");
}

/* Some drivers answer EPERM to exclude bits. */
static bool leaves_out(const struct perf_event_attr *a)
{
	return a->type != PERF_TYPE_SOFTWARE &&
	       (a->exclude_user || a->exclude_kernel || a->exclude_hv || a->exclude_idle);
}

bool security_modules__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (!failure__is_denied(q))
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "cannot open '%s'%s (%s), although kernel.perf_event_paranoid (%s) and seccomp "
		     "allow it",
		     failure__name(q), failure__whose(q), err__str(q->error),
		     fact__text(f->sysctl.paranoid).text);
	finding__advise(
		out, "a security module may refuse it (%s): look into the audit log (ausearch -m avc, dmesg)",
		*f->kernel.security_modules ? f->kernel.security_modules : "not listed");
	if (q->error == -EPERM && leaves_out(q->attr))
		finding__advise(out, "or these counters support no modifiers: try '%s' without them",
				failure__name(q));
	return true;
}

/* ---- tracefs ---- */

#define TRACEFS "/sys/kernel/tracing"

/* tracefs files have the group of the mount and mode 440; folders need a mode, too: advise both. */
static void advise_on_tracefs(const struct facts *f, int error, struct finding *out)
{
	if (error == -ENOENT) {
		finding__advise(out, "as root: mount -t tracefs tracefs " TRACEFS);
		return;
	}
	finding__advise(out, "run perf as root, or as root: mount -o remount,mode=750,gid=GROUP " TRACEFS);
	if (!facts__is_privileged(f) && f->sysctl.paranoid > -1)
		finding__advise(
			out, "also: sysctl -w kernel.perf_event_paranoid=-1, or give perf %s (it is %s now)",
			perfmon_name(f), fact__text(f->sysctl.paranoid).text);
}

void tracefs__assess(const struct facts *f, struct finding *out)
{
	if (!f->kernel.tracefs) {
		finding__say(out, VERDICT_OK, TRACEFS " can be read: tracepoints have names");
		return;
	}
	if (f->kernel.lockdown == LOCKDOWN_CONFIDENTIALITY) {
		finding__say(out, VERDICT_LIMITS,
			     "kernel lockdown is confidentiality: " TRACEFS " shows no tracepoints");
		return;
	}
	if (f->kernel.tracefs == -ENOENT)
		finding__say(out, VERDICT_LIMITS, TRACEFS " is not mounted: tracepoints cannot be found");
	else
		finding__say(out, VERDICT_LIMITS, TRACEFS " cannot be read by this user (%s): no tracepoints",
			     err__str(f->kernel.tracefs));
	advise_on_tracefs(f, f->kernel.tracefs, out);
}

bool tracefs__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_TRACEPOINTS)
		return false;
	if (q->error == -ENOENT)
		finding__say(out, VERDICT_BLOCKS, "cannot find tracepoint '%s': " TRACEFS " is not mounted",
			     failure__name(q));
	else
		finding__say(out, VERDICT_BLOCKS,
			     "cannot find tracepoint '%s': " TRACEFS " cannot be read by this user (%s)",
			     failure__name(q), err__str(q->error));
	advise_on_tracefs(f, q->error, out);
	return true;
}

/* ---- symbols ---- */

/*
 * The kernel shows addresses to CAP_SYSLOG unless kptr_restrict is 2, and to all users if it is 0 and
 * paranoid is at most 1.
 */
static void advise_on_symbols(const struct facts *f, struct finding *out)
{
	bool strict = f->sysctl.kptr_restrict > 1, all = f->sysctl.kptr_restrict > 0,
	     paranoid = f->sysctl.paranoid > 1;

	if (facts__has(f, CAPABILITY_SYSLOG)) {
		finding__advise(out, "as root: sysctl -w kernel.kptr_restrict=1");
		return;
	}
	finding__advise(out, "as root: sysctl -w%s%s, or %srun perf %s", all ? " kernel.kptr_restrict=0" : "",
			paranoid ? " kernel.perf_event_paranoid=1" : "",
			strict ? "kernel.kptr_restrict=1 and " : "", "as root or with CAP_SYSLOG");
}

/* Append the setting that hides kernel addresses. */
static void add_what_hides(const struct facts *f, struct strbuf *sb)
{
	bool syslog = facts__has(f, CAPABILITY_SYSLOG);

	if (f->sysctl.kptr_restrict > 1)
		strbuf__addf(sb, "kernel.kptr_restrict is %lld and hides kernel addresses from everybody",
			     (long long)f->sysctl.kptr_restrict);
	else if (!syslog && f->sysctl.kptr_restrict == 1)
		strbuf__addstr(
			sb,
			"kernel.kptr_restrict is 1 and hides kernel addresses from users without CAP_SYSLOG");
	else if (!syslog && f->sysctl.paranoid > 1)
		strbuf__addf(sb,
			     "kernel.perf_event_paranoid is %lld and hides kernel addresses from users "
			     "without CAP_SYSLOG",
			     (long long)f->sysctl.paranoid);
	else
		strbuf__addstr(sb, "kernel addresses are hidden");
}

static void tell_hidden(const struct facts *f, enum restriction v, struct finding *out)
{
	struct strbuf why = STRBUF_INIT;

	add_what_hides(f, &why);
	finding__say(out, v, "%s: kernel functions will not be named", why.buf);
	if (f->sysctl.kptr_restrict > 0 || !facts__has(f, CAPABILITY_SYSLOG))
		advise_on_symbols(f, out);
	strbuf__exit(&why);
}

/* Do not advise settings that show the address: a breakpoint in the kernel needs CAP_SYS_ADMIN anyway. */
static void tell_hidden_address(const struct facts *f, const struct failure *q, struct finding *out)
{
	struct strbuf why = STRBUF_INIT;

	add_what_hides(f, &why);
	finding__say(out, VERDICT_BLOCKS, "cannot find the address of '%s': %s", failure__name(q), why.buf);
	if (facts__has(f, CAPABILITY_SYS_ADMIN))
		advise_on_symbols(f, out);
	else
		finding__advise(out, "%srun perf as root: a breakpoint in the kernel needs CAP_SYS_ADMIN",
				f->sysctl.kptr_restrict > 1
					? "as root: sysctl -w kernel.kptr_restrict=1; then "
					: "");
	strbuf__exit(&why);
}

void symbols__assess(const struct facts *f, struct finding *out)
{
	if (!f->kernel.kallsyms)
		finding__say(out, VERDICT_OK, "kernel addresses can be read (kernel.kptr_restrict is %s)",
			     fact__text(f->sysctl.kptr_restrict).text);
	else if (f->kernel.kallsyms == -EPERM)
		tell_hidden(f, VERDICT_LIMITS, out);
	else
		finding__say(out, VERDICT_LIMITS,
			     "/proc/kallsyms cannot be read (%s): kernel functions will not be named",
			     err__str(f->kernel.kallsyms));
}

bool symbols__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt == ATTEMPT_SYMBOLS)
		tell_hidden(f, VERDICT_LIMITS, out);
	else if (q->attempt == ATTEMPT_ADDRESS)
		tell_hidden_address(f, q, out);
	else
		return false;
	return true;
}
