#include "format/records/swap.h"

#include "base/memory/cursor.h"
#include "format/records/sample_field.h"

#include <string.h>

/*
 * The fields of a record after its header, by letter: 2, 4, 8: a number of so many bytes; B: 8 bytes that
 * stay as they are; s: a string up to the end; *: the fields after it repeat up to the trailer. Records with
 * NULL have no numbers to swap here.
 */
static const char *const record_shapes[RECORD_TYPE_MAX] = {
	[PERF_RECORD_MMAP] = "44888s",
	[PERF_RECORD_LOST] = "88",
	[PERF_RECORD_COMM] = "44s",
	[PERF_RECORD_EXIT] = "44448",
	[PERF_RECORD_THROTTLE] = "888",
	[PERF_RECORD_UNTHROTTLE] = "888",
	[PERF_RECORD_FORK] = "44448",
	[PERF_RECORD_READ] = "44*8",
	[PERF_RECORD_MMAP2] = "44888448844s",
	[PERF_RECORD_AUX] = "888",
	[PERF_RECORD_ITRACE_START] = "44",
	[PERF_RECORD_LOST_SAMPLES] = "8",
	[PERF_RECORD_SWITCH] = "",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "44",
	[PERF_RECORD_NAMESPACES] = "44*8",
	[PERF_RECORD_KSYMBOL] = "8422s",
	[PERF_RECORD_BPF_EVENT] = "224B",
	[PERF_RECORD_CGROUP] = "8s",
	[PERF_RECORD_TEXT_POKE] = "822s",
	[21] = "8",  /* AUX_OUTPUT_HW_ID */
	[22] = "*8", /* CALLCHAIN_DEFERRED */
	[RECORD_HEADER_EVENT_TYPE] = "8s",
	[RECORD_HEADER_TRACING_DATA] = "4",
	[RECORD_HEADER_BUILD_ID] = "4s",
	[RECORD_ID_INDEX] = "*8",
	[RECORD_AUXTRACE_INFO] = "44*8",
	[RECORD_AUXTRACE] = "8884444",
	[RECORD_AUXTRACE_ERROR] = "44444488BBBBBBBB44",
	[RECORD_THREAD_MAP] = "8*8BB",
	[RECORD_STAT_CONFIG] = "*8",
	[RECORD_STAT] = "844888",
	[RECORD_STAT_ROUND] = "88",
	[RECORD_TIME_CONV] = "88888s",
	[RECORD_HEADER_FEATURE] = "8s",
	[RECORD_COMPRESSED2] = "8s",
};
static const char mmap2_build_id_shape[] = "44888BBB44s"; /* size, 3 reserved, 20 bytes of id */

/* struct perf_event_attr; R: the word of bit fields. */
static const char attr_shape[] = "448888R448888448422448*8";

static void swap2(u8 *p)
{
	u16 x;

	memcpy(&x, p, sizeof(x));
	x = __builtin_bswap16(x);
	memcpy(p, &x, sizeof(x));
}

static void swap4(u8 *p)
{
	u32 x;

	memcpy(&x, p, sizeof(x));
	x = __builtin_bswap32(x);
	memcpy(p, &x, sizeof(x));
}

static void swap8(u8 *p)
{
	u64 x;

	memcpy(&x, p, sizeof(x));
	x = __builtin_bswap64(x);
	memcpy(p, &x, sizeof(x));
}

/*
 * Swap the bit fields of the attr. The other order's first flag is the highest bit of the first byte, ours
 * the lowest. precise_ip has two bits, in the second and third byte, whose order stays.
 */
static void swap_attr_bits(u8 *p)
{
	u8 low, high;

	for (int i = 0; i < 8; i++) {
		u8 b = p[i], turned = 0;

		for (int bit = 0; bit < 8; bit++)
			if (b & 1 << bit)
				turned |= (u8)(0x80 >> bit);
		p[i] = turned;
	}
	low = p[1] >> 7;
	high = p[2] & 1;
	p[1] = (u8)((p[1] & 0x7f) | high << 7);
	p[2] = (u8)((p[2] & 0xfe) | low);
}

static size_t field_size(char shape)
{
	switch (shape) {
	case '2':
		return 2;
	case '4':
		return 4;
	case '8':
	case 'B':
	case 'R':
		return 8;
	default:
		return 1;
	}
}

/* Swap the fields of a shape. A field that is cut off stays as it is. */
static void swap_shape(const char *shape, u8 *p, const u8 *end)
{
	const char *again = NULL;

	for (;; shape++) {
		size_t size;

		if (*shape == '*')
			again = ++shape;
		if (!*shape && again)
			shape = again;
		if (!*shape)
			return;
		size = field_size(*shape);
		if ((size_t)(end - p) < size)
			return;
		if (size == 2)
			swap2(p);
		else if (size == 4)
			swap4(p);
		else if (*shape == '8')
			swap8(p);
		else if (*shape == 'R')
			swap_attr_bits(p);
		p += size;
	}
}

