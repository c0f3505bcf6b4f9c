#include "base/command/term.h"

#include "base/text/number.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term__is_tty(int fd)
{
	return isatty(fd);
}

bool term__can_rewrite(int fd)
{
	const char *name = getenv("TERM");

	return name && *name && strcmp(name, "dumb") && isatty(fd);
}

bool term__has_color(int fd)
{
	const char *no_color = getenv("NO_COLOR");

	return term__can_rewrite(fd) && (!no_color || !*no_color);
}

/* A number in the environment wins over what the terminal says, which is 0 if it is unknown. */
static int choose_size(const char *variable, int reported, int usual)
{
	const char *text = getenv(variable);
	u64 chosen;

	if (text && number__parse(text, 1, INT_MAX, &chosen))
		return (int)chosen;
	return reported ? reported : usual;
}

static struct winsize window_of(int fd)
{
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) ? (struct winsize){ 0 } : size;
}

int term__columns_of(int fd)
{
	return choose_size("COLUMNS", window_of(fd).ws_col, 80);
}

int term__lines_of(int fd)
{
	return choose_size("LINES", window_of(fd).ws_row, 24);
}
