#include "record/describe/kept_jit.h"

#include "base/memory/array.h"
#include "base/system/clock.h"
#include "base/system/thread.h"
#include "binary/elf/kept_files.h"
#include "binary/symbols/jitdump.h"
#include "binary/symbols/perf_map.h"
#include "live/proc.h"
#include "record/describe/private_mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK_MS = 50,      /* and one more for each four files */
	FILES_MAX = 4096,  /* files that are looked for */
	INBOX_MAX = 4096,  /* records between two ticks */
	LOOKS_PER_AGE = 4, /* a file is looked for again after this part of the time since the first look */
	LOOK_MS = 10000,   /* ... but at least so often */
	SHORT_ROUNDS_MS = 60000,
	FINISH_SECONDS = 2, /* limit of the last look: a file system may not answer */
};

struct jit_file { /* a perf-PID.map, or a dump */
	u32 pid;
	char *dump; /* name in the map record; NULL: a perf-PID.map */
	u64 ino;    /* of the dump */
	u32 uid, ns_pid;
	char *root;              /* of a process in our own mount namespace; NULL: another one, or unknown */
	int fd;                  /* -1: none yet */
	bool is_copy;            /* fd is a copy of the content */
	dev_t dev;               /* of the file */
	ino_t file_ino;          /* of the file */
	u64 first, looked, next; /* ms; first look, last look, next look */
};

struct sighting { /* as in struct jit_file */
	u32 pid;
	char *dump;
	u64 ino;
};
typedef ARRAY(struct sighting) sighting_array;

struct kept_jit {
	struct kept_files *files;
	size_t max, nr_open;
	pthread_mutex_t lock; /* protects inbox, is_ending, has_ended */
	pthread_cond_t wake;
	sighting_array inbox;
	bool is_ending, has_ended;
	bool is_started;
	u64 private_at; /* ms; when a process in another mount namespace was met last; atomic */
	pthread_t thread;
	ARRAY(struct jit_file) v; /* the thread's */
};

struct kept_jit *kept_jit__new(struct kept_files *files, size_t max)
{
	struct kept_jit *k = xcalloc(1, sizeof(*k));

	k->files = files;
	k->max = max;
	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->wake, NULL);
	return k;
}

/* ---- one file ---- */

static void jit_file__exit(struct jit_file *f)
{
	file__close(f->fd);
	free(f->root);
	free(f->dump);
}

/* Hand over what is open. */
static void kept_jit__hand_over(struct kept_jit *k, struct jit_file *f)
{
	struct kept_id id = { .name = f->dump, .pid = f->pid, .ino = f->ino };
	char name[32];

	if (f->fd < 0)
		return;
	snprintf(name, sizeof(name), "/tmp/perf-%u.map", f->pid);
	if (!f->dump)
		id.name = name;
	kept_files__add_open(k->files, &id, f->fd);
	f->fd = -1;
	k->nr_open--;
}

static bool is_in_own_namespace(u32 pid)
{
	struct stat own, other;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
	return !stat("/proc/self/ns/mnt", &own) && !stat(path, &other) && own.st_ino == other.st_ino;
}

/* Open the file as it is now. Return a descriptor or a negative errno. */
static int jit_file__open(const struct jit_file *f, bool is_running)
{
	char *path, name[32];
	int root, fd;

	if (!is_running && !f->root)
		return -ENOENT;
	path = is_running ? xasprintf("/proc/%u/root", f->pid) : xstrdup(f->root);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(path);
	if (root < 0)
		return -errno;
	snprintf(name, sizeof(name), "/tmp/perf-%u.map", f->ns_pid);
	fd = perf_map__open_in(root, f->dump ? f->dump : name, f->uid);
	close(root);
	return fd;
}

/* Learn what must be known of the process when it has ended. Return whether it runs. */
static bool kept_jit__ask_process(struct kept_jit *k, struct jit_file *f)
{
	struct proc_status p;

	if (proc__status((pid_t)f->pid, (pid_t)f->pid, &p) || !p.ns_pid)
		return false;
	if (f->ns_pid)
		return true;
	f->uid = p.uid;
	f->ns_pid = (u32)p.ns_pid;
	if (!is_in_own_namespace(f->pid))
		__atomic_store_n(&k->private_at, clock__ms(), __ATOMIC_RELAXED);
	else
		f->root = file__link_target("/proc/%u/root", f->pid);
	return true;
}

