/* What tracepoints carry as text and values, and formats that were made to do harm. */
#include "unit.h"

#include "event/tracepoint/trace_format.h"
#include "trace_image.h"

#include <errno.h>
#include <stdlib.h>

enum { SWITCH = 1, EXEC, REL, ARRAY_ARGS, HEX, INTS, SITE, STRING, NOTHING, NR_GOOD = NOTHING };

static const struct trace_image_event good[] = {
	{ "switch",
	  TRACE_FIELD("char prev_comm[16]", 8, 16, 0) TRACE_FIELD("pid_t prev_pid", 24, 4, 1)
		  TRACE_FIELD("long prev_state", 32, 8, 1),
	  "\"prev_comm=%s prev_pid=%d prev_state=%s\", REC->prev_comm, REC->prev_pid, REC->prev_state & 3 ? "
	  "__print_flags(REC->prev_state & 3, \"|\", { 1, \"S\" }, { 2, \"D\" }) : \"R\"" },
	{ "exec", TRACE_FIELD("__data_loc char[] filename", 8, 4, 0) TRACE_FIELD("pid_t pid", 12, 4, 1),
	  "\"filename=%s pid=%d\", __get_str(filename), REC->pid" },
	{ "rel", TRACE_FIELD("u32 id", 8, 4, 0) TRACE_FIELD("__rel_loc char[] text", 12, 4, 0),
	  "\"id=%u text=%s\", REC->id, __get_rel_str(text)" },
	{ "array_args", TRACE_FIELD("unsigned long args[2]", 8, 16, 0),
	  "\"(%lx, %lx)\", REC->args[0], REC->args[1]" },
	{ "hex", TRACE_FIELD("u32 len", 8, 4, 0) TRACE_FIELD("__data_loc u8[] buf", 12, 4, 0),
	  "\"len=%u buf=%s\", REC->len, __print_hex(__get_dynamic_array(buf), REC->len)" },
	{ "ints", TRACE_FIELD("__data_loc u16[] v", 8, 4, 0),
	  "\"v=%s\", __print_array(__get_dynamic_array(v), __get_dynamic_array_len(v) / 2, 2)" },
	{ "site", TRACE_FIELD("void * site", 8, 8, 0), "\"site=%pS other %ps\", REC->site, REC->site" },
	{ "string", TRACE_FIELD("const char * s", 8, 8, 0) TRACE_FIELD("u8 n", 16, 1, 0),
	  "\"%s n=%u\", REC->s, REC->n" },
	{ "nothing", "", "\"always\"" },
};

static struct trace_formats *load(const struct trace_image_event *events, size_t nr)
{
	struct err err = ERR_INIT;
	struct trace_formats *f = NULL;
	struct trace_image im;

	trace_image__init(&im);
	trace_image__build(&im, events, nr,
			   "0x1000 : \"a text\"\n0x2000 : \"a line\\n\"\nnonsense\n:\n0x3000\n");
	assert_int_equal(trace_formats__new(&f, im.b.buf, im.b.len, &err), 0);
	strbuf__exit(&im.b);
	err__exit(&err);
	return f;
}

struct payload {
	u8 bytes[256];
	size_t size;
};

/* As on this machine: tests of the other byte order would need formats of it. */
#define PUT(p, offset, type, value)                                        \
	do {                                                               \
		type x_ = (type)(value);                                   \
		memcpy((p)->bytes + (offset), &x_, sizeof(x_));            \
		(p)->size = MAX((p)->size, (size_t)(offset) + sizeof(x_)); \
	} while (0)

static void expect_print(struct trace_event *e, const struct payload *p, bool raw, const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	assert_non_null(e);
	trace_event__print(e, p->bytes, p->size, raw, &text);
	assert_string_equal(text.buf, expected);
	strbuf__exit(&text);
}

static void expect_field(struct trace_event *e, size_t nr, const struct payload *p, bool raw,
			 const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	trace_event__print_field(e, nr, p->bytes, p->size, raw, &text);
	assert_string_equal(text.buf, expected);
	strbuf__exit(&text);
}

static struct payload switch_payload(void)
{
	struct payload p = { .size = 0 };

	PUT(&p, 0, u16, 77); /* whatever it says: the event is known from elsewhere */
	strcpy((char *)p.bytes + 8, "two words");
	PUT(&p, 24, s32, -5);
	PUT(&p, 32, u64, 3);
	return p;
}

