/*
 * Any file that is called a recording, for what makes something else of it: perf inject with build-ids and
 * with the code of jitdumps, to a file and to a pipe; the list of its binaries; an archive of them; names
 * stored in it. The last byte chooses. What inject writes must be a recording again. Seeds: as those of
 * fuzz_recording.
 */
#include "cache/archive.h"
#include "fuzz.h"
#include "inject/inject.h"
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
		archive__create(path, items, nr, &none, NULL, NULL);
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
	if (!session__open(&s, path, &session_opts, NULL)) {
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
