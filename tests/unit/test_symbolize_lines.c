/*
 * Where lines of the kernel, its modules and the vdso are looked for: an image or debug file of the recorded
 * build, at the addresses where the recorded one was.
 */
#include "unit.h"

#include "image.h"
#include "model/session.h"

#include <stdlib.h>

enum { MOVED = 0x1f000000, VDSO_START = 0x7fff0000 };
#define LINKED 0xffffffff81000000ull
#define MODULE_START 0xffffffffc0000000ull

static const char make_files[] =
	"cd %s && mkdir -p boot lib/modules/6/vdso usr/lib/debug/lib/modules/6 && printf '\\n\\nint work(int "
	"x)\\n{\\n\\treturn x * 3;\\n}\\n' >m.c && %s -O2 -g -fno-pic -fno-asynchronous-unwind-tables -c m.c "
	"&& ld -o usr/lib/debug/vmlinux -Ttext 0xffffffff81000000 -e work --build-id m.o && ld -r -o "
	"usr/lib/debug/lib/modules/6/m.ko --build-id m.o && %s -O2 -g -fPIC -shared -nostdlib -Wl,--build-id "
	"-o lib/modules/6/vdso/vdso64.so m.c && mv usr/lib/debug/vmlinux boot/vmlinux-6";

static char root[] = "/tmp/perf-unit-symbolize-lines.XXXXXX";
static bool has_files;
static struct session *s;

static void add_map(struct image *im, u16 mode, u64 start, u64 pgoff, const char *name)
{
	image__begin(im, PERF_RECORD_MMAP, mode);
	image__u32(im, mode == PERF_RECORD_MISC_KERNEL ? UINT32_MAX : 1);
	image__u32(im, 1);
	image__u64(im, start);
	image__u64(im, 0x10000);
	image__u64(im, pgoff);
	image__str(im, name, ROUND_UP(strlen(name) + 1, 8));
	image__end(im);
}

static void open_recording(void)
{
	struct session_opts opts = { .symbols = { .symfs = root } };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	struct image im;
	char path[64];
	int fd;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	add_map(&im, PERF_RECORD_MISC_KERNEL, LINKED + MOVED, LINKED + MOVED, "[kernel.kallsyms]work");
	add_map(&im, PERF_RECORD_MISC_KERNEL, MODULE_START, 0, "/lib/modules/6/m.ko.xz");
	add_map(&im, PERF_RECORD_MISC_KERNEL, MODULE_START + 0x100000, 0, "/lib/modules/6/m.ko");
	add_map(&im, PERF_RECORD_MISC_KERNEL, MODULE_START + 0x200000, 0, "/lib/modules/6/m.ko.zst");
	add_map(&im, PERF_RECORD_MISC_KERNEL, MODULE_START + 0x300000, 0, "/lib/modules/6/m.ko.gz");
	add_map(&im, PERF_RECORD_MISC_USER, VDSO_START, 0, "[vdso]");
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	s->symbolizer.osrelease = strdup("6");
	close(fd);
	image__exit(&im);
}

/* The recorded build is that of this file; wrong: of another one. */
static void set_build(const char *dso, const char *file, bool wrong)
{
	struct build_id id;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, file);
	assert_int_equal(build_id__of_file(path, &id), 0);
	id.data[0] ^= wrong;
	dsos__set_build_id(&s->machine.dsos, dso, &id);
}

static u32 line_at(u64 addr)
{
	struct source_line line;
	struct dwarf_lines *lines;
	struct dso_addr at;

	assert_non_null(machine__resolve(&s->machine, NULL, UINT32_MAX, PERF_RECORD_MISC_KERNEL, addr, &at));
	lines = symbolizer__lines(&s->symbolizer, s->machine.dsos.v.v[at.dso]);
	return lines && dwarf_lines__find(lines, at.addr, DWARF_WANTS_LINE, &line) ? line.line : 0;
}

/* Expect one of the four lines of the function (on arm64 it begins with the last one), or with wrong none. */
static void check_line(u32 line, bool wrong)
{
	assert_in_range(line, wrong ? 0 : 3, wrong ? 0 : 6);
}

static void check_kernel(bool wrong)
{
	open_recording();
	set_build("[kernel.kallsyms]", "boot/vmlinux-6", wrong);
	check_line(line_at(LINKED + MOVED), wrong);
	session__delete(s);
}

static void check_module(bool wrong)
{
	open_recording();
	set_build("/lib/modules/6/m.ko.xz", "usr/lib/debug/lib/modules/6/m.ko", wrong);
	check_line(line_at(MODULE_START), wrong);
	session__delete(s);
	open_recording();
	set_build("/lib/modules/6/m.ko.gz", "usr/lib/debug/lib/modules/6/m.ko", wrong);
	check_line(line_at(MODULE_START + 0x300000), wrong);
	session__delete(s);
	open_recording();
	set_build("/lib/modules/6/m.ko.zst", "usr/lib/debug/lib/modules/6/m.ko", wrong);
	check_line(line_at(MODULE_START + 0x200000), wrong);
	session__delete(s);
}

/* Names are there, too: of the kernel where it was, of a module that is not there itself. */
static void check_names(const char *name, const char *file, u64 addr, bool wrong)
{
	const struct symbol *sym;
	struct dso_addr at;
	struct dso *dso;

	open_recording();
	set_build(name, file, wrong);
	assert_non_null(machine__resolve(&s->machine, NULL, UINT32_MAX, PERF_RECORD_MISC_KERNEL, addr, &at));
	dso = s->machine.dsos.v.v[at.dso];
	sym = symbolizer__find(&s->symbolizer, dso, at.addr);
	assert_true(!sym == wrong);
	if (sym)
		assert_string_equal(symtab__name(&dso->symtab, sym), "work");
	session__delete(s);
}

