/* What objdump prints, as instructions; programs that run too long or print too much. */
#include "unit.h"

#include "base/system/run.h"
#include "binary/code/disasm.h"
#include "binary/code/objdump.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ADDR = 0x401000 };

static void must_parse(struct objdump *o, const char *text, u16 machine, size_t size)
{
	*o = (struct objdump){ .texts = STRBUF_INIT };
	objdump__parse(o, text, strlen(text), machine, size, ADDR);
}

static void expect_insn(const struct objdump *o, u64 offset, u8 size, const char *mnemonic,
			const char *operands)
{
	const struct objdump_insn *in = objdump__find(o, offset);

	assert_non_null(in);
	assert_int_equal(in->size, size);
	assert_string_equal(objdump__text(o, in->mnemonic), mnemonic);
	if (in->mnemonic)
		assert_string_equal(objdump__text(o, in->operands), operands);
}

static void both_kinds_of_objdump(void **state)
{
	struct objdump o;

	(void)state;
	must_parse(&o,
		   "\n/proc/self/fd/0:     file format elf64-x86-64\n\nDisassembly of section .text:\n\n"
		   "0000000000401000 <.text>:\n"
		   "  401000:\tvmovdqu8 (%rsi),%ymm18{%k2}\n"
		   "  401006:\tja     0x163980\n"
		   "  401008:\tvmovdqu64 0x2f(%rip),%zmm16        # 0x403000\n"
		   "  401012:\tlock cmpxchg %edx,(%rdi)\n"
		   "  401016:\t(bad)\n"
		   "  401017:\tret\n",
		   EM_X86_64, 0x18);
	assert_int_equal(o.insns.nr, 6);
	expect_insn(&o, 0, 6, "vmovdqu8", "(%rsi),%ymm18{%k2}");
	expect_insn(&o, 6, 2, "ja", "0x163980");
	expect_insn(&o, 8, 10, "vmovdqu64", "0x2f(%rip),%zmm16");
	expect_insn(&o, 0x12, 4, "lock cmpxchg", "%edx,(%rdi)");
	expect_insn(&o, 0x16, 1, "", "");
	expect_insn(&o, 0x17, 1, "ret", "");
	assert_null(objdump__find(&o, 1));
	objdump__exit(&o);
	must_parse(&o,
		   "  401000:      \tvmovdqu8\t(%rsi), %ymm18 {%k2}\n"
		   "  401006:      \tja\t0x163980 <.text+0x40>\n"
		   "  401008:      \t<unknown>\n",
		   EM_X86_64, 9);
	expect_insn(&o, 0, 6, "vmovdqu8", "(%rsi),%ymm18 {%k2}");
	expect_insn(&o, 6, 2, "ja", "0x163980");
	expect_insn(&o, 8, 1, "", "");
	objdump__exit(&o);
	must_parse(&o, "  401000:\tb.mi\t0x401000  // b.first\n  401004:\t.inst\t0x0000dead ; undefined\n",
		   EM_AARCH64, 8);
	expect_insn(&o, 0, 4, "b.mi", "0x401000");
	expect_insn(&o, 4, 4, "", "");
	objdump__exit(&o);
}

