#include "record/stacks/stack_samples.h"

#include "format/records/wait_detail.h"
#include "record/stacks/live_code.h"
#include "record/stacks/stack_copy.h"

#include <string.h>

struct stack_samples {
	const struct evlist *l;
	const struct unwind_arch *arch;
	struct sample_decoder decoder;
	struct shared_stacks *shared;
	bool is_owner; /* of shared */
	struct unwinder *unwinder;
	struct unwind_stats stats;
	struct stack_depths *depths, own_depths;
	/* state of the current sample: */
	struct stack_owner owner;
	u64 ips[STACK_SAMPLES_MAX_FRAMES], sps[STACK_SAMPLES_MAX_FRAMES];
	unsigned nr;
	struct strbuf rewritten; /* the sample as written to the file */
};

/* ---- life ---- */

static bool read_code(void *ctx, u64 ip, u8 *data, size_t size)
{
	struct stack_samples *s = ctx;

	return shared_stacks__read_code(s->shared, &s->owner, ip, data, size);
}

static bool find_method(void *ctx, const struct java_method *m, u64 *shown)
{
	struct stack_samples *s = ctx;

	return shared_stacks__find_method(s->shared, &s->owner, m, shown);
}

static bool find_function(void *ctx, const struct v8_frame *v, u64 *shown)
{
	struct stack_samples *s = ctx;

	return shared_stacks__find_function(s->shared, &s->owner, v, shown);
}

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	struct stack_samples *s = ctx;

	shared_stacks__look_up(s->shared, &s->owner, ip, code);
	code->read = read_code;
	code->find_method = find_method;
	code->find_function = find_function;
}

static struct stack_samples *stack_samples__with(const struct evlist *l, const struct unwind_arch *arch,
						 struct shared_stacks *shared)
{
	struct stack_samples *s = xcalloc(1, sizeof(*s));

	s->l = l;
	s->arch = arch;
	s->shared = shared;
	s->depths = &s->own_depths;
	strbuf__init(&s->rewritten);
	sample_decoder__init(&s->decoder, l);
	s->stats.in_recorder = true;
	for (size_t i = 0; i < l->evsels.nr; i++)
		s->stats.stack_copy = MAX(s->stats.stack_copy, l->evsels.v[i]->attr.sample_stack_user);
	s->unwinder = unwinder__new(arch, look_up, s);
	return s;
}

struct stack_samples *stack_samples__new(const struct evlist *l, const struct unwind_arch *arch,
					 const struct shared_stacks_opts *opts)
{
	struct stack_samples *s = stack_samples__with(l, arch, shared_stacks__new(l, opts));

	s->is_owner = true;
	return s;
}

struct stack_samples *stack_samples__share(const struct stack_samples *owner)
{
	struct stack_samples *s = stack_samples__with(owner->l, owner->arch, owner->shared);

	s->depths = owner->depths;
	return s;
}

void stack_samples__delete(struct stack_samples *s)
{
	if (!s)
		return;
	if (s->is_owner)
		shared_stacks__delete(s->shared);
	unwinder__delete(s->unwinder);
	sample_decoder__exit(&s->decoder);
	strbuf__exit(&s->rewritten);
	unwind_stats__exit(&s->stats);
	free(s);
}

void stack_samples__split_events(struct evlist *l, struct evlist *kernel)
{
	evlist__init(kernel);
	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct evsel *e = l->evsels.v[i],
			     *copy = evlist__add(kernel, &e->attr, e->attr_size, e->name);

		for (size_t k = 0; k < e->ids.nr; k++)
			evlist__add_id(kernel, copy, e->ids.v[k]);
		e->attr.sample_type &= ~(u64)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
		e->attr.sample_regs_user = 0;
		e->attr.sample_stack_user = 0;
	}
}

void stack_samples__add_stats(struct stack_samples *s, const struct stack_samples *other)
{
	unwind_stats__merge(&s->stats, &other->stats);
}

void stack_samples__begin_file(struct stack_samples *s)
{
	struct unwind_stats none = { .stack_copy = s->stats.stack_copy, .in_recorder = s->stats.in_recorder };

	unwind_stats__exit(&s->stats);
	s->stats = none;
}

const struct stack_depths *stack_samples__depths(const struct stack_samples *s)
{
	return s->depths;
}

const struct unwind_stats *stack_samples__stats(const struct stack_samples *s)
{
	return &s->stats;
}

/* ---- side-band ---- */

void stack_samples__see(struct stack_samples *s, const void *data, size_t size)
{
	shared_stacks__see(s->shared, data, size);
}

