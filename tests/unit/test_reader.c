/* The reader: file and pipe mode, byte orders, damage, payload, compression, directories, many threads. */
#include "unit.h"

#include "image.h"
#include "format/read/features.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef HAVE_LIBZSTD
#include <zstd.h>
#endif

/* What a pass yielded. */
struct seen {
	u64 nr, bytes, hash, payload, last_offset;
	u64 by_type[RECORD_TYPE_MAX];
};

static void see(struct seen *seen, const struct record *r)
{
	seen->nr++;
	seen->bytes += r->header->size;
	seen->hash = hash__bytes(r->header, r->header->size, seen->hash);
	seen->payload += r->payload;
	seen->last_offset = r->offset;
	if (r->header->type < RECORD_TYPE_MAX)
		seen->by_type[r->header->type]++;
}

static void decode(const struct reader *r, const struct sample_decoder *d, const struct record *rec)
{
	struct mmap_record m;
	struct sample_id id;
	struct sample s;

	image__touch(rec->header, rec->header->size);
	(void)sample_id__decode(&r->evlist, rec, &id);
	if (rec->header->type == PERF_RECORD_SAMPLE && !sample__decode(d, rec, &s))
		image__touch_sample(&s);
	if (record__mmap(rec, &m))
		image__touch(m.filename, strlen(m.filename));
}

static struct record_counts must_scan(struct reader *r)
{
	struct record_counts c;

	assert_int_equal(reader__scan(r, &(struct reader_scan_opts){ 0 }, &c, NULL), 0);
	assert_null(c.by_event);
	assert_true(r->first_pass_done);
	return c;
}

static struct seen pass(struct reader *r)
{
	struct reader_pass *p = reader_pass__new(r);
	struct block b = BLOCK_INIT;
	struct sample_decoder d;
	struct seen seen = { 0 };
	int ret;

	if (!r->first_pass_done)
		must_scan(r);
	sample_decoder__init(&d, &r->evlist);
	while ((ret = reader_pass__next(p, &b, NULL)) > 0) {
		struct record rec;
		size_t pos = 0;

		while (block__next(&b, &pos, &rec)) {
			see(&seen, &rec);
			decode(r, &d, &rec);
		}
		assert_int_equal(pos, b.size);
	}
	assert_int_equal(ret, 0);
	sample_decoder__exit(&d);
	block__exit(&b);
	reader_pass__delete(p);
	return seen;
}

/* A scan and two passes over an image that can be opened; they must agree. */
static struct seen both_passes(struct reader *r)
{
	struct record_counts c = must_scan(r);
	struct seen first, second;

	first = pass(r);
	second = pass(r);
	assert_memory_equal(&first, &second, sizeof(first));
	assert_int_equal(c.nr_records, first.nr);
	for (u32 i = 0; i < RECORD_TYPE_MAX; i++)
		assert_int_equal(c.by_type[i], record_type__name(i) ? first.by_type[i] : 0);
	return first;
}

static struct reader *must_open(const struct image *im)
{
	struct reader *r;

	assert_int_equal(image__open(im->b.buf, im->b.len, &r, NULL), 0);
	return r;
}

static void add_sample(struct image *im, u64 id, u64 ip)
{
	image__begin(im, PERF_RECORD_SAMPLE, 2);
	image__u64(im, id);
	image__u64(im, ip);
	image__u32(im, 5);
	image__u32(im, 6);
	image__end(im);
}

#define SAMPLE_TYPE (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)

/* Two events with ids 11 and 22; an mmap, a comm, nr samples, a round mark. */
static void add_records(struct image *im, int nr)
{
	image__begin(im, PERF_RECORD_MMAP, 2);
	image__u32(im, 5);
	image__u32(im, 5);
	image__u64(im, 0x1000);
	image__u64(im, 0x1000);
	image__u64(im, 0);
	image__str(im, "/bin/x", 8);
	image__end(im);
	image__comm(im, 5, "x");
	for (int i = 0; i < nr; i++)
		add_sample(im, i % 2 ? 22 : 11, 0x1000 + (u64)i);
	image__begin(im, RECORD_FINISHED_ROUND, 0);
	image__end(im);
}

