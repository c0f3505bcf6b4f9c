/*
 * What is read of a HotSpot virtual machine: layout, blobs, methods; from memory made by hand, right and
 * wrong.
 */
#include "unit.h"

#include "hotspot_image.h"
#include "record/hotspot/hotspot_blob.h"
#include "record/hotspot/hotspot_method.h"
#include "record/hotspot/hotspot_scopes.h"
#include "record/hotspot/known_calls.h"

#include <stdint.h>
#include <stdlib.h>

enum { BASE = 0x10000000 };

static u8 mem[IMAGE_SIZE];
static struct image image;
static struct hotspot_layout layout;
static struct hotspot_heaps heaps;
static u64 nr_reads, unreadable; /* an address that cannot be read; 0: none */

static bool read_image(void *ctx, u64 addr, void *data, size_t size)
{
	(void)ctx;
	nr_reads++;
	if (addr < BASE || addr - BASE > IMAGE_SIZE || size > IMAGE_SIZE - (addr - BASE) ||
	    (unreadable && addr <= unreadable && unreadable - addr < size))
		return false;
	memcpy(data, mem + (addr - BASE), size);
	return true;
}

static const struct vm_memory memory = { .read = read_image };

static void make(enum image_kind kind)
{
	unreadable = 0;
	image__make(&image, mem, BASE, kind);
	assert_null(hotspot_layout__read(&layout, &memory, BASE));
	assert_true(hotspot_heaps__read(&heaps, &layout, &memory));
}

static bool find(struct hotspot_blob *b, u64 addr)
{
	const struct hotspot_heap *heap = hotspot_heaps__find(&heaps, addr);

	assert_non_null(heap);
	return hotspot_blob__find(b, &layout, &memory, heap, addr);
}

static const struct image_blob compiled = { .name = "nmethod",
					    .first = 10,
					    .nr = 300,
					    .code = 200,
					    .size = 30000,
					    .frame_words = 6,
					    .complete = 12,
					    .method = BASE + AT_METHODS,
					    .id = 77 };

static void layouts(void **state)
{
	(void)state;
	for (enum image_kind kind = 0; kind < IMAGE_KINDS; kind++) {
		make(kind);
		assert_int_equal(layout.sizes[TYPE_NMETHOD], NMETHOD_BYTES);
		assert_int_equal(layout.fields[BLOB_FRAME_COMPLETE].size, kind == IMAGE_JDK25 ? 2 : 4);
		assert_int_equal(layout.fields[BLOCK_LENGTH].size, kind == IMAGE_JDK25 ? 4 : 8);
		assert_int_equal(hotspot_layout__has(&layout, BLOB_CODE_OFFSET), kind != IMAGE_JDK17);
		assert_int_equal(layout.version, kind == IMAGE_JDK25 ? 25 : kind == IMAGE_JDK8 ? 8 : 17);
		assert_int_equal(heaps.nr, 1);
		assert_null(hotspot_heaps__find(&heaps, BASE + AT_CODE + CODE_SIZE));
		assert_non_null(hotspot_heaps__find(&heaps, BASE + AT_CODE + CODE_SIZE - 1));
		assert_non_null(hotspot_heaps__find(&heaps, BASE + AT_CODE));
		assert_null(hotspot_heaps__find(&heaps, BASE + AT_CODE - 1));
	}
}

/* Tables that lack a field, or have it in another form, are those of an unknown version. */
static void unknown_layouts(void **state)
{
	static const char *const forms[] = { "u1", "long long", "", "Method" };

	(void)state;
	for (size_t entry = 0; entry < 30; entry++) {
		make(IMAGE_JDK17);
		mem[AT_STRUCTS + entry * STRUCT_STRIDE_BYTES + 16] ^= 1; /* another text, as type */
		assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	}
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		make(IMAGE_JDK25);
		image__u64(&image, AT_STRUCTS + 1 * STRUCT_STRIDE_BYTES + 8, image__text(&image, forms[i]));
		assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	}
	make(IMAGE_JDK8); /* no heap */
	mem[AT_STRUCTS + 16] ^= 1;
	assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	make(IMAGE_JDK17); /* an offset beyond all objects */
	image__u64(&image, AT_STRUCTS + 1 * STRUCT_STRIDE_BYTES + 32, 1ull << 40);
	assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
}

