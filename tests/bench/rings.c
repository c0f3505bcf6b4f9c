/*
 * perf record on a machine with many CPUs, without such a machine: the whole recorder runs, but a thread
 * stands in for the kernel. It fills a ring in memory for each CPU with samples as a kernel does: at the
 * rates and with the stack copies that the enabled counters ask for, up to data_tail, with LOST records,
 * and with wake-ups where a counter's watermark is passed.
 *
 *	rings CPUS SECONDS PID,... record ARGS
 *
 * The samples are real: before the first counter is enabled, the real kernel samples the threads of these
 * processes, which are stopped then. Each CPU replays those of one process, with its own CPU, thread and
 * time.
 *
 * Prints a line for each thread of the recorder, "thread PERCENT ADDRESS" with the address of its function in
 * the file of this program, in hex (0: main), and "cpus N rate HZ made N lost N
 * seconds N ns N cores N fill PERCENT late_us N": made are samples, lost those without room; ns is processor
 * time of the recorder for a sample, without the kernel's part; fill is that of the fullest ring. late_us:
 * how late the samples came at most, because this thread had to wait for a CPU itself.
 */
#include "base/memory/array.h"
#include "base/system/clock.h"
#include "live/limits.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CPUS_MAX = 1024,
	FDS_MAX = 65536,
	SAMPLES_EACH = 200, /* of each process */
	HARVEST_COPY = 60 << 10,
	HARVEST_BYTES = 64 << 20, /* of the ring for them */
	HARVEST_MS = 5000,
	TICK_NS = 200000, /* time between two looks at all CPUs */
};

/* ---- the samples ---- */

struct layout { /* offsets in a sample, in bytes; 0: not there */
	size_t id, tid, time, cpu;
};

struct taken {           /* a real sample */
	u8 *record;      /* up to the size of its stack copy; owned */
	size_t size;     /* bytes of that */
	const u8 *stack; /* owned */
	u64 stack_size;  /* bytes */
	bool has_stack;
};

struct process {
	pid_t pid;
	ARRAY(struct taken) v;
};

/* ---- the counters and rings of the CPUs ---- */

struct made_counter {
	struct perf_event_attr attr;
	int cpu; /* -1: the descriptor is none of these counters */
	u64 id;
	u64 period; /* ns; 0: does not sample */
	bool is_on; /* atomic */
	u64 lost;   /* atomic */
	u64 next;   /* ns: time of its next sample */
	int output; /* descriptor of the counter whose ring it writes to */
};

struct made_ring {
	struct perf_event_mmap_page *control; /* NULL: not mapped */
	u64 size, woken;
	int fd;  /* of its counter */
	u64 gap; /* samples lost since the last record */
};

static struct {
	int nr_cpus;
	double seconds;
	struct process processes[16];
	int nr_processes;
	struct made_counter *counters; /* by descriptor */
	struct made_ring *rings;       /* likewise */
	int sampling[8 * CPUS_MAX], nr_sampling;
	u64 next_id;
	struct layout at;
	pthread_t thread;
	bool is_running, stops;
	unsigned seed;
	pthread_mutex_t lock; /* of counters and rings */
	u64 made, lost, late, fill;
} kernel = { .next_id = 1000, .lock = PTHREAD_MUTEX_INITIALIZER };

static void die(const char *what)
{
	fprintf(stderr, "rings: %s: %s\n", what, strerror(errno));
	exit(1);
}

static struct made_counter *made_counter__at(int fd)
{
	return fd >= 0 && fd < FDS_MAX && kernel.counters && kernel.counters[fd].cpu >= 0
		       ? &kernel.counters[fd]
		       : NULL;
}

/* ---- taking real samples ---- */

static struct layout layout_of(const struct perf_event_attr *a)
{
	const u64 known = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			  PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			  PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	const u64 fields[] = { PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
			       PERF_SAMPLE_CPU };
	struct layout l = { 0 };
	size_t at = sizeof(struct perf_event_header);

	if (a->sample_type & ~known)
		errno = ENOTSUP, die("fields of samples");
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		size_t *to[] = { &l.id, &(size_t){ 0 }, &l.tid, &l.time, &l.cpu };

