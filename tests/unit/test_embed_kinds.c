/*
 * What is stored of each kind of code: functions of this very program and their instructions, functions of a
 * jitdump with their loads; not BPF programs. The same is stored however the recording is cut into slices.
 */
#include "unit.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "format/read/features.h"
#include "format/records/build.h"
#include "format/write/writer.h"
#include "profile/embed/embed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BPF_START 0xffffffffc0000000ull

enum { PID = 4242, JIT_HEAD = 40, JIT_START = 0x7e000000, JIT_SIZE = 32 };

static char path[] = "/tmp/perf-embed-kinds.XXXXXX", other_path[] = "/tmp/perf-embed-kinds.XXXXXX";
static char dump_dir[] = "/tmp/perf-embed-kinds.XXXXXX", dump_path[64], exe[256];
static struct strbuf records;
static struct evlist list;
static u64 own_code_start; /* of the map that add_own_map() added last */

static void hot_function(void **state);
static void seldom_function(void **state);

static int setup(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_id_all = 1,
					.mmap2 = 1,
					.use_clockid = 1,
					.clockid = CLOCK_MONOTONIC,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CALLCHAIN };
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fds[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		char *name = i ? other_path : path;

		strcpy(name + strlen(name) - 6, "XXXXXX");
		fds[i] = mkstemp(name);
		if (fds[i] < 0 || close(fds[i]))
			return -1;
	}
	evlist__init(&list);
	evlist__add_id(&list, evlist__add(&list, &attr, sizeof(attr), "cpu-clock"), 7);
	strbuf__init(&records);
	dump_path[0] = '\0';
	strcpy(dump_dir + strlen(dump_dir) - 6, "XXXXXX");
	return n <= 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	unlink(other_path);
	if (dump_path[0]) {
		unlink(dump_path);
		rmdir(dump_dir);
	}
	evlist__exit(&list);
	strbuf__exit(&records);
	return 0;
}

/* ---- the recording ---- */

static void stamp(size_t start, u32 pid, u64 time)
{
	const struct sample_id id = { .pid = pid, .tid = pid, .time = time };
	struct perf_event_header *h;

	build__trailer(&records, list.evsels.v[0], &id);
	h = (void *)(records.buf + start);
	h->size = (u16)(records.len - start);
}

static void add_map(u32 pid, u64 start, u64 len, u64 pgoff, const char *name, u64 time)
{
	const struct mmap_record m = { .pid = pid,
				       .tid = pid,
				       .start = start,
				       .len = len,
				       .pgoff = pgoff,
				       .filename = name,
				       .prot = 5,
				       .flags = 2 };
	size_t at = records.len;

	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, 0);
	stamp(at, pid, time);
}

/* The map of this program that has the function. */
static void add_own_map(u32 pid, u64 time)
{
	FILE *f = fopen("/proc/self/maps", "r");
	u64 addr = (u64)(uintptr_t)hot_function;
	unsigned long long start, end, pgoff;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &pgoff) == 3 && start <= addr &&
		    addr < end) {
			own_code_start = start;
			add_map(pid, start, end - start, pgoff, exe, time);
		}
	fclose(f);
}

static void add_sample(u32 pid, u64 ip, u64 caller, u64 time)
{
	const bool is_kernel = ip >> 63;
	const u64 words[] = { ip, (u64)pid << 32 | pid, time, 3, PERF_CONTEXT_USER, ip, caller };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
				       .size = sizeof(h) + sizeof(words) };

	strbuf__add(&records, &h, sizeof(h));
	strbuf__add(&records, words, sizeof(words));
	if (is_kernel)
		memcpy(records.buf + records.len - 24, (const u64[]){ PERF_CONTEXT_KERNEL }, 8);
}

static u64 in(void (*f)(void **))
{
	return (u64)(uintptr_t)f + 1;
}

