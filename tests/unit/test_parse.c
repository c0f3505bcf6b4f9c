/*
 * The -e language. The expected attrs are those that stock perf 6.1 hands to perf_event_open for the same text
 * (strace -v -e trace=perf_event_open perf record -e TEXT true).
 */
#include "unit.h"

#include "event/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* set: u k h i G H for exclude_user ... idle, guest, host; a p per precise_ip; D pinned, e exclusive. */
static const struct row {
	const char *text;
	u32 type;
	u64 config;
	const char *set;
	u64 bp_addr, bp_len;
	u32 bp_type;
} rows[] = {
	/* clang-format off */
	{ "cpu-clock", 1, 0, "G", 0, 0, 0 },
	{ "cpu-clock:u", 1, 0, "khG", 0, 0, 0 },
	{ "cpu-clock:k", 1, 0, "uh", 0, 0, 0 },
	{ "cpu-clock:h", 1, 0, "uk", 0, 0, 0 },
	{ "cpu-clock:uk", 1, 0, "hG", 0, 0, 0 },
	{ "cpu-clock:uh", 1, 0, "kG", 0, 0, 0 },
	{ "cpu-clock:kh", 1, 0, "u", 0, 0, 0 },
	{ "cpu-clock:ukh", 1, 0, "G", 0, 0, 0 },
	{ "cpu-clock:ku", 1, 0, "hG", 0, 0, 0 },
	{ "cpu-clock:G", 1, 0, "H", 0, 0, 0 },
	{ "cpu-clock:H", 1, 0, "G", 0, 0, 0 },
	{ "cpu-clock:GH", 1, 0, "", 0, 0, 0 },
	{ "cpu-clock:uG", 1, 0, "khH", 0, 0, 0 },
	{ "cpu-clock:uH", 1, 0, "khG", 0, 0, 0 },
	{ "cpu-clock:uGH", 1, 0, "kh", 0, 0, 0 },
	{ "cpu-clock:kG", 1, 0, "uhH", 0, 0, 0 },
	{ "cpu-clock:I", 1, 0, "i", 0, 0, 0 },
	{ "cpu-clock:uI", 1, 0, "khiG", 0, 0, 0 },
	{ "cpu-clock:p", 1, 0, "Gp", 0, 0, 0 },
	{ "cpu-clock:pp", 1, 0, "Gpp", 0, 0, 0 },
	{ "cpu-clock:ppp", 1, 0, "Gppp", 0, 0, 0 },
	{ "cpu-clock:up", 1, 0, "khGp", 0, 0, 0 },
	{ "cpu-clock:pG", 1, 0, "Hp", 0, 0, 0 },
	{ "cpu-clock:pH", 1, 0, "Gp", 0, 0, 0 },
	{ "cpu-clock:pGH", 1, 0, "p", 0, 0, 0 },
	{ "cpu-clock:P", 1, 0, "ppp", 0, 0, 0 },
	{ "cpu-clock:uP", 1, 0, "khGppp", 0, 0, 0 },
	{ "cpu-clock:Pp", 1, 0, "Gppp", 0, 0, 0 },
	{ "cpu-clock:D", 1, 0, "D", 0, 0, 0 },
	{ "cpu-clock:S", 1, 0, "", 0, 0, 0 },
	{ "cpu-clock:W", 1, 0, "", 0, 0, 0 },
	{ "cpu-clock:e", 1, 0, "e", 0, 0, 0 },
	{ "cpu-clock:b", 1, 0, "", 0, 0, 0 },
	{ "cpu-clock:uD", 1, 0, "khGD", 0, 0, 0 },
	{ "cpu-clock:", 1, 0, "G", 0, 0, 0 },
	{ "cpu-clock:ue", 1, 0, "khGe", 0, 0, 0 },
	{ "page-faults:uk", 1, 0x2, "hG", 0, 0, 0 },
	{ "cycles", 0, 0, "G", 0, 0, 0 },
	{ "cycles:k", 0, 0, "uh", 0, 0, 0 },
	{ "cycles:pp", 0, 0, "Gpp", 0, 0, 0 },
	{ "cycles:P", 0, 0, "ppp", 0, 0, 0 },
	{ "cycles:u", 0, 0, "khG", 0, 0, 0 },
	{ "cycles:uP", 0, 0, "khGppp", 0, 0, 0 },
	{ "cycles:ppp", 0, 0, "Gppp", 0, 0, 0 },
	{ "cycles:Pu", 0, 0, "khGppp", 0, 0, 0 },
	{ "r1a8:u", 4, 0x1a8, "khG", 0, 0, 0 },
	{ "r1a8", 4, 0x1a8, "G", 0, 0, 0 },
	{ "r1A8:ukp", 4, 0x1a8, "hGp", 0, 0, 0 },
	{ "cs", 1, 0x3, "G", 0, 0, 0 },
	{ "faults:u", 1, 0x2, "khG", 0, 0, 0 },
	{ "L1-dcache-loads", 3, 0x0, "G", 0, 0, 0 },
	{ "L1-dcache-load-misses:u", 3, 0x10000, "khG", 0, 0, 0 },
	{ "l1d-miss", 3, 0x10000, "G", 0, 0, 0 },
	{ "LLC:k", 3, 0x2, "uh", 0, 0, 0 },
	{ "branches", 0, 0x4, "G", 0, 0, 0 },
	{ "branch", 3, 0x5, "G", 0, 0, 0 },
	{ "mem:0x1000/4:rw:u", 5, 0, "khG", 0x1000, 4, 0x3 },
	{ "mem:0x1000:x", 5, 0, "G", 0x1000, 8, 0x4 },
	{ "mem:0x1000/8:x", 5, 0, "G", 0x1000, 8, 0x4 },
	{ "mem:0x1000", 5, 0, "G", 0x1000, 4, 0x3 },
	{ "mem:0x1000:u", 5, 0, "khG", 0x1000, 4, 0x3 },
	{ "mem:0x1000/2", 5, 0, "G", 0x1000, 2, 0x3 },
	{ "mem:0x1000/2:w", 5, 0, "G", 0x1000, 2, 0x2 },
	{ "mem:0x1000:r", 5, 0, "G", 0x1000, 4, 0x1 },
	{ "mem:0x1000:rwx", 5, 0, "G", 0x1000, 4, 0x7 },
	{ "mem:0x1000:rx", 5, 0, "G", 0x1000, 4, 0x5 },
	{ "mem:0x1000:wr", 5, 0, "G", 0x1000, 4, 0x3 },
	{ "mem:4096:w", 5, 0, "G", 0x1000, 4, 0x2 },
	{ "mem:4096/4:w", 5, 0, "G", 0x1000, 4, 0x2 },
	{ "mem:0x1000/3:w", 5, 0, "G", 0x1000, 3, 0x2 },
	{ "mem:0x1000/0x4:w", 5, 0, "G", 0x1000, 4, 0x2 },
	{ "mem:0x1000:rw:k", 5, 0, "uh", 0x1000, 4, 0x3 },
	{ "mem:0x1000/4", 5, 0, "G", 0x1000, 4, 0x3 },
	{ "mem:0x1000/4:u", 5, 0, "khG", 0x1000, 4, 0x3 },
	{ "mem:1000:w", 5, 0, "G", 0x3e8, 4, 0x2 },
	{ "mem:0x1000/1:x", 5, 0, "G", 0x1000, 1, 0x4 },
	{ "cpu-clock:Gu", 1, 0, "khH", 0, 0, 0 },
	{ "cpu-clock:Gp", 1, 0, "Hp", 0, 0, 0 },
	{ "cpu-clock:kp", 1, 0, "uhGp", 0, 0, 0 },
	{ "cpu-clock:hp", 1, 0, "ukGp", 0, 0, 0 },
	{ "cpu-clock:Hk", 1, 0, "uhG", 0, 0, 0 },
	{ "cpu-clock:GHI", 1, 0, "i", 0, 0, 0 },
	{ "cpu-clock:PD", 1, 0, "pppD", 0, 0, 0 },
	{ "cpu-clock:Ip", 1, 0, "iGp", 0, 0, 0 },
	{ "cpu-clock:PG", 1, 0, "Hppp", 0, 0, 0 },
	{ "cpu-clock:PH", 1, 0, "Gppp", 0, 0, 0 },
	{ "cpu-clock:Iu", 1, 0, "khiG", 0, 0, 0 },
	{ "cpu-clock:pup", 1, 0, "khGpp", 0, 0, 0 },
	{ " cpu-clock:u", 1, 0, "khG", 0, 0, 0 },
	{ "mem:0x1000/0:w", 5, 0, "G", 0x1000, 4, 0x2 },
	{ "mem:0x1000:", 5, 0, "G", 0x1000, 4, 0x3 },
	{ "mem:010:w", 5, 0, "G", 0xa, 4, 0x2 },
	{ "mem:0x1000/0x10:w", 5, 0, "G", 0x1000, 16, 0x2 },
	{ "raaa:P", 4, 0xaaa, "ppp", 0, 0, 0 },
	{ "rea", 4, 0xea, "G", 0, 0, 0 },
	{ "task-clock:uS", 1, 0x1, "khG", 0, 0, 0 },
	{ "mem:0x1000:rw:up", 5, 0, "khGp", 0x1000, 4, 0x3 },
	{ "mem:0x1000 :u", 5, 0, "khG", 0x1000, 4, 0x3 },
	{ "idle-cycles-backend", 0, 0x8, "G", 0, 0, 0 },
	{ "cgroup-switches", 1, 0xb, "G", 0, 0, 0 },
	{ "bpf-output", 1, 0xa, "G", 0, 0, 0 },
	{ "dummy", 1, 0x9, "G", 0, 0, 0 },
	{ "cpu-clock:ukhIGHpppPSDWeb", 1, 0, "ipppDe", 0, 0, 0 },	/* clang-format on */
};

