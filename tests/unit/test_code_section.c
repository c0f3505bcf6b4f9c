/*
 * Stored code: what was written is read, also overlapping functions; source lines leave where room is short;
 * hostile sections lose what is damaged, and one line says where.
 */
#include "unit.h"

#include "format/file/code_section.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

enum { HEAD = 48 }; /* perf.data-format.md */

static struct code_function functions[] = {
	{ 0x2000, 0x402000, 4, 0 },
	{ 0x1000, 0x401000, 8, 4 },
	{ 0x1004, 0x401004, 8, 12 }, /* overlaps the one before */
};
static struct code_ref refs[] = {
	{ 0x405000, true, true, 0, "hello" },
	{ 0x403000, false, false, 0x10, "callee" },
	{ 0x405000, false, false, 0, "odd" },
};
static struct names_frame frames[] = { { "inlined", "/src/a.h", 7 },
				       { NULL, "/src/a.c", 20 },
				       { NULL, NULL, 0 } };
static struct names_address addresses[] = { { 0x1000, 0, 2 }, { 0x1004, 2, 1 }, { 0x2000, 0, 2 } };
static struct source_run runs[] = { { 5, 2, 0 }, { 20, 1, 8 } };

static void one_dso(struct code_dso *d, struct source_excerpt *source)
{
	*source = (struct source_excerpt){ .file = "/src/a.c", .text = STRBUF_INIT };
	source->runs.v = runs;
	source->runs.nr = ARRAY_SIZE(runs);
	strbuf__addstr(&source->text, "one\ntwo\n\033[2J\n");
	*d = (struct code_dso){ .id = { .name = "/bin/one", .ino = 77 },
				.machine = EM_X86_64,
				.code = STRBUF_INIT };
	d->functions.v = functions;
	d->functions.nr = ARRAY_SIZE(functions);
	d->refs.v = refs;
	d->refs.nr = ARRAY_SIZE(refs);
	d->lines.frames.v = frames;
	d->lines.frames.nr = ARRAY_SIZE(frames);
	d->lines.addresses.v = addresses;
	d->lines.addresses.nr = ARRAY_SIZE(addresses);
	d->sources.v = source;
	d->sources.nr = 1;
	strbuf__add(&d->code, "abcdABCDEFGHABCDEFGH", 20);
}

static struct code_summary write_one(struct strbuf *out, u64 budget)
{
	struct code_summary s = { .nr_left_out = 3, .nr_unread = 2, .nr_newer = 1 };
	struct source_excerpt source;
	struct code_dso d;

	one_dso(&d, &source);
	code_section__write(out, &d, 1, budget, &s);
	strbuf__exit(&d.code);
	strbuf__exit(&source.text);
	return s;
}

static void what_was_written_is_read(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct code_summary s = write_one(&out, 1 << 20), t;
	const struct source_excerpt_chunk *source;
	struct names_address at;
	struct stored_source run;
	struct code_section c;
	struct code_entry *e;
	struct code_ref ref;
	u64 addr;

	(void)state;
	assert_int_equal(code_section__summary(out.buf, out.len, false, &t), 0);
	assert_memory_equal(&s, &t, sizeof(s));
	assert_int_equal(t.nr_functions, 3);
	assert_int_equal(t.code_bytes, 20);
	assert_int_equal(t.nr_lines, 3);
	assert_int_equal(t.nr_left_out, 3);
	assert_int_equal(t.nr_unread, 2);
	assert_int_equal(t.nr_newer, 1);
	assert_int_equal(code_section__read(&c, out.buf, out.len, false, NULL), 0);
	assert_int_equal(c.entries.nr, 1);
	e = &c.entries.v[0];
	assert_string_equal(e->id.name, "/bin/one");
	assert_int_equal(e->machine, EM_X86_64);
	assert_memory_equal(code_entry__find(e, 0x2003)->code, "abcd", 4);
	assert_null(code_entry__find(e, 0x2004));
	assert_null(code_entry__find(e, 0xfff));
	assert_int_equal(code_entry__find(e, 0x1003)->start, 0x1000);
	assert_int_equal(code_entry__find(e, 0x1006)->start, 0x1004); /* the one that starts last */
	assert_int_equal(code_entry__find(e, 0x1006)->vaddr, 0x401004);
	assert_true(code_entry__find_addr(e, 0x402002, &addr));
	assert_int_equal(addr, 0x2002);
	assert_true(code_entry__find_lines(e, 0x1003, &at));
	assert_int_equal(at.nr, 2);
	assert_string_equal(names_lines__frame(&e->lines, at.first).name, "inlined");
	assert_true(code_entry__find_lines(e, 0x100b, &at));
	assert_null(names_lines__frame(&e->lines, at.first).file);
	assert_false(code_entry__find_lines(e, 0x100c, &at)); /* of no function */
	assert_true(code_entry__find_lines(e, 0x2001, &at));
	assert_int_equal(names_lines__frame(&e->lines, at.first + 1).line, 20);
	assert_true(code_entry__find_ref(e, 0x405000, true, &ref));
	assert_true(ref.is_text);
	assert_string_equal(ref.name, "hello");
	assert_true(code_entry__find_ref(e, 0x405000, false, &ref));
	assert_string_equal(ref.name, "odd");
	assert_true(code_entry__find_ref(e, 0x403000, false, &ref));
	assert_int_equal(ref.offset, 0x10);
	assert_false(code_entry__find_ref(e, 0x403000, true, &ref));
	source = code_entry__find_source(e, "/src/a.c");
	assert_non_null(source);
	assert_true(source_excerpt__run(source, 0, &run));
	assert_int_equal(run.first, 5);
	assert_memory_equal(run.text, "one\ntwo\n", run.size);
	assert_true(source_excerpt__run(source, 1, &run));
	assert_int_equal(run.size, 5);
	assert_null(code_entry__find_source(e, "/src/b.c"));
	code_section__exit(&c);
	strbuf__exit(&out);
}

