/*
 * Names for kernel addresses: a saved kallsyms is brought to where the recorded kernel ran, by the reference
 * symbol; what was recorded without a reference is taken as it stands; modules only where they lay.
 */
#include "unit.h"

#include "image.h"
#include "model/session.h"
#include "model/symbolize_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char kallsyms_text[] = "ffffffff81000000 T _text\n"
				    "ffffffff81000100 T _stext\n"
				    "ffffffff81001000 T first\n"
				    "ffffffff81002000 t second\n"
				    "ffffffff81ff0000 T start_kernel\n"
				    "ffffffffc0000000 t mod_init\t[some_mod]\n"
				    "ffffffffc0000040 t mod_work\t[some_mod]\n"
				    "ffffffffd0000000 t elsewhere\t[moved_mod]\n"
				    "ffffffffe0000000 t other_work\t[other_mod]\n";

static struct session *s;
static char kallsyms[] = "/tmp/perf-unit-kallsyms.XXXXXX";

static void kernel_mmap(struct image *im, u64 start, u64 len, u64 pgoff, const char *name)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	image__u32(im, UINT32_MAX);
	image__u32(im, 0);
	image__u64(im, start);
	image__u64(im, len);
	image__u64(im, pgoff);
	image__str(im, name, ROUND_UP(strlen(name) + 1, 8));
	image__end(im);
}

/* A recording of a kernel whose reference symbol stood at ref (0: hidden). */
static void open_recording(u64 start, u64 ref, const char *name)
{
	struct session_opts opts = { .symbols = { .symfs = "/nowhere", .kallsyms = kallsyms } };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	struct image im;
	char path[64];
	int fd;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	kernel_mmap(&im, start, 0x100000, ref, name);
	kernel_mmap(&im, 0xffffffffc0000000, 0x1000, 0, "/lib/modules/6/some-mod.ko");
	kernel_mmap(&im, 0xffffffffc0100000, 0x1000, 0, "[moved_mod]");
	kernel_mmap(&im, 0xffffffffe0000000, 0x1000, 0, "[other_mod]");
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	image__exit(&im);
}

static int setup(void **state)
{
	int fd = mkstemp(kallsyms);

	(void)state;
	return fd < 0 || file__write_all(fd, kallsyms_text, sizeof(kallsyms_text) - 1) || close(fd);
}

static int teardown(void **state)
{
	(void)state;
	return unlink(kallsyms);
}

static const char *name_of(u64 ip)
{
	const struct symbol *sym = NULL;
	struct dso_addr at;
	struct dso *dso;

	if (machine__resolve(&s->machine, NULL, UINT32_MAX, PERF_RECORD_MISC_KERNEL, ip, &at)) {
		dso = s->machine.dsos.v.v[at.dso];
		sym = symbolizer__find(&s->symbolizer, dso, at.addr);
	} else {
		sym = symbolizer__find_kernel(&s->symbolizer, ip, &dso);
	}
	return sym ? symtab__name(&dso->symtab, sym) : "-";
}

static void moved_kernel(void **state)
{
	(void)state;
	open_recording(0xffffffff9b000000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(0xffffffff9b001010), "first");
	assert_string_equal(name_of(0xffffffff9b002000), "second");
	assert_string_equal(name_of(0xffffffff81001010), "-");
	session__delete(s);
}

static void moved_kernel_by_the_other_reference(void **state)
{
	(void)state;
	open_recording(0xffffffff9b000100, 0xffffffff9b000100, "[kernel.kallsyms]_stext");
	assert_string_equal(name_of(0xffffffff9b001010), "first");
	session__delete(s);
}

static void kernel_without_reference(void **state)
{
	(void)state;
	open_recording(0xffffffff81000000, 0, "[kernel.kallsyms]");
	assert_string_equal(name_of(0xffffffff81001010), "first");
	session__delete(s);
}

static void code_behind_the_text(void **state)
{
	(void)state;
	open_recording(0xffffffff91000000, 0xffffffff91000000, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(0xffffffff91ff0010), "start_kernel");
	assert_string_equal(name_of(0x1000), "-");
	session__delete(s);
}