		if (!(a->sample_type & fields[i]))
			continue;
		*to[i] = at;
		at += sizeof(u64);
	}
	return l;
}

/* Return the offset of the size of the stack copy. */
static size_t stack_at(const struct perf_event_attr *a, const u8 *record)
{
	size_t at = sizeof(struct perf_event_header);
	u64 n;

	for (u64 f = a->sample_type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	     f; f &= f - 1)
		at += sizeof(u64);
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN) {
		memcpy(&n, record + at, sizeof(n));
		at += sizeof(u64) * (1 + n);
	}
	memcpy(&n, record + at, sizeof(n)); /* the abi */
	return at + sizeof(u64) * (1 + (n ? (size_t)__builtin_popcountll(a->sample_regs_user) : 0));
}

static void process__add(struct process *p, const struct perf_event_attr *a, const u8 *record)
{
	struct taken t = { 0 };
	u64 size = 0;

	t.size = stack_at(a, record);
	memcpy(&size, record + t.size, sizeof(size));
	t.record = memcpy(malloc(t.size), record, t.size);
	t.has_stack = size;
	if (size) {
		memcpy(&t.stack_size, record + t.size + sizeof(u64) + size, sizeof(u64));
		t.stack = memcpy(malloc(t.stack_size + 1), record + t.size + sizeof(u64), t.stack_size);
	}
	array__add(&p->v, t);
}

/* Take what is in a ring of the real kernel. Its records do not wrap: it is large enough. */
static void process__take(struct process *p, const struct perf_event_attr *a,
			  const struct perf_event_mmap_page *control)
{
	const u8 *data = (const u8 *)control + sysconf(_SC_PAGESIZE);
	u64 head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	const struct perf_event_header *h;

	for (u64 at = 0; at < head; at += h->size) {
		h = (const void *)(data + at);
		if (h->type == PERF_RECORD_SAMPLE)
			process__add(p, a, (const u8 *)h);
	}
}

static void process__sample_thread(struct process *p, struct perf_event_attr a, pid_t tid)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *control;
	int fd;

	a.sample_stack_user = HARVEST_COPY;
	a.disabled = a.inherit = 0;
	a.freq = 1;
	a.sample_freq = 2000;
	a.watermark = 1;
	a.wakeup_watermark = HARVEST_BYTES;
	fd = (int)syscall(SYS_perf_event_open, &a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		die("perf_event_open");
	control = mmap(NULL, page + HARVEST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		die("mmap");
	for (int ms = 0; ms < HARVEST_MS; ms += 10) {
		if (__atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE) > HARVEST_COPY * (u64)SAMPLES_EACH)
			break;
		usleep(10000);
	}
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	process__take(p, &a, control);
	munmap(control, page + HARVEST_BYTES);
	close(fd);
}

static void harvest(const struct perf_event_attr *a)
{
	kernel.at = layout_of(a);
	for (int i = 0; i < kernel.nr_processes; i++) {
		struct process *p = &kernel.processes[i];
		char path[64];
		struct dirent *e;
		DIR *d;

		kill(p->pid, SIGCONT); /* stopped by an earlier run */
		snprintf(path, sizeof(path), "/proc/%d/task", (int)p->pid);
		d = opendir(path);
		while (d && (e = readdir(d)))
			if (atoi(e->d_name) > 0 && p->v.nr < SAMPLES_EACH)
				process__sample_thread(p, *a, atoi(e->d_name));
		if (d)
			closedir(d);
		kill(p->pid, SIGSTOP);
		if (!p->v.nr)
			errno = ENODATA, die(path);
	}
}

/* ---- as the kernel fills rings ---- */

static void ring__put(struct made_ring *r, u64 *head, const void *data, u64 size)
{
	u8 *to = (u8 *)r->control + sysconf(_SC_PAGESIZE);
	u64 at = *head & (r->size - 1), first = MIN(size, r->size - at);

	memcpy(to + at, data, first);
	memcpy(to, (const u8 *)data + first, size - first);
	*head += size;
}

