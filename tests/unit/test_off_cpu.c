/*
 * --off-cpu: which switches are waits, how long these are, and which samples are made of them. The
 * records are those that the kernel writes for a switch (<linux/perf_event.h>): a SAMPLE and a SWITCH of the
 * thread that leaves, a SWITCH of the one that comes.
 */
#include "unit.h"

#include "format/records/build.h"
#include "record/stacks/off_cpu.h"
#include "record/stacks/wait_sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ID = 7, MS = 1000000 };

#define USER_IP 0x401000ull
#define KERNEL_IP 0xffffffff81000000ull
/* The fields after the stack: all that a sample of this recorder may have. */
#define WORDS_BEHIND                                                                              \
	(PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | \
	 SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE)
#define SAMPLE_TYPE                                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_WEIGHT)

static struct evlist list;
static struct sample_decoder decoder;
static struct lazy_record lazy;
static struct wait_sums *sums;
static struct off_cpu *off;
static struct strbuf out;

static void begin(u64 more, u64 threshold)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_type = SAMPLE_TYPE | more,
					.sample_regs_intr = 0x30b,
					.sample_id_all = 1 };

	evlist__init(&list);
	evlist__add_id(&list, evlist__add_request(&list, &attr, "offcpu-time"), ID);
	attr.config = 1;
	evlist__add_id(&list, evlist__add_request(&list, &attr, "another"), ID + 1);
	sample_decoder__init(&decoder, &list);
	lazy_record__init(&lazy, &decoder);
	strbuf__init(&out);
	sums = wait_sums__new(list.evsels.v[0], &decoder, threshold);
	off = off_cpu__new(
		&(struct off_cpu_opts){ .waits = list.evsels.v[0], .d = &decoder, .threshold = threshold });
}

static void end(void)
{
	wait_sums__delete(sums);
	off_cpu__delete(off);
	sample_decoder__exit(&decoder);
	evlist__exit(&list);
	strbuf__exit(&out);
}

/* Return a sample with this chain, which ends with 0; its words behind the weight are 0x600, 0x601... */
static struct perf_event_header *new_sample(u64 id, u32 tid, u64 time, const u64 *chain)
{
	struct strbuf sb = STRBUF_INIT;
	u64 type = list.evsels.v[0]->attr.sample_type, nr = 0;
	const u64 head[] = { id, chain[1], (u64)tid << 32 | (tid + 100), time, 1 /* PERIOD */ };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER };
	int behind = __builtin_popcountll(type & WORDS_BEHIND);

	while (chain[nr])
		nr++;
	strbuf__add(&sb, &h, sizeof(h));
	strbuf__add(&sb, head, sizeof(head));
	strbuf__add(&sb, &nr, 8);
	strbuf__add(&sb, chain, nr * 8);
	if (type & PERF_SAMPLE_STACK_USER)
		strbuf__add(&sb, (u64[]){ 8, 0x1111, 8 }, 24);
	strbuf__add(&sb, (u64[]){ 0xeee }, 8); /* WEIGHT */
	for (int i = 0; i < behind; i++) {
		if (type & PERF_SAMPLE_REGS_INTR &&
		    i == __builtin_popcountll(type & (PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION)))
			strbuf__add(&sb, (u64[]){ 2, 0x700, 0x701, 0x702, 0x703, 0x704 }, 48);
		strbuf__add(&sb, (u64[]){ 0x600 + (u64)i }, 8);
	}
	((struct perf_event_header *)(void *)sb.buf)->size = (u16)sb.len;
	return (void *)strbuf__detach(&sb);
}

/* Compare the samples in out, a line for each, with text; empty out. */
static void expect(const char *text)
{
	struct strbuf got = STRBUF_INIT;

	for (size_t at = 0; at < out.len;) {
		struct record r = { .header = (void *)(out.buf + at) };
		struct sample s;

		assert_int_equal(sample__decode(&decoder, &r, &s), 0);
		assert_int_equal(r.header->type, PERF_RECORD_SAMPLE);
		assert_int_equal(s.evsel->idx, 0);
		strbuf__addf(&got, "%u/%u %llu ns x%llu until %llu:", s.pid, s.tid,
			     (unsigned long long)s.period, (unsigned long long)s.weight,
			     (unsigned long long)s.time);
		for (u64 i = 0; i < s.nr_callchain; i++)
			strbuf__addf(&got,
				     s.callchain[i] == PERF_CONTEXT_USER     ? " user"
				     : s.callchain[i] == PERF_CONTEXT_KERNEL ? " kernel"
									     : " %llx",
				     (unsigned long long)s.callchain[i]);
		strbuf__addch(&got, '\n');
		at += r.header->size;
	}
	assert_string_equal(got.buf ? got.buf : "", text);
	strbuf__exit(&got);
	strbuf__reset(&out);
}