static void write_recording(const char *to)
{
	struct writer *w;

	assert_int_equal(writer__open(&w, to, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	assert_int_equal(writer__write(w, records.buf, records.len), 0);
	writer__feature(w, FEATURE_SAMPLE_TIME, "", 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
}

static struct embed_result store(const struct embed_opts *opts)
{
	struct embed_result stored;

	assert_int_equal(embed__store(path, opts, &stored, NULL), 0);
	return stored;
}

/* ---- what is stored ---- */

/* A line for each function, "NAME hits", in the order of the section; loads of a binary before them. */
static void show_stored(const char *from, struct strbuf *out)
{
	struct strbuf section = STRBUF_INIT;
	struct names_section n;
	struct reader *r;

	strbuf__reset(out);
	assert_int_equal(reader__open(&r, from, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_NAMES, &section), 0);
	assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
	for (size_t i = 0; i < n.entries.nr; i++) {
		const struct names_entry *e = &n.entries.v[i];
		struct symtab t;

		symtab__init(&t);
		names_entry__add_symbols(&n, e, &t);
		for (u32 k = 0; k < e->nr_loads; k++) {
			struct names_load l = names_entry__load(&n, e, k);

			strbuf__addf(out, "load %llu %llx+%llx @%llu\n", (unsigned long long)l.time,
				     (unsigned long long)l.addr, (unsigned long long)l.size,
				     (unsigned long long)l.offset);
		}
		for (size_t k = 0; k < t.syms.nr; k++)
			strbuf__addf(out, "%s of %u\n", symtab__name(&t, &t.syms.v[k]), e->id.pid);
		symtab__exit(&t);
	}
	names_section__exit(&n);
	strbuf__exit(&section);
	reader__close(r);
}

/* Bytes of the chunk; 0: there is none. */
static size_t chunk_size(const char *from, enum extension_kind kind)
{
	struct strbuf section = STRBUF_INIT;
	struct reader *r;
	size_t size;
	int ret;

	assert_int_equal(reader__open(&r, from, NULL), 0);
	ret = reader__extension(r, kind, &section);
	assert_true(!ret || ret == -ENOENT);
	size = section.len;
	strbuf__exit(&section);
	reader__close(r);
	return size;
}

static void add_own_samples(u32 pid, u64 time)
{
	add_own_map(pid, time);
	for (u64 i = 1; i < 4; i++)
		add_sample(pid, in(hot_function), in(seldom_function), time + i);
	add_sample(pid, in(seldom_function), in(seldom_function), time + 5);
}

/* The instructions of functions with samples of their own are in the recording, unless there is no room. */
static void hot_function(void **state)
{
	struct embed_opts opts = { 0 };
	struct code_section c;
	struct strbuf section = STRBUF_INIT;
	struct embed_result stored;
	struct reader *r;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	assert_int_equal(stored.names.nr_dsos, 1);
	assert_int_equal(stored.names.nr_left_out, 0);
	assert_int_equal(stored.names.size, chunk_size(path, EXTENSION_NAMES));
	assert_int_equal(stored.code.nr_functions, 2);
	assert_int_equal(stored.code.nr_unread, 0);
	assert_int_equal(stored.code.size, chunk_size(path, EXTENSION_CODE));
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_CODE, &section), 0);
	assert_int_equal(code_section__read(&c, section.buf, section.len, false, NULL), 0);
	assert_int_equal(c.entries.nr, 1);
	assert_int_equal(c.entries.v[0].functions.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct stored_function *f = &c.entries.v[0].functions.v[i];
		const void *own[] = { (const void *)(uintptr_t)hot_function,
				      (const void *)(uintptr_t)seldom_function };

		assert_true(!memcmp(f->code, own[0], f->size) || !memcmp(f->code, own[1], f->size));
	}
	code_section__exit(&c);
	strbuf__exit(&section);
	reader__close(r);
	opts.code_budget = 1;
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	assert_int_equal(stored.code.nr_functions, 0);
	assert_int_equal(chunk_size(path, EXTENSION_CODE), 0);
	opts.budget = 1;
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 0);
	assert_int_equal(chunk_size(path, EXTENSION_NAMES), 0);
}

