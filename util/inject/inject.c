#include "inject/inject.h"

#include "base/system/file.h"
#include "format/records/build.h"
#include "format/read/order.h"
#include "format/write/writer.h"
#include "inject/jit.h"
#include "inject/known_ids.h"

#include <errno.h>
#include <string.h>

struct inject {
	struct session *s;
	const struct inject_opts *opts;
	struct injected *done;
	struct writer *w;
	struct known_ids known;
	struct jit_maps jit;
	ARRAY(struct session *) parts; /* of opts->more */
};

/* ---- build-ids ---- */

static void add_entry(struct strbuf *table, const char *name, u8 cpumode, const struct build_id *id)
{
	build__build_id(table, cpumode, UINT32_MAX, id->data, id->size, name);
}

/* Keep what the table of a recording says about binaries that are not in names. */
static void keep_entries(const struct reader *from, struct strpool *names, struct strbuf *table)
{
	struct build_id_table old = { .data = STRBUF_INIT };

	if (!features__build_ids(from, &old))
		for (size_t i = 0; i < old.entries.nr; i++) {
			const struct build_id_entry *e = &old.entries.v[i];

			if (strpool__find(names, e->filename) != UINT32_MAX)
				continue;
			add_entry(table, e->filename, e->cpumode, &e->id);
			strpool__intern(names, e->filename);
		}
	build_id_table__exit(&old);
}

static void keep_table(const struct inject *in, const struct binaries *b, struct strbuf *table)
{
	struct strpool names;

	strpool__init(&names);
	for (size_t i = 0; i < b->v.nr; i++)
		strpool__intern(&names, b->v.v[i].name);
	keep_entries(in->s->reader, &names, table);
	for (size_t i = 0; i < in->parts.nr; i++)
		keep_entries(in->parts.v[i]->reader, &names, table);
	strpool__exit(&names);
}

static void add_binaries(struct inject *in, const struct binaries *b, struct strbuf *table)
{
	for (size_t i = 0; i < b->v.nr; i++) {
		const struct binary *x = &b->v.v[i];
		struct build_id id = x->id;

		if (known_ids__find(&in->known, x->name, &id) || id.size ||
		    binary__id_of_today(in->s, x, &id)) {
			add_entry(table, x->name, x->cpumode, &id);
			in->done->nr_build_ids++;
		} else {
			in->done->nr_without_id++;
		}
	}
}

static int inject__build_ids(struct inject *in, struct err *err)
{
	const struct inject_opts *opts = in->opts;
	struct strbuf table = STRBUF_INIT;
	struct binaries b = { .has_table = false };
	int ret = 0;

	if (opts->build_ids || opts->build_ids_all)
		ret = binaries__find(&b, in->s, opts->build_ids_all ? BINARIES_ALL : BINARIES_HIT, err);
	if (!ret) {
		add_binaries(in, &b, &table);
		keep_table(in, &b, &table);
		for (size_t i = 0; i < in->jit.files.nr; i++)
			add_entry(&table, in->jit.files.v[i].path, PERF_RECORD_MISC_USER,
				  &in->jit.files.v[i].id);
		if (table.len)
			ret = writer__feature(in->w, FEATURE_BUILD_ID, table.buf, table.len);
	}
	binaries__exit(&b);
	strbuf__exit(&table);
	return ret;
}

static bool inject__wants_ids(const struct inject *in)
{
	return in->parts.nr || in->opts->build_ids || in->opts->build_ids_all || in->jit.files.nr;
}

/* ---- features and records ---- */

/*
 * Skip features that do not apply to the copy (compressed, directory, AUX area), and a build-id table that
 * is written anew.
 */
static bool feature__is_copied(const struct inject *in, enum feature f)
{
	if (f == FEATURE_BUILD_ID)
		return !inject__wants_ids(in);
	if (f == FEATURE_SAMPLE_TIME && in->parts.nr)
		return false;
	return f != FEATURE_COMPRESSED && f != FEATURE_DIR_FORMAT && f != FEATURE_AUXTRACE;
}

