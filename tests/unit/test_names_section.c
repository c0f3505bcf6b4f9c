/* Stored names: what was written is read, the most hit ones are kept where room is short, hostile sections
 * are refused. */
#include "unit.h"

#include "format/file/names_section.h"
#include "image.h"

#include <errno.h>
#include <stdlib.h>

enum { CHUNK_HEAD = 8, DSO_FIXED = 64 }; /* perf.data-format.md */

static struct names_symbol first_symbols[] = { { 0x1000, 0x20, "_ZN5house5paintEv", 5, false, 0 },
					       { 0x1100, 0x8, "main", 100, false, 0 },
					       { 0x2000, UINT32_MAX, "", 1, false, 0 } };
static struct names_symbol kernel_symbols[] = { { 0xffffffff81000000, 0x40, "entry", 50, false, 0 } };

static void two_dsos(struct names_dso d[3])
{
	memset(d, 0, 3 * sizeof(*d));
	d[0].id = (struct names_dso_id){
		.name = "/bin/one", .maj_min = 8ull << 32, .ino = 77, .ino_generation = 3, .pid = 4
	};
	d[0].flags = NAMES_EXPORTED_ONLY;
	d[0].symbols.v = first_symbols;
	d[0].symbols.nr = 3;
	d[1].id.name = "/bin/nothing of this";
	d[2].id.name = "[kernel.kallsyms]";
	d[2].id.build_id.size = BUILD_ID_MAX;
	memset(d[2].id.build_id.data, 0xab, BUILD_ID_MAX);
	d[2].symbols.v = kernel_symbols;
	d[2].symbols.nr = 1;
}

static struct names_summary write_two(struct strbuf *out, u64 budget)
{
	struct names_dso d[3];

	two_dsos(d);
	return names_section__write(out, d, 3, budget);
}

static void what_was_written_is_read(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct names_summary s = write_two(&out, 1 << 20), t;
	struct names_section n;
	struct symtab symtab;

	(void)state;
	assert_int_equal(s.nr_dsos, 2);
	assert_int_equal(s.nr_symbols, 4);
	assert_int_equal(s.nr_left_out, 0);
	assert_int_equal(s.size, out.len);
	assert_int_equal(names_section__summary(out.buf, out.len, false, &t), 0);
	assert_true(s.nr_dsos == t.nr_dsos && s.nr_symbols == t.nr_symbols &&
		    s.nr_left_out == t.nr_left_out && s.unpacked == t.unpacked && s.size == t.size);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.nr, 2);
	assert_string_equal(n.entries.v[0].id.name, "/bin/one");
	assert_int_equal(n.entries.v[0].id.maj_min, 8ull << 32);
	assert_int_equal(n.entries.v[0].id.ino, 77);
	assert_int_equal(n.entries.v[0].id.ino_generation, 3);
	assert_int_equal(n.entries.v[0].id.pid, 4);
	assert_int_equal(n.entries.v[0].id.build_id.size, 0);
	assert_int_equal(n.entries.v[0].flags, NAMES_EXPORTED_ONLY);
	assert_int_equal(n.entries.v[1].id.build_id.size, BUILD_ID_MAX);
	assert_int_equal(n.entries.v[1].id.build_id.data[BUILD_ID_MAX - 1], 0xab);
	symtab__init(&symtab);
	names_entry__add_symbols(&n, &n.entries.v[0], &symtab);
	symtab__finish(&symtab);
	assert_int_equal(symtab.syms.nr, 3);
	assert_string_equal(symtab__name(&symtab, symtab__find(&symtab, 0x101f)), "_ZN5house5paintEv");
	assert_null(symtab__find(&symtab, 0x1020));
	assert_string_equal(symtab__name(&symtab, symtab__find(&symtab, 0x1107)), "main");
	assert_string_equal(symtab__name(&symtab, symtab__find(&symtab, 0x2000)), "");
	symtab__exit(&symtab);
	names_section__exit(&n);
	strbuf__exit(&out);
}

/* 100 KB, as of templates: nothing is cut off. */
static void long_names_are_whole(void **state)
{
	enum { LEN = 100 << 10 };
	char *name = xmalloc(LEN + 1);
	struct names_symbol symbols[] = { { 0x1000, 0x20, name, 1, false, 0 },
					  { 0x2000, 0x20, name, 1, false, 0 } };
	struct names_dso d = { .id.name = "/bin/long", .symbols = { .v = symbols, .nr = 2 } };
	struct strbuf out = STRBUF_INIT;
	struct names_section n;
	struct symtab t;

	(void)state;
	memset(name, 'x', LEN);
	name[LEN] = '\0';
	names_section__write(&out, &d, 1, 1 << 20);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	symtab__init(&t);
	names_entry__add_symbols(&n, &n.entries.v[0], &t);
	symtab__finish(&t);
	assert_string_equal(symtab__name(&t, symtab__find(&t, 0x1000)), name);
	assert_string_equal(symtab__name(&t, symtab__find(&t, 0x2000)), name);
	symtab__exit(&t);
	names_section__exit(&n);
	strbuf__exit(&out);
	free(name);
}