/*
 * Of a function's samples, those below it count for whether its name is stored, and only its own for its
 * code.
 */
static void seldom_function(void **state)
{
	struct embed_opts opts = { .code_budget = 0 };
	struct embed_result stored;

	(void)state;
	add_own_map(PID, 1);
	for (u64 i = 1; i < 4; i++)
		add_sample(PID, in(hot_function), in(seldom_function), 1 + i);
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	assert_int_equal(stored.code.nr_functions, 1);
}

/* ---- code that was made at run time ---- */

static void add32(struct strbuf *out, u32 x)
{
	strbuf__add(out, &x, sizeof(x));
}

/*
 * A jitdump of functions of JIT_SIZE bytes, the next one step bytes behind the one before: at times 200, 300
 * and so on.
 */
static void write_dump(const char *const *names, u64 step)
{
	struct strbuf dump = STRBUF_INIT;
	int fd;

	assert_non_null(mkdtemp(dump_dir));
	snprintf(dump_path, sizeof(dump_path), "%s/jit-%d.dump", dump_dir, PID);
	add32(&dump, 0x4A695444);
	add32(&dump, 1);
	add32(&dump, JIT_HEAD);
	add32(&dump, 62);
	add32(&dump, 0);
	add32(&dump, PID);
	strbuf__add_u64(&dump, 1);
	strbuf__add_u64(&dump, 0);
	for (u64 i = 0; names[i]; i++) {
		add32(&dump, 0);
		add32(&dump, (u32)(56 + strlen(names[i]) + 1 + JIT_SIZE));
		strbuf__add_u64(&dump, 200 + 100 * i);
		add32(&dump, PID);
		add32(&dump, PID);
		strbuf__add_u64(&dump, JIT_START + step * i);
		strbuf__add_u64(&dump, JIT_START + step * i);
		strbuf__add_u64(&dump, JIT_SIZE);
		strbuf__add_u64(&dump, i);
		strbuf__add(&dump, names[i], strlen(names[i]) + 1);
		strbuf__addchars(&dump, '\x90', JIT_SIZE);
	}
	fd = open(dump_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(file__write_all(fd, dump.buf, dump.len), 0);
	close(fd);
	strbuf__exit(&dump);
}

/* Loads of functions with samples are stored, with their time; others are not. */
static void functions_of_jitdumps_have_loads(void **state)
{
	static const char *const names[] = { "z_first", "unused", "a_third", NULL };
	struct strbuf text = STRBUF_INIT;
	struct stat st;

	(void)state;
	write_dump(names, 0);
	assert_int_equal(stat(dump_path, &st), 0);
	add_map(PID, 0x7d000000, 0x1000, 0, dump_path, 100);
	add_sample(PID, JIT_START + 4, JIT_START + 4, 250);
	add_sample(PID, JIT_START + 4, JIT_START + 4, 450);
	write_recording(path);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &text);
	assert_string_equal(text.buf, "load 200 7e000000+20 @104\n"
				      "load 400 7e000000+20 @295\n"
				      "z_first of 4242\n"
				      "a_third of 4242\n");
	strbuf__exit(&text);
}

/* Whatever was sampled first, and wherever its map is among those of the process. */
static void loads_are_found_in_any_order(void **state)
{
	static const char *const names[] = { "low", "middle", "high", NULL };
	struct strbuf text = STRBUF_INIT;

	(void)state;
	write_dump(names, 0x100);
	add_map(PID, JIT_START + 0x100000, 0x1000, 0, dump_path, 100); /* the functions are the lowest maps */
	add_sample(PID, JIT_START + 0x204, JIT_START + 0x204, 900);
	add_sample(PID, JIT_START + 0x104, JIT_START + 0x104, 901);
	add_sample(PID, JIT_START + 4, JIT_START + 4, 902);
	write_recording(path);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &text);
	for (u64 i = 0; i < 3; i++) {
		char load[64];

		snprintf(load, sizeof(load), "load %u %x+20 @", (u32)(200 + 100 * i),
			 (u32)(JIT_START + 0x100 * i));
		assert_non_null(strstr(text.buf, load));
		assert_non_null(strstr(text.buf, names[i]));
	}
	strbuf__exit(&text);
}

