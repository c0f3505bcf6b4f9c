/*
 * Profiles for compilers and linkers (perf export --format sample-profile ...), of any program with debug
 * information, and of any file that is called a recording.
 *
 * An input that begins as a recording is one. Any other one is a program, the file that the samples of a
 * recording are in; its end says what these are, so that bytes can be put into the program:
 *
 *	PROGRAM, samples (struct input_sample), u8 number of these, u8 what to do
 *
 * What is written must have the syntax of its format, and counts that samples can give. Seeds: see seeds_pgo.
 */
#include "../unit/image.h"
#include "base/message/msg.h"
#include "fuzz.h"
#include "pgo/pgo.h"

#include <ctype.h>
#include <string.h>

enum {
	PID = 40,
	EVENT_ID = 100,
	MAP_AT = 0x400000,
	NR_ADDRS = 4,
	SAMPLES_MAX = 255 << 7,
	COPIES_MAX = 0xfff, /* of a line, by a discriminator */
	UNIT = 1000,        /* BLOCK_COUNT_UNIT */
	DEPTH_MAX = 300,
};

enum what { /* bits of an input's last byte; format: number in pgo_formats */
	    WITH_BRANCHES = 1,
	    AS_SAMPLED = 2,
	    IN_WIDE_MAP = 4,
	    SHIFTED = 64, /* by one, so that an address may be the last that there is */
	    FORMAT_SHIFT = 3,
	    FORMAT_MASK = 7,
};

struct input_sample {
	u8 repeat;          /* 1 << 0 to 7 times */
	u8 kinds;           /* of each address, two bits */
	u16 addr[NR_ADDRS]; /* a chain, or branches: from, to, from, to; the newest first */
};

static u64 failed(const char *reason)
{
	fprintf(stderr, "fuzz_pgo: %s\n", reason);
	abort();
}

/* ---- what is written ---- */

struct text {
	const char *p, *end;
	u64 most; /* the largest count that there may be */
};

static u64 take_number(struct text *t, u64 most)
{
	u64 n = 0;

	if (t->p == t->end || !isdigit((u8)*t->p))
		failed("no number");
	for (; t->p < t->end && isdigit((u8)*t->p); t->p++)
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *t->p - '0', &n))
			failed("a number of more than 64 bits");
	return n <= most ? n : failed("the number is too large");
}

static void take_char(struct text *t, char c)
{
	if (t->p == t->end || *t->p != c)
		failed("another character was expected");
	t->p++;
}

/* A name ends at a colon. What it begins with must not be read as something else. */
static void take_name(struct text *t)
{
	const char *begin = t->p;

	if (t->p == t->end || strchr("#[", *t->p) || isdigit((u8)*t->p))
		failed("a name begins with a character that has a meaning");
	while (t->p < t->end && (u8)*t->p > ' ' && *t->p != 0x7f && *t->p != ':')
		t->p++;
	if (t->p == begin)
		failed("no name");
	take_char(t, ':');
}

struct profile_body { /* a function, or one inlined */
	u64 total, sum;
};

static void end_bodies(struct profile_body *bodies, u32 *depth, u32 to)
{
	for (; *depth > to; --*depth)
		if (bodies[*depth - 1].sum > bodies[*depth - 1].total)
			failed("the total is less than its parts");
}

/* A line inside of a function: "LINE[.DISCRIMINATOR]: ", and a count with calls, or a name and its total. */
static void take_line(struct text *t, struct profile_body *bodies, u32 *depth)
{
	u32 spaces = 0;

	for (; t->p < t->end && *t->p == ' '; t->p++)
		spaces++;
	if (!spaces || spaces > *depth)
		failed("a line is in no function");
	end_bodies(bodies, depth, spaces);
	take_number(t, UINT16_MAX);
	if (t->p < t->end && *t->p == '.') {
		t->p++;
		take_number(t, UINT32_MAX);
	}
	take_char(t, ':');
	take_char(t, ' ');
	if (t->p < t->end && isdigit((u8)*t->p)) {
		bodies[*depth - 1].sum += take_number(t, t->most);
		while (t->p < t->end && *t->p == ' ') {
			t->p++;
			take_name(t);
			take_number(t, t->most);
		}
		return;
	}
	take_name(t);
	if (*depth == DEPTH_MAX)
		failed("functions are nested too deep");
	bodies[*depth] = (struct profile_body){ .total = take_number(t, UINT64_MAX) };
	bodies[*depth - 1].sum += bodies[*depth].total;
	++*depth;
}

/* As llvm/include/llvm/ProfileData/SampleProfReader.h has it. */
static void check_sample_profile(struct text *t)
{
	static struct profile_body bodies[DEPTH_MAX];
	u32 depth = 0;

	while (t->p < t->end) {
		if (*t->p == ' ') {
			take_line(t, bodies, &depth);
		} else {
			end_bodies(bodies, &depth, 0);
			take_name(t);
			bodies[depth++] = (struct profile_body){ .total = take_number(t, UINT64_MAX) };
			take_char(t, ':');
			take_number(t, t->most);
		}
		take_char(t, '\n');
	}
	end_bodies(bodies, &depth, 0);
}

