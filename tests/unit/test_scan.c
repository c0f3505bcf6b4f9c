/* The first pass: with any number of threads, from a file or a pipe, it sees what is there. */
#include "unit.h"

#include "image.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <time.h>

enum { SIZE = 3 << 20, NR_EVENTS = 3, CHUNK = 70000 };

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW)

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* ---- recordings ---- */

static void add_attr(struct image *im, u64 id)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);

	image__begin(im, RECORD_HEADER_ATTR, 0);
	image__attr(im, &a, 112);
	image__u64(im, id);
	image__end(im);
}

/* What samples hold behind their id. */
enum filling {
	FILL_ZEROS,
	FILL_RANDOM,
	FILL_SAMPLES, /* what looks like records ... */
	FILL_CHAIN,   /* ... up to the next real one ... */
	FILL_COMMS,   /* ... that are no samples */
	FILL_LAST,
};

static void add_filling(struct image *im, enum filling filling, size_t words, u32 *seed)
{
	for (size_t i = 0; i < words; i++) {
		size_t left = 8 * (words - i);

		if (filling == FILL_ZEROS)
			image__u64(im, 0);
		else if (filling == FILL_RANDOM)
			image__u64(im, (u64)next_random(seed) << 32 | next_random(seed));
		else if (i & 1)
			image__u64(im, 100); /* an id */
		else
			image__u64(im,
				   (u64)(filling == FILL_CHAIN ? left : 16) << 48 |
					   (filling == FILL_COMMS ? PERF_RECORD_COMM : PERF_RECORD_SAMPLE));
	}
}

struct expected {
	u64 nr, comms, rounds, by_event[NR_EVENTS];
};

static void add_sample(struct image *im, u32 event, enum filling filling, size_t words, u32 *seed)
{
	image__begin(im, PERF_RECORD_SAMPLE, 2);
	image__u64(im, 100 + event);
	add_filling(im, filling, words, seed);
	image__end(im);
}

/* A stream of samples up to max bytes, with some other records between them. */
static struct expected build(struct image *im, enum filling filling, size_t max, u32 seed)
{
	struct expected x = { .nr = NR_EVENTS };

	image__init(im, false);
	image__pipe_header(im);
	for (u64 i = 0; i < NR_EVENTS; i++)
		add_attr(im, 100 + i);
	while (im->b.len < SIZE) {
		u32 dice = next_random(&seed) % 50, event = next_random(&seed) % NR_EVENTS;

		x.nr++;
		if (dice == 0) {
			image__comm(im, 5, "some name");
			x.comms++;
		} else if (dice == 1) {
			image__begin(im, RECORD_FINISHED_ROUND, 0);
			image__end(im);
			x.rounds++;
		} else {
			add_sample(im, event, filling, next_random(&seed) % (max / 8 - 2), &seed);
			x.by_event[event]++;
		}
	}
	return x;
}

/* ---- what a scan saw ---- */

struct seen {
	struct record_counts c;
	u64 by_event[NR_EVENTS + 1];
	u64 nr_shown, shown; /* a hash */
	u64 passed;          /* by the next pass, a hash too */
	char damage[200];
	bool is_damaged;
	int *stop; /* asked at the first COMM */
};

static unsigned first_record_us; /* that it takes to see the first record */

static u64 hash_record(const struct record *r, u64 hash)
{
	hash = hash__bytes(&r->offset, sizeof(r->offset), hash);
	return hash__bytes(r->header, r->header->size, hash);
}

static void see(void *ctx, const struct record *r)
{
	struct seen *s = ctx;

	assert_int_not_equal(r->header->type, PERF_RECORD_SAMPLE);
	if (!s->nr_shown++)
		usleep(first_record_us);
	s->shown = hash_record(r, s->shown);
	if (s->stop && r->header->type == PERF_RECORD_COMM)
		__atomic_store_n(s->stop, 1, __ATOMIC_RELAXED);
}

