#include "record/stacks/shared_stacks.h"

#include "base/system/clock.h"
#include "record/stacks/live_code.h"
#include "record/stacks/live_hotspot.h"
#include "record/stacks/live_jit.h"
#include "record/stacks/live_v8.h"
#include "unwind/runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS_KEPT = 2,          /* side-band older than this many rounds is no longer needed */
	HISTORY_STEP = 128 << 10, /* maps and address spaces in a round of the history; 6 MB */
	KNOWN_LOCKS = 16,         /* of known chains, by tid */
};

struct side_record {
	u64 time;
	size_t at; /* offset in the round's side-band */
};

struct shared_stacks {
	const struct evlist *l;
	u64 history_step; /* minimum number of new maps and spaces in a round that counts */
	u64 made_before;  /* maps and spaces before the current round */
	struct live_spaces spaces;
	struct live_code code;
	struct live_jit jit;
	struct live_hotspot hotspot;
	struct live_v8 v8;
	pthread_mutex_t spaces_lock; /* also protects code, jit, hotspot and v8 */
	struct known_stacks known;
	pthread_mutex_t known_locks[KNOWN_LOCKS];
	/* state of the current round: */
	ARRAY(struct side_record) side;
	u64 newest;                   /* ns, time of side-band records */
	u64 round_times[ROUNDS_KEPT]; /* ns; newest side-band time of the last rounds that count */
};

struct shared_stacks *shared_stacks__new(const struct evlist *l, const struct shared_stacks_opts *opts)
{
	struct shared_stacks *s = xcalloc(1, sizeof(*s));

	s->l = l;
	s->history_step = opts->keeps_history ? HISTORY_STEP : 0;
	live_spaces__init(&s->spaces);
	s->spaces.binaries.kept = opts->kept;
	live_hotspot__init(&s->hotspot, opts->kept, opts->names_in_records);
	live_v8__init(&s->v8, opts->kept, opts->names_in_records);
	pthread_mutex_init(&s->spaces_lock, NULL);
	for (size_t i = 0; i < KNOWN_LOCKS; i++)
		pthread_mutex_init(&s->known_locks[i], NULL);
	return s;
}

void shared_stacks__delete(struct shared_stacks *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < KNOWN_LOCKS; i++)
		pthread_mutex_destroy(&s->known_locks[i]);
	pthread_mutex_destroy(&s->spaces_lock);
	known_stacks__exit(&s->known);
	live_spaces__exit(&s->spaces);
	live_code__exit(&s->code);
	live_jit__exit(&s->jit);
	live_hotspot__exit(&s->hotspot);
	live_v8__exit(&s->v8);
	array__exit(&s->side);
	free(s);
}

/* ---- side-band ---- */

bool shared_stacks__is_side_band(u32 type)
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

static void shared_stacks__see_record(struct shared_stacks *s, const struct record *r, u64 time)
{
	live_spaces__see(&s->spaces, r, time);
	live_jit__see(&s->jit, r);
	live_hotspot__see(&s->hotspot, r);
	live_v8__see(&s->v8, r);
}

void shared_stacks__see(struct shared_stacks *s, const void *data, size_t size)
{
	struct record r = { 0 };
	size_t pos = 0;

	while ((r.header = next_record(data, size, &pos)))
		if (shared_stacks__is_side_band(r.header->type))
			shared_stacks__see_record(s, &r, 0);
}

