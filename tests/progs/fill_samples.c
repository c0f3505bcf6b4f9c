/*
 * Usage: fill_samples FILE [branches]: give the samples of a recording values that this machine's events do
 * not have.
 *
 * Takes recordings without chains, raw data, registers and stack copies, so that each field has its place. A
 * sample's values follow from its position in the file: few of each, in all combinations. branches: a branch
 * takes the room of four fields, which the samples then no longer have.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MEM(field, value) ((uint64_t)PERF_MEM_##field##_##value << PERF_MEM_##field##_SHIFT)

static const uint64_t data_sources[] = {
	MEM(OP, LOAD) | MEM(LVL, HIT) | MEM(LVL, L1) | MEM(SNOOP, NONE) | MEM(TLB, HIT) | MEM(TLB, L1),
	MEM(OP, LOAD) | MEM(LVL, HIT) | MEM(LVL, L3) | MEM(SNOOP, HITM) | MEM(TLB, MISS) | MEM(TLB, L2) |
		MEM(LOCK, LOCKED) | MEM(BLK, ADDR),
	MEM(OP, STORE) | MEM(LVL, MISS) | MEM(LVL, L1) | MEM(LVL, LFB) | MEM(TLB, HIT) | MEM(TLB, L1) |
		MEM(TLB, L2) | MEM(BLK, DATA),
	MEM(OP, LOAD) | MEM(LVLNUM, RAM) | MEM(REMOTE, REMOTE) | MEM(LVL, REM_RAM1) | MEM(LVL, HIT) |
		MEM(SNOOP, HIT) | MEM(LOCK, NA) | MEM(TLB, WK) | MEM(BLK, NA),
	MEM(OP, LOAD) | MEM(LVLNUM, L4) | MEM(LVL, L2) | MEM(SNOOP, NONE) | MEM(SNOOP, HIT) |
		MEM(SNOOPX, FWD) | MEM(TLB, OS) | MEM(BLK, DATA) | MEM(BLK, ADDR),
	MEM(OP, NA) | MEM(LVL, NA) | MEM(SNOOP, NA) | MEM(LOCK, NA) | MEM(TLB, NA) | MEM(LVLNUM, NA),
	MEM(OP, STORE) | MEM(LVLNUM, PMEM) | MEM(LVL, UNC) | MEM(LVL, HIT) | MEM(SNOOP, MISS) |
		MEM(TLB, MISS),
	0,
};

static const uint64_t transactions[] = {
	0,
	PERF_TXN_ELISION | PERF_TXN_SYNC,
	PERF_TXN_TRANSACTION | PERF_TXN_ASYNC | PERF_TXN_RETRY,
	PERF_TXN_TRANSACTION | PERF_TXN_SYNC | PERF_TXN_CONFLICT | PERF_TXN_CAPACITY_WRITE |
		PERF_TXN_CAPACITY_READ | 0x12ull << PERF_TXN_ABORT_SHIFT,
	PERF_TXN_CONFLICT,
	0x80ull << PERF_TXN_ABORT_SHIFT,
};

static const uint64_t page_sizes[] = { 0, 4096, 2u << 20, 1u << 30 };

#define PICK(list, n) (list)[(n) % (sizeof(list) / sizeof(*(list)))]

static void fill(uint64_t type, uint64_t *at, unsigned n)
{
	uint64_t ip = 0, *addr = NULL;

	if (type & PERF_SAMPLE_IDENTIFIER)
		at++;
	if (type & PERF_SAMPLE_IP)
		ip = *at++;
	at += !!(type & PERF_SAMPLE_TID) + !!(type & PERF_SAMPLE_TIME);
	if (type & PERF_SAMPLE_ADDR)
		addr = at++;
	at += !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU) +
	      !!(type & PERF_SAMPLE_PERIOD);
	if (addr) /* in code, in no map, none */
		*addr = n % 5 == 0 ? 0 : n % 5 == 1 ? 0x12340000 + n % 3 : ip - n % 7 * 16;
	if (type & PERF_SAMPLE_BRANCH_STACK) {
		const uint64_t branch[] = { 1, ip, ip - n % 7 * 16, 1 + n % 2 };

		memcpy(at, branch, sizeof(branch));
		return;
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		*at++ = n % 4 * 10 | (uint64_t)(n % 3) << 32 | (uint64_t)(n % 2 * 7) << 48;
	if (type & PERF_SAMPLE_DATA_SRC)
		*at++ = PICK(data_sources, n / 2);
	if (type & PERF_SAMPLE_TRANSACTION)
		*at++ = PICK(transactions, n);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		*at++ = n % 4 ? 0x1000000ull * (n % 4) + 0x88 : 0;
	if (type & PERF_SAMPLE_CGROUP)
		at++;
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		*at++ = PICK(page_sizes, n);
}

int main(int argc, char **argv)
{
	struct { /* the header of perf.data, as far as it is needed */
		char magic[8];
		uint64_t size, attr_size, attrs, attrs_size, data, data_size;
	} * h;
	const uint64_t room = PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR |
			      PERF_SAMPLE_DATA_PAGE_SIZE;
	struct perf_event_attr *attr;
	struct perf_event_header *record;
	int fd = argc >= 2 ? open(argv[1], O_RDWR) : -1;
	struct stat st;
	unsigned n = 0;
	char *file;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return 1;
	h = (void *)file;
	attr = (void *)(file + h->attrs);
	if (argc == 3) {
		if ((attr->sample_type & room) != room)
			return 1;
		attr->sample_type = (attr->sample_type & ~room) | PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	}
	for (uint64_t at = h->data; at < h->data + h->data_size; at += record->size) {
		record = (void *)(file + at);
		if (record->type == PERF_RECORD_SAMPLE)
			fill(attr->sample_type, (uint64_t *)(record + 1), n++);
	}
	printf("%u samples\n", n);
	return n == 0;
}
