/*
 * The walk of unwind/unwind.h by libunwind, which reads the call frame information itself: tests hold ours
 * against it. Of x86-64 on x86-64 only. (libunwind(3), unw_init_remote)
 */
#ifndef TESTS_UNWIND_REFERENCE_H
#define TESTS_UNWIND_REFERENCE_H

#include "base/memory/mem.h"
#include "tests/cfi_search_table.h"
#include "unwind/unwind_private.h"

struct unwind_reference;

#ifdef HAVE_LIBUNWIND

#include <elf.h>
#include <libunwind.h>
#include <string.h>

/* Elsewhere its register numbers are other ones; on arm64, version 1.6 gives up after a frame or two. */
#ifdef __x86_64__
enum { HOST = EM_X86_64 };
#else
enum { HOST = EM_NONE };
#endif

/* In libunwind's library, and in no header: what find_proc_info is expected to call. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

struct unwind_reference {
	unw_addr_space_t space;
	void (*look_up)(void *ctx, u64 ip, struct unwind_code *code);
	void *ctx;
	/* Of the sample: */
	struct unwind_stack stack;
	u64 regs[CFI_REGS_MAX], known, ip;
	/* Of the binary whose CFI is being read: */
	struct cfi *cfi;
	u64 load; /* memory address - virtual address */
};

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *pi, int need_unwind_info,
			  void *arg)
{
	struct unwind_reference *u = arg;
	struct unwind_code code = { 0 };
	struct cfi_search_table t;
	unw_dyn_info_t di = { .end_ip = (unw_word_t)-1, .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	u64 vaddr;

	u->look_up(u->ctx, ip, &code);
	if (!code.cfi || !cfi__search_table(code.cfi, &t) || !cfi__vaddr(code.cfi, code.addr, &vaddr))
		return -UNW_ENOINFO;
	u->cfi = code.cfi;
	u->load = ip - vaddr;
	di.u.rti.segbase = u->load + t.header;
	di.u.rti.table_data = u->load + t.entries;
	di.u.rti.table_len = t.nr * 8 / sizeof(unw_word_t);
	return UNW_OBJ(dwarf_search_unwind_table)(space, ip, &di, pi, need_unwind_info, arg);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *pi, void *arg)
{
	(void)space;
	(void)pi;
	(void)arg;
}

static int get_dyn_info_list_addr(unw_addr_space_t space, unw_word_t *list, void *arg)
{
	(void)space;
	(void)list;
	(void)arg;
	return -UNW_ENOINFO;
}

static int access_mem(unw_addr_space_t space, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	struct unwind_reference *u = arg;
	u64 word = 0;

	(void)space;
	if (write)
		return -UNW_EREADONLYREG;
	if (!unwind_stack__read(&u->stack, addr, &word) &&
	    (!u->cfi || !cfi__read(u->cfi, addr - u->load, &word, sizeof(word))))
		return -UNW_EINVAL;
	*value = word;
	return 0;
}

static int access_reg(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *value, int write, void *arg)
{
	const struct unwind_reference *u = arg;

	(void)space;
	if (write)
		return -UNW_EREADONLYREG;
	if (reg == UNW_REG_IP) {
		*value = u->ip;
		return 0;
	}
	if (reg < 0 || reg >= CFI_REGS_MAX || !(u->known >> reg & 1))
		return -UNW_EBADREG;
	*value = u->regs[reg];
	return 0;
}

static int access_fpreg(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)space;
	(void)reg;
	(void)value;
	(void)write;
	(void)arg;
	return -UNW_EBADREG;
}

static int resume_nothing(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space;
	(void)cursor;
	(void)arg;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t space, unw_word_t ip, char *name, size_t size, unw_word_t *offset,
			 void *arg)
{
	(void)space;
	(void)ip;
	(void)name;
	(void)size;
	(void)offset;
	(void)arg;
	return -UNW_ENOINFO;
}

/* NULL when there is no libunwind. fn: look_up of unwinder__new. */
static struct unwind_reference *unwind_reference__new(void (*fn)(void *ctx, u64 ip, struct unwind_code *code),
						      void *ctx)
{
	static unw_accessors_t accessors = {
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = get_dyn_info_list_addr,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = access_fpreg,
		.resume = resume_nothing,
		.get_proc_name = get_proc_name,
	};
	struct unwind_reference *u = xcalloc(1, sizeof(*u));

	u->space = unw_create_addr_space(&accessors, 0);
	u->look_up = fn;
	u->ctx = ctx;
	return u;
}

static void unwind_reference__delete(struct unwind_reference *u)
{
	if (!u)
		return;
	unw_destroy_addr_space(u->space);
	free(u);
}

/* As unwinder__run: the number of frames. */
static unsigned unwind_reference__run(struct unwind_reference *u, const struct unwind_arch *arch,
				      const struct unwind_sample *s, u64 *ips, unsigned max)
{
	struct unwind_regs regs = { 0 };
	unw_cursor_t cursor;
	bool is_interrupted, was_interrupted = false;
	unw_word_t ip;
	unsigned nr = 0;

	if (!u || !arch || arch->machine != HOST || !s->regs || s->is_32bit ||
	    !unwind_regs__load(&regs, arch, s))
		return 0;
	memcpy(u->regs, regs.v, sizeof(u->regs));
	u->known = regs.known;
	u->ip = regs.ip;
	u->stack = (struct unwind_stack){ .data = s->stack, .start = regs.v[arch->sp], .word = arch->word };
	if (__builtin_add_overflow(u->stack.start, s->stack_size, &u->stack.end))
		u->stack.end = u->stack.start;
	if (unw_init_remote(&cursor, u->space, u))
		return 0;
	ips[nr++] = u->ip;
	while (nr < max && unw_step(&cursor) > 0 && !unw_get_reg(&cursor, UNW_REG_IP, &ip) && ip) {
		is_interrupted = unw_is_signal_frame(&cursor) > 0;
		if (is_interrupted && nr > 1 && !was_interrupted)
			ips[nr - 1]++; /* as our own unwinder: where a handler returns to is no call */
		was_interrupted = is_interrupted;
		ips[nr++] = ip - !is_interrupted;
	}
	return nr;
}

#else /* !HAVE_LIBUNWIND */

static struct unwind_reference *unwind_reference__new(void (*fn)(void *ctx, u64 ip, struct unwind_code *code),
						      void *ctx)
{
	(void)fn;
	(void)ctx;
	return NULL;
}

static void unwind_reference__delete(struct unwind_reference *u)
{
	(void)u;
}

static unsigned unwind_reference__run(struct unwind_reference *u, const struct unwind_arch *arch,
				      const struct unwind_sample *s, u64 *ips, unsigned max)
{
	(void)u;
	(void)arch;
	(void)s;
	(void)ips;
	(void)max;
	return 0;
}

#endif
#endif
