/*
 * A HotSpot virtual machine in this process's own memory: its frames, and the jitdump that the recorder
 * makes of its names, also when code and methods are replaced.
 */
#include "made_dump.h"

#include "hotspot_image.h"
#include "exit_record.h"
#include "record/stacks/live_hotspot.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static struct image image;
static struct live_binaries binaries;
static struct live_space space;
static struct live_hotspot hotspot;
static struct vm_owner owner;

static int begin(void **state)
{
	u8 *mem = mmap(NULL, IMAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct live_binary b = { .ino = 5 };
	struct live_map m = { .since = 1000, .until = UINT64_MAX, .pgoff = 0x2000 };

	(void)state;
	image__make(&image, mem, (u64)(uintptr_t)mem, IMAGE_JDK25);
	live_binaries__init(&binaries);
	space = (struct live_space){ .id = 1, .since = 500 };
	m.start = image.base + m.pgoff;
	m.end = m.start + 0x1000;
	m.binary = live_binaries__add(&binaries, "/usr/lib/jvm/lib/server/libjvm.so", &b);
	array__add(&space.maps, m);
	live_hotspot__init(&hotspot, kept_files__new(8), false);
	live_hotspot__begin_round(&hotspot);
	owner = (struct vm_owner){ .pid = (u32)getpid(), .space = &space, .binaries = &binaries };
	return 0;
}

static int end(void **state)
{
	(void)state;
	live_hotspot__exit(&hotspot);
	kept_files__delete(hotspot.names.kept);
	live_binaries__exit(&binaries);
	array__exit(&space.maps);
	munmap(image.mem, IMAGE_SIZE);
	return 0;
}

static enum java_kind kind_at(u64 ip)
{
	struct java_frame f;

	live_hotspot__frame(&hotspot, &owner, ip, &f);
	return f.kind;
}

/* Read the dump that is announced. */
static void read_dump(void)
{
	struct strbuf announcement = STRBUF_INIT;
	struct evlist l;

	made_dump__list(&l);
	live_hotspot__announce(&hotspot, &l, &announcement);
	made_dump__read(&l, &announcement, hotspot.names.kept);
}

/* ---- tests ---- */

static const struct image_blob compiled = { "nmethod", 10, 20, 200, 1000, 6, 12, 0, 77 };

static void names_and_frames(void **state)
{
	struct image_blob b = compiled;
	struct java_frame f;
	u64 code, method, shown;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	method = b.method = image__method(&image, 1, "a/Main", "run", "(I)V");
	code = image__blob(&image, &b);
	live_hotspot__frame(&hotspot, &owner, code + 20, &f);
	assert_int_equal(f.kind, JAVA_SIZED);
	assert_int_equal(f.size, 48);
	assert_int_equal(f.complete, code + 12);
	assert_int_equal(kind_at(image.base + AT_CODE + 5), JAVA_NONE);
	assert_int_equal(kind_at(image.base), JAVA_NONE);
	assert_true(live_hotspot__find_method(
		&hotspot, &owner,
		&(struct java_method){ method, { 0, method + 0x100 + CONST_BYTES + 9 }, false }, &shown));
	assert_int_equal(shown, method + 0x100 + CONST_BYTES + 9);
	assert_false(live_hotspot__find_method(
		&hotspot, &owner,
		&(struct java_method){ method, { 0, method + 0x100 + CONST_BYTES + 64 }, false }, &shown));
	assert_false(live_hotspot__find_method(&hotspot, &owner,
					       &(struct java_method){ method + 8, { 0, 0 }, true }, &shown));
	image__inlined(&image, b.first, method, image__method(&image, 2, "a/Main", "second", "()V"),
		       image__method(&image, 3, "a/Main", "third", "()V"));
	live_hotspot__frame(&hotspot, &owner, code + 15, &f);
	assert_int_equal(f.nr_inlined, 0);
	live_hotspot__begin_round(&hotspot);
	live_hotspot__frame(&hotspot, &owner, code + 47, &f);
	assert_int_equal(f.nr_inlined, 2);
	assert_int_equal(f.inlined[0], image.base + AT_METHODS + 0x3000 + 0x100 + CONST_BYTES + 60);
	read_dump();
	assert_int_equal(nr_loads, 4);
	assert_string_equal(loads[2].name, "a.Main.third()");
	assert_string_equal(loads[0].name, "a.Main.run(int)");
	assert_int_equal(loads[0].addr, code);
	assert_int_equal(loads[0].size, 1000);
	assert_int_equal(loads[0].time, 1000);
	assert_string_equal(loads[1].name, "a.Main.run(int)");
	assert_int_equal(loads[1].addr, method + 0x100);
}

/*
 * Code is replaced by that of another method: it has the new name after the newest sample of earlier
 * rounds.
 */
static void replaced(void **state)
{
	struct image_blob b = compiled;
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	b.method = image__method(&image, 1, "a/Main", "first", "()V");
	code = image__blob(&image, &b);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	live_hotspot__note_time(&hotspot, 3000);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	b.method = image__method(&image, 2, "a/Main", "second", "()V");
	b.id++;
	image__blob(&image, &b);
	live_hotspot__begin_round(&hotspot);
	live_hotspot__note_time(&hotspot, 4000);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	read_dump();
	assert_int_equal(nr_loads, 2);
	assert_string_equal(loads[1].name, "a.Main.second()");
	assert_int_equal(loads[1].time, 3001);
	/* Freed: the name stays. */
	image.mem[AT_CODE + 10 * SEGMENT + 8] = 0;
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code), JAVA_NONE);
	read_dump();
	assert_int_equal(nr_loads, 2);
}

