/* Passes after the first: requests to stop, what cannot be read again, and what stays in memory. */
#include "unit.h"

#include "image.h"
#include "format/read/reader_private.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>

enum { DATA = 104 + 128 };

/* What the recording has. */
enum kind {
	PLAIN, /* records of 4 KiB, for which blocks are known */
	ODD,   /* of 9 bytes, one a block: passes walk again */
	KINDS,
};
static const struct {
	size_t size, nr;
} kinds[KINDS] = { { 4096, 300 }, { 9, 90000 } };

static int stop, fd;
static char path[64];
static struct reader *r;

static void open_kind(enum kind kind)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
	const struct perf_event_header h = { .type = 60, .size = (u16)kinds[kind].size };
	struct image im;

	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	for (size_t i = 0; i < kinds[kind].nr; i++) {
		strbuf__add(&im.b, &h, sizeof(h));
		strbuf__addchars(&im.b, '\0', h.size - sizeof(h));
	}
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	image__exit(&im);
	stop = 0;
	assert_int_equal(reader__open_with(&r, path, &(struct reader_opts){ .stop = &stop }, NULL), 0);
}

static void close_kind(void)
{
	reader__close(r);
	close(fd);
}

static void scan(enum kind kind)
{
	struct record_counts c;

	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
	assert_int_equal(c.nr_records, kinds[kind].nr);
	assert_int_equal(r->priv->walk_again, kind == ODD);
}

/* Read with a pass to its end; ask to stop after so many blocks. */
static size_t read_all(struct reader_pass *p, size_t stop_after)
{
	struct block b = BLOCK_INIT;
	struct record rec;
	size_t nr = 0;

	for (size_t nr_blocks = 1; reader_pass__next(p, &b, NULL) > 0; nr_blocks++) {
		for (size_t pos = 0; block__next(&b, &pos, &rec); nr++)
			;
		if (nr_blocks == stop_after)
			stop++;
	}
	block__exit(&b);
	return nr;
}

static void a_stop_ends_the_pass_only(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct reader_pass *p, *next;
		size_t nr;

		open_kind(kind);
		scan(kind);
		p = reader_pass__new(r);
		nr = read_all(p, 2);
		assert_in_range(nr, 2, kinds[kind].nr - 1);
		assert_true(r->stopped);
		assert_int_equal(r->nr_stops, 1);
		assert_int_equal(read_all(p, 0), 0); /* it has ended */
		next = reader_pass__new(r);
		assert_int_equal(read_all(next, 0), kinds[kind].nr);
		reader_pass__delete(next);
		reader_pass__delete(p);
		close_kind();
	}
}

/* The first block scans, if nobody did. */
static void a_pass_may_be_the_first(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct reader_pass *p;

		open_kind(kind);
		p = reader_pass__new(r);
		assert_int_equal(read_all(p, 0), kinds[kind].nr);
		assert_true(r->first_pass_done);
		reader_pass__delete(p);
		close_kind();
	}
}

/* The file becomes one that cannot be read: a folder. */
static void lose_file(void)
{
	int dir = open("/", O_RDONLY);

	assert_int_equal(dup2(dir, r->segments.v[0].fd), r->segments.v[0].fd);
	close(dir);
}

static void expect_failure(int ret, const char *text)
{
	struct reader_pass *p = reader_pass__new(r);
	struct err err = ERR_INIT;
	struct block b = { .size = 7 };

	assert_int_equal(reader_pass__next(p, &b, &err), ret);
	if (r->first_pass_done && !r->priv->walk_again)
		assert_int_equal(b.size, 0); /* nothing of the last block is left */
	assert_int_equal(err.code, ret);
	if (!strstr(err.text.buf, text))
		fail_msg("'%s' is not in '%s'", text, err.text.buf);
	err__exit(&err);
	block__exit(&b);
	reader_pass__delete(p);
}

static void what_cannot_be_read_is_told(void **state)
{
	static const char *const texts[] = { "cannot read again at offset 232: ",
					     "cannot read at offset 232: " };

	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct record_counts c;

		open_kind(kind);
		lose_file();
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), -EISDIR);
		assert_false(r->first_pass_done);
		assert_int_equal(c.nr_records, 0);
		expect_failure(-EISDIR, "cannot read at offset 232: "); /* it scans, too */
		close_kind();
		open_kind(kind);
		scan(kind);
		lose_file();
		expect_failure(-EISDIR, texts[kind]);
		expect_failure(-EISDIR, strerror(EISDIR));
		close_kind();
	}
}

/* A file that has shrunk is one that has changed. */
static void a_file_that_shrinks_is_told(void **state)
{
	static const off_t sizes[] = { DATA, DATA + 1, DATA + 4096, 100 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		open_kind(PLAIN);
		scan(PLAIN);
		assert_int_equal(ftruncate(fd, sizes[i]), 0);
		expect_failure(-EIO, "cannot read again at offset 232: the file has shrunk");
		close_kind();
	}
	/* while it was scanned: what is left is read */
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct record_counts c;

		open_kind(kind);
		assert_int_equal(ftruncate(fd, (off_t)(DATA + 3 * kinds[kind].size)), 0);
		assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
		assert_int_equal(c.nr_records, 3);
		assert_non_null(strstr(r->damage.text.buf, "it was longer when it was opened"));
		close_kind();
	}
}