/* A jitdump in which nothing was sampled is not stored, and other binaries have no loads. */
static void only_jitdumps_with_samples_have_loads(void **state)
{
	static const char *const names[] = { "first", "second", NULL };
	struct strbuf text = STRBUF_INIT;
	struct embed_result stored;

	(void)state;
	write_dump(names, 0x100);
	add_map(PID, JIT_START + 0x100000, 0x1000, 0, dump_path, 100);
	add_own_samples(PID, 300);
	add_sample(PID, own_code_start, own_code_start,
		   310); /* mostly _init, where the map of the file begins */
	write_recording(path);
	stored = store(&(struct embed_opts){ 0 });
	assert_int_equal(stored.names.nr_dsos, 1);
	show_stored(path, &text);
	assert_null(strstr(text.buf, "load"));
	assert_non_null(strstr(text.buf, "hot_function"));
	strbuf__exit(&text);
}

/* The records have the names of BPF programs. */
static void names_of_bpf_programs_are_not_stored(void **state)
{
	size_t at = records.len;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	build__ksymbol(&records, BPF_START, 0x100, "bpf_prog_x", 0);
	stamp(at, 0, 1);
	add_own_samples(PID, 100);
	add_sample(PID, BPF_START + 4, in(hot_function), 200);
	write_recording(path);
	assert_int_equal(store(&(struct embed_opts){ 0 }).names.nr_symbols, 2);
	show_stored(path, &text);
	assert_null(strstr(text.buf, "bpf"));
	strbuf__exit(&text);
}

/* ---- names from an earlier recording ---- */

enum { LIB_START = 0x50000000 };

/* What that says of a binary and its names goes on into the new one: which are made up, which are missing. */
static void marks_of_names_are_kept(void **state)
{
	struct names_symbol symbols[] = {
		{ .start = 0x100, .size = 0x100, .name = "real", .hits = 9 },
		{ .start = 0x200, .size = 0x100, .name = "lib.so@0x200", .hits = 5, .is_made_up = true }
	};
	struct names_dso d = { .id.name = "/nowhere/lib.so",
			       .flags = NAMES_EXPORTED_ONLY,
			       .symbols = { .v = symbols, .nr = 2 } };
	struct strbuf section = STRBUF_INIT;
	struct names_section n;
	struct reader *stored, *r;
	bool seen[2] = { false };

	(void)state;
	add_own_samples(PID, 100);
	add_map(PID, LIB_START, 0x1000, 0, "/nowhere/lib.so", 100);
	add_sample(PID, LIB_START + 0x110, in(hot_function), 110);
	add_sample(PID, LIB_START + 0x210, in(hot_function), 111);
	write_recording(other_path);
	names_section__write(&section, &d, 1, 1 << 20);
	assert_int_equal(extension__append(other_path, -1, EXTENSION_NAMES, section.buf, section.len, NULL),
			 0);
	assert_int_equal(reader__open(&stored, other_path, NULL), 0);
	write_recording(path);
	store(&(struct embed_opts){ .stored = stored });
	reader__close(stored);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_NAMES, &section), 0);
	assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
	assert_int_equal(n.entries.nr, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct names_entry *e = &n.entries.v[i];
		bool is_lib = !strcmp(e->id.name, "/nowhere/lib.so");

		seen[is_lib] = true;
		assert_int_equal(e->nr_symbols, 2);
		assert_int_equal(e->nr_made_up, is_lib ? 1 : 0);
		assert_int_equal(e->flags, 0);
	}
	assert_true(seen[0] && seen[1]);
	names_section__exit(&n);
	strbuf__exit(&section);
	reader__close(r);
}

