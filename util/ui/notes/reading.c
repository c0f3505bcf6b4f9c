#include "ui/notes/reading.h"

#include "base/message/msg.h"

#include <signal.h>
#include <unistd.h>

static int nr_interrupts;         /* for the signal handler */
static struct progress *progress; /* NULL: not shown; global because the message sink needs it */

static void count_interrupt(int sig)
{
	(void)sig;
	__atomic_fetch_add(&nr_interrupts, 1, __ATOMIC_RELAXED);
}

/* Change the handler of SIGINT, unless it is not the one expected (a parent may ignore SIGINT). */
static void set_interrupt(void (*from)(int), void (*to)(int), int flags)
{
	const struct sigaction action = { .sa_handler = to, .sa_flags = SA_RESTART | flags };
	struct sigaction now;

	if (!sigaction(SIGINT, NULL, &now) && now.sa_handler == from)
		sigaction(SIGINT, &action, NULL);
}

static void print_message(const char *text, size_t size)
{
	progress__print(progress, text, size);
}

void reading__begin(bool quiet)
{
	progress = quiet ? NULL : progress__new(STDERR_FILENO);
	if (progress)
		msg__set_sink(print_message);
	set_interrupt(SIG_DFL, count_interrupt, 0);
}

struct progress *reading__progress(void)
{
	return progress;
}

int *reading__interrupts(void)
{
	return &nr_interrupts;
}

void reading__release_interrupts(void)
{
	set_interrupt(count_interrupt, SIG_DFL, 0);
}

void reading__catch_one_interrupt(void)
{
	set_interrupt(count_interrupt, count_interrupt, (int)SA_RESETHAND);
}

void reading__end_progress(void)
{
	msg__set_sink(NULL);
	progress__end(progress);
}

void reading__end(void)
{
	reading__end_progress();
	progress__delete(progress);
	progress = NULL;
}
