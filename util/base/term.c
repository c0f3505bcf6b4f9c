#include "base/term.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool term__is_tty(int fd)
{
	return isatty(fd);
}

int term__columns(void)
{
	const char *text = getenv("COLUMNS");
	int columns = text ? atoi(text) : 0;
	struct winsize size;

	if (columns > 0)
		return columns;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return 80;
}
