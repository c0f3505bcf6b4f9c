/*
 * --control: another program says what a running recording does. One command a line, through a descriptor or
 * a fifo; what was carried out is acknowledged through another one.
 */
#ifndef RECORD_CONTROL_H
#define RECORD_CONTROL_H

#include "base/message/err.h"
#include "base/memory/types.h"

enum control_kind {
	CONTROL_UNKNOWN, /* what was sent is no command */
	CONTROL_ENABLE,  /* all events, or the one that text names */
	CONTROL_DISABLE,
	CONTROL_EVLIST, /* text: -v, -g, -F */
	CONTROL_SNAPSHOT,
	CONTROL_STOP,
	CONTROL_PING,
};

struct control_command {
	enum control_kind kind;
	const char *text; /* what follows the word, or all of it when it is unknown; until the next call */
};

struct control;
/*
 * "fd:CTL[,ACK]": descriptors that were inherited, which stay open. "fifo:CTL[,ACK]": paths of fifos. 0, or a
 * negative errno with err.
 */
int control__open(struct control **c, const char *spec, struct err *err);
void control__delete(struct control *c);
/* To be watched for input. */
int control__fd(const struct control *c);
/* Reads once, when there is something. False at the end of the input: nothing will come any more. */
bool control__receive(struct control *c);
/* The next whole command of what was received. */
bool control__next(struct control *c, struct control_command *cmd);
/* Says that the last one is carried out. An answer that nobody makes room for is dropped: the recording does
 * not wait. */
void control__ack(struct control *c);

#endif
