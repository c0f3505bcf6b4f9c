/*
 * Everything about this machine and user that decides what can be recorded: kernel settings, limits,
 * capabilities, namespaces, and the results of a few harmless calls of perf_event_open. Plain data:
 * live/checks.h reads it and opens no files, so tests can describe other machines.
 */
#ifndef LIVE_FACTS_H
#define LIVE_FACTS_H

#include "base/text/strbuf.h"
#include "base/memory/types.h"

#define FACT_UNKNOWN INT64_MIN /* missing, or not a number */

enum fact_lockdown { LOCKDOWN_NONE, LOCKDOWN_INTEGRITY, LOCKDOWN_CONFIDENTIALITY };

enum {                       /* results of calls besides 0 and errnos */
       CALL_UNTRIED = -1000, /* facts__read alone was called */
       CALL_KILLED = -1001,  /* a seccomp filter kills the caller */
};

enum fact_capability { /* numbers of include/uapi/linux/capability.h, some newer than the oldest headers */
		       CAPABILITY_IPC_LOCK = 14,
		       CAPABILITY_SYS_PTRACE = 19,
		       CAPABILITY_SYS_ADMIN = 21,
		       CAPABILITY_SYSLOG = 34,
		       CAPABILITY_PERFMON = 38, /* since 5.8 */
};

struct fact_limit { /* of setrlimit; UINT64_MAX: none */
	u64 soft, hard;
};

struct fact_sysctls { /* FACT_UNKNOWN: unreadable */
	s64 paranoid, kptr_restrict, mlock_kb, max_sample_rate, cpu_time_max_percent, max_stack, nmi_watchdog;
	s64 ptrace_scope, file_max;
	s64 last_capability;          /* that this kernel knows */
	s64 uprobe_type, kprobe_type; /* attr.type of these events */
};

struct fact_process {                       /* this process: /proc/self */
	u32 uid;                            /* effective */
	u64 capabilities;                   /* effective; facts__has() knows whether they apply */
	unsigned seccomp;                   /* 0 none, 1 strict, 2 filter */
	struct fact_limit nofile;           /* open files; always of this process */
	struct fact_limit memlock;          /* bytes; always of this process */
	char program[256];                  /* path of this perf, "": unknown */
	bool user_namespace, pid_namespace; /* not the machine's initial ones: a container */
	bool proc_hides;                    /* /proc is mounted with hidepid */
};

struct fact_kernel {
	enum fact_lockdown lockdown; /* none if the kernel has no such file */
	char security_modules[128];  /* in the kernel's spelling, "": none */
	int tracefs;                 /* result of listing events: 0, -EACCES, -ENOENT (not mounted) ... */
	int kallsyms;                /* 0; -EPERM: the addresses in it are hidden; -ENOENT, -EACCES ... */
	u32 nr_cpus;                 /* online, at least 1 */
	bool hypervisor;             /* cpuinfo has the hypervisor flag */
	bool has_core_pmu;           /* there is a driver for the processor's counters */
};

struct fact_calls {           /* of perf_event_open: 0, a negative errno, or CALL_... */
	int wrong_flags;      /* -EINVAL if the call reached the kernel */
	int user_space;       /* a counter for user space of this process, which any user may open */
	int free_breakpoints; /* breakpoints that this process can set; -1: not tried */
};

struct facts {
	struct fact_sysctls sysctl;
	struct fact_process self;
	struct fact_kernel kernel;
	struct fact_calls calls; /* by facts__init alone */
};

/* Read all facts but calls. The folders are "/proc" and "/sys", except in tests. */
void facts__read(struct facts *f, const char *proc, const char *sys);
/* Read the facts of this machine, and try a few harmless calls of perf_event_open. */
void facts__init(struct facts *f);

static inline bool fact__is_known(s64 value)
{
	return value != FACT_UNKNOWN;
}

/* The number, or "unknown", for sentences: fact__text(f->sysctl.paranoid).text */
struct fact_text {
	char text[24];
};
struct fact_text fact__text(s64 value);

/* Is the capability there, and does it apply? Those of a user namespace do not apply to perf_event_open. */
bool facts__has(const struct facts *f, enum fact_capability c);
/* Is this user exempt from perf_event_paranoid (CAP_PERFMON or CAP_SYS_ADMIN)? */
bool facts__is_privileged(const struct facts *f);
/* Bytes that all rings together may have now, UINT64_MAX: no limit. */
u64 facts__ring_bytes(const struct facts *f);

/* Does PROC/kallsyms show addresses? 0; -EPERM: hidden; another negative errno: unreadable. */
int facts__kallsyms(const char *proc);

/* Call fn with name and value of every fact, for people. */
typedef void (*fact_fn)(const char *name, const char *value, void *ctx);
void facts__for_each(const struct facts *f, fact_fn fn, void *ctx);

#endif