void attr__swap(void *attr, size_t size)
{
	swap_shape(attr_shape, attr, (u8 *)attr + size);
}

/* ---- samples ---- */

/*
 * Walk the bytes of a sample. Numbers before p are swapped, so that counts can be read. Each step stops at
 * the end of the record; the decoder reports what is missing.
 */
struct swapper {
	u8 *p, *end;
};

static u64 swapper__u64(struct swapper *s)
{
	u64 x;

	if (s->end - s->p < 8) {
		s->p = s->end;
		return 0;
	}
	swap8(s->p);
	memcpy(&x, s->p, sizeof(x));
	s->p += 8;
	return x;
}

static void swapper__words(struct swapper *s, u64 nr)
{
	nr = MIN(nr, (u64)(s->end - s->p) / 8);
	for (u64 i = 0; i < nr; i++)
		(void)swapper__u64(s);
}

static void swapper__u32(struct swapper *s)
{
	if (s->end - s->p < 4) {
		s->p = s->end;
		return;
	}
	swap4(s->p);
	s->p += 4;
}

static void swapper__skip(struct swapper *s, u64 size)
{
	s->p += MIN(size, (u64)(s->end - s->p));
}

static void swap_read(struct swapper *s, u64 format)
{
	unsigned times =
		!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned stride = 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_FORMAT_LOST);
	u64 nr = 1;

	if (format & PERF_FORMAT_GROUP)
		nr = swapper__u64(s);
	swapper__words(s, times);
	swapper__words(s, MIN(nr, 0x10000u) * stride);
}

static void swap_raw(struct swapper *s, const u8 *start)
{
	u32 size = 0;

	if (s->end - s->p >= 4) {
		swap4(s->p);
		memcpy(&size, s->p, sizeof(size));
	}
	swapper__skip(s, 4);
	swapper__skip(s, size);
	swapper__skip(s, (u64) - (s->p - start) & 7);
}

/* mispred, predicted, in_tx, abort, cycles:16, type:4, spec:2, new_type:4, priv:3: from the top instead of
 * the bottom. */
static void swap_branch_flags(u8 *p)
{
	static const u8 widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	unsigned shift = 0;
	u64 from, to = 0;

	memcpy(&from, p, sizeof(from));
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		u64 mask = (1ull << widths[i]) - 1;

		to |= (from >> (64 - shift - widths[i]) & mask) << shift;
		shift += widths[i];
	}
	memcpy(p, &to, sizeof(to));
}

static void swap_branches(struct swapper *s, u64 branch_type)
{
	u64 nr = swapper__u64(s);

	if (branch_type & BRANCH_HW_INDEX)
		swapper__words(s, 1);
	nr = MIN(nr, (u64)(s->end - s->p) / 24);
	for (u64 i = 0; i < nr; i++) {
		swapper__words(s, 3);
		swap_branch_flags(s->p - 8);
	}
	if (branch_type & BRANCH_COUNTERS)
		swapper__words(s, nr);
}

static void swap_regs(struct swapper *s, u64 mask)
{
	if (swapper__u64(s))
		swapper__words(s, (u64)__builtin_popcountll(mask));
}

static void swap_user_stack(struct swapper *s)
{
	u64 size = swapper__u64(s);

	swapper__skip(s, size);
	swapper__words(s, !!size);
}

/* Swap a field after the chain. */
static void swap_field(struct swapper *s, const struct perf_event_attr *attr, enum sample_field_id id,
		       const u8 *start)
{
	switch (id) {
	case FIELD_RAW:
		swap_raw(s, start);
		break;
	case FIELD_BRANCHES:
		swap_branches(s, attr->branch_sample_type);
		break;
	case FIELD_USER_REGS:
		swap_regs(s, attr->sample_regs_user);
		break;
	case FIELD_USER_STACK:
		swap_user_stack(s);
		break;
	case FIELD_INTR_REGS:
		swap_regs(s, attr->sample_regs_intr);
		break;
	case FIELD_AUX:
		swapper__skip(s, swapper__u64(s));
		break;
	default:
		swapper__words(s, 1);
	}
}

static void swap_sample_tail(struct swapper *s, const struct perf_event_attr *attr, const u8 *start)
{
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		swap_read(s, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN)
		swapper__words(s, swapper__u64(s));
	for (u32 left = sample_fields__tail(type); left; left &= left - 1)
		swap_field(s, attr, (enum sample_field_id)(FIELD_TAIL + __builtin_ctz(left)), start);
}

/* The evsel of a sample whose body is still in the other order. */
static const struct evsel *foreign_sample__evsel(const struct sample_decoder *d, const void *record)
{
	struct perf_event_header *copy = xmalloc(ROUND_UP(SAMPLE_NO_FIELD, 8));
	const struct perf_event_header *h = record;
	struct record r = { .header = copy };
	const struct evsel *e;

	memcpy(copy, record, h->size);
	swap_shape("*8", (u8 *)(copy + 1), (u8 *)copy + h->size);
	e = sample_decoder__evsel(d, &r);
	free(copy);
	return e;
}

