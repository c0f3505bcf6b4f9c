/*
 * Usage: trace_branches FILE CALLS SAMPLES EVERY PROGRAM [ARGUMENT...]: record a program with the branch
 * stacks that a processor would record. x86-64 only.
 *
 * Takes single steps from the program's first int3 on, and a sample after EVERY steps, with a call chain
 * of the calls seen. CALLS 0: branch stacks are the last 32 branches. Otherwise they are the calls that
 * have not returned, in a ring of CALLS. Cycles follow from addresses, predictions and what speculation led
 * to from a row of numbers that looks random.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NR_BRANCHES = 32, DEPTH_MAX = 4096, FEATURE_BRANCH_STACK = 15, FEATURE_CPU_PMU_CAPS = 28 };
enum { PREDICTED = 2, MISPREDICTED = 1, ABORT = 8, CYCLES_SHIFT = 4, SPECULATION_SHIFT = 24 };

struct branch {
	uint64_t from, to, flags;
};

static FILE *out;
static pid_t pid;
static struct branch taken[NR_BRANCHES]; /* newest first */
static unsigned nr_taken;
static uint64_t returns[DEPTH_MAX];
static struct branch calls[DEPTH_MAX];
static unsigned depth;   /* calls that have not returned */
static unsigned nr_kept; /* of them in the ring */
static uint64_t now = 1000000000;

static void check(bool is_good, const char *what)
{
	if (is_good)
		return;
	perror(what);
	exit(1);
}

static void put(const void *data, size_t size)
{
	check(fwrite(data, 1, size, out) == size, "write");
}

static void put_record(uint32_t type, uint16_t misc, const void *body, size_t size)
{
	const struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + size) };

	put(&h, sizeof(h));
	put(body, size);
}

static void put_comm(void)
{
	const struct {
		uint32_t pid, tid;
		char name[8];
		uint32_t id[2];
		uint64_t time;
	} c = { (uint32_t)pid, (uint32_t)pid, "traced", { (uint32_t)pid, (uint32_t)pid }, now };

	put_record(PERF_RECORD_COMM, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_COMM_EXEC, &c, sizeof(c));
}

static void put_map(const char *line)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		char name[256 + 16];
	} m = { .pid = (uint32_t)pid, .tid = (uint32_t)pid };
	const uint32_t id[2] = { (uint32_t)pid, (uint32_t)pid };
	unsigned long start, end, offset;
	size_t size;
	char mode[8];

	if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %255s", &start, &end, mode, &offset, m.name) < 5 ||
	    mode[2] != 'x' || m.name[0] != '/')
		return;
	m.start = start;
	m.size = end - start;
	m.offset = offset;
	size = (strlen(m.name) / 8 + 1) * 8;
	memcpy(m.name + size, id, sizeof(id));
	memcpy(m.name + size + sizeof(id), &now, sizeof(now));
	put_record(PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, &m, offsetof(__typeof__(m), name) + size + 16);
}

static void put_maps(void)
{
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	check(f, path);
	while (fgets(line, sizeof(line), f))
		put_map(line);
	fclose(f);
}

static void put_sample(uint64_t ip, unsigned ring)
{
	static uint64_t w[8 + DEPTH_MAX + 3 * NR_BRANCHES];
	size_t n = 0;

	w[n++] = ip;
	w[n++] = (uint64_t)pid << 32 | (uint32_t)pid;
	w[n++] = now;
	w[n++] = 1000; /* period */
	w[n++] = depth + 2;
	w[n++] = PERF_CONTEXT_USER;
	w[n++] = ip;
	for (unsigned i = depth; i-- > 0;)
		w[n++] = returns[i];
	w[n++] = ring ? nr_kept : nr_taken;
	if (ring)
		w[n++] = (depth + ring - 1) % ring; /* where the newest one is in the ring */
	for (unsigned i = 0; i < (ring ? nr_kept : nr_taken); i++, n += 3)
		memcpy(w + n, ring ? &calls[depth - 1 - i] : &taken[i], sizeof(*taken));
	put_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, w, n * sizeof(*w));
}

enum kind { NO_BRANCH, JUMP, CALL, RETURN };

/* Decode as much as compilers' branches need. *size: of a jump, bytes. */
static enum kind kind_of(uint64_t ip, unsigned *size)
{
	long word = ptrace(PTRACE_PEEKTEXT, pid, (void *)ip, NULL);
	uint8_t b[sizeof(word)];
	unsigned i = 0;

	memcpy(b, &word, sizeof(b));
	while (i < 3 && (b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x3e || (b[i] & 0xf0) == 0x40))
		i++;
	*size = i + (b[i] == 0x0f ? 6 : b[i] == 0xe9 ? 5 : 2);
	if ((b[i] & 0xf0) == 0x70 || b[i] == 0xeb || b[i] == 0xe9 || (b[i] >= 0xe0 && b[i] <= 0xe3) ||
	    (b[i] == 0x0f && (b[i + 1] & 0xf0) == 0x80) || (b[i] == 0xff && (b[i + 1] >> 3 & 7) == 4))
		return JUMP;
	if (b[i] == 0xe8 || (b[i] == 0xff && (b[i + 1] >> 3 & 7) == 2))
		return CALL;
	return b[i] == 0xc3 || b[i] == 0xc2 ? RETURN : NO_BRANCH;
}