/* A binary without names and lines is not stored. */
static void what_has_no_names_is_left_out(void **state)
{
	(void)state;
	add_own_samples(PID, 100);
	add_map(PID, LIB_START, 0x1000, 0, "/nowhere/lib.so", 100);
	add_sample(PID, LIB_START + 0x110, LIB_START + 0x210, 110);
	write_recording(path);
	assert_int_equal(store(&(struct embed_opts){ 0 }).names.nr_dsos, 1);
}

/* ---- lines ---- */

/* The address in the file of this program. */
static u64 file_address(u64 addr)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, pgoff;
	u64 found = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &pgoff) == 3 && start <= addr &&
		    addr < end)
			found = addr - start + pgoff;
	fclose(f);
	return found;
}

/* Another recording of this program that stores lines of two addresses. */
static struct reader *open_with_lines(void)
{
	struct names_address addresses[] = { { file_address(in(hot_function)), 0, 2 },
					     { file_address(in(seldom_function)) - 1, 2, 1 } };
	struct names_frame frames[] = { { "inlined", "small.h", 3 },
					{ NULL, "hot.c", 7 },
					{ NULL, "seldom.c", 9 } };
	struct names_symbol symbol = { .start = 1, .size = 1, .name = "unused", .hits = 1 };
	struct names_dso d = { .id.name = exe,
			       .symbols = { .v = &symbol, .nr = 1 },
			       .lines = { { .v = addresses, .nr = 2 }, { .v = frames, .nr = 3 } } };
	struct strbuf section = STRBUF_INIT;
	struct reader *r;

	write_recording(other_path);
	names_section__write(&section, &d, 1, 1 << 20);
	assert_int_equal(extension__append(other_path, -1, EXTENSION_NAMES, section.buf, section.len, NULL),
			 0);
	assert_int_equal(reader__open(&r, other_path, NULL), 0);
	strbuf__exit(&section);
	return r;
}

/* Lines of what was sampled, and of calls, are stored; here they come from an earlier recording. */
static void lines_of_sampled_addresses_are_stored(void **state)
{
	struct strbuf section = STRBUF_INIT, text = STRBUF_INIT;
	struct reader *stored, *r;
	struct names_section n;

	(void)state;
	add_own_samples(PID, 100);
	stored = open_with_lines();
	for (u64 cut_from = 0; cut_from < 2; cut_from++) {
		write_recording(path);
		store(&(struct embed_opts){ .stored = stored, .cut_from = cut_from });
		strbuf__reset(&text);
		assert_int_equal(reader__open(&r, path, NULL), 0);
		assert_int_equal(reader__extension(r, EXTENSION_NAMES, &section), 0);
		assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
		assert_int_equal(n.entries.nr, 1);
		for (int i = 0; i < 2; i++) {
			u64 addr = i ? file_address(in(seldom_function)) - 1 : file_address(in(hot_function));
			struct names_address a;

			assert_true(names_lines__find(&n.entries.v[0].lines, addr, &a));
			for (u32 k = a.first; k < a.first + a.nr; k++)
				strbuf__addf(&text, "%s:%u ",
					     names_lines__frame(&n.entries.v[0].lines, k).file,
					     names_lines__frame(&n.entries.v[0].lines, k).line);
		}
		assert_string_equal(text.buf, "small.h:3 hot.c:7 seldom.c:9 ");
		names_section__exit(&n);
		reader__close(r);
	}
	reader__close(stored);
	strbuf__exit(&section);
	strbuf__exit(&text);
}

/* ---- slices and files ---- */

