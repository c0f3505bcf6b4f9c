/*
 * Make a large recording from a small one, for the cases of tests/bench/run above 1 GB and for
 * tests/web/large.
 *
 *	grow IN OUT TIMES [LEVEL [fresh | draw SECONDS CPUS]]
 *
 * OUT has the samples of IN, TIMES times, each time later by as much as IN took; all other records once.
 * LEVEL: compressed as with record -z LEVEL; 0: plain. fresh: from the second time on, each address of a
 * call chain is replaced by that of another sample, as far from the outermost caller, so that chains do not
 * repeat. draw: OUT has TIMES as many samples as IN, drawn from them at random, so each stack is as frequent
 * as in IN; they follow IN, spread over SECONDS. Each thread has one of CPUS processors and leaves it for one
 * sample of eight.
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
	CHOICES = 64,          /* addresses that are remembered for each depth */
	DRAWN_BLOCK = 1 << 16, /* drawn samples between two calls of writer__sync */
	AWAY = 8,              /* of so many drawn samples, one is not on its thread's processor */
};

struct choice { /* a sample that may be drawn */
	const struct sample_layout *layout;
	size_t at; /* in bytes of struct grow */
	u32 tid;
};

struct grow {
	struct reader *r;
	struct writer *w;
	struct sample_decoder decoder;
	u64 first, last;
	u64 addresses[DEPTH_MAX][CHOICES];
	u64 seed;
	u64 draw_ns; /* to be filled with drawn samples; 0: samples are copied */
	u32 draw_cpus;
	ARRAY(struct choice) choices;
	struct strbuf bytes;
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
			if (g->draw_ns && rec.header->type == PERF_RECORD_EXIT)
				continue; /* threads go on while samples are drawn */
			if (!later || rec.header->type == RECORD_FINISHED_ROUND)
				writer__write(g->w, rec.header, rec.header->size);
			continue;
		}
		if (sample__decode_head(&g->decoder, &rec, &s))
			continue;
		time = s.time + later;
		g->first = MIN(g->first, s.time);
		g->last = MAX(g->last, s.time);
		if (g->draw_ns) {
			array__add(&g->choices, ((struct choice){ s.layout, g->bytes.len, s.tid }));
			strbuf__add(&g->bytes, (const char *)rec.header, rec.header->size);
			continue;
		}
		memcpy((u8 *)(uintptr_t)rec.header + s.layout->time, &time, sizeof(time));
		if (fresh && later && s.callchain)
			mix_chain(g, (u64 *)(uintptr_t)s.callchain, s.nr_callchain);
		writer__write(g->w, rec.header, rec.header->size);
	}
	writer__sync(g->w);
}

static void draw_samples(struct grow *g, u64 nr)
{
	for (u64 i = 0; i < nr && g->choices.nr; i++) {
		const struct choice *c = &g->choices.v[next_random(g) % g->choices.nr];
		struct perf_event_header *header = (struct perf_event_header *)(g->bytes.buf + c->at);
		u32 cpu = (next_random(g) % AWAY ? c->tid : next_random(g)) % g->draw_cpus;
		u64 time = g->last + 1 + (u64)((double)g->draw_ns * (double)i / (double)nr);

		memcpy((u8 *)header + c->layout->time, &time, sizeof(time));
		if (c->layout->cpu != SAMPLE_NO_FIELD)
			memcpy((u8 *)header + c->layout->cpu, &cpu, sizeof(cpu));
		writer__write(g->w, header, header->size);
		if (i % DRAWN_BLOCK == DRAWN_BLOCK - 1)
			writer__sync(g->w);
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
	struct grow g = { .first = UINT64_MAX, .seed = 1, .bytes = STRBUF_INIT };
	bool fresh = argc > 5 && !strcmp(argv[5], "fresh");
	struct block b = BLOCK_INIT;
	struct record_counts counts;
	struct err err = ERR_INIT;
	int ret, times = argc > 3 ? atoi(argv[3]) : 0;

	if (argc > 7 && !strcmp(argv[5], "draw")) {
		g.draw_ns = strtoull(argv[6], NULL, 10) * 1000000000;
		g.draw_cpus = MAX(1u, (u32)strtoul(argv[7], NULL, 10));
	}
	if (argc < 4 || (argc > 5 && !fresh && !g.draw_ns)) {
		fprintf(stderr, "usage: grow IN OUT TIMES [LEVEL [fresh | draw SECONDS CPUS]]\n");
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
	for (int n = 0; n < (g.draw_ns ? 1 : times) && ret >= 0; n++) {
		struct reader_pass *pass = reader_pass__new(g.r);

		while ((ret = reader_pass__next(pass, &b, &err)) > 0)
			write_block(&g, &b, n ? (u64)n * (g.last - g.first + 1) : 0, fresh);
		reader_pass__delete(pass);
	}
	if (!ret)
		draw_samples(&g, (u64)times * g.choices.nr);
	if (!ret)
		ret = writer__finish(g.w, &err);
	if (ret)
		fprintf(stderr, "grow: %s\n", err.text.buf);
	array__exit(&g.choices);
	strbuf__exit(&g.bytes);
	return ret ? 1 : 0;
}
