/* A kernel module whose file is only in the build-id cache, as of another machine; another build of it
 * there; and a module of which the recording has no build-id. */
#include "unit.h"

#include "format/records/build.h"
#include "image.h"
#include "model/session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static char dir[] = "/tmp/perf-unit-modcache.XXXXXX";

#define NOWHERE "/lib/modules/0/none.ko"

static const char make_module[] =
	"cd %s && printf '.text\\nin_module: .skip %d\\n.type in_module, %%%%function\\n.size in_module, "
	"64\\n' >m.s && gcc -c m.s && ld -r --build-id -o m.ko m.o";

static bool make(int size)
{
	char text[512];

	snprintf(text, sizeof(text), make_module, dir, size);
	return !system(text);
}

static bool put_into_cache(const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1], text[512];

	build_id__str(id, hex);
	snprintf(text, sizeof(text), "d=%s/.build-id/%.2s/%s && mkdir -p $d && cp %s/m.ko $d/elf", dir, hex,
		 hex + 2, dir);
	return !system(text);
}

static const char *name_in(const char *file, const struct build_id *id, char *to)
{
	struct session_opts opts = { .symbols = { .kallsyms = "/dev/null", .buildid_dir = dir } };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	struct mmap_record m = { .start = 0xffffffffc0000000,
				 .len = 0x1000,
				 .filename = file,
				 .has_build_id = id->size,
				 .build_id = id->data,
				 .build_id_size = id->size };
	const struct symbol *sym = NULL;
	struct dso_addr at;
	struct session *s;
	struct image im;
	char path[64];
	int fd;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	build__mmap2(&im.b, PERF_RECORD_MISC_KERNEL, &m, 0);
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	if (machine__resolve(&s->machine, NULL, UINT32_MAX, PERF_RECORD_MISC_KERNEL, m.start + 32, &at))
		sym = symbolizer__find(&s->symbolizer, s->machine.dsos.v.v[at.dso], at.addr);
	snprintf(to, 64, "%s", sym ? symtab__name(&s->machine.dsos.v.v[at.dso]->symtab, sym) : "-");
	session__delete(s);
	image__exit(&im);
	return to;
}

static void module_in_the_cache(void **state)
{
	char path[128], name[64];
	struct build_id id;

	(void)state;
	snprintf(path, sizeof(path), "%s/m.ko", dir);
	if (!make(64) || build_id__of_file(path, &id)) {
		skip();
		return;
	}
	assert_string_equal(name_in(NOWHERE, &id, name), "-");
	assert_true(put_into_cache(&id));
	assert_string_equal(name_in(NOWHERE, &id, name), "in_module");
	assert_true(make(65) && put_into_cache(&id)); /* in the place of the first one */
	assert_string_equal(name_in(NOWHERE, &id, name), "-");
}

static void module_without_a_build_id(void **state)
{
	const struct build_id none = { 0 }, other = { .size = 20 };
	char path[128], name[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/m.ko", dir);
	if (!make(64)) {
		skip();
		return;
	}
	assert_string_equal(name_in(path, &none, name), "in_module");
	assert_string_equal(name_in(path, &other, name), "-");
	assert_string_equal(name_in(NOWHERE, &none, name), "-");
}

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(dir);
}

static int teardown(void **state)
{
	char text[128];

	(void)state;
	snprintf(text, sizeof(text), "rm -r %s", dir);
	return system(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(module_in_the_cache),
					    cmocka_unit_test(module_without_a_build_id) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
