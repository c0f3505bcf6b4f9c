/*
 * Usage: step_branches [-o FILE] [-t TRUTH] [-n EVERY | -b USEC] [-m] [-p] [-e] PROGRAM [ARGUMENT...]
 *
 * Run a program in single steps and record it as "perf record -e cycles:u -b" does on a processor that has
 * branch stacks. x86-64 only. Only the first thread is recorded.
 *
 *	-o  the recording (perf.data)
 *	-t  the truth, as text: what ran, and what the branch stacks hold
 *	-n  a sample after every EVERY branches (32). Stacks have 32 entries: with 32 each branch is in one
 *	    stack; with 31 so is each range between two branches.
 *	-b  let the program run for USEC microseconds between two samples, and step only the branches of each:
 *	    for programs that are too large to be stepped. The truth is of what was stepped.
 *	-m  branches are mispredicted whose instruction led elsewhere the last time; otherwise none is
 *	-p  no branch stacks: a sample after every EVERY instructions
 *	-e  begin at the entry point of the program: the dynamic linker runs before it, unseen and fast
 *
 * Lines of the truth. FILE is a number; addresses are those in the file (of nm), hexadecimal; counts are
 * decimal:
 *
 *	file FILE BUILD-ID PATH
 *	branch FILE FROM FILE TO RUN STACKS MISPREDICTED
 *	    times it was taken, times it is in stacks, and times it is mispredicted there
 *	range FILE FIRST LAST RUN STACKS
 *	    instructions up to the branch LAST, from the target of the one before it, or from where the
 *	    program, the other side of a gap or a sample of -b begins
 *	at FILE ADDRESS RUN SAMPLES
 *	    times the instruction ran, and samples at it
 *
 * A signal makes a gap: no stack and no range has branches of both sides.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NR_BRANCHES = 32, NR_MAPS = 256, NR_FILES = 64, PATH_SIZE = 256, BUILD_ID_SIZE = 20, EVENT_ID = 17 };
enum { MISPREDICTED = 1, PREDICTED = 2 }; /* flags of a branch */
enum {
	BUILD_ID = 2,
	ARCH = 6,
	NRCPUS = 7,
	CMDLINE = 11,
	EVENT_DESC = 12,
	BRANCH_STACK = 15,
	NR_FEATURES = 16
};
enum kind { NO_BRANCH, JUMP, BRANCH, SYSCALL };

struct branch {
	uint64_t from, to, flags;
};

/* Counts of a pair of addresses, or of one. */
struct cell {
	uint64_t a, b;
	uint64_t run, stacks;
	union {
		uint64_t mispredicted; /* of a branch */
		struct {               /* of an instruction */
			uint64_t next; /* where it led to the last time */
			uint8_t kind, size;
		};
	};
	bool is_used;
};

struct table {
	struct cell *cells;
	size_t nr, size; /* size: a power of 2 */
};

struct file {
	char path[PATH_SIZE];
	uint8_t build_id[BUILD_ID_SIZE];
	unsigned build_id_size;
	const uint8_t *data; /* NULL: addresses are those of the process */
	size_t size;
};

struct map {
	uint64_t start, end, offset;
	struct file *file;
};

static struct {
	const char *output, *truth;
	unsigned long every, usec;
	bool is_predicting, is_plain, from_entry;
	char **command;
} options = { .output = "perf.data", .every = NR_BRANCHES };
static FILE *out;
static pid_t pid;
static struct table instructions, branches, ranges;
static struct file files[NR_FILES];
static struct map maps[NR_MAPS];
static unsigned nr_files, nr_maps;
static struct branch ring[NR_BRANCHES]; /* branch n is at n % NR_BRANCHES */
static uint64_t nr_branches, nr_steps, nr_samples;
static uint64_t nr_known; /* newest branches without a gap between them */
static unsigned nr_gaps;
static uint64_t sampled_branches, sampled_steps;

static void check(bool is_good, const char *what)
{
	if (is_good)
		return;
	perror(what);
	exit(1);
}

