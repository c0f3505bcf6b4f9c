/* What is missing in a recording: counted once, kept in the file, told with its cause and what helps. */
#include "unit.h"

#include "image.h"

#include "event/evsel/evsel.h"
#include "format/records/build.h"
#include "format/records/losses.h"
#include "live/counter.h"
#include "model/lost_records.h"
#include "record/events/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- told ---- */

static struct losses one_event(const char *name)
{
	struct losses l = { .ring_size = 4096, .wanted_size = 65536 };

	array__add(&l.events, ((struct event_losses){ .name = xstrdup(name), .samples = 75 }));
	return l;
}

static void expect_told(struct losses *l, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	losses__tell(l, &out);
	assert_string_equal(out.buf, text);
	strbuf__exit(&out);
	losses__exit(l);
}

static void nothing_lost_is_nothing_told(void **state)
{
	struct losses l = one_event("cycles"), none = { 0 };

	(void)state;
	expect_told(&none, "");
	expect_told(&l, "");
}

static void a_small_ring_is_told_with_the_right_size(void **state)
{
	struct losses l = one_event("cycles");

	(void)state;
	l.events.v[0].lost = l.events.v[0].worst_lost = 25;
	l.events.v[0].worst_cpu = 2;
	expect_told(&l,
		    "lost 25 samples of cycles on CPU 1 (25.0%): a ring of 4K is too small: type -m 64K\n");

	l = one_event("cycles");
	l.ring_size = 2 << 20;
	l.wanted_size = 0;
	l.events.v[0].lost = 25;
	l.events.v[0].worst_lost = 20;
	l.events.v[0].worst_cpu = 1;
	l.events.v[0].has_both = 1;
	expect_told(&l, "lost 25 records of cycles (25.0%), 20 of them on CPU 0: a ring of 2M is too small, "
			"and none is large enough: sample less often (-F, -c), or less (-e, --filter)\n");
}

/* Wakings are sampled on whole CPUs: what was lost may be of other programs. */
static void losses_of_whole_cpus_are_of_all_programs(void **state)
{
	struct losses l = one_event("ended-waits");

	(void)state;
	l.events.v[0].is_everywhere = 1;
	l.events.v[0].seen = 975;
	l.events.v[0].lost = 25;
	expect_told(&l, "lost 25 samples of ended-waits of all programs (2.5%): a ring of 4K is too small: "
			"type -m 64K\n");

	l = one_event("ended-waits");
	l.events.v[0].is_everywhere = 1;
	l.events.v[0].lost = 25;
	expect_told(&l, "lost 25 samples of ended-waits of all programs (25.0%): a ring of 4K is too small: "
			"type -m 64K\n");
}

static void who_was_kept_from_running_hears_it(void **state)
{
	struct losses l = one_event("cycles");

	(void)state;
	l.longest_wait = 3200;
	l.is_partial = 1;
	l.events.v[0].lost = 25;
	expect_told(&l,
		    "lost at least 25 records of cycles (25.0%): perf did not drain the rings for 3.2 s, and "
		    "a ring of 4K is too small: type -m 64K\n");
}

static void side_band_and_flight_rings_are_told_apart(void **state)
{
	struct losses l = one_event("dummy");

	(void)state;
	l.events.v[0].lost = 3;
	l.events.v[0].is_side_band = 1;
	array__add(&l.events,
		   ((struct event_losses){ .name = xstrdup("cycles"), .lost = 7, .is_flight = 1 }));
	assert_int_equal(losses__total(&l), 10);
	assert_int_equal(losses__of_side_band(&l), 3);
	expect_told(&l,
		    "lost 3 records of what was mapped and started, so names may be missing: a ring of 4K is "
		    "too small: type -m 64K\n"
		    "7 records of cycles came in the moments in which buffers were read, and are missing\n");
}

static void throttled_shared_and_cut_are_told(void **state)
{
	struct losses l = one_event("cycles");
	struct event_losses *e = &l.events.v[0];

	(void)state;
	l.max_rate = 1000;
	e->throttled = 39;
	e->enabled = 1000000;
	e->running = 420000;
	e->full = 50;
	e->chain_size = 127;
	expect_told(&l,
		    "cycles was switched off 39 times until the next tick, since it came too often for "
		    "the kernel (kernel.perf_event_max_sample_rate is 1000): sample less often (-F, -c)\n"
		    "cycles was counted 42.0% of the time: there are more events than counters: record "
		    "fewer at once\n"
		    "50 call chains of cycles (66.7%) have 127 frames, the most that the kernel takes: for "
		    "outer ones sysctl -w kernel.perf_event_max_stack=508\n");
	/* too little to do something about */
	l = one_event("cycles");
	e = &l.events.v[0];
	e->samples = 1000;
	e->full = 9;
	e->enabled = 1000000;
	e->running = 999500;
	expect_told(&l, "");
}

