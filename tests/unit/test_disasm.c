/* Instructions from bytes: kinds, addresses, lengths of what the library does not know. */
#include "unit.h"

#include "binary/code/code_refs.h"
#include "binary/code/disasm.h"
#include "binary/code/x86_length.h"

#include <elf.h>
#include <errno.h>

static struct disasm *open_disasm(u16 machine, enum disasm_syntax syntax)
{
	struct disasm *d = NULL;

	if (disasm__new(&d, machine, false, syntax, NULL))
		skip(); /* libcapstone is not there */
	return d;
}

static void lengths_of_vector_instructions(void **state)
{
	static const struct {
		u8 size, code[15];
	} rows[] = {
		{ 6, { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x06 } },                    /* vmovdqu64 (%rsi),%zmm0 */
		{ 7, { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x46, 0x01 } },              /* with disp8 */
		{ 11, { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x84, 0x24, 1, 2, 3, 4 } }, /* sib, disp32 */
		{ 10, { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x05, 1, 2, 3, 4 } },       /* (%rip) */
		{ 7, { 0x62, 0xf3, 0x7d, 0x48, 0x25, 0xc0, 0xff } },              /* vpternlogd $0xff */
		{ 7, { 0x62, 0xf1, 0x6d, 0x48, 0x72, 0xd1, 0x04 } },              /* vpsrld $4 */
		{ 5, { 0xc4, 0xe1, 0xfb, 0x93, 0xc1 } },                          /* kmovq %k1,%rax */
		{ 4, { 0xc5, 0xf8, 0x98, 0xc9 } },                                /* kortestw */
		{ 3, { 0xc5, 0xf8, 0x77 } },                                      /* vzeroupper */
		{ 3, { 0x0f, 0x01, 0xee } },                                      /* rdpkru */
		{ 6, { 0x0f, 0x3a, 0xcc, 0xc1, 0x02, 0x90 } },                    /* sha1rnds4 and nop */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t want = i == 10 ? 5 : rows[i].size;

		assert_int_equal(x86__length(rows[i].code, sizeof(rows[i].code), true), want);
		for (size_t n = 0; n < want; n++) /* cut off */
			assert_int_equal(x86__length(rows[i].code, n, true), 0);
	}
	assert_true(x86__is_evex(rows[0].code, 6, true));
	assert_false(x86__is_evex(rows[6].code, 5, true));
	assert_false(x86__is_evex((const u8 *)"\x62\x05", 2, false)); /* BOUND */
}

struct wanted_ref {
	u64 target;
	bool is_found;
};

static void see_ref(void *ctx, u64 target, bool is_data)
{
	struct wanted_ref *w = ctx;

	w->is_found |= is_data && target == w->target;
}

static void data_of_x86_is_found_with_and_without_immediates(void **state)
{
	static const struct {
		u8 size, code[12];
	} rows[] = {
		{ 8, { 0xf0, 0x0f, 0xc1, 0x05, 0, 1, 0, 0 } },  /* lock xadd %eax,0x100(%rip) */
		{ 7, { 0xc1, 0x25, 0, 1, 0, 0, 3 } },           /* shll $3 */
		{ 7, { 0x83, 0x05, 0, 1, 0, 0, 5 } },           /* addl $5 */
		{ 10, { 0xc7, 0x05, 0, 1, 0, 0, 1, 2, 3, 4 } }, /* movl */
		{ 7, { 0x0f, 0xc7, 0x0d, 0, 1, 0, 0 } },        /* cmpxchg8b */
		{ 8, { 0x0f, 0xba, 0x25, 0, 1, 0, 0, 3 } },     /* bt $3 */
		{ 7, { 0x48, 0x8b, 0x05, 0, 1, 0, 0 } },        /* mov */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct wanted_ref w = { .target = 0x1000 + rows[i].size + 0x100u };

		code_refs__list(rows[i].code, rows[i].size, 0x1000, EM_X86_64, see_ref, &w);
		assert_true(w.is_found);
	}
}

static void the_next_instruction_is_found(void **state)
{
	static const u8 code[] = { 0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x46, 0x01, 0xc3 };
	struct disasm *d = open_disasm(EM_X86_64, DISASM_ATT);
	struct insn in;

	(void)state;
	disasm__next(d, code, sizeof(code), 0x1000, &in);
	assert_int_equal(in.size, 7);
	disasm__next(d, code + 7, 1, 0x1007, &in);
	assert_int_equal(in.kind, INSN_RETURN);
	assert_string_equal(in.mnemonic, "ret");
	disasm__next(d, code, 1, 0x1000, &in); /* cut off */
	assert_int_equal(in.kind, INSN_UNKNOWN);
	assert_int_equal(in.size, 1);
	disasm__delete(d);
}