#define CHAIN(...)             \
	(const u64[])          \
	{                      \
		__VA_ARGS__, 0 \
	}
#define USER_CHAIN(...) CHAIN(PERF_CONTEXT_USER, __VA_ARGS__)

static void add(u32 tid, u64 ip, u64 ns, u64 until, const u64 *chain)
{
	const struct wait w = { .place = { .ip = ip, .sp = 0x7000, .tid = tid },
				.pid = tid + 100,
				.end = until,
				.ns = ns,
				.sample = chain ? new_sample(ID, tid, until - ns, chain) : NULL };

	wait_sums__add(sums, &w, &out);
}

/* ---- samples of waits ---- */

static void long_waits_are_samples_of_their_own(void **state)
{
	(void)state;
	begin(0, 100);
	add(1, 0x10, 100, 1000, USER_CHAIN(0x10, 0x20));
	expect("101/1 100 ns x1 until 1000: user 10 20\n");
	add(1, 0x10, 250, 2000, NULL); /* the newest chain of the place */
	expect("101/1 250 ns x1 until 2000: user 10 20\n");
	add(1, 0x10, 99, 3000, NULL);
	expect("");
	add(1, 0x10, 1, 3500, NULL);
	add(2, 0x10, 3, 3400, USER_CHAIN(0x10, 0x30));
	wait_sums__flush(sums, 4000, false, &out);
	/* in the order of their last waits */
	expect("102/2 3 ns x1 until 3400: user 10 30\n101/1 100 ns x2 until 3500: user 10 20\n");
	wait_sums__flush(sums, 5000, false, &out);
	expect("");
	add(1, 0x10, 7, 6000, NULL); /* a sum begins again with its first wait */
	wait_sums__flush(sums, 6000, false, &out);
	expect("101/1 7 ns x1 until 6000: user 10 20\n");
	end();
}

static void places_are_thread_instruction_and_stack(void **state)
{
	const struct wait_place known = { .ip = 0x10, .sp = 0x7000, .tid = 1 };
	struct wait_place other;

	(void)state;
	begin(0, 100);
	assert_false(wait_sums__knows(sums, &known));
	add(1, 0x10, 5, 1000, NULL);
	assert_false(wait_sums__knows(sums, &known)); /* there is no chain of it */
	add(1, 0x10, 5, 1000, USER_CHAIN(0x10));
	assert_true(wait_sums__knows(sums, &known));
	for (int i = 0; i < 3; i++) {
		other = known;
		other.ip += i == 0;
		other.sp += i == 1;
		other.tid += i == 2;
		assert_false(wait_sums__knows(sums, &other));
	}
	add(2, 0x10, 500, 2000, USER_CHAIN(0x10));
	other = known;
	other.tid = 2;
	assert_true(wait_sums__knows(sums, &other)); /* of a long wait only */
	strbuf__reset(&out);
	wait_sums__flush(sums, 3000, true, &out);
	expect("101/1 10 ns x2 until 1000: user 10\n");
	assert_false(wait_sums__knows(sums, &known)); /* forgotten */
	add(1, 0x10, 5, 4000, NULL);
	wait_sums__flush(sums, 4000, true, &out);
	expect("101/1 5 ns x1 until 4000: user 10\n"); /* the place is all that is known */
	end();
}

/* Half a second for a chain of the place; then the chain is the place alone. */
static void sums_wait_for_a_chain(void **state)
{
	(void)state;
	begin(0, MS);
	add(1, USER_IP, 10, 1000, NULL);
	add(2, USER_IP, 20, 2000, NULL);
	add(3, KERNEL_IP, 40, 3000, NULL);
	wait_sums__flush(sums, 1000 + 499ull * MS, false, &out);
	expect("");
	add(2, USER_IP, 30, 500ull * MS, USER_CHAIN(USER_IP, 0x20));
	wait_sums__flush(sums, 1000 + 500ull * MS, false, &out);
	/* without one, a sum is moved on, as records must not be old */
	expect("101/1 10 ns x1 until 499001000: user 401000\n"
	       "102/2 50 ns x2 until 500000000: user 401000 20\n");
	wait_sums__flush(sums, 3000 + 500ull * MS, false, &out);
	expect("103/3 40 ns x1 until 500001000: kernel ffffffff81000000\n");
	add(1, USER_IP, MS, 600ull * MS, NULL);
	expect("101/1 1000000 ns x1 until 600000000: user 401000\n"); /* a long one does not wait */
	add(1, USER_IP, 0, 700ull * MS, NULL);
	wait_sums__flush(sums, 700ull * MS, true, &out);
	expect(""); /* nothing to tell of no time */
	end();
}