void stack_samples__begin_round(struct stack_samples *s, const void *side_band, size_t size)
{
	shared_stacks__begin_round(s->shared, side_band, size);
}

const struct unread_memory *stack_samples__unread(const struct stack_samples *s)
{
	return shared_stacks__unread(s->shared);
}

void stack_samples__announce(struct stack_samples *s, const struct evlist *l, struct strbuf *out)
{
	shared_stacks__announce(s->shared, l, out);
}

/* ---- chains ---- */

/*
 * Return the index where the user part of the kernel's chain begins: after PERF_CONTEXT_USER, or at the end.
 */
static u64 user_part(const struct sample *sample)
{
	u64 i = 0;

	while (i < sample->nr_callchain && sample->callchain[i] != PERF_CONTEXT_USER)
		i++;
	return MIN(i + 1, sample->nr_callchain);
}

/*
 * Return the index of our last frame's caller in the kernel's chain, which follows frame pointers, or the end
 * of that chain.
 */
static u64 stack_samples__kernels_caller(const struct stack_samples *s, const struct sample *sample)
{
	u64 i = user_part(sample);

	while (s->nr > 1 && i < sample->nr_callchain && sample->callchain[i] - 1 != s->ips[s->nr - 1])
		i++;
	return s->nr ? MIN(i + 1, sample->nr_callchain) : sample->nr_callchain;
}

static bool is_one_function(void *ctx, u64 ip, u64 other)
{
	struct unwind_code code = { .is_guess = true }, at_other = { .is_guess = true };

	look_up(ctx, ip, &code);
	look_up(ctx, other, &at_other);
	return code.cfi && code.cfi == at_other.cfi &&
	       cfi__is_one_function(code.cfi, code.addr, at_other.addr);
}

/*
 * The copy ended in a frame whose callers are known from an earlier chain of the thread: append them, unless
 * the kernel's chain goes on from there to a frame that is none of them. Return whether the chain is whole.
 */
static bool stack_samples__join(struct stack_samples *s, const struct sample *sample)
{
	struct cut_stack cut = { .tid = s->owner.tid,
				 .ips = s->ips,
				 .sps = s->sps,
				 .nr = s->nr,
				 .is_one_function = is_one_function,
				 .ctx = s };
	const u64 i = stack_samples__kernels_caller(s, sample);
	struct unwind_code code = { 0 };
	bool is_known = i == sample->nr_callchain, is_whole;
	unsigned more;

	if (!unwinder__was_interrupted(s->unwinder, &cut.next_sp))
		cut.next_sp = 0;
	more = shared_stacks__callers(s->shared, &cut, STACK_SAMPLES_MAX_FRAMES, &is_whole);
	for (unsigned k = s->nr; !is_known && k < s->nr + more; k++)
		is_known = s->ips[k] == sample->callchain[i] - 1;
	if (more && !is_known)
		look_up(s, sample->callchain[i] - 1, &code);
	if (code.is_code)
		return false;
	s->nr += more;
	return is_whole;
}

/*
 * Append callers from the kernel's own chain, which may go beyond the end of our stack copy. Start after the
 * frame in which our chain ended. Return whether any was appended.
 */
static bool stack_samples__follow_kernel(struct stack_samples *s, const struct sample *sample)
{
	u64 i = stack_samples__kernels_caller(s, sample);
	unsigned before = s->nr;

	for (; i < sample->nr_callchain && s->nr < STACK_SAMPLES_MAX_FRAMES; i++) {
		u64 ip = sample->callchain[i] - 1;
		struct unwind_code code = { 0 };

		look_up(s, ip, &code);
		if (!code.is_code)
			break;
		s->ips[s->nr++] = ip;
	}
	return s->nr > before;
}

/*
 * Take the user part of the kernel's chain. Like in ours, return addresses become call addresses. The kernel
 * follows whatever is in the frame pointer: is_known: the mappings are, so stop where no code is.
 */
static void stack_samples__take_kernels(struct stack_samples *s, const struct sample *sample, bool is_known)
{
	for (u64 i = user_part(sample); i < sample->nr_callchain && s->nr < STACK_SAMPLES_MAX_FRAMES; i++) {
		u64 ip = sample->callchain[i];
		bool is_mark = ip >= (u64)PERF_CONTEXT_MAX;
		struct unwind_code code = { 0 };

		if (s->nr && ip && !is_mark)
			ip--;
		if (s->nr && is_known && !is_mark)
			look_up(s, ip, &code);
		if (s->nr && is_known && !is_mark && !code.is_code)
			break;
		s->ips[s->nr++] = ip;
	}
}

