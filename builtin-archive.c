/* perf archive: pack the files of this machine that a recording needs, and unpack them on another. */
#include "builtin.h"

#include "base/memory/mem.h"
#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "cache/archive.h"
#include "model/binaries.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct archive_args {
	const char *file;
	bool all, unpack, any_size, with_zstd;
	int verbose;
};

/* With stack copies, frames may be in any binary that was mapped. */
static enum binaries_wanted wanted_binaries(const struct session *s)
{
	return evlist__sample_type_all(&s->reader->evlist) & PERF_SAMPLE_STACK_USER ? BINARIES_ALL
										    : BINARIES_HIT;
}

static size_t find_items(const struct session *s, const struct binaries *b, struct archive_item *items)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->v.nr; i++) {
		const struct binary *x = &b->v.v[i];

		items[nr] = (struct archive_item){ .name = x->name, .id = x->id };
		if (x->id.size || binary__id_of_today(s, x, &items[nr].id))
			nr++;
		else
			debug(MSG_VERBOSE, "archive", "'%s' has no build-id", x->name);
	}
	return nr;
}

/*
 * Return the default name of an archive with the recording, as stock perf's: perf.all-HOST-DATE-TIME.SUFFIX
 */
static char *name_of_all(const char *suffix)
{
	char host[64] = "", date[32] = "";
	time_t now = time(NULL);
	struct tm tm;

	gethostname(host, sizeof(host) - 1);
	if (localtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	return xasprintf("perf.all-%s-%s.%s", host, date, suffix);
}

static void say_what_to_type(const struct archive_args *args, const char *path)
{
	if (args->all)
		printf("Now please run:\n\n$ %s archive --unpack %s\n\n", called_name(), path);
	else
		printf("Now please run:\n\n$ tar xvf %s -C ~/.debug\n\n", path);
	printf("wherever you need to run '%s report' on.\n", called_name());
}

static int pack_items(const struct archive_args *args, struct archive_item *items, size_t nr,
		      const struct cache *cache, struct err *err)
{
	const char *suffix = args->with_zstd ? "tar.zst" : "tar.bz2";
	char *path = args->all ? name_of_all(suffix) : xasprintf("%s.%s", args->file, suffix);
	size_t nr_packed = nr;
	int ret =
		archive__create(path, items, nr, cache, args->all ? args->file : NULL, args->with_zstd, err);

	for (size_t i = 0; !ret && i < nr; i++)
		if (items[i].is_missing) {
			warning("no file of the recorded build of '%s' is here", items[i].name);
			nr_packed--;
		}
	if (!ret && !nr_packed) {
		unlink(path);
		ret = err__set(err, -ENOENT, "there is nothing to pack: no binary of the recording is here");
	}
	if (!ret)
		say_what_to_type(args, path);
	free(path);
	return ret;
}

static int pack(const struct archive_args *args, const struct cache *cache, struct err *err)
{
	const struct session_opts opts = { .samples_follow = true };
	struct binaries binaries = { .has_table = false };
	struct archive_item *items = NULL;
	struct session *s = NULL;
	size_t nr = 0;
	int ret = session__open(&s, args->file, &opts, err), damage;

	if (!ret)
		ret = binaries__find(&binaries, s, wanted_binaries(s), err);
	if (!ret) {
		items = xcalloc(binaries.v.nr + 1, sizeof(*items));
		nr = find_items(s, &binaries, items);
		ret = nr ? pack_items(args, items, nr, cache, err)
			 : err__set(err, -ENOENT, "no build-ids found");
	}
	damage = s ? session__tell_damage(s) : 0;
	free(items);
	binaries__exit(&binaries);
	session__delete(s);
	return ret ? ret : damage;
}

/* Find the only archive in this folder. */
static char *find_archive(struct err *err)
{
	static const char pattern[] = "perf.*.tar*";
	char *path = NULL;
	glob_t g;

	if (!glob(pattern, 0, NULL, &g) && g.gl_pathc == 1)
		path = xstrdup(g.gl_pathv[0]);
	else
		err__set(err, -ENOENT, "%zu files are named %s here: name the archive to unpack", g.gl_pathc,
			 pattern);
	globfree(&g);
	return path;
}

static int unpack(const struct archive_args *args, struct cache *cache, struct err *err)
{
	char *path = args->file ? xstrdup(args->file) : find_archive(err);
	struct unpacked u;
	int ret;

	if (!path)
		return err->code;
	ret = archive__unpack(path, cache, "perf.data", args->any_size, &u, err);
	if (!ret && u.nr_refused)
		warning("%zu files of '%s' are not what their names say: left out", u.nr_refused, path);
	if (!ret && !u.nr_entries)
		ret = err__set(err, -ENOENT, "'%s' has nothing for the build-id cache", path);
	else if (!ret)
		info("%zu files went into '%s'%s", u.nr_entries, cache->path,
		     u.has_recording ? ", and the recording is perf.data" : "");
	free(path);
	return ret;
}

int cmd_archive(int argc, const char **argv)
{
	static const char *const usage[] = { "perf archive [--all] [--zstd] [<file>]",
					     "perf archive --unpack [--any-size] [<file>]", NULL };
	struct archive_args args = { .file = NULL };
	const struct option options[] = {
		OPT_BOOL(0, "all", &args.all, "pack the recording, too"),
		OPT_BOOL(0, "unpack", &args.unpack, "put what is in an archive into the build-id cache"),
		OPT_BOOL(0, "any-size", &args.any_size,
			 "with --unpack: whatever the size; otherwise up to 256 MiB or 100 times the "
			 "archive's"),
		OPT_BOOL(0, "zstd", &args.with_zstd,
			 "compress with zstd, in a tenth of the time: FILE.tar.zst"),
		OPT_INCR('v', "verbose", &args.verbose, "say more"),
		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv), ret;
	struct cache cache = { .fd = -1 };
	struct err err = ERR_INIT;
	char *dir;

	if (nr < 0)
		return -nr;
	if (nr > 1 || (args.all && args.unpack)) {
		error__say(nr > 1 ? "perf archive takes one file" : "--all and --unpack exclude each other");
		return EXIT_USAGE;
	}
	msg__set_level(args.verbose);
	args.file = nr ? argv[0] : args.unpack ? NULL : "perf.data";
	dir = perf__buildid_dir();
	ret = dir ? cache__open(&cache, dir, args.unpack, &err)
		  : err__set(&err, -ENOENT, "no build-id cache: HOME is not set; use perf --buildid-dir");
	if (!ret)
		ret = args.unpack ? unpack(&args, &cache, &err) : pack(&args, &cache, &err);
	if (err.code)
		error__print(&err);
	cache__close(&cache);
	free(dir);
	err__exit(&err);
	return ret ? 1 : 0;
}
