/* Facts about the terminal. */
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include "base/types.h"

bool term__is_tty(int fd);
/* COLUMNS if set, else the width of the terminal on stdout, else 80. */
int term__columns(void);

#endif
