#include "record/slices.h"

#include "base/message/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct slices {
	pid_t pid;   /* 0: it has ended */
	int fd;      /* datagrams of the recorder: struct note */
	int control; /* its commands */
};

/* A message from the recorder: a slice with its descriptor, or text. */
struct note {
	enum { NOTE_SLICE, NOTE_MESSAGE, NOTE_ERROR } kind;
	int code; /* of an error */
	struct slice slice;
	char text[1024];
};

/* ---- the recorder's side ---- */

static int send_note(int to, const struct note *note, int fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec data = { .iov_base = (void *)note, .iov_len = sizeof(*note) };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1 };

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	return sendmsg(to, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int to_reader = -1; /* in the recorder: the reader's end; for the sink of messages */

static int send_slice(void *ctx, int fd, const struct slice *slice)
{
	struct note note = { .kind = NOTE_SLICE, .slice = *slice };
	int ret = send_note(to_reader, &note, fd);

	(void)ctx;
	close(fd);
	return ret;
}

static void send_message(const char *text, size_t size)
{
	struct note note = { .kind = NOTE_MESSAGE };

	snprintf(note.text, sizeof(note.text), "%.*s", (int)MIN(size, sizeof(note.text) - 1), text);
	send_note(to_reader, &note, -1);
}

static void send_error(const struct err *err, int code)
{
	struct note note = { .kind = NOTE_ERROR, .code = code };

	snprintf(note.text, sizeof(note.text), "%s", err->text.buf);
	send_note(to_reader, &note, -1);
}

/* Drop what the command prints; the reader has the screen. */
static void silence(void)
{
	int fd = open("/dev/null", O_RDWR);

	for (int i = 0; fd >= 0 && i <= STDERR_FILENO; i++)
		dup2(fd, i);
	file__close(fd);
}

/* A message for each line: the reader shows one line of a message. */
static void tell_hidden(const struct hidden_programs *hidden)
{
	struct strbuf text = STRBUF_INIT;
	char *next, *line;

	hidden_programs__tell(hidden, &text);
	for (next = text.buf; (line = strsep(&next, "\n"));)
		if (*line)
			warning("%s", line + strspn(line, " "));
	strbuf__exit(&text);
}

static int run_recorder(struct evlist *events, char *const *argv, const struct recorder_opts *opts,
			int control, bool is_silent)
{
	const struct slice_taker taker = { .take = send_slice };
	struct recorder_opts own = *opts;
	struct recorder_result result;
	struct err err = ERR_INIT;
	char commands[16];
	int ret;

	if (is_silent)
		silence();
	snprintf(commands, sizeof(commands), "fd:%d", control);
	own.output = "slices";
	own.control = commands;
	own.slices = &taker;
	own.switch_output = (struct switch_output){ .is_on = true };
	own.keep_old = true;
	own.store_names = false;
	own.tell_failure = NULL;
	msg__set_sink(send_message);
	ret = recorder__run(events, argv, &own, &result, &err);
	if (ret)
		send_error(&err, ret);
	else
		tell_hidden(&result.hidden);
	left_files__exit(&result.files);
	losses__exit(&result.losses);
	unwind_stats__exit(&result.chains);
	err__exit(&err);
	return ret && !result.exit_status ? 1 : result.exit_status;
}

/* ---- the reader's side ---- */

static void start_child(int socket, int control, struct evlist *events, char *const *argv,
			const struct recorder_opts *opts, bool is_silent, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	to_reader = socket;
	_exit(run_recorder(events, argv, opts, control, is_silent));
}

int slices__start(struct slices **out, struct evlist *events, char *const *argv,
		  const struct recorder_opts *opts, bool is_silent, struct err *err)
{
	int sockets[2], commands[2];
	pid_t parent = getpid();
	struct slices *s;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return err__set(err, -errno, "cannot make a socket: %s", strerror(errno));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, commands)) {
		close(sockets[0]);
		close(sockets[1]);
		return err__set(err, -errno, "cannot make a socket: %s", strerror(errno));
	}
	s = xcalloc(1, sizeof(*s));
	*s = (struct slices){ .fd = sockets[0], .control = commands[1] };
	fflush(stdout);
	s->pid = fork();
	if (!s->pid) {
		close(sockets[0]);
		close(commands[1]);
		start_child(sockets[1], commands[0], events, argv, opts, is_silent, parent);
	}
	close(sockets[1]);
	close(commands[0]);
	*out = s;
	if (s->pid > 0)
		return 0;
	s->pid = 0;
	slices__delete(s);
	return err__set(err, -EAGAIN, "cannot start a process that records: %s", strerror(errno));
}

/* Wait for the recorder's end. Return the signal that ended it, or 0. */
static int slices__reap(struct slices *s)
{
	int status = 0;

	while (s->pid && waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void slices__delete(struct slices *s)
{
	if (!s)
		return;
	if (s->pid)
		kill(s->pid, SIGTERM);
	close(s->control);
	close(s->fd); /* a slice that the recorder still sends goes nowhere */
	slices__reap(s);
	free(s);
}

static void slices__command(struct slices *s, const char *text)
{
	ssize_t n = send(s->control, text, strlen(text), MSG_NOSIGNAL);

	(void)n; /* the recorder has ended: __receive tells it */
}

void slices__ask(struct slices *s)
{
	slices__command(s, "snapshot\n");
}

void slices__enable(struct slices *s, bool on)
{
	slices__command(s, on ? "enable\n" : "disable\n");
}

pid_t slices__pid(const struct slices *s)
{
	return s->pid;
}

int slices__fd(const struct slices *s)
{
	return s->fd;
}

/* Return the size of a note, 0 at the end, or a negative errno. */
static ssize_t receive_note(int from, struct note *note, int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec data = { .iov_base = note, .iov_len = sizeof(*note) };
	struct msghdr msg = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	ssize_t n = recvmsg(from, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	*fd = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return n < 0 ? -errno : n;
}

int slices__receive(struct slices *s, int *fd, struct slice *slice, struct err *err)
{
	struct note note;
	int signal;
	ssize_t n;

	while ((n = receive_note(s->fd, &note, fd)) == sizeof(note)) {
		if (note.kind == NOTE_SLICE && *fd >= 0) {
			*slice = note.slice;
			return 1;
		}
		if (note.kind == NOTE_ERROR) {
			slices__reap(s);
			return err__set(err, note.code, "%s", note.text);
		}
		note.text[strcspn(note.text, "\n")] = '\0';
		info("%s", note.text);
	}
	if (n == -EAGAIN || n == -EINTR)
		return 0;
	signal = slices__reap(s);
	return signal ? err__set(err, -EIO, "the recorder was ended by signal %d (%s)", signal,
				 strsignal(signal))
		      : -ENODATA;
}
