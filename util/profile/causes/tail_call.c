#include "profile/causes/tail_call.h"

#include "model/code.h"
#include "unwind/call_site.h"

#include <linux/perf_event.h>
#include <string.h>

/* Return the symbol that the call before an address of a dso calls; NULL: not known. */
static const struct symbol *called_before(struct session *s, struct dso *dso, u64 addr)
{
	struct code code = CODE_INIT;
	struct err err = ERR_INIT;
	const struct symbol *sym = NULL;
	u64 target;

	if (addr >= CALL_SITE_BYTES &&
	    !symbolizer__code(&s->symbolizer, dso, addr - CALL_SITE_BYTES, CALL_SITE_BYTES, &code, &err) &&
	    code.bytes.len == CALL_SITE_BYTES &&
	    call_site__decode(code.machine, (const u8 *)code.bytes.buf, CALL_SITE_BYTES,
			      code.vaddr + CALL_SITE_BYTES, &target) == CALL_DIRECT)
		sym = symbolizer__code_symbol(&s->symbolizer, dso, target, &addr);
	code__exit(&code);
	err__exit(&err);
	return sym;
}

u32 tail_call__find(struct places *p, const struct row *row, u32 i)
{
	struct session *s = p->session;
	struct row_space space = places__space(p, row, PERF_RECORD_MISC_USER);
	const struct symbol *sym;
	struct dso_addr at;
	struct dso *dso;
	u32 nr, place;

	if (!i || row->chain[i - 1] >= PERF_CONTEXT_MAX ||
	    !machine__resolve(&s->machine, space.maps, row->rank, PERF_RECORD_MISC_USER, row->chain[i],
			      &at) ||
	    at.dso == DSO_IDX_NONE)
		return PLACE_NONE;
	dso = s->machine.dsos.v.v[at.dso];
	sym = called_before(s, dso,
			    at.addr + 1); /* chains have the last byte of calls, or the one after it */
	if (!sym)
		sym = called_before(s, dso, at.addr);
	if (!sym)
		return PLACE_NONE;
	place = places__frames(p, &space, row->chain[i - 1], i > 1 && row->chain[i - 2] < PERF_CONTEXT_MAX,
			       &nr)[nr - 1];
	if (places__get(p, place)->sym == sym)
		return PLACE_NONE;
	place = places__symbol(p, dso, sym);
	return strstr(places__name(p, place), "@plt") ? PLACE_NONE : place;
}
