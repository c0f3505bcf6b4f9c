/*
 * V8's constants, texts, names of functions, lines and code, in memory that is made by hand as Node.js 18, 20
 * and 24 have it; and the same with lies in it.
 */
#include "unit.h"

#include "record/v8/v8_code.h"
#include "record/v8/v8_function.h"
#include "v8_image.h"

#include <errno.h>

enum { BASE = 0x10000000 };

static u8 mem[V8I_SIZE];
static struct v8_image image;
static struct v8_layout layout;
static struct v8_lines lines;
static bool is_busy; /* nothing can be read without pages now */

static bool read_image(void *ctx, u64 addr, void *data, size_t size)
{
	if (addr < BASE || addr - BASE > V8I_SIZE || size > V8I_SIZE - (addr - BASE) || (ctx && is_busy))
		return false;
	memcpy(data, mem + (addr - BASE), size);
	return true;
}

/* The same in a larger piece of memory. */
static bool read_far(void *ctx, u64 addr, void *data, size_t size)
{
	if (addr < BASE || addr - BASE > 2 * V8I_SIZE || size > 2 * V8I_SIZE - (addr - BASE))
		return false;
	memcpy(data, (const u8 *)ctx + (addr - BASE), size);
	return true;
}

static const struct vm_memory memory = { .read = read_image };
static const struct vm_memory large = { .read = read_image, .ctx = &is_busy };
static const struct v8_heap heap = { .l = &layout, .m = &memory };

static void make(enum v8i_version version)
{
	v8_image__make(&image, mem, BASE, version);
	assert_null(v8_layout__read(&layout, &memory, BASE));
	v8_lines__exit(&lines);
	lines = (struct v8_lines){ .m = &large };
	is_busy = false;
}

static int end(void **state)
{
	(void)state;
	v8_lines__exit(&lines);
	return 0;
}

/* ---- layout ---- */

static void test_layouts(void **state)
{
	(void)state;
	make(V8_10);
	assert_int_equal(layout.types[V8_STREAM], -1);
	assert_int_equal(layout.at[V8_STREAM_SIZE], 128);
	assert_int_equal(layout.at[V8_CODE_DATA], 16);
	assert_int_equal(layout.at[V8_SHARED_INDEX], 6);
	make(V8_11);
	assert_int_equal(layout.types[V8_STREAM], V8I_STREAM);
	assert_int_equal(layout.at[V8_CODE_START], 40);
	assert_int_equal(layout.at[V8_CODE_SIZE], 56);
	make(V8_13);
	assert_int_equal(layout.at[V8_CODE_DATA], 8);
	assert_int_equal(layout.at[V8_SHARED_NAME], 24);
	assert_int_equal(layout.at[V8_SHARED_INDEX], 7);
}

/* Each constant is needed, and those that are the same everywhere must be so. */
static void test_refuses_unknown_versions(void **state)
{
	struct v8_image right;

	(void)state;
	v8_image__make(&right, mem, BASE, V8_10);
	for (unsigned k = 0; k < right.nr_symbols; k++) {
		bool is_optional = strstr(right.names[k], "CODE_DATA_CONTAINER");

		v8_image__make(&image, mem, BASE, V8_10);
		memset(mem + V8I_SYMBOLS, 0, V8I_VALUES - V8I_SYMBOLS);
		image.names[k] = "v8dbg_other";
		v8i__write_symbols(&image);
		if (is_optional)
			assert_null(v8_layout__read(&layout, &memory, BASE));
		else
			assert_non_null(v8_layout__read(&layout, &memory, BASE));
	}
	v8_image__make(&image, mem, BASE, V8_13);
	for (unsigned k = 0; k < image.nr_symbols; k++) {
		s32 value = image.values[k];

		image.values[k] = 100000;
		v8i__write_symbols(&image);
		if (strstr(image.names[k], "v8dbg_type_") ||
		    !strcmp(image.names[k], "v8dbg_CodeKindBaseline"))
			v8_layout__read(&layout, &memory, BASE);
		else
			assert_non_null(v8_layout__read(&layout, &memory, BASE));
		image.values[k] = value;
	}
	v8i__write_symbols(&image);
	assert_null(v8_layout__read(&layout, &memory, BASE));
	mem[1] = 'e';
	assert_string_equal(v8_layout__read(&layout, &memory, BASE),
			    "it has no symbols, or its memory cannot be read");
	assert_non_null(v8_layout__read(&layout, &memory, BASE + V8I_SIZE));
}