/*
 * Symbols with made-up names come last, so that they can be left out. main is known, although it has no
 * symbol.
 */
static void made_up_names_are_marked(void **state)
{
	static struct names_symbol symbols[] = { { 0x100, 0x20, "one@0x100", 9, true, 0 },
						 { 0x200, 0x20, "known", 1, false, 0 },
						 { 0x300, 0x20, "main", 5, true, 0 } };
	struct names_dso d[2] = { { .id.name = "/bin/two" }, { .id.name = "/bin/one" } };
	struct strbuf out = STRBUF_INIT;
	struct names_section n;
	struct symtab t;

	(void)state;
	d[0].symbols.v = first_symbols;
	d[0].symbols.nr = 3;
	d[1].symbols.v = symbols;
	d[1].symbols.nr = 3;
	names_section__write(&out, d, 2, 1 << 20);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.v[0].nr_made_up, 0);
	assert_int_equal(n.entries.v[1].nr_made_up, 2);
	symtab__init(&t);
	names_entry__add_symbols(&n, &n.entries.v[1], &t);
	symtab__finish(&t);
	assert_int_equal(t.syms.nr, 3);
	assert_true(symtab__find(&t, 0x100)->is_made_up);
	assert_string_equal(symtab__name(&t, symtab__find(&t, 0x100)), "one@0x100");
	assert_false(symtab__find(&t, 0x200)->is_made_up);
	assert_false(symtab__find(&t, 0x300)->is_made_up);
	symtab__exit(&t);
	names_section__exit(&n);
	strbuf__exit(&out);
}

static void code_of_a_jitdump_has_places(void **state)
{
	static struct names_symbol symbols[] = { { 0x80, 0x20, "made", 7, false, 0 } };
	static struct names_load loads[] = { { 5, 0x7f0000001000, 0x20, 0x80 },
					     { 9, 0x7f0000002000, 0x20, 0x80 } };
	struct names_dso d[2] = { { .id.name = "/bin/one" },
				  { .id = { .name = "/tmp/jit-3.dump", .pid = 3 } } };
	struct strbuf out = STRBUF_INIT;
	struct names_section n;
	struct names_load l;

	(void)state;
	d[0].symbols.v = first_symbols;
	d[0].symbols.nr = 3;
	d[1].symbols.v = symbols;
	d[1].symbols.nr = 1;
	d[1].loads.v = loads;
	d[1].loads.nr = 2;
	names_section__write(&out, d, 2, 1 << 20);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.v[0].nr_loads, 0);
	assert_int_equal(n.entries.v[1].nr_loads, 2);
	l = names_entry__load(&n, &n.entries.v[1], 1);
	assert_memory_equal(&l, &loads[1], sizeof(l));
	names_section__exit(&n);
	strbuf__exit(&out);
}

/* Names that do not pack well. */
static void many_symbols(struct names_dso *d, size_t nr)
{
	u64 x = 1;

	*d = (struct names_dso){ .id.name = "/bin/large" };
	for (size_t i = 0; i < nr; i++) {
		char name[64];

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		snprintf(name, sizeof(name), "f%016llx%zu", (unsigned long long)x, i);
		array__add(&d->symbols, ((struct names_symbol){ i * 16, 16, xstrdup(name), i, false, 0 }));
	}
}

static void the_most_hit_ones_are_kept(void **state)
{
	enum { NR = 5000, BUDGET = 20000 };
	struct strbuf out = STRBUF_INIT;
	struct names_section n;
	struct names_summary s;
	struct names_dso d;
	struct symtab t;

	(void)state;
	many_symbols(&d, NR);
	s = names_section__write(&out, &d, 1, BUDGET);
	assert_true(out.len <= BUDGET);
	assert_true(out.len > BUDGET / 2);
	assert_true(s.nr_left_out > 0);
	assert_int_equal(s.nr_symbols + s.nr_left_out, NR);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.v[0].flags, NAMES_CUT);
	assert_int_equal(n.entries.v[0].nr_symbols, s.nr_symbols);
	symtab__init(&t);
	names_entry__add_symbols(&n, &n.entries.v[0], &t);
	assert_int_equal(t.syms.v[0].start, s.nr_left_out * 16ull); /* hits grow with the address */
	symtab__exit(&t);
	names_section__exit(&n);
	strbuf__reset(&out);
	s = names_section__write(&out, &d, 1, 0); /* no room at all */
	assert_int_equal(s.nr_symbols, 0);
	assert_int_equal(s.nr_left_out, NR);
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), 0);
	assert_int_equal(n.entries.nr, 0);
	names_section__exit(&n);
	for (size_t i = 0; i < d.symbols.nr; i++)
		free((char *)d.symbols.v[i].name);
	array__exit(&d.symbols);
	strbuf__exit(&out);
}