static size_t nr_allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static void passes_leave_nothing(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		size_t before = 0;

		open_kind(kind);
		scan(kind);
		for (int i = 0; i < 8; i++) {
			struct reader_pass *p = reader_pass__new(r);
			struct block b = BLOCK_INIT;

			assert_int_equal(reader_pass__next(p, &b, NULL), 1);
			block__exit(&b);
			reader_pass__delete(p);
			before = i == 2 ? nr_allocated() : before;
		}
		assert_true(nr_allocated() < before + 4096);
		close_kind();
	}
	reader_pass__delete(NULL);
}

/* How much may be unpacked: a free amount, and some for each byte. */
static void unpacked_totals_have_a_limit(void **state)
{
	const u64 gib = 1 << 30, free_records = 1 << 16;
	const struct {
		u64 packed, bytes, records;
		bool fits;
	} cases[] = { { 0, gib, free_records, true },    { 0, gib + 1, 0, false },
		      { 0, 0, free_records + 1, false }, { 10, gib + 40960, free_records + 10, true },
		      { 10, gib + 40961, 0, false },     { 10, 0, free_records + 11, false } };

	(void)state;
	open_kind(PLAIN);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		/* all at once, or in two parts */
		for (u64 parts = 1; parts <= 2; parts++) {
			struct unpacked_totals t = { .nr_compressed = 3,
						     .nr_compressed2 = 4,
						     .packed_bytes = cases[i].packed / parts,
						     .unpacked_bytes = cases[i].bytes / parts,
						     .unpacked_records = cases[i].records / parts };
			struct walker w;

			walker__init(&w, r, false);
			if (parts == 2)
				assert_true(walker__add_totals(&w, &t));
			t.packed_bytes = cases[i].packed - w.totals.packed_bytes;
			t.unpacked_bytes = cases[i].bytes - w.totals.unpacked_bytes;
			t.unpacked_records = cases[i].records - w.totals.unpacked_records;
			assert_int_equal(walker__add_totals(&w, &t), cases[i].fits);
			assert_int_equal(w.totals.nr_compressed, 3 * (parts - 1 + cases[i].fits));
			assert_int_equal(w.totals.nr_compressed2, 4 * (parts - 1 + cases[i].fits));
			if (cases[i].fits)
				assert_int_equal(w.totals.unpacked_bytes, cases[i].bytes);
			walker__exit(&w);
		}
	close_kind();
}

/* Blocks are used again, whatever they had. */
static void blocks_are_filled_anew(void **state)
{
	(void)state;
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct block b = {
			.offset = 7, .compressed = true, .unpacked = 11, .payload = 5, .segment = 3, .size = 9
		};
		struct reader_pass *p;

		open_kind(kind);
		scan(kind);
		p = reader_pass__new(r);
		assert_int_equal(reader_pass__next(p, &b, NULL), 1);
		assert_int_equal(b.offset, DATA);
		assert_false(b.compressed);
		assert_int_equal(b.unpacked, 0);
		assert_int_equal(b.payload, 0);
		assert_int_equal(b.segment, 0);
		assert_int_equal(b.size % kinds[kind].size, 0);
		block__exit(&b);
		reader_pass__delete(p);
		close_kind();
	}
}

/* Wait until a terminal has shown the text, then one with a rate. Return the records a second. */
static int wait_for_rate(int master, const char *text)
{
	char seen[4096] = "", *at = NULL, *rate = NULL;

	for (size_t nr = 0; !rate && nr < sizeof(seen) - 1;) { /* the line comes after a while */
		ssize_t n = read(master, seen + nr, sizeof(seen) - 1 - nr);

		assert_true(n > 0);
		nr += (size_t)n;
		seen[nr] = '\0';
		at = strstr(seen, text);
		rate = at ? strstr(at, " records/s") : NULL;
	}
	assert_non_null(rate);
	while (rate[-1] >= '0' && rate[-1] <= '9')
		rate--;
	return atoi(rate);
}

/* A terminal sees what is read, how far that is, and how fast. */
static void passes_show_their_progress(void **state)
{
	struct winsize size = { .ws_row = 24, .ws_col = 100 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	(void)state;
	setenv("TERM", "xterm", 1);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	for (enum kind kind = 0; kind < KINDS; kind++) {
		struct reader_pass *p;
		char text[128];

		open_kind(kind);
		r->opts.progress = progress__new(slave);
		assert_non_null(r->opts.progress);
		scan(kind);
		snprintf(text, sizeof(text), "reading %s: %d of %d MB (%d%%)", path, kind == PLAIN,
			 kind == PLAIN, kind == PLAIN ? 100 : 99);
		assert_true(wait_for_rate(master, text) > 0);
		p = reader_pass__new(r);
		progress__begin(r->opts.progress, reader__size(r), "work");
		assert_int_equal(read_all(p, 0), kinds[kind].nr);
		assert_true(wait_for_rate(master, "work") > 0);
		progress__delete(r->opts.progress);
		r->opts.progress = NULL;
		reader_pass__delete(p);
		close_kind();
	}
	close(master);
	close(slave);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stop_ends_the_pass_only),   cmocka_unit_test(a_pass_may_be_the_first),
		cmocka_unit_test(what_cannot_be_read_is_told), cmocka_unit_test(a_file_that_shrinks_is_told),
		cmocka_unit_test(passes_leave_nothing),        cmocka_unit_test(unpacked_totals_have_a_limit),
		cmocka_unit_test(blocks_are_filled_anew),      cmocka_unit_test(passes_show_their_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
