/*
 * spares_memory: names are the same as without it, also those of addresses that were not expected, and equal
 * symbols stay one symbol when the table is loaded again.
 */
#include "unit.h"

#include "image.h"
#include "model/session.h"

#include <sys/stat.h>
#include <unistd.h>

enum { START = 0x10000, NR = 4000 };

static char own_path[4096];
static u64 own_size;

static struct session *open_recording(bool spares_memory)
{
	struct session_opts opts = { .symbols = { .spares_memory = spares_memory } };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	struct session *s;
	struct image im;
	char path[64];
	int fd;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	image__begin(&im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(&im, 1);
	image__u32(&im, 1);
	image__u64(&im, START);
	image__u64(&im, own_size);
	image__u64(&im, 0);
	image__str(&im, own_path, ROUND_UP(strlen(own_path) + 1, 8));
	image__end(&im);
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	image__exit(&im);
	return s;
}

static struct dso *own_dso(struct session *s)
{
	return dsos__find_add(&s->machine.dsos, own_path, DSO_ELF, NULL);
}

/* Addresses all over the file; every second one is expected. */
static u64 addr_of(u64 i)
{
	return own_size / NR * i;
}

static void expect_addresses(struct session *s)
{
	struct symbol_wants wants = { .lines = 0 };

	array__add(&wants.dsos, own_dso(s));
	for (u64 i = 0; i < NR; i += 2)
		array__add(&wants.places, ((struct dso_place){ own_dso(s), addr_of(i) }));
	symbolizer__load_all(&s->symbolizer, &wants, 1);
	array__exit(&wants.dsos);
	array__exit(&wants.places);
}

static void names_are_the_same(void **state)
{
	struct session *whole = open_recording(false), *small = open_recording(true);
	struct dso *in_whole = own_dso(whole), *in_small = own_dso(small);
	u64 nr_named = 0;

	(void)state;
	expect_addresses(small);
	assert_int_equal(in_small->symtab.syms.nr, 0);
	for (u64 i = 0; i < NR; i++) {
		const struct symbol *a = symbolizer__find(&whole->symbolizer, in_whole, addr_of(i));
		const struct symbol *b = symbolizer__find(&small->symbolizer, in_small, addr_of(i));

		assert_true(!a == !b);
		assert_ptr_equal(symbolizer__find(&small->symbolizer, in_small, addr_of(i)), b);
		if (!a)
			continue;
		assert_string_equal(symtab__name(&in_small->symtab, b), symtab__name(&in_whole->symtab, a));
		assert_int_equal(a->start, b->start);
		assert_int_equal(a->size, b->size);
		assert_int_equal(a->is_made_up, b->is_made_up);
		if (symbolizer__find(&whole->symbolizer, in_whole, a->start + a->size - 1) == a)
			assert_ptr_equal(
				symbolizer__find(&small->symbolizer, in_small, a->start + a->size - 1), b);
		nr_named++;
	}
	assert_true(nr_named > NR / 10);
	session__delete(whole);
	session__delete(small);
}

static int setup(void **state)
{
	ssize_t len = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	struct stat st;

	(void)state;
	if (len <= 0 || stat(own_path, &st))
		return -1;
	own_size = (u64)st.st_size;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_are_the_same) };

	return cmocka_run_group_tests(tests, setup, NULL);
}
