/*
 * Writes recordings that have a record of every type and every feature of the header, in both byte orders, as
 * files and as pipes, plain and compressed: seeds for fuzzing, and for tests of what is made of hostile
 * files.
 *	recordings FOLDER [control|bombs|MAP]
 * control: every text holds what would steer a terminal. bombs: only recordings that are small and unpack to
 * millions of valid records. MAP: a path, which some map record names.
 */
#include "../unit/image.h"
#include "../unit/trace_image.h"

#include "format/file/names_section.h"
#include "format/file/zstd.h"

#include <stdlib.h>
#include <sys/utsname.h>

enum { PID = 4194000, BASE = 0x400000, NR_ATTRS = 3, ATTR_SIZE = 112 };

static const u64 all_have =
	PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

/*
 * Escape sequences, a bell, lines of one's own, and the C1 controls that terminals take in 8 bits and in
 * UTF-8.
 */
static bool is_control;
static const char *mapped;

static const char *text(const char *word)
{
	static char buf[4][256];
	static unsigned next;
	char *t = buf[next++ % 4];

	snprintf(t, 256, is_control ? "\033]0;%s\a\n\177\302\2331m\2331m%s" : "%.0s%s", word, word);
	return t;
}

/* ---- events ---- */

static void attrs__fill(struct perf_event_attr *a)
{
	for (int i = 0; i < NR_ATTRS; i++)
		a[i] = (struct perf_event_attr){
			.size = ATTR_SIZE, .sample_period = 1000, .sample_type = all_have, .sample_id_all = 1
		};
	a[0].type = PERF_TYPE_SOFTWARE;
	a[0].sample_type |= PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	a[1].type = PERF_TYPE_TRACEPOINT;
	a[1].config = 1; /* of the trace image */
	a[1].sample_type |= PERF_SAMPLE_RAW;
	a[2].type = PERF_TYPE_RAW;
	a[2].config = 0x1234;
	a[2].sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			    PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |
			    SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX;
	a[2].read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	a[2].sample_regs_user = a[2].sample_regs_intr = 0x1c0; /* bp, sp, ip of x86 */
	a[2].sample_stack_user = 64;
}

static u64 event_id(int attr)
{
	return (u64)attr + 11;
}

/* ---- the kernel's records ---- */

static u64 now;

static void end(struct image *im)
{
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, now += 1000);
	image__u64(im, 0); /* cpu */
	image__u64(im, event_id(0));
	image__end(im);
}

static void name(struct image *im, const char *s)
{
	image__str(im, s, ROUND_UP(strlen(s) + 1, 8));
}

/* As many bytes as its field has. */
static void fixed(struct image *im, const char *s, size_t size)
{
	size_t len = MIN(strlen(s), size);

	strbuf__add(&im->b, s, len);
	strbuf__addchars(&im->b, '\0', size - len);
}

/* id_size: of the build-id that is there, whether it can be or not */
static void mmap2(struct image *im, u16 misc, u64 start, const char *file, u8 id_size)
{
	image__begin(im, PERF_RECORD_MMAP2, misc);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, start);
	image__u64(im, 0x1000);
	image__u64(im, 0);
	if (misc & MISC_MMAP_BUILD_ID) {
		image__u8(im, id_size);
		fixed(im, "", 3);
		fixed(im, "01234567890123456789", 20);
	} else {
		image__u64(im, 0);
		image__u64(im, 0);
		image__u64(im, 0);
	}
	image__u32(im, 5); /* r-x */
	image__u32(im, 2);
	name(im, file);
	end(im);
}

static void kernel_mmap(struct image *im, u64 start, u64 pgoff, const char *file)
{
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	image__u32(im, UINT32_MAX);
	image__u32(im, 0);
	image__u64(im, start);
	image__u64(im, 0x1000000);
	image__u64(im, pgoff);
	name(im, file);
	end(im);
}

static void words(struct image *im, u32 type, int nr)
{
	image__begin(im, type, 0);
	for (int i = 0; i < nr; i++)
		image__u64(im, (u64)i + 1);
	end(im);
}

static void task(struct image *im, u32 type)
{
	image__begin(im, type, 0);
	for (u32 i = 0; i < 4; i++)
		image__u32(im, PID + !(i % 2)); /* pid and tid; the parent is odd */
	image__u64(im, now);
	end(im);
}

