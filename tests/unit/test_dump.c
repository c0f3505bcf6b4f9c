/* `report -D`: the text of each record, as stock perf prints the same bytes; threads, early ends. */
#include "unit.h"

#include "event/evsel/reg_names.h"
#include "image.h"
#include "ui/dump/dump.h"
#include "ui/dump/dump_text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum { IP = 0x401000, PLAIN = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };

static struct perf_event_attr attr_of(u64 sample_type)
{
	struct perf_event_attr a = image__cpu_clock(sample_type);

	a.sample_id_all = 1;
	a.exclude_guest = 0;
	return a;
}

/* A file with one event; records follow. */
static void image__start(struct image *im, const struct perf_event_attr *a)
{
	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, a, 112, 0, 0);
}

/* The dump of a finished image: 0 or dump__run's result, the text in out. */
static int dump_image(const struct image *im, const struct dump_opts *opts, struct strbuf *out)
{
	struct session_opts session_opts = { 0 };
	struct err err = ERR_INIT;
	struct session *s;
	char path[64];
	int fd, out_fd, ret;

	image__path(im->b.buf, im->b.len, &fd, path);
	ret = session__open(&s, path, &session_opts, &err);
	close(fd);
	err__exit(&err);
	if (ret)
		return ret;
	out_fd = memfd_create("dump", MFD_CLOEXEC);
	ret = dump__run(s, opts, out_fd, &err);
	assert_int_equal(lseek(out_fd, 0, SEEK_SET), 0);
	assert_int_equal(file__read_fd(out_fd, out, 0), 0);
	close(out_fd);
	session__delete(s);
	err__exit(&err);
	return ret;
}

/* Drops the hint, the bytes and the lines in front of them. */
static void keep_decoded(const struct strbuf *text, struct strbuf *out)
{
	char *copy = strdup(text->buf), *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '#' || !strcmp(line, ".") || !strncmp(line, ".  0", 4) ||
		    strstr(line, "raw event: ") || strstr(line, "]: event: "))
			continue;
		strbuf__addstr(out, line);
		strbuf__addch(out, '\n');
	}
	free(copy);
}

static void expect_decoded(struct image *im, const struct dump_opts *opts, const char *expected)
{
	struct strbuf text = STRBUF_INIT, decoded = STRBUF_INIT;

	image__end_data(im);
	assert_int_equal(dump_image(im, opts, &text), 0);
	keep_decoded(&text, &decoded);
	assert_string_equal(decoded.buf, expected);
	strbuf__exit(&text);
	strbuf__exit(&decoded);
	image__exit(im);
}

static const struct dump_opts in_order;

/* ---- whole text ---- */

static void prints_bytes_and_counts(void **state)
{
	static const char head[] =
		"# To display the perf.data header info, please use --header/--header-only options.\n#\n"
		"\n0xe8@/proc/self/fd/";
	struct perf_event_attr a = attr_of(PLAIN);
	struct strbuf text = STRBUF_INIT;
	struct image im;

	(void)state;
	image__start(&im, &a);
	image__begin(&im, PERF_RECORD_COMM, 0);
	image__u32(&im, 7);
	image__u32(&im, 8);
	image__str(&im, "a\033b", 8);
	image__u64(&im, 0x0000000800000007);
	image__u64(&im, 99);
	image__end(&im);
	image__end_data(&im);
	assert_int_equal(dump_image(&im, &in_order, &text), 0);
	assert_memory_equal(text.buf, head, sizeof(head) - 1);
	assert_string_equal(strstr(text.buf, " [0x28]: event"),
			    " [0x28]: event: 3\n"
			    ".\n"
			    ". ... raw event: size 40 bytes\n"
			    ".  0000:  03 00 00 00 00 00 28 00 07 00 00 00 08 00 00 00  ......(.........\n"
			    ".  0010:  61 1b 62 00 00 00 00 00 07 00 00 00 08 00 00 00  a.b.............\n"
			    ".  0020:  63 00 00 00 00 00 00 00                          c.......        \n"
			    "\n"
			    "99 0xe8 [0x28]: PERF_RECORD_COMM: a?b:7/8\n"
			    "\n"
			    "Aggregated stats:\n"
			    "           TOTAL events:          1\n"
			    "            COMM events:          1  (100.0%)\n");
	strbuf__exit(&text);
	image__exit(&im);
}