static void expect_no_symbols(void)
{
	assert_string_equal(v8_layout__read(&layout, &memory, BASE),
			    "it has no symbols, or its memory cannot be read");
}

static void test_refuses_odd_symbols(void **state)
{
	static const s64 tags[] = { DT_SYMTAB, DT_STRTAB, DT_GNU_HASH };
	Elf64_Sym s;

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(tags); i++) {
		v8_image__make(&image, mem, BASE, V8_13);
		v8i__u64(&image, BASE + V8I_DYNAMIC + i * sizeof(Elf64_Dyn), DT_DEBUG);
		expect_no_symbols();
	}
	v8_image__make(&image, mem, BASE, V8_13);
	v8i__u32(&image, BASE + V8I_HASH, 0); /* no buckets */
	expect_no_symbols();
	/* a symbol that is elsewhere, and one that is no constant */
	for (unsigned i = 0; i < 2; i++) {
		v8_image__make(&image, mem, BASE, V8_13);
		memcpy(&s, mem + V8I_SYMBOLS + sizeof(s), sizeof(s));
		s.st_shndx = i ? s.st_shndx : SHN_UNDEF;
		s.st_size = i ? 8 : s.st_size;
		v8i__put(&image, BASE + V8I_SYMBOLS + sizeof(s), &s, sizeof(s));
		assert_non_null(v8_layout__read(&layout, &memory, BASE));
	}
}

