#include "record/hotspot/hotspot_layout.h"

#include "base/memory/mem.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum {
	ENTRIES_MAX = 4096, /* of a table; JDK 17 has 800 structs and 700 types */
	STRIDE_MAX = 256,   /* bytes of an entry */
	SYMBOLS_MAX = 1 << 14,
	PROGRAM_HEADERS_MAX = 64,
	DYNAMIC_MAX = 256,
	NAME_MAX_BYTES = 96,   /* longer names are of no interest */
	OBJECTS_MAX = 1 << 16, /* bytes of an object; larger ones are a lie */
};

/* ---- exported symbols ---- */

enum symbol {
	STRUCTS,
	STRUCT_TYPE,
	STRUCT_FIELD,
	STRUCT_FORM,
	STRUCT_STATIC,
	STRUCT_OFFSET,
	STRUCT_ADDRESS,
	STRUCT_STRIDE,
	TYPES,
	TYPE_NAME,
	TYPE_SIZE,
	TYPE_STRIDE,
	SYMBOLS
};

static const char *const symbol_names[SYMBOLS] = {
	[STRUCTS] = "gHotSpotVMStructs",
	[STRUCT_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[STRUCT_FIELD] = "gHotSpotVMStructEntryFieldNameOffset",
	[STRUCT_FORM] = "gHotSpotVMStructEntryTypeStringOffset",
	[STRUCT_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[STRUCT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[STRUCT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[STRUCT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[TYPES] = "gHotSpotVMTypes",
	[TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	[TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
};

/* Find the dynamic section of the ELF file that is mapped at base. */
static bool find_dynamic(const struct vm_memory *m, u64 base, u64 *dynamic)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (!vm_memory__read(m, base, &h, sizeof(h)) || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB ||
	    h.e_phentsize != sizeof(p) || h.e_phnum > PROGRAM_HEADERS_MAX)
		return false;
	for (unsigned i = 0; i < h.e_phnum; i++) {
		if (!vm_memory__read(m, base + h.e_phoff + i * sizeof(p), &p, sizeof(p)))
			return false;
		*dynamic = base + p.p_vaddr;
		if (p.p_type == PT_DYNAMIC)
			return true;
	}
	return false;
}

/* Find the tables of symbols and their names: the loader has made addresses of offsets, or not (musl). */
static bool find_symbols(const struct vm_memory *m, u64 base, u64 *symbols, u64 *names)
{
	u64 at;
	Elf64_Dyn d;

	*symbols = *names = 0;
	if (!find_dynamic(m, base, &at))
		return false;
	for (unsigned i = 0; i < DYNAMIC_MAX; i++) {
		if (!vm_memory__read(m, at + i * sizeof(d), &d, sizeof(d)) || d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_SYMTAB)
			*symbols = d.d_un.d_ptr < base ? base + d.d_un.d_ptr : d.d_un.d_ptr;
		if (d.d_tag == DT_STRTAB)
			*names = d.d_un.d_ptr < base ? base + d.d_un.d_ptr : d.d_un.d_ptr;
	}
	/* linkers put the names after the symbols; nothing else tells how many there are */
	return *symbols && *names > *symbols;
}

/* Read the values of all symbols, which are words. */
static bool read_symbols(const struct vm_memory *m, u64 base, u64 *values)
{
	u64 symbols, names, nr;
	unsigned found = 0;
	char name[64];
	Elf64_Sym s;

	if (!find_symbols(m, base, &symbols, &names))
		return false;
	nr = MIN((names - symbols) / sizeof(s), (u64)SYMBOLS_MAX);
	for (u64 i = 0; i < nr && found != (1u << SYMBOLS) - 1; i++) {
		if (!vm_memory__read(m, symbols + i * sizeof(s), &s, sizeof(s)))
			return false;
		if (s.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s.st_info) != STT_OBJECT || s.st_size != 8 ||
		    !vm_memory__string(m, names + s.st_name, name, sizeof(name)))
			continue;
		for (unsigned k = 0; k < SYMBOLS; k++)
			if (!strcmp(name, symbol_names[k]) &&
			    vm_memory__u64(m, base + s.st_value, &values[k]))
				found |= 1u << k;
	}
	return found == (1u << SYMBOLS) - 1;
}

/* ---- fields ---- */

enum { OPTIONAL = 1, STATIC = 2 };

static const struct {
	const char *type, *name;
	unsigned flags;
} fields[HOTSPOT_FIELDS] = {
	[CODE_HEAPS] = { "CodeCache", "_heaps", OPTIONAL | STATIC },
	[CODE_HEAP] = { "CodeCache", "_heap", OPTIONAL | STATIC },
	[ARRAY_LENGTH] = { "GrowableArrayBase", "_len", 0 },
	[ARRAY_DATA] = { "GrowableArray<int>", "_data", 0 },
	[HEAP_MEMORY] = { "CodeHeap", "_memory", 0 },
	[HEAP_SEGMENTS] = { "CodeHeap", "_segmap", 0 },
	[HEAP_SEGMENT_LOG2] = { "CodeHeap", "_log2_segment_size", 0 },
	[SPACE_LOW] = { "VirtualSpace", "_low", 0 },
	[SPACE_HIGH] = { "VirtualSpace", "_high", 0 },
	[BLOCK_LENGTH] = { "HeapBlock::Header", "_length", 0 },
	[BLOCK_USED] = { "HeapBlock::Header", "_used", 0 },
	[BLOB_NAME] = { "CodeBlob", "_name", 0 },
	[BLOB_SIZE] = { "CodeBlob", "_size", 0 },
	[BLOB_FRAME_SIZE] = { "CodeBlob", "_frame_size", 0 },
	[BLOB_FRAME_COMPLETE] = { "CodeBlob", "_frame_complete_offset", 0 },
	[BLOB_CODE_BEGIN] = { "CodeBlob", "_code_begin", OPTIONAL },
	[BLOB_CODE_END] = { "CodeBlob", "_code_end", OPTIONAL },
	[BLOB_CODE_OFFSET] = { "CodeBlob", "_code_offset", OPTIONAL },
	[BLOB_DATA_OFFSET] = { "CodeBlob", "_data_offset", 0 },
	[NMETHOD_METHOD] = { "nmethod", "_method", 0 },
	[NMETHOD_COMPILE_ID] = { "nmethod", "_compile_id", 0 },
	[NMETHOD_PCS_OFFSET] = { "nmethod", "_scopes_pcs_offset", OPTIONAL },
	[NMETHOD_PCS_END] = { "nmethod", "_dependencies_offset", OPTIONAL },
	[NMETHOD_SCOPES] = { "nmethod", "_scopes_data_begin", OPTIONAL },
	[NMETHOD_SCOPES_OFFSET] = { "nmethod", "_scopes_data_offset", OPTIONAL },
	[NMETHOD_METADATA_OFFSET] = { "nmethod", "_metadata_offset", OPTIONAL },
	[NMETHOD_IMMUTABLE] = { "nmethod", "_immutable_data", OPTIONAL },
	[BLOB_MUTABLE] = { "CodeBlob", "_mutable_data", OPTIONAL },
	[BLOB_RELOCATION_SIZE] = { "CodeBlob", "_relocation_size", OPTIONAL },
	[PC_OFFSET] = { "PcDesc", "_pc_offset", OPTIONAL },
	[PC_SCOPE] = { "PcDesc", "_scope_decode_offset", OPTIONAL },
	[VM_VERSION] = { "Abstract_VM_Version", "_vm_major_version", OPTIONAL | STATIC },
	[JDK_CURRENT] = { "JDK_Version", "_current", OPTIONAL | STATIC },
	[JDK_MAJOR] = { "JDK_Version", "_major", OPTIONAL },
	[METHOD_CONST] = { "Method", "_constMethod", 0 },
	[CONST_CONSTANTS] = { "ConstMethod", "_constants", 0 },
	[CONST_SIZE] = { "ConstMethod", "_constMethod_size", 0 },
	[CONST_CODE_SIZE] = { "ConstMethod", "_code_size", 0 },
	[CONST_NAME] = { "ConstMethod", "_name_index", 0 },
	[CONST_SIGNATURE] = { "ConstMethod", "_signature_index", 0 },
	[POOL_HOLDER] = { "ConstantPool", "_pool_holder", 0 },
	[POOL_LENGTH] = { "ConstantPool", "_length", 0 },
	[KLASS_NAME] = { "Klass", "_name", 0 },
	[SYMBOL_LENGTH] = { "Symbol", "_length", 0 },
	[SYMBOL_BODY] = { "Symbol", "_body", 0 },
};

/* Types whose fields are those of another type in other versions. */
static const struct {
	const char *name, *field_of;
} old_types[] = {
	{ "CompiledMethod", "nmethod" },                 /* JDK 9 to 22: its base */
	{ "GenericGrowableArray", "GrowableArrayBase" }, /* up to JDK 15 */
};

static const char *const types[HOTSPOT_TYPES] = {
	[TYPE_CONST_METHOD] = "ConstMethod",
	[TYPE_CONSTANT_POOL] = "ConstantPool",
	[TYPE_HEAP_BLOCK] = "HeapBlock",
	[TYPE_NMETHOD] = "nmethod",
	[TYPE_PC] = "PcDesc",
};

/* Return the size of the values that have this C++ type; 0: it is unknown. */
static u8 size_of(const char *form, bool *is_signed)
{
	static const struct {
		const char *form;
		u8 size;
		bool is_signed;
	} forms[] = { { "int", 4, true },
		      { "jint", 4, true },
		      { "int16_t", 2, true },
		      { "u2", 2, false },
		      { "u4", 4, false },
		      { "uint32_t", 4, false },
		      { "size_t", 8, false },
		      { "bool", 1, false },
		      { "address", 8, false },
		      { "uint16_t", 2, false },
		      { "unsigned short", 2, false },
		      { "unsigned char", 1, false } };

	*is_signed = false;
	if (*form && form[strlen(form) - 1] == '*')
		return 8;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!strcmp(forms[i].form, form)) {
			*is_signed = forms[i].is_signed;
			return forms[i].size;
		}
	return 0;
}

/* Is the field an object in the object, whose type does not matter? */
static bool is_inner(enum hotspot_field f)
{
	return f == HEAP_MEMORY || f == HEAP_SEGMENTS || f == SYMBOL_BODY || f == JDK_CURRENT;
}

static void read_field(struct hotspot_layout *l, const struct vm_memory *m, const u64 *symbols, u64 entry,
		       enum hotspot_field f)
{
	struct hotspot_place place = { .size = 8 };
	char form[NAME_MAX_BYTES];
	u64 text;
	s32 is_static;

	if (!vm_memory__read(m, entry + symbols[STRUCT_STATIC], &is_static, sizeof(is_static)) ||
	    !vm_memory__u64(m, entry + symbols[is_static ? STRUCT_ADDRESS : STRUCT_OFFSET], &place.at) ||
	    !is_static != !(fields[f].flags & STATIC))
		return;
	if (!is_inner(f) && (!vm_memory__u64(m, entry + symbols[STRUCT_FORM], &text) ||
			     !vm_memory__string(m, text, form, sizeof(form)) ||
			     !(place.size = size_of(form, &place.is_signed))))
		return;
	if (is_static || place.at <= HOTSPOT_OBJECT_MAX - sizeof(u64))
		l->fields[f] = place;
}

static bool read_fields(struct hotspot_layout *l, const struct vm_memory *m, const u64 *symbols)
{
	char type[NAME_MAX_BYTES], name[NAME_MAX_BYTES];

	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		u64 entry = symbols[STRUCTS] + i * symbols[STRUCT_STRIDE], type_at, name_at;

		if (!vm_memory__u64(m, entry + symbols[STRUCT_TYPE], &type_at) ||
		    !vm_memory__u64(m, entry + symbols[STRUCT_FIELD], &name_at))
			return false;
		if (!type_at)
			return true;
		if (!vm_memory__string(m, type_at, type, sizeof(type)) ||
		    !vm_memory__string(m, name_at, name, sizeof(name)))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(old_types); k++)
			if (!strcmp(type, old_types[k].name))
				strcpy(type, old_types[k].field_of);
		for (unsigned f = 0; f < HOTSPOT_FIELDS; f++)
			if (!strcmp(name, fields[f].name) && !strcmp(type, fields[f].type))
				read_field(l, m, symbols, entry, f);
	}
	return false;
}

static bool read_types(struct hotspot_layout *l, const struct vm_memory *m, const u64 *symbols)
{
	char name[NAME_MAX_BYTES];

	for (unsigned i = 0; i < ENTRIES_MAX; i++) {
		u64 entry = symbols[TYPES] + i * symbols[TYPE_STRIDE], name_at, size;

		if (!vm_memory__u64(m, entry + symbols[TYPE_NAME], &name_at) ||
		    !vm_memory__u64(m, entry + symbols[TYPE_SIZE], &size))
			return false;
		if (!name_at)
			return true;
		if (!vm_memory__string(m, name_at, name, sizeof(name)))
			continue;
		for (unsigned t = 0; t < HOTSPOT_TYPES; t++)
			if (!strcmp(name, types[t]) && size < OBJECTS_MAX)
				l->sizes[t] = size;
	}
	return false;
}

/* Are all fields known, with one of those for the heaps, and of those for a blob's code? */
static bool hotspot_layout__is_complete(const struct hotspot_layout *l)
{
	for (unsigned f = 0; f < HOTSPOT_FIELDS; f++)
		if (!l->fields[f].size && !(fields[f].flags & OPTIONAL))
			return false;
	for (unsigned t = 0; t < HOTSPOT_TYPES; t++)
		if (!l->sizes[t] && t != TYPE_PC)
			return false;
	return (l->fields[CODE_HEAPS].size || l->fields[CODE_HEAP].size) &&
	       (l->fields[BLOB_CODE_OFFSET].size ||
		(l->fields[BLOB_CODE_BEGIN].size == 8 && l->fields[BLOB_CODE_END].size == 8));
}

static bool has_sane_strides(const u64 *symbols)
{
	for (unsigned i = 0; i < SYMBOLS; i++)
		if (i != STRUCTS && i != TYPES && symbols[i] > STRIDE_MAX)
			return false;
	return symbols[STRUCT_STRIDE] && symbols[TYPE_STRIDE];
}

/* Read the version: that of the JDK, where the tables have it. */
static void read_version(struct hotspot_layout *l, const struct vm_memory *m)
{
	u64 major = 0;
	s32 version = 0;

	if (hotspot_layout__has(l, JDK_CURRENT) && hotspot_layout__has(l, JDK_MAJOR)) {
		if (hotspot_layout__get(l, m, l->fields[JDK_CURRENT].at, JDK_MAJOR, &major))
			l->version = major <= INT16_MAX ? (s32)major : 0;
	} else if (l->fields[VM_VERSION].size == sizeof(version) &&
		   vm_memory__read(m, l->fields[VM_VERSION].at, &version, sizeof(version))) {
		l->version = version;
	}
}

const char *hotspot_layout__read(struct hotspot_layout *l, const struct vm_memory *m, u64 base)
{
	u64 symbols[SYMBOLS] = { 0 };
	const char *why = NULL;

	*l = (struct hotspot_layout){ 0 };
	if (!read_symbols(m, base, symbols))
		why = "its libjvm.so exports no tables, or its memory cannot be read";
	else if (!has_sane_strides(symbols) || !read_fields(l, m, symbols) || !read_types(l, m, symbols))
		why = "the tables of its libjvm.so are damaged";
	else if (!hotspot_layout__is_complete(l))
		why = "its version of HotSpot is unknown";
	else
		read_version(l, m);
	return why;
}

u64 hotspot_layout__value(const struct hotspot_layout *l, enum hotspot_field field, const u8 *object)
{
	const struct hotspot_place *p = &l->fields[field];
	u64 value = 0;

	memcpy(&value, object + p->at, p->size);
	if (p->is_signed && p->size == 4)
		return (u64)(s64)(s32)value;
	return p->is_signed && p->size == 2 ? (u64)(s64)(int16_t)value : value;
}

bool hotspot_layout__get(const struct hotspot_layout *l, const struct vm_memory *m, u64 object,
			 enum hotspot_field field, u64 *value)
{
	u8 copy[HOTSPOT_OBJECT_MAX];
	const struct hotspot_place *p = &l->fields[field];

	if (!vm_memory__read(m, object + p->at, copy + p->at, p->size))
		return false;
	*value = hotspot_layout__value(l, field, copy);
	return true;
}