static int compare_times(const void *a, const void *b)
{
	const struct side_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void shared_stacks__gather(struct shared_stacks *s, const u8 *data, size_t size)
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

static void renew(void *ctx, u32 pid)
{
	live_spaces__renew(ctx, pid);
}

void shared_stacks__begin_round(struct shared_stacks *s, const void *side_band, size_t size)
{
	live_spaces__tidy(&s->spaces, clock__ns());
	live_code__begin_round(&s->code);
	live_jit__begin_round(&s->jit, renew, &s->spaces);
	live_hotspot__begin_round(&s->hotspot);
	live_v8__begin_round(&s->v8);
	shared_stacks__gather(s, side_band, size);
	for (size_t i = 0; i < s->side.nr; i++) {
		struct record r = { .header = (const void *)((const u8 *)side_band + s->side.v[i].at) };

		shared_stacks__see_record(s, &r, s->side.v[i].time);
		s->newest = MAX(s->newest, s->side.v[i].time);
	}
	if (s->spaces.made - s->made_before < s->history_step)
		return;
	live_spaces__forget(&s->spaces, s->round_times[ROUNDS_KEPT - 1]);
	memmove(s->round_times + 1, s->round_times, (ROUNDS_KEPT - 1) * sizeof(*s->round_times));
	s->round_times[0] = s->newest;
	s->made_before = s->spaces.made;
}

/* ---- by several threads at once ---- */

bool shared_stacks__find(struct shared_stacks *s, struct stack_owner *o, u64 *key)
{
	bool is_known;

	pthread_mutex_lock(&s->spaces_lock);
	live_hotspot__note_time(&s->hotspot, o->time);
	live_v8__note_time(&s->v8, o->time);
	o->space = live_spaces__find(&s->spaces, o->pid, o->time);
	is_known = o->space && (o->space->maps.nr || o->space->recent.nr);
	if (is_known)
		*key = live_spaces__key(&s->spaces, o->space, o->time);
	pthread_mutex_unlock(&s->spaces_lock);
	return is_known;
}

static struct vm_owner shared_stacks__vm_owner(struct shared_stacks *s, const struct stack_owner *o)
{
	return (struct vm_owner){ .pid = o->pid,
				  .has_ended = !live_spaces__is_current(&s->spaces, o->pid, o->space),
				  .space = o->space,
				  .binaries = &s->spaces.binaries };
}

/* Ask the runtimes about code at ip that has no row. */
static void shared_stacks__ask_runtime(struct shared_stacks *s, const struct stack_owner *o,
				       const struct live_map *m, u64 ip, struct unwind_code *code)
{
	const struct vm_owner vm = shared_stacks__vm_owner(s, o);

	if (!code->cfi)
		live_hotspot__frame(&s->hotspot, &vm, ip, &code->java);
	if (code->java.kind == JAVA_NONE)
		code->java.kind = live_v8__kind(&s->v8, &vm, m->binary);
}

void shared_stacks__look_up(struct shared_stacks *s, const struct stack_owner *o, u64 ip,
			    struct unwind_code *code)
{
	const struct live_map *m;

	pthread_mutex_lock(&s->spaces_lock);
	m = code->is_guess ? live_spaces__known_map_at(o->space, ip, o->time)
			   : live_spaces__map_at(&s->spaces, o->pid, o->space, ip, o->time);
	if (m) {
		code->is_code = true;
		code->is_vdso = live_spaces__is_vdso(&s->spaces, m);
		code->addr = ip - m->start + m->pgoff;
		code->cfi = live_spaces__cfi(&s->spaces, o->pid, m);
		if (!code->cfi) {
			code->jit = live_jit__cfi(&s->jit, o->pid, ip);
			code->jit_addr = ip;
		}
		if (code->wants_java)
			shared_stacks__ask_runtime(s, o, m, ip, code);
	}
	pthread_mutex_unlock(&s->spaces_lock);
}

bool shared_stacks__find_method(struct shared_stacks *s, const struct stack_owner *o,
				const struct java_method *m, u64 *shown)
{
	const struct vm_owner vm = shared_stacks__vm_owner(s, o);
	bool done;

	pthread_mutex_lock(&s->spaces_lock);
	done = live_hotspot__find_method(&s->hotspot, &vm, m, shown);
	pthread_mutex_unlock(&s->spaces_lock);
	return done;
}

bool shared_stacks__find_function(struct shared_stacks *s, const struct stack_owner *o,
				  const struct v8_frame *v, u64 *shown)
{
	const struct vm_owner vm = shared_stacks__vm_owner(s, o);
	bool done;

	pthread_mutex_lock(&s->spaces_lock);
	done = live_v8__find_function(&s->v8, &vm, v, shown);
	pthread_mutex_unlock(&s->spaces_lock);
	return done;
}

void shared_stacks__announce(struct shared_stacks *s, const struct evlist *l, struct strbuf *out)
{
	pthread_mutex_lock(&s->spaces_lock);
	live_hotspot__announce(&s->hotspot, l, out);
	live_v8__announce(&s->v8, l, out);
	pthread_mutex_unlock(&s->spaces_lock);
}

const struct unread_memory *shared_stacks__unread(const struct shared_stacks *s)
{
	return &s->hotspot.unread;
}

u64 shared_stacks__code_round(const struct shared_stacks *s)
{
	return s->code.round;
}

bool shared_stacks__read_code(struct shared_stacks *s, const struct stack_owner *o, u64 ip, u8 *data,
			      size_t size)
{
	bool done;

	pthread_mutex_lock(&s->spaces_lock);
	done = live_code__read(&s->code, o->pid, ip, data, size);
	pthread_mutex_unlock(&s->spaces_lock);
	return done;
}

void shared_stacks__touch(struct shared_stacks *s, const struct stack_owner *o, u64 start, u64 end)
{
	pthread_mutex_lock(&s->spaces_lock);
	live_code__touch(&s->code, o->pid, start, end);
	pthread_mutex_unlock(&s->spaces_lock);
}

/* Return the name of the map's binary; for memory without a file, what made its code. */
static const char *shared_stacks__culprit(const struct shared_stacks *s, const struct live_space *space,
					  const struct live_map *m)
{
	const struct runtime *runtime = NULL;
	const char *name = live_binaries__name(&s->spaces.binaries, m->binary);

	if (m->binary && !runtime__is_memory(name))
		return name;
	for (size_t i = 0; !runtime && i < space->maps.nr + space->recent.nr; i++) {
		const struct live_map *other =
			i < space->maps.nr ? &space->maps.v[i] : &space->recent.v[i - space->maps.nr];

		if (other->binary)
			runtime = runtime__of_file(live_binaries__name(&s->spaces.binaries, other->binary));
	}
	return runtime ? runtime->code : RUNTIME_UNKNOWN_CODE;
}

void shared_stacks__add_culprit(struct shared_stacks *s, const struct stack_owner *o, u64 ip,
				enum unwind_end end, struct unwind_stats *stats)
{
	const struct live_map *m;

	pthread_mutex_lock(&s->spaces_lock);
	m = live_spaces__map_at(&s->spaces, o->pid, o->space, ip, o->time);
	if (m)
		unwind_stats__add_culprit(stats, end, shared_stacks__culprit(s, o->space, m), 1);
	pthread_mutex_unlock(&s->spaces_lock);
}

void shared_stacks__remember(struct shared_stacks *s, u32 tid, const u64 *ips, const u64 *sps, unsigned nr)
{
	pthread_mutex_t *lock = &s->known_locks[tid % KNOWN_LOCKS];

	pthread_mutex_lock(lock);
	known_stacks__remember(&s->known, tid, ips, sps, nr);
	pthread_mutex_unlock(lock);
}

unsigned shared_stacks__callers(struct shared_stacks *s, const struct cut_stack *cut, unsigned max,
				bool *is_whole)
{
	pthread_mutex_t *lock = &s->known_locks[cut->tid % KNOWN_LOCKS];
	unsigned nr;

	pthread_mutex_lock(lock);
	nr = known_stacks__callers(&s->known, cut, max, is_whole);
	pthread_mutex_unlock(lock);
	return nr;
}