static void borrowed_callers_are_told(void **state)
{
	struct losses l = one_event("offcpu-time");

	(void)state;
	l.events.v[0].waited = 1000000;
	l.events.v[0].borrowed = 10001;
	assert_true(losses__borrowed_part(&l) > 0.01);
	expect_told(
		&l,
		"1.0% of the time of offcpu-time has the callers of other waits, at the same place and about "
		"as long: there are more switches than stacks are read: record fewer threads (-t, -p)\n");
	l = one_event("offcpu-time");
	l.events.v[0].waited = 1000000;
	l.events.v[0].borrowed = 10000; /* too little */
	assert_true(losses__borrowed_part(&l) == 0);
	expect_told(&l, "");
}

static void names_are_masked(void **state)
{
	struct losses l = one_event("a\x1b[31mb\n");
	struct strbuf text = STRBUF_INIT;
	struct losses back = { 0 };

	(void)state;
	l.events.v[0].throttled = 1;
	losses__write(&l, &text);
	assert_int_equal(losses__read(&back, text.buf, text.len), 0);
	assert_int_equal(back.events.nr, 1);
	strbuf__exit(&text);
	losses__exit(&back);
	expect_told(&l, "a?[31mb? was switched off 1 times until the next tick, since it came too often for "
			"the kernel: sample less often (-F, -c)\n");
}

/* ---- in the file ---- */

static void comes_back_as_it_was_written(void **state)
{
	struct losses l = one_event("mem:0x10:rw of x"), back = { 0 };
	struct strbuf text = STRBUF_INIT, again = STRBUF_INIT;

	(void)state;
	l.longest_wait = 1;
	l.events.v[0].lost = UINT64_MAX;
	l.events.v[0].running = 5;
	array__add(&l.events, ((struct event_losses){ .name = xstrdup(""), .lost = 7 }));
	losses__write(&l, &text);
	assert_int_equal(losses__read(&back, text.buf, text.len), 0);
	assert_int_equal(back.events.nr, 2);
	assert_string_equal(back.events.v[0].name, "mem:0x10:rw of x");
	assert_true(back.events.v[0].lost == UINT64_MAX);
	assert_int_equal(back.events.v[1].lost, 7);
	losses__write(&back, &again);
	assert_string_equal(again.buf, text.buf);
	losses__exit(&l);
	losses__exit(&back);
	strbuf__exit(&text);
	strbuf__exit(&again);
}

