#include "record/summary.h"

#include "base/message/called_name.h"
#include "base/message/msg.h"
#include "record/options/buffer_opts.h"

#include <string.h>

enum {
	/* minimum time in ms that draining waited for the disk, to be mentioned after losses */
	BLOCKED_WORTH_MS = 100,
	CHAINS_WORTH = 100, /* mention incomplete chains from one in so many on */
};

/* Print a line for each line of text. */
static void print_lines(const char *prefix, struct strbuf *text)
{
	char *next, *line;

	for (next = text->buf; (line = strsep(&next, "\n"));)
		if (*line)
			info("[ %s%s ]", prefix, line);
}

static void print_losses(const struct recorder_result *r)
{
	struct strbuf text = STRBUF_INIT;

	strbuf__addstr(&text, r->spans.buf);
	hidden_programs__tell(&r->hidden, &text);
	unread_memory__tell(&r->unread, &text);
	levels_used__tell(&r->levels, &text);
	losses__tell(&r->losses, &text);
	print_lines("perf record: ", &text);
	strbuf__exit(&text);
}

static bool has_text(const struct strbuf *text, const char *what)
{
	return text->len && strstr(text->buf, what);
}

/* Leave out the advice that was followed: some chains end in such code all the same. */
static void drop_advice(struct strbuf *text)
{
	static const char advice[] = ": record --runtimes";
	char *at;

	while (text->len && (at = strstr(text->buf, advice))) {
		char *end = strchrnul(at, '\n');
		size_t rest = (size_t)(text->buf + text->len - end);

		memmove(at, end, rest + 1);
		strbuf__setlen(text, (size_t)(at - text->buf) + rest);
	}
}

/* What runs already cannot be started by perf. */
static void tell_running(const struct target_opts *t, const struct strbuf *causes, const struct strbuf *names)
{
	bool is_told = has_text(causes, "record --runtimes") || has_text(names, "record --runtimes");

	if (!is_told || !(t->pids || t->tids || t->user || t->system_wide))
		return;
	if (has_text(causes, "python code") || has_text(names, "python code"))
		info("[ perf record: a running python 3.14 can be asked: %s record -g --runtimes -p %s ]",
		     called_name(), t->pids ? t->pids : "PID");
	else
		info("[ perf record: running programs must have been started so: man perf-record, --runtimes "
		     "]");
}

void recorder_result__tell_chains(const struct unwind_stats *chains, const struct recorder_opts *opts,
				  bool sets_runtimes)
{
	u64 all, nr = unwind_stats__incomplete(chains, &all);
	u32 pages = ring_pages__larger(opts->pages);
	struct strbuf load = STRBUF_INIT, causes = STRBUF_INIT, names = STRBUF_INIT;

	if (pages)
		strbuf__addf(&load, "-m %u ", pages);
	strbuf__addf(&load, "--unwind-buffer %lluK", (unsigned long long)opts->unwind_buffer * 4 >> 10);
	unwind_stats__add_causes(chains, load.buf, &causes);
	if (nr && nr * CHAINS_WORTH >= all)
		info("[ perf record: %.1f%% of %llu call chains are incomplete%s ]",
		     100.0 * (double)nr / (double)all, (unsigned long long)all,
		     causes.len ? ":" : " (report --stack-stats)");
	unwind_stats__add_nameless(chains, &causes, &names);
	if (sets_runtimes) {
		drop_advice(&causes);
		drop_advice(&names);
	}
	print_lines("  ", &causes);
	if (names.len)
		info("[ perf record: names of functions are missing, of all samples: ]");
	print_lines("  ", &names);
	tell_running(&opts->target, &causes, &names);
	strbuf__exit(&load);
	strbuf__exit(&names);
	strbuf__exit(&causes);
}

void recorder_result__tell(const struct recorder_result *r, const struct recorder_opts *opts, bool is_verbose)
{
	const char *path = opts->output, *last_file = left_files__last(&r->files);
	struct strbuf how = STRBUF_INIT;

	if (r->at_max_size)
		info("[ perf record: perf size limit reached (%llu KB), stopping session ]",
		     (unsigned long long)r->bytes / 1024);
	info("[ perf record: Woken up %llu times to write data ]", (unsigned long long)r->wakeups);
	if (r->samples && strcmp(path, "-"))
		strbuf__addf(&how, " (%llu samples)", (unsigned long long)r->samples);
	if (opts->compression && r->bytes)
		strbuf__addf(&how, ", compressed (original %.3f MB, ratio is %.3f)",
			     (double)r->unpacked / 1024 / 1024, (double)r->unpacked / (double)r->bytes);
	if (last_file)
		info("[ perf record: Dump %s ]", last_file);
	info("[ perf record: Captured and wrote %.3f MB %s%s%s ]", (double)r->bytes / 1024 / 1024, path,
	     last_file ? ".<timestamp>" : "", how.buf);
	print_losses(r);
	if (r->blocked_ms >= BLOCKED_WORTH_MS && (losses__total(&r->losses) || is_verbose))
		info("[ perf record: Writing took so long that buffers were not emptied for %.1f s: write "
		     "elsewhere, compress with -z, or give more room with --write-buffer %lluM ]",
		     (double)r->blocked_ms / 1000, (unsigned long long)opts->write_buffer * 4 >> 20);
	strbuf__exit(&how);
}
