/*
 * Where samples were, in processes that map other files over what was there: a recording is made here, and
 * with it a list of what each sample must be counted for.
 */
#include "unit.h"

#include "image.h"
#include "profile/places/places_private.h"
#include "profile/hists/hists.h"

#include <stdlib.h>
#include <unistd.h>

enum {
	PID = 40,
	NR_FILES = 7,
	NR_SLOTS = 40,    /* places of a map */
	SLOT = 0x4000,    /* bytes from one to the next */
	NR_EVENTS = 6000, /* maps and samples */
	CHAIN_MAX = 5,
	NR_SPACES = 2, /* the process, and one that it forks half way */
};

static u64 self[NR_FILES + 1], with_callees[NR_FILES + 1]; /* samples by file; the last: unmapped */
static u32 at[NR_SPACES][NR_SLOTS];                        /* file + 1; 0: nothing mapped */
static u32 seed;

static u32 rnd(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static const char *file_name(u32 file)
{
	static char name[32];

	snprintf(name, sizeof(name), "/nowhere/f%u", file);
	return name;
}

/* One slot, or several. */
static void put_map(struct image *im, u32 space)
{
	u32 file = rnd(NR_FILES), first = rnd(NR_SLOTS), nr = rnd(4) ? 1 : 1 + rnd(NR_SLOTS - first);

	image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	image__u32(im, PID + space);
	image__u32(im, PID + space);
	image__u64(im, (u64)(first + 1) * SLOT);
	image__u64(im, (u64)nr * SLOT);
	image__u64(im, 0);
	image__str(im, file_name(file), 16);
	image__end(im);
	for (u32 i = 0; i < nr; i++)
		at[space][first + i] = file + 1;
}

static void put_fork(struct image *im)
{
	image__begin(im, PERF_RECORD_FORK, 0);
	image__u32(im, PID + 1);
	image__u32(im, PID);
	image__u32(im, PID + 1);
	image__u32(im, PID);
	image__u64(im, 0);
	image__end(im);
	memcpy(at[1], at[0], sizeof(at[0]));
}

static void put_sample(struct image *im, u32 space)
{
	u32 nr = 1 + rnd(CHAIN_MAX), first = NR_FILES;
	bool seen[NR_FILES + 1] = { false };
	u64 chain[CHAIN_MAX] = { 0 };

	for (u32 i = 0; i < nr; i++) {
		u32 slot = rnd(NR_SLOTS), file = at[space][slot] ? at[space][slot] - 1 : NR_FILES;

		chain[i] = (u64)(slot + 1) * SLOT + rnd(3);
		first = i ? first : file;
		with_callees[file] += !seen[file];
		seen[file] = true;
	}
	self[first]++;
	image__begin(im, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	image__u64(im, chain[0]);
	image__u32(im, PID + space);
	image__u32(im, PID + space);
	image__u64(im, 1);
	image__u64(im, nr + 1);
	image__u64(im, PERF_CONTEXT_USER);
	for (u32 i = 0; i < nr; i++)
		image__u64(im, chain[i]);
	image__end(im);
}

/* maps: of 100 events. */
static void fill(struct image *im, u32 maps, u32 new_seed)
{
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD |
						    PERF_SAMPLE_CALLCHAIN);
	u32 nr_spaces = 1;

	seed = new_seed;
	memset(self, 0, sizeof(self));
	memset(with_callees, 0, sizeof(with_callees));
	memset(at, 0, sizeof(at));
	image__init(im, false);
	image__file_header(im, 1, 112, 0);
	image__attr_entry(im, &a, 112, 0, 0);
	image__comm(im, PID, "prog");
	for (u32 i = 0; i < NR_EVENTS; i++) {
		if (i == NR_EVENTS / 2) {
			put_fork(im);
			nr_spaces = 2;
		}
		if (rnd(100) < maps)
			put_map(im, rnd(nr_spaces));
		else
			put_sample(im, rnd(nr_spaces));
	}
	image__end_data(im);
}

static u64 samples_of(const struct view *v, u32 file, bool children)
{
	const struct hists *h = &v->hists.v[0];
	const struct dsos *dsos = &v->profile->session->machine.dsos;

	for (size_t i = 0; i < h->entries.nr; i++) {
		const struct hist_entry *e = h->entries.v[i];
		const struct place *p = places__get(&v->places, e->place);

		if (file == NR_FILES
			    ? !p->mapped
			    : p->mapped && !strcmp(dso__long_name(dsos, dsos->v.v[p->dso]), file_name(file)))
			return children ? e->stats[0].period_children : e->stats[0].period;
	}
	return 0;
}

static void check_view(struct profile *p, unsigned nr_threads)
{
	struct layout_opts lopts = { .sort = "dso", .children = true };
	struct view_opts opts = { .children = true, .nr_threads = nr_threads, .chain.max_stack = 127 };
	struct layout layout;
	struct view v;

	assert_int_equal(layout__parse(&layout, &lopts, NULL), 0);
	opts.layout = &layout;
	view__build(&v, p, &opts);
	for (u32 file = 0; file <= NR_FILES; file++) {
		assert_int_equal(samples_of(&v, file, false), self[file]);
		assert_int_equal(samples_of(&v, file, true), with_callees[file]);
	}
	view__exit(&v);
	layout__exit(&layout);
}

/* maps: per cent of the events. */
static void check(u32 maps, u32 new_seed)
{
	struct session_opts sopts = { .symbols.symfs = "/nowhere" };
	struct session *s;
	struct image im;
	char path[64];
	int fd;

	fill(&im, maps, new_seed);
	image__path(im.b.buf, im.b.len, &fd, path);
	for (unsigned nr_threads = 1; nr_threads <= 3; nr_threads++) {
		struct profile_opts popts = { .nr_threads = nr_threads };
		struct profile p;

		sopts.reader.nr_threads = nr_threads;
		assert_int_equal(session__open(&s, path, &sopts, NULL), 0);
		assert_int_equal(profile__collect(&p, s, &popts, NULL), 0);
		check_view(&p, nr_threads);
		profile__exit(&p);
		assert_int_equal(profile__collect(&p, s, &popts, NULL), 0);
		check_view(&p, 1); /* once more, of the same session */
		profile__exit(&p);
		session__delete(s);
	}
	close(fd);
	image__exit(&im);
}

static void many_maps_over_each_other(void **state)
{
	(void)state;
	check(50, 1);
	check(95, 2);
}

static void few_maps_over_each_other(void **state)
{
	(void)state;
	check(1, 3);
	check(0, 4);
}

/* What orders equal branches of call graphs: the same of whichever thread looks a place up first. */
static void last_of_an_inlined_function(void **state)
{
	const struct symbol outer[] = { { .start = 0x100 }, { .start = 0x300 }, { .start = 0x200 } };
	const struct places_opts opts = { .inlines = true };

	(void)state;
	for (u32 first = 0; first < ARRAY_SIZE(outer); first++) {
		struct places p;
		u32 ids[ARRAY_SIZE(outer)], graph;

		places__init(&p, NULL, &opts);
		for (u32 k = 0; k < ARRAY_SIZE(outer); k++) {
			u32 i = (first + k) % ARRAY_SIZE(outer);

			ids[i] = places__intern(
				&p, &(struct place){ .sym = &outer[i], .inlined = 7, .mapped = true });
		}
		graph = places__get(&p, ids[0])->graph;
		for (u32 i = 0; i < ARRAY_SIZE(outer); i++)
			assert_int_equal(places__get(&p, ids[i])->graph, graph);
		assert_int_equal(places__get(&p, graph)->last, ids[1]);
		places__exit(&p);
	}
}

/* Map the program that runs now as it is, but elsewhere. */
static void put_own_maps(struct image *im, u32 pid, u64 distance)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[1024], exe[512], name[512];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	unsigned long long start, end, pgoff;

	assert_non_null(f);
	assert_true(n > 0);
	exe[n] = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx-%llx r-xp %llx %*s %*s %511s", &start, &end, &pgoff, name) != 4 ||
		    strcmp(name, exe) != 0)
			continue;
		image__begin(im, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		image__u32(im, pid);
		image__u32(im, pid);
		image__u64(im, start + distance);
		image__u64(im, end - start);
		image__u64(im, pgoff);
		image__str(im, exe, (strlen(exe) + 8) / 8 * 8);
		image__end(im);
	}
	fclose(f);
}

