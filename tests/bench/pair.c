/*
 * Runs two commands alternately and compares them: medians of wall time, processor time and peak memory.
 *
 *	pair [-n RUNS] [-l SECONDS] [-o FILE] [-t TABLE -k KEY] LABEL REFERENCE OURS
 *	pair read FILE
 *
 * Both commands go to sh -c; their output goes to FILE, which is made anew for each run (removing a large
 * file takes time that is not theirs), or to /dev/null. No further pair of runs is begun after SECONDS. One
 * line is printed; TABLE gets a tab-separated one that begins with KEY: runs, seconds and KiB of the
 * reference, seconds and KiB of ours, both ratios. Exit status 1 when a command failed.
 *
 * The second form reads FILE once: what any program that looks at all of it must take.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 101, READ_SIZE = 256 << 10 };

struct series {
	const char *command;
	double seconds[MAX_RUNS];
	double cpu[MAX_RUNS]; /* seconds, of user and kernel */
	double kib[MAX_RUNS]; /* peak resident memory of the shell's largest child, itself included */
	int failed;
};

struct options {
	int runs;
	double limit; /* seconds */
	const char *output, *table, *key;
};

static int read_all(const char *path)
{
	static char buf[READ_SIZE];
	int fd = open(path, O_RDONLY);
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, buf, sizeof(buf))) > 0)
		;
	if (n < 0)
		perror(path);
	return n < 0;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static int open_output(const char *path)
{
	struct stat st;
	int fd;

	if (!path)
		return open("/dev/null", O_WRONLY);
	if (!stat(path, &st) && !S_ISREG(st.st_mode)) {
		fprintf(stderr, "pair: -o %s is not a file\n", path);
		exit(2);
	}
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0) {
		perror(path);
		exit(2);
	}
	return fd;
}

static void run_once(struct series *s, int run, const char *output)
{
	int fd = open_output(output), status;
	double start = now();
	struct rusage usage;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(fd, 1);
		if (!getenv("PAIR_STDERR"))
			dup2(null, 2);
		/* exec: the usage is the command's, not a shell's around it */
		execl("/bin/sh", "sh", "-c", s->command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) < 0) {
		perror("pair");
		exit(2);
	}
	s->seconds[run] = now() - start;
	s->cpu[run] = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	s->kib[run] = (double)usage.ru_maxrss;
	s->failed += status != 0;
	close(fd);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int nr)
{
	qsort(v, (size_t)nr, sizeof(*v), compare);
	return nr % 2 ? v[nr / 2] : (v[nr / 2 - 1] + v[nr / 2]) / 2;
}

struct medians {
	double seconds, cpu, kib;
};

static struct medians series__medians(struct series *s, int runs)
{
	return (struct medians){ median(s->seconds, runs), median(s->cpu, runs), median(s->kib, runs) };
}

static void report(const struct options *o, const char *label, struct series *ref, struct series *ours,
		   int runs)
{
	struct medians r = series__medians(ref, runs), m = series__medians(ours, runs);
	FILE *table = o->table ? fopen(o->table, "a") : NULL;

	printf("%-38s %9.4f s %7.1f MB  %9.4f s %7.1f MB  %7.2fx %7.2fx  %5.2f", label, r.seconds,
	       r.kib / 1024, m.seconds, m.kib / 1024, r.seconds / m.seconds, r.cpu / m.cpu, m.kib / r.kib);
	if (runs < o->runs)
		printf("  (%d runs)", runs);
	puts(ref->failed || ours->failed ? "  FAILED" : "");
	if (!o->table)
		return;
	if (!table) {
		perror(o->table);
		exit(2);
	}
	fprintf(table, "%s%s%d\t%.5f\t%.5f\t%.0f\t%.5f\t%.5f\t%.0f\t%.3f\t%.3f\t%.3f\n", o->key,
		*o->key ? "\t" : "", runs, r.seconds, r.cpu, r.kib, m.seconds, m.cpu, m.kib,
		r.seconds / m.seconds, r.cpu / m.cpu, m.kib / r.kib);
	fclose(table);
}

int main(int argc, char **argv)
{
	struct options o = { .runs = 5, .limit = 1e9, .key = "" };
	struct series ref = { 0 }, ours = { 0 };
	int runs = 0, opt;
	double start;

	if (argc == 3 && !strcmp(argv[1], "read"))
		return read_all(argv[2]);
	while ((opt = getopt(argc, argv, "n:l:o:t:k:")) != -1) {
		switch (opt) {
		case 'n':
			o.runs = atoi(optarg);
			break;
		case 'l':
			o.limit = atof(optarg);
			break;
		case 'o':
			o.output = optarg;
			break;
		case 't':
			o.table = optarg;
			break;
		case 'k':
			o.key = optarg;
			break;
		default:
			o.runs = 0;
		}
	}
	if (argc - optind != 3 || o.runs < 1 || o.runs > MAX_RUNS) {
		fprintf(stderr, "usage: pair [-n RUNS] [-l SECONDS] [-o FILE] [-t TABLE -k KEY] LABEL "
				"REFERENCE OURS\n"
				"       pair read FILE\n");
		return 2;
	}
	ref.command = argv[optind + 1];
	ours.command = argv[optind + 2];
	start = now();
	do {
		run_once(&ref, runs, o.output);
		run_once(&ours, runs, o.output);
	} while (++runs < o.runs && now() - start < o.limit);
	if (o.output)
		unlink(o.output);
	report(&o, argv[optind], &ref, &ours, runs);
	return ref.failed || ours.failed;
}
