/* Source lines and inlined functions: of this very program, from several threads, from its debug file, from
 * broken copies. */
#include "unit.h"

#include "base/system/file.h"
#include "binary/dwarf/dwarf_lines.h"
#include "binary/dwarf/spans.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BOTH = DWARF_WANTS_LINE | DWARF_WANTS_INLINED };

/* ---- landmarks: code that knows where it is ---- */

#if defined(__x86_64__)
#define HERE(addr) __asm__ volatile("lea 0(%%rip), %0" : "=r"(addr))
#elif defined(__aarch64__)
#define HERE(addr) __asm__ volatile("adr %0, . + 4" : "=r"(addr))
#endif

#ifdef HERE
#define INLINED static inline __attribute__((always_inline))
static u32 line_of_here, line_of_inner, line_of_outer;

enum { DECL_OF_INNERMOST = __LINE__ + 1 };
INLINED u64 innermost(void)
{
	u64 addr;

	line_of_here = __LINE__ + 1;
	HERE(addr);
	return addr;
}

enum { DECL_OF_MIDDLE = __LINE__ + 1 };
INLINED u64 in_the_middle(u64 *where)
{
	line_of_inner = __LINE__ + 1;
	*where = innermost();
	return *where + 1;
}

enum { DECL_OF_LANDMARK = __LINE__ + 1 };
__attribute__((noinline)) static u64 landmark(u64 *where)
{
	*where = 0;
	line_of_outer = __LINE__ + 1;
	return in_the_middle(where);
}

static char self[4096];

/* The file offset of an address of this program. */
static u64 offset_of(u64 addr)
{
	struct strbuf maps = STRBUF_INIT;
	u64 found = 0;

	assert_int_equal(file__read("/proc/self/maps", &maps, 0), 0);
	for (char *line = strtok(maps.buf, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long start, end, pgoff;

		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &pgoff) == 3 && addr >= start && addr < end)
			found = addr - start + pgoff;
	}
	strbuf__exit(&maps);
	assert_int_not_equal(found, 0);
	return found;
}

static u64 landmark_offset(void)
{
	u64 where;

	landmark(&where);
	return offset_of(where - 1); /* inside of the instruction */
}

static struct dwarf_lines *open_or_skip(const char *path, const struct build_id *id, const char *symfs)
{
	struct dwarf_lines_opts opts = { .symfs = symfs };
	struct dwarf_lines *d = NULL;
	struct err err = ERR_INIT;
	int ret = dwarf_lines__open(&d, path, id, &opts, &err);