/* Tables without end, strides of nothing, no ELF file, unreadable memory. */
static void hostile_tables(void **state)
{
	(void)state;
	make(IMAGE_JDK17);
	image__u64(&image, AT_VALUES + 7 * 8, 0); /* stride */
	assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	image__u64(&image, AT_VALUES + 7 * 8, UINT64_MAX);
	assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	for (u64 i = AT_STRUCTS; i < AT_TYPES; i += 8) {
		make(IMAGE_JDK17);
		nr_reads = 0;
		unreadable = BASE + i;
		hotspot_layout__read(&layout, &memory, BASE);
		assert_true(nr_reads < 10000);
	}
	make(IMAGE_JDK17);
	for (u64 i = AT_STRUCTS; i + 8 <= IMAGE_SIZE; i += 8) /* each entry leads to a text */
		image__u64(&image, i, BASE + AT_NAMES);
	assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	make(IMAGE_JDK17);
	mem[1] = 'X';
	assert_non_null(hotspot_layout__read(&layout, &memory, BASE));
	assert_non_null(hotspot_layout__read(&layout, &memory, UINT64_MAX - 4));
	assert_non_null(hotspot_layout__read(&layout, &memory, 0));
}

static void blobs(void **state)
{
	struct hotspot_blob b;
	u64 code;

	(void)state;
	for (enum image_kind kind = 0; kind < IMAGE_KINDS; kind++) {
		make(kind);
		code = image__blob(&image, &compiled);
		for (u64 at = 0; at < compiled.size; at += 997) {
			assert_true(find(&b, code + at));
			assert_int_equal(b.kind, HOTSPOT_METHOD);
			assert_int_equal(b.code_begin, code);
			assert_int_equal(b.code_end, code + compiled.size);
			assert_int_equal(b.frame_size, 48);
			assert_int_equal(b.frame_complete, code + 12);
		}
		assert_false(find(&b, BASE + AT_CODE));
		assert_false(find(&b, BASE + AT_CODE + 310 * SEGMENT));
		assert_false(find(&b, BASE + AT_CODE + 10 * SEGMENT)); /* the block's head */
	}
}

static void kinds(void **state)
{
	static const struct {
		const char *name;
		int words, complete;
		enum hotspot_kind kind;
	} cases[] = {
		{ "native nmethod", 4, 3, HOTSPOT_METHOD },     { "native nmethod", 0, 3, HOTSPOT_BARE },
		{ "Interpreter", 0, -1, HOTSPOT_INTERPRETER },  { "vtable chunks", 0, -1, HOTSPOT_BARE },
		{ "I2C/C2I adapters", 0, -1, HOTSPOT_ADAPTER }, { "StubRoutines (1)", 0, -1, HOTSPOT_STUB },
		{ "_new_array_Java", 2, 5, HOTSPOT_STUB }
	};
	struct hotspot_blob b;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct image_blob of = compiled;

		make(i % IMAGE_KINDS);
		of.name = cases[i].name;
		of.frame_words = cases[i].words;
		of.complete = cases[i].complete;
		assert_true(find(&b, image__blob(&image, &of)));
		assert_int_equal(b.kind, cases[i].kind);
		assert_string_equal(b.name, cases[i].name);
		assert_int_equal(b.frame_complete == UINT64_MAX, cases[i].complete < 0);
	}
}