static void side_band(struct image *im)
{
	kernel_mmap(im, 0xffffffff81000000, 0xffffffff81000000, "[kernel.kallsyms]_text");
	kernel_mmap(im, 0xffffffffc0000000, 0, text("[module]"));
	kernel_mmap(im, 0xffffffffc1000000, 0, text("/lib/modules/x.ko"));
	image__comm(im, PID, "short");
	image__begin(im, PERF_RECORD_COMM, 0);
	image__u32(im, PID);
	image__u32(im, PID);
	name(im, text("comm"));
	end(im);
	mmap2(im, PERF_RECORD_MISC_USER, BASE, text("/nowhere/program"), 0);
	mmap2(im, PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID, BASE + 0x1000, text("/nowhere/library.so"), 20);
	mmap2(im, PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID, BASE + 0x5000, text("/nowhere/one"), 1);
	mmap2(im, PERF_RECORD_MISC_USER | MISC_MMAP_BUILD_ID, BASE + 0x6000, text("/nowhere/many"), 255);
	mmap2(im, PERF_RECORD_MISC_USER, BASE + 0x2000, "//anon", 0);
	mmap2(im, PERF_RECORD_MISC_USER, BASE + 0x3000, mapped ? mapped : text("relative"), 0);
	mmap2(im, PERF_RECORD_MISC_USER, BASE + 0x4000, text("[vdso]"), 0);
	task(im, PERF_RECORD_FORK);
	task(im, PERF_RECORD_EXIT);
	words(im, PERF_RECORD_LOST, 2);
	words(im, PERF_RECORD_THROTTLE, 3);
	words(im, PERF_RECORD_UNTHROTTLE, 3);
	words(im, PERF_RECORD_READ, 6);
	words(im, PERF_RECORD_AUX, 3);
	words(im, PERF_RECORD_ITRACE_START, 1);
	words(im, PERF_RECORD_LOST_SAMPLES, 1);
	words(im, PERF_RECORD_SWITCH, 0);
	words(im, PERF_RECORD_SWITCH_CPU_WIDE, 1);
	image__begin(im, PERF_RECORD_NAMESPACES, 0);
	image__u64(im, PID);
	image__u64(im, 1);
	image__u64(im, 4);
	image__u64(im, 0xf0000000);
	end(im);
	image__begin(im, PERF_RECORD_KSYMBOL, 0);
	image__u64(im, 0xffffffffc2000000);
	image__u32(im, 64);
	image__u32(im, 1);
	name(im, text("bpf_prog"));
	end(im);
	words(im, PERF_RECORD_BPF_EVENT, 2);
	image__begin(im, PERF_RECORD_CGROUP, 0);
	image__u64(im, 1);
	name(im, text("/cgroup"));
	end(im);
	image__begin(im, PERF_RECORD_TEXT_POKE, 0);
	image__u64(im, 0xffffffff81000010);
	image__u16(im, 2);
	image__u16(im, 2);
	image__u32(im, 0x90909090);
	end(im);
	words(im, 21, 1); /* AUX_OUTPUT_HW_ID */
	words(im, 22, 4); /* CALLCHAIN_DEFERRED */
	words(im, 23, 2); /* nobody's */
}

/* ---- samples ---- */

static void sample_head(struct image *im, int attr, u64 ip)
{
	image__begin(im, PERF_RECORD_SAMPLE, ip >> 63 ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	image__u64(im, event_id(attr));
	image__u64(im, ip);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, now += 1000);
	image__u64(im, 0); /* cpu */
}

static void chain_sample(struct image *im, u64 ip)
{
	sample_head(im, 0, ip);
	image__u64(im, 1000);
	image__u64(im, 5);
	image__u64(im, PERF_CONTEXT_KERNEL);
	image__u64(im, 0xffffffffc2000010);
	image__u64(im, PERF_CONTEXT_USER);
	image__u64(im, ip);
	image__u64(im, BASE + 0x1010);
	image__end(im);
}

static void trace_sample(struct image *im)
{
	const char *s = text("value");
	size_t size = strlen(s) + 1, raw = ROUND_UP(8 + 16 + size + 4, 8) - 4;

	sample_head(im, 1, BASE + 0x20);
	image__u32(im, (u32)raw);
	image__u16(im, 1); /* common_type */
	fixed(im, "", 6);
	fixed(im, text("t"), 16);
	fixed(im, s, raw - 24);
	image__end(im);
}