/* Take a descriptor of the file in a form that can be kept while the process runs. */
static void kept_jit__take(struct kept_jit *k, struct jit_file *f, int fd, const struct stat *st)
{
	bool holds = kept_files__may_hold(k->files, fd);
	int private = holds ? -1 : private_mount__open(fd, f->root ? 0 : f->pid);
	int copy = holds || private >= 0 ? -1 : kept_files__copy(fd, (u64)st->st_size);

	if (!holds)
		close(fd);
	fd = holds ? fd : private >= 0 ? private : copy;
	if (fd < 0)
		return;
	f->is_copy = copy >= 0;
	f->fd = fd;
	f->dev = st->st_dev;
	f->file_ino = st->st_ino;
	k->nr_open++;
}

/* Look at the file, and open or copy it unless it is open. */
static void kept_jit__look(struct kept_jit *k, struct jit_file *f, bool is_running)
{
	int fd = jit_file__open(f, is_running);
	bool is_same;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || (f->dump && f->ino && st.st_ino != f->ino)) {
		close(fd);
		return;
	}
	is_same = f->fd >= 0 && f->dev == st.st_dev && f->file_ino == st.st_ino;
	if (is_same && f->is_copy) {
		close(f->fd); /* take it anew */
		f->fd = -1;
		k->nr_open--;
	} else if (f->fd >= 0 && !is_same) {
		kept_jit__hand_over(k, f); /* the process has a new one */
	}
	if (f->fd < 0 && k->nr_open < k->max)
		kept_jit__take(k, f, fd, &st);
	else
		close(fd);
}

/* Return whether the file is still needed here. */
static bool kept_jit__step(struct kept_jit *k, struct jit_file *f, u64 now, bool is_last)
{
	bool is_running = kill((pid_t)f->pid, 0) == 0 || errno == EPERM;

	is_running = is_running && (now < f->next || kept_jit__ask_process(k, f));
	if (is_running && now >= f->next) {
		kept_jit__look(k, f, true);
		now = clock__ms();
		f->looked = now;
		f->next = now + MIN(MAX((now - f->first) / LOOKS_PER_AGE, (u64)TICK_MS), (u64)LOOK_MS);
	}
	/* at the end only: until then, something may want to unmount the root folder */
	if (!is_running && is_last && f->ns_pid && (f->fd < 0 || f->is_copy))
		kept_jit__look(k, f, false);
	if (is_running && !is_last)
		return true;
	kept_jit__hand_over(k, f);
	return false;
}

/* ---- the thread ---- */

static void kept_jit__add(struct kept_jit *k, const struct sighting *s, u64 now)
{
	for (size_t i = 0; i < k->v.nr; i++) {
		struct jit_file *f = &k->v.v[i];

		if (f->pid == s->pid && f->ino == s->ino && !f->dump == !s->dump &&
		    (!f->dump || !strcmp(f->dump, s->dump))) {
			f->next =
				MIN(f->next, f->looked + TICK_MS); /* more code: the file may be there now */
			free(s->dump);
			return;
		}
	}
	if (k->v.nr < FILES_MAX)
		array__add(&k->v, ((struct jit_file){ .pid = s->pid,
						      .dump = s->dump,
						      .ino = s->ino,
						      .fd = -1,
						      .first = now,
						      .next = now }));
	else
		free(s->dump);
}

static void kept_jit__tick(struct kept_jit *k, const sighting_array *seen, bool is_last)
{
	u64 now = clock__ms();
	size_t nr = 0;

	for (size_t i = 0; i < seen->nr; i++)
		kept_jit__add(k, &seen->v[i], now);
	for (size_t i = 0; i < k->v.nr; i++) {
		struct jit_file *f = &k->v.v[i];

		if (is_last)
			f->next = 0;
		if (kept_jit__step(k, f, now, is_last))
			k->v.v[nr++] = *f;
		else
			jit_file__exit(f);
	}
	k->v.nr = nr;
}

