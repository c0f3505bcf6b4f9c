/* Samples: every field in its place, in both byte orders; cut anywhere; the right event. */
#include "unit.h"

#include "image.h"
#include "format/records/sample_field.h"
#include "format/records/sample_text.h"
#include "format/records/swap.h"

#include <errno.h>

#define ALL_FIELDS ((1ull << 24) - 1) /* all but WEIGHT_STRUCT */

static struct perf_event_attr full_attr(u64 read_format)
{
	struct perf_event_attr a = image__cpu_clock(ALL_FIELDS);

	a.read_format = read_format;
	a.branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS;
	a.sample_regs_user = 0x13;
	a.sample_regs_intr = 0x3;
	a.sample_stack_user = 16;
	a.sample_id_all = 1;
	a.precise_ip = 1;
	return a;
}

static void add_words(struct image *im, u64 first, int nr)
{
	for (int i = 0; i < nr; i++)
		image__u64(im, first + (u64)i);
}

static void add_read(struct image *im, u64 format)
{
	int times = !!(format & 1) + !!(format & 2),
	    rest = !!(format & PERF_FORMAT_ID) + !!(format & READ_FORMAT_LOST);

	if (format & PERF_FORMAT_GROUP) {
		image__u64(im, 2);
		add_words(im, 500, times);
		add_words(im, 600, 2 * (1 + rest));
	} else {
		image__u64(im, 600);
		add_words(im, 500, times);
		add_words(im, 700, rest);
	}
}

/* The flags of a branch: mispred, and 5 cycles, as bit fields of the machine's order. */
static u64 branch_flags(bool swap)
{
	return swap ? 1ull << 63 | 5ull << 44 : 1 | 5 << 4;
}

static void add_full_sample(struct image *im, u64 read_format)
{
	image__begin(im, PERF_RECORD_SAMPLE, 2);
	image__u64(im, 42);     /* IDENTIFIER */
	image__u64(im, 0x1234); /* IP */
	image__u32(im, 7);      /* TID */
	image__u32(im, 8);
	image__u64(im, 1000);   /* TIME */
	image__u64(im, 0xadd0); /* ADDR */
	image__u64(im, 42);     /* ID */
	image__u64(im, 43);     /* STREAM_ID */
	image__u32(im, 3);      /* CPU */
	image__u32(im, 0);
	image__u64(im, 250000); /* PERIOD */
	add_read(im, read_format);
	image__u64(im, 2); /* CALLCHAIN */
	add_words(im, 0x1234, 2);
	image__u32(im, 12); /* RAW */
	image__str(im, "raw", 12);
	image__u64(im, 1); /* BRANCH_STACK */
	image__u64(im, 9);
	add_words(im, 0x5000, 2);
	image__u64(im, branch_flags(im->swap));
	image__u64(im, 77);
	image__u64(im, 2); /* REGS_USER */
	add_words(im, 100, 3);
	image__u64(im, 16); /* STACK_USER */
	image__str(im, "stack", 16);
	image__u64(im, 8);
	add_words(im, 11, 1); /* WEIGHT */
	add_words(im, 12, 1); /* DATA_SRC */
	add_words(im, 13, 1); /* TRANSACTION */
	image__u64(im, 1);    /* REGS_INTR */
	add_words(im, 200, 2);
	add_words(im, 14, 4); /* PHYS_ADDR, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE */
	image__u64(im, 8);    /* AUX */
	image__str(im, "auxdata", 8);
	image__end(im);
}

static void check_read(const struct sample *s, u64 format)
{
	if (format & 1)
		assert_int_equal(s->read.time_enabled, 500);
	assert_int_equal(s->read.values[0], 600);
	if (format & PERF_FORMAT_GROUP) {
		assert_int_equal(s->read.nr, 2);
		assert_int_equal(s->read.stride,
				 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_FORMAT_LOST));
		assert_int_equal(s->read.values[2 * s->read.stride - 1], 600 + 2 * s->read.stride - 1);
		return;
	}
	assert_int_equal(s->read.nr, 1);
	if (format & PERF_FORMAT_ID)
		assert_int_equal(s->read.id, 700);
	if (format & READ_FORMAT_LOST)
		assert_int_equal(s->read.lost, format & PERF_FORMAT_ID ? 701 : 700);
}

