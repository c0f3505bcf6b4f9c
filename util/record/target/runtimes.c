#include "record/target/runtimes.h"

#include "base/memory/mem.h"
#include "base/message/word_list.h"
#include "base/text/strbuf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum setting {
	SET_WORD, /* unless the user has set it */
	ADD_WORDS,
	ADD_FOLDER, /* with a file that has the words */
};

static const struct knob {
	const char *name;
	enum setting setting;
	const char *variable, *words;
} knobs[] = {
	{ "dotnet", SET_WORD, "DOTNET_PerfMapEnabled", "1" },
	{ "erlang", ADD_WORDS, "ERL_FLAGS", "+JPperf true" },
	{ "julia", SET_WORD, "ENABLE_JITPROFILING", "1" },
	{ "mono", ADD_WORDS, "MONO_ENV_OPTIONS", "--jitmap" },
	{ "node", ADD_WORDS, "NODE_OPTIONS", "--perf-basic-prof --interpreted-frames-native-stack" },
	/* an empty folder in the list stands for the one that PHP was built with */
	{ "php", ADD_FOLDER, "PHP_INI_SCAN_DIR", "opcache.jit_debug=16\n" },
	{ "python", SET_WORD, "PYTHONPERFSUPPORT", "1" },
};

static const struct word_list knob_list = WORD_LIST("runtime", knobs, 0);

static char *folder; /* of ADD_FOLDER, with one file */

static char *file_in_folder(void)
{
	return xasprintf("%s/perf.ini", folder);
}

static int make_folder(const char *words, struct err *err)
{
	char *file;
	int fd;

	folder = xstrdup("/tmp/perf-ini-XXXXXX");
	if (!mkdtemp(folder)) {
		int ret = -errno;

		free(folder);
		folder = NULL;
		return err__set(err, ret, "--runtimes: cannot make a folder in /tmp: %s", err__str(ret));
	}
	file = file_in_folder();
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	free(file);
	chmod(folder, 0755); /* the command may change its user */
	if (fd >= 0 && write(fd, words, strlen(words)) == (ssize_t)strlen(words) && !close(fd))
		return 0;
	runtimes__clean();
	return err__set(err, -EIO, "--runtimes: cannot write a file in /tmp");
}

void runtimes__clean(void)
{
	char *file;

	if (!folder)
		return;
	file = file_in_folder();
	unlink(file);
	rmdir(folder);
	free(file);
	free(folder);
	folder = NULL;
}

static int knob__set(const struct knob *k, struct err *err)
{
	const char *before = getenv(k->variable), *words = k->words;
	struct strbuf value = STRBUF_INIT;

	if (k->setting == SET_WORD && before)
		return 0;
	if (k->setting == ADD_FOLDER) {
		int ret = folder ? 0 : make_folder(words, err);

		if (ret)
			return ret;
		words = folder;
	}
	if (before && k->setting == ADD_WORDS && strstr(before, words))
		return 0;
	strbuf__addstr(&value, before ? before : "");
	if (k->setting == ADD_FOLDER)
		strbuf__addch(&value, ':');
	else if (value.len)
		strbuf__addch(&value, ' ');
	strbuf__addstr(&value, words);
	setenv(k->variable, value.buf, true);
	strbuf__exit(&value);
	return 0;
}

int runtimes__set(const char *list, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; !list && !ret && i < ARRAY_SIZE(knobs); i++)
		ret = knob__set(&knobs[i], err);
	for (const char *at = list; at && !ret;) {
		size_t len = strcspn(at, ",");
		int row = word_list__choose(&knob_list, at, len, err);

		ret = row < 0 ? row : knob__set(&knobs[row], err);
		at = at[len] ? at + len + 1 : NULL;
	}
	return ret;
}
