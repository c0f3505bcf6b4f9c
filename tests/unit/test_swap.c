/*
 * Records of the other byte order. Each is written down as a list of fields, as the comments of
 * <linux/perf_event.h> have them, and of the recorder's own records the perf.data format; it is built in both
 * orders, and swapping the one must give the other.
 */
#include "unit.h"

#include "image.h"
#include "format/records/swap.h"

#include <stdlib.h>

#define ANY_LAYOUT "u8 rest[64]"

static const struct {
	u32 type;
	u16 misc;
	const char *fields; /* "TYPE NAME[NUMBER]=VALUE, NAME...; TYPE..."; other fields have any value */
} records[] = {
	{ PERF_RECORD_MMAP, 2, "u32 pid, tid; u64 addr, len, pgoff; u8 filename[16]" },
	{ PERF_RECORD_LOST, 0, "u64 id, lost" },
	{ PERF_RECORD_COMM, 0, "u32 pid, tid; u8 comm[16]" },
	{ PERF_RECORD_EXIT, 0, "u32 pid, ppid, tid, ptid; u64 time" },
	{ PERF_RECORD_THROTTLE, 0, "u64 time, id, stream_id" },
	{ PERF_RECORD_UNTHROTTLE, 0, "u64 time, id, stream_id" },
	{ PERF_RECORD_FORK, 0, "u32 pid, ppid, tid, ptid; u64 time" },
	{ PERF_RECORD_READ, 0, "u32 pid, tid; u64 value, enabled, running, id, lost" },
	{ PERF_RECORD_MMAP2, 2,
	  "u32 pid, tid; u64 addr, len, pgoff; u32 maj, min; u64 ino, generation; u32 prot, flags; u8 "
	  "file[8]" },
	{ PERF_RECORD_MMAP2, 2 | MISC_MMAP_BUILD_ID,
	  "u32 pid, tid; u64 addr, len, pgoff; u8 size, reserved[3], id[20]; u32 prot, flags; u8 file[8]" },
	{ PERF_RECORD_AUX, 0, "u64 offset, size, flags" },
	{ PERF_RECORD_ITRACE_START, 0, "u32 pid, tid" },
	{ PERF_RECORD_LOST_SAMPLES, 0, "u64 lost" },
	{ PERF_RECORD_SWITCH, 0, "" },
	{ PERF_RECORD_SWITCH_CPU_WIDE, 0, "u32 pid, tid" },
	{ PERF_RECORD_NAMESPACES, 0, "u32 pid, tid; u64 nr=2, dev, inode, dev2, inode2" },
	{ PERF_RECORD_KSYMBOL, 0, "u64 addr; u32 len; u16 type, flags; u8 name[16]" },
	{ PERF_RECORD_BPF_EVENT, 0, "u16 type, flags; u32 id; u8 tag[8]" },
	{ PERF_RECORD_CGROUP, 0, "u64 id; u8 path[16]" },
	{ PERF_RECORD_TEXT_POKE, 0, "u64 addr; u16 old_len, new_len; u8 bytes[12]" },
	{ 21 /* AUX_OUTPUT_HW_ID */, 0, "u64 hw_id" },
	{ 22 /* CALLCHAIN_DEFERRED */, 0, "u64 cookie, nr=2, ip1, ip2" },
	{ RECORD_HEADER_EVENT_TYPE, 0, "u64 id; u8 name[64]" },
	{ RECORD_HEADER_TRACING_DATA, 0, "u32 size; u8 padding[4]" },
	{ RECORD_HEADER_BUILD_ID, MISC_BUILD_ID_SIZE, "u32 pid; u8 id[20], size, reserved[3], file[8]" },
	{ RECORD_FINISHED_ROUND, 0, "" },
	{ RECORD_ID_INDEX, 0, "u64 nr=2, id, idx, cpu, tid, id2, idx2, cpu2, tid2" },
	{ RECORD_AUXTRACE_INFO, 0, "u32 type, reserved; u64 priv, priv2, priv3" },
	{ RECORD_AUXTRACE, 0, "u64 size, offset, reference; u32 idx, tid, cpu, reserved" },
	{ RECORD_AUXTRACE_ERROR, 0,
	  "u32 type, code, cpu, pid, tid, fmt; u64 ip, time; u8 msg[64]; u32 machine, vcpu" },
	{ RECORD_THREAD_MAP, 0, "u64 nr=2, pid; u8 comm[16]; u64 pid2; u8 comm2[16]" },
	{ RECORD_CPU_MAP, 0, "u16 type=0, nr=4, cpu, cpu2, cpu3, cpu4" },
	{ RECORD_CPU_MAP, 0, "u16 type=1, nr=2, long_size=4; u32 mask, mask2; u8 padding[2]" },
	{ RECORD_CPU_MAP, 0, "u16 type=1, nr=1, long_size=8; u8 padding[4]; u64 mask; u8 padding[6]" },
	{ RECORD_CPU_MAP, 0, "u16 type=2; u8 any_cpu, padding; u16 first, last; u8 rest[8]" },
	{ RECORD_CPU_MAP, 0, "u16 type=3; u8 rest[14]" },
	{ RECORD_STAT_CONFIG, 0, "u64 nr=1, tag, value" },
	{ RECORD_STAT, 0, "u64 id; u32 cpu, thread; u64 value, enabled, running" },
	{ RECORD_STAT_ROUND, 0, "u64 type, time" },
	{ RECORD_EVENT_UPDATE, 0, "u64 type=0, id; u8 unit[16]" },
	{ RECORD_EVENT_UPDATE, 0, "u64 type=1, id, scale" },
	{ RECORD_EVENT_UPDATE, 0, "u64 type=2, id; u8 name[16]" },
	{ RECORD_EVENT_UPDATE, 0, "u64 type=3, id; u16 type=0, nr=1, cpu; u8 padding[2]=0" },
	{ RECORD_TIME_CONV, 0, "u64 shift, mult, zero, cycles, mask; u8 valid, is_short, reserved[6]" },
	{ RECORD_HEADER_FEATURE, 0, "u64 feature; u8 data[16]" },
	{ RECORD_COMPRESSED, 0, ANY_LAYOUT },
	{ RECORD_COMPRESSED2, 0, "u64 size; u8 data[16]" },
	{ RECORD_BPF_METADATA, 0, "u8 name[16]; u64 nr; u8 entries[128]" },
	{ RECORD_TYPE_MAX, 0, ANY_LAYOUT },
};

