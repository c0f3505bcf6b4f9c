/*
 * Any file that is called a recording: the whole way of `perf report`, with -D, --stats, --header, --tasks,
 * --mmaps and sort keys of all kinds, as a file and as a stream, compressed or not; and perf diff. Nothing
 * of this machine is looked at but its names for users. Seeds: recordings with all that there can be
 * (tests/hostile), and small ones of this perf.
 */
#include "base/system/file.h"
#include "format/read/features.h"
#include "fuzz.h"
#include "profile/compare/comparison.h"
#include "profile/side_by_side/streams.h"
#include "profile/hists/hists.h"
#include "profile/gather/profile.h"
#include "profile/keys/trace_keys.h"
#include "ui/diff/diff_stock.h"
#include "ui/diff/diff_view.h"
#include "ui/dump/dump.h"
#include "ui/stdio/stdio.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static FILE *nowhere;

static const struct way {
	const char *sort, *fields, *separator;
	enum graph_mode graph;
	bool branches, flat, lines, raw;
} ways[] = {
	{ .sort = "comm,dso,sym", .graph = GRAPH_ABSOLUTE },
	{ .sort = "pid,tid,cpu,comm,trace,code_page_size", .graph = GRAPH_RELATIVE, .lines = true },
	{ .sort = "sym,srcline,srcfile", .graph = GRAPH_FLAT, .lines = true },
	{ .sort = "trace_fields", .graph = GRAPH_FOLDED, .separator = "|" },
	{ .sort = "dso_from,dso_to,symbol_from,symbol_to,srcline_from,mispredict,abort,in_tx,cycles",
	  .branches = true },
	{ .fields = "overhead,sample,period,sym,comm", .graph = GRAPH_NONE, .flat = true },
	{ .sort = "*.comm,*.*,code_page_size", .raw = true },
	{ .sort = "dso,sym", .graph = GRAPH_ABSOLUTE, .flat = true, .separator = "," },
};

static void show(struct view *v, const struct way *way, const char *header)
{
	const struct stdio_opts opts = {
		.out = nowhere,
		.style = { .separator = way->separator, .verbose = way->flat },
		.header = header,
	};
	struct stdio_ui ui;

	stdio_ui__init(&ui, &opts);
	report_ui__show(&ui.ui, v);
	stdio_ui__exit(&ui);
}

static void count(struct session *s, const struct layout *layout, const struct trace_keys *traces,
		  const struct way *way, unsigned nr_threads)
{
	struct payload_cuts cuts;
	struct profile_opts opts = {
		.nr_threads = nr_threads, .max_stack = 127, .split = layout->split, .branches = way->branches
	};
	struct view_opts view_opts = { .layout = layout,
				       .traces = traces,
				       .branches = way->branches,
				       .children = !way->flat && !way->branches,
				       .group = true,
				       .graph = way->graph,
				       .graph_percent = 0.5,
				       .chain = { .max_stack = 127 },
				       .places = { .inlines = true, .lines = way->lines },
				       .nr_threads = nr_threads };
	struct profile profile;
	struct view view;

	if (layout->words.nr)
		opts.words = &layout->words;
	opts.starts = layout->ipc;
	if (trace_keys__cuts(traces, &cuts))
		opts.payloads = &cuts;
	if (!profile__collect(&profile, s, &opts, NULL)) {
		view__build(&view, &profile, &view_opts);
		show(&view, way, way->raw ? "# header\n" : NULL);
		view__exit(&view);
	}
	profile__exit(&profile);
}

static void report(struct session *s, const struct way *way, unsigned nr_threads)
{
	struct strbuf data = STRBUF_INIT;
	struct trace_formats *formats = NULL;
	struct trace_keys traces;
	struct layout layout;
	const struct layout_opts layout_opts = { .sort = way->sort,
						 .fields = way->fields,
						 .traces = &traces,
						 .branches = way->branches,
						 .children = !way->flat && !way->branches };

	if (!reader__feature(s->reader, FEATURE_TRACING_DATA, &data))
		(void)trace_formats__new(&formats, data.buf, data.len, NULL);
	strbuf__exit(&data);
	trace_keys__init(&traces, &s->reader->evlist, formats, NULL, way->raw);
	if (!layout__parse(&layout, &layout_opts, NULL)) /* else there is no such field */
		count(s, &layout, &traces, way, nr_threads);
	layout__exit(&layout);
	trace_keys__exit(&traces);
	trace_formats__delete(formats);
}

/* perf diff of the recording with itself: there is no change, whatever is in it. */
static void compare(struct session *s, unsigned nr_threads)
{
	const struct comparison_opts opts = { .least_row = 0.05,
					      .least_total = 0.01,
					      .nr_threads = nr_threads };
	const struct diff_view_opts view = { .columns = 80 };
	struct comparison c;
	int ret;

	comparison__init(&c, &opts);
	ret = comparison__choose_event(&c, s, NULL);
	for (u32 side = COMPARE_OLD; !ret && side <= COMPARE_NEW; side++) {
		struct compared_recording r;

		ret = compared_recording__read(&r, &c, s, NULL, NULL);
		if (ret)
			compared_recording__exit(&r);
		else
			comparison__add(&c, &r, side);
	}
	if (!ret) {
		comparison__finish(&c);
		for (u32 i = VERDICT_FASTER; i < NR_VERDICTS; i++)
			if (c.nr_verdicts[i])
				abort();
		diff_view__print(&c, &view, nowhere);
		diff_view__print_json(&c, nowhere);
	}
	comparison__exit(&c);
}

