/* The progress line, seen by a terminal. */
#include "unit.h"

#include "base/system/file.h"
#include "base/command/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { WAIT_MS = 650 /* until a line is there, if the machine is not busy */, COLUMNS = 60 };

static int master, slave;
static char seen[4096]; /* by the terminal, since the last look */

static int open_terminal(void **state)
{
	struct winsize size = { .ws_row = 24, .ws_col = COLUMNS };
	struct termios raw;

	(void)state;
	unsetenv("COLUMNS");
	setenv("TERM", "xterm", 1);
	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return 1;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &raw))
		return 1;
	cfmakeraw(&raw);
	return tcsetattr(slave, TCSANOW, &raw) || ioctl(slave, TIOCSWINSZ, &size);
}

static int close_terminal(void **state)
{
	(void)state;
	close(master);
	close(slave);
	return 0;
}

static const char *look(void)
{
	struct pollfd p = { .fd = master, .events = POLLIN };
	size_t nr = 0;

	while (nr < sizeof(seen) - 1 && poll(&p, 1, 0) > 0) {
		ssize_t n = read(master, seen + nr, sizeof(seen) - 1 - nr);

		if (n <= 0)
			break;
		nr += (size_t)n;
	}
	seen[nr] = '\0';
	return seen;
}

/* Wait for as long as a line needs to come, where none may. */
static void wait_for_line(void)
{
	usleep(WAIT_MS * 1000);
}

/* What stands on a terminal's line after what it was sent. */
static const char *line_after(const char *sent)
{
	static char line[256];
	size_t at = 0;

	memset(line, ' ', sizeof(line));
	for (; *sent; sent++) {
		if (*sent == '\r')
			at = 0;
		else
			line[at++] = *sent;
		assert_true(at < COLUMNS);
	}
	for (at = sizeof(line) - 1; at && line[at - 1] == ' '; at--)
		;
	line[at] = '\0';
	return line;
}

/* Wait until the terminal's line is this text, also on a busy machine. */
static void expect_line(const char *text)
{
	static char all[1 << 16];
	size_t nr = 0;

	for (int i = 0; i < 2000; i++) {
		nr += strlen(look());
		assert_true(nr < sizeof(all));
		memcpy(all + nr - strlen(seen), seen, strlen(seen) + 1);
		if (!strcmp(line_after(all), text))
			return;
		usleep(10000);
	}
	assert_string_equal(line_after(all), text);
}

static void shows_nothing_of_short_work(void **state)
{
	struct progress *p = progress__new(slave);

	(void)state;
	assert_non_null(p);
	progress__begin(p, 100, "reading a.data");
	usleep(200000);
	progress__step(p, 50, 1000);
	progress__delete(p);
	assert_string_equal(look(), "");
}

static void shows_numbers_and_erases_them(void **state)
{
	struct progress *p = progress__new(slave);

	(void)state;
	progress__begin(p, 40000000, "reading");
	progress__step(p, 10000000, 5);
	progress__step(p, 9000000, 5); /* out of order */
	for (int i = 0; i < 2000 && !strstr(look(), " records/s\r"); i++)
		usleep(10000);
	assert_non_null(strstr(seen, "reading: 10 of 40 MB (25%), "));
	assert_non_null(strstr(seen, " records/s\r"));
	progress__begin(p, 0, "more");
	progress__step(p, 3000000, 0);
	expect_line("more: 3 MB");
	progress__delete(p);
	assert_string_equal(line_after(look()), "");
	assert_int_equal(seen[strlen(seen) - 1], '\r');
}

static char shown_line[128];
static int nr_shown;

static void keep_line(const char *line)
{
	snprintf(shown_line, sizeof(shown_line), "%s", line);
	__atomic_fetch_add(&nr_shown, 1, __ATOMIC_RELEASE);
}

