/*
 * While a recording is read: the progress line, and Ctrl-C, which ends reading early instead of the program.
 * One recording at a time.
 */
#ifndef UI_READING_H
#define UI_READING_H

#include "base/command/progress.h"

#include <stdbool.h>

/* Catch Ctrl-C and, unless quiet, show progress on stderr, with messages above it. */
void reading__begin(bool quiet);
/* Return the progress line, or NULL. */
struct progress *reading__progress(void);
/* How often Ctrl-C was pressed; for reader_opts.stop. */
int *reading__interrupts(void);
/* Let Ctrl-C end the program again. */
void reading__release_interrupts(void);
/* Catch only one more Ctrl-C, which ends queries to servers (--debuginfod). */
void reading__catch_one_interrupt(void);
/* Erase the progress line: the output begins. */
void reading__end_progress(void);
/* Free what reading__begin() made. */
void reading__end(void);

#endif
