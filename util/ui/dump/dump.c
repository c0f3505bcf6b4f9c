#include "ui/dump/dump.h"

#include "base/system/file.h"
#include "ui/dump/dump_record.h"

#include <linux/perf_event.h>

typedef unsigned long long ull;

struct dump {
	struct session *session;
	int fd;
	struct err *err;
	struct dump_format format;
	struct dump_more more;
	struct strbuf out; /* text that is not part of one record */

	u32 nr_attrs;         /* HEADER_ATTR records so far: events known so far in a pipe */
	u8 prefix;            /* enum dump_prefix */
	bool counts_branches; /* count a sample once for each of its branches */

	u64 nr_records, nr_unknown;
	u64 by_type[RECORD_TYPE_MAX];
	u64 *by_event; /* samples by evsel idx */
	u64 *counters; /* last value read, by place in the evlist's id_map */
};

static int dump__write(struct dump *d)
{
	int ret = file__write_all(d->fd, d->out.buf, d->out.len);

	strbuf__reset(&d->out);
	return ret ? err__set(d->err, ret, "cannot write the dump: %s", err__str(ret)) : 0;
}

/* Set the prefix of the following lines: the fields that all events so far record. */
static void dump__set_prefix(struct dump *d)
{
	const struct evlist *l = &d->session->reader->evlist;
	size_t nr = d->session->reader->is_pipe ? MIN((size_t)d->nr_attrs, l->evsels.nr) : l->evsels.nr;
	u64 type = 0;

	for (size_t i = 0; i < nr; i++)
		type |= l->evsels.v[i]->attr.sample_type;
	d->prefix = (type & PERF_SAMPLE_CPU ? DUMP_CPU : 0) | (type & PERF_SAMPLE_TIME ? DUMP_TIME : 0);
	if (!nr || !l->evsels.v[0]->attr.sample_id_all)
		d->prefix |= DUMP_NO_ID;
}

/* Return the id's index in id_map, or -1. Unlike evlist__by_id, a single event has only its own id. */
static ssize_t evlist__id_place(const struct evlist *l, u64 id)
{
	u32 i;

	hash_table__for_each (&l->by_id, hash__u64(id), i)
		if (l->id_map.v[i].id == id)
			return i;
	return -1;
}

/* A sample that reads counters counts for each event whose counter has changed. Return their number. */
static u32 dump__count_read(struct dump *d, const struct sample *s)
{
	const struct evlist *l = &d->session->reader->evlist;
	bool group = s->evsel->attr.read_format & PERF_FORMAT_GROUP;
	const u64 *v = s->read.values;
	u32 nr = 0;

	for (u64 i = 0; i < s->read.nr; i++, v += s->read.stride) {
		ssize_t place = evlist__id_place(l, group ? v[1] : s->read.id);

		if (place < 0 || d->counters[place] == v[0])
			continue;
		d->counters[place] = v[0];
		d->by_event[l->id_map.v[place].idx]++;
		nr++;
	}
	return nr;
}

static u32 dump__count_sample(struct dump *d, const struct record *r)
{
	const struct sample_decoder *decoder = &d->session->decoder;
	const struct evsel *e = sample_decoder__evsel(decoder, r);
	struct sample s;

	if (!e)
		return 0;
	if (e->attr.sample_type & PERF_SAMPLE_READ && e->attr.read_format & PERF_FORMAT_ID) {
		if (sample__decode(decoder, r, &s) == 0)
			return dump__count_read(d, &s);
	} else if (d->counts_branches && e->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) {
		d->by_event[e->idx] += sample__decode(decoder, r, &s) ? 0 : s.nr_branches;
		return 1;
	}
	d->by_event[e->idx]++;
	return 1;
}

/* Work out what depends on earlier records. Only this part runs in order. */
static void dump__look_at(void *ctx, const struct ordered_record *ordered, dump_items *items)
{
	struct dump *d = ctx;
	const struct record *r = &ordered->record;
	u32 type = r->header->type;

	d->nr_records++;
	if (record_type__name(type))
		d->by_type[type]++;
	else
		d->nr_unknown++;
	array__add(items,
		   ((struct dump_item){ .r = ordered,
					.flags = d->prefix,
					.nr = type == PERF_RECORD_SAMPLE ? dump__count_sample(d, r) : 0 }));
	if (type == RECORD_HEADER_ATTR) {
		d->nr_attrs++;
		dump__set_prefix(d);
	}
}

/* State of a formatting thread. */
struct dump_thread {
	struct dump_worker worker;
	const struct dump_more *more;
	void *more_worker;
};

