#include "base/system/pack.h"

#include "base/memory/mem.h"
#include "base/system/thread.h"

#include <stdlib.h>
#include <zlib.h>

enum { PIECE = 256 << 10, WINDOW_BITS = 15, MEMORY_LEVEL = 8 };

struct packed_piece {
	u8 *bytes;
	size_t size;
	u32 sum; /* adler32 of the packed data */
};

struct packing {
	const u8 *data;
	size_t size;
	int level;
	struct packed_piece *pieces;
	size_t nr, next; /* next: taken by threads in turn */
};

static size_t packing__piece_size(const struct packing *p, size_t i)
{
	return MIN(p->size - i * PIECE, (size_t)PIECE);
}

/* Pack a piece as a part of a stream that ends on a byte and looks back at no other piece. */
static void packing__pack(const struct packing *p, size_t i)
{
	struct packed_piece *piece = &p->pieces[i];
	const u8 *data = p->data + i * PIECE;
	size_t size = packing__piece_size(p, i);
	z_stream z = { 0 };

	if (deflateInit2(&z, p->level, Z_DEFLATED, -WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		die_out_of_memory();
	piece->size = deflateBound(&z, size) + 16;
	piece->bytes = xmalloc(piece->size);
	z.next_in = (u8 *)(uintptr_t)data;
	z.avail_in = (uInt)size;
	z.next_out = piece->bytes;
	z.avail_out = (uInt)piece->size;
	deflate(&z, i + 1 < p->nr ? Z_FULL_FLUSH : Z_FINISH);
	piece->size -= z.avail_out;
	deflateEnd(&z);
	piece->sum = (u32)adler32(adler32(0, NULL, 0), data, (uInt)size);
}

static void *packing__work(void *arg)
{
	struct packing *p = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->nr)
		packing__pack(p, i);
	return NULL;
}

static void packing__run(struct packing *p, unsigned nr_threads)
{
	unsigned nr = (unsigned)MIN((size_t)nr_threads, p->nr), started = 0;
	pthread_t *threads = xcalloc(nr, sizeof(*threads));

	while (started + 1 < nr && !thread__start(&threads[started], packing__work, p))
		started++;
	packing__work(p);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	free(threads);
}

void pack__zlib(const void *data, size_t size, int level, unsigned nr_threads, struct strbuf *out)
{
	static const char header[] = { 0x78, 0x01 }; /* deflate, a window of 32 KiB */
	struct packing p = {
		.data = data, .size = size, .level = level, .nr = size ? (size + PIECE - 1) / PIECE : 1
	};
	u32 sum = 1;

	p.pieces = xcalloc(p.nr, sizeof(*p.pieces));
	packing__run(&p, nr_threads);
	strbuf__add(out, header, sizeof(header));
	for (size_t i = 0; i < p.nr; i++) {
		strbuf__add(out, (char *)p.pieces[i].bytes, p.pieces[i].size);
		sum = (u32)adler32_combine(sum, p.pieces[i].sum, (off_t)packing__piece_size(&p, i));
		free(p.pieces[i].bytes);
	}
	free(p.pieces);
	for (int shift = 24; shift >= 0; shift -= 8)
		strbuf__addch(out, (char)(sum >> shift));
}
