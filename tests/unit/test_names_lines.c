/*
 * Stored source lines and inlined functions: what was written is found, lines leave before names where room
 * is short, hostile chunks are refused.
 */
#include "unit.h"

#include "format/file/names_section.h"
#include "image.h"

#include <errno.h>

enum { CHUNK = 16 + 2 * 16 + 3 * 12 + 16 }; /* perf.data-format.md: head, addresses, frames, texts */

static struct names_symbol symbols[] = { { 0x1000, 0x100, "outer", 3, false, 0 } };
static struct names_address addresses[] = { { 0x1050, 1, 2 }, { 0x1010, 0, 1 } };
static struct names_frame frames[] = { { NULL, "/src/a.c", 10, 8 },
				       { "inner", "/src/a.h", 3, 1 },
				       { NULL, "/src/a.c", 12, 9 } };

static struct names_dso one_dso(void)
{
	struct names_dso d = { .id.name = "/bin/one" };

	d.symbols.v = symbols;
	d.symbols.nr = 1;
	d.lines.addresses.v = addresses;
	d.lines.addresses.nr = 2;
	d.lines.frames.v = frames;
	d.lines.frames.nr = 3;
	return d;
}

static void expect_frame(const struct names_lines_chunk *l, u32 i, const char *name, const char *file,
			 u32 line, u32 start_line)
{
	struct names_frame f = names_lines__frame(l, i);

	if (name)
		assert_string_equal(f.name, name);
	else
		assert_null(f.name);
	assert_string_equal(f.file, file);
	assert_int_equal(f.line, line);
	assert_int_equal(f.start_line, start_line);
}

static void what_was_written_is_found(void **state)
{
	const struct names_dso dsos[] = { { .id.name = "/bin/none of this" }, one_dso() };
	struct strbuf out = STRBUF_INIT;
	struct names_address at;
	struct names_section n;
	const struct names_lines_chunk *l = NULL;

	(void)state;
	assert_int_equal(names_section__write(&out, dsos, 2, 1 << 20).nr_dsos, 1);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.nr, 1);
	l = &n.entries.v[0].lines;
	assert_int_equal(l->nr_addresses, 2);
	assert_true(names_lines__find(l, 0x1010, &at));
	assert_int_equal(at.nr, 1);
	expect_frame(l, at.first, NULL, "/src/a.c", 10, 8);
	assert_true(names_lines__find(l, 0x1050, &at));
	assert_int_equal(at.nr, 2);
	expect_frame(l, at.first, "inner", "/src/a.h", 3, 1);
	expect_frame(l, at.first + 1, NULL, "/src/a.c", 12, 9);
	assert_false(names_lines__find(l, 0x1000, &at));
	assert_false(names_lines__find(l, 0x1011, &at));
	assert_false(names_lines__find(l, UINT64_MAX, &at));
	names_section__exit(&n);
	strbuf__exit(&out);
}

static void lines_leave_before_names(void **state)
{
	enum { NR = 3000 };
	struct strbuf names_only = STRBUF_INIT, out = STRBUF_INIT;
	struct names_dso d = one_dso();
	struct names_section n;
	u64 x = 1;

	(void)state;
	memset(&d.lines, 0, sizeof(d.lines));
	names_section__write(&names_only, &d, 1, 1 << 20);
	for (u32 i = 0; i < NR; i++) {
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		array__add(&d.lines.addresses, ((struct names_address){ x, i, 1 }));
		array__add(&d.lines.frames, ((struct names_frame){ NULL, "/src/a.c", (u32)x, 0 }));
	}
	assert_int_equal(names_section__write(&out, &d, 1, 10000).nr_symbols, 1);
	assert_true(out.len <= 10000 && out.len > 4000);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_in_range(n.entries.v[0].lines.nr_addresses, 100, NR - 1);
	names_section__exit(&n);
	strbuf__reset(&out);
	assert_int_equal(names_section__write(&out, &d, 1, names_only.len + 8).nr_symbols, 1);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.v[0].lines.nr_addresses, 0);
	names_section__exit(&n);
	names_lines__exit(&d.lines);
	strbuf__exit(&names_only);
	strbuf__exit(&out);
}