/* As above in a file with attrs of attr_size, EVENT_DESC and HOSTNAME. */
static void build_file(struct image *im, bool swap, size_t attr_size, int nr)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);
	size_t table, desc, ids, i;

	a.size = (u32)attr_size;
	a.aux_watermark = 0x01020304;
	a.sample_max_stack = 0x0506;
	image__init(im, swap);
	image__file_header(im, 2, attr_size, 1ull << FEATURE_HOSTNAME | 1ull << FEATURE_EVENT_DESC);
	ids = 104 + 2 * (attr_size + 16);
	for (i = 0; i < 2; i++)
		image__attr_entry(im, &a, attr_size, ids + 8 * i, 8);
	image__u64(im, 11);
	image__u64(im, 22);
	image__put_u64(im, 40, im->b.len);
	add_records(im, nr);
	image__end_data(im);
	table = im->b.len;
	for (i = 0; i < 4; i++)
		image__u64(im, 0);
	image__put_u64(im, table, im->b.len);
	image__put_u64(im, table + 8, 4 + 64);
	image__feature_str(im, "somewhere");
	desc = im->b.len;
	image__u32(im, 2);
	image__u32(im, (u32)attr_size);
	for (i = 0; i < 2; i++) {
		image__attr(im, &a, attr_size);
		image__u32(im, 1);
		image__feature_str(im, i ? "second" : "first");
		image__u64(im, i ? 22 : 11);
	}
	image__put_u64(im, table + 16, desc);
	image__put_u64(im, table + 24, im->b.len - desc);
}

static void check_decoded(struct reader *r)
{
	struct reader_pass *p = reader_pass__new(r);
	struct block b = BLOCK_INIT;
	struct sample_decoder d;
	struct record rec;
	u64 nr = 0;

	sample_decoder__init(&d, &r->evlist);
	while (reader_pass__next(p, &b, NULL) > 0) {
		for (size_t pos = 0; block__next(&b, &pos, &rec);) {
			struct sample s;

			if (rec.header->type != PERF_RECORD_SAMPLE)
				continue;
			assert_int_equal(sample__decode(&d, &rec, &s), 0);
			assert_int_equal(s.evsel->idx, nr & 1);
			assert_int_equal(s.ip, 0x1000 + nr);
			assert_int_equal(s.tid, 6);
			nr++;
		}
	}
	assert_int_equal(nr, 10);
	sample_decoder__exit(&d);
	block__exit(&b);
	reader_pass__delete(p);
}

static void reads_files(void **state)
{
	static const size_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 200 };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(sizes); i++) {
		struct image im;
		struct reader *r;
		struct seen seen;
		char *host;

		build_file(&im, i & 1, sizes[i / 2], 10);
		r = must_open(&im);
		assert_int_equal(r->evlist.evsels.nr, 2);
		assert_int_equal(r->evlist.evsels.v[1]->attr_size, sizes[i / 2]);
		assert_true(r->evlist.evsels.v[1]->attr.exclude_guest);
		assert_false(r->evlist.evsels.v[1]->attr.inherit);
		assert_int_equal(r->evlist.evsels.v[1]->attr.aux_watermark,
				 sizes[i / 2] >= 112 ? 0x01020304 : 0);
		assert_int_equal(r->evlist.evsels.v[1]->attr.sample_max_stack,
				 sizes[i / 2] >= 112 ? 0x0506 : 0);
		assert_int_equal(r->evlist.evsels.v[1]->config3, sizes[i / 2] >= 136 ? 0xabcd : 0);
		assert_string_equal(r->evlist.evsels.v[0]->name, "first");
		assert_string_equal(r->evlist.evsels.v[1]->name, "second");
		seen = both_passes(r);
		assert_int_equal(seen.nr, 13);
		assert_int_equal(seen.by_type[PERF_RECORD_SAMPLE], 10);
		assert_int_equal(r->damage.code, 0);
		assert_int_equal(r->needs_swap, i & 1);
		check_decoded(r);
		assert_int_equal(features__string(r, FEATURE_HOSTNAME, &host), 0);
		assert_string_equal(host, "somewhere");
		free(host);
		reader__close(r);
		image__exit(&im);
	}
}

