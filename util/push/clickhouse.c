/*
 * ClickHouse has no transactions, and an insert whose answer is lost may have happened or not. So each
 * attempt to send a slice has a random number, which its rows of samples carry. The row in slices names slice
 * and attempt; queries take one attempt of each slice. Rows of attempts that were never listed do not count,
 * and go with their day. Frames and stacks are the same rows each time.
 */
#include "push/clickhouse.h"

#include "base/message/msg.h"
#include "base/system/pack.h"
#include "export/content_ids.h"
#include "export/export.h"
#include "format/read/features.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { NS_PER_S = 1000000000, S_PER_MINUTE = 60, S_PER_DAY = 86400, PACK_LEVEL = 3 /* of zlib */ };

enum table { FRAMES, STACKS, SAMPLES, SLICES, TABLES }; /* in the order in which they are sent */

static const struct {
	const char *name, *columns;
	bool has_attempt; /* at the begin of each row */
} tables[TABLES] = {
	[FRAMES] = { "frames",
		     "day,id,function,binary,path,build_id,file,line,address,is_inlined,is_kernel" },
	[STACKS] = { "stacks", "day,id,function,binary,frames" },
	[SAMPLES] = { "samples",
		      "attempt,day,service,container,version,event,minute,stack,process,thread,weight,"
		      "samples",
		      true },
	[SLICES] = { "slices", "attempt,day,slice,service,host,version,labels,start,duration,samples,lost",
		     true },
};

struct clickhouse_sum { /* samples that are equal but for their time within a minute */
	u64 weight, nr;
	u32 minute; /* s since 1970 */
	u32 event, stack, origin;
	const char *process, *comm; /* of the machine: equal texts are one */
};

struct clickhouse_name {
	u32 function, binary; /* ids in texts */
};

struct clickhouse {
	struct export_args export;
	const struct push_args *push;
	struct content_ids ids;
	struct strpool texts;
	ARRAY(struct clickhouse_name) names; /* by frame */
	ARRAY(bool) is_stack_used;
	ARRAY(struct clickhouse_sum) sums;
	struct hash_table by_key;       /* to sums */
	struct strbuf bodies[TABLES];   /* rows in the format RowBinary */
	ARRAY(size_t) attempts[TABLES]; /* offsets of the attempt's number in rows */
	u64 nr_samples;
	char *host; /* NULL: unknown */
};

/* ---- rows ---- */

/* In RowBinary, numbers are little-endian: as in the memory of the machines that perf runs on. */
static void add_size(struct strbuf *sb, u64 size)
{
	for (; size >= 0x80; size >>= 7)
		strbuf__addch(sb, (char)(size | 0x80));
	strbuf__addch(sb, (char)size);
}

static void add_text(struct strbuf *sb, const char *text)
{
	struct strbuf valid = STRBUF_INIT;

	strbuf__add_utf8(&valid, text ? text : "");
	add_size(sb, valid.len);
	strbuf__add(sb, valid.buf, valid.len);
	strbuf__exit(&valid);
}

/* The day of all rows of a slice: that of its first sample, so that a slice is dropped as a whole. */
static void add_day(struct strbuf *sb, const struct export *x)
{
	u16 day = (u16)(x->epoch / NS_PER_S / S_PER_DAY);

	strbuf__add(sb, &day, sizeof(day));
}

static struct strbuf *clickhouse__row(struct clickhouse *c, enum table table, const struct export *x)
{
	struct strbuf *sb = &c->bodies[table];

	if (tables[table].has_attempt) {
		array__add(&c->attempts[table], sb->len);
		strbuf__add_u64(sb, 0);
	}
	add_day(sb, x);
	return sb;
}

/* Return the value given for all samples, or else that of the sample, or else the last resort. */
static const char *clickhouse__label(const struct clickhouse *c, const char *key, const char *known,
				     const char *otherwise)
{
	const char *given = push_args__label(c->push, key);

	return given ? given : known ? known : otherwise;
}

