/* What is said of call chains that stopped too early. */
#include "unit.h"

#include "unwind/runtime.h"
#include "unwind/unwind_stats.h"

#include <string.h>

/* Return what is said when the binaries were counted in this order. */
static void details(const char *const *names, size_t nr, struct strbuf *out)
{
	struct unwind_stats s = { .nr = 10 };

	for (size_t i = 0; i < nr; i++)
		unwind_stats__add_culprit(&s, UNWIND_CORRUPT, names[i], 2);
	unwind_stats__add_culprit(&s, UNWIND_CORRUPT, "most", 3);
	unwind_stats__details(&s, out);
	unwind_stats__exit(&s);
}

static void binaries_are_in_one_order_whoever_counted_them_first(void **state)
{
	static const char *const one[] = { "b", "a", "c" }, *const other[] = { "c", "b", "a" };
	struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;

	(void)state;
	details(one, ARRAY_SIZE(one), &x);
	details(other, ARRAY_SIZE(other), &y);
	assert_string_equal(x.buf, y.buf);
	assert_true(strstr(x.buf, "in most\n") < strstr(x.buf, "in a\n"));
	assert_true(strstr(x.buf, "in a\n") < strstr(x.buf, "in b\n"));
	strbuf__exit(&x);
	strbuf__exit(&y);
}

static void expect_causes(struct unwind_stats *s, const char *less_load, const char *text)
{
	struct strbuf out = STRBUF_INIT, names = STRBUF_INIT;

	unwind_stats__add_causes(s, less_load, &out);
	unwind_stats__add_nameless(s, &out, &names);
	strbuf__add(&out, names.buf, names.len);
	strbuf__exit(&names);
	assert_string_equal(out.len ? out.buf : "", text);
	for (char *next = out.buf, *line; (line = strsep(&next, "\n"));)
		assert_true(strlen(line) <= UNWIND_CAUSE_COLUMNS);
	strbuf__exit(&out);
	unwind_stats__exit(s);
}

static void each_cause_above_5_percent_has_a_line(void **state)
{
	struct unwind_stats s = { .mode = "auto", .in_recorder = true, .stack_copy = 16384, .nr = 200 };
	u64 all;

	(void)state;
	s.ends[UNWIND_COMPLETE] = 30;
	s.ends[UNWIND_CUT] = 100;
	s.joined = 40;
	s.smaller = 90;
	s.smaller_cut = 20;
	s.ends[UNWIND_TOO_DEEP] = 10;
	s.ends[UNWIND_NO_CFI] = 60;
	unwind_stats__add_culprit(&s, UNWIND_NO_CFI, "/usr/lib/libwithaverylongname-in-it.so.1.2.3", 11);
	unwind_stats__add_culprit(&s, UNWIND_NO_CFI, "/usr/bin/few", 10);
	unwind_stats__add_culprit(&s, UNWIND_NO_CFI, "java code", 39);
	assert_int_equal(unwind_stats__incomplete(&s, &all), 130);
	assert_int_equal(unwind_stats__found(&s), 40);
	assert_int_equal(all, 200);
	expect_causes(&s, "-m 2048 --unwind-buffer 1048576K",
		      "10% because of load: a lower -F, or -m 2048 --unwind-buffer 1048576K\n"
		      "20% cut at the end of 16384 bytes of stack: --call-graph auto,32768\n"
		      "20% in java code: -XX:+PreserveFramePointer, jcmd PID Compiler.perfmap\n"
		      "6% in libwi...-it.so.1.2.3, without CFI: cc -fasynchronous-unwind-tables\n"
		      "10% for other reasons: perf report --stack-stats\n");
}

static void what_is_complete_raises_no_alarm(void **state)
{
	struct unwind_stats s = { .mode = "auto", .in_recorder = true, .stack_copy = 16384, .nr = 100 };
	u64 all;

	(void)state;
	s.ends[UNWIND_COMPLETE] = 20;
	s.ends[UNWIND_CUT] = 80;
	s.joined = 80;
	s.smaller = 90;
	assert_int_equal(unwind_stats__incomplete(&s, &all), 0);
	expect_causes(&s, NULL, "");
}

