/*
 * The memory of a HotSpot virtual machine, made by hand: libjvm.so's tables, a code heap, methods.
 * Addresses count from image.base, which is wherever the test says.
 */
#ifndef TESTS_HOTSPOT_IMAGE_H
#define TESTS_HOTSPOT_IMAGE_H

#include "base/memory/types.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

enum {
	IMAGE_SIZE = 1 << 18,
	AT_DYNAMIC = 0x200,
	AT_SYMBOLS = 0x400,
	AT_NAMES = 0x1000,
	AT_VALUES = 0x2000,
	AT_STRUCTS = 0x3000,
	AT_TYPES = 0x5000,
	AT_TEXTS = 0x6000,
	AT_HEAPS = 0xa000, /* static pointer, list, pointers, heap */
	AT_VERSION = 0xa800,
	AT_SEGMENTS = 0xb000,
	AT_METHODS = 0x10000, /* 0x1000 bytes each */
	AT_CODE = 0x20000,
	CODE_SIZE = 0x10000,
	AT_TABLES = 0x2f000, /* of inlined methods */
	SEGMENT = 128,
	STRUCT_STRIDE_BYTES = 56,
	TYPE_STRIDE_BYTES = 40,
	/* sizes and offsets, which differ from those of all real ones */
	BLOCK_BYTES = 24,
	NMETHOD_BYTES = 160,
	CONST_BYTES = 56,
	POOL_BYTES = 40,
};

enum image_kind {
	IMAGE_JDK17, /* fields as of JDK 9 to 22 */
	IMAGE_JDK25, /* since JDK 23: offsets instead of addresses; tables of calls in other memory */
	IMAGE_JDK8,  /* one heap; offsets */
	IMAGE_KINDS
};

struct image {
	u8 *mem;
	u64 base;
	bool is_new, is_old; /* IMAGE_JDK25, IMAGE_JDK8 */
	size_t texts, nr_structs, nr_types, nr_symbols, names;
};

static inline void image__put(struct image *i, u64 at, const void *data, size_t size)
{
	memcpy(i->mem + at, data, size);
}

static inline void image__u64(struct image *i, u64 at, u64 x)
{
	image__put(i, at, &x, sizeof(x));
}

static inline void image__u32(struct image *i, u64 at, u32 x)
{
	image__put(i, at, &x, sizeof(x));
}

static inline void image__u16(struct image *i, u64 at, u16 x)
{
	image__put(i, at, &x, sizeof(x));
}

/* Return the address of a text, which is added. */
static inline u64 image__text(struct image *i, const char *text)
{
	u64 at = AT_TEXTS + i->texts;

	image__put(i, at, text, strlen(text) + 1);
	i->texts += strlen(text) + 1;
	return i->base + at;
}

static inline void image__symbol(struct image *i, const char *name, u64 value)
{
	Elf64_Sym s = { .st_name = (u32)i->names,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			.st_shndx = 5,
			.st_value = AT_VALUES + 8 * i->nr_symbols,
			.st_size = 8 };

	image__put(i, AT_NAMES + i->names, name, strlen(name) + 1);
	image__put(i, AT_SYMBOLS + sizeof(s) * i->nr_symbols, &s, sizeof(s));
	image__u64(i, s.st_value, value);
	i->names += strlen(name) + 1;
	i->nr_symbols++;
}

/* Entries of the tables. Text pointers come at 16, 0 and 8, static at 24, offset at 32, address at 40. */
static inline void image__field(struct image *i, const char *type, const char *name, const char *form, u64 at)
{
	u64 entry = AT_STRUCTS + STRUCT_STRIDE_BYTES * i->nr_structs++;
	bool is_static = at >= i->base;

	image__u64(i, entry + 16, image__text(i, type));
	image__u64(i, entry, image__text(i, name));
	image__u64(i, entry + 8, form ? image__text(i, form) : 0);
	image__u32(i, entry + 24, is_static);
	image__u64(i, entry + 32, is_static ? 0 : at);
	image__u64(i, entry + 40, is_static ? at : 0);
}

static inline void image__type(struct image *i, const char *name, u64 size)
{
	u64 entry = AT_TYPES + TYPE_STRIDE_BYTES * i->nr_types++;

	image__u64(i, entry + 8, image__text(i, name));
	image__u64(i, entry + 24, size);
}

