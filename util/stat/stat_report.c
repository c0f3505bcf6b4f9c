#include "stat/stat_report.h"

#include "base/memory/cursor.h"
#include "base/message/msg.h"
#include "event/evsel/event_request.h"
#include "format/read/features.h"
#include "stat/stat_file.h"
#include "stat/stat_text.h"
#include "ui/dump/dump_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMM_BYTES = 16, INTERVALS_PER_HEADING = 25, PLACES_SPARE = 1 << 16 };

struct event_unit { /* of an EVENT_UPDATE record */
	u64 id;
	char *unit; /* NULL: this is a scale */
	double scale;
};

struct stat_report {
	const struct stat_report_opts *opts;
	struct reader *reader;
	struct stat_print_opts print;
	int_array cpus;
	struct recorded_names names;
	ARRAY(struct event_unit) units;
	enum aggregation by;
	u64 interval_ms;

	/* once the first counts have come: */
	bool has_counts;
	struct evlist l;
	struct counting counting;
	struct stat_rows rows;
	struct stat_table table;
	u64 last, nr_rounds;
	struct err *err;
	int ret;
};

/* ---- what describes the counters ---- */

static struct cursor body_of(const struct record *r)
{
	return cursor__make(r->header + 1, r->header->size - sizeof(*r->header), false);
}

static void take_threads(struct stat_report *s, const struct record *r)
{
	struct cursor c = body_of(r);
	u64 nr = cursor__u64(&c);

	for (u64 i = 0; i < nr && cursor__left(&c) >= sizeof(u64) + COMM_BYTES; i++) {
		u64 tid = cursor__u64(&c);
		const char *comm = cursor__bytes(&c, COMM_BYTES);

		array__add(&s->names.tids, (int)(s64)tid);
		array__add(&s->names.comms, xasprintf("%.*s", (int)strnlen(comm, COMM_BYTES), comm));
	}
}

static void take_cpus(struct stat_report *s, const struct record *r)
{
	struct strbuf text = STRBUF_INIT;

	dump_text__cpus(&text, r->header + 1, r->header->size - sizeof(*r->header));
	s->cpus.nr = 0;
	if (int_list__parse(text.buf, UINT16_MAX, &s->cpus) || !s->cpus.nr) {
		s->cpus.nr = 0;
		array__add(&s->cpus, -1);
	}
	strbuf__exit(&text);
}

static void take_config(struct stat_report *s, const struct record *r)
{
	struct cursor c = body_of(r);
	u64 nr = cursor__u64(&c), aggregation = 1;
	bool is_old = true;

	for (u64 i = 0; i < nr && cursor__left(&c) >= 2 * sizeof(u64); i++) {
		u64 tag = cursor__u64(&c), value = cursor__u64(&c);

		if (tag == STAT_CONFIG_AGGREGATION)
			aggregation = value;
		else if (tag == STAT_CONFIG_INTERVAL)
			s->interval_ms = value;
		else if (tag == STAT_CONFIG_CACHE_LEVEL)
			is_old = false;
	}
	s->by = aggregation__find(aggregation, is_old);
	if (s->by == AGGREGATE_CLUSTER || s->by == AGGREGATE_CACHE) /* the recording does not name them */
		s->by = AGGREGATE_CPU;
	if (s->opts->has_by)
		s->by = s->opts->by;
}

static void take_update(struct stat_report *s, const struct record *r)
{
	struct cursor c = body_of(r);
	u64 type = cursor__u64(&c);
	struct event_unit u = { .id = cursor__u64(&c) };

	if (type == EVENT_UPDATE_SCALE) {
		const void *scale = cursor__bytes(&c, sizeof(u.scale));

		if (!scale)
			return;
		memcpy(&u.scale, scale, sizeof(u.scale));
		if (!isfinite(u.scale) || u.scale == 0)
			return;
	} else if (type == EVENT_UPDATE_UNIT) {
		size_t size = cursor__left(&c);
		const char *unit = cursor__bytes(&c, size);

		if (!unit)
			return;
		u.unit = xasprintf("%.*s", (int)strnlen(unit, size), unit);
	} else {
		return;
	}
	array__add(&s->units, u);
}