/* A section that is not packed, as by a recorder without the library, in any byte order. */
static void begin_section(struct image *im, bool swap, u32 packing, u64 unpacked)
{
	image__init(im, swap);
	image__u32(im, 1);
	image__u32(im, packing);
	image__u64(im, unpacked);
	for (unsigned i = 0; i < 4; i++)
		image__u32(im, i); /* dsos, symbols, left out, nothing */
}

static void add_chunk_head(struct image *im, u32 kind, u32 size)
{
	image__u32(im, kind);
	image__u32(im, size);
}

/* One symbol "f" at 0x1000 of "/x"; size: what the chunk claims to have behind its head. */
static void add_dso_chunk(struct image *im, u32 size, u8 id_size, u32 nr_symbols, u32 name_size, u32 name)
{
	static const u8 zeroes[BUILD_ID_MAX + 3];

	add_chunk_head(im, 1, size);
	image__u32(im, 0);
	image__u32(im, 0);
	for (unsigned i = 0; i < 3; i++)
		image__u64(im, i);
	image__u8(im, id_size);
	strbuf__add(&im->b, zeroes, sizeof(zeroes));
	image__u32(im, nr_symbols);
	image__u32(im, name_size);
	image__u64(im, 0x1000);
	image__u32(im, 16);
	image__u32(im, name);
	strbuf__add(&im->b, "/x\0f\0\0\0", 8);
}

enum { DSO_CHUNK = DSO_FIXED + 16 + 8 };

static int read_image(struct image *im, struct names_section *n)
{
	return names_section__read(n, im->b.buf, im->b.len, im->swap, NULL);
}

static void both_byte_orders_and_unknown_chunks(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct names_section n;
		struct symtab t;
		struct image im;

		begin_section(&im, swap, 0, 16 + CHUNK_HEAD + DSO_CHUNK);
		add_chunk_head(&im, 99, 8);
		image__u64(&im, UINT64_MAX);
		add_dso_chunk(&im, DSO_CHUNK, 0, 1, 3, 0);
		assert_int_equal(read_image(&im, &n), 0);
		assert_int_equal(n.entries.nr, 1);
		assert_string_equal(n.entries.v[0].id.name, "/x");
		assert_int_equal(n.entries.v[0].id.ino, 1);
		symtab__init(&t);
		names_entry__add_symbols(&n, &n.entries.v[0], &t);
		assert_int_equal(t.syms.v[0].start, 0x1000);
		assert_int_equal(t.syms.v[0].size, 16);
		assert_string_equal(symtab__name(&t, &t.syms.v[0]), "f");
		symtab__exit(&t);
		names_section__exit(&n);
		image__exit(&im);
	}
}