/* ---- samples ---- */

static void image__plain_sample(struct image *im, u64 time)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, IP);
	image__u32(im, 10);
	image__u32(im, 10);
	image__u64(im, time);
	image__end(im);
}

/* A recording of x86_64 with one sample, which has all fields. */
static void make_full_sample(struct image *im)
{
	struct perf_event_attr a =
		attr_of(PLAIN | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD);
	static const u64 words[] = {
		0x1234,      5,
		1,           77, /* addr, id, cpu, period */
		100,         5,  /* read */
		2,           PERF_CONTEXT_USER,
		IP, /* chain */
		2,           1,
		2,           1,
		3,           4,
		0x400000, /* branches */
		2,           0x11,
		0x22, /* user registers */
		16,          0,
		0,           8, /* stack */
		0x300020001, 0x1e05080021,
		0x55, /* weight, data_src, transaction */
		2,           0x33,
		0xabc,       4242,
		4096,        2 << 20, /* interrupt registers, physical address, cgroup, page sizes */
	};

	a.sample_type |= PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK |
			 PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
			 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |
			 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | SAMPLE_DATA_PAGE_SIZE |
			 SAMPLE_CODE_PAGE_SIZE;
	a.read_format = PERF_FORMAT_ID;
	a.sample_regs_user = 3;
	a.sample_regs_intr = 4;
	image__init(im, false);
	image__file_header(im, 1, 112, 1 << FEATURE_ARCH);
	image__attr_entry(im, &a, 112, 104 + 128, 8);
	image__u64(im, 5);
	image__put_u64(im, 40, im->b.len);
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, IP);
	image__u64(im, 0x0000000a0000000a);
	image__u64(im, 1010);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		image__u64(im, words[i]);
	image__end(im);
	image__end_data(im);
	image__u64(im, im->b.len + 16); /* the section of feature ARCH */
	image__u64(im, 68);
	image__feature_str(im, "x86_64");
}

static void prints_all_fields_of_a_sample(void **state)
{
	struct strbuf text = STRBUF_INIT, decoded = STRBUF_INIT;
	struct image im;

	(void)state;
	make_full_sample(&im);
	assert_int_equal(dump_image(&im, &in_order, &text), 0);
	keep_decoded(&text, &decoded);
	assert_string_equal(
		decoded.buf,
		"1 1010 0xf0 [0x120]: PERF_RECORD_SAMPLE(IP, 0x2): 10/10: 0x401000 period: 77 addr: 0x1234\n"
		"... FP chain: nr:2\n"
		".....  0: fffffffffffffe00\n"
		".....  1: 0000000000401000\n"
		"... branch stack: nr:2\n"
		".....  0: 0000000000000001 -> 0000000000000002 0 cycles M    0 \n"
		".....  1: 0000000000000003 -> 0000000000000004 0 cycles      0 CALL\n"
		"... user regs: mask 0x3 ABI 64-bit\n"
		".... AX    0x0000000000000011\n"
		".... BX    0x0000000000000022\n"
		"... intr regs: mask 0x4 ABI 64-bit\n"
		".... CX    0x0000000000000033\n"
		"... ustack: size 8, offset 0xb8\n"
		"... weight: 12885032961\n"
		" . data_src: 0x1e05080021\n"
		" .. phys_addr: 0xabc\n"
		" .. data page size: 4K\n"
		" .. code page size: 2M\n"
		"... transaction: 55\n"
		"... sample_read:\n"
		"..... id 0000000000000005, value 0000000000000064\n"
		" ... thread: :10:10\n"
		" ...... dso: <not found>\n"
		"Aggregated stats:\n"
		"           TOTAL events:          1\n"
		"          SAMPLE events:          1  (100.0%)\n"
		"cpu-clock:HG stats:\n"
		"          SAMPLE events:          1\n");
	strbuf__exit(&text);
	strbuf__exit(&decoded);
	image__exit(&im);
}

