/* Read /proc for running processes. A process may end meanwhile: then the errno is -ESRCH or -ENOENT. */
#ifndef LIVE_PROC_H
#define LIVE_PROC_H

#include "base/memory/array.h"
#include "base/system/file.h"
#include "base/system/ns_link.h"

#include <sys/types.h>

/* All processes (thread group leaders), ascending. */
int proc__pids(int_array *pids);
/* The threads of a process, ascending. */
int proc__tids(pid_t pid, int_array *tids);
/* The processes of user uid: st_uid of /proc/PID, as stock's -u. */
int proc__pids_of_user(u32 uid, int_array *pids);

struct proc_status { /* from /proc/PID/task/TID/status: Name, Tgid, PPid, Uid, NSpid */
	char comm[64];
	pid_t tgid, ppid;
	u32 uid;      /* effective; 0: the kernel does not report it */
	pid_t ns_pid; /* the thread's number in its own pid namespace; 0: the kernel does not report it */
	bool is_kernel_thread; /* no VmPeak, and not a zombie */
	bool has_ended;        /* a zombie */
};
/* Parses the text of such a file; false when it has no Name or no Tgid. A long name is cut. */
bool proc_status__parse(const char *text, size_t size, struct proc_status *s);
int proc__status(pid_t pid, pid_t tid, struct proc_status *s);
/*
 * Return a thread of a process that still runs: the first one, unless that has ended before others, as by
 * pthread_exit in main; 0 if there is none. A first thread that has ended has no memory and no executable.
 */
pid_t proc__running_thread(pid_t pid);
/* Has the first thread of a process ended, and another one not? */
bool proc__outlives_first_thread(pid_t pid);

/* The namespaces of a thread, in the order of NAMESPACES records: net, uts, ipc, pid, user, mnt, cgroup. */
enum { PROC_NAMESPACES = 7 };
/* links: PROC_NAMESPACES of them; all 0 if unreadable. */
void proc__namespaces(pid_t pid, pid_t tid, struct ns_link *links);

/*
 * One line of /proc/PID/maps (man 5 proc). name points into the text, with newlines (\012) unescaped; "":
 * anonymous memory.
 */
struct proc_map {
	u64 start, end, pgoff; /* memory addresses, file offset in bytes */
	u32 prot, flags;       /* PROT_, MAP_SHARED or MAP_PRIVATE */
	u32 maj, min;
	u64 ino;
	char *name;
};
/*
 * Parse one line in place and move *text past it. Return false if it is malformed or has no newline. Writes
 * below end only.
 */
bool proc_map__parse(char **text, char *end, struct proc_map *m);
/* Append the whole text of /proc/PID/maps to sb: from another thread if the first one has ended. */
struct strbuf;
int proc__maps(pid_t pid, struct strbuf *sb);

#endif
