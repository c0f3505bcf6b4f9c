#include "record/flow/control.h"

#include "base/memory/mem.h"
#include "base/text/number.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COMMAND_MAX = 4096 }; /* bytes; events can have long names */

struct control {
	int fd, ack_fd; /* ack_fd is -1 for none */
	bool owns_fds;
	struct strbuf input;
	size_t at;             /* offset in input of the next command */
	bool is_too_long;      /* skip the rest of this line */
	struct strbuf command; /* the last command */
};

/* ---- opening ---- */

static int no_spec(const char *spec, struct err *err)
{
	return err__set(err, -EINVAL,
			"'%s' does not say where commands come from: fd:CTL[,ACK] or fifo:CTL[,ACK]", spec);
}

static int open_fifo(const char *path, size_t len, int *fd, struct err *err)
{
	char *name = xasprintf("%.*s", (int)len, path);
	struct stat st;
	int ret = 0;

	/*
	 * Open for reading and writing: open does not wait for the other end, and no end of file comes when
	 * the first sender closes.
	 */
	*fd = open(name, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		ret = err__set(err, -errno, "cannot open '%s': %s", name, strerror(errno));
	else if (fstat(*fd, &st) || !S_ISFIFO(st.st_mode))
		ret = err__set(err, -EINVAL, "'%s' is not a fifo: make one with mkfifo", name);
	free(name);
	return ret;
}

static int take_fd(const char *text, size_t len, int *fd, struct err *err)
{
	const char *end = text;
	u64 n;

	if (!number__take(&end, INT32_MAX, &n) || end != text + len)
		return err__set(err, -EINVAL, "'%.*s' is not the number of a descriptor", (int)len, text);
	if (fcntl((int)n, F_GETFD) < 0)
		return err__set(err, -EBADF, "descriptor %d is not open", (int)n);
	*fd = (int)n;
	return 0;
}

int control__open(struct control **out, const char *spec, struct err *err)
{
	int (*open_one)(const char *, size_t, int *, struct err *);
	const char *first = strchr(spec, ':'), *second;
	struct control *c;
	size_t len;
	int ret;

	if (first && first - spec == 2 && !strncmp(spec, "fd", 2))
		open_one = take_fd;
	else if (first && first - spec == 4 && !strncmp(spec, "fifo", 4))
		open_one = open_fifo;
	else
		return no_spec(spec, err);
	len = strcspn(++first, ",");
	second = first[len] ? first + len + 1 : NULL;
	if (!len || (second && !*second))
		return no_spec(spec, err);
	c = xcalloc(1, sizeof(*c));
	c->fd = c->ack_fd = -1;
	c->owns_fds = open_one == open_fifo;
	strbuf__init(&c->input);
	strbuf__init(&c->command);
	ret = open_one(first, len, &c->fd, err);
	if (!ret && second)
		ret = open_one(second, strlen(second), &c->ack_fd, err);
	if (ret)
		control__delete(c);
	else
		*out = c;
	return ret;
}

void control__delete(struct control *c)
{
	if (!c)
		return;
	if (c->owns_fds && c->fd >= 0)
		close(c->fd);
	if (c->owns_fds && c->ack_fd >= 0)
		close(c->ack_fd);
	strbuf__exit(&c->input);
	strbuf__exit(&c->command);
	free(c);
}

int control__fd(const struct control *c)
{
	return c->fd;
}

/* ---- commands ---- */

bool control__receive(struct control *c)
{
	char bytes[COMMAND_MAX];
	ssize_t n = read(c->fd, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	strbuf__add(&c->input, bytes, (size_t)n);
	return n > 0;
}

static const struct {
	const char *word;
	enum control_kind kind;
	bool takes_text;
} words[] = {
	{ "enable", CONTROL_ENABLE, true }, { "disable", CONTROL_DISABLE, true },
	{ "evlist", CONTROL_EVLIST, true }, { "snapshot", CONTROL_SNAPSHOT, false },
	{ "stop", CONTROL_STOP, false },    { "ping", CONTROL_PING, false },
};

const struct word_list control_commands = WORD_LIST("command", words, 0);

static void control__parse(struct control *c, struct control_command *cmd)
{
	const char *line = c->command.buf, *rest;
	size_t len;
	int i;

	*cmd = (struct control_command){ .kind = CONTROL_UNKNOWN, .text = line };
	len = strcspn(line, " ");
	rest = line + len + strspn(line + len, " ");
	i = word_list__find(&control_commands, line, len);
	if (i >= 0 && (!*rest || words[i].takes_text)) {
		cmd->kind = words[i].kind;
		cmd->text = rest;
	}
}

/* Find the end of the next command, a newline or a NUL. Return false if it has not arrived yet. */
static bool control__cut_line(struct control *c, size_t *len)
{
	const char *line = c->input.buf + c->at;
	size_t left = c->input.len - c->at;

	for (*len = 0; *len < left; ++*len)
		if (line[*len] == '\n' || !line[*len])
			return true;
	if (left > COMMAND_MAX) {
		c->is_too_long = true;
		left = 0;
	}
	if (left == c->input.len)
		return false;
	/* Move the incomplete command to the front of the buffer. */
	memmove(c->input.buf, line, left);
	strbuf__setlen(&c->input, left);
	c->at = 0;
	return false;
}

bool control__next(struct control *c, struct control_command *cmd)
{
	size_t len;

	while (control__cut_line(c, &len)) {
		bool skip = c->is_too_long || !len;

		strbuf__reset(&c->command);
		strbuf__add(&c->command, c->input.buf + c->at, len);
		c->at += len + 1;
		c->is_too_long = false;
		while (c->command.len && strchr(" \t\r", c->command.buf[c->command.len - 1]))
			strbuf__setlen(&c->command, c->command.len - 1);
		if (skip || !c->command.len)
			continue;
		control__parse(c, cmd);
		return true;
	}
	return false;
}

void control__ack(struct control *c)
{
	/* Send the NUL too, as stock perf does: a reader may wait for 5 bytes. */
	static const char ack[] = "ack\n";
	struct pollfd p = { .fd = c->ack_fd, .events = POLLOUT };

	if (c->ack_fd >= 0 && poll(&p, 1, 0) == 1 && (p.revents & POLLOUT) &&
	    write(c->ack_fd, ack, sizeof(ack)) < 0)
		return;
}
