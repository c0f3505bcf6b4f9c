#include "record/stacks/stack_samples.h"

#include "record/stacks/known_stacks.h"
#include "record/stacks/live_spaces.h"
#include "record/stacks/stack_copy.h"
#include "unwind/runtime.h"

#include <string.h>

enum {
	ROUNDS_KEPT = 2, /* side-band older than this many rounds is no longer needed */
};

struct side_record {
	u64 time;
	size_t at; /* offset in the round's side-band */
};

struct stack_samples {
	const struct evlist *l;
	struct sample_decoder decoder;
	struct live_spaces spaces;
	struct unwinder *unwinder;
	struct unwind_stats stats;
	/* Of the current round: */
	ARRAY(struct side_record) side;
	u64 round_times[ROUNDS_KEPT]; /* ns; newest side-band or sample time of the last rounds */
	/* Of the current sample: */
	u32 pid;
	u64 time;
	struct live_space *space;
	u64 ips[STACK_SAMPLES_MAX_FRAMES], sps[STACK_SAMPLES_MAX_FRAMES];
	unsigned nr;
	struct known_stacks known;
	struct strbuf rewritten; /* the sample as written to the file */
};

/* ---- life ---- */

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	struct stack_samples *s = ctx;
	const struct live_map *m = live_spaces__map_at(&s->spaces, s->pid, s->space, ip, s->time);

	if (!m)
		return;
	code->is_code = true;
	code->is_vdso = live_spaces__is_vdso(&s->spaces, m);
	code->addr = ip - m->start + m->pgoff;
	code->cfi = live_spaces__cfi(&s->spaces, s->pid, m);
}

struct stack_samples *stack_samples__new(const struct evlist *l, const struct unwind_arch *arch)
{
	struct stack_samples *s = xcalloc(1, sizeof(*s));

	s->l = l;
	strbuf__init(&s->rewritten);
	sample_decoder__init(&s->decoder, l);
	s->stats.in_recorder = true;
	for (size_t i = 0; i < l->evsels.nr; i++)
		s->stats.stack_copy = MAX(s->stats.stack_copy, l->evsels.v[i]->attr.sample_stack_user);
	live_spaces__init(&s->spaces);
	s->unwinder = unwinder__new(arch, look_up, s);
	return s;
}

