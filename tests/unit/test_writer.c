/* writer: the bytes of a recording, as a file and as a stream, and what stays of it when the disk is full. */
#include "unit.h"
#include "written_file.h"

#include "base/system/file.h"
#include "format/records/build.h"
#include "format/file/data_file.h"
#include "format/write/writer.h"
#include "base/system/unpack.h"
#include "format/file/zstd.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static struct writer *begin_with(struct writer_opts opts)
{
	struct err err = ERR_INIT;
	struct writer *w;

	assert_int_equal(writer__open(&w, path, &opts, &err), 0);
	assert_int_equal(writer__begin(w, &list, &err), 0);
	err__exit(&err);
	return w;
}

static struct writer *begin(bool pipe)
{
	return begin_with((struct writer_opts){ .pipe = pipe });
}

static void file_has_attrs_ids_data_and_features_in_order(void **state)
{
	struct strbuf out = STRBUF_INIT, file = STRBUF_INIT;
	struct perf_data_section sections[2], ids;
	struct writer *w = begin(false);
	struct perf_data_header h;
	u64 id;

	(void)state;
	build__comm(&out, 0, 1, 1, "one", 16);
	assert_int_equal(writer__write(w, out.buf, out.len), 0);
	assert_int_equal(written_header().data.size, 0);
	assert_int_equal(writer__sync(w), 0);
	assert_int_equal(written_header().data.size, out.len);
	assert_int_equal(writer__data_size(w), out.len);
	writer__feature(w, FEATURE_OSRELEASE, "later", 5);
	writer__feature(w, FEATURE_HOSTNAME, "wrong", 5);
	writer__feature(w, FEATURE_HOSTNAME, "host", 4);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);

	h = written_header();
	assert_int_equal(h.magic, PERF_DATA_MAGIC2);
	assert_int_equal(h.size, 104);
	assert_int_equal(h.attr_size, 128 + 16);
	assert_int_equal(h.attrs.size, 2 * h.attr_size);
	assert_int_equal(h.features[0], 1 << FEATURE_HOSTNAME | 1 << FEATURE_OSRELEASE);
	assert_int_equal(file__read(path, &file, 0), 0);
	memcpy(&ids, file.buf + h.attrs.offset + h.attr_size + 128, sizeof(ids));
	assert_int_equal(ids.size, 8);
	memcpy(&id, file.buf + ids.offset, 8);
	assert_int_equal(id, 13);
	assert_memory_equal(file.buf + h.data.offset, out.buf, out.len);
	memcpy(sections, file.buf + h.data.offset + h.data.size, sizeof(sections));
	assert_memory_equal(file.buf + sections[0].offset, "host", 4);
	assert_memory_equal(file.buf + sections[1].offset, "later", 5);
	assert_int_equal(file.len, sections[1].offset + 5);
	strbuf__exit(&out);
	strbuf__exit(&file);
}

/* The types of a stream's records, as long as each is whole. */
static size_t types(const struct strbuf *file, size_t at, u32 *type, size_t max)
{
	struct perf_event_header h;
	size_t n = 0;

	for (; at + sizeof(h) <= file->len && n < max; at += h.size) {
		memcpy(&h, file->buf + at, sizeof(h));
		assert_true(h.size >= sizeof(h) && h.size % 8 == 0 && h.size <= file->len - at);
		type[n++] = h.type;
	}
	assert_int_equal(at, file->len);
	return n;
}

