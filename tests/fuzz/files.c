/*
 * In place of a fuzzer: runs the target on each file named, so that any compiler builds it and an input can
 * be looked at alone. With -m SECONDS first: changes the files by chance and runs the target on the results;
 * what it was given last is in the file "last".
 */
#include "base/system/file.h"
#include "base/memory/mem.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	uint8_t *data;
	size_t size;
};

typedef ARRAY(struct input) inputs;

enum { INPUT_MAX = 4096 };

/* One change: a byte, a piece removed, a piece of another input put in. */
static void mutate(struct input *in, const inputs *all)
{
	const struct input *other = &all->v[(size_t)random() % all->nr];
	size_t at = in->size ? (size_t)random() % in->size : 0, n, from;

	switch (random() % 4) {
	case 0:
		if (in->size)
			in->data[at] = (uint8_t)random();
		break;
	case 1:
		if (in->size)
			in->data[at] = (uint8_t) ",:/{}=@+[]%*?'\"uk0x"[random() % 19];
		break;
	case 2:
		n = in->size - at ? (size_t)random() % (in->size - at) + 1 : 0;
		n = MIN(n, in->size - at);
		memmove(in->data + at, in->data + at + n, in->size - at - n);
		in->size -= n;
		break;
	default:
		from = other->size ? (size_t)random() % other->size : 0;
		n = other->size - from;
		if (in->size + n > INPUT_MAX)
			break;
		memmove(in->data + at + n, in->data + at, in->size - at);
		memcpy(in->data + at, other->data + from, n);
		in->size += n;
	}
}

static void keep_last(const struct input *in)
{
	int fd = open("last", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		return;
	file__write_all(fd, in->data, in->size);
	close(fd);
}

static void mutate_for(const inputs *all, long seconds, bool keep)
{
	struct input in = { .data = xmalloc(2 * INPUT_MAX) };
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;

	while (time(NULL) < end) {
		const struct input *seed = &all->v[(size_t)random() % all->nr];
		uint8_t *exact;

		in.size = MIN(seed->size, (size_t)INPUT_MAX);
		memcpy(in.data, seed->data, in.size);
		for (long i = random() % 8; i >= 0; i--)
			mutate(&in, all);
		if (keep)
			keep_last(&in);
		exact = xmalloc(MAX(in.size, 1)); /* so that a step behind it is seen */
		memcpy(exact, in.data, in.size);
		LLVMFuzzerTestOneInput(exact, in.size);
		free(exact);
		runs++;
	}
	printf("%lu runs\n", runs);
	free(in.data);
}

int main(int argc, char **argv)
{
	inputs all = { 0 };
	long seconds = 0;
	int first = 1;

	if (argc > 2 && !strcmp(argv[1], "-m")) {
		seconds = strtol(argv[2], NULL, 10);
		first = 3;
	}
	for (int i = first; i < argc; i++) {
		struct strbuf sb = STRBUF_INIT;
		struct input in;

		if (file__read(argv[i], &sb, 0)) {
			fprintf(stderr, "cannot read '%s'\n", argv[i]);
			return 1;
		}
		in.size = sb.len;
		in.data = xmemdup(sb.buf, MAX(sb.len, 1));
		strbuf__exit(&sb);
		LLVMFuzzerTestOneInput(in.data, in.size);
		array__add(&all, in);
	}
	if (seconds && all.nr)
		mutate_for(&all, seconds, true);
	for (size_t i = 0; i < all.nr; i++)
		free(all.v[i].data);
	array__exit(&all);
	return 0;
}