/* ---- tables ---- */

static struct cell *slot_of(const struct table *t, uint64_t a, uint64_t b)
{
	size_t i = (a * 0x9e3779b97f4a7c15 + b * 0xc2b2ae3d27d4eb4f) >> 20 & (t->size - 1);

	while (t->cells[i].is_used && (t->cells[i].a != a || t->cells[i].b != b))
		i = (i + 1) & (t->size - 1);
	return &t->cells[i];
}

static void grow(struct table *t)
{
	const struct table old = *t;

	t->size = old.size ? 2 * old.size : 4096;
	t->cells = calloc(t->size, sizeof(*t->cells));
	check(t->cells, "calloc");
	for (size_t i = 0; i < old.size; i++) {
		if (old.cells[i].is_used)
			*slot_of(t, old.cells[i].a, old.cells[i].b) = old.cells[i];
	}
	free(old.cells);
}

/* Return the cell of a and b; a new one has only zeros besides. */
static struct cell *cell_of(struct table *t, uint64_t a, uint64_t b)
{
	struct cell *c;

	if (2 * t->nr >= t->size)
		grow(t);
	c = slot_of(t, a, b);
	if (!c->is_used) {
		*c = (struct cell){ .a = a, .b = b, .is_used = true };
		t->nr++;
	}
	return c;
}

static int by_address(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* Sort a table, which cannot be searched any longer: its cells are the first nr. */
static void sort(struct table *t)
{
	size_t nr = 0;

	for (size_t i = 0; i < t->size; i++) {
		if (t->cells[i].is_used)
			t->cells[nr++] = t->cells[i];
	}
	if (nr)
		qsort(t->cells, nr, sizeof(*t->cells), by_address);
}

/* ---- records ---- */

static void put(const void *data, size_t size)
{
	check(fwrite(data, 1, size, out) == size, options.output);
}

static void put_u32(uint32_t value)
{
	put(&value, sizeof(value));
}

/* Put a record, with the sample id of this moment unless it is a sample. */
static void put_record(uint32_t type, uint16_t misc, const void *body, size_t size)
{
	const struct {
		uint32_t pid, tid;
		uint64_t time;
	} id = { (uint32_t)pid, (uint32_t)pid, 1000000000 + nr_steps };
	size_t id_size = type == PERF_RECORD_SAMPLE ? 0 : sizeof(id);
	const struct perf_event_header h = { type, misc, (uint16_t)(sizeof(h) + size + id_size) };

	put(&h, sizeof(h));
	put(body, size);
	put(&id, id_size);
}

static void put_task(uint32_t type)
{
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} t = { (uint32_t)pid, (uint32_t)getpid(), (uint32_t)pid, (uint32_t)getpid(), 1000000000 + nr_steps };

	put_record(type, 0, &t, sizeof(t));
}

static void put_comm(void)
{
	struct {
		uint32_t pid, tid;
		char name[16];
	} c = { (uint32_t)pid, (uint32_t)pid, "" };
	const char *slash = strrchr(options.command[0], '/');

	memccpy(c.name, slash ? slash + 1 : options.command[0], '\0', sizeof(c.name) - 1);
	put_record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, &c,
		   offsetof(__typeof__(c), name) + (strlen(c.name) / 8 + 1) * 8);
}

static void put_map(const struct map *m, unsigned long inode, unsigned major, unsigned minor)
{
	struct {
		uint32_t pid, tid;
		uint64_t start, size, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t prot, flags;
		char name[PATH_SIZE];
	} r = { .pid = (uint32_t)pid,
		.tid = (uint32_t)pid,
		.start = m->start,
		.size = m->end - m->start,
		.offset = m->offset,
		.major = major,
		.minor = minor,
		.inode = inode,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE };
	size_t size = strlen(m->file->path);

	memcpy(r.name, m->file->path, size);
	put_record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, &r,
		   offsetof(__typeof__(r), name) + (size / 8 + 1) * 8);
}