static void prints_a_branch_call_stack(void **state)
{
	struct perf_event_attr a = attr_of(PLAIN | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK);
	static const u64 words[] = {
		3, PERF_CONTEXT_KERNEL, 0x81, PERF_CONTEXT_USER, 2, 0x10, 0x20, 0, 0x30, 0x40, 0
	};
	struct image im;

	(void)state;
	a.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_USER;
	image__start(&im, &a);
	image__begin(&im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_HYPERVISOR);
	image__u64(&im, IP);
	image__u64(&im, 0);
	image__u64(&im, 1010);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		image__u64(&im, words[i]);
	image__end(&im);
	expect_decoded(&im, &in_order,
		       "1010 0xe8 [0x78]: PERF_RECORD_SAMPLE(IP, 0x3): 0/0: 0x401000 period: 4000 addr: 0\n"
		       "... LBR call chain: nr:6\n"
		       ".....  0: ffffffffffffff80\n"
		       ".....  1: 0000000000000081\n"
		       ".....  2: fffffffffffffe00\n"
		       ".....  3: 0000000000000020\n"
		       ".....  4: 0000000000000010\n"
		       ".....  5: 0000000000000030\n"
		       "... FP chain: nr:3\n"
		       ".....  0: ffffffffffffff80\n"
		       ".....  1: 0000000000000081\n"
		       ".....  2: fffffffffffffe00\n"
		       "... branch callstack: nr:3\n"
		       ".....  0: 0000000000000020\n"
		       ".....  1: 0000000000000010\n"
		       ".....  2: 0000000000000030\n"
		       " ... thread: swapper:0\n"
		       " ...... dso: [hypervisor]\n"
		       "Aggregated stats:\n"
		       "           TOTAL events:          1\n"
		       "          SAMPLE events:          1  (100.0%)\n"
		       "cpu-clock:HG stats:\n"
		       "          SAMPLE events:          1\n");
}

/* ---- other records ---- */

static void image__words(struct image *im, u32 type, u16 misc, size_t nr, ...)
{
	va_list ap;

	image__begin(im, type, misc);
	va_start(ap, nr);
	while (nr--)
		image__u64(im, va_arg(ap, u64));
	va_end(ap);
	image__end(im);
}

#define PID (u64)0x0000000b0000000a /* pid 10, tid 11 */
#define W(x) (u64)(x)

