/*
 * A server in C (see requests.h), whose handle_request is of a shape that a profiler must know:
 *
 *	plain      it returns
 *	recursive  it calls itself
 *	pair       begin_request and end_request are called, by one thread
 *	jumps      one of 50 is left by longjmp, past handle_request
 *	exits      one of 50 ends its thread
 *	short      requests of about 1 us, 100,000 a second
 *	tail       it ends with a call of finish_request, which the compiler makes a jump
 *
 * server thief SECONDS: processes of a higher priority, one for each of two CPUs, which compute for 25 ms
 * when a byte comes from the pipe cpu-thief-CPU (CAUSE_CPU). They need the right to use SCHED_FIFO (root or
 * CAP_SYS_NICE).
 */
#define _GNU_SOURCE
#include "requests.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static __thread jmp_buf way_out;
static const char *shape;

static int is(const char *name)
{
	return !strcmp(shape, name);
}

KEEP static void give_up(struct request *r)
{
	r->outcome = JUMPED;
	longjmp(way_out, 1);
}

KEEP static void end_thread(struct worker *w, struct request *r)
{
	r->outcome = EXITED;
	r->end = now_ns();
	worker__exits(w, r);
	pthread_exit(NULL);
}

KEEP long handle_request(struct worker *w, struct request *r)
{
	int is_outermost = !r->depth;

	if (is_outermost)
		r->begin = now_ns();
	if (r->depth < 3 && is("recursive")) {
		r->depth++;
		handle_request(w, r);
	} else {
		do_request(r);
	}
	if (r->random % 50 == 0 && is("jumps"))
		give_up(r);
	if (r->random % 50 == 0 && is("exits"))
		end_thread(w, r);
	if (is_outermost)
		r->end = now_ns();
	return 1;
}

/* ---- begin and end ---- */

KEEP void begin_request(struct request *r)
{
	r->begin = now_ns();
}

KEEP void end_request(struct request *r)
{
	r->end = now_ns();
}

/* ---- short ---- */

static volatile int counter;

KEEP int handle_short(struct request *r)
{
	r->begin = now_ns();
	for (int i = 0; i < 2000; i++)
		counter++;
	r->end = now_ns();
	return 1;
}

/* ---- tail call ---- */

KEEP long finish_request(struct request *r)
{
	r->end = now_ns();
	return (long)(r->end & 1);
}

KEEP long handle_with_tail(struct request *r)
{
	r->begin = now_ns();
	do_request(r);
	return finish_request(r);
}

static void serve_one(struct worker *w, struct request *r)
{
	if (is("pair")) {
		begin_request(r);
		do_request(r);
		end_request(r);
	} else if (is("short")) {
		handle_short(r);
	} else if (is("tail")) {
		handle_with_tail(r);
	} else {
		handle_request(w, r);
	}
}

static void serve(struct worker *w)
{
	struct request r;

	while (worker__next(w, &r)) {
		if (!setjmp(way_out))
			serve_one(w, &r);
		else
			r.end = now_ns();
		worker__done(w, &r);
	}
}

static void steal(int cpu, double seconds)
{
	struct sched_param param = { .sched_priority = 10 };
	cpu_set_t cpus;
	char path[32], byte;
	int fd;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	snprintf(path, sizeof(path), "cpu-thief-%d", cpu);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) || sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("server thief: SCHED_FIFO");
		exit(77);
	}
	unlink(path);
	if (mkfifo(path, 0600) || (fd = open(path, O_RDWR)) < 0) {
		perror(path);
		exit(1);
	}
	alarm((unsigned)seconds);
	while (read(fd, &byte, 1) == 1) {
		uint64_t end = now_ns() + 25000000;

		while (now_ns() < end)
			;
	}
	exit(0);
}

int main(int argc, char **argv)
{
	struct requests_opts o;
	int status;

	if (argc == 3 && !strcmp(argv[1], "thief")) {
		if (fork())
			steal(1, atof(argv[2]));
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		steal(0, atof(argv[2]));
	}
	status = requests__init(&o, argc, argv);
	shape = o.shape;
	return status ? status : requests__run(&o, serve);
}
