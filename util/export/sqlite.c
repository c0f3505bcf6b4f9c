/*
 * Tables of SQLite: Documentation/schema.md describes them. A database takes any number of recordings; each
 * is added in one transaction, so that a process that is killed leaves the state before it. Ids of binaries,
 * frames and stacks are hashes of their content: recordings share them. A recording is known by a hash of its
 * samples, whatever its file is called and whatever could be named.
 */
#include "export/export_formats.h"

#include "base/message/msg.h"
#include "base/system/file.h"
#include "base/system/library.h"
#include "base/text/utf8.h"
#include "export/content_ids.h"
#include "export/labels.h"
#include "format/read/features.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_SQLITE3
#include <sqlite3.h>

#define FILE_FUNCTIONS(F)  \
	F(sqlite3_open_v2) \
	F(sqlite3_close) F(sqlite3_exec) F(sqlite3_errmsg) F(sqlite3_errcode) F(sqlite3_busy_timeout)
#define BIND_FUNCTIONS(F) F(sqlite3_bind_int64) F(sqlite3_bind_text) F(sqlite3_bind_null)
#define ROW_FUNCTIONS(F) F(sqlite3_column_int64) F(sqlite3_last_insert_rowid)
#define STEP_FUNCTIONS(F) F(sqlite3_prepare_v2) F(sqlite3_step) F(sqlite3_reset) F(sqlite3_finalize)
#define SQLITE_FUNCTIONS(F) FILE_FUNCTIONS(F) BIND_FUNCTIONS(F) ROW_FUNCTIONS(F) STEP_FUNCTIONS(F)
LIBRARY(sqlite, "libsqlite3.so.0", "libsqlite3-0", SQLITE_FUNCTIONS);

enum { SCHEMA_VERSION = 4, BUSY_MS = 10000, BLOCK_SAMPLES = 1 << 20 };

static const char tables[] =
	"CREATE TABLE host(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
	"CREATE TABLE recording(id INTEGER PRIMARY KEY, content TEXT UNIQUE, host INTEGER NOT NULL "
	"REFERENCES host,"
	" file TEXT NOT NULL, start INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,"
	" lost INTEGER NOT NULL, unnamed INTEGER, aggregated INTEGER NOT NULL DEFAULT 0);"
	"CREATE TABLE binary(id INTEGER PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL, build_id TEXT);"
	"CREATE TABLE frame(id INTEGER PRIMARY KEY, function TEXT NOT NULL, binary INTEGER REFERENCES binary,"
	" file TEXT, line INTEGER, address INTEGER NOT NULL, is_inlined INTEGER NOT NULL,"
	" is_kernel INTEGER NOT NULL);"
	"CREATE TABLE stack(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES stack,"
	" frame INTEGER NOT NULL REFERENCES frame, self INTEGER NOT NULL REFERENCES frame);"
	"CREATE TABLE thread(id INTEGER PRIMARY KEY, recording INTEGER NOT NULL REFERENCES recording,"
	" pid INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT NOT NULL, process TEXT NOT NULL);"
	"CREATE TABLE sample(recording INTEGER NOT NULL REFERENCES recording, time INTEGER NOT NULL,"
	" thread INTEGER NOT NULL REFERENCES thread, cpu INTEGER, event TEXT NOT NULL,"
	" weight INTEGER NOT NULL, stack INTEGER REFERENCES stack, samples INTEGER NOT NULL DEFAULT 1,"
	" cgroup TEXT, service TEXT, container TEXT, version TEXT, lock TEXT, holder TEXT);"
	"CREATE INDEX sample_recording ON sample(recording, event, stack);";

/* Tables of earlier versions become those above; their views are made anew. */
static const char from_version_1[] = "ALTER TABLE recording ADD COLUMN unnamed INTEGER;"
				     "ALTER TABLE recording ADD COLUMN aggregated INTEGER NOT NULL DEFAULT 0;"
				     "ALTER TABLE sample ADD COLUMN samples INTEGER NOT NULL DEFAULT 1;"
				     "ALTER TABLE sample ADD COLUMN cgroup TEXT;";
static const char from_version_2[] = "ALTER TABLE sample ADD COLUMN service TEXT;"
				     "ALTER TABLE sample ADD COLUMN container TEXT;"
				     "ALTER TABLE sample ADD COLUMN version TEXT;";
