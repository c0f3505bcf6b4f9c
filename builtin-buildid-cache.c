/* perf buildid-cache: list, add and remove files in the build-id cache. */
#include "builtin.h"

#include "base/message/called_name.h"
#include "base/system/file.h"
#include "base/message/msg.h"
#include "cache/cache.h"
#include "model/binaries.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ACTION_ADD, ACTION_REMOVE, ACTION_PURGE, ACTION_UPDATE, ACTION_NR };

struct cache_args {
	struct strbuf files[ACTION_NR]; /* each followed by a comma */
	const char *missing;
	bool list, purge_all, force;
	unsigned target_ns;
	int verbose;
	struct cache cache;
};

/* Add the file or files of "a,b", as stock perf does. */
static int add_files(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct strbuf *files = opt->value;

	if (unset || !arg || !*arg)
		return err__set(err, -EINVAL, "expected the name of a file");
	strbuf__addf(files, "%s,", arg);
	return 0;
}

/* ---- actions on one file ---- */

struct named_file {
	int fd;
	char *name; /* name in the cache */
	struct build_id id;
};

static void named_file__close(struct named_file *f)
{
	file__close(f->fd);
	free(f->name);
}

static int named_file__open(struct named_file *f, const struct cache_args *args, const char *path,
			    struct err *err)
{
	char *in_ns = args->target_ns ? xasprintf("/proc/%u/root/%s", args->target_ns, path) : NULL;
	int ret;

	*f = (struct named_file){ .fd = file__open_regular(in_ns ? in_ns : path) };
	free(in_ns);
	if (f->fd < 0)
		return err__set(err, f->fd, "%s", f->fd == -EINVAL ? "no regular file" : err__str(f->fd));
	ret = build_id__of_fd(f->fd, &f->id);
	if (ret) {
		named_file__close(f);
		return err__set(err, ret, "%s", ret == -ENOENT ? "it has no build-id" : "no ELF file");
	}
	f->name = args->target_ns ? xstrdup(path) : realpath(path, NULL);
	if (!f->name)
		f->name = xstrdup(path);
	return 0;
}

static void say_done(const char *what, const struct named_file *f, const char *path)
{
	char hex[2 * BUILD_ID_MAX + 1];

	debug(MSG_VERBOSE, "cache", "%s %s %s", what, build_id__str(&f->id, hex), path);
}

static int add_file(struct cache_args *args, const char *path, struct err *err)
{
	struct named_file f;
	int ret = named_file__open(&f, args, path, err);

	if (ret)
		return ret;
	if (!cache__has(&args->cache, &f.id)) {
		ret = cache__put_binary(&args->cache, f.name, &f.id, f.fd, err);
		if (!ret)
			say_done("added", &f, path);
	}
	named_file__close(&f);
	return ret;
}

static int remove_file(struct cache_args *args, const char *path, struct err *err)
{
	struct named_file f;
	int ret = named_file__open(&f, args, path, err);

	if (ret)
		return ret;
	ret = cache__remove(&args->cache, &f.id, err);
	if (!ret)
		say_done("removed", &f, path);
	named_file__close(&f);
	return ret == -ENOENT ? 0 : ret;
}

static int update_file(struct cache_args *args, const char *path, struct err *err)
{
	struct named_file f;
	int ret = named_file__open(&f, args, path, err);

	if (ret)
		return ret;
	ret = cache__remove(&args->cache, &f.id, err);
	if (ret == -ENOENT)
		ret = 0; /* not in the cache: nothing to update */
	else if (!ret)
		ret = cache__put_binary(&args->cache, f.name, &f.id, f.fd, err);
	named_file__close(&f);
	return ret;
}

/* Remove all entries with this name; the file itself need not exist. */
static int purge_file(struct cache_args *args, const char *path, struct err *err)
{
	char *name = args->target_ns || path[0] == '[' ? xstrdup(path) : realpath(path, NULL);
	int nr = cache__purge(&args->cache, name ? name : path, err);

	free(name);
	return nr < 0 ? nr : 0;
}

static const struct {
	const char *verb;
	int (*run)(struct cache_args *args, const char *path, struct err *err);
} actions[ACTION_NR] = {
	[ACTION_ADD] = { "add", add_file },
	[ACTION_REMOVE] = { "remove", remove_file },
	[ACTION_PURGE] = { "purge", purge_file },
	[ACTION_UPDATE] = { "update", update_file },
};

/* Run an action on its files. Return how many failed. */
static int run_action(struct cache_args *args, int action)
{
	char *save, *path = strtok_r(args->files[action].buf, ",", &save);
	int failed = 0;

	for (; path; path = strtok_r(NULL, ",", &save)) {
		struct err err = ERR_INIT;

		if (actions[action].run(args, path, &err)) {
			/* wording of stock perf */
			err__prefix(&err, "Couldn't %s %s", actions[action].verb, path);
			info("%s", err.text.buf);
			failed++;
		}
		err__exit(&err);
	}
	return failed;
}

/* ---- listing: cached and missing files ---- */

