#include "record/target/tracer.h"

#include "base/memory/array.h"
#include "base/system/file.h"
#include "base/memory/hash.h"
#include "binary/symbols/elf_object.h"
#include "record/target/process_maps.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Constants and functions by processor: the instruction that stops a program, how far after it the program
 * counter is then, whether it also stops 32-bit programs, and how to read and write the program counter.
 * Programs on other processors are stopped at their exec.
 */
#if defined(__x86_64__)
static const u8 trap_code[] = { 0xcc }; /* int3 */
enum { HAVE_TRAP = 1, TRAPS_32BIT = 1, TRAP_PC = sizeof(trap_code) };
enum { PC_OFFSET = offsetof(struct user, regs.rip) };

static bool read_pc(pid_t pid, u64 *pc)
{
	errno = 0;
	*pc = (u64)ptrace(PTRACE_PEEKUSER, pid, (void *)(uintptr_t)PC_OFFSET, NULL);
	return !errno;
}

static bool write_pc(pid_t pid, u64 pc)
{
	return !ptrace(PTRACE_POKEUSER, pid, (void *)(uintptr_t)PC_OFFSET, (void *)(uintptr_t)pc);
}
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const u8 trap_code[] = { 0x00, 0x00, 0x20, 0xd4 }; /* brk #0 */
enum { HAVE_TRAP = 1, TRAPS_32BIT = 0, TRAP_PC = 0 };

static bool access_regs(int request, pid_t pid, struct user_regs_struct *regs)
{
	struct iovec v = { .iov_base = regs, .iov_len = sizeof(*regs) };

	return !ptrace(request, pid, (void *)(uintptr_t)NT_PRSTATUS, &v) && v.iov_len == sizeof(*regs);
}

static bool read_pc(pid_t pid, u64 *pc)
{
	struct user_regs_struct regs;

	if (!access_regs(PTRACE_GETREGSET, pid, &regs))
		return false;
	*pc = regs.pc;
	return true;
}

static bool write_pc(pid_t pid, u64 pc)
{
	struct user_regs_struct regs;

	if (!access_regs(PTRACE_GETREGSET, pid, &regs))
		return false;
	regs.pc = pc;
	return access_regs(PTRACE_SETREGSET, pid, &regs);
}
#else
static const u8 trap_code[] = { 0 };
enum { HAVE_TRAP = 0, TRAPS_32BIT = 0, TRAP_PC = 0 };

static bool read_pc(pid_t pid, u64 *pc)
{
	(void)pid, (void)pc;
	return false;
}

static bool write_pc(pid_t pid, u64 pc)
{
	(void)pid, (void)pc;
	return false;
}
#endif

struct tracee {
	pid_t pid;
	u64 trap;    /* address of the stop instruction; 0: none */
	long code;   /* the code that it replaced */
	u64 r_debug; /* 0: the loader has none */
	u64 shown;   /* program_of() when stopped() was called; 0: not yet */
	bool is_64bit, is_stepping;
};

struct tracer {
	struct tracer_opts opts;
	pid_t pid;
	ARRAY(struct tracee) tracees;
	ARRAY(struct elf_object *) loaders; /* loaders seen so far */
	bool execed, exited, was_early;
	int status;
};

/* ---- tracees ---- */

static struct tracee *tracer__find(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->tracees.nr; i++)
		if (t->tracees.v[i].pid == pid)
			return &t->tracees.v[i];
	array__add(&t->tracees, (struct tracee){ .pid = pid });
	return &t->tracees.v[t->tracees.nr - 1];
}

static void tracer__forget(struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->tracees.nr; i++)
		if (t->tracees.v[i].pid == pid)
			t->tracees.v[i] = t->tracees.v[--t->tracees.nr];
}

/* A process that was killed meanwhile returns an error; its end will be reported. */
static bool go_on(struct tracee *e, int signal)
{
	return !ptrace(e->is_stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, e->pid, NULL, (void *)(long)signal);
}

/* ---- the loader ---- */

/* Return NULL if it cannot be read. */
static const struct elf_object *tracer__loader(struct tracer *t, pid_t pid, const char *path)
{
	struct elf_object *o;
	char root[32];

	for (size_t i = 0; i < t->loaders.nr; i++)
		if (!strcmp(elf_object__path(t->loaders.v[i]), path))
			return t->loaders.v[i];
	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	if (elf_object__open(&o, root, path, NULL))
		return NULL;
	array__add(&t->loaders, o);
	return o;
}

static void read_auxv(pid_t pid, struct strbuf *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	file__read(path, text, 0);
}

/*
 * Identify the program that a process runs: its addresses and random bytes differ from the program before.
 */
static u64 program_of(pid_t pid)
{
	struct strbuf text = STRBUF_INIT;
	u64 hash;

	read_auxv(pid, &text);
	hash = text.len ? hash__bytes(text.buf, text.len, 0) | 1 : 0;
	strbuf__exit(&text);
	return hash;
}