static struct branch *newest(uint64_t n)
{
	return &ring[(nr_branches - 1 - n) % NR_BRANCHES];
}

/* Put a sample with a stack of nr branches, and count what an export can see in it. */
static void put_sample(uint64_t ip, uint64_t nr)
{
	uint64_t w[5 + 3 * NR_BRANCHES] = { ip, (uint64_t)pid << 32 | (uint32_t)pid, 1000000000 + nr_steps,
					    nr_steps - sampled_steps };
	size_t n = 4;

	if (!options.is_plain)
		w[n++] = nr;
	for (uint64_t i = 0; i < nr; i++, n += 3) {
		const struct branch *b = newest(i);
		struct cell *c = cell_of(&branches, b->from, b->to);

		memcpy(w + n, b, sizeof(*b));
		c->stacks++;
		c->mispredicted += b->flags & MISPREDICTED;
		if (i + 1 < nr)
			cell_of(&ranges, newest(i + 1)->to, b->from)->stacks++;
	}
	put_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, w, n * sizeof(*w));
	sampled_branches = nr_branches;
	sampled_steps = nr_steps;
	cell_of(&instructions, ip, 0)->stacks++;
	nr_samples++;
}

/* ---- files and maps ---- */

static const Elf64_Phdr *next_header(const struct file *f, const Elf64_Phdr *p, uint32_t type)
{
	const Elf64_Ehdr *e = (const void *)f->data;
	const Elf64_Phdr *headers = (const void *)(f->data + e->e_phoff);

	for (p = p ? p + 1 : headers; p < headers + e->e_phnum; p++) {
		if (p->p_type == type)
			return p;
	}
	return NULL;
}

static void find_build_id(struct file *f)
{
	for (const Elf64_Phdr *p = next_header(f, NULL, PT_NOTE); p; p = next_header(f, p, PT_NOTE)) {
		for (uint64_t at = p->p_offset; at + sizeof(Elf64_Nhdr) < p->p_offset + p->p_filesz;) {
			const Elf64_Nhdr *n = (const void *)(f->data + at);
			const uint8_t *name = (const uint8_t *)(n + 1);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
			    n->n_descsz <= BUILD_ID_SIZE) {
				f->build_id_size = n->n_descsz;
				memcpy(f->build_id, name + 4, n->n_descsz);
			}
			at += sizeof(*n) + ((n->n_namesz + 3u) & ~3u) + ((n->n_descsz + 3u) & ~3u);
		}
	}
}

static struct file *file_of(const char *path)
{
	struct file *f = files;
	struct stat st;
	int fd;

	while (f < files + nr_files && strcmp(f->path, path))
		f++;
	if (f < files + nr_files)
		return f;
	check(nr_files++ < NR_FILES, "too many files");
	snprintf(f->path, sizeof(f->path), "%s", path);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return f;
	check(!fstat(fd, &st), path);
	f->size = (size_t)st.st_size;
	f->data = mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0);
	check(f->data != MAP_FAILED, path);
	close(fd);
	if (f->size < sizeof(Elf64_Ehdr) || memcmp(f->data, ELFMAG, SELFMAG))
		f->data = NULL;
	else
		find_build_id(f);
	return f;
}

static void see_map(const char *line)
{
	unsigned long start, end, offset, inode;
	char mode[8], path[PATH_SIZE];
	unsigned major, minor;
	struct map *m;

	if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu %255s", &start, &end, mode, &offset, &major, &minor,
		   &inode, path) < 8 ||
	    mode[2] != 'x' || (path[0] != '/' && strcmp(path, "[vdso]")))
		return;
	m = &maps[nr_maps];
	*m = (struct map){ start, end, offset, file_of(path) };
	for (unsigned i = 0; i < nr_maps; i++) {
		if (!memcmp(&maps[i], m, sizeof(*m)))
			return;
	}
	check(++nr_maps < NR_MAPS, "too many maps");
	put_map(m, inode, major, minor);
}