static void expect(u16 machine, enum disasm_syntax syntax, const char *code, size_t size,
		   const char *mnemonic, const char *operands)
{
	struct disasm *d = open_disasm(machine, syntax);
	struct insn in;

	disasm__next(d, (const u8 *)code, size, 0x1000, &in);
	assert_int_equal(in.size, size);
	assert_string_equal(in.mnemonic, mnemonic);
	assert_string_equal(in.operands, operands);
	disasm__delete(d);
}

static void x86_is_written_as_objdump_does(void **state)
{
	(void)state;
	expect(EM_X86_64, DISASM_ATT, "\x48\x89\xe5", 3, "mov", "%rsp,%rbp");
	expect(EM_X86_64, DISASM_ATT, "\xc7\x45\xf8\x05\x00\x00\x00", 7, "movl", "$0x5,-0x8(%rbp)");
	expect(EM_X86_64, DISASM_ATT, "\x83\x04\x85\x00\x00\x00\x00\x01", 8, "addl", "$0x1,(,%rax,4)");
	expect(EM_X86_64, DISASM_ATT, "\x64\xc7\x00\x05\x00\x00\x00", 7, "movl", "$0x5,%fs:(%rax)");
	expect(EM_X86_64, DISASM_ATT, "\xf0\x0f\xb1\x0a", 4, "lock cmpxchg", "%ecx,(%rdx)");
	expect(EM_X86_64, DISASM_INTEL, "\x48\x8b\x45\xf8", 4, "mov", "rax,qword ptr [rbp-0x8]");
	expect(EM_X86_64, DISASM_INTEL, "\x8b\x04\x88", 3, "mov", "eax,dword ptr [rax+rcx*4]");
}

static void addresses_are_found(void **state)
{
	struct disasm *d = open_disasm(EM_X86_64, DISASM_ATT);
	struct insn in;

	(void)state;
	disasm__next(d, (const u8 *)"\xe8\x0b\x00\x00\x00", 5, 0x1000, &in);
	assert_int_equal(in.kind, INSN_CALL);
	assert_true(in.has_target);
	assert_int_equal(in.target, 0x1010);
	disasm__next(d, (const u8 *)"\x75\xfe", 2, 0x1000, &in);
	assert_int_equal(in.kind, INSN_JUMP);
	assert_int_equal(in.target, 0x1000);
	disasm__next(d, (const u8 *)"\xff\xd0", 2, 0x1000, &in);
	assert_int_equal(in.kind, INSN_CALL);
	assert_false(in.has_target);
	disasm__next(d, (const u8 *)"\x48\x8d\x05\xf0\xff\xff\xff", 7, 0x1000, &in);
	assert_true(in.has_data);
	assert_int_equal(in.data, 0xff7);
	assert_false(in.is_slow);
	disasm__next(d, (const u8 *)"\xf7\xf9", 2, 0x1000, &in);
	assert_true(in.is_slow);
	disasm__delete(d);
	d = open_disasm(EM_X86_64, DISASM_INTEL);
	disasm__next(d, (const u8 *)"\x48\x8d\x05\xf0\xff\xff\xff", 7, 0x1000, &in);
	assert_int_equal(in.data, 0xff7);
	disasm__delete(d);
}

static void pages_and_offsets_of_arm64_are_added(void **state)
{
	struct disasm *d = open_disasm(EM_AARCH64, DISASM_ATT);
	struct insn in;

	(void)state;
	disasm__next(d, (const u8 *)"\xe3\x00\x00\xf0", 4, 0x4001ec, &in); /* adrp x3, 41f000 */
	assert_false(in.has_data);
	disasm__next(d, (const u8 *)"\x62\xf4\x47\xf9", 4, 0x4001f0, &in); /* ldr x2, [x3, #4072] */
	assert_true(in.has_data);
	assert_int_equal(in.data, 0x41ffe8);
	disasm__next(d, (const u8 *)"\x21\xff\xff\x54", 4, 0x400214, &in); /* b.ne 4001f8 */
	assert_int_equal(in.kind, INSN_JUMP);
	assert_int_equal(in.target, 0x4001f8);
	disasm__next(d, (const u8 *)"\xff\xff\xff\xff", 4, 0x400218, &in);
	assert_int_equal(in.kind, INSN_UNKNOWN);
	assert_int_equal(in.size, 4);
	disasm__delete(d);
}

static void an_unknown_machine_is_an_error(void **state)
{
	struct err err = ERR_INIT;
	struct disasm *d = NULL;

	(void)state;
	assert_int_equal(disasm__new(&d, EM_NONE, false, DISASM_ATT, &err), -ENOTSUP);
	assert_null(d);
	assert_true(err.text.len > 0);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_of_vector_instructions),
		cmocka_unit_test(data_of_x86_is_found_with_and_without_immediates),
		cmocka_unit_test(the_next_instruction_is_found),
		cmocka_unit_test(x86_is_written_as_objdump_does),
		cmocka_unit_test(addresses_are_found),
		cmocka_unit_test(pages_and_offsets_of_arm64_are_added),
		cmocka_unit_test(an_unknown_machine_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