static inline void image__elf(struct image *i)
{
	Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2 };
	const Elf64_Phdr p[2] = { { .p_type = PT_LOAD }, { .p_type = PT_DYNAMIC, .p_vaddr = AT_DYNAMIC } };
	const Elf64_Dyn d[3] = { { .d_tag = DT_STRTAB, .d_un.d_ptr = i->base + AT_NAMES },
				 { .d_tag = DT_SYMTAB,
				   .d_un.d_ptr = AT_SYMBOLS } }; /* moved, and not moved */

	image__put(i, 0, &h, sizeof(h));
	image__put(i, sizeof(h), p, sizeof(p));
	image__put(i, AT_DYNAMIC, d, sizeof(d));
	image__symbol(i, "gHotSpotVMStructs", i->base + AT_STRUCTS);
	image__symbol(i, "gHotSpotVMStructEntryTypeNameOffset", 16);
	image__symbol(i, "gHotSpotVMStructEntryFieldNameOffset", 0);
	image__symbol(i, "gHotSpotVMStructEntryTypeStringOffset", 8);
	image__symbol(i, "gHotSpotVMStructEntryIsStaticOffset", 24);
	image__symbol(i, "gHotSpotVMStructEntryOffsetOffset", 32);
	image__symbol(i, "gHotSpotVMStructEntryAddressOffset", 40);
	image__symbol(i, "gHotSpotVMStructEntryArrayStride", STRUCT_STRIDE_BYTES);
	image__symbol(i, "gHotSpotVMTypes", i->base + AT_TYPES);
	image__symbol(i, "gHotSpotVMTypeEntryTypeNameOffset", 8);
	image__symbol(i, "gHotSpotVMTypeEntrySizeOffset", 24);
	image__symbol(i, "gHotSpotVMTypeEntryArrayStride", TYPE_STRIDE_BYTES);
}

static inline void image__versions(struct image *i)
{
	image__field(i, "Abstract_VM_Version", "_vm_major_version", "int", i->base + AT_VERSION);
	image__u32(i, AT_VERSION, i->is_new || i->is_old ? 25 : 17);
	if (i->is_new)
		return;
	image__field(i, "JDK_Version", "_current", "JDK_Version", i->base + AT_VERSION + 8);
	image__field(i, "JDK_Version", "_major", "unsigned char", 1);
	i->mem[AT_VERSION + 9] = i->is_old ? 8 : 17;
}

static inline void image__call_fields(struct image *i)
{
	image__field(i, "PcDesc", "_pc_offset", "int", 0);
	image__field(i, "PcDesc", "_scope_decode_offset", "int", 4);
	image__field(i, "nmethod", "_scopes_pcs_offset", "int", 64);
	if (i->is_new) {
		image__field(i, "nmethod", "_scopes_data_offset", "int", 68);
		image__field(i, "nmethod", "_immutable_data", "address", 72);
		image__field(i, "CodeBlob", "_mutable_data", "address", 88);
		image__field(i, "CodeBlob", "_relocation_size", "int", 96);
		return;
	}
	image__field(i, "nmethod", "_dependencies_offset", "int", 68);
	image__field(i, "nmethod", "_metadata_offset", "int", 80);
	if (i->is_old)
		image__field(i, "nmethod", "_scopes_data_offset", "int", 72);
	else
		image__field(i, "CompiledMethod", "_scopes_data_begin", "address", 72);
}