/* What comes where replaced code was in part is not named for earlier samples either. */
static void replaced_in_part(void **state)
{
	struct image_blob b = compiled;
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	b.method = image__method(&image, 1, "a/Main", "first", "()V");
	code = image__blob(&image, &b);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	live_hotspot__note_time(&hotspot, 3000);
	live_hotspot__begin_round(&hotspot);
	b.method = image__method(&image, 2, "a/Main", "second", "()V");
	b.nr = 4;
	b.size = 200;
	b.id++;
	assert_int_equal(image__blob(&image, &b), code);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	live_hotspot__note_time(&hotspot, 4000);
	live_hotspot__begin_round(&hotspot);
	b.method = image__method(&image, 3, "a/Main", "third", "()V");
	b.first += 4;
	b.id++;
	code = image__blob(&image, &b);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	read_dump();
	assert_int_equal(nr_loads, 3);
	assert_string_equal(loads[2].name, "a.Main.third()");
	assert_int_equal(loads[2].addr, code);
	assert_int_equal(loads[2].time, 4001);
}

/* Append "NAME ADDRESS SINCE" for each announced name. */
static void show_names(struct strbuf *out)
{
	struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME,
					.sample_id_all = 1 };
	struct strbuf records = STRBUF_INIT;
	struct mmap_record m;
	struct sample_id id;
	struct record r;
	struct evlist l;

	strbuf__reset(out);
	evlist__init(&l);
	evlist__add_id(&l, evlist__add(&l, &attr, sizeof(attr), "cycles"), 77);
	live_hotspot__announce(&hotspot, &l, &records);
	for (size_t at = 0; at < records.len; at += r.header->size) {
		r.header = (const void *)(records.buf + at);
		assert_true(record__mmap(&r, &m));
		assert_true(sample_id__decode(&l, &r, &id));
		strbuf__addf(out, "%s %llx %llu\n", m.filename, (unsigned long long)(m.start - image.base),
			     (unsigned long long)id.time);
	}
	evlist__exit(&l);
	strbuf__exit(&records);
}