static void see_pass(struct seen *seen, struct reader *r)
{
	struct reader_pass *p = reader_pass__new(r);
	struct block b = BLOCK_INIT;
	struct record rec;
	u64 nr = 0;

	while (reader_pass__next(p, &b, NULL) > 0)
		for (size_t pos = 0; block__next(&b, &pos, &rec); nr++)
			seen->passed = hash_record(&rec, seen->passed);
	if (!r->stopped)
		assert_int_equal(nr, seen->c.nr_records);
	block__exit(&b);
	reader_pass__delete(p);
}

static struct seen scan(struct reader *r, int *stop)
{
	struct seen s = { .stop = stop };
	const struct reader_scan_opts opts = { .count_per_event = true, .record = see, .ctx = &s };

	assert_int_equal(reader__scan(r, &opts, &s.c, NULL), 0);
	for (size_t i = 0; s.c.by_event && i < MIN(r->evlist.evsels.nr, ARRAY_SIZE(s.by_event)); i++)
		s.by_event[i] = s.c.by_event[i];
	free(s.c.by_event);
	s.c.by_event = NULL;
	s.stop = NULL;
	see_pass(&s, r);
	s.is_damaged = r->damage.code;
	if (strchr(r->damage.text.buf, ':')) /* behind the name */
		snprintf(s.damage, sizeof(s.damage), "%s", strchr(r->damage.text.buf, ':'));
	reader__close(r);
	return s;
}

static struct seen scan_image(const struct image *im, unsigned nr_threads)
{
	const struct reader_opts opts = { .nr_threads = nr_threads };
	struct reader *r;

	assert_int_equal(image__open_with(im->b.buf, im->b.len, &r, &opts, NULL), 0);
	return scan(r, NULL);
}

static const unsigned thread_counts[] = { 2, 3, 8 };

/* With one thread nothing is guessed; with more all must be the same. Returns it. */
static struct seen scan_alike(const struct image *im)
{
	struct seen one = scan_image(im, 1);

	for (size_t i = 0; i < ARRAY_SIZE(thread_counts); i++) {
		struct seen many = scan_image(im, thread_counts[i]);

		assert_string_equal(many.damage, one.damage);
		assert_memory_equal(&many, &one, sizeof(one));
	}
	return one;
}

/* ---- tests ---- */

static void sees_the_same_with_any_number_of_threads(void **state)
{
	static const size_t sizes[] = { 64, 1000, 9000, 65528 };

	(void)state;
	for (u32 i = 0; i < FILL_LAST * ARRAY_SIZE(sizes); i++) {
		struct image im;
		struct expected x = build(&im, (enum filling)(i % FILL_LAST), sizes[i / FILL_LAST], i);
		struct seen seen = scan_alike(&im);

		assert_false(seen.is_damaged);
		assert_int_equal(seen.c.nr_records, x.nr);
		assert_int_equal(seen.c.by_type[PERF_RECORD_COMM], x.comms);
		assert_int_equal(seen.c.by_type[RECORD_FINISHED_ROUND], x.rounds);
		assert_int_equal(seen.c.by_type[RECORD_HEADER_ATTR], NR_EVENTS);
		assert_int_equal(seen.nr_shown, x.comms + x.rounds + NR_EVENTS);
		assert_int_equal(seen.c.nr_unknown, 0);
		assert_memory_equal(seen.by_event, x.by_event, sizeof(x.by_event));
		image__exit(&im);
	}
}

/* Samples count for an event that only a later record tells of. */
static void counts_events_that_come_late(void **state)
{
	struct image im;
	u64 nr = 0;
	u32 seed = 1;

	(void)state;
	image__init(&im, false);
	image__pipe_header(&im);
	add_attr(&im, 100);
	add_attr(&im, 101);
	for (; im.b.len < SIZE; nr++) {
		if (nr == 12345)
			add_attr(&im, 102);
		add_sample(&im, nr % 3, FILL_ZEROS, 4, &seed);
	}
	struct seen seen = scan_alike(&im);

	assert_int_equal(seen.c.by_type[PERF_RECORD_SAMPLE], nr);
	assert_int_equal(seen.by_event[0], (nr + 2) / 3);
	assert_int_equal(seen.by_event[1], (nr + 1) / 3);
	assert_int_equal(seen.by_event[2], nr / 3);
	image__exit(&im);
}

