/* Names of JIT code: from perf-PID.map and jit-PID.dump, below --symfs or not, and from the recording. */
#include "embed_recording.h"

#include "model/session.h"
#include "model/symbolize_private.h"

static __attribute__((noinline)) void hot_function(void **state)
{
	*state = NULL;
}

static __attribute__((noinline)) void seldom_function(void **state)
{
	*state = &records;
}

static struct session *s;

/* Write the recording, as one of the host if this is not NULL. */
static void write_from(const char *host)
{
	char feature[4 + 64] = { 64 };
	struct writer *w;

	assert_int_equal(writer__open(&w, path, &(struct writer_opts){ 0 }, NULL), 0);
	assert_int_equal(writer__begin(w, &list, NULL), 0);
	assert_int_equal(writer__write(w, records.buf, records.len), 0);
	if (host) {
		snprintf(feature + 4, sizeof(feature) - 4, "%s", host);
		writer__feature(w, FEATURE_HOSTNAME, feature, sizeof(feature));
	}
	writer__feature(w, FEATURE_SAMPLE_TIME, "", 0);
	assert_int_equal(writer__finish(w, NULL), 0);
	writer__delete(w);
}

/* Open the recording, and return its binary of the kind. */
static struct dso *open_with(const char *symfs, enum dso_kind kind)
{
	const struct session_opts opts = { .symbols.symfs = symfs };

	assert_int_equal(session__open(&s, path, &opts, NULL), 0);
	for (size_t i = 0; i < s->machine.dsos.v.nr; i++)
		if (s->machine.dsos.v.v[i]->kind == kind)
			return s->machine.dsos.v.v[i];
	return NULL;
}

/* ---- perf-PID.map ---- */

static char map_path[64], root[] = "/tmp/perf-unit-symfs.XXXXXX", tmp_below[64], map_below[128];

static void write_map(const char *to, const char *name)
{
	FILE *f = fopen(to, "w");

	assert_non_null(f);
	fprintf(f, "%x %x %s\n", JIT_START, JIT_SIZE, name);
	assert_int_equal(fclose(f), 0);
}

/* Files below --symfs come first, then names in the recording, then the process's own file. */
static void maps_of_a_process_have_an_order(void **state)
{
	static const struct {
		bool has_symfs, has_below, has_live, is_stored;
		const char *host, *name, *why;
	} cases[] = {
		{ false, false, true, false, NULL, "live", NULL },
		{ false, true, true, true, NULL, "stored", NULL },
		{ false, false, false, true, NULL, "stored", NULL },
		{ true, true, true, true, NULL, "below", NULL },
		{ true, true, true, false, "elsewhere", "below", NULL },
		{ true, false, true, true, NULL, "stored", NULL },
		{ true, false, true, false, NULL, "-", "cannot open" },
		{ false, true, false, false, NULL, "-", "cannot open" },
		{ false, true, true, false, "elsewhere", "-", "another machine" },
	};
	u32 pid = (u32)getpid();

	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	assert_non_null(mkdtemp(root));
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%u.map", pid);
	snprintf(tmp_below, sizeof(tmp_below), "%s/tmp", root);
	snprintf(map_below, sizeof(map_below), "%s%s", root, map_path);
	assert_int_equal(mkdir(tmp_below, 0700), 0);
	add_map(pid, JIT_START, 0x1000, 0, "//anon", 100);
	add_sample(pid, JIT_START + 4, JIT_START + 4, 200);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct symbol *sym;
		struct dso *dso;

		write_from(cases[i].host);
		if (cases[i].is_stored) {
			write_map(map_path, "stored");
			store(&(struct embed_opts){ 0 });
		}
		unlink(map_path);
		unlink(map_below);
		if (cases[i].has_live)
			write_map(map_path, "live");
		if (cases[i].has_below)
			write_map(map_below, "below");
		dso = open_with(cases[i].has_symfs ? root : NULL, DSO_JIT);
		assert_non_null(dso);
		sym = symbolizer__find(&s->symbolizer, dso, JIT_START + 4);
		assert_string_equal(sym ? symtab__name(&dso->symtab, sym) : "-", cases[i].name);
		assert_null(symbolizer__find(&s->symbolizer, dso, JIT_START + JIT_SIZE));
		assert_int_equal(!!dso->load_error, !!cases[i].why);
		if (cases[i].why && !strstr(dso->load_reason, cases[i].why))
			fail_msg("case %zu: '%s'", i, dso->load_reason);
		assert_null(symbolizer__cfi(&s->symbolizer, dso));
		assert_null(symbolizer__jit_code(&s->symbolizer, dso));
		session__delete(s);
	}
	unlink(map_path);
	unlink(map_below);
	assert_int_equal(rmdir(tmp_below), 0);
	assert_int_equal(rmdir(root), 0);
}

/* ---- jit-PID.dump ---- */

/* The name of a user address of the process at the end of the recording. */
static const char *name_at(u64 ip)
{
	const struct symbol *sym;
	struct machine_cursor c;
	struct dso_addr at;
	struct dso *dso;

	machine_cursor__init(&c, &s->machine);
	machine_cursor__seek(&c, UINT64_MAX - 1);
	machine__resolve(&s->machine, machine_cursor__thread(&c, PID, PID)->maps, c.rank,
			 PERF_RECORD_MISC_USER, ip, &at);
	dso = s->machine.dsos.v.v[at.dso];
	sym = symbolizer__find(&s->symbolizer, dso, at.addr);
	return sym ? symtab__name(&dso->symtab, sym) : "-";
}

/* The dump has names and code; what of it was sampled is in the recording, too. */
static void dumps_have_names_and_code(void **state)
{
	static const char *const names[] = { "first", "second", NULL };
	struct dso *dso;

	(void)state;
	write_dump(names, 0x100);
	add_map(PID, 0x7d000000, 0x1000, 0, dump_path, 100);
	add_sample(PID, JIT_START + 0x104, JIT_START + 0x104, 900);
	write_from(NULL);
	dso = open_with(NULL, DSO_JITDUMP);
	assert_non_null(dso);
	assert_string_equal(name_at(JIT_START + 4), "first");
	assert_string_equal(name_at(JIT_START + 0x104), "second");
	assert_string_equal(name_at(JIT_START + 0x100 + JIT_SIZE), "-");
	assert_non_null(symbolizer__jit_code(&s->symbolizer, dso));
	assert_ptr_equal(symbolizer__jit_code(&s->symbolizer, dso), dso->jit);
	assert_null(symbolizer__cfi(&s->symbolizer, dso)); /* pieces of code have their own */
	session__delete(s);
	store(&(struct embed_opts){ 0 });
	unlink(dump_path);
	dso = open_with(NULL, DSO_JITDUMP);
	assert_non_null(dso);
	assert_string_equal(name_at(JIT_START + 4), "-");
	assert_string_equal(name_at(JIT_START + 0x104), "second");
	assert_null(symbolizer__jit_code(&s->symbolizer, dso));
	session__delete(s);
}

int main(void)
{
#define test(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
	const struct CMUnitTest tests[] = {
		test(maps_of_a_process_have_an_order),
		test(dumps_have_names_and_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