/* ---- counts ---- */

static void add_events(struct stat_report *s)
{
	const struct evlist *from = &s->reader->evlist;

	for (size_t i = 0; i < from->evsels.nr; i++) {
		const struct evsel *e = from->evsels.v[i];
		struct perf_event_attr attr = e->attr;

		attr.size = sizeof(attr);
		evlist__add_request(&s->l, &attr, e->name);
	}
	evlist__finish_names(&s->l);
	for (size_t i = 0; i < s->units.nr; i++) {
		struct event_unit *u = &s->units.v[i];
		const struct evsel *e = evlist__by_id(from, u->id);
		struct event_request *r = e ? s->l.evsels.v[e->idx]->request : NULL;

		if (r && u->unit) {
			free(r->unit);
			r->unit = u->unit;
			u->unit = NULL;
		} else if (r) {
			r->scale = u->scale;
		}
	}
}

/* Make places, rows and table. Return 0 or a negative errno. */
static int begin_counts(struct stat_report *s)
{
	size_t nr_cpus = MAX(s->cpus.nr, 1), nr_tids = MAX(s->names.tids.nr, 1);
	u64 most = reader__size(s->reader) + PLACES_SPARE;
	struct target t = { .system_wide = false, .has_cpu_list = true };

	s->has_counts = true;
	if (!s->cpus.nr)
		array__add(&s->cpus, -1);
	if (!s->names.tids.nr) {
		array__add(&s->names.tids, -1);
		array__add(&s->names.comms, xstrdup(""));
	}
	if ((u64)nr_cpus * nr_tids > most / MAX(s->reader->evlist.evsels.nr, 1))
		return err__set(s->err, -EBADMSG,
				"%s: %zu CPUs and %zu threads are more than the file has counts",
				s->opts->path, nr_cpus, nr_tids);
	add_events(s);
	features__cpu_parts(s->reader, &s->names.parts);
	t.cpus = s->cpus;
	t.tids = s->names.tids;
	counting__init(&s->counting, &s->l, NULL, &t);
	stat_rows__init(&s->rows, s->by, 0, &s->counting, &s->names);
	stat_table__init(&s->table, &s->counting, &s->rows);
	s->print.hides_idle = s->by == AGGREGATE_THREAD;
	return 0;
}

static size_t index_of(const int_array *list, int value)
{
	size_t i = 0;

	while (i < list->nr && list->v[i] != value)
		i++;
	return i;
}

static void take_counts(struct stat_report *s, const struct record *r)
{
	struct cursor c = body_of(r);
	u64 id = cursor__u64(&c);
	u32 cpu = cursor__u32(&c), thread = cursor__u32(&c);
	struct count n = { 0 };
	const struct evsel *e = evlist__by_id(&s->reader->evlist, id);
	size_t at = index_of(&s->cpus, (int)cpu);
	struct stat_counter *counter;

	n.value = cursor__u64(&c);
	n.enabled = cursor__u64(&c);
	n.running = cursor__u64(&c);
	if (c.bad || !e || at == s->cpus.nr || thread >= s->names.tids.nr)
		return;
	counter = counting__counter(&s->counting, e->idx, thread * s->cpus.nr + at);
	counter->now = n;
	counter->is_there = true;
}

static void add_title(const struct stat_report *s, struct strbuf *out)
{
	struct strbuf what = STRBUF_INIT, line = STRBUF_INIT;

	if (features__command_line(s->reader, &line)) {
		strbuf__addch(&what, '\'');
		strbuf__add_masked(&what, line.buf);
		strbuf__addch(&what, '\'');
	} else {
		strbuf__addstr(&what, "a recording");
	}
	stat_text__add_title(out, &s->print, what.buf, 1);
	strbuf__exit(&what);
	strbuf__exit(&line);
}

