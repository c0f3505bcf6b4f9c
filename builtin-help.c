/* perf help [command] */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/system/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_commands(void)
{
	printf("\n usage: %s [--version] [--help] [OPTIONS] COMMAND [ARGS]\n\n The commands are:\n",
	       called_name());
	for (const struct cmd *c = perf__cmds; c->name; c++)
		if (c->run)
			printf("   %-15s %s\n", c->name, c->help);
	printf("\n '%s help COMMAND' shows the manual page of a command, '%s COMMAND -h' its "
	       "options.\n\n",
	       called_name(), called_name());
}

/*
 * Find the page of perf (suffix "") or of a command ("-record") in the source folder, or where `make install`
 * puts it, relative to the program: `man NAME` could show another perf's page. Return NULL if there is none.
 */
static char *find_page(const char *suffix)
{
	static const struct {
		const char *format;
		bool installed; /* under the name of the program (INSTALL_NAME) */
	} places[] = { { "%s/%s%s.1", false },
		       { "%s/Documentation/%s%s.1", false },
		       { "%s/../share/man/man1/%s%s.1", true },
		       { "%s/../share/man/man1/%s%s.1.gz", true } };
	char *dir = file__link_target("/proc/self/exe"), *slash = dir ? strrchr(dir, '/') : NULL,
	     *path = NULL;

	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(places) && slash && !path; i++) {
		path = xasprintf(places[i].format, dir, places[i].installed ? slash + 1 : "perf", suffix);
		if (access(path, R_OK)) {
			free(path);
			path = NULL;
		}
	}
	free(dir);
	return path;
}

/* Run man on the page. Return -1 if there is no page or no man. */
static int show_page(const char *suffix)
{
	char *path = find_page(suffix);
	int status;
	pid_t pid;

	if (!path)
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execlp("man", "man", "-l", path, (char *)NULL);
		_exit(127);
	}
	free(path);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
		return -1;
	return 0;
}

static int help_on(const char *name)
{
	const struct cmd *c = cmd__find(name);
	char *suffix;
	int ret;

	if (!c && strcmp(name, "perf"))
		return perf__tell_stock(name, (const char *[]){ "help", name, NULL }) ? 1
										      : cmd__unknown(name);
	suffix = c ? xasprintf("-%s", name) : xstrdup("");
	ret = show_page(suffix);
	free(suffix);
	if (!ret)
		return 0;
	if (!c)
		print_commands();
	else
		/* exits with the status of a usage message */
		c->run(2, (const char *[]){ name, "-h", NULL, NULL });
	return 0;
}

int cmd_help(int argc, const char **argv)
{
	static const char *const usage[] = { "perf help [<command>]", NULL };
	const struct option options[] = { OPT_END() };
	int nr = perf__parse_options(options, usage, 0, argc, argv);

	if (nr < 0)
		return -nr;
	if (nr)
		return help_on(argv[0]);
	print_commands();
	return 0;
}