static void stream_tells_all_before_the_first_record(void **state)
{
	static const u32 want[] = { RECORD_HEADER_ATTR,     RECORD_HEADER_ATTR,    RECORD_EVENT_UPDATE,
				    RECORD_EVENT_UPDATE,    RECORD_HEADER_FEATURE, PERF_RECORD_COMM,
				    RECORD_HEADER_BUILD_ID, RECORD_HEADER_BUILD_ID };
	struct strbuf out = STRBUF_INIT, file = STRBUF_INIT;
	struct writer *w = begin(true);
	u32 got[16];

	(void)state;
	assert_true(writer__is_pipe(w));
	writer__feature(w, FEATURE_HOSTNAME, "host", 5);
	build__comm(&out, 0, 1, 1, "one", 16);
	writer__write(w, out.buf, out.len);
	writer__feature(w, FEATURE_OSRELEASE, "too late", 8);
	strbuf__reset(&out);
	build__build_id(&out, 1, 5, (const u8 *)"01234567890123456789", 20, "[kernel.kallsyms]");
	build__build_id(&out, 2, 5, (const u8 *)"01234567890123456789", 20, "/bin/true");
	writer__feature(w, FEATURE_BUILD_ID, out.buf, out.len);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_memory_equal(file.buf, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	assert_int_equal(types(&file, 16, got, ARRAY_SIZE(got)), ARRAY_SIZE(want));
	assert_memory_equal(got, want, sizeof(want));
	strbuf__exit(&out);
	strbuf__exit(&file);
}

/* Tracepoint formats stand behind their record: they may be longer than a record can be. */
static void stream_has_tracing_data_of_any_size(void **state)
{
	static char formats[100001];
	struct {
		struct perf_event_header h;
		u32 size, zero;
	} record;
	struct strbuf file = STRBUF_INIT;
	struct writer *w = begin(true);
	struct perf_event_header h;
	size_t at = 16;

	(void)state;
	memset(formats, 'f', sizeof(formats));
	writer__feature(w, FEATURE_TRACING_DATA, formats, sizeof(formats));
	writer__write(w, "\x44\0\0\0\0\0\x08", 8);
	writer__feature(w, FEATURE_TRACING_DATA, "too late", 8);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_int_equal(file__read(path, &file, 0), 0);
	do {
		memcpy(&h, file.buf + at, sizeof(h));
		at += h.size;
	} while (h.type != RECORD_HEADER_TRACING_DATA);
	memcpy(&record, file.buf + at - h.size, sizeof(record));
	assert_int_equal(record.h.size, 16);
	assert_int_equal(record.size, 100008);
	assert_memory_equal(file.buf + at, formats, sizeof(formats));
	at += record.size;
	assert_int_equal(at + 8, file.len);
	assert_memory_equal(file.buf + at, "\x44\0\0\0\0\0\x08", 8);
	strbuf__exit(&file);
}

static void large_writes_keep_their_order(void **state)
{
	static u8 block[3 << 20];
	struct strbuf file = STRBUF_INIT;
	struct writer *w = begin(false);
	u64 offset;

	(void)state;
	memset(block, 'b', sizeof(block));
	writer__write(w, "aaaaaaaa", 8);
	writer__write(w, block, sizeof(block));
	writer__write(w, "cccccccc", 8);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	offset = written_header().data.offset;
	assert_int_equal(written_header().data.size, sizeof(block) + 16);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_memory_equal(file.buf + offset, "aaaaaaaabbbbbbbb", 16);
	assert_memory_equal(file.buf + offset + sizeof(block), "bbbbbbbbcccccccc", 16);
	strbuf__exit(&file);
}

#ifdef HAVE_LIBZSTD
/* What the compressed records of the file hold, as far as the header says that there are any. */
static void unpack(struct strbuf *out)
{
	struct perf_data_header h = written_header();
	struct unpacker u = { .format = UNPACK_ZSTD };
	struct strbuf file = STRBUF_INIT;
	struct perf_event_header r;
	static u8 plain[DATA_FILE_UNPACKED_MAX];

	assert_int_equal(file__read(path, &file, 0), 0);
	for (u64 at = h.data.offset; at < h.data.offset + h.data.size; at += r.size) {
		ssize_t n;

		memcpy(&r, file.buf + at, sizeof(r));
		assert_int_equal(r.type, RECORD_COMPRESSED);
		assert_int_equal(r.size % 8, 0);
		u.in = (u8 *)file.buf + at + sizeof(r);
		u.size = r.size - sizeof(r);
		n = unpacker__run(&u, plain, sizeof(plain), NULL);
		assert_in_range(n, 0, sizeof(plain) - 1);
		strbuf__add(out, plain, (size_t)n);
	}
	unpacker__close(&u);
	strbuf__exit(&file);
}

/* size bytes that can be packed to about half, and their place in the row. */
static void add_noise(struct strbuf *out, size_t size)
{
	u32 x = (u32)out->len + 1;

	for (size_t end = out->len + size; out->len < end;) {
		x = x * 1664525 + 1013904223;
		strbuf__addch(out, (char)(x >> 28));
	}
}

static void compressed_pieces_are_whole_at_each_sync(void **state)
{
	static const size_t sizes[] = { 24, 104, 8, 70000, 3 << 20, 5000, 16 };
	struct strbuf all = STRBUF_INIT, got = STRBUF_INIT;

	(void)state;
	for (int level = 1; level <= 4; level += 3) {
		struct writer *w = begin_with((struct writer_opts){ .compression = level });

		strbuf__reset(&all);
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			size_t before = all.len;

			add_noise(&all, sizes[i]);
			assert_int_equal(writer__write(w, all.buf + before, all.len - before), 0);
			if (i == 1)
				continue; /* two in one piece */
			assert_int_equal(writer__sync(w), 0);
			strbuf__reset(&got);
			unpack(&got);
			assert_int_equal(got.len, all.len);
			assert_memory_equal(got.buf, all.buf, all.len);
		}
		assert_int_equal(writer__data_size(w), all.len);
		assert_int_equal(writer__file_size(w), written_header().data.size);
		assert_in_range(writer__file_size(w), all.len / 4, all.len * 3 / 4);
		assert_int_equal(writer__finish(w, NULL), 0);
		assert_int_equal(written_header().features[0], 1 << FEATURE_COMPRESSED);
		writer__delete(w);
	}
	strbuf__exit(&all);
	strbuf__exit(&got);
}
#endif