static void sums_are_separate_for_different_chains(void **state)
{
	(void)state;
	begin(0, 100);
	add(1, 0x10, 1, 1000, USER_CHAIN(0x10, 0x20));
	add(1, 0x10, 2, 2000, NULL);
	expect("");
	add(1, 0x10, 4, 3000, USER_CHAIN(0x10, 0x30));
	expect("101/1 3 ns x2 until 2000: user 10 20\n");
	add(1, 0x10, 8, 4000, USER_CHAIN(0x10, 0x30));
	expect("");
	/* short waits have one chain, long ones another: each is given to its kind only */
	add(1, 0x10, 100, 5000, NULL);
	expect("101/1 100 ns x1 until 5000: user 10\n");
	add(1, 0x10, 200, 6000, USER_CHAIN(0x10, 0x40));
	expect("101/1 200 ns x1 until 6000: user 10 40\n");
	add(1, 0x10, 300, 7000, NULL);
	expect("101/1 300 ns x1 until 7000: user 10 40\n");
	add(1, 0x10, 400, 7500, USER_CHAIN(0x10, 0x50));
	expect("101/1 400 ns x1 until 7500: user 10 50\n");
	wait_sums__flush(sums, 8000, false, &out);
	expect("101/1 12 ns x2 until 4000: user 10 30\n");
	end();
}

/*
 * At a place with several chains, a wait without a sample gets the newest chain of one of about its length.
 * How many there are of either does not matter.
 */
static void lengths_of_waits_tell_whose_they_are(void **state)
{
	struct borrowed_waits b;

	(void)state;
	begin(0, 1000000);
	add(1, 0x10, 5000, 1000000, USER_CHAIN(0x10, 0x20));
	add(1, 0x10, 5000, 2000000, NULL);
	add(1, 0x10, 200000, 3000000, USER_CHAIN(0x10, 0x30));
	expect("101/1 10000 ns x2 until 2000000: user 10 20\n");
	/* of a length without a sample yet: the nearest length's */
	add(1, 0x10, 5001, 4000000, NULL);
	wait_sums__flush(sums, 4500000, false, &out);
	expect("101/1 200000 ns x1 until 3000000: user 10 30\n101/1 5001 ns x1 until 4000000: user 10 30\n");
	add(1, 0x10, 5000, 5000000, USER_CHAIN(0x10, 0x20));
	add(1, 0x10, 200001, 6000000, NULL);
	add(1, 0x10, 5002, 7000000, NULL);
	add(1, 0x10, 4, 8000000, NULL);
	add(1, 0x10, 900000, 9000000, NULL);
	wait_sums__flush(sums, 9500000, false, &out);
	expect("101/1 200001 ns x1 until 6000000: user 10 30\n101/1 10002 ns x2 until 7000000: user 10 20\n"
	       "101/1 4 ns x1 until 8000000: user 10 20\n101/1 900000 ns x1 until 9000000: user 10 30\n");
	/* another chain of this length closes the sum of this length only */
	add(1, 0x10, 5003, 10000000, NULL);
	add(1, 0x10, 200002, 11000000, NULL);
	add(1, 0x10, 5000, 12000000, USER_CHAIN(0x10, 0x40));
	expect("101/1 5003 ns x1 until 10000000: user 10 20\n");
	wait_sums__flush(sums, 13000000, false, &out);
	expect("101/1 200002 ns x1 until 11000000: user 10 30\n101/1 5000 ns x1 until 12000000: user 10 "
	       "40\n");
	/* long waits, too, borrow of long ones of about their length */
	add(1, 0x10, 1000000, 14000000, USER_CHAIN(0x10, 0x50));
	add(1, 0x10, 90000000, 15000000, USER_CHAIN(0x10, 0x60));
	add(1, 0x10, 1000001, 16000000, NULL);
	expect("101/1 1000000 ns x1 until 14000000: user 10 50\n"
	       "101/1 90000000 ns x1 until 15000000: user 10 60\n"
	       "101/1 1000001 ns x1 until 16000000: user 10 50\n");
	/* also the wait of before the second chain was known */
	b = wait_sums__take_borrowed(sums);
	assert_int_equal(b.ns, 5000 + 5001 + 200001 + 5002 + 4 + 900000 + 5003 + 200002 + 1000001);
	assert_int_equal(b.all_ns, b.ns + 4 * 5000 - 5000 + 200000 + 1000000 + 90000000);
	b = wait_sums__take_borrowed(sums);
	assert_int_equal(b.ns + b.all_ns, 0);
	end();
}

