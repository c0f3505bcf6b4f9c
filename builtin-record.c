/* perf record: run a command, or watch what runs, and write its profile. */
#include "builtin.h"

#include "base/system/clock.h"
#include "base/message/msg.h"
#include "event/evsel/event_request.h"
#include "event/parse/parse.h"
#include "live/checks.h"
#include "live/limits.h"
#include "profile/gather/embed.h"
#include "record/options/attr_args.h"
#include "record/events/event_cgroups.h"
#include "record/options/buffer_opts.h"
#include "record/events/event_filters.h"
#include "record/describe/inventory.h"
#include "record/recorder.h"
#include "unwind/unwind_stats.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	STACK_COPY_DEFAULT = 8192, /* bytes */
	AUTO_STACK_DEFAULT = 16384,
	AUTO_STACK_MIN = 1024,
	UNWIND_BUFFER_DEFAULT = 32 << 20, /* bytes */
	UNWIND_BUFFER_MIN = 64 << 10,
	/* bytes, where each event is a sample and there may be a million in a second */
	EVERY_EVENT_RING = 4 << 20,
	BLOCKED_WORTH_MS = 100,     /* of waiting for the disk, to be mentioned where something was lost */
	RING_PAGES_MAX = 1 << 20,   /* of a ring, when the user chooses */
	RINGS_TOTAL_MAX = 64 << 20, /* bytes of all rings together, when we choose */
	EMBED_SECONDS = 5,          /* until no further file of a row gets names */
	MANY_BYTES = 32 << 20,      /* of a recording: with more, names are looked up by several threads */
};

struct record_args {
	struct recorder_opts opts;
	struct evlist events, switch_events;
	size_t last_event;  /* the events of the last -e begin here */
	size_t next_cgroup; /* from this one on they have no -G yet */
	bool group, list;
	const char *output;
	u64 count;
	bool freq_given, strict_freq, timestamp_filename;
	bool dry_run, unused;
	unsigned unused_number;
	const char *unused_text;
	bool no_build_id, build_id_all, build_id_mmap, no_cache;
	int verbose;
	bool quiet;
	bool off_cpu;
	bool no_embed;
	bool stack_given; /* the size of stack copies */
};

static int parse_event_option(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->last_event = args->events.evsels.nr;
	if (!unset && !strcmp(arg, "list"))
		args->list = true;
	if (unset || args->list)
		return 0;
	return checks__explain_lookup(arg, parse_events(&args->events, arg, err), err);
}

static int parse_switch_output(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->opts.switch_output = (struct switch_output){ 0 };
	return unset ? 0 : switch_output__parse(&args->opts.switch_output, arg, err);
}

static int parse_cgroup(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	return unset ? 0 : event_cgroups__add(&args->events, &args->next_cgroup, arg, err);
}

static int parse_threads(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	static const char *const units[] = { "", "cpu", "core", "package", "numa" };

	args->opts.threads = !unset;
	for (size_t i = 0; !unset && i < ARRAY_SIZE(units); i++)
		unset = !strcmp(arg, units[i]);
	/* masks, such as 0-3/0-3:4-7/4-7 */
	if (unset || (strchr(arg, '/') && !arg[strspn(arg, "0123456789-,/:")]))
		return 0;
	return err__set(err, -EINVAL,
			"'%s' is neither cpu, core, package or numa, nor lists of CPUs such as 0-3/0-3", arg);
}

static int parse_synth(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->opts.synth_left_out = 0;
	return unset ? 0 : inventory__parse_synth(arg, &args->opts.synth_left_out, err);
}

static int refuse_aux(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	(void)opt, (void)arg;
	return unset ? 0
		     : err__set(err, -EOPNOTSUPP,
				"AUX areas (Intel PT, ARM SPE and others) are not supported: of other "
				"events, --overwrite keeps the newest samples and --switch-output writes "
				"them on a signal");
}

static int parse_switch_event(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	if (unset)
		return 0;
	args->opts.switch_output.is_on = true;
	args->opts.switch_events = &args->switch_events;
	return checks__explain_lookup(arg, parse_events(&args->switch_events, arg, err), err);
}

static int parse_pfm_option(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	args->last_event = args->events.evsels.nr;
	return unset ? 0 : parse_pfm_events(&args->events, arg, err);
}

static int parse_filter(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	return unset ? 0 : event_filters__add(&args->events, args->last_event, arg, err);
}

