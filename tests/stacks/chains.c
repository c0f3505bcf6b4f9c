/*
 * What became of the user's call chains of a recording. Stack copies (--call-graph dwarf) are unwound twice,
 * by our unwinder and by libunwind, and compared frame by frame; plain chains (--call-graph auto) are taken
 * as they are.
 *
 *	chains [-v] [-a] [-s FOLDER] FILE
 *
 * -v: before that, all frames of the chains that end elsewhere than they should or that differ. -a: only the
 * chains of stack copies, as judge.c reads them: chain TIME TID END ADDRESS... -s: a root for the paths of
 * binaries.
 *
 * Lines of words separated by tabs:
 *	samples N		with a chain that is wanted: of user space
 *	no-stack N		of which there is no stack, because an exec is going on
 *	end HOW N		where chains end: outermost (see below), cut, jit, other
 *	last HOW DSO NAME N	the frames in which they end
 *	same N			stack copies of which both say the same
 *	WHAT DSO NAME+OFFSET END N
 *		where they part: the last frame that both have, and how our chain ended. WHAT: ours-longer,
 *		shorter, other; blind: libunwind knows nothing of that frame, which is a Go function, a PLT
 *		stub, JIT code, or in a binary without .eh_frame_hdr
 *
 * The outermost frame is judged by what is there, not by what the unwinder said of it: a name that only the
 * beginning of a program, a thread, a goroutine has; without a name, call frame information that knows of no
 * caller, or the entry point.
 */
#include "base/memory/array.h"
#include "base/text/strbuf.h"
#include "model/session.h"
#include "profile/gather/unwound.h"
#include "tests/reference_chains.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES_MAX = 1024 };

struct tally {
	char *text;
	u64 nr;
};

struct chains {
	struct session *session;
	struct machine_cursor cursor;
	struct unwound own;
	struct reference_chains reference;
	const struct maps *maps;
	u64 samples, no_stack, same;
	bool verbose, only_addresses;
	ARRAY(struct tally) tallies;
};

struct chain {
	const u64 *ips;
	u64 nr;
};

static void chains__count(struct chains *c, const char *text)
{
	for (size_t i = 0; i < c->tallies.nr; i++)
		if (!strcmp(c->tallies.v[i].text, text)) {
			c->tallies.v[i].nr++;
			return;
		}
	array__add(&c->tallies, ((struct tally){ xstrdup(text), 1 }));
}

/* ---- places ---- */

struct frame_place {
	struct dso *dso;
	u64 addr, offset; /* dso address; from the symbol on */
	const char *dso_name, *name;
};

static void chains__place(struct chains *c, u64 ip, struct frame_place *p)
{
	struct machine *m = &c->session->machine;
	const struct symbol *s;
	struct dso_addr at;

	machine__resolve(m, c->maps, c->cursor.rank, PERF_RECORD_MISC_USER, ip, &at);
	*p = (struct frame_place){ .dso = m->dsos.v.v[at.dso], .addr = at.addr, .offset = at.addr };
	p->dso_name = dso__short_name(&m->dsos, p->dso);
	if (p->dso->kind == DSO_JIT)
		p->dso_name = "JIT";
	s = symbolizer__find(&c->session->symbolizer, p->dso, at.addr);
	p->name = s ? symtab__name(&p->dso->symtab, s) : "";
	if (s)
		p->offset = at.addr - s->start;
}

static bool is_outermost(struct chains *c, const struct frame_place *p)
{
	static const char *const names[] = {
		"_start",
		"_dl_start_user",
		"__clone",
		"clone",
		"clone3",
		"__clone3",
		"__clone_internal",
		"_dl_start",
		"__start_context",
		/* Go: of goroutines, of threads, and where the stack changes for good */
		"runtime.goexit*",
		"runtime.mstart*",
		"runtime.rt0_go*",
		"_rt0_*",
		"runtime.mcall*",
		"runtime.clone*",
		"runtime.morestack*",
		"runtime.gogo",
		"gogo",
		"runtime.sigtramp*",
		"crosscall_amd64",
	};
	const struct cfi_row *row;
	struct cfi *cfi;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!fnmatch(names[i], p->name, 0))
			return true;
	cfi = symbolizer__cfi(&c->session->symbolizer, p->dso);
	if (!cfi)
		return false;
	row = cfi__find(cfi, p->addr);
	if (!row)
		return cfi__is_entry(cfi, p->addr);
	for (unsigned i = 0; i < row->nr_rules; i++)
		if (row->rules[i].reg == row->ra)
			return false;
	return !(row->kept >> row->ra & 1);
}