	if (ret == -ENODATA)
		skip(); /* built without -g */
	if (ret)
		fail_msg("%s", err.text.buf);
	err__exit(&err);
	return d;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static void check_landmark(struct dwarf_lines *d, u64 offset)
{
	struct source_line line;

	assert_true(dwarf_lines__find(d, offset, BOTH, &line));
	assert_string_equal(base_name(line.file), "test_dwarf_lines.c");
	assert_int_equal(line.line, line_of_here);
	assert_non_null(line.inlined);
	assert_string_equal(line.inlined->name, "innermost");
	assert_string_equal(base_name(line.inlined->call_file), "test_dwarf_lines.c");
	assert_int_equal(line.inlined->call_line, line_of_inner);
	assert_non_null(line.inlined->caller);
	assert_string_equal(line.inlined->caller->name, "in_the_middle");
	assert_int_equal(line.inlined->caller->call_line, line_of_outer);
	assert_null(line.inlined->caller->caller);
}

static void own_lines_and_inlined_functions_are_known(void **state)
{
	struct dwarf_lines *d = open_or_skip(self, NULL, "");
	struct source_line line;

	(void)state;
	check_landmark(d, landmark_offset());
	assert_false(dwarf_lines__find(d, 0, BOTH, &line));
	assert_false(dwarf_lines__find(d, 1, BOTH, &line));
	assert_false(dwarf_lines__find(d, UINT64_MAX, BOTH, &line));
	dwarf_lines__delete(d);
}

static void lines_of_declarations_are_known(void **state)
{
	struct dwarf_lines *d = open_or_skip(self, NULL, "");
	struct source_line line;
	u64 at = landmark_offset();

	(void)state;
	assert_true(dwarf_lines__find(d, at, BOTH, &line));
	assert_null(line.function);
	assert_true(dwarf_lines__find(d, at, DWARF_WANTS_DECL, &line));
	assert_null(line.inlined);
	assert_null(line.file);
	assert_string_equal(line.function->name, "landmark");
	assert_true(dwarf_lines__find(d, at, BOTH | DWARF_WANTS_DECL, &line));
	assert_string_equal(line.function->name, "landmark");
	assert_int_equal(line.function->decl_line, DECL_OF_LANDMARK);
	assert_null(line.function->caller);
	assert_int_equal(line.inlined->decl_line, DECL_OF_INNERMOST);
	assert_int_equal(line.inlined->caller->decl_line, DECL_OF_MIDDLE);
	check_landmark(d, at);
	dwarf_lines__delete(d);
}

/* The two halves are on one line. */
__attribute__((noinline)) static u64 halves_of_a_line(int odd)
{
	u64 at;

	/* clang-format off */
	if (odd) { HERE(at); } else { HERE(at); at++; }
	/* clang-format on */
	return at;
}

static u32 discriminator_at(struct dwarf_lines *d, u64 addr)
{
	struct source_line line;

	assert_true(dwarf_lines__find(d, offset_of(addr), BOTH | DWARF_WANTS_DECL, &line));
	assert_string_equal(line.function->name, "halves_of_a_line");
	return line.discriminator;
}

static void discriminators_tell_blocks_of_a_line_apart(void **state)
{
	struct dwarf_lines *d = open_or_skip(self, NULL, "");
	u32 odd, even;

	(void)state;
#ifdef __clang__
	skip(); /* it writes discriminators only with -fdebug-info-for-profiling */
#endif
	odd = discriminator_at(d, halves_of_a_line(1) - 1);
	even = discriminator_at(d, halves_of_a_line(0) - 2);
	assert_int_not_equal(odd, even);
	dwarf_lines__delete(d);
}

/* ---- threads ---- */

enum { NR_THREADS = 4, NR_ADDRS = 20000 };

struct looker {
	struct dwarf_lines *d;
	u64 start, step;
	bool rests;
	struct source_line lines[NR_ADDRS];
	pthread_t thread;
};

static void *look(void *arg)
{
	struct looker *l = arg;

	for (u64 i = 0; i < NR_ADDRS; i++) {
		if (l->rests && i % 500 == 0)
			dwarf_lines__rest(l->d, i % 1000);
		dwarf_lines__find(l->d, l->start + i * l->step, BOTH, &l->lines[i]);
	}
	return NULL;
}

static void assert_same(const struct source_line *a, const struct source_line *b)
{
	const struct inlined *x = a->inlined, *y = b->inlined;

	assert_int_equal(a->line, b->line);
	assert_string_equal(a->file ? a->file : "", b->file ? b->file : "");
	for (; x && y; x = x->caller, y = y->caller) {
		assert_string_equal(x->name, y->name);
		assert_int_equal(x->call_line, y->call_line);
	}
	assert_ptr_equal(x, y);
}

/* Also while one of them gives memory back. */
static void threads_see_what_one_sees(void **state)
{
	struct looker *l = calloc(NR_THREADS + 1, sizeof(*l));
	struct dwarf_lines *alone = open_or_skip(self, NULL, ""), *together = open_or_skip(self, NULL, "");
	u64 nr_inlined = 0;

	(void)state;
	for (int i = 0; i <= NR_THREADS; i++) {
		l[i].d = i == NR_THREADS ? alone : together;
		l[i].start = landmark_offset() & ~0xfffull;
		l[i].step = 7;
		l[i].rests = i == 1;
	}
	look(&l[NR_THREADS]);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&l[i].thread, NULL, look, &l[i]), 0);
	for (int i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(l[i].thread, NULL), 0);
	for (int i = 0; i < NR_THREADS; i++)
		for (u64 k = 0; k < NR_ADDRS; k++) {
			assert_same(&l[i].lines[k], &l[NR_THREADS].lines[k]);
			nr_inlined += l[i].lines[k].inlined != NULL;
		}
	assert_true(nr_inlined > 0);
	dwarf_lines__delete(alone);
	dwarf_lines__delete(together);
	free(l);
}

/* ---- debug files ---- */

