/* Side-band records that come ring after ring: replayed as if each had been replayed when its time came. */
#include "unit.h"

#include "model/side_band.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NR_RECORDS = 15000, NR_PIDS = 5, TRAILER = 16, NR_LOOKUPS = 20000, TIME_MAX = 4000 };

struct entry {
	union {
		struct perf_event_header header;
		u8 bytes[160];
	};
	u64 time;
	u32 seq;
};

static struct entry entries[NR_RECORDS];
static u32 seed = 3;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static void put(struct entry *e, const void *data, size_t size)
{
	memcpy(e->bytes + e->header.size, data, size);
	e->header.size = (u16)(e->header.size + size);
}

static void put_u32(struct entry *e, u32 x)
{
	put(e, &x, sizeof(x));
}

static void put_u64(struct entry *e, u64 x)
{
	put(e, &x, sizeof(x));
}

static void put_name(struct entry *e, const char *name)
{
	char text[32] = "";

	strncpy(text, name, sizeof(text) - 1);
	put(e, text, ROUND_UP(strlen(name) + 1, 8));
}

static void begin(struct entry *e, u32 type, u16 misc)
{
	memset(e->bytes, 0, sizeof(e->bytes));
	e->header = (struct perf_event_header){ .type = type, .misc = misc, .size = sizeof(e->header) };
}