static bool has_jit(struct chains *c, const struct chain *chain)
{
	struct frame_place p;

	for (u64 i = 0; i < chain->nr; i++) {
		chains__place(c, chain->ips[i], &p);
		if (p.dso->kind == DSO_JIT)
			return true;
	}
	return false;
}

static void chains__show(struct chains *c, const char *title, const struct chain *chain)
{
	struct frame_place p;

	if (!c->verbose)
		return;
	printf("%s\n", title);
	for (u64 i = 0; i < chain->nr; i++) {
		chains__place(c, chain->ips[i], &p);
		printf("\t%16llx %s+0x%llx (%s+0x%llx)\n", (unsigned long long)chain->ips[i],
		       *p.name ? p.name : "-", (unsigned long long)p.offset, p.dso_name,
		       (unsigned long long)p.addr);
	}
}

/* ---- a sample ---- */

static struct chain user_part(const struct sample *s)
{
	u64 i = 0;

	while (i < s->nr_callchain && s->callchain[i] != PERF_CONTEXT_USER)
		i++;
	if (i == s->nr_callchain)
		return (struct chain){ 0 };
	return (struct chain){ s->callchain + i + 1, s->nr_callchain - i - 1 };
}

static void chains__judge_end(struct chains *c, const struct chain *chain, bool is_cut)
{
	struct strbuf sb = STRBUF_INIT;
	const char *how;
	struct frame_place p;

	chains__place(c, chain->ips[chain->nr - 1], &p);
	if (is_outermost(c, &p))
		how = "outermost";
	else if (is_cut)
		how = "cut";
	else if (has_jit(c, chain))
		how = "jit";
	else
		how = "other";
	if (!strcmp(how, "other"))
		chains__show(c, "ends elsewhere", chain);
	strbuf__addf(&sb, "end\t%s", how);
	chains__count(c, sb.buf);
	strbuf__reset(&sb);
	strbuf__addf(&sb, "last\t%s\t%s\t%s", how, p.dso_name, *p.name ? p.name : "-");
	if (!*p.name || !strcmp(how, "other"))
		strbuf__addf(&sb, "+0x%llx", (unsigned long long)p.offset);
	chains__count(c, sb.buf);
	strbuf__exit(&sb);
}

/* Is there no CFI for libunwind to read? */
static bool is_blind(struct chains *c, const struct frame_place *p)
{
	struct cfi *cfi = symbolizer__cfi(&c->session->symbolizer, p->dso);
	const struct cfi_row *row = cfi ? cfi__find(cfi, p->addr) : NULL;
	struct cfi_search_table table;

	return !cfi || !cfi__search_table(cfi, &table) || (row && !row->is_cfi);
}

static const char *const ends[UNWIND_ENDS] = {
	[UNWIND_COMPLETE] = "complete", [UNWIND_FOUND] = "found",       [UNWIND_CUT] = "cut",
	[UNWIND_NO_CFI] = "no-cfi",     [UNWIND_UNMAPPED] = "unmapped", [UNWIND_CORRUPT] = "corrupt",
	[UNWIND_TOO_DEEP] = "too-deep", [UNWIND_NO_REGS] = "no-regs",
};

static void chains__compare(struct chains *c, const struct chain *own, const struct chain *other,
			    enum unwind_end end)
{
	u64 same = 0, least = MIN(own->nr, other->nr);
	const char *what = "other";
	struct strbuf sb = STRBUF_INIT;
	struct frame_place p;

	while (same < least && own->ips[same] == other->ips[same])
		same++;
	/* libunwind shows the byte before the function that makecontext puts below the first one */
	if (own->nr == other->nr && same == own->nr - 1 && own->ips[same] == other->ips[same] + 1)
		same++;
	if (same == own->nr && same == other->nr) {
		c->same++;
		return;
	}
	chains__show(c, "differs: ours", own);
	chains__show(c, "differs: libunwind's", other);
	chains__place(c, own->ips[same ? same - 1 : 0], &p);
	if (is_blind(c, &p))
		what = "blind";
	else if (same == other->nr)
		what = "ours-longer";
	else if (same == own->nr)
		what = "shorter";
	strbuf__addf(&sb, "%s\t%s\t%s+0x%llx\t%s", what, p.dso_name, p.name, (unsigned long long)p.offset,
		     ends[end]);
	chains__count(c, sb.buf);
	strbuf__exit(&sb);
}

