/*
 * Any file that is called an archive, unpacked into a build-id cache: nothing appears beside the cache, nor
 * in it what is neither a folder, a file of an entry nor a link of .build-id. The cache is read and purged
 * then.
 */
#include "cache/archive.h"
#include "fuzz.h"

#include <ftw.h>
#include <string.h>
#include <unistd.h>

enum { CACHE_AT = 1, DEPTH = 16 };

static bool is_clean;

/* An odd name, or a link that is not of .build-id, is what the unpacking must not make. */
static int look(const char *path, const struct stat *st, int flag, struct FTW *f)
{
	const char *name = path + f->base;
	bool known = false;

	(void)st;
	if (f->level == CACHE_AT)
		known = !strcmp(name, "cache") || !strcmp(name, "recording");
	else if (flag == FTW_F)
		for (int i = 0; i < CACHE_FILE_NR; i++)
			known = known || !strcmp(name, cache_file__name(i));
	else if (flag == FTW_SL)
		known = strstr(path, "/cache/.build-id/");
	else
		known = strcmp(name, "..") != 0;
	is_clean = is_clean && (known || !f->level);
	return 0;
}

static int delete (const char *path, const struct stat *st, int flag, struct FTW *f)
{
	(void)st, (void)flag, (void)f;
	return remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64], dir[] = "/dev/shm/fuzz-cache.XXXXXX", *folder, *recording;
	struct unpacked u;
	struct cache c;
	int fd;

	if (!mkdtemp(dir))
		abort();
	folder = xasprintf("%s/cache", dir);
	recording = xasprintf("%s/recording", dir);
	fd = fuzz__file(data, size, path);
	if (cache__open(&c, folder, true, NULL))
		abort();
	archive__unpack(path, &c, recording, false, &u, NULL);
	is_clean = true;
	nftw(dir, look, DEPTH, FTW_PHYS);
	if (!is_clean)
		__builtin_trap();
	cache__purge(&c, NULL, NULL);
	cache__close(&c);
	close(fd);
	nftw(dir, delete, DEPTH, FTW_PHYS | FTW_DEPTH);
	free(recording);
	free(folder);
	return 0;
}
