/*
 * Make a large recording from a small one, for the cases of tests/bench/run above 1 GB.
 *
 *	grow IN OUT TIMES [LEVEL [fresh | STRETCH]]
 *
 * OUT has the samples of IN, TIMES times, each time later by as much as IN took; all other records once.
 * LEVEL: compressed as with record -z LEVEL; 0: plain. fresh: from the second time on, each address of a
 * call chain is replaced by that of another sample, as far from the outermost caller, so that chains do not
 * repeat. STRETCH: the samples take so many times as long, as if they had been taken more seldom.
 */
#include "format/read/reader.h"
#include "format/records/sample.h"
#include "format/write/writer.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 128,
	CHOICES = 64, /* addresses that are remembered for each depth */
};

struct grow {
	struct reader *r;
	struct writer *w;
	struct sample_decoder decoder;
	u64 first, last;
	u64 addresses[DEPTH_MAX][CHOICES];
	u64 seed;
	u64 base, stretch; /* of times */
};

static u32 next_random(struct grow *g)
{
	g->seed = g->seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(g->seed >> 33);
}

/* Replace the addresses of a chain, and remember them for others. */
static void mix_chain(struct grow *g, u64 *chain, u64 nr)
{
	for (u64 i = 0; i < nr && i < DEPTH_MAX; i++) {
		u64 *ip = &chain[nr - 1 - i], old = *ip;
		u64 *known = &g->addresses[i][next_random(g) % CHOICES];

		if (old >= PERF_CONTEXT_MAX || old >> 63)
			continue;
		if (*known)
			*ip = *known;
		*known = old;
	}
}

static void write_block(struct grow *g, struct block *b, u64 later, bool fresh)
{
	struct record rec;

	for (size_t pos = 0; block__next(b, &pos, &rec);) {
		struct sample s;
		u64 time;

		if (rec.header->type != PERF_RECORD_SAMPLE) {
			if (!later || rec.header->type == RECORD_FINISHED_ROUND)
				writer__write(g->w, rec.header, rec.header->size);
			continue;
		}
		if (sample__decode_head(&g->decoder, &rec, &s))
			continue;
		time = s.time + later;
		g->first = MIN(g->first, s.time);
		g->last = MAX(g->last, s.time);
		g->base = g->base ? g->base : s.time;
		if (g->stretch)
			time = g->base + (time - g->base) * g->stretch; /* may be before the base */
		memcpy((u8 *)(uintptr_t)rec.header + s.layout->time, &time, sizeof(time));
		if (fresh && later && s.callchain)
			mix_chain(g, (u64 *)(uintptr_t)s.callchain, s.nr_callchain);
		writer__write(g->w, rec.header, rec.header->size);
	}
	writer__sync(g->w);
}

static void copy_features(const struct grow *g)
{
	struct strbuf data = STRBUF_INIT;

	for (int f = FEATURE_TRACING_DATA; f < FEATURE_LAST; f++)
		if (f != FEATURE_COMPRESSED && f != FEATURE_SAMPLE_TIME &&
		    !reader__feature(g->r, (enum feature)f, &data))
			writer__feature(g->w, (enum feature)f, data.buf, data.len);
	strbuf__exit(&data);
}

int main(int argc, char **argv)
{
	struct writer_opts opts = { .compression = argc > 4 ? atoi(argv[4]) : 0 };
	struct grow g = { .first = UINT64_MAX, .seed = 1 };
	bool fresh = argc > 5 && !strcmp(argv[5], "fresh");
	struct block b = BLOCK_INIT;
	struct record_counts counts;
	struct err err = ERR_INIT;
	int ret;

	g.stretch = argc > 5 && !fresh ? strtoull(argv[5], NULL, 10) : 0;
	if (argc < 4) {
		fprintf(stderr, "usage: grow IN OUT TIMES [LEVEL [fresh | STRETCH]]\n");
		return 2;
	}
	ret = reader__open(&g.r, argv[1], &err);
	if (!ret)
		ret = reader__scan(g.r, &(struct reader_scan_opts){ .record = NULL }, &counts, &err);
	if (!ret)
		ret = writer__open(&g.w, argv[2], &opts, &err);
	if (!ret)
		ret = writer__begin(g.w, &g.r->evlist, &err);
	if (!ret) {
		copy_features(&g);
		sample_decoder__init(&g.decoder, &g.r->evlist);
	}
	for (int n = 0, times = atoi(argv[3]); n < times && ret >= 0; n++) {
		struct reader_pass *pass = reader_pass__new(g.r);

		while ((ret = reader_pass__next(pass, &b, &err)) > 0)
			write_block(&g, &b, n ? (u64)n * (g.last - g.first + 1) : 0, fresh);
		reader_pass__delete(pass);
	}
	if (!ret)
		ret = writer__finish(g.w, &err);
	if (ret)
		fprintf(stderr, "grow: %s\n", err.text.buf);
	return ret ? 1 : 0;
}