static void build_pipe(struct image *im, bool swap)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);

	image__init(im, swap);
	image__pipe_header(im);
	for (u64 i = 0; i < 2; i++) {
		image__begin(im, RECORD_HEADER_ATTR, 0);
		image__attr(im, &a, 112);
		image__u64(im, i ? 22 : 11);
		image__end(im);
	}
	image__begin(im, RECORD_EVENT_UPDATE, 0);
	image__u64(im, 2);
	image__u64(im, 22);
	image__str(im, "renamed", 8);
	image__end(im);
	image__begin(im, RECORD_HEADER_FEATURE, 0);
	image__u64(im, FEATURE_HOSTNAME);
	image__feature_str(im, "somewhere");
	image__end(im);
	image__begin(im, RECORD_HEADER_TRACING_DATA, 0);
	image__u32(im, 13);
	image__end(im);
	image__str(im, "payload", 16);
	add_records(im, 10);
	image__begin(im, RECORD_AUXTRACE, 0);
	image__u64(im, 4096);
	for (int i = 0; i < 4; i++)
		image__u64(im, 0);
	image__end(im);
	image__str(im, "", 4096);
	image__begin(im, 60, 0); /* a type nobody knows */
	image__end(im);
}

static void reads_pipes(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct strbuf sb = STRBUF_INIT;
		struct image im;
		struct reader *r;
		struct seen seen;
		char *host;

		build_pipe(&im, swap);
		r = must_open(&im);
		assert_int_equal(must_scan(r).nr_unknown, 1);
		reader__close(r);
		r = must_open(&im);
		seen = both_passes(r);
		assert_int_equal(r->damage.code, 0);
		assert_int_equal(seen.nr, 5 + 13 + 2);
		assert_int_equal(seen.payload, 16 + 4096);
		assert_string_equal(r->evlist.evsels.v[0]->name, "cpu-clock");
		assert_string_equal(r->evlist.evsels.v[1]->name, "renamed");
		check_decoded(r);
		assert_int_equal(features__string(r, FEATURE_HOSTNAME, &host), 0);
		assert_string_equal(host, "somewhere");
		free(host);
		assert_int_equal(reader__feature(r, FEATURE_TRACING_DATA, &sb), 0);
		assert_int_equal(sb.len, 13);
		assert_string_equal(sb.buf, "payload");
		assert_int_equal(reader__feature(r, FEATURE_CPUID, &sb), -ENOENT);
		strbuf__exit(&sb);
		reader__close(r);
		image__exit(&im);
	}
}

/* Header features as patched perf 3.x sends them: records from 69 up, with a text or numbers. */
static void add_old_features(struct image *im)
{
	for (u32 type = RECORD_ID_INDEX; type <= RECORD_COMPRESSED; type++) {
		image__begin(im, type, 0);
		image__feature_str(im, "3.8.11");
		image__end(im);
	}
	image__begin(im, RECORD_HEADER_FEATURE, 0); /* NUMA_TOPOLOGY: node 0, as if it were of bit 1 */
	image__u32(im, FEATURE_TRACING_DATA);
	image__u32(im, 0);
	image__end(im);
}

