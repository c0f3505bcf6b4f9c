#include "record/v8/v8_layout.h"

#include "base/memory/mem.h"

#include <elf.h>
#include <string.h>

enum {
	PROGRAM_HEADERS_MAX = 64,
	DYNAMIC_MAX = 256,
	CHAIN_MAX = 64, /* symbols with the same hash, more or less */
	OFFSET_MAX = 512,
	NAME_MAX_BYTES = 128,
};

/* ---- exported symbols ---- */

/* The hash table of the symbols: by DT_GNU_HASH. */
struct symbols {
	const struct vm_memory *m;
	u64 bias; /* from addresses in the file to memory */
	u64 table, names;
	u64 buckets, chains;
	u32 nr_buckets, first;
};

struct segments {
	u64 bias, dynamic;
};

/* Read the program headers of the ELF file that is mapped at base. */
static bool find_dynamic(const struct vm_memory *m, u64 base, struct segments *s)
{
	u64 low = UINT64_MAX;
	bool is_found = false;
	Elf64_Ehdr h;
	Elf64_Phdr p;

	*s = (struct segments){ 0 };
	if (!vm_memory__read(m, base, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
	    h.e_machine != EM_X86_64 || h.e_phentsize != sizeof(p) || h.e_phnum > PROGRAM_HEADERS_MAX)
		return false;
	for (unsigned i = 0; i < h.e_phnum; i++) {
		if (!vm_memory__read(m, base + h.e_phoff + i * sizeof(p), &p, sizeof(p)))
			return false;
		if (p.p_type == PT_LOAD && p.p_vaddr - p.p_offset < low)
			low = p.p_vaddr - p.p_offset;
		if (p.p_type == PT_DYNAMIC) {
			s->dynamic = p.p_vaddr;
			is_found = true;
		}
	}
	s->bias = base - low;
	s->dynamic += s->bias;
	return is_found && low != UINT64_MAX;
}

/* The loader has made addresses of the file's ones, or not (musl; programs that are not relocated). */
static u64 in_memory(u64 bias, u64 base, u64 at)
{
	return at < base ? at + bias : at;
}

static bool symbols__find(struct symbols *s, const struct vm_memory *m, u64 base)
{
	struct segments seg;
	u64 hash = 0;
	u32 head[4];
	Elf64_Dyn d;

	*s = (struct symbols){ .m = m };
	if (!find_dynamic(m, base, &seg))
		return false;
	s->bias = seg.bias;
	for (unsigned i = 0; i < DYNAMIC_MAX; i++) {
		if (!vm_memory__read(m, seg.dynamic + i * sizeof(d), &d, sizeof(d)) || d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_SYMTAB)
			s->table = in_memory(seg.bias, base, d.d_un.d_ptr);
		if (d.d_tag == DT_STRTAB)
			s->names = in_memory(seg.bias, base, d.d_un.d_ptr);
		if (d.d_tag == DT_GNU_HASH)
			hash = in_memory(seg.bias, base, d.d_un.d_ptr);
	}
	if (!s->table || !s->names || !hash || !vm_memory__read(m, hash, head, sizeof(head)) || !head[0])
		return false;
	s->nr_buckets = head[0];
	s->first = head[1];
	s->buckets = hash + sizeof(head) + 8ull * head[2];
	s->chains = s->buckets + 4ull * head[0];
	return true;
}

static bool symbols__has_name(const struct symbols *s, const Elf64_Sym *sym, const char *name)
{
	char text[NAME_MAX_BYTES];

	return sym->st_shndx != SHN_UNDEF && sym->st_size == sizeof(s32) &&
	       vm_memory__string(s->m, s->names + sym->st_name, text, sizeof(text)) && !strcmp(text, name);
}

/* Read the value of a constant. Return false if there is none of this name. */
static bool symbols__constant(const struct symbols *s, const char *name, s32 *value)
{
	u32 hash = 5381, i, link;
	Elf64_Sym sym;

	for (const char *p = name; *p; p++)
		hash = hash * 33 + (u8)*p;
	if (!vm_memory__read(s->m, s->buckets + hash % s->nr_buckets * 4ull, &i, sizeof(i)) || i < s->first)
		return false;
	for (unsigned nr = 0; nr < CHAIN_MAX; nr++, i++) {
		if (!vm_memory__read(s->m, s->chains + (i - s->first) * 4ull, &link, sizeof(link)))
			return false;
		if ((link | 1) == (hash | 1) &&
		    vm_memory__read(s->m, s->table + i * sizeof(sym), &sym, sizeof(sym)) &&
		    symbols__has_name(s, &sym, name))
			return vm_memory__read(s->m, s->bias + sym.st_value, value, sizeof(*value));
		if (link & 1)
			break;
	}
	return false;
}

/* ---- constants ---- */

/* Those that are the same in all known versions. */
static const struct {
	const char *name;
	s32 value;
} fixed[] = {
	{ "v8dbg_SmiTag", 0 },
	{ "v8dbg_SmiShiftSize", 31 },
	{ "v8dbg_HeapObjectTag", 1 },
	{ "v8dbg_HeapObjectTagMask", 3 },
	{ "v8dbg_TaggedSize", 8 },
	{ "v8dbg_off_fp_function", -16 },
	{ "v8dbg_off_fp_bytecode_array", -32 },
	{ "v8dbg_off_fp_bytecode_offset", -40 },
	{ "v8dbg_class_HeapObject__map__Map", 0 },
	{ "v8dbg_class_Map__instance_type__uint16_t", V8_MAP_TYPE },
	{ "v8dbg_class_FixedArrayBase__length__SMI", V8_ARRAY_LENGTH },
	{ "v8dbg_class_FixedArray__data__uintptr_t", V8_ARRAY_DATA },
	{ "v8dbg_class_Script__source__Object", V8_SCRIPT_SOURCE },
	{ "v8dbg_class_Script__name__Object", V8_SCRIPT_NAME },
	{ "v8dbg_class_Script__line_ends__Object", V8_SCRIPT_LINE_ENDS },
	{ "v8dbg_CodeKindFieldMask", V8_KIND_MASK },
	{ "v8dbg_CodeKindFieldShift", 0 },
	{ "v8dbg_scopeinfo_idx_ncontextlocals", 2 },
	/* strings: v8_object.c */
	{ "v8dbg_StringEncodingMask", 8 },
	{ "v8dbg_StringRepresentationMask", 7 },
	{ "v8dbg_SeqStringTag", 0 },
	{ "v8dbg_ConsStringTag", 1 },
	{ "v8dbg_ExternalStringTag", 2 },
	{ "v8dbg_SlicedStringTag", 3 },
	{ "v8dbg_ThinStringTag", 5 },
	{ "v8dbg_class_String__length__int32_t", 12 },
	{ "v8dbg_class_SeqOneByteString__chars__char", 16 },
	{ "v8dbg_class_SeqTwoByteString__chars__char", 16 },
	{ "v8dbg_class_ConsString__first__String", 16 },
	{ "v8dbg_class_ConsString__second__String", 24 },
	{ "v8dbg_class_ExternalString__resource__Object", 16 },
	{ "v8dbg_class_SlicedString__parent__String", 16 },
	{ "v8dbg_class_SlicedString__offset__SMI", 24 },
	{ "v8dbg_class_ThinString__actual__String", 16 },
};

static const char *const types[V8_TYPES] = {
	[V8_SHARED] = "v8dbg_type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE",
	[V8_BYTECODES] = "v8dbg_type_BytecodeArray__BYTECODE_ARRAY_TYPE",
	[V8_SCRIPT] = "v8dbg_type_Script__SCRIPT_TYPE",
	[V8_SCOPE] = "v8dbg_type_ScopeInfo__SCOPE_INFO_TYPE",
	[V8_INTERPRETER_DATA] = "v8dbg_type_InterpreterData__INTERPRETER_DATA_TYPE",
	[V8_CODE] = "v8dbg_type_Code__CODE_TYPE",
	[V8_FIXED_ARRAY] = "v8dbg_type_FixedArray__FIXED_ARRAY_TYPE",
	[V8_STREAM] = "v8dbg_type_InstructionStream__INSTRUCTION_STREAM_TYPE",
	[V8_TRUSTED_ARRAY] = "v8dbg_type_TrustedFixedArray__TRUSTED_FIXED_ARRAY_TYPE",
	[V8_PROTECTED_ARRAY] = "v8dbg_type_ProtectedFixedArray__PROTECTED_FIXED_ARRAY_TYPE",
	[V8_WRAPPER] = "v8dbg_type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE",
	[V8_CODE_CONTAINER] = "v8dbg_type_CodeDataContainer__CODE_DATA_CONTAINER_TYPE",
};

/* Those that differ; the first name that there is. */
static const struct {
	enum v8_field field;
	const char *name;
} fields[] = {
	{ V8_FUNCTION_SHARED, "v8dbg_class_JSFunction__shared__SharedFunctionInfo" },
	{ V8_SHARED_NAME, "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Object" },
	{ V8_SHARED_NAME, "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_" },
	{ V8_SHARED_NAME, "v8dbg_class_SharedFunctionInfo__name_or_scope_info__Tagged_NameOrScopeInfoT_" },
	{ V8_SHARED_SCRIPT, "v8dbg_class_SharedFunctionInfo__script_or_debug_info__HeapObject" },
	{ V8_SHARED_SCRIPT, "v8dbg_class_SharedFunctionInfo__script__Tagged_HeapObject_" },
	{ V8_BYTECODES_DATA, "v8dbg_class_BytecodeArray__data__uintptr_t" },
	{ V8_SCOPE_FIRST, "v8dbg_scopeinfo_idx_first_vars" },
	{ V8_BASELINE_KIND, "v8dbg_CodeKindBaseline" },
	{ V8_STREAM_SIZE, "v8dbg_class_InstructionStream__instruction_start__uintptr_t" },
	{ V8_STREAM_SIZE, "v8dbg_class_Code__instruction_start__uintptr_t" },
	{ V8_CODE_START, "v8dbg_class_Code__instruction_start__Address" },
	{ V8_CODE_SIZE, "v8dbg_class_Code__instruction_size__int" },
	{ V8_CODE_FLAGS, "v8dbg_class_Code__flags__uint32_t" },
	{ V8_CODE_DATA, "v8dbg_class_Code__deoptimization_data__FixedArray" },
	{ V8_SHARED_INDEX, "v8dbg_DeoptimizationDataSharedFunctionInfoIndex" },
	{ V8_SHARED_INDEX, "v8dbg_DeoptimizationDataWrappedSharedFunctionInfoIndex" },
};

static void set_if_missing(struct v8_layout *l, enum v8_field field, s32 value)
{
	if (l->at[field] < 0)
		l->at[field] = value;
}

/* Add what the constants leave out. */
static void v8_layout__complete(struct v8_layout *l)
{
	if (l->types[V8_STREAM] < 0) { /* V8 10: relocations, data */
		set_if_missing(l, V8_CODE_DATA, 16);
		set_if_missing(l, V8_SHARED_INDEX, 6);
		return;
	}
	set_if_missing(l, V8_CODE_DATA, 8);
	if (l->at[V8_CODE_START] < 0) { /* V8 11 */
		l->at[V8_CODE_START] = 40;
		set_if_missing(l, V8_CODE_FLAGS, 48);
		set_if_missing(l, V8_CODE_SIZE, 56);
	}
}

static bool v8_layout__is_sane(const struct v8_layout *l)
{
	for (unsigned i = 0; i < V8_FIRST_OPTIONAL; i++)
		if (l->types[i] < 0)
			return false;
	for (unsigned i = 0; i < V8_FIELDS; i++)
		if (l->at[i] > OFFSET_MAX ||
		    (l->at[i] < 0 && (i != V8_CODE_START || l->types[V8_STREAM] >= 0)))
			return false;
	return l->at[V8_STREAM_SIZE] >= 16 && (l->at[V8_SHARED_NAME] == 16 || l->at[V8_SHARED_NAME] == 24);
}

const char *v8_layout__read(struct v8_layout *l, const struct vm_memory *m, u64 base)
{
	struct symbols s;
	s32 value;

	if (!symbols__find(&s, m, base))
		return "it has no symbols, or its memory cannot be read";
	for (unsigned i = 0; i < ARRAY_SIZE(fixed); i++)
		if (!symbols__constant(&s, fixed[i].name, &value) || value != fixed[i].value)
			return "it exports no constants of V8, or those of an unknown version";
	for (unsigned i = 0; i < V8_TYPES; i++)
		if (!symbols__constant(&s, types[i], &l->types[i]))
			l->types[i] = -1;
	memset(l->at, 0xff, sizeof(l->at));
	for (unsigned i = 0; i < ARRAY_SIZE(fields); i++)
		if (l->at[fields[i].field] < 0 && symbols__constant(&s, fields[i].name, &value))
			l->at[fields[i].field] = value;
	v8_layout__complete(l);
	return v8_layout__is_sane(l) ? NULL : "its version of V8 is unknown";
}