static void wide_sample(struct image *im)
{
	sample_head(im, 2, BASE + 0x1010);
	image__u64(im, 1); /* read: a group of one */
	image__u64(im, 100);
	image__u64(im, 50);
	image__u64(im, 7);
	image__u64(im, event_id(2));
	image__u64(im, 1); /* a branch */
	image__u64(im, BASE + 0x10);
	image__u64(im, BASE + 0x1010);
	image__u64(im, 1);
	image__u64(im, 2); /* registers of 64 bits */
	for (u64 i = 0; i < 3; i++)
		image__u64(im, BASE + 8 * i);
	image__u64(im, 64); /* the stack */
	for (u64 i = 0; i < 8; i++)
		image__u64(im, BASE + 16 * i);
	image__u64(im, 64);
	image__u64(im, 3); /* weight, data source, transaction */
	image__u64(im, 0x68100142);
	image__u64(im, 0);
	image__u64(im, 2);
	for (u64 i = 0; i < 3; i++)
		image__u64(im, 0xffffffff81000000 + 8 * i);
	image__u64(im, 0x1000); /* physical address, page sizes */
	image__u64(im, 4096);
	image__u64(im, 2 << 20);
	image__u64(im, 8);
	image__u64(im, 0);
	image__end(im);
}

static void samples(struct image *im)
{
	static const u64 ips[] = {
		BASE + 0x10,        BASE + 0x1010,      BASE + 0x2010,      BASE + 0x3010,
		BASE + 0x4010,      BASE + 0x5010,      BASE + 0x6010,      0x10,
		0xffffffff81000010, 0xffffffffc0000010, 0xffffffffc1000010, 0xffffffffc2000010
	};

	for (size_t i = 0; i < ARRAY_SIZE(ips); i++)
		chain_sample(im, ips[i]);
	trace_sample(im);
	wide_sample(im);
}

/* ---- the recorder's records ---- */

static void user_words(struct image *im, u32 type, int nr)
{
	image__begin(im, type, 0);
	for (int i = 0; i < nr; i++)
		image__u64(im, (u64)i + 1);
	image__end(im);
}

static void event_update(struct image *im, u64 what, const char *s)
{
	image__begin(im, RECORD_EVENT_UPDATE, 0);
	image__u64(im, what);
	image__u64(im, event_id(0));
	if (s)
		name(im, s);
	else
		image__u64(im, 0);
	image__end(im);
}

static void build_id(struct image *im, u16 misc, const char *file)
{
	image__begin(im, RECORD_HEADER_BUILD_ID, misc | MISC_BUILD_ID_SIZE);
	image__u32(im, UINT32_MAX);
	fixed(im, "abcdefghijabcdefghij", 20);
	image__u8(im, 20);
	fixed(im, "", 3);
	name(im, file);
	image__end(im);
}

static void auxtrace(struct image *im)
{
	image__begin(im, RECORD_AUXTRACE_INFO, 0);
	for (u64 i = 0; i < 17; i++)
		image__u64(im, i ? i : 1); /* Intel PT */
	image__u64(im, 16);
	name(im, text("filter"));
	image__end(im);
	image__begin(im, RECORD_AUXTRACE, 0);
	image__u64(im, 16);
	for (int i = 0; i < 4; i++)
		image__u64(im, 0);
	image__end(im);
	fixed(im, "", 16);
	image__begin(im, RECORD_AUXTRACE_ERROR, 0);
	for (u64 i = 0; i < 4; i++)
		image__u64(im, i);
	fixed(im, text("error"), 64);
	image__end(im);
}