/* A place with one chain lends it to all its waits: they are not counted as borrowed. */
static void one_chain_is_certain(void **state)
{
	struct borrowed_waits b;

	(void)state;
	begin(0, 1000000);
	add(1, 0x10, 5000, 1000000, USER_CHAIN(0x10, 0x20));
	add(1, 0x10, 200000, 2000000, NULL);
	add(1, 0x10, 6000, 3000000, USER_CHAIN(0x10, 0x20));
	add(2, 0x10, 7000, 4000000, USER_CHAIN(0x10, 0x30));
	wait_sums__flush(sums, 4500000, false, &out);
	expect("101/1 211000 ns x3 until 3000000: user 10 20\n102/2 7000 ns x1 until 4000000: user 10 30\n");
	b = wait_sums__take_borrowed(sums);
	assert_int_equal(b.ns, 0);
	assert_int_equal(b.all_ns, 218000);
	end();
}

/* The user's part decides, as the kernel may have left out its own; the longer sample stays. */
static void longest_of_equal_chains_stays(void **state)
{
	static const u64 full[] = { PERF_CONTEXT_KERNEL, 0x99, PERF_CONTEXT_USER, 0x10, 0x20, 0 };

	(void)state;
	begin(0, 100);
	add(1, 0x10, 1, 1000, USER_CHAIN(0x10, 0x20));
	add(1, 0x10, 2, 2000, full);
	add(1, 0x10, 4, 3000, USER_CHAIN(0x10, 0x20));
	wait_sums__flush(sums, 4000, false, &out);
	expect("101/1 7 ns x3 until 3000: kernel 99 user 10 20\n");
	/* a long wait's does not replace it, and has its own */
	add(1, 0x10, 100, 5000, USER_CHAIN(0x10, 0x20));
	expect("101/1 100 ns x1 until 5000: user 10 20\n");
	add(1, 0x10, 1, 6000, NULL);
	wait_sums__flush(sums, 7000, false, &out);
	expect("101/1 1 ns x1 until 6000: kernel 99 user 10 20\n");
	/* a chain of another length */
	add(1, 0x10, 1, 8000, USER_CHAIN(0x10));
	expect("");
	add(1, 0x10, 1, 9000, USER_CHAIN(0x10, 0x20));
	expect("101/1 1 ns x1 until 8000: user 10\n");
	end();
}

static void chains_of_kernel_threads_are_compared_whole(void **state)
{
	(void)state;
	begin(0, 100);
	add(1, KERNEL_IP, 1, 1000, CHAIN(PERF_CONTEXT_KERNEL, 0x99, 0x98));
	add(1, KERNEL_IP, 2, 2000, CHAIN(PERF_CONTEXT_KERNEL, 0x99, 0x98));
	expect("");
	add(1, KERNEL_IP, 4, 3000, CHAIN(PERF_CONTEXT_KERNEL, 0x99, 0x97));
	expect("101/1 3 ns x2 until 2000: kernel 99 98\n");
	add(1, KERNEL_IP, 8, 4000, USER_CHAIN(0x99, 0x97));
	expect("101/1 4 ns x1 until 3000: kernel 99 97\n");
	end();
}

/* The stack of --call-graph dwarf may be any: each sample is of its own stack. */
static void stack_copies_differ(void **state)
{
	(void)state;
	begin(PERF_SAMPLE_STACK_USER, 100);
	add(1, 0x10, 1, 1000, USER_CHAIN(0x10));
	add(1, 0x10, 2, 2000, USER_CHAIN(0x10));
	expect("101/1 1 ns x1 until 1000: user 10\n");
	wait_sums__flush(sums, 3000, true, &out);
	expect("101/1 2 ns x1 until 2000: user 10\n");
	end();
}

/* The period and the weight of a sample are replaced; what is behind them stays. */
static void fields_behind_the_weight_stay(void **state)
{
	static const u64 sets[] = { 0, PERF_SAMPLE_DATA_SRC, SAMPLE_CGROUP | PERF_SAMPLE_TRANSACTION,
				    WORDS_BEHIND, WORDS_BEHIND | PERF_SAMPLE_REGS_INTR };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		struct perf_event_header *given;
		struct sample s;
		size_t given_size;

		begin(sets[i], 100);
		add(1, USER_IP, 500, 1000, USER_CHAIN(USER_IP));
		given = new_sample(ID, 1, 1000, USER_CHAIN(USER_IP));
		assert_int_equal(sample__decode(&decoder, &(struct record){ .header = given }, &s), 0);
		memcpy((u8 *)given + decoder.layouts[0].period, &(u64){ 500 }, 8);
		for (u64 *word = (u64 *)(void *)given; word < (u64 *)(void *)given + given->size / 8; word++)
			*word = *word == 0xeee ? 1 : *word;
		assert_int_equal(out.len, given->size);
		assert_memory_equal(out.buf, given, given->size);
		given_size = given->size;
		free(given);
		/* one that is made has zeroes there */
		strbuf__reset(&out);
		add(2, USER_IP, 700, 2000, NULL);
		assert_int_equal(sample__decode(&decoder, &(struct record){ .header = (void *)out.buf }, &s),
				 0);
		assert_int_equal(s.weight, 1);
		assert_int_equal(s.data_src | s.transaction | s.phys_addr | s.cgroup | s.code_page_size, 0);
		assert_int_equal(out.len, given_size - (sets[i] & PERF_SAMPLE_REGS_INTR ? 40 : 0));
		end();
	}
}