static void prints_records_of_the_kernel(void **state)
{
	struct perf_event_attr a = attr_of(PERF_SAMPLE_TIME);
	struct image im;

	(void)state;
	image__start(&im, &a);
	image__words(&im, PERF_RECORD_LOST, 0, 3, W(5), W(7), W(1));
	image__words(&im, PERF_RECORD_THROTTLE, 0, 4, W(1), W(5), W(5), W(2));
	image__words(&im, PERF_RECORD_FORK, 0, 4, W(0xa0000000b), W(0xa0000000b), W(9), W(3));
	image__words(&im, PERF_RECORD_SWITCH, 0, 1, W(4));
	image__words(&im, PERF_RECORD_SWITCH, 3 << 13, 1, W(5));
	image__words(&im, PERF_RECORD_SWITCH_CPU_WIDE, 1 << 13, 2, PID, W(6));
	image__words(&im, PERF_RECORD_AUX, 0, 4, W(0x10), W(0x20), W(7), W(7));
	image__words(&im, PERF_RECORD_NAMESPACES, 0, 13, PID, W(5), W(4), W(1), W(4), W(2), W(4), W(3), W(4),
		     W(4), W(4), W(5), W(8));
	image__words(&im, PERF_RECORD_BPF_EVENT, 0, 3, W(0x2100030002), W(0), W(9));
	image__words(&im, PERF_RECORD_READ, 0, 3, PID, W(1234), W(10));
	image__words(&im, 21, 0, 2, W(0x77), W(11));
	image__words(&im, 23, 0, 2, W(0), W(12));
	image__words(&im, PERF_RECORD_MMAP, 0, 2, W(0), W(13));
	expect_decoded(&im, &in_order,
		       "1 0xe8 [0x20]: PERF_RECORD_LOST: id:5: lost:7\n"
		       "2 0x108 [0x28]: PERF_RECORD_THROTTLE: unhandled!\n"
		       "3 0x130 [0x28]: PERF_RECORD_FORK(11:11):(10:10)\n"
		       "4 0x158 [0x10]: PERF_RECORD_SWITCH IN         \n"
		       "5 0x168 [0x10]: PERF_RECORD_SWITCH OUT preempt\n"
		       "6 0x178 [0x18]: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:    10/11   \n"
		       "7 0x190 [0x28]: PERF_RECORD_AUX offset: 0x10 size: 0x20 flags: 0x7 [TOP]\n"
		       "8 0x1b8 [0x70]: PERF_RECORD_NAMESPACES 10/11 - nr_namespaces: 5\n"
		       "\t\t[0/net: 4/0x1, 1/uts: 4/0x2, 2/ipc: 4/0x3, 3/pid: 4/0x4, \n"
		       "\t\t 4/user: 4/0x5]\n"
		       "9 0x228 [0x20]: PERF_RECORD_BPF_EVENT type 2, flags 3, id 33\n"
		       "10 0x248 [0x20]: PERF_RECORD_READ: 10 11 cpu-clock:HG 1234\n"
		       "11 0x268 [0x18]: PERF_RECORD_AUX_OUTPUT_HW_ID hw_id: 0x77\n"
		       "12 0x280 [0x18]: PERF_RECORD_UNKNOWN: type 23, 24 bytes\n"
		       "13 0x298 [0x18]: PERF_RECORD_MMAP: too short for its type\n"
		       "Aggregated stats:\n"
		       "           TOTAL events:         13\n"
		       "            MMAP events:          1  ( 7.7%)\n"
		       "            LOST events:          1  ( 7.7%)\n"
		       "        THROTTLE events:          1  ( 7.7%)\n"
		       "            FORK events:          1  ( 7.7%)\n"
		       "            READ events:          1  ( 7.7%)\n"
		       "             AUX events:          1  ( 7.7%)\n"
		       "          SWITCH events:          2  (15.4%)\n"
		       " SWITCH_CPU_WIDE events:          1  ( 7.7%)\n"
		       "      NAMESPACES events:          1  ( 7.7%)\n"
		       "       BPF_EVENT events:          1  ( 7.7%)\n"
		       "AUX_OUTPUT_HW_ID events:          1  ( 7.7%)\n"
		       "         UNKNOWN events:          1  ( 7.7%)\n");
}

