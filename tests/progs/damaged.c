/*
 * Runs code of damaged binaries.
 *	damaged map FILE SPIN BEGIN END SEED NUMBER   maps NUMBER damaged copies of a library, one after the
 *	other, and runs in each damaged exec FILE BEGIN END SEED NUMBER       executes NUMBER damaged copies
 *	of a program damaged copy FILE TO BEGIN END SEED           writes one damaged copy
 * SPIN: the file offset of a function of one argument, a time of CLOCK_MONOTONIC in ns until which it runs.
 * BEGIN, END: the part of the file that stays as it is. The copies are ./damaged.N; copy 0 has no damage,
 * every eighth is cut short as well.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FLIPS = 12, SPIN_NS = 4000000, EXEC_SECONDS = 2 };

static unsigned char *data, *copy;
static size_t size, keep_begin, keep_end;
static unsigned long long random_state;

static unsigned next_random(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(random_state >> 33);
}

static void read_file(const char *path)
{
	FILE *f = fopen(path, "r");

	if (!f || fseek(f, 0, SEEK_END)) {
		perror(path);
		exit(1);
	}
	size = (size_t)ftell(f);
	rewind(f);
	data = malloc(size);
	copy = malloc(size);
	if (!data || !copy || fread(data, 1, size, f) != size)
		exit(1);
	fclose(f);
}

/* Half of the changed bytes get a value that is a large or a negative number. */
static size_t damage(unsigned nr)
{
	static const unsigned char odd[] = { 0x00, 0x7f, 0x80, 0xff };

	memcpy(copy, data, size);
	for (int i = 0; nr && i < FLIPS; i++) {
		size_t at = next_random() % size;
		unsigned value = next_random();

		if (at < keep_begin || at >= keep_end)
			copy[at] = value & 1 ? odd[value >> 1 & 3] : (unsigned char)(value >> 8);
	}
	return nr % 8 == 7 ? keep_end + next_random() % (size - keep_end) : size;
}

static void write_copy(const char *path, unsigned nr)
{
	size_t length = damage(nr);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0700);

	if (fd < 0 || write(fd, copy, length) != (ssize_t)length || close(fd)) {
		perror(path);
		exit(1);
	}
}

static void map_and_run(const char *path, size_t spin)
{
	struct timespec now;
	int fd = open(path, O_RDONLY);
	unsigned char *p = mmap(NULL, keep_end, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	void (*run)(unsigned long long);

	if (p == MAP_FAILED)
		exit(1);
	p += spin;
	memcpy(&run, &p, sizeof(run));
	clock_gettime(CLOCK_MONOTONIC, &now);
	run((unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec + SPIN_NS);
	close(fd); /* it stays mapped */
}

/* The program may do anything, if the kernel takes it at all. */
static void execute(const char *path)
{
	pid_t pid = fork();

	if (!pid) {
		alarm(EXEC_SECONDS);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int is_map = argc == 8 && !strcmp(argv[1], "map"), n = is_map                                  ? 4
							       : argc == 7 && !strcmp(argv[1], "copy") ? 4
												       : 3;
	char path[32];

	if (argc < 7)
		return 2;
	read_file(argv[2]);
	keep_begin = strtoul(argv[n], NULL, 0);
	keep_end = strtoul(argv[n + 1], NULL, 0);
	random_state = strtoull(argv[n + 2], NULL, 0);
	if (keep_end > size || keep_end == size)
		return 2;
	if (!strcmp(argv[1], "copy"))
		return write_copy(argv[3], 1), 0;
	for (unsigned i = 0; i < strtoul(argv[n + 3], NULL, 0); i++) {
		snprintf(path, sizeof(path), "damaged.%u", i);
		write_copy(path, i);
		if (is_map)
			map_and_run(path, strtoul(argv[3], NULL, 0));
		else
			execute(path);
	}
	return 0;
}