/*
 * Continue with the kernel's chain. Return whether it reached the outermost frame without a gap. That is
 * certain only where Go's runtime switched stacks, since Go code has frame pointers.
 */
static bool stack_samples__mend(struct stack_samples *s, const struct sample *sample, enum unwind_end end,
				u64 space)
{
	if ((end == UNWIND_NO_CFI || end == UNWIND_CORRUPT) && s->nr)
		shared_stacks__add_culprit(s->shared, &s->owner, s->ips[s->nr - 1], end, &s->stats);
	if (!stack_samples__follow_kernel(s, sample))
		return false;
	s->stats.by_frame_pointers++;
	return unwinder__left_stack(s->unwinder) &&
	       unwinder__is_outermost(s->unwinder, space, s->ips[s->nr - 1]);
}

/* Count what this chain needs of the stack, before frame pointers continue it. */
static void stack_samples__note_depth(struct stack_samples *s, const struct sample *sample,
				      enum unwind_end end, bool joined)
{
	bool is_full = sample->stack_dyn_size >= sample->stack_size;

	if ((end == UNWIND_COMPLETE || end == UNWIND_FOUND || joined) && s->nr)
		stack_depths__add_whole(s->depths, s->sps[s->nr - 1] - s->sps[0]);
	else if (end == UNWIND_CUT && is_full && !unwinder__left_stack(s->unwinder))
		stack_depths__add_cut(s->depths, sample->stack_size);
}

/* Is e an event of --off-cpu? The rate of switches makes its copies small, not the load. */
static bool is_wait(const struct evsel *e)
{
	return evsel__wait_event(e) != WAIT_EVENT_NONE;
}

/*
 * The kernel copied less of the stack than it was asked for, and less than the chain needs: the next page
 * is not in memory. Later samples need it, too, and may have larger copies.
 */
static void stack_samples__touch(struct stack_samples *s, const struct sample *sample, u64 sp)
{
	s->stats.absent_page++;
	shared_stacks__touch(s->shared, &s->owner, sp + sample->stack_dyn_size, sp + LIVE_CODE_TOUCH_MAX);
}

static void stack_samples__unwind(struct stack_samples *s, const struct record *r,
				  const struct sample *sample)
{
	struct unwind_sample in = {
		.regs_mask = sample->evsel->attr.sample_regs_user,
		.regs = sample->user_regs,
		.stack = sample->user_stack,
		.stack_size = sample->user_stack ? sample->stack_dyn_size : 0,
		.is_32bit = sample->user_regs_abi == PERF_SAMPLE_REGS_ABI_32,
		.code_round = shared_stacks__code_round(s->shared),
	};
	enum stack_copy_state copy;
	enum unwind_end end;
	bool is_known, joined = false;

	s->nr = 0;
	s->owner = (struct stack_owner){ .pid = sample->pid, .tid = sample->tid, .time = sample->time };
	is_known = shared_stacks__find(s->shared, &s->owner, &in.space);
	if (!in.stack_size) { /* during an exec, or a new thread whose stack is not in memory yet */
		s->stats.no_stack++;
		stack_samples__take_kernels(s, sample, is_known);
		return;
	}
	copy = stack_copy__state(r, sample, sample->evsel->attr.sample_stack_user);
	if (copy == STACK_COPY_NONE) {
		s->stats.no_copy++;
		stack_samples__take_kernels(s, sample, is_known);
		return;
	}
	/*
	 * wakings are sampled on whole CPUs: the maps of other programs are not recorded, nor are their
	 * chains
	 */
	if (!is_known && evsel__wait_event(sample->evsel) == WAIT_EVENT_ENDED) {
		stack_samples__take_kernels(s, sample, false);
		return;
	}
	s->stats.smaller += copy == STACK_COPY_SMALLER && !is_wait(sample->evsel);
	s->stats.nr++;
	if (!is_known) {
		s->stats.ends[UNWIND_UNMAPPED]++;
		s->stats.by_frame_pointers++;
		stack_samples__take_kernels(s, sample, false);
		return;
	}
	end = unwinder__run(s->unwinder, &in, s->ips, s->sps, STACK_SAMPLES_MAX_FRAMES, &s->nr);
	/*
	 * After a change of stack, do not join with a known chain: it may be another goroutine's, as this
	 * frame has the same address in all of them.
	 */
	if (end == UNWIND_CUT && !unwinder__left_stack(s->unwinder) && stack_samples__join(s, sample)) {
		s->stats.joined++;
		joined = true;
	}
	if (end == UNWIND_CUT && !joined && copy == STACK_COPY_AS_ASKED && s->nr &&
	    sample->stack_dyn_size < sample->stack_size && !unwinder__left_stack(s->unwinder))
		stack_samples__touch(s, sample, s->sps[0]);
	if (!is_wait(sample->evsel))
		stack_samples__note_depth(s, sample, end, joined);
	if (end == UNWIND_COMPLETE || joined)
		shared_stacks__remember(s->shared, s->owner.tid, s->ips, s->sps, s->nr);
	else if (end != UNWIND_FOUND && stack_samples__mend(s, sample, end, in.space))
		end = UNWIND_COMPLETE;
	s->stats.ends[end]++;
	s->stats.smaller_cut += end == UNWIND_CUT && !joined && copy == STACK_COPY_SMALLER;
}