static void check_head(const struct sample *s)
{
	assert_int_equal(s->cpumode, 2);
	assert_int_equal(s->ip, 0x1234);
	assert_int_equal(s->pid, 7);
	assert_int_equal(s->tid, 8);
	assert_int_equal(s->time, 1000);
	assert_int_equal(s->addr, 0xadd0);
	assert_int_equal(s->id, 42);
	assert_int_equal(s->stream_id, 43);
	assert_int_equal(s->cpu, 3);
	assert_int_equal(s->period, 250000);
	assert_int_equal(s->nr_callchain, 2);
	assert_int_equal(s->callchain[1], 0x1235);
}

static void check_tail(const struct sample *s)
{
	assert_int_equal(s->raw_size, 12);
	assert_string_equal(s->raw, "raw");
	assert_int_equal(s->nr_branches, 1);
	assert_int_equal(s->hw_idx, 9);
	assert_int_equal(s->branches[1], 0x5001);
	assert_int_equal(s->branches[2], branch_flags(false));
	assert_int_equal(s->branch_counters[0], 77);
	assert_int_equal(s->user_regs[2], 102);
	assert_int_equal(s->stack_size, 16);
	assert_int_equal(s->stack_dyn_size, 8);
	assert_string_equal(s->user_stack, "stack");
	assert_int_equal(s->weight, 11);
	assert_int_equal(s->data_src, 12);
	assert_int_equal(s->transaction, 13);
	assert_int_equal(s->intr_regs[1], 201);
	assert_int_equal(s->phys_addr, 14);
	assert_int_equal(s->code_page_size, 17);
	assert_int_equal(s->aux_size, 8);
	assert_string_equal(s->aux, "auxdata");
}

static void decodes_all_fields(void **state)
{
	(void)state;
	for (u64 format = 0; format < 64; format++) {
		bool swap = format & 32;
		struct perf_event_attr attr = full_attr(format & 31);
		struct sample_decoder d;
		struct evlist l;
		struct image im;
		struct sample s;
		struct record r;

		image__init(&im, swap);
		add_full_sample(&im, format & 31);
		evlist__init(&l);
		evlist__add(&l, &attr, sizeof(attr), "x");
		sample_decoder__init(&d, &l);
		if (swap)
			record__swap(&d, im.b.buf);
		r = (struct record){ .header = (void *)im.b.buf };
		assert_int_equal(sample__decode(&d, &r, &s), 0);
		check_head(&s);
		check_read(&s, format & 31);
		check_tail(&s);
		memset(&s, 0xee, sizeof(s));
		assert_int_equal(sample__decode_head(&d, &r, &s), 0);
		check_head(&s);
		sample_decoder__exit(&d);
		evlist__exit(&l);
		image__exit(&im);
	}
}

/* Cut to every size, and with every word replaced by a huge number: an answer, and no byte beyond the end. */
static void survives_damage(void **state)
{
	struct perf_event_attr attr = full_attr(31);
	struct sample_decoder d;
	struct evlist l;
	struct image im;
	struct sample s;

	(void)state;
	image__init(&im, false);
	add_full_sample(&im, 31);
	evlist__init(&l);
	evlist__add(&l, &attr, sizeof(attr), "x");
	sample_decoder__init(&d, &l);
	for (size_t size = 8; size <= im.b.len; size++) {
		struct perf_event_header *h = xmemdup(im.b.buf, size);
		struct record r = { .header = h };

		h->size = (u16)size;
		assert_int_equal(sample__decode(&d, &r, &s), size == im.b.len ? 0 : -EBADMSG);
		for (size_t at = 8; size == im.b.len && at + 8 <= size; at += 8) {
			u64 saved, huge = at & 8 ? UINT64_MAX : 0x2000000000000001;

			memcpy(&saved, (u8 *)h + at, 8);
			memcpy((u8 *)h + at, &huge, 8);
			if (!sample__decode(&d, &r, &s))
				image__touch_sample(&s);
			memcpy((u8 *)h + at, &saved, 8);
		}
		record__swap(&d, h); /* nonsense, but inside its bounds */
		free(h);
	}
	sample_decoder__exit(&d);
	evlist__exit(&l);
	image__exit(&im);
}

