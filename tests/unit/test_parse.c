/*
 * The -e language. The expected attrs are those that stock perf 6.1 hands to perf_event_open for the same
 * text (strace -v -e trace=perf_event_open perf record -e TEXT true).
 */
#include "unit.h"

#include "event/parse/parse.h"
#include "other_machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- attrs ---- */

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
	{ "cpu-clock:ukhIGHpppPSDWeb", 1, 0, "ipppDe", 0, 0, 0 },
	/* clang-format on */
};

static void describe(const struct perf_event_attr *a, char *set)
{
	const struct {
		char letter;
		bool on;
	} bits[] = {
		{ 'u', a->exclude_user },   { 'k', a->exclude_kernel }, { 'h', a->exclude_hv },
		{ 'i', a->exclude_idle },   { 'G', a->exclude_guest },  { 'H', a->exclude_host },
		{ 'p', a->precise_ip > 0 }, { 'p', a->precise_ip > 1 }, { 'p', a->precise_ip > 2 },
		{ 'D', a->pinned },         { 'e', a->exclusive },
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
		if (parse_events_with(&l, r->text, &fake, &err))
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
		assert_int_equal(a->sample_period,
				 a->type == PERF_TYPE_BREAKPOINT || !strcmp(r->text, "bpf-output"));
		assert_int_equal(a->sample_type, strcmp(r->text, "bpf-output") ? 0 : PERF_SAMPLE_PERIOD);
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
		assert_int_equal(parse_events_with(&l, lists[i].text, &fake, &err), 0);
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

/* message: without " at column N", the text and the mark, which follow from at and len. */
static const struct bad_row {
	const char *text, *message;
	size_t at, len;
	const char *advice;
} bad[] = {
	/* clang-format off */
	{ "cycls:u", "unknown event 'cycls'", 0, 5, "did you mean 'cycles'?" },
	{ "cpu-clock,cycls", "unknown event 'cycls'", 10, 5, "did you mean 'cycles'?" },
	{ "cpu_clock", "unknown event 'cpu_clock'", 0, 9, "did you mean 'cpu-clock'" },
	{ "L1-dcache-lods", "unknown event 'L1-dcache-lods'", 0, 14, "did you mean 'L1-dcache-loads'" },
	{ "cpu-clock:z", "unknown modifier 'z'", 10, 1, "modifiers are u k h" },
	{ "cpu-clock:uz", "unknown modifier 'z'", 11, 1, "" },
	{ "cpu-clock:uUk", "unknown modifier 'U'", 11, 1, "" },
	{ "cpu-clock:uu", "one too many modifier 'u'", 11, 1, "" },
	{ "cpu-clock:upu", "one too many modifier 'u'", 12, 1, "" },
	{ "cpu-clock:pppp", "one too many modifier 'p'", 13, 1, "" },
	{ "cpu-clock:PP", "one too many modifier 'P'", 11, 1, "" },
	{ "cpu-clock:SS", "one too many modifier 'S'", 11, 1, "" },
	{ "cpu-clock:GG", "one too many modifier 'G'", 11, 1, "" },
	{ "cpu-clock:u:k", "expected a comma or the end, found ':'", 11, 1, "" },
	{ "cpu-clock u", "expected a comma or the end, found 'u'", 10, 1, "" },
	{ "cpu-clock,", "expected an event", 10, 0, "" },
	{ "cpu-clock,,task-clock", "expected an event", 10, 0, "" },
	{ ",cpu-clock", "expected an event", 0, 0, "" },
	{ "", "expected an event", 0, 0, "" },
	{ ":u", "expected an event, found ':'", 0, 1, "" },
	{ "r", "unknown event 'r'", 0, 1, "" },
	{ "rzz", "unknown event 'rzz'", 0, 3, "" },
	{ "r0x1a8", "unknown event 'r0x1a8'", 0, 6, "" },
	{ "R1A8", "unknown event 'R1A8'", 0, 4, "" },
	{ "rffffffffffffffffff", "raw event of more than 64 bits: 'rffffffffffffffffff'", 0, 19, "" },
	{ "mem:", "expected an address or the name of a variable, found nothing", 4, 0, "" },
	{ "mem:0zz:w", "expected an address, found '0zz'", 4, 3, "" },
	{ "mem:0x:w", "expected an address, found '0x'", 4, 2, "" },
	{ "mem:0xffffffffffffffff1:w", "number of more than 64 bits: '0xffffffffffffffff1'", 4, 19, "" },
	{ "mem:0x1000/:w", "expected a length in bytes, found nothing", 11, 0, "" },
	{ "mem:0x1000/4:uw", "unknown modifier 'w'", 14, 1, "" },
	{ "mem:0x1000:rr", "one too many access 'r'", 12, 1, "" },
	{ "mem:0x1000:ru", "expected some of r, w and x, found 'u'", 12, 1, "" },
	{ "mem:0x1000::u", "expected a comma or the end, found ':'", 11, 1, "" },
	{ "mem:x[1:0]", "at least one element can be watched, not '0'", 8, 1, "" },
	{ "mem:x[1", "this bracket is not closed by a ']': '['", 5, 1, "" },
	{ "mem:x[a]", "expected the number of an element, found 'a'", 6, 1, "" },
	{ "mem:x+y", "expected an offset in bytes, found 'y'", 6, 1, "" },
	{ "mem:x+1+2", "this stood before already: '+'", 7, 1, "" },
	{ "mem:x@", "expected the name of a binary", 6, 0, "" },
	{ "mem:x.", "expected a member", 6, 0, "" },
	{ "mem:'x", "this quote has no end: '''", 4, 1, "" },
	{ "mem:v<int", "a bracket is not closed in 'v<int'", 4, 5, "" },
	{ "uprobe:/bin/sh", "expected BINARY:FUNCTION, found '/bin/sh'", 7, 7, "" },
	{ "uprobe:/bin/sh:", "expected the name of a function, found nothing", 15, 0, "" },
	{ "uprobe:/bin/sh:main%retrun", "expected %return, found 'retrun'", 20, 6, "" },
	{ "uprobe:/bin/sh:main+4%return",
	  "a function returns from anywhere: no offset goes with 'return'", 22, 6, "" },
	{ "kprobe:do_exit", "this kernel has no PMU 'kprobe'", 0, 6, "" },
	{ "{cycles,instructions", "this group is not closed by a '}': '{'", 0, 1, "" },
	{ "{cycles,{instructions}}", "a group holds no other group: unexpected '{'", 8, 1, "" },
	{ "{}", "expected an event, found '}'", 1, 1, "" },
	{ "cycles}", "expected a comma or the end, found '}'", 6, 1, "" },
	{ "{cycles}u", "expected a comma or the end, found 'u'", 8, 1, "" },
	{ "{cycles,instructions}:q", "unknown modifier 'q'", 22, 1, "" },
	{ "cpu-clock/u", "the second slash, which ends the terms, is missing after '/'", 9, 1, "" },
	{ "cs/period=1,nme=x/", "unknown term 'nme'", 12, 3, "did you mean 'name'" },
	{ "cs/period=x/", "expected a number, found 'x'", 10, 1, "" },
	{ "cs/name/", "a value is missing (name=...) after 'name'", 3, 4, "" },
	{ "cs/name=/", "expected a name", 8, 0, "" },
	{ "cs/time=2/", "time is at most 1, not '2'", 8, 1, "" },
	{ "cs/call-graph=dwarff/", "unknown call graph mode 'dwarff'", 14, 6, "did you mean 'dwarf'?" },
	{ "cs/branch_type=any|x/", "unknown branch kind 'x'", 19, 1, "" },
	{ "cs/max-stack=70000/", "max-stack is at most 65535, not '70000'", 13, 5, "" },
	{ "cs/,/", "expected a term or '/'", 3, 0, "" },
	{ "cs/name='x/", "this quote has no end: '''", 8, 1, "" },
	{ "nosuch/event=1/", "no event and no PMU is called 'nosuch'", 0, 6, "" },
	{ "sched:sched_swich", "the kernel has no tracepoint of system sched called 'sched_swich'", 6, 11,
	  "did you mean 'sched_switch'?" },
	{ "shed:sched_switch",
	  "no event and no system of tracepoints is called 'shed'", 0, 4, "did you mean 'sched'?" },
	{ "cs,sched:nothing_*:u",
	  "the kernel has no tracepoint of system sched called 'nothing_*'", 9, 9, "" },
	{ "cpu/event=0x100/", "event is at most 255, not '0x100'", 10, 5, "" },
	{ "cpu/evnt=1/", "PMU cpu has no term or event 'evnt'", 4, 4, "did you mean 'event'" },
	{ "cpu/cpu-cycls/", "PMU cpu has no term or event 'cpu-cycls'", 4, 9, "did you mean 'cpu-cycles'" },
	{ "cpu/param/", "a value for umask is missing (umask=...) beside 'param'", 4, 5, "" },
	{ "cpu/odd/", "the PMU has no format 'nosuch', which is in the text of 'odd'", 4, 3, "" },
	{ "cpu/instructions,mem-loads/",
	  "only one event can stand between the slashes: unexpected 'mem-loads'", 17, 9, "" },
	{ "memloads", "unknown event 'memloads'", 0, 8, "did you mean 'mem-loads'" },

	/* clang-format on */
};

static void errors_mark_the_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		const struct bad_row *r = &bad[i];
		struct strbuf expected = STRBUF_INIT;
		struct err err = ERR_INIT;
		struct evlist l;

		strbuf__addf(&expected, "%s at column %zu\n  %s\n  ", r->message, r->at + 1, r->text);
		strbuf__addchars(&expected, ' ', r->at);
		strbuf__addch(&expected, '^');
		strbuf__addchars(&expected, '~', r->len ? r->len - 1 : 0);
		if (*r->advice)
			strbuf__addf(&expected, "\n%s", r->advice);
		evlist__init(&l);
		if (parse_events_with(&l, r->text, &fake, &err) >= 0)
			fail_msg("'%s' was taken", r->text);
		assert_int_not_equal(err.code, 0);
		if (strncmp(err.text.buf, expected.buf, expected.len))
			fail_msg("\"%s\", expected \"%s\"", err.text.buf, expected.buf);
		assert_int_equal(l.evsels.nr, 0);
		evlist__exit(&l);
		strbuf__exit(&expected);
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
			ret = parse_events_with(&l, text, &fake, &err);
			assert_true(ret ? l.evsels.nr == 0 : l.evsels.nr == 1);
			evlist__exit(&l);
			err__exit(&err);
			free(text);
		}
	}
}

