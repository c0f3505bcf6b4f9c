#include "profile/gather/unwound.h"

#include "format/read/features.h"
#include "binary/symbols/jit_code.h"
#include "unwind/runtime.h"

#include <string.h>
#include <sys/mman.h>

enum { NO_SPACE = UINT32_MAX };

void unwound__init(struct unwound *u, struct session *s, unsigned max_stack)
{
	*u = (struct unwound){ .session = s, .max_stack = max_stack };
}

void unwound__exit(struct unwound *u)
{
	unwinder__delete(u->unwinder);
	array__exit(&u->chain);
	unwind_stats__exit(&u->stats);
}

static bool read_jit_code(void *ctx, u64 ip, u8 *data, size_t size)
{
	struct unwound *u = ctx;
	struct machine *m = &u->session->machine;
	struct jit_code *jit;
	struct dso_addr at;

	machine__resolve(m, u->maps, u->rank, PERF_RECORD_MISC_USER, ip, &at);
	jit = symbolizer__jit_code(&u->session->symbolizer, m->dsos.v.v[at.dso]);
	return jit && jit_code__read(jit, at.addr, data, size);
}

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	struct unwound *u = ctx;
	struct machine *m = &u->session->machine;
	const struct map *map;
	struct dso_addr at;
	struct jit_code *jit;

	map = machine__resolve(m, u->maps, u->rank, PERF_RECORD_MISC_USER, ip, &at);
	if (!map || (map->prot && !(map->prot & PROT_EXEC))) /* prot 0: unknown, from an old MMAP record */
		return;
	code->is_code = true;
	code->is_vdso = m->dsos.v.v[at.dso]->kind == DSO_VDSO;
	code->addr = at.addr;
	code->cfi = symbolizer__cfi(&u->session->symbolizer, m->dsos.v.v[at.dso]);
	jit = symbolizer__jit_code(&u->session->symbolizer, m->dsos.v.v[at.dso]);
	if (!jit)
		return;
	code->jit = jit_code__cfi(jit, at.addr);
	code->jit_addr = at.addr;
	code->read = read_jit_code;
}

/* Return the architecture of the recording; if it does not say, that of this machine. */
static const struct unwind_arch *recorded_arch(const struct session *s)
{
	const struct unwind_arch *arch;
	char *name;

	if (features__string(s->reader, FEATURE_ARCH, &name))
		return unwind_arch__own();
	arch = unwind_arch__find(name);
	free(name);
	return arch;
}

static u64 space_state(const struct maps *maps, u32 rank)
{
	return maps ? (u64)maps->idx << 32 | maps__version(maps, rank) : (u64)NO_SPACE << 32;
}

/* Return the number of words before the user part of a recorded chain. */
static u64 nr_before_user(const struct sample *s)
{
	u64 nr = 0;

	while (nr < s->nr_callchain && s->callchain[nr] != PERF_CONTEXT_USER)
		nr++;
	return nr;
}

/* Is it code that was made while the program ran? */
static bool is_made(const struct machine *m, const struct dso *dso)
{
	return dso->kind == DSO_JIT || dso->kind == DSO_JITDUMP ||
	       (dso->kind == DSO_ELF && runtime__is_memory(dso__long_name(&m->dsos, dso)));
}

/*
 * Return what makes code in this address space, and whether it made any. A forked process may have its
 * binaries in its parent's maps.
 */
static const char *maker_of_code(const struct machine *m, const struct maps *maps, bool *made_any)
{
	const struct runtime *runtime = NULL;

	*made_any = false;
	for (; maps; maps = maps->parent)
		for (size_t i = 0; i < maps->v.nr; i++) {
			const struct dso *dso = m->dsos.v.v[maps->v.v[i].map->dso];

			*made_any |= is_made(m, dso);
			if (!runtime)
				runtime = runtime__of_file(dso__long_name(&m->dsos, dso));
		}
	return runtime ? runtime->code : RUNTIME_UNKNOWN_CODE;
}

const char *unwound__maker(const struct machine *m, u32 pid)
{
	const char *maker = RUNTIME_UNKNOWN_CODE;
	bool made_any;

	for (size_t i = 0; i < m->spaces.nr && !strcmp(maker, RUNTIME_UNKNOWN_CODE); i++)
		if (m->spaces.v[i]->pid == pid)
			maker = maker_of_code(m, m->spaces.v[i], &made_any);
	return maker;
}

void unwound__note_names(struct unwind_stats *stats, const struct session *s, u32 space, u64 nr,
			 const struct place *at)
{
	const struct machine *m = &s->machine;
	const struct dso *dso = m->dsos.v.v[at->dso];
	const struct runtime *interpreter =
		dso->kind == DSO_ELF ? runtime__of_file(dso__long_name(&m->dsos, dso)) : NULL;
	const char *maker;
	bool made_any;

	stats->samples += nr;
	if (space == ROW_NO_SPACE || !(interpreter ? interpreter->interprets
						   : dso->kind != DSO_JITDUMP && is_made(m, dso) && !at->sym))
		return;
	maker = maker_of_code(m, m->spaces.v[space], &made_any);
	if (!interpreter || !made_any)
		unwind_stats__add_culprit(stats, UNWIND_ENDS, maker, nr);
}