/* A file, whose header should have told of all. What other threads have walked by then was not counted by
 * event. */
static void counts_events_of_which_the_header_says_nothing(void **state)
{
	(void)state;
	first_record_us = 20000;
	for (u32 filling = 0; filling < FILL_LAST; filling++) {
		struct image im;
		struct seen seen;
		u64 nr = 0;
		u32 seed = 1;

		image__init(&im, false);
		image__file_header(&im, 0, 112, 0);
		for (int i = 0; i < 100; i++)
			image__comm(&im, 5, "before");
		add_attr(&im, 100);
		add_attr(&im, 101);
		for (; im.b.len < SIZE; nr++)
			add_sample(&im, nr % 2, (enum filling)filling, 100, &seed);
		image__end_data(&im);
		seen = scan_alike(&im);
		assert_int_equal(seen.by_event[0], (nr + 1) / 2);
		assert_int_equal(seen.by_event[1], nr / 2);
		image__exit(&im);
	}
	first_record_us = 0;
}

/* A pipe, whose first piece has the events, with a caller that is slow to look at them. */
static void counts_events_of_a_pipe_though_others_wait(void **state)
{
	struct image im;
	struct expected x = build(&im, FILL_ZEROS, 200, 1);
	struct seen seen;

	(void)state;
	first_record_us = 20000;
	seen = scan_alike(&im);
	assert_memory_equal(seen.by_event, x.by_event, sizeof(x.by_event));
	image__exit(&im);
	first_record_us = 0;
}

/* The same of the only event, whose samples have no id. */
static void counts_the_only_event_if_it_comes_late(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_RAW);
	struct image im;
	struct seen seen;
	u64 nr = 0;
	u32 seed = 1;

	(void)state;
	first_record_us = 20000;
	image__init(&im, false);
	image__file_header(&im, 0, 112, 0);
	for (int i = 0; i < 100; i++)
		image__comm(&im, 5, "before");
	image__begin(&im, RECORD_HEADER_ATTR, 0);
	image__attr(&im, &a, 112);
	image__end(&im);
	for (; im.b.len < SIZE; nr++)
		add_sample(&im, 0, FILL_RANDOM, 100, &seed);
	image__end_data(&im);
	seen = scan_alike(&im);
	assert_int_equal(seen.by_event[0], nr);
	image__exit(&im);
	first_record_us = 0;
}

/* Where the nth record of the type begins. */
static size_t find_record(const struct image *im, u32 type, int n)
{
	size_t at = 16;

	for (;;) {
		struct perf_event_header h;

		memcpy(&h, im->b.buf + at, sizeof(h));
		if (h.type == type && !n--)
			return at;
		at += h.size;
		assert_true(at < im->b.len);
	}
}

static void tells_damage_with_any_number_of_threads(void **state)
{
	struct image im;
	struct seen seen;
	size_t at;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		build(&im, FILL_SAMPLES, 200, 7);
		at = find_record(&im, PERF_RECORD_COMM, 60);
		assert_true(at > SIZE / 10);
		if (kind == 0) /* a size too small */
			im.b.buf[at + 6] = 4;
		else if (kind == 1) /* nothing like a record */
			memset(im.b.buf + at, 0, 8);
		else
			strbuf__setlen(&im.b, at + 12);
		seen = scan_alike(&im);
		assert_true(seen.is_damaged);
		assert_int_equal(seen.c.by_type[PERF_RECORD_COMM], 60);
		image__exit(&im);
	}
}

/* Inserts bytes in front of a COMM. */
static void insert(struct image *im, int n, const struct image *what)
{
	size_t at = find_record(im, PERF_RECORD_COMM, n);
	char *rest = xmemdup(im->b.buf + at, im->b.len - at);
	size_t size = im->b.len - at;

	strbuf__setlen(&im->b, at);
	strbuf__add(&im->b, what->b.buf, what->b.len);
	strbuf__add(&im->b, rest, size);
	free(rest);
}

