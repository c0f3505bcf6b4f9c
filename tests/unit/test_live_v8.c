/*
 * A process with V8, which is this one: functions of frames, and the jitdump that the recorder makes of their
 * names, also when code and bytecodes are replaced, and when the collector moved the closure.
 */
#include "made_dump.h"

#include "exit_record.h"
#include "record/stacks/live_v8.h"
#include "v8_image.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct v8_image image;
static struct live_binaries binaries;
static struct live_space space;
static struct live_v8 v8;
static struct vm_owner owner;
static u32 node, other;

static void add_map(u64 start, u64 pgoff, u32 binary)
{
	array__add(&space.maps, ((struct live_map){ .start = start,
						    .end = start + 0x1000,
						    .pgoff = pgoff,
						    .since = 1000,
						    .until = UINT64_MAX,
						    .binary = binary }));
}

static int begin(void **state)
{
	u8 *mem = mmap(NULL, V8I_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	v8_image__make(&image, mem, (u64)(uintptr_t)mem, V8_13);
	live_binaries__init(&binaries);
	space = (struct live_space){ .id = 1, .since = 500 };
	node = live_binaries__add(&binaries, "/usr/bin/node", &(struct live_binary){ .ino = 5 });
	other = live_binaries__add(&binaries, "/usr/lib/libother.so", &(struct live_binary){ .ino = 6 });
	add_map(image.base - 0x10000, 0x3000, node); /* a part of the binary, once more */
	add_map(image.base + 0x2000, 0x2000, node);
	add_map(image.base + 0x100000, 0x3000, node);
	live_v8__init(&v8, kept_files__new(8), false);
	live_v8__begin_round(&v8);
	owner = (struct vm_owner){ .pid = (u32)getpid(), .space = &space, .binaries = &binaries };
	return 0;
}

static int end(void **state)
{
	(void)state;
	live_v8__exit(&v8);
	kept_files__delete(v8.names.kept);
	live_binaries__exit(&binaries);
	array__exit(&space.maps);
	munmap(image.mem, V8I_SIZE);
	return 0;
}

/* Read the dump that is announced. */
static void read_dump(void)
{
	struct strbuf announcement = STRBUF_INIT;
	struct evlist l;

	made_dump__list(&l);
	live_v8__announce(&v8, &l, &announcement);
	made_dump__read(&l, &announcement, v8.names.kept);
}

/* ---- frames ---- */

struct function {
	u64 shared, bytecodes, closure;
};

static struct function make_function(const char *name, const char *bytes)
{
	const u64 ends[] = { v8i__smi(90) };
	struct function f = { .bytecodes = v8i__bytecodes(&image, bytes) };
	u64 script = v8i__script(&image, v8i__text(&image, "a.js"), 0, v8i__array(&image, ends, 1));

	f.shared = v8i__shared(&image, v8i__scope(&image, 0, v8i__text(&image, name), 0, 4), script,
			       f.bytecodes);
	f.closure = v8i__function(&image, f.shared);
	return f;
}

static bool find_interpreted(const struct function *f, s32 at, u64 *shown)
{
	/* the offset counts from the object */
	const struct v8_frame v = { .ip = image.base + 0x2100,
				    .function = f->closure,
				    .bytecodes = f->bytecodes,
				    .offset = v8i__smi(53 + at) };

	return live_v8__find_function(&v8, &owner, &v, shown);
}

static bool find_compiled(u64 ip, u64 closure)
{
	const struct v8_frame v = { .ip = ip, .is_compiled = true, .function = closure };
	u64 shown = 7;
	bool done = live_v8__find_function(&v8, &owner, &v, &shown);

	assert_int_equal(shown, 7);
	return done;
}

static void kinds(void **state)
{
	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	assert_int_equal(live_v8__kind(&v8, &owner, 0), V8_COMPILED);
	assert_int_equal(live_v8__kind(&v8, &owner, other), JAVA_NONE);
	image.mem[0] = 0;
	space.since++; /* another program in the process, without V8 */
	live_v8__begin_round(&v8);
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	assert_int_equal(live_v8__kind(&v8, &owner, 0), JAVA_NONE);
}

static void interpreted(void **state)
{
	struct function f, g;
	u64 shown = 7, moved;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	f = make_function("run", "bytecodes of run");
	assert_true(find_interpreted(&f, 3, &shown));
	assert_int_equal(shown, f.bytecodes - 1 + 54 + 3);
	assert_true(find_interpreted(&f, -1, &shown)); /* it is being entered */
	assert_int_equal(shown, f.bytecodes - 1 + 54);
	shown = 7;
	assert_false(find_interpreted(&f, 16, &shown));
	assert_false(find_interpreted(&f, -2, &shown));
	assert_int_equal(shown, 7);
	/* a closure of another function, or what is no bytecodes: no frame of the interpreter */
	g = make_function("other", "bytecodes of other");
	g.closure = f.closure;
	live_v8__begin_round(&v8);
	assert_false(find_interpreted(&g, 3, &shown));
	g.bytecodes = f.shared;
	assert_false(find_interpreted(&g, 3, &shown));
	/* the closure was moved, and is not there any more: the name comes later */
	g = make_function("later", "bytecodes of later");
	moved = g.closure;
	g.closure = image.base + 0x7f01;
	live_v8__begin_round(&v8);
	assert_true(find_interpreted(&g, 3, &shown));
	g.closure = moved;
	assert_true(find_interpreted(&g, 3, &shown));
	read_dump();
	assert_int_equal(nr_loads, 3);
	assert_string_equal(loads[0].name, "run a.js:1:5");
	assert_int_equal(loads[0].addr, f.bytecodes - 1 + 54);
	assert_int_equal(loads[0].size, 16);
	assert_int_equal(loads[0].time, 1000);
	assert_string_equal(loads[1].name, "[interpreted function]");
	assert_string_equal(loads[2].name, "later a.js:1:5");
	assert_int_equal(loads[2].time, 1000);
}

static void compiled(void **state)
{
	struct function f, g;
	u64 at[4], object, shown;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	f = make_function("run", "bytecodes of run");
	g = make_function("other", "bytecodes of other");
	at[0] = v8i__code(&image, V8I_OPTIMIZED, 300, f.shared, &object);
	at[1] = v8i__code(&image, V8I_BASELINE, 200, f.bytecodes, &object);
	at[2] = v8i__code(&image, V8I_BUILTIN, 100, 0, &object);
	assert_true(find_compiled(at[0] + 8, 0));
	/* baseline code needs the closure, or that its bytecodes are known */
	assert_false(find_compiled(at[1] + 8, 0));
	assert_false(find_compiled(at[1] + 8, g.closure));
	assert_true(find_compiled(at[1] + 8, f.closure));
	assert_true(find_compiled(at[1] + 16, 0));
	assert_false(find_compiled(at[2] + 8, f.closure));
	assert_false(find_compiled(at[0] + 300, f.closure));
	at[3] = v8i__code(&image, V8I_BASELINE, 250, g.bytecodes, &object);
	live_v8__begin_round(&v8);
	assert_true(find_interpreted(&g, 0, &shown));
	assert_true(find_compiled(at[3], 0));
	read_dump();
	assert_int_equal(nr_loads, 4);
	assert_string_equal(loads[0].name, "run a.js:1:5");
	assert_int_equal(loads[0].addr, at[0]);
	assert_int_equal(loads[0].size, 300);
	assert_string_equal(loads[1].name, "run a.js:1:5");
	assert_int_equal(loads[1].addr, at[1]);
	assert_string_equal(loads[3].name, "other a.js:1:5");
	assert_int_equal(loads[3].addr, at[3]);
}

/* Where there is no room to read all of a name, there is none: half of it would be wrong. */
static void no_half_names(void **state)
{
	struct function f;
	u64 script = v8i__script(&image, 0, 0, 0), at, object, shown;
	const u64 end_of_line = v8i__smi(90);
	unsigned left = 0;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	f = make_function("run", "bytecodes of run");
	image.heap = 0xc000; /* objects are in several pages */
	v8i__set(&image, f.shared, 24, v8i__scope(&image, 80, 0, v8i__text(&image, "guess"), 4));
	v8i__set(&image, f.shared, 40, script);
	image.heap = 0xd000;
	v8i__set(&image, script, 56, v8i__array(&image, &end_of_line, 1));
	image.heap = 0xe000;
	v8i__set(&image, script, 16, v8i__text(&image, "a.js"));
	at = v8i__code(&image, V8I_OPTIMIZED, 300, f.shared, &object);
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	do {
		live_v8__begin_round(&v8);
		v8.left = left++;
		v8.bytes_left = 0;
		find_interpreted(&f, 0, &shown);
	} while (!find_compiled(at, 0));
	assert_true(left > 3);
	read_dump();
	for (unsigned i = 0; i < nr_loads; i++)
		if (strcmp(loads[i].name, "[interpreted function]"))
			assert_string_equal(loads[i].name, "guess a.js:1:5");
}

/* What is replaced keeps its name up to the newest sample of earlier rounds. */
static void replaced(void **state)
{
	struct function f, g;
	u64 at, object, shown;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	f = make_function("first", "bytecodes");
	g = make_function("second", "others");
	at = v8i__code(&image, V8I_OPTIMIZED, 300, f.shared, &object);
	assert_true(find_compiled(at, 0));
	assert_true(find_interpreted(&f, 0, &shown));
	live_v8__note_time(&v8, 3000);
	image.nr_codes = 0;
	v8i__code(&image, V8I_OPTIMIZED, 400, g.shared, &object);
	memcpy(image.mem + (f.bytecodes - 1 + 54 - image.base), "BYTECODES", 9);
	v8i__set(&image, f.closure, 32, g.shared);
	v8i__set(&image, g.shared, 8, f.bytecodes);
	live_v8__begin_round(&v8);
	live_v8__note_time(&v8, 4000);
	assert_true(find_compiled(at + 350, 0));
	assert_true(find_interpreted(&f, 0, &shown));
	read_dump();
	assert_int_equal(nr_loads, 4);
	assert_string_equal(loads[2].name, "second a.js:1:5");
	assert_int_equal(loads[2].time, 3001);
	assert_string_equal(loads[3].name, "second a.js:1:5");
	assert_int_equal(loads[3].addr, f.bytecodes - 1 + 54);
	assert_int_equal(loads[3].time, 3001);
	/* as before, although the closure is gone */
	f.closure = 0x11;
	live_v8__begin_round(&v8);
	assert_true(find_interpreted(&f, 0, &shown));
	read_dump();
	assert_int_equal(nr_loads, 4);
}

/* What is known of a process that has ended is used further. */
static void ended(void **state)
{
	struct function f;
	u64 at, object, shown;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	f = make_function("run", "bytecodes");
	at = v8i__code(&image, V8I_BASELINE, 300, f.bytecodes, &object);
	assert_true(find_compiled(at, f.closure));
	assert_true(find_interpreted(&f, 0, &shown));
	mprotect(image.mem, V8I_SIZE, PROT_NONE);
	live_v8__begin_round(&v8);
	assert_true(find_compiled(at, f.closure));
	assert_true(find_interpreted(&f, 2, &shown));
	assert_int_equal(shown, f.bytecodes - 1 + 54 + 2);
	assert_false(find_compiled(at + 400, f.closure));
	mprotect(image.mem, V8I_SIZE, PROT_READ | PROT_WRITE);
}

/* Reading stops at the limit of a round; each process costs one try until its maps change. */
static void limits(void **state)
{
	struct kept_files *kept = v8.names.kept;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	v8.left = 3;
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	assert_int_equal(v8.left, 0);
	live_v8__begin_round(&v8);
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	image.mem[0] = 0;
	space.since++;
	live_v8__begin_round(&v8);
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	v8.left = 1000;
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	assert_int_equal(v8.left, 1000);
	/* nobody gets the names: nothing is read */
	image.mem[0] = 0x7f;
	space.since++;
	live_v8__begin_round(&v8);
	v8.left = 1000;
	v8.names.kept = NULL;
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	assert_int_equal(v8.left, 1000);
	v8.names.kept = kept;
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
}

/* Without jitdumps, as in pipes, each file has the names that its samples need. */
static void names_in_records(void **state)
{
	const struct function f = make_function("alpha", "abcd");
	struct kept_files *kept = v8.names.kept;
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
					.sample_id_all = 1 };
	struct strbuf out = STRBUF_INIT;
	struct mmap_record m;
	struct record r;
	struct evlist l;
	u64 shown;

	(void)state;
	v8.names.kept = NULL;
	v8.names.in_records = true;
	evlist__init(&l);
	evlist__add_id(&l, evlist__add(&l, &attr, sizeof(attr), "cycles"), 77);
	for (int file = 0; file < 3; file++) {
		strbuf__reset(&out);
		live_v8__begin_round(&v8);
		for (int i = 0; file != 1 && i < 2; i++)
			assert_true(find_interpreted(&f, i, &shown));
		live_v8__announce(&v8, &l, &out);
		if (file == 1) {
			assert_int_equal(out.len, 0);
			continue;
		}
		r.header = (const void *)out.buf;
		assert_int_equal(r.header->size, out.len);
		assert_true(record__mmap(&r, &m));
		assert_ptr_equal(strstr(m.filename, "[node]/alpha a.js"), m.filename);
		assert_in_range(shown, m.start, m.start + m.len - 1);
	}
	strbuf__exit(&out);
	evlist__exit(&l);
	v8.names.kept = kept;
}