static bool extension__is_copied(const struct inject *in, int kind)
{
	bool is_of_part = kind == EXTENSION_LOSSES || kind == EXTENSION_CALL_CHAINS;

	return !(in->parts.nr && is_of_part) && !(kind == EXTENSION_CODE && in->opts->drops_code) &&
	       !(kind == EXTENSION_NAMES && in->opts->drops_names);
}

/* Unknown features and chunks are not copied: they may describe data that the copy does not have. */
static int inject__features(struct inject *in)
{
	struct strbuf data = STRBUF_INIT;
	int ret = 0;

	for (int k = EXTENSION_LOSSES; k < EXTENSION_LAST && !ret; k++)
		if (extension__is_copied(in, k) &&
		    !reader__extension(in->s->reader, (enum extension_kind)k, &data))
			ret = writer__extension(in->w, (enum extension_kind)k, data.buf, data.len);
	for (int f = FEATURE_TRACING_DATA; f < FEATURE_LAST && !ret; f++) {
		strbuf__reset(&data);
		if (feature__is_copied(in, (enum feature)f) &&
		    !reader__feature(in->s->reader, (enum feature)f, &data))
			ret = writer__feature(in->w, (enum feature)f, data.buf, data.len);
	}
	strbuf__exit(&data);
	return ret;
}

/* Is it a pipe record that belongs to the header? The writer makes its own. */
static bool is_header(const struct record *r)
{
	u32 type = r->header->type;

	return (type >= RECORD_HEADER_ATTR && type <= RECORD_HEADER_BUILD_ID) ||
	       type == RECORD_HEADER_FEATURE;
}

/* Copy records in stream order, so FINISHED_ROUND records stay correct. */
static int inject__copy(struct inject *in, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(in->s->reader);
	bool is_pipe = in->s->reader->is_pipe;
	struct block b = BLOCK_INIT;
	struct record r;
	int ret;

	while ((ret = reader_pass__next(pass, &b, err)) > 0) {
		size_t pos = 0;

		ret = is_pipe ? 0 : writer__write(in->w, b.data, b.size);
		while (is_pipe && !ret && block__next(&b, &pos, &r))
			if (!is_header(&r))
				ret = writer__write(in->w, r.header, r.header->size);
		if (ret)
			break;
	}
	block__exit(&b);
	reader_pass__delete(pass);
	return ret;
}

/* FINISHED_ROUND records are dropped: the copy is in the order of time. */
static bool is_left_out(const struct inject *in, const struct record *r, u64 time)
{
	struct mmap_record m;

	return r->header->type == RECORD_FINISHED_ROUND || is_header(r) ||
	       (record__mmap(r, &m) && jit_maps__replace(&in->jit, &m, time));
}

static int inject__jit_records(struct inject *in, u64 until)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	jit_maps__add_records(&in->jit, &in->s->reader->evlist, until, &out);
	ret = out.len ? writer__write(in->w, out.buf, out.len) : 0;
	strbuf__exit(&out);
	return ret;
}

static int inject__batch(struct inject *in, const struct order_batch *b)
{
	int ret = 0;

	for (size_t i = 0; i < b->records.nr && !ret; i++) {
		const struct ordered_record *o = &b->records.v[i];

		if (o->time != UINT64_MAX)
			ret = inject__jit_records(in, o->time);
		if (!ret && !is_left_out(in, &o->record, o->time == UINT64_MAX ? 0 : o->time))
			ret = writer__write(in->w, o->record.header, o->record.header->size);
	}
	return ret;
}

/* Copy records in the order of time, with the added records in between. */
static int inject__copy_ordered(struct inject *in, struct err *err)
{
	const struct order_opts opts = { .file_order = false };
	struct order *order = order__new(in->s->reader, &in->s->decoder, &opts);
	struct order_batch b = ORDER_BATCH_INIT;
	int ret;

	while ((ret = order__next(order, &b, err)) > 0) {
		ret = inject__batch(in, &b);
		if (ret)
			break;
	}
	order_batch__exit(&b);
	order__delete(order);
	return ret ? ret : inject__jit_records(in, UINT64_MAX);
}

