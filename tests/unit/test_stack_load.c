/* What is done to stack copies when there is too much to do: made smaller, counted, and large again later. */
#include "unit.h"

#include "base/system/parcel_queue.h"
#include "record/events/levels.h"
#include "record/stacks/stack_copy.h"
#include "record/stacks/stack_load.h"

#include <pthread.h>
#include <string.h>

enum { ASKED = 256, REGS = 2 };

/* ---- copies ---- */

struct made {
	struct evlist l;
	struct sample_decoder d;
	struct evsel *e;
	struct strbuf record;
};

static void made__init(struct made *m, u64 behind)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER | behind,
		.sample_regs_user = 3,
		.sample_stack_user = ASKED,
	};

	evlist__init(&m->l);
	m->e = evlist__add(&m->l, &attr, sizeof(attr), "event");
	sample_decoder__init(&m->d, &m->l);
	strbuf__init(&m->record);
}

static void made__exit(struct made *m)
{
	sample_decoder__exit(&m->d);
	evlist__exit(&m->l);
	strbuf__exit(&m->record);
}

static void add_word(struct strbuf *sb, u64 word)
{
	strbuf__add(sb, &word, sizeof(word));
}

/* A sample as the kernel makes it: the whole of size, of which dyn_size bytes are stack. */
static void made__sample(struct made *m, u64 size, u64 dyn_size, u64 weight)
{
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE };

	strbuf__reset(&m->record);
	strbuf__add(&m->record, &h, sizeof(h));
	add_word(&m->record, 0x1234);           /* ip */
	add_word(&m->record, (u64)7 << 32 | 7); /* pid, tid */
	add_word(&m->record, PERF_SAMPLE_REGS_ABI_64);
	add_word(&m->record, 0x10);
	add_word(&m->record, 0x20);
	add_word(&m->record, size);
	for (u64 i = 0; i < size / 8; i++)
		add_word(&m->record, 100 + i);
	if (size)
		add_word(&m->record, dyn_size);
	if (m->e->attr.sample_type & PERF_SAMPLE_WEIGHT)
		add_word(&m->record, weight);
	((struct perf_event_header *)(void *)m->record.buf)->size = (u16)m->record.len;
}

static void trim(struct made *m, u32 keep, struct strbuf *out, struct sample *s)
{
	struct record r = { .header = (const void *)m->record.buf };

	assert_int_equal(sample__decode(&m->d, &r, s), 0);
	strbuf__reset(out);
	stack_copy__add_trimmed(out, &r, s, keep);
	r.header = (const void *)out->buf;
	assert_int_equal(r.header->size, out->len);
	assert_int_equal(out->len % 8, 0);
	assert_int_equal(sample__decode(&m->d, &r, s), 0);
	assert_int_equal(s->ip, 0x1234);
	assert_int_equal(s->user_regs[1], 0x20);
	for (u64 i = 0; i < s->stack_dyn_size / 8; i++)
		assert_int_equal(((const u64 *)s->user_stack)[i], 100 + i);
}

static enum stack_copy_state state_of(const struct strbuf *out, const struct sample *s)
{
	return stack_copy__state(&(struct record){ .header = (const void *)out->buf }, s, ASKED);
}

static void what_is_no_stack_is_left_out(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct sample s;
	struct made m;

	(void)state;
	made__init(&m, 0);
	made__sample(&m, ASKED, 64, 0);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(s.stack_dyn_size, 64);
	assert_true(out.len < m.record.len - 150);
	assert_int_equal(state_of(&out, &s), STACK_COPY_AS_ASKED);
	/* as much as there is room for, and nothing at all */
	made__sample(&m, ASKED, ASKED, 0);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(s.stack_dyn_size, ASKED);
	assert_int_equal(state_of(&out, &s), STACK_COPY_AS_ASKED);
	made__sample(&m, ASKED, 0, 0);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(s.stack_dyn_size, 0);
	assert_int_equal(state_of(&out, &s), STACK_COPY_AS_ASKED);
	made__sample(&m, 0, 0, 0);
	trim(&m, STACK_COPY_MIN, &out, &s);
	assert_int_equal(out.len, m.record.len);
	/* the copy's size that is not a multiple of 8 */
	made__sample(&m, ASKED, 61, 0);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(s.stack_dyn_size, 61);
	assert_int_equal(state_of(&out, &s), STACK_COPY_AS_ASKED);
	strbuf__exit(&out);
	made__exit(&m);
}

