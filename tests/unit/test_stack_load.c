/* What is done to stack copies when there is too much to do: made smaller, counted, and large again later. */
#include "unit.h"

#include "base/system/parcel_queue.h"
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

static void goes_up_at_once_and_down_slowly(void **state)
{
	struct stack_load l = { 0 };

	(void)state;
	assert_int_equal(stack_load__see(&l, 32, 2, 1000), 0); /* as it is when a ring asks to be emptied */
	assert_int_equal(stack_load__see(&l, 50, 2, 1100), 1);
	assert_int_equal(stack_load__see(&l, 50, 2, 1200), 2);
	assert_int_equal(stack_load__see(&l, 64, 2, 1300), 2);
	assert_int_equal(stack_load__see(&l, 10, 2, 3200), 2);
	assert_int_equal(stack_load__see(&l, 10, 2, 3300), 1);
	assert_int_equal(stack_load__see(&l, 10, 2, 5299), 1);
	assert_int_equal(stack_load__see(&l, 10, 2, 5300), 0);
	/* It was too early: next time it takes longer. */
	assert_int_equal(stack_load__see(&l, 62, 2, 5400), 2);
	assert_int_equal(stack_load__see(&l, 10, 2, 7400), 2);
	assert_int_equal(stack_load__see(&l, 10, 2, 9400), 1);
	for (u64 ms = 13400; ms < 4000000; ms += 200000) {
		assert_int_equal(stack_load__see(&l, 10, 2, ms), 0);
		stack_load__see(&l, 50, 1, ms + 100);
	}
	assert_int_equal(l.patience_ms, 60000);
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
		cmocka_unit_test(parcels_arrive_in_order_within_the_room),
		cmocka_unit_test(what_nobody_took_is_freed),
		cmocka_unit_test(memory_of_a_round_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