static void print_formats_are_followed(void **state)
{
	struct trace_formats *f = load(good, ARRAY_SIZE(good));
	struct trace_event *e = trace_formats__event(f, SWITCH);
	struct payload p = switch_payload(), none = { .size = 8 };
	size_t nr;
	u64 value;

	(void)state;
	expect_print(e, &p, false, "prev_comm=two words prev_pid=-5 prev_state=S|D");
	expect_print(e, &p, true, " prev_comm=two words prev_pid=-5 prev_state=3");
	expect_field(e, 0, &p, false, "two words");
	expect_field(e, 1, &p, false, "-5");
	expect_field(e, 2, &p, false, "S|D");
	expect_field(e, 2, &p, true, "3");
	PUT(&p, 32, u64, 4);
	expect_field(e, 2, &p, false, "R");
	assert_true(trace_event__number(e, 1, p.bytes, p.size, &value));
	assert_int_equal((s64)value, -5);
	assert_false(trace_event__number(e, 0, p.bytes, p.size, &value));
	assert_false(trace_event__number(e, 1, p.bytes, 27, &value));
	expect_print(trace_formats__event(f, NOTHING), &none, false, "always");
	assert_null(trace_event__fields(trace_formats__event(f, NOTHING), &nr));
	assert_int_equal(nr, 0);
	assert_null(trace_formats__event(f, 4711));
	assert_null(trace_formats__event(f, UINT64_MAX));
	trace_formats__delete(f);
}

static void dynamic_fields_are_found(void **state)
{
	struct trace_formats *f = load(good, ARRAY_SIZE(good));
	struct payload p = { .size = 0 };

	(void)state;
	PUT(&p, 8, u32, 5 << 16 | 16);
	PUT(&p, 12, s32, 7);
	memcpy(p.bytes + 16, "/bin", 5);
	p.size = 21;
	expect_print(trace_formats__event(f, EXEC), &p, false, "filename=/bin pid=7");
	expect_field(trace_formats__event(f, EXEC), 0, &p, true, "/bin");
	p = (struct payload){ .size = 0 };
	PUT(&p, 8, u32, 3);
	PUT(&p, 12, u32, 4 << 16 | 0);
	memcpy(p.bytes + 16, "rel", 4);
	p.size = 20;
	expect_print(trace_formats__event(f, REL), &p, false, "id=3 text=rel");
	p = (struct payload){ .size = 0 };
	PUT(&p, 8, u64, 0x10);
	PUT(&p, 16, u64, 0x20);
	expect_print(trace_formats__event(f, ARRAY_ARGS), &p, false, "(10, 20)");
	p = (struct payload){ .size = 0 };
	PUT(&p, 8, u32, 4 << 16 | 12);
	PUT(&p, 12, u16, 1);
	PUT(&p, 14, u16, 2);
	expect_print(trace_formats__event(f, INTS), &p, false, "v=1 2");
	trace_formats__delete(f);
}

static const char *name_function(void *ctx, u64 address, u64 *start)
{
	(void)ctx;
	*start = 0xffff0000;
	return address >= 0xffff0000 ? "my_function" : NULL;
}

static void addresses_have_names(void **state)
{
	struct trace_formats *f = load(good, ARRAY_SIZE(good));
	struct payload p = { .size = 0 };

	(void)state;
	trace_formats__set_functions(f, name_function, NULL);
	PUT(&p, 8, u64, 0xffff0010);
	expect_print(trace_formats__event(f, SITE), &p, false, "site=my_function+0x10 other my_function");
	p = (struct payload){ .size = 0 };
	PUT(&p, 8, u64, 0x1000);
	PUT(&p, 16, u8, 200);
	expect_print(trace_formats__event(f, STRING), &p, false, "a text n=200");
	PUT(&p, 8, u64, 0x2000);
	expect_print(trace_formats__event(f, STRING), &p, false, "a line n=200");
	trace_formats__delete(f);
}

