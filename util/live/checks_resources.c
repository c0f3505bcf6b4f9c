/* Rows of checks.c about resources: counters, memory, files, time. */
#include "live/checks_private.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	USUAL_MAX_RATE = 100000,
	USUAL_MAX_STACK = 127,
	OWN_FILES = 16,   /* for other files than counters */
	FEW_FILES = 1024, /* the usual soft limit */
};

/* ---- hardware ---- */

static bool is_hardware(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_HARDWARE || a->type == PERF_TYPE_HW_CACHE || a->type == PERF_TYPE_RAW;
}

static const char *why_no_hardware(const struct facts *f)
{
	return f->kernel.hypervisor ? "this virtual machine has no access to the processor's counters"
				    : "the kernel has no driver for this processor's counters";
}

static void advise_on_hardware(const struct facts *f, struct finding *out)
{
	finding__advise(out, "%suse -e cpu-clock, which works everywhere",
			f->kernel.hypervisor ? "enable them on the host (KVM: -cpu host,pmu=on), or " : "");
}

void hardware__assess(const struct facts *f, struct finding *out)
{
	if (f->kernel.has_core_pmu) {
		finding__say(out, VERDICT_OK, "the kernel has a driver for this processor's counters");
		return;
	}
	finding__say(out, VERDICT_LIMITS, "no hardware counters: %s; perf uses cpu-clock in place of cycles",
		     why_no_hardware(f));
	if (f->kernel.hypervisor)
		finding__advise(out, "enable them on the host (KVM: -cpu host,pmu=on)");
}

static void explain_branch_stack(const struct facts *f, const struct failure *q, struct finding *out)
{
	const char *why = !f->kernel.has_core_pmu ? why_no_hardware(f)
			  : is_hardware(q->attr) ? "this processor, or the kernel's driver, does not support "
						   "branch stacks (Intel LBR, AMD LbrExtV2 or ARM BRBE)"
						 : "only hardware events have them";

	finding__say(out, VERDICT_BLOCKS, "cannot record branch stacks with '%s' (%s): %s", failure__name(q),
		     err__str(q->error), why);
	if (q->attr->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
		finding__advise(out, "--call-graph auto records whole call chains without them");
}

bool hardware__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	static const int errors[] = { ENOENT, EOPNOTSUPP, ENODEV, ENXIO };
	bool missing = false;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		missing |= q->error == -errors[i];
	if (q->attempt != ATTEMPT_OPEN || !missing)
		return false;
	if (q->attr->sample_type & PERF_SAMPLE_BRANCH_STACK) { /* less precise events were tried already */
		explain_branch_stack(f, q, out);
		return true;
	}
	if (f->kernel.has_core_pmu || !is_hardware(q->attr))
		return false;
	finding__say(out, VERDICT_BLOCKS, "'%s' is not supported here (%s): %s", failure__name(q),
		     err__str(q->error), why_no_hardware(f));
	advise_on_hardware(f, out);
	return true;
}

/* ---- watchdog ---- */

void watchdog__assess(const struct facts *f, struct finding *out)
{
	if (!f->kernel.has_core_pmu || f->sysctl.nmi_watchdog != 1) {
		finding__say(out, VERDICT_OK, "the NMI watchdog holds no counter");
		return;
	}
	finding__say(out, VERDICT_LIMITS, "kernel.nmi_watchdog is 1: it holds one counter of every CPU");
	finding__advise(out, "as root: sysctl -w kernel.nmi_watchdog=0");
}

bool watchdog__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_OPEN || q->attr->type == PERF_TYPE_BREAKPOINT ||
	    (q->error != -EBUSY && q->error != -ENOSPC))
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "no hardware counter is free for '%s' (%s): other events or profilers use them",
		     failure__name(q), err__str(q->error));
	if (f->sysctl.nmi_watchdog == 1)
		finding__advise(out, "kernel.nmi_watchdog is 1 and holds one of every CPU: as root: sysctl "
				     "-w kernel.nmi_watchdog=0");
	finding__advise(out, "record fewer such events at once, and end other profilers");
	return true;
}

/* ---- breakpoints ---- */

void breakpoints__assess(const struct facts *f, struct finding *out)
{
	if (f->calls.free_breakpoints < 0) {
		finding__say(out, VERDICT_LIMITS, "breakpoints (mem:) do not work here");
	} else if (f->calls.free_breakpoints) {
		finding__say(out, VERDICT_OK, "%d breakpoint registers (mem:) are free",
			     f->calls.free_breakpoints);
	} else {
		finding__say(out, VERDICT_LIMITS, "all breakpoint registers are in use: no mem: events");
		finding__advise(out, "end the debuggers and recordings that hold them");
	}
}