/* Offsets that no version has. */
static void test_refuses_odd_offsets(void **state)
{
	static const struct {
		const char *name;
		s32 value;
	} odd[] = { { "v8dbg_class_InstructionStream__instruction_start__uintptr_t", 15 },
		    { "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_", 32 },
		    { "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_", 8 },
		    { "v8dbg_class_JSFunction__shared__SharedFunctionInfo", -8 },
		    { "v8dbg_class_JSFunction__shared__SharedFunctionInfo", 513 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(odd); i++) {
		v8_image__make(&image, mem, BASE, V8_13);
		for (unsigned k = 0; k < image.nr_symbols; k++)
			if (!strcmp(image.names[k], odd[i].name))
				image.values[k] = odd[i].value;
		v8i__write_symbols(&image);
		assert_string_equal(v8_layout__read(&layout, &memory, BASE), "its version of V8 is unknown");
	}
}

/* ---- texts ---- */

static void expect_text(u64 object, const char *text)
{
	struct strbuf out = STRBUF_INIT;

	strbuf__addstr(&out, "-");
	assert_true(v8_heap__add_text(&heap, object, &out));
	assert_string_equal(out.buf + 1, text);
	strbuf__exit(&out);
}

static void refuse_text(u64 object)
{
	struct strbuf out = STRBUF_INIT;

	assert_false(v8_heap__add_text(&heap, object, &out));
	strbuf__exit(&out);
}

static void test_texts(void **state)
{
	static const u16 wide[] = { 'a', 0xe9, 0x20ac, 0xd83d, 0xde3f, 0xdc00, 0xd800, 0xdc00, 0xd800, 0 };
	u64 plain, cons, object;

	(void)state;
	make(V8_11);
	plain = v8i__text(&image, "caf\xe9 au lait");
	expect_text(plain, "caf\xc3\xa9 au lait");
	expect_text(v8i__text(&image, ""), "");
	object = v8i__object(&image, 32, 16 + sizeof(wide));
	v8i__u32(&image, object - 1 + 12, ARRAY_SIZE(wide));
	v8i__put(&image, object - 1 + 16, wide, sizeof(wide));
	expect_text(object, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\xbf\xef\xbf\xbd\xf0\x90\x80\x80\xef\xbf\xbd ");
	cons = v8i__text_of(&image, 41, 5, v8i__text(&image, "ab"), v8i__text(&image, "cde"));
	cons = v8i__text_of(&image, 41, 8, cons, v8i__text(&image, "fgh"));
	expect_text(cons, "abcdefgh");
	expect_text(v8i__text_of(&image, 43, 4, plain, v8i__smi(5)), "au l");
	expect_text(v8i__text_of(&image, 45, 12, plain, 0), "caf\xc3\xa9 au lait");
	expect_text(v8i__text_of(&image, 43, 2, v8i__text_of(&image, 45, 12, plain, 0), v8i__smi(8)), "la");
	/* an external one: the address of the characters */
	object = v8i__text_of(&image, 42, 4, 0, plain - 1 + 16);
	expect_text(object, "caf\xc3\xa9");
}

static void test_refuses_odd_texts(void **state)
{
	u64 plain, cons, object;

	(void)state;
	make(V8_11);
	plain = v8i__text(&image, "text");
	refuse_text(0);
	refuse_text(plain - 1);
	refuse_text(plain + 2);
	refuse_text(v8i__object(&image, V8I_SCRIPT, 32));
	refuse_text(v8i__object(&image, 0x80, 32)); /* the first type that is no text */
	assert_false(v8_heap__is_text(&heap, v8i__object(&image, 0x80, 32)));
	assert_true(v8_heap__is_text(&heap, v8i__object(&image, 0x7f, 32)));
	refuse_text(v8i__text_of(&image, 43, 4, plain, v8i__smi(1))); /* beyond the end */
	refuse_text(v8i__text_of(&image, 43, 2, plain, v8i__smi(-1)));
	refuse_text(v8i__text_of(&image, 58, 4, 0, plain - 1 + 16)); /* characters are elsewhere */
	refuse_text(v8i__text_of(&image, 42, 4, 0, 16));
	refuse_text(v8i__text_of(&image, 44, 4, plain, plain)); /* unknown kind */
	object = v8i__text_of(&image, 45, 4, 0, 0);
	v8i__set(&image, object, 16, object); /* itself */
	refuse_text(object);
	cons = v8i__text_of(&image, 41, 4, 0, 0);
	v8i__set(&image, cons, 16, cons);
	v8i__set(&image, cons, 24, cons);
	refuse_text(cons);
	v8i__u32(&image, plain - 1 + 12, 5000);
	refuse_text(plain);
	v8i__u32(&image, plain - 1 + 12, UINT32_MAX);
	refuse_text(plain);
	refuse_text(v8i__text_of(&image, 43, UINT32_MAX, plain, v8i__smi(2)));
}

/* Texts are of 1024 characters, or a piece more, and of 16 pieces at most. */
static void test_long_texts(void **state)
{
	char chars[1001] = { 0 };
	u64 many, text;

	(void)state;
	make(V8_11);
	memset(chars, 'x', sizeof(chars) - 1);
	text = v8i__text(&image, chars);
	many = v8i__text_of(&image, 41, 2000, text, text);
	assert_true(v8_heap__is_text(&heap, many));
	refuse_text(v8i__text_of(&image, 41, 3000, many, text));
	text = many = v8i__text(&image, "a");
	for (u32 nr = 2; nr <= 16; nr++)
		many = v8i__text_of(&image, 41, nr, many, text);
	expect_text(many, "aaaaaaaaaaaaaaaa");
	refuse_text(v8i__text_of(&image, 41, 17, many, text));
}

/* ---- functions ---- */

static void expect_name(u64 shared, const char *name)
{
	struct strbuf out = STRBUF_INIT;

	strbuf__addstr(&out, "-");
	assert_true(v8_shared__add_name(&heap, &lines, shared, &out));
	assert_string_equal(out.buf + 1, name);
	strbuf__exit(&out);
}

static void refuse_name(u64 shared)
{
	struct strbuf out = STRBUF_INIT;

	strbuf__addstr(&out, "-");
	assert_false(v8_shared__add_name(&heap, &lines, shared, &out));
	assert_string_equal(out.buf, "-");
	strbuf__exit(&out);
}

static void test_names(void **state)
{
	(void)state;
	for (enum v8i_version v = V8_10; v <= V8_13; v++) {
		u64 ends[] = { v8i__smi(4), v8i__smi(9), v8i__smi(30) }, script, unnamed, name, guess, scope;

		make(v);
		name = v8i__text(&image, "run");
		guess = v8i__text(&image, "Thing.run");
		script = v8i__script(&image, v8i__text(&image, "/app/a.js"), 0, v8i__array(&image, ends, 3));
		unnamed = v8i__script(&image, 0, 0, v8i__array(&image, ends, 3));
		for (s32 nr = 0; nr < 100; nr += 25) { /* of variables: some inline, many in a table */
			scope = v8i__scope(&image, nr, name, 0, 6);
			expect_name(v8i__shared(&image, scope, script, 0), "run /app/a.js:2:2");
			scope = v8i__scope(&image, nr, 0, guess, 10);
			expect_name(v8i__shared(&image, scope, script, 0), "Thing.run /app/a.js:3:1");
			image.heap = V8I_HEAP + 0x4000; /* there is not room for all */
		}
		scope = v8i__scope(&image, 1, name, guess, 0);
		expect_name(v8i__shared(&image, scope, script, 0), "run /app/a.js:1:1");
		scope = v8i__scope(&image, 1, v8i__text(&image, ""), guess, 4);
		expect_name(v8i__shared(&image, scope, script, 0), "Thing.run /app/a.js:1:5");
		scope = v8i__scope(&image, 0, 0, 0, 30);
		expect_name(v8i__shared(&image, scope, script, 0), "(anonymous) /app/a.js:3:21");
		expect_name(v8i__shared(&image, scope, unnamed, 0), "(anonymous) (eval):3:21");
		/* not compiled yet: a name alone, or none */
		expect_name(v8i__shared(&image, name, script, 0), "run /app/a.js");
		expect_name(v8i__shared(&image, 0, script, 0), "(anonymous) /app/a.js");
		/* a position that is in no line */
		scope = v8i__scope(&image, 0, name, 0, 31);
		expect_name(v8i__shared(&image, scope, script, 0), "run /app/a.js");
	}
}

static void test_refuses_odd_names(void **state)
{
	(void)state;
	for (enum v8i_version v = V8_10; v <= V8_13; v++) {
		u64 script, name, scope;

		make(v);
		name = v8i__text(&image, "run");
		script = v8i__script(&image, name, 0, 0);
		refuse_name(name);
		refuse_name(0);
		refuse_name(v8i__shared(&image, name, name, 0));
		refuse_name(v8i__shared(&image, script, script, 0));
		scope = v8i__scope(&image, 0, name, 0, 1);
		v8i__set(&image, scope, 24, v8i__smi(1 << 20));
		refuse_name(v8i__shared(&image, scope, script, 0));
		v8i__set(&image, scope, 24, v8i__smi(-1));
		refuse_name(v8i__shared(&image, scope, script, 0));
		scope = v8i__scope(&image, 0, script, 0, 1); /* whose name is no text */
		refuse_name(v8i__shared(&image, scope, script, 0));
		scope = v8i__scope(&image, 0, 0, 8, 1);
		refuse_name(v8i__shared(&image, scope, script, 0));
		script = v8i__script(&image, v8i__text_of(&image, 44, 4, 0, 0), 0, 0);
		refuse_name(v8i__shared(&image, name, script, 0));
	}
}

/* V8 looks for lines when it needs them; before that, they are counted in the source. */
static void test_lines_of_a_source(void **state)
{
	static const u16 wide[] = { 'a', 0x2028, 'b', '\n', 0x2029, 'c' };
	u64 source, script, scope, object;

	(void)state;
	make(V8_11);
	source = v8i__text(&image, "one\ntwo\r\nthree\rfour\n");
	script = v8i__script(&image, v8i__text(&image, "a.js"), source, 0);
	for (s32 at = 0; at < 20; at++) {
		const s32 line = at <= 3 ? 1 : at <= 8 ? 2 : at <= 14 ? 3 : 4, starts[] = { 0, 4, 9, 15 };
		struct v8_place place;

		assert_int_equal(v8_lines__find(&lines, &heap, script, (u32)at, &place), 0);
		assert_int_equal(place.line, line);
		assert_int_equal(place.column, at - starts[line - 1] + 1);
	}
	assert_int_equal(lines.v.nr, 1);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 1000, &(struct v8_place){ 0 }), -ENOENT);
	object = v8i__object(&image, 32, 16 + sizeof(wide));
	v8i__u32(&image, object - 1 + 12, 6);
	v8i__put(&image, object - 1 + 16, wide, sizeof(wide));
	script = v8i__script(&image, v8i__text(&image, "b.js"), object, v8i__smi(0));
	scope = v8i__scope(&image, 0, v8i__text(&image, "f"), 0, 5);
	/* no room in this round: the name has to wait */
	is_busy = true;
	refuse_name(v8i__shared(&image, scope, script, 0));
	is_busy = false;
	expect_name(v8i__shared(&image, scope, script, 0), "f b.js:4:1");
	/* lies about lines: the source counts */
	for (unsigned i = 0; i < 3; i++) {
		const u64 lies[][3] = { { v8i__smi(-5), v8i__smi(-4), v8i__smi(-3) },
					{ v8i__smi(9), 1, v8i__smi(1) },
					{ 17, 17, 17 } };

		v8i__set(&image, script, 56, v8i__array(&image, lies[i], 3));
		expect_name(v8i__shared(&image, scope, script, 0), "f b.js:4:1");
	}
}