/* A branch's third word, as struct perf_branch_entry has it: a compiler begins at either end of the word. */
static void add_branch_flags(struct image *im)
{
	static const struct {
		unsigned width, value;
	} fields[] = { { 1, 1 }, { 1, 0 }, { 1, 1 },  { 1, 1 }, { 16, 0x8123 },
		       { 4, 9 }, { 2, 1 }, { 4, 13 }, { 3, 3 } };
	u64 word = 0;
	unsigned at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(fields); at += fields[i++].width)
		word |= (u64)fields[i].value << (im->swap ? 64 - at - fields[i].width : at);
	image__u64(im, word);
}

/* Add the fields. bounds: the offset of each, or NULL. */
static void add_fields(struct image *im, const char *text, struct strbuf *bounds)
{
	u64 any = 0x0102030405060708;
	char type[8] = "";

	while (*text) {
		unsigned nr = 1;
		u64 value;
		bool is_set;

		if (*text == ' ')
			text++;
		if (!strncmp(text, "u8 ", 3) || !strncmp(text, "u16 ", 4) || !strncmp(text, "u32 ", 4) ||
		    !strncmp(text, "u64 ", 4) || !strncmp(text, "flags ", 6)) {
			snprintf(type, sizeof(type), "%.*s", (int)strcspn(text, " "), text);
			text += strcspn(text, " ") + 1;
		}
		text += strcspn(text, "[=,;");
		if (*text == '[')
			nr = (unsigned)strtoul(text + 1, NULL, 0);
		text += strcspn(text, "=,;");
		is_set = *text == '=';
		value = is_set ? strtoull(text + 1, NULL, 0) : 0;
		text += strcspn(text, ",;");
		text += *text != '\0';
		for (; nr; nr--) {
			u64 at = im->b.len;

			if (bounds)
				strbuf__add(bounds, &at, sizeof(at));
			any = any * 0x9e3779b97f4a7c15 + 0x1020304050607081;
			if (!is_set)
				value = any ^ any >> 29;
			if (!strcmp(type, "u8"))
				image__u8(im, (u8)value);
			else if (!strcmp(type, "u16"))
				image__u16(im, (u16)value);
			else if (!strcmp(type, "u32"))
				image__u32(im, (u32)value);
			else if (!strcmp(type, "u64"))
				image__u64(im, value);
			else
				add_branch_flags(im);
		}
	}
}

