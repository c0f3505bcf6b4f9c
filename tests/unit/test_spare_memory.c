/*
 * spares_memory: names are the same as without it, also those of addresses that were not expected, and equal
 * symbols stay one symbol when the table is loaded again. Exports are the same, byte for byte.
 */
#include "unit.h"

#include "base/system/file.h"
#include "export/export.h"
#include "image.h"
#include "model/session.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	START = 0x10000,
	NR = 4000,         /* addresses */
	NR_PLACES = 500,   /* of samples and callers */
	NR_PROCESSES = 30, /* with so many places each, more than are kept between rows */
	NR_SAMPLES = 400,  /* of a process */
	CHAIN = 6,
};

static char own_path[4096];
static u64 own_size;

static void put_map(struct image *im, u32 pid)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, pid);
	image__u32(im, pid);
	image__u64(im, START);
	image__u64(im, own_size);
	image__u64(im, 0);
	image__str(im, own_path, ROUND_UP(strlen(own_path) + 1, 8));
	image__end(im);
}

static u64 random_ip(void)
{
	return START + (u64)rand() % NR_PLACES * (own_size / NR_PLACES);
}

static void put_sample(struct image *im, u32 pid)
{
	u64 ip = random_ip();

	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, ip);
	image__u32(im, pid);
	image__u32(im, pid);
	image__u64(im, CHAIN + 2);
	image__u64(im, PERF_CONTEXT_USER);
	image__u64(im, ip);
	for (int i = 0; i < CHAIN; i++)
		image__u64(im, random_ip());
	image__end(im);
}

/* Make a recording of processes that run this program. Return its descriptor. */
static int make_recording(char path[64], u32 nr_samples)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_CALLCHAIN);
	struct image im;
	int fd;

	srand(1);
	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	for (u32 pid = 1; pid <= NR_PROCESSES; pid++) {
		put_map(&im, pid);
		for (u32 i = 0; i < nr_samples; i++)
			put_sample(&im, pid);
	}
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	image__exit(&im);
	return fd;
}

static struct session *open_recording(bool spares_memory)
{
	struct session_opts opts = { .symbols = { .spares_memory = spares_memory } };
	struct session *s;
	char path[64];
	int fd = make_recording(path, 0);

	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
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
	array__add(&wants.places, ((struct dso_place){ own_dso(s), 0 }));
	wants.places.nr--; /* not to be looked at */
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

static void export_to(const char *path, const char *to, const char *format, bool spares_memory,
		      struct strbuf *out)
{
	const struct export_args args = { .input = path,
					  .output = to,
					  .format = format,
					  .threads = 1,
					  .max_stack = 127,
					  .symbols_of = { .spares_memory = spares_memory } };

	assert_int_equal(export__run(&args), 0);
	assert_int_equal(file__read(to, out, 0), 0);
}

static void exports_are_the_same(void **state)
{
	static const char *const formats[] = { "otlp", "pprof", "folded" };
	char path[64], to[] = "/tmp/perf-unit-spare-memory.XXXXXX";
	int fd = mkstemp(to), recording = make_recording(path, NR_SAMPLES);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		struct strbuf whole = STRBUF_INIT, small = STRBUF_INIT;

		export_to(path, to, formats[i], false, &whole);
		export_to(path, to, formats[i], true, &small);
		assert_int_equal(whole.len, small.len);
		assert_memory_equal(whole.buf, small.buf, whole.len);
		strbuf__exit(&whole);
		strbuf__exit(&small);
	}
	unlink(to);
	close(recording);
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_the_same),
		cmocka_unit_test(exports_are_the_same),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