/* A sample of IDENTIFIER or ID at word n, and nothing else but zeroes. */
static struct record sample_with_id(u64 *words, size_t n, u64 id)
{
	struct perf_event_header *h = (void *)words;

	memset(words, 0, 80);
	*h = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = 80 };
	words[n] = id;
	return (struct record){ .header = h };
}

static void finds_the_event(void **state)
{
	static const u64 types[2] = { PERF_SAMPLE_IP | PERF_SAMPLE_ID,
				      PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ID };
	struct sample_decoder d;
	struct evlist l;
	u64 words[10];
	struct record r;
	struct sample s;

	(void)state;
	for (int mixed = 0; mixed < 2; mixed++) {
		struct perf_event_attr attr = image__cpu_clock(types[0]);

		evlist__init(&l);
		evlist__add_id(&l, evlist__add(&l, &attr, sizeof(attr), "a"), 100);
		attr.sample_type = types[mixed];
		evlist__add_id(&l, evlist__add(&l, &attr, sizeof(attr), "b"), 200);
		sample_decoder__init(&d, &l);
		r = sample_with_id(words, 2, 100);
		assert_int_equal(sample_decoder__evsel(&d, &r)->idx, 0);
		r = sample_with_id(words, mixed ? 3 : 2, 200);
		assert_int_equal(sample_decoder__evsel(&d, &r)->idx, 1);
		r = sample_with_id(words, 2, 0);
		assert_int_equal(sample_decoder__evsel(&d, &r)->idx, 0);
		r = sample_with_id(words, 2, 300);
		assert_null(sample_decoder__evsel(&d, &r));
		assert_int_equal(sample__decode(&d, &r, &s), -ENOENT);
		sample_decoder__exit(&d);
		evlist__exit(&l);
	}
}

static void uses_the_attrs_period(void **state)
{
	struct perf_event_attr attr = image__cpu_clock(PERF_SAMPLE_IP);
	struct sample_decoder d;
	struct evlist l;
	u64 words[10];
	struct record r;
	struct sample s;

	(void)state;
	evlist__init(&l);
	sample_decoder__init(&d, &l);
	r = sample_with_id(words, 1, 5);
	assert_int_equal(sample__decode_head(&d, &r, &s), -ENOENT); /* no events at all */
	sample_decoder__exit(&d);
	evlist__add(&l, &attr, sizeof(attr), "a");
	sample_decoder__init(&d, &l);
	assert_int_equal(sample__decode_head(&d, &r, &s), 0);
	assert_int_equal(s.period, 4000);
	assert_int_equal(s.cpu, UINT32_MAX);
	assert_int_equal(s.layout->time, SAMPLE_NO_FIELD);
	sample_decoder__exit(&d);
	evlist__exit(&l);
}