static void prints_records_of_the_recorder(void **state)
{
	struct perf_event_attr a = attr_of(PLAIN | PERF_SAMPLE_CPU);
	struct image im;

	(void)state;
	image__start(&im, &a);
	image__words(&im, RECORD_ID_INDEX, 0, 5, W(1), W(6), W(0), W(-1), W(-1));
	image__words(&im, RECORD_THREAD_MAP, 0, 7, W(2), W(10), W('a'), W(0), W(11), W('b'), W(0));
	image__words(&im, RECORD_CPU_MAP, 0, 2, W(0x0001000000040000), W(0x00070002));
	image__words(&im, RECORD_EVENT_UPDATE, 0, 3, W(0), W(5), W('s'));
	image__words(&im, RECORD_TIME_CONV, 0, 6, W(31), W(1000), W(5), W(6), W(7), W(0x0101));
	image__words(&im, RECORD_STAT, 0, 5, W(5), W(0x200000001), W(100), W(200), W(300));
	image__words(&im, RECORD_STAT_ROUND, 0, 2, W(1), W(12345));
	image__words(&im, RECORD_AUXTRACE_INFO, 0, 3, W(2), W(8), W(31));
	image__words(&im, RECORD_FINISHED_INIT, 0, 0);
	expect_decoded(&im, &in_order,
		       "0 0 0xe8 [0x30]: PERF_RECORD_ID_INDEX nr: 1\n"
		       " ... id: 6  idx: 0  cpu: -1  tid: -1\n"
		       "0 0 0x118 [0x40]: PERF_RECORD_THREAD_MAP nr: 2 threads: 10, 11\n"
		       ": unhandled!\n"
		       "0 0 0x158 [0x18]: PERF_RECORD_CPU_MAP: 0-2,7\n"
		       ": unhandled!\n"
		       "0 0 0x170 [0x20]: PERF_RECORD_EVENT_UPDATE\n"
		       "... id:    5\n"
		       "... unit:  s\n"
		       "0 0 0x190 [0x38]: PERF_RECORD_TIME_CONV\n"
		       "... Time Shift      31\n"
		       "... Time Muliplier  1000\n"
		       "... Time Zero       5\n"
		       "... Time Cycles     6\n"
		       "... Time Mask       0x7\n"
		       "... Cap Time Zero   1\n"
		       "... Cap Time Short  1\n"
		       ": unhandled!\n"
		       "0 0 0x1c8 [0x30]: PERF_RECORD_STAT\n"
		       "... id 5, cpu 1, thread 2\n"
		       "... value 100, enabled 200, running 300\n"
		       ": unhandled!\n"
		       "0 0 0x1f8 [0x18]: PERF_RECORD_STAT_ROUND\n"
		       "... time 12345, type FINAL\n"
		       ": unhandled!\n"
		       "0 0 0x210 [0x20]: PERF_RECORD_AUXTRACE_INFO type: 2\n"
		       "  PMU Type           8\n"
		       "  Time Shift         31\n"
		       "0 0 0x230 [0x8]: PERF_RECORD_FINISHED_INIT: unhandled!\n"
		       "Aggregated stats:\n"
		       "           TOTAL events:          9\n"
		       "        ID_INDEX events:          1  (11.1%)\n"
		       "   AUXTRACE_INFO events:          1  (11.1%)\n"
		       "      THREAD_MAP events:          1  (11.1%)\n"
		       "         CPU_MAP events:          1  (11.1%)\n"
		       "            STAT events:          1  (11.1%)\n"
		       "      STAT_ROUND events:          1  (11.1%)\n"
		       "    EVENT_UPDATE events:          1  (11.1%)\n"
		       "       TIME_CONV events:          1  (11.1%)\n"
		       "   FINISHED_INIT events:          1  (11.1%)\n");
}

static void names_a_thread_from_its_comm_on(void **state)
{
	struct perf_event_attr a = attr_of(PLAIN);
	struct dump_opts file_order = { .file_order = true };
	struct strbuf text = STRBUF_INIT;
	struct image im;

	(void)state;
	image__start(&im, &a);
	image__plain_sample(&im, 10);
	image__plain_sample(&im, 30);
	image__words(&im, PERF_RECORD_COMM, 0, 4, W(0x0000000a0000000a), W('x'), W(0x0000000a0000000a),
		     W(20));
	image__words(&im, RECORD_FINISHED_ROUND, 0, 0);
	image__end_data(&im);
	assert_int_equal(dump_image(&im, &in_order, &text), 0);
	assert_non_null(strstr(text.buf, "[0x8]: PERF_RECORD_FINISHED_ROUND\n\n"));
	assert_true(strstr(text.buf, "thread: :10:10") < strstr(text.buf, "RECORD_COMM"));
	assert_true(strstr(text.buf, "thread: x:10") > strstr(text.buf, "RECORD_COMM"));
	strbuf__reset(&text);
	assert_int_equal(dump_image(&im, &file_order, &text), 0);
	assert_non_null(strstr(text.buf, "[0x8]: PERF_RECORD_FINISHED_ROUND: unhandled!\n\n"));
	assert_true(strstr(text.buf, "\n30 0x") < strstr(text.buf, "RECORD_COMM"));
	strbuf__exit(&text);
	image__exit(&im);
}