/* Some rounds after the end of a process, nothing is kept of it. */
static void drops_what_ended(void **state)
{
	const struct exit_event own = exit_event__of((u32)getpid()), another = exit_event__of(1);

	(void)state;
	live_v8__kind(&v8, &owner, node);
	assert_int_equal(v8.v.nr, 1);
	live_v8__see(&v8, &(struct record){ .header = &another.header });
	for (int i = 0; i < 5; i++)
		live_v8__begin_round(&v8);
	assert_int_equal(v8.v.nr, 1);
	live_v8__see(&v8, &(struct record){ .header = &own.header });
	live_v8__begin_round(&v8);
	assert_int_equal(v8.v.nr, 1); /* its last samples may be still to come */
	for (int i = 0; i < 5; i++)
		live_v8__begin_round(&v8);
	assert_int_equal(v8.v.nr, 0);
}

/* Look at count programs of a process, with V8 or without, as of so many processes. */
static void see_programs(u32 pid, u64 since, unsigned count, bool has_v8)
{
	struct live_space one = { .id = 1 };
	const struct vm_owner o = { .pid = pid, .space = &one, .binaries = &binaries };

	if (has_v8)
		one.maps = space.maps;
	for (unsigned i = 0; i < count; i++) {
		live_v8__begin_round(&v8);
		one.since = since + i;
		live_v8__kind(&v8, &o, 0);
	}
}