static struct evlist list;
static struct sample_decoder decoder;

static void begin(void)
{
	evlist__init(&list);
}

static void add_event(const struct perf_event_attr *attr, u64 id)
{
	evlist__add_id(&list, evlist__add(&list, attr, sizeof(*attr), "event"), id);
}

static void end(void)
{
	sample_decoder__exit(&decoder);
	evlist__exit(&list);
}

/* Swap a record of these fields and compare. */
static void check(u32 type, u16 misc, const char *fields, const char *trailer)
{
	struct image foreign, own;

	for (int swap = 0; swap < 2; swap++) {
		struct image *im = swap ? &foreign : &own;

		image__init(im, swap);
		image__begin(im, type, misc);
		add_fields(im, fields, NULL);
		add_fields(im, trailer, NULL);
		image__end(im);
	}
	record__swap(&decoder, foreign.b.buf);
	assert_int_equal(foreign.b.len, own.b.len);
	if (memcmp(foreign.b.buf, own.b.buf, own.b.len))
		print_message("record %u: %s; %s\n", type, fields, trailer);
	assert_memory_equal(foreign.b.buf, own.b.buf, own.b.len);
	image__exit(&foreign);
	image__exit(&own);
}

static void all_fields_are_swapped(void **state)
{
	(void)state;
	begin();
	sample_decoder__init(&decoder, &list);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		check(records[i].type, records[i].misc, records[i].fields, "");
	end();
}

/* Records of every size: whole fields are swapped, a field that is cut is not, nor anything behind. */
static void cut_records_are_swapped_as_far_as_they_go(void **state)
{
	(void)state;
	begin();
	sample_decoder__init(&decoder, &list);
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		struct strbuf bounds = STRBUF_INIT;
		struct image foreign, own;

		image__init(&own, false);
		image__begin(&own, records[i].type, records[i].misc);
		add_fields(&own, records[i].fields, &bounds);
		strbuf__add(&bounds, &(u64){ own.b.len }, sizeof(u64));
		for (u16 size = 8; size < own.b.len; size++) {
			const u64 *bound = (const void *)bounds.buf;
			struct strbuf expected = STRBUF_INIT;
			u16 in_file = __builtin_bswap16(size);
			size_t whole = 8;

			image__init(&foreign, true);
			image__begin(&foreign, records[i].type, records[i].misc);
			add_fields(&foreign, records[i].fields, NULL);
			memcpy(foreign.b.buf + 6, &in_file, 2);
			for (size_t j = 0; j < bounds.len / 8 && bound[j] <= size; j++)
				whole = bound[j];
			/* what a type says of the fields after it is known with all of the fixed part only */
			if (records[i].type == RECORD_CPU_MAP && size < 16)
				whole = 0;
			if (records[i].type == RECORD_EVENT_UPDATE && size < 32)
				whole = 0;
			strbuf__add(&expected, own.b.buf, whole);
			strbuf__add(&expected, foreign.b.buf + whole, foreign.b.len - whole);
			record__swap(&decoder, foreign.b.buf);
			if (whole) {
				memcpy(expected.buf + 6, &size, 2);
				if (memcmp(foreign.b.buf, expected.buf, expected.len))
					print_message("record %u: %s, cut to %u\n", records[i].type,
						      records[i].fields, size);
				assert_memory_equal(foreign.b.buf, expected.buf, expected.len);
			} else {
				assert_memory_equal(foreign.b.buf + size, expected.buf + size,
						    expected.len - size);
			}
			strbuf__exit(&expected);
			image__exit(&foreign);
		}
		strbuf__exit(&bounds);
		image__exit(&own);
	}
	end();
}