static void reads_pipes_of_patched_perf(void **state)
{
	struct image im;
	struct reader *r;
	struct seen seen;
	struct strbuf sb = STRBUF_INIT;
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);

	(void)state;
	image__init(&im, false);
	image__pipe_header(&im);
	image__begin(&im, RECORD_HEADER_ATTR, 0);
	image__attr(&im, &a, 112);
	image__u64(&im, 11);
	image__end(&im);
	add_records(&im, 10);
	add_old_features(&im);
	add_old_features(&im);
	add_records(&im, 10);
	r = must_open(&im);
	seen = both_passes(r);
	assert_int_equal(r->damage.code, 0);
	assert_int_equal(seen.nr, 1 + 2 * 14 + 2 * 13);
	assert_int_equal(seen.by_type[PERF_RECORD_SAMPLE], 20);
	assert_non_null(strstr(r->warnings.text.buf, "more than a pipe can hold"));
	assert_null(strchr(r->warnings.text.buf, '\n')); /* once */
	assert_int_equal(reader__feature(r, FEATURE_TRACING_DATA, &sb), -ENOENT);
	reader__close(r);
	strbuf__exit(&sb);
	image__exit(&im);
}

/* Cut at every byte: opened and read as far as it goes, or refused with a reason; what is missing is said. */
static void reads_what_is_left(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		u64 last = 0;
		struct image im;

		if (kind == 2)
			build_pipe(&im, false);
		else
			build_file(&im, kind, 112, 10);
		for (size_t size = 0; size < im.b.len; size++) {
			struct err err = ERR_INIT;
			struct reader *r;

			if (image__open(im.b.buf, size, &r, &err)) {
				assert_true(size < 104);
				assert_true(err.text.len > 0);
			} else {
				struct seen seen = both_passes(r);

				assert_true(seen.nr >= last);
				last = seen.nr;
				if (kind < 2)
					assert_true(r->damage.code || r->warnings.code || seen.nr == 13);
				reader__close(r);
			}
			err__exit(&err);
		}
		assert_int_equal(last, kind == 2 ? 19 : 13);
		image__exit(&im);
	}
}

static void says_what_is_wrong(void **state)
{
	struct err err = ERR_INIT;
	struct image im;
	struct reader *r;

	(void)state;
	assert_int_equal(image__open("", 0, &r, &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "it is empty"));
	assert_int_equal(image__open("#!/bin/sh\nexit 0\n", 17, &r, &err), -EINVAL);
	assert_non_null(strstr(err.text.buf, "not a perf.data file"));
	assert_int_equal(reader__open(&r, "/nonexistent/perf.data", &err), -ENOENT);
	assert_int_equal(reader__open(&r, "/dev/null", &err), -EINVAL);

	build_file(&im, false, 112, 10);
	image__put_u64(&im, 40, 1 << 30); /* data behind the file */
	r = must_open(&im);
	assert_int_equal(pass(r).nr, 0);
	assert_non_null(strstr(r->damage.text.buf, "the records are at offset 1073741824"));
	reader__close(r);
	image__exit(&im);

	build_file(&im, false, 112, 10);
	image__put_u64(&im, 48, 0); /* killed */
	strbuf__setlen(&im.b, 104 + 2 * 128 + 16 + 48 + 24 + 3 * 32 + 5);
	r = must_open(&im);
	assert_true(r->unterminated);
	assert_int_equal(both_passes(r).nr, 2 + 3);
	assert_int_equal(r->damage.code, 0);
	assert_non_null(strstr(r->warnings.text.buf, "was not completed"));
	reader__close(r);
	image__exit(&im);

	build_file(&im, false, 112, 10);
	((struct perf_event_header *)(void *)(im.b.buf + 104 + 2 * 128 + 16 + 48))->size = 7; /* the comm */
	r = must_open(&im);
	assert_int_equal(both_passes(r).nr, 1);
	assert_non_null(strstr(r->damage.text.buf, "offset 424: a record of size 7"));
	reader__close(r);
	image__exit(&im);
	err__exit(&err);
}