static void text_that_lies(void **state)
{
	struct objdump o;

	(void)state;
	/* before and after the code, backwards, twice, no numbers */
	must_parse(&o,
		   "  400fff:\tnop\n  401002:\tnop\n  401001:\tnop\n  401002:\tret\n"
		   "  401010:\tnop\n:\tnop\n  ffffffffffffffffffff401003:\tnop\nxyz\n  401004:\tnop\n",
		   EM_X86_64, 0x10);
	assert_int_equal(o.insns.nr, 2);
	expect_insn(&o, 2, 2, "nop", "");
	expect_insn(&o, 4, 12, "nop", "");
	objdump__exit(&o);
	/* longer than an instruction can be; of a size that arm64 does not have */
	must_parse(&o, "  401000:\tnop\n  401010:\tnop\n", EM_X86_64, 0x11);
	expect_insn(&o, 0, 15, "", "");
	expect_insn(&o, 0x10, 1, "nop", "");
	objdump__exit(&o);
	must_parse(&o, "  401000:\tnop\n  401002:\tnop\n", EM_AARCH64, 8);
	expect_insn(&o, 0, 2, "", "");
	objdump__exit(&o);
	/* control characters and other bytes */
	must_parse(&o, "  401000:\tv\033[31mmov\ta\001\302\233\377b\n", EM_X86_64, 4);
	expect_insn(&o, 0, 4, "v?[31mmov", "a????b");
	objdump__exit(&o);
	/* the last line was cut off, so the size of the last instruction is unknown */
	must_parse(&o, "  401000:\tnop\n  401001:\tnop\n  40100", EM_X86_64, 0x10);
	assert_int_equal(o.insns.nr, 1);
	objdump__exit(&o);
	must_parse(&o, "", EM_X86_64, 0x10);
	assert_int_equal(o.insns.nr, 0);
	objdump__exit(&o);
}

/* SVE, and authenticated returns: libcapstone 4 knows none of them. */
static void instructions_of_arm64(void **state)
{
	static const u8 code[] = {
		0xe0, 0xe3, 0x18, 0x25, /* ptrue p0.b */
		0x00, 0xa0, 0x40, 0xa5, /* ld1w {z0.s}, p0/z, [x0] */
		0xff, 0x0b, 0x5f, 0xd6, /* retaa */
	};
	struct err err = ERR_INIT;
	struct disasm *d = NULL;
	struct objdump o;
	struct insn in;

	(void)state;
	if (objdump__read(&o, NULL, EM_AARCH64, false, code, sizeof(code), ADDR, &err)) {
		print_message("no objdump for arm64: %s\n", err.text.buf);
		objdump__exit(&o);
		err__exit(&err);
		skip();
	}
	expect_insn(&o, 0, 4, "ptrue", "p0.b");
	objdump__exit(&o);
	err__exit(&err);
	if (disasm__new(&d, EM_AARCH64, false, DISASM_ATT, NULL))
		skip(); /* libcapstone is not there */
	assert_int_equal(disasm__ask_objdump(d, NULL, code, sizeof(code), ADDR, NULL), 0);
	disasm__next(d, code, 4, ADDR, &in);
	assert_string_equal(in.mnemonic, "ptrue");
	assert_string_equal(in.operands, "p0.b");
	disasm__next(d, code + 8, 4, ADDR + 8, &in);
	assert_string_equal(in.mnemonic, "retaa");
	assert_int_equal(in.kind, INSN_RETURN);
	disasm__delete(d);
}

static int run_sh(const char *script, unsigned ms, size_t bytes, struct strbuf *out)
{
	char *const argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
	const struct run_limits limits = { .ms = ms, .bytes = bytes };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ret = run__output("/bin/sh", argv, null, &limits, out);

	close(null);
	return ret;
}

static void programs_have_limits(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(run_sh("echo $LC_ALL; echo lost >&2; exit 3", 10000, 100, &out), 3);
	assert_string_equal(out.buf, "C\n");
	strbuf__reset(&out);
	assert_int_equal(run_sh("echo begin; sleep 100", 300, 100, &out), -ETIMEDOUT);
	assert_string_equal(out.buf, "begin\n");
	assert_int_equal(run_sh("exec >&-; sleep 100", 300, 100, &out), -ETIMEDOUT);
	assert_int_equal(run_sh("while :; do echo more; done", 10000, 1000, &out), -E2BIG);
	assert_int_equal(run_sh("kill -9 $$", 10000, 100, &out), -EIO);
	assert_int_equal(run__output("/nonexistent", (char *const[]){ (char *)"x", NULL }, 0,
				     &(struct run_limits){ .ms = 1000 }, &out),
			 -ENOENT);
	strbuf__exit(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_of_objdump),
		cmocka_unit_test(text_that_lies),
		cmocka_unit_test(instructions_of_arm64),
		cmocka_unit_test(programs_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