/* Lines of a source that V8 has not looked for: also that of an empty first line, and of a part of it. */
static void test_lines_are_looked_for(void **state)
{
	struct v8_place place;
	u64 script, whole;

	(void)state;
	make(V8_13);
	whole = v8i__text(&image, "\none\r\ntwo\rthree");
	script = v8i__script(&image, 0, v8i__text_of(&image, 43, 3, whole, v8i__smi(0)), 0);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 2, &place), 0);
	assert_int_equal(place.line, 2);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 4, &place), -ENOENT); /* after its end */
	script = v8i__script(&image, 0, whole, 0);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 0, &place), 0);
	assert_int_equal(place.line, 1);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 1, &place), 0);
	assert_int_equal(place.line, 2);
	assert_int_equal(place.column, 1);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 6, &place), 0);
	assert_int_equal(place.line, 3);
	assert_int_equal(place.column, 1);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 12, &place), 0);
	assert_int_equal(place.line, 4);
	assert_int_equal(place.column, 3);
	assert_int_equal(lines.v.nr, 2);
}

/* A source that was put together is read where it is whole. */
static void test_sources_in_pieces(void **state)
{
	struct v8_place place;
	u64 script, whole, empty;

	(void)state;
	make(V8_13);
	whole = v8i__text(&image, "one\ntwo");
	empty = v8i__text(&image, "");
	script = v8i__script(&image, 0, v8i__text_of(&image, 41, 7, whole, empty), 0);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 5, &place), 0);
	assert_int_equal(place.line, 2);
	script = v8i__script(&image, 0, v8i__text_of(&image, 41, 14, whole, whole), 0);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 5, &place), -ENOENT);
	script = v8i__script(&image, 0, v8i__text_of(&image, 41, 7, script, empty), 0);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 5, &place), -ENOENT);
	script = v8i__script(&image, 0, v8i__text_of(&image, 41, 7, whole, script), 0);
	assert_int_equal(v8_lines__find(&lines, &heap, script, 5, &place), -ENOENT);
	script = v8i__script(&image, 0, v8i__text_of(&image, 58, 7, whole, empty), 0); /* no such text */
	assert_int_equal(v8_lines__find(&lines, &heap, script, 5, &place), -ENOENT);
}

