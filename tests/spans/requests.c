#define _GNU_SOURCE
#include "requests.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FAULT_NS = 30000000, ONE_OF = 200, CLOCK_NS = 4000000 };

static const char *const cause_names[] = {
	[CAUSE_NONE] = "-",  [CAUSE_LOCK] = "lock", [CAUSE_FAULTS] = "faults",
	[CAUSE_CPU] = "cpu", [CAUSE_LOOP] = "loop", [CAUSE_SLEEP] = "sleep",
};
static const char *const outcome_names[] = {
	[RETURNED] = "returned", [THROWN] = "thrown", [JUMPED] = "jumped", [EXITED] = "exited"
};
static const char *const comms[NR_WORKERS] = { "alpha", "bravo", "carol", "delta" };

struct note {
	struct request r;
	int tid;
};

struct worker {
	const struct requests_opts *opts;
	int nr; /* its number */
	uint64_t random, start, end;
	uint64_t turn; /* requests so far */
	uint64_t next; /* ns; when the next one comes, if is_clocked */
	struct note *notes;
	size_t nr_notes, max_notes;
	void (*serve)(struct worker *w);
	int is_planting;
	pthread_t thread;
	sem_t ended;
};

static struct worker workers[NR_WORKERS];
static double ns_of_round; /* of compute_hash */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t next_random(uint64_t *state) /* xorshift64* */
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717u;
}

static double to_share(uint64_t random) /* 0 < x <= 1 */
{
	return ((double)(random >> 11) + 1) / 9007199254740992.0;
}

/* e to the power of x, for x near 0; without libm */
static double power_of_e(double x)
{
	double sum = 1, term = 1;

	for (int i = 1; i < 20; i++)
		sum += term *= x / i;
	return sum;
}

static double log_of(double x) /* natural; 0 < x <= 1 */
{
	double y, sum = 0, term;
	int halves = 0;

	for (; x < 0.5; x *= 2)
		halves++;
	y = (x - 1) / (x + 1);
	term = y;
	for (int i = 1; i < 40; i += 2, term *= y * y)
		sum += term / i;
	return 2 * sum - halves * 0.69314718055994530942;
}

/* ---- what a request does ---- */

static volatile uint64_t sink;

KEEP void compute_hash(int rounds)
{
	uint64_t h = sink + 1;

	for (int i = 0; i < rounds; i++)
		h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)i;
	sink = h;
}

KEEP void parse_request(void)
{
	compute_hash((int)(50000 / ns_of_round));
}

pthread_mutex_t db_lock = PTHREAD_MUTEX_INITIALIZER;

/* What most requests want of the database they also get from a cache, while somebody has the lock. */
KEEP void read_row(void)
{
	if (pthread_mutex_trylock(&db_lock))
		return;
	compute_hash((int)(20000 / ns_of_round));
	pthread_mutex_unlock(&db_lock);
}

KEEP void write_row(void)
{
	pthread_mutex_lock(&db_lock);
	compute_hash((int)(20000 / ns_of_round));
	pthread_mutex_unlock(&db_lock);
}

KEEP void send_answer(void)
{
	sleep_until(now_ns() + 200000);
}

/* ---- faults ---- */

static struct {
	pthread_mutex_t turn; /* one request at a time has the fault */
	sem_t wanted, held;
	int fd;
} flusher = { .turn = PTHREAD_MUTEX_INITIALIZER };

/* Hold db_lock for FAULT_NS, or as long as the disk takes if that is longer. */
KEEP void flush_log(void)
{
	static char block[65536];
	uint64_t end;

	pthread_mutex_lock(&db_lock);
	end = now_ns() + FAULT_NS;
	sem_post(&flusher.held);
	while (now_ns() < end) {
		if (pwrite(flusher.fd, block, sizeof(block), 0) < 0 || fsync(flusher.fd))
			fail("fsync");
		if (now_ns() + 2000000 < end)
			sleep_until(now_ns() + 1000000);
	}
	pthread_mutex_unlock(&db_lock);
}

static void *flush_when_wanted(void *arg)
{
	for (;;) {
		while (sem_wait(&flusher.wanted))
			;
		flush_log();
	}
	return arg;
}

static void start_flusher(void)
{
	char path[] = "spans-log-XXXXXX";
	pthread_t t;

	flusher.fd = mkstemp(path);
	if (flusher.fd < 0)
		fail(path);
	unlink(path);
	sem_init(&flusher.wanted, 0, 0);
	sem_init(&flusher.held, 0, 0);
	if (pthread_create(&t, NULL, flush_when_wanted, NULL))
		fail("pthread_create");
	pthread_setname_np(t, "flusher");
}