bool breakpoints__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	(void)f;
	if (q->attempt != ATTEMPT_OPEN || q->attr->type != PERF_TYPE_BREAKPOINT || q->error != -ENOSPC)
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "no free breakpoint register for '%s': the processor has few (4 on x86), and each mem: "
		     "event takes one",
		     failure__name(q));
	finding__advise(out, "record fewer such events at once, and end debuggers that hold some");
	return true;
}

/* ---- sample-rate ---- */

static void advise_on_rate(const struct facts *f, u64 wanted, struct finding *out)
{
	finding__advise(out, "as root: sysctl -w kernel.perf_event_max_sample_rate=%llu",
			(unsigned long long)wanted);
	if (f->sysctl.cpu_time_max_percent > 0 && f->sysctl.cpu_time_max_percent < 100)
		finding__advise(out,
				"the kernel lowers it when sampling takes more than %lld%% of the time: "
				"sysctl -w kernel.perf_cpu_time_max_percent=0 stops that",
				(long long)f->sysctl.cpu_time_max_percent);
}

void sample_rate__assess(const struct facts *f, struct finding *out)
{
	if (!fact__is_known(f->sysctl.max_sample_rate) || f->sysctl.max_sample_rate >= USUAL_SAMPLE_RATE) {
		finding__say(out, VERDICT_OK, "kernel.perf_event_max_sample_rate is %s",
			     fact__text(f->sysctl.max_sample_rate).text);
		return;
	}
	finding__say(out, VERDICT_LIMITS,
		     "kernel.perf_event_max_sample_rate is %lld: less than the usual %d samples a second",
		     (long long)f->sysctl.max_sample_rate, USUAL_SAMPLE_RATE);
	advise_on_rate(f, USUAL_MAX_RATE, out);
}

bool sample_rate__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_OPEN || q->error != -EINVAL || !q->attr->freq ||
	    !fact__is_known(f->sysctl.max_sample_rate) ||
	    q->attr->sample_freq <= (u64)MAX(f->sysctl.max_sample_rate, 0))
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "cannot sample '%s' at %llu Hz: kernel.perf_event_max_sample_rate is %lld",
		     failure__name(q), (unsigned long long)q->attr->sample_freq,
		     (long long)f->sysctl.max_sample_rate);
	finding__advise(out, "-F max");
	advise_on_rate(f, q->attr->sample_freq, out);
	return true;
}

/* ---- max-stack ---- */

void max_stack__assess(const struct facts *f, struct finding *out)
{
	if (!fact__is_known(f->sysctl.max_stack) || f->sysctl.max_stack >= USUAL_MAX_STACK) {
		finding__say(out, VERDICT_OK, "kernel.perf_event_max_stack is %s",
			     fact__text(f->sysctl.max_stack).text);
		return;
	}
	finding__say(out, VERDICT_LIMITS, "kernel.perf_event_max_stack is %lld: call chains are cut there",
		     (long long)f->sysctl.max_stack);
	finding__advise(out, "as root: sysctl -w kernel.perf_event_max_stack=%d", USUAL_MAX_STACK);
}

bool max_stack__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_OPEN || q->error != -EOVERFLOW)
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "call chains of '%s' may have at most %s entries: kernel.perf_event_max_stack",
		     failure__name(q), fact__text(f->sysctl.max_stack).text);
	finding__advise(out, "as root: sysctl -w kernel.perf_event_max_stack=%u",
			(unsigned)q->attr->sample_max_stack);
	return true;
}

/* ---- locked-memory ---- */

static void tell_memory(const struct facts *f, struct strbuf *sb)
{
	strbuf__addf(sb, "kernel.perf_event_mlock_kb is %s, RLIMIT_MEMLOCK ",
		     fact__text(f->sysctl.mlock_kb).text);
	if (f->self.memlock.soft == UINT64_MAX)
		strbuf__addstr(sb, "unlimited");
	else
		strbuf__addf(sb, "%llu KiB", (unsigned long long)f->self.memlock.soft / 1024);
}