static void *dump__new_worker(void *ctx)
{
	struct dump *d = ctx;
	struct dump_thread *t = xmalloc(sizeof(*t));

	dump_worker__init(&t->worker, &d->format);
	t->more = &d->more;
	t->more_worker = d->more.add_text ? d->more.worker_new(d->more.ctx) : NULL;
	return t;
}

static void dump__add_text(void *worker, const struct dump_item *item, struct strbuf *out)
{
	struct dump_thread *t = worker;
	const struct dump_item more = { .r = item->r };

	dump_record__add(&t->worker, item, out);
	if (t->more_worker)
		t->more->add_text(t->more_worker, &more, out);
}

static void dump__delete_worker(void *worker)
{
	struct dump_thread *t = worker;

	if (t->more_worker)
		t->more->worker_delete(t->more_worker);
	free(t);
}

static int dump__records(struct dump *d, bool file_order, unsigned nr_threads)
{
	const struct dump_pipeline_opts opts = {
		.session = d->session,
		.file_order = file_order,
		.look_at = dump__look_at,
		.ctx = d,
		.worker_new = dump__new_worker,
		.add_text = dump__add_text,
		.worker_delete = dump__delete_worker,
		.fd = d->fd,
		.nr_threads = nr_threads,
	};

	return dump_pipeline__run(&opts, d->err);
}

static void dump__add_count(struct dump *d, const char *name, u64 nr)
{
	if (nr)
		strbuf__addf(&d->out, "%16s events: %10llu  (%4.1f%%)\n", name, (ull)nr,
			     100.0 * (double)nr / (double)d->nr_records);
}

static void dump__add_stats(struct dump *d)
{
	const struct reader *r = d->session->reader;
	const struct evlist *l = &r->evlist;

	/* Skip compressed records: their content is counted. */
	d->by_type[RECORD_COMPRESSED] += r->nr_compressed;
	d->by_type[RECORD_COMPRESSED2] += r->nr_compressed2;
	d->nr_records += r->nr_compressed + r->nr_compressed2;
	strbuf__addf(&d->out, "\nAggregated stats:%s\n%16s events: %10llu\n",
		     d->by_type[RECORD_AUXTRACE]
			     ? " (excludes AUX area (e.g. instruction trace) decoded / synthesized events)"
			     : "",
		     "TOTAL", (ull)d->nr_records);
	for (u32 i = 0; i < RECORD_TYPE_MAX; i++)
		dump__add_count(d, record_type__name(i), d->by_type[i]);
	dump__add_count(d, "UNKNOWN", d->nr_unknown);
	for (size_t i = 0; i < l->evsels.nr; i++) {
		if (!d->by_event[i])
			continue;
		strbuf__add_masked(&d->out, l->evsels.v[i]->name);
		strbuf__addf(&d->out, " stats:\n%16s events: %10llu\n", "SAMPLE", (ull)d->by_event[i]);
	}
}

static bool reader__has(const struct reader *r, enum feature f)
{
	return r->features_set[f / 64] >> f % 64 & 1;
}

static void dump__init(struct dump *d, struct session *s, int fd, bool in_order, struct err *err)
{
	const struct evlist *l = &s->reader->evlist;

	*d = (struct dump){ .session = s, .fd = fd, .err = err, .out = STRBUF_INIT };
	dump_format__init(&d->format, s, in_order);
	dump__set_prefix(d);
	d->by_event = xcalloc(l->evsels.nr + 1, sizeof(*d->by_event));
	d->counters = xcalloc(l->id_map.nr + 1, sizeof(*d->counters));
	d->counts_branches = reader__has(s->reader, FEATURE_BRANCH_STACK) && !evlist__has_lbr_chains(l);
}

static void dump__exit(struct dump *d)
{
	dump_format__exit(&d->format);
	strbuf__exit(&d->out);
	free(d->counters);
	free(d->by_event);
}

int dump__run(struct session *s, const struct dump_opts *opts, int fd, struct err *err)
{
	bool unordered = !s->reader->is_pipe && !evlist__sample_id_all(&s->reader->evlist);
	bool file_order = opts->file_order || unordered;
	struct dump d;
	int ret;

	dump__init(&d, s, fd, !file_order, err);
	d.more = opts->more;
	d.format.for_script = opts->more.add_text != NULL;
	if (unordered)
		strbuf__addstr(&d.out,
			       "WARNING: No sample_id_all support, falling back to unordered processing\n");
	if (!opts->no_hint)
		strbuf__addstr(&d.out, "# To display the perf.data header info, please use "
				       "--header/--header-only options.\n#\n");
	ret = dump__write(&d);
	if (!ret)
		ret = dump__records(&d, file_order, opts->nr_threads);
	if (!ret && !opts->no_stats) {
		dump__add_stats(&d);
		ret = dump__write(&d);
	}
	dump__exit(&d);
	return ret;
}
