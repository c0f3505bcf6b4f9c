/* Expressions and conversions of print formats, one by one. */
#include "unit.h"

#include "event/tracepoint/trace_format.h"
#include "event/tracepoint/trace_piece.h"
#include "event/tracepoint/trace_text.h"
#include "trace_image.h"

#include <stdlib.h>

/* The fields of the payload below. */
static const char fields[] = TRACE_FIELD("int i", 8, 4, 1) TRACE_FIELD("u32 u", 12, 4, 0)
	TRACE_FIELD("u64 w", 16, 8, 0) TRACE_FIELD("u8 b", 24, 1, 0) TRACE_FIELD("short h", 26, 2, 1)
		TRACE_FIELD("char t[4]", 28, 4, 0) TRACE_FIELD("u8 ip[16]", 32, 16, 0)
			TRACE_FIELD("u8 sa4[8]", 48, 8, 0) TRACE_FIELD("u8 sa6[28]", 56, 28, 0)
				TRACE_FIELD("__data_loc cpumask_t mask", 84, 4, 0)
					TRACE_FIELD("__data_loc char[] s", 88, 4, 0)
						TRACE_FIELD("u16 v[2]", 92, 4, 0);

struct fields {
	u8 common[8];
	s32 i;
	u32 u;
	u64 w;
	u8 b, gap;
	int16_t h;
	char t[4];
	u8 ip[16], sa4[8], sa6[28];
	u32 mask, s;
	u16 v[2];
	u64 mask_bits[2];
	char s_text[8];
};

static void expect(const char *print, const char *expected)
{
	static const struct fields values = {
		.i = -7,
		.u = 4000000000,
		.w = 0xfedcba9876543210,
		.b = 200,
		.h = -2,
		.t = "abcd",
		.ip = { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 },
		.sa4 = { 2, 0, 0x1f, 0x90, 127, 0, 0, 1 },
		.sa6 = { 10, 0, 0, 80, 0, 0, 0, 0, 0xfe, 0x80, [23] = 9 },
		.mask = 16 << 16 | offsetof(struct fields, mask_bits),
		.mask_bits = { 0x10f, 1 },
		.s = 6 << 16 | offsetof(struct fields, s_text),
		.s_text = "hello",
		.v = { 1, 0xffff },
	};
	struct trace_image_event event = { "e", fields, print };
	struct strbuf text = STRBUF_INIT;
	struct trace_formats *f;
	struct trace_image im;

	trace_image__init(&im);
	trace_image__build(&im, &event, 1, "");
	assert_int_equal(trace_formats__new(&f, im.b.buf, im.b.len, NULL), 0);
	trace_event__print(trace_formats__event(f, 1), &values, sizeof(values), false, &text);
	if (strcmp(text.buf, expected))
		fail_msg("%s: '%s', expected '%s'", print, text.buf, expected);
	trace_formats__delete(f);
	strbuf__exit(&im.b);
	strbuf__exit(&text);
}