static inline void image__fields(struct image *i)
{
	if (i->is_old)
		image__field(i, "CodeCache", "_heap", "CodeHeap*", i->base + AT_HEAPS);
	else
		image__field(i, "CodeCache", "_heaps", "GrowableArray<CodeHeap*>*", i->base + AT_HEAPS);
	image__field(i, i->is_old ? "GenericGrowableArray" : "GrowableArrayBase", "_len", "int", 4);
	image__field(i, "GrowableArray<int>", "_data", "int*", 16);
	image__field(i, "CodeHeap", "_memory", "VirtualSpace", 8);
	image__field(i, "CodeHeap", "_segmap", "VirtualSpace", 40);
	image__field(i, "CodeHeap", "_log2_segment_size", "int", 72);
	image__field(i, "VirtualSpace", "_low", "char*", 8);
	image__field(i, "VirtualSpace", "_high", "char*", 16);
	image__field(i, "HeapBlock::Header", "_length", i->is_new ? "uint32_t" : "size_t", 0);
	image__field(i, "HeapBlock::Header", "_used", "bool", 8);
	image__field(i, "CodeBlob", "_name", "const char*", 8);
	image__field(i, "CodeBlob", "_size", "int", 16);
	image__field(i, "CodeBlob", "_frame_size", "int", 20);
	image__field(i, "CodeBlob", "_frame_complete_offset", i->is_new ? "int16_t" : "int", 24);
	image__field(i, "CodeBlob", "_data_offset", "int", 28);
	if (i->is_new || i->is_old) {
		image__field(i, "CodeBlob", "_code_offset", "int", 32);
	} else {
		image__field(i, "CodeBlob", "_code_begin", "address", 32);
		image__field(i, "CodeBlob", "_code_end", "address", 40);
	}
	image__field(i, i->is_new || i->is_old ? "nmethod" : "CompiledMethod", "_method", "Method*", 48);
	image__field(i, "nmethod", "_compile_id", "int", 56);
	image__field(i, "Method", "_constMethod", "ConstMethod*", 8);
	image__field(i, "ConstMethod", "_constants", "ConstantPool*", 8);
	image__field(i, "ConstMethod", "_constMethod_size", "int", 16);
	image__field(i, "ConstMethod", "_code_size", "u2", 20);
	image__field(i, "ConstMethod", "_name_index", "u2", 22);
	image__field(i, "ConstMethod", "_signature_index", "u2", 24);
	image__field(i, "ConstantPool", "_pool_holder", "InstanceKlass*", 8);
	image__field(i, "ConstantPool", "_length", "int", 16);
	image__field(i, "Klass", "_name", "Symbol*", 24);
	image__field(i, "Symbol", "_length", i->is_old ? "unsigned short" : "u2", 4);
	image__field(i, "Symbol", "_body", NULL, 6);
	image__versions(i);
	image__call_fields(i);
	image__type(i, "PcDesc", 16);
	image__type(i, "ConstMethod", CONST_BYTES);
	image__type(i, "ConstantPool", POOL_BYTES);
	image__type(i, "HeapBlock", BLOCK_BYTES);
	image__type(i, "nmethod", NMETHOD_BYTES);
}

/* One heap: a list of one, whose memory is all free. */
static inline void image__heap(struct image *i)
{
	u64 list = AT_HEAPS + 0x100, data = AT_HEAPS + 0x200, heap = AT_HEAPS + 0x300;

	image__u64(i, AT_HEAPS, i->base + (i->is_old ? heap : list));
	image__u32(i, list + 4, 1);
	image__u64(i, list + 16, i->base + data);
	image__u64(i, data, i->base + heap);
	image__u64(i, heap + 8 + 8, i->base + AT_CODE);
	image__u64(i, heap + 8 + 16, i->base + AT_CODE + CODE_SIZE);
	image__u64(i, heap + 40 + 8, i->base + AT_SEGMENTS);
	image__u64(i, heap + 40 + 16, i->base + AT_SEGMENTS + CODE_SIZE / SEGMENT);
	image__u32(i, heap + 72, 7);
	memset(i->mem + AT_SEGMENTS, 0xff, CODE_SIZE / SEGMENT);
}

static inline void image__make(struct image *i, u8 *mem, u64 base, enum image_kind kind)
{
	*i = (struct image){
		.mem = mem, .base = base, .is_new = kind == IMAGE_JDK25, .is_old = kind == IMAGE_JDK8
	};
	memset(mem, 0, IMAGE_SIZE);
	image__elf(i);
	image__fields(i);
	image__heap(i);
}

struct image_blob {
	const char *name;
	unsigned first, nr;  /* segments */
	unsigned code, size; /* offset of the code from the blob; bytes of code */
	int frame_words, complete;
	u64 method; /* address */
	u32 id;
};

/* Add a blob. Return the address of its code. */
static inline u64 image__blob(struct image *i, const struct image_blob *b)
{
	u64 block = AT_CODE + b->first * SEGMENT, blob = block + BLOCK_BYTES;

	for (unsigned k = 0; k < b->nr; k++)
		i->mem[AT_SEGMENTS + b->first + k] = (u8)(k ? 1 + (k - 1) % 200 : 0);
	image__u64(i, block, b->nr);
	i->mem[block + 8] = 1;
	image__u64(i, blob + 8, image__text(i, b->name));
	image__u32(i, blob + 16, b->nr * SEGMENT - BLOCK_BYTES);
	image__u32(i, blob + 20, (u32)b->frame_words);
	image__u32(i, blob + 24, (u32)b->complete);
	image__u32(i, blob + 28, b->code + b->size);
	if (i->is_new || i->is_old) {
		image__u32(i, blob + 32, b->code);
	} else {
		image__u64(i, blob + 32, i->base + blob + b->code);
		image__u64(i, blob + 40, i->base + blob + b->code + b->size);
	}
	image__u64(i, blob + 48, b->method);
	image__u32(i, blob + 56, b->id);
	return i->base + blob + b->code;
}

