/* Names of functions in BTF data: a small one, cut at every place, and numbers that lie. */
#include "unit.h"

#include "live/bpf_programs.h"

#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

struct example {
	struct btf_header header;
	struct btf_type number;
	u32 number_bits;
	struct btf_type proto;
	struct btf_param param;
	struct btf_type function;
	char strings[16];
} __attribute__((packed));

static const struct example example = {
	.header = { .magic = BTF_MAGIC,
		    .version = 1,
		    .hdr_len = sizeof(struct btf_header),
		    .type_len = offsetof(struct example, strings) - sizeof(struct btf_header),
		    .str_off = offsetof(struct example, strings) - sizeof(struct btf_header),
		    .str_len = 16 },
	.number = { .name_off = 1, .info = BTF_KIND_INT << 24, .size = 4 },
	.number_bits = 32,
	.proto = { .info = BTF_KIND_FUNC_PROTO << 24 | 1, .type = 1 },
	.param = { .name_off = 0, .type = 1 },
	.function = { .name_off = 5, .info = BTF_KIND_FUNC << 24, .type = 2 },
	.strings = "\0int\0spinning",
};

/* In a block of just its size. */
static const char *name_of(const struct example *e, size_t size, u32 id, char *to)
{
	void *copy = malloc(size ? size : 1);
	const char *name;

	memcpy(copy, e, size);
	name = btf__type_name(copy, size, id);
	if (name)
		strcpy(to, name);
	free(copy);
	return name ? to : NULL;
}

static void names(void **state)
{
	char name[64];

	(void)state;
	assert_string_equal(name_of(&example, sizeof(example), 1, name), "int");
	assert_string_equal(name_of(&example, sizeof(example), 2, name), "");
	assert_string_equal(name_of(&example, sizeof(example), 3, name), "spinning");
	assert_null(name_of(&example, sizeof(example), 4, name));
	assert_null(name_of(&example, sizeof(example), UINT32_MAX, name));
}

static void cut_anywhere(void **state)
{
	char name[64];

	(void)state;
	for (size_t size = 0; size < sizeof(example); size++)
		assert_null(name_of(&example, size, 3, name));
}

static void numbers_that_lie(void **state)
{
	char name[64];

	(void)state;
	for (size_t at = 0; at + 4 <= sizeof(example); at += 4)
		for (u32 bits = 0; bits < 32; bits++) {
			struct example e = example;
			u32 x;

			memcpy(&x, (char *)&e + at, 4);
			x ^= 1u << bits;
			memcpy((char *)&e + at, &x, 4);
			for (u32 id = 0; id < 5; id++)
				name_of(&e, sizeof(e), id, name);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(numbers_that_lie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