/* A payload of which only what a text needs is left has the same text. */
static void needed_bytes_are_enough(void **state)
{
	struct trace_formats *f = load(good, ARRAY_SIZE(good));
	struct payload p = { .size = 0 }, cut = { .size = 0 };
	struct trace_event *e = trace_formats__event(f, EXEC);
	trace_spans spans = { 0 };

	(void)state;
	PUT(&p, 4, u32, 0x12345678);
	PUT(&p, 8, u32, 5 << 16 | 20);
	PUT(&p, 12, s32, 7);
	memcpy(p.bytes + 20, "/bin", 5);
	p.size = 32;
	trace_event__field_needs(e, 0, &spans);
	cut.size = trace_spans__cut(&spans, p.bytes, p.size, trace_formats__big_endian(f), cut.bytes);
	assert_int_equal(cut.size, 25);
	expect_field(e, 0, &cut, false, "/bin");
	expect_field(e, 1, &cut, false, "0");
	trace_event__needs(e, &spans);
	cut.size = trace_spans__cut(&spans, p.bytes, p.size, trace_formats__big_endian(f), cut.bytes);
	expect_print(e, &cut, false, "filename=/bin pid=7");
	assert_int_equal(cut.bytes[4], 0);
	array__exit(&spans);

	/* What it points to is not all there. */
	spans = (trace_spans){ 0 };
	trace_event__field_needs(e, 0, &spans);
	for (size_t size = 0; size <= p.size; size++) {
		u8 *copy = xmemdup(p.bytes, size + !size), *out = xmalloc(size + !size);

		assert_true(trace_spans__cut(&spans, copy, size, trace_formats__big_endian(f), out) <= size);
		free(copy);
		free(out);
	}
	array__exit(&spans);
	trace_formats__delete(f);
}

/* ---- hostile ones ---- */

/* "a@b@c" -> abb...bc, nr times. */
static char *repeat(const char *pattern, size_t nr)
{
	size_t before = strcspn(pattern, "@"), len = strcspn(pattern + before + 1, "@");
	struct strbuf sb = STRBUF_INIT;

	strbuf__add(&sb, pattern, before);
	for (size_t i = 0; i < nr; i++)
		strbuf__add(&sb, pattern + before + 1, len);
	strbuf__addstr(&sb, pattern + before + 1 + len + 1);
	return strbuf__detach(&sb);
}

static void expect_parsed(const char *print, bool parsed)
{
	struct trace_image_event event = { "deep", TRACE_FIELD("int n", 8, 4, 1), print };
	struct trace_formats *f = load(&event, 1);
	struct trace_event *e = trace_formats__event(f, 1); /* NULL: too long */
	struct strbuf text = STRBUF_INIT;
	struct payload p = { .size = 12 };
	bool failed;

	if (e)
		trace_event__print(e, p.bytes, p.size, false, &text);
	failed = !e || !strcmp(text.buf, "[FAILED TO PARSE] n=0");
	if (failed == parsed)
		fail_msg("%.60s: '%.60s'", print, text.buf);
	strbuf__exit(&text);
	trace_formats__delete(f);
}