/* Many short processes, each with a map and samples, in rounds. */
static void add_processes(u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		u32 pid = PID + i;
		u64 time = 1000 * (i + 1);
		size_t at = records.len;

		build__fork(&records, 0, pid, 1, pid, 1, 0);
		stamp(at, pid, time);
		add_own_map(pid, time + 1);
		add_sample(pid, i % 3 ? in(hot_function) : in(seldom_function), in(hot_function), time + 2);
		at = records.len;
		build__fork(&records, 0, pid, 1, pid, 1, 0);
		((struct perf_event_header *)(void *)(records.buf + at))->type = PERF_RECORD_EXIT;
		stamp(at, pid, time + 3);
		build__finished_round(&records);
	}
}

static void slices_store_what_the_whole_has(void **state)
{
	struct strbuf whole = STRBUF_INIT, text = STRBUF_INIT;
	struct embed_result all, cut;

	(void)state;
	add_own_map(PID - 1, 1); /* runs all the time */
	add_processes(60);
	add_sample(PID - 1, in(slices_store_what_the_whole_has), in(hot_function), 100000);
	write_recording(path);
	all = store(&(struct embed_opts){ 0 });
	show_stored(path, &whole);
	assert_int_equal(all.names.nr_symbols, 3);
	assert_int_equal(all.code.nr_functions, 3);
	for (u64 from = 1; from < 200; from = from * 3 + 1) {
		write_recording(path);
		cut = store(&(struct embed_opts){ .cut_from = from });
		assert_int_equal(cut.names.nr_symbols, 3);
		assert_int_equal(cut.code.nr_functions, 3);
		assert_int_equal(cut.code.code_bytes, all.code.code_bytes);
		show_stored(path, &text);
		assert_string_equal(text.buf, whole.buf);
	}
	strbuf__exit(&whole);
	strbuf__exit(&text);
}

/* Processes that go on make slices wider, and nothing between them is lost. */
static void what_still_runs_widens_slices(void **state)
{
	void (*const functions[])(void **) = { hot_function,
					       seldom_function,
					       names_of_bpf_programs_are_not_stored,
					       functions_of_jitdumps_have_loads,
					       loads_are_found_in_any_order,
					       only_jitdumps_with_samples_have_loads,
					       marks_of_names_are_kept,
					       slices_store_what_the_whole_has };
	struct strbuf whole = STRBUF_INIT, text = STRBUF_INIT;

	(void)state;
	for (u32 i = 0; i < 8; i++) {
		add_own_map(PID + i, 1000 * (i + 1));
		build__finished_round(&records);
		build__finished_round(&records);
		add_sample(PID + i, in(functions[i]), in(hot_function), 1000 * (i + 1) + 1);
		build__finished_round(&records);
	}
	add_processes(3); /* without an end, a recording is not cut */
	write_recording(path);
	assert_int_equal(store(&(struct embed_opts){ 0 }).names.nr_symbols, 8);
	show_stored(path, &whole);
	for (u64 from = 1; from < 6; from++) {
		write_recording(path);
		assert_int_equal(store(&(struct embed_opts){ .cut_from = from }).names.nr_symbols, 8);
		show_stored(path, &text);
		assert_string_equal(text.buf, whole.buf);
	}
	strbuf__exit(&whole);
	strbuf__exit(&text);
}

/* If names are there already, code is not added either. */
static void a_second_time_adds_nothing(void **state)
{
	struct embed_result stored;
	struct err err = ERR_INIT;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	store(&(struct embed_opts){ .code_budget = 1 });
	assert_int_equal(chunk_size(path, EXTENSION_CODE), 0);
	assert_int_equal(embed__store(path, &(struct embed_opts){ 0 }, &stored, &err), -EEXIST);
	assert_int_equal(chunk_size(path, EXTENSION_CODE), 0);
	assert_int_equal(stored.code.nr_functions, 0);
	err__exit(&err);
}

/* ---- what is said ---- */

static struct strbuf said = STRBUF_INIT;

static void hear(const char *text, size_t len)
{
	strbuf__add(&said, text, len);
}