/* A sample that is made has its place, and zeroes for all that is after the chain. */
static void made_samples_have_all_fields(void **state)
{
	static const u64 sets[] = { PERF_SAMPLE_ID, PERF_SAMPLE_RAW, PERF_SAMPLE_BRANCH_STACK,
				    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
				    PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					    PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
					    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |
					    PERF_SAMPLE_REGS_INTR | WORDS_BEHIND };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sets); i++) {
		static const u64 ips[] = { USER_IP, KERNEL_IP };
		struct sample s;

		begin(sets[i / 2], 100);
		list.evsels.v[0]->attr.branch_sample_type = i & 1 ? BRANCH_HW_INDEX : 0;
		add(2, ips[i & 1], 700, 2000, NULL);
		assert_int_equal(sample__decode(&decoder, &(struct record){ .header = (void *)out.buf }, &s),
				 0);
		assert_int_equal(((struct perf_event_header *)(void *)out.buf)->size, out.len);
		assert_int_equal(s.cpumode, i & 1 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
		assert_int_equal(s.ip, ips[i & 1]);
		assert_int_equal(s.id, ID);
		assert_int_equal(s.pid, 102);
		assert_int_equal(s.tid, 2);
		assert_int_equal(s.period, 700);
		assert_int_equal(s.weight, 1);
		assert_int_equal(s.raw_size | s.nr_branches | s.user_regs_abi | s.stack_size, 0);
		expect(i & 1 ? "102/2 700 ns x1 until 2000: kernel ffffffff81000000\n"
			     : "102/2 700 ns x1 until 2000: user 401000\n");
		end();
	}
}

/* ---- what is a wait ---- */

static void take(struct perf_event_header *h, bool goes_on)
{
	lazy_record__set(&lazy, h);
	assert_int_equal(off_cpu__take(off, &lazy), !goes_on);
	free(h);
}

static void switch_record(u32 type, u16 misc, u64 id, u32 tid, u64 time, bool goes_on)
{
	const u64 body[] = { (u64)tid << 32 | (tid + 100), time, id };
	struct strbuf sb = STRBUF_INIT;
	struct perf_event_header h = { .type = type, .misc = misc, .size = sizeof(h) + sizeof(body) };

	h.size += type == PERF_RECORD_EXIT ? 24 : 0;
	strbuf__add(&sb, &h, sizeof(h));
	if (type == PERF_RECORD_EXIT)
		strbuf__addchars(&sb, '\0', 24);
	strbuf__add(&sb, body, sizeof(body));
	take((void *)strbuf__detach(&sb), goes_on);
}

/* Feed "STEP TID TIME, ...": sample, out, preempted, in, exit, round; "other" for those of another event. */
static void feed(const char *steps)
{
	char step[16];
	unsigned tid, time;
	int n;

	for (; sscanf(steps, " %15[a-z-] %u %u%n", step, &tid, &time, &n) == 3;
	     steps += n, steps += *steps == ',') {
		if (!strcmp(step, "sample"))
			take(new_sample(ID, tid, time, USER_CHAIN(0x10 * tid)), false);
		else if (!strcmp(step, "other-sample"))
			take(new_sample(ID + 1, tid, time, USER_CHAIN(0x10 * tid)), true);
		else if (!strcmp(step, "out"))
			switch_record(PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT, ID, tid, time, false);
		else if (!strcmp(step, "preempted"))
			switch_record(PERF_RECORD_SWITCH,
				      PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, ID,
				      tid, time, false);
		else if (!strcmp(step, "in"))
			switch_record(PERF_RECORD_SWITCH, 0, ID, tid, time, false);
		else if (!strcmp(step, "other-in"))
			switch_record(PERF_RECORD_SWITCH, 0, ID + 1, tid, time, true);
		else if (!strcmp(step, "exit"))
			switch_record(PERF_RECORD_EXIT, 0, ID, tid, time, true);
		else if (!strcmp(step, "round"))
			off_cpu__flush(off, 0, &out);
		else
			fail_msg("unknown step %s", step);
	}
	assert_string_equal(steps, "");
}

