/*
 * A pipe is printed as it arrives: what is complete after a round of the recorder, every now and then.
 *
 * Addresses are looked up in the side-band records until then. A model of them is made anew for each time
 * that something is printed, and that is done seldom enough to take no more than a tenth of the time. A
 * pipe that brings much at once, such as a file, is not printed here but in the usual way, which is faster.
 */
#include "script/script_private.h"

#include "base/system/clock.h"
#include "base/system/file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PAUSE_NS = 100 * NS_PER_MS, /* at least, between two times */
	COST_SHARE = 10,            /* one in so many ns is for printing */
	BULK_BYTES = 8 << 20,       /* waiting at first: this is a file */
	WAITING_MAX = 32 << 20,     /* bytes: print without a pause */
	OUT_BYTES = 64 << 10,
};

struct live_record {
	u64 time;
	size_t at; /* in bytes */
};

struct script_live {
	struct script *s;
	struct symbolize_opts symbols;
	struct strbuf side_band; /* records so far */
	struct strbuf bytes;     /* records that wait to be printed */
	ARRAY(struct live_record) records;
	u64 newest, limit; /* times, as in format/read/order.h */
	u64 due;           /* by the clock */
	bool is_bulk, has_printed;
	size_t nr_events; /* that fields were chosen for */
	int ret;
};

/* ---- printing ---- */

