/* perf evlist: list the events of a recording, and their attrs. */
#include "builtin.h"

#include "base/message/msg.h"
#include "format/records/attr_text.h"
#include "model/session.h"

#include <stdio.h>

static const char fields_tip[] =
	"# Tip: use 'perf evlist --trace-fields' to show fields for tracepoint events\n";

/* If the recording has no usable formats, warn once; the output then says so for each tracepoint. */
static void open_formats(const struct reader *r, struct trace_formats **formats)
{
	struct strbuf data = STRBUF_INIT;
	struct err err = ERR_INIT;

	if (!reader__feature(r, FEATURE_TRACING_DATA, &data) &&
	    trace_formats__new(formats, data.buf, data.len, &err))
		warning("%s", err.text.buf);
	strbuf__exit(&data);
	err__exit(&err);
}

static void print_events(const struct reader *r, struct evlist_text_opts *opts)
{
	bool has_tracepoints = evlist__has_tracepoints(&r->evlist);
	struct strbuf out = STRBUF_INIT;

	if (opts->fields && has_tracepoints)
		open_formats(r, &opts->formats);
	evlist_text__add(&r->evlist, opts, &out);
	if (has_tracepoints && !opts->fields)
		strbuf__addstr(&out, fields_tip);
	fputs(out.buf, stdout);
	strbuf__exit(&out);
	trace_formats__delete(opts->formats);
}

static int list_events(const char *input, struct evlist_text_opts *opts)
{
	struct session_opts session_opts = { .header_only = true };
	struct session *s = NULL;
	struct err err = ERR_INIT;
	int ret = session__open(&s, input, &session_opts, &err);

	if (ret) {
		error__print(&err);
	} else {
		print_events(s->reader, opts);
		fflush(stdout);
		ret = session__tell_damage(s);
	}
	session__delete(s);
	err__exit(&err);
	return ret ? 1 : 0;
}

int cmd_evlist(int argc, const char **argv)
{
	static const char *const usage[] = { "perf evlist [<options>] [<file>]", NULL };
	struct evlist_text_opts opts = { .formats = NULL };
	const char *input = NULL;
	bool force;
	const struct option options[] = {
		OPT_BOOL('f', "force", &force, "accepted; files of any owner are read"),
		OPT_BOOL('F', "freq", &opts.rates, "show the frequency or the period of each event"),
		OPT_BOOL('g', "group", &opts.groups, "show the events of a group in one line: {a,b}"),
		OPT_STRING('i', "input", &input, "file",
			   "recording to read (default: perf.data; - is standard input)"),
		OPT_BOOL(0, "trace-fields", &opts.fields, "show the fields of each tracepoint"),
		OPT_BOOL('v', "verbose", &opts.attrs, "show all that was asked of the kernel"),
		OPT_END(),
	};
	int nr = perf__parse_options(options, usage, 0, argc, argv);

	if (nr < 0)
		return -nr;
	if (perf__take_input("perf evlist", nr, argv, &input))
		return EXIT_USAGE;
	if (opts.groups && (opts.attrs || opts.rates)) {
		error__say("-g shows names only: it does not go with -v or -F");
		return EXIT_USAGE;
	}
	return list_events(input && *input ? input : perf__default_input(), &opts);
}