static const struct {
	const char *steps, *waits;
} scripts[] = {
	/* A wait begins with the record of the switch, not with the sample of it. */
	{ "sample 1 100, out 1 110, in 1 510", "101/1 400 ns x1 until 510: user 10\n" },
	{ "sample 1 100, in 1 510", "101/1 410 ns x1 until 510: user 10\n" },
	{ "sample 1 100, in 1 100", "" }, /* in no time */
	/* the record of another thread is of another switch */
	{ "sample 1 100, out 2 110, in 1 510", "101/1 410 ns x1 until 510: user 10\n" },
	{ "sample 1 100, in 1 200, out 1 300, in 1 510", "101/1 100 ns x1 until 200: user 10\n" },
	/* A preempted thread does not wait. */
	{ "sample 1 100, preempted 1 110, in 1 510", "" },
	{ "preempted 1 110, in 1 510", "" },
	/* the record of its return is lost */
	{ "preempted 1 110, sample 1 300, in 1 510", "101/1 210 ns x1 until 510: user 10\n" },
	{ "sample 1 100, out 1 110, round 0 0, preempted 1 200, in 1 510", "" },
	{ "sample 1 100, out 1 110, round 0 0, round 0 0, preempted 1 200, in 1 510", "" },
	{ "in 1 510", "" },
	{ "in 1 50, sample 1 100, out 1 110, in 1 510, in 1 700", "101/1 400 ns x1 until 510: user 10\n" },
	/* Without the record of its return, the wait is unknown. */
	{ "sample 1 100, sample 1 300, in 1 510", "101/1 210 ns x1 until 510: user 10\n" },
	/* The end: who still waits does so until then. */
	{ "sample 1 100, out 1 110", "101/1 890 ns x1 until 1000: user 10\n" },
	{ "sample 1 100, out 1 110, in 2 1400", "101/1 1290 ns x1 until 1400: user 10\n" },
	{ "exit 1 90, sample 1 100, out 1 110", "" },
	{ "exit 1 90, in 1 95, sample 1 100, out 1 110",
	  "101/1 890 ns x1 until 1000: user 10\n" }, /* its tid is another's */
	/* the end of a thread is not that of its wait */
	{ "sample 1 100, out 1 110, exit 1 200, in 1 510", "101/1 400 ns x1 until 510: user 10\n" },
	{ "exit 2 90, sample 1 100, out 1 110", "101/1 890 ns x1 until 1000: user 10\n" },
	/* Rings are read one after another: their records come in any order. */
	{ "in 1 510, sample 1 100", "101/1 410 ns x1 until 510: user 10\n" },
	{ "in 1 510, in 2 300, sample 2 200, sample 1 100",
	  "102/2 100 ns x1 until 300: user 20\n101/1 410 ns x1 until 510: user 10\n" },
	/* records of the same time in the order in which they came */
	{ "sample 1 100, in 1 500, sample 1 500, in 1 700",
	  "101/1 400 ns x1 until 500: user 10\n101/1 200 ns x1 until 700: user 10\n" },
	/* over several rounds */
	{ "sample 1 100, round 0 0, in 1 510, sample 2 105, round 0 0, in 2 205, round 0 0",
	  "102/2 100 ns x1 until 205: user 20\n101/1 410 ns x1 until 510: user 10\n" },
	/* the idle thread; other events */
	{ "sample 0 100, out 0 110, in 0 510", "" },
	{ "other-sample 1 100, in 1 510", "" },
	{ "sample 1 100, other-in 1 200, in 1 510", "101/1 410 ns x1 until 510: user 10\n" },
};

static void waits_are_from_leaving_to_running(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
		begin(0, 1);
		feed(scripts[i].steps);
		off_cpu__finish(off, 1000, &out);
		if (!out.len != !*scripts[i].waits)
			print_message("%s\n", scripts[i].steps);
		expect(scripts[i].waits);
		end();
	}
}

/* Short waits are added up until the end; a recorder that fails does not come to the end. */
static void sums_are_written_at_the_end(void **state)
{
	(void)state;
	begin(0, 10000);
	feed("sample 1 100, in 1 510, sample 1 600, in 1 700");
	off_cpu__finish(off, 1000, &out);
	expect("101/1 510 ns x2 until 700: user 10\n");
	feed("sample 1 1100, preempted 1 1110, sample 2 1120");
	end();
	off_cpu__delete(NULL);
}

/* The time of a switch counts, if its record is the newest of all. */
static void waits_last_until_the_newest_switch(void **state)
{
	(void)state;
	begin(0, 1);
	feed("sample 2 50, sample 1 100, out 1 110");
	off_cpu__finish(off, 0, &out);
	expect("102/2 60 ns x1 until 110: user 20\n");
	end();
}

static void each_round_writes_its_sums(void **state)
{
	(void)state;
	begin(0, 10000);
	feed("sample 1 100, in 1 510, round 0 0, round 0 0");
	expect("101/1 410 ns x1 until 510: user 10\n");
	feed("sample 1 600, in 1 601, round 0 0");
	expect("");
	feed("round 0 0");
	expect("101/1 1 ns x1 until 601: user 10\n");
	end();
}

