/*
 * Kinds of waits, by the functions on the call chain of a switch away from a thread: the kernel's functions
 * say what was waited for (a timer, a pipe, a page), those of the C library or of a language's runtime what a
 * futex was for. The same tables say which frames belong to the wait itself, such as schedule and the way
 * from the system call to it. Reports show one frame instead: the function that waited, with the kind.
 */
#ifndef PROFILE_WAIT_KINDS_H
#define PROFILE_WAIT_KINDS_H

#include "base/memory/types.h"

#include <stdbool.h>

enum wait_kind {
	WAIT_NONE,  /* on the CPU */
	WAIT_OTHER, /* not in the tables */
	WAIT_SLEEP,
	WAIT_LOCK, /* a mutex or a read-write lock of user space */
	WAIT_CONDITION,
	WAIT_SEMAPHORE,
	WAIT_BARRIER,
	WAIT_JOIN, /* until a thread ends */
	WAIT_FUTEX,
	WAIT_POLL, /* poll, select, epoll, io_uring */
	WAIT_PIPE,
	WAIT_SOCKET,
	WAIT_ACCEPT,
	WAIT_EVENTFD, /* eventfd, timerfd, inotify */
	WAIT_SIGNAL,
	WAIT_CHILD, /* until a child process ends, or vfork's execs */
	WAIT_FILE_LOCK,
	WAIT_MESSAGE, /* a message queue */
	WAIT_TERMINAL,
	WAIT_IO, /* a file or block device */
	WAIT_FAULT,
	WAIT_MEMORY, /* the kernel frees some */
	WAIT_KERNEL, /* a lock of the kernel */
	WAIT_RUNNABLE,
	WAIT_STOPPED,      /* by a signal or a debugger */
	WAIT_NOTHING,      /* a kernel thread without work */
	WAIT_FOR_EVER,     /* the thread has ended: not a wait */
	WAIT_NOT_SAMPLED,  /* not a wait: time of a thread without samples (sample_weights.h) */
	WAIT_NOT_RECORDED, /* nor this: it is not known what the thread did */
	WAIT_NR_KINDS
};

/* What a thread waits for, where it is a thing that others let go, signal or end. */
enum lock_kind {
	LOCK_NONE,
	LOCK_MUTEX,
	LOCK_RWLOCK,
	LOCK_ONCE, /* another thread initializes something */
	LOCK_CONDITION,
	LOCK_SEMAPHORE,
	LOCK_BARRIER,
	LOCK_THREAD,       /* that ends */
	LOCK_FUTEX,        /* it is not known what for */
	LOCK_KERNEL_MUTEX, /* the first one of the kernel */
	LOCK_KERNEL_RWLOCK,
	LOCK_KERNEL_SEMAPHORE,
	LOCK_NR_KINDS
};

/* Return the name of a kind, such as "mutex"; "" for LOCK_NONE. */
const char *lock_kind__name(enum lock_kind kind);

/* Return the name of a kind as reports show it, such as "sleep"; "running" for WAIT_NONE. */
const char *wait_kind__name(enum wait_kind kind);

/* May a thread that has nothing to do wait in this way? See profile/hists/idle.h. */
bool wait_kind__may_be_idle(enum wait_kind kind);

/* A frame of a chain: what the tables know of its function. */
struct wait_frame {
	u8 kind;  /* enum wait_kind */
	u8 place; /* enum wait_place; 0: the function is in no table */
	bool is_kernel;
	u8 lock;     /* enum lock_kind */
	bool is_own; /* the futex of the function belongs to the thread that waits */
};

struct wait {
	enum wait_kind kind;
	u32 nr_inner; /* number of frames from the leaf on that belong to the wait */
	enum lock_kind lock;
	bool is_own; /* the futex is the thread's, so its address does not say which lock it is */
	u32 named;   /* frame of the function that waits for the lock, outside of libraries; nr: none */
};

/*
 * Look up a function by its name in the symbol table, or demangled: versions (@GLIBC_2.2.5), suffixes of
 * compilers (.isra.0) and, outside of the kernel, leading underscores do not matter.
 */
struct wait_frame wait_frame__of(const char *name, bool is_kernel);
/* Return the kind of a wait by its frames, from the leaf on. They may be all of the kernel, or none. */
struct wait wait__of(const struct wait_frame *frames, u32 nr);

/* What functions on the chain of a thread that wakes another one tell. */
enum waker_fact {
	WAKER_UNLOCKS = 1,
	WAKER_EXITS = 2,     /* the thread ends, and says so in its memory */
	WAKER_INTERRUPT = 4, /* it was interrupted, or is the kernel's thread for soft interrupts */
	WAKER_SOFTIRQ = 8,   /* it did the work of soft interrupts itself */
	WAKER_SENDS = 16,
	WAKER_KERNEL_THREAD = 32,
	WAKER_TIMER = 64, /* what an interrupt is for */
	WAKER_DISK = 128,
	WAKER_NETWORK = 256,
	WAKER_DIES = 512, /* it has no memory of a process any more, or never had */
};

/*
 * Return what a function tells (enum waker_fact, ORed). The facts of a chain are those of its functions, from
 * the innermost one up to where an interrupt begins.
 */
u32 waker_facts__of(const char *name, bool is_kernel);

#endif
