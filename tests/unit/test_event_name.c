/* Names of events, both ways. The expected names are what stock perf 6.1 shows for files with these attrs. */
#include "unit.h"

#include "event/evsel/event_name.h"
#include "event/tracepoint/tracepoint_names.h"

#include <errno.h>
#include <string.h>

enum {
	EXCLUDE_USER = 1 << 4,
	EXCLUDE_KERNEL = 1 << 5,
	EXCLUDE_HV = 1 << 6,
	EXCLUDE_IDLE = 1 << 7,
	PRECISE = 1 << 15,
	EXCLUDE_HOST = 1 << 19,
	EXCLUDE_GUEST = 1 << 20,
};

static const struct {
	u32 type, flags;
	u64 config;
	u32 bp_type;
	const char *name;
} cases[] = {
	{ 0, 0, 0, 0, "cycles:HG" },
	{ 0, EXCLUDE_GUEST, 0, 0, "cycles" },
	{ 0, EXCLUDE_USER, 0, 0, "cycles:kh" },
	{ 0, EXCLUDE_KERNEL | EXCLUDE_HV, 0, 0, "cycles:u" },
	{ 0, EXCLUDE_KERNEL | EXCLUDE_HV | EXCLUDE_GUEST, 1, 0, "instructions:uH" },
	{ 0, EXCLUDE_IDLE | EXCLUDE_GUEST, 0, 0, "cycles" },
	{ 0, EXCLUDE_HOST, 0, 0, "cycles:G" },
	{ 0, 3 * PRECISE, 0, 0, "cycles:ppp" },
	{ 0, 2 * PRECISE | EXCLUDE_GUEST, 0, 0, "cycles:ppH" },
	{ 0, EXCLUDE_GUEST, 99, 0, "unknown-hardware" },
	{ 0, EXCLUDE_GUEST, 0x400000001, 0, "cpu/instructions/" },
	{ 1, EXCLUDE_GUEST, 0, 0, "cpu-clock" },
	{ 1, EXCLUDE_GUEST, 9, 0, "dummy" },
	{ 1, EXCLUDE_GUEST, 99, 0, "unknown-software" },
	{ 2, EXCLUDE_GUEST, 5, 0, "unknown tracepoint" },
	{ 3, EXCLUDE_GUEST, 0, 0, "L1-dcache-loads" },
	{ 3, EXCLUDE_GUEST, 0x10000, 0, "L1-dcache-load-misses" },
	{ 3, EXCLUDE_GUEST, 0x10206, 0, "node-prefetch-misses" },
	{ 3, EXCLUDE_GUEST, 0x104, 0, "invalid-cache" },
	{ 3, EXCLUDE_GUEST, 0x20000, 0, "unknown-ext-hardware-cache-result" },
	{ 3, EXCLUDE_GUEST, 0x300, 0, "unknown-ext-hardware-cache-op" },
	{ 3, EXCLUDE_GUEST, 7, 0, "unknown-ext-hardware-cache-type" },
	{ 4, EXCLUDE_GUEST, 0x1a8, 0, "raw 0x1a8" },
	{ 5, EXCLUDE_GUEST, 0, 1, "mem:0x12345:r" },
	{ 5, EXCLUDE_GUEST | EXCLUDE_KERNEL | EXCLUDE_HV, 0, 3, "mem:0x12345:rw:uH" },
	{ 5, EXCLUDE_GUEST, 0, 4, "mem:0x12345:x" },
	{ 8, PRECISE, 0, 0, "unknown attr type: 8" },
	{ UINT32_MAX, 0, 0, 0, "unknown attr type: -1" },
};

static void names_attrs(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr attr = { .type = cases[i].type, .config = cases[i].config };
		u64 flags = cases[i].flags;

		memcpy((u8 *)&attr + 40, &flags, sizeof(flags));
		if (cases[i].bp_type) {
			attr.bp_type = cases[i].bp_type;
			attr.bp_addr = 0x12345;
		}
		strbuf__reset(&sb);
		event_name__of_attr(&attr, &sb);
		assert_string_equal(sb.buf, cases[i].name);
	}
	strbuf__exit(&sb);
}

static int find(const char *name, u32 *type, u64 *config)
{
	return event_name__find(name, strlen(name), type, config);
}