static int compare_records(const void *a, const void *b)
{
	const struct live_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The reader of our output is gone: end as a program in a pipe does. */
static void end_without_reader(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
}

static void script_live__write(struct script_live *l, struct strbuf *out)
{
	if (!l->ret)
		l->ret = file__write_all(STDOUT_FILENO, out->buf, out->len);
	if (l->ret == -EPIPE)
		end_without_reader();
	else if (l->ret && !l->s->err.code)
		err__set(&l->s->err, l->ret, "cannot write the output: %s", err__str(l->ret));
	strbuf__reset(out);
}

/* Print the first nr records, looked up in s->session. */
static void script_live__print_records(struct script_live *l, size_t nr)
{
	struct script_worker *w;
	struct strbuf out = STRBUF_INIT;
	dump_items items = { 0 };

	script__begin_names(l->s);
	w = script_worker__new(l->s);
	for (size_t i = 0; i < nr && !l->ret; i++) {
		const struct ordered_record r = {
			.record = { .header = (const void *)(l->bytes.buf + l->records.v[i].at) },
			.time = l->records.v[i].time,
		};

		items.nr = 0;
		script__look_at(l->s, &r, &items);
		for (size_t k = 0; k < items.nr; k++)
			script_item__add_text(w, &items.v[k], &out);
		if (out.len > OUT_BYTES)
			script_live__write(l, &out);
	}
	script_live__write(l, &out);
	array__exit(&items);
	strbuf__exit(&out);
	script_worker__delete(w);
	script__end_names(l->s);
}

/* Keep the records from nr on. */
static void script_live__drop(struct script_live *l, size_t nr)
{
	struct strbuf left = STRBUF_INIT;

	for (size_t i = nr; i < l->records.nr; i++) {
		const struct perf_event_header *h = (const void *)(l->bytes.buf + l->records.v[i].at);

		l->records.v[i - nr] = (struct live_record){ l->records.v[i].time, left.len };
		strbuf__add(&left, h, ROUND_UP((size_t)h->size, (size_t)8));
	}
	l->records.nr -= nr;
	strbuf__exit(&l->bytes);
	l->bytes = left;
}

/* Print the records up to a time, in order. */
static void script_live__print(struct script_live *l, struct session *session, u64 limit)
{
	struct session *before = l->s->session;
	size_t nr;

	qsort(l->records.v, l->records.nr, sizeof(*l->records.v), compare_records);
	nr = bisect(i, 0, l->records.nr, l->records.v[i].time <= limit);
	l->s->session = session;
	if (nr && !l->has_printed) {
		l->ret = script__prepare(l->s);
		l->nr_events = session->reader->evlist.evsels.nr;
		l->has_printed = true;
	}
	if (l->nr_events != session->reader->evlist.evsels.nr && !l->ret && nr)
		l->ret = err__set(&l->s->err, -EBADMSG, "'%s': an event that comes after samples",
				  l->s->args->input);
	if (nr && !l->ret)
		script_live__print_records(l, nr);
	l->s->session = before;
	script_live__drop(l, nr);
}

/* ---- what arrives ---- */

static void script_live__add(struct script_live *l, const struct session *s,
			     const struct perf_event_header *h)
{
	static const u8 padding[8];
	u64 time = record__order_time(&s->decoder, h);

	if (machine__wants(h->type))
		strbuf__add(&l->side_band, h, h->size);
	if (h->type != PERF_RECORD_SAMPLE && !script__shows(l->s, h->type))
		return;
	if (time == UINT64_MAX)
		time = l->newest;
	l->newest = MAX(l->newest, time);
	array__add(&l->records, ((struct live_record){ time, l->bytes.len }));
	strbuf__add(&l->bytes, h, h->size);
	strbuf__add(&l->bytes, padding, ROUND_UP((size_t)h->size, (size_t)8) - h->size);
}

/* A round ended: what is not newer than the round before it is complete. */
static void script_live__end_round(struct script_live *l, struct session *s)
{
	u64 limit = l->limit, now = clock__ns();
	struct session *part;

	l->limit = l->newest;
	if ((now < l->due && l->bytes.len < WAITING_MAX) || !l->records.nr || !limit)
		return;
	part = session__of(s, &l->side_band, &l->symbols);
	script_live__print(l, part, limit);
	session__delete_part(part);
	l->due = clock__ns() + MAX((u64)PAUSE_NS, COST_SHARE * (clock__ns() - now));
}

static void script_live__take(void *ctx, struct session *s, const struct block *b)
{
	struct script_live *l = ctx;
	struct record r;
	size_t pos = 0;

	l->is_bulk |= !l->has_printed && (!b || l->bytes.len > BULK_BYTES);
	if (l->is_bulk || l->ret)
		return;
	while (block__next(b, &pos, &r)) {
		script_live__add(l, s, r.header);
		if (r.header->type == RECORD_FINISHED_ROUND)
			script_live__end_round(l, s);
	}
}

/* ---- life ---- */

struct script_live *script_live__new(struct script *s, struct session_opts *opts)
{
	const struct script_args *a = s->args;
	struct script_live *l;
	struct stat st;

	if (strcmp(a->input, "-") ? stat(a->input, &st) : fstat(STDIN_FILENO, &st))
		return NULL;
	if (!(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) || a->header || a->header_only || a->dump ||
	    a->dump_in_file_order || a->per_event_dump || a->reltime || a->deltatime || a->stitches ||
	    a->switching.on || a->switching.off || a->filter.times || a->filter.locks || a->spans.has_span ||
	    weights_args__limit_spans(&a->spans) || output_fields__asks(&a->fields, OUT_LOCKS))
		return NULL;
	l = xcalloc(1, sizeof(*l));
	*l = (struct script_live){ .s = s,
				   .symbols = opts->symbols,
				   .side_band = STRBUF_INIT,
				   .bytes = STRBUF_INIT,
				   .due = clock__ns() + PAUSE_NS };
	opts->run = script_live__take;
	opts->ctx = l;
	return l;
}

bool script_live__finish(struct script_live *l, int ret, int *status)
{
	if (!l->has_printed && !l->ret)
		return false;
	if (!ret && !l->ret)
		script_live__print(l, l->s->session, UINT64_MAX);
	*status = ret ? ret : l->ret;
	return true;
}

void script_live__delete(struct script_live *l)
{
	if (!l)
		return;
	strbuf__exit(&l->side_band);
	strbuf__exit(&l->bytes);
	array__exit(&l->records);
	free(l);
}