/* What the threads leave to the walker: odd sizes, payload that looks like records. */
static void goes_on_behind_what_is_not_plain(void **state)
{
	struct image im, odd, payload;
	struct expected x = build(&im, FILL_RANDOM, 200, 3);
	struct seen seen;
	u32 seed = 1;

	(void)state;
	image__init(&odd, false);
	for (int i = 0; i < 3; i++) {
		image__begin(&odd, 60, 0);
		image__u8(&odd, 1);
		image__end(&odd);
	}
	image__init(&payload, false);
	image__begin(&payload, RECORD_AUXTRACE, 0);
	image__u64(&payload, 300000);
	for (int i = 0; i < 4; i++)
		image__u64(&payload, 0);
	image__end(&payload);
	add_filling(&payload, FILL_SAMPLES, 300000 / 8, &seed);
	for (int i = 0; i < 6; i++) {
		insert(&im, 20 * i + 9, &odd);
		insert(&im, 20 * i + 5, &payload);
	}
	seen = scan_alike(&im);
	assert_false(seen.is_damaged);
	assert_int_equal(seen.c.nr_records, x.nr + 6 + 18);
	assert_int_equal(seen.c.nr_unknown, 18);
	assert_int_equal(seen.c.by_type[RECORD_AUXTRACE], 6);
	assert_memory_equal(seen.by_event, x.by_event, sizeof(x.by_event));
	image__exit(&im);
	image__exit(&odd);
	image__exit(&payload);
}

/* Types that nobody knows: the first one, one among the kernel's or the recorder's, and larger ones. */
static void counts_unknown_types_together(void **state)
{
	static const u32 types[] = { 0, 60, RECORD_TYPE_MAX, 1 << 20 };
	struct image im;
	struct seen seen;
	u64 nr = 0, unknown = 0;
	u32 seed = 1;

	(void)state;
	image__init(&im, false);
	image__pipe_header(&im);
	add_attr(&im, 100);
	for (; im.b.len < SIZE; nr++) {
		add_sample(&im, 0, FILL_ZEROS, 20, &seed);
		if (nr % 100)
			continue;
		image__begin(&im, types[unknown++ % ARRAY_SIZE(types)], 0);
		image__u64(&im, 0);
		image__end(&im);
	}
	seen = scan_alike(&im);
	assert_int_equal(seen.c.nr_unknown, unknown);
	assert_int_equal(seen.c.by_type[PERF_RECORD_SAMPLE], nr);
	assert_int_equal(seen.c.nr_records, 1 + nr + unknown);
	assert_false(seen.is_damaged);
	image__exit(&im);
}

/* The user stops the scan: later passes see what it saw, until they are stopped too. */
static void stops_when_asked(void **state)
{
	(void)state;
	for (unsigned nr_threads = 0; nr_threads < 4; nr_threads++) {
		int stop = 0;
		const struct reader_opts opts = { .stop = &stop, .nr_threads = nr_threads };
		struct reader_pass *p;
		struct block b = BLOCK_INIT;
		struct seen s = { .stop = &stop };
		const struct reader_scan_opts scan_opts = { .record = see, .ctx = &s };
		struct record rec;
		struct image im;
		struct reader *r;
		u64 nr = 0;

		build(&im, FILL_RANDOM, 200, 3);
		assert_int_equal(image__open_with(im.b.buf, im.b.len, &r, &opts, NULL), 0);
		assert_int_equal(reader__scan(r, &scan_opts, &s.c, NULL), 0);
		assert_true(r->stopped && !r->damage.code);
		assert_true(s.c.nr_records > 100 && s.c.nr_records < 10000);
		p = reader_pass__new(r);
		while (reader_pass__next(p, &b, NULL) > 0)
			for (size_t pos = 0; block__next(&b, &pos, &rec);)
				nr++;
		assert_int_equal(nr, s.c.nr_records);
		reader_pass__delete(p);
		p = reader_pass__new(r);
		assert_int_equal(reader_pass__next(p, &b, NULL), 1);
		stop++;
		assert_int_equal(reader_pass__next(p, &b, NULL), 0);
		assert_int_equal(reader_pass__next(p, &b, NULL), 0);
		reader_pass__delete(p);
		block__exit(&b);
		reader__close(r);
		image__exit(&im);
	}
}

