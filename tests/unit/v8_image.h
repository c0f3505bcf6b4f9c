/*
 * The memory of a process with V8, made by hand: the constants that the binary exports, functions, code.
 * Addresses count from v8_image.base, which is wherever the test says. Objects are tagged: 1 more than their
 * address.
 */
#ifndef TESTS_V8_IMAGE_H
#define TESTS_V8_IMAGE_H

#include "base/memory/types.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

enum {
	V8I_SIZE = 1 << 17,
	V8I_DYNAMIC = 0x200,
	V8I_HASH = 0x400,
	V8I_SYMBOLS = 0x1000,
	V8I_VALUES = 0x2000,
	V8I_NAMES = 0x3000,
	V8I_HEAP = 0x8000,
	V8I_CODE = 0x18000,      /* compiled code */
	V8I_CODE_BYTES = 0x1000, /* of each */
	V8I_BUCKETS = 16,
	V8I_SYMBOLS_MAX = 96,
	/* instance types, and kinds of code */
	V8I_SHARED = 262,
	V8I_BYTECODES = 191,
	V8I_SCRIPT = 167,
	V8I_SCOPE = 261,
	V8I_INTERPRETER_DATA = 159,
	V8I_CODE_TYPE = 245,
	V8I_FIXED_ARRAY = 175,
	V8I_STREAM = 252,
	V8I_WRAPPER = 195,
	V8I_CONTAINER = 241,
	V8I_FUNCTION = 2066,
	V8I_BASELINE = 11,
	V8I_OPTIMIZED = 12,
	V8I_BUILTIN = 2,
};

/* Node.js 18, 20 and 24 */
enum v8i_version { V8_10, V8_11, V8_13 };

struct v8_image {
	u8 *mem;
	u64 base;
	enum v8i_version version;
	u64 heap; /* used so far */
	u64 meta; /* the map of maps */
	unsigned nr_symbols, nr_codes;
	const char *names[V8I_SYMBOLS_MAX];
	s32 values[V8I_SYMBOLS_MAX];
};

/* ---- words ---- */

static inline void v8i__put(struct v8_image *i, u64 addr, const void *data, size_t size)
{
	memcpy(i->mem + (addr - i->base), data, size);
}

static inline void v8i__u64(struct v8_image *i, u64 addr, u64 x)
{
	v8i__put(i, addr, &x, sizeof(x));
}

static inline void v8i__u32(struct v8_image *i, u64 addr, u32 x)
{
	v8i__put(i, addr, &x, sizeof(x));
}

/* Set a word of an object. */
static inline void v8i__set(struct v8_image *i, u64 object, u64 offset, u64 x)
{
	v8i__u64(i, object - 1 + offset, x);
}

static inline u64 v8i__smi(s32 x)
{
	return (u64)(u32)x << 32;
}

/* ---- the binary ---- */

static inline void v8i__constant(struct v8_image *i, const char *name, s32 value)
{
	i->names[i->nr_symbols] = name;
	i->values[i->nr_symbols++] = value;
}