static int parse_freq(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;
	char *end;

	if (unset)
		return 0;
	args->freq_given = true;
	if (!strcmp(arg, "max")) {
		args->opts.attrs.freq = limits__max_sample_rate();
		return args->opts.attrs.freq
			       ? 0
			       : err__set(err, -ENOENT, "cannot read kernel.perf_event_max_sample_rate");
	}
	errno = 0;
	args->opts.attrs.freq = strtoull(arg, &end, 10);
	if (errno || *end || *arg < '0' || *arg > '9' || !args->opts.attrs.freq)
		return err__set(err, -EINVAL, "'%s' is not a number of samples a second, nor 'max'", arg);
	return 0;
}

static int parse_max_size(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;
	bool has_unit;

	args->opts.max_size = 0;
	if (!unset && (option__parse_size(arg, &args->opts.max_size, &has_unit) || !args->opts.max_size))
		return err__set(err, -EINVAL, "'%s' is not a size such as 100M", arg);
	return 0;
}

static int parse_unwind_buffer(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;
	bool has_unit;

	args->opts.unwind_buffer = UNWIND_BUFFER_DEFAULT;
	if (!unset && (option__parse_size(arg, &args->opts.unwind_buffer, &has_unit) ||
		       args->opts.unwind_buffer < UNWIND_BUFFER_MIN))
		return err__set(err, -EINVAL, "'%s' is not a size such as 64M; the least is %uK", arg,
				UNWIND_BUFFER_MIN >> 10);
	return 0;
}

/* -m PAGES or a size; the kernel wants a power of two. */
static int parse_pages(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;
	u64 page = (u64)sysconf(_SC_PAGESIZE), n, pages = 1;
	bool has_unit;

	if (unset)
		return 0;
	if (option__parse_size(arg, &n, &has_unit) || !n)
		return err__set(err, -EINVAL, "'%s' is neither a number of pages nor a size such as 1M", arg);
	if (has_unit)
		n = ROUND_UP(n, page) / page;
	if (n > RING_PAGES_MAX)
		return err__set(err, -ERANGE, "'%s' is more than %u pages", arg, (unsigned)RING_PAGES_MAX);
	while (pages < n)
		pages *= 2;
	args->opts.pages = (u32)pages;
	return 0;
}

static int find_user_regs(struct attr_opts *attrs, struct err *err)
{
	const struct unwind_arch *arch = attr_args__own_arch();

	if (!arch)
		return err__set(err, -EOPNOTSUPP,
				"stack copies of this machine cannot be unwound: use --call-graph fp");
	attrs->user_regs = arch->perf_mask;
	return 0;
}

/*
 * The stack is copied with each sample: to be unwound when it is reported, or, with attrs->unwind, right
 * away.
 */
static int parse_stack_copy(struct attr_opts *attrs, u64 bytes, const char *size, struct err *err)
{
	bool has_unit;

	if (size && (option__parse_size(size, &bytes, &has_unit) || !bytes || bytes > STACK_COPY_MAX))
		return err__set(err, -EINVAL, "'%s' is not a size of stack copies: 8 to %u bytes", size,
				(unsigned)STACK_COPY_MAX);
	attrs->stack_copy = (u32)ROUND_UP(bytes, 8);
	return find_user_regs(attrs, err);
}

static int parse_call_graph(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;
	struct attr_opts *attrs = &args->opts.attrs;

	attrs->callchains = !unset;
	attrs->stack_copy = 0;
	attrs->unwind = false;
	attrs->lbr = arg && !strcmp(arg, "lbr");
	args->stack_given = arg && strchr(arg, ',');
	if (unset || attrs->lbr || (arg && !strcmp(arg, "fp")))
		return 0;
	if (!arg && !attr_args__own_arch())
		return 0;
	if (arg && !strcmp(arg, "no")) {
		attrs->callchains = false;
		return 0;
	}
	if (!arg || !strcmp(arg, "auto") || !strncmp(arg, "auto,", 5)) {
		attrs->unwind = true;
		return parse_stack_copy(attrs, AUTO_STACK_DEFAULT, args->stack_given ? arg + 5 : NULL, err);
	}
	if (!strcmp(arg, "dwarf") || !strncmp(arg, "dwarf,", 6))
		return parse_stack_copy(attrs, STACK_COPY_DEFAULT, args->stack_given ? arg + 6 : NULL, err);
	return err__set(err, -EINVAL,
			"'%s' is not a way to record call chains: auto[,SIZE], fp, dwarf[,SIZE], lbr, no",
			arg);
}

static int parse_delay(const struct option *opt, const char *arg, bool unset, struct err *err)
{
	struct record_args *args = opt->value;

	return delay__parse(&args->opts.delay, unset ? "0" : arg, err);
}

/* perf.data.2026112109301512: a file of its own for each recording. */
static char *timestamped(const char *path)
{
	struct timespec now;
	struct tm tm;
	char stamp[32];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02ld", path, stamp, now.tv_nsec / 10000000);
}

