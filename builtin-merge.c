/* perf merge: many recordings of the same events as one small one. */
#include "builtin.h"

#include "base/memory/hash.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "base/system/file.h"
#include "merge/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct merge_args {
	const char *output;
	struct merge_opts opts;
};

static int check_output(const struct merge_args *a, int nr, const char **inputs)
{
	if (!a->output)
		return error__say("name the recording to write: -o FILE, or -o - for a pipe");
	if (!strcmp(a->output, "-") && isatty(STDOUT_FILENO))
		return error__say("a recording is not for a terminal: use -o FILE, or pipe it");
	for (int i = 0; i < nr; i++)
		if (file__is_same(inputs[i], a->output))
			return error__say("'%s' is an input: choose another output", a->output);
	return 0;
}

/* Warn of recordings that are named more than once: they count each time. */
static void warn_of_repeats(int nr, const char **inputs)
{
	struct hash_table seen = HASH_TABLE_INIT;
	struct stat *files = xcalloc((size_t)nr, sizeof(*files));

	for (int i = 0; i < nr; i++) {
		const struct stat *f = &files[i];
		bool is_repeated = false;
		u64 hash;
		u32 k;

		if (stat(inputs[i], &files[i]) || !S_ISREG(f->st_mode))
			continue;
		hash = hash__add(hash__u64(f->st_dev), f->st_ino);
		hash_table__for_each (&seen, hash, k)
			is_repeated |= files[k].st_dev == f->st_dev && files[k].st_ino == f->st_ino;
		hash_table__insert(&seen, hash, (u32)i);
		if (is_repeated)
			warning("'%s' is named more than once: its samples count each time", inputs[i]);
	}
	hash_table__exit(&seen);
	free(files);
}

static int merge_all(const struct merge_args *a, int nr, const char **inputs)
{
	struct merge *m = merge__new(&a->opts);
	struct err err = ERR_INIT;
	struct merge_totals t;
	int ret = 0, nr_left_out = 0;
	bool is_damaged = false, is_pipe = !strcmp(a->output, "-");

	for (int i = 0; i < nr && ret >= 0; i++) {
		ret = merge__add(m, inputs[i], &err);
		is_damaged |= ret > 0;
		if (ret >= 0 || ret == -EINVAL)
			continue;
		error__print(&err);
		err__exit(&err);
		err = (struct err)ERR_INIT;
		nr_left_out++;
		ret = 0;
	}
	if (ret >= 0 && nr_left_out)
		warning("%d of %d recordings were left out", nr_left_out, nr);
	if (ret >= 0 && nr_left_out < nr)
		ret = merge__write(m, a->output, &t, &err);
	if (ret < 0)
		error__print(&err);
	else if (nr_left_out == nr)
		ret = -ENODATA;
	else
		info("%llu samples of %llu recording%s: %llu stacks%s%s%s", (unsigned long long)t.nr_samples,
		     (unsigned long long)t.nr_inputs, t.nr_inputs == 1 ? "" : "s",
		     (unsigned long long)t.nr_stacks, is_pipe ? "" : " in '", is_pipe ? "" : a->output,
		     is_pipe ? "" : "'");
	merge__delete(m);
	err__exit(&err);
	return ret < 0 || is_damaged || nr_left_out;
}

int cmd_merge(int argc, const char **argv)
{
	static const char *const usage[] = { "perf merge -o <file> [<options>] <recording>...", NULL };
	struct merge_args a = { .output = NULL };
	char *buildid_dir;
	int verbose = 0, nr, ret;
	const struct option options[] = {
		OPT_STRING('o', "output", &a.output, "file", "recording to write"),
		OPT_UINT(0, "threads", &a.opts.nr_threads, "n", "threads that read (one for each CPU)"),
		OPT_INCR('v', "verbose", &verbose, "say more"),
		OPT_END(),
	};

	nr = perf__parse_options(options, usage, 0, argc, argv);
	if (nr < 0)
		return -nr;
	msg__set_level(verbose);
	if (!nr) {
		error__say("no recordings are named: %s merge -o all.data one.data two.data", called_name());
		return EXIT_USAGE;
	}
	if (check_output(&a, nr, argv))
		return EXIT_USAGE;
	warn_of_repeats(nr, argv);
	buildid_dir = perf__buildid_dir();
	a.opts.buildid_dir = buildid_dir;
	ret = merge_all(&a, nr, argv);
	free(buildid_dir);
	return ret;
}
