/* A reader of the database of perf export --format sqlite: SQLite itself, with queries of its own. */
#ifndef TESTS_READ_BACK_SQLITE_H
#define TESTS_READ_BACK_SQLITE_H

#include "read_back.h"

#include <dlfcn.h>

typedef int (*sqlite_row_fn)(void *to, int nr, char **values, char **names);

static inline int read_sqlite_function(void *to, int nr, char **values, char **names)
{
	struct read_back *back = to;
	struct strbuf text = STRBUF_INIT;

	(void)names;
	expect(nr == 1 && values[0]);
	strbuf__add_utf8(&text, values[0]);
	strpool__intern(&back->texts, text.buf);
	strbuf__exit(&text);
	return 0;
}

static inline int read_sqlite_weight(void *to, int nr, char **values, char **names)
{
	struct read_back *back = to;

	(void)names;
	expect(nr == 1 && values[0]);
	back->weight = strtoull(values[0], NULL, 10);
	return 0;
}

static inline int read_sqlite_nothing(void *to, int nr, char **values, char **names)
{
	(void)to;
	(void)values;
	(void)names;
	expect(!nr);
	return 0;
}

static inline void read_sqlite(struct read_back *to, const char *path)
{
	static const struct {
		const char *query;
		sqlite_row_fn row;
	} queries[] = {
		{ "SELECT function FROM frame", read_sqlite_function },
		{ "SELECT sum(weight) FROM sample", read_sqlite_weight },
		{ "SELECT 1 FROM sample s LEFT JOIN stack k ON k.id = s.stack WHERE s.stack AND k.id IS NULL",
		  read_sqlite_nothing },
		{ "SELECT 1 FROM stack k LEFT JOIN frame f ON f.id = k.frame WHERE f.id IS NULL",
		  read_sqlite_nothing },
	};
	void *library = dlopen("libsqlite3.so.0", RTLD_NOW), *db = NULL;
	int (*open_db)(const char *, void **) =
		(int (*)(const char *, void **))dlsym(library, "sqlite3_open");
	int (*exec)(void *, const char *, sqlite_row_fn, void *, char **) =
		(int (*)(void *, const char *, sqlite_row_fn, void *, char **))dlsym(library, "sqlite3_exec");
	int (*close_db)(void *) = (int (*)(void *))dlsym(library, "sqlite3_close");

	expect(open_db && exec && close_db && !open_db(path, &db));
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++)
		expect(!exec(db, queries[i].query, queries[i].row, to, NULL));
	close_db(db);
}

#endif