/* What follows a record that is cut by its size is no record: the damage is where it is. */
static void says_where_a_short_record_is(void **state)
{
	struct image im;
	struct reader *r;

	(void)state;
	build_file(&im, false, 112, 10);
	((struct perf_event_header *)(void *)(im.b.buf + 104 + 2 * 128 + 16 + 48))->size = 8; /* the comm */
	r = must_open(&im);
	both_passes(r);
	assert_non_null(strstr(r->damage.text.buf,
			       "offset 424: a record of type COMM and 8 bytes, expected at least 16"));
	assert_null(strchr(r->damage.text.buf, '\n'));
	reader__close(r);
	image__exit(&im);
}

/* Records of odd sizes in a row: each block begins aligned, and time stays linear. */
static void reads_odd_sizes(void **state)
{
	enum { NR = 100000 };
	struct image im;
	struct reader *r;
	struct seen seen;

	(void)state;
	image__init(&im, false);
	image__pipe_header(&im);
	for (int i = 0; i < NR; i++) {
		image__begin(&im, 60, 0);
		image__u8(&im, (u8)i);
		image__end(&im);
	}
	r = must_open(&im);
	seen = both_passes(r);
	assert_int_equal(seen.nr, NR);
	assert_int_equal(seen.last_offset, 16 + 9 * (NR - 1));
	reader__close(r);
	image__exit(&im);
}

struct claimer {
	struct reader_pass *p;
	struct seen seen;
	u64 sum; /* of the offsets; the same in any order */
};

static void *claim(void *arg)
{
	struct claimer *c = arg;
	struct block b = BLOCK_INIT;

	while (reader_pass__next(c->p, &b, NULL) > 0) {
		struct record rec;

		for (size_t pos = 0; block__next(&b, &pos, &rec);) {
			see(&c->seen, &rec);
			c->sum += rec.offset;
		}
	}
	block__exit(&b);
	return NULL;
}

static u64 claimed(struct reader *r, int nr_threads, u64 *sum)
{
	struct reader_pass *p = reader_pass__new(r);
	struct claimer c[4] = { 0 };
	pthread_t t[4];
	u64 nr = 0;

	*sum = 0;
	for (int i = 0; i < nr_threads; i++) {
		c[i].p = p;
		pthread_create(&t[i], NULL, claim, &c[i]);
	}
	for (int i = 0; i < nr_threads; i++) {
		pthread_join(t[i], NULL);
		nr += c[i].seen.nr;
		*sum += c[i].sum;
	}
	reader_pass__delete(p);
	return nr;
}

static void shares_a_pass(void **state)
{
	(void)state;
	for (int swap = 0; swap < 2; swap++) {
		struct image im;
		struct reader *r;
		u64 one, many, nr;

		build_file(&im, swap, 112, 100000); /* several blocks */
		r = must_open(&im);
		nr = pass(r).nr;
		assert_int_equal(nr, 100003);
		assert_int_equal(claimed(r, 1, &one), nr);
		assert_int_equal(claimed(r, 4, &many), nr);
		assert_int_equal(one, many);
		reader__close(r);
		image__exit(&im);
	}
}

/* Nonsense in a good file: no crash, no endless loop, the same records in both passes. */
static void survives_flipped_bits(void **state)
{
	u32 seed = 1;

	(void)state;
	for (int kind = 0; kind < 4; kind++) {
		struct image im;
		char *good;

		if (kind < 2)
			build_file(&im, kind, 112, 10);
		else
			build_pipe(&im, kind == 3);
		good = xmemdup(im.b.buf, im.b.len);
		for (int i = 0; i < 1500; i++) {
			struct strbuf out = STRBUF_INIT;
			struct build_id_table t;
			struct reader *r;

			memcpy(im.b.buf, good, im.b.len);
			for (int j = 0; j < 3; j++) {
				seed = seed * 1664525 + 1013904223;
				im.b.buf[(seed >> 8) % im.b.len] = (char)(seed >> 3);
			}
			if (image__open(im.b.buf, im.b.len, &r, NULL))
				continue;
			both_passes(r);
			features__print(r, true, &out);
			if (!features__build_ids(r, &t))
				for (size_t j = 0; j < t.entries.nr; j++)
					image__touch(t.entries.v[j].filename,
						     strlen(t.entries.v[j].filename));
			build_id_table__exit(&t);
			strbuf__exit(&out);
			reader__close(r);
		}
		free(good);
		image__exit(&im);
	}
}