/* Return whether there is room, as the kernel counts it: one byte stays free. */
static bool ring__has_room(const struct made_ring *r, u64 size)
{
	u64 tail = __atomic_load_n(&r->control->data_tail, __ATOMIC_ACQUIRE);

	return r->size - 1 - (r->control->data_head - tail) >= size;
}

static void ring__publish(struct made_ring *r, u64 head, const struct made_counter *c)
{
	u64 mark = c->attr.watermark ? c->attr.wakeup_watermark : r->size / 2, one = 1;

	__atomic_store_n(&r->control->data_head, head, __ATOMIC_RELEASE);
	kernel.fill = MAX(kernel.fill, (head - r->control->data_tail) * 100 / r->size);
	mark = mark ? MIN(mark, r->size / 2) : r->size / 2;
	if (head - r->woken <= mark)
		return;
	r->woken += mark;
	if (write(r->fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		die("write");
}

static u64 sample_size(const struct taken *t, const struct perf_event_attr *a)
{
	return t->size + sizeof(u64) + (t->has_stack ? a->sample_stack_user + sizeof(u64) : 0);
}

static void put_lost(struct made_ring *r, u64 *head, const struct made_counter *c, const u8 *sample)
{
	struct {
		struct perf_event_header h;
		u64 id, lost;
	} lost = { { PERF_RECORD_LOST, 0, sizeof(lost) }, c->id, r->gap };
	const size_t ids[] = { kernel.at.tid, kernel.at.time, kernel.at.cpu };

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		lost.h.size += ids[i] ? sizeof(u64) : 0;
	lost.h.size += kernel.at.id ? sizeof(u64) : 0;
	ring__put(r, head, &lost, sizeof(lost));
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		if (ids[i])
			ring__put(r, head, sample + ids[i], sizeof(u64));
	if (kernel.at.id)
		ring__put(r, head, &c->id, sizeof(u64));
	r->gap = 0;
}

static void put_sample(struct made_ring *r, struct made_counter *c, u64 time)
{
	enum { LOST_SIZE = 64 };
	const struct process *p = &kernel.processes[c->cpu % kernel.nr_processes];
	const struct taken *t = &p->v.v[rand_r(&kernel.seed) % p->v.nr];
	u64 size = sample_size(t, &c->attr), copy = c->attr.sample_stack_user,
	    have = MIN(copy, t->stack_size);
	u64 head = r->control->data_head, cpu = (u64)c->cpu;
	struct perf_event_header *h = (void *)t->record;
	/* threads that no process of this machine has, but the first */
	u32 ids[2] = { (u32)p->pid, (u32)p->pid + ((u32)(c->cpu / kernel.nr_processes) << 22) };

	kernel.made++;
	if (!ring__has_room(r, size + (r->gap ? LOST_SIZE : 0))) {
		__atomic_fetch_add(&c->lost, 1, __ATOMIC_RELAXED);
		r->gap++;
		kernel.lost++;
		return;
	}
	h->size = (u16)size;
	if (kernel.at.id)
		memcpy(t->record + kernel.at.id, &c->id, sizeof(u64));
	memcpy(t->record + kernel.at.tid, ids, sizeof(ids));
	memcpy(t->record + kernel.at.time, &time, sizeof(u64));
	if (kernel.at.cpu)
		memcpy(t->record + kernel.at.cpu, &cpu, sizeof(u64));
	if (r->gap)
		put_lost(r, &head, c, t->record);
	ring__put(r, &head, t->record, t->size);
	copy = t->has_stack ? copy : 0;
	ring__put(r, &head, &copy, sizeof(copy));
	if (copy) {
		ring__put(r, &head, t->stack, have);
		head += copy - have;
		ring__put(r, &head, &have, sizeof(have));
	}
	ring__publish(r, head, c);
}

/* Let the counters of all CPUs sample up to now. */
static void fill_until(u64 now)
{
	pthread_mutex_lock(&kernel.lock);
	for (int i = 0; i < kernel.nr_sampling; i++) {
		struct made_counter *c = &kernel.counters[kernel.sampling[i]];
		struct made_ring *r = &kernel.rings[c->output];

		if (!__atomic_load_n(&c->is_on, __ATOMIC_ACQUIRE) || !r->control) {
			c->next = 0;
			continue;
		}
		if (!c->next) /* CPUs do not sample at the same time */
			c->next = now + (u64)rand_r(&kernel.seed) % c->period;
		for (; c->next <= now; c->next += c->period)
			put_sample(r, c, c->next);
	}
	pthread_mutex_unlock(&kernel.lock);
}

/* ---- what the recorder's threads took ---- */

struct used {
	int tid;
	u64 ns;
};

/* The functions of the recorder's threads, except the first one. */
struct started {
	void *(*run)(void *);
	void *arg;
	int tid; /* atomic */
};
static struct started started[1024];
static int nr_started; /* atomic */

static void *run_started(void *arg)
{
	struct started *s = arg;

	__atomic_store_n(&s->tid, gettid(), __ATOMIC_RELAXED);
	return s->run(s->arg);
}

/* Return the address of a thread's function in the file of this program, or 0. */
static u64 function_of(int tid)
{
	extern const char __executable_start[];

	for (int i = 0; i < MIN(nr_started, (int)ARRAY_SIZE(started)); i++)
		if (__atomic_load_n(&started[i].tid, __ATOMIC_RELAXED) == tid)
			return (u64)(uintptr_t)started[i].run - (u64)(uintptr_t)__executable_start;
	return 0;
}

static u64 used_by(int tid)
{
	char path[64], line[128] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	return strtoull(line, NULL, 10);
}

/* Note what all threads have used, or with before, print what they used since. Return the sum. */
static u64 look_at_threads(struct used *v, int max, int *nr, const struct used *before, int nr_before,
			   double ns)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	u64 sum = 0;

	*nr = 0;
	while (d && (e = readdir(d)) && *nr < max) {
		int tid = atoi(e->d_name);
		u64 used = used_by(tid), since = used;

		if (tid <= 0 || tid == gettid())
			continue;
		for (int i = 0; i < nr_before; i++)
			since -= before[i].tid == tid ? before[i].ns : 0;
		v[(*nr)++] = (struct used){ tid, used };
		sum += since;
		if (!before)
			continue;
		printf("thread %.1f%% %llx\n", 100 * (double)since / ns,
		       (unsigned long long)function_of(tid));
	}
	if (d)
		closedir(d);
	return sum;
}

static void *run_kernel(void *arg)
{
	enum { THREADS_MAX = 2048 };
	static struct used before[THREADS_MAX], after[THREADS_MAX];
	const struct sched_param first = { .sched_priority = 50 };
	u64 start, now, end, used;
	int nr_before, nr_after;

	(void)arg;
	pthread_setname_np(pthread_self(), "kernel");
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);
	look_at_threads(before, THREADS_MAX, &nr_before, NULL, 0, 1);
	start = now = clock__ns();
	end = start + (u64)(kernel.seconds * 1e9);
	while (now < end && !__atomic_load_n(&kernel.stops, __ATOMIC_ACQUIRE)) {
		struct timespec until = { (time_t)((now + TICK_NS) / NS_PER_SECOND),
					  (long)((now + TICK_NS) % NS_PER_SECOND) };
		u64 before_ns = now;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		now = clock__ns();
		kernel.late = MAX(kernel.late, now - before_ns - TICK_NS);
		fill_until(now);
		now = MAX(before_ns + TICK_NS, clock__ns() - TICK_NS);
	}
	now = clock__ns();
	used = look_at_threads(after, THREADS_MAX, &nr_after, before, nr_before, (double)(now - start));
	printf("cpus %d rate %.0f made %llu lost %llu seconds %.2f ns %.0f cores %.2f "
	       "fill %llu late_us %llu\n",
	       kernel.nr_cpus, (double)kernel.made / kernel.nr_cpus / ((double)(now - start) / 1e9),
	       (unsigned long long)kernel.made, (unsigned long long)kernel.lost, (double)(now - start) / 1e9,
	       (double)used / (double)(kernel.made - kernel.lost), (double)used / (double)(now - start),
	       (unsigned long long)kernel.fill, (unsigned long long)kernel.late / 1000);
	fflush(stdout);
	return NULL;
}