/* Where no jitdump can be read, each file gets the names of the code that its samples were in. */
static void records(void **state)
{
	struct image_blob b = compiled;
	struct strbuf text = STRBUF_INIT;
	char expected[128];
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	kept_files__delete(hotspot.names.kept);
	hotspot.names.kept = NULL;
	hotspot.names.in_records = true;
	b.method = image__method(&image, 1, "a/Main", "first", "()V");
	code = image__blob(&image, &b);
	live_hotspot__note_time(&hotspot, 3000);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	b.method = image__method(&image, 2, "a/Main", "second", "()V");
	b.id++;
	image__blob(&image, &b);
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	show_names(&text);
	code -= image.base;
	snprintf(expected, sizeof(expected),
		 "[java]/a.Main.first() %llx 1000\n[java]/a.Main.second() %llx 3001\n",
		 (unsigned long long)code, (unsigned long long)code);
	assert_string_equal(text.buf, expected);
	/* the next file: nothing is used; then one piece, also when its memory is not there any more */
	show_names(&text);
	assert_string_equal(text.buf, "");
	mprotect(image.mem, IMAGE_SIZE, PROT_NONE);
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code + image.base), JAVA_SIZED);
	show_names(&text);
	mprotect(image.mem, IMAGE_SIZE, PROT_READ | PROT_WRITE);
	assert_non_null(strstr(text.buf, "a.Main.second()"));
	strbuf__exit(&text);
}

/* A name that cannot be read at first: it is there from the same time on as the code. */
static void named_later(void **state)
{
	struct image_blob b = compiled;
	u8 saved[0x100], *method;
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	b.method = image__method(&image, 1, "a/Main", "first", "()V");
	code = image__blob(&image, &b);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	live_hotspot__note_time(&hotspot, 3000);
	b.method = image__method(&image, 2, "a/Main", "second", "()V");
	method = image.mem + (b.method - image.base);
	memcpy(saved, method, sizeof(saved));
	memset(method, 0, sizeof(saved));
	b.id++;
	image__blob(&image, &b);
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	read_dump();
	assert_int_equal(nr_loads, 1);
	memcpy(method, saved, sizeof(saved));
	live_hotspot__note_time(&hotspot, 4000);
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	read_dump();
	assert_int_equal(nr_loads, 2);
	assert_string_equal(loads[1].name, "a.Main.second()");
	assert_int_equal(loads[1].time, 3001);
}

/* What is known of a process that has ended, or has no more memory there, is used further. */
static void ended(void **state)
{
	struct image_blob b = compiled;
	struct java_frame f;
	u64 code, method, shown;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	method = b.method = image__method(&image, 1, "a/Main", "first", "()V");
	code = image__blob(&image, &b);
	image__inlined(&image, b.first, method, image__method(&image, 2, "a/Main", "second", "()V"),
		       image__method(&image, 3, "a/Main", "third", "()V"));
	live_hotspot__frame(&hotspot, &owner, code + 47, &f);
	assert_int_equal(f.nr_inlined, 2);
	assert_true(live_hotspot__find_method(
		&hotspot, &owner, &(struct java_method){ method, { method + 0x100 + CONST_BYTES, 0 }, false },
		&shown));
	mprotect(image.mem, IMAGE_SIZE, PROT_NONE);
	live_hotspot__begin_round(&hotspot);
	f.nr_inlined = 0;
	live_hotspot__frame(&hotspot, &owner, code + 47, &f);
	assert_int_equal(f.kind, JAVA_SIZED);
	assert_int_equal(f.nr_inlined, 2);
	assert_int_equal(f.inlined[0], image.base + AT_METHODS + 0x3000 + 0x100 + CONST_BYTES + 60);
	assert_true(live_hotspot__find_method(
		&hotspot, &owner, &(struct java_method){ method, { method + 0x100 + CONST_BYTES, 0 }, false },
		&shown));
	assert_int_equal(kind_at(code + 30 * SEGMENT), JAVA_NONE);
	mprotect(image.mem, IMAGE_SIZE, PROT_READ | PROT_WRITE);
}

