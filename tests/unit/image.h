/*
 * Builds perf.data images piece by piece, in this machine's byte order or in the other one, and opens them
 * with the reader (from memory: /proc/self/fd/N of a memfd).
 */
#ifndef IMAGE_H
#define IMAGE_H

#include "base/system/file.h"
#include "format/read/reader.h"
#include "format/records/sample.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IMAGE_FN static __attribute__((unused))

struct image {
	struct strbuf b;
	bool swap;     /* build in the other byte order */
	size_t record; /* start of the open record */
	size_t nr_attrs;
};

IMAGE_FN void image__init(struct image *im, bool swap)
{
	*im = (struct image){ .b = STRBUF_INIT, .swap = swap };
}

IMAGE_FN void image__exit(struct image *im)
{
	strbuf__exit(&im->b);
}

IMAGE_FN void image__u8(struct image *im, u8 x)
{
	strbuf__add(&im->b, &x, sizeof(x));
}

IMAGE_FN void image__u16(struct image *im, u16 x)
{
	x = im->swap ? __builtin_bswap16(x) : x;
	strbuf__add(&im->b, &x, sizeof(x));
}

IMAGE_FN void image__u32(struct image *im, u32 x)
{
	x = im->swap ? __builtin_bswap32(x) : x;
	strbuf__add(&im->b, &x, sizeof(x));
}

IMAGE_FN void image__u64(struct image *im, u64 x)
{
	x = im->swap ? __builtin_bswap64(x) : x;
	strbuf__add(&im->b, &x, sizeof(x));
}

IMAGE_FN void image__put_u64(struct image *im, size_t at, u64 x)
{
	x = im->swap ? __builtin_bswap64(x) : x;
	memcpy(im->b.buf + at, &x, sizeof(x));
}

IMAGE_FN void image__put_bytes(struct image *im, size_t at, const void *data, size_t size)
{
	memcpy(im->b.buf + at, data, size);
}

/* A string and its NUL in size bytes. */
IMAGE_FN void image__str(struct image *im, const char *s, size_t size)
{
	size_t len = strlen(s);

	strbuf__add(&im->b, s, len);
	for (; len < size; len++)
		image__u8(im, 0);
}

/* As header features store it. */
IMAGE_FN void image__feature_str(struct image *im, const char *s)
{
	size_t size = ROUND_UP(strlen(s) + 1, 64);

	image__u32(im, (u32)size);
	image__str(im, s, size);
}

/* The word of bit fields as a compiler for the other byte order lays it out: from the top of the word. */
IMAGE_FN u64 image__foreign_flags(u64 flags)
{
	u64 out = 0;

	for (int k = 0; k < 64; k++)
		if (k != 15 && k != 16 && flags >> k & 1)
			out |= 1ull << (63 - k);
	return out | (flags >> 15 & 3) << 47; /* precise_ip is a number of two bits */
}

IMAGE_FN void image__attr(struct image *im, const struct perf_event_attr *a, size_t size)
{
	size_t start = im->b.len;
	u64 flags;

	memcpy(&flags, (const u8 *)a + 40, sizeof(flags));
	image__u32(im, a->type);
	image__u32(im, a->size);
	image__u64(im, a->config);
	image__u64(im, a->sample_period);
	image__u64(im, a->sample_type);
	image__u64(im, a->read_format);
	image__u64(im, im->swap ? image__foreign_flags(flags) : flags);
	image__u32(im, a->wakeup_events);
	image__u32(im, a->bp_type);
	image__u64(im, a->bp_addr);
	image__u64(im, a->bp_len);
	image__u64(im, a->branch_sample_type);
	image__u64(im, a->sample_regs_user);
	image__u32(im, a->sample_stack_user);
	image__u32(im, (u32)a->clockid);
	image__u64(im, a->sample_regs_intr);
	image__u32(im, a->aux_watermark);
	image__u16(im, a->sample_max_stack);
	image__u16(im, 0);
	image__u64(im, 0);
	image__u64(im, 0);
	while (im->b.len < start + size)
		image__u64(im, 0xabcd);
	strbuf__setlen(&im->b, start + size);
}