static void modules_where_they_lay(void **state)
{
	(void)state;
	open_recording(0xffffffff9b000000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	assert_string_equal(name_of(0xffffffffc0000050), "mod_work");
	assert_string_equal(name_of(0xffffffffc0100000), "-"); /* lies elsewhere in this kallsyms */
	assert_string_equal(name_of(0xffffffffe0000010), "other_work");
	session__delete(s);
}

/* Nobody knows where a module was that no record maps. */
static void a_module_without_a_map_has_no_names(void **state)
{
	struct dso *dso;

	(void)state;
	open_recording(0xffffffff9b000000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
	dso = dsos__find_add(&s->machine.dsos, "[lost_mod]", DSO_MODULE, NULL);
	assert_null(symbolizer__module_map(&s->symbolizer, dso));
	assert_null(symbolizer__find(&s->symbolizer, dso, 0x50));
	assert_int_equal(dso->load_error, -ENOENT);
	assert_string_equal(dso->load_reason, "no map of module '[lost_mod]'");
	session__delete(s);
}

static void missing_kallsyms_says_why(void **state)
{
	struct session_opts opts = { .symbols = { .kallsyms = "/nowhere/kallsyms" } };
	struct dso_addr at;
	struct dso *dso;

	(void)state;
	open_recording(0xffffffff81000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	s->symbolizer.opts.kallsyms = opts.symbols.kallsyms;
	assert_string_equal(name_of(0xffffffff81001010), "-");
	dso = s->machine.dsos.v.v[s->machine.kernel.text.dso];
	assert_int_not_equal(dso->load_error, 0);
	assert_non_null(strstr(dso->load_reason, "/nowhere/kallsyms"));
	/* all modules have the same kallsyms, which is read once */
	for (int i = 0; i < 2; i++) {
		static const u64 ips[] = { 0xffffffffc0000050, 0xffffffffc0100000 };

		assert_string_equal(name_of(ips[i]), "-");
		assert_true(machine__resolve(&s->machine, NULL, UINT32_MAX, PERF_RECORD_MISC_KERNEL, ips[i],
					     &at));
		dso = s->machine.dsos.v.v[at.dso];
		assert_int_equal(dso->load_error, -ENOENT);
		assert_non_null(strstr(dso->load_reason,
				       i ? "no kallsyms of the recorded kernel" : "/nowhere/kallsyms"));
	}
	session__delete(s);
}

/* Where dir has the kallsyms of a kernel whose build-id is 20 times 0xab. */
static void saved_path(const char *dir, char path[256])
{
	snprintf(path, 256, "%s/.build-id/ab/ababababababababababababababababababab/kallsyms", dir);
}

static void save_kallsyms(const char *dir)
{
	char path[256];
	int fd;

	saved_path(dir, path);
	for (char *p = path + strlen(dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		assert_int_equal(mkdir(path, 0700), 0);
	}
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_int_equal(file__write_all(fd, kallsyms_text, sizeof(kallsyms_text) - 1), 0);
	close(fd);
}

static void remove_saved(const char *dir)
{
	char path[256];

	saved_path(dir, path);
	assert_int_equal(unlink(path), 0);
	while (strlen(path) > strlen(dir)) {
		*strrchr(path, '/') = '\0';
		assert_int_equal(rmdir(path), 0);
	}
}

static void add_kernel_of_build(struct image *im, u16 misc, u64 ref, const char *name)
{
	image__begin(im, PERF_RECORD_MMAP2, misc | MISC_MMAP_BUILD_ID);
	image__u32(im, UINT32_MAX);
	image__u32(im, 0);
	image__u64(im, 0xffffffff9b000000);
	image__u64(im, 0x100000);
	image__u64(im, ref);
	image__u32(im, 20);
	for (int i = 0; i < 20; i++)
		image__u8(im, 0xab);
	image__u64(im, 0); /* prot, flags */
	image__str(im, name, 32);
	image__end(im);
}

/* The host's kernel, with a name of its map, and a guest's of the same build. */
static void open_recording_with_build_id(const char *dir, const char *name)
{
	struct session_opts opts = { .symbols.buildid_dir = dir };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	struct image im;
	char path[64];
	int fd;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	add_kernel_of_build(&im, PERF_RECORD_MISC_KERNEL, 0xffffffff9b000000, name);
	add_kernel_of_build(&im, PERF_RECORD_MISC_GUEST_KERNEL, 0, "[guest.kernel.kallsyms]");
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	image__exit(&im);
}

static void saved_kallsyms_is_searched(void **state)
{
	char dir[] = "/tmp/perf-unit-buildid.XXXXXX";
	u64 addrs[] = { 0xffffffff9b002008, 0xffffffff9b001010, 0xffffffff9bfffff0 };
	struct symbol_wants wants = { .kernel_addrs = { .v = addrs, .nr = ARRAY_SIZE(addrs) } };
	struct dso *dso, *guest;

	(void)state;
	assert_non_null(mkdtemp(dir));
	open_recording_with_build_id(dir, "[kernel.kallsyms]_text");
	assert_null(symbolizer__searched_kernel(&s->symbolizer));
	session__delete(s);
	save_kallsyms(dir);
	open_recording_with_build_id(dir, "[kernel.kallsyms]_text");
	dso = s->machine.dsos.v.v[s->machine.kernel.text.dso];
	assert_ptr_equal(symbolizer__searched_kernel(&s->symbolizer), dso);
	symbolizer__preload_kernel(&s->symbolizer);
	assert_false(dso->loaded);
	assert_string_equal(name_of(0xffffffff9b001010), "first");
	assert_non_null(dso->kallsyms);
	assert_int_equal(dso->symtab.syms.nr, 1);
	assert_string_equal(dso->symtab.source, "kallsyms");
	/* by how much the guest's kernel moved is not known */
	guest = s->machine.dsos.v.v[s->machine.guest_kernel.text.dso];
	assert_true(guest->is_guest && guest->build_id.size == 20);
	assert_null(symbolizer__find(&s->symbolizer, guest, 0xffffffff9b001010));
	assert_null(symbolizer__find(&s->symbolizer, guest, 0xffffffff81001010));
	wants.kernel = dso;
	symbolizer__load_all(&s->symbolizer, &wants, 2);
	assert_int_equal(dso->symtab.syms.nr, 2);
	wants = (struct symbol_wants){ .dsos = { .v = &dso, .nr = 1 } };
	symbolizer__load_all(&s->symbolizer, &wants, 2);
	assert_string_equal(name_of(0xffffffff9b002000), "second");
	assert_string_equal(name_of(0xffffffff9b001000), "first");
	assert_string_equal(name_of(0xffffffff81001010), "-");
	s->symbolizer.opts.kallsyms = kallsyms;
	assert_null(symbolizer__searched_kernel(&s->symbolizer));
	s->symbolizer.opts.kallsyms = NULL;
	assert_ptr_equal(symbolizer__searched_kernel(&s->symbolizer), dso);
	s->symbolizer.opts.vmlinux = kallsyms;
	assert_null(symbolizer__searched_kernel(&s->symbolizer));
	session__delete(s);
	/* --kallsyms is not of a guest */
	open_recording_with_build_id(dir, "[kernel.kallsyms]_text");
	s->symbolizer.opts.kallsyms = kallsyms;
	guest = s->machine.dsos.v.v[s->machine.guest_kernel.text.dso];
	assert_null(symbolizer__find(&s->symbolizer, guest, 0xffffffff9b001010));
	assert_non_null(strstr(guest->load_reason, "guest"));
	session__delete(s);
	/* nobody knows by how much a kernel without a reference moved */
	open_recording_with_build_id(dir, "[kernel.kallsyms]");
	assert_null(symbolizer__searched_kernel(&s->symbolizer));
	assert_string_equal(name_of(0xffffffff9b001010), "-");
	assert_string_equal(name_of(0xffffffff81001010), "-");
	session__delete(s);
	remove_saved(dir);
}

/* What was loaded needs no file. */
static void loaded_names_need_no_file(void **state)
{
	char dir[] = "/tmp/perf-unit-buildid.XXXXXX";
	struct symbol_wants wants;
	struct dso *dso;

	(void)state;
	assert_non_null(mkdtemp(dir));
	save_kallsyms(dir);
	open_recording_with_build_id(dir, "[kernel.kallsyms]_text");
	dso = s->machine.dsos.v.v[s->machine.kernel.text.dso];
	wants = (struct symbol_wants){ .dsos = { .v = &dso, .nr = 1 } };
	symbolizer__load_all(&s->symbolizer, &wants, 1);
	remove_saved(dir);
	assert_string_equal(name_of(0xffffffff9b002000), "second");
	session__delete(s);
}

static void several_at_once(void **state)
{
	struct dso *dsos[3];
	struct symbol_wants wants = { .dsos = { .v = dsos } };

	(void)state;
	for (unsigned nr = 1; nr <= 5; nr++) {
		open_recording(0xffffffff9b000000, 0xffffffff9b000000, "[kernel.kallsyms]_text");
		for (u32 i = 0; i < ARRAY_SIZE(dsos); i++)
			dsos[i] = s->machine.dsos.v.v[i + 1];
		wants.dsos.nr = ARRAY_SIZE(dsos);
		symbolizer__load_all(&s->symbolizer, &wants, nr);
		for (u32 i = 0; i < ARRAY_SIZE(dsos); i++)
			assert_true(dsos[i]->loaded);
		assert_string_equal(name_of(0xffffffffc0000050), "mod_work");
		wants.dsos.nr = 0;
		symbolizer__load_all(&s->symbolizer, &wants, nr);
		session__delete(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moved_kernel),
		cmocka_unit_test(moved_kernel_by_the_other_reference),
		cmocka_unit_test(kernel_without_reference),
		cmocka_unit_test(code_behind_the_text),
		cmocka_unit_test(modules_where_they_lay),
		cmocka_unit_test(a_module_without_a_map_has_no_names),
		cmocka_unit_test(missing_kallsyms_says_why),
		cmocka_unit_test(saved_kallsyms_is_searched),
		cmocka_unit_test(loaded_names_need_no_file),
		cmocka_unit_test(several_at_once),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
