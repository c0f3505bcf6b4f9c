/* perf-PID.map: what compilers write, what others might, and whose files count. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/symbols/perf_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In a block of just its size. */
static int parse(struct symtab *t, const char *text, size_t size)
{
	char *copy = malloc(size ? size : 1);
	int ret;

	memcpy(copy, text, size);
	symtab__init(t);
	ret = perf_map__parse(t, copy, size);
	free(copy);
	return ret;
}

static void check(const char *text, u64 addr, const char *name)
{
	const struct symbol *s;
	struct symtab t;

	assert_int_equal(parse(&t, text, strlen(text)), 0);
	s = symtab__find(&t, addr);
	assert_string_equal(s ? symtab__name(&t, s) : "-", name);
	symtab__exit(&t);
}

static void lines(void **state)
{
	(void)state;
	check("1000 20 LazyCompile:~a b.js:1\n", 0x101f, "LazyCompile:~a b.js:1");
	check("0x1000 0x20 f\n", 0x1000, "f");
	check("1000 20 f\n", 0x1020, "-");
	check("1000 20 last line without its end", 0x1010, "last line without its end");
	check("nonsense\n\n1000 20 f\n1000\n1000 20\n1000 20 \n", 0x1000, "f");
	check("1000 20 old\n1000 20 new\n", 0x1000, "new");
	check("1000 100 old\n1080 20 new\n", 0x1090, "new");
}

static void lines_that_are_none(void **state)
{
	static const char *const rows[] = {
		"",
		"\n",
		"1000",
		"1000 20",
		"-1 20 f\n",
		" 1000 20 f\n",
		"g 20 f\n",
		"1000 0 f\n",
		"ffffffffffffffff ffffffffffffffff f\n",
		"10000000000000000 20 f\n",
	};
	struct symtab t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(&t, rows[i], strlen(rows[i])), -EINVAL);
		symtab__exit(&t);
	}
	assert_int_equal(parse(&t, "1000 20 f\0g\n\0\0", 14), 0);
	symtab__exit(&t);
}

static void owners(void **state)
{
	char path[] = "/tmp/perf-unit-map.XXXXXX";
	int fd = mkstemp(path);
	struct err err = ERR_INIT;
	struct symtab t;

	(void)state;
	symtab__init(&t);
	assert_int_equal(file__write_all(fd, "1000 20 f\n", 10), 0);
	close(fd);
	assert_int_equal(perf_map__load(&t, path, 12345, NULL), 0); /* is mine */
	symtab__exit(&t);
	if (!geteuid()) {
		symtab__init(&t);
		assert_int_equal(chown(path, 65534, 65534), 0);
		assert_int_equal(perf_map__load(&t, path, 12345, &err), -EPERM);
		assert_int_equal(t.syms.nr, 0);
		assert_non_null(strstr(err.text.buf, "--force"));
		assert_int_equal(perf_map__load(&t, path, 65534, NULL), 0);
		symtab__exit(&t);
		symtab__init(&t);
		assert_int_equal(perf_map__load(&t, path, (u32)PERF_MAP_OF_ANYBODY, NULL), 0);
		symtab__exit(&t);
	}
	unlink(path);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(owners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