void locked_memory__assess(const struct facts *f, struct finding *out)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), have = facts__ring_bytes(f);
	struct strbuf limits = STRBUF_INIT;

	tell_memory(f, &limits);
	if (have >= f->kernel.nr_cpus * (USUAL_RING_BYTES + page)) {
		finding__say(out, VERDICT_OK, "%s: enough for the usual ring buffers", limits.buf);
	} else {
		bool some = have >= f->kernel.nr_cpus * 2 * page;

		finding__say(out, some ? VERDICT_LIMITS : VERDICT_BLOCKS, "%s: %s", limits.buf,
			     some ? "ring buffers are smaller than usual, and more samples get lost"
				  : "not enough for the smallest ring buffers");
		finding__advise(out, "as root: sysctl -w kernel.perf_event_mlock_kb=%llu; or ulimit -l %llu",
				(unsigned long long)(USUAL_RING_BYTES + page) / 1024,
				(unsigned long long)f->kernel.nr_cpus * (USUAL_RING_BYTES + page) / 1024);
	}
	strbuf__exit(&limits);
}

bool locked_memory__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	struct strbuf limits = STRBUF_INIT;

	if (q->attempt != ATTEMPT_MAP)
		return false;
	tell_memory(f, &limits);
	if (q->error == -EPERM) {
		finding__say(out, VERDICT_BLOCKS, "cannot map a ring buffer of %u pages: %s", q->pages,
			     limits.buf);
		finding__advise(out,
				"as root: sysctl -w kernel.perf_event_mlock_kb=%lld; or ulimit -l; or record "
				"fewer threads",
				4 * (long long)MIN(MAX(f->sysctl.mlock_kb, 128), INT32_MAX));
	} else {
		finding__say(out, VERDICT_BLOCKS, "cannot map a ring buffer of %u pages: %s", q->pages,
			     err__str(q->error));
		if (q->error == -ENOMEM)
			finding__advise(out, "record with smaller ones (-m), or fewer CPUs or threads");
	}
	strbuf__exit(&limits);
	return true;
}

/* ---- open-files ---- */

static void advise_on_files(const struct facts *f, u64 wanted, struct finding *out)
{
	finding__advise(out,
			"ulimit -n %llu (above the hard limit of %llu only as root), or record fewer events, "
			"CPUs or threads",
			(unsigned long long)wanted, (unsigned long long)f->self.nofile.hard);
}

/* perf record raises the soft limit itself. */
void open_files__assess(const struct facts *f, struct finding *out)
{
	u64 least = (u64)f->kernel.nr_cpus + OWN_FILES;

	if (f->self.nofile.hard >= FEW_FILES && f->self.nofile.hard >= 4 * least) {
		finding__say(out, VERDICT_OK, "RLIMIT_NOFILE can be raised far enough");
		return;
	}
	finding__say(out, f->self.nofile.hard < least ? VERDICT_BLOCKS : VERDICT_LIMITS,
		     "RLIMIT_NOFILE is at most %llu, and each event takes a file for every CPU and thread "
		     "(%u CPUs here)",
		     (unsigned long long)f->self.nofile.hard, f->kernel.nr_cpus);
	advise_on_files(f, MAX((u64)FEW_FILES, 4 * least), out);
}

bool open_files__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	if (q->attempt != ATTEMPT_OPEN)
		return false;
	if (q->error == -EMFILE && q->needed) {
		finding__say(out, VERDICT_BLOCKS,
			     "the recording needs %llu descriptors, and RLIMIT_NOFILE is at most %llu",
			     (unsigned long long)q->needed, (unsigned long long)f->self.nofile.hard);
		advise_on_files(f, q->needed, out);
		return true;
	}
	if (q->error == -EMFILE) {
		finding__say(out, VERDICT_BLOCKS,
			     "too many open files while opening '%s': RLIMIT_NOFILE is %llu",
			     failure__name(q), (unsigned long long)f->self.nofile.soft);
		advise_on_files(f, f->self.nofile.soft * 4, out);
		return true;
	}
	if (q->error != -ENFILE)
		return false;
	finding__say(out, VERDICT_BLOCKS,
		     "the whole system has too many open files while opening '%s': fs.file-max is %s",
		     failure__name(q), fact__text(f->sysctl.file_max).text);
	if (f->sysctl.file_max > 0 && f->sysctl.file_max < INT64_MAX / 2)
		finding__advise(out, "as root: sysctl -w fs.file-max=%lld",
				(long long)f->sysctl.file_max * 2);
	return true;
}

/* ---- the event itself ---- */