/* Record the executable mappings that are new. */
static void see_maps(void)
{
	char path[64], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	check(f, path);
	while (fgets(line, sizeof(line), f))
		see_map(line);
	fclose(f);
}

/* Return an address as the file has it, and the number of the file; -1: none. */
static uint64_t file_address(uint64_t address, int *file)
{
	const struct map *m = maps + nr_maps;

	*file = -1;
	while (m-- > maps) {
		const struct file *f = m->file;

		if (address < m->start || address >= m->end)
			continue;
		*file = (int)(f - files);
		address = address - m->start + m->offset;
		for (const Elf64_Phdr *p = f->data ? next_header(f, NULL, PT_LOAD) : NULL; p;
		     p = next_header(f, p, PT_LOAD)) {
			if (address >= p->p_offset && address < p->p_offset + p->p_filesz)
				return address - p->p_offset + p->p_vaddr;
		}
		break;
	}
	return address;
}

/* ---- steps ---- */

/* Decode as much as user space needs. *size: bytes of a system call, or of a jump that may not be taken. */
static enum kind kind_of(uint64_t ip, uint8_t *size)
{
	uint8_t b[16] = { 0 };
	unsigned i = 0;

	for (unsigned n = 0; n < sizeof(b); n += sizeof(long)) {
		long word = ptrace(PTRACE_PEEKTEXT, pid, (void *)(ip + n), NULL);

		memcpy(b + n, &word, sizeof(word));
	}
	while (i < 12 && (strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", b[i]) || (b[i] & 0xf0) == 0x40))
		i++;
	if ((b[i] & 0xf0) == 0x70 || (b[i] >= 0xe0 && b[i] <= 0xe3)) { /* jcc, loop, jrcxz */
		*size = (uint8_t)(i + 2);
		return JUMP;
	}
	if (b[i] == 0x0f && (b[i + 1] & 0xf0) == 0x80) { /* jcc, near */
		*size = (uint8_t)(i + 6);
		return JUMP;
	}
	if (b[i] == 0x0f && b[i + 1] == 0x05) {
		*size = (uint8_t)(i + 2);
		return SYSCALL;
	}
	if (b[i] == 0xff && (b[i + 1] >> 3 & 7) >= 2 && (b[i + 1] >> 3 & 7) <= 5) /* call *, jmp * */
		return BRANCH;
	return (b[i] && strchr("\xe8\xe9\xeb\xc3\xc2", b[i])) ? BRANCH : NO_BRANCH; /* call, jmp, ret */
}

static struct cell *instruction(uint64_t ip)
{
	struct cell *c = cell_of(&instructions, ip, 0);

	if (!c->size) {
		c->size = 1;
		c->kind = (uint8_t)kind_of(ip, &c->size);
	}
	return c;
}

static uint64_t peek(size_t offset)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, pid, (void *)offset, NULL);
}

static uint64_t instruction_pointer(void)
{
	return peek(offsetof(struct user_regs_struct, rip));
}

/* Continue the program with a ptrace request, and a signal or 0; return the next signal, or -1 at its end. */
static int resume(enum __ptrace_request request, int signal)
{
	int status;

	if (signal == SIGTRAP)
		signal = 0;
	if (ptrace(request, pid, NULL, (void *)(long)signal) || waitpid(pid, &status, 0) != pid ||
	    !WIFSTOPPED(status))
		return -1;
	return WSTOPSIG(status);
}

/* Put a sample of the branches that none has yet. */
static void put_rest(uint64_t ip)
{
	uint64_t rest = nr_branches - sampled_branches;

	if (!rest || options.is_plain || options.usec || options.every > NR_BRANCHES)
		return;
	rest += NR_BRANCHES - options.every;
	put_sample(ip, rest < nr_known ? rest : nr_known);
}

static void see_branch(uint64_t from, uint64_t to, uint64_t first, bool is_expected)
{
	bool is_mispredicted = options.is_predicting && !is_expected;

	ring[nr_branches++ % NR_BRANCHES] =
		(struct branch){ from, to, is_mispredicted ? MISPREDICTED : PREDICTED };
	nr_known++;
	cell_of(&branches, from, to)->run++;
	cell_of(&ranges, first, from)->run++;
}