static void full_disk_leaves_whole_records(void **state)
{
	struct rlimit small = { 4096, RLIM_INFINITY }, old;
	struct strbuf out = STRBUF_INIT, file = STRBUF_INIT;
	struct perf_data_section section;
	struct perf_data_header h;
	struct err err = ERR_INIT;
	struct writer *w;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	w = begin(false);
	setrlimit(RLIMIT_FSIZE, &small);
	while (out.len < 8192)
		build__comm(&out, 0, 1, 1, "record", 0); /* of 24 bytes */
	assert_int_equal(writer__write(w, out.buf, out.len), 0);
	assert_int_equal(writer__sync(w), -EFBIG);
	assert_int_equal(writer__write(w, out.buf, out.len), -EFBIG);
	assert_int_equal(written_header().data.size, (4096 - written_header().data.offset) / 24 * 24);
	writer__feature(w, FEATURE_HOSTNAME, "a host of which the name takes 37 bytes", 37);
	assert_int_equal(writer__finish(w, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	writer__delete(w);
	assert_non_null(strstr(err.text.buf, path));
	/* Some records have made way for the feature, no more than it takes. */
	h = written_header();
	assert_int_equal(h.data.size, (4096 - h.data.offset - sizeof(section) - 37) / 24 * 24);
	assert_int_equal(h.features[0], 1 << FEATURE_HOSTNAME);
	assert_int_equal(file__read(path, &file, 0), 0);
	memcpy(&section, file.buf + h.data.offset + h.data.size, sizeof(section));
	assert_int_equal(section.size, 37);
	assert_memory_equal(file.buf + section.offset, "a host", 6);
	assert_memory_equal(file.buf + h.data.offset, out.buf, h.data.size);
	strbuf__exit(&out);
	strbuf__exit(&file);
	err__exit(&err);
}

/* At any moment the header says what is there: of a copy made then, as of one that a killed writer leaves. */
static void features_known_beforehand_are_there_from_the_first_record_on(void **state)
{
	struct strbuf out = STRBUF_INIT, file = STRBUF_INIT;
	struct perf_data_section sections[2];
	struct perf_data_header h;
	struct writer *w;

	(void)state;
	assert_int_equal(writer__open(&w, path, NULL, NULL), 0);
	writer__feature(w, FEATURE_HOSTNAME, "host", 5);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	for (int i = 0; i < 3; i++) {
		if (i == 2)
			writer__feature(w, FEATURE_OSRELEASE, "later", 5);
		build__comm(&out, 0, 1, 1, "one", 16);
		writer__write(w, out.buf + out.len / (size_t)(i + 1) * (size_t)i, out.len / (size_t)(i + 1));
		assert_int_equal(writer__sync(w), 0);
		h = written_header();
		assert_int_equal(h.data.size, out.len);
		assert_int_equal(h.features[0], 1 << FEATURE_HOSTNAME | (i == 2) << FEATURE_OSRELEASE);
		strbuf__reset(&file);
		assert_int_equal(file__read(path, &file, 0), 0);
		assert_memory_equal(file.buf + h.data.offset, out.buf, out.len);
		memcpy(sections, file.buf + h.data.offset + h.data.size, sizeof(sections));
		assert_memory_equal(file.buf + sections[0].offset, "host", 5);
		assert_true(sections[0].offset < h.data.offset);
		if (i == 2)
			assert_memory_equal(file.buf + sections[1].offset, "later", 5);
	}
	/*
	 * Records that are on their way lie where the features were: a full buffer is written before the
	 * header is.
	 */
	strbuf__reset(&out);
	strbuf__addchars(&out, 'x', 3 << 20);
	writer__write(w, out.buf, out.len);
	writer__write(w, out.buf, 8);
	assert_int_equal(written_header().features[0], 0);
	assert_int_equal(written_header().data.size,
			 h.data.size + (3 << 20)); /* others read no further than that */
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(written_header().features[0], 1 << FEATURE_HOSTNAME | 1 << FEATURE_OSRELEASE);
	writer__delete(w);
	strbuf__exit(&out);
	strbuf__exit(&file);
}

/* ---- a slow reader, in place of a slow disk ---- */

static struct {
	int fd;
	bool go;          /* read from fd now */
	bool until_stuck; /* read from fd, too, once the writer waits */
	u64 handed_over;  /* bytes */
	struct strbuf got;
} slow;

static bool main_thread_sleeps(void)
{
	struct strbuf name = STRBUF_INIT, stat = STRBUF_INIT;
	const char *after_name;
	bool sleeps;

	strbuf__addf(&name, "/proc/self/task/%d/stat", getpid());
	file__read(name.buf, &stat, 0);
	after_name = strrchr(stat.buf, ')');
	sleeps = after_name && !strncmp(after_name, ") S", 3);
	strbuf__exit(&name);
	strbuf__exit(&stat);
	return sleeps;
}

/* Return when the main thread has slept through 50 looks at it, and has handed over nothing in between. */
static void wait_until_stuck(void)
{
	u64 before = 0;

	for (int nr = 0; nr < 50 && !__atomic_load_n(&slow.go, __ATOMIC_ACQUIRE); nr++) {
		u64 now = __atomic_load_n(&slow.handed_over, __ATOMIC_RELAXED);

		if (now != before || !main_thread_sleeps())
			nr = 0;
		before = now;
		usleep(1000);
	}
}

static void *read_slowly(void *arg)
{
	static char chunk[100000];
	ssize_t n;

	(void)arg;
	if (slow.until_stuck)
		wait_until_stuck();
	else
		while (!__atomic_load_n(&slow.go, __ATOMIC_ACQUIRE))
			usleep(1000);
	while ((n = read(slow.fd, chunk, sizeof(chunk))) > 0) {
		strbuf__add(&slow.got, chunk, (size_t)n);
		usleep(1000);
	}
	return NULL;
}

/*
 * Writes 4 MB into a pipe, with so much room in the queue; reading begins when the writer waits, or when all
 * is handed over. Returns for how long the writer waited, ms.
 */
static u64 write_to_slow_reader(u64 room, bool until_stuck)
{
	struct writer_opts opts = { .queue = room };
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct writer *w;
	pthread_t thread;
	u64 blocked;
	char name[64];
	int fds[2];

	alarm(60); /* a writer that waits for the reader waits forever */
	assert_int_equal(pipe(fds), 0);
	slow.fd = fds[0];
	slow.go = false;
	slow.until_stuck = until_stuck;
	slow.handed_over = 0;
	strbuf__init(&slow.got);
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, NULL), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fds[1]);
	assert_int_equal(writer__open(&w, name, &opts, &err), 0);
	assert_int_equal(writer__begin(w, &list, &err), 0);
	while (out.len < 4 << 20) {
		size_t before = out.len;

		strbuf__addf(&out, "%07zu\n", before);
		assert_int_equal(writer__write(w, out.buf + before, out.len - before), 0);
		if (before % 4096 == 0)
			assert_int_equal(writer__sync(w), 0);
		__atomic_store_n(&slow.handed_over, out.len, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&slow.go, true, __ATOMIC_RELEASE);
	assert_int_equal(writer__finish(w, NULL), 0);
	blocked = writer__blocked_ms(w);
	writer__delete(w);
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);
	alarm(0);
	assert_true(slow.got.len > out.len);
	assert_memory_equal(slow.got.buf + slow.got.len - out.len, out.buf, out.len);
	strbuf__exit(&slow.got);
	strbuf__exit(&out);
	return blocked;
}