/* Each word of a block and a blob may be a lie. */
static void hostile_blobs(void **state)
{
	static const u64 lies[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ull << 31, BASE, 0x8000000080000000 };
	struct hotspot_blob b;
	u64 code, block = AT_CODE + 10 * SEGMENT;

	(void)state;
	for (u64 at = block; at < block + BLOCK_BYTES + 64; at += 4)
		for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
			make(i % IMAGE_KINDS);
			code = image__blob(&image, &compiled);
			image__put(&image, at, &lies[i], 8);
			if (!find(&b, code + 5))
				continue;
			assert_true(b.code_begin > b.blob && b.code_end <= b.end);
			assert_true(b.end <= BASE + AT_CODE + CODE_SIZE);
			assert_true(b.frame_size <= 1 << 20);
		}
	make(IMAGE_JDK17);
	code = image__blob(&image, &compiled);
	memset(mem + AT_SEGMENTS, 1, CODE_SIZE / SEGMENT); /* back beyond the first one */
	mem[AT_SEGMENTS] = 1;
	nr_reads = 0;
	assert_false(find(&b, code + 20000));
	assert_true(nr_reads < 2000);
}

/* One thing of a blob is wrong, and all others fit it. */
static void odd_blobs(void **state)
{
	const u32 blob = AT_CODE + 10 * SEGMENT + BLOCK_BYTES;
	struct image_blob of = compiled;
	struct hotspot_blob b;
	u64 code;

	(void)state;
	for (enum image_kind kind = 0; kind < IMAGE_KINDS; kind++) {
		make(kind);
		code = image__blob(&image, &compiled);
		image__u32(&image, blob + 16,
			   compiled.nr * SEGMENT - BLOCK_BYTES + 1); /* larger than its block */
		assert_false(find(&b, code));
		image__u32(&image, blob + 16, compiled.nr * SEGMENT - BLOCK_BYTES);
		assert_true(find(&b, code));
		image__u32(&image, blob + 20, (1 << 20) / 8);
		assert_true(find(&b, code));
		assert_int_equal(b.frame_size, 1 << 20);
		image__u32(&image, blob + 20, (1 << 20) / 8 + 1);
		assert_false(find(&b, code));
		/* the frame is complete at the end of the code at most */
		make(kind);
		of = compiled;
		of.name = "a stub";
		of.size = of.complete = 3000;
		code = image__blob(&image, &of);
		assert_true(find(&b, code));
		assert_int_equal(b.frame_complete, code + 3000);
		of.complete = 3001;
		code = image__blob(&image, &of);
		assert_true(find(&b, code));
		assert_int_equal(b.frame_complete, UINT64_MAX);
		of.name = "nmethod"; /* which tells where it is */
		assert_false(find(&b, image__blob(&image, &of)));
		/* the last block of the heap */
		make(kind);
		of = compiled;
		of.first = CODE_SIZE / SEGMENT - of.nr;
		code = image__blob(&image, &of);
		assert_true(find(&b, code));
		assert_int_equal(b.end, BASE + AT_CODE + CODE_SIZE);
		image__u64(&image, AT_CODE + of.first * SEGMENT, of.nr + 1);
		assert_false(find(&b, code));
		/* what is read has room in a buffer */
		make(kind);
		code = image__blob(&image, &compiled);
		layout.sizes[TYPE_NMETHOD] = HOTSPOT_OBJECT_MAX + 64 - BLOCK_BYTES;
		assert_true(find(&b, code));
		layout.sizes[TYPE_NMETHOD]++;
		assert_false(find(&b, code));
	}
}

static void changes(void **state)
{
	struct hotspot_blob b;
	u64 blob = AT_CODE + 10 * SEGMENT + BLOCK_BYTES;

	(void)state;
	make(IMAGE_JDK25);
	assert_true(find(&b, image__blob(&image, &compiled)));
	assert_false(hotspot_blob__has_changed(&b, &layout, &memory));
	image__u64(&image, blob + 64, 99); /* of no interest, such as its state */
	assert_false(hotspot_blob__has_changed(&b, &layout, &memory));
	unreadable = BASE + blob;
	assert_false(hotspot_blob__has_changed(&b, &layout, &memory));
	unreadable = 0;
	image__u32(&image, blob + 56, 78);
	assert_true(hotspot_blob__has_changed(&b, &layout, &memory));
	image__u32(&image, blob + 56, 77);
	mem[AT_CODE + 10 * SEGMENT + 8] = 0; /* free */
	assert_true(hotspot_blob__has_changed(&b, &layout, &memory));
}