/*
 * Take one step from *ip, which is 0 afterwards if the program ended; *first is where the range of *ip began.
 * Deliver a signal, or 0, and return the one that came.
 */
static int step(uint64_t *ip, uint64_t *first, int signal)
{
	uint64_t from = *ip, number = 0;
	bool is_signal = signal && signal != SIGTRAP;
	struct cell *c = instruction(from);
	bool is_expected;

	if (c->kind == SYSCALL)
		number = peek(offsetof(struct user_regs_struct, rax));
	signal = resume(PTRACE_SINGLESTEP, signal);
	*ip = signal < 0 ? 0 : instruction_pointer();
	if (!is_signal && *ip == from && (signal != SIGTRAP || c->kind == SYSCALL))
		return signal; /* there was no step: a signal comes, or the call will be restarted */
	if (is_signal || (c->kind == SYSCALL && *ip && *ip != from + c->size)) {
		put_rest(from); /* before a signal's handler, or at the end of one */
		*first = *ip;
		nr_known = 0;
		nr_gaps++;
		return signal;
	}
	c->run++;
	nr_steps++;
	if (number == SYS_mmap || number == SYS_mprotect)
		see_maps();
	if (!*ip || c->kind == NO_BRANCH || c->kind == SYSCALL)
		return signal;
	is_expected = !c->next || c->next == *ip;
	c->next = *ip;
	if (c->kind == BRANCH || *ip != from + c->size) {
		see_branch(from, *ip, *first, is_expected);
		*first = *ip;
	}
	return signal;
}

static void take_sample(uint64_t ip)
{
	if (options.is_plain) {
		if (nr_steps - sampled_steps == options.every)
			put_sample(ip, 0);
	} else if (nr_branches - sampled_branches == options.every) {
		put_sample(ip, nr_known < NR_BRANCHES ? nr_known : NR_BRANCHES);
	}
}

static void step_all(void)
{
	uint64_t ip = instruction_pointer(), first = ip, last = ip;
	int signal = 0;

	while (ip) {
		last = ip;
		signal = step(&ip, &first, signal);
		if (ip)
			take_sample(ip);
	}
	put_rest(last);
}

static void stop(int signal)
{
	(void)signal;
	kill(pid, SIGSTOP);
}

/* Let the program run for a while and step the branches of a sample, in turns. */
static void step_bursts(void)
{
	const struct itimerval timer = { .it_value = { (time_t)(options.usec / 1000000),
						       (suseconds_t)(options.usec % 1000000) } };
	uint64_t ip, first;
	int got = 0;

	signal(SIGALRM, stop);
	for (;;) {
		setitimer(ITIMER_REAL, &timer, NULL);
		do
			got = resume(PTRACE_CONT, got);
		while (got > 0 && got != SIGSTOP);
		if (got < 0)
			return;
		see_maps();
		nr_known = 0;
		got = 0;
		for (first = ip = instruction_pointer(); ip && nr_known < NR_BRANCHES;)
			got = step(&ip, &first, got);
		if (!ip)
			return;
		put_sample(ip, NR_BRANCHES);
	}
}

static uint64_t entry_point(void)
{
	Elf64_auxv_t value = { 0 };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	f = fopen(path, "r");
	check(f, path);
	do
		check(fread(&value, sizeof(value), 1, f) == 1, path);
	while (value.a_type != AT_ENTRY);
	fclose(f);
	return value.a_un.a_val;
}

/* Let the program run up to its entry point. */
static void run_to_entry(void)
{
	void *entry = (void *)(uintptr_t)entry_point(), *rip = (void *)offsetof(struct user_regs_struct, rip);
	uint64_t code = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, entry, NULL);

	check(!ptrace(PTRACE_POKETEXT, pid, entry, (void *)((code & ~0xffull) | 0xcc)), "breakpoint");
	check(resume(PTRACE_CONT, 0) == SIGTRAP, "no stop at the entry point");
	check(!ptrace(PTRACE_POKETEXT, pid, entry, (void *)code), "breakpoint");
	check(!ptrace(PTRACE_POKEUSER, pid, rip, entry), "instruction pointer");
}