static uint64_t flags_of(unsigned cycles)
{
	static unsigned number = 12345;

	number = number * 1103515245 + 12345;
	return (number >> 16 & 7 ? PREDICTED : MISPREDICTED) | (number >> 20 & 63 ? 0 : ABORT) |
	       (uint64_t)cycles << CYCLES_SHIFT | (uint64_t)(number >> 26 & 3) << SPECULATION_SHIFT;
}

/* Note the branch that a step was, if it was one. */
static bool see_step(uint64_t from, uint64_t to, unsigned cycles, unsigned ring)
{
	unsigned size;
	enum kind kind = kind_of(from, &size);
	const struct branch b = { from, to, 0 };

	if (kind == NO_BRANCH || (kind == JUMP && to == from + size))
		return false;
	memmove(taken + 1, taken, sizeof(taken) - sizeof(*taken));
	taken[0] = b;
	taken[0].flags = flags_of(cycles);
	nr_taken += nr_taken < NR_BRANCHES;
	if (kind == CALL && depth < DEPTH_MAX) {
		long sp = ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user_regs_struct, rsp), NULL);

		calls[depth] = taken[0];
		returns[depth++] = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)sp, NULL);
		nr_kept += nr_kept < ring;
	} else if (kind == RETURN) {
		depth -= depth > 0;
		nr_kept -= nr_kept > 0;
	}
	return true;
}

static uint64_t instruction_pointer(void)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, pid, (void *)offsetof(struct user_regs_struct, rip), NULL);
}

static unsigned trace(unsigned nr_samples, unsigned every, unsigned ring)
{
	uint64_t ip = instruction_pointer();
	unsigned steps = 0, cycles = 0, nr = 0;
	int status;

	while (nr < nr_samples) {
		uint64_t from = ip;

		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid ||
		    !WIFSTOPPED(status))
			break;
		ip = instruction_pointer();
		cycles += 1 + from % 3;
		if (see_step(from, ip, cycles, ring))
			cycles = 0;
		now += 1000;
		if (++steps % every == 0) {
			put_sample(ip, ring);
			nr++;
		}
	}
	kill(pid, SIGKILL);
	return nr;
}

static void start(char **argv)
{
	int status;

	pid = fork();
	if (!pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[0], argv);
		_exit(127);
	}
	waitpid(pid, &status, 0); /* exec */
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0); /* int3 */
	check(WIFSTOPPED(status), argv[0]);
}

/* The table of features, and their contents: that of FEATURE_BRANCH_STACK, if it is there, is empty. */
static void put_features(unsigned nr_branches, bool has_branches)
{
	struct {
		uint64_t at[4];
		uint32_t nr, name_size;
		char name[16];
		uint32_t value_size;
		char value[12];
	} __attribute__((packed)) f = { .nr = 1, .name_size = 16, .name = "branches", .value_size = 12 };

	size_t skip = has_branches ? 0 : 16; /* its row in the table */

	snprintf(f.value, sizeof(f.value), "%u", nr_branches);
	f.at[0] = f.at[2] = (uint64_t)ftell(out) + sizeof(f.at) - skip;
	f.at[3] = sizeof(f) - sizeof(f.at);
	put((const char *)&f + skip, sizeof(f) - skip);
}

int main(int argc, char **argv)
{
	unsigned ring = argc > 5 ? (unsigned)atoi(argv[2]) : 0;
	struct {
		struct perf_event_attr a;
		uint64_t ids[2];
	} attr = { .a = { .type = PERF_TYPE_HARDWARE,
			  .size = sizeof(attr.a),
			  .config = PERF_COUNT_HW_CPU_CYCLES,
			  .sample_period = 1000,
			  .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
					 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
					 PERF_SAMPLE_BRANCH_STACK,
			  .sample_id_all = 1,
			  .exclude_kernel = 1,
			  .mmap = 1,
			  .comm = 1,
			  .branch_sample_type =
				  PERF_SAMPLE_BRANCH_USER |
				  (ring ? PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_HW_INDEX
					: PERF_SAMPLE_BRANCH_ANY) } };
	uint64_t h[13] = { 0, sizeof(h), sizeof(attr), sizeof(h), sizeof(attr), sizeof(h) + sizeof(attr) };

	if (argc < 6)
		return 2;
	out = fopen(argv[1], "w");
	check(out, argv[1]);
	start(argv + 5);
	put(h, sizeof(h));
	put(&attr, sizeof(attr));
	put_comm();
	put_maps();
	printf("%u samples\n", trace((unsigned)atoi(argv[3]), (unsigned)atoi(argv[4]), ring));
	memcpy(h, "PERFILE2", 8);
	h[6] = (uint64_t)ftell(out) - h[5];
	h[9] = (ring ? 0 : 1ull << FEATURE_BRANCH_STACK) | 1ull << FEATURE_CPU_PMU_CAPS;
	put_features(ring ? ring : NR_BRANCHES, !ring);
	rewind(out);
	put(h, sizeof(h));
	check(!fclose(out), argv[1]);
	return 0;
}
