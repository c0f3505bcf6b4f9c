/*
 * How long unwinding takes when all that it needs has been looked up before, and how large the tables are
 * that it needs: the stack copies of a recording (--call-graph dwarf) are unwound again and again, by our
 * unwinder and by libunwind.
 *
 *	unwind FILE [SECONDS]
 *
 * Two lines "own NS FRAMES CHAINS" and "libunwind NS FRAMES CHAINS": nanoseconds of processor time for a
 * frame; frames and chains of one pass. Then a line "rows BYTES SIZE NAME" for each binary with rows: bytes
 * of its tables, and of the file.
 */
#include "model/session.h"
#include "profile/gather/unwound.h"
#include "tests/reference_chains.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { SAMPLES_MAX = 20000, MAX_STACK = 1024 };

struct stack {
	void *bytes;
	struct sample sample;
	const struct maps *maps;
	u32 rank;
};

struct stacks {
	struct session *session;
	ARRAY(struct stack) v;
};

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "unwind: %s: %s\n", what, err->text.buf);
	exit(1);
}

static void stacks__add(struct stacks *s, struct machine_cursor *cursor, const struct record *r)
{
	struct stack stack = { .bytes = xmemdup(r->header, r->header->size) };
	struct record copy = *r;

	copy.header = stack.bytes;
	if (sample__decode(&s->session->decoder, &copy, &stack.sample) ||
	    !unwound__is_wanted(stack.sample.evsel->attr.sample_type) || !stack.sample.user_regs) {
		free(stack.bytes);
		return;
	}
	machine_cursor__seek(cursor, session__time(s->session, &stack.sample, r));
	stack.maps = machine_cursor__thread(cursor, stack.sample.pid, stack.sample.tid)->maps;
	stack.rank = cursor->rank;
	array__add(&s->v, stack);
}

static void stacks__read(struct stacks *s, const char *path)
{
	const struct session_opts opts = { 0 };
	struct block block = BLOCK_INIT;
	struct machine_cursor cursor;
	struct err err = ERR_INIT;
	struct sample_pass *pass;
	struct record r;

	if (session__open(&s->session, path, &opts, &err))
		die(path, &err);
	machine_cursor__init(&cursor, &s->session->machine);
	pass = sample_pass__new(s->session);
	while (s->v.nr < SAMPLES_MAX && sample_pass__next(pass, &block, &err) > 0) {
		size_t pos = 0;

		while (block__next(&block, &pos, &r))
			if (r.header->type == PERF_RECORD_SAMPLE)
				stacks__add(s, &cursor, &r);
	}
	sample_pass__release(pass, &block);
	sample_pass__delete(pass);
	if (!s->v.nr)
		err__set(&err, -1, "there are no stack copies"), die(path, &err);
}

/* Unwinds all of them once; how many frames that are. */
static u64 stacks__unwind(struct stacks *s, struct unwound *u, struct reference_chains *libunwind)
{
	u64 frames = 0;

	for (size_t i = 0; i < s->v.nr; i++) {
		struct sample sample = s->v.v[i].sample;
		u64 before = sample.nr_callchain;

		if (libunwind) {
			frames += 1 /* the mark, as in ours */ +
				  reference_chains__unwind(libunwind, u->arch, &sample, s->v.v[i].maps,
							   s->v.v[i].rank);
			continue;
		}
		unwound__add_chain(u, &sample, s->v.v[i].maps, s->v.v[i].rank);
		frames += sample.nr_callchain - before;
	}
	return frames;
}

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The best pass counts: others were disturbed. */
static void stacks__measure(struct stacks *s, struct unwound *u, struct reference_chains *libunwind,
			    double seconds)
{
	double best = 0, start = cpu_ns();
	u64 frames = stacks__unwind(s, u, libunwind);

	do {
		double before = cpu_ns(), took;

		frames = stacks__unwind(s, u, libunwind);
		took = cpu_ns() - before;
		if (!best || took < best)
			best = took;
	} while (cpu_ns() - start < seconds * 1e9);
	printf("%s %.1f %llu %zu\n", libunwind ? "libunwind" : "own", best / (double)frames,
	       (unsigned long long)frames, s->v.nr);
}

static void stacks__print_rows(const struct stacks *s)
{
	const struct machine *m = &s->session->machine;

	for (size_t i = 0; i < m->dsos.v.nr; i++) {
		const struct dso *dso = m->dsos.v.v[i];
		const char *name = dso__long_name(&m->dsos, dso);
		struct stat st;

		if (dso->cfi && !stat(name, &st))
			printf("rows %llu %lld %s\n", (unsigned long long)cfi__row_bytes(dso->cfi),
			       (long long)st.st_size, name);
	}
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	struct reference_chains libunwind = { 0 };
	struct stacks s = { 0 };
	struct unwound own;

	if (argc < 2) {
		fprintf(stderr, "usage: unwind FILE [SECONDS]\n");
		return 2;
	}
	stacks__read(&s, argv[1]);
	unwound__init(&own, s.session, MAX_STACK);
	libunwind.session = s.session;
	stacks__measure(&s, &own, NULL, seconds);
	stacks__print_rows(&s);
	stacks__measure(&s, &own, &libunwind, seconds);
	unwound__exit(&own);
	unwind_reference__delete(libunwind.reference);
	for (size_t i = 0; i < s.v.nr; i++)
		free(s.v.v[i].bytes);
	array__exit(&s.v);
	session__delete(s.session);
	return 0;
}