static void queue_takes_what_a_slow_disk_does_not(void **state)
{
	(void)state;
	write_to_slow_reader(8 << 20, false);
}

static void queue_has_its_limit(void **state)
{
	(void)state;
	assert_true(write_to_slow_reader(1 << 20, true) > 0);
}

static void queue_tells_of_failures(void **state)
{
	struct writer_opts opts = { .queue = 1 << 20 };
	struct err err = ERR_INIT;
	struct writer *w;
	int ret = 0;

	(void)state;
	assert_int_equal(writer__open(&w, "/dev/full", &opts, &err), 0);
	if (!writer__begin(w, &list, &err)) {
		for (int i = 0; i < 10000 && !ret; i++) {
			ret = writer__write(w, "12345678", 8);
			ret = ret ? ret : writer__sync(w);
			usleep(100);
		}
		assert_int_equal(ret, -ENOSPC);
	}
	assert_int_equal(writer__finish(w, &err), -ENOSPC);
	writer__delete(w);
	err__exit(&err);
}

static void removed_file_is_told(void **state)
{
	struct writer *w = begin(false);
	struct err err = ERR_INIT;

	(void)state;
	unlink(path);
	writer__write(w, "\x44\0\0\0\0\0\x08", 8);
	assert_int_equal(writer__sync(w), -ESTALE);
	assert_int_equal(writer__finish(w, &err), -ESTALE);
	assert_non_null(strstr(err.text.buf, "was removed"));
	writer__delete(w);
	err__exit(&err);
}