/* As stock: without -o, a pipe at standard output gets the recording. */
static bool stdout_is_pipe(void)
{
	struct stat st;

	return !fstat(STDOUT_FILENO, &st) && S_ISFIFO(st.st_mode);
}

/* The kernel lowers its limit by itself when sampling took too long: even 4000 may be too much by now. */
static int settle_freq(struct record_args *args)
{
	unsigned long long freq = args->opts.attrs.freq, max = limits__max_sample_rate();

	if (args->count || !max || freq <= max)
		return 0;
	if (args->freq_given && args->strict_freq)
		return error__say("%llu Hz is more than the %llu that the kernel allows: leave out "
				  "--strict-freq, or type sysctl -w kernel.perf_event_max_sample_rate=%llu",
				  freq, max, freq),
		       -EINVAL;
	if (args->freq_given)
		warning("%llu Hz is more than the kernel allows: sampling at %llu Hz; sysctl -w "
			"kernel.perf_event_max_sample_rate=%llu",
			freq, max, freq);
	else
		info("sampling at %llu Hz: kernel.perf_event_max_sample_rate allows no more", max);
	args->opts.attrs.freq = max;
	return 0;
}

/* Whether each time that an event happens is a sample: of tracepoints, unless something else is asked for. */
static bool samples_everything(const struct record_args *args)
{
	if (args->count || args->freq_given)
		return args->count == 1;
	for (size_t i = 0; i < args->events.evsels.nr; i++) {
		const struct perf_event_attr *attr = &args->events.evsels.v[i]->attr;

		if (attr->sample_period == 1 && !attr->freq)
			return true;
	}
	return false;
}

/*
 * Bytes that a ring should have. What is overwritten is kept for what it says, and the usual size is in the
 * manual.
 */
static u64 wanted_ring_bytes(const struct record_args *args)
{
	const struct attr_opts *attrs = &args->opts.attrs;

	if (attrs->callchains && attrs->stack_copy)
		return 1024ull * attrs->stack_copy;
	return samples_everything(args) && !attrs->overwrite ? EVERY_EVENT_RING : USUAL_RING_BYTES;
}

/*
 * A ring should have room for some 1,000 samples, so that we are not woken for each few. With stack copies in
 * them that is megabytes; where so much may not be locked, the copies are made smaller.
 */
static void choose_ring_size(struct record_args *args)
{
	struct attr_opts *attrs = &args->opts.attrs;
	u64 page = (u64)sysconf(_SC_PAGESIZE), bytes = USUAL_RING_BYTES, limit = limits__ring_bytes();

	if (!args->opts.pages) {
		while (bytes < wanted_ring_bytes(args) && 2 * bytes + page <= limit &&
		       2 * bytes * (u64)limits__nr_cpus() <= RINGS_TOTAL_MAX)
			bytes *= 2;
		args->opts.pages = (u32)(bytes / page);
	}
	while (attrs->unwind && !args->stack_given && attrs->stack_copy > AUTO_STACK_MIN &&
	       64ull * attrs->stack_copy > args->opts.pages * page)
		attrs->stack_copy /= 2;
}

/* Samples every switch away from a thread; the recorder makes waits of them. */
static void add_off_cpu_event(struct evlist *l)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					.sample_period = 1,
					.exclude_guest = 1 };
	struct evsel *e = evlist__add_request(l, &attr, "offcpu-time");

	e->request->is_off_cpu = true;
	e->request->own_period = true;
}

/* What terms such as call-graph=dwarf need from outside. */
static int complete_terms(struct record_args *args, struct err *err)
{
	struct attr_opts *attrs = &args->opts.attrs;

	for (size_t i = 0; i < args->events.evsels.nr; i++)
		attrs->event_stack_copies |=
			args->events.evsels.v[i]->request->terms.call_graph == CALL_GRAPH_DWARF;
	return attrs->event_stack_copies ? find_user_regs(attrs, err) : 0;
}

/*
 * Samples that are written long after they were taken are unwound by the report, which has the maps of every
 * moment; and registers that the user wants are not used up here.
 */
static void settle_unwinding(struct record_args *args)
{
	struct attr_opts *attrs = &args->opts.attrs;

	if (attrs->overwrite || attr_opts__overwrites(attrs, &args->events) || attrs->sampled_user_regs)
		attrs->unwind = false;
}