/* Reading stops at the limit of a round; each process costs one try until its maps change. */
static void limits(void **state)
{
	struct image_blob b = compiled;
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	code = image__blob(&image, &b);
	hotspot.left = 3;
	assert_int_equal(kind_at(code), JAVA_NONE);
	assert_int_equal(hotspot.left, 0);
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code), JAVA_SIZED); /* the layout is read when there is room for it */
	live_hotspot__begin_round(&hotspot);
	image.mem[0] = 0; /* no ELF file: other processes like it are tried once */
	space.since++;
	assert_int_equal(kind_at(code), JAVA_NONE);
	hotspot.left = 1000;
	assert_int_equal(kind_at(code), JAVA_NONE);
	assert_int_equal(hotspot.left, 1000);
}

/* Some rounds after the end of a process, nothing is kept of it. */
static void drops_what_ended(void **state)
{
	const struct exit_event own = exit_event__of((u32)getpid()), another = exit_event__of(1);
	struct java_frame frame;

	(void)state;
	live_hotspot__frame(&hotspot, &owner, 0, &frame);
	assert_int_equal(hotspot.v.nr, 1);
	live_hotspot__see(&hotspot, &(struct record){ .header = &another.header });
	for (int i = 0; i < 5; i++)
		live_hotspot__begin_round(&hotspot);
	assert_int_equal(hotspot.v.nr, 1);
	live_hotspot__see(&hotspot, &(struct record){ .header = &own.header });
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(hotspot.v.nr, 1); /* its last samples may be still to come */
	for (int i = 0; i < 5; i++)
		live_hotspot__begin_round(&hotspot);
	assert_int_equal(hotspot.v.nr, 0);
}

/* Look at count programs of a process, with a libjvm.so or without, as of so many processes. */
static void see_programs(u32 pid, u64 since, unsigned count, bool has_libjvm)
{
	struct live_space one = { .id = 1 };
	const struct vm_owner o = { .pid = pid, .space = &one, .binaries = &binaries };
	struct java_frame f;

	if (has_libjvm)
		one.maps = space.maps;
	for (unsigned i = 0; i < count; i++) {
		live_hotspot__begin_round(&hotspot);
		one.since = since + i;
		live_hotspot__frame(&hotspot, &o, image.base + AT_CODE, &f);
	}
}

/* A process that has ended takes no place: nothing can be read of it. What is known of it is used further. */
static void takes_no_place_after_the_end(void **state)
{
	struct image_blob b = compiled;
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	code = image__blob(&image, &b);
	owner.has_ended = true;
	assert_int_equal(kind_at(code), JAVA_NONE);
	assert_int_equal(hotspot.v.nr, 0);
	assert_int_equal(hotspot.left, 4096);
	owner.has_ended = false;
	assert_int_equal(kind_at(code), JAVA_SIZED);
	owner.has_ended = true;
	assert_int_equal(kind_at(code), JAVA_SIZED);
	assert_int_equal(hotspot.v.nr, 1);
}

/* If all places are taken, first those go that have no virtual machine, then those that have ended. */
static void makes_room(void **state)
{
	const struct exit_event end_of_own = exit_event__of((u32)getpid());
	const u32 own = (u32)getpid(), without = 4000001;
	struct image_blob b = compiled;
	u64 code;

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	code = image__blob(&image, &b);
	see_programs(without, 10000, 300, false);
	assert_int_equal(hotspot.v.nr, 256);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	assert_int_equal(hotspot.v.nr, 256);
	see_programs(own, 20000, 255, true); /* take the places of the others */
	assert_int_equal(hotspot.v.nr, 256);
	assert_int_equal(kind_at(code), JAVA_SIZED);
	/* all places have virtual machines that run */
	space.since = 30000;
	live_hotspot__begin_round(&hotspot);
	assert_int_equal(kind_at(code), JAVA_NONE);
	see_programs(without, 10000, 1, false);
	assert_int_equal(hotspot.v.nr, 256);
	live_hotspot__see(&hotspot, &(struct record){ .header = &end_of_own.header });
	assert_int_equal(kind_at(code), JAVA_SIZED);
	assert_int_equal(hotspot.v.nr, 256);
	/* the oldest went; one more takes the place of one without a virtual machine, not of an ended one */
	see_programs(without, 10000, 1, false);
	space.since = 30001;
	assert_int_equal(kind_at(code), JAVA_SIZED);
	owner.has_ended = true;
	for (space.since = 20001; space.since < 20255; space.since++)
		assert_int_equal(kind_at(code), JAVA_SIZED);
	space.since = 500;
	assert_int_equal(kind_at(code), JAVA_NONE);
}

