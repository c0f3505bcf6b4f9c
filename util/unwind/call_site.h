/*
 * Return addresses: whether the instruction before an address is a call, and what it calls. x86-64 and arm64.
 */
#ifndef UNWIND_CALL_SITE_H
#define UNWIND_CALL_SITE_H

#include "base/memory/types.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * How much code before an address is read to find a call: its longest form on x86-64 (7 bytes), rounded
 * up.
 */
enum { CALL_SITE_BYTES = 8 };

enum call_kind {
	CALL_NONE,   /* no call */
	CALL_ANY,    /* a call to an address in a register or in memory */
	CALL_DIRECT, /* a call to *target */
};

/*
 * Does code, which ends at addr, end with a call? size: bytes of code, CALL_SITE_BYTES at most. machine: EM_;
 * other machines' code has no calls. *target is a memory address if addr is one.
 */
enum call_kind call_site__decode(u16 machine, const u8 *code, size_t size, u64 addr, u64 *target);

#endif