static void user_records(struct image *im)
{
	event_update(im, EVENT_UPDATE_UNIT, text("unit"));
	event_update(im, EVENT_UPDATE_SCALE, NULL);
	event_update(im, EVENT_UPDATE_NAME, text("updated"));
	event_update(im, EVENT_UPDATE_CPUS, NULL);
	event_update(im, 9, NULL);
	build_id(im, PERF_RECORD_MISC_USER, text("/nowhere/program"));
	build_id(im, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]");
	image__begin(im, RECORD_ID_INDEX, 0);
	image__u64(im, 1);
	for (u64 i = 0; i < 4; i++)
		image__u64(im, event_id(0));
	image__end(im);
	image__begin(im, RECORD_HEADER_EVENT_TYPE, 0);
	image__u64(im, 0);
	fixed(im, text("type"), 64);
	image__end(im);
	image__begin(im, RECORD_THREAD_MAP, 0);
	image__u64(im, 1);
	image__u64(im, PID);
	fixed(im, text("thread"), 16);
	image__end(im);
	image__begin(im, RECORD_CPU_MAP, 0);
	image__u16(im, 0);
	image__u16(im, 2);
	image__u32(im, 1);
	image__end(im);
	user_words(im, RECORD_STAT_CONFIG, 3);
	user_words(im, RECORD_STAT, 5);
	user_words(im, RECORD_STAT_ROUND, 2);
	user_words(im, RECORD_TIME_CONV, 6);
	image__begin(im, RECORD_BPF_METADATA, 0);
	fixed(im, text("program"), 64);
	image__u64(im, 1);
	fixed(im, text("key"), 64);
	fixed(im, text("value"), 64);
	image__end(im);
	user_words(im, RECORD_FINISHED_INIT, 0);
}

/* All that may be compressed. */
static void most_records(struct image *im)
{
	now = 1000000000;
	user_records(im);
	side_band(im);
	samples(im);
	user_words(im, RECORD_FINISHED_ROUND, 0);
}

static void records(struct image *im)
{
	auxtrace(im);
	most_records(im);
}

/* ---- features ---- */

static void strings(struct image *im, u32 nr)
{
	image__u32(im, nr);
	for (u32 i = 0; i < nr; i++)
		image__feature_str(im, text("it's"));
}

/* With a map that is named, the recording is this machine's. */
static void host_name(struct image *im)
{
	struct utsname host;

	uname(&host);
	image__feature_str(im, mapped ? host.nodename : text("it's"));
}

static void release(struct image *im)
{
	struct utsname host;

	uname(&host);
	image__feature_str(im, mapped ? host.release : text("it's"));
}

static void event_desc(struct image *im)
{
	struct perf_event_attr a[NR_ATTRS];

	attrs__fill(a);
	image__u32(im, NR_ATTRS);
	image__u32(im, ATTR_SIZE);
	for (int i = 0; i < NR_ATTRS; i++) {
		image__attr(im, &a[i], ATTR_SIZE);
		image__u32(im, 1);
		image__feature_str(im, text(i == 1 ? "test:event" : "event"));
		image__u64(im, event_id(i));
	}
}

static void group_desc(struct image *im)
{
	image__u32(im, 1);
	image__feature_str(im, text("group"));
	image__u32(im, 0);
	image__u32(im, 2);
}

static void tracing_data(struct image *im)
{
	char fields[1024], print[512];
	const struct trace_image_event e = { text("event"), fields, print };
	struct trace_image t;

	snprintf(fields, sizeof(fields),
		 "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		 "\tfield:char %s[8];\toffset:24;\tsize:8;\tsigned:0;\n",
		 is_control ? "na\033me" : "name");
	snprintf(print, sizeof(print), "\"%s %%s %%s\", REC->comm, REC->%s",
		 is_control ? "\033[31m\302\2331m" : "print", is_control ? "na\033me" : "name");
	trace_image__init(&t);
	if (im->swap)
		t.big_endian = !t.big_endian;
	trace_image__build(&t, &e, 1, "0x1000 : \"printk\"\n");
	strbuf__add(&im->b, t.b.buf, t.b.len);
	strbuf__exit(&t.b);
}

static void bpf_prog_info(struct image *im)
{
	image__u32(im, 1);
	image__u32(im, 192);
	image__u32(im, 24);
	image__u64(im, 0);
	fixed(im, "", 64);
	fixed(im, text("p"), 16);
	fixed(im, "", 24);
	image__u32(im, 1); /* at 104: function addresses, lengths, where they are */
	image__u32(im, 1);
	image__u64(im, 0);
	image__u64(im, 8);
	fixed(im, "", 180 - 128);
	image__u32(im, 1);
	image__u64(im, 16);
	image__u64(im, 0xffffffffc2000000);
	image__u64(im, 64);
	fixed(im, "tagtagta", 8);
}