static void start(void)
{
	int status;

	pid = fork();
	if (!pid) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(options.command[0], options.command);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (options.from_entry)
			run_to_entry();
		return;
	}
	fprintf(stderr, "cannot run '%s'\n", options.command[0]);
	exit(1);
}

/* ---- the recording ---- */

static const struct perf_event_attr *event(void)
{
	static struct perf_event_attr a = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(a),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = 4000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_ID,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.comm = 1,
		.freq = 1,
		.enable_on_exec = 1,
		.task = 1,
		.precise_ip = 0,
		.sample_id_all = 1,
		.exclude_guest = 1,
		.mmap2 = 1,
		.comm_exec = 1,
	};

	if (!options.is_plain) {
		a.sample_type |= PERF_SAMPLE_BRANCH_STACK;
		a.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	}
	return &a;
}

static void put_text(const char *text)
{
	static const char zeros[64];
	size_t size = strlen(text);

	put_u32((uint32_t)((size / 64 + 1) * 64));
	put(text, size);
	put(zeros, 64 - size % 64);
}

static void put_build_ids(void)
{
	for (const struct file *f = files; f < files + nr_files; f++) {
		struct {
			struct perf_event_header header;
			int32_t pid;
			uint8_t id[24];
			char path[PATH_SIZE];
		} b = { .header = { 0, PERF_RECORD_MISC_USER | 1 << 15, 0 }, .pid = -1 }; /* with the size */

		if (!f->build_id_size)
			continue;
		b.header.size = (uint16_t)(offsetof(__typeof__(b), path) + (strlen(f->path) / 64 + 1) * 64);
		memcpy(b.id, f->build_id, sizeof(f->build_id));
		b.id[20] = (uint8_t)f->build_id_size;
		memcpy(b.path, f->path, strlen(f->path));
		put(&b, b.header.size);
	}
}

static void put_feature(unsigned feature)
{
	const uint64_t id = EVENT_ID;
	unsigned n = 0;

	switch (feature) {
	case BUILD_ID:
		put_build_ids();
		break;
	case ARCH:
		put_text("x86_64");
		break;
	case NRCPUS:
		put_u32((uint32_t)get_nprocs_conf());
		put_u32((uint32_t)get_nprocs());
		break;
	case CMDLINE:
		while (options.command[n])
			n++;
		put_u32(n);
		for (char **c = options.command; *c; c++)
			put_text(*c);
		break;
	case EVENT_DESC:
		put_u32(1);
		put_u32(sizeof(struct perf_event_attr));
		put(event(), sizeof(struct perf_event_attr));
		put_u32(1);
		put_text("cycles:u");
		put(&id, sizeof(id));
		break;
	}
}

/* Put the sections of features after the data, and before them their table. */
static void put_features(uint64_t bits)
{
	struct perf_file_section {
		uint64_t at, size;
	} table[NR_FEATURES];
	size_t nr = (size_t)__builtin_popcountll(bits);
	long start = ftell(out);

	check(!fseek(out, (long)(nr * sizeof(*table)), SEEK_CUR), options.output);
	nr = 0;
	for (unsigned i = 0; i < NR_FEATURES; i++) {
		if (!(bits >> i & 1))
			continue;
		table[nr].at = (uint64_t)ftell(out);
		put_feature(i);
		table[nr].size = (uint64_t)ftell(out) - table[nr].at;
		nr++;
	}
	check(!fseek(out, start, SEEK_SET), options.output);
	put(table, nr * sizeof(*table));
}

