/*
 * The memory of a HotSpot virtual machine: input is put over parts of a right one, which may change while
 * it is read.
 */
#include "fuzz.h"
#include "record/hotspot/hotspot_blob.h"
#include "record/hotspot/hotspot_method.h"
#include "record/hotspot/hotspot_scopes.h"

#include "../unit/hotspot_image.h"

#include <string.h>

enum { BASE = 0x10000000, READS_MAX = 20000 };

static u8 mem[IMAGE_SIZE];
static const uint8_t *input;
static size_t left;
static unsigned nr_reads;

/* Take an edit of the input: two bytes of place, one of size, then bytes. */
static bool edit(void)
{
	size_t at, size;

	if (left < 4)
		return false;
	at = ((size_t)input[0] << 8 | input[1]) * 4;
	size = input[2] % 16 + 1;
	input += 3;
	left -= 3;
	size = size < left ? size : left;
	if (at + size <= IMAGE_SIZE)
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
	if (nr_reads % 64 == 0)
		edit();
	if (addr < BASE || addr - BASE > IMAGE_SIZE || size > IMAGE_SIZE - (addr - BASE))
		return false;
	memcpy(data, mem + (addr - BASE), size);
	return true;
}

static void look(const struct hotspot_layout *l, const struct vm_memory *m)
{
	struct strbuf name = STRBUF_INIT;
	struct hotspot_method method;
	struct hotspot_heaps heaps;
	struct hotspot_scope scopes[HOTSPOT_SCOPES_MAX];
	struct hotspot_blob b;

	if (hotspot_heaps__read(&heaps, l, m))
		for (u64 at = AT_CODE; at < AT_CODE + CODE_SIZE; at += 777) {
			const struct hotspot_heap *heap = hotspot_heaps__find(&heaps, BASE + at);

			if (!heap || !hotspot_blob__find(&b, l, m, heap, BASE + at))
				continue;
			if (b.code_begin > b.code_end || b.code_end > b.end || b.blob > b.code_begin)
				abort();
			fuzz__touch(b.name, strlen(b.name));
			hotspot_blob__has_changed(&b, l, m);
			if (hotspot_scopes__find(scopes, &b, l, m, b.code_begin + 48) > HOTSPOT_SCOPES_MAX)
				abort();
		}
	for (unsigned i = 0; i < 3; i++) {
		strbuf__reset(&name);
		if (hotspot_method__read(&method, l, m, BASE + AT_METHODS + i * 0x1000) &&
		    hotspot_method__name(&method, l, m, &name))
			fuzz__touch(name.buf, name.len);
	}
	strbuf__exit(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct vm_memory m = { .read = read_image };
	struct hotspot_layout layout;
	struct image image;

	nr_reads = 0;
	input = data;
	left = size;
	image__make(&image, mem, BASE, size % IMAGE_KINDS);
	image__blob(&image, &(struct image_blob){ "nmethod", 4, 40, 200, 4000, 6, 9, BASE + AT_METHODS, 5 });
	image__blob(&image, &(struct image_blob){ "Interpreter", 60, 200, 96, 25000, 0, -1, 0, 0 });
	image__inlined(&image, 4, BASE + AT_METHODS, BASE + AT_METHODS + 0x1000, BASE + AT_METHODS + 0x2000);
	for (unsigned i = 0; i < 3; i++)
		image__method(&image, i, "a/B$C", "run", "(I[Ljava/lang/String;)V");
	for (unsigned i = 0; i < 8 && edit(); i++)
		;
	if (!hotspot_layout__read(&layout, &m, BASE))
		look(&layout, &m);
	return 0;
}