static const char *clickhouse__service(const struct clickhouse *c, const char *known)
{
	return c->push->service ? c->push->service : clickhouse__label(c, "service", known, "perf");
}

/* ---- the export ---- */

static struct clickhouse *clickhouse_of(const struct export *x)
{
	return (struct clickhouse *)container_of(x->args, struct clickhouse, export);
}

static int clickhouse__begin(struct export *x, struct err *err)
{
	struct clickhouse *c = clickhouse_of(x);

	(void)err;
	if (features__string(x->session->reader, FEATURE_HOSTNAME, &c->host))
		c->host = NULL;
	content_ids__init(&c->ids, c->host);
	for (size_t i = 0; i < x->tree.nr; i++)
		array__add(&c->is_stack_used, false);
	return 0;
}

static void clickhouse__binary(struct export *x, u32 id, const struct export_binary *b)
{
	struct strbuf build_id = STRBUF_INIT;

	(void)id;
	content_ids__add_build_id(&build_id, &b->dso->build_id);
	content_ids__add_binary(&clickhouse_of(x)->ids, b, build_id.buf);
	strbuf__exit(&build_id);
}

static void clickhouse__frame(struct export *x, u32 id, const struct export_frame *f)
{
	struct clickhouse *c = clickhouse_of(x);
	const struct export_binary *b = f->binary == UINT32_MAX ? NULL : &x->binaries.v[f->binary];
	struct strbuf *sb = clickhouse__row(c, FRAMES, x), build_id = STRBUF_INIT;

	(void)id;
	if (b)
		content_ids__add_build_id(&build_id, &b->dso->build_id);
	strbuf__add_u64(sb, content_ids__add_frame(&c->ids, f));
	add_text(sb, f->function);
	add_text(sb, b ? b->name : NULL);
	add_text(sb, b ? b->path : NULL);
	add_text(sb, build_id.buf);
	add_text(sb, f->file);
	strbuf__add_u32(sb, f->line);
	strbuf__add_u64(sb, f->addr);
	strbuf__addch(sb, f->is_inlined);
	strbuf__addch(sb, f->is_kernel);
	strbuf__exit(&build_id);
	array__add(&c->names, ((struct clickhouse_name){ strpool__intern(&c->texts, f->function),
							 strpool__intern(&c->texts, b ? b->name : "") }));
}

static void clickhouse__sample(struct export *x, const struct export_sample *s)
{
	struct clickhouse *c = clickhouse_of(x);
	u64 second = (x->epoch + (s->time - x->first)) / NS_PER_S;
	struct clickhouse_sum sum = { .minute = (u32)(second - second % S_PER_MINUTE),
				      .event = s->event,
				      .stack = s->stack,
				      .origin = s->origin,
				      .process = x->threads.v[s->thread].process,
				      .comm = s->comm };
	const u64 words[] = { (u64)sum.minute << 32 | sum.stack, (u64)sum.origin << 32 | sum.event,
			      (uintptr_t)sum.process, (uintptr_t)sum.comm };
	u64 hash = hash__words(words, ARRAY_SIZE(words), 0);
	struct clickhouse_sum *at = NULL;
	u32 i;

	content_ids__add_sample(&c->ids, x, s);
	c->nr_samples++;
	hash_table__for_each (&c->by_key, hash, i) {
		at = &c->sums.v[i];
		if (at->minute == sum.minute && at->event == sum.event && at->stack == sum.stack &&
		    at->origin == sum.origin && at->process == sum.process && at->comm == sum.comm)
			break;
		at = NULL;
	}
	if (!at) {
		hash_table__insert(&c->by_key, hash, (u32)c->sums.nr);
		at = array__push(&c->sums);
		*at = sum;
		c->is_stack_used.v[s->stack] = true;
	}
	at->weight += s->weight;
	at->nr++;
}