/* The kernel's records end in what sample_id_all asks for; those of the recorder do not. */
static void trailers_are_swapped(void **state)
{
	static const struct {
		u64 bit;
		const char *fields;
	} parts[] = {
		{ PERF_SAMPLE_TID, "u32 pid, tid;" },
		{ PERF_SAMPLE_TIME, "u64 time;" },
		{ PERF_SAMPLE_ID, "u64 id;" },
		{ PERF_SAMPLE_STREAM_ID, "u64 stream_id;" },
		{ PERF_SAMPLE_CPU, "u32 cpu, reserved;" },
		{ PERF_SAMPLE_IDENTIFIER, "u64 id;" },
	};

	(void)state;
	for (unsigned set = 0; set < 64; set++) {
		struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP);
		char trailer[160] = "";

		for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
			if (!(set >> i & 1))
				continue;
			a.sample_type |= parts[i].bit;
			strcat(trailer, parts[i].fields);
		}
		a.sample_id_all = 1;
		begin();
		add_event(&a, 7);
		sample_decoder__init(&decoder, &list);
		for (size_t i = 0; i < ARRAY_SIZE(records); i++)
			check(records[i].type, records[i].misc, records[i].fields,
			      records[i].type < RECORD_HEADER_ATTR ? trailer : "");
		end();
	}
}

/* A record that is shorter than its trailer, or as long. */
static void record_may_lack_its_trailer(void **state)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);

	(void)state;
	a.sample_id_all = 1;
	begin();
	add_event(&a, 7);
	sample_decoder__init(&decoder, &list);
	check(PERF_RECORD_LOST, 0, "u64 id", "");
	check(PERF_RECORD_LOST, 0, "", "u32 pid, tid; u64 time");
	end();
}

static void header_attrs_of_any_size(void **state)
{
	/* what the attr says of its size, and how many bytes of attr there are: a wrong size is 64 */
	static const struct {
		u32 claims, has;
	} sizes[] = { { 64, 64 },   { 72, 72 },   { 96, 96 },        { 104, 104 }, { 112, 112 },
		      { 120, 120 }, { 128, 128 }, { 136, 136 },      { 144, 144 }, { 0, 64 },
		      { 63, 64 },   { 161, 64 },  { UINT32_MAX, 64 } };

	(void)state;
	begin();
	sample_decoder__init(&decoder, &list);
	for (unsigned bits = 0; bits < 64; bits++) {
		struct perf_event_attr a = { .type = 0x01020304, .config = 0x1122334455667788 };
		u64 flags = 1ull << bits | (u64)(bits % 4) << 15;

		a.sample_period = 0x2233445566778899;
		a.read_format = 0x33445566778899aa;
		a.sample_type = 0x445566778899aabb;
		a.wakeup_events = 0x05060708;
		a.bp_type = 0x090a0b0c;
		a.bp_addr = 0x5566778899aabbcc;
		a.bp_len = 0x66778899aabbccdd;
		a.branch_sample_type = 0x778899aabbccddee;
		a.sample_regs_user = 0x8899aabbccddeeff;
		a.sample_stack_user = 0x0d0e0f10;
		a.clockid = 0x11121314;
		a.sample_regs_intr = 0x99aabbccddeeff00;
		a.aux_watermark = 0x15161718;
		a.sample_max_stack = 0x191a;
		memcpy((u8 *)&a + 40, &flags, sizeof(flags));
		for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
			struct image foreign, own;

			a.size = sizes[i].claims;
			for (int swap = 0; swap < 2; swap++) {
				struct image *im = swap ? &foreign : &own;

				image__init(im, swap);
				image__begin(im, RECORD_HEADER_ATTR, 0);
				image__attr(im, &a, sizes[i].has);
				add_fields(im, "u64 id[3]", NULL);
				/* sizes of 161 and more are beyond this */
				for (size_t id = 3; im->b.len < 8 + 160; id++)
					image__u64(im, id);
				image__end(im);
			}
			record__swap(&decoder, foreign.b.buf);
			assert_memory_equal(foreign.b.buf, own.b.buf, own.b.len);
			image__exit(&foreign);
			image__exit(&own);
		}
	}
	end();
}