static const struct code_places *locate(struct places *p, u32 space, u64 ip)
{
	const struct maps *maps = p->session->machine.spaces.v[space];
	struct row row = { .key = { .space = space, .space_version = maps__version(maps, UINT32_MAX) } };
	struct row_space in = places__space(p, &row, PERF_RECORD_MISC_USER);

	return places__locate(p, &in, ip);
}

/* Code that two processes have at different addresses is looked up once, unless what differs is asked for. */
static void code_of_two_processes(void **state)
{
	const struct places_opts opts[] = { { 0 }, { .map_sizes = true }, { .graph_key = GRAPH_BY_ADDRESS } };
	struct perf_event_attr a = image__cpu_clock(PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	const u64 distance = 0x10000000, ip = (u64)(uintptr_t)put_own_maps;
	struct session_opts sopts = { .reader.nr_threads = 1 };
	struct session *s;
	struct image im;
	char path[64];
	int fd;

	(void)state;
	image__init(&im, false);
	image__file_header(&im, 1, 112, 0);
	image__attr_entry(&im, &a, 112, 0, 0);
	put_own_maps(&im, PID, 0);
	put_own_maps(&im, PID + 1, distance);
	image__end_data(&im);
	image__path(im.b.buf, im.b.len, &fd, path);
	assert_int_equal(session__open(&s, path, &sopts, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(opts); i++) {
		struct code_places first, second;
		struct places p;

		places__init(&p, s, &opts[i]);
		first = *locate(&p, 0, ip);
		second = *locate(&p, 1, ip + distance);
		assert_string_equal(places__name(&p, first.leaf), "put_own_maps");
		assert_int_equal(first.leaf, second.leaf);
		assert_int_equal(p.codes.nr, i ? 2 : 1);
		/* as a caller, GRAPH_BY_ADDRESS tells them apart */
		assert_int_equal(first.caller == second.caller, opts[i].graph_key != GRAPH_BY_ADDRESS);
		/* another function, and an address without code, are others */
		assert_int_not_equal(locate(&p, 0, (u64)(uintptr_t)locate)->leaf, first.leaf);
		assert_false(places__get(&p, locate(&p, 0, ip + distance)->leaf)->mapped);
		places__exit(&p);
	}
	session__delete(s);
	close(fd);
	image__exit(&im);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_maps_over_each_other),
		cmocka_unit_test(few_maps_over_each_other),
		cmocka_unit_test(last_of_an_inlined_function),
		cmocka_unit_test(code_of_two_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