/* A virtual machine with much code leaves room for others: it takes half of what they leave, at most. */
static void shares_pieces(void **state)
{
	struct image_blob b = compiled;
	u64 codes[3];

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	for (unsigned i = 0; i < 3; i++, b.first += 20)
		codes[i] = image__blob(&image, &b);
	hotspot.nr_pieces = (1 << 18) - 3;
	assert_int_equal(kind_at(codes[0]), JAVA_SIZED);
	assert_int_equal(kind_at(codes[1]), JAVA_SIZED);
	assert_int_equal(kind_at(codes[2]), JAVA_NONE);
	assert_int_equal(hotspot.nr_pieces, (1 << 18) - 1);
	space.since++; /* another one */
	assert_int_equal(kind_at(codes[2]), JAVA_SIZED);
	assert_int_equal(hotspot.nr_pieces, 1 << 18);
	assert_int_equal(kind_at(codes[1]), JAVA_NONE);
}

/* Likewise with calls around which methods are inlined: when there are too many, it begins anew. */
static void shares_calls(void **state)
{
	struct image_blob b = compiled;
	struct java_frame f;
	u64 codes[2];

	(void)state;
	if (!may_read_own_memory(image.mem))
		skip();
	b.method = image__method(&image, 1, "a/Main", "first", "()V");
	for (unsigned i = 0; i < 2; i++, b.first += 20) {
		codes[i] = image__blob(&image, &b);
		image__inlined(&image, b.first, b.method, image__method(&image, 2, "a/Main", "second", "()V"),
			       image__method(&image, 3, "a/Main", "third", "()V"));
	}
	hotspot.nr_calls = (1 << 17) - 2;
	for (unsigned i = 0; i < 2; i++) {
		live_hotspot__frame(&hotspot, &owner, codes[i] + 47, &f);
		assert_int_equal(f.nr_inlined, 2);
		assert_int_equal(hotspot.nr_calls, (1 << 17) - 1);
	}
	mprotect(image.mem, IMAGE_SIZE, PROT_NONE);
	live_hotspot__begin_round(&hotspot);
	live_hotspot__frame(&hotspot, &owner, codes[0] + 47, &f);
	assert_int_equal(f.kind, JAVA_SIZED);
	assert_int_equal(f.nr_inlined, 0);
	live_hotspot__frame(&hotspot, &owner, codes[1] + 47, &f);
	assert_int_equal(f.nr_inlined, 2);
	mprotect(image.mem, IMAGE_SIZE, PROT_READ | PROT_WRITE);
	/* others leave no room */
	hotspot.nr_calls = (1 << 17) + 1;
	live_hotspot__begin_round(&hotspot);
	live_hotspot__frame(&hotspot, &owner, codes[0] + 47, &f);
	assert_int_equal(f.nr_inlined, 2);
	assert_int_equal(hotspot.nr_calls, 1 << 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_and_frames, begin, end),
		cmocka_unit_test_setup_teardown(replaced, begin, end),
		cmocka_unit_test_setup_teardown(replaced_in_part, begin, end),
		cmocka_unit_test_setup_teardown(records, begin, end),
		cmocka_unit_test_setup_teardown(named_later, begin, end),
		cmocka_unit_test_setup_teardown(ended, begin, end),
		cmocka_unit_test_setup_teardown(limits, begin, end),
		cmocka_unit_test_setup_teardown(drops_what_ended, begin, end),
		cmocka_unit_test_setup_teardown(takes_no_place_after_the_end, begin, end),
		cmocka_unit_test_setup_teardown(makes_room, begin, end),
		cmocka_unit_test_setup_teardown(shares_pieces, begin, end),
		cmocka_unit_test_setup_teardown(shares_calls, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
