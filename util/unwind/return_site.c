/* The calls before return addresses, and the functions that they lead to. */
#include "unwind/unwind_private.h"

#include "base/memory/hash.h"

#include <elf.h>
#include <string.h>

enum {
	JUMPS_MAX = 4, /* a call may lead to a jump, which leads to a jump ... */
};

bool unwinder__read_code(struct unwinder *u, u64 ip, void *data, size_t size)
{
	struct unwind_code code = { .is_guess = true };

	u->look_up(u->ctx, ip, &code);
	if (code.cfi && cfi__read_code(code.cfi, code.addr, data, size))
		return true;
	return code.is_code && code.read && code.read(u->ctx, ip, data, size);
}

static bool read_for_row(void *ctx, u64 ip, void *data, size_t size)
{
	return unwinder__read_code(ctx, ip, data, size);
}

typedef bool (*make_row_fn)(struct code_row *row, u64 ip, bool is_return, read_code_fn read, void *ctx);

static make_row_fn maker_of_rows(u16 machine)
{
	switch (machine) {
	case EM_X86_64:
		return code_row__make;
	case EM_386:
		return code_row__make_i386;
	case EM_AARCH64:
		return code_row__make_arm64;
	}
	return NULL;
}

const struct cfi_row *unwinder__code_row(struct unwinder *u, u64 space, u64 ip, bool is_return)
{
	struct known_row *k =
		&u->rows[hash__u64(ip + is_return + space * 0x9e3779b97f4a7c15ull) % ARRAY_SIZE(u->rows)];
	make_row_fn make = maker_of_rows(u->arch->machine);
	u8 head[sizeof(k->head)] = { 0 };

	if (!make ||
	    !unwinder__read_code(u, ip, head, u->arch->machine == EM_AARCH64 ? sizeof(u32) : sizeof(head)))
		return NULL;
	if (!k->is_used || k->ip != ip || k->space != space || k->is_return != is_return ||
	    memcmp(k->head, head, sizeof(head))) {
		*k = (struct known_row){ .space = space, .ip = ip, .is_return = is_return, .is_used = true };
		memcpy(k->head, head, sizeof(head));
		k->has_row = make(&k->row, ip, is_return, read_for_row, u);
	}
	return k->has_row ? code_row__row(&k->row) : NULL;
}

static bool is_address(u64 ra)
{
	return ra >= 4096 && !(ra >> 56);
}

struct return_site unwinder__site(struct unwinder *u, u64 space, u64 ra)
{
	struct return_site *known =
		&u->sites[hash__u64(ra + space * 0x9e3779b97f4a7c15ull) % ARRAY_SIZE(u->sites)];
	struct return_site site = { .space = space, .ra = ra, .code_round = u->code_round };
	struct unwind_code code = { .is_guess = true };
	u8 bytes[CALL_SITE_BYTES];
	size_t size = u->arch->machine == EM_AARCH64 ? 4 : sizeof(bytes);

	if (!is_address(ra))
		return site;
	if (known->ra == ra && known->space == space &&
	    (known->in_file || !known->is_code || known->code_round == u->code_round))
		return *known;
	u->look_up(u->ctx, ra - 1, &code);
	site.is_code = code.is_code;
	site.in_file = code.cfi;
	if (code.is_code) {
		site.is_read = (code.cfi && cfi__read_code(code.cfi, code.addr + 1 - size, bytes, size)) ||
			       (code.read && code.read(u->ctx, ra - size, bytes, size));
		if (site.is_read)
			site.call = call_site__decode(u->arch->machine, bytes, size, ra, &site.target);
	}
	*known = site;
	return site;
}

/* Does a call of start lead to the function that ip is in, if that has at most max bytes? */
static bool unwinder__is_start(struct unwinder *u, u64 start, u64 ip, u64 max)
{
	struct unwind_code at_start = { .is_guess = true }, at_ip = { .is_guess = true };

	if (ip - start >= max) /* also where start is behind ip */
		return false;
	u->look_up(u->ctx, start, &at_start);
	u->look_up(u->ctx, ip, &at_ip);
	return at_start.cfi == at_ip.cfi;
}

/*
 * May code at target lead to callee by jumps that cannot be followed? A PLT stub may, and what is in another
 * file: its functions may end with a jump, and interpreters jump to JIT code.
 */
static bool unwinder__may_jump(struct unwinder *u, u64 target, u64 callee)
{
	struct unwind_code from = { .is_guess = true }, to = { .is_guess = true };

	u->look_up(u->ctx, target, &from);
	if (!from.cfi)
		return false;
	u->look_up(u->ctx, callee, &to);
	return from.cfi != to.cfi || cfi__is_stub(from.cfi, from.addr);
}

/*
 * Follow a jump at *ip. Return CALL_DIRECT with *ip set to where it leads, CALL_ANY if it may lead anywhere,
 * CALL_NONE if there is no jump. (Intel SDM volume 2, JMP; Arm ARM, B, BR)
 */
static enum call_kind unwinder__jump(struct unwinder *u, u64 *ip)
{
	u8 code[5];
	s32 distance;
	u32 insn;

	if (u->arch->machine == EM_AARCH64) {
		if (!unwinder__read_code(u, *ip, &insn, sizeof(insn)))
			return CALL_NONE;
		if (insn >> 26 == 5) {
			*ip += (u64)((s64)((u64)insn << 38) >> 36);
			return CALL_DIRECT;
		}
		return (insn & 0xfffffc1f) == 0xd61f0000 ? CALL_ANY : CALL_NONE;
	}
	if (!unwinder__read_code(u, *ip, code, sizeof(code)))
		return CALL_NONE;
	if (code[0] == 0xe9) {
		memcpy(&distance, code + 1, sizeof(distance));
		*ip += 5 + (u64)(s64)distance;
		if (u->arch->word == 4)
			*ip &= UINT32_MAX;
		return CALL_DIRECT;
	}
	return code[0] == 0xff && (code[1] >> 3 & 7) == 4 ? CALL_ANY : CALL_NONE;
}

bool unwinder__calls(struct unwinder *u, const struct return_site *site, u64 callee, u64 max)
{
	u64 target = site->target;

	for (unsigned i = 0; site->call == CALL_DIRECT && i < JUMPS_MAX; i++) {
		if (unwinder__is_start(u, target, callee, max))
			return true;
		if (unwinder__jump(u, &target) != CALL_DIRECT)
			return false;
	}
	return false;
}

bool unwinder__leads_to(struct unwinder *u, const struct return_site *site, u64 callee)
{
	u64 target = site->target;

	if (site->call != CALL_DIRECT)
		return site->call == CALL_ANY;
	for (unsigned i = 0; i < JUMPS_MAX; i++) {
		if (unwinder__is_start(u, target, callee, FUNCTION_MAX) ||
		    unwinder__may_jump(u, target, callee))
			return true;
		switch (unwinder__jump(u, &target)) {
		case CALL_NONE:
			return false;
		case CALL_ANY:
			return true;
		case CALL_DIRECT:
			break;
		}
	}
	return false;
}

bool unwinder__is_after_call(struct unwinder *u, u64 space, u64 ra, u64 callee, bool is_strict)
{
	struct return_site site = unwinder__site(u, space, ra);

	if (!site.is_read)
		return site.is_code;
	return site.call && (!is_strict || unwinder__leads_to(u, &site, callee));
}