static void lines_leave_where_room_is_short(void **state)
{
	struct strbuf all = STRBUF_INIT, less = STRBUF_INIT;
	struct code_section c;

	(void)state;
	write_one(&all, 1 << 20);
	write_one(&less, all.len - 1);
	assert_true(less.len < all.len);
	assert_int_equal(code_section__read(&c, less.buf, less.len, false, NULL), 0);
	assert_int_equal(c.entries.v[0].functions.nr, 3);
	assert_true(c.entries.v[0].lines.nr_addresses < 3);
	code_section__exit(&c);
	strbuf__exit(&all);
	strbuf__exit(&less);
}

/* ---- hostile sections ---- */

/* A section that is not packed, with one chunk of each kind whose bytes the caller may change. */
struct hostile {
	struct strbuf out;
	size_t function; /* where the row of the first function is */
};

static struct hostile make_hostile(void)
{
	struct hostile h = { .out = STRBUF_INIT };
	struct strbuf packed = STRBUF_INIT;
	struct code_section c;
	u32 zero = 0;
	u64 size;

	write_one(&packed, 1 << 20);
	assert_int_equal(code_section__read(&c, packed.buf, packed.len, false, NULL), 0);
	size = c.content.len;
	strbuf__add(&h.out, packed.buf, HEAD);
	memcpy(h.out.buf + 4, &zero, sizeof(zero));
	memcpy(h.out.buf + 8, &size, sizeof(size));
	strbuf__add(&h.out, c.content.buf, c.content.len);
	h.function = HEAD + 8 + 64;
	code_section__exit(&c);
	strbuf__exit(&packed);
	return h;
}

static void check_damaged(struct hostile *h, size_t nr_functions, const char *said)
{
	struct err err = ERR_INIT;
	struct code_section c;

	assert_int_equal(code_section__read(&c, h->out.buf, h->out.len, false, &err), -EBADMSG);
	assert_non_null(strstr(err.text.buf, said));
	assert_int_equal(c.entries.nr ? c.entries.v[0].functions.nr : 0, nr_functions);
	code_section__exit(&c);
	err__exit(&err);
	strbuf__exit(&h->out);
}

static void damage_costs_what_is_damaged(void **state)
{
	const u64 far = UINT64_MAX - 2, half = 1ull << 63;
	const u32 large = UINT32_MAX;
	struct hostile h;

	(void)state;
	h = make_hostile();
	memcpy(h.out.buf + h.function, &far, sizeof(far)); /* start + size wraps */
	check_damaged(&h, 2, "expected a function inside of the binary's code at byte 72");
	h = make_hostile();
	memcpy(h.out.buf + h.function + 16, &large, sizeof(large)); /* size */
	check_damaged(&h, 2, "expected a function inside");
	h = make_hostile();
	memcpy(h.out.buf + h.function + 20, &large, sizeof(large)); /* where the code is */
	check_damaged(&h, 2, "expected a function inside");
	h = make_hostile();
	memcpy(h.out.buf + HEAD + 8 + 56, &large, sizeof(large)); /* how many functions */
	check_damaged(&h, 0, "expected a binary with its functions at byte 8");
	h = make_hostile();
	memcpy(h.out.buf + HEAD + 4, &large, sizeof(large)); /* size of the chunk */
	check_damaged(&h, 0, "expected a chunk at byte 0");
	h = make_hostile();
	memcpy(h.out.buf + 8, &half, sizeof(half)); /* 2^63 bytes unpacked */
	check_damaged(&h, 0, "expected a head of version 1");
	h = make_hostile();
	strbuf__setlen(&h.out, h.out.len - 8); /* cut off */
	check_damaged(&h, 3, "bytes when unpacked");
}

/* Each word of a section in turn is large: nothing outside of it is read (under the sanitizers). */
static void any_word_may_lie(void **state)
{
	struct hostile h = make_hostile();

	(void)state;
	for (size_t at = HEAD; at + 4 <= h.out.len; at += 4) {
		struct code_section c;
		struct names_address lines;
		struct stored_source run;
		u32 was, large = UINT32_MAX - 3;

		memcpy(&was, h.out.buf + at, sizeof(was));
		memcpy(h.out.buf + at, &large, sizeof(large));
		code_section__read(&c, h.out.buf, h.out.len, false, NULL);
		for (size_t i = 0; i < c.entries.nr; i++) {
			const struct code_entry *e = &c.entries.v[i];

			for (u64 addr = 0xff0; addr < 0x2010; addr += 3)
				if (code_entry__find_lines(e, addr, &lines))
					names_lines__frame(&e->lines, lines.first);
			for (size_t k = 0; k < e->sources.nr; k++)
				for (u32 r = 0; r < e->sources.v[k].nr_runs; r++)
					source_excerpt__run(&e->sources.v[k], r, &run);
		}
		code_section__exit(&c);
		memcpy(h.out.buf + at, &was, sizeof(was));
	}
	strbuf__exit(&h.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_was_written_is_read),
					    cmocka_unit_test(lines_leave_where_room_is_short),
					    cmocka_unit_test(damage_costs_what_is_damaged),
					    cmocka_unit_test(any_word_may_lie) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