/*
 * If the leaf is an interpreted method, the chain begins at a bytecode: put that in place of the address in
 * the interpreter, so that the sample counts for the method. out: the start of the record.
 */
static void stack_samples__replace_ip(const struct stack_samples *s, const struct record *r,
				      const struct sample *sample, struct strbuf *out)
{
	const u64 mask = sample->evsel->attr.sample_regs_user, type = sample->evsel->attr.sample_type;
	size_t at = sizeof(*r->header) + (type & PERF_SAMPLE_IDENTIFIER ? sizeof(u64) : 0);
	u64 bit = s->arch ? 1ull << s->arch->perf_ip : 0;

	if (!s->nr || !(mask & bit) || !(type & PERF_SAMPLE_IP) ||
	    (r->header->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER ||
	    sample->user_regs[__builtin_popcountll(mask & (bit - 1))] == s->ips[0])
		return;
	memcpy(out->buf + at, &s->ips[0], sizeof(u64));
}

/* Write the record with our chain, and without registers and stack. */
static void stack_samples__rewrite(struct stack_samples *s, const struct record *r,
				   const struct sample *sample)
{
	struct strbuf *out = &s->rewritten;
	const u8 *data = (const u8 *)r->header;
	u64 nr_kernel = s->nr ? user_part(sample) : sample->nr_callchain;
	bool has_mark = nr_kernel && sample->callchain[nr_kernel - 1] == PERF_CONTEXT_USER;
	const u64 mark = PERF_CONTEXT_USER;
	u64 nr_chain = nr_kernel + (s->nr ? s->nr + !has_mark : 0);
	size_t chain_start = (size_t)((const u8 *)(sample->callchain - 1) - data);
	size_t chain_end = chain_start + 8 + sample->nr_callchain * 8, size;
	struct perf_event_header *h;

	size = r->header->size - (sample->user_end - sample->user_start) +
	       (nr_chain - sample->nr_callchain) * 8;
	if (size > UINT16_MAX) { /* the other fields leave no room for the chain */
		nr_chain = sample->nr_callchain;
		s->nr = 0;
	}
	strbuf__reset(out);
	strbuf__add(out, data, chain_start);
	if (sample->user_regs)
		stack_samples__replace_ip(s, r, sample, out);
	strbuf__add(out, &nr_chain, sizeof(nr_chain));
	strbuf__add(out, sample->callchain, (s->nr ? nr_kernel : sample->nr_callchain) * 8);
	if (s->nr && !has_mark)
		strbuf__add(out, &mark, sizeof(mark));
	strbuf__add(out, s->ips, s->nr * sizeof(*s->ips));
	strbuf__add(out, data + chain_end, sample->user_start - chain_end);
	strbuf__add(out, data + sample->user_end, r->header->size - sample->user_end);
	h = (void *)out->buf;
	h->size = (u16)out->len;
}

bool stack_samples__take(struct stack_samples *s, struct lazy_record *r)
{
	const struct record rec = { .header = r->header };
	struct sample sample;

	if (sample__decode(&s->decoder, &rec, &sample))
		return false; /* cannot happen; such a sample would not have the layout of the file */
	if (sample.user_start == sample.user_end || !sample.callchain)
		return true;
	s->nr = 0;
	if (sample.user_regs)
		stack_samples__unwind(s, &rec, &sample);
	stack_samples__rewrite(s, &rec, &sample);
	lazy_record__replace(r, (void *)s->rewritten.buf, &sample);
	return true;
}

bool stack_samples__take_uncounted(struct stack_samples *s, struct lazy_record *r)
{
	struct unwind_stats kept = s->stats;
	bool ret;

	s->stats = (struct unwind_stats){ 0 };
	ret = stack_samples__take(s, r);
	unwind_stats__exit(&s->stats);
	s->stats = kept;
	return ret;
}