/* A process that has ended takes no place: nothing can be read of it. What is known of it is used further. */
static void takes_no_place_after_the_end(void **state)
{
	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	owner.has_ended = true;
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	assert_int_equal(v8.v.nr, 0);
	assert_int_equal(v8.left, 4096);
	owner.has_ended = false;
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	owner.has_ended = true;
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	assert_int_equal(v8.v.nr, 1);
}

/* If all places are taken, first those go that have no V8, then those that have ended. */
static void makes_room(void **state)
{
	const struct exit_event end_of_own = exit_event__of((u32)getpid());
	const u32 own = (u32)getpid(), without = 4000001;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	see_programs(without, 10000, 300, false);
	assert_int_equal(v8.v.nr, 256);
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	assert_int_equal(v8.v.nr, 256);
	see_programs(own, 20000, 255, true); /* take the places of the others */
	assert_int_equal(v8.v.nr, 256);
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	/* all places have V8 and run */
	space.since = 30000;
	live_v8__begin_round(&v8);
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
	see_programs(without, 10000, 1, false);
	assert_int_equal(v8.v.nr, 256);
	live_v8__see(&v8, &(struct record){ .header = &end_of_own.header });
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	assert_int_equal(v8.v.nr, 256);
	/* the oldest went; one more takes the place of the one without V8, not of an ended one */
	see_programs(without, 10000, 1, false);
	space.since = 30001;
	assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	owner.has_ended = true;
	for (space.since = 20001; space.since < 20255; space.since++)
		assert_int_equal(live_v8__kind(&v8, &owner, node), V8_BUILTIN);
	space.since = 500;
	assert_int_equal(live_v8__kind(&v8, &owner, node), JAVA_NONE);
}