/* A sample that reads a group counts for each counter that has moved. */
static void tells_the_place_for_each_counter(void **state)
{
	struct perf_event_attr a = attr_of(PLAIN | PERF_SAMPLE_READ | PERF_SAMPLE_ID);
	static const u64 values[3][2] = { { 100, 0 }, { 200, 5 }, { 200, 5 } };
	static const unsigned places[3] = { 1, 2, 0 };
	struct strbuf text = STRBUF_INIT;
	struct image im;
	char *p;

	(void)state;
	a.read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
	image__init(&im, false);
	image__file_header(&im, 2, 112, 0);
	image__attr_entry(&im, &a, 112, 104 + 2 * 128, 8);
	image__attr_entry(&im, &a, 112, 104 + 2 * 128 + 8, 8);
	image__u64(&im, 5);
	image__u64(&im, 6);
	image__put_u64(&im, 40, im.b.len);
	for (size_t i = 0; i < 3; i++)
		image__words(&im, PERF_RECORD_SAMPLE, 2, 9, W(IP), PID, W(10 + i), W(5), W(2), values[i][0],
			     W(5), values[i][1], W(6));
	image__end_data(&im);
	assert_int_equal(dump_image(&im, &in_order, &text), 0);
	p = strstr(text.buf, "sample_read");
	for (size_t i = 0; i < 3; i++) {
		char *next = strstr(p + 1, i < 2 ? "sample_read" : "Aggregated"), *q = p;
		unsigned nr = 0;

		while ((q = strstr(q + 1, " ... thread: ")) && q < next)
			nr++;
		assert_int_equal(nr, places[i]);
		p = next;
	}
	assert_non_null(strstr(text.buf, "SAMPLE events:          3  (100.0%)\ncpu-clock:HG stats:\n"
					 "          SAMPLE events:          2\ncpu-clock:HG stats:\n         "
					 " SAMPLE events:          1\n"));
	strbuf__exit(&text);
	image__exit(&im);
}

/* ---- threads ---- */

static struct session *session_of(const struct image *im, const int *stop)
{
	struct session_opts opts = { .reader.stop = stop };
	struct session *s;
	char path[64];
	int fd;

