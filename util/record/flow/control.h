/*
 * --control: another program sends commands to a running recording, one in a line, through a file descriptor
 * or a fifo. The recorder acknowledges each executed command through a second one.
 */
#ifndef RECORD_CONTROL_H
#define RECORD_CONTROL_H

#include "base/message/word_list.h"

enum control_kind {
	CONTROL_UNKNOWN, /* unknown command */
	CONTROL_ENABLE,  /* enable all events, or the event named by text */
	CONTROL_DISABLE,
	CONTROL_EVLIST, /* text: -v, -g, -F */
	CONTROL_SNAPSHOT,
	CONTROL_STOP,
	CONTROL_PING,
};

struct control_command {
	enum control_kind kind;
	/* text after the command word, or the whole line if unknown; valid until the next call */
	const char *text;
};

extern const struct word_list control_commands;

struct control;
/*
 * Open a control channel. spec is "fd:CTL[,ACK]" with inherited descriptors, which stay open, or
 * "fifo:CTL[,ACK]" with paths of fifos. Return 0 or a negative errno with err.
 */
int control__open(struct control **c, const char *spec, struct err *err);
void control__delete(struct control *c);
/* Return the descriptor to poll for input. */
int control__fd(const struct control *c);
/* Read once if there is input. Return false at the end of the input. */
bool control__receive(struct control *c);
/* Get the next complete command. Return false if there is none. */
bool control__next(struct control *c, struct control_command *cmd);
/*
 * Acknowledge the last command. Drop the answer if the reader leaves no room for it, so that the recording
 * does not block.
 */
void control__ack(struct control *c);

#endif