/* Append the ids of a stack's frames, outermost first. */
static void clickhouse__add_frames(const struct clickhouse *c, const struct export *x, u32 stack,
				   struct strbuf *sb)
{
	size_t depth = 0, at;

	for (u32 i = stack; i; i = x->tree.v[i].parent)
		depth++;
	add_size(sb, depth);
	at = sb->len + depth * sizeof(u64);
	strbuf__grow(sb, depth * sizeof(u64));
	strbuf__setlen(sb, at);
	for (u32 i = stack; i; i = x->tree.v[i].parent) {
		at -= sizeof(u64);
		memcpy(sb->buf + at, &c->ids.frames.v[x->tree.v[i].frame].id, sizeof(u64));
	}
}

/* A stack, with the names of its innermost frame that is not inlined. */
static void clickhouse__add_stack(struct clickhouse *c, const struct export *x, u32 stack)
{
	struct strbuf *sb = clickhouse__row(c, STACKS, x);
	const struct clickhouse_name *name;
	u32 self = stack;

	while (c->ids.frames.v[x->tree.v[self].frame].is_inlined && x->tree.v[self].parent)
		self = x->tree.v[self].parent;
	name = &c->names.v[x->tree.v[self].frame];
	strbuf__add_u64(sb, c->ids.stacks.v[stack].id);
	add_text(sb, strpool__get(&c->texts, name->function));
	add_text(sb, strpool__get(&c->texts, name->binary));
	clickhouse__add_frames(c, x, stack, sb);
}

static void clickhouse__add_sum(struct clickhouse *c, const struct export *x, const struct clickhouse_sum *s)
{
	const struct export_origin *origin = &x->origins.v[s->origin];
	struct strbuf *sb = clickhouse__row(c, SAMPLES, x);

	add_text(sb, clickhouse__service(c, origin->service));
	add_text(sb, clickhouse__label(c, "container", origin->container, ""));
	add_text(sb, clickhouse__label(c, "version", origin->version, ""));
	add_text(sb, x->events.v[s->event].name);
	strbuf__add_u32(sb, s->minute);
	strbuf__add_u64(sb, s->stack ? c->ids.stacks.v[s->stack].id : 0);
	add_text(sb, s->process);
	add_text(sb, s->comm);
	strbuf__add_u64(sb, s->weight);
	strbuf__add_u64(sb, s->nr);
}

static void clickhouse__add_slice(struct clickhouse *c, const struct export *x)
{
	struct strbuf *sb = clickhouse__row(c, SLICES, x);
	const char *host = push_args__label(c->push, "host");

	strbuf__add(sb, c->ids.recording, sizeof(c->ids.recording));
	add_text(sb, clickhouse__service(c, ""));
	add_text(sb, host ? host : c->host);
	add_text(sb, push_args__label(c->push, "version"));
	add_size(sb, c->push->labels.nr);
	for (size_t i = 0; i < c->push->labels.nr; i++)
		add_text(sb, c->push->labels.v[i]);
	strbuf__add_u32(sb, (u32)(x->epoch / NS_PER_S));
	strbuf__add_u64(sb, x->last - x->first);
	strbuf__add_u64(sb, c->nr_samples);
	strbuf__add_u64(sb, x->nr_lost);
}

/* All samples have come: the rest of the rows. */
static int clickhouse__commit(struct export *x, struct err *err)
{
	struct clickhouse *c = clickhouse_of(x);

	(void)err;
	for (u32 i = 1; i < x->tree.nr; i++)
		content_ids__add_stack(&c->ids, x);
	for (u32 i = 1; i < x->tree.nr; i++)
		if (c->is_stack_used.v[i])
			clickhouse__add_stack(c, x, i);
	for (size_t i = 0; i < c->sums.nr; i++)
		clickhouse__add_sum(c, x, &c->sums.v[i]);
	clickhouse__add_slice(c, x);
	return 0;
}

static void clickhouse__end(struct export *x)
{
	(void)x;
}

