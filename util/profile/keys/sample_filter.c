#include "profile/keys/sample_filter.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/text/fold_name.h"
#include "profile/places/places.h"
#include "profile/gather/profile.h"
#include "profile/waits/locks.h"

#include <errno.h>
#include <string.h>

enum { NUMBER_MAX = 1 << 20 }; /* of CPUs, of threads that run */

void sample_filter__exit(struct sample_filter *f)
{
	name_list__exit(&f->comms);
	name_list__exit(&f->dsos);
	name_list__exit(&f->symbols);
	name_list__exit(&f->events);
	name_list__exit(&f->locks);
	array__exit(&f->pids);
	array__exit(&f->tids);
	array__exit(&f->cpus);
	array__exit(&f->parallelism);
	time_spans__exit(&f->time_spans);
	span_choice__exit(&f->spans);
}

char *sample_filter__unmarked(const char *text)
{
	static const char mark[] = INLINED_MARK;
	char *names = xstrdup(text), *at = names;

	while ((at = strstr(at, mark))) {
		char *end = at + sizeof(mark) - 1;

		if (*end == ',' || !*end)
			memmove(at, end, strlen(end) + 1);
		else
			at = end;
	}
	return names;
}

static int sample_filter__parse_names(struct sample_filter *f, const struct filter_args *a, struct err *err)
{
	char *symbols = a->symbols ? sample_filter__unmarked(a->symbols) : NULL;
	const struct {
		const char *text;
		struct name_list *list;
	} rows[] = {
		{ a->comms, &f->comms },   { a->dsos, &f->dsos },   { symbols, &f->symbols },
		{ a->events, &f->events }, { a->locks, &f->locks },
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows) && !ret; i++)
		if (rows[i].text)
			ret = name_list__parse(rows[i].list, rows[i].text, err);
	free(symbols);
	return ret;
}

static int sample_filter__parse_numbers(struct sample_filter *f, const struct filter_args *a, struct err *err)
{
	const struct {
		const char *option, *text;
		number_list *list;
	} rows[] = {
		{ "--pid", a->pids, &f->pids },
		{ "--tid", a->tids, &f->tids },
	};
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = rows[i].text ? number_list__parse(rows[i].list, rows[i].text, err) : 0;
		if (ret) {
			err__prefix(err, "%s", rows[i].option);
			return ret;
		}
	}
	if (a->cpus && int_list__parse(a->cpus, NUMBER_MAX, &f->cpus))
		return err__set(err, -EINVAL, "-C: '%s' is not a list of CPUs such as 0-3,8", a->cpus);
	if (a->parallelism && int_list__parse(a->parallelism, NUMBER_MAX, &f->parallelism))
		return err__set(err, -EINVAL, "--parallelism: '%s' is not a list of numbers such as 1,4-8",
				a->parallelism);
	return 0;
}

static int sample_filter__parse_times(struct sample_filter *f, const char *text, struct session *s,
				      struct err *err)
{
	u64 first = 0, last = 0;

	if (!s->has_time)
		return err__set(err, -EINVAL, "--time: '%s' has no times", s->reader->path);
	if (time_spans__need_range(text) && !profile__sample_times(s, &first, &last))
		return err__set(err, -EINVAL, "--time: '%s' has no samples", s->reader->path);
	f->has_times = true;
	return time_spans__parse(&f->time_spans, text, first, last, err);
}

int sample_filter__parse(struct sample_filter *f, const struct filter_args *a, struct session *s,
			 struct err *err)
{
	int ret = sample_filter__parse_names(f, a, err);

	if (!ret)
		ret = sample_filter__parse_numbers(f, a, err);
	if (!ret && f->cpus.nr && !(evlist__sample_type_any(&s->reader->evlist) & PERF_SAMPLE_CPU))
		ret = err__set(err, -EINVAL, "--cpu: the samples of '%s' do not say their CPU",
			       s->reader->path);
	if (!ret && a->times)
		ret = sample_filter__parse_times(f, a->times, s, err);
	return ret;
}

void sample_filter__add_times(struct sample_filter *f, const struct time_spans *spans)
{
	if (f->has_times) {
		time_spans__intersect(&f->time_spans, spans);
		return;
	}
	f->has_times = true;
	for (size_t i = 0; i < spans->v.nr; i++)
		time_spans__add(&f->time_spans, spans->v.v[i].start, spans->v.v[i].end);
}