static inline void v8i__constants(struct v8_image *i)
{
	const bool is_10 = i->version == V8_10, is_13 = i->version == V8_13;

	v8i__constant(i, "v8dbg_SmiTag", 0);
	v8i__constant(i, "v8dbg_SmiShiftSize", 31);
	v8i__constant(i, "v8dbg_HeapObjectTag", 1);
	v8i__constant(i, "v8dbg_HeapObjectTagMask", 3);
	v8i__constant(i, "v8dbg_TaggedSize", 8);
	v8i__constant(i, "v8dbg_off_fp_function", -16);
	v8i__constant(i, "v8dbg_off_fp_bytecode_array", -32);
	v8i__constant(i, "v8dbg_off_fp_bytecode_offset", -40);
	v8i__constant(i, "v8dbg_class_HeapObject__map__Map", 0);
	v8i__constant(i, "v8dbg_class_Map__instance_type__uint16_t", 12);
	v8i__constant(i, "v8dbg_class_FixedArrayBase__length__SMI", 8);
	v8i__constant(i, "v8dbg_class_FixedArray__data__uintptr_t", 16);
	v8i__constant(i, "v8dbg_class_Script__source__Object", 8);
	v8i__constant(i, "v8dbg_class_Script__name__Object", 16);
	v8i__constant(i, "v8dbg_class_Script__line_ends__Object", 56);
	v8i__constant(i, "v8dbg_CodeKindFieldMask", 15);
	v8i__constant(i, "v8dbg_CodeKindFieldShift", 0);
	v8i__constant(i, "v8dbg_scopeinfo_idx_ncontextlocals", 2);
	v8i__constant(i, "v8dbg_StringEncodingMask", 8);
	v8i__constant(i, "v8dbg_StringRepresentationMask", 7);
	v8i__constant(i, "v8dbg_SeqStringTag", 0);
	v8i__constant(i, "v8dbg_ConsStringTag", 1);
	v8i__constant(i, "v8dbg_ExternalStringTag", 2);
	v8i__constant(i, "v8dbg_SlicedStringTag", 3);
	v8i__constant(i, "v8dbg_ThinStringTag", 5);
	v8i__constant(i, "v8dbg_class_String__length__int32_t", 12);
	v8i__constant(i, "v8dbg_class_SeqOneByteString__chars__char", 16);
	v8i__constant(i, "v8dbg_class_SeqTwoByteString__chars__char", 16);
	v8i__constant(i, "v8dbg_class_ConsString__first__String", 16);
	v8i__constant(i, "v8dbg_class_ConsString__second__String", 24);
	v8i__constant(i, "v8dbg_class_ExternalString__resource__Object", 16);
	v8i__constant(i, "v8dbg_class_SlicedString__parent__String", 16);
	v8i__constant(i, "v8dbg_class_SlicedString__offset__SMI", 24);
	v8i__constant(i, "v8dbg_class_ThinString__actual__String", 16);
	v8i__constant(i, "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", V8I_SHARED);
	v8i__constant(i, "v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE", V8I_BYTECODES);
	v8i__constant(i, "v8dbg_type_Script__SCRIPT_TYPE", V8I_SCRIPT);
	v8i__constant(i, "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE", V8I_SCOPE);
	v8i__constant(i, "v8dbg_type_InterpreterData__INTERPRETER_DATA_TYPE", V8I_INTERPRETER_DATA);
	v8i__constant(i, "v8dbg_type_Code__CODE_TYPE", V8I_CODE_TYPE);
	v8i__constant(i, "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE", V8I_FIXED_ARRAY);
	v8i__constant(i, "v8dbg_CodeKindBaseline", V8I_BASELINE);
	v8i__constant(i, "v8dbg_class_BytecodeArray__data__uintptr_t", 54);
	v8i__constant(i, "v8dbg_class_JSFunction__shared__SharedFunctionInfo", is_13 ? 32 : 24);
	v8i__constant(i, "v8dbg_scopeinfo_idx_first_vars", is_13 ? 5 : 3);
	if (is_10) {
		v8i__constant(i, "v8dbg_class_Code__instruction_start__uintptr_t", 128);
		v8i__constant(i, "v8dbg_class_Code__instruction_size__int", 40);
		v8i__constant(i, "v8dbg_class_Code__flags__uint32_t", 48);
		v8i__constant(i, "v8dbg_type_CodeDataContainer__CODE_DATA_CONTAINER_TYPE", V8I_CONTAINER);
	} else {
		v8i__constant(i, "v8dbg_type_InstructionStream__INSTRUCTION_STREAM_TYPE", V8I_STREAM);
		v8i__constant(i, "v8dbg_class_InstructionStream__instruction_start__uintptr_t",
			      is_13 ? 32 : 16);
	}
	if (is_13) {
		v8i__constant(i, "v8dbg_class_Code__instruction_start__Address", 40);
		v8i__constant(i, "v8dbg_class_Code__instruction_size__int", 56);
		v8i__constant(i, "v8dbg_class_Code__flags__uint32_t", 52);
		v8i__constant(i, "v8dbg_DeoptimizationDataWrappedSharedFunctionInfoIndex", 7);
		v8i__constant(i, "v8dbg_type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE",
			      V8I_WRAPPER);
		v8i__constant(i,
			      "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_",
			      24);
		v8i__constant(i, "v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_", 40);
		return;
	}
	v8i__constant(i, "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Object", 16);
	v8i__constant(i, "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject", 32);
	if (is_10)
		return;
	v8i__constant(i, "v8dbg_class_Code__deoptimization_data__FixedArray", 16);
	v8i__constant(i, "v8dbg_DeoptimizationDataSharedFunctionInfoIndex", 6);
}

static inline u32 v8i__hash(const char *name)
{
	u32 h = 5381;

	for (; *name; name++)
		h = h * 33 + (u8)*name;
	return h;
}