/* An attr without ids, and too few bytes for the smallest attr. */
static void header_attr_may_end_early(void **state)
{
	struct perf_event_attr a = { .type = 1, .config = 2, .bp_len = 0x0102030405060708 };
	struct image foreign, own;

	(void)state;
	begin();
	sample_decoder__init(&decoder, &list);
	for (size_t size = 56; size <= 72; size += 8) {
		a.size = (u32)size;
		image__init(&foreign, true);
		image__begin(&foreign, RECORD_HEADER_ATTR, 0);
		image__attr(&foreign, &a, size);
		image__end(&foreign);
		image__init(&own, false);
		image__begin(&own, RECORD_HEADER_ATTR, 0);
		image__attr(&own, &a, size);
		image__end(&own);
		if (size < 64)
			memcpy(own.b.buf + 8, foreign.b.buf + 8, size); /* as it was */
		record__swap(&decoder, foreign.b.buf);
		assert_memory_equal(foreign.b.buf, own.b.buf, own.b.len);
		image__exit(&foreign);
		image__exit(&own);
	}
	end();
}

/* ---- samples: PERF_RECORD_SAMPLE in <linux/perf_event.h> ---- */

struct sample_case {
	u64 sample_type, read_format, branch_type, regs;
	const char *fields;
};

static const struct sample_case samples[] = {
	{ PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU, 0, 0, 0,
	  "u64 ip; u32 pid, tid; u64 time; u32 cpu, reserved" },
	{ PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD, 0, 0, 0, "u32 cpu, reserved; u64 period" },
	{ PERF_SAMPLE_READ | PERF_SAMPLE_RAW, 0, 0, 0, "u64 value; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_READ | PERF_SAMPLE_RAW, 3, 0, 0,
	  "u64 value, enabled, running; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_READ | PERF_SAMPLE_RAW, 1 | PERF_FORMAT_ID, 0, 0,
	  "u64 value, enabled, id; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_READ | PERF_SAMPLE_RAW, 2 | READ_FORMAT_LOST, 0, 0,
	  "u64 value, running, lost; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_READ | PERF_SAMPLE_RAW, PERF_FORMAT_GROUP, 0, 0,
	  "u64 nr=2, value, value2; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_READ | PERF_SAMPLE_RAW, PERF_FORMAT_GROUP | PERF_FORMAT_ID | READ_FORMAT_LOST | 3, 0, 0,
	  "u64 nr=2, enabled, running, value, id, lost, value2, id2, lost2; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW, 0, 0, 0, "u64 nr=3, ip[3]; u32 size=4; u8 data[4]" },
	{ PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT, 0, 0, 0, "u32 size=12; u8 data[12]; u64 weight" },
	{ PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT, 0, 0, 0, "u32 size=10; u8 data[10], padding[2]; u64 weight" },
	{ PERF_SAMPLE_RAW | PERF_SAMPLE_WEIGHT, 0, 0, 0, "u32 size=13; u8 data[13], padding[7]; u64 weight" },
	{ PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER, 0, 0, 0,
	  "u64 nr=2, from, to; flags f; u64 from2, to2; flags f2; u64 size=8; u8 stack[8]; u64 dyn_size" },
	{ PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_STACK_USER, 0, BRANCH_HW_INDEX, 0,
	  "u64 nr=1, hw_idx, from, to; flags f; u64 size=8; u8 stack[8]; u64 dyn_size" },
	{ PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, 0, BRANCH_COUNTERS, 5,
	  "u64 nr=2, from, to; flags f; u64 from2, to2; flags f2; u64 counters, counters2; u64 abi=2, ax, "
	  "cx; u64 "
	  "size=8; u8 stack[8]; u64 dyn_size" },
	{ PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER, 0, 0, 7,
	  "u64 abi=0; u64 size=8; u8 stack[8]; u64 dyn_size" },
	{ PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX, 0, 0, 0, "u64 size=0; u64 size=8; u8 aux[8]" },
	{ PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_AUX, 0, 0, 0x101, "u64 abi=1, ax, r8; u64 size=8; u8 aux[8]" },
	{ PERF_SAMPLE_STACK_USER | SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
		  PERF_SAMPLE_PHYS_ADDR | SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE |
		  PERF_SAMPLE_AUX,
	  0, 0, 0,
	  "u64 size=8; u8 stack[8]; u64 dyn_size, weights, src, transaction, phys, cgroup, data_page, "
	  "code_page; u64 "
	  "size=0" },
	{ PERF_SAMPLE_RAW, 0, 0, 0, "u32 size=0" }, /* ends in half a word */
	/* what nobody knows is left alone */
	{ PERF_SAMPLE_AUX, 0, 0, 0, "u64 size=8; u8 aux[8], surplus[8]" },
	/* counts that are larger than the record: what there is */
	{ PERF_SAMPLE_CALLCHAIN, 0, 0, 0, "u64 nr=4, ip[3]" },
	{ PERF_SAMPLE_BRANCH_STACK, 0, 0, 0, "u64 nr=0x200000000, from, to; flags f" },
	{ PERF_SAMPLE_REGS_USER, 0, 0, 7, "u64 abi=1, ax, bx" },
	{ PERF_SAMPLE_READ, PERF_FORMAT_GROUP, 0, 0, "u64 nr=0x1000000000000000, value, value2" },
};

static struct perf_event_attr sample_attr(const struct sample_case *c)
{
	struct perf_event_attr a = image__cpu_clock(c->sample_type);

	a.read_format = c->read_format;
	a.branch_sample_type = c->branch_type;
	a.sample_regs_user = a.sample_regs_intr = c->regs;
	return a;
}

static void samples_are_swapped_by_their_layout(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct perf_event_attr a = sample_attr(&samples[i]);

		begin();
		add_event(&a, 7);
		sample_decoder__init(&decoder, &list);
		check(PERF_RECORD_SAMPLE, 2, samples[i].fields, "");
		end();
	}
}

