/*
 * Storing names in all files of a recording: the same is stored however a recording is cut into partitions.
 * What is said, and the priority of large files.
 */
#include "embed_recording.h"

#include "format/file/frame_summary.h"

#include <pthread.h>

static __attribute__((noinline)) void hot_function(void **state)
{
	*state = NULL;
}

static __attribute__((noinline)) void seldom_function(void **state)
{
	*state = &records;
}

/* ---- partitions and files ---- */

static struct strbuf said = STRBUF_INIT;

static void hear(const char *text, size_t len)
{
	strbuf__add(&said, text, len);
}

/* Return in how many parts perf read a recording, as it said with -vv. */
static size_t parts_said(void)
{
	const char *at = strstr(said.buf, "' in ");
	size_t nr = 0;

	assert_non_null(at);
	assert_int_equal(sscanf(at, "' in %zu parts\n", &nr), 1);
	strbuf__reset(&said);
	return nr;
}

static size_t parts_with(const struct embed_opts *opts, struct embed_result *stored)
{
	msg__set_sink(hear);
	msg__set_level(MSG_DEBUG);
	*stored = store(opts);
	msg__set_level(MSG_NORMAL);
	msg__set_sink(NULL);
	return parts_said();
}

/* Many short processes, each with a map and samples, in rounds. */
static void add_processes(u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		u32 pid = PID + i;
		u64 time = 1000 * (i + 1);
		size_t at = records.len;

		build__fork(&records, 0, pid, 1, pid, 1, 0);
		stamp(at, pid, time);
		add_own_map(pid, time + 1);
		add_sample(pid, i % 3 ? in(hot_function) : in(seldom_function), in(hot_function), time + 2);
		at = records.len;
		build__fork(&records, 0, pid, 1, pid, 1, 0);
		((struct perf_event_header *)(void *)(records.buf + at))->type = PERF_RECORD_EXIT;
		stamp(at, pid, time + 3);
		build__finished_round(&records);
	}
}

static void partitions_store_what_the_whole_has(void **state)
{
	static const u64 froms[] = { 1, 4, 13, 40, 70, 90, 121 };
	struct strbuf whole = STRBUF_INIT, text = STRBUF_INIT;
	struct embed_result all, cut;
	bool has_two = false;

	(void)state;
	add_own_map(PID - 1, 1); /* runs all the time */
	add_processes(60);
	add_sample(PID - 1, in(partitions_store_what_the_whole_has), in(hot_function), 100000);
	write_recording(path);
	all = store(&(struct embed_opts){ 0 });
	show_stored(path, &whole);
	assert_int_equal(all.names.nr_symbols, 3);
	assert_int_equal(all.code.nr_functions, 3);
	for (size_t i = 0; i < ARRAY_SIZE(froms); i++) {
		size_t nr;

		write_recording(path);
		nr = parts_with(&(struct embed_opts){ .cut_from = froms[i] }, &cut);
		assert_true(nr > (froms[i] < 100 ? 1 : 0));
		has_two |= nr == 2;
		assert_int_equal(cut.names.nr_symbols, 3);
		assert_int_equal(cut.code.nr_functions, 3);
		assert_int_equal(cut.code.code_bytes, all.code.code_bytes);
		show_stored(path, &text);
		assert_string_equal(text.buf, whole.buf);
	}
	assert_true(has_two);
	strbuf__exit(&whole);
	strbuf__exit(&text);
}

/* Without processes that end, a recording is not cut. */
static void add_processes_that_end(u32 nr)
{
	for (u32 i = 0; i < nr; i++) {
		u32 pid = PID + 1000 + i;
		size_t at = records.len;

		build__fork(&records, 0, pid, 1, pid, 1, 0);
		stamp(at, pid, 10 * (i + 1));
		at = records.len;
		build__fork(&records, 0, pid, 1, pid, 1, 0);
		((struct perf_event_header *)(void *)(records.buf + at))->type = PERF_RECORD_EXIT;
		stamp(at, pid, 10 * (i + 1) + 1);
	}
}

/*
 * Processes that go on make partitions wider: nothing between them is lost, nor counted twice. So the
 * function with most samples is the one that stays when there is room for one.
 */
static void what_still_runs_widens_partitions(void **state)
{
	struct strbuf whole = STRBUF_INIT, text = STRBUF_INIT;
	struct embed_opts opts = { .budget = 0 };
	size_t nr_parts, last = SIZE_MAX;
	struct embed_result stored;

	(void)state;
	for (u32 i = 0; i < 8; i++) {
		u64 time = 1000 * (i + 1), ip = i < 4 ? in(seldom_function) : in(hot_function);

		add_processes_that_end(1);
		add_own_map(PID + i, time);
		for (u64 k = 0; k < (i < 4 ? 3 : 4); k++)
			add_sample(PID + i, ip, ip, time + 1 + k);
		build__finished_round(&records);
	}
	write_recording(path);
	stored = store(&opts);
	assert_int_equal(stored.names.nr_symbols, 2);
	do {
		opts.budget = stored.names.size - 1;
		write_recording(path);
		stored = store(&opts);
	} while (stored.names.nr_symbols == 2);
	show_stored(path, &whole);
	assert_string_equal(whole.buf, "hot_function of 0\n");
	for (u64 from = 1; from < 20; from++) {
		opts.cut_from = from;
		write_recording(path);
		nr_parts = parts_with(&opts, &stored);
		assert_true(nr_parts <= last && (from > 3 || nr_parts > 3));
		last = nr_parts;
		assert_int_equal(stored.names.nr_symbols, 1);
		show_stored(path, &text);
		assert_string_equal(text.buf, whole.buf);
	}
	strbuf__exit(&whole);
	strbuf__exit(&text);
}

