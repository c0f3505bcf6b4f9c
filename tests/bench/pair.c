/*
 * Runs two commands alternately and compares them: medians of wall time and of peak memory.
 *
 *	pair [-n RUNS] [-t TABLE] LABEL REFERENCE OURS
 *
 * Both commands go to sh -c with their output to /dev/null unless they redirect it. One line is printed;
 * TABLE gets a tab-separated one: label, seconds and KiB of the reference, seconds and KiB of ours, both
 *ratios. Exit status 1 when a command failed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 101 };

struct series {
	const char *command;
	double seconds[MAX_RUNS];
	double kib[MAX_RUNS]; /* peak resident memory of the shell's largest child, itself included */
	int failed;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run_once(struct series *s, int run)
{
	double start = now();
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
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
	s->kib[run] = (double)usage.ru_maxrss;
	s->failed += status != 0;
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

int main(int argc, char **argv)
{
	struct series ref = { 0 }, ours = { 0 };
	const char *table = NULL;
	double rs, rk, os, ok;
	int runs = 5, opt;

	while ((opt = getopt(argc, argv, "n:t:")) != -1) {
		if (opt == 'n')
			runs = atoi(optarg);
		else if (opt == 't')
			table = optarg;
	}
	if (argc - optind != 3 || runs < 1 || runs > MAX_RUNS) {
		fprintf(stderr, "usage: pair [-n RUNS] [-t TABLE] LABEL REFERENCE OURS\n");
		return 2;
	}
	ref.command = argv[optind + 1];
	ours.command = argv[optind + 2];
	for (int i = 0; i < runs; i++) {
		run_once(&ref, i);
		run_once(&ours, i);
	}
	rs = median(ref.seconds, runs);
	rk = median(ref.kib, runs);
	os = median(ours.seconds, runs);
	ok = median(ours.kib, runs);
	printf("%-42s %8.3f s %7.0f MB   %8.3f s %7.0f MB   %6.1fx   %5.2f%s\n", argv[optind], rs, rk / 1024,
	       os, ok / 1024, rs / os, ok / rk, ref.failed || ours.failed ? "  FAILED" : "");
	fflush(stdout);
	if (table) {
		FILE *f = fopen(table, "a");

		if (!f) {
			perror(table);
			return 2;
		}
		fprintf(f, "%s\t%.4f\t%.0f\t%.4f\t%.0f\t%.2f\t%.3f\n", argv[optind], rs, rk, os, ok, rs / os,
			ok / rk);
		fclose(f);
	}
	return ref.failed || ours.failed;
}