int sample_filter__choose_spans(struct sample_filter *f, struct session *s,
				const struct span_choice_args *args, struct err *err)
{
	f->has_spans = true;
	return span_choice__read(&f->spans, s, args, err);
}

struct kept_spans {
	const struct sample_filter *filter;
	struct machine_cursor cursor;
};

static bool keeps_span(void *ctx, const struct span *s)
{
	struct kept_spans *k = ctx;
	const struct sample_filter *f = k->filter;
	const char *comm = "";
	u32 id = COMM_UNKNOWN;

	if (f->has_times && !time_spans__has(&f->time_spans, s->end))
		return false;
	if (f->comms.given) {
		machine_cursor__seek(&k->cursor, s->end);
		id = machine_cursor__thread(&k->cursor, s->pid, s->tid)->comm;
	}
	if (id != COMM_UNKNOWN)
		comm = machine__str(k->cursor.m, id);
	return sample_filter__wants_thread(f, comm, s->pid, s->tid);
}

int sample_filter__keep_spans(const struct sample_filter *f, struct span_set *s, const struct machine *m,
			      struct err *err)
{
	struct kept_spans k = { .filter = f };
	const struct time_spans *t = sample_filter__times(f);

	if (f->dsos.given || f->symbols.given || f->locks.given || f->events.given || f->cpus.nr ||
	    f->parallelism.nr)
		return err__set(
			err, -EINVAL,
			"--span: spans are of threads and times: they have no other filters than --comms, "
			"--pid, --tid and --time");
	if (!f->comms.given && !f->pids.nr && !f->tids.nr && !t)
		return 0;
	machine_cursor__init(&k.cursor, m);
	span_set__keep(s, keeps_span, &k);
	if (t && t->v.nr) {
		s->first = MAX(s->first, t->v.v[0].start);
		s->last = MAX(MIN(s->last, t->v.v[t->v.nr - 1].end), s->first);
	}
	return 0;
}

void sample_filter__tell_spans(const struct sample_filter *f, bool weighed)
{
	struct strbuf text = STRBUF_INIT;

	if (f->has_spans) {
		span_choice__describe(&f->spans, weighed, &text);
		info("only %s", text.buf);
	}
	strbuf__exit(&text);
}

const int_array *sample_filter__cpus(const struct sample_filter *f)
{
	return f->cpus.nr ? &f->cpus : NULL;
}

const struct time_spans *sample_filter__times(const struct sample_filter *f)
{
	return f->has_times ? &f->time_spans : NULL;
}

const struct span_choice *sample_filter__spans(const struct sample_filter *f)
{
	return f->has_spans ? &f->spans : NULL;
}

bool sample_filter__wants_thread(const struct sample_filter *f, const char *comm, u32 pid, u32 tid)
{
	return (!f->comms.given || name_list__has(&f->comms, comm)) &&
	       (!f->pids.nr || number_list__has(&f->pids, pid)) &&
	       (!f->tids.nr || number_list__has(&f->tids, tid));
}

bool sample_filter__wants_dso(const struct sample_filter *f, const struct dsos *dsos, const struct dso *dso)
{
	return !f->dsos.given || (dso && (name_list__has(&f->dsos, dso__short_name(dsos, dso)) ||
					  name_list__has(&f->dsos, dso__long_name(dsos, dso))));
}

bool sample_filter__wants_symbol(const struct sample_filter *f, const char *name)
{
	struct strbuf folded = STRBUF_INIT;
	bool is_wanted;

	if (!f->symbols.given || !name)
		return !f->symbols.given;
	if (name_list__has(&f->symbols, name))
		return true;
	name__fold(&folded, name);
	is_wanted = name_list__has(&f->symbols, folded.buf);
	strbuf__exit(&folded);
	return is_wanted;
}

bool sample_filter__wants_event(const struct sample_filter *f, const char *name)
{
	return !f->events.given || name_list__has(&f->events, name);
}

bool sample_filter__wants_lock(const struct sample_filter *f, const char *text)
{
	return !f->locks.given || name_list__has(&f->locks, text) ||
	       name_list__has(&f->locks, lock_text__name(text));
}

const char *sample_filter__only(const struct sample_filter *f, const char *key)
{
	const struct {
		const char *key;
		const struct name_list *list;
	} rows[] = {
		{ "comm", &f->comms },
		{ "dso", &f->dsos },
		{ "symbol", &f->symbols },
		{ "lock", &f->locks },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].key, key))
			return name_list__only(rows[i].list);
	return NULL;
}