static void make_map(struct entry *e, u32 pid)
{
	static const char *const names[] = { "/bin/a", "/lib/b", "/lib/bb", "//anon", "[vdso]", "/bin/a" };
	u32 which = rnd(ARRAY_SIZE(names));
	u64 start = 0x1000 * (1 + rnd(200));

	begin(e, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_u32(e, pid);
	put_u32(e, pid);
	put_u64(e, start);
	put_u64(e, rnd(20)  ? 0x1000 * (1 + rnd(50))
		   : rnd(2) ? 0
			    : -start); /* all but nothing, or up to the end */
	put_u64(e, 0x1000 * rnd(3));
	put_u32(e, 8);
	put_u32(e, 1);
	put_u64(e, which); /* inode: two files of one name */
	put_u64(e, 0);
	put_u32(e, rnd(4) ? PROT_EXEC | PROT_READ : PROT_READ);
	put_u32(e, MAP_PRIVATE);
	put_name(e, names[which]);
}

static void make_comm(struct entry *e, u32 pid)
{
	static const char *const names[] = { "one", "two", "three" };

	begin(e, PERF_RECORD_COMM, rnd(3) ? 0 : MISC_COMM_EXEC);
	put_u32(e, pid);
	put_u32(e, pid);
	put_name(e, names[rnd(ARRAY_SIZE(names))]);
}

static void make_fork(struct entry *e, u32 pid)
{
	u32 parent = 1 + rnd(NR_PIDS);

	begin(e, PERF_RECORD_FORK, 0);
	put_u32(e, pid);
	put_u32(e, parent);
	put_u32(e, pid);
	put_u32(e, parent);
	put_u64(e, e->time);
}

/* Times rise for a while, as in one ring, and then fall; some records are of no time and stand at the end. */
static void make_records(void)
{
	u64 time = 0;

	for (u32 i = 0; i < NR_RECORDS; i++) {
		struct entry *e = &entries[i];
		u32 pid = 1 + rnd(NR_PIDS), kind = rnd(100);

		time = rnd(700) ? time + rnd(3) : rnd(TIME_MAX);
		e->time = i + 50 > NR_RECORDS ? 0 : MIN(time, (u64)TIME_MAX);
		e->seq = i;
		if (kind < 90)
			make_map(e, pid);
		else if (kind < 97)
			make_comm(e, pid);
		else
			make_fork(e, pid);
		for (u32 k = 0; k < TRAILER / 8; k++)
			put_u64(e, rnd(1 << 20));
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

static void look(const struct machine *m, struct machine_cursor *c, u64 time, u32 pid, u64 ip, char text[128])
{
	const struct thread_state *t;
	struct dso_addr at;

	machine_cursor__seek(c, time);
	t = machine_cursor__thread(c, pid, pid);
	machine__resolve(m, t->maps, c->rank, PERF_RECORD_MISC_USER, ip, &at);
	snprintf(text, 128, "%s %u %s+%#lx", t->comm == COMM_UNKNOWN ? "?" : machine__str(m, t->comm),
		 t->maps ? machine_cursor__version(c, t->maps) : 0,
		 dso__long_name(&m->dsos, m->dsos.v.v[at.dso]), (unsigned long)at.addr);
}

static void replays_in_time_order(void **state)
{
	struct machine gathered, replayed;
	struct machine_cursor c, d;
	struct side_band b;

	(void)state;
	make_records();
	machine__init(&gathered);
	machine__init(&replayed);
	side_band__init(&b, &gathered);
	for (u32 i = 0; i < NR_RECORDS; i++)
		side_band__add(&b, &(struct record){ .header = &entries[i].header }, TRAILER,
			       entries[i].time);
	memset(entries[5].bytes + 24, 0xff, 16); /* the records are not needed any more */
	side_band__replay(&b);
	machine__finish(&gathered);
	seed = 3;
	make_records();
	qsort(entries, NR_RECORDS, sizeof(*entries), compare_entries);
	for (u32 i = 0; i < NR_RECORDS; i++)
		machine__replay(&replayed, &(struct record){ .header = &entries[i].header }, entries[i].time);
	machine__finish(&replayed);

	machine_cursor__init(&c, &gathered);
	machine_cursor__init(&d, &replayed);
	assert_int_equal(gathered.dsos.v.nr, replayed.dsos.v.nr);
	for (u32 i = 0; i < NR_LOOKUPS; i++) {
		u64 time = i % 2 ? rnd(TIME_MAX + 10) : (u64)i * TIME_MAX / NR_LOOKUPS,
		    ip = 0x1000 * rnd(260) + 0x10;
		u32 pid = 1 + rnd(NR_PIDS);
		char x[128], y[128];

		look(&gathered, &c, time, pid, ip, x);
		look(&replayed, &d, time, pid, ip, y);
		assert_string_equal(x, y);
	}
	machine__exit(&gathered);
	machine__exit(&replayed);
}

/* What is too short, or whose name does not end: nothing, or what there is of it. */
static void malformed_maps(void **state)
{
	struct machine m;
	struct entry e;

	(void)state;
	machine__init(&m);
	do
		make_map(&e, 7);
	while (memcmp(e.bytes + 72, "/lib/bb", 8) || ((u64 *)e.bytes)[3] == 0);
	for (u16 size = sizeof(e.header), whole = e.header.size; size <= whole; size += 8) {
		struct record r = { .header = &e.header };
		struct waiting_map w;

		e.header.size = size;
		for (size_t trailer = 0; trailer <= 200; trailer += 8) {
			bool taken = machine__take_map(&m, &r, trailer, &w);

			if (size < whole)
				assert_false(taken);
			else if (taken)
				assert_string_equal(m.files.sources.v[w.source].file->record.filename,
						    "/lib/bb");
			assert_true(size < whole || trailer > 40 || taken);
		}
	}
	machine__exit(&m);
}

static void add_map(struct side_band *b, u32 pid, u64 start, u64 time)
{
	struct entry e;

	begin(&e, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put_u32(&e, pid);
	put_u32(&e, pid);
	put_u64(&e, start);
	put_u64(&e, 0x1000);
	for (int i = 0; i < 4; i++)
		put_u64(&e, 0); /* offset, device, inode, its generation */
	put_u32(&e, PROT_EXEC | PROT_READ);
	put_u32(&e, MAP_PRIVATE);
	put_name(&e, "/bin/a");
	side_band__add(b, &(struct record){ .header = &e.header }, 0, time);
}

/* Each record once, wherever among them time goes back: where there is room for the next ones, too. */
static void every_record_is_replayed_once(void **state)
{
	(void)state;
	for (u32 nr = 1; nr < 300; nr++) {
		struct side_band b;
		struct machine m;

		machine__init(&m);
		side_band__init(&b, &m);
		for (u32 i = 0; i < nr; i++)
			add_map(&b, 7, 0x1000 * (i + 1), 10 + i);
		add_map(&b, 7, 0x1000, 5);
		side_band__replay(&b);
		assert_int_equal(m.times.nr, nr + 1);
		machine__exit(&m);
	}
}

/* What the map before became counts no more. */
static void an_exec_between_equal_maps_begins_a_space(void **state)
{
	struct machine_cursor c;
	struct side_band b;
	struct machine m;
	struct entry e;
	char text[128];

	(void)state;
	machine__init(&m);
	side_band__init(&b, &m);
	add_map(&b, 7, 0x1000, 1);
	begin(&e, PERF_RECORD_COMM, MISC_COMM_EXEC);
	put_u32(&e, 7);
	put_u32(&e, 7);
	put_name(&e, "a");
	side_band__add(&b, &(struct record){ .header = &e.header }, 0, 2);
	for (u64 i = 0; i < 6; i++)
		add_map(&b, 7, 0x10000 + 0x1000 * i, 3 + i);
	side_band__replay(&b);
	machine__finish(&m);
	machine_cursor__init(&c, &m);
	look(&m, &c, 1, 7, 0x1010, text);
	assert_string_equal(text, "a 1 /bin/a+0x10");
	look(&m, &c, 8, 7, 0x1010, text);
	assert_string_equal(text, "a 6 [unknown]+0x1010");
	look(&m, &c, 8, 7, 0x15010, text);
	assert_string_equal(text, "a 6 /bin/a+0x10");
	machine__exit(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replays_in_time_order),
		cmocka_unit_test(malformed_maps),
		cmocka_unit_test(every_record_is_replayed_once),
		cmocka_unit_test(an_exec_between_equal_maps_begins_a_space),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
