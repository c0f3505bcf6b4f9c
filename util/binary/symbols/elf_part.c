/*
 * Parts of variables, by the types in the debug information (DWARF 5, chapters 4 and 5). A variable is found
 * by its address, because several may have the same name.
 */
#include "base/message/word_list.h"
#include "binary/symbols/elf_object_private.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

enum {
	DEPTH_MAX = 64, /* nesting of types and of scopes; more is a loop in damaged data */
};

Dwarf *elf_object__dwarf(struct elf_object *o)
{
	if (o->dwarf_tried)
		return o->dwarf;
	o->dwarf_tried = true;
	o->dwarf = dwarf_begin_elf(o->binary.file.elf, DWARF_C_READ, NULL);
	if (!o->dwarf && elf_file__is_open(&o->binary.debug))
		o->dwarf = dwarf_begin_elf(o->binary.debug.elf, DWARF_C_READ, NULL);
	return o->dwarf;
}

bool die__next(Dwarf_Die *die)
{
	Dwarf_Off before = dwarf_dieoffset(die);

	return !dwarf_siblingof(die, die) && dwarf_dieoffset(die) > before;
}

/* ---- from the address to the variable ---- */

static bool is_at(Dwarf_Die *die, u64 addr)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t nr;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &ops, &nr) || nr != 1)
		return false;
	if (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) {
		Dwarf_Attribute indexed;
		Dwarf_Addr found;

		return !dwarf_getlocation_attr(&attr, ops, &indexed) && !dwarf_formaddr(&indexed, &found) &&
		       found == addr;
	}
	return ops[0].atom == DW_OP_addr && ops[0].number == addr;
}

/* May the entry contain variables with fixed addresses? Functions are included on request only. */
static bool is_scope(int tag, bool functions)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_structure_type: /* methods of local classes */
	case DW_TAG_class_type:
		return functions;
	}
	return false;
}

static bool find_at(Dwarf_Die *scope, u64 addr, bool functions, unsigned depth, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(scope, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_variable && is_at(&die, addr)) {
			*found = die;
			return true;
		}
		if (is_scope(tag, functions) && find_at(&die, addr, functions, depth + 1, found))
			return true;
	} while (die__next(&die));
	return false;
}

static bool dwarf__variable_at(Dwarf *dwarf, u64 addr, bool functions, Dwarf_Die *found)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, split;
	u8 type;

	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, &split)) {
		bool is_split = type == DW_UT_skeleton && split.addr;

		if (find_at(is_split ? &split : &unit, addr, functions, 0, found))
			return true;
	}
	return false;
}

/* ---- types ---- */

static bool unsigned_attr(Dwarf_Die *die, unsigned name, u64 *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &n))
		return false;
	*value = n;
	return true;
}

static bool is_qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_immutable_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
		return true;
	}
	return false;
}

/* Get the type of a variable, member or element, without typedefs, const and the like. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	*type = *die;
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		Dwarf_Attribute attr;

		if (!dwarf_attr_integrate(type, DW_AT_type, &attr) || !dwarf_formref_die(&attr, type))
			return false;
		if (!is_qualifier(dwarf_tag(type)))
			return true;
	}
	return false;
}

/* Get the number of elements of one dimension. */
static bool dimension(Dwarf_Die *subrange, u64 *count)
{
	u64 lower = 0;

	if (unsigned_attr(subrange, DW_AT_count, count))
		return true;
	unsigned_attr(subrange, DW_AT_lower_bound, &lower);
	if (!unsigned_attr(subrange, DW_AT_upper_bound, count) || *count < lower || *count == UINT64_MAX)
		return false;
	*count += 1 - lower;
	return true;
}

/*
 * Get the number of elements of the outermost dimension: a[1] of int a[3][4] is 4 ints. total: number in all
 * dimensions.
 */
static bool count_of(Dwarf_Die *array, u64 *outermost, u64 *total)
{
	bool first = true;
	Dwarf_Die die;
	u64 n;

	*total = 1;
	if (dwarf_child(array, &die))
		return false;
	do {
		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (!dimension(&die, &n) || __builtin_mul_overflow(*total, n, total))
			return false;
		if (first)
			*outermost = n;
		first = false;
	} while (die__next(&die));
	return !first;
}