/* A process with much code leaves room for others: it takes half of what they leave, at most. */
static void shares_pieces(void **state)
{
	u64 codes[3], object;
	struct function f;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	f = make_function("run", "bytecodes of run");
	for (unsigned i = 0; i < 3; i++)
		codes[i] = v8i__code(&image, V8I_OPTIMIZED, 300, f.shared, &object);
	v8.nr_pieces = (1 << 18) - 3;
	assert_true(find_compiled(codes[0], 0));
	assert_true(find_compiled(codes[1], 0));
	assert_false(find_compiled(codes[2], 0));
	assert_int_equal(v8.nr_pieces, (1 << 18) - 1);
	space.since++; /* another one */
	assert_true(find_compiled(codes[2], 0));
	assert_int_equal(v8.nr_pieces, 1 << 18);
	assert_false(find_compiled(codes[1], 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kinds, begin, end),
		cmocka_unit_test_setup_teardown(interpreted, begin, end),
		cmocka_unit_test_setup_teardown(compiled, begin, end),
		cmocka_unit_test_setup_teardown(no_half_names, begin, end),
		cmocka_unit_test_setup_teardown(replaced, begin, end),
		cmocka_unit_test_setup_teardown(ended, begin, end),
		cmocka_unit_test_setup_teardown(limits, begin, end),
		cmocka_unit_test_setup_teardown(drops_what_ended, begin, end),
		cmocka_unit_test_setup_teardown(takes_no_place_after_the_end, begin, end),
		cmocka_unit_test_setup_teardown(makes_room, begin, end),
		cmocka_unit_test_setup_teardown(shares_pieces, begin, end),
		cmocka_unit_test_setup_teardown(names_in_records, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
