/*
 * Recordings of the very program that includes this, of JIT code and of BPF programs, for tests of what is
 * stored in them.
 */
#ifndef TESTS_EMBED_RECORDING_H
#define TESTS_EMBED_RECORDING_H

#include "unit.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "binary/symbols/elf_symbols.h"
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

#define EMBED_FN static __attribute__((unused))
#define BPF_START 0xffffffffc0000000ull

enum { PID = 4242, JIT_HEAD = 40, JIT_START = 0x7e000000, JIT_SIZE = 32 };

static char path[] = "/tmp/perf-embed-kinds.XXXXXX", other_path[] = "/tmp/perf-embed-kinds.XXXXXX";
static char dump_dir[] = "/tmp/perf-embed-kinds.XXXXXX", dump_path[64], exe[256];
static struct strbuf records;
static struct evlist list;
static u64 own_code_start; /* of the map that add_own_map() added last */

/* Functions of the test that are sampled. */
static void hot_function(void **state);
static void seldom_function(void **state);

EMBED_FN int setup(void **state)
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

EMBED_FN int teardown(void **state)
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

EMBED_FN void stamp(size_t start, u32 pid, u64 time)
{
	const struct sample_id id = { .pid = pid, .tid = pid, .time = time };
	struct perf_event_header *h;

	build__trailer(&records, list.evsels.v[0], &id);
	h = (void *)(records.buf + start);
	h->size = (u16)(records.len - start);
}

EMBED_FN void add_map(u32 pid, u64 start, u64 len, u64 pgoff, const char *name, u64 time)
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
EMBED_FN void add_own_map(u32 pid, u64 time)
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

EMBED_FN void add_sample(u32 pid, u64 ip, u64 caller, u64 time)
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

EMBED_FN u64 in(void (*f)(void **))
{
	return (u64)(uintptr_t)f + 1;
}

EMBED_FN void write_recording(const char *to)
{
	struct writer *w;

	assert_int_equal(writer__open(&w, to, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	assert_int_equal(writer__write(w, records.buf, records.len), 0);
	writer__feature(w, FEATURE_SAMPLE_TIME, "", 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
}

EMBED_FN struct embed_result store(const struct embed_opts *opts)
{
	struct embed_result stored;

	assert_int_equal(embed__store(path, opts, &stored, NULL), 0);
	return stored;
}

/* ---- what is stored ---- */

/* A line for each function, "NAME hits", in the order of the section; loads of a binary before them. */
EMBED_FN void show_stored(const char *from, struct strbuf *out)
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
EMBED_FN size_t chunk_size(const char *from, enum extension_kind kind)
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

EMBED_FN void add_own_samples(u32 pid, u64 time)
{
	add_own_map(pid, time);
	for (u64 i = 1; i < 4; i++)
		add_sample(pid, in(hot_function), in(seldom_function), time + i);
	add_sample(pid, in(seldom_function), in(seldom_function), time + 5);
}

EMBED_FN void add32(struct strbuf *out, u32 x)
{
	strbuf__add(out, &x, sizeof(x));
}

/*
 * A jitdump of functions of JIT_SIZE bytes, the next one step bytes behind the one before: at times 200, 300
 * and so on.
 */
EMBED_FN void write_dump(const char *const *names, u64 step)
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

#endif