static void decodes_trailers(void **state)
{
	struct perf_event_attr attr = image__cpu_clock(ALL_FIELDS);
	struct sample_decoder d;
	struct sample_id id;
	struct evlist l;
	struct image im;
	struct record r;
	u64 time;

	(void)state;
	image__init(&im, false);
	evlist__init(&l);
	image__begin(&im, PERF_RECORD_COMM, 0);
	image__u64(&im, 0);
	image__str(&im, "abc", 8);
	image__u32(&im, 5);
	image__u32(&im, 6);
	add_words(&im, 1000, 3);
	image__u32(&im, 4);
	image__u32(&im, 0);
	image__u64(&im, 1001);
	image__end(&im);
	r = (struct record){ .header = (void *)im.b.buf };
	assert_false(sample_id__decode(&l, &r, &id)); /* no events */
	evlist__add(&l, &attr, sizeof(attr), "a");
	assert_false(sample_id__decode(&l, &r, &id)); /* no sample_id_all */
	l.evsels.v[0]->attr.sample_id_all = 1;
	assert_true(sample_id__decode(&l, &r, &id));
	assert_true(id.pid == 5 && id.tid == 6 && id.time == 1000 && id.time_known);
	assert_true(id.id == 1001 && id.stream_id == 1002 && id.cpu == 4);
	sample_decoder__init(&d, &l);
	assert_int_equal(sample_decoder__trailer(&d, &r, &time), 48);
	assert_int_equal(time, 1000);
	((struct perf_event_header *)(void *)im.b.buf)->size = 48;
	assert_false(sample_id__decode(&l, &r, &id));
	assert_int_equal(id.time, 0);
	assert_int_equal(sample_decoder__trailer(&d, &r, &time), 0);
	assert_int_equal(time, 0);
	sample_decoder__exit(&d);
	((struct perf_event_header *)(void *)im.b.buf)->type = RECORD_ID_INDEX;
	assert_false(sample_id__decode(&l, &r, &id));
	evlist__exit(&l);
	image__exit(&im);
}

/* Whose id a record carries decides where the time is in it. */
static void decodes_trailers_of_several_shapes(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_TIME | PERF_SAMPLE_ID),
			       b = image__cpu_clock(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID);
	struct sample_decoder d;
	struct evlist l;
	struct image im;
	struct record r;
	u64 time;

	(void)state;
	a.sample_id_all = b.sample_id_all = 1;
	evlist__init(&l);
	evlist__add_id(&l, evlist__add(&l, &a, sizeof(a), "a"), 7);
	sample_decoder__init(&d, &l);
	assert_true(d.same_trailers);
	sample_decoder__exit(&d);
	evlist__add_id(&l, evlist__add(&l, &b, sizeof(b), "b"), 8);
	sample_decoder__init(&d, &l);
	for (u64 id = 7; id <= 8; id++) {
		image__init(&im, false);
		image__begin(&im, PERF_RECORD_COMM, 0);
		add_words(&im, 100, 3);
		image__u64(&im, id);
		image__end(&im);
		r = (struct record){ .header = (void *)im.b.buf };
		assert_int_equal(sample_decoder__trailer(&d, &r, &time), id == 7 ? 16 : 24);
		assert_int_equal(time, 102);
		image__exit(&im);
	}
	sample_decoder__exit(&d);
	evlist__exit(&l);
}