/* The file gets shorter after it was opened. */
static void notices_a_file_that_shrinks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		const struct reader_opts opts = { .nr_threads = i / 2 };
		struct image im;
		struct reader *r;
		struct seen seen;
		char path[64];
		int fd;

		build(&im, FILL_SAMPLES, i & 1 ? 65528 : 9000, 5);
		image__path(im.b.buf, im.b.len, &fd, path);
		assert_int_equal(reader__open_with(&r, path, &opts, NULL), 0);
		assert_int_equal(ftruncate(fd, SIZE / 2), 0);
		seen = scan(r, NULL);
		assert_non_null(strstr(seen.damage, "it was longer when it was opened"));
		assert_in_range(seen.c.nr_records, 20, SIZE / 2 / 24);
		close(fd);
		image__exit(&im);
	}
}

/* ---- costs ---- */

/* So many bytes this process has read until now. */
static u64 bytes_read(void)
{
	struct strbuf b = STRBUF_INIT;
	unsigned long long nr;

	assert_int_equal(file__read("/proc/self/io", &b, 0), 0);
	assert_int_equal(sscanf(b.buf, "rchar: %llu", &nr), 1);
	strbuf__exit(&b);
	return nr;
}

/* Scan with counts of each event, and return the bytes that it read. */
static u64 read_by_scan(const struct image *im, unsigned nr_threads, u64 nr_records)
{
	const struct reader_opts opts = { .nr_threads = nr_threads };
	struct record_counts c;
	struct reader *r;
	u64 before;

	assert_int_equal(image__open_with(im->b.buf, im->b.len, &r, &opts, NULL), 0);
	before = bytes_read();
	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ .count_per_event = true }, &c, NULL), 0);
	before = bytes_read() - before;
	assert_int_equal(c.nr_records, nr_records);
	free(c.by_event);
	reader__close(r);
	return before;
}

/* Whatever the number of threads, each byte is read once, and a few of them again. */
static void reads_each_byte_once(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_RAW);
	struct image file, pipe_like, odd;
	struct expected x;
	u64 nr = 0;
	u32 seed = 1;

	(void)state;
	if (access("/proc/self/io", R_OK))
		skip(); /* this kernel does not count bytes */
	image__init(&file, false);
	image__file_header(&file, 1, 112, 0);
	image__attr_entry(&file, &a, 112, 0, 0);
	for (; file.b.len < SIZE; nr++)
		add_sample(&file, 0, FILL_ZEROS, 100, &seed);
	image__end_data(&file);
	x = build(&pipe_like, FILL_ZEROS, 1000, 1);
	for (unsigned n = 1; n <= 4; n++) {
		assert_in_range(read_by_scan(&file, n, nr), SIZE, SIZE + SIZE / 8);
		assert_in_range(read_by_scan(&pipe_like, n, x.nr), SIZE, SIZE + SIZE / 8);
	}
	/* at a record that is not plain, one thread goes on; it does not look at the rest twice */
	image__init(&odd, false);
	image__begin(&odd, 60, 0);
	image__u8(&odd, 1);
	image__end(&odd);
	insert(&pipe_like, 1, &odd);
	assert_in_range(read_by_scan(&pipe_like, 1, x.nr + 1), SIZE, SIZE + SIZE / 4);
	image__exit(&odd);
	image__exit(&pipe_like);
	image__exit(&file);
}

/*
 * Where records that are not plain are near each other, pieces are read in vain: after 16 such stretches,
 * one thread reads all the rest.
 */