static void deleting_writes_what_is_buffered(void **state)
{
	struct writer *w = begin(false);

	(void)state;
	writer__write(w, "12345678", 8);
	writer__delete(w);
	assert_int_equal(written_header().data.size, 8);
}

static void unwritable_output_is_named(void **state)
{
	struct err err = ERR_INIT;
	struct writer *w;

	(void)state;
	assert_int_equal(writer__open(&w, "/no/such/folder/x", NULL, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, "/no/such/folder/x"));
	err__exit(&err);
}

/* ---- the bytes, as Documentation/perf.data-format.md has them ---- */

static void add_header(struct strbuf *sb, u32 type, u16 misc, u16 size)
{
	const struct perf_event_header h = { .type = type, .misc = misc, .size = size };

	strbuf__add(sb, &h, sizeof(h));
}

/* The attr, whose size is always written as 128, and ids. */
static void add_attr(struct strbuf *sb, const struct evsel *e)
{
	struct perf_event_attr attr = e->attr;

	attr.size = 128;
	strbuf__add(sb, &attr, MIN(sizeof(attr), 128u));
	if (sizeof(attr) < 128)
		strbuf__addchars(sb, '\0', 128 - sizeof(attr));
}

static void add_pipe_attrs(struct strbuf *sb)
{
	strbuf__add(sb, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	add_header(sb, RECORD_HEADER_ATTR, 0, 8 + 128 + 16);
	add_attr(sb, list.evsels.v[0]);
	strbuf__add(sb, (const u64[]){ 11, 12 }, 16);
	add_header(sb, RECORD_HEADER_ATTR, 0, 8 + 128 + 8);
	add_attr(sb, list.evsels.v[1]);
	strbuf__add(sb, (const u64[]){ 13 }, 8);
}

static void add_pipe_events(struct strbuf *sb)
{
	add_pipe_attrs(sb);
	add_header(sb, RECORD_EVENT_UPDATE, 0, 8 + 16 + 16);
	strbuf__add(sb, (const u64[]){ 2, 11 }, 16);
	strbuf__add(sb, "cpu-clock\0\0\0\0\0\0\0", 16);
	add_header(sb, RECORD_EVENT_UPDATE, 0, 8 + 16 + 16);
	strbuf__add(sb, (const u64[]){ 2, 13 }, 16);
	strbuf__add(sb, "page-faults\0\0\0\0\0", 16);
}

static void expect_file(const struct strbuf *expected)
{
	struct strbuf file = STRBUF_INIT;

	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, expected->len);
	assert_memory_equal(file.buf, expected->buf, file.len);
	strbuf__exit(&file);
}

static void stream_has_these_bytes(void **state)
{
	struct strbuf expected = STRBUF_INIT;
	struct writer *w;

	(void)state;
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ .pipe = true }, NULL), 0);
	writer__feature(w, FEATURE_HOSTNAME, "host", 5);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	writer__feature(w, FEATURE_ARCH, "x86_64", 7);
	assert_int_equal(writer__extension(w, EXTENSION_LOSSES, "not in a stream", 15), 0);
	writer__write(w, "\x44\0\0\0\0\0\x08", 8);
	assert_int_equal(writer__catch_up(w), 0);
	writer__feature(w, FEATURE_OSRELEASE, "too late", 8);
	assert_int_equal(writer__data_size(w), 8);
	assert_int_equal(writer__file_size(w), 8);
	assert_int_equal(writer__blocked_ms(w), 0);
	assert_true(writer__is_at(w, path));
	assert_false(writer__is_at(w, "/dev/null"));
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	writer__delete(NULL);
	add_pipe_events(&expected);
	add_header(&expected, RECORD_HEADER_FEATURE, 0, 24);
	strbuf__add(&expected, (const u64[]){ FEATURE_HOSTNAME }, 8);
	strbuf__add(&expected, "host\0\0\0", 8);
	add_header(&expected, RECORD_HEADER_FEATURE, 0, 24);
	strbuf__add(&expected, (const u64[]){ FEATURE_ARCH }, 8);
	strbuf__add(&expected, "x86_64\0", 8);
	add_header(&expected, RECORD_FINISHED_ROUND, 0, 8);
	expect_file(&expected);
	strbuf__exit(&expected);
}