	image__path(im->b.buf, im->b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	close(fd);
	return s;
}

/* Samples and names of threads, more than a few parts; round: records in one, 0: none ever ends. */
static void image__many(struct image *im, size_t nr, size_t round)
{
	struct perf_event_attr a = attr_of(PLAIN);

	image__start(im, &a);
	for (size_t i = 0; i < nr; i++) {
		if (i % 1000 == 0)
			image__words(im, PERF_RECORD_COMM, 0, 4, W(0x0000000a0000000a),
				     W('a' + i / 1000 % 26), W(0x0000000a0000000a), W(10 + i));
		image__plain_sample(im, 10 + (i ^ 5));
		if (round && i % round == 0)
			image__words(im, RECORD_FINISHED_ROUND, 0, 0);
	}
	image__end_data(im);
}

static void writes_the_same_with_any_number_of_threads(void **state)
{
	struct strbuf one = STRBUF_INIT, text = STRBUF_INIT;
	struct image im;

	(void)state;
	image__many(&im, 40000, 3000);
	for (unsigned nr = 1; nr <= 9; nr += 2) {
		struct dump_opts opts = { .nr_threads = nr };
		struct session *s = session_of(&im, NULL);
		int fd = memfd_create("dump", MFD_CLOEXEC);

		assert_int_equal(dump__run(s, &opts, fd, NULL), 0);
		session__delete(s);
		assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
		strbuf__reset(&text);
		assert_int_equal(file__read_fd(fd, nr == 1 ? &one : &text, 0), 0);
		close(fd);
		assert_true(nr == 1 || one.len == text.len);
		assert_true(nr == 1 || !memcmp(one.buf, text.buf, one.len));
	}
	assert_non_null(strstr(one.buf, "SAMPLE events:      40000"));
	strbuf__exit(&one);
	strbuf__exit(&text);
	image__exit(&im);
}

enum { NR_MANY = 150000, LEAVER_READS = 500000 };

struct leaver { /* reads a little, then asks to stop and reads on, or leaves */
	int fd;
	int *stop;
	struct strbuf text;
};

static void *leaver__run(void *arg)
{
	struct leaver *l = arg;
	char buf[1 << 16];
	ssize_t n;

	while ((n = read(l->fd, buf, sizeof(buf))) > 0) {
		strbuf__add(&l->text, buf, (size_t)n);
		if (l->text.len < LEAVER_READS)
			continue;
		if (!l->stop)
			break;
		__atomic_store_n(l->stop, 1, __ATOMIC_RELAXED);
	}
	close(l->fd);
	return NULL;
}

static int dump_to_leaver(struct leaver *l, unsigned nr_threads, bool *stopped)
{
	struct dump_opts opts = { .nr_threads = nr_threads };
	struct session *s;
	struct image im;
	pthread_t thread;
	int fds[2], ret;

	image__many(&im, NR_MANY, 0);
	s = session_of(&im, l->stop);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	l->fd = fds[0];
	assert_int_equal(pthread_create(&thread, NULL, leaver__run, l), 0);
	ret = dump__run(s, &opts, fds[1], NULL);
	close(fds[1]);
	pthread_join(thread, NULL);
	*stopped = s->reader->stopped;
	session__delete(s);
	image__exit(&im);
	return ret;
}

/* Where the user stops it, it ends with the counts of what was shown. */
static void ends_where_it_is_stopped(void **state)
{
	(void)state;
	for (unsigned nr = 1; nr <= 3; nr += 2) {
		int stop = 0;
		struct leaver l = { .stop = &stop, .text = STRBUF_INIT };
		unsigned long shown = 0;
		bool stopped;
		char *p;

		assert_int_equal(dump_to_leaver(&l, nr, &stopped), 0);
		assert_true(stopped);
		for (p = l.text.buf; (p = strstr(p, "]: event: ")); p++)
			shown++;
		assert_true(shown > 0 && shown < NR_MANY / 2);
		p = strstr(l.text.buf, "TOTAL events: ");
		assert_non_null(p);
		assert_int_equal(strtoul(p + 14, NULL, 10), shown);
		strbuf__exit(&l.text);
	}
}

/* Seconds of processor time that a whole dump takes. */
static double time_of_dump(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	clock_t start = clock();
	struct session *s;
	struct image im;

	image__many(&im, NR_MANY, 0);
	s = session_of(&im, NULL);
	assert_int_equal(dump__run(s, &in_order, fd, NULL), 0);
	session__delete(s);
	image__exit(&im);
	close(fd);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void ends_when_its_reader_is_gone(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	double whole = time_of_dump();

	(void)state;
	sigaction(SIGPIPE, &ignore, &before);
	for (unsigned nr = 1; nr <= 3; nr += 2) {
		struct leaver l = { .text = STRBUF_INIT };
		clock_t start = clock();
		bool stopped;

		assert_int_equal(dump_to_leaver(&l, nr, &stopped), -EPIPE);
		assert_false(stopped);
		assert_true((double)(clock() - start) / CLOCKS_PER_SEC < whole * 0.8);
		strbuf__exit(&l.text);
	}
	sigaction(SIGPIPE, &before, NULL);
}

/* ---- bad input ---- */

static u32 next_random(u32 *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 8;
}

static void survives_nonsense(void **state)
{
	struct perf_event_attr a = attr_of(UINT32_MAX & ~(1u << 31));
	struct strbuf text = STRBUF_INIT;
	u32 seed = 1;

	(void)state;
	a.sample_regs_user = a.sample_regs_intr = 0xff;
	for (int round = 0; round < 300; round++) {
		struct image im;

		a.sample_type = next_random(&seed) & 0x1ffffff;
		a.read_format = next_random(&seed) & 0x1f;
		a.branch_sample_type = next_random(&seed) & 0xfffff;
		image__start(&im, &a);
		for (int i = 0; i < 40; i++) {
			u32 type = next_random(&seed) % 90;

			type = type == RECORD_COMPRESSED || type == RECORD_COMPRESSED2 ? PERF_RECORD_SAMPLE
										       : type;
			image__begin(&im, i % 3 ? type : PERF_RECORD_SAMPLE, (u16)next_random(&seed));
			for (u32 n = next_random(&seed) % 60; n > 0; n--)
				image__u64(&im, next_random(&seed) % 7 ? next_random(&seed) % 5 : ~0ull);
			image__end(&im);
		}
		image__end_data(&im);
		strbuf__reset(&text);
		(void)dump_image(&im, &in_order, &text);
		image__exit(&im);
	}
	strbuf__exit(&text);
}

static void ends_when_the_output_cannot_be_written(void **state)
{
	struct perf_event_attr a = attr_of(PLAIN);
	struct session_opts session_opts = { 0 };
	struct err err = ERR_INIT;
	struct session *s;
	struct image im;
	char path[64];
	int fd;

	(void)state;
	image__start(&im, &a);
	image__plain_sample(&im, 1);
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &session_opts, &err), 0);
	close(fd);
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(dump__run(s, &in_order, fd, &err), -ENOSPC);
	assert_int_equal(err.code, -ENOSPC);
	close(fd);
	session__delete(s);
	err__exit(&err);
	image__exit(&im);
}