static void default_is_precise_by_attr_alone(void **state)
{
	struct evlist l;

	(void)state;
	evlist__init(&l);
	parse_default_event(&l);
	assert_true(l.evsels.nr > 0);
	for (size_t i = 0; i < l.evsels.nr; i++) {
		const struct evsel *e = l.evsels.v[i];

		assert_int_equal(e->attr.type, PERF_TYPE_HARDWARE);
		assert_int_equal(e->attr.precise_ip, 3);
		assert_true(strstr(e->name, "cycles") != NULL);
		assert_null(strstr(e->name, "ppp"));
	}
	evlist__exit(&l);
}

static void names_follow_the_precise_level(void **state)
{
	static const struct {
		const char *event, *name;
		unsigned nr;
	} cases[] = {
		{ "cpu-clock:ppp", "cpu-clock:p", 2 },
		{ "cpu-clock:ppp", "cpu-clock", 3 },
		{ "cpu-clock:ppu", "cpu-clock:u", 2 },
		{ "cs/name=b/pp", "b", 1 },
		{ "cpu-clock:P", "cpu-clock:P", 3 },
		{ "cpu-clock:ppp", "cpu-clock:ppp", 0 },
		{ "cpu-clock/name=a:zipper/ppp", "a:zipper", 3 }, /* the user's own name */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evlist l;

		evlist__init(&l);
		assert_int_equal(parse_events(&l, cases[i].event, NULL), 0);
		evsel__name_less_precise(l.evsels.v[0], cases[i].nr);
		assert_string_equal(l.evsels.v[0]->name, cases[i].name);
		evlist__exit(&l);
	}
}