/* A record's size has 16 bits: a longer feature is left out. */
static void stream_leaves_out_what_no_record_can_hold(void **state)
{
	static const struct {
		size_t size;
		u16 record; /* its size; 0: none */
	} features[] = { { 0, 16 },        { 1, 24 },    { 8, 24 },    { 9, 32 },
			 { 65512, 65528 }, { 65513, 0 }, { 65520, 0 }, { 131080, 0 } };
	static char data[131080];

	(void)state;
	memset(data, 'd', sizeof(data));
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		struct strbuf expected = STRBUF_INIT;
		struct writer *w = begin(true);
		size_t size = features[i].size;

		assert_int_equal(writer__feature(w, FEATURE_CMDLINE, data, size), 0);
		assert_int_equal(writer__finish(w, NULL), 0);
		writer__delete(w);
		add_pipe_events(&expected);
		if (features[i].record) {
			add_header(&expected, RECORD_HEADER_FEATURE, 0, features[i].record);
			strbuf__add(&expected, (const u64[]){ FEATURE_CMDLINE }, 8);
			strbuf__add(&expected, data, size);
			strbuf__addchars(&expected, '\0', features[i].record - 16u - size);
		}
		expect_file(&expected);
		strbuf__exit(&expected);
	}
}

/* Its size is in 32 bits, and counts the padding. */
static void tracing_data_is_padded(void **state)
{
	(void)state;
	for (u32 size = 1; size < 20; size++) {
		struct strbuf expected = STRBUF_INIT;
		struct writer *w = begin(true);

		assert_int_equal(writer__feature(w, FEATURE_TRACING_DATA, "12345678901234567890", size), 0);
		/* of more than 4 GB nothing is read */
		assert_int_equal(writer__feature(w, FEATURE_TRACING_DATA, "", UINT32_MAX - 6ull), 0);
		assert_int_equal(writer__finish(w, NULL), 0);
		writer__delete(w);
		add_pipe_events(&expected);
		add_header(&expected, RECORD_HEADER_TRACING_DATA, 0, 16);
		strbuf__add(&expected, (const u32[]){ (size + 7) / 8 * 8, 0 }, 8);
		strbuf__add(&expected, "12345678901234567890", size);
		strbuf__addchars(&expected, '\0', (size + 7) / 8 * 8 - size);
		expect_file(&expected);
		strbuf__exit(&expected);
	}
}

/*
 * Entries of the section become records, with their misc, padded. An entry that is shorter than its header
 * or longer than the section ends them.
 */
static void build_ids_become_records(void **state)
{
	static const u16 third[] = { 32, 33, 7, 0, 8 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(third); i++) {
		struct strbuf section = STRBUF_INIT, expected = STRBUF_INIT;
		struct writer *w = begin(true);

		add_pipe_events(&expected);
		add_header(&expected, RECORD_FINISHED_ROUND, 0, 8);
		for (u16 k = 0; k < 3; k++) {
			u16 size = k == 0 ? 29 : 32; /* not padded in the section */

			add_header(&section, 0, (u16)(0x8001 + k), k == 2 ? third[i] : size);
			if (k == 2 && third[i] == 8) { /* a header, and the end */
				add_header(&expected, RECORD_HEADER_BUILD_ID, 0x8003, 8);
				break;
			}
			strbuf__add(&section, "123456789012345678901234", size - 8u);
			if (k == 2 && third[i] != 32)
				continue;
			add_header(&expected, RECORD_HEADER_BUILD_ID, (u16)(0x8001 + k), 32);
			strbuf__add(&expected, "123456789012345678901234", size - 8u);
			strbuf__addchars(&expected, '\0', 32u - size);
		}
		writer__write(w, "\x44\0\0\0\0\0\x08", 8);
		assert_int_equal(writer__feature(w, FEATURE_BUILD_ID, section.buf, section.len), 0);
		assert_int_equal(writer__finish(w, NULL), 0);
		writer__delete(w);
		expect_file(&expected);
		strbuf__exit(&section);
		strbuf__exit(&expected);
	}
}