void stack_samples__delete(struct stack_samples *s)
{
	if (!s)
		return;
	known_stacks__exit(&s->known);
	unwinder__delete(s->unwinder);
	live_spaces__exit(&s->spaces);
	sample_decoder__exit(&s->decoder);
	array__exit(&s->side);
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

const struct unwind_stats *stack_samples__stats(const struct stack_samples *s)
{
	return &s->stats;
}

/* ---- side-band ---- */

bool stack_samples__is_side_band(u32 type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_COMM ||
	       type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT;
}

/* Return the record at *pos and move *pos past it, or NULL at the end. */
static const struct perf_event_header *next_record(const u8 *data, size_t size, size_t *pos)
{
	const struct perf_event_header *h = (const void *)(data + *pos);

	if (size - *pos < sizeof(*h) || h->size < sizeof(*h) || h->size > size - *pos)
		return NULL;
	*pos += h->size;
	return h;
}

void stack_samples__see(struct stack_samples *s, const void *data, size_t size)
{
	struct record r = { 0 };
	size_t pos = 0;

	while ((r.header = next_record(data, size, &pos)))
		if (stack_samples__is_side_band(r.header->type))
			live_spaces__see(&s->spaces, &r, 0);
}

static int compare_times(const void *a, const void *b)
{
	const struct side_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void stack_samples__gather(struct stack_samples *s, const u8 *data, size_t size)
{
	struct record r = { 0 };
	struct sample_id id;
	size_t pos = 0;

	s->side.nr = 0;
	while ((r.header = next_record(data, size, &pos)))
		if (sample_id__decode(s->l, &r, &id))
			array__add(&s->side, ((struct side_record){ id.time, pos - r.header->size }));
	if (s->side.nr)
		qsort(s->side.v, s->side.nr, sizeof(*s->side.v), compare_times);
}

void stack_samples__begin_round(struct stack_samples *s, const void *side_band, size_t size)
{
	u64 newest = s->round_times[0];

	stack_samples__gather(s, side_band, size);
	for (size_t i = 0; i < s->side.nr; i++) {
		struct record r = { .header = (const void *)((const u8 *)side_band + s->side.v[i].at) };

		live_spaces__see(&s->spaces, &r, s->side.v[i].time);
		newest = MAX(newest, s->side.v[i].time);
	}
	live_spaces__forget(&s->spaces, s->round_times[ROUNDS_KEPT - 1]);
	memmove(s->round_times + 1, s->round_times, (ROUNDS_KEPT - 1) * sizeof(*s->round_times));
	s->round_times[0] = newest;
}

/* ---- chains ---- */

/* The copy ended in a frame whose callers are known from an earlier chain of the thread: append them. */
static bool stack_samples__join(struct stack_samples *s, u32 tid)
{
	const struct cut_stack cut = { .tid = tid,
				       .ips = s->ips,
				       .sps = s->sps,
				       .nr = s->nr,
				       .next_sp = unwinder__next_sp(s->unwinder) };
	unsigned more = known_stacks__callers(&s->known, &cut, STACK_SAMPLES_MAX_FRAMES);

	s->nr += more;
	return more;
}

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
 * Append callers from the kernel's own chain, which follows frame pointers and may go beyond the end of our
 * stack copy. Start after the frame in which our chain ended. Return whether any was appended.
 */
static bool stack_samples__follow_kernel(struct stack_samples *s, const struct sample *sample)
{
	u64 i = user_part(sample);
	unsigned before;

	while (s->nr > 1 && i < sample->nr_callchain && sample->callchain[i] - 1 != s->ips[s->nr - 1])
		i++;
	if (!s->nr || i + 1 >= sample->nr_callchain)
		return false;
	before = s->nr;
	for (i++; i < sample->nr_callchain && s->nr < STACK_SAMPLES_MAX_FRAMES; i++) {
		u64 ip = sample->callchain[i] - 1;

		if (!live_spaces__map_at(&s->spaces, s->pid, s->space, ip, s->time))
			break;
		s->ips[s->nr++] = ip;
	}
	return s->nr > before;
}

/* Take the user part of the kernel's chain. Like in ours, return addresses become call addresses. */
static void stack_samples__take_kernels(struct stack_samples *s, const struct sample *sample)
{
	for (u64 i = user_part(sample); i < sample->nr_callchain && s->nr < STACK_SAMPLES_MAX_FRAMES; i++) {
		u64 ip = sample->callchain[i];
		bool is_mark = ip >= (u64)PERF_CONTEXT_MAX;

		s->ips[s->nr] = ip - (s->nr && ip && !is_mark);
		s->nr++;
	}
}

/* Return the name of the map's binary; for memory without a file, what made its code. */
static const char *stack_samples__culprit(const struct stack_samples *s, const struct live_map *m)
{
	const struct runtime *runtime = NULL;

	if (m->binary)
		return strpool__get(&s->spaces.names, s->spaces.binaries.v[m->binary].name);
	for (size_t i = 0; !runtime && i < s->space->maps.nr + s->space->recent.nr; i++) {
		const struct live_map *other = i < s->space->maps.nr
						       ? &s->space->maps.v[i]
						       : &s->space->recent.v[i - s->space->maps.nr];

		if (other->binary)
			runtime = runtime__of_file(
				strpool__get(&s->spaces.names, s->spaces.binaries.v[other->binary].name));
	}
	return runtime ? runtime->code : RUNTIME_UNKNOWN_CODE;
}

/*
 * Continue with the kernel's chain. Return whether it reached the outermost frame without a gap. That is
 * certain only where Go's runtime switched stacks, since Go code has frame pointers.
 */
static bool stack_samples__mend(struct stack_samples *s, const struct sample *sample, enum unwind_end end,
				u64 space)
{
	const struct live_map *m = NULL;

	if ((end == UNWIND_NO_CFI || end == UNWIND_CORRUPT) && s->nr)
		m = live_spaces__map_at(&s->spaces, s->pid, s->space, s->ips[s->nr - 1], s->time);
	if (m)
		unwind_stats__add_culprit(&s->stats, end, stack_samples__culprit(s, m), 1);
	if (!stack_samples__follow_kernel(s, sample))
		return false;
	s->stats.by_frame_pointers++;
	return unwinder__left_stack(s->unwinder) &&
	       unwinder__is_outermost(s->unwinder, space, s->ips[s->nr - 1]);
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
	};
	enum stack_copy_state copy;
	enum unwind_end end;
	bool joined = false;

	s->nr = 0;
	s->pid = sample->pid;
	s->time = sample->time;
	if (!in.stack_size) { /* for example during an exec */
		s->stats.no_stack++;
		return;
	}
	copy = stack_copy__state(r, sample, sample->evsel->attr.sample_stack_user);
	if (copy == STACK_COPY_NONE) {
		s->stats.no_copy++;
		stack_samples__take_kernels(s, sample);
		return;
	}
	s->stats.smaller += copy == STACK_COPY_SMALLER;
	s->space = live_spaces__find(&s->spaces, s->pid, s->time);
	if (!s->space)
		return;
	in.space = live_spaces__key(&s->spaces, s->space, s->time);
	s->stats.nr++;
	end = unwinder__run(s->unwinder, &in, s->ips, s->sps, STACK_SAMPLES_MAX_FRAMES, &s->nr);
	/*
	 * After a change of stack, do not join with a known chain: it may be another goroutine's, as this
	 * frame has the same address in all of them.
	 */
	if (end == UNWIND_CUT && !unwinder__left_stack(s->unwinder) && stack_samples__join(s, sample->tid)) {
		s->stats.joined++;
		joined = true;
	}
	if (end == UNWIND_COMPLETE || joined)
		known_stacks__remember(&s->known, sample->tid, s->ips, s->sps, s->nr);
	else if (stack_samples__mend(s, sample, end, in.space))
		end = UNWIND_COMPLETE;
	s->stats.ends[end]++;
	s->stats.smaller_cut += end == UNWIND_CUT && !joined && copy == STACK_COPY_SMALLER;
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
