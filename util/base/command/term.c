#include "base/command/term.h"

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

int term__columns_of(int fd)
{
	const char *text = getenv("COLUMNS");
	int columns = text ? atoi(text) : 0;
	struct winsize size;

	if (columns > 0)
		return columns;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}

int term__lines_of(int fd)
{
	const char *text = getenv("LINES");
	int lines = text ? atoi(text) : 0;
	struct winsize size;

	if (lines > 0)
		return lines;
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_row)
		return size.ws_row;
	return 24;
}