static void deep_expressions_are_refused(void **state)
{
	static const struct {
		const char *pattern;
		size_t nr;
		bool ok;
	} rows[] = {
		{ "\"%d\", @(@1", 40, false },
		{ "\"%d\", @(@1", 100000, false },
		{ "\"%d\", @1+@1", 100, true },
		{ "\"%d\", @1+@1", 50000, false },
		{ "\"%d\", @!@1", 100, true },
		{ "\"%d\", @!@1", 100000, false },
		{ "\"%d\", @1?2:@1", 50, true },
		{ "\"%d\", @1?2:@1", 50000, false },
		{ "\"%d\", 1@,1@", 1000, true },
		{ "\"%d\", @(int)@1", 100000, false },
		{ "\"%d\", @sizeof(int)*@1", 50, true },
		{ "\"%d\", @REC->n?@1", 100000, false },
		{ "\"%d\", @__builtin_expect(@1", 100000, false },
		{ "\"%s\", @__print_flags(1, \"\", { @", 10000, false },
		{ "@\"x\"@, 1", 10000, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *print = repeat(rows[i].pattern, rows[i].nr);

		expect_parsed(print, rows[i].ok);
		free(print);
	}
}

static void nonsense_is_refused(void **state)
{
	static const char *const prints[] = {
		"",
		"1",
		"\"%d\"  1",
		"\"%d\",",
		"\"%d\", ,",
		"\"%d",
		"\"%d\", 'ab'",
		"\"%d\", (",
		"\"%d\", )",
		"\"%d\", 1 +",
		"\"%d\", REC->",
		"\"%d\", REC->none",
		"\"%d\", REC->n[0]",
		"\"%d\", REC",
		"\"%d\", f(1)",
		"\"%d\", 1 ? 2",
		"\"%d\", 1 ? : 2",
		"\"%s\", __get_str(n)",
		"\"%s\", __get_str(none)",
		"\"%d\", 12ab",
		"\"%s\", __print_flags(REC->n)",
		"\"%s\", __print_flags(REC->n, \"|\", { 1, \"a\")",
		"\"%s\", __print_symbolic(REC->n, { 1 })",
		"\"%s\", __print_hex(REC->n, 1)",
		"\"%s\", __print_array(REC->n, 1, 1)",
		"\"%d\", ({ 1; })",
		"\"%d\", \x01",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(prints); i++)
		expect_parsed(prints[i], false);
	expect_parsed("\"%d\", REC->n", true);
}

/* What would read elsewhere, divide by zero or print without end has a harmless value. */
static void dangerous_formats_are_harmless(void **state)
{
	static const struct {
		const char *print, *text;
	} rows[] = {
		{ "\"%lx\", REC->a[1]", "22" },
		{ "\"%lx\", REC->a[2]", "0" },
		{ "\"%lx\", REC->a[100000000]", "0" },
		{ "\"%lx\", REC->a[0xffffffffffffffff]", "0" },
		{ "\"%lx\", REC->a[REC->n]", "11" },
		{ "\"%d %d\", 1 / REC->n, 7 % REC->n", "0 0" },
		{ "\"%lld\", 0x8000000000000000 / -1", "0" },
		{ "\"%lld\", -0x7fffffffffffffff / -1", "9223372036854775807" },
		{ "\"%d\", 1 << 64 >> 99", "0" },
		{ "\"%n|%\", REC->n", "%n|%" },
		{ "\"%d %d\", REC->n", "0 " },
		{ "\"%s\", __print_hex(REC->a, 1000000000)",
		  "11 00 00 00 00 00 00 00 22 00 00 00 00 00 00 00" },
		{ "\"%s\", __print_array(REC->a, 1000000000, 8)", "17 34" },
		{ "\"%s\", __print_array(REC->a, 1, 3)", "" },
		{ "\"%.*s|\", -1, \"abc\"", "abc|" },
		{ "\"%s\", REC->n", "0" },
		{ "\"%pU%pI4\", REC->n, REC->n", "(nil)(nil)" },
	};
	struct payload p = { .size = 0 };

	(void)state;
	PUT(&p, 8, u64, 0x11);
	PUT(&p, 16, u64, 0x22);
	PUT(&p, 24, s32, 0);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct trace_image_event event = { "odd",
						   TRACE_FIELD("unsigned long a[2]", 8, 16, 0)
							   TRACE_FIELD("int n", 24, 4, 1),
						   rows[i].print };
		struct trace_formats *f = load(&event, 1);

		expect_print(trace_formats__event(f, 1), &p, false, rows[i].text);
		trace_formats__delete(f);
	}
}

/* One text is not longer than a screen can bear, whatever its format. */
static void texts_have_an_end(void **state)
{
	char *formats = repeat("\"@%999d@\"@", 1000), *print;
	struct trace_image_event event = { "long", TRACE_FIELD("int n", 8, 4, 1), NULL };
	struct strbuf text = STRBUF_INIT;
	struct payload p = { .size = 12 };
	struct trace_formats *f;
	char *args;

	(void)state;
	formats[strlen(formats) - 1] = '\0';
	args = repeat("@, REC->n@", 1000);
	print = xasprintf("%s%s", formats, args);
	event.print = print;
	f = load(&event, 1);
	trace_event__print(trace_formats__event(f, 1), p.bytes, p.size, false, &text);
	assert_true(text.len > 60000 && text.len < 80000);
	strbuf__exit(&text);
	trace_formats__delete(f);
	free(formats);
	free(args);
	free(print);
}

/* Fields that lie in no payload. */
static void impossible_fields_are_refused(void **state)
{
	static const char *const fields[] = {
		TRACE_FIELD("int n", 70000, 4, 0),
		TRACE_FIELD("int n", -4, 4, 0),
		TRACE_FIELD("", 8, 4, 0),
		TRACE_FIELD("int n", 65533, 4, 0),
		TRACE_FIELD("char n[9]", 8, -9, 0),
		TRACE_FIELD("char n[9]", 8, 99999, 0),
		TRACE_FIELD("__data_loc char[] n", 8, 2, 0),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct trace_image_event event = { "bad", fields[i], "\"%d\", REC->n" };
		struct trace_formats *f = load(&event, 1);

		if (trace_formats__event(f, 1))
			fail_msg("taken: %s", fields[i]);
		trace_formats__delete(f);
	}
}