static void describe(const struct perf_event_attr *a, char *set)
{
	const struct {
		char letter;
		bool on;
	} bits[] = {
		{ 'u', a->exclude_user }, { 'k', a->exclude_kernel }, { 'h', a->exclude_hv },
		{ 'i', a->exclude_idle }, { 'G', a->exclude_guest }, { 'H', a->exclude_host },
		{ 'p', a->precise_ip > 0 }, { 'p', a->precise_ip > 1 }, { 'p', a->precise_ip > 2 },
		{ 'D', a->pinned }, { 'e', a->exclusive },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (bits[i].on)
			*set++ = bits[i].letter;
	*set = '\0';
}

static void attrs_are_those_of_stock_perf(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		const struct perf_event_attr *a;
		struct err err = ERR_INIT;
		struct evlist l;
		char set[16];

		evlist__init(&l);
		if (parse_events(&l, r->text, &err))
			fail_msg("%s: %s", r->text, err.text.buf);
		assert_int_equal(l.evsels.nr, 1);
		a = &l.evsels.v[0]->attr;
		describe(a, set);
		if (strcmp(set, r->set))
			fail_msg("%s: '%s', expected '%s'", r->text, set, r->set);
		assert_int_equal(a->size, sizeof(*a));
		assert_int_equal(a->type, r->type);
		assert_int_equal(a->config, r->config);
		assert_int_equal(a->bp_addr, r->bp_addr);
		assert_int_equal(a->bp_len, r->bp_len);
		assert_int_equal(a->bp_type, r->bp_type);
		assert_int_equal(a->sample_period, a->type == PERF_TYPE_BREAKPOINT || !strcmp(r->text, "bpf-output"));
		assert_int_equal(a->sample_type, 0);
		assert_string_equal(l.evsels.v[0]->name, r->text + strspn(r->text, " "));
		evlist__exit(&l);
		err__exit(&err);
	}
}