/* A record of 64 KiB must hold the copy and all else of a sample. */
static void no_larger_copies_are_asked_for_than_there_are(void **state)
{
	static const struct {
		u32 copy;
		const char *advice;
	} rows[] = { { 16384, "--call-graph dwarf,32768" },
		     { 32768, "--call-graph dwarf,65000" },
		     { 65000, "no more can be copied" },
		     { 65528, "no more can be copied" } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct unwind_stats s = { .mode = "dwarf", .stack_copy = rows[i].copy, .nr = 100 };
		struct strbuf text = STRBUF_INIT;

		s.ends[UNWIND_CUT] = 100;
		strbuf__addf(&text, "100%% cut at the end of %u bytes of stack: %s\n", rows[i].copy,
			     rows[i].advice);
		expect_causes(&s, NULL, text.buf);
		strbuf__exit(&text);
	}
}

/* Names are missing from whole chains. A runtime that is told as a cause of broken ones is told once. */
static void code_without_names_is_told(void **state)
{
	struct unwind_stats s = { .nr = 100, .samples = 200 };

	(void)state;
	s.ends[UNWIND_NO_CFI] = s.ends[UNWIND_COMPLETE] = 50;
	unwind_stats__add_culprit(&s, UNWIND_NO_CFI, "java code", 50);
	unwind_stats__add_culprit(&s, UNWIND_ENDS, "java code", 60);
	unwind_stats__add_culprit(&s, UNWIND_ENDS, "node code", 100);
	unwind_stats__add_culprit(&s, UNWIND_ENDS, "python code", 10);
	expect_causes(&s, NULL,
		      "50% in java code: -XX:+PreserveFramePointer, jcmd PID Compiler.perfmap\n"
		      "50% in node code: record --runtimes (what it sets: man perf-record)\n");
}

/* Chains that stop in a runtime's binary, or in its code, get its advice. */
static void runtimes_have_advice(void **state)
{
	static const struct {
		const char *path, *code;
	} rows[] = { { "/usr/lib/jvm/java-17/lib/server/libjvm.so", "java code" },
		     { "/usr/bin/node", "node code" },
		     { "/usr/bin/python3.12", "python code" },
		     { "/usr/lib/erlang/erts-13.1.5/bin/beam.smp", "erlang code" },
		     { "/usr/share/dotnet/shared/libcoreclr.so", ".NET code" },
		     { "/usr/lib/x86_64-linux-gnu/libjulia-internal.so.1", "julia code" },
		     { "/usr/lib/x86_64-linux-gnu/libluajit-5.1.so.2", "lua code" },
		     { "/usr/bin/mono-sgen", "mono code" },
		     { "/usr/bin/perl", "perl code" },
		     { "/usr/sbin/php-fpm8.2", "php code" },
		     { "/usr/bin/qemu-system-x86_64", "emulated code" },
		     { "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1", "ruby code" },
		     { "/usr/bin/sbcl", "lisp code" },
		     { "/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "LLVM code" },
		     { RUNTIME_UNKNOWN_CODE, RUNTIME_UNKNOWN_CODE } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int is_code = 0; is_code < 2; is_code++) {
			struct unwind_stats s = { .nr = 100 };
			const struct runtime *r = runtime__of_code(rows[i].code);
			struct strbuf text = STRBUF_INIT;

			assert_non_null(r);
			s.ends[UNWIND_NO_CFI] = 99;
			s.ends[UNWIND_COMPLETE] = 1;
			unwind_stats__add_culprit(&s, UNWIND_NO_CFI, is_code ? rows[i].code : rows[i].path,
						  99);
			strbuf__addf(&text, "99%% in %s: %s\n", r->code, r->advice);
			expect_causes(&s, NULL, text.buf);
			strbuf__exit(&text);
		}
	assert_null(runtime__of_file("/usr/lib/libexpat.so.1"));
	assert_null(runtime__of_file("/home/node/program"));
	assert_true(runtime__is_memory("/memfd:vmem (deleted)"));
	assert_false(runtime__is_memory("/tmp/memfd:vmem"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binaries_are_in_one_order_whoever_counted_them_first),
		cmocka_unit_test(each_cause_above_5_percent_has_a_line),
		cmocka_unit_test(what_is_complete_raises_no_alarm),
		cmocka_unit_test(no_larger_copies_are_asked_for_than_there_are),
		cmocka_unit_test(code_without_names_is_told),
		cmocka_unit_test(runtimes_have_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
