/* perf script: from the options to the output. */
#include "script/script_private.h"

#include "base/command/pager.h"
#include "base/command/progress.h"
#include "base/memory/strpool.h"
#include "base/message/msg.h"
#include "base/system/output_file.h"
#include "base/system/thread.h"
#include "base/text/mask.h"
#include "format/read/features.h"
#include "profile/gather/read_locks.h"
#include "ui/dump/dump.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_INTERRUPTED = 128 + SIGINT };

/* ---- the threads that format ---- */

static const char *name_function(void *ctx, u64 address, u64 *start)
{
	struct frame_namer *n = ctx;
	struct row_space space = { .cpumode = PERF_RECORD_MISC_KERNEL, .key = PERF_RECORD_MISC_KERNEL };
	struct frame_at at;

	space.version = maps__version(&n->session->machine.kernel.maps, UINT32_MAX - 1);
	at = frame_namer__at(n, &space, address);
	*start = at.start;
	return at.symbol;
}

struct script_worker *script_worker__new(struct script *s)
{
	struct script_worker *w = xcalloc(1, sizeof(*w));
	struct err err = ERR_INIT;

	w->script = s;
	machine_cursor__init(&w->cursor, &s->session->machine);
	frame_texts__init(&w->texts, &s->namer);
	unwound__init(&w->unwound, s->session, s->args->max_stack);
	if (s->formats.len && !trace_formats__new(&w->formats, s->formats.buf, s->formats.len, &err))
		trace_formats__set_functions(w->formats, name_function, &s->namer);
	err__exit(&err);
	return w;
}

void script_worker__delete(struct script_worker *w)
{
	if (!w)
		return;
	frame_texts__exit(&w->texts);
	unwound__exit(&w->unwound);
	lbr_chains__exit(&w->stitches);
	script_code__exit(&w->code);
	trace_formats__delete(w->formats);
	free(w->records);
	free(w);
}

static void *new_worker(void *ctx)
{
	return script_worker__new(ctx);
}

static void delete_worker(void *worker)
{
	script_worker__delete(worker);
}

void script_item__add_text(void *worker, const struct dump_item *item, struct strbuf *out)
{
	struct script_sample x;

	if (item->r->record.header->type != PERF_RECORD_SAMPLE) {
		if (script__shows(((struct script_worker *)worker)->script, item->r->record.header->type))
			script_record__add(worker, item, out);
		return;
	}
	if (script_sample__begin(&x, worker, item))
		script_sample__add(&x, out);
}

/* ---- looking at records, in order ---- */

/* Add an item; times of it are relative to those before, if that is asked for. */
static void script__add_item(struct script *s, struct dump_item *item, dump_items *items)
{
	struct script_sample x;
	u64 time = item->r->time == UINT64_MAX ? 0 : item->r->time;

	if (s->look) { /* only printed samples count */
		if (item->r->record.header->type == PERF_RECORD_SAMPLE &&
		    !script_sample__begin(&x, s->look, item))
			return;
		item->time = s->base ? s->base : time;
		if (time && (s->args->deltatime || !s->base))
			s->base = time;
	}
	array__add(items, *item);
}

/*
 * A sample that reads counters is printed for each counter that has advanced: the period is by how much.
 */
static void script__add_counters(struct script *s, const struct ordered_record *r, dump_items *items)
{
	const struct evlist *l = &s->session->reader->evlist;
	struct sample sample;

	if (sample__decode(&s->session->decoder, &r->record, &sample))
		return;
	for (u64 i = 0, id, value; i < sample.read.nr; i++) {
		struct dump_item item = { .r = r };
		const struct evsel *e;

		sample__counter(&sample, i, &id, &value);
		e = id ? evlist__by_id(l, id) : sample.evsel;
		item.value = read_deltas__advance(&s->deltas, id, sample__counter_tid(&sample), value);
		if (!e || !item.value)
			continue;
		item.nr = e->idx + 1;
		script__add_item(s, &item, items);
	}
}