/* Copy a further part of the recording, without what is in the part before. */
static int inject__copy_part(struct inject *in, struct reader *from, struct err *err)
{
	struct reader_pass *pass = reader_pass__new(from);
	struct block b = BLOCK_INIT;
	bool begun = false;
	struct record r;
	int ret;

	while ((ret = reader_pass__next(pass, &b, err)) > 0) {
		size_t pos = 0;

		while (!begun && block__next(&b, &pos, &r))
			begun = r.header->type == RECORD_FINISHED_ROUND;
		ret = begun ? writer__write(in->w, b.data + pos, b.size - pos) : 0;
		if (ret)
			break;
	}
	block__exit(&b);
	reader_pass__delete(pass);
	return ret;
}

static int inject__open_parts(struct inject *in, struct err *err)
{
	const struct session_opts opts = { .no_model = true };
	int ret = 0;

	for (size_t i = 0; !ret && i < in->opts->nr_more; i++) {
		struct session *s = NULL;

		ret = session__open(&s, in->opts->more[i], &opts, err);
		if (!ret)
			array__add(&in->parts, s);
	}
	return ret;
}

static int inject__write(struct inject *in, struct err *err)
{
	int ret = writer__begin(in->w, &in->s->reader->evlist, err);

	if (!ret)
		ret = inject__features(in);
	if (!ret && inject__wants_ids(in))
		ret = inject__build_ids(in, err);
	if (!ret)
		ret = in->jit.v.nr ? inject__copy_ordered(in, err) : inject__copy(in, err);
	for (size_t i = 0; !ret && i < in->parts.nr; i++)
		ret = inject__copy_part(in, in->parts.v[i]->reader, err);
	if (ret && err && err->code)
		return ret;
	return writer__finish(in->w, err); /* returns an earlier error, too */
}

/* ---- what cannot be copied ---- */

static int inject__check(const struct session *s, const struct inject_opts *opts, struct err *err)
{
	const struct reader *r = s->reader;

	if (r->needs_swap)
		return err__set(err, -ENOTSUP, "'%s' is from a machine of the other byte order: inject there",
				r->path);
	if (s->stats.records.by_type[RECORD_AUXTRACE])
		return err__set(err, -ENOTSUP, "'%s' has instruction traces, which cannot be copied",
				r->path);
	if (strcmp(opts->output, "-") != 0 && file__is_same(r->path, opts->output))
		return err__set(err, -EINVAL, "'%s' is the input: choose another output", opts->output);
	return 0;
}

int inject__run(struct session *s, const struct inject_opts *opts, struct injected *done, struct err *err)
{
	const struct writer_opts writer = { .is_aside = true };
	struct inject in = { .s = s, .opts = opts, .done = done, .known = { .text = STRBUF_INIT } };
	int ret = inject__check(s, opts, err);

	*done = (struct injected){ .nr_build_ids = 0 };
	if (!ret && opts->known_ids)
		ret = known_ids__parse(&in.known, opts->known_ids, err);
	if (!ret && opts->jit)
		ret = jit_maps__make(&in.jit, s, opts->any_owner, err);
	done->nr_functions = in.jit.files.nr;
	if (!ret)
		ret = inject__open_parts(&in, err);
	if (!ret)
		ret = writer__open(&in.w, opts->output, &writer, err);
	if (!ret)
		ret = inject__write(&in, err);
	writer__delete(in.w);
	jit_maps__exit(&in.jit);
	known_ids__exit(&in.known);
	for (size_t i = 0; i < in.parts.nr; i++)
		session__delete(in.parts.v[i]);
	array__exit(&in.parts);
	return ret;
}