static bool is_32bit(pid_t pid)
{
	char path[64], ident[EI_NIDENT] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = file__open_regular(path);
	if (fd >= 0) {
		file__pread_all(fd, ident, sizeof(ident), 0);
		close(fd);
	}
	return ident[EI_CLASS] == ELFCLASS32;
}

/* Return the loader's address: AT_BASE of the auxiliary vector, which is pairs of words. 0: none. */
static u64 loader_base(pid_t pid)
{
	struct strbuf text = STRBUF_INIT;
	size_t word = is_32bit(pid) ? 4 : 8;
	u64 base = 0;

	read_auxv(pid, &text);
	for (size_t at = 0; at + 2 * word <= text.len && !base; at += 2 * word) {
		u64 type = 0, value = 0;

		memcpy(&type, text.buf + at, word); /* little-endian, like all processors with a trap */
		memcpy(&value, text.buf + at + word, word);
		if (type == AT_BASE)
			base = value;
	}
	strbuf__exit(&text);
	return base;
}

/* ---- the trap ---- */

static bool peek(pid_t pid, u64 addr, long *word)
{
	errno = 0;
	*word = ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)addr, NULL);
	return !errno;
}

static bool poke(pid_t pid, u64 addr, long word)
{
	return !ptrace(PTRACE_POKEDATA, pid, (void *)(uintptr_t)addr, (void *)word);
}

static bool tracee__set_trap(struct tracee *e)
{
	long word = e->code;

	memcpy(&word, trap_code, sizeof(trap_code));
	return poke(e->pid, e->trap, word);
}

/*
 * Find the loader's interface for debuggers: the function that it calls before and after changing the
 * mappings.
 */
static bool tracee__find_rendezvous(struct tracee *e, const struct process_maps *maps,
				    const struct elf_object *loader)
{
	struct elf_name notify, r_debug;
	u64 bias;

	if (!elf_object__find_exported(loader, "_dl_debug_state", &notify) ||
	    !process_maps__bias(maps, loader, notify.addr, &bias))
		return false;
	e->trap = bias + notify.addr;
	e->r_debug = 0;
	if (elf_object__find_exported(loader, "_r_debug", &r_debug))
		e->r_debug = bias + r_debug.addr;
	e->is_64bit = elf_object__is_64bit(loader);
	return true;
}

/* Stop the process when its loader is done. Return false if that is not possible. */
static bool tracer__trap_loader(struct tracer *t, struct tracee *e, u64 base)
{
	const struct elf_object *loader = NULL;
	struct process_maps maps;
	const char *path;
	bool placed;

	if (!HAVE_TRAP || process_maps__read(&maps, e->pid))
		return false;
	path = process_maps__file_at(&maps, base);
	if (path)
		loader = tracer__loader(t, e->pid, path);
	placed = loader && tracee__find_rendezvous(e, &maps, loader) && (e->is_64bit || TRAPS_32BIT) &&
		 peek(e->pid, e->trap, &e->code) && tracee__set_trap(e);
	process_maps__exit(&maps);
	if (!placed)
		e->trap = 0;
	return placed;
}

/* Are the mappings complete? They are not at the first call of a loader that is about to begin. */
static bool tracee__is_loaded(const struct tracee *e)
{
	u64 r_state = e->r_debug + (e->is_64bit ? 24 : 12); /* struct r_debug in <link.h> */
	int state;
	long word;

	if (!e->r_debug || !peek(e->pid, r_state, &word))
		return true;
	memcpy(&state, &word, sizeof(state));
	return state == RT_CONSISTENT;
}

/* ---- what happens ---- */

static void tracer__detach(struct tracer *t, pid_t pid)
{
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	tracer__forget(t, pid);
}

/* The process is stopped and all its libraries are loaded. */
static void tracer__show(struct tracer *t, struct tracee *e)
{
	bool done = t->opts.stopped(e->pid, t->opts.ctx);

	e->shown = program_of(e->pid);
	if (done || !t->opts.follow)
		tracer__detach(t, e->pid);
	else
		go_on(e, 0);
}

static void tracer__see_exec(struct tracer *t, pid_t pid)
{
	struct tracee *e;
	unsigned long former = 0;
	u64 base = loader_base(pid);

	/* A thread other than the first may exec; it then becomes the first one. */
	if (!ptrace(PTRACE_GETEVENTMSG, pid, NULL, &former) && (pid_t)former != pid)
		tracer__forget(t, (pid_t)former);
	e = tracer__find(t, pid);
	*e = (struct tracee){ .pid = pid };
	t->execed |= pid == t->pid;
	if (base && tracer__trap_loader(t, e, base)) {
		go_on(e, 0);
		return;
	}
	t->was_early |= base != 0;
	tracer__show(t, e);
}