KEEP void touch_pages(void)
{
	const size_t size = 1 << 20;
	uint64_t end = now_ns() + FAULT_NS;

	while (now_ns() < end) {
		char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			fail("mmap");
		madvise(p, size, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < size && now_ns() < end; i += 4096)
			p[i] = 1;
		munmap(p, size);
	}
}

/* Processes that take the CPU (see "thief" in server.c) wait at pipes of these names for a byte. */
static int thieves[NR_WORKERS];

KEEP void wake_thief(void)
{
	int cpu = sched_getcpu();

	if (write(thieves[cpu % 2], "x", 1) != 1)
		fail("cpu-thief");
}

static void find_thieves(void)
{
	for (int i = 0; i < 2; i++) {
		char path[32];

		snprintf(path, sizeof(path), "cpu-thief-%d", i);
		thieves[i] = open(path, O_WRONLY);
		if (thieves[i] < 0)
			fail(path);
	}
}

KEEP void retry_backoff(void)
{
	sleep_until(now_ns() + FAULT_NS);
}

static void suffer(struct request *r)
{
	uint64_t begin = now_ns();

	switch (r->cause) {
	case CAUSE_LOCK:
		write_row();
		break;
	case CAUSE_FAULTS:
		touch_pages();
		break;
	case CAUSE_CPU:
		wake_thief();
		break;
	case CAUSE_SLEEP:
		retry_backoff();
		break;
	default:
		break;
	}
	r->planted_ns = now_ns() - begin;
}

void do_request(struct request *r)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID), begin = now_ns();

	parse_request();
	compute_hash(r->hash_rounds);
	r->hash_ns = now_ns() - begin;
	if (r->cause == CAUSE_LOOP) {
		begin = now_ns();
		compute_hash((int)(FAULT_NS / ns_of_round));
		r->planted_ns = now_ns() - begin;
	} else if (r->cause) {
		suffer(r);
	}
	read_row();
	begin = now_ns();
	send_answer();
	r->wait_ns = now_ns() - begin;
	r->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

/* ---- workers ---- */

static void worker__choose(struct worker *w, struct request *r)
{
	const struct requests_opts *o = w->opts;
	uint64_t random = next_random(&w->random);
	double work = 0.9 + 0.2 * to_share(next_random(&w->random));
	int nr = 0, nth;

	if (o->is_varied) { /* about log-normal: a sum of 12 is near enough to normal */
		double normal = -6;

		for (int i = 0; i < 12; i++)
			normal += to_share(next_random(&w->random));
		work = power_of_e(0.4 * normal);
	}
	*r = (struct request){ .random = next_random(&w->random) };
	r->hash_rounds = (int)(work * 400000 / ns_of_round);
	nr = __builtin_popcount(o->causes);
	if (!nr || random % ONE_OF)
		return;
	nth = (int)(random / ONE_OF % (unsigned)nr);
	for (int c = 1; c < NR_CAUSES; c++)
		if (o->causes & 1u << c && !nth--)
			r->cause = (enum cause)c;
}

/* Wait until the next request comes. */
static void worker__think(struct worker *w)
{
	const struct requests_opts *o = w->opts;

	if (o->is_clocked) {
		while (w->next <= now_ns())
			w->next += CLOCK_NS;
		sleep_until(w->next);
	} else if (o->is_short) { /* a hundred at a time */
		if (w->turn % 100 == 0) {
			w->next += (uint64_t)(100 / o->rate * 1e9);
			sleep_until(w->next);
		}
	} else {
		sleep_until(now_ns() +
			    (uint64_t)(-log_of(to_share(next_random(&w->random))) / o->rate * 1e9));
	}
	w->turn++;
}

int worker__next(struct worker *w, struct request *r)
{
	worker__think(w);
	if (now_ns() >= w->end)
		return 0;
	worker__choose(w, r);
	w->is_planting = r->cause == CAUSE_LOCK;
	if (w->is_planting) {
		pthread_mutex_lock(&flusher.turn);
		sem_post(&flusher.wanted);
		while (sem_wait(&flusher.held))
			;
	}
	return 1;
}

void worker__done(struct worker *w, const struct request *r)
{
	if (w->is_planting)
		pthread_mutex_unlock(&flusher.turn);
	w->is_planting = 0;
	if (w->nr_notes == w->max_notes) {
		w->max_notes = w->max_notes ? 2 * w->max_notes : 4096;
		w->notes = realloc(w->notes, w->max_notes * sizeof(*w->notes));
		if (!w->notes)
			fail("realloc");
	}
	w->notes[w->nr_notes++] = (struct note){ .r = *r, .tid = gettid() };
}