/* Of a name, as much as readers take: 4095 bytes. An event without a name has no record of it. */
static void names_in_a_stream_have_a_limit(void **state)
{
	static const size_t lengths[] = { 0, 4094, 4095, 4096, 5000 };
	static char name[5001];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct strbuf expected = STRBUF_INIT;
		size_t length = MIN(lengths[i], 4095u);
		struct writer *w;

		memset(name, 'n', sizeof(name));
		name[lengths[i]] = '\0';
		for (size_t k = 0; k < list.evsels.nr; k++) {
			free(list.evsels.v[k]->name);
			list.evsels.v[k]->name = lengths[i] ? xstrdup(name) : NULL;
		}
		w = begin(true);
		assert_int_equal(writer__finish(w, NULL), 0);
		writer__delete(w);
		add_pipe_attrs(&expected);
		for (u64 id = 11; id <= 13 && length; id += 2) {
			add_header(&expected, RECORD_EVENT_UPDATE, 0, 8 + 16 + 4096);
			strbuf__add(&expected, (const u64[]){ 2, id }, 16);
			strbuf__add(&expected, name, length);
			strbuf__addchars(&expected, '\0', 4096 - length);
		}
		expect_file(&expected);
		strbuf__exit(&expected);
	}
}

/* When a file with a queue is finished, all of it is there, however late the thread was. */
static void a_finished_file_is_complete(void **state)
{
	enum { SIZE = 32 << 20 };
	struct writer *w = begin_with((struct writer_opts){ .queue = 2 * SIZE });
	struct strbuf out = STRBUF_INIT, file = STRBUF_INIT;

	(void)state;
	strbuf__addchars(&out, 'x', SIZE);
	for (size_t at = 0; at < SIZE; at += 4096)
		assert_int_equal(writer__write(w, out.buf + at, 4096), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	assert_int_equal(written_header().data.size, SIZE);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_int_equal(file.len, written_header().data.offset + SIZE);
	assert_memory_equal(file.buf + written_header().data.offset, out.buf, SIZE);
	writer__delete(w);
	strbuf__exit(&out);
	strbuf__exit(&file);
}

/* Events without a name or without ids, and with more ids than a record can hold. */
static void stream_has_events_of_all_kinds(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr) };
	struct strbuf expected = STRBUF_INIT;
	struct evlist odd;
	struct writer *w;

	(void)state;
	evlist__init(&odd);
	evlist__add(&odd, &attr, sizeof(attr), "without-ids");
	evlist__add(&odd, &attr, sizeof(attr), "many");
	for (u64 id = 0; id < 8175; id++)
		evlist__add_id(&odd, odd.evsels.v[1], 1000 + id);
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ .pipe = true }, NULL), 0);
	assert_int_equal(writer__begin(w, &odd, NULL), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	strbuf__add(&expected, "PERFILE2\x10\0\0\0\0\0\0\0", 16);
	add_header(&expected, RECORD_HEADER_ATTR, 0, 8 + 128);
	add_attr(&expected, odd.evsels.v[0]);
	add_header(&expected, RECORD_HEADER_ATTR, 0, 65528);
	add_attr(&expected, odd.evsels.v[1]);
	for (u64 id = 0; id < (65528 - 8 - 128) / 8; id++)
		strbuf__add(&expected, &(u64){ 1000 + id }, 8);
	add_header(&expected, RECORD_EVENT_UPDATE, 0, 8 + 16 + 8);
	strbuf__add(&expected, (const u64[]){ 2, 1000 }, 16);
	strbuf__add(&expected, "many\0\0\0", 8);
	expect_file(&expected);
	strbuf__exit(&expected);
	evlist__exit(&odd);
}

