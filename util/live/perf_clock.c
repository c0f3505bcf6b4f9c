#include "live/perf_clock.h"

#include "base/system/clock.h"
#include "live/counter.h"
#include "live/ring.h"

#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Return the time of the last COMM record, from its sample_id, or 0 if there is none. */
static u64 time_of_comm(const struct ring_part *part)
{
	u64 time = 0, pos = 0;

	while (part->size - pos >= sizeof(struct perf_event_header)) {
		const u8 *record = (const u8 *)part->data + pos;
		const struct perf_event_header *h = (const void *)record;

		if (h->size < sizeof(*h) + sizeof(time) || h->size > part->size - pos)
			break;
		if (h->type == PERF_RECORD_COMM)
			memcpy(&time, record + h->size - sizeof(time), sizeof(time));
		pos += h->size;
	}
	return time;
}

/*
 * Set the calling thread's name to what it is, which makes a COMM record in the ring. Return its time, or 0.
 */
static u64 time_of_renaming(struct ring *ring)
{
	struct ring_part part[2];
	char name[16];
	u64 time = 0;

	if (!prctl(PR_GET_NAME, name) && !prctl(PR_SET_NAME, name) && ring__begin(ring, part) == 1)
		time = time_of_comm(&part[0]);
	ring__end(ring);
	return time;
}

/* Read both clocks, several times, and keep the pair that was read within the shortest time. */
static u64 read_both(struct ring *ring, u64 *monotonic)
{
	enum { TRIES = 5 };
	u64 best = UINT64_MAX, found = 0;

	for (int i = 0; i < TRIES; i++) {
		u64 before = clock__ns(), time = time_of_renaming(ring), took = clock__ns() - before;

		if (!time || took >= best)
			continue;
		best = took;
		found = time;
		*monotonic = before + took / 2;
	}
	return found;
}

u64 perf_clock__now_with(u64 *monotonic)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.comm = 1,
		.sample_id_all = 1,
	};
	int fd = counter__open(&attr, 0, -1, -1);
	struct ring ring;
	u64 time = 0;

	if (fd < 0)
		return 0;
	if (!ring__map(&ring, fd, -1, 1)) {
		time = read_both(&ring, monotonic);
		ring__unmap(&ring);
	}
	close(fd);
	return time;
}

u64 perf_clock__now(void)
{
	u64 monotonic;

	return perf_clock__now_with(&monotonic);
}