static void test_first_line(void **state)
{
	const u64 ends[] = { v8i__smi(0), v8i__smi(5) };
	struct v8_place place;
	u64 script;

	(void)state;
	make(V8_13);
	script = v8i__script(&image, 0, v8i__text(&image, "\nfour\n"), v8i__array(&image, ends, 2));
	for (u32 position = 0; position <= 5; position++) {
		assert_int_equal(v8_lines__find(&lines, &heap, script, position, &place), 0);
		assert_int_equal(place.line, position ? 2 : 1);
		assert_int_equal(place.column, position ? position : 1);
	}
}

static void test_closures(void **state)
{
	u64 found, bytecodes, shared, function, moved, data, object, begin, end_of;

	(void)state;
	for (enum v8i_version v = V8_10; v <= V8_13; v++) {
		make(v);
		bytecodes = v8i__bytecodes(&image, "some bytecodes");
		shared = v8i__shared(&image, 0, 0, bytecodes);
		function = v8i__function(&image, shared);
		assert_true(v8_function__shared(&heap, function, &found));
		assert_int_equal(found, shared);
		assert_true(v8_shared__bytecodes(&heap, shared, &found));
		assert_int_equal(found, bytecodes);
		assert_true(v8_bytecodes__read(&heap, bytecodes, &begin, &end_of));
		assert_int_equal(begin, bytecodes - 1 + 54);
		assert_int_equal(end_of, begin + strlen("some bytecodes"));
		assert_false(v8_bytecodes__read(&heap, shared, &begin, &end_of));
		object = v8i__array(&image, &found, 1); /* has a length, too */
		assert_false(v8_bytecodes__read(&heap, object, &begin, &end_of));
		/* the collector moved it, twice */
		moved = v8i__alloc(&image, 64);
		v8i__set(&image, moved, 0, function - 1);
		object = v8i__alloc(&image, 64);
		v8i__set(&image, object, 0, moved - 1);
		assert_true(v8_function__shared(&heap, object, &found));
		assert_int_equal(found, shared);
		v8i__set(&image, moved, 0, moved - 1); /* a circle */
		assert_false(v8_function__shared(&heap, object, &found));
		assert_false(v8_function__shared(&heap, 0, &found));
		assert_false(v8_function__shared(&heap, function - 1, &found));
		assert_false(v8_function__shared(&heap, shared, &found));
		/* the interpreter's own data, and baseline code */
		data = v8i__object(&image, V8I_INTERPRETER_DATA, 32);
		v8i__set(&image, data, v == V8_13 ? 16 : 8, bytecodes);
		v8i__set(&image, shared, 8, data);
		assert_true(v8_shared__bytecodes(&heap, shared, &found));
		assert_int_equal(found, bytecodes);
		v8i__code(&image, V8I_BASELINE, 200, bytecodes, &object);
		data = object;
		if (v == V8_10) {
			data = v8i__object(&image, V8I_CONTAINER, 40);
			v8i__set(&image, data, 24, object);
		}
		found = 0;
		v8i__set(&image, shared, 8, data);
		assert_true(v8_shared__bytecodes(&heap, shared, &found));
		assert_int_equal(found, bytecodes);
		v8i__set(&image, shared, 8, shared);
		assert_false(v8_shared__bytecodes(&heap, shared, &found));
		data = v8i__object(&image, V8I_SCRIPT, 40); /* no container */
		v8i__set(&image, data, 24, object);
		v8i__set(&image, shared, 8, data);
		assert_false(v8_shared__bytecodes(&heap, shared, &found));
	}
}