/* Cut to every size: nothing behind the end is touched. */
static void cut_samples_are_swapped_inside_their_bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		struct perf_event_attr a = sample_attr(&samples[i]);
		struct image im;

		begin();
		add_event(&a, 7);
		sample_decoder__init(&decoder, &list);
		image__init(&im, true);
		image__begin(&im, PERF_RECORD_SAMPLE, 2);
		add_fields(&im, samples[i].fields, NULL);
		for (u16 size = 8; size < im.b.len; size++) {
			u16 in_file = __builtin_bswap16(size);
			u8 *copy = xmemdup(im.b.buf, im.b.len);

			memcpy(copy + 6, &in_file, sizeof(in_file));
			record__swap(&decoder, copy);
			assert_memory_equal(copy + size, im.b.buf + size, im.b.len - size);
			free(copy);
		}
		image__exit(&im);
		end();
	}
}

/* The id tells which layout a sample has; of an unknown one all words are swapped. */
static void samples_are_swapped_by_their_id(void **state)
{
	struct sample_case raw = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW },
			   tid = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID };
	struct perf_event_attr a = sample_attr(&raw), b = sample_attr(&tid);

	(void)state;
	begin();
	add_event(&a, 0x1234567);
	add_event(&b, 0x2345678);
	sample_decoder__init(&decoder, &list);
	check(PERF_RECORD_SAMPLE, 2, "u64 id=0x1234567; u32 size=4; u8 data[4]", "");
	check(PERF_RECORD_SAMPLE, 2, "u64 id=0x2345678; u32 pid, tid", "");
	check(PERF_RECORD_SAMPLE, 2, "u64 id=0x3456789; u64 word[3]", "");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_fields_are_swapped),
		cmocka_unit_test(cut_records_are_swapped_as_far_as_they_go),
		cmocka_unit_test(trailers_are_swapped),
		cmocka_unit_test(record_may_lack_its_trailer),
		cmocka_unit_test(header_attrs_of_any_size),
		cmocka_unit_test(header_attr_may_end_early),
		cmocka_unit_test(samples_are_swapped_by_their_layout),
		cmocka_unit_test(cut_samples_are_swapped_inside_their_bounds),
		cmocka_unit_test(samples_are_swapped_by_their_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
