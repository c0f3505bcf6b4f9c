/*
 * Any file that is called a recording, for what makes something else of it: perf inject with build-ids and
 * with the code of jitdumps, to a file and to a pipe; the list of its binaries; an archive of them; names
 * stored in it; perf merge. The last byte chooses. What inject writes must be a recording again; what merge
 * writes must have all samples. Seeds: as those of fuzz_recording.
 */
#include "cache/archive.h"
#include "fuzz.h"
#include "inject/inject.h"
#include "merge/merge.h"
#include "profile/embed/embed.h"

#include <fcntl.h>
#include <unistd.h>

static const struct session_opts session_opts = {
	.symbols = { .symfs = "/nowhere", .kallsyms = "/nowhere/kallsyms" }, .samples_follow = true
};

static void inject(struct session *s, unsigned what)
{
	struct inject_opts opts = { .build_ids = what & 2,
				    .build_ids_all = what & 4,
				    .jit = what & 8,
				    .known_ids = what & 16
							 ? "0123456789abcdef0123456789abcdef01234567 /bin/sh"
							 : NULL };
	struct injected done;
	char path[64];
	int fd = fuzz__file("", 0, path);
	struct session *again;

	opts.output = path;
	if (!inject__run(s, &opts, &done, NULL)) {
		if (session__open(&again, path, &session_opts, NULL))
			__builtin_trap();
		session__delete(again);
	}
	close(fd);
}

static void archive(struct session *s)
{
	struct cache none = { .fd = -1 };
	struct binaries b = { .has_table = false };
	struct archive_item *items;
	char path[] = "/dev/shm/fuzz-archive.XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	size_t nr = 0;

	if (fd < 0)
		abort();
	close(fd);
	if (!binaries__find(&b, s, BINARIES_ALL, NULL)) {
		items = xcalloc(b.v.nr + 1, sizeof(*items));
		for (size_t i = 0; i < b.v.nr; i++)
			/* packing this machine's takes a second */
			if (b.v.v[i].cpumode != PERF_RECORD_MISC_KERNEL)
				items[nr++] =
					(struct archive_item){ .name = b.v.v[i].name, .id = b.v.v[i].id };
		archive__create(path, items, nr, &none, NULL, false, NULL);
		free(items);
	}
	binaries__exit(&b);
	unlink(path);
}

static void list(struct session *s)
{
	struct binaries b = { .has_table = false };
	struct build_id id;

	binaries__find(&b, s, BINARIES_HIT, NULL);
	for (size_t i = 0; i < b.v.nr; i++)
		binary__id_of_today(s, &b.v.v[i], &id);
	binaries__exit(&b);
}

static void embed(const uint8_t *data, size_t size)
{
	const struct embed_opts opts = { .nr_threads = 1 };
	struct embed_result stored;
	char path[64];
	int fd = fuzz__file(data, size, path);

	embed__store(path, &opts, &stored, NULL);
	close(fd);
}

/* Merge one recording into a file. Return false if it is refused. */
static bool merge_one(const char *path, const char *output, struct merge_totals *totals)
{
	const struct merge_opts opts = { .nr_threads = 1 };
	struct merge *m = merge__new(&opts);
	int ret = merge__add(m, path, NULL);

	if (ret >= 0 && merge__write(m, output, totals, NULL))
		__builtin_trap();
	merge__delete(m);
	return ret >= 0;
}

static void merge(const char *path)
{
	struct merge_totals first, again;
	char merged[64], twice[64];
	int fd = fuzz__file("", 0, merged), other = fuzz__file("", 0, twice);

	if (merge_one(path, merged, &first) &&
	    (!merge_one(merged, twice, &again) || first.nr_samples != again.nr_samples))
		__builtin_trap();
	close(fd);
	close(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned what = size ? data[size - 1] : 0;
	struct session *s;
	char path[64];
	int fd;

	if ((what & 0xe0) == 0xe0) {
		embed(data, size);
		return 0;
	}
	fd = fuzz__file(data, size, path);
	if ((what & 0xe0) == 0x80)
		merge(path);
	else if (!session__open(&s, path, &session_opts, NULL)) {
		if ((what & 0xe0) == 0xc0)
			archive(s);
		else if ((what & 0xe0) == 0xa0)
			list(s);
		else
			inject(s, what);
		session__delete(s);
	}
	close(fd);
	return 0;
}