void script__look_at(void *ctx, const struct ordered_record *r, dump_items *items)
{
	struct script *s = ctx;
	struct dump_item item = { .r = r };
	const struct evsel *e;

	if (r->record.header->type != PERF_RECORD_SAMPLE) {
		if (script__shows(s, r->record.header->type))
			script__add_item(s, &item, items);
		return;
	}
	e = sample_decoder__evsel(&s->session->decoder, &r->record);
	if (e && e->attr.sample_type & PERF_SAMPLE_READ && e->attr.read_format & PERF_FORMAT_ID)
		script__add_counters(s, r, items);
	else
		script__add_item(s, &item, items);
}

/* ---- preparing ---- */

static void script__prepare_names(struct script *s, const struct evlist *l)
{
	int width = 0;

	for (size_t i = 0; i < l->evsels.nr; i++)
		width = MAX(width, (int)strlen(l->evsels.v[i]->name));
	for (size_t i = 0; i < l->evsels.nr; i++) {
		struct strbuf name = STRBUF_INIT;

		strbuf__addf(&name, "%*s: ", width, l->evsels.v[i]->name);
		mask_controls(name.buf, name.len, NULL);
		array__add(&s->names, name);
	}
}

static int script__prepare_events(struct script *s)
{
	const struct evlist *l = &s->session->reader->evlist;
	struct disasm *disasm = NULL;
	int ret;

	s->fields = xcalloc(l->evsels.nr + 1, sizeof(*s->fields));
	script__prepare_names(s, l);
	s->has_chains = !s->args->no_chains && evlist__sample_type_any(l) & PERF_SAMPLE_CALLCHAIN;
	ret = output_fields__resolve(&s->args->fields, l, s->fields, &s->err);
	for (size_t i = 0; i < l->evsels.nr; i++)
		s->any_fields |= s->fields[i];
	if (!ret && s->any_fields & OUT_CODE) {
		ret = disasm__new(&disasm, EM_X86_64, false, DISASM_ATT, &s->err);
		disasm__delete(disasm);
	}
	return ret;
}

/* Numbers among the names of -S are addresses. */
static void script__find_addrs(struct script *s)
{
	const struct name_list *l = &s->filter.symbols;

	for (size_t i = 0; i < l->v.nr; i++) {
		char *end;
		u64 addr = strtoull(l->v.v[i], &end, 16);

		if (end != l->v.v[i] && !*end)
			array__add(&s->addrs, addr);
	}
}

static int script__prepare_filter(struct script *s)
{
	const struct script_args *a = s->args;
	struct time_spans spans = { 0 };
	int ret = sample_filter__parse(&s->filter, &a->filter, s->session, &s->err);

	if (!ret)
		ret = weights_args__choose_spans(&a->spans, s->session, &s->filter, &s->err);
	if (!ret && (a->switching.on || a->switching.off)) {
		ret = switched__find(&spans, s->session, &a->switching, &s->err);
		if (!ret)
			sample_filter__add_times(&s->filter, &spans);
		time_spans__exit(&spans);
	}
	if (!ret && a->stops)
		ret = name_list__parse(&s->stops, a->stops, &s->err);
	script__find_addrs(s);
	if (!ret)
		sample_filter__tell_spans(&s->filter, false);
	return ret;
}

void script__begin_names(struct script *s)
{
	const struct script_args *a = s->args;
	const struct places_opts places = { .inlines = !a->no_inlines,
					    .lines = s->any_fields & OUT(SRCLINE),
					    .full_paths = a->full_paths };

	s->namer.show_kernel_path = a->show_kernel_path;
	s->namer.stops = &s->stops;
	frame_namer__init(&s->namer, s->session, &places);
	if (evlist__has_tracepoints(&s->session->reader->evlist) &&
	    reader__feature(s->session->reader, FEATURE_TRACING_DATA, &s->formats))
		strbuf__reset(&s->formats);
	dump_format__init(&s->records, s->session, true);
}

