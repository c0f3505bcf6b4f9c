/*
 * watch SECONDS FILE COMMAND...: runs the command, with SECONDS at most, and writes to FILE: its exit status
 * (124: it did not end in time and was killed), its seconds, its own peak memory in KiB (without that of its
 * children).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* VmHWM of what still runs; 0 when it is gone. */
static long peak_of(pid_t pid)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static void pass_on(int signo)
{
	kill(child, signo);
}

int main(int argc, char **argv)
{
	double begin = now(), limit = argc > 3 ? atof(argv[1]) : 0;
	long peak = 0, kib;
	int status = 0, late = 0;
	FILE *out;

	if (argc < 4)
		return 2;
	child = fork();
	if (!child) {
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	signal(SIGINT, pass_on);
	signal(SIGTERM, pass_on);
	signal(SIGUSR2, pass_on);
	while (!waitpid(child, &status, WNOHANG)) {
		kib = peak_of(child);
		if (kib > peak)
			peak = kib;
		if (now() - begin > limit && !late++) {
			kill(child, SIGCONT);
			kill(child, SIGKILL);
		}
		usleep(20000);
	}
	out = fopen(argv[2], "w");
	if (!out)
		return 2;
	fprintf(out, "%d %.1f %ld\n",
		late                  ? 124
		: WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				      : WEXITSTATUS(status),
		now() - begin, peak);
	return fclose(out) != 0;
}