/* ---- numbers ---- */

static void puts_numbers(void **state)
{
	char buf[64], expected[64];

	(void)state;
	for (u64 base = 10; base <= 16; base += 6)
		for (u64 x = 1; x; x = x > UINT64_MAX / base ? 0 : x * base) /* from one length to the next */
			for (u64 y = x - 1; y <= x + 1; y++) {
				snprintf(expected, sizeof(expected), "%llu", (unsigned long long)y);
				*put_dec(buf, y) = '\0';
				assert_string_equal(buf, expected);
				snprintf(expected, sizeof(expected), "%#llx", (unsigned long long)y);
				*put_0x(buf, y) = '\0';
				assert_string_equal(buf, expected);
			}
	*put_dec(buf, UINT64_MAX) = '\0';
	assert_string_equal(buf, "18446744073709551615");
	*put_signed(buf, INT64_MIN) = '\0';
	assert_string_equal(buf, "-9223372036854775808");
	*put_0x(buf, 0) = '\0';
	assert_string_equal(buf, "0");
	*put_0x(buf, 0x10f) = '\0';
	assert_string_equal(buf, "0x10f");
	*put_hex16(buf, 0xabc) = '\0';
	assert_string_equal(buf, "0000000000000abc");
}

/* The block of hex lines, as printf would make it. */
static void puts_bytes(void **state)
{
	struct strbuf text = STRBUF_INIT, expected = STRBUF_INIT;
	u8 data[300];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (u8)(i * 7);
	for (size_t size = 0; size <= sizeof(data); size++) {
		strbuf__reset(&text);
		strbuf__reset(&expected);
		dump_text__hex_block(&text, data, size);
		for (size_t row = 0; row < size; row += 16) {
			strbuf__addf(&expected, ".  %04zx: ", row);
			for (size_t i = row; i < row + 16; i++)
				strbuf__addf(&expected, i < size ? " %02x" : "   ", data[i % sizeof(data)]);
			strbuf__addstr(&expected, "  ");
			for (size_t i = row; i < row + 16; i++)
				strbuf__addch(&expected, i >= size                           ? ' '
							 : data[i] >= 0x20 && data[i] < 0x7f ? (char)data[i]
											     : '.');
			strbuf__addch(&expected, '\n');
		}
		assert_string_equal(text.buf, expected.buf);
	}
	strbuf__exit(&text);
	strbuf__exit(&expected);
}

static void names_registers(void **state)
{
	(void)state;
	assert_string_equal(reg_names__name(reg_names__find("x86_64"), 8), "IP");
	assert_string_equal(reg_names__name(reg_names__find("aarch64"), 31), "sp");
	assert_string_equal(reg_names__name(reg_names__find("armv7l"), 11), "fp");
	assert_string_equal(reg_names__name(reg_names__find("ppc64le"), 32), "nip");
	assert_string_equal(reg_names__name(reg_names__find("pdp11"), 0), "unknown");
	assert_string_equal(reg_names__name(reg_names__find("x86_64"), 63), "XMM15");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prints_bytes_and_counts),
		cmocka_unit_test(prints_all_fields_of_a_sample),
		cmocka_unit_test(prints_a_branch_call_stack),
		cmocka_unit_test(prints_records_of_the_kernel),
		cmocka_unit_test(prints_records_of_the_recorder),
		cmocka_unit_test(names_a_thread_from_its_comm_on),
		cmocka_unit_test(tells_the_place_for_each_counter),
		cmocka_unit_test(writes_the_same_with_any_number_of_threads),
		cmocka_unit_test(ends_where_it_is_stopped),
		cmocka_unit_test(ends_when_its_reader_is_gone),
		cmocka_unit_test(survives_nonsense),
		cmocka_unit_test(ends_when_the_output_cannot_be_written),
		cmocka_unit_test(puts_numbers),
		cmocka_unit_test(puts_bytes),
		cmocka_unit_test(names_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
