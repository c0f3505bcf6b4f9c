/* The keys of all screens of a recording: filters, units of counting, export, opening another recording. */
#include "base/text/number.h"
#include "browser/report_browser.h"

#include "base/message/called_name.h"
#include "export/export_formats.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- filters ---- */

static void zoom_dso(struct browser *b, void *state)
{
	struct subject s;
	struct places *places = &browser__view(b)->places;

	(void)state;
	browser__get_subject(b, &s);
	if (s.has_place)
		browser__zoom(b, ZOOM_DSO,
			      machine__str(&report_of(b)->in->session->machine,
					   places__get(places, s.place)->dso_name));
	else
		browser__say(b, "No function is selected");
}

static void zoom_kernel(struct browser *b, void *state)
{
	(void)state;
	browser__zoom(b, ZOOM_DSO, "[kernel.kallsyms]");
}

static void zoom_thread(struct browser *b, void *state)
{
	struct subject s;
	char text[16];

	(void)state;
	browser__get_subject(b, &s);
	snprintf(text, sizeof(text), "%d", (int)(s.has_tid ? s.tid : s.pid));
	if (s.has_tid || s.has_pid)
		browser__zoom(b, s.has_tid ? ZOOM_TID : ZOOM_PID, text);
	else if (s.comm)
		browser__zoom(b, ZOOM_COMM, s.comm);
	else
		browser__say(b, "No thread is selected; p lists them");
}

static void zoom_function(struct browser *b, void *state)
{
	struct subject s;

	(void)state;
	browser__get_subject(b, &s);
	if (s.has_place)
		browser__zoom(b, ZOOM_SYMBOL, browser__name(b, s.place));
	else
		browser__say(b, "No function is selected");
}

static void cpus_typed(struct browser *b, const char *text)
{
	if (text && *text)
		browser__zoom(b, ZOOM_CPU, text);
}

/* The CPUs of the selected lane, or those that are typed. */
static void ask_cpus(struct browser *b, void *state)
{
	struct subject s;
	char text[32];

	(void)state;
	browser__get_subject(b, &s);
	if (s.last_cpu > s.cpu)
		snprintf(text, sizeof(text), "%u-%u", s.cpu, s.last_cpu);
	else
		snprintf(text, sizeof(text), "%u", s.cpu);
	if (s.has_cpu)
		browser__zoom(b, ZOOM_CPU, text);
	else
		browser__ask(b, "CPUs (such as 0-3,8): ", NULL, cpus_typed);
}

static void socket_typed(struct browser *b, const char *text)
{
	if (text && *text >= '0' && *text <= '9')
		browser__zoom(b, ZOOM_SOCKET, text);
}

static void ask_socket(struct browser *b, void *state)
{
	(void)state;
	browser__ask(b, "Processor socket: ", NULL, socket_typed);
}

static void lock_typed(struct browser *b, const char *text)
{
	if (text && *text)
		browser__zoom(b, ZOOM_LOCK, text);
}

/* The lock of the selected row, or one that is typed. */
static void ask_lock(struct browser *b, void *state)
{
	struct subject s;

	(void)state;
	browser__get_subject(b, &s);
	if (s.lock)
		browser__zoom(b, ZOOM_LOCK, s.lock);
	else
		browser__ask(b, "Lock (such as pool.lock): ", NULL, lock_typed);
}

static void zoom_stacks(struct browser *b, void *state)
{
	struct subject s;

	(void)state;
	browser__get_subject(b, &s);
	if (s.has_place) {
		zooms__push_stacks(&report_of(b)->zooms, browser__name(b, s.place));
		browser__recount(b);
	} else {
		browser__say(b, "No function is selected");
	}
}

static void unzoom(struct browser *b, void *state)
{
	(void)state;
	browser__unzoom(b);
}

/* ---- counting and showing ---- */

static void change_event(struct browser *b, u32 event)
{
	report_of(b)->event = event;
	b->generation++;
}

static void next_event(struct browser *b, void *state)
{
	const struct view *v = browser__view(b);

	(void)state;
	if (v->hists.nr < 2) {
		browser__say(b, "The recording has one event");
		return;
	}
	browser__open_menu(b, "Event");
	for (u32 i = 0; i < v->hists.nr; i++) {
		u32 at = (report_of(b)->event + 1 + i) % (u32)v->hists.nr;

		if (evsel__has_spans(v->hists.v[at].evsel))
			continue;
		browser__add_choice(b, change_event, at, "%s  %llu samples", v->hists.v[at].evsel->name,
				    (unsigned long long)v->hists.v[at].totals[0].nr);
	}
}