static void gives_up_where_stretches_are_short(void **state)
{
	enum { STRETCH = 140 << 10, STRETCHES = 120, IN_VAIN = 17 * (256 << 10) };
	struct image im;
	u64 nr = 0;
	u32 seed = 1;

	(void)state;
	if (access("/proc/self/io", R_OK))
		skip(); /* this kernel does not count bytes */
	image__init(&im, false);
	image__pipe_header(&im);
	add_attr(&im, 100);
	for (int i = 0; i < STRETCHES; i++) {
		size_t end = im.b.len + STRETCH;

		for (; im.b.len < end; nr++)
			add_sample(&im, 0, FILL_ZEROS, 125, &seed);
		image__begin(&im, 60, 0);
		image__u8(&im, 1);
		image__end(&im);
		nr++;
	}
	assert_in_range(read_by_scan(&im, 1, nr + 1), im.b.len, im.b.len + IN_VAIN);
	image__exit(&im);
}

/* How many threads this process has. */
static unsigned nr_tasks(void)
{
	DIR *d = opendir("/proc/self/task");
	unsigned nr = 0;

	for (struct dirent *e; (e = readdir(d));)
		nr += e->d_name[0] != '.';
	closedir(d);
	return nr;
}

/* The same, once threads that have ended are gone: they are seen for a while. */
static unsigned nr_settled_tasks(void)
{
	unsigned nr = nr_tasks();

	for (int i = 0; i < 1000 && nr > 1; i++) {
		usleep(1000);
		nr = nr_tasks();
	}
	return nr;
}

struct tasks {
	unsigned wanted, most;
};

static void count_tasks(void *ctx, const struct record *rec)
{
	struct tasks *t = ctx;
	unsigned nr = nr_tasks();

	(void)rec;
	/* they may need a while to begin */
	for (int i = 0; i < 5000 && t->most < t->wanted && nr < t->wanted; i++) {
		usleep(1000);
		nr = nr_tasks();
	}
	t->most = MAX(t->most, nr);
}

/* No more threads than asked for or than there is work for: 1 MiB each, and the last one the rest. */
static void starts_so_many_threads(void **state)
{
	static const unsigned expected[] = { 1, 1, 2, 3, 4, 4 };
	struct image im;

	(void)state;
	build(&im, FILL_ZEROS, 1000, 1);
	for (unsigned n = 0; n < ARRAY_SIZE(expected); n++) {
		const struct reader_opts opts = { .nr_threads = n };
		struct tasks t = { .wanted = nr_settled_tasks() - 1 + expected[n] };
		struct record_counts c;
		struct reader *r;

		assert_int_equal(image__open_with(im.b.buf, im.b.len, &r, &opts, NULL), 0);
		assert_int_equal(reader__scan(r,
					      &(struct reader_scan_opts){ .record = count_tasks, .ctx = &t },
					      &c, NULL),
				 0);
		assert_int_equal(t.most, t.wanted);
		reader__close(r);
	}
	image__exit(&im);
}

/* ---- pipes ---- */

struct sender {
	const struct image *im;
	int fd;
	size_t pause_at; /* until *go */
	const int *go;
	pthread_t thread;
};

static void *send_image(void *arg)
{
	struct sender *s = arg;

	for (size_t at = 0, n; at < s->im->b.len; at += n) {
		n = MIN((size_t)CHUNK, s->im->b.len - at);
		if (s->go && at <= s->pause_at && at + n > s->pause_at)
			n = s->pause_at - at + 1;
		if (file__write_all(s->fd, s->im->b.buf + at, n))
			break;
		while (s->go && at + n == s->pause_at + 1 && !__atomic_load_n(s->go, __ATOMIC_RELAXED))
			usleep(1000);
	}
	close(s->fd);
	return NULL;
}

/* Opens what a thread sends through a pipe. */
static struct reader *open_sent(struct sender *s, const struct reader_opts *opts)
{
	struct reader *r;
	char path[64];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	s->fd = fds[1];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[0]);
	assert_int_equal(pthread_create(&s->thread, NULL, send_image, s), 0);
	assert_int_equal(reader__open_with(&r, path, opts, NULL), 0);
	close(fds[0]);
	return r;
}