static void places_of_other_binaries_are_refused(void **state)
{
	static const struct {
		u32 size, dso, nr;
		int ret;
	} cases[] = {
		{ 40, 0, 1, 0 },
		{ 40, 0, 0, 0 },
		{ 40, 1, 1, -EBADMSG },
		{ 40, 0, 2, -EBADMSG },
		{ 40, 0, UINT32_MAX, -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct names_section n;
		struct image im;

		begin_section(&im, false, 0, CHUNK_HEAD + DSO_CHUNK + CHUNK_HEAD + 40);
		add_dso_chunk(&im, DSO_CHUNK, 0, 1, 3, 0);
		add_chunk_head(&im, 3, cases[i].size);
		image__u32(&im, cases[i].dso);
		image__u32(&im, cases[i].nr);
		for (u64 k = 0; k < 4; k++)
			image__u64(&im, k);
		assert_int_equal(read_image(&im, &n), cases[i].ret);
		names_section__exit(&n);
		image__exit(&im);
	}
}

static void lies_are_refused(void **state)
{
	static const struct {
		u64 unpacked;
		u32 size;
		u8 id_size;
		u32 nr_symbols, name_size, name;
		int ret;
	} cases[] = {
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 0, 1, 3, 0, 0 },
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 20, 1, 3, UINT32_MAX, 0 }, /* a symbol without a name */
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 20, 0, 3, 0, 0 },
		{ CHUNK_HEAD + DSO_CHUNK - 1, DSO_CHUNK, 0, 1, 3, 0, -EBADMSG },
		{ UINT64_MAX, DSO_CHUNK, 0, 1, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK + 1, 0, 1, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, UINT32_MAX, 0, 1, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, 16, 0, 1, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 21, 1, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 0, 2, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 0, UINT32_MAX, 3, 0, -EBADMSG },
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 0, 1, 2, 0, -EBADMSG }, /* the name does not end */
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 0, 1, 8, 0, -EBADMSG }, /* no text is left */
		{ CHUNK_HEAD + DSO_CHUNK, DSO_CHUNK, 0, 1, UINT32_MAX, 0, -EBADMSG },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct names_section n;
		struct symtab t;
		struct image im;

		begin_section(&im, false, 0, cases[i].unpacked);
		add_dso_chunk(&im, cases[i].size, cases[i].id_size, cases[i].nr_symbols, cases[i].name_size,
			      cases[i].name);
		assert_int_equal(read_image(&im, &n), cases[i].ret);
		symtab__init(&t);
		for (size_t k = 0; k < n.entries.nr; k++)
			names_entry__add_symbols(&n, &n.entries.v[k], &t);
		assert_int_equal(t.syms.nr, i == 0);
		symtab__exit(&t);
		names_section__exit(&n);
		image__exit(&im);
	}
}

/* Symbols that all point to one long text do not multiply it. */
static void names_share_no_bytes(void **state)
{
	enum { SYMBOLS = 100, LEN = 1000, SIZE = DSO_FIXED + 16 * SYMBOLS + 3 + LEN };
	static const u8 zeroes[BUILD_ID_MAX + 3];
	struct names_section n;
	struct image im;
	struct symtab t;

	(void)state;
	begin_section(&im, false, 0, CHUNK_HEAD + SIZE);
	add_chunk_head(&im, 1, SIZE);
	image__u64(&im, 0);
	for (unsigned i = 0; i < 3; i++)
		image__u64(&im, i);
	image__u8(&im, 0);
	strbuf__add(&im.b, zeroes, sizeof(zeroes));
	image__u32(&im, SYMBOLS);
	image__u32(&im, 3);
	for (unsigned i = 0; i < SYMBOLS; i++) {
		image__u64(&im, 0x1000 + 16 * i);
		image__u32(&im, 16);
		image__u32(&im, i / 2);
	}
	strbuf__add(&im.b, "/x", 3);
	strbuf__addchars(&im.b, 'x', LEN - 1);
	strbuf__addch(&im.b, '\0');
	assert_int_equal(read_image(&im, &n), 0);
	symtab__init(&t);
	names_entry__add_symbols(&n, &n.entries.v[0], &t);
	assert_int_equal(t.syms.nr, 1);
	symtab__exit(&t);
	names_section__exit(&n);
	image__exit(&im);
}

static void odd_heads(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct names_summary s;
	struct names_section n;

	(void)state;
	assert_int_equal(names_section__summary("", 0, false, &s), -ENODATA);
	assert_int_equal(names_section__read(&n, "", 0, false, NULL), -ENODATA);
	names_section__exit(&n);
	write_two(&out, 1 << 20);
	for (size_t size = 1; size < out.len; size++) { /* cut anywhere */
		assert_int_equal(names_section__read(&n, out.buf, size, false, NULL), -EBADMSG);
		assert_int_equal(n.entries.nr, 0);
		names_section__exit(&n);
	}
	for (size_t at = 0; at < 8; at += 4) { /* another version, another way of packing */
		out.buf[at] += 2;
		assert_int_equal(names_section__summary(out.buf, out.len, false, &s), -EBADMSG);
		out.buf[at] -= 2;
	}
	out.buf[8]++; /* a byte more unpacked than there is, and fewer */
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), -EBADMSG);
	names_section__exit(&n);
	out.buf[8] -= 2;
	assert_int_equal(names_section__read(&n, out.buf, out.len, false, NULL), -EBADMSG);
	names_section__exit(&n);
	strbuf__exit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(the_most_hit_ones_are_kept),
		cmocka_unit_test(both_byte_orders_and_unknown_chunks),
		cmocka_unit_test(code_of_a_jitdump_has_places),
		cmocka_unit_test(long_names_are_whole),
		cmocka_unit_test(names_share_no_bytes),
		cmocka_unit_test(made_up_names_are_marked),
		cmocka_unit_test(places_of_other_binaries_are_refused),
		cmocka_unit_test(lies_are_refused),
		cmocka_unit_test(odd_heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