/* The first of what several threads cannot do, as what follows "--threads: ", or NULL. */
static const char *refuse_threads(const struct record_args *args)
{
	const struct recorder_opts *o = &args->opts;

	if (!strcmp(args->output, "-"))
		return "a pipe takes no data directory: name one with -o";
	if (o->target.per_thread)
		return "the rings of --per-thread belong to no CPU: leave out one of the two";
	if (o->attrs.overwrite || attr_opts__overwrites(&o->attrs, &args->events))
		return "rings that are overwritten are read once, at the end: leave out --overwrite";
	if (args->off_cpu)
		return "waits (--off-cpu) are found by looking at all CPUs together: leave out one of the "
		       "two";
	for (size_t i = 0; i < args->events.evsels.nr; i++)
		if (args->events.evsels.v[i]->request->watch || args->events.evsels.v[i]->request->probe)
			return "variables and functions by name are followed on all CPUs together: leave it "
			       "out";
	return NULL;
}

/* Who empties rings has no time to unwind, nor the maps of other CPUs' processes: the report does it. */
static int settle_threads(struct record_args *args)
{
	const char *reason = args->opts.threads ? refuse_threads(args) : NULL;

	if (!args->opts.threads)
		return 0;
	if (reason)
		return error__say("--threads: %s", reason), -EINVAL;
	if (args->opts.switch_output.is_on)
		warning("--threads writes one directory: --switch-output does nothing");
	args->opts.switch_output.is_on = false;
	args->opts.switch_events = NULL;
	args->opts.attrs.unwind = false;
	return 0;
}

static int complete_args(struct record_args *args, int nr_words)
{
	struct recorder_opts *o = &args->opts;
	struct err err = ERR_INIT;

	if (args->count && args->freq_given)
		return error__say("-c and -F exclude each other"), -EINVAL;
	o->attrs.period = args->count;
	o->attrs.freq_given = args->freq_given;
	if (settle_freq(args))
		return -EINVAL;
	o->target.has_workload = nr_words > 0;
	if (!nr_words && !o->target.pids && !o->target.tids && !o->target.user && !o->target.cpus)
		o->target.system_wide = true; /* until Ctrl-C */
	if (event_cgroups__any(&args->events) && !o->target.system_wide && !o->target.cpus)
		return error__say("-G counts on processors, whoever runs there: add -a"), -EINVAL;
	o->attrs.no_build_ids = args->no_build_id;
	o->no_build_id_table = args->build_id_mmap;
	o->store_names = !args->no_embed;
	if (!args->output)
		args->output = stdout_is_pipe() && !o->switch_output.is_on && !o->threads ? "-" : "perf.data";
	if (!strcmp(args->output, "-") && isatty(STDOUT_FILENO))
		return error__say("a recording is not for a terminal: use -o FILE, or pipe it"), -EINVAL;
	if (o->attrs.no_user_callchains) { /* nothing to unwind */
		o->attrs.stack_copy = 0;
		o->attrs.unwind = false;
	}
	if (settle_threads(args))
		return -EINVAL;
	settle_unwinding(args);
	o->attrs.leaf_regs = attr_args__own_arch() ? attr_args__own_arch()->perf_link : 0;
	choose_ring_size(args);
	if (args->group && args->events.evsels.nr)
		evlist__group(&args->events, 0, args->events.evsels.nr);
	if (complete_terms(args, &err)) {
		error__print(&err);
		err__exit(&err);
		return -EINVAL;
	}
	if (!args->events.evsels.nr)
		parse_default_event(&args->events);
	if (args->off_cpu)
		add_off_cpu_event(&args->events);
	return 0;
}

/* The folder of the build-id cache; NULL when nothing is to be left there. The caller's. */
static char *build_id_cache(const struct record_args *args)
{
	char *dir = args->no_build_id || args->build_id_mmap || args->no_cache ? NULL : perf__buildid_dir();
	char *slash = dir ? strrchr(dir, '/') : NULL, *parent;
	struct stat st;
	bool is_ours;

	if (!dir)
		return NULL;
	/* Root with the environment of a user leaves nothing that the user cannot delete. */
	parent = slash > dir ? xasprintf("%.*s", (int)(slash - dir), dir) : xstrdup(slash ? "/" : ".");
	is_ours = !stat(dir, &st) || !stat(parent, &st) ? st.st_uid == geteuid() : false;
	free(parent);
	if (is_ours)
		return dir;
	free(dir);
	return NULL;
}

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

/*
 * The size of rings to type after -m, in pages: four times the present one, or what may be locked. 0: no
 * larger ones.
 */
static u32 larger_rings(u32 pages)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), limit = limits__ring_bytes();
	u32 most = 1;

	while (most < RING_PAGES_MAX && (u64)most * 2 * page + page <= limit)
		most *= 2;
	return pages < most ? MIN(pages * 4, most) : 0;
}