/* At the trap: restore the instruction that was there, then step past it or finish. */
static void tracer__see_trap(struct tracer *t, struct tracee *e)
{
	poke(e->pid, e->trap, e->code);
	write_pc(e->pid, e->trap);
	if (tracee__is_loaded(e)) {
		e->trap = 0;
		tracer__show(t, e);
		return;
	}
	e->is_stepping = true;
	go_on(e, 0);
}

static void tracer__see_step(struct tracee *e)
{
	e->is_stepping = false;
	tracee__set_trap(e);
	go_on(e, 0);
}

static bool is_at_trap(const struct tracee *e)
{
	u64 pc;

	return read_pc(e->pid, &pc) && pc == e->trap + TRAP_PC;
}

/* A stop without a ptrace event: the trap, or a signal, which is passed to the process. */
static void tracer__see_signal(struct tracer *t, struct tracee *e, int signal)
{
	siginfo_t info = { .si_code = SI_USER };
	bool by_kernel;

	ptrace(PTRACE_GETSIGINFO, e->pid, NULL, &info);
	by_kernel = info.si_code > 0;
	if (signal == SIGTRAP && by_kernel && e->is_stepping)
		tracer__see_step(e);
	else if (signal == SIGTRAP && by_kernel && e->trap && is_at_trap(e))
		tracer__see_trap(t, e);
	else
		go_on(e, signal);
}

/* A new process or thread also appears with this stop. */
static void see_group_stop(struct tracee *e, int signal)
{
	if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU)
		ptrace(PTRACE_LISTEN, e->pid, NULL, NULL); /* until a SIGCONT */
	else
		go_on(e, 0);
}

static void tracer__see(struct tracer *t, pid_t pid, int status)
{
	struct tracee *e;

	if (!WIFSTOPPED(status)) {
		tracer__forget(t, pid);
		t->exited |= pid == t->pid;
		if (pid == t->pid)
			t->status = status;
		return;
	}
	e = tracer__find(t, pid);
	switch (status >> 16) {
	case 0:
		tracer__see_signal(t, e, WSTOPSIG(status));
		break;
	case PTRACE_EVENT_EXEC:
		tracer__see_exec(t, pid);
		break;
	case PTRACE_EVENT_STOP:
		see_group_stop(e, WSTOPSIG(status));
		break;
	default: /* a fork, vfork or clone */
		go_on(e, 0);
	}
}

/* ---- the interface ---- */

static int explain(int error, struct err *err)
{
	u64 scope = 0;

	err__set(err, error, "the command may not be traced until its variables are in place: %s",
		 err__str(error));
	if (!file__read_u64("/proc/sys/kernel/yama/ptrace_scope", &scope) && scope > 1)
		err__advise(err,
			    "kernel.yama.ptrace_scope is %llu; as root: sysctl -w kernel.yama.ptrace_scope=1",
			    (unsigned long long)scope);
	else
		err__advise(err, "strace or a debugger may hold it, or a container's seccomp filter may "
				 "forbid ptrace");
	return error;
}

int tracer__new(struct tracer **tracer, pid_t pid, const struct tracer_opts *opts, struct err *err)
{
	unsigned long options = PTRACE_O_TRACEEXEC;
	struct tracer *t;

	if (opts->follow)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE;
	if (opts->kill)
		options |= PTRACE_O_EXITKILL;
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)options))
		return explain(-errno, err);
	t = xcalloc(1, sizeof(*t));
	t->opts = *opts;
	t->pid = pid;
	tracer__find(t, pid);
	*tracer = t;
	return 0;
}

void tracer__delete(struct tracer *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->loaders.nr; i++)
		elf_object__delete(t->loaders.v[i]);
	array__exit(&t->loaders);
	array__exit(&t->tracees);
	free(t);
}

/* Handle one event; return false if there is none, or none will come. */
static bool tracer__step(struct tracer *t, int flags)
{
	int status;
	pid_t pid;

	do
		pid = waitpid(t->opts.follow ? -1 : t->pid, &status, __WALL | flags);
	while (pid < 0 && errno == EINTR);
	if (pid > 0)
		tracer__see(t, pid, status);
	return pid > 0;
}

void tracer__wait_exec(struct tracer *t)
{
	while (!t->execed && !t->exited && tracer__step(t, 0))
		;
}

void tracer__wait_end(struct tracer *t)
{
	while (!t->exited && tracer__step(t, 0))
		;
}

bool tracer__poll(struct tracer *t, int *status)
{
	while (!t->exited && tracer__step(t, WNOHANG))
		;
	*status = t->status;
	return t->exited;
}

bool tracer__is_past(const struct tracer *t, pid_t pid)
{
	for (size_t i = 0; i < t->tracees.nr; i++)
		if (t->tracees.v[i].pid == pid)
			return t->tracees.v[i].shown && t->tracees.v[i].shown == program_of(pid);
	return true;
}

bool tracer__was_early(const struct tracer *t)
{
	return t->was_early;
}