static void swap_sample(const struct sample_decoder *d, u8 *record, size_t size)
{
	struct swapper s = { record + sizeof(struct perf_event_header), record + size };
	const struct evsel *e = d->only ? d->only : foreign_sample__evsel(d, record);
	const struct sample_layout *l;

	if (!e) {
		swapper__words(&s, UINT64_MAX);
		return;
	}
	l = &d->layouts[e->idx];
	for (u16 offset = sizeof(struct perf_event_header); offset < l->fixed_end; offset += 8) {
		if (offset != l->tid && offset != l->cpu) {
			swapper__words(&s, 1);
			continue;
		}
		swapper__u32(&s);
		swapper__u32(&s);
	}
	swap_sample_tail(&s, &e->attr, record);
}

/* ---- the rest ---- */

/* The trailer, bytes at the record's end; returns how many. All evsels of a recording share its shape, or
 * have an id last. */
static size_t swap_trailer(const struct sample_decoder *d, u8 *record, size_t size, u32 type)
{
	static const u64 bits[] = {
		PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
		PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER,
	};
	const struct evlist *l = d->evlist;
	u64 sample_type;
	size_t words = 0;
	u8 *p;

	if (type >= RECORD_HEADER_ATTR || !l->evsels.nr || !evlist__sample_id_all(l))
		return 0;
	sample_type = l->evsels.v[0]->attr.sample_type;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		words += !!(sample_type & bits[i]);
	if (size < sizeof(struct perf_event_header) + words * 8)
		return 0;
	p = record + size - words * 8;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		if (!(sample_type & bits[i]))
			continue;
		swap_shape(bits[i] & (PERF_SAMPLE_TID | PERF_SAMPLE_CPU) ? "44" : "8", p, p + 8);
		p += 8;
	}
	return words * 8;
}

static void swap_header_attr(u8 *p, u8 *end)
{
	u32 size = 0;

	if (end - p < EVENT_ATTR_SIZE_MIN)
		return;
	memcpy(&size, p + 4, sizeof(size));
	size = __builtin_bswap32(size);
	if (size < EVENT_ATTR_SIZE_MIN || size > (size_t)(end - p))
		size = EVENT_ATTR_SIZE_MIN;
	attr__swap(p, size);
	swap_shape("*8", p + size, end);
}

/* type, then: a list of cpus, a mask in words of a size that comes first, or a range. */
static void swap_cpu_map(u8 *p, u8 *end)
{
	u16 type, long_size;

	if (end - p < 8)
		return;
	swap2(p);
	memcpy(&type, p, sizeof(type));
	if (type == 0) {
		swap_shape("*2", p + 2, end);
	} else if (type == 1) {
		swap_shape("22", p + 2, p + 6);
		memcpy(&long_size, p + 4, sizeof(long_size));
		if (long_size == 4)
			swap_shape("*4", p + 6, end);
		else if (end - p >= 10) /* 4 bytes of padding */
			swap_shape("*8", p + 10, end);
	} else if (type == 2) {
		swap_shape("22", p + 4, p + 8);
	}
}

static void swap_event_update(u8 *p, u8 *end)
{
	u64 type = 0;

	swap_shape("88", p, end);
	if (end - p < 16)
		return;
	memcpy(&type, p, sizeof(type));
	if (type == 1) /* scale, a double */
		swap_shape("8", p + 16, end);
	else if (type == 3)
		swap_cpu_map(p + 16, end);
}

/* name, number of strings, strings */
static void swap_bpf_metadata(u8 *p, u8 *end)
{
	swap_shape("BB8", p, end);
}

static const struct {
	u32 type;
	void (*swap)(u8 *body, u8 *end);
} swap_special[] = {
	{ RECORD_HEADER_ATTR, swap_header_attr },
	{ RECORD_CPU_MAP, swap_cpu_map },
	{ RECORD_EVENT_UPDATE, swap_event_update },
	{ RECORD_BPF_METADATA, swap_bpf_metadata },
};

void record__swap(const struct sample_decoder *d, void *record)
{
	struct perf_event_header h;
	u8 *body = (u8 *)record + sizeof(h), *end;
	const char *shape;

	memcpy(&h, record, sizeof(h));
	h = event_header__swapped(h);
	memcpy(record, &h, sizeof(h));
	if (h.type == PERF_RECORD_SAMPLE) {
		swap_sample(d, record, h.size);
		return;
	}
	end = (u8 *)record + h.size;
	for (size_t i = 0; i < ARRAY_SIZE(swap_special); i++) {
		if (swap_special[i].type == h.type) {
			swap_special[i].swap(body, end);
			return;
		}
	}
	end -= swap_trailer(d, record, h.size, h.type);
	shape = h.type < RECORD_TYPE_MAX ? record_shapes[h.type] : NULL;
	if (h.type == PERF_RECORD_MMAP2 && h.misc & MISC_MMAP_BUILD_ID)
		shape = mmap2_build_id_shape;
	if (shape)
		swap_shape(shape, body, end);
}