/* Count the binary in which an incomplete chain stopped. */
static void unwound__blame(struct unwound *u, enum unwind_end end, u64 ip)
{
	struct machine *m = &u->session->machine;
	const struct dso *dso;
	struct dso_addr at;
	bool made_any;

	machine__resolve(m, u->maps, u->rank, PERF_RECORD_MISC_USER, ip, &at);
	dso = m->dsos.v.v[at.dso];
	unwind_stats__add_culprit(
		&u->stats, end,
		is_made(m, dso) ? maker_of_code(m, u->maps, &made_any) : dso__long_name(&m->dsos, dso), 1);
}

/* Prepare the unwinder for the process of s, and return its registers and stack copy. */
static struct unwind_sample unwound__start(struct unwound *u, const struct sample *s, const struct maps *maps,
					   u32 rank)
{
	if (!u->unwinder) {
		u->arch = recorded_arch(u->session);
		u->unwinder = unwinder__new(u->arch, look_up, u);
	}
	u->maps = maps;
	u->rank = rank;
	return (struct unwind_sample){
		.space = space_state(maps, rank),
		.regs_mask = s->evsel->attr.sample_regs_user,
		.regs = s->user_regs,
		.stack = s->user_stack,
		.stack_size = s->user_stack ? s->stack_dyn_size : 0,
		.is_32bit = s->user_regs_abi == PERF_SAMPLE_REGS_ABI_32,
	};
}

void unwound__add_caller(struct unwound *u, struct sample *s, const struct maps *maps, u32 rank)
{
	u64 nr = nr_before_user(s) + 2; /* including the mark and the innermost frame */
	struct unwind_sample in;
	u64 caller;

	if (!s->user_regs || nr > s->nr_callchain)
		return;
	in = unwound__start(u, s, maps, rank);
	caller = unwinder__leaf_caller(u->unwinder, &in, s->callchain[nr - 1]);
	if (!caller)
		return;
	array__reserve(&u->chain, s->nr_callchain + 1);
	memcpy(u->chain.v, s->callchain, nr * sizeof(u64));
	u->chain.v[nr] = caller;
	memcpy(u->chain.v + nr + 1, s->callchain + nr, (s->nr_callchain - nr) * sizeof(u64));
	s->callchain = u->chain.v;
	s->nr_callchain++;
}

void unwound__complete_chain(struct unwound *u, struct sample *s, const struct maps *maps, u32 rank)
{
	if (unwound__is_wanted(s->evsel->attr.sample_type))
		unwound__add_chain(u, s, maps, rank);
	else if (unwound__may_lack_caller(s->evsel->attr.sample_type))
		unwound__add_caller(u, s, maps, rank);
}

/*
 * Return the leaf of a chain's user part: where the function called last begins, as stock perf, or if exact,
 * where it was sampled or entered the kernel. kernel: words of the kernel part.
 */
static u64 lbr_leaf(const struct sample *s, u64 kernel, bool exact)
{
	if (exact && !kernel)
		return s->ip;
	if (exact && kernel + 1 < s->nr_callchain)
		return s->callchain[kernel + 1];
	return s->branches[1];
}

void unwound__add_lbr_chain(struct unwound *u, struct sample *s, bool exact)
{
	u64 kernel = nr_before_user(s);

	if (!evsel__has_lbr_chains(s->evsel) || kernel == s->nr_callchain)
		return;
	u->chain.nr = 0;
	for (u64 i = 0; i <= kernel; i++)
		array__add(&u->chain, s->callchain[i]);
	if (s->nr_branches)
		array__add(&u->chain, lbr_leaf(s, kernel, exact));
	for (u64 i = 0; i < s->nr_branches; i++)
		array__add(&u->chain, s->branches[3 * i]);
	s->callchain = u->chain.v;
	s->nr_callchain = u->chain.nr;
}

void unwound__add_chain(struct unwound *u, struct sample *s, const struct maps *maps, u32 rank)
{
	u64 nr_before = nr_before_user(s);
	struct unwind_sample in;
	enum unwind_end end;
	unsigned nr = 0;

	if (!s->user_regs)
		return;
	u->stats.stack_copy = s->evsel->attr.sample_stack_user;
	in = unwound__start(u, s, maps, rank);
	if (!in.stack_size) {
		u->stats.no_stack++;
		return;
	}
	array__reserve(&u->chain, nr_before + 1 + u->max_stack);
	if (nr_before)
		memcpy(u->chain.v, s->callchain, nr_before * sizeof(u64));
	u->chain.v[nr_before] = PERF_CONTEXT_USER;
	end = unwinder__run(u->unwinder, &in, u->chain.v + nr_before + 1, NULL, u->max_stack, &nr);
	u->stats.nr++;
	u->stats.ends[end]++;
	u->stats.absent_page +=
		end == UNWIND_CUT && in.stack_size < s->stack_size && !unwinder__left_stack(u->unwinder);
	if (!nr)
		return;
	if (end == UNWIND_NO_CFI || end == UNWIND_CORRUPT)
		unwound__blame(u, end, u->chain.v[nr_before + nr]);
	s->callchain = u->chain.v;
	s->nr_callchain = nr_before + 1 + nr;
}
