/* Facts about the terminal. */
#ifndef BASE_TERM_H
#define BASE_TERM_H

#include "base/memory/types.h"

bool term__is_tty(int fd);
/* Whether a carriage return takes a line on fd back to its start for people to see: a terminal, and no dumb
 * one. */
bool term__can_rewrite(int fd);
/* COLUMNS if set, else the width of the terminal on fd, else 80. */
int term__columns_of(int fd);

#endif