static void end_round(struct stat_report *s, const struct record *r)
{
	struct cursor c = body_of(r);
	u64 type = cursor__u64(&c), time = cursor__u64(&c);
	struct run_times times = { .elapsed = time - MIN(s->last, time) };
	struct strbuf out = STRBUF_INIT;

	s->print.is_interval = s->interval_ms && type != STAT_ROUND_FINAL;
	if (c.bad)
		return;
	for (size_t i = 0; i < s->l.evsels.nr; i++) /* what has no counts was not there */
		s->counting.refusals[i] = -ENOENT;
	for (size_t i = 0; i < s->l.evsels.nr * s->counting.places.nr; i++)
		if (s->counting.counters[i].is_there)
			s->counting.refusals[i / s->counting.places.nr] = 0;
	stat_table__reset(&s->table);
	stat_table__add_run(&s->table, &times);
	if (s->print.is_interval) {
		if (s->nr_rounds++ % INTERVALS_PER_HEADING == 0)
			stat_text__add_interval_heading(&out, &s->print, &s->table);
		stat_print__add_table(&out, &s->print, &s->table, time);
		counting__begin(&s->counting);
		s->last = time;
	} else {
		add_title(s, &out);
		stat_print__add_table(&out, &s->print, &s->table, 0);
		stat_text__add_times(&out, &s->print, &s->table);
	}
	file__write_all(s->opts->out_fd, out.buf, out.len);
	strbuf__exit(&out);
}

static void take_record(void *ctx, const struct record *r)
{
	struct stat_report *s = ctx;
	u32 type = r->header->type;

	if (s->ret)
		return;
	if ((type == RECORD_STAT || type == RECORD_STAT_ROUND) && !s->has_counts)
		s->ret = begin_counts(s);
	if (s->ret)
		return;
	if (type == RECORD_STAT)
		take_counts(s, r);
	else if (type == RECORD_STAT_ROUND)
		end_round(s, r);
	else if (type == RECORD_THREAD_MAP && !s->has_counts)
		take_threads(s, r);
	else if (type == RECORD_CPU_MAP && !s->has_counts)
		take_cpus(s, r);
	else if (type == RECORD_STAT_CONFIG && !s->has_counts)
		take_config(s, r);
	else if (type == RECORD_EVENT_UPDATE && !s->has_counts)
		take_update(s, r);
}

/* ---- all ---- */

static void stat_report__exit(struct stat_report *s)
{
	if (s->counting.counters) {
		stat_table__exit(&s->table);
		stat_rows__exit(&s->rows);
		counting__exit(&s->counting);
		cpu_parts__exit(&s->names.parts);
	}
	for (size_t i = 0; i < s->names.comms.nr; i++)
		free(s->names.comms.v[i]);
	for (size_t i = 0; i < s->units.nr; i++)
		free(s->units.v[i].unit);
	array__exit(&s->names.comms);
	array__exit(&s->names.tids);
	array__exit(&s->units);
	array__exit(&s->cpus);
	evlist__exit(&s->l);
	reader__close(s->reader);
}

int stat_report__run(const struct stat_report_opts *opts, struct err *err)
{
	struct stat_report s = { .opts = opts, .print = opts->print, .by = opts->by, .err = err };
	const struct reader_scan_opts scan = { .record = take_record, .ctx = &s };
	struct record_counts counts;
	int ret;

	evlist__init(&s.l);
	ret = reader__open(&s.reader, opts->path, err);
	if (!ret)
		ret = reader__scan(s.reader, &scan, &counts, err);
	if (!ret)
		ret = s.ret;
	if (!ret && s.reader->damage.code) {
		ret = s.reader->damage.code;
		err__set(err, ret, "%s", s.reader->damage.text.buf);
	} else if (!ret && !s.has_counts) {
		ret = err__set(err, -ENODATA, "'%s' has no counts: stat record makes such a file",
			       opts->path);
	}
	stat_report__exit(&s);
	return ret;
}
