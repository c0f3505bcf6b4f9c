/*
 * Any file that is called a recording: the whole way of `perf report` and `perf report -D`, with file or pipe
 * header, compressed or not. Nothing of this machine is looked at but its names for users. Seeds: small
 * recordings of this perf.
 */
#include "base/file.h"
#include "format/features.h"
#include "fuzz.h"
#include "profile/hists.h"
#include "profile/profile.h"
#include "ui/dump.h"
#include "ui/stdio.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static FILE *nowhere;

static void show(struct view *v)
{
	const struct stdio_opts opts = { .out = nowhere };
	struct stdio_ui ui;

	stdio_ui__init(&ui, &opts);
	report_ui__show(&ui.ui, v);
	stdio_ui__exit(&ui);
}

static void report(struct session *s, unsigned nr_threads)
{
	struct layout layout;
	const struct layout_opts layout_opts = { .sort = "comm,dso,sym", .children = true };
	struct profile_opts opts = { .nr_threads = nr_threads, .max_stack = 127 };
	struct view_opts view_opts = { .layout = &layout,
				       .children = true,
				       .graph = GRAPH_ABSOLUTE,
				       .graph_percent = 0.5,
				       .chain = { .max_stack = 127 },
				       .nr_threads = nr_threads };
	struct profile profile;
	struct view view;

	if (layout__parse(&layout, &layout_opts, NULL))
		__builtin_trap();
	opts.split = layout.split;
	if (!profile__collect(&profile, s, &opts, NULL)) {
		view__build(&view, &profile, &view_opts);
		show(&view);
		view__exit(&view);
	}
	profile__exit(&profile);
	layout__exit(&layout);
}

static void dump(struct session *s, unsigned nr_threads)
{
	const struct dump_opts opts = { .nr_threads = nr_threads };

	dump__run(s, &opts, fileno(nowhere), NULL);
}

static void header(struct session *s)
{
	struct strbuf text = STRBUF_INIT;

	features__print(s->reader, true, &text);
	fuzz__touch(text.buf, text.len);
	strbuf__exit(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* What follows the recording in a file of its own must not matter: its last byte says what is done. */
	unsigned nr_threads = size && data[size - 1] & 1 ? 2 : 1;
	struct session_opts opts = { .reader = { .nr_threads = nr_threads },
				     .symbols = { .symfs = "/nowhere", .kallsyms = "/nowhere/kallsyms" },
				     .count_per_event = true,
				     .samples_follow = true };
	struct session *s;
	char path[64];
	int fd;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	fd = fuzz__file(data, size, path);
	if (!session__open(&s, path, &opts, NULL)) {
		header(s);
		report(s, nr_threads);
		dump(s, nr_threads);
		session__delete(s);
	}
	close(fd);
	return 0;
}