static void finds_names(void **state)
{
	u32 type;
	u64 config;

	(void)state;
	assert_int_equal(find("cpu-cycles", &type, &config), 0);
	assert_int_equal(type, PERF_TYPE_HARDWARE);
	assert_int_equal(config, 0);
	assert_int_equal(find("cs", &type, &config), 0);
	assert_int_equal(type, PERF_TYPE_SOFTWARE);
	assert_int_equal(config, 3);
	assert_int_equal(event_name__find("faults,more", 6, &type, &config), 0);
	assert_int_equal(config, 2);
	assert_int_equal(find("LLC-store-misses", &type, &config), 0);
	assert_int_equal(type, PERF_TYPE_HW_CACHE);
	assert_int_equal(config, 0x10102);
	assert_int_equal(find("dTLB", &type, &config), 0);
	assert_int_equal(config, 3);
	assert_int_equal(find("branch-loads", &type, &config), 0);
	assert_int_equal(config, 5);
	assert_int_equal(find("cycle", &type, &config), -ENOENT);
	assert_int_equal(find("", &type, &config), -ENOENT);
	assert_int_equal(find("LLC-", &type, &config), -ENOENT);
	assert_int_equal(find("LLC-loads-loads", &type, &config), -ENOENT);
	assert_int_equal(find("iTLB-stores", &type, &config), -ENOENT);
}

/* What a name means has that name, or the name it is an alias of. */
static void round_trip(const char *name, void *ctx)
{
	struct perf_event_attr attr = { .exclude_guest = 1 };
	struct strbuf sb = STRBUF_INIT;
	u32 type, again;
	u64 config, config_again;

	assert_int_equal(find(name, &type, &config), 0);
	attr.type = type;
	attr.config = config;
	event_name__of_attr(&attr, &sb);
	assert_int_equal(find(sb.buf, &again, &config_again), 0);
	assert_int_equal(again, type);
	assert_int_equal(config_again, config);
	strbuf__exit(&sb);
	++*(int *)ctx;
}

static void every_name_round_trips(void **state)
{
	int nr = 0;

	(void)state;
	event_name__for_each(round_trip, &nr);
	assert_true(nr > 50);
}

static void add_sized(struct strbuf *sb, const char *s)
{
	u64 size = strlen(s);

	strbuf__add(sb, &size, sizeof(size));
	strbuf__addstr(sb, s);
}

static void names_tracepoints(void **state)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = 64 };
	struct strbuf sb = STRBUF_INIT;
	struct evlist l;
	u32 one = 1, two = 2;

	(void)state;
	strbuf__add(&sb, "\x17\x08\x44tracing0.6", 14); /* and the NUL */
	strbuf__addch(&sb, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	strbuf__add(&sb, "\x08\x00\x10\x00\x00", 5);
	strbuf__add(&sb, "header_page", 12);
	add_sized(&sb, "page");
	strbuf__add(&sb, "header_event", 13);
	add_sized(&sb, "event");
	strbuf__add(&sb, &one, 4);
	add_sized(&sb, "name: ftrace\nID: 7\n");
	strbuf__add(&sb, &one, 4);
	strbuf__add(&sb, "sched", 6);
	strbuf__add(&sb, &two, 4);
	add_sized(&sb, "name: sched_switch\nID: 391\nformat:\n");
	add_sized(&sb, "name: sched_wakeup\nID: 392\n");
	/* Cut anywhere: no name, or the right one. */
	for (size_t size = 0; size <= sb.len; size++) {
		char *copy = xmalloc(size + 1);
		int ret;

		memcpy(copy, sb.buf, size);
		evlist__init(&l);
		for (attr.config = 391; attr.config <= 393; attr.config++)
			evlist__add(&l, &attr, 64, NULL);
		ret = tracepoint_names__apply(&l, copy, size);
		assert_int_equal(ret, size == sb.len ? 0 : -EBADMSG);
		if (!ret) {
			assert_string_equal(l.evsels.v[0]->name, "sched:sched_switch");
			assert_string_equal(l.evsels.v[1]->name, "sched:sched_wakeup");
		}
		assert_null(l.evsels.v[2]->name);
		evlist__exit(&l);
		free(copy);
	}
	strbuf__exit(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_attrs),
		cmocka_unit_test(finds_names),
		cmocka_unit_test(every_name_round_trips),
		cmocka_unit_test(names_tracepoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