static const char from_version_3[] =
	"ALTER TABLE sample ADD COLUMN lock TEXT;"
	"ALTER TABLE sample ADD COLUMN holder TEXT;"
	"DROP VIEW top_self; DROP VIEW top_total; DROP VIEW by_thread; DROP VIEW by_minute;";

/*
 * DuckDB reads their text, too: there, "binary" is a word of the language, / gives a fraction, and GROUP BY
 * names all that is not a sum.
 */
static const char views[] =
	"CREATE VIEW top_self AS SELECT s.recording, s.event, f.function, b.name AS \"binary\","
	" sum(s.weight) AS weight, sum(s.samples) AS samples FROM sample s LEFT JOIN stack k ON k.id = "
	"s.stack"
	" LEFT JOIN frame f ON f.id = k.self LEFT JOIN \"binary\" b ON b.id = f.binary GROUP BY 1, 2, 3, 4;"
	"CREATE VIEW top_total AS WITH RECURSIVE walk(recording, event, leaf, node, weight) AS"
	" (SELECT recording, event, stack, stack, sum(weight) FROM sample WHERE stack IS NOT NULL GROUP BY "
	"1, 2, 3"
	" UNION ALL SELECT w.recording, w.event, w.leaf, k.parent, w.weight FROM walk w"
	" JOIN stack k ON k.id = w.node WHERE k.parent IS NOT NULL)"
	" SELECT recording, event, function, \"binary\", sum(weight) AS weight FROM"
	" (SELECT DISTINCT w.recording, w.event, w.leaf, f.function, b.name AS \"binary\", w.weight FROM "
	"walk w"
	" JOIN stack k ON k.id = w.node JOIN frame f ON f.id = k.frame"
	" LEFT JOIN \"binary\" b ON b.id = f.binary) GROUP BY 1, 2, 3, 4;"
	"CREATE VIEW by_thread AS SELECT s.recording, s.event, t.process, t.name, t.pid, t.tid,"
	" sum(s.weight) AS weight, sum(s.samples) AS samples FROM sample s JOIN thread t ON t.id = s.thread"
	" GROUP BY s.recording, s.event, s.thread, t.process, t.name, t.pid, t.tid;"
	"CREATE VIEW by_minute AS SELECT r.host, s.recording, s.event,"
	" (r.start + s.time - r.first - (r.start + s.time - r.first) % 60000000000) / 1000000000 AS minute, "
	"sum(s.weight) AS weight,"
	" sum(s.samples) AS samples FROM sample s JOIN recording r ON r.id = s.recording GROUP BY 1, 2, 3, 4;"
	"PRAGMA user_version = 4;";

enum {
	ADD_HOST,
	ADD_RECORDING,
	ADD_BINARY,
	ADD_FRAME,
	ADD_STACK,
	ADD_THREAD,
	ADD_SAMPLE,
	SET_CONTENT,
	FIND_WORSE,
	DROP_SAMPLES,
	DROP_THREADS,
	DROP_RECORDING,
	STATEMENTS
};

static const char *const statements[STATEMENTS] = {
	[ADD_HOST] = "INSERT OR IGNORE INTO host(name) VALUES(?)",
	[ADD_RECORDING] = "INSERT INTO recording(host, file, start, first, last, lost, aggregated)"
			  " SELECT id, ?2, ?3, ?4, ?5, ?6, ?7 FROM host WHERE name = ?1",
	[ADD_BINARY] = "INSERT OR IGNORE INTO binary VALUES(?, ?, ?, ?)",
	[ADD_FRAME] = "INSERT OR IGNORE INTO frame VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
	[ADD_STACK] = "INSERT OR IGNORE INTO stack VALUES(?, ?, ?, ?)",
	[ADD_THREAD] = "INSERT INTO thread(recording, pid, tid, name, process) VALUES(?, ?, ?, ?, ?)",
	[ADD_SAMPLE] = "INSERT INTO sample VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SET_CONTENT] = "UPDATE OR IGNORE recording SET content = ?, unnamed = ? WHERE id = ?",
	/* fewer names, or as many but sums in place of samples */
	[FIND_WORSE] = "SELECT id FROM recording WHERE content = ?1 AND aggregated >= ?3"
		       " AND (unnamed IS NULL OR unnamed > ?2 OR (unnamed = ?2 AND aggregated > ?3))",
	[DROP_SAMPLES] = "DELETE FROM sample WHERE recording = ?",
	[DROP_THREADS] = "DELETE FROM thread WHERE recording = ?",
	[DROP_RECORDING] = "DELETE FROM recording WHERE id = ?",
};