static void build_ids(struct image *im)
{
	build_id(im, PERF_RECORD_MISC_USER, text("/nowhere/program"));
	build_id(im, PERF_RECORD_MISC_USER, text("/nowhere/../../x"));
	build_id(im, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]");
}

static void names(struct image *im)
{
	struct names_dso dsos[2] = { { .id = { .name = text("/nowhere/program") } },
				     { .id = { .name = "//anon", .pid = PID } } };
	const char *const symbol = text("function"), *const file = text("file.c");

	for (size_t i = 0; i < ARRAY_SIZE(dsos); i++) {
		array__add(&dsos[i].symbols,
			   ((struct names_symbol){
				   .start = i ? BASE + 0x2000 : 0, .size = 0x100, .name = symbol }));
		array__add(&dsos[i].lines.addresses,
			   ((struct names_address){ .addr = i ? BASE + 0x2010 : 0x10, .first = 0, .nr = 2 }));
		array__add(&dsos[i].lines.frames, ((struct names_frame){ symbol, file, 3, 2 }));
		array__add(&dsos[i].lines.frames, ((struct names_frame){ NULL, file, 7, 5 }));
	}
	if (!im->swap) /* written in our own order only */
		names_section__write(&im->b, dsos, ARRAY_SIZE(dsos), 1 << 16);
	for (size_t i = 0; i < ARRAY_SIZE(dsos); i++) {
		array__exit(&dsos[i].symbols);
		names_lines__exit(&dsos[i].lines);
	}
}

static void call_chains(struct image *im)
{
	strbuf__addf(&im->b, "samples 3\nwhole 2\ncut 1 %s\n%s 4\n", text("/nowhere/library.so"),
		     is_control ? "a\033b" : "ab");
}

/* Words and strings of a feature: 4 and 8 are numbers of so many bytes, s a string, l two in a list. */
static const struct feature_text {
	enum feature feature;
	const char *fields;
	void (*add)(struct image *im);
} features[] = {
	{ FEATURE_TRACING_DATA, NULL, tracing_data },
	{ FEATURE_BUILD_ID, NULL, build_ids },
	{ FEATURE_HOSTNAME, NULL, host_name },
	{ FEATURE_OSRELEASE, NULL, release },
	{ FEATURE_VERSION, "s", NULL },
	{ FEATURE_ARCH, "s", NULL },
	{ FEATURE_NRCPUS, "44", NULL },
	{ FEATURE_CPUDESC, "s", NULL },
	{ FEATURE_CPUID, "s", NULL },
	{ FEATURE_TOTAL_MEM, "8", NULL },
	{ FEATURE_CMDLINE, "l", NULL },
	{ FEATURE_EVENT_DESC, NULL, event_desc },
	{ FEATURE_CPU_TOPOLOGY, "ll44l4", NULL },
	{ FEATURE_NUMA_TOPOLOGY, "4488s", NULL },
	{ FEATURE_PMU_MAPPINGS, "44s", NULL },
	{ FEATURE_GROUP_DESC, NULL, group_desc },
	{ FEATURE_AUXTRACE, "8", NULL },
	{ FEATURE_STAT, "", NULL },
	{ FEATURE_CACHE, "444444sss", NULL },
	{ FEATURE_SAMPLE_TIME, "88", NULL },
	{ FEATURE_MEM_TOPOLOGY, "8888888", NULL },
	{ FEATURE_CLOCKID, "8", NULL },
	{ FEATURE_BPF_PROG_INFO, NULL, bpf_prog_info },
	{ FEATURE_BPF_BTF, "4444", NULL },
	{ FEATURE_COMPRESSED, "44444", NULL },
	{ FEATURE_CPU_PMU_CAPS, "4ss", NULL },
	{ FEATURE_CLOCK_DATA, "4488", NULL },
	{ FEATURE_HYBRID_TOPOLOGY, "4ss", NULL },
	{ FEATURE_PMU_CAPS, "44sss", NULL },
	{ FEATURE_CPU_DOMAIN_INFO, "44444sss", NULL },
	{ FEATURE_E_MACHINE, "44", NULL },
	{ FEATURE_CLN_SIZE, "4", NULL },
	{ FEATURE_OLD_NAMES, NULL, names },
	{ FEATURE_OLD_CALL_CHAINS, NULL, call_chains },
};

