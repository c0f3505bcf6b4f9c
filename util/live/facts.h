/*
 * What this machine and user are like, as far as it decides what may be recorded: settings of the kernel,
 * limits, capabilities, namespaces, and what a few harmless calls of perf_event_open said. Plain data:
 * whoever explains something (live/checks.h) reads it and opens no files, and a test can describe any other
 * machine.
 */
#ifndef LIVE_FACTS_H
#define LIVE_FACTS_H

#include "base/text/strbuf.h"
#include "base/memory/types.h"

#define FACT_UNKNOWN INT64_MIN /* the file is not there, or is no number */

enum fact_lockdown { LOCKDOWN_NONE, LOCKDOWN_INTEGRITY, LOCKDOWN_CONFIDENTIALITY };

enum {                       /* fact_calls: what else than an errno may come of a call */
       CALL_UNTRIED = -1000, /* facts__probe was not called */
       CALL_KILLED = -1001,  /* a seccomp filter kills whoever tries */
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

struct facts {
	/* sysctls, FACT_UNKNOWN when unreadable */
	s64 paranoid, kptr_restrict, mlock_kb, max_sample_rate, cpu_time_max_percent, max_stack, nmi_watchdog;
	s64 ptrace_scope, file_max;
	s64 last_capability;          /* that this kernel knows */
	s64 uprobe_type, kprobe_type; /* attr.type of such events */

	/* this process: /proc/self */
	u32 uid;                            /* effective */
	u64 capabilities;                   /* effective; facts__has() says whether they count */
	unsigned seccomp;                   /* 0 none, 1 strict, 2 filter */
	struct fact_limit nofile;           /* files; of this process, whatever the folders are */
	struct fact_limit memlock;          /* bytes; likewise */
	char program[256];                  /* path of this perf, "" when unknown */
	bool user_namespace, pid_namespace; /* not the machine's own: a container */

	bool proc_hides;             /* /proc is mounted with hidepid */
	enum fact_lockdown lockdown; /* none when the kernel has no such file */
	char security_modules[128];  /* as the kernel lists them, "" when it does not */
	int tracefs;                 /* of listing its events: 0, -EACCES, -ENOENT (not mounted) ... */
	int kallsyms;                /* 0; -EPERM: the addresses in it are hidden; -ENOENT, -EACCES ... */
	u32 nr_cpus;                 /* online, at least 1 */
	bool hypervisor;             /* the processor says that it is a virtual one */
	bool has_core_pmu;           /* a driver for the processor's counters */

	/* facts__probe; calls: 0 or a negative errno, or CALL_... */
	int call;             /* of a call with wrong flags: -EINVAL when it reaches the kernel */
	int open_user;        /* of a counter for user space of this process, which everybody may have */
	int free_breakpoints; /* how many breakpoints this process could set; -1: untried */
};

/* Reads everything but what facts__probe finds out. The folders are "/proc" and "/sys" but for tests. */
void facts__read(struct facts *f, const char *proc, const char *sys);
/* Tries a few calls of perf_event_open that change nothing. */
void facts__probe(struct facts *f);
/* Both, of this machine. */
void facts__init(struct facts *f);

static inline bool fact__is_known(s64 value)
{
	return value != FACT_UNKNOWN;
}

/* The number, or "unknown", for sentences: fact__text(f->paranoid).text */
struct fact_text {
	char text[24];
};
struct fact_text fact__text(s64 value);

/* Whether the capability is there and counts: those of a user namespace do not for perf_event_open. */
bool facts__has(const struct facts *f, enum fact_capability c);
/* Whether perf_event_paranoid does not bind: CAP_PERFMON, or CAP_SYS_ADMIN. */
bool facts__is_privileged(const struct facts *f);
/* Bytes that all rings together may have at present, UINT64_MAX: any number. */
u64 facts__ring_bytes(const struct facts *f);

/* Whether PROC/kallsyms shows addresses: 0, -EPERM when they are hidden, or why it cannot be read. */
int facts__kallsyms(const char *proc);

/* Name and value of every fact, for people. */
typedef void (*fact_fn)(const char *name, const char *value, void *ctx);
void facts__for_each(const struct facts *f, fact_fn fn, void *ctx);

#endif