static void several_events(void **state)
{
	static const struct {
		const char *text, *names;
	} lists[] = {
		{ "cycles,instructions:u", "cycles|instructions:u|" },
		{ "cpu-clock ,cpu-clock:u", "cpu-clock|cpu-clock:u|" },
		{ " cpu-clock\t, mem:0x10/4:w:u , r2\n", "cpu-clock|mem:0x10/4:w:u|r2|" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		struct strbuf names = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct evlist l;

		evlist__init(&l);
		assert_int_equal(parse_events(&l, lists[i].text, &err), 0);
		for (size_t j = 0; j < l.evsels.nr; j++) {
			assert_int_equal(l.evsels.v[j]->idx, j);
			strbuf__addf(&names, "%s|", l.evsels.v[j]->name);
		}
		assert_string_equal(names.buf, lists[i].names);
		strbuf__exit(&names);
		evlist__exit(&l);
		err__exit(&err);
	}
}

static void errors_name_the_word(void **state)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{ "cycls:u", "unknown event 'cycls' at column 1 of 'cycls:u'\ndid you mean 'cycles'" },
		{ "cpu-clock,cycls", "unknown event 'cycls' at column 11 of 'cpu-clock,cycls'\n" },
		{ "cpu_clock", "unknown event 'cpu_clock' at column 1 of 'cpu_clock'\ndid you mean 'cpu-clock'" },
		{ "L1-dcache-lods", "unknown event 'L1-dcache-lods' at column 1 of 'L1-dcache-lods'\ndid you mean 'L1-dcache-loads'" },
		{ "CPU-CLOCK", "unknown event 'CPU-CLOCK' at column 1 of 'CPU-CLOCK'" },
		{ "cpu-clock:z", "unknown modifier 'z' at column 11 of 'cpu-clock:z'" },
		{ "cpu-clock:uz", "unknown modifier 'z' at column 12 of" },
		{ "cpu-clock:uUk", "unknown modifier 'U' at column 12 of" },
		{ "cpu-clock:uu", "one too many modifier 'u' at column 12 of 'cpu-clock:uu'" },
		{ "cpu-clock:upu", "one too many modifier 'u' at column 13 of" },
		{ "cpu-clock:pppp", "one too many modifier 'p' at column 14 of" },
		{ "cpu-clock:PP", "one too many modifier 'P'" },
		{ "cpu-clock:SS", "one too many modifier 'S'" },
		{ "cpu-clock:GG", "one too many modifier 'G'" },
		{ "cpu-clock:u:k", "expected a comma or the end, found ':' at column 12 of 'cpu-clock:u:k'" },
		{ "cpu-clock u", "expected a comma or the end, found 'u' at column 11 of" },
		{ "cpu-clock,", "expected an event at column 11 of 'cpu-clock,'" },
		{ "cpu-clock,,task-clock", "expected an event at column 11 of" },
		{ ",cpu-clock", "expected an event at column 1 of" },
		{ "", "expected an event at column 1 of ''" },
		{ ":u", "expected an event ':' at column 1 of ':u'" },
		{ "r", "unknown event 'r' at column 1 of 'r'" },
		{ "rzz", "unknown event 'rzz' at" },
		{ "r0x1a8", "unknown event 'r0x1a8' at" },
		{ "R1A8", "unknown event 'R1A8' at" },
		{ "rffffffffffffffffff", "raw event has more than 64 bits: 'rffffffffffffffffff' at column 1" },
		{ "mem:", "expected an address, found at column 5 of 'mem:'" },
		{ "mem:zz:w", "expected an address, found 'zz' at column 5 of" },
		{ "mem:0x:w", "expected an address, found '0x' at" },
		{ "mem:-1:w", "expected an address, found '-1' at" },
		{ "mem:0xffffffffffffffff1:w", "number too big for a 64-bit machine: '0xffffffffffffffff1' at column 5" },
		{ "mem:0x1000/:w", "expected a length in bytes, found at column 12 of" },
		{ "mem:0x1000/4:uw", "unknown modifier 'w' at column 15 of" },
		{ "mem:0x1000:rr", "one too many access 'r' at column 13 of" },
		{ "mem:0x1000:ru", "expected some of r, w and x, found 'u' at column 13 of" },
		{ "mem:0x1000::u", "expected a comma or the end, found ':' at column 12 of" },
		{ "{cycles,instructions}", "groups in braces are not supported yet: '{' at column 1 of" },
		{ "cpu/event=0x3c,umask=1/u", "events of a named PMU are not supported yet: 'cpu/event=0x3c' at column 1 of" },
		{ "cpu-clock,sched:sched_switch", "tracepoints are not supported yet, and there is no other event 'sched:sched_switch' at column 11" },
		{ "cpu-clock/u", "expected a comma or the end, found '/' at column 10 of" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct err err = ERR_INIT;
		struct evlist l;

		evlist__init(&l);
		assert_int_equal(parse_events(&l, bad[i].text, &err), -EINVAL);
		assert_int_equal(err.code, -EINVAL);
		if (strncmp(err.text.buf, bad[i].error, strlen(bad[i].error)))
			fail_msg("%s: \"%s\", expected \"%s\"", bad[i].text, err.text.buf, bad[i].error);
		assert_int_equal(l.evsels.nr, 0);
		evlist__exit(&l);
		err__exit(&err);
	}
}

/* Every beginning of every text is refused or taken, without a step outside. */
static void cut_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		for (size_t len = 0; len <= strlen(rows[i].text); len++) {
			char *text = xasprintf("%.*s", (int)len, rows[i].text);
			struct err err = ERR_INIT;
			struct evlist l;
			int ret;

			evlist__init(&l);
			ret = parse_events(&l, text, &err);
			assert_true(ret ? l.evsels.nr == 0 : l.evsels.nr == 1);
			evlist__exit(&l);
			err__exit(&err);
			free(text);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs_are_those_of_stock_perf),
		cmocka_unit_test(several_events),
		cmocka_unit_test(errors_name_the_word),
		cmocka_unit_test(cut_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