static void what_load_took_is_seen(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct sample s;
	struct made m;

	(void)state;
	made__init(&m, PERF_SAMPLE_WEIGHT);
	made__sample(&m, ASKED, 200, 77);
	trim(&m, 64, &out, &s);
	assert_int_equal(s.stack_dyn_size, 64);
	assert_int_equal(s.weight, 77); /* what lies behind the stack came along */
	assert_int_equal(state_of(&out, &s), STACK_COPY_SMALLER);
	made__sample(&m, ASKED, 200, 77);
	trim(&m, STACK_COPY_MIN, &out, &s);
	assert_int_equal(state_of(&out, &s), STACK_COPY_NONE);
	/* a stack that fits in what is left is whole */
	made__sample(&m, ASKED, 40, 77);
	trim(&m, 64, &out, &s);
	assert_int_equal(s.stack_dyn_size, 40);
	assert_int_equal(state_of(&out, &s), STACK_COPY_AS_ASKED);
	/* the same, when the kernel was told to copy less */
	made__sample(&m, 64, 64, 77);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(state_of(&out, &s), STACK_COPY_SMALLER);
	made__sample(&m, 64, 40, 77);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(state_of(&out, &s), STACK_COPY_AS_ASKED);
	made__sample(&m, STACK_COPY_MIN, STACK_COPY_MIN, 77);
	trim(&m, ASKED, &out, &s);
	assert_int_equal(s.weight, 77);
	assert_int_equal(state_of(&out, &s), STACK_COPY_NONE);
	strbuf__exit(&out);
	made__exit(&m);
}

/* The kernel makes a copy that does not fit into a record as large as fits. */
static void the_limit_of_records_is_no_load(void **state)
{
	enum { LARGE = 65528 };
	struct strbuf out = STRBUF_INIT;
	struct record r;
	struct sample s;
	struct made m;
	u64 fits;

	(void)state;
	made__init(&m, PERF_SAMPLE_WEIGHT);
	made__sample(&m, 64, 64, 77);
	fits = LARGE - (m.record.len - 64);
	made__sample(&m, fits, fits, 77);
	trim(&m, LARGE, &out, &s);
	r = (struct record){ .header = (const void *)out.buf };
	assert_int_equal(r.header->size, LARGE);
	assert_int_equal(stack_copy__state(&r, &s, LARGE), STACK_COPY_AS_ASKED);
	assert_int_equal(stack_copy__state(&r, &s, 65000), STACK_COPY_AS_ASKED);
	made__sample(&m, fits - 8, fits - 8, 77);
	trim(&m, LARGE, &out, &s);
	r.header = (const void *)out.buf;
	assert_int_equal(stack_copy__state(&r, &s, LARGE), STACK_COPY_SMALLER);
	made__sample(&m, fits, fits, 77);
	trim(&m, STACK_COPY_MIN, &out, &s);
	r.header = (const void *)out.buf;
	assert_int_equal(stack_copy__state(&r, &s, LARGE), STACK_COPY_NONE);
	strbuf__exit(&out);
	made__exit(&m);
}

/* ---- the level ---- */

enum { KIB = 1024, RING = 16 << 20 };

/* Of an event with 4,000 samples per second, in a ring of a calm size. */
struct chooser {
	struct stack_levels levels;
	struct stack_depths depths;
	struct stack_load load;
	bool is_queue;
	u64 ring, rate;
};

static unsigned chooser__init(struct chooser *c, u32 asked, bool may_grow, u64 ring, u64 rate)
{
	memset(c, 0, sizeof(*c));
	c->ring = ring;
	c->rate = rate;
	stack_levels__fill(&c->levels, asked, may_grow);
	stack_levels__fit(&c->levels, ring);
	stack_levels__slow_down(&c->levels, ring, rate);
	return stack_load__begin(&c->load, &c->levels, ring, rate, 1000);
}

static u32 see(struct chooser *c, unsigned fill, u64 now_ms)
{
	const struct stack_load_facts f = { .levels = &c->levels,
					    .depths = &c->depths,
					    .ring = c->ring,
					    .rate = c->rate,
					    .fill = fill,
					    .is_queue = c->is_queue,
					    .now_ms = now_ms };
	const struct stack_level *l = &c->levels.v[stack_load__see(&c->load, &f)];

	return l->part > 1 ? l->part : l->copy;
}