/* The end that the last chain of u had: the one whose count is not what it was. */
static enum unwind_end last_end(const struct unwind_stats *before, const struct unwind_stats *now)
{
	unsigned end = 0;

	while (end < UNWIND_ENDS - 1 && before->ends[end] == now->ends[end])
		end++;
	return (enum unwind_end)end;
}

static void print_addresses(const struct sample *s, const struct chain *chain, enum unwind_end end)
{
	printf("chain\t%llu\t%d\t%s", (unsigned long long)s->time, s->tid, ends[end]);
	for (u64 i = 0; i < chain->nr; i++)
		printf(" %llx", (unsigned long long)chain->ips[i]);
	printf("\n");
}

static void chains__copy(struct chains *c, const struct sample *s)
{
	struct sample own = *s;
	struct unwind_stats before = c->own.stats;
	struct chain a, b;
	enum unwind_end end;

	unwound__add_chain(&c->own, &own, c->maps, c->cursor.rank);
	if (c->own.stats.no_stack != before.no_stack) {
		c->no_stack++;
		return;
	}
	end = last_end(&before, &c->own.stats);
	a = user_part(&own);
	if (c->only_addresses) {
		print_addresses(s, &a, end);
		return;
	}
	b.nr = reference_chains__unwind(&c->reference, c->own.arch, s, c->maps, c->cursor.rank);
	b.ips = c->reference.ips;
	if (!a.nr)
		return;
	c->samples++;
	chains__judge_end(c, &a, end == UNWIND_CUT);
	chains__compare(c, &a, &b, end);
}

static void chains__sample(struct chains *c, const struct record *r)
{
	struct sample s;
	struct chain chain;

	if (r->header->type != PERF_RECORD_SAMPLE || sample__decode(&c->session->decoder, r, &s))
		return;
	machine_cursor__seek(&c->cursor, session__time(c->session, &s, r));
	c->maps = machine_cursor__thread(&c->cursor, s.pid, s.tid)->maps;
	if (unwound__is_wanted(s.evsel->attr.sample_type)) {
		if (s.user_regs)
			chains__copy(c, &s);
		return;
	}
	chain = user_part(&s);
	if (chain.nr) {
		c->samples++;
		chains__judge_end(c, &chain, false);
	} else {
		c->no_stack++;
	}
}

/* ---- all ---- */

static int compare_tallies(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void chains__print(struct chains *c)
{
	printf("samples\t%llu\nno-stack\t%llu\nsame\t%llu\n", (unsigned long long)c->samples,
	       (unsigned long long)c->no_stack, (unsigned long long)c->same);
	qsort(c->tallies.v, c->tallies.nr, sizeof(*c->tallies.v), compare_tallies);
	for (size_t i = 0; i < c->tallies.nr; i++)
		printf("%s\t%llu\n", c->tallies.v[i].text, (unsigned long long)c->tallies.v[i].nr);
}

static int chains__read(struct chains *c, struct err *err)
{
	struct sample_pass *pass = sample_pass__new(c->session);
	struct block b = BLOCK_INIT;
	struct record r;
	int ret;

	while ((ret = sample_pass__next(pass, &b, err)) > 0)
		for (size_t pos = 0; block__next(&b, &pos, &r);)
			chains__sample(c, &r);
	sample_pass__release(pass, &b);
	sample_pass__delete(pass);
	return ret;
}

int main(int argc, char **argv)
{
	struct session_opts opts = { .samples_follow = true };
	struct chains c = { 0 };
	struct err err = ERR_INIT;

	for (int opt; (opt = getopt(argc, argv, "avs:")) != -1;) {
		c.only_addresses |= opt == 'a';
		c.verbose |= opt == 'v';
		if (opt == 's')
			opts.symbols.symfs = optarg;
	}
	if (argc - optind != 1) {
		fprintf(stderr, "usage: chains [-v] [-a] [-s FOLDER] FILE\n");
		return 129;
	}
	if (session__open(&c.session, argv[optind], &opts, &err)) {
		fprintf(stderr, "chains: %s\n", err.text.buf);
		return 1;
	}
	machine_cursor__init(&c.cursor, &c.session->machine);
	unwound__init(&c.own, c.session, FRAMES_MAX);
	c.reference.session = c.session;
	if (chains__read(&c, &err))
		fprintf(stderr, "chains: %s\n", err.text.buf);
	if (!c.only_addresses)
		chains__print(&c);
	unwound__exit(&c.own);
	unwind_reference__delete(c.reference.reference);
	session__delete(c.session);
	return 0;
}