/* What is in front of the records; the locator has 64 zeroes before them, at a multiple of 64. */
static void file_has_these_bytes(void **state)
{
	struct strbuf expected = STRBUF_INIT, file = STRBUF_INIT;
	struct perf_data_header h;
	struct writer *w;

	(void)state;
	assert_int_equal(writer__open(&w, path, NULL, NULL), 0);
	writer__feature(w, FEATURE_HOSTNAME, "host", 5);
	assert_int_equal(writer__feature(w, FEATURE_ARCH, "12345678", 8), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	h = written_header();
	strbuf__add(&expected, &h, sizeof(h));
	strbuf__add(&expected, (const u64[]){ 11, 12, 13 }, 24);
	assert_int_equal(h.attrs.offset, expected.len);
	add_attr(&expected, list.evsels.v[0]);
	strbuf__add(&expected, (const u64[]){ 104, 16 }, 16);
	add_attr(&expected, list.evsels.v[1]);
	strbuf__add(&expected, (const u64[]){ 120, 8 }, 16);
	assert_int_equal(h.attrs.size, expected.len - h.attrs.offset);
	strbuf__add(&expected, "host\0\0\0", 8);
	strbuf__add(&expected, "12345678", 8);
	strbuf__addchars(&expected, '\0', (64 - expected.len % 64) % 64);
	assert_int_equal(h.data.offset, expected.len + 64);
	assert_int_equal(h.magic, PERF_DATA_MAGIC2);
	assert_int_equal(h.size, 104);
	assert_int_equal(h.attr_size, 144);
	assert_int_equal(h.data.size, 0);
	assert_int_equal(file__read(path, &file, 0), 0);
	assert_memory_equal(file.buf, expected.buf, expected.len);
	strbuf__exit(&expected);
	strbuf__exit(&file);
}

static void file_of_records_only_has_no_header(void **state)
{
	struct writer *w = begin_with((struct writer_opts){ .records_only = true });
	struct strbuf expected = STRBUF_INIT;

	(void)state;
	assert_false(writer__is_pipe(w));
	writer__write(w, "12345678", 8);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	strbuf__addstr(&expected, "12345678");
	expect_file(&expected);
	strbuf__exit(&expected);
}

/* A file that cannot even begin: every call says so. */
static void a_file_may_have_no_room_for_its_header(void **state)
{
	struct rlimit small = { 64, RLIM_INFINITY }, old;
	struct err err = ERR_INIT;
	struct writer *w;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(writer__open(&w, path, NULL, &err), 0);
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(writer__begin(w, &list, &err), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_non_null(strstr(err.text.buf, path));
	assert_int_equal(writer__write(w, "12345678", 8), -EFBIG);
	assert_int_equal(writer__finish(w, &err), -EFBIG);
	assert_null(strstr(err.text.buf, "can be read")); /* no record was written */
	writer__delete(w);
	err__exit(&err);
}

/* A file that cannot be written: the first write says so, and so does each call after it. */
static void a_full_disk_is_told_at_once(void **state)
{
	struct err err = ERR_INIT;
	struct writer *w;

	(void)state;
	assert_int_equal(writer__open(&w, "/dev/full", &(struct writer_opts){ .pipe = true }, &err), 0);
	for (u64 id = 0; id < 400000; id++) /* more than is buffered */
		evlist__add_id(&list, list.evsels.v[id & 1], 100 + id);
	for (int i = 0; i < 3; i++)
		writer__feature(w, FEATURE_TRACING_DATA, "data", 4);
	assert_int_equal(writer__begin(w, &list, &err), 0);
	assert_int_equal(writer__sync(w), -ENOSPC);
	assert_int_equal(writer__feature(w, FEATURE_BUILD_ID, "", 0), -ENOSPC);
	assert_int_equal(writer__write(w, "12345678", 8), -ENOSPC);
	assert_int_equal(writer__catch_up(w), -ENOSPC);
	assert_int_equal(writer__data_size(w), 0);
	assert_int_equal(writer__finish(w, &err), -ENOSPC);
	assert_int_equal(writer__finish(w, NULL), -ENOSPC);
	assert_non_null(strstr(err.text.buf, "/dev/full"));
	writer__delete(w);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_has_attrs_ids_data_and_features_in_order, setup,
						teardown),
		cmocka_unit_test_setup_teardown(stream_tells_all_before_the_first_record, setup, teardown),
		cmocka_unit_test_setup_teardown(stream_has_tracing_data_of_any_size, setup, teardown),
		cmocka_unit_test_setup_teardown(large_writes_keep_their_order, setup, teardown),
#ifdef HAVE_LIBZSTD
		cmocka_unit_test_setup_teardown(compressed_pieces_are_whole_at_each_sync, setup, teardown),
#endif
		cmocka_unit_test_setup_teardown(full_disk_leaves_whole_records, setup, teardown),
		cmocka_unit_test_setup_teardown(features_known_beforehand_are_there_from_the_first_record_on,
						setup, teardown),
		cmocka_unit_test_setup_teardown(queue_takes_what_a_slow_disk_does_not, setup, teardown),
		cmocka_unit_test_setup_teardown(queue_has_its_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(queue_tells_of_failures, setup, teardown),
		cmocka_unit_test_setup_teardown(removed_file_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(deleting_writes_what_is_buffered, setup, teardown),
		cmocka_unit_test_setup_teardown(unwritable_output_is_named, setup, teardown),
		cmocka_unit_test_setup_teardown(stream_has_these_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(stream_leaves_out_what_no_record_can_hold, setup, teardown),
		cmocka_unit_test_setup_teardown(tracing_data_is_padded, setup, teardown),
		cmocka_unit_test_setup_teardown(build_ids_become_records, setup, teardown),
		cmocka_unit_test_setup_teardown(names_in_a_stream_have_a_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(a_finished_file_is_complete, setup, teardown),
		cmocka_unit_test_setup_teardown(stream_has_events_of_all_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(file_has_these_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(file_of_records_only_has_no_header, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_may_have_no_room_for_its_header, setup, teardown),
		cmocka_unit_test_setup_teardown(a_full_disk_is_told_at_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
