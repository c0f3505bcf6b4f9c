#include "record/target/remote_python.h"

#include "base/memory/mem.h"
#include "base/message/msg.h"
#include "base/system/clock.h"
#include "base/system/root_dir.h"
#include "live/proc.h"
#include "record/target/process_maps.h"
#include "record/target/python_thread.h"
#include "unwind/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
	START_MS = 300, /* longest waits for all processes */
	STOP_MS = 1000,
	CANCEL_MS = 20,
};

/* A script in the process's /tmp. When it was run, it has its answer as text, and has no name any more. */
struct script {
	int folder, fd; /* -1: none */
	char name[40];
};

struct remote_python {
	pid_t pid;
	int process; /* pidfd */
	char mark[24];
	bool is_on;
	struct script script; /* that was asked for last */
};

struct remote_pythons {
	ARRAY(struct remote_python) v;
	sigset_t mask; /* before */
};

/* ---- the memory of a process ---- */

static bool read_process(void *ctx, u64 addr, void *data, size_t size)
{
	const struct remote_python *r = ctx;
	struct iovec here = { data, size }, there = { (void *)(uintptr_t)addr, size };

	return process_vm_readv(r->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

static bool write_process(const struct remote_python *r, u64 addr, const void *data, size_t size)
{
	struct iovec here = { (void *)(uintptr_t)data, size }, there = { (void *)(uintptr_t)addr, size };

	return process_vm_writev(r->pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/*
 * Open a mapped file as the process sees it, or by the same name here: the kernel gives the name from
 * here if there is one. Whether it is the right file, the memory will show.
 */
static struct elf_object *open_mapped(pid_t pid, const char *path)
{
	struct err ignored = ERR_INIT;
	struct elf_object *o;
	char root[32];
	int ret;

	snprintf(root, sizeof(root), "/proc/%d/root", pid);
	ret = elf_object__open(&o, root, path, &ignored);
	if (ret)
		ret = elf_object__open(&o, "", path, &ignored);
	err__exit(&ignored);
	return ret ? NULL : o;
}

/* Return NULL with the place of _PyRuntime, or why there is none. */
static const char *find_runtime(const struct remote_python *r, const struct process_maps *m, u64 *addr,
				u64 *size)
{
	const char *why = "it is not Python";

	for (size_t i = 0; i < m->v.nr; i++) {
		const char *path = m->v.v[i].name;
		const struct runtime *runtime = *path == '/' ? runtime__of_file(path) : NULL;
		struct elf_object *o;
		struct elf_name name;
		u64 bias;
		bool found;

		if (!runtime || strcmp(runtime->code, "python code") ||
		    (i && !strcmp(path, m->v.v[i - 1].name)))
			continue;
		why = "its program file cannot be read, or has other symbols";
		o = open_mapped(r->pid, path);
		if (!o)
			continue;
		found = elf_object__find_exported(o, "_PyRuntime", &name) &&
			process_maps__bias(m, o, name.addr, &bias);
		elf_object__delete(o);
		if (found) {
			*addr = name.addr + bias;
			*size = name.size;
			return NULL;
		}
	}
	return why;
}

static const char *remote_python__thread(struct remote_python *r, struct python_thread *t)
{
	const struct vm_memory memory = { .read = read_process, .ctx = r };
	struct process_maps maps;
	u64 runtime = 0, size = 0;
	const char *why;
	u8 byte;

	if (process_maps__read(&maps, r->pid))
		return "its maps cannot be read";
	why = find_runtime(r, &maps, &runtime, &size);
	process_maps__exit(&maps);
	if (why)
		return why;
	if (!read_process(r, runtime, &byte, 1) && errno == EPERM)
		return "no permission to read its memory (kernel.yama.ptrace_scope, other user)";
	return python_thread__find(t, &memory, runtime, size);
}

/* ---- scripts ---- */

static void script__close(struct script *s, bool removes)
{
	if (s->folder >= 0 && removes)
		unlinkat(s->folder, s->name, 0);
	file__close(s->fd);
	file__close(s->folder);
	s->fd = s->folder = -1;
}

static int open_tmp(pid_t pid)
{
	char path[32];
	int root, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0)
		fd = root_dir__open(root, "tmp", O_PATH | O_DIRECTORY);
	file__close(root);
	return fd;
}

enum switching { SWITCH_ON, SWITCH_OFF };
static const char script_begin[] = "import posix as p, sys as s\n";

/*
 * Python (3.14.10) crashes some time after its trampolines were switched on twice
 * (python/cpython#146522): do not if this attribute of sys, or its map, shows that they were on. The
 * attribute has the recorder's name, so that no recorder switches off what another one or the program
 * itself has switched on. posix and sys are built in: no file of the program is looked for.
 */
static void script__write(const struct script *s, enum switching to, const char *mark, struct strbuf *out)
{
	strbuf__addf(out, "%stry:\n  try:\n", script_begin);
	if (to == SWITCH_ON)
		strbuf__addf(out,
			     "    a = 'was'\n"
			     "    if not s.is_stack_trampoline_active():\n"
			     "      a = 'again'\n"
			     "      m = '/tmp/perf-%%d.map' %% p.getpid()\n"
			     "      if not hasattr(s, '_perf_record') and not p.access(m, 0):\n"
			     "        s._perf_record = '%s'\n"
			     "        s.activate_stack_trampoline('perf')\n"
			     "        a = 'on'\n",
			     mark);
	else
		strbuf__addf(out,
			     "    a = 'off'\n"
			     "    if getattr(s, '_perf_record', '') == '%s':\n"
			     "      s._perf_record = ''\n"
			     "      s.deactivate_stack_trampoline()\n",
			     mark);
	strbuf__addf(out,
		     "  except Exception as e: a = 'failed ' + str(e)\n"
		     "  f = p.open('/tmp/%s', p.O_WRONLY | p.O_TRUNC | p.O_NOFOLLOW)\n"
		     "  p.write(f, a[:200].encode('ascii', 'replace'))\n"
		     "  p.close(f)\n"
		     "  p.unlink('/tmp/%s')\n"
		     "except Exception: pass\n",
		     s->name, s->name);
}

/* Make the file, which only the process's user may read and write. */
static bool script__make(struct script *s, const struct remote_python *r, enum switching to)
{
	struct strbuf text = STRBUF_INIT;
	struct proc_status status;
	u64 number;
	bool made = false;

	*s = (struct script){ .folder = -1, .fd = -1 };
	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || proc__status(r->pid, r->pid, &status))
		return false;
	snprintf(s->name, sizeof(s->name), "perf-python-%016llx.py", (unsigned long long)number);
	s->folder = open_tmp(r->pid);
	if (s->folder >= 0)
		s->fd = openat(s->folder, s->name, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->fd >= 0) {
		script__write(s, to, r->mark, &text);
		made = !file__write_all(s->fd, text.buf, text.len) &&
		       (status.uid == geteuid() || !fchown(s->fd, status.uid, (gid_t)-1));
		strbuf__exit(&text);
	}
	if (!made)
		script__close(s, s->fd >= 0);
	return made;
}

/* Has the script been run? Then answer has what it says. */
static bool script__is_done(const struct script *s, char *answer, size_t size)
{
	ssize_t len = s->fd >= 0 ? pread(s->fd, answer, size - 1, 0) : 0;

	answer[MAX(len, (ssize_t)0)] = '\0';
	return len > 0 && strncmp(answer, script_begin, strlen(script_begin)) != 0;
}

/* Return NULL, or why the process is not asked. */
static const char *remote_python__ask(struct remote_python *r, enum switching to)
{
	struct python_thread t;
	const char *why = remote_python__thread(r, &t);
	char path[PYTHON_PATH_MAX];
	s32 pending;
	u8 breaker;

	if (why)
		return why;
	if (!read_process(r, t.pending, &pending, sizeof(pending)) || pending)
		return "another tool has asked it to run a script";
	if (!script__make(&r->script, r, to))
		return "no script can be written to its /tmp";
	pending = 1;
	snprintf(path, sizeof(path), "/tmp/%s", r->script.name);
	if (write_process(r, t.path, path, strlen(path) + 1) &&
	    write_process(r, t.pending, &pending, sizeof(pending)) &&
	    read_process(r, t.breaker, &breaker, 1)) {
		breaker |= PYTHON_STOP_BIT;
		if (write_process(r, t.breaker, &breaker, 1))
			return NULL;
	}
	script__close(&r->script, true);
	return "no permission to write its memory";
}

static bool remote_python__has_ended(const struct remote_python *r)
{
	struct pollfd p = { .fd = r->process, .events = POLLIN };

	return r->process >= 0 && poll(&p, 1, 0) == 1;
}

/* Wait until all scripts have been run whose processes still run. */
static void remote_pythons__wait(const struct remote_pythons *r, u64 ms)
{
	const u64 end = clock__ms() + ms;
	char answer[256];
	size_t nr_open;

	do {
		nr_open = 0;
		for (size_t i = 0; i < r->v.nr; i++)
			nr_open += r->v.v[i].script.fd >= 0 && !remote_python__has_ended(&r->v.v[i]) &&
				   !script__is_done(&r->v.v[i].script, answer, sizeof(answer));
	} while (nr_open && clock__ms() < end && (usleep(2000), true));
}

/* ---- all ---- */

static void block_signals(struct remote_pythons *r)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now;
	sigset_t mask;

	sigemptyset(&mask);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(&mask, signals[i]);
	sigprocmask(SIG_BLOCK, &mask, &r->mask);
}

/* Take the answer to SWITCH_ON, if there is one. */
static void remote_python__see(struct remote_python *r)
{
	char answer[256];

	if (r->script.fd < 0 || !script__is_done(&r->script, answer, sizeof(answer)))
		return;
	r->is_on = !strcmp(answer, "on");
	if (!strncmp(answer, "failed ", 7))
		warning("--runtimes: Python process %d gets no names: %s", r->pid, answer + 7);
	if (!strcmp(answer, "again"))
		warning("--runtimes: Python process %d gets no names: it has had them before, or its map "
			"(see "
			"/tmp/perf-%d.map) is left from another one; Python crashes when they are switched "
			"on twice",
			r->pid, r->pid);
	script__close(&r->script, true);
}

static void remote_python__exit(struct remote_python *r)
{
	script__close(&r->script, false);
	file__close(r->process);
}

static bool remote_pythons__add(struct remote_pythons *r, pid_t pid, struct strbuf *why_not)
{
	struct remote_python p = { .pid = pid, .script = { .folder = -1, .fd = -1 } };
	const char *why;

	p.process = (int)syscall(SYS_pidfd_open, pid, 0);
	snprintf(p.mark, sizeof(p.mark), "%d-%llx", getpid(), (unsigned long long)clock__ns());
	why = remote_python__ask(&p, SWITCH_ON);
	if (why) {
		strbuf__addf(why_not, "%sprocess %d: %s", why_not->len ? "; " : "", pid, why);
		remote_python__exit(&p);
		return false;
	}
	array__add(&r->v, p);
	return true;
}

int remote_pythons__start(struct remote_pythons **out, const struct target_opts *opts, struct err *err)
{
	const struct target_opts processes = { .pids = opts->pids, .tids = opts->tids };
	struct strbuf why = STRBUF_INIT;
	struct remote_pythons *r;
	struct target t;
	int ret = target__init(&t, &processes, err);

	if (ret)
		return ret;
	r = xcalloc(1, sizeof(*r));
	block_signals(r);
	for (size_t i = 0; i < t.pids.nr; i++)
		if (remote_pythons__add(r, t.pids.v[i], &why))
			info("Python process %d runs a script of perf now and at the end: its functions get "
			     "names",
			     t.pids.v[i]);
	target__exit(&t);
	if (!r->v.nr) {
		ret = err__set(err, -EINVAL, "--runtimes: no running Python can be asked for names: %s",
			       why.buf);
		err__advise(err,
			    "other programs get names if perf starts them, by the environment of a command");
		remote_pythons__stop(r);
	} else {
		remote_pythons__wait(r, START_MS);
		for (size_t i = 0; i < r->v.nr; i++)
			remote_python__see(&r->v.v[i]);
		*out = r;
	}
	strbuf__exit(&why);
	return ret;
}

/* The process has not come to the script: take it back. */
static void remote_python__cancel(struct remote_python *r)
{
	const struct remote_pythons all = { .v = { .v = r, .nr = 1 } };
	const s32 none = 0;
	struct python_thread t;

	if (r->script.fd < 0)
		return;
	if (!remote_python__has_ended(r) && !remote_python__thread(r, &t))
		write_process(r, t.pending, &none, sizeof(none));
	remote_pythons__wait(&all, CANCEL_MS); /* it may just have begun to read the script */
	remote_python__see(r);
	script__close(&r->script, true);
}

void remote_pythons__stop(struct remote_pythons *r)
{
	char answer[256];

	for (size_t i = 0; r && i < r->v.nr; i++) {
		struct remote_python *p = &r->v.v[i];

		remote_python__see(p);
		remote_python__cancel(p);
		if (p->is_on && !remote_python__has_ended(p))
			remote_python__ask(p, SWITCH_OFF);
	}
	if (!r)
		return;
	remote_pythons__wait(r, STOP_MS);
	for (size_t i = 0; i < r->v.nr; i++) {
		struct remote_python *p = &r->v.v[i];
		bool is_done = script__is_done(&p->script, answer, sizeof(answer)),
		     ended = remote_python__has_ended(p);

		if (p->is_on && !is_done && !ended)
			info("Python process %d is in a long call: it gives names until that returns",
			     p->pid);
		if (is_done || ended)
			script__close(&p->script, true);
		remote_python__exit(p);
	}
	array__exit(&r->v);
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
	free(r);
}
