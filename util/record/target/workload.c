#include "record/target/workload.h"

#include "base/message/called_name.h"
#include "base/system/file.h"
#include "format/read/reader.h"
#include "record/target/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int explain(int error, const char *name, struct err *err)
{
	bool is_command = error == -ENOENT && !strchr(name, '/');
	struct stat st;

	if (is_command)
		err__set(err, error, "'%s': command not found", name);
	else
		err__set(err, error, "cannot run '%s': %s", name, err__str(error));
	if (stat(name, &st))
		return error;
	if (S_ISDIR(st.st_mode))
		err__advise(err, "it is a folder");
	else if (is_command && !access(name, X_OK))
		err__advise(err, "it is in this folder: type ./%s", name);
	else if (reader__is_recording(name))
		err__advise(err, "it is a recording: %s report reads it", called_name());
	else if (error == -EACCES && !(st.st_mode & 0111) && *name != '/')
		err__advise(err, "it is not executable; type: chmod +x %s", name);
	return error;
}

static void NORETURN run_child(char *const *argv, const struct signals_before *before, bool to_stderr,
			       int go_fd, int error_fd)
{
	char go;
	int error;

	/* If the recorder dies before it starts the program, the child dies, too. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (file__read_all(go_fd, &go, 1) != 1)
		_exit(0);
	prctl(PR_SET_PDEATHSIG, 0);
	if (to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	sigaction(SIGPIPE, &before->pipe, NULL);
	sigaction(SIGXFSZ, &before->xfsz, NULL);
	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (file__write_all(error_fd, &error, sizeof(error)))
		_exit(126);
	_exit(error == ENOENT ? 127 : 126);
}

int workload__prepare(struct workload *w, char *const *argv, const struct signals_before *before,
		      bool to_stderr, struct err *err)
{
	char *path = NULL;
	int go[2], back[2], ret = command__find(argv[0], &path);

	*w = (struct workload){ .go_fd = -1, .error_fd = -1 };
	if (ret)
		return explain(ret, argv[0], err);
	free(path);
	if (pipe2(go, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
		return err__set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	w->pid = fork();
	if (w->pid == 0) {
		close(go[1]);
		close(back[0]);
		run_child(argv, before, to_stderr, go[0], back[1]);
	}
	close(go[0]);
	close(back[1]);
	w->go_fd = go[1];
	w->error_fd = back[0];
	if (w->pid < 0) {
		ret = err__set(err, -errno, "cannot fork: %s", strerror(errno));
		w->pid = 0;
		workload__exit(w);
	}
	return ret;
}

int workload__start(struct workload *w, struct err *err)
{
	int error = 0;

	if (!w->pid)
		return 0;
	if (file__write_all(w->go_fd, "", 1))
		return err__set(err, -EPIPE, "the command was gone before it could be started");
	close(w->go_fd);
	w->go_fd = -1;
	if (w->tracer)
		tracer__wait_exec(w->tracer);
	/* Wait for the exec, which closes the other end. */
	if (file__read_all(w->error_fd, &error, sizeof(error)) == sizeof(error))
		return err__set(err, -error, "cannot run the command: %s", strerror(error));
	return 0;
}

bool workload__poll(struct workload *w)
{
	if (w->pid && !w->exited && w->tracer)
		w->exited = tracer__poll(w->tracer, &w->status);
	else if (w->pid && !w->exited)
		w->exited = wait4(w->pid, &w->status, WNOHANG, &w->usage) == w->pid;
	return w->exited;
}

int workload__exit_status(const struct workload *w)
{
	if (!w->pid || !w->exited)
		return 0;
	return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : WEXITSTATUS(w->status);
}

void workload__exit(struct workload *w)
{
	bool held = w->go_fd >= 0;

	if (held)
		close(w->go_fd);
	if (w->error_fd > 0)
		close(w->error_fd);
	if (w->pid && !w->exited && held) {
		kill(w->pid, SIGKILL);
		waitpid(w->pid, &w->status, 0);
		w->exited = true;
	}
	w->go_fd = w->error_fd = -1;
}
