/*
 * Stack copies and registers of a program that is this one's vdso from end to end: real call frame
 * information, hostile memory. A third of the addresses have no call frame information, and code that is
 * hostile, too: the bytes of the stack.
 */
#include "binary/symbols/vdso.h"
#include "fuzz.h"
#include "unwind/unwind.h"

#include <string.h>

enum { FRAMES_MAX = 127, REGS_MAX = 64 };

static struct cfi *vdso_cfi;
static size_t vdso_size;
static const uint8_t *code_bytes;
static size_t code_size;

static bool read_code(void *ctx, u64 ip, u8 *data, size_t size)
{
	size_t offset = code_size ? ip % code_size : 0;

	(void)ctx;
	if (size > code_size - offset)
		return false;
	memcpy(data, code_bytes + offset, size);
	return true;
}

static void look_up(void *ctx, u64 ip, struct unwind_code *code)
{
	(void)ctx;
	*code = (struct unwind_code){ .cfi = ip % 3 ? vdso_cfi : NULL,
				      .addr = ip % vdso_size,
				      .is_code = ip % 7,
				      .is_vdso = !(ip % 5),
				      .read = ip % 3 ? NULL : read_code };
}

static void unwind(const char *machine, const u64 *regs, const uint8_t *stack, size_t size)
{
	const struct unwind_arch *arch = unwind_arch__find(machine);
	struct unwind_sample s = { .regs_mask = arch->perf_mask,
				   .regs = regs,
				   .stack = stack,
				   .stack_size = size,
				   .is_32bit = arch->word == 4 };
	struct unwinder *u = unwinder__new(arch, look_up, NULL);
	u64 ips[FRAMES_MAX], sps[FRAMES_MAX];
	unsigned nr;

	if (unwinder__run(u, &s, ips, sps, FRAMES_MAX, &nr) >= UNWIND_ENDS || nr > FRAMES_MAX)
		__builtin_trap();
	unwinder__delete(u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const void *image;
	u64 regs[REGS_MAX];

	if (!vdso_cfi && (!vdso__image(VDSO_NAME, &image, &vdso_size) ||
			  cfi__open_image(&vdso_cfi, image, vdso_size, NULL)))
		abort();
	if (size < sizeof(regs))
		return 0;
	memcpy(regs, data, sizeof(regs));
	code_bytes = data + sizeof(regs);
	code_size = size - sizeof(regs);
	unwind("x86_64", regs, data + sizeof(regs), size - sizeof(regs));
	unwind("armv7l", regs, data + sizeof(regs), size - sizeof(regs));
	unwind("aarch64", regs, data + sizeof(regs), size - sizeof(regs));
	return 0;
}