static void check_vdso(bool wrong)
{
	struct dwarf_lines *lines;
	struct source_line line = { 0 };
	struct dso *dso;

	open_recording();
	set_build("[vdso]", "lib/modules/6/vdso/vdso64.so", wrong);
	dso = dsos__find_add(&s->machine.dsos, "[vdso]", DSO_VDSO, NULL);
	lines = symbolizer__lines(&s->symbolizer, dso);
	assert_true(!lines == wrong);
	for (u64 addr = 0; lines && addr < 0x2000 && !line.line; addr++)
		dwarf_lines__find(lines, addr, DWARF_WANTS_LINE, &line);
	check_line(line.line, wrong);
	session__delete(s);
}

/* Where else lines of the recorded build are looked for, and where not. */
static void other_places_of_lines(void **state)
{
	static const char *const names[] = { "[kernel.kallsyms]", "[guest.kernel.kallsyms]" };
	char vmlinux[256];
	struct dso *dso;

	(void)state;
	if (!has_files)
		skip();
	snprintf(vmlinux, sizeof(vmlinux), "%s/boot/vmlinux-6", root);
	/* of a guest nothing */
	open_recording();
	for (int i = 0; i < 2; i++) {
		dso = dsos__find_add(&s->machine.dsos, names[i], DSO_KERNEL, NULL);
		dso->is_guest = i;
		assert_int_equal(build_id__of_file(vmlinux, &dso->build_id), 0);
		assert_true((symbolizer__lines(&s->symbolizer, dso) != NULL) == !i);
		assert_ptr_equal(symbolizer__lines(&s->symbolizer, dso), dso->lines);
		assert_true(dso->lines_loaded);
	}
	session__delete(s);
	/* --vmlinux alone counts; without any, the kernel has no lines */
	for (int i = 0; i < 3; i++) {
		open_recording();
		set_build("[kernel.kallsyms]", "boot/vmlinux-6", false);
		s->symbolizer.opts.vmlinux = i == 2 ? NULL : i ? "/nowhere/vmlinux" : vmlinux;
		s->symbolizer.opts.ignore_vmlinux = i == 2;
		check_line(line_at(LINKED + MOVED), i > 0);
		session__delete(s);
	}
	/* the name of the release is no path */
	for (int i = 0; i < 2; i++) {
		open_recording();
		free(s->symbolizer.osrelease);
		s->symbolizer.osrelease = i ? strdup("6/../6") : NULL;
		set_build("[vdso]", "lib/modules/6/vdso/vdso64.so", false);
		dso = dsos__find_add(&s->machine.dsos, "[vdso]", DSO_VDSO, NULL);
		assert_null(symbolizer__lines(&s->symbolizer, dso));
		session__delete(s);
	}
	/* without a build-id nothing is known to be the right file */
	open_recording();
	check_line(line_at(MODULE_START), true);
	session__delete(s);
}

static void the_recorded_build_has_lines(void **state)
{
	(void)state;
	if (!has_files)
		skip();
	check_kernel(false);
	check_module(false);
	check_names("[kernel.kallsyms]", "boot/vmlinux-6", LINKED + MOVED, false);
	check_names("/lib/modules/6/m.ko", "usr/lib/debug/lib/modules/6/m.ko", MODULE_START + 0x100000,
		    false);
	check_vdso(false);
}

/* Lines that will be looked up are there, of all binaries; without the wish for lines none. */
static void lines_are_loaded_ahead(void **state)
{
	struct dso_place places[2];
	struct symbol_wants wants = { .places = { .v = places, .nr = 2 } };

	(void)state;
	for (unsigned lines = 0; lines < 2; lines++) {
		open_recording();
		places[0] = (struct dso_place){
			dsos__find_add(&s->machine.dsos, "/lib/modules/6/m.ko", DSO_MODULE, NULL), 0
		};
		places[1] =
			(struct dso_place){ dsos__find_add(&s->machine.dsos, "[vdso]", DSO_VDSO, NULL), 0 };
		wants.lines = lines ? DWARF_WANTS_LINE : 0;
		symbolizer__load_all(&s->symbolizer, &wants, 1);
		for (int i = 0; i < 2; i++)
			assert_int_equal(places[i].dso->lines_loaded, lines);
		session__delete(s);
	}
}

static void another_build_has_none(void **state)
{
	(void)state;
	if (!has_files)
		skip();
	check_kernel(true);
	check_module(true);
	check_names("[kernel.kallsyms]", "boot/vmlinux-6", LINKED + MOVED, true);
	check_names("/lib/modules/6/m.ko", "usr/lib/debug/lib/modules/6/m.ko", MODULE_START + 0x100000, true);
	check_vdso(true);
}

static int setup(void **state)
{
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	char command[1024];

	(void)state;
	if (!mkdtemp(root))
		return -1;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(command, sizeof(command), make_files, root, cc, cc);
#pragma GCC diagnostic pop
	has_files = !system(command);
	return 0;
}

static int teardown(void **state)
{
	char command[80];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_recorded_build_has_lines),
		cmocka_unit_test(lines_are_loaded_ahead),
		cmocka_unit_test(another_build_has_none),
		cmocka_unit_test(other_places_of_lines),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