static void next_rows(struct browser *b, void *state)
{
	(void)state;
	browser__next_rows(b);
}

static void next_times(struct browser *b, void *state)
{
	(void)state;
	browser__next_times(b);
}

static void toggle_order(struct browser *b, void *state)
{
	struct report_browser *r = report_of(b);

	(void)state;
	if (!layout__sort_by_self(&r->in->setup->layout, r->by_children)) {
		browser__say(b, "There is no column of callees");
		return;
	}
	r->by_children = !r->by_children;
	browser__recount(b);
	browser__say(b, r->by_children ? "Sorted by what functions and their callees take"
				       : "Sorted by what functions take themselves");
}

static void toggle_relative(struct browser *b, void *state)
{
	(void)state;
	browser__view(b)->opts.relative = !browser__view(b)->opts.relative;
	browser__recount(b);
	browser__say(b, browser__view(b)->opts.relative ? "Percentages of what is shown"
							: "Percentages of all samples");
}

static void toggle_names(struct browser *b, void *state)
{
	struct report_browser *r = report_of(b);

	(void)state;
	r->verbose = !r->verbose;
	b->generation++;
	browser__say(b, r->verbose ? "Full names" : "Short names");
}

static void limit_typed(struct browser *b, const char *text)
{
	double limit;

	if (!text)
		return;
	if (!number__parse_percent(text, &limit)) {
		browser__say(b, "'%s' is not a percentage", text);
		return;
	}
	report_of(b)->percent_limit = limit;
	b->generation++;
}

static void ask_limit(struct browser *b, void *state)
{
	(void)state;
	browser__ask(b, "Show rows from this percentage on: ", NULL, limit_typed);
}

/* ---- taking away ---- */

static void show_command(struct browser *b, void *state)
{
	(void)state;
	strbuf__reset(&b->message);
	browser__command_line(b, &b->message);
}

/* Return a name of a file that is not there yet: "perf.hist.0" and so on, as stock perf names them. */
static bool free_name(char name[BROWSER_NAME_MAX], const char *beginning, const char *suffix)
{
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, BROWSER_NAME_MAX, "%s.%u%s", beginning, i, suffix);
		if (faccessat(AT_FDCWD, name, F_OK, AT_SYMLINK_NOFOLLOW))
			return true;
	}
	return false;
}

FILE *browser__create_text(struct browser *b, const char *beginning, char name[BROWSER_NAME_MAX])
{
	mode_t mode = report_of(b)->in->session->reader->output_mode;
	int fd = -1;

	if (free_name(name, beginning, ""))
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0)
		browser__say(b, "%s: %s", name, strerror(errno));
	return fd < 0 ? NULL : fdopen(fd, "w");
}

void browser__end_text(struct browser *b, FILE *out, const char *name, const char *what)
{
	bool failed = ferror(out);

	if (fclose(out) || failed)
		browser__say(b, "%s: %s", name, strerror(errno));
	else
		browser__say(b, "%s was written to '%s'", what, name);
}

static void write_text(struct browser *b, u32 arg)
{
	struct report_browser *r = report_of(b);
	const struct report_args *a = r->in->args;
	struct stdio_opts opts = { .quiet = a->quiet, .style = a->style, .value = a->graph.value };
	struct stdio_ui text;
	char name[BROWSER_NAME_MAX];

	(void)arg;
	opts.style.color = false;
	opts.out = browser__create_text(b, "perf.hist", name);
	if (!opts.out)
		return;
	stdio_ui__init(&text, &opts);
	text.ui.percent_limit = r->percent_limit;
	browser__view(b)->opts.graph = GRAPH_NONE; /* trees are made later, where they are opened */
	report_ui__show(&text.ui, browser__view(b));
	browser__view(b)->opts.graph = r->in->setup->view.graph;
	stdio_ui__exit(&text);
	browser__end_text(b, opts.out, name, "The table");
}

/* Append the command that writes a format, with the filters. perf: path of the program. */
static void add_export(const struct browser *b, const struct export_format *f, const char *name,
		       struct strbuf *command)
{
	const char *input = report_of(b)->in->args->input;

	strbuf__addf(command, " export --format %s -o %s", f->name, name);
	if (input) {
		strbuf__addstr(command, " -i ");
		strbuf__add_shell_word(command, input);
	}
	browser__add_weights(b, command);
	zooms__add_options(&report_of(b)->zooms, command);
}