static void print_load(const struct record_args *args, const struct recorder_result *r)
{
	const struct unwind_stats stats = { .nr = r->chains, .smaller = r->smaller, .no_copy = r->no_copy };
	u32 pages = larger_rings(args->opts.pages);
	struct strbuf load = STRBUF_INIT;

	unwind_stats__add_load(&stats, &load);
	strbuf__addstr(&load, ": sample less often with -F, or give ");
	if (pages)
		strbuf__addf(&load, "larger buffers with -m %u and ", pages);
	else
		strbuf__addstr(&load, "a larger buffer with ");
	info("[ perf record: Call chains: %s--unwind-buffer %lluK ]", load.buf,
	     (unsigned long long)args->opts.unwind_buffer * 4 >> 10);
	strbuf__exit(&load);
}

static void print_summary(const struct record_args *args, const struct recorder_result *r)
{
	const char *path = args->opts.output, *last_file = left_files__last(&r->files);
	struct strbuf how = STRBUF_INIT;

	if (r->at_max_size)
		info("[ perf record: perf size limit reached (%llu KB), stopping session ]",
		     (unsigned long long)r->bytes / 1024);
	info("[ perf record: Woken up %llu times to write data ]", (unsigned long long)r->wakeups);
	if (r->samples && strcmp(path, "-"))
		strbuf__addf(&how, " (%llu samples)", (unsigned long long)r->samples);
	if (args->opts.compression && r->bytes)
		strbuf__addf(&how, ", compressed (original %.3f MB, ratio is %.3f)",
			     (double)r->unpacked / 1024 / 1024, (double)r->unpacked / (double)r->bytes);
	if (last_file)
		info("[ perf record: Dump %s ]", last_file);
	info("[ perf record: Captured and wrote %.3f MB %s%s%s ]", (double)r->bytes / 1024 / 1024, path,
	     last_file ? ".<timestamp>" : "", how.buf);
	if (r->smaller || r->no_copy)
		print_load(args, r);
	print_losses(&r->losses);
	if (r->blocked_ms >= BLOCKED_WORTH_MS && (losses__total(&r->losses) || args->verbose))
		info("[ perf record: Writing took so long that buffers were not emptied for %.1f s: write "
		     "elsewhere, compress with -z, or give more room with --write-buffer %lluM ]",
		     (double)r->blocked_ms / 1000, (unsigned long long)args->opts.write_buffer * 4 >> 20);
	strbuf__exit(&how);
}

/*
 * The file is finished and good whatever happens here: the user may interrupt it, and a failure is not that
 * of the recording.
 */
static void embed_names(const char *path, const struct recorder_result *r)
{
	bool takes_long = r->bytes > MANY_BYTES;
	char *cache = perf__buildid_dir();
	const struct embed_opts opts = { .buildid_dir = cache,
					 .nr_threads = takes_long ? (unsigned)limits__nr_cpus() : 1 };
	struct names_summary stored;
	struct err err = ERR_INIT;

	if (takes_long) /* and is in no hurry */
		setpriority(PRIO_PROCESS, 0, r->priority_before);
	signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write */
	if (embed__names(path, &opts, &stored, &err)) {
		err__prefix(&err, "the names of functions are not stored in the recording");
		warning("%s", err.text.buf);
	} else {
		debug(1, "embed",
		      "stored the names of %u functions of %u binaries, %llu bytes; %u are left out",
		      stored.nr_symbols, stored.nr_dsos, (unsigned long long)stored.size, stored.nr_left_out);
	}
	err__exit(&err);
	free(cache);
}

/* Of a row of files only now: each switch is to be short. The newest first, as far as the user will wait. */
static void embed_all_names(const char *path, const struct recorder_result *r)
{
	u64 end = clock__ns() + (u64)EMBED_SECONDS * NS_PER_SECOND;
	size_t nr = r->files.names.nr;

	if (!nr)
		embed_names(path, r);
	while (nr && clock__ns() < end)
		embed_names(r->files.names.v[--nr], r);
	if (nr)
		warning("the names of functions are not stored in the %zu oldest files: it would take long",
			nr);
}

static int run(struct record_args *args, char *const *argv)
{
	struct recorder_result result;
	struct err err = ERR_INIT;
	char *stamped = NULL, *cache = build_id_cache(args);
	int ret;

	args->opts.output = args->output;
	args->opts.build_id_cache = cache;
	args->opts.tell_failure = error__print;
	if (args->timestamp_filename && !args->opts.switch_output.is_on && strcmp(args->output, "-"))
		args->opts.output = stamped = timestamped(args->output);
	ret = recorder__run(&args->events, argv, &args->opts, &result, &err);
	if (ret && !result.failure_told)
		error__print(&err);
	else if (!ret)
		print_summary(args, &result);
	if (!ret && result.wants_names)
		embed_all_names(args->opts.output, &result);
	err__exit(&err);
	left_files__exit(&result.files);
	losses__exit(&result.losses);
	free(stamped);
	free(cache);
	if (!ret && result.interrupted) {
		/* Whoever waits for us shall see what ended us. */
		signal(result.signo, SIG_DFL);
		raise(result.signo);
	}
	if (ret)
		return result.exit_status ? result.exit_status : 1;
	return result.exit_status;
}

