/*
 * Recordings that were cut at random places, and others with random bytes changed, through `perf report`,
 * report -D,
 * --stats and --header-only: none may crash, take longer than 5 s of processor time, or more than 256 MB of
 * memory.
 *	variants [--cuts N] [--flips N] [--seed N] [--share I/N] [--no-memory] FILE...
 * --cuts: of each file; --flips: in all; --share: only each N-th of all, from the I-th on; --no-memory: with
 * sanitizers, which need some of their own. What is no recording is passed over. The program is this one:
 * perf's own main runs in a child for each variant, which is faster than to start it. A variant that fails is
 * kept in the current folder.
 */
#include "base/memory/array.h"
#include "base/system/file.h"
#include "format/records/abi.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int perf_main(int argc, const char **argv); /* main of perf.c */

enum { CPU_SECONDS = 5, WALL_SECONDS = 60, MEMORY_KB = 256 << 10, WORDS_MAX = 12, CHANGES_MAX = 8 };

static const char *const ways[][3] = { { NULL }, { "-D" }, { "--stats" }, { "--header-only", "-I" } };

struct totals {
	unsigned long files, variants, runs, failed;
	long most_kb;
	double longest;
};

static u64 random_state;

static u64 next_random(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state >> 33;
}

/* ---- one run ---- */

static void run_child(const char *path, const char *const *way, int log)
{
	const char *argv[WORDS_MAX] = { "perf",     "report",     "--symfs",
					"/nowhere", "--kallsyms", "/nowhere/kallsyms",
					"-i",       path };
	int argc = 8, nowhere = open("/dev/null", O_RDWR);

	for (int i = 0; i < 3 && way[i]; i++)
		argv[argc++] = way[i];
	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	setrlimit(RLIMIT_CPU, &(struct rlimit){ 2 * CPU_SECONDS, 2 * CPU_SECONDS });
	exit(perf_main(argc, argv));
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Whatever waits for something that never comes does not use its time up. */
static int wait_for(pid_t pid, int *status, struct rusage *usage)
{
	const struct timespec pause = { .tv_sec = 1 };
	time_t end = time(NULL) + WALL_SECONDS;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!wait4(pid, status, WNOHANG, usage)) {
		sigtimedwait(&child, NULL, &pause);
		if (time(NULL) > end) {
			kill(pid, SIGKILL);
			wait4(pid, status, 0, usage);
			return -ETIMEDOUT;
		}
	}
	return 0;
}

/* NULL, or what is wrong. */
static const char *run(const char *path, const char *const *way, bool no_memory, int log, struct totals *t)
{
	struct rusage usage = { 0 };
	int status = 0, late;
	double seconds;
	pid_t pid;

	if (ftruncate(log, 0))
		abort();
	pid = fork();
	if (!pid)
		run_child(path, way, log);
	if (pid < 0)
		abort();
	late = wait_for(pid, &status, &usage);
	seconds = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	t->runs++;
	t->most_kb = MAX(t->most_kb, usage.ru_maxrss);
	t->longest = seconds > t->longest ? seconds : t->longest;
	if (late)
		return "waits";
	if (seconds > CPU_SECONDS)
		return "takes too long";
	if (WIFSIGNALED(status) || WEXITSTATUS(status) > 1)
		return "crashes";
	return !no_memory && usage.ru_maxrss > MEMORY_KB ? "takes too much memory" : NULL;
}

/* ---- one variant ---- */

static void keep(const void *data, size_t size, const char *file, const char *const *way, const char *what,
		 int log)
{
	char name[] = "variant.XXXXXX", text[2048];
	int fd = mkstemp(name);
	ssize_t n = pread(log, text, sizeof(text) - 1, 0);

	if (fd < 0 || file__write_all(fd, data, size))
		abort();
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	printf("report %s %s: '%s' (of '%s')\n%s\n", way[0] ? way[0] : "", what, name, file, text);
}

static void try_variant(const void *data, size_t size, const char *file, bool no_memory, int log,
			struct totals *t)
{
	int fd = memfd_create("variant", 0);
	char path[64];

	if (fd < 0 || file__write_all(fd, data, size))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	t->variants++;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		const char *what = run(path, ways[i], no_memory, log, t);