void script__end_names(struct script *s)
{
	if (s->records.sources) {
		dump_format__exit(&s->records);
		frame_namer__exit(&s->namer);
	}
	s->records.sources = NULL;
}

/* ---- running ---- */

static int nr_interrupts; /* for the signal handler */

static void count_interrupt(int sig)
{
	(void)sig;
	__atomic_fetch_add(&nr_interrupts, 1, __ATOMIC_RELAXED);
}

/*
 * Return the number of threads. One thread must print text that depends on earlier samples: source lines,
 * which are printed where they change, and stitched chains.
 */
static unsigned script__nr_threads(const struct script *s)
{
	return s->any_fields & OUT(SRCCODE) || s->args->stitches ? 1 : thread__count(s->args->threads);
}

/* Print to fd. */
static int script__print(struct script *s, int fd)
{
	const struct reader *r = s->session->reader;
	const struct dump_pipeline_opts opts = {
		.session = s->session,
		.file_order = !r->is_pipe && !evlist__sample_id_all(&r->evlist),
		.look_at = script__look_at,
		.ctx = s,
		.worker_new = new_worker,
		.add_text = script_item__add_text,
		.worker_delete = delete_worker,
		.fd = fd,
		.nr_threads = script__nr_threads(s),
	};
	int ret;

	s->base = 0;
	if (s->args->deltatime || s->args->reltime)
		s->look = script_worker__new(s);
	ret = dump_pipeline__run(&opts, &s->err);
	script_worker__delete(s->look);
	s->look = NULL;
	read_deltas__exit(&s->deltas);
	s->deltas = (struct read_deltas){ 0 };
	return ret;
}

/* Move an existing file or link away, as record does. */
static int keep_old(const char *path, struct err *err)
{
	char *old = xasprintf("%s.old", path);
	struct stat st;
	int ret = 0;

	if (!lstat(path, &st) && !S_ISDIR(st.st_mode) && rename(path, old))
		ret = err__set(err, -errno, "cannot keep the existing '%s' as '%s': %s", path, old,
			       strerror(errno));
	free(old);
	return ret;
}

/* --per-event-dump: a file for each event, beside the recording. */
static int script__print_event(struct script *s, u32 event, const char *path)
{
	struct output_file out;
	int ret = keep_old(path, &s->err), closed;

	if (!ret)
		ret = output_file__open(&out, path, s->session->reader->output_mode, &s->err);
	if (ret)
		return ret;
	s->only_event = event;
	ret = script__print(s, out.fd);
	closed = output_file__close(&out, !ret, ret ? NULL : &s->err);
	ret = ret ? ret : closed;
	if (!ret)
		printf("wrote '%s'\n", path);
	return ret;
}

/*
 * Return the name of an event's file, which the caller frees: "RECORDING.EVENT.dump", without what nr
 * adds.
 */
static char *dump_path(const struct reader *r, u32 event, unsigned nr)
{
	struct strbuf path = STRBUF_INIT;

	strbuf__addf(&path, "%s.", r->path);
	for (const char *c = r->evlist.evsels.v[event]->name; *c; c++)
		strbuf__addch(&path, *c == '/' || (unsigned char)*c < ' ' || *c == 127 ? '_' : *c);
	if (nr > 1)
		strbuf__addf(&path, ".%u", nr);
	strbuf__addstr(&path, ".dump");
	return strbuf__detach(&path);
}

/* Events of one name get numbers: the second one is EVENT.2. */
static int script__print_events(struct script *s)
{
	const struct reader *r = s->session->reader;
	struct strpool paths;
	int ret = 0;

	strpool__init(&paths);
	for (u32 i = 0; i < r->evlist.evsels.nr && !ret; i++) {
		unsigned nr = 1;
		char *path = dump_path(r, i, nr);

		while (strpool__find(&paths, path) != UINT32_MAX) {
			free(path);
			path = dump_path(r, i, ++nr);
		}
		strpool__intern(&paths, path);
		ret = script__print_event(s, i, path);
		free(path);
	}
	strpool__exit(&paths);
	return ret;
}