static void reads_pipes_as_they_arrive(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		const struct reader_opts opts = { .nr_threads = i % 3 };
		struct sender sender = { 0 };
		struct seen one, piped;
		struct image im;

		build(&im, FILL_RANDOM, i < 3 ? 200 : 65528, 3);
		sender.im = &im;
		one = scan_image(&im, 1);
		piped = scan(open_sent(&sender, &opts), NULL);
		pthread_join(sender.thread, NULL);
		assert_memory_equal(&piped, &one, sizeof(one));
		image__exit(&im);
	}
}

/* Ctrl-C is for the recorder, too: what it still sends is read. */
static void reads_a_pipe_to_its_end_when_asked_to_stop(void **state)
{
	(void)state;
	for (unsigned nr_threads = 1; nr_threads < 3; nr_threads++) {
		int stop = 0;
		const struct reader_opts opts = { .stop = &stop, .nr_threads = nr_threads };
		struct sender sender = { .pause_at = SIZE / 2, .go = &stop };
		struct record_counts c;
		struct seen one, piped = { .stop = &stop };
		struct image im;
		struct reader *r;

		build(&im, FILL_RANDOM, 200, 3);
		sender.im = &im;
		one = scan_image(&im, 1);
		r = open_sent(&sender, &opts);
		assert_int_equal(
			reader__scan(r, &(struct reader_scan_opts){ .record = see, .ctx = &piped }, &c, NULL),
			0);
		pthread_join(sender.thread, NULL);
		assert_false(r->stopped || r->damage.code);
		assert_int_equal(c.nr_records, one.c.nr_records);
		assert_int_equal(piped.shown, one.shown);
		reader__close(r);
		image__exit(&im);
	}
}

static void *ask_twice(void *arg)
{
	int *stop = arg;

	usleep(50000);
	__atomic_store_n(stop, 1, __ATOMIC_RELAXED);
	usleep(50000);
	__atomic_store_n(stop, 2, __ATOMIC_RELAXED);
	return NULL;
}

/* A second time is for us. */
static void leaves_a_pipe_when_asked_twice(void **state)
{
	(void)state;
	for (unsigned nr_threads = 1; nr_threads < 3; nr_threads++) {
		int stop = 0, go = 0;
		const struct reader_opts opts = { .stop = &stop, .nr_threads = nr_threads };
		struct sender sender = { .pause_at = SIZE / 2, .go = &go };
		struct record_counts c;
		pthread_t user;
		struct image im;
		struct reader *r;
		time_t start = time(NULL);

		build(&im, FILL_RANDOM, 200, 3);
		sender.im = &im;
		r = open_sent(&sender, &opts);
		assert_int_equal(pthread_create(&user, NULL, ask_twice, &stop), 0);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
		assert_true(r->stopped);
		assert_false(r->damage.code);
		assert_in_range(c.nr_records, 1000, SIZE / 24);
		assert_true(time(NULL) - start < 3);
		pthread_join(user, NULL);
		__atomic_store_n(&go, 1, __ATOMIC_RELAXED);
		reader__close(r); /* and with it the pipe */
		pthread_join(sender.thread, NULL);
		image__exit(&im);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_the_same_with_any_number_of_threads),
		cmocka_unit_test(counts_events_that_come_late),
		cmocka_unit_test(counts_events_of_which_the_header_says_nothing),
		cmocka_unit_test(counts_events_of_a_pipe_though_others_wait),
		cmocka_unit_test(counts_the_only_event_if_it_comes_late),
		cmocka_unit_test(tells_damage_with_any_number_of_threads),
		cmocka_unit_test(goes_on_behind_what_is_not_plain),
		cmocka_unit_test(counts_unknown_types_together),
		cmocka_unit_test(stops_when_asked),
		cmocka_unit_test(notices_a_file_that_shrinks),
		cmocka_unit_test(reads_each_byte_once),
		cmocka_unit_test(gives_up_where_stretches_are_short),
		cmocka_unit_test(starts_so_many_threads),
		cmocka_unit_test(reads_pipes_as_they_arrive),
		cmocka_unit_test(reads_a_pipe_to_its_end_when_asked_to_stop),
		cmocka_unit_test(leaves_a_pipe_when_asked_twice),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