/* What a round uses: records up to the newest time of the round before. */
static void a_round_uses_what_is_certain(void **state)
{
	(void)state;
	begin(0, 1);
	assert_true(off_cpu__samples(off, 0));
	assert_false(off_cpu__samples(off, 1));
	feed("sample 1 100, in 1 510, sample 1 520, in 1 600");
	off_cpu__flush(off, 0, &out);
	expect("");
	feed("sample 2 400, in 2 601, in 3 700");
	off_cpu__flush(off, 0, &out);
	expect("101/1 410 ns x1 until 510: user 10\n101/1 80 ns x1 until 600: user 10\n");
	off_cpu__flush(off, 0, &out);
	expect("102/2 201 ns x1 until 601: user 20\n");
	off_cpu__finish(off, 1000, &out);
	expect("");
	end();
}

/* A record that ends before its id. */
static void cut_records_are_no_steps(void **state)
{
	struct perf_event_header h = { .type = PERF_RECORD_EXIT, .size = 8 };

	(void)state;
	begin(0, 1);
	lazy_record__set(&lazy, &h);
	assert_false(off_cpu__take(off, &lazy));
	h.type = PERF_RECORD_SWITCH;
	assert_true(off_cpu__take(off, &lazy));
	h.type = PERF_RECORD_SAMPLE;
	assert_false(off_cpu__take(off, &lazy));
	off_cpu__finish(off, 1000, &out);
	expect("");
	end();
}

/* ---- known places, by the registers that the kernel adds to the chain ---- */

#ifdef __x86_64__
enum { REG_FP = 6, REG_SP = 7, REG_IP = 8 };
#else
enum { REG_FP = 29, REG_SP = 31, REG_IP = 32 };
#endif

struct switched {
	u32 tid;
	u64 time, abi, ip, sp;
};

/* Offer a switch as the kernel samples it; return whether it was taken without unwinding its stack. */
static bool take_known(u64 id, const struct switched *s, u16 cut)
{
	struct perf_event_header *h = new_sample(id, s->tid, s->time, CHAIN(PERF_CONTEXT_KERNEL, KERNEL_IP));
	const u64 regs[] = { s->abi, 0xf9, s->sp, s->ip };
	u16 before = h->size - 8; /* without the weight */
	struct strbuf sb = STRBUF_INIT;
	bool taken;

	strbuf__add(&sb, h, before);
	strbuf__add(&sb, regs, sizeof(regs));
	free(h);
	h = (void *)strbuf__detach(&sb);
	h->size = (u16)(before + sizeof(regs) - cut);
	lazy_record__set(&lazy, h);
	taken = off_cpu__take_known(off, &lazy);
	free(h);
	return taken;
}

/* The switch of a stack that was unwound, and its end 1000 ns later. */
static void unwound(const struct switched *s)
{
	assert_false(take_known(ID, s, 0));
	take(new_sample(ID, s->tid, s->time, USER_CHAIN(0x10, 0x20)), false);
	switch_record(PERF_RECORD_SWITCH, 0, ID, s->tid, s->time + 1000, false);
	off_cpu__flush(off, 0, &out);
	off_cpu__flush(off, 0, &out);
}

static struct evlist kernel;

static void begin_kernel(u64 threshold)
{
	struct perf_event_attr attr;
	struct evsel *e;

	begin(0, threshold);
	off_cpu__delete(off);
	attr = list.evsels.v[0]->attr;
	attr.sample_regs_user = 1ull << REG_FP | 1ull << REG_SP | 1ull << REG_IP;
	attr.sample_type |= PERF_SAMPLE_REGS_USER;
	attr.sample_type &= ~(u64)PERF_SAMPLE_WEIGHT; /* the samples of take_known */
	evlist__exit(&kernel);
	evlist__init(&kernel);
	e = evlist__add(&kernel, &attr, sizeof(attr), NULL);
	evlist__add_id(&kernel, e, ID);
	off = off_cpu__new(&(struct off_cpu_opts){
		.waits = list.evsels.v[0], .d = &decoder, .kernel = &kernel, .threshold = threshold });
}