static void check(const struct pgo_format *f, int fd, u64 nr_samples)
{
	struct strbuf output = STRBUF_INIT;
	struct text t;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (file__read(path, &output, 0))
		abort();
	fuzz__touch(output.buf, output.len);
	t = (struct text){ output.buf, output.buf + output.len, nr_samples * UNIT * COPIES_MAX };
	if (f == &pgo_sample_profile)
		check_sample_profile(&t);
	strbuf__exit(&output);
}

/* ---- the recording ---- */

static u64 address(const struct input_sample *s, u32 i, unsigned what)
{
	u64 at = s->addr[i];

	switch (s->kinds >> 2 * i & 3) {
	case 1:
		at = UINT32_MAX + at - UINT16_MAX / 2;
		break;
	case 2:
		at = ~at;
		break;
	case 3:
		return at; /* in no map, or in the first page of the wide one */
	}
	return what & IN_WIDE_MAP ? at : MAP_AT + at;
}

static void add_sample(struct image *im, const struct input_sample *s, unsigned what)
{
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, EVENT_ID);
	image__u64(im, address(s, 0, what));
	image__u32(im, PID);
	image__u32(im, PID);
	if (what & WITH_BRANCHES) {
		image__u64(im, NR_ADDRS / 2);
		for (u32 i = 0; i < NR_ADDRS; i += 2) {
			image__u64(im, address(s, i, what));
			image__u64(im, address(s, i + 1, what));
			image__u64(im, s->repeat >> 6);
		}
	} else {
		image__u64(im, NR_ADDRS + 1);
		image__u64(im, PERF_CONTEXT_USER);
		for (u32 i = 0; i < NR_ADDRS; i++)
			image__u64(im, address(s, i, what));
	}
	image__end(im);
}

/* A process with one program, mapped from MAP_AT on, or everywhere. */
static void make_recording(struct image *im, const char *program, unsigned what)
{
	struct perf_event_attr a =
		image__cpu_clock(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				 (what & WITH_BRANCHES ? PERF_SAMPLE_BRANCH_STACK : PERF_SAMPLE_CALLCHAIN));

	a.branch_sample_type = what & WITH_BRANCHES ? PERF_SAMPLE_BRANCH_ANY : 0;
	image__init(im, false);
	image__file_header(im, 1, a.size, 0);
	image__attr_entry(im, &a, a.size, 104 + a.size + 16, 8);
	image__u64(im, EVENT_ID);
	image__put_u64(im, 40, im->b.len);
	image__comm(im, PID, "program");
	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, PID);
	image__u32(im, PID);
	image__u64(im, what & IN_WIDE_MAP ? 0 : MAP_AT);
	image__u64(im, what & IN_WIDE_MAP ? UINT64_MAX : 1ull << 40);
	image__u64(im, what & SHIFTED ? 1 : 0);
	image__str(im, program, ROUND_UP(strlen(program) + 1, 8));
	image__end(im);
}

/* Cut the samples from the end of the input, and add them. Return how many there are. */
static u64 add_samples(struct image *im, const u8 *data, size_t *size, unsigned what)
{
	size_t nr = *size ? data[--*size] : 0;
	u64 total = 0;

	nr = MIN(nr, *size / sizeof(struct input_sample));
	*size -= nr * sizeof(struct input_sample);
	for (size_t i = 0; i < nr; i++) {
		struct input_sample s;

		memcpy(&s, data + *size + i * sizeof(s), sizeof(s));
		for (u32 k = 0; k < 1u << (s.repeat & 7); k++, total++)
			add_sample(im, &s, what);
	}
	image__end_data(im);
	return total;
}

/* ---- all of it ---- */

static void ignore(const char *text, size_t len)
{
	fuzz__touch(text, len);
}

static void export_as(const char *input, const struct pgo_format *f, unsigned what, u64 nr_samples)
{
	char output[64];
	const int fd = fuzz__file("", 0, output);
	const struct export_args args = { .input = input,
					  .output = output,
					  .as_sampled = what & AS_SAMPLED,
					  .max_stack = 127,
					  .threads = 1,
					  .symbols_of = { .symfs = "/proc/self/fd" } };

	msg__set_sink(ignore);
	if (!pgo__run(&args, f))
		check(f, fd, nr_samples);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned what = size ? data[--size] : 0;
	char program[64], recording[64];
	struct image im;
	size_t nr_formats = 0;
	u64 nr = UINT32_MAX;
	int fd = -1, recording_fd;

	while (pgo_formats[nr_formats])
		nr_formats++;
	if (size >= 8 && !memcmp(data, "PERFILE2", 8)) {
		recording_fd = fuzz__file(data, size, recording);
	} else {
		fd = fuzz__file("", 0, program);
		make_recording(&im, strrchr(program, '/'), what);
		nr = add_samples(&im, data, &size, what) * (NR_ADDRS / 2);
		if (file__pwrite_all(fd, data, size, 0))
			abort();
		recording_fd = fuzz__file(im.b.buf, im.b.len, recording);
		image__exit(&im);
	}
	export_as(recording, pgo_formats[(what >> FORMAT_SHIFT & FORMAT_MASK) % nr_formats], what, nr);
	if (fd >= 0)
		close(fd);
	close(recording_fd);
	return 0;
}