/* Wait for records, or for the next tick if there are files to look for. */
static void kept_jit__wait(struct kept_jit *k)
{
	struct timespec until;
	int ret = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (TICK_MS + (long)k->v.nr / 4) * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	while (!ret && !k->inbox.nr && !k->is_ending)
		ret = k->v.nr ? pthread_cond_timedwait(&k->wake, &k->lock, &until)
			      : pthread_cond_wait(&k->wake, &k->lock);
}

static void *kept_jit__run(void *arg)
{
	struct kept_jit *k = arg;
	sighting_array seen;
	bool is_last;

	pthread_mutex_lock(&k->lock);
	do {
		kept_jit__wait(k);
		is_last = k->is_ending;
		seen = k->inbox;
		k->inbox = (sighting_array){ 0 };
		pthread_mutex_unlock(&k->lock);
		kept_jit__tick(k, &seen, is_last);
		array__exit(&seen);
		pthread_mutex_lock(&k->lock);
	} while (!is_last);
	k->has_ended = true;
	pthread_cond_broadcast(&k->wake);
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

/* Is it executable memory in which a JIT compiler may have code? */
static bool is_memory_for_code(const struct mmap_record *m)
{
	static const char *const files[] = { "/memfd:", "/dev/shm/", "/SYSV", "[anon", "[heap]", "[stack" };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (!strncmp(m->filename, files[i], strlen(files[i])))
			return true;
	return mmap_record__is_anonymous(m);
}

static void kept_jit__start(struct kept_jit *k)
{
	if (!k->is_started)
		k->is_started = !thread__start(&k->thread, kept_jit__run, k);
}

void kept_jit__see(struct kept_jit *k, const struct mmap_record *m)
{
	bool is_dump = jitdump__is_name(m->filename) && !jitdump__is_made(m->filename);
	const struct sighting *last;

	if (m->cpumode != PERF_RECORD_MISC_USER || m->is_data || !m->pid || m->pid > INT_MAX ||
	    (m->is_mmap2 && !(m->prot & PROT_EXEC)) || (!is_dump && !is_memory_for_code(m)))
		return;
	pthread_mutex_lock(&k->lock);
	last = k->inbox.nr ? &k->inbox.v[k->inbox.nr - 1] : NULL;
	if (k->inbox.nr < INBOX_MAX && (is_dump || !last || last->dump || last->pid != m->pid)) {
		array__add(&k->inbox, ((struct sighting){ .pid = m->pid,
							  .dump = is_dump ? xstrdup(m->filename) : NULL,
							  .ino = is_dump ? m->ino : 0 }));
		kept_jit__start(k);
		pthread_cond_signal(&k->wake);
	}
	pthread_mutex_unlock(&k->lock);
}

bool kept_jit__wants_short_rounds(const struct kept_jit *k)
{
	u64 at = k ? __atomic_load_n(&k->private_at, __ATOMIC_RELAXED) : 0;

	return at && clock__ms() - at < SHORT_ROUNDS_MS;
}

/* Wait for the thread. Return whether it has ended: a file system may not answer. */
static bool kept_jit__join(struct kept_jit *k)
{
	struct timespec until;
	int ret = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += FINISH_SECONDS;
	pthread_mutex_lock(&k->lock);
	k->is_ending = true;
	pthread_cond_broadcast(&k->wake);
	while (!ret && !k->has_ended && k->is_started)
		ret = pthread_cond_timedwait(&k->wake, &k->lock, &until);
	pthread_mutex_unlock(&k->lock);
	if (!ret && k->is_started)
		pthread_join(k->thread, NULL);
	return !ret;
}

void kept_jit__finish(struct kept_jit *k)
{
	if (!k || !kept_jit__join(k))
		return; /* a thread that does not answer keeps its memory */
	array__exit(&k->v);
	array__exit(&k->inbox);
	pthread_cond_destroy(&k->wake);
	pthread_mutex_destroy(&k->lock);
	free(k);
}