static void shows_it_where_it_is_told_to(void **state)
{
	struct progress *p = progress__new(slave);

	(void)state;
	progress__resume(p, keep_line); /* it has not ended: no effect */
	progress__end(p);
	progress__resume(p, keep_line);
	progress__begin(p, 40000000, "counting");
	progress__step(p, 10000000, 5);
	while (!__atomic_load_n(&nr_shown, __ATOMIC_ACQUIRE))
		usleep(10000);
	progress__delete(p);
	assert_non_null(strstr(shown_line, "counting: 10 of 40 MB (25%), "));
	assert_string_equal(look(), "");
}

static void *enter_from_elsewhere(void *arg)
{
	progress__enter(arg, "loading something in the background");
	return NULL;
}

static void shows_what_the_owner_waits_for(void **state)
{
	struct progress *p = progress__new(slave);
	pthread_t thread;

	(void)state;
	progress__begin(p, 0, "reading");
	assert_int_equal(pthread_create(&thread, NULL, enter_from_elsewhere, p), 0);
	pthread_join(thread, NULL);
	expect_line("reading");
	progress__enter(p, "loading symbols of %s", "a\033[2Jb");
	expect_line("loading symbols of a?[2Jb");
	progress__leave(p);
	expect_line("reading");
	progress__delete(p);
}

/* A thread in the background may still be at it. */
static void shows_nothing_after_the_end(void **state)
{
	struct progress *p = progress__new(slave);

	(void)state;
	progress__begin(p, 0, "reading");
	expect_line("reading");
	progress__end(p);
	assert_string_equal(line_after(look()), "");
	progress__begin(p, 0, "more");
	progress__enter(p, "loading");
	wait_for_line();
	progress__leave(p);
	progress__step(p, 1, 1);
	progress__end(p);
	assert_string_equal(look(), "");
	progress__delete(p);
	assert_string_equal(look(), "");
}

static void fits_the_terminal(void **state)
{
	struct progress *p = progress__new(slave);

	(void)state;
	progress__begin(p, 0, "reading %s/%s", "/a/path/that/goes/on", "and/on/and/on/and/on/and/on/and/on");
	expect_line("reading /a/path/that/goes/on/and/on/and/on/and/on/and/on/an");
	progress__delete(p);
	assert_string_equal(line_after(look()), "");
	p = progress__new(slave);
	progress__begin(p, 0, "%s",
			"012345678901234567890123456789012345678901234567890123456\xc3\xa4\xc3\xa4");
	expect_line("012345678901234567890123456789012345678901234567890123456\xc3\xa4");
	progress__delete(p);
}

static void makes_room_for_messages(void **state)
{
	struct progress *p = progress__new(slave);
	const char *message;

	(void)state;
	progress__begin(p, 0, "reading");
	expect_line("reading");
	progress__print(p, "message\n", 8);
	look();
	message = strstr(seen, "message\n");
	assert_non_null(message);
	assert_int_equal(message[-1], '\r');
	progress__delete(p);
}

static void needs_a_terminal(void **state)
{
	int fd = open("/dev/null", O_WRONLY);

	(void)state;
	assert_null(progress__new(fd));
	close(fd);
	setenv("TERM", "dumb", 1);
	assert_null(progress__new(slave));
	unsetenv("TERM");
	assert_null(progress__new(slave));
	/* Nobody has to ask. */
	progress__begin(NULL, 1, "reading");
	progress__step(NULL, 1, 1);
	progress__enter(NULL, "loading");
	progress__leave(NULL);
	progress__print(NULL, "x", 1);
	progress__resume(NULL, keep_line);
	progress__delete(NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_terminal, close_terminal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shows_nothing_of_short_work),
		TEST(shows_numbers_and_erases_them),
		TEST(shows_what_the_owner_waits_for),
		TEST(shows_nothing_after_the_end),
		TEST(fits_the_terminal),
		TEST(shows_it_where_it_is_told_to),
		TEST(makes_room_for_messages),
		TEST(needs_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