static const struct export_format clickhouse_format = {
	.name = "ClickHouse",
	.is_timed = true,
	.adds_to_file = true,
	.parts = EXPORT_LOST,
	.begin = clickhouse__begin,
	.binary = clickhouse__binary,
	.frame = clickhouse__frame,
	.sample = clickhouse__sample,
	.commit = clickhouse__commit,
	.end = clickhouse__end,
};

/* ---- sending ---- */

/* A number that no other attempt has, but by a chance of 2^-64. */
static int clickhouse__set_attempt(struct clickhouse *c, struct err *err)
{
	u64 attempt;

	if (getrandom(&attempt, sizeof(attempt), 0) != sizeof(attempt))
		return err__set(err, -errno, "cannot get a random number: %s", strerror(errno));
	for (size_t table = 0; table < TABLES; table++)
		for (size_t i = 0; i < c->attempts[table].nr; i++)
			memcpy(c->bodies[table].buf + c->attempts[table].v[i], &attempt, sizeof(attempt));
	return 0;
}

static int clickhouse__advise(struct err *err)
{
	if (strstr(err->text.buf, "Code: 16,") || strstr(err->text.buf, "Code: 60,") ||
	    strstr(err->text.buf, "Code: 81,"))
		err__advise(
			err,
			"to make the tables: clickhouse-client --multiquery <share/clickhouse/schema.sql");
	return err->code;
}

/* Return 1 if the tables have the slice, 0 if not, or a negative errno with err. */
static int clickhouse__knows(const struct clickhouse *c, const struct http_opts *o, struct err *err)
{
	struct strbuf url = STRBUF_INIT, query = STRBUF_INIT;
	char words[HTTP_WORDS_MAX];
	int ret;

	http__add_base(&url, c->push->clickhouse);
	strbuf__addch(&url, '/');
	strbuf__addstr(&query, "SELECT count() > 0 FROM perf.slices WHERE slice = unhex('");
	for (size_t i = 0; i < sizeof(c->ids.recording); i++)
		strbuf__addf(&query, "%02x", ((const u8 *)c->ids.recording)[i]);
	strbuf__addstr(&query, "') FORMAT TabSeparated");
	ret = http__ask(o, url.buf, "text/plain", query.buf, query.len, words, err);
	if (ret)
		ret = clickhouse__advise(err);
	else if (!strcmp(words, "1\n"))
		ret = 1;
	else if (strcmp(words, "0\n")) /* or a part of it */
		ret = err__set(err, -EIO, "%s is not a ClickHouse server, or its answer broke off",
			       c->push->clickhouse);
	strbuf__exit(&url);
	strbuf__exit(&query);
	return ret;
}

static void clickhouse__add_url(const struct clickhouse *c, enum table table, struct strbuf *url)
{
	struct strbuf query = STRBUF_INIT;

	strbuf__addf(&query, "INSERT INTO perf.%s (%s) FORMAT RowBinary", tables[table].name,
		     tables[table].columns);
	http__add_base(url, c->push->clickhouse);
	strbuf__addstr(url, "/?insert_distributed_sync=1&query="); /* no answer before all nodes have it */
	http__add_escaped(url, query.buf);
	strbuf__exit(&query);
}

static int clickhouse__insert(const struct clickhouse *c, const struct http_opts *o, enum table table,
			      struct err *err)
{
	const struct strbuf *body = &c->bodies[table];
	struct strbuf url = STRBUF_INIT, packed = STRBUF_INIT;
	char words[HTTP_WORDS_MAX];
	int ret = 0;

	clickhouse__add_url(c, table, &url);
	pack__zlib(body->buf, body->len, PACK_LEVEL, 1, &packed);
	if (body->len)
		ret = http__ask(o, url.buf, "application/octet-stream", packed.buf, packed.len, words, err);
	debug(1, "push", "%zu bytes of %s, packed %zu", body->len, tables[table].name, packed.len);
	strbuf__exit(&url);
	strbuf__exit(&packed);
	return ret;
}