/* If there is room for the code of one function, it is that with most samples of its own. */
static void code_with_most_samples_is_stored(void **state)
{
	struct strbuf section = STRBUF_INIT;
	const struct stored_function *f;
	struct embed_result stored;
	struct code_section c;
	struct reader *r;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	stored = store(&(struct embed_opts){ 0 });
	assert_int_equal(stored.code.nr_functions, 2);
	write_recording(path);
	stored = store(&(struct embed_opts){ .code_budget = stored.code.code_bytes - 1 });
	assert_int_equal(stored.code.nr_functions, 1);
	assert_int_equal(stored.code.nr_left_out, 1);
	assert_int_equal(reader__open(&r, path, NULL), 0);
	assert_int_equal(reader__extension(r, EXTENSION_CODE, &section), 0);
	assert_int_equal(code_section__read(&c, section.buf, section.len, false, NULL), 0);
	f = &c.entries.v[0].functions.v[0];
	assert_memory_equal(f->code, (const void *)(uintptr_t)hot_function, f->size);
	code_section__exit(&c);
	strbuf__exit(&section);
	reader__close(r);
}

#ifdef HAVE_LIBZSTD
/* A sample that cannot be packed well: of its callers, most are nowhere. */
static void add_long_sample(u32 pid, u64 ip, u64 time)
{
	enum { NR = 7000 };
	const u64 words[] = { ip, (u64)pid << 32 | pid, time, 2 + NR, PERF_CONTEXT_USER, ip };
	struct perf_event_header h = { .type = PERF_RECORD_SAMPLE,
				       .misc = PERF_RECORD_MISC_USER,
				       .size = sizeof(h) + sizeof(words) + 8 * NR };
	u64 seed = time;

	strbuf__add(&records, &h, sizeof(h));
	strbuf__add(&records, words, sizeof(words));
	for (int i = 0; i < NR; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		strbuf__add_u64(&records, seed >> 20);
	}
}

/* Summaries of compressed frames save time; where one is wrong, the frames are unpacked. */
static void wrong_summaries_are_not_taken(void **state)
{
	struct strbuf whole = STRBUF_INIT, text = STRBUF_INIT, file = STRBUF_INIT;
	struct writer *w;
	char *end;
	int fd;

	(void)state;
	add_own_samples(PID, 100);
	for (u64 i = 0; i < 60; i++)
		add_long_sample(PID, in(hot_function), 200 + i);
	write_recording(path);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &whole);
	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ .compression = 1 }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	assert_int_equal(writer__write(w, records.buf, records.len), 0);
	writer__feature(w, FEATURE_SAMPLE_TIME, "", 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
	assert_int_equal(file__read(path, &file, 0), 0);
	end = memmem(file.buf, file.len, "PRFZSUM1", 8);
	assert_non_null(end);
	end[8 - (int)sizeof(struct frame_summary_end) +
	    (int)offsetof(struct frame_summary_end, nr_samples)]++;
	fd = open(path, O_WRONLY | O_TRUNC);
	assert_int_equal(file__write_all(fd, file.buf, file.len), 0);
	close(fd);
	store(&(struct embed_opts){ 0 });
	show_stored(path, &text);
	assert_string_equal(text.buf, whole.buf);
	strbuf__exit(&file);
	strbuf__exit(&whole);
	strbuf__exit(&text);
}
#endif

/* If names are there already, code is not added either. */
static void a_second_time_adds_nothing(void **state)
{
	struct embed_result stored;
	struct err err = ERR_INIT;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	store(&(struct embed_opts){ .code_budget = 1 });
	assert_int_equal(chunk_size(path, EXTENSION_CODE), 0);
	assert_int_equal(embed__store(path, &(struct embed_opts){ 0 }, &stored, &err), -EEXIST);
	assert_int_equal(chunk_size(path, EXTENSION_CODE), 0);
	assert_int_equal(stored.code.nr_functions, 0);
	err__exit(&err);
}

/* ---- what is said ---- */

/* The job of one file, as a child process does it. Return the child's priority afterwards. */
static int child_embeds(struct embed_job *job)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		embed__all(job);
		_exit(getpriority(PRIO_PROCESS, 0) & 0x7f);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Only large files are worth the lowest priority. */