static void add(struct chooser *c, unsigned nr, u64 whole, u64 cut)
{
	for (unsigned i = 0; i < nr; i++) {
		if (whole)
			stack_depths__add_whole(&c->depths, whole);
		if (cut)
			stack_depths__add_cut(&c->depths, cut);
	}
}

static void goes_up_at_once_and_down_slowly(void **state)
{
	struct chooser c;

	(void)state;
	assert_int_equal(chooser__init(&c, 16 * KIB, false, RING, 1000), 0);
	assert_int_equal(see(&c, 32, 1000), 16 * KIB);
	assert_int_equal(see(&c, 50, 1100), 4608);
	assert_int_equal(see(&c, 50, 1110), 4608); /* it could not have an effect yet */
	assert_int_equal(see(&c, 50, 1200), 1536);
	assert_int_equal(see(&c, 64, 1300), 8); /* at an eighth of the frequency */
	assert_int_equal(see(&c, 64, 1400), 8);
	assert_int_equal(see(&c, 10, 3399), 8);
	assert_int_equal(see(&c, 10, 3400), 1536);
	assert_int_equal(see(&c, 10, 5400), 4608);
	assert_int_equal(see(&c, 10, 7400), 16 * KIB);
	/* It was too early: next time it takes longer. */
	assert_int_equal(see(&c, 62, 7500), 8);
	assert_int_equal(see(&c, 10, 15499), 8);
	assert_int_equal(see(&c, 10, 15500), 1536);
	assert_int_equal(c.load.by_rings, 2);
	assert_int_equal(c.load.by_queue, 0);
	c.is_queue = true;
	assert_int_equal(see(&c, 63, 15600), 8);
	assert_int_equal(c.load.by_rings, 2);
	assert_int_equal(c.load.by_queue, 1);
}

static void what_gave_way_is_told(void **state)
{
	struct levels_used u = {
		.asked = 16384, .copy = 16384, .rate = 4000, .slow_rate = 500, .slow_ms = 2000, .ms = 8000
	};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	levels_used__tell(&u, &out);
	assert_string_equal(out.buf, "Sampled at 500 Hz for 2.0 of 8.0 s, as the ring buffers had no room "
				     "for more: type -F 500\n");
	strbuf__reset(&out);
	u.was_queue = true;
	levels_used__tell(&u, &out);
	assert_string_equal(out.buf, "Sampled at 500 Hz for 2.0 of 8.0 s, as the queue of stacks to be "
				     "unwound had no room for more: type -F 500\n");
	strbuf__exit(&out);
}

static void copies_are_as_large_as_stacks_and_rings(void **state)
{
	struct chooser c;

	(void)state;
	/* a ring that does not last for a second: as the stacks need */
	assert_int_equal(chooser__init(&c, 16 * KIB, true, RING, 4000), 1);
	assert_int_equal(see(&c, 0, 1000), 16 * KIB);
	add(&c, 4096, 1000, 0);
	assert_int_equal(see(&c, 0, 1100), 1536);
	add(&c, 20, 0, 1536);
	assert_int_equal(see(&c, 0, 1200), 4608);
	add(&c, 20, 0, 4608);
	assert_int_equal(see(&c, 0, 1300), 16 * KIB);
	add(&c, 20, 0, 16 * KIB);
	assert_int_equal(see(&c, 0, 1400), 60 * KIB);
	add(&c, 4096, 1000, 0);
	assert_int_equal(see(&c, 0, 1500), 60 * KIB); /* it grew a moment ago */
	add(&c, 4096, 5000, 0);
	assert_int_equal(see(&c, 0, 11500), 16 * KIB);
	/* few are cut off: no reason */
	add(&c, 7, 0, 16 * KIB);
	assert_int_equal(see(&c, 0, 11600), 16 * KIB);
	/* a ring that lasts: copies stay as asked */
	chooser__init(&c, 16 * KIB, true, RING, 500);
	add(&c, 5000, 1000, 0);
	assert_int_equal(see(&c, 0, 1000), 16 * KIB);
	/* a size that the user gave is not exceeded */
	assert_int_equal(chooser__init(&c, 4096, false, RING, 500), 0);
	add(&c, 2000, 0, 4096);
	assert_int_equal(see(&c, 0, 1000), 4096);
	assert_int_equal(c.load.wanted, 0);
}