static void names_say_that_the_kernel_is_left_out(void **state)
{
	static const struct {
		u32 type; /* of the event */
		const char *name, *user_only;
	} cases[] = {
		{ PERF_TYPE_HARDWARE, "cycles", "cycles:u" },
		{ PERF_TYPE_HARDWARE, "cycles:pp", "cycles:ppu" },
		{ PERF_TYPE_RAW, "cpu/event=1/", "cpu/event=1/u" },
		{ PERF_TYPE_TRACEPOINT, "syscalls:sys_enter_write", "syscalls:sys_enter_write:u" },
		{ PERF_TYPE_TRACEPOINT, "syscalls:sys_enter_write:H", "syscalls:sys_enter_write:Hu" },
		{ PERF_TYPE_BREAKPOINT, "mem:0x1000", "mem:0x1000:u" },
		{ PERF_TYPE_BREAKPOINT, "mem:0x1000/4:w", "mem:0x1000/4:w:u" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct evsel e = { .attr.type = cases[i].type, .name = strdup(cases[i].name) };

		evsel__name_user_only(&e);
		assert_string_equal(e.name, cases[i].user_only);
		free(e.name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attrs_are_those_of_stock_perf),
		cmocka_unit_test(several_events),
		cmocka_unit_test(errors_mark_the_word),
		cmocka_unit_test(cut_texts),
		cmocka_unit_test(default_is_precise_by_attr_alone),
		cmocka_unit_test(names_follow_the_precise_level),
		cmocka_unit_test(names_say_that_the_kernel_is_left_out),
	};

	return cmocka_run_group_tests(tests, make_machine, remove_machine);
}