/* Some compilers omit the size of types that are as large as an address. */
static bool is_address(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return true;
	}
	return false;
}

static bool own_size(Dwarf_Die *type, u64 *size)
{
	Dwarf_Die unit;
	u8 address;

	if (unsigned_attr(type, DW_AT_byte_size, size))
		return true;
	if (!is_address(dwarf_tag(type)) || !dwarf_diecu(type, &unit, &address, NULL))
		return false;
	*size = address;
	return true;
}

static bool size_of(Dwarf_Die *type, u64 *size)
{
	Dwarf_Die element = *type;
	u64 all = 1, n, total;

	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		if (own_size(&element, size))
			return !__builtin_mul_overflow(*size, all, size);
		if (dwarf_tag(&element) != DW_TAG_array_type || !count_of(&element, &n, &total) ||
		    __builtin_mul_overflow(all, total, &all) || !type_of(&element, &element))
			return false;
	}
	return false;
}

static const char *name_of(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name ? name : "";
}

static bool is_struct(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* The variable, or the member of it that was found so far. */
struct subobject {
	Dwarf_Die type;
	u64 offset, size; /* bytes */
	bool is_bits;     /* a bit field: its bytes may contain others, too */
};

/* Set the bytes of a bit field. DW_AT_bit_offset of older DWARF counts from the most significant bit. */
static bool subobject__of_bits(struct subobject *p, Dwarf_Die *member, u64 offset, u64 bits)
{
	u64 start, storage;

	if (unsigned_attr(member, DW_AT_data_bit_offset, &start)) {
		start += offset * 8;
	} else if (unsigned_attr(member, DW_AT_bit_offset, &start)) {
		if (!unsigned_attr(member, DW_AT_byte_size, &storage))
			storage = p->size;
		if (storage > UINT32_MAX || start + bits > storage * 8)
			return false;
		start = offset * 8 + storage * 8 - bits - start;
	} else {
		start = offset * 8;
	}
	if (!bits || bits > 64 || start > UINT32_MAX)
		return false;
	p->offset = start / 8;
	p->size = (start + bits - 1) / 8 - start / 8 + 1;
	p->is_bits = true;
	return true;
}

/* Enter a member; set the offset from the start of its struct. */
static bool subobject__enter(struct subobject *p, Dwarf_Die *member)
{
	u64 offset = 0, bits;

	if (!type_of(member, &p->type) || !size_of(&p->type, &p->size))
		return false;
	/*
	 * Members of a union have no location. A location that is not constant depends on the object
	 * (virtual bases).
	 */
	if (dwarf_hasattr_integrate(member, DW_AT_data_member_location) &&
	    !unsigned_attr(member, DW_AT_data_member_location, &offset))
		return false;
	p->offset = offset;
	p->is_bits = false;
	return !unsigned_attr(member, DW_AT_bit_size, &bits) || subobject__of_bits(p, member, offset, bits);
}

/* Find a member, also in unnamed members and in base classes. */
static bool find_member(Dwarf_Die *type, const char *name, size_t len, unsigned depth,
			struct subobject *found)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || !is_struct(dwarf_tag(type)) || dwarf_child(type, &die))
		return false;
	do {
		int tag = dwarf_tag(&die);
		const char *own = name_of(&die);
		struct subobject inner;

		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		if (tag == DW_TAG_member && strlen(own) == len && !memcmp(own, name, len))
			return subobject__enter(found, &die);
		if ((tag == DW_TAG_inheritance || !*own) && subobject__enter(&inner, &die) &&
		    find_member(&inner.type, name, len, depth + 1, found)) {
			found->offset += inner.offset;
			return true;
		}
	} while (die__next(&die));
	return false;
}

static void offer_members(Dwarf_Die *type, unsigned depth, struct suggest *s)
{
	Dwarf_Die die, inner;

	if (depth > DEPTH_MAX || !is_struct(dwarf_tag(type)) || dwarf_child(type, &die))
		return;
	do {
		int tag = dwarf_tag(&die);
		const char *name = name_of(&die);

		if (tag == DW_TAG_member && *name)
			suggest__offer(s, name);
		else if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && type_of(&die, &inner))
			offer_members(&inner, depth + 1, s);
	} while (die__next(&die));
}