/* A number of bytes that the payload gives. */
static void lengths_of_payloads_are_bounded(void **state)
{
	struct trace_formats *f = load(good, ARRAY_SIZE(good));
	struct payload p = { .size = 0 };

	(void)state;
	PUT(&p, 8, u32, 3);
	PUT(&p, 12, u32, 3 << 16 | 16);
	PUT(&p, 16, u32, 0x00030201);
	expect_print(trace_formats__event(f, HEX), &p, false, "len=3 buf=01 02 03");
	PUT(&p, 8, u32, 0xffffffff);
	expect_print(trace_formats__event(f, HEX), &p, false, "len=4294967295 buf=01 02 03");
	PUT(&p, 8, u32, 0xffff0000 | 16); /* 64 KB */
	expect_print(trace_formats__event(f, EXEC), &p, false, "filename=\x01\x02\x03 pid=196624");
	PUT(&p, 8, u32, 0xffffffff); /* 64 KB from 64 KB on */
	expect_print(trace_formats__event(f, INTS), &p, false, "v=");
	expect_print(trace_formats__event(f, EXEC), &p, false, "filename= pid=196624");
	trace_formats__delete(f);
}

static u32 seed = 1;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void use_all(const void *data, size_t size)
{
	struct trace_formats *f = NULL;
	struct strbuf text = STRBUF_INIT;
	struct payload p = { .size = 0 };

	if (trace_formats__new(&f, data, size, NULL))
		return;
	trace_formats__set_functions(f, name_function, NULL);
	for (size_t i = 0; i < sizeof(p.bytes); i++)
		p.bytes[i] = rnd(3) ? (u8)rnd(32) : (u8)rnd(256);
	for (u64 config = 0; config <= ARRAY_SIZE(good); config++) {
		struct trace_event *e = trace_formats__event(f, config);
		size_t nr = 0, bytes = rnd(sizeof(p.bytes));
		u8 *payload = xmemdup(p.bytes, bytes + !bytes);
		trace_spans spans = { 0 };
		u64 value;

		if (e)
			trace_event__fields(e, &nr);
		for (size_t i = 0; i < nr; i++) {
			trace_event__print_field(e, i, payload, bytes, i & 1, &text);
			trace_event__field_needs(e, i, &spans);
			(void)trace_event__number(e, i, payload, bytes, &value);
		}
		if (e) {
			trace_event__print(e, payload, bytes, false, &text);
			trace_event__print(e, payload, bytes, true, &text);
			trace_event__needs(e, &spans);
			trace_spans__cut(&spans, payload, bytes, trace_formats__big_endian(f), p.bytes);
		}
		strbuf__reset(&text);
		array__exit(&spans);
		free(payload);
	}
	strbuf__exit(&text);
	trace_formats__delete(f);
}

static void random_damage_is_survived(void **state)
{
	const char *more = getenv("TRACE_FLIPS");
	u32 rounds = more ? (u32)atoi(more) : 300;
	struct trace_image im;
	struct strbuf data;

	(void)state;
	seed = more ? (u32)atoi(more) : seed;
	trace_image__init(&im);
	trace_image__build(&im, good, ARRAY_SIZE(good), "0x1000 : \"a text\"\n");
	data = im.b;
	use_all(data.buf, data.len);
	for (u32 i = 0; i < rounds; i++) {
		char *copy = xmemdup(data.buf, data.len);
		u32 nr = 1 + rnd(8);

		for (u32 k = 0; k < nr; k++) {
			size_t at = rnd((u32)data.len), from = rnd((u32)data.len);

			if (rnd(2))
				copy[at] = data.buf[from];
			else
				copy[at] ^= (char)(1 << rnd(8));
		}
		use_all(copy, rnd(4) ? data.len : rnd((u32)data.len));
		free(copy);
	}
	strbuf__exit(&data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_formats_are_followed),
		cmocka_unit_test(dynamic_fields_are_found),
		cmocka_unit_test(addresses_have_names),
		cmocka_unit_test(needed_bytes_are_enough),
		cmocka_unit_test(deep_expressions_are_refused),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(dangerous_formats_are_harmless),
		cmocka_unit_test(texts_have_an_end),
		cmocka_unit_test(impossible_fields_are_refused),
		cmocka_unit_test(lengths_of_payloads_are_bounded),
		cmocka_unit_test(random_damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