/* A chunk of two addresses and three frames; first, nr: of the second address. */
static void make_chunk(struct image *im, bool swap, u32 nr_addresses, u32 nr_frames, u32 first, u32 nr,
		       u32 name)
{
	image__init(im, swap);
	image__u32(im, 0);
	image__u32(im, nr_addresses);
	image__u32(im, nr_frames);
	image__u32(im, 0);
	image__u64(im, 0x10);
	image__u32(im, 0);
	image__u32(im, 1);
	image__u64(im, 0x20);
	image__u32(im, first);
	image__u32(im, nr);
	for (u32 i = 0; i < 3; i++) {
		image__u32(im, name);
		image__u32(im, 0);
		image__u32(im, i);
	}
	image__str(im, "file", 16);
}

static void lies_are_refused(void **state)
{
	static const struct {
		u32 nr_addresses, nr_frames, first, nr, name;
		int ret;
		bool found;
	} cases[] = {
		{ 2, 3, 1, 2, 0, 0, true },
		{ 2, 3, 1, 2, UINT32_MAX, 0, true }, /* no name */
		{ 2, 3, 1, 3, 0, 0, false },         /* frames that are not there */
		{ 2, 3, UINT32_MAX, 1, 0, 0, false },
		{ 2, 3, 1, UINT32_MAX, 0, 0, false },
		{ 2, 3, 1, 0, 0, 0, false },
		{ UINT32_MAX, 3, 1, 2, 0, -EBADMSG, false },
		{ 2, UINT32_MAX, 1, 2, 0, -EBADMSG, false },
		{ 5, 1, 1, 2, 0, -EBADMSG, false }, /* no text is left */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct names_lines_chunk l;
		struct names_address at;
		struct image im;
		u32 dso;

		make_chunk(&im, i % 2, cases[i].nr_addresses, cases[i].nr_frames, cases[i].first, cases[i].nr,
			   cases[i].name);
		assert_int_equal(im.b.len, CHUNK);
		assert_int_equal(names_lines__read(&l, &dso, im.b.buf, im.b.len, i % 2), cases[i].ret);
		if (!cases[i].ret)
			assert_int_equal(names_lines__find(&l, 0x20, &at), cases[i].found);
		if (cases[i].found)
			expect_frame(&l, at.first, cases[i].name ? NULL : "file", "file", 1, 0);
		for (size_t cut = 0; cut < im.b.len; cut++)
			assert_int_equal(names_lines__read(&l, &dso, im.b.buf, cut, i % 2),
					 cut > CHUNK - 12 && !cases[i].ret ? 0 : -EBADMSG);
		image__exit(&im);
	}
}

static void start_lines_may_be_unknown(void **state)
{
	struct names_frame unknown[] = { { NULL, "/src/a.c", 10, 0 },
					 { "inner", NULL, 3, 0 },
					 { NULL, NULL, 0, 0 } };
	struct names_dso d = one_dso();
	struct strbuf out = STRBUF_INIT;
	struct names_section n;

	(void)state;
	d.lines.frames.v = unknown;
	names_section__write(&out, &d, 1, 1 << 20);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_null(n.entries.v[0].lines.starts);
	expect_frame(&n.entries.v[0].lines, 0, NULL, "/src/a.c", 10, 0);
	names_section__exit(&n);
	strbuf__exit(&out);
}

static void lies_about_start_lines_are_refused(void **state)
{
	(void)state;
	for (u32 swap = 0; swap < 2; swap++) {
		struct names_lines_chunk l;
		struct image lines, starts;
		u32 dso;

		make_chunk(&lines, swap, 2, 3, 1, 2, 0);
		assert_int_equal(names_lines__read(&l, &dso, lines.b.buf, lines.b.len, swap), 0);
		image__init(&starts, swap);
		image__u32(&starts, 0);
		image__u32(&starts, 3);
		for (u32 i = 0; i < 3; i++)
			image__u32(&starts, 100 + i);
		for (size_t cut = 0; cut < starts.b.len; cut++)
			assert_int_equal(names_lines__read_starts(&l, starts.b.buf, cut), -EBADMSG);
		assert_null(l.starts);
		l.nr_frames = 2;
		assert_int_equal(names_lines__read_starts(&l, starts.b.buf, starts.b.len), -EBADMSG);
		l.nr_frames = 3;
		assert_int_equal(names_lines__read_starts(&l, starts.b.buf, starts.b.len), 0);
		assert_int_equal(names_lines__frame(&l, 2).start_line, 102);
		image__exit(&lines);
		image__exit(&starts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_found),
		cmocka_unit_test(lines_leave_before_names),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(start_lines_may_be_unknown),
		cmocka_unit_test(lies_about_start_lines_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
