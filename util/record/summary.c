#include "record/summary.h"

#include "base/message/msg.h"
#include "record/options/buffer_opts.h"
#include "unwind/unwind_stats.h"

#include <string.h>

/* minimum time in ms that draining waited for the disk, to be mentioned after losses */
enum { BLOCKED_WORTH_MS = 100 };

static void print_losses(const struct losses *l)
{
	struct strbuf text = STRBUF_INIT;
	char *next, *line;

	losses__tell(l, &text);
	for (next = text.buf; (line = strsep(&next, "\n"));)
		if (*line)
			info("[ perf record: %s ]", line);
	strbuf__exit(&text);
}

static void print_load(const struct recorder_opts *opts, const struct recorder_result *r)
{
	const struct unwind_stats stats = { .nr = r->chains, .smaller = r->smaller, .no_copy = r->no_copy };
	u32 pages = ring_pages__larger(opts->pages);
	struct strbuf load = STRBUF_INIT;

	unwind_stats__add_load(&stats, &load);
	strbuf__addstr(&load, ": sample less often with -F, or give ");
	if (pages)
		strbuf__addf(&load, "larger buffers with -m %u and ", pages);
	else
		strbuf__addstr(&load, "a larger buffer with ");
	info("[ perf record: Call chains: %s--unwind-buffer %lluK ]", load.buf,
	     (unsigned long long)opts->unwind_buffer * 4 >> 10);
	strbuf__exit(&load);
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
	if (r->smaller || r->no_copy)
		print_load(opts, r);
	print_losses(&r->losses);
	if (r->blocked_ms >= BLOCKED_WORTH_MS && (losses__total(&r->losses) || is_verbose))
		info("[ perf record: Writing took so long that buffers were not emptied for %.1f s: write "
		     "elsewhere, compress with -z, or give more room with --write-buffer %lluM ]",
		     (double)r->blocked_ms / 1000, (unsigned long long)opts->write_buffer * 4 >> 20);
	strbuf__exit(&how);
}