static void feature__add(struct image *im, const struct feature_text *f)
{
	if (f->add)
		f->add(im);
	for (const char *p = f->fields ? f->fields : ""; *p; p++) {
		if (*p == 's')
			image__feature_str(im, text("it's"));
		else if (*p == 'l')
			strings(im, 2);
		else if (*p == '4')
			image__u32(im, 1);
		else
			image__u64(im, 1);
	}
}

/* ---- whole recordings ---- */

static void file__features(struct image *im)
{
	size_t table = im->b.len, bits[4] = { 0 };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(features); i++)
		image__u64(im, 0);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		size_t start = im->b.len;

		feature__add(im, &features[i]);
		image__put_u64(im, table + 16 * i, start);
		image__put_u64(im, table + 16 * i + 8, im->b.len - start);
		bits[features[i].feature / 64] |= 1ull << features[i].feature % 64;
	}
	for (size_t i = 0; i < 4; i++)
		image__put_u64(im, 72 + 8 * i, bits[i]);
}

static void file__build(struct image *im, void (*content)(struct image *im))
{
	struct perf_event_attr a[NR_ATTRS];
	size_t at;

	attrs__fill(a);
	image__file_header(im, NR_ATTRS, ATTR_SIZE, 0);
	for (int i = 0; i < NR_ATTRS; i++)
		image__attr_entry(im, &a[i], ATTR_SIZE, 0, 8);
	content(im);
	image__end_data(im);
	file__features(im);
	for (int i = 0; i < NR_ATTRS; i++) {
		at = im->b.len;
		image__u64(im, event_id(i));
		image__put_u64(im, 104 + (size_t)i * (ATTR_SIZE + 16) + ATTR_SIZE, at);
	}
}

static void pipe__add_tracing_data(struct image *im)
{
	struct image data;

	image__init(&data, im->swap);
	tracing_data(&data);
	while (data.b.len % 8)
		image__u8(&data, 0);
	image__begin(im, RECORD_HEADER_TRACING_DATA, 0);
	image__u32(im, (u32)data.b.len);
	image__u32(im, 0);
	image__end(im);
	strbuf__add(&im->b, data.b.buf, data.b.len);
	image__exit(&data);
}

static void pipe__build(struct image *im, void (*content)(struct image *im))
{
	struct perf_event_attr a[NR_ATTRS];

	attrs__fill(a);
	image__pipe_header(im);
	for (int i = 0; i < NR_ATTRS; i++) {
		image__begin(im, RECORD_HEADER_ATTR, 0);
		image__attr(im, &a[i], ATTR_SIZE);
		image__u64(im, event_id(i));
		image__end(im);
	}
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		if (features[i].feature >= FEATURE_LAST || features[i].feature <= FEATURE_BUILD_ID)
			continue;
		image__begin(im, RECORD_HEADER_FEATURE, 0);
		image__u64(im, features[i].feature);
		feature__add(im, &features[i]);
		while (im->b.len % 8)
			image__u8(im, 0);
		image__end(im);
	}
	image__begin(im, RECORD_HEADER_FEATURE, 0); /* reports are of branches then */
	image__u64(im, FEATURE_BRANCH_STACK);
	image__end(im);
	pipe__add_tracing_data(im);
	content(im);
}

/* The records as one frame, in two records of any kind of compression. */
static void records__pack(struct image *im, u32 type)
{
	struct image plain;
	struct strbuf packed = STRBUF_INIT;
	size_t first;

	image__init(&plain, im->swap);
	most_records(&plain);
	if (zstd__pack(plain.b.buf, plain.b.len, &packed))
		strbuf__add(&packed, plain.b.buf, plain.b.len);
	first = packed.len / 2;
	for (int i = 0; i < 2; i++) {
		size_t size = i ? packed.len - first : first;

		image__begin(im, type, 0);
		if (type == RECORD_COMPRESSED2)
			image__u64(im, size);
		strbuf__add(&im->b, packed.buf + (i ? first : 0), size);
		while (type == RECORD_COMPRESSED2 && (im->b.len - im->record) % 8)
			image__u8(im, 0);
		image__end(im);
	}
	strbuf__exit(&packed);
	image__exit(&plain);
}

