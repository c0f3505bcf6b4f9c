/*
 * hide_pids RECORDING ID...: make these pids and tids 0 in its records, as the kernel does for processes
 * outside of a PID namespace. The recording is of one event, cpu-clock, without -z, so the samples' fields
 * are IP, TID, TIME and PERIOD.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **ids;
static unsigned nr_hidden;

static void hide(char *at)
{
	uint32_t pid;

	memcpy(&pid, at, sizeof(pid));
	for (char **id = ids; *id; id++) {
		if (pid != (uint32_t)atoi(*id))
			continue;
		memset(at, 0, sizeof(pid));
		nr_hidden++;
	}
}

/* Offsets of pids and tids: in the body of a record, or from the end, in what follows the body. */
static void hide_in(struct perf_event_header *h)
{
	static const struct {
		unsigned type, nr, from_end;
	} rows[] = {
		{ PERF_RECORD_MMAP, 2, 16 }, { PERF_RECORD_MMAP2, 2, 16 }, { PERF_RECORD_COMM, 2, 16 },
		{ PERF_RECORD_FORK, 4, 16 }, { PERF_RECORD_EXIT, 4, 16 },
	};
	char *body = (char *)(h + 1), *end = (char *)h + h->size;

	if (h->type == PERF_RECORD_SAMPLE) {
		hide(body + 8);
		hide(body + 12);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (h->type != rows[i].type)
			continue;
		for (unsigned k = 0; k < rows[i].nr; k++)
			hide(body + 4 * k);
		hide(end - rows[i].from_end);
		hide(end - rows[i].from_end + 4);
	}
}

int main(int argc, char **argv)
{
	static char bytes[16 << 20];
	FILE *f = argc > 2 ? fopen(argv[1], "r+b") : NULL;
	size_t size = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	uint64_t at, left;

	if (size < 104)
		return 1;
	ids = argv + 2;
	memcpy(&at, bytes + 40, sizeof(at)); /* the data section */
	memcpy(&left, bytes + 48, sizeof(left));
	for (left += at; at + sizeof(struct perf_event_header) <= left && left <= size;) {
		struct perf_event_header *h = (struct perf_event_header *)(void *)(bytes + at);

		if (h->size < sizeof(*h) || h->size > left - at)
			return 1;
		hide_in(h);
		at += h->size;
	}
	rewind(f);
	if (fwrite(bytes, 1, size, f) != size || fclose(f))
		return 1;
	return nr_hidden ? 0 : 1;
}