/* ---- code ---- */

static void test_code(void **state)
{
	struct v8_code c, d;
	u64 bytecodes, shared, at[4], object[4];

	(void)state;
	for (enum v8i_version v = V8_10; v <= V8_13; v++) {
		make(v);
		bytecodes = v8i__bytecodes(&image, "some bytecodes");
		shared = v8i__shared(&image, 0, 0, bytecodes);
		at[0] = v8i__code(&image, V8I_BASELINE, 700, bytecodes, &object[0]);
		at[1] = v8i__code(&image, V8I_OPTIMIZED, 1500, shared, &object[1]);
		at[2] = v8i__code(&image, V8I_BUILTIN, 64, 0, &object[2]);
		assert_true(v8_code__find(&c, &heap, at[0]));
		assert_true(v8_code__find(&c, &heap, at[0] + 699));
		assert_int_equal(c.kind, V8_CODE_BASELINE);
		assert_int_equal(c.begin, at[0]);
		assert_int_equal(c.end, at[0] + 700);
		assert_int_equal(c.bytecodes, bytecodes);
		assert_false(v8_code__find(&d, &heap, at[0] + 700));
		assert_false(v8_code__find(&d, &heap, at[0] - 1));
		assert_true(v8_code__find(&d, &heap, at[1] + 1000));
		assert_int_equal(d.kind, V8_CODE_OPTIMIZED);
		assert_int_equal(d.shared, shared);
		assert_false(v8_code__has_changed(&c, &heap));
		assert_false(v8_code__has_changed(&d, &heap));
		assert_true(v8_code__find(&d, &heap, at[2] + 8));
		assert_int_equal(d.kind, V8_CODE_OTHER);
		/* other code at the same place; none any more; memory that is gone */
		image.nr_codes = 0;
		v8i__code(&image, V8I_BASELINE, 700, v8i__bytecodes(&image, "others"), &object[3]);
		assert_true(v8_code__has_changed(&c, &heap));
		v8i__u64(&image, c.head, 0);
		assert_true(v8_code__has_changed(&c, &heap));
		assert_false(v8_code__find(&d, &heap, at[0] + 8));
		c.head += 1ull << 40;
		assert_false(v8_code__has_changed(&c, &heap));
	}
}