struct sqlite_sample {
	u64 time, weight;
	s64 stack; /* id in the database; NO_STACK */
	u32 thread, cpu, event, origin;
	u32 nr;
};
#define NO_STACK INT64_MIN
#define NS_PER_MINUTE 60000000000ull

struct sqlite {
	sqlite3 *db;
	sqlite3_stmt *add[STATEMENTS];
	struct export *x;
	struct content_ids ids;
	ARRAY(u64) threads;                  /* ids in the database, by ours */
	ARRAY(struct sqlite_sample) samples; /* that are not in the database yet: at most BLOCK_SAMPLES */
	u64 recording;
	u64 nr_unnamed; /* samples */
	struct err err; /* the first error; nothing is done after it */
};

static int sqlite__fail(struct sqlite *s)
{
	int code = sqlite.sqlite3_errcode(s->db);

	if (!s->err.code && (code == SQLITE_FULL || code == SQLITE_READONLY))
		err__set_output(&s->err, code == SQLITE_FULL ? -ENOSPC : -EACCES, s->x->args->output);
	else if (!s->err.code)
		err__set(&s->err, -EIO, "cannot write '%s': %s", s->x->args->output,
			 sqlite.sqlite3_errmsg(s->db));
	s->x->out->error = -EIO; /* stops the export */
	return -EIO;
}