static void record(void)
{
	const uint64_t ids = 13 * sizeof(ids), attrs = ids + sizeof(ids);
	struct {
		struct perf_event_attr a;
		uint64_t ids[2];
	} attr = { *event(), { ids, sizeof(ids) } };
	const uint64_t id = EVENT_ID, data = attrs + sizeof(attr);
	uint64_t bits = 1 << BUILD_ID | 1 << ARCH | 1 << NRCPUS | 1 << CMDLINE | 1 << EVENT_DESC;
	uint64_t h[13] = { 0, sizeof(h), sizeof(attr), attrs, sizeof(attr), data };

	put(h, sizeof(h));
	put(&id, sizeof(id));
	put(&attr, sizeof(attr));
	start();
	put_task(PERF_RECORD_FORK);
	put_comm();
	see_maps();
	if (options.usec)
		step_bursts();
	else
		step_all();
	put_task(PERF_RECORD_EXIT);
	memcpy(h, "PERFILE2", 8);
	h[6] = (uint64_t)ftell(out) - data;
	h[9] = options.is_plain ? bits : bits | 1 << BRANCH_STACK;
	put_features(h[9]);
	rewind(out);
	put(h, sizeof(h));
	check(!fclose(out), options.output);
}

/* ---- the truth ---- */

static void put_place(FILE *f, uint64_t address, const char *between)
{
	int file;

	address = file_address(address, &file);
	if (between)
		fprintf(f, "%s%d ", between, file);
	fprintf(f, "%lx ", address);
}

static void write_truth(FILE *f)
{
	fprintf(f, "# %lu instructions, %lu branches, %lu samples, %u gaps\n", nr_steps, nr_branches,
		nr_samples, nr_gaps);
	for (unsigned i = 0; i < nr_files; i++) {
		fprintf(f, "file %u ", i);
		for (unsigned n = 0; n < files[i].build_id_size; n++)
			fprintf(f, "%02x", files[i].build_id[n]);
		fprintf(f, "%s %s\n", files[i].build_id_size ? "" : "-", files[i].path);
	}
	sort(&branches);
	sort(&ranges);
	sort(&instructions);
	for (const struct cell *c = branches.cells; c < branches.cells + branches.nr; c++) {
		put_place(f, c->a, "branch ");
		put_place(f, c->b, "");
		fprintf(f, "%lu %lu %lu\n", c->run, c->stacks, c->mispredicted);
	}
	for (const struct cell *c = ranges.cells; c < ranges.cells + ranges.nr; c++) {
		put_place(f, c->a, "range ");
		put_place(f, c->b, NULL);
		fprintf(f, "%lu %lu\n", c->run, c->stacks);
	}
	for (const struct cell *c = instructions.cells; c < instructions.cells + instructions.nr; c++) {
		put_place(f, c->a, "at ");
		fprintf(f, "%lu %lu\n", c->run, c->stacks);
	}
}

static bool read_options(int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "+o:t:n:b:mpe")) != -1) {
		switch (letter) {
		case 'o':
			options.output = optarg;
			break;
		case 't':
			options.truth = optarg;
			break;
		case 'n':
			options.every = strtoul(optarg, NULL, 10);
			break;
		case 'b':
			options.usec = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			options.is_predicting = true;
			break;
		case 'p':
			options.is_plain = true;
			break;
		case 'e':
			options.from_entry = true;
			break;
		default:
			return false;
		}
	}
	options.command = argv + optind;
	return options.command[0] && options.every && !(options.usec && options.is_plain);
}

int main(int argc, char **argv)
{
	if (!read_options(argc, argv)) {
		fprintf(stderr,
			"usage: %s [-o FILE] [-t TRUTH] [-n EVERY | -b USEC] [-m] [-p] [-e] PROGRAM...\n",
			argv[0]);
		return 2;
	}
	out = fopen(options.output, "w");
	check(out, options.output);
	record();
	fprintf(stderr, "%lu instructions, %lu branches, %lu samples\n", nr_steps, nr_branches, nr_samples);
	if (options.truth) {
		FILE *f = fopen(options.truth, "w");

		check(f, options.truth);
		write_truth(f);
		check(!fclose(f), options.truth);
	}
	return 0;
}
