/* Facts about the terminal. */
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include "base/memory/types.h"

bool term__is_tty(int fd);
/* Can text on fd be rewritten with a carriage return? True for terminals, except dumb ones. */
bool term__can_rewrite(int fd);
/* Does text on fd get colours by default? On terminals, except dumb ones, unless NO_COLOR is set. */
bool term__has_color(int fd);
/* Return COLUMNS if set, else the width of the terminal on fd, else 80. */
int term__columns_of(int fd);
/* Return LINES if set, else the height of the terminal on fd, else 24. */
int term__lines_of(int fd);

#endif