/* insert: the options of requests with packed bodies */
static int clickhouse__attempt(struct clickhouse *c, const struct http_opts *o,
			       const struct http_opts *insert, struct err *err)
{
	int ret = clickhouse__knows(c, o, err);

	if (ret)
		return ret < 0 ? ret : PUSH_KNOWN;
	ret = clickhouse__set_attempt(c, err);
	for (enum table table = 0; !ret && table < TABLES; table++)
		ret = clickhouse__insert(c, insert, table, err);
	return ret;
}

static int clickhouse__send(struct clickhouse *c, const struct http_opts *o, struct err *err)
{
	static char packed[] = "Content-Encoding: deflate";
	struct http_opts insert = *o;
	int ret;

	insert.headers = (typeof(insert.headers)){ 0 };
	for (size_t i = 0; i < o->headers.nr; i++)
		array__add(&insert.headers, o->headers.v[i]);
	array__add(&insert.headers, packed);
	for (unsigned i = 0;; i++) {
		ret = clickhouse__attempt(c, o, &insert, err);
		if (ret == PUSH_KNOWN && i) /* an earlier attempt succeeded, and its answer was lost */
			ret = 0;
		if (ret != -EIO || i == o->retries)
			break;
		http__tell_retry(i, o->retries, err);
		http__wait(i);
	}
	array__exit(&insert.headers);
	return ret;
}

static void clickhouse__print(const struct clickhouse *c, const char *path)
{
	for (enum table table = 0; table < TABLES; table++) {
		struct strbuf url = STRBUF_INIT;

		clickhouse__add_url(c, table, &url);
		printf("POST %s\n%zu bytes: %s of '%s'\n", url.buf, c->bodies[table].len, tables[table].name,
		       path);
		strbuf__exit(&url);
	}
}

/* The headers of ClickHouse for the token: it is the password of a user. */
static struct http_opts clickhouse__http(const struct push_args *a)
{
	struct http_opts o = a->http;
	static char user[] = "X-ClickHouse-User: default";
	bool has_user = false;

	o.headers = (typeof(o.headers)){ 0 };
	for (size_t i = 0; i < a->http.headers.nr; i++) {
		array__add(&o.headers, a->http.headers.v[i]);
		has_user |= !strncasecmp(a->http.headers.v[i], user, strcspn(user, ":"));
	}
	if (o.token && !has_user)
		array__add(&o.headers, user);
	o.token_header = "X-ClickHouse-Key: ";
	return o;
}

static void clickhouse__exit(struct clickhouse *c)
{
	content_ids__exit(&c->ids);
	strpool__exit(&c->texts);
	array__exit(&c->names);
	array__exit(&c->is_stack_used);
	array__exit(&c->sums);
	hash_table__exit(&c->by_key);
	for (size_t i = 0; i < TABLES; i++) {
		strbuf__exit(&c->bodies[i]);
		array__exit(&c->attempts[i]);
	}
	free(c->host);
}

int push_clickhouse(const struct push_args *a, const char *path, struct err *err)
{
	struct clickhouse c = { .export = a->export, .push = a, .by_key = HASH_TABLE_INIT };
	struct http_opts o = clickhouse__http(a);
	int ret = 0;

	strpool__init(&c.texts);
	for (size_t i = 0; i < TABLES; i++)
		strbuf__init(&c.bodies[i]);
	c.export.input = path;
	c.export.output = a->clickhouse; /* for messages */
	c.export.own_format = &clickhouse_format;
	c.export.more_labels = push_args__more_labels(a);
	if (export__run(&c.export))
		ret = err__set(err, -EUCLEAN, "'%s' cannot be sent", path);
	else if (a->dry_run)
		clickhouse__print(&c, path);
	else
		ret = clickhouse__send(&c, &o, err);
	clickhouse__exit(&c);
	array__exit(&o.headers);
	return ret;
}