		if (!what)
			continue;
		t->failed++;
		keep(data, size, file, ways[i], what, log);
	}
	close(fd);
}

/* The header and what describes the events more often than the records. */
static void change(u8 *data, size_t size)
{
	static const u8 values[] = { 0, 1, 0x7f, 0x80, 0xff };

	for (u64 i = next_random() % CHANGES_MAX + 1; i-- > 0;) {
		u8 *at = data + next_random() % (next_random() % 2 ? MIN(size, (size_t)512) : size);

		switch (next_random() % 3) {
		case 0:
			*at = (u8)next_random();
			break;
		case 1:
			*at = values[next_random() % sizeof(values)];
			break;
		default:
			*at ^= (u8)(1 << next_random() % 8);
		}
	}
}

/* ---- all ---- */

struct input {
	const char *name;
	struct strbuf content;
};
typedef ARRAY(struct input) inputs;

static bool is_recording(const struct strbuf *s)
{
	u64 magic = 0;

	if (s->len >= sizeof(magic))
		memcpy(&magic, s->buf, sizeof(magic));
	return magic == PERF_DATA_MAGIC2 || magic == PERF_DATA_MAGIC1 ||
	       __builtin_bswap64(magic) == PERF_DATA_MAGIC2;
}

static void add_input(inputs *all, const char *name)
{
	struct input in = { .name = name, .content = STRBUF_INIT };

	if (!file__read(name, &in.content, 0) && is_recording(&in.content))
		array__add(all, in);
	else
		strbuf__exit(&in.content);
}

struct share {
	unsigned long cuts, flips, seed, first, step;
	bool no_memory;
};

static void run_all(const inputs *all, const struct share *s, struct totals *t)
{
	int log = memfd_create("log", MFD_CLOEXEC);
	unsigned long nr = 0;

	for (size_t i = 0; i < all->nr; i++)
		for (unsigned long k = 0; k < s->cuts; k++) {
			const struct input *in = &all->v[i];

			random_state = s->seed + 0x10001 * nr;
			next_random();
			if (nr++ % s->step == s->first)
				try_variant(in->content.buf, next_random() % in->content.len, in->name,
					    s->no_memory, log, t);
		}
	for (unsigned long k = 0; k < s->flips && all->nr; k++) {
		const struct input *in = &all->v[k % all->nr];
		u8 *copy;

		random_state = s->seed + 0x10001 * nr;
		next_random();
		if (nr++ % s->step != s->first)
			continue;
		copy = xmemdup(in->content.buf, in->content.len);
		change(copy, in->content.len);
		try_variant(copy, in->content.len, in->name, s->no_memory, log, t);
		free(copy);
	}
	close(log);
}

static bool take_number(char **argv, const char *name, unsigned long *value)
{
	if (strcmp(argv[0], name) != 0 || !argv[1])
		return false;
	*value = strtoul(argv[1], NULL, 10);
	return true;
}

int main(int argc, char **argv)
{
	struct share s = { .cuts = 200, .flips = 20000, .seed = 1, .step = 1 };
	struct totals t = { 0 };
	inputs all = { 0 };
	sigset_t child;

	for (int i = 1; i < argc; i++) {
		if (take_number(argv + i, "--cuts", &s.cuts) || take_number(argv + i, "--flips", &s.flips) ||
		    take_number(argv + i, "--seed", &s.seed))
			i++;
		else if (!strcmp(argv[i], "--share") && i + 1 < argc)
			sscanf(argv[++i], "%lu/%lu", &s.first, &s.step);
		else if (!strcmp(argv[i], "--no-memory"))
			s.no_memory = true;
		else
			add_input(&all, argv[i]);
	}
	if (!all.nr || !s.step) {
		fprintf(stderr, "variants: name recordings\n");
		return 2;
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	setenv("HOME", "/nowhere", 1);
	t.files = all.nr;
	run_all(&all, &s, &t);
	printf("%lu files, %lu variants, %lu runs: %lu failed; at most %ld MB and %.2f s\n", t.files,
	       t.variants, t.runs, t.failed, t.most_kb / 1024, t.longest);
	for (size_t i = 0; i < all.nr; i++)
		strbuf__exit(&all.v[i].content);
	array__exit(&all);
	return t.failed ? 1 : 0;
}