static void names(void **state)
{
	static const struct {
		const char *klass, *name, *signature, *shown;
	} cases[] = {
		{ "pkg/Main", "run", "()V", "pkg.Main.run()" },
		{ "Main$In", "<init>", "(I[[Ljava/lang/String;JZ)V",
		  "Main$In.<init>(int, java.lang.String[][], long, boolean)" },
		{ "Main$$Lambda+0x00007f00", "get", "(BCDFS)I",
		  "Main$$Lambda.get(byte, char, double, float, short)" },
		{ "A", "odd", "(Q)V", "A.odd(...)" },
		{ "A", "cut", "(ILjava/lang", "A.cut(int, ...)" },
		{ "A", "not", "I", "A.not()" },
	};
	struct hotspot_method m;
	struct strbuf name = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 at;

		make(i % IMAGE_KINDS);
		at = image__method(&image, 3, cases[i].klass, cases[i].name, cases[i].signature);
		assert_true(hotspot_method__read(&m, &layout, &memory, at));
		assert_int_equal(m.code_begin, at + 0x100 + CONST_BYTES);
		assert_int_equal(m.code_size, 64);
		strbuf__reset(&name);
		assert_true(hotspot_method__name(&m, &layout, &memory, &name));
		assert_string_equal(name.buf, cases[i].shown);
	}
	strbuf__exit(&name);
}

static void hostile_methods(void **state)
{
	static const u64 lies[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ull << 31, BASE + 8, 0xffff0000ffff };
	struct strbuf name = STRBUF_INIT;
	struct hotspot_method m;
	u64 at;

	(void)state;
	for (u64 word = AT_METHODS; word < AT_METHODS + 0xa00; word += 8)
		for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
			make(IMAGE_JDK17);
			at = image__method(&image, 0, "A", "b", "()V");
			image__u64(&image, word, lies[i]);
			if (!hotspot_method__read(&m, &layout, &memory, at))
				continue;
			assert_true(m.end > m.constant && m.code_begin + m.code_size <= m.end);
			strbuf__reset(&name);
			if (!hotspot_method__name(&m, &layout, &memory, &name))
				assert_int_equal(name.len, 0);
		}
	assert_false(hotspot_method__read(&m, &layout, &memory, 0));
	assert_false(hotspot_method__read(&m, &layout, &memory, BASE + AT_METHODS + 1));
	assert_false(hotspot_method__read(&m, &layout, &memory, UINT64_MAX - 7));
	strbuf__exit(&name);
}

