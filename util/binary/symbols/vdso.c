#include "binary/symbols/vdso.h"

#include "base/system/file.h"

#include <elf.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#ifdef __x86_64__
#include <asm/prctl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

const char *vdso__name_at(const char *name, u64 start, bool is_64bit)
{
	return is_64bit && !(start >> 32) && !strcmp(name, VDSO_NAME) ? VDSO32_NAME : name;
}

bool vdso__is_name(const char *name)
{
	return !strcmp(name, VDSO_NAME) || !strcmp(name, VDSO32_NAME);
}

static bool own_image(const void **image, size_t *size)
{
	struct strbuf maps = STRBUF_INIT;
	unsigned long start, end;
	const char *line;
	bool found;

	found = !file__read("/proc/self/maps", &maps, 0) && (line = strstr(maps.buf, VDSO_NAME));
	while (found && line > maps.buf && line[-1] != '\n')
		line--;
	found = found && sscanf(line, "%lx-%lx", &start, &end) == 2;
	if (found) {
		*image = (const void *)start;
		*size = end - start;
	}
	strbuf__exit(&maps);
	return found;
}

/* ---- of 32-bit programs ---- */

enum { VDSO_MAX = 1 << 16 }; /* bytes */

static struct {
	pthread_mutex_t lock;
	bool was_tried;
	u8 *data;    /* VDSO_MAX bytes; NULL: not needed yet */
	size_t size; /* 0: it cannot be had */
} vdso32 = { .lock = PTHREAD_MUTEX_INITIALIZER };

#ifdef __x86_64__
#ifndef ARCH_MAP_VDSO_32
#define ARCH_MAP_VDSO_32 0x2002
#endif

enum { MAPS_MAX = 1 << 20, FREE_PLACE = 0x10000000 }; /* bytes; an address */

/* These run in the child of a process with threads: only system calls, and functions that take no lock. */

/* Get the addresses of the next map with this name, and return the text after it; NULL: there is none. */
static const char *line_with(const char *text, const char *name, unsigned long *start, unsigned long *end)
{
	const char *at = strstr(text, name), *line = at;
	char *dash;

	if (!at)
		return NULL;
	while (line > text && line[-1] != '\n')
		line--;
	*start = strtoul(line, &dash, 16);
	*end = *dash == '-' ? strtoul(dash + 1, NULL, 16) : 0;
	return at + strlen(name);
}

static bool read_maps(char *text)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t nr = 0;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && nr < MAPS_MAX - 1) {
		n = read(fd, text + nr, MAPS_MAX - 1 - nr);
		nr += n > 0 ? (size_t)n : 0;
	}
	text[nr] = '\0';
	close(fd);
	return nr;
}

/* In the child: exchange its vdso for the other one, and write that to fd. text: MAPS_MAX bytes. */
static void write_vdso32(int fd, char *text)
{
	static const char *const names[] = { VDSO_NAME, "[vvar" };
	unsigned long start, end;
	const char *at;

	if (!read_maps(text))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		for (at = text; (at = line_with(at, names[i], &start, &end)) && end > start;)
			syscall(SYS_munmap, start, end - start);
	/* The kernel refuses it beside another vdso. (Linux, arch/x86/kernel/process_64.c; for CRIU) */
	if (syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, FREE_PLACE) > 0 && read_maps(text) &&
	    line_with(text, VDSO_NAME, &start, &end) && end > start && end - start <= VDSO_MAX)
		syscall(SYS_write, fd, start, end - start);
}

/* The image is less than a pipe holds, so the child never waits for its reader. */
static void read_vdso32(void)
{
	char *text = xmalloc(MAPS_MAX);
	int fds[2];
	ssize_t n;
	long child;

	if (pipe2(fds, O_CLOEXEC)) {
		free(text);
		return;
	}
	child = syscall(SYS_clone, 0, 0, 0, 0, 0); /* a fork without SIGCHLD */
	if (!child) {
		write_vdso32(fds[1], text);
		_exit(0);
	}
	close(fds[1]);
	free(text);
	while (child > 0 && vdso32.size < VDSO_MAX &&
	       (n = read(fds[0], vdso32.data + vdso32.size, VDSO_MAX - vdso32.size)) > 0)
		vdso32.size += (size_t)n;
	close(fds[0]);
	if (child > 0)
		waitpid((pid_t)child, NULL, __WCLONE);
}

#else
static void read_vdso32(void)
{
}
#endif

/* With the lock. */
static bool has_vdso32(void)
{
	if (!vdso32.was_tried) {
		vdso32.was_tried = true;
		vdso32.data = xmalloc(VDSO_MAX);
		read_vdso32();
	}
	return vdso32.size;
}

void vdso__see(const char *name, pid_t pid, u64 start, u64 end)
{
	struct iovec here, there;

	if (strcmp(name, VDSO32_NAME) || end <= start || end - start > VDSO_MAX)
		return;
	pthread_mutex_lock(&vdso32.lock);
	if (!has_vdso32()) {
		here = (struct iovec){ vdso32.data, (size_t)(end - start) };
		there = (struct iovec){ (void *)(uintptr_t)start, here.iov_len };
		if (process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)here.iov_len &&
		    !memcmp(vdso32.data, ELFMAG, SELFMAG))
			vdso32.size = here.iov_len;
	}
	pthread_mutex_unlock(&vdso32.lock);
}

static bool vdso32_image(const void **image, size_t *size)
{
	bool found;

	pthread_mutex_lock(&vdso32.lock);
	found = has_vdso32();
	*image = vdso32.data;
	*size = vdso32.size;
	pthread_mutex_unlock(&vdso32.lock);
	return found;
}

bool vdso__image(const char *name, const void **image, size_t *size)
{
	return strcmp(name, VDSO32_NAME) ? own_image(image, size) : vdso32_image(image, size);
}

bool vdso__build_id(const char *name, struct build_id *id)
{
	const void *image;
	size_t size;

	return vdso__image(name, &image, &size) && !build_id__from_image(image, size, id);
}