static void small_rings_get_copies_that_they_can_hold(void **state)
{
	struct chooser c;

	(void)state;
	chooser__init(&c, 16 * KIB, true, 512 * KIB, 4000);
	assert_int_equal(see(&c, 0, 1000), 4608);
	add(&c, 20, 0, 4608);
	assert_int_equal(see(&c, 0, 1100), 4608);
	assert_int_equal(c.load.wanted, 16 * KIB);
	assert_in_range(stack_levels__rate(16 * KIB, 512 * KIB), 1000, 2000);
	/* at a low frequency, larger ones */
	chooser__init(&c, 16 * KIB, true, 512 * KIB, 300);
	add(&c, 20, 0, 16 * KIB);
	assert_int_equal(see(&c, 0, 1000), 60 * KIB);
	/* a frequency that is too high begins as the lowest one, and is tried later */
	chooser__init(&c, 16 * KIB, true, RING, 100000);
	assert_int_equal(see(&c, 0, 1000), 8);
	assert_int_equal(see(&c, 0, 3000), 1536);
	/* the lowest one lets a small ring last */
	chooser__init(&c, 16 * KIB, true, 512 * KIB, 100000);
	assert_int_equal(see(&c, 0, 1000), 32);
	/* A ring of a page holds no copies of any size: there is nothing to choose. */
	chooser__init(&c, 16 * KIB, true, 4 * KIB, 4000);
	assert_int_equal(c.levels.nr, 1);
}

/* ---- the queue ---- */

enum { NR_PARCELS = 2000, ROOM = 256 << 10 };

static void *producer(void *arg)
{
	struct parcel_queue *q = arg;

	for (int i = 0; i < NR_PARCELS; i++) {
		struct parcel *b = parcel_queue__fresh(q, i);

		strbuf__addchars(&b->bytes, 'x', (size_t)(i * 7919 % 40000));
		parcel_queue__put(q, b, i % 5 == 0);
	}
	parcel_queue__close(q);
	return NULL;
}

static void parcels_arrive_in_order_within_the_room(void **state)
{
	struct parcel_queue *q = parcel_queue__new(ROOM);
	struct parcel *b;
	pthread_t thread;
	int nr = 0;

	(void)state;
	assert_int_equal(parcel_queue__fill(q), 0);
	assert_int_equal(pthread_create(&thread, NULL, producer, q), 0);
	while ((b = parcel_queue__take(q))) {
		assert_int_equal(b->kind, nr);
		assert_int_equal(b->bytes.len, nr * 7919 % 40000);
		assert_true(parcel_queue__fill(q) <= 64);
		parcel_queue__done(q, b);
		nr++;
	}
	pthread_join(thread, NULL);
	assert_int_equal(nr, NR_PARCELS);
	assert_int_equal(parcel_queue__fill(q), 0);
	parcel_queue__delete(q);
}

static void what_nobody_took_is_freed(void **state)
{
	struct parcel_queue *q = parcel_queue__new(ROOM);
	struct parcel *b = parcel__new(1);

	(void)state;
	strbuf__addchars(&b->bytes, 'x', 2 * ROOM); /* a single one may be larger than the room */
	parcel_queue__put(q, b, true);
	assert_true(parcel_queue__fill(q) >= 128);
	parcel_queue__delete(q);
	parcel_queue__delete(NULL);
}

/* A round of a busy machine is tens of parcels: each must come back with its memory (no page faults). */
static void memory_of_a_round_is_used_again(void **state)
{
	enum { NR = 60, SIZE = 100 << 10 };
	struct parcel_queue *q = parcel_queue__new(32 << 20);
	struct parcel *b[NR];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < NR; i++) {
			b[i] = parcel_queue__fresh(q, 0);
			assert_true(!round || b[i]->bytes.alloc >= SIZE);
			strbuf__addchars(&b[i]->bytes, 'x', SIZE);
		}
		for (int i = 0; i < NR; i++)
			parcel_queue__put(q, b[i], true);
		for (int i = 0; i < NR; i++)
			parcel_queue__done(q, parcel_queue__take(q));
	}
	parcel_queue__delete(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_stack_is_left_out),
		cmocka_unit_test(the_limit_of_records_is_no_load),
		cmocka_unit_test(what_load_took_is_seen),
		cmocka_unit_test(goes_up_at_once_and_down_slowly),
		cmocka_unit_test(what_gave_way_is_told),
		cmocka_unit_test(copies_are_as_large_as_stacks_and_rings),
		cmocka_unit_test(small_rings_get_copies_that_they_can_hold),
		cmocka_unit_test(parcels_arrive_in_order_within_the_room),
		cmocka_unit_test(what_nobody_took_is_freed),
		cmocka_unit_test(memory_of_a_round_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