static void known_places_are_not_unwound_again(void **state)
{
	const struct switched first = { 1, 1000, 2, 0x401000, 0x7000 };
	const struct switched other[] = { { 2, 3000, 2, 0x401000, 0x7000 },
					  { 1, 3000, 2, 0x401001, 0x7000 },
					  { 1, 3000, 2, 0x401000, 0x7008 },
					  { 1, 3000, 0, 0x401000, 0x7000 } };

	(void)state;
	begin_kernel(1);
	unwound(&first);
	expect("101/1 1000 ns x1 until 2000: user 10 20\n");
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_false(take_known(ID, &other[i], 0));
	assert_false(take_known(ID, &(struct switched){ 1, 3000, 2, 0x401000, 0x7000 },
				8)); /* the ip is cut off */
	assert_false(take_known(ID + 1, &(struct switched){ 1, 3000, 2, 0x401000, 0x7000 },
				0));             /* another event */
	assert_true(take_known(ID, &first, 72)); /* ends before its time: of no use */
	assert_true(take_known(ID, &(struct switched){ 1, 3000, 2, 0x401000, 0x7000 }, 0));
	feed("out 1 3010, in 1 3510");
	off_cpu__finish(off, 4000, &out);
	expect("101/1 500 ns x1 until 3510: user 10 20\n");
	end();
}

/* A long wait at a place whose short waits have several chains: its sample is made of the switch. */
static void a_known_place_with_several_chains(void **state)
{
	(void)state;
	begin_kernel(1001);
	unwound(&(struct switched){ 1, 1000, 2, 0x401000, 0x7000 });
	take(new_sample(ID, 1, 3000, USER_CHAIN(0x10, 0x30)), false);
	feed("in 1 3100, round 0 0, round 0 0");
	expect("101/1 1000 ns x1 until 2000: user 10 20\n101/1 100 ns x1 until 3100: user 10 30\n");
	assert_true(take_known(ID, &(struct switched){ 1, 4000, 2, 0x401000, 0x7000 }, 0));
	feed("in 1 6000");
	off_cpu__finish(off, 6000, &out);
	expect("101/1 2000 ns x1 until 6000: user 401000\n");
	end();
}

/* A kernel thread has no registers: the kernel's ip is the place. */
static void places_of_kernel_threads(void **state)
{
	(void)state;
	begin_kernel(1);
	unwound(&(struct switched){ .tid = 1, .time = 1000 });
	strbuf__reset(&out);
	assert_true(take_known(ID, &(struct switched){ .tid = 1, .time = 3000, .ip = 5, .sp = 6 }, 0));
	assert_false(take_known(ID, &(struct switched){ .tid = 1, .time = 3000, .abi = 2, .ip = 5 }, 8));
	assert_false(take_known(ID, &(struct switched){ .tid = 1, .time = 3000, .abi = 2, .ip = 5 }, 0));
	assert_true(
		take_known(ID, &(struct switched){ .tid = 1, .time = 3000, .abi = 2, .ip = KERNEL_IP }, 0));
	/* ends within its chain: whatever reads the sample next says so */
	assert_false(take_known(ID, &(struct switched){ .tid = 1, .time = 3000 }, 40));
	end();
}

/* About 2,000 stacks a second are unwound, also at known places, of all rings together. */
static void some_known_places_are_unwound_again(void **state)
{
	(void)state;
	for (int nr_rings = 1; nr_rings <= 3; nr_rings++) {
		struct switched s = { 1, 1000, 2, 0x401000, 0x7000 };
		int nr = 0;

		begin_kernel(1);
		unwound(&s);
		for (u64 round = 0; round < 100; round++) { /* of 10 ms */
			for (int ring = 0; ring < nr_rings; ring++) {
				for (u64 i = 1; i <= 100; i++) {
					s.time = 1000 + (round * 100 + i) * 100000;
					nr += !take_known(ID, &s, 0);
				}
			}
			off_cpu__flush(off, 0, &out);
		}
		assert_in_range(nr, 1700, 2300);
		end();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_waits_are_samples_of_their_own),
		cmocka_unit_test(places_are_thread_instruction_and_stack),
		cmocka_unit_test(sums_wait_for_a_chain),
		cmocka_unit_test(sums_are_separate_for_different_chains),
		cmocka_unit_test(lengths_of_waits_tell_whose_they_are),
		cmocka_unit_test(one_chain_is_certain),
		cmocka_unit_test(longest_of_equal_chains_stays),
		cmocka_unit_test(chains_of_kernel_threads_are_compared_whole),
		cmocka_unit_test(stack_copies_differ),
		cmocka_unit_test(fields_behind_the_weight_stay),
		cmocka_unit_test(made_samples_have_all_fields),
		cmocka_unit_test(waits_are_from_leaving_to_running),
		cmocka_unit_test(sums_are_written_at_the_end),
		cmocka_unit_test(waits_last_until_the_newest_switch),
		cmocka_unit_test(each_round_writes_its_sums),
		cmocka_unit_test(a_round_uses_what_is_certain),
		cmocka_unit_test(cut_records_are_no_steps),
		cmocka_unit_test(known_places_are_not_unwound_again),
		cmocka_unit_test(a_known_place_with_several_chains),
		cmocka_unit_test(places_of_kernel_threads),
		cmocka_unit_test(some_known_places_are_unwound_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