static void print_entry(const struct build_id *id, const char *name)
{
	char hex[2 * BUILD_ID_MAX + 1];
	struct strbuf masked = STRBUF_INIT;

	strbuf__add_masked(&masked, name);
	printf("%s %s\n", build_id__str(id, hex), masked.buf);
	strbuf__exit(&masked);
}

static int list_cache(struct cache_args *args, struct err *err)
{
	cache_entries entries = { .v = NULL };
	size_t broken = 0;
	int ret = cache__list(&args->cache, &entries, &broken, err);

	for (size_t i = 0; i < entries.nr; i++) {
		if (cache__has(&args->cache, &entries.v[i].id))
			print_entry(&entries.v[i].id, entries.v[i].name);
		else
			broken++;
	}
	if (broken)
		debug(MSG_VERBOSE, "cache", "%zu entries are not what their names say, or lead elsewhere",
		      broken);
	cache_entries__exit(&entries);
	return ret;
}

/* As in stock perf, the running kernel is never missing: it provides its own symbols. */
static bool is_missing(const struct cache_args *args, const struct binary *b)
{
	struct build_id running;

	if (!b->id.size || cache__has(&args->cache, &b->id))
		return false;
	return b->cpumode != PERF_RECORD_MISC_KERNEL || build_id__of_kernel(&running) ||
	       !build_id__equal(&running, &b->id);
}

static int list_missing(struct cache_args *args, struct err *err)
{
	const struct session_opts opts = { .samples_follow = true };
	struct binaries binaries = { .has_table = false };
	struct session *s = NULL;
	int ret = session__open(&s, args->missing, &opts, err);

	if (!ret)
		ret = binaries__find(&binaries, s, BINARIES_HIT, err);
	for (size_t i = 0; !ret && i < binaries.v.nr; i++)
		if (is_missing(args, &binaries.v.v[i]))
			print_entry(&binaries.v.v[i].id, binaries.v.v[i].name);
	binaries__exit(&binaries);
	session__delete(s);
	return ret;
}

static int run(struct cache_args *args)
{
	struct err err = ERR_INIT;
	char *dir = perf__buildid_dir();
	int failed = 0, ret;

	if (!dir) {
		error__say("no build-id cache: HOME is not set; use perf --buildid-dir");
		return 1;
	}
	ret = cache__open(&args->cache, dir, args->files[ACTION_ADD].len > 0, &err);
	if (!ret && args->list)
		ret = list_cache(args, &err);
	for (int i = 0; !ret && i < ACTION_NR; i++)
		failed += run_action(args, i);
	if (!ret && args->purge_all)
		ret = MIN(cache__purge(&args->cache, NULL, &err), 0);
	if (!ret && args->missing)
		ret = list_missing(args, &err);
	if (ret)
		error__print(&err);
	cache__close(&args->cache);
	free(dir);
	err__exit(&err);
	return ret || failed ? 1 : 0;
}

/* Check for contradicting options. Return false after printing an error. */
static bool check(const struct cache_args *args)
{
	bool other = args->purge_all || args->missing;

	for (int i = 0; i < ACTION_NR; i++)
		other = other || args->files[i].len;
	if (args->list && other)
		error__say("--list goes alone");
	else if (!args->list && !other)
		error__say("nothing to do: see '%s buildid-cache -h'", called_name());
	return args->list != other;
}

int cmd_buildid_cache(int argc, const char **argv)
{
	static const char *const usage[] = { "perf buildid-cache [<options>]", NULL };
	struct cache_args args = { .files = { STRBUF_INIT, STRBUF_INIT, STRBUF_INIT, STRBUF_INIT } };
	const struct option options[] = {
		OPT_CALLBACK('a', "add", &args.files[ACTION_ADD], "file list",
			     "put copies of these files into the cache", add_files),
		OPT_CALLBACK('r', "remove", &args.files[ACTION_REMOVE], "file list",
			     "remove the copies of exactly these builds", add_files),
		OPT_CALLBACK('p', "purge", &args.files[ACTION_PURGE], "file list",
			     "remove the copies of all builds with these paths", add_files),
		OPT_BOOL('P', "purge-all", &args.purge_all, "remove everything"),
		OPT_CALLBACK('u', "update", &args.files[ACTION_UPDATE], "file list",
			     "copy these files again if the cache has them", add_files),
		OPT_BOOL('l', "list", &args.list, "list what is in the cache"),
		OPT_STRING('M', "missing", &args.missing, "file",
			   "list what this recording needs and the cache lacks"),
		OPT_UINT(0, "target-ns", &args.target_ns, "n",
			 "files are in the mount namespace of this process"),
		OPT_BOOL('f', "force", &args.force, "accepted; files of any owner are read"),
		OPT_INCR('v', "verbose", &args.verbose, "say more"),
		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv), status = EXIT_USAGE;

	msg__set_level(args.verbose);
	if (nr < 0)
		status = -nr;
	else if (nr)
		error__say("perf buildid-cache takes no word such as '%s'", argv[0]);
	else if (check(&args))
		status = run(&args);
	for (int i = 0; i < ACTION_NR; i++)
		strbuf__exit(&args.files[i]);
	return status;
}