static void *work(void *arg)
{
	struct worker *w = arg;

	pthread_setname_np(pthread_self(), comms[w->nr]);
	w->serve(w);
	sem_post(&w->ended);
	return NULL;
}

static void worker__start(struct worker *w)
{
	cpu_set_t cpus;

	if (pthread_create(&w->thread, NULL, work, w))
		fail("pthread_create");
	pthread_detach(w->thread);
	if (!(w->opts->causes & 1u << CAUSE_CPU))
		return;
	/* else the scheduler takes the thread to the other CPU */
	CPU_ZERO(&cpus);
	CPU_SET(w->nr % 2, &cpus);
	pthread_setaffinity_np(w->thread, sizeof(cpus), &cpus);
}

void worker__exits(struct worker *w, const struct request *r)
{
	worker__done(w, r);
	worker__start(w);
}

static void write_notes(FILE *f, const struct worker *w)
{
	for (size_t i = 0; i < w->nr_notes; i++) {
		const struct request *r = &w->notes[i].r;

		fprintf(f, "request %d %s %llu %llu %s %s %llu hash=%llu answer=%llu cpu=%llu\n",
			w->notes[i].tid, comms[w->nr], (unsigned long long)r->begin,
			(unsigned long long)r->end, outcome_names[r->outcome], cause_names[r->cause],
			(unsigned long long)r->planted_ns, (unsigned long long)r->hash_ns,
			(unsigned long long)r->wait_ns, (unsigned long long)r->cpu_ns);
	}
}

static void calibrate(void)
{
	const int rounds = 100000;

	ns_of_round = 1e9;
	for (int i = 0; i < 50; i++) {
		uint64_t begin = now_ns();
		double ns;

		compute_hash(rounds);
		ns = (double)(now_ns() - begin) / rounds;
		ns_of_round = ns < ns_of_round ? ns : ns_of_round;
	}
}

static void be_urgent(void)
{
	const char *priority = getenv("URGENT");
	struct sched_param param = { .sched_priority = priority ? atoi(priority) : 0 };

	if (priority && sched_setscheduler(0, SCHED_RR, &param))
		fail("SCHED_RR");
}

int requests__run(const struct requests_opts *o, void (*serve)(struct worker *w))
{
	FILE *f;

	be_urgent();
	calibrate();
	start_flusher();
	if (o->causes & 1u << CAUSE_CPU)
		find_thieves();
	for (int i = 0; i < NR_WORKERS; i++) {
		struct worker *w = &workers[i];

		w->opts = o;
		w->nr = i;
		w->serve = serve;
		w->random = (o->seed * NR_WORKERS + (unsigned)i + 1) * 0x9e3779b97f4a7c15u;
		w->start = now_ns();
		w->end = w->start + (uint64_t)(o->seconds * 1e9);
		/* not periodic with the start of the recording, but with the clock */
		w->next = o->is_clocked ? w->start / CLOCK_NS * CLOCK_NS + (unsigned)i * CLOCK_NS / NR_WORKERS
					: w->start;
		sem_init(&w->ended, 0, 0);
		worker__start(w);
	}
	for (int i = 0; i < NR_WORKERS; i++)
		while (sem_wait(&workers[i].ended))
			;
	f = fopen(o->file, "w");
	if (!f)
		fail(o->file);
	for (int i = 0; i < NR_WORKERS; i++)
		write_notes(f, &workers[i]);
	return fclose(f) != 0;
}

/* Words with commas in between: causes, clocked, varied, none. Return 0, or 2 after a message. */
static int read_words(struct requests_opts *o, char *text)
{
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		int c = 1;

		while (c < NR_CAUSES && strcmp(word, cause_names[c]))
			c++;
		if (c < NR_CAUSES) {
			o->causes |= 1u << c;
		} else if (!strcmp(word, "clocked")) {
			o->is_clocked = 1;
		} else if (!strcmp(word, "varied")) {
			o->is_varied = 1;
		} else if (strcmp(word, "none")) {
			fprintf(stderr, "unknown cause '%s'\n", word);
			return 2;
		}
	}
	return 0;
}

int requests__init(struct requests_opts *o, int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: %s SHAPE CAUSE FILE [SECONDS [SEED [RATE]]]\n", argv[0]);
		return 2;
	}
	*o = (struct requests_opts){ .shape = argv[1], .file = argv[3] };
	o->is_short = !strcmp(o->shape, "short");
	o->seconds = argc > 4 ? atof(argv[4]) : 10;
	o->seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
	o->rate = argc > 6 ? atof(argv[6]) : o->is_short ? 25000 : 100;
	return read_words(o, argv[2]);
}