static void expressions(void **state)
{
	static const struct {
		const char *expr;
		long long value;
	} rows[] = {
		{ "1 + 2 * 3", 7 },
		{ "(1 + 2) * 3", 9 },
		{ "10 - 3 - 2", 5 },
		{ "7 / 2 % 2", 1 },
		{ "-7 / 2", -3 },
		{ "1 << 4 | 1", 17 },
		{ "6 & 3 ^ 1", 3 },
		{ "1 | 2 & 4", 1 },
		{ "~0 & 0xff", 255 },
		{ "!5 + !0", 1 },
		{ "010 + 0x10 + 1UL", 25 },
		{ "'a'", 97 },
		{ "'\\n'", 10 },
		{ "1 < 2 && 2 < 1 || 1", 1 },
		{ "3 >= 3 == 1", 1 },
		{ "1 ? 2 : 3", 2 },
		{ "0 ? 2 : 0 ? 3 : 4", 4 },
		{ "REC->i", -7 },
		{ "REC->i < 0", 1 },
		{ "REC->i < 3u", 0 },
		{ "REC->u > 0", 1 },
		{ "REC->h + 1", -1 },
		{ "(u8)REC->i", 249 },
		{ "(unsigned int)REC->i", 4294967289 },
		{ "(s8)REC->b", -56 },
		{ "(unsigned long)(void *)(REC->b)", 200 },
		{ "(int)(REC->w >> 32)", 0xfedcba98 - 0x100000000 },
		{ "((__u16)((REC->u) >> 16))", 61035 },
		{ "(long long)REC->h", -2 },
		{ "REC->v[1]", 65535 },
		{ "REC->v[2]", 0 },
		{ "sizeof(u64) + sizeof(unsigned short) + sizeof(void *)", 18 },
		{ "__get_dynamic_array_len(mask) / sizeof(long)", 2 },
		{ "__builtin_expect(!!(REC->b), 0) ? 5 : 6", 5 },
		{ "HRTIMER_SOFTIRQ + unknown_name", 0 },
		{ "REC->w >> 60", 15 },
		{ "REC->i >> 1", -4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *print = xasprintf("\"%%lld\", %s", rows[i].expr),
		     *value = xasprintf("%lld", rows[i].value);

		expect(print, value);
		free(print);
		free(value);
	}
}

static void conversions(void **state)
{
	(void)state;
	expect("\"%d %u %hd %hhu %x %#x %o %X\", REC->i, REC->i, REC->u, REC->i, REC->b, REC->b, REC->b, "
	       "REC->b",
	       "-7 4294967289 10240 249 c8 0xc8 310 C8");
	expect("\"%5d|%-5d|%05d|%+d|%.3d|%zu|%Lu\", 42, 42, 42, 42, 7, 8, 9",
	       "   42|42   |00042|+42|007|8|9");
	expect("\"%lx %llx %lX\", REC->w, REC->w, REC->w",
	       "fedcba9876543210 fedcba9876543210 FEDCBA9876543210");
	expect("\"%c%c|%3c\", 'x', REC->b - 100, 'y'", "xd|  y");
	expect("\"100%% %s|%5s|%-5s|%.2s|%.*s\", REC->t, \"ab\", \"ab\", REC->t, 3, __get_str(s)",
	       "100% abcd|   ab|ab   |ab|hel");
	expect("\"two \" \"parts\\t\\\\ %s\", 1 ? \"a\" \"b\" : \"c\"", "two parts\t\\ ab");
	expect("\"%s\", (char *)__get_str(s)", "hello");
}

static void names_of_numbers(void **state)
{
	(void)state;
	expect("\"%s\", __print_flags(REC->b, \"|\", { 8, \"A\" }, { 64 | 128, \"B\" })", "A|B");
	expect("\"%s\", __print_flags(REC->b, \"|\", { 0x40, \"A\" })", "A|0x88");
	expect("\"%s\", __print_flags(REC->b, \"|\", { 1, \"A\" })", "0xc8");
	expect("\"%s|\", __print_flags(0, \"|\", { 1, \"A\" })", "|");
	expect("\"%s\", __print_flags(0, \"|\", { 0, \"none\" }, { 1, \"A\" })", "none");
	expect("\"%s\", __print_flags(REC->b, \"\", { 8, \"A\" }, { (( unsigned long)64UL), \"B\" }, { 128, "
	       "\"C\" })",
	       "ABC");
	expect("\"%s\", __print_flags(REC->b, \"|\", { 0xc8, \"all\" }, { 0, ((void *)0) })", "all");
	expect("\"%s\", __print_flags(1, \"|\", { (1 << NAME_OF_KERNEL), \"wrong\" })", "0x1");
	expect("\"%s\", __print_symbolic(REC->i, { 7, \"seven\" }, { -7, \"minus\" })", "minus");
	expect("\"%s %s\", __print_symbolic(REC->b, { 1, \"one\" }), __print_symbolic(REC->i, { 1, \"one\" "
	       "})",
	       "0xc8 0xfffffff9");
	expect("\"%s\", __print_symbolic(9, { RCU_SOFTIRQ, \"RCU\" })", "RCU");
	expect("\"%s\", __print_symbolic(0, { NAME_OF_KERNEL, \"wrong\" })", "0x0");
}

static void bytes_and_pointers(void **state)
{
	(void)state;
	expect("\"%s %s\", __print_hex(REC->t, 2), __print_hex_str(REC->t, 4)", "61 62 61626364");
	expect("\"%s\", __print_array(REC->v, 2, 2)", "1 65535");
	expect("\"%s %s\", __get_cpumask(mask), __get_bitmask(mask)",
	       "0-3,8,64 0,00000001,00000000,0000010f");
	expect("\"%*pbl %*pb\", 65, __get_dynamic_array(mask), 4, __get_dynamic_array(mask)",
	       "0-3,8,64 0,00000001,00000000,0000010f");
	expect("\"%pI4 %pi4\", REC->t, REC->t", "97.98.99.100 097.098.099.100");
	expect("\"%pI6c %pI6 %pi6\", REC->ip, REC->ip, REC->ip",
	       "2001:db8::1 2001:0db8:0000:0000:0000:0000:0000:0001 20010db8000000000000000000000001");
	expect("\"%pIS %pISp %pISpc %pISpc\", REC->sa4, REC->sa4, REC->sa4, REC->sa6",
	       "127.0.0.1 127.0.0.1:8080 127.0.0.1:8080 [fe80::9]:80");
	expect("\"%pISpc|\", REC->ip", "|");
	expect("\"%pM %pm %pMF %pMR\", REC->ip, REC->ip, REC->ip, REC->ip",
	       "20:01:0d:b8:00:00 20010db80000 20-01-0d-b8-00-00 00:00:b8:0d:01:20");
	expect("\"%pU %pUB %pUl\", REC->ip, REC->ip, REC->ip",
	       "20010db8-0000-0000-0000-000000000001 20010DB8-0000-0000-0000-000000000001 "
	       "b80d0120-0000-0000-0000-000000000001");
	expect("\"%*ph %*phC %*phD %*phN\", 2, REC->t, 2, REC->t, 2, REC->t, 9, REC->t",
	       "61 62 61:62 61-62 61626364");
	expect("\"%p %p %pK %12p|\", REC->b, 0, REC->b, REC->b", "0xc8 (nil) 0xc8         0xc8|");
	expect("\"%pS %ps\", REC->w, 0", "0xfedcba9876543210 0x0"); /* nobody names functions here */
}

/* Formats in the other byte order, of a machine with 4-byte longs. */
static void foreign_machines(void **state)
{
	static const struct trace_image_event event = {
		"e",
		TRACE_FIELD("u32 u", 8, 4, 0) TRACE_FIELD("unsigned long l", 12, 4, 0)
			TRACE_FIELD("__data_loc char[] s", 16, 4, 0) TRACE_FIELD("long n", 20, 4, 1),
		"\"%u %lx %s %ld\", REC->u, REC->l, __get_str(s), REC->n",
	};
	static const u8 payload[] = { 0, 0, 0, 0, 0, 0,  0,    0,    0,    0,    1,   2,   0xff, 0,
				      0, 1, 0, 4, 0, 24, 0xff, 0xff, 0xff, 0xfe, 'b', 'i', 'g',  0 };
	struct trace_image im = { .b = STRBUF_INIT, .big_endian = true, .long_size = 4 };
	struct strbuf text = STRBUF_INIT;
	struct trace_formats *f;
	u64 value;

	(void)state;
	trace_image__build(&im, &event, 1, "");
	assert_int_equal(trace_formats__new(&f, im.b.buf, im.b.len, NULL), 0);
	trace_event__print(trace_formats__event(f, 1), payload, sizeof(payload), false, &text);
	assert_string_equal(text.buf, "258 ff000001 big -2");
	assert_true(trace_event__number(trace_formats__event(f, 1), 3, payload, sizeof(payload), &value));
	assert_int_equal(value, -2);
	trace_formats__delete(f);
	strbuf__exit(&im.b);
	strbuf__exit(&text);
}

static void pieces(void **state)
{
	static const struct {
		const char *format, *name;
		const char *piece; /* NULL: the format does not show it */
		u32 first_arg, nr_args;
	} rows[] = {
		{ "a=%d b=%d", "a", "%d", 0, 1 },
		{ "a=%d b=%d", "b", "%d", 1, 1 },
		{ "a=%d b=%d", "c", NULL, 0, 0 },
		{ "a=%s", "a", "%s", 0, 1 },
		{ "aa=%d a=%x", "a", "%x", 1, 1 },
		{ "a_a=%d a=%x", "a", "%x", 1, 1 },
		{ "a=0x%lx b", "a", "0x%lx", 0, 1 },
		{ "a: 0x%08lx, b: %d", "a", "0x%08lx", 0, 1 },
		{ "a: 0x%08lx, b: %d", "b", "%d", 1, 1 },
		{ "work struct %p: function %ps", "work", NULL, 0, 0 },
		{ "work struct %p: function %ps", "function", "%ps", 1, 1 },
		{ "dev=%d:%d x=%d", "dev", "%d:%d", 0, 2 },
		{ "dev=%d:%d x=%d", "x", "%d", 2, 1 },
		{ "s=%.*s n=%d", "n", "%d", 2, 1 },
		{ "s=%.*s n=%d", "s", "%.*s", 0, 2 },
		{ "state=%s%s ==> n=%d", "state", "%s%s", 0, 2 },
		{ "100%% a=%d", "a", "%d", 0, 1 },
		{ "a=%pISpc b=%d", "a", "%pISpc", 0, 1 },
		{ "(a=%d)", "a", "%d)", 0, 1 },
		{ "a=nothing", "a", NULL, 0, 0 },
		{ "a=", "a", NULL, 0, 0 },
		{ "%d%s=%d", "s", NULL, 0, 0 },
		{ "a=%", "a", NULL, 0, 0 },
		{ "", "a", NULL, 0, 0 },
		{ "=%d", "", NULL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace_piece p;
		bool found = trace_piece__find(&p, rows[i].format, rows[i].name);

		if (found != (rows[i].piece != NULL))
			fail_msg("'%s' in '%s'", rows[i].name, rows[i].format);
		if (!found)
			continue;
		if (p.len != strlen(rows[i].piece) || memcmp(rows[i].format + p.from, rows[i].piece, p.len) ||
		    p.first_arg != rows[i].first_arg || p.nr_args != rows[i].nr_args)
			fail_msg("'%s' in '%s': '%.*s', %u from %u", rows[i].name, rows[i].format, (int)p.len,
				 rows[i].format + p.from, p.nr_args, p.first_arg);
	}
}

/* Plain values of text fields, as --raw-trace, JSON and sort keys show them: t is char[16], s is dynamic. */
static void text_fields(void **state)
{
	static const char decl[] =
		TRACE_FIELD("char t[16]", 8, 16, 0) TRACE_FIELD("__data_loc char[] s", 24, 4, 0);
	static const struct {
		const char *value, *fixed, *dynamic; /* NULL: as value; "ARRAY": not text */
	} rows[] = {
		{ "plain text", NULL, NULL },
		{ "", NULL, NULL },
		{ "a\tb\n", NULL, NULL },
		{ "gr\xc3\xb6\xc3\x9f"
		  "e",
		  NULL, NULL },
		{ "\xe6\x97\xa5\xe6\x9c\xac", NULL, NULL },
		{ "\xf0\x9f\x94\xa5", NULL, NULL },
		{ "esc\x1b[1m", "ARRAY", "ARRAY" },
		{ "c1 \xc2\x9b", "ARRAY", "ARRAY" },
		{ "lone \x9b", "ARRAY", "ARRAY" },
		{ "latin1 \xe9t\xe9", "ARRAY", "ARRAY" },
		{ "latin1 \xe9", "ARRAY", "ARRAY" },
		{ "overlong \xc0\xaf", "ARRAY", "ARRAY" },
		{ "surrogate \xed\xa0\x80", "ARRAY", "ARRAY" },
		/* a name of 15 bytes that was cut within a character */
		{ "aaaaaaaaaaaaaa\xc3", "aaaaaaaaaaaaaa", "ARRAY" },
		{ "aaaaaaaaaaaa\xe6\x97\xa5", NULL, NULL },
		{ "aaaaaaaaaaaaa\xe6\x97", "aaaaaaaaaaaaa", "ARRAY" },
		{ "aaaaaaaaaaaaaa\x97", "ARRAY", "ARRAY" },
		{ "aaaaaaaaaaaa\xed\xa0\x80", "ARRAY", "ARRAY" }, /* not cut: a surrogate */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct {
			u8 common[8];
			char t[16];
			u32 s;
			char s_text[32];
		} values = { .s = 0 };
		size_t size = strlen(rows[i].value) + 1;
		struct trace_image_event event = { "e", decl, "\"%d\", REC->common_pid" };
		struct trace_formats *f;
		struct trace_image im;

		memcpy(values.t, rows[i].value, size);
		memcpy(values.s_text, rows[i].value, size);
		values.s = (u32)size << 16 | offsetof(typeof(values), s_text);
		trace_image__init(&im);
		trace_image__build(&im, &event, 1, "");
		assert_int_equal(trace_formats__new(&f, im.b.buf, im.b.len, NULL), 0);
		for (size_t nr = 0; nr < 2; nr++) {
			const char *want = nr ? rows[i].dynamic : rows[i].fixed;
			struct strbuf text = STRBUF_INIT;

			trace_event__print_field(trace_formats__event(f, 1), nr, &values, sizeof(values),
						 true, &text);
			if (!want)
				assert_string_equal(text.buf, rows[i].value);
			else if (strcmp(want, "ARRAY"))
				assert_string_equal(text.buf, want);
			else
				assert_memory_equal(text.buf, "ARRAY[", 6);
			strbuf__exit(&text);
		}
		trace_formats__delete(f);
		strbuf__exit(&im.b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions),      cmocka_unit_test(conversions),
		cmocka_unit_test(names_of_numbers), cmocka_unit_test(bytes_and_pointers),
		cmocka_unit_test(foreign_machines), cmocka_unit_test(pieces),
		cmocka_unit_test(text_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