static void sqlite__exec(struct sqlite *s, const char *sql)
{
	if (!s->err.code && sqlite.sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		sqlite__fail(s);
}

/* Return the number that a query has, or -1. */
static s64 sqlite__number(struct sqlite *s, const char *sql)
{
	sqlite3_stmt *query = NULL;
	s64 number = -1;

	if (sqlite.sqlite3_prepare_v2(s->db, sql, -1, &query, NULL) == SQLITE_OK &&
	    sqlite.sqlite3_step(query) == SQLITE_ROW)
		number = sqlite.sqlite3_column_int64(query, 0);
	else
		sqlite__fail(s);
	sqlite.sqlite3_finalize(query);
	return number;
}

static void bind_number(sqlite3_stmt *to, int at, u64 value)
{
	sqlite.sqlite3_bind_int64(to, at, (s64)value);
}

/* NULL: no value. The text stays until the statement has run. */
static void bind_text(sqlite3_stmt *to, int at, const char *text)
{
	struct strbuf valid = STRBUF_INIT;

	if (!text || utf8__is_valid(text)) {
		sqlite.sqlite3_bind_text(to, at, text, -1, SQLITE_STATIC);
		return;
	}
	strbuf__add_utf8(&valid, text);
	sqlite.sqlite3_bind_text(to, at, valid.buf, -1, SQLITE_TRANSIENT);
	strbuf__exit(&valid);
}

static void sqlite__run(struct sqlite *s, sqlite3_stmt *statement)
{
	if (!s->err.code && sqlite.sqlite3_step(statement) != SQLITE_DONE)
		sqlite__fail(s);
	sqlite.sqlite3_reset(statement);
}

/* Make the tables of an empty database; refuse one that has others. */
static void sqlite__prepare(struct sqlite *s)
{
	s64 version;

	sqlite__exec(s, "BEGIN IMMEDIATE");
	version = s->err.code ? -1 : sqlite__number(s, "PRAGMA user_version");
	if (!s->err.code && !version && !sqlite__number(s, "SELECT count(*) FROM sqlite_master"))
		sqlite__exec(s, tables);
	else if (!s->err.code && (version < 1 || version > SCHEMA_VERSION))
		err__set(&s->err, -EINVAL,
			 "'%s' is a database with other tables than those of perf export: name a new file",
			 s->x->args->output);
	if (version == 1)
		sqlite__exec(s, from_version_1);
	if (version == 1 || version == 2)
		sqlite__exec(s, from_version_2);
	if (version > 0 && version < SCHEMA_VERSION)
		sqlite__exec(s, from_version_3);
	if (version != SCHEMA_VERSION)
		sqlite__exec(s, views);
	for (int i = 0; i < STATEMENTS && !s->err.code; i++)
		if (sqlite.sqlite3_prepare_v2(s->db, statements[i], -1, &s->add[i], NULL) != SQLITE_OK)
			sqlite__fail(s);
}

static void sqlite__add_recording(struct sqlite *s)
{
	const struct export *x = s->x;
	char *host = NULL;

	features__string(x->session->reader, FEATURE_HOSTNAME, &host);
	bind_text(s->add[ADD_HOST], 1, host ? host : "");
	sqlite__run(s, s->add[ADD_HOST]);
	bind_text(s->add[ADD_RECORDING], 1, host ? host : "");
	bind_text(s->add[ADD_RECORDING], 2, x->session->reader->path);
	bind_number(s->add[ADD_RECORDING], 3, x->epoch);
	bind_number(s->add[ADD_RECORDING], 4, x->first);
	bind_number(s->add[ADD_RECORDING], 5, x->last);
	bind_number(s->add[ADD_RECORDING], 6, x->nr_lost);
	bind_number(s->add[ADD_RECORDING], 7, x->args->aggregate);
	sqlite__run(s, s->add[ADD_RECORDING]);
	s->recording = (u64)sqlite.sqlite3_last_insert_rowid(s->db);
	content_ids__init(&s->ids, host);
	free(host);
}

static void sqlite__end(struct export *x)
{
	struct sqlite *s = x->data;

	for (int i = 0; i < STATEMENTS; i++)
		sqlite.sqlite3_finalize(s->add[i]);
	sqlite.sqlite3_close(s->db); /* rolls back what is not committed */
	content_ids__exit(&s->ids);
	array__exit(&s->threads);
	array__exit(&s->samples);
	err__exit(&s->err);
	free(s);
}

/*
 * Make the file before sqlite3, which would make it for everybody, and would follow links that belong to
 * others.
 */
static void sqlite__open(struct sqlite *s)
{
	const char *path = s->x->args->output;
	char *target = NULL;
	int fd = output_file__open_in_place(path, O_RDWR | O_CREAT, s->x->session->reader->output_mode,
					    &s->err);

	if (fd < 0 || output_file__follow(path, &target, &s->err))
		return;
	close(fd);
	if (sqlite.sqlite3_open_v2(target, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		sqlite__fail(s);
	free(target);
}

static int sqlite__begin(struct export *x, struct err *err)
{
	struct sqlite *s;
	int ret = library__load(&sqlite_library, err);

	if (ret)
		return ret;
	s = xcalloc(1, sizeof(*s));
	s->x = x;
	x->data = s;
	sqlite__open(s);
	if (!s->err.code)
		sqlite.sqlite3_busy_timeout(s->db, BUSY_MS);
	if (!s->err.code)
		sqlite__exec(s, "PRAGMA cache_size = -65536"); /* KiB: pages of the index are written once */
	if (!s->err.code)
		sqlite__prepare(s);
	if (!s->err.code)
		sqlite__add_recording(s);
	if (!s->err.code)
		return 0;
	ret = err__set(err, s->err.code, "%s", s->err.text.buf);
	sqlite__end(x);
	return ret;
}

static void sqlite__binary(struct export *x, u32 id, const struct export_binary *b)
{
	struct sqlite *s = x->data;
	sqlite3_stmt *add = s->add[ADD_BINARY];
	struct strbuf hex = STRBUF_INIT;

	(void)id;
	content_ids__add_build_id(&hex, &b->dso->build_id);
	bind_number(add, 1, content_ids__add_binary(&s->ids, b, hex.buf));
	bind_text(add, 2, b->path);
	bind_text(add, 3, b->name);
	bind_text(add, 4, hex.len ? hex.buf : NULL);
	sqlite__run(s, add);
	strbuf__exit(&hex);
}

static void sqlite__frame(struct export *x, u32 id, const struct export_frame *f)
{
	struct sqlite *s = x->data;
	sqlite3_stmt *add = s->add[ADD_FRAME];

	(void)id;
	bind_number(add, 1, content_ids__add_frame(&s->ids, f));
	bind_text(add, 2, f->function);
	if (f->binary == UINT32_MAX)
		sqlite.sqlite3_bind_null(add, 3);
	else
		bind_number(add, 3, s->ids.binaries.v[f->binary]);
	bind_text(add, 4, f->file);
	if (f->line)
		bind_number(add, 5, f->line);
	else
		sqlite.sqlite3_bind_null(add, 5);
	bind_number(add, 6, f->addr);
	bind_number(add, 7, f->is_inlined);
	bind_number(add, 8, f->is_kernel);
	sqlite__run(s, add);
}

static void sqlite__add_stacks(struct sqlite *s)
{
	sqlite3_stmt *add = s->add[ADD_STACK];

	for (size_t i = 1; i < s->x->tree.nr && !s->err.code; i++) {
		const struct export_stack *k = &s->x->tree.v[i];
		struct content_stack stack = content_ids__add_stack(&s->ids, s->x);

		bind_number(add, 1, stack.id);
		if (k->parent)
			bind_number(add, 2, s->ids.stacks.v[k->parent].id);
		else
			sqlite.sqlite3_bind_null(add, 2);
		bind_number(add, 3, s->ids.frames.v[k->frame].id);
		bind_number(add, 4, stack.self);
		sqlite__run(s, add);
	}
}

/* Add a thread. The stacks are complete when the first one comes. */
static void sqlite__thread(struct export *x, u32 id, const struct export_thread *t)
{
	struct sqlite *s = x->data;
	sqlite3_stmt *add = s->add[ADD_THREAD];

	if (!id)
		sqlite__add_stacks(s);
	bind_number(add, 1, s->recording);
	bind_number(add, 2, (u64)(s32)t->pid);
	bind_number(add, 3, (u64)(s32)t->tid);
	bind_text(add, 4, t->name);
	bind_text(add, 5, t->process);
	sqlite__run(s, add);
	array__add(&s->threads, (u64)sqlite.sqlite3_last_insert_rowid(s->db));
}

static int compare_samples(const void *left, const void *right)
{
	const struct sqlite_sample *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

static u64 minute_of(const struct export *x, const struct sqlite_sample *sample)
{
	return (x->epoch + (sample->time - x->first)) / NS_PER_MINUTE;
}

static bool differs_in_time_only(const struct export *x, const struct sqlite_sample *a,
				 const struct sqlite_sample *b)
{
	return a->event == b->event && a->stack == b->stack && a->thread == b->thread &&
	       a->origin == b->origin && minute_of(x, a) == minute_of(x, b);
}

static void sqlite__add_sample(struct sqlite *s, const struct sqlite_sample *sample)
{
	sqlite3_stmt *add = s->add[ADD_SAMPLE];
	const struct export_origin *origin = &s->x->origins.v[sample->origin];

	bind_number(add, 1, s->recording);
	bind_number(add, 2, sample->time);
	bind_number(add, 3, s->threads.v[sample->thread]);
	if (sample->cpu == STREAM_NO_CPU)
		sqlite.sqlite3_bind_null(add, 4);
	else
		bind_number(add, 4, sample->cpu);
	bind_text(add, 5, s->x->events.v[sample->event].name);
	bind_number(add, 6, sample->weight);
	if (sample->stack == NO_STACK)
		sqlite.sqlite3_bind_null(add, 7);
	else
		bind_number(add, 7, (u64)sample->stack);
	bind_number(add, 8, sample->nr);
	bind_text(add, 9, origin->cgroup);
	bind_text(add, 10, origin->service);
	bind_text(add, 11, origin->container);
	bind_text(add, 12, origin->version);
	bind_text(add, 13, origin->lock);
	bind_text(add, 14, origin->holder);
	sqlite__run(s, add);
}

/*
 * Add the samples in the order of the index, which then only grows at its end: twice as fast as in the order
 * of time.
 */
static void sqlite__add_samples(struct sqlite *s)
{
	const struct sqlite_sample *end = s->samples.v + s->samples.nr, *i = s->samples.v;

	if (s->samples.nr)
		qsort(s->samples.v, s->samples.nr, sizeof(*s->samples.v), compare_samples);
	while (i < end && !s->err.code) {
		struct sqlite_sample sum = *i++;

		for (; s->x->args->aggregate && i < end && differs_in_time_only(s->x, &sum, i); i++) {
			sum.weight += i->weight;
			sum.nr++;
		}
		sqlite__add_sample(s, &sum);
	}
	s->samples.nr = 0;
}

static void sqlite__sample(struct export *x, const struct export_sample *sample)
{
	struct sqlite *s = x->data;
	const struct content_stack *stack = sample->stack ? &s->ids.stacks.v[sample->stack] : NULL;

	content_ids__add_sample(&s->ids, x, sample);
	s->nr_unnamed += !stack || stack->is_unknown;
	array__add(&s->samples,
		   ((struct sqlite_sample){ .time = sample->time,
					    .weight = sample->weight,
					    .stack = stack ? (s64)stack->id : NO_STACK,
					    .origin = sample->origin,
					    .thread = sample->thread,
					    .cpu = x->args->aggregate ? (u32)STREAM_NO_CPU : sample->cpu,
					    .event = sample->event,
					    .nr = 1 }));
	if (s->samples.nr == BLOCK_SAMPLES)
		sqlite__add_samples(s);
}

/* Return whether no other recording has this content. */
static bool sqlite__set_content(struct sqlite *s, const char *content)
{
	bind_text(s->add[SET_CONTENT], 1, content);
	bind_number(s->add[SET_CONTENT], 2, s->nr_unnamed);
	bind_number(s->add[SET_CONTENT], 3, s->recording);
	sqlite__run(s, s->add[SET_CONTENT]);
	return s->err.code || sqlite__number(s, "SELECT changes()");
}

/* Drop the same recording with fewer names. Return whether there was one. */
static bool sqlite__drop_worse(struct sqlite *s, const char *content)
{
	sqlite3_stmt *find = s->add[FIND_WORSE];
	u64 id = 0;

	bind_text(find, 1, content);
	bind_number(find, 2, s->nr_unnamed);
	bind_number(find, 3, s->x->args->aggregate);
	if (sqlite.sqlite3_step(find) == SQLITE_ROW)
		id = (u64)sqlite.sqlite3_column_int64(find, 0);
	sqlite.sqlite3_reset(find);
	for (int i = DROP_SAMPLES; id && i <= DROP_RECORDING; i++) {
		bind_number(s->add[i], 1, id);
		sqlite__run(s, s->add[i]);
	}
	return id;
}

/* Commit, unless the database has the recording with as many names: then roll back this one. */
static int sqlite__commit(struct export *x, struct err *err)
{
	struct sqlite *s = x->data;
	char content[CONTENT_TEXT_SIZE];

	sqlite__add_samples(s);
	content_ids__recording(&s->ids, content);
	if (sqlite__set_content(s, content)) {
		sqlite__exec(s, "COMMIT");
	} else if (sqlite__drop_worse(s, content)) {
		info("'%s' had this recording with fewer names, or sums in place of samples: it was replaced",
		     x->args->output);
		sqlite__set_content(s, content);
		sqlite__exec(s, "COMMIT");
	} else {
		info("'%s' has this recording already: nothing was added", x->args->output);
		sqlite__exec(s, "ROLLBACK");
	}
	return s->err.code ? err__set(err, s->err.code, "%s", s->err.text.buf) : 0;
}
#else
LIBRARY_ABSENT(sqlite, "libsqlite3", "libsqlite3-dev");

static int sqlite__begin(struct export *x, struct err *err)
{
	(void)x;
	return library__load(&sqlite_library, err);
}
#define sqlite__binary NULL
#define sqlite__frame NULL
#define sqlite__thread NULL
#define sqlite__sample NULL
#define sqlite__commit NULL
#define sqlite__end NULL
#endif

const struct export_format export_sqlite = {
	.name = "sqlite",
	.suffix = ".db",
	.help = "tables of SQLite, to which each recording is added",
	.is_timed = true,
	.adds_to_file = true,
	.parts = EXPORT_LOST,
	.labels = 1u << LABEL_COMM, /* threads have it; --labels cgroup adds that */
	.begin = sqlite__begin,
	.binary = sqlite__binary,
	.frame = sqlite__frame,
	.thread = sqlite__thread,
	.sample = sqlite__sample,
	.commit = sqlite__commit,
	.end = sqlite__end,
};