/* ---- the parts of a query ---- */

static int no_member(Dwarf_Die *type, const char *in, const char *name, struct err *err)
{
	struct suggest s;

	if (!is_struct(dwarf_tag(type)))
		return err__set(err, -EINVAL, "'%s' is not a struct: it has no member '%s'%s", in, name,
				dwarf_tag(type) == DW_TAG_pointer_type
					? " (what a pointer points to cannot be followed)"
					: "");
	err__set(err, -ENOENT, "'%s' has no member '%s'", in, name);
	suggest__init(&s, "", name);
	offer_members(type, 0, &s);
	err__suggest(err, &s);
	return -ENOENT;
}

static int subobject__follow(struct subobject *p, const char *variable, const char *members, struct err *err)
{
	const char *m = members;
	int ret = 0;

	while (!ret && m && *m) {
		size_t len = strcspn(m, ".");
		struct subobject inner;

		if (find_member(&p->type, m, len, 0, &inner)) {
			inner.offset += p->offset;
			*p = inner;
		} else {
			char *name = xasprintf("%.*s", (int)len, m);
			char *in = xasprintf("%s%s%.*s", variable, m == members ? "" : ".",
					     m == members ? 0 : (int)(m - 1 - members), members);

			ret = no_member(&p->type, in, name, err);
			free(name);
			free(in);
		}
		m += len;
		m += *m == '.';
	}
	return ret;
}

static int subobject__slice(struct subobject *p, const char *what, const struct elf_part_query *q,
			    struct err *err)
{
	u64 count = 1, total, size = p->size;

	if (dwarf_tag(&p->type) == DW_TAG_array_type) {
		if (!count_of(&p->type, &count, &total) || !count)
			return err__set(err, -EINVAL, "'%s' has no known number of elements", what);
		size = p->size / count;
	}
	if (q->count > count || q->start > count - q->count || !q->count || p->is_bits)
		return err__set(err, -ERANGE, "'%s' has %llu element%s of %llu bytes: [%llu:%llu] is outside",
				what, (unsigned long long)count, count == 1 ? "" : "s",
				(unsigned long long)size, (unsigned long long)q->start,
				(unsigned long long)q->count);
	p->offset += q->start * size;
	p->size = q->count * size;
	return 0;
}

int elf_object__part(struct elf_object *o, const struct elf_name *variable, const struct elf_part_query *q,
		     struct elf_part *part, struct err *err)
{
	Dwarf *dwarf = elf_object__dwarf(o);
	struct subobject p = { .offset = 0 };
	Dwarf_Die die;
	int ret;

	if (!dwarf || !(dwarf__variable_at(dwarf, variable->addr, false, &die) ||
			dwarf__variable_at(dwarf, variable->addr, true, &die)))
		return err__set(err, -ENODATA, "'%s' has no debug information about '%s'", o->path,
				variable->name);
	if (!type_of(&die, &p.type) || !size_of(&p.type, &p.size))
		return err__set(err, -ENODATA, "the type of '%s' is not known", variable->name);
	ret = subobject__follow(&p, variable->name, q->members, err);
	if (!ret && q->is_slice)
		ret = subobject__slice(&p, q->members ? q->members : variable->name, q, err);
	*part = (struct elf_part){ p.offset, p.size };
	return ret;
}

/* ---- from an offset to members ---- */