/* A scope at an offset of the scopes' data: numbers below 190. */
static inline void image__scope(struct image *i, u64 scope, u8 sender, u8 method, u8 bci)
{
	const u8 excess = i->is_new,
		 numbers[] = { (u8)(sender + excess), (u8)(method + excess), (u8)(bci + 1 + excess) };

	image__put(i, AT_TABLES + 0x100 + scope, numbers, sizeof(numbers));
}

/*
 * Give the blob whose block is at this segment tables: at the return addresses 16 and 32 of its code,
 * first calls; at 48 third, which is inlined into second, which is inlined into first.
 */
static inline void image__inlined(struct image *i, unsigned segment, u64 first, u64 second, u64 third)
{
	static const s32 pcs[][2] = { { -1, 0 }, { 16, 1 }, { 32, 1 }, { 48, 9 }, { 1 << 30, 0 } };
	u64 blob = AT_CODE + segment * SEGMENT + BLOCK_BYTES, base = i->is_new ? AT_TABLES - 8 : blob;

	for (size_t k = 0; k < 5; k++)
		image__put(i, AT_TABLES + 16 * k, pcs[k], sizeof(pcs[k]));
	image__u32(i, blob + 64, (u32)(AT_TABLES - base));
	if (i->is_new) {
		image__u64(i, blob + 72, i->base + base);
		image__u32(i, blob + 68, (u32)(AT_TABLES + 0x100 - base));
		image__u64(i, blob + 88, i->base + AT_TABLES + 0x1c0);
		image__u32(i, blob + 96, 0x40);
		memset(i->mem + AT_TABLES + 80, 0x7f,
		       0x100 - 80); /* after the last address, up to the data */
	} else {
		image__u32(i, blob + 68, (u32)(AT_TABLES + 80 - base));
		if (i->is_old)
			image__u32(i, blob + 72, (u32)(AT_TABLES + 0x100 - base));
		else
			image__u64(i, blob + 72, i->base + AT_TABLES + 0x100);
		image__u32(i, blob + 80, (u32)(AT_TABLES + 0x200 - base));
	}
	image__scope(i, 1, 0, 1, 3);
	image__scope(i, 5, 1, 2, 7);
	image__scope(i, 9, 5, 3, 60);
	image__u64(i, AT_TABLES + 0x200, first);
	image__u64(i, AT_TABLES + 0x208, second);
	image__u64(i, AT_TABLES + 0x210, third);
}

static inline u64 image__name(struct image *i, u64 at, const char *text)
{
	image__u16(i, at + 4, (u16)strlen(text));
	image__put(i, at + 6, text, strlen(text));
	return i->base + at;
}

/* Add method nr, with 64 bytes of bytecodes. Return its address; the ConstMethod is 0x100 after that. */
static inline u64 image__method(struct image *i, unsigned nr, const char *klass, const char *name,
				const char *signature)
{
	u64 at = AT_METHODS + nr * 0x1000, constant = at + 0x100, pool = at + 0x300, holder = at + 0x400;

	image__u64(i, at + 8, i->base + constant);
	image__u64(i, constant + 8, i->base + pool);
	image__u32(i, constant + 16, (CONST_BYTES + 64) / 8 + 4);
	image__u16(i, constant + 20, 64);
	image__u16(i, constant + 22, 3);
	image__u16(i, constant + 24, 5);
	image__u64(i, pool + 8, i->base + holder);
	image__u32(i, pool + 16, 8);
	image__u64(i, pool + POOL_BYTES + 3 * 8, image__name(i, at + 0x500, name));
	image__u64(i, pool + POOL_BYTES + 5 * 8, image__name(i, at + 0x700, signature));
	image__u64(i, holder + 24, image__name(i, at + 0x900, klass));
	return i->base + at;
}

#endif