/* The header of a file; data and attr sizes are filled in by image__end_data. attr_size: of an attr alone. */
IMAGE_FN void image__file_header(struct image *im, size_t nr_attrs, size_t attr_size, u64 features)
{
	image__u64(im, PERF_DATA_MAGIC2);
	image__u64(im, 104);
	image__u64(im, attr_size + 16);
	image__u64(im, 104);
	image__u64(im, nr_attrs * (attr_size + 16));
	image__u64(im, 104 + nr_attrs * (attr_size + 16));
	image__u64(im, 0);
	image__u64(im, 0);
	image__u64(im, 0);
	image__u64(im, features);
	for (int i = 0; i < 3; i++)
		image__u64(im, 0);
	im->nr_attrs = nr_attrs;
}

/* One attr entry of the header; its ids, if any, stand at ids_offset. */
IMAGE_FN void image__attr_entry(struct image *im, const struct perf_event_attr *a, size_t size,
				u64 ids_offset, u64 ids_size)
{
	image__attr(im, a, size);
	image__u64(im, ids_offset);
	image__u64(im, ids_size);
}

IMAGE_FN void image__pipe_header(struct image *im)
{
	image__u64(im, PERF_DATA_MAGIC2);
	image__u64(im, 16);
}

IMAGE_FN void image__begin(struct image *im, u32 type, u16 misc)
{
	im->record = im->b.len;
	image__u32(im, type);
	image__u16(im, misc);
	image__u16(im, 0);
}

IMAGE_FN void image__end(struct image *im)
{
	u16 size = (u16)(im->b.len - im->record);

	size = im->swap ? __builtin_bswap16(size) : size;
	memcpy(im->b.buf + im->record + 6, &size, sizeof(size));
}

/* Where records begin is in the header; they end here. */
IMAGE_FN void image__end_data(struct image *im)
{
	u64 start;

	memcpy(&start, im->b.buf + 40, sizeof(start));
	start = im->swap ? __builtin_bswap64(start) : start;
	image__put_u64(im, 48, im->b.len - start);
}

IMAGE_FN void image__comm(struct image *im, u32 pid, const char *comm)
{
	image__begin(im, PERF_RECORD_COMM, 0);
	image__u32(im, pid);
	image__u32(im, pid);
	image__str(im, comm, ROUND_UP(strlen(comm) + 1, 8));
	image__end(im);
}

/* An attr of a software event with what tests need. */
IMAGE_FN struct perf_event_attr image__cpu_clock(u64 sample_type)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE, .size = 112, .sample_period = 4000 };

	a.sample_type = sample_type;
	a.exclude_guest = 1;
	return a;
}

/* A file of the bytes, open until close(*fd). */
IMAGE_FN void image__path(const void *data, size_t size, int *fd, char path[64])
{
	*fd = memfd_create("image", MFD_CLOEXEC);
	(void)!file__pwrite_all(*fd, data, size, 0);
	snprintf(path, 64, "/proc/self/fd/%d", *fd);
}

IMAGE_FN int image__open_with(const void *data, size_t size, struct reader **r,
			      const struct reader_opts *opts, struct err *err)
{
	char path[64];
	int fd, ret;

	image__path(data, size, &fd, path);
	ret = reader__open_with(r, path, opts, err);
	close(fd);
	return ret;
}

IMAGE_FN int image__open(const void *data, size_t size, struct reader **r, struct err *err)
{
	return image__open_with(data, size, r, &(struct reader_opts){ 0 }, err);
}

/* Touches everything that a decoder says is there, so that sanitizers see it. */
static volatile u64 image_sink;
IMAGE_FN void image__touch(const void *p, u64 size)
{
	for (u64 i = 0; p && i < size; i++)
		image_sink += ((const u8 *)p)[i];
}

IMAGE_FN void image__touch_sample(const struct sample *s)
{
	image__touch(s->callchain, s->nr_callchain * 8);
	image__touch(s->raw, s->raw_size);
	image__touch(s->branches, s->nr_branches * 24);
	image__touch(s->branch_counters, s->branch_counters ? s->nr_branches * 8 : 0);
	image__touch(s->user_stack, s->stack_size);
	image__touch(s->aux, s->aux_size);
	image__touch(s->read.values, s->read.nr * s->read.stride * 8);
	if (s->user_regs)
		image__touch(s->user_regs, 8 * (u64)__builtin_popcountll(s->evsel->attr.sample_regs_user));
	if (s->intr_regs)
		image__touch(s->intr_regs, 8 * (u64)__builtin_popcountll(s->evsel->attr.sample_regs_intr));
}

#endif