/* The job of one file, as a child process does it. Return the child's priority afterwards. */
static int child_embeds(struct embed_job *job)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		embed__all(job);
		_exit(getpriority(PRIO_PROCESS, 0) & 0x7f);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Only large files are worth the lowest priority. */
static void large_files_are_done_beside_other_work(void **state)
{
	char *const paths[] = { path };
	struct embed_job job = {
		.paths = paths, .nr = 1, .nr_threads = 2, .bytes = 32 << 20, .priority = 19
	};
	int own = getpriority(PRIO_PROCESS, 0);

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	assert_int_equal(child_embeds(&job), own);
	assert_true(chunk_size(path, EXTENSION_NAMES) > 0);
	write_recording(path);
	job.bytes++;
	assert_int_equal(child_embeds(&job), 19);
	assert_true(chunk_size(path, EXTENSION_NAMES) > 0);
}

/* With -v perf says what it stored; else only what it could not store. */
static void what_was_stored_is_said(void **state)
{
	char *const paths[] = { path };
	struct embed_job job = { .paths = paths, .nr = 1 };
	char line[128];

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	msg__set_sink(hear);
	embed__all(&job);
	assert_int_equal(said.len, 0);
	embed__all(&job); /* the names are there */
	assert_non_null(strstr(said.buf, "the names of functions are not stored in the recording: "));
	assert_null(strstr(said.buf, "oldest files"));
	strbuf__reset(&said);
	write_recording(path);
	msg__set_level(MSG_VERBOSE);
	embed__all(&job);
	msg__set_level(MSG_NORMAL);
	msg__set_sink(NULL);
	snprintf(line, sizeof(line),
		 "stored the names of 2 functions of 1 binaries, %zu bytes; 0 are left out\n",
		 chunk_size(path, EXTENSION_NAMES));
	assert_non_null(strstr(said.buf, line));
	snprintf(line, sizeof(line),
		 " bytes of code of 2 functions and 0 lines of source, %zu bytes; 0 functions",
		 chunk_size(path, EXTENSION_CODE));
	assert_non_null(strstr(said.buf, line));
	strbuf__exit(&said);
}

/* All files of a recording get names; one that is missing is no reason to leave out another one. */
static void all_files_of_a_recording_get_names(void **state)
{
	char *const paths[] = { path, (char *)"/nonexistent/file", other_path };
	struct embed_job job = { .paths = paths, .nr = 3, .nr_threads = 1 };
	struct unwind_stats chains = { 0 };
	struct embed_result result;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	write_recording(other_path);
	job.chains = &chains;
	embed__all(&job);
	assert_true(chunk_size(path, EXTENSION_NAMES) > 0);
	assert_true(chunk_size(other_path, EXTENSION_NAMES) > 0);
	assert_true(chunk_size(other_path, EXTENSION_CODE) > 0);
	unwind_stats__exit(&chains);
	/* a failure leaves nothing in the result */
	result.names.nr_symbols = 5;
	assert_int_equal(embed__store("/nonexistent/file", &(struct embed_opts){ 0 }, &result, NULL),
			 -ENOENT);
	assert_int_equal(result.names.nr_symbols, 0);
	assert_int_equal(result.names.nr_dsos, 0);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(hot_function),
		test(seldom_function),
		test(functions_of_jitdumps_have_loads),
		test(loads_are_found_in_any_order),
		test(only_jitdumps_with_samples_have_loads),
		test(names_of_bpf_programs_are_not_stored),
		test(marks_of_names_are_kept),
		test(what_has_no_names_is_left_out),
		test(lines_of_sampled_addresses_are_stored),
		test(slices_store_what_the_whole_has),
		test(what_still_runs_widens_slices),
		test(a_second_time_adds_nothing),
		test(large_files_are_done_beside_other_work),
		test(what_was_stored_is_said),
		test(all_files_of_a_recording_get_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