static void write_file(const char *dir, const char *name, const void *data, size_t size)
{
	char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite(data, 1, size, f);
	fclose(f);
	free(path);
}

/* As libc's, but the call number fails_at for this file fails. */
static struct {
	ino_t ino; /* 0: none */
	int nr, fails_at;
} fstat_plan;

int fstat(int fd, struct stat *st)
{
	int ret = fstatat(fd, "", st, AT_EMPTY_PATH);

	if (ret || !fstat_plan.ino || st->st_ino != fstat_plan.ino || ++fstat_plan.nr != fstat_plan.fails_at)
		return ret;
	errno = EIO;
	return -1;
}

static int nr_open_descriptors(void)
{
	int nr = 0;

	for (int fd = 0; fd < 256; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static void failed_parts_leave_nothing_open(void **state)
{
	char dir[] = "/tmp/perf-test-XXXXXX", *data, *part;
	int before = nr_open_descriptors(), nr_failed = 0;
	struct image im;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(dir));
	data = xasprintf("%s/data", dir);
	part = xasprintf("%s/data.0", dir);
	build_file(&im, false, 112, 10);
	write_file(dir, "data", im.b.buf, im.b.len);
	write_file(dir, "data.0", im.b.buf, 0);
	assert_int_equal(stat(part, &st), 0);
	for (bool is_open = false; !is_open; nr_failed++) {
		struct err err = ERR_INIT;
		struct reader *r = NULL;

		fstat_plan = (typeof(fstat_plan)){ .ino = st.st_ino, .fails_at = nr_failed + 1 };
		is_open = !reader__open(&r, dir, &err);
		assert_true(is_open || strstr(err.text.buf, "data.0'"));
		reader__close(r);
		err__exit(&err);
		assert_int_equal(nr_open_descriptors(), before);
	}
	assert_true(nr_failed > 2); /* the reader looks at the size, too */
	fstat_plan.ino = 0;
	unlink(part);
	unlink(data);
	assert_int_equal(rmdir(dir), 0);
	free(part);
	free(data);
	image__exit(&im);
}

static void reads_directories(void **state)
{
	static const char *const names[] = { "data", "data.0", "data.1", "data.10", "data.x" };
	char dir[] = "/tmp/perf-test-XXXXXX";
	struct image im, more;
	struct reader *r;

	(void)state;
	assert_non_null(mkdtemp(dir));
	build_file(&im, false, 112, 10);
	image__init(&more, false);
	add_records(&more, 4);
	write_file(dir, "data", im.b.buf, im.b.len);
	write_file(dir, "data.0", more.b.buf, more.b.len);
	write_file(dir, "data.1", more.b.buf, more.b.len - 9); /* damage in one leaves the others */
	write_file(dir, "data.10", more.b.buf, more.b.len);
	write_file(dir, "data.x", "?", 1);
	assert_int_equal(reader__open(&r, dir, NULL), 0);
	assert_true(r->is_dir);
	assert_int_equal(r->segments.nr, 4);
	assert_int_equal(both_passes(r).by_type[PERF_RECORD_SAMPLE], 10 + 4 + 3 + 4);
	assert_non_null(strstr(r->damage.text.buf, "data.1'"));
	reader__close(r);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = xasprintf("%s/%s", dir, names[i]);

		unlink(path);
		free(path);
	}
	assert_int_equal(rmdir(dir), 0);
	image__exit(&im);
	image__exit(&more);
}