static void numbers(void **state)
{
	static const struct {
		u8 bytes[5];
		s32 version;
		u32 value;
		unsigned nr; /* bytes; 0: none */
	} cases[] = { { { 0 }, 17, 0, 1 },
		      { { 191 }, 17, 191, 1 },
		      { { 192, 0 }, 17, 192, 2 },
		      { { 200, 2 }, 17, 200 + (2 << 6), 2 },
		      { { 255, 255, 255, 255, 255 },
			17,
			255u + (255u << 6) + (255u << 12) + (255u << 18) + (255u << 24),
			5 },
		      { { 0 }, 21, 0, 0 },
		      { { 1 }, 21, 0, 1 },
		      { { 191 }, 21, 190, 1 },
		      { { 192, 1 }, 21, 191, 2 },
		      { { 200, 3 }, 25, 199 + (2 << 6), 2 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 value = 0;
		size_t at = 0;

		assert_int_equal(hotspot_scopes__number(cases[i].bytes, 5, &at, cases[i].version, &value),
				 cases[i].nr != 0);
		if (!cases[i].nr)
			continue;
		assert_int_equal(value, cases[i].value);
		assert_int_equal(at, cases[i].nr);
		at = 0;
		assert_false(hotspot_scopes__number(cases[i].bytes, cases[i].nr - 1, &at, cases[i].version,
						    &value));
	}
}

/* Make code into which two methods are inlined before its byte 48. Return where it is. */
static u64 make_inlined(enum image_kind kind, struct hotspot_blob *b)
{
	u64 code;

	make(kind);
	code = image__blob(&image, &compiled);
	image__inlined(&image, compiled.first, compiled.method, 0x2222, 0x3333);
	assert_true(find(b, code));
	return code;
}

/* Methods that are inlined at a return address, and what makes the tables worthless. */
static void inlined(void **state)
{
	struct hotspot_scope v[HOTSPOT_SCOPES_MAX];
	struct hotspot_blob b;
	u64 code;

	(void)state;
	for (enum image_kind kind = 0; kind < IMAGE_KINDS; kind++) {
		code = make_inlined(kind, &b);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 2);
		assert_int_equal(v[0].method, 0x3333);
		assert_int_equal(v[0].at, 60);
		assert_int_equal(v[1].method, 0x2222);
		assert_int_equal(v[1].at, 7);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 32), 0);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 47), 0);
		image__u64(&image, AT_TABLES + 0x200, 0x4444); /* not the method whose code it is */
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		image__u64(&image, AT_TABLES + 0x200, compiled.method);
		image__scope(&image, 5, 9, 2, 7); /* a circle */
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		image__scope(&image, 5, 5, 2, 7);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		image__u64(&image, AT_TABLES + 0x1f8, 0x7777); /* not in the table */
		image__scope(&image, 5, 1, 0, 7);              /* no method */
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		layout.version = 0;
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
	}
}

/* At most 16 methods are inlined into each other; tables have bounds, too. */
static void deeply_inlined(void **state)
{
	static const enum hotspot_field needed[] = { NMETHOD_PCS_OFFSET, PC_OFFSET, PC_SCOPE };
	struct hotspot_scope v[HOTSPOT_SCOPES_MAX + 1];
	struct hotspot_blob b;
	u64 code;

	(void)state;
	for (enum image_kind kind = 0; kind < IMAGE_KINDS; kind++) {
		code = make_inlined(kind, &b);
		for (u8 i = 1; i <= 17; i++)
			image__scope(&image, 1 + 4 * i, (u8)(1 + 4 * (i - 1)), 2, i);
		image__u32(&image, AT_TABLES + 16 * 3 + 4, 1 + 4 * 16);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 16);
		assert_int_equal(v[0].at, 16);
		assert_int_equal(v[15].at, 1);
		v[16].at = 99;
		image__u32(&image, AT_TABLES + 16 * 3 + 4, 1 + 4 * 17);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		assert_int_equal(v[16].at, 99);
		image__u32(&image, AT_TABLES + 16 * 3 + 4, 9);
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 2);
		b.is_method = false;
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		b.is_method = true;
		for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
			u8 size = layout.fields[needed[i]].size;

			layout.fields[needed[i]].size = 0;
			assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
			layout.fields[needed[i]].size = size;
		}
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 2);
		if (kind != IMAGE_JDK25) {
			layout.fields[NMETHOD_PCS_END].size = 0;
			assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
			layout.fields[NMETHOD_PCS_END].size = 4;
			assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 2);
		}
		layout.sizes[TYPE_PC] = 4; /* no room for the second field */
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		layout.sizes[TYPE_PC] = 0;
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
		layout.sizes[TYPE_PC] = 16;
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 2);
		layout.sizes[TYPE_NMETHOD] = HOTSPOT_OBJECT_MAX + 1;
		assert_int_equal(hotspot_scopes__find(v, &b, &layout, &memory, code + 48), 0);
	}
}