/* ---- in place of system calls ---- */

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__real_mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
ssize_t __real_read(int fd, void *to, size_t size);
ssize_t __wrap_read(int fd, void *to, size_t size);
int __real_munmap(void *base, size_t size);
int __wrap_munmap(void *base, size_t size);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_dup3(int from, int to, int flags);
int __wrap_dup3(int from, int to, int flags);
int __real_epoll_ctl(int epoll, int op, int fd, struct epoll_event *e);
int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *e);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
long __real_sysconf(int name);
long __wrap_sysconf(int name);
void __wrap_limits__online_cpus(int_array *cpus);

static long open_counter(const struct perf_event_attr *a, int cpu)
{
	struct made_counter *c;
	int fd;

	if (a->type != PERF_TYPE_SOFTWARE || cpu >= kernel.nr_cpus) {
		errno = cpu >= kernel.nr_cpus ? ENODEV : ENOENT;
		return -1;
	}
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (fd < 0 || fd >= FDS_MAX)
		return -1;
	c = &kernel.counters[fd];
	pthread_mutex_lock(&kernel.lock);
	*c = (struct made_counter){ .attr = *a, .cpu = cpu, .id = ++kernel.next_id, .output = fd };
	if (a->config == PERF_COUNT_SW_CPU_CLOCK)
		c->period = a->freq ? NS_PER_SECOND / a->sample_freq : a->sample_period;
	pthread_mutex_unlock(&kernel.lock);
	return fd;
}