static void run(const char *fmt, const char *a, const char *b)
{
	char *command;

	assert_true(asprintf(&command, fmt, a, b) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

static void a_separate_debug_file_is_used(void **state)
{
	char root[] = "/tmp/perf-unit-lines.XXXXXX", bin[64];
	struct build_id id, other;
	struct source_line line;
	struct dwarf_lines *d;
	struct err err = ERR_INIT;

	(void)state;
	if (system("command -v objcopy >/dev/null 2>&1") || build_id__of_file(self, &id)) {
		skip();
		return;
	}
	dwarf_lines__delete(open_or_skip(self, NULL, ""));
	assert_non_null(mkdtemp(root));
	snprintf(bin, sizeof(bin), "%s/prog", root);
	run("objcopy --only-keep-debug --compress-debug-sections '%s' '%s.debug'", self, bin);
	run("objcopy --strip-all '%s' '%s'", self, bin);
	assert_int_equal(dwarf_lines__open(&d, bin, &id, NULL, &err), -ENODATA);
	run("objcopy --add-gnu-debuglink='%s.debug' '%s'", bin, bin);
	d = open_or_skip("/prog", &id, root);
	check_landmark(d, landmark_offset());
	dwarf_lines__delete(d);
	d = open_or_skip("/prog", &id, root);
	assert_true(dwarf_lines__find(d, landmark_offset(), DWARF_WANTS_LINE, &line));
	dwarf_lines__rest(d, true); /* the compressed sections are unpacked again */
	check_landmark(d, landmark_offset());
	dwarf_lines__delete(d);

	other = id;
	other.data[0] ^= 1;
	assert_int_equal(dwarf_lines__open(&d, bin, &other, NULL, &err), -ESTALE);
	assert_non_null(strstr(err.text.buf, "another build"));
	run("rm -rf '%s'%s", root, "");
	assert_int_equal(dwarf_lines__open(&d, bin, &id, NULL, &err), -ENOENT);
	err__exit(&err);
}

/* ---- broken images ---- */

/* Whatever is in the image: no crash, no hang, no read outside of it (the sanitizers see those). */
static void try_image(const u8 *image, size_t size, u64 around)
{
	struct dwarf_lines *d;
	struct source_line line;
	u64 nr = 0;

	if (dwarf_lines__open_image(&d, image, size, NULL))
		return;
	for (u64 addr = around - 4000; addr < around + 4000; addr += 13) {
		if (!dwarf_lines__find(d, addr, BOTH, &line))
			continue;
		nr += line.file ? strlen(line.file) : 0;
		for (const struct inlined *i = line.inlined; i; i = i->caller)
			nr += strlen(i->name) + (i->call_file ? strlen(i->call_file) : 0);
	}
	assert_true(nr < 1ull << 40);
	dwarf_lines__delete(d);
}

/* Where a section is in the file: [from, to). False: there is none of that name. */
static bool find_section(const char *path, const char *name, size_t *from, size_t *to)
{
	char command[4300], text[256] = "";
	unsigned long at = 0, size = 0;
	FILE *f;

	snprintf(command, sizeof(command), "readelf -SW '%s' 2>/dev/null | sed -n 's/.* %s *[A-Z]* *//p'",
		 path, name);
	f = popen(command, "r");
	assert_non_null(f);
	if (fgets(text, sizeof(text), f))
		sscanf(text, "%*x %lx %lx", &at, &size);
	pclose(f);
	*from = at;
	*to = at + size;
	return size > 0;
}

static void try_damage(const struct strbuf *image, size_t from, size_t to, u64 around)
{
	static unsigned seed = 1;
	char *copy = malloc(image->len);

	for (int round = 0; round < 25; round++) {
		memcpy(copy, image->buf, image->len);
		for (int i = 0; i < 200; i++) {
			size_t at = from + (size_t)rand_r(&seed) % (to - from);

			copy[at] = rand_r(&seed) % 4 ? (char)(copy[at] ^ 1 << rand_r(&seed) % 8)
						     : (char)rand_r(&seed);
		}
		try_image((u8 *)copy, image->len, around);
	}
	for (int byte = 0; byte <= 0xff; byte += 0xff) {
		memset(copy + from, byte, to - from);
		try_image((u8 *)copy, image->len, around);
	}
	free(copy);
}

static void damage(const char *path, const char *const *sections, u64 around)
{
	struct strbuf image = STRBUF_INIT;
	size_t from, to;

	assert_int_equal(file__read(path, &image, 0), 0);
	try_image((u8 *)image.buf, image.len, around);
	for (size_t i = 1; i <= 20; i++)
		try_image((u8 *)image.buf, image.len * i / 21, around);
	for (; *sections; sections++)
		if (find_section(path, *sections, &from, &to) && to <= image.len)
			try_damage(&image, from, to, around);
	strbuf__exit(&image);
}

static void broken_images_are_survived(void **state)
{
	static const char *const sections[] = { "\\.debug_info",
						"\\.debug_abbrev",
						"\\.debug_line",
						"\\.debug_ranges",
						"\\.debug_rnglists",
						"\\.debug_aranges",
						NULL };

	(void)state;
	damage(self, sections, landmark_offset());
}

/* What is damaged is how they are packed. */
static void broken_packed_images_are_survived(void **state)
{
	static const char *const sections[] = { "\\.z*debug_info", "\\.z*debug_str", NULL };
	static const char *const ways[] = { "zlib", "zlib-gnu" };
	char path[] = "/tmp/perf-unit-packed.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		char command[4300];

		snprintf(command, sizeof(command), "objcopy --compress-debug-sections=%s '%s' %s 2>/dev/null",
			 ways[i], self, path);
		if (!system(command))
			damage(path, sections, landmark_offset());
	}
	unlink(path);
}

/* Which libdw gives up at a section without a name, so that it never asks libelf for those behind. */
static void packed_images_of_nameless_sections_are_closed(void **state)
{
	char path[] = "/tmp/perf-unit-packed.XXXXXX", command[4300];
	int fd = mkstemp(path);
	struct dwarf_lines *d;
	Elf64_Shdr *section;
	Elf64_Ehdr *ehdr;
	struct stat st;
	u8 *image;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "objcopy --compress-debug-sections=zlib '%s' %s 2>/dev/null", self,
		 path);
	if (system(command)) {
		unlink(path);
		skip();
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	image = xmalloc((size_t)st.st_size);
	assert_int_equal(read(fd, image, (size_t)st.st_size), st.st_size);
	ehdr = (Elf64_Ehdr *)(void *)image;
	section = (Elf64_Shdr *)(void *)(image + ehdr->e_shoff);
	section[1].sh_name = INT32_MAX;
	if (!dwarf_lines__open_image(&d, image, (size_t)st.st_size, NULL))
		dwarf_lines__delete(d);
	free(image);
	close(fd);
	unlink(path);
}
#endif

/* ---- spans ---- */

static void add(struct spans *s, u64 low, u64 high, u32 group, u32 id)
{
	array__add(&s->v, ((struct span){ low, high, group, id }));
}

static void the_span_that_starts_last_is_found(void **state)
{
	struct spans s = { 0 };

	(void)state;
	assert_int_equal(spans__find(&s, 0, 5), UINT32_MAX);
	add(&s, 100, 200, 0, 1);
	add(&s, 120, 130, 0, 2);
	add(&s, 300, 310, 0, 4);
	add(&s, 300, 310, 0, 3);
	add(&s, 0, UINT64_MAX, 1, 7);
	spans__sort(&s);
	assert_int_equal(spans__find(&s, 0, 99), UINT32_MAX);
	assert_int_equal(spans__find(&s, 0, 100), 1);
	assert_int_equal(spans__find(&s, 0, 125), 2);
	assert_int_equal(spans__find(&s, 0, 130), 1);
	assert_int_equal(spans__find(&s, 0, 200), UINT32_MAX);
	assert_int_equal(spans__find(&s, 0, 309), 3); /* of two of the same start the first one */
	assert_int_equal(spans__find(&s, 0, 310), UINT32_MAX);
	assert_int_equal(spans__find(&s, 1, 125), 7);
	assert_int_equal(spans__find(&s, 2, 125), UINT32_MAX);
	spans__exit(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#ifdef HERE
		cmocka_unit_test(own_lines_and_inlined_functions_are_known),
		cmocka_unit_test(lines_of_declarations_are_known),
		cmocka_unit_test(discriminators_tell_blocks_of_a_line_apart),
		cmocka_unit_test(threads_see_what_one_sees),
		cmocka_unit_test(a_separate_debug_file_is_used),
		cmocka_unit_test(broken_images_are_survived),
		cmocka_unit_test(broken_packed_images_are_survived),
		cmocka_unit_test(packed_images_of_nameless_sections_are_closed),
#endif
		cmocka_unit_test(the_span_that_starts_last_is_found),
	};

#ifdef HERE
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return 1;
#endif
	return cmocka_run_group_tests(tests, NULL, NULL);
}