static void calls(void **state)
{
	const u64 at[2][3] = { { 11, 12, 13 }, { 21 } };
	struct known_calls k = { .by_ra = HASH_TABLE_INIT };
	const struct known_call *c;

	(void)state;
	assert_null(known_calls__find(&k, 5, 7));
	known_calls__add(&k, 5, 7, at[0], 3);
	known_calls__add(&k, 5, 8, at[1], 1); /* another blob at this address */
	c = known_calls__find(&k, 5, 7);
	assert_non_null(c);
	assert_int_equal(c->nr, 3);
	assert_memory_equal(k.at.v + c->first, at[0], sizeof(at[0]));
	c = known_calls__find(&k, 5, 8);
	assert_non_null(c);
	assert_int_equal(k.at.v[c->first], 21);
	assert_null(known_calls__find(&k, 6, 7));
	assert_null(known_calls__find(&k, 5, 9));
	assert_int_equal(k.at.nr, 4);
	known_calls__exit(&k);
}

/* Pages are read once in a round, and only as far as there are any. */
static void pages(void **state)
{
	struct vm_pages p = { .below = memory, .round = 1 };
	u64 value;
	u8 byte;

	(void)state;
	make(IMAGE_JDK17);
	image__u64(&image, VM_PAGE - 4, 0x1122334455667788);
	nr_reads = 0;
	assert_true(vm_pages__read(&p, BASE + VM_PAGE - 4, &value, 8));
	assert_int_equal(value, 0x1122334455667788);
	assert_true(vm_pages__read(&p, BASE + 1, &byte, 1));
	assert_int_equal(nr_reads, 2);
	mem[1] = 99;
	assert_true(vm_pages__read(&p, BASE + 1, &byte, 1));
	assert_int_equal(byte, 'E');
	p.round++;
	assert_true(vm_pages__read(&p, BASE + 1, &byte, 1));
	assert_int_equal(byte, 99);
	/* two memories in turns */
	p.space = 1;
	mem[1] = 98;
	assert_true(vm_pages__read(&p, BASE + 1, &byte, 1));
	assert_int_equal(byte, 98);
	p.space = 0;
	mem[1] = 97;
	assert_true(vm_pages__read(&p, BASE + 1, &byte, 1));
	assert_int_equal(byte, 97);
	assert_false(vm_pages__read(&p, BASE + IMAGE_SIZE - 4, &value, 8));
	assert_false(vm_memory__read(&(struct vm_memory){ vm_pages__read, &p }, UINT64_MAX - 3, &value, 8));
	free(p.pages);
}

static bool read_number(void *ctx, u64 addr, void *data, size_t size)
{
	(void)ctx;
	memset(data, (int)(addr / VM_PAGE / VM_PAGES), size);
	return true;
}

/* Pages that have one place in turns. */
static void pages_of_one_place(void **state)
{
	struct vm_pages p = { .below.read = read_number, .round = 1 };
	u8 byte;

	(void)state;
	for (u64 i = 1; i < 10; i++) {
		assert_true(vm_pages__read(&p, i % 3 * VM_PAGE * VM_PAGES + VM_PAGE, &byte, 1));
		assert_int_equal(byte, i % 3);
	}
	free(p.pages);
}

/* A text is read up to its end, in pieces, and never more than there is room for. */
static void texts(void **state)
{
	char text[50];

	(void)state;
	memset(mem, 'x', 200);
	mem[100] = '\0';
	unreadable = BASE + 128; /* in the piece after that */
	memset(text, '#', sizeof(text));
	assert_true(vm_memory__string(&memory, BASE + 61, text, 40));
	assert_int_equal(strlen(text), 39);
	assert_true(text[40] == '#');
	memset(text, '#', sizeof(text));
	assert_false(vm_memory__string(&memory, BASE + 60, text, 40));
	for (size_t i = 40; i < sizeof(text); i++)
		assert_true(text[i] == '#');
	assert_false(vm_memory__string(&memory, BASE + 101, text, 40));
	unreadable = 0;
}