static int list_registers(void)
{
	struct strbuf names = STRBUF_INIT;

	attr_args__add_reg_names(&names);
	printf("available registers: %s\n", names.buf);
	strbuf__exit(&names);
	return 0;
}

int cmd_record(int argc, const char **argv)
{
	static const char *const usage[] = { "perf record [<options>] [<command>]",
					     "perf record [<options>] -- <command> [<options>]", NULL };
	struct record_args args = {
		.opts = { .attrs.freq = USUAL_SAMPLE_RATE,
			  .unwind_buffer = UNWIND_BUFFER_DEFAULT,
			  .write_buffer = WRITE_BUFFER_DEFAULT,
			  .host = { .version = perf__version } },
	};
	struct attr_opts *attrs = &args.opts.attrs;
	struct target_opts *target = &args.opts.target;
	const struct option options[] = {
		OPT_CALLBACK(0, "affinity", &args.opts.affinity, "sys, node or cpu",
			     "empty each buffer on its CPU, or on a CPU of its node", affinity__parse_option),
		OPT_CALLBACK_OPTARG(0, "aio", NULL, "n", "write while recording goes on (always done)",
				    aio__parse, "1"),
		OPT_BOOL('a', "all-cpus", &target->system_wide, "record everything on all CPUs"),
		OPT_BOOL(0, "all-cgroups", &attrs->cgroups, "record which cgroup each sample is of"),
		OPT_BOOL(0, "all-kernel", &attrs->all_kernel, "leave out user space, for all events"),
		OPT_BOOL(0, "all-user", &attrs->all_user, "leave out the kernel, for all events"),
		OPT_CALLBACK_OPTARG(0, "aux-sample", &args, "opts", "sample AUX areas (not supported)",
				    refuse_aux, ""),
		OPT_CALLBACK_NOARG('b', "branch-any", attrs, "record the branches that were taken last",
				   attr_args__branches),
		OPT_BOOL('B', "no-buildid", &args.no_build_id, "do not collect build-ids"),
		OPT_BOOL(0, "buildid-all", &args.build_id_all, "write the build-ids of all mapped binaries"),
		OPT_BOOL(0, "buildid-mmap", &args.build_id_mmap, "write build-ids in the mmap records only"),
		OPT_U64('c', "count", &args.count, "n", "sample every n events"),
		OPT_CALLBACK(0, "call-graph", &args, "mode",
			     "record call chains:\n"
			     "auto[,SIZE]: unwound while recording; fp: frame pointers\n"
			     "dwarf[,SIZE]: stack copies; lbr: the processor's branch stack; no: none",
			     parse_call_graph),
		OPT_BITS(0, "code-page-size", &attrs->sample_bits, SAMPLE_CODE_PAGE_SIZE,
			 "record the size of the page that the code is in"),
		OPT_STRING('C', "cpu", &target->cpus, "list", "record on these CPUs only, such as 0-3,8"),
		OPT_BOOL('d', "data", &attrs->addresses, "record the addresses of accessed data"),
		OPT_BOOL(0, "data-mmap", &attrs->data_maps, "record mappings without code, too"),
		OPT_BITS(0, "data-page-size", &attrs->sample_bits, SAMPLE_DATA_PAGE_SIZE,
			 "record the size of the page that the data is in"),
		OPT_STRING_OPTARG(0, "debuginfod", &args.unused_text, "urls",
				  "accepted; give this option to perf report", ""),
		OPT_BOOL(0, "dry-run", &args.dry_run, "check the options, then exit"),
		OPT_STRING(0, "control", &args.opts.control, "fd:ctl[,ack] or fifo:ctl[,ack]",
			   "take commands: enable, disable, evlist, snapshot, stop, ping"),
		OPT_CALLBACK('D', "delay", &args, "ms",
			     "wait before sampling; -1: start with events off; 10-20,30-40: windows",
			     parse_delay),
		OPT_CALLBACK('e', "event", &args, "event", "what to sample, such as cycles:u,page-faults",
			     parse_event_option),
		OPT_BOOL(0, "exclude-perf", &args.opts.exclude_self, "leave out samples of perf itself"),
		OPT_CALLBACK(0, "filter", &args, "filter", "drop samples of the last -e that do not match",
			     parse_filter),
		OPT_CALLBACK('F', "freq", &args, "freq or 'max'", "samples a second (4000)", parse_freq),
		OPT_CALLBACK_NOARG('g', NULL, &args, "record call chains", parse_call_graph),
		OPT_CALLBACK('G', "cgroup", &args, "name",
			     "count only tasks of this control group, for the events before it",
			     parse_cgroup),
		OPT_BOOL(0, "group", &args.group, "count all events as one group"),
		OPT_BOOL('i', "no-inherit", &attrs->no_inherit, "leave out child processes and new threads"),
		OPT_CALLBACK('k', "clockid", attrs, "clock", "use this clock for timestamps, such as mono",
			     attr_args__clock),
		OPT_CALLBACK_OPTARG('I', "intr-regs", attrs, "registers",
				    "record registers at the event: ip,sp...; ? lists them",
				    attr_args__intr_regs, ""),
		OPT_CALLBACK('j', "branch-filter", attrs, "kinds",
			     "record branches of these kinds, such as any_call,u", attr_args__branches),
		OPT_BOOL(0, "kernel-callchains", &attrs->no_user_callchains,
			 "call chains of the kernel only"),
		OPT_CALLBACK('m', "mmap-pages", &args, "pages", "size of each ring buffer, in pages or as 1M",
			     parse_pages),
		OPT_CALLBACK(0, "max-size", &args, "size", "end the recording at this size", parse_max_size),
		OPT_BOOL(0, "latency", &attrs->switch_events, "as --switch-events"),
		OPT_BOOL(0, "namespaces", &attrs->namespaces, "record which namespaces processes are in"),
		OPT_BOOL(0, "no-bpf-event", &attrs->no_bpf_events,
			 "do not record when BPF programs are loaded and unloaded"),
		OPT_UINT(0, "num-thread-synthesize", &args.unused_number, "n",
			 "accepted; perf chooses the number of threads"),
		OPT_BOOL('N', "no-buildid-cache", &args.no_cache, "leave the build-id cache alone"),
		OPT_CALLBACK(0, "mmap-flush", &args.opts.flush_bytes, "size",
			     "read the ring buffers when one of them holds this much", mmap_flush__parse),
		OPT_BOOL(0, "no-buffering", &attrs->no_buffering, "write each sample at once"),
		OPT_BOOL('n', "no-samples", &attrs->no_samples, "do not sample"),
		OPT_BOOL(0, "no-embed", &args.no_embed, "do not store the names of functions in the file"),
		/* stock perf's manual takes back with these what --switch-output implies there */
		{ OPT_TYPED_(OPTION_BOOL_INV, &args.no_build_id, bool), .name = "no-no-buildid",
		  .flags = OPTION_HIDDEN | OPTION_NONEG },
		{ OPT_TYPED_(OPTION_BOOL_INV, &args.no_cache, bool), .name = "no-no-buildid-cache",
		  .flags = OPTION_HIDDEN | OPTION_NONEG },
		OPT_STRING('o', "output", &args.output, "file",
			   "where to write (perf.data; - is standard output)"),
		OPT_BOOL(0, "overwrite", &attrs->overwrite,
			 "keep only the newest records in the ring buffers, write them on request"),
		OPT_BOOL('P', "period", &attrs->want_period, "record the period of each sample"),
		OPT_BOOL(0, "per-thread", &target->per_thread, "a ring buffer per thread, not per CPU"),
		OPT_BOOL(0, "off-cpu", &args.off_cpu, "also record where threads wait, and for how long"),
		OPT_UINT(0, "off-cpu-thresh", &args.unused_number, "ms", "accepted; each wait is a sample"),
		OPT_BITS(0, "phys-data", &attrs->sample_bits, PERF_SAMPLE_PHYS_ADDR,
			 "record the physical addresses of accessed data"),
		OPT_UINT(0, "proc-map-timeout", &args.unused_number, "ms",
			 "accepted; there is no limit of time"),
		OPT_CALLBACK(0, "pfm-events", &args, "event",
			     "what to sample, by the vendors' names (libpfm4)", parse_pfm_option),
		OPT_STRING('p', "pid", &target->pids, "pid", "record these processes"),
		OPT_BOOL('q', "quiet", &args.quiet, "print errors only"),
		OPT_INT('r', "realtime", &args.opts.realtime, "n",
			"empty the buffers with this real-time priority (SCHED_FIFO)"),
		OPT_BOOL('R', "raw-samples", &attrs->raw, "record raw data of the events"),
		OPT_BOOL(0, "running-time", &attrs->running_time,
			 "record how long the events of :S groups were counting"),
		OPT_BOOL(0, "sample-cpu", &attrs->cpu, "record the CPU of each sample"),
		OPT_BITS(0, "sample-identifier", &attrs->sample_bits, PERF_SAMPLE_IDENTIFIER,
			 "record the id of the event with each sample"),
		OPT_BITS(0, "sample-mem-info", &attrs->sample_bits, PERF_SAMPLE_DATA_SRC,
			 "record where accessed data came from"),
		OPT_CALLBACK_OPTARG('S', "snapshot", &args, "opts",
				    "take snapshots of AUX areas (not supported)", refuse_aux, ""),
		OPT_BOOL(0, "strict-freq", &args.strict_freq,
			 "fail if the kernel does not allow the frequency"),
		OPT_BOOL(0, "switch-events", &attrs->switch_events, "record when tasks are switched"),
		OPT_BOOL('s', "stat", &attrs->thread_stat,
			 "also write the event counts of each thread when it ends"),
		OPT_CALLBACK_OPTARG(0, "switch-output", &args, "signal or size or time",
				    "begin a new file on SIGUSR2, at a size (10M) or after a time (5m)",
				    parse_switch_output, "signal"),
		OPT_CALLBACK(0, "switch-output-event", &args, "event",
			     "begin a new file when this event occurs", parse_switch_event),
		OPT_UINT(0, "switch-max-files", &args.opts.switch_max_files, "n",
			 "keep the newest n of these files"),
		OPT_CALLBACK(0, "synth", &args, "what",
			     "what to describe at the start: all, no, or some of task,mmap,cgroup",
			     parse_synth),
		OPT_BOOL(0, "tail-synthesize", &args.opts.tail_synthesize,
			 "describe existing processes at the end, not at the beginning"),
		OPT_CALLBACK_OPTARG(0, "threads", &args, "spec",
				    "empty each ring buffer with a thread of its own, into a directory\n"
				    "(cpu, core, package, numa, CPUS/CPUS:... are accepted)",
				    parse_threads, "cpu"),
		OPT_STRING('t', "tid", &target->tids, "tid", "record these threads"),
		OPT_BOOL('T', "timestamp", &args.unused, "record the time of each sample (always done)"),
		OPT_BOOL(0, "timestamp-boundary", &args.unused,
			 "record the times of the first and the last sample (always done)"),
		OPT_BOOL(0, "timestamp-filename", &args.timestamp_filename,
			 "append date and time to the file's name"),
		OPT_BITS(0, "transaction", &attrs->sample_bits, PERF_SAMPLE_TRANSACTION,
			 "record the flags of transactions"),
		OPT_CALLBACK(0, "unwind-buffer", &args, "size",
			     "room for samples that wait to be unwound (32M)", parse_unwind_buffer),
		OPT_STRING('u', "uid", &target->user, "user", "record the processes of this user"),
		OPT_BOOL(0, "user-callchains", &attrs->no_kernel_callchains,
			 "call chains of user space only"),
		OPT_CALLBACK_OPTARG(0, "user-regs", attrs, "registers",
				    "record registers of user space: ip,sp...; ? lists them",
				    attr_args__user_regs, ""),
		OPT_STRING(0, "vmlinux", &args.unused_text, "file",
			   "accepted; give this option to perf report"),
		OPT_BITS('W', "weight", &attrs->sample_bits, SAMPLE_WEIGHT_STRUCT,
			 "record the weight of samples: latency, for events that have one"),
		OPT_INCR('v', "verbose", &args.verbose, "say more"),
		OPT_CALLBACK(0, "write-buffer", &args.opts.write_buffer, "size",
			     "room for records that wait for a slow disk (64M)", write_buffer__parse),
		OPT_CALLBACK_OPTARG('z', "compression-level", &args.opts.compression, "n",
				    "compress records: 1 (fast) to 22 (small), 0: not at all",
				    compression__parse, "1"),
		OPT_END(),
	};
	const char **words;
	int nr, ret;

	/* The command line goes into the file as it was typed; parsing moves it. */
	words = xreallocarray(NULL, (size_t)argc + 1, sizeof(*argv));
	words[0] = "perf";
	memcpy(words + 1, argv, (size_t)argc * sizeof(*argv));
	args.opts.host.argv = words;
	args.opts.host.argc = argc + 1;
	evlist__init(&args.events);
	evlist__init(&args.switch_events);
	nr = perf__parse_options(options, usage, OPTIONS_STOP_AT_NON_OPTION, argc, argv);
	if (nr < 0) {
		ret = -nr;
	} else if (args.list) {
		ret = cmd_list(1, (const char *[]){ "list", NULL });
	} else if (attrs->list_regs) {
		ret = list_registers();
	} else {
		msg__set_level(args.quiet ? MSG_QUIET : args.verbose);
		ret = complete_args(&args, nr) ? EXIT_USAGE : 0;
		if (!ret && !args.dry_run)
			ret = run(&args, nr ? (char *const *)argv : NULL);
	}
	evlist__exit(&args.events);
	evlist__exit(&args.switch_events);
	delay__exit(&args.opts.delay);
	free(words);
	return ret;
}