/* Counters of CPUs are ours, those of threads are the real kernel's. */
long __wrap_syscall(long nr, ...)
{
	va_list args;
	long a[6];

	va_start(args, nr);
	for (size_t i = 0; i < ARRAY_SIZE(a); i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (nr == SYS_perf_event_open && kernel.counters && a[0] && (int)a[1] == -1)
		return open_counter((const struct perf_event_attr *)a[0], (int)a[2]);
	return __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void enable(struct made_counter *c)
{
	if (c->period && !kernel.is_running && !kernel.stops) {
		for (int fd = 0; fd < FDS_MAX; fd++)
			if (made_counter__at(fd) && kernel.counters[fd].period)
				kernel.sampling[kernel.nr_sampling++] = fd;
		harvest(&c->attr);
		kernel.is_running = !pthread_create(&kernel.thread, NULL, run_kernel, NULL);
	}
	__atomic_store_n(&c->is_on, true, __ATOMIC_RELEASE);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct made_counter *c = made_counter__at(fd);
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (!c)
		return __real_ioctl(fd, request, arg);
	switch (request) {
	case PERF_EVENT_IOC_ID:
		memcpy(arg, &c->id, sizeof(u64));
		return 0;
	case PERF_EVENT_IOC_ENABLE:
		enable(c);
		return 0;
	case PERF_EVENT_IOC_DISABLE:
		__atomic_store_n(&c->is_on, false, __ATOMIC_RELEASE);
		return 0;
	case PERF_EVENT_IOC_SET_OUTPUT:
		c->output = (int)(intptr_t)arg;
		return 0;
	case PERF_EVENT_IOC_PERIOD:
		__atomic_store_n(&c->period, *(const u64 *)arg, __ATOMIC_RELAXED);
		return 0;
	}
	return 0;
}

void *__wrap_mmap64(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct made_counter *c = made_counter__at(fd);
	struct made_ring *r;
	void *base;

	if (!c)
		return __real_mmap64(addr, size, prot, flags, fd, offset);
	base = __real_mmap64(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
			     -1, 0);
	if (base == MAP_FAILED)
		return base;
	r = &kernel.rings[fd];
	*r = (struct made_ring){ .control = base, .size = size - (size_t)sysconf(_SC_PAGESIZE), .fd = fd };
	return base;
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	struct made_counter *c = made_counter__at(fd);
	u64 v[5] = { 0 };
	size_t nr = 1;

	if (!c)
		return __real_read(fd, to, size);
	nr += c->attr.read_format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0;
	nr += c->attr.read_format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0;
	if (c->attr.read_format & PERF_FORMAT_ID)
		v[nr++] = c->id;
	if (c->attr.read_format & PERF_FORMAT_LOST)
		v[nr++] = __atomic_load_n(&c->lost, __ATOMIC_RELAXED);
	memcpy(to, v, MIN(size, nr * sizeof(*v)));
	return (ssize_t)MIN(size, nr * sizeof(*v));
}

int __wrap_close(int fd)
{
	struct made_counter *c = made_counter__at(fd);

	if (!c)
		return __real_close(fd);
	pthread_mutex_lock(&kernel.lock);
	c->cpu = -1;
	pthread_mutex_unlock(&kernel.lock);
	return __real_close(fd);
}

/* The recording ends when a ring goes. */
int __wrap_munmap(void *base, size_t size)
{
	bool is_ring = false;

	for (int fd = 0; kernel.is_running && !is_ring && fd < FDS_MAX; fd++)
		is_ring = kernel.rings[fd].control == base;
	if (is_ring) {
		kernel.is_running = false;
		__atomic_store_n(&kernel.stops, true, __ATOMIC_RELEASE);
		pthread_join(kernel.thread, NULL);
	}
	return __real_munmap(base, size);
}

/* A counter that is opened anew gets the number of the one before, and writes to its ring. */
int __wrap_dup3(int from, int to, int flags)
{
	struct made_counter *c = made_counter__at(from);
	int ret;

	pthread_mutex_lock(&kernel.lock);
	ret = __real_dup3(from, to, flags);
	if (c && ret >= 0) {
		kernel.counters[to] = *c;
		if (c->output == from)
			kernel.counters[to].output = to;
	}
	pthread_mutex_unlock(&kernel.lock);
	return ret;
}

/* A poll of a counter clears its flag; an eventfd's stays until it is read. */
int __wrap_epoll_ctl(int epoll, int op, int fd, struct epoll_event *e)
{
	struct epoll_event edge;

	if (!made_counter__at(fd) || !e)
		return __real_epoll_ctl(epoll, op, fd, e);
	edge = *e;
	edge.events |= EPOLLET;
	return __real_epoll_ctl(epoll, op, fd, &edge);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	int i = __atomic_fetch_add(&nr_started, 1, __ATOMIC_RELAXED);

	if (i >= (int)ARRAY_SIZE(started))
		return __real_pthread_create(thread, attr, run, arg);
	started[i] = (struct started){ run, arg, 0 };
	return __real_pthread_create(thread, attr, run_started, &started[i]);
}

long __wrap_sysconf(int name)
{
	if (kernel.nr_cpus && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF))
		return kernel.nr_cpus;
	return __real_sysconf(name);
}

void __wrap_limits__online_cpus(int_array *cpus)
{
	for (int i = 0; i < kernel.nr_cpus; i++)
		array__add(cpus, i);
}

int perf_main(int argc, const char **argv);

int main(int argc, char **argv)
{
	if (argc < 5 || atoi(argv[1]) < 1 || atoi(argv[1]) > CPUS_MAX) {
		fprintf(stderr, "usage: rings CPUS SECONDS PID,... record ARGS\n");
		return 2;
	}
	kernel.nr_cpus = atoi(argv[1]);
	kernel.seconds = atof(argv[2]);
	for (char *at = strtok(argv[3], ","); at && kernel.nr_processes < 16; at = strtok(NULL, ","))
		kernel.processes[kernel.nr_processes++].pid = atoi(at);
	kernel.counters = xcalloc(FDS_MAX, sizeof(*kernel.counters));
	kernel.rings = xcalloc(FDS_MAX, sizeof(*kernel.rings));
	for (int i = 0; i < FDS_MAX; i++)
		kernel.counters[i].cpu = -1;
	argv[3] = argv[0];
	return perf_main(argc - 3, (const char **)argv + 3);
}