static void reads_what_a_file_may_hold(void **state)
{
	static const struct {
		const char *text;
		int ret;
	} cases[] = {
		{ "", 0 },
		{ "later-word 5\nevent 0 x\nlater-word 7 with name\nlost 5", 0 },
		{ "lost", -EBADMSG },
		{ "lost ", -EBADMSG },
		{ "lost x", -EBADMSG },
		{ "lost -1", -EBADMSG },
		{ "lost 1x", -EBADMSG },
		{ "event 0 x\nlost 99999999999999999999", -EBADMSG },
		{ "event", -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct losses l = { 0 };

		assert_int_equal(losses__read(&l, cases[i].text, strlen(cases[i].text)), cases[i].ret);
		losses__exit(&l);
	}
}

/* ---- what read(2) says ---- */

static void takes_readings_apart(void **state)
{
	enum { LOST = 1 << 4 };
	const u64 all =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | LOST;
	const u64 one[] = { 100, 20, 10, 7, 3 }, group[] = { 2, 20, 10, 100, 7, 3, 200, 8, 4 };
	struct counter_reading r;

	(void)state;
	assert_int_equal(counter__parse_reading(one, 5, all, 7, &r), 0);
	assert_true(r.value == 100 && r.enabled == 20 && r.running == 10 && r.lost == 3);
	assert_int_equal(counter__parse_reading(one, 1, 0, 7, &r), 0);
	assert_true(r.value == 100 && r.lost == 0 && r.enabled == 0);
	assert_int_equal(counter__parse_reading(group, 9, all | PERF_FORMAT_GROUP, 8, &r), 0);
	assert_true(r.value == 200 && r.enabled == 20 && r.running == 10 && r.lost == 4);
	/* cut, or of somebody else */
	for (size_t nr = 0; nr < 9; nr++)
		assert_int_equal(counter__parse_reading(group, nr, all | PERF_FORMAT_GROUP, 8, &r), -ENOENT);
	for (size_t nr = 0; nr < 5; nr++)
		assert_int_equal(counter__parse_reading(one, nr, all, 7, &r), -ENOENT);
	assert_int_equal(counter__parse_reading(group, 9, all | PERF_FORMAT_GROUP, 9, &r), -ENOENT);
}

/* ---- records ---- */

static void init_events(struct evlist *l, u64 sample_type)
{
	const struct perf_event_attr attr = { .size = sizeof(attr),
					      .type = PERF_TYPE_SOFTWARE,
					      .sample_type = sample_type,
					      .sample_id_all = 1 };

	evlist__init(l);
	for (u64 i = 0; i < 2; i++)
		evlist__add_id(l, evlist__add(l, &attr, sizeof(attr), "e"), 10 + i);
}

/* A LOST record of the kernel's. */
static void see_gap(struct lost_records *lost, const struct evlist *l, u64 id, u64 nr)
{
	struct {
		struct perf_event_header h;
		u64 id, lost;
	} r = { { .type = PERF_RECORD_LOST, .size = sizeof(r) }, id, nr };

	assert_true(lost_records__see(lost, l, &(struct record){ .header = &r.h }));
}

/* LOST_SAMPLES; time 0: the recorder's */
static void see_samples(struct lost_records *lost, const struct evlist *l, u32 idx, u64 nr, u64 time)
{
	struct strbuf sb = STRBUF_INIT;

	build__lost_samples(&sb, l->evsels.v[idx], 10 + idx, 0, nr);
	memcpy(sb.buf + 24, &time, sizeof(time)); /* header, lost, tid */
	assert_true(lost_records__see(lost, l, &(struct record){ .header = (void *)sb.buf }));
	strbuf__exit(&sb);
}

static void each_loss_counts_once(void **state)
{
	struct lost_records lost = { 0 };
	struct perf_event_header cut = { .type = PERF_RECORD_LOST_SAMPLES, .size = sizeof(cut) };
	struct evlist l;

	(void)state;
	init_events(&l, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	see_gap(&lost, &l, 10, 30);
	see_gap(&lost, &l, 11, 12);
	assert_int_equal(lost_records__total(&lost), 42); /* nobody counted at the end */
	assert_int_equal(lost.nr_gaps, 2);
	see_samples(&lost, &l, 0, 40, 0);
	see_samples(&lost, &l, 1, 15, 0);
	assert_int_equal(lost_records__total(&lost), 55);
	see_samples(&lost, &l, 1, 100, 123456);
	assert_int_equal(lost_records__total(&lost), 155);
	assert_int_equal(lost_records__of_event(&lost, l.evsels.v[0]), 40);
	assert_int_equal(lost_records__of_event(&lost, l.evsels.v[1]), 115);
	assert_false(lost_records__see(&lost, &l, &(struct record){ .header = &cut }));
	lost_records__exit(&lost);
	evlist__exit(&l);
}

static void the_tally_counts_by_event(void **state)
{
	const u64 words[] = { 11, 5 }, throttle[] = { 1, 11, 11 };
	u8 bytes[64];
	struct perf_event_header *h = (void *)bytes;
	struct sample_decoder d;
	struct lazy_record r;
	struct tally t;
	struct evlist l;

	(void)state;
	init_events(&l, PERF_SAMPLE_IDENTIFIER);
	sample_decoder__init(&d, &l);
	lazy_record__init(&r, &d);
	tally__init(&t, &d);
	*h = (struct perf_event_header){ .type = PERF_RECORD_LOST, .size = sizeof(*h) + sizeof(words) };
	memcpy(h + 1, words, sizeof(words));
	tally__see_loss(&t, h);
	h->type = PERF_RECORD_SAMPLE;
	lazy_record__set(&r, h);
	tally__see_sample(&t, &r);
	*h = (struct perf_event_header){ .type = PERF_RECORD_THROTTLE,
					 .size = sizeof(*h) + sizeof(throttle) };
	memcpy(h + 1, throttle, sizeof(throttle));
	tally__see_loss(&t, h);
	h->size = sizeof(*h); /* too short for its type */
	tally__see_loss(&t, h);
	assert_int_equal(t.events.v[0].samples + t.events.v[0].lost + t.events.v[0].throttled, 0);
	assert_int_equal(t.events.v[1].samples, 1);
	assert_int_equal(t.events.v[1].lost, 5);
	assert_int_equal(t.events.v[1].throttled, 1);
	assert_int_equal(t.worst_gap, 5);
	tally__reset(&t);
	assert_int_equal(t.events.v[1].lost, 0);
	tally__exit(&t);
	sample_decoder__exit(&d);
	evlist__exit(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_lost_is_nothing_told),
		cmocka_unit_test(a_small_ring_is_told_with_the_right_size),
		cmocka_unit_test(losses_of_whole_cpus_are_of_all_programs),
		cmocka_unit_test(who_was_kept_from_running_hears_it),
		cmocka_unit_test(side_band_and_flight_rings_are_told_apart),
		cmocka_unit_test(throttled_shared_and_cut_are_told),
		cmocka_unit_test(borrowed_callers_are_told),
		cmocka_unit_test(names_are_masked),
		cmocka_unit_test(comes_back_as_it_was_written),
		cmocka_unit_test(reads_what_a_file_may_hold),
		cmocka_unit_test(takes_readings_apart),
		cmocka_unit_test(each_loss_counts_once),
		cmocka_unit_test(the_tally_counts_by_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