/* -D: records, each sample followed by its text. */
static int script__dump(struct script *s)
{
	const struct dump_opts opts = { .file_order = s->args->dump_in_file_order,
					.no_hint = true,
					.no_stats = true,
					.nr_threads = script__nr_threads(s),
					.more = { new_worker, script_item__add_text, delete_worker, s } };

	return dump__run(s->session, &opts, STDOUT_FILENO, &s->err);
}

static void script__print_header(const struct script *s)
{
	struct strbuf header = STRBUF_INIT;

	if (s->args->header || s->args->header_only)
		features__print(s->session->reader, s->args->full_header, &header);
	fputs(header.buf, stdout);
	fflush(stdout);
	strbuf__exit(&header);
}

int script__prepare(struct script *s)
{
	int ret = script__prepare_events(s);

	if (!ret)
		ret = script__prepare_filter(s);
	if (!ret && (s->any_fields & OUT_LOCKS || s->filter.locks.given))
		ret = locks__read(&s->locks, s->session, &s->err);
	return ret;
}

static int script__run(struct script *s)
{
	const struct script_args *a = s->args;
	int ret;

	script__print_header(s);
	if (a->header_only)
		return 0;
	ret = script__prepare(s);
	if (ret)
		return ret;
	script__begin_names(s);
	if (a->dump || a->dump_in_file_order)
		ret = script__dump(s);
	else
		ret = a->per_event_dump ? script__print_events(s) : script__print(s, STDOUT_FILENO);
	symbolizer__wait(&s->session->symbolizer);
	return ret;
}

static int script__open_and_run(struct script *s, struct session_opts *opts, struct pager *pager)
{
	struct script_live *live = script_live__new(s, opts);
	int ret = session__open(&s->session, s->args->input, opts, &s->err);
	bool is_live = live && script_live__finish(live, ret, &ret);

	script_live__delete(live);
	if (ret || is_live)
		return ret;
	if (!s->args->per_event_dump)
		pager__start(pager);
	return script__run(s);
}

static void script__exit(struct script *s)
{
	script__end_names(s);
	sample_filter__exit(&s->filter);
	name_list__exit(&s->stops);
	locks__exit(&s->locks);
	array__exit(&s->addrs);
	strbuf__exit(&s->formats);
	for (size_t i = 0; i < s->names.nr; i++)
		strbuf__exit(&s->names.v[i]);
	array__exit(&s->names);
	free(s->fields);
	session__delete(s->session);
	err__exit(&s->err);
}

/* Report damage in the file last, after the output. */
static int script__finish(struct script *s, int ret)
{
	if (ret == -EPIPE)
		return 0; /* the reader of the pipe closed it */
	if (ret) {
		error__print(&s->err);
		return ret == -EINTR ? EXIT_INTERRUPTED : 1;
	}
	if (s->session->reader->stopped) {
		warning("interrupted: the output is of what was read of '%s' until then",
			s->session->reader->path);
		return EXIT_INTERRUPTED;
	}
	return session__tell_damage(s->session) ? 1 : 0;
}

int script__main(const struct script_args *a)
{
	const struct sigaction action = { .sa_handler = count_interrupt, .sa_flags = SA_RESTART };
	struct session_opts opts = {
		.symbols = a->symbols,
		.header_only = a->header_only,
		.reader = { .stop = &nr_interrupts, .nr_threads = thread__count(a->threads) },
	};
	struct script s = { .args = a, .only_event = UINT32_MAX, .formats = STRBUF_INIT, .err = ERR_INIT };
	struct pager pager = PAGER_INIT;
	struct sigaction now;
	int ret;

	if (!sigaction(SIGINT, NULL, &now) && now.sa_handler == SIG_DFL)
		sigaction(SIGINT, &action, NULL);
	ret = script__open_and_run(&s, &opts, &pager);
	fflush(stdout);
	pager__finish(&pager);
	ret = script__finish(&s, ret);
	script__exit(&s);
	return ret;
}