/* Build a view of samples, of blocks, or with branches before chains. Return false if reading failed. */
static bool build(struct view *v, struct profile *p, struct session *s, const struct layout *layout,
		  bool blocks, bool history, unsigned nr_threads)
{
	const struct profile_opts opts = { .nr_threads = nr_threads,
					   .max_stack = 127,
					   .split = blocks ? PROFILE_SPLIT_CYCLES : 0,
					   .blocks = blocks,
					   .history = history };
	const struct view_opts view_opts = { .layout = layout,
					     .blocks = blocks,
					     .block_cycles = blocks,
					     .chain = { .max_stack = 127, .history = history },
					     .places = { .lines = true, .graph_key = GRAPH_BY_LINE },
					     .nr_threads = nr_threads };

	if (profile__collect(p, s, &opts, NULL))
		return false;
	view__build(v, p, &view_opts);
	return true;
}

/* perf diff -c cycles --cycles-hist of the recording with itself: no block differs. */
static void compare_blocks(struct session *s, unsigned nr_threads)
{
	const struct layout_opts of_samples = { .sort = "dso,sym" }, of_blocks = { .blocks = true };
	const char *const paths[] = { "a", "b" };
	const struct diff_stock_opts opts = {
		.method = DIFF_CYCLES, .order = 1, .formula = true, .cycles_hist = true, .paths = paths
	};
	const struct cell_style style = { 0 };
	struct side_by_side sides;

	side_by_side__init(&sides, 2);
	for (u32 i = 0; i < 4; i++) { /* samples and blocks, twice */
		struct profile profile = { 0 };
		struct layout layout;
		struct view view;

		if (layout__parse(&layout, i % 2 ? &of_blocks : &of_samples, NULL))
			abort();
		if (build(&view, &profile, s, &layout, i % 2, false, nr_threads)) {
			if (i % 2)
				side_by_side__add_blocks(&sides, i / 2, &view);
			else
				side_by_side__add(&sides, i / 2, &view, &style);
			view__exit(&view);
		}
		profile__exit(&profile);
		layout__exit(&layout);
	}
	for (size_t i = 0; i < sides.tables.nr; i++)
		for (size_t k = 0; k < sides.tables.v[i].blocks.nr; k++) {
			const struct block_cycles *cells = sides.tables.v[i].blocks.v[k].cells;

			if (cells[0].nr != cells[1].nr || cells[0].cycles != cells[1].cycles)
				abort();
		}
	diff_stock__print(&sides, &opts, nowhere);
	side_by_side__exit(&sides);
}

/* perf diff --stream of the recording with itself */
static void compare_streams(struct session *s, unsigned nr_threads)
{
	const struct layout_opts layout_opts = { .sort = "dso,sym" };
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;
	struct profile profile = { 0 };
	struct layout layout;
	struct view view;

	if (layout__parse(&layout, &layout_opts, NULL))
		abort();
	if (build(&view, &profile, s, &layout, false, true, nr_threads)) {
		for (size_t i = 0; i < view.hists.nr; i++) {
			struct streams streams;

			streams__find(&streams, &view, &view.hists.v[i], &arena);
			streams__add_text(&streams, &streams, &text);
		}
		fuzz__touch(text.buf, text.len);
		view__exit(&view);
	}
	strbuf__exit(&text);
	arena__exit(&arena);
	profile__exit(&profile);
	layout__exit(&layout);
}

static void dump(struct session *s, unsigned nr_threads, bool file_order)
{
	const struct dump_opts opts = { .nr_threads = nr_threads, .file_order = file_order };

	dump__run(s, &opts, fileno(nowhere), NULL);
}

static void lists(struct session *s)
{
	struct strbuf text = STRBUF_INIT;

	features__print(s->reader, true, &text);
	fuzz__touch(text.buf, text.len);
	strbuf__exit(&text);
	stdio__print_stats(s, true, nowhere);
	stdio__print_tasks(s, true, nowhere, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/*
	 * What follows the recording in a file of its own must not matter: its last byte says what is done.
	 */
	unsigned what = size ? data[size - 1] : 0, nr_threads = what & 1 ? 2 : 1;
	bool header_only = (what & 0x70) == 0x70, no_model = (what & 0x70) == 0x60;
	struct session_opts opts = { .reader = { .nr_threads = nr_threads, .trusts_summaries = what & 0x10 },
				     .symbols = { .symfs = "/nowhere", .kallsyms = "/nowhere/kallsyms" },
				     .count_per_event = true,
				     .header_only = header_only,
				     .no_model = no_model,
				     .samples_follow = what & 0x10 };
	struct session *s;
	char path[64] = "-";
	int fd = -1;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!(what & 0x80) || !fuzz__stream(data, size))
		fd = fuzz__file(data, size, path);
	if (!session__open(&s, path, &opts, NULL)) {
		lists(s);
		if (!header_only && !no_model) {
			report(s, &ways[what / 2 % ARRAY_SIZE(ways)], nr_threads);
			if (what & 0x08)
				compare(s, nr_threads);
			if ((what & 0x0c) == 0x04 &&
			    evlist__sample_type_any(&s->reader->evlist) & PERF_SAMPLE_BRANCH_STACK) {
				compare_blocks(s, nr_threads);
				compare_streams(s, nr_threads);
			}
			dump(s, nr_threads, what & 0x20);
		}
		session__delete(s);
	}
	if (fd >= 0)
		close(fd);
	return 0;
}