/* As stock perf 6.1 prints them (perf script -F data_src). */
static void tells_where_data_was_found(void **state)
{
	static const struct {
		enum mem_part part;
		u64 data_src;
		const char *text;
	} cases[] = {
		{ MEM_LEVEL, 0, "N/A" },
		{ MEM_LEVEL, 0x40, "N/A hit" },
		{ MEM_LEVEL, 0x140, "L1 hit" },
		{ MEM_LEVEL, 0x40040, "Uncached hit" },
		{ MEM_LEVEL, 0x800000000, "L4" },
		{ MEM_LEVEL, 0x1c00000000, "PMEM" },
		{ MEM_LEVEL, 0x2600000080, "Remote L3 miss" },
		{ MEM_LEVEL, 0x102600000000, "Remote node, same socket L3" },
		{ MEM_LEVEL, 0x1a00002040, "Remote RAM (1 hop) or RAM hit" },
		{ MEM_SNOOP, 0, "N/A" },
		{ MEM_SNOOP, 0x800000, "HitM" },
		{ MEM_SNOOP, 0x4000000000, "Fwd" },
		{ MEM_SNOOP, 0x8000000000, "Peer" },
		{ MEM_TLB, 0x100000000, "Fault" },
		{ MEM_TLB, 0x68000000, "L1 or L2 hit" },
		{ MEM_TLB, 0x10000000, "N/A miss" },
		{ MEM_LOCK, 0x2000000, "Yes" },
		{ MEM_LOCK, 0x1000000, "N/A" },
		{ MEM_LOCK, 0, "No" },
		{ MEM_BLOCK, 0, " N/A" },
		{ MEM_BLOCK, 0x60000000000, " Data Addr" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		strbuf__reset(&sb);
		mem_part__print(cases[i].part, mem_part__value(cases[i].part, cases[i].data_src), &sb);
		assert_string_equal(sb.buf, cases[i].text);
	}
	strbuf__exit(&sb);
}

static void kinds_of_accesses(void **state)
{
	const struct {
		u64 data_src;
		const char *kinds[4]; /* as in stock perf 7.2 */
	} cases[] = {
		{ 0, { "Other", "Other", "Other", "Other" } },
		{ PERF_MEM_S(OP, NA) | PERF_MEM_S(TLB, NA), { "Other", "Other", "Other", "Other" } },
		{ PERF_MEM_S(OP, LOAD) | 1ull << 33 | PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1),
		  { "Load", "L1", "Other", "L1-Hit" } },
		{ PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) | 4ull << 33 | PERF_MEM_S(TLB, MISS),
		  { "Ld+St", "L4", "Other", "Miss" } },
		{ PERF_MEM_S(OP, STORE) | 12ull << 33 | PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1) |
			  PERF_MEM_S(TLB, L2),
		  { "Store", "L1-buf", "Other", "L?-Hit" } },
		{ PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, PFETCH) | PERF_MEM_S(OP, EXEC) | 5ull << 33 |
			  PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L2),
		  { "Pfetch", "L2-buf", "Other", "L2-Hit" } },
		{ PERF_MEM_S(OP, EXEC) | PERF_MEM_S(OP, STORE) | 13ull << 33 | PERF_MEM_S(TLB, HIT),
		  { "Exec", "Other", "RAM", "Other" } },
		{ 6ull << 33, { "Other", "Other", "MSC", "Other" } },
		{ 8ull << 33, { "Other", "Other", "Uncach", "Other" } },
		{ 9ull << 33, { "Other", "Other", "CXL", "Other" } },
		{ 10ull << 33, { "Other", "Other", "IO", "Other" } },
		{ 14ull << 33, { "Other", "Other", "PMEM", "Other" } },
		{ PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L3), { "Other", "Other", "Other", "Other" } },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (enum mem_kinds k = MEM_OP_KINDS; k <= MEM_DTLB_KINDS; k++) {
			strbuf__reset(&sb);
			mem_kinds__print(k, mem_kinds__value(k, cases[i].data_src), &sb);
			assert_string_equal(sb.buf, cases[i].kinds[k]);
		}
	}
	strbuf__exit(&sb);
}

static void each_field_has_a_complete_row(void **state)
{
	static const struct word_list names = WORD_LIST("field", sample_fields, WORDS_ANY_CASE);
	u64 types = 0;

	(void)state;
	for (size_t i = 0; i < SAMPLE_FIELDS; i++) {
		const struct sample_field *f = &sample_fields[i];

		assert_non_null(f->name);
		assert_true(f->in || i > FIELD_AUX);
		assert_int_equal(f->value == NULL, f->type == FIELD_LIST);
		assert_true(f->type != FIELD_TEXT || f->print);
		assert_int_equal(word_list__find(&names, f->name, strlen(f->name)), i);
		types |= f->in;
	}
	assert_int_equal(types, ALL_FIELDS | SAMPLE_WEIGHT_STRUCT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_field_has_a_complete_row),
		cmocka_unit_test(kinds_of_accesses),
		cmocka_unit_test(decodes_all_fields),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(finds_the_event),
		cmocka_unit_test(uses_the_attrs_period),
		cmocka_unit_test(decodes_trailers),
		cmocka_unit_test(decodes_trailers_of_several_shapes),
		cmocka_unit_test(tells_where_data_was_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
