/* Chains of a recording's stack copies by libunwind (unwind_reference.h). */
#ifndef TESTS_REFERENCE_CHAINS_H
#define TESTS_REFERENCE_CHAINS_H

#include "model/session.h"
#include "tests/unwind_reference.h"

#include <sys/mman.h>

struct reference_chains {
	struct session *session;
	struct unwind_reference *reference; /* made with the first sample */
	/* Of the sample that is unwound: */
	const struct maps *maps;
	u32 rank;
	u64 ips[1024];
};

static void reference_look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	struct reference_chains *c = ctx;
	struct machine *m = &c->session->machine;
	struct dso_addr at;
	const struct map *map = machine__resolve(m, c->maps, c->rank, PERF_RECORD_MISC_USER, ip, &at);

	if (!map || (map->prot && !(map->prot & PROT_EXEC)))
		return;
	code->is_code = true;
	code->addr = at.addr;
	code->cfi = symbolizer__cfi(&c->session->symbolizer, m->dsos.v.v[at.dso]);
}

/* The number of frames in ips. arch: of the recording. maps: of the sample's process at rank. */
static unsigned reference_chains__unwind(struct reference_chains *c, const struct unwind_arch *arch,
					 const struct sample *s, const struct maps *maps, u32 rank)
{
	const struct unwind_sample in = {
		.regs_mask = s->evsel->attr.sample_regs_user,
		.regs = s->user_regs,
		.stack = s->user_stack,
		.stack_size = s->user_stack ? s->stack_dyn_size : 0,
		.is_32bit = s->user_regs_abi == PERF_SAMPLE_REGS_ABI_32,
	};

	if (!c->reference)
		c->reference = unwind_reference__new(reference_look_up, c);
	c->maps = maps;
	c->rank = rank;
	return unwind_reference__run(c->reference, arch, &in, c->ips, ARRAY_SIZE(c->ips));
}

#endif