#ifdef HAVE_LIBZSTD
/* The records as one zstd stream, cut into compressed records wherever chunk bytes end. */
static void build_compressed(struct image *im, bool two, int nr, size_t chunk)
{
	struct perf_event_attr a = image__cpu_clock(SAMPLE_TYPE);
	struct image plain;
	size_t size, cap;
	char *packed;

	image__init(&plain, false);
	add_records(&plain, nr);
	cap = ZSTD_compressBound(plain.b.len);
	packed = xmalloc(cap);
	size = ZSTD_compress(packed, cap, plain.b.buf, plain.b.len, 1);
	image__init(im, false);
	image__pipe_header(im);
	for (u64 i = 0; i < 2; i++) {
		image__begin(im, RECORD_HEADER_ATTR, 0);
		image__attr(im, &a, 112);
		image__u64(im, i ? 22 : 11);
		image__end(im);
	}
	for (size_t at = 0; at < size; at += chunk) {
		size_t n = MIN(chunk, size - at);

		image__begin(im, two ? RECORD_COMPRESSED2 : RECORD_COMPRESSED, 0);
		if (two)
			image__u64(im, n);
		strbuf__add(&im->b, packed + at, n);
		while (two && im->b.len % 8)
			image__u8(im, 0);
		image__end(im);
	}
	image__comm(im, 5, "after");
	free(packed);
	image__exit(&plain);
}

static void reads_compressed(void **state)
{
	static const size_t chunks[] = { 7, 100, 60000 };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(chunks); i++) {
		struct image im;
		struct reader *r;
		struct seen seen;

		build_compressed(&im, i & 1, 40000, chunks[i / 2]);
		r = must_open(&im);
		seen = both_passes(r);
		assert_int_equal(r->damage.code, 0);
		assert_true(r->is_compressed);
		assert_true((i & 1 ? r->nr_compressed2 : r->nr_compressed) > 0);
		assert_int_equal(seen.nr, 2 + 40003 + 1);
		assert_int_equal(seen.by_type[PERF_RECORD_SAMPLE], 40000);
		reader__close(r);

		/* A broken stream: what came before it is there. */
		im.b.buf[im.b.len / 2] ^= 0x55;
		r = must_open(&im);
		seen = both_passes(r);
		assert_true(seen.nr >= 2);
		reader__close(r);
		image__exit(&im);
	}
}

static void survives_cut_compressed(void **state)
{
	struct image im;

	(void)state;
	build_compressed(&im, false, 30, 40);
	for (size_t size = 16; size < im.b.len; size++) {
		struct reader *r;

		assert_int_equal(image__open(im.b.buf, size, &r, NULL), 0);
		both_passes(r);
		reader__close(r);
	}
	image__exit(&im);
}
#endif

/* What cannot seek is read to its end first. */
static void reads_real_pipes(void **state)
{
	struct image im;
	struct reader *r;
	int fds[2], saved;

	(void)state;
	build_pipe(&im, false);
	assert_true(im.b.len < 65536);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(file__write_all(fds[1], im.b.buf, im.b.len), 0);
	close(fds[1]);
	saved = dup(STDIN_FILENO);
	dup2(fds[0], STDIN_FILENO);
	close(fds[0]);
	assert_int_equal(reader__open(&r, "-", NULL), 0);
	dup2(saved, STDIN_FILENO);
	close(saved);
	assert_int_equal(both_passes(r).nr, 20);
	reader__close(r);
	image__exit(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_files),
		cmocka_unit_test(reads_pipes),
		cmocka_unit_test(reads_pipes_of_patched_perf),
		cmocka_unit_test(reads_what_is_left),
		cmocka_unit_test(says_what_is_wrong),
		cmocka_unit_test(says_where_a_short_record_is),
		cmocka_unit_test(reads_odd_sizes),
		cmocka_unit_test(shares_a_pass),
		cmocka_unit_test(survives_flipped_bits),
		cmocka_unit_test(failed_parts_leave_nothing_open),
		cmocka_unit_test(reads_directories),
#ifdef HAVE_LIBZSTD
		cmocka_unit_test(reads_compressed),
		cmocka_unit_test(survives_cut_compressed),
#endif
		cmocka_unit_test(reads_real_pipes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