/* Write the symbols, ordered by bucket, and DT_GNU_HASH. The first symbol is none. */
static inline void v8i__write_symbols(struct v8_image *i)
{
	const u32 head[4] = { V8I_BUCKETS, 1, 1, 6 };
	u64 buckets = i->base + V8I_HASH + sizeof(head) + 8, chains = buckets + 4 * V8I_BUCKETS;
	u32 names = 1, nr = 1;

	v8i__put(i, i->base + V8I_HASH, head, sizeof(head));
	for (u32 b = 0; b < V8I_BUCKETS; b++) {
		u32 first = nr;

		for (unsigned k = 0; k < i->nr_symbols; k++) {
			const char *name = i->names[k];
			Elf64_Sym s = { .st_name = names,
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
					.st_shndx = 5,
					.st_value = V8I_VALUES + 4 * nr,
					.st_size = 4 };

			if (v8i__hash(name) % V8I_BUCKETS != b)
				continue;
			v8i__put(i, i->base + V8I_NAMES + names, name, strlen(name) + 1);
			names += (u32)strlen(name) + 1;
			v8i__put(i, i->base + V8I_SYMBOLS + nr * sizeof(s), &s, sizeof(s));
			v8i__u32(i, i->base + s.st_value, (u32)i->values[k]);
			v8i__u32(i, chains + 4 * (nr - 1), v8i__hash(name) & ~1u);
			nr++;
		}
		v8i__u32(i, buckets + 4 * b, nr > first ? first : 0);
		if (nr > first) { /* the last one of the chain has bit 0 */
			u64 last = chains + 4 * (nr - 2) - i->base;

			i->mem[last] |= 1;
		}
	}
}

static inline void v8i__elf(struct v8_image *i)
{
	const Elf64_Ehdr h = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB },
			       .e_machine = EM_X86_64,
			       .e_phoff = sizeof(h),
			       .e_phentsize = sizeof(Elf64_Phdr),
			       .e_phnum = 2 };
	const Elf64_Phdr p[2] = { { .p_type = PT_LOAD }, { .p_type = PT_DYNAMIC, .p_vaddr = V8I_DYNAMIC } };
	const Elf64_Dyn d[] = { { DT_SYMTAB, { i->base + V8I_SYMBOLS } },
				{ DT_STRTAB, { i->base + V8I_NAMES } },
				{ DT_GNU_HASH, { V8I_HASH } }, /* not relocated, as by musl */
				{ DT_NULL, { 0 } } };

	v8i__put(i, i->base, &h, sizeof(h));
	v8i__put(i, i->base + sizeof(h), p, sizeof(p));
	v8i__put(i, i->base + V8I_DYNAMIC, d, sizeof(d));
}

/* ---- objects ---- */

static inline u64 v8i__alloc(struct v8_image *i, size_t size)
{
	u64 object = i->base + i->heap + 1;

	i->heap += (size + 7) & ~7ull;
	return object;
}

static inline u64 v8i__map(struct v8_image *i, u16 type)
{
	u64 map = v8i__alloc(i, 40);

	v8i__set(i, map, 0, i->meta ? i->meta : map);
	v8i__put(i, map - 1 + 12, &type, sizeof(type));
	return map;
}

/* Make an object of a type, with a map of its own. */
static inline u64 v8i__object(struct v8_image *i, u16 type, size_t size)
{
	u64 map = v8i__map(i, type), object = v8i__alloc(i, size);

	v8i__set(i, object, 0, map);
	return object;
}

/* Make a text of one-byte characters. */
static inline u64 v8i__text(struct v8_image *i, const char *text)
{
	u64 object = v8i__object(i, 8, 16 + strlen(text));

	v8i__u32(i, object - 1 + 12, (u32)strlen(text));
	v8i__put(i, object - 1 + 16, text, strlen(text));
	return object;
}

/* Make a text that refers to others. nr: characters */
static inline u64 v8i__text_of(struct v8_image *i, u16 type, u32 nr, u64 first, u64 second)
{
	u64 object = v8i__object(i, type, 32);

	v8i__u32(i, object - 1 + 12, nr);
	v8i__set(i, object, 16, first);
	v8i__set(i, object, 24, second);
	return object;
}

/* Make an array of small integers or objects. */
static inline u64 v8i__array(struct v8_image *i, const u64 *words, s32 nr)
{
	u64 object = v8i__object(i, V8I_FIXED_ARRAY, 16 + 8 * (size_t)nr);

	v8i__set(i, object, 8, v8i__smi(nr));
	for (s32 k = 0; k < nr; k++)
		v8i__set(i, object, 16 + 8 * (u64)k, words[k]);
	return object;
}

/* line_ends: an array, or 0 if V8 has not looked for lines yet */
static inline u64 v8i__script(struct v8_image *i, u64 name, u64 source, u64 line_ends)
{
	u64 script = v8i__object(i, V8I_SCRIPT, 64);

	v8i__set(i, script, 8, source);
	v8i__set(i, script, 16, name);
	v8i__set(i, script, 56, line_ends);
	return script;
}