static void large_files_are_done_beside_other_work(void **state)
{
	char *const paths[] = { path };
	struct embed_job job = {
		.paths = paths, .nr = 1, .opts.nr_threads = 2, .bytes = 32 << 20, .priority = 19
	};
	int own = getpriority(PRIO_PROCESS, 0) & 0x7f;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	assert_int_equal(child_embeds(&job), own);
	assert_true(chunk_size(path, EXTENSION_NAMES) > 0);
	write_recording(path);
	job.bytes++;
	assert_int_equal(child_embeds(&job), 19);
	assert_true(chunk_size(path, EXTENSION_NAMES) > 0);
}

/* Return in how many parts a file is read after it was recorded. */
static size_t parts_of(const struct embed_job *job)
{
	write_recording(path);
	msg__set_sink(hear);
	msg__set_level(MSG_DEBUG);
	embed__all(job);
	msg__set_level(MSG_NORMAL);
	msg__set_sink(NULL);
	return parts_said();
}

/* Recordings of few maps and processes are read at once: each partition costs time. */
static void only_long_recordings_are_cut(void **state)
{
	char *const paths[] = { path };
	struct embed_job job = { .paths = paths, .nr = 1, .opts.nr_threads = 1, .side_band = 1 << 14 };

	(void)state;
	add_processes(5000); /* two records each that count: a partition of 8192 of them, and the rest */
	assert_int_equal(parts_of(&job), 1);
	job.side_band++;
	assert_int_equal(parts_of(&job), 2);
}

/* A pipe that ends late, as a slow disk. */
static void *end_pipe(void *arg)
{
	int fd = open(arg, O_WRONLY);

	usleep(5200 * 1000);
	close(fd);
	return NULL;
}

/* After five seconds no other file is begun, and that is said. */
static void slow_files_end_it(void **state)
{
	char *const paths[] = { path, other_path };
	const struct embed_job job = { .paths = paths, .nr = 2, .opts.nr_threads = 1 };
	pthread_t thread;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	unlink(other_path);
	assert_int_equal(mkfifo(other_path, 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, end_pipe, other_path), 0);
	msg__set_sink(hear);
	embed__all(&job);
	msg__set_sink(NULL);
	pthread_join(thread, NULL);
	assert_int_equal(chunk_size(path, EXTENSION_NAMES), 0);
	assert_non_null(strstr(said.buf, "the names of functions are not stored in the 1 oldest files"));
	strbuf__reset(&said);
}

/* With -v perf says what it stored; else only what it could not store. */
static void what_was_stored_is_said(void **state)
{
	char *const paths[] = { path };
	struct embed_job job = { .paths = paths, .nr = 1 };
	char line[128];

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	msg__set_sink(hear);
	embed__all(&job);
	assert_int_equal(said.len, 0);
	embed__all(&job); /* the names are there */
	assert_non_null(strstr(said.buf, "the names of functions are not stored in the recording: "));
	assert_null(strstr(said.buf, "oldest files"));
	strbuf__reset(&said);
	write_recording(path);
	msg__set_level(MSG_VERBOSE);
	embed__all(&job);
	msg__set_level(MSG_NORMAL);
	msg__set_sink(NULL);
	snprintf(line, sizeof(line),
		 "stored the names of 2 functions of 1 binaries, %zu bytes; 0 are left out\n",
		 chunk_size(path, EXTENSION_NAMES));
	assert_non_null(strstr(said.buf, line));
	snprintf(line, sizeof(line),
		 " bytes of code of 2 functions and 0 lines of source, %zu bytes; 0 functions",
		 chunk_size(path, EXTENSION_CODE));
	assert_non_null(strstr(said.buf, line));
	strbuf__exit(&said);
}

/* All files of a recording get names; one that is missing is no reason to leave out another one. */
static void all_files_of_a_recording_get_names(void **state)
{
	char *const paths[] = { path, (char *)"/nonexistent/file", other_path };
	struct embed_job job = { .paths = paths, .nr = 3, .opts.nr_threads = 1 };
	struct unwind_stats chains = { 0 };
	struct embed_result result;

	(void)state;
	add_own_samples(PID, 100);
	write_recording(path);
	write_recording(other_path);
	job.opts.chains = &chains;
	embed__all(&job);
	assert_true(chunk_size(path, EXTENSION_NAMES) > 0);
	assert_true(chunk_size(other_path, EXTENSION_NAMES) > 0);
	assert_true(chunk_size(other_path, EXTENSION_CODE) > 0);
	unwind_stats__exit(&chains);
	/* a failure leaves nothing in the result */
	result.names.nr_symbols = 5;
	assert_int_equal(embed__store("/nonexistent/file", &(struct embed_opts){ 0 }, &result, NULL),
			 -ENOENT);
	assert_int_equal(result.names.nr_symbols, 0);
	assert_int_equal(result.names.nr_dsos, 0);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(partitions_store_what_the_whole_has),
		test(what_still_runs_widens_partitions),
#ifdef HAVE_LIBZSTD
		test(wrong_summaries_are_not_taken),
#endif
		test(code_with_most_samples_is_stored),
		test(a_second_time_adds_nothing),
		test(large_files_are_done_beside_other_work),
		test(only_long_recordings_are_cut),
		test(slow_files_end_it),
		test(what_was_stored_is_said),
		test(all_files_of_a_recording_get_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
