/*
 * Any file that lies beside a program as its package of split debug information: lines and inlined functions
 * at all addresses of the program, which seeds_dwarf_package has made.
 */
#include "binary/dwarf/dwarf_lines.h"
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char program[64], package[72];
static struct strbuf image = STRBUF_INIT;

static void remove_files(void)
{
	unlink(program);
	unlink(package);
	*strrchr(program, '/') = '\0';
	rmdir(program);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || file__write_all(fd, data, size))
		abort();
	close(fd);
}

static void make_folder(void)
{
	char dir[] = "/dev/shm/fuzz-package.XXXXXX";

	if (file__read("program", &image, 0))
		return; /* there are no seeds: every package is one without its program */
	if (!mkdtemp(dir))
		abort();
	snprintf(program, sizeof(program), "%s/p", dir);
	snprintf(package, sizeof(package), "%s/p.dwp", dir);
	write_file(program, image.buf, image.len);
	atexit(remove_files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dwarf_lines *d;
	struct source_line line;

	if (!program[0] && !image.len)
		make_folder();
	if (!program[0])
		return 0;
	write_file(package, data, size);
	if (dwarf_lines__open(&d, program, NULL, NULL, NULL))
		return 0;
	for (u64 addr = 0; addr < image.len; addr += 13) {
		if (!dwarf_lines__find(d, addr, DWARF_WANTS_LINE | DWARF_WANTS_INLINED, &line))
			continue;
		for (const struct inlined *i = line.inlined; i; i = i->caller)
			if (i->name)
				fuzz__touch(i->name, strlen(i->name));
	}
	dwarf_lines__delete(d);
	return 0;
}