/* Run a command. Set said to the last line of what it says. Return its exit status. */
static int run_command(const char *command, struct strbuf *said)
{
	FILE *f = popen(command, "r");
	char line[512];
	int status;

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		strbuf__reset(said);
		strbuf__addstr(said, line);
	}
	status = f ? pclose(f) : -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* An export reads the recording in a process of its own: its messages must not reach the screen. */
static void write_format(struct browser *b, u32 arg)
{
	const struct export_format *f = export_formats[arg];
	struct strbuf command = STRBUF_INIT, said = STRBUF_INIT;
	char name[BROWSER_NAME_MAX], perf[4096];
	ssize_t n = readlink("/proc/self/exe", perf, sizeof(perf) - 1);

	if (!strcmp(report_of(b)->in->args->input, "-")) {
		browser__say(b, "The recording came through a pipe; %s export needs a file", called_name());
		return;
	}
	if (n < 0 || !free_name(name, "perf", f->suffix)) {
		browser__say(b, "No file name from perf.0%s to perf.999%s is free", f->suffix, f->suffix);
		return;
	}
	perf[n] = '\0';
	strbuf__add_shell_word(&command, perf);
	add_export(b, f, name, &command);
	strbuf__addstr(&command, " 2>&1 </dev/null");
	if (run_command(command.buf, &said))
		browser__say(b, "%s", said.len ? said.buf : "the export failed");
	else
		browser__say(b, "The samples were written to '%s'", name);
	strbuf__exit(&command);
	strbuf__exit(&said);
}

void browser__add_exports(struct browser *b)
{
	browser__add_choice(b, write_text, 0, "the table, as text");
	for (u32 i = 0; export_formats[i]; i++)
		browser__add_choice(b, write_format, i, "%s", export_formats[i]->name);
}

static void open_export(struct browser *b, void *state)
{
	(void)state;
	browser__open_menu(b, "Write to a file");
	browser__add_exports(b);
}

/* ---- another recording ---- */

static void open_recording(struct browser *b, u32 arg)
{
	report_of(b)->in->next = xstrdup(report_of(b)->recordings.v.v[arg]);
	browser__carry_filters(b);
	b->is_over = true;
}

static void open_recordings(struct browser *b, void *state)
{
	struct report_browser *r = report_of(b);
	glob_t found;

	(void)state;
	name_list__exit(&r->recordings);
	r->recordings = (struct name_list){ 0 };
	if (!glob("*.data*", 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			if (reader__is_recording(found.gl_pathv[i]))
				array__add(&r->recordings.v, xstrdup(found.gl_pathv[i]));
		globfree(&found);
	}
	if (!r->recordings.v.nr)
		browser__say(b, "No other recording (*.data*) is in this folder");
	else
		browser__open_menu(b, "Open");
	for (u32 i = 0; i < r->recordings.v.nr; i++)
		browser__add_choice(b, open_recording, i, "%s", r->recordings.v.v[i]);
}

const struct key_row report_keys[] = {
	{ '/', "/", "search, by regular expression", browser__search },
	{ TERM_BACKSPACE, "Backspace", "take the last filter away", unzoom },
	{ 'd', "d", "filter: the binary of what is selected", zoom_dso },
	{ 't', "t", "filter: the thread of what is selected", zoom_thread },
	{ 'k', "k", "filter: the kernel", zoom_kernel },
	{ '=', "=", "filter: the function that is selected", zoom_function },
	{ 'x', "x", "filter: stacks with the function that is selected", zoom_stacks },
	{ 'u', "u", "filter: CPUs", ask_cpus },
	{ 'S', "S", "filter: a processor socket", ask_socket },
	{ 'K', "K", "filter: a lock", ask_lock },
	{ TERM_TAB, "Tab", "choose another event", next_event },
	{ TERM_BACKTAB, NULL, NULL, next_event },
	{ 'R', "R", "rows: functions, threads, processes, binaries, lines, locks", next_rows },
	{ 'B', "B", "time: all, lost to holders of locks (blocked by), the critical path", next_times },
	{ 'N', "N", "time: all, in slow spans, in fast ones (record --span)", browser__choose_spans },
	{ 'o', "o", "order: with callees, or without them", toggle_order },
	{ 'F', "F", "percentages of all, or of what the filters leave", toggle_relative },
	{ 'L', "L", "hide rows below a percentage", ask_limit },
	{ 'V', "V", "full names, or short ones", toggle_names },
	{ 'y', "y", "copy the function's name", browser__copy_name },
	{ 'P', "P", "write the table to a file", open_export },
	{ 'r', NULL, NULL, open_export },
	{ 's', "s", "another recording of this folder", open_recordings },
	{ '!', "!", "the command that prints this", show_command },
	BROWSER_KEYS,
	{ 0 },
};