/* A scope with variables before what is of interest. name and inferred may be 0: none. */
static inline u64 v8i__scope(struct v8_image *i, s32 nr_variables, u64 name, u64 inferred, s32 start)
{
	u64 scope = v8i__object(i, V8I_SCOPE, 128 + 16 * (size_t)nr_variables);
	u64 at = i->version == V8_13 ? 48 : 32, flags = 4;

	flags |= name ? 2 << 12 : 0;
	flags |= inferred ? 1 << 14 : 0;
	v8i__set(i, scope, 8, i->version == V8_13 ? flags : flags << 32);
	v8i__set(i, scope, 24, v8i__smi(nr_variables));
	if (i->version == V8_13) {
		v8i__set(i, scope, 32, v8i__smi(start));
		v8i__set(i, scope, 40, v8i__smi(start + 9));
	}
	at += nr_variables < 75 ? 16 * (u64)nr_variables : 8 + 8 * (u64)nr_variables;
	if (name) {
		v8i__set(i, scope, at, name);
		at += 16;
	}
	if (inferred) {
		v8i__set(i, scope, at, inferred);
		at += 8;
	}
	if (i->version != V8_13)
		v8i__set(i, scope, at, v8i__smi(start));
	return scope;
}

static inline u64 v8i__bytecodes(struct v8_image *i, const char *bytes)
{
	u64 object = v8i__object(i, V8I_BYTECODES, 54 + strlen(bytes));

	v8i__set(i, object, 8, v8i__smi((s32)strlen(bytes)));
	v8i__put(i, object - 1 + 54, bytes, strlen(bytes));
	return object;
}

/* name: a text or a scope; data: bytecodes, or what has them */
static inline u64 v8i__shared(struct v8_image *i, u64 name, u64 script, u64 data)
{
	bool is_13 = i->version == V8_13;
	u64 shared = v8i__object(i, V8I_SHARED, 64);

	v8i__set(i, shared, 8, data);
	v8i__set(i, shared, is_13 ? 24 : 16, name);
	v8i__set(i, shared, is_13 ? 40 : 32, script);
	return shared;
}

static inline u64 v8i__function(struct v8_image *i, u64 shared)
{
	u64 function = v8i__object(i, V8I_FUNCTION, 64);

	v8i__set(i, function, i->version == V8_13 ? 32 : 24, shared);
	return function;
}

/* ---- compiled code ---- */

/*
 * Compile: size bytes of code. data: of baseline code, bytecodes; of optimized code, the shared info. Return
 * the address of the instructions. *object: of the code.
 */
static inline u64 v8i__code(struct v8_image *i, u32 kind, u32 size, u64 data, u64 *object)
{
	const bool is_10 = i->version == V8_10, is_13 = i->version == V8_13;
	u64 start = i->base + V8I_CODE + V8I_CODE_BYTES * i->nr_codes++ + 0x100;
	u64 head = start - (is_10 ? 128 : is_13 ? 32 : 16);
	u64 words[9] = { 0 };

	if (kind > V8I_BASELINE) {
		u64 wrapper = is_13 ? v8i__object(i, V8I_WRAPPER, 16) : 0;

		if (wrapper)
			v8i__set(i, wrapper, 8, data);
		words[is_13 ? 7 : 6] = wrapper ? wrapper : data;
		data = v8i__array(i, words, 9);
	}
	v8i__u64(i, head, v8i__map(i, is_10 ? V8I_CODE_TYPE : V8I_STREAM));
	*object = is_10 ? head + 1 : v8i__object(i, V8I_CODE_TYPE, 64);
	v8i__set(i, *object, is_13 ? 8 : 16, data);
	v8i__u32(i, *object - 1 + (is_10 ? 40 : 56), size);
	v8i__u32(i, *object - 1 + (is_13 ? 52 : 48), 0x100 | kind);
	if (!is_10) {
		v8i__u64(i, head + 8, *object);
		v8i__set(i, *object, 40, start);
	}
	return start;
}

static inline void v8_image__make(struct v8_image *i, u8 *mem, u64 base, enum v8i_version version)
{
	*i = (struct v8_image){ .mem = mem, .base = base, .version = version, .heap = V8I_HEAP };
	memset(mem, 0, V8I_SIZE);
	v8i__elf(i);
	v8i__constants(i);
	v8i__write_symbols(i);
	i->meta = v8i__map(i, 255);
}

#endif