/* Is a type of this name a lock, whose members nobody wants to see? */
static bool is_lock_name(const char *name)
{
	static const char *const whole[] = { "pthread_mutex_t",
					     "pthread_rwlock_t",
					     "pthread_cond_t",
					     "pthread_barrier_t",
					     "pthread_once_t",
					     "pthread_spinlock_t",
					     "sem_t",
					     "mtx_t",
					     "cnd_t",
					     "once_flag",
					     "mutex",
					     "timed_mutex",
					     "recursive_mutex",
					     "recursive_timed_mutex",
					     "shared_mutex",
					     "shared_timed_mutex",
					     "condition_variable",
					     "condition_variable_any",
					     "latch",
					     "sync.Mutex",
					     "sync.RWMutex",
					     "runtime.mutex",
					     "runtime.rwmutex",
					     "Mutex",
					     "RwLock",
					     "Condvar",
					     "Once",
					     "Barrier",
					     "Semaphore" };
	static const char *const generic[] = { "Mutex<",    "RwLock<",        "OnceLock<",
					       "LazyLock<", "ReentrantLock<", "counting_semaphore<",
					       "barrier<",  "atomic<" };

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (!strcmp(name, whole[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(generic); i++)
		if (!strncmp(name, generic[i], strlen(generic[i])))
			return true;
	return false;
}

/* Is the thing's type, or a typedef on the way to it, a lock? */
static bool is_lock(Dwarf_Die *die)
{
	Dwarf_Die type = *die;

	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		Dwarf_Attribute attr;

		if (!dwarf_attr_integrate(&type, DW_AT_type, &attr) || !dwarf_formref_die(&attr, &type))
			return false;
		if (is_lock_name(name_of(&type)))
			return true;
		if (!is_qualifier(dwarf_tag(&type)))
			return false;
	}
	return false;
}

/* Enter the member that has the offset; a lock's only if it is the data that the lock protects. */
static bool enter_member_at(Dwarf_Die *in, Dwarf_Die *type, u64 *offset, Dwarf_Die *member)
{
	bool only_data = is_lock(in);
	Dwarf_Die die;

	if (!is_struct(dwarf_tag(type)) || dwarf_child(type, &die))
		return false;
	do {
		struct subobject p = { .offset = 0 };
		int tag = dwarf_tag(&die);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !subobject__enter(&p, &die) ||
		    *offset < p.offset || *offset - p.offset >= p.size)
			continue;
		if (only_data && strcmp(name_of(&die), "data") != 0)
			continue;
		*offset -= p.offset;
		*member = die;
		return true;
	} while (die__next(&die));
	return false;
}

/* Append the indexes of the element at the offset, which becomes that in the element. */
static bool add_indexes(Dwarf_Die *array, u64 *offset, struct strbuf *path)
{
	u64 size, total, outermost, left, index;
	Dwarf_Die element, die;

	if (!type_of(array, &element) || !size_of(&element, &size) || !size ||
	    !count_of(array, &outermost, &total) || !total || *offset / size >= total ||
	    dwarf_child(array, &die))
		return false;
	index = *offset / size;
	*offset %= size;
	left = total;
	do {
		u64 n;

		if (dwarf_tag(&die) != DW_TAG_subrange_type)
			continue;
		if (!dimension(&die, &n) || !n)
			return false;
		left /= n;
		strbuf__addf(path, "[%llu]", (unsigned long long)(index / left));
		index %= left;
	} while (die__next(&die));
	return true;
}

bool elf_object__add_members(struct elf_object *o, u64 variable, u64 offset, bool in_functions,
			     struct strbuf *path)
{
	Dwarf *dwarf = elf_object__dwarf(o);
	Dwarf_Die die, type;

	if (!dwarf || !(dwarf__variable_at(dwarf, variable, false, &die) ||
			(in_functions && dwarf__variable_at(dwarf, variable, true, &die))))
		return false;
	for (unsigned depth = 0; depth < DEPTH_MAX && type_of(&die, &type); depth++) {
		if (dwarf_tag(&type) == DW_TAG_array_type) {
			if (!add_indexes(&type, &offset, path))
				break;
			die = type; /* whose type is that of its elements */
			continue;
		}
		if (!enter_member_at(&die, &type, &offset, &die))
			break;
		if (*name_of(&die) && dwarf_tag(&die) == DW_TAG_member)
			strbuf__addf(path, ".%s", name_of(&die));
	}
	return true;
}

bool elf_object__is_line_start(struct elf_object *o, u64 addr)
{
	Dwarf *dwarf = elf_object__dwarf(o);
	Dwarf_Addr found = 0;
	Dwarf_Line *line;
	Dwarf_Die unit;

	if (!dwarf || !dwarf_addrdie(dwarf, addr, &unit))
		return false;
	line = dwarf_getsrc_die(&unit, addr);
	return line && !dwarf_lineaddr(line, &found) && found == addr;
}
