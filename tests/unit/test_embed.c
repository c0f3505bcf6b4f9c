/*
 * Names go into a finished recording: those of this very program, as if it had recorded itself. What there is
 * no room for is left out, and counted; the file stays as it was where nothing can be stored.
 */
#include "unit.h"

#include "base/system/file.h"
#include "format/records/build.h"
#include "format/read/features.h"
#include "format/write/writer.h"
#include "model/session.h"
#include "profile/embed/embed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PID = 4242 };

static char path[] = "/tmp/perf-unit-embed.XXXXXX";
static char exe[256];
static struct build_id build_id;

/* What is in the recording: hit three times, once, and as a caller. */
static void names_of_what_was_hit_are_stored(void **state);
static void an_incomplete_file_stays_as_it_is(void **state);
static void what_is_no_recording_is_refused(void **state);

static u64 address_of(void (*f)(void **))
{
	return (u64)(uintptr_t)f;
}

static int setup(void **state)
{
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	int fd = mkstemp(path);

	(void)state;
	build_id__of_file(exe, &build_id); /* if the linker made one */
	return fd < 0 || close(fd) || n <= 0;
}

static int teardown(void **state)
{
	(void)state;
	return unlink(path);
}

/* The map of this program that has the address. */
static bool find_own_map(u64 addr, struct mmap_record *m)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long long start, end, pgoff;
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &pgoff) == 3 && start <= addr &&
		    addr < end) {
			*m = (struct mmap_record){ .pid = PID,
						   .tid = PID,
						   .start = start,
						   .len = end - start,
						   .pgoff = pgoff,
						   .filename = exe,
						   .prot = 5,
						   .flags = 2 };
			found = true;
		}
	if (f)
		fclose(f);
	return found;
}

static void add_sample(struct strbuf *out, u64 ip, u64 caller_ip, u64 time)
{
	const u64 words[] = { ip, (u64)PID << 32 | PID, time, 3, PERF_CONTEXT_USER, ip, caller_ip };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .misc = PERF_RECORD_MISC_USER,
				       .size = sizeof(h) + sizeof(words) };

	strbuf__add(out, &h, sizeof(h));
	strbuf__add(out, words, sizeof(words));
}

static void write_recording(bool complete)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.sample_id_all = 1,
					.mmap2 = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CALLCHAIN };
	struct strbuf records = STRBUF_INIT;
	struct writer_opts opts = { 0 };
	struct mmap_record m;
	struct evlist l;
	struct writer *w;

	evlist__init(&l);
	evlist__add_id(&l, evlist__add(&l, &attr, sizeof(attr), "cpu-clock"), 7);
	assert_int_equal(writer__open(&w, path, &opts, NULL), 0);
	assert_int_equal(writer__begin(w, &l, NULL), 0);
	assert_true(find_own_map(address_of(names_of_what_was_hit_are_stored), &m));
	m.has_build_id = build_id.size > 0;
	m.build_id = build_id.data;
	m.build_id_size = build_id.size;
	build__mmap2(&records, PERF_RECORD_MISC_USER, &m, build__id_size(&l));
	for (u64 i = 0; i < 3; i++)
		add_sample(&records, address_of(names_of_what_was_hit_are_stored) + 1,
			   address_of(what_is_no_recording_is_refused) + 1, 100 + i);
	add_sample(&records, address_of(an_incomplete_file_stays_as_it_is) + 1,
		   address_of(what_is_no_recording_is_refused) + 1, 200);
	writer__write(w, records.buf, records.len);
	if (complete)
		writer__feature(w, FEATURE_SAMPLE_TIME, "", 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	strbuf__exit(&records);
	evlist__exit(&l);
}

/* Names of all stored symbols, each with a blank behind it, and what the header says. */
static void read_stored(struct strbuf *names, struct strbuf *header)
{
	const struct session_opts opts = { .header_only = true };
	struct strbuf section = STRBUF_INIT;
	struct names_section n;
	struct session *s;
	struct symtab t;

	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	features__print(s->reader, false, header);
	assert_int_equal(reader__extension(s->reader, EXTENSION_NAMES, &section), 0);
	assert_int_equal(names_section__read(&n, section.buf, section.len, false, NULL), 0);
	symtab__init(&t);
	for (size_t i = 0; i < n.entries.nr; i++) {
		assert_string_equal(n.entries.v[i].id.name, exe);
		assert_true(build_id__equal(&n.entries.v[i].id.build_id, &build_id));
		names_entry__add_symbols(&n, &n.entries.v[i], &t);
	}
	for (size_t i = 0; i < t.syms.nr; i++)
		strbuf__addf(names, "%s ", symtab__name(&t, &t.syms.v[i]));
	symtab__exit(&t);
	names_section__exit(&n);
	strbuf__exit(&section);
	session__delete(s);
}

static void check_stored(u64 budget, u32 nr, u32 nr_left_out, const char *said)
{
	const struct embed_opts opts = { .budget = budget };
	struct strbuf names = STRBUF_INIT, header = STRBUF_INIT;
	struct embed_result stored;

	write_recording(true);
	assert_int_equal(embed__store(path, &opts, &stored, NULL), 0);
	assert_int_equal(stored.names.nr_symbols, nr);
	assert_int_equal(stored.names.nr_left_out, nr_left_out);
	assert_true(!budget || stored.names.size <= budget);
	read_stored(&names, &header);
	assert_non_null(strstr(names.buf, "names_of_what_was_hit_are_stored "));
	assert_non_null(strstr(names.buf, "what_is_no_recording_is_refused "));
	assert_int_equal(strstr(names.buf, "an_incomplete_file_stays_as_it_is ") != NULL, nr == 3);
	assert_non_null(strstr(header.buf, said));
	strbuf__exit(&names);
	strbuf__exit(&header);
}

static void names_of_what_was_hit_are_stored(void **state)
{
	struct embed_result s = { .names.size = 1 << 20 };
	struct embed_opts opts = { 0 };

	(void)state;
	check_stored(0, 3, 0, "# embedded names: 3 functions of 1 binaries, ");
	do { /* source lines leave before names */
		opts.budget = s.names.size - 1;
		write_recording(true);
		assert_int_equal(embed__store(path, &opts, &s, NULL), 0);
		assert_true(s.names.size <= opts.budget);
	} while (s.names.nr_symbols == 3);
	check_stored(opts.budget, 2, 1, "; 1 seldom hit functions left out\n");
}

static void an_incomplete_file_stays_as_it_is(void **state)
{
	struct embed_result s;
	struct err err = ERR_INIT;

	(void)state;
	write_recording(false);
	assert_int_equal(embed__store(path, &(struct embed_opts){ 0 }, &s, &err), -ENOENT);
	assert_non_null(strstr(err.text.buf, path));
	err__exit(&err);
	write_recording(true);
	assert_int_equal(embed__store(path, &(struct embed_opts){ 0 }, &s, NULL), 0);
	assert_int_equal(embed__store(path, &(struct embed_opts){ 0 }, &s, NULL), -EEXIST);
}

static void what_is_no_recording_is_refused(void **state)
{
	struct embed_result s;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(truncate(path, 50), 0);
	assert_true(embed__store(path, &(struct embed_opts){ 0 }, &s, &err) < 0);
	assert_true(err.text.len > 0);
	err__exit(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_of_what_was_hit_are_stored),
					    cmocka_unit_test(an_incomplete_file_stays_as_it_is),
					    cmocka_unit_test(what_is_no_recording_is_refused) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