static void packed_1(struct image *im)
{
	records__pack(im, RECORD_COMPRESSED);
}

static void packed_2(struct image *im)
{
	records__pack(im, RECORD_COMPRESSED2);
}

/* ---- bombs ---- */

enum { BOMB_RECORDS = 1 << 16, BOMB_PARTS = 128, BOMB_DIFFERENT = 64, BOMB_COMPRESSED = 60 << 10 };

static void bomb_comm(struct image *im, u32 i)
{
	image__begin(im, PERF_RECORD_COMM, 0);
	image__u32(im, 1000);
	image__u32(im, 1000);
	image__u64(im, i / 32 + 'a');
	end(im);
}

static void bomb_fork(struct image *im, u32 i)
{
	image__begin(im, PERF_RECORD_FORK, 0);
	image__u32(im, 1000 + i);
	image__u32(im, 1);
	image__u32(im, 1000 + i);
	image__u32(im, 1);
	image__u64(im, 0);
	end(im);
}

static void bomb_unknown(struct image *im, u32 i)
{
	(void)i;
	image__begin(im, 60, 0);
	image__end(im);
}

/* A sample first, which is to be shown; then the same records over and over, as frames of one stream. */
static void bomb(struct image *im, void (*add)(struct image *im, u32 i))
{
	struct image plain;
	struct strbuf part = STRBUF_INIT, packed = STRBUF_INIT;

	samples(im);
	image__init(&plain, im->swap);
	for (u32 i = 0; i < BOMB_RECORDS; i++) {
		now = 5000;
		add(&plain, i % BOMB_DIFFERENT);
	}
	if (zstd__pack(plain.b.buf, plain.b.len, &part))
		exit(77); /* built without libzstd */
	for (int i = 0; i < BOMB_PARTS; i++)
		strbuf__add(&packed, part.buf, part.len);
	for (size_t at = 0, size; at < packed.len; at += size) {
		size = MIN(packed.len - at, (size_t)BOMB_COMPRESSED);
		image__begin(im, RECORD_COMPRESSED, 0);
		strbuf__add(&im->b, packed.buf + at, size);
		image__end(im);
	}
	strbuf__exit(&part);
	strbuf__exit(&packed);
	image__exit(&plain);
}

static void comm_bomb(struct image *im)
{
	bomb(im, bomb_comm);
}

static void fork_bomb(struct image *im)
{
	bomb(im, bomb_fork);
}

static void unknown_bomb(struct image *im)
{
	bomb(im, bomb_unknown);
}

static void save(const char *folder, const char *file, const struct image *im)
{
	char *path = xasprintf("%s/%s", folder, file);
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(im->b.buf, 1, im->b.len, f) != im->b.len || fclose(f)) {
		perror(path);
		exit(1);
	}
	free(path);
}

struct recording {
	const char *file;
	bool swap;
	void (*build)(struct image *im, void (*content)(struct image *im));
	void (*content)(struct image *im);
};

static void write_recordings(const char *folder, const struct recording *files, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct image im;

		image__init(&im, files[i].swap);
		files[i].build(&im, files[i].content);
		save(folder, files[i].file, &im);
		image__exit(&im);
	}
}

int main(int argc, char **argv)
{
	static const struct recording bombs[] = {
		{ "comms", false, file__build, comm_bomb },
		{ "forks", false, file__build, fork_bomb },
		{ "unknown", false, file__build, unknown_bomb },
	};
	static const struct recording files[] = {
		{ "file", false, file__build, records },
		{ "file-swapped", true, file__build, records },
		{ "pipe", false, pipe__build, records },
		{ "pipe-swapped", true, pipe__build, records },
		{ "packed", false, file__build, packed_1 },
		{ "packed-2", false, file__build, packed_2 },
		{ "packed-pipe", true, pipe__build, packed_2 },
	};

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: recordings FOLDER [control|bombs|MAP]\n");
		return 2;
	}
	if (argc == 3 && !strcmp(argv[2], "bombs")) {
		write_recordings(argv[1], bombs, ARRAY_SIZE(bombs));
		return 0;
	}
	is_control = argc == 3 && !strcmp(argv[2], "control");
	mapped = argc == 3 && !is_control ? argv[2] : NULL;
	write_recordings(argv[1], files, ARRAY_SIZE(files));
	return 0;
}