static void explain_unsupported(const struct failure *q, struct finding *out)
{
	if (q->attr->precise_ip) {
		finding__say(out, VERDICT_BLOCKS, "'%s' is not supported here with precise_ip %u (%s)",
			     failure__name(q), (unsigned)q->attr->precise_ip, err__str(q->error));
		finding__advise(out, "leave out the p and P modifiers");
		return;
	}
	finding__say(out, VERDICT_BLOCKS, "'%s' is not supported by this machine (%s)", failure__name(q),
		     err__str(q->error));
	if (is_hardware(q->attr))
		finding__advise(out, "-e cpu-clock works everywhere");
}

static void explain_refused(const struct failure *q, struct finding *out)
{
	const struct perf_event_attr *a = q->attr;

	if (a->type == PERF_TYPE_BREAKPOINT && a->bp_type == HW_BREAKPOINT_X && (s64)a->bp_addr < 0) {
		finding__say(out, VERDICT_BLOCKS,
			     "the kernel permits no breakpoint in its code for '%s': at 0x%llx",
			     failure__name(q), (unsigned long long)a->bp_addr);
		finding__advise(out, "kernels with kprobes permit some; or try a tracepoint");
		return;
	}
	if (a->type == PERF_TYPE_BREAKPOINT) {
		finding__say(out, VERDICT_BLOCKS, "the processor refuses '%s': length %llu at 0x%llx",
			     failure__name(q), (unsigned long long)a->bp_len, (unsigned long long)a->bp_addr);
		finding__advise(out, "lengths are 1, 2, 4 or 8 and divide the address; x86 has w, rw and x, "
				     "but no r alone and no x together with others");
		return;
	}
	finding__say(out, VERDICT_BLOCKS, "the kernel refuses '%s' with these options (%s)", failure__name(q),
		     err__str(q->error));
	finding__advise(out, "try it without modifiers and with fewer options");
	if (a->type >= PERF_TYPE_MAX && q->pid != -1)
		finding__advise(out, "uncore events cannot count a process: try -a");
}

/*
 * Could the clock (-k) be why the event is refused? The kernel takes only those that can be read in any
 * interrupt, except of software events (man 2 perf_event_open, use_clockid).
 */
static bool may_be_clock(const struct failure *q)
{
	const struct perf_event_attr *a = q->attr;

	return q->error == -EINVAL && a->use_clockid && a->clockid != CLOCK_MONOTONIC &&
	       a->clockid != CLOCK_MONOTONIC_RAW;
}

static void explain_clock(const struct failure *q, struct finding *out)
{
	finding__say(out, VERDICT_BLOCKS, "the kernel refuses '%s' with the clock of -k (%s)",
		     failure__name(q), err__str(q->error));
	finding__advise(out, "software events take each clock of this machine, all others only -k monotonic "
			     "and -k monotonic_raw");
}

static void explain_probe(const struct failure *q, struct finding *out)
{
	finding__say(out, VERDICT_BLOCKS,
		     "the kernel cannot place '%s' at +0x%llx of its file or function (%s)", failure__name(q),
		     (unsigned long long)q->attr->config2, err__str(q->error));
	finding__advise(
		out, "the kernel cannot probe every instruction, nor files on every file system; try a later "
		     "instruction: FUNCTION+OFFSET");
}

bool event__explain(const struct facts *f, const struct failure *q, struct finding *out)
{
	static const struct {
		int error;
		void (*explain)(const struct failure *q, struct finding *out);
	} rows[] = {
		{ ENOENT, explain_unsupported }, { EOPNOTSUPP, explain_unsupported },
		{ ENODEV, explain_unsupported }, { ENXIO, explain_unsupported },
		{ EINVAL, explain_refused },     { E2BIG, explain_refused },
	};

	if (q->attempt == ATTEMPT_OPEN && may_be_clock(q)) {
		explain_clock(q, out);
		return true;
	}
	if (q->attempt == ATTEMPT_OPEN &&
	    (q->attr->type == f->sysctl.uprobe_type || q->attr->type == f->sysctl.kprobe_type)) {
		explain_probe(q, out);
		return true;
	}
	for (size_t i = 0; q->attempt == ATTEMPT_OPEN && i < ARRAY_SIZE(rows); i++) {
		if (q->error == -rows[i].error) {
			rows[i].explain(q, out);
			return true;
		}
	}
	finding__say(out, VERDICT_BLOCKS, "cannot open '%s': %s", failure__name(q), err__str(q->error));
	return true;
}