/* What a name is made of can be read, and is in the pool. */
static void parts_of_names(void **state)
{
	struct strbuf name = STRBUF_INIT;
	struct hotspot_method m;
	u64 at;

	(void)state;
	make(IMAGE_JDK17);
	at = image__method(&image, 3, "A", "b", "()V");
	assert_true(hotspot_method__read(&m, &layout, &memory, at));
	assert_true(hotspot_method__name(&m, &layout, &memory, &name));
	strbuf__reset(&name);
	image__u64(&image, at - BASE + 4 + 8, at + 0x100); /* not where an object can be */
	assert_false(hotspot_method__read(&m, &layout, &memory, at + 4));
	at = image__method(&image, 3, "A", "b", "()V");
	image__u16(&image, at - BASE + 0x100 + 20, 64 + 32); /* as large as the method leaves room for */
	assert_true(hotspot_method__read(&m, &layout, &memory, at));
	image__u16(&image, at - BASE + 0x100 + 20, 64 + 33);
	assert_false(hotspot_method__read(&m, &layout, &memory, at));
	at = image__method(&image, 3, "A", "b", "()V");
	assert_true(hotspot_method__read(&m, &layout, &memory, at));
	for (u32 nr = 0; nr <= 6; nr++) { /* name and signature are constants 3 and 5 */
		image__u32(&image, at - BASE + 0x300 + 16, nr);
		assert_int_equal(hotspot_method__name(&m, &layout, &memory, &name), nr == 6);
		assert_int_equal(name.len, nr == 6 ? strlen("A.b()") : 0);
		strbuf__reset(&name);
	}
	for (unsigned part = 0; part < 3; part++) { /* class, name, signature */
		static const u64 words[] = { 0x400 + 24, 0x300 + POOL_BYTES + 3 * 8,
					     0x300 + POOL_BYTES + 5 * 8 };

		at = image__method(&image, 3, "A", "b", "()V");
		image__u64(&image, at - BASE + words[part], 0);
		assert_false(hotspot_method__name(&m, &layout, &memory, &name));
		assert_int_equal(name.len, 0);
	}
	strbuf__exit(&name);
}

/* Sizes of entries and objects have bounds; wrong ones are found before tables are read. */
static void odd_tables(void **state)
{
	const char damaged[] = "the tables of its libjvm.so are damaged";
	u64 reads;

	(void)state;
	make(IMAGE_JDK17);
	image__u64(&image, AT_VALUES + 7 * 8, 0);
	nr_reads = 0;
	assert_string_equal(hotspot_layout__read(&layout, &memory, BASE), damaged);
	reads = nr_reads;
	image__u64(&image, AT_VALUES + 7 * 8, 257);
	nr_reads = 0;
	assert_string_equal(hotspot_layout__read(&layout, &memory, BASE), damaged);
	assert_int_equal(nr_reads, reads);
	for (unsigned i = 0; i < 3; i++) { /* the size of each type, one after the other */
		make(IMAGE_JDK17);
		for (u64 entry = AT_TYPES; entry < AT_TEXTS; entry += 8) {
			u64 word;

			memcpy(&word, mem + entry, sizeof(word));
			if (word != (i ? i == 1 ? NMETHOD_BYTES : POOL_BYTES : CONST_BYTES))
				continue;
			image__u64(&image, entry, (1 << 16) - 1);
			assert_null(hotspot_layout__read(&layout, &memory, BASE));
			image__u64(&image, entry, 1 << 16);
			assert_string_equal(hotspot_layout__read(&layout, &memory, BASE),
					    "its version of HotSpot is unknown");
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts),
		cmocka_unit_test(unknown_layouts),
		cmocka_unit_test(hostile_tables),
		cmocka_unit_test(blobs),
		cmocka_unit_test(kinds),
		cmocka_unit_test(hostile_blobs),
		cmocka_unit_test(changes),
		cmocka_unit_test(names),
		cmocka_unit_test(hostile_methods),
		cmocka_unit_test(pages),
		cmocka_unit_test(numbers),
		cmocka_unit_test(inlined),
		cmocka_unit_test(calls),
		cmocka_unit_test(odd_blobs),
		cmocka_unit_test(deeply_inlined),
		cmocka_unit_test(texts),
		cmocka_unit_test(pages_of_one_place),
		cmocka_unit_test(parts_of_names),
		cmocka_unit_test(odd_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
