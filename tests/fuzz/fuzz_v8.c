/*
 * The memory of a process with V8: input is put over parts of a right one, which may change while it is read.
 */
#include "fuzz.h"
#include "record/v8/v8_code.h"
#include "record/v8/v8_function.h"

#include "../unit/v8_image.h"

#include <string.h>

enum { BASE = 0x10000000, READS_MAX = 100000 };

static u8 mem[V8I_SIZE];
static struct v8_image image;
static const uint8_t *input;
static size_t left;
static unsigned nr_reads;

/* Take an edit of the input: two bytes of place, one of size, then bytes. */
static bool edit(void)
{
	size_t at, size;

	if (left < 4)
		return false;
	at = ((size_t)input[0] << 8 | input[1]) * 2;
	size = input[2] % 16 + 1;
	input += 3;
	left -= 3;
	size = size < left ? size : left;
	if (at + size <= V8I_SIZE)
		memcpy(mem + at, input, size);
	input += size;
	left -= size;
	return true;
}

static bool read_image(void *ctx, u64 addr, void *data, size_t size)
{
	(void)ctx;
	if (++nr_reads > READS_MAX)
		return false;
	if (nr_reads % 256 == 0)
		edit();
	if (addr < BASE || addr - BASE > V8I_SIZE || size > V8I_SIZE - (addr - BASE))
		return false;
	memcpy(data, mem + (addr - BASE), size);
	return true;
}

static const struct vm_memory memory = { .read = read_image };

static void look(const struct v8_layout *l, u64 from, u64 to)
{
	const struct v8_heap heap = { .l = l, .m = &memory };
	struct v8_lines lines = { .m = &memory };
	struct strbuf name = STRBUF_INIT;
	u64 found, begin, end;
	struct v8_code c;

	for (u64 object = from; object < to; object += 8) {
		strbuf__reset(&name);
		v8_heap__add_text(&heap, object, &name);
		if (v8_shared__add_name(&heap, &lines, object, &name))
			fuzz__touch(name.buf, name.len);
		v8_function__shared(&heap, object, &found);
		v8_shared__bytecodes(&heap, object, &found);
		if (v8_bytecodes__read(&heap, object, &begin, &end) && begin >= end)
			abort();
	}
	for (u64 at = 0; at < 0x4000; at += 700)
		if (v8_code__find(&c, &heap, BASE + V8I_CODE + at)) {
			if (c.begin >= c.end || c.head >= c.begin)
				abort();
			v8_code__has_changed(&c, &heap);
		}
	v8_lines__exit(&lines);
	strbuf__exit(&name);
}

/* Make functions of each kind. Return the end of their objects. */
static u64 make_functions(void)
{
	const u64 ends[] = { v8i__smi(4), v8i__smi(9) };
	u64 text = v8i__text(&image, "one\ntwo\nthree\n"), object;
	u64 script = v8i__script(&image, v8i__text(&image, "a.js"), text, 0);
	u64 other = v8i__script(&image, text, 0, v8i__array(&image, ends, 2));
	u64 bytecodes = v8i__bytecodes(&image, "bytes"), shared;

	v8i__text_of(&image, 41, 20, text, v8i__text_of(&image, 43, 4, text, v8i__smi(2)));
	v8i__text_of(&image, 42, 4, text, text - 1 + 16);
	v8i__function(&image, v8i__shared(&image, v8i__scope(&image, 2, text, 0, 4), script, bytecodes));
	shared = v8i__shared(&image, v8i__scope(&image, 80, 0, text, 7), other, bytecodes);
	v8i__code(&image, V8I_BASELINE, 700, bytecodes, &object);
	v8i__code(&image, V8I_OPTIMIZED, 1500, shared, &object);
	v8i__code(&image, V8I_BUILTIN, 64, 0, &object);
	return BASE + image.heap;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct v8_layout layout;
	u64 from, to;

	nr_reads = 0;
	input = data;
	left = size;
	v8_image__make(&image, mem, BASE, (enum v8i_version)(size % 3));
	from = BASE + image.heap + 1;
	to = make_functions();
	for (unsigned i = 0; i < 8 && edit(); i++)
		;
	if (!v8_layout__read(&layout, &memory, BASE))
		look(&layout, from, to);
	return 0;
}