/* Each of three words shows other code at the same place: the map, and what the code is of. */
static void test_changes_of_code(void **state)
{
	struct v8_code c;
	u64 shared, at, object, head, maps[2];

	(void)state;
	for (enum v8i_version v = V8_10; v <= V8_13; v++) {
		make(v);
		shared = v8i__shared(&image, 0, 0, v8i__bytecodes(&image, "some bytecodes"));
		at = v8i__code(&image, V8I_OPTIMIZED, 700, shared, &object);
		head = at - (v == V8_10 ? 128 : v == V8_11 ? 16 : 32);
		do { /* which differ in one byte */
			for (int i = 0; i < 2; i++)
				maps[i] = v8i__map(&image, v == V8_10 ? V8I_CODE_TYPE : V8I_STREAM);
		} while (maps[0] >> 8 != maps[1] >> 8);
		v8i__u64(&image, head, maps[0]);
		assert_true(v8_code__find(&c, &heap, at));
		assert_false(v8_code__has_changed(&c, &heap));
		v8i__u64(&image, head, maps[1]);
		assert_true(v8_code__has_changed(&c, &heap));
		v8i__u64(&image, head, maps[0]);
		assert_false(v8_code__has_changed(&c, &heap));
		v8i__set(&image, object, v == V8_13 ? 8 : 16, shared);
		assert_true(v8_code__has_changed(&c, &heap));
	}
}

/* Code is looked for in the 128 KiB before an address. */
static void test_end_of_the_search(void **state)
{
	enum { SEARCHED = 128 * 1024 };
	static u8 far[SEARCHED + V8I_SIZE];
	struct vm_memory m = { .read = read_far, .ctx = far };
	struct v8_heap h = { .l = &layout, .m = &m };
	struct v8_code c;
	u64 at, object;

	(void)state;
	make(V8_13);
	at = v8i__code(&image, V8I_BASELINE, 2 * SEARCHED, v8i__bytecodes(&image, "bytecodes"), &object);
	memset(far, 0, sizeof(far));
	memcpy(far, mem, sizeof(mem));
	memset(far + (at - BASE), 0, sizeof(far) - (at - BASE));
	assert_true(v8_code__find(&c, &h, at + SEARCHED - 1));
	assert_int_equal(c.begin, at);
	assert_false(v8_code__find(&c, &h, at + SEARCHED));
}

static void test_refuses_odd_code(void **state)
{
	struct v8_code c;
	u64 bytecodes, shared, at, object, words[2] = { 0 };

	(void)state;
	for (enum v8i_version v = V8_10; v <= V8_13; v++) {
		make(v);
		bytecodes = v8i__bytecodes(&image, "some bytecodes");
		shared = v8i__shared(&image, 0, 0, bytecodes);
		at = v8i__code(&image, V8I_BASELINE, 700, shared, &object); /* no bytecodes */
		assert_false(v8_code__find(&c, &heap, at + 8));
		at = v8i__code(&image, V8I_OPTIMIZED, 700, bytecodes, &object); /* of no function */
		assert_false(v8_code__find(&c, &heap, at + 8));
		at = v8i__code(&image, V8I_OPTIMIZED, 700, shared, &object);
		assert_true(v8_code__find(&c, &heap, at + 8));
		v8i__set(&image, object, v == V8_13 ? 8 : 16, v8i__array(&image, words, 2)); /* too short */
		assert_false(v8_code__find(&c, &heap, at + 8));
		at = v8i__code(&image, V8I_OPTIMIZED, 700, shared, &object);
		assert_true(v8_code__find(&c, &heap, at + 8));
		memcpy(&words[0], mem + (object - 1 - BASE) + (v == V8_13 ? 8 : 16), 8);
		v8i__set(&image, words[0], 8, v8i__smi(v == V8_13 ? 8 : 7)); /* just long enough */
		assert_true(v8_code__find(&c, &heap, at + 8));
		v8i__set(&image, words[0], 8, v8i__smi(v == V8_13 ? 7 : 6)); /* says that it is too short */
		assert_false(v8_code__find(&c, &heap, at + 8));
		words[0] = 0;
		at = v8i__code(&image, V8I_BASELINE, 0, bytecodes, &object); /* empty */
		assert_false(v8_code__find(&c, &heap, at));
		if (v != V8_10) {
			at = v8i__code(&image, V8I_BASELINE, 100, bytecodes, &object);
			v8i__set(&image, object, 40, at + 64); /* elsewhere */
			assert_false(v8_code__find(&c, &heap, at + 8));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_refuses_unknown_versions),
		cmocka_unit_test(test_refuses_odd_symbols),
		cmocka_unit_test(test_refuses_odd_offsets),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_refuses_odd_texts),
		cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_refuses_odd_names),
		cmocka_unit_test(test_lines_of_a_source),
		cmocka_unit_test(test_lines_are_looked_for),
		cmocka_unit_test(test_sources_in_pieces),
		cmocka_unit_test(test_first_line),
		cmocka_unit_test(test_closures),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_changes_of_code),
		cmocka_unit_test(test_end_of_the_search),
		cmocka_unit_test(test_refuses_odd_code),
	};
	return cmocka_run_group_tests(tests, NULL, end);
}
